"""Catalogues in the binary format of Corrfunc.

Entry: :func:`read_fastfood_catalog`.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

__all__ = ["read_fastfood_catalog"]


def _record(data: bytes, at: int, path: str) -> tuple[bytes, int]:
    """A record of Fortran: its length in bytes before and after it."""
    length = int.from_bytes(data[at : at + 4], "little")
    after = at + 4 + length
    if len(data) < after + 4 or int.from_bytes(data[after : after + 4], "little") != length:
        raise OSError(f"{path}: no record of Fortran at byte {at}")
    return data[at + 4 : after], after + 4


def read_fastfood_catalog(filename: Any, return_dtype: Any = None, need_weights: Any = None) -> tuple[np.ndarray, ...]:
    """Three columns of a fast-food file, and weights where they are needed; float64 unless `return_dtype` is float32."""
    wanted = np.dtype(np.float64 if return_dtype is None else return_dtype)
    if wanted not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"return_dtype: expected float32 or float64, found {wanted}")
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
