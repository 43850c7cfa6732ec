//! What lsstypes wrote, as an input of everything that takes results of ours: files and numbers of that package.

use serde_json::Value;

use crate::folder::{Folder, floats, refused};
use crate::packages::{files, flat, near};

#[test]
#[allow(clippy::too_many_lines, reason = "one file after the other")]
fn what_lsstypes_wrote_is_read_sliced_and_put_into_a_covariance() {
    let Some((data, expected)) = files() else {
        return;
    };
    let folder = Folder::new();
    let file = |name: &str| {
        data.join(format!("results/lsstypes_{name}.h5"))
            .display()
            .to_string()
    };
    for (name, range) in [
        ("smu", "0:200"),
        ("smu_jackknife", "0:120"),
        ("rppi", "1:60"),
        ("theta", "0:4"),
    ] {
        folder.good(&format!(
            "result slice {} --range {range} -o {name}.json",
            file(name)
        ));
        let there: Vec<f64> = flat(&expected[name]["RR"]["wcounts"]);
        let xi = floats(&folder.table(&format!("{name}.json")), "xi");
        for ((found, xi), there) in xi.iter().zip(flat_or_nan(&expected[name]["xi"])).zip(there) {
            assert!(
                there == 0.0 || (found - xi).abs() <= 1e-12 * xi.abs().max(1.0),
                "{name}: {found}, {xi}"
            );
        }
    }
    folder.good(&format!(
        "result slice {} --range 40:160 -o poles.csv",
        file("poles")
    ));
    for ell in ["0", "2", "4"] {
        let whole = flat(&expected["poles"][ell]);
        let found = floats(&folder.table("poles.csv"), &format!("xi_{ell}"));
        near(&found, &whole[1..4], 1e-15, ell);
    }
    for name in ["a", "b"] {
        std::fs::copy(file("wp"), folder.path(&format!("{name}.h5"))).unwrap();
    }
    folder.good("result covariance a.h5 b.h5 --singular -o covariance.csv");
    near(
        &floats(&folder.table("covariance.csv"), "covariance"),
        &[0.0; 16],
        0.0,
        "covariance",
    );
    for name in ["s1", "s2"] {
        std::fs::copy(file("smu"), folder.path(&format!("{name}.h5"))).unwrap();
    }
    if cfg!(feature = "plot") {
        for name in ["smu", "theta", "poles", "wedges", "wp", "poles_covariance"] {
            folder.good(&format!("plot {} -o {name}.svg", file(name)));
        }
    }
    let jackknife = file("smu_jackknife");
    let estimate = format!(
        "result estimate {jackknife} --by-region {jackknife} --jackknife=mohammad-percival --covariance j.csv"
    );
    folder.good(&format!("{estimate} -o xi.csv"));
    let covariance = |what: &str| {
        let expected = flat(&expected["smu_jackknife"][what]);
        near(
            &floats(&folder.table("j.csv"), "covariance"),
            &expected,
            1e-12,
            what,
        );
    };
    covariance("covariance");
    folder.good(&format!("{estimate} --multipoles 0,2 -o poles.csv"));
    covariance("poles covariance");
    let poles = folder.table("poles.csv");
    let poles = [0, 2]
        .map(|ell| floats(&poles, &format!("xi_{ell}")))
        .concat();
    near(
        &poles,
        &flat(&expected["smu_jackknife"]["poles"]),
        1e-12,
        "poles",
    );
    folder.good(&format!(
        "result rebin {} --by 5 -o coarse.csv",
        file("smu")
    ));
    let coarse = folder.table("coarse.csv");
    for (ours, theirs) in [("DD", "DD"), ("DR", "RD"), ("RR", "RR")] {
        let fine = flat(&expected["smu"][theirs]["wcounts"]);
        let sum = |mu: usize| fine.iter().skip(mu).step_by(8).sum();
        let sums: Vec<f64> = (0..8).map(sum).collect();
        near(
            &floats(&coarse, &format!("{ours}_weight")),
            &sums,
            1e-12,
            ours,
        );
    }
    assert!(coarse.column("xi_error").is_none() && coarse.column("DD_npairs").is_none());
    for (command, words) in [
        (
            "result combine a.h5 b.h5 -o c.csv".to_owned(),
            "take the file that --counts wrote",
        ),
        (
            format!("result combine {} {} -o c.csv", file("smu"), file("theta")),
            "is no realisation",
        ),
        (
            format!("result estimate {} --by-region {0} -o c.csv", file("smu")),
            "expected a count2_jackknife_correlation",
        ),
        (
            "result combine s1.h5 s2.h5 -o c.csv".to_owned(),
            "were counted from the same particles",
        ),
        (
            format!("result rebin {} --by 5 -o c.csv", file("poles")),
            "pair counts can be put together",
        ),
    ] {
        refused(&folder, &command, 1, &[words]);
    }
}

/// The same, with NaN for texts and nulls.
fn flat_or_nan(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(flat_or_nan).collect(),
        value => vec![value.as_f64().unwrap_or(f64::NAN)],
    }
}

#[test]
#[cfg(feature = "fits")]
fn random_pairs_of_lsstypes_are_taken_by_their_bins_and_their_total() {
    let Some((data, expected)) = files() else {
        return;
    };
    let folder = Folder::new();
    let fits = data.join("desi/fits").display().to_string();
    let rr = data.join("results/lsstypes_smu.h5").display().to_string();
    let measure = |cap: &str, flags: &str| {
        format!(
            "xi {fits}/LRG_{cap}_clustering.dat.fits --randoms {fits}/LRG_{cap}_[01]_clustering.ran.fits --cosmology om=0.315 \
             --where Z>=0.4&&Z<0.6 --weight WEIGHT*WEIGHT_FKP --sky RA,DEC --redshift Z --statistic s-mu --bins lin:0:200:5 {flags} -o xi.csv"
        )
    };
    let bins = "--mu-bins lin:-1:1:8";
    let said = folder.good(&measure("NGC", &format!("{bins} --rr {rr}")));
    let words = "there are no Poisson errors";
    assert!(said.stderr.contains(words), "{}", said.stderr);
    let xi = folder.table("xi.csv");
    near(
        &floats(&xi, "RR_weight"),
        &flat(&expected["smu"]["RR"]["wcounts"]),
        1e-12,
        "RR",
    );
    near(
        &floats(&xi, "xi")[..8],
        &flat(&expected["smu"]["xi"])[..8],
        1e-8,
        "xi",
    );
    assert!(xi.column("DD_npairs").is_some() && xi.column("RR_npairs").is_none());
    assert!(xi.column("xi_error").is_none());
    folder.good("result rebin xi.csv --by 5 -o coarse.csv");
    // With the other cap as ours, and as lsstypes would have it.
    folder.good(&measure("SGC", bins));
    folder.good(&format!("result combine {rr} xi.csv --by data -o both.csv"));
    let both = folder.table("both.csv");
    let totals = both.meta["counts"].as_object().unwrap();
    assert!(totals.values().all(|count| count["total_pairs"].is_null()));
    for (flags, words) in [
        (
            format!("{bins} --rr {rr}"),
            "it was counted from other randoms or weights",
        ),
        (
            format!("--mu-bins lin:-1:1:4 --rr {rr}"),
            "it was counted in other bins",
        ),
        (format!("{bins} --reuse {rr}"), "--rr takes its RR"),
    ] {
        refused(&folder, &measure("SGC", &flags), 1, &[words]);
    }
}
