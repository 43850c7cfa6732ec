"""Makes catalogues as large as a tracer's of a survey from seeds, and the job that measures them: PIP, AUW, regions, two caps, three redshift bins.

    python3 benches/tracer.py FOLDER [--scale 0.1]      # needs numpy and h5py; scale 1: 2e6 galaxies, 18 files of 2e6 random points, 8 GB
    albireo run FOLDER/auw.toml && albireo run FOLDER/tracer.toml

Galaxies stand in pairs and alone, on two rectangles of the sky; each of 128 realisations observes a target with the odds of its own, and the
survey one more. Columns and names of files are DESI's.
"""

import argparse
from pathlib import Path

import h5py
import numpy as np

CAPS = {"NGC": ((110.0, 270.0), (-8.0, 65.0), 0.68), "SGC": ((-60.0, 60.0), (-18.0, 32.0), 0.32)}
GALAXIES, RANDOMS, FILES, REALISATIONS = 2_000_000, 2_000_000, 18, 128

AUW = """randoms = "{folder}/LRG_*_full_HPmapcut.ran.h5"
sky = ["RA", "DEC"]
statistic = "theta"
bins = "log:1e-4:3.1622776601683795:40"
split-randoms = "files"
randoms-weight = "none"
engine = "{engine}"
[xi.parent]
data = "{folder}/LRG_full_HPmapcut.dat.h5"
weight = "none"
output = "{folder}/out/parent.h5"
[xi.observed]
data = "{folder}/LRG_full_HPmapcut.dat.h5"
where = "LOCATION_ASSIGNED"
randoms-where = "none"
weight = "none"
bits = "BITWEIGHTS"
pip-realizations = 129
pip-total = "counter"
output = "{folder}/out/observed.h5"
"""

TRACER = """data = "{folder}/LRG_{{cap}}_clustering.dat.h5"
randoms = "{folder}/LRG_{{cap}}_*_clustering.ran.h5"
sky = ["RA", "DEC"]
redshift = "Z"
cosmology = "DESI"
weight = "WEIGHT_SYS*WEIGHT_ZFAIL"
randoms-weight = "none"
where = "Z >= {{z.lo}} && Z < {{z.hi}} && FRAC_TLOBS_TILES != 0"
bits = "BITWEIGHTS"
pip-realizations = 129
pip-total = "counter"
angular = "{folder}/out/parent.h5,{folder}/out/observed.h5"
split-randoms = "files"
split-randoms-above = 20
engine = "{engine}"
[set]
name = "LRG_{{part}}_{{z.lo}}_{{z.hi}}"
[sweep]
cap = ["NGC", "SGC"]
z = [{{ lo = 0.4, hi = 0.6 }}, {{ lo = 0.6, hi = 0.8 }}, {{ lo = 0.8, hi = 1.1 }}]
by = [1, 4, 5, 10]
part = ["NGC", "SGC", "GCcomb"]
[xi.smu]
statistic = "s-mu"
bins = "lin:0:200:200"
mu-bins = "lin:-1:1:200"
regions = 60
jackknife = "mohammad-percival"
output = "{folder}/out/allcounts_{{name, part = cap}}.npy"
[result.combine.caps]
results = "{folder}/out/allcounts_{{name, part = cap:all}}.npy"
by = "data"
output = "{folder}/out/allcounts_{{name, part = GCcomb}}.npy"
[result.estimate.all]
result = "{folder}/out/allcounts_{{name}}.npy"
rebin = "{{by}}"
multipoles = [0, 2, 4]
wedges = 6
wedge-bins = "middle"
outputs = {{ multipoles = "{folder}/out/xipoles_{{name}}{{by}}.txt", wedges = "{folder}/out/xiwedges_{{name}}{{by}}.txt" }}
"""


def places(draw, cap, size):
    """Directions that fill a rectangle evenly, in degrees."""
    (west, east), (south, north), _ = CAPS[cap]
    height = np.sin(np.radians([south, north]))
    return draw.uniform(west, east, size) % 360, np.degrees(np.arcsin(draw.uniform(*height, size)))


def redshifts(draw, size):
    """Of a density that falls a little with distance."""
    return np.cbrt(draw.uniform(0.4**3, 1.1**3, size))


def targets(draw, cap, size):
    """Half of the targets in pairs half a degree and less apart."""
    ra, dec = places(draw, cap, size)
    z = redshifts(draw, size)
    half = size // 4
    ra[:half] = (ra[-half:] + draw.normal(0, 0.05, half)) % 360
    dec[:half] = dec[-half:] + draw.normal(0, 0.05, half)
    z[:half] = z[-half:] + draw.normal(0, 5e-4, half)
    odds = np.clip(draw.normal(0.85, 0.1, size), 0.3, 1.0)
    bits = np.packbits(draw.random((size, REALISATIONS), dtype=np.float32) < odds[:, None], axis=1).view("i8")
    return {"RA": ra, "DEC": dec, "Z": z, "BITWEIGHTS": bits, "LOCATION_ASSIGNED": draw.random(size) < odds}


def write(path, columns):
    with h5py.File(path, "w") as file:
        group = file.create_group("LSS")
        for name, values in columns.items():
            group[name] = values.astype("i1") if values.dtype == bool else values


def weights(draw, size):
    return {"WEIGHT_SYS": draw.normal(1, 0.05, size).astype("f4").astype("f8"), "WEIGHT_ZFAIL": np.ones(size), "FRAC_TLOBS_TILES": np.ones(size)}


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("folder", type=Path)
    flags.add_argument("--scale", type=float, default=1.0)
    flags.add_argument("--engine", default="cpu")
    asked = flags.parse_args()
    (asked.folder / "out").mkdir(parents=True, exist_ok=True)
    full = []
    for k, (cap, (*_, share)) in enumerate(CAPS.items()):
        draw = np.random.default_rng([1, k])
        all_targets = targets(draw, cap, int(GALAXIES * asked.scale * share / 0.85))
        full.append(all_targets)
        seen = all_targets["LOCATION_ASSIGNED"]
        kept = {name: values[seen] for name, values in all_targets.items() if name != "LOCATION_ASSIGNED"}
        write(asked.folder / f"LRG_{cap}_clustering.dat.h5", kept | weights(draw, int(seen.sum())))
    both = {name: np.concatenate([one[name] for one in full]) for name in full[0] if name != "Z"}
    write(asked.folder / "LRG_full_HPmapcut.dat.h5", both)
    for i in range(FILES):
        everywhere = []
        for k, (cap, (*_, share)) in enumerate(CAPS.items()):
            draw = np.random.default_rng([2, k, i])
            size = int(RANDOMS * asked.scale * share)
            ra, dec = places(draw, cap, size)
            write(asked.folder / f"LRG_{cap}_{i}_clustering.ran.h5", {"RA": ra, "DEC": dec, "Z": redshifts(draw, size), "FRAC_TLOBS_TILES": np.ones(size)})
            everywhere.append((ra, dec))
        ra, dec = (np.concatenate(axis) for axis in zip(*everywhere))
        write(asked.folder / f"LRG_{i}_full_HPmapcut.ran.h5", {"RA": ra, "DEC": dec})
    values = {"folder": asked.folder.resolve(), "engine": asked.engine}
    for name, text in (("auw", AUW), ("tracer", TRACER)):
        (asked.folder / f"{name}.toml").write_text(text.format(**values))


if __name__ == "__main__":
    main()
