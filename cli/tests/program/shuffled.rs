//! `--shuffle-marks` against the mean and the variance that shuffles of marks have in closed form.

use std::fmt::Write as _;

use crate::folder::{Folder, floats, integers};

const N: usize = 90;
const EDGES: [f64; 5] = [0.0, 1.0, 2.0, 3.0, 4.0];

/// Positions in a box of length 8, and marks of which some are large.
fn objects() -> Vec<[f64; 4]> {
    let mut state = 11u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let object = |_| {
        // Clumped, so that objects have different numbers of neighbours.
        let [x, y, z] = [(); 3].map(|()| 8.0 * next() * next());
        [x, y, z, 0.5 + next() + 3.0 * next().powi(8)]
    };
    (0..N).map(object).collect()
}

/// Neighbours of each object in each bin.
fn neighbours(objects: &[[f64; 4]]) -> Vec<[f64; 4]> {
    let mut of = vec![[0.0; 4]; N];
    for i in 0..N {
        for j in 0..i {
            let d = (0..3).map(|k| {
                let d = objects[i][k] - objects[j][k];
                d - 8.0 * (d / 8.0).round()
            });
            let r = d.map(|d| d * d).sum::<f64>().sqrt();
            if let Some(bin) = EDGES.windows(2).position(|e| r >= e[0] && r < e[1]) {
                of[i][bin] += 1.0;
                of[j][bin] += 1.0;
            }
        }
    }
    of
}

/// The mean of T/n over all permutations, in units of the squared mean, and its standard deviation.
fn closed_form(objects: &[[f64; 4]], neighbours: &[[f64; 4]], bin: usize) -> (f64, f64) {
    let power = |p: i32| objects.iter().map(|object| object[3].powi(p)).sum::<f64>();
    let [p1, p2, p3, p4] = [1, 2, 3, 4].map(power);
    let n = N as f64;
    let [n2, n3, n4] = [
        n * (n - 1.0),
        n * (n - 1.0) * (n - 2.0),
        n * (n - 1.0) * (n - 2.0) * (n - 3.0),
    ];
    // Means of products over distinct objects.
    let e11 = (p1 * p1 - p2) / n2;
    let e22 = (p2 * p2 - p4) / n2;
    let e211 = (p2 * p1 * p1 - p2 * p2 - 2.0 * p3 * p1 + 2.0 * p4) / n3;
    let e1111 = (p1.powi(4) - 6.0 * p1 * p1 * p2 + 3.0 * p2 * p2 + 8.0 * p1 * p3 - 6.0 * p4) / n4;
    let pairs = neighbours.iter().map(|of| of[bin]).sum::<f64>() / 2.0;
    let squares = neighbours.iter().map(|of| of[bin] * of[bin]).sum::<f64>();
    let (same, shared) = (pairs, squares - 2.0 * pairs);
    let apart = pairs * pairs - same - shared;
    let variance = same * e22 + shared * e211 + apart * e1111 - pairs * pairs * e11 * e11;
    let unit = (p1 / n).powi(2);
    (e11 / unit, variance.sqrt() / (pairs * unit))
}

#[test]
fn shuffles_have_the_mean_and_the_variance_of_all_permutations() {
    let objects = objects();
    let mut text = "x,y,z,m\n".to_owned();
    for [x, y, z, m] in &objects {
        let _ = writeln!(text, "{x},{y},{z},{m}");
    }
    let folder = Folder::new().with("g.csv", &text);
    let number = 1600;
    let line = "count g.csv --box 8 --bins edges:0,1,2,3,4 --pair-sum marked(m) --shuffle-marks";
    folder.good(&format!("{line} {number} -o a.json"));
    let table = folder.table("a.json");
    let neighbours = neighbours(&objects);
    let [means, deviations] = ["M_shuffle_mean", "M_shuffle_std"].map(|name| floats(&table, name));
    for (bin, npairs) in integers(&table, "npairs").into_iter().enumerate() {
        let pairs: f64 = neighbours.iter().map(|of| of[bin]).sum::<f64>() / 2.0;
        assert_eq!(npairs as f64, pairs);
        let (mean, deviation) = closed_form(&objects, &neighbours, bin);
        let error = deviation / f64::from(number).sqrt();
        assert!(
            (means[bin] - mean).abs() < 4.0 * error,
            "bin {bin}: {}, {mean} +- {error}",
            means[bin]
        );
        // The marks have tails: a scatter of 1600 shuffles is known to some per cent.
        assert!(
            (deviations[bin] / deviation - 1.0).abs() < 0.06,
            "bin {bin}: {}, {deviation}",
            deviations[bin]
        );
    }
    assert_eq!(table.meta["shuffled_marks"]["number"], number);
    // The same shuffles again, and others.
    let few = ["", "--seed 1 --engine naive", "--seed 2"].map(|flags| {
        folder.good(&format!("{line} 20 {flags} -o b.json"));
        floats(&folder.table("b.json"), "M_shuffle_std")
    });
    assert_eq!(few[0], few[1]);
    assert_ne!(few[0], few[2]);
}

#[test]
fn weights_stay_with_their_objects() {
    let mut text = "x,y,z,m,w\n".to_owned();
    for (k, [x, y, z, m]) in objects().iter().enumerate() {
        let _ = writeln!(text, "{x},{y},{z},{m},{}", 1 + k % 4);
    }
    let folder = Folder::new().with("g.csv", &text);
    let line = "count g.csv --box 8 --bins edges:0,2,4 --weight w --shuffle-marks 40";
    // Marks that are all alike have M = 1 for any weights and any order.
    folder.good(&format!("{line} --pair-sum marked(2+0*m) -o a.json"));
    let table = folder.table("a.json");
    for (mean, deviation) in floats(&table, "M_shuffle_mean")
        .iter()
        .zip(floats(&table, "M_shuffle_std"))
    {
        assert!((mean - 1.0).abs() < 1e-11, "{mean}");
        assert!(deviation < 1e-11, "{deviation}");
    }
}
