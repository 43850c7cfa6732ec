#!/usr/bin/env python3
"""The tables that pycorr's own tests compare with, made by the command line of albireo, bin by bin.

    git clone --depth 1 https://github.com/cosmodesi/pycorr
    pip install numpy
    cargo build --release
    python tests/peers/pycorr.py target/release/albireo pycorr/pycorr/tests/reference

Counts in s, theta, (s, mu) and (rp, pi) of DD, DR, RD and RR of one sample and of two, without weights, with individual weights, with bits (PIP
and IIP), and with both; their totals; mean separations; Landy-Szalay of one sample and of two; angular upweights of a parent sample. Without
weights the integers must be equal. Weighted sums must agree within n * 2^-37 of the product of the powers of two above the largest weights (of
both samples, and 64 by bits), n the pairs of the bin, which is the rounding of sums here, and half a unit of the last of the 12 digits that are
printed there; estimates within 4e-9 of their terms; angular upweights within 1e-9. Every bin that does not is printed, and ends the script
with code 1. Run by hand: nothing in the test suite needs these tables (`tests/pycorr_reference.rs` takes them where they are at hand, and has
the angular weights given as a table too, which no flag takes).
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

DIGITS = 5.1e-12
PIP = ["--pip-zero-truncated", "--pip-realizations", "64"]
SAMPLES = {"D1": "data_1", "D2": "data_2", "R1": "randoms_1", "R2": "randoms_2"}
COUNTS = ["D1D1", "D1D2", "D1R1", "D1R2", "R1D2", "R1R1", "R1R2"]
WEIGHTS = {"no_weights": (False, False), "individual_weights": (True, False), "bitwise_weights": (False, True), "individual_bitwise_weights": (True, True)}
S, MU, PI = np.linspace(1, 41, 41), np.linspace(-1, 1, 21), np.linspace(-20, 20, 41)


def spec(edges):
    return "edges:" + ",".join(repr(float(e)) for e in edges)


MODES = {
    "s": ("s", ["--bins", spec(np.logspace(-0.5, 1, 31))], None),
    "theta": ("theta", ["--statistic", "theta", "--bins", spec(np.logspace(-2, 0, 31))], None),
    "smu": ("s", ["--statistic", "s-mu", "--bins", spec(S), "--mu-bins", "lin:-1:1:20", "--los", "midpoint"], len(MU) - 1),
    "rppi": ("rp", ["--statistic", "rp-pi", "--bins", spec(S), "--pi-bins", "lin:-20:20:40", "--los", "midpoint"], len(PI) - 1),
}


def theirs(path):
    """The rows of a table and its total."""
    with open(path) as lines:
        norm = [float(line.split("=")[1]) for line in lines if line.startswith("#norm")]
    return np.atleast_2d(np.genfromtxt(path)), norm[0] if norm else math.nan


class Albireo:
    def __init__(self, program, reference, folder):
        self.program, self.reference, self.folder = os.path.abspath(program), reference, folder
        self.errors = self.tables = 0

    def catalog(self, name):
        return os.path.abspath(os.path.join(self.reference, "catalogs", name + ".txt"))

    def run(self, arguments, out="out.json"):
        command = [self.program, *arguments, "--positions", "1,2,3", "-o", out, "-q"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)
        with open(os.path.join(self.folder, out)) as text:
            result = json.load(text)
        return result["meta"], result["data"]

    def check(self, name, found, expected, bound):
        """Counts and prints the bins that are off by more than their bound."""
        found, expected = np.asarray(found, float), np.asarray(expected, float)
        same = np.isnan(found) & np.isnan(expected)
        wrong = np.flatnonzero(~(same | (np.abs(found - expected) <= bound)))
        self.errors += len(wrong)
        self.tables += 1
        for k in wrong[:5]:
            print(f"  {name}: bin {k}: {found[k]!r} here, {expected[k]!r} there: ERROR")

    def flags(self, first, second, weighted, bits):
        """Flags of the columns of two samples, by their roles."""
        flags = []
        for prefix, role in (("", first), ("second-", second)):
            data = role.startswith("D")
            if prefix and role == first:
                continue
            if weighted:
                flags += [f"--{prefix}weight", "6" if data else "4"]
            if bits:
                flags += [f"--{prefix}bits", "4,5" if data else "none"]
        return flags + (PIP if bits and "D" in first + second else [])

    def counts(self, mode, name, weights):
        axis, bins, mirrored = MODES[mode]
        path = os.path.join(self.reference, f"twopoint_{mode}", f"counts_{name}_{weights}.txt")
        if not os.path.exists(path):
            return
        (first, second), (weighted, bits) = (name[:2], name[2:]), WEIGHTS[weights]
        files = [self.catalog(SAMPLES[role]) for role in dict.fromkeys((first, second))]
        means = [] if bits or weighted else ["--mean-separation"]
        meta, columns = self.run(["count", *files, *bins, *self.flags(first, second, weighted, bits), *means])
        (record,) = meta["counts"].values()
        times = 2 if record["kind"] == "auto (each pair once)" else 1
        rows, norm = theirs(path)

        def column(key):
            values = np.asarray([math.nan if x is None else x for x in columns[key]], float)
            # Positions are subtracted the other way round there.
            return values.reshape(-1, mirrored)[:, ::-1].ravel() if mirrored else values

        pairs, label = column("npairs"), f"{mode} {name} {weights}"
        largest = 1.0
        for role in (first, second):
            values = np.genfromtxt(self.catalog(SAMPLES[role]))[:, -1] if weighted else np.ones(1)
            largest *= 2.0 ** math.frexp(np.abs(values).max())[1]
        largest *= 2.0 ** math.frexp(64)[1] if bits else 1
        found = times * (column("weight") if weighted or (bits and "D" in name) else pairs)
        bound = 0 if found is pairs else times * pairs * largest * 2.0**-37 + DIGITS * np.abs(rows[:, -1])
        self.check(label, found, rows[:, -1], bound)
        total = times * record["total_weight" if weighted or bits else "total_pairs"]
        self.check(label + " total", [total], [norm], 1e-12 * norm)
        if means:
            separation = rows[:, -2] if mirrored is None else rows[:, -3]
            # 7 digits; theirs are of float32 cosines for angles.
            self.check(label + " means", column(f"mean_{'r' if mode == 's' else axis}"), separation, 1e-6 * separation)

    def correlation(self, mode, name, weights):
        path = os.path.join(self.reference, f"twopoint_{mode}", f"correlation_function_{name}_{weights}.txt")
        if not os.path.exists(path):
            return
        _, bins, mirrored = MODES[mode]
        weighted, bits = WEIGHTS[weights]
        arguments = ["xi", self.catalog("data_1"), "--randoms", self.catalog("randoms_1"), *bins]
        if name == "cross":
            arguments += ["--cross", self.catalog("data_2"), "--cross-randoms", self.catalog("randoms_2")]
        if weighted:
            arguments += ["--weight", "6", "--randoms-weight", "4"]
        if bits:
            arguments += ["--bits", "4,5", *PIP]
        _, columns = self.run(arguments)
        xi = np.asarray([math.nan if x is None else x for x in columns["xi"]], float)
        xi = xi.reshape(-1, mirrored)[:, ::-1].ravel() if mirrored else xi
        rows, _ = theirs(path)
        # DD of a bin over its RR, both to the bounds above: few pairs and large weights.
        self.check(f"{mode} {name} {weights} xi", xi, rows[:, -1], 4e-9 * (1 + np.abs(rows[:, -1])))

    def upweights(self, second):
        """The ratios of a parent's counts and those by PIP, or by IIP with randoms."""
        theta = ["--statistic", "theta", "--bins", spec(np.logspace(-2.5, 0, 31))]
        path = os.path.join(self.reference, "angular_upweights", f"weights_for_D1{second}_bitwise_weights.txt")
        other = "parent_data_2" if second == "D2" else SAMPLES[second]
        self.run(["count", self.catalog("parent_data_1"), self.catalog(other), *theta, "--mean-separation"], "parent.json")
        pair = [self.catalog("data_1"), self.catalog(SAMPLES[second])]
        flags = self.flags("D1", second, False, True)
        self.run(["count", *pair, *theta, *flags], "observed.json")
        meta, _ = self.run(["count", *pair, "--bins", "lin:1:9:4", *flags, "--angular", "parent.json,observed.json"])
        factors = meta["counts"]["D1D2"]["pair_weight"]["angular"]["factors"]
        rows, _ = theirs(path)
        self.check(f"angular upweights D1{second}", factors, rows[:, -1], 1e-9 * np.abs(rows[:, -1]))


def main(program, reference):
    with tempfile.TemporaryDirectory() as folder:
        albireo = Albireo(program, reference, folder)
        for mode in MODES:
            for weights in WEIGHTS:
                for name in COUNTS:
                    albireo.counts(mode, name, weights)
                for name in ("auto1", "cross"):
                    albireo.correlation(mode, name, weights)
        for second in ("D2", "R2"):
            albireo.upweights(second)
    print(f"{albireo.tables} tables, {albireo.errors} bins beyond their bounds")
    return int(albireo.errors > 0 or albireo.tables < 100)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
