//! Records: when, where and by what build a result was made, and of which files.

use serde_json::json;

use crate::folder::Folder;

/// SHA-256 of `TRAJECTORY`, `TOPOLOGY` and `BONDS`, by sha256sum.
const DIGESTS: [&str; 3] = [
    "c7f106f80d2bd43cb44bf7d470fa697873fdf7b277049aa97a1789a623c82f03",
    "2a53813494f858eb910d746fcb08136a8b192b95da33faa0eff1bb843c3c56d9",
    "6cf793e4a8bc99b510d63b860b9d6791f027a4b3cc474c958b8e5932610a598b",
];

const TRAJECTORY: &str =
    "frame,x,y,z\n0,1,1,1\n0,2,1,1\n0,3,1,2\n0,3,3,2\n1,1,1,1\n1,2,1.5,1\n1,3,1,2\n1,3,3,2\n";
const TOPOLOGY: &str = "frame,x,y,z,species\n0,1,1,1,A\n0,2,1,1,B\n0,3,1,2,A\n0,3,3,2,B\n";
const BONDS: &str = "a,b\n0,1\n";

#[test]
fn a_trajectory_is_known_by_its_record() {
    let folder = Folder::new()
        .with("t.csv", TRAJECTORY)
        .with("top.csv", TOPOLOGY)
        .with("bonds.csv", BONDS);
    folder.good(
        "rdf t.csv --topology top.csv --exclude-pairs bonds.csv --box 10,10,12 --unit nm --where x>0 --select all=x<9 --update \
         --r-max 4 --n-bins 2 -o g.json",
    );
    let made = folder.table("g.json");
    let meta = &made.meta;
    let [trajectory, topology, bonds] = DIGESTS;
    assert_eq!(
        meta["sha256"],
        json!({"bonds.csv": bonds, "t.csv": trajectory, "top.csv": topology})
    );
    assert_eq!(meta["topology"], "top.csv");
    assert_eq!(
        meta["selections"],
        json!({"select": {"all": "x<9"}, "update": true, "where": "x>0"})
    );
    assert_eq!(meta["exclusions"], json!({"bonds": "bonds.csv"}));
    assert_eq!(
        meta["box"],
        json!({"kind": "periodic", "lengths": [10.0, 10.0, 12.0], "source": "--box"})
    );
    assert_eq!(meta["unit"], "nm");
    // Made again from its record.
    std::fs::copy(folder.path("g.json"), folder.path("old.json")).unwrap();
    std::fs::remove_file(folder.path("g.json")).unwrap();
    folder.good("run old.json");
    let again = folder.table("g.json");
    assert_eq!(again.columns, made.columns);
    assert_eq!(again.meta["sha256"], made.meta["sha256"]);
}

#[test]
fn records_tell_when_and_where_they_were_made() {
    let folder = Folder::new().with("a.csv", "x,y,z\n1,1,1\n2,1,1\n");
    let now = || {
        let said = std::process::Command::new("date")
            .args(["-u", "+%FT%TZ"])
            .output();
        said.map_or(String::new(), |said| {
            String::from_utf8(said.stdout).unwrap().trim().to_owned()
        })
    };
    let before = now();
    folder.good("count a.csv --box 10 --bins lin:0:2:2 -o c.json");
    let meta = folder.table("c.json").meta;
    let date = meta["date"].as_str().unwrap();
    let shape: String = date
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(shape, "0000-00-00T00:00:00Z");
    if cfg!(target_os = "linux") {
        assert!(before.as_str() <= date && date <= now().as_str(), "{date}");
        assert!(!meta["host"].as_str().unwrap().is_empty());
    }
    // No build outside of a git folder names a commit.
    if let Some(commit) = meta.get("commit") {
        let commit = commit.as_str().unwrap();
        assert!(commit.len() >= 7 && commit.chars().all(|c| c.is_ascii_hexdigit()));
    }
    // What is to be the same bytes each time is.
    folder.good("randoms -n 5 --box 3 --seed 1 -o r.ecsv");
    assert!(!folder.table("r.ecsv").meta.contains_key("date"));
}
