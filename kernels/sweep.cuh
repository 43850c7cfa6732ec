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

#if ALBIREO_TERMS
#include "ops/terms.cuh"
#elif ALBIREO_WEIGHTED
#include "ops/weighted.cuh"
#else
#include "ops/count.cuh"
#endif

namespace albireo {

// Seconds a thread holds.
static const int POINTS = ALBIREO_POINTS;

#if ALBIREO_PRECISION == 0
struct __align__(16) Held {
    double x, y, z, unused;
};
#elif ALBIREO_WRAP
struct __align__(16) Held {
    u32 x, y, z;
    float unused;
};
#else
struct __align__(16) Held {
    float x, y, z;
    float unused;
};
#endif

#if ALBIREO_MEASURED
// In scaled lengths, from everything.
static const double FAR_AWAY = 36028797018963968.0;
#endif

__device__ __forceinline__ Held padding(const DeviceJob& job) {
#if ALBIREO_MEASURED
    return {FAR_AWAY, 0.0, 0.0, 0.0};
#elif ALBIREO_PRECISION == 0
    return {0.0, 0.0, 0.0, 0.0};
#elif ALBIREO_WRAP
    return {0u, 0u, 0u, 0.0f};
#else
    return {job.filter.pad, 0.0f, 0.0f, 0.0f};
#endif
}

__device__ __forceinline__ Triple position(const DeviceSample& sample, u64 row) {
    return {sample.x[row], sample.y[row], sample.z[row]};
}

#if ALBIREO_PRECISION == 0
__device__ __forceinline__ Held hold_exactly(const DeviceJob& job, const DeviceSample& sample, u64 row) {
#if ALBIREO_MEASURED
    const double unit = job.grid.unit;
    return {__dmul_rn(sample.x[row], unit), __dmul_rn(sample.y[row], unit), __dmul_rn(sample.z[row], unit), 0.0};
#else
    return {sample.x[row], sample.y[row], sample.z[row], 0.0};
#endif
}
#endif

__device__ __forceinline__ double weight_of(const DeviceSample& sample, u64 row) {
    return ALBIREO_WEIGHTED ? sample.weight[row] : 0.0;
}

// The place of a pair among the sums by the contract, and the square of its coordinate across.
__device__ __forceinline__ u32 exact_pair(const DeviceJob& job, Triple x1, Triple x2, u32 image, u32 guess, bool guessed, double& across2) {
    Triple d;
    double r2;
    if (!separation(job, x1, x2, image, d, r2)) return job.places.zero;
    if (!guessed) guess = guess_slot(job.across, r2);
    return exact_place(job, d, r2, x1, x2, guess, across2);
}

// Takes in the pair of rows (i, j) by the contract.
__device__ __forceinline__ void take_in(const DeviceJob& job, const Histogram& histogram, Triple x1, Triple x2, u32 image, u64 i, u64 j,
                                        double u1, double u2) {
#if ALBIREO_TERMS
    Pair pair = {{0.0, 0.0, 0.0}, x1, x2, 0.0, 0.0};
    if (!separation(job, x1, x2, image, pair.d, pair.r2)) return;
    const u32 place = exact_place(job, pair.d, pair.r2, x1, x2, guess_slot(job.across, pair.r2), pair.across2);
    if (place != job.places.zero) add_terms(job, histogram, place, i, j, pair, RowTerms(job, i, j));
#else
    double across2;
    const u32 place = exact_pair(job, x1, x2, image, 0, false, across2);
    if (place != job.places.zero) tally(job, histogram, place, u1, u2);
#endif
}

#if ALBIREO_PRECISION != 0

__device__ __forceinline__ Near offset(const DeviceJob& job, const Held& a, const Held& b) {
#if ALBIREO_WRAP
    // Differences of 32-bit fractions wrap to the nearest image by themselves.
    return {__fmul_rn((float)(int)(a.x - b.x), job.filter.scale[0]), __fmul_rn((float)(int)(a.y - b.y), job.filter.scale[1]),
            __fmul_rn((float)(int)(a.z - b.z), job.filter.scale[2])};
#else
    return {__fsub_rn(a.x, b.x), __fsub_rn(a.y, b.y), __fsub_rn(a.z, b.z)};
#endif
}

__device__ __forceinline__ Guess guess_pair(const DeviceJob& job, const uint2* table, const Held& a, const Held& b, Near centre) {
#if ALBIREO_WRAP
    Near none = {0.0f, 0.0f, 0.0f};
    return filter_bin(job, table, offset(job, a, b), none, none, centre);
#else
    return filter_bin(job, table, offset(job, a, b), {a.x, a.y, a.z}, {b.x, b.y, b.z}, centre);
#endif
}

#if !ALBIREO_TERMS
// Decides a doubtful pair by the contract and moves it from the place where the filter has counted it.
__device__ __forceinline__ void decide(const DeviceJob& job, const Histogram& histogram, u64 first, u64 second, u32 image, u32 place) {
    double across2;
    const u32 truth =
        exact_pair(job, position(job.first, first), position(job.second, second), image, across_of(job, place), true, across2);
    if (truth == place) return;
#if ALBIREO_REALISED
    const Histogram own = histogram.of_row((u32)(first - histogram.first));
    retally(job, own, place, truth, weight_of(job.first, first), weight_of(job.second, second));
#else
    retally(job, histogram, place, truth, weight_of(job.first, first), weight_of(job.second, second));
#endif
}

// The same for the k-th second of this thread.
template <class Seconds>
__device__ __noinline__ void recheck(const DeviceJob& job, const Histogram& histogram, u64 first, const Seconds& seconds, int k, u32 raw) {
    u64 row;
    u32 image;
    if (seconds.find(threadIdx.x, k, row, image)) decide(job, histogram, first, row, image, raw + job.places.bias);
}
#endif

#endif

}  // namespace albireo

