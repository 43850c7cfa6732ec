//! `run`: simulations, fields and random points as steps of a job.

use std::time::SystemTime;

use crate::folder::Folder;

const MELT: &str = r#"
[rdf.g]
data = "melt_{seed}.xyz"
r-max = 2
n-bins = 10
output = "g_{seed}.csv"
[md.melt]
atoms = 108
density = 0.8
temperature = 1.2
steps = 20
every = 10
seed = "{seed}"
trajectory = "melt_{seed}.xyz"
trajectory-every = 10
checkpoint = "melt_{seed}.saved"
output = "melt_{seed}.csv"
[sweep]
seed = [1, 2]
"#;

const MAPS: &str = r#"
[field]
file = "r.csv"
box = 10
[field.map]
kernel = "cic"
spacing = 2
output = "map.{format}"
[field.at]
kernel = "top-hat"
radius = 2
at = "at.csv"
output = "values.csv"
[randoms]
box = 10
[randoms.points]
number = 200
output = "r.csv"
[randoms.places]
number = 9
seed = 5
output = "at.csv"
[random.numbers]
number = 3
output = "numbers.csv"
[sweep]
format = ["npy", "h5"]
"#;

fn job(text: &str) -> Folder {
    Folder::new().with("job.toml", text)
}

fn times<const N: usize>(folder: &Folder, names: [&str; N]) -> [SystemTime; N] {
    names.map(|name| folder.path(name).metadata().unwrap().modified().unwrap())
}

/// Runs the job and says how many of its steps were done already.
fn done(folder: &Folder) -> usize {
    let said = folder.good("run job.toml").stderr;
    let line = said.lines().find(|line| line.contains("done already"));
    let number = line.map(|line| line.split_whitespace().nth(1).unwrap());
    number.map_or(0, |number| number.parse().unwrap())
}

fn change(folder: &Folder, from: &str, to: &str) {
    let text = folder.text("job.toml");
    assert!(text.contains(from), "{from}");
    std::fs::write(folder.path("job.toml"), text.replace(from, to)).unwrap();
}

#[test]
fn simulations_come_before_what_reads_their_frames() {
    let folder = job(MELT);
    let made = folder.good("run job.toml");
    let printed: Vec<&str> = made.stdout.lines().collect();
    assert_eq!(printed.len(), 4, "{}", made.stdout);
    let first: Vec<&str> = printed
        .iter()
        .map(|line| &line[..line.find(':').unwrap()])
        .collect();
    assert_eq!(first, ["melt_1.csv", "g_1.csv", "melt_2.csv", "g_2.csv"]);
    assert_eq!(folder.table("melt_1.csv").rows(), 3);
    assert_eq!(folder.table("g_1.csv").meta["frames"], 3);
    assert!(!folder.path("melt_1.saved").exists());
    assert_ne!(folder.bytes("melt_1.xyz"), folder.bytes("melt_2.xyz"));
    let names = [
        "melt_1.csv",
        "melt_1.xyz",
        "melt_2.xyz",
        "g_1.csv",
        "g_2.csv",
    ];
    let before = times(&folder, names);
    assert_eq!(done(&folder), 4);
    assert_eq!(times(&folder, names), before);
}

#[test]
fn simulations_are_made_again_when_something_of_them_changes() {
    let folder = job(MELT);
    folder.good("run job.toml");
    change(&folder, "[1, 2]", "[1, 3]");
    assert_eq!(done(&folder), 2, "another seed");
    std::fs::remove_file(folder.path("melt_3.xyz")).unwrap();
    assert_eq!(done(&folder), 2, "the frames are gone");
    change(&folder, "r-max = 2", "r-max = 1.5");
    assert_eq!(done(&folder), 2, "other bins");
    change(&folder, "steps = 20", "steps = 30");
    assert_eq!(
        done(&folder),
        0,
        "more steps, and frames that are newer than g(r)"
    );
    assert_eq!(folder.table("g_3.csv").meta["frames"], 4);
    assert_eq!(done(&folder), 4);
}

#[test]
fn maps_come_after_the_points_that_they_are_of() {
    let folder = job(MAPS);
    let list = folder.good("run job.toml --list").stdout;
    let starts: Vec<&str> = list
        .lines()
        .map(|line| line.split(' ').nth(1).unwrap())
        .collect();
    assert_eq!(
        starts,
        ["randoms", "randoms", "field", "field", "random", "field"],
        "{list}"
    );
    let printed = folder.good("run job.toml").stdout;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 4, "a line for each table: {printed}");
    assert!(
        lines[0].starts_with("r.csv: ") && lines[0].contains("200 rows"),
        "{printed}"
    );
    assert_eq!(folder.table("values.csv").rows(), 9);
    assert_eq!(folder.table("numbers.csv").rows(), 3);
    let names = ["map.npy", "map.h5", "values.csv", "r.csv", "numbers.csv"];
    let before = times(&folder, names);
    assert_eq!(done(&folder), 6);
    assert_eq!(times(&folder, names), before);
    let map = folder.bytes("map.npy");
    change(&folder, "number = 200", "number = 200\nseed = 7");
    assert_eq!(done(&folder), 2, "the places and the numbers");
    assert_ne!(folder.bytes("map.npy"), map);
    change(&folder, "radius = 2", "radius = 3");
    assert_eq!(done(&folder), 5);
    // A map is made again from its record, and says which job it comes from.
    let map = folder.bytes("map.h5");
    let text = folder.good("run map.h5 --show-job").stdout;
    assert!(
        text.contains("seed = 7") && text.contains("radius = 2"),
        "{text}"
    );
    std::fs::write(folder.path("copy.h5"), &map).unwrap();
    std::fs::remove_file(folder.path("map.h5")).unwrap();
    folder.good("run copy.h5");
    let again = folder.bytes("map.h5");
    // The values, behind a record without a job.
    assert_eq!(again[again.len() - 8 * 125..], map[map.len() - 8 * 125..]);
}

#[test]
fn maps_that_do_not_say_how_they_were_made_are_made_again() {
    let folder = job(MAPS);
    change(&folder, "[\"npy\", \"h5\"]", "[\"dx\"]");
    folder.good("run job.toml");
    let before = times(&folder, ["map.dx", "values.csv"]);
    let said = folder.good("run job.toml").stderr;
    assert!(said.contains("[field.map (format = dx)] is made again: none of its files says by which command it was made"), "{said}");
    assert!(said.contains("4 of 5 were done already"), "{said}");
    let after = times(&folder, ["map.dx", "values.csv"]);
    assert!(after[0] > before[0] && after[1] == before[1]);
    let refused = folder.run("run map.dx");
    assert_eq!(refused.code, 1);
    let words =
        "map.dx: grids as .dx and .cube do not say how they were made; those as .h5 and .npy do";
    assert!(refused.stderr.contains(words), "{}", refused.stderr);
}
