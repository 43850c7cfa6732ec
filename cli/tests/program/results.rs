//! `albireo result covariance`: the scatter between saved results, against double loops over their tables.

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers, names, scattered};

/// A folder with catalogues `d0.csv`, `d1.csv`.. of points in a cube of side 10.
pub(crate) fn catalogs(n: u64) -> Folder {
    (0..n).fold(Folder::new(), |folder, k| {
        let text = scattered(150 + 10 * k, 10.0, 1 + k);
        folder.with(&format!("d{k}.csv"), &text)
    })
}

/// Runs a command for each catalogue, which stands as `DATA`, into `m0.csv`, `m1.csv`..
pub(crate) fn measured(folder: &Folder, n: u64, command: &str) -> Vec<Table> {
    (0..n)
        .map(|k| {
            let command = command.replace("DATA", &format!("d{k}.csv"));
            folder.good(&format!("{command} -o m{k}.csv"));
            folder.table(&format!("m{k}.csv"))
        })
        .collect()
}

/// Sample means and covariances of rows, by a plain double loop.
fn scatter(rows: &[Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
    let (n, bins) = (rows.len() as f64, rows[0].len());
    let mean: Vec<f64> = (0..bins)
        .map(|b| rows.iter().map(|row| row[b]).sum::<f64>() / n)
        .collect();
    let mut covariance = vec![0.0; bins * bins];
    for i in 0..bins {
        for j in 0..bins {
            for row in rows {
                covariance[i * bins + j] += (row[i] - mean[i]) * (row[j] - mean[j]) / (n - 1.0);
            }
        }
    }
    (mean, covariance)
}

pub(crate) fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= 1e-11 * expected.abs().max(1e-3),
            "{found} {expected}"
        );
    }
}

/// The covariance and the mean that the program makes of a measurement of six catalogues are those of a double loop over its results.
fn is_the_scatter_of_mocks(command: &str, columns: &[&str], of: &str) -> Folder {
    let folder = catalogs(6);
    let tables = measured(&folder, 6, command);
    let rows: Vec<Vec<f64>> = tables
        .iter()
        .map(|table| {
            columns
                .iter()
                .flat_map(|name| floats(table, name))
                .collect()
        })
        .collect();
    let (mean, covariance) = scatter(&rows);
    let bins = mean.len();
    folder.good("result covariance m*.csv -o cov.csv --mean mean.ecsv");
    let table = folder.table("cov.csv");
    assert_eq!(table.rows(), bins * bins);
    close(&floats(&table, "covariance"), &covariance);
    let sigma = |k: usize| covariance[k * bins + k].sqrt();
    let correlation: Vec<f64> = (0..bins * bins)
        .map(|k| covariance[k] / (sigma(k / bins) * sigma(k % bins)))
        .collect();
    close(&floats(&table, "correlation"), &correlation);
    assert_eq!(table.meta["covariance_of"], of);
    assert_eq!(table.meta["errors"]["method"], "mocks");
    assert_eq!(table.meta["errors"]["realisations"], 6);
    assert_eq!(table.meta["edges"], tables[0].meta["edges"]);
    assert_eq!(
        table.meta["box"]["lengths"],
        tables[0].meta["box"]["lengths"]
    );
    assert!(table.meta.get("counts").is_none() && table.meta.get("samples").is_none());
    let listed = table.meta["realisations"].as_array().unwrap();
    assert_eq!(listed.len(), 6);
    assert_eq!(listed[3]["path"], "m3.csv");
    assert_eq!(listed[3]["samples"], tables[3].meta["samples"]);
    assert_eq!(
        listed[3]["sha256"],
        albireo_catalogs::sha256(&folder.path("m3.csv")).unwrap()
    );
    let found = folder.table("mean.ecsv");
    assert_eq!(found.kind().unwrap(), tables[0].kind().unwrap());
    for (k, name) in columns.iter().enumerate() {
        let each = bins / columns.len();
        let own = k * each..(k + 1) * each;
        close(&floats(&found, name), &mean[own.clone()]);
        let errors: Vec<f64> = own.map(sigma).collect();
        close(&floats(&found, &format!("{name}_error")), &errors);
        assert_eq!(
            found.column(name).unwrap().unit,
            tables[0].column(name).unwrap().unit
        );
    }
    folder
}

#[test]
fn covariances_over_mocks_are_those_of_a_double_loop() {
    is_the_scatter_of_mocks("xi DATA --box 10 --bins lin:1:5:3", &["xi"], "xi");
    is_the_scatter_of_mocks(
        "xi DATA --box 10 --bins lin:1:5:2 --statistic rp-pi --pi-bins lin:0:4:2",
        &["xi"],
        "xi",
    );
    is_the_scatter_of_mocks(
        "wp DATA --box 10 --unit Mpc/h --bins lin:1:4:3 --pi-bins lin:0:4:2",
        &["wp"],
        "wp",
    );
    let poles = is_the_scatter_of_mocks(
        "xi DATA --box 10 --statistic s-mu --bins lin:1:5:2 --mu-bins lin:0:1:3 --multipoles 0,2",
        &["xi_0", "xi_2"],
        "multipoles",
    );
    let table = poles.table("cov.csv");
    assert_eq!(integers(&table, "column_ell")[..4], [0, 0, 2, 2]);
    assert_eq!(floats(&table, "column_lo")[..4], [1.0, 3.0, 1.0, 3.0]);
    assert_eq!(
        names(&poles.table("mean.ecsv"))[3..5],
        ["xi_0", "xi_0_error"]
    );
}

