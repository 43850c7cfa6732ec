// The inner loop of every traversal: a tile of first points in shared memory against second points in registers.
// ALBIREO_PRECISION: 0 float64 for every pair; 1 the float32 filter, doubtful pairs again in float64; 2 the filter alone.
#pragma once

#if ALBIREO_BINNING == 0
#include "binning/r.cuh"
#elif ALBIREO_BINNING == 1
#include "binning/s_mu.cuh"
#else
#include "binning/rp_pi.cuh"
#endif

#if ALBIREO_WEIGHTED
#include "ops/weighted.cuh"
#else
#include "ops/count.cuh"
#endif

namespace albireo {

// Seconds a thread holds.
static const int POINTS = ALBIREO_POINTS;
// Where padding lies, in scaled lengths: beyond every last edge.
static const float FAR_AWAY = 1e15f;

#if ALBIREO_PRECISION == 0
struct Held {
    double x, y, z, weight;
};
#elif ALBIREO_WRAP
struct Held {
    u32 x, y, z;
    float unused;
};
#else
struct Held {
    float x, y, z;
    float unused;
};
#endif

__device__ __forceinline__ Triple position(const Sample& sample, u64 row) {
    return {sample.x[row], sample.y[row], sample.z[row]};
}

__device__ __forceinline__ double weight_of(const Sample& sample, u64 row) {
    return ALBIREO_WEIGHTED ? sample.weight[row] : 0.0;
}

// The slot of a pair by the contract: 0 when it is not counted.
__device__ __forceinline__ u32 exact_slot(const Job& job, Triple x1, Triple x2, u32 image, u32 guess, bool guessed) {
    Triple d;
    double r2;
    if (!separation(job, x1, x2, image, d, r2)) return 0;
    if (!guessed) guess = guess_slot(job.across, r2);
    return exact_bin(job, d, r2, x1, x2, guess);
}

#if ALBIREO_PRECISION != 0

__device__ __forceinline__ Near offset(const Job& job, const Held& a, const Held& b) {
#if ALBIREO_WRAP
    // Differences of 32-bit fractions wrap to the nearest image by themselves.
    return {__fmul_rn((float)(int)(a.x - b.x), job.matrix[0]), __fmul_rn((float)(int)(a.y - b.y), job.matrix[4]),
            __fmul_rn((float)(int)(a.z - b.z), job.matrix[8])};
#else
    return {__fsub_rn(a.x, b.x), __fsub_rn(a.y, b.y), __fsub_rn(a.z, b.z)};
#endif
}

__device__ __forceinline__ Guess guess_pair(const Job& job, const uint2* table, const Held& a, const Held& b, Near centre) {
#if ALBIREO_WRAP
    Near none = {0.0f, 0.0f, 0.0f};
    return filter_bin(job, table, offset(job, a, b), none, none, centre);
#else
    return filter_bin(job, table, offset(job, a, b), {a.x, a.y, a.z}, {b.x, b.y, b.z}, centre);
#endif
}

// Decides a doubtful pair by the contract and moves its count: the k-th second of `thread`, counted in `slot`.
template <class Seconds>
__device__ __noinline__ void recheck(const Job& job, Histogram& histogram, u64 first, const Seconds& seconds, u32 thread, int k,
                                     u32 slot) {
    u64 row;
    u32 image;
    if (!seconds.find(thread, k, row, image)) return;
    u32 truth = exact_slot(job, position(job.first, first), position(job.second, row), image, across_guess(job, slot), true);
    if (truth != slot)
        retally(job, histogram, slot, truth, weight_of(job.first, first), weight_of(job.second, row));
}

#if ALBIREO_QUEUE
// Doubtful pairs of a warp, decided 32 first points at a time so that no lane waits for another's.
struct Queue {
    uint2* entries;  // of this warp: (first point in the tile | lane << 16, mask of seconds)
    u32 number;

    static const u32 ROOM = 64;

    template <class Seconds>
    static __device__ __noinline__ void decide(const Job& job, Histogram histogram, const uint2* table, const Held* tile, u64 first,
                                               const Seconds& seconds, Near centre, const uint2* entries, u32 many) {
        const u32 lane = threadIdx.x & 31;
        if (lane >= many) return;
        const uint2 entry = entries[lane];
        const u32 i = entry.x & 0xffff, thread = (threadIdx.x & ~31u) + (entry.x >> 16);
        for (u32 mask = entry.y; mask; mask &= mask - 1) {
            const int k = __ffs(mask) - 1;
            u64 row;
            u32 image;
            if (!seconds.find(thread, k, row, image)) continue;
            const Held second = seconds.hold_again(job, row, image);
            recheck(job, histogram, first + i, seconds, thread, k, guess_pair(job, table, tile[i], second, centre).slot);
        }
    }

