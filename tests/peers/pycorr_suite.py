"""The tests of pycorr 1.0 with this library's engine in the place of Corrfunc's, case by case.

    python tests/peers/pycorr_suite.py PYCORR/pycorr/tests [test_twopoint_counter:smu ..] [--case WORD]

PYCORR is a checkout of https://github.com/cosmodesi/pycorr; pycorr and the package `albireo` are installed (regions need scikit-learn and
healpy, cases of MPI mpi4py). Words name files and modes; without any all are run, which takes an hour of one core: each case of
`test_twopoint_counter` compares with a double loop in Python. The tests are run as they are but for this: a failed case does not end the
others, cases that differ in `isa` alone are run once, and those of the engine `cucount`, the same cases again, are left out.

Sums of weights here are in fixed point: a pair is rounded to 2^-37 of the largest product of weights that the job could hold. Where the
weights by bits and angles of a test differ by many powers of two, that is more than the 1e-6 or 1e-8 of a bin's sum that pycorr's tests allow
among float64 sums. A failure is put down to this, `in fixed point`, only where every bin has the pairs that it should have and differs by less than
that bound; it is printed with the largest difference and the bound. Angular upweights are linear in the cosine, which pycorr and Corrfunc take
in float64, with hardly any digits of 1 - cos for pairs 0.0002 degrees apart; from chords it has all of them. One table of `test_reference` shows that:
a failure there is put down to it, `by their cosines`, only where long doubles give our sums. Any other failure makes the exit status 1.
"""

import ast
import inspect
import os
import sys
import time
import traceback
import types

# The script of this name beside this file is not pycorr.
sys.path = [folder for folder in sys.path if os.path.abspath(folder or ".") != os.path.dirname(os.path.abspath(__file__))]

import numpy as np
import pycorr
from pycorr.twopoint_counter import BaseTwoPointCounter

import albireo.pycorr

MODES = ("theta", "s", "smu", "rppi", "rp")
# File, its function, the modes it is run in.
TESTS = [
    ("test_utils", "test_packbit", [None]),
    ("test_utils", "test_popcount", [None]),
    ("test_utils", "test_reformatbit", [None]),
    ("test_utils", "test_pack_unpack", [None]),
    ("test_utils", "test_normalization", [None]),
    ("test_utils", "test_rebin", [None]),
    ("test_reference", "test_reference", [None]),
    ("test_twopoint_counter", "test_twopoint_counter", MODES),
    ("test_twopoint_counter", "test_analytic_twopoint_counter", ("s", "smu", "rppi")),
    ("test_twopoint_counter", "test_rebin", [None]),
    ("test_twopoint_counter", "test_mu1", [None]),
    ("test_twopoint_counter", "test_pip_normalization", [None]),
    ("test_twopoint_counter", "test_pip_counts", [None]),
    ("test_twopoint_counter", "test_pip_counts_correction", [None]),
    ("test_twopoint_jackknife", "test_subsampler", [None]),
    ("test_twopoint_jackknife", "test_twopoint_counter", MODES),
    ("test_twopoint_estimator", "test_multipoles", [None]),
    ("test_twopoint_estimator", "test_estimator", MODES),
]


class Cases:
    """What has passed and what has failed of the test at hand."""

    def __init__(self):
        self.passed, self.failed, self.rounded, self.missing = 0, [], [], []
        self.test, self.options, self.word = "", {}, None

    def wanted(self, options):
        return self.word is None or self.word in str(options)

    def begin(self, test, options):
        self.test, self.options = test, dict(options)
        return self

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None:
            self.passed += 1
            return False
        if not isinstance(error, Exception):
            return False
        if isinstance(error, FileNotFoundError):
            # Tables that the repository has by reference alone.
            self.missing.append(f"{self.test}: {os.path.basename(error.filename or '')}")
            return True
        frames = [frame for frame in traceback.extract_tb(trace) if os.path.basename(frame.filename).startswith("test_")]
        line = f"line {frames[-1].lineno}: {frames[-1].line}" if frames else ""
        frame = last_of_tests(trace)
        for cause, check in (("in fixed point", in_fixed_point), ("by their cosines", by_their_cosines)):
            told = check(frame) if isinstance(error, AssertionError) else None
            if told is not None:
                self.rounded.append((self.test, self.options, told))
                print(f"FAILED {cause}: {self.test} {self.options}\n       {told}", flush=True)
                return True
        self.failed.append((self.test, self.options, f"{line}  {type(error).__name__} {str(error)[:300]}"))
        print(f"FAILED {self.test} {self.options}\n       {self.failed[-1][2]}", flush=True)
        return True


