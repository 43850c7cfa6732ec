// Pairs within reach: sorted cells of any lattice, a tile of neighbouring cells against the rows of cells around it.
// Positions are fractions in fixed point; every tile measures from its own centre, so the inner loop knows no box.
#include "neighbours.cuh"

namespace albireo {

// Where the seconds of a pass lie, from place `base` on. Where pairs take long, a warp's lie together, so that in the last pass what is
// missing leaves whole warps with nothing to do; else consecutive threads hold consecutive places.
#if ALBIREO_PRECISION != 0 && (ALBIREO_BINNING != 0 || ALBIREO_CLASSES)
__device__ __forceinline__ u32 place_in_pass(u32 base, u32 thread, int k) {
    return base + (thread & ~31u) * POINTS + k * 32 + (thread & 31);
}
__device__ __forceinline__ bool warp_has_none(u32 base, u32 end) { return place_in_pass(base, threadIdx.x & ~31u, 0) >= end; }
#else
__device__ __forceinline__ u32 place_in_pass(u32 base, u32 thread, int k) { return base + thread + k * ALBIREO_THREADS; }
__device__ __forceinline__ bool warp_has_none(u32, u32) { return false; }
#endif

// One pass over the stretches.
struct Pass {
    const Stretches* stretches;
    u32 base;
    Fractions centre;

    __device__ __forceinline__ Held hold_again(const DeviceJob& job, u64 row, u32 image) const {
        return hold(job, job.second, row, image, centre);
    }
    __device__ __forceinline__ bool find(u32 thread, int k, u64& row, u32& image) const {
        u32 place = place_in_pass(base, thread, k);
        if (place >= stretches->total) return false;
        u32 hint = stretches->search(place);
        return stretches->find(place, hint, row, image);
    }
    __device__ __forceinline__ bool admits(u64, int) const { return true; }
};

// The tile's own cells in an auto count.
struct Own {
    u32 base, end;
    u32 order;
    Fractions centre;

    __device__ __forceinline__ Held hold_again(const DeviceJob& job, u64 row, u32 image) const {
        return hold(job, job.second, row, image, centre);
    }
    __device__ __forceinline__ u32 row(u32 thread, int k) const { return place_in_pass(base, thread, k); }
    __device__ __forceinline__ bool find(u32 thread, int k, u64& found, u32& image) const {
        found = row(thread, k);
        image = image_code(0, 0, 0);
        return found < end;
    }
    __device__ __forceinline__ bool admits(u64 first, int k) const {
        u32 second = row(threadIdx.x, k);
        return second < end && (order == 1 ? first < second : first != second);
    }
};

}  // namespace albireo

// Float64 waits for its operands, which only more warps make up for; in a lattice it takes more registers.
#define ALBIREO_MANY_BINS (ALBIREO_QUEUE == 1 && ALBIREO_BINNING == 0 && !ALBIREO_TERMS)
#if (ALBIREO_PRECISION == 0 && !ALBIREO_MEASURED) || (ALBIREO_MANY_BINS && ALBIREO_DOMAIN != 2)
#define ALBIREO_BOUNDS __launch_bounds__(ALBIREO_THREADS, 1024 / ALBIREO_THREADS)
#elif ALBIREO_MEASURED && ALBIREO_THREADS <= 256
#define ALBIREO_BOUNDS __launch_bounds__(ALBIREO_THREADS, 640 / ALBIREO_THREADS)
#elif (ALBIREO_MANY_BINS || (ALBIREO_TERMS && !ALBIREO_MEASURED)) && ALBIREO_THREADS <= 256
#define ALBIREO_BOUNDS __launch_bounds__(ALBIREO_THREADS, 768 / ALBIREO_THREADS)
#else
#define ALBIREO_BOUNDS __launch_bounds__(ALBIREO_THREADS, 1)
#endif

