// Bins across (rp) and along (pi) the line of sight, pi varying fastest: twin of src/binning/rp_pi.rs.
#pragma once
#include "binning/line_of_sight.cuh"

namespace albireo {

__device__ __forceinline__ u32 exact_place(const DeviceJob& job, Triple d, double r2, Triple x1, Triple x2, u32 guess, double& across2) {
    Projection p = project(job, d, x1, x2);
    double rp2, pi2 = p.dl2;
    bool negative = p.negative;
    if (fixed_sight(job)) {
        double a = job.sight.kind == 0 ? d.y : d.x;
        double b = job.sight.kind == 2 ? d.y : d.z;
        rp2 = __dadd_rn(__dmul_rn(a, a), __dmul_rn(b, b));
    } else if (r2 == 0.0 || p.l2 == 0.0) {
        rp2 = r2;
        pi2 = 0.0;
        negative = false;
    } else {
        pi2 = __ddiv_rn(p.dl2, p.l2);
        rp2 = __dsub_rn(r2, pi2);
        rp2 = rp2 > 0.0 ? rp2 : 0.0;
    }
    across2 = rp2;
    u32 rp = edges_at_or_below(job.across, rp2, guess);
    if (rp == 0 || rp > job.across.bins) return job.places.zero;
    u32 slot = signed_edges_reached(job.along, negative, pi2, 1.0);
    if (slot == 0 || slot > job.along.bins) return job.places.zero;
    return place_of(job, rp, slot);
}

__device__ __forceinline__ Guess filter_bin(const DeviceJob& job, const uint2* table, Near d, Near a, Near b, Near centre) {
#if ALBIREO_SIGHT == 0
    float pi = d.z;
    float rp2 = __fmaf_rn(d.y, d.y, __fmul_rn(d.x, d.x));
    bool doubt = false, in_reach = true;
#else
    Near l = sight(job, a, b, centre);
    float l2 = near_dot(l, l), r2 = near_dot(d, d);
    // Where the line of sight vanishes this is no number, which the clamps below turn into one.
    float pi = __fmul_rn(near_dot(d, l), inverse_root(l2));
    float rp2 = fmaxf(__fmaf_rn(-pi, pi, r2), 0.0f);
    bool doubt = l2 < job.filter.sight_floor2, in_reach = r2 <= job.filter.reach2;
#endif
    Guess r = across_slot(job.across, table, root(rp2), rp2);
    Guess p = along_slot(job.along, fmaxf(fminf(along_value(job, pi), job.along.high), job.along.low));
    bool counted = in_reach && r.counted;
    // Place 0 is in no bin.
    u32 raw = in_reach ? r.raw * job.places.stride + p.raw : 0u - job.places.bias;
    return {raw, in_reach && (doubt || r.doubt || (r.counted && p.doubt)), counted};
}

}  // namespace albireo
