// The operation that counts pairs and sums terms of them, each in a sum of its own: twin of src/tally/terms.rs.
#pragma once
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
__device__ __forceinline__ bool takes_measures(const DeviceJob& job) { return job.sums.coordinate || job.sums.legendre; }

// Counts the pair of rows (i, j) in its place; it is read only where terms take measures.
__device__ __forceinline__ void add_terms(const DeviceJob& job, const Histogram& histogram, u32 place, u64 i, u64 j, const Pair& pair) {
    const SumTerms& sums = job.sums;
    const double weight = job.first.weight ? weight_of_pair(job, i, j) : 1.0;
    const double coordinate = sums.coordinate ? scaled_coordinate(job, pair.across2) : 1.0;
    Cosine cosine = {0.0, 0.0};
    if (sums.legendre) cosine = cosine_of(job, pair.d, pair.r2, pair.x1, pair.x2);
    histogram.shift_count(job, place, 1);
    for (u32 sum = 0; sum < sums.number; ++sum) {
        const u32 kind = (sums.kinds[sum] & 255) / 2;
        const double value = kind == 0 ? 1.0 : (kind == 1 ? coordinate : legendre(kind - 2, cosine));
        const double factor = sums.kinds[sum] & 1 ? weight : 1.0;
        // From 256 on: the second word.
        histogram.shift_sum(job, sum, place, sums.kinds[sum] & 256 ? fixed_rest(factor, value) : fixed_product(factor, value));
    }
}

}  // namespace albireo
