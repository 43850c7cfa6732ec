//! What `xi` and `wp` make of two axes: wedges, multipoles, parts of the bins in pi.

use crate::folder::{Folder, floats, names, scattered};

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(150, 10.0, 1))
        .with("r.csv", &scattered(400, 10.0, 2))
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-12 * expected.abs().max(1.0)
            || (found.is_nan() && expected.is_nan()),
        "{found} is not {expected}"
    );
}

const S_MU: &str =
    "xi d.csv --randoms r.csv --statistic s-mu --bins lin:0:4:2 --mu-bins lin:0:1:10";

#[test]
fn wedges_are_means_of_the_grid_and_carry_the_errors_of_regions() {
    let folder = folder();
    let regions = "--regions 8 --covariance cov.csv --counts grid.csv";
    folder.good(&format!("{S_MU} --wedges 2 {regions} -o w.csv"));
    let (table, grid) = (folder.table("w.csv"), folder.table("grid.csv"));
    assert_eq!(
        names(&table).join(" "),
        "lo hi centre xi_wedge_0 xi_wedge_0_error xi_wedge_0_poisson_error xi_wedge_1 xi_wedge_1_error xi_wedge_1_poisson_error"
    );
    assert_eq!(table.meta["result"], "wedges");
    assert_eq!(table.meta["wedges"], serde_json::json!([0.0, 0.5, 1.0]));
    let xi = floats(&grid, "xi");
    let mean = |from: usize| xi[from..from + 5].iter().sum::<f64>() / 5.0;
    for wedge in 0..2 {
        for s in 0..2 {
            let found = floats(&table, &format!("xi_wedge_{wedge}"))[s];
            near(found, mean(10 * s + 5 * wedge));
        }
    }
    let poisson = floats(&grid, "xi_poisson_error");
    let expected = (15..20)
        .map(|k| poisson[k] * poisson[k])
        .sum::<f64>()
        .sqrt()
        / 5.0;
    near(floats(&table, "xi_wedge_1_poisson_error")[1], expected);
    let cov = folder.table("cov.csv");
    assert_eq!(cov.meta["covariance_of"], "wedges");
    assert_eq!(floats(&cov, "column_wedge_lo")[..4], [0.0, 0.0, 0.5, 0.5]);
    assert_eq!(floats(&cov, "column_wedge_hi")[..4], [0.5, 0.5, 1.0, 1.0]);
    assert_eq!(floats(&cov, "column_lo")[..4], [0.0, 2.0, 0.0, 2.0]);
    let variance = floats(&cov, "covariance");
    near(floats(&table, "xi_wedge_1_error")[1], variance[15].sqrt());
    // By edges the same, and others that cut bins.
    folder.good(&format!("{S_MU} --wedge-edges 0,0.5,1 -o e.csv"));
    assert_eq!(
        floats(&folder.table("e.csv"), "xi_wedge_1"),
        floats(&table, "xi_wedge_1")
    );
    folder.good(&format!("{S_MU} --wedge-edges 0.05,0.1,0.25 -o cut.csv"));
    let cut = folder.table("cut.csv");
    near(floats(&cut, "xi_wedge_0")[1], xi[10]);
    near(
        floats(&cut, "xi_wedge_1")[1],
        (xi[11] * 0.1 + xi[12] * 0.05) / 0.15,
    );
}

#[test]
fn numpy_makes_the_same_wedges() {
    const SCRIPT: &str = "
import numpy as np
grid = np.genfromtxt('grid.csv', delimiter=',', names=True)
xi, lo, hi = (grid[name].reshape(2, 10) for name in ('xi', 'mu_lo', 'mu_hi'))
found = np.genfromtxt('w.csv', delimiter=',', names=True)
edges = [0.0, 1 / 3, 2 / 3, 1.0]
for k in range(3):
    part = np.clip(hi, edges[k], edges[k + 1]) - np.clip(lo, edges[k], edges[k + 1])
    expected = np.average(xi, axis=1, weights=part)
    np.testing.assert_allclose(found[f'xi_wedge_{k}'], expected, rtol=1e-12)
";
    let Some(python) = std::env::var_os("ALBIREO_PYTHON") else {
        return;
    };
    let folder = folder();
    folder.good(&format!("{S_MU} --wedges 3 --counts grid.csv -o w.csv"));
    folder.assert_by(&python, SCRIPT);
}

