//! `albireo rdf` over frames that count for different amounts, that are compared with each other, or that are killed in the midst.

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::Duration;

use crate::folder::{Folder, floats, integers, names};
use crate::frames::{BINS, trajectory};

/// Positions of a frame: species and place, its box a cube.
fn frame_of(text: &str, frame: u64) -> (Vec<(String, [f64; 3])>, f64) {
    let rows = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>());
    let rows: Vec<_> = rows.filter(|row| row[0] == frame.to_string()).collect();
    let number = |text: &str| text.parse::<f64>().unwrap();
    let particle = |row: &Vec<&str>| (row[1].to_owned(), [3, 4, 5].map(|k| number(row[k])));
    (rows.iter().map(particle).collect(), number(rows[0][6]))
}

/// The bin of width 0.5 below 3 of a separation by nearest images.
fn bin(a: [f64; 3], b: [f64; 3], length: f64) -> Option<usize> {
    let r2: f64 = (0..3)
        .map(|k| {
            let d = a[k] - b[k];
            (d - length * (d / length).round()).powi(2)
        })
        .sum();
    let bin = (r2.sqrt() / 0.5) as usize;
    (bin < 6).then_some(bin)
}

#[test]
fn pairs_over_lags_are_those_of_the_double_loop() {
    let text = trajectory(0..9, 60);
    let folder = Folder::new().with("t.csv", &text);
    folder.good(&format!(
        "rdf t.csv {BINS} --lags 0,1:6:4 --pairs O-O,O-H -o vh.csv --threads 2"
    ));
    let table = folder.table("vh.csv");
    let lags = serde_json::json!([0, 1, 5]);
    assert_eq!(table.meta["lags"], lags);
    assert_eq!(table.meta["origins"], serde_json::json!([9, 8, 4]));
    for lag in [0, 1, 5] {
        let (mut oo, mut oh, mut own) = (vec![0u64; 6], vec![0u64; 6], vec![0u64; 6]);
        let mut ideal = 0.0;
        for first in 0..9 - lag {
            let ((before, length), (after, _)) =
                (frame_of(&text, first), frame_of(&text, first + lag));
            ideal += 20.0 * 19.0 / length.powi(3);
            for (i, a) in before.iter().enumerate() {
                for (j, b) in after.iter().enumerate() {
                    let Some(bin) = bin(a.1, b.1, length) else {
                        continue;
                    };
                    match (a.0.as_str(), b.0.as_str()) {
                        ("O", "O") if i == j => own[bin] += 1,
                        ("O", "O") => oo[bin] += 1,
                        ("H", "H") => {}
                        _ => oh[bin] += 1,
                    }
                }
            }
        }
        assert_eq!(integers(&table, &format!("npairs_O-O_t{lag}")), oo, "{lag}");
        assert_eq!(integers(&table, &format!("npairs_O-H_t{lag}")), oh, "{lag}");
        assert_eq!(integers(&table, &format!("nself_O_t{lag}")), own, "{lag}");
        let shell = 4.0 / 3.0 * std::f64::consts::PI * (27.0 - 2.5f64.powi(3));
        let expected = oo[5] as f64 / (ideal * shell);
        let found = floats(&table, &format!("g_O-O_t{lag}"))[5];
        assert!(
            (found - expected).abs() <= 1e-12 * expected,
            "{lag}: {found} {expected}"
        );
    }
    // Without a lag every pair is met in both orders.
    folder.good(&format!("rdf t.csv {BINS} --pairs O-O -o g.csv"));
    let twice = integers(&folder.table("g.csv"), "npairs")
        .iter()
        .map(|p| 2 * p)
        .collect::<Vec<_>>();
    assert_eq!(integers(&table, "npairs_O-O_t0"), twice);
    // Fewer origins, and frames of a range.
    folder.good(&format!(
        "rdf t.csv {BINS} --lags 2 --origins 3 --frames 1: -o o.csv"
    ));
    assert_eq!(
        folder.table("o.csv").meta["origins"],
        serde_json::json!([2])
    );
    for threads in [1, 2] {
        folder.good(&format!(
            "rdf t.csv {BINS} --lags 0,1:6:4 --pairs O-O,O-H -o again.csv --threads {threads}"
        ));
        let again = folder.bytes("again.csv");
        assert!(again == folder.bytes("vh.csv"));
    }
}

