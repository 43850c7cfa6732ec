// The operation that counts pairs and sums their fixed-point weight products: twin of src/ops/weighted.rs.
#pragma once
#include "ops/histogram.cuh"

namespace albireo {

__device__ __forceinline__ void tally(const Job& job, Histogram& histogram, u32 slot, double u1, double u2) {
    if (slot - 1 >= job.bins) return;
    histogram.add(job, slot);
    histogram.add_product(job, slot, fixed_product(u1, u2));
}

// Takes a pair out of one slot and into another.
__device__ __forceinline__ void retally(const Job& job, Histogram& histogram, u32 from, u32 to, double u1, double u2) {
    i64 q = fixed_product(u1, u2);
    if (from - 1 < job.bins) {
        histogram.shift_count(job, from, -1);
        histogram.add_product(job, from, -q);
    }
    if (to - 1 < job.bins) {
        histogram.shift_count(job, to, 1);
        histogram.add_product(job, to, q);
    }
}

}  // namespace albireo
