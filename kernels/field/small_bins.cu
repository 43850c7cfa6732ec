// Sums per target at the points of a grid, by the small bins of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277): a block has 8^3 points and
// meets the bins whose boxes are within reach of the box round them. A bin has room for a few sources; what finds none is the processor's.
#include "field/term.cuh"

namespace albireo {

// Points of a block along each axis, those of a thread, and the sources that are met at a time.
static const u32 SIDE = ALBIREO_SIDE, POINTS = 4, LIST = ALBIREO_LIST;
static_assert(SIDE * SIDE * SIDE == 128 * POINTS, "a thread has four points of a row");

// The squares of the separations of a source from the points along each axis.
struct Near {
    Real squares[3 * SIDE], strength, size;
};
static_assert(LIST * (sizeof(Near) + sizeof(u32)) + 128 * sizeof(Tests) == ALBIREO_SHARED_BYTES, "the host knows how much a block needs");

// The points of a block: along each axis the tile, and the number of its first point.
struct Block {
    AxisTile along[3];
    u64 first[3];
};

__device__ __forceinline__ Block block_of(const DeviceField& job, u64 layer, u32 number) {
    const u64 at[3] = {layer + number / (job.n_tiles[1] * job.n_tiles[2]), number / job.n_tiles[2] % job.n_tiles[1], number % job.n_tiles[2]};
    Block block;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        block.along[axis] = job.tiles[axis][at[axis]];
        // The first may be a part of a block.
        block.first[axis] = at[axis] ? job.tiles[axis][0].points + (at[axis] - 1) * SIDE : 0;
    }
    return block;
}

// What a thread has: points of a row, their sums and tests.
struct Own {
    u32 x, y, z, points;
    u64 sum[POINTS];
    Tests tests;
};

// Meets the sources of the list.
__device__ __forceinline__ void meet(const DeviceField& job, const Block& block, const u32* rows, u32 found, Near* near, Own& own) {
    __syncthreads();
    for (u32 at = threadIdx.x; at < found * 3 * SIDE; at += blockDim.x) {
        const u32 s = at / (3 * SIDE), part = at % (3 * SIDE), axis = part / SIDE, last = block.along[axis].points - 1;
        // Where the grid ends within a block its last point stands for those that are missing.
        const u32 k = part % SIDE < last ? part % SIDE : last;
        near[s].squares[part] = square_along(job.units[4 * axis], job.source[axis][rows[s]], job.along[axis][block.first[axis] + k]);
    }
    for (u32 s = threadIdx.x; s < found; s += blockDim.x) {
        near[s].strength = strength_of(job, rows[s]);
        near[s].size = size_of(job, rows[s]);
    }
    __syncthreads();
    const Table table = {table_of(job), (Real)job.last_piece};
    const Real reach2 = (Real)job.reach2, least2 = (Real)job.least2;
    for (u32 s = 0; s < found; ++s) {
        const Real* squares = near[s].squares;
        const Real across = add(squares[own.x], squares[SIDE + own.y]);
#pragma unroll
        for (u32 k = 0; k < POINTS; ++k) {
            const Real r2 = add(across, squares[2 * SIDE + own.z + k]);
            if (k >= own.points || !(r2 < reach2)) continue;
            ++own.tests.succeeded;
            own.tests.close += r2 < least2;
            own.sum[k] += rounded(term(constants_of(job), table, greater(r2, least2), near[s].strength, near[s].size)) - BIAS;
        }
    }
    own.tests.made += (u64)found * own.points;
    __syncthreads();
}

}  // namespace albireo

extern "C" __global__ void __launch_bounds__(128)
albireo_field_small_bins(const __grid_constant__ albireo::DeviceField job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    Near* near = (Near*)memory;
    Tests* of_threads = (Tests*)(near + LIST);
    u32* rows = (u32*)(of_threads + 128);
    const Block block = block_of(job, unit.begin, blockIdx.x);
    const AxisTile& a = block.along[0];
    const AxisTile& b = block.along[1];
    const AxisTile& c = block.along[2];
    Own own = {};
    own.x = threadIdx.x / (2 * SIDE);
    own.y = threadIdx.x / 2 % SIDE;
    own.z = threadIdx.x % 2 * POINTS;
    if (own.x < a.points && own.y < b.points && own.z < c.points) own.points = c.points - own.z < POINTS ? c.points - own.z : POINTS;
    u32 found = 0;
    for (u32 i = 0; i < a.cells[1]; ++i)
        for (u32 j = 0; j < b.cells[1]; ++j) {
            const double beside = __dadd_rn(job.gaps[0][a.gap + i], job.gaps[1][b.gap + j]);
            const u64 row = ((u64)((a.cells[0] + i) % job.n_cells[0]) * job.n_cells[1] + (b.cells[0] + j) % job.n_cells[1]) * job.n_cells[2];
            for (u32 k = 0; k < c.cells[1]; ++k) {
                if (!(__dadd_rn(beside, job.gaps[2][c.gap + k]) < job.candidate2)) continue;
                const u64 bin = row + (c.cells[0] + k) % job.n_cells[2];
                const u32 begin = job.start[bin], all = job.start[bin + 1] - begin, number = all < job.room ? all : job.room;
                if (found + number > LIST) {
                    meet(job, block, rows, found, near, own);
                    found = 0;
                }
                if (threadIdx.x < number) rows[found + threadIdx.x] = begin + threadIdx.x;
                found += number;
            }
        }
    meet(job, block, rows, found, near, own);
    const u64 before = unit.begin ? job.tiles[0][0].points + (unit.begin - 1) * SIDE : 0;
    const u64 first = ((block.first[0] - before + own.x) * job.shape[1] + block.first[1] + own.y) * job.shape[2] + block.first[2] + own.z;
#pragma unroll
    for (u32 k = 0; k < POINTS; ++k)
        if (k < own.points) job.sums[first + k] = own.sum[k];
    add_up(job, own.tests, of_threads);
}

ALBIREO_EMULATED(albireo_field_small_bins, albireo::DeviceField, albireo::Unit)
