#!/usr/bin/env python3
"""What Python adds to a count: seconds of a call, memory, the time of `import albireo`, and InterRDF beside MDAnalysis'. On a quiet machine.

    pip install . MDAnalysis
    cargo build --release --example count_columns
    python benches/python.py [--rust target/release/examples/count_columns] [--number 1000000] [--repeats 7] [--atoms 4000] [--frames 3] [CASE ..]

Cases. `calls`: `albireo.count` of N points in a box of side 1, 20 bins to 0.02, on the processor and by `auto`, in turns with the same call in Rust; the
overhead in % (aims: 5 for contiguous float64 columns, 15 for (N, 3) float32) is the median of the ratios of neighbouring calls. `memory`: the most memory that processes of their own hold (VmHWM) when they count by this package, columns and (N, 3)
float32, over that of the same count of an HDF5 file of the same points (h5py writes it); each less what one of two points holds (aim: 1.1).
`import`: seconds of `import albireo` beyond those of `import numpy`, interpreters in turn (aim: 0.03 s). `rdf`: InterRDF of MDAnalysis and
ours on one thread, A x A atoms at 12 Angstrom in a box of 60 (aim: 50 times). Medians; counts are compared in every case.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

import numpy as np

import albireo

BINS = np.linspace(0.0, 0.02, 21)
SEED = 20_261_123


def points(number):
    return np.random.default_rng(SEED).random((number, 3))


def forms(rows):
    """The same points as a caller may hold them; float32 ones are others."""
    return {
        "float64 columns": tuple(np.ascontiguousarray(column) for column in rows.T),
        "(N, 3) float64": rows,
        "(N, 3) float32": rows.astype(np.float32),
    }


class Rust:
    """The same call in Rust, made by a process that waits for a line."""

    def __init__(self, program, folder, columns):
        paths = [os.path.join(folder, name) for name in "xyz"]
        for path, column in zip(paths, columns):
            np.ascontiguousarray(column, dtype=np.float64).tofile(path)
        self.process = subprocess.Popen([program, *paths], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def count(self):
        """Seconds and pairs."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        seconds, pairs = self.process.stdout.readline().split()
        return float(seconds), int(pairs)


def calls(given):
    """Overhead of calls."""
    import tempfile

    for name, sample in forms(points(given.number)).items():
        columns = sample if isinstance(sample, tuple) else sample.T
        taken = {"cpu": [], "auto": [], "rust": []}
        with tempfile.TemporaryDirectory() as folder:
            rust = Rust(given.rust, folder, columns)
            for _ in range(given.repeats + 1):
                for engine in ("cpu", "auto"):
                    start = time.perf_counter()
                    pairs = albireo.count(sample, bins=BINS, box=1.0, engine=engine).npairs
                    taken[engine].append(time.perf_counter() - start)
                seconds, expected = rust.count()
                taken["rust"].append(seconds)
                assert pairs.sum() == expected, "both count the same pairs"
            rust.process.communicate()
        # The first call starts threads.
        beyond = {engine: statistics.median(100 * (call / seconds - 1) for call, seconds in list(zip(taken[engine], taken["rust"]))[1:])
                  for engine in ("cpu", "auto")}
        medians = {engine: 1e3 * statistics.median(seconds[1:]) for engine, seconds in taken.items()}
        print(f"calls, {name}: Rust {medians['rust']:.1f} ms; cpu {medians['cpu']:.1f} ms, {beyond['cpu']:.1f} % beyond; auto "
              f"{medians['auto']:.1f} ms, {beyond['auto']:.1f} %")


# A process that holds a sample, counts it, and says how much memory it has held at most, in KiB. Of `idle` it counts next to nothing.
MEMORY = """
import sys, numpy as np, albireo
form, path = sys.argv[1:]
if form == "idle":
    sample = np.array([[0.2, 0.2, 0.2], [0.2, 0.2, 0.21]])
elif form == "file":
    sample = path
else:
    rows = np.load(path)
    sample = tuple(rows) if form == "columns" else rows
pairs = albireo.count(sample, bins=np.linspace(0.0, 0.02, 21), box=1.0).npairs
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(status["VmHWM"].split()[0], pairs.sum())
"""


