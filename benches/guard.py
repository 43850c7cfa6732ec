#!/usr/bin/env python3
"""Whether a build of the program is slower than another: eight counts, a potential and the start, by both in turns.

    benches/guard.py OLD NEW [NAME ..]
    benches/guard.py --bench OLD NEW [NAME ..]

OLD and NEW are two builds of `albireo`, or with --bench two of `pairs` (`cargo bench --no-run --bench pairs`) or of
`cuda_table` (`cargo build --release --example cuda_table`, on a machine with a GPU). NAME is a part of the names of cases. Printed are the
medians of wall time, or of what the bench prints, and their ratio; the exit code is 1 where NEW is slower by more than 5 %.
Needs nothing but Python, and a quiet machine.
"""

import argparse
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

COUNTS = {
    "start": "--version",
    "xi in a box": "xi box.csv --box 1000 --bins lin:0:200:40",
    "wp in a box": "wp box.csv --box 1000 --bins log:0.5:120:15 --pi-bins lin:0:150:50 --pi-max 150",
    "xi(s, mu) of a survey, weighted": "xi sky.csv --randoms randoms.csv --sky ra,dec --distance d --weight w --statistic s-mu --bins lin:0:120:30 --mu-bins lin:0:1:40",
    "w(theta) of a survey": "xi sky.csv --randoms randoms.csv --sky ra,dec --statistic theta --bins log:0.05:15:15",
    "g(r) of frames": "rdf liquid.xyz --box 40 --r-max 15 --n-bins 300",
    "weighted pairs in a box": "count box.csv --box 1000 --weight w --bins log:0.5:150:20",
    "jackknife in a box": "xi box.csv --box 1000 --bins lin:0:150:15 --regions-cubes 4 --jackknife",
    "pairs in a triclinic cell": "count box.csv --wrap --box 1000,0,0,300,950,0,-200,150,980 --bins lin:0:150:60",
    "potential on a grid": "field box.csv --box 1000 --weight w --cutoff 80 --spacing 10 -o potential.npy",
}


def table(path, names, rows):
    path.write_text("\n".join([",".join(names), *(",".join(map(repr, row)) for row in rows)]) + "\n")


def inputs(folder):
    """A box, a survey with its randoms, and frames of a liquid, the same ones every time."""
    stream = random.Random(20261122)
    place = lambda side: [stream.random() * side for _ in range(3)]
    table(folder / "box.csv", "xyzw", ([*place(1000.0), 0.5 + stream.random()] for _ in range(200_000)))
    for name, n in (("sky.csv", 30_000), ("randoms.csv", 120_000)):
        rows = []
        for _ in range(n):
            dec = math.degrees(math.asin(stream.uniform(0.0, 0.5)))
            rows.append([stream.uniform(100.0, 160.0), dec, (stream.uniform(4e2**3, 9e2**3)) ** (1 / 3), 0.5 + stream.random()])
        table(folder / name, ["ra", "dec", "d", "w"], rows)
    with open(folder / "liquid.xyz", "w") as file:
        for _ in range(60):
            file.write("5000\nframe\n" + "".join("Ar {} {} {}\n".format(*place(40.0)) for _ in range(5000)))


def seconds_of_command(program, words, folder):
    """The wall time of a command, and what it printed and wrote."""
    begin = time.perf_counter()
    done = subprocess.run([program, *words.split()], cwd=folder, capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{program} {words}: {done.stderr}")
    written = [path.read_bytes() for path in folder.glob("*.npy")]
    return seconds, (done.stdout, written)


def of_counts(programs, asked, repeats):
    """The seconds of each count by each program, in turns after one run of both that warms the machine."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        inputs(folder)
        for name in filter(asked, COUNTS):
            both = [], []
            # What takes milliseconds, more often.
            for turn in range(1 + repeats * (10 if name == "start" else 1)):
                runs = [seconds_of_command(program, COUNTS[name], folder) for program in programs]
                for seconds, (found, _) in zip(both, runs):
                    seconds.extend([found] if turn > 0 else [])
            if name != "start" and runs[0][1] != runs[1][1]:
                print(f"{name}: the results differ")
            yield name, both


UNITS = {"ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0}
# A row of criterion, the median in the middle, and one of cuda_table.
CRITERION = re.compile(r"^(\S.*?)\s+time:\s+\[\S+ \S+ (\S+) (\S+) ", re.MULTILINE)
KERNEL = re.compile(r"^(.{44}) +(\S+) (ms) kernel", re.MULTILINE)


def of_bench(programs, asked, repeats):
    """The seconds of each case that both builds of a bench print, in turns."""
    taken = {}
    for _ in range(repeats):
        for at, program in enumerate(programs):
            words = ["--bench"] if "pairs" in pathlib.Path(program).name else []
            done = subprocess.run([program, *words], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{program}: {done.stderr}")
            for name, value, unit in CRITERION.findall(done.stdout) + KERNEL.findall(done.stdout):
                if asked(name):
                    taken.setdefault(name.strip(), ([], []))[at].append(float(value) * UNITS[unit])
    yield from ((name, both) for name, both in taken.items() if all(both))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--bench", action="store_true", help="OLD and NEW are builds of a bench")
    parser.add_argument("--repeats", type=int, default=9, metavar="N")
    parser.add_argument("--beyond", type=float, default=0.05, metavar="SHARE", help="how much slower is too slow [default: 0.05]")
    options = parser.parse_intermixed_args()
    asked = lambda name: not options.names or any(part in name for part in options.names)
    programs = [str(pathlib.Path(path).resolve()) for path in (options.old, options.new)]
    measure = of_bench if options.bench else of_counts
    slower = []
    for name, both in measure(programs, asked, options.repeats):
        old, new = map(statistics.median, both)
        slower += [name] if new > old * (1 + options.beyond) else []
        print(f"{name:<60} {old * 1e3:10.2f} ms {new * 1e3:10.2f} ms  {new / old:.3f}", flush=True)
    if slower:
        sys.exit(f"slower by more than {options.beyond:.0%}: {', '.join(slower)}")


if __name__ == "__main__":
    main()
