"""Draws force_rdf.png: g(r) from pairs and from forces of one trajectory, of the table that docs/pair-sums.md makes.
pip install numpy matplotlib; python docs/draw_force_rdf.py out/forces.csv"""

import sys
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402


def main():
    of = np.genfromtxt(sys.argv[1], delimiter=",", names=True)
    _, (above, below) = plt.subplots(2, 1, figsize=(6.4, 5.2), sharex=True, height_ratios=[3, 1], layout="constrained")
    above.errorbar(of["centre"], of["g"], of["g_block_error"], fmt=".", color="0.6", label="pairs in bins")
    above.plot(of["hi"], of["force_g"], color="C0", label="forces, at edges")
    above.fill_between(of["hi"], of["force_g"] - of["force_g_error"], of["force_g"] + of["force_g_error"], color="C0", alpha=0.3)
    above.set_ylabel("g(r)")
    above.legend(frameon=False)
    below.plot(of["hi"], of["g_block_error"], ".", color="0.6")
    below.plot(of["hi"], of["force_g_error"], color="C0")
    below.set(yscale="log", ylim=(1e-3, 5e-2))
    below.yaxis.set_minor_formatter("")
    below.set_ylabel("block error")
    below.set_xlabel("r / sigma")
    plt.savefig(Path(__file__).with_name("force_rdf.png"), dpi=100)


main()
