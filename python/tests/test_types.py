"""Types and documentation of the package."""

import doctest
import importlib
import inspect
import pathlib
import subprocess
import sys

import pytest

import albireo

FOLDER = pathlib.Path(albireo.__file__).parent


def test_examples_of_the_documentation():
    for name in ("albireo", "albireo.catalog", "albireo.measure", "albireo.samples", "albireo.compat"):
        failed, tried = doctest.testmod(importlib.import_module(name))
        assert failed == 0 and tried > 0, name


@pytest.mark.parametrize("name", ["python", "pair_counts", "weights", "estimators", "jackknife", "rdf"])
def test_examples_of_the_pages(name):
    page = pathlib.Path(__file__).parents[2] / "docs" / f"{name}.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert failed == 0 and tried > 1


def test_everything_public_is_described():
    for name in albireo.__all__:
        one = getattr(albireo, name)
        assert inspect.getdoc(one), name
        for member, value in vars(one).items() if inspect.isclass(one) else ():
            if not member.startswith("_"):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_the_package_is_typed():
    pytest.importorskip("mypy")
    where = ["-p", "albireo"] if FOLDER.parent.name == "site-packages" else [str(FOLDER)]
    made = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", *where], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout


def test_the_stub_names_what_the_module_has():
    from albireo._native import native

    stub = (FOLDER / "_albireo.pyi").read_text()
    for name in dir(native()):
        if not name.startswith("_"):
            assert f"def {name}(" in stub or f"class {name}:" in stub, name
    for name in dir(native().Table):
        if not name.startswith("_"):
            assert f"def {name}(" in stub, name


def test_importing_loads_nothing_heavy():
    program = "import sys, numpy; before = set(sys.modules); import albireo; print(*(set(sys.modules) - before))"
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"albireo._albireo", "pandas", "astropy", "matplotlib", "tqdm", "xarray", "pyarrow", "polars", "MDAnalysis", "freud", "nvidia"}
    assert not heavy & set(made)
