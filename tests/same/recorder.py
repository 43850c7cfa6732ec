#!/usr/bin/env python3
"""Stands for the program while its tests run: carries a command out and keeps what it printed and wrote.

ALBIREO_SAME_PROGRAM names the program, ALBIREO_SAME_LOG the folder of what is kept.
"""

import ctypes
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import uuid


def files(folder):
    """What tells whether a file was written, for every finished one below a folder, by its path."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            if os.path.isfile(path) and not os.path.islink(path) and not name.startswith(".albireo-"):
                state = os.stat(path)
                found[os.path.relpath(path, folder)] = (state.st_mtime_ns, state.st_ino, state.st_size)
    return found


def keep(path, log):
    """Copies a file under its digest, which is returned."""
    with open(path, "rb") as file:
        name = hashlib.file_digest(file, "sha256").hexdigest() + os.path.splitext(path)[1]
    shutil.copyfile(path, os.path.join(log, name))
    return name


def die_with_parent():
    """A killed recorder leaves no program behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def main():
    program, log = os.environ["ALBIREO_SAME_PROGRAM"], os.environ["ALBIREO_SAME_LOG"]
    folder, arguments = os.getcwd(), sys.argv[1:]
    before = files(folder)
    # Usage texts name the program as it was called.
    child = subprocess.Popen(["albireo", *arguments], executable=program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=die_with_parent)
    stopped = []

    def forward(number, _):
        stopped.append(number)
        child.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, forward)
    stdout, stderr = child.communicate()
    # What a signal interrupts depends on the moment.
    if not stopped and child.returncode >= 0:
        changed = [name for name, state in files(folder).items() if before.get(name) != state]
        run = {
            "folder": folder,
            "arguments": arguments,
            "written": {name: keep(os.path.join(folder, name), log) for name in changed},
            "code": child.returncode,
            "stdout": stdout.decode("utf-8", "replace"),
            "stderr": stderr.decode("utf-8", "replace"),
        }
        with open(os.path.join(log, uuid.uuid4().hex + ".run"), "w") as file:
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
