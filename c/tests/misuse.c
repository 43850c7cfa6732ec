/* Every call here is wrong, but for those that say so: each gives one code and one text, and nothing crashes. */
#include <albireo.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int wrong, tried;

static void expect(const char *what, int32_t expected, const char *text, int32_t found) {
  tried++;
  if (found != expected || (expected != ALBIREO_OK && !strstr(albireo_error_text(), text))) {
    printf("%s: expected %d with `%s`, found %d: %s\n", what, expected, text, found, albireo_error_text());
    wrong++;
  }
}

static double x[4] = {1, 2, 3, 4}, edges[3] = {0.5, 1.5, 2.5};
static uint32_t labels[4] = {0, 1, 1, 2};

static albireo_sample good_sample(void) {
  albireo_sample sample;
  memset(&sample, 0, sizeof sample);
  sample.struct_size = sizeof sample;
  sample.n = 4, sample.x = sample.y = sample.z = x, sample.stride = 1;
  return sample;
}

static albireo_job good_job(void) {
  albireo_job job;
  memset(&job, 0, sizeof job);
  job.struct_size = sizeof job;
  job.edges = edges, job.n_edges = 3;
  return job;
}

static int stop(void *user, uint64_t done, uint64_t of) {
  (void)user, (void)done, (void)of;
  return 1;
}

static void *another(void *text) {
  *(int *)text = albireo_error_text()[0];
  return NULL;
}

static void samples(void) {
  albireo_particles *p;
  albireo_sample s = good_sample();
  expect("no sample", ALBIREO_ERROR_NULL, "sample", albireo_particles_new(NULL, &p));
  expect("no out", ALBIREO_ERROR_NULL, "out", albireo_particles_new(&s, NULL));
#define SAMPLE(what, code, text, ...) \
  do { s = good_sample(); __VA_ARGS__; expect(what, code, text, albireo_particles_new(&s, &p)); } while (0)
  SAMPLE("no size", ALBIREO_ERROR_STRUCT_SIZE, "sample", s.struct_size = 0);
  SAMPLE("a later header", ALBIREO_ERROR_STRUCT_SIZE, "found", s.struct_size += 8);
  SAMPLE("no x", ALBIREO_ERROR_NULL, "x: ", s.x = NULL);
  SAMPLE("no z", ALBIREO_ERROR_NULL, "z: ", s.z = NULL);
  SAMPLE("stride", ALBIREO_ERROR_ARGUMENT, "stride of 0", s.stride = 0);
  SAMPLE("aligned", ALBIREO_ERROR_ARGUMENT, "aligned", s.x = (char *)x + 1);
  SAMPLE("type", ALBIREO_ERROR_ARGUMENT, "float_type", s.float_type = 7);
  SAMPLE("coordinates", ALBIREO_ERROR_ARGUMENT, "coordinates", s.coordinates = -1);
  SAMPLE("too many", ALBIREO_ERROR_ARGUMENT, "2147483647", s.n = (size_t)-1);
  double odd[4] = {1, NAN, 3, 4};
  SAMPLE("NaN", ALBIREO_ERROR_ARGUMENT, "row 1", s.y = odd);
  SAMPLE("weight", ALBIREO_ERROR_ARGUMENT, "row 1", s.weights = odd, s.weights_stride = 1);
  SAMPLE("label", ALBIREO_ERROR_ARGUMENT, "labels", s.labels = labels, s.n_labels = 2);
  uint64_t bits[4] = {1, 2, 3, 4};
  SAMPLE("bits", ALBIREO_ERROR_ARGUMENT, "bits", s.bits = bits, s.words = 0);
  SAMPLE("declination", ALBIREO_ERROR_ARGUMENT, "dec", s.coordinates = ALBIREO_SKY, odd[1] = 91, s.y = odd);
}

