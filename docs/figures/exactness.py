"""Draws exactness.svg: what float32 does to pairs next to the edge of a bin. pip install numpy matplotlib; python docs/figures/exactness.py"""

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "albireo"
import matplotlib.pyplot as plt  # noqa: E402


def squares(points, box):
    """r2 of all pairs of a periodic box, in the precision of the points."""
    first, second = np.triu_indices(len(points), 1)
    half, total = points.dtype.type(box / 2), 0
    for axis in range(3):
        d = points[first, axis] - points[second, axis]
        d = np.where(d > half, d - points.dtype.type(box), np.where(d < -half, d + points.dtype.type(box), d))
        total = total + d * d
    return total


def counts(r2, edges):
    places = np.searchsorted(edges.astype(r2.dtype) ** 2, r2, side="right") - 1
    return np.bincount(places[(places >= 0) & (places < len(edges) - 1)], minlength=len(edges) - 1)


def main():
    tenths = np.random.default_rng(1).integers(0, 200, (2000, 3))
    points = tenths / 10
    double, single = squares(points, 20), squares(points.astype(np.float32), 20)
    apart = np.rint(double * 100).astype(int)
    edges = np.arange(0.5, 8.01, 0.5)
    difference = counts(single, edges) - counts(double, edges)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 2.9), layout="constrained")
    at = apart == 900
    for values, name, colour in (single[at], "float32", "tab:orange"), (double[at], "float64", "tab:blue"):
        left.hist((values.astype(float) - 9) * 1e6, bins=np.linspace(-6, 6, 49), label=name, color=colour, alpha=0.7)
    left.axvline(0, color="k", lw=1)
    left.set(xlabel="computed r² - 9, in millionths", ylabel="pairs", title=f"{at.sum()} pairs that are 3 apart", yscale="log")
    left.legend()
    right.bar(edges[:-1] + 0.25, difference, width=0.4, color="tab:orange")
    right.axhline(0, color="k", lw=1)
    right.set(xlabel="r", ylabel="float32 - float64", title="pairs in other bins")
    figure.savefig(Path(__file__).with_name("exactness.svg"), metadata={"Date": None})
    print(at.sum(), (double[at] < 9).sum(), (double[at] == 9).sum(), (double[at] > 9).sum(), "|", (single[at] < 9).sum(), (single[at] == 9).sum(), (single[at] > 9).sum())
    print(difference, abs(difference).sum(), counts(double, edges).sum())


if __name__ == "__main__":
    main()
