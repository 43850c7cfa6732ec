//! `albireo rdf`: errors of g, in the unit of g, from pairs and from blocks of frames.

use std::fmt::Write as _;

use albireo::random::Stream;
use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers, names};

/// O and H in turn in a box of 8.
fn frames(number: u64) -> String {
    let mut text = "frame,species,x,y,z,lx,ly,lz\n".to_owned();
    let random = Stream::new(number);
    for row in 0..30 * number {
        let at = |axis: u64| 8.0 * random.uniform(3 * row + axis);
        let species = ["O", "H"][row as usize % 2];
        let [x, y, z] = [at(0), at(1), at(2)];
        writeln!(text, "{},{species},{x},{y},{z},8,8,8", row / 30).unwrap();
    }
    text
}

/// The standard error of the mean of what blocks say, bin by bin.
fn scatter(blocks: &[&[f64]]) -> Vec<f64> {
    let n = blocks.len() as f64;
    let of = |bin: usize| {
        let mean = blocks.iter().map(|block| block[bin]).sum::<f64>() / n;
        let squares = blocks.iter().map(|block| (block[bin] - mean).powi(2));
        (squares.sum::<f64>() / n / (n - 1.0)).sqrt()
    };
    (0..blocks[0].len()).map(of).collect()
}

fn close(found: &[f64], expected: &[f64]) {
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= 1e-12 * expected.abs(),
            "{found} {expected}"
        );
    }
}

#[test]
fn errors_are_in_the_unit_of_g() {
    let folder = Folder::new().with("t.csv", &frames(40));
    let bins = "--bins edges:0,2,2.5,3,4 --pairs O-H";
    for norm in ["pairs", "n2", "gc", "density", "none"] {
        let run = folder.good(&format!(
            "rdf t.csv {bins} --norm {norm} -o g.csv --block-counts each.csv --block 8"
        ));
        assert!(
            run.stderr
                .contains("g_block_error: from the scatter of 5 blocks of 8 frames"),
            "{}",
            run.stderr
        );
        let (table, each) = (folder.table("g.csv"), folder.table("each.csv"));
        let g = floats(&table, "g");
        let poisson = integers(&table, "npairs");
        let poisson = g.iter().zip(poisson).map(|(g, p)| g / (p as f64).sqrt());
        close(&floats(&table, "g_error"), &poisson.collect::<Vec<_>>());
        // Pairs are a sum over all frames, of which a block has a fifth.
        let times = if norm == "none" { 5.0 } else { 1.0 };
        let of_blocks: Vec<f64> = floats(&each, "g").iter().map(|g| times * g).collect();
        let blocks: Vec<&[f64]> = of_blocks.chunks(4).collect();
        assert_eq!(blocks.len(), 5);
        close(&floats(&table, "g_block_error"), &scatter(&blocks));
    }
}

#[test]
fn every_number_of_frames_from_two_has_errors() {
    let folder = Folder::new().with("t.csv", &frames(300));
    let bins = "--bins edges:0,3,3.5,4";
    for number in [2, 3, 5, 11, 40, 129, 300] {
        folder.good(&format!("rdf t.csv {bins} --frames 0:{number} -o g.csv"));
        let table = folder.table("g.csv");
        for pair in ["H-H", "H-O", "O-O"] {
            let errors = floats(&table, &format!("g_block_error_{pair}"));
            let good = |error: &f64| error.is_finite() && *error > 0.0;
            assert!(errors.iter().all(good), "{number} {pair}: {errors:?}");
        }
    }
    // A block a frame, of frames as they are.
    folder.good(&format!(
        "rdf t.csv {bins} --pairs O-O --frames 0:7 --blocks 9 -o g.csv --block-counts each.csv"
    ));
    let g = floats(&folder.table("each.csv"), "g");
    let each: Vec<&[f64]> = g.chunks(3).collect();
    let table = folder.table("g.csv");
    close(&floats(&table, "g_block_error"), &scatter(&each));
    assert_eq!(
        table.meta["block_error"],
        "the scatter of 7 blocks of 1 frame"
    );
    folder.good(&format!("rdf t.csv {bins} --frames 0:1 -o g.csv"));
    let has = |table: &Table| names(table).iter().any(|name| name.starts_with("g_block"));
    assert!(!has(&folder.table("g.csv")));
}

#[test]
fn a_plateau_is_asked_for_by_name() {
    let folder = Folder::new().with("t.csv", &frames(512));
    let call = "rdf t.csv --bins edges:0,2,3,4 --pairs O-O --block-error plateau -o g.csv";
    let run = folder.good(call);
    assert!(
        run.stderr.contains("the plateau of blocks of"),
        "{}",
        run.stderr
    );
    let plateau = floats(&folder.table("g.csv"), "g_block_error");
    folder.good("rdf t.csv --bins edges:0,2,3,4 --pairs O-O --blocks 50 -o h.csv");
    let scatter = floats(&folder.table("h.csv"), "g_block_error");
    for (a, b) in plateau.iter().zip(scatter) {
        assert!((0.25..4.0).contains(&(a / b)), "{a} {b}");
    }
    let run = folder.good(&format!("{call} --frames 0:5"));
    assert!(
        run.stderr.contains("needs 8 blocks, found 5"),
        "{}",
        run.stderr
    );
}

#[test]
fn figures_show_the_errors_of_blocks() {
    let folder = Folder::new().with("t.csv", &frames(20));
    let bars = |call: &str| {
        folder.good(&format!(
            "rdf t.csv --bins lin:1:4:6 {call} -o g.csv --plot g.svg"
        ));
        folder.text("g.svg")
    };
    let two = bars("--pairs O-O,H-H");
    let with_more_blocks = bars("--pairs O-O,H-H --blocks 20");
    assert!(two != with_more_blocks);
    let one = bars("--pairs O-O");
    assert!(one != bars("--pairs O-O --blocks 20"));
}
