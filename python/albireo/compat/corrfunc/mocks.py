"""Counts on the sky: DDrppi_mocks, DDsmu_mocks and DDtheta_mocks with the arguments and fields of ``Corrfunc.mocks``."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np

from .counting import Sample, check_isa, counted, edges_of, grid, mean_weight, samples_of, table, timed
from .theory import mu_edges, pi_edges

__all__ = ["DDrppi_mocks", "DDsmu_mocks", "DDtheta_mocks", "vpf_mocks"]

#: The speed of light of Corrfunc, km/s.
SPEED_OF_LIGHT = 299800.0
#: Omega_m of its cosmologies, both flat: LasDamas and Planck.
OMEGA_M = {1: 0.25, 2: 0.302}
#: Redshifts in its table of distances, as far as 1.
_ROWS = 10_000


def _table(omega_m: float, z_max: float) -> tuple[np.ndarray, np.ndarray]:
    """Redshifts 1e-4 apart and their comoving distances in Mpc/h: Simpson's rule in steps of 1e-6, summed up one by one as Corrfunc does, since
    pairs at edges hang on the last digits."""
    half = 1e-2 / _ROWS
    # One step more than are needed, so that the end is not lost to rounding.
    steps = min(int(z_max / (2 * half)) + 2, 50 * _ROWS + 2)
    z = np.add.accumulate(np.full(steps, 2 * half))
    z = z[z < z_max]

    def inverse(x: np.ndarray) -> np.ndarray:
        a = 1 + x
        flat = 1.0 - omega_m
        return 1.0 / np.sqrt(omega_m * (a * a * a) + (1.0 - omega_m - flat) * a + flat)

    ends = inverse(z)
    middles = inverse(z - half)
    starts = np.append(1.0, ends[:-1])
    sums = np.add.accumulate(half * (starts + 4.0 * middles + ends) / 3.0)
    rows = slice(49, 50 * _ROWS, 50)
    return z[rows], sums[rows] * (SPEED_OF_LIGHT * 0.01)


def distances(cosmology: int, columns: list[np.ndarray]) -> list[np.ndarray]:
    """Comoving distances in Mpc/h of velocities cz in km/s, or of redshifts, which columns of largest values below 10 are taken for."""
    if cosmology not in OMEGA_M:
        raise ValueError(f"cosmology: expected 1 (LasDamas) or 2 (Planck), found {cosmology}")
    velocities = []
    for k, column in enumerate(columns):
        values = np.asarray(column, dtype=np.float64)
        if not np.isfinite(values).all():
            raise ValueError(f"CZ{k + 1}: the value in row {int(np.flatnonzero(~np.isfinite(values))[0])} (counting from 0) is not finite")
        velocities.append(values * SPEED_OF_LIGHT if values.size and values.max() < 10.0 else values)
    most = max((values.max() for values in velocities if values.size), default=0.0)
    redshifts, known = _table(OMEGA_M[cosmology], most * (1.0 / SPEED_OF_LIGHT) + 0.01)
    made = []
    for k, values in enumerate(velocities):
        z = values * (1.0 / SPEED_OF_LIGHT)
        beyond = np.flatnonzero((z < redshifts[0]) | (z > redshifts[-1]))
        if beyond.size:
            raise ValueError(f"CZ{k + 1}: redshift {z[beyond[0]]} in row {beyond[0]} (counting from 0): the table of Corrfunc reaches from 1e-4 to 1")
        at = np.clip(np.searchsorted(redshifts, z, side="right") - 1, 0, len(redshifts) - 2)
        low, step = redshifts[at], redshifts[at + 1] - redshifts[at]
        made.append(known[at] + (z - low) / step * (known[at + 1] - known[at]))
    return made


def _samples(
    autocorr: Any, cosmology: int, first: Any, second: Any, weights: Any, weight_type: Any, is_comoving_dist: Any
) -> tuple[Sample, Sample | None]:
    one, two = samples_of(autocorr, first, second, weights, weight_type, "RA2, DEC2, CZ2")
    both = [sample for sample in (one, two) if sample is not None]
    depths = [sample.columns[2] for sample in both]
    if not is_comoving_dist:
        depths = distances(cosmology, depths)
    placed = [dataclasses.replace(sample, columns=(*sample.columns[:2], depth)) for sample, depth in zip(both, depths)]
    return placed[0], placed[1] if two is not None else None


def DDrppi_mocks(
    autocorr, cosmology, nthreads, pimax, binfile, RA1, DEC1, CZ1, weights1=None, RA2=None, DEC2=None, CZ2=None, weights2=None,
    is_comoving_dist=False, verbose=False, output_rpavg=False, fast_divide_and_NR_steps=0, xbin_refine_factor=2, ybin_refine_factor=2,
    zbin_refine_factor=1, max_cells_per_dim=100, copy_particles=True, enable_min_sep_opt=True, c_api_timer=False, isa="fastest",
    weight_type=None,
):  # fmt: skip
    """Counts pairs in (rp, pi) along the line to their middle, int(pimax) bins in pi: fields rmin, rmax, rpavg, pimax, npairs, weightavg."""
    start = time.perf_counter()
    check_isa(isa)
    samples = _samples(autocorr, cosmology, (RA1, DEC1, CZ1), (RA2, DEC2, CZ2), (weights1, weights2), weight_type, is_comoving_dist)
    bins, pis = edges_of(binfile), pi_edges(pimax)
    counts = counted(samples, "rp-pi", bins, second_bins=pis, nthreads=nthreads, los="midpoint", means=bool(output_rpavg), place="sky")
    low, high, pi = grid(bins, pis)
    fields = [("rmin", low), ("rmax", high), ("rpavg", counts.mean), ("pimax", pi), ("npairs", counts.npairs), ("weightavg", mean_weight(counts))]
    return timed(start, c_api_timer, table(fields))


def DDsmu_mocks(
    autocorr, cosmology, nthreads, mu_max, nmu_bins, binfile, RA1, DEC1, CZ1, weights1=None, RA2=None, DEC2=None, CZ2=None, weights2=None,
    is_comoving_dist=False, verbose=False, output_savg=False, fast_divide_and_NR_steps=0, xbin_refine_factor=2, ybin_refine_factor=2,
    zbin_refine_factor=1, max_cells_per_dim=100, copy_particles=True, enable_min_sep_opt=True, c_api_timer=False, isa="fastest",
    weight_type=None,
):  # fmt: skip
    """Counts pairs in (s, mu) along the line to their middle: fields smin, smax, savg, mumax, npairs, weightavg."""
    start = time.perf_counter()
    check_isa(isa)
    samples = _samples(autocorr, cosmology, (RA1, DEC1, CZ1), (RA2, DEC2, CZ2), (weights1, weights2), weight_type, is_comoving_dist)
    bins, mus = edges_of(binfile), mu_edges(mu_max, nmu_bins)
    counts = counted(samples, "s-mu", bins, second_bins=mus, nthreads=nthreads, los="midpoint", means=bool(output_savg), place="sky")
    mus[-1] = mu_max
    low, high, mu = grid(bins, mus)
    fields = [("smin", low), ("smax", high), ("savg", counts.mean), ("mumax", mu), ("npairs", counts.npairs), ("weightavg", mean_weight(counts))]
    return timed(start, c_api_timer, table(fields))


def DDtheta_mocks(
    autocorr, nthreads, binfile, RA1, DEC1, weights1=None, RA2=None, DEC2=None, weights2=None, link_in_dec=True, link_in_ra=True,
    verbose=False, output_thetaavg=False, fast_acos=False, ra_refine_factor=2, dec_refine_factor=2, max_cells_per_dim=100,
    copy_particles=True, enable_min_sep_opt=True, c_api_timer=False, isa="fastest", weight_type=None,
):  # fmt: skip
    """Counts pairs in their angle in degrees: fields thetamin, thetamax, thetaavg, npairs, weightavg."""
    start = time.perf_counter()
    check_isa(isa)
    samples = samples_of(autocorr, (RA1, DEC1), (RA2, DEC2), (weights1, weights2), weight_type, "RA2, DEC2")
    bins = edges_of(binfile)
    counts = counted(samples, "theta", bins, nthreads=nthreads, means=bool(output_thetaavg), place="sky")
    fields = [
        ("thetamin", bins[:-1]), ("thetamax", bins[1:]), ("thetaavg", counts.mean), ("npairs", counts.npairs), ("weightavg", mean_weight(counts)),
    ]  # fmt: skip
    return timed(start, c_api_timer, table(fields))


def vpf_mocks(*arguments: Any, **options: Any) -> Any:
    """Counts in spheres: not here."""
    raise NotImplementedError("vpf_mocks: albireo counts pairs, not points in spheres")
