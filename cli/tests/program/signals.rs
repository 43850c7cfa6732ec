//! Signals and threads: the program ends at once when it is asked to, and says so by its exit code.

#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{Folder, scattered};
use crate::formats::gzip;

fn start(folder: &Folder, arguments: &str) -> Child {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    folder
        .command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Sends `signal` after a while and returns the exit code with the time from the signal to the end.
fn signalled(mut child: Child, signal: &str, after: u64) -> (Option<i32>, Duration) {
    std::thread::sleep(Duration::from_millis(after));
    let running = child.try_wait().unwrap().is_none();
    assert!(running, "it was to be stopped while at work");
    let sent = Instant::now();
    let killed = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let code = child.wait().unwrap().code();
    (code, sent.elapsed())
}

/// Half a second by itself, and as much again for a machine at work.
const SOON: Duration = Duration::from_secs(1);

#[test]
fn counts_end_within_a_unit_of_work() {
    // All in one place: a unit of work of the fast engine is thousands of millions of pairs here.
    let mut rows = String::from("x,y,z\n");
    for _ in 0..400_000 {
        rows.push_str("1,1,1\n");
    }
    let folder = Folder::new().with("one.csv", &rows);
    for (engine, signal, code) in [
        ("naive", "-INT", 130),
        ("cpu --threads 1", "-TERM", 143),
        ("cpu --threads 1 --mean-separation", "-INT", 130),
    ] {
        let command = format!("count one.csv --bins lin:0:1:10 -o dd.csv --engine {engine}");
        let (found, time) = signalled(start(&folder, &command), signal, 1500);
        assert_eq!(found, Some(code), "{engine}");
        assert!(time < SOON, "{engine}: {time:?}");
        assert_eq!(folder.names(), ["one.csv"], "{engine}");
    }
}

#[test]
fn a_job_that_is_stopped_leaves_whole_files_only() {
    let mut rows = String::from("x,y,z\n");
    for _ in 0..400_000 {
        rows.push_str("1,1,1\n");
    }
    let job = "bins = 'lin:0:1:4'\nengine = 'naive'\n\
        [count.small]\ndata = 'small.csv'\noutput = 'small_dd.csv'\n\
        [count.large]\ndata = 'one.csv'\noutput = 'large_dd.csv'\n\
        [result.sum]\nresults = ['small_dd.csv', 'large_dd.csv']\noutput = 'sum.csv'\n";
    let folder = Folder::new()
        .with("one.csv", &rows)
        .with("small.csv", &scattered(30, 1.0, 1))
        .with("job.toml", job);
    let child = start(&folder, "run job.toml");
    let begun = Instant::now();
    while !folder.path("small_dd.csv").exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let (code, time) = signalled(child, "-INT", 1500);
    assert_eq!(code, Some(130));
    assert!(time < SOON, "{time:?}");
    let inputs = ["job.toml", "one.csv", "small.csv"];
    let left: Vec<_> = folder.names();
    let left: Vec<_> = left
        .iter()
        .filter(|name| !inputs.contains(&name.as_str()))
        .collect();
    assert_eq!(left, ["small_dd.csv", "small_dd.csv.json"]);
    assert_eq!(folder.table("small_dd.csv").rows(), 4);
}

#[test]
fn reading_ends_at_once() {
    // A table whose lines are empty, gigabytes of them.
    let folder = Folder::new().with("d.csv", &scattered(10, 1.0, 1));
    let member = gzip(&vec![b'\n'; 60_000_000]);
    let mut table = gzip(b"x,y,z\n");
    table.extend(member.repeat(60));
    std::fs::write(folder.path("long.csv.gz"), table).unwrap();
    for (command, signal, code) in [
        ("count long.csv.gz --bins edges:0,1", "-TERM", 143),
        (
            "xi d.csv --randoms long.csv.gz --bins edges:0,1 -o xi.csv",
            "-INT",
            130,
        ),
        ("info long.csv.gz", "-INT", 130),
    ] {
        let (found, time) = signalled(start(&folder, command), signal, 500);
        assert_eq!(found, Some(code), "{command}");
        assert!(time < SOON, "{command}: {time:?}");
    }
    assert_eq!(folder.names(), ["d.csv", "long.csv.gz"]);
}

/// The bytes of a pipe come once, and files are read more than once: nobody waits for them.
#[test]
fn pipes_are_refused_at_once() {
    let folder = Folder::new().with("d.csv", &scattered(10, 1.0, 1));
    let made = Command::new("mkfifo")
        .arg(folder.path("pipe.csv"))
        .status()
        .unwrap();
    assert!(made.success());
    for command in [
        "count pipe.csv --bins edges:0,1",
        "xi d.csv --randoms pipe.csv --bins edges:0,1",
        "info pipe.csv",
    ] {
        let run = folder.run(command);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(
            run.stderr.contains("pipe.csv: a pipe or device"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn more_threads_than_cores_can_feed_are_refused() {
    let folder = Folder::new().with("d.csv", &scattered(10, 1.0, 1));
    let cores = std::thread::available_parallelism().unwrap().get();
    for threads in ["20000", "100000", "1000000000000"] {
        let begun = Instant::now();
        let run = folder.run(&format!("count d.csv --bins edges:0,1 --threads {threads}"));
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert_eq!(run.code, 2, "{}", run.stderr);
        let expected = format!("the cores there are ({cores})");
        assert!(
            run.stderr.contains("--threads")
                && run.stderr.contains(&expected)
                && run.stderr.contains(threads),
            "{}",
            run.stderr
        );
    }
}
