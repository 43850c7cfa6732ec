"""Draws the figures of the cookbooks and of the page on pair sums again: runs their commands and keeps what the pages show.

    python docs/draw.py [PROGRAM]

PROGRAM is `albireo` of the path unless it is named. A figure `figures/NAME.png` of a page is what one of its commands wrote as `out/NAME.png`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGES = ["cookbook-galaxies.md", "cookbook-liquids.md", "pair-sums.md"]
SHOWN = re.compile(r"\]\(figures/(.*?\.png)\)")


def draw(page, folder, env):
    """Runs the commands of a page in `folder`, and copies the figures that it shows."""
    text = (DOCS / page).read_text()
    for block in re.findall(r"```sh\n(.*?)```", text, flags=re.S):
        for command in block.splitlines():
            subprocess.run(command, shell=True, check=True, cwd=folder, env=env)
    for name in set(SHOWN.findall(text + (DOCS / "gallery.md").read_text())):
        if (folder / "out" / name).exists():
            shutil.copyfile(folder / "out" / name, DOCS / "figures" / name)


def main():
    program = Path(shutil.which(sys.argv[1] if len(sys.argv) > 1 else "albireo")).resolve()
    (DOCS / "figures").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "catalogs").symlink_to(DOCS.parent / "catalogs")
        (folder / "albireo").symlink_to(program)
        env = dict(os.environ, PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")
        for page in PAGES:
            draw(page, folder, env)


if __name__ == "__main__":
    main()
