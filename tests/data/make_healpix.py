#!/usr/bin/env python3
"""Write healpix_pixels.csv: HEALPix pixels of seeded directions by healpy, ring and nested order.

Needs healpy and numpy. Usage: make_healpix.py (writes beside itself).
Directions are random over the sphere and near the poles, the axes, and near the centres of all pixels of nside 4.
"""
import pathlib
import healpy
import numpy as np

HERE = pathlib.Path(__file__).parent
NSIDES = [1, 2, 8, 64, 4096, 1 << 20]


def directions():
    rng = np.random.default_rng(20261122)
    ball = rng.normal(size=(300, 3))
    poles = np.column_stack([rng.normal(size=(60, 2)) * 10.0 ** rng.uniform(-6, -1, (60, 1)), rng.choice([-1.0, 1.0], 60)])
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    # Away from the centres themselves, which are corners of finer pixels.
    centres = np.column_stack(healpy.pix2vec(4, np.arange(192))) + rng.normal(size=(192, 3)) * 1e-3
    return np.concatenate([ball, poles, axes, centres])


def main():
    v = directions()
    columns = {name: list(map(repr, map(float, v[:, k]))) for k, name in enumerate("xyz")}
    for nside in NSIDES:
        for order, nest in (("ring", False), ("nested", True)):
            columns[f"{order}_{nside}"] = list(map(str, healpy.vec2pix(nside, *v.T, nest=nest)))
    rows = zip(*columns.values())
    text = ",".join(columns) + "\n" + "".join(",".join(row) + "\n" for row in rows)
    (HERE / "healpix_pixels.csv").write_text(text)


main()
