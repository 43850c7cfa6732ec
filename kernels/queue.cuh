// Pairs that wait for a warp to decide them, or to take them in, many at a time: `Queue`, of which a kernel has the one that its macros ask for.
#pragma once

namespace albireo {

// What waits for a warp, for each of its lanes.
static const u32 WAITING = ALBIREO_TERMS && ALBIREO_QUEUE ? 1 + ALBIREO_POINTS : ALBIREO_QUEUE;

#if ALBIREO_TERMS && ALBIREO_QUEUE
// Pairs of a warp that the filter puts into bins or leaves in doubt, or those that are in doubt once they are measured, taken in 32 at a time so
// that no lane waits for another's terms. It outlives tiles and passes, and is emptied before sums are flushed.
struct Queue {
    uint4* entries;  // of this warp: (first row, second row, image, place among the sums; the highest bit is set where that is in doubt)
    u32 number;

    static const u32 DOUBTFUL = 0x80000000u, NO_ROW = 0xffffffffu;

    __device__ __forceinline__ Queue(uint4* queued) : entries(queued + (threadIdx.x / 32) * (32 * WAITING)), number(0) {}

    // Finds the place of a pair and what terms take of it; false where it is in no bin.
    static __device__ __forceinline__ bool settle(const DeviceJob& job, uint4 entry, u32& place, Pair& pair) {
        place = entry.w & ~DOUBTFUL;
        if ((entry.w & DOUBTFUL) || takes_measures(job)) {
            pair.x1 = position(job.first, entry.x);
            pair.x2 = position(job.second, entry.y);
            if (!separation(job, pair.x1, pair.x2, entry.z, pair.d, pair.r2)) return false;
            // Where it is sure, it is looked for again for the sake of the coordinate alone.
            if ((entry.w & DOUBTFUL) || job.sums.coordinate) {
                place = exact_place(job, pair.d, pair.r2, pair.x1, pair.x2, across_of(job, place), pair.across2);
                if (place == job.places.zero) return false;
            }
        }
        return true;
    }

    // Takes in the last `many` pairs.
    static __device__ __forceinline__ void take(const DeviceJob& job, const Histogram& histogram, const uint4* entries, u32 number, u32 many) {
        const u32 lane = threadIdx.x & 31;
        Pair pair = {};
        u32 place = 0;
#if ALBIREO_REALISED
        // Lanes without a pair take part; what they read is of the first of all rows.
        const bool filled = lane < many;
        const uint4 entry = filled ? entries[number - many + lane] : uint4{0, 0, 0, 0};
        const RowTerms rows(job, entry.x, entry.y);
        const bool waits = filled && settle(job, entry, place, pair);
        add_together(job, histogram, waits, place, entry.x, entry.y, pair, rows);
#else
        if (lane < many) {
            const uint4 entry = entries[number - many + lane];
            const RowTerms rows(job, entry.x, entry.y);
            if (settle(job, entry, place, pair)) add_terms(job, histogram, place, entry.x, entry.y, pair, rows);
        }
#endif
        __syncwarp();
    }
    // Seldom asked: one more copy of the code would only have to be loaded. It takes values, so that they stay in registers elsewhere.
    static __device__ __noinline__ void take_rest(const DeviceJob& job, Histogram histogram, const uint4* entries, u32 number, u32 many) {
        take(job, histogram, entries, number, many);
    }
    // Takes in what waits, which is less than a warp full.
    __device__ __forceinline__ void drain(const DeviceJob& job, const Histogram& histogram, bool) {
        if (number) take_rest(job, histogram, entries, number, number);
        number = 0;
    }

#if ALBIREO_MEASURED
    // Takes in the pairs of a first row with those seconds of this thread whose bits are set.
    template <class Seconds>
    __device__ __forceinline__ void push(const DeviceJob& job, const Histogram& histogram, u64 first, const Seconds& seconds, u32 which) {
        const u32 below = (1u << (threadIdx.x & 31)) - 1;
        while (__any_sync(0xffffffffu, which != 0)) {
            u64 row;
            u32 image;
            const bool waits = which && seconds.find(threadIdx.x, __ffs(which) - 1, row, image);
            which &= which - 1;
            const u32 vote = __ballot_sync(0xffffffffu, waits);
            if (waits) entries[number + __popc(vote & below)] = {(u32)first, (u32)row, image, DOUBTFUL | job.places.slots / 2};
            number += __popc(vote);
        }
        __syncwarp();
        for (; number >= 32; number -= 32) take_rest(job, histogram, entries, number, 32);
    }
#else
    // Whether a pair is to be looked at again: other places than bins have sums too, which nobody reads.
    static __device__ __forceinline__ bool wanted(const DeviceJob& job, Guess guess) {
#if ALBIREO_BINNING == 0
        return guess.doubt | (guess.counted & (bin_of(job, guess.raw + job.places.bias) < job.sums.bins));
#else
        return guess.doubt | guess.counted;
#endif
    }