#[test]
fn radial_distributions_have_a_mean_coordination_number() {
    let folder = is_the_scatter_of_mocks("rdf DATA --box 10 --bins lin:0.5:4:3", &["g"], "g");
    let rows: Vec<Vec<f64>> = (0..6)
        .map(|k| floats(&folder.table(&format!("m{k}.csv")), "n"))
        .collect();
    let (mean, covariance) = scatter(&rows);
    let table = folder.table("mean.ecsv");
    close(&floats(&table, "n"), &mean);
    let sigma = [0, 4, 8].map(|k: usize| covariance[k].sqrt());
    close(&floats(&table, "n_error"), &sigma);
}

#[test]
fn numpy_has_the_same_covariance() {
    const SCRIPT: &str = "
import numpy as np
rows = [np.genfromtxt(f'm{k}.csv', delimiter=',', names=True)['xi'] for k in range(7)]
found = np.genfromtxt('cov.csv', delimiter=',', names=True)
expected = np.cov(np.array(rows), rowvar=False)
np.testing.assert_allclose(found['covariance'].reshape(3, 3), expected, rtol=1e-10)
np.testing.assert_allclose(found['correlation'].reshape(3, 3), np.corrcoef(np.array(rows), rowvar=False), rtol=1e-10)
";
    let Some(python) = std::env::var_os("ALBIREO_PYTHON") else {
        return;
    };
    let folder = catalogs(7);
    measured(&folder, 7, "xi DATA --box 10 --bins lin:1:5:3");
    folder.good("result covariance m0.csv m1.csv m[2-5].csv m6.csv -o cov.csv");
    folder.assert_by(&python, SCRIPT);
}

