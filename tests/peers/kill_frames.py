"""Long trajectories: memory, frames/s of its own CPU time from the first quarter to the last, and the same integers after kill -9.

    cargo build --release
    pip install numpy pyarrow h5py MDAnalysis
    python tests/peers/kill_frames.py target/release/albireo --gigabytes 10 --formats xtc parquet [--kills 10] [--folder /tmp]

For each format a trajectory of that size is made of seeded positions (XTC and DCD by MDAnalysis, HDF5 by h5py, Parquet by pyarrow, a LAMMPS dump as text) and
counted three times: undisturbed, with its memory watched (the largest resident set must stay below 1 GB) and its checkpoint polled for the number of frames
counted and the CPU time spent, which other work on the machine changes little; by a run that is killed with SIGKILL at seeded moments and run again, until it ends; and the files of both are compared byte for byte.
A small form of the last part is among the program's tests. It ends with 1 if anything fails.
"""

import argparse
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

SEED = 20_261_122
SPECIES = ["O", "H", "H"]
DISTINCT = 8
"""Frames that differ; the others repeat them."""


def frames_of(atoms):
    """Positions of a few frames in a cube of the density of water, in Angstrom, and its side."""
    side = (atoms / 0.1) ** (1 / 3)
    rng = np.random.default_rng(SEED)
    return [rng.random((atoms, 3), dtype=np.float32) * np.float32(side) for _ in range(DISTINCT)], side


def write_parquet(path, atoms, count):
    import pyarrow as pa
    import pyarrow.parquet as pq

    frames, side = frames_of(atoms)
    species = pa.array([SPECIES[k % 3] for k in range(atoms)]).dictionary_encode().cast(pa.string())
    schema = pa.schema([("frame", pa.int64()), ("species", pa.string())] + [(x, pa.float32()) for x in "xyz"])
    with pq.ParquetWriter(path, schema) as writer:
        for k in range(count):
            columns = [pa.array(np.full(atoms, k)), species] + [pa.array(x) for x in frames[k % DISTINCT].T.copy()]
            writer.write_table(pa.table(columns, schema=schema))
    boxes = {"frame": np.arange(count)} | {f"l{x}": np.full(count, side) for x in "xyz"}
    pq.write_table(pa.table(boxes), str(path).replace(".parquet", ".box.parquet"))


def write_mdanalysis(path, atoms, count):
    import MDAnalysis as mda

    frames, side = frames_of(atoms)
    universe = mda.Universe.empty(atoms, trajectory=True)
    with mda.Writer(str(path), atoms) as writer:
        for k in range(count):
            universe.atoms.positions = frames[k % DISTINCT]
            universe.dimensions = [side] * 3 + [90] * 3
            writer.write(universe.atoms)


def write_h5md(path, atoms, count):
    import h5py

    frames, side = frames_of(atoms)
    with h5py.File(path, "w") as file:
        file.create_group("h5md").attrs["version"] = [1, 1]
        group = file.create_group("particles/all")
        box = group.create_group("box")
        box.attrs["dimension"] = 3
        box.attrs.create("boundary", ["periodic"] * 3, dtype=h5py.string_dtype())
        box["edges"] = [side] * 3
        position = group.create_group("position")
        position["step"] = np.arange(count)
        values = position.create_dataset("value", (count, atoms, 3), "f4", chunks=(1, atoms, 3))
        for k in range(count):
            values[k] = frames[k % DISTINCT]


def write_lammps(path, atoms, count):
    frames, side = frames_of(atoms)
    rows = []
    for frame in frames:
        rows.append("".join(f"{k + 1} {SPECIES[k % 3]} {x:.5f} {y:.5f} {z:.5f}\n" for k, (x, y, z) in enumerate(frame)))
    with open(path, "w") as file:
        for k in range(count):
            file.write(f"ITEM: TIMESTEP\n{k}\nITEM: NUMBER OF ATOMS\n{atoms}\nITEM: BOX BOUNDS pp pp pp\n")
            file.write(f"0 {side!r}\n" * 3 + "ITEM: ATOMS id element x y z\n" + rows[k % DISTINCT])


FORMATS = {
    "parquet": (".parquet", write_parquet),
    "xtc": (".xtc", write_mdanalysis),
    "dcd": (".dcd", write_mdanalysis),
    "h5md": (".h5md", write_h5md),
    "lammps": (".lammpstrj", write_lammps),
}


