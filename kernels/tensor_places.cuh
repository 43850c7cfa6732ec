// Where pairs of tensor cores are counted: of a squared separation, and of what both points have along the line of sight, floats from 128 on whose
// third byte is a slot and whose lower half the fraction. `src/engine/cuda/tensor.rs` proves how far they may be off.
#pragma once
#include "neighbours.cuh"
#include "tensor.cuh"

namespace albireo {

static const u32 SETS = 2 * ALBIREO_POINTS;  // of sixteen seconds, of a warp in a pass
static const u32 PAIRS = 4 * SETS;           // of a lane in a step
// Numbers of a first: what its sums begin with; along the line of sight; and of an observer's line of sight.
static const u32 NUMBERS = ALBIREO_BINNING == 0 ? 1 : ALBIREO_SIGHT == 0 ? 2 : 4;
// Words that tell the places of a lane's pairs.
static const u32 WORDS = ALBIREO_BINNING == 0 ? PAIRS / 2 : PAIRS;
// A pair that is counted in place 0, which is no bin: surely, or in doubt.
static const float NOWHERE = 128.5f, UNKNOWN = 128.0f;

// The centre of a tile: in fractions, and twice where an observer sees it, with the square of that.
struct Centre {
    Fractions at;
#if ALBIREO_BINNING != 0 && ALBIREO_SIGHT == 1
    Near seen;
    float square;

    __device__ __forceinline__ Centre(const DeviceJob& job, Fractions at) : at(at), seen(observer(job, at)), square(near_dot(seen, seen)) {}
    // 2 c.p + |p|^2: its difference between two points is that of their squared distances from the observer.
    __device__ __forceinline__ float along(Held p) const {
        const double x = p.x, y = p.y, z = p.z;
        return (float)(x * (x + seen.x) + y * (y + seen.y) + z * (z + seen.z));
    }
#else
    __device__ __forceinline__ Centre(const DeviceJob&, Fractions at) : at(at) {}
    __device__ __forceinline__ float along(Held p) const { return p.z; }
#endif
};

// What holds for every pair of a pass.
struct Bounds {
    float nearest2;  // the least squared separation
    float a2, b2;    // squares of the distances of firsts and of seconds from the centre, at most
    float along;     // what a first and a second have along the line of sight, at most

    // How far a squared separation may be off.
    __device__ __forceinline__ float error(const TensorTerms& terms) const { return __fmaf_rn(most(), terms.by_term, terms.least); }
    __device__ __forceinline__ float most() const { return fmaxf(fmaxf(a2, b2), 2.0f * root(a2 * b2)); }
};

// The numbers of two firsts.
struct Two {
    float start[2], along[2], sight[2];

    __device__ __forceinline__ Two(u32 address) : along{0.0f, 0.0f}, sight{0.0f, 0.0f} {
#if ALBIREO_BINNING == 0
        const uint2 v = load_pair(address);
#else
        const uint4 v = load_shared<uint4>(address);
        along[0] = __uint_as_float(v.z), along[1] = __uint_as_float(v.w);
#if ALBIREO_SIGHT == 1
        const uint2 w = load_pair(address + 16);
        sight[0] = __uint_as_float(w.x), sight[1] = __uint_as_float(w.y);
#endif
#endif
        start[0] = __uint_as_float(v.x), start[1] = __uint_as_float(v.y);
    }
};

// What turns squares into places, for a pass.
struct Places {
    float magic, magic_along;
    u32 doubt, doubt_along;  // fractions below these are in doubt
    float near2, sight2;     // squares of a separation and of a line of sight below which the margins hold for no pair in bins

    static __device__ __forceinline__ u32 margin(float error) { return (u32)(error * 1.001f) + 1; }
    static __device__ __forceinline__ float shifted(float magic, u32 margin) { return magic + (float)margin * (1.0f / 65536.0f); }