#[test]
fn a_frame_of_weight_two_is_that_frame_twice() {
    // Frames 0, 1, 1, 2, 2, 2: the same as the weights 1, 2, 3.
    let text = trajectory(0..3, 60);
    let mut repeated = text.lines().next().unwrap().to_owned() + "\n";
    for (number, frame) in [0, 1, 1, 2, 2, 2].iter().enumerate() {
        for line in text.lines().skip(1) {
            if let Some(rest) = line.strip_prefix(&format!("{frame},")) {
                writeln!(repeated, "{number},{rest}").unwrap();
            }
        }
    }
    let mut column = text.lines().next().unwrap().to_owned() + ",w\n";
    for line in text.lines().skip(1) {
        let weight = 1 + line.split(',').next().unwrap().parse::<u64>().unwrap();
        writeln!(column, "{line},{weight}").unwrap();
    }
    let folder = Folder::new()
        .with("t.csv", &text)
        .with("c.csv", &column)
        .with("six.csv", &repeated)
        .with("w.dat", "# reweighting\n1\n2\n3\n")
        .with("w.csv", "frame,weight,bias\n2,3,0\n0,1,0\n1,2,0\n")
        .with("zero.dat", "0\n5\n0\n");
    folder.good(&format!("rdf six.csv {BINS} -o six_g.csv"));
    let expected = folder.table("six_g.csv");
    for call in [
        "t.csv --frame-weights @w.dat",
        "t.csv --frame-weights @w.csv",
        "c.csv --frame-weights w",
    ] {
        folder.good(&format!(
            "rdf {call} {BINS} -o g.csv --block-counts each.csv --running"
        ));
        let found = folder.table("g.csv");
        for name in ["g_O-O", "g_H-O", "n_O-H", "g_H-H"] {
            let (a, b) = (floats(&found, name), floats(&expected, name));
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() <= 1e-14 * b.abs(), "{call} {name}: {a} {b}");
            }
        }
        assert_eq!(found.meta["frames"], 3);
        assert!((found.meta["effective_frames"].as_f64().unwrap() - 36.0 / 14.0).abs() < 1e-12);
        assert!(
            (found.meta["mean_volume"].as_f64().unwrap()
                - expected.meta["mean_volume"].as_f64().unwrap())
            .abs()
                < 1e-9
        );
        // Integers stay what was counted.
        folder.good(&format!("rdf t.csv {BINS} -o plain.csv"));
        assert_eq!(
            integers(&found, "npairs_O-O"),
            integers(&folder.table("plain.csv"), "npairs_O-O")
        );
        // The last running mean is that of all frames.
        let each = folder.table("each.csv");
        assert_eq!(
            floats(&each, "g_running_O-O")[12..],
            floats(&found, "g_O-O")
        );
        assert_eq!(
            floats(&each, "g_running_O-O")[..6],
            floats(&each, "g_O-O")[..6]
        );
    }
    folder.good(&format!(
        "rdf t.csv {BINS} --frame-weights @zero.dat -o zero.csv"
    ));
    folder.good(&format!("rdf t.csv {BINS} --frames 1 -o one.csv"));
    let (zero, one) = (folder.table("zero.csv"), folder.table("one.csv"));
    assert_eq!(
        (
            floats(&zero, "g_O-O"),
            zero.meta["frames_of_weight_0"].clone()
        ),
        (floats(&one, "g_O-O"), 2.into())
    );
}

