// Sorts a sample into cells: fractions in fixed point, cell counts, their running total, and the points in cell order.
// The order within a cell is left to chance; no count depends on it.
#include "separation.cuh"

namespace albireo {

__device__ __forceinline__ u32 fixed_fraction(double s) {
    double scaled = floor(s * 4294967296.0);
    return scaled <= 0.0 ? 0u : (scaled >= 4294967295.0 ? 4294967295u : (u32)scaled);
}

__device__ __forceinline__ uint4 fix(const SortJob& sort, double x, double y, double z) {
    double dx = x - sort.origin[0], dy = y - sort.origin[1], dz = z - sort.origin[2];
    const double* m = sort.inverse;
    uint4 fixed;
    fixed.x = fixed_fraction(m[0] * dx + m[1] * dy + m[2] * dz);
    fixed.y = fixed_fraction(m[3] * dx + m[4] * dy + m[5] * dz);
    fixed.z = fixed_fraction(m[6] * dx + m[7] * dy + m[8] * dz);
    fixed.w = 0;
    return fixed;
}

__device__ __forceinline__ u32 cell_on_axis(u32 fixed, u32 cells) { return (u32)((u64)fixed * cells >> 32); }

}  // namespace albireo

// Stores the fractions of rows that keep their order.
extern "C" __global__ void albireo_fix(const __grid_constant__ albireo::SortJob sort, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    for (u64 row = unit.begin + (u64)blockIdx.x * blockDim.x + threadIdx.x; row < unit.end; row += (u64)gridDim.x * blockDim.x)
        sort.sorted_fixed[row] = fix(sort, sort.x[row], sort.y[row], sort.z[row]);
}

// Stores the offsets of rows that keep their order, scaled, as floats.
extern "C" __global__ void albireo_centre(const __grid_constant__ albireo::SortJob sort, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    for (u64 row = unit.begin + (u64)blockIdx.x * blockDim.x + threadIdx.x; row < unit.end; row += (u64)gridDim.x * blockDim.x) {
        uint4 offset;
        offset.x = __float_as_uint((float)((sort.x[row] - sort.origin[0]) * sort.inverse[0]));
        offset.y = __float_as_uint((float)((sort.y[row] - sort.origin[1]) * sort.inverse[4]));
        offset.z = __float_as_uint((float)((sort.z[row] - sort.origin[2]) * sort.inverse[8]));
        offset.w = 0;
        sort.sorted_fixed[row] = offset;
    }
}

// Counts the rows of every cell.
extern "C" __global__ void albireo_sort_count(const __grid_constant__ albireo::SortJob sort, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    for (u64 row = unit.begin + (u64)blockIdx.x * blockDim.x + threadIdx.x; row < unit.end; row += (u64)gridDim.x * blockDim.x) {
        uint4 fixed = fix(sort, sort.x[row], sort.y[row], sort.z[row]);
        u32 x = cell_on_axis(fixed.x, sort.cells[0]), y = cell_on_axis(fixed.y, sort.cells[1]), z = cell_on_axis(fixed.z, sort.cells[2]);
        u32 cell = (z * sort.cells[1] + y) * sort.cells[0] + x;
        if (sort.labels) {
            const uint4 low = sort.boxes[2 * sort.labels[row]], size = sort.boxes[2 * sort.labels[row] + 1];
            cell = low.w + ((z - low.z) * size.y + (y - low.y)) * size.x + (x - low.x);
        }
        sort.cell[row] = cell;
        sort.rank[row] = atomicAdd(sort.start + cell, 1u);
    }
}

// Turns counts into first rows, in one block.
extern "C" __global__ void albireo_sort_total(const __grid_constant__ albireo::SortJob sort, const __grid_constant__ albireo::Unit) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    u32* sums = (u32*)memory;
    const u32 each = 8, stride = blockDim.x * each;
    u32 carried = 0;
    for (u32 base = 0; base <= sort.number; base += stride) {
        u32 value[each], sum = 0;
        for (u32 k = 0; k < each; ++k) {
            u32 at = base + threadIdx.x * each + k;
            value[k] = at < sort.number ? sort.start[at] : 0;
            sum += value[k];
        }
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (u32 step = 1; step < blockDim.x; step *= 2) {
            u32 left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }
        u32 running = carried + sums[threadIdx.x] - sum;
        carried += sums[blockDim.x - 1];
        for (u32 k = 0; k < each; ++k) {
            u32 at = base + threadIdx.x * each + k;
            if (at <= sort.number) sort.start[at] = running;
            running += value[k];
        }
        __syncthreads();
    }
}

// Puts every row into its cell.
extern "C" __global__ void albireo_sort_move(const __grid_constant__ albireo::SortJob sort, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    for (u64 row = unit.begin + (u64)blockIdx.x * blockDim.x + threadIdx.x; row < unit.end; row += (u64)gridDim.x * blockDim.x) {
        u32 to = sort.start[sort.cell[row]] + sort.rank[row];
        double x = sort.x[row], y = sort.y[row], z = sort.z[row];
        sort.sorted_x[to] = x;
        sort.sorted_y[to] = y;
        sort.sorted_z[to] = z;
        sort.sorted_fixed[to] = fix(sort, x, y, z);
        if (sort.weight) sort.sorted_weight[to] = sort.weight[row];
    }
}

// Puts the bits, or the columns, of every row where it goes, or stays: word after word over all rows.
extern "C" __global__ void albireo_lay_bits(const __grid_constant__ albireo::SortJob sort, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    for (u64 row = unit.begin + (u64)blockIdx.x * blockDim.x + threadIdx.x; row < unit.end; row += (u64)gridDim.x * blockDim.x) {
        const u64 to = sort.start ? sort.start[sort.cell[row]] + sort.rank[row] : row;
        u32 set = 0;
        for (u64 word = 0; word < sort.words; ++word) {
            const u64 bits = sort.bits[row * sort.words + word];
            sort.sorted_bits[word * sort.rows + to] = bits;
            set += (u32)__popcll(bits);
        }
        if (sort.sorted_set) sort.sorted_set[to] = set;
    }
}

// Stores the directions of rows as they lie, by the contract.
extern "C" __global__ void albireo_lay_directions(const __grid_constant__ albireo::SortJob sort, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    for (u64 row = unit.begin + (u64)blockIdx.x * blockDim.x + threadIdx.x; row < unit.end; row += (u64)gridDim.x * blockDim.x) {
        const Triple x = {sort.x[row], sort.y[row], sort.z[row]};
        const double norm = __dsqrt_rn(dot(x, x));
        sort.sorted_directions[row] = __ddiv_rn(x.x, norm);
        sort.sorted_directions[sort.rows + row] = __ddiv_rn(x.y, norm);
        sort.sorted_directions[2 * sort.rows + row] = __ddiv_rn(x.z, norm);
    }
}

ALBIREO_EMULATED(albireo_lay_bits, albireo::SortJob, albireo::Unit)
ALBIREO_EMULATED(albireo_lay_directions, albireo::SortJob, albireo::Unit)
ALBIREO_EMULATED(albireo_fix, albireo::SortJob, albireo::Unit)
ALBIREO_EMULATED(albireo_centre, albireo::SortJob, albireo::Unit)
ALBIREO_EMULATED(albireo_sort_count, albireo::SortJob, albireo::Unit)
ALBIREO_EMULATED(albireo_sort_total, albireo::SortJob, albireo::Unit)
ALBIREO_EMULATED(albireo_sort_move, albireo::SortJob, albireo::Unit)
