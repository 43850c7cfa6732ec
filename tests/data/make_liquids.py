"""Writes golden_liquids_frames.csv, a small fluid of two species in boxes that change, and golden_liquids.csv: what other programs make of it.

    apt-get install gromacs lammps
    pip install numpy MDAnalysis freud-analysis mdtraj
    python tests/data/make_liquids.py

No separation lies within 3e-4 of a multiple of 0.125, so that float32 and decimals move no pair from one bin to another: what differs are conventions.
docs/normalisations.md says which; cli/tests/program/normalisations.rs holds albireo to it.
"""

import csv
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
HERE = Path(__file__).parent
SEED, NUMBERS, SIDES = 20_261_122, {"A": 20, "B": 30}, [10.0, 10.5, 11.0, 10.25]
R_MAX, BINS, GRID, FAR = 4.0, 16, 0.125, 3e-4
SPECIES = np.repeat(list(NUMBERS), list(NUMBERS.values()))
PAIRS = [("A", "A"), ("A", "B"), ("B", "B")]


def separations(points, side):
    d = points[:, None] - points[None]
    d -= side * np.round(d / side)
    return np.sqrt((d**2).sum(-1))


def frame(rng, side):
    """Points of which no two are next to an edge, in steps of 1/1024."""
    points = rng.integers(0, int(side * 1024), (len(SPECIES), 3)) / 1024
    while True:
        r = separations(points, side)
        off = np.abs(r / GRID - np.round(r / GRID)) * GRID
        np.fill_diagonal(off, 1)
        wrong = np.argwhere(off < FAR)
        if not len(wrong):
            return points
        points[wrong[0][1]] = rng.integers(0, int(side * 1024), 3) / 1024


def of(points, species):
    return points[SPECIES == species]


def mdanalysis(frames):
    import MDAnalysis as mda
    from MDAnalysis.analysis.rdf import InterRDF

    universe = mda.Universe.empty(len(SPECIES), trajectory=False)
    boxes = np.array([[side] * 3 + [90] * 3 for side in SIDES], np.float32)
    universe.load_new(np.array(frames, np.float32), order="fac", dimensions=boxes)
    groups = {s: universe.atoms[SPECIES == s] for s in NUMBERS}
    for a, b in PAIRS:
        for norm in ("rdf", "density", "none"):
            found = InterRDF(groups[a], groups[b], nbins=BINS, range=(0, R_MAX), norm=norm).run().results
            yield from (("mdanalysis", norm, f"{a}-{b}", r, g) for r, g in zip(found.bins, found.rdf))


def freud(frames):
    import freud as of_freud

    for norm in ("exact", "finite_size"):
        for a, b in PAIRS:
            if norm == "finite_size" and a != b:
                continue
            rdf = of_freud.density.RDF(BINS, R_MAX, normalization_mode=norm)
            for points, side in zip(frames, SIDES):
                box = of_freud.box.Box.cube(side)
                first, second = (box.wrap(of(points, s) - side / 2) for s in (a, b))
                others = None if a == b else first
                rdf.compute((box, second), query_points=others, reset=False)
            yield from (("freud", norm, f"{a}-{b}", r, g) for r, g in zip(rdf.bin_centers, rdf.rdf))
            if norm == "exact":
                yield from (("freud", "n_r", f"{a}-{b}", r, n) for r, n in zip(rdf.bin_edges[1:], rdf.n_r))


def mdtraj(frames):
    import mdtraj as md

    trajectory = md.Trajectory(np.array(frames, np.float32), None)
    trajectory.unitcell_vectors = np.array([np.eye(3) * side for side in SIDES], np.float32)
    rows = {s: np.flatnonzero(SPECIES == s) for s in NUMBERS}
    for a, b in PAIRS:
        pairs = [(i, j) for i in rows[a] for j in rows[b] if a != b or i < j]
        r, g = md.compute_rdf(trajectory, pairs, r_range=(0, R_MAX), n_bins=BINS)
        yield from (("mdtraj", "rdf", f"{a}-{b}", r, g) for r, g in zip(r, g))


def write_dump(frames, folder):
    types = {name: k + 1 for k, name in enumerate(NUMBERS)}
    with open(folder / "d.dump", "w") as file:
        for k, (points, side) in enumerate(zip(frames, SIDES)):
            file.write(f"ITEM: TIMESTEP\n{k}\nITEM: NUMBER OF ATOMS\n{len(points)}\nITEM: BOX BOUNDS pp pp pp\n" + f"0 {side!r}\n" * 3)
            rows = enumerate(zip(SPECIES, points))
            file.write("ITEM: ATOMS id type x y z\n" + "".join(f"{i + 1} {types[s]} {x!r} {y!r} {z!r}\n" for i, (s, (x, y, z)) in rows))
    with open(folder / "d.data", "w") as file:
        file.write(f"fluid\n\n{len(SPECIES)} atoms\n{len(NUMBERS)} atom types\n\n" + "".join(f"0 {SIDES[0]} {a}lo {a}hi\n" for a in "xyz"))
        rows = enumerate(zip(SPECIES, frames[0]))
        file.write("\nMasses\n\n" + "".join(f"{k} 1\n" for k in types.values()) + "\nAtoms\n\n" + "".join(f"{i + 1} {types[s]} {x!r} {y!r} {z!r}\n" for i, (s, (x, y, z)) in rows))


