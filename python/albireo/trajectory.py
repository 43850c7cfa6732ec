"""Frames of particles that move, in memory.

Entry: :class:`Trajectory`; :func:`as_trajectory` makes one of arrays of frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import arrays, objects, units


class Trajectory:
    """Frames in memory, which :func:`albireo.rdf` takes as it takes the file of a trajectory.

    Parameters
    ----------
    positions
        (F, N, 3) array, or a list of F arrays (N, 3) whose numbers of particles may differ. Unit of length: that of the bins.
    boxes
        The box of each frame: (F, 3) lengths or (F, 3, 3) vectors. A box that all frames share goes to the measurement as ``box=``.
    bonds
        (B, 2) rows of bonded particles, from 0, for ``exclude_bonded=``.
    unit
        Unit of length, for labels; that of a Quantity is known.
    columns
        By name, such as ``species=``, ``mass=``, ``charge=``, ``molecule=``: numbers or texts, one for each particle of a frame, which
        then holds for all frames; or a list of F such arrays, or an (F, N) array.

    Positions of contiguous float64 are not copied: do not write to them while they are counted.

    >>> import numpy as np, albireo
    >>> gas = np.random.default_rng(1).random((5, 100, 3))
    >>> water = albireo.Trajectory(gas, boxes=np.ones((5, 3)), species=["O"] * 40 + ["H"] * 60)
    >>> albireo.rdf(water, r_max=0.5, n_bins=10, pairs="O-H").record["species"]
    ['H', 'O']
    """

    def __init__(self, positions: Any, *, boxes: Any = None, bonds: Any = None, unit: str | None = None, **columns: Any) -> None:
        # What measurements ask of every sample.
        self.path: str | None = None
        self.weight_column: str | None = None
        self.group_column: str | None = None
        self.region_column: str | None = None
        self.words: tuple[Any, ...] = ()
        frames, found = _frames(positions)
        self.unit = unit or found
        self.particles = [len(frame) for frame in frames]
        whole = frames.reshape(-1, 3) if isinstance(frames, np.ndarray) else np.concatenate(frames)
        self.positions = [values for _, values in arrays.positions("positions", whole).columns]
        self.cells = None if boxes is None else _cells(boxes, len(frames), self.unit)
        self.columns = [(name, _values(name, values, self.particles)) for name, values in columns.items() if values is not None]
        self.bonds = [] if bonds is None else _bonds(bonds)

    def __len__(self) -> int:
        return len(self.particles)

    def __repr__(self) -> str:
        least, most = min(self.particles), max(self.particles)
        names = ", ".join(["positions", *(name for name, _ in self.columns)])
        return f"<Trajectory of {len(self)} frames, {least if least == most else f'{least} to {most}'} particles: {names}>"

    def native(self, wanted: Any, whole: bool) -> tuple[Any, ...]:
        """What the measurement takes."""
        return self.positions, self.particles, self.cells, self.columns, self.bonds, self.unit


def _frames(positions: Any) -> tuple[Any, str | None]:
    """The frames as an (F, N, 3) array or a list of (N, 3) arrays, and their unit."""
    if isinstance(positions, (list, tuple)):
        unit: str | None = None
        frames = []
        for k, frame in enumerate(positions):
            plain, unit = arrays.without_unit(f"frame {k}", frame, unit)
            frames.append(_float64(f"frame {k}", plain, 2))
        if not frames:
            raise ValueError("positions: expected at least one frame, found none")
        return frames, unit
    plain, unit = arrays.without_unit("positions", positions, None)
    found = _float64("positions", plain, 3)
    if not len(found):
        raise ValueError("positions: expected at least one frame, found none")
    return found, unit


def _float64(name: str, value: Any, dimensions: int) -> np.ndarray:
    found = arrays.array(name, value)
    if found.ndim != dimensions or found.shape[-1] != 3:
        shape = "(F, N, 3)" if dimensions == 3 else "(N, 3)"
        raise ValueError(f"{name}: expected an array of shape {shape}, found shape {found.shape}")
    return found


def _cells(boxes: Any, frames: int, unit: str | None) -> list[list[list[float]]]:
    plain = units.of_option("box", boxes, unit, angles=False)
    found = np.asarray(plain, dtype=np.float64)
    if found.shape == (frames, 3):
        found = found[:, :, None] * np.eye(3)
    if found.shape != (frames, 3, 3):
        raise ValueError(f"boxes: expected ({frames}, 3) lengths or ({frames}, 3, 3) vectors, found shape {np.shape(plain)}")
    cells: list[list[list[float]]] = found.tolist()
    return cells


def _values(name: str, values: Any, particles: Sequence[int]) -> Any:
    """The values of a column as the measurement takes them: those of one frame, or of all frames one after the other."""
    if isinstance(values, (list, tuple)) and len(values) == len(particles) and not isinstance(values[0], str) and np.ndim(values[0]) == 1:
        lengths = [len(part) for part in values]
        if lengths != list(particles):
            wrong = next(k for k, (n, m) in enumerate(zip(lengths, particles)) if n != m)
            raise ValueError(f"{name}: frame {wrong} has {particles[wrong]} particles, found {lengths[wrong]} values")
        values = np.concatenate([np.asarray(part) for part in values])
    found = np.asarray(units.without_dimension(name, values))
    if found.ndim == 2 and found.shape == (len(particles), particles[0]):
        found = found.reshape(-1)
    if found.ndim != 1:
        raise ValueError(f"{name}: expected a value for each particle, found shape {found.shape}")
    return arrays.of_particles(name, found.astype(str) if found.dtype.kind == "O" else found)


def _bonds(bonds: Any) -> list[list[int]]:
    found = np.asarray(bonds)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu" or (found.size and found.min() < 0):
        raise ValueError(f"bonds: expected whole numbers of shape (B, 2), found {found.dtype} of shape {found.shape}")
    pairs: list[list[int]] = found.tolist()
    return pairs


def as_trajectory(data: Any, columns: dict[str, Any]) -> Trajectory | None:
    """The frames that `data` holds, with arrays of particles taken out of `columns`; None where it holds none."""
    made = objects.trajectory(data)
    if made is not None:
        data = Trajectory(**{**made, **{name: columns.pop(name) for name in ("species",) if arrays.is_given(columns.get(name))}})
    if not isinstance(data, Trajectory):
        if getattr(data, "ndim", 0) == 2 and arrays.is_given(columns.get("species")):
            data = data[None]
        several = isinstance(data, (list, tuple)) and len(data) > 0 and all(getattr(part, "ndim", 0) == 2 for part in data)
        if not several and getattr(data, "ndim", 0) != 3:
            return None
        beside = {name: columns.pop(name) for name in ("species", "group") if arrays.is_given(columns.get(name))}
        data = Trajectory(data, **beside)
        if "group" in beside:
            columns["group"] = "group"
    for name in ("species", "group"):
        if arrays.is_given(columns.get(name)):
            raise ValueError(f"{name}: belongs into the Trajectory: Trajectory(positions, {name}=..)")
    return data
