#!/usr/bin/env python3
"""Times albireo and FCFC (github.com/cheng-zhao/FCFC) in turn on the seeded inputs of peers.py, from the same FITS files, and prints a table.

    git clone https://github.com/cheng-zhao/FCFC && cd FCFC          (needs gcc, make and libcfitsio-dev)
    sed -i 's/^WITH_CFITSIO := *$/WITH_CFITSIO := T/' options.mk && make
    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install numpy h5py astropy
    /tmp/peers/bin/python benches/fcfc.py --fcfc FCFC --albireo target/release/albireo [--threads 2] [--repeats 3] [--isa avx512,avx2] [NAME ...]

Medians of the repeats, which take turns. `count`: of FCFC the stage in which it counts, its tree not included; of albireo the counting call, with
all sorting. `whole`: the commands, from FITS to a table. FCFC writes fractions of all pairs: where weights are none, they are turned into
integers and compared; where pairs have weights, the sums are compared, relative to the largest.
"""
import json
import os
import pty
import statistics
import subprocess
import tempfile
import time

import numpy as np
from astropy.table import Table

import peers

MU = ["MU_BIN_NUM=100"]
# name: input, side of the box or nothing, edges, FCFC's scheme of bins, its further settings, arguments of albireo, weighted
WORKLOADS = {
    "box-large": (lambda: peers.uniform(1_000_000, 1000.0), 1000, peers.linear(150, 30), 0, [], [], False),
    "box-small": (lambda: peers.uniform(1_000_000, 1000.0), 1000, peers.logarithmic(0.1, 25, 20), 0, [], [], False),
    "clustered-s-mu": (lambda: peers.clustered(300_000, 500.0), 500, peers.linear(200, 40), 1, MU, peers.MU, True),
    "clustered-rp-pi": (lambda: peers.clustered(300_000, 500.0), 500, peers.logarithmic(0.1, 40, 20), 2,
                        ["PI_BIN_MIN=0", "PI_BIN_MAX=80", "PI_BIN_SIZE=1"],
                        ["--statistic", "rp-pi", "--pi-bins", "lin:0:80:80"], True),
    "survey-dr": (lambda: peers.survey(200_000), None, peers.linear(200, 40), 1, MU, [*peers.MU, "--los", "midpoint"], True),
    "survey-s-mu": (lambda: peers.survey(200_000), None, peers.linear(200, 40), 1, MU, [*peers.MU, "--los", "midpoint"], True),
}
# Of counts between two samples, the second.
SECOND = {"survey-dr": lambda: peers.survey(1_000_000, peers.SEED + 3)}


def settings(folder, side, edges, scheme, further, weighted, cross):
    """The configuration of a count of pairs, in a file."""
    bins = os.path.join(folder, "bins.txt")
    np.savetxt(bins, np.c_[edges[:-1], edges[1:]], fmt="%.17g")
    files, labels = (["points", "second"], "DR") if cross else (["points"], "D")
    catalogs = ", ".join(f"{folder}/{name}.fits" for name in files)
    positions = ", ".join(f'"${{{axis}}}"' for _ in files for axis in "xyz")
    lines = [f"CATALOG=[{catalogs}]", f"CATALOG_LABEL=[{','.join(labels)}]", f"CATALOG_TYPE=[{','.join('1' for _ in files)}]",
             f"POSITION=[{positions}]", f"PAIR_COUNT={(labels * 2)[:2]}", f"PAIR_COUNT_FILE={folder}/fcfc.txt",
             f"BINNING_SCHEME={scheme}", f"SEP_BIN_FILE={bins}", "DATA_STRUCT=0", "OUTPUT_FORMAT=1", "OVERWRITE=2", "VERBOSE=T",
             f"BOX_SIZE={side}" if side else f"COORD_CONVERT=[{','.join('F' for _ in files)}]", *further]
    if weighted:
        weights = ", ".join('"${w}"' for _ in files)
        lines.append(f"WEIGHT=[{weights}]")
    path = os.path.join(folder, "fcfc.conf")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path


