//! What used to pass without a word: refused, or said.

use crate::folder::{Folder, Run, integers, sample, scattered};

/// Whether a run warned of all of `parts` in one line.
fn warned(run: &Run, parts: &[&str]) -> bool {
    run.stderr
        .lines()
        .any(|line| line.contains("WARN") && parts.iter().all(|part| line.contains(part)))
}

#[test]
fn frames_are_not_superposed() {
    let rows = "frame,species,x,y,z\n3,O,0,0,0\n3,O,1,0,0\n4,O,0,0,0\n4,H,2,0,0\n";
    let folder = Folder::new().with("t.csv", rows);
    let count = ["count", "t.csv", "--bins", "edges:0.5,1.5,3"];
    // One frame survives, whether it is named or not.
    for condition in ["frame == 3", "frame < 4", "species == \"H\""] {
        let one = [&count[..], &["--where", condition, "-o", "o.json"]].concat();
        let run = folder.run_with(&one);
        assert_eq!(run.code, 0, "{condition}: {}", run.stderr);
    }
    let one = [&count[..], &["--where", "frame == 3", "-o", "o.json"]].concat();
    folder.run_with(&one);
    assert_eq!(integers(&folder.table("o.json"), "npairs"), [1, 0]);
    // The columns of a survey's camera are another matter.
    let sky = Folder::new().with("t.csv", "RA,DEC,DIST,frame\n90,0,9,1\n91,0,9,2\n");
    assert_eq!(sky.run_with(&count).code, 0);
}

#[test]
fn wrapped_positions_are_counted() {
    let folder = Folder::new().with(
        "p.csv",
        "x,y,z\n0,0,0\n-1,0,0\n4,0,0\n9.5,0,0\n10,0,0\n0,25,0\n",
    );
    let run = folder.good("rdf p.csv --box 10 --r-max 4 --n-bins 4 -o g.json");
    assert!(
        run.stderr
            .contains("data: 3 of 6 positions were outside the box and are wrapped"),
        "{}",
        run.stderr
    );
    assert_eq!(folder.table("g.json").meta["samples"][0]["wrapped"], 3);
    let run = folder.good("count p.csv --wrap --box 10 --bins edges:0,1 -o c.json");
    assert!(run.stderr.contains("3 of 6"), "{}", run.stderr);
    let run = folder.good("rdf p.csv --box 40 --r-max 4 --n-bins 4 --where x>=0 -o g.json");
    assert!(!run.stderr.contains("wrapped"), "{}", run.stderr);
    assert_eq!(folder.table("g.json").meta["samples"][0]["wrapped"], 0);
    let run = folder.good("count p.csv --box 40,0,0,0,40,0,0,0,40 --bins edges:0,1 -o c.json");
    assert!(
        run.stderr.contains("1 of 6 positions were outside the box"),
        "{}",
        run.stderr
    );
}

#[test]
fn fewer_randoms_than_data_are_mentioned() {
    let folder = Folder::new()
        .with("d.csv", &scattered(50, 10.0, 1))
        .with("r.csv", &scattered(20, 10.0, 2));
    let few = |command: &str| folder.good(&format!("{command} --bins edges:1,9"));
    let run = few("xi d.csv --randoms r.csv");
    let parts = ["randoms: 20 rows, fewer than the 50 of data", "swapped"];
    assert!(warned(&run, &parts), "{}", run.stderr);
    let run = few("xi r.csv --randoms d.csv");
    assert!(!run.stderr.contains("WARN"), "{}", run.stderr);
    let run = few("xi r.csv --cross d.csv --randoms d.csv --cross-randoms r.csv");
    let parts = ["cross randoms: 20 rows, fewer than the 50 of cross"];
    assert!(warned(&run, &parts), "{}", run.stderr);
}

