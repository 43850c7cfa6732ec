"""Drop-in classes for ``MDAnalysis.analysis.rdf``: ``from albireo.mdanalysis import InterRDF``.

Results, attributes and conventions are those of MDAnalysis: pairs at the last edge are counted, a group with itself has its self pairs in the
first bin, g(r) is normalised by nA nB and the mean volume. Distances are in float64 of MDAnalysis' float32 positions, so that pairs within
a rounding of an edge may fall on its other side. Where the range goes beyond the nearest image, which is all that one distance can tell,
MDAnalysis itself counts, with a warning.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from MDAnalysis.analysis import rdf as _theirs
from MDAnalysis.lib.mdamath import triclinic_vectors

from . import frames

__all__ = ["InterRDF", "InterRDF_s"]


def _box(dimensions: Any) -> Any:
    """The box of a frame: None, three lengths, or three vectors."""
    if dimensions is None or not np.any(dimensions):
        return None
    lengths, angles = np.asarray(dimensions[:3], dtype=np.float64), np.asarray(dimensions[3:])
    if np.all(angles == 90):
        return lengths.tolist()
    return np.asarray(triclinic_vectors(dimensions), dtype=np.float64)


def _same_atoms(first: Any, second: Any) -> bool:
    ours, theirs = (getattr(group, "ix", None) for group in (first, second))
    # Positions alone do not tell whose they are.
    return first is second or (ours is not None and theirs is not None and np.array_equal(ours, theirs))


class InterRDF(_theirs.InterRDF):
    """The radial distribution function between two groups of atoms, with the arguments and results of MDAnalysis.

    ``InterRDF(g1, g2, nbins=75, range=(0.0, 15.0), norm="rdf", exclusion_block=None, exclude_same=None).run()``; ``results.bins``,
    ``results.edges``, ``results.count``, ``results.rdf``. Backends: serial, multiprocessing, dask.
    """

    def _groups(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Integers whose equals are excluded."""
        if self._exclusion_block is not None:
            first, second = self._exclusion_block
            return np.arange(len(self.g1)) // first, np.arange(len(self.g2)) // second
        if self.exclude_same is None:
            return None
        names = [np.asarray(getattr(group, self.exclude_same)) for group in (self.g1, self.g2)]
        _, labels = np.unique(np.concatenate(names), return_inverse=True)
        return labels[: len(names[0])], labels[len(names[0]) :]

    def _single_frame(self) -> None:
        box = _box(self._ts.dimensions)
        if self._maxrange > frames.reach(box):
            warnings.warn(
                f"range reaches {self._maxrange:g}, beyond half the box ({frames.reach(box):g}): MDAnalysis counts these frames", stacklevel=2
            )
            return super()._single_frame()
        edges = np.array(self.results.edges, dtype=np.float64)
        low = edges[0]
        # Their histogram holds its last edge.
        edges[-1] = np.nextafter(edges[-1], np.inf)
        groups = self._groups()
        same = _same_atoms(self.g1, self.g2)
        first = self.g1.positions
        if same and (groups is None or np.array_equal(*groups)):
            counts = 2.0 * frames.pairs(first, None, edges, box, groups=groups)
            if low <= 0 and groups is None:
                counts[0] += len(self.g1)
        elif len(self.g1) and len(self.g2):
            counts = frames.pairs(first, self.g2.positions, edges, box, groups=groups).astype(np.float64)
        else:
            counts = np.zeros(len(edges) - 1)
        self.results.count += counts
        if self.norm == "rdf":
            self.results.volume_cum += self._ts.volume
        return None


class InterRDF_s(_theirs.InterRDF_s):
    """Site-specific radial distribution functions, with the arguments and results of MDAnalysis.

    Its result has a bin for every two atoms, so that its pairs are passed through one by one, in float64; bins are half-open ``[lo, hi)``, the last
    too, as in MDAnalysis. Triclinic boxes are left to MDAnalysis.
    """

    def _single_frame(self) -> None:
        box = _box(self._ts.dimensions)
        if np.ndim(box) == 2 or self._maxrange > frames.reach(box):
            return super()._single_frame()
        squares = np.asarray(self.results.edges, dtype=np.float64) ** 2
        for count, (first, second) in zip(self.results.count, self.ags):
            bins = _site_bins(first.positions, second.positions, squares, box)
            held = (bins >= 0) & (bins < len(squares) - 1)
            rows, columns = np.nonzero(held)
            count[rows, columns, bins[held]] += 1
        if self.norm == "rdf":
            self.results.volume_cum += self._ts.volume
        return None


def _site_bins(first: np.ndarray, second: np.ndarray, squares: np.ndarray, box: Any) -> np.ndarray:
    """The bin of every two atoms by the squares of the edges: the nearest image of the plain double loop."""
    total = np.zeros((len(first), len(second)))
    for axis in range(3):
        x, y = first[:, axis].astype(np.float64), second[:, axis].astype(np.float64)
        if box is not None:
            length = box[axis]
            x, y = (np.where((wrapped := np.mod(part, length)) == length, 0.0, wrapped) for part in (x, y))
        d = x[:, None] - y[None, :]
        if box is not None:
            d = np.where(d > length / 2, d - length, np.where(d < -length / 2, d + length, d))
        total += d * d
    return np.searchsorted(squares, total, side="right") - 1