def fcfc(program, path, threads):
    """Seconds of its counting and of the whole, by what it says on a terminal and when."""
    ours, its = pty.openpty()
    begin = time.perf_counter()
    process = subprocess.Popen([program, "-c", path], stdout=its, stderr=its, env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
    os.close(its)
    said, counting, counted = "", None, None
    while True:
        try:
            part = os.read(ours, 1 << 16).decode("utf-8", "ignore")
        except OSError:
            break
        if not part:
            break
        said += part
        now = time.perf_counter()
        if counting is None and "Counting " in said:
            counting = now
        if counted is None and "Results written" in said:
            counted = now
    os.close(ours)
    if process.wait() != 0 or counting is None:
        raise SystemExit(f"{program}: {said[-600:]}")
    end = time.perf_counter()
    return (counted or end) - counting, end - begin


def albireo(binary, paths, side, bins, arguments, weighted, threads, isa):
    out = paths[0] + ".json"
    command = [binary, "count", *paths, "--bins", bins, "--positions", "x,y,z", *arguments, "--engine", "cpu", "--threads", str(threads),
               "-q", "-o", out, *(["--box", str(side)] if side else []), *(["--weight", "w"] if weighted else []),
               *(["--isa", isa] if isa else [])]
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    whole = time.perf_counter() - begin
    with open(out) as file:
        result = json.load(file)
    return (next(iter(result["meta"]["counts"].values()))["seconds"], whole), result["data"]


def compare(data, path, n, weighted):
    """FCFC's last column is the share of all ordered pairs, weighted or not."""
    theirs = np.loadtxt(path)[:, -1]
    if not weighted:
        theirs = np.rint(theirs * n * (n - 1)).astype(np.int64)
        ours = 2 * np.array(data["npairs"], dtype=np.int64)
        return "equal" if np.array_equal(ours, theirs) else f"{np.sum(ours != theirs)} bins differ"
    column = next(name for name in data if "weight" in name)
    ours = np.array(data[column], dtype=float)
    ours, theirs = ours / ours.max(), np.asarray(theirs) / theirs.max()
    if len(ours) != len(theirs):
        return f"{len(ours)} and {len(theirs)} bins"
    # The faster axis of its table may be the other one.
    best = min(np.abs(ours - order).max() for order in orders(theirs, data))
    return f"weights within {best:.0e}"


def orders(theirs, data):
    yield theirs
    los = [name for name in data if name.endswith("_lo")]
    if len(los) > 1:
        first, second = (len(set(data[name])) for name in los[:2])
        yield theirs.reshape(second, first).T.ravel()


def main():
    parser = peers.asked(__doc__.splitlines()[0], WORKLOADS)
    parser.add_argument("--fcfc", required=True, help="folder of FCFC_2PT and FCFC_2PT_BOX")
    parser.add_argument("--isa", default="", help="of albireo, several with commas [default: the widest]")
    options = parser.parse_args()
    print(f"| workload, {options.threads} threads | albireo s: count, whole | FCFC s: count, whole | ratios | |\n|---|---|---|---|---|")
    for name in options.names or WORKLOADS:
        make, side, (edges, bins), scheme, further, arguments, weighted = WORKLOADS[name]
        columns = make()
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, "points.fits")]
            Table(columns).write(paths[0])
            if name in SECOND:
                paths.append(os.path.join(folder, "second.fits"))
                Table(SECOND[name]()).write(paths[1])
            conf = settings(folder, side, edges, scheme, further, weighted, name in SECOND)
            ours, theirs = {isa: [] for isa in options.isa.split(",")}, []
            for _ in range(options.repeats):
                theirs.append(fcfc(os.path.join(options.fcfc, "FCFC_2PT_BOX" if side else "FCFC_2PT"), conf, options.threads))
                for isa, times in ours.items():
                    seconds, data = albireo(options.albireo, paths, side, bins, arguments, weighted, options.threads, isa)
                    times.append(seconds)
            count, whole = (statistics.median(times) for times in zip(*theirs))
            equal = compare(data, os.path.join(folder, "fcfc.txt"), len(columns["x"]), weighted)
            for isa, times in ours.items():
                mine = [statistics.median(of) for of in zip(*times)]
                print(f"| {name} {isa} | {mine[0]:.3f}, {mine[1]:.3f} | {count:.3f}, {whole:.3f} |"
                      f" {count / mine[0]:.1f}, {whole / mine[1]:.1f} | {equal} |", flush=True)


if __name__ == "__main__":
    main()
