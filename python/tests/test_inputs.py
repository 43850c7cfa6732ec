"""Arrays and tables of every library give the same integers."""

import numpy as np
import pytest
from conftest import double_loop

import albireo

EDGES = np.array([0.0, 5.0, 10.0, 20.0])


def expected(points):
    return double_loop(points, None, EDGES, 100.0)


def kinds(points):
    x, y, z = points.T.copy()
    wide = np.zeros((len(points), 8))
    wide[:, 1:4] = points
    structured = np.zeros(len(points), dtype=[("x", "f8"), ("flag", "i2"), ("y", "f8"), ("z", "f8"), ("name", "U3")])
    for name, column in zip("xyz", (x, y, z)):
        structured[name] = column
    yield "C order", points
    yield "Fortran order", np.asfortranarray(points)
    yield "columns of a wider array", wide[:, 1:4]
    yield "every second row", np.repeat(points, 2, axis=0)[::2]
    yield "rows backwards", points[::-1][::-1]
    yield "columns backwards", points[:, ::-1].copy()[:, ::-1]
    yield "big-endian", points.astype(">f8")
    yield "long double", points.astype(np.longdouble)
    yield "read only", np.frombuffer(points.tobytes()).reshape(-1, 3)
    yield "unaligned", np.frombuffer(b"0" + points.tobytes(), offset=1, dtype="f8").reshape(-1, 3)
    yield "tuple of columns", (x, y, z)
    yield "list of columns", [x, y, z]
    yield "tuple of strided columns", tuple(points.T)
    yield "lists of rows", points.tolist()
    yield "structured", structured
    yield "record array", structured.view(np.recarray)
    yield "mapping", {"x": x, "y": y, "z": z}
    yield "vector in a mapping", {"Position": points, "mass": x}
    yield "nothing masked", np.ma.MaskedArray(points, mask=False)
    yield "catalog", albireo.Catalog(points)


def test_every_kind_of_array(points):
    for name, data in kinds(points):
        found = albireo.count(data, bins=EDGES, box=100)
        assert np.array_equal(found.npairs, expected(points)), name
        assert found.npairs.dtype == np.uint64


def test_other_floats_and_integers_are_widened(points):
    for dtype in ("f4", "f2", "i8", "i4", "u2"):
        narrow = points.astype(dtype)
        found = albireo.count(narrow, bins=EDGES, box=101)
        assert np.array_equal(found.npairs, double_loop(narrow.astype("f8"), None, EDGES, 101.0)), dtype


def test_single_precision_stays_where_it_is(points):
    narrow = points.astype("f4")
    weights = np.linspace(0.5, 1.5, len(points)).astype("f4")
    known = albireo.count(narrow.astype("f8"), weights=weights.astype("f8"), bins=EDGES, box=101)
    wide = np.zeros((len(points), 5), dtype="f4")
    wide[:, 1:4] = narrow
    kinds = {
        "C order": narrow,
        "Fortran order": np.asfortranarray(narrow),
        "columns of a wider array": wide[:, 1:4],
        "rows backwards": narrow[::-1].copy()[::-1],
        "tuple of columns": tuple(narrow.T.copy()),
        "mixed columns": (narrow[:, 0], narrow[:, 1].astype("f8"), narrow[:, 2]),
        "big-endian": narrow.astype(">f4"),
        "unaligned": np.frombuffer(b"0" + narrow.tobytes(), offset=1, dtype="f4").reshape(-1, 3),
        "read only": np.frombuffer(narrow.tobytes(), dtype="f4").reshape(-1, 3),
    }
    for name, data in kinds.items():
        for kind in ("f4", "f8"):
            found = albireo.count(data, weights=weights.astype(kind), bins=EDGES, box=101)
            assert np.array_equal(found.npairs, known.npairs), name
            assert np.array_equal(found.weight, known.weight), name
    catalog = albireo.Catalog(narrow, weights=weights)
    assert all(np.shares_memory(values, array) for (_, values), array in zip(catalog.columns, (narrow, narrow, narrow, weights)))


