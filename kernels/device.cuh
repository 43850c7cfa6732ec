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
inline u32 add_shared(u32* word, u32 value) { u32 old = *word; *word += value; return old; }
inline void tally_shared(u32* word) { *word += 1; }
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
__device__ __forceinline__ u32 add_shared(u32* word, u32 value) {
    u32 old;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(shared_address(word)), "r"(value));
    return old;
}
// An unused result and the constant 1 select the instruction that merges the lanes of one address.
__device__ __forceinline__ void tally_shared(u32* word) {
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(shared_address(word)));
}
// The additions above declare no memory, so that loads may pass them; this orders them before a barrier.
__device__ __forceinline__ void settle() { asm volatile("" ::: "memory"); }

#endif

}  // namespace albireo