def lammps(frames):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        types = {name: k + 1 for k, name in enumerate(NUMBERS)}
        kinds = " ".join(f"{types[a]} {types[b]}" for a, b in PAIRS)
        write_dump([p.tolist() for p in map(np.asarray, frames)], folder)
        (folder / "in.l").write_text(
            "units real\natom_style atomic\nread_data d.data\n"
            f"pair_style zero {R_MAX}\npair_coeff * *\nneighbor 0.5 bin\nneigh_modify every 1 delay 0 check no\n"
            f"comm_modify cutoff {R_MAX + 0.5}\ncompute r all rdf {BINS} {kinds}\n"
            "fix 1 all ave/time 1 1 1 c_r[*] file o.rdf mode vector start 0\nrerun d.dump dump x y z box yes\n"
        )
        subprocess.run(["lmp", "-in", "in.l", "-log", "none", "-screen", "none"], cwd=folder, check=True)
        lines = [line.split() for line in open(folder / "o.rdf") if not line.startswith("#")]
    blocks, at = [], 0
    while at < len(lines):
        rows = int(lines[at][1])
        blocks.append(np.array(lines[at + 1 : at + 1 + rows], float))
        at += 1 + rows
    mean = np.mean(blocks, 0)
    for k, (a, b) in enumerate(PAIRS):
        yield from (("lammps", "rdf", f"{a}-{b}", row[1], row[2 + 2 * k]) for row in mean)
        yield from (("lammps", "coord", f"{a}-{b}", row[1] + R_MAX / BINS / 2, row[3 + 2 * k]) for row in mean)


def gromacs(frames):
    import MDAnalysis as mda

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        universe = mda.Universe.empty(len(SPECIES), n_residues=len(SPECIES), atom_resindex=np.arange(len(SPECIES)), trajectory=True)
        universe.add_TopologyAttr("name", SPECIES)
        universe.add_TopologyAttr("resname", SPECIES)
        universe.add_TopologyAttr("resid", np.arange(1, len(SPECIES) + 1))
        with mda.Writer(str(folder / "a.trr"), len(SPECIES)) as writer:
            for k, (points, side) in enumerate(zip(frames, SIDES)):
                universe.atoms.positions, universe.dimensions = points, [side] * 3 + [90] * 3
                universe.trajectory.ts.time = float(k)
                writer.write(universe.atoms)
                if k == 0:
                    universe.atoms.write(str(folder / "a.gro"))
        for a, b in PAIRS:
            for norm in ("rdf", "number_density", "none"):
                call = ["gmx", "-quiet", "rdf", "-f", "a.trr", "-s", "a.gro", "-ref", f"name {a}", "-sel", f"name {b}"]
                call += ["-bin", repr(R_MAX / BINS / 10), "-rmax", repr(R_MAX / 10), "-norm", norm, "-xvg", "none", "-o", "o.xvg", "-cn", "cn.xvg"]
                done = subprocess.run(call, cwd=folder, capture_output=True, text=True)
                assert done.returncode == 0, done.stderr
                # Numbers are those of nm; lengths here are Angstrom.
                yield from (("gromacs", norm, f"{a}-{b}", 10 * r, g) for r, g in np.loadtxt(folder / "o.xvg"))
                if norm == "rdf":
                    yield from (("gromacs", "cn", f"{a}-{b}", 10 * r, n) for r, n in np.loadtxt(folder / "cn.xvg"))
                for file in ("o.xvg", "cn.xvg"):
                    (folder / file).unlink()


def main():
    rng = np.random.default_rng(SEED)
    frames = [frame(rng, side) for side in SIDES]
    with open(HERE / "golden_liquids_frames.csv", "w") as file:
        file.write("frame,species,x,y,z,lx,ly,lz\n")
        for k, (points, side) in enumerate(zip(frames, SIDES)):
            for species, point in zip(SPECIES, points):
                file.write(",".join([str(k), species, *map(repr, point.tolist()), *[repr(side)] * 3]) + "\n")
    with open(HERE / "golden_liquids.csv", "w") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["peer", "quantity", "pair", "r", "value"])
        for peer in (mdanalysis, freud, mdtraj, lammps, gromacs):
            for name, quantity, pair, r, value in peer(frames):
                writer.writerow([name, quantity, pair, f"{float(r):.6g}", repr(float(f"{float(value):.9g}"))])


if __name__ == "__main__":
    main()
