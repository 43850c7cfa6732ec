//! `albireo md`: tables, frames and g(r) of runs, killed ones too, and what is refused.

use std::time::Duration;

use crate::folder::{Folder, Run, floats, integers};

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
        let g = std::fs::read(folder.path("g.csv")).unwrap();
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
fn fluids_that_cannot_be_are_refused_in_a_line() {
    let l = LIQUID;
    let cases = [
        ("md --steps 1 -o a.csv".to_owned(), "--atoms and --density"),
        (
            "md --atoms 32 --density 0.8442 --steps 1 -o a.csv".to_owned(),
            "half the box",
        ),
        (
            "md --atoms 0 --density 1 --steps 1 -o a.csv".to_owned(),
            "number of particles",
        ),
        (
            "md --atoms 500 --density -1 --steps 1 -o a.csv".to_owned(),
            "density",
        ),
        (
            "md --atoms 500 --density nan --steps 1 -o a.csv".to_owned(),
            "density",
        ),
        (
            format!("{l} --steps 9 --dt 0.2 -o a.csv --trajectory t.xyz"),
            "time step is too large",
        ),
        (format!("{l} --steps 9 --dt 0 -o a.csv"), "time step"),
        (format!("{l} --steps 9 --dt nan -o a.csv"), "time step"),
        (format!("{l} --steps 9 --skin 4 -o a.csv"), "skin"),
        (format!("{l} --steps 9 --cutoff 0 -o a.csv"), "cutoff"),
        (
            format!("{l} --steps 9 --cutoff 3.5 -o a.csv"),
            "half the box",
        ),
        (
            format!("{l} --steps 9 --potential wca --cutoff 2 -o a.csv"),
            "wca",
        ),
        (
            format!("{l} --steps 9 --pair A-B:1,1 -o a.csv"),
            "no species B",
        ),
        (
            format!("{l} --steps 9 --pair A-A:1 -o a.csv"),
            "EPSILON,SIGMA",
        ),
        (
            format!("{l} --steps 9 --species A:1:9,B:1:9 -o a.csv"),
            "--species",
        ),
        (
            format!("{l} --steps 9 --species A:0:128,B:1:128 -o a.csv"),
            "mass",
        ),
        (
            format!("{l} --steps 9 --species A:1:128,A:1:128 -o a.csv"),
            "twice",
        ),
    ];
    assert_refused(&Folder::new(), &cases);
}

#[test]
fn runs_and_files_that_cannot_be_are_refused_in_a_line() {
    let near = "3\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3\nA 1 1 1\nA 5 5 5\nC 1.2 1 1\n";
    let folder = Folder::new()
        .with("near.xyz", near)
        .with("open.xyz", "1\nfree\nA 1 1 1\n")
        .with("cut.xyz", "3\nLattice=\"9 0 0 0 9 0 0 0 9\"\nA 1 1 1\n");
    let l = LIQUID;
    let cases = [
        (format!("{l} --steps 9 --friction 2 -o a.csv"), "langevin"),
        (
            format!("{l} --steps 9 --thermostat langevin --friction -2 -o a.csv"),
            "friction",
        ),
        (
            format!("{l} --steps 9 --thermostat rescale --rescale-every 0 -o a.csv"),
            "at least 1",
        ),
        (
            format!("{l} --steps 9 --thermostat langevin --and-back -o a.csv"),
            "undone",
        ),
        (
            format!("{l} --steps 9 --threads 99999 -o a.csv"),
            "--threads",
        ),
        (format!("{l} --steps 9 --isa sse -o a.csv"), "--isa"),
        (
            format!("{l} --steps 9 --engine naive --threads 2 -o a.csv"),
            "naive",
        ),
        (
            format!("{l} --steps 9 --engine cuda --threads 2 -o a.csv"),
            "cpu engine",
        ),
        (
            format!("{l} --steps 9 --engine cuda --traversal all-pairs -o a.csv"),
            "cpu engine",
        ),
        (
            format!("{l} --steps 9 --device 1 -o a.csv"),
            "--engine cuda",
        ),
        (
            "md near.xyz --precision single --steps 1 -o a.csv".to_owned(),
            "0.7071",
        ),
        (format!("{l} --steps 9 -o a.csv --trajectory t.pdb"), ".xyz"),
        (
            format!("{l} --steps 9 -o a.csv --trajectory t.xyz --author me"),
            "H5MD",
        ),
        (
            format!("{l} --steps 9 -o a.csv --author me"),
            "--trajectory",
        ),
        (
            format!(
                "{l} --steps {} -o a.csv --trajectory t.h5 --trajectory-every 1",
                u64::MAX
            ),
            "more than a file can hold",
        ),
        (format!("{l} --steps 9 -o a.txt"), "a.txt"),
        (format!("{l} --steps 9 -o a.csv --rdf a.csv"), "same file"),
        (
            format!("{l} --steps 9 -o a.csv --rdf g.csv --rdf-bins lin:0:9:9"),
            "--rdf",
        ),
        (format!("{l} --steps 9 --every 0 -o a.csv"), "--every"),
        (
            "md near.xyz --steps 1 -o a.csv".to_owned(),
            "particles 0 and 2",
        ),
        (
            "md near.xyz --species A:1,B:1 --steps 1 -o a.csv".to_owned(),
            "species C",
        ),
        ("md open.xyz --steps 1 -o a.csv".to_owned(), "no box"),
        (
            "md open.xyz --box 9,none,9 --steps 1 -o a.csv".to_owned(),
            "--box",
        ),
        ("md cut.xyz --steps 1 -o a.csv".to_owned(), "cut.xyz"),
        ("md none.xyz --steps 1 -o a.csv".to_owned(), "none.xyz"),
    ];
    assert_refused(&folder, &cases);
}
