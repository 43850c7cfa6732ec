"""Measurements: pairs counted and what is made of them.

Entry: :func:`count`, :func:`xi`, :func:`wp`, :func:`multipoles`, :func:`angular`, :func:`rdf`, :func:`jackknife`, :func:`nz`, :func:`completeness`,
:func:`covariance_model`, :func:`randoms`.
Every further keyword argument is a flag of the command of the same name, with ``_`` for ``-``: ``albireo xi --help`` describes them all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import arrays, objects
from .catalog import Catalog, as_catalog
from .command import Progress, Role, explained, run
from .keywords import CompletenessOptions, CountOptions, CovarianceOptions, NzOptions, RandomsOptions, RdfOptions, TypedDict, WpOptions, XiOptions
from .result import Result, ends, operated, results
from .trajectory import as_trajectory

if TYPE_CHECKING:
    from typing import SupportsFloat, Unpack

    from .keywords import Box, Edges


class SampleOptions(TypedDict, total=False):
    """What :func:`xi` names itself, for those that hand it on."""

    box: Box
    weights: Any
    randoms_weights: Any
    cosmology: Any
    estimator: str


class JackknifeOptions(SampleOptions, XiOptions, total=False):
    """Of :func:`jackknife`."""

    statistic: str
    mu_bins: Edges
    pi_bins: Edges
    pi_max: SupportsFloat
    ells: Sequence[int]


class OfXiOptions(SampleOptions, XiOptions, total=False):
    """Of :func:`multipoles` and :func:`angular`."""

    regions: int


class OfWpOptions(SampleOptions, WpOptions, total=False):
    """Of :func:`wp`."""

    regions: int


_KINDS = ("weights", "bits", "group", "region", "columns", "classes")


def beside(options: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Arrays that are given beside a sample; names of columns stay options."""
    taken = {}
    for kind in _KINDS:
        value = options.get(prefix + kind)
        if value is not None and not isinstance(value, str) and (kind == "classes" or not _is_names(value)):
            taken[kind] = options.pop(prefix + kind)
    if isinstance(options.get(prefix + "weights"), str):
        options[prefix + "weight"] = options.pop(prefix + "weights")
    return taken


def _is_names(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value)


def _role(flag: str | None, prefix: str, value: Any, name: str, options: dict[str, Any], **further: Any) -> Role:
    return Role(flag, prefix, as_catalog(value, name, **beside(options, prefix.replace("-", "_")), **further))


def _estimate_roles(data: Any, randoms: Any, options: dict[str, Any]) -> list[Role]:
    """The samples of an estimate by their flags."""
    box_of(data, options)
    given = [
        (None, "", data, "data"),
        ("randoms", "randoms-", randoms, "randoms"),
        ("cross", "cross-", options.pop("cross", None), "cross"),
        ("cross-randoms", "randoms-", options.pop("cross_randoms", None), "cross_randoms"),
        ("shifted-randoms", "randoms-", options.pop("shifted_randoms", None), "shifted_randoms"),
        ("cross-shifted-randoms", "randoms-", options.pop("cross_shifted_randoms", None), "cross_shifted_randoms"),
    ]
    roles = []
    for flag, prefix, value, name in given:
        if value is None:
            if flag is None:
                raise TypeError("data: expected positions, a table or a file, found None")
            continue
        taken = beside(options, name + "_" if flag else "") if flag in (None, "randoms", "cross") else {}
        roles.append(Role(flag, prefix, as_catalog(value, name, **taken)))
    return roles


