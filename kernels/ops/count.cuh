// The operation that counts pairs: twin of src/ops/count.rs.
#pragma once
#include "ops/histogram.cuh"

namespace albireo {

__device__ __forceinline__ void tally(const Job& job, Histogram& histogram, u32 slot, double, double) {
    histogram.add(job, slot);
}

// Takes a pair out of one slot and into another.
__device__ __forceinline__ void retally(const Job& job, Histogram& histogram, u32 from, u32 to, double, double) {
    histogram.shift_count(job, from, -1);
    histogram.shift_count(job, to, 1);
}

}  // namespace albireo
