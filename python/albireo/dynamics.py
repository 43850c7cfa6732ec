"""Molecular dynamics of Lennard-Jones fluids, which can be undone to the last bit.

Entry: :func:`md`; :class:`Simulation` is what a run comes back as.
"""

from __future__ import annotations

import os
import re
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import objects
from ._native import native
from .arrays import positions as columns_of
from .command import Progress, explained, run
from .keywords import MdOptions
from .measure import without_none
from .result import Result
from .trajectory import Trajectory

if TYPE_CHECKING:
    from typing import Unpack


class Frames(NamedTuple):
    """The frames of a run: the number of steps before each, positions and velocities (F, N, 3), the species of each atom, the lengths of the box."""

    steps: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray | None
    species: np.ndarray
    box: np.ndarray


class Simulation(Result):
    """The energies, temperature, pressure and momentum of a run, a row each, as columns; ``frames`` and ``part("rdf")`` where they were asked for."""

    def __init__(self, table: Any, parts: dict[str, Any] | None = None, text: str = "", frames: Frames | None = None) -> None:
        super().__init__(table, parts, text)
        self._frames = frames

    @property
    def frames(self) -> Frames:
        """The frames of the run, of ``trajectory=True``."""
        if self._frames is None:
            raise AttributeError("there are no frames in memory: trajectory=True keeps them")
        return self._frames

    @property
    def trajectory(self) -> Trajectory:
        """The frames as a sample, which :func:`albireo.rdf` takes."""
        steps, positions, velocities, species, box = self.frames
        columns = {} if velocities is None else dict(zip(("vx", "vy", "vz"), np.moveaxis(velocities, -1, 0)))
        return Trajectory(positions, boxes=np.tile(box, (len(steps), 1)), species=species, **columns)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (super().__reduce__(), self._frames)


def _restored(made: tuple[Any, ...], frames: Frames | None) -> Simulation:
    result = made[0](*made[1])
    return Simulation(result.table, result._parts, result.text, frames)


