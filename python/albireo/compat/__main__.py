"""``python -m albireo.compat corrfunc|pycorr script.py ...``: runs a script on this engine, unchanged."""

from __future__ import annotations

import runpy
import sys

from . import install


def main() -> int:
    """Runs the script that the arguments name, with the rest of them."""
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        print("usage: python -m albireo.compat corrfunc|pycorr SCRIPT [ARGUMENT ...]", file=sys.stderr)
        return 2
    try:
        install(sys.argv[1])
    except (ValueError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    sys.argv = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
