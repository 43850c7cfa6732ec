"""A drop-in class for ``freud.density.RDF``: ``from albireo.freud import RDF``.

Arguments, attributes and conventions are those of freud: bins ``[lo, hi)``, both orders of a pair within one sample, ``exact`` normalised by N^2
and ``finite_size`` by N (N - 1). Distances are in float64 of freud's float32 positions. A neighbour list or query of the caller's own
(``neighbors=``) and ranges beyond half the box are left to freud.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from . import frames

_theirs: Any = importlib.import_module("freud")
_Base: Any = _theirs.density.RDF

__all__ = ["RDF"]


def _box(box: Any) -> Any:
    """The box: None, lengths (None for an open axis), or three vectors."""
    periodic = [bool(axis) for axis in box.periodic]
    if box.is2D:
        periodic[2] = False
    lengths = [box.Lx, box.Ly, box.Lz]
    tilted = any((box.xy, box.xz, box.yz))
    if not any(periodic):
        return None
    if tilted:
        return np.asarray(box.to_matrix(), dtype=np.float64).T if all(periodic) else NotImplemented
    return [length if axis else None for length, axis in zip(lengths, periodic)]


class RDF(_Base):
    """The radial distribution function with the interface of freud.

    ``RDF(bins, r_max, r_min=0, normalization_mode="exact").compute((box, points))``; ``rdf``, ``n_r``, ``bin_counts``.
    """

    def __init__(self, bins: int, r_max: float, r_min: float = 0, normalization_mode: str = "exact") -> None:
        super().__init__(bins, r_max, r_min, normalization_mode)
        self._edges = np.linspace(r_min, r_max, bins + 1, dtype=np.float64)
        self._own: dict[str, Any] | None = None
        # Some releases of freud leave it out until something is computed.
        self._called_compute = False

    def compute(self, system: Any, query_points: Any = None, neighbors: Any = None, reset: bool = True) -> RDF:
        """Counts the pairs of a system, or of `query_points` around its points, and adds them to those of before unless `reset`."""
        if reset:
            self._own = None
        query = _theirs.locality.NeighborQuery.from_system(system)
        box = _box(query.box)
        beyond = box is NotImplemented or self.r_max > frames.reach(box)
        if neighbors is not None or beyond or (self._own is None and not reset and self._called_compute):
            if self._own is not None:
                raise ValueError("reset=False: the frames before were counted otherwise: pass `neighbors` for all of them or for none")
            return super().compute(system, query_points, neighbors, reset)
        points = np.asarray(query.points)
        if query_points is None:
            counts = 2 * frames.pairs(points, None, self._edges, box)
            number = len(points)
        else:
            others = np.asarray(query_points, dtype=np.float32)
            counts = frames.pairs(points, others, self._edges, box)
            number = len(others)
        before = self._own or {"counts": np.zeros(len(counts), dtype=np.uint64), "frames": 0}
        self._own = {
            "counts": before["counts"] + counts.astype(np.uint64), "frames": before["frames"] + 1, "points": len(points), "queries": number,
            "box": query.box,
        }  # fmt: skip
        self._called_compute = True
        return self

    def _shells(self) -> np.ndarray:
        assert self._own is not None
        if self._own["box"].is2D:
            return np.pi * np.diff(self._edges**2)
        return 4 / 3 * np.pi * np.diff(self._edges**3)

    @property
    def bin_counts(self) -> np.ndarray:
        """Pairs in each bin, both orders within one sample."""
        return super().bin_counts if self._own is None else self._own["counts"]

    @property
    def box(self) -> Any:
        """The box of the last frame."""
        return super().box if self._own is None else self._own["box"]

    @property
    def rdf(self) -> np.ndarray:
        """g(r) in each bin."""
        own = self._own
        if own is None:
            return super().rdf
        density = own["points"] / own["box"].volume
        expected = own["frames"] * own["queries"] * density * self._shells()
        if self.mode == "finite_size":
            expected *= (own["queries"] - 1) / own["queries"]
        return own["counts"] / expected

    @property
    def n_r(self) -> np.ndarray:
        """Mean number of points within the upper edge of each bin."""
        own = self._own
        return super().n_r if own is None else np.cumsum(own["counts"]) / (own["frames"] * own["queries"])
