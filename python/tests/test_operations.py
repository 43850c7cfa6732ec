"""Operations on results in memory, against those of the command line on files."""

import inspect
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
    """Makes every temporary file fail."""

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


def commanded(folder, words: list, **results: albireo.Result) -> albireo.Result:
    """What the command line makes of these results in files."""
    for name, one in results.items():
        one.save(folder / f"{name}.json")
    named = [f"{folder}/{word}.json" if word in results else word for word in words]
    made = subprocess.run([sys.executable, "-m", "albireo", "result", *named, "-o", str(folder / "made.json")], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return albireo.load(folder / "made.json")


def test_every_operation_of_the_command_line_is_there():
    from albireo._native import native

    _, text = native().call(["albireo", "result", "--help"], {}, {}, [])
    commands = text.split("Commands:\n")[1].split("\n\n")[0]
    names = {line.split()[0] for line in commands.splitlines() if line.startswith("  ") and not line.startswith("   ")} - {"help"}
    several = {"sum": albireo.merge, "covariance": albireo.covariance, "combine": albireo.combine, "window": albireo.window, "rascalc": albireo.Result.to_rascalc}
    ours = {"multipoles": "ells", "range": "low", "mu-range": "mu", "pi-range": "pi", "z-range": "z"}
    assert len(names) >= 10
    for name in names:
        function = several.get(name) or getattr(albireo.Result, name.replace("-", "_"))
        keywords = set(inspect.signature(function).parameters)
        flags = {flag for flag, *_ in native().flags(["result", name])}
        flags -= {"output", "outputs", "format", "plot", "r2", "scale-by", "brief", "overwrite", "counts", "covariance", "mean"}
        assert {flag.replace("-", "_") for flag in flags} <= keywords | {flag.replace("-", "_") for flag in ours if ours[flag] in keywords}, name


def test_covariances_are_those_of_the_command_line(tmp_path):
    mocks = {f"m{seed}": albireo.xi(catalog(seed), bins=[0, 2, 4.0], box=20) for seed in range(5, 11)}
    made = albireo.covariance(mocks.values(), parameters=1)
    expected = commanded(tmp_path, ["covariance", *mocks, "--parameters=1", f"--mean={tmp_path}/mean.json"], **mocks)
    assert made == expected and made.part("mean") == albireo.load(tmp_path / "mean.json")
    assert albireo.covariance([tmp_path / f"{name}.json" for name in mocks]) == expected
    values = np.array([mock.xi for mock in mocks.values()])
    assert np.allclose(made.covariance, np.cov(values.T)) and np.allclose(made.part("mean").xi, values.mean(axis=0))
    assert made.record["errors"]["hartlap_factor"] == pytest.approx((6 - 2 - 2) / 5)
    two = list(mocks.values())[:2]
    with pytest.raises(ValueError, match="singular writes it for its errors alone"):
        albireo.covariance(two)
    assert albireo.covariance(two, singular=True).covariance.shape == (2, 2)


def test_windows_are_those_of_the_command_line(tmp_path, no_files):
    rr = albireo.count(catalog(2), statistic="s-mu", bins="lin:0:12:4", mu_bins="lin:0:1:30")
    made = albireo.window(rr, ells=[0, 2], volume=8000)
    assert made == commanded(tmp_path, ["window", "rr", "--multipoles=0,2", "--volume=8000"], rr=rr)
    s, mu = rr.edges
    shells = 4 / 3 * np.pi * np.diff(s**3)
    # Ordered pairs over those of a sample without a boundary in the same volume: the weight of every pair over that of all.
    share = 2 * rr.weight.sum(axis=1) / (2 * rr.total)
    assert np.allclose(made["Q_0"], 8000 * share / shells, rtol=1e-6)
    middle = (mu[:-1] + mu[1:]) / 2
    assert np.allclose(made["Q_2"], 8000 * 5 * (rr.weight @ ((3 * middle**2 - 1) / 2)) / rr.total / shells, atol=0.01)


def test_integral_constraints_are_those_of_the_command_line(tmp_path, no_files):
    data, randoms = catalog(3), catalog(9)
    xi = albireo.xi(data, randoms, bins="lin:0:30:6")
    fitted = xi.integral_constraint(power_law=1, fit=(5, 20))
    assert fitted == commanded(tmp_path, ["integral-constraint", "xi", "--power-law=1", "--fit=5.0:20.0"], xi=xi)
    x, values = np.array([0, 10, 40.0]), np.array([0.5, 0.1, 0.01])
    np.savetxt(tmp_path / "model.txt", np.stack([x, values], axis=1))
    ours = xi.integral_constraint(model=(x, values))
    assert ours == xi.integral_constraint(model=str(tmp_path / "model.txt")) == commanded(tmp_path, ["integral-constraint", "xi", f"--model={tmp_path}/model.txt"], xi=xi)
    rr, centre = xi["RR_normalised"], xi["centre"]
    constraint = (rr * np.interp(centre, x, values)).sum() / rr.sum()
    assert np.allclose(ours.xi - xi.xi, constraint, rtol=1e-9, equal_nan=True) and ours.record["integral_constraint"]["value"] == pytest.approx(constraint)
    shells = albireo.count(randoms, bins="lin:0:30:6", shells=2)
    radial = xi.integral_constraint(power_law=1, radial=shells)
    assert radial == commanded(tmp_path, ["integral-constraint", "xi", "--power-law=1", "--radial", "shells"], xi=xi, shells=shells)
    with pytest.raises(ValueError, match="x should rise"):
        xi.integral_constraint(model=(x[::-1], values))


def test_parts_of_the_sky_are_combined_as_by_the_command_line(tmp_path, no_files):
    bins = dict(bins="lin:0:8:2", mu_bins="lin:0:1:4", regions=4)
    parts = [albireo.multipoles(catalog(k), catalog(k + 10), ells=[0, 2], **bins) for k in (1, 2)]
    made = albireo.combine(parts, multipoles=[0, 2])
    names = {"a": parts[0].counts, "b": parts[1].counts, "ra": parts[0].region_counts, "rb": parts[1].region_counts}
    words = ["combine", "a", "b", "--by-region", "ra", "rb", "--multipoles=0,2", f"--counts={tmp_path}/counts.json", f"--covariance={tmp_path}/covariance.json"]
    assert made == commanded(tmp_path, words, **names)
    assert made.counts == albireo.load(tmp_path / "counts.json") and np.array_equal(made.covariance, albireo.load(tmp_path / "covariance.json").covariance)
    assert (made.counts.npairs == parts[0].npairs + parts[1].npairs).all() and made.covariance.shape == (4, 4)
    plain = albireo.combine([part.counts for part in parts])
    assert plain == commanded(tmp_path, ["combine", "a", "b"], **names) and np.array_equal(plain.xi, made.counts.xi)
    drawn = albireo.combine(parts, bootstrap=20, seed=3)
    assert drawn.record["errors"]["method"] == "bootstrap" and not np.array_equal(drawn.error, plain.error)


def test_ranges_of_every_axis(no_files):
    fine = albireo.count(catalog(4), **SIGNED)
    assert fine.slice(pi=(-4, -2)) == fine.operation("slice", pi_range="-4:-2") and fine.slice(0, 2, pi=(-4, 4)) == fine.slice(0, 2)
    over = albireo.count(catalog(4), statistic="s-mu", bins=[0, 2, 4.0], mu_bins="lin:0:1:4", box=20)
    assert np.array_equal(over.slice(mu=(0.5, 1)).npairs, over.npairs[:, 2:])
    with pytest.raises(TypeError, match="both ends, or neither"):
        fine.slice(1)


def test_counts_in_memory_are_taken_over_without_files(no_files):
    data, randoms = catalog(1), catalog(12)
    xi = albireo.xi(data, randoms, bins=EDGES)
    assert albireo.xi(data, randoms, bins=EDGES, reuse=[xi]) == xi == albireo.xi(data, randoms, bins=EDGES, rr=xi)
    again = albireo.xi(data, randoms, bins=EDGES, rr=xi).record["counts"]
    assert again["RR"]["read_from"] == "a result in memory" and "read_from" not in again["DD"]
    with pytest.raises(ValueError, match="^reuse a result in memory does not fit"):
        albireo.xi(catalog(2), catalog(3), bins=EDGES, reuse=xi)
    rng = np.random.default_rng(4)
    sky = [(rng.random(number) * 10, rng.random(number) * 10) for number in (300, 200, 400)]
    parent, observed = (albireo.xi(one, sky[2], bins="lin:0:2:4", statistic="theta") for one in sky[:2])
    weighed = albireo.xi(sky[1], sky[2], bins="lin:0:2:4", statistic="theta", angular=(parent, observed))
    assert weighed.record["counts"]["DD"]["pair_weight"]["angular"]["parent"] == "a result in memory"
    assert not np.array_equal(weighed.xi, observed.xi)


def test_saved_counts_are_estimated_again_in_coarser_bins():
    data, randoms = albireo.randoms(200, box=20, seed=1), albireo.randoms(400, box=20, seed=2)
    both = {"statistic": "s-mu", "los": "z", "regions": 4}
    fine = albireo.xi(data, randoms, bins="lin:0:10:4", mu_bins="lin:0:1:8", **both)
    coarse = albireo.xi(data, randoms, bins="lin:0:10:2", mu_bins="lin:0:1:4", **both)
    again = fine.estimate(2, mu_rebin=2)
    assert (again.xi == coarse.xi).all() and np.allclose(again.covariance, coarse.covariance, rtol=1e-12)
    poles = fine.estimate(2, mu_rebin=2, multipoles=[0, 2])
    assert (poles["xi_2"] == albireo.multipoles(data, randoms, ells=[0, 2], bins="lin:0:10:2", mu_bins="lin:0:1:4", los="z")["xi_2"]).all()
    assert fine.rebin(2, mu_by=2)["xi"].tolist() == coarse["xi"].tolist()
