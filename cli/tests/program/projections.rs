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
        names(&table),
        [
            "lo",
            "hi",
            "centre",
            "xi_wedge_0",
            "xi_wedge_0_error",
            "xi_wedge_0_poisson_error",
            "xi_wedge_1",
            "xi_wedge_1_error",
            "xi_wedge_1_poisson_error"
        ]
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
    let output = std::process::Command::new(python)
        .args(["-c", SCRIPT])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
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
fn projections_that_cannot_be_had_are_refused_before_a_file_is_read() {
    let folder = folder();
    let s_mu = "xi none.csv --statistic s-mu --bins lin:0:4:2 --mu-bins lin:0:1:10";
    let wp = "wp none.csv --bins lin:0:4:2 --pi-bins edges:-5,-2,0,1,5";
    for (command, words) in [
        (
            "xi none.csv --bins lin:0:4:2 --wedges 2".to_owned(),
            "--wedges needs --statistic s-mu",
        ),
        (
            format!("{s_mu} --wedge-edges 0,0.5,0.5"),
            "--wedge-edges: the edges of wedges must rise, found 0.5 before 0.5",
        ),
        (
            format!("{s_mu} --wedge-edges -1,0,1"),
            "wedges from -1 to 1 in mu need bins there, found those from 0 to 1",
        ),
        (
            format!("{s_mu} --wedge-edges 0.5"),
            "at least 2 edges in mu, found 1",
        ),
        (format!("{s_mu} --wedges 0"), "--wedges"),
        (
            format!("{s_mu} --wedges 2 --multipoles 0"),
            "cannot be used with",
        ),
        (
            format!("{s_mu} --counts c.csv"),
            "--counts needs --multipoles, --wedges or --wedge-edges",
        ),
        (
            format!("{wp} --pi-max 1"),
            "--pi-max 1 is no upper edge of the bins in pi: these are 5",
        ),
        (format!("{wp} --pi-max 0"), "--pi-max 0 is no upper edge"),
    ] {
        let run = folder.run(&command);
        assert_eq!(run.code, 2, "{command}\n{}", run.stderr);
        assert!(run.stderr.contains(words), "{command}\n{}", run.stderr);
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
    folder.good("result covariance m_d.csv m_e.csv -o cov.csv --mean mean.csv");
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
    let svg = std::fs::read_to_string(folder.path("w.svg")).unwrap();
    for label in ["0 &lt; μ &lt; 0.333", "0.667 &lt; μ &lt; 1", "ξ_w(s)"] {
        assert!(svg.contains(label), "{label}: {svg}");
    }
}
