#!/usr/bin/env -S python3 -IS
"""Stands for the program while its tests run: carries a command out and keeps what it printed and wrote.

ALBIREO_SAME_PROGRAM names the program, ALBIREO_SAME_LOG the folder of what is kept. It starts with every command, and therefore imports little.
"""

# The module `signal` takes half as long to import as Python to start.
import _signal as signal
import marshal
import os
import select
import sys


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


def new_name():
    return os.urandom(16).hex()


def keep(path, log):
    """Copies a file under a name of its own, which is returned."""
    name = new_name() + os.path.splitext(path)[1]
    with open(path, "rb") as file, open(os.path.join(log, name), "wb") as copy:
        copy.write(file.read())
    return name


def start(program, arguments):
    """Starts the program; its process, and where to read what it prints and what it says."""
    (stdout, to_stdout), (stderr, to_stderr) = os.pipe(), os.pipe()
    ends = [(os.POSIX_SPAWN_DUP2, to_stdout, 1), (os.POSIX_SPAWN_DUP2, to_stderr, 2)]
    # Python ignores these.
    defaults = [signal.SIGPIPE, signal.SIGXFSZ]
    # Usage texts name the program as it was called.
    child = os.posix_spawn(program, ["albireo", *arguments], os.environ, file_actions=ends, setsigdef=defaults)
    os.close(to_stdout)
    os.close(to_stderr)
    return child, stdout, stderr


def read_all(*ends):
    """All that comes out of some pipes."""
    read = {end: b"" for end in ends}
    still_open = list(ends)
    while still_open:
        for end in select.select(still_open, [], [])[0]:
            piece = os.read(end, 1 << 16)
            read[end] += piece
            if not piece:
                still_open.remove(end)
    return read.values()


def main():
    program, log = os.environ["ALBIREO_SAME_PROGRAM"], os.environ["ALBIREO_SAME_LOG"]
    folder, arguments = os.getcwd(), sys.argv[1:]
    before = files(folder)
    child, *ends = start(program, arguments)
    stopped = []

    def forward(number, _):
        stopped.append(number)
        os.kill(child, number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, forward)
    stdout, stderr = read_all(*ends)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    # What a signal interrupts depends on the moment.
    if not stopped and code >= 0:
        changed = [name for name, state in files(folder).items() if before.get(name) != state]
        run = {
            "folder": folder,
            "arguments": arguments,
            "written": {name: keep(os.path.join(folder, name), log) for name in changed},
            "code": code,
            "stdout": stdout.decode("utf-8", "replace"),
            "stderr": stderr.decode("utf-8", "replace"),
        }
        with open(os.path.join(log, new_name() + ".run"), "wb") as file:
            marshal.dump(run, file)
    sys.stdout.buffer.write(stdout)
    sys.stdout.flush()
    sys.stderr.buffer.write(stderr)
    sys.stderr.flush()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    main()
