#!/usr/bin/env python3
"""Times g(r) of liquids from files, end to end, by albireo, LAMMPS, rdf-rust, freud, MDAnalysis and CADISHI's kernel in turn, and compares every bin.

    apt-get install lammps
    pip install numpy pyarrow h5py MDAnalysis rdf-rust freud-analysis      (and cadishi 1.1.4, patched, built with -O3 -march=native; left out where it is not there)
    cargo build --release
    python benches/liquids.py --albireo target/release/albireo --data FOLDER [--threads 2] [--repeats 5] [--frames 10] [CASE ..]

FOLDER holds d2_water.npz (`O`, `box`) and d3_brine.npz (`pos`, `species`, `box`). Cases: `water`, O-O up to 12 Angstrom in 240 bins, and `brine`, all six partials up
to 10 Angstrom in 200 bins. A run of albireo or LAMMPS is a process from its start to its end; of packages of Python it is reading the
arrays, making what the package wants and counting, without imports. Programs take turns; seconds are medians. albireo reads several
formats; `reading` is the same call with one bin of 0.01 Angstrom, which leaves hardly anything to count, and at the end each format is split into
reading and counting by the two. MDAnalysis, which takes seconds a frame, reads --frames-mda frames from the DCD file; its seconds are for as many
frames as the others'. Integers of albireo must be the same from all
formats, and those of rdf-rust and CADISHI; LAMMPS prints six digits of g, freud and MDAnalysis count in float32: their pairs must agree to 1e-5.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CASES = {"water": ("d2_water.npz", 12.0, 240), "brine": ("d3_brine.npz", 10.0, 200)}
NAMES = ["O", "H", "ION"]


def loaded(case, data, count):
    """Frames of positions within their boxes, species of the particles (sorted by them), and sides."""
    name, r_max, bins = CASES[case]
    file = np.load(Path(data) / name)
    if "O" in file:
        positions, species = file["O"][:count], np.zeros(file["O"].shape[1], int)
    else:
        positions, species = file["pos"][:count], file["species"].astype(int)
    order = np.argsort(species, kind="stable")
    sides = file["box"][:count].astype(float)
    wrapped = np.mod(positions[:, order].astype(float), sides[:, None]).astype(np.float32)
    return wrapped, species[order], sides, r_max, bins


def write_files(folder, frames, species, sides):
    """The same frames in each format; XTC is left out, as it rounds."""
    import h5py
    import MDAnalysis as mda
    import pyarrow as pa
    import pyarrow.parquet as pq

    count, n = frames.shape[:2]
    names = np.array(NAMES)[species]
    x, y, z = frames.reshape(-1, 3).T.copy()
    columns = {"frame": np.repeat(np.arange(count), n), "species": np.tile(names, count), "x": x, "y": y, "z": z}
    pq.write_table(pa.table(columns), folder / "t.parquet", row_group_size=n)
    pq.write_table(pa.table({"frame": np.arange(count)} | {f"l{a}": sides[:, k] for k, a in enumerate("xyz")}), folder / "t.box.parquet")
    with h5py.File(folder / "t.h5md", "w") as file:
        file.create_group("h5md").attrs["version"] = [1, 1]
        group = file.create_group("particles/all")
        group["species"] = species
        box = group.create_group("box")
        box.attrs["dimension"] = 3
        box.attrs.create("boundary", ["periodic"] * 3, dtype=h5py.string_dtype())
        for name, values in (("box/edges", sides), ("position", frames)):
            part = group.create_group(name)
            part["step"] = np.arange(count)
            part.create_dataset("value", data=values, chunks=(1, *values.shape[1:]))
    # Formats without species have them in a topology.
    universe = mda.Universe.empty(n, trajectory=True)
    universe.add_TopologyAttr("name", names)
    universe.add_TopologyAttr("resname", ["X"])
    universe.add_TopologyAttr("resid", [1])
    with mda.Writer(str(folder / "t.dcd"), n) as writer:
        for points, side in zip(frames, sides):
            universe.atoms.positions, universe.dimensions = points, [*side, 90, 90, 90]
            writer.write(universe.atoms)
    universe.atoms.write(str(folder / "top.gro"))
    with open(folder / "t.lammpstrj", "w") as file:
        for k, (points, side) in enumerate(zip(frames, sides)):
            file.write(f"ITEM: TIMESTEP\n{k}\nITEM: NUMBER OF ATOMS\n{n}\nITEM: BOX BOUNDS pp pp pp\n" + "".join(f"0 {s!r}\n" for s in side.tolist()))
            rows = zip(species.tolist(), names, points.astype(float).tolist())
            file.write("ITEM: ATOMS id type element x y z\n" + "".join(f"{i + 1} {t + 1} {e} {x!r} {y!r} {z!r}\n" for i, (t, e, (x, y, z)) in enumerate(rows)))


def albireo(asked, folder, name, options, r_max, bins):
    """Seconds, and with more than one bin the pairs of each pair of species."""
    call = [asked.albireo, "rdf", str(folder / name), *options, "--r-max", repr(r_max), "--n-bins", str(bins), "--threads", str(asked.threads), "--engine", "cpu"]
    call += ["-o", str(folder / "g.json"), "--brief"]
    start = time.perf_counter()
    subprocess.run(call, check=True, capture_output=True)
    seconds = time.perf_counter() - start
    return seconds, {k: np.array(v) for k, v in json.load(open(folder / "g.json"))["data"].items() if k.startswith("npairs")}


def of_pair(found, a, b):
    names = [f"npairs_{a}-{b}", f"npairs_{b}-{a}", "npairs"]
    return next(found[name] for name in names if name in found)


def lammps(asked, folder, case):
    frames, species, sides, r_max, bins = case
    kinds = max(species) + 1
    pairs = [(a, b) for a in range(kinds) for b in range(a, kinds)]
    points = frames[0].astype(float).tolist()
    rows = "".join(f"{i + 1} {t + 1} {x!r} {y!r} {z!r}\n" for i, (t, (x, y, z)) in enumerate(zip(species.tolist(), points)))
    edges = "".join(f"0 {s!r} {a}lo {a}hi\n" for s, a in zip(sides[0].tolist(), "xyz"))
    (folder / "d.data").write_text(f"liquid\n\n{len(points)} atoms\n{kinds} atom types\n\n{edges}\nMasses\n\n" + "".join(f"{k + 1} 1\n" for k in range(kinds)) + f"\nAtoms\n\n{rows}")
    (folder / "in.l").write_text(
        f"units real\natom_style atomic\nread_data d.data\npair_style zero {r_max}\npair_coeff * *\nneighbor 0.5 bin\nneigh_modify every 1 delay 0 check no\n"
        f"comm_modify cutoff {r_max + 0.5}\ncompute r all rdf {bins} {' '.join(f'{a + 1} {b + 1}' for a, b in pairs)}\n"
        "fix 1 all ave/time 1 1 1 c_r[*] file o.rdf mode vector start 0\nrerun t.lammpstrj dump x y z box yes\n"
    )
    call = ["lmp", "-in", "in.l", "-log", "none", "-screen", "none"]
    if asked.threads > 1:
        call = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(asked.threads), *call]
    start = time.perf_counter()
    subprocess.run(call, cwd=folder, check=True, capture_output=True)
    seconds = time.perf_counter() - start
    lines = [line.split() for line in open(folder / "o.rdf") if not line.startswith("#")]
    shells = 4 / 3 * np.pi * np.diff(np.linspace(0, r_max, bins + 1) ** 3)
    sums, at, numbers = np.zeros((len(pairs), bins)), 0, np.bincount(species)
    for side in sides:
        block = np.array(lines[at + 1 : at + 1 + bins], float)
        at += 1 + bins
        for k, (a, b) in enumerate(pairs):
            ideal = numbers[a] * (numbers[a] - 1) / 2 if a == b else numbers[a] * numbers[b]
            sums[k] += block[:, 2 + 2 * k] * ideal * shells / np.prod(side)
    return seconds, {f"npairs_{NAMES[a]}-{NAMES[b]}": sums[k] for k, (a, b) in enumerate(pairs)}


def rdf_rust(asked, case):
    import rdfrust

    frames, species, sides, r_max, bins = case
    kinds, width = max(species) + 1, r_max / bins
    names = ["O", "H", "Na"]
    start = time.perf_counter()
    sums = 0
    for points, side in zip(frames, sides):
        structure = rdfrust.Structure(np.diag(side).tolist(), (points.astype(float) / side).tolist(), [{names[s]: 1.0} for s in species])
        r, partial, _ = structure.prdf(cutoff=r_max, bin_size=width, n_threads=asked.threads)
        # g is over the particles of the first species; the shells are exact.
        shells = 4 / 3 * np.pi * np.diff((np.arange(len(r) + 1) * width) ** 3)
        numbers = np.bincount(species)
        rows = [np.nan_to_num(partial[names[a], names[b]], posinf=0) * numbers[a] * shells / (2 if a == b else 1) for a in range(kinds) for b in range(a, kinds)]
        sums = sums + np.rint(np.array(rows)[:, :bins]).astype(np.int64)
    seconds = time.perf_counter() - start
    pairs = [(a, b) for a in range(kinds) for b in range(a, kinds)]
    return seconds, {f"npairs_{NAMES[a]}-{NAMES[b]}": row for (a, b), row in zip(pairs, sums)}


def freud(asked, case):
    import freud as package

    frames, species, sides, r_max, bins = case
    kinds = max(species) + 1
    package.parallel.set_num_threads(asked.threads)
    start = time.perf_counter()
    sums = {}
    for points, side in zip(frames, sides):
        box = package.box.Box(*side)
        # Its boxes are centred on the origin.
        groups = [points[species == k] - (side / 2).astype(np.float32) for k in range(kinds)]
        queries = [package.locality.AABBQuery(box, group) for group in groups]
        for a in range(kinds):
            for b in range(a, kinds):
                rdf = sums.setdefault((a, b), package.density.RDF(bins, r_max))
                near = {"mode": "ball", "r_max": r_max, "exclude_ii": a == b}
                rdf.compute(queries[a], groups[b], neighbors=near, reset=False)
    seconds = time.perf_counter() - start
    return seconds, {f"npairs_{NAMES[a]}-{NAMES[b]}": rdf.bin_counts / (2 if a == b else 1) for (a, b), rdf in sums.items()}


def mdanalysis(asked, folder, case):
    import MDAnalysis as mda
    from MDAnalysis.analysis.rdf import InterRDF

    _, species, _, r_max, bins = case
    kinds = max(species) + 1
    start = time.perf_counter()
    universe = mda.Universe(str(folder / "top.gro"), str(folder / "t.dcd"))
    groups = [universe.select_atoms(f"name {name}") for name in NAMES[:kinds]]
    sums = {}
    for a in range(kinds):
        for b in range(a, kinds):
            rdf = InterRDF(groups[a], groups[b], nbins=bins, range=(0, r_max), norm="none").run(stop=asked.frames_mda)
            counts = np.asarray(rdf.results.count) * asked.frames_mda
            if a == b:
                # Particles are paired with themselves, and pairs counted twice.
                counts[0] -= asked.frames_mda * len(groups[a])
                counts = counts / 2
            sums[f"npairs_{NAMES[a]}-{NAMES[b]}"] = counts
    seconds = time.perf_counter() - start
    return seconds * asked.frames / asked.frames_mda, sums


def cadishi(asked, case, precision):
    from cadishi.kernel import pydh

    frames, species, sides, r_max, bins = case
    kinds = max(species) + 1
    start = time.perf_counter()
    sums = 0
    for points, side in zip(frames, sides):
        groups = [np.ascontiguousarray(points[species == k], np.float64) for k in range(kinds)]
        found = pydh.histograms(groups, r_max, bins, precision=precision, n_threads=asked.threads, check_input=True, box=side.copy())
        sums = sums + found[:, 1:].T.astype(np.int64)
    seconds = time.perf_counter() - start
    pairs = [(a, b) for a in range(kinds) for b in range(a, kinds)]
    return seconds, {f"npairs_{NAMES[a]}-{NAMES[b]}": row for (a, b), row in zip(pairs, sums)}


def programs(asked, folder, name):
    """What is timed, by name: each gives seconds and, unless it only reads, pairs."""
    case = loaded(name, asked.data, asked.frames)
    write_files(folder, *case[:3])
    r_max, bins = case[3:]
    files = {"parquet": ("t.parquet", ["--species", "species"]), "h5md": ("t.h5md", ["--species", "species"]), "dcd": ("t.dcd", ["--topology", str(folder / "top.gro"), "--species", "name"]), "lammpstrj": ("t.lammpstrj", ["--species", "element"])}
    all_of = {}
    for ending, (file, options) in files.items():
        all_of[f"albireo {ending}"] = lambda f=file, o=options: albireo(asked, folder, f, o, r_max, bins)
        all_of[f"albireo {ending}, reading"] = lambda f=file, o=options: (albireo(asked, folder, f, o, 0.01, 1)[0], None)
    all_of["LAMMPS"] = lambda: lammps(asked, folder, case)
    all_of["rdf-rust"] = lambda: rdf_rust(asked, case)
    all_of["freud"] = lambda: freud(asked, case)
    all_of["MDAnalysis"] = lambda: mdanalysis(asked, folder, case)
    # What the first frames hold, for MDAnalysis; not timed.
    first = ["--frames", f":{asked.frames_mda}"]
    all_of["first frames"] = lambda: albireo(asked, folder, "t.parquet", ["--species", "species", *first], r_max, bins)
    try:
        import cadishi.kernel.pydh  # noqa: F401

        all_of["CADISHI f64"] = lambda: cadishi(asked, case, "double")
        all_of["CADISHI f32"] = lambda: cadishi(asked, case, "single")
    except ImportError:
        print("CADISHI is not there", flush=True)
    return all_of


def check(name, found, reference):
    """The largest difference of a bin; integers of exact programs must have none."""
    worst = 0
    for key, ours in reference.items():
        a, b = key.removeprefix("npairs_").split("-") if "-" in key else ("O", "O")
        a, b = (s if s in NAMES else NAMES[int(s)] for s in (a, b))
        theirs = of_pair(found, a, b)
        worst = max(worst, float(np.abs(theirs - ours).max()))
        if name in ("LAMMPS", "freud", "MDAnalysis"):
            assert abs(theirs.sum() - ours.sum()) < 1e-5 * ours.sum() + 1, (name, key)
            continue
        if name != "CADISHI f32":
            assert (theirs == ours).all(), f"{name}: {key}: {(theirs != ours).sum()} bins differ, by up to {worst}"
    return worst


def by_names(found):
    """H5MD numbers its species."""
    def named(key):
        parts = key.removeprefix("npairs_").split("-")
        return key if len(parts) != 2 else "npairs_" + "-".join(NAMES[int(p)] if p.isdigit() else p for p in parts)

    return {named(key): values for key, values in found.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", default=list(CASES))
    parser.add_argument("--albireo", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--frames", type=int, default=10)
    parser.add_argument("--frames-mda", type=int, default=1)
    asked = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(asked.threads)
    for name in asked.cases:
        with tempfile.TemporaryDirectory() as folder:
            timed = programs(asked, Path(folder), name)
            seconds, pairs = {key: [] for key in timed}, {}
            for _ in range(asked.repeats):
                for key, run in timed.items():
                    took, found = run()
                    seconds[key].append(took)
                    if found is not None:
                        pairs[key] = by_names(found)
        reference, first = pairs["albireo parquet"], pairs.pop("first frames")
        del seconds["first frames"]
        medians = {key: statistics.median(values) for key, values in seconds.items()}
        best = medians["albireo parquet"]
        print(f"\n{name}, {asked.frames} frames, {asked.threads} threads, {sum(v.sum() for v in reference.values()):,} pairs in bins; medians of {asked.repeats}")
        for key, values in seconds.items():
            expected = first if key == "MDAnalysis" else reference
            differs = f"{check(key, pairs[key], expected):.0f}" if key in pairs else "-"
            print(f"{key:28} {medians[key]:8.3f} s  (least {min(values):.3f})  {medians[key] / best:6.2f} times albireo's  largest difference of a bin {differs}", flush=True)
        for key in [key.removesuffix(", reading") for key in medians if key.endswith(", reading")]:
            whole, reading = medians[key], min(medians[key], medians[f"{key}, reading"])
            share = round(40 * reading / whole)
            print(f"{key:20} reading {reading:6.3f} s [{'r' * share}{'c' * (40 - share)}] counting {whole - reading:6.3f} s")


if __name__ == "__main__":
    sys.exit(main())
