//! Files that the program writes: what they may replace, and that this is known before the work.

use std::process::Command;

use crate::folder::{Folder, program, scattered};

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(40, 10.0, 1))
        .with("r.csv", &scattered(60, 10.0, 2))
        .with("bins.csv", "1 2\n2 4\n")
}

/// Runs a command that fails before it reads anything.
fn fails_at_once(folder: &Folder, arguments: &str, words: &str) {
    let run = folder.run(arguments);
    assert_eq!(run.code, 1, "albireo {arguments}: {}", run.stderr);
    assert!(
        run.stderr.contains(words),
        "albireo {arguments}: {}",
        run.stderr
    );
    assert!(
        !run.stderr.contains("rows of"),
        "albireo {arguments} read its input: {}",
        run.stderr
    );
}

#[test]
fn what_cannot_be_written_is_known_before_the_work() {
    let folder = folder();
    std::fs::create_dir(folder.path("taken.csv")).unwrap();
    fails_at_once(
        &folder,
        "count d.csv --bins lin:0:5:5 -o no/dd.csv",
        "no/dd.csv: no such folder: no",
    );
    fails_at_once(
        &folder,
        "count d.csv --bins lin:0:5:5 -o taken.csv",
        "taken.csv: expected a file, found a folder",
    );
    let wp = "wp d.csv --box 10 --bins lin:1:5:4 --pi-bins lin:0:4:4";
    fails_at_once(
        &folder,
        &format!("{wp} --counts taken.csv"),
        "--counts: taken.csv: expected a file, found a folder",
    );
    // Not even the superuser can make a file there.
    #[cfg(target_os = "linux")]
    for output in ["-o /proc/dd.csv", "--plot /proc/dd.png"] {
        if cfg!(feature = "plot") || output.starts_with("-o") {
            let arguments = format!("count d.csv --bins lin:0:5:5 {output}");
            fails_at_once(&folder, &arguments, "no file can be made in /proc");
        }
    }
}

#[test]
fn a_log_that_nobody_reads_stops_nothing() {
    let folder = folder();
    let (reader, log) = std::io::pipe().unwrap();
    drop(reader);
    let status = Command::new(program())
        .args("count d.csv --bins lin:0:5:5 -o dd.csv".split(' '))
        .current_dir(folder.path(""))
        .stderr(log)
        .status();
    assert_eq!(status.unwrap().code(), Some(0));
    assert!(folder.path("dd.csv").exists());
}

#[test]
fn a_record_takes_the_place_of_nothing_else() {
    let folder = folder().with("dd.csv.json", "{\"mine\": true}");
    let arguments = "count d.csv --bins lin:0:5:5 -o dd.csv";
    fails_at_once(
        &folder,
        arguments,
        "dd.csv.json: the record of the result would go here",
    );
    assert!(!folder.path("dd.csv").exists());
    std::fs::remove_file(folder.path("dd.csv.json")).unwrap();
    folder.good(arguments);
    folder.good(arguments);
    assert_eq!(
        folder.names(),
        ["bins.csv", "d.csv", "dd.csv", "dd.csv.json", "r.csv"]
    );
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = folder();
    std::fs::create_dir(folder.path("store")).unwrap();
    std::os::unix::fs::symlink("store/dd.ecsv", folder.path("dd.ecsv")).unwrap();
    for _ in 0..2 {
        folder.good("count d.csv --bins lin:0:5:5 -o dd.ecsv");
        assert!(folder.path("dd.ecsv").is_symlink());
        assert!(folder.path("store/dd.ecsv").is_file());
        folder.table("dd.ecsv");
    }
    assert_eq!(std::fs::read_dir(folder.path("store")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn what_a_killed_run_left_is_cleaned_by_the_next() {
    let folder = folder();
    // A million rows take a while to write.
    let arguments = "count d.csv --bins lin:0:5:1000000 --engine naive -o dd.json";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let mut child = folder
        .command(&arguments)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let unfinished = |folder: &Folder| {
        let begun = |name: &String| {
            let size = std::fs::metadata(folder.path(name)).map_or(0, |found| found.len());
            name.starts_with(".albireo-") && size > 0
        };
        folder.names().into_iter().find(begun)
    };
    while unfinished(&folder).is_none() {
        assert!(
            child.try_wait().unwrap().is_none(),
            "it ended before it could be killed"
        );
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(unfinished(&folder).is_some() && !folder.path("dd.json").exists());
    folder.good("count d.csv --bins lin:0:5:5 -o dd.ecsv");
    assert_eq!(folder.names(), ["bins.csv", "d.csv", "dd.ecsv", "r.csv"]);
}

#[test]
fn quiet_commands_that_write_print_nothing() {
    let folder = Folder::new().with("d.csv", "x,y,z\n1,1,1\n2,2,2\n");
    let command = "count d.csv --box 10 --bins edges:1,3";
    for flags in ["-q -o c.csv", "-q -o c.csv --brief"] {
        let run = folder.good(&format!("{command} {flags}"));
        assert_eq!([run.stdout, run.stderr], ["", ""], "{flags}");
    }
    assert!(folder.path("c.csv").exists());
    // What is printed alone is the result.
    assert_ne!(folder.good(&format!("{command} -q")).stdout, "");
    assert_ne!(folder.good(&format!("{command} -q -o -")).stdout, "");
}

#[test]
fn templates_list_no_hidden_flags() {
    let text = Folder::new().good("run --template").stdout;
    assert!(
        text.contains("# [xi.NAME]") && text.contains("shard = "),
        "{text}"
    );
    assert!(!text.contains("from-part"), "{text}");
    // A colon cuts no meaning short.
    assert!(
        text.contains("Second sample: cross-correlation of DATA with it"),
        "{text}"
    );
}
