"""Pairs of one frame of a simulation, for the interfaces of other packages.

Entry: :func:`pairs`. Positions are wrapped into the box; what is counted, and in which bins, is the caller's convention.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .catalog import Catalog
from .command import Role, run
from .result import results


def reach(box: Any) -> float:
    """The largest separation that the nearest image decides: half the shortest vector of the lattice; without end in open space."""
    if box is None:
        return np.inf
    vectors = np.asarray(box if not any(length is None for length in np.ravel(box)) else [length or np.inf for length in box], dtype=np.float64)
    if vectors.size <= 3:
        return float(vectors.min()) / 2
    steps = [step for step in itertools.product((-1, 0, 1), repeat=3) if any(step)]
    return min(float(np.linalg.norm(np.array(step) @ vectors.reshape(3, 3))) for step in steps) / 2


def pairs(
    first: np.ndarray, second: np.ndarray | None, edges: np.ndarray, box: Any, *, groups: tuple[Any, Any] | None = None, threads: int | None = None
) -> np.ndarray:
    """Numbers of pairs, each unordered one of a single sample once, in bins ``[lo, hi)``; `groups` are integers whose equals make no pair.

    `box` is None for open space, lengths (None for an open axis), or three vectors.
    """
    labels = (None, None) if groups is None else groups
    roles = [Role(None, "", Catalog(first, group=labels[0]))]
    if second is not None:
        roles.append(Role("second", "cross-", Catalog(second, group=labels[1])))
    options: dict[str, Any] = {"bins": edges, "box": "none" if box is None else box, "engine": "cpu"}
    if box is not None:
        options["wrap"] = True
    if threads is not None:
        options["threads"] = threads
    return results(run(["count"], roles, options)).npairs
