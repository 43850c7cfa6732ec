// Sums per bin of one block: shared 32-bit words flushed to global 64-bit (counts) and 128-bit (fixed-point sums) totals, or global ones.
// Overflow is impossible: a block flushes before it can hold more than flush_pairs pairs (2^32 - 1 counts; 2^27 - 1 terms of at
// most 2^36).
#pragma once
#include "binning/edges.cuh"

namespace albireo {

// round_ties_even((u1 * u2) * 2^36) in the low mantissa of a sum: the scaling is exact, and the sum is 1.5 * 2^52 more.
static const u32 SHIFTED = 0x43380000u;  // the high word of 1.5 * 2^52; the low one is zero
__device__ __forceinline__ double shifted_product(double u1, double u2) {
    return __fma_rn(__dmul_rn(u1, u2), 68719476736.0, 6755399441055744.0);
}
__device__ __forceinline__ i64 fixed_product(double u1, double u2) {
    return __double_as_longlong(shifted_product(u1, u2)) - ((i64)SHIFTED << 32);
}

// The second word of the same: with t = u1*u2 * 2^36, round_ties_even((t - round_ties_even(t)) * 2^28). Scalings and the difference are exact, so
// that fused operations are the same.
__device__ __forceinline__ i64 fixed_rest(double u1, double u2) {
    const double shift = 6755399441055744.0;
    const double rest = __fma_rn(__dmul_rn(u1, u2), 68719476736.0, -__dsub_rn(shifted_product(u1, u2), shift));
    return __double_as_longlong(__fma_rn(rest, 268435456.0, shift)) - ((i64)SHIFTED << 32);
}

// total += value, 128 bits in two words.
__device__ __forceinline__ void add_wide(u64* total, i64 value) {
    u64 old = atomicAdd(total, (u64)value);
    u64 carry = old + (u64)value < old ? 1 : 0;
    u64 high = (u64)(value >> 63) + carry;
    if (high) atomicAdd(total + 1, high);
}

// Realisations that pairs are counted in one by one.
__device__ __forceinline__ u32 realisations_of(const DeviceJob& job) { return ALBIREO_REALISED ? job.realisations : 1; }

#if ALBIREO_CLASSES
// The tables that the pairs at hand belong to: one, or the two of a pair across regions.
struct Tables {
    u32 one, other;

    __device__ __forceinline__ bool are(Tables that) const { return one == that.one && other == that.other; }
    // Calls `add` with the place of a bin of realisation k in each of them.
    template <class Add>
    __device__ __forceinline__ void each(const DeviceJob& job, u32 bin, u32 k, Add add) const {
        const u32 number = realisations_of(job);
        add(((u64)one * number + k) * job.sums.bins + bin);
        if (other != 0xffffffffu) add(((u64)other * number + k) * job.sums.bins + bin);
    }
};
#else
struct Tables {
    template <class Add>
    __device__ __forceinline__ void each(const DeviceJob& job, u32 bin, u32 k, Add add) const { add((u64)k * job.sums.bins + bin); }
};
#endif

// The sums of a job in global memory, by place.
__device__ __forceinline__ void count_globally(const DeviceJob& job, Tables tables, u32 place, i64 by, u32 k) {
    const u32 bin = bin_of(job, place);
    if (bin < job.sums.bins) tables.each(job, bin, k, [&](u64 at) { atomicAdd(job.sums.counts + at, (u64)by); });
}
__device__ __forceinline__ void add_globally(const DeviceJob& job, Tables tables, u32 sum, u32 place, i64 value, u32 k) {
    const u32 bin = bin_of(job, place);
    if (bin < job.sums.bins) tables.each(job, bin, k, [&](u64 at) { add_wide(job.sums.sums + 2 * (sum * job.sums.all + at), value); });
}

#if ALBIREO_REALISED != 2
#if ALBIREO_HISTOGRAM != 1

// Words for each place from `origin` on: its count; the low and the high word of each of its sums. Of realisations, all words of a kind
// stand side by side, and so do those of lanes.
struct Histogram {
    // Copies of all words, of which a lane has one.
    static const u32 COPIES = ALBIREO_COPIES;
#if ALBIREO_TERMS && !ALBIREO_MEASURED
    u32 width;  // words a place
#else
    static const u32 width = ALBIREO_WEIGHTED || ALBIREO_MEASURED ? 3 : 1;
#endif
#if ALBIREO_REALISED
    u32 number;  // realisations
#else
    static const u32 number = 1;
#endif

    Tables tables;
    u32* counts;
    u32 slots;
    u32 base;      // shared address that place 0 would have
    u32 filtered;  // the address that the filter's slot 0 would have
    u32 aside;     // this lane's place for pairs of no bin, after all others

    __device__ __forceinline__ u32 words() const { return width * COPIES * slots; }

