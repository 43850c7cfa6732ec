"""What the package has of Rust; not for callers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

__version__: str

@final
class Table:
    """Columns of a result with everything about how it was made."""

    @staticmethod
    def of(columns: Sequence[tuple[str, str | None, str, npt.NDArray[Any]]], record: str) -> Table: ...
    @staticmethod
    def read(path: str) -> Table: ...
    def write(self, path: str, counts: Table | None = None, regions: Table | None = None) -> None: ...
    def pycorr_npy(self, regions: Table | None = None) -> bytes: ...
    def names(self) -> list[str]: ...
    def column(self, name: str) -> npt.NDArray[Any]: ...
    def unit(self, name: str) -> str | None: ...
    def description(self, name: str) -> str: ...
    def record(self) -> str: ...
    def kind(self) -> str: ...
    def edges(self) -> list[tuple[str, list[float]]]: ...
    def __len__(self) -> int: ...

def call(
    arguments: Sequence[str],
    given: Mapping[
        str,
        tuple[
            Sequence[tuple[str, npt.NDArray[np.float64]]],
            Sequence[tuple[str, npt.NDArray[np.uint64], int]],
            Sequence[tuple[str, Any]] | None,
            str | None,
        ]
        | tuple[
            Sequence[npt.NDArray[np.float64]],
            Sequence[int],
            Sequence[Sequence[Sequence[float]]] | None,
            Sequence[tuple[str, Any]],
            Sequence[Sequence[int]],
            str | None,
        ],
    ],
    results: Mapping[str, Table],
    kept: Sequence[str],
    log_level: int | None = None,
    log: Callable[[int, str], Any] | None = None,
    progress: Callable[[str, int, int | None], Any] | None = None,
) -> tuple[list[tuple[str | None, Table]], str]: ...
def write_grid(
    path: str,
    shape: Sequence[int],
    origin: Sequence[float],
    steps: Sequence[Sequence[float]],
    record: str,
    values: npt.NDArray[np.float64],
) -> None: ...
def main(arguments: Sequence[str]) -> int: ...
def flags(words: Sequence[str]) -> list[tuple[str, str, str]]: ...
def usual_names() -> list[str]: ...
def frame_names() -> list[str]: ...
def factor(from_: str, to: str, power: int) -> float: ...
def kind(unit: str) -> tuple[str, str]: ...
