"""The interface of Corrfunc 2.5.3 (Sinha & Garrison 2020, doi:10.1093/mnras/stz3157) on this engine.

``from albireo.compat.corrfunc.theory import DD`` for ``from Corrfunc.theory import DD``. What a function takes that is about speed alone
(``isa``, ``*_refine_factor``, ``max_cells_per_dim``, ``copy_particles``, ``enable_min_sep_opt``, ``fast_acos``...) is accepted and has no effect;
``nthreads`` has. Counts are in float64 for positions of any type; counts in spheres (``vpf``) are not here.
"""

from __future__ import annotations

import sys
import types

from . import io, mocks, theory, utils

__all__ = ["io", "mocks", "theory", "utils"]
__version__ = "2.5.3"


def _modules() -> dict[str, types.ModuleType]:
    """The modules of the package by their names below it, those of one function too."""
    found = {"io": io, "mocks": mocks, "theory": theory, "utils": utils}
    for parent in (theory, mocks):
        short = parent.__name__.rsplit(".", 1)[-1]
        for name in parent.__all__:
            module = types.ModuleType(f"{parent.__name__}.{name}")
            setattr(module, name, getattr(parent, name))
            found[f"{short}.{name}"] = module
    return found


def _register(root: str) -> None:
    for name, module in _modules().items():
        sys.modules[f"{root}.{name}"] = module


def _install() -> None:
    """Puts this package in the place of Corrfunc."""
    sys.modules["Corrfunc"] = sys.modules[__name__]
    _register("Corrfunc")


_register(__name__)
