"""Pairs beyond half of strongly skewed, changing boxes: albireo, MDAnalysis and CADISHI beside a search of 9x9x9 images in float64.

    cargo build --release -p albireo-cli
    pip install MDAnalysis MDAnalysisTests pyarrow
    pip install "cython<3" "setuptools<60" wheel "numpy<2" future && pip install --no-build-isolation cadishi   # does not build with Cython 3
    python tests/peers/skewed_boxes.py target/release/albireo [--cadishi PYTHON that has it]

The trajectory is MDAnalysis' own `DCD_TRICLINIC`: 125 waters as a drop, ten frames, angles from 91, 62 and 44 to 96, 71 and 32 degrees. Its boxes are symmetric
matrices. MDAnalysis makes lengths and angles of them and loses how they lie, so that it is shown twice: as its users have it, and with positions turned into the box
that it makes; so are CADISHI's, in float64. It ends with 1 if albireo's counts differ from the search in any bin of any frame.
"""

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import MDAnalysis as mda
import MDAnalysisTests.datafiles as files
import numpy as np
import pyarrow.parquet as pq
from MDAnalysis.lib import distances
from MDAnalysis.lib.formats.libdcd import DCDFile
from MDAnalysis.lib.mdamath import triclinic_vectors

warnings.simplefilter("ignore")
R_MAX, BINS = 14.0, 280
EDGES = np.linspace(0.0, R_MAX, BINS + 1)
IMAGES = np.stack(np.meshgrid(*[np.arange(-4, 5)] * 3, indexing="ij"), -1).reshape(-1, 3)
CADISHI = """
import json, sys
import numpy as np
from cadishi.kernel import pydh
sys.stdout, out = sys.stderr, sys.stdout
frames = json.load(sys.stdin)
counts = []
for frame in frames["frames"]:
    found = pydh.histograms([np.array(frame["x"])], frames["r_max"], frames["bins"], precision=sys.argv[1], box=np.array(frame["box"]))
    counts.append([int(n) for n in found[:, 1]])
json.dump(counts, out)
"""


def frames():
    """Oxygens in float64 and the box vectors (rows) of each frame, as the file has them; and what MDAnalysis makes of the box."""
    universe = mda.Universe(files.PSF_TRICLINIC, files.DCD_TRICLINIC)
    oxygens = universe.select_atoms("name OH2").indices
    with DCDFile(files.DCD_TRICLINIC) as stored:
        for frame, step in zip(stored, universe.trajectory):
            a, ab, b, ac, bc, c = frame.unitcell
            box = np.array([[a, ab, ac], [ab, b, bc], [ac, bc, c]])
            yield frame.xyz[oxygens], box, step.dimensions.copy()


def by_search(x, box):
    """Counts by the nearest of 9x9x9 images of each pair."""
    i, j = np.triu_indices(len(x), 1)
    d = x[i].astype("f8") - x[j].astype("f8")
    r2 = np.full(len(d), np.inf)
    for t in IMAGES @ box:
        r2 = np.minimum(r2, ((d + t) ** 2).sum(1))
    return np.histogram(np.sqrt(r2), EDGES)[0]


def by_albireo(program):
    with tempfile.TemporaryDirectory() as folder:
        each = Path(folder) / "each.parquet"
        call = [program, "rdf", files.DCD_TRICLINIC, "--topology", files.PSF_TRICLINIC, "--species", "name", "--pairs", "OH2-OH2", "--r-max", str(R_MAX),
                "--n-bins", str(BINS), "--beyond-half", "--block-counts", each, "-o", Path(folder) / "g.csv"]
        subprocess.run(call, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return np.array(pq.read_table(each)["npairs"]).reshape(-1, BINS)


def by_mdanalysis(x, dimensions, capped):
    if capped:
        found = distances.self_capped_distance(x, R_MAX, box=dimensions)[1]
    else:
        found = distances.self_distance_array(x, box=dimensions)
    return np.histogram(found[found < R_MAX], EDGES)[0]


def turned(x, box, dimensions):
    """Positions in the frame of the box that MDAnalysis makes: the first vector along x, the second in the plane of x and y."""
    turn = np.linalg.solve(box, triclinic_vectors(dimensions).astype("f8"))
    return (x.astype("f8") @ turn).astype("f4")


def by_cadishi(python, all_frames, precision):
    # Pairs beyond its last bin are an error for CADISHI.
    told = {"r_max": 2 * R_MAX, "bins": 2 * BINS, "frames": []}
    for x, box, _ in all_frames:
        lower = np.linalg.cholesky(box @ box.T)
        turned = x.astype("f8") @ np.linalg.solve(box, lower)
        told["frames"].append({"x": turned.tolist(), "box": lower.tolist()})
    run = subprocess.run([python, "-c", CADISHI, precision], input=json.dumps(told), capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"CADISHI cannot be run: {run.stderr.strip().splitlines()[-1]}")
    return np.array(json.loads(run.stdout))[:, :BINS]


def shortest(box):
    lengths = np.sqrt(((IMAGES @ box) ** 2).sum(1))
    return lengths[lengths > 0].min()


def report(name, found, expected, halves):
    off = found.astype("i8") - expected
    wrong = [EDGES[np.nonzero(row)[0][0]] for row in off if row.any()]
    lower = EDGES[:-1][None, :] < halves[:, None] - 0.05
    told = f"{np.abs(off).sum()} counts off"
    if wrong:
        told += f", from {min(wrong):.2f} A on, {np.abs(off * lower).sum()} of them within half the shortest vector"
    print(f"{name:56s}{found.sum():7d} pairs, {told}")
    return np.abs(off).sum()


def main():
    program, *rest = sys.argv[1:]
    python = rest[1] if rest[:1] == ["--cadishi"] else None
    all_frames = list(frames())
    expected = np.array([by_search(x, box) for x, box, _ in all_frames])
    halves = np.array([shortest(box) / 2 for _, box, _ in all_frames])
    print(f"half the shortest vector: {halves.min():.2f} to {halves.max():.2f} A; bins of {R_MAX / BINS} A to {R_MAX} A, {len(all_frames)} frames")
    report("9x9x9 images, float64", expected, expected, halves)
    wrong = report("albireo rdf --beyond-half", by_albireo(program), expected, halves)
    for capped, name in [(False, "self_distance_array"), (True, "self_capped_distance")]:
        for turn, how in [(False, ""), (True, ", turned into its box")]:
            try:
                counts = [by_mdanalysis(turned(x, box, size) if turn else x, size, capped) for x, box, size in all_frames]
                report(f"MDAnalysis {name}{how}", np.array(counts), expected, halves)
            except ValueError as error:
                print(f"MDAnalysis {name} refuses: {error}")
                break
    for precision in ["single", "double"] if python else []:
        report(f"CADISHI {precision}, turned likewise", by_cadishi(python, all_frames, precision), expected, halves)
    if not python:
        print("CADISHI: not asked for (--cadishi PYTHON)")
    sys.exit(wrong != 0)


main()