#[test]
fn a_wedge_of_whole_bins_has_those_whose_middle_it_holds() {
    let folder = folder();
    let wedges = "--wedges 3 --wedge-bins middle --counts grid.csv";
    folder.good(&format!("{S_MU} {wedges} -o w.csv"));
    let (table, grid) = (folder.table("w.csv"), folder.table("grid.csv"));
    // Middles of ten bins below 1/3: 0.05, 0.15, 0.25; below 2/3: up to 0.65.
    assert_eq!(
        table.meta["wedges"],
        serde_json::json!([0.0, 0.3, 0.7, 1.0])
    );
    let xi = floats(&grid, "xi");
    for (wedge, bins) in [(0, 0..3), (1, 3..7), (2, 7..10)] {
        for s in 0..2 {
            let own = &xi[10 * s..][bins.clone()];
            let found = floats(&table, &format!("xi_wedge_{wedge}"))[s];
            near(found, own.iter().sum::<f64>() / own.len() as f64);
        }
    }
}

/// What a result says without how it was made.
fn rows(folder: &Folder, name: &str) -> Vec<(String, albireo_catalogs::Values)> {
    let columns = folder.table(name).columns.into_iter();
    columns.map(|c| (c.name, c.values)).collect()
}

#[test]
fn several_forms_of_one_counting_are_those_of_each_alone() {
    let folder = folder();
    let regions = "--regions 4 --wedges 2";
    let forms = "--multipoles 0,2 --outputs multipoles=m.csv,xi=x.json,wedges=w.csv";
    let all = folder.good(&format!("{S_MU} {regions} {forms} --covariance cov.csv"));
    assert!(all.stdout.contains("xi_wedge_0"), "{}", all.stdout);
    folder.good(&format!("{S_MU} --regions 4 --multipoles 0,2 -o one_m.csv"));
    folder.good(&format!("{S_MU} --regions 4 -o one_x.json"));
    let covariance = "--covariance one_cov.csv";
    folder.good(&format!("{S_MU} {regions} {covariance} -o one_w.csv"));
    for name in ["m.csv", "x.json", "w.csv", "cov.csv"] {
        assert_eq!(
            rows(&folder, name),
            rows(&folder, &format!("one_{name}")),
            "{name}"
        );
    }
    folder.good(
        "wp d.csv --box 10 --bins lin:0.5:3:3 --pi-bins lin:0:2:2 --outputs xi=grid.csv,wp=wp.csv",
    );
    folder.good("wp d.csv --box 10 --bins lin:0.5:3:3 --pi-bins lin:0:2:2 --counts one_grid.csv -o one_wp.csv");
    for name in ["grid.csv", "wp.csv"] {
        assert_eq!(
            rows(&folder, name),
            rows(&folder, &format!("one_{name}")),
            "{name}"
        );
    }
    let sets = "--weight-set a=none --weight-set b=none --multipoles 0 --outputs";
    folder.good(&format!(
        "{S_MU} {sets} xi=x_{{}}.csv,multipoles=m_{{}}.csv"
    ));
    assert_eq!(rows(&folder, "x_a.csv"), rows(&folder, "x_b.csv"));
    assert!(folder.path("m_b.csv").exists());
}

