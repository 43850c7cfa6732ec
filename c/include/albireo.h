// albireo: exact pair counts. Counts are the integers of a plain double loop in float64, on every engine and any number of threads.
//
// Functions return ALBIREO_OK or a code of an error, whose text albireo_error_text() has. Handles may be used from several threads at
// once; a wrong one is an error and no crash. Bins are half-open, [lo, hi). The pairs of one sample are counted once each, or in both
// orders where their order matters (signed mu or pi, a line of sight to the first or second point): albireo_counts_orders says which.
//
// Made by cbindgen from c/src (UPDATE_HEADER=1 cargo test -p albireo-c --test header): do not edit.

#ifndef ALBIREO_H
#define ALBIREO_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// It went well.
#define ALBIREO_OK 0

// NULL where a pointer is needed.
#define ALBIREO_ERROR_NULL 1

// A struct_size that no header of this library has.
#define ALBIREO_ERROR_STRUCT_SIZE 2

// A handle that was freed, never given out, or of another kind.
#define ALBIREO_ERROR_HANDLE 3

// A value that means nothing, such as an edge or a position; the text says which.
#define ALBIREO_ERROR_ARGUMENT 4

// The progress function asked for a stop; nothing was kept.
#define ALBIREO_ERROR_STOPPED 5

// Threads or a GPU could not be had, or failed.
#define ALBIREO_ERROR_DEVICE 6

// An array of another length than the result.
#define ALBIREO_ERROR_LENGTH 7

// What was not asked for in the job.
#define ALBIREO_ERROR_NOT_COUNTED 8

// A mistake in this library.
#define ALBIREO_ERROR_INTERNAL 9

// Positions and weights are double.
#define ALBIREO_FLOAT64 0

// Positions and weights are float; each is widened exactly.
#define ALBIREO_FLOAT32 1

// x, y and z are positions, from the observer at the origin where there is a line of sight.
#define ALBIREO_CARTESIAN 0

// x and y are right ascension and declination in degrees, for angles alone.
#define ALBIREO_SKY 1

// Bins in the separation r.
#define ALBIREO_R 0

// Bins in the separation s and in mu, the cosine of its angle to the line of sight.
#define ALBIREO_S_MU 1

// Bins in rp across the line of sight and in pi along it.
#define ALBIREO_RP_PI 2

// Bins in the angle theta seen from the observer, degrees.
#define ALBIREO_THETA 3

// From the observer to the middle of the pair.
#define ALBIREO_LOS_MIDPOINT 0

// From the observer to the first point.
#define ALBIREO_LOS_FIRST 1

// From the observer to the second point.
#define ALBIREO_LOS_END 2

// The x axis; in a periodic box the line of sight is an axis.
#define ALBIREO_LOS_X 3

// The y axis.
#define ALBIREO_LOS_Y 4

// The z axis.
#define ALBIREO_LOS_Z 5

// No box.
#define ALBIREO_BOX_OPEN 0

// cell[0..3] are the lengths of a periodic box from 0 on; an axis of length 0 is open.
#define ALBIREO_BOX_LENGTHS 1

// cell holds three vectors, one after another.
#define ALBIREO_BOX_VECTORS 2

// All pairs together.
#define ALBIREO_CLASSES_ONE 0

// Pairs of species apart: of labels a and b in class a*n_labels + b, in one sample (0,0), (0,1), .., (1,1), ..; there, where the order of
// a pair matters, a*n_labels + b too.
#define ALBIREO_CLASSES_SPECIES 1

// Pairs within each of n regions (classes 0 to n-1), and those with one point in it (n to 2n-1; between two samples or where the order
// matters the first point, and the second from 2n on). A pair across two regions is in the classes of both.
#define ALBIREO_CLASSES_REGIONS 2

// Sum separations too, for their means (by weight where there are weights).
#define ALBIREO_SUM_SEPARATIONS 1

// The processor: vector instructions, all cores unless threads says otherwise.
#define ALBIREO_ENGINE_CPU 0

// The plain double loop: slow, the reference.
#define ALBIREO_ENGINE_NAIVE 1

