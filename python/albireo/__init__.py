"""Exact pair counts and two-point correlation functions, from galaxies to atoms.

>>> import albireo
>>> galaxies = albireo.samples.path("galaxies_box.h5")
>>> xi = albireo.xi(galaxies, bins="log:0.5:20:8")
>>> xi.npairs.dtype, xi.xi.shape
(dtype('uint64'), (8,))

Counts are the integers of a plain float64 double loop, on every engine and number of threads. Arrays go in and come out; files are named by
path. Everything is described by ``help(albireo.xi)`` and ``albireo xi --help``.
"""

from . import samples
from .catalog import Catalog
from .config import Config, info
from .dynamics import Simulation, md
from .fields import Grid, field
from .measure import angular, completeness, count, covariance_model, jackknife, load, multipoles, nz, randoms, rdf, wp, xi
from .operations import combine, covariance, merge, window
from .parts import part, whole
from .result import Result
from .trajectory import Trajectory

__all__ = [
    "Catalog", "Config", "Grid", "Result", "Simulation", "Trajectory", "angular", "combine", "completeness", "count", "covariance", "covariance_model", "field", "info", "jackknife",
    "load", "md", "merge", "multipoles", "nz", "part", "randoms", "rdf", "samples", "whole", "window", "wp", "xi",
]
__version__ = "0.1.0"
