"""Measurements whose pairs are counted in parts, by several processes or machines, and put together as the whole.

Entry: :func:`part`, on each worker, then :func:`whole`. Both name the same measurement with the same samples and options.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from .result import NoResult, Result


def part(measure: Callable[..., Result], index: int, of: int, path: str | os.PathLike[str], *samples: Any, **options: Any) -> str:
    """Counts part `index`, from 0, of `of` parts of the pairs that ``measure(*samples, **options)`` counts; writes them to `path`, returns it.

    `measure` is :func:`albireo.count`, :func:`albireo.xi`, :func:`albireo.wp` or another measurement of pairs. With ``checkpoint=`` a folder the part
    goes on where it was when its process ends. Raises ValueError as `measure` does, and for a part that there is not.
    """
    path = os.fspath(path)
    try:
        measure(*samples, shard=f"{int(index)}/{int(of)}", part=path, **options)
    except NoResult:
        return path
    raise ValueError("part: this measurement has no parts")


def whole(
    measure: Callable[..., Result], parts: Sequence[str | os.PathLike[str]], *samples: Any, partial: bool = False, **options: Any
) -> Result:
    """Makes the result of ``measure(*samples, **options)`` of all its parts, in any order: the same integers, counted by whoever counted them.

    Raises ValueError for parts that are damaged, of another measurement or held twice, and for missing ones unless `partial`.

    >>> import albireo, os, tempfile
    >>> galaxies = albireo.samples.path("galaxies_box.h5")
    >>> folder = tempfile.mkdtemp()
    >>> parts = [albireo.part(albireo.count, k, 3, os.path.join(folder, f"{k}.alb"), galaxies, bins=[0, 1, 2]) for k in range(3)]
    >>> dd = albireo.whole(albireo.count, parts[::-1], galaxies, bins=[0, 1, 2])
    >>> bool((dd.npairs == albireo.count(galaxies, bins=[0, 1, 2]).npairs).all())
    True
    """
    # Nobody counts: the reference needs no device and no threads.
    for name in ("engine", "threads", "isa", "devices", "checkpoint", "checkpoint_every"):
        options.pop(name, None)
    files = [os.fspath(path) for path in parts]
    if not files:
        raise ValueError("whole: expected at least one part")
    return measure(*samples, engine="naive", from_part=files, from_some_parts=partial, **options)
