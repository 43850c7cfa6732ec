"""Units of callers, read by the one table of the library.

Entry: :func:`stated`, the unit that a value has, and :func:`converted`, its numbers in another. Values are quantities of astropy, unyt or pint, none of
which is imported here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._native import native

#: Options that are lengths, and the power of a length that each is.
LENGTHS = {
    "bins": 1, "pi_bins": 1, "heights": 1, "shells": 1, "pi_max": 1, "r_max": 1, "r_min": 1, "box": 1, "volume": 3, "q": -1, "cutoff": 1,
    "spacing": 1, "padding": 1, "rp_cut": 1, "split_randoms_above": 1, "origin": 1, "radius": 1, "alpha": -1, "cell": 1, "ion_source": 1, "ion_ion": 1,
    "bin_side": 1,
}  # fmt: skip


def stated(value: Any) -> str | None:
    """The text of the unit of a quantity; None for numbers without one."""
    if hasattr(value, "to_value") and hasattr(value, "unit"):
        return str(value.unit).strip()
    if hasattr(value, "units") and (hasattr(value, "to_value") or hasattr(value, "magnitude")):
        text = str(value.units).strip()
        return "" if text in ("dimensionless", "no unit") else text
    if isinstance(value, (list, tuple)):
        return next((unit for part in value if (unit := stated(part)) is not None), None)
    return None


def plain(value: Any) -> Any:
    """The numbers of a quantity in its own unit."""
    if hasattr(value, "magnitude"):
        return value.magnitude
    if hasattr(value, "units"):
        return np.asarray(value.view(np.ndarray) if isinstance(value, np.ndarray) else value.value)
    masked = hasattr(value, "mask") and hasattr(value, "unmasked")
    return np.ma.MaskedArray(value.unmasked.value, value.mask) if masked else value.value


def converted(name: str, value: Any, to: str, power: int = 1) -> Any:
    """The numbers of a quantity, or of a list of them, in a power of a unit; numbers without unit as they are."""
    if isinstance(value, (list, tuple)):
        return type(value)(converted(name, part, to, power) for part in value) if stated(value) is not None else value
    unit = stated(value)
    if unit is None:
        return value
    try:
        factor = native().factor(unit, to, power)
    except ValueError as error:
        like = to if power == 1 else f"({to})^{power}"
        raise ValueError(f"{name}: expected a unit like {like}, found {unit or 'numbers without unit'}: {error}") from None
    numbers = plain(value)
    return numbers if factor == 1 else numbers * factor


def length(name: str, unit: str) -> str | None:
    """The usual name of a unit of length; None of numbers without one."""
    usual, kind = native().kind(unit)
    if kind == "a plain number":
        return None
    if kind not in ("a length", "a reduced length"):
        raise ValueError(f"{name}: expected lengths, found {usual}, {kind}")
    return usual


def is_length(unit: str) -> bool:
    """Whether a unit is one of length."""
    try:
        return native().kind(unit)[1] == "a length"
    except ValueError:
        return False


def without_dimension(name: str, value: Any) -> Any:
    """Numbers without unit, such as weights and redshifts."""
    unit = stated(value)
    if unit is None:
        return value
    try:
        return converted(name, value, "1")
    except ValueError:
        raise ValueError(f"{name}: expected numbers without unit, found {unit}") from None


def in_degrees(name: str, value: Any) -> Any:
    """Angles in degrees: those of a quantity converted, others as they are."""
    try:
        return converted(name, value, "deg")
    except ValueError:
        raise ValueError(f"{name}: expected an angle, found {stated(value)}") from None


def of_option(name: str, value: Any, samples: str | None, angles: bool) -> Any:
    """An option in the unit of the samples; bins of angles in degrees."""
    unit = stated(value)
    if unit is None:
        return value
    if name == "bins" and angles:
        return in_degrees(name, value)
    power = LENGTHS.get(name)
    if power is None:
        return without_dimension(name, value)
    if samples is None:
        raise ValueError(f"{name}: it is in {unit}, and the positions have no unit: say theirs by unit='Mpc', or give both as plain numbers")
    return converted(name, value, samples, power)