#include "queue.cuh"

namespace albireo {

#if !ALBIREO_MEASURED
#if ALBIREO_PRECISION == 0

// Every pair of the tile with this thread's seconds; with GUARDED those that `seconds` admits. The tile lies where shared memory begins.
template <bool GUARDED, class Seconds>
__device__ __forceinline__ void sweep(const DeviceJob& job, const Histogram& histogram, const uint2*, const double* tile_weight,
                                      u32 n_first, u64 first, const Held (&held)[POINTS], const double (&weight)[POINTS], const Seconds& seconds,
                                      Near, Queue&) {
    ALBIREO_SHARED(memory);
    const Held* tile = (const Held*)memory;
    bool real[POINTS];
    u64 row[POINTS];
    u32 image[POINTS];
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        image[k] = ANY_IMAGE;
        real[k] = seconds.find(threadIdx.x, k, row[k], image[k]);
    }
    for (u32 i = 0; i < n_first; ++i) {
        const Held a = tile[i];
        const double u1 = ALBIREO_WEIGHTED ? tile_weight[i] : 0.0;
#pragma unroll
        for (int k = 0; k < POINTS; ++k) {
            if (!real[k] || (GUARDED && !seconds.admits(first + i, k))) continue;
            take_in(job, histogram, {a.x, a.y, a.z}, {held[k].x, held[k].y, held[k].z}, image[k], first + i, row[k], u1, weight[k]);
        }
    }
}

#else

// A number of rows that is known when a loop over them is compiled.
template <u32 N>
struct Rows {
    static const u32 number = N;
};

// What the filter says of first point i of the tile and this thread's seconds; true where any of them is in doubt.
template <bool GUARDED, class Seconds>
__device__ __forceinline__ bool guess_row(const DeviceJob& job, const uint2* table, const Held& a, u64 first, const Held (&held)[POINTS],
                                          const Seconds& seconds, Near centre, Guess (&guess)[POINTS]) {
    bool doubtful = false;
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        guess[k] = guess_pair(job, table, a, held[k], centre);
        // Place 0 is in no bin.
        if (GUARDED && !seconds.admits(first, k)) guess[k] = {0u - job.places.bias, false, false};
        doubtful = doubtful || guess[k].doubt;
    }
    return doubtful;
}

// Every pair of the tile with this thread's seconds; with GUARDED those that `seconds` admits. The tile lies where shared memory begins.
template <bool GUARDED, class Seconds>
__device__ __forceinline__ void sweep(const DeviceJob& job, const Histogram& histogram, const uint2* table, const double* tile_weight,
                                      u32 n_first, u64 first, const Held (&held)[POINTS], const double (&weight)[POINTS],
                                      const Seconds& seconds, Near centre, Queue& queue) {
    ALBIREO_SHARED(memory);
    const u32 tile = kept(shared_address(memory));
    Guess guess[POINTS];
#if ALBIREO_TERMS
    u32 row[POINTS], image[POINTS];
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        u64 found;
        image[k] = ANY_IMAGE;
        row[k] = seconds.find(threadIdx.x, k, found, image[k]) ? (u32)found : Queue::NO_ROW;
    }
    for (u32 i = 0; i < n_first; ++i) {
        const Held a = load_shared<Held>(tile + i * (u32)sizeof(Held));
        guess_row<GUARDED>(job, table, a, first + i, held, seconds, centre, guess);
        queue.push(job, histogram, first + i, row, image, guess);
    }
#elif ALBIREO_PRECISION == 2 && defined(ALBIREO_ALL_PAIRS)
    // Nothing is asked after a first point: several follow without a step of the loop. (Cells have too few for it to pay.)
#pragma unroll 4
    for (u32 i = 0; i < n_first; ++i) {
        const Held a = load_shared<Held>(tile + i * (u32)sizeof(Held));
        guess_row<GUARDED>(job, table, a, first + i, held, seconds, centre, guess);
        tally_guesses(job, histogram.of_row(i), guess, ALBIREO_WEIGHTED ? tile_weight[i] : 0.0, weight);
    }
