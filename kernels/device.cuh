// The CUDA language as these kernels use it: short type names and the few instructions that C++ has no word for.
// With ALBIREO_HOST the emulator stands in for the language, so that tests run the same kernels without a device.
#pragma once

#ifdef ALBIREO_HOST
#include "emulator/emulator.hpp"
#else
#define ALBIREO_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#define ALBIREO_EMULATED(name, First, Second)
#endif

namespace albireo {

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#ifdef ALBIREO_HOST

inline float root(float v) { return sqrtf(v); }
inline float inverse_root(float v) { return 1.0f / sqrtf(v); }
inline u32 shared_address(const void* p) { return (u32)((const unsigned char*)p - emulator::shared); }
inline u32 kept(u32 value) { return value; }
inline u32& shared_word(u32 address) { return *(u32*)(emulator::shared + address); }
inline u32 add_shared(u32 address, u32 value) { u32 old = shared_word(address); shared_word(address) += value; return old; }
inline void tally_shared(u32 address) { shared_word(address) += 1; }
inline u32 high_word(double v) { unsigned long long u; memcpy(&u, &v, 8); return (u32)(u >> 32); }
inline u32 low_word(double v) { unsigned long long u; memcpy(&u, &v, 8); return (u32)u; }
inline double of_words(u32 high, u32 low) { unsigned long long u = (unsigned long long)high << 32 | low; double v; memcpy(&v, &u, 8); return v; }
inline u32 add_with_carry(u32 old, u32 low, u32 a, u32 b) { return a + b + (old + low < old ? 1u : 0u); }
template <class T> inline T load_shared(u32 address) { return *(const T*)(emulator::shared + address); }
inline void settle() {}

#else

// Relative error at most 2^-23 (PTX ISA, sqrt.approx.f32).
__device__ __forceinline__ float root(float v) {
    float r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    return r;
}
// Relative error at most 2^-22.9 (PTX ISA, rsqrt.approx.f32).
__device__ __forceinline__ float inverse_root(float v) {
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    return r;
}
__device__ __forceinline__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }
// A value that the compiler keeps in a register and does not work out again.
__device__ __forceinline__ u32 kept(u32 value) {
    u32 same;
    asm volatile("mov.b32 %0, %1;" : "=r"(same) : "r"(value));
    return same;
}
__device__ __forceinline__ u32 add_shared(u32 address, u32 value) {
    u32 old;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(address), "r"(value));
    return old;
}
// An unused result and the constant 1 select the instruction that merges the lanes of one address. Never under a predicate: the
// assembler would make it a branch, as it does with every addition to shared memory.
__device__ __forceinline__ void tally_shared(u32 address) { asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address)); }
__device__ __forceinline__ u32 high_word(double v) { return (u32)__double2hiint(v); }
__device__ __forceinline__ u32 low_word(double v) { return (u32)__double2loint(v); }
__device__ __forceinline__ double of_words(u32 high, u32 low) { return __hiloint2double((int)high, (int)low); }
// a + b, and 1 where old + low overflows.
__device__ __forceinline__ u32 add_with_carry(u32 old, u32 low, u32 a, u32 b) {
    u32 sum;
    asm("{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %3, %4; }" : "=r"(sum) : "r"(old), "r"(low), "r"(a), "r"(b));
    return sum;
}
// 16 bytes at once, from an address that the compiler does not work out again for every load.
template <class T> __device__ __forceinline__ T load_shared(u32 address) {
    T value;
    u32* word = (u32*)&value;
#pragma unroll
    for (int k = 0; k < (int)(sizeof(T) / 16); ++k)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word[4 * k]), "=r"(word[4 * k + 1]), "=r"(word[4 * k + 2]), "=r"(word[4 * k + 3])
                     : "r"(address + 16 * k));
    return value;
}
// The additions above declare no memory, so that loads may pass them; this orders them before a barrier.
__device__ __forceinline__ void settle() { asm volatile("" ::: "memory"); }

#endif

}  // namespace albireo
