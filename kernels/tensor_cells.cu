// Pairs within reach by tensor cores: the cells of `cells.cu`, of whose tiles eight firsts at a time meet sixteen seconds in one instruction.
// With positions as sums of two halves, measured from the tile's centre, |a - b|^2 is a sum of fifteen products and |a|^2, whose error is bounded in
// `src/engine/cuda/tensor.rs`; `tensor_places.cuh` makes places of it.
#include "tensor_places.cuh"

namespace albireo {

static const u32 GROUP = 16 * SETS;  // seconds of a warp in a pass
static const u32 STEP = 8;           // firsts at a time
static const u32 STEPS = ALBIREO_TILE / STEP;
static const u32 WARPS = ALBIREO_THREADS / 32;
static const u32 WAITING_STEPS = 64;  // of a warp
static const u32 CHUNK = 1u << 22;    // seconds between looks at how much has been counted

// A position as sums of two halves: x and y, z and the rest of x, the rests of y and z; and the square of its length.
struct Split {
    u32 high, middle, low;
    float square;

    // Of what the sum of products is of: with the line of sight along an axis, which comes last, bins across are of the others.
    __device__ __forceinline__ Split(Held p) : Split(p.x, p.y, ALBIREO_BINNING == 2 ? 0.0f : p.z) {}
    __device__ __forceinline__ Split(float x, float y, float z) {
        high = halves(x, y);
        const float hx = low_half(high), hy = high_half(high);
        middle = halves(z, x - hx);
        const float hz = low_half(middle);
        low = halves(y - hy, z - hz);
        // Both sums are exact.
        const float sx = hx + high_half(middle), sy = hy + low_half(low), sz = hz + high_half(low);
        square = __fmaf_rn(sx, sx, __fmaf_rn(sy, sy, __fmul_rn(sz, sz)));
    }
};

// What eight firsts lie within, the largest square of their distances from the tile's centre, and the most that they have along the line of sight.
struct __align__(16) Extent {
    float low[3], high[3], far2, along;
};

// The pairs of a lane and a step, some of which are in doubt: where the seconds begin; lane, step and limits of doubt; and places with what tells
// those in doubt.
struct __align__(8) Waiting {
    uint2 what;
    u32 kept[WORDS];
};

// Floats in the order of integers, and back.
__device__ __forceinline__ int ordered(float v) {
    const int bits = (int)__float_as_uint(v);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}
__device__ __forceinline__ float in_order(int bits) { return __uint_as_float((u32)(bits ^ ((bits >> 31) & 0x7fffffff))); }

// Shared memory of a block, in this order: counters, firsts, what their sums begin with, their extents, seconds, what waits, stretches.
struct Shared {
    Counters counters;
    uint4* firsts;
    float* numbers;  // of two firsts, one beside the other
    Extent* extents;
    uint4* seconds;  // of this warp
    Held* points;    // firsts as floats, before there are seconds
    Waiting* waiting;
    u32* rest;

    __device__ __forceinline__ Shared(const DeviceJob& job, unsigned char* memory) {
        unsigned char* at = counters.set(job, memory);
        firsts = (uint4*)at;
        at += ALBIREO_TILE * 32;
        numbers = (float*)at;
        at += ALBIREO_TILE * 4 * NUMBERS;
        extents = (Extent*)at;
        at += STEPS * sizeof(Extent);
        points = (Held*)at;
        seconds = (uint4*)at + threadIdx.x / 32 * (GROUP * 2);
        at += WARPS * GROUP * 32;
        waiting = (Waiting*)at + threadIdx.x / 32 * WAITING_STEPS;
        at += WARPS * WAITING_STEPS * sizeof(Waiting);
        rest = (u32*)at;
    }
};

// The seconds that a tile meets, of which those from place `own` on are of its own cells; place `own` is row `own_row` of the tile.
struct Seconds {
    Stretches stretches;
    u32 own;
    int own_row;
    u64 first;
    u32 n_first;

    // Every other row of cells is met from its end, so that places next to each other lie beside each other.
    static const u32 BACKWARD = 0x80000000u;