def _of_file(path: str) -> Frames:
    """The frames of an extended XYZ file of the command, whose numbers read back as the same."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    atoms = int(lines[0])
    heads = lines[1 :: atoms + 2]
    rows = [line.split() for k, line in enumerate(lines) if k % (atoms + 2) > 1]
    numbers = np.array([row[1:] for row in rows], dtype=np.float64).reshape(len(heads), atoms, -1)
    lattice, step = re.search(r'Lattice="([^"]*)"', heads[0]), [re.search(r" step=(\d+)", head) for head in heads]
    assert lattice is not None
    return Frames(
        steps=np.array([int(one.group(1)) for one in step if one is not None]),
        positions=numbers[:, :, :3],
        velocities=numbers[:, :, 3:] if numbers.shape[2] > 3 else None,
        species=np.array([row[0] for row in rows[:atoms]]),
        box=np.array(lattice.group(1).split(), dtype=np.float64)[::4],
    )


def _last_frame(start: Any) -> tuple[list[np.ndarray], dict[str, Any], Any]:
    """The columns x, y, z of the last frame, its other columns, and its vectors."""
    made = objects.trajectory(start)
    frames = Trajectory(**made) if made is not None else start
    if not isinstance(frames, Trajectory):
        return [values for _, values in columns_of("start", start).columns], {}, None
    first = sum(frames.particles[:-1])
    rows = slice(first, first + frames.particles[-1])
    # Values of one frame hold for all of them.
    own = {name: values[1] if isinstance(values, tuple) else values for name, values in frames.columns}
    own = {name: values if len(values) == frames.particles[0] and len(frames) > 1 else values[rows] for name, values in own.items()}
    texts = {name: values[0] for name, values in frames.columns if isinstance(values, tuple)}
    own = {name: [texts[name][code] for code in values] if name in texts else values for name, values in own.items()}
    return [values[rows] for values in frames.positions], own, None if frames.cells is None else frames.cells[-1]


def _written(start: Any, path: str) -> str:
    """Where a run starts, as a file: extended XYZ, whose numbers read back as the same."""
    places, own, cell = _last_frame(start)
    names = ["vx", "vy", "vz"] if {"vx", "vy", "vz"} <= own.keys() else []
    species = next((own[name] for name in ("species", "name", "element", "type") if name in own), None)
    lattice = "" if cell is None else 'Lattice="{}" pbc="T T T" '.format(" ".join(repr(float(x)) for vector in cell for x in vector))
    kinds = ["A"] * len(places[0]) if species is None else [str(one) for one in species]
    values = np.stack([*places, *(np.asarray(own[name], dtype=np.float64) for name in names)], axis=1).tolist()
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{len(kinds)}\n{lattice}Properties=species:S:1:pos:R:3{''.join(f':{name}:R:1' for name in names)}\n")
        file.writelines(f"{kind} {' '.join(map(repr, row))}\n" for kind, row in zip(kinds, values))
    return path


@explained("md", MdOptions)
def md(
    start: Any = None,
    *,
    steps: int,
    atoms: int | None = None,
    density: float | None = None,
    box: Any = None,
    temperature: float | None = None,
    dt: float | None = None,
    every: int | None = None,
    trajectory: bool | str | os.PathLike[str] | None = None,
    rdf: bool | str | os.PathLike[str] | None = None,
    progress: Progress = None,
    **further: Unpack[MdOptions],
) -> Simulation:
    """Simulates a Lennard-Jones fluid, in units of sigma, epsilon and m: velocity Verlet whose every step can be undone.

    Parameters
    ----------
    start
        Where atoms begin: (N, 3) positions in a `box`, a :class:`Trajectory`, whose last frame it is with its box, species and velocities (vx, vy, vz),
        or the path of one. None for a lattice of so many `atoms` at this number `density`.
    steps, dt
        Their number, and the time of each (0.005).
    temperature
        Of random velocities at the start, and of ``thermostat="rescale"`` or ``"langevin"``.
    every
        Steps from one row of the result to the next (100).
    trajectory
        True for frames that come back as ``result.frames`` and ``result.trajectory``, one each ``trajectory_every=`` steps, or the file to write them
        into (.xyz, .extxyz, .h5, .h5md).
    rdf
        True for g(r) of all atoms, which comes back as ``result.part("rdf")``, or a file for it; ``rdf_bins=`` and ``rdf_every=`` say of what.
    progress
        True for a bar, or a function of ``(what, done, of)``.
    further
        Further flags of ``albireo md``: ``potential="force-shifted"``, ``seed=1``, ``and_back=True``, ``checkpoint="run.state"``...

    >>> import albireo
    >>> run = albireo.md(atoms=108, density=0.8, temperature=1, steps=20, every=10, trajectory=True, trajectory_every=10)
    >>> run["step"], run.frames.positions.shape
    (array([ 0, 10, 20], dtype=uint64), (3, 108, 3))
    >>> albireo.rdf(run.trajectory, r_max=2.5, n_bins=10).g.shape
    (10,)
    """
    options: dict[str, Any] = {**further} | dict(
        steps=int(steps), atoms=atoms, density=density, box=objects.box(start) if box is None else box, temperature=temperature, dt=dt,
        every=every, trajectory=trajectory, rdf=rdf, output="-",
    )
    without_none(options)
    # The command reads a start from a file, and writes frames and g(r) while it makes its steps: it leaves them to the next where it is interrupted.
    with tempfile.TemporaryDirectory(prefix="albireo-") as folder:
        for name, kind in (("trajectory", "xyz"), ("rdf", "json")):
            if options.get(name) is True:
                options[name] = os.path.join(folder, f"{name}.{kind}")
        files = []
        if start is not None:
            is_path = isinstance(start, (str, os.PathLike))
            files.append(os.fspath(start) if is_path else _written(start, os.path.join(folder, "start.xyz")))
        made = run(["md"], (), options, files=files, progress=progress)
        frames = _of_file(options["trajectory"]) if trajectory is True else None
        parts = {"rdf": native().Table.read(options["rdf"])} if rdf is True else {}
    return Simulation(made.tables[0], parts, made.text, frames)
