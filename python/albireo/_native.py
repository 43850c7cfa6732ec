"""The compiled module, loaded when something is measured first, so that importing the package costs nothing."""

from __future__ import annotations

import functools
import os
from typing import Any


@functools.cache
def native() -> Any:
    """The compiled module, once the compiler of GPU kernels that pip may have brought has been looked for."""
    _name_nvrtc()
    from . import _albireo

    return _albireo


def _name_nvrtc() -> None:
    """Tells where NVRTC is, for environments that are not activated; a user's own choice stands."""
    if "ALBIREO_NVRTC" in os.environ:
        return
    try:
        import nvidia
    except ImportError:
        return
    for folder in getattr(nvidia, "__path__", []):
        for inside in ("cu13/lib", "cuda_nvrtc/lib"):
            place = os.path.join(folder, inside)
            if os.path.isdir(place):
                os.environ["ALBIREO_NVRTC"] = place
                return
