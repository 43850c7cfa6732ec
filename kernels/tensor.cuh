// Tensor cores (compute capability 8.0 and later) as these kernels use them: halves in words, and sums of products sixteen rows by eight columns.
#pragma once
#include "device.cuh"

namespace albireo {

#ifdef ALBIREO_HOST

inline u32 half_of(float v) {
    const u32 bits = __float_as_uint(v), sign = bits >> 16 & 0x8000u;
    u32 a = bits & 0x7fffffffu;
    if (a < 0x38800000u) return sign | (u32)lrintf(fabsf(v) * 16777216.0f);
    if (a >= 0x477ff000u) return sign | 0x7c00u;
    a += 0xfffu + (a >> 13 & 1u);
    return sign | (a - 0x38000000u) >> 13;
}
inline float value_of_half(u32 h) {
    const float least = (float)(h & 0x3ffu) / 16777216.0f;
    const float size = h & 0x7c00u ? __uint_as_float(((h & 0x7fffu) << 13) + 0x38000000u) : least;
    return h & 0x8000u ? -size : size;
}
inline u32 halves(float low, float high) { return half_of(low) | half_of(high) << 16; }
inline float low_half(u32 word) { return value_of_half(word & 0xffffu); }
inline float high_half(u32 word) { return value_of_half(word >> 16); }
inline uint4 load_rows(u32 address) {
    const u32 at = address + threadIdx.x % 32 / 4 * 32 + threadIdx.x % 4 * 4;
    return {shared_word(at), shared_word(at + 256), shared_word(at + 16), shared_word(at + 272)};
}
inline uint2 load_pair(u32 address) { return {shared_word(address), shared_word(address + 4)}; }
inline void load_starts(float (&v)[4], u32 address) {
    for (u32 k = 0; k < 4; ++k) v[k] = __uint_as_float(shared_word(address + k * 4));
}
inline u32 lower_fraction(u32 a, u32 b) { return (a & 0xffffu) < (b & 0xffffu) ? a : b; }
inline u32 lane_address(u32 place, u32 lane) { return (place >> 8 & 0xff00u) | lane; }

// As little as the bound of their error allows tensor cores: every product is cut to 24 bits of the largest, and so is the sum.
inline float summed(const float* a, const float* b, float start) {
    const auto exponent = [](float v, int least) {
        const int e = (int)(__float_as_uint(v) >> 23 & 255u) - 127;
        return e < least ? least : e;
    };
    int top = exponent(start, -126);
    for (int k = 0; k < 16; ++k)
        if (a[k] != 0.0f && b[k] != 0.0f) {
            const int e = exponent(a[k], -14) + exponent(b[k], -14);
            top = e > top ? e : top;
        }
    const double scale = __builtin_scalbn(1.0, 23 - top);
    i64 sum = (i64)(start * scale);
    for (int k = 0; k < 16; ++k) sum += (i64)((double)a[k] * b[k] * scale);
    u64 size = sum < 0 ? (u64)-sum : (u64)sum;
    for (u64 rest = size >> 24, bit = 1; rest; rest >>= 1, bit *= 2) size &= ~bit;
    return (float)((sum < 0 ? -(double)size : (double)size) / scale);
}
inline u32 operands[1024][6];
inline void multiply(float (&d)[4], uint4 a, uint2 b, const float (&start)[4]) {
    const u32 thread = threadIdx.x, warp = thread & ~31u, row = thread % 32 / 4, column = thread % 4 * 2;
    const u32 mine[6] = {a.x, a.y, a.z, a.w, b.x, b.y};
    memcpy(operands[thread], mine, sizeof(mine));
    __syncwarp();
    for (u32 q = 0; q < 4; ++q) {
        float first[16], second[16];
        for (u32 k = 0; k < 16; ++k) {
            const u32 part = k % 8 / 2, left = operands[warp + row * 4 + part][q / 2 + k / 8 * 2];
            const u32 right = operands[warp + (column + q % 2) * 4 + part][4 + k / 8];
            first[k] = k % 2 ? high_half(left) : low_half(left);
            second[k] = k % 2 ? high_half(right) : low_half(right);
        }
        d[q] = summed(first, second, start[q]);
    }
    __syncwarp();
}

#else

// Two floats rounded to halves.
__device__ __forceinline__ u32 halves(float low, float high) {
    u32 word;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    return word;
}
__device__ __forceinline__ float low_half(u32 word) {
    float v;
    asm("{ .reg .f16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, a; }" : "=f"(v) : "r"(word));
    return v;
}
__device__ __forceinline__ float high_half(u32 word) {
    float v;
    asm("{ .reg .f16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, b; }" : "=f"(v) : "r"(word));
    return v;
}
// Sixteen rows of sixteen halves from shared memory, each 32 bytes after the last.
__device__ __forceinline__ uint4 load_rows(u32 address) {
    uint4 v;
    address += (threadIdx.x & 15) * 32 + (threadIdx.x & 16);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address)
                 : "memory");
    return v;
}
// Eight bytes of shared memory.
__device__ __forceinline__ uint2 load_pair(u32 address) {
    uint2 v;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(address));
    return v;
}
// What four sums begin with, in four registers side by side as the instruction wants them: none is moved.
__device__ __forceinline__ void load_starts(float (&v)[4], u32 address) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                 : "r"(address)
                 : "memory");
}
// Of two words the one whose lower half is less; its upper half may be that of either.
__device__ __forceinline__ u32 lower_fraction(u32 a, u32 b) {
#if __CUDA_ARCH__ >= 900
    u32 least;
    asm("min.u16x2 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
    return least;
#else
    return min(a << 16, b << 16) >> 16;
#endif
}
// The third byte of a place as the second of an address whose first is the lane's, in one instruction.
__device__ __forceinline__ u32 lane_address(u32 place, u32 lane) { return __byte_perm(place, lane, 0x7624); }

// Sums of products of the halves of sixteen rows and of eight columns, with what they begin with: rows g and g + 8 and columns 2 t and 2 t + 1
// are with lane 4 g + t, those of a row side by side.
__device__ __forceinline__ void multiply(float (&d)[4], uint4 a, uint2 b, const float (&start)[4]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "f"(start[0]), "f"(start[1]), "f"(start[2]), "f"(start[3]));
}

#endif

}  // namespace albireo