    __device__ __forceinline__ bool find(u32 place, u32& hint, u64& row, u32& image) const {
        if (place >= stretches.total) return false;
        while (stretches.past[hint] <= place) ++hint;
        const u32 offset = place - (hint ? stretches.past[hint - 1] : 0), how = stretches.image[hint];
        row = how & BACKWARD ? stretches.begin[hint] - offset : stretches.begin[hint] + offset;
        image = how & ~BACKWARD;
        return true;
    }
};

// Decides the pairs of a lane and a step that are in doubt. The slot across that they are counted in is never too low, but for place 0.
__device__ __noinline__ void decide_step(const DeviceJob& job, Seconds seconds, Counters counters, const Waiting& entry) {
    const u32 lane = entry.what.y & 31, step = entry.what.y >> 5 & 31;
    u32 which = 0;
#pragma unroll
    for (u32 k = 0; k < PAIRS; ++k) which |= Counters::doubts(entry.kept, k, entry.what.y >> 10) ? 1u << k : 0;
    for (; which; which &= which - 1) {
        const u32 at = __ffs(which) - 1, first = step * STEP + (lane & 3) * 2 + (at & 1);
        const u32 second = entry.what.x + (at >> 2) * 16 + (at >> 1 & 1) * 8 + (lane >> 2);
        if (second >= seconds.stretches.total || first >= seconds.n_first) continue;
        u32 hint = seconds.stretches.search(second), image;
        u64 row;
        seconds.find(second, hint, row, image);
        const u32 place = counters.place(job, entry.kept, at), guess = place ? across_of(job, place) : job.across.bins + 1;
        double across2;
        const Triple x1 = position(job.first, seconds.first + first), x2 = position(job.second, row);
        const u32 truth = exact_pair(job, x1, x2, image, guess, true, across2);
        if (place == truth) continue;
        counters.of_lane(lane).shift_count(job, place, -1);
        counters.of_lane(lane).shift_count(job, truth, 1);
    }
}

// A warp's share of the work on one tile.
struct Warp {
    const DeviceJob& job;
    const Shared& shared;
    const Seconds& seconds;
    u32 steps;      // of the tile
    u32& number;    // of what waits
    uint4 rows[SETS];
    float along[2 * SETS];  // of the seconds of this lane's pairs
    Places places;
    u32 base;  // place of the first of the seconds at hand

    // Decides while there is a warp full of steps; with `all` until there are none.
    __device__ __forceinline__ void drain(bool all) {
        __syncwarp();
        while (number >= 32 || (all && number)) {
            const u32 many = number < 32 ? number : 32, lane = threadIdx.x & 31;
            if (lane < many) decide_step(job, seconds, shared.counters, shared.waiting[number - many + lane]);
            number -= many;
            __syncwarp();
        }
    }

    // Whether the pair of a first and of a second of this lane is to be counted, where the second may be of the tile's own cells.
    __device__ __forceinline__ bool admits(u32 first, u32 second) const {
        const u32 place = base + second;
        if (place < seconds.own) return true;
        if (place >= seconds.stretches.total) return false;
        const int row = (int)(place - seconds.own) + seconds.own_row;
        return job.order == 1 ? (int)first < row : (int)first != row;
    }

    // Steps of the tile against the seconds at hand, up to `past` or until a warp full of them waits; returns the next. With CAREFUL a pair may be
    // one that is not to be counted, or in more doubt than its fractions tell.
    template <bool CAREFUL>
    __device__ __forceinline__ u32 meet(u32 step, u32 past) {
        const u32 lane = threadIdx.x & 31;
        // Of this lane: kept, not worked out again in every step.
        u32 columns = kept(shared_address(shared.firsts) + step * (STEP * 32) + lane * 8);
        u32 numbers = kept(shared_address(shared.numbers) + (step * STEP + (lane & 3) * 2) * (4 * NUMBERS));
        do {
            const uint2 b = load_pair(columns);
            const Two two(numbers);
            const float start[4] = {two.start[0], two.start[1], two.start[0], two.start[1]};
            float d[SETS][4], across[PAIRS], beside[PAIRS];
#pragma unroll
            for (u32 m = 0; m < SETS; ++m) multiply(d[m], rows[m], b, start);
            u32 least = 0xffffffffu;
#pragma unroll
            for (u32 k = 0; k < PAIRS; ++k) {
                places.find<CAREFUL>(job, d[k / 4][k % 4], two.along[k % 2], two.sight[k % 2], along[k / 2], across[k], beside[k]);
                if (CAREFUL && !admits(step * STEP + (lane & 3) * 2 + k % 2, k / 2 * 8 + (lane >> 2)))
                    across[k] = beside[k] = NOWHERE + (float)shared.counters.base();
                shared.counters.tally(across[k], beside[k]);
                least = Counters::lesser(least, across[k], beside[k]);
            }
            const bool doubtful = places.doubts(least);
            if (__any_sync(0xffffffffu, doubtful)) {
                const u32 vote = __ballot_sync(0xffffffffu, doubtful);
                if (doubtful) {
                    Waiting& to = shared.waiting[number + __popc(vote & ((1u << lane) - 1))];
                    to.what = {base, lane | step << 5 | places.limits() << 10};
#pragma unroll
                    for (u32 k = 0; k < WORDS; ++k) to.kept[k] = Counters::kept_of(across, beside, k);
                }
                number += __popc(vote);
                if (number >= 32) return step + 1;
            }
            columns += STEP * 32;
            numbers += STEP * 4 * NUMBERS;
        } while (++step < past);
        return step;
    }

