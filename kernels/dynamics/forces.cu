// What the neighbours of a particle do to it: impulses and the second half of a step, or sums over all pairs. A pair is met from both of its
// sides, whose integers are the same but for the sign.
#include "dynamics/particles.cuh"
#include "operations.cuh"

namespace albireo {

// 1.5 * 2^52. Its sum with a number of magnitude 2^50 at most rounds that to an integer, ties to even, and leaves the integer in the low bits.
static const double ROUNDING = 6755399441055744.0;

__device__ __forceinline__ i64 rounded(double value) {
    return __double_as_longlong(__dadd_rn(value, ROUNDING)) - __double_as_longlong(ROUNDING);
}

// What a neighbour does to a particle, components of the difference given in fractions, and what energies are made of: the twin of
// crates/dynamics/src/pair_rule.rs, operation by operation.
template <class Real> struct Pushed {
    Real impulse[3], s, s3, r2, force;
};

template <class Real, class Pair>
__device__ __forceinline__ Pushed<Real> push(const Pair& pair, const Real* units, Real x, Real y, Real z) {
    const Real d[3] = {multiply(x, units[0]), multiply(y, units[1]), multiply(z, units[2])};
    const Real r2 = add(add(multiply(d[0], d[0]), multiply(d[1], d[1])), multiply(d[2], d[2]));
    const Real s = r2 < pair.reach2 ? divide(pair.sigma2, r2) : (Real)0;
    const Real s3 = multiply(multiply(s, s), s);
    Real force = multiply(multiply(s, s3), subtract(multiply(pair.repulsion, s3), pair.attraction));
    if (ALBIREO_FORCES_OFF) force = subtract(force, multiply(pair.force_off, square_root(s)));
    return {{multiply(force, d[0]), multiply(force, d[1]), multiply(force, d[2])}, s, s3, r2, force};
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
        const i64 apart[3] = {(i64)(xy.x - from_xy.x), (i64)(xy.y - from_xy.y), (i64)(z.x - from_z.x)};
        const Pushed<double> of = push(pair, job.units, (double)apart[0], (double)apart[1], (double)apart[2]);
        nearest = of.s > nearest ? of.s : nearest;
        if (!SUMS) {
#pragma unroll
            for (int k = 0; k < 3; ++k) impulse[k] += rounded(of.impulse[k]);
            return;
        }
        const double well = multiply(of.s3, subtract(multiply(pair.well, of.s3), pair.well));
        const double off = subtract(multiply(square_root(of.r2), pair.slope), pair.energy_off);
        energy += of.r2 < pair.reach2 ? rounded(add(well, off)) : 0;
        virial += rounded(multiply(multiply(of.force, of.r2), job.virial_factor));
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
        const int apart[3] = {(int)(at.x - from.x), (int)(at.y - from.y), (int)(at.z - from.z)};
        const Pushed<float> of = push(pair, job.short_units, (float)apart[0], (float)apart[1], (float)apart[2]);
        nearest = of.s > nearest ? of.s : nearest;
#pragma unroll
        for (int k = 0; k < 3; ++k) impulse[k] += __float2int_rn(of.impulse[k]);
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
