//! Weights of wide range: right sums, their bound in the result, and a warning where it is large.

use crate::folder::{Folder, floats, integers, scattered};

/// A catalogue with these weights in place of its own.
fn reweighted(text: &str, weight: impl Fn(usize) -> f64) -> String {
    let mut lines = text.lines();
    let mut out = vec![lines.next().unwrap().to_owned()];
    for (k, line) in lines.enumerate() {
        let (rest, _) = line.rsplit_once(',').unwrap();
        out.push(format!("{rest},{}", weight(k)));
    }
    out.join("\n") + "\n"
}

/// Sums of the products of weights over each pair once, in four bins of width 1, and those of their magnitudes.
fn expected(text: &str) -> [[f64; 2]; 4] {
    let row = |line: &str| -> Vec<f64> { line.split(',').map(|x| x.parse().unwrap()).collect() };
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(row).collect();
    let mut sums = [[0.0; 2]; 4];
    for (i, a) in rows.iter().enumerate() {
        for b in &rows[..i] {
            let r2: f64 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum();
            if let Some(sum) = sums.get_mut(r2.sqrt() as usize) {
                sum[0] += a[3] * b[3];
                sum[1] += (a[3] * b[3]).abs();
            }
        }
    }
    sums
}

const COUNT: &str = "--weight w --bins lin:0:4:4";

#[test]
fn sums_keep_the_digits_of_all_weights() {
    let plain = scattered(400, 10.0, 5);
    let kinds: [(&str, &dyn Fn(usize) -> f64); 3] = [
        ("an outlier", &|k| if k == 17 { 1e6 } else { 1.0 }),
        ("halo masses", &|k| {
            10f64.powf(10.0 + 5.0 * ((k * 37 % 400) as f64 / 400.0).powi(6))
        }),
        ("0 to 1 and 1e5", &|k| {
            if k == 17 {
                1e5
            } else {
                (k * 37 % 400) as f64 / 400.0
            }
        }),
    ];
    for (name, weight) in kinds {
        let text = reweighted(&plain, weight);
        let folder = Folder::new().with("d.csv", &text);
        let run = folder.good(&format!("count d.csv {COUNT} -o dd.csv"));
        folder.good(&format!("count d.csv d.csv {COUNT} -o cross.csv"));
        let (auto, cross) = (folder.table("dd.csv"), folder.table("cross.csv"));
        let record = &auto.meta["counts"]["DD"];
        assert_eq!(record["weight_words"], 2, "{name}");
        let bound = record["weight_bound_of_pair"].as_f64().unwrap();
        let weights: Vec<f64> = (0..400).map(weight).collect();
        let selves: f64 = weights.iter().map(|w| w * w).sum();
        let sums = floats(&auto, "weight");
        let bounds = integers(&auto, "npairs").into_iter().zip(&sums);
        let loose = bounds.filter(|(n, sum)| *n as f64 * bound > 1e-9 * sum.abs());
        assert_eq!(
            loose.count() > 0,
            run.stderr.contains("WARN"),
            "{name}: {}",
            run.stderr
        );
        let both = floats(&cross, "weight");
        for (bin, [sum, _]) in expected(&text).into_iter().enumerate() {
            let most = bound * integers(&auto, "npairs")[bin] as f64 + 1e-13 * sum;
            assert!((sums[bin] - sum).abs() <= most, "{name}, bin {bin}");
            let own = if bin == 0 { selves } else { 0.0 };
            let twice = both[bin] - own;
            let most = 2.0 * most + bound * 400.0 + 1e-13 * both[bin];
            assert!((2.0 * sums[bin] - twice).abs() <= most, "{name}, bin {bin}");
        }
    }
}

