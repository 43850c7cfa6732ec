//! `albireo field`: maps and values in every format, of every kind of sources, and what is refused.

use std::fmt::Write;

use crate::folder::{Folder, floats, refused};

/// Charged atoms between 0 and 6, which add up to nothing.
fn atoms() -> Vec<([f64; 3], f64)> {
    let place = |k: u64, axis: u64| ((k * 7919 + axis * 104_729) % 601) as f64 / 100.0;
    let charge = |k: u64| if k.is_multiple_of(2) { 0.5 } else { -0.5 };
    (0..40)
        .map(|k| ([0, 1, 2].map(|axis| place(k, axis)), charge(k)))
        .collect()
}

fn pqr() -> String {
    let mut text = String::from("REMARK made for a test\n");
    for (k, ([x, y, z], q)) in atoms().into_iter().enumerate() {
        let _ = writeln!(text, "ATOM {} O HOH {} {x} {y} {z} {q} 1.5", k + 1, k + 1);
    }
    text
}

fn csv() -> String {
    let rows = atoms()
        .into_iter()
        .map(|([x, y, z], q)| format!("{x},{y},{z},{q}\n"));
    format!("x,y,z,q\n{}", rows.collect::<String>())
}

/// The potential at a point, s(r) = (1 - r^2/9)^2 below 3; in a box of 6.5 its nearest images.
fn potential(at: [f64; 3], period: Option<f64>) -> f64 {
    let term = |([x, y, z], q): ([f64; 3], f64)| {
        let along = |a: f64, b: f64| match period {
            Some(l) => (a - b) - l * ((a - b) / l).round(),
            None => a - b,
        };
        let [dx, dy, dz] = [along(x, at[0]), along(y, at[1]), along(z, at[2])];
        let r2 = (dx * dx + dy * dy + dz * dz).max(0.04);
        q * (1.0 - r2 / 9.0).max(0.0).powi(2) / r2.sqrt()
    };
    atoms().into_iter().map(term).sum()
}

/// The values of a `NumPy` array, and its head.
fn npy(folder: &Folder, name: &str) -> (String, Vec<f64>) {
    let bytes = folder.bytes(name);
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((end % 64, bytes[end - 1]), (0, b'\n'));
    let values = bytes[end..]
        .chunks_exact(8)
        .map(|v| f64::from_le_bytes(v.try_into().unwrap()));
    (
        String::from_utf8_lossy(&bytes[10..end]).into_owned(),
        values.collect(),
    )
}

#[test]
fn maps_are_the_sums_of_a_plain_loop_in_every_format() {
    let folder = Folder::new().with("a.pqr", &pqr());
    let flags =
        "field a.pqr --cutoff 3 --r-min 0.2 --origin -1,0,0.5 --spacing 0.5,0.6,0.7 --size 9,8,7";
    let run = folder.good(&format!("{flags} -o map.npy"));
    assert!(run.stderr.contains("9 x 8 x 7 points"), "{}", run.stderr);
    let (head, values) = npy(&folder, "map.npy");
    assert!(head.contains("'shape': (9, 8, 7)") && head.contains("'<f8'"));
    let record: serde_json::Value = serde_json::from_slice(&folder.bytes("map.npy.json")).unwrap();
    assert_eq!(
        (&record["unit"], &record["origin"][0]),
        (&"e/A".into(), &(-1.0).into())
    );
    let bound = record["fixed_point"]["error_bound"].as_f64().unwrap();
    assert!(bound > 0.0 && bound < 1e-10);
    let mut point = 0;
    for i in 0..9 {
        for j in 0..8 {
            for k in 0..7 {
                let at = [
                    -1.0 + 0.5 * f64::from(i),
                    0.6 * f64::from(j),
                    0.5 + 0.7 * f64::from(k),
                ];
                assert!((values[point] - potential(at, None)).abs() < bound + 1e-13);
                point += 1;
            }
        }
    }
    // Threads, instructions and the double loop: the same bytes.
    for how in [
        "--threads 1",
        "--isa portable --threads 2",
        "--engine naive",
    ] {
        folder.good(&format!("{flags} {how} -o other.npy"));
        assert_eq!(
            npy(&folder, "other.npy"),
            (head.clone(), values.clone()),
            "{how}"
        );
    }
    folder.good(&format!("{flags} -o map.dx"));
    let dx = folder.text("map.dx");
    assert!(
        dx.contains("counts 9 8 7\norigin -1 0 0.5\ndelta 0.5 0 0\ndelta 0 0.6 0\ndelta 0 0 0.7\n")
    );
    let data = dx
        .split("data follows\n")
        .nth(1)
        .unwrap()
        .split("attribute")
        .next()
        .unwrap();
    let of_dx: Vec<f64> = data
        .split_whitespace()
        .map(|v| v.parse().unwrap())
        .collect();
    assert_eq!(of_dx, values);
    folder.good(&format!("{flags} --units kT/e -o map.cube"));
    let cube = folder.text("map.cube");
    let lines: Vec<&str> = cube.lines().collect();
    let step: Vec<f64> = lines[3]
        .split_whitespace()
        .map(|v| v.parse().unwrap())
        .collect();
    assert!(step[0] == 9.0 && (step[1] - 0.5 / 0.529_177_21).abs() < 1e-7);
    let of_cube: Vec<f64> = lines[6..]
        .iter()
        .flat_map(|l| l.split_whitespace())
        .map(|v| v.parse().unwrap())
        .collect();
    assert_eq!(of_cube.len(), values.len());
    for (found, value) in of_cube.iter().zip(&values) {
        assert!((found - 557.0032 * value).abs() <= 1e-5 * found.abs() + 1e-7);
    }
    // The grid of that map, from another command.
    folder.good("field a.pqr --cutoff 3 --r-min 0.2 --grid-of map.dx -o again.npy");
    assert_eq!(npy(&folder, "again.npy").1, values);
}

