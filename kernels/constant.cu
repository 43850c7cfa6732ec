// Every pair: a few first points in constant memory, which all threads read at once, against one second point a thread, in float64;
// sums of 32 bits in shared memory, flushed to 64 bits in global memory. After the first kernel of Reuter & Koefinger (2019,
// DOI 10.1016/j.cpc.2018.10.018). A launch's arguments are constant memory: the first points travel there.
#include "sweep.cuh"

extern "C" __global__ void __launch_bounds__(ALBIREO_THREADS)
albireo_constant(const __grid_constant__ albireo::DeviceJob job, const __grid_constant__ albireo::Firsts firsts) {
    using namespace albireo;
    ALBIREO_SHARED(memory);
    Histogram sums;
    sums.set(job, (u32*)memory);
    sums.clear();
    __syncthreads();
    const u64 j = (u64)blockIdx.x * ALBIREO_THREADS + threadIdx.x;
    if (j < job.second.rows) {
        const Triple second = position(job.second, j);
        const double weight = weight_of(job.second, j);
        for (u32 k = 0; k < firsts.number; ++k) {
            const u64 i = firsts.begin + k;
            if (job.order == 1 ? i >= j : (job.order == 2 && i == j)) continue;
            take_in(job, sums, {firsts.x[k], firsts.y[k], firsts.z[k]}, second, ANY_IMAGE, i, j, firsts.weight[k], weight);
        }
    }
    sums.flush(job);
}

ALBIREO_EMULATED(albireo_constant, albireo::DeviceJob, albireo::Firsts)
