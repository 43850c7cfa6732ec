"""The engine of pycorr, and results in its form, against a double loop of numpy and against ours."""

import subprocess
import sys

import numpy as np
import pytest

import albireo

pycorr = pytest.importorskip("pycorr")
from pycorr import JackknifeTwoPointCounter, TwoPointCorrelationFunction, TwoPointCounter, TwoPointEstimator, utils  # noqa: E402
from pycorr.twopoint_counter import TwoPointCounterError, get_inverse_probability_weight  # noqa: E402

import albireo.pycorr as ours  # noqa: E402

S = np.array([0.0, 4.0, 11.0, 30.0])
MU = np.array([-1.0, -0.5, 0.1, 1.0])
PI = np.array([-20.0, -3.0, 5.0, 40.0])


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(3)
    made = []
    for n in (90, 70):
        words = [rng.integers(0, 2**63, n, dtype=np.int64) for _ in range(2)]
        made.append((rng.random((3, n)) * 50 + 60, words, rng.random(n) + 0.5))
    return made


def pairs(first, second, los, mode):
    """Separations and second coordinates of every two points, by pycorr's sign."""
    d = second[:, None, :] - first[:, :, None]
    line = {"midpoint": first[:, :, None] + second[:, None, :], "firstpoint": first[:, :, None] + 0 * d, "endpoint": second[:, None, :] + 0 * d}
    along = line[los] if los in line else np.eye(3)["xyz".index(los)][:, None, None] + 0 * d
    s = np.sqrt((d**2).sum(0))
    parallel = (d * along).sum(0) / np.sqrt((along**2).sum(0))
    with np.errstate(invalid="ignore"):
        mu = np.where(s == 0, 0.0, parallel / s)
    rp = np.sqrt(np.maximum(s**2 - parallel**2, 0))
    cosine = (first[:, :, None] * second[:, None, :]).sum(0) / np.outer(np.linalg.norm(first, axis=0), np.linalg.norm(second, axis=0))
    theta = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    return {"s": (s,), "smu": (s, mu), "rppi": (rp, parallel), "rp": (rp,), "theta": (theta,)}[mode], rp, theta


EDGES = {"s": (S,), "smu": (S, MU), "rppi": (S, PI), "rp": (S,), "theta": (np.array([0.1, 2.0, 9.0, 20.0]),)}


@pytest.mark.parametrize("mode", EDGES)
@pytest.mark.parametrize("los", ["midpoint", "firstpoint", "endpoint", "y"])
@pytest.mark.parametrize("auto", [True, False])
def test_counts_are_those_of_a_double_loop(samples, mode, los, auto):
    (x1, bits1, w1), (x2, bits2, w2) = samples[0], samples[0] if auto else samples[1]
    coordinates, rp, theta = pairs(x1, x2, los, mode)
    upweights = (np.array([0.5, 3.0, 8.0]), np.array([2.0, 1.5, 1.2]))
    b1, b2 = np.meshgrid(np.arange(len(w1)), np.arange(len(w2)), indexing="ij")
    pip = get_inverse_probability_weight([w[b1] for w in bits1], [w[b2] for w in bits2], nrealizations=129)
    angular = np.interp(np.cos(np.radians(theta)), np.cos(np.radians(upweights[0][::-1])), upweights[1][::-1], left=1.0, right=1.0)
    apart = ~np.eye(len(w1), dtype=bool) if auto else np.ones(theta.shape, dtype=bool)
    kwargs = {"positions1": x1, "positions2": None if auto else x2, "position_type": "xyz", "los": los, "engine": "albireo"}
    cases = [
        ({}, np.ones(theta.shape), apart),
        ({"weights1": [w1], "weights2": None if auto else [w2]}, np.outer(w1, w2), apart),
        ({"weights1": [*bits1, w1], "weights2": None if auto else [*bits2, w2], "twopoint_weights": upweights}, np.outer(w1, w2) * pip * angular, apart),
        ({"selection_attrs": {"theta": (2.0, 12.0)}}, np.ones(theta.shape), apart & (theta >= 2) & (theta < 12)),
    ]
    if mode != "theta":
        cases.append(({"selection_attrs": {"rp": (3.0, np.inf)}}, np.ones(theta.shape), apart & (rp >= 3)))
    for options, weight, kept in cases:
        made = TwoPointCounter(mode, EDGES[mode], **kwargs, **options)
        flat = [values[kept] for values in coordinates]
        number = np.histogramdd(flat, EDGES[mode])[0]
        summed = np.histogramdd(flat, EDGES[mode], weights=weight[kept])[0]
        distance = np.histogramdd(flat, EDGES[mode], weights=(weight * coordinates[0])[kept])[0]
        np.testing.assert_array_equal(made.ncounts, number, err_msg=str(options))
        np.testing.assert_allclose(made.wcounts, summed, rtol=1e-6)
        np.testing.assert_allclose(made.sep[number > 0], (distance / np.where(number > 0, summed, 1))[number > 0], rtol=1e-6)
        assert np.all(np.isnan(made.sep[number == 0]))


