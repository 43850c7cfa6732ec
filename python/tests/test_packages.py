"""Files of lsstypes and pycorr: what is written is read back by these packages, where they are installed."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import albireo

SMU = {"statistic": "s-mu", "bins": [0, 20, 40, 60], "mu_bins": "lin:-1:1:6"}
ABS_MU = SMU | {"mu_bins": "lin:0:1:3"}
RP_PI = {"statistic": "rp-pi", "bins": [1, 10, 40], "pi_bins": "lin:0:40:4"}


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(11)
    data, randoms = rng.random((150, 3)) * 60 + 100, rng.random((300, 3)) * 60 + 100
    return {"data": data, "randoms": randoms, "weights": rng.random(150) + 0.5, "randoms_weights": rng.random(300) + 0.5}


def measured(samples, **options):
    return albireo.xi(samples["data"], samples["randoms"], weights=samples["weights"], randoms_weights=samples["randoms_weights"], **options)


@pytest.mark.parametrize("estimator", ["landy-szalay", "davis-peebles", "hamilton", "natural", "(DD-2*DR+RR)/RR"])
@pytest.mark.parametrize("options", [{"bins": [0, 20, 40, 60]}, SMU, ABS_MU, RP_PI, {"statistic": "theta", "bins": [0, 5, 15, 30]}])
def test_lsstypes_has_our_xi(samples, tmp_path, options, estimator):
    lsstypes = pytest.importorskip("lsstypes")
    xi = measured(samples, estimator=estimator, **options)
    xi.save(tmp_path / "xi.h5")
    theirs = lsstypes.read(str(tmp_path / "xi.h5"))
    value = theirs.value()
    folded = value if value.shape == xi.xi.shape else value[:, xi.shape[1]:]
    np.testing.assert_allclose(folded, xi.xi, rtol=1e-12, atol=1e-12)
    assert albireo.Result.read(tmp_path / "xi.h5") == xi
    np.testing.assert_allclose(lsstypes.sum([theirs, theirs]).value(), value, rtol=1e-12, atol=1e-12)


def test_lsstypes_projects_as_we_do(samples, tmp_path):
    lsstypes = pytest.importorskip("lsstypes")
    read = lambda name: lsstypes.read(str(tmp_path / name))  # noqa: E731
    measured(samples, **SMU).save(tmp_path / "xi.h5")
    measure = lambda function, **options: function(  # noqa: E731
        samples["data"], samples["randoms"], weights=samples["weights"], randoms_weights=samples["randoms_weights"], **options
    )
    poles = measure(albireo.multipoles, ells=[0, 2, 4], bins=SMU["bins"], mu_bins=SMU["mu_bins"])
    poles.save(tmp_path / "poles.h5")
    theirs = read("xi.h5").project(ells=[0, 2, 4])
    np.testing.assert_allclose(read("poles.h5").value(), theirs.value(), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(read("poles.h5").value(), poles.value.ravel(), rtol=1e-12)
    np.testing.assert_allclose(read("poles.h5").get(2).values("RR0"), theirs.get(2).values("RR0"), rtol=1e-12)
    wp = measure(albireo.wp, bins=RP_PI["bins"], pi_bins=RP_PI["pi_bins"])
    wp.save(tmp_path / "wp.h5")
    measured(samples, **RP_PI).save(tmp_path / "rppi.h5")
    np.testing.assert_allclose(read("wp.h5").value(), read("rppi.h5").project(mode="wp").value(), rtol=1e-12)
    np.testing.assert_allclose(read("wp.h5").value(), wp.wp, rtol=1e-12)


def test_lsstypes_has_our_jackknife(samples, tmp_path):
    lsstypes = pytest.importorskip("lsstypes")
    xi = measured(samples, regions=6, jackknife="mohammad-percival", **SMU)
    xi.save(tmp_path / "xi.h5")
    theirs = lsstypes.read(str(tmp_path / "xi.h5"))
    assert type(theirs).__name__ == "Count2JackknifeCorrelation"
    np.testing.assert_allclose(theirs.value(), xi.xi, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(theirs.cov(), xi.covariance, rtol=1e-9, atol=1e-13)


def test_signs_are_those_of_pycorr(samples, tmp_path):
    lsstypes = pytest.importorskip("lsstypes")
    other = np.random.default_rng(12).random((100, 3)) * 60 + 100
    xi = albireo.xi(samples["data"], samples["randoms"], cross=other, cross_randoms=samples["randoms"], **SMU)
    xi.save(tmp_path / "xi.h5")
    value = lsstypes.read(str(tmp_path / "xi.h5")).value()
    np.testing.assert_allclose(value[:, ::-1], xi.xi, rtol=1e-12, atol=1e-13)
    d = other[None] - samples["data"][:, None]
    los = other[None] + samples["data"][:, None]
    s, mu = np.linalg.norm(d, axis=-1), (d * los).sum(-1) / np.linalg.norm(d, axis=-1) / np.linalg.norm(los, axis=-1)
    expected = np.histogram2d(s.ravel(), mu.ravel(), bins=(SMU["bins"], np.linspace(-1, 1, 7)))[0]
    found = lsstypes.read(str(tmp_path / "xi.h5")).get("DD").values("counts")
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def caps(samples, tmp_path, lsstypes, **options):
    """Two parts of the sky, measured here, as files that lsstypes wrote and as its objects."""
    other = dict(samples, data=samples["data"][:90] + 1000, weights=2 * samples["weights"][:90], randoms=samples["randoms"] + 1000)
    theirs = []
    for k, part in enumerate([samples, other]):
        measured(part, **options).save(tmp_path / "ours.h5")
        theirs.append(lsstypes.read(str(tmp_path / "ours.h5")))
        theirs[-1].write(str(tmp_path / f"{k}.h5"))
    return [tmp_path / f"{k}.h5" for k in range(2)], theirs


@pytest.mark.parametrize("estimator", ["landy-szalay", "natural"])
@pytest.mark.parametrize("options", [{"bins": [0, 20, 40, 60]}, SMU, ABS_MU, RP_PI, {"statistic": "theta", "bins": [0, 5, 15, 30]}])
def test_sums_of_what_lsstypes_wrote_are_its_own(samples, tmp_path, options, estimator):
    lsstypes = pytest.importorskip("lsstypes")
    files, theirs = caps(samples, tmp_path, lsstypes, estimator=estimator, **options)
    expected = lsstypes.sum(theirs)
    both = albireo.combine(files, by="data")
    np.testing.assert_allclose(both.xi.ravel(), expected.value().ravel(), rtol=1e-12, atol=1e-12)
    both.save(tmp_path / "both.h5")
    again = lsstypes.read(str(tmp_path / "both.h5"))
    np.testing.assert_allclose(again.get("RR").value(), expected.get("RR").value(), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(albireo.Result.read(files[0]).xi.shape, theirs[0].value().shape)


def test_what_lsstypes_wrote_is_rebinned_and_projected_as_it_does(samples, tmp_path):
    lsstypes = pytest.importorskip("lsstypes")
    (file, _), (theirs, _) = caps(samples, tmp_path, lsstypes, **SMU)
    xi = albireo.Result.read(file)
    assert "xi_error" not in xi.columns
    coarse = theirs.select(s=slice(0, None, 3), mu=slice(0, None, 2))
    np.testing.assert_allclose(xi.rebin(3, mu_by=2).xi, coarse.value(), rtol=1e-12)
    poles = xi.estimate(multipoles=[0, 1, 2], mu_rebin=2)
    np.testing.assert_allclose(poles.value.ravel(), theirs.select(mu=slice(0, None, 2)).project(ells=[0, 1, 2]).value(), rtol=1e-12, atol=1e-13)
    theirs.get("RR").write(str(tmp_path / "rr.h5"))
    rr = albireo.Result.read(tmp_path / "rr.h5")
    np.testing.assert_allclose(rr.weight[:, ::-1], theirs.get("RR").values("counts"), rtol=1e-14)
    taken = albireo.xi(
        samples["data"], samples["randoms"], weights=samples["weights"], randoms_weights=samples["randoms_weights"], rr=tmp_path / "rr.h5", **SMU
    )
    np.testing.assert_allclose(taken.xi, theirs.value(), rtol=1e-10, atol=1e-10)


def test_covariances_of_jackknifes_of_lsstypes_are_its_own(samples, tmp_path):
    lsstypes = pytest.importorskip("lsstypes")
    files, theirs = caps(samples, tmp_path, lsstypes, regions=5, **SMU)
    xi = albireo.Result.read(files[0]).estimate(by_region=files[0], jackknife="mohammad-percival")
    np.testing.assert_allclose(xi.covariance, theirs[0].cov(), rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(xi.xi_error.ravel(), np.sqrt(np.diag(xi.covariance)))
    both = albireo.combine(files, by="data", by_region=files, jackknife="mohammad-percival", match_regions=True)
    # Of jackknives it averages each part of a region by itself.
    wholes = [one.value(return_type=None) for one in theirs]
    np.testing.assert_allclose(both.xi, lsstypes.sum(wholes).value(), rtol=1e-12)
    assert both.covariance.shape == (18, 18)


@pytest.mark.parametrize("form", [{}, {"multipoles": [0, 2]}, {"wedges": 2}])
def test_lsstypes_reads_covariances_without_mocks(tmp_path, form):
    lsstypes, h5py = pytest.importorskip("lsstypes"), pytest.importorskip("h5py")
    draw = np.random.default_rng(7)
    data, randoms = (draw.uniform(0, 16, (number, 3)) for number in (200, 500))
    xi = albireo.xi(data, randoms, statistic="s-mu", bins="lin:0.5:8.5:4", mu_bins="lin:0:1:4")
    made = albireo.covariance_model(xi, randoms, rounds=4, cloud=2, **form)
    path = tmp_path / "cov.h5"
    xi.save(tmp_path / "xi.json")
    np.savetxt(tmp_path / "r.csv", randoms, delimiter=",", header="x,y,z", comments="", fmt="%.17g")
    flags = [f"--{name}={','.join(map(str, value)) if isinstance(value, list) else value}" for name, value in form.items()]
    words = ["covariance", str(tmp_path / "xi.json"), f"--randoms={tmp_path}/r.csv", "--rounds=4", "--cloud=2", *flags, f"--output={path}"]
    done = subprocess.run([sys.executable, "-m", "albireo", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert np.array_equal(albireo.load(path).covariance, made.covariance)
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["matrices/precision"][...].ravel(), made["precision"])
    if not form:
        # Bins of |mu| are on both sides of 0 there: no covariance of theirs.
        return
    theirs = lsstypes.read(str(path))
    np.testing.assert_array_equal(theirs.value(), made.covariance)
    own = xi.estimate(**form)
    curves = [own[name] for name in own.table.names() if name.startswith("xi_") and not name.endswith("_error")]
    np.testing.assert_allclose(theirs.observable.value().ravel(), np.concatenate(curves), rtol=1e-12)


@pytest.mark.parametrize("options", [{}, {"regions": 5, "jackknife": "mohammad-percival"}])
def test_pycorr_loads_what_is_saved(samples, tmp_path, options):
    pycorr = pytest.importorskip("pycorr")
    xi = measured(samples, **SMU, **options)
    xi.save(tmp_path / "xi.npy")
    theirs = pycorr.TwoPointEstimator.load(tmp_path / "xi.npy")
    np.testing.assert_allclose(theirs.corr, xi.xi, rtol=1e-12)
    if options:
        np.testing.assert_allclose(theirs.cov(), xi.covariance, rtol=1e-9, atol=1e-14)
    else:
        # Sums of DR where they have RD, and the other way round.
        np.testing.assert_array_equal(theirs.D1R2.ncounts, xi.RD_npairs)
    theirs.rebin((1, 3))
    assert theirs.shape == (3, 2)
    # The record beside it holds the result, for everything of ours.
    assert albireo.Result.read(tmp_path / "xi.npy") == xi
    (tmp_path / "xi.npy.json").unlink()
    with pytest.raises(ValueError, match="its record .*xi.npy.json should lie beside it"):
        albireo.Result.read(tmp_path / "xi.npy")


def test_texts_are_those_of_pycorr(samples, tmp_path):
    pycorr = pytest.importorskip("pycorr")
    xi = measured(samples, **SMU)
    xi.save(tmp_path / "xi.npy")
    xi.save(tmp_path / "ours.txt")
    theirs = pycorr.TwoPointEstimator.load(tmp_path / "xi.npy")
    theirs.save_txt(tmp_path / "theirs.txt")
    assert (tmp_path / "ours.txt").read_text() == (tmp_path / "theirs.txt").read_text()
    poles = albireo.multipoles(samples["data"], samples["randoms"], ells=[0, 2], bins=SMU["bins"], mu_bins=SMU["mu_bins"], regions=5)
    poles.save(tmp_path / "poles.txt")
    poles.counts.save(tmp_path / "poles.npy")
    pycorr.TwoPointEstimator.load(tmp_path / "poles.npy").save_txt(tmp_path / "theirs.txt", ells=(0, 2))
    ours, theirs = np.loadtxt(tmp_path / "poles.txt"), np.loadtxt(tmp_path / "theirs.txt")
    assert ours.shape == (3, 6)
    np.testing.assert_allclose(ours[:, :4], theirs, rtol=1e-10)


def test_what_has_no_form_is_told(points, tmp_path):
    with pytest.raises(ValueError, match="expected pair counts or a correlation function"):
        albireo.rdf(points, bins=[0, 10, 20], volume=1e6).save(tmp_path / "g.npy")
    assert not list(tmp_path.iterdir())


def test_sacc_has_w_theta(samples, tmp_path):
    sacc = pytest.importorskip("sacc")
    fits = pytest.importorskip("astropy.io.fits")
    w = measured(samples, statistic="theta", bins=[1, 5, 15, 30], regions=6)
    z = np.linspace(0, 1, 5)
    made = w.to_sacc({"nz_lens": (z, z * (1 - z))})
    made.save_fits(str(tmp_path / "w.sacc"))
    back = sacc.Sacc.load_fits(str(tmp_path / "w.sacc"))
    theta, xi, covariance = back.get_theta_xi("galaxy_density_xi", "nz_lens", "nz_lens", return_cov=True)
    np.testing.assert_array_equal(theta, 60 * np.array([3, 10, 22.5]))
    np.testing.assert_array_equal(xi, w.xi)
    np.testing.assert_array_equal(covariance, w.covariance)
    np.testing.assert_array_equal(back.tracers["nz_lens"].nz, z * (1 - z))
    if "ALBIREO_TEST_DATA" in os.environ:
        # The tables, and their columns, of a file that the package wrote from other values.
        theirs = Path(os.environ["ALBIREO_TEST_DATA"]) / "entrance/sacc/w_theta.sacc"
        names = lambda path: [table.columns.names for table in fits.open(path) if "galaxy_density_xi" in str(table.header.get("SACCNAME"))]  # noqa: E731
        assert names(tmp_path / "w.sacc") == names(theirs) != []


def test_sacc_is_of_w_theta_with_its_samples(samples):
    pytest.importorskip("sacc")
    with pytest.raises(ValueError, match="expected w.theta., of statistic='theta', found a correlation function over r"):
        measured(samples, bins=[0, 20, 40]).to_sacc({"a": ([0, 1], [1, 1])})
    with pytest.raises(ValueError, match="expected 1 tracer, one a sample, found 2: a, b"):
        measured(samples, statistic="theta", bins=[1, 5]).to_sacc({"a": ([0, 1], [1, 1]), "b": ([0, 1], [1, 1])})


@pytest.mark.parametrize("options", [SMU, ABS_MU])
def test_rascalc_gets_what_its_own_conversion_makes(samples, tmp_path, options):
    lsstypes = pytest.importorskip("lsstypes")
    options = options | {"bins": [10, 20, 40, 60]}
    xi = measured(samples, regions=4, **options)
    xi.save(tmp_path / "xi.h5")
    xi.to_rascalc(rr=tmp_path / "rr.txt", jackknife=tmp_path / "jk.txt")
    theirs = lsstypes.read(str(tmp_path / "xi.h5")).get("RR")
    fold = lambda counts: counts if counts.shape[1] == 3 else counts[:, 2::-1] + counts[:, 3:]  # noqa: E731
    np.testing.assert_allclose(np.loadtxt(tmp_path / "rr.txt"), fold(theirs.values("normalized_counts")).ravel(), rtol=1e-13)
    # Its weights: pairs within a region and half of those across its border, in both orders.
    part = lambda k, cross: theirs.get(realization=k, cross=cross).values("counts")  # noqa: E731
    pairs = np.array([fold(part(k, "ii") + (part(k, "ij") + part(k, "ji")) / 2).ravel() for k in range(4)])
    weights = np.loadtxt(tmp_path / "jk.txt")
    np.testing.assert_allclose(weights[:, 1:], pairs / pairs.sum(axis=0), rtol=1e-12)


def test_a_covariance_is_saved_with_what_it_is_of(tmp_path):
    """As `--covariance x.h5` of the command line."""
    h5py = pytest.importorskip("h5py")
    points, randoms = (albireo.randoms(number, box=20, seed=seed) for number, seed in ((300, 1), (400, 2)))
    xi = albireo.multipoles(points, box=20, bins="lin:1:9:4", mu_bins="lin:0:1:4", regions_cubes=2)
    model = albireo.covariance_model(xi, randoms, multipoles=[0, 2, 4], rounds=2, cloud=2)
    for covariance in (xi.part("covariance"), model, pickle.loads(pickle.dumps(model))):
        covariance.save(tmp_path / "covariance.h5")
        with h5py.File(tmp_path / "covariance.h5") as file:
            assert {"0", "2", "4"} < set(file["observable"])
            np.testing.assert_array_equal(file["value"][:], covariance.covariance)
        np.testing.assert_array_equal(covariance.part("measured")["xi_2"], xi["xi_2"])
