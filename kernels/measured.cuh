// Sums of separations alone, in a dense sweep: every pair is measured in float64 by fewer operations than the rule takes, and taken in where
// its place and its fixed-point separation are sure; the rule decides the others. Lengths are multiples of the power of two above the last
// edge: all that is trusted of them lies in [2^-62, 2^63], and nothing in bins reaches 1.
//
// The separation. With u = 2^-53, the differences are the rule's own, to the last bit. Fused, the sum of squares is off by 3 u at most, as
// the rule's is, so that the roots of both differ by 3 u; the rule rounds its root once more: 4 u. `near_root` adds less than 1.7 u, below.
// In units of 2^-51 this is 1.5 for what is in bins, and 2 with the rounding to a unit: less than half of DOUBT.
// The slot, in bins of equal width. The host sees to it that edges are off by 2^-24 of a bin at most and that slot numbers stay below 2^19,
// so that 6 u of the separation and the roundings are 2^-31 of a bin: less than SLACK together. Other edges are compared with the leading
// 21 bits of the square, in a table whose margins know of that.
#pragma once

namespace albireo {

// Bits of a separation below those that are summed, and how many units of them are in doubt about a half.
static const u32 BELOW = 15, DOUBT = 8;
// 2^20 more than a number: the high word holds its integer, the low one its fraction.
static const u32 WHOLE = 0x41300000u;
// What of a fraction is in doubt below and above an edge: 2^-22 of a bin. The host has added it to the offset of slots.
static const u32 SLACK = 1024;

// sqrt(r2), for r2 from 2^-125 to 2^126. Let w = r2 y^2 = 1 - t. The leading bits give y to 2^-19: half of 2^-20 from those of r2 that are
// left out, 2^-22.9 of the inverse root, 2^-20 from its own. So |t| < 2^-17.9, and the term left out of
// 1 / sqrt(1 - t) = 1 + t/2 + 3/8 t^2 + 5/16 t^3 + .. is below u / 2. h is rounded once, which moves t along with it: half a u is left of that; the
// last operation rounds by u / 2, the others by u t.
__device__ __forceinline__ double near_root(double r2) {
    const float leading = __uint_as_float((high_word(r2) << 3) - (896u << 23));
    const double y = of_words((__float_as_uint(inverse_root(leading)) >> 3) + (896u << 20), 0);
    const double h = __dmul_rn(r2, y), t = __fma_rn(-h, y, 1.0);
    return __fma_rn(__dmul_rn(h, t), __fma_rn(t, 0.375, 0.5), h);
}

// What is known of a pair.
struct Measured {
    u32 place;  // among the sums, where it is sure
    u64 term;
    bool sure;
    bool doubt;  // neither sure nor surely in no bin
};

// The pair whose scaled difference is d.
__device__ __forceinline__ Measured measure(const DeviceJob& job, const uint2* table, Triple d) {
    double r2 = __fma_rn(d.z, d.z, __fma_rn(d.y, d.y, __dmul_rn(d.x, d.x)));
    // Squares below 2^-125 are those of separations that are 0 in fixed point and below every edge but 0.
    const u32 high = high_word(r2);
    r2 = of_words(high > 0x38200000u ? high : 0x38200000u, low_word(r2));
    const double s = near_root(r2);
    // In units of 2^-51, half a term more so that terms are rounded, and half of what is in doubt.
    const double fixed = __fma_rn(s, 2251799813685248.0, 4503599627370496.0 + (1u << (BELOW - 1)) + DOUBT / 2);
    const bool whole = (low_word(fixed) & ((1u << BELOW) - DOUBT)) != 0;
    Measured pair;
    pair.term = ((u64)high_word(fixed) << 32 | low_word(fixed)) >> BELOW;
#if ALBIREO_EDGES == 0
    const double slot = __fma_rn(s, job.across.guess_scale, job.across.guess_offset);
    pair.place = high_word(slot) - WHOLE;
    // The place beyond the bins takes in what is close to the last edge. It is never read.
    const bool held = pair.place - 1 <= job.across.bins;
    pair.sure = held && low_word(slot) >= 2 * SLACK && whole;
    pair.doubt = held && !pair.sure;
#else
    const float leading = __uint_as_float((high_word(r2) << 3) - (896u << 23));
    const Guess guess = table_slot(job.across, table, leading);
    pair.place = guess.raw;
    const bool held = pair.place - 1 < job.across.bins;
    pair.sure = held && !guess.doubt && whole;
    pair.doubt = (held || guess.doubt) && !pair.sure;
#endif
    return pair;
}

// Takes in a pair that is sure.
__device__ __forceinline__ void take_in(const Histogram& histogram, const Measured& pair) {
    // What `fixed` is more than a separation, of the words that are added.
    const u32 more = 0x43300000u >> BELOW;
    const u32 at = histogram.address(pair.place), low = (u32)pair.term;
    const u32 old = add_shared(histogram.low(at), low);
    tally_shared(at);
    add_shared(histogram.high(at), add_with_carry(old, low, (u32)(pair.term >> 32), 0u - more));
}

// What the rule adds to differences under an image of the second point, in scaled lengths. A pair in bins has no other image as near
// (the host sees to it), so that under another than its nearest it is surely in none.
__device__ __forceinline__ Triple moved_by(const DeviceJob& job, u32 image) {
    if (image == ANY_IMAGE) return {0.0, 0.0, 0.0};
    const int nx = (int)(image & 15) - 8, ny = (int)(image >> 4 & 15) - 8, nz = (int)(image >> 8 & 15) - 8;
    const double unit = job.grid.unit;
#if ALBIREO_DOMAIN == 2
    // The rule searches no further images: they are farther than any bin.
    if (nx < -2 || nx > 2 || ny < -2 || ny > 2 || nz < -2 || nz > 2) return {FAR_AWAY, 0.0, 0.0};
    const double* t = job.images.translations + 3 * preference_of(-nx, -ny, -nz);
    return {__dmul_rn(t[0], unit), __dmul_rn(t[1], unit), __dmul_rn(t[2], unit)};
#else
    return {__dmul_rn(-nx * unit, job.images.length[0]), __dmul_rn(-ny * unit, job.images.length[1]),
            __dmul_rn(-nz * unit, job.images.length[2])};
#endif
}

// Every pair of the tile with this thread's seconds, which `moves` bring to their images; with GUARDED those that `seconds` admits.
template <bool GUARDED, bool MOVED, class Seconds>
__device__ __forceinline__ void measure_all(const DeviceJob& job, const Histogram& histogram, const uint2* table, u32 n_first, u64 first,
                                            const Held (&held)[POINTS], const Triple (&moves)[POINTS], const Seconds& seconds, Queue& queue) {
    ALBIREO_SHARED(memory);
    const u32 tile = kept(shared_address(memory));
    for (u32 i = 0; i < n_first;) {
        // Without a call in it, this loop keeps all it needs in registers.
        u32 doubtful;
        do {
            const Held a = load_shared<Held>(tile + i * (u32)sizeof(Held));
            doubtful = 0;
#pragma unroll
            for (int k = 0; k < POINTS; ++k) {
                Triple d = difference({a.x, a.y, a.z}, {held[k].x, held[k].y, held[k].z});
                if (MOVED) d = sum(d, moves[k]);
                const Measured pair = measure(job, table, d);
                const bool admitted = !GUARDED || seconds.admits(first + i, k);
                if (pair.sure && admitted) take_in(histogram, pair);
                doubtful |= pair.doubt && admitted ? 1u << k : 0;
            }
            ++i;
        } while (i < n_first && !__any_sync(0xffffffffu, doubtful != 0));
        queue.push(job, histogram, first + i - 1, seconds, doubtful);
    }
}

// The same, with the moves left out where a warp has none. The tile lies where shared memory begins.
template <bool GUARDED, class Seconds>
__device__ __forceinline__ void sweep(const DeviceJob& job, const Histogram& histogram, const uint2* table, const double*, u32 n_first,
                                      u64 first, const Held (&held)[POINTS], const double (&)[POINTS], const Seconds& seconds, Near, Queue& queue) {
    Triple moves[POINTS];
    bool moved = false;
#pragma unroll
    for (int k = 0; k < POINTS; ++k) {
        u64 row;
        u32 image = ANY_IMAGE;
        seconds.find(threadIdx.x, k, row, image);
        moves[k] = moved_by(job, image);
        moved = moved || moves[k].x != 0.0 || moves[k].y != 0.0 || moves[k].z != 0.0;
    }
    // Guarded pairs are those of cells with themselves.
    if (!GUARDED && __any_sync(0xffffffffu, moved)) measure_all<GUARDED, true>(job, histogram, table, n_first, first, held, moves, seconds, queue);
    else measure_all<GUARDED, false>(job, histogram, table, n_first, first, held, moves, seconds, queue);
}

}  // namespace albireo