// NVIDIA GPUs.
#define ALBIREO_ENGINE_CUDA 2

// The processor or GPUs, whichever should be done first.
#define ALBIREO_ENGINE_AUTO 3

// Errors of the numbers of pairs, of Poisson.
#define ALBIREO_ERRORS_POISSON 0

// Errors of a jackknife over the regions that pairs were kept apart by, ALBIREO_CLASSES_REGIONS: one left out at a time.
#define ALBIREO_ERRORS_JACKKNIFE 1

// Leave out pairs whose directions are theta_cut[0] up to theta_cut[1] degrees apart.
#define ALBIREO_CUT_THETA 1

// Leave out pairs that are rp_cut[0] up to rp_cut[1] apart across the line of sight.
#define ALBIREO_CUT_RP 2

// Leave out pairs of the same group.
#define ALBIREO_CUT_SAME_GROUP 4

// Mean weights of pairs with so many bits set: equation 22 of Bianchi & Verde (2020), doi:10.1093/mnras/staa1267.
#define ALBIREO_PIP_TOTAL_JOINT 0

// The weights of all pairs, every one of which is looked at.
#define ALBIREO_PIP_TOTAL_BRUTE_FORCE 1

// Each pair's weight over that of such pairs on average: equation 19 there.
#define ALBIREO_PIP_TOTAL_COUNTER 2

// Counts, held by this library until albireo_counts_free.
typedef struct albireo_counts albireo_counts;

// A sample, held by this library until albireo_particles_free.
typedef struct albireo_particles albireo_particles;

// A sample that an engine has sorted once for many counts, held by this library until albireo_prepared_free.
typedef struct albireo_prepared albireo_prepared;

// Arrays of a sample. Set all of it to zero first, then struct_size to sizeof(albireo_sample) and what there is.
typedef struct {
  // sizeof(albireo_sample): later versions append fields.
  size_t struct_size;
  // Number of particles.
  size_t n;
  // Type of positions and weights: ALBIREO_FLOAT64, ..
  int32_t float_type;
  // What x, y and z are: ALBIREO_CARTESIAN, ..
  int32_t coordinates;
  // First coordinate, or right ascension in degrees.
  const void *x;
  // Second coordinate, or declination in degrees.
  const void *y;
  // Third coordinate; NULL on the sky.
  const void *z;
  // Elements from one position to the next: 1 for three arrays, 3 for one of triples (x, x + 1, x + 2), negative for reversed ones.
  ptrdiff_t stride;
  // Weights, or NULL for 1 each.
  const void *weights;
  // Elements from one weight to the next.
  ptrdiff_t weights_stride;
  // Species or regions, one each, or NULL.
  const uint32_t *labels;
  // The number of species or regions: labels are below it.
  uint32_t n_labels;
  // 64-bit words of bits of each particle.
  uint32_t words;
  // Words, those of a particle side by side, or NULL.
  const uint64_t *bits;
  // Groups, such as molecules, for ALBIREO_CUT_SAME_GROUP, or NULL.
  const uint32_t *groups;
} albireo_sample;