def test_edges_of_mu_beyond_one_hold_it():
    first, second = np.zeros((4, 3)), np.tile([0.0, 0.0, 1.0], (5, 1))
    for last, expected in ((1.0, 0), (1.0 + 1e-9, 20)):
        edges = (np.linspace(0, 2, 3), np.linspace(-last, last, 11))
        made = TwoPointCounter("smu", edges, first, second, position_type="pos", los="z", engine="albireo")
        assert made.ncounts.sum() == expected
        assert made.ncounts[1, -1] == expected
    edges = (np.linspace(0, 2, 3), np.array([-1.005, -1.0, 0.0, 1.0, 1.005]))
    assert TwoPointCounter("smu", edges, first, second, position_type="pos", los="z", engine="albireo").ncounts[1].tolist() == [0, 0, 0, 20]


def test_a_sample_with_two_weights_has_no_self_pairs(samples):
    x, _, w = samples[0]
    both = TwoPointCounter("s", S, x, weights1=[w], weights2=[w**2], engine="albireo")
    s = pairs(x, x, "z", "s")[0][0]
    apart = ~np.eye(len(w), dtype=bool)
    expected = np.histogram(s[apart], S, weights=np.outer(w, w**2)[apart])[0]
    np.testing.assert_allclose(both.wcounts, expected, rtol=1e-6)
    np.testing.assert_array_equal(both.ncounts, TwoPointCounter("s", S, x, engine="albireo").ncounts)


@pytest.mark.parametrize(("mode", "edges"), [("s", (S,)), ("smu", (S, MU)), ("rppi", (S, PI))])
def test_heavy_points_leave_no_trace_where_they_meet_themselves(mode, edges):
    """Two light points are the only pair; the weights of thousands of others with themselves are of its bin."""
    rng = np.random.default_rng(5)
    x = np.stack(np.unravel_index(np.arange(3002), (15, 15, 15))) * 200.0 + 100
    x[:, 1] = x[:, 0] + np.array([0.0, 0.0, 1.0])
    w = 500 * (1 + rng.random(x.shape[1]))
    w[:2] = [0.6, 0.7]
    both = TwoPointCounter(mode, edges if mode != "s" else S, x, weights1=[w], weights2=[w], los="x", engine="albireo")
    single = TwoPointCounter(mode, edges if mode != "s" else S, x, weights1=[w], los="x", engine="albireo")
    np.testing.assert_array_equal(both.ncounts, single.ncounts)
    assert both.ncounts.sum() == 2
    # Products of weights are below 2^20: each of the two pairs is rounded to 2^-37 of that.
    assert abs(both.wcounts.sum() - 2 * 0.6 * 0.7) <= 2 * 2.0 ** (20 - 37)
    np.testing.assert_array_equal(both.wcounts, single.wcounts)


def test_a_box_and_threads(samples):
    x = samples[0][0] - 60
    made = [TwoPointCounter("smu", (S[:3], MU), x, boxsize=50.0, los="x", nthreads=n, engine="albireo") for n in (1, 3)]
    ours_ = albireo.count(x.T, bins=S[:3], statistic="s-mu", mu_bins=[-np.nextafter(1, 0), -0.5, 0.1, np.nextafter(1, 0)], box=50, los="x")
    np.testing.assert_array_equal(made[0].ncounts, ours_.npairs)
    np.testing.assert_array_equal(made[0].wcounts, made[1].wcounts)


