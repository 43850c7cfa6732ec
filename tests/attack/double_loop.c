/* The double loop of pair counts once more, independent of the library: written from the text of its contract alone.
 *
 * Reads cases from standard input, numbers as 16 hexadecimal digits of their float64 bits, and prints the integers of each. Compile with
 * -O0 -ffp-contract=off: every operation is rounded to float64 in the order written.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { double x, y, z; } vec;

static int whole(void) {
    int n;
    if (scanf("%d", &n) != 1) exit(3);
    return n;
}

static double number(void) {
    unsigned long long bits;
    double value;
    if (scanf("%llx", &bits) != 1) exit(3);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double *numbers(int n) {
    double *values = malloc(sizeof(double) * (size_t)(n > 0 ? n : 1));
    for (int k = 0; k < n; k++) values[k] = number();
    return values;
}

static double dot(vec a, vec b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }

/* --- Space ------------------------------------------------------------------------------------------------------------------ */

enum { OPEN, BOX, CELL };
static int space;
static double side[3]; /* 0 where the axis is open */
static vec basis[3];

static double minimum_image(double d, double length) {
    if (length == 0.0) return d;
    if (d > length / 2) return d - length;
    if (d < -(length / 2)) return d + length;
    return d;
}

static double lattice_component(double n1, double n2, double n3, double a, double b, double c) {
    return (n1 * a + n2 * b) + n3 * c;
}

/* key(n): n or -n, whichever has its first component that is not zero positive. */
static void key(const int n[3], int out[3]) {
    int sign = 1;
    for (int k = 0; k < 3; k++) {
        if (n[k] != 0) {
            sign = n[k] > 0 ? 1 : -1;
            break;
        }
    }
    for (int k = 0; k < 3; k++) out[k] = sign * n[k];
}

/* Whether n goes before m among images of equal length. */
static int goes_first(const int n[3], const int m[3]) {
    int a[3], b[3];
    key(n, a);
    key(m, b);
    for (int k = 0; k < 3; k++) {
        if (a[k] != b[k]) return a[k] < b[k];
    }
    for (int k = 0; k < 3; k++) {
        if (n[k] != a[k]) return 0;
    }
    return 1;
}

static vec nearest_in_cell(vec d) {
    vec best = d;
    double best2 = INFINITY;
    int chosen[3] = {0, 0, 0};
    for (int n1 = -2; n1 <= 2; n1++)
        for (int n2 = -2; n2 <= 2; n2++)
            for (int n3 = -2; n3 <= 2; n3++) {
                int n[3] = {n1, n2, n3};
                vec moved = {
                    d.x + lattice_component(n1, n2, n3, basis[0].x, basis[1].x, basis[2].x),
                    d.y + lattice_component(n1, n2, n3, basis[0].y, basis[1].y, basis[2].y),
                    d.z + lattice_component(n1, n2, n3, basis[0].z, basis[1].z, basis[2].z),
                };
                double r2 = dot(moved, moved);
                if (r2 < best2 || (r2 == best2 && goes_first(n, chosen))) {
                    best = moved;
                    best2 = r2;
                    memcpy(chosen, n, sizeof chosen);
                }
            }
    return best;
}

static vec separation(vec a, vec b) {
    vec d = {a.x - b.x, a.y - b.y, a.z - b.z};
    if (space == BOX) {
        d.x = minimum_image(d.x, side[0]);
        d.y = minimum_image(d.y, side[1]);
        d.z = minimum_image(d.z, side[2]);
    } else if (space == CELL) {
        d = nearest_in_cell(d);
    }
    return d;
}

/* --- Bins ------------------------------------------------------------------------------------------------------------------- */

enum { R, S_MU, RP_PI, THETA };
enum { MIDPOINT, FIRST, END, ALONG_X, ALONG_Y, ALONG_Z };
static int statistic, sight, n_across, n_along;
static double *across, *along;

/* Edges from 0 up: bin k holds e_k^2 <= v2 < e_(k+1)^2. */
static int bin_across(double v2) {
    for (int k = 0; k < n_across; k++) {
        if (across[k] * across[k] <= v2 && v2 < across[k + 1] * across[k + 1]) return k;
    }
    return -1;
}

/* Whether v is at or above the edge e, both taken by their squares and mirrored below 0; v2 is compared with (e*e)*scale. */
static int at_or_above(double e, int negative, double v2, double scale) {
    double bound = (e * e) * scale;
    if (e >= 0) return !negative && v2 >= bound;
    /* v in (e, ...] below zero: a negative value on the edge itself lies below it, as the mirrored one lies above. */
    return !negative || v2 < bound;
}

static int bin_along(int negative, double v2, double scale, int cosine) {
    int is_signed = along[0] < 0;
    if (!is_signed) negative = 0;
    int below = 0;
    while (below <= n_along && at_or_above(along[below], negative, v2, scale)) below++;
    if (cosine && below == n_along + 1 && along[n_along] == 1) return n_along - 1;
    if (cosine && below == 0 && along[0] == -1) return 0;
    return below > 0 && below <= n_along ? below - 1 : -1;
}

static double axis_component(vec d) { return sight == ALONG_X ? d.x : sight == ALONG_Y ? d.y : d.z; }