// What is counted and how. Set all of it to zero first, then struct_size to sizeof(albireo_job) and what is wanted: zeros are the defaults.
typedef struct {
  // sizeof(albireo_job): later versions append fields.
  size_t struct_size;
  // What pairs are binned in: ALBIREO_R, ..
  int32_t statistic;
  // Line of sight of mu, pi and rp cuts: ALBIREO_LOS_MIDPOINT, ..
  int32_t los;
  // Edges of r, s, rp (unit of the positions) or theta (degrees), rising.
  const double *edges;
  // How many.
  size_t n_edges;
  // Edges of mu or pi; from 0 on both signs are counted together. NULL where there is no such axis.
  const double *second_edges;
  // How many.
  size_t n_second_edges;
  // What cell holds: ALBIREO_BOX_OPEN, ..
  int32_t box_kind;
  // Not 0: positions outside of the box are wrapped into it; else they are refused.
  int32_t wrap;
  // Three lengths, an axis of 0 being open, or three vectors.
  double cell[9];
  // Which classes of pairs are counted apart, by the labels of the samples: ALBIREO_CLASSES_ONE, ..
  int32_t classes;
  // What is summed besides the weights that samples have: ALBIREO_SUM_SEPARATIONS or 0.
  uint32_t sums;
  // Bit l (1 << l), l up to 8: the sums of the Legendre polynomial of degree l.
  uint32_t legendre;
  // Compute engine: ALBIREO_ENGINE_CPU, ..; counts do not depend on it.
  int32_t engine;
  // Threads of the processor, 0 for all cores.
  uint32_t threads;
  // Which pairs are left out of the bins, and not of totals: ALBIREO_CUT_THETA, .. joined by `|`.
  uint32_t cuts;
  // Degrees, [lo, hi).
  double theta_cut[2];
  // [lo, hi) across the line of sight.
  double rp_cut[2];
  // Where samples have bits, a pair with c common ones weighs pip_realizations/(pip_offset + c); 0 for the bits of their words and
  // the observed realisation, with an offset of 1.
  uint32_t pip_realizations;
  // What is added to common bits, 1 for the observed realisation.
  uint32_t pip_offset;
  // Bits that are set in every row, less those set in none: what totals go by.
  int32_t pip_always;
  // What totals are: ALBIREO_PIP_TOTAL_JOINT, ..
  int32_t pip_total;
  // The weight where offset and common bits are 0.
  double pip_default;
  // Angles of angular upweights, degrees, rising; NULL for none. A pair weighs the factor more, linear in the cosine between the angles
  // and 1 beyond them.
  const double *angular_theta;
  // Their factors.
  const double *angular_factors;
  // How many.
  size_t n_angular;
  // Called with user, the pairs that were passed over and those of the count in all, from the thread that called albireo_count, many
  // times a second, and once at least; anything but 0 stops the count. NULL for none.
  int (*progress)(void *user, uint64_t done, uint64_t of);
  // What it is called with.
  void *user;
} albireo_job;

// What is estimated of counts. Set all of it to zero first, then struct_size to sizeof(albireo_estimation) and what there is.
typedef struct {
  // sizeof(albireo_estimation): later versions append fields.
  size_t struct_size;
  // The estimator by its name, such as "landy-szalay", "natural", "davis-peebles", "hamilton" or "shifted-randoms", or a formula of counts, such as
  // "(DD-2*DR+RR)/RR".
  const char *estimator;
  // Number of counts.
  size_t n_counts;
  // What each of them is: "DD", "DR", "RD", "RR", "DS", "SD", "SS" or, between two samples, "D1D2", "D1R2", "R1D2", "R1R2", "D1S2", "S1D2", "S1S2". Without any pairs of randoms
  // with randoms these are those of the periodic box, where the estimator takes no others of randoms.
  const char *const *names;
  // The counts, in the same bins.
  const albireo_counts *const *counts;
  // Which errors: ALBIREO_ERRORS_POISSON, ..
  int32_t errors;
} albireo_estimation;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as `0.1.0`.
const char *albireo_version(void);

// What went wrong last in this thread, in English; it stays where it is, and is written over by the next error of the thread.
const char *albireo_error_text(void);

// Makes particles of the caller's arrays, which are copied; positions and weights that are no finite numbers are refused with their row.
//
// # Safety
// `sample` is NULL or points to as many bytes as its `struct_size` says, and its arrays hold what it says; `out` is NULL or may be written.
int32_t albireo_particles_new(const albireo_sample *sample,
                              albireo_particles **out);

// Frees particles; NULL is a no-op, and freeing twice an error.
int32_t albireo_particles_free(albireo_particles *particles);

// Counts the pairs within first, or between first and second where that is not NULL. Both may be used again.
//
// # Safety
// `job` is NULL or points to as many bytes as its `struct_size` says, and its arrays hold what it says; `out` is NULL or may be written.
int32_t albireo_count(const albireo_job *job,
                      const albireo_particles *first,
                      const albireo_particles *second,
                      albireo_counts **out);