    // `base` is added to the places across. True where pairs may be nearer, or seen along shorter lines of sight, than the margins hold for.
    __device__ __forceinline__ bool set(const DeviceJob& job, const Bounds& bounds, const Centre& centre, u32 base) {
        const TensorTerms& terms = job.tensor;
        const float square = bounds.error(terms);
        near2 = ALBIREO_BINNING == 1 ? fmaxf(square * terms.near, terms.near2) : terms.lowest2;
        const float least2 = fmaxf(bounds.nearest2, near2);
        const u32 across = margin(__fmaf_rn(square * terms.over, inverse_root(fmaxf(least2, terms.lowest2)), terms.fixed));
        doubt = 2 * across;
        magic = shifted(job.across.magic + (float)base, across);
        bool careful = false;
#if ALBIREO_BINNING != 0
        float error = terms.along_fixed;
#if ALBIREO_BINNING == 1
        careful = bounds.nearest2 < near2;
        const float inverse = inverse_root(least2);
        float cosine = inverse * __fmaf_rn(0.5f * square, inverse, terms.offset);
#if ALBIREO_SIGHT == 1
        const float longest = __fmaf_rn(2.0f, bounds.along, centre.square) + __fmaf_rn(4.0f, bounds.most(), terms.sight_least);
        sight2 = longest * (1.0f / 32.0f);
        const float shortest = fmaxf(root(centre.square) - root(bounds.a2) - root(bounds.b2), 0.0f) * 0.9999f;
        careful = careful || shortest * shortest < sight2;
        const float by_sight = inverse_root(fmaxf(shortest * shortest, sight2));
        cosine += by_sight * (terms.sight + terms.rounding * bounds.along * inverse + 0.5f * by_sight * __fmaf_rn(3.0f * terms.rounding, longest, square));
#endif
        error = __fmaf_rn(cosine, terms.along_steps, error);
#endif
        doubt_along = 2 * margin(error);
        magic_along = shifted(job.along.magic, doubt_along / 2);
#endif
        return careful;
    }

    // Finds the places of a pair.
    template <bool CAREFUL>
    __device__ __forceinline__ void find(const DeviceJob& job, float square, float first, float sight, float second, float& across, float& along) const {
#if ALBIREO_BINNING == 1
        const float difference = __fsub_rn(first, second);
#if ALBIREO_SIGHT == 0
        const float inverse = inverse_root(square);
        const bool unknown = square < near2;
        across = __fmaf_rz(__fmul_rn(square, inverse), job.across.scale, magic);
#else
        // |x + y|^2 = 2 |x|^2 + 2 |y|^2 - |x - y|^2.
        const float length2 = __fsub_rn(__fmaf_rn(2.0f, second, sight), square), inverse = inverse_root(__fmul_rn(square, length2));
        const bool unknown = square < near2 || length2 < sight2;
        across = __fmaf_rz(root(square), job.across.scale, magic);
#endif
        along = __fmaf_rz(__fmul_rn(ALBIREO_SIGNED ? difference : fabsf(difference), inverse), job.along.scale, magic_along);
        if (CAREFUL && unknown) across = along = UNKNOWN;
#else
        across = __fmaf_rz(root(square), job.across.scale, magic), along = 0.0f;
#if ALBIREO_BINNING == 2
        const float difference = __fsub_rn(first, second), least = fminf(ALBIREO_SIGNED ? difference : fabsf(difference), job.along.high);
        along = __fmaf_rz(ALBIREO_SIGNED ? fmaxf(least, job.along.low) : least, job.along.scale, magic_along);
#endif
#endif
    }

    // Whether the least fractions of some pairs are in doubt.
    __device__ __forceinline__ bool doubts(u32 least) const {
        return (least & 0xffffu) < doubt || (ALBIREO_BINNING != 0 && least >> 16 < doubt_along);
    }
    // The upper bytes of fractions that may be in doubt, at most.
    __device__ __forceinline__ u32 limits() const { return (doubt - 1) >> 8 | (ALBIREO_BINNING == 0 ? 0 : (doubt_along - 1) >> 8 << 8); }
};

#if ALBIREO_BINNING == 0

// Sums of a block, each in 256 bytes: a word for each lane of two warps, so that no lane waits for another. Their address is part of a place.
struct Counters {
    u32 at, lane4;
    u32* words;

    __device__ __forceinline__ unsigned char* set(const DeviceJob& job, unsigned char* memory) {
        const u32 begin = shared_address(memory);
        at = (begin + 255) & ~255u;
        words = (u32*)(memory + (at - begin));
        lane4 = (threadIdx.x & 63) * 4;
        return (unsigned char*)words + job.places.slots * 256;
    }
    // The sums of another lane of this warp.
    __device__ __forceinline__ Counters of_lane(u32 lane) const { return {at, (lane + (threadIdx.x & 32)) * 4, words}; }
    __device__ __forceinline__ u32 base() const { return at >> 8; }
    // The most that a sum grows by where each warp of a block has so many steps.
    static __device__ __forceinline__ u64 growth(u64 steps) { return steps * PAIRS * ((ALBIREO_THREADS / 32 + 1) / 2); }

