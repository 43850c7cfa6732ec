"""Writes the rows of the made-up DESI catalogues with the regions that DESI's scripts cut them into: three by k-means on the sky times two in distance.

    pip install numpy scipy scikit-learn healpy astropy
    PYTHONPATH=/path/to/pycorr python make_regions.py CATALOGUES

CATALOGUES is the folder of the FITS files. Distances are interpolated in ../desi_distances.csv, which is enough: layers are between neighbours
in rank, and regions of the sky have no distances. Columns: RA, DEC, Z, w (WEIGHT*WEIGHT_FKP), bits (the 64 of w, which these scripts take for
those of realizations where they sum up weights by region) and region.
"""
import sys
from pathlib import Path

import numpy as np
from astropy.table import Table
from pycorr import KMeansSubsampler

LAYERS = 2


def main(catalogues: Path) -> None:
    z, _, d = np.loadtxt(Path(__file__).parent.parent / "desi_distances.csv", delimiter=";", skiprows=2).T
    for cap in ("NGC", "SGC"):
        rows = []
        for name in (f"LRG_{cap}_clustering.dat", *(f"LRG_{cap}_{k}_clustering.ran" for k in (0, 1))):
            table = Table.read(catalogues / f"{name}.fits")
            table = table[(table["Z"] >= 0.4) & (table["Z"] < 0.6)]
            columns = [np.asarray(table[c], "f8") for c in ("RA", "DEC", "Z")]
            rows.append((name, columns, np.asarray(table["WEIGHT"], "f8") * np.asarray(table["WEIGHT_FKP"], "f8")))
        places = [[ra, dec, np.interp(redshift, z, d)] for _, (ra, dec, redshift), _ in rows]
        cut = KMeansSubsampler("angular", positions=places[0], nsamples=3, nside=512, random_state=42, position_type="rdd")
        edges = np.percentile(places[0][2], np.linspace(0, 100, LAYERS + 1))
        edges[0], edges[-1] = 0.0, np.inf
        for (name, columns, weight), place in zip(rows, places):
            region = cut.label(place) * LAYERS + np.digitize(place[2], edges) - 1
            with open(Path(__file__).parent / f"{name}.csv", "w") as out:
                out.write("RA,DEC,Z,w,bits,region\n")
                for *values, bits, label in zip(*columns, weight, weight.view("i8"), region):
                    out.write(",".join(repr(float(value)) for value in values) + f",{bits},{label}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
