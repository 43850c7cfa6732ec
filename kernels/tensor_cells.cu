// Pairs within reach by tensor cores: the cells of `cells.cu`, of whose tiles eight firsts at a time meet sixteen seconds in one instruction.
// With positions as sums of two halves, measured from the tile's centre, |a - b|^2 is a sum of fifteen products and |a|^2, whose error is bounded in
// `src/engine/cuda/tensor.rs`. Its root, scaled, is a float from 128 on whose third byte is the place and whose lower half the fraction.
#include "neighbours.cuh"
#include "tensor.cuh"

namespace albireo {

static const u32 GROUP = 64;  // seconds of a warp in a pass
static const u32 STEP = 8;    // firsts at a time
static const u32 STEPS = ALBIREO_TILE / STEP;
static const u32 WARPS = ALBIREO_THREADS / 32;
static const u32 WAITING_STEPS = 64;  // of a warp
static const u32 CHUNK = 1u << 22;    // seconds between looks at how much has been counted

// A position as sums of two halves: x and y, z and the rest of x, the rests of y and z; and the square of its length.
struct Split {
    u32 high, middle, low;
    float square;

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

// What eight firsts lie within, and the largest square of their distances from the tile's centre.
struct __align__(16) Extent {
    float low[3], high[3], far2, unused;
};

// The pairs of a lane and a step, some of which are in doubt: where the seconds begin; lane, step and doubt; and sixteen fractions.
struct __align__(8) Waiting {
    uint2 what;
    u32 fractions[8];
};

// Floats in the order of integers, and back.
__device__ __forceinline__ int ordered(float v) {
    const int bits = (int)__float_as_uint(v);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}
__device__ __forceinline__ float in_order(int bits) { return __uint_as_float((u32)(bits ^ ((bits >> 31) & 0x7fffffff))); }

// Shared memory of a block, in this order: counters, firsts, what their sums begin with, their extents, seconds, what waits, stretches.
struct Shared {
    u32 counters;  // where they are: 256 bytes a place
    u32* words;    // the counters
    uint4* firsts;
    float* starts;  // the squares of their distances from the centre: of two and once more of these two
    Extent* extents;
    uint4* seconds;  // of this warp
    Held* points;    // firsts as floats, before there are seconds
    Waiting* waiting;
    u32* rest;

    __device__ __forceinline__ Shared(const DeviceJob& job, unsigned char* memory) {
        const u32 begin = shared_address(memory);
        counters = (begin + 255) & ~255u;
        unsigned char* at = memory + (counters - begin);
        words = (u32*)at;
        at += job.places.slots * 256;
        firsts = (uint4*)at;
        at += ALBIREO_TILE * 32;
        starts = (float*)at;
        at += ALBIREO_TILE * 8;
        extents = (Extent*)at;
        at += STEPS * sizeof(Extent);
        points = (Held*)at;
        seconds = (uint4*)at + threadIdx.x / 32 * (GROUP * 2);
        at += WARPS * GROUP * 32;
        waiting = (Waiting*)at + threadIdx.x / 32 * WAITING_STEPS;
        at += WARPS * WAITING_STEPS * sizeof(Waiting);
        rest = (u32*)at;
    }

