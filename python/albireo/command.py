"""Measurements as the command lines that they stand for, carried out in this process.

Entry: :func:`run`. Keyword arguments are the long names of the flags, as in job files, so that values are read, checked and refused as they are
there.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from . import arrays, objects, units
from ._native import native
from .catalog import Catalog, Wanted
from .trajectory import Trajectory

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: Options for results beside the main one, which come back with it where they are True.
FURTHER = ("structure", "p_of_r", "total_g", "block_counts", "fkp_data", "fkp_randoms", "mean", "counts", "covariance", "regions_output", "region_sums")

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
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
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
    if isinstance(value, (list, tuple)) and any(part is None for part in value):
        return spelled(value)
    return ",".join(map(repr, np.asarray(value, dtype=np.float64).ravel().tolist()))


class Flag(NamedTuple):
    """What a flag takes (``number``, ``edges``, ``read``...) and how many values (``one``, ``list``, ``repeated``...)."""

    takes: str
    values: str


def _unknown(name: str, command: Sequence[str]) -> TypeError:
    """What is said of a keyword argument that there is not: what to write instead, as the command line says it."""
    return TypeError(f"unexpected keyword argument {name!r}: {in_python(native().instead(list(command), name))}")


def _with(signature: inspect.Signature, options: type) -> inspect.Signature:
    """A signature with these keyword arguments in the place of any."""
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    keys = {key: kind for part in reversed(options.__mro__) for key, kind in vars(part).get("__annotations__", {}).items()}
    further = (inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind) for key, kind in keys.items())
    return signature.replace(parameters=[*own, *(one for one in further if one.name not in signature.parameters)])


def explained(command: str, options: type) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A function whose keyword arguments are flags of a command: its signature names them all, and of a call that lacks an argument the keyword is
    named that no flag has, which may be that argument, misspelt."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*arguments: _P.args, **options: _P.kwargs) -> _R:
            own = {name: value for name, value in options.items() if name in signature.parameters}
            named: Any = {**own, **current((command,), {name: value for name, value in options.items() if name not in own})}
            try:
                signature.bind(*arguments, **named)
            except TypeError:
                known = _flags((command,))
                for name in named:
                    if name not in signature.parameters and name.replace("_", "-") not in known:
                        raise _unknown(name, (command,)) from None
            return function(*arguments, **named)

        call.__signature__ = _with(signature, options)  # type: ignore[attr-defined]
        return call

    return decorate


def _words(name: str, value: Any, flag: Flag, named: Callable[[Any], str], rows: Callable[[Any], str]) -> list[str]:
    """One keyword argument as words of a command line."""
    word = f"--{name.replace('_', '-')}"
    if value is None or value is False:
        return []
    if value is True:
        return [word]
    if flag.takes == "edges":
        return [f"{word}={edges(value)}"]
    if flag.takes == "box":
        return [f"{word}={box(value)}"]
    if flag.takes == "rows" and not isinstance(value, (str, os.PathLike)):
        return [f"{word}=@{rows(value)}"]
    if flag.takes == "shells" and not isinstance(value, (str, os.PathLike, int, np.integer)):
        return [f"{word}={edges(value)}"]
    # One value may be a pair of files, the parents before those observed.
    several = isinstance(value, (list, tuple))
    is_pair = flag.takes == "angular" and several and len(value) == 2 and not any(isinstance(part, str) and re.search("[=@,]", part) for part in value)
    if flag.values == "repeated" and several and not is_pair:
        return [f"{word}={named(part)}" for part in value]
    if hasattr(value, "table") and hasattr(value, "save"):
        return [f"{word}={named(value)}"]
    if several and any(hasattr(part, "save") for part in value):
        return [f"{word}={','.join(named(part) for part in value)}"]
    return [f"{word}={spelled(value)}"]


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


def _wanted(options: Mapping[str, Any]) -> Wanted:
    """The columns that options ask for."""
    wanted = Wanted([], [], [], [])
    for name, value in options.items():
        last = name.rsplit("_", 1)[-1]
        if last in ("positions", "sky", "distance", "redshift", "weight", "same", "column") and value is not None:
            wanted.names.extend(spelled(value).split(","))
        if last in ("bits", "realisations", "realizations") and value is not None:
            wanted.bits.extend(spelled(value).split(","))
        if last in ("where", "weight", "classes", "set", "distance", "redshift", "same", "column", "epsilon", "sigma"):
            texts = value if isinstance(value, (list, tuple)) else [value]
            # A set of weights has a name before its column.
            wanted.texts.extend(text.split("=", 1)[1] if last == "set" and "=" in text else text for text in texts if isinstance(text, str))
        if name in ("pair_sum", "let") and value is not None:
            wanted.sums.extend(value if isinstance(value, (list, tuple)) else [value])
    return wanted


def _draws(roles: Sequence[Role], options: dict[str, Any]) -> dict[str | None, list[tuple[str, np.ndarray, int]]]:
    """Arrays of bits that tell in which realisations a row takes part, as columns of their samples by the flags of these; options name them then."""
    found: dict[str | None, list[tuple[str, np.ndarray, int]]] = {}
    for role in roles:
        name = f"{role.prefix.replace('-', '_')}realisations"
        value = options.get(name)
        is_named = value is None or isinstance(value, str) or (isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value))
        if is_named:
            continue
        if role.catalog.path is not None:
            raise ValueError(f"{name}: an array does not go with a file: name its column")
        found[role.flag] = [(f"{name}[{k}]", bits, width) for k, (bits, width) in enumerate(arrays.words(name, value))]
        options[name] = name
    return found


_HELP = re.compile(r"`(albireo [^`]*) --help`")
_LONG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")


def in_python(message: str) -> str:
    """A message with flags as keyword arguments."""
    message = _HELP.sub(r"the help of `\1`", message)
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
def _flags(command: tuple[str, ...]) -> Mapping[str, Flag]:
    """The flags of a subcommand by their long names."""
    return {name: Flag(takes, values) for name, takes, values, _ in native().flags(list(command))}


@functools.cache
def _names(command: tuple[str, ...]) -> Mapping[str, str]:
    """The keyword arguments that had other names before, by these."""
    return {old.replace("-", "_"): name.replace("-", "_") for name, _, _, others in native().flags(list(command)) for old in others}


def current(command: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options by the names that they have now; arrays of groups stay with their samples."""
    names = _names(tuple(command))
    made: dict[str, Any] = {}
    for name, value in options.items():
        is_column = value is None or isinstance(value, str)
        if name in ("group", "exclude_same") and "group" in names:
            name = "exclude_same" if is_column else "group"
        elif name.startswith("second_") and "second_rows" in names and name.replace("_", "-") not in _flags(tuple(command)):
            name = "cross_" + name.removeprefix("second_")
        made[name if name == "group" else names.get(name, name)] = value
    return made


