"""Edges of pycorr as edges of ours, and counts in them as counts in theirs.

Entry: :func:`fixed`, :func:`mu_axis`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Axis(NamedTuple):
    """Edges that are counted in, and for each bin asked for the one that it is, -1 for none."""

    edges: np.ndarray
    bins: np.ndarray

    def asked(self, counts: np.ndarray, axis: int) -> np.ndarray:
        """Counts in the bins asked for; those that are no bin of ours hold nothing."""
        taken = np.take(counts, np.maximum(self.bins, 0), axis=axis)
        empty = [slice(None)] * counts.ndim
        empty[axis] = self.bins < 0  # type: ignore[call-overload]
        taken[tuple(empty)] = 0
        return taken


def _mirrored(edges: np.ndarray) -> np.ndarray:
    """Edges that mirror at 0 but for rounding, as those of linspace do, made to mirror: both orders of a pair are then counted at once."""
    edges = np.asarray(edges, dtype="f8")
    rounding = 4 * np.finfo("f8").eps * np.max(np.abs(edges), initial=0.0)
    if np.min(edges, initial=0.0) < 0 and np.all(np.abs(edges + edges[::-1]) <= rounding):
        return (edges - edges[::-1]) / 2
    return edges


def _of(counted: np.ndarray) -> Axis:
    """Edges that may repeat: a bin between equal ones holds nothing."""
    edges, place = np.unique(counted, return_inverse=True)
    return Axis(edges, np.where(np.diff(place) > 0, place[:-1], -1))


def fixed(edges: np.ndarray) -> Axis:
    """The edges as they are, but for those that were brought to the same end."""
    return _of(_mirrored(edges))


def mu_axis(edges: np.ndarray) -> Axis:
    """Edges of mu: +-1 themselves belong to a bin only where its edge lies beyond."""
    edges = _mirrored(edges)
    below = np.nextafter(1.0, 0.0)
    inside = np.clip(edges, -below, below)
    return _of(np.where(np.abs(edges) > 1.0, np.sign(edges), inside))
