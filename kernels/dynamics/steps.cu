// Steps of particles: the first half of a step, what is kept to come back to, and sums of pairs.
#include "dynamics/normal.cuh"
#include "dynamics/particles.cuh"

namespace albireo {

__device__ __forceinline__ u64 size_of(i64 value) { return value < 0 ? 0 - (u64)value : (u64)value; }

// A momentum times factor / 2^shift, rounded half away from 0.
__device__ __forceinline__ i64 moved(u64 factor, u64 shift, i64 momentum) {
    const u64 size = size_of(momentum), product = size * factor;
    const u64 half = shift - 1;
    const u64 low = product + (half < 64 ? 1ull << half : 0);
    const u64 high = __umul64hi(size, factor) + (half < 64 ? 0 : 1ull << (half - 64)) + (low < product);
    const u64 rounded = shift < 64 ? (low >> shift | high << (64 - shift)) : high >> (shift - 64);
    return momentum < 0 ? -(i64)rounded : (i64)rounded;
}

// Moves along all axes for a step, or half of one; whether that is too fast.
__device__ __forceinline__ bool move(const DeviceMoves& moves, const i64 (&momentum)[3], u64 half, u64 (&at)[3]) {
    bool fast = false;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        fast = fast || size_of(momentum[k]) > moves.most;
        at[k] += (u64)moved(moves.factor[k], moves.shift[k] + half, momentum[k]);
    }
    return fast;
}

}  // namespace albireo

// Adds the impulse of half a step and moves every particle, with friction and noise if these are asked for; tells whether one is too fast or has gone so far that lists are to be made.
extern "C" __global__ void __launch_bounds__(256)
albireo_dynamics_move(const __grid_constant__ albireo::DeviceDynamics job, const __grid_constant__ albireo::DynamicsStep step) {
    using namespace albireo;
    if (job.status[STOP]) return;
    const u64 row = thread_number(), n = job.particles;
    const u64 cells = (u64)job.cells[0] * job.cells[1] * job.cells[2];
    for (u64 cell = row; cell <= cells; cell += (u64)gridDim.x * blockDim.x) job.start[cell] = 0;
    if (row >= n) return;
    ulonglong2 xy = job.place[2 * row], z = job.place[2 * row + 1];
    const DeviceMoves& moves = job.moves[z.y];
    u64 at[3] = {xy.x, xy.y, z.x};
    i64 momentum[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) momentum[k] = (i64)(job.momentum[k * n + row] + job.impulse[k * n + row]);
    bool fast = move(moves, momentum, step.flag, at);
    if (step.flag) {
        // Friction and noise, between two halves of the move.
        double random[3];
        normal(step.noise, job.id[row], random);
        const double width = job.width[z.y];
#pragma unroll
        for (int k = 0; k < 3; ++k) momentum[k] = __double2ll_rn((double)momentum[k] * job.kept + random[k] * width);
        fast = move(moves, momentum, 1, at) || fast;
    }
    if (fast) stop(job, step, REFUSED);
#pragma unroll
    for (int k = 0; k < 3; ++k) job.momentum[k * n + row] = (u64)momentum[k];
    xy.x = at[0];
    xy.y = at[1];
    z.x = at[2];
    job.place[2 * row] = xy;
    job.place[2 * row + 1] = z;
    const uint4 upper = upper_of(xy, z);
    job.upper[row] = upper;
    if (short_square(job, upper, job.built[row]) > job.moved2) job.status[RELIST] = 1;
}

// Keeps the words of all particles, or brings them back.
extern "C" __global__ void __launch_bounds__(256)
albireo_dynamics_keep(const __grid_constant__ albireo::DeviceDynamics job, const __grid_constant__ albireo::DynamicsStep step) {
    using namespace albireo;
    const u64 row = thread_number(), n = job.particles;
    if (row >= n) return;
    ulonglong2* places[2] = {job.place, job.other_place};
    u64* momenta[2] = {job.momentum, job.other_momentum};
    u32* ids[2] = {job.id, job.other_id};
    const int from = step.flag ? 1 : 0, to = 1 - from;
    places[to][2 * row] = places[from][2 * row];
    places[to][2 * row + 1] = places[from][2 * row + 1];
    for (int k = 0; k < 3; ++k) momenta[to][k * n + row] = momenta[from][k * n + row];
    ids[to][row] = ids[from][row];
}

ALBIREO_EMULATED(albireo_dynamics_move, albireo::DeviceDynamics, albireo::DynamicsStep)
ALBIREO_EMULATED(albireo_dynamics_keep, albireo::DeviceDynamics, albireo::DynamicsStep)