    // Without a call in it, the loop of steps keeps all it needs in registers.
    template <bool CAREFUL>
    __device__ __forceinline__ void meet_all(u32 step, u32 past) {
        while (step < past) {
            step = meet<CAREFUL>(step, past);
            if (number >= 32) drain(false);
        }
    }

    // The seconds from place `base` on. `hint` is where this lane's last one lay.
    __device__ __forceinline__ void pass(u32 place, const Centre& centre, u32& hint) {
        const u32 lane = threadIdx.x & 31;
        const TensorTerms& terms = job.tensor;
        base = place;
        int low[3], high[3];
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) low[axis] = 0x7fffffff, high[axis] = -0x7fffffff;
        u32 far2 = 0, most = 0, image[POINTS];
        u64 row[POINTS];
        // All are found before any is loaded.
        bool is_real[POINTS];
        Held held[POINTS];
#pragma unroll
        for (u32 k = 0; k < POINTS; ++k) {
            row[k] = 0, image[k] = 0;
            is_real[k] = seconds.find(base + k * 32 + lane, hint, row[k], image[k]);
        }
#pragma unroll
        for (u32 k = 0; k < POINTS; ++k) held[k] = hold(job, job.second, row[k], image[k], centre.at);
        __syncwarp();
#pragma unroll
        for (u32 k = 0; k < POINTS; ++k) {
            const bool real = is_real[k];
            const Held b = real ? held[k] : Held{0.0f, 0.0f, 0.0f, 0.0f};
            const Split s(b);
            const float hx = -2.0f * low_half(s.high), hy = -2.0f * high_half(s.high), hz = -2.0f * low_half(s.middle);
            const float rx = -2.0f * high_half(s.middle), ry = -2.0f * low_half(s.low), rz = -2.0f * high_half(s.low);
            uint4* to = shared.seconds + (k * 32 + lane) * 2;
            to[0] = {halves(hx, hy), halves(hz, hx), halves(hy, hz), halves(rx, ry)};
            // The square of its length as three halves.
            const float square = real ? s.square : terms.pad2, most_of = low_half(halves(square, 0.0f));
            const u32 pair = halves(square, square - most_of);
            to[1] = {halves(rz, rx), halves(ry, rz), pair, halves(square - most_of - high_half(pair), 0.0f)};
            if (real) {
                const int at[3] = {ordered(b.x), ordered(b.y), ordered(b.z)};
#pragma unroll
                for (int axis = 0; axis < 3; ++axis) {
                    low[axis] = at[axis] < low[axis] ? at[axis] : low[axis];
                    high[axis] = at[axis] > high[axis] ? at[axis] : high[axis];
                }
                const u32 square = __float_as_uint(s.square);
                far2 = square > far2 ? square : far2;
            }
#if ALBIREO_BINNING != 0
            const float own = centre.along(b);
            const u32 size = __float_as_uint(fabsf(own));
            most = size > most ? size : most;
#pragma unroll
            for (u32 q = 0; q < 4; ++q) along[k * 4 + q] = __uint_as_float(__shfl_sync(0xffffffffu, __float_as_uint(own), q * 8 + lane / 4));
#endif
        }
        __syncwarp();
        // Which steps are in reach, how near they are and how far from the centre.
        const Extent& extent = shared.extents[lane < steps ? lane : 0];
        float gap2 = 0.0f;
        bool wanted = lane < steps;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            const float from = in_order(__reduce_min_sync(0xffffffffu, low[axis])), to = in_order(__reduce_max_sync(0xffffffffu, high[axis]));
            const float gap = fmaxf(fmaxf(from - extent.high[axis], extent.low[axis] - to), 0.0f);
            if (ALBIREO_BINNING == 2 && axis == 2) wanted = wanted && gap <= terms.along_reach;
            else gap2 = __fmaf_rn(gap, gap, gap2);
        }
        wanted = wanted && gap2 <= terms.reach2;
        const u32 mask = __ballot_sync(0xffffffffu, wanted);
        if (!mask) return;
        // Tiles are runs of cells: of the steps between hardly one is out of reach.
        const u32 first = __ffs(mask) - 1, past = 32 - __clz(mask);
        const bool met = first <= lane && lane < past;
        const auto largest = [&](float of_first) { return __uint_as_float(__reduce_max_sync(0xffffffffu, met ? __float_as_uint(of_first) : 0u)); };
        Bounds bounds;
        bounds.nearest2 = __uint_as_float(__reduce_min_sync(0xffffffffu, met ? __float_as_uint(gap2) : 0x7f800000u)) * 0.9999f;
        bounds.a2 = largest(extent.far2);
        bounds.b2 = __uint_as_float(__reduce_max_sync(0xffffffffu, far2));
        bounds.along = ALBIREO_BINNING == 0 ? 0.0f : largest(extent.along) + __uint_as_float(__reduce_max_sync(0xffffffffu, most));
        const bool careful = places.set(job, bounds, centre, shared.counters.base());
#pragma unroll
        for (u32 m = 0; m < SETS; ++m) rows[m] = load_rows(shared_address(shared.seconds + m * 32));
        if (careful || base + GROUP > seconds.own) meet_all<true>(first, past);
        else meet_all<false>(first, past);
    }
};

