// The CPU method of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277) as plain C: atoms outside, points inside, clipped to a cylinder, sums in
// the kind of number that terms are made of. What albireo's maps are timed beside; benches/map_loops.py compiles it and takes turns.
//
//     gcc -Ofast -march=native -mprefer-vector-width=512 -DREAL=double -o loops benches/map_loops.c -lpthread -lm
//     loops WATER.csv CUTOFF SPACING POINTS THREADS MAP
//
// WATER.csv has lines x,y,z,charge after a head; MAP gets POINTS^3 numbers, the third axis fastest, of points at (k + 1/2) SPACING. Prints the
// seconds of the loops.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef REAL
#define REAL double
#endif
#define LANES ((int)(64 / sizeof(REAL)))
#define MOST 4096

typedef struct {
    double x, y, z, charge;
} Atom;

typedef struct {
    const Atom *atoms;
    size_t n;
    double cutoff, spacing;
    int points, from, to;
    REAL *map;
} Slab;

static int within(double at, int low, int high) { return at < low ? low : at > high ? high : (int)at; }

static int row_length(int points) { return (points + 2 * LANES - 1) / LANES * LANES; }

// The planes from `from` to `to`. A row is met in whole registers, from the first point in the cylinder on: what lies beyond adds 0.
static void *sum_slab(void *given) {
    const Slab *slab = given;
    const REAL h = slab->spacing, cutoff2 = slab->cutoff * slab->cutoff, per_cutoff2 = 1 / cutoff2;
    const double rc = slab->cutoff;
    const int n = slab->points, length = row_length(n);
    REAL z2[MOST] __attribute__((aligned(64)));
    for (size_t k = 0; k < slab->n; ++k) {
        const Atom atom = slab->atoms[k];
        const double x = atom.x / h - 0.5, y = atom.y / h - 0.5, z = atom.z / h - 0.5, reach = rc / h;
        const REAL q = atom.charge;
        const int first = within(ceil(x - reach), slab->from, slab->to), end = within(floor(x + reach) + 1, slab->from, slab->to);
        const int low = within(ceil(z - reach), 0, n), high = within(floor(z + reach) + 1, 0, n);
        const int registers = (high - low + LANES - 1) / LANES;
        for (int l = 0; l < registers * LANES; ++l) {
            const REAL dz = (low + l - z) * h;
            z2[l] = dz * dz;
        }
        for (int i = first; i < end; ++i) {
            const double dx = i - x, left = reach * reach - dx * dx;
            if (left <= 0) continue;
            const double half = sqrt(left);
            const int j_end = within(floor(y + half) + 1, 0, n);
            for (int j = within(ceil(y - half), 0, n); j < j_end; ++j) {
                const REAL dy = j - y, across = (REAL)(dx * dx) * h * h + dy * dy * h * h;
                REAL *restrict row = slab->map + ((size_t)i * n + j) * length + low;
                for (int l = 0; l < registers; ++l)
                    for (int m = l * LANES; m < l * LANES + LANES; ++m) {
                        const REAL r2 = across + z2[m], s = 1 - r2 * per_cutoff2;
#ifdef SINGLE
                        const REAL term = q * s * s / sqrtf(r2);
#else
                        const REAL term = q * s * s / sqrt(r2);
#endif
                        row[m] += r2 < cutoff2 ? term : 0;
                    }
            }
        }
    }
    return NULL;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

static size_t read_atoms(const char *path, Atom **atoms) {
    FILE *file = fopen(path, "r");
    if (!file) exit(1);
    size_t n = 0, room = 1 << 16;
    *atoms = malloc(room * sizeof(Atom));
    while (fgetc(file) != '\n') {}
    for (Atom a; fscanf(file, "%lf,%lf,%lf,%lf", &a.x, &a.y, &a.z, &a.charge) == 4; (*atoms)[n++] = a)
        if (n == room) *atoms = realloc(*atoms, (room *= 2) * sizeof(Atom));
    fclose(file);
    return n;
}

int main(int given, char **words) {
    if (given != 7) return 2;
    Atom *atoms;
    const size_t n_atoms = read_atoms(words[1], &atoms);
    const int n = atoi(words[4]), threads = atoi(words[5]), length = row_length(n);
    if (n < 1 || n > MOST - 2 * LANES || threads < 1 || threads > 64) return 2;
    const size_t bytes = (size_t)n * n * length * sizeof(REAL);
    REAL *map = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(map, 0, bytes);
    pthread_t started[64];
    Slab slabs[64];
    const double begun = seconds();
    for (int k = 0; k < threads; ++k) {
        slabs[k] = (Slab){atoms, n_atoms, atof(words[2]), atof(words[3]), n, n * k / threads, n * (k + 1) / threads, map};
        pthread_create(&started[k], NULL, sum_slab, &slabs[k]);
    }
    for (int k = 0; k < threads; ++k) pthread_join(started[k], NULL);
    printf("%.3f\n", seconds() - begun);
    FILE *file = fopen(words[6], "wb");
    if (!file) return 1;
    for (size_t row = 0; row < (size_t)n * n; ++row) fwrite(map + row * length, sizeof(REAL), n, file);
    return fclose(file);
}
