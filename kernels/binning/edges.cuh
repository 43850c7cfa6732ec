// Where a value lies among edges: exactly (twin of src/binning/edges.rs) and by the float32 filter.
// A slot is the number of edges at or below the value: 0 and bins + 1 are outside, slot k + 1 is bin k.
#pragma once
#include "separation.cuh"

namespace albireo {

// Number of squared edges at or below `value`, walking from a guess at it; any guess gives the same answer.
__device__ __forceinline__ u32 edges_at_or_below(const Axis& axis, double value, u32 guess) {
    u32 slot = guess > axis.bins + 1 ? axis.bins + 1 : guess;
    while (slot > 0 && axis.squares[slot - 1] > value) --slot;
    while (slot <= axis.bins && axis.squares[slot] <= value) ++slot;
    return slot;
}

// The guess of the plain float64 kernel.
__device__ __forceinline__ u32 guess_slot(const Axis& axis, double value) {
    double t = axis.guess_scale * sqrt(value) + axis.guess_offset;
    return t > 0.0 ? (t < axis.bins ? (u32)t + 1 : axis.bins + 1) : 0;
}

// Whether (negative, value2) is at or above edge k, comparing value2 with edge^2 * scale.
__device__ __forceinline__ bool at_or_above(const Axis& axis, u32 k, bool negative, double value2, double scale) {
    double bound = __dmul_rn(axis.squares[k], scale);
    if (axis.values[k] < 0.0) return !negative || value2 <= bound;
    return !negative && value2 >= bound;
}

// Number of signed edges at or below the coordinate whose square is value2 / scale.
__device__ __forceinline__ u32 signed_edges_at_or_below(const Axis& axis, bool negative, double value2, double scale) {
    negative = negative && axis.values[0] < 0.0;
    u32 low = 0, high = axis.bins + 1;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (at_or_above(axis, middle, negative, value2, scale)) low = middle + 1;
        else high = middle;
    }
    return low;
}

struct Guess {
    u32 slot;
    bool doubt;
};

// Equally wide bins: the slot in fixed point is the mantissa of one sum rounded towards zero.
__device__ __forceinline__ Guess linear_slot(const Axis& axis, float value) {
    u32 bits = __float_as_uint(__fmaf_rz(value, axis.scale, axis.magic));
    return {(bits >> axis.shift) - (0x4B000000u >> axis.shift), (bits & axis.mask) < axis.doubt};
}

// Any edges: a table over the leading bits of the squared value holds the one edge that may be near.
__device__ __forceinline__ Guess table_slot(const Axis& axis, const uint2* table, float value2) {
    u32 key = __float_as_uint(value2) >> axis.key_shift;
    key = key < axis.key_low ? axis.key_low : (key > axis.key_high ? axis.key_high : key);
    uint2 entry = table[key - axis.key_low];
    float beyond = __fsub_rn(value2, __uint_as_float(entry.x));
    return {(entry.y & 0xffffu) + (beyond >= 0.0f ? 1u : 0u), fabsf(beyond) <= __uint_as_float(entry.y & 0xffff0000u)};
}

// The slot along the axis across (r, s, rp) of a squared value >= 0.
__device__ __forceinline__ Guess across_slot(const Axis& axis, const uint2* table, float value2) {
#if ALBIREO_EDGES == 0
#if ALBIREO_CLAMP
    value2 = fminf(value2, axis.high);
#endif
    float value = root(value2);
#if ALBIREO_LOW
    value = fmaxf(value, axis.low);
#endif
    return linear_slot(axis, value);
#else
    return table_slot(axis, table, value2);
#endif
}

// The slot along the line of sight (mu, pi), always of equally wide bins.
__device__ __forceinline__ Guess along_slot(const Axis& axis, float value) {
#if !ALBIREO_SIGNED
    value = fabsf(value);
#endif
    return linear_slot(axis, fmaxf(fminf(value, axis.high), axis.low));
}

}  // namespace albireo
