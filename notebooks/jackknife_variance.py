"""Draws what `cargo run --release --example jackknife_variance 1000 > variances.csv` prints.

    python notebooks/jackknife_variance.py variances.csv docs/jackknife_variance.png
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter

table = np.genfromtxt(sys.argv[1], delimiter=",", names=True)
centre = np.sqrt(table["r_lo"] * table["r_hi"])
figure, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
axes.axhspan(0.8, 1.2, color="0.94")
axes.axhspan(0.9, 1.1, color="0.86")
axes.axhline(1.0, color="0.5", lw=0.8)
KINDS = (
    ("standard", "jackknife", "o"),
    ("mohammad_percival", "Mohammad & Percival 2022, totals too (pycorr)", "s"),
    ("mohammad_percival_pairs", "Mohammad & Percival 2022, pairs in bins alone", "^"),
)
for k, (name, label, marker) in enumerate(KINDS):
    ratio = table[name]
    # Side by side, so that error bars do not hide each other.
    axes.errorbar(centre * (1 + 0.015 * (k - 1)), ratio, ratio * table["error_of_ratio"], marker=marker, capsize=2, label=label)
axes.set(xscale="log", xlabel="r / side of the survey", ylabel="variance / scatter of the mocks", ylim=(0, 1.6))
axes.set_xticks([0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.12], ["0.01", "0.02", "0.03", "0.05", "0.07", "0.1", ""])
axes.xaxis.set_minor_formatter(NullFormatter())
axes.legend(frameon=False, loc="lower right", fontsize=8)
figure.savefig(sys.argv[2], dpi=150)
