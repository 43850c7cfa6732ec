//! `albireo covariance`: sampled terms against loops over all tuples of a few random points, and what is made of them.

mod cross;
mod drawn;
mod kept;
mod parts_of_the_sky;
mod reconstructed;

use std::fmt::Write as _;

use albireo_catalogs::Table;
use serde_json::Value;

use crate::folder::{Folder, floats, integers, names, scattered};

/// xi of the theory in these tests.
fn theory(s: f64) -> f64 {
    0.4 * (-s / 3.0).exp()
}

/// A file of it, at the nodes of the table in which it is looked up.
fn theory_file() -> String {
    (1..=60).fold(String::from("# s mu xi\n"), |mut text, k| {
        let s = f64::from(k) * 0.5;
        for mu in ["0", "1"] {
            writeln!(text, "{s} {mu} {}", theory(s)).unwrap();
        }
        text
    })
}

/// The same between its nodes: linear, and constant near 0.
fn xi_at(s: f64) -> f64 {
    let k = (s / 0.5).floor();
    let at = |k: f64| theory((k * 0.5).max(0.5));
    at(k) + (s / 0.5 - k) * (at(k + 1.0) - at(k))
}

/// Its mean over separations of a bin, by volume. Between nodes the integrand is a cubic, of which Simpson's rule is exact.
fn mean_xi(lo: f64, hi: f64) -> f64 {
    let f = |s: f64| s * s * xi_at(s);
    let pieces = ((hi - lo) / 0.5).round() as u32;
    let piece = |k: u32| {
        let s = lo + 0.5 * f64::from(k);
        // The end belongs to the next piece, where the same value stands.
        (f(s) + 4.0 * f(s + 0.25) + f(s + 0.5)) * 0.5 / 6.0
    };
    (0..pieces).map(piece).sum::<f64>() / ((hi.powi(3) - lo.powi(3)) / 3.0)
}

/// Data, few random points, xi of a theory and one in bins of (s, mu).
fn measured(weight: &str) -> Folder {
    let folder = Folder::new()
        .with("d.csv", &scattered(80, 10.0, 3))
        .with("r.csv", &scattered(100, 10.0, 8))
        .with("xi.txt", &theory_file());
    folder.good(&format!(
        "xi d.csv --randoms r.csv {weight} --statistic s-mu --bins lin:1:9:2 --mu-bins lin:0:1:2 -o smu.csv"
    ));
    folder
}

/// Rows of the random points with their weights.
fn points(folder: &Folder, weighted: bool) -> Vec<([f64; 3], f64)> {
    points_of(folder, "r.csv", weighted)
}

fn points_of(folder: &Folder, name: &str, weighted: bool) -> Vec<([f64; 3], f64)> {
    let text = folder.text(name);
    let row = |line: &str| {
        let x: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        ([x[0], x[1], x[2]], if weighted { x[3] } else { 1.0 })
    };
    text.lines().skip(1).map(row).collect()
}

/// Separation and bin of two points, the line of sight through their middle.
fn pair(a: [f64; 3], b: [f64; 3]) -> (f64, Option<usize>) {
    let of = |f: fn(f64, f64) -> f64| [0, 1, 2].map(|k| f(a[k], b[k]));
    let dot = |u: [f64; 3], v: [f64; 3]| (0..3).map(|k| u[k] * v[k]).sum::<f64>();
    let (d, sight) = (of(|a, b| b - a), of(|a, b| a + b));
    let s = dot(d, d).sqrt();
    let mu = (dot(d, sight) / (s * dot(sight, sight).sqrt())).abs();
    let bin = ((s - 1.0) / 4.0).floor();
    let inside = (0.0..2.0).contains(&bin);
    (s, inside.then(|| 2 * bin as usize + usize::from(mu >= 0.5)))
}