class OneByOne(ast.NodeTransformer):
    """Puts the body of `for options in list_options` under `with CASES.begin(..)`, and leaves one engine and one instruction set."""

    def visit_For(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Name) and node.target.id == "options":
            call = ast.parse("CASES.begin(CASES.test, options)", mode="eval").body
            each = ast.With(items=[ast.withitem(context_expr=call)], body=node.body)
            node.body = [ast.If(test=ast.parse("CASES.wanted(options)", mode="eval").body, body=[each], orelse=[])]
        return node

    def visit_Assign(self, node):
        name = node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""
        if name == "list_engine":
            node.value = ast.parse("['corrfunc']", mode="eval").body
        if name == "list_isa":
            node.value = ast.parse("['fastest']", mode="eval").body
        return node


def exponent(values):
    """The power of two above the largest magnitude; 0 of nothing."""
    return int(np.frexp(np.max(np.abs(values)))[1]) if np.size(values) else 0


def largest_product(counter):
    """The power of two above the largest weight that a pair of a count could have: that of each factor, as sums are scaled."""
    bits, total = counter.n_bitwise_weights, 0
    for weights in (counter.weights1, counter.weights2 if counter.weights2 else counter.weights1):
        total += exponent(weights[bits]) if len(weights) > bits else 1
    if bits:
        attributes = counter.weight_attrs
        common = attributes["noffset"] + np.arange(8 * bits + 1)
        weights = np.where(common == 0, attributes["default_value"], attributes["nrealizations"] / np.maximum(common, 1))
        total += exponent(weights)
        if attributes["correction"] is not None:
            total += exponent(1 / attributes["correction"])
    if counter.cos_twopoint_weights is not None:
        total += exponent(np.append(counter.cos_twopoint_weights.weight, 1.0))
    return 2.0**total


def last_of_tests(trace):
    """What the innermost function of the tests held when it failed."""
    frames = [frame for frame, _ in traceback.walk_tb(trace) if os.path.basename(frame.f_code.co_filename).startswith("test_")]
    return frames[-1].f_locals if frames else {}


def in_fixed_point(held):
    """Words where a failed comparison of weights, or of weighted means, is within the rounding of fixed point; None where it is not."""
    made = held.get("test", held.get("result"))
    if not hasattr(made, "unit"):
        return None
    theirs = held["wcounts_ref"] if "wcounts_ref" in held else np.asarray(held["ref"]).reshape(made.shape)
    # Sums of numpy round too.
    bound = made.ncounts * made.unit * 2.0**-37 + 1e-12 * np.abs(theirs)
    away = np.abs(made.wcounts - theirs)
    if np.any(away > bound):
        return None
    if "sep_ref" in held and held.get("compute_sepavg"):
        apart = np.abs(np.nan_to_num(made.sep) * made.wcounts - np.nan_to_num(held["sep_ref"]) * theirs)
        if np.any(apart > bound * 2.0 ** exponent(made.edges[0][-1]) + 1e-9 * np.abs(theirs)):
            return None
    worst = np.unravel_index(np.argmax(away / np.where(theirs == 0, 1, np.abs(theirs))), away.shape)
    return (f"the bin of the largest relative difference holds {made.wcounts[worst]!r} for {theirs[worst]!r}, of {made.ncounts[worst]} pairs: "
            f"{away[worst]:.2g} away, at most {bound[worst]:.2g} where no pair exceeds {made.unit:g}")


def by_their_cosines(held):
    """Words where the bins of the one table that differ have, in long doubles, the sums that we have and not theirs; None elsewhere."""
    if not held.get("filename", "").endswith("twopoint_smu/counts_D1D1_individual_bitwise_angular_upweights.txt"):
        return None
    made, theirs, folder = held["result"], np.asarray(held["ref"]).reshape(held["result"].shape), os.path.dirname(held["filename"])
    folder = os.path.join(os.path.dirname(folder), "")
    columns = np.loadtxt(folder + "catalogs/data_1.txt", unpack=True, dtype=np.longdouble)
    x, w = columns[:3], columns[-1]
    bits = [np.array([int(word) for word in column]) for column in np.loadtxt(folder + "catalogs/data_1.txt", unpack=True, dtype=str)[3:-1]]
    i, j = np.triu_indices(x.shape[1], 1)
    d, middle, unit = x[:, i] - x[:, j], x[:, i] + x[:, j], x / np.sqrt((x**2).sum(0))
    s = np.sqrt((d**2).sum(0))
    mu = (d * middle).sum(0) / s / np.sqrt((middle**2).sum(0))
    angles, factors = np.loadtxt(folder + "custom_angular_upweights.txt", unpack=True, dtype=np.longdouble)
    nodes, chord2 = (2 * np.sin(np.radians(angles) / 2)) ** 2, ((unit[:, i] - unit[:, j]) ** 2).sum(0)
    k = np.clip(np.searchsorted(nodes, chord2, side="right") - 1, 0, len(nodes) - 2)
    factor = factors[k] + (chord2 - nodes[k]) * (factors[k + 1] - factors[k]) / (nodes[k + 1] - nodes[k])
    factor = np.where((chord2 < nodes[0]) | (chord2 >= nodes[-1]), 1, factor)
    common = sum(np.bitwise_count(word[i] & word[j]).astype(int) for word in bits)
    weight = w[i] * w[j] * factor * np.where(common == 0, 0, np.longdouble(64) / np.maximum(common, 1))
    exact = np.zeros(made.shape, dtype=np.longdouble)
    for sign in (1, -1):
        places = [np.searchsorted(edges, values, side="right") - 1 for edges, values in zip(made.edges, (s, sign * mu))]
        inside = np.all([(place >= 0) & (place < n) for place, n in zip(places, made.shape)], axis=0)
        np.add.at(exact, tuple(place[inside] for place in places), weight[inside])
    bound = made.ncounts * made.unit * 2.0**-37
    if np.any(np.abs(made.wcounts - exact) > bound + 1e-12 * exact):
        return None
    worst = np.unravel_index(np.argmax(np.abs(theirs - exact)), exact.shape)
    return f"long doubles give {exact[worst]!s}, the table has {theirs[worst]!s}, and we {made.wcounts[worst]!s}, within {bound[worst]:.2g}"