// Sorts particles once, for counts by albireo_count_prepared in the box of a job and by its engine, which has to be named
// (ALBIREO_ENGINE_AUTO is refused) and keeps its threads. Of the job statistic (angles or not), box, wrap, engine, threads and progress are looked at. The
// particles may be freed.
//
// # Safety
// `job` is NULL or points to as many bytes as its `struct_size` says; `out` is NULL or may be written.
int32_t albireo_prepare(const albireo_job *job,
                        const albireo_particles *particles,
                        albireo_prepared **out);

// Frees a prepared sample; NULL is a no-op, and freeing twice an error.
int32_t albireo_prepared_free(albireo_prepared *prepared);

// Counts as albireo_count does, with the engine and threads that first was prepared by; the box of the job is that of both samples. Weights of bits need
// bits in both samples.
//
// # Safety
// As albireo_count.
int32_t albireo_count_prepared(const albireo_job *job,
                               const albireo_prepared *first,
                               const albireo_prepared *second,
                               albireo_counts **out);

// Adds counts of the same settings and bins, of other particles, such as realisations or frames: pairs, sums and totals, all exactly. Both stay.
//
// # Safety
// `out` is NULL or may be written.
int32_t albireo_counts_merge(const albireo_counts *first,
                             const albireo_counts *second,
                             albireo_counts **out);

// Estimates a correlation function of counts, of all pairs of their classes, in each of `len` bins, the second axis fastest; NaN where it is
// undefined. Of its errors and of their covariance, `len` rows of `len`, which a jackknife alone has, NULL is not wanted.
//
// # Safety
// `estimation` is NULL or points to as many bytes as its `struct_size` says, and its arrays hold what it says; `xi` and `errors` are NULL or have room for
// `len` values, `covariance` for `len` times `len`.
int32_t albireo_estimate(const albireo_estimation *estimation,
                         double *xi,
                         double *errors,
                         double *covariance,
                         size_t len);

// Frees counts; NULL is a no-op, and freeing twice an error.
int32_t albireo_counts_free(albireo_counts *counts);

// The numbers of classes, of bins along the first axis and along the second (1 where there is none): the shape of all arrays below, the last
// fastest.
//
// # Safety
// `shape` is NULL or has room for three values.
int32_t albireo_counts_shape(const albireo_counts *counts,
                             size_t *shape);

// The number of pairs in each bin of each class.
//
// # Safety
// `out` is NULL or has room for `len` values.
int32_t albireo_counts_pairs(const albireo_counts *counts, uint64_t *out, size_t len);

// The sum of the weights of the pairs in each bin of each class.
//
// # Safety
// `out` is NULL or has room for `len` values.
int32_t albireo_counts_weights(const albireo_counts *counts, double *out, size_t len);

// How far each of these sums may be from that of the products of weights, before it is rounded to double: 2^-37 of the largest product for
// each pair in the bin or, where weights are of wide range, 2^-65.
//
// # Safety
// `out` is NULL or has room for `len` values.
int32_t albireo_counts_weight_bounds(const albireo_counts *counts,
                                     double *out,
                                     size_t len);

// The mean separation of the pairs in each bin of each class, NaN where there are none.
//
// # Safety
// `out` is NULL or has room for `len` values.
int32_t albireo_counts_means(const albireo_counts *counts, double *out, size_t len);

// The sum of a Legendre polynomial of mu over the pairs in each bin of each class, times their weights where there are any.
//
// # Safety
// `out` is NULL or has room for `len` values.
int32_t albireo_counts_legendre(const albireo_counts *counts,
                                uint32_t degree,
                                double *out,
                                size_t len);

// All pairs of a class, in the bins or not: their number and the sum of their weights.
//
// # Safety
// `pairs` and `weight` are NULL or may be written.
int32_t albireo_counts_total(const albireo_counts *counts, size_t pair_class, uint64_t *pairs, double *weight);

// How often counts hold a pair of one sample: 1, or 2 where its order matters; 1 between two samples.
//
// # Safety
// `orders` is NULL or may be written.
int32_t albireo_counts_orders(const albireo_counts *counts, int32_t *orders);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ALBIREO_H */
