"""The engine ``"albireo"`` of pycorr.

Entry: :class:`AlbireoTwoPointCounter`, which pycorr finds by its name once this module is imported.
"""

from __future__ import annotations

import os
import warnings
from typing import Any, NamedTuple

import numpy as np
from pycorr.twopoint_counter import BaseTwoPointCounter, TwoPointCounterError

from ..catalog import Catalog
from ..command import Role, run
from ..result import Result, results
from .edges import Axis, fixed, mu_axis

#: Arguments of pycorr's other engines that tell how pairs are counted and never which.
_HOW = {"bin_refine_factors", "fast_acos", "isa", "mesh_refine_factors", "meshsize", "refine", "verbose"}
_STATISTICS = {"theta": "theta", "s": "r", "smu": "s-mu", "rppi": "rp-pi", "rp": "rp-pi"}
_LINES_OF_SIGHT = {"midpoint": "midpoint", "firstpoint": "end", "endpoint": "first", "x": "x", "y": "y", "z": "z"}


class Counted(NamedTuple):
    """Pairs in both orders, the sums of their weights, and of weights times separations."""

    ncounts: np.ndarray
    wcounts: np.ndarray
    separations: np.ndarray

    def less(self, other: Counted) -> Counted:
        """What is left without the pairs of `other`."""
        return Counted(self.ncounts - other.ncounts, self.wcounts - other.wcounts, self.separations - other.separations)


