//! `run`: a whole analysis from one file, what is done left alone, a result made again.

use crate::folder::{Folder, scattered};

const JOB: &str = r#"
weight = "none"
[xi]
bins = "lin:0:3:6"
box = 10
data = "a{n}.csv"
[xi.each]
output = "xi{n}.csv"
[xi.poles]
statistic = "s-mu"
bins = [0, 1, 2, 4]
mu-bins = "lin:0:1:4"
multipoles = [0, 2]
counts = "grid{n}.json"
output = "poles{n}.json"
[rdf.whole]
data = "a1.csv"
box = 10
bins = "lin:0:2:4"
output = "g.ecsv"
[sweep]
n = "1:2"
"#;

fn folder() -> Folder {
    Folder::new()
        .with("a1.csv", &scattered(60, 10.0, 1))
        .with("a2.csv", &scattered(70, 10.0, 2))
        .with("job.toml", JOB)
}

#[test]
fn a_job_gives_what_its_command_lines_give() {
    let folder = folder();
    let list = folder.good("run job.toml --list").stdout;
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 5, "{list}");
    assert!(lines[0].starts_with("albireo xi a1.csv --output xi1.csv --bins lin:0:3:6"));
    assert!(!folder.path("xi1.csv").exists(), "listing runs nothing");
    folder.good("run job.toml");
    for (line, output) in
        lines
            .iter()
            .zip(["xi1.csv", "poles1.json", "g.ecsv", "xi2.csv", "poles2.json"])
    {
        let made = folder.table(output);
        std::fs::remove_file(folder.path(output)).unwrap();
        let arguments = line.strip_prefix("albireo ").unwrap();
        let arguments = arguments.replace(" --weight none", " --weight=none");
        folder.good(&arguments);
        assert_eq!(folder.table(output).columns, made.columns, "{line}");
    }
}

#[test]
fn measurements_of_the_same_samples_read_them_once() {
    let folder = folder();
    let said = folder.good("run job.toml -v").stderr;
    // The multipoles at each of two points of the sweep; g(r) asks for other positions.
    let again = said.matches("have been read already").count();
    assert_eq!(again, 2, "{said}");
    let job = "[xi]\nbox = 10\nbins = 'lin:0:3:6'\n[xi.a]\ndata = 'a1.csv'\noutput = 'a2.csv'\n[xi.b]\ndata = 'a1.csv'\n";
    std::fs::write(folder.path("two.toml"), job).unwrap();
    let said = folder.good("run two.toml -v").stderr;
    assert_eq!(said.matches("have been read already").count(), 1, "{said}");
}

#[test]
fn what_is_done_is_left_alone_until_something_changes() {
    let folder = folder();
    folder.good("run job.toml");
    let time = |name: &str| folder.path(name).metadata().unwrap().modified().unwrap();
    let names = ["xi1.csv", "xi2.csv", "grid1.json", "poles2.json", "g.ecsv"];
    let before = names.map(time);
    let again = folder.good("run job.toml");
    assert_eq!(names.map(time), before);
    assert!(
        again.stderr.contains("5 of 5 were done already"),
        "{}",
        again.stderr
    );
    // A missing result, another setting, a newer catalog.
    std::fs::remove_file(folder.path("grid1.json")).unwrap();
    let said = folder.good("run job.toml").stderr;
    assert!(said.contains("4 of 5 were done already"), "{said}");
    std::fs::write(
        folder.path("job.toml"),
        JOB.replace("lin:0:2:4", "lin:0:2:5"),
    )
    .unwrap();
    let said = folder.good("run job.toml").stderr;
    assert!(said.contains("4 of 5 were done already"), "{said}");
    std::fs::write(folder.path("a2.csv"), scattered(71, 10.0, 2)).unwrap();
    let said = folder.good("run job.toml").stderr;
    assert!(said.contains("3 of 5 were done already"), "{said}");
    let said = folder.good("run job.toml --again").stderr;
    assert!(!said.contains("done already"), "{said}");
}

#[test]
fn a_result_is_made_again_from_its_record() {
    let folder = folder();
    folder.good(
        "xi a1.csv --box 10 --bins lin:0:3:6 --where 'x>1' -o kept.csv"
            .replace('\'', "")
            .as_str(),
    );
    let made = folder.table("kept.csv");
    let record = std::fs::read(folder.path("kept.csv.json")).unwrap();
    std::fs::write(
        folder.path("copy.csv"),
        std::fs::read(folder.path("kept.csv")).unwrap(),
    )
    .unwrap();
    std::fs::write(folder.path("copy.csv.json"), record).unwrap();
    std::fs::remove_file(folder.path("kept.csv")).unwrap();
    folder.good("run copy.csv");
    assert_eq!(folder.table("kept.csv").columns, made.columns);
}

#[test]
fn a_job_is_refused_whole_before_it_begins() {
    for (change, words) in [
        (
            ("lin:0:2:4", "lin:0:2"),
            "job.toml, line 16: [rdf.whole]: invalid value 'lin:0:2' for '--bins",
        ),
        (("n = \"1:2\"", "m = \"1:2\""), "there is no `n` in [sweep]"),
        (("xi{n}.csv", "xi.csv"), "both write xi.csv"),
        (
            ("[xi.each]", "[xi.each]\nstatistics = 3"),
            "xi takes no `statistics`",
        ),
        (
            ("box = 10", "box = true"),
            "box: expected a value, found true",
        ),
        (
            ("weight = \"none\"", "weihgt = \"none\""),
            "no measurement of this job takes `weihgt`",
        ),
        (("[rdf.whole]", "[rdf.whole"), "job.toml, line 16"),
        (
            ("mu-bins = \"lin:0:1:4\"", "mu-bins = \"lin:0:1\""),
            "--mu-bins",
        ),
    ] {
        let folder = folder();
        std::fs::write(folder.path("job.toml"), JOB.replacen(change.0, change.1, 1)).unwrap();
        let run = folder.run("run job.toml");
        assert_eq!(run.code, 2, "{change:?}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{change:?}: {}", run.stderr);
        assert_eq!(run.stderr.trim_end().lines().count(), 1, "{}", run.stderr);
        assert_eq!(
            folder.names(),
            ["a1.csv", "a2.csv", "job.toml"],
            "{change:?}"
        );
    }
    let folder = folder();
    for (arguments, words) in [
        ("run missing.toml", "missing.toml"),
        ("run missing.csv", "missing.csv"),
        ("run a1.csv", "a1.csv"),
        ("run", "JOB|RESULT"),
    ] {
        let run = folder.run(arguments);
        assert_ne!(run.code, 0, "{arguments}");
        assert!(run.stderr.contains(words), "{arguments}: {}", run.stderr);
    }
}
