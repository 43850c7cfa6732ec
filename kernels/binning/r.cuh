// Bins in the separation r, and in the angle as chords between unit vectors: twin of src/binning/r.rs and theta.rs.
#pragma once
#include "binning/line_of_sight.cuh"

namespace albireo {

__device__ __forceinline__ u32 exact_place(const DeviceJob& job, Triple, double r2, Triple, Triple, u32 guess, double& across2) {
    u32 slot = edges_at_or_below(job.across, r2, guess);
    across2 = r2;
    return place_of(job, slot > job.across.bins ? 0 : slot, 0);
}

__device__ __forceinline__ Guess filter_bin(const DeviceJob& job, const uint2* table, Near d, Near, Near, Near) {
    float r2 = near_dot(d, d);
    return across_slot(job.across, table, root(r2), r2);
}

}  // namespace albireo
