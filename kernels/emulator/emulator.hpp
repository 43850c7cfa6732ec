// A stand-in for the CUDA language on the host, so that tests run the kernels themselves without a device.
// Blocks run one after another; the threads of a block are fibers that change at barriers. Not for speed.
#pragma once
// C headers alone: every kernel is compiled with this, and those of C++ would take longer than the kernel.
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

extern "C" {
float fabsf(float), fmaf(float, float, float), fmaxf(float, float), fminf(float, float), nextafterf(float, float), sqrtf(float);
double fabs(double), floor(double), fma(double, double, double), sqrt(double);
long lrintf(float);
double rint(double);
}

#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __align__(n) alignas(n)
#define __launch_bounds__(...)
#define ALBIREO_SHARED(name) unsigned char* name = emulator::shared

struct Index { unsigned x, y, z; };
struct uint2 { unsigned x, y; };
struct float2 { float x, y; };
struct alignas(16) ulonglong2 { unsigned long long x, y; };
struct uint4 { unsigned x, y, z, w; };
struct int4 { int x, y, z, w; };

namespace emulator {
inline unsigned char* shared;
inline Index thread, block, block_size, grid_size;
inline ucontext_t entry, home;
inline jmp_buf scheduler;
inline jmp_buf* fibers;
inline bool* running;
inline unsigned current;
inline pthread_mutex_t one_launch = PTHREAD_MUTEX_INITIALIZER;
inline void (*body)(void**);
inline void** arguments;

// Back to the scheduler; returns when it is this fiber's turn again.
inline void yield() {
    if (!_setjmp(fibers[current])) _longjmp(scheduler, 1);
}

// A place where a group of fibers waits for its last, and votes.
struct Meeting {
    unsigned arrived, bits, result, generation;
};
inline Meeting block_meeting, warp_meetings[32];
inline unsigned shuffled[1024];

inline unsigned meet(Meeting& meeting, unsigned members, unsigned vote) {
    unsigned generation = meeting.generation;
    meeting.bits = (meeting.arrived ? meeting.bits : 0) | vote;
    if (++meeting.arrived == members) {
        meeting.arrived = 0;
        meeting.result = meeting.bits;
        ++meeting.generation;
    }
    while (meeting.generation == generation) yield();
    return meeting.result;
}

// The life of a fiber: one block after another.
inline void fiber() {
    yield();
    for (;;) {
        body(arguments);
        running[current] = false;
        yield();
    }
}

inline void turn(unsigned t) {
    current = t;
    thread = {t, 0, 0};
    if (!_setjmp(scheduler)) _longjmp(fibers[t], 1);
}

inline void begin(unsigned t, char* stack, size_t size) {
    current = t;
    getcontext(&entry);
    entry.uc_stack.ss_sp = stack;
    entry.uc_stack.ss_size = size;
    entry.uc_link = nullptr;
    makecontext(&entry, fiber, 0);
    if (!_setjmp(scheduler)) swapcontext(&home, &entry);
}

inline void run_block(unsigned threads) {
    for (unsigned t = 0; t < threads; ++t) running[t] = true;
    for (unsigned left = threads; left;) {
        left = 0;
        for (unsigned t = 0; t < threads; ++t) {
            if (!running[t]) continue;
            turn(t);
            left += running[t];
        }
    }
}

inline void launch(void (*kernel)(void**), const unsigned* grid, unsigned threads, unsigned shared_bytes, void** args) {
    pthread_mutex_lock(&one_launch);
    const size_t size = 64 << 10;
    char* stacks = (char*)malloc(threads * size);
    fibers = (jmp_buf*)malloc(threads * sizeof(jmp_buf));
    running = (bool*)malloc(threads * sizeof(bool));
    for (unsigned t = 0; t < threads; ++t) begin(t, stacks + t * size, size);
    // Filled with rubbish, as on a device.
    void* memory = malloc(shared_bytes + 16);
    memset(memory, 0xab, shared_bytes + 16);
    shared = (unsigned char*)(((uintptr_t)memory + 15) / 16 * 16);
    body = kernel;
    arguments = args;
    block_size = {threads, 1, 1};
    grid_size = {grid[0], grid[1], 1};
    for (unsigned y = 0; y < grid[1]; ++y)
        for (unsigned x = 0; x < grid[0]; ++x) {
            block = {x, y, 0};
            run_block(threads);
        }
    free(memory);
    free(running);
    free(fibers);
    free(stacks);
    pthread_mutex_unlock(&one_launch);
}
}  // namespace emulator

