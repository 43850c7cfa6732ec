"""Runs the code cells of a notebook, in order and in its folder, and checks that it is kept without outputs, under ids of their own, and draws something.

    python .ci/run_notebook.py NOTEBOOK [FOLDER]

Figures are written to FOLDER, if one is given.
"""

import json
import os
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def main(notebook, folder=None):
    folder = folder and Path(folder).resolve()
    cells = json.loads(notebook.read_text())["cells"]
    if len({cell["id"] for cell in cells}) < len(cells):
        sys.exit(f"{notebook}: two cells have the same id")
    cells = [cell for cell in cells if cell["cell_type"] == "code"]
    kept = [cell["id"] for cell in cells if cell["outputs"] or cell["execution_count"] is not None]
    if kept:
        sys.exit(f"{notebook}: clear the outputs of the cells {', '.join(kept)}")
    figures = []

    def show():
        for number in plt.get_fignums():
            figure = plt.figure(number)
            lines = [line for axes in figure.axes for line in axes.lines]
            if not any(len(line.get_xdata()) > 2 for line in lines):
                sys.exit(f"{notebook}: figure {len(figures) + 1} is empty")
            if folder:
                figure.savefig(folder / f"{notebook.stem}_{len(figures) + 1}.png")
            figures.append(figure)
        plt.close("all")

    plt.show = show
    os.chdir(notebook.resolve().parent)
    scope = {"__name__": "__main__"}
    for cell in cells:
        exec(compile("".join(cell["source"]), f"{notebook.name}, cell {cell['id']}", "exec"), scope)
    if not figures:
        sys.exit(f"{notebook}: no figure was drawn")
    print(f"{notebook}: {len(cells)} cells ran, {len(figures)} figures")


main(Path(sys.argv[1]), *sys.argv[2:])
