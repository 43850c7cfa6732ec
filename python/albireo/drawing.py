"""Results drawn with matplotlib, in the way of ``albireo plot``: what is shown, its labels, units and scales are those of the command's figures.

Entry: :func:`draw`.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np


def draw(result: Any, ax: Any, panel: str | None, scale_by: float | None, style: dict[str, Any]) -> Any:
    """Draws a result into `ax`, or its panels into those of a new figure where that is None; returns the first axes."""
    if not hasattr(result.table, "shown"):
        raise RuntimeError("plot: this build of albireo has no figures: build it with the feature plot")
    shown = json.loads(result.table.shown(scale_by))
    panels = shown.get("panels", [])
    if panel is not None:
        names = [one["name"] or one["labels"][1] for one in panels]
        if panel not in names:
            raise ValueError(f"panel: expected one of {', '.join(map(repr, names)) or 'no panels, as a map has none'}, found {panel!r}")
        panels = [panels[names.index(panel)]]
    elif ax is not None:
        # Panels of a kind, which have names, share the axes.
        panels = [one for one in panels if one["name"]] or panels[:1]
    if ax is None:
        import matplotlib.pyplot as plt

        columns = min(shown.get("columns", 1), max(len(panels), 1))
        rows = -(-max(len(panels), 1) // columns)
        size = (6.4, 4.8) if rows == 1 else (max(6.4, 3.2 * columns), 3.2 * rows)
        _, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
        axes = list(grid.flat)
        for unused in axes[max(len(panels), 1) :]:
            unused.remove()
    else:
        axes = [ax] * max(len(panels), 1)
    if "map" in shown:
        _draw_map(axes[0], shown["map"], style)
    for each, one in zip(axes, panels):
        _draw_curves(each, one, {**style, "label": style.get("label") or (one["name"] if ax is not None else "")})
        if ax is None:
            each.set_title(one["name"])
    return axes[0]


#: Markers of curves, one after the other.
_MARKERS = "os^Dv"


def _draw_curves(ax: Any, panel: dict[str, Any], style: dict[str, Any]) -> None:
    named = style.pop("label")
    alone = len(panel["curves"]) == 1
    _lay_out(ax, panel)
    for k, curve in enumerate(panel["curves"]):
        x, y, error = (np.array(curve[name], dtype=float) for name in ("x", "y", "error"))
        names = [named, *([] if alone else [curve["source"], curve["label"]])]
        look = {"label": _literal(", ".join(filter(None, names))), "lw": 1.2, **style}
        error = np.where(np.isfinite(error), error, 0.0) if len(error) else np.zeros(len(y))
        # A logarithmic axis shows values below zero by their size, with open markers.
        is_open = (y < 0) & panel["logarithmic"][1]
        drawn = np.where(is_open, np.nan, y)
        if panel["markers"]:
            bars = error if error.any() else None
            line = ax.errorbar(x, drawn, bars, **{"marker": _MARKERS[k % len(_MARKERS)], "ms": 4, "capsize": 2, **look})[0]
        else:
            (line,) = ax.plot(x, drawn, **look)
            if error.any():
                ax.fill_between(x, drawn - error, drawn + error, color=line.get_color(), alpha=0.25, lw=0)
        if is_open.any():
            open_look = {"label": "negative, absolute value", "ls": "none", "marker": "o", "ms": 4, "mfc": "white", "capsize": 2}
            ax.errorbar(x[is_open], -y[is_open], error[is_open], lw=line.get_linewidth(), color=line.get_color(), **open_look)
    if panel["reference"] is not None:
        ax.axhline(panel["reference"], color="0.6", lw=0.8, ls="--", zorder=0)
    _say(ax, panel["remarks"])


def _say(ax: Any, remarks: list[str]) -> None:
    """The legend: each name of curves once, with what is said of them above, of earlier results too."""
    entries = {label: handle for handle, label in zip(*ax.get_legend_handles_labels())}
    before = ax.get_legend()
    said = before.get_title().get_text().splitlines() if before else []
    title = "\n".join(dict.fromkeys([*said, *remarks]))
    if entries or title:
        ax.legend(entries.values(), entries.keys(), title=title or None, fontsize="small", title_fontsize="small")


def _draw_map(ax: Any, shown: dict[str, Any], style: dict[str, Any]) -> None:
    from matplotlib import colors

    edges = [np.array(ends) for ends in shown["edges"]]
    values = np.array(shown["values"], dtype=float).reshape([len(ends) - 1 for ends in edges])
    scale, threshold, ends = (shown["colours"][name] for name in ("scale", "threshold", "ends"))
    if scale == "signed":
        # Equal sizes of either sign have equal strength.
        largest = max(map(abs, ends))
        look: dict[str, Any] = {"norm": colors.SymLogNorm(threshold, vmin=-largest, vmax=largest), "cmap": "RdBu_r"}
    elif scale == "correlation":
        look = {"norm": colors.Normalize(*ends), "cmap": "RdBu_r"}
    else:
        look = {"norm": (colors.LogNorm if scale == "logarithmic" else colors.Normalize)(*ends)}
    _lay_out(ax, shown)
    image = ax.pcolormesh(*edges, values.T, **{**look, "rasterized": True, **style})
    bar = ax.figure.colorbar(image, ax=ax, label=_mathematical(shown["labels"][2]))
    if scale == "signed":
        bar.ax.set_ylim(ends)
    for level, lines in shown["contours"]:
        for line in lines:
            ax.plot(*np.transpose(line), color="0.15", lw=0.8)
        bar.ax.axhline(level, color="0.15", lw=0.8)
    if shown["aspect"] is not None:
        ax.set_box_aspect(shown["aspect"])
    if shown["blocks"] is not None:
        places, labels = zip(*shown["blocks"]["ticks"])
        ax.set(xticks=places, yticks=places, xticklabels=labels, yticklabels=labels)
        for name, (first, last) in shown["blocks"]["names"]:
            ax.text((first + last) / 2, edges[1][-1], name, ha="center", va="bottom")
            if first > 0:
                ax.axhline(first, color="0.15", lw=0.8)
                ax.axvline(first, color="0.15", lw=0.8)


def _lay_out(ax: Any, shown: dict[str, Any]) -> None:
    """Names with units, scales and ends, which hold what the axes hold already; logarithmic axes say 1, 2, 5, 10, 20 where that is not too much."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    held = ax.has_data()
    ax.set(xlabel=_mathematical(shown["labels"][0]), ylabel=_mathematical(shown["labels"][1]))
    for axis, is_logarithmic, (low, high) in zip((ax.xaxis, ax.yaxis), shown["logarithmic"], shown["ends"]):
        name = axis.axis_name
        if held:
            before = sorted(axis.get_view_interval())
            low, high = min(low, before[0]), max(high, before[1])
        getattr(ax, f"set_{name}scale")("log" if is_logarithmic else "linear")
        getattr(ax, f"set_{name}lim")(low, high)
        if not is_logarithmic:
            ax.ticklabel_format(axis=name, scilimits=(-2, 5), useMathText=True)
        elif 5e-4 <= low < high < 2e4 and high >= 3 * low:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())


def _literal(text: str) -> str:
    return text.replace("$", r"\$")


def _mathematical(text: str) -> str:
    """A label whose `_` and `^` begin a subscript and a superscript."""
    text = re.sub(r"_(\w)", r"$_{\\mathrm{\1}}$", _literal(text))
    return re.sub(r"\^(−?[\d.]+)", r"$^{\1}$", text)