#define threadIdx emulator::thread
#define blockIdx emulator::block
#define blockDim emulator::block_size
#define gridDim emulator::grid_size
inline void __syncthreads() { emulator::meet(emulator::block_meeting, emulator::block_size.x, 0); }
inline unsigned __ballot_sync(unsigned, bool vote) {
    unsigned lane = emulator::current % 32, left = emulator::block_size.x - (emulator::current - lane);
    return emulator::meet(emulator::warp_meetings[emulator::current / 32], left < 32 ? left : 32, (unsigned)vote << lane);
}
inline bool __any_sync(unsigned mask, bool vote) { return __ballot_sync(mask, vote) != 0; }
inline void __syncwarp() { __ballot_sync(0xffffffffu, false); }
inline unsigned __shfl_up_sync(unsigned, unsigned value, unsigned step) {
    const unsigned thread = emulator::current, lane = thread % 32;
    emulator::shuffled[thread] = value;
    __syncwarp();
    const unsigned left = emulator::shuffled[lane < step ? thread : thread - step];
    __syncwarp();
    return left;
}
inline unsigned __shfl_sync(unsigned, unsigned value, unsigned from) {
    const unsigned thread = emulator::current;
    emulator::shuffled[thread] = value;
    __syncwarp();
    const unsigned found = emulator::shuffled[thread - thread % 32 + from % 32];
    __syncwarp();
    return found;
}
inline unsigned __shfl_xor_sync(unsigned mask, unsigned value, unsigned step) {
    return __shfl_sync(mask, value, (emulator::current ^ step) % 32);
}
// What `join` makes of the values of all lanes.
template <class T, class Join> inline T __reduced(T value, Join join) {
    const unsigned warp = emulator::current / 32 * 32;
    emulator::shuffled[emulator::current] = (unsigned)value;
    __syncwarp();
    T all = (T)emulator::shuffled[warp];
    for (unsigned lane = 1; lane < 32; ++lane) all = join(all, (T)emulator::shuffled[warp + lane]);
    __syncwarp();
    return all;
}
inline unsigned __reduce_add_sync(unsigned, unsigned value) { return __reduced(value, [](unsigned a, unsigned b) { return a + b; }); }
template <class T> inline T __reduce_min_sync(unsigned, T value) { return __reduced(value, [](T a, T b) { return a < b ? a : b; }); }
template <class T> inline T __reduce_max_sync(unsigned, T value) { return __reduced(value, [](T a, T b) { return a > b ? a : b; }); }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __ffs(unsigned v) { return __builtin_ffs((int)v); }
inline int __clz(unsigned v) { return v ? __builtin_clz(v) : 32; }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned which) {
    const unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned all = 0;
    for (unsigned k = 0; k < 4; ++k) all |= (unsigned)(bytes >> (which >> 4 * k & 7) * 8 & 255) << 8 * k;
    return all;
}

template <class T> inline T atomicAdd(T* word, T value) { T old = *word; *word += value; return old; }

template <class T> inline T atomicMax(T* word, T value) { T old = *word; if (value > old) *word = value; return old; }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }

inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fmaf_rz(float a, float b, float c) {
    // The product is exact in float64; the sum's rounding error tells which way the float was rounded.
    double p = (double)a * b, s = p + c;
    double back = s - p, rest = (p - (s - back)) + (c - back);
    float f = (float)s;
    double over = (double)f - s;
    bool away = over != 0.0 ? (s > 0 ? over > 0 : over < 0) : (s > 0 ? rest < 0 : rest > 0);
    return away ? nextafterf(f, 0.0f) : f;
}
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline long long __double2ll_rn(double v) { return (long long)rint(v); }
inline int __float2int_rn(float v) { return (int)lrintf(v); }
inline unsigned __float_as_uint(float v) { unsigned u; memcpy(&u, &v, 4); return u; }
inline float __uint_as_float(unsigned u) { float v; memcpy(&v, &u, 4); return v; }
inline long long __double_as_longlong(double v) { long long u; memcpy(&u, &v, 8); return u; }
inline double __longlong_as_double(long long u) { double v; memcpy(&v, &u, 8); return v; }

// Names the kernel `name` of (first, second) for the tests.
#define ALBIREO_EMULATED(name, First, Second)                                                                      \
    static void name##_body(void** args) { name(*(const First*)args[0], *(const Second*)args[1]); }                 \
    extern "C" void emulated_##name(const unsigned* grid, unsigned threads, unsigned shared, void** args) {         \
        emulator::launch(name##_body, grid, threads, shared, args);                                                \
    }