// Sets up the firsts of a tile, with some up to `padded` that are in no bin with any second.
__device__ __forceinline__ void set_firsts(const DeviceJob& job, const Shared& shared, u64 first, u32 number, u32 padded, const Centre& centre) {
    for (u32 i = threadIdx.x; i < padded; i += ALBIREO_THREADS) {
        const bool real = i < number;
        const Held a = real ? hold(job, job.first, first + i, image_code(0, 0, 0), centre.at) : Held{0.0f, 0.0f, 0.0f, 0.0f};
        const Split s(a);
        shared.points[i] = {a.x, a.y, a.z, s.square};
        uint4* to = shared.firsts + 2 * i;
        const u32 one = halves(1.0f, 0.0f);
        to[0] = {s.high, s.middle, s.middle, s.low};
        to[1] = {s.low, one | one << 16, s.high, one};
        float* numbers = shared.numbers + i / 2 * (2 * NUMBERS) + i % 2;
        numbers[0] = real ? __fadd_rn(s.square, job.tensor.more) : job.tensor.pad2;
#if ALBIREO_BINNING != 0
        const float along = centre.along(a);
        numbers[2] = along;
#if ALBIREO_SIGHT == 1
        // Padding is seen from so far that its cosines are next to 0.
        numbers[4] = real ? __fmaf_rn(2.0f, along, centre.square) : 1e25f;
#endif
#endif
    }
}

// What eight of them lie within.
__device__ __forceinline__ void set_extents(const Shared& shared, u32 number, u32 steps) {
    for (u32 step = threadIdx.x; step < steps; step += ALBIREO_THREADS) {
        const u32 past = (step + 1) * STEP < number ? (step + 1) * STEP : number;
        Held point = shared.points[step * STEP];
        const float* numbers = shared.numbers + step * (STEP * NUMBERS);
        Extent extent = {{point.x, point.y, point.z}, {point.x, point.y, point.z}, point.unused, 0.0f};
        for (u32 i = 0; ALBIREO_BINNING != 0 && i < past - step * STEP; ++i)
            extent.along = fmaxf(extent.along, fabsf(numbers[i / 2 * (2 * NUMBERS) + i % 2 + 2]));
        for (u32 i = step * STEP + 1; i < past; ++i) {
            point = shared.points[i];
            const float at[3] = {point.x, point.y, point.z};
            for (int axis = 0; axis < 3; ++axis) {
                extent.low[axis] = fminf(extent.low[axis], at[axis]);
                extent.high[axis] = fmaxf(extent.high[axis], at[axis]);
            }
            extent.far2 = fmaxf(extent.far2, point.unused);
        }
        shared.extents[step] = extent;
    }
}

}  // namespace albireo

