// Normal random numbers by their index: the operations of crates/dynamics/src/normal.rs, one by one. Nothing is contracted (see the options of
// the compiler), so that plain operators round as they do there.
#pragma once
#include "device.cuh"

namespace albireo {

__device__ __forceinline__ u64 scramble(u64 state) {
    u64 h = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
    return h ^ (h >> 31);
}

// Number `index` in [0, 1) of the sequence that begins at `start`.
__device__ __forceinline__ double uniform(u64 start, u64 index) {
    return (double)(i64)(scramble(start + (index + 1) * 0x9e3779b97f4a7c15ull) >> 11) / 9007199254740992.0;
}

__device__ __forceinline__ double logarithm(double x) {
    const u64 bits = (u64)__double_as_longlong(x);
    double power = (double)((i64)(bits >> 52) - 1023);
    double m = __longlong_as_double((i64)((bits & ((1ull << 52) - 1)) | 1023ull << 52));
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        power += 1.0;
    }
    const double z = (m - 1.0) / (m + 1.0), z2 = z * z;
    double sum = 1.0 / 21.0;
#pragma unroll
    for (int odd = 19; odd > 0; odd -= 2) sum = sum * z2 + 1.0 / (double)odd;
    return power * 0.693147180559945309417 + (2.0 * z) * sum;
}

// 1 + a2 (c0 + a2 (c1 + ..)).
__device__ __forceinline__ double series(const double (&terms)[8], double a2) {
    double sum = 0.0;
#pragma unroll
    for (int k = 7; k >= 0; --k) sum = sum * a2 + terms[k];
    return 1.0 + a2 * sum;
}

// Cosine and sine of a part of a turn.
__device__ __forceinline__ void circle(double turn, double& x, double& y) {
    const double even[8] = {-1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3628800.0, 1.0 / 479001600.0, -1.0 / 87178291200.0,
                            1.0 / 20922789888000.0};
    const double odd[8] = {-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0, -1.0 / 39916800.0, 1.0 / 6227020800.0,
                           -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
    const int quarter = (int)(4.0 * turn + 0.5);
    const double a = (turn - (double)quarter * 0.25) * 6.28318530717958647693, a2 = a * a;
    const double cosine = series(even, a2), sine = a * series(odd, a2);
    const int side = quarter & 3;
    x = side == 0 ? cosine : side == 1 ? -sine : side == 2 ? -cosine : sine;
    y = side == 0 ? sine : side == 1 ? cosine : side == 2 ? -sine : -cosine;
}

__device__ __forceinline__ void normal_pair(u64 start, u64 index, double& x, double& y) {
    const double radius = __dsqrt_rn(-2.0 * logarithm(1.0 - uniform(start, index)));
    circle(uniform(start, index + 1), x, y);
    x = radius * x;
    y = radius * y;
}

__device__ __forceinline__ void normal(u64 start, u64 index, double (&numbers)[3]) {
    double unused;
    normal_pair(start, 4 * index, numbers[0], numbers[1]);
    normal_pair(start, 4 * index + 2, numbers[2], unused);
}

}  // namespace albireo
