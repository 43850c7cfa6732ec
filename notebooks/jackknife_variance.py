"""Draws what `cargo run --release --example jackknife_variance 600 > variances.csv` prints.

    python notebooks/jackknife_variance.py variances.csv docs/jackknife_variance.png
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

table = np.genfromtxt(sys.argv[1], delimiter=",", names=True)
centre = np.sqrt(table["r_lo"] * table["r_hi"])
figure, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
axes.axhspan(0.8, 1.2, color="0.92")
axes.axhline(1.0, color="0.5", lw=0.8)
KINDS = (
    ("standard", "jackknife", "o"),
    ("mohammad_percival", "Mohammad & Percival 2021, totals too (pycorr)", "s"),
    ("mohammad_percival_pairs", "Mohammad & Percival 2021, pairs in bins alone", "^"),
)
for name, label, marker in KINDS:
    ratio = table[name]
    axes.errorbar(centre, ratio, ratio * table["error_of_ratio"], marker=marker, capsize=2, label=label)
axes.set(xscale="log", xlabel="r / side of the survey", ylabel="variance / scatter of the mocks", ylim=(0, 1.6))
axes.legend(frameon=False)
figure.savefig(sys.argv[2], dpi=150)
