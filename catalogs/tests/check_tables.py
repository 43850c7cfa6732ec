"""Reads the files with json, astropy, numpy, pandas and pyarrow; compares every value with its bits, given in hexadecimal.

    python check_tables.py FOLDER '{"column": ["bits", ...], ...}'
"""

import json
import math
import struct
import sys

folder, bits = sys.argv[1], json.loads(sys.argv[2])

def check(name, columns, only=tuple(bits)):
    for column in only:
        expected = bits[column]
        got = list(columns[column])
        assert len(got) == len(expected), (name, column, len(got))
        for k, (value, want) in enumerate(zip(got, expected)):
            if column == "DD":
                ok = int(value) == int(want, 16)
            else:
                want = struct.unpack(">d", bytes.fromhex(want))[0]
                value = float("nan") if value is None else float(value)
                ok = (math.isnan(want) and math.isnan(value)) or struct.pack(">d", value) == struct.pack(">d", want)
            assert ok, (name, column, k, value, want)


def meta_ok(name, meta):
    assert meta["BoxSize"] == 420.0 and meta["tiny"] == 1e-7 and meta["huge"] == 1.5e300, (name, meta)
    assert meta["pairs"] == 2**64 - 1 and meta["edges"] == [0.1, 1, 2.5] and meta["nothing"] is None, (name, meta)
    assert meta["inputs"][1]["path"] == "\u00e7\"\n\t\\.h5" and meta["looks like a number"] == "1e5", (name, meta)


def refuse(word):
    raise ValueError("not strict JSON: " + word)


with open(folder + "/r.json", encoding="utf-8") as f:
    data = json.load(f, parse_constant=refuse)
check("json", data["data"])
meta_ok("json", data["meta"])

try:
    from astropy.table import Table
    t = Table.read(folder + "/r.ecsv", format="ascii.ecsv")
    check("ecsv", t)
    meta_ok("ecsv", t.meta)
    assert "Mpc" in str(t["r_min"].unit), t["r_min"].unit
    assert t["r_min"].description == 'lower edge: inclusive, "exact"', t["r_min"].description
    assert str(t["DD"].dtype) == "uint64"
    t = Table.read(folder + "/r.fits")
    check("fits", t)
    described = json.loads(t.meta["ALBIREO"])
    meta_ok("fits", described["meta"])
    assert [column["name"] for column in described["columns"]] == t.colnames == list(bits), t.colnames
    assert "Mpc" in str(t["r_min"].unit), t["r_min"].unit
    assert str(t["DD"].dtype.newbyteorder("=")) == "uint64", t["DD"].dtype
    t = Table.read(folder + "/r.csv", format="ascii.csv")
    assert t.colnames == list(bits), t.colnames
    print("astropy read them")
except ModuleNotFoundError as error:
    print("skipped:", error)

with open(folder + "/r.csv.json", encoding="utf-8") as f:
    meta_ok("record", json.load(f, parse_constant=refuse)["meta"])

try:
    import numpy as np
    t = np.genfromtxt(folder + "/plain.csv", delimiter=",", names=True)
    assert t.dtype.names == ("r_min", "DD"), t.dtype.names
    check("genfromtxt", t, ["r_min"])
    assert list(t["DD"]) == [float(int(value, 16)) for value in bits["DD"]], t["DD"]
    print("numpy read it")
except ModuleNotFoundError as error:
    print("skipped:", error)

try:
    import pandas
    t = pandas.read_csv(folder + "/r.csv", float_precision="round_trip")
    assert list(t.columns) == list(bits), t.columns
    check("pandas", t)
    assert str(t["DD"].dtype) == "uint64", t.dtypes
    assert list(pandas.read_csv(folder + "/r.csv")["DD"]) == [int(value, 16) for value in bits["DD"]]
    print("pandas read it")
except ModuleNotFoundError as error:
    print("skipped:", error)

try:
    import pyarrow.parquet as pq
    t = pq.read_table(folder + "/r.parquet")
    check("parquet", {n: t[n].to_pylist() for n in t.column_names})
    meta_ok("parquet", json.loads(t.schema.metadata[b"albireo"])["meta"])
    assert str(t.schema.field("DD").type) == "uint64"
    print("pyarrow read them")
except ModuleNotFoundError as error:
    print("skipped:", error)

try:
    import h5py
    with h5py.File(folder + "/r.h5") as t:
        check("h5py", {n: t[n][()] for n in bits})
        meta_ok("h5py", json.loads(t["albireo"][()])["meta"])
        assert t["DD"].dtype == "uint64" and t["r_min"].dtype == "float64", t["DD"].dtype
        units, said = (t["r_min"].attrs[key].decode() for key in ("units", "description"))
        assert (units, said) == ("Mpc/h", 'lower edge: inclusive, "exact"'), (units, said)
        assert t.attrs["BoxSize"] == 420.0 and t.attrs["pairs"] == 2**64 - 1 and t.attrs["offset"] == -(2**63)
        assert list(t.attrs["edges"]) == [0.1, 1, 2.5] and json.loads(t.attrs["inputs"])[0]["rows"] == 3
        assert t.attrs["engine"] == b"cpu: 4 threads # avx2", t.attrs["engine"]
    with h5py.File(folder + "/wide.hdf5") as t:
        assert len(t) == 101 and t["C|N 99"][0] == 0.5 and "log" not in t.attrs and len(t.attrs["text 39"]) == 30_000
    print("h5py read them")
except ModuleNotFoundError as error:
    print("skipped:", error)
