#!/usr/bin/env python3
"""Draws the tables of the benches as the figures of Rodrigues et al. 2008 and van Meel et al. 2007: time, rate and speedup of maps against
volume, time of a step of molecular dynamics against particles and density with the break-even of all pairs and cells, rates of rand48.

    cargo bench --bench fields > maps.csv                       (-- cuda on a machine with a GPU, -- cuda 1e3 1e4 to try)
    cargo bench --bench fields -- rand48 > rand48.csv
    cargo bench --bench dynamics > steps.csv
    python benches/field_figures.py --maps maps.csv --rand48 rand48.csv --steps steps.csv --to figures_of_papers

Needs matplotlib. Speedups are over the paper's own method on one thread: cylinders, sums in float32.
"""
import argparse
import csv
import itertools
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

BASELINE = ("cpu cylinder float32 sums", "single", 1)


def rows_of(path):
    """Rows of a CSV table, from its header on: cargo may say something before."""
    lines = pathlib.Path(path).read_text().splitlines()
    head = next(k for k, line in enumerate(lines) if "," in line and "_per_s" in line)
    return list(csv.DictReader(lines[head:]))


def figure(name, to, xlabel, ylabel, curves, log_y=True):
    """Curves, by label: lists of (x, y)."""
    plot, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    for (label, points), style in zip(sorted(curves.items()), itertools.cycle(STYLES)):
        axes.plot(*zip(*sorted(points)), style, label=label, markersize=4)
    axes.set(xscale="log", xlabel=xlabel, ylabel=ylabel, **({"yscale": "log"} if log_y else {}))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)
    plot.savefig(to / f"{name}.png", dpi=150)
    plt.close(plot)


STYLES = [f"{marker}{line}" for line in ("-", "--", ":", "-.") for marker in "os^vDxP*"]


def maps(path, to):
    times, rates, speedups, slowest = {}, {}, {}, {}
    rows = rows_of(path)
    key = lambda row: (row["method"], row["precision"], int(row["threads"]))
    for row in rows:
        if key(row) == BASELINE:
            slowest[row["volume"]] = float(row["seconds"])
    for row in rows:
        method, precision, threads = key(row)
        label = f"{method}, {precision}" + (f", threads: {threads}" if threads else "")
        volume, seconds = float(row["volume"]), float(row["seconds"])
        times.setdefault(label, []).append((volume, seconds))
        rates.setdefault(label, []).append((volume, float(row["billion_pairs_in_reach_per_s"])))
        if row["volume"] in slowest:
            speedups.setdefault(label, []).append((volume, slowest[row["volume"]] / seconds))
    volume = "volume / cubic Angstrom"
    figure("map_time", to, volume, "time / s", times)
    figure("map_rate", to, volume, "pairs in reach / 1e9 a second", rates)
    figure("map_speedup", to, volume, "times the paper's method on one thread", speedups)


def steps(path, to):
    by_density, even, times = {}, [], {}
    for row in rows_of(path):
        n, density, milliseconds = int(row["particles"]), float(row["density"]), float(row["ms_per_step"])
        times[density, n, row["lists"]] = milliseconds
        by_density.setdefault(f"density {density:g}, {row['lists']}", []).append((n, milliseconds))
    figure("step_time", to, "particles", "time a step / ms", by_density)
    of_all = {(d, n) for d, n, lists in times if lists == "all-pairs"}
    ratios = {}
    for density, n in sorted(of_all & {(d, n) for d, n, lists in times if lists == "cells"}):
        ratio = times[density, n, "all-pairs"] / times[density, n, "cells"]
        ratios.setdefault(f"density {density:g}", []).append((n, ratio))
    figure("step_break_even", to, "particles", "time of all pairs over that of cells", ratios)
    for label, points in sorted(ratios.items()):
        faster = [n for n, ratio in sorted(points) if ratio > 1]
        even.append(f"{label}: cells are faster from {faster[0]} particles on" if faster else f"{label}: all pairs are faster throughout")
    print("\n".join(even))


def rand48(path, to):
    rates = {}
    for row in rows_of(path):
        rates.setdefault(row["engine"], []).append((int(row["numbers"]), float(row["billion_numbers_per_s"])))
    figure("rand48_rate", to, "numbers", "numbers / 1e9 a second", rates)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = {"maps": maps, "steps": steps, "rand48": rand48}
    for name in kinds:
        parser.add_argument(f"--{name}", metavar="CSV")
    parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER")
    given = vars(parser.parse_args())
    to = given.pop("to")
    to.mkdir(parents=True, exist_ok=True)
    for name, path in given.items():
        if path:
            kinds[name](path, to)


if __name__ == "__main__":
    main()
