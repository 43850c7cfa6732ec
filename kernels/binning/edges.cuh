// Where a value lies among edges: exactly (twin of src/binning/edges.rs) and by the float32 filter.
// A slot is the number of edges at or below the value: 0 and bins + 1 are outside, slot k + 1 is bin k. Beside these the sums hold
// slots of no bin, so that the filter needs no test of where a value lies.
#pragma once
#include "separation.cuh"

namespace albireo {

// Number of squared edges at or below `value`, walking from a guess at it. Any guess gives the same answer, but for the filter of equal
// widths: its guess is never too low, since it adds its error bound before it rounds down.
__device__ __forceinline__ u32 edges_at_or_below(const DeviceAxis& axis, double value, u32 guess) {
    u32 slot = guess > axis.bins + 1 ? axis.bins + 1 : guess;
    while (slot > 0 && axis.squares[slot - 1] > value) --slot;
#if ALBIREO_PRECISION == 0 || ALBIREO_EDGES == 1
    while (slot <= axis.bins && axis.squares[slot] <= value) ++slot;
#endif
    return slot;
}

// The guess of the plain float64 kernel: any will do, and a float32 root is cheap.
__device__ __forceinline__ u32 guess_slot(const DeviceAxis& axis, double value) {
    const float t = root((float)(value * (axis.guess_scale * axis.guess_scale))) + (float)axis.guess_offset;
    return t > 0.0f ? (t < (float)axis.bins ? (u32)t + 1 : axis.bins + 1) : 0;
}

// Whether (negative, value2) lies above edge k or, unless negative, on it, comparing value2 with edge^2 * scale.
__device__ __forceinline__ bool reaches(const DeviceAxis& axis, u32 k, bool negative, double value2, double scale) {
    double bound = __dmul_rn(axis.squares[k], scale);
    if (axis.values[k] < 0.0) return !negative || value2 < bound;
    return !negative && value2 >= bound;
}

// Number of signed edges that the coordinate reaches whose square is value2 / scale.
__device__ __forceinline__ u32 signed_edges_reached(const DeviceAxis& axis, bool negative, double value2, double scale) {
    negative = negative && axis.values[0] < 0.0;
    u32 low = 0, high = axis.bins + 1;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (reaches(axis, middle, negative, value2, scale)) low = middle + 1;
        else high = middle;
    }
    return low;
}

// What the filter says of a pair: its slot, numbered so that nothing need be subtracted; whether that is in doubt; and false where the
// pair is surely in no bin.
struct Guess {
    u32 raw;
    bool doubt;
    bool counted;
};

// Equally wide bins: the slot in fixed point is the mantissa of one sum rounded towards zero.
__device__ __forceinline__ Guess linear_slot(const DeviceAxis& axis, float value) {
    u32 bits = __float_as_uint(__fmaf_rz(value, axis.scale, axis.magic));
    return {bits >> axis.shift, (bits & axis.mask) == 0, true};
}

// The same with every fraction bit in the test, for axes where doubt is common.
__device__ __forceinline__ Guess along_slot(const DeviceAxis& axis, float value) {
    u32 bits = __float_as_uint(__fmaf_rz(value, axis.scale, axis.magic));
    return {bits >> axis.shift, (bits & axis.mask) < axis.doubt, true};
}

// The same for a cosine along a fixed axis, whose error grows with the inverse of the separation.
__device__ __forceinline__ Guess cosine_slot(const DeviceJob& job, float value, float inverse) {
    const DeviceAxis& axis = job.along;
    u32 bits = __float_as_uint(__fmaf_rz(value, axis.scale, axis.magic));
    // Both mantissas are whole steps above those of 2^23.
    u32 doubt = __float_as_uint(__fmaf_rn(inverse, job.filter.doubt_by_inverse, job.filter.doubt_least));
    return {bits >> axis.shift, ((bits + doubt) & axis.mask) < 2 * doubt - 2 * 0x4B000000u, true};
}

// Any edges: a table over the leading bits of the squared value holds the one edge that may be near.
__device__ __forceinline__ Guess table_slot(const DeviceAxis& axis, const uint2* table, float value2) {
    u32 key = __float_as_uint(value2) >> axis.key_shift;
    key = key < axis.key_low ? axis.key_low : (key > axis.key_high ? axis.key_high : key);
    uint2 entry = table[key - axis.key_low];
    float beyond = __fsub_rn(value2, __uint_as_float(entry.x));
    u32 slot = (entry.y & 0xffffu) + (beyond >= 0.0f ? 1u : 0u);
    return {slot, fabsf(beyond) <= __uint_as_float(entry.y & 0xffff0000u), slot <= axis.bins};
}

// The slot along the axis across (r, s, rp) of a value >= 0 and its square.
__device__ __forceinline__ Guess across_slot(const DeviceAxis& axis, const uint2* table, float value, float value2) {
#if ALBIREO_EDGES == 0
#if ALBIREO_CLAMP
    const bool counted = value < axis.high;
#if ALBIREO_WEIGHTED || ALBIREO_TERMS
    // Pairs that are not counted go elsewhere, from any slot.
    Guess guess = linear_slot(axis, value);
    guess.doubt = guess.doubt && counted;
#else
    Guess guess = linear_slot(axis, fminf(value, axis.high));
#endif
    guess.counted = counted;
    return guess;
#else
    return linear_slot(axis, value);
#endif
#else
    return table_slot(axis, table, value2);
#endif
}

// The place among the sums of slots across and along the line of sight.
__device__ __forceinline__ u32 place_of(const DeviceJob& job, u32 across, u32 along) {
    return job.places.zero + across * job.places.stride + along;
}

// The bin of a place among the sums, at least the number of bins where there is none.
__device__ __forceinline__ u32 bin_of(const DeviceJob& job, u32 place) {
#if ALBIREO_BINNING == 0
    return place - job.across.skip - 1;
#else
    u32 across = place / job.places.stride - job.across.skip - 1;
    u32 along = place % job.places.stride - job.along.skip - 1;
    return across < job.across.bins && along < job.along.bins ? across * job.along.bins + along : job.sums.bins;
#endif
}

// The slot across of a place among the sums.
__device__ __forceinline__ u32 across_of(const DeviceJob& job, u32 place) {
    return (ALBIREO_BINNING == 0 ? place : place / job.places.stride) - job.across.skip;
}

}  // namespace albireo
