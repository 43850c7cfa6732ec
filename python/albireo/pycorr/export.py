"""Results of this package as pycorr's objects, which save themselves in its form.

Entry: :func:`to_pycorr`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pycorr import AnalyticTwoPointCounter, JackknifeTwoPointCounter
from pycorr.twopoint_counter import BaseTwoPointCounter
from pycorr.twopoint_estimator import get_twopoint_estimator

from ..result import Result

_MODES = {"r": "s", "s-mu": "smu", "rp-pi": "rppi", "theta": "theta"}
_LINES_OF_SIGHT = {"first": "firstpoint", "end": "endpoint"}
_ESTIMATORS = {
    "natural": "natural",
    "landy-szalay": "landyszalay",
    "landy-szalay-cross": "landyszalay",
    "shifted-randoms": "landyszalay",
    "davis-peebles": "davispeebles",
}
#: Counts of ours by pycorr's names; D and R are of both samples where there is one.
_COUNTS = {
    "DD": "D1D2", "DR": "D1R2", "RR": "R1R2", "DS": "D1S2", "SD": "S1D2", "SS": "S1S2",
    "D1D2": "D1D2", "D1R2": "D1R2", "R1D2": "R1D2", "R1R2": "R1R2", "D1S2": "D1S2", "S1D2": "S1D2", "S1S2": "S1S2",
}
_ROLES = {"D": ("data", "cross"), "R": ("randoms", "cross-randoms"), "S": ("shifted-randoms", "shifted-randoms")}


def to_pycorr(result: Result) -> Any:
    """Pair counts as a counter of pycorr, a correlation function as its estimator, with jackknife regions where the result has them.

    Counts are as pycorr has them: autos in both orders, bins in mu and pi on both sides of 0. Where those of the result are folded
    (from 0 on), each pair is halved between both sides, which is what autos are in truth; pycorr's ``wrap()`` makes integers of them again. Of
    wp, multipoles and wedges it is the xi(rp, pi) or xi(s, mu) that they were made of. Separations are the middles of bins.

    Raises ValueError for what pycorr has no form for: an estimator that it does not know, regions of a box whose random pairs are known.

    >>> import numpy as np, albireo
    >>> from albireo.pycorr import to_pycorr
    >>> points = np.random.default_rng(1).random((2, 500, 3)) * 50
    >>> xi = albireo.xi(points[0], points[1], bins="lin:0:20:4", regions=8)
    >>> theirs = to_pycorr(xi)
    >>> bool(np.allclose(theirs.corr, xi.xi)), theirs.nrealizations
    (True, 8)
    """
    if not isinstance(result, Result):
        raise TypeError(f"expected a Result, found {type(result).__name__}")
    record = result.counts.record
    mode = _MODES.get(record.get("statistic", ""))
    if mode is None or result.counts.kind not in ("pair counts", "correlation function"):
        raise ValueError(f"expected pair counts or a correlation function with its counts, found {result.kind}")
    form = _Form(result, mode)
    counts = {_COUNTS[name]: form.counter(name) for name in record["counts"] if name in _COUNTS}
    if result.kind == "pair counts":
        return next(iter(counts.values()))
    name = _ESTIMATORS.get(record.get("estimator", ""))
    if name is None:
        raise ValueError(f"pycorr has no estimator {record.get('estimator')}: expected one of {', '.join(_ESTIMATORS)}")
    if "R1R2" not in counts and name == "natural":
        counts["R1R2"] = form.known(counts["D1D2"])
    return get_twopoint_estimator(name, with_jackknife=form.regions is not None)(**counts)


class _Form:
    """What all counts of a result have in common."""

    def __init__(self, result: Result, mode: str) -> None:
        self.result = result.counts
        self.record = self.result.record
        self.mode = mode
        edges = self.result.edges
        self.edges = [np.array(axis) for axis in (edges if isinstance(edges, tuple) else (edges,))]
        self.shape = tuple(len(axis) - 1 for axis in self.edges)
        self.folded = len(self.edges) == 2 and self.edges[1][0] >= 0
        if self.folded:
            if self.edges[1][0] != 0:
                raise ValueError(f"pycorr's bins in mu and pi hold 0: expected a first edge of 0, found {self.edges[1][0]:g}")
            self.edges[1] = np.concatenate([-self.edges[1][:0:-1], self.edges[1]])
        self.regions = result.region_counts if "region-counts" in result._parts else None
        box = self.record.get("box") or {}
        self.boxsize = np.array(box["lengths"], dtype="f8") if box.get("kind") == "periodic" and None not in box["lengths"] else None

    def size(self, role: str) -> int:
        samples = {sample["role"]: sample["rows_used"] for sample in self.record["samples"]}
        found = [samples[name] for name in (role, role.replace("cross-", ""), "data" if role in ("cross", "second") else role) if name in samples]
        return int(found[0]) if found else 0

    def counter(self, name: str) -> Any:
        """The counts of this name."""
        one = self.record["counts"][name]
        # Ours hold each pair of a sample once, but for those whose bin tells their order.
        orders = 2 if one["kind"] == "auto (each pair once)" else 1
        column = (lambda kind: kind) if f"{name}_npairs" not in self.result.columns else (lambda kind: f"{name}_{kind}")
        total = self._columns(self.result, column, orders)
        auto = one["kind"].startswith("auto")
        sizes = [self.size(_ROLES[letter][k if not auto else 0]) for k, letter in enumerate(c for c in name if c in _ROLES)]
        cls = BaseTwoPointCounter if self.regions is None else JackknifeTwoPointCounter
        made = self._made(cls, total, one["total_weight"] * orders, auto, sizes)
        if self.regions is not None:
            self._by_region(made, name, orders, auto)
        return made

    def _columns(self, table: Result, column: Any, orders: int, rows: Any = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """Numbers and weights of pairs in both orders."""
        pairs = table[column("npairs")][rows].astype("i8") * orders
        weights = table[column("weight")][rows] * orders if column("weight") in table.columns else pairs.astype("f8")
        return pairs, weights

    def _unfolded(self, values: np.ndarray) -> np.ndarray:
        shaped = values.reshape(self.shape)
        if not self.folded:
            return shaped
        lower = shaped // 2 if values.dtype.kind == "i" else shaped / 2
        return np.concatenate([lower[:, ::-1], shaped - lower], axis=1)

    def _made(self, cls: Any, counts: tuple[np.ndarray, np.ndarray], wnorm: float, auto: bool, sizes: list[int]) -> Any:
        new = cls.__new__(cls)
        los = self.record.get("line_of_sight") or "midpoint"
        new.attrs, new.mpicomm, new.mode, new.bin_type, new.dtype = {}, None, self.mode, "custom", np.dtype("f8")
        new.edges = [axis.copy() for axis in self.edges]
        new.boxsize, new.los_type, new.compute_sepsavg = self.boxsize, _LINES_OF_SIGHT.get(los, los), [False] * len(self.edges)
        new.weight_attrs, new.cos_twopoint_weights, new.selection_attrs = {}, None, {}
        new.autocorr, (new.size1, new.size2) = auto, sizes if len(sizes) == 2 else (0, 0)
        new._set_default_seps()
        new._set_reversible()
        new.ncounts, new.wcounts = (self._unfolded(part) for part in counts)
        new.wnorm = float(wnorm)
        return new

    def _by_region(self, made: Any, name: str, orders: int, auto: bool) -> None:
        """Gives a counter its regions: pairs within each, and half of those across its border in either order."""
        regions = self.regions
        assert regions is not None
        totals = regions.record["region_totals"][name]
        labels = (self.record["regions"].get("values") or range(len(totals["within"]["weight"])))
        made.auto, made.cross12, made.cross21 = {}, {}, {}
        for number, label in enumerate(labels):
            rows = regions["region"] == number
            within = self._columns(regions, lambda kind: f"{name}_within_{kind}", orders, rows)
            made.auto[label] = self._made(BaseTwoPointCounter, within, totals["within"]["weight"][number] * orders, auto, [0, 0])
            pairs, weights = self._columns(regions, lambda kind: f"{name}_across_{kind}", orders, rows)
            wnorm = totals["across"]["weight"][number] * orders / 2
            made.cross12[label] = self._made(BaseTwoPointCounter, (pairs - pairs // 2, weights / 2), wnorm, False, [0, 0])
            made.cross21[label] = self._made(BaseTwoPointCounter, (pairs // 2, weights / 2), wnorm, False, [0, 0])

    def known(self, data: Any) -> Any:
        """The random pairs of a periodic box."""
        if self.regions is not None:
            raise ValueError("pycorr has no random pairs by region of a box: measure with randoms, or without regions")
        if self.boxsize is None:
            raise ValueError("pycorr knows the random pairs of a periodic box with lengths alone")
        sizes = (data.size1, None if data.autocorr else data.size2)
        los = data.los_type if data.los_type in ("x", "y", "z") else "z"
        return AnalyticTwoPointCounter(self.mode, self.edges if len(self.edges) > 1 else self.edges[0], self.boxsize, *sizes, los=los)
