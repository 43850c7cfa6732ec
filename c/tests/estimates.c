/* Samples sorted once, merged counts and estimates against plain loops and against counts of samples without each region. */
#include <albireo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 3
#define DATA 120
#define RANDOMS 240
#define REGIONS 4
#define SIDE 10.0

static const double edges[BINS + 1] = {0.5, 1.5, 3, 4.5};
static double data[DATA][3], randoms[RANDOMS][3];
static int wrong;

static void check(int32_t code) {
  if (code != ALBIREO_OK) {
    printf("albireo: %s\n", albireo_error_text());
    exit(1);
  }
}

static void near(const char *what, double expected, double found, double within) {
  if (!(fabs(expected - found) <= within * (1 + fabs(expected)))) {
    printf("%s: expected %.17g, found %.17g\n", what, expected, found);
    wrong++;
  }
}

static void draw(double (*xyz)[3], size_t n, unsigned seed) {
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      seed = seed * 1664525u + 1013904223u;
      xyz[i][k] = (seed >> 8) * (SIDE / (1 << 24));
    }
}

static uint32_t region(const double *x) { return 2 * (x[0] >= SIDE / 2) + (x[1] >= SIDE / 2); }

/* Particles but those of a region, of all of them where there is none of this number. */
static albireo_particles *without(double (*xyz)[3], size_t n, uint32_t left_out) {
  static double kept[RANDOMS][3];
  static uint32_t labels[RANDOMS];
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    if (region(xyz[i]) == left_out) continue;
    memcpy(kept[m], xyz[i], sizeof kept[m]);
    labels[m++] = region(xyz[i]);
  }
  albireo_sample sample = {.struct_size = sizeof sample, .n = m, .x = &kept[0][0], .y = &kept[0][1], .z = &kept[0][2], .stride = 3};
  sample.labels = labels, sample.n_labels = REGIONS;
  albireo_particles *particles;
  check(albireo_particles_new(&sample, &particles));
  return particles;
}

static albireo_job job_of(int32_t classes, int32_t box) {
  albireo_job job = {.struct_size = sizeof job, .edges = edges, .n_edges = BINS + 1, .box_kind = box, .classes = classes};
  job.cell[0] = job.cell[1] = job.cell[2] = SIDE;
  return job;
}

/* DD, DR and RR of samples that are sorted once. */
static void counted(const albireo_job *job, uint32_t left_out, albireo_counts **counts) {
  albireo_particles *d = without(data, DATA, left_out), *r = without(randoms, RANDOMS, left_out);
  albireo_prepared *sorted_d, *sorted_r;
  check(albireo_prepare(job, d, &sorted_d));
  check(albireo_prepare(job, r, &sorted_r));
  check(albireo_count_prepared(job, sorted_d, NULL, &counts[0]));
  check(albireo_count_prepared(job, sorted_d, sorted_r, &counts[1]));
  check(albireo_count_prepared(job, sorted_r, NULL, &counts[2]));
  if (job->classes == ALBIREO_CLASSES_ONE) {
    albireo_counts *at_once;
    uint64_t ours[BINS], theirs[BINS];
    for (int k = 0; k < 3; k++) {
      check(albireo_count(job, k < 2 ? d : r, k == 1 ? r : NULL, &at_once));
      check(albireo_counts_pairs(counts[k], ours, BINS));
      check(albireo_counts_pairs(at_once, theirs, BINS));
      if (memcmp(ours, theirs, sizeof ours)) wrong++, puts("pairs of sorted samples differ");
      check(albireo_counts_free(at_once));
    }
  }
  check(albireo_prepared_free(sorted_d));
  check(albireo_prepared_free(sorted_r));
  check(albireo_particles_free(d));
  check(albireo_particles_free(r));
}

static void estimated(const char *estimator, size_t n, albireo_counts **counts, int32_t errors, double *xi, double *error, double *covariance) {
  static const char *names[3] = {"DD", "DR", "RR"};
  albireo_estimation asked = {.struct_size = sizeof asked, .estimator = estimator, .n_counts = n, .names = names, .errors = errors};
  asked.counts = (const albireo_counts *const *)counts;
  check(albireo_estimate(&asked, xi, error, covariance, BINS));
}

static void freed(albireo_counts **counts, int n) {
  for (int k = 0; k < n; k++) check(albireo_counts_free(counts[k]));
}

/* Pairs of a plain double loop. */
static void looped(double (*a)[3], size_t n, uint64_t *pairs) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) {
      double square = 0;
      for (int k = 0; k < 3; k++) square += (a[i][k] - a[j][k]) * (a[i][k] - a[j][k]);
      for (int b = 0; b < BINS; b++) pairs[b] += square >= edges[b] * edges[b] && square < edges[b + 1] * edges[b + 1];
    }
}

