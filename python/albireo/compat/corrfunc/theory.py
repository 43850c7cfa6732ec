"""Counts in boxes: DD, DDrppi, DDsmu, wp and xi with the arguments and fields of ``Corrfunc.theory``."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .counting import Sample, box_of, check_isa, counted, edges_of, grid, mean_weight, samples_of, table, timed

__all__ = ["DD", "DDrppi", "DDsmu", "vpf", "wp", "xi"]

_SECOND = "X2, Y2, Z2"


def _both(autocorr: Any, first: Any, second: Any, weights: Any, weight_type: Any) -> tuple[Sample, Sample | None]:
    return samples_of(autocorr, first, second, weights, weight_type, _SECOND)


def _box(periodic: Any, boxsize: Any, samples: tuple[Sample, Sample | None]) -> Any:
    return box_of(periodic, boxsize, [sample for sample in samples if sample is not None])


def pi_edges(pimax: float) -> np.ndarray:
    """int(pimax) equal bins up to pimax."""
    number = int(pimax)
    if number < 1:
        raise ValueError(f"pimax: expected at least 1, found {pimax}")
    return np.arange(number + 1) * (float(pimax) / number)


def mu_edges(mu_max: float, nmu_bins: int) -> np.ndarray:
    """Equal bins up to mu_max, which is not counted: 1 neither."""
    if not 0 < mu_max <= 1:
        raise ValueError(f"mu_max: expected a number above 0 up to 1, found {mu_max}")
    if int(nmu_bins) < 1:
        raise ValueError(f"nmu_bins: expected at least 1, found {nmu_bins}")
    edges = np.arange(int(nmu_bins) + 1) * (float(mu_max) / int(nmu_bins))
    edges[-1] = min(float(mu_max), np.nextafter(1.0, 0.0))
    return edges


def DD(
    autocorr, nthreads, binfile, X1, Y1, Z1, weights1=None, periodic=True, boxsize=None, X2=None, Y2=None, Z2=None, weights2=None,
    verbose=False, output_ravg=False, xbin_refine_factor=2, ybin_refine_factor=2, zbin_refine_factor=1, max_cells_per_dim=100,
    copy_particles=True, enable_min_sep_opt=True, c_api_timer=False, isa="fastest", weight_type=None,
):  # fmt: skip
    """Counts pairs in r: fields rmin, rmax, ravg, npairs, weightavg."""
    start = time.perf_counter()
    check_isa(isa)
    samples = _both(autocorr, (X1, Y1, Z1), (X2, Y2, Z2), (weights1, weights2), weight_type)
    bins = edges_of(binfile)
    counts = counted(samples, "r", bins, nthreads=nthreads, box=_box(periodic, boxsize, samples), means=bool(output_ravg))
    fields = [("rmin", bins[:-1]), ("rmax", bins[1:]), ("ravg", counts.mean), ("npairs", counts.npairs), ("weightavg", mean_weight(counts))]
    return timed(start, c_api_timer, table(fields))


def DDrppi(
    autocorr, nthreads, pimax, binfile, X1, Y1, Z1, weights1=None, periodic=True, boxsize=None, X2=None, Y2=None, Z2=None, weights2=None,
    verbose=False, output_rpavg=False, xbin_refine_factor=2, ybin_refine_factor=2, zbin_refine_factor=1, max_cells_per_dim=100,
    copy_particles=True, enable_min_sep_opt=True, c_api_timer=False, isa="fastest", weight_type=None,
):  # fmt: skip
    """Counts pairs in (rp, pi) along z, int(pimax) bins in pi: fields rmin, rmax, rpavg, pimax, npairs, weightavg."""
    start = time.perf_counter()
    check_isa(isa)
    samples = _both(autocorr, (X1, Y1, Z1), (X2, Y2, Z2), (weights1, weights2), weight_type)
    bins, pis = edges_of(binfile), pi_edges(pimax)
    counts = counted(
        samples, "rp-pi", bins, second_bins=pis, nthreads=nthreads, box=_box(periodic, boxsize, samples), los="z", means=bool(output_rpavg)
    )
    low, high, pi = grid(bins, pis)
    fields = [("rmin", low), ("rmax", high), ("rpavg", counts.mean), ("pimax", pi), ("npairs", counts.npairs), ("weightavg", mean_weight(counts))]
    return timed(start, c_api_timer, table(fields))


def DDsmu(
    autocorr, nthreads, binfile, mu_max, nmu_bins, X1, Y1, Z1, weights1=None, periodic=True, boxsize=None, X2=None, Y2=None, Z2=None,
    weights2=None, verbose=False, output_savg=False, fast_divide_and_NR_steps=0, xbin_refine_factor=2, ybin_refine_factor=2,
    zbin_refine_factor=1, max_cells_per_dim=100, copy_particles=True, enable_min_sep_opt=True, c_api_timer=False, isa="fastest",
    weight_type=None,
):  # fmt: skip
    """Counts pairs in (s, mu) along z: fields smin, smax, savg, mu_max, npairs, weightavg."""
    start = time.perf_counter()
    check_isa(isa)
    samples = _both(autocorr, (X1, Y1, Z1), (X2, Y2, Z2), (weights1, weights2), weight_type)
    bins, mus = edges_of(binfile), mu_edges(mu_max, nmu_bins)
    counts = counted(
        samples, "s-mu", bins, second_bins=mus, nthreads=nthreads, box=_box(periodic, boxsize, samples), los="z", means=bool(output_savg)
    )
    mus[-1] = mu_max
    low, high, mu = grid(bins, mus)
    fields = [("smin", low), ("smax", high), ("savg", counts.mean), ("mu_max", mu), ("npairs", counts.npairs), ("weightavg", mean_weight(counts))]
    return timed(start, c_api_timer, table(fields))


def _expected(sample: Sample, volume: float, shells: np.ndarray, low: np.ndarray) -> np.ndarray:
    """What a random sample of these weights would have in shells of these volumes; with themselves in a bin that starts at 0."""
    number = len(sample)
    total = float(number) if sample.weights is None else float(sample.weights.sum())
    squares = float(number) if sample.weights is None else float(sample.weights @ sample.weights)
    expected = total * (total - total / number) / volume * shells
    return expected + np.where(low <= 0, squares, 0.0)


def _of_box(boxsize: Any, X: Any, Y: Any, Z: Any, weights: Any, weight_type: Any) -> tuple[Sample, Any, float]:
    sample, _ = _both(1, (X, Y, Z), (None, None, None), (weights, None), weight_type)
    box = box_of(True, boxsize, [sample])
    if box is None or any(size is None for size in box):
        raise ValueError(f"boxsize: expected the length of a periodic box, found {boxsize}")
    return sample, box, float(np.prod([size for size in box if size is not None]))


def wp(
    boxsize, pimax, nthreads, binfile, X, Y, Z, weights=None, weight_type=None, verbose=False, output_rpavg=False, xbin_refine_factor=2,
    ybin_refine_factor=2, zbin_refine_factor=1, max_cells_per_dim=100, copy_particles=True, enable_min_sep_opt=True, c_api_timer=False,
    c_cell_timer=False, isa="fastest",
):  # fmt: skip
    """Estimates wp(rp) of a periodic box along z, all pairs up to pimax in one bin: fields rmin, rmax, rpavg, wp, npairs, weightavg."""
    start = time.perf_counter()
    check_isa(isa)
    if c_cell_timer:
        raise NotImplementedError("c_cell_timer: there are no cells of Corrfunc here to be timed")
    sample, box, volume = _of_box(boxsize, X, Y, Z, weights, weight_type)
    bins = edges_of(binfile)
    counts = counted(
        (sample, None), "rp-pi", bins, second_bins=np.array([0.0, float(pimax)]), nthreads=nthreads, box=box, los="z", means=bool(output_rpavg)
    )
    shells = np.pi * (bins[1:] ** 2 - bins[:-1] ** 2) * 2 * float(pimax)
    pairs = counts.npairs.astype(np.float64) if counts.weight is None else counts.weight
    values = (pairs / _expected(sample, volume, shells, bins[:-1]) - 1) * 2 * float(pimax)
    fields = [
        ("rmin", bins[:-1]), ("rmax", bins[1:]), ("rpavg", counts.mean), ("wp", values), ("npairs", counts.npairs), ("weightavg", mean_weight(counts)),
    ]  # fmt: skip
    return timed(start, c_api_timer, table(fields))


def xi(
    boxsize, nthreads, binfile, X, Y, Z, weights=None, weight_type=None, verbose=False, output_ravg=False, xbin_refine_factor=2,
    ybin_refine_factor=2, zbin_refine_factor=1, max_cells_per_dim=100, copy_particles=True, enable_min_sep_opt=True, c_api_timer=False,
    isa="fastest",
):  # fmt: skip
    """Estimates xi(r) of a periodic box: fields rmin, rmax, ravg, xi, npairs, weightavg."""
    start = time.perf_counter()
    check_isa(isa)
    sample, box, volume = _of_box(boxsize, X, Y, Z, weights, weight_type)
    bins = edges_of(binfile)
    counts = counted((sample, None), "r", bins, nthreads=nthreads, box=box, means=bool(output_ravg))
    shells = 4 / 3 * np.pi * (bins[1:] ** 3 - bins[:-1] ** 3)
    pairs = counts.npairs.astype(np.float64) if counts.weight is None else counts.weight
    values = pairs / _expected(sample, volume, shells, bins[:-1]) - 1
    fields = [
        ("rmin", bins[:-1]), ("rmax", bins[1:]), ("ravg", counts.mean), ("xi", values), ("npairs", counts.npairs), ("weightavg", mean_weight(counts)),
    ]  # fmt: skip
    return timed(start, c_api_timer, table(fields))


def vpf(*arguments: Any, **options: Any) -> Any:
    """Counts in spheres: not here."""
    raise NotImplementedError("vpf: albireo counts pairs, not points in spheres")
