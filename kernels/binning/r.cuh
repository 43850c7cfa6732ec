// Bins in the separation r, and in the angle as chords between unit vectors: twin of src/binning/r.rs and theta.rs.
#pragma once
#include "binning/line_of_sight.cuh"

namespace albireo {

__device__ __forceinline__ u32 exact_bin(const Job& job, Triple, double r2, Triple, Triple, u32 guess) {
    u32 slot = edges_at_or_below(job.across, r2, guess);
    return slot > job.across.bins ? 0 : slot;
}

// The filter counts pairs beyond the last edge in slot bins + 1, which no one reads.
__device__ __forceinline__ Guess filter_bin(const Job& job, const uint2* table, Near d, Near, Near, Near) {
    return across_slot(job.across, table, near_dot(d, d));
}

__device__ __forceinline__ u32 across_guess(const Job&, u32 slot) { return slot; }

}  // namespace albireo