@explained("count", CountOptions)
def count(
    data: Any,
    second: Any = None,
    *,
    bins: Any,
    statistic: str | None = None,
    mu_bins: Any = None,
    pi_bins: Any = None,
    box: Any = None,
    weights: Any = None,
    second_weights: Any = None,
    mean_separation: bool | str | None = None,
    progress: Progress = None,
    **further: Unpack[CountOptions],
) -> Result:
    """Counts the pairs within `data`, or between `data` and `second`: each unordered pair of one sample once.

    Parameters
    ----------
    data, second
        (N, 3) positions, three columns, a table, a path or a :class:`Catalog`; (ra, dec) in degrees for ``statistic="theta"``.
    bins, mu_bins, pi_bins
        Edges, half-open ``[lo, hi)``, or a text such as ``"log:0.1:25:20"``: of r, s, rp (unit of the positions) or theta (degrees); of
        mu; of pi.
    statistic
        ``"r"`` where None, ``"s-mu"``, ``"rp-pi"`` or ``"theta"``; with ``bins_of="max(abs(d[0]), abs(d[1]))", reach=8.0`` bins are in the
        value of that expression, of pairs closer than the reach.
    box
        Length, three lengths (None for an open axis) or three vectors of a periodic box; None for open space, or the box that a file states.
    weights, second_weights
        One weight each; a pair weighs the product.
    mean_separation
        True for the mean separation of each bin, ``"weighted"`` by the weights.
    progress
        True for a bar, or a function of ``(what, done, of)``.
    further
        Further flags of ``albireo count``: ``los="z"``, ``threads=4``, ``engine="cuda"``, ``wrap=True``, ``legendre=[2, 4]``...

    Returns a :class:`Result` whose ``npairs`` are those of the double loop in float64, on any engine with any number of threads.
    Raises ValueError with the column and the row of what is wrong.

    >>> import numpy as np, albireo
    >>> grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), axis=-1).reshape(-1, 3)
    >>> albireo.count(grid, bins=[0.5, 1.1, 1.5], box=4).npairs
    array([192, 384], dtype=uint64)
    """
    options: dict[str, Any] = {**further} | dict(
        statistic=statistic, bins=bins, mu_bins=mu_bins, pi_bins=pi_bins, box=box, weights=weights, cross_weights=second_weights,
        mean_separation=mean_separation,
    )
    box_of(data, options)
    second = options.pop("cross", None) if second is None else second
    roles = [_role(None, "", data, "data", options)]
    if second is not None:
        roles.append(_role("second", "cross-", second, "second", options))
    _no_leftovers(options, ["cross_weights"] if second is None else [])
    return results(run(["count"], roles, options, progress=progress))


def box_of(data: Any, options: dict[str, Any]) -> None:
    """The box that an object has with its positions, where none is given: they are wrapped into it."""
    box = objects.box(data) if options.get("box") is None else None
    if box is not None:
        options.update(box=box, wrap=options.get("wrap", True))


