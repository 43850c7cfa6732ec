#!/usr/bin/env python3
"""Whether the program prints and writes what it did, over every command line of its tests and of the documentation.

    tests/same/same.py check [MODULE ..]     runs them and prints what differs from tests/same/kept; exit code 1 where anything does
    tests/same/same.py accept [MODULE ..]    the same, and keeps what it found

MODULE is one of the program's tests (cli/tests/program), `pages` (commands of README.md and docs/), `attack` (digests of random counts),
`c` (what the programs of c/ print) or `python` (results and refusals of the Python package); without any, all that are built, and what is not is named.
Kept is, for each command line, its exit code, what it says but for its log, and digests of its log and of what it printed and wrote, without
moments, machines and versions. `--texts FOLDER` writes what is hashed there, by its digest: taken with two builds, `diff` shows how they differ.

Builds are taken from target/release, or from the folder that --built names: the programs and `cargo test --release --no-run`, for attack
`cargo test --release --no-run --test attack`, for c `cargo build --release -p albireo-c --example shared`, for python `cargo build --release -p albireo-python`
or a package that PYTHON has.
Needs numpy, h5py, pyarrow and astropy.
"""

import argparse
import difflib
import hashlib
import json
import marshal
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import plain

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEPT = HERE / "kept"
# What cargo makes of c/ and of python/, in the folder of a build.
C_LIBRARY, PYTHON_MODULE = "examples/libshared.so", "lib_albireo.so"

# Modules and tests whose command lines are not the same every time, and why.
MODULES_LEFT_OUT = {
    "md_recovery": "stopped somewhere",
    "stop": "stopped somewhere",
    "signals": "stopped somewhere",
    "full_disks": "limited by the shell, after which nothing can be recorded",
    "standard_output": "printed into pipes that are closed",
    "reference": "hours of public catalogues",
    "planning": "plans for this machine",
    "cuda": "needs a device",
}
TESTS_LEFT_OUT = {
    "counts_that_were_killed_go_on": "stopped somewhere",
    "a_part_that_was_killed_goes_on": "stopped somewhere",
    "a_killed_run_goes_on": "stopped somewhere",
    "what_a_killed_run_left": "stopped somewhere",
    "maps_go_on_after_a_kill": "stopped somewhere",
    "frames_of_h5md_are_those_of_xyz": "stopped somewhere",
    "ctrl_c_stops_reading": "stopped somewhere",
    "a_time_ends_rounds_and_says_their_noise": "stopped somewhere",
    "every_example_of_the_readme_runs": "among `pages`, which go on where CUDA is missing",
    "every_example_of_the_page_on_fields_runs": "among `pages`",
}
# What takes longest.
SLOW = {"pair_weights", "field_maps", "regions", "examples", "randoms", "formats", "outputs", "frames", "field", "frames_in_time"}
# What needs the feature cuda and says which devices there are, what a machine would take, what a count had done when it was last kept.
UNSTEADY = re.compile(r"cuda|^devices|--devices?|--plan|--checkpoint kept|--kernel|--precision (exact|f64|f32)")
# What lists all flags is compared by builds with CUDA alone, which have more of them.
LISTS_FLAGS = re.compile(r"^$|^help|--help|-h\b|^completions|--template")


class Entry(tuple):
    """A command line, its exit code, the digests of its outputs, what it said."""

    def __new__(cls, command, code, outputs, said):
        return super().__new__(cls, (command, code, json.dumps(outputs, sort_keys=True), said))

    def line(self):
        return json.dumps([*self[:2], json.loads(self[2]), self[3]], ensure_ascii=False, separators=(",", ":"))

    def likeness(self, other):
        """How much of another outcome is the same."""
        old, new = json.loads(self[2]), json.loads(other[2])
        return len(old.items() & new.items()) + (self[3] == other[3])

    def differing(self, other):
        """The lines that show how another outcome of the command differs."""
        if self[1] != other[1]:
            yield f"exit code: {self[1]} -> {other[1]}"
        old, new = json.loads(self[2]), json.loads(other[2])
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                yield f"{name}: {old.get(name)} -> {new.get(name)}"
        lines = difflib.unified_diff(self[3].splitlines(), other[3].splitlines(), lineterm="", n=1)
        yield from list(lines)[2:]