#[test]
fn a_job_has_a_table_of_forms() {
    let job = "[xi.a]\ndata = 'd.csv'\nrandoms = 'r.csv'\nstatistic = 's-mu'\nbins = 'lin:0:4:2'\nmu-bins = 'lin:0:1:4'\n\
        multipoles = [0]\noutputs = { xi = 'new/deep/x.json', multipoles = 'm.csv' }\n[plot.b]\nresults = 'm.csv'\noutput = 'm.png'\n";
    let folder = folder().with("job.toml", job);
    let run = folder.good("run job.toml");
    assert!(run.stdout.contains("m.csv: multipoles"), "{}", run.stdout);
    let again = folder.good("run job.toml");
    assert!(
        again
            .stderr
            .contains("[xi.a] is done: new/deep/x.json, m.csv"),
        "{}",
        again.stderr
    );
    std::fs::remove_file(folder.path("new/deep/x.json")).unwrap();
    assert!(
        !folder
            .good("run job.toml")
            .stderr
            .contains("[xi.a] is done")
    );
}

#[test]
fn wp_may_end_before_the_bins_do() {
    let folder = folder();
    let wp = "wp d.csv --box 10 --bins lin:0.5:3:3";
    folder.good(&format!(
        "{wp} --pi-bins edges:0,1,2,5 --pi-max 2 -o part.csv"
    ));
    folder.good(&format!("{wp} --pi-bins edges:0,1,2 -o all.csv"));
    folder.good(&format!(
        "{wp} --pi-bins edges:-5,-2,-1,0,1,2,5 --pi-max 2 -o signed.csv"
    ));
    let [part, all, signed] = ["part.csv", "all.csv", "signed.csv"].map(|name| folder.table(name));
    assert_eq!(floats(&part, "wp"), floats(&all, "wp"));
    assert_eq!(part.meta["pi_max"], 2.0);
    for k in 0..3 {
        // Every pair counts on both sides, in two bins of half the width each.
        near(floats(&signed, "wp")[k], floats(&all, "wp")[k]);
        near(floats(&signed, "wp_error")[k], floats(&all, "wp_error")[k]);
    }
}

#[test]
fn wedges_over_mocks_have_a_covariance() {
    let folder = folder().with("e.csv", &scattered(120, 10.0, 3));
    for name in ["d", "e"] {
        folder.good(&format!(
            "xi {name}.csv --box 10 --statistic s-mu --bins lin:0:4:2 --mu-bins lin:0:1:4 --wedges 2 -o m_{name}.csv"
        ));
    }
    folder.good("result covariance m_d.csv m_e.csv -o cov.csv --mean mean.csv --singular");
    let [d, e, mean] = ["m_d.csv", "m_e.csv", "mean.csv"].map(|name| folder.table(name));
    let of = |table| floats(table, "xi_wedge_1")[1];
    near(of(&mean), f64::midpoint(of(&d), of(&e)));
    let cov = folder.table("cov.csv");
    near(
        floats(&cov, "covariance")[15],
        (of(&d) - of(&e)).powi(2) / 2.0,
    );
    assert_eq!(floats(&cov, "row_wedge_lo")[15], 0.5);
    folder.good(
        "xi e.csv --box 10 --statistic s-mu --bins lin:0:4:2 --mu-bins lin:0:1:4 --wedge-edges 0,0.25,1 -o m_f.csv",
    );
    let run = folder.run("result covariance m_d.csv m_f.csv");
    assert!(
        run.stderr
            .contains("its wedges: [0.0,0.25,1.0], not [0.0,0.5,1.0]"),
        "{}",
        run.stderr
    );
}

#[cfg(feature = "plot")]
#[test]
fn wedges_are_drawn_in_one_figure() {
    let folder = folder();
    folder.good(&format!("{S_MU} --wedges 3 --plot w.svg -o w.csv"));
    let svg = folder.text("w.svg");
    for label in ["0 &lt; μ &lt; 0.333", "0.667 &lt; μ &lt; 1", "ξ_w(s)"] {
        assert!(svg.contains(label), "{label}: {svg}");
    }
}

