// The operation that counts pairs and sums terms of them, each in a sum of its own: twin of src/tally/terms.rs.
#pragma once
#include "operations.cuh"
#include "ops/histogram.cuh"
#include "ops/legendre.cuh"
#include "ops/mean_separation.cuh"
#include "ops/pair_weight.cuh"

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

// Counts the pair of rows (i, j) in its place; it is read only where terms take measures.
__device__ __forceinline__ void add_terms(const DeviceJob& job, const Histogram& histogram, u32 place, u64 i, u64 j, const Pair& pair) {
    const SumTerms& sums = job.sums;
    const double weight = job.first.weight ? weight_of_pair(job, i, j) : 1.0;
    const double coordinate = sums.coordinate ? scaled_coordinate(job, pair.across2) : 1.0;
    Cosine cosine = {0.0, 0.0};
    if (sums.measures & 1) cosine = cosine_of(job, pair.d, pair.r2, pair.x1, pair.x2);
    histogram.shift_count(job, place, 1);
    const auto add_to = [&](u32 sum, i64 term) { histogram.shift_sum(job, sum, place, term); };
#ifdef ALBIREO_SUMS
    // Statements that src/engine/cuda/written.rs writes of expressions and of all that is summed, with `p` for constants.
    const double* p = sums.constants;
    ALBIREO_SUMS
#else
    for (u32 sum = 0; sum < sums.number; ++sum) add_to(sum, term_of(sums.kinds[sum], weight, coordinate, cosine));
#endif
}

}  // namespace albireo
