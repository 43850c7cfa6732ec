//! `--checkpoint`: a count that was ended goes on where it was, and comes to what it would have come to.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{Folder, scattered};

/// Pairs of both samples in all their sums, slowly: seconds for one thread.
const COUNT: &str =
    "count d.csv r.csv --weight w --bins lin:0:9:30 --mean-separation --threads 1 --isa portable";

fn catalogs() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(5000, 10.0, 5))
        .with("r.csv", &scattered(5000, 10.0, 6))
}

fn parts(folder: &Folder) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder.path("kept")) else {
        return vec![];
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let parts = paths.filter(|path| path.extension().is_some_and(|end| end == "part"));
    let name = |path: std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut parts: Vec<String> = parts.map(name).collect();
    parts.sort();
    parts
}

/// Starts a command and signals it once its first checkpoint of this incarnation is there; its exit code and what it said, unless it was done.
#[cfg(unix)]
fn signalled(folder: &Folder, command: &str, signal: &str) -> Option<(Option<i32>, String)> {
    let before = parts(folder).len();
    let arguments: Vec<&str> = command.split(' ').collect();
    let mut child = folder
        .command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while parts(folder).len() == before && begun.elapsed() < Duration::from_secs(60) {
        if child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let id = child.id().to_string();
    let sent = Command::new("kill")
        .args([signal, &id])
        .stderr(Stdio::null())
        .status();
    sent.unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    (!output.status.success()).then_some((output.status.code(), text))
}

#[cfg(unix)]
#[test]
fn counts_that_were_killed_go_on() {
    let folder = catalogs();
    folder.good(&format!("{COUNT} -o whole.csv"));
    let kept = format!("{COUNT} --checkpoint kept --checkpoint-every 0 -o end.csv");
    for (k, (signal, code)) in [("-KILL", None), ("-TERM", Some(143)), ("-USR1", Some(138))]
        .into_iter()
        .enumerate()
    {
        let (found, text) = signalled(&folder, &kept, signal).expect("it was at work");
        assert_eq!(found, code, "{signal}: {text}");
        if code.is_some() {
            let expected = "error: stopped while counting D1D2: the same command goes on from kept";
            assert_eq!(text.lines().last(), Some(expected));
        }
        assert!(!folder.path("end.csv").exists());
        assert_eq!(parts(&folder).len(), k + 1);
    }
    // Another engine does the rest.
    let other = kept.replace("--threads 1 --isa portable", "--engine naive");
    let run = folder.good(&other);
    assert!(
        run.stderr.contains("units were counted before"),
        "{}",
        run.stderr
    );
    assert_eq!(folder.bytes("end.csv"), folder.bytes("whole.csv"));
    // And now nothing is left to do.
    let run = folder.good(&kept.replace("end.csv", "again.csv"));
    assert!(
        run.stderr.contains("units were counted before"),
        "{}",
        run.stderr
    );
    assert_eq!(folder.bytes("again.csv"), folder.bytes("whole.csv"));
    assert_eq!(parts(&folder).len(), 4);
}

#[cfg(unix)]
#[test]
fn a_part_that_was_killed_goes_on() {
    let folder = catalogs();
    folder.good(&format!("{COUNT} -o whole.csv"));
    let part = |k: usize| {
        format!("{COUNT} --shard {k}/2 --part {k}.alb --checkpoint kept --checkpoint-every 0")
    };
    signalled(&folder, &part(1), "-KILL").expect("it was at work");
    assert_eq!(parts(&folder), ["1-of-2.1.0.part"]);
    // Parts have the folder in common, and nothing else.
    folder.good(&part(0));
    let run = folder.good(&part(1));
    assert!(
        run.stderr.contains("units were counted before"),
        "{}",
        run.stderr
    );
    folder.good("merge 0.alb 1.alb -o merged.csv");
    assert_eq!(folder.bytes("merged.csv"), folder.bytes("whole.csv"));
}

#[test]
fn checkpoints_of_estimates_and_sets_of_weights() {
    let folder = Folder::new()
        .with("d.csv", &scattered(3000, 10.0, 5))
        .with("r.csv", &scattered(2000, 10.0, 6));
    for (k, command) in [
        "xi d.csv --randoms r.csv --weight w --bins lin:0:2:3 --regions 3",
        "wp d.csv --randoms r.csv --bins lin:0.1:2:3 --pi-bins lin:0:2:2",
        "count d.csv --box 10 --bins lin:0:2:3 --weight-set a=w --weight-set b=w*w",
    ]
    .into_iter()
    .enumerate()
    {
        folder.good(&format!("{command} -o whole.csv"));
        for _ in 0..2 {
            folder.good(&format!(
                "{command} --checkpoint kept{k} --checkpoint-every 0 -o kept.csv"
            ));
            assert_eq!(
                folder.bytes("kept.csv"),
                folder.bytes("whole.csv"),
                "{command}"
            );
        }
    }
}

#[test]
fn checkpoints_of_other_jobs_are_refused() {
    let folder = Folder::new().with("d.csv", &scattered(3000, 10.0, 5));
    let count = "count d.csv --box 10 --bins lin:0:1:3 --checkpoint kept";
    folder.good(&format!("{count} -o dd.csv"));
    assert_eq!(parts(&folder), ["all.1.0.part"]);
    let refused = |command: &str, expected: &str| {
        let run = folder.run(&format!("{command} -o no.csv"));
        assert_eq!(run.code, 1, "{}", run.stderr);
        let last = run.stderr.lines().last().unwrap();
        assert!(last.contains(expected), "{expected}: {last}");
        assert!(!folder.path("no.csv").exists());
    };
    let other = |from: &str, to: &str| count.replace(from, to);
    refused(
        &other("0:1:3", "0:1:4"),
        "DD in other bins: r in 4 bins from 0 to 1, and r in 3 bins from 0 to 1 (the commands differ in lin:0:1:4, lin:0:1:3)",
    );
    refused(
        &other("lin:0:1:3", "edges:0,0.25,0.5,1"),
        "DD in other bins: edge 1 of r is 0.25, and 0.333",
    );
    refused(&other("--bins", "--rows 1: --bins"), "of other particles");
    refused(
        &other("--bins", "--mean-separation --bins"),
        "with other sums, cuts or weights of pairs (the commands differ in --mean-separation)",
    );
    let path = |name: &str| folder.path("kept").join(name);
    std::fs::copy(path("all.1.0.part"), path("all.2.0.part")).unwrap();
    refused(
        count,
        "of DD held twice: by kept/all.1.0.part and kept/all.2.0.part",
    );
    std::fs::write(path("all.2.0.part"), "albkept1").unwrap();
    refused(count, "all.2.0.part: this part is damaged");
    std::fs::remove_file(path("all.2.0.part")).unwrap();
    // A job that lives has the folder.
    let lock = std::fs::File::open(path("all.lock")).unwrap();
    lock.lock().unwrap();
    refused(count, "another job is at work in kept");
    drop(lock);
    folder.good(&format!("{count} -o again.csv"));
    for (flags, expected) in [
        ("--checkpoint-every 3", "needs --checkpoint DIR"),
        (
            "--checkpoint k --checkpoint-every -1",
            "expected a time such as 30s, 5min or 1h",
        ),
    ] {
        let run = folder.run(&format!("count d.csv --bins lin:0:1:3 {flags}"));
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    let run = folder.run(&format!(
        "{} -o no.csv",
        count.replace("kept", "d.csv/kept")
    ));
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("--checkpoint: cannot make d.csv/kept"),
        "{}",
        run.stderr
    );
}
