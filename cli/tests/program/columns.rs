//! Which columns and rows the program takes, and `albireo info`.

use crate::folder::{Folder, integers};

#[test]
fn guesses_are_reported() {
    let folder = Folder::new().with("g.csv", "id,RA,DEC,DIST\n1,0,0,10\n2,0,0,12\n");
    let run = folder.good("count g.csv --bins edges:1,3");
    assert!(
        run.stderr
            .contains("positions from the columns RA, DEC, DIST (sky and comoving distance)"),
        "{}",
        run.stderr
    );
    let quiet = folder.good("count g.csv --bins edges:1,3 --quiet");
    assert_eq!(quiet.stderr, "");
    assert!(quiet.stdout.contains("npairs"));
}

#[test]
fn redshifts_become_distances() {
    let folder = Folder::new().with("g.csv", "RA,DEC,Z\n0,0,0.1\n0,0,0.2\n");
    // 0.1 and 0.2 lie 292.8 and 571.6 Mpc/h away for om = 0.3 (flat).
    folder.good("count g.csv --cosmology om=0.3,ol=0.7 --bins edges:270,278,279,290 -o out.json");
    let table = folder.table("out.json");
    assert_eq!(integers(&table, "npairs").iter().sum::<u64>(), 1);
    assert_eq!(table.meta["unit"], "Mpc/h");
    assert_eq!(table.meta["cosmology"]["omega_m"], 0.3);
    let run = folder.run("count g.csv --bins edges:1,3");
    assert_eq!(run.code, 1);
    assert!(
        run.stderr
            .contains("redshifts (column `Z`) need --cosmology"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_named_cosmology_has_its_photons_and_neutrinos() {
    let folder = Folder::new().with("g.csv", "RA,DEC,Z\n0,0,0.1\n0,0,0.7\n");
    // astropy: (Planck18.comoving_distance(0.7) - Planck18.comoving_distance(0.1)) * Planck18.h = 1452.41081 Mpc/h;
    // without radiation it is 1453.5964.
    let bins = "--bins edges:1400,1452.410,1452.411,1500";
    folder.good(&format!(
        "count g.csv --cosmology planck18 {bins} -o out.json"
    ));
    let table = folder.table("out.json");
    assert_eq!(integers(&table, "npairs"), [0, 1, 0]);
    let cosmology = &table.meta["cosmology"];
    assert_eq!(
        (cosmology["name"].as_str(), cosmology["h"].as_f64()),
        (Some("Planck18"), Some(0.6766))
    );
    assert_eq!(cosmology["m_nu"].as_array().unwrap().len(), 3);
    assert_eq!(table.meta["unit"], "Mpc/h");
    let same = "om=0.30966,h=0.6766,tcmb=2.7255,neff=3.046,mnu=0:0:0.06";
    folder.good(&format!(
        "count g.csv --cosmology {same} {bins} -o same.json"
    ));
    assert_eq!(integers(&folder.table("same.json"), "npairs"), [0, 1, 0]);
    assert!(
        folder.table("same.json").meta["cosmology"]
            .get("name")
            .is_none()
    );
    folder.good(&format!(
        "count g.csv --cosmology om=0.30966 {bins} -o plain.json"
    ));
    assert_eq!(integers(&folder.table("plain.json"), "npairs"), [0, 0, 1]);
    for (wrong, part) in [
        ("Planck16", "Planck18, Planck15"),
        ("om=0.3,h=67", "H0 / (100 km/s/Mpc)"),
        ("om=0.3,tcmb=2.7,neff=3", "needs h"),
    ] {
        let run = folder.run(&format!("count g.csv --cosmology {wrong} {bins}"));
        assert!(run.code != 0 && run.stderr.contains(part), "{}", run.stderr);
    }
}

#[test]
fn rows_are_selected_by_a_condition() {
    let folder = Folder::new().with(
        "m.csv",
        "species,x,y,z\nO,0,0,0\nH,1,0,0\nO,0,2,0\nH,0,2.5,0\n",
    );
    let run = |arguments: &[&str]| {
        let run = folder.run_with(
            &[
                &["count", "m.csv", "--bins", "edges:0,10", "-o", "out.json"],
                arguments,
            ]
            .concat(),
        );
        assert_eq!(run.code, 0, "{}", run.stderr);
        let table = folder.table("out.json");
        (
            integers(&table, "npairs")[0],
            table.meta["samples"][0]["rows_used"].clone(),
        )
    };
    assert_eq!(run(&["--where", "species == \"O\""]), (1, 2.into()));
    assert_eq!(
        run(&["--where", "species == \"O\" || x > 0.5"]),
        (3, 3.into())
    );
    let cross = run(&[
        "--where",
        "species == \"O\"",
        "--second-where",
        "species == \"H\"",
    ]);
    assert_eq!(cross, (4, 2.into()));
}

#[test]
fn flags_of_the_second_file_replace_those_of_the_first() {
    let folder = Folder::new()
        .with("d.csv", "a,b,c,w\n0,0,0,2\n")
        .with("r.csv", "x,y,z\n0,0,1\n");
    folder.good("count d.csv r.csv --positions a,b,c --weight w --randoms-positions x,y,z --randoms-weight none --bins edges:0,2 -o out.json");
    let table = folder.table("out.json");
    assert_eq!(crate::folder::floats(&table, "weight"), [2.0]);
    let run = folder.run("count d.csv r.csv --positions a,b,c --bins edges:0,2");
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("no column `a`") && run.stderr.contains("`x`, `y`, `z`"),
        "{}",
        run.stderr
    );
}

#[test]
fn info_shows_columns_and_their_ranges() {
    let folder = Folder::new().with("g.csv", "x,name\n1.5,a\nnan,b\n-3,c\n");
    let run = folder.good("info g.csv");
    let x = run
        .stdout
        .lines()
        .find(|line| line.trim_start().starts_with("x "))
        .unwrap();
    let fields: Vec<&str> = x.split_whitespace().collect();
    assert_eq!(
        fields[2..],
        ["-", "3", "-3", "1.5", "1", "0"],
        "{}",
        run.stdout
    );
    assert!(run.stdout.starts_with("g.csv: text"), "{}", run.stdout);
}

#[test]
fn shells_get_their_completions() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            folder
                .good(&format!("completions {shell}"))
                .stdout
                .contains("pi-bins"),
            "{shell}"
        );
    }
}
