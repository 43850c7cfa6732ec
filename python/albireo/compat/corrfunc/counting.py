"""Counts in the conventions of Corrfunc.

Entry: :func:`counted`. Pairs of one sample are counted twice, and with themselves where the first bin begins at 0; means are 0 where there are
no pairs.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...catalog import Catalog
from ...command import Role, run
from ...result import results

ISAS = ("fallback", "sse42", "avx", "avx2", "avx512f", "fastest")


class Counts(NamedTuple):
    """Of each bin, the second axis fastest: pairs, sums of weights (None without any) and mean separations (0 where not asked for)."""

    npairs: np.ndarray
    weight: np.ndarray | None
    mean: np.ndarray


@dataclasses.dataclass(frozen=True)
class Sample:
    """A sample: columns, one weight each or none."""

    columns: tuple[np.ndarray, ...]
    weights: np.ndarray | None

    def __len__(self) -> int:
        return len(self.columns[0])


def edges_of(binfile: Any) -> np.ndarray:
    """The edges in a file of rows ``lo hi``, or a sequence of them in any order."""
    if isinstance(binfile, (str, os.PathLike)):
        if not os.path.exists(binfile):
            raise ValueError(f"binfile: there is no file {os.fspath(binfile)!r}")
        rows = np.loadtxt(binfile, ndmin=2)
        if rows.shape[1] != 2:
            raise ValueError(f"binfile: expected rows of two numbers, found {rows.shape[1]}")
        return np.append(rows[:, 0], rows[-1, 1])
    edges = np.sort(np.asarray(binfile, dtype=np.float64).ravel())
    if edges.size < 2:
        raise ValueError(f"binfile: expected at least two edges, found {edges.size}")
    return edges


def check_isa(isa: str) -> None:
    """Refuses what is no instruction set of Corrfunc; which one counts here makes no difference."""
    if not isinstance(isa, str):
        raise TypeError(f"isa: expected a name, found {isa!r}")
    if isa.lower() not in ISAS:
        raise ValueError(f"isa: expected one of {', '.join(ISAS)}, found {isa!r}")


def weights_of(weights: Any, number: int, weight_type: str | None, name: str) -> np.ndarray | None:
    """One weight each: of a scalar, (N,) or (1, N)."""
    if weight_type is None or weights is None:
        return None
    if weight_type != "pair_product":
        raise ValueError(f"weight_type: expected 'pair_product' or None, found {weight_type!r}")
    found = np.atleast_1d(np.asarray(weights))
    if found.ndim > 2 or (found.ndim == 2 and found.shape[0] != 1):
        raise ValueError(f"{name}: pair_product takes one weight each, found an array of shape {found.shape}")
    found = found.ravel()
    if found.size == 1:
        found = np.full(number, found[0])
    if found.size != number:
        raise ValueError(f"{name}: expected {number} weights, found {found.size}")
    return found.astype(np.float64, copy=False)


def samples_of(
    autocorr: Any, first: Sequence[Any], second: Sequence[Any], weights: tuple[Any, Any], weight_type: str | None, names: str
) -> tuple[Sample, Sample | None]:
    """Both samples; the second is left alone in auto-correlations, as in Corrfunc."""
    if not autocorr and any(column is None for column in second):
        raise ValueError(f"cross-correlations need the second sample: {names}")
    columns = tuple(np.asarray(column) for column in first)
    one = weights_of(weights[0], len(columns[0]), weight_type, "weights1")
    if autocorr:
        return Sample(columns, one), None
    others = tuple(np.asarray(column) for column in second)
    two = weights_of(weights[1], len(others[0]), weight_type, "weights2")
    if one is None and two is not None:
        one = np.ones(len(columns[0]))
    if two is None and one is not None:
        two = np.ones(len(others[0]))
    return Sample(columns, one), Sample(others, two)


def box_of(periodic: Any, boxsize: Any, samples: Sequence[Sample]) -> list[float | None] | None:
    """The period of each axis, none where it is open: -1 is open and 0 the extent of the particles."""
    if not periodic:
        return None
    if boxsize is None:
        raise ValueError("boxsize is needed where periodic=True")
    sizes = np.atleast_1d(np.asarray(boxsize, dtype=np.float64)).ravel()
    if sizes.size == 1:
        sizes = np.repeat(sizes, 3)
    if sizes.size != 3:
        raise ValueError(f"boxsize: expected one length or three, found {sizes.size}")
    box: list[float | None] = []
    for axis, size in enumerate(sizes):
        if size == -1:
            box.append(None)
        elif size == 0:
            columns = [sample.columns[axis] for sample in samples]
            box.append(float(max(c.max() for c in columns) - min(c.min() for c in columns)))
        elif size > 0:
            box.append(float(size))
        else:
            raise ValueError(f"boxsize: expected a length, 0 or -1, found {size}")
    return None if all(size is None for size in box) else box


def _role(flag: str | None, prefix: str, sample: Sample, place: str) -> Role:
    if place == "cartesian":
        catalog = Catalog(sample.columns, weights=sample.weights)
    else:
        ra, dec, *depth = sample.columns
        catalog = Catalog(sky=(ra, dec), distance=depth[0] if depth else None, weights=sample.weights)
    return Role(flag, prefix, catalog)


def counted(
    samples: tuple[Sample, Sample | None],
    statistic: str,
    bins: np.ndarray,
    *,
    nthreads: int = 1,
    second_bins: np.ndarray | None = None,
    box: list[float | None] | None = None,
    los: str | None = None,
    means: bool = False,
    place: str = "cartesian",
) -> Counts:
    """Counts pairs; `second_bins` are those in mu or pi."""
    first, second = samples
    options: dict[str, Any] = {"statistic": statistic, "bins": bins, "threads": _threads(nthreads), "engine": "cpu"}
    name = {"s-mu": "mu_bins", "rp-pi": "pi_bins"}.get(statistic)
    if name is not None:
        options[name] = second_bins
    if statistic != "theta":
        options["box"] = box if box is not None else "none"
    options.update(wrap=box is not None, los=los, mean_separation=means)
    roles = [_role(None, "", first, place)]
    if second is not None:
        roles.append(_role("second", "cross-", second, place))
    result = results(run(["count"], roles, {k: v for k, v in options.items() if v is not None}))
    npairs = result["npairs"].copy()
    weight = result["weight"].copy() if "weight" in result.columns else None
    mean = np.nan_to_num(result.mean.ravel()) if means else np.zeros(len(npairs))
    if second is None:
        npairs *= np.uint64(2)
        weight = None if weight is None else 2 * weight
        if bins[0] <= 0:
            mean[0] *= npairs[0] / (npairs[0] + len(first))
            npairs[0] += np.uint64(len(first))
            if weight is not None and first.weights is not None:
                weight[0] += float(first.weights @ first.weights)
    return Counts(npairs, weight, mean)


def _threads(nthreads: Any) -> int:
    if int(nthreads) < 1:
        raise ValueError(f"nthreads: expected at least 1, found {nthreads}")
    return min(int(nthreads), 4 * (os.cpu_count() or 1))


def mean_weight(counts: Counts) -> np.ndarray:
    """Mean products of weights, 0 where there are no pairs or no weights."""
    if counts.weight is None:
        return np.zeros(len(counts.npairs))
    return np.divide(counts.weight, counts.npairs, out=np.zeros(len(counts.npairs)), where=counts.npairs > 0)


def table(fields: Sequence[tuple[str, np.ndarray]]) -> np.ndarray:
    """A structured array of these fields, npairs uint64 and all others float64."""
    dtype = [(name, np.uint64 if name == "npairs" else np.float64) for name, _ in fields]
    made = np.zeros(len(fields[0][1]), dtype=dtype)
    for name, values in fields:
        made[name] = values
    return made


def grid(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lower and upper edges of the first axis and upper ones of the second, for each bin."""
    inner = len(second) - 1
    return np.repeat(first[:-1], inner), np.repeat(first[1:], inner), np.tile(second[1:], len(first) - 1)


def timed(start: float, wanted: Any, made: np.ndarray) -> Any:
    """The counts, with the seconds that they took where these are wanted."""
    return (made, time.perf_counter() - start) if wanted else made
