// The projection of a pair on its line of sight: exact (twin of LineOfSight::project) and float32.
// ALBIREO_SIGHT: 0 a fixed axis, which float32 coordinates hold last; 1 from the observer to some place between the two points.
#pragma once
#include "binning/edges.cuh"

namespace albireo {

// A point near the tile, in scaled lengths from the tile's centre.
struct Near {
    float x, y, z;
};

struct Projection {
    double dl2, l2;
    bool negative;
};

__device__ __forceinline__ bool fixed_sight(const DeviceJob& job) { return job.sight.kind <= 2; }

__device__ __forceinline__ Projection project(const DeviceJob& job, Triple d, Triple x1, Triple x2) {
    if (fixed_sight(job)) {
        double along = job.sight.kind == 0 ? d.x : (job.sight.kind == 1 ? d.y : d.z);
        return {__dmul_rn(along, along), 1.0, along < 0.0};
    }
    Triple l = job.sight.kind == 3 ? sum(x1, x2) : (job.sight.kind == 4 ? x1 : x2);
    double dl = dot(d, l);
    return {__dmul_rn(dl, dl), dot(l, l), dl < 0.0};
}

// Float32 coordinates with the fixed line of sight in the last place.
template <class Held>
__device__ __forceinline__ Held sight_last(const DeviceJob& job, Held p) {
#if ALBIREO_BINNING != 0 && ALBIREO_SIGHT == 0
    if (job.sight.kind == 0) return {p.z, p.y, p.x, p.unused};
    if (job.sight.kind == 1) return {p.x, p.z, p.y, p.unused};
#endif
    return p;
}

__device__ __forceinline__ float near_dot(Near a, Near b) {
    return __fmaf_rn(a.z, b.z, __fmaf_rn(a.y, b.y, __fmul_rn(a.x, b.x)));
}

// `centre`, a place seen by the observer, as much as a line of sight takes of it.
__device__ __forceinline__ Near sight_centre(const DeviceJob& job, const double (&centre)[3]) {
    const double scale = job.grid.unit * (job.sight.kind == 3 ? 2.0 : 1.0);
    return {(float)(centre[0] * scale), (float)(centre[1] * scale), (float)(centre[2] * scale)};
}

// The line of sight of a pair. What it takes of a point is 0 or 1, so that the products are exact.
__device__ __forceinline__ Near sight(const DeviceJob& job, Near a, Near b, Near centre) {
    const float first = job.sight.of_first, second = job.sight.of_second;
    return {__fmaf_rn(second, b.x, __fmaf_rn(first, a.x, centre.x)), __fmaf_rn(second, b.y, __fmaf_rn(first, a.y, centre.y)),
            __fmaf_rn(second, b.z, __fmaf_rn(first, a.z, centre.z))};
}

// |value| where only the distance along the line of sight counts. Along a fixed axis the compiler knows, and the sign costs nothing.
__device__ __forceinline__ float along_value(const DeviceJob& job, float value) {
#if ALBIREO_SIGHT == 0 && !ALBIREO_TERMS
    return ALBIREO_SIGNED ? value : fabsf(value);
#else
    return __uint_as_float(__float_as_uint(value) & job.sight.sign_kept);
#endif
}

}  // namespace albireo
