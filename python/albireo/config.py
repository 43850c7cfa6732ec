"""A whole analysis in one job file.

Entry: :class:`Config`.
"""

from __future__ import annotations

import os
from typing import Any

from .command import Progress, run
from .result import Result


class Config:
    """A job file (.toml), as ``albireo run`` takes it: tables of flags, shared settings, sweeps."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise FileNotFoundError(2, "there is no such file", self.path)

    def commands(self) -> list[str]:
        """The command lines that it stands for."""
        return run(["run"], files=[self.path], options={"list": True}).text.splitlines()

    def run(self, *, again: bool = False, progress: Progress = None) -> dict[str, Result]:
        """Measures what is not done yet, or all of it `again`, in order; results by the names of their tables, those that were done
        already read from their files."""
        made = run(["run"], files=[self.path], options={"again": again}, progress=progress)
        found: dict[str, Result] = {}
        for table in made.tables:
            result = Result(table)
            name = (result.record.get("job") or {}).get("measurement") or result.kind
            found[name if name not in found else f"{name} ({len(found)})"] = result
        return found

    def __repr__(self) -> str:
        return f"Config({self.path!r})"

    @staticmethod
    def template() -> str:
        """A job file to begin with."""
        return run(["run"], options={"template": True}).text


def info(path: str | os.PathLike[str]) -> Any:
    """What a file holds, or each that a pattern matches: its tables, columns with type and range, attributes, as text."""
    return run(["info"], files=[os.fspath(path)]).text
