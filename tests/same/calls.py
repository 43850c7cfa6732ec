"""A plugin of pytest: keeps what every call of the compiled module returned or refused, under the name of the test.

ALBIREO_SAME_LOG names the file of entries, a line each.
"""

import json
import os

import plain
import pytest
from albireo._native import native

now = {"test": ""}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    now["test"] = item.nodeid.removeprefix("python/tests/")


def of_table(table):
    """The digest of a result's columns and record."""
    lines = [f"{name} [{table.unit(name)}] {table.description(name)}: {plain.array(table.column(name))}" for name in table.names()]
    return plain.digest(plain.text("\n".join([*lines, table.record()]), os.getcwd()))


def recorded(call):
    def calls(*arguments, **options):
        code, outputs, said = 0, {}, ""
        try:
            made = call(*arguments, **options)
            outputs = {name or "result": of_table(table) for name, table in made[0]}
            outputs["text"] = plain.digest(plain.text(made[1], os.getcwd()))
            return made
        except Exception as error:
            code, said = 1, plain.text(f"{type(error).__name__}: {error}", os.getcwd())
            raise
        finally:
            with open(os.environ["ALBIREO_SAME_LOG"], "a") as file:
                file.write(json.dumps([now["test"], code, outputs, said]) + "\n")

    return calls


native().call = recorded(native().call)
