"""Writes the reference pages of the site: commands.md from the program's own help, api.md from the documentation of the package.

    python docs/reference.py FOLDER
"""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import albireo
import albireo.compat.corrfunc.mocks
import albireo.compat.corrfunc.theory

COMMAND = [sys.executable, "-m", "albireo"]


def help_of(*words):
    """The help of a subcommand."""
    return subprocess.run([*COMMAND, *words, "--help"], capture_output=True, text=True, check=True).stdout


def commands():
    """All subcommands, one section each."""
    text = help_of()
    listed = text.split("Commands:\n")[1].split("\n\n")[0]
    names = [name for name in re.findall(r"^  ([a-z][a-z-]*)", listed, flags=re.M) if name != "help"]
    sections = [f"# Command line\n\n```text\n{text}```\n"]
    sections += [f"## albireo {name}\n\n```text\n{help_of(name)}```\n" for name in names]
    return "\n".join(sections)


def described(name, value, level="##"):
    """A function or class with its signature and documentation."""
    try:
        # Its own arguments; the flags behind them are those of the command.
        signature = str(inspect.signature(inspect.unwrap(value) if inspect.isfunction(value) else value))
    except (TypeError, ValueError):
        signature = ""
    documentation = inspect.getdoc(value) or ""
    return f"{level} {name}\n\n```python\n{name}{signature}\n```\n\n```text\n{documentation}\n```\n"


def api():
    """Everything public."""
    sections = ["# Python API\n"]
    for name in albireo.__all__:
        value = getattr(albireo, name)
        if inspect.ismodule(value):
            continue
        sections.append(described(f"albireo.{name}", value))
        if inspect.isclass(value):
            members = [(key, member) for key, member in vars(value).items() if not key.startswith("_") and inspect.getdoc(member)]
            sections += [described(key, member, "###") for key, member in members if callable(member)]
            properties = [f"- `{key}`: {inspect.getdoc(member)}" for key, member in members if isinstance(member, property)]
            sections.append("\n".join(properties) + "\n")
    for module in (albireo.compat.corrfunc.theory, albireo.compat.corrfunc.mocks):
        public = [(key, value) for key, value in vars(module).items() if inspect.isfunction(value) and value.__module__ == module.__name__ and key[0] != "_"]
        sections += [described(f"{module.__name__}.{key}", value) for key, value in public]
    return "\n".join(sections)


folder = Path(sys.argv[1])
(folder / "commands.md").write_text(commands())
(folder / "api.md").write_text(api())