def _no_leftovers(options: dict[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if options.get(name) is not None:
            raise TypeError(f"{name} needs the sample that it belongs to")
    without_none(options)


def without_none(options: dict[str, Any]) -> None:
    """Drops what was not given."""
    for name in [name for name, value in options.items() if value is None]:
        del options[name]


def _estimate(command: str, data: Any, randoms: Any, options: dict[str, Any], kept: dict[str, str], progress: Progress) -> Result:
    roles = _estimate_roles(data, randoms, options)
    _no_leftovers(options, [name for name in ("randoms_weights", "cross_weights") if name in options])
    cut = ("regions", "regions_nside", "regions_cubes", "regions_column")
    by_region = any(options.get(name) is not None for name in cut) or any(role.catalog.region_column for role in roles)
    if by_region:
        kept = {**kept, "covariance": "", "region-counts": ""}
    return results(run([command], roles, options, kept=kept, progress=progress))


@explained("xi", XiOptions)
def xi(
    data: Any,
    randoms: Any = None,
    *,
    bins: Any,
    statistic: str | None = None,
    mu_bins: Any = None,
    pi_bins: Any = None,
    box: Any = None,
    weights: Any = None,
    randoms_weights: Any = None,
    cosmology: Any = None,
    estimator: str | None = None,
    regions: int | None = None,
    progress: Progress = None,
    **further: Unpack[XiOptions],
) -> Result:
    """Estimates a correlation function: xi(r), xi(s, mu), xi(rp, pi) or w(theta).

    `statistic` is ``"r"`` where None, or ``"s-mu"`` with ``multipoles=`` or wedges.

    Landy-Szalay with `randoms`, ``DD/RR - 1`` with the known RR of a periodic `box` without; `estimator` is another by name or a formula of
    DD, DR, RR... `regions` cuts the sample into so many compact regions, whose jackknife gives ``error`` and ``covariance``; else errors
    are those of Poisson. `cosmology` (``"Planck18"``, ``"om=0.31,ol=0.69"``) turns redshifts into Mpc/h. Bins and samples are as for
    :func:`count`; ``cross=``, ``cross_randoms=``, ``shifted_randoms=`` and ``cross_shifted_randoms=`` are further samples, ``rr=`` a result to take RR from.

    Landy & Szalay (1993), doi:10.1086/172900.
    """
    options: dict[str, Any] = {**further} | dict(
        statistic=statistic, bins=bins, mu_bins=mu_bins, pi_bins=pi_bins, box=box, weights=weights, randoms_weights=randoms_weights,
        cosmology=cosmology, estimator=estimator, regions=regions,
    )
    projected = any(options.get(name) is not None for name in ("multipoles", "wedges", "wedge_edges"))
    return _estimate("xi", data, randoms, options, {"counts": ""} if projected else {}, progress)


@explained("xi", OfXiOptions)
def multipoles(
    data: Any, randoms: Any = None, *, bins: Any, ells: Sequence[int] = (0, 2, 4), mu_bins: Any = None, progress: Progress = None, **further: Unpack[OfXiOptions]
) -> Result:
    """Estimates the Legendre multipoles xi_l(s) of xi(s, mu); ``result.multipoles[l]``. `mu_bins` are 100 from 0 to 1 where None,
    or 200 from -1 for an odd l; ``poles_from="legendre"`` sums the polynomials over the
    pairs and has no bins in mu. Other arguments are those of :func:`xi`."""
    options: dict[str, Any] = {**further}
    return xi(data, randoms, bins=bins, mu_bins=mu_bins, statistic="s-mu", multipoles=list(ells), progress=progress, **options)


@explained("wp", OfWpOptions)
def wp(data: Any, randoms: Any = None, *, bins: Any, pi_bins: Any = None, pi_max: float | None = None, progress: Progress = None, **further: Unpack[OfWpOptions]) -> Result:
    """Estimates the projected correlation function ``wp(rp) = 2 sum_k xi(rp, pi_k) dpi_k`` up to `pi_max` (all of `pi_bins` where None; these
    are 40 from 0 to 40 Mpc/h where None).
    ``result.counts`` holds xi(rp, pi) with its counts. Other arguments are those of :func:`xi`. Davis & Peebles (1983), doi:10.1086/160884."""
    options: dict[str, Any] = {**further} | dict(bins=bins, pi_bins=pi_bins, pi_max=pi_max)
    return _estimate("wp", data, randoms, options, {"counts": ""}, progress)


@explained("xi", OfXiOptions)
def angular(data: Any, randoms: Any, *, bins: Any, progress: Progress = None, **further: Unpack[OfXiOptions]) -> Result:
    """Estimates the angular correlation function w(theta) of (ra, dec) in degrees; `bins` in degrees. Other arguments are those of :func:`xi`."""
    options: dict[str, Any] = {**further}
    return xi(data, randoms, bins=bins, statistic="theta", progress=progress, **options)


@explained("xi", JackknifeOptions)
def jackknife(data: Any, randoms: Any = None, *, regions: Any, measure: str = "xi", progress: Progress = None, **further: Unpack[JackknifeOptions]) -> Result:
    """Estimates what `measure` names (``"xi"``, ``"wp"``, ``"multipoles"``, ``"angular"``) with the errors and the covariance of a jackknife.

    `regions` is the number of compact regions, or a pair of arrays: the region of each row of `data` and of `randoms`.
    ``jackknife="mohammad-percival"`` keeps the weighted share of pairs across borders (Mohammad & Percival 2022, doi:10.1093/mnras/stac1458).
    """
    options: dict[str, Any] = {**further}
    measures: dict[str, Any] = {"xi": xi, "wp": wp, "multipoles": multipoles, "angular": angular}
    if measure not in measures:
        raise ValueError(f"measure: expected one of {', '.join(measures)}, found {measure!r}")
    if isinstance(regions, (int, np.integer)):
        return measures[measure](data, randoms, regions=int(regions), progress=progress, **options)
    first, other = regions if isinstance(regions, tuple) else (regions, None)
    options.update(region=first, **({} if other is None else {"randoms_region": other}))
    return measures[measure](data, randoms, progress=progress, **options)


@explained("rdf", RdfOptions)
def rdf(
    data: Any,
    second: Any = None,
    *,
    r_max: float | str | None = None,
    n_bins: int | None = None,
    bins: Any = None,
    box: Any = None,
    volume: float | None = None,
    progress: Progress = None,
    **further: Unpack[RdfOptions],
) -> Result:
    """Computes g(r) and n(r) of particles, or of `second` around `data`; of all frames where `data` is a trajectory: the path of one, a
    :class:`Trajectory`, an (F, N, 3) array or a list of (N, 3) arrays.

    `bins` are edges, or `n_bins` equal ones up to `r_max`; without `n_bins` they are 0.002 nm wide (arrays need ``unit=``), without `r_max` they end
    at half the smallest box. `box` is as for :func:`count` and positions are wrapped into it; `volume` is that
    which particles fill in open space. ``result.g``, ``result.n``, ``result.npairs``. ``group=`` excludes pairs within a molecule.

    Tables of any library are what the same tables in files are: frames by a column ``frame`` (or ``frame_column=``), or one frame, with positions x, y,
    z, a vector ``position``, or x, y of a plane; and of a column of species (``species``, ``element``, ``type`` or ``name``) the g(r) of all pairs of
    species. With ``species=None`` or ``"none"`` all particles are alike.

    Of trajectories every flag of ``albireo rdf`` holds: ``species=`` (a name, or an array beside arrays), ``pairs="O-O,O-H"``,
    ``select=``, ``exclude_bonded=``, ``norm=``, ``lags=[0, 1, 10]``, ``frame_weights=`` (an array, one each)... ``structure=True`` with ``q=``,
    ``p_of_r=True``, ``total_g=True`` and ``block_counts=True`` give further results by name: ``result.part("structure")``.
    """
    options: dict[str, Any] = {**further} | dict(r_max=r_max, n_bins=n_bins, bins=bins, box=box, volume=volume)
    second = options.pop("cross", None) if second is None else second
    alike = options.get("species", "") is None or isinstance(options.get("species"), str) and options["species"] == "none"
    frames = as_trajectory(data, options)
    # What is given with a table is a column of it; a second sample knows no species.
    species = {"species": options.pop("species")} if arrays.is_given(options.get("species")) and frames is None and second is None else {}
    role = Role(None, "", frames) if frames is not None else _role(None, "", data, "data", options, **species)
    in_arrays = isinstance(role.catalog, Catalog) and role.catalog.path is None and not role.catalog.is_table
    if alike and (in_arrays or second is not None):
        options.pop("species")
    elif alike:
        options["species"] = "none"
    roles = [role]
    if second is not None:
        roles.append(_role("second", "cross-", second, "second", options))
    _no_leftovers(options, [])
    return results(run(["rdf"], roles, options, progress=progress))


@explained("randoms", RandomsOptions)
def randoms(
    number: int,
    *,
    box: Any = None,
    shell: Sequence[float] | None = None,
    sky_window: Sequence[Sequence[float]] | str | None = None,
    like: Any = None,
    seed: int = 1,
    progress: Progress = None,
    **further: Unpack[RandomsOptions],
) -> Result:
    """Makes random points: in a `box`, in a `shell` (r_min, r_max), in a `sky_window` ((ra0, ra1), (dec0, dec1)), or in the footprint and with the
    redshifts of the survey `like`. The same seed makes the same points on every machine. ``result["x"]`` or ``result["RA"]`` are columns;
    the result itself is a catalogue that other functions take.

    >>> import albireo
    >>> albireo.randoms(3, box=10, seed=1)["x"].shape
    (3,)
    """
    options: dict[str, Any] = {**further} | dict(number=int(number), seed=int(seed), output="-", box=box)
    if shell is not None:
        options["shell"] = ":".join(repr(float(r)) for r in shell)
    if sky_window is not None:
        text = sky_window if isinstance(sky_window, str) else ",".join(":".join(repr(float(x)) for x in part) for part in sky_window)
        options["sky_window"] = text
    roles = []
    if like is not None:
        roles.append(_role("like", "", like, "like", options))
    _no_leftovers(options, [])
    return results(run(["randoms"], roles, options, progress=progress))


@explained("nz", NzOptions)
def nz(
    data: Any,
    randoms: Any = None,
    *,
    cosmology: Any,
    bins: Any = None,
    area: float | None = None,
    nside: int | None = None,
    weights: Any = None,
    randoms_weights: Any = None,
    fkp: float | None = None,
    effective_redshift: tuple[float, float] | None = None,
    progress: Progress = None,
    **further: Unpack[NzOptions],
) -> Result:
    """Measures the number density n(z) of a survey, and makes FKP weights and effective redshifts of it.

    Parameters
    ----------
    data, randoms
        Samples with positions on the sky and redshifts, ``albireo.Catalog(sky=(ra, dec), redshift=z)``, tables or paths.
    cosmology
        Of the volumes: a name such as ``"Planck18"``, parameters such as ``"om=0.31"``, or one of astropy's.
    bins
        Edges in redshift; None for bins 0.01 wide.
    area, nside
        The area of the survey in square degrees, or that of the HEALPix pixels of this resolution that hold `randoms`, or `data` without any.
    fkp
        P0 in (Mpc/h)^3: weights 1/(1 + n(z) P0) are a column. ``fkp_data=True`` and ``fkp_randoms=True`` make catalogues of the rows with NZ and WEIGHT_FKP,
        ``result.part("fkp_data")``.
    effective_redshift
        Also that of the pairs between these separations in Mpc/h.

    ``result.n``, ``result.n_error``, ``result.objects``, ``result.volume`` and ``result.edges``; ``result.record["effective_redshift"]``.

    >>> import albireo
    >>> z = [0.11, 0.12, 0.18]
    >>> made = albireo.nz(albireo.Catalog(sky=([10, 11, 12], [0, 1, 2]), redshift=z), cosmology="Planck18", bins=[0.1, 0.15, 0.2], area=100)
    >>> made.objects, bool((made.n == made.weight / made.volume).all())
    (array([2, 1], dtype=uint64), True)
    """
    options: dict[str, Any] = {**further} | dict(
        cosmology=cosmology, bins=bins, area=area, nside=nside, weights=weights, randoms_weights=randoms_weights, fkp=fkp,
        effective_redshift=ends(effective_redshift),
    )
    roles = [_role(None, "", data, "data", options)]
    if randoms is not None:
        roles.append(_role("randoms", "randoms-", randoms, "randoms", options))
    _no_leftovers(options, ["randoms_weights"] if randoms is None else [])
    return results(run(["nz"], roles, options, progress=progress))


@explained("completeness", CompletenessOptions)
def completeness(
    full: Any,
    *,
    by: str,
    assigned: str | None = None,
    bits: str | Sequence[str] | None = None,
    mean: str | Sequence[str] | Mapping[str, str] | None = None,
    where: str | None = None,
    progress: Progress = None,
    **further: Unpack[CompletenessOptions],
) -> Result:
    """Measures what the fibres of a survey missed, by class of its objects.

    Parameters
    ----------
    full
        The path of the full catalogue, with objects that no fibre was put on; a pattern or a list of paths for several files, one after the other.
    by
        Classes: a column of whole numbers from 0, or an expression, such as ``"NTILE"``.
    assigned
        Objects that a fibre was put on: a column, a condition, or ``"all"``; None for ``LOCATION_ASSIGNED``.
    bits
        Columns whose bits tell in which realisations each object was observed; None for the probability, ``PROB_OBS``.
    mean
        Also the mean of these expressions over the objects of each class, ``{"frac": "FRACZ_TILELOCID*FRAC_TLOBS_TILES"}``.
    where
        Rows to keep.

    A row a class: ``result["N"]``, ``result["assigned"]``, ``result["iip"]``, ``result["missing"]``, ``result["zero_probability"]`` and the means. A saved
    result is what ``lookup("f.csv", "1 - missing", NTILE)`` in weights reads.
    """
    paths = full if isinstance(full, (list, tuple)) else [full]
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"full: expected the path of a catalogue or a list of paths, found {type(path).__name__}")
    if isinstance(mean, Mapping):
        mean = [f"{name}={expression}" for name, expression in mean.items()]
    options: dict[str, Any] = {**further} | dict(by=by, assigned=assigned, bits=bits, mean=mean, where=where, output="-")
    roles = [Role(None, "", as_catalog(path, "full")) for path in paths]
    return results(run(["completeness"], roles, options, progress=progress))


@explained("covariance", CovarianceOptions)
def covariance_model(
    counts: Result | str | os.PathLike[str],
    randoms: Any = None,
    *,
    cross: Sequence[Result | str | os.PathLike[str]] | None = None,
    cross_randoms: Any = None,
    shifted_randoms: Any = None,
    multipoles: Sequence[int] | None = None,
    wedges: int | None = None,
    wp: bool = False,
    weights: Any = None,
    cross_weights: Any = None,
    alpha: float | Sequence[float] | None = None,
    tune: Result | str | os.PathLike[str] | None = None,
    noise: float | None = None,
    rounds: int | None = None,
    sums: str | os.PathLike[str] | None = None,
    continue_from: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    progress: Progress = None,
    **further: Unpack[CovarianceOptions],
) -> Result:
    """Models the covariance of a correlation function without mocks.

    Parameters
    ----------
    counts
        A correlation function with its counts: a result of :func:`xi`, or of :func:`multipoles` and :func:`wp`, or the path of one.
    randoms
        Random points of the survey, those of `counts` or others, with `weights`: positions, a table or a path.
    cross, cross_randoms
        Two tracers: xi of that of `counts` with another one and of that one alone, and random points of it, with `cross_weights`. The covariance is
        of all three.
    shifted_randoms
        Randoms shifted as the data were, in place of `randoms`, where `counts` is of reconstruction.
    multipoles, wedges, wp
        What the covariance is of; without them the bins of the counts.
    alpha, tune
        The shot noise of the data in units of Poisson noise, or a covariance of the same values that it is fitted to.
    noise, rounds
        Sample until fitted variances grow by the square of `noise`, or so many rounds.
    sums, continue_from
        Keep the sums of all rounds in this file; go on from those in one, or in several.

    ``result.covariance`` is the matrix, ``result["precision"]`` its inverse without bias and ``result["c4"]``, ``c3``, ``c2``, ``s`` its terms, row by row;
    ``result.record["errors"]`` has alpha, the noise and eigenvalues.

    >>> import albireo
    >>> data, randoms = albireo.randoms(300, box=20, seed=1), albireo.randoms(400, box=20, seed=2)
    >>> xi = albireo.xi(data, bins="lin:1:9:4", box=20)
    >>> made = albireo.covariance_model(xi, randoms, rounds=2, cloud=2)
    >>> made.covariance.shape, made.record["errors"]["beta"]
    ((4, 4), 0.0)
    """
    if isinstance(counts, Result):
        inputs: list[tuple[str, Any]] = [("counts", counts.counts.table)]
    else:
        inputs = [(os.fspath(counts), None)]
    options: dict[str, Any] = {**further} | dict(
        cross=list(cross) if cross is not None else None, multipoles=multipoles, wedges=wedges, wp=wp, weights=weights, cross_weights=cross_weights,
        alpha=alpha, tune=tune, noise=noise, rounds=rounds, sums=sums, continue_from=continue_from,
    )
    given = [("randoms", randoms), ("shifted-randoms", shifted_randoms)]
    roles = [_role(flag, "", points, flag.replace("-", "_"), options) for flag, points in given if points is not None]
    if len(roles) != 1:
        raise TypeError("randoms: expected random points, or shifted_randoms in their place")
    if cross_randoms is not None:
        roles.append(_role("cross-randoms", "cross-", cross_randoms, "cross_randoms", options))
    _no_leftovers(options, ["cross_weights"] if cross_randoms is None else [])
    measured = {} if cross is not None else _modelled(counts, options)
    made = results(run(["covariance"], roles, options, inputs=inputs, progress=progress))
    made._parts.update(measured)
    return made


def _modelled(counts: Result | str | os.PathLike[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """What a modelled covariance is of, and its counts."""
    found = counts.counts if isinstance(counts, Result) else load(counts)
    wanted = {name: options.get(name) for name in ("multipoles", "wedges", "wedge_edges", "wp", "pi_max")}
    if not any(value is not None and value is not False for value in wanted.values()):
        return {"measured": found.table}
    return {"measured": operated("estimate", [found], **wanted).table, "counts": found.table}


def load(path: str | os.PathLike[str]) -> Result:
    """Reads a result that :meth:`Result.save` or the command line wrote: .csv (with its record beside it), .ecsv, .fits, .h5, .json or .parquet."""
    return Result.read(path)
