// Sums per target at the points of a grid whose axes are those of the frame. After the small bins of Rodrigues et al. 2008
// (DOI 10.1145/1366230.1366277): a warp has a tile of points, several of them a thread, and meets the sources of the cells near it. Those that
// are farther from the tile than terms reach are left out one by one; of the others the squares of the separations along each axis are found
// once for the tile, so that a pair costs one addition, its term and its sum.
#include "field/term.cuh"

namespace albireo {

static const u32 DEPTH = ALBIREO_DEPTH, HEIGHT = ALBIREO_HEIGHT, WIDTH = ALBIREO_WIDTH;
static const u32 LANES = 32, ALL = 0xffffffffu;
static_assert(DEPTH * HEIGHT == LANES, "a lane has the points of one row");

// The squares along the row, so that they are loaded at once.
struct Row {
    Real squares[WIDTH];
};
// What is known of a source for a whole tile.
struct Near {
    Row z;
    Real y[HEIGHT], x[DEPTH], strength, size;
#if ALBIREO_SINGLE
    Real gap[2];
#endif
};
static_assert(sizeof(Near) % 16 == 0, "rows are loaded 16 bytes at a time");
static_assert(LANES * sizeof(Near) + 2 * LANES * sizeof(u32) == ALBIREO_SHARED_BYTES, "the host knows how much a block needs");

// The tile of a block: the points along each axis, and where they are.
struct Tile {
    AxisTile along[3];
    u64 first[3];
};

__device__ __forceinline__ Tile tile_of(const DeviceField& job, u64 plane, u32 number) {
    const u64 at[3] = {plane + number / (job.n_tiles[1] * job.n_tiles[2]), number / job.n_tiles[2] % job.n_tiles[1], number % job.n_tiles[2]};
    const u32 size[3] = {DEPTH, HEIGHT, WIDTH};
    Tile tile;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        tile.along[axis] = job.tiles[axis][at[axis]];
        tile.first[axis] = at[axis] * size[axis];
    }
    return tile;
}

// The squared distance of a source from the box round a tile, but for roundings.
__device__ __forceinline__ double beyond2(const DeviceField& job, const Tile& tile, u32 row) {
    double sum = 0.0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        const double d = along(job.units[4 * axis], job.source[axis][row], tile.along[axis].centre);
        const double beyond = (d < 0.0 ? -d : d) - tile.along[axis].half;
        if (beyond > 0.0) sum = join_beyond(sum, beyond * beyond);
    }
    return sum;
}

// Where the grid ends within a tile its last point stands for those that are missing.
__device__ __forceinline__ Real square(const DeviceField& job, const Tile& tile, int axis, u64 source, u32 k) {
    const u32 last = tile.along[axis].points - 1;
    return part_along(job, axis, source, job.along[axis][tile.first[axis] + (k < last ? k : last)]);
}

__device__ __forceinline__ void stage(const DeviceField& job, const Tile& tile, u32 row, Near& near) {
    near.strength = strength_of(job, row);
    near.size = size_of(job, row);
    const u64 x = job.source[0][row], y = job.source[1][row], z = job.source[2][row];
#pragma unroll
    for (u32 k = 0; k < DEPTH; ++k) near.x[k] = square(job, tile, 0, x, k);
#pragma unroll
    for (u32 k = 0; k < HEIGHT; ++k) near.y[k] = square(job, tile, 1, y, k);
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) near.z.squares[k] = square(job, tile, 2, z, k);
}

// What a thread has: the points of a row that there are, their sums, and pairs closer than r_min.
struct Sums {
    u64 sum[WIDTH];
    u32 points;
    u32 added;
    u64 close;
};

// The terms of a source at the points of a row.
__device__ __forceinline__ void add_row(const DeviceField& job, const Table& table, Real across, const Near& near, Sums& sums) {
    const Row row = load_shared<Row>(shared_address(&near.z));
    const Real least2 = (Real)job.least2;
    Real r2[WIDTH];
    bool close = false;
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) {
        r2[k] = join(across, row.squares[k]);
        close |= order_of(r2[k]) <= job.least_order;
    }
    if (close) {
#pragma unroll
        for (u32 k = 0; k < WIDTH; ++k) {
            sums.close += k < sums.points && r2[k] < least2;
            r2[k] = greater(r2[k], least2);
        }
    }
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k) sums.sum[k] += rounded(term(constants_of(job), table, r2[k], near.strength, near.size));
    ++sums.added;
}

}  // namespace albireo

extern "C" __global__ void __launch_bounds__(32, 16)
albireo_field_lattice(const __grid_constant__ albireo::DeviceField job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    Near* staged = (Near*)memory;
    u32* rows = (u32*)(staged + LANES);
    const u32 lane = threadIdx.x, below = (1u << lane) - 1, x = lane / HEIGHT, y = lane % HEIGHT;
    const Tile tile = tile_of(job, unit.begin, blockIdx.x);
    const AxisTile& a = tile.along[0];
    const AxisTile& b = tile.along[1];
    const AxisTile& c = tile.along[2];
    Runs runs(job, {a.cells[0], a.cells[1]}, {b.cells[0], b.cells[1]}, {c.cells[0], c.cells[1]});
    const Table table = {table_of(job), (Real)job.last_piece};
    const Real reach2 = (Real)job.reach2;
    Sums sums = {};
    sums.points = x < a.points && y < b.points ? c.points : 0;
    u32 found = 0, begin = 0, end = 0;
    for (bool more = true; more || found;) {
        // Sources in reach of the tile, until there is one for each lane.
        while (found < LANES && more) {
            if (begin >= end && !(more = runs.next(job, begin, end))) break;
            const u32 row = begin + lane;
            const bool near = row < end && beyond2(job, tile, row) < job.candidate2;
            const u32 vote = __ballot_sync(ALL, near);
            if (near) rows[found + __popc(vote & below)] = row;
            found += __popc(vote);
            begin += LANES;
        }
        __syncwarp();
        const u32 number = found < LANES ? found : LANES;
        found -= number;
        if (lane < number) stage(job, tile, rows[found + lane], staged[lane]);
        __syncwarp();
        for (u32 k = 0; k < number; ++k) {
            const Near& near = staged[k];
            const Real across = join(near.x[x], near.y[y]);
            if (!nothing_left(across, reach2)) add_row(job, table, across, near, sums);
        }
        __syncwarp();
    }
    if (sums.close) atomicAdd(job.close, sums.close);
    const u64 first = ((tile.first[0] - unit.begin * DEPTH + x) * job.shape[1] + tile.first[1] + y) * job.shape[2] + tile.first[2];
#pragma unroll
    for (u32 k = 0; k < WIDTH; ++k)
        if (k < sums.points) job.sums[first + k] = sums.sum[k] - sums.added * BIAS;
}

ALBIREO_EMULATED(albireo_field_lattice, albireo::DeviceField, albireo::Unit)