/* The bin of a pair, or -1; *mean is the coordinate to average. */
static int bin(vec d, vec a, vec b, double *mean) {
    double r2 = dot(d, d);
    *mean = sqrt(r2);
    if (statistic == R || statistic == THETA) return bin_across(r2);

    int fixed = sight >= ALONG_X;
    double dl, l2;
    if (fixed) {
        dl = axis_component(d);
        l2 = 1;
    } else {
        vec l = sight == FIRST ? a : sight == END ? b : (vec){a.x + b.x, a.y + b.y, a.z + b.z};
        dl = dot(d, l);
        l2 = dot(l, l);
    }
    int negative = dl < 0;
    if (statistic == S_MU) {
        int s = bin_across(r2);
        if (s < 0) return -1;
        int mu = r2 == 0 || l2 == 0 ? bin_along(0, 0, 1, 1) : bin_along(negative, dl * dl, fixed ? r2 : r2 * l2, 1);
        return mu < 0 ? -1 : s * n_along + mu;
    }
    double pi2, rp2;
    if (fixed) {
        pi2 = dl * dl;
        if (sight == ALONG_X) rp2 = d.y * d.y + d.z * d.z;
        else if (sight == ALONG_Y) rp2 = d.x * d.x + d.z * d.z;
        else rp2 = d.x * d.x + d.y * d.y;
    } else if (r2 == 0 || l2 == 0) {
        pi2 = 0;
        rp2 = r2;
        negative = 0;
    } else {
        pi2 = (dl * dl) / l2;
        rp2 = r2 - pi2;
        if (rp2 < 0) rp2 = 0;
    }
    *mean = sqrt(rp2);
    int rp = bin_across(rp2);
    if (rp < 0) return -1;
    int pi = bin_along(negative, pi2, 1, 0);
    return pi < 0 ? -1 : rp * n_along + pi;
}

/* --- Sums ------------------------------------------------------------------------------------------------------------------- */

static int exponent_of(double value) {
    int e = 0;
    frexp(value, &e);
    return e;
}

static double largest(const double *values, int n) {
    double most = 0;
    for (int k = 0; k < n; k++) {
        if (fabs(values[k]) > most) most = fabs(values[k]);
    }
    return most;
}

static long long rounded(double term) { return (long long)rint(term * 68719476736.0); } /* 2^36, ties to even */

/* What that leaves, in 28 bits more. */
static long long rest_of(double term) {
    double t = term * 68719476736.0;
    return (long long)rint((t - rint(t)) * 268435456.0);
}

static void print_sum(__int128 sum) {
    char digits[64];
    int at = 63, minus = sum < 0;
    unsigned __int128 rest = minus ? -(unsigned __int128)sum : (unsigned __int128)sum;
    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest);
    if (minus) digits[--at] = '-';
    printf(" %s", digits + at);
}

static vec *points(int n) {
    vec *all = malloc(sizeof(vec) * (size_t)(n > 0 ? n : 1));
    for (int k = 0; k < n; k++) {
        all[k].x = number();
        all[k].y = number();
        all[k].z = number();
    }
    return all;
}

/* Weights scaled below 1: one a point, or none, which is 1 for each. */
static double *weights(int n) {
    int given = whole();
    double *w = given ? numbers(n) : malloc(sizeof(double) * (size_t)(n > 0 ? n : 1));
    if (!given) {
        for (int k = 0; k < n; k++) w[k] = 1;
    }
    int e = exponent_of(given ? largest(w, n) : 1.0);
    for (int k = 0; k < n; k++) w[k] = scalbn(w[k], -e);
    return w;
}

static void one_case(void) {
    space = whole();
    for (int k = 0; k < 3; k++) side[k] = number();
    for (int k = 0; k < 3; k++) {
        basis[k].x = number();
        basis[k].y = number();
        basis[k].z = number();
    }
    statistic = whole();
    sight = whole();
    n_across = whole();
    across = numbers(n_across + 1);
    n_along = whole();
    along = numbers(n_along > 0 ? n_along + 1 : 0);
    int same = whole(), n1 = whole(), n2 = whole();
    vec *first = points(n1), *second = same ? first : points(n2);
    double *w1 = weights(n1), *w2 = same ? w1 : weights(n2);
    int mean_exponent = exponent_of(across[n_across]);

    int n_bins = n_along > 0 ? n_across * n_along : n_across;
    unsigned long long *pairs = calloc((size_t)n_bins, sizeof *pairs);
    __int128 *products = calloc((size_t)n_bins, sizeof *products), *means = calloc((size_t)n_bins, sizeof *means);
    __int128 *rests = calloc((size_t)n_bins, sizeof *rests);
    int ordered = n_along > 0 && (along[0] < 0 || sight == FIRST || sight == END);
    for (int i = 0; i < n1; i++) {
        for (int j = 0; j < n2; j++) {
            if (same && (i == j || (!ordered && j < i))) continue;
            double mean;
            int k = bin(separation(first[i], second[j]), first[i], second[j], &mean);
            if (k < 0) continue;
            pairs[k] += 1;
            products[k] += rounded(w1[i] * w2[j]);
            rests[k] += rest_of(w1[i] * w2[j]);
            means[k] += rounded(scalbn(mean, -mean_exponent));
        }
    }
    for (int k = 0; k < n_bins; k++) {
        if (!pairs[k]) continue;
        printf("%d %llu", k, pairs[k]);
        print_sum(products[k]);
        print_sum(means[k]);
        print_sum(rests[k]);
        printf("\n");
    }
    printf("end\n");
    fflush(stdout);
    free(across), free(along), free(pairs), free(products), free(means), free(rests), free(w1), free(first);
    if (!same) free(second), free(w2);
}

int main(void) {
    for (int n = whole(); n > 0; n--) one_case();
    return 0;
}
