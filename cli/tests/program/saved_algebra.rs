//! `albireo result wrap | concatenate | renormalise | window | integral-constraint`, against counts made at once and sums by hand.

use serde_json::json;

use crate::folder::{Folder, floats, integers, names, scattered};

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(120, 10.0, 1))
        .with("r.csv", &scattered(250, 10.0, 2))
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
        "{found} is not {expected}"
    );
}

#[test]
fn wrapped_counts_are_those_of_unsigned_bins() {
    let folder = folder();
    for (bins, signed, unsigned) in [
        (
            "rp-pi --bins lin:0:4:3",
            "--pi-bins edges:-4,-1,0,1,4",
            "--pi-bins edges:0,1,4",
        ),
        (
            "rp-pi --bins lin:0:4:3",
            "--pi-bins edges:-4,-1,1,4",
            "--pi-bins edges:0,1,4",
        ),
        (
            "s-mu --bins lin:0:4:3",
            "--mu-bins lin:-1:1:6",
            "--mu-bins lin:0:1:3",
        ),
    ] {
        for (files, los) in [
            ("d.csv", "midpoint"),
            ("d.csv", "z"),
            ("d.csv", "first"),
            ("d.csv r.csv", "midpoint"),
        ] {
            let count = format!("count {files} --weight w --statistic {bins} --los {los}");
            folder.good(&format!("{count} {signed} -o signed.csv"));
            folder.good(&format!("{count} {unsigned} -o whole.csv"));
            folder.good("result wrap signed.csv -o wrapped.csv");
            let [whole, wrapped] = ["whole.csv", "wrapped.csv"].map(|name| folder.table(name));
            assert_eq!(
                integers(&wrapped, "npairs"),
                integers(&whole, "npairs"),
                "{count}"
            );
            assert_eq!(names(&wrapped), names(&whole));
            assert_eq!(wrapped.meta["edges"], whole.meta["edges"]);
            assert_eq!(wrapped.columns, whole.columns, "{count}");
            let of = |table: &albireo_catalogs::Table| {
                table.meta["counts"]
                    .as_object()
                    .unwrap()
                    .values()
                    .next()
                    .unwrap()
                    .clone()
            };
            for key in ["kind", "total_pairs", "total_weight", "job"] {
                assert_eq!(of(&wrapped)[key], of(&whole)[key], "{count} {key}");
            }
        }
    }
    // A wrapped count of randoms is an RR.
    let bins = "--statistic rp-pi --bins lin:0:4:3 --los z";
    folder.good(&format!(
        "count r.csv {bins} --pi-bins lin:-4:4:4 -o signed.csv"
    ));
    folder.good("result wrap signed.csv -o rr.csv");
    let xi = format!("xi d.csv --randoms r.csv {bins} --pi-bins lin:0:4:2");
    folder.good(&format!("{xi} --rr rr.csv -o used.csv"));
    folder.good(&format!("{xi} -o counted.csv"));
    assert_eq!(
        floats(&folder.table("used.csv"), "xi"),
        floats(&folder.table("counted.csv"), "xi")
    );
}

#[test]
fn bins_that_adjoin_are_put_together() {
    let folder = folder();
    let count = "count d.csv --weight w";
    for (name, bins) in [
        ("a", "lin:0:2:2"),
        ("b", "lin:2:4:4"),
        ("c", "edges:4,6"),
        ("all", "edges:0,1,2,2.5,3,3.5,4,6"),
    ] {
        folder.good(&format!("{count} --bins {bins} -o {name}.csv"));
        folder.good(&format!("xi d.csv --box 20 --statistic rp-pi --bins edges:0,1,2 --pi-bins {bins} -o x_{name}.csv"));
    }
    folder.good("result concatenate a.csv b.csv c.csv -o joined.csv");
    folder.good("result concatenate x_a.csv x_b.csv x_c.csv -o x_joined.csv");
    for (joined, all) in [("joined.csv", "all.csv"), ("x_joined.csv", "x_all.csv")] {
        assert_eq!(folder.text(joined), folder.text(all));
        assert_eq!(
            folder.table(joined).meta["edges"],
            folder.table(all).meta["edges"]
        );
    }
    let made = &folder.table("joined.csv").meta["made_from"];
    assert_eq!(made.as_array().unwrap().len(), 3);
}

#[test]
fn renormalised_counts_have_the_total_asked_for() {
    let folder = folder();
    folder.good("count d.csv --weight w --bins lin:0:4:2 -o w.csv");
    folder.good("count d.csv --bins lin:0:4:2 -o n.csv");
    for name in ["w", "n"] {
        folder.good(&format!(
            "result renormalise {name}.csv --total-weight 5 -o {name}5.csv"
        ));
        let [before, after] =
            [format!("{name}.csv"), format!("{name}5.csv")].map(|name| folder.table(&name));
        let total = &before.meta["counts"]["DD"];
        let (total, values) = match name {
            "w" => (
                total["total_weight"].as_f64().unwrap(),
                floats(&before, "weight"),
            ),
            _ => (
                120.0 * 119.0 / 2.0,
                integers(&before, "npairs")
                    .iter()
                    .map(|&n| n as f64)
                    .collect(),
            ),
        };
        assert_eq!(after.meta["counts"]["DD"]["total_weight"], 5.0);
        assert_eq!(after.meta["counts"]["DD"]["total_pairs"], 120 * 119 / 2);
        assert_eq!(integers(&after, "npairs"), integers(&before, "npairs"));
        for (found, value) in floats(&after, "weight").into_iter().zip(values) {
            near(found, value * 5.0 / total);
        }
    }
}

