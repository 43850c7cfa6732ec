//! `albireo rdf` over the frames of trajectories.

use std::fmt::Write as _;
use std::process::Command;

use crate::folder::{Folder, floats, integers, names};

/// A table of frames in boxes that grow: `species` in turn O, H, H; molecules of three.
pub(crate) fn trajectory(frames: std::ops::Range<u64>, particles: u64) -> String {
    let mut text = "frame,species,molecule,x,y,z,lx,ly,lz\n".to_owned();
    for frame in frames {
        let length = 8.0 + 0.125 * frame as f64;
        for k in 0..particles {
            let species = ["O", "H", "H"][k as usize % 3];
            let at = |seed: u64| {
                let mixed =
                    (frame * 1_000_003 + k * 7919 + seed * 104_729).wrapping_mul(2_654_435_761);
                (mixed >> 7) % 4096
            };
            let [x, y, z] = [1, 2, 3].map(|seed| at(seed) as f64 / 512.0);
            let molecule = k / 3;
            writeln!(
                text,
                "{frame},{species},{molecule},{x},{y},{z},{length},{length},{length}"
            )
            .unwrap();
        }
    }
    text
}

/// Pairs of each bin of width 0.5 below 3 in one frame, by the nearest image, of those that `wanted` takes.
pub(crate) fn by_hand(
    text: &str,
    frame: u64,
    wanted: impl Fn(&str, &str, u64, u64) -> bool,
) -> Vec<u64> {
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| row[0] == frame.to_string())
        .collect();
    let number = |row: &[&str], k: usize| row[k].parse::<f64>().unwrap();
    let mut bins = vec![0; 6];
    for (i, a) in rows.iter().enumerate() {
        for b in &rows[i + 1..] {
            let r2: f64 = (3..6)
                .map(|k| {
                    let length = number(a, k + 3);
                    let d = number(a, k) - number(b, k);
                    (d - length * (d / length).round()).powi(2)
                })
                .sum();
            let molecules = [a, b].map(|row| row[2].parse::<u64>().unwrap());
            let bin = (r2.sqrt() / 0.5) as usize;
            if bin < 6 && wanted(a[1], b[1], molecules[0], molecules[1]) {
                bins[bin] += 1;
            }
        }
    }
    bins
}

pub(crate) fn sum(bins: impl Iterator<Item = Vec<u64>>) -> Vec<u64> {
    bins.reduce(|a, b| a.iter().zip(b).map(|(a, b)| a + b).collect())
        .unwrap()
}

pub(crate) const BINS: &str = "--r-max 3 --n-bins 6";

#[test]
fn partials_of_all_frames_are_counted_by_the_rule() {
    let text = trajectory(0..12, 90);
    let folder = Folder::new().with("t.csv", &text);
    folder.good(&format!(
        "rdf t.csv {BINS} -o g.csv --block-counts each.csv --threads 2"
    ));
    let (table, each) = (folder.table("g.csv"), folder.table("each.csv"));
    let pair = |a: &'static str, b: &'static str| {
        move |s: &str, t: &str, _: u64, _: u64| (s, t) == (a, b) || (s, t) == (b, a)
    };
    for (name, wanted) in [
        ("H-H", pair("H", "H")),
        ("H-O", pair("H", "O")),
        ("O-O", pair("O", "O")),
    ] {
        let frames: Vec<Vec<u64>> = (0..12).map(|frame| by_hand(&text, frame, wanted)).collect();
        assert_eq!(
            integers(&each, &format!("npairs_{name}")),
            frames.concat(),
            "{name}"
        );
        assert_eq!(
            integers(&table, &format!("npairs_{name}")),
            sum(frames.into_iter()),
            "{name}"
        );
    }
    // Partners are counted around both species: 30 O and 60 H.
    let (around_h, around_o) = (floats(&table, "n_H-O"), floats(&table, "n_O-H"));
    assert!(
        around_h
            .iter()
            .zip(around_o)
            .all(|(h, o)| (2.0 * h - o).abs() < 1e-12)
    );
    let g = floats(&table, "g_O-O");
    let ideal: f64 = (0..12)
        .map(|frame| {
            let volume = (8.0 + 0.125 * f64::from(frame)).powi(3);
            30.0 * 29.0 / 2.0 / volume
        })
        .sum();
    let shell = 4.0 / 3.0 * std::f64::consts::PI * (27.0 - 2.5f64.powi(3));
    let expected = integers(&table, "npairs_O-O")[5] as f64 / (ideal * shell);
    assert!((g[5] - expected).abs() < 1e-12 * expected);
    assert_eq!(table.meta["frames"], 12);
    assert_eq!(table.meta["species"].to_string(), "[\"H\",\"O\"]");
}

