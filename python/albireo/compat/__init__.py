"""Other packages' interfaces on this engine: same names, arguments, fields and conventions.

:mod:`albireo.compat.corrfunc` is one of Corrfunc 2.5.3. ``python -m albireo.compat corrfunc script.py`` runs a script that imports Corrfunc
unchanged; :func:`install` does the same from within.
"""

from __future__ import annotations

__all__ = ["install"]


def install(package: str) -> None:
    """From now on ``import Corrfunc`` (`package` is ``"corrfunc"``) finds what is here.

    >>> import albireo.compat
    >>> albireo.compat.install("corrfunc")
    >>> from Corrfunc.theory.DD import DD
    """
    if package.lower() != "corrfunc":
        raise ValueError(f"expected corrfunc, found {package!r}")
    from . import corrfunc

    corrfunc._install()
