// Legendre polynomials of the cosine between a pair and its line of sight: twin of src/tally/legendre.rs, operation for operation: the
// compiler contracts nothing.
#pragma once
#include "binning/line_of_sight.cuh"

namespace albireo {

// The square of the cosine, at most 1 and 0 where there is no direction, and the cosine: twin of LineOfSight::cosine2.
struct Cosine {
    double square, mu;
};

__device__ __forceinline__ Cosine cosine_of(const DeviceJob& job, Triple d, double r2, Triple x1, Triple x2) {
    const Projection p = project(job, d, x1, x2);
    if (r2 == 0.0 || p.l2 == 0.0) return {0.0, 0.0};
    // Along a fixed axis l2 is 1, and the product r2 itself.
    const double m = __ddiv_rn(p.dl2, __dmul_rn(r2, p.l2));
    const double square = m < 1.0 ? m : 1.0, mu = __dsqrt_rn(square);
    return {square, p.negative ? -mu : mu};
}

__device__ __forceinline__ double legendre(u32 degree, Cosine cosine) {
    const double m = cosine.square, mu = cosine.mu;
    switch (degree) {
        case 0: return 1.0;
        case 1: return mu;
        case 2: return (3.0 * m - 1.0) * 0.5;
        case 3: return ((5.0 * m - 3.0) * 0.5) * mu;
        case 4: return ((35.0 * m - 30.0) * m + 3.0) * 0.125;
        case 5: return (((63.0 * m - 70.0) * m + 15.0) * 0.125) * mu;
        case 6: return (((231.0 * m - 315.0) * m + 105.0) * m - 5.0) * 0.0625;
        case 7: return ((((429.0 * m - 693.0) * m + 315.0) * m - 35.0) * 0.0625) * mu;
        default: return ((((6435.0 * m - 12012.0) * m + 6930.0) * m - 1260.0) * m + 35.0) * 0.0078125;
    }
}

}  // namespace albireo
