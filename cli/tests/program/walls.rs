//! `albireo rdf` in open volumes, across and along an axis, and without a volume.

use std::f64::consts::PI;
use std::fmt::Write as _;

use crate::folder::{Folder, floats, integers, names};

/// A number in [0, 1) that its index decides.
fn uniform(index: u64) -> f64 {
    let x = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Points of a cube of side 2 about the origin that are in a shape.
pub(crate) fn points(n: usize, seed: u64, inside: impl Fn([f64; 3]) -> bool) -> Vec<[f64; 3]> {
    let all = (seed * 1_000_000..).map(|k| [0, 1, 2].map(|axis| 2.0 * uniform(3 * k + axis) - 1.0));
    all.filter(|x| inside(*x)).take(n).collect()
}

pub(crate) fn frames(frames: &[Vec<[f64; 3]>]) -> String {
    let mut text = "frame,x,y,z\n".to_owned();
    for (number, rows) in frames.iter().enumerate() {
        for [x, y, z] in rows {
            writeln!(text, "{number},{x},{y},{z}").unwrap();
        }
    }
    text
}

pub(crate) fn table(rows: &[[f64; 3]]) -> String {
    let mut text = "x,y,z\n".to_owned();
    for [x, y, z] in rows {
        writeln!(text, "{x},{y},{z}").unwrap();
    }
    text
}

/// Pairs in bins of equal width, by a measure of differences.
fn pairs(rows: &[[f64; 3]], bins: usize, bin: impl Fn([f64; 3]) -> Option<usize>) -> Vec<u64> {
    let mut counts = vec![0; bins];
    for (i, a) in rows.iter().enumerate() {
        for b in &rows[i + 1..] {
            if let Some(bin) = bin([a[0] - b[0], a[1] - b[1], a[2] - b[2]]) {
                counts[bin] += 1;
            }
        }
    }
    counts
}

fn within(width: f64, bins: usize) -> impl Fn([f64; 3]) -> Option<usize> {
    move |[x, y, z]| {
        let bin = ((x * x + y * y + z * z).sqrt() / width) as usize;
        (bin < bins).then_some(bin)
    }
}

pub(crate) fn in_ball([x, y, z]: [f64; 3]) -> bool {
    x * x + y * y + z * z < 1.0
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!(
            (a - b).abs() <= 1e-10 * b.abs().max(1.0),
            "{k}: {a} is not {b}"
        );
    }
}

#[test]
fn a_drop_has_the_g_of_its_gas_by_walls_and_by_random_points() {
    let drops: Vec<_> = (0..5).map(|k| points(80, k, in_ball)).collect();
    let randoms = points(500, 77, in_ball);
    let folder = Folder::new()
        .with("drops.csv", &frames(&drops))
        .with("one.csv", &table(&drops[0]))
        .with("randoms.csv", &table(&randoms));
    let bins = "--r-max 1.8 --n-bins 9";
    folder.good(&format!(
        "rdf drops.csv --walls sphere:0,0,0,1 {bins} -o walls.csv --plot walls.png"
    ));
    folder.good(&format!(
        "rdf drops.csv --randoms randoms.csv {bins} -o randoms_g.csv"
    ));
    let counts: Vec<f64> = (0..9)
        .map(|bin| {
            let each = drops.iter().map(|drop| pairs(drop, 9, within(0.2, 9))[bin]);
            each.sum::<u64>() as f64 / (5.0 * 80.0 * 79.0 / 2.0)
        })
        .collect();
    // Of the pairs in a ball of radius 1 this share is closer than r (Deltheil).
    let share = |r: f64| {
        let x = r / 2.0;
        x * x * x * (8.0 - 9.0 * x + 2.0 * x * x * x)
    };
    let known: Vec<f64> = (0..9)
        .map(|k| counts[k] / (share(0.2 * (k + 1) as f64) - share(0.2 * k as f64)))
        .collect();
    let walls = folder.table("walls.csv");
    assert_close(&floats(&walls, "g"), &known);
    assert_eq!(walls.meta["walls"], "sphere:0,0,0,1");
    let errors = floats(&walls, "g_error");
    assert!(
        known
            .iter()
            .zip(&errors)
            .all(|(g, e)| (g - 1.0).abs() < 5.0 * e + 0.02)
    );
    let rr = pairs(&randoms, 9, within(0.2, 9));
    let by_randoms: Vec<f64> = (0..9)
        .map(|k| counts[k] / (rr[k] as f64 / (500.0 * 499.0 / 2.0)))
        .collect();
    let table = folder.table("randoms_g.csv");
    assert_close(&floats(&table, "g"), &by_randoms);
    assert_eq!(table.meta["randoms"]["points"], 500);
    // The same points in the unit of another file.
    let header = ["x", "y", "z"]
        .map(|axis| format!("# - name: {axis}\n#   datatype: float64\n#   unit: nm\n"));
    let rows = randoms.iter().map(|x| {
        let [x, y, z] = x.map(|x| x / 10.0);
        format!("{x},{y},{z}\n")
    });
    let text = format!(
        "# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n{}x,y,z\n{}",
        header.concat(),
        rows.collect::<String>()
    );
    let folder = folder.with("nm.ecsv", &text);
    folder.good(&format!(
        "rdf drops.csv --randoms nm.ecsv --unit Angstrom {bins} -o nm.csv"
    ));
    assert_close(&floats(&folder.table("nm.csv"), "g"), &by_randoms);
    // One frame as a sample is the same.
    for flags in ["--walls sphere:0,0,0,1", "--randoms randoms.csv"] {
        folder.good(&format!("rdf one.csv {flags} {bins} -o one_g.csv"));
        folder.good(&format!(
            "rdf drops.csv --frames 0:1 {flags} {bins} -o first_g.csv"
        ));
        let (one, first) = (folder.table("one_g.csv"), folder.table("first_g.csv"));
        for name in ["g", "n"] {
            assert_close(&floats(&one, name), &floats(&first, name));
        }
        assert_eq!(integers(&one, "npairs"), integers(&first, "npairs"));
    }
}

