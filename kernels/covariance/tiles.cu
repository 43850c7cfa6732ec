// Tiles of two clouds: the bins of all pairs between the clouds of a kept pair's ends, counted in a row of the matrix. And triples: the bins of the
// pairs between one end and the cloud of the other.
#include "structs.cuh"

namespace albireo {

// A member of a cloud: its number, with the sign of xi in the top bit, and its position.
struct Member {
    u32 word;
    float x[3];
};

// Where a position is, and its weight in steps.
__device__ __forceinline__ void read_point(const uint4* points, u32 number, float (&x)[3], u32& steps) {
    const uint4 point = points[number];
    x[0] = __uint_as_float(point.x);
    x[1] = __uint_as_float(point.y);
    x[2] = __uint_as_float(point.z);
    steps = point.w;
}

__device__ __forceinline__ float dot(const float (&a)[3], const float (&b)[3]) {
    return __fadd_rn(__fadd_rn(__fmul_rn(a[0], b[0]), __fmul_rn(a[1], b[1])), __fmul_rn(a[2], b[2]));
}

// Quotients are 0 where there is no direction.
__device__ __forceinline__ float above(float v) { return v > 1.17549435e-38f ? v : 1.17549435e-38f; }

__device__ __forceinline__ float nearest(float d, float length) {
    if (length > 3.4e38f) return d;
    const float half = __fmul_rn(0.5f, length), below = __fsub_rn(d, half < d ? length : 0.0f);
    return __fadd_rn(below, below < __fmul_rn(-0.5f, length) ? length : 0.0f);
}

// The bin along a coordinate, or -1.
__device__ __forceinline__ int bin_along(const SampledAxis& axis, float x) {
    const int bins = (int)axis.bins;
    if (axis.even) {
        const float t = __fmul_rn(__fsub_rn(x, axis.first), axis.per);
        if (!(t >= 0.0f && t < axis.limit)) return -1;
        return (int)t < bins ? (int)t : bins - 1;
    }
    int low = 0, high = bins + 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (axis.edges[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low <= bins ? low - 1 : -1;
}

// The bin of a pair, or -1.
__device__ __forceinline__ int bin_of(const DeviceTiles& job, const float (&x1)[3], const float (&x2)[3]) {
    float d[3], l[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        d[k] = nearest(__fsub_rn(x1[k], x2[k]), job.lengths[k]);
        l[k] = __fadd_rn(x1[k], x2[k]);
    }
    const float d2 = dot(d, d);
    const int axis = (int)job.axis;
    float first, second = 0.0f;
    if (job.coordinates == 0) {
        first = __fsqrt_rn(d2);
    } else if (job.coordinates == 1 && axis < 3) {
        first = __fsqrt_rn(d2);
        second = __fdiv_rn(fabsf(d[axis]), above(first));
    } else if (job.coordinates == 1) {
        first = __fsqrt_rn(d2);
        second = __fdiv_rn(fabsf(dot(d, l)), __fsqrt_rn(above(__fmul_rn(d2, dot(l, l)))));
    } else if (axis < 3) {
        const float a = d[(axis + 1) % 3], b = d[(axis + 2) % 3];
        first = __fsqrt_rn(__fadd_rn(__fmul_rn(a, a), __fmul_rn(b, b)));
        second = fabsf(d[axis]);
    } else {
        const float dl = dot(d, l), l2 = above(dot(l, l)), part = __fdiv_rn(dl, l2);
        float across[3];
#pragma unroll
        for (int k = 0; k < 3; ++k) across[k] = __fsub_rn(d[k], __fmul_rn(part, l[k]));
        first = __fsqrt_rn(dot(across, across));
        second = __fdiv_rn(fabsf(dl), __fsqrt_rn(l2));
    }
    const int row = bin_along(job.first, first);
    if (row < 0 || job.coordinates == 0) return row;
    const int column = bin_along(job.second, second);
    return column < 0 ? -1 : row * (int)job.second.bins + column;
}

constexpr u32 NEGATIVE = 1u << 31;

}  // namespace albireo

#if !ALBIREO_TRIPLES

// A block has kept pairs of one bin, a warp one of them at a time, 32 members of each cloud at a time.
extern "C" __global__ void __launch_bounds__(128)
albireo_covariance_quads(const __grid_constant__ albireo::DeviceTiles job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    Member* near_k = (Member*)memory + 64 * warp;
    Member* near_l = near_k + 32;
    u32* counts = (u32*)((Member*)memory + 64 * warps);
    for (u32 bin = threadIdx.x; bin < job.bins; bin += blockDim.x) counts[bin] = 0;
    __syncthreads();
    const uint4 piece = job.pieces[unit.begin + blockIdx.x];
    u64 quads = 0;
    for (u32 pair = piece.x + warp; pair < piece.y; pair += warps) {
        const uint2 ends = job.pairs[pair];
        const u32 k_end = job.k_starts[ends.x + 1], l_end = job.l_starts[ends.y + 1];
        for (u32 k_begin = job.k_starts[ends.x]; k_begin < k_end; k_begin += 32) {
            const u32 k_number = k_end - k_begin < 32 ? k_end - k_begin : 32;
            u32 steps;
            if (lane < k_number) {
                near_k[lane].word = job.k_members[k_begin + lane];
                read_point(job.k_points, near_k[lane].word & ~NEGATIVE, near_k[lane].x, steps);
            }
            for (u32 l_begin = job.l_starts[ends.y]; l_begin < l_end; l_begin += 32) {
                const u32 l_number = l_end - l_begin < 32 ? l_end - l_begin : 32;
                if (lane < l_number) {
                    near_l[lane].word = job.l_members[l_begin + lane];
                    read_point(job.l_points, near_l[lane].word & ~NEGATIVE, near_l[lane].x, steps);
                }
                __syncwarp();
                for (u32 quad = lane; quad < k_number * l_number; quad += 32) {
                    const Member &k = near_k[quad / l_number], &l = near_l[quad % l_number];
                    const u32 k_row = k.word & ~NEGATIVE, l_row = l.word & ~NEGATIVE;
                    if ((job.k_is_second && k_row == ends.y) || (job.l_is_first && l_row == ends.x)) continue;
                    ++quads;
                    if (job.alike && k_row == l_row) continue;
                    const int bin = bin_of(job, k.x, l.x);
                    if (bin >= 0) atomicAdd(counts + bin, ((k.word ^ l.word) & NEGATIVE) ? ~0u : 1u);
                }
                __syncwarp();
            }
        }
    }
    if (quads) atomicAdd(job.quads, quads);
    __syncthreads();
    for (u32 bin = threadIdx.x; bin < job.bins; bin += blockDim.x)
        if (counts[bin]) atomicAdd(job.sums + (u64)piece.z * job.bins + bin, (u64)(i64)(int)counts[bin]);
}

ALBIREO_EMULATED(albireo_covariance_quads, albireo::DeviceTiles, albireo::Unit)

#else

// A warp has a kept pair, its lanes the cloud of one end, k; the other end is the vertex.
extern "C" __global__ void __launch_bounds__(128)
albireo_covariance_triples(const __grid_constant__ albireo::DeviceTiles job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const uint4 piece = job.pieces[unit.begin + blockIdx.x];
    for (u32 pair = piece.x + warp; pair < piece.y; pair += warps) {
        const uint2 ends = job.pairs[pair];
        const u32 arm = job.arm_is_second ? ends.y : ends.x, vertex = job.arm_is_second ? ends.x : ends.y;
        float at[3], x[3];
        u32 steps, unused;
        read_point(job.l_points, vertex, at, steps);
        for (u32 k = job.k_starts[arm] + lane; k < job.k_starts[arm + 1]; k += 32) {
            const u32 word = job.k_members[k], row = word & ~NEGATIVE;
            if (job.alike && row == vertex) continue;
            read_point(job.k_points, row, x, unused);
            const int bin = bin_of(job, at, x);
            const i64 weight = word & NEGATIVE ? -(i64)steps : (i64)steps;
            if (bin >= 0) atomicAdd(job.sums + (u64)piece.z * job.bins + bin, (u64)weight);
        }
    }
}

ALBIREO_EMULATED(albireo_covariance_triples, albireo::DeviceTiles, albireo::Unit)

#endif