def made(name, atoms, size, folder):
    """A trajectory of about so many bytes, and its number of frames."""
    ending, write = FORMATS[name]
    trial = folder / f"trial{ending}"
    write(trial, atoms, 2 * DISTINCT)
    count = max(40, round(size / (trial.stat().st_size / (2 * DISTINCT))))
    path = folder / f"long{ending}"
    write(path, atoms, count)
    return path, count


def counted(checkpoint):
    """Frames in a checkpoint; 0 where there is none."""
    try:
        with open(checkpoint, "rb") as file:
            return struct.unpack_from("<Q", file.read(176), 168)[0]
    except (FileNotFoundError, struct.error):
        return 0


def spent(pid):
    """CPU seconds of a process so far."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rates(points, count):
    """Frames/s of each quarter from (CPU seconds, frames) as polled."""
    ends = [points[0][0]]
    for quarter in range(1, 5):
        wanted = quarter * count / 4
        (t0, n0), (t1, n1) = next((a, b) for a, b in zip(points, points[1:]) if b[1] >= wanted)
        ends.append(t0 + (t1 - t0) * (wanted - n0) / max(n1 - n0, 1))
    return [count / 4 / max(b - a, 1e-9) for a, b in zip(ends, ends[1:])]


def undisturbed(call, checkpoint, count):
    """Runs to the end: seconds, largest resident set in MB, frames by CPU second of each quarter."""
    points, over = [(0.0, 0)], threading.Event()
    start = time.perf_counter()
    child = subprocess.Popen(call, stdout=subprocess.DEVNULL)

    def poll():
        while not over.wait(0.02):
            cpu, frames = spent(child.pid), counted(checkpoint)
            if cpu is not None and frames > points[-1][1]:
                points.append((cpu, frames))

    thread = threading.Thread(target=poll)
    thread.start()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    over.set()
    thread.join()
    assert status == 0, f"{call}: exit status {status}"
    points.append((usage.ru_utime + usage.ru_stime, count))
    return seconds, usage.ru_maxrss / 1024, rates(points, count)


def killed(call, kills, seconds, seed):
    """Kills the run so often at drawn moments, then lets it end; says how many frames it had each time."""
    draw, had = random.Random(seed), []
    checkpoint = call[call.index("--checkpoint") + 1]
    for _ in range(kills):
        child = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.02, 1.5 * seconds / kills))
        child.send_signal(signal.SIGKILL)
        if child.wait() == 0:
            break
        had.append(counted(checkpoint))
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return had


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--formats", nargs="*", default=list(FORMATS), choices=list(FORMATS))
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--atoms", type=int, default=30_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--r-max", type=float, default=4.0, help="Angstrom")
    parser.add_argument("--folder", default=None)
    asked = parser.parse_args()
    failures = 0
    for name in asked.formats:
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            folder = Path(folder)
            path, count = made(name, asked.atoms, asked.gigabytes * 1e9, folder)
            # XTC is in nm.
            r_max = asked.r_max / 10 if name == "xtc" else asked.r_max
            bins = ["--r-max", repr(r_max), "--n-bins", "80"]
            call = [asked.program, "rdf", str(path), *bins, "--brief", "--checkpoint-every", "0.2"]
            whole = [*call, "--checkpoint", str(folder / "whole.bin"), "-o", str(folder / "whole.csv")]
            seconds, memory, quarters = undisturbed(whole, folder / "whole.bin", count)
            again = [*call, "--checkpoint", str(folder / "again.bin"), "-o", str(folder / "again.csv")]
            had = killed(again, asked.kills, seconds, SEED)
            same = (folder / "whole.csv").read_bytes() == (folder / "again.csv").read_bytes()
            steady = min(quarters[1:]) > 0.7 * max(quarters[:1] + [sorted(quarters)[2]])
            size = path.stat().st_size / 1e9
            print(
                f"{name:8} {size:.2f} GB, {count} frames of {asked.atoms}: {seconds:.1f} s, {memory:.0f} MB,"
                f" frames by CPU second in each quarter {' '.join(f'{rate:.1f}' for rate in quarters)}{'' if steady else ' FALLS'};"
                f" killed {len(had)} times at frames {had}: {'same bytes' if same else 'OTHER INTEGERS'}",
                flush=True,
            )
            failures += (not same) + (memory > 1000) + (not steady)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