#[test]
fn ranges_files_threads_and_checkpoints_make_no_difference() {
    let text = trajectory(0..20, 60);
    let folder = Folder::new()
        .with("t.csv", &text)
        .with("part_1.csv", &trajectory(0..7, 60))
        .with("part_2.csv", &trajectory(7..20, 60));
    folder.good(&format!("rdf t.csv {BINS} -o whole.csv --threads 1"));
    folder.good(&format!("rdf part_*.csv {BINS} -o parts.csv --threads 2"));
    folder.good(&format!("rdf t.csv {BINS} -o naive.csv --engine naive"));
    let whole = folder.bytes("whole.csv");
    for other in ["parts.csv", "naive.csv"] {
        assert!(folder.bytes(other) == whole, "{other}");
    }
    folder.good(&format!(
        "rdf t.csv {BINS} --frames 3:17:4 -o some.csv --block-counts some_each.csv"
    ));
    let each = folder.table("some_each.csv");
    let frames: Vec<u64> = integers(&each, "frame")
        .chunks(6)
        .map(|frame| frame[0])
        .collect();
    assert_eq!(frames, [3, 7, 11, 15]);
    // A run that was stopped after some frames goes on from there.
    folder.good(&format!(
        "rdf part_*.csv {BINS} -o again.csv --checkpoint c.bin"
    ));
    let run = folder.good(&format!(
        "rdf part_*.csv {BINS} -o again.csv --checkpoint c.bin"
    ));
    assert!(
        run.stderr.contains("20 frames were counted before"),
        "{}",
        run.stderr
    );
    assert!(folder.bytes("again.csv") == whole);
    let run = folder.run("rdf part_*.csv --r-max 3 --n-bins 7 -o other.csv --checkpoint c.bin");
    assert_eq!(run.code, 1);
    assert!(
        run.stderr
            .contains("other files, frames, particles, pairs or bins (bins is another)"),
        "{}",
        run.stderr
    );
    let mut bytes = folder.bytes("c.bin");
    let at = bytes.len() - 3;
    bytes[at] ^= 1;
    std::fs::write(folder.path("c.bin"), bytes).unwrap();
    let run = folder.run(&format!(
        "rdf part_*.csv {BINS} -o other.csv --checkpoint c.bin"
    ));
    assert!(
        run.code == 1 && run.stderr.contains("damaged"),
        "{}",
        run.stderr
    );
}

#[test]
fn particles_may_change_from_frame_to_frame() {
    // Every frame has other particles, in another order.
    let mut text = trajectory(0..1, 60);
    for frame in 1..9 {
        let rows = trajectory(frame..frame + 1, 30 + 3 * frame);
        let rows: Vec<&str> = rows.lines().skip(1).collect();
        let turned = rows.iter().cycle().skip(frame as usize).take(rows.len());
        for row in turned {
            writeln!(text, "{row}").unwrap();
        }
    }
    let folder = Folder::new().with("t.csv", &text);
    for threads in [1, 2] {
        folder.good(&format!("rdf t.csv {BINS} -o g.csv --threads {threads}"));
        let of = |frame| by_hand(&text, frame, |a, b, _, _| a != b);
        let expected = sum((0..9).map(of));
        assert_eq!(integers(&folder.table("g.csv"), "npairs_H-O"), expected);
    }
}