static void jobs(albireo_particles *p) {
  albireo_counts *c;
  albireo_job j = good_job();
  expect("no job", ALBIREO_ERROR_NULL, "job", albireo_count(NULL, p, NULL, &c));
  expect("no particles", ALBIREO_ERROR_NULL, "first", albireo_count(&j, NULL, NULL, &c));
  expect("no out", ALBIREO_ERROR_NULL, "out", albireo_count(&j, p, NULL, NULL));
  expect("a pointer of one's own", ALBIREO_ERROR_HANDLE, "never given out", albireo_count(&j, (albireo_particles *)&j, NULL, &c));
#define JOB(what, code, text, ...) \
  do { j = good_job(); __VA_ARGS__; expect(what, code, text, albireo_count(&j, p, NULL, &c)); } while (0)
  JOB("size", ALBIREO_ERROR_STRUCT_SIZE, "job", j.struct_size = 12);
  JOB("no edges", ALBIREO_ERROR_NULL, "edges", j.edges = NULL);
  JOB("one edge", ALBIREO_ERROR_ARGUMENT, "edges", j.n_edges = 1);
  double falling[2] = {2, 1};
  JOB("falling edges", ALBIREO_ERROR_ARGUMENT, "edges", j.edges = falling, j.n_edges = 2);
  JOB("too many edges", ALBIREO_ERROR_ARGUMENT, "at most", j.n_edges = (size_t)-1);
  JOB("statistic", ALBIREO_ERROR_ARGUMENT, "statistic", j.statistic = 4);
  JOB("no mu", ALBIREO_ERROR_NULL, "second_edges", j.statistic = ALBIREO_S_MU);
  JOB("los", ALBIREO_ERROR_ARGUMENT, "los", j.los = 6);
  JOB("box kind", ALBIREO_ERROR_ARGUMENT, "box_kind", j.box_kind = 3);
  JOB("box", ALBIREO_ERROR_ARGUMENT, "box", j.box_kind = ALBIREO_BOX_LENGTHS, j.cell[0] = -1);
  JOB("flat box", ALBIREO_ERROR_ARGUMENT, "box", j.box_kind = ALBIREO_BOX_VECTORS, j.cell[0] = 1);
  JOB("outside", ALBIREO_ERROR_ARGUMENT, "row 3", j.box_kind = ALBIREO_BOX_LENGTHS, j.cell[0] = j.cell[1] = j.cell[2] = 3.5);
  JOB("beyond half", ALBIREO_ERROR_ARGUMENT, "2.5", j.box_kind = ALBIREO_BOX_LENGTHS, j.wrap = 1, j.cell[0] = j.cell[1] = j.cell[2] = 4);
  JOB("classes", ALBIREO_ERROR_ARGUMENT, "classes", j.classes = 9);
  JOB("no labels", ALBIREO_ERROR_ARGUMENT, "label", j.classes = ALBIREO_CLASSES_SPECIES);
  JOB("sums", ALBIREO_ERROR_ARGUMENT, "sums", j.sums = 64);
  JOB("legendre", ALBIREO_ERROR_ARGUMENT, "legendre", j.legendre = 1u << 20);
  JOB("engine", ALBIREO_ERROR_ARGUMENT, "engine", j.engine = 17);
  JOB("threads", ALBIREO_ERROR_ARGUMENT, "threads", j.threads = 1000000);
  JOB("cut", ALBIREO_ERROR_ARGUMENT, "theta_cut", j.cuts = ALBIREO_CUT_THETA, j.theta_cut[0] = 5);
  JOB("no groups", ALBIREO_ERROR_ARGUMENT, "group", j.cuts = ALBIREO_CUT_SAME_GROUP);
  JOB("upweights", ALBIREO_ERROR_ARGUMENT, "angular", j.angular_theta = falling, j.angular_factors = falling, j.n_angular = 2);
  JOB("stopped", ALBIREO_ERROR_STOPPED, "interrupted", j.progress = stop);
}

