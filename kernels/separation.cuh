// THE definition of a separation, in float64 and in the order of src/separation.rs and src/domain: twin to the last bit.
// No fused multiply-add: every operation is a rounding intrinsic.
#pragma once
#include "structs.cuh"

namespace albireo {

struct Triple {
    double x, y, z;
};

__device__ __forceinline__ double dot(Triple a, Triple b) {
    return __dadd_rn(__dadd_rn(__dmul_rn(a.x, b.x), __dmul_rn(a.y, b.y)), __dmul_rn(a.z, b.z));
}

__device__ __forceinline__ Triple difference(Triple a, Triple b) {
    return {__dsub_rn(a.x, b.x), __dsub_rn(a.y, b.y), __dsub_rn(a.z, b.z)};
}

__device__ __forceinline__ Triple sum(Triple a, Triple b) {
    return {__dadd_rn(a.x, b.x), __dadd_rn(a.y, b.y), __dadd_rn(a.z, b.z)};
}

// Which image of the second point a traversal met: its shift in box vectors, 8 added to each.
__device__ __forceinline__ u32 image_code(int nx, int ny, int nz) {
    return (u32)(nx + 8) | (u32)(ny + 8) << 4 | (u32)(nz + 8) << 8;
}
static const u32 ANY_IMAGE = 0xffffffffu;

#if ALBIREO_DOMAIN == 1
__device__ __forceinline__ double nearest_on_axis(double d, double length, double half, int& n) {
    n = 0;
    if (d > half) {
        n = 1;
        return __dsub_rn(d, length);
    }
    if (d < -half) {
        n = -1;
        return __dadd_rn(d, length);
    }
    return d;
}
#endif

#if ALBIREO_DOMAIN == 2
// Images in order of preference (twin of PREFERENCE in src/domain/lattice.rs): by key, n before -n where n is its own key. In order of their
// components they are mirrored about number 62, which is 0.
__device__ __forceinline__ int preference_of(int nx, int ny, int nz) {
    int key = ((nx + 2) * 5 + (ny + 2)) * 5 + (nz + 2) - 62;
    return key > 0 ? 2 * key - 1 : -2 * key;
}

// The shift of the second point under the image at `place`: the image itself moves the difference.
__device__ __forceinline__ u32 code_of_preference(int place) {
    int key = 62 + ((place & 1) ? (place + 1) / 2 : -(place / 2));
    return image_code(2 - key / 25, 2 - key / 5 % 5, 2 - key % 5);
}

__device__ __noinline__ double search_images(const double* translations, Triple& d, u32& image) {
    double best2 = __longlong_as_double(0x7ff0000000000000LL);
    Triple best = d;
    for (int n = 0; n < 125; ++n) {
        Triple moved = sum(d, {translations[3 * n], translations[3 * n + 1], translations[3 * n + 2]});
        double r2 = dot(moved, moved);
        if (r2 < best2) {
            best2 = r2;
            best = moved;
            image = code_of_preference(n);
        }
    }
    d = best;
    return best2;
}
#endif

// d = x1 - x2 to the nearest image, and r2. False when the traversal's image is not the nearest: that pair is met elsewhere.
__device__ __forceinline__ bool separation(const DeviceJob& job, Triple x1, Triple x2, u32 image, Triple& d, double& r2) {
    d = difference(x1, x2);
#if ALBIREO_DOMAIN == 1
    int nx, ny, nz;
    d.x = nearest_on_axis(d.x, job.images.length[0], job.images.half[0], nx);
    d.y = nearest_on_axis(d.y, job.images.length[1], job.images.half[1], ny);
    d.z = nearest_on_axis(d.z, job.images.length[2], job.images.half[2], nz);
    if (image != ANY_IMAGE && image != image_code(nx, ny, nz)) return false;
#endif
#if ALBIREO_DOMAIN == 2
    if (image != ANY_IMAGE) {
        int nx = (int)(image & 15) - 8, ny = (int)(image >> 4 & 15) - 8, nz = (int)(image >> 8 & 15) - 8;
        if (nx < -2 || nx > 2 || ny < -2 || ny > 2 || nz < -2 || nz > 2) return false;
        const double* t = job.images.translations + 3 * preference_of(-nx, -ny, -nz);
        Triple moved = sum(d, {t[0], t[1], t[2]});
        double moved2 = dot(moved, moved);
        // So close that no other image can be as near, however both are rounded.
        if (moved2 < job.images.nearest2) {
            d = moved;
            r2 = moved2;
            return true;
        }
        if (moved2 >= job.images.beyond2) return false;
    }
    u32 nearest = image;
    r2 = search_images(job.images.translations, d, nearest);
    return image == ANY_IMAGE || image == nearest;
#else
    r2 = dot(d, d);
    return true;
#endif
}

}  // namespace albireo
