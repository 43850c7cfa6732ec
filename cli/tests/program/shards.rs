//! `--shard` and `albireo merge`: counts in parts, put together again, are those of the whole, byte for byte.

use crate::folder::{Folder, integers, scattered};

/// Data, and randoms, enough for several units.
fn catalogs() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(4200, 10.0, 5))
        .with("r.csv", &scattered(1200, 10.0, 6))
}

/// Counts `command` whole and in so many parts, which are merged from the last to the first.
fn parts_make_the_whole(folder: &Folder, command: &str, of: usize) {
    folder.good(&format!("{command} -o whole.csv"));
    let mut parts = String::new();
    for part in 0..of {
        let run = folder.good(&format!(
            "{command} --shard {part}/{of} --part part_{part}.alb --threads 1"
        ));
        assert_eq!(run.stdout, "");
        parts = format!("part_{part}.alb {parts}");
    }
    folder.good(&format!("merge {parts} -o merged.csv"));
    assert_eq!(
        folder.bytes("merged.csv"),
        folder.bytes("whole.csv"),
        "{command}"
    );
    let (whole, merged) = (folder.table("whole.csv"), folder.table("merged.csv"));
    for key in ["edges", "samples", "result", "statistic", "arithmetic"] {
        assert_eq!(merged.meta.get(key), whole.meta.get(key), "{key}");
    }
    for (name, count) in whole.meta["counts"].as_object().unwrap() {
        for key in ["job", "total_pairs", "total_weight", "kind"] {
            assert_eq!(
                merged.meta["counts"][name].get(key),
                count.get(key),
                "{name} {key}"
            );
        }
        let held = &merged.meta["parts"]["counts"][name];
        assert_eq!(held["units"], held["units_counted"]);
        assert!(held["units"].as_u64() > Some(1), "{name}: {held}");
    }
    assert!(whole.meta.get("parts").is_none());
}

#[test]
fn parts_of_a_box_make_the_whole() {
    let folder = catalogs();
    let command = "count d.csv --box 10 --weight w --bins lin:0:0.6:4 --mean-separation";
    for of in [1, 3, 16] {
        parts_make_the_whole(&folder, command, of);
    }
}

#[test]
fn parts_of_skewed_boxes_and_skies_make_the_whole() {
    let folder = catalogs();
    let skewed = "count d.csv --box 10,0,0,2,10,0,1,-1,10 --wrap --bins lin:0:0.4:3";
    parts_make_the_whole(&folder, skewed, 3);
    let sky = "count d.csv r.csv --weight w --statistic theta --bins log:0.1:2:3";
    parts_make_the_whole(&folder, sky, 3);
}

#[test]
fn parts_of_estimates_make_the_whole() {
    let folder = catalogs();
    let bins = "--statistic s-mu --bins lin:0:0.6:3 --mu-bins lin:0:1:3";
    let xi = format!("xi d.csv --randoms r.csv --weight w {bins} --los first");
    parts_make_the_whole(&folder, &xi, 3);
    let regions = "xi d.csv --randoms r.csv --bins lin:0:0.6:2 --regions 3";
    parts_make_the_whole(&folder, regions, 2);
}