/// Loops over all tuples: RR, C4, C3 and the sum of w^2 w^2, in bins of both orders of pairs.
fn looped(points: &[([f64; 3], f64)], f: f64) -> [Vec<f64>; 4] {
    let n = points.len();
    let pairs: Vec<Vec<_>> = (0..n)
        .map(|i| (0..n).map(|j| pair(points[i].0, points[j].0)).collect())
        .collect();
    let (w, xi) = (
        |i: usize| points[i].1,
        |i: usize, j: usize| xi_at(pairs[i][j].0),
    );
    let binned: Vec<_> = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .filter(|(i, j)| i != j)
        .filter_map(|(i, j)| Some((i, j, pairs[i][j].1?)))
        .collect();
    let (mut rr, mut squares) = (vec![0.0; 4], vec![0.0; 4]);
    for &(i, j, a) in &binned {
        rr[a] += w(i) * w(j);
        squares[a] += (w(i) * w(j)).powi(2);
    }
    let (mut c4, mut c3) = (vec![0.0; 16], vec![0.0; 16]);
    for &(i, j, a) in &binned {
        for &(k, l, b) in &binned {
            let weight = w(i) * w(j) * w(k) * w(l) / (rr[a] * rr[b]);
            if i != k && i != l && j != k && j != l {
                c4[4 * a + b] += 2.0 * weight * xi(i, k) * xi(j, l);
            } else if j == k && i != l {
                c3[4 * a + b] += 4.0 * weight * xi(i, l) / f;
            }
        }
    }
    [rr, c4, c3, squares]
}

#[track_caller]
fn near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    let largest = expected.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let off = (found - expected).abs() / largest;
        assert!(
            off <= tolerance,
            "{what}: {found}, expected {expected}, off by {off}"
        );
    }
}

/// Sampled C4 and C3 come near those of all tuples, C2, S and the assembly are them to rounding.
fn has_the_terms_of_all_tuples(weight: &str, weighted: bool) {
    let folder = measured(weight);
    let flags = "--randoms r.csv --xi-theory xi.txt --xi-cut 30 --rounds 200 --cloud 4 --seed 4";
    folder.good(&format!("covariance smu.csv {flags} -o cov.csv"));
    let (table, smu) = (folder.table("cov.csv"), folder.table("smu.csv"));
    // 80 points of data, 100 random ones.
    let f = 0.8;
    let [rr, c4, c3, squares] = looped(&points(&folder, weighted), f);
    near(&floats(&table, "c4"), &c4, 0.02, "C4");
    near(&floats(&table, "c3"), &c3, 0.02, "C3");
    let diagonal = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
        (0..16)
            .map(|k| if k % 5 == 0 { of(k / 5) } else { 0.0 })
            .collect()
    };
    let s = |a: usize| 2.0 * squares[a] / (f * rr[a]).powi(2);
    near(&floats(&table, "s"), &diagonal(&s), 1e-10, "S");
    let means = [mean_xi(1.0, 5.0), mean_xi(5.0, 9.0)];
    let c2 = diagonal(&|a| s(a) * (1.0 + means[a / 2]));
    near(&floats(&table, "c2"), &c2, 1e-10, "C2");
    // xi of the result itself in place of the theory.
    folder.good("covariance smu.csv --randoms r.csv --rounds 2 --cloud 4 -o own.csv");
    let xi = floats(&smu, "xi");
    let own = diagonal(&|a| s(a) * (1.0 + xi[a]));
    near(
        &floats(&folder.table("own.csv"), "c2"),
        &own,
        1e-10,
        "C2 of its own xi",
    );
    let engine = table.meta["sampled"]["engine"].as_str().unwrap();
    assert!(engine.starts_with("cpu"), "{engine}");
    let errors = &table.meta["errors"];
    let beta = 0.8;
    assert_eq!(
        (&errors["alpha"], &errors["beta"]),
        (&1.0.into(), &Value::from(beta))
    );
    let terms = ["c4", "c3", "c2", "s"].map(|name| floats(&table, name));
    let whole = (0..16).map(|k| {
        terms[0][k]
            + (1.0 + beta) * terms[1][k]
            + terms[2][k]
            + (2.0 * beta + beta * beta) * terms[3][k]
    });
    near(
        &floats(&table, "covariance"),
        &whole.collect::<Vec<_>>(),
        1e-14,
        "C",
    );
    assert!(errors["noise"].as_f64().unwrap() < 0.02 && errors["rounds"] == 200);
}

#[test]
fn terms_are_those_of_all_tuples_of_random_points() {
    has_the_terms_of_all_tuples("", false);
    has_the_terms_of_all_tuples("--weight w", true);
}

