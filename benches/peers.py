#!/usr/bin/env python3
"""Times albireo and peers that pip installs (Corrfunc; freud for g(r)) in turn on seeded inputs, compares every bin, and prints a table.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install numpy h5py 'setuptools<80' wheel future
    /tmp/peers/bin/pip install --no-build-isolation Corrfunc        (needs gcc and libgsl-dev)
    /tmp/peers/bin/pip install freud-analysis
    /tmp/peers/bin/python benches/peers.py --albireo target/release/albireo [--threads 2] [--repeats 3] [--isa avx,avx512f] [NAME ...]

Seconds are those of the counting call, building trees and cells included and reading excluded; medians of the repeats, which take turns.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

SEED = 20_261_121


def uniform(n, side):
    return dict(zip("xyz", np.random.default_rng(SEED).random((3, n)) * side))


def clustered(n, side):
    """Half of the points in Gaussian clumps of 75, weights in [0.5, 1.5)."""
    rng = np.random.default_rng(SEED + 1)
    clumps = rng.random((n // 150, 3)) * side
    members = clumps[rng.integers(0, len(clumps), n // 2)] + rng.normal(0, 1.5, (n // 2, 3))
    points = np.concatenate([members, rng.random((n - n // 2, 3)) * side]) % side
    points = rng.permutation(np.where(points >= side, 0.0, points))
    return dict(zip("xyz", points.T), w=0.5 + rng.random(n))


def survey(n, seed=SEED + 2):
    """A third of the sky band, 1000 to 1700 length units away, weights in [0.1, 0.5)."""
    rng = np.random.default_rng(seed)
    ra, dec = rng.uniform(120, 250, n), np.degrees(np.arcsin(rng.uniform(0, np.sin(np.radians(60)), n)))
    dist = np.cbrt(rng.uniform(1000.0**3, 1700.0**3, n))
    a, d = np.radians(ra), np.radians(dec)
    return dict(ra=ra, dec=dec, dist=dist, w=rng.uniform(0.1, 0.5, n),
                x=dist * np.cos(d) * np.cos(a), y=dist * np.cos(d) * np.sin(a), z=dist * np.sin(d))


def theory(function, side, *fixed, means=None):
    """A function of Corrfunc for boxes; `means` is the word by which it is asked for mean separations."""
    def call(columns, edges, threads, isa, weighted):
        from Corrfunc import theory as peers
        more = dict(weights1=columns["w"], weight_type="pair_product") if weighted else {}
        if means:
            more[means] = True
        found = getattr(peers, function)(1, threads, *[edges if f == "edges" else f for f in fixed], columns["x"], columns["y"], columns["z"],
                                         periodic=True, boxsize=side, isa=isa, **more)["npairs"].astype(np.int64)
        if edges[0] == 0.0:  # points with themselves
            found[0] -= len(columns["x"])
        return found
    return call


def mocks_smu(columns, edges, threads, isa, weighted):
    from Corrfunc.mocks import DDsmu_mocks
    edges = edges.copy()
    edges[0] = 1e-6  # it refuses 0
    return DDsmu_mocks(1, 1, threads, 1.0, 100, edges, columns["ra"], columns["dec"], columns["dist"], is_comoving_dist=True,
                       weights1=columns["w"], weight_type="pair_product", isa=isa)["npairs"]


def mocks_theta(columns, edges, threads, isa, weighted):
    from Corrfunc.mocks import DDtheta_mocks
    return DDtheta_mocks(1, threads, edges, columns["ra"], columns["dec"], isa=isa)["npairs"]


def rdf(side):
    """freud: float32 positions around the origin, 32-bit counts."""
    def call(columns, edges, threads, isa, weighted):
        import freud
        freud.parallel.set_num_threads(threads)
        points = np.stack([columns[axis] for axis in "xyz"], axis=1) - side / 2
        counter = freud.density.RDF(bins=len(edges) - 1, r_max=edges[-1])
        return counter.compute((freud.box.Box.cube(side), points)).bin_counts
    return call


def linear(hi, n):
    return np.linspace(0.0, hi, n + 1), f"lin:0:{hi}:{n}"


def logarithmic(lo, hi, n):
    return np.geomspace(lo, hi, n + 1), f"log:{lo}:{hi}:{n}"


MU = ["--statistic", "s-mu", "--mu-bins", "lin:0:1:100"]
XYZ = ["--positions", "x,y,z"]
# name: input, edges, arguments of albireo, weighted, the peer
CORRFUNC = {
    "box-large": (lambda: uniform(1_000_000, 1000.0), linear(150, 30), ["--box", "1000"], False, theory("DD", 1000.0, "edges")),
    "box-small": (lambda: uniform(1_000_000, 1000.0), logarithmic(0.1, 25, 20), ["--box", "1000"], False, theory("DD", 1000.0, "edges")),
    "clustered-s-mu": (lambda: clustered(100_000, 500.0), linear(200, 40), ["--box", "500", *MU], True,
                       theory("DDsmu", 500.0, "edges", 1.0, 100)),
    "clustered-rp-pi": (lambda: clustered(300_000, 500.0), logarithmic(0.1, 40, 20),
                        ["--box", "500", "--statistic", "rp-pi", "--pi-bins", "lin:0:80:80"], True, theory("DDrppi", 500.0, 80.0, "edges")),
    "survey-s-mu": (lambda: survey(200_000), linear(200, 40), [*MU, *XYZ, "--los", "midpoint"], True, mocks_smu),
    "survey-theta": (lambda: survey(200_000), logarithmic(0.01, 10, 20), ["--statistic", "theta", "--sky", "ra,dec"], False, mocks_theta),
}
BOX_MU = ["--box", "1000", "--statistic", "s-mu", "--mu-bins", "lin:0:1:20", "--los", "z"]
BOX_PI = ["--box", "1000", "--statistic", "rp-pi", "--pi-bins", "lin:0:40:40", "--los", "z"]
MEANS = ["--mean-separation"]
CORRFUNC |= {
    "means-r": (lambda: uniform(1_000_000, 1000.0), logarithmic(0.1, 60, 20), ["--box", "1000", *MEANS], False,
                theory("DD", 1000.0, "edges", means="output_ravg")),
    "means-s-mu": (lambda: uniform(1_000_000, 1000.0), linear(60, 12), [*BOX_MU, *MEANS], False,
                   theory("DDsmu", 1000.0, "edges", 1.0, 20, means="output_savg")),
    "means-rp-pi": (lambda: uniform(1_000_000, 1000.0), logarithmic(0.1, 40, 14), [*BOX_PI, *MEANS], False,
                    theory("DDrppi", 1000.0, 40.0, "edges", means="output_rpavg")),
    "means-weighted": (lambda: clustered(300_000, 500.0), linear(60, 12), ["--box", "500", *BOX_MU[2:], *MEANS], True,
                       theory("DDsmu", 500.0, "edges", 1.0, 20, means="output_savg")),
}
FREUD = {
    "fluid-r": (lambda: uniform(32_768, 101.0), linear(12, 240), ["--box", "101"], False, rdf(101.0)),
}
WORKLOADS = {**CORRFUNC, **FREUD}


def albireo(binary, path, bins, arguments, weighted, threads):
    out = path + ".json"
    command = [binary, "count", path, "--bins", bins, *arguments, "--engine", "cpu", "--threads", str(threads), "-q", "-o", out]
    subprocess.run(command + (["--weight", "w"] if weighted else []), check=True, stdout=subprocess.DEVNULL)
    with open(out) as file:
        result = json.load(file)
    return result["meta"]["counts"]["DD"]["seconds"], np.array(result["data"]["npairs"], dtype=np.int64)


def compare(ours, theirs):
    """Peers count each pair twice."""
    theirs = np.array(theirs, dtype=np.int64)
    differ = int(np.sum(theirs != 2 * ours))
    return "equal" if differ == 0 else f"{differ} of {len(ours)} bins differ by {int(np.abs(theirs - 2 * ours).sum())}"


def asked(description, workloads):
    """What every script that times these workloads is asked."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(workloads))
    parser.add_argument("--albireo", default="target/release/albireo")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=3)
    return parser


