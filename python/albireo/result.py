"""Results: counts, correlation functions, g(r), with their errors and everything about how they were made.

Entry: :class:`Result`, which holds the table that the command line would write. Operations on results are those of ``albireo result``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ._native import native
from .command import Made, run

#: The columns that a kind of result is about, in the order of preference.
_VALUES = ("xi", "wp", "g", "S")
#: Flags of operations on files.
_OF_FILES = ("output", "outputs", "format", "plot", "r2", "scale_by", "brief", "overwrite")


class Result:
    """A result of a measurement.

    Columns are read by name, ``result["DD_npairs"]``, or in the shape of the bins as attributes. Two results add up where their counts do;
    ``save`` keeps every bit.
    """

    def __init__(self, table: Any, parts: dict[str, Any] | None = None, text: str = "") -> None:
        self.table = table
        self._parts = parts or {}
        self.text = text

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Result:
        """The result in a file."""
        path = os.fspath(path)
        if not os.path.exists(path):
            raise FileNotFoundError(2, "there is no such file", path)
        return cls(native().Table.read(path))

    # What it is.

    @property
    def kind(self) -> str:
        """What kind of result it is, such as ``"pair counts"``."""
        return self.table.kind()

    @property
    def record(self) -> dict[str, Any]:
        """How it was made: samples, bins, engine, totals, time."""
        import json

        return json.loads(self.table.record())

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return self.table.names()

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes that its rows run over."""
        return tuple(name for name, _ in self._edges())

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of bins of each axis."""
        return tuple(len(edges) - 1 for _, edges in self._edges())

    @property
    def edges(self) -> Any:
        """The edges of the bins: an array, or a tuple of one for each axis."""
        edges = [np.array(values) for _, values in self._edges()]
        return edges[0] if len(edges) == 1 else tuple(edges)

    def _edges(self) -> list[tuple[str, list[float]]]:
        try:
            return self.table.edges()
        except ValueError:
            return []

    def _shaped(self, name: str) -> np.ndarray:
        values = self.table.column(name)
        shape = self.shape
        return values.reshape(shape) if shape and int(np.prod(shape)) == len(values) else values

    def __getitem__(self, name: str) -> np.ndarray:
        return self.table.column(name)

    def __len__(self) -> int:
        return len(self.table)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The estimate in the shape of its bins, or the numbers of pairs where there is none."""
        try:
            natural = self.value
        except AttributeError:
            try:
                natural = self.npairs
            except AttributeError:
                names = ", ".join(self.columns)
                raise TypeError(f"a result of kind {self.kind!r} is no array: take one of its columns, {names}") from None
        return np.array(natural, dtype=dtype, copy=True if copy is None else copy)

    def keys(self) -> list[str]:
        """The names of its columns, so that ``dict(result)`` and tables can be made of it."""
        return self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *filter(str.isidentifier, self.columns)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "table":
            raise AttributeError(name)
        own = getattr(type(self), name, None)
        if isinstance(own, property) and own.fget is not None:
            # It has raised, and says why.
            return own.fget(self)
        if name in self.table.names():
            return self._shaped(name)
        raise AttributeError(f"a result of kind {self.kind!r} has no {name}: it has the columns {', '.join(self.table.names())}")

    # Counts.

    def _count(self) -> str:
        """What stands before `npairs` and `weight` in the columns of the first count: nothing, or `DD_`."""
        # Counts of other packages are sums of weights alone.
        ends = ("npairs", "weight") if self.record.get("counts") else ("npairs",)
        for name in self.columns:
            for end in ends:
                if name == end or name.endswith(f"_{end}"):
                    return name.removesuffix(end)
        raise AttributeError(f"a result of kind {self.kind!r} holds no pair counts")

    @property
    def npairs(self) -> np.ndarray:
        """Numbers of pairs, uint64, in the shape of the bins; of an estimate those of its data (DD, D1D2), of wp and multipoles in all bins."""
        if "counts" in self._parts:
            return self.counts.npairs
        name = f"{self._count()}npairs"
        if name not in self.columns:
            raise AttributeError("the numbers of pairs are not known: the counts of another package are sums of weights")
        return self._shaped(name)

    @property
    def weight(self) -> np.ndarray:
        """Sums of the weights of the pairs, in the shape of the bins; the numbers of pairs where there are no weights. Of n(z) those of the objects."""
        if "counts" in self._parts:
            return self.counts.weight
        name = "weight" if "weight" in self.columns else f"{self._count()}weight"
        return self._shaped(name) if name in self.columns else self.npairs.astype(np.float64)

    @property
    def mean(self) -> np.ndarray:
        """Mean separation of the pairs in each bin, NaN where there are none; asked for by ``mean_separation``."""
        for name in self.columns:
            if name.startswith(("mean_", "weighted_mean_")):
                return self._shaped(name)
        raise AttributeError("mean separations were not asked for: mean_separation=True")

    @property
    def total(self) -> float:
        """The sum of the weights of all pairs, in the bins or not: what the counts are normalised by."""
        counts = self.record.get("counts") or {}
        if not counts:
            raise AttributeError(f"a result of kind {self.kind!r} holds no pair counts")
        return float(next(iter(counts.values()))["total_weight"])

    @property
    def counts(self) -> Result:
        """xi(s, mu) or xi(rp, pi) with its counts, of which multipoles, wedges or wp were made; the result itself where that has counts."""
        part = self._parts.get("counts")
        if part is not None:
            return Result(part)
        self._count()
        return self

    # Estimates.

    def _estimate(self, end: str) -> np.ndarray:
        """The columns of the estimate whose names have this end: multipoles or wedges one under the other, else in the shape of the bins."""
        several = [name for name in self.columns if name.startswith("xi_") and not name.endswith("_error")]
        if several and "xi" not in self.columns:
            return np.stack([self[name + end] for name in several])
        for name in _VALUES:
            if name in self.columns:
                return self._shaped(name + end)
        raise AttributeError(f"a result of kind {self.kind!r} is no estimate")

    @property
    def value(self) -> np.ndarray:
        """The estimate: xi, wp or g in the shape of the bins; multipoles or wedges one under the other."""
        return self._estimate("")

    @property
    def error(self) -> np.ndarray:
        """The error of the estimate: of the jackknife or bootstrap where there are regions, else Poisson."""
        return self._estimate("_error")

    @property
    def multipoles(self) -> dict[int, np.ndarray]:
        """Multipoles by their orders."""
        found = {int(n[3:]): self[n] for n in self.columns if n.startswith("xi_") and n[3:].isdigit()}
        if not found:
            raise AttributeError(f"a result of kind {self.kind!r} has no multipoles")
        return found

    @property
    def covariance(self) -> np.ndarray:
        """The covariance of the estimate between its regions or of realisations, one row for each bin (of all multipoles, one after another)."""
        table = self.table if "covariance" in self.columns else self._parts.get("covariance")
        if table is None:
            raise AttributeError("there is no covariance: it comes from regions=N, or from albireo.covariance of several results")
        n = round(len(table) ** 0.5)
        return table.column("covariance").reshape(n, n)

    @property
    def region_counts(self) -> Result:
        """The pairs of every count within each region and across its border."""
        table = self._parts.get("region-counts")
        if table is None:
            raise AttributeError("there are no counts by region: they come from regions=N")
        return Result(table)

    def has_part(self, name: str) -> bool:
        """Whether there is a further result of this name, which :meth:`part` gives."""
        return name.replace("_", "-") in self._parts

    def part(self, name: str) -> Result:
        """A further result of the same measurement, such as ``"structure"`` of g(r), by the name of the flag that asks for it; of a covariance ``"measured"``,
        the values that it is of."""
        table = self._parts.get(name.replace("_", "-"))
        if table is None:
            there = ", ".join(self._parts) or "none"
            raise ValueError(f"part: expected one of the further results ({there}), found {name!r}")
        if name != "covariance":
            return Result(table)
        of_it = {part: made for part, made in self._parts.items() if part == "counts"}
        return Result(table, {"measured": self.table} | of_it)

    def of_classes(self, first: Any, second: Any) -> Result:
        """The pairs of two classes alone, of a result of ``classes=``: what the measurement of these parts would be.

        >>> import albireo, numpy as np
        >>> points, tracer = albireo.randoms(300, box=20, seed=1), np.array(["LRG", "ELG", "QSO"] * 100)
        >>> counts = albireo.count(points, bins="lin:0:8:4", box=20, classes=tracer)
        >>> counts.of_classes("ELG", "LRG").npairs.shape
        (4,)
        """
        return self.slice(classes=(first, second))

    # Operations.

    def operation(self, name: str, *, others: Sequence[Any] = (), **options: Any) -> Result:
        """An operation of ``albireo result`` on this result and others, such as ``operation("slice", range="5:60")``."""
        return operated(name, [self, *others], **options)

    def rebin(self, by: int | None = None, *, mu_by: int | None = None, pi_by: int | None = None) -> Result:
        """Pair counts in coarser bins: `by` neighbours in r, s, rp or theta become one, `mu_by` in mu, `pi_by` in pi; all sums exact.

        >>> import albireo
        >>> galaxies = albireo.samples.path("galaxies_box.h5")
        >>> albireo.count(galaxies, bins="lin:0:8:8").rebin(4) == albireo.count(galaxies, bins="lin:0:8:2")
        True
        """
        return self.operation("rebin", by=by, mu_by=mu_by, pi_by=pi_by)

    def estimate(
        self,
        rebin: int | None = None,
        *,
        mu_rebin: int | None = None,
        pi_rebin: int | None = None,
        multipoles: Sequence[int] | None = None,
        wedges: int | None = None,
        wedge_edges: Sequence[float] | None = None,
        wedge_bins: str | None = None,
        wp: bool = False,
        pi_max: float | None = None,
        by_region: Any = None,
        jackknife: str | bool | None = None,
        bootstrap: int | None = None,
        seed: int = 1,
    ) -> Result:
        """xi of these counts again, or its multipoles, wedges or wp, as ``albireo result estimate``: `rebin` neighbours in r, s, rp or theta become one,
        `mu_rebin` in mu, `pi_rebin` in pi. Where there are counts by region, from ``regions=N`` or a file `by_region`, errors and ``covariance``
        come from them.

        >>> import albireo
        >>> data, randoms = albireo.randoms(200, box=20, seed=1), albireo.randoms(400, box=20, seed=2)
        >>> fine = albireo.xi(data, randoms, bins="lin:0:10:4")
        >>> bool((fine.estimate(2).xi == albireo.xi(data, randoms, bins="lin:0:10:2").xi).all())
        True
        """
        if by_region is None and self.has_part("region-counts"):
            by_region = self.region_counts
        regions = None if by_region is None else [by_region]
        return operated(
            "estimate", [self.counts], rebin=rebin, mu_rebin=mu_rebin, pi_rebin=pi_rebin, by_region=regions, jackknife=jackknife, bootstrap=bootstrap, seed=seed,
            multipoles=multipoles, wedges=wedges, wedge_edges=wedge_edges, wedge_bins=wedge_bins, wp=wp, pi_max=pi_max, covariance=by_region is not None,
        )

    def slice(
        self,
        low: float | None = None,
        high: float | None = None,
        *,
        mu: tuple[float, float] | None = None,
        pi: tuple[float, float] | None = None,
        z: tuple[float, float] | None = None,
        classes: tuple[Any, Any] | None = None,
    ) -> Result:
        """The bins that lie within these ends: in r, s, rp, rho or theta between `low` and `high`, in mu, pi or z (of g(rho, z)) between the two of a pair.

        `classes` are the two whose pairs are taken, of a result of ``classes=``.

        >>> import albireo
        >>> dd = albireo.count(albireo.samples.path("galaxies_box.h5"), bins="lin:0:8:8")
        >>> dd.slice(2, 6).edges
        array([2., 3., 4., 5., 6.])
        """
        if (low is None) != (high is None):
            raise TypeError("slice: expected both ends, or neither")
        first = None if low is None or high is None else (low, high)
        two = None if classes is None else f"{classes[0]},{classes[1]}"
        return self.operation("slice", range=ends(first), mu_range=ends(mu), pi_range=ends(pi), z_range=ends(z), classes=two)

    def wrap(self) -> Result:
        """Pair counts over signed mu or pi as those over abs(mu) or abs(pi): both signs put together.

        >>> import albireo
        >>> bins = dict(statistic="rp-pi", bins="lin:0:8:4")
        >>> galaxies = albireo.samples.path("galaxies_box.h5")
        >>> albireo.count(galaxies, pi_bins="lin:-10:10:4", **bins).wrap() == albireo.count(galaxies, pi_bins="lin:0:10:2", **bins)
        True
        """
        return self.operation("wrap")

    def concatenate(self, *others: Any) -> Result:
        """This result and others of the same particles in bins that adjoin, in the order of their bins, as one.

        >>> import albireo
        >>> dd = albireo.count(albireo.samples.path("galaxies_box.h5"), bins="lin:0:8:8")
        >>> dd.slice(0, 2).concatenate(dd.slice(2, 8)) == dd
        True
        """
        return self.operation("concatenate", others=others)

    def renormalise(self, total_weight: float) -> Result:
        """Pair counts with this sum of the weights of all pairs: the weights in bins are multiplied alike.

        >>> import albireo
        >>> albireo.count(albireo.samples.path("galaxies_box.h5"), bins="lin:0:8:8").renormalise(1).total
        1.0
        """
        return self.operation("renormalise", total_weight=total_weight)

    def integral_constraint(
        self, *, power_law: float | None = None, model: Any = None, fit: tuple[float, float] | None = None, radial: Any = None
    ) -> Result:
        """A correlation function with the integral constraint of a model added: the mean of the model over the random pairs of all bins, which
        should reach all pairs of the volume. Landy & Szalay (1993), doi:10.1086/172900.

        Parameters
        ----------
        power_law
            Model A x**-power_law, with the A that fits best together with its integral constraint, in the bins within `fit`.
        model
            Instead of it a pair of arrays (x, xi), x rising, between which the model is linear, or the path of a text file with such rows.
        radial
            The pairs of the randoms by shells, ``albireo.count(randoms, shells=N, ...)`` in the bins of this result: the constraint of randoms
            whose redshifts are those of the data. de Mattia & Ruhlmann-Kleider (2019).

        >>> import albireo, numpy as np
        >>> data, randoms = (albireo.randoms(number, box=20, seed=number) for number in (300, 900))
        >>> xi = albireo.xi(data, randoms, bins="lin:0:35:7")
        >>> made = xi.integral_constraint(model=([0, 40], [0.1, 0.1]))
        >>> bool(np.allclose(made.xi - made["xi_measured"], 0.1))
        True
        """
        if model is not None and not isinstance(model, (str, os.PathLike)):
            x, values = (np.array(column, dtype=np.float64) for column in model)
            columns = [("x", None, "place", x), ("xi", None, "model", values)]
            model = Result(native().Table.of(columns, '{"result": "correlation function"}'))
        return self.operation("integral-constraint", power_law=power_law, model=model, fit=ends(fit), radial=radial)

    def __add__(self, other: Any) -> Result:
        if not isinstance(other, Result):
            return NotImplemented
        return self.operation("sum", others=[other])

    def __radd__(self, other: Any) -> Result:
        # sum() begins with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: Any) -> bool:
        """Whether kind, edges and columns are the same to the last bit; times and engines may differ."""
        if not isinstance(other, Result):
            return NotImplemented
        same = self.kind == other.kind and self.columns == other.columns and self._edges() == other._edges()
        return same and all(self[name].tobytes() == other[name].tobytes() for name in self.columns)

    __hash__ = None  # type: ignore[assignment]

    # Going elsewhere.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it whole or not at all, by extension: .csv .ecsv .fits .h5 .json .parquet, or as pycorr saves it: .npy .txt."""
        self.table.write(os.fspath(path), *map(self._parts.get, ("counts", "region-counts", "measured")))

    def to_pandas(self) -> Any:
        """A pandas DataFrame of its columns, its record in ``attrs``."""
        import pandas

        frame = pandas.DataFrame({name: self[name] for name in self.columns})
        frame.attrs.update(self.record)
        return frame

    def to_table(self) -> Any:
        """An astropy Table of its columns with units where astropy knows them, its record in ``meta``."""
        from astropy.table import Column, Table

        columns = [
            Column(self[name], name=name, description=self.table.description(name), unit=self.table.unit(name)) for name in self.columns
        ]
        return Table(columns, meta=self.record)

    def to_xarray(self) -> Any:
        """An xarray Dataset over the middles of its bins, the edges as coordinates."""
        import xarray

        names = list(self.axes)
        coordinates: dict[str, Any] = {}
        for name, edges in self._edges():
            edge = np.array(edges)
            coordinates[name] = (name, (edge[:-1] + edge[1:]) / 2)
            coordinates[f"{name}_lo"], coordinates[f"{name}_hi"] = (name, edge[:-1]), (name, edge[1:])
        skipped = ("lo", "hi", "centre")
        values = {}
        for name in self.columns:
            is_edge = name in skipped or name.rsplit("_", 1)[-1] in skipped
            if not is_edge:
                values[name] = (names, self._shaped(name), {"description": self.table.description(name), "unit": self.table.unit(name) or ""})
        return xarray.Dataset(values, coordinates, attrs={"record": self.table.record()})

    def to_sacc(self, tracers: Mapping[str, tuple[Any, Any]]) -> Any:
        """w(theta) as a ``sacc.Sacc``, for cosmological likelihoods: theta in arcminutes, with the covariance where there is one.

        Parameters
        ----------
        tracers
            The name of the sample, or of both of a cross-correlation, with its redshift distribution: a pair of arrays (z, n(z)).

        Raises ValueError for a result that is no w(theta), and for other numbers of tracers.
        """
        import sacc

        if self.axes != ("theta",) or "xi" not in self.columns:
            raise ValueError(f"to_sacc: expected w(theta), of statistic='theta', found a {self.kind} over {', '.join(self.axes) or 'no bins'}")
        cross = any(sample["role"] == "cross" for sample in self.record.get("samples", ()))
        names = list(tracers)
        if len(names) != 1 + cross:
            raise ValueError(f"to_sacc: expected {1 + cross} tracer{'s' * cross}, one a sample, found {len(names)}: {', '.join(names)}")
        made = sacc.Sacc()
        for name, (z, number) in tracers.items():
            made.add_tracer("NZ", name, np.asarray(z, dtype=np.float64), np.asarray(number, dtype=np.float64))
        means = [name for name in self.columns if name.startswith(("mean_", "weighted_mean_"))]
        theta = self[means[0]] if means else self["centre"]
        # Bins without pairs have no mean.
        theta = 60 * np.where(np.isfinite(theta), theta, self["centre"])
        made.add_theta_xi(sacc.standard_types.galaxy_density_xi, names[0], names[-1], theta, self["xi"])
        if self.has_part("covariance"):
            made.add_covariance(self.covariance)
        return made

    def to_rascalc(
        self,
        *,
        binning: str | os.PathLike[str] | None = None,
        rr: str | os.PathLike[str] | None = None,
        xi: str | os.PathLike[str] | None = None,
        jackknife: str | os.PathLike[str] | None = None,
        by_region: Any = None,
    ) -> None:
        """Writes what the C++ program of RascalC reads of xi(s, mu), each to the file that is named, as ``albireo result rascalc``. The weights of regions
        (`jackknife`) come from the counts by region, of ``regions=N`` or a file `by_region`."""
        if jackknife is not None and by_region is None and self.has_part("region-counts"):
            by_region = self.region_counts
        options = dict(binning=binning, rr=rr, xi=xi, jackknife=jackknife, by_region=by_region)
        run(["result", "rascalc"], options=options, inputs=[("the result", self.counts.table)])

    def plot(self, ax: Any = None, *, panel: str | None = None, scale_by: float | None = None, **style: Any) -> Any:
        """Draws with matplotlib what ``albireo plot`` shows of it: curves with errors, or a map over two axes; returns the axes, of several the first.

        Parameters
        ----------
        ax
            Axes to draw into. A new figure has all panels of a result: g(r) and n(r), or the definitions of S(q); given axes have the first.
        panel
            Another panel alone, by the label of its y axis, such as ``"n(r)"`` or ``"Bhatia-Thornton S(q)"``, or its title.
        scale_by
            The power of the separation that xi, multipoles, wedges or wp are multiplied by: 2 for multipoles and wedges, else 0.
        style
            What ``errorbar``, or ``pcolormesh`` of a map, takes: a `label` names the result in the legend.

        Raises ValueError for a result that has no figure.
        """
        from .drawing import draw

        return draw(self, ax, panel, scale_by, style)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = {name: _parts_of(table) for name, table in self._parts.items()}
        return _restored, (_parts_of(self.table), parts, self.text)

    def __repr__(self) -> str:
        axes = ", ".join(f"{len(edges) - 1} bins in {name} from {edges[0]:g} to {edges[-1]:g}" for name, edges in self._edges())
        return f"<{self.kind}: {axes or f'{len(self)} rows'}; {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        import html

        most = 40
        head = "".join(f"<th title='{html.escape(self.table.description(n), quote=True)}'>{html.escape(n)}</th>" for n in self.columns)
        values = [self[name] for name in self.columns]
        rows = []
        for row in range(min(len(self), most)):
            cells = (f"<td>{v[row]}</td>" if v.dtype.kind == "u" else f"<td>{v[row]:.6g}</td>" for v in values)
            rows.append(f"<tr>{''.join(cells)}</tr>")
        more = f"<p>... and {len(self) - most} more rows</p>" if len(self) > most else ""
        return f"<p><b>{html.escape(self.kind)}</b></p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def ends(pair: Sequence[float] | None) -> str | None:
    """Two ends as flags take them."""
    if pair is None:
        return None
    low, high = pair
    return f"{float(low)!r}:{float(high)!r}"


