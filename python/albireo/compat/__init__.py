"""Other packages' interfaces on this engine: same names, arguments, fields and conventions.

:mod:`albireo.compat.corrfunc` is one of Corrfunc 2.5.3. ``python -m albireo.compat corrfunc script.py`` runs a script that imports Corrfunc
unchanged, ``python -m albireo.compat pycorr script.py`` one that has pycorr count by ``engine="corrfunc"``; :func:`install` does the same
from within.
"""

from __future__ import annotations

__all__ = ["install"]


def install(package: str) -> None:
    """From now on ``import Corrfunc`` finds what is here (`package` is ``"corrfunc"``), or pycorr's engines ``"corrfunc"`` and ``"cucount"``
    are this one (``"pycorr"``).

    >>> import albireo.compat
    >>> albireo.compat.install("corrfunc")
    >>> from Corrfunc.theory.DD import DD
    """
    if package.lower() == "pycorr":
        from ..pycorr import install_engine

        install_engine()
    elif package.lower() == "corrfunc":
        from . import corrfunc

        corrfunc._install()
    else:
        raise ValueError(f"expected corrfunc or pycorr, found {package!r}")
