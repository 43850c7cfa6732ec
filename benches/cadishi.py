#!/usr/bin/env python3
"""Times albireo and the processor's kernel of CADISHI (github.com/bio-phys/cadishi) in turn on seeded inputs, and prints a table.

    git clone https://github.com/bio-phys/cadishi          (g++ builds its kernel as its Makefile does; nothing else of it is needed)
    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install numpy h5py
    /tmp/peers/bin/python benches/cadishi.py --cadishi cadishi --albireo target/release/albireo [--threads 2] [--repeats 5] [NAME ...]

Seconds are those of the counting calls, sorting included and reading excluded; medians of the repeats, which take turns. CADISHI counts in
float64 and in float32, rounds as -ffast-math lets it and puts pairs near edges into the bin beside: how many is printed, totals are compared.
"""
import ctypes
import os
import statistics
import subprocess
import tempfile
import time

import h5py
import numpy as np

import peers

SEED = 20_261_123
# What its C++ interface lacks for ctypes.
CALL = """
#include "c_pydh_functions.cc"
extern "C" int histogram(double *r, int n, uint64_t *histogram, int n_bins, double r_max, double *box, int precision, int check, int threads) {
    config cfg;
    cfg.set_precision(precision);
    cfg.set_check_input(check);
    cfg.set_cpu_threads(threads);
    cfg.set_cpu_blocksize(0);
    int elements[1] = {n}, mask[1] = {1};
    return histograms_cpu((np_tuple3d_t *)r, n, elements, 1, histogram, n_bins, r_max, mask, box, box ? orthorhombic : none, cfg);
}
"""
# name: points, side, whether the box is periodic, r_max, bins
WORKLOADS = {
    "open-10000": (100_000, 100.0, False, 174.0, 10_000),
    "box-1000": (100_000, 100.0, True, 50.0, 1_000),
    "box-10000": (100_000, 100.0, True, 50.0, 10_000),
}


def kernel(source, folder):
    """The kernel as a library."""
    path = os.path.join(folder, "call.cc")
    with open(path, "w") as file:
        file.write(CALL)
    kernels = os.path.join(source, "cadishi", "kernel")
    library = os.path.join(folder, "libcadishi.so")
    flags = ["-DBUILD_C_LIBRARY", "-O3", "-ffast-math", "-march=native", "-fopenmp", "-fPIC", "-shared", "-w"]
    subprocess.run(["g++", *flags, f"-I{kernels}", f"-I{kernels}/include", path, "-o", library], check=True)
    return ctypes.CDLL(library).histogram


def cadishi(histogram, points, side, periodic, r_max, n_bins, threads, precision):
    def pointer(array):
        return array.ctypes.data_as(ctypes.c_void_p)

    # The first column holds distances in its files.
    found = np.zeros((2, n_bins), dtype=np.uint64)
    box = np.diag([side] * 3).astype(float) if periodic else None
    begin = time.perf_counter()
    failed = histogram(pointer(points), len(points), pointer(found), n_bins, ctypes.c_double(r_max),
                       pointer(box) if periodic else None, 0 if precision == "single" else 1, int(periodic), threads)
    seconds = time.perf_counter() - begin
    if failed:
        raise SystemExit(f"CADISHI's kernel returned {failed}")
    return seconds, found.sum(axis=0).astype(np.int64)


def main():
    parser = peers.asked(__doc__.splitlines()[0], WORKLOADS)
    parser.add_argument("--cadishi", required=True, help="folder of its sources")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        histogram = kernel(options.cadishi, folder)
        print(f"| workload, {options.threads} threads | pairs | albireo s | float64 s, ratio, moved | float32 s, ratio, moved |\n|---|---|---|---|---|")
        for name in options.names or WORKLOADS:
            n, side, periodic, r_max, n_bins = WORKLOADS[name]
            points = np.random.default_rng(SEED).random((n, 3)) * side
            path = os.path.join(folder, name + ".h5")
            with h5py.File(path, "w") as file:
                for axis, column in zip("xyz", points.T):
                    file[axis] = column
            box = ["--box", str(side)] if periodic else []
            ours, theirs, moved = [], {"double": [], "single": []}, {}
            for _ in range(options.repeats):
                seconds, counts = peers.albireo(options.albireo, path, f"lin:0:{r_max}:{n_bins}", box, False, options.threads)
                ours.append(seconds)
                for precision, times in theirs.items():
                    seconds, found = cadishi(histogram, points, side, periodic, r_max, n_bins, options.threads, precision)
                    times.append(seconds)
                    assert abs(int(found.sum()) - int(counts.sum())) <= 1e-5 * counts.sum(), (precision, found.sum(), counts.sum())
                    moved[precision] = int(np.abs(found - counts).sum()) // 2
            mine = statistics.median(ours)
            peer = {precision: statistics.median(times) for precision, times in theirs.items()}
            columns = [f"{seconds:.3f}, {seconds / mine:.2f}, {moved[precision]}" for precision, seconds in peer.items()]
            print(f"| {name} | {int(counts.sum())} | {mine:.3f} | {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()
