"""Maps by albireo beside plain loops in C, in turns: the water of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277), 96,603 atoms in 10^6 cubic
Angstrom, 200^3 points 0.5 apart, cutoff 12.

    cargo build --release
    pip install numpy
    python benches/map_loops.py target/release/albireo [--rounds 3] [--threads 2] [--folder /tmp]

The loops are benches/map_loops.c, compiled by gcc -Ofast -march=native for registers of 512 bits. Printed are the best seconds of whole commands, which
read atoms as text and write a map, and of the loops alone (those of albireo's sums alone are in `cargo bench --bench fields -- 1e6`), the ratios of
commands that ran one after the other, and how far maps lie apart: float32 maps and albireo's from the float64 loop, at points farther than r_min from
all atoms. It ends with 1 if maps in double precision are farther apart than 1e-10 and, where they are above 1e-4, than 1e-6 of themselves, or those in
single precision than 0.48 %.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SIDE, SPACING, CUTOFF, MOLECULES = 100.0, 0.5, 12.0, 32_201
POINTS = round(SIDE / SPACING)
R_MIN = 0.1
LOOPS = Path(__file__).with_name("map_loops.c")


def write_water(path):
    """Oxygens at random, two hydrogens each in random directions; the atoms."""
    rng = np.random.default_rng(1)
    oxygen = rng.uniform(0, SIDE, (MOLECULES, 3))
    bonds = rng.normal(size=(2, MOLECULES, 3))
    bonds *= 0.9572 / np.linalg.norm(bonds, axis=2, keepdims=True)
    # Molecule by molecule, as files have them: the loops come back to what is in the caches.
    atoms = np.stack([oxygen, oxygen + bonds[0], oxygen + bonds[1]], 1).reshape(-1, 3)
    charges = np.tile([-0.834, 0.417, 0.417], MOLECULES)
    np.savetxt(path, np.column_stack([atoms, charges]), fmt="%.17g", delimiter=",", header="x,y,z,q", comments="")
    return atoms


def away_from(atoms):
    """Where no atom is closer than a little more than r_min."""
    away = np.ones((POINTS,) * 3, bool)
    nearest = np.rint(atoms / SPACING - 0.5).astype(int)
    inside = ((nearest >= 0) & (nearest < POINTS)).all(1)
    apart = np.linalg.norm((nearest + 0.5) * SPACING - atoms, axis=1)
    away[tuple(nearest[inside & (apart < 1.01 * R_MIN)].T)] = False
    return away


def timed(words):
    """The seconds of a command, and what came of it."""
    begun = time.monotonic()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
    return time.monotonic() - begun, done


def loops(folder, water, precision, threads):
    program, out = folder / f"loops_{precision}", folder / f"loops_{precision}.map"
    if not program.exists():
        kind = {"double": ["-DREAL=double"], "single": ["-DREAL=float", "-DSINGLE"]}[precision]
        flags = ["-Ofast", "-march=native", "-mprefer-vector-width=512", *kind]
        subprocess.run(["gcc", *flags, "-o", program, LOOPS, "-lpthread", "-lm"], check=True)
    words = [program, water, CUTOFF, SPACING, POINTS, threads, out]
    whole, done = timed(words)
    return whole, float(done.stdout), out


def albireo(program, folder, water, precision, threads):
    out = folder / f"albireo_{precision}.npy"
    middle = f"{SPACING / 2}," * 2 + str(SPACING / 2)
    words = [program, "field", water, "--box", "none", "--weight", "q", "--cutoff", CUTOFF, "--r-min", R_MIN, "--origin", middle]
    words += ["--spacing", SPACING, "--size", f"{POINTS},{POINTS},{POINTS}", "--engine", "cpu", "--threads", threads]
    words += ["--precision", precision, "-q", "-o", out]
    return timed(words)[0], None, out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        folder = Path(folder)
        water = folder / "water.csv"
        away = away_from(write_water(water))
        found, maps = {}, {}
        for _ in range(given.rounds):
            for precision in ("double", "single"):
                for name, run in (("loops", loops), ("albireo", lambda *words: albireo(given.program, *words))):
                    seconds, inner, out = run(folder, water, precision, given.threads)
                    found.setdefault((name, precision), []).append((seconds, inner))
                    maps[name, precision] = out
        for (name, precision), seen in found.items():
            inner = [part for _, part in seen if part]
            print(f"{name} {precision}: {min(seconds for seconds, _ in seen):.3f} s" + (f", loops alone {min(inner):.3f} s" if inner else ""))
        for precision in ("double", "single"):
            ratios = [a / b for (a, _), (b, _) in zip(found["loops", precision], found["albireo", precision])]
            print(f"{precision}: loops over albireo {', '.join(f'{ratio:.2f}' for ratio in ratios)}")
        expected = np.fromfile(maps["loops", "double"], np.float64).reshape((POINTS,) * 3)[away]
        large, good = np.abs(expected) > 1e-4, True
        for key, path in maps.items():
            kind = np.float64 if key[1] == "double" else np.float32
            values = np.load(path) if key[0] == "albireo" else np.fromfile(path, kind).reshape((POINTS,) * 3)
            apart = np.abs(values[away] - expected)
            relative = (apart[large] / np.abs(expected[large])).max()
            print(f"{key[0]} {key[1]}: at most {apart.max():.3g} from the float64 loop, {relative:.3g} of it where it is above 1e-4")
            if key == ("albireo", "double"):
                good &= apart.max() <= 1e-10 and relative <= 1e-6
            if key == ("albireo", "single"):
                good &= relative <= 0.0048
        sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