// With a line of sight more numbers of a step are kept in registers.
extern "C" __global__ void __launch_bounds__(ALBIREO_THREADS, (ALBIREO_BINNING == 0 ? 768 : 512) / ALBIREO_THREADS)
albireo_tensor_cells(const __grid_constant__ albireo::DeviceJob job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    Shared shared(job, memory);
    const u32 n_rows = job.grid.n_rows, number = n_rows * job.grid.row_parts + 1;
    u32* lengths = shared.rest;
    u32* begin = lengths + number;
    u32* image = begin + number;
    u32* sums = image + number;
    u32* next = sums + WARPS;
    u32 waiting = 0;
    u64 counted = 0;  // by one counter, at most
    shared.counters.clear(job);
    const Starts starts(job, 0);
    for (;;) {
        if (threadIdx.x == 0) *next = atomicAdd(job.grid.ticket, 1u);
        __syncthreads();
        const u64 place = unit.begin + *next;
        if (place >= unit.end) break;
        const uint4 tile = job.grid.tiles[place];
        const u32* cells = job.grid.cells;
        const u32 cx = tile.x % cells[0], cy = tile.x / cells[0] % cells[1], cz = tile.x / cells[0] / cells[1];
        const Centre middle(job, {centre_of(cx, tile.y, cells[0]), centre_of(cy, 1, cells[1]), centre_of(cz, 1, cells[2])});
        const u32 n_first = tile.w - tile.z, steps = (n_first + STEP - 1) / STEP;
        set_firsts(job, shared, tile.z, n_first, steps * STEP, middle);
        for (u32 row = threadIdx.x; row < n_rows; row += ALBIREO_THREADS) {
            const u32 at = row * job.grid.row_parts;
            write_row(job, starts, job.grid.rows[row], cx, cy, cz, tile.y, lengths + at, begin + at, image + at);
            for (u32 part = at; row % 2 && part < at + job.grid.row_parts; ++part) {
                begin[part] += lengths[part] - 1;
                image[part] |= Seconds::BACKWARD;
            }
        }
        u32 own_begin = 0;
        if (job.own) {
            u32 line;
            starts.line(job, cy, cz, line);
            own_begin = job.order == 1 ? tile.z : starts.start[line + cx];
            if (threadIdx.x == 0) lengths[number - 1] = starts.start[line + cx + tile.y] - own_begin;
        } else if (threadIdx.x == 0) {
            lengths[number - 1] = 0;
        }
        if (threadIdx.x == 0) {
            begin[number - 1] = own_begin;
            image[number - 1] = image_code(0, 0, 0);
        }
        __syncthreads();
        set_extents(shared, n_first, steps);
        accumulate(lengths, number, sums);
        const u32 total = lengths[number - 1], own = number > 1 ? lengths[number - 2] : 0;
        const Seconds seconds = {{lengths, begin, image, number, total}, own, (int)(own_begin - tile.z), tile.z, n_first};
        u32 hint = 0;
        Warp warp = {job, shared, seconds, steps, waiting};
        for (u32 from = 0; from < total; from += CHUNK) {
            const u32 past = total - from < CHUNK ? total : from + CHUNK;
            const u64 more = Counters::growth((u64)((past - from) / (WARPS * GROUP) + 1) * steps);
            if (counted + more > 0xffffffffu) {
                warp.drain(true);
                shared.counters.flush(job);
                shared.counters.clear(job);
                __syncthreads();
                counted = 0;
            }
            counted += more;
            for (u32 base = from + threadIdx.x / 32 * GROUP; base < past; base += WARPS * GROUP) warp.pass(base, middle, hint);
        }
        warp.drain(true);
        __syncthreads();
    }
    shared.counters.flush(job);
}

ALBIREO_EMULATED(albireo_tensor_cells, albireo::DeviceJob, albireo::Unit)
