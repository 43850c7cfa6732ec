"""Every measurement against the command line's own result, and what results can do."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import double_loop

import albireo

BOX = albireo.samples.path("galaxies_box.h5")
SURVEY = albireo.samples.path("survey_galaxies.fits")
RANDOMS = albireo.samples.path("survey_randoms.parquet")


def command(*words, path):
    """The command of this package, in a process of its own."""
    made = subprocess.run([sys.executable, "-m", "albireo", *words, "-o", str(path)], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return albireo.load(path)


def test_the_command_and_the_function_make_the_same(tmp_path):
    written = command("wp", BOX, "--rows=0:3000", "--bins=log:0.5:20:5", "--pi-bins=lin:0:20:20", path=tmp_path / "wp.parquet")
    assert albireo.wp(BOX, rows="0:3000", bins="log:0.5:20:5", pi_bins="lin:0:20:20") == written
    flags = ["--randoms-every=100", "--every=10", "--cosmology=Planck18", "--bins=lin:0:60:6", "--regions=6"]
    written = command("xi", SURVEY, f"--randoms={RANDOMS}", *flags, path=tmp_path / "xi.fits")
    made = albireo.xi(SURVEY, RANDOMS, randoms_every=100, every=10, cosmology="Planck18", bins="lin:0:60:6", regions=6)
    assert made == written and made.covariance.shape == (6, 6)
    assert np.allclose(np.sqrt(np.diag(made.covariance)), made.error)


def test_the_command_has_exit_codes():
    for words, code in ((["--version"], 0), (["count"], 2), (["info", "no such file"], 1)):
        made = subprocess.run([sys.executable, "-m", "albireo", *words], capture_output=True, check=False)
        assert made.returncode == code


def test_counts_are_those_of_the_double_loop(points, others):
    edges = np.array([0.0, 1.0, 2.5, 7.0, 20.0])
    assert np.array_equal(albireo.count(points, bins=edges).npairs, double_loop(points, None, edges))
    assert np.array_equal(albireo.count(points, others, bins=edges, box=100).npairs, double_loop(points, others, edges, 100.0))
    lattice = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), -1).reshape(-1, 3) * 0.1
    tied = np.sqrt(np.arange(1, 9)) * 0.1
    assert np.array_equal(albireo.count(lattice, bins=tied).npairs, double_loop(lattice, None, tied))
    for threads in (1, 3):
        assert albireo.count(points, bins=edges, threads=threads) == albireo.count(points, bins=edges, engine="naive")


def test_shapes_and_edges(points):
    found = albireo.count(points, statistic="rp-pi", bins=[0, 5, 10.0], pi_bins=[0, 4, 8, 12.0], box=100, mean_separation=True)
    assert found.shape == found.npairs.shape == found.mean.shape == (2, 3) and found.axes == ("rp", "pi")
    assert found.edges[1].tolist() == [0, 4, 8, 12] and found.total == len(points) * (len(points) - 1) / 2
    assert found.rebin(2).npairs.tolist() == [found.npairs.sum(axis=0).tolist()]
    assert "rp" in repr(found) and "<table>" in found._repr_html_()


def test_realisations_add_up(points, others):
    one, two = (albireo.count(data, bins=[0, 5, 10.0], box=100) for data in (points, others))
    both = one + two
    assert np.array_equal(both.npairs, one.npairs + two.npairs) and both == albireo.merge(one, two) == sum([one, two])
    with pytest.raises(ValueError, match="same particles"):
        one + one
    with pytest.raises(TypeError):
        one + 1


def test_survey_from_arrays_is_that_from_files(sky):
    ra, dec, z = sky
    randoms = albireo.randoms(2000, like=SURVEY, seed=9)
    catalog = albireo.Catalog(sky=(ra, dec), redshift=z, weights=np.linspace(1, 2, len(z)))
    found = albireo.multipoles(catalog, randoms, cosmology="Planck18", bins="lin:0:100:5", mu_bins="lin:0:1:10")
    assert set(found.multipoles) == {0, 2, 4} and found.counts.shape == (5, 10) and found.record["unit"] == "Mpc/h"
    w = albireo.angular((ra, dec), (randoms["RA"], randoms["DEC"]), bins=[0.1, 1, 5])
    assert w.kind == "correlation function" and w.axes == ("theta",)
    regions = (np.arange(len(z)) % 5, np.arange(2000) % 5)
    errors = albireo.jackknife((ra, dec), (randoms["RA"], randoms["DEC"]), regions=regions, measure="angular", bins=[0.1, 1, 5])
    assert errors.covariance.shape == (2, 2) and errors.region_counts.kind == "pair counts by region"
    assert np.array_equal(errors.xi, w.xi)


def test_saved_rr_is_used_again(sky):
    ra, dec, _ = sky
    randoms = albireo.randoms(1500, sky_window=((150, 240), (-5, 60)), seed=2)
    rr = albireo.count(randoms, statistic="theta", bins=[0.5, 2, 5])
    fresh = albireo.angular((ra, dec), randoms, bins=[0.5, 2, 5])
    assert np.array_equal(albireo.angular((ra, dec), randoms, bins=[0.5, 2, 5], rr=rr).xi, fresh.xi)


def test_liquids():
    frame = albireo.samples.path("liquid_frame.parquet")
    g = albireo.rdf(frame, r_max=3, n_bins=30, species="none")
    assert g.g.shape == g.n.shape == g.npairs.shape == (30,) and g.g.max() > 1.5
    partials = albireo.rdf(albireo.samples.path("liquid_trajectory.parquet"), r_max=2, n_bins=20, frames="0:3", species="species")
    assert any(name.startswith("g_") for name in partials.columns), partials.columns
    gas = np.random.default_rng(1).random((800, 3)) * 30
    assert albireo.rdf(gas - 15, box=30, r_max=5, n_bins=5).npairs.sum() == albireo.count(gas, bins=[0, 5.0], box=30).npairs.sum()


@pytest.mark.parametrize("extension", ["csv", "ecsv", "fits", "json", "parquet"])
def test_results_are_saved_to_the_bit(tmp_path, points, extension):
    made = albireo.xi(points, bins=[1, 5, 10.0], box=100)
    made.save(tmp_path / f"xi.{extension}")
    assert albireo.load(tmp_path / f"xi.{extension}") == made


def test_results_go_elsewhere(points):
    made = albireo.xi(points, points[::-1] * 0.5 + 20, bins=[1, 5, 10.0], regions=4)
    again = pickle.loads(pickle.dumps(made))
    assert again == made and np.array_equal(again.covariance, made.covariance) and again.record == made.record
    pandas = pytest.importorskip("pandas")
    frame = made.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.DD_npairs.dtype == np.uint64
    pytest.importorskip("xarray")
    data = albireo.count(points, statistic="s-mu", bins=[1, 5.0], mu_bins=[0, 0.5, 1]).to_xarray()
    assert data.npairs.dims == ("s", "mu") and data.npairs.shape == (1, 2)
    pytest.importorskip("astropy.table")
    assert made.to_table()["xi"].description.startswith("correlation function")


def test_jobs(tmp_path):
    job = tmp_path / "job.toml"
    job.write_text(f'[count.near]\ndata = "{BOX}"\nrows = "0:500"\nbins = "lin:0:5:5"\noutput = "{tmp_path}/near.csv"\n')
    config = albireo.Config(job)
    assert config.commands()[0].startswith("albireo count")
    first = config.run()
    assert list(first) == ["count.near"] and (tmp_path / "near.csv").exists()
    assert config.run()["count.near"] == first["count.near"]
    assert "[" in albireo.Config.template()


def test_what_was_chosen_goes_to_logging(caplog, points):
    with caplog.at_level("INFO", logger="albireo"):
        albireo.count(points, bins=[0, 5.0], box=100)
    assert any("pairs in bins" in record.message for record in caplog.records)


def test_progress(points):
    heard = []
    many = np.tile(points, (30, 1))
    albireo.count(many, bins=[0, 5.0], box=100, progress=lambda *told: heard.append(told))
    assert heard and heard[-1][0] == "DD" and heard[-1][1] <= heard[-1][2]
    with pytest.raises(ZeroDivisionError):
        albireo.count(many, bins=[0, 5.0], progress=lambda *told: 1 / 0)
    with pytest.raises(TypeError, match="progress"):
        albireo.count(many, bins=[0, 5.0], progress="yes")


def test_covariances_without_mocks_are_those_of_the_command(tmp_path):
    draw = np.random.default_rng(5)
    (d1, r1), (d2, r2) = [[draw.uniform(0, 20, (number, 3)) for number in (200, 260)] for _ in range(2)]
    w1, w2 = draw.uniform(0.5, 1, 260), draw.uniform(0.5, 1, 260)
    bins = {"bins": "lin:0.5:8.5:4"}
    x11 = albireo.xi(d1, r1, randoms_weights=w1, weights=np.ones(200), **bins)
    x22 = albireo.xi(d2, r2, randoms_weights=w2, weights=np.ones(200), **bins)
    x12 = albireo.xi(d1, r1, cross=d2, cross_randoms=r2, weights=np.ones(200), cross_weights=np.ones(200), **bins)
    options = {"rounds": 4, "cloud": 2, "alpha": [1.1, 0.9]}
    both = albireo.covariance_model(x11, r1, weights=w1, cross=[x12, x22], cross_randoms=r2, cross_weights=w2, **options)
    assert both.covariance.shape == (12, 12) and both.record["errors"]["alpha"] == [1.1, 0.9]
    assert both["row_tracers"].reshape(12, 12)[:, 0].tolist() == [11] * 4 + [12] * 4 + [22] * 4
    for name, result in (("x11", x11), ("x12", x12), ("x22", x22)):
        result.save(tmp_path / f"{name}.json")
    for name, points, weights in (("r1", r1, w1), ("r2", r2, w2)):
        rows = np.column_stack([points, weights]).tolist()
        (tmp_path / f"{name}.csv").write_text("x,y,z,w\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    cross = [f"--cross={tmp_path}/x12.json", f"--cross={tmp_path}/x22.json", f"--cross-randoms={tmp_path}/r2.csv", "--cross-weight=w"]
    words = ["covariance", f"{tmp_path}/x11.json", f"--randoms={tmp_path}/r1.csv", "--weight=w", "--rounds=4", "--cloud=2", "--alpha=1.1,0.9"]
    written = command(*words, *cross, path=tmp_path / "both.json")
    assert np.array_equal(both.covariance, written.covariance)
    # Those of one tracer are blocks of both.
    one = albireo.covariance_model(x11, r1, weights=w1, alpha=1.1, rounds=4, cloud=2, engine="cpu", threads=2)
    assert np.allclose(one.covariance, both.covariance[:4, :4], rtol=1e-12)
    with pytest.raises(TypeError, match="cross_weights needs the sample"):
        albireo.covariance_model(x11, r1, weights=w1, cross_weights=w2)
    with pytest.raises(TypeError, match="randoms: expected random points, or shifted_randoms"):
        albireo.covariance_model(x11)


def test_covariances_of_reconstruction_take_shifted_randoms():
    draw = np.random.default_rng(6)
    data, randoms, shifted = (draw.uniform(0, 20, (number, 3)) for number in (200, 260, 240))
    xi = albireo.xi(data, randoms, shifted_randoms=shifted, bins="lin:0.5:8.5:4")
    made = albireo.covariance_model(xi, shifted_randoms=shifted, rounds=4, cloud=2)
    assert made.covariance.shape == (4, 4) and np.isclose(made.record["errors"]["beta"], 200 / 240)
    with pytest.raises(ValueError, match="name its shifted randoms by shifted_randoms in place of randoms"):
        albireo.covariance_model(xi, randoms, rounds=4, cloud=2)


def test_bins_of_an_expression_are_those_of_a_loop() -> None:
    points = np.random.default_rng(1).random((300, 3)) * 20
    edges = np.linspace(0, 5, 6)
    found = albireo.count(points, box=20, bins_of="max(abs(d[0]), abs(d[1]))", bins=edges, reach=8.0)
    apart = points[:, None] - points[None]
    apart -= 20 * np.round(apart / 20)
    first, second = np.triu_indices(300, 1)
    apart = np.abs(apart[first, second])
    near = (apart**2).sum(axis=-1) < 64
    expected, _ = np.histogram(apart[near][:, :2].max(axis=-1), edges)
    assert found["npairs"].tolist() == expected.tolist()
    heights = [0, 2, 8]
    found = albireo.count(points, box=20, bins_of="max(abs(d[0]), abs(d[1]))", bins=edges, second_bins_of="abs(d[2])", second_bins=heights, reach=8.0)
    expected, _, _ = np.histogram2d(apart[near][:, :2].max(axis=-1), apart[near][:, 2], (edges, heights))
    assert found["npairs"].tolist() == expected.ravel().tolist()
