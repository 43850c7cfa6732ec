"""Compares what albireo reads of trajectories with what MDAnalysis reads, bit for bit, on all files of MDAnalysis' own tests.

    cargo build --release -p albireo-catalogs --example frame_values
    pip install MDAnalysis MDAnalysisTests gsd
    python tests/peers/trajectories.py target/release/examples/frame_values [part of a file's name ..]

Positions must have the same bits (MDAnalysis without conversion of units), boxes the same lengths and angles to 1e-6. It ends with 1 if anything differs, or if
albireo refuses a file that MDAnalysis reads and that is not among those that should be refused.
"""

import bz2
import gzip
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import MDAnalysis as mda
import MDAnalysisTests
import numpy as np

warnings.simplefilter("ignore")
FOLDER = Path(MDAnalysisTests.__file__).parent / "data"


class Peer:
    """Frames as a reader of MDAnalysis gives them: positions, and lengths and angles of the box or None."""

    def __init__(self, reader, exact=True):
        self.reader, self.exact = reader, exact

    def frames(self, path):
        with self.reader(str(path), convert_units=False) as frames:
            for step in frames:
                if getattr(step, "has_positions", True):
                    yield step.positions, step.dimensions

    def same(self, number, positions, expected):
        """For each coordinate whether it has the bits expected."""
        rounded = positions if self.exact else positions.astype(expected.dtype).astype("f8")
        return rounded.view("u8") == expected.astype("f8").view("u8")


class NetCdf(Peer):
    """MDAnalysis keeps float32; what a file has as float64 or scales is rounded for it."""

    def frames(self, path):
        with self.reader(str(path), convert_units=False) as frames:
            stored = frames.trjfile.variables["coordinates"]
            self.exact = stored[:].dtype.itemsize == 4 and not hasattr(stored, "scale_factor")
            for step in frames:
                yield step.positions, step.dimensions


class Gsd(Peer):
    """The box of HOOMD's own reader: MDAnalysis takes tilt factors for cosines."""

    def frames(self, path):
        import gsd.hoomd

        with gsd.hoomd.open(str(path)) as frames:
            for step in frames:
                lx, ly, lz, xy, xz, yz = map(float, step.configuration.box)
                vectors = np.array([[lx, 0, 0], [xy * ly, ly, 0], [xz * lz, yz * lz, lz]])
                yield step.particles.position, lengths_and_angles(vectors)


class LammpsDump(Peer):
    """MDAnalysis moves the box's corner to the origin; of scaled positions it takes the corner off without having added it, and computes in float32."""

    def __init__(self):
        super().__init__(mda.coordinates.LAMMPS.DumpReader, exact=False)

    def frames(self, path):
        lines = text_of(path).splitlines()
        self.corners = []
        for at, line in enumerate(lines):
            if line.startswith("ITEM: BOX BOUNDS"):
                (x, *_, xy), (y, *_, xz), (z, *_, yz) = [[*map(float, row.split()), 0.0][:4] for row in lines[at + 1 : at + 4]]
                if "xy xz yz" in line:
                    xy, xz, yz = [float(row.split()[2]) for row in lines[at + 1 : at + 4]]
                    x, y = x - min(0, xy, xz, xy + xz), y - min(0, yz)
                self.corners.append(np.array([x, y, z]))
        columns = next(line for line in lines if line.startswith("ITEM: ATOMS")).split()
        self.scaled = "xs" in columns and "x" not in columns
        count = int(lines[3])
        with self.reader(str(path), n_atoms=count, convert_units=False) as frames:
            for step in frames:
                yield step.positions, step.dimensions

    def same(self, number, positions, expected):
        corner = self.corners[number]
        if self.scaled:
            return np.isclose(positions - corner, expected + corner, rtol=1e-6, atol=1e-5)
        moved = positions.astype("f4")
        moved -= corner[None, :]
        return moved.view("u4") == expected.view("u4")


class H5md(Peer):
    """The number of atoms has to be said first."""

    def frames(self, path):
        import h5py

        with h5py.File(path) as file:
            count = next(iter(file["particles"].values()))["position/value"].shape[1]
        with self.reader(str(path), n_atoms=count, convert_units=False) as frames:
            for step in frames:
                yield step.positions, step.dimensions


def text_of(path):
    return (gzip.open if path.suffix == ".gz" else open)(path, "rt").read()


# Endings and who reads them. A format is a line.
FORMATS = {
    "xtc": Peer(mda.coordinates.XTC.XTCReader),
    "trr": Peer(mda.coordinates.TRR.TRRReader),
    "dcd": Peer(mda.coordinates.DCD.DCDReader),
    "nc": NetCdf(mda.coordinates.TRJ.NCDFReader),
    "ncdf": NetCdf(mda.coordinates.TRJ.NCDFReader),
    "gsd": Gsd(None),
    # Text: decimals as the nearest float64, rounded to float32 for the comparison; and float64 of HDF5.
    **dict.fromkeys(["lammpstrj", "lammpstrj_long", "dump"], LammpsDump()),
    "h5md": H5md(mda.coordinates.H5MD.H5MDReader, exact=False),
    "gro": Peer(mda.coordinates.GRO.GROReader, exact=False),
    **dict.fromkeys(["pdb", "ent"], Peer(mda.coordinates.PDB.PDBReader, exact=False)),
    "xyz": Peer(mda.coordinates.XYZ.XYZReader, exact=False),
}

