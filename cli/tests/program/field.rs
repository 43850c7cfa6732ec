//! `albireo field`: maps and values in every format, of every kind of sources, and what is refused.

use std::fmt::Write;

use crate::folder::{Folder, floats};

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
    let bytes = std::fs::read(folder.path(name)).unwrap();
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
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path("map.npy.json")).unwrap()).unwrap();
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
    let dx = std::fs::read_to_string(folder.path("map.dx")).unwrap();
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
    let cube = std::fs::read_to_string(folder.path("map.cube")).unwrap();
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

/// The exit code and the flags of a call, `GRID` being a small one, and what the line of error says.
const REFUSED: &str = "\
2 a.pqr GRID => --cutoff: coulomb and gravity need one
2 a.pqr --cutoff 0 GRID => expected a positive length or `none`
2 a.pqr --cutoff=-1 GRID => expected a positive length or `none`
2 a.pqr --cutoff nan GRID => expected a positive length or `none`
2 a.pqr --cutoff 3 --r-min 3 GRID => must be below the cutoff 3, found 3
2 a.pqr --cutoff 3 --r-min 0 GRID => r_min must be positive
2 a.pqr --cutoff 3 --radius 1 GRID => --radius is for top-hat, spline and gaussian
2 a.pqr --kernel top-hat GRID => --radius: top-hat, spline and gaussian need one
2 a.pqr --kernel spline --radius=-1 GRID => the radius must be positive
2 a.pqr --kernel spline --radius 1 --units V GRID => --units and --temperature are for coulomb
2 a.pqr --cutoff 3 --units J GRID => kcal/mol/e
2 a.pqr --cutoff 3 --units kT/e --temperature 0 GRID => --temperature must be positive
2 a.pqr --cutoff 3 --temperature 300 GRID => --temperature is for --units kT/e
2 a.pqr --cutoff 3 -o m.npy => --spacing: name the distance
2 a.pqr --cutoff 3 --spacing 0 -o m.npy => --spacing must be positive, found 0
2 a.pqr --cutoff 3 --spacing 1,2 -o m.npy => expected one number or three, found 2
2 a.pqr --cutoff 3 --spacing 1 --padding=-1 -o m.npy => --padding must not be negative
2 a.pqr --cutoff 3 --spacing 1 --origin 0,0,0 -o m.npy => --size
2 a.pqr --cutoff 3 --spacing 1 --origin 0,0,0 --size 0,1,1 -o m.npy => a grid needs 1 to
2 a.pqr --cutoff 3 --spacing 1 -o m.csv => grids are written as .dx, .cube, .npy or .h5
2 a.pqr --cutoff 3 --threads 100000 GRID => --threads
2 a.pqr --cutoff 3 --isa mmx GRID => --isa mmx
2 a.pqr --cutoff 3 --engine naive --threads 2 GRID => --engine naive runs one thread
1 a.pqr --weight q --cutoff 3 GRID => no column `q`; the columns are: `index`, `x`, `y`, `z`, `charge`, `radius`
1 a.pqr --where charge>9 --cutoff 3 GRID => a.pqr
2 a.pqr --sky ra,dec --cutoff 3 GRID => of the flags about columns and rows it takes --weight and --where alone
1 a.csv --frame 1 --weight q --cutoff 3 GRID => no column `frame`
1 w.xyz --cutoff 3 GRID => w.xyz: it holds no charges: give a file that does by --topology
1 w.xyz --frame 2 --weight x --cutoff 3 GRID => no frame
2 a.csv --cutoff 3 GRID => --weight: name the column of the charges
1 a.csv --weight none_such --cutoff 3 GRID => none_such
1 a.csv --weight q --box 6.5 --cutoff 3.3 GRID => at most half the shortest vector of the box, 3.25, found 3.3
1 a.csv --weight q --box 6.5 --cutoff none GRID => needs open space
1 a.csv --weight q --box 5 --cutoff 2 GRID => 5
1 a.csv --weight x/0 --cutoff 3 GRID => finite
1 zero.pqr --cutoff 3 GRID => of all 1 sources are 0
1 bad.pqr --cutoff 3 GRID => line 1
1 none.pqr --cutoff 3 GRID => none.pqr
1 a.pqr --box file --cutoff 3 GRID => states no box
1 a.pqr --cutoff 3 --grid-of cut.dx -o m.npy => it lacks the counts, the origin
1 a.pqr --cutoff 3 --spacing 1e-9 --padding 3 -o m.npy => a grid needs 1 to
1 a.pqr --cutoff 3 --at none.csv -o m.csv => none.csv
2 a.pqr --cutoff 3 --grid-of map.dx -o a.pqr => grids are written as
2 a.pqr --kernel top-hat --radius 1 --cutoff 3 GRID => --cutoff is for potentials and gaussian
2 a.pqr --kernel ewald --cutoff 3 GRID => --alpha: ewald needs one
2 a.pqr --kernel ewald --alpha 0 --cutoff 3 GRID => alpha must be positive
2 a.pqr --kernel ewald --alpha 3 --cutoff 3 GRID => the cutoff of an Ewald sum must be at most 2.19
2 a.pqr --kernel ewald --alpha 1 --cutoff none GRID => --cutoff: ewald needs a length
2 a.pqr --cutoff 3 --alpha 1 GRID => --alpha is for ewald
2 a.pqr --kernel lj --cutoff 3 GRID => --r-min: lj needs one
2 a.pqr --kernel lj --cutoff 3 --r-min 2 --epsilon 1 --sigma 3 GRID => --probe: expected epsilon and sigma
2 a.pqr --kernel lj --cutoff 3 --r-min 2 --epsilon 1 --sigma 3 --probe 1,-3 GRID => sigma positive, found 1,-3
1 a.pqr --kernel lj --cutoff 3 --r-min 2 --epsilon q --sigma 3 --probe 1,3 GRID => no column `q`
2 a.csv --kernel lj --cutoff 3 --r-min 2 --epsilon 1 --probe 1,3 GRID => lj needs both
1 a.csv --kernel lj --cutoff 3 --r-min 2 --epsilon 1 --sigma=-3 --probe 1,3 GRID => sigma must be
2 a.pqr --cutoff 3 --mixing geometric GRID => are for lj
2 a.pqr --kernel gaussian --radius 1 --cutoff 10 GRID => must be at most 9.38
2 a.pqr --kernel cic --cell 0 GRID => the width of a cell must be positive
2 a.csv --kernel cic --at a.csv -o m.csv => --cell: cic and tsc need
1 a.csv --kernel tsc --box 5,0,0,1,5,0,0,0,5 --wrap --cell 1 GRID => a triclinic cell has none
2 a.pqr --kernel table GRID => --values: name the file
1 a.pqr --kernel table --values none.txt GRID => cannot read none.txt
1 a.pqr --kernel table --values bad.txt GRID => bad.txt: line 3: expected two numbers, r and value, found `3 x`
1 a.pqr --kernel table --values uneven.txt GRID => row 1 of the table (counting from 0): expected a distance in equal steps, found 2
2 a.pqr --cutoff 3 --precision half GRID => double, single
1 a.pqr --cutoff 1e6 --precision single GRID => single precision needs lengths from
2 a.pqr --cutoff 3 --ions Na+:1 GRID => --ions-output
2 a.pqr --cutoff 3 --ions Na:1 --ions-output i.pqr GRID => expected a name with a charge and how many, e.g. Na+:30, found `Na:1`
2 a.pqr --cutoff 3 --ions Na+:0 --ions-output i.pqr GRID => found `Na+:0`
2 a.pqr --cutoff 3 --ions Na+:1 --ion-ion=-1 --ions-output i.pqr GRID => --ion-ion must not be negative
2 a.csv --kernel spline --radius 3 --ions Na+:1 --ions-output i.pqr GRID => --ions is for coulomb and ewald
1 a.pqr --cutoff 3 --ions Na+:9 --ions-output i.pqr GRID => 0 of 9 ions are placed
1 a.pqr --cutoff 3 --ions Na+:1 --ions-output no/i.pqr GRID => --ions-output
1 a.csv --weight q --box 6.5 --cutoff 3 --ions Na+:1 --ions-output i.pqr GRID => at most half the shortest vector of the box, 3.25, found 6.5
2 a.pqr --cutoff 3 --variant huge-bins GRID => [possible values: direct, large-bins, small-bins, cylinder]
2 a.pqr --cutoff 3 --variant direct --bin-side 1 GRID => --bin-side is for --variant large-bins and small-bins
2 a.pqr --cutoff 3 --variant large-bins --bin-sources 4 GRID => --bin-sources is for --variant small-bins
2 a.pqr --cutoff 3 --bin-side 1 GRID => --variant
2 a.pqr --cutoff 3 --variant direct --engine naive GRID => --variant is for --engine cpu
2 a.pqr --cutoff 3 --variant direct --at a.csv -o m.csv => cannot be used with
2 a.pqr --cutoff 3 --sum plain GRID => are for grids with --precision single
1 a.pqr --cutoff 3 --variant small-bins --bin-side 0 GRID => the side of a bin must be positive
1 a.pqr --cutoff 3 --variant small-bins --bin-sources 33 GRID => need 1 to 32 sources a bin
1 a.pqr --cutoff none --variant large-bins GRID => need a cutoff where there are bins
1 a.csv --kernel cic --variant direct GRID => need a term of the distance
2 a.pqr --cutoff 3 --resumable --at a.csv -o m.csv => cannot be used with";

