"""Pairs between galaxies and randoms on Dask workers: slices of the randoms are counted apart and merged to the integers of one count.

    python examples/python/dask_parts.py
"""

import dask
import numpy as np

import albireo


def main():
    rng = np.random.default_rng(5)
    galaxies, randoms = rng.random((2_000, 3)) * 100, rng.random((20_000, 3)) * 100
    bins = "lin:0:20:8"
    count = dask.delayed(albireo.count)
    # One thread a worker: they share the cores.
    parts = [count(galaxies, part, bins=bins, box=100, engine="cpu", threads=1) for part in np.array_split(randoms, 8)]
    whole = albireo.merge(*dask.compute(*parts, scheduler="processes", num_workers=2))
    assert np.array_equal(whole.npairs, albireo.count(galaxies, randoms, bins=bins, box=100).npairs)
    print(whole.npairs)


if __name__ == "__main__":
    main()
