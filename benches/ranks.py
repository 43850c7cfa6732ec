#!/usr/bin/env python3
"""What ranks and parts cost beside one process: CPU seconds, memory of a node, seconds of counting.

    cargo build --release && cargo build --release -p albireo-mpi
    python3 benches/ranks.py cpu        # 2 ranks of one thread, beside one process of two
    python3 benches/ranks.py parts      # 16 parts, counting alone, beside the whole
    python3 benches/ranks.py memory     # 4 ranks of this node, beside one process, while they read, sort and count
    python3 benches/ranks.py scaling    # what benches/scaling.py predicts of 1, 2 .. ranks, beside what they take

Points are spread in a periodic box of side 1000 by `albireo randoms`; bins are `lin:0:150:30` but for memory. Results are compared byte for byte.
CPU seconds are those of all processes, mpirun's included, and memory is their proportional set size (`Pss` in `/proc/PID/smaps_rollup`: pages
that several of them have are counted once), looked at 20 times a second.
"""

import argparse
import filecmp
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BINS = "lin:0:150:30"


class Programs:
    """Who counts, in a folder that is removed at the end."""

    def __init__(self, args, folder):
        self.albireo = str(Path(args.albireo).resolve())
        self.mpi = str(Path(args.mpi).resolve())
        self.mpirun = [args.mpirun]
        self.folder = folder
        self.given = args.catalog and str(Path(args.catalog).resolve())
        version = subprocess.run([args.mpirun, "--version"], capture_output=True, text=True).stdout
        if "Open MPI" in version or "OpenRTE" in version:
            self.mpirun += ["--oversubscribe", "--bind-to", "none"]
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def catalog(self, points):
        if self.given:
            return self.given
        path = self.folder / f"box_{points}.fits"
        if not path.exists():
            self.run([self.albireo, "randoms", "--number", str(points), "--box", "1000", "-q", "-o", str(path)])
        return str(path)

    def alone(self, words):
        return [self.albireo, *words]

    def ranks(self, number, words):
        return [*self.mpirun, "-n", str(number), self.mpi, *words]

    def run(self, command):
        """CPU seconds of a command and all that it starts."""
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(command)}: {errors}")
        return used.ru_utime + used.ru_stime

    def same(self, first, second):
        if not filecmp.cmp(self.folder / first, self.folder / second, shallow=False):
            sys.exit(f"{first} and {second} differ")

    def seconds(self, name):
        """Seconds that the count of a result took."""
        record = json.loads((self.folder / f"{name}.json").read_text())
        return record["meta"]["counts"]["DD"]["seconds"]


def head_of(part):
    """What the head of a part's file says of its first count."""
    bytes_ = Path(part).read_bytes()
    length = int.from_bytes(bytes_[8:16], "little")
    return json.loads(bytes_[16 : 16 + length])["counts"][0]


def told(what, values):
    print(f"{what:38} {statistics.median(values):9.3f}   ({', '.join(f'{v:.3f}' for v in sorted(values))})")


def cpu(programs, args):
    """CPU seconds of two ranks and of one process with as many threads, in turns."""
    count = ["count", programs.catalog(args.points), "--box", "1000", "--bins", BINS, "-q"]
    whole, ranks = [], []
    for _ in range(args.repeats):
        whole.append(programs.run(programs.alone([*count, "--threads", "2", "-o", "alone.csv"])))
        ranks.append(programs.run(programs.ranks(2, [*count, "--threads", "1", "-o", "ranks.csv"])))
        programs.same("alone.csv", "ranks.csv")
    told("one process, 2 threads: CPU s", whole)
    told("2 ranks, 1 thread each: CPU s", ranks)
    print(f"ratio {statistics.median(ranks) / statistics.median(whole):.3f}")


def parts(programs, args):
    """Seconds that 16 parts count, one after the other on one thread, beside those of the whole."""
    count = ["count", programs.catalog(args.points), "--box", "1000", "--bins", BINS, "-q", "--threads", "1"]
    number = 16

    def seconds(index, of):
        name = f"{index}_{of}.alb"
        programs.run(programs.alone([*count, "--shard", f"{index}/{of}", "--part", name]))
        return head_of(programs.folder / name)["seconds"]

    rows = []
    for _ in range(args.repeats):
        whole = seconds(0, 1)
        rows.append((whole, [seconds(index, number) for index in range(number)]))
    programs.run(programs.alone(["merge", *(f"{k}_{number}.alb" for k in range(number)), "-q", "-o", "merged.csv"]))
    programs.run(programs.alone(["merge", "0_1.alb", "-q", "-o", "whole.csv"]))
    programs.same("merged.csv", "whole.csv")
    each = [statistics.median(own[k] for _, own in rows) for k in range(number)]
    whole = statistics.median(whole for whole, _ in rows)
    told("the whole: s", [whole for whole, _ in rows])
    told("16 parts together: s", [sum(own) for _, own in rows])
    print(f"together {sum(each) / whole:.3f} of the whole, the slowest {max(each) / statistics.mean(each):.3f} of the mean")


