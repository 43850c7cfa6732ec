// Sums per bin of each first point of a tile, where the second sample takes part in every realisation: what a pair costs is what it costs in
// one count. When a block leaves the tile, each sum goes to the realisations of its point.
#pragma once
#include "ops/realisations.cuh"

namespace albireo {

// Words of a place: its count; the low and the high word of its sum. Sums lie row after row, then for each lane one of pairs in no bin, then
// place after place those of each realisation, then for each realisation and 32 rows, which of these take part.
struct Histogram {
    static const u32 ROWS = (ALBIREO_TILE + 31) / 32 * 32;
    static const u32 width = ALBIREO_WEIGHTED ? 3 : 1;

    Tables tables;
    u32* rows;
    u32* sums;
    u32* members;
    u32 slots;
    u32 number;    // realisations
    u32 base;      // shared address of place 0 of the row at hand
    u32 filtered;  // that of the filter's slot 0
    u32 aside;     // this lane's place for pairs of no bin
    u64 first;     // the first row of the tile
    u32 n_first;   // and how many there are

    __device__ __forceinline__ u32 halves() const { return (number + 31) / 32; }
    __device__ __forceinline__ u32 row_words() const { return width * slots; }
    static __device__ __forceinline__ u32 aside_words() { return ALBIREO_WEIGHTED ? 32 * width : 0; }
    __device__ __forceinline__ u32 words() const {
        return row_words() * (ROWS + number) + aside_words() + ROWS * halves();
    }

    __device__ __forceinline__ void set(const DeviceJob& job, u32* words) {
        slots = (job.places.slots + 3) / 4 * 4;
        number = job.realisations;
        rows = words;
        sums = rows + row_words() * ROWS + aside_words();
        members = sums + row_words() * number;
        base = shared_address(words);
        filtered = base + 4 * width * job.places.bias;
        aside = base + 4 * (row_words() * ROWS + width * (threadIdx.x & 31));
        first = 0;
        n_first = 0;
    }

    // The sums of a row of the tile.
    __device__ __forceinline__ Histogram of_row(u32 row) const {
        Histogram own = *this;
        own.base += 4 * row_words() * row;
        own.filtered += 4 * row_words() * row;
        return own;
    }

    __device__ __forceinline__ void clear_rows() {
        for (u32 k = threadIdx.x; k < row_words() * ROWS; k += ALBIREO_THREADS) rows[k] = 0;
    }
    __device__ __forceinline__ void clear() {
        clear_rows();
        for (u32 k = threadIdx.x; k < row_words() * number; k += ALBIREO_THREADS) sums[k] = 0;
    }

    // Begins with a tile; the rows have no pair yet.
    __device__ __forceinline__ void begin(const DeviceJob& job, u64 first_row, u32 n_rows) {
        first = first_row;
        n_first = n_rows;
        const u32 lane = threadIdx.x & 31;
        for (u32 at = threadIdx.x / 32; at < ROWS / 32 * halves(); at += ALBIREO_THREADS / 32) {
            const u32 row = at / halves() * 32 + lane;
            members[32 * at + lane] = transposed(row < n_rows ? half_of(job.first, first_row + row, at % halves()) : 0);
        }
    }
    // Which of 32 rows take part in realisation k.
    __device__ __forceinline__ u32 members_of(u32 rows_before, u32 k) const { return members[rows_before * halves() + k]; }

    // Adds what the rows have to the realisations of their points, four places of each row at once: a lane has one realisation in 32, and each
    // sum is one lane's.
    __device__ __forceinline__ void add_rows(const DeviceJob& job) {
        settle();
        __syncthreads();
        for (u32 at = threadIdx.x / 32; at < slots / 4 * halves(); at += ALBIREO_THREADS / 32) {
            const u32 place = at / halves() * 4, k = at % halves() * 32 + (threadIdx.x & 31);
            u32 pairs[4] = {};
            u64 sum[4] = {};
            for (u32 begin = 0; begin < n_first; begin += 32) {
                const u32 which = members_of(begin, k);
#pragma unroll 8
                for (u32 i = 0; i < 32; ++i) {
                    u32 words[4 * width];
#pragma unroll
                    for (u32 n = 0; n < width; ++n) {
                        const uint4 four = *(const uint4*)(rows + (begin + i) * row_words() + width * place + 4 * n);
                        words[4 * n] = four.x, words[4 * n + 1] = four.y, words[4 * n + 2] = four.z, words[4 * n + 3] = four.w;
                    }
                    if (which >> i & 1) {
#pragma unroll
                        for (u32 n = 0; n < 4; ++n) {
                            pairs[n] += words[width * n];
                            if (ALBIREO_WEIGHTED) sum[n] += (u64)words[width * n + width - 1] << 32 | words[width * n + width / 2];
                        }
                    }
                }
            }
            if (k >= number) continue;
#pragma unroll
            for (u32 n = 0; n < 4; ++n) {
                u32* own = sums + width * ((place + n) * number + k);
                own[0] += pairs[n];
                if (ALBIREO_WEIGHTED) {
                    const u64 total = sum[n] + ((u64)own[width - 1] << 32 | own[width / 2]);
                    own[width / 2] = (u32)total;
                    own[width - 1] = (u32)(total >> 32);
                }
            }
        }
    }

    // Leaves the tile.
    __device__ __forceinline__ void end(const DeviceJob& job) {
        add_rows(job);
        __syncthreads();
        clear_rows();
    }

    __device__ __forceinline__ u32 address(const Guess& guess) const { return filtered + 4 * width * guess.raw; }
    __device__ __forceinline__ u32 address(u32 place) const { return base + 4 * width * place; }
    static __device__ __forceinline__ u32 low(u32 address) { return address + 4; }
    static __device__ __forceinline__ u32 high(u32 address) { return address + 8; }

    __device__ __forceinline__ void shift_count(const DeviceJob&, u32 place, int by) const {
        if (place < slots) add_shared(address(place), (u32)by);
    }
    __device__ __forceinline__ void shift_sum(const DeviceJob&, u32, u32 place, i64 q) const {
        if (place >= slots) return;
        const u32 at = address(place) + 4, old = add_shared(at, (u32)q);
        add_shared(at + 4, (u32)(q >> 32) + (old + (u32)q < old ? 1u : 0u));
    }

    __device__ void flush(const DeviceJob& job) {
        add_rows(job);
        for (u32 at = threadIdx.x; at < slots * number; at += ALBIREO_THREADS) {
            const u32* own = sums + width * at;
            if (!own[0]) continue;
            const u32 bin = bin_of(job, at / number);
            if (bin >= job.sums.bins) continue;
            tables.each(job, bin, at % number, [&](u64 to) {
                atomicAdd(job.sums.counts + to, (u64)own[0]);
                const u64 total = (u64)own[width - 1] << 32 | own[width / 2];
                if (ALBIREO_WEIGHTED && total) add_wide(job.sums.sums + 2 * to, (i64)total);
            });
        }
        __syncthreads();
    }
};

}  // namespace albireo
