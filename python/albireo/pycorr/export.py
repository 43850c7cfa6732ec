"""Results of this package as pycorr's objects, which save themselves in its form.

Entry: :func:`to_pycorr`.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from pycorr import TwoPointCounter, TwoPointEstimator

from ..result import Result


def to_pycorr(result: Result) -> Any:
    """Pair counts as a counter of pycorr, a correlation function as its estimator, with jackknife regions where the result has them.

    It is what ``result.save("xi.npy")`` writes: autos in both orders, bins in mu and pi on both sides of 0. Where those of the result are folded
    (from 0 on), each pair is halved between both sides, which is what autos are in truth; pycorr's ``wrap()`` makes integers of them again. Of
    wp, multipoles and wedges it is the xi(rp, pi) or xi(s, mu) that they were made of. Separations are means where they were summed, else the middles
    of bins.

    Raises ValueError for what pycorr has no form for: an estimator that it does not know, regions of a box whose random pairs are known.

    >>> import numpy as np, albireo
    >>> from albireo.pycorr import to_pycorr
    >>> points = np.random.default_rng(1).random((2, 500, 3)) * 50
    >>> xi = albireo.xi(points[0], points[1], bins="lin:0:20:4", regions=8)
    >>> theirs = to_pycorr(xi)
    >>> bool(np.allclose(theirs.corr, xi.xi)), theirs.nrealizations
    (True, 8)
    """
    if not isinstance(result, Result):
        raise TypeError(f"expected a Result, found {type(result).__name__}")
    counts = result._parts.get("counts", result.table)
    file = io.BytesIO(counts.pycorr_npy(result._parts.get("region-counts")))
    state = np.load(file, allow_pickle=True)[()]
    of = TwoPointEstimator if "D1D2" in state else TwoPointCounter
    return of.from_state(state, load=True)
