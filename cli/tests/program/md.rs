//! `albireo md`: tables, frames and g(r) of runs, killed ones too, and what is refused.

use std::time::Duration;

use crate::folder::{Folder, Run, floats, integers, refused};

pub(crate) const LIQUID: &str = "md --atoms 256 --density 0.8442 --temperature 1.44 --seed 3";

/// The digest of all words at the end of a run.
pub(crate) fn digest(run: &Run) -> String {
    let (_, digest) = run.stderr.rsplit_once("sha256 ").unwrap();
    digest.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn runs_are_the_same_whoever_makes_them_and_conserve_what_they_should() {
    let folder = Folder::new();
    let line = format!("{LIQUID} --steps 40 --every 10");
    let run = folder.good(&format!("{line} -o a.csv"));
    let table = folder.table("a.csv");
    assert_eq!(integers(&table, "step"), [0, 10, 20, 30, 40]);
    let potential = floats(&table, "potential");
    // The lattice's energy does not depend on the number of atoms.
    assert!(
        (potential[0] + 6.773_368_1).abs() < 5e-8,
        "{}",
        potential[0]
    );
    assert!((floats(&table, "temperature")[0] - 1.44).abs() < 1e-9);
    let total = floats(&table, "total");
    assert!(
        total.iter().all(|e| (e - total[0]).abs() < 0.02),
        "{total:?}"
    );
    for axis in ["px", "py", "pz"] {
        let p = floats(&table, axis);
        assert!(
            p.iter()
                .all(|p| p.to_bits() == floats(&table, axis)[0].to_bits())
        );
    }
    for how in [
        "--engine naive",
        "--traversal all-pairs --threads 2",
        "--threads 1 --isa portable --skin 0.5",
    ] {
        let other = folder.good(&format!("{line} {how} -o b.csv"));
        assert_eq!(digest(&other), digest(&run), "{how}");
        assert_eq!(folder.table("b.csv").columns, table.columns, "{how}");
    }
    let single = format!("{line} --precision single");
    let run_single = folder.good(&format!("{single} -o b.csv"));
    assert_ne!(digest(&run_single), digest(&run));
    let other = folder.good(&format!("{single} --engine naive -o b.csv"));
    assert_eq!(digest(&other), digest(&run_single));
    let back = folder.good(&format!("{LIQUID} --steps 25 --and-back -o -"));
    assert!(
        back.stderr.contains("every one of the 1536 words"),
        "{}",
        back.stderr
    );
}

#[test]
fn frames_are_read_by_rdf_and_by_md() {
    let folder = Folder::new();
    let species = "--species A:1:200,B:2:56 --pair A-B:1.2,0.9 --pair B-B:0.6,0.85";
    folder.good(&format!(
        "{LIQUID} {species} --steps 30 -o a.csv --trajectory t.xyz --trajectory-every 10 --velocities \
         --rdf g.csv --rdf-every 10 --rdf-bins lin:0:3:30"
    ));
    folder.good("rdf t.xyz --bins lin:0:3:30 --select all=index>=0 --pairs all-all -o other.csv");
    let (own, other) = (folder.table("g.csv"), folder.table("other.csv"));
    assert_eq!(integers(&own, "npairs"), integers(&other, "npairs"));
    for (a, b) in floats(&own, "g").iter().zip(floats(&other, "g")) {
        assert!((a - b).abs() < 1e-12 * b.max(1.0));
    }
    // From the last frame on: its positions, species and velocities, but for the last bits of decimals.
    let masses = species.replace(":200", "").replace(":56", "");
    folder.good(&format!("md t.xyz {masses} --steps 0 -o b.csv"));
    let (end, start) = (folder.table("a.csv"), folder.table("b.csv"));
    for name in ["potential", "kinetic", "pressure"] {
        let (end, start) = (floats(&end, name), floats(&start, name));
        let end = end.last().unwrap();
        assert!((end - start[0]).abs() < 1e-9 * end.abs().max(1.0), "{name}");
    }
}

#[cfg(feature = "hdf5")]
#[test]
fn frames_of_h5md_are_those_of_xyz_to_the_last_bit() {
    let folder = Folder::new();
    let species = "--species A:1:200,B:2:56 --pair A-B:1.2,0.9 --pair B-B:0.6,0.85";
    let masses = species.replace(":200", "").replace(":56", "");
    let mut found = vec![];
    for kind in ["xyz", "h5"] {
        folder.good(&format!(
            "{LIQUID} {species} --steps 30 -o a.csv --trajectory t.{kind} --trajectory-every 7 --velocities"
        ));
        folder.good(&format!("rdf t.{kind} --bins lin:0:3:30 -o g.csv"));
        let g = folder.bytes("g.csv");
        let start = folder.good(&format!("md t.{kind} {masses} --steps 0 -o b.csv"));
        found.push((g, digest(&start)));
    }
    assert!(found[0] == found[1]);
    // Frames lie in room for all: other steps are another file.
    let line = format!("{LIQUID} --trajectory k.h5 --trajectory-every 4 -o k.csv");
    let kept = format!("{line} --checkpoint c.bin --checkpoint-every 5steps");
    let begun = format!("{kept} --steps 20000");
    let words: Vec<&str> = begun.split_whitespace().collect();
    let mut child = folder.command(&words).spawn().unwrap();
    while !folder.path("c.bin").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let other = folder.run(&format!("{kept} --steps 30000"));
    assert_eq!(other.code, 1);
    assert!(other.stderr.contains("other steps"), "{}", other.stderr);
    std::fs::write(folder.path("k.h5.partial"), "").unwrap();
    let cut = folder.run(&begun);
    assert_eq!(cut.code, 1);
    assert!(cut.stderr.contains("bytes, found 0"), "{}", cut.stderr);
}

/// Every command is refused in one line that says why, and nothing is written.
pub(crate) fn assert_refused(folder: &Folder, cases: &[(String, &str)]) {
    let before = folder.names();
    let without_cuda =
        |(line, _): &&(String, &str)| !line.contains("cuda") && !line.contains("--device");
    let possible = |case: &&(String, &str)| cfg!(feature = "cuda") || without_cuda(case);
    for (line, expected) in cases.iter().filter(possible) {
        let run = folder.run(line);
        assert!([1, 2].contains(&run.code), "{line}: {}", run.code);
        assert!(run.stderr.contains(expected), "{line}\n{}", run.stderr);
        let errors = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{line}\n{}", run.stderr);
        assert_eq!(folder.names(), before, "{line}");
    }
}

#[test]
fn more_threads_than_cores_can_take_are_refused() {
    let call = format!("{LIQUID} --steps 9 --threads 99999 -o a.csv");
    let says = ["--threads: at most", "found 99999"];
    refused(&Folder::new(), &call, 2, &says);
}