#[test]
fn the_factors_of_the_inverse_are_named() {
    let folder = catalogs(8);
    measured(&folder, 8, "xi DATA --box 10 --bins lin:1:5:3");
    let run = folder.good("result covariance m*.csv -o cov.json --parameters 2");
    let errors = &folder.table("cov.json").meta["errors"];
    // (8 - 3 - 2)/(8 - 1), and A = 2/(4*1), B = 3/(4*1), (1 + B)/(1 + A + 3B) by hand.
    assert_eq!(errors["hartlap_factor"], 3.0 / 7.0);
    assert_eq!(errors["percival_factor"], 1.75 / 3.75);
    assert_eq!(errors["dodelson_schneider_factor"], 1.75);
    assert_eq!(errors["percival_2022_exponent"], 4.0 + 7.75 / 1.75);
    assert_eq!(errors["sellentin_heavens_exponent"], 8);
    assert_eq!(errors["parameters"], 2);
    assert!(
        run.stderr
            .contains("Hartlap factor of the inverse is 0.42857"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("WARN"), "{}", run.stderr);
    let run = folder.good("result covariance m[0-4].csv -o few.json --parameters 2");
    let errors = &folder.table("few.json").meta["errors"];
    assert!(errors["hartlap_factor"].is_null() && errors["percival_factor"].is_null());
    assert!(errors["percival_2022_exponent"].is_null());
    assert_eq!(errors["sellentin_heavens_exponent"], 5);
    for part in [
        "5 realisations of 3 bins: the covariance has no unbiased inverse, which needs 6",
        "the Percival factor needs 8 realisations at least, found 5",
    ] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}

#[test]
fn bins_without_scatter_are_warned_of() {
    let folder = catalogs(6);
    // No pair is nearer than 1e-6, so that xi is -1 there in all of them.
    measured(&folder, 6, "xi DATA --box 10 --bins edges:0,1e-6,2,4");
    let run = folder.good("result covariance m*.csv -o cov.csv");
    assert!(
        run.stderr
            .contains("1 of 3 bins are NaN in some realisation or equal in all"),
        "{}",
        run.stderr
    );
    let correlation = floats(&folder.table("cov.csv"), "correlation");
    assert!(correlation[0].is_nan() && correlation[8] == 1.0);
}

#[test]
fn formats_may_be_mixed_and_records_are_no_results() {
    let folder = catalogs(4);
    measured(&folder, 4, "xi DATA --box 10 --bins log:0.7:5:3");
    for (k, name) in ["m1.ecsv", "m2.json"].iter().enumerate() {
        folder.good(&format!(
            "xi d{}.csv --box 10 --bins log:0.7:5:3 -o {name}",
            k + 1
        ));
    }
    folder.good("result covariance m*.csv m*.csv.json -o all.csv");
    folder.good("result covariance m0.csv m1.ecsv m2.json m3.csv -o formats.csv");
    assert_eq!(folder.text("all.csv"), folder.text("formats.csv"));
    // Without a file the table is printed.
    let run = folder.good("result covariance m*.csv -o - --format csv");
    assert_eq!(run.stdout, folder.text("all.csv"));
}

#[cfg(feature = "plot")]
#[test]
fn covariances_and_means_over_mocks_are_drawn() {
    let folder = catalogs(6);
    measured(&folder, 6, "rdf DATA --box 10 --bins lin:0.5:4:4");
    folder.good("result covariance m*.csv -o cov.csv --mean mean.csv --plot first.svg");
    folder.good("plot cov.csv -o cov.svg");
    folder.good("plot mean.csv m0.csv -o mean.svg");
    // The diagonal is 1, in the darkest red.
    assert_eq!(folder.text("cov.svg").matches("#681420").count(), 4);
    assert_eq!(folder.text("cov.svg"), folder.text("first.svg"));
}

/// Six mocks, each measured with two catalogues of randoms into `a0.csv` and `b0.csv`..
fn measured_twice() -> Folder {
    let mut folder = catalogs(6);
    for k in 0..12 {
        folder = folder.with(&format!("r{k}.csv"), &scattered(200, 10.0, 50 + k));
    }
    for (name, first) in [("a", 0), ("b", 6)] {
        for k in 0..6 {
            let randoms = first + k;
            folder.good(&format!(
                "xi d{k}.csv --randoms r{randoms}.csv --statistic s-mu --bins lin:1:5:2 --mu-bins lin:0:1:2 --multipoles 0,2 -o {name}{k}.csv"
            ));
        }
    }
    folder
}

#[test]
fn mocks_measured_twice_have_the_covariance_of_more_randoms() {
    let folder = measured_twice();
    let rows = |name: &str| -> Vec<Vec<f64>> {
        let table = |k: usize| folder.table(&format!("{name}{k}.csv"));
        let values = |k| ["xi_0", "xi_2"].map(|l| floats(&table(k), l)).concat();
        (0..6).map(values).collect()
    };
    let (a, b) = (rows("a"), rows("b"));
    let both: Vec<Vec<f64>> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| [&a[..], b].concat())
        .collect();
    let (mean, blocks) = scatter(&both);
    for (sets, m) in [("1", 1.0), ("8", 8.0), ("inf", f64::INFINITY)] {
        folder.good(&format!(
            "result covariance a*.csv --second b*.csv --linear {sets} -o cov.json --mean mean.csv --singular"
        ));
        let at = |i: usize, j: usize| blocks[i * 8 + j];
        let expected = (0..16).map(|k| {
            let (i, j) = (k / 4, k % 4);
            let shared = f64::midpoint(at(i, j + 4), at(i + 4, j));
            shared + (f64::midpoint(at(i, j), at(i + 4, j + 4)) - shared) / m
        });
        let table = folder.table("cov.json");
        close(&floats(&table, "covariance"), &expected.collect::<Vec<_>>());
        let errors = &table.meta["errors"];
        assert!(errors.get("hartlap_factor").is_none() && !errors["linear_construction"].is_null());
        let listed = table.meta["second_realisations"].as_array().unwrap();
        assert_eq!((listed.len(), &listed[2]["path"]), (6, &"b2.csv".into()));
    }
    let means = folder.table("mean.csv");
    close(
        &floats(&means, "xi_2"),
        &[2, 3].map(|k| f64::midpoint(mean[k], mean[k + 4])),
    );
}

#[test]
fn covariances_of_few_mocks_are_shrunk() {
    let folder = catalogs(8);
    let tables = measured(&folder, 8, "xi DATA --box 10 --bins lin:1:5:4");
    folder.good("result covariance m*.csv -o all.csv");
    let rows: Vec<Vec<f64>> = tables[..3]
        .iter()
        .map(|table| floats(table, "xi"))
        .collect();
    let (_, own) = scatter(&rows);
    folder.good("result covariance m[0-2].csv --shrink-to diagonal -o few.json");
    let few = folder.table("few.json");
    let lambda = few.meta["errors"]["shrinkage"].as_f64().unwrap();
    assert!(lambda > 0.0 && lambda < 1.0 && few.meta["errors"].get("hartlap_factor").is_none());
    let off = |k: usize, v: &f64| {
        if k.is_multiple_of(5) {
            *v
        } else {
            v * (1.0 - lambda)
        }
    };
    let expected: Vec<f64> = own.iter().enumerate().map(|(k, v)| off(k, v)).collect();
    close(&floats(&few, "covariance"), &expected);
    // Another covariance as the target, from a file of any format.
    folder.good("result covariance m[0-2].csv --shrink-to all.csv -o to_all.fits");
    let (made, all) = (
        folder.table("to_all.fits"),
        floats(&folder.table("all.csv"), "covariance"),
    );
    let lambda = made.meta["errors"]["shrinkage"].as_f64().unwrap();
    let both = all.iter().zip(&own);
    let expected: Vec<f64> = both.map(|(t, s)| lambda * t + (1.0 - lambda) * s).collect();
    close(&floats(&made, "covariance"), &expected);
}
