/* xi(r) of a lattice in a periodic box by DD/RR - 1, with weights, progress and a text for what is wrong.

   cc count.c $(pkg-config --cflags --libs albireo) -o count && ./count */
#include <albireo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 12
#define BINS 3

static void check(int32_t code) {
  if (code != ALBIREO_OK) {
    fprintf(stderr, "albireo: %s\n", albireo_error_text());
    exit(1);
  }
}

static int told(void *user, uint64_t done, uint64_t of) {
  *(int *)user += 1;
  return done > of; /* anything but 0 stops the count */
}

int main(void) {
  static double xyz[SIDE * SIDE * SIDE][3], weights[SIDE * SIDE * SIDE];
  size_t n = 0;
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++)
      for (int k = 0; k < SIDE; k++, n++) {
        xyz[n][0] = i, xyz[n][1] = j, xyz[n][2] = k;
        weights[n] = 1 + n % 2;
      }

  albireo_sample sample = {.struct_size = sizeof sample};
  sample.n = n;
  sample.x = &xyz[0][0], sample.y = &xyz[0][1], sample.z = &xyz[0][2];
  sample.stride = 3;
  sample.weights = weights, sample.weights_stride = 1;
  albireo_particles *particles;
  check(albireo_particles_new(&sample, &particles));

  const double edges[BINS + 1] = {0.5, 1.1, 1.5, 2.1};
  int calls = 0;
  albireo_job job = {.struct_size = sizeof job};
  job.statistic = ALBIREO_R;
  job.edges = edges, job.n_edges = BINS + 1;
  job.box_kind = ALBIREO_BOX_LENGTHS;
  job.cell[0] = job.cell[1] = job.cell[2] = SIDE;
  job.sums = ALBIREO_SUM_SEPARATIONS;
  job.progress = told, job.user = &calls;
  albireo_counts *counts;
  check(albireo_count(&job, particles, NULL, &counts));

  uint64_t pairs[BINS], all;
  double weight[BINS], mean[BINS], total;
  check(albireo_counts_pairs(counts, pairs, BINS));
  check(albireo_counts_weights(counts, weight, BINS));
  check(albireo_counts_means(counts, mean, BINS));
  check(albireo_counts_total(counts, 0, &all, &total));
  for (int k = 0; k < BINS; k++) {
    double shell = 4 * 3.141592653589793 / 3 * (pow(edges[k + 1], 3) - pow(edges[k], 3));
    printf("[%.1f, %.1f) %llu pairs, weight %.0f, mean r %.3f, xi %.3f\n", edges[k], edges[k + 1],
           (unsigned long long)pairs[k], weight[k], mean[k], weight[k] / total / (shell / pow(SIDE, 3)) - 1);
  }
  check(albireo_counts_free(counts));
  check(albireo_particles_free(particles));
  return calls == 0;
}
