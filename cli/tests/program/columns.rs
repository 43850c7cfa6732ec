//! Which columns and rows the program takes, and `albireo info`.

use crate::folder::{Folder, integers, scattered};

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
}

#[test]
fn columns_and_conditions_are_expressions() {
    let rows = "x,y,z,w,fkp,flag,kind\n0,0,0,2,0.5,4,LRG\n1,0,0,3,1,0,LRG\n2,0,0,5,2,8,ELG\n3,0,0,7,1,12,LRG\n";
    let folder = Folder::new().with("g.csv", rows);
    let run = |more: &[&str]| {
        let count = [
            "count",
            "g.csv",
            "--positions",
            "2*x,y,z",
            "--bins",
            "edges:1,3,5,7",
            "-o",
            "o.json",
        ];
        let run = folder.run_with(&[&count[..], more].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        folder.table("o.json")
    };
    assert_eq!(integers(&run(&[]), "npairs"), [3, 2, 1]);
    let table = run(&[
        "--weight",
        "w*fkp",
        "--where",
        "flag & 8 == 0 or kind in ('ELG')",
    ]);
    assert_eq!(integers(&table, "npairs"), [2, 1, 0]);
    let sample = &table.meta["samples"][0];
    assert_eq!(
        (sample["weight"].as_str(), sample["weight_sum"].as_f64()),
        (Some("w*fkp"), Some(14.0))
    );
    // w is 2, 3, 5 and 7 where x is 0, 1, 2 and 3.
    let table = run(&["--where", "not (w > 2 + x) && x < 10/3"]);
    assert_eq!(table.meta["samples"][0]["rows_used"], 2);
}

#[test]
fn several_files_are_one_sample() {
    let folder = Folder::new()
        .with("g_1.csv", "x,y,z\n0,0,0\n1,0,0\n")
        .with("g_2.csv", "w x y z\n1 3 0 0\n")
        .with("g_10.csv", "x\ty\tz\n7\t0\t0\n9\t9\t9\n")
        .with("all.csv", "x,y,z\n0,0,0\n1,0,0\n7,0,0\n9,9,9\n3,0,0\n")
        .with("r.csv", "x,y,z\n0,1,0\n1,0,1\n")
        .with("sky.csv", "RA,DEC,DIST\n0,0,10\n");
    let bins = "--bins edges:0.5,1.5,2.5,3.5,4.5,5.5,6.5,7.5,20";
    folder.good(&format!("count g_*.csv {bins} -o many.json"));
    folder.good(&format!("count all.csv {bins} -o one.json"));
    let (many, one) = (folder.table("many.json"), folder.table("one.json"));
    assert_eq!(integers(&many, "npairs"), integers(&one, "npairs"));
    assert_eq!(integers(&many, "npairs").iter().sum::<u64>(), 10);
    let sample = &many.meta["samples"][0];
    assert_eq!(
        (sample["rows_read"].as_u64(), sample["rows_used"].as_u64()),
        (Some(5), Some(5))
    );
    let files = sample["files"].as_array().unwrap();
    let names: Vec<_> = files
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["g_1.csv", "g_10.csv", "g_2.csv"]);
    assert!(
        files
            .iter()
            .all(|file| file["sha256"].as_str().unwrap().len() == 64)
    );
    // Further files behind the first, and randoms again and again.
    let xi =
        format!("xi g_1.csv g_10.csv g_2.csv --randoms all.csv --randoms r.csv {bins} -o xi.json");
    folder.good(&xi);
    let samples = &folder.table("xi.json").meta["samples"];
    assert_eq!(
        (
            samples[0]["rows_used"].as_u64(),
            samples[1]["rows_used"].as_u64()
        ),
        (Some(5), Some(7))
    );
    folder.good(&format!("count g_*.csv --where x<2 {bins}"));
}

