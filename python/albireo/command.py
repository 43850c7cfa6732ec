"""Measurements as the command lines that they stand for, carried out in this process.

Entry: :func:`run`. Keyword arguments are the long names of the flags, as in job files, so that values are read, checked and refused as they
are there.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from ._native import native
from .catalog import Catalog
from .trajectory import Trajectory

Progress = bool | Callable[[str, int, int | None], Any] | None


class Made(NamedTuple):
    """What a command has made: its main results, those kept by name, and printed text."""

    tables: list[Any]
    kept: dict[str, Any]
    text: str


class Role(NamedTuple):
    """A sample of a command: the flag that names it (none for the first), the prefix of its column flags, and the sample."""

    flag: str | None
    prefix: str
    catalog: Catalog | Trajectory


def spelled(value: Any) -> str:
    """A value as the command line spells it; floats by the shortest digits that read back as the same number."""
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (bool, np.bool_)):
        raise ValueError(f"expected a value, found {value}")
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, Mapping):
        return ",".join(f"{key}={spelled(part)}" for key, part in value.items())
    if hasattr(value, "tolist"):
        value = np.asarray(value).ravel().tolist()
    if isinstance(value, Sequence):
        return ",".join("none" if part is None else spelled(part) for part in value)
    raise TypeError(f"cannot spell {type(value).__name__} for the command line")


def edges(value: Any) -> str:
    """Edges of bins: a text such as ``log:0.1:25:20``, or the edges one by one."""
    if isinstance(value, (str, os.PathLike)):
        return spelled(value)
    if hasattr(value, "to_value"):
        value = value.value
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except TypeError:
        raise TypeError(f"bins: expected edges, or a text such as 'log:0.1:25:20', found {type(value).__name__}") from None
    if numbers.ndim != 1 or numbers.size < 2:
        raise ValueError(f"bins: expected at least two edges in one dimension, found an array of shape {numbers.shape}")
    return "edges:" + ",".join(map(repr, numbers.tolist()))


def box(value: Any) -> str:
    """A box: a length, three lengths (None for an open axis), three vectors, or a text."""
    if isinstance(value, str):
        return value
    if hasattr(value, "to_value"):
        value = value.value
    if isinstance(value, (list, tuple)) and any(part is None for part in value):
        return spelled(value)
    return ",".join(map(repr, np.asarray(value, dtype=np.float64).ravel().tolist()))


_EDGES = {"bins", "mu_bins", "pi_bins", "q", "rho_bins", "z_bins"}


def _words(name: str, value: Any, known: frozenset[str], scratch: Callable[[Any], str], rows: Callable[[Any], str]) -> list[str]:
    """One keyword argument as words of a command line."""
    flag = name.replace("_", "-")
    if flag not in known:
        raise TypeError(f"unexpected keyword argument {name!r}: there are {', '.join(sorted(k.replace('-', '_') for k in known))}")
    if value is None or value is False:
        return []
    if value is True:
        return [f"--{flag}"]
    if name in _EDGES:
        return [f"--{flag}={edges(value)}"]
    if name == "box":
        return [f"--{flag}={box(value)}"]
    if hasattr(value, "table") and hasattr(value, "save"):
        return [f"--{flag}={scratch(value)}"]
    if name == "frame_weights" and not isinstance(value, (str, os.PathLike)):
        return [f"--{flag}=@{rows(value)}"]
    if flag == "from-part":
        return [f"--{flag}={spelled(part)}" for part in value]
    if isinstance(value, (list, tuple)) and any(hasattr(part, "save") for part in value):
        if flag == "reuse":
            return [f"--{flag}={scratch(part)}" for part in value]
        return [f"--{flag}={','.join(scratch(part) for part in value)}"]
    return [f"--{flag}={spelled(value)}"]


def _of_role(role: Role, options: dict[str, Any], first: Role) -> list[str]:
    """The column flags of a sample in memory."""
    words: list[str] = []
    catalog, prefix = role.catalog, role.prefix
    key = prefix.replace("-", "_")
    if options.get(f"{key}weight") is None:
        inherits = role is not first and options.get("weight") is not None
        if catalog.weight_column is not None:
            words.append(f"--{prefix}weight={catalog.weight_column}")
        elif role is not first and first.catalog.weight_column is not None and not inherits:
            words.append(f"--{prefix}weight=none")
    if catalog.words and options.get(f"{key}bits") is None:
        names = [name for name, _, _ in catalog.words]
        words.append(f"--{prefix}bits={','.join(names)}")
    elif role is not first and first.catalog.words and prefix not in ("randoms-",):
        words.append(f"--{prefix}bits=none")
    return words


def _wanted(options: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The names of columns that options ask for, and those of bits."""
    names: list[str] = []
    bits: list[str] = []
    for name, value in options.items():
        last = name.rsplit("_", 1)[-1]
        if last in ("positions", "sky", "distance", "redshift", "weight", "group", "column") and value is not None:
            names += spelled(value).split(",")
        if last == "bits" and value is not None:
            bits += spelled(value).split(",")
    return names, bits


