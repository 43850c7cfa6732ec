"""The catalogues that come with albireo.

Entry: :func:`path`.
"""

from __future__ import annotations

import os

_FOLDER = os.path.join(os.path.dirname(__file__), "sample_data")


def names() -> list[str]:
    """The catalogues that there are."""
    return sorted(name for name in os.listdir(_FOLDER) if not name.endswith(".md"))


def path(name: str) -> str:
    """The path of one of them.

    >>> import albireo
    >>> albireo.samples.path("galaxies_box.h5").endswith("galaxies_box.h5")
    True
    """
    found = os.path.join(_FOLDER, name)
    if not os.path.isfile(found):
        raise FileNotFoundError(2, f"no sample of this name; there are {', '.join(names())}", name)
    return found