/// The sums of `w L` in a shell of the first column over all `w`, by numpy.
#[test]
fn numpy_makes_the_same_multipoles_from_legendre_sums() {
    const SCRIPT: &str = "
import numpy as np
from numpy.polynomial.legendre import legval
d, r = (np.genfromtxt(name, delimiter=',', names=True) for name in ('d.csv', 'r.csv'))
def rows(t): return np.stack([t['x'], t['y'], t['z']], axis=1), t['w']
def sums(one, other, products):
    (p, w), (q, v) = rows(one), rows(other)
    if one is other: i, j = np.tril_indices(len(p), -1)
    else: i, j = (k.ravel() for k in np.indices((len(p), len(q))))
    sep, los, weight = p[i] - q[j], p[i] + q[j], w[i] * v[j]
    s = np.sqrt((sep**2).sum(axis=1))
    mu = (sep * los).sum(axis=1) / (s * np.sqrt((los**2).sum(axis=1)))
    L = lambda l: legval(mu, [0] * l + [1])
    shell = [(s >= lo) & (s < lo + 2) for lo in (0, 2)]
    return [[(weight * L(a) * L(b))[k].sum() / weight.sum() for k in shell] for a, b in products]
pairs = [(0, 0), (0, 2), (0, 4), (2, 2), (2, 4), (4, 4)]
rr = dict(zip(pairs, np.array(sums(r, r, pairs))))
one = [(0, 0), (2, 0), (4, 0)]
dd, dr, r0 = (np.array(sums(a, b, one)) for a, b in ((d, d), (d, r), (r, r)))
found = np.genfromtxt('poles.csv', delimiter=',', names=True)
for k in range(2):
    M = [[rr[min(a, b), max(a, b)][k] for b in (0, 2, 4)] for a in (0, 2, 4)]
    xi = np.linalg.solve(M, dd[:, k] - 2 * dr[:, k] + r0[:, k])
    np.testing.assert_allclose([found[f'xi_{l}'][k] for l in (0, 2, 4)], xi, rtol=1e-7)
";
    let Some(python) = std::env::var_os("ALBIREO_PYTHON") else {
        return;
    };
    let folder = folder();
    folder.good("xi d.csv --randoms r.csv --weight w --statistic s-mu --bins lin:0:4:2 --multipoles 0,2,4 --poles-from legendre -o poles.csv");
    folder.assert_by(&python, SCRIPT);
}

const SUMS: &str = "xi d.csv --randoms r.csv --weight w --statistic s-mu --bins lin:0:4:2 --multipoles 0,2 --poles-from legendre";

