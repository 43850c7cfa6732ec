"""Results drawn with matplotlib: what is drawn are the columns, and every axis has a name with its unit."""

import numpy as np
import pytest

import albireo

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

MPC = "[h⁻¹ Mpc]"


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def made():
    """Results of every kind that has a figure, by name."""
    rng = np.random.default_rng(3)
    data, randoms = rng.random((600, 3)) * 40, rng.random((1500, 3)) * 40
    box = dict(box=40, unit="Mpc/h")
    results = {
        "xi": albireo.xi(data, randoms, bins="log:0.5:20:6", unit="Mpc/h", regions=8),
        "poles": albireo.multipoles(data, randoms, bins="lin:1:20:5", mu_bins="lin:0:1:10", unit="Mpc/h", regions=8, los="z"),
        "wp": albireo.wp(data, randoms, bins="log:0.5:20:6", pi_bins="lin:0:10:5", unit="Mpc/h", los="z"),
        "rp-pi": albireo.xi(data, statistic="rp-pi", bins="lin:0:10:4", pi_bins="lin:-10:10:8", **box),
        "s-mu": albireo.xi(data, statistic="s-mu", bins="lin:1:10:4", mu_bins="lin:0:1:5", **box),
        "counts": albireo.count(data, bins="log:0.5:20:6", **box),
        "counts rp-pi": albireo.count(data, statistic="rp-pi", bins="lin:0:10:4", pi_bins="lin:0:10:4", **box),
    }
    sky = albireo.Catalog(sky=(rng.random(400) * 30, rng.random(400) * 20), redshift=0.1 + rng.random(400) * 0.4)
    results["nz"] = albireo.nz(sky, cosmology="Planck18", bins="lin:0.1:0.5:6", area=600)
    results["theta"] = albireo.xi(sky, albireo.Catalog(sky=(rng.random(900) * 30, rng.random(900) * 20)), statistic="theta", bins="log:0.5:10:5")
    results["wedges"] = results["poles"].counts.estimate(wedges=2)
    results["window"] = albireo.window(albireo.count(randoms, statistic="s-mu", bins="lin:0:60:6", mu_bins="lin:0:1:10", los="z", unit="Mpc/h"))
    results["covariance"], results["covariance of poles"] = results["xi"].part("covariance"), results["poles"].part("covariance")
    frames = rng.random((6, 120, 3)) * 8
    liquid = dict(box=8, r_max=4, n_bins=20, unit="nm", q="lin:1:10:12")
    results["g"] = albireo.rdf(frames, species="none", **{name: liquid[name] for name in ("box", "r_max", "n_bins", "unit")})
    results["partials"] = albireo.rdf(frames, species=["A", "B"] * 60, structure=True, window="lorch", scattering="A=1,B=2", total_g=True, **liquid)
    results["S"], results["G"] = results["partials"].part("structure"), results["partials"].part("total_g")
    results["many"] = albireo.rdf(frames, species=["A", "B", "C"] * 40, r_max=4, n_bins=20, box=8, unit="nm")
    results["lags"] = albireo.rdf(frames, species="none", lags=[0, 2], r_max=4, n_bins=20, box=8, unit="nm")
    results["blocks"] = albireo.rdf(frames, species="none", block_counts=True, block=2, r_max=4, n_bins=20, box=8, unit="nm").part("block_counts")
    results["g(rho, z)"] = albireo.rdf(frames, species="none", cylinder="z", heights="lin:0:3:6", r_max=3, n_bins=5, box=8, unit="nm")
    body = albireo.rdf(frames[0], species="none", box="none", r_max=14, n_bins=20, unit="nm", p_of_r=True)
    results["P"] = body.part("p_of_r")
    return results


#: What the legend says of the curves of values below zero on a logarithmic axis.
BELOW = "negative, absolute value"


def curves(ax, below=False):
    """The points and bars of errors of every curve: x, y, and half of each bar, of points that have a value."""
    drawn = []
    for container in ax.containers:
        if (container.get_label() == BELOW) != below:
            continue
        line, _, bars = container.lines
        error = np.array([(bar[1, 1] - bar[0, 1]) / 2 for bar in bars[0].get_segments() if len(bar)]) if bars else None
        drawn.append((line.get_xdata(), line.get_ydata(), error))
    return drawn


