//! `albireo completeness`, and its classes looked up.

use crate::folder::{Folder, floats, integers};

/// Six objects in two classes, with bits of four of 64 realisations.
const FULL: &str = "NTILE,LOCATION_ASSIGNED,BITS,PROB_OBS,W\n\
    2,1,15,0.5,1\n2,0,1,0.25,3\n7,1,-1,1,2\n7,0,0,0,4\n7,1,0,0,6\n2,1,1,1,5\n";

#[test]
fn classes_have_their_missing_power() {
    let folder = Folder::new().with("full.csv", FULL);
    folder.good("completeness full.csv --by NTILE --bits BITS --mean W --mean twice=2*W -o f.json");
    let table = folder.table("f.json");
    assert_eq!(integers(&table, "NTILE"), [2, 7]);
    assert_eq!(integers(&table, "N"), [3, 3]);
    assert_eq!(integers(&table, "assigned"), [2, 2]);
    // 65/(c + 1) for c set bits of 64.
    assert_eq!(floats(&table, "iip"), [65.0 / 5.0 + 65.0 / 2.0, 1.0 + 65.0]);
    assert_eq!(
        floats(&table, "missing"),
        [1.0 - 45.5 / 3.0, 1.0 - 66.0 / 3.0]
    );
    assert_eq!(floats(&table, "zero_probability"), [0.0, 1.0 / 3.0]);
    assert_eq!(floats(&table, "mean"), [3.0, 4.0]);
    assert_eq!(floats(&table, "twice"), [6.0, 8.0]);
    assert_eq!(table.meta["result"], "completeness by class");

    let by_share = "completeness full.csv --by NTILE --realizations 4 -o p.json";
    folder.good(&format!("{by_share} --where W<6"));
    let table = folder.table("p.json");
    assert_eq!(floats(&table, "iip"), [5.0 / 3.0 + 1.0, 1.0]);
    assert_eq!(integers(&table, "N"), [3, 2]);
    folder.good(&format!("{by_share} --assigned all --overwrite"));
    assert_eq!(integers(&folder.table("p.json"), "assigned"), [3, 3]);
    folder.good(&format!("{by_share} --assigned W>1&&W<5 --overwrite"));
    assert_eq!(integers(&folder.table("p.json"), "assigned"), [1, 2]);
}

#[test]
fn classes_are_looked_up_by_whole_numbers() {
    let folder = Folder::new()
        .with("f.csv", "NTILE,missing\n2,0.25\n39627600000001001,0.5\n")
        .with(
            "g.csv",
            "x,y,z,NTILE,TILES\n0,0,0,2,2\n1,0,0,2,39627600000001001\n2,0,0,5,39627600000001000\n3,0,0,2,2\n",
        );
    let weights = |weight: &str, rest: &str| {
        let words = ["count", "g.csv", "--bins", "edges:0,30", "--weight", weight];
        let rest: Vec<&str> = rest.split_whitespace().collect();
        let run = folder.run_with(&[&words[..], &["-o", "out.json"], &rest].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let sum = &folder.table("out.json").meta["samples"][0]["weight_sum"];
        (sum.as_f64().unwrap(), run.stderr)
    };
    let (sum, said) = weights("lookup('f.csv', '1 - missing', NTILE)", "");
    assert_eq!(sum, 3.0 * 0.75 + 1.0);
    assert!(
        said.contains("f.csv: 1 rows of 1 classes that column `NTILE` does not have (5) got 1"),
        "{said}"
    );
    // Keys beyond 2^53 are exact; rows that are not kept are not looked up.
    let by_tiles = "lookup('f.csv', 'missing', 'NTILE', TILES)";
    let (sum, said) = weights(by_tiles, "");
    assert_eq!(sum, 0.25 + 0.5 + 1.0 + 0.25);
    assert!(said.contains("(39627600000001000) got 1"), "{said}");
    let (sum, said) = weights(by_tiles, "--where x!=2");
    assert_eq!(sum, 1.0);
    assert!(!said.contains("does not have"), "{said}");
}

#[test]
fn a_job_makes_what_its_expressions_look_up() {
    let full = "NTILE,PROB_OBS,LOCATION_ASSIGNED\n1,0.5,1\n1,0.5,0\n2,1,1\n";
    let job = "[count.pairs]\ndata = 'g.csv'\nbins = 'edges:0,30'\nweight = \"lookup('f.csv', '1 - missing', NTILE)\"\noutput = 'pairs.json'\n\
               [completeness.classes]\nfull = 'full.csv'\nby = 'NTILE'\noutput = 'f.csv'\n";
    let folder = Folder::new()
        .with("full.csv", full)
        .with("g.csv", "x,y,z,NTILE\n0,0,0,1\n1,0,0,2\n")
        .with("job.toml", job);
    let weight_sum = || {
        folder.good("run job.toml -q");
        let sample = folder.table("pairs.json").meta["samples"][0].clone();
        let hash = sample["functions"][0]["sha256"].as_str().unwrap();
        let written = albireo_catalogs::sha256(&folder.path("f.csv")).unwrap();
        assert_eq!(
            (hash, &sample["functions"][0]["file"]),
            (written.as_str(), &"f.csv".into())
        );
        sample["weight_sum"].as_f64().unwrap()
    };
    // (128 + 1)/(64 + 1) for two objects, and 1 for one.
    let first = weight_sum();
    assert!(
        (first - (129.0 / 65.0 / 2.0 + 1.0)).abs() < 1e-14,
        "{first}"
    );
    // The table is older than its catalogue now, and the count than the table.
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(folder.path("full.csv"), full.replace("1,0.5,0\n", "")).unwrap();
    let second = weight_sum();
    assert!((second - (129.0 / 65.0 + 1.0)).abs() < 1e-14, "{second}");
}

/// What was made of the full catalogue of a survey by its makers' formulas, where `ALBIREO_TEST_DATA` has it.
#[cfg(feature = "fits")]
#[test]
#[allow(clippy::print_stderr, reason = "a skipped test has to say so")]
fn a_survey_misses_what_its_makers_say() {
    let Some(data) = std::env::var_os("ALBIREO_TEST_DATA").map(std::path::PathBuf::from) else {
        eprintln!("skipped: ALBIREO_TEST_DATA does not name the folder of the reference data");
        return;
    };
    let data = data.join("entrance");
    let Ok(expected) = std::fs::read_to_string(data.join("desi.json")) else {
        eprintln!("skipped: {} has no desi.json", data.display());
        return;
    };
    let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
    let full = data.join("desi/LRG_full_HPmapcut.dat.fits");
    let folder = Folder::new();
    for (name, bits) in [("bits.json", "--bits BITWEIGHTS"), ("share.json", "")] {
        folder.good(&format!(
            "completeness {} --by NTILE {bits} -o {name}",
            full.display()
        ));
        let table = folder.table(name);
        let missing = floats(&table, "missing");
        let classes = integers(&table, "NTILE");
        assert_eq!(classes, [1, 2, 3, 4, 5, 6, 7]);
        for (class, found) in classes.iter().zip(missing) {
            let of_class = &expected["missing power by NTILE"][class.to_string()];
            let off = found - of_class.as_f64().unwrap();
            assert!(off.abs() < 1e-12, "{name}, {class}: {off}");
        }
        let of_all = &expected["LRG_full_HPmapcut.dat"];
        let sum = |column: &str| integers(&table, column).iter().sum::<u64>();
        assert_eq!(Some(sum("N")), of_all["rows"].as_u64());
        assert_eq!(Some(sum("assigned")), of_all["assigned"].as_u64());
    }
}
