"""What a new user does with an installed wheel: xi of the sample data in three lines, with its figure, and a file of every format.

    try_wheel.py [--no-figure] [--no-fits]      (a figure needs the extra `plot`; a wheel may be built without FITS)
"""

import importlib.metadata
import sys
import tempfile

import numpy as np

import albireo

EXTRAS = {"cuda", "freud", "mda", "plot"}

fits = "--no-fits" not in sys.argv

galaxies = albireo.samples.path("galaxies_box.h5")
xi = albireo.xi(galaxies, bins="log:0.5:20:8", rows="0:20000")
if "--no-figure" not in sys.argv:
    xi.plot().figure.savefig(tempfile.mkdtemp() + "/xi.png")

assert set(importlib.metadata.metadata("albireo").get_all("Provides-Extra")) == EXTRAS
assert np.all(xi.xi[:4] > 0.5) and xi.npairs.sum() > 0
with tempfile.TemporaryDirectory() as folder:
    for ending in ("parquet", "h5", "csv", "ecsv", *["fits"] * fits):
        xi.save(f"{folder}/xi.{ending}")
        assert np.array_equal(albireo.load(f"{folder}/xi.{ending}")["DD_npairs"], xi["DD_npairs"]), ending
for name in ("survey_randoms.parquet", *["survey_galaxies.fits"] * fits):
    angles = {"rows": "0:2000", "statistic": "theta", "bins": [0.1, 1, 10]}
    made = albireo.count(albireo.samples.path(name), **angles)
    assert made.npairs.sum() > 0
    assert np.array_equal(made.npairs, albireo.count(albireo.samples.path(name), engine="naive", **angles).npairs), name
print(f"albireo of CPython {sys.version.split()[0]}: {int(xi.npairs.sum())} pairs, xi from {xi.xi[0]:.2f} to {xi.xi[-1]:.3f}")