#[test]
fn some_pairs_and_pairs_of_other_molecules() {
    let text = trajectory(0..5, 90);
    let folder = Folder::new().with("t.csv", &text);
    folder.good(&format!("rdf t.csv {BINS} --pairs O-H -o oh.csv"));
    let table = folder.table("oh.csv");
    let of = |frame| by_hand(&text, frame, |a, b, _, _| a != b);
    assert_eq!(integers(&table, "npairs"), sum((0..5).map(of)));
    folder.good(&format!(
        "rdf t.csv {BINS} --pairs O-H,O-O --exclude-same molecule -o other.csv"
    ));
    let table = folder.table("other.csv");
    let of = |frame| by_hand(&text, frame, |a, b, m, n| a != b && m != n);
    assert_eq!(integers(&table, "npairs_O-H"), sum((0..5).map(of)));
    let of = |frame| by_hand(&text, frame, |a, b, _, _| a == "O" && b == "O");
    assert_eq!(integers(&table, "npairs_O-O"), sum((0..5).map(of)));
}

#[test]
fn groups_may_share_particles() {
    let text = trajectory(0..4, 60);
    let folder = Folder::new().with("t.csv", &text);
    let run = folder.run_with(&[
        "rdf",
        "t.csv",
        "--r-max",
        "3",
        "--n-bins",
        "6",
        "-o",
        "g.csv",
        "--pairs",
        "first-all,all-all",
        "--select",
        "first=molecule < 5",
        "--select",
        "all=x >= 0 || x < 0",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let table = folder.table("g.csv");
    let of = |frame| {
        let once = by_hand(&text, frame, |_, _, m, n| (m < 5) != (n < 5));
        // Pairs within the first are pairs of first and all in both orders.
        let twice = by_hand(&text, frame, |_, _, m, n| m < 5 && n < 5);
        once.iter()
            .zip(twice)
            .map(|(once, twice)| once + 2 * twice)
            .collect()
    };
    assert_eq!(integers(&table, "npairs_first-all"), sum((0..4).map(of)));
    let of = |frame| by_hand(&text, frame, |_, _, _, _| true);
    assert_eq!(integers(&table, "npairs_all-all"), sum((0..4).map(of)));
}

#[test]
fn molecules_may_be_their_centres() {
    // Two molecules of two atoms, of masses 1 and 3, across a face of the box.
    let rows = "frame,molecule,mass,x,y,z,lx,ly,lz\n\
        0,1,1,9.5,5,5,10,10,10\n0,1,3,0.5,5,5,10,10,10\n0,2,1,2,5,5,10,10,10\n0,2,3,3,5,5,10,10,10\n\
        1,1,1,9.5,5,5,10,10,10\n1,1,3,0.5,5,5,10,10,10\n1,2,1,1,5,5,10,10,10\n1,2,3,2,5,5,10,10,10\n";
    let folder = Folder::new().with("m.csv", rows);
    folder.good("rdf m.csv --centres molecule --bins edges:0,1.6,2.4,2.6,5 -o g.csv --block-counts each.csv");
    // Centres at 0.25 and 2.75, then at 0.25 and 1.75.
    assert_eq!(
        integers(&folder.table("each.csv"), "npairs"),
        [0, 0, 1, 0, 1, 0, 0, 0]
    );
    let run = folder.run("rdf m.csv --centres residue --r-max 3 --n-bins 3");
    assert!(
        run.stderr
            .contains("no `residue` of the particles is known"),
        "{}",
        run.stderr
    );
}

#[test]
fn planes_structure_factors_and_figures() {
    let folder = Folder::new().with("t.csv", &trajectory(0..16, 90));
    folder.good(&format!(
        "rdf t.csv {BINS} --norm n2 --pmf --kirkwood-buff=box --structure s.csv --q lin:0.5:10.5:20 --window lorch --scattering neutron -o g.csv --plot g.png"
    ));
    let s = folder.table("s.csv");
    for name in ["S_H-O", "SAL_O-O", "S_NN", "S_NC", "S_CC", "F", "S"] {
        assert!(
            floats(&s, name).iter().all(|value| value.is_finite()),
            "{name}"
        );
    }
    let (nn, hh, ho, oo) = (
        floats(&s, "S_NN"),
        floats(&s, "S_H-H"),
        floats(&s, "S_H-O"),
        floats(&s, "S_O-O"),
    );
    for k in 0..20 {
        let expected = (4.0 * hh[k] + oo[k] + 4.0 * ho[k]) / 9.0;
        assert!((nn[k] - expected).abs() < 1e-12);
    }
    let g = folder.table("g.csv");
    assert!(
        names(&g).contains(&"w_O-O")
            && names(&g).contains(&"G_O-O")
            && names(&g).contains(&"g_block_error_O-O")
    );
    folder.good("plot s.csv -o s.svg");
    assert!(folder.text("s.svg").contains("<svg"));
    folder.good(&format!("rdf t.csv {BINS} --plane xy -o flat.csv"));
    let flat = folder.table("flat.csv");
    let ideal: f64 = (0..16)
        .map(|frame| 435.0 / (8.0 + 0.125 * f64::from(frame)).powi(2))
        .sum();
    let ring = std::f64::consts::PI * (9.0 - 6.25);
    let expected = integers(&flat, "npairs_O-O")[5] as f64 / (ideal * ring);
    assert!((floats(&flat, "g_O-O")[5] - expected).abs() < 1e-12 * expected);
}

/// Counts of each frame of real trajectories, as other programs have them (`ALBIREO_TEST_DATA`).
#[test]
fn frames_of_real_liquids_have_their_reference_counts() {
    let (Some(data), Some(python)) = (
        std::env::var_os("ALBIREO_TEST_DATA"),
        std::env::var_os("ALBIREO_PYTHON"),
    ) else {
        return;
    };
    let folder = Folder::new();
    let data = data.to_string_lossy();
    let script = "import sys, numpy as np, pyarrow.parquet as pq\n\
        t, r = pq.read_table(sys.argv[1]), np.load(sys.argv[2])\n\
        frames = len(set(t['frame'].to_pylist()))\n\
        names = [k[7:] for k in r.files if k.startswith('counts_') and 'strict' not in k]\n\
        if 'species' in r.files:\n\
        \x20   s = [str(x) for x in r['species']]; c = r['counts']\n\
        \x20   of = {f'{s[i]}-{s[j]}': c[:, k] for k, (i, j) in enumerate((i, j) for i in range(len(s)) for j in range(i, len(s)))}\n\
        else:\n\
        \x20   of = {n: r['counts_' + n] for n in names}\n\
        for n, expected in of.items():\n\
        \x20   a, b = n.split('-')\n\
        \x20   name = next(c for c in (f'npairs_{a}-{b}', f'npairs_{b}-{a}') if c in t.column_names)\n\
        \x20   found = np.array(t[name]).reshape(frames, -1)\n\
        \x20   assert found.shape == expected.shape and (found == expected).all(), n\n\
        print(len(of), 'partials', frames, 'frames')\n";
    for (name, options, expected) in [
        (
            "spce_ortho.h5",
            "--r-max 15 --n-bins 300",
            "3 partials 11 frames",
        ),
        (
            "adk_dodecahedron.parquet",
            "--r-max 15 --n-bins 300 --pairs HW-OW,OW-OW,OW-ion",
            "3 partials 10 frames",
        ),
    ] {
        folder.good(&format!(
            "rdf {data}/md/{name} {options} -o g.parquet --block-counts each.parquet"
        ));
        let reference = format!("{data}/md/{}.ref.npz", name.split('.').next().unwrap());
        let run = Command::new(&python)
            .args(["-c", script])
            .arg(folder.path("each.parquet"))
            .arg(reference)
            .output();
        let run = run.unwrap();
        let told = String::from_utf8_lossy(&run.stdout);
        assert_eq!(
            told.trim(),
            expected,
            "{name}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
}
