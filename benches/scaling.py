#!/usr/bin/env python3
"""Predicts how long ranks and parts take, by a discrete-event run over the measured costs of units.

    cargo run --release --example unit_costs -- box 1000000 > box.csv
    python3 benches/scaling.py box.csv [--threads 1] [--units-a-worker 20,100,1000] [--workers 16,64,256,1024] [--latency 1e-4]

A row of the file is a unit with its seconds on one thread; `begin` is what each run of units takes besides. Ranks are handed units as
`albireo-mpi` hands them out (a share of 1 in 4 of what is left, evenly over the ranks, one for each thread at least), each rank spreads a run over its threads unit by unit, and
asks again when the last is done, a rank of several threads having another run meanwhile. Parts are runs of even cost, as `--shard` cuts them. Efficiency is the time that all units take, over workers
times the time until the last one is done. For more workers than a file has units for, its units follow one another again and again.
`--check 2:6.4:0.5` compares 2 ranks with their measured seconds, half a second of them before they count.
"""

import argparse
import csv
import heapq
import itertools
import sys


def guided(n, ranks, least=1):
    """Runs of numbers below n as they are handed out."""
    start = 0
    while start < n:
        taken = min(max((n - start) // (4 * ranks), least), n - start)
        yield start, start + taken
        start += taken


def run_time(seconds, begin, threads):
    """Until a run of units is done by threads that take one after the other."""
    if threads == 1:
        return begin + sum(seconds)
    free = [0.0] * threads
    for cost in seconds:
        heapq.heapreplace(free, free[0] + cost)
    return begin + max(free)


def ranks_time(seconds, begin, ranks, threads, latency):
    """Until all ranks are done with units that are handed out: two runs at a time to each rank of several threads."""
    abreast = 2 if threads > 1 else 1
    free = [[0.0] * threads for _ in range(ranks)]
    asks = [(0.0, rank) for _ in range(abreast) for rank in range(ranks)]
    for start, end in guided(len(seconds), ranks, threads):
        at, rank = asks[0]
        own, ready, done = free[rank], at + latency + begin, 0.0
        for cost in seconds[start:end]:
            ended = max(own[0], ready) + cost
            heapq.heapreplace(own, ended)
            done = max(done, ended)
        heapq.heapreplace(asks, (done, rank))
    return max(at for at, _ in asks)


def parts_time(seconds, costs, begin, parts, threads):
    """Until the dearest of so many parts is done, which are cut at even shares of the expected cost."""
    before = [0, *itertools.accumulate(costs)]
    ends, at = [0], 0
    for part in range(1, parts):
        share = before[-1] * part / parts
        while at < len(costs) and before[at] < share:
            at += 1
        nearer = at > 0 and share - before[at - 1] < before[at] - share
        ends.append(at - 1 if nearer else at)
    ends.append(len(costs))
    return max(run_time(seconds[a:b], begin, threads) for a, b in zip(ends, ends[1:]))


def efficiency(seconds, workers, time):
    return sum(seconds) / (workers * time)


def numbers(text):
    return [float(word) for word in text.split(",")]


def measured(text):
    ranks, found, before = text.split(":")
    return int(ranks), float(found), float(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("costs")
    parser.add_argument("--threads", type=int, default=1, help="of each worker")
    parser.add_argument("--units-a-worker", type=numbers, default=[20, 100, 1000])
    parser.add_argument("--workers", type=numbers, default=[16, 64, 256, 1024])
    parser.add_argument("--latency", type=float, default=1e-4, help="seconds to be handed units, above the time that rank 0 looks at (0.2 ms)")
    parser.add_argument("--check", type=measured, help="RANKS:SECONDS:BEFORE, as measured, and of these before the first unit")
    args = parser.parse_args()
    with open(args.costs, newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        sys.exit(f"{args.costs}: no units")
    seconds = [float(row["seconds"]) for row in rows]
    costs = [int(row["cost"]) for row in rows]
    begin = float(rows[0]["begin"])
    mean = sum(seconds) / len(seconds)
    spread = (sum((s - mean) ** 2 for s in seconds) / len(seconds)) ** 0.5 / mean
    print(f"{len(seconds)} units, {sum(seconds):.3f} s on one thread, max/mean {max(seconds) / mean:.2f}, cv {spread:.2f}, begin {begin:.2e} s")
    if args.check:
        ranks, found, before = args.check
        predicted = before + ranks_time(seconds, begin, ranks, args.threads, args.latency)
        print(f"{ranks} ranks: predicted {predicted:.3f} s, measured {found:.3f} s, {100 * (predicted / found - 1):+.1f} %")
        sys.exit(abs(predicted / found - 1) > 0.05)
    print(f"{'workers':>8} {'units each':>10} {'ranks':>7} {'parts':>7}")
    for workers, each in itertools.product(map(int, args.workers), map(int, args.units_a_worker)):
        n = workers * each * args.threads
        many = list(itertools.islice(itertools.cycle(zip(seconds, costs)), n))
        units, expected = [s for s, _ in many], [c for _, c in many]
        cores = workers * args.threads
        ranks = efficiency(units, cores, ranks_time(units, begin, workers, args.threads, args.latency))
        parts = efficiency(units, cores, parts_time(units, expected, begin, workers, args.threads))
        print(f"{workers:8} {each:10} {ranks:7.3f} {parts:7.3f}")


if __name__ == "__main__":
    main()