#: Each kind: names of axes, columns of values, columns of errors, the power of the separation that both are scaled by.
CURVES = {
    "xi": (("r", MPC), "ξ(r)", ["xi"], ["xi_error"], 0),
    "poles": (("s", MPC), "s² ξ$_{\\mathrm{ℓ}}$(s)  [h⁻² Mpc²]", ["xi_0", "xi_2", "xi_4"], ["xi_0_error", "xi_2_error", "xi_4_error"], 2),
    "wedges": (("s", MPC), "s² ξ$_{\\mathrm{w}}$(s)  [h⁻² Mpc²]", ["xi_wedge_0", "xi_wedge_1"], ["xi_wedge_0_error", "xi_wedge_1_error"], 2),
    "wp": (("r$_{\\mathrm{p}}$", MPC), "w$_{\\mathrm{p}}$(r$_{\\mathrm{p}}$)  " + MPC, ["wp"], ["wp_error"], 0),
    "theta": (("θ", "[degrees]"), "w(θ)", ["xi"], ["xi_error"], 0),
    "counts": (("r", MPC), "pairs per bin", ["npairs"], [None], 0),
    "nz": (("z", ""), "n(z)  [h³ Mpc⁻³]", ["n"], ["n_error"], 0),
    "window": (("s", MPC), "Q$_{\\mathrm{ℓ}}$(s)", ["Q_0", "Q_2", "Q_4"], ["Q_0_error", "Q_2_error", "Q_4_error"], 0),
    "g": (("r", "[nm]"), "g(r)", ["g"], ["g_block_error"], 0),
    "partials": (("r", "[nm]"), "g(r)", ["g_A-A", "g_A-B", "g_B-B"], ["g_block_error_A-A", "g_block_error_A-B", "g_block_error_B-B"], 0),
    "S": (("q", "[nm⁻¹]"), "Faber-Ziman S(q)", ["S_A-A", "S_A-B", "S_B-B"], [None] * 3, 0),
    "G": (("r", "[nm]"), "G(r)", ["G"], [None], 0),
    "P": (("r", "[nm]"), "P(r)  [nm⁻¹]", ["P"], [None], 0),
    "lags": (("r", "[nm]"), "g(r, t)", ["g_all-all_t0", "g_all-all_t2"], [None] * 2, 0),
}


@pytest.mark.parametrize("kind", CURVES)
def test_curves_are_columns(made, kind):
    (name, unit), label, values, errors, power = CURVES[kind]
    result = made[kind]
    ax = result.plot()
    assert ax.get_xlabel().split() == [name, *unit.split()] and ax.get_ylabel() == label
    drawn = curves(ax)
    assert len(drawn) == len(values)
    edges, is_logarithmic = result.edges, ax.get_xscale() == "log"
    means = [column for column in result.columns if column.startswith(("mean_", "weighted_mean_"))]
    middles = np.sqrt(edges[:-1] * edges[1:]) if is_logarithmic else (edges[:-1] + edges[1:]) / 2
    x = result[means[0]] if means else middles
    for (place, value, error), column, of_error in zip(drawn, values, errors):
        expected = result[column] * x**power
        shown = np.where((expected < 0) & (ax.get_yscale() == "log"), np.nan, expected)
        np.testing.assert_allclose(place, x, rtol=1e-12)
        np.testing.assert_allclose(value, shown, rtol=1e-12)
        assert (error is None) == (of_error is None)
        if of_error is not None:
            known = np.isfinite(shown)
            np.testing.assert_allclose(error, (np.nan_to_num(result[of_error]) * x**power)[known], rtol=1e-9, atol=1e-12)
    below = result[values[0]] < 0
    if ax.get_yscale() == "log" and below.any():
        ((place, value, error),) = curves(ax, below=True)
        np.testing.assert_array_equal([place, value], [x[below], -result[values[0]][below]])
        assert BELOW in [text.get_text() for text in ax.get_legend().get_texts()]
    if len(values) > 1:
        assert len(ax.get_legend().get_texts()) >= len(values)


def test_legends_name_errors_and_windows(made):
    said = {kind: made[kind].plot().get_legend().get_title().get_text() for kind in ("xi", "wp", "g", "S")}
    assert said["xi"] == "errors: jackknife, 8 regions" and said["wp"] == "errors: Poisson", said
    assert said["g"].startswith("errors: scatter of ") and said["S"] == "window: Lorch", said
    names = [text.get_text() for text in made["partials"].plot().get_legend().get_texts()]
    assert names == ["A-A", "A-B", "B-B"]


