"""A plugin of pytest: keeps what every call of the compiled module returned or refused, under the name of the test.

ALBIREO_SAME_LOG names the file of entries, a line each.
"""

import json
import os
import re

import albireo
import plain
import pytest
from albireo._native import native

LOG = os.environ["ALBIREO_SAME_LOG"]
now = {"test": ""}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    now["test"] = item.nodeid.removeprefix("python/tests/")


# Folders of files that stand for results, engines of builds with CUDA, and digests of files: those that h5py and others write name their version.
PASSING = {r"/tmp/albireo-\w+": "/tmp/albireo-0", r", cuda, cuda\+cpu\b": "", r"\b[0-9a-f]{64}\b": "0"}


def text(said):
    """A text without what passes and the folders of the package and of the tests."""
    said = said.replace(os.path.dirname(albireo.__file__), "albireo")
    said = plain.text(said, os.path.dirname(LOG))
    for pattern, instead in PASSING.items():
        said = re.sub(pattern, instead, said)
    return said


def of_table(table):
    """The digest of a result's columns and record."""
    lines = [f"{name} [{table.unit(name)}] {table.description(name)}: {plain.array(table.column(name))}" for name in table.names()]
    return plain.digest("\n".join([*lines, text(table.record())]))


def recorded(call, outcome):
    """The call, which keeps the tables and the text that `outcome` takes from what it returns."""

    def calls(*arguments, **options):
        code, outputs, said = 0, {}, ""
        try:
            made = call(*arguments, **options)
            tables, printed = outcome(made)
            outputs = {name or "result": of_table(table) for name, table in tables}
            outputs["text"] = plain.digest(text(printed))
            return made
        except Exception as error:
            code, said = 1, text(f"{type(error).__name__}: {error}")
            raise
        finally:
            with open(LOG, "a") as file:
                file.write(json.dumps([now["test"], code, outputs, said]) + "\n")

    return calls


native().call = recorded(native().call, lambda made: made)
native().operate = recorded(native().operate, lambda made: ([] if made is None else [(None, made)], ""))