class AlbireoTwoPointCounter(BaseTwoPointCounter):
    """Two-point counts by albireo: exact pairs, the same for any number of threads, with the arguments of pycorr's counters.

    Every mode (theta, s, smu, rppi, rp), line of sight, kind of weight (individual, PIP with any normalisation, angular upweights),
    selection (``rp`` and ``theta`` in every mode that has them) and MPI. Edges need not be even. As in pycorr, bins are ``[lo, hi)``, autos hold
    both orders, mu of +-1 is not counted where the outer edges are just that, and ``sep`` is the mean weighted by the pairs' weights; a
    negative mu or pi that lies on an edge is in the bin above it in absolute value, the mirror image of what positive ones do; edges that
    mirror at 0 but for rounding are made to mirror.

    Further arguments: ``device`` is an engine of albireo (``"cpu"``, the default, ``"cuda"``, ``"auto"``, ``"cuda+cpu"``, ``"naive"``), and
    ``gpu=True`` another word for ``"cuda"``. What else pycorr's engines take of the kind (``isa``, ``mesh_refine_factors``) has no effect.
    Raises :class:`pycorr.twopoint_counter.TwoPointCounterError`.
    """

    name = "albireo"

    def run(self) -> None:
        """Counts the pairs and sets ``wcounts``, ``ncounts`` and ``sep``."""
        self.ncounts = np.zeros(self.shape, dtype="i8")
        if self.ndim == 2:
            self.compute_sepsavg[1] = False
        first, second = self._mpi_decompose()
        # Parts of one sample are different samples to each process.
        auto = self.autocorr and not self.with_mpi
        counted = self._counted(first, None if auto else second)
        if self.with_mpi:
            counted = self._without_self_pairs(Counted(*(self.mpicomm.allreduce(part) for part in counted)))
        self.ncounts = counted.ncounts
        self.wcounts = np.where(counted.ncounts == 0, 0.0, counted.wcounts)
        if self.compute_sepavg:
            with np.errstate(divide="ignore", invalid="ignore"):
                self.sep = np.where(counted.ncounts == 0, np.nan, counted.separations / counted.wcounts)

    def __getstate__(self) -> dict[str, Any]:
        """What is saved: as counts of no engine in particular, so that pycorr alone can load them."""
        return {**super().__getstate__(), "name": BaseTwoPointCounter.name}

    def _axes(self, samples: list[Any]) -> tuple[list[Axis], dict[str, Any]]:
        """The bins that are counted, with how they become those asked for."""
        separations = fixed(self.edges[0])
        options: dict[str, Any] = {"bins": separations.edges}
        if self._by_line_of_sight():
            # One bin of all mu, so that a pair is looked at in both orders.
            options.update(statistic="s-mu", mu_bins=(second := fixed(np.array([-1.0, 1.0]))).edges)
            return [separations, second], options
        if self.mode == "smu":
            options["mu_bins"] = (second := mu_axis(self.edges[1])).edges
            return [separations, second], options
        if self.mode in ("rp", "rppi"):
            farthest = self._farthest(samples)
            asked = np.array([-farthest, farthest]) if self.mode == "rp" else np.clip(self.edges[1], -farthest, farthest)
            options["pi_bins"] = (second := fixed(asked)).edges
            return [separations, second], options
        return [separations], options

    def _by_line_of_sight(self) -> bool:
        """Whether bins without a line of sight are those of a selection with one."""
        return self.mode == "s" and self.selection_attrs.get("rp") is not None

    def _farthest(self, samples: list[Any]) -> float:
        """A distance along the line of sight that no pair reaches, or half the box, beyond which there is no nearest image."""
        if self.periodic:
            return float(self.boxsize["xyz".index(self.los_type)]) / 2
        columns = [np.concatenate([np.asarray(sample[axis], dtype="f8") for sample in samples]) for axis in range(3)]
        return float(np.ceil(np.linalg.norm([np.ptp(column) for column in columns]))) + 1.0

    def _counted(self, first: Any, second: Any) -> Counted:
        """The pairs of the selection."""
        samples = [sample for sample in (first, second) if sample is not None]
        zero = np.zeros(self.shape)
        if any(len(positions[0]) == 0 for positions, _ in samples) or (second is None and len(first[0][0]) < 2):
            return Counted(zero.astype("i8"), zero, zero.copy())
        axes, options = self._axes([positions for positions, _ in samples])
        # Pairs of points with themselves are left out: their weights, once rounded, are more than those of a few pairs. Parts of processes have no
        # numbers of their rows.
        own = np.arange(len(first[0][0])) if self.same_shotnoise and not self.with_mpi else None
        positions, weights = second or first
        roles = [_role(None, "", self._catalog(positions, weights, own))]
        if second is not None:
            # A separation is ours from the second point to the first, and theirs from the first to the second.
            roles.append(_role("second", "second-", self._catalog(first[0], first[1], own)))
        options = {**self._options(), **options}
        kept = [self._of_cut(roles, {**options, **cuts}, axes) for cuts in self._cuts()]
        return kept[0] if len(kept) == 1 else kept[0].less(kept[1])

    def _catalog(self, positions: Any, weights: Any, group: np.ndarray | None) -> Catalog:
        """A sample with its weights, bytes of bits first, as pycorr has them; of one `group` no pairs are counted."""
        n = self.n_bitwise_weights
        beside: dict[str, Any] = {"group": group}
        if len(weights) > n:
            beside["weights"] = np.asarray(weights[n], dtype="f8")
        if n:
            padded = np.zeros((len(weights[0]), -(-n // 8) * 8), dtype=np.uint8)
            padded[:, :n] = np.stack(weights[:n], axis=1)
            beside["bits"] = padded.view(np.uint64)
        columns = tuple(np.asarray(column, dtype="f8") for column in positions)
        return Catalog(sky=columns[:2], **beside) if self.mode == "theta" else Catalog(columns, **beside)

    def _options(self) -> dict[str, Any]:
        """What does not depend on the samples."""
        attributes = dict(self.attrs)
        device = attributes.pop("device", None) or ("cuda" if attributes.pop("gpu", False) else "cpu")
        unknown = sorted(set(attributes) - _HOW - {"gpu"})
        if unknown:
            warnings.warn(f"These arguments are not read: {', '.join(unknown)}", stacklevel=2)
        options: dict[str, Any] = {"statistic": _STATISTICS[self._known_mode()], "engine": device}
        if device in ("cpu", "auto"):
            options["threads"] = min(max(self.nthreads, 1), 4 * (os.cpu_count() or 1))
        if self.mode != "theta":
            options["box"] = self.boxsize.tolist() if self.periodic else "none"
            options["wrap"] = self.periodic
        if self.mode in ("smu", "rppi", "rp") or self._by_line_of_sight():
            options["los"] = _LINES_OF_SIGHT[self.los_type]
        if self.compute_sepavg:
            weighted = self.weights1 or self.cos_twopoint_weights is not None
            options["mean_separation"] = "weighted" if weighted else True
        if self.n_bitwise_weights:
            options.update(self._inverse_probability())
        return options

    def _known_mode(self) -> str:
        if self.mode not in _STATISTICS:
            raise TwoPointCounterError(f"mode: expected one of {', '.join(_STATISTICS)}, found {self.mode}")
        return self.mode

    def _inverse_probability(self) -> dict[str, Any]:
        """Weights by common bits; pycorr decides what counts are normalised by, unless each pair is."""
        attributes = self.weight_attrs
        counter = attributes["normalization"] == "counter"
        if attributes["correction"] is not None and not counter:
            raise TwoPointCounterError("correction: a table of corrections is taken from normalization='counter' alone, found one beside another")
        realizations = attributes["nrealizations"]
        if int(realizations) != realizations:
            raise TwoPointCounterError(f"nrealizations: expected a whole number, found {realizations}")
        return {
            "pip_realizations": int(realizations),
            "pip_offset": attributes["noffset"],
            "pip_always": attributes["nalways"],
            "pip_default": float(attributes["default_value"]),
            "pip_total": "counter" if counter else None,
        }

    def _cuts(self) -> list[dict[str, Any]]:
        """The cuts of one count, or of two whose difference is the selection: the pairs from its lower end on less those from its upper."""
        wanted = {name: limits for name, limits in self.selection_attrs.items() if limits != (0.0, np.inf)}
        unknown = sorted(set(wanted) - {"rp", "theta"})
        if unknown or (self.mode == "theta" and "rp" in wanted):
            raise TwoPointCounterError(f"selection_attrs: expected rp or theta (theta alone in mode theta), found {', '.join(unknown) or 'rp'}")
        if not wanted:
            return [{}]
        if len(wanted) > 1:
            raise TwoPointCounterError("selection_attrs: expected one selection, found rp and theta")
        ((name, (low, high)),) = wanted.items()
        most = 180.0 if name == "theta" else 1e30
        # All angles lie below 180 degrees, or at it.
        low, high = max(low, 0.0), np.inf if high > most or np.isnan(high) else high
        if not low < high:
            raise TwoPointCounterError(f"selection_attrs: {name}: expected a lower end below the upper one, found {low:g} and {high:g}")
        above = {f"{name}_cut": f"{high!r}:{most!r}"}
        below = {f"{name}_cut": f"0:{float(low)!r}"}
        if high == np.inf:
            return [below] if low > 0 else [{}]
        return [above] if low == 0 else [below, {f"{name}_cut": f"0:{float(high)!r}"}]

    def _of_cut(self, roles: list[Role], options: dict[str, Any], axes: list[Axis]) -> Counted:
        """The pairs that one count of ours keeps."""
        try:
            with _Upweights(self.twopoint_weights) as angular:
                given = {**options, "angular": angular}
                result = results(run(["count"], roles, {key: value for key, value in given.items() if value is not None}))
        except ValueError as error:
            raise TwoPointCounterError(f"albireo: {error}") from error
        return self._in_both_orders(result, len(roles) == 1, axes)

    def _in_both_orders(self, result: Result, auto: bool, axes: list[Axis]) -> Counted:
        pairs = result.npairs.astype("i8")
        weights = result["weight"].reshape(pairs.shape) if "weight" in result.columns else pairs.astype("f8")
        means = np.nan_to_num(result.mean) if self.compute_sepavg else np.zeros(pairs.shape)
        parts = [pairs, weights, means * weights]
        if auto:
            (count,) = result.record["counts"].values()
            n = len(self.positions1[0])
            parts = [part * (n * (n - 1) // count["total_pairs"]) for part in parts]
        for number, axis in enumerate(axes):
            parts = [axis.asked(part, number) for part in parts]
        return Counted(*(part.reshape(self.shape) for part in parts))

    def _without_self_pairs(self, counted: Counted) -> Counted:
        """Takes off the pairs of each point with itself where the parts of a sample were counted against each other."""
        if not (self.autocorr or self.same_shotnoise):
            return counted
        place = tuple(int(np.searchsorted(edges, 0.0, side="right")) - 1 for edges in self.edges)
        inside = all(0 <= k < n for k, n in zip(place, self.shape))
        if inside and all(limits[0] <= 0.0 for limits in self.selection_attrs.values()):
            counted.ncounts[place] -= self.size1
            counted.wcounts[place] -= self._sum_auto_weights()
        return counted


def _role(flag: str | None, prefix: str, catalog: Catalog) -> Role:
    return Role(flag, prefix, catalog)


class _Upweights:
    """Angular upweights as the file that a command reads, for as long as it works; None where there are none."""

    def __init__(self, weights: Any) -> None:
        self.weights = weights
        self.path: str | None = None

    def __enter__(self) -> str | None:
        if self.weights is None:
            return None
        import tempfile

        angles, factors = _nodes(self.weights)
        with tempfile.NamedTemporaryFile("w", prefix="albireo-", suffix=".txt", delete=False) as file:
            self.path = file.name
            file.writelines(f"{float(angle)!r} {float(factor)!r}\n" for angle, factor in zip(angles, factors))
        return f"@{self.path}"

    def __exit__(self, *_: object) -> None:
        if self.path is not None:
            os.unlink(self.path)


def _nodes(weights: Any) -> tuple[np.ndarray, np.ndarray]:
    """Angles in degrees, rising, and the factors at them."""
    if hasattr(weights, "sep"):
        angles, factors = weights.sep, weights.weight
    else:
        try:
            angles, factors = weights["sep"], weights["weight"]
        except (IndexError, TypeError):
            angles, factors = weights
    angles, factors = np.asarray(angles, dtype="f8").ravel(), np.asarray(factors, dtype="f8").ravel()
    order = np.argsort(angles)
    return angles[order], factors[order]
