"""g(r) of tables in memory: frames, species, vectors and planes are what they are in a file of the same table."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import double_loop

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


FRAME = np.repeat(np.arange(3), N // 3)
PLAIN: dict[str, Any] = {name: COLUMNS[name] for name in "xyz"}
#: Tables by what is special about them; vectors are arrays of two dimensions.
TABLES: dict[str, dict[str, Any]] = {
    "frames": {"frame": FRAME, **PLAIN},
    "frames of species": {"frame": FRAME, **COLUMNS},
    "frames in boxes": {"frame": FRAME, **COLUMNS, **{name: 6.0 + FRAME for name in ("lx", "ly", "lz")}},
    "one frame": {"frame": 0 * FRAME, **COLUMNS},
    "vectors": {"position": POINTS},
    "vectors with species": {"position": POINTS, "species": KINDS},
    "vectors of frames": {"position": POINTS, "frame": FRAME},
    "vectors by another name": {"Coordinates": POINTS, "species": KINDS},
    "plane": {"x": POINTS[:, 0], "y": POINTS[:, 1], "species": KINDS},
    "vectors in a plane": {"position": POINTS[:, :2].copy(), "frame": FRAME},
}
#: What the same tables in files are refused for.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "step": ({"step": FRAME, **COLUMNS}, r"several frames \(column `step`, 0 to 2\)"),
    "TimeStep": ({"TimeStep": FRAME, **PLAIN}, r"several frames \(column `TimeStep`, 0 to 2\)"),
    "vectors by another name": ({"pos": POINTS, "frame": FRAME}, r"several frames \(column `frame`, 0 to 2\)"),
    "scattered": ({"frame": np.arange(N) % 3, **PLAIN}, "expected the rows of a frame together"),
    "no whole numbers": ({"frame": FRAME + 0.5, **PLAIN}, "several frames"),
    "plane": ({"x": POINTS[:, 0], "y": POINTS[:, 1]}, "no positions found"),
}


def _arrow(columns: dict[str, Any]) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    vectors = {name: pyarrow.FixedSizeListArray.from_arrays(values.ravel(), values.shape[1]) for name, values in columns.items() if values.ndim == 2}
    return pyarrow.table({**columns, **vectors})


def _pandas(columns: dict[str, Any]) -> Any:
    return pytest.importorskip("pandas").DataFrame({name: list(values) if values.ndim == 2 else values for name, values in columns.items()})


def _lists(columns: dict[str, Any]) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table({name: values.tolist() for name, values in columns.items()})


OF_COLUMNS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dict": dict,
    "lists": lambda columns: {name: values.tolist() for name, values in columns.items()},
    "astropy": lambda columns: pytest.importorskip("astropy.table").Table(columns),
    "pyarrow": _arrow,
    "pyarrow lists": _lists,
    "pandas": _pandas,
    "catalog": albireo.Catalog,
}


def _file(columns: dict[str, Any], folder: Path) -> Path:
    """The table in FITS, which has vectors."""
    pytest.importorskip("astropy.table").Table(columns).write(folder / "t.fits")
    return folder / "t.fits"


@pytest.mark.parametrize("table", TABLES)
def test_tables_are_what_they_are_in_files(table: str, tmp_path: Path) -> None:
    expected = albireo.rdf(_file(TABLES[table], tmp_path), **GIVEN)
    for kind, make in OF_COLUMNS.items():
        found = albireo.rdf(make(TABLES[table]), **GIVEN)
        assert found.columns == expected.columns, kind
        for name in found.columns:
            assert np.array_equal(found[name], expected[name], equal_nan=found[name].dtype.kind == "f"), (kind, name)


def test_frames_of_a_table_are_counted_one_by_one() -> None:
    edges = np.linspace(0, 2.5, 6)
    expected = sum(double_loop(POINTS[FRAME == k], None, edges, 6.0).astype(int) for k in range(3))
    assert (albireo.rdf(TABLES["frames"], **GIVEN).npairs == expected).all()
    assert (albireo.rdf(TABLES["vectors of frames"], **GIVEN).npairs == expected).all()
    last = double_loop(POINTS[FRAME == 2], None, edges, 6.0)
    assert (albireo.rdf(TABLES["frames"], frames="2:", **GIVEN).npairs == last).all()
    # The column of another name is named, boxes are those of the rows.
    assert (albireo.rdf({"step": FRAME, **PLAIN}, frame_column="step", **GIVEN).npairs == expected).all()
    boxed = albireo.rdf(TABLES["frames in boxes"], r_max=2.5, n_bins=5, species=None)
    assert (boxed.npairs == sum(double_loop(POINTS[FRAME == k], None, edges, 6.0 + k).astype(int) for k in range(3))).all()


@pytest.mark.parametrize("table", REFUSED)
def test_what_is_refused_of_files_is_refused_in_memory(table: str, tmp_path: Path) -> None:
    columns, told = REFUSED[table]
    for make in (*OF_COLUMNS.values(), lambda columns: _file(columns, tmp_path)):
        with pytest.raises(ValueError, match=told):
            albireo.rdf(make(columns), **GIVEN)


@pytest.mark.parametrize("kind", OF_COLUMNS)
def test_frames_are_not_superposed_by_other_measurements(kind: str) -> None:
    data = OF_COLUMNS[kind](TABLES["frames"])
    several = r"<data>: particles of several frames \(column `frame`, 0 to 2\) .* by handing over its rows alone"
    for measure in (
        lambda: albireo.count(data, bins=[0, 1, 2]),
        lambda: albireo.xi(data, bins=[0, 1, 2], box=6),
        lambda: albireo.wp(data, bins=[0.1, 1, 2], pi_bins=[0, 1, 2], box=6),
        lambda: albireo.rdf(data, POINTS, **GIVEN),
    ):
        with pytest.raises(ValueError, match=several):
            measure()
    one = OF_COLUMNS[kind]({"frame": 0 * FRAME, **PLAIN})
    assert albireo.count(one, bins=[0, 1, 2]) == albireo.count(POINTS, bins=[0, 1, 2])


def test_frames_of_objects_on_the_sky_are_another_matter() -> None:
    sky = {"ra": POINTS[:, 0], "dec": POINTS[:, 1], "frame": FRAME}
    found = albireo.count(sky, statistic="theta", bins=[0, 1, 2])
    assert found == albireo.count((POINTS[:, 0], POINTS[:, 1]), statistic="theta", bins=[0, 1, 2])


def test_species_beside_positions_are_those_of_a_catalog() -> None:
    catalog = albireo.Catalog(POINTS, species=KINDS)
    expected = albireo.rdf(COLUMNS, **GIVEN)
    for found in (albireo.rdf(catalog, **GIVEN), albireo.rdf(tuple(POINTS.T), species=KINDS, **GIVEN)):
        assert all(np.array_equal(found[name], expected[name], equal_nan=True) for name in expected.columns)
    with pytest.raises(ValueError, match="columns of one sample must be equally long|`species` has 3"):
        albireo.rdf(albireo.Catalog(POINTS, species=["O", "H", "H"]), **GIVEN)


def test_values_that_are_no_column_of_the_table_are_passed_over() -> None:
    table = {**PLAIN, "species": KINDS, "box": 6.0, "edges": np.arange(4.0), "note": {"made": "here"}, "time": np.float64(3)}
    assert (albireo.rdf(table, **GIVEN)["npairs_O-O"] == albireo.rdf(COLUMNS, **GIVEN)["npairs_O-O"]).all()


def test_particles_in_a_plane_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    albireo.rdf(TABLES["plane"], **GIVEN)
    assert "lie in a plane normal to z" in caplog.text
    caplog.clear()
    albireo.rdf(TABLES["plane"], plane="xy", **GIVEN)
    albireo.rdf(COLUMNS, **GIVEN)
    assert "plane" not in caplog.text


def test_vectors_of_different_lengths_are_refused() -> None:
    rows: list[Any] = POINTS.tolist()
    rows[5] = [1.0, 2.0]
    with pytest.raises(ValueError, match="position: expected vectors of one length"):
        albireo.rdf({"position": rows}, **GIVEN)


def test_lists_are_edges_of_heights_and_conditions_one_by_one():
    frames = np.stack([POINTS, POINTS + 0.1])
    made = albireo.rdf(frames, box=7, bins=[0, 1, 2.0], cylinder="z", heights=[0, 1, 2.5])
    assert made.npairs.shape == (2, 2) and made["z_hi"].max() == 2.5
    parts = albireo.rdf(frames, **GIVEN | {"box": 7}, select=["low=z<3", "high=z>=3"])
    assert parts.record["selections"]["select"] == {"low": "z<3", "high": "z>=3"}