    // Takes in the pairs of a first row with this thread's seconds, of which those of row NO_ROW are padding.
    __device__ __forceinline__ void push(const DeviceJob& job, const Histogram& histogram, u64 first, const u32 (&row)[POINTS],
                                         const u32 (&image)[POINTS], const Guess (&guess)[POINTS]) {
        const u32 below = (1u << (threadIdx.x & 31)) - 1;
#pragma unroll
        for (int k = 0; k < POINTS; ++k) {
            const bool waits = (row[k] != NO_ROW) & wanted(job, guess[k]);
            const u32 vote = __ballot_sync(0xffffffffu, waits);
            const u32 place = guess[k].raw + job.places.bias;
            if (waits) entries[number + __popc(vote & below)] = {(u32)first, row[k], image[k], guess[k].doubt ? place | DOUBTFUL : place};
            number += __popc(vote);
        }
        __syncwarp();
        for (; number >= 32; number -= 32) take(job, histogram, entries, number, 32);
    }
#endif
};
#elif ALBIREO_QUEUE == 1
// Doubtful pairs of a warp, decided 32 masks at a time so that no lane waits for another's. It is empty after every sweep: for many bins,
// where doubt is common and taking a pair in must be cheap.
struct Queue {
    uint2* entries;  // of this warp: (first point in the tile | lane << 16, mask of the pairs of a group)
    u32 number;

    static const u32 ROOM = 64;
    // First points whose pairs one mask tells of: bit k of the n-th of them is n * POINTS + k. With a line of sight the filter is too long
    // for several of them side by side.
    static const u32 GROUP = ALBIREO_BINNING != 0 || POINTS > 16 ? 1 : POINTS > 4 ? 32 / POINTS : 8;

    __device__ __forceinline__ Queue(uint4* queued) : entries((uint2*)queued + (threadIdx.x / 32) * ROOM), number(0) {}
    __device__ __forceinline__ void drain(const DeviceJob&, const Histogram&, bool) {}

    template <class Seconds>
    static __device__ __forceinline__ void settle(const DeviceJob& job, const Histogram& histogram, const uint2* table, const Held* tile,
                                                  u64 first, const Seconds& seconds, Near centre, uint2 entry) {
        const u32 thread = (threadIdx.x & ~31u) + (entry.x >> 16);
        for (u32 mask = entry.y; mask; mask &= mask - 1) {
            const u32 bit = __ffs(mask) - 1, i = (entry.x & 0xffff) + bit / POINTS;
            u64 row;
            u32 image;
            if (!seconds.find(thread, bit % POINTS, row, image)) continue;
            const Held second = seconds.hold_again(job, row, image);
            decide(job, histogram, first + i, row, image, guess_pair(job, table, tile[i], second, centre).raw + job.places.bias);
        }
    }

    // Takes in the doubtful pairs of the group from first point i on; with `all` leaves none.
    template <class Seconds>
    __device__ __forceinline__ void push(const DeviceJob& job, const Histogram& histogram, const uint2* table, const Held* tile, u64 first,
                                         const Seconds& seconds, Near centre, u32 i, u32 doubtful, bool all) {
        const u32 vote = __ballot_sync(0xffffffffu, doubtful != 0);
        const u32 lane = threadIdx.x & 31;
        if (doubtful) entries[number + __popc(vote & ((1u << lane) - 1))] = {i | lane << 16, doubtful};
        number += __popc(vote);
        __syncwarp();
        while (number >= 32 || (all && number)) {
            const u32 many = number < 32 ? number : 32;
            if (lane < many) settle(job, histogram, table, tile, first, seconds, centre, entries[number - many + lane]);
            number -= many;
            __syncwarp();
        }
    }
};
#elif ALBIREO_QUEUE == 2
// Doubtful pairs of a warp, decided 32 at a time so that no lane waits for another's. It outlives tiles and passes, and is emptied before
// sums are flushed: for cells, where a sweep leaves few. Rows fit in 32 bits: each takes 40 bytes and more of the device's memory.
struct Queue {
    uint4* entries;  // of this warp: (first row, second row, image, place among the sums)
    u32 number;

    static const u32 ROOM = 64;

    __device__ __forceinline__ Queue(uint4* queued) : entries(queued + (threadIdx.x / 32) * ROOM), number(0) {}

    // Decides while there is a warp full of pairs; with `all` until there are none.
    __device__ __forceinline__ void drain(const DeviceJob& job, const Histogram& histogram, bool all) {
        const u32 lane = threadIdx.x & 31;
        while (number >= 32 || (all && number)) {
            const u32 many = number < 32 ? number : 32;
            if (lane < many) {
                const uint4 pair = entries[number - many + lane];
                decide(job, histogram, pair.x, pair.y, pair.z, pair.w);
            }
            number -= many;
            __syncwarp();
        }
    }

    // Takes in the doubtful pairs of a first row.
    template <class Seconds>
    __device__ __forceinline__ void push(const DeviceJob& job, const Histogram& histogram, u64 first, const Seconds& seconds,
                                         const Guess (&guess)[POINTS]) {
        const u32 below = (1u << (threadIdx.x & 31)) - 1;
        u32 which = 0;
#pragma unroll
        for (int k = 0; k < POINTS; ++k) which |= guess[k].doubt ? 1u << k : 0;
        while (__any_sync(0xffffffffu, which != 0)) {
            u64 row = 0;
            u32 image = 0, raw = 0;
            bool real = false;
            if (which) {
                const int at = __ffs(which) - 1;
                which &= which - 1;
#pragma unroll
                for (int k = 0; k < POINTS; ++k) raw = k == at ? guess[k].raw : raw;
                real = seconds.find(threadIdx.x, at, row, image);
            }
            const u32 vote = __ballot_sync(0xffffffffu, real);
            if (real) entries[number + __popc(vote & below)] = {(u32)first, (u32)row, image, raw + job.places.bias};
            number += __popc(vote);
            __syncwarp();
            drain(job, histogram, false);
        }
    }
};
#else
struct Queue {
    __device__ __forceinline__ Queue(uint4*) {}
    __device__ __forceinline__ void drain(const DeviceJob&, const Histogram&, bool) {}
};
#endif

}  // namespace albireo