def of_run(path):
    """The entry of one run that the recorder kept."""
    run = marshal.loads(path.read_bytes())
    at = run["folder"]
    lines = plain.text(run["stderr"], at).splitlines(keepends=True)
    is_log = [line.startswith((" INFO ", "DEBUG ")) for line in lines]
    printed = plain.text(run["stdout"], at)
    log = "".join(line for line, log in zip(lines, is_log) if log)
    outputs = {name: plain.digest(what) for name, what in (("stdout", printed), ("log", log)) if what}
    outputs |= {plain.text(name, at): plain.of_file(path.parent / copy, at) for name, copy in run["written"].items()}
    said = "".join(line for line, log in zip(lines, is_log) if not log)
    return Entry(plain.text(" ".join(run["arguments"]), at), run["code"], outputs, said)


def with_recorder(options, run):
    """The entries of all commands of the program that `run` starts, given an environment in which the recorder stands for it."""
    with tempfile.TemporaryDirectory() as log:
        python = os.path.dirname(sys.executable)
        environment = {
            **os.environ,
            "PATH": f"{python}:{os.environ['PATH']}",
            "ALBIREO_PROGRAM": str(HERE / "recorder.py"),
            "ALBIREO_SAME_PROGRAM": str(pathlib.Path(options.program).resolve()),
            "ALBIREO_SAME_LOG": log,
        }
        run(environment)
        runs = set(pathlib.Path(log).glob("*.run"))
        plain.written = {hashlib.sha256(path.read_bytes()).hexdigest() for path in pathlib.Path(log).iterdir() if path not in runs}
        return [of_run(path) for path in runs]


def built(options, name):
    """The newest test program of this name."""
    found = [path for path in (options.built / "deps").glob(f"{name}-*") if not path.suffix]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def of_tests(options, module):
    """The commands of a module of the program's tests."""

    def run(environment):
        skipped = [word for name in TESTS_LEFT_OUT for word in ("--skip", name)]
        done = subprocess.run([built(options, "program"), f"{module}::", *skipped], env=environment, cwd=ROOT / "cli", capture_output=True, text=True)
        if done.returncode != 0:
            failed = re.findall(r"^test (\S+) \.\.\. FAILED", done.stdout, re.MULTILINE)
            print(f"{module}: the tests themselves fail: {', '.join(failed)}")

    return with_recorder(options, run)


def of_pages(options, _):
    """The commands of README.md and docs/, page by page in a folder like a checkout."""

    def run(environment):
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            with tempfile.TemporaryDirectory(prefix=".tmp") as folder:
                shutil.copytree(ROOT / "catalogs/samples", pathlib.Path(folder) / "catalogs/samples")
                os.symlink(HERE / "recorder.py", pathlib.Path(folder) / "albireo")
                here = {**environment, "PATH": f"{folder}:{environment['PATH']}"}
                shells = re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
                for line in "".join(shells).replace("\\\n", " ").splitlines():
                    line = line.replace("cargo run --release -- ", "albireo ")
                    if re.match(r"albireo ", line):
                        subprocess.run(["sh", "-c", line], cwd=folder, env=here, capture_output=True)

    return with_recorder(options, run)


def of_attack(options, _):
    """The digests of random counts, sums per target and trajectories."""
    cases = {"cpu_counts": 500, "sums_per_target": 500, "trajectories": 200}
    entries = []
    for name, number in cases.items():
        environment = {**os.environ, "ALBIREO_ATTACK_CASES": str(number), "ALBIREO_ATTACK_SECONDS": "1e9"}
        done = subprocess.run([built(options, "attack"), name, "--skip", "cuda"], env=environment, capture_output=True, text=True)
        said = [line for line in done.stderr.splitlines() if "digest" in line]
        entries.append(Entry(f"attack {name} {number} cases", done.returncode, {}, "\n".join(said)))
    return entries


def of_c(options, _):
    """What the programs in C print."""
    entries = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ["libalbireo.so", "libalbireo.so.0"]:
            os.symlink((options.built / C_LIBRARY).resolve(), os.path.join(folder, name))
        for name in ["examples/count.c", "tests/misuse.c"]:
            made = os.path.join(folder, "program")
            words = ["cc", "-O1", "-std=gnu11", "-I", ROOT / "c/include", ROOT / "c" / name, "-L", folder, "-lalbireo", "-lm", "-lpthread", "-o", made]
            subprocess.run(words, check=True)
            done = subprocess.run([made], env={**os.environ, "LD_LIBRARY_PATH": folder}, capture_output=True, text=True)
            entries.append(Entry(f"c/{name}", done.returncode, {}, plain.text(done.stdout, folder)))
    return entries


