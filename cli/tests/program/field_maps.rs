//! `albireo field`: kernels beside the Coulomb potential, precisions, ions, and maps that go on after an interruption.

use std::fmt::Write;

use crate::folder::{Folder, floats};

/// Positions of sources between 0 and 8, and the charge, epsilon and sigma of each.
fn sources() -> Vec<([f64; 3], [f64; 3])> {
    let place = |k: u64, axis: u64| ((k * 7919 + axis * 104_729) % 801) as f64 / 100.0;
    let of = |k: u64| {
        let sign = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        [
            0.4 * sign,
            0.1 + 0.05 * (k % 3) as f64,
            1.0 + 0.2 * (k % 2) as f64,
        ]
    };
    (0..60)
        .map(|k| ([0, 1, 2].map(|axis| place(k, axis)), of(k)))
        .collect()
}

fn csv() -> String {
    let mut text = String::from("x,y,z,q,eps,sig\n");
    for ([x, y, z], [q, e, s]) in sources() {
        let _ = writeln!(text, "{x},{y},{z},{q},{e},{s}");
    }
    text
}

const AT: [[f64; 3]; 4] = [
    [1.0, 2.0, 3.0],
    [4.1, 4.2, 4.3],
    [7.9, 0.1, 5.5],
    [0.0, 0.0, 0.0],
];

/// The sum of a term of distance, charge, epsilon and sigma, below 3.5 in a box of 8.01.
fn sum(at: [f64; 3], term: impl Fn(f64, [f64; 3]) -> f64) -> f64 {
    let of = |(x, own): ([f64; 3], [f64; 3])| {
        let along = |k: usize| (x[k] - at[k]) - 8.01 * ((x[k] - at[k]) / 8.01).round();
        let [dx, dy, dz] = [0, 1, 2].map(along);
        let r = (dx * dx + dy * dy + dz * dz).sqrt();
        if r < 3.5 { term(r, own) } else { 0.0 }
    };
    sources().into_iter().map(of).sum()
}

/// The complementary error function by Simpson's rule.
fn erfc(x: f64) -> f64 {
    let (n, density) = (2000, |t: f64| (-t * t).exp());
    let h = x / f64::from(n);
    let inner = (1..n).map(|k| if k % 2 == 1 { 4.0 } else { 2.0 } * density(f64::from(k) * h));
    let integral = (density(0.0) + inner.sum::<f64>() + density(x)) * h / 3.0;
    1.0 - integral * std::f64::consts::FRAC_2_SQRT_PI
}

