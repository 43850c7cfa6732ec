"""Draws docs/figures/performance.svg from the numbers of docs/performance.md.

    python docs/draw_performance.py
"""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "albireo"
import matplotlib.pyplot as plt  # noqa: E402

DOCS = Path(__file__).resolve().parent


def rows():
    """The jobs of the first table: what was counted, beside which program, how many times as fast."""
    lines = (DOCS / "performance.md").read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| .*\| [\d.]+ \|", line)]
    job = ""
    for name, _, peer, times, *_ in cells:
        job = job if name == "the same" else name
        yield f"{job} ({peer.split()[0]})", float(times)


def main():
    names, times = zip(*rows(), strict=True)
    figure, axes = plt.subplots(figsize=(7, 3.4))
    bars = axes.barh(names, times, color="#3b6ea5")
    axes.bar_label(bars, fmt="%g", padding=3, fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(0.8, 400)
    axes.axvline(1, color="0.4", linewidth=0.8)
    axes.set_xticks([1, 2, 5, 10, 20, 50, 100, 200], ["1", "2", "5", "10", "20", "50", "100", "200"])
    axes.minorticks_off()
    axes.invert_yaxis()
    axes.tick_params(labelsize=8)
    axes.set_xlabel("times as fast as the peer, two cores", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(DOCS / "figures" / "performance.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
