"""Correlation functions of counts, with the arguments of ``Corrfunc.utils``; what else scripts import from there is in ``preparation``.

Landy & Szalay (1993), doi:10.1086/172900.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .preparation import (
    convert_to_native_endian, fix_cz, fix_ra_dec, gridlink_sphere, is_native_endian, read_text_file, return_file_with_rbins,
    translate_isa_string_to_enum, write_text_file,
)  # fmt: skip

__all__ = [
    "convert_3d_counts_to_cf", "convert_rp_pi_counts_to_wp", "convert_to_native_endian", "fix_cz", "fix_ra_dec", "gridlink_sphere",
    "is_native_endian", "read_text_file", "return_file_with_rbins", "translate_isa_string_to_enum", "write_text_file",
]  # fmt: skip


def _pairs(name: str, counts: Any) -> np.ndarray:
    """Numbers of pairs: an array of them, or a table of counts with that field."""
    found = np.asarray(counts)
    if found.dtype.names is not None:
        if "npairs" not in found.dtype.names:
            raise ValueError(f"{name}: expected a field npairs, found {', '.join(found.dtype.names)}")
        found = found["npairs"]
    return found.astype(np.float64)


def convert_3d_counts_to_cf(ND1, ND2, NR1, NR2, D1D2, D1R2, D2R1, R1R2, estimator="LS"):
    """The Landy-Szalay estimate of counts, NaN where R1R2 is 0."""
    if "LS" not in estimator and "Landy" not in estimator:
        raise ValueError(f"estimator: expected 'LS' (Landy-Szalay), found {estimator!r}")
    named = {"D1D2": D1D2, "D1R2": D1R2, "D2R1": D2R1, "R1R2": R1R2}
    dd, dr, rd, rr = (_pairs(name, counts) for name, counts in named.items())
    if not len(dd) == len(dr) == len(rd) == len(rr):
        raise ValueError(f"counts must have the same bins: found {len(dd)}, {len(dr)}, {len(rd)} and {len(rr)}")
    first, second = float(NR1) / float(ND1), float(NR2) / float(ND2)
    made = np.full(len(dd), np.nan)
    held = rr > 0
    made[held] = (first * second * dd[held] - first * dr[held] - second * rd[held] + rr[held]) / rr[held]
    return made


def convert_rp_pi_counts_to_wp(ND1, ND2, NR1, NR2, D1D2, D1R2, D2R1, R1R2, nrpbins, pimax, dpi=1.0, estimator="LS"):
    """wp(rp) of counts in (rp, pi), NaN where a bin of R1R2 is 0."""
    if dpi <= 0.0:
        raise ValueError(f"dpi: expected a width above 0, found {dpi}")
    values = convert_3d_counts_to_cf(ND1, ND2, NR1, NR2, D1D2, D1R2, D2R1, R1R2, estimator=estimator)
    npibins, left = divmod(len(values), nrpbins)
    if left:
        raise ValueError(f"nrpbins: {len(values)} counts are no multiple of {nrpbins} bins in rp")
    if dpi * npibins != pimax:
        raise ValueError(f"pimax: {npibins} bins of dpi = {dpi} reach {dpi * npibins}, found {pimax}")
    return 2.0 * dpi * values.reshape(nrpbins, npibins).sum(axis=1)
