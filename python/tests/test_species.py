"""g(r) of tables with species: partials wherever species are known, as of the same table in a file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import albireo

N = 90
KINDS = np.array(["O", "H", "H"] * (N // 3))
POINTS = np.random.default_rng(5).random((N, 3)) * 6
COLUMNS: dict[str, Any] = {"species": KINDS, "x": POINTS[:, 0], "y": POINTS[:, 1], "z": POINTS[:, 2]}
GIVEN: dict[str, Any] = {"box": 6, "r_max": 2.5, "n_bins": 5}


def _structured() -> Any:
    made = np.zeros(N, dtype=[("species", "U2"), ("x", "f8"), ("y", "f8"), ("z", "f8")])
    for name, values in COLUMNS.items():
        made[name] = values
    return made


MAKE: dict[str, Callable[[], Any]] = {
    "dict": lambda: COLUMNS,
    "structured": _structured,
    "pandas": lambda: pytest.importorskip("pandas").DataFrame(COLUMNS),
    "pyarrow": lambda: pytest.importorskip("pyarrow").table(COLUMNS),
    "astropy": lambda: pytest.importorskip("astropy.table").Table(COLUMNS),
    "bytes": lambda: {**COLUMNS, "species": KINDS.astype("S2")},
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("species") / "water.csv"
    rows = [f"{kind},{x!r},{y!r},{z!r}" for kind, (x, y, z) in zip(KINDS, POINTS.tolist())]
    path.write_text("species,x,y,z\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("kind", MAKE)
def test_tables_with_species_give_the_partials_of_the_file(kind: str, file: Path) -> None:
    data = MAKE[kind]()
    for flags in ({}, {"pairs": "O-H"}, {"where": "x < 3"}):
        found, expected = (albireo.rdf(source, **GIVEN, **flags) for source in (data, file))
        assert found.columns == expected.columns
        for name in found.columns:
            assert np.array_equal(found[name], expected[name], equal_nan=found[name].dtype.kind == "f"), name
    assert {"g_H-H", "g_H-O", "g_O-O"} <= set(albireo.rdf(data, **GIVEN).columns)


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("species", [None, "none"])
def test_none_makes_all_particles_alike(kind: str, species: Any, file: Path) -> None:
    plain = albireo.rdf(POINTS, **GIVEN)
    for data in (MAKE[kind](), file, POINTS):
        found = albireo.rdf(data, species=species, **GIVEN)
        assert "g" in found.columns and (found.npairs == plain.npairs).all() and np.allclose(found.g, plain.g, rtol=1e-12)


def test_groups_and_species_beside_a_table_are_columns_of_it() -> None:
    molecule = np.arange(N) // 3
    beside = albireo.rdf(COLUMNS, group=molecule, **GIVEN)
    within = albireo.rdf({**COLUMNS, "molecule": molecule}, group="molecule", **GIVEN)
    assert all(np.array_equal(beside[name], within[name], equal_nan=True) for name in within.columns)
    swapped = np.where(KINDS == "O", "H", "O")
    found = albireo.rdf(COLUMNS, species=swapped, **GIVEN)
    assert (found["npairs_O-O"] == albireo.rdf(COLUMNS, **GIVEN)["npairs_H-H"]).all()


def test_a_missing_species_is_refused() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(COLUMNS)
    table.loc[7, "species"] = None
    with pytest.raises(ValueError, match="species: the value in row 7"):
        albireo.rdf(table, **GIVEN)
