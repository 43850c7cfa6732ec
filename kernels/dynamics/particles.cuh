// Particles that move: what all kernels of a step agree on. Positions and momenta are integers, each operation of crates/dynamics/src/rule.rs and
// crates/dynamics/src/pair_rule.rs is done here as it is done there, and none is fused, so that all engines have the same words.
#pragma once
#include "structs.cuh"

namespace albireo {

// The words of the status.
enum Status {
    // Whether lists are to be made anew, whether the run has stopped and why, whole steps before that, lists made, neighbours of the
    // longest list.
    RELIST, STOP, WHOLE, LISTED, LONGEST
};

// Why a run has stopped: a particle is too fast or two overlap, or a list lacks room.
static const u64 REFUSED = 1, FULL = 2;

// Has no kernel do anything from here on. Other blocks of this one may still be at work: the host goes back to what was kept.
__device__ __forceinline__ void stop(const DeviceDynamics& job, const DynamicsStep& step, u64 why) {
    job.status[STOP] = why;
    job.status[WHOLE] = step.number;
}

__device__ __forceinline__ u64 thread_number() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }

__device__ __forceinline__ u32 upper_half(u64 fraction) { return (u32)(fraction >> 32); }

__device__ __forceinline__ uint4 upper_of(ulonglong2 xy, ulonglong2 z) {
    uint4 upper;
    upper.x = upper_half(xy.x);
    upper.y = upper_half(xy.y);
    upper.z = upper_half(z.x);
    upper.w = (u32)z.y;
    return upper;
}

// The squared separation of upper halves, for what decides no bit: relative error 6 2^-24 beside the cut fractions.
__device__ __forceinline__ float short_square(const DeviceDynamics& job, const uint4& a, const uint4& b) {
    const float x = (float)(int)(a.x - b.x) * job.short_units[0];
    const float y = (float)(int)(a.y - b.y) * job.short_units[1];
    const float z = (float)(int)(a.z - b.z) * job.short_units[2];
    return x * x + y * y + z * z;
}

}  // namespace albireo
