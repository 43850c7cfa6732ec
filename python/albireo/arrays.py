"""Arrays of any library as one-dimensional columns of floats.

Entry: :func:`column` for one column, :func:`positions` for three at once, :func:`table` for tables. What is native float64 or float32, or a regular
step through it, is not copied. Nothing here knows what a column means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import units


def is_given(value: Any) -> bool:
    """Whether a value for each particle is given, rather than nothing or the name of a column."""
    return not isinstance(value, (str, type(None)))


class Columns(NamedTuple):
    """Columns by name, and the unit of length of the positions where one is stated."""

    columns: list[tuple[str, np.ndarray]]
    unit: str | None


def without_unit(name: str, value: Any, unit: str | None) -> tuple[Any, str | None]:
    """The numbers of lengths in `unit` (their own where that is none), and the unit that they are in."""
    own = units.stated(value)
    if own is None:
        return value, unit
    if unit is not None:
        return units.converted(name, value, unit), unit
    return units.plain(value), units.length(name, own)


def _nothing_masked(name: str, array: np.ma.MaskedArray) -> np.ndarray:
    mask = np.ma.getmaskarray(array)
    if mask.any():
        where = np.argwhere(mask)[0]
        component = f"[{where[1]}]" if len(where) > 1 else ""
        raise ValueError(f"{name}{component}: the value in row {where[0]} (counting from 0) is masked: leave such rows out first")
    return np.asarray(array.data)


def _null_free(name: str, value: Any) -> Any:
    """A column of Arrow or polars as numpy, once it has no missing values."""
    if type(value).__module__.split(".")[0] == "polars":
        if value.null_count():
            row = value.is_null().arg_true()[0]
            raise ValueError(f"{name}: the value in row {row} (counting from 0) is missing")
        return value.to_numpy()
    if hasattr(value, "null_count") and hasattr(value, "is_null"):
        if value.null_count:
            row = value.is_null().to_numpy(zero_copy_only=False).argmax() if not hasattr(value, "chunks") else value.is_null().to_numpy().argmax()
            raise ValueError(f"{name}: the value in row {row} (counting from 0) is missing")
        return value.to_numpy() if hasattr(value, "chunks") else value.to_numpy(zero_copy_only=False)
    if type(value).__module__.split(".")[0] == "pandas" and value.isna().any():
        if value.dtype.kind != "f":
            row = int(value.isna().to_numpy().argmax())
            raise ValueError(f"{name}: the value in row {row} (counting from 0) is missing")
    return value


def complete(name: str, value: Any) -> np.ndarray:
    """An array of any library as one of numpy, with nothing masked or missing."""
    value = _null_free(name, value)
    if isinstance(value, np.ma.MaskedArray):
        value = _nothing_masked(name, value)
    elif hasattr(value, "mask") and hasattr(value, "unmasked"):
        value = _nothing_masked(name, np.ma.MaskedArray(value.unmasked, value.mask))
    try:
        return np.asarray(value)
    except Exception as error:
        raise ValueError(f"{name}: no array can be made of {type(value).__name__}: {error}") from error


def stacked(name: str, value: Any) -> Any:
    """A column of vectors, such as lists of pyarrow and arrays in a column of pandas, as one array (N, k); others as they are."""
    if not hasattr(value, "__len__") or getattr(value, "ndim", 1) != 1 or not len(value) or isinstance(value, (str, bytes, Mapping)):
        return value
    if getattr(getattr(value, "dtype", None), "kind", "O") != "O":
        return value
    module = type(value).__module__.split(".")[0]
    if module == "pyarrow":
        width = getattr(value.type, "list_size", None)
        if width and not value.null_count:
            flat = value.combine_chunks() if hasattr(value, "chunks") else value
            return complete(name, flat.flatten()).reshape(-1, width)
        rows = value.to_pylist() if hasattr(value.type, "value_type") else []
    elif module == "polars":
        rows = value.to_list() if hasattr(value.dtype, "inner") else []
    else:
        rows = list(value)
    if not rows or not isinstance(rows[0], (list, tuple, np.ndarray)):
        return value
    try:
        found = np.array(rows)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: expected vectors of one length, found rows of different lengths or missing ones") from error
    return found if found.ndim == 2 and found.dtype.kind in "fiu" else value


def of_particles(name: str, value: Any) -> Any:
    """A column of values of particles: float64, int64, or the different texts and which of them each row has; None of what is neither."""
    found = complete(name, value)
    if found.dtype.kind == "O":
        texts = [text.decode() if isinstance(text, bytes) else text for text in found.ravel()]
        if not all(isinstance(text, str) for text in texts):
            return None
        found = np.array(texts, dtype=str).reshape(found.shape)
    if found.ndim != 1 or found.dtype.kind not in "fiubUST":
        return None
    if found.dtype.kind in "UST":
        different, codes = np.unique(found.astype(str), return_inverse=True)
        return different.tolist(), codes.astype(np.uint32)
    if found.dtype.kind in "iub":
        if found.dtype.kind == "u" and found.size and int(found.max()) > np.iinfo(np.int64).max:
            raise ValueError(f"{name}: whole numbers of particles are at most {np.iinfo(np.int64).max}")
        return found.astype(np.int64)
    return column(name, found).astype(np.float64, copy=False)


def array(name: str, value: Any) -> np.ndarray:
    """A numeric array of any library as one of numpy, with nothing masked or missing."""
    found = complete(name, value)
    if found.dtype.kind not in "fiu":
        raise ValueError(f"{name}: expected numbers, found {found.dtype}{_hint(found)}")
    # The same numbers, where a type spells out the order of bytes that this machine has.
    return found.view(found.dtype.newbyteorder("=")) if found.dtype.isnative else found


def _hint(found: np.ndarray) -> str:
    ragged = found.dtype == object
    return ": rows of different lengths, or values that are no numbers" if ragged else ""


def column(name: str, value: Any) -> np.ndarray:
    """A column of native float64 or float32, in its own memory where it is that already.

    Integers become float64, and are refused where that would round them; so do other floats.
    """
    found = array(name, value)
    if found.ndim != 1:
        raise ValueError(f"{name}: expected one dimension, found an array of shape {found.shape}")
    return _floats(name, found)


def _floats(name: str, found: np.ndarray) -> np.ndarray:
    if not (found.dtype.isnative and found.dtype in (np.float64, np.float32)):
        converted = found.astype(np.float64)
        if found.dtype.kind in "iu" and found.dtype.itemsize == 8:
            with np.errstate(invalid="ignore"):
                row = np.flatnonzero(converted.astype(found.dtype) != found)
            if row.size:
                raise ValueError(f"{name}: {found[row[0]]} in row {row[0]} (counting from 0) is no float64")
        return converted
    size = found.dtype.itemsize
    steps = found.strides[0] if found.size > 1 else size
    regular = found.flags.aligned and steps != 0 and steps % size == 0
    return found if regular else np.ascontiguousarray(found)


def _three(name: str, value: Any) -> list[np.ndarray]:
    """The columns of an (N,3) array."""
    if isinstance(value, (list, tuple)):
        value = np.asarray(value, dtype=np.float64) if len(value) else np.zeros((0, 3))
    found = array(name, value)
    if found.ndim != 2 or found.shape[1] != 3:
        hint = ": transpose it" if found.ndim == 2 and found.shape[0] == 3 else ""
        raise ValueError(f"{name}: expected an array of shape (N, 3) or three columns, found shape {found.shape}{hint}")
    return [_floats(axis, found[:, k]) for k, axis in enumerate("xyz")]


def positions(name: str, value: Any) -> Columns:
    """Columns x, y, z of an (N,3) array or of three columns, all in the unit of the first."""
    unit: str | None = None
    if isinstance(value, (tuple, list)) and len(value) == 3 and all(_is_column(part) for part in value):
        columns = []
        for axis, part in zip("xyz", value):
            part, unit = without_unit(axis, part, unit)
            columns.append((axis, column(axis, part)))
        return Columns(columns, unit)
    value, unit = without_unit(name, value, None)
    return Columns(list(zip("xyz", _three(name, value))), unit)


def _is_column(value: Any) -> bool:
    """Whether it is an array of one dimension rather than a row of three numbers in a list."""
    if isinstance(value, (list, tuple)):
        return False
    return getattr(value, "ndim", None) == 1 or (hasattr(value, "__len__") and not hasattr(value, "ndim"))


class Table(NamedTuple):
    """A table of any library: its names in order, and how to get a column."""

    names: list[str]
    get: Callable[[str], Any]


def table(value: Any) -> Table | None:
    """The columns of a mapping, a structured array, or a table of astropy, pandas, polars, pyarrow or any object with an Arrow C stream."""
    if isinstance(value, Mapping) or (hasattr(value, "table") and hasattr(value, "keys")):
        return Table([str(name) for name in value], value.__getitem__)
    names = getattr(getattr(value, "dtype", None), "names", None)
    if names is not None or isinstance(value, np.ndarray):
        return None if names is None else Table(list(names), value.__getitem__)
    if hasattr(value, "colnames"):
        return Table(list(value.colnames), value.__getitem__)
    module = type(value).__module__.split(".")[0]
    if module == "pandas" and hasattr(value, "columns"):
        return Table([str(name) for name in value.columns], lambda name: value[name])
    if module == "polars" and hasattr(value, "get_column"):
        return Table(list(value.columns), value.get_column)
    if module == "pyarrow" and hasattr(value, "column_names"):
        return Table(list(value.column_names), value.column)
    if hasattr(value, "__arrow_c_stream__") and not hasattr(value, "ndim"):
        try:
            import pyarrow
        except ImportError as error:
            raise ValueError("data with an Arrow C stream are read by pyarrow, which is not here: pip install pyarrow") from error
        read = pyarrow.table(value)
        return Table(list(read.column_names), read.column)
    return None


def words(name: str, value: Any) -> list[tuple[np.ndarray, int]]:
    """Columns of bits, each with the number that its type holds, of an integer array (N,) or (N,k) or a tuple of columns."""
    if isinstance(value, (tuple, list)) and len(value) and all(_is_column(part) for part in value):
        return [one for k, part in enumerate(value) for one in words(f"{name}[{k}]", part)]
    found = array(name, value)
    if found.dtype.kind not in "iu":
        raise ValueError(f"{name}: bits are whole numbers, found {found.dtype}")
    if found.ndim not in (1, 2):
        raise ValueError(f"{name}: expected an array of shape (N,) or (N, k), found {found.shape}")
    size = found.dtype.itemsize
    found = found.astype(found.dtype.newbyteorder("="), copy=False)
    unsigned = found.view(f"u{size}") if found.flags.c_contiguous else np.ascontiguousarray(found).view(f"u{size}")
    columns = unsigned.reshape(len(found), -1).T if found.size else unsigned.reshape(0, -1).T
    return [(np.ascontiguousarray(one, dtype=np.uint64), 8 * size) for one in columns]
