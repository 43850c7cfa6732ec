// Sums per target at the points of a grid, tested one by one against slices of sources in constant memory: a launch's arguments are constant
// memory, and a slice travels there. After the direct summation and the large bins of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277):
// a thread has several points of one row, a warp's width from each other.
#include "field/term.cuh"

namespace albireo {

// Points of a thread; lanes of a warp along the row, beside it and behind.
static const u32 POINTS = ALBIREO_POINTS, ALONG = ALBIREO_ALONG, BESIDE = ALBIREO_BESIDE, BEHIND = 32 / (ALONG * BESIDE);

// The points of a thread: the first, their number, and where their fractions are.
struct Own {
    u64 at[3];
    u32 points;
    u64 x, y, z[POINTS];
};

__device__ __forceinline__ Own points_of(const DeviceField& job, const FieldSlice& slice) {
    const u32 lane = threadIdx.x % 32;
    const u64 number = (u64)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const u64 rows = (slice.points[2] + ALONG * POINTS - 1) / (ALONG * POINTS), beside = (slice.points[1] + BESIDE - 1) / BESIDE;
    Own own = {};
    own.at[0] = number / (rows * beside) * BEHIND + lane / (ALONG * BESIDE);
    own.at[1] = number / rows % beside * BESIDE + lane / ALONG % BESIDE;
    own.at[2] = number % rows * (ALONG * POINTS) + lane % ALONG;
    if (own.at[0] >= slice.points[0] || own.at[1] >= slice.points[1] || own.at[2] >= slice.points[2]) return own;
    own.x = job.along[0][slice.first[0] + own.at[0]];
    own.y = job.along[1][slice.first[1] + own.at[1]];
#pragma unroll
    for (u32 k = 0; k < POINTS; ++k) {
        const u64 z = own.at[2] + k * ALONG;
        own.points += z < slice.points[2];
        // Where the row ends its last point stands for those that are missing.
        own.z[k] = job.along[2][slice.first[2] + (z < slice.points[2] ? z : slice.points[2] - 1)];
    }
    return own;
}

}  // namespace albireo

extern "C" __global__ void __launch_bounds__(128)
albireo_field_sliced(const __grid_constant__ albireo::DeviceField job, const __grid_constant__ albireo::FieldSlice slice) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    const Own own = points_of(job, slice);
    const Table table = {table_of(job), (Real)job.last_piece};
    const Real reach2 = (Real)job.reach2, least2 = (Real)job.least2;
    Tests tests = {};
    u64 sum[POINTS] = {};
    const u32 number = own.points ? (u32)slice.number : 0;
    for (u32 s = 0; s < number; ++s) {
        const Real strength = (Real)slice.strength[s], size = (Real)slice.size[s];
        const Real across = add(square_along(job.units[0], slice.x[s], own.x), square_along(job.units[4], slice.y[s], own.y));
#pragma unroll
        for (u32 k = 0; k < POINTS; ++k) {
            const Real r2 = add(across, square_along(job.units[8], slice.z[s], own.z[k]));
            if (k >= own.points || !(r2 < reach2)) continue;
            ++tests.succeeded;
            tests.close += r2 < least2;
            sum[k] += rounded(term(constants_of(job), table, greater(r2, least2), strength, size)) - BIAS;
        }
    }
    tests.made = (u64)number * own.points;
    const u64 first = ((slice.first[0] + own.at[0] - slice.plane) * job.shape[1] + slice.first[1] + own.at[1]) * job.shape[2] + slice.first[2] + own.at[2];
#pragma unroll
    for (u32 k = 0; k < POINTS; ++k)
        if (k < own.points) job.sums[first + k * ALONG] += sum[k];
    add_up(job, tests, (Tests*)memory);
}

ALBIREO_EMULATED(albireo_field_sliced, albireo::DeviceField, albireo::FieldSlice)
