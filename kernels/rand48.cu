// The numbers of drand48 and its relatives, in streams that take turns (van Meel et al. 2008, DOI 10.1080/08927020701744295): the sequence is
// cut into stretches, and in each of them the k-th of S streams makes the numbers k, k + S, k + 2 S.. with one leap of S steps each. A warp
// writes numbers that lie side by side, and the sequence is the serial one.
#include "structs.cuh"

namespace albireo {

static const u64 MASK = (1ull << 48) - 1;

#if ALBIREO_FUNCTION == 0
typedef double Number;
__device__ __forceinline__ Number number_of(u64 state) { return __dmul_rn((double)(i64)(state & MASK), 1.0 / 281474976710656.0); }
#elif ALBIREO_FUNCTION == 1
typedef u32 Number;
__device__ __forceinline__ Number number_of(u64 state) { return (u32)(state >> 17) & 0x7fffffffu; }
#else
typedef u32 Number;
__device__ __forceinline__ Number number_of(u64 state) { return (u32)(state >> 16); }
#endif

}  // namespace albireo

extern "C" __global__ void __launch_bounds__(256)
albireo_rand48(const __grid_constant__ albireo::DeviceRand48 job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    const u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const u64 stretch = thread / job.streams, stream = thread % job.streams;
    const u64 begin = stretch * unit.chunk + stream, past = (stretch + 1) * unit.chunk;
    const u64 end = past < unit.end ? past : unit.end;
    if (begin >= end) return;
    // To the number that comes first: a step more than those before it.
    u64 state = job.state;
    const u64 steps = begin + 1;
    for (int k = 0; k < 32; ++k)
        if (steps >> k & 1) state = state * job.multipliers[k] + job.increments[k];
    Number* numbers = (Number*)job.numbers;
    for (u64 at = begin; at < end; at += job.streams) {
        numbers[at] = number_of(state);
        state = state * job.multiplier + job.increment;
    }
}

ALBIREO_EMULATED(albireo_rand48, albireo::DeviceRand48, albireo::Unit)
