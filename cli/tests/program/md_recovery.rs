//! `albireo md --checkpoint`: runs that were killed or stopped at their end go on to the same bytes.

use std::time::Duration;

use crate::folder::Folder;
use crate::md::{LIQUID, assert_refused, digest};

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    for kind in ["xyz", "h5"] {
        killed_with_frames_as(kind);
    }
}

fn killed_with_frames_as(kind: &str) {
    let folder = Folder::new();
    let line = |name: &str| {
        format!(
            "{LIQUID} --thermostat langevin --steps 120 --every 5 -o {name}.csv --trajectory {name}.{kind} --trajectory-every 7 \
             --velocities --rdf {name}_g.csv --rdf-every 9"
        )
    };
    let whole = folder.good(&line("whole"));
    let killed = format!(
        "{} --checkpoint c.bin --checkpoint-every 0s",
        line("killed")
    );
    let words: Vec<&str> = killed.split_whitespace().collect();
    let mut ended = 0;
    for pause in [40, 80, 160, 320, 640] {
        let mut child = folder.command(&words).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        ended += 1;
    }
    assert!(ended > 0);
    if !folder.path("killed.csv").exists() || folder.path("c.bin").exists() {
        let run = folder.good(&killed);
        assert_eq!(digest(&run), digest(&whole));
    }
    for name in [kind, "csv"] {
        let bytes = |run: &str| folder.bytes(&format!("{run}.{name}"));
        assert!(bytes("whole") == bytes("killed"), "{name}");
    }
    assert_eq!(
        folder.table("whole_g.csv").columns,
        folder.table("killed_g.csv").columns
    );
    let left = folder.names();
    assert!(
        !left
            .iter()
            .any(|name| name.contains("partial") || name == "c.bin"),
        "{left:?}"
    );
    // A checkpoint of another run, and one that is damaged.
    let mut child = folder.command(&words).spawn().unwrap();
    while !folder.path("c.bin").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    if let Ok(mut bytes) = std::fs::read(folder.path("c.bin")) {
        let run = folder.run(&killed.replace("--seed 3", "--seed 4"));
        assert_eq!(run.code, 1);
        assert!(
            run.stderr.contains("(seed is 3, expected 4)"),
            "{}",
            run.stderr
        );
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(folder.path("c.bin"), &bytes).unwrap();
        let run = folder.run(&killed);
        assert!(
            run.code == 1 && run.stderr.contains("damaged"),
            "{}",
            run.stderr
        );
    }
}

/// What a run leaves that is killed at its end, when some of its results are written and the checkpoint is not removed: a standard output that takes
/// nothing stops it there.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_was_stopped_at_its_end_writes_what_it_lacks() {
    for kind in ["xyz", "h5"] {
        let folder = Folder::new();
        let line = |name: &str| {
            format!(
                "{LIQUID} --steps 13 --every 5 -o {name}.csv --trajectory {name}.{kind} --trajectory-every 4 --rdf {name}_g.csv --rdf-every 6"
            )
        };
        let whole = folder.good(&line("whole"));
        let line = format!("{} --checkpoint c.bin --checkpoint-every 5", line("k"));
        let words: Vec<&str> = line.split_whitespace().collect();
        let stop_at_the_end = || {
            let full = std::fs::File::options().write(true).open("/dev/full");
            let output = folder.command(&words).stdout(full.unwrap()).output();
            let output = output.unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{stderr}");
            assert!(stderr.contains("goes on from its checkpoint"), "{stderr}");
        };
        let (frames, partial) = (format!("k.{kind}"), format!("k.{kind}.partial"));
        let all = ["k_g.csv", "k_g.csv.json", "k.csv", "k.csv.json"];
        // Nothing has its name; the trajectory alone; g(r) too; the table as well.
        for written in [None, Some(0), Some(2), Some(4)] {
            stop_at_the_end();
            for lacking in &all[written.unwrap_or(0)..] {
                std::fs::remove_file(folder.path(lacking)).unwrap();
            }
            if written.is_none() {
                std::fs::rename(folder.path(&frames), folder.path(&partial)).unwrap();
            }
            let run = folder.good(&line);
            assert_eq!(digest(&run), digest(&whole));
            for name in [kind, "csv"] {
                let bytes = |run: &str| folder.bytes(&format!("{run}.{name}"));
                assert!(bytes("whole") == bytes("k"), "{name} {written:?}");
            }
            let table = |name: &str| folder.table(name).columns;
            assert_eq!(table("whole_g.csv"), table("k_g.csv"));
            let left = folder.names();
            assert!(!left.iter().any(|name| name == &partial || name == "c.bin"));
        }
        // Frames of another run under that name, none at all, and more steps.
        stop_at_the_end();
        let own = folder.bytes(&frames);
        let other = LIQUID.replace("--seed 3", "--seed 4");
        folder.good(&format!(
            "{other} --steps 13 -o b.csv --trajectory {frames} --trajectory-every 4"
        ));
        let expected = format!("{partial}, which is not there");
        assert_refused(&folder, &[(line.clone(), &expected)]);
        std::fs::remove_file(folder.path(&frames)).unwrap();
        assert_refused(&folder, &[(line.clone(), &expected)]);
        std::fs::write(folder.path(&frames), own).unwrap();
        let more = line.replace("--steps 13", "--steps 14");
        let expected = ["end of a run of 13 steps, found 14", "other steps"];
        assert_refused(&folder, &[(more, expected[usize::from(kind == "h5")])]);
        folder.good(&line);
    }
}
