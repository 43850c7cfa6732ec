"""Potentials and densities of particles, on grids and at points.

Entry: :func:`field`; :class:`Grid` is what a grid of values comes back as.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ._native import native
from .arrays import column
from .catalog import Catalog, as_catalog
from .command import Progress, Role, explained, run
from .keywords import FieldOptions
from .measure import beside, box_of, without_none
from .result import Result, results

if TYPE_CHECKING:
    from typing import SupportsFloat, Unpack


class Grid:
    """Values on a regular grid.

    ``values`` has the shape of the grid, ``origin`` is the first point and ``steps[k]`` the vector from a point to the next along axis k, so that
    ``values[i, j, k]`` is at ``origin + i*steps[0] + j*steps[1] + k*steps[2]``; ``cell`` are the vectors of all of the grid. ``unit`` is that of the values,
    ``record`` says how they were made, ``ions`` are those placed in them: name, charge, x, y, z.
    """

    def __init__(self, values: np.ndarray, record: dict[str, Any], ions: np.ndarray | None = None) -> None:
        self.values = values
        self.origin = np.array(record["origin"])
        self.steps = np.array(record["steps"])
        self.record = record
        self.ions = ions

    @property
    def shape(self) -> tuple[int, ...]:
        """The numbers of points along the axes."""
        return self.values.shape

    @property
    def unit(self) -> str:
        """The unit of the values."""
        return str(self.record["unit"])

    @property
    def cell(self) -> np.ndarray:
        """The vectors of the grid, one a row: as many steps as points, which in a periodic box is the box."""
        return self.steps * np.array(self.shape)[:, None]

    @property
    def spacing(self) -> np.ndarray:
        """The distance of the points along x, y and z; ValueError of a grid whose steps are not along these."""
        if np.count_nonzero(self.steps - np.diag(np.diagonal(self.steps))):
            raise ValueError("the steps of this grid are not along x, y and z: see Grid.steps")
        return np.diagonal(self.steps).copy()

    @property
    def axes(self) -> tuple[np.ndarray, ...]:
        """The x, y and z of the points; ValueError of a grid whose steps are not along these."""
        return tuple(first + step * np.arange(n) for first, step, n in zip(self.origin, self.spacing, self.shape))

    def points(self) -> np.ndarray:
        """The positions of all points, (.., 3)."""
        return self.origin + np.stack(np.meshgrid(*map(np.arange, self.shape), indexing="ij"), axis=-1) @ self.steps

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it whole or not at all, by extension: .dx .cube (lengths taken as Angstrom) .npy (with FILE.npy.json beside it) .h5."""
        record = {key: value for key, value in self.record.items() if key not in ("shape", "origin", "steps")}
        values = np.ascontiguousarray(self.values, dtype=np.float64).ravel()
        native().write_grid(os.fspath(path), self.shape, self.origin.tolist(), self.steps.tolist(), json.dumps(record), values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype, copy=True if copy is None else copy)

    def __repr__(self) -> str:
        return f"<{self.record['term']} ({self.unit}) on {' x '.join(map(str, self.shape))} points from {self.origin.tolist()}>"


def _grid_like(grid: Grid, options: dict[str, Any]) -> None:
    """The grid of another one, by its numbers."""
    options.update(origin=grid.origin.tolist(), spacing=grid.spacing.tolist(), size=list(grid.shape))


def _ions(path: str) -> np.ndarray:
    """The atoms of a PQR file of the command."""
    with open(path, encoding="utf-8") as file:
        atoms = [line.split() for line in file if line.startswith("ATOM")]
    kinds = [("name", "U32"), ("charge", "f8"), ("x", "f8"), ("y", "f8"), ("z", "f8")]
    return np.array([(atom[2], float(atom[8]), *map(float, atom[5:8])) for atom in atoms], dtype=kinds)


def _sources(sources: Any, options: dict[str, Any]) -> Role:
    """The sources with the arrays that are given beside them."""
    parameters = {name: options.pop(name) for name in ("epsilon", "sigma") if np.ndim(options.get(name, 0)) == 1 and not isinstance(options[name], str)}
    catalog = as_catalog(sources, "sources", **beside(options, ""))
    if parameters and catalog.path is not None:
        raise ValueError(f"{next(iter(parameters))}: arrays do not go with a file: name its column")
    if parameters and isinstance(sources, Catalog):
        raise ValueError(f"{next(iter(parameters))}: arrays go beside positions, not beside a `Catalog`")
    for name, values in parameters.items():
        catalog.columns.append((f"<{name}>", column(name, values)))
        options[name] = f"<{name}>"
    return Role(None, "", catalog)


