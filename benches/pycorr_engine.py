#!/usr/bin/env python3
"""Times pycorr's Corrfunc engine and this library's on the same counts, in turn, and compares every bin.

    python3 -m venv /tmp/pycorr && /tmp/pycorr/bin/pip install 'numpy<2' 'scipy<1.16' cython 'setuptools<81' wheel
    /tmp/pycorr/bin/pip install --no-build-isolation git+https://github.com/cosmodesi/pycorr
    /tmp/pycorr/bin/pip install --no-build-isolation git+https://github.com/adematti/Corrfunc@desi      (needs gcc and libgsl-dev)
    /tmp/pycorr/bin/pip install .
    /tmp/pycorr/bin/python benches/pycorr_engine.py [--number 1000000] [--threads 2] [--repeats 3] [--device cpu] [--s-max 100] [--words 2] [CASE ..]

Points fill a cube of 1000 that begins 1000 away from the observer. Cases are DD of one sample in (s, mu), 20 x 100 bins, midpoint lines of
sight, mean separations off: `plain`, `weighted` (one individual weight) and `pip` (bitwise weights of 64 realisations a word, and an
individual one; normalised by `total`). Seconds are medians of whole calls of `TwoPointCounter`, normalisation included. `--engines` names
those to run. Pairs must be the same integers in every bin, but for what may lie within 1e-11 of an edge, which is printed; sums of weights
agree to 1e-6 (ours are in fixed point, theirs summed in float64).
"""

import argparse
import statistics
import sys
import time

import numpy as np
from pycorr import TwoPointCounter

import albireo.pycorr  # noqa: F401  the engine "albireo"

SEED = 20_261_123


def sample(number, words):
    """Columns of positions, words of bits, and weights."""
    rng = np.random.default_rng(SEED)
    positions = 1000.0 + 1000.0 * rng.random((3, number))
    bits = [rng.integers(-(2**63), 2**63, number, dtype=np.int64) for _ in range(words)]
    return positions, bits, rng.uniform(0.5, 1.0, number)


def cases(bits, weights):
    """The weights of each case."""
    return {"plain": None, "weighted": [weights], "pip": [*bits, weights]}


def compared(ours, theirs):
    """What differs between two counts, in words; None where nothing that matters does."""
    pairs = np.abs(ours.ncounts.astype(np.int64) - theirs.ncounts.astype(np.int64))
    allowed = 1e-8 * np.maximum(theirs.ncounts, 1e8)
    if np.any(pairs > allowed):
        return f"{np.count_nonzero(pairs)} bins hold other pairs, the most {pairs.max()}"
    same = pairs == 0
    if not np.allclose(ours.wcounts[same], theirs.wcounts[same], rtol=1e-6, atol=0):
        return "sums of weights differ"
    if not np.isclose(ours.wnorm, theirs.wnorm, rtol=1e-9):
        return f"totals differ: {ours.wnorm} and {theirs.wnorm}"
    if pairs.any():
        print(f"    {pairs.sum() // 2} pairs of {theirs.ncounts.sum()} lie in a neighbouring bin")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--number", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--words", type=int, default=2)
    parser.add_argument("--s-max", type=float, default=100.0)
    parser.add_argument("--device", default="cpu", help="engine of albireo: cpu, cuda, auto, cuda+cpu")
    parser.add_argument("--engines", default="albireo,corrfunc")
    given = parser.parse_args()
    positions, bits, weights = sample(given.number, given.words)
    edges = (np.linspace(0.0, given.s_max, 21), np.linspace(-1.0, 1.0, 101))
    failed = []
    for case, columns in cases(bits, weights).items():
        if given.cases and case not in given.cases:
            continue
        taken, made = {}, {}
        for _ in range(given.repeats):
            for engine in given.engines.split(","):
                options = {"device": given.device} if engine == "albireo" else {}
                start = time.perf_counter()
                made[engine] = TwoPointCounter(
                    "smu", edges, positions, weights1=columns, los="midpoint", nthreads=given.threads, compute_sepsavg=False, engine=engine, **options
                )
                taken.setdefault(engine, []).append(time.perf_counter() - start)
        medians = {engine: statistics.median(seconds) for engine, seconds in taken.items()}
        print(f"{case}: " + ", ".join(f"{engine} {seconds:.2f} s" for engine, seconds in medians.items()), flush=True)
        if len(made) == 2 and (difference := compared(*(made[engine] for engine in ("albireo", "corrfunc")))):
            failed.append(f"{case}: {difference}")
            print(f"    {difference}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
