"""A large map: its memory beside the file, and the same bytes after kill -9.

    cargo build --release
    pip install numpy pyarrow
    python tests/peers/large_map.py target/release/albireo [--side 360] [--planes N] [--kill-after 100] [--folder /tmp]

Water of 1/31 molecules a cubic Angstrom in a cube of that side (360: 4.5 million atoms), the potential of its charges with a cutoff of 12 at points 0.5 apart
(360: 720^3 points, a file of 3 GB), double precision, on the processor. One run is left alone and its largest resident set must stay below 1 GB; the other is
killed with SIGKILL after so many seconds, each time a fifth more, and run again with --resumable, until it ends; both files are compared byte for byte. `--planes` makes the first of
them only. It ends with 1 if anything fails.
"""

import argparse
import filecmp
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

MOST_MEMORY = 1 << 30


def write_water(path, side):
    """Oxygens on a shaken lattice, hydrogens 0.957 from them in random directions, charges of TIP3P."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    cells = round(side / 31 ** (1 / 3))
    rng = np.random.default_rng(1)
    axis = (np.arange(cells) + 0.5) * side / cells
    oxygen = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    oxygen += rng.uniform(-0.3, 0.3, oxygen.shape)
    bonds = rng.normal(size=(2, *oxygen.shape))
    bonds *= 0.957 / np.linalg.norm(bonds, axis=2, keepdims=True)
    atoms = np.stack([oxygen, oxygen + bonds[0], oxygen + bonds[1]], 1).reshape(-1, 3) % side
    charges = np.tile([-0.834, 0.417, 0.417], len(oxygen))
    pq.write_table(pa.table(dict(zip("xyz", atoms.T)) | {"q": charges}), path)
    return len(atoms)


def run(words, seconds=None):
    """The exit status of a command, killed after so many seconds, and its largest resident set."""
    child = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    end = time.monotonic() + seconds if seconds else None
    while True:
        done, status, usage = os.wait4(child.pid, 0 if end is None else os.WNOHANG)
        if done:
            child.returncode = os.waitstatus_to_exitcode(status)
            return child.returncode, usage.ru_maxrss * 1024
        if time.monotonic() > end:
            child.kill()
            end = None
        else:
            time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--side", type=float, default=360.0)
    parser.add_argument("--planes", type=int)
    parser.add_argument("--kill-after", type=float, default=100.0)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    points = round(2 * given.side)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        water, whole, killed = (Path(folder) / name for name in ("water.parquet", "whole.npy", "killed.npy"))
        atoms = write_water(water, given.side)
        words = [given.program, "field", water, "--box", "none", "--weight", "q", "--cutoff", "12", "--engine", "cpu", "--spacing", "0.5"]
        words += ["--origin", "0.25,0.25,0.25", "--size", f"{given.planes or points},{points},{points}", "-o"]
        words = [str(word) for word in words]
        begun = time.monotonic()
        code, memory = run([*words, str(whole)])
        print(f"{atoms} atoms, {whole.stat().st_size} bytes: {time.monotonic() - begun:.0f} s, largest resident set {memory / 1e6:.0f} MB", flush=True)
        good, kills = code == 0 and memory < MOST_MEMORY, 0
        while good and not killed.exists():
            code, memory = run([*words, str(killed), "--resumable"], given.kill_after * 1.2**kills)
            good = memory < MOST_MEMORY and code in (0, -9)
            kills += code == -9
        good = good and filecmp.cmp(whole, killed, shallow=False)
        print(f"killed {kills} times: {'the same bytes' if good else 'FAILED'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
