//! Disks that are full: one line that names the file, and nothing half written. A limit for the size of files stands for them.

use std::fs::OpenOptions;
use std::process::Command;

use crate::folder::{Folder, program, scattered};

fn folder() -> Folder {
    let frames = scattered(30, 10.0, 2);
    let frames: String = (0..4)
        .flat_map(|frame| {
            let rows = frames.lines().skip(1);
            rows.map(move |row| format!("{frame},{row}\n"))
        })
        .collect();
    Folder::new()
        .with("d.csv", &scattered(3000, 10.0, 1))
        .with("t.csv", &format!("frame,x,y,z,w\n{frames}"))
}

/// The program where no file may have more than 4 kilobytes.
fn limited(folder: &Folder, arguments: &str) -> Command {
    let mut command = Command::new("bash");
    command
        .args(["-c", "ulimit -f 4; exec \"$0\" \"$@\""])
        .arg(program())
        .args(arguments.split_whitespace())
        .current_dir(folder.path(""));
    command
}

/// Asserts that a command fails with one line that names this, and leaves the folder as it was.
fn fails(folder: &Folder, mut command: Command, named: &str) {
    let before = folder.names();
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let errors: Vec<&str> = told.lines().filter(|l| l.starts_with("error: ")).collect();
    assert_eq!(output.status.code(), Some(1), "{named}: {told}");
    assert!(
        matches!(errors[..], [line] if line.contains(named)),
        "{named}: {told}"
    );
    assert_eq!(folder.names(), before, "{named}");
}

#[test]
fn results_and_parts_are_whole_or_not_there() {
    let folder = folder();
    let count = "count d.csv --weight w --bins lin:0:1:2000";
    let mut names = vec!["r.csv", "r.json", "r.ecsv"];
    if cfg!(all(feature = "fits", feature = "hdf5", feature = "parquet")) {
        names.extend(["r.fits", "r.h5", "r.parquet"]);
    }
    for name in names {
        fails(
            &folder,
            limited(&folder, &format!("{count} -o {name}")),
            name,
        );
        // What was there before stays.
        folder.good(&format!("count d.csv --bins lin:0:1:3 -o {name}"));
        let bytes = || folder.bytes(name);
        let before = bytes();
        fails(
            &folder,
            limited(&folder, &format!("{count} -o {name}")),
            name,
        );
        assert_eq!(bytes(), before, "{name}");
    }
    let part = format!("{count} --shard 0/2 --part p.alb");
    fails(&folder, limited(&folder, &part), "p.alb");
    let randoms = "randoms --box 10 -n 5000 --seed 1 -o s.csv";
    folder.good(randoms);
    std::fs::remove_file(folder.path("s.csv")).unwrap();
    fails(&folder, limited(&folder, randoms), "s.csv");
}

#[test]
fn counts_go_on_where_a_checkpoint_did_not_fit() {
    let folder = folder();
    let count = "count d.csv --weight w --bins lin:0:1:2000 --threads 1";
    folder.good(&format!("{count} -o whole.csv"));
    let kept = format!("{count} --checkpoint kept --checkpoint-every 0 -o kept.csv");
    std::fs::create_dir(folder.path("kept")).unwrap();
    fails(&folder, limited(&folder, &kept), "kept/all.1.0.part");
    let entries = std::fs::read_dir(folder.path("kept")).unwrap();
    let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["all.lock"]);
    folder.good(&kept);
    assert_eq!(folder.bytes("kept.csv"), folder.bytes("whole.csv"));

    let rdf = "rdf t.csv --box 10 --r-max 4 --n-bins 2000 --checkpoint f.ckpt --checkpoint-every 0";
    fails(
        &folder,
        limited(&folder, &format!("{rdf} -o g.csv")),
        "--checkpoint f.ckpt",
    );
}

#[test]
fn standard_output_that_takes_nothing_is_named() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        return;
    };
    let folder = folder();
    let words = ["count", "d.csv", "--bins", "lin:0:1:3"];
    let mut command = folder.command(&words);
    command.stdout(full);
    fails(&folder, command, "cannot write to standard output");
}