@pytest.mark.parametrize(
    ("kind", "labels", "column"),
    [
        ("rp-pi", (f"r$_{{\\mathrm{{p}}}}$  {MPC}", f"π  {MPC}", "ξ(r$_{\\mathrm{p}}$, π)"), "xi"),
        ("s-mu", (f"s  {MPC}", "μ", "ξ(s, μ)"), "xi"),
        ("counts rp-pi", (f"r$_{{\\mathrm{{p}}}}$  {MPC}", f"π  {MPC}", "pairs per bin"), "npairs"),
        ("g(rho, z)", ("ρ  [nm]", "z  [nm]", "g(ρ, z)"), "g"),
        ("covariance", (f"r  {MPC}",) * 2 + ("correlation of ξ",), "correlation"),
        ("covariance of poles", (f"s  {MPC}",) * 2 + ("correlation of ξ$_{\\mathrm{ℓ}}$",), "correlation"),
    ],
)
def test_maps_are_columns(made, kind, labels, column):
    result = made[kind]
    ax = result.plot()
    (image,), bar = [c for c in ax.collections if isinstance(c, matplotlib.collections.QuadMesh)], ax.figure.axes[1]
    assert (ax.get_xlabel(), ax.get_ylabel(), bar.get_ylabel()) == labels
    values = result[column].astype(float)
    bins = [len(edges) - 1 for edges in result.edges] if isinstance(result.edges, tuple) else [round(len(values) ** 0.5)] * 2
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan).reshape(bins[::-1]), values.reshape(bins).T)
    if kind == "covariance of poles":
        assert [text.get_text() for text in ax.texts] == ["ℓ = 0", "ℓ = 2", "ℓ = 4"]
        assert {"5", "10", "15"} <= {text.get_text() for text in ax.get_xticklabels()}


def test_logarithmic_axes_have_plain_numbers(made):
    ax = made["xi"].plot()
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    shown = [label.get_text() for place, label in zip(ax.get_xticks(), ax.get_xticklabels()) if low <= place <= high]
    assert ax.get_xscale() == "log" and shown == ["0.5", "1", "2", "5", "10", "20"]


def test_panels_stand_apart_or_are_chosen(made):
    figure = made["partials"].plot().figure
    assert [ax.get_ylabel() for ax in figure.axes] == ["g(r)", "n(r)"]
    below = curves(figure.axes[1])
    assert len(below) == 4
    np.testing.assert_array_equal(below[0][0], made["partials"]["hi"])
    np.testing.assert_array_equal(below[0][1], made["partials"]["n_A-A"])
    factors = made["S"].plot().figure.axes
    assert [ax.get_ylabel().split()[0] for ax in factors] == ["Faber-Ziman", "Ashcroft-Langreth", "Bhatia-Thornton", "total"]
    np.testing.assert_array_equal([y for _, y, _ in curves(factors[2])], [made["S"][f"S_{pair}"] for pair in ("NN", "NC", "CC")])
    _, ax = plt.subplots()
    assert made["S"].plot(ax, panel="Ashcroft-Langreth S(q)") is ax and len(curves(ax)) == 3
    assert made["g"].plot(panel="n(r)").get_ylabel() == "n(r)"
    with pytest.raises(ValueError, match=r"expected one of 'g\(r\)', 'n\(r\)', found 'S\(q\)'"):
        made["g"].plot(panel="S(q)")


def test_many_partials_have_a_panel_each_or_share_given_axes(made):
    figure = made["many"].plot().figure
    pairs = ["A-A", "A-B", "A-C", "B-B", "B-C", "C-C"]
    assert [ax.get_title() for ax in figure.axes] == pairs
    for ax, pair in zip(figure.axes, pairs):
        np.testing.assert_array_equal(curves(ax)[0][1], made["many"][f"g_{pair}"])
    _, ax = plt.subplots()
    made["many"].plot(ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == pairs


def test_results_share_axes_and_take_a_style(made):
    ax = made["poles"].plot(scale_by=0, label="ours")
    made["poles"].plot(ax, scale_by=0, label="theirs", color="red")
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == [f"{who}, ℓ = {ell}" for who in ("ours", "theirs") for ell in (0, 2, 4)]
    np.testing.assert_array_equal(curves(ax)[3][1], made["poles"]["xi_0"])
    low, high = ax.get_ylim()
    made["xi"].plot(ax, scale_by=1)
    assert ax.get_ylim()[0] <= low and ax.get_ylim()[1] >= high


def test_what_has_no_figure_is_refused(made):
    with pytest.raises(ValueError, match="no figure"):
        albireo.randoms(20, box=5, seed=1).plot()
    with pytest.raises(ValueError, match="from -6 to 6, found `9`"):
        made["xi"].plot(scale_by=9)
    with pytest.raises(ValueError, match="found 'n'"):
        made["rp-pi"].plot(panel="n")
