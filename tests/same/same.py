#!/usr/bin/env python3
"""Whether a program prints and writes what another one did, over every command line of the program's tests and of the documentation.

    tests/same/same.py record OUT [--program P] [--tests T] [MODULE ..]
    tests/same/same.py compare OLD NEW

`record` runs the test program T with P in the place of the program and keeps, for each command line in its folder, the exit code, what it
printed and the digests of what it wrote, without moments and machines: one JSON file a module in the folder OUT. `compare` prints what
differs between two such folders, and which command lines only one of them has; its exit code is 1 where a command differs.

To compare two states of the sources, build both, and let the tests of the older one run the program of each.
Needs numpy, h5py, pyarrow and astropy.
"""

import argparse
import collections
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import plain

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Their commands are killed, limited, shown on terminals or need hours.
LEFT_OUT = {"stop", "signals", "full_disks", "standard_output", "reference", "planning"}


def modules(tests):
    listed = subprocess.run([tests, "--list", "--format", "terse"], capture_output=True, text=True, check=True).stdout
    names = {line.split("::")[0] for line in listed.splitlines() if line.endswith(": test") and "::" in line}
    return sorted(names - LEFT_OUT)


class Files:
    """The files of a log, whose digests are without what passes."""

    def __init__(self, folder):
        self.folder, self.known = folder, {}

    def digests(self, files, at):
        def of(digest):
            if digest not in self.known:
                self.known[digest] = plain.of_file(self.folder / digest, at)
            return self.known[digest]

        return {plain.text(name, at): of(digest) for name, digest in sorted(files.items())}


def entry(path, files):
    """What one run left, under its command line and its inputs."""
    run = json.loads(path.read_text())
    at = run["folder"]
    return {
        "command": plain.text(" ".join(run["arguments"]), at),
        "inputs": plain.digest(json.dumps(files.digests(run["inputs"], at)))[:12],
        "code": run["code"],
        "stdout": plain.digest(plain.text(run["stdout"], at)),
        "stderr": plain.text(run["stderr"], at),
        "written": files.digests(run["written"], at),
    }


def record(options):
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    for module in options.modules or modules(options.tests):
        with tempfile.TemporaryDirectory() as log:
            environment = {
                **os.environ,
                "ALBIREO_PROGRAM": str(HERE / "recorder.py"),
                "ALBIREO_SAME_PROGRAM": str(pathlib.Path(options.program).resolve()),
                "ALBIREO_SAME_LOG": log,
            }
            command = [options.tests, f"{module}::", "--quiet"]
            done = subprocess.run(command, env=environment, cwd=ROOT / "cli", capture_output=True, text=True)
            files = Files(pathlib.Path(log) / "files")
            runs = [entry(path, files) for path in pathlib.Path(log).glob("*.json")]
        runs.sort(key=lambda run: json.dumps(run))
        (out / f"{module}.json").write_text(json.dumps(runs, indent=1) + "\n")
        failed = "" if done.returncode == 0 else ", tests FAILED"
        print(f"{module}: {len(runs)} commands{failed}", flush=True)


def loaded(folder):
    runs = collections.defaultdict(list)
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        for run in json.loads(path.read_text()):
            runs[path.stem, run["command"], run["inputs"]].append(run)
    return runs


def shown(name, old, new):
    if name in ("stderr",):
        lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "old", "new", lineterm="", n=0)
        return "\n".join(f"    {line}" for line in list(lines)[2:])
    if isinstance(old, dict):
        names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        return "    " + ", ".join(names)
    return f"    {old} -> {new}"


def compare(options):
    old, new = loaded(options.old), loaded(options.new)
    differing = unstable = 0
    for key in sorted(old.keys() & new.keys()):
        # The same command on the same inputs: all of its runs must agree, or it says nothing.
        first = old[key][0]
        if any(run != first for run in old[key]):
            unstable += 1
            continue
        other = next((run for run in new[key] if run != first), None)
        if other is None:
            continue
        differing += 1
        print(f"{key[0]}: albireo {key[1]}")
        for name in ("code", "stdout", "stderr", "written"):
            if first[name] != other[name]:
                print(f"  {name}\n{shown(name, first[name], other[name])}")
    only = [(place, sorted(a.keys() - b.keys())) for place, a, b in (("old", old, new), ("new", new, old))]
    for place, keys in only:
        for module, command, _ in keys:
            print(f"only in {place}: {module}: albireo {command}")
    together = len(old.keys() & new.keys())
    print(f"{together} command lines in both: {differing} differ, {unstable} differ from run to run; only in old {len(only[0][1])}, only in new {len(only[1][1])}")
    return 1 if differing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    part = parts.add_parser("record")
    part.add_argument("out")
    part.add_argument("--program", default=ROOT / "target/release/albireo")
    part.add_argument("--tests", required=True, help="the test program of albireo-cli, target/release/deps/program-*")
    part.add_argument("modules", nargs="*")
    part.set_defaults(run=record)
    part = parts.add_parser("compare")
    part.add_argument("old")
    part.add_argument("new")
    part.set_defaults(run=compare)
    options = parser.parse_args()
    sys.exit(options.run(options))


if __name__ == "__main__":
    main()
