// Sums per bin of one block: shared 32-bit words flushed to global 64-bit (counts) and 128-bit (products) totals, or global ones.
// Overflow is impossible: a block flushes before it can hold more than flush_pairs pairs (2^32 - 1 counts; 2^27 - 1 products of at
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

// total += value, 128 bits in two words.
__device__ __forceinline__ void add_wide(u64* total, i64 value) {
    u64 old = atomicAdd(total, (u64)value);
    u64 carry = old + (u64)value < old ? 1 : 0;
    u64 high = (u64)(value >> 63) + carry;
    if (high) atomicAdd(total + 1, high);
}

#if ALBIREO_HISTOGRAM == 0

// A word for each place: its count; with weights three: its count, and the low and the high word of its sum.
struct Histogram {
    static const u32 WORDS = ALBIREO_WEIGHTED ? 3 : 1;

    u32* counts;
    u32 slots;
    u32 base;      // shared address of place 0
    u32 filtered;  // the address that the filter's slot 0 would have
    u32 aside;     // this lane's place for pairs of no bin, after all others

    __device__ __forceinline__ u32 words() const { return WORDS * slots; }

    __device__ __forceinline__ void set(const Job& job, u32* words) {
        counts = words;
        slots = job.slots + (ALBIREO_WEIGHTED ? 32 : 0);
        base = shared_address(words);
        filtered = address(job.bias);
        aside = address(job.slots + (threadIdx.x & 31));
    }

    __device__ __forceinline__ void clear() {
        for (u32 k = threadIdx.x; k < words(); k += ALBIREO_THREADS) counts[k] = 0;
    }

    __device__ __forceinline__ u32 address(const Guess& guess) const { return filtered + 4 * WORDS * guess.raw; }
    __device__ __forceinline__ u32 address(u32 place) const { return base + 4 * WORDS * place; }
    static __device__ __forceinline__ u32 low(u32 address) { return address + 4; }
    static __device__ __forceinline__ u32 high(u32 address) { return address + 8; }

    __device__ __forceinline__ void shift_count(const Job&, u32 place, int by) const { add_shared(address(place), (u32)by); }

    __device__ __forceinline__ void shift_product(const Job&, u32 place, i64 q) const {
        const u32 at = address(place), old = add_shared(low(at), (u32)q);
        add_shared(high(at), (u32)(q >> 32) + (old + (u32)q < old ? 1u : 0u));
    }

    __device__ void flush(const Job& job) {
        settle();
        __syncthreads();
        for (u32 bin = threadIdx.x; bin < job.bins; bin += ALBIREO_THREADS) {
            u32 place = place_of_bin(job, bin);
            const u32* words = counts + WORDS * place;
            u32 count = words[0];
            if (count) atomicAdd(job.counts + bin, (u64)count);
#if ALBIREO_WEIGHTED
            u64 sum = (u64)words[2] << 32 | words[1];
            if (sum) add_wide(job.sums + 2 * (u64)bin, (i64)sum);
#endif
        }
        __syncthreads();
    }
};

#else

struct Histogram {
    __device__ __forceinline__ u32 words() const { return 0; }
    __device__ __forceinline__ void set(const Job&, u32*) {}
    __device__ __forceinline__ void clear() {}
    __device__ __forceinline__ void flush(const Job&) {}

    __device__ __forceinline__ void shift_count(const Job& job, u32 place, int by) const {
        const u32 bin = bin_of(job, place);
        if (bin < job.bins) atomicAdd(job.counts + bin, (u64)(i64)by);
    }
    __device__ __forceinline__ void shift_product(const Job& job, u32 place, i64 q) const {
        const u32 bin = bin_of(job, place);
        if (bin < job.bins) add_wide(job.sums + 2 * (u64)bin, q);
    }
};

#endif

}  // namespace albireo
