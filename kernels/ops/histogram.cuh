// Sums per bin of one block: shared 32-bit words flushed to global 64-bit (counts) and 128-bit (products) totals, or global ones.
// Slots 1..bins are bins; the others take what is not counted. Overflow is impossible: a block flushes before it can hold
// more than flush_pairs pairs (2^32 - 1 counts; 2^27 - 1 products of at most 2^36).
#pragma once
#include "job.cuh"

namespace albireo {

// round_ties_even((u1 * u2) * 2^36): the scaling is exact, and adding 1.5 * 2^52 leaves the rounded integer in the low mantissa.
__device__ __forceinline__ i64 fixed_product(double u1, double u2) {
    double shifted = __fma_rn(__dmul_rn(u1, u2), 68719476736.0, 6755399441055744.0);
    return __double_as_longlong(shifted) - 0x4338000000000000LL;
}

// total += value, 128 bits in two words.
__device__ __forceinline__ void add_wide(u64* total, i64 value) {
    u64 old = atomicAdd(total, (u64)value);
    u64 carry = old + (u64)value < old ? 1 : 0;
    u64 high = (u64)(value >> 63) + carry;
    if (high) atomicAdd(total + 1, high);
}

#if ALBIREO_HISTOGRAM == 0

struct Histogram {
    u32* counts;
    u32 slots;

    static __device__ __forceinline__ u32 words(u32 slots) { return ALBIREO_WEIGHTED ? 3 * slots : slots; }

    __device__ __forceinline__ void clear() {
        for (u32 k = threadIdx.x; k < words(slots); k += ALBIREO_THREADS) counts[k] = 0;
    }

    __device__ __forceinline__ void add(const Job&, u32 slot) { tally_shared(counts + slot); }

    __device__ __forceinline__ void shift_count(const Job&, u32 slot, int by) { add_shared(counts + slot, (u32)by); }

    __device__ __forceinline__ void add_product(const Job&, u32 slot, i64 q) {
        u32 low = (u32)q, high = (u32)(q >> 32);
        u32 old = add_shared(counts + slots + slot, low);
        high += old + low < old ? 1u : 0u;
        if (high) add_shared(counts + 2 * slots + slot, high);
    }

    __device__ void flush(const Job& job) {
        settle();
        __syncthreads();
        for (u32 bin = threadIdx.x; bin < job.bins; bin += ALBIREO_THREADS) {
            u32 slot = bin + 1;
            u32 count = counts[slot];
            if (count) atomicAdd(job.counts + bin, (u64)count);
#if ALBIREO_WEIGHTED
            u64 sum = (u64)counts[2 * slots + slot] << 32 | counts[slots + slot];
            if (sum) add_wide(job.sums + 2 * (u64)bin, (i64)sum);
#endif
        }
        __syncthreads();
    }
};

#else

struct Histogram {
    u32* counts;
    u32 slots;

    static __device__ __forceinline__ u32 words(u32) { return 0; }
    __device__ __forceinline__ void clear() {}
    __device__ __forceinline__ void flush(const Job&) {}

    __device__ __forceinline__ void shift_count(const Job& job, u32 slot, int by) {
        if (slot - 1 < job.bins) atomicAdd(job.counts + (slot - 1), (u64)(i64)by);
    }
    __device__ __forceinline__ void add(const Job& job, u32 slot) { shift_count(job, slot, 1); }
    __device__ __forceinline__ void add_product(const Job& job, u32 slot, i64 q) {
        if (slot - 1 < job.bins) add_wide(job.sums + 2 * (u64)(slot - 1), q);
    }
};

#endif

}  // namespace albireo
