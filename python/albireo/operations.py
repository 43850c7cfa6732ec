"""Several results as one: what ``albireo result`` makes of pair counts and estimates, with nothing counted anew.

Entry: :func:`merge`, :func:`covariance`, :func:`combine`, :func:`window`. A result is a :class:`Result` or the path of one. What is made of one result alone is
its own: :meth:`Result.rebin`, ``slice``, ``wrap``, ``concatenate``, ``renormalise`` and ``integral_constraint``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from .result import Result, operated


def merge(*parts: Result | str | os.PathLike[str]) -> Result:
    """Adds pair counts of several realisations, with their totals, all sums exactly: as ``albireo result sum``; ``a + b`` is the same of two.

    >>> import albireo
    >>> bins = dict(bins="lin:0:4:4", box=10)
    >>> a, b = (albireo.count(albireo.randoms(100, seed=seed, box=10), **bins) for seed in (1, 2))
    >>> bool((albireo.merge(a, b).npairs == a.npairs + b.npairs).all())
    True
    """
    if not parts:
        raise ValueError("merge: expected at least one result")
    if len(parts) == 1 and isinstance(parts[0], Result):
        return parts[0]
    return operated("sum", parts)


def covariance(
    results: Iterable[Result | str | os.PathLike[str]],
    *,
    parameters: int | None = None,
    linear: float | None = None,
    second: Iterable[Result | str | os.PathLike[str]] | None = None,
    shrink_to: Result | str | os.PathLike[str] | None = None,
    singular: bool = False,
) -> Result:
    """The covariance of estimates over mocks: results of one measurement, one a realisation, as ``albireo result covariance``.

    ``result.covariance`` is the matrix, a row for each bin (of all multipoles, wedges or pairs of species, one after another), and
    ``result.part("mean")`` the mean of the realisations with the error of one. ``result.record["errors"]`` has the Hartlap factor that the inverse is to be
    multiplied by and, for so many fitted `parameters`, the factors and exponents for the noise of the covariance. With `second` estimates of the same mocks with
    other randoms it is the covariance of `linear` times as many randoms. `shrink_to` ``"diagonal"`` or another covariance moves it there as far as noise
    asks for. `singular` allows for no more realisations than bins, whose covariance has errors and no inverse.

    >>> import albireo, numpy as np
    >>> mocks = [albireo.xi(albireo.randoms(200, seed=seed, box=10), bins="lin:0:4:2", box=10) for seed in range(6)]
    >>> made = albireo.covariance(mocks)
    >>> bool(np.allclose(made.covariance, np.cov(np.transpose([mock.xi for mock in mocks]))))
    True
    >>> made.part("mean").xi.shape, made.record["errors"]["hartlap_factor"]
    ((2,), 0.4)
    """
    taken = None if second is None else list(second)
    return operated("covariance", list(results), parameters=parameters, linear=linear, second=taken, shrink_to=shrink_to, singular=singular, mean=True)


def combine(
    results: Sequence[Result | str | os.PathLike[str]],
    *,
    by_region: Sequence[Result | str | os.PathLike[str]] | None = None,
    jackknife: Literal["standard", "mohammad-percival", "mohammad-percival-pairs"] | None = None,
    bootstrap: int | None = None,
    seed: int | None = None,
    match_regions: bool = False,
    by: Literal["randoms", "data"] | None = None,
    multipoles: Sequence[int] | None = None,
    wedges: int | None = None,
    wedge_edges: Sequence[float] | None = None,
    wedge_bins: str | None = None,
    wp: bool = False,
    pi_max: float | None = None,
) -> Result:
    """Puts parts of the sky together, such as the galactic caps: xi of the counts of all, or its multipoles, wedges or wp, as ``albireo result combine``.

    Results of :func:`xi`, :func:`multipoles` and :func:`wp` have the counts that it takes. Where all of them have counts by region, from ``regions=N``, errors and
    ``covariance`` come from the regions of all parts, left out one at a time or drawn `bootstrap` times; of files, `by_region` names what
    ``--region-counts`` wrote beside each; with `match_regions` region k of all parts is one. Parts weigh `by` the total of their random pairs, or of their data
    pairs, as pycorr and DESI's scripts weigh caps. ``result.counts`` is the combined xi where something else is made of it.

    >>> import albireo
    >>> caps = [(albireo.randoms(200, box=20, seed=k), albireo.randoms(400, box=20, seed=k + 2)) for k in (1, 2)]
    >>> parts = [albireo.xi(data, randoms, bins="lin:0:10:4", regions=4) for data, randoms in caps]
    >>> whole = albireo.combine(parts)
    >>> bool((whole.npairs == parts[0].npairs + parts[1].npairs).all()), whole.covariance.shape
    (True, (4, 4))
    """
    taken = [one.counts if isinstance(one, Result) else one for one in results]
    if by_region is None and all(isinstance(one, Result) and one.has_part("region-counts") for one in results):
        by_region = [one.region_counts for one in results if isinstance(one, Result)]
    projected = wp or any(value is not None for value in (multipoles, wedges, wedge_edges))
    return operated(
        "combine", taken, by_region=None if by_region is None else list(by_region), jackknife=jackknife, bootstrap=bootstrap, seed=seed,
        match_regions=match_regions, by=by, multipoles=multipoles, wedges=wedges, wedge_edges=wedge_edges, wedge_bins=wedge_bins, wp=wp, pi_max=pi_max, counts=projected,
        covariance=by_region is not None,
    )


def window(pairs: Result | str | os.PathLike[str], *, ells: Sequence[int] = (0, 2, 4), volume: float | None = None) -> Result:
    """The multipoles of the window of a survey, ``result["Q_0"]``.., from random pairs over (s, mu): a count of randoms, or a result of :func:`xi` that holds
    RR. With the effective `volume` (int n w)^2 / int (n w)^2 Q_0 goes to 1 at s = 0; without it Q_0 is 1 in the innermost bin with
    pairs. Wilson et al. (2017), Beutler & McDonald (2021).

    >>> import albireo
    >>> randoms = albireo.randoms(2000, shell=(50, 100), seed=1)
    >>> rr = albireo.count(randoms, statistic="s-mu", bins="lin:0:40:4", mu_bins="lin:0:1:20")
    >>> q = albireo.window(rr, ells=[0, 2])
    >>> q.columns[3:], float(q["Q_0"][0])
    (['Q_0', 'Q_0_error', 'Q_2', 'Q_2_error'], 1.0)
    """
    return operated("window", [pairs], multipoles=list(ells), volume=volume)