static void sorted(albireo_particles *p) {
  albireo_prepared *s, *t;
  albireo_counts *c;
  albireo_job j = good_job();
  expect("no particles", ALBIREO_ERROR_NULL, "particles", albireo_prepare(&j, NULL, &s));
  expect("no out", ALBIREO_ERROR_NULL, "out", albireo_prepare(&j, p, NULL));
  j.engine = ALBIREO_ENGINE_AUTO;
  expect("no engine by name", ALBIREO_ERROR_ARGUMENT, "one engine by its name", albireo_prepare(&j, p, &s));
  j = good_job(), j.box_kind = ALBIREO_BOX_LENGTHS, j.cell[0] = j.cell[1] = j.cell[2] = 3.5;
  expect("outside", ALBIREO_ERROR_ARGUMENT, "row 3", albireo_prepare(&j, p, &s));
  j = good_job(), j.progress = stop;
  expect("stopped", ALBIREO_ERROR_STOPPED, "interrupted", albireo_prepare(&j, p, &s));
  j = good_job();
  expect("good", ALBIREO_OK, "", albireo_prepare(&j, p, &s));
  expect("no first", ALBIREO_ERROR_NULL, "first", albireo_count_prepared(&j, NULL, s, &c));
  expect("particles", ALBIREO_ERROR_HANDLE, "found particles", albireo_count_prepared(&j, (albireo_prepared *)p, NULL, &c));
  expect("unsorted", ALBIREO_ERROR_HANDLE, "found a prepared sample", albireo_count(&j, (albireo_particles *)s, NULL, &c));
  j.engine = ALBIREO_ENGINE_NAIVE;
  expect("good", ALBIREO_OK, "", albireo_prepare(&j, p, &t));
  expect("two engines", ALBIREO_ERROR_ARGUMENT, "engine", albireo_count_prepared(&j, s, t, &c));
  j.statistic = ALBIREO_THETA;
  expect("positions for angles", ALBIREO_ERROR_ARGUMENT, "prepared for it", albireo_count_prepared(&j, s, NULL, &c));
  j = good_job(), j.box_kind = ALBIREO_BOX_LENGTHS, j.cell[0] = j.cell[1] = j.cell[2] = 20;
  expect("another box", ALBIREO_ERROR_ARGUMENT, "that the samples were prepared in", albireo_count_prepared(&j, s, NULL, &c));
  uint64_t bits[4] = {1, 2, 3, 4};
  albireo_sample sample = good_sample();
  albireo_particles *with_bits;
  albireo_prepared *u;
  sample.bits = bits, sample.words = 1;
  expect("good", ALBIREO_OK, "", albireo_particles_new(&sample, &with_bits));
  j = good_job();
  expect("good", ALBIREO_OK, "", albireo_prepare(&j, with_bits, &u));
  expect("bits of one", ALBIREO_ERROR_ARGUMENT, "in both samples", albireo_count_prepared(&j, s, u, &c));
  expect("good", ALBIREO_OK, "", albireo_prepared_free(u));
  expect("good", ALBIREO_OK, "", albireo_particles_free(with_bits));
  expect("as particles", ALBIREO_ERROR_HANDLE, "found a prepared sample", albireo_particles_free((albireo_particles *)s));
  expect("good", ALBIREO_OK, "", albireo_prepared_free(s));
  expect("freed", ALBIREO_ERROR_HANDLE, "freed", albireo_prepared_free(s));
  expect("good", ALBIREO_OK, "", albireo_prepared_free(t));
  expect("nothing", ALBIREO_OK, "", albireo_prepared_free(NULL));
}

static void estimates(albireo_particles *p) {
  albireo_counts *c, *d;
  albireo_job j = good_job();
  expect("good", ALBIREO_OK, "", albireo_count(&j, p, NULL, &c));
  expect("the same twice", ALBIREO_ERROR_ARGUMENT, "overlap", albireo_counts_merge(c, c, &d));
  expect("no counts", ALBIREO_ERROR_NULL, "counts", albireo_counts_merge(c, NULL, &d));
  j.n_edges = 2;
  expect("good", ALBIREO_OK, "", albireo_count(&j, p, NULL, &d));
  albireo_counts *m;
  expect("other bins", ALBIREO_ERROR_ARGUMENT, "bins", albireo_counts_merge(c, d, &m));
  const char *names[2] = {"DD", "RR"};
  const albireo_counts *counts[2] = {c, d};
  double xi[2], errors[2], covariance[4];
  albireo_estimation e;
#define ESTIMATE(what, code, text, ...) \
  do { memset(&e, 0, sizeof e); e.struct_size = sizeof e, e.estimator = "natural", e.n_counts = 2, e.names = names, e.counts = counts; \
    __VA_ARGS__; expect(what, code, text, albireo_estimate(&e, xi, errors, NULL, 2)); } while (0)
  expect("no estimation", ALBIREO_ERROR_NULL, "estimation", albireo_estimate(NULL, xi, errors, NULL, 2));
  ESTIMATE("size", ALBIREO_ERROR_STRUCT_SIZE, "estimation", e.struct_size = 8);
  ESTIMATE("no estimator", ALBIREO_ERROR_NULL, "estimator", e.estimator = NULL);
  ESTIMATE("no such estimator", ALBIREO_ERROR_ARGUMENT, "estimator", e.estimator = "landy");
  ESTIMATE("no names", ALBIREO_ERROR_NULL, "names", e.names = NULL);
  ESTIMATE("no counts", ALBIREO_ERROR_NULL, "counts", e.counts = NULL);
  ESTIMATE("errors", ALBIREO_ERROR_ARGUMENT, "errors", e.errors = 2);
  ESTIMATE("bins", ALBIREO_ERROR_ARGUMENT, "bins", (void)0);
  names[1] = "XX";
  ESTIMATE("name", ALBIREO_ERROR_ARGUMENT, "found XX", (void)0);
  names[1] = "DD";
  ESTIMATE("name twice", ALBIREO_ERROR_ARGUMENT, "once at most", (void)0);
  ESTIMATE("no randoms", ALBIREO_ERROR_ARGUMENT, "counts", e.n_counts = 1);
  names[1] = "RR", counts[1] = c;
  ESTIMATE("no regions", ALBIREO_ERROR_ARGUMENT, "counts", e.errors = ALBIREO_ERRORS_JACKKNIFE);
  ESTIMATE("good", ALBIREO_OK, "", (void)0);
  expect("short", ALBIREO_ERROR_LENGTH, "room for 2", albireo_estimate(&e, xi, errors, NULL, 1));
  expect("no xi", ALBIREO_ERROR_NULL, "out", albireo_estimate(&e, NULL, errors, NULL, 2));
  expect("no covariance", ALBIREO_ERROR_NOT_COUNTED, "covariance", albireo_estimate(&e, xi, errors, covariance, 2));
  expect("good", ALBIREO_OK, "", albireo_counts_free(c));
  expect("good", ALBIREO_OK, "", albireo_counts_free(d));
  ESTIMATE("freed", ALBIREO_ERROR_HANDLE, "freed", (void)0);
}