    template <class Seconds>
    __device__ __forceinline__ void push(const Job& job, Histogram& histogram, const uint2* table, const Held* tile, u64 first,
                                         const Seconds& seconds, Near centre, u32 i, u32 doubtful) {
        const u32 vote = __ballot_sync(0xffffffffu, doubtful != 0);
        if (vote == 0) return;
        const u32 lane = threadIdx.x & 31;
        if (doubtful) entries[number + __popc(vote & ((1u << lane) - 1))] = {i | lane << 16, doubtful};
        number += __popc(vote);
        __syncwarp();
        if (number < 32) return;
        decide(job, histogram, table, tile, first, seconds, centre, entries, 32);
        number -= 32;
        const uint2 moved = entries[32 + lane];
        __syncwarp();
        entries[lane] = moved;
        __syncwarp();
    }

    template <class Seconds>
    __device__ __forceinline__ void finish(const Job& job, Histogram& histogram, const uint2* table, const Held* tile, u64 first,
                                           const Seconds& seconds, Near centre) {
        decide(job, histogram, table, tile, first, seconds, centre, entries, number);
        number = 0;
        __syncwarp();
    }
};
#endif

#endif

// Every pair of the tile with this thread's seconds; with GUARDED those that `seconds` admits.
template <bool GUARDED, class Seconds>
__device__ __forceinline__ void sweep(const Job& job, Histogram& histogram, const uint2* table, const Held* tile,
                                      const double* tile_weight, u32 n_first, u64 first, const Held (&held)[POINTS],
                                      const double (&weight)[POINTS], const Seconds& seconds, Near centre, uint2* queued) {
#if ALBIREO_QUEUE
    Queue queue = {queued + (threadIdx.x / 32) * Queue::ROOM, 0};
#endif
    for (u32 i = 0; i < n_first; ++i) {
        const Held a = tile[i];
        const double u1 = ALBIREO_WEIGHTED ? tile_weight[i] : 0.0;
#if ALBIREO_PRECISION == 0
#pragma unroll
        for (int k = 0; k < POINTS; ++k) {
            u64 row;
            u32 image;
            if (!seconds.find(threadIdx.x, k, row, image) || (GUARDED && !seconds.admits(first + i, k))) continue;
            u32 slot = exact_slot(job, {a.x, a.y, a.z}, {held[k].x, held[k].y, held[k].z}, image, 0, false);
            if (slot) tally(job, histogram, slot, u1, weight[k]);
        }
#else
        u32 doubtful = 0;
#pragma unroll
        for (int k = 0; k < POINTS; ++k) {
            Guess guess = guess_pair(job, table, a, held[k], centre);
            bool admitted = !GUARDED || seconds.admits(first + i, k);
            tally(job, histogram, admitted ? guess.slot : 0, u1, weight[k]);
            if (guess.doubt && admitted) doubtful |= 1u << k;
        }
#if ALBIREO_QUEUE
        queue.push(job, histogram, table, tile, first, seconds, centre, i, doubtful);
#elif ALBIREO_PRECISION == 1
        if (doubtful) {
#pragma unroll
            for (int k = 0; k < POINTS; ++k) {
                if (doubtful >> k & 1)
                    recheck(job, histogram, first + i, seconds, threadIdx.x, k, guess_pair(job, table, a, held[k], centre).slot);
            }
        }
#endif
#endif
    }
#if ALBIREO_QUEUE
    queue.finish(job, histogram, table, tile, first, seconds, centre);
#endif
}

// Shared memory of a block, in this order: tile, tile weights, table, queues, histogram, and what the traversal adds.
struct Arena {
    Held* tile;
    double* tile_weight;
    uint2* table;
    uint2* queued;
    Histogram histogram;
    u32* rest;

    __device__ __forceinline__ Arena(const Job& job, unsigned char* memory) {
        tile = (Held*)memory;
        tile_weight = (double*)(tile + ALBIREO_TILE);
        table = (uint2*)(tile_weight + (ALBIREO_WEIGHTED ? ALBIREO_TILE : 0));
        u32 entries = ALBIREO_EDGES == 1 ? job.across.key_high - job.across.key_low + 1 : 0;
        queued = table + entries;
        histogram.counts = (u32*)(queued + (ALBIREO_QUEUE ? 2 * ALBIREO_THREADS : 0));
        histogram.slots = job.bins + 2;
        rest = histogram.counts + Histogram::words(histogram.slots);
        for (u32 k = threadIdx.x; k < entries; k += ALBIREO_THREADS) table[k] = job.across.table[k];
        histogram.clear();
        __syncthreads();
    }
};

}  // namespace albireo