class NamedOptions(FieldOptions, total=False):
    """What :func:`field` names itself, too."""

    kernel: str
    spacing: float | Sequence[float] | None
    origin: Sequence[float] | None
    size: Sequence[int] | None
    padding: float | None
    cutoff: SupportsFloat | str | None
    box: Any
    weights: Any
    progress: Progress


@overload
def field(sources: Any, *, at: None = None, **further: Unpack[NamedOptions]) -> Grid: ...
@overload
def field(sources: Any, *, at: Any, **further: Unpack[NamedOptions]) -> Result: ...
@explained("field", FieldOptions)
def field(
    sources: Any,
    *,
    kernel: str = "coulomb",
    spacing: float | Sequence[float] | None = None,
    origin: Sequence[float] | None = None,
    size: Sequence[int] | None = None,
    padding: float | None = None,
    at: Any = None,
    cutoff: SupportsFloat | str | None = None,
    box: Any = None,
    weights: Any = None,
    progress: Progress = None,
    **further: Unpack[FieldOptions],
) -> Grid | Result:
    """Sums what particles add at points: potentials of charges or masses, Lennard-Jones energies of a probe, densities.

    Returns a :class:`Grid` of values; or, with `at`, a :class:`Result` whose column ``value`` is that at each of these positions.

    Parameters
    ----------
    sources
        (N, 3) positions, three columns, a table, a :class:`Catalog`, or a path: of a catalogue, a PQR file or a frame of a trajectory (``frame=``).
    kernel
        ``"coulomb"``, ``"ewald"``, ``"gravity"``, ``"lj"``, ``"top-hat"``, ``"spline"``, ``"gaussian"``, ``"cic"``, ``"tsc"`` or ``"table"``, whose
        ``values=`` are a pair of arrays (r, value), r in equal steps above 0, or a file of them.
    spacing, origin, size, padding
        Distance of the points, one or three; the first of them and their numbers, else a grid round the sources with `padding`, or of the periodic
        box. ``grid_of=`` takes the grid of an OpenDX file or of another :class:`Grid`.
    at
        Positions of any kind that samples are, instead of a grid.
    cutoff
        Where potentials end; ``"none"`` for never, in open space.
    box
        As for :func:`count`; None for open space, or the box that a file states.
    weights
        One charge or mass each; ``epsilon=`` and ``sigma=`` of ``"lj"`` are numbers, columns or arrays.
    progress
        True for a bar, or a function of ``(what, done, of)``.
    further
        Further flags of ``albireo field``: ``precision="single"``, ``radius=8``, ``ions=["Na+:2"]``, whose places are ``grid.ions``...

    Every value is a sum of integers and the same bits on any engine and number of threads. A map that does not fit into memory, or is to go on after an
    interruption, is the command line's.

    >>> import albireo
    >>> grid = albireo.field([[0.0, 0, 0]], weights=[2.0], cutoff="none", spacing=1, origin=(1, 0, 0), size=(4, 1, 1))
    >>> grid.values.ravel().round(6)
    array([2.      , 1.      , 0.666667, 0.5     ])
    >>> albireo.field([[0.0, 0, 0]], weights=[2.0], cutoff="none", at=[[0, 4.0, 0]])["value"]
    array([0.5])
    """
    options: dict[str, Any] = {**further} | dict(
        kernel=kernel, spacing=spacing, origin=origin, size=size, padding=padding, cutoff=cutoff, box=box, weights=weights
    )
    box_of(sources, options)
    if isinstance(options.get("grid_of"), Grid):
        _grid_like(options.pop("grid_of"), options)
    roles = [_sources(sources, options)]
    without_none(options)
    # The command writes grids plane by plane, as they may be larger than memory, and reads tables of kernels from files alone.
    with tempfile.TemporaryDirectory(prefix="albireo-") as folder:
        if isinstance(options.get("values"), (tuple, list)):
            r, values = (np.asarray(one, dtype=np.float64) for one in options["values"])
            options["values"] = os.path.join(folder, "kernel.txt")
            with open(options["values"], "w", encoding="utf-8") as file:
                file.writelines(f"{a!r} {b!r}\n" for a, b in zip(r.tolist(), values.tolist(), strict=True))
        if at is not None:
            roles.append(Role("at", "", as_catalog(at, "at")))
            return results(run(["field"], roles, {**options, "output": "-"}, progress=progress))
        path, ions = os.path.join(folder, "grid.npy"), os.path.join(folder, "ions.pqr")
        run(["field"], roles, {**options, "output": path, **({"ions_output": ions} if options.get("ions") else {})}, progress=progress)
        with open(f"{path}.json", encoding="utf-8") as file:
            record = json.load(file)
        return Grid(np.load(path), record, _ions(ions) if options.get("ions") else None)
