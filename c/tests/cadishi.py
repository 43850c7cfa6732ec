"""Writes the first frames of cadishi_sphere.h5 as raw numbers for cadishi.c, with the counts that CADISHI 1.1.4 made of them.

    python cadishi.py FOLDER_OF_MD_DATA FRAMES OUT
"""

import sys

import h5py
import numpy as np

folder, frames, out = sys.argv[1:]
reference = np.load(f"{folder}/cadishi_sphere.ref.npz")
names, r_max, bins = reference["species"], float(reference["r_max"]), int(reference["bins"])
edges = np.arange(bins + 1) * r_max / bins
with h5py.File(f"{folder}/cadishi_sphere.h5") as file, open(out, "wb") as made:
    np.array([int(frames), len(names), len(edges)], dtype="u8").tofile(made)
    edges.tofile(made)
    for frame in range(int(frames)):
        positions = [np.asarray(file[f"{frame}/coordinates/{name}"], dtype="f8") for name in names]
        np.array([sum(map(len, positions))], dtype="u8").tofile(made)
        np.concatenate(positions).tofile(made)
        np.repeat(np.arange(len(names), dtype="u4"), list(map(len, positions))).tofile(made)
        np.asarray(reference["counts"][frame], dtype="u8").tofile(made)
