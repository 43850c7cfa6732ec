// Sums per target: the operations that terms are made of, the term itself, and what its sources are found by.
// ALBIREO_TERM holds the statements of a term; they are written from its definition in src/field/profile.rs. Every operation rounds as it
// does there, and none is fused, so that all engines have the same bits.
#pragma once
#include "structs.cuh"

namespace albireo {

__device__ __forceinline__ double add(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ double subtract(double a, double b) { return __dsub_rn(a, b); }
__device__ __forceinline__ double multiply(double a, double b) { return __dmul_rn(a, b); }
__device__ __forceinline__ double greater(double a, double b) { return a > b ? a : b; }
// The greater of a number that is not -0 and 0, by the sign alone: units for integers have time to spare.
__device__ __forceinline__ double positive(double a) {
    const i64 bits = __double_as_longlong(a);
    return __longlong_as_double(bits & ~(bits >> 63));
}
__device__ __forceinline__ double where_less(double a, double b, double value) { return a < b ? value : 0.0; }
__device__ __forceinline__ double inverse_root_seed(double a) {
    return __longlong_as_double(0x5fe6eb50c7b537a9ll - (i64)((u64)__double_as_longlong(a) >> 1));
}

// Of polynomials numbered up to `last`, that whose number is nearest to x, at the distance of x from it, by Horner's rule.
template <int N>
__device__ __forceinline__ double piece(const double* table, double last, double x) {
    const double whole = subtract(add(x, 6755399441055744.0), 6755399441055744.0);
    const double rest = subtract(x, whole);
    // Below 0 is 0, and what is beyond the last is of pairs out of reach.
    const double* own = table + N * (u64)(whole > 0.0 ? (whole < last ? whole : last) : 0.0);
    double sum = own[N - 1];
    #pragma unroll
    for (int k = N - 2; k >= 0; --k) sum = add(multiply(sum, rest), own[k]);
    return sum;
}

// The term of a source of strength 1, of its constants, what it looks up and the squared separation.
__device__ __forceinline__ double term(const double* p, const double* t, double r2) { ALBIREO_TERM }

// The bits of 1.5 * 2^52. Its sum with a number below 2^51 rounds that to an integer, ties to even, and leaves the integer in the low bits.
static const u64 ROUNDING_BITS = 0x4338000000000000ull;

// A term of a strength in fixed point, with ROUNDING_BITS added.
__device__ __forceinline__ u64 rounded(double strength, double value) {
    return (u64)__double_as_longlong(__dadd_rn(__dmul_rn(strength, value), 6755399441055744.0));
}

// The component source - target along an axis of the frame.
__device__ __forceinline__ double along(double unit, u64 source, u64 target) { return __dmul_rn((double)(i64)(source - target), unit); }

__device__ __forceinline__ double square_along(double unit, u64 source, u64 target) {
    const double d = along(unit, source, target);
    return __dmul_rn(d, d);
}

// Runs of sources in the cells near a tile or a target: for each axis (first cell, number of cells), after the last cell comes the first.
// Along the third axis cells lie side by side: one run, or two where it wraps.
struct Runs {
    uint2 x, y, z;
    u32 at, parts, number;

    __device__ __forceinline__ Runs(const DeviceField& job, uint2 x, uint2 y, uint2 z) : x(x), y(y), z(z), at(0) {
        parts = z.x + z.y > job.n_cells[2] ? 2 : 1;
        number = x.y * y.y * parts;
    }

    // The rows of the next run that holds any.
    __device__ __forceinline__ bool next(const DeviceField& job, u32& begin, u32& end) {
        while (at < number) {
            const u32 column = at / parts, part = at % parts;
            ++at;
            u32 i = x.x + column / y.y, j = y.x + column % y.y;
            if (i >= job.n_cells[0]) i -= job.n_cells[0];
            if (j >= job.n_cells[1]) j -= job.n_cells[1];
            const u32 past = z.x + z.y, n = job.n_cells[2];
            const u32 low = part ? 0 : z.x, high = part ? past - n : (past < n ? past : n);
            const u32* start = job.start + (u64)(i * job.n_cells[1] + j) * n;
            begin = start[low];
            end = start[high];
            if (begin < end) return true;
        }
        return false;
    }
};

}  // namespace albireo
