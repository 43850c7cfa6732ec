"""Operations on results in memory, against those of the command line on files."""

import subprocess
import sys
import tempfile

import numpy as np
import pytest

import albireo

EDGES = [0, 0.5, 1, 2, 3, 4, 6.0]
SIGNED = {"statistic": "rp-pi", "bins": [0, 2, 4.0], "pi_bins": [-4, -2, 0, 2, 4.0], "box": 20}


def catalog(seed: int) -> albireo.Catalog:
    rng = np.random.default_rng(seed)
    number = 150 + 10 * seed
    return albireo.Catalog(rng.random((number, 3)) * 20, weights=np.exp(rng.normal(0, 3, number)))


@pytest.fixture(scope="module")
def counts() -> list[albireo.Result]:
    """Weighted pair counts of three realisations."""
    return [albireo.count(catalog(seed), bins=EDGES, box=20, mean_separation=True) for seed in (1, 2, 3)]


@pytest.fixture
def no_files(monkeypatch):
    """Has whatever makes a temporary file fail."""

    def fails(*arguments, **options):
        raise AssertionError("a temporary file")

    for name in ("mkdtemp", "mkstemp", "NamedTemporaryFile", "TemporaryDirectory"):
        monkeypatch.setattr(tempfile, name, fails)


def test_sums_of_weights_are_the_same_in_any_order(counts, no_files):
    a, b, c = counts
    x, y, z = (one.weight for one in counts)
    assert ((x + y) + z != x + (y + z)).any(), "float64 would do"
    merged = albireo.merge(a, b, c)
    assert (a + b) + c == a + (b + c) == c + b + a == sum([b, a, c]) == merged == albireo.merge(c, b, a)
    assert "weight_rest" in merged.columns, "float64 would do"
    assert (merged.npairs == a.npairs + b.npairs + c.npairs).all() and np.allclose(merged.weight, x + y + z, rtol=1e-14)
    assert merged.total == ((a + b) + c).total == (a + (b + c)).total == pytest.approx(a.total + b.total + c.total, rel=1e-15)


@pytest.mark.parametrize("extension", ["csv", "ecsv", "fits", "h5", "json", "parquet"])
def test_sums_are_those_of_the_command_line(tmp_path, counts, extension):
    files = [str(tmp_path / f"{k}.{extension}") for k in range(3)]
    for one, file in zip(counts, files, strict=True):
        one.save(file)
    to = tmp_path / f"sum.{extension}"
    words = ["result", "sum", *files, "-o", str(to)]
    made = subprocess.run([sys.executable, "-m", "albireo", *words], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    written = albireo.load(to)
    assert written == sum(counts) == albireo.merge(*counts) == albireo.merge(*(albireo.load(file) for file in files))
    assert written.total == albireo.merge(*counts).total


def test_records_say_what_was_done(counts):
    a, b, _ = counts
    both, coarse = a + b, a.rebin(2)
    assert both.record["command"] == "albireo result sum 'result 1' 'result 2'"
    assert [one["path"] for one in both.record["realisations"]] == ["result 1", "result 2"]
    assert [one["samples"] for one in both.record["realisations"]] == [a.record["samples"], b.record["samples"]]
    assert coarse.record["command"] == "albireo result rebin 'the result' --by=2"
    assert coarse.record["made_from"] == {"path": "the result", "command": a.record["command"]}
    assert a.slice(-1, 2).record["command"] == "albireo result slice 'the result' --range=-1.0:2.0"


def test_bins_are_put_together_and_taken_apart(no_files):
    fine = albireo.count(catalog(4), **SIGNED)
    unsigned = albireo.count(catalog(4), **{**SIGNED, "pi_bins": [0, 2, 4.0]})
    assert fine.wrap() == unsigned
    assert fine.slice(0, 2).concatenate(fine.slice(2, 4)) == fine
    lower, upper = (fine.operation("slice", pi_range=ends) for ends in ("-4:-2", "-2:4"))
    assert lower.concatenate(upper) == fine and lower.shape == (2, 1)
    with pytest.raises(ValueError, match="keep a bin below 0, or wrap both signs first"):
        fine.operation("slice", pi_range="0:4")
    assert fine.rebin(2, pi_by=4) == albireo.count(catalog(4), **{**SIGNED, "bins": [0, 4.0], "pi_bins": [-4, 4.0]})


def test_counts_get_another_total(counts, no_files):
    one = counts[0]
    made = one.renormalise(7)
    assert made.total == 7 and (made.npairs == one.npairs).all() and made.record["renormalised_by"] == 7 / one.total
    assert np.allclose(made.weight, one.weight * (7 / one.total), rtol=1e-9)


def test_estimates_of_mocks_have_a_covariance(no_files):
    mocks = [albireo.xi(catalog(seed), bins=[0, 2, 4.0], box=20) for seed in range(5, 10)]
    made = mocks[0].operation("covariance", others=mocks[1:])
    expected = np.cov(np.array([mock.xi for mock in mocks]).T)
    assert np.allclose(made["covariance"].reshape(2, 2), expected)
    with pytest.raises(ValueError, match="^result 2 is no realisation of what result 1 measures"):
        mocks[0].operation("covariance", others=[mocks[1].slice(0, 2)])