#[test]
fn weighted_counts_outlive_a_stop() {
    let weights: Vec<String> = (0..20)
        .map(|k| (0.1 + f64::from(k) / 7.0).to_string())
        .collect();
    let weights = weights.join("\n");
    let folder = Folder::new()
        .with("t.csv", &trajectory(0..20, 60))
        .with("w.dat", &weights)
        .with("v.dat", &weights.replace("0.1\n", "0.2\n"));
    let call = format!("rdf t.csv {BINS} --frame-weights @w.dat");
    folder.good(&format!("{call} -o whole.csv"));
    // A first run over some of the frames cannot be gone on from; one over all can.
    folder.good(&format!(
        "{call} -o again.csv --checkpoint c.bin --checkpoint-every 0"
    ));
    let run = folder.good(&format!("{call} -o again.csv --checkpoint c.bin"));
    assert!(
        run.stderr.contains("20 frames were counted before"),
        "{}",
        run.stderr
    );
    assert!(folder.bytes("again.csv") == folder.bytes("whole.csv"));
    let run = folder.run(&format!(
        "rdf t.csv {BINS} --frame-weights @v.dat -o o.csv --checkpoint c.bin"
    ));
    assert!(
        run.code == 1 && run.stderr.contains("by a call with other"),
        "{}",
        run.stderr
    );
}

/// A little form of `tests/peers/kill_frames.py`.
#[test]
fn a_killed_run_goes_on_to_the_same_integers() {
    let folder = Folder::new().with("t.csv", &trajectory(0..160, 240));
    let call = format!("rdf t.csv {BINS} --block-counts each.csv --threads 2");
    folder.good(&format!("{call} -o whole.csv"));
    let call = format!(
        "rdf t.csv {BINS} --threads 2 -o killed.csv --checkpoint c.bin --checkpoint-every 0"
    );
    let arguments: Vec<&str> = call.split_whitespace().collect();
    let mut killed = 0;
    // Later and later; a run that is quicker than its killer is whole.
    for pause in [20, 60, 120, 200, 300] {
        let mut command = folder.command(&arguments);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        // What a killed process leaves unfinished has no name, or one of its own.
        assert!(folder.names().iter().all(|name| name != "killed.csv") || killed < 5);
    }
    assert!(killed >= 1, "no run was killed");
    folder.good(&call);
    assert!(folder.bytes("killed.csv") == folder.bytes("whole.csv"));
}