    __device__ __forceinline__ void set(const DeviceJob& job, u32* words) {
#if ALBIREO_TERMS && !ALBIREO_MEASURED
        width = (1 + 2 * job.sums.number) * realisations_of(job);
#endif
#if ALBIREO_REALISED
        number = job.realisations;
#endif
        counts = words;
        const u32 lane = threadIdx.x & 31;
        slots = job.places.slots + (ALBIREO_WEIGHTED ? 32 / COPIES : 0);
        base = shared_address(words) + 4 * (lane % COPIES) - 4 * width * COPIES * job.places.first;
        filtered = address(job.places.bias);
        aside = address(job.places.first + job.places.slots + (COPIES > 1 ? 0 : lane));
    }

    __device__ __forceinline__ void clear() {
        for (u32 k = threadIdx.x; k < words(); k += ALBIREO_THREADS) counts[k] = 0;
    }

    __device__ __forceinline__ u32 address(const Guess& guess) const { return filtered + 4 * width * COPIES * guess.raw; }
    __device__ __forceinline__ u32 address(u32 place) const { return base + 4 * width * COPIES * place; }
    static __device__ __forceinline__ u32 low(u32 address) { return address + 4 * COPIES; }
    static __device__ __forceinline__ u32 high(u32 address) { return address + 8 * COPIES; }

    // Whether a place lies in this window of the bins; few bins have but one.
    static __device__ __forceinline__ bool holds(const DeviceJob& job, u32 place) {
        return COPIES > 1 || place - job.places.first < job.places.flushed;
    }

    // What a tile's first point of this number adds to.
    __device__ __forceinline__ const Histogram& of_row(u32) const { return *this; }

    __device__ __forceinline__ void shift_count(const DeviceJob& job, u32 place, int by, u32 k = 0) const {
        if (holds(job, place)) add_shared(address(place) + 4 * k, (u32)by);
        else count_globally(job, tables, place, by, k);
    }

    // Adds to a sum.
    __device__ __forceinline__ void shift_sum(const DeviceJob& job, u32 sum, u32 place, i64 q, u32 k = 0) const {
        if (holds(job, place)) {
            const u32 at = address(place) + 4 * COPIES * (number * (1 + 2 * sum) + k), old = add_shared(at, (u32)q);
            add_shared(at + 4 * COPIES * number, (u32)(q >> 32) + (old + (u32)q < old ? 1u : 0u));
        } else {
            add_globally(job, tables, sum, place, q, k);
        }
    }

    __device__ void flush(const DeviceJob& job) {
        settle();
        __syncthreads();
        for (u32 at = threadIdx.x; at < job.places.flushed * number; at += ALBIREO_THREADS) {
            const u32 place = at / number, k = at % number;
            const u32* words = counts + COPIES * (width * place + k);
            // Words of lanes wrap around by themselves where one takes out what another has put in. Each thread begins at a bank of its own.
            u32 pairs = 0;
            for (u32 lane = threadIdx.x; lane < threadIdx.x + COPIES; ++lane) pairs += words[lane % COPIES];
            if (!pairs) continue;
            const u32 bin = bin_of(job, job.places.first + place);
            if (bin >= job.sums.bins) continue;
            tables.each(job, bin, k, [&](u64 at) {
                atomicAdd(job.sums.counts + at, (u64)pairs);
                for (u32 sum = 0; sum < width / number / 2; ++sum) {
                    const u32 *low = words + COPIES * number * (1 + 2 * sum), *high = low + COPIES * number;
                    u64 total = 0;
                    for (u32 lane = threadIdx.x; lane < threadIdx.x + COPIES; ++lane) total += (u64)high[lane % COPIES] << 32 | low[lane % COPIES];
                    if (total) add_wide(job.sums.sums + 2 * (sum * job.sums.all + at), (i64)total);
                }
            });
        }
        __syncthreads();
    }
};

#else

struct Histogram {
    Tables tables;

    __device__ __forceinline__ u32 words() const { return 0; }
    __device__ __forceinline__ void set(const DeviceJob&, u32*) {}
    __device__ __forceinline__ void clear() {}
    __device__ __forceinline__ void flush(const DeviceJob&) {}

    __device__ __forceinline__ const Histogram& of_row(u32) const { return *this; }
    __device__ __forceinline__ void shift_count(const DeviceJob& job, u32 place, int by, u32 k = 0) const {
        count_globally(job, tables, place, by, k);
    }
    __device__ __forceinline__ void shift_sum(const DeviceJob& job, u32 sum, u32 place, i64 q, u32 k = 0) const {
        add_globally(job, tables, sum, place, q, k);
    }
};

#endif
#endif

}  // namespace albireo

#if ALBIREO_REALISED == 2
#include "ops/histogram_rows.cuh"
#endif
