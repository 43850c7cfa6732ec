//! `albireo rdf --beyond-half`: nearest images up to the corners of skewed, changing boxes.

use std::fmt::Write as _;

use crate::folder::{Folder, floats, integers};

/// The pairs of one frame in skewed boxes, their nearest images found among nine along each vector.
fn skewed_trajectory() -> (String, Vec<Vec<u64>>) {
    let mut text = "frame,x,y,z,ax,ay,az,bx,by,bz,cx,cy,cz\n".to_owned();
    let mut expected = Vec::new();
    for frame in 0..4u64 {
        let f = frame as f64;
        // Angles down to some 30 degrees, another cell in each frame.
        let cell = [
            [4.0, 0.0, 0.0],
            [3.0 + 0.25 * f, 2.5, 0.0],
            [-1.0, 2.0 - 0.5 * f, 3.5],
        ];
        let mut rows: Vec<[f64; 3]> = Vec::new();
        for k in 0..60 {
            let mixed = |seed: u64| {
                let x = (frame * 1_000_003 + k * 7 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let x = (x ^ (x >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let x = (x ^ (x >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
                (x >> 40) as f64 / (1u64 << 24) as f64
            };
            let s = [mixed(1), mixed(2), mixed(3)];
            let at = |axis: usize| (0..3).map(|v| s[v] * cell[v][axis]).sum::<f64>();
            rows.push([at(0), at(1), at(2)]);
        }
        let flat: Vec<String> = cell.iter().flatten().map(f64::to_string).collect();
        for [x, y, z] in &rows {
            writeln!(text, "{frame},{x},{y},{z},{}", flat.join(",")).unwrap();
        }
        let mut bins = vec![0; 10];
        for (i, a) in rows.iter().enumerate() {
            for b in &rows[i + 1..] {
                let mut least = f64::INFINITY;
                for n in 0..729 {
                    let n = [n / 81 - 4, n / 9 % 9 - 4, n % 9 - 4].map(f64::from);
                    let moved =
                        |k: usize| a[k] - b[k] + (0..3).map(|v| n[v] * cell[v][k]).sum::<f64>();
                    least = least.min((0..3).map(|k| moved(k).powi(2)).sum());
                }
                let bin = (least.sqrt() / 0.375) as usize;
                if bin < 10 {
                    bins[bin] += 1;
                }
            }
        }
        expected.push(bins);
    }
    (text, expected)
}

#[test]
fn beyond_half_of_skewed_boxes_shells_are_cut_by_their_cells() {
    let (text, expected) = skewed_trajectory();
    let folder = Folder::new().with("t.csv", &text);
    let run = folder.run("rdf t.csv --r-max 3.75 --n-bins 10 -o g.csv");
    assert!(
        run.code == 1 && run.stderr.contains("frame 0") && run.stderr.contains("--beyond-half"),
        "{}",
        run.stderr
    );
    for engine in ["cpu", "naive"] {
        folder.good(&format!(
            "rdf t.csv --r-max 3.75 --n-bins 10 --beyond-half --engine {engine} -o {engine}.csv --block-counts each.csv --checkpoint {engine}.bin"
        ));
        assert_eq!(
            integers(&folder.table("each.csv"), "npairs"),
            expected.concat()
        );
    }
    let (table, naive) = (folder.table("cpu.csv"), folder.table("naive.csv"));
    let g = floats(&table, "g");
    // What is beyond the corners of all cells has no g; the cells of a gas are filled.
    assert_eq!(
        g.iter().map(|g| g.to_bits()).collect::<Vec<_>>(),
        floats(&naive, "g")
            .iter()
            .map(|g| g.to_bits())
            .collect::<Vec<_>>()
    );
    let pairs: u64 = expected.iter().flatten().sum();
    assert_eq!(pairs, 4 * 60 * 59 / 2);
    for (k, error) in floats(&table, "g_error")
        .iter()
        .enumerate()
        .filter(|(_, e)| e.is_finite())
    {
        assert!((g[k] - 1.0).abs() < 4.5 * error, "{k}: {} {error}", g[k]);
    }
    assert!((floats(&table, "n")[9] - 59.0).abs() < 1e-12);
    assert_eq!(table.meta["beyond_half"], true);
    // The same from a checkpoint, which keeps the boxes; not by a call that stays within half.
    folder.good("rdf t.csv --r-max 3.75 --n-bins 10 --beyond-half --engine cpu -o again.csv --checkpoint cpu.bin");
    assert!(folder.bytes("again.csv") == folder.bytes("cpu.csv"));
    // One frame as a sample has its counts and shells as well.
    folder.good("rdf t.csv --where frame==2 --box 4,0,0,3.5,2.5,0,-1,1,3.5 --r-max 3.75 --n-bins 10 --beyond-half -o one.csv");
    folder.good("rdf t.csv --frames 2:3 --r-max 3.75 --n-bins 10 --beyond-half -o of_frames.csv");
    let (one, of_frames) = (folder.table("one.csv"), folder.table("of_frames.csv"));
    assert_eq!(integers(&one, "npairs"), expected[2]);
    for name in ["g", "g_error", "n"] {
        let bits = |values: Vec<f64>| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(
            bits(floats(&one, name)),
            bits(floats(&of_frames, name)),
            "{name}"
        );
    }
}
