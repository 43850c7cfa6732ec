"""Compares what albireo reads of trajectories with what MDAnalysis reads, bit for bit, on all files of MDAnalysis' own tests.

    cargo build --release -p albireo-catalogs --example frame_values
    pip install MDAnalysis MDAnalysisTests gsd
    python tests/peers/trajectories.py target/release/examples/frame_values [part of a file's name ..]

Positions must have the same bits (MDAnalysis without conversion of units), boxes the same lengths and angles to 1e-6. It ends with 1 if anything differs, or if
albireo refuses a file that MDAnalysis reads and that is not among those that should be refused.
"""

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


# Endings and who reads them. A format is a line.
FORMATS = {
    "xtc": Peer(mda.coordinates.XTC.XTCReader),
    "trr": Peer(mda.coordinates.TRR.TRRReader),
    "dcd": Peer(mda.coordinates.DCD.DCDReader),
    "nc": NetCdf(mda.coordinates.TRJ.NCDFReader),
    "ncdf": NetCdf(mda.coordinates.TRJ.NCDFReader),
    "gsd": Gsd(None),
}

# Files that albireo should refuse although MDAnalysis reads something, and why.
REFUSED = {}


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


def difference(number, own, theirs, exact):
    """What differs in a frame, or None."""
    (positions, vectors), (expected, box) = own, theirs
    if positions.shape != expected.shape:
        return f"frame {number}: shape {positions.shape}, expected {expected.shape}"
    expected = np.asarray(expected)
    rounded = positions if exact else positions.astype(expected.dtype).astype("f8")
    same = rounded.view("u8") == expected.astype("f8").view("u8")
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
    if len(frames) != len(theirs):
        return f"DIFFERS: {len(frames)} frames, expected {len(theirs)}", False
    for number, (own, expected) in enumerate(zip(frames, theirs)):
        found = difference(number, own, expected, peer.exact)
        if found:
            return f"DIFFERS: {found}", False
    how = "equal" if peer.exact else "equal as float32"
    return f"{how}: {len(frames)} frames of {len(frames[0][0]) if frames else 0}", True


def main():
    binary, *parts = sys.argv[1:]
    paths = sorted(path for path in FOLDER.rglob("*") if path.suffix[1:].lower() in FORMATS)
    paths = [path for path in paths if not parts or any(part in path.name for part in parts)]
    wrong = 0
    for path in paths:
        outcome, right = compare(binary, path, FORMATS[path.suffix[1:].lower()])
        wrong += not right
        print(f"{path.relative_to(FOLDER)}: {outcome}", flush=True)
    print(f"{len(paths)} files, {wrong} wrong")
    sys.exit(wrong > 0 or not paths)


if __name__ == "__main__":
    main()