    __device__ void clear(const DeviceJob& job) const {
        for (u32 k = threadIdx.x; k < job.places.slots * 64; k += ALBIREO_THREADS) words[k] = 0;
    }
    __device__ void flush(const DeviceJob& job) const {
        settle();
        __syncthreads();
        for (u32 place = threadIdx.x / 32; place < job.places.slots; place += WARPS) {
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

// Decides the pairs of a lane and a step that are in doubt: they are counted in the place whose lower edge is the nearest, and the one below may
// be right.
__device__ __noinline__ void decide_step(const DeviceJob& job, Seconds seconds, u32 counters, const Waiting& entry) {
    const u32 lane = entry.what.y & 31, step = entry.what.y >> 5 & 31, doubt = entry.what.y >> 10;
    const u32 counter = counters + (lane + (threadIdx.x & 32)) * 4;
    u32 which = 0;
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
        const u32 two = entry.fractions[k];
        which |= ((two & 0xffff) < doubt ? 1u : 0u) << 2 * k | (two >> 16 < doubt ? 2u : 0u) << 2 * k;
    }
    for (; which; which &= which - 1) {
        const u32 at = __ffs(which) - 1, first = step * STEP + (lane & 3) * 2 + (at & 1);
        const u32 place = entry.what.x + (at >> 2) * 16 + (at >> 1 & 1) * 8 + (lane >> 2);
        if (place >= seconds.stretches.total || first >= seconds.n_first) continue;
        u32 hint = seconds.stretches.search(place), image;
        u64 row;
        seconds.find(place, hint, row, image);
        Triple d;
        double r2, across2;
        const Triple x1 = position(job.first, seconds.first + first), x2 = position(job.second, row);
        // Under another image than the nearest a pair is in no bin.
        if (!separation(job, x1, x2, image, d, r2)) continue;
        const float t = root((float)(r2 * (job.across.guess_scale * job.across.guess_scale))) + (float)job.across.guess_offset;
        const u32 nearest = (u32)(int)floor((double)t + 1.5);
        const u32 counted = place_of(job, nearest, 0), truth = exact_place(job, d, r2, x1, x2, nearest, across2);
        if (counted == truth) continue;
        if (bin_of(job, counted) < job.sums.bins) add_shared(counter + counted * 256, 0xffffffffu);
        if (bin_of(job, truth) < job.sums.bins) add_shared(counter + truth * 256, 1u);
    }
}

// A warp's share of the work on one tile.
struct Warp {
    const DeviceJob& job;
    const Shared& shared;
    const Seconds& seconds;
    u32 steps;      // of the tile
    u32& number;    // of what waits
    u32 lane4;      // this lane's counters
    uint4 rows[4];
    float magic;
    u32 doubt;  // fractions below this are in doubt
    u32 base;   // place of the first of the seconds at hand

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
        const int row = (int)(place - seconds.own) + seconds.own_row;
        return job.order == 1 ? (int)first < row : (int)first != row;
    }

    // Steps of the tile against the seconds at hand, up to `past` or until a warp full of them waits; returns the next.
    template <bool GUARDED>
    __device__ __forceinline__ u32 meet(u32 step, u32 past) {
        const u32 lane = threadIdx.x & 31;
        // Of this lane: kept, not worked out again in every step.
        u32 columns = kept(shared_address(shared.firsts) + step * (STEP * 32) + lane * 8);
        u32 squares = kept(shared_address(shared.starts) + step * (STEP * 8) + (lane & 3) * 16);
        do {
            const uint2 b = load_pair(columns);
            float start[4];
            load_starts(start, squares);
            float d[4][4];
#pragma unroll
            for (int m = 0; m < 4; ++m) multiply(d[m], rows[m], b, start);
            u32 least = 0xffffu;
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                float& value = d[k / 4][k % 4];
                value = __fmaf_rz(root(value), job.across.scale, magic);
                // Half a bin into place 0, which is no bin.
                if (GUARDED && !admits(step * STEP + (lane & 3) * 2 + k % 2, k / 2 * 8 + (lane >> 2))) value = 128.5f + (float)(shared.counters >> 8);
                const u32 place = __float_as_uint(value);
                tally_shared(lane_address(place, lane4));
                least = lower_fraction(least, place);
            }
            const bool doubtful = (least & 0xffffu) < doubt;
            if (__any_sync(0xffffffffu, doubtful)) {
                const u32 vote = __ballot_sync(0xffffffffu, doubtful);
                if (doubtful) {
                    Waiting& to = shared.waiting[number + __popc(vote & ((1u << lane) - 1))];
                    to.what = {base, lane | step << 5 | doubt << 10};
#pragma unroll
                    for (int k = 0; k < 8; ++k)
                        to.fractions[k] = __byte_perm(__float_as_uint(d[k / 2][k % 2 * 2]), __float_as_uint(d[k / 2][k % 2 * 2 + 1]), 0x5410);
                }
                number += __popc(vote);
                if (number >= 32) return step + 1;
            }
            columns += STEP * 32;
            squares += STEP * 8;
        } while (++step < past);
        return step;
    }