# Files that albireo should refuse although MDAnalysis reads something, and why.
REFUSED = {
    # Rows with a field more than columns, of which MDAnalysis takes the first ones for positions.
    "wat.lammpstrj_long": "expected 5 fields of a particle and no more",
}
# Files of which MDAnalysis reads the first frame only.
LONGER = {"two_water_gro_multiframe.gro"}


def lengths_and_angles(vectors):
    a, b, c = vectors
    lengths = np.linalg.norm(vectors, axis=1)
    cosine = lambda u, v: u @ v / (np.linalg.norm(u) * np.linalg.norm(v))
    angles = np.degrees(np.arccos([cosine(b, c), cosine(a, c), cosine(a, b)]))
    return np.concatenate([lengths, angles])


def ours(binary, path):
    """Frames as albireo gives them, or what it says instead."""
    with tempfile.TemporaryFile() as out:
        run = subprocess.run([binary, str(path)], stdout=out, stderr=subprocess.PIPE, text=True)
        if run.returncode:
            return None, run.stderr.strip()
        out.seek(0)
        values = np.frombuffer(out.read(), "<f8")
    frames, at = [], 0
    while at < len(values):
        count, boxed = int(values[at]), values[at + 1] == 1
        vectors = values[at + 2 : at + 11].reshape(3, 3)
        positions = values[at + 11 : at + 11 + 3 * count].reshape(count, 3)
        frames.append((positions, vectors if boxed else None))
        at += 11 + 3 * count
    return frames, None


def difference(number, own, theirs, peer):
    """What differs in a frame, or None."""
    (positions, vectors), (expected, box) = own, theirs
    if positions.shape != expected.shape:
        return f"frame {number}: shape {positions.shape}, expected {expected.shape}"
    expected = np.asarray(expected)
    same = peer.same(number, positions, expected)
    if not same.all():
        return f"frame {number}: {(~same).any(axis=1).sum()} positions differ"
    if (vectors is None) != (box is None or not np.any(box[:3])):
        return f"frame {number}: box {vectors}, expected {box}"
    if vectors is not None and not np.allclose(lengths_and_angles(vectors), box, rtol=1e-6, atol=0):
        return f"frame {number}: box {lengths_and_angles(vectors)}, expected {box}"
    return None


def compare(binary, path, peer):
    """The outcome for a file, and whether it is as it should be."""
    frames, refusal = ours(binary, path)
    try:
        theirs = list((positions.copy(), None if box is None else np.array(box)) for positions, box in peer.frames(path))
    except Exception as error:
        return f"MDAnalysis refuses ({str(error).splitlines()[0][:80]}); albireo: {refusal or f'{len(frames)} frames'}", True
    if refusal:
        return f"refused: {refusal}", REFUSED.get(path.name, "?") in refusal
    if len(frames) != len(theirs) and path.name not in LONGER:
        return f"DIFFERS: {len(frames)} frames, expected {len(theirs)}", False
    for number, (own, expected) in enumerate(zip(frames, theirs)):
        found = difference(number, own, expected, peer)
        if found:
            return f"DIFFERS: {found}", False
    how = "equal" if peer.exact else "equal as float32"
    return f"{how}: {len(frames)} frames of {len(frames[0][0]) if frames else 0}", True


def ending(path):
    """The end of a name, without that of a compressed file."""
    plain = path.with_suffix("") if path.suffix in (".gz", ".bz2") else path
    return plain.suffix[1:].lower()


def unpacked(path, folder):
    """The file itself, or what a bzip2 file holds: albireo reads gzip only."""
    if path.suffix != ".bz2":
        return path
    plain = Path(folder) / path.stem
    try:
        plain.write_bytes(bz2.open(path).read())
    except OSError:
        # Some are named so and are not.
        plain.write_bytes(path.read_bytes())
    return plain


def main():
    binary, *parts = sys.argv[1:]
    paths = sorted(path for path in FOLDER.rglob("*") if ending(path) in FORMATS and path.is_file())
    paths = [path for path in paths if not parts or any(part in path.name for part in parts)]
    wrong = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            outcome, right = compare(binary, unpacked(path, folder), FORMATS[ending(path)])
        wrong += not right
        print(f"{path.relative_to(FOLDER)}: {outcome}", flush=True)
    print(f"{len(paths)} files, {wrong} wrong")
    sys.exit(wrong > 0 or not paths)


if __name__ == "__main__":
    main()
