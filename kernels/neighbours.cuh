// The cells around a tile of any lattice: which stretches of sorted second rows it meets, under which images, and where points lie as seen
// from its centre.
#pragma once
#include "sweep.cuh"

namespace albireo {

static const int FRACTION = 30;  // bits of one frame length in local fixed point: two lengths fit on either side

struct Fractions {
    int x, y, z;
};

// The stretches of sorted second rows that a tile meets, laid end to end.
struct Stretches {
    const u32* past;   // running total of lengths
    const u32* begin;  // first row
    const u32* image;
    u32 number;
    u32 total;

    __device__ __forceinline__ bool find(u32 place, u32& hint, u64& row, u32& at) const {
        if (place >= total) return false;
        while (past[hint] <= place) ++hint;
        row = begin[hint] + (place - (hint ? past[hint - 1] : 0));
        at = image[hint];
        return true;
    }
    // The stretch that holds `place`.
    __device__ __forceinline__ u32 search(u32 place) const {
        u32 low = 0, high = number;
        while (low < high) {
            u32 middle = (low + high) / 2;
            if (past[middle] <= place) low = middle + 1;
            else high = middle;
        }
        return low;
    }
};

__device__ __forceinline__ Held hold(const DeviceJob& job, const DeviceSample& sample, u64 row, u32 image, Fractions centre) {
#if ALBIREO_PRECISION == 0
    return hold_exactly(job, sample, row);
#else
    uint4 fixed = sample.fixed[row];
    // Unsigned arithmetic wraps; the difference from the tile's centre fits.
    u32 nx = (image & 15) - 8, ny = (image >> 4 & 15) - 8, nz = (image >> 8 & 15) - 8;
    const int x = (int)((fixed.x >> 2) + (nx << FRACTION) - (u32)centre.x);
    const int y = (int)((fixed.y >> 2) + (ny << FRACTION) - (u32)centre.y);
    const int z = (int)((fixed.z >> 2) + (nz << FRACTION) - (u32)centre.z);
#if ALBIREO_DOMAIN == 2
    // In float64, so that each coordinate is rounded once.
    const double* b = job.grid.basis;
    const double step = job.grid.unit / (1 << FRACTION);
    const auto along = [&](int axis) { return (float)((b[3 * axis] * x + b[3 * axis + 1] * y + b[3 * axis + 2] * z) * step); };
    return sight_last(job, Held{along(0), along(1), along(2), 0.0f});
#else
    const float* scale = job.filter.scale;
    return sight_last(job, Held{__fmul_rn(scale[0], (float)x), __fmul_rn(scale[1], (float)y), __fmul_rn(scale[2], (float)z), 0.0f});
#endif
#endif
}

// Floor division of a cell number by the cells of an axis.
__device__ __forceinline__ int floor_div(int a, int n) { return a >= 0 ? a / n : -((n - 1 - a) / n); }

__device__ __forceinline__ int centre_of(u32 first, u32 number, u32 cells) {
    return (int)((((u64)2 * first + number) << (FRACTION - 1)) / cells);
}

// The tile's centre as seen from the origin of the coordinates; lines of sight from an observer exist without images only.
__device__ __forceinline__ Near observer(const DeviceJob& job, Fractions centre) {
    const double one = 1.0 / (1 << FRACTION);
    const GridTerms& g = job.grid;
    return sight_centre(job, {g.origin[0] + g.basis[0] * (centre.x * one), g.origin[1] + g.basis[4] * (centre.y * one),
                              g.origin[2] + g.basis[8] * (centre.z * one)});
}

// Where the rows of cells begin: of all cells, or with classes of those around the points of one label.
struct Starts {
    const u32* start;
#if ALBIREO_CLASSES
    uint4 low, size;

