// The projection of a pair on its line of sight: exact (twin of LineOfSight::project) and float32.
// ALBIREO_SIGHT: 0, 1, 2 a fixed axis; 3 midpoint; 4 first point; 5 end point.
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

__device__ __forceinline__ Projection project(Triple d, Triple x1, Triple x2) {
#if ALBIREO_SIGHT <= 2
    double along = ALBIREO_SIGHT == 0 ? d.x : (ALBIREO_SIGHT == 1 ? d.y : d.z);
    return {__dmul_rn(along, along), 1.0, along < 0.0};
#else
    Triple l = ALBIREO_SIGHT == 3 ? sum(x1, x2) : (ALBIREO_SIGHT == 4 ? x1 : x2);
    double dl = dot(d, l);
    return {__dmul_rn(dl, dl), dot(l, l), dl < 0.0};
#endif
}

// d along a fixed axis, and the sum of the squares of the other two.
__device__ __forceinline__ float along_axis(Near d) {
    return ALBIREO_SIGHT == 0 ? d.x : (ALBIREO_SIGHT == 1 ? d.y : d.z);
}
__device__ __forceinline__ float across_axis2(Near d) {
    float a = ALBIREO_SIGHT == 0 ? d.y : d.x;
    float b = ALBIREO_SIGHT == 2 ? d.y : d.z;
    return __fmaf_rn(b, b, __fmul_rn(a, a));
}

__device__ __forceinline__ float near_dot(Near a, Near b) {
    return __fmaf_rn(a.z, b.z, __fmaf_rn(a.y, b.y, __fmul_rn(a.x, b.x)));
}

// The line of sight of a pair; `centre` is the tile's centre as seen by the observer.
__device__ __forceinline__ Near sight(Near a, Near b, Near centre) {
#if ALBIREO_SIGHT == 3
    return {__fadd_rn(__fmaf_rn(2.0f, centre.x, a.x), b.x), __fadd_rn(__fmaf_rn(2.0f, centre.y, a.y), b.y),
            __fadd_rn(__fmaf_rn(2.0f, centre.z, a.z), b.z)};
#else
    Near p = ALBIREO_SIGHT == 4 ? a : b;
    return {__fadd_rn(centre.x, p.x), __fadd_rn(centre.y, p.y), __fadd_rn(centre.z, p.z)};
#endif
}

}  // namespace albireo