extern "C" __global__ void ALBIREO_BOUNDS
albireo_cells(const __grid_constant__ albireo::DeviceJob job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    Arena arena(job, memory);
    Queue queue(arena.queued);
    const u32 number = job.grid.n_rows * job.grid.row_parts;
    u32* lengths = arena.rest;
    u32* begin = lengths + number;
    u32* image = begin + number;
    u32* sums = image + number;
    u32* next = sums + ALBIREO_THREADS;
    u64 pairs = 0;
    auto hand_over = [&]() {
        queue.drain(job, arena.histogram, true);
        arena.histogram.flush(job);
        arena.histogram.clear();
        __syncthreads();
        pairs = 0;
    };
    auto admit = [&](u64 more) {
        if (pairs + more > job.sums.flush_pairs) hand_over();
        pairs += more;
    };
#if ALBIREO_CLASSES
    // Tiles of a class lie together, and a block takes several of them: it seldom hands its sums over.
    u64 place = 0, past = 0;
#endif
    for (;;) {
#if ALBIREO_CLASSES
        if (++place >= past) {
            if (threadIdx.x == 0) *next = atomicAdd(job.grid.ticket, 1u);
            __syncthreads();
            place = unit.begin + *next * unit.chunk;
            past = place + unit.chunk < unit.end ? place + unit.chunk : unit.end;
        }
        if (place >= unit.end) break;
        const uint4 meeting = job.grid.meetings[place];
        const Tables tables = {meeting.y, meeting.z};
        if (pairs && !arena.histogram.tables.are(tables)) hand_over();
        arena.histogram.tables = tables;
        const bool within = meeting.w;
        const Starts starts(job, meeting.x);
        const int4* rows = job.grid.rows + (within ? 0 : job.grid.n_within);
        const u32 n_rows = within ? job.grid.n_within : job.grid.n_apart;
#else
        if (threadIdx.x == 0) *next = atomicAdd(job.grid.ticket, 1u);
        __syncthreads();
        const u64 place = unit.begin + *next;
        if (place >= unit.end) break;
        const bool within = true;
        const Starts starts(job, 0);
        const int4* rows = job.grid.rows;
        const u32 n_rows = job.grid.n_rows;
#endif
        const uint4 tile = job.grid.tiles[place];
        const u32* cells = job.grid.cells;
        const u32 cx = tile.x % cells[0], cy = tile.x / cells[0] % cells[1], cz = tile.x / cells[0] / cells[1];
        const Fractions middle = {centre_of(cx, tile.y, cells[0]), centre_of(cy, 1, cells[1]), centre_of(cz, 1, cells[2])};
        const Near centre = observer(job, middle);
        const u32 n_first = tile.w - tile.z;
        for (u32 i = threadIdx.x; i < n_first; i += ALBIREO_THREADS) {
            arena.tile[i] = hold(job, job.first, tile.z + i, image_code(0, 0, 0), middle);
            if (ALBIREO_WEIGHTED) arena.tile_weight[i] = job.first.weight[tile.z + i];
        }
#if ALBIREO_REALISED == 2
        arena.histogram.begin(job, tile.z, n_first);
#endif
        for (u32 row = threadIdx.x; row < n_rows; row += ALBIREO_THREADS) {
            u32 at = row * job.grid.row_parts;
            write_row(job, starts, rows[row], cx, cy, cz, tile.y, lengths + at, begin + at, image + at);
        }
        __syncthreads();
        const u32 n_stretches = n_rows * job.grid.row_parts;
        accumulate(lengths, n_stretches, sums);
        const Stretches stretches = {lengths, begin, image, n_stretches, n_stretches ? lengths[n_stretches - 1] : 0};
        const u64 more = (u64)n_first * ALBIREO_THREADS * POINTS;
        Held held[POINTS];
        double weight[POINTS];

        for (u32 base = 0; base < stretches.total; base += ALBIREO_THREADS * POINTS) {
            admit(more);
            if (warp_has_none(base, stretches.total)) continue;
            u32 hint = stretches.search(place_in_pass(base, threadIdx.x, 0));
#pragma unroll
            for (int k = 0; k < POINTS; ++k) {
                u64 row;
                u32 at;
                bool real = stretches.find(place_in_pass(base, threadIdx.x, k), hint, row, at);
                held[k] = real ? hold(job, job.second, row, at, middle) : padding(job);
                weight[k] = ALBIREO_WEIGHTED && real ? job.second.weight[row] : 0.0;
            }
            const Pass pass = {&stretches, base, middle};
            sweep<false>(job, arena.histogram, arena.table, arena.tile_weight, n_first, tile.z, held, weight, pass, centre, queue);
        }
        if (job.own && within) {
            u32 line;
            starts.line(job, cy, cz, line);
            const u32 own_begin = job.order == 1 ? tile.z : starts.start[line + cx];
            const u32 own_end = starts.start[line + cx + tile.y];
            for (u32 base = own_begin; base < own_end; base += ALBIREO_THREADS * POINTS) {
                admit(more);
                if (warp_has_none(base, own_end)) continue;
                const Own own = {base, own_end, job.order, middle};
#pragma unroll
                for (int k = 0; k < POINTS; ++k) {
                    bool real = own.row(threadIdx.x, k) < own_end;
                    held[k] = real ? hold(job, job.second, own.row(threadIdx.x, k), image_code(0, 0, 0), middle) : padding(job);
                    weight[k] = ALBIREO_WEIGHTED && real ? job.second.weight[own.row(threadIdx.x, k)] : 0.0;
                }
                sweep<true>(job, arena.histogram, arena.table, arena.tile_weight, n_first, tile.z, held, weight, own, centre, queue);
            }
        }
#if ALBIREO_REALISED == 2
        queue.drain(job, arena.histogram, true);
        arena.histogram.end(job);
#endif
        __syncthreads();
    }
    queue.drain(job, arena.histogram, true);
    arena.histogram.flush(job);
}

ALBIREO_EMULATED(albireo_cells, albireo::DeviceJob, albireo::Unit)