#[test]
fn multipoles_from_legendre_sums_carry_the_errors_of_regions_and_use_rr_again() {
    let folder = folder();
    folder.good(&format!("{SUMS} --counts grid.csv -o p.csv"));
    let [plain, grid] = ["p.csv", "grid.csv"].map(|name| folder.table(name));
    assert_eq!(
        names(&plain).join(" "),
        "lo hi centre xi_0 xi_0_error xi_2 xi_2_error"
    );
    assert_eq!(plain.meta["poles_from"], "legendre");
    assert_eq!(
        plain.meta["summed_over"],
        serde_json::json!({"mu": [0.0, 1.0]})
    );
    assert!(
        ["DD_L2", "DD_L4", "RR_L2", "RR_L4"]
            .iter()
            .all(|name| names(&grid).contains(name))
    );
    // RR from the grid, or from a count of it, is the same RR.
    folder.good(&format!("{SUMS} --rr grid.csv -o again.csv"));
    folder.good("count r.csv --weight w --statistic s-mu --bins lin:0:4:2 --mu-bins lin:0:1:1 --legendre 2,4 -o rr.csv");
    folder.good(&format!("{SUMS} --rr rr.csv -o third.csv"));
    for name in ["again.csv", "third.csv"] {
        let table = folder.table(name);
        for column in ["xi_0", "xi_2", "xi_2_error"] {
            assert_eq!(
                floats(&table, column),
                floats(&plain, column),
                "{name} {column}"
            );
        }
    }
    for errors in [
        "--jackknife",
        "--jackknife=mohammad-percival",
        "--bootstrap 20",
    ] {
        folder.good(&format!(
            "{SUMS} --regions 8 {errors} --covariance cov.csv -o r.csv.csv"
        ));
        let (table, cov) = (folder.table("r.csv.csv"), folder.table("cov.csv"));
        for column in ["xi_0", "xi_2"] {
            assert_eq!(floats(&table, column), floats(&plain, column));
        }
        for k in 0..2 {
            let poisson = format!("xi_{}_poisson_error", 2 * k);
            assert_eq!(
                floats(&table, &poisson),
                floats(&plain, &format!("xi_{}_error", 2 * k))
            );
            let variance = floats(&cov, "covariance")[(2 * k + 1) * 5];
            near(
                floats(&table, &format!("xi_{}_error", 2 * k))[1],
                variance.sqrt(),
            );
        }
        assert_eq!(cov.meta["covariance_of"], "multipoles");
    }
    // Odd ones of a sample, and of two; and sub-cubes of a box.
    folder.good("xi d.csv --randoms r.csv --statistic s-mu --bins lin:0:4:2 --los first --multipoles 0,1,2 --poles-from legendre -o odd.csv");
    assert!(floats(&folder.table("odd.csv"), "xi_1")[1].abs() > 0.0);
    folder.good("xi d.csv --box 10 --statistic s-mu --bins lin:0:4:2 --multipoles 0,2,4 --poles-from legendre --regions-cubes 2 -o box.csv");
    assert!(floats(&folder.table("box.csv"), "xi_4_error")[1] > 0.0);
}

#[test]
fn means_by_weights_stand_under_their_own_name_and_add_up() {
    let folder = folder();
    let count = "count d.csv --weight w --bins lin:0:4:4 --mean-separation";
    folder.good(&format!("{count}=weighted -o w.csv"));
    folder.good(&format!("{count} -o m.csv"));
    folder.good("count d.csv --weight w --bins lin:0:4:2 --mean-separation=weighted -o coarse.csv");
    let [weighted, plain, coarse] = ["w.csv", "m.csv", "coarse.csv"].map(|name| folder.table(name));
    let (a, b) = (
        floats(&weighted, "weighted_mean_r"),
        floats(&plain, "mean_r"),
    );
    assert!(
        (0..4).all(|k| a[k] != b[k] && (a[k] - b[k]).abs() < 0.1),
        "{a:?} {b:?}"
    );
    folder.good("result rebin w.csv --by 2 -o r.csv.csv");
    let rebinned = folder.table("r.csv.csv");
    for k in 0..2 {
        near(
            floats(&rebinned, "weighted_mean_r")[k],
            floats(&coarse, "weighted_mean_r")[k],
        );
        near(floats(&rebinned, "weight")[k], floats(&coarse, "weight")[k]);
    }
    folder
        .good("xi d.csv --weight w --box 10 --bins lin:1:4:2 --mean-separation=weighted -o xi.csv");
    assert_eq!(names(&folder.table("xi.csv"))[3], "weighted_mean_r");
    let run = folder.run("count d.csv --bins lin:0:4:4 --mean-separation=weighted");
    assert_eq!(run.code, 2);
    assert!(
        run.stderr
            .contains("--mean-separation=weighted: the particles of DD have no weights"),
        "{}",
        run.stderr
    );
    // Legendre sums add up too, to those of the coarser bins.
    let s_mu = "count d.csv --statistic s-mu --los z --mu-bins lin:0:1:2 --legendre 2,4";
    folder.good(&format!("{s_mu} --bins lin:0:4:4 -o fine.csv"));
    folder.good(&format!("{s_mu} --bins lin:0:4:2 -o two.csv"));
    folder.good("result rebin fine.csv --by 2 -o sum.csv");
    for k in 0..4 {
        let [sum, two] = ["sum.csv", "two.csv"].map(|name| floats(&folder.table(name), "L4")[k]);
        near(sum, two);
    }
}