#[test]
fn multipoles_and_wedges_are_maps_of_the_same_sums() {
    let folder = measured("");
    let flags = "--randoms r.csv --xi-theory xi.txt --cloud 4 --rounds 20";
    folder.good(&format!("covariance smu.csv {flags} -o fine.csv"));
    folder.good(&format!(
        "covariance smu.csv {flags} --multipoles 0,2 -o poles.csv"
    ));
    folder.good(&format!(
        "covariance smu.csv {flags} --wedges 2 -o wedges.csv"
    ));
    let [fine, poles, wedges] =
        ["fine.csv", "poles.csv", "wedges.csv"].map(|name| folder.table(name));
    let c = floats(&fine, "covariance");
    // (2l + 1) times the integral of the Legendre polynomial over the bin in mu: x and (x^3 - x)/2.
    let factors = [
        [0.5, 0.5],
        [5.0 * (0.125 - 0.5) / 2.0, 5.0 * (0.5 - 0.125) / 2.0],
    ];
    let mut expected = Vec::new();
    for (l, s) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        for (m, t) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let all = (0..4).map(|k| {
                let (mu, nu) = (k / 2, k % 2);
                factors[l][mu] * factors[m][nu] * c[4 * (2 * s + mu) + 2 * t + nu]
            });
            expected.push(all.sum::<f64>());
        }
    }
    near(
        &floats(&poles, "covariance"),
        &expected,
        1e-13,
        "multipoles",
    );
    assert_eq!(poles.meta["covariance_of"], "multipoles");
    assert_eq!(integers(&poles, "column_ell")[..4], [0, 0, 2, 2]);
    // Wedges of one bin each, all of s in the first before the second.
    let place = |k: usize| 2 * (k % 2) + k / 2;
    let all = (0..16).map(|k| c[4 * place(k / 4) + place(k % 4)]);
    near(
        &floats(&wedges, "covariance"),
        &all.collect::<Vec<_>>(),
        1e-14,
        "wedges",
    );
    // The bins are those of a covariance of mocks, which shot noise can be fitted to.
    let others = names(&poles);
    assert_eq!(others[..4], ["row_bin", "row_ell", "row_lo", "row_hi"]);
    assert_eq!(others[8..11], ["covariance", "correlation", "precision"]);
}

#[test]
fn shot_noise_is_found_again() {
    let folder = measured("");
    let flags = "--randoms r.csv --xi-theory xi.txt --cloud 4 --rounds 40 --finite-randoms off";
    folder.good(&format!("covariance smu.csv {flags} --alpha 1.3 -o at.csv"));
    let run = folder.good(&format!(
        "covariance smu.csv {flags} --tune at.csv -o tuned.json"
    ));
    let (at, tuned) = (folder.table("at.csv"), folder.table("tuned.json"));
    let errors = &tuned.meta["errors"];
    let alpha = errors["alpha"].as_f64().unwrap();
    assert!((alpha / 1.3 - 1.0).abs() < 0.01, "{alpha}");
    assert!(errors["tuned"]["curve"].as_array().unwrap().len() > 10 && errors["beta"] == 0.0);
    assert!(
        run.stderr.contains("shot noise: alpha = 1.3") || alpha < 1.3,
        "{}",
        run.stderr
    );
    near(
        &floats(&tuned, "covariance"),
        &floats(&at, "covariance"),
        0.02,
        "tuned",
    );
    // The inverse is one, but for its bias.
    let (c, p) = (floats(&at, "covariance"), floats(&at, "precision"));
    for (i, j) in [(0, 0), (1, 2), (3, 3)] {
        let product: f64 = (0..4).map(|k| p[4 * i + k] * c[4 * k + j]).sum();
        assert!(
            (product - f64::from(u8::from(i == j))).abs() < 0.02,
            "{product}"
        );
    }
}

/// Everything but when and how long.
fn numbers(table: &Table) -> Vec<Vec<f64>> {
    let names = ["covariance", "precision", "c4", "c3"].into_iter();
    names.map(|name| floats(table, name)).collect()
}

#[test]
fn rounds_have_the_same_bits_on_any_threads_and_however_they_end() {
    let folder = measured("");
    let covariance = "covariance smu.csv --randoms r.csv --xi-theory xi.txt --cloud 4";
    folder.good(&format!("{covariance} --rounds 32 --threads 1 -o one.h5"));
    folder.good(&format!(
        "{covariance} --rounds 32 --threads 3 -o three.fits"
    ));
    let one = folder.table("one.h5");
    assert_eq!(numbers(&one), numbers(&folder.table("three.fits")));
    // A noise that 32 rounds have, and not 16.
    let run = folder.good(&format!("{covariance} --rounds 16 -o few.json"));
    let noise = |table: &Table| table.meta["errors"]["noise"].as_f64().unwrap();
    let few = folder.table("few.json");
    assert!(noise(&one) < noise(&few), "{}", run.stderr);
    let wanted = f64::midpoint(noise(&one), noise(&few));
    folder.good(&format!("{covariance} --noise {wanted} -o until.json"));
    let until = folder.table("until.json");
    assert_eq!(until.meta["errors"]["rounds"], 32);
    assert_eq!(numbers(&one), numbers(&until));
    let other = folder.good(&format!("{covariance} --rounds 32 --seed 2 -o other.json"));
    assert_ne!(
        numbers(&one),
        numbers(&folder.table("other.json")),
        "{}",
        other.stderr
    );
}