def stand_in():
    """Registers this library's engine under the name of Corrfunc's, which need not be installed; counts keep the unit of their sums."""
    module = types.ModuleType("pycorr.corrfunc")
    sys.modules["pycorr.corrfunc"] = pycorr.corrfunc = module
    engine = BaseTwoPointCounter._registry["corrfunc"] = albireo.pycorr.AlbireoTwoPointCounter
    run = engine.run

    def and_keep_the_unit(self):
        self.unit = largest_product(self)
        run(self)

    engine.run = and_keep_the_unit


def module_of(path, cases):
    """The module of a file of tests, changed as described above."""
    with open(path) as file:
        tree = ast.fix_missing_locations(OneByOne().visit(ast.parse(file.read(), path)))
    module = types.ModuleType(os.path.basename(path)[:-3])
    module.__file__, module.CASES = path, cases
    exec(compile(tree, path, "exec"), module.__dict__)
    return module


def tables_are_cases(module, cases):
    """Each table of `test_reference` is a case."""
    compare = module.assert_allclose

    def compared(result, filename):
        with cases.begin("test_reference", {"table": os.path.relpath(filename, os.path.dirname(module.__file__))}):
            compare(result, filename)

    module.assert_allclose = compared


def run(module, function, mode, cases):
    """One test in one mode; what fails outside of cases is a failure of the whole."""
    test = getattr(module, function)
    cases.test = f"{module.__name__}::{function}" + (f"[{mode}]" if mode else "")
    arguments = {"mode": mode} if mode else {}
    if "base_dir" in inspect.signature(test).parameters:
        arguments["base_dir"] = os.path.join(os.path.dirname(module.__file__), "reference")
        tables_are_cases(module, cases)
    name, before, start = cases.test, (cases.passed, len(cases.rounded), len(cases.failed)), time.time()
    with open(os.devnull, "w") as nowhere:
        out, sys.stdout = sys.stdout, Both(nowhere, sys.stdout)
        try:
            with cases.begin(name, {}):
                test(**arguments)
        finally:
            sys.stdout = out
    inside = cases.passed + len(cases.rounded) + len(cases.failed) - sum(before)
    # The test is a case where it has none.
    cases.passed -= int(inside > 1 and cases.passed > before[0])
    passed, rounded, failed = (now - then for now, then in zip((cases.passed, len(cases.rounded), len(cases.failed)), before))
    print(f"{name}: {passed} passed, {rounded} in fixed point, {failed} failed, {time.time() - start:.0f} s", flush=True)


class Both:
    """Keeps what the tests print from the terminal, and lets what is said of failures through."""

    def __init__(self, nowhere, terminal):
        self.nowhere, self.terminal, self.through = nowhere, terminal, False

    def write(self, text):
        self.through = text.startswith("FAILED ") or (self.through and text == "\n")
        return (self.terminal if self.through else self.nowhere).write(text)

    def flush(self):
        self.terminal.flush()


def main(folder, wanted):
    stand_in()
    folder, cases = os.path.abspath(folder), Cases()
    if "--case" in wanted:
        at = wanted.index("--case")
        cases.word, wanted = wanted[at + 1], wanted[:at] + wanted[at + 2:]
    os.chdir(folder)
    modules = {}
    for name, function, modes in TESTS:
        for mode in modes:
            if wanted and not any(word in (name, function, f"{name}:{mode}") for word in wanted):
                continue
            if name not in modules:
                modules[name] = module_of(os.path.join(folder, f"{name}.py"), cases)
            run(modules[name], function, mode, cases)
    print(f"{cases.passed} cases passed, {len(cases.rounded)} differ in fixed point alone, {len(cases.failed)} failed")
    for missing in cases.missing:
        print(f"not run, its file is not there: {missing}")
    return int(bool(cases.failed) or cases.passed == 0)


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(main(sys.argv[1], sys.argv[2:]))