#[test]
fn catalogues_in_boxes_points_and_topologies_make_the_same_values() {
    let folder = Folder::new()
        .with("a.csv", &csv())
        .with("at.csv", "x,y,z\n1,2,3\n-0.25,6.4,0\n0.1,0.2,12.9\n");
    folder.good("field a.csv --weight q --box 6.5 --cutoff 3 --r-min 0.2 --at at.csv -o v.parquet");
    let found = floats(&folder.table("v.parquet"), "value");
    for (value, at) in found
        .iter()
        .zip([[1.0, 2.0, 3.0], [-0.25, 6.4, 0.0], [0.1, 0.2, 12.9]])
    {
        assert!((value - potential(at, Some(6.5))).abs() < 1e-12);
    }
    // The box as a grid: 13 points of 0.5 each.
    folder
        .good("field a.csv --weight q --box 6.5 --cutoff 3 --r-min 0.2 --spacing 0.49 -o box.npy");
    let (head, values) = npy(&folder, "box.npy");
    assert!(head.contains("(13, 13, 13)"));
    assert!(
        (values[2 * 169 + 4 * 13 + 6] - found[0]).abs() < 1.0,
        "another point"
    );
    assert!((values[2 * 169 + 4 * 13 + 6] - potential([1.0, 2.0, 3.0], Some(6.5))).abs() < 1e-12);
    // As PDB and PSF.
    let (mut pdb, mut psf) = (
        String::new(),
        String::from("PSF\n\n       1 !NTITLE\n REMARKS test\n\n      40 !NATOM\n"),
    );
    for (k, ([x, y, z], q)) in atoms().into_iter().enumerate() {
        let _ = writeln!(
            pdb,
            "ATOM  {:5}  O   HOH A{:4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00           O",
            k + 1,
            k + 1
        );
        let _ = writeln!(
            psf,
            "{:8} W    {:<4} HOH  O    OT   {q:10.6}     15.9994           0",
            k + 1,
            k + 1
        );
    }
    let folder = folder
        .with("a.pdb", &pdb)
        .with("a.psf", &psf)
        .with("short.psf", &psf.replace("40 !", "39 !"));
    folder.good(
        "field a.pdb --topology a.psf --box 6.5 --cutoff 3 --r-min 0.2 --at at.csv -o w.parquet",
    );
    assert_eq!(floats(&folder.table("w.parquet"), "value"), found);
    let run = folder.run("field a.pdb --topology short.psf --cutoff 3 --at at.csv -o no.csv");
    assert_eq!(run.code, 1, "{}", run.stderr);
    // Gravity is the potential of masses with its sign, a density adds up to its sources.
    folder.good("field a.csv --weight q --kernel gravity --box 6.5 --cutoff 3 --r-min 0.2 --at at.csv -o g.parquet");
    let gravity = floats(&folder.table("g.parquet"), "value");
    assert!(gravity.iter().zip(&found).all(|(g, v)| *g == -v));
    folder.good("field a.csv --kernel spline --radius 2 --box 6.5 --spacing 0.25 -o d.npy");
    let density = npy(&folder, "d.npy").1;
    let mass = density.iter().sum::<f64>() * 0.25f64.powi(3);
    assert!((mass / 40.0 - 1.0).abs() < 1e-3, "{mass}");
}