#[test]
fn films_pores_and_fields_of_view_are_between_walls() {
    let film = |x: [f64; 3]| x[2].abs() < 0.4;
    let pore = |[x, y, _]: [f64; 3]| x * x + y * y < 0.49;
    let all: Vec<_> = (0..6).map(|k| points(120, 10 + k, film)).collect();
    let pores: Vec<_> = (0..6).map(|k| points(120, 30 + k, pore)).collect();
    let blocks: Vec<_> = (0..6).map(|k| points(120, 50 + k, |_| true)).collect();
    let folder = Folder::new()
        .with("film.csv", &frames(&all))
        .with("pore.csv", &frames(&pores))
        .with("block.csv", &frames(&blocks));
    let bins = "--r-max 0.9 --n-bins 6";
    for (call, reference) in [
        // What is between walls that are periodic too, with vacuum between them, counts the same.
        ("film.csv --box 2,2,none --walls slab:z,-0.4,0.4", 1.0),
        ("film.csv --box 2,2,2 --walls slab:z,-0.4,0.4", 1.0),
        ("pore.csv --box none,none,2 --walls cylinder:z,0,0,0.7", 1.0),
        ("pore.csv --walls cylinder:z,0,0,0.7,-1,1", 1.0),
        ("block.csv --walls box:-1,1,-1,1,-1,1", 1.0),
        ("block.csv --plane xy --walls box:-1,1,-1,1,none,none", 1.0),
        (
            "block.csv --plane xz --box none,none,2 --walls slab:x,-1,1",
            1.0,
        ),
        (
            "film.csv --box 2,2,none --walls slab:z,-0.4,0.4 --cylinder z --heights lin:0:0.6:1",
            1.0,
        ),
        (
            "pore.csv --box none,none,2 --walls cylinder:z,0,0,0.7 --cylinder z --heights lin:0:0.9:1",
            1.0,
        ),
    ] {
        folder.good(&format!("rdf {call} {bins} -o g.csv"));
        let table = folder.table("g.csv");
        let (g, errors) = (floats(&table, "g"), floats(&table, "g_error"));
        for (k, (g, error)) in g.iter().zip(&errors).enumerate() {
            assert!(
                (g - reference).abs() < 4.5 * error + 0.02,
                "{call} {k}: {g} {error}"
            );
        }
    }
    // Which walls are periodic makes no difference but that of wrapped positions.
    folder.good(&format!(
        "rdf film.csv --box 2,2,none --walls slab:z,-0.4,0.4 {bins} -o open.csv"
    ));
    folder.good(&format!(
        "rdf film.csv --box 2,2,2 --walls slab:z,-0.4,0.4 {bins} -o closed.csv"
    ));
    let (open, closed) = (folder.table("open.csv"), folder.table("closed.csv"));
    assert_eq!(integers(&open, "npairs"), integers(&closed, "npairs"));
    assert_close(&floats(&open, "g"), &floats(&closed, "g"));
}