def _known(command: Sequence[str], options: Mapping[str, Any]) -> Mapping[str, Flag]:
    """The flags of a subcommand, these options among them."""
    known = _flags(tuple(command))
    for name in options:
        if name.replace("_", "-") not in known:
            raise _unknown(name, command)
    return known


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
    inputs: Sequence[tuple[str, Any]] = (),
    progress: Progress = None,
) -> Made:
    """Carries out a subcommand on samples, with options by the names of its flags.

    `kept` maps flags that name a result file to the name under which that result is handed back; those that :data:`FURTHER` lists are, where their
    options are True. `inputs` are tables of results, by what messages and the record call them, or paths with None, that the command has as its first words. Raises ValueError for what the command refuses, with flags
    spelled as keyword arguments, and KeyboardInterrupt after Ctrl-C.
    """
    import logging

    log = logging.getLogger("albireo")
    options = current(command, options or {})
    known = _known(command, options)
    kept = {**(kept or {}), **{name.replace("_", "-"): "" for name in FURTHER if options.get(name) is True}}
    options = {name: value for name, value in options.items() if name.replace("_", "-") not in kept}
    module = native()
    hears = _hears(progress)
    words = ["albireo", *command, *files]
    given: dict[str, Any] = {}
    results = {name: table for name, table in inputs if table is not None}
    words += [name for name, _ in inputs]
    weights = ""
    with ExitStack() as stack:

        def named(result: Any) -> str:
            """A result by the name that it has here."""
            if not hasattr(result, "table"):
                return spelled(result)
            number = len([name for name in results if name.endswith(" in memory")])
            name = f"result {number + 1} in memory" if number else "a result in memory"
            results[name] = result.table
            return name

        def rows(values: Any) -> str:
            """Numbers in a file, a row each: a run over frames keeps the digest of this file, to go on with the same weights."""
            nonlocal weights
            import tempfile

            with tempfile.NamedTemporaryFile("w", prefix="albireo-", suffix=".csv", encoding="utf-8", delete=False) as file:
                stack.callback(os.unlink, file.name)
                file.write("weight\n" + "".join(f"{float(value)!r}\n" for value in np.ravel(values)))
            weights = file.name
            return weights

        draws = _draws(roles, options)
        wanted = _wanted(options)
        sources: list[str] = []
        for role in roles:
            path = role.catalog.path
            name = path if path is not None else f"<{role.flag or 'data'}>"
            if path is None:
                columns, bits, *others = role.catalog.native(wanted, command[0] == "rdf")
                given[name] = (columns, [*bits, *draws.get(role.flag, [])], *others)
            sources += [name] if role.flag in (None, "second") else [f"--{role.flag}={name}"]
        for name, value in _in_unit(roles, given, options).items():
            words += _words(name, value, known[name.replace("_", "-")], named, rows)
        for flag in kept:
            words.append(f"--{flag}=<{flag}>")
        # Points where a field is have no weights.
        for role in (role for role in roles if role.flag != "at"):
            for word in _of_role(role, options, roles[0]):
                _add(words, word)
        words += sources
        words += _shared(roles, options, known)
        words += _threads(options, known)
        level = log.getEffectiveLevel()
        keeps = [f"<{flag}>" for flag in kept]
        if isinstance(hears, _Bar):
            stack.callback(hears.close)
        try:
            tables, text = module.call(words, given, results, keeps, level, log.log, hears)
        except ValueError as error:
            message = str(error).replace(weights, "an array in memory") if weights else str(error)
            raise ValueError(in_python(message)) from None
    main = [table for name, table in tables if name is None]
    others = {name[1:-1]: table for name, table in tables if name is not None}
    return Made(main, others, text)