#[test]
fn kernels_are_the_sums_of_plain_loops_at_points() {
    let mut at = String::from("x,y,z\n");
    for [x, y, z] in AT {
        let _ = writeln!(at, "{x},{y},{z}");
    }
    // 1/r^2 by a fine table.
    let table = (0..=340).map(|k| 0.1 + f64::from(k) * 0.01);
    let table = table.map(|r| format!("{r} {}\n", 1.0 / (r * r)));
    let folder = Folder::new()
        .with("a.csv", &csv())
        .with("at.csv", &at)
        .with(
            "t.txt",
            &format!("# r value\n{}", table.collect::<String>()),
        );
    let values = |flags: &str| {
        folder.good(&format!(
            "field a.csv --box 8.01 {flags} --at at.csv -o v.parquet"
        ));
        floats(&folder.table("v.parquet"), "value")
    };
    let check = |flags: &str, within: f64, term: &dyn Fn(f64, [f64; 3]) -> f64| {
        for (value, at) in values(flags).into_iter().zip(AT) {
            let expected = sum(at, term);
            assert!(
                (value - expected).abs() < within,
                "{flags}: {value} {expected}"
            );
        }
    };
    check(
        "--kernel ewald --weight q --alpha 0.9 --cutoff 3.5",
        1e-10,
        &|r, [q, ..]| q * erfc(0.9 * r.max(0.1)) / r.max(0.1),
    );
    check(
        "--kernel gaussian --weight q --radius 0.5 --cutoff 3.5",
        1e-10,
        &|r, [q, ..]| q * (-2.0 * r * r).exp() / (0.5 * std::f64::consts::PI).powf(1.5),
    );
    let lj = |r: f64, e: f64, s: f64| {
        let t = (s / r.max(0.8)).powi(6);
        4.0 * e * (t * t - t)
    };
    let flags = "--kernel lj --epsilon eps --sigma sig --probe 0.2,1.1 --r-min 0.8 --cutoff 3.5";
    check(flags, 1e-9, &|r, [_, e, s]| {
        lj(r, (e * 0.2).sqrt(), 0.5 * (s + 1.1))
    });
    check(&format!("{flags} --mixing geometric"), 1e-9, &|r,
                                                          [
        _,
        e,
        s,
    ]| {
        lj(r, (e * 0.2).sqrt(), (s * 1.1).sqrt())
    });
    check(
        "--kernel lj --epsilon 0.3 --sigma 1.2 --probe 0.3,1.2 --r-min 0.8 --cutoff 3.5",
        1e-9,
        &|r, _| lj(r, 0.3, 1.2),
    );
    check("--kernel table --weight q --values t.txt", 1e-2, &|r,
                                                              [
        q,
        ..,
    ]| {
        q / r.max(0.1).powi(2)
    });
    check("--cutoff 3.5 --weight q --precision single", 1e-5, &|r,
                                                                [
        q,
        ..,
    ]| {
        q * (1.0 - r.max(0.1).powi(2) / 12.25).powi(2) / r.max(0.1)
    });
}

/// Densities on grids hold their sources once; engines make the same bytes in single precision too.
#[test]
fn densities_add_up_and_precisions_are_the_same_bytes_everywhere() {
    let folder = Folder::new().with("a.csv", &csv());
    for flags in [
        "--kernel cic",
        "--kernel tsc",
        "--kernel gaussian --radius 0.5 --precision single",
    ] {
        let flags = format!("field a.csv --box 8.01 --spacing 0.534,0.534,0.267 {flags}");
        let run = folder.good(&format!("{flags} -o d.npy"));
        assert!(run.stderr.contains("15 x 15 x 30 points"), "{}", run.stderr);
        let data = folder.bytes("d.npy")[128..].to_vec();
        let values = data
            .chunks_exact(8)
            .map(|v| f64::from_le_bytes(v.try_into().unwrap()));
        let mass = values.sum::<f64>() * 0.534 * 0.534 * 0.267;
        assert!((mass / 60.0 - 1.0).abs() < 1e-5, "{flags}: {mass}");
        for how in ["--engine naive", "--threads 1 --isa portable"] {
            folder.good(&format!("{flags} {how} -o e.npy"));
            assert!(folder.bytes("e.npy")[128..] == data, "{flags} {how}");
        }
    }
}