def main():
    parser = asked(__doc__.splitlines()[0], WORKLOADS)
    parser.add_argument("--isa", default="avx", help="of Corrfunc, several with commas")
    options = parser.parse_args()
    print(f"| workload, {options.threads} threads | pairs | albireo s | peer s | ratio | counts |\n|---|---|---|---|---|---|")
    for name in options.names or WORKLOADS:
        make, (edges, bins), arguments, weighted, peer = WORKLOADS[name]
        columns = make()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "points.h5")
            with h5py.File(path, "w") as file:
                for key, values in columns.items():
                    file[key] = values
            ours, theirs, found = [], {isa: [] for isa in (options.isa.split(",") if name in CORRFUNC else ["freud"])}, {}
            for _ in range(options.repeats):
                seconds, counts = albireo(options.albireo, path, bins, arguments, weighted, options.threads)
                ours.append(seconds)
                for isa, times in theirs.items():
                    begin = time.perf_counter()
                    found[isa] = peer(columns, edges, options.threads, isa, weighted)
                    times.append(time.perf_counter() - begin)
        mine = statistics.median(ours)
        for isa, times in theirs.items():
            peer_seconds = statistics.median(times)
            print(f"| {name} | {int(counts.sum())} | {mine:.3f} | {peer_seconds:.3f} ({isa}) | {peer_seconds / mine:.1f} |"
                  f" {compare(counts, found[isa])} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