def operated(name: str, several: Sequence[Any], **options: Any) -> Result:
    """An operation of ``albireo result`` on results in memory or the files of results."""
    for flag in _OF_FILES:
        if flag in options:
            raise ValueError(f"unexpected argument {flag!r}: the result comes back, save writes it and plot draws it")
    inputs: list[tuple[str, Any]] = []
    for k, one in enumerate(several):
        if isinstance(one, (str, os.PathLike)):
            inputs.append((os.fspath(one), None))
        elif isinstance(one, Result):
            inputs.append((f"result {k + 1}" if len(several) > 1 else "the result", one.table))
        else:
            raise TypeError(f"expected a Result, found {type(one).__name__}")
    return results(run(["result", name], options=options, inputs=inputs))


def _parts_of(table: Any) -> tuple[list[tuple[str, str | None, str, np.ndarray]], str]:
    columns = [(name, table.unit(name), table.description(name), table.column(name)) for name in table.names()]
    return columns, table.record()


def _restored(table: Any, parts: dict[str, Any], text: str) -> Result:
    make = native().Table.of
    return Result(make(*table), {name: make(*part) for name, part in parts.items()}, text)


class NoResult(ValueError):
    """A command has written what it was to write, and there is no result of it: a part of a count."""


def results(made: Made) -> Result:
    """The one result of a command with what was kept beside it."""
    if not made.tables:
        raise NoResult("there is no result of a part alone: albireo.part counts one, albireo.whole puts all together")
    if len(made.tables) != 1:
        raise ValueError(f"expected one result, found {len(made.tables)}")
    return Result(made.tables[0], made.kept, made.text)