#[test]
fn parts_that_do_not_make_a_whole_are_refused() {
    let folder = catalogs();
    let count = |flags: &str, part: &str, to: &str| {
        folder.good(&format!(
            "count d.csv --box 10 {flags} --shard {part} --part {to}"
        ));
    };
    let bins = "--bins lin:0:0.5:2";
    count(bins, "0/3", "a0");
    count(bins, "1/3", "a1");
    count(bins, "2/3", "a2");
    count(bins, "1/2", "half");
    count("--bins lin:0:0.5:3", "1/3", "bins");
    count(&format!("{bins} --mean-separation"), "1/3", "sums");
    count(&format!("{bins} --rows 1:"), "1/3", "job");
    let refused = |parts: &str, expected: &str| {
        let run = folder.run(&format!("merge {parts} -o no.csv"));
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(!folder.path("no.csv").exists());
    };
    refused("a0 bins a2", "parts of DD in other bins");
    refused("a0 sums a2", "parts of DD with other sums");
    refused("a0 job a2", "of other particles, weights or boxes");
    refused("a0 a1 a1 a2", "of DD held twice: by a1 and a1");
    refused("a0 half", "of DD missing");
    refused("a0 a2", "of DD missing: give their parts too, or --partial");
    refused("a2 half", "of DD held twice: by a2 and half");
    refused("a0 gone", "cannot read gone");
    refused("d.csv", "d.csv: no part of a count");
    let damaged = |at: usize| {
        let mut bytes = folder.bytes("a1");
        let last = bytes.len() - 1;
        bytes[at.min(last)] ^= 1;
        std::fs::write(folder.path("damaged"), &bytes).unwrap();
        refused("a0 damaged a2", "damaged: this part is damaged");
    };
    [8, 200, 100_000].into_iter().for_each(damaged);
    let bytes = folder.bytes("a1");
    std::fs::write(folder.path("short"), &bytes[..bytes.len() - 9]).unwrap();
    refused("a0 short a2", "short: this part is damaged");
    // What is there, and how much of it.
    folder.good("merge a0 a2 --partial -o some.csv");
    folder.good("merge a0 a1 a2 -o all.csv");
    let (some, all) = (folder.table("some.csv"), folder.table("all.csv"));
    let pairs = |table| integers(table, "npairs").iter().sum::<u64>();
    assert!(pairs(&some) > 0 && pairs(&some) < pairs(&all));
    let held = &some.meta["parts"]["counts"]["DD"];
    assert!(held["units_counted"].as_u64() < held["units"].as_u64());
    // The catalogue is another one by now.
    let folder = folder.with("d.csv", &scattered(4200, 10.0, 7));
    let run = folder.run("merge a0 a1 a2 -o no.csv");
    assert_eq!(run.code, 1);
    let expected = "DD: the parts are of other particles, weights or boxes than those read now";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

/// The share that a partial result of `d.csv` says it holds, by the units of its parts.
fn share(folder: &Folder, of: &str, counts: &[&str]) -> String {
    let parts = folder.table(of).meta["parts"]["counts"].clone();
    let share = |name: &&str| {
        let (units, counted) = (&parts[*name]["units"], &parts[*name]["units_counted"]);
        format!("{name} {counted} of {units} units")
    };
    counts.iter().map(share).collect::<Vec<_>>().join(", ")
}

#[test]
fn partial_counts_say_so_and_are_made_into_nothing_else() {
    let folder = catalogs();
    let count = "--statistic s-mu --bins lin:0:0.6:2 --mu-bins lin:0:1:2 --threads 1";
    folder.good(&format!("count r.csv {count} --shard 0/2 --part half"));
    let run = folder.good("merge half --partial -o half.csv");
    folder.good("plot half.csv -o half.svg");
    let share = share(&folder, "half.csv", &["DD"]);
    let warning = format!("partial: some pairs are missing ({share}), totals are those of all");
    assert!(run.stderr.contains(&warning), "{}", run.stderr);
    let table = folder.table("half.csv");
    assert_eq!(table.partial(), Some(share.clone()));
    let figure = folder.text("half.svg");
    assert!(figure.contains(&format!("(partial: {share})")));
    // What goes on being counts goes on saying so.
    let run = folder.good("result rebin half.csv --by 2 -o coarse.csv");
    assert!(run.stderr.contains(&warning), "{}", run.stderr);
    assert_eq!(folder.table("coarse.csv").partial(), Some(share.clone()));
    folder.good(&format!("count d.csv {count} -o dd.csv"));
    let whole = format!(
        "it is partial ({share}): all of its pairs are needed, which `albireo merge` takes from all parts\n"
    );
    for (command, of) in [
        (
            "result window half.csv -o no.csv".to_owned(),
            "half.csv".to_owned(),
        ),
        (
            "result sum half.csv dd.csv -o no.csv".to_owned(),
            "half.csv".to_owned(),
        ),
        (
            format!("xi d.csv --randoms r.csv {count} --rr half.csv -o no.csv"),
            "--rr half.csv does not fit".to_owned(),
        ),
    ] {
        let run = folder.run(&command);
        assert_eq!(run.code, 1, "{command}: {}", run.stderr);
        let expected = format!("error: {of}: {whole}");
        assert!(run.stderr.ends_with(&expected), "{command}: {}", run.stderr);
    }
    assert!(!folder.path("no.csv").exists());
}

#[test]
fn shards_that_there_are_not_are_refused() {
    let folder = Folder::new().with("d.csv", &scattered(50, 10.0, 5));
    let count = "count d.csv --box 10 --bins lin:0:3:2";
    // More parts than units: some are empty, and all of them make the whole.
    folder.good(&format!("{count} -o whole.csv"));
    for part in 0..3 {
        folder.good(&format!("{count} --shard {part}/3 --part p_{part}"));
    }
    folder.good("merge p_* -o merged.csv");
    assert_eq!(folder.text("merged.csv"), folder.text("whole.csv"));
}
