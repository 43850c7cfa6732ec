"""A sample as it is handed to a measurement: a file, or arrays with what belongs to them.

Entry: :class:`Catalog`; :func:`as_catalog` makes one of any object that a caller has.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import arrays, objects, units
from ._native import native
from .trajectory import Trajectory

#: What the angles of a table are called.
_ANGLES = {"ra", "dec", "raj2000", "dej2000"}
#: What positions are called that have to be lengths.
_LENGTHS = {"x", "y", "z", "X", "Y", "Z"}
#: What species are called: the values of such a column are all there.
_SPECIES = {"species", "element", "type", "name"}
#: What redshifts are called; they have no unit.
_REDSHIFTS = {"z", "redshift", "zspec", "z_spec"}


#: Words of conditions that are no columns.
_WORDS = {"and", "or", "not", "in", "like", "is", "null", "true", "false"}


class Wanted(NamedTuple):
    """What options ask for: columns by their names, columns of bits, conditions and expressions over columns, and expressions over pairs."""

    names: list[str]
    bits: list[str]
    texts: list[str]
    sums: list[str]

    def spoken_of(self, names: Sequence[str]) -> list[str]:
        """The columns, of these, that conditions and expressions are about, each a word of its own."""
        return [name for name in names if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for text in [*self.texts, *self.sums])]

    def is_doubtful(self, names: Sequence[str]) -> bool:
        """Whether they have a word that is none of these: a function, or a column misspelt, for which all others are looked at."""
        texts = (re.sub(r"'[^']*'|\"[^\"]*\"", "", text) for text in self.texts)
        return any(word not in names and word.lower() not in _WORDS for text in texts for word in re.findall(r"(?<!\w)[^\W\d]\w*", text))


class Catalog:
    """A sample of particles or galaxies.

    Parameters
    ----------
    positions
        (N, 3) array, three columns, or a table of any library whose columns are chosen by the usual names; or the path of a file, as
        on the command line. Unit of length: that of the bins.
    sky
        Two columns (ra, dec) or an (N, 2) array, degrees, instead of positions.
    redshift, distance
        One column beside `sky`: redshifts, which ``cosmology=`` turns into Mpc/h, or comoving distances in the unit of the bins.
    weights
        One weight each.
    bits
        Integers (N,) or (N, k) whose bits tell in which realisations of a selection each row was observed.
    group
        Integers, such as the number of a halo or molecule.
    region
        Integers, the region of each row for jackknife errors.
    classes
        Texts or numbers, the class of each row: pairs of every two classes are held apart.
    species
        Texts or numbers, what each particle is, for :func:`albireo.rdf`.
    columns
        Further numbers by their names, (N,) or (N, 3), which expressions such as ``pair_sum="V=radial(i.v - j.v)"`` are about.
    unit
        Unit of length, for labels; that of a Quantity is known.

    Arrays of contiguous float64 are not copied: do not write to them while they are counted.

    >>> import numpy as np, albireo
    >>> points = np.random.default_rng(1).random((100, 3))
    >>> len(albireo.Catalog(points, weights=np.ones(100)))
    100
    """

    def __init__(
        self,
        positions: Any = None,
        *,
        sky: Any = None,
        redshift: Any = None,
        distance: Any = None,
        weights: Any = None,
        bits: Any = None,
        group: Any = None,
        region: Any = None,
        classes: Any = None,
        species: Any = None,
        columns: Mapping[str, Any] | None = None,
        unit: str | None = None,
    ) -> None:
        self.path: str | None = None
        self.unit = unit
        self.columns: list[tuple[str, np.ndarray]] = []
        self.words: list[tuple[str, np.ndarray, int]] = []
        self._table: arrays.Table | None = None
        beside = {"weights": weights, "group": group, "region": region}
        if (positions is None) == (sky is None):
            raise ValueError("a catalogue has either positions or sky=(ra, dec)")
        if sky is None and (redshift is not None or distance is not None):
            raise ValueError("redshift and distance go with sky=(ra, dec)")
        if isinstance(positions, (str, os.PathLike)):
            self._of_file(positions, {**beside, "bits": bits, "classes": classes, "species": species, "columns": columns})
            return
        if sky is not None:
            self._of_sky(sky, redshift, distance)
        else:
            self._table = arrays.table(positions)
            if self._table is None:
                found = arrays.positions("positions", positions)
                self.columns, self.unit = found.columns, unit or found.unit
        for name, values in beside.items():
            if values is not None:
                plain = units.without_dimension(name, values)
                self.columns.append((f"<{name}>", arrays.column(name, plain)))
        for name, values in (columns or {}).items():
            plain = units.plain(values) if units.stated(values) is not None else values
            self.columns += _components(name, arrays.stacked(name, plain))
        # The same in every sample, and no name of a table.
        self.weight_column = "<weights>" if weights is not None else None
        self.group_column = "<group>" if group is not None else None
        self.region_column = "<region>" if region is not None else None
        if bits is not None:
            for k, (values, width) in enumerate(arrays.words("bits", bits)):
                self.words.append((f"bits[{k}]", values, width))
        self.classes_column = "<classes>" if classes is not None else None
        self.classes = None if classes is None else _classes(classes)
        self.species = None if species is None else arrays.of_particles("species", species)
        self._check_lengths()

    def _of_file(self, path: Any, beside: dict[str, Any]) -> None:
        given = [name for name, values in beside.items() if values is not None]
        if given:
            raise ValueError(f"{given[0]}: arrays do not go with a file: name its column, or read the file first")
        self.path = os.fspath(path)
        if not any(sign in self.path for sign in "*?[") and not os.path.exists(self.path):
            raise FileNotFoundError(2, "there is no such file", self.path)
        self.weight_column = self.group_column = self.region_column = self.classes_column = self.classes = self.species = None

    def _of_sky(self, sky: Any, redshift: Any, distance: Any) -> None:
        if redshift is not None and distance is not None:
            raise ValueError("a catalogue has redshifts or distances, not both")
        if isinstance(sky, (tuple, list)) and len(sky) == 2:
            ra, dec = sky
        else:
            both = arrays.array("sky", sky)
            if both.ndim != 2 or both.shape[1] != 2:
                raise ValueError(f"sky: expected two columns or an array of shape (N, 2), found shape {both.shape}")
            ra, dec = both[:, 0], both[:, 1]
        for name, values in (("ra", ra), ("dec", dec)):
            self.columns.append((name, arrays.column(name, units.in_degrees(name, values))))
        if redshift is not None:
            self.columns.append(("redshift", arrays.column("redshift", units.without_dimension("redshift", redshift))))
        if distance is not None:
            plain, unit = arrays.without_unit("distance", distance, None)
            self.columns.append(("distance", arrays.column("distance", plain)))
            self.unit = self.unit or unit

    def _check_lengths(self) -> None:
        if not self.columns:
            return
        first, of_first = self.columns[0]
        others = self.columns[1:] + [(name, values) for name, values, _ in self.words]
        for name, values in others:
            if len(values) != len(of_first):
                raise ValueError(f"columns of one sample must be equally long: {first} has {len(of_first)} rows, {name} has {len(values)}")

    def __len__(self) -> int:
        if self.path is not None:
            raise TypeError("the rows of a file are not known before it is read")
        if self.columns:
            return len(self.columns[0][1])
        assert self._table is not None
        return len(self._table.get(self._table.names[0])) if self._table.names else 0

    @property
    def is_table(self) -> bool:
        """Whether columns are chosen by their names."""
        return self._table is not None

    def native(self, wanted: Wanted, whole: bool) -> tuple[list, list, list | None, str | None]:
        """The columns that a measurement may need: those of the usual names of positions and frames, and those `wanted`; where the `whole` table may be
        frames of particles, all others beside them."""
        if self._table is None:
            columns, others, unit, of_bits = self.columns, [], None, self.words
        else:
            columns, unit = self._numbers(wanted, whole)
            if not columns:
                names = ", ".join(self._table.names)
                raise ValueError(f"no positions found: name them by positions='X,Y,Z' or sky='RA,DEC'; the columns are: {names}")
            others = self._others(columns, unit) if whole else self._beside(columns, wanted)
            there = [name for name in wanted.bits if name in self._table.names]
            of_bits = self.words + [(f"{n}[{k}]", v, w) for n in there for k, (v, w) in enumerate(arrays.words(n, self._table.get(n)))]
            columns = columns + self.columns
        if self.species is not None:
            others = [(name, values) for name, values in others if name != "species"] + [("species", self.species)]
        if self.classes is not None:
            others = [*others, ("<classes>", self.classes)]
        return columns, of_bits, others if whole or others else None, self.unit or unit

    def _numbers(self, wanted: Wanted, whole: bool) -> tuple[list[tuple[str, np.ndarray]], str | None]:
        """The columns of a table that are numbers, and the unit of length of positions among them."""
        assert self._table is not None
        columns: list[tuple[str, np.ndarray]] = []
        usual, frames = set(native().usual_names()), set(native().frame_names())
        on_sky = any(name.lower() in _ANGLES for name in self._table.names)
        unit: str | None = None
        for name in self._table.names:
            counts_frames = name not in usual and name not in wanted.names
            if counts_frames and name.lower() not in frames:
                continue
            value, unit = _of_table(name, arrays.stacked(name, self._table.get(name)), unit)
            if not _is_numeric(value) and (whole or name not in wanted.names):
                continue
            try:
                columns += _components(name, value)
            except ValueError:
                # Objects on the sky have no frames.
                if not (counts_frames and on_sky):
                    raise
        return columns, unit

    def _beside(self, columns: list[tuple[str, np.ndarray]], wanted: Wanted) -> list[tuple[str, Any]]:
        """What conditions and expressions are about beside these columns, without units, as a file has it."""
        assert self._table is not None
        names = self._table.names
        taken, rows = {name.split("[")[0]: values for name, values in columns}, len(columns[0][1])
        spoken_of = wanted.spoken_of(names)
        others: list[tuple[str, Any]] = []
        for name in names if wanted.is_doubtful(names) else spoken_of:
            try:
                value = _quantity(self._table.get(name))
                plain = units.plain(value) if units.stated(value) is not None else value
                if name in taken:
                    # A file's conditions are about its own numbers.
                    own = np.asarray(plain)
                    is_same = plain is value or np.array_equal(own[:, -1] if own.ndim == 2 else own, taken[name])
                    if name in spoken_of and not is_same:
                        raise ValueError(f"{name}: a condition or expression is about it, and its unit is converted: put a copy without a unit beside it")
                    continue
                if np.asarray(plain).dtype.kind == "b" and any(re.search(rf"~\s*\(?\s*{re.escape(name)}(?!\w)", text) for text in wanted.texts):
                    raise ValueError(f"{name}: it is true or false: write `not {name}`, ~ is about the bits of integers")
                plain = arrays.stacked(name, plain)
                if getattr(plain, "ndim", 1) == 2:
                    parts = _components(name, plain)
                    others += [(part, values.astype(np.float64, copy=False)) for part, values in parts if len(values) == rows]
                    continue
                values = arrays.of_particles(name, plain)
                if values is None:
                    raise ValueError(f"{name}: a condition or expression is about it: expected numbers or texts, one a row, with none missing")
                if len(values[1] if isinstance(values, tuple) else values) == rows:
                    others.append((name, values))
            except (TypeError, ValueError):
                if name in spoken_of:
                    raise
        return others

    def _others(self, columns: list[tuple[str, np.ndarray]], unit: str | None) -> list[tuple[str, Any]]:
        """What a table has beside these columns: numbers or texts without missing values, as many as there are particles."""
        assert self._table is not None
        taken, rows = {name.split("[")[0] for name, _ in columns}, len(columns[0][1])
        others: list[tuple[str, Any]] = []
        for name in self._table.names:
            value = self._table.get(name)
            is_long = hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0 and len(value) == rows
            if name in taken or not (is_long or name in _SPECIES):
                continue
            try:
                value, _ = _of_table(name, arrays.stacked(name, value), unit)
                if getattr(value, "ndim", 1) == 2:
                    others += [(part, values.astype(np.float64, copy=False)) for part, values in _components(name, value)]
                elif (values := arrays.of_particles(name, value)) is not None:
                    others.append((name, values))
            except ValueError:
                if name in _SPECIES:
                    raise
        return others

    def __repr__(self) -> str:
        if self.path is not None:
            return f"Catalog({self.path!r})"
        names = self._table.names if self._table is not None else [name for name, _ in self.columns]
        return f"<Catalog of {len(self)} rows: {', '.join(names)}>"


def _classes(values: Any) -> Any:
    """The class of each row."""
    found = arrays.of_particles("classes", units.without_dimension("classes", values))
    if found is None:
        raise ValueError("classes: expected a number or a text for each row, in one dimension")
    return found


def _components(name: str, value: Any) -> list[tuple[str, np.ndarray]]:
    """A column, or the components of a column of vectors."""
    if getattr(value, "ndim", 1) != 2:
        return [(name, arrays.column(name, value))]
    parts = arrays.array(name, value)
    return [(f"{name}[{k}]", arrays.column(name, parts[:, k])) for k in range(parts.shape[1])]


def _is_numeric(value: Any) -> bool:
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind is not None:
        return kind in "fiu"
    try:
        return np.asarray(value).dtype.kind in "fiu"
    except Exception:
        return False


def _quantity(value: Any) -> Any:
    """A column of astropy that has a unit as the quantity that it holds; others as they are."""
    return getattr(value, "quantity", value) if getattr(value, "unit", None) is not None else value


def _of_table(name: str, value: Any, unit: str | None) -> tuple[Any, str | None]:
    """A column of a table without its unit: angles in degrees, lengths all in the unit of the first, others as they are."""
    value = _quantity(value)
    own = units.stated(value)
    if own is None:
        return value, unit
    if name.lower() in _ANGLES:
        return units.in_degrees(name, value), unit
    if name.lower() in _REDSHIFTS and own in ("", "redshift"):
        return units.plain(value), unit
    if name in _LENGTHS or (unit is None and name.lower() not in _REDSHIFTS and units.is_length(own)):
        return arrays.without_unit(name, value, unit)
    akin = unit is not None and units.is_length(own)
    return arrays.without_unit(name, value, unit) if akin else (units.plain(value), unit)


def as_catalog(value: Any, role: str, **beside: Any) -> Catalog:
    """A catalogue of any object that stands for one, with arrays that are given beside it; errors name its role."""
    given = {name: values for name, values in beside.items() if values is not None}
    if isinstance(value, Trajectory):
        raise ValueError(f"{role}: a Trajectory is for albireo.rdf: other measurements take the positions of one frame")
    made = objects.sample(value)
    if made is not None:
        return Catalog(**made, **given)
    if isinstance(value, Catalog):
        if given:
            raise ValueError(f"{role}: {next(iter(given))} belongs into the `Catalog`")
        return value
    try:
        if isinstance(value, tuple) and len(value) == 2:
            return Catalog(sky=value, **given)
        return Catalog(value, **given)
    except ValueError as error:
        raise ValueError(f"{role}: {error}") from error