#elif ALBIREO_QUEUE == 1 && ALBIREO_BINNING == 0
    const auto group = [&](u32 i, auto rows) {
        u32 which = 0;
#pragma unroll
        for (u32 n = 0; n < rows.number; ++n) {
            const Held a = load_shared<Held>(tile + (i + n) * (u32)sizeof(Held));
            guess_row<GUARDED>(job, table, a, first + i + n, held, seconds, centre, guess);
            tally_guesses(job, histogram.of_row(i + n), guess, ALBIREO_WEIGHTED ? tile_weight[i + n] : 0.0, weight);
#pragma unroll
            for (int k = 0; k < POINTS; ++k) which |= guess[k].doubt ? 1u << (n * POINTS + k) : 0;
        }
        if (__any_sync(0xffffffffu, which != 0))
            queue.push(job, histogram, table, (const Held*)memory, first, seconds, centre, i, which, false);
    };
    u32 i = 0;
    for (; i + Queue::GROUP <= n_first; i += Queue::GROUP) group(i, Rows<Queue::GROUP>());
    for (; i < n_first; ++i) group(i, Rows<1>());
    queue.push(job, histogram, table, (const Held*)memory, first, seconds, centre, 0, 0, true);
#elif ALBIREO_QUEUE
    for (u32 i = 0; i < n_first; ++i) {
        const Held a = load_shared<Held>(tile + i * (u32)sizeof(Held));
        const bool doubtful = guess_row<GUARDED>(job, table, a, first + i, held, seconds, centre, guess);
        tally_guesses(job, histogram.of_row(i), guess, ALBIREO_WEIGHTED ? tile_weight[i] : 0.0, weight);
        if (!__any_sync(0xffffffffu, doubtful)) continue;
#if ALBIREO_QUEUE == 2
        queue.push(job, histogram, first + i, seconds, guess);
#else
        u32 which = 0;
#pragma unroll
        for (int k = 0; k < POINTS; ++k) which |= guess[k].doubt ? 1u << k : 0;
        queue.push(job, histogram, table, (const Held*)memory, first, seconds, centre, i, which, false);
#endif
    }
#if ALBIREO_QUEUE == 1
    queue.push(job, histogram, table, (const Held*)memory, first, seconds, centre, 0, 0, true);
#endif
#else
    for (u32 i = 0; i < n_first;) {
        // Without a call in it, this loop keeps all it needs in registers.
        bool doubtful;
        do {
            const Held a = load_shared<Held>(tile + i * (u32)sizeof(Held));
            doubtful = guess_row<GUARDED>(job, table, a, first + i, held, seconds, centre, guess);
            tally_guesses(job, histogram.of_row(i), guess, ALBIREO_WEIGHTED ? tile_weight[i] : 0.0, weight);
            ++i;
        } while (i < n_first && !(ALBIREO_PRECISION == 1 && __any_sync(0xffffffffu, doubtful)));
        if (ALBIREO_PRECISION == 1 && doubtful) {
            const Held a = load_shared<Held>(tile + (i - 1) * (u32)sizeof(Held));
            guess_row<GUARDED>(job, table, a, first + i - 1, held, seconds, centre, guess);
#pragma unroll
            for (int k = 0; k < POINTS; ++k) {
                if (guess[k].doubt) recheck(job, histogram, first + i - 1, seconds, k, guess[k].raw);
            }
        }
    }
#endif
}

#endif
#endif

// Shared memory of a block, in this order: tile, queues, tile weights, table, histogram, and what the traversal adds.
struct Arena {
    Held* tile;
    double* tile_weight;
    uint2* table;
    uint4* queued;
    Histogram histogram;
    u32* rest;

    __device__ __forceinline__ Arena(const DeviceJob& job, unsigned char* memory) {
        tile = (Held*)memory;
        queued = (uint4*)(tile + ALBIREO_TILE);
        tile_weight = (double*)(queued + WAITING * ALBIREO_THREADS);
        table = (uint2*)(tile_weight + (ALBIREO_WEIGHTED ? ALBIREO_TILE : 0));
        u32 entries = ALBIREO_EDGES == 1 ? job.across.key_high - job.across.key_low + 1 : 0;
        // At a multiple of 16 bytes.
        u32* words = (u32*)(memory + ((unsigned char*)(table + entries) - memory + 15) / 16 * 16);
        histogram.set(job, words);
        rest = words + histogram.words();
        for (u32 k = threadIdx.x; k < entries; k += ALBIREO_THREADS) table[k] = job.across.table[k];
        histogram.clear();
        __syncthreads();
    }
};

}  // namespace albireo

#if ALBIREO_MEASURED
#include "measured.cuh"
#endif