#[test]
fn matrices_are_square_in_files_that_hold_nothing_else() {
    let folder = measured("");
    let covariance = "covariance smu.csv --randoms r.csv --xi-theory xi.txt --cloud 4 --rounds 4";
    for name in ["c.csv", "c.npy", "c.txt", "c.fits", "c.h5"] {
        folder.good(&format!("{covariance} -o {name}"));
        assert_eq!(
            numbers(&folder.table("c.csv")),
            numbers(&folder.table(name))
        );
    }
    let matrix = floats(&folder.table("c.csv"), "covariance");
    let bytes = folder.bytes("c.npy");
    let head = String::from_utf8_lossy(&bytes[10..128]);
    assert!(head.contains("'<f8'") && head.contains("(4, 4,)"), "{head}");
    let little: Vec<u8> = matrix.iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(bytes[128..], little);
    let text = folder.text("c.txt");
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').map(|x| x.parse().unwrap()).collect())
        .collect();
    assert!(rows.len() == 4 && rows.concat() == matrix, "{text}");
    let bytes = folder.bytes("c.fits");
    assert_eq!(bytes.len() % 2880, 0);
    let big: Vec<u8> = matrix.iter().flat_map(|x| x.to_be_bytes()).collect();
    assert!(bytes.windows(big.len()).any(|window| window == big));
}