    // Without a call in it, the loop of steps keeps all it needs in registers.
    template <bool GUARDED>
    __device__ __forceinline__ void meet_all(u32 step, u32 past) {
        while (step < past) {
            step = meet<GUARDED>(step, past);
            if (number >= 32) drain(false);
        }
    }

    // The seconds from place `base` on. `hint` is where this lane's last one lay.
    __device__ __forceinline__ void pass(u32 place, Fractions centre, u32& hint) {
        const u32 lane = threadIdx.x & 31;
        const TensorTerms& terms = job.tensor;
        base = place;
        int low[3], high[3];
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) low[axis] = 0x7fffffff, high[axis] = -0x7fffffff;
        u32 far2 = 0, image[2] = {0, 0};
        u64 row[2] = {0, 0};
        // Both are found before either is loaded.
        bool is_real[2];
#pragma unroll
        for (u32 k = 0; k < 2; ++k) is_real[k] = seconds.find(base + k * 32 + lane, hint, row[k], image[k]);
        const Held held[2] = {hold(job, job.second, row[0], image[0], centre), hold(job, job.second, row[1], image[1], centre)};
        __syncwarp();
#pragma unroll
        for (u32 k = 0; k < 2; ++k) {
            const bool real = is_real[k];
            const Held b = real ? held[k] : Held{0.0f, 0.0f, 0.0f, 0.0f};
            const Split s(b.x, b.y, b.z);
            const float hx = -2.0f * low_half(s.high), hy = -2.0f * high_half(s.high), hz = -2.0f * low_half(s.middle);
            const float rx = -2.0f * high_half(s.middle), ry = -2.0f * low_half(s.low), rz = -2.0f * high_half(s.low);
            uint4* to = shared.seconds + (k * 32 + lane) * 2;
            to[0] = {halves(hx, hy), halves(hz, hx), halves(hy, hz), halves(rx, ry)};
            // The square of its length as three halves.
            const float square = real ? s.square : terms.pad2, most = low_half(halves(square, 0.0f));
            const u32 pair = halves(square, square - most);
            to[1] = {halves(rz, rx), halves(ry, rz), pair, halves(square - most - high_half(pair), 0.0f)};
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
        }
        __syncwarp();
        // Which steps are in reach, how near they are and how far from the centre.
        const Extent& extent = shared.extents[lane < steps ? lane : 0];
        float gap2 = 0.0f;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            const float from = in_order(__reduce_min_sync(0xffffffffu, low[axis])), to = in_order(__reduce_max_sync(0xffffffffu, high[axis]));
            const float gap = fmaxf(fmaxf(from - extent.high[axis], extent.low[axis] - to), 0.0f);
            gap2 = __fmaf_rn(gap, gap, gap2);
        }
        const bool wanted = lane < steps && gap2 <= terms.reach2;
        const u32 mask = __ballot_sync(0xffffffffu, wanted);
        if (!mask) return;
        // Tiles are runs of cells: of the steps between hardly one is out of reach.
        const u32 first = __ffs(mask) - 1, past = 32 - __clz(mask);
        const float nearest2 = __uint_as_float(__reduce_min_sync(0xffffffffu, wanted ? __float_as_uint(gap2) : 0x7f800000u)) * 0.9999f;
        const bool met = first <= lane && lane < past;
        const float a2 = __uint_as_float(__reduce_max_sync(0xffffffffu, met ? __float_as_uint(extent.far2) : 0u));
        const float b2 = __uint_as_float(__reduce_max_sync(0xffffffffu, far2));
        // In steps of 2^-16 bin: what each sum of products may be off by, over twice the separation.
        const float most = fmaxf(fmaxf(a2, b2), 2.0f * root(a2 * b2));
        const float error = terms.fixed + __fmaf_rn(most, terms.by_term, terms.least) * inverse_root(fmaxf(nearest2, terms.lowest2));
        const u32 margin = (u32)(error * 1.001f) + 1;
        doubt = 2 * margin;
        magic = job.across.magic + (float)(shared.counters >> 8) + (float)margin * (1.0f / 65536.0f);
#pragma unroll
        for (u32 m = 0; m < 4; ++m) rows[m] = load_rows(shared_address(shared.seconds + m * 32));
        if (base + GROUP > seconds.own) meet_all<true>(first, past);
        else meet_all<false>(first, past);
    }
};

