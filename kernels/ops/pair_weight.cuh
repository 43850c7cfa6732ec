// What the product of two weights is multiplied by: twin of src/tally/pair_weight/factor.rs.
#pragma once
#include "separation.cuh"

namespace albireo {

// The inverse probability of a pair by the bits that both rows have set. Word follows word over all rows, so that the lanes of a warp, whose
// rows lie close together, read what lies together.
__device__ __forceinline__ double factor_by_bits(const DeviceJob& job, u64 i, u64 j) {
    const SumTerms& sums = job.sums;
    const u64 *a = job.first.bits + i, *b = job.second.bits + j;
    u32 common = 0;
#pragma unroll 4
    for (u32 word = 0; word < sums.words; ++word, a += job.first.rows, b += job.second.rows) common += (u32)__popcll(*a & *b);
    const double p = sums.inverse[common];
    if (!sums.counter_width) return p;
    const u64 of_first = job.first.set[i] - sums.counter_low, of_second = job.second.set[j] - sums.counter_low;
    return __dmul_rn(p, sums.counter[of_first * sums.counter_width + of_second]);
}

__device__ __forceinline__ Triple direction_of(const DeviceSample& sample, u64 row) {
    const double* x = sample.directions + row;
    return {x[0], x[sample.rows], x[2 * sample.rows]};
}

// The factor of a pair by the angle between its directions.
__device__ __forceinline__ double factor_by_angle(const DeviceJob& job, u64 i, u64 j) {
    const SumTerms& sums = job.sums;
    const Triple d = difference(direction_of(job.first, i), direction_of(job.second, j));
    const double chord2 = dot(d, d);
    // Most pairs lie beyond the last angle.
    if (chord2 < sums.angles[0] || chord2 >= sums.angles[3 * (sums.n_angles - 1)]) return sums.outside;
    u32 low = 1, high = sums.n_angles;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (sums.angles[3 * middle] <= chord2) low = middle + 1;
        else high = middle;
    }
    const double* piece = sums.angles + 3 * (low - 1);
    return __dadd_rn(piece[1], __dmul_rn(__dsub_rn(chord2, piece[0]), piece[2]));
}

// The weight of a pair whose weights have a product: ((u1*u2)*p)*g, factors that there are not left out.
__device__ __forceinline__ double weight_of_pair(const DeviceJob& job, u64 i, u64 j, double product) {
    double weight = product;
    if (job.sums.words) weight = __dmul_rn(weight, factor_by_bits(job, i, j));
    if (job.sums.n_angles) weight = __dmul_rn(weight, factor_by_angle(job, i, j));
    return weight;
}

}  // namespace albireo
