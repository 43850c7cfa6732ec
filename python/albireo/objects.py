"""Objects of other packages as samples: astropy's SkyCoord and cosmologies, ASE's Atoms, MDAnalysis' groups of atoms.

Entry: :func:`sample`, :func:`trajectory`, :func:`box`, :func:`cosmology`. None of these packages is imported here.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _is_of(value: Any, package: str, name: str) -> bool:
    kinds = type(value).__mro__
    return any(kind.__name__ == name and kind.__module__.split(".")[0] == package for kind in kinds)


def _is_atoms(value: Any) -> bool:
    return _is_of(value, "ase", "Atoms")


def _is_group(value: Any) -> bool:
    return _is_of(value, "MDAnalysis", "AtomGroup") or _is_of(value, "MDAnalysis", "Universe")


def _cell(dimensions: Any) -> np.ndarray | None:
    """The vectors of a box of three lengths and three angles; None of no box."""
    if dimensions is None or not np.any(dimensions):
        return None
    lengths = np.asarray(dimensions[:3], dtype=np.float64)
    if np.all(np.asarray(dimensions[3:]) == 90):
        return np.diag(lengths)
    from MDAnalysis.lib.mdamath import triclinic_vectors

    return np.asarray(triclinic_vectors(np.asarray(dimensions, dtype=np.float64)), dtype=np.float64)


def sample(value: Any) -> dict[str, Any] | None:
    """What makes a `Catalog` of an object: its positions or directions, and their unit; None for what is no such object."""
    if _is_of(value, "astropy", "SkyCoord"):
        place = value.icrs
        far = place.distance
        depth = {} if str(far.unit) in ("", "1") else {"distance": far}
        return {"sky": (place.ra, place.dec), **depth}
    if _is_atoms(value):
        return {"positions": np.asarray(value.positions, dtype=np.float64), "unit": "Angstrom"}
    if _is_group(value):
        return {"positions": np.asarray(value.atoms.positions), "unit": "Angstrom"}
    return None


def box(value: Any) -> list[float | None] | np.ndarray | None:
    """The periodic box that an object has at hand: vectors, or lengths where an axis is open; None of none."""
    if _is_atoms(value):
        periodic = np.asarray(value.pbc)
        cell = np.asarray(value.cell[:], dtype=np.float64)
        if not periodic.any():
            return None
        if periodic.all():
            return cell
        if np.count_nonzero(cell - np.diag(np.diag(cell))):
            raise ValueError("box: cells with open axes have right angles here: give box=(lx, ly, None)")
        return [float(length) if axis else None for length, axis in zip(np.diag(cell), periodic)]
    return _cell(value.atoms.dimensions) if _is_group(value) else None


def trajectory(value: Any) -> dict[str, Any] | None:
    """What makes a Trajectory of an object: all frames of a group of atoms, one frame or a list of Atoms; None for what is no such object."""
    atoms = [value] if _is_atoms(value) else value
    if isinstance(atoms, (list, tuple)) and len(atoms) and all(_is_atoms(one) for one in atoms):
        closed = [bool(np.asarray(one.pbc).all()) for one in atoms]
        boxes = np.stack([np.asarray(one.cell[:], dtype=np.float64) for one in atoms]) if all(closed) else None
        if boxes is None and any(np.asarray(one.pbc).any() for one in atoms):
            raise ValueError("boxes: all frames are periodic along all axes, or none is: give positions and box=(lx, ly, None)")
        species = [one.get_chemical_symbols() for one in atoms]
        named = species[0] if all(names == species[0] for names in species) else [np.array(names) for names in species]
        positions = [np.asarray(one.positions, dtype=np.float64) for one in atoms]
        return {"positions": positions, "boxes": boxes, "unit": "Angstrom", "species": named}
    if not _is_group(value):
        return None
    group = value.atoms
    places, cells = [], []
    for frame in group.universe.trajectory:
        places.append(np.array(group.positions))
        cells.append(_cell(frame.dimensions))
    known = None if any(cell is None for cell in cells) else np.stack([cell for cell in cells if cell is not None])
    columns = {name: _values(group, *where) for name, where in _COLUMNS.items()}
    return {"positions": np.stack(places), "boxes": known, "unit": "Angstrom", **{k: v for k, v in columns.items() if v is not None}}


#: Columns of a Trajectory, and where groups of atoms have them, the first that is there.
_COLUMNS = {"species": ("elements", "types", "names"), "name": ("names",), "resname": ("resnames",), "molecule": ("fragindices", "resindices")}


def _values(group: Any, *places: str) -> Any:
    for place in places:
        try:
            values = np.asarray(getattr(group, place))
        except Exception:
            continue
        if values.dtype.kind != "O" or all(str(value) for value in values):
            return values.astype(str) if values.dtype.kind == "O" else values
    return None


def cosmology(value: Any) -> Any:
    """A cosmology of astropy as the parameters of ours; others as they are."""
    if not (hasattr(value, "Om0") and hasattr(value, "comoving_distance")):
        return value
    known = {"LambdaCDM", "FlatLambdaCDM", "wCDM", "FlatwCDM", "w0waCDM", "Flatw0waCDM"}
    kind = type(value).__name__
    if kind not in known:
        raise ValueError(f"cosmology: expected one of {', '.join(sorted(known))}, found {kind}: w0 and wa are all that is known of dark energy")
    numbers = {"om": value.Om0, "ok": value.Ok0, "h": value.h, "w0": getattr(value, "w0", -1.0), "wa": getattr(value, "wa", 0.0)}
    photons = float(getattr(value.Tcmb0, "value", value.Tcmb0))
    mnu = ""
    if photons > 0:
        masses = np.atleast_1d(getattr(value.m_nu, "value", value.m_nu)) if value.m_nu is not None else np.zeros(0)
        numbers |= {"tcmb": photons, "neff": value.Neff}
        mnu = ":".join(repr(float(mass)) for mass in masses) if np.any(masses) else ""
    text = ",".join(f"{key}={float(number)!r}" for key, number in numbers.items())
    return f"{text},mnu={mnu}" if mnu else text