#[test]
fn frames_of_any_trajectory_are_sources() {
    // Two frames, the second of which is that of the catalogue, in nm.
    let mut xyz = String::from("40\nUnit=nm\n");
    (0..40).for_each(|k| {
        let _ = writeln!(xyz, "H {k} 0 0");
    });
    xyz.push_str("40\nUnit=nm\n");
    for ([x, y, z], q) in atoms() {
        let kind = if q > 0.0 { "Na" } else { "Cl" };
        let _ = writeln!(xyz, "{kind} {} {} {}", x / 10.0, y / 10.0, z / 10.0);
    }
    let folder = Folder::new()
        .with("a.csv", &csv())
        .with("a.pqr", &pqr())
        .with("a.xyz", &xyz)
        .with("at.csv", "x,y,z\n1,2,3\n2.5,0.5,4\n");
    let values = |flags: &str| {
        folder.good(&format!(
            "field {flags} --r-min 0.2 --at at.csv -o v.parquet --overwrite"
        ));
        floats(&folder.table("v.parquet"), "value")
    };
    let all = values("a.csv --weight q --cutoff 3");
    let near = |found: &[f64], expected: &[f64]| {
        let pairs = found.iter().zip(expected);
        assert_eq!(found.len(), expected.len());
        assert!(
            pairs.clone().all(|(a, b)| (a - b).abs() < 1e-9),
            "{found:?} {expected:?}"
        );
    };
    let of_kinds = "--weight 0.5*(name==\"Na\")-0.5*(name==\"Cl\")";
    near(
        &values(&format!(
            "a.xyz --frame 1 {of_kinds} --unit Angstrom --cutoff 3"
        )),
        &all,
    );
    // In its own unit the frame is a tenth as large.
    let folder_nm = folder.good("field a.xyz --frame 1 --kernel top-hat --radius 0.9 --origin 0.1,0.2,0.3 --spacing 1 --size 1,1,1 -o n.npy");
    assert!(
        folder_nm.stderr.contains("strengths of the sources: 1"),
        "{}",
        folder_nm.stderr
    );
    let [x, y, z] = [1.0, 2.0, 3.0];
    let near_by = atoms()
        .into_iter()
        .filter(|(p, _)| (p[0] - x).powi(2) + (p[1] - y).powi(2) + (p[2] - z).powi(2) < 81.0);
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 0.729;
    let density = npy(&folder, "n.npy").1[0];
    assert!(
        (density * volume - near_by.count() as f64).abs() < 1e-6,
        "{density}"
    );
    // Conditions and columns hold for the atoms of PQR files too.
    let positive = values("a.csv --weight q --where q>0 --cutoff 3");
    assert_eq!(values("a.pqr --where charge>0 --cutoff 3"), positive);
    let negative = values("a.csv --weight q --where q<0 --cutoff 3");
    near(
        &values(&format!(
            "a.xyz --frame 1 {of_kinds} --where name==\"Cl\" --unit Angstrom --cutoff 3"
        )),
        &negative,
    );
}

#[test]
fn pairs_closer_than_r_min_are_told() {
    let folder = Folder::new().with("a.pqr", "ATOM 1 NA NA 1 0 0 0 1 1\n");
    let run = folder.good(
        "field a.pqr --cutoff none --r-min 0.5 --origin 0,0,0 --spacing 0.25 --size 3,1,1 -o m.npy",
    );
    assert!(
        run.stderr.contains("2 pairs are closer than --r-min 0.5"),
        "{}",
        run.stderr
    );
    let values = npy(&folder, "m.npy").1;
    assert!(values.iter().all(|v| (v - 2.0).abs() < 1e-14), "{values:?}");
}

#[test]
fn more_threads_than_cores_can_take_are_refused() {
    let folder = Folder::new().with("a.pqr", &pqr());
    let call = "field a.pqr --cutoff 3 --threads 100000 --spacing 1 -o m.npy";
    refused(&folder, call, 2, &["--threads: at most", "found 100000"]);
}