def test_tables(points):
    x, y, z = points.T.copy()
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"name": ["a"] * len(x), "x": x, "y": y, "z": z})
    assert np.array_equal(albireo.count(frame, bins=EDGES, box=100).npairs, expected(points))
    assert np.array_equal(albireo.count(frame.iloc[::-1], bins=EDGES, box=100).npairs, expected(points))
    holed = frame.assign(y=frame.y.where(frame.index != 7))
    with pytest.raises(ValueError, match="y must be finite: found NaN in row 7"):
        albireo.count(holed, bins=EDGES)


def test_arrow(points):
    x, y, z = points.T.copy()
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"x": x, "y": y, "z": z})
    assert np.array_equal(albireo.count(table, bins=EDGES, box=100).npairs, expected(points))

    class Stream:
        """What knows no more than the Arrow C stream."""

        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    assert np.array_equal(albireo.count(Stream(), bins=EDGES, box=100).npairs, expected(points))
    holed = table.set_column(2, "z", pyarrow.array([None if k == 3 else v for k, v in enumerate(z)]))
    with pytest.raises(ValueError, match="z: the value in row 3 .* is missing"):
        albireo.count(holed, bins=EDGES)


def test_polars(points):
    x, y, z = points.T.copy()
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x": x, "y": y, "z": z})
    assert np.array_equal(albireo.count(frame, bins=EDGES, box=100).npairs, expected(points))
    with pytest.raises(ValueError, match="x: the value in row 5 .* is missing"):
        albireo.count(frame.with_columns(polars.Series("x", [None if k == 5 else v for k, v in enumerate(x)])), bins=EDGES)


def test_astropy(points, sky):
    table = pytest.importorskip("astropy.table")
    from astropy import units

    x, y, z = points.T.copy()
    plain = table.Table({"x": x, "y": y, "z": z})
    assert np.array_equal(albireo.count(plain, bins=EDGES, box=100).npairs, expected(points))
    found = albireo.count(table.QTable({"x": x * units.Mpc, "y": (y * units.Mpc).to(units.Mpc), "z": z * units.Mpc}), bins=EDGES, box=100)
    assert np.array_equal(found.npairs, expected(points)) and found.record["unit"] == "Mpc"
    kpc = albireo.count((x * units.Mpc, y * 1024 * units.kpc, z * units.Mpc), bins=EDGES)
    assert kpc.record["unit"] == "Mpc"
    assert np.array_equal(albireo.count(points * units.nm, bins=EDGES, box=100).npairs, expected(points))
    with pytest.raises(ValueError, match="y: expected a unit like Mpc, found s"):
        albireo.count((x * units.Mpc, y * units.s, z * units.Mpc), bins=EDGES)
    ra, dec, _ = sky
    degrees = albireo.count((ra * units.deg, (dec * units.deg)), statistic="theta", bins=[0, 1, 5])
    assert degrees == albireo.count((ra, dec), statistic="theta", bins=[0, 1, 5])
    radians = albireo.count((np.radians(ra) * units.rad, dec * units.deg), statistic="theta", bins=[0, 1, 5])
    assert abs(radians.npairs.astype(float) - degrees.npairs).max() <= 2
    with pytest.raises(ValueError, match="ra: expected an angle, found Mpc"):
        albireo.Catalog(sky=(ra * units.Mpc, dec))


def test_masked_values_are_refused_with_their_row(points):
    mask = np.zeros(points.shape, dtype=bool)
    mask[11, 2] = True
    with pytest.raises(ValueError, match=r"positions\[2\]: the value in row 11 .* is masked"):
        albireo.count(np.ma.MaskedArray(points, mask=mask), bins=EDGES)


def test_contiguous_float64_is_not_copied(points):
    for data in (points, np.asfortranarray(points), tuple(points.T)):
        columns = albireo.Catalog(data).columns
        assert all(np.shares_memory(values, data if isinstance(data, np.ndarray) else points) for _, values in columns)


