"""Tables of particles with species as frames, by the rule of ``albireo rdf`` for files.

Entry: :func:`frames_of_table`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import arrays
from .trajectory import Trajectory

#: Columns of species that are looked for where none is named.
_USUAL = ("species", "element", "type", "name")
#: Columns that tell frames apart: a table with one of them is not one frame.
_LIKE_FRAME = {"frame", "frames", "timestep", "time_step", "step", "snapshot"}
#: What samples have and frames of particles have not.
_OF_SAMPLES = ("sky", "distance", "redshift", "weight", "weights", "bits", "rows", "every", "cosmology", "partial_set", "ignore_units", "redshift_unit", "shard")
#: Names that a Trajectory has for other things.
_TAKEN = {"positions", "boxes", "bonds", "unit", "self", "index", "x", "y", "z"}


def frames_of_table(data: Any, options: dict[str, Any]) -> Trajectory | None:
    """One frame of a table whose particles have species and positions x, y, z; None of any other."""
    table = arrays.table(data)
    if table is None or not {"x", "y", "z"} <= set(table.names) or options.get("positions") is not None:
        return None
    if any(options.get(name) is not None for name in _OF_SAMPLES) or any(name.startswith("second_") for name in options):
        return None
    if any(name.lower() in _LIKE_FRAME for name in table.names) or not any(name in table.names for name in _USUAL):
        return None
    unit: str | None = None
    axes = []
    for axis in "xyz":
        plain, unit = arrays.without_unit(axis, _without_unit_of_column(table.get(axis)), unit)
        axes.append(arrays.column(axis, plain).astype(np.float64, copy=False))
    columns = {name: found for name in table.names if name not in _TAKEN and (found := _values(name, table.get(name), name in _USUAL)) is not None}
    for name in ("species", "group"):
        if not isinstance(options.get(name), (str, type(None))):
            columns[name] = options.pop(name)
            if name == "group":
                options["group"] = "group"
    return Trajectory(np.stack(axes, axis=1)[None], unit=unit, **columns)


def _without_unit_of_column(value: Any) -> Any:
    """A column of astropy as a quantity, where it has a unit."""
    return getattr(value, "quantity", value) if getattr(value, "unit", None) is not None else value


def _values(name: str, value: Any, must: bool) -> np.ndarray | None:
    """A column of numbers or texts; None of others, and of columns with missing values that need not be there."""
    try:
        found = arrays.complete(name, value)
    except ValueError:
        if must:
            raise
        return None
    if found.dtype.kind == "O":
        texts = [text.decode() if isinstance(text, bytes) else text for text in found.ravel()]
        if found.ndim != 1 or not all(isinstance(text, str) for text in texts):
            return None
        return np.array(texts, dtype=str)
    return found if found.ndim == 1 and found.dtype.kind in "fiubUST" else None