#[test]
fn pi_bins_that_leave_out_the_middle_are_mentioned() {
    let folder = Folder::new().with("d.csv", &scattered(50, 10.0, 1));
    let wp = |bins: &str| {
        let run = folder.good(&format!(
            "wp d.csv --box 10 --bins edges:0.5,2,4 --pi-bins {bins}"
        ));
        warned(&run, &["--pi-bins"])
    };
    assert!(wp("lin:1:4:3"));
    assert!(!wp("lin:0:4:4"));
    assert!(!wp("lin:-4:4:8"));
}

#[test]
fn the_box_of_the_file_is_used_by_every_command() {
    let folder = Folder::new();
    let (file, stated) = (sample("liquid_frame.parquet"), "attribute `BoxSize`");
    let count = |flags: &str| {
        let run = folder.good(&format!(
            "count {file} --bins edges:0,1,5 -o c.json {flags}"
        ));
        (integers(&folder.table("c.json"), "npairs"), run.stderr)
    };
    let (npairs, said) = count("");
    assert!(
        said.contains(stated) && said.contains("--box none"),
        "{said}"
    );
    assert_eq!(npairs, count("--box file").0);
    let (open, said) = count("--box none");
    assert!(open[1] < npairs[1], "{open:?} {npairs:?}");
    assert!(!said.contains("box"), "{said}");
    for command in [
        format!("xi {file} --bins edges:1,5"),
        format!("rdf {file} --r-max 5 --n-bins 5"),
        format!(
            "xi {file} --randoms {file} --randoms-every 2 --bins edges:1,5 --estimator natural"
        ),
    ] {
        let run = folder.good(&command);
        assert!(run.stderr.contains(stated), "{command}: {}", run.stderr);
    }
}

#[test]
fn conditions_that_are_asked_again_are_mentioned() {
    let rows = "frame,species,x,y,z\n0,O,1,1,1\n0,O,2,1,1\n1,O,1,1,1\n1,O,6,1,1\n";
    let folder = Folder::new()
        .with("same.csv", rows)
        .with("other.csv", &rows.replace("1,O,6", "1,H,6"));
    let call = "--box 20 --species none --bins edges:0,3 -o o.json --where x<5";
    let said = |run: &Run| {
        run.stderr
            .contains("so conditions are asked in every such frame")
    };
    let run = folder.good(&format!("rdf same.csv {call}"));
    assert!(!said(&run), "{}", run.stderr);
    assert_eq!(folder.table("o.json").meta["mean_particles"][0], 2.0);
    let run = folder.good(&format!("rdf other.csv {call}"));
    assert!(said(&run), "{}", run.stderr);
    assert_eq!(folder.table("o.json").meta["mean_particles"][0], 1.5);
    let run = folder.good(&format!("rdf other.csv {call} --update"));
    assert!(!said(&run), "{}", run.stderr);
}

#[test]
fn pairs_that_there_are_none_of_are_mentioned() {
    let rows = "species,x,y,z\nO,1,1,1\nO,2,1,2\nNa,1,3,3\n";
    let folder = Folder::new().with("f.csv", rows);
    let run = folder.good("rdf f.csv --box 20 --bins edges:0,3 -o o.json");
    let said = "INFO g is NaN in all bins of Na-Na: no frame has a pair for them";
    assert!(run.stderr.contains(said), "{}", run.stderr);
}

#[test]
fn a_field_says_its_frame_and_its_kernel() {
    let folder = Folder::new()
        .with("two.xyz", "1\none\nC 0 0 0\n1\ntwo\nC 0 0 1\n")
        .with("at.csv", "x,y,z\n0,0,0\n");
    let call = "field two.xyz --kernel gravity --cutoff 3 --at at.csv -o o.json";
    let run = folder.good(call);
    let said = "INFO two.xyz: frame 0, the first being 0, of 1 atoms";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let said = "INFO gravity, s(r) = (1 - r^2/3^2)^2: 1 sources";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    assert_eq!(
        folder.table("o.json").meta["term"],
        "gravity, s(r) = (1 - r^2/3^2)^2"
    );
    let run = folder.good(&format!("{call} --frame 1"));
    assert!(
        run.stderr.contains("two.xyz: frame 1, the first"),
        "{}",
        run.stderr
    );
}