#[test]
fn ions_lie_at_the_extrema_and_keep_their_distances() {
    let mut pqr = String::new();
    for (k, ([x, y, z], [q, ..])) in sources().into_iter().enumerate() {
        let _ = writeln!(pqr, "ATOM {} O HOH {} {x} {y} {z} {q} 1.5", k + 1, k + 1);
    }
    let folder = Folder::new().with("a.pqr", &pqr);
    let grid = "--cutoff none --origin -3,-3,-3 --spacing 1 --size 15,15,15";
    folder.good(&format!(
        "field a.pqr {grid} --ions Na+:2,Cl-:2,Mg2+:1 --ion-source 1.5 --ion-ion 4 --ions-output ions.pqr -o with.npy"
    ));
    let text = folder.text("ions.pqr");
    let atoms: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
    let names: Vec<&str> = atoms
        .iter()
        .filter(|atom| atom.len() == 10)
        .map(|atom| atom[2])
        .collect();
    assert_eq!(names, ["Na+", "Na+", "Cl-", "Cl-", "Mg2+"]);
    let ions: Vec<[f64; 4]> = atoms[..5]
        .iter()
        .map(|atom| [5, 6, 7, 8].map(|k| atom[k].parse().unwrap()))
        .collect();
    assert_eq!(ions[4][3], 2.0);
    let distance =
        |a: &[f64], b: &[f64]| -> f64 { (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt() };
    // Each lies where the potential of what is there is least for it.
    let mut there: Vec<[f64; 4]> = sources()
        .into_iter()
        .map(|([x, y, z], [q, ..])| [x, y, z, q])
        .collect();
    for (k, ion) in ions.iter().enumerate() {
        let free = |at: &[f64]| {
            let atoms = there[..60].iter().all(|other| distance(other, at) >= 1.5);
            atoms && ions[..k].iter().all(|other| distance(other, at) >= 4.0)
        };
        let energy = |at: &[f64]| -> f64 {
            let each = there.iter().map(|other| other[3] / distance(other, at));
            each.sum::<f64>() * ion[3].signum()
        };
        assert!(free(ion), "ion {k}");
        let own = energy(ion);
        for number in 0..15 * 15 * 15 {
            let at = [number / 225, number / 15 % 15, number % 15].map(|n| f64::from(n) - 3.0);
            assert!(!free(&at) || energy(&at) >= own - 1e-9, "ion {k}, {at:?}");
        }
        there.push(*ion);
    }
    // The map is that of sources and ions together.
    let both = format!("{pqr}{}", text.replace("END\n", ""));
    let folder = folder.with("both.pqr", &both);
    folder.good(&format!("field both.pqr {grid} -o both.npy"));
    let bytes = |name: &str| folder.bytes(name)[128..].to_vec();
    assert_eq!(bytes("with.npy"), bytes("both.npy"));
}

/// Killed while it makes a map, a command goes on with what it kept, and the files are those of one that was not.
#[cfg(unix)]
#[test]
fn maps_go_on_after_a_kill_byte_for_byte() {
    use std::time::{Duration, Instant};
    let folder = Folder::new().with("a.csv", &csv());
    let flags = "field a.csv --weight q --cutoff 3 --spacing 0.148 --padding 6";
    let made =
        format!("{flags} --engine naive --checkpoint m.state --checkpoint-every 0s -o m.npy");
    let arguments: Vec<&str> = made.split(' ').collect();
    let mut child = folder
        .command(&arguments)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let state = folder.path("m.state");
    let begin = Instant::now();
    while !state.exists() && begin.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        state.exists() && !folder.path("m.npy").exists(),
        "killed in the midst of it"
    );
    // Another job does not take it for its own.
    let other = folder.run(&made.replace("--cutoff 3", "--cutoff 2"));
    assert_eq!(other.code, 1);
    assert!(
        other.stderr.contains("kept for another job"),
        "{}",
        other.stderr
    );
    let run = folder.good(&made);
    assert!(
        run.stderr.contains("planes are made already"),
        "{}",
        run.stderr
    );
    folder.good(&format!("{flags} -o w.npy"));
    assert!(folder.bytes("m.npy") == folder.bytes("w.npy"));
    let left = folder.names();
    assert!(
        !left.iter().any(|name| name.contains("partial")),
        "{left:?}"
    );
}