#[test]
fn what_has_no_meaning_is_refused_in_a_line_and_nothing_is_written() {
    let folder = Folder::new()
        .with("a.pqr", &pqr())
        .with("a.csv", &csv())
        .with("w.xyz", "1\none\nO 0 0 0\n1\ntwo\nO 0 0 1\n")
        .with("zero.pqr", "ATOM 1 O HOH 1 0 0 0 0 1\n");
    let folder = folder
        .with("bad.pqr", "ATOM 1 O HOH 1 0 0 x 0 1\n")
        .with("bad.txt", "# r value\n1 2\n3 x\n")
        .with("uneven.txt", "1 2\n2 3\n4 5\n")
        .with("cut.dx", "object 1 class gridpositions counts 2 2 2\n");
    let before = folder.names();
    for case in REFUSED.lines() {
        let (call, says) = case.split_once(" => ").unwrap();
        let (code, flags) = call.split_once(' ').unwrap();
        let flags = flags.replace("GRID", "--spacing 1 -o m.npy");
        let run = folder.run(&format!("field {flags}"));
        assert_eq!(run.code.to_string(), code, "{flags}: {}", run.stderr);
        assert!(run.stderr.contains(says), "{flags}: {}", run.stderr);
        assert_eq!(folder.names(), before, "{flags}");
    }
}
