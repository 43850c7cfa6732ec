"""pycorr with this library's counts: ``import albireo.pycorr``, then ``engine="albireo"`` wherever pycorr takes an engine.

>>> import numpy as np, albireo.pycorr
>>> from pycorr import TwoPointCorrelationFunction
>>> rng = np.random.default_rng(1)
>>> positions = rng.random((3, 1000)) * 100
>>> xi = TwoPointCorrelationFunction("smu", (np.linspace(0, 20, 5), np.linspace(-1, 1, 11)), positions, boxsize=100.0, los="z", engine="albireo")
>>> xi.shape
(4, 10)

:func:`to_pycorr` makes pycorr's estimators of results of this package, jackknife regions too, so that they are saved in its form. What pycorr
saves of either loads where this package is not installed. Made for pycorr 1.0 (https://github.com/cosmodesi/pycorr).
"""

from .engine import AlbireoTwoPointCounter
from .export import to_pycorr

__all__ = ["AlbireoTwoPointCounter", "to_pycorr"]
