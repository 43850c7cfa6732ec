// Sums per target anywhere, and on grids that lie askew: a warp has a target, and its lanes share out the sources of the cells near it.
#include "field/term.cuh"

namespace albireo {

// What a lane has of a target.
struct Sums {
    u64 sum, close;
};

__device__ __forceinline__ void add_term(const DeviceField& job, Real r2, u32 row, Sums& sums) {
    const Real least2 = (Real)job.least2;
    if (nothing_left(r2, (Real)job.reach2)) return;
    const Table table = {table_of(job), (Real)job.last_piece};
    sums.close += r2 < least2;
    sums.sum += rounded(term(constants_of(job), table, greater(r2, least2), strength_of(job, row), size_of(job, row))) - BIAS;
}

#if ALBIREO_SKEWED

// The images whose separations may be within reach: n in {-1, 0, 1}^3.
__device__ __forceinline__ void add_pair(const DeviceField& job, const u64 (&target)[3], u32 row, Sums& sums) {
    const double* u = job.units;
    const double turn = 18446744073709551616.0;
    double straight[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) straight[k] = (double)(i64)(job.source[k][row] - target[k]);
    for (int image = 0; image < 27; ++image) {
        const int n[3] = {image / 9 - 1, image / 3 % 3 - 1, image % 3 - 1};
        double f[3];
        bool within = true;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            f[k] = __dadd_rn(straight[k], __dmul_rn((double)n[k], turn));
            within = within && (f[k] < 0.0 ? -f[k] : f[k]) <= job.most[k];
        }
        if (!within) continue;
        double r2 = 0.0;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const double d = __dadd_rn(__dadd_rn(__dmul_rn(f[0], u[k]), __dmul_rn(f[1], u[3 + k])), __dmul_rn(f[2], u[6 + k]));
            r2 = k ? __dadd_rn(r2, __dmul_rn(d, d)) : __dmul_rn(d, d);
        }
        add_term(job, (Real)r2, row, sums);
    }
}

#else

__device__ __forceinline__ void add_pair(const DeviceField& job, const u64 (&target)[3], u32 row, Sums& sums) {
    Real part[3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) part[axis] = part_along(job, axis, job.source[axis][row], target[axis]);
    add_term(job, join(join(part[0], part[1]), part[2]), row, sums);
}

#endif

}  // namespace albireo

extern "C" __global__ void __launch_bounds__(128)
albireo_field_points(const __grid_constant__ albireo::DeviceField job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Sums* of_lanes = (Sums*)memory + 32 * warp;
    const u64 number = (u64)blockIdx.x * (blockDim.x / 32) + warp;
    if (number >= unit.end) return;
    const u64 target[3] = {job.target[0][number], job.target[1][number], job.target[2][number]};
    Runs runs(job, job.near[0][number], job.near[1][number], job.near[2][number]);
    Sums sums = {};
    for (u32 begin, end; runs.next(job, begin, end);)
        for (u32 row = begin + lane; row < end; row += 32) add_pair(job, target, row, sums);
    of_lanes[lane] = sums;
    __syncwarp();
    if (lane) return;
    for (u32 k = 1; k < 32; ++k) {
        sums.sum += of_lanes[k].sum;
        sums.close += of_lanes[k].close;
    }
    job.sums[number] = sums.sum;
    if (sums.close) atomicAdd(job.close, sums.close);
}

ALBIREO_EMULATED(albireo_field_points, albireo::DeviceField, albireo::Unit)
