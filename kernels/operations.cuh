// What terms, rules and expressions over pairs are written with, of float64 and of float32: each operation rounds and chooses as
// crates/simd/src/numbers.rs has it, and none is fused but where it says so.
#pragma once
#include "structs.cuh"

namespace albireo {

__device__ __forceinline__ float add(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ float subtract(float a, float b) { return __fsub_rn(a, b); }
__device__ __forceinline__ float multiply(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ float divide(float a, float b) { return __fdiv_rn(a, b); }
__device__ __forceinline__ float square_root(float a) { return __fsqrt_rn(a); }
// a * b + c, rounded once.
__device__ __forceinline__ float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ float greater(float a, float b) { return a > b ? a : b; }

__device__ __forceinline__ double add(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ double subtract(double a, double b) { return __dsub_rn(a, b); }
__device__ __forceinline__ double multiply(double a, double b) { return __dmul_rn(a, b); }
__device__ __forceinline__ double divide(double a, double b) { return __ddiv_rn(a, b); }
__device__ __forceinline__ double square_root(double a) { return __dsqrt_rn(a); }
// a * b + c, rounded once.
__device__ __forceinline__ double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ __forceinline__ double greater(double a, double b) { return a > b ? a : b; }
__device__ __forceinline__ double smaller(double a, double b) { return a < b ? a : b; }
__device__ __forceinline__ double less(double a, double b) { return a < b ? 1.0 : 0.0; }
__device__ __forceinline__ double at_most(double a, double b) { return a <= b ? 1.0 : 0.0; }
__device__ __forceinline__ double where_positive(double choice, double a, double b) { return choice > 0.0 ? a : b; }

}  // namespace albireo