    __device__ __forceinline__ void tally(float across, float) const { tally_shared(lane_address(__float_as_uint(across), lane4)); }
    static __device__ __forceinline__ u32 lesser(u32 least, float across, float) { return lower_fraction(least, __float_as_uint(across)); }
    // What `words_of` kept of pair k: its place, and whether that may be in doubt.
    __device__ __forceinline__ u32 place(const DeviceJob&, const u32* kept, u32 k) const { return (kept[k / 2] >> k % 2 * 16 + 8 & 255u) - base(); }
    static __device__ __forceinline__ bool doubts(const u32* kept, u32 k, u32 limits) { return (kept[k / 2] >> k % 2 * 16 & 255u) <= limits; }
    static __device__ __forceinline__ u32 kept_of(const float (&across)[PAIRS], const float (&)[PAIRS], u32 word) {
        return middle_bytes(across[2 * word], across[2 * word + 1]);
    }
    __device__ __forceinline__ void shift_count(const DeviceJob&, u32 place, int by) const { add_shared(at + place * 256 + lane4, (u32)by); }

    __device__ void clear(const DeviceJob& job) const {
        for (u32 k = threadIdx.x; k < job.places.slots * 64; k += ALBIREO_THREADS) words[k] = 0;
    }
    __device__ void flush(const DeviceJob& job) const {
        settle();
        __syncthreads();
        for (u32 place = threadIdx.x / 32; place < job.places.slots; place += ALBIREO_THREADS / 32) {
            const u32 a = words[place * 64 + (threadIdx.x & 31)], b = words[place * 64 + 32 + (threadIdx.x & 31)];
            const u32 low = __reduce_add_sync(0xffffffffu, (a & 0xffff) + (b & 0xffff));
            const u32 high = __reduce_add_sync(0xffffffffu, (a >> 16) + (b >> 16));
            const u64 sum = ((u64)high << 16) + low;
            const u32 bin = bin_of(job, place);
            if ((threadIdx.x & 31) == 0 && sum && bin < job.sums.bins) atomicAdd(job.sums.counts + bin, sum);
        }
        __syncthreads();
    }
};

#else

// Sums of a block, one word each.
struct Counters {
    Histogram histogram;
    u32 origin, strides;  // of addresses: that of place 0, and the bytes from one slot across to the next, as two numbers, and along

    __device__ __forceinline__ unsigned char* set(const DeviceJob& job, unsigned char* memory) {
        histogram.set(job, (u32*)memory);
        const u32 stride = 4 * job.places.stride, most = stride < 255 ? stride : 255;
        origin = shared_address(memory);
        strides = most | (stride - most) << 8 | 4u << 16;
        return memory + (job.places.slots + 3) / 4 * 16;
    }
    __device__ __forceinline__ const Counters& of_lane(u32) const { return *this; }
    static __device__ __forceinline__ u32 base() { return 0; }
    static __device__ __forceinline__ u64 growth(u64 steps) { return steps * PAIRS * ALBIREO_THREADS; }

    __device__ __forceinline__ void tally(float across, float along) const {
        tally_shared(sum_of_bytes(third_bytes(__float_as_uint(across), __float_as_uint(along)), strides) + origin);
    }
    static __device__ __forceinline__ u32 lesser(u32 least, float across, float along) {
        return lower_fractions(least, lower_halves(__float_as_uint(across), __float_as_uint(along)));
    }
    static __device__ __forceinline__ u32 place(const DeviceJob& job, const u32* kept, u32 k) {
        return (kept[k] >> 8 & 255u) * job.places.stride + (kept[k] >> 24);
    }
    static __device__ __forceinline__ bool doubts(const u32* kept, u32 k, u32 limits) {
        return (kept[k] & 255u) <= (limits & 255u) || (kept[k] >> 16 & 255u) <= limits >> 8;
    }
    static __device__ __forceinline__ u32 kept_of(const float (&across)[PAIRS], const float (&along)[PAIRS], u32 word) {
        return middle_bytes(across[word], along[word]);
    }
    __device__ __forceinline__ void shift_count(const DeviceJob& job, u32 place, int by) const { histogram.shift_count(job, place, by); }
    __device__ void clear(const DeviceJob&) {
        histogram.clear();
    }
    __device__ void flush(const DeviceJob& job) { histogram.flush(job); }
};

#endif

}  // namespace albireo
