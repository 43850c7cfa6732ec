// Every pair: blocks of second points in registers against tiles of first points in shared memory.
// After Nyland, Harris & Prins (GPU Gems 3, ch. 31) and Reuter & Koefinger (2019, DOI 10.1016/j.cpc.2018.10.018).
#define ALBIREO_ALL_PAIRS
#include "sweep.cuh"

// The loop with calls beside it would take registers that other blocks need.
#if ALBIREO_MEASURED && ALBIREO_THREADS <= 256
#define ALBIREO_BOUNDS __launch_bounds__(ALBIREO_THREADS, 640 / ALBIREO_THREADS)
#elif ALBIREO_PRECISION == 1 && !ALBIREO_QUEUE && ALBIREO_THREADS <= 256
#define ALBIREO_BOUNDS __launch_bounds__(ALBIREO_THREADS, 768 / ALBIREO_THREADS)
#elif ALBIREO_THREADS > 256 || ALBIREO_PRECISION == 0
#define ALBIREO_BOUNDS __launch_bounds__(ALBIREO_THREADS, 1024 / ALBIREO_THREADS)
#else
#define ALBIREO_BOUNDS __launch_bounds__(ALBIREO_THREADS)
#endif

namespace albireo {

__device__ __forceinline__ Held hold(const DeviceJob& job, const DeviceSample& sample, u64 row) {
#if ALBIREO_PRECISION == 0
    return hold_exactly(job, sample, row);
#else
    uint4 fixed = sample.fixed[row];
#if ALBIREO_WRAP
    return sight_last(job, Held{fixed.x, fixed.y, fixed.z, 0.0f});
#else
    // Offsets from the frame's centre.
    return sight_last(job, Held{__uint_as_float(fixed.x), __uint_as_float(fixed.y), __uint_as_float(fixed.z), 0.0f});
#endif
#endif
}

// Consecutive threads hold consecutive rows.
struct Block {
    u64 base;
    u64 rows;
    u32 order;

    __device__ __forceinline__ u64 row(u32 thread, int k) const { return base + thread + (u64)k * ALBIREO_THREADS; }
    __device__ __forceinline__ bool find(u32 thread, int k, u64& found, u32& image) const {
        found = row(thread, k);
        image = ANY_IMAGE;
        return found < rows;
    }
    __device__ __forceinline__ Held hold_again(const DeviceJob& job, u64 row, u32) const { return hold(job, job.second, row); }
    __device__ __forceinline__ bool admits(u64 first, int k) const {
        u64 second = row(threadIdx.x, k);
        if (second >= rows) return false;
        if (order == 1) return first < second;
        return order == 0 || first != second;
    }
};

__device__ __forceinline__ Near observer(const DeviceJob& job) {
    double centre[3];
    for (int axis = 0; axis < 3; ++axis) centre[axis] = job.grid.origin[axis] + 0.5 * job.grid.basis[4 * axis];
    return sight_centre(job, centre);
}

}  // namespace albireo

extern "C" __global__ void ALBIREO_BOUNDS
albireo_all_pairs(const __grid_constant__ albireo::DeviceJob job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    Block block = {(u64)blockIdx.x * ALBIREO_THREADS * POINTS, job.second.rows, job.order};
    const u64 begin = unit.begin + (u64)blockIdx.y * unit.chunk;
    u64 end = begin + unit.chunk < unit.end ? begin + unit.chunk : unit.end;
    const u64 past = block.base + ALBIREO_THREADS * POINTS;
    // Of an auto count, blocks on one side of the diagonal are left to the other side, and rows there of the blocks on it.
    if (job.order == 1 && end >= past) end = past - 1;
    if (begin >= end) return;
    const bool padded = (ALBIREO_WRAP || !ALBIREO_CLAMP) && past > job.second.rows;

    Arena arena(job, memory);
    Queue queue(arena.queued);
    Held held[POINTS];
    double weight[POINTS];
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        u64 row = block.row(threadIdx.x, k);
        held[k] = row < block.rows ? hold(job, job.second, row) : padding(job);
        weight[k] = ALBIREO_WEIGHTED && row < block.rows ? job.second.weight[row] : 0.0;
    }
    const Near centre = observer(job);
    u64 pairs = 0;
    for (u64 tile = begin; tile < end; tile += ALBIREO_TILE) {
        u32 n_first = end - tile < ALBIREO_TILE ? (u32)(end - tile) : ALBIREO_TILE;
        u64 more = (u64)n_first * ALBIREO_THREADS * POINTS;
        if (pairs + more > job.sums.flush_pairs) {
            queue.drain(job, arena.histogram, true);
            arena.histogram.flush(job);
            arena.histogram.clear();
            pairs = 0;
        }
        pairs += more;
        __syncthreads();
        for (u32 i = threadIdx.x; i < n_first; i += ALBIREO_THREADS) {
            arena.tile[i] = hold(job, job.first, tile + i);
            if (ALBIREO_WEIGHTED) arena.tile_weight[i] = job.first.weight[tile + i];
        }
        __syncthreads();
        const bool apart = job.order == 0 || tile + n_first <= block.base || tile >= past;
        if (padded || !apart)
            sweep<true>(job, arena.histogram, arena.table, arena.tile_weight, n_first, tile, held, weight, block, centre, queue);
        else
            sweep<false>(job, arena.histogram, arena.table, arena.tile_weight, n_first, tile, held, weight, block, centre, queue);
    }
    queue.drain(job, arena.histogram, true);
    arena.histogram.flush(job);
}

ALBIREO_EMULATED(albireo_all_pairs, albireo::DeviceJob, albireo::Unit)