_LONG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")


def in_python(message: str) -> str:
    """A message with flags as keyword arguments."""
    return _LONG.sub(lambda found: found.group(1).replace("-", "_"), message)


def _add(words: list[str], word: str) -> None:
    """Adds the flag of a sample, which others may share: all random catalogues have the same ones."""
    flag = word.split("=")[0] + "="
    same = [known for known in words if known.startswith(flag)]
    if same and same != [word]:
        raise ValueError(f"{flag[2:-1].replace('-', '_')}: all random catalogues have weights, or none has")
    if not same:
        words.append(word)


@functools.cache
def _flags(command: tuple[str, ...]) -> frozenset[str]:
    """The long names of the flags of a subcommand."""
    return frozenset(native().flags(list(command)))


class _Bar:
    """A bar of tqdm for each count."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self.make: Any = tqdm
        self.bar: Any = None
        self.what = ""

    def __call__(self, what: str, done: int, of: int | None) -> None:
        if self.bar is None or what != self.what or done < self.bar.n:
            self.close()
            self.what = what
            self.bar = self.make(total=of, desc=what, unit="frames" if what == "frames" else "pairs", unit_scale=True)
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            if self.bar.total:
                self.bar.update(self.bar.total - self.bar.n)
            self.bar.close()
            self.bar = None


def _hears(progress: Progress) -> Any:
    if progress is None or progress is False:
        return None
    if progress is True:
        return _Bar()
    if not callable(progress):
        raise TypeError(f"progress: expected True or a function of (what, done, of), found {type(progress).__name__}")
    return progress


def run(
    command: Sequence[str],
    roles: Sequence[Role] = (),
    options: Mapping[str, Any] | None = None,
    *,
    files: Sequence[str] = (),
    kept: Mapping[str, str] | None = None,
    progress: Progress = None,
) -> Made:
    """Carries out a subcommand on samples, with options by the names of its flags.

    `kept` maps flags that name a result file to the name under which that result is handed back. Raises ValueError for what the command
    refuses, with flags spelled as keyword arguments, and KeyboardInterrupt after Ctrl-C.
    """
    import logging

    log = logging.getLogger("albireo")
    options = dict(options or {})
    module = native()
    known = _flags(tuple(command))
    hears = _hears(progress)
    words = ["albireo", *command, *files]
    given: dict[str, Any] = {}
    with ExitStack() as stack:
        folder: list[str] = []

        def place(ending: str) -> str:
            """A file for as long as the command works."""
            if not folder:
                import shutil
                import tempfile

                folder.append(tempfile.mkdtemp(prefix="albireo-"))
                stack.callback(shutil.rmtree, folder[0], ignore_errors=True)
            return os.path.join(folder[0], f"{len(os.listdir(folder[0]))}.{ending}")

        def scratch(result: Any) -> str:
            """A result in a file."""
            if not hasattr(result, "table"):
                return spelled(result)
            path = place("json")
            result.table.write(path)
            return path

        def rows(values: Any) -> str:
            """Numbers in a file, a row each."""
            path = place("csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("weight\n" + "".join(f"{float(value)!r}\n" for value in np.ravel(values)))
            return path

        for name, value in options.items():
            words += _words(name, value, known, scratch, rows)
        for flag in kept or {}:
            words.append(f"--{flag}=<{flag}>")
        columns, bits = _wanted(options)
        for role in roles:
            for word in _of_role(role, options, roles[0]):
                _add(words, word)
            path = role.catalog.path
            name = path if path is not None else f"<{role.flag or 'data'}>"
            if path is None:
                given[name] = role.catalog.native(columns, bits)
            words += [name] if role.flag in (None, "second") else [f"--{role.flag}={name}"]
        words += _shared(roles, options, known)
        level = log.getEffectiveLevel()
        names = [f"<{flag}>" for flag in kept or {}]
        if isinstance(hears, _Bar):
            stack.callback(hears.close)
        try:
            tables, text = module.call(words, given, names, level, log.log, hears)
        except ValueError as error:
            raise ValueError(in_python(str(error))) from None
    main = [table for name, table in tables if name is None]
    others = {name[1:-1]: table for name, table in tables if name is not None}
    return Made(main, others, text)


def _shared(roles: Sequence[Role], options: Mapping[str, Any], known: frozenset[str]) -> list[str]:
    """The flags of columns that all samples share: groups and regions."""
    words = []
    catalogs = [role.catalog for role in roles]
    if options.get("group") is None and any(catalog.group_column for catalog in catalogs):
        if "group" not in known:
            raise TypeError("groups have no meaning here")
        words.append(f"--group={next(c.group_column for c in catalogs if c.group_column)}")
    if options.get("regions_column") is None and any(catalog.region_column for catalog in catalogs):
        if "regions-column" not in known:
            raise TypeError("regions have no meaning here")
        words.append(f"--regions-column={next(c.region_column for c in catalogs if c.region_column)}")
    return words