def test_weights_follow_their_sample(points, others):
    w, v = np.linspace(0.5, 1.5, len(points)), np.linspace(2, 3, len(others))
    found = albireo.count(points, others, bins=[0, 20], weights=w, second_weights=v)
    d2 = ((points[:, None] - others[None]) ** 2).sum(-1)
    assert np.isclose(found.weight[0], (np.outer(w, v) * (d2 < 400)).sum(), rtol=1e-9)
    first = albireo.count(points, others, bins=[0, 20], weights=w)
    assert np.isclose(first.weight[0], (w[:, None] * (d2 < 400)).sum(), rtol=1e-9)
    same = albireo.count(albireo.Catalog(points, weights=w), albireo.Catalog(others, weights=v), bins=[0, 20])
    assert same == found
    named = albireo.count({"x": points[:, 0], "y": points[:, 1], "z": points[:, 2], "w": w}, bins=[0, 20], weight="w")
    assert named == albireo.count(points, bins=[0, 20], weights=w)


def test_random_catalogues_share_their_kind_of_weights(points, others):
    table = {"x": others[:, 0], "y": others[:, 1], "z": others[:, 2]}
    weighted = [albireo.Catalog(points + 1, weights=np.ones(len(points))), albireo.Catalog(table, weights=np.ones(len(others)))]
    made = albireo.xi(points, weighted[0], cross=others * 0.9, cross_randoms=weighted[1], bins=[1, 10, 20.0])
    bare = albireo.xi(points, points + 1, cross=others * 0.9, cross_randoms=others, bins=[1, 10, 20.0])
    assert np.allclose(made.xi, bare.xi, rtol=1e-9)
    with pytest.raises(ValueError, match="randoms_weight: all random catalogues have weights, or none"):
        albireo.xi(points, weighted[0], cross=others * 0.9, cross_randoms=others, weights=np.ones(len(points)), bins=[1, 10, 20.0])


def test_realisations_are_arrays_or_columns(points):
    draws = np.random.default_rng(4).integers(0, 2**16, (len(points), 2), dtype=np.uint16)
    table = dict(zip("xyz", points.T)) | {"draws": draws, "first": draws[:, 0]}
    made = albireo.count(points, bins=[0, 20], realisations=draws)
    assert len(made["realisation"]) == 32
    for other in (albireo.count(table, bins=[0, 20], realisations="draws"), albireo.count(points, bins=[0, 20], realisations=(draws[:, 0], draws[:, 1]))):
        np.testing.assert_array_equal(other["npairs"], made["npairs"])
    np.testing.assert_array_equal(albireo.count(table, bins=[0, 20], realisations="first")["npairs"], made["npairs"][:16])
    on = (draws[:, 0] & 1) == 1
    assert made["npairs"][0] == albireo.count(points[on], bins=[0, 20]).npairs[0]
    weighed = albireo.count(table, bins=[0, 20], bits="draws").weight
    np.testing.assert_array_equal(weighed, albireo.count(points, bins=[0, 20], bits=draws).weight)


def test_bits_and_groups(points):
    bits = np.random.default_rng(3).integers(0, 2**31, (len(points), 2), dtype=np.int32) | 1
    found = albireo.count(points, bins=[0, 20], bits=bits)
    assert found.record["samples"][0]["bits"] == ["bits[0]", "bits[1]"] and np.isfinite(found.weight).all()
    groups = np.arange(len(points)) // 2
    alone = albireo.count(points, bins=[0, 200.0], group=groups)
    mixed = albireo.count(points, {"x": points[:, 0], "y": points[:, 1], "z": points[:, 2]}, bins=[0, 200.0], group=groups, second_group=groups)
    assert mixed.npairs[0] == len(points) ** 2 - 2 * len(points)
    assert alone.npairs[0] == len(points) * (len(points) - 1) // 2 - len(points) // 2


def test_rows_against_themselves_are_warned_of_unless_groups_leave_self_pairs_out(points, caplog):
    row = np.arange(len(points))
    apart = albireo.count(points, points, bins=[0, 200.0], group=row, second_group=row)
    assert apart.npairs[0] == len(points) * (len(points) - 1) and "same rows" not in caplog.text
    assert albireo.count(points, points, bins=[0, 200.0]).npairs[0] == len(points) ** 2 and "same rows" in caplog.text


