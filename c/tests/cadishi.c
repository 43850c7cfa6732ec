/* The pairs of all species of each frame in one pass, as CADISHI's kernels were used: against its own counts. */
#include <albireo.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *file;

static void *bytes(size_t size, size_t n) {
  void *made = malloc(size * n);
  if (!made || fread(made, size, n, file) != n) exit(2);
  return made;
}

static void check(int32_t code) {
  if (code) fprintf(stderr, "%s\n", albireo_error_text()), exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2 || !(file = fopen(argv[1], "rb"))) return 2;
  uint64_t *head = bytes(8, 3), wrong = 0, all = 0;
  size_t species = head[1], bins = head[2] - 1, classes = species * (species + 1) / 2;
  double *edges = bytes(8, head[2]);
  uint64_t *found = malloc(8 * classes * bins);
  for (uint64_t frame = 0; frame < head[0]; frame++) {
    uint64_t *n = bytes(8, 1);
    double *xyz = bytes(24, *n);
    uint32_t *labels = bytes(4, *n);
    uint64_t *expected = bytes(8, classes * bins);
    albireo_sample sample = {.struct_size = sizeof sample, .n = *n, .x = xyz, .y = xyz + 1, .z = xyz + 2, .stride = 3};
    sample.labels = labels, sample.n_labels = (uint32_t)species;
    albireo_job job = {.struct_size = sizeof job, .edges = edges, .n_edges = bins + 1, .classes = ALBIREO_CLASSES_SPECIES};
    albireo_particles *particles;
    albireo_counts *counts;
    check(albireo_particles_new(&sample, &particles));
    check(albireo_count(&job, particles, NULL, &counts));
    check(albireo_counts_pairs(counts, found, classes * bins));
    for (size_t k = 0; k < classes * bins; k++) wrong += found[k] != expected[k], all += found[k];
    check(albireo_counts_free(counts));
    check(albireo_particles_free(particles));
    free(n), free(xyz), free(labels), free(expected);
  }
  printf("%llu frames, %llu pairs, %llu bins differ\n", (unsigned long long)head[0], (unsigned long long)all, (unsigned long long)wrong);
  free(head), free(edges), free(found);
  fclose(file);
  return wrong != 0;
}
