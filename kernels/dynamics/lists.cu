// Particles in the order of cells, and lists of the pairs that are or may come within reach; nothing is done unless a step has asked for it.
// The order within a cell is left to chance; no word depends on it.
#include "dynamics/particles.cuh"

namespace albireo {

__device__ __forceinline__ bool wanted(const DeviceDynamics& job) { return job.status[RELIST] && !job.status[STOP]; }

__device__ __forceinline__ u32 cell_along(const DeviceDynamics& job, int axis, u64 fraction) {
    return (u32)__umul64hi(fraction, job.cells[axis]);
}

}  // namespace albireo

// Counts the particles of every cell.
extern "C" __global__ void __launch_bounds__(256)
albireo_dynamics_count(const __grid_constant__ albireo::DeviceDynamics job, const __grid_constant__ albireo::DynamicsStep) {
    using namespace albireo;
    const u64 row = thread_number();
    if (!wanted(job) || row >= job.particles) return;
    const ulonglong2 xy = job.place[2 * row], z = job.place[2 * row + 1];
    const u32 x = cell_along(job, 0, xy.x), y = cell_along(job, 1, xy.y);
    const u32 cell = (x * job.cells[1] + y) * job.cells[2] + cell_along(job, 2, z.x);
    job.cell[row] = cell;
    job.rank[row] = atomicAdd(job.start + cell, 1u);
}

// Turns counts into first particles, in one block.
extern "C" __global__ void __launch_bounds__(1024)
albireo_dynamics_total(const __grid_constant__ albireo::DeviceDynamics job, const __grid_constant__ albireo::DynamicsStep) {
    using namespace albireo;
    if (!wanted(job)) return;
    ALBIREO_SHARED(memory);
    u32* sums = (u32*)memory;
    const u32 each = 16, stride = blockDim.x * each, cells = job.cells[0] * job.cells[1] * job.cells[2];
    u32 carried = 0;
    for (u32 base = 0; base <= cells; base += stride) {
        u32 value[each], sum = 0;
#pragma unroll
        for (u32 k = 0; k < each; ++k) {
            const u32 at = base + threadIdx.x * each + k;
            value[k] = at < cells ? job.start[at] : 0;
            sum += value[k];
        }
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (u32 step = 1; step < blockDim.x; step *= 2) {
            const u32 left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }
        u32 running = carried + sums[threadIdx.x] - sum;
        carried += sums[blockDim.x - 1];
#pragma unroll
        for (u32 k = 0; k < each; ++k) {
            const u32 at = base + threadIdx.x * each + k;
            if (at <= cells) job.start[at] = running;
            running += value[k];
        }
        __syncthreads();
    }
}

// Puts every particle into its cell, beside where it was.
extern "C" __global__ void __launch_bounds__(256)
albireo_dynamics_sort(const __grid_constant__ albireo::DeviceDynamics job, const __grid_constant__ albireo::DynamicsStep) {
    using namespace albireo;
    const u64 row = thread_number(), n = job.particles;
    if (!wanted(job) || row >= n) return;
    const u64 to = job.start[job.cell[row]] + job.rank[row];
    job.sorted_place[2 * to] = job.place[2 * row];
    job.sorted_place[2 * to + 1] = job.place[2 * row + 1];
    for (int k = 0; k < 3; ++k) job.sorted_momentum[k * n + to] = job.momentum[k * n + row];
    job.sorted_id[to] = job.id[row];
}

// Brings the sorted particles to where all kernels look for them; lists are made for these places.
extern "C" __global__ void __launch_bounds__(256)
albireo_dynamics_settle(const __grid_constant__ albireo::DeviceDynamics job, const __grid_constant__ albireo::DynamicsStep) {
    using namespace albireo;
    const u64 row = thread_number(), n = job.particles;
    if (!wanted(job) || row >= n) return;
    const ulonglong2 xy = job.sorted_place[2 * row], z = job.sorted_place[2 * row + 1];
    job.place[2 * row] = xy;
    job.place[2 * row + 1] = z;
    const uint4 upper = upper_of(xy, z);
    job.upper[row] = upper;
    job.built[row] = upper;
    for (int k = 0; k < 3; ++k) job.momentum[k * n + row] = job.sorted_momentum[k * n + row];
    job.id[row] = job.sorted_id[row];
}

// Lists the neighbours of every particle.
extern "C" __global__ void __launch_bounds__(128)
albireo_dynamics_list(const __grid_constant__ albireo::DeviceDynamics job, const __grid_constant__ albireo::DynamicsStep step) {
    using namespace albireo;
    const u64 row = thread_number(), n = job.particles;
    if (!wanted(job) || row >= n) return;
    const uint4 own = job.upper[row];
    const u32 nx = job.cells[0], ny = job.cells[1], nz = job.cells[2];
    // The cells along each axis begin two before its own, where there are as many.
    const u32 x = (cell_along(job, 0, job.place[2 * row].x) + nx - 2 % nx) % nx;
    const u32 y = (cell_along(job, 1, job.place[2 * row].y) + ny - 2 % ny) % ny;
    const u32 z = (cell_along(job, 2, job.place[2 * row + 1].x) + nz - 2 % nz) % nz;
    const u32 until = z + job.near[2] < nz ? z + job.near[2] : nz, rest = z + job.near[2] - until;
    u64 found = 0;
    for (u32 i = 0; i < job.near[0]; ++i)
        for (u32 j = 0; j < job.near[1]; ++j) {
            const u32* start = job.start + (u64)((x + i) % nx * ny + (y + j) % ny) * nz;
            for (u32 part = 0; part < (rest ? 2 : 1); ++part) {
                const u32 begin = part ? start[0] : start[z], end = part ? start[rest] : start[until];
                for (u32 other = begin; other < end; ++other) {
                    if (other == row || short_square(job, own, job.upper[other]) >= job.list2) continue;
                    if (found < job.room) job.neighbour[found * n + row] = other;
                    ++found;
                }
            }
        }
    job.neighbours[row] = (u32)(found < job.room ? found : job.room);
    if (found > job.room) {
        stop(job, step, FULL);
        atomicMax(job.status + LONGEST, found);
    }
}

ALBIREO_EMULATED(albireo_dynamics_count, albireo::DeviceDynamics, albireo::DynamicsStep)
ALBIREO_EMULATED(albireo_dynamics_total, albireo::DeviceDynamics, albireo::DynamicsStep)
ALBIREO_EMULATED(albireo_dynamics_sort, albireo::DeviceDynamics, albireo::DynamicsStep)
ALBIREO_EMULATED(albireo_dynamics_settle, albireo::DeviceDynamics, albireo::DynamicsStep)
ALBIREO_EMULATED(albireo_dynamics_list, albireo::DeviceDynamics, albireo::DynamicsStep)