def _in_unit(roles: Sequence[Role], given: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, lengths among them as numbers in the unit of the samples, cosmologies as their parameters."""
    known = [sample[-1] for sample in given.values() if sample[-1] is not None]
    depths = any(name == "redshift" for sample in given.values() if len(sample) == 4 for name, _ in sample[0])
    place = options.get("unit") or next(iter(known), None) or ("Mpc/h" if options.get("cosmology") is not None and depths else None)
    angles = options.get("statistic") == "theta"
    stated = {name: units.of_option(name, value, place, angles) for name, value in options.items()}
    if stated.get("cosmology") is not None:
        stated["cosmology"] = objects.cosmology(stated["cosmology"])
    return stated


def _threads(options: Mapping[str, Any], known: Mapping[str, Flag]) -> list[str]:
    """The threads that OMP_NUM_THREADS asks for, where no number is named."""
    on_cpu = options.get("engine") in (None, "auto", "cpu", "cuda+cpu")
    if "threads" not in known or options.get("threads") is not None or not on_cpu:
        return []
    number = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return [f"--threads={int(number)}"] if number.isdigit() and int(number) > 0 else []


def _of_classes(roles: Sequence[Role], options: Mapping[str, Any], known: Mapping[str, Flag]) -> list[str]:
    """The flags of classes that are given with samples."""
    words: list[str] = []
    for role in roles:
        column = getattr(role.catalog, "classes_column", None)
        if column is None:
            continue
        if "classes" not in known:
            raise TypeError("classes have no meaning here")
        _add(words, f"--{role.prefix}classes={column}")
    is_said = options.get("classes") is not None or any(word.startswith("--classes=") for word in words)
    return ["--classes=none", *words] if words and not is_said else words


def _shared(roles: Sequence[Role], options: Mapping[str, Any], known: Mapping[str, Flag]) -> list[str]:
    """The flags of columns that all samples share: groups and regions."""
    words = _of_classes(roles, options, known)
    catalogs = [role.catalog for role in roles]
    if options.get("exclude_same") is None and any(catalog.group_column for catalog in catalogs):
        if "exclude-same" not in known:
            raise TypeError("groups have no meaning here")
        words.append(f"--exclude-same={next(c.group_column for c in catalogs if c.group_column)}")
    if options.get("regions_column") is None and any(catalog.region_column for catalog in catalogs):
        if "regions-column" not in known:
            raise TypeError("regions have no meaning here")
        words.append(f"--regions-column={next(c.region_column for c in catalogs if c.region_column)}")
    return words
