"""The program ``albireo``, as the wheel installs it."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Runs the command line with the arguments of this process."""
    from ._native import native

    # The program has its own way with Ctrl-C; Python's would wait for the interpreter.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return native().main(["albireo", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
