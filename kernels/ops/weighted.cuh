// The operation that counts pairs and sums their fixed-point weight products: twin of src/ops/weighted.rs.
#pragma once
#include "ops/histogram.cuh"

namespace albireo {

// Counts one pair in its place.
__device__ __forceinline__ void tally(const DeviceJob& job, const Histogram& histogram, u32 place, double u1, double u2) {
    histogram.shift_count(job, place, 1);
    histogram.shift_sum(job, 0, place, fixed_product(u1, u2));
}

// Counts N pairs where the filter puts them, those of no bin in a place of their lane's own: that is cheaper than a branch. All low
// words go first, so that no sum waits for the answer of another.
template <int N>
__device__ __forceinline__ void tally_guesses(const DeviceJob& job, const Histogram& histogram, const Guess (&guess)[N], double u1,
                                              const double (&u2)[N]) {
#if ALBIREO_HISTOGRAM != 1
    u32 at[N], old[N];
    double q[N];
#pragma unroll
    for (int k = 0; k < N; ++k) {
        at[k] = guess[k].counted ? histogram.address(guess[k]) : histogram.aside;
        q[k] = shifted_product(u1, u2[k]);
        old[k] = add_shared(histogram.low(at[k]), low_word(q[k]));
    }
#pragma unroll
    for (int k = 0; k < N; ++k) {
        tally_shared(at[k]);
        add_shared(histogram.high(at[k]), add_with_carry(old[k], low_word(q[k]), high_word(q[k]), 0u - SHIFTED));
    }
#else
    for (int k = 0; k < N; ++k) {
        if (guess[k].counted) tally(job, histogram, guess[k].raw + job.places.bias, u1, u2[k]);
    }
#endif
}

// Takes a pair out of one place and into another.
__device__ __forceinline__ void retally(const DeviceJob& job, const Histogram& histogram, u32 from, u32 to, double u1, double u2) {
    const i64 q = fixed_product(u1, u2);
    histogram.shift_count(job, from, -1);
    histogram.shift_sum(job, 0, from, -q);
    histogram.shift_count(job, to, 1);
    histogram.shift_sum(job, 0, to, q);
}

}  // namespace albireo
