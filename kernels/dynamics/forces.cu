// What the neighbours of a particle do to it: impulses and the second half of a step, or sums over all pairs. A pair is met from both of its
// sides, whose integers are the same but for the sign.
#include "dynamics/particles.cuh"

namespace albireo {

// 1.5 * 2^52. Its sum with a number of magnitude 2^50 at most rounds that to an integer, ties to even, and leaves the integer in the low bits.
static const double ROUNDING = 6755399441055744.0;

__device__ __forceinline__ i64 rounded(double value) {
    return __double_as_longlong(__dadd_rn(value, ROUNDING)) - __double_as_longlong(ROUNDING);
}

// A particle with its neighbours, in float64.
struct Whole {
    ulonglong2 xy, z;
    i64 impulse[3], energy, virial;
    double nearest;

    __device__ __forceinline__ Whole(const DeviceDynamics& job, u64 row)
        : xy(job.place[2 * row]), z(job.place[2 * row + 1]), impulse{}, energy(0), virial(0), nearest(0.0) {}

    template <bool SUMS> __device__ __forceinline__ void meet(const DeviceDynamics& job, u32 other) {
        const ulonglong2 from_xy = job.place[2 * (u64)other], from_z = job.place[2 * (u64)other + 1];
        const DevicePair& pair = ALBIREO_ALIKE ? job.pair[0] : job.pair[z.y * job.species + from_z.y];
        const double d[3] = {
            __dmul_rn((double)(i64)(xy.x - from_xy.x), job.units[0]),
            __dmul_rn((double)(i64)(xy.y - from_xy.y), job.units[1]),
            __dmul_rn((double)(i64)(z.x - from_z.x), job.units[2]),
        };
        const double r2 = __dadd_rn(__dadd_rn(__dmul_rn(d[0], d[0]), __dmul_rn(d[1], d[1])), __dmul_rn(d[2], d[2]));
        const bool within = r2 < pair.reach2;
        const double s = within ? __ddiv_rn(pair.sigma2, r2) : 0.0;
        nearest = s > nearest ? s : nearest;
        const double s3 = __dmul_rn(__dmul_rn(s, s), s);
        double force = __dmul_rn(__dmul_rn(s, s3), __dsub_rn(__dmul_rn(pair.repulsion, s3), pair.attraction));
        if (ALBIREO_FORCES_OFF) force = __dsub_rn(force, __dmul_rn(pair.force_off, __dsqrt_rn(s)));
        if (!SUMS) {
#pragma unroll
            for (int k = 0; k < 3; ++k) impulse[k] += rounded(__dmul_rn(force, d[k]));
            return;
        }
        const double well = __dmul_rn(s3, __dsub_rn(__dmul_rn(pair.well, s3), pair.well));
        const double off = __dsub_rn(__dmul_rn(__dsqrt_rn(r2), pair.slope), pair.energy_off);
        energy += within ? rounded(__dadd_rn(well, off)) : 0;
        virial += rounded(__dmul_rn(__dmul_rn(force, r2), job.virial_factor));
    }
};

// The same in float32: impulses alone.
struct Short {
    uint4 at;
    i64 impulse[3];
    float nearest;

    __device__ __forceinline__ Short(const DeviceDynamics& job, u64 row) : at(job.upper[row]), impulse{}, nearest(0.0f) {}

    template <bool SUMS> __device__ __forceinline__ void meet(const DeviceDynamics& job, u32 other) {
        const uint4 from = job.upper[other];
        const DeviceShortPair& pair = ALBIREO_ALIKE ? job.short_pair[0] : job.short_pair[at.w * (u32)job.species + from.w];
        const float d[3] = {
            __fmul_rn((float)(int)(at.x - from.x), job.short_units[0]),
            __fmul_rn((float)(int)(at.y - from.y), job.short_units[1]),
            __fmul_rn((float)(int)(at.z - from.z), job.short_units[2]),
        };
        const float r2 = __fadd_rn(__fadd_rn(__fmul_rn(d[0], d[0]), __fmul_rn(d[1], d[1])), __fmul_rn(d[2], d[2]));
        const float s = r2 < pair.reach2 ? __fdiv_rn(pair.sigma2, r2) : 0.0f;
        nearest = s > nearest ? s : nearest;
        const float s3 = __fmul_rn(__fmul_rn(s, s), s);
        float force = __fmul_rn(__fmul_rn(s, s3), __fsub_rn(__fmul_rn(pair.repulsion, s3), pair.attraction));
        if (ALBIREO_FORCES_OFF) force = __fsub_rn(force, __fmul_rn(pair.force_off, __fsqrt_rn(s)));
#pragma unroll
        for (int k = 0; k < 3; ++k) impulse[k] += __float2int_rn(__fmul_rn(force, d[k]));
    }
};

#if ALBIREO_SINGLE
typedef Short Particle;
#else
typedef Whole Particle;
#endif

template <bool SUMS, class Particle> __device__ __forceinline__ void meet_all(const DeviceDynamics& job, u64 row, Particle& particle) {
    const u32 number = job.neighbours[row];
    const u32* next = job.neighbour + row;
#pragma unroll 4
    for (u32 k = 0; k < number; ++k, next += job.particles) particle.template meet<SUMS>(job, *next);
}

// Adds to word and the next the lower 32 bits and the others of a block's values; all its threads call.
__device__ __forceinline__ void add_up(u64* word, i64 value, u64* shared) {
    for (u32 part = 0; part < 2; ++part) {
        shared[threadIdx.x] = part ? (u64)(value >> 32) : (u64)(u32)value;
        __syncthreads();
        for (u32 half = blockDim.x / 2; half; half /= 2) {
            if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0) atomicAdd(word + part, shared[0]);
        __syncthreads();
    }
}

}  // namespace albireo

// Makes the impulse on every particle, and adds it to its momentum where that is asked for.
extern "C" __global__ void __launch_bounds__(128)
albireo_dynamics_push(const __grid_constant__ albireo::DeviceDynamics job, const __grid_constant__ albireo::DynamicsStep step) {
    using namespace albireo;
    if (job.status[STOP]) return;
    const u64 row = thread_number(), n = job.particles;
    if (row == 0) {
        job.status[LISTED] += job.status[RELIST];
        job.status[RELIST] = 0;
    }
    if (row >= n) return;
    Particle particle(job, row);
    meet_all<false>(job, row, particle);
    for (int k = 0; k < 3; ++k) {
        job.impulse[k * n + row] = (u64)particle.impulse[k];
        if (step.flag) job.momentum[k * n + row] += (u64)particle.impulse[k];
    }
    if (particle.nearest > job.closest) stop(job, step, REFUSED);
}

// Adds up energies and virials of all pairs.
extern "C" __global__ void __launch_bounds__(128)
albireo_dynamics_sums(const __grid_constant__ albireo::DeviceDynamics job, const __grid_constant__ albireo::DynamicsStep) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    const u64 row = thread_number();
    i64 energy = 0, virial = 0;
    if (row < job.particles) {
        Whole particle(job, row);
        meet_all<true>(job, row, particle);
        energy = particle.energy;
        virial = particle.virial;
    }
    add_up(job.sums, energy, (u64*)memory);
    add_up(job.sums + 2, virial, (u64*)memory);
}

ALBIREO_EMULATED(albireo_dynamics_push, albireo::DeviceDynamics, albireo::DynamicsStep)
ALBIREO_EMULATED(albireo_dynamics_sums, albireo::DeviceDynamics, albireo::DynamicsStep)
