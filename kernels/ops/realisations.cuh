// In which realisations points take part: twin of src/tally/realised.rs.
#pragma once
#include "separation.cuh"

namespace albireo {

// Realisations 32*half .. 32*half + 31 of a row. A sample without bits takes part in all.
__device__ __forceinline__ u32 half_of(const DeviceSample& sample, u64 row, u32 half) {
    if (!sample.bits) return 0xffffffffu;
    const u64 word = sample.bits[row + (half / 2) * sample.rows];
    return half & 1 ? (u32)(word >> 32) : (u32)word;
}

// Bit l of lane k is bit k of lane l: every lane of the warp takes part.
__device__ __forceinline__ u32 transposed(u32 word) {
    const u32 lane = threadIdx.x & 31;
    u32 low = 0x0000ffffu;
#pragma unroll
    for (u32 step = 16; step; step /= 2) {
        const u32 other = __shfl_xor_sync(0xffffffffu, word, step);
        word = lane & step ? (word & ~low) | (other & ~low) >> step : (word & low) | (other & low) << step;
        low ^= low << (step / 2);
    }
    return word;
}

#if ALBIREO_REALISED == 1
// Those that a pair takes part in, of all that are counted.
__device__ __forceinline__ u32 common_half(const DeviceJob& job, u64 i, u64 j, u32 half) {
    const u32 rest = job.realisations - 32 * half;
    return half_of(job.first, i, half) & half_of(job.second, j, half) & (rest < 32 ? (1u << rest) - 1 : 0xffffffffu);
}

// Calls `take` with each realisation that a pair takes part in.
template <class Take>
__device__ __forceinline__ void each_realisation(const DeviceJob& job, u64 i, u64 j, Take take) {
    for (u32 half = 0; 32 * half < job.realisations; ++half)
        for (u32 left = common_half(job, i, j, half); left; left &= left - 1) take(32 * half + __ffs(left) - 1);
}

// What a lane of the warp has.
__device__ __forceinline__ i64 of_lane(i64 value, u32 lane) {
    const u32 low = __shfl_sync(0xffffffffu, (u32)value, lane);
    const u32 high = __shfl_sync(0xffffffffu, (u32)((u64)value >> 32), lane);
    return (i64)((u64)high << 32 | low);
}
#endif

}  // namespace albireo
