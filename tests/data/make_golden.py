#!/usr/bin/env python3
"""Write golden_points.csv and golden_counts.csv: our own seeded points, counted by two independent codes.

Needs numpy and scipy. Usage: make_golden.py (writes beside itself).
The counts of r bins come from scipy's k-d tree and from a numpy double loop, which must agree; those of (s, mu) and
(rp, pi) from the numpy loop. Edges are away from every separation, so that no rounding rule matters here.
"""
import pathlib
import numpy as np
from scipy.spatial import cKDTree

HERE = pathlib.Path(__file__).parent
N, SIDE = 1500, 50.0
R_EDGES = np.array([0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 25.0])
MU_EDGES = np.linspace(0.0, 1.0, 6)
RP_EDGES = np.array([0.25, 1.0, 4.0, 12.0])
PI_EDGES = np.array([0.0, 2.0, 7.0, 20.0])


def points():
    rng = np.random.default_rng(20261121)
    centres = rng.random((40, 3)) * SIDE
    clumps = centres[rng.integers(0, 40, N // 2)] + rng.normal(0.0, 0.8, (N // 2, 3))
    x = np.concatenate([clumps, rng.random((N - N // 2, 3)) * SIDE]) % SIDE
    return np.round(x, 6) % SIDE


def by_tree(x):
    tree = cKDTree(x, boxsize=SIDE)
    # count_neighbors counts r <= edge, both orders and self pairs.
    cumulative = tree.count_neighbors(tree, R_EDGES[1:])
    return np.diff(np.concatenate([[N], cumulative])) // 2


def by_loop(x):
    i, j = np.triu_indices(N, 1)
    d = x[i] - x[j]
    d = np.where(d > SIDE / 2, d - SIDE, np.where(d < -SIDE / 2, d + SIDE, d))
    r = np.sqrt((d * d).sum(1))
    rp, pi = np.hypot(d[:, 0], d[:, 1]), np.abs(d[:, 2])
    mu = np.where(r > 0, pi / np.where(r > 0, r, 1.0), 0.0)
    count_r = np.histogram(r, R_EDGES)[0]
    s_mu = np.histogram2d(r, mu, [R_EDGES, MU_EDGES])[0].astype(int)
    rp_pi = np.histogram2d(rp, pi, [RP_EDGES, PI_EDGES])[0].astype(int)
    return count_r, s_mu.ravel(), rp_pi.ravel()


def main():
    x = points()
    count_r, s_mu, rp_pi = by_loop(x)
    assert (by_tree(x) == count_r).all(), (by_tree(x), count_r)
    np.savetxt(HERE / "golden_points.csv", x, fmt="%.6f", delimiter=",", header="x,y,z", comments="")
    with open(HERE / "golden_counts.csv", "w") as out:
        for name, counts in (("r", count_r), ("s_mu", s_mu), ("rp_pi", rp_pi)):
            print(name, *counts, sep=",", file=out)


if __name__ == "__main__":
    main()
