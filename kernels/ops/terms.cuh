// The operation that counts pairs and sums terms of them, each in a sum of its own: twin of src/tally/terms.rs.
#pragma once
#include "operations.cuh"
#include "ops/histogram.cuh"
#include "ops/legendre.cuh"
#include "ops/mean_separation.cuh"
#include "ops/pair_weight.cuh"
#include "ops/realisations.cuh"

namespace albireo {

// A pair as the contract sees it.
struct Pair {
    Triple d, x1, x2;
    double r2, across2;
};

// Whether terms take what the contract says of a pair, and not only its place.
__device__ __forceinline__ bool takes_measures(const DeviceJob& job) { return job.sums.coordinate || job.sums.measures; }

// What a pair adds to a sum of a kind, as SumTerms numbers them: its weight and values that are read only where the kind takes them.
__device__ __forceinline__ i64 term_of(u32 kind, double weight, double coordinate, Cosine cosine) {
    const u32 of = (kind & 255) / 2;
    const double value = of == 0 ? 1.0 : (of == 1 ? coordinate : legendre(of - 2, cosine));
    const double factor = kind & 1 ? weight : 1.0;
    // From 256 on: the second word.
    return kind & 256 ? fixed_rest(factor, value) : fixed_product(factor, value);
}

#ifdef ALBIREO_SUMS
// The value of an expression over the power of two above its bound, 0 where it is no number within that.
struct Value {
    double term;
    bool within;
};
__device__ __forceinline__ Value bounded(double value, double bound, double scale) {
    const bool within = -bound <= value && value <= bound;
    return {within ? __dmul_rn(value, scale) : 0.0, within};
}

// A number of a row. Column follows column over all rows, as words of bits do.
__device__ __forceinline__ double column_of(const DeviceSample& sample, u64 row, u32 column) { return sample.columns[row + column * sample.rows]; }
#endif

// What the terms of a pair are made of.
struct Factors {
    double weight, coordinate;
    Cosine cosine;

    __device__ __forceinline__ i64 term(const DeviceJob& job, u32 sum) const { return term_of(job.sums.kinds[sum], weight, coordinate, cosine); }
};
__device__ __forceinline__ Factors factors_of(const DeviceJob& job, u64 i, u64 j, const Pair& pair) {
    const SumTerms& sums = job.sums;
    Factors factors = {1.0, 1.0, {0.0, 0.0}};
    if (job.first.weight) factors.weight = weight_of_pair(job, i, j);
    if (sums.coordinate) factors.coordinate = scaled_coordinate(job, pair.across2);
    if (sums.measures & 1) factors.cosine = cosine_of(job, pair.d, pair.r2, pair.x1, pair.x2);
    return factors;
}

// Counts the pair of rows (i, j) in its place; it is read only where terms take measures.
__device__ __forceinline__ void add_terms(const DeviceJob& job, const Histogram& histogram, u32 place, u64 i, u64 j, const Pair& pair) {
    const SumTerms& sums = job.sums;
    const Factors factors = factors_of(job, i, j, pair);
#if ALBIREO_REALISED
    each_realisation(job, i, j, [&](u32 k) { histogram.shift_count(job, place, 1, k); });
    const auto add_to = [&](u32 sum, i64 term) {
        each_realisation(job, i, j, [&](u32 k) { histogram.shift_sum(job, sum, place, term, k); });
    };
#else
    histogram.shift_count(job, place, 1);
    const auto add_to = [&](u32 sum, i64 term) { histogram.shift_sum(job, sum, place, term); };
#endif
#ifdef ALBIREO_SUMS
    const double weight = factors.weight, coordinate = factors.coordinate;
    const Cosine cosine = factors.cosine;
    // Statements that src/engine/cuda/written.rs writes of expressions and of all that is summed, with `p` for constants.
    const double* p = sums.constants;
    ALBIREO_SUMS
#else
    for (u32 sum = 0; sum < sums.number; ++sum) add_to(sum, factors.term(job, sum));
#endif
}

#if ALBIREO_REALISED
// The same of the pairs of a warp, one a lane, of which those that do not wait are none: each lane has realisations of its own, 32 apart, and
// adds the pairs of one place at once.
__device__ __forceinline__ void add_together(const DeviceJob& job, const Histogram& histogram, bool waits, u32 place, u64 i, u64 j, const Pair& pair) {
    const u32 halves = (job.realisations + 31) / 32, lane = threadIdx.x & 31;
    // Bit l: whether the pair of lane l takes part.
    u32 members[4];
#pragma unroll
    for (u32 half = 0; half < 4; ++half) {
        members[half] = 0;
        if (half < halves) members[half] = transposed(waits ? common_half(job, i, j, half) : 0);
    }
    Factors factors = {};
    if (waits && job.sums.number) factors = factors_of(job, i, j, pair);
    u32 sum = 0;
    do {
        const i64 term = waits && job.sums.number ? factors.term(job, sum) : 0;
        for (u32 left = __ballot_sync(0xffffffffu, waits); left;) {
            const u32 at = __shfl_sync(0xffffffffu, place, __ffs(left) - 1);
            const u32 same = __ballot_sync(0xffffffffu, waits && place == at);
            left &= ~same;
            i64 own[4] = {0, 0, 0, 0};
            if (job.sums.number) {
                for (u32 rest = same; rest; rest &= rest - 1) {
                    const u32 from = __ffs(rest) - 1;
                    const i64 other = of_lane(term, from);
#pragma unroll
                    for (u32 half = 0; half < 4; ++half)
                        if (half < halves) own[half] += members[half] >> from & 1 ? other : 0;
                }
            }
#pragma unroll
            for (u32 half = 0; half < 4; ++half) {
                const u32 pairs = __popc(members[half] & same);
                if (!pairs) continue;
                if (sum == 0) histogram.shift_count(job, at, pairs, 32 * half + lane);
                if (job.sums.number) histogram.shift_sum(job, sum, at, own[half], 32 * half + lane);
            }
        }
    } while (++sum < job.sums.number);
}
#endif

}  // namespace albireo
