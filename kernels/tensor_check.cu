// Whether sums of tensor cores are as exact as `src/engine/cuda/tensor.rs` takes them for: random ones against float64.
#include "structs.cuh"
#include "tensor.cuh"

namespace albireo {

static const u32 ROUNDS = 16;  // of a warp, of 128 sums each

// A stream of bits (splitmix64).
struct Bits {
    u64 state;

    __device__ __forceinline__ u32 next() {
        state += 0x9e3779b97f4a7c15ULL;
        u64 z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return (u32)((z ^ (z >> 31)) >> 32);
    }
    // A half of either sign: of exponents next to each other, of many, or of any with such as have no full mantissa.
    __device__ __forceinline__ u32 half(u32 kind) {
        const u32 bits = next(), exponents = kind % 4 == 0 ? 14 : kind % 4 == 1 ? 14 + (bits >> 20 & 3) : kind % 4 == 2 ? 5 + (bits >> 20 & 15) : (bits >> 20) % 26;
        return (bits & 0x83ffu) | exponents << 10;
    }
    // What a sum begins with: nothing, much or little beside the products.
    __device__ __forceinline__ float start(u32 kind) {
        const u32 bits = next();
        const float size = __uint_as_float(0x3f800000u | bits >> 9) * (kind / 4 % 4 == 1 ? 1e3f : kind / 4 % 4 == 2 ? 1e-3f : 1.0f);
        return kind / 4 % 4 == 3 ? 0.0f : (bits & 1u) ? -size : size;
    }
};

}  // namespace albireo

extern "C" __global__ void albireo_tensor_check(const __grid_constant__ albireo::TensorCheck check, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    // Of each warp: sixteen rows of sixteen halves, then eight columns.
    u32* rows = (u32*)memory + threadIdx.x / 32 * 192;
    u32* columns = rows + 128;
    const u32 lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    Bits bits = {((u64)warp * 32 + lane) << 20};
    // Counters of kernels must begin where the place of the last of them is still a byte.
    u32 wrong = shared_address(memory) > check.most_address ? 1u : 0u;
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 kind = warp + round;
        for (u32 k = lane; k < 192; k += 32) rows[k] = bits.half(kind) | bits.half(kind) << 16;
        __syncwarp();
        const uint2 b = {columns[lane / 4 * 8 + lane % 4], columns[lane / 4 * 8 + 4 + lane % 4]};
        const float start[4] = {bits.start(kind), bits.start(kind), bits.start(kind), bits.start(kind)};
        float d[4];
        multiply(d, load_rows(shared_address(rows)), b, start);
        for (u32 q = 0; q < 4; ++q) {
            double sum = start[q], most = start[q] < 0.0f ? -sum : sum;
            const u32* row = rows + (lane / 4 + q / 2 * 8) * 8;
            const u32* column = columns + (lane % 4 * 2 + q % 2) * 8;
            for (u32 k = 0; k < 16; ++k) {
                const double x = k % 2 ? high_half(row[k / 2]) : low_half(row[k / 2]), y = k % 2 ? high_half(column[k / 2]) : low_half(column[k / 2]);
                const double product = x * y, size = product < 0.0 ? -product : product;
                sum += product;
                most = size > most ? size : most;
            }
            const double off = (double)d[q] - sum, size = sum < 0.0 ? -sum : sum, bound = (17.0 * most + size) / 8388608.0;
            if (!(off <= bound && -off <= bound)) wrong += 1;
        }
        __syncwarp();
    }
    if (wrong) atomicAdd(check.wrong, wrong);
}

ALBIREO_EMULATED(albireo_tensor_check, albireo::TensorCheck, albireo::Unit)