/// The ways of Rodrigues et al. 2008 write the same bytes and tell of their tests; sums in float32 are named approximate.
#[test]
fn variants_are_the_same_bytes_and_float32_sums_are_near() {
    let folder = Folder::new().with("a.csv", &csv());
    let flags = "field a.csv --weight q --cutoff 3 --spacing 0.4 --padding 1 --precision single";
    folder.good(&format!("{flags} -o m.npy"));
    for variant in [
        "direct",
        "large-bins",
        "large-bins --bin-side 2.5",
        "small-bins",
        "small-bins --bin-side 1.5 --bin-sources 2 --threads 1",
        "cylinder",
    ] {
        let run = folder.good(&format!("{flags} --variant {variant} -o v.npy"));
        assert!(folder.bytes("v.npy") == folder.bytes("m.npy"), "{variant}");
        assert!(
            run.stderr.contains("tests of distances succeed"),
            "{}",
            run.stderr
        );
    }
    let values = |name: &str| -> Vec<f64> {
        let all = folder.bytes(name)[128..].to_vec();
        all.chunks_exact(8)
            .map(|v| f64::from_le_bytes(v.try_into().unwrap()))
            .collect()
    };
    let exact = values("m.npy");
    for sum in ["plain", "compensated"] {
        let run = folder.good(&format!("{flags} --sum {sum} -o f.npy"));
        assert!(run.stderr.contains("approximate: "), "{}", run.stderr);
        let record = String::from_utf8(folder.bytes("f.npy.json")).unwrap();
        assert!(
            record.contains("\"approximate\"") && !record.contains("error_bound"),
            "{record}"
        );
        let found = values("f.npy");
        let worst = found.iter().zip(&exact).map(|(a, b)| (a - b).abs());
        let worst = worst.fold(0.0, f64::max);
        assert!(worst > 0.0 && worst < 1e-3, "{sum}: {worst:e}");
    }
}

/// HDF5 maps hold the values of .npy, and are whole after an interruption too.
#[test]
fn maps_in_hdf5_hold_the_values_where_they_lie() {
    let folder = Folder::new().with("a.csv", &csv());
    let flags = "field a.csv --weight q --cutoff 3 --spacing 0.4,0.5,0.6 --units V";
    folder.good(&format!("{flags} -o m.npy"));
    folder.good(&format!("{flags} -o m.h5"));
    folder.good(&format!("{flags} --resumable -o r.hdf5"));
    let (values, map) = (folder.bytes("m.npy")[128..].to_vec(), folder.bytes("m.h5"));
    assert!(map.ends_with(&values) && folder.bytes("r.hdf5").ends_with(&values));
    let Some(python) = std::env::var_os("ALBIREO_PYTHON") else {
        return;
    };
    let script = "import h5py, json, numpy, sys
f = h5py.File('m.h5')
v, told = f['values'], json.load(open('m.npy.json'))
assert (v[:] == numpy.load('m.npy')).all() and v.dtype == 'f8'
assert list(v.attrs['origin']) == told['origin'] and v.attrs['steps'].tolist() == told['steps']
assert v.attrs['unit'] == b'V', v.attrs['unit']
record = json.loads(f['record'][()])
assert record['unit'] == 'V' and record['sources'] == 60, record
";
    folder.assert_by(&python, script);
}

/// Slices across each axis are pictures of the values of the map.
#[cfg(feature = "plot")]
#[test]
fn slices_are_drawn_where_asked_for() {
    let folder = Folder::new().with("a.csv", &csv());
    let flags = "field a.csv --weight q --box 8.01 --cutoff 3 --spacing 0.89 -o m.npy";
    let run = folder.good(&format!("{flags} --plot m.png"));
    assert!(
        run.stderr.contains("slice drawn to m.png"),
        "{}",
        run.stderr
    );
    assert_eq!(folder.bytes("m.png")[..4], *b"\x89PNG");
    for slice in ["x=0", "y=7.1", "z=4"] {
        folder.good(&format!("{flags} --plot m.svg --slice {slice}"));
        let svg = String::from_utf8(folder.bytes("m.svg")).unwrap();
        // A rectangle a point, and those of the page, the bar and the frame.
        assert!(svg.matches("<rect").count() > 81, "{slice}");
    }
    folder.good(&format!("{flags} --plot n.svg --slice x=0.1"));
    folder.good(&format!("{flags} --plot m.svg --slice x=0"));
    assert_eq!(
        folder.bytes("m.svg"),
        folder.bytes("n.svg"),
        "the nearest plane"
    );
}
