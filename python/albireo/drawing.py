"""Results drawn with matplotlib.

Entry: :func:`draw`.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _label(result: Any, axis: str) -> str:
    names = [name for name in result.columns if name in ("lo", f"{axis}_lo")]
    unit = result.table.unit(names[0]) if names else None
    return f"{axis} [{unit}]" if unit else axis


def _is_logarithmic(edges: np.ndarray) -> bool:
    positive = edges[edges > 0]
    if len(positive) < 3:
        return False
    steps = np.diff(np.log(positive))
    return bool(steps.max() - steps.min() < 0.05 * steps.max() and positive[-1] > 3 * positive[0])


def _error_of_g(result: Any, pair: str) -> np.ndarray:
    """The error of g from blocks of frames, else the Poisson one."""
    name = f"g_block_error{pair}"
    return result[name] if name in result.columns else result[f"g_error{pair}"]


def draw(result: Any, ax: Any, style: dict[str, Any]) -> Any:
    """Draws a result into `ax`, a new one where that is None."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots()
    edges = result.edges
    partials = [name for name in result.columns if name.startswith("g_") and "error" not in name]
    estimate = any(name in result.columns for name in ("xi", "wp", "g")) or result.kind in ("multipoles", "wedges") or partials
    if isinstance(edges, tuple):
        values = result.value if estimate else result.npairs
        image = ax.pcolormesh(edges[0], edges[1], np.asarray(values, dtype=float).T, **style)
        ax.figure.colorbar(image, ax=ax, label="xi" if estimate else "pairs")
        ax.set(xlabel=_label(result, result.axes[0]), ylabel=_label(result, result.axes[1]))
        return ax
    middles = (edges[:-1] + edges[1:]) / 2
    if partials:
        for name in partials:
            ax.errorbar(middles, result[name], _error_of_g(result, name[1:]), **{"lw": 1, "label": name[2:], **style})
        ax.set_ylabel("g")
        ax.legend()
    elif not estimate:
        ax.stairs(result.npairs, edges, **style)
        ax.set_ylabel("pairs")
    else:
        error = _error_of_g(result, "") if "g" in result.columns else result.error
        values, errors = np.atleast_2d(result.value), np.atleast_2d(error)
        names = [n for n in result.columns if n in ("xi", "wp", "g") or (n.startswith("xi_") and not n.endswith("error"))]
        for name, value, error in zip(names, values, errors):
            ax.errorbar(middles, value, error, **{"marker": "o", "ms": 3, "lw": 1, "label": name, **style})
        ax.set_ylabel(names[0] if len(names) == 1 else "xi")
        if len(names) > 1:
            ax.legend()
    ax.set_xlabel(_label(result, result.axes[0]))
    if _is_logarithmic(edges):
        ax.set_xscale("log")
    return ax
