"""What scripts for Corrfunc prepare their columns with: ranges of angles and velocities, order of bytes, files of bins, cells of the sphere.

Entry: the functions of ``Corrfunc.utils`` of these names. Arrays of callers stay as they are.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any

import numpy as np

#: The speed of light of Corrfunc, km/s, and the largest value that it takes for a redshift.
_SPEED_OF_LIGHT, _LARGEST_REDSHIFT = 299800.0, 10.0
#: The numbers of instruction sets in Corrfunc's C.
_ISAS = {"FASTEST": -1, "FALLBACK": 0, "SSE42": 6, "AVX": 7, "AVX2": 8, "AVX512F": 9}


def read_text_file(filename: Any, encoding: str = "utf-8") -> str:
    """The text of a file."""
    with open(filename, encoding=encoding) as file:
        return file.read()


def write_text_file(filename: Any, contents: str, encoding: str = "utf-8") -> None:
    """Writes a text into a file."""
    with open(filename, "w", encoding=encoding) as file:
        file.write(contents)


def return_file_with_rbins(rbins: Any) -> tuple[str, bool]:
    """A file of rows ``lo hi``, and whether the caller is to delete it: that of this name, or a new one of these edges in rising order."""
    if isinstance(rbins, str):
        if not os.path.exists(rbins):
            raise OSError(f"rbins: there is no file {rbins!r}")
        return rbins, False
    edges = sorted(float(edge) for edge in np.ravel(rbins))
    if len(edges) < 2:
        raise TypeError(f"rbins: expected at least two edges, found {len(edges)}")
    with tempfile.NamedTemporaryFile("w", delete=False, suffix=".txt") as file:
        file.writelines(f"{low!r} {high!r}\n" for low, high in zip(edges, edges[1:]))
    return file.name, True


def fix_cz(cz: Any) -> np.ndarray:
    """Velocities cz in km/s: redshifts, all below 10, times Corrfunc's speed of light, others as they are."""
    found = np.asarray(cz)
    redshifts = found.size > 0 and found.max() < _LARGEST_REDSHIFT
    return (found * _SPEED_OF_LIGHT).astype(found.dtype) if redshifts else found


def fix_ra_dec(ra: Any, dec: Any) -> tuple[np.ndarray, np.ndarray]:
    """Degrees with ra in [0, 360) and dec in [-90, 90]: turns are added where an ra is negative, 90 taken off all dec where one is above 90.

    Corrfunc adds 180 to all ra instead, another place of the same angles where they lie in [-180, 180].
    """
    ra, dec = np.asarray(ra), np.asarray(dec)
    if ra.size and ra.min() < 0:
        warnings.warn("ra below 0: brought into [0, 360)", stacklevel=2)
        ra = np.mod(ra, ra.dtype.type(360))
        ra = np.where(ra == 360, ra.dtype.type(0), ra)
    if dec.size and dec.max() > 90:
        warnings.warn("dec above 90: 90 degrees are taken off all of them", stacklevel=2)
        dec = dec - dec.dtype.type(90)
    return ra, dec


def translate_isa_string_to_enum(isa: str) -> int:
    """The number of an instruction set in Corrfunc's C; which one counts here makes no difference."""
    if not isinstance(isa, str):
        raise TypeError(f"isa: expected a name, found {type(isa).__name__}")
    if isa.upper() not in _ISAS:
        raise ValueError(f"isa: expected one of {', '.join(_ISAS)}, found {isa!r}")
    return _ISAS[isa.upper()]


def is_native_endian(array: Any) -> bool:
    """Whether an array, or None, has the order of bytes of this machine."""
    return array is None or np.asanyarray(array).dtype.isnative


def convert_to_native_endian(array: Any, warn: bool = False) -> Any:
    """An array in the order of bytes of this machine: itself where it is, else a copy; None of None."""
    if is_native_endian(array):
        return None if array is None else np.asanyarray(array)
    if warn:
        warnings.warn("an array has another order of bytes than this machine: it is copied", stacklevel=2)
    found = np.asanyarray(array)
    return found.astype(found.dtype.newbyteorder("="))


def _number(span: float, width: float, refine: int, most: int) -> int:
    """So many cells of at least this width, `refine` times as many, but no more than `most`."""
    if refine < 1 or most < 1:
        raise ValueError(f"cells: expected refine factors and limits of at least 1, found {refine} and {most}")
    return min(max(1, int(span / width)) * refine, most)


def _limits(name: str, limits: Any, whole: tuple[float, float], in_degrees: bool) -> tuple[float, float]:
    if limits is None or len(limits) == 0:
        return whole
    low, high = (float(np.radians(x) if in_degrees else x) for x in limits)
    if not whole[0] <= low < high <= whole[1]:
        raise ValueError(f"{name}: expected two rising angles within {whole[0]:.6g} to {whole[1]:.6g} (radians), found {low:.6g} and {high:.6g}")
    return low, high


def gridlink_sphere(
    thetamax: float, ra_limits: Any = None, dec_limits: Any = None, link_in_ra: bool = True, ra_refine_factor: int = 1,
    dec_refine_factor: int = 1, max_ra_cells: int = 100, max_dec_cells: int = 200, return_num_ra_cells: bool = False,
    input_in_degrees: bool = True,
) -> Any:  # fmt: skip
    """Cells of the sphere, in radians, bands of dec at least `thetamax` high with cells of ra in them: fields ``dec_limit`` and ``ra_limit`` of two
    each; with `return_num_ra_cells` also the number of cells of each band."""
    reach = float(np.radians(thetamax) if input_in_degrees else thetamax)
    if not reach > 0:
        raise ValueError(f"thetamax: expected an angle above 0, found {thetamax}")
    ra = _limits("ra_limits", ra_limits, (0.0, 2 * np.pi), input_in_degrees)
    dec = _limits("dec_limits", dec_limits, (-0.5 * np.pi, 0.5 * np.pi), input_in_degrees)
    bands = _number(dec[1] - dec[0], reach, dec_refine_factor, max_dec_cells)
    height, span = (dec[1] - dec[0]) / bands, ra[1] - ra[0]
    numbers = np.full(bands, ra_refine_factor if link_in_ra else 1)
    lows = dec[0] + height * np.arange(bands)
    if link_in_ra:
        for band, low in enumerate(lows):
            least = min(np.cos(low), np.cos(low + height))
            if least > 0:
                width = min(2 * np.arcsin(min(max(np.sin(reach) / least, 0.0), 1.0)), span)
                numbers[band] = _number(span, width, ra_refine_factor, max_ra_cells)
    cells = np.zeros(numbers.sum(), dtype=[("dec_limit", "f8", 2), ("ra_limit", "f8", 2)])
    of_band = np.repeat(np.arange(bands), numbers)
    place = np.arange(len(cells)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    widths = (span / numbers)[of_band]
    cells["dec_limit"] = np.stack([dec[0] + height * of_band, dec[0] + height * (of_band + 1)], axis=1)
    cells["ra_limit"] = np.stack([ra[0] + widths * place, ra[0] + widths * (place + 1)], axis=1)
    return (cells, numbers) if return_num_ra_cells else cells