def held(form, path):
    """MiB that such a process has held at most, and the pairs that it has counted."""
    command = [sys.executable, "-c", MEMORY, form, path]
    peak, pairs = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(peak) / 1024, int(pairs)


def memory(given):
    """Peak memory of counts, each in a process of its own, beside that of a count of a file."""
    import tempfile

    import h5py

    rows = points(given.number).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        paths = {form: os.path.join(folder, form) for form in ("idle", "file", "columns", "rows")}
        np.save(paths["columns"] + ".npy", np.ascontiguousarray(rows.T, dtype=np.float64))
        np.save(paths["rows"] + ".npy", rows)
        with h5py.File(paths["file"] + ".h5", "w") as file:
            file.update({name: rows[:, axis].astype(np.float64) for axis, name in enumerate("xyz")})
        found = {form: held(form, path + {"file": ".h5", "idle": ""}.get(form, ".npy")) for form, path in paths.items()}
    idle = found.pop("idle")[0]
    assert len({pairs for _, pairs in found.values()}) == 1, found
    file = found["file"][0] - idle
    for form, (peak, _) in found.items():
        print(f"memory, {form}: {peak - idle:.0f} MiB beyond an idle one, {(peak - idle) / file:.2f} of the file's")


def imports(given):
    """Seconds of the import of this package beyond that of numpy."""
    taken = {"import numpy": [], "import numpy, albireo": []}
    for _ in range(3 * given.repeats):
        for line, seconds in taken.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", line], check=True)
            seconds.append(time.perf_counter() - start)
    medians = [statistics.median(seconds) for seconds in taken.values()]
    print(f"import: {1e3 * (medians[1] - medians[0]):.1f} ms beyond numpy's {1e3 * medians[0]:.0f} ms")


def rdf(given):
    """InterRDF of MDAnalysis and ours."""
    import MDAnalysis
    from MDAnalysis.analysis.rdf import InterRDF as theirs

    from albireo.mdanalysis import InterRDF as ours

    os.environ["RAYON_NUM_THREADS"] = "1"
    frames = np.random.default_rng(SEED).random((given.frames, given.atoms, 3), dtype=np.float32) * 60
    universe = MDAnalysis.Universe.empty(given.atoms, trajectory=True)
    universe.load_new(frames, dimensions=np.array([60, 60, 60, 90, 90, 90]))
    taken, counts = {"MDAnalysis": [], "albireo": []}, {}
    for _ in range(given.repeats):
        for name, made in (("MDAnalysis", theirs), ("albireo", ours)):
            start = time.perf_counter()
            counts[name] = made(universe.atoms, universe.atoms, nbins=75, range=(0.0, 12.0)).run().results.count
            taken[name].append((time.perf_counter() - start) / given.frames)
    moved = int(np.abs(counts["MDAnalysis"] - counts["albireo"]).sum())
    medians = {name: statistics.median(seconds) for name, seconds in taken.items()}
    ratio = medians["MDAnalysis"] / medians["albireo"]
    print(f"rdf: {1e3 * medians['MDAnalysis']:.1f} and {1e3 * medians['albireo']:.2f} ms a frame, {ratio:.0f} times; {moved // 2} of "
          f"{counts['albireo'].sum():.0f} pairs in a neighbouring bin (theirs are float32)")


CASES = {"calls": calls, "memory": memory, "import": imports, "rdf": rdf}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    parser.add_argument("--number", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--atoms", type=int, default=4000)
    parser.add_argument("--frames", type=int, default=3)
    parser.add_argument("--rust", default="target/release/examples/count_columns", metavar="PROGRAM")
    given = parser.parse_args()
    if len(given.cases) == 1:
        return CASES[given.cases[0]](given)
    options = [f"--{name}={getattr(given, name)}" for name in ("number", "repeats", "atoms", "frames", "rust")]
    for case in given.cases:
        # A process of its own, which has not started threads yet.
        subprocess.run([sys.executable, __file__, case, *options], check=True)


if __name__ == "__main__":
    main()