def test_conditions_and_expressions_of_tables_are_those_of_files(tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(8)
    rows = 300
    table = {name: rng.random(rows) * 10 for name in "xyz"}
    table |= {"mag": -17 - 5 * rng.random(rows), "w": rng.random(rows), "fkp": rng.random(rows), "id": np.arange(rows)}
    table |= {"kind": np.array(["ELG", "LRG", "QSO"] * (rows // 3)), "odd": np.full(rows, np.nan)}
    path = tmp_path / "table.csv"
    pandas.DataFrame(table).to_csv(path, index=False)
    given = {"bins": [0, 1, 2, 3.0], "box": 10}
    for options in (
        {"where": 'mag < -20 and kind == "ELG"', "weight": "w*fkp"},
        {"where": "abs(x - 5) < 2 or id >= 290"},
        {"rows": "10:200", "every": 3},
        {"weight": "sqrt(w)"},
        {"where": "kind != 'LRG'", "second": table, "second_where": "mag > -19", "second_weight": "fkp", "weight": "w"},
    ):
        others = {"second": path} if "second" in options else {}
        for columns in (table, pandas.DataFrame(table)):
            made, expected = albireo.count(columns, **given, **options), albireo.count(path, **given, **options | others)
            assert made == expected and made.npairs.sum() > 0
            used = [[sample[key] for key in ("rows_read", "rows_used")] for sample in made.record["samples"] + expected.record["samples"]]
            assert used[: len(used) // 2] == used[len(used) // 2 :]
    with pytest.raises(ValueError, match=r"no column `magg` \(did you mean `mag`\?\)"):
        albireo.count(table, **given, where="magg < -20")
    points = np.stack([table[name] for name in "xyz"], axis=1)
    assert (albireo.count(points, **given, where="x < 5").npairs == albireo.count(points[table["x"] < 5], **given).npairs).all()


def test_randoms_like_some_rows_are_like_these():
    rng = np.random.default_rng(9)
    table = {"RA": 100 + 10 * rng.random(300), "DEC": 10 * rng.random(300), "Z": 0.1 * rng.random(300)}
    made = albireo.randoms(50, like=table, nside=8, seed=1, where="Z < 0.02")
    assert made["Z"].max() < 0.02


def test_what_stands_beside_a_table_does_not_matter():
    table = pytest.importorskip("astropy.table")
    unit = pytest.importorskip("astropy.units")
    rng = np.random.default_rng(10)
    points = {name: rng.random(200) * 10 for name in "xyz"}
    made = table.QTable({"rvir": rng.random(200) * 500 * unit.kpc, "mass": rng.random(200) * 1e13, **{name: values * unit.Mpc for name, values in points.items()}})
    made["flag"] = rng.random(200) < 0.5
    given = {"bins": [0, 1, 2, 3.0], "box": 10}
    for where, kept in (("mass > 5e12", made["mass"] > 5e12), ("rvir < 250", made["rvir"].value < 250), ("not flag", ~made["flag"]), ("x < 5", points["x"] < 5)):
        counted = albireo.count(made, **given, where=where)
        expected = albireo.count(np.stack([points[name] for name in "xyz"], axis=1)[kept], **given)
        assert (counted.npairs == expected.npairs).all() and counted.record["unit"] == "Mpc", where
    for where, says in (("~flag", "flag: it is true or false: write `not flag`"), ("rvir < 3 and vmax > 3", "no column `vmax`")):
        with pytest.raises(ValueError, match=says):
            albireo.count(made, **given, where=where)
    degrees = table.QTable({"RA": rng.random(50) * unit.rad, "DEC": rng.random(50) * unit.rad})
    with pytest.raises(ValueError, match="DEC: a condition or expression is about it, and its unit is converted"):
        albireo.count(degrees, statistic="theta", bins=[0.1, 1, 5.0], where="DEC > 0.5")
    # Whole numbers of 64 bits keep their bits, columns of other lengths and texts that miss are no matter unless they are asked for.
    ids = np.array([2**60 + 2, 2**60 + 1] * 100)
    mixed = {**points, "id": ids, "edges": np.arange(4.0), "kind": np.array(["a", None] * 100, dtype=object)}
    assert albireo.count(mixed, **given, where="id & 2 != 0 and y < 20").record["samples"][0]["rows_used"] == 100
    with pytest.raises(ValueError, match="kind"):
        albireo.count(mixed, **given, where="kind == 'a'")
