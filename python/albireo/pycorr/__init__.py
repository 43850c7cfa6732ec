"""pycorr with this library's counts: ``import albireo.pycorr``, then ``engine="albireo"`` wherever pycorr takes an engine.

>>> import numpy as np, albireo.pycorr
>>> from pycorr import TwoPointCorrelationFunction
>>> rng = np.random.default_rng(1)
>>> positions = rng.random((3, 1000)) * 100
>>> xi = TwoPointCorrelationFunction("smu", (np.linspace(0, 20, 5), np.linspace(-1, 1, 11)), positions, boxsize=100.0, los="z", engine="albireo")
>>> xi.shape
(4, 10)

:func:`to_pycorr` makes pycorr's estimators of results of this package, jackknife regions too, so that they are saved in its form. What pycorr
saves of either loads where this package is not installed. :func:`install_engine` does it for scripts that name Corrfunc's engine. Made for pycorr 1.0 (https://github.com/cosmodesi/pycorr).
"""

import sys

from pycorr.twopoint_counter import RegisteredTwoPointCounter

from .engine import AlbireoTwoPointCounter
from .export import to_pycorr

__all__ = ["AlbireoTwoPointCounter", "install_engine", "to_pycorr"]


def install_engine() -> None:
    """Has this engine count wherever a script names ``engine="corrfunc"`` or ``"cucount"``: as ``albireo.compat.install("pycorr")``."""
    for name in ("corrfunc", "cucount"):
        # pycorr imports the module of an engine before it looks for its name.
        sys.modules[f"pycorr.{name}"] = sys.modules[__name__]
        setattr(sys.modules["pycorr"], name, sys.modules[__name__])
        RegisteredTwoPointCounter._registry[name] = AlbireoTwoPointCounter
