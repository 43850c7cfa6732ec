// Bins in (s, mu), mu varying fastest: twin of src/binning/s_mu.rs.
#pragma once
#include "binning/line_of_sight.cuh"

namespace albireo {

__device__ __forceinline__ u32 exact_bin(const Job& job, Triple d, double r2, Triple x1, Triple x2, u32 guess) {
    u32 s = edges_at_or_below(job.across, r2, guess);
    if (s == 0 || s > job.across.bins) return 0;
    const Axis& mu = job.along;
    Projection p = project(d, x1, x2);
    u32 slot;
    if (r2 == 0.0 || p.l2 == 0.0) {
        slot = signed_edges_at_or_below(mu, false, 0.0, 1.0);
    } else {
        double scale = ALBIREO_SIGHT <= 2 ? r2 : __dmul_rn(r2, p.l2);
        slot = signed_edges_at_or_below(mu, p.negative, p.dl2, scale);
        if (slot == mu.bins + 1 && mu.closed_high) slot = mu.bins;
        if (slot == 0 && mu.closed_low) slot = 1;
    }
    if (slot == 0 || slot > mu.bins) return 0;
    return (s - 1) * mu.bins + slot;
}

__device__ __forceinline__ Guess filter_bin(const Job& job, const uint2* table, Near d, Near a, Near b, Near centre) {
    float r2 = near_dot(d, d);
    Guess s = across_slot(job.across, table, r2);
#if ALBIREO_SIGHT <= 2
    float mu = __fmul_rn(along_axis(d), inverse_root(r2));
    bool doubt = r2 < job.floor2;
#else
    Near l = sight(a, b, centre);
    float l2 = near_dot(l, l);
    float mu = __fmul_rn(near_dot(d, l), inverse_root(__fmul_rn(r2, l2)));
    bool doubt = r2 < job.floor2 || l2 < job.sight_floor2;
#endif
    Guess m = along_slot(job.along, mu);
    bool inside = s.slot - 1 < job.across.bins;
    bool counted = inside && m.slot - 1 < job.along.bins;
    u32 slot = (s.slot - 1) * job.along.bins + m.slot;
    return {counted ? slot : 0, s.doubt || (inside && (m.doubt || doubt))};
}

__device__ __forceinline__ u32 across_guess(const Job& job, u32 slot) {
    return slot == 0 ? job.across.bins + 1 : (slot - 1) / job.along.bins + 1;
}

}  // namespace albireo