def test_jackknife_is_saved_and_loads_without_us(samples, tmp_path):
    (x, _, w), (r, _, _) = samples
    labels = [np.arange(n) % 3 for n in (90, 70)]
    made = TwoPointCorrelationFunction(
        "s", S, x, randoms_positions1=r, data_weights1=w, data_samples1=labels[0], randoms_samples1=labels[1], engine="albireo",
    )
    path = tmp_path / "xi.npy"
    made.save(path)
    program = (
        "import sys; sys.modules['albireo'] = None\n"
        f"from pycorr import TwoPointEstimator; xi = TwoPointEstimator.load({str(path)!r})\n"
        "print(repr(xi.corr.tolist()), xi.nrealizations, type(xi.D1D2.auto[0]).__name__)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert found.split() == [*repr(made.corr.tolist()).split(), "3", "BaseTwoPointCounter"]


def test_results_become_estimators_of_pycorr(samples, tmp_path):
    (x, _, w), (r, _, _) = samples
    data, randoms = x.T, np.concatenate([r.T, r.T[::-1] + 0.5])
    for bins in ({}, {"statistic": "s-mu", "mu_bins": "lin:0:1:2"}, {"statistic": "rp-pi", "pi_bins": [-30.0, 0.0, 30.0]}):
        for kind in (True, "mohammad-percival"):
            xi = albireo.xi(data, randoms, weights=w, randoms_weights=np.ones(len(randoms)), bins=[0, 15, 30, 60], regions=4, jackknife=kind, **bins)
            theirs = ours.to_pycorr(xi)
            theirs.save(tmp_path / "xi.npy")
            loaded = TwoPointEstimator.load(tmp_path / "xi.npy")
            np.testing.assert_array_equal(loaded.corr, theirs.corr)
            assert isinstance(loaded.D1D2, JackknifeTwoPointCounter)
            folded = loaded.wrap() if "mu_bins" in bins else loaded
            correction = "mohammad21" if kind != True else None  # noqa: E712
            np.testing.assert_allclose(folded.corr, xi.xi, rtol=1e-12)
            np.testing.assert_allclose(folded.cov(correction=correction), xi.covariance, rtol=1e-9, atol=1e-15)
    poles = albireo.multipoles(data, box=200, wrap=True, bins=[10, 30, 60], mu_bins="lin:0:1:10")
    np.testing.assert_allclose(ours.to_pycorr(poles)(ells=(0, 2, 4), return_sep=False), poles.value, rtol=1e-12)
    counts = ours.to_pycorr(albireo.count(data, bins=S))
    assert counts.ncounts.tolist() == TwoPointCounter("s", S, x, engine="albireo").ncounts.tolist()
    assert (counts.size1, counts.wnorm) == (90, 90 * 89.0)


def test_what_pycorr_and_we_cannot_do_is_told(samples):
    x, bits, w = samples[0]
    make = lambda mode="s", edges=S, **kw: TwoPointCounter(mode, edges, x, engine="albireo", **kw)  # noqa: E731
    with pytest.raises(TwoPointCounterError, match="half the box|reach"):
        make(boxsize=55.0)
    with pytest.raises(TwoPointCounterError, match="expected rp or theta"):
        make(selection_attrs={"mu": (0, 1)})
    with pytest.raises(TwoPointCounterError, match="correction"):
        make(weights1=bits, weight_attrs={"correction": np.ones((129, 129))})
    with pytest.raises(TwoPointCounterError, match="albireo: .*weight must be finite: found NaN in row 7"):
        make(weights1=[np.where(np.arange(90) == 7, np.nan, w)])
    with pytest.warns(UserWarning, match="not read: colour"):
        make(colour=1)
    with pytest.raises(ValueError, match="expected pair counts or a correlation function"):
        ours.to_pycorr(albireo.rdf(x.T, bins=S, volume=1e5))
    with pytest.raises(ValueError, match="no estimator hamilton"):
        ours.to_pycorr(albireo.xi(x.T, x.T + 1, bins=S, estimator="hamilton"))
    assert utils.popcount(np.array([3], dtype="u1")) == 2


def test_examples_of_the_documentation():
    import doctest

    import albireo.pycorr.export

    for module in (ours, albireo.pycorr.export):
        failed, tried = doctest.testmod(module)
        assert failed == 0 and tried > 3
