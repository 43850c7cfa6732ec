"""Catalogues in the formats that Corrfunc reads: its binary files, and columns of text.

Entry: :func:`read_catalog`.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

__all__ = ["read_ascii_catalog", "read_catalog", "read_fastfood_catalog"]


def _float(asked: Any) -> np.dtype:
    kind = np.dtype(np.float64 if asked is None else asked)
    if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"return_dtype: expected float32 or float64, found {kind}")
    return kind


def _record(data: bytes, at: int, path: str) -> tuple[bytes, int]:
    """A record of Fortran: its length in bytes before and after it."""
    length = int.from_bytes(data[at : at + 4], "little")
    after = at + 4 + length
    if len(data) < after + 4 or int.from_bytes(data[after : after + 4], "little") != length:
        raise OSError(f"{path}: no record of Fortran at byte {at}")
    return data[at + 4 : after], after + 4


def read_fastfood_catalog(filename: Any, return_dtype: Any = None, need_weights: Any = None) -> tuple[np.ndarray, ...]:
    """Three columns of a fast-food file, and weights where they are needed; float64 unless `return_dtype` is float32."""
    wanted = _float(return_dtype)
    path = os.fspath(filename)
    with open(path, "rb") as file:
        data = file.read()
    header, at = _record(data, 0, path)
    rows = int(np.frombuffer(header, dtype="<i4")[1])
    # Box and redshift.
    for _ in range(2):
        _, at = _record(data, at, path)
    columns = []
    for _ in range(4 if need_weights else 3):
        values, at = _record(data, at, path)
        width = len(values) // max(rows, 1)
        if width not in (4, 8) or width * rows != len(values):
            raise OSError(f"{path}: expected {rows} float32 or float64, found {len(values)} bytes")
        columns.append(np.frombuffer(values, dtype=f"<f{width}").astype(wanted))
    return tuple(columns)


def read_ascii_catalog(filename: Any, return_dtype: Any = None) -> tuple[np.ndarray, ...]:
    """The first three columns of a text file, separated by spaces or commas; lines that begin with ``#`` are left out."""
    kind = _float(return_dtype)
    with open(os.fspath(filename), encoding="utf-8") as file:
        lines = [line.replace(",", " ") for line in file]
    rows = np.loadtxt(lines, dtype=kind, ndmin=2)
    if rows.shape[1] < 3:
        raise OSError(f"{os.fspath(filename)}: expected three columns, found {rows.shape[1]}")
    return tuple(np.ascontiguousarray(rows[:, axis]) for axis in range(3))


def read_catalog(filebase: Any = None, return_dtype: Any = np.float64) -> tuple[np.ndarray, ...]:
    """Three columns of a fast-food file (``.ff``) or of text. The catalogue that Corrfunc itself comes with is not here: `filebase` is needed."""
    if filebase is None:
        raise OSError("filebase: expected the path of a catalogue: the one that Corrfunc comes with is not part of albireo")
    path = os.fspath(filebase)
    if not os.path.exists(path):
        raise OSError(f"{path}: there is no such file")
    read = read_fastfood_catalog if os.path.splitext(path)[1] == ".ff" else read_ascii_catalog
    return read(path, return_dtype)