#[test]
fn rows_are_selected_by_number() {
    let folder = Folder::new().with("g.csv", "x,y,z\n0,0,0\n1,0,0\n2,0,0\n3,0,0\n4,0,0\n5,0,0\n");
    let used = |flags: &str| {
        folder.good(&format!("count g.csv --bins edges:0.5,9 {flags} -o o.json"));
        folder.table("o.json").meta["samples"][0]["rows_used"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(used("--rows 1:5"), 4);
    assert_eq!(folder.table("o.json").meta["samples"][0]["rows"], "1:5");
    assert_eq!(used("--rows 1: --every 2"), 3);
    assert_eq!(used("--every 4"), 2);
    assert_eq!(used("--rows 1:5 --where x!=2"), 3);
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
        "--cross-where",
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

#[test]
fn manuals_have_a_page_for_each_subcommand() {
    let folder = Folder::new();
    folder.good("man share/man1");
    let page = |name: &str| std::fs::read_to_string(folder.path(&format!("share/man1/{name}.1")));
    assert!(page("albireo-xi").unwrap().contains("mu\\-bins"));
    assert!(page("albireo-result-combine").is_ok() && page("albireo").is_ok());
    assert!(page("albireo-help").is_err() && page("albireo-tuning").is_err());
}

#[test]
fn rows_are_those_of_the_first_sample_alone() {
    let folder = Folder::new()
        .with("d.csv", &scattered(40, 10.0, 1))
        .with("r.csv", &scattered(60, 10.0, 2))
        .with(
            "s.csv",
            "RA,DEC,Z\n10,0,0.1\n11,0,0.2\n12,0,0.1\n13,0,0.2\n",
        )
        .with("t.csv", "RA,DEC,Z\n10,0,0.1\n11,0,0.2\n12,0,0.1\n");
    let bins = "--bins lin:0:2:2 --box 10";
    let pi = "--pi-bins lin:0:2:2";
    let area = "--area 9 --cosmology Planck18";
    for (command, used) in [
        (format!("count d.csv r.csv {bins} --every 2"), &[20, 60][..]),
        (format!("count d.csv r.csv {bins} --rows 5:8"), &[3, 60]),
        (
            format!("count d.csv r.csv {bins} --every 2 --cross-rows :30 --cross-every 3"),
            &[20, 10],
        ),
        // Another part of the first file.
        (
            format!("count d.csv {bins} --every 2 --cross-rows 0:9"),
            &[20, 9],
        ),
        (
            format!("xi d.csv --randoms r.csv {bins} --every 2"),
            &[20, 60],
        ),
        (
            format!("xi d.csv --randoms r.csv {bins} --rows :10 --randoms-every 2"),
            &[10, 30],
        ),
        (
            format!("xi d.csv --cross r.csv {bins} --every 2 --cross-every 4"),
            &[20, 15],
        ),
        (
            format!("wp d.csv --randoms r.csv {bins} {pi} --every 2"),
            &[20, 60],
        ),
        (
            "rdf d.csv r.csv --box 10 --r-max 4 --n-bins 2 --every 2".to_owned(),
            &[20, 60],
        ),
        (
            format!("nz s.csv --randoms t.csv {area} --every 2"),
            &[2, 3],
        ),
    ] {
        folder.good(&format!("{command} -o out.json"));
        let samples = &folder.table("out.json").meta["samples"];
        let samples = samples.as_array().unwrap().iter();
        let found: Vec<_> = samples.map(|s| s["rows_used"].as_u64().unwrap()).collect();
        assert_eq!(found, used, "{command}");
    }
    let field = "field d.csv --kernel gravity --box 10 --cutoff 3 --r-min 0.2 --at r.csv";
    folder.good(&format!("{field} --every 2 -o v.json"));
    let values = folder.table("v.json");
    assert_eq!(
        (values.meta["sources"].as_u64(), values.rows()),
        (Some(20), 60)
    );
    for command in ["count", "xi", "wp", "rdf", "nz", "field", "randoms"] {
        let help = folder.good(&format!("{command} --help")).stdout;
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for flag in [
            "Use rows A to B-1 of each file (0-based)",
            "Use every N-th row only",
        ] {
            let rule = format!("{flag}, of the first sample alone, before --where");
            assert!(help.contains(&rule), "{command}: {flag}");
        }
    }
}
