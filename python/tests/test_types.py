"""Types and documentation of the package."""

import doctest
import importlib
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import albireo

FOLDER = pathlib.Path(albireo.__file__).parent


def test_examples_of_the_documentation():
    for name in ("albireo", "albireo.catalog", "albireo.dynamics", "albireo.fields", "albireo.measure", "albireo.operations", "albireo.result", "albireo.samples", "albireo.compat"):
        failed, tried = doctest.testmod(importlib.import_module(name))
        assert failed == 0 and tried > 0, name


@pytest.mark.parametrize("name", ["python", "pair_counts", "weights", "estimators", "jackknife", "liquids", "results", "exactness", "from-corrfunc", "from-treecorr", "from-mdanalysis"])
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


def test_signatures_name_every_flag():
    from albireo._native import native

    # What names files, or says how a result is printed, has no meaning for objects.
    of_files = {"output", "outputs", "format", "plot", "r2", "scale-by", "brief", "overwrite", "covariance", "region-counts", "counts", "from-part", "from-some-parts"}
    of_files |= {"resumable", "slice", "ions-output"}
    for name in ("count", "xi", "wp", "rdf", "randoms", "nz", "completeness", "field", "md"):
        known = set(inspect.signature(getattr(albireo, name)).parameters)
        if name == "field":
            known |= {"checkpoint", "checkpoint_every"}  # beside a map that has a name
        flags = {flag for flag, *_ in native().flags([name])} - of_files
        assert {flag.replace("-", "_") for flag in flags} <= known, name
    assert "wedges" in inspect.signature(albireo.multipoles).parameters and "pi_max" not in inspect.signature(albireo.xi).parameters


def test_misuse_is_found_before_a_program_runs(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "misuse.py"
    program.write_text("import albireo\nalbireo.xi('a.csv', bins='lin:0:1:2', los='up')\nalbireo.wp('a.csv', bins=[0, 1], pi_bins=[0, 1], thread=3)\n")
    options = ["--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache")]
    made = subprocess.run([sys.executable, "-m", "mypy", *options, str(program)], capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": str(FOLDER.parent)})
    assert 'incompatible type "Literal[\'up\']"' in made.stdout and "did you mean" in made.stdout, made.stdout
