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
    let job = "[xi]\nbox = 10\nbins = 'lin:0:3:6'\n[xi.a]\ndata = 'a1.csv'\noutput = 'xi.csv'\n[xi.b]\ndata = 'a1.csv'\n";
    std::fs::write(folder.path("two.toml"), job).unwrap();
    let said = folder.good("run two.toml -v").stderr;
    assert_eq!(said.matches("have been read already").count(), 1, "{said}");
}

const MOCKS: &str = r#"
[sweep]
mock = "1:4"
[result.covariance.poles]
results = "poles_{mock:all}.csv"
output = "cov.ecsv"
singular = true
[xi]
data = "m{mock}.csv"
randoms = "r.csv"
weight = "none"
statistic = "s-mu"
bins = "lin:0:3:3"
mu-bins = "lin:0:1:4"
[xi.poles]
multipoles = [0, 2]
output = "poles_{mock}.csv"
[xi.grid]
output = "smu_{mock}.csv"
"#;

/// Four mocks, their randoms and the job.
fn mocks() -> Folder {
    let folder = Folder::new()
        .with("r.csv", &scattered(150, 10.0, 9))
        .with("job.toml", MOCKS);
    (1..=4).fold(folder, |folder, mock| {
        folder.with(&format!("m{mock}.csv"), &scattered(40 + mock, 10.0, mock))
    })
}

#[test]
fn counts_are_made_once_for_all_measurements_of_a_job() {
    let folder = mocks();
    let run = folder.good("run job.toml -v");
    let said = &run.stderr;
    let shared = |name: &str| {
        said.matches(&format!("{name}: counted for an earlier measurement"))
            .count()
    };
    // Of each mock once for both statistics; of the randoms once for all.
    assert_eq!(
        [shared("DD"), shared("DR"), shared("RR")],
        [4, 4, 7],
        "{said}"
    );
    // Four mocks and one catalogue of randoms are sorted.
    assert_eq!(
        said.matches(": prepared 150 particles").count(),
        1,
        "{said}"
    );
    assert_eq!(said.matches(": prepared ").count(), 5, "{said}");
    let entry = &folder.table("smu_2.csv").meta["counts"]["RR"];
    assert_eq!(entry["shared_in_job"], true);
    // They are those of the command alone.
    for (line, output) in folder.good("run job.toml --list").stdout.lines().zip([
        "poles_1.csv",
        "smu_1.csv",
        "poles_2.csv",
        "smu_2.csv",
    ]) {
        let made = folder.table(output);
        folder.good(line.strip_prefix("albireo ").unwrap());
        assert_eq!(folder.table(output).columns, made.columns, "{line}");
    }
}

#[test]
fn other_bins_sums_and_regions_are_counted_for_themselves() {
    let job = "data = 'a1.csv'\nrandoms = 'a2.csv'\nbins = 'lin:0:3:6'\n[xi.a]\noutput = 'a.csv'\n";
    let others = [
        "[xi.b]\nbins = 'lin:0:3:5'",
        "[xi.b]\nmean-separation = true",
        "[xi.b]\nregions = 3",
        "[xi.b]\nweight = 'w'",
        "[xi.b]\nbox = 10",
    ];
    for (other, shared) in others.into_iter().zip([0, 2, 0, 0, 0]) {
        let folder = folder();
        std::fs::write(
            folder.path("job.toml"),
            format!("{job}{other}\noutput = 'b.csv'"),
        )
        .unwrap();
        let said = folder.good("run job.toml -v").stderr;
        let found = said.matches("for an earlier measurement").count();
        assert_eq!(found, shared, "{other}: {said}");
    }
    // With the same regions they are the same; the preparation is shared where the samples are.
    let folder = folder();
    let regions = "regions = 3\nregion-counts = 'c.csv'\noutput = 'b.csv'";
    let twice = format!(
        "{job}[xi.b]\n{regions}\n[xi.c]\n{}\njackknife = 'mohammad-percival'\n[xi.d]\nregions = 3\nbins = 'lin:0:2:4'\noutput = 'd.csv'",
        regions.replace("b.csv", "e.csv").replace("c.csv", "f.csv")
    );
    std::fs::write(folder.path("job.toml"), twice).unwrap();
    let said = folder.good("run job.toml -vv").stderr;
    assert_eq!(
        said.matches("for an earlier measurement").count(),
        3,
        "{said}"
    );
    assert_eq!(
        said.matches("particles were prepared already").count(),
        2,
        "{said}"
    );
    assert_eq!(folder.table("c.csv").columns, folder.table("f.csv").columns);
    assert_ne!(folder.table("b.csv").columns, folder.table("e.csv").columns);
}