#[test]
fn pairs_across_and_along_an_axis() {
    let all: Vec<_> = (0..3).map(|k| points(60, 70 + k, |_| true)).collect();
    let folder = Folder::new().with("t.csv", &frames(&all));
    folder.good(
        "rdf t.csv --box 2,2,2 --cylinder y --r-max 0.8 --n-bins 4 --heights edges:0,0.25,1 -o g.csv --block-counts each.csv --plot g.png",
    );
    let nearest = |d: f64| d - 2.0 * (d / 2.0).round();
    let bin = |d: [f64; 3]| {
        let [x, y, z] = d.map(nearest);
        let ring = ((x * x + z * z).sqrt() / 0.2) as usize;
        (ring < 4).then_some(2 * ring + usize::from(y.abs() >= 0.25))
    };
    let counts: Vec<Vec<u64>> = all.iter().map(|rows| pairs(rows, 8, bin)).collect();
    let table = folder.table("g.csv");
    assert_eq!(
        integers(&folder.table("each.csv"), "npairs"),
        counts.concat()
    );
    let g = floats(&table, "g");
    for bin in 0..8 {
        let (ring, height) = (bin / 2, [0.25, 0.75][bin % 2]);
        let volume = PI * 0.04 * (2 * ring + 1) as f64 * 2.0 * height;
        let ideal = 3.0 * 60.0 * 59.0 / 2.0 * volume / 8.0;
        let counted: u64 = counts.iter().map(|frame| frame[bin]).sum();
        assert!((g[bin] - counted as f64 / ideal).abs() < 1e-12);
    }
    assert_eq!(
        &names(&table)[..4],
        ["rho_lo", "rho_hi", "rho_centre", "z_lo"]
    );
    assert!(!names(&table).contains(&"n"));
    assert_eq!(table.meta["statistic"], "rho-z");
    folder.good("result slice g.csv --range 0.2:0.8 --z-range 0:0.5 -o part.csv");
    let part = folder.table("part.csv");
    assert_eq!(floats(&part, "g"), [g[2], g[4], g[6]]);
    folder.good("plot part.csv -o part.svg");
    // Beyond half the box rings are cut by its cell: all pairs are there, and the rest of space has none.
    folder.good("rdf t.csv --box 2,2,2 --cylinder y --r-max 1.5 --n-bins 3 --heights lin:0:1:2 --beyond-half -o far.csv");
    let far = folder.table("far.csv");
    let sum: u64 = integers(&far, "npairs").iter().sum();
    assert_eq!(sum, 3 * 60 * 59 / 2);
    for (g, error) in floats(&far, "g").iter().zip(floats(&far, "g_error")) {
        assert!((g - 1.0).abs() < 4.5 * error, "{g} {error}");
    }
}

#[test]
fn distances_in_bodies_need_no_volume() {
    // A triangle with sides 3, 4 and 5 that turns.
    let folder = Folder::new().with(
        "t.csv",
        "frame,species,x,y,z\n0,A,0,0,0\n0,B,3,0,0\n0,B,0,4,0\n1,A,1,1,1\n1,B,1,4,1\n1,B,1,1,5\n",
    );
    folder.good("rdf t.csv --r-max 6 --n-bins 12 --p-of-r p.csv -o g.csv");
    let table = folder.table("p.csv");
    let third = 2.0 / 3.0;
    let p = floats(&table, "P");
    assert_close(&[p[6], p[8], p[10], p[0]], &[third, third, third, 0.0]);
    assert_eq!(table.meta["largest_distance"], 5.5);
    assert_eq!(folder.table("g.csv").meta["normalisation"], "pairs");
    folder.good("rdf t.csv --r-max 6 --n-bins 12 --p-of-r p.ecsv --scattering A=2,B=1 -o g.csv");
    let p = floats(&folder.table("p.ecsv"), "P");
    assert_close(&[p[6], p[8], p[10]], &[0.8, 0.8, 0.4]);
    folder.good("plot p.ecsv -o p.svg");
}