static void results(albireo_particles *p) {
  albireo_counts *c;
  albireo_job j = good_job();
  expect("good", ALBIREO_OK, "", albireo_count(&j, p, NULL, &c));
  uint64_t pairs[2], n;
  double w[2];
  size_t shape[3];
  expect("good", ALBIREO_OK, "", albireo_counts_shape(c, shape));
  expect("short", ALBIREO_ERROR_LENGTH, "room for 2", albireo_counts_pairs(c, pairs, 1));
  expect("no out", ALBIREO_ERROR_NULL, "out", albireo_counts_pairs(c, NULL, 2));
  expect("no weights", ALBIREO_ERROR_NOT_COUNTED, "weights", albireo_counts_weights(c, w, 2));
  expect("no bounds", ALBIREO_ERROR_NOT_COUNTED, "weights", albireo_counts_weight_bounds(c, w, 2));
  expect("no means", ALBIREO_ERROR_NOT_COUNTED, "mean", albireo_counts_means(c, w, 2));
  expect("no Legendre sums", ALBIREO_ERROR_NOT_COUNTED, "Legendre", albireo_counts_legendre(c, 2, w, 2));
  expect("class", ALBIREO_ERROR_ARGUMENT, "below 1", albireo_counts_total(c, 1, &n, w));
  expect("no weight", ALBIREO_ERROR_NULL, "weight", albireo_counts_total(c, 0, &n, NULL));
  expect("particles for counts", ALBIREO_ERROR_HANDLE, "found particles", albireo_counts_pairs((albireo_counts *)p, pairs, 2));
  expect("counts for particles", ALBIREO_ERROR_HANDLE, "found counts", albireo_count(&j, (albireo_particles *)c, NULL, &c));
  expect("counts as particles", ALBIREO_ERROR_HANDLE, "found counts", albireo_particles_free((albireo_particles *)c));
  expect("good", ALBIREO_OK, "", albireo_counts_pairs(c, pairs, 2));
  expect("good", ALBIREO_OK, "", albireo_counts_free(c));
  expect("freed", ALBIREO_ERROR_HANDLE, "freed", albireo_counts_free(c));
  expect("freed", ALBIREO_ERROR_HANDLE, "freed", albireo_counts_pairs(c, pairs, 2));
  expect("nothing", ALBIREO_OK, "", albireo_counts_free(NULL));
  if (shape[0] != 1 || shape[1] != 2 || shape[2] != 1 || pairs[0] != 0 || pairs[1] != 3)
    wrong++, printf("%zu classes, %zu x %zu bins, %llu and %llu pairs\n", shape[0], shape[1], shape[2], (unsigned long long)pairs[0],
                    (unsigned long long)pairs[1]);
}

int main(void) {
  albireo_particles *p;
  albireo_sample s = good_sample();
  expect("good", ALBIREO_OK, "", albireo_particles_new(&s, &p));
  samples();
  jobs(p);
  sorted(p);
  estimates(p);
  results(p);
  expect("good", ALBIREO_OK, "", albireo_particles_free(p));
  expect("freed", ALBIREO_ERROR_HANDLE, "freed", albireo_particles_free(p));
  /* Texts are those of each thread. */
  int first = 1;
  pthread_t thread;
  pthread_create(&thread, NULL, another, &first);
  pthread_join(thread, NULL);
  if (first != 0) wrong++, puts("a thread without an error has a text");
  printf("%d calls, %d answers that were not expected\n", tried, wrong);
  return wrong != 0;
}
