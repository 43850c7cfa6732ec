//! Covariances of parts of the sky, put together in the bins of their counts.

use super::{near, theory_file};
use crate::folder::{Folder, floats, scattered};

/// Two parts of other sizes with their covariances, in bins of (s, mu) and projected.
fn parts() -> Folder {
    let folder = Folder::new().with("xi.txt", &theory_file());
    for (part, (data, randoms)) in ["n", "s"].into_iter().zip([(80, 100), (60, 140)]) {
        let seed = if part == "n" { 3 } else { 30 };
        std::fs::write(
            folder.path(&format!("d{part}.csv")),
            scattered(data, 10.0, seed),
        )
        .unwrap();
        std::fs::write(
            folder.path(&format!("r{part}.csv")),
            scattered(randoms, 10.0, seed + 1),
        )
        .unwrap();
        folder.good(&format!(
            "xi d{part}.csv --randoms r{part}.csv --weight w --statistic s-mu --bins lin:1:9:2 --mu-bins lin:0:1:2 -o xi{part}.json"
        ));
        let command = format!(
            "covariance xi{part}.json --randoms r{part}.csv --xi-theory xi.txt --cloud 4 --rounds 20"
        );
        folder.good(&format!("{command} -o {part}.h5"));
        folder.good(&format!("{command} --multipoles 0,2 -o {part}_poles.json"));
    }
    folder
}

#[test]
fn parts_weigh_by_their_pairs() {
    let folder = parts();
    for (flag, total) in [("", "RR"), ("--by data", "DD")] {
        folder.good(&format!("result combine n.h5 s.h5 {flag} -o both.json"));
        let both = floats(&folder.table("both.json"), "covariance");
        let weights = ["n", "s"].map(|part| {
            let xi = folder.table(&format!("xi{part}.json"));
            let of = |term: &str| xi.meta["counts"][term]["total_weight"].as_f64().unwrap();
            let rr = floats(&xi, "RR_weight").into_iter();
            rr.map(|rr| rr / of("RR") * of(total)).collect::<Vec<_>>()
        });
        let c = ["n.h5", "s.h5"].map(|name| floats(&folder.table(name), "covariance"));
        let whole = |bin: usize| weights[0][bin] + weights[1][bin];
        let expected = (0..16).map(|k| {
            let (a, b) = (k / 4, k % 4);
            let parts = (0..2).map(|part| weights[part][a] * weights[part][b] * c[part][k]);
            parts.sum::<f64>() / (whole(a) * whole(b))
        });
        near(&both, &expected.collect::<Vec<_>>(), 1e-13, "both");
    }
    // Projected after: the monopole is the mean over mu.
    folder.good("result combine n.h5 s.h5 -o both.json");
    folder.good("result combine n.h5 s.h5 --multipoles 0,2 -o poles.json");
    let (both, poles) = (folder.table("both.json"), folder.table("poles.json"));
    assert_eq!(poles.meta["covariance_of"], "multipoles");
    let fine = floats(&both, "covariance");
    let mean: f64 = [0, 1, 4, 5].map(|k| fine[k] / 4.0).iter().sum();
    near(
        &floats(&poles, "covariance")[..1],
        &[mean],
        1e-13,
        "monopole",
    );
    // One estimate of both parts has the same bins.
    folder.good("result combine xin.json xis.json --multipoles 0,2 -o xi.json");
}

#[test]
fn parts_that_have_no_common_bins_or_weights_are_refused() {
    let folder = parts();
    let refused = |command: &str, expected: &str| {
        let run = folder.run(&format!("result combine {command} -o no.json"));
        assert!(
            run.code != 0 && run.stderr.contains(expected),
            "{}",
            run.stderr
        );
    };
    refused(
        "n_poles.json s_poles.json",
        "n_poles.json: it is a covariance of multipoles: parts of the sky are put together in the bins of their counts",
    );
    refused(
        "n.h5 s.h5 --by-region n.h5 s.h5",
        "--by-region is for results with counts",
    );
    refused(
        "n.h5 s.h5 --wp",
        "wp needs a correlation function over (rp, pi), found (s, mu)",
    );
    refused(
        "n.h5 xis.json",
        "xis.json is no realisation of what n.h5 measures: ",
    );
    folder.good("result covariance xin.json xis.json --singular -o mocks.json");
    std::fs::copy(folder.path("mocks.json"), folder.path("mocks2.json")).unwrap();
    refused(
        "mocks.json mocks2.json",
        "mocks.json: it does not say what its pairs weigh",
    );
}