def ids_of(program, folder):
    """The processes of a program that run in a folder."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(place / "exe") == program and os.readlink(place / "cwd") == str(folder):
                yield place
        except OSError:
            pass


def pss(place):
    try:
        lines = (place / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def most_memory(programs, command):
    """The most memory that all processes of a command have together, in kB, and when, of how many seconds."""
    program = command[0] if command[0] == programs.albireo else programs.mpi
    begun, seen = time.monotonic(), []
    process = subprocess.Popen(command, cwd=programs.folder, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        own = sum(pss(place) for place in ids_of(program, programs.folder))
        seen.append((own, time.monotonic() - begun))
        time.sleep(max(0.0, 0.05 * len(seen) - (time.monotonic() - begun)) if len(seen) < 2 else 0.05)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed")
    most, at = max(seen)
    return most, at, time.monotonic() - begun


def memory(programs, args):
    """The most memory of one process and of four ranks."""
    path = programs.catalog(args.points)
    for weights in [[], ["--weight", "0.5+x/1000"]]:
        count = ["count", path, "--box", "1000", "--bins", f"lin:0:{args.reach}:2", "-q", *weights]
        rows = []
        for number in [1, 4]:
            output = ["-o", f"{number}.csv", "--threads", "1"]
            command = programs.ranks(4, [*count, *output]) if number > 1 else programs.alone([*count, *output])
            most, at, seconds = most_memory(programs, command)
            rows.append(most)
            print(f"{number} process{'es' if number > 1 else ''}: {most / 1e3:.0f} MB together at {at:.1f} of {seconds:.1f} s {' '.join(weights)}")
        programs.same("1.csv", "4.csv")
        print(f"ratio {rows[1] / rows[0]:.3f}")


def scaling(programs, args):
    """What a discrete-event run over the costs of units predicts, beside what ranks take.

    Units are timed by as many processes at once as there are ranks: cores that share memory and power are slower together. What ranks do
    before they count is the time of the same job with bins that hold no pair.
    """
    costs = programs.folder / "costs.csv"
    example = Path(programs.albireo).with_name("examples") / "unit_costs"
    job = ["count", programs.catalog(args.points), "--box", "1000", "-q", "--threads", "1", "--checkpoint", "kept", "-o", "ranks.csv"]
    for ranks in [1, 2, 4][: args.most.bit_length()]:
        with open(costs, "w") as file:
            words = [str(example), "box", str(args.points)]
            beside = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for _ in range(1, ranks)]
            subprocess.run(words, stdout=file, check=True)
        for process in beside:
            process.wait()
        found = []
        # The box of the example has side 1, and its bins end at 0.075.
        for bins in ["lin:0:75:30", "lin:0:1e-6:30"]:
            seconds = []
            for _ in range(args.repeats):
                programs.run(programs.ranks(ranks, [*job, "--bins", bins]))
                shutil.rmtree(programs.folder / "kept")
                seconds.append(programs.seconds("ranks.csv"))
            told(f"{ranks} ranks, {bins}: s", seconds)
            found.append(min(seconds))
        check = ":".join(map(str, [ranks, *found]))
        subprocess.run([sys.executable, str(HERE / "scaling.py"), str(costs), "--check", check])
    subprocess.run([sys.executable, str(HERE / "scaling.py"), str(costs)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["cpu", "parts", "memory", "scaling"])
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
    parser.add_argument("--albireo", default=target / "release" / "albireo")
    parser.add_argument("--mpi", default=target / "release" / "albireo-mpi")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--points", type=int, help="[default: 1e6, for memory 2e7]")
    parser.add_argument("--catalog", help="points of one's own, in a box of side 1000, with a column x")
    parser.add_argument("--reach", type=float, default=2.0, help="of the bins, for memory")
    parser.add_argument("--most", type=int, default=2, help="ranks, for scaling: no more than cores")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    args.points = args.points or (20_000_000 if args.what == "memory" else 1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(args, Path(folder).resolve())
        {"cpu": cpu, "parts": parts, "memory": memory, "scaling": scaling}[args.what](programs, args)


if __name__ == "__main__":
    main()