#[test]
fn windows_come_from_any_rr_over_s_and_mu() {
    let folder = folder();
    let rr = "count r.csv --weight w --statistic s-mu --bins lin:0:4:2";
    folder.good(&format!("{rr} --mu-bins lin:0:1:40 -o rr.csv"));
    folder.good(&format!(
        "{rr} --mu-bins lin:0:1:1 --legendre 2,4,6,8 -o sums.csv"
    ));
    folder.good("xi d.csv --randoms r.csv --weight w --statistic s-mu --bins lin:0:4:2 --mu-bins lin:0:1:40 -o xi.csv");
    for name in ["rr", "sums", "xi"] {
        folder.good(&format!(
            "result window {name}.csv --volume 1000 -o q_{name}.csv"
        ));
    }
    let [rr, sums, xi] = ["q_rr.csv", "q_sums.csv", "q_xi.csv"].map(|name| folder.table(name));
    assert_eq!(
        names(&rr)[3..].join(" "),
        "Q_0 Q_0_error Q_2 Q_2_error Q_4 Q_4_error"
    );
    assert_eq!(rr.meta["result"], "window multipoles");
    assert_eq!(rr.meta["edges"], json!({"s": [0.0, 2.0, 4.0]}));
    for l in ["Q_0", "Q_2", "Q_4", "Q_2_error"] {
        assert_eq!(floats(&xi, l), floats(&rr, l));
        for k in 0..2 {
            assert!(
                (floats(&sums, l)[k] - floats(&rr, l)[k]).abs() < 0.01,
                "{l}"
            );
        }
    }
    let counts = folder.table("rr.csv");
    let weight: f64 = floats(&counts, "weight")[40..].iter().sum();
    let total = counts.meta["counts"]["DD"]["total_weight"]
        .as_f64()
        .unwrap();
    let shell = 4.0 / 3.0 * std::f64::consts::PI * 56.0;
    near(floats(&rr, "Q_0")[1], 1000.0 * weight / total / shell);
    folder.good("result window rr.csv --multipoles 0 -o unit.csv");
    near(floats(&folder.table("unit.csv"), "Q_0")[0], 1.0);
}

#[test]
fn integral_constraints_are_means_of_the_model_over_rr() {
    let folder = folder().with("model.txt", "# x xi\n0.5 4\n1.5, 2\n6\t0.5\n20 0\n");
    folder.good("xi d.csv --randoms r.csv --bins edges:0,1,2,4,8,18 -o xi.csv");
    let xi = folder.table("xi.csv");
    let (measured, rr, error) = (
        floats(&xi, "xi"),
        floats(&xi, "RR_normalised"),
        floats(&xi, "xi_error"),
    );
    near(rr.iter().sum(), 1.0);
    folder.good("result integral-constraint xi.csv --model model.txt -o ic.csv");
    let ic = folder.table("ic.csv");
    // At the centres 0.5, 1.5, 3, 6, 13.
    let model = [4.0, 2.0, 2.0 - 1.5 * 1.5 / 4.5, 0.5, 0.25];
    let expected: f64 = model.iter().zip(&rr).map(|(m, rr)| m * rr).sum();
    near(
        ic.meta["integral_constraint"]["value"].as_f64().unwrap(),
        expected,
    );
    assert_eq!(floats(&ic, "xi_measured"), measured);
    for (found, xi) in floats(&ic, "xi").into_iter().zip(&measured) {
        near(found, xi + expected);
    }
    // The power law that fits with its constraint, by the normal equation of one parameter.
    folder.good("result integral-constraint xi.csv --power-law 1.5 --fit 1:8 -o fit.csv");
    let fit = folder.table("fit.csv").meta["integral_constraint"].clone();
    let shape: Vec<f64> = [0.5f64, 1.5, 3.0, 6.0, 13.0]
        .iter()
        .map(|x| x.powf(-1.5))
        .collect();
    let c: f64 = shape.iter().zip(&rr).map(|(m, rr)| m * rr).sum();
    let (mut above, mut below) = (0.0, 0.0);
    for k in 1..4 {
        let (g, v) = (shape[k] - c, error[k] * error[k]);
        above += measured[k] * g / v;
        below += g * g / v;
    }
    near(
        fit["model"]["power_law"]["amplitude"].as_f64().unwrap(),
        above / below,
    );
    near(fit["value"].as_f64().unwrap(), above / below * c);
    // Bins that leave pairs out are warned of.
    folder.good("xi d.csv --randoms r.csv --bins edges:0,1,2,4 -o near.csv");
    let run = folder.good("result integral-constraint near.csv --power-law 1.5 -o no.csv");
    assert!(
        run.stderr
            .contains("of all random pairs: the integral constraint is a mean over these alone"),
        "{}",
        run.stderr
    );
}

#[cfg(feature = "plot")]
#[test]
fn windows_and_corrected_estimates_are_drawn() {
    let folder = folder();
    folder.good("count r.csv --statistic s-mu --bins lin:0:8:8 --mu-bins lin:0:1:20 -o rr.csv");
    folder.good("result window rr.csv -o q.csv --plot q.svg");
    let svg = folder.text("q.svg");
    assert!(svg.contains("Q_ℓ(s)") && svg.contains("ℓ = 4"));
    folder.good("xi d.csv --randoms r.csv --bins lin:0:18:9 -o xi.csv");
    folder.good("result integral-constraint xi.csv --power-law 1 -o ic.csv");
    folder.good("plot xi.csv ic.csv -o both.svg");
}
