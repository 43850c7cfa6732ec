// The operation that counts pairs: twin of src/ops/count.rs.
#pragma once
#include "ops/histogram.cuh"

namespace albireo {

// Counts one pair in its place.
__device__ __forceinline__ void tally(const DeviceJob& job, const Histogram& histogram, u32 place, double, double) {
    histogram.shift_count(job, place, 1);
}

// Counts N pairs where the filter puts them.
template <int N>
__device__ __forceinline__ void tally_guesses(const DeviceJob& job, const Histogram& histogram, const Guess (&guess)[N], double,
                                              const double (&)[N]) {
#pragma unroll
    for (int k = 0; k < N; ++k) {
#if ALBIREO_HISTOGRAM != 1
        tally_shared(histogram.address(guess[k]));
#else
        histogram.shift_count(job, guess[k].raw + job.places.bias, 1);
#endif
    }
}

// Takes a pair out of one place and into another.
__device__ __forceinline__ void retally(const DeviceJob& job, const Histogram& histogram, u32 from, u32 to, double, double) {
    histogram.shift_count(job, from, -1);
    histogram.shift_count(job, to, 1);
}

}  // namespace albireo