#[test]
fn curves_for_gromacs() {
    let folder = Folder::new().with("t.csv", &trajectory(0..3, 30));
    folder.good(&format!("rdf t.csv {BINS} --unit nm -o g.xvg"));
    folder.good(&format!("rdf t.csv {BINS} --unit nm -o g.csv"));
    let text = folder.text("g.xvg");
    assert!(text.contains("@    xaxis  label \"r (nm)\"\n"), "{text}");
    let table = folder.table("g.csv");
    let kept: Vec<&str> = names(&table)
        .into_iter()
        .filter(|n| !["lo", "hi", "centre"].contains(n))
        .collect();
    for (k, name) in kept.iter().enumerate() {
        assert!(text.contains(&format!("@ s{k} legend \"{name}")), "{name}");
    }
    let rows = text.lines().filter(|line| !line.starts_with(['#', '@']));
    let rows: Vec<Vec<f64>> = rows
        .map(|line| line.split(' ').map(|f| f.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 6);
    for (k, row) in rows.iter().enumerate() {
        assert_eq!(row.len(), 1 + kept.len());
        assert_eq!(
            (row[0], row[1]),
            (floats(&table, "centre")[k], floats(&table, kept[0])[k])
        );
    }
    let run = folder.run(&format!("rdf t.csv {BINS} -o - --format xvg"));
    assert_eq!(
        run.stdout
            .lines()
            .filter(|line| !line.starts_with(['#', '@']))
            .count(),
        6
    );
}

#[test]
fn results_as_hdf5_are_those_of_other_formats() {
    let folder = Folder::new().with("t.csv", &trajectory(0..3, 30));
    folder.good(&format!(
        "rdf t.csv {BINS} --unit nm --structure q.h5 --q lin:1:4:4 -o g.h5"
    ));
    folder.good(&format!(
        "rdf t.csv {BINS} --unit nm --structure q.csv --q lin:1:4:4 -o g.csv"
    ));
    for [hdf5, csv] in [["g.h5", "g.csv"], ["q.h5", "q.csv"]] {
        let [hdf5, csv] = [hdf5, csv].map(|name| folder.table(name));
        assert_eq!(hdf5.columns, csv.columns);
        assert_eq!(hdf5.kind().unwrap(), csv.kind().unwrap());
        assert_eq!(hdf5.meta["edges"], csv.meta["edges"]);
    }
    folder.good("plot g.h5 -o g.svg");
    let names = folder.names();
    let failed = folder.run("rdf t.csv --r-max 1e9 --n-bins 6 -o bad.hdf5");
    assert_eq!((failed.code, folder.names()), (1, names));
    let python = std::env::var("ALBIREO_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let check = "import sys, json\ntry: import h5py, numpy as np\nexcept ModuleNotFoundError: sys.exit()\n\
        f = h5py.File('g.h5'); rows = np.genfromtxt('g.csv', delimiter=',', names=True, deletechars='')\n\
        record = json.loads(f['albireo'][()])['columns']\n\
        assert [c['name'] for c in record] == list(rows.dtype.names) and len(f) == len(record) + 1, list(f)\n\
        assert all(np.array_equal(f[n][:], rows[n], equal_nan=True) for n in rows.dtype.names)\n\
        assert f['lo'].attrs['units'] == b'nm' and f.attrs['result'] == b'radial distribution function'";
    let mut python = std::process::Command::new(python);
    let run = python
        .current_dir(folder.path(""))
        .args(["-c", check])
        .output();
    assert!(run.is_err() || run.is_ok_and(|run| run.status.success()));
}

#[test]
fn covariances_of_partials_have_a_block_for_each_pair() {
    let mut folder = Folder::new();
    for k in 0..4 {
        folder = folder.with(&format!("t{k}.csv"), &trajectory(5 * k..5 * k + 5, 60));
    }
    for k in 0..4 {
        folder.good(&format!("rdf t{k}.csv {BINS} -o g{k}.csv"));
    }
    folder.good("result covariance g0.csv g1.csv g2.csv g3.csv -o c.csv --mean m.csv --plot c.svg --singular");
    let (covariance, mean) = (folder.table("c.csv"), folder.table("m.csv"));
    assert_eq!(covariance.rows(), 18 * 18);
    assert_eq!(covariance.meta["covariance_of"], "partial g");
    let tables: Vec<_> = (0..4).map(|k| folder.table(&format!("g{k}.csv"))).collect();
    let all: Vec<Vec<f64>> = tables
        .iter()
        .map(|t| {
            ["g_H-H", "g_H-O", "g_O-O"]
                .map(|name| floats(t, name))
                .concat()
        })
        .collect();
    let average = |k: usize| all.iter().map(|row| row[k]).sum::<f64>() / 4.0;
    for (i, j) in [(0, 0), (3, 9), (17, 4), (12, 12)] {
        let expected: f64 = all
            .iter()
            .map(|row| (row[i] - average(i)) * (row[j] - average(j)))
            .sum::<f64>()
            / 3.0;
        let found = floats(&covariance, "covariance")[i * 18 + j];
        assert!(
            (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
            "{i} {j}: {found} {expected}"
        );
    }
    let pair: Vec<u64> = integers(&covariance, "row_pair")
        .into_iter()
        .step_by(18)
        .collect();
    assert_eq!(pair, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
    assert!((floats(&mean, "g_H-O")[3] - average(9)).abs() < 1e-14);
    assert!(names(&mean).contains(&"n_O-H_error"));
}
