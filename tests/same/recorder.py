#!/usr/bin/env python3
"""Stands for the program while its tests run: carries a command out and keeps what it printed and wrote.

ALBIREO_SAME_PROGRAM names the program, ALBIREO_SAME_LOG the folder of what is kept.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import uuid


def contents(folder, kept):
    """The digest of every file below a folder, by its path, each content kept once under its digest."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            unfinished = name.startswith(".albireo-")
            if os.path.isfile(path) and not os.path.islink(path) and not unfinished:
                with open(path, "rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest() + os.path.splitext(name)[1]
                found[os.path.relpath(path, folder)] = digest
                if not os.path.exists(os.path.join(kept, digest)):
                    shutil.copyfile(path, os.path.join(kept, digest))
    return found


def main():
    program, log = os.environ["ALBIREO_SAME_PROGRAM"], os.environ["ALBIREO_SAME_LOG"]
    folder, arguments = os.getcwd(), sys.argv[1:]
    kept = os.path.join(log, "files")
    os.makedirs(kept, exist_ok=True)
    before = contents(folder, kept)
    child = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    stopped = []

    def forward(number, _):
        stopped.append(number)
        child.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, forward)
    stdout, stderr = child.communicate()
    # What a signal interrupts depends on the moment.
    if not stopped and child.returncode >= 0:
        after = contents(folder, kept)
        run = {
            "folder": folder,
            "arguments": arguments,
            "inputs": before,
            "written": {name: digest for name, digest in after.items() if before.get(name) != digest},
            "code": child.returncode,
            "stdout": stdout.decode("utf-8", "replace"),
            "stderr": stderr.decode("utf-8", "replace"),
        }
        with open(os.path.join(log, uuid.uuid4().hex + ".json"), "w") as file:
            json.dump(run, file)
    sys.stdout.buffer.write(stdout)
    sys.stdout.flush()
    sys.stderr.buffer.write(stderr)
    sys.stderr.flush()
    if child.returncode < 0:
        signal.signal(-child.returncode, signal.SIG_DFL)
        os.kill(os.getpid(), -child.returncode)
    sys.exit(child.returncode)


if __name__ == "__main__":
    main()
