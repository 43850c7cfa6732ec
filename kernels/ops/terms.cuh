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

// The value of an expression over the power of two above its bound, 0 where it is no number within that.
struct Value {
    double term;
    bool within;
};
__device__ __forceinline__ Value bounded(double value, double bound, double scale) {
    const bool within = fabs(value) <= bound;
    return {within ? __dmul_rn(value, scale) : 0.0, within};
}

// Columns of a row that are taken. Column follows column over all rows, as words of bits do.
template <int N>
struct Columns {
    double column[N > 0 ? N : 1];

    __device__ __forceinline__ Columns(const DeviceSample& sample, u64 row) {
#pragma unroll
        for (int k = 0; k < N; ++k) column[k] = sample.columns[row + k * sample.rows];
    }
};

// What terms take of the two rows of a pair: loaded before the pair is measured, so that no load waits for another.
struct RowTerms {
    double product;  // of both weights
    Columns<ALBIREO_COLUMNS_FIRST> first;
    Columns<ALBIREO_COLUMNS_SECOND> second;

    __device__ __forceinline__ RowTerms(const DeviceJob& job, u64 i, u64 j)
        : product(job.first.weight ? __dmul_rn(job.first.weight[i], job.second.weight[j]) : 1.0), first(job.first, i), second(job.second, j) {}
};

// What the terms of a pair are made of.
struct Factors {
    double weight, coordinate;
    Cosine cosine;

    __device__ __forceinline__ Factors(const DeviceJob& job, u64 i, u64 j, const Pair& pair, const RowTerms& rows)
        : weight(rows.product), coordinate(1.0), cosine{0.0, 0.0} {
        const SumTerms& sums = job.sums;
        if (sums.words | sums.n_angles) weight = weight_of_pair(job, i, j, rows.product);
        if (sums.coordinate) coordinate = scaled_coordinate(job, pair.across2);
        if (sums.measures & 1) cosine = cosine_of(job, pair.d, pair.r2, pair.x1, pair.x2);
    }
};

// Makes the terms of a pair and gives them to `add_to` sum by sum, those that are 0 or 1 to `count_in`: by statements that
// src/engine/cuda/written.rs writes of all that is summed, with `p` for constants.
template <class Add, class Count>
__device__ __forceinline__ void make_terms(const DeviceJob& job, const Factors& factors, const Pair& pair, const RowTerms& rows, Add add_to,
                                           Count count_in) {
    const double *p = job.sums.constants, weight = factors.weight, coordinate = factors.coordinate;
    const Cosine cosine = factors.cosine;
    (void)p, (void)weight, (void)coordinate, (void)cosine, (void)pair, (void)rows, (void)add_to, (void)count_in;
    ALBIREO_SUMS
}

// Counts the pair of rows (i, j) in its place; it is read only where terms take measures.
__device__ __forceinline__ void add_terms(const DeviceJob& job, const Histogram& histogram, u32 place, u64 i, u64 j, const Pair& pair,
                                          const RowTerms& rows) {
    const auto add = [&](u32 sum, i64 term) {
#if ALBIREO_REALISED
        each_realisation(job, i, j, [&](u32 k) { histogram.shift_sum(job, sum, place, term, k); });
#else
        histogram.shift_sum(job, sum, place, term);
#endif
    };
#if ALBIREO_REALISED
    each_realisation(job, i, j, [&](u32 k) { histogram.shift_count(job, place, 1, k); });
#else
    histogram.shift_count(job, place, 1);
#endif
    make_terms(job, Factors(job, i, j, pair, rows), pair, rows, add, [&](u32 sum, bool is) {
        if (is) add(sum, 1);
    });
}

#if ALBIREO_REALISED
// The same of the pairs of a warp, one a lane, of which those that do not wait are none: each lane has realisations of its own, 32 apart, and
// adds the pairs of one place at once.
__device__ __forceinline__ void add_together(const DeviceJob& job, const Histogram& histogram, bool waits, u32 place, u64 i, u64 j, const Pair& pair,
                                             const RowTerms& rows) {
    const u32 halves = (job.realisations + 31) / 32, lane = threadIdx.x & 31;
    // Bit l: whether the pair of lane l takes part.
    u32 members[4];
#pragma unroll
    for (u32 half = 0; half < 4; ++half) {
        members[half] = 0;
        if (half < halves) members[half] = transposed(waits ? common_half(job, i, j, half) : 0);
    }
    // Calls `add` with each place, the lanes of its pairs, and a realisation of this lane with those of them that take part.
    const auto each_place = [&](auto add) {
        for (u32 left = __ballot_sync(0xffffffffu, waits); left;) {
            const u32 at = __shfl_sync(0xffffffffu, place, __ffs(left) - 1);
            const u32 same = __ballot_sync(0xffffffffu, waits && place == at);
            left &= ~same;
            add(at, same);
        }
    };
    each_place([&](u32 at, u32 same) {
#pragma unroll
        for (u32 half = 0; half < 4; ++half) {
            const u32 pairs = __popc(members[half] & same);
            if (pairs) histogram.shift_count(job, at, pairs, 32 * half + lane);
        }
    });
    const auto add = [&](u32 sum, i64 term) {
        each_place([&](u32 at, u32 same) {
            i64 own[4] = {0, 0, 0, 0};
            for (u32 rest = same; rest; rest &= rest - 1) {
                const u32 from = __ffs(rest) - 1;
                const i64 other = of_lane(term, from);
#pragma unroll
                for (u32 half = 0; half < 4; ++half)
                    if (half < halves) own[half] += members[half] >> from & 1 ? other : 0;
            }
#pragma unroll
            for (u32 half = 0; half < 4; ++half)
                if (members[half] & same) histogram.shift_sum(job, sum, at, own[half], 32 * half + lane);
        });
    };
    make_terms(job, Factors(job, i, j, pair, rows), pair, rows, add, [&](u32 sum, bool is) {
        if (__any_sync(0xffffffffu, waits && is)) add(sum, is);
    });
}
#endif

}  // namespace albireo
