//! `rdf --pair-sum`: sums over the pairs of frames against double loops, orientations of molecules, and g(r) from forces.

use std::fmt::Write as _;

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers, names};

/// Numbers that look random, in [0, 1).
struct Drawn(u64);

impl Drawn {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }

    /// A unit vector, even over the sphere.
    fn unit(&mut self) -> [f64; 3] {
        loop {
            let v = [(); 3].map(|()| 2.0 * self.next() - 1.0);
            let square: f64 = v.iter().map(|x| x * x).sum();
            if square > 0.01 && square < 1.0 {
                return v.map(|x| x / square.sqrt());
            }
        }
    }
}

/// A particle: species, position, unit vector, charge.
type Particle = (usize, [f64; 3], [f64; 3], f64);

const LENGTH: f64 = 6.0;
const EDGES: [f64; 4] = [0.5, 1.25, 2.0, 2.75];

fn frames(number: usize, each: usize, aligned: bool) -> Vec<Vec<Particle>> {
    let mut drawn = Drawn(7);
    let mut particle = |k: usize| {
        let x = [(); 3].map(|()| LENGTH * drawn.next());
        let u = drawn.unit();
        let u = if aligned { [0.0, 0.0, 1.0] } else { u };
        (usize::from(k.is_multiple_of(3)), x, u, drawn.next() - 0.5)
    };
    (0..number)
        .map(|_| (0..each).map(&mut particle).collect())
        .collect()
}

fn weight(frame: usize) -> f64 {
    [1.0, 0.25, 3.5][frame % 3]
}