    __device__ __forceinline__ Starts(const DeviceJob& job, u32 label)
        : low(job.second.boxes[2 * label]), size(job.second.boxes[2 * label + 1]) {
        start = job.second.start + low.w;
    }
    // The line of cells along x at (y, z), to which x is added; false where the label has none.
    __device__ __forceinline__ bool line(const DeviceJob&, u32 y, u32 z, u32& line) const {
        line = ((z - low.z) * size.y + (y - low.y)) * size.x - low.x;
        return y - low.y < size.y && z - low.z < size.z;
    }
    // Leaves of the cells from `first` to `last` those that there are.
    __device__ __forceinline__ void clip(int& first, int& last) const {
        first = first < (int)low.x ? (int)low.x : first;
        last = last < (int)(low.x + size.x) ? last : (int)(low.x + size.x) - 1;
    }
#else
    __device__ __forceinline__ Starts(const DeviceJob& job, u32) : start(job.second.start) {}
    __device__ __forceinline__ bool line(const DeviceJob& job, u32 y, u32 z, u32& line) const {
        line = (z * job.grid.cells[1] + y) * job.grid.cells[0];
        return true;
    }
    __device__ __forceinline__ void clip(int&, int&) const {}
#endif
};

// Writes the stretches of one neighbour row of the tile at (cx, cy, cz), `number` cells long.
__device__ __forceinline__ void write_row(const DeviceJob& job, const Starts& starts, int4 row, int cx, int cy, int cz, int number, u32* length, u32* begin,
                                          u32* image) {
    const int nx = job.grid.cells[0], ny = job.grid.cells[1], nz = job.grid.cells[2];
    for (u32 part = 0; part < job.grid.row_parts; ++part) length[part] = 0;
    int y = cy + (short)(row.x & 0xffff), z = cz + (row.x >> 16);
    int shift_y = floor_div(y, ny), shift_z = floor_div(z, nz);
    if ((shift_y && !job.grid.periodic[1]) || (shift_z && !job.grid.periodic[2])) return;
    // Part 0 is the whole run, 1 what lies right of the tile's own cells, 2 what lies left of them.
    int low = row.w == 1 ? cx + number : cx + row.y;
    int high = row.w == 2 ? cx - 1 : cx + number - 1 + row.z;
    if (!job.grid.periodic[0]) {
        low = low < 0 ? 0 : low;
        high = high >= nx ? nx - 1 : high;
    }
    u32 line;
    if (!starts.line(job, (u32)(y - shift_y * ny), (u32)(z - shift_z * nz), line)) return;
    for (u32 part = 0; low <= high && part < job.grid.row_parts; ++part) {
        int shift = floor_div(low, nx);
        int last = shift * nx + nx - 1 < high ? shift * nx + nx - 1 : high;
        int first_x = low - shift * nx, last_x = last - shift * nx;
        starts.clip(first_x, last_x);
        if (first_x <= last_x) {
            u32 from = starts.start[line + (u32)first_x];
            begin[part] = from;
            length[part] = starts.start[line + (u32)last_x + 1] - from;
            image[part] = image_code(shift, shift_y, shift_z);
        }
        low = last + 1;
    }
}

// Turns lengths into running totals; `sums` has a word for every warp.
__device__ __forceinline__ void accumulate(u32* length, u32 number, u32* sums) {
    const u32 share = (number + ALBIREO_THREADS - 1) / ALBIREO_THREADS;
    const u32 from = threadIdx.x * share, to = from + share < number ? from + share : number;
    const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    u32 sum = 0;
    for (u32 k = from; k < to; ++k) sum += length[k];
    u32 running = sum;
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2) {
        const u32 left = __shfl_up_sync(0xffffffffu, running, step);
        if (lane >= step) running += left;
    }
    if (lane == 31) sums[warp] = running;
    __syncthreads();
    running -= sum;
    for (u32 k = 0; k < warp; ++k) running += sums[k];
    for (u32 k = from; k < to; ++k) {
        running += length[k];
        length[k] = running;
    }
    __syncthreads();
}

}  // namespace albireo