#[test]
fn a_job_prints_a_line_for_each_file() {
    let folder = mocks();
    let printed = folder.good("run job.toml").stdout;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 9, "{printed}");
    assert!(lines[0].starts_with("poles_1.csv: multipoles, 3 bins in s from 0 to 3, xi_0 from "));
    assert!(printed.contains("\ncov.ecsv: covariance, 3 bins in s from 0 to 3"));
    let alone = folder.good("count m1.csv --bins lin:0:3:3 -o dd.csv --brief --weight none");
    assert!(
        alone
            .stdout
            .starts_with("dd.csv: pair counts, 3 bins in r from 0 to 3, ")
    );
    assert!(alone.stdout.ends_with(" pairs\n"), "{}", alone.stdout);
    assert_eq!(folder.run("count m1.csv --bins lin:0:3:3 --brief").code, 2);
    std::fs::remove_file(folder.path("poles_3.csv")).unwrap();
    let again = folder.good("run job.toml");
    assert_eq!(again.stdout.lines().count(), 2, "{}", again.stdout);
    assert!(
        again.stderr.contains("7 of 9 were done already"),
        "{}",
        again.stderr
    );
}

#[test]
fn results_carry_the_job_that_they_come_from() {
    let folder = mocks();
    folder.good("run job.toml");
    for (name, measurement) in [
        ("smu_2.csv", "xi.grid (mock = 2)"),
        ("cov.ecsv", "result.covariance.poles"),
    ] {
        let job = &folder.table(name).meta["job"];
        assert_eq!(job["measurement"], measurement);
        assert_eq!(
            (&job["file"], &job["text"]),
            (&"job.toml".into(), &MOCKS.into())
        );
        assert_eq!(folder.good(&format!("run {name} --show-job")).stdout, MOCKS);
    }
    // The job goes on from a result alone, and the result by itself.
    std::fs::remove_file(folder.path("job.toml")).unwrap();
    let before = folder.table("smu_2.csv").columns;
    folder.good("run smu_2.csv");
    assert_eq!(folder.table("smu_2.csv").columns, before);
    let refused = folder.run("run smu_2.csv --show-job");
    assert_eq!(refused.code, 1);
    assert!(
        refused
            .stderr
            .contains("smu_2.csv: it comes from no job file"),
        "{}",
        refused.stderr
    );
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
    // A missing result, another setting, a newer catalogue.
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
fn jobs_see_every_file_that_rdf_reads() {
    let rows = |names: [&str; 2]| {
        let rows = (0..8).map(|k| {
            let at = f64::from(k) * 0.9;
            format!("0,{at},{},1,{}\n", at * 0.5, names[usize::from(k % 2 == 0)])
        });
        format!("frame,x,y,z,species\n{}", rows.collect::<String>())
    };
    let job = "[rdf]\ndata = 't.csv'\ntopology = 'top.csv'\nbox = 10\nbins = [0, 1, 2, 4]\noutput = 'g.csv'\n\
        structure = 's.csv'\nq = '@q.txt'\n";
    let folder = Folder::new()
        .with(
            "t.csv",
            &rows(["A", "B"])
                .replace(",A", "")
                .replace(",B", "")
                .replace(",species", ""),
        )
        .with("top.csv", &rows(["A", "B"]))
        .with("q.txt", "1 2\n2 3\n")
        .with("job.toml", job);
    let skips = || {
        folder
            .good("run job.toml")
            .stderr
            .contains("1 of 1 were done already")
    };
    assert!(!skips());
    assert!(skips());
    std::fs::write(folder.path("top.csv"), rows(["A", "C"])).unwrap();
    assert!(!skips(), "the topology has changed");
    let named = crate::folder::names(&folder.table("g.csv")).join(" ");
    assert!(named.contains("A-C") && !named.contains("A-B"), "{named}");
    assert!(skips());
    std::fs::write(folder.path("q.txt"), "1 2\n2 4\n").unwrap();
    assert!(!skips(), "the wave numbers have changed");
    assert!(skips());
    std::fs::remove_file(folder.path("s.csv")).unwrap();
    assert!(!skips(), "the structure factor is gone");
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
    let record = folder.bytes("kept.csv.json");
    std::fs::write(folder.path("copy.csv"), folder.bytes("kept.csv")).unwrap();
    std::fs::write(folder.path("copy.csv.json"), record).unwrap();
    std::fs::remove_file(folder.path("kept.csv")).unwrap();
    folder.good("run copy.csv");
    assert_eq!(folder.table("kept.csv").columns, made.columns);
}