#[test]
fn ordinary_weights_keep_one_word() {
    let folder = Folder::new().with("d.csv", &scattered(200, 10.0, 3));
    folder.good(&format!("count d.csv {COUNT} -o dd.csv"));
    let record = &folder.table("dd.csv").meta["counts"]["DD"];
    assert_eq!(record["weight_words"], 1);
    // Weights lie below 1.
    assert_eq!(record["weight_bound_of_pair"], 2f64.powi(-37));
}

#[test]
fn weights_that_cancel_are_warned_of() {
    let text = "x,y,z,w\n0,0,0,0.3333333333333333\n1,0,0,1\n0,1,0,-0.999999999\n9,9,9,1\n";
    let folder = Folder::new().with("d.csv", text);
    let run = folder.good("count d.csv --weight w --bins edges:0.5,1.2,20 -o dd.csv");
    let warned = run.stderr.lines().find(|line| line.contains("WARN"));
    let warned = warned.unwrap_or_else(|| panic!("{}", run.stderr));
    for part in ["DD: the weights in 1 of 2 bins", "1e-9", "cancel"] {
        assert!(warned.contains(part), "{warned}");
    }
}

#[test]
fn random_pairs_in_no_bin_are_warned_of() {
    let far = scattered(50, 10.0, 4).replace('\n', "\n1000");
    let folder = Folder::new()
        .with("d.csv", &scattered(50, 10.0, 3))
        .with("r.csv", far.trim_end_matches("1000"));
    let run = folder.good("xi d.csv --randoms r.csv --bins lin:0:4:4 -o xi.csv");
    let warned = |name: &str| {
        let said = format!("{name}: no pair lies in any bin");
        run.stderr.lines().any(|line| line.contains(&said))
    };
    assert_eq!(["DR", "RR"].map(warned), [true, false], "{}", run.stderr);
}

#[test]
fn subsets_of_randoms_decide_together() {
    let randoms = reweighted(&scattered(331, 10.0, 2), |k| if k == 7 { 1e6 } else { 1.0 });
    let folder = Folder::new()
        .with("d.csv", &scattered(150, 10.0, 1))
        .with("r.csv", &randoms);
    folder.good(
        "xi d.csv --randoms r.csv --weight w --bins lin:0:4:4 --split-randoms 3 --split-randoms-above 2 -o xi.csv",
    );
    let record = &folder.table("xi.csv").meta["counts"]["RR"];
    assert_eq!(record["weight_words"], 2);
}

/// Takes the number of words out of a result, wherever it stands.
fn forget(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(entries) => {
            entries.remove("weight_words");
            entries.values_mut().for_each(forget);
        }
        serde_json::Value::Array(entries) => entries.iter_mut().for_each(forget),
        _ => {}
    }
}

#[test]
fn saved_counts_of_other_words_are_refused() {
    let randoms = reweighted(&scattered(200, 10.0, 2), |k| if k == 7 { 1e6 } else { 1.0 });
    let folder = Folder::new()
        .with("d.csv", &scattered(100, 10.0, 1))
        .with("r.csv", &randoms);
    folder.good(&format!("count r.csv {COUNT} -o rr.json"));
    let xi = "xi d.csv --randoms r.csv --weight w --bins lin:0:4:4";
    folder.good(&format!("{xi} -o xi.csv"));
    folder.good(&format!("{xi} --rr rr.json -o again.csv"));
    let (whole, again) = (folder.table("xi.csv"), folder.table("again.csv"));
    assert_eq!(floats(&whole, "xi"), floats(&again, "xi"));
    let key = "weight_bound_of_pair";
    let of = |table: &albireo_catalogs::Table| table.meta["counts"]["RR"][key].clone();
    assert_eq!(of(&whole), of(&again));
    // As a result has it that knows but one word.
    let text = folder.text("rr.json");
    let mut older: serde_json::Value = serde_json::from_str(&text).unwrap();
    forget(&mut older);
    let folder = folder.with("older.json", &older.to_string());
    let run = folder.run(&format!("{xi} --rr older.json -o no.csv"));
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("in one word of fixed point"),
        "{}",
        run.stderr
    );
}