#[test]
fn a_time_ends_rounds_and_says_their_noise() {
    let folder = measured("");
    let covariance = "covariance smu.csv --randoms r.csv --xi-theory xi.txt --cloud 4";
    let run = folder.good(&format!(
        "{covariance} --noise 1e-9 --time 0.2s -o ended.json"
    ));
    assert!(
        run.stderr.contains("WARN --time: the noise is"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("1e-9 would take") || run.stderr.contains("0.000000001 would take"),
        "{}",
        run.stderr
    );
}

#[test]
fn boxes_need_no_randoms_in_their_estimate() {
    let folder = Folder::new()
        .with("d.csv", &scattered(600, 20.0, 5))
        .with("r.csv", &scattered(300, 20.0, 6))
        .with("xi.txt", &theory_file());
    folder.good("xi d.csv --box 20 --bins lin:1:9:4 -o r.json");
    folder.good(
        "covariance r.json --randoms r.csv --xi-theory xi.txt --cloud 2 --rounds 4 -o cov.json",
    );
    let table = folder.table("cov.json");
    assert_eq!(table.meta["errors"]["beta"], 0.0);
    assert_eq!(table.meta["box"]["lengths"][0], 20.0);
    // Poisson noise of pairs: 2/(n (n - 1) p), p the share of the bin; RR is known, and N of N - 1.
    let edges = [1.0_f64, 3.0, 5.0, 7.0, 9.0];
    let is_noise_of = |table: &Table, xi: &[f64]| {
        let c2 = floats(table, "c2");
        for (bin, xi) in xi.iter().enumerate() {
            let share =
                4.0 / 3.0 * std::f64::consts::PI * (edges[bin + 1].powi(3) - edges[bin].powi(3))
                    / 8000.0;
            // f^2 RR of 300 random points: 600^2 (1 - 1/300) share.
            let expected = 2.0 * (1.0 + xi) / (600.0 * 600.0 * (1.0 - 1.0 / 300.0) * share);
            assert!((c2[5 * bin] / expected - 1.0).abs() < 1e-12);
        }
    };
    let means: Vec<f64> = edges.windows(2).map(|e| mean_xi(e[0], e[1])).collect();
    is_noise_of(&table, &means);
    // A step of a job, with the names of the flags.
    let job = "[covariance.c]\nresult = 'r.json'\nrandoms = 'r.csv'\nxi-theory = 'xi.txt'\nrounds = 4\ncloud = 2\noutput = 'again.json'\n";
    let folder = folder.with("job.toml", job);
    folder.good("run job.toml");
    assert_eq!(numbers(&table), numbers(&folder.table("again.json")));
    // Its own xi, of data without any: noise, in place of the theory.
    folder.good("covariance r.json --randoms r.csv --cloud 2 --rounds 4 -o own.json");
    let own = folder.table("own.json");
    is_noise_of(&own, &floats(&folder.table("r.json"), "xi"));
    assert!(floats(&own, "c4")[0].abs() < 0.3 * floats(&table, "c4")[0]);
}

/// Without correlation the alpha of regions is known: `alpha^2` is the mean of what they found over what Poisson noise makes them find.
fn is_tuned_to_regions(weight: &str) {
    let zero = "1 0 0\n1 1 0\n40 0 0\n40 1 0\n";
    let folder = Folder::new()
        .with("d.csv", &scattered(200, 10.0, 3))
        .with("r.csv", &scattered(300, 10.0, 8))
        .with("none.txt", zero);
    let regions = "--regions-column floor(x/5)+2*floor(y/5)";
    folder.good(&format!(
        "xi d.csv --randoms r.csv {weight} --bins lin:1:9:4 {regions} --region-counts reg.csv -o xi.csv"
    ));
    let flags = "--randoms r.csv --xi-theory none.txt --finite-randoms off --rounds 2 --cloud 1";
    folder.good(&format!(
        "covariance xi.csv {flags} --tune reg.csv {regions} -o cov.json"
    ));
    let (cov, reg, xi) = (
        folder.table("cov.json"),
        folder.table("reg.csv"),
        folder.table("xi.csv"),
    );
    let sums = if weight.is_empty() {
        "npairs"
    } else {
        "weight"
    };
    let total = |count: &str| {
        let key = if weight.is_empty() {
            "total_pairs"
        } else {
            "total_weight"
        };
        xi.meta["counts"][count][key].as_f64().unwrap()
    };
    let numbers = |name: &str| -> Vec<f64> {
        if weight.is_empty() {
            integers(&reg, name).into_iter().map(|n| n as f64).collect()
        } else {
            floats(&reg, name)
        }
    };
    let halves = |count: &str| -> Vec<f64> {
        let [within, across] =
            ["within", "across"].map(|part| numbers(&format!("{count}_{part}_{sums}")));
        within
            .iter()
            .zip(across)
            .map(|(w, a)| (w + a / 2.0) / total(count))
            .collect()
    };
    let [dd, dr, rr] = ["DD", "DR", "RR"].map(halves);
    // Squares of weights pair by pair, those of a region counted twice where both points lie in it.
    let points = points(&folder, !weight.is_empty());
    let region = |x: [f64; 3]| (x[0] / 5.0) as usize + 2 * (x[1] / 5.0) as usize;
    let c2 = floats(&cov, "c2");
    let mut ratios = 0.0;
    for bin in 0..4 {
        let at = |values: &[f64], k: usize| values[4 * k + bin];
        let whole: f64 = (0..4).map(|k| at(&rr, k)).sum();
        let share: Vec<f64> = (0..4).map(|k| at(&rr, k) / whole).collect();
        let estimate: Vec<f64> = (0..4)
            .map(|k| (at(&dd, k) - 2.0 * at(&dr, k)) / at(&rr, k) + 1.0)
            .collect();
        let mean: f64 = (0..4).map(|k| share[k] * estimate[k]).sum();
        let both: f64 = share.iter().map(|w| w * w).sum();
        let found: f64 = (0..4)
            .map(|k| (share[k] * (estimate[k] - mean)).powi(2))
            .sum();
        let (mut all, mut tensors) = (0.0, 0.0);
        for (i, (x, w)) in points.iter().enumerate() {
            for (y, v) in &points[..i] {
                let d: f64 = (0..3).map(|k| (x[k] - y[k]).powi(2)).sum();
                if (d.sqrt() - 1.0) / 2.0 >= bin as f64 && (d.sqrt() - 1.0) / 2.0 < bin as f64 + 1.0
                {
                    let (a, b) = (region(*x), region(*y));
                    let equal = if a == b { 4.0 } else { 2.0 };
                    all += (w * v).powi(2);
                    tensors += (w * v).powi(2) * (equal / 4.0 - share[a] - share[b] + both);
                }
            }
        }
        ratios += found / (c2[5 * bin] * tensors / all);
    }
    let alpha = cov.meta["errors"]["alpha"].as_f64().unwrap();
    let expected = (ratios / 4.0).sqrt();
    assert!((alpha / expected - 1.0).abs() < 1e-4, "{alpha} {expected}");
}

#[test]
fn shot_noise_is_fitted_to_regions() {
    is_tuned_to_regions("");
    is_tuned_to_regions("--weight w");
}
