// Sums per target: what terms are made of beside the operations that all rules have, the term itself, and what its sources are found by.
// ALBIREO_TERM holds the statements of a term; they are written from its definition in crates/fields/src/term.rs. Every operation rounds as it
// does there, and is fused where it says so, so that all engines have the same bits.
#pragma once
#include "operations.cuh"

namespace albireo {

#if ALBIREO_SINGLE
// What terms are made in.
typedef float Real;

// The greater of a number that is not -0 and 0.
__device__ __forceinline__ Real positive(Real a) { return fmaxf(a, 0.0f); }
__device__ __forceinline__ Real inverse_root_seed(Real a) { return __uint_as_float(0x5f375a86u - (__float_as_uint(a) >> 1)); }
// Positive numbers are ordered as these are, but for ties.
__device__ __forceinline__ u32 order_of(Real a) { return __float_as_uint(a); }
// Its sum with a number below 2^22 rounds that to an integer.
static const Real ROUNDING = 12582912.0f;
// A term below 2^31 as an integer, ties to even, with BIAS added.
static const u64 BIAS = 0;
__device__ __forceinline__ u64 rounded(Real term) { return (u64)(i64)__float2int_rn(term); }
__device__ __forceinline__ const Real* constants_of(const DeviceField& job) { return job.constants32; }
__device__ __forceinline__ const Real* table_of(const DeviceField& job) { return job.table32; }
#else
typedef double Real;

// The greater of a number that is not -0 and 0, by the sign alone: units for integers have time to spare.
__device__ __forceinline__ Real positive(Real a) {
    const i64 bits = __double_as_longlong(a);
    return __longlong_as_double(bits & ~(bits >> 63));
}
__device__ __forceinline__ Real inverse_root_seed(Real a) {
    return __longlong_as_double(0x5fe6eb50c7b537a9ll - (i64)((u64)__double_as_longlong(a) >> 1));
}
// Positive numbers are ordered as these are, but for ties.
__device__ __forceinline__ u32 order_of(Real a) { return high_word(a); }
// 1.5 * 2^52. Its sum with a number below 2^51 rounds that to an integer, ties to even, and leaves the integer in the low bits.
static const Real ROUNDING = 6755399441055744.0;
// A term as an integer, with BIAS added, the bits of ROUNDING.
static const u64 BIAS = 0x4338000000000000ull;
__device__ __forceinline__ u64 rounded(Real term) { return (u64)__double_as_longlong(__dadd_rn(term, ROUNDING)); }
__device__ __forceinline__ const Real* constants_of(const DeviceField& job) { return job.constants; }
__device__ __forceinline__ const Real* table_of(const DeviceField& job) { return job.table; }
#endif

__device__ __forceinline__ Real where_less(Real a, Real b, Real value) { return a < b ? value : (Real)0; }

// Polynomials, one for each whole number from 0 on.
struct Table {
    const Real* coefficients;
    Real last;
};

// Of them that whose number is nearest to x, at the distance of x from it, by Horner's rule; coefficients come in order of their powers. The
// first and the last go on beyond their own pieces.
template <int N> __device__ __forceinline__ Real look_up(const Table& table, Real x) {
    const Real whole = subtract(add(x, ROUNDING), ROUNDING);
    const Real within = whole > 0 ? (whole < table.last ? whole : table.last) : (Real)0;
    const Real rest = subtract(x, within);
    const Real* own = table.coefficients + (u64)(u32)within * N;
    Real sum = own[N - 1];
#pragma unroll
    for (int k = N - 2; k >= 0; --k) sum = fused(sum, rest, own[k]);
    return sum;
}

// The term of a source of its strength, size and squared separation; its constants and its table.
__device__ __forceinline__ Real term(const Real* p, const Table& t, Real r2, Real strength, Real size) { ALBIREO_TERM }

// The component source - target along an axis of the frame.
__device__ __forceinline__ double along(double unit, u64 source, u64 target) { return __dmul_rn((double)(i64)(source - target), unit); }

// Its square as terms take it.
__device__ __forceinline__ Real square_along(double unit, u64 source, u64 target) {
    const double d = along(unit, source, target);
    return (Real)__dmul_rn(d, d);
}

#if ALBIREO_PRODUCT
// What a component is to a product over the axes, as crates/fields/src/profile.rs has it: cloud in cell (1) or triangular cloud (2).
__device__ __forceinline__ Real part_along(const DeviceField& job, int axis, u64 source, u64 target) {
    const double d = along(job.units[4 * axis], source, target);
    const double x = __dmul_rn(d < 0.0 ? -d : d, job.per_width[axis]);
#if ALBIREO_PRODUCT == 2
    if (x < 0.5) return (Real)__dsub_rn(0.75, __dmul_rn(x, x));
    const double left = __dsub_rn(1.5, x), rest = left > 0.0 ? left : 0.0;
    return (Real)__dmul_rn(0.5, __dmul_rn(rest, rest));
#else
    const double rest = __dsub_rn(1.0, x);
    return (Real)(rest > 0.0 ? rest : 0.0);
#endif
}
// Joins two of them, or the third with these.
__device__ __forceinline__ Real join(Real a, Real b) { return multiply(a, b); }
// Whether nothing is left of a term of these components: what else there is cannot make more of it.
__device__ __forceinline__ bool nothing_left(Real joined, Real) { return !(joined > 0); }
// Joins the squares of how far a source is beyond a box along two axes.
__device__ __forceinline__ double join_beyond(double a, double b) { return a > b ? a : b; }
#else
__device__ __forceinline__ Real part_along(const DeviceField& job, int axis, u64 source, u64 target) {
    return square_along(job.units[4 * axis], source, target);
}
__device__ __forceinline__ Real join(Real a, Real b) { return add(a, b); }
// A sum with another square is not smaller, rounded or not.
__device__ __forceinline__ bool nothing_left(Real joined, Real reach2) { return joined >= reach2; }
__device__ __forceinline__ double join_beyond(double a, double b) { return a + b; }
#endif

__device__ __forceinline__ Real strength_of(const DeviceField& job, u32 row) { return (Real)job.strength[row]; }
__device__ __forceinline__ Real size_of(const DeviceField& job, u32 row) { return job.size ? (Real)job.size[row] : (Real)1; }

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

// Tests of distances of a thread, those that succeed, and pairs closer than r_min.
struct Tests {
    u64 made, succeeded, close;
};

// Adds the tests of all threads of a block to those of the job.
__device__ __forceinline__ void add_up(const DeviceField& job, const Tests& tests, Tests* of_threads) {
    of_threads[threadIdx.x] = tests;
    __syncthreads();
    if (threadIdx.x) return;
    Tests all = tests;
    for (u32 k = 1; k < blockDim.x; ++k) {
        all.made += of_threads[k].made;
        all.succeeded += of_threads[k].succeeded;
        all.close += of_threads[k].close;
    }
    atomicAdd(job.tested, all.made);
    atomicAdd(job.tested + 1, all.succeeded);
    if (all.close) atomicAdd(job.close, all.close);
}

}  // namespace albireo
