// The coordinate of a pair across, below 1: what sums of separations are sums of. It is that of the contract to the last bit.
#pragma once
#include "binning/edges.cuh"

namespace albireo {

// The arc sine of x in [0, 1], operation for operation that of the host (FreeBSD's e_asin.c): the compiler contracts nothing.
__device__ __forceinline__ double arc_sine_ratio(double z) {
    const double p =
        z * (1.66666666666666657415e-01 +
             z * (-3.25565818622400915405e-01 +
                  z * (2.01212532134862925881e-01 +
                       z * (-4.00555345006794114027e-02 + z * (7.91534994289814532176e-04 + z * 3.47933107596021167570e-05)))));
    const double q = 1.0 + z * (-2.40339491173441421878e+00 +
                                z * (2.02094576023350569471e+00 + z * (-6.88283971605453293030e-01 + z * 7.70381505559019352791e-02)));
    return __ddiv_rn(p, q);
}
__device__ __forceinline__ double arc_sine(double x) {
    const double right = 1.57079632679489655800e+00, rest = 6.12323399573676603587e-17;
    if (x >= 1.0) return right;
    if (x < 0.5) return x < 1.4901161193847656e-08 ? x : x + x * arc_sine_ratio(x * x);
    const double z = (1.0 - x) * 0.5, s = __dsqrt_rn(z), r = arc_sine_ratio(z);
    // From here on by the high word alone, as on the host.
    if (high_word(x) >= 0x3fef3333u) return right - (2.0 * (s + s * r) - rest);
    const double f = __longlong_as_double(__double_as_longlong(s) & (i64)0xffffffff00000000ULL);
    const double c = __ddiv_rn(z - f * f, s + f);
    return 0.5 * right - (2.0 * s * r - (rest - 2.0 * c) - (0.5 * right - 2.0 * f));
}

// The coordinate whose square is `across2`, in degrees where that is a chord, over the power of two above its limit.
__device__ __forceinline__ double scaled_coordinate(const DeviceJob& job, double across2) {
    double c = __dsqrt_rn(across2);
    if (job.sums.coordinate == 2) {
        const double half = c / 2.0;
        c = 2.0 * arc_sine(half < 1.0 ? half : 1.0) * (180.0 / 3.14159265358979323846);
    }
    return __dmul_rn(c, job.sums.coordinate_scale);
}

}  // namespace albireo