// Sets up the firsts of a tile, with some up to `padded` that are in no bin with any second.
__device__ __forceinline__ void set_firsts(const DeviceJob& job, const Shared& shared, u64 first, u32 number, u32 padded, Fractions middle) {
    for (u32 i = threadIdx.x; i < padded; i += ALBIREO_THREADS) {
        const bool real = i < number;
        const Held a = real ? hold(job, job.first, first + i, image_code(0, 0, 0), middle) : Held{0.0f, 0.0f, 0.0f, 0.0f};
        const Split s(a.x, a.y, a.z);
        shared.points[i] = {a.x, a.y, a.z, s.square};
        uint4* to = shared.firsts + 2 * i;
        const u32 one = halves(1.0f, 0.0f);
        to[0] = {s.high, s.middle, s.middle, s.low};
        to[1] = {s.low, one | one << 16, s.high, one};
        const u32 at = i / 2 * 4 + i % 2;
        shared.starts[at] = shared.starts[at + 2] = real ? __fadd_rn(s.square, job.tensor.more) : job.tensor.pad2;
    }
}

// What eight of them lie within.
__device__ __forceinline__ void set_extents(const Shared& shared, u32 number, u32 steps) {
    for (u32 step = threadIdx.x; step < steps; step += ALBIREO_THREADS) {
        const u32 past = (step + 1) * STEP < number ? (step + 1) * STEP : number;
        Held point = shared.points[step * STEP];
        Extent extent = {{point.x, point.y, point.z}, {point.x, point.y, point.z}, point.unused, 0.0f};
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

extern "C" __global__ void __launch_bounds__(ALBIREO_THREADS, 768 / ALBIREO_THREADS)
albireo_tensor_cells(const __grid_constant__ albireo::DeviceJob job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    const Shared shared(job, memory);
    const u32 n_rows = job.grid.n_rows, number = n_rows * job.grid.row_parts + 1;
    u32* lengths = shared.rest;
    u32* begin = lengths + number;
    u32* image = begin + number;
    u32* sums = image + number;
    u32* next = sums + WARPS;
    u32 waiting = 0;
    u64 counted = 0;  // by one counter, at most
    shared.clear(job);
    const Starts starts(job, 0);
    for (;;) {
        if (threadIdx.x == 0) *next = atomicAdd(job.grid.ticket, 1u);
        __syncthreads();
        const u64 place = unit.begin + *next;
        if (place >= unit.end) break;
        const uint4 tile = job.grid.tiles[place];
        const u32* cells = job.grid.cells;
        const u32 cx = tile.x % cells[0], cy = tile.x / cells[0] % cells[1], cz = tile.x / cells[0] / cells[1];
        const Fractions middle = {centre_of(cx, tile.y, cells[0]), centre_of(cy, 1, cells[1]), centre_of(cz, 1, cells[2])};
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
        Warp warp = {job, shared, seconds, steps, waiting, (threadIdx.x & 63) * 4};
        for (u32 from = 0; from < total; from += CHUNK) {
            const u32 past = total - from < CHUNK ? total : from + CHUNK;
            // A lane has sixteen pairs of a step, and a counter so many lanes.
            const u64 more = (u64)((past - from) / (WARPS * GROUP) + 1) * steps * (16 * ((WARPS + 1) / 2));
            if (counted + more > 0xffffffffu) {
                warp.drain(true);
                shared.flush(job);
                shared.clear(job);
                __syncthreads();
                counted = 0;
            }
            counted += more;
            for (u32 base = from + threadIdx.x / 32 * GROUP; base < past; base += WARPS * GROUP) warp.pass(base, middle, hint);
        }
        warp.drain(true);
        __syncthreads();
    }
    shared.flush(job);
}

ALBIREO_EMULATED(albireo_tensor_cells, albireo::DeviceJob, albireo::Unit)
