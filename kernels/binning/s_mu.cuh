// Bins in (s, mu), mu varying fastest: twin of src/binning/s_mu.rs.
#pragma once
#include "binning/line_of_sight.cuh"

namespace albireo {

__device__ __forceinline__ u32 exact_place(const DeviceJob& job, Triple d, double r2, Triple x1, Triple x2, u32 guess, double& across2) {
    u32 s = edges_at_or_below(job.across, r2, guess);
    across2 = r2;
    if (s == 0 || s > job.across.bins) return job.places.zero;
    const DeviceAxis& mu = job.along;
    Projection p = project(job, d, x1, x2);
    u32 slot;
    if (r2 == 0.0 || p.l2 == 0.0) {
        slot = signed_edges_reached(mu, false, 0.0, 1.0);
    } else {
        // Along a fixed axis l2 is 1, and the product r2 itself.
        slot = signed_edges_reached(mu, p.negative, p.dl2, __dmul_rn(r2, p.l2));
        if (slot == mu.bins + 1 && mu.closed_high) slot = mu.bins;
        if (slot == 0 && mu.closed_low) slot = 1;
    }
    if (slot == 0 || slot > mu.bins) return job.places.zero;
    return place_of(job, s, slot);
}

__device__ __forceinline__ Guess filter_bin(const DeviceJob& job, const uint2* table, Near d, Near a, Near b, Near centre) {
    // The start of the sum keeps the root's inverse finite.
    const float tiny = 1e-30f;
    float r2 = __fmaf_rn(d.z, d.z, __fmaf_rn(d.y, d.y, __fmaf_rn(d.x, d.x, tiny)));
#if ALBIREO_SIGHT == 0
    float inverse = inverse_root(r2);
    float s_value = __fmul_rn(r2, inverse);
    float mu = __fmul_rn(d.z, inverse);
    Guess m = cosine_slot(job, along_value(job, mu), inverse);
#else
    float s_value = root(r2);
    Near l = sight(job, a, b, centre);
    float l2 = near_dot(l, l);
    float mu = __fmul_rn(near_dot(d, l), inverse_root(__fmaf_rn(r2, l2, tiny)));
    Guess m = along_slot(job.along, along_value(job, mu));
    m.doubt = m.doubt || r2 < job.filter.floor2 || l2 < job.filter.sight_floor2;
#endif
    Guess s = across_slot(job.across, table, s_value, r2);
    return {s.raw * job.places.stride + m.raw, s.doubt || (s.counted && m.doubt), s.counted};
}

}  // namespace albireo
