#!/usr/bin/env python3
"""Write golden_pip_points.csv and golden_pip.csv: our own galaxies with bits, and weighted counts of their pairs.

Needs numpy. Usage: make_golden_pip.py (writes beside itself).
Weights of pairs are exact fractions, joint probabilities of integer binomials; every sum is rounded once. Edges lie away from every
separation, and no rounding rule matters here. Formulas: Bianchi & Percival 2017 (DOI 10.48550/arXiv.1703.02070), Bianchi & Verde 2020 (DOI
10.48550/arXiv.1912.08803), Percival & Bianchi 2017 (DOI 10.48550/arXiv.1703.02071).
"""
import math
import pathlib
from fractions import Fraction

import numpy as np

HERE = pathlib.Path(__file__).parent
N = 120
EDGES = [0.0, 3.0, 6.0, 12.0, 24.0]
ANGLES = [0.0, 1.0, 2.5, 6.0]
FACTORS = [2.5, 1.25, 0.75, 1.0]
WORDS = 2


def galaxies():
    rng = np.random.default_rng(20201208)
    x = np.round(rng.random((N, 3)) * 20.0 + [80.0, -10.0, -10.0], 4)
    w = np.round(rng.random(N) * 1.5 - 0.25, 4)
    # Galaxies in some places are observed rarely, and neighbours share most of their fate.
    share = 0.25 + 0.6 * rng.random(N)
    fate = rng.random((N, 64 * WORDS)) < share[:, None]
    fate[1::2] = np.where(rng.random((N // 2, 64 * WORDS)) < 0.7, fate[0::2], fate[1::2])
    # One bit is set in every row.
    fate[:, 5] = True
    rows = [sum(1 << int(b) for b in np.flatnonzero(row)) for row in fate]
    return x, w, rows


def held(number, total, default):
    return Fraction(default) if total == 0 else Fraction(number, total)


def joint(c1, c2, number, offset, always, default):
    """Mean weight of pairs of rows with c1 and c2 bits set (eq. 21)."""
    sure, a, b = offset + always, offset + c1, offset + c2
    top = Fraction(0)
    for x in range(max(sure, a + b - number), min(a, b) + 1):
        ways = math.comb(a - sure, x - sure) * math.comb(number - a, b - x)
        top += held(number, x, default) * ways
    return top / math.comb(number - sure, b - sure)


def angular(x1, x2):
    cosine = float(np.dot(x1, x2) / np.sqrt(np.dot(x1, x1) * np.dot(x2, x2)))
    cosines = [math.cos(math.radians(t)) for t in ANGLES]
    for k in range(1, len(cosines)):
        if cosines[k] < cosine <= cosines[k - 1]:
            part = (cosine - cosines[k]) / (cosines[k - 1] - cosines[k])
            return FACTORS[k] + part * (FACTORS[k - 1] - FACTORS[k])
    return 1.0


def counts(x, w, rows, setting):
    number, offset, always, default = setting
    weights = [Fraction(repr(float(value))) for value in w]
    n_set = [row.bit_count() for row in rows]
    table = {}

    def mean(c1, c2):
        key = (min(c1, c2), max(c1, c2))
        if key not in table:
            table[key] = joint(*key, *setting)
        return table[key]

    kinds = ("pip", "counter", "angular")
    sums = {kind: [Fraction(0)] * (len(EDGES) - 1) for kind in kinds}
    totals = {"joint": Fraction(0), "brute": Fraction(0), "counter": Fraction(0)}
    individual = [weights[i] * held(number, offset + n_set[i], default) for i in range(N)]
    for i in range(N):
        for j in range(i + 1, N):
            product = weights[i] * weights[j]
            p = held(number, offset + (rows[i] & rows[j]).bit_count(), default)
            factor = individual[i] * individual[j] / product / mean(n_set[i], n_set[j]) if product else 0
            totals["joint"] += product * mean(n_set[i], n_set[j])
            totals["brute"] += product * p
            totals["counter"] += individual[i] * individual[j]
            r = float(np.sqrt(((x[i] - x[j]) ** 2).sum()))
            assert min(abs(r - edge) for edge in EDGES) > 1e-9
            for k in range(len(EDGES) - 1):
                if EDGES[k] <= r < EDGES[k + 1]:
                    sums["pip"][k] += product * p
                    sums["counter"][k] += product * p * factor
                    sums["angular"][k] += product * p * Fraction(angular(x[i], x[j]))
    return sums, totals, individual


def main():
    x, w, rows = galaxies()
    with open(HERE / "golden_pip_points.csv", "w") as out:
        print("x,y,z,w,bits1,bits2", file=out)
        for position, weight, row in zip(x, w, rows):
            words = [row >> (64 * k) & (2**64 - 1) for k in range(WORDS)]
            print(*(f"{c:.4f}" for c in position), f"{weight:.4f}", *words, sep=",", file=out)
    settings = {"efficient": (129, 1, 0, 0), "truncated": (128, 0, 1, 0)}
    with open(HERE / "golden_pip.csv", "w") as out:
        for name, setting in settings.items():
            sums, totals, individual = counts(x, w, rows, setting)
            for kind, values in sums.items():
                print(name, kind, *(repr(float(value)) for value in values), sep=",", file=out)
            for kind, value in totals.items():
                print(name, "total " + kind, repr(float(value)), sep=",", file=out)
            squares = sum(value * value for value in individual)
            print(name, "individual", float(sum(individual)), float(squares), sep=",", file=out)


if __name__ == "__main__":
    main()