def of_python(options, _):
    """The calls of the tests of the Python package: of this checkout, where its module is built, or else that PYTHON has."""
    module = options.built / PYTHON_MODULE
    with tempfile.TemporaryDirectory() as folder:
        if module.exists():
            package = pathlib.Path(folder) / "albireo"
            shutil.copytree(ROOT / "python/albireo", package, ignore=shutil.ignore_patterns("__pycache__", "_albireo.*so"))
            os.symlink(module.resolve(), package / "_albireo.abi3.so")
        log = pathlib.Path(folder) / "calls"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, str(HERE)]), "ALBIREO_SAME_LOG": str(log)}
        words = ["-q", "-p", "calls", "-p", "no:cacheprovider", "--basetemp", f"{folder}/made", ROOT / "python/tests"]
        done = subprocess.run([options.python, "-m", "pytest", *words], env=environment, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"python: the tests themselves fail:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        lines = log.read_text().splitlines() if log.exists() else []
        return [Entry(*json.loads(line)) for line in lines]


OTHERS = {"pages": of_pages, "attack": of_attack, "c": of_c, "python": of_python}


def modules(options):
    """All modules for which there is a build."""
    listed = subprocess.run([built(options, "program"), "--list", "--format", "terse"], capture_output=True, text=True, check=True).stdout
    names = {line.split("::")[-2] for line in listed.splitlines() if line.endswith(": test") and "::" in line}
    if options.quick:
        return sorted(names - MODULES_LEFT_OUT.keys() - SLOW)
    there = {"pages": True, "attack": built(options, "attack"), "c": (options.built / C_LIBRARY).exists()}
    needed = "import pytest" if (options.built / PYTHON_MODULE).exists() else "import albireo, pytest"
    there["python"] = subprocess.run([options.python, "-c", needed], cwd="/", capture_output=True).returncode == 0
    for name in [name for name in OTHERS if not there[name]]:
        print(f"SKIPPED: {name}: not built")
    return sorted(names - MODULES_LEFT_OUT.keys()) + [name for name in OTHERS if there[name]]


def kept(module):
    """What is kept of a module."""
    path = KEPT / f"{module}.json"
    return {Entry(*entry) for entry in json.loads(path.read_text())} if path.exists() else set()


def compared(module, old, found):
    """Prints how what was found differs from what is kept; how many command lines do."""
    lost, new = sorted(old - found), sorted(found - old)
    for entry in lost:
        other = max((other for other in new if other[0] == entry[0]), key=entry.likeness, default=None)
        print(f"{module}: albireo {entry[0]}")
        if other is None:
            print("    was not run")
            continue
        new.remove(other)
        for line in entry.differing(other):
            print(f"    {line}")
    for entry in new:
        print(f"{module}: albireo {entry[0]}\n    is new")
    return len(lost) + len(new)


def main():
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "accept"])
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--built", type=pathlib.Path, default=target / "release")
    parser.add_argument("--program", type=pathlib.Path, help="in place of the one that is built there")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--quick", action="store_true", help="the quick ones of the program's tests alone, less than a minute together")
    parser.add_argument("--texts", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_intermixed_args()
    options.built = options.built.resolve()
    options.program = options.program or options.built / "albireo"
    if options.texts:
        options.texts.mkdir(parents=True, exist_ok=True)
        plain.texts = options.texts
    KEPT.mkdir(exist_ok=True)
    has_cuda = options.program.exists() and subprocess.run([options.program, "devices", "--help"], capture_output=True).returncode == 0
    there = lambda command: (has_cuda or not re.search(LISTS_FLAGS, command)) and (plain.LARGE_DATA or "ALBIREO_TEST_DATA" not in command)
    is_compared = lambda command: not re.search(UNSTEADY, command) and there(command)
    total = differing = 0
    for module in options.modules or modules(options):
        entries = OTHERS.get(module, of_tests)(options, module)
        found = {entry for entry in entries if is_compared(entry[0])}
        others = {entry for entry in kept(module) if not is_compared(entry[0])}
        if module == "python" and options.what == "check":
            # Tests are skipped where a package that they need is missing.
            ran = {entry[0] for entry in found}
            others |= {entry for entry in kept(module) if entry[0] not in ran}
        differing += compared(module, kept(module) - others, found)
        total += len(found)
        if options.what == "accept":
            lines = ",\n".join(entry.line() for entry in sorted(found | others))
            (KEPT / f"{module}.json").write_text(f"[\n{lines}\n]\n")
    print(f"{total} command lines, {differing} differ")
    sys.exit(1 if differing and options.what == "check" else 0)


if __name__ == "__main__":
    main()
