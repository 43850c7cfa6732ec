/* xi(r) of points and randoms by Landy-Szalay, each sample sorted once for its two counts, with errors of a jackknife over eight regions.

   cc estimate.c $(pkg-config --cflags --libs albireo) -o estimate && ./estimate */
#include <albireo.h>
#include <stdio.h>
#include <stdlib.h>

#define BINS 3
#define DATA 1000
#define RANDOMS 3000

static void check(int32_t code) {
  if (code != ALBIREO_OK) {
    fprintf(stderr, "albireo: %s\n", albireo_error_text());
    exit(1);
  }
}

static const double edges[BINS + 1] = {0, 5, 10, 20};

/* Points in a box of 100, and the octant that each lies in, sorted once. */
static albireo_prepared *sorted(const albireo_job *job, size_t n, unsigned seed) {
  static double xyz[RANDOMS][3];
  static uint32_t region[RANDOMS];
  for (size_t i = 0; i < n; i++) {
    region[i] = 0;
    for (int k = 0; k < 3; k++) {
      seed = seed * 1664525u + 1013904223u;
      xyz[i][k] = (seed >> 8) * (100.0 / (1 << 24));
      region[i] = 2 * region[i] + (xyz[i][k] >= 50);
    }
  }
  albireo_sample sample = {.struct_size = sizeof sample};
  sample.n = n;
  sample.x = &xyz[0][0], sample.y = &xyz[0][1], sample.z = &xyz[0][2];
  sample.stride = 3;
  sample.labels = region, sample.n_labels = 8;
  albireo_particles *particles;
  albireo_prepared *prepared;
  check(albireo_particles_new(&sample, &particles));
  check(albireo_prepare(job, particles, &prepared));
  check(albireo_particles_free(particles));
  return prepared;
}

int main(void) {
  albireo_job job = {.struct_size = sizeof job};
  job.edges = edges, job.n_edges = BINS + 1;
  job.classes = ALBIREO_CLASSES_REGIONS;
  albireo_prepared *data = sorted(&job, DATA, 1), *randoms = sorted(&job, RANDOMS, 2);

  const char *names[3] = {"DD", "DR", "RR"};
  albireo_counts *dd, *dr, *rr;
  check(albireo_count_prepared(&job, data, NULL, &dd));
  check(albireo_count_prepared(&job, data, randoms, &dr));
  check(albireo_count_prepared(&job, randoms, NULL, &rr));
  const albireo_counts *counts[3] = {dd, dr, rr};

  albireo_estimation asked = {.struct_size = sizeof asked};
  asked.estimator = "landy-szalay";
  asked.n_counts = 3, asked.names = names, asked.counts = counts;
  asked.errors = ALBIREO_ERRORS_JACKKNIFE;
  double xi[BINS], errors[BINS];
  check(albireo_estimate(&asked, xi, errors, NULL, BINS));
  for (int k = 0; k < BINS; k++) printf("[%.0f, %.0f) xi %.6f +- %.6f\n", edges[k], edges[k + 1], xi[k], errors[k]);

  check(albireo_counts_free(dd));
  check(albireo_counts_free(dr));
  check(albireo_counts_free(rr));
  check(albireo_prepared_free(data));
  check(albireo_prepared_free(randoms));
  return 0;
}
