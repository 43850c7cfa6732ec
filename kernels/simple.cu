// Every pair, the shortest way: a thread takes one second point past all first points, in float64, and adds to sums in global memory.
// After Nyland, Harris & Prins (GPU Gems 3, ch. 31). Slow, and easy to check: the other kernels must give its integers.
#include "sweep.cuh"

extern "C" __global__ void __launch_bounds__(ALBIREO_THREADS)
albireo_simple(const __grid_constant__ albireo::DeviceJob job, const __grid_constant__ albireo::Unit unit) {
    using namespace albireo;
    const u64 j = (u64)blockIdx.x * ALBIREO_THREADS + threadIdx.x;
    const u64 begin = unit.begin + (u64)blockIdx.y * unit.chunk;
    const u64 end = begin + unit.chunk < unit.end ? begin + unit.chunk : unit.end;
    if (j >= job.second.rows) return;
    const Triple second = position(job.second, j);
    const double weight = weight_of(job.second, j);
    const Histogram sums = {};
    for (u64 i = begin; i < end; ++i) {
        if (job.order == 1 ? i >= j : (job.order == 2 && i == j)) continue;
        take_in(job, sums, position(job.first, i), second, ANY_IMAGE, i, j, weight_of(job.first, i), weight);
    }
}

ALBIREO_EMULATED(albireo_simple, albireo::DeviceJob, albireo::Unit)