static void plain(void) {
  albireo_job job = job_of(ALBIREO_CLASSES_ONE, ALBIREO_BOX_OPEN);
  albireo_counts *counts[3];
  counted(&job, REGIONS, counts);
  uint64_t loop[BINS] = {0}, pairs[3][BINS], all;
  double total[3], xi[BINS], error[BINS], formula[BINS];
  looped(data, DATA, loop);
  for (int k = 0; k < 3; k++) {
    check(albireo_counts_pairs(counts[k], pairs[k], BINS));
    check(albireo_counts_total(counts[k], 0, &all, &total[k]));
  }
  if (memcmp(loop, pairs[0], sizeof loop)) wrong++, puts("pairs are not those of the double loop");
  estimated("landy-szalay", 3, counts, ALBIREO_ERRORS_POISSON, xi, error, NULL);
  estimated("(DD-2*DR+RR)/RR", 3, counts, ALBIREO_ERRORS_POISSON, formula, NULL, NULL);
  for (int b = 0; b < BINS; b++) {
    double dd = pairs[0][b] / total[0], dr = pairs[1][b] / total[1], rr = pairs[2][b] / total[2];
    near("landy-szalay", (dd - 2 * dr + rr) / rr, xi[b], 1e-12);
    near("the formula", xi[b], formula[b], 1e-12);
    if (!(error[b] > 0 && error[b] < 1)) wrong++, printf("an error of %g\n", error[b]);
  }
  freed(counts, 3);
}

static void in_a_box(void) {
  albireo_job job = job_of(ALBIREO_CLASSES_ONE, ALBIREO_BOX_LENGTHS);
  albireo_counts *counts[3];
  counted(&job, REGIONS, counts);
  uint64_t pairs[BINS], all;
  double total, xi[BINS];
  check(albireo_counts_pairs(counts[0], pairs, BINS));
  check(albireo_counts_total(counts[0], 0, &all, &total));
  estimated("natural", 1, counts, ALBIREO_ERRORS_POISSON, xi, NULL, NULL);
  for (int b = 0; b < BINS; b++) {
    double shell = 4 * acos(-1.0) / 3 * (pow(edges[b + 1], 3) - pow(edges[b], 3)) / pow(SIDE, 3);
    near("natural in a box", pairs[b] / total / shell - 1, xi[b], 1e-12);
  }
  /* Two realisations: RR of the box holds for both. */
  albireo_counts *both, *again;
  check(albireo_counts_merge(counts[0], counts[2], &both));
  uint64_t sum[BINS], others[BINS], all_of_both;
  double total_of_both, other;
  check(albireo_counts_pairs(counts[2], others, BINS));
  check(albireo_counts_pairs(both, sum, BINS));
  check(albireo_counts_total(counts[2], 0, &all, &other));
  check(albireo_counts_total(both, 0, &all_of_both, &total_of_both));
  estimated("natural", 1, &both, ALBIREO_ERRORS_POISSON, xi, NULL, NULL);
  for (int b = 0; b < BINS; b++) {
    double shell = 4 * acos(-1.0) / 3 * (pow(edges[b + 1], 3) - pow(edges[b], 3)) / pow(SIDE, 3);
    near("pairs of both", (double)(pairs[b] + others[b]), (double)sum[b], 0);
    near("natural of both", sum[b] / (total + other) / shell - 1, xi[b], 1e-12);
  }
  near("the total of both", total + other, total_of_both, 0);
  if (albireo_counts_merge(both, counts[0], &again) != ALBIREO_ERROR_ARGUMENT || !strstr(albireo_error_text(), "overlap"))
    wrong++, printf("counts that are in it already: %s\n", albireo_error_text());
  check(albireo_counts_free(both));
  freed(counts, 3);
}

static void jackknifed(void) {
  albireo_job job = job_of(ALBIREO_CLASSES_REGIONS, ALBIREO_BOX_OPEN);
  albireo_counts *counts[3];
  counted(&job, REGIONS, counts);
  double xi[BINS], whole[BINS], error[BINS], covariance[BINS][BINS], left[REGIONS][BINS], mean[BINS] = {0};
  estimated("landy-szalay", 3, counts, ALBIREO_ERRORS_JACKKNIFE, xi, error, &covariance[0][0]);
  freed(counts, 3);
  albireo_job plain = job_of(ALBIREO_CLASSES_ONE, ALBIREO_BOX_OPEN);
  for (uint32_t r = 0; r <= REGIONS; r++) {
    counted(&plain, r, counts);
    estimated("landy-szalay", 3, counts, ALBIREO_ERRORS_POISSON, r < REGIONS ? left[r] : whole, NULL, NULL);
    freed(counts, 3);
    for (int b = 0; b < BINS && r < REGIONS; b++) mean[b] += left[r][b] / REGIONS;
  }
  for (int a = 0; a < BINS; a++) {
    near("xi of all regions", whole[a], xi[a], 1e-12);
    for (int b = 0; b < BINS; b++) {
      double sum = 0;
      for (int r = 0; r < REGIONS; r++) sum += (left[r][a] - mean[a]) * (left[r][b] - mean[b]);
      near("covariance", sum * (REGIONS - 1) / REGIONS, covariance[a][b], 1e-9);
    }
    near("error", sqrt(covariance[a][a]), error[a], 1e-12);
  }
}

int main(void) {
  draw(data, DATA, 7);
  draw(randoms, RANDOMS, 8);
  plain();
  in_a_box();
  jackknifed();
  printf("%d values that were not expected\n", wrong);
  return wrong != 0;
}