fn xyz(frames: &[Vec<Particle>]) -> String {
    let mut text = String::new();
    for (k, frame) in frames.iter().enumerate() {
        let _ = write!(
            text,
            "{}\nLattice=\"{LENGTH} 0 0 0 {LENGTH} 0 0 0 {LENGTH}\" Properties=species:S:1:pos:R:3:ux:R:1:uy:R:1:uz:R:1:q:R:1:w:R:1 pbc=\"T T T\"\n",
            frame.len()
        );
        for (kind, [x, y, z], [a, b, c], q) in frame {
            let name = ["A", "B"][*kind];
            let w = weight(k);
            let _ = writeln!(text, "{name} {x} {y} {z} {a} {b} {c} {q} {w}");
        }
    }
    text
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Of pairs of these species: by bin the sums of S, S2 and q q by the weights of the frames, and the sums of their magnitudes.
fn double_loop(frames: &[Vec<Particle>], pair: [usize; 2], weighted: bool) -> Vec<[[f64; 2]; 3]> {
    let mut sums = vec![[[0.0; 2]; 3]; EDGES.len() - 1];
    for (k, frame) in frames.iter().enumerate() {
        let w = if weighted { weight(k) } else { 1.0 };
        for (i, one) in frame.iter().enumerate() {
            for other in &frame[..i] {
                let mut kinds = [one.0, other.0];
                kinds.sort_unstable();
                let d = [0, 1, 2].map(|k| {
                    let d = one.1[k] - other.1[k];
                    d - LENGTH * (d / LENGTH).round()
                });
                let r = dot(d, d).sqrt();
                let Some(bin) = EDGES.windows(2).position(|e| r >= e[0] && r < e[1]) else {
                    continue;
                };
                if kinds != pair {
                    continue;
                }
                let s = dot(one.2, other.2);
                let s2 = 3.0 * (dot(one.2, d) / r) * (dot(other.2, d) / r) - s;
                for (sum, f) in sums[bin].iter_mut().zip([s, s2, one.3 * other.3]) {
                    sum[0] += w * f;
                    sum[1] += w * f.abs();
                }
            }
        }
    }
    sums
}

const BINS: &str = "--bins edges:0.5,1.25,2,2.75";

#[test]
fn sums_over_frames_are_those_of_a_double_loop() {
    let frames = frames(7, 40, false);
    let folder = Folder::new().with("f.xyz", &xyz(&frames));
    let sums = "--pair-sum dipole(ux,uy,uz) --pair-sum qq=i.q*j.q";
    for (weighted, flags) in [(false, ""), (true, "--frame-weights w")] {
        folder.good(&format!("rdf f.xyz {BINS} {sums} {flags} -o o.json"));
        let table = folder.table("o.json");
        for (pair, name) in [([0, 0], "A-A"), ([0, 1], "A-B"), ([1, 1], "B-B")] {
            let expected = double_loop(&frames, pair, weighted);
            for (at, sum) in ["S", "S2", "qq"].into_iter().enumerate() {
                let found = floats(&table, &format!("{sum}_{name}"));
                for (found, expected) in found.iter().zip(&expected) {
                    let [value, magnitude] = expected[at];
                    assert!(
                        (found - value).abs() < 1e-13 * magnitude,
                        "{sum} {name}: {found}, {value}"
                    );
                }
            }
        }
        let rows = "-o other.json --engine naive";
        folder.good(&format!("rdf f.xyz {BINS} {sums} {flags} {rows}"));
        assert_eq!(folder.table("other.json").columns, table.columns);
    }
}

#[test]
fn single_samples_have_the_sums_of_one_frame() {
    let frames = frames(1, 60, false);
    let mut text = "x,y,z,ux,uy,uz\n".to_owned();
    for (_, [x, y, z], [a, b, c], _) in &frames[0] {
        let _ = writeln!(text, "{x},{y},{z},{a},{b},{c}");
    }
    let folder = Folder::new()
        .with("f.csv", &text)
        .with("f.xyz", &xyz(&frames));
    let sums = format!("{BINS} --pair-sum dipole(ux,uy,uz)");
    folder.good(&format!("rdf f.csv --box 6 {sums} -o one.json"));
    folder.good(&format!("rdf f.xyz --species none {sums} -o frame.json"));
    let (one, frame) = (folder.table("one.json"), folder.table("frame.json"));
    for name in ["g", "S", "S_mean", "S2", "h110", "h112", "kirkwood"] {
        assert_eq!(floats(&one, name), floats(&frame, name), "{name}");
    }
}

#[test]
fn orientations_of_an_ideal_gas_and_of_aligned_molecules() {
    let folder = Folder::new()
        .with("gas.xyz", &xyz(&frames(40, 60, false)))
        .with("aligned.xyz", &xyz(&frames(5, 60, true)));
    let flags = format!("--species none {BINS} --pair-sum dipole(ux,uy,uz)");
    folder.good(&format!("rdf gas.xyz {flags} --blocks 20 -o gas.json"));
    let gas = folder.table("gas.json");
    for name in ["h110", "h112", "kirkwood"] {
        let errors = floats(&gas, &format!("{name}_block_error"));
        let ideal = f64::from(u8::from(name == "kirkwood"));
        for (value, error) in floats(&gas, name).iter().zip(errors) {
            assert!(error > 0.0 && error < 0.3, "{name}: {error}");
            assert!((value - ideal).abs() < 4.0 * error, "{name}: {value}");
        }
    }
    folder.good(&format!("rdf aligned.xyz {flags} -o aligned.json"));
    let aligned = folder.table("aligned.json");
    let of = |name: &str| floats(&aligned, name);
    let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12 * expected;
    for (h, g) in of("h110").iter().zip(of("g")) {
        assert!(near(*h, 3.0 * g), "{h}, {g}");
    }
    // Every partner within reach counts in full.
    for (g, n) in of("kirkwood").iter().zip(of("n")) {
        assert!(near(*g, 1.0 + n), "{g}, {n}");
    }
}

#[test]
fn g_of_forces_is_g_of_pairs() {
    let folder = Folder::new();
    let fluid = "md --atoms 108 --density 0.3 --temperature 2 --thermostat langevin";
    let written = "--steps 6000 --every 6000 --trajectory-every 20 --forces -o e.csv";
    folder.good(&format!("{fluid} {written} --trajectory f.h5"));
    let sums = "--pair-sum force-rdf(fx,fy,fz) --kt 2 --blocks 10";
    let line = format!("rdf f.h5 --frames 20: --bins lin:0.7:3.5:56 {sums} -o g.json");
    folder.good(&line);
    let table = folder.table("g.json");
    let [g, errors] = ["g", "g_block_error"].map(|name| floats(&table, name));
    let [forces, of_forces] = ["force_g", "force_g_error"].map(|name| floats(&table, name));
    let (mut compared, mut ratio) = (0, 0.0);
    for bin in 1..g.len() {
        // g of a bin against the mean of its edges.
        let edges = f64::midpoint(forces[bin - 1], forces[bin]);
        let error = f64::midpoint(of_forces[bin - 1], of_forces[bin]);
        if errors[bin] > 0.0 {
            let both = errors[bin].hypot(error);
            assert!((g[bin] - edges).abs() < 4.0 * both, "bin {bin}");
            (compared, ratio) = (compared + 1, ratio + error / errors[bin]);
        }
    }
    assert!(compared > 45, "{compared} bins");
    // What forces are for: errors that no narrow bin makes larger.
    assert!(ratio / f64::from(compared) < 0.8, "{ratio}");
    // No force acts at a distance beyond the cutoff.
    assert!(forces[0] == 0.0 && *forces.last().unwrap() == 1.0);
}

#[test]
fn frames_of_md_have_the_forces_of_the_potential() {
    let folder = Folder::new();
    let fluid = "md --atoms 108 --density 0.5 --temperature 2 --seed 5 --steps 40 --every 40";
    let frames = "--trajectory-every 40 --velocities --forces -o e.csv";
    folder.good(&format!("{fluid} {frames} --trajectory f.xyz"));
    folder.good(&format!("{fluid} {frames} --trajectory f.h5"));
    let columns = "--bins lin:0.7:2.7:5 --pair-sum F=dot(vec(i.fx,i.fy,i.fz),vec(j.fx,j.fy,j.fz)) --pair-sum v=i.vx*j.vx";
    for file in ["f.xyz", "f.h5"] {
        folder.good(&format!("rdf {file} {columns} -o {file}.json"));
    }
    let [one, other] = ["f.xyz.json", "f.h5.json"].map(|file| folder.table(file));
    assert!(names(&one).contains(&"F") && floats(&one, "F") != [0.0; 5]);
    let values = |table: &Table| -> Vec<_> {
        let columns = table.columns.iter();
        columns
            .map(|column| format!("{:?}", column.values))
            .collect()
    };
    assert_eq!(values(&one), values(&other));
    // The last frame, its box and its forces.
    let text = folder.text("f.xyz");
    let last: Vec<&str> = text.lines().collect();
    let rows = &last[last.len() - 108..];
    let rows: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| row.split(' ').skip(1).map(|x| x.parse().unwrap()).collect())
        .collect();
    let length = (108.0_f64 / 0.5).cbrt();
    for one in &rows {
        let (mut force, mut size) = ([0.0; 3], 0.0);
        for other in &rows {
            let d = [0, 1, 2].map(|k| {
                let d: f64 = one[k] - other[k];
                d - length * (d / length).round()
            });
            let r2 = dot(d, d);
            if r2 > 0.0 && r2 < 2.5 * 2.5 {
                let s6 = r2.powi(-3);
                let along = 24.0 * (2.0 * s6 * s6 - s6) / r2;
                force = [0, 1, 2].map(|k| force[k] + along * d[k]);
                size += along.abs() * r2.sqrt();
            }
        }
        for k in 0..3 {
            let found = one[6 + k];
            assert!((found - force[k]).abs() < 1e-9 * size, "{found}, {force:?}");
        }
    }
    assert!(integers(&one, "npairs").iter().sum::<u64>() > 0);
}

#[test]
fn conditions_on_velocities_are_those_of_the_first_frame() {
    let frame = |v: [i32; 3]| {
        let [a, b, c] = v;
        let rows = format!("A 1 1 1 {a} 0 0\nA 2 1 1 {b} 0 0\nA 4 1 2 {c} 0 0\n");
        format!("3\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3:vel:R:3\n{rows}")
    };
    let text = frame([1, 1, -1]) + &frame([-1, 1, 1]);
    let folder = Folder::new().with("v.xyz", &text);
    let sums = "--bins edges:0.5,1.5,2.5,3.5 --pair-sum s=i.vx*j.vx";
    for (flags, npairs, products) in [
        ("", [2, 0, 0], [0.0, 0.0, 0.0]),
        ("--update", [1, 1, 0], [1.0, 1.0, 0.0]),
    ] {
        folder.good(&format!("rdf v.xyz --where vx>0 {sums} {flags} -o o.json"));
        let table = folder.table("o.json");
        assert_eq!(integers(&table, "npairs"), npairs, "{flags}");
        assert_eq!(floats(&table, "s"), products, "{flags}");
    }
}
