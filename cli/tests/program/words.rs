//! Messages, labels and choices that used to mislead.

use crate::folder::{Folder, floats, integers, names, sample, scattered};

#[test]
fn angles_need_neither_redshifts_nor_a_cosmology() {
    let folder = Folder::new().with("s.csv", "RA,DEC,Z\n10,0,0.1\n10,1,0.2\n100,0,0.3\n");
    let theta = "count s.csv --statistic theta --bins edges:0.5,1.5,95 -o o.json";
    folder.good(theta);
    let expected = integers(&folder.table("o.json"), "npairs");
    assert_eq!(expected, [1, 2]);
    for flags in [
        "--redshift Z --cosmology Planck18",
        "--distance Z",
        "--cosmology Planck18",
        "--sky RA,DEC --redshift Z",
    ] {
        let run = folder.good(&format!("{theta} {flags}"));
        assert_eq!(
            integers(&folder.table("o.json"), "npairs"),
            expected,
            "{flags}"
        );
        assert!(
            run.stderr
                .contains("angles need positions on the sky only: "),
            "{flags}: {}",
            run.stderr
        );
    }
}

#[test]
fn rates_are_of_pairs_in_bins_and_no_gpu_is_mentioned() {
    let folder = Folder::new().with("d.csv", &scattered(3000, 10.0, 1));
    let run = folder.good("count d.csv --bins edges:0,0.01");
    assert!(
        run.stderr.contains(" pairs in bins per second"),
        "{}",
        run.stderr
    );
    let line = run.stderr.lines().find(|line| line.contains(" s, "));
    let fields: Vec<&str> = line.unwrap().split_whitespace().collect();
    let place = |word: &str| fields.iter().position(|field| *field == word).unwrap();
    let in_bins: u64 = fields[place("pairs") - 1].parse().unwrap();
    let at = place("s,");
    let seconds: f64 = fields[at - 1].parse().unwrap();
    assert!(in_bins < 100, "of 4.5 million pairs in all");
    let prefix = match fields[at + 2] {
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => 1.0,
    };
    let rate = fields[at + 1].parse::<f64>().unwrap() * prefix;
    // The time is rounded to milliseconds.
    assert!(rate <= in_bins as f64 / (seconds - 5.1e-4).max(1e-9) + 1.0);
    for word in ["GPU", "cuda", "NVIDIA"] {
        assert!(!run.stderr.contains(word), "{}", run.stderr);
    }
}

#[test]
fn one_engine_is_chosen_for_a_command() {
    let folder = Folder::new()
        .with("d.csv", &scattered(100, 10.0, 1))
        .with("r.csv", &scattered(200, 10.0, 2));
    let run = folder.good("xi d.csv --randoms r.csv --bins edges:1,2,4");
    let chosen = run
        .stderr
        .lines()
        .filter(|line| line.contains("engine: "))
        .count();
    assert_eq!(chosen, 1, "{}", run.stderr);
    assert_eq!(run.stderr.matches("pairs in bins, ").count(), 3);
}

#[test]
fn separations_of_redshifts_are_called_s() {
    let folder = Folder::new()
        .with(
            "d.csv",
            "RA,DEC,Z\n10,0,0.100\n10,1,0.101\n11,0,0.102\n11,1,0.1\n",
        )
        .with(
            "r.csv",
            "RA,DEC,Z\n10,0.5,0.1\n10.5,1,0.101\n11,0.5,0.102\n10.2,0.2,0.1005\n",
        )
        .with("x.csv", &scattered(20, 10.0, 1));
    let bins = "--bins edges:0,5,10,50 --cosmology Planck18 --mean-separation";
    folder.good(&format!("xi d.csv --randoms r.csv {bins} -o s.json"));
    let table = folder.table("s.json");
    assert!(names(&table).contains(&"mean_s"), "{:?}", names(&table));
    assert!(table.meta["edges"].get("s").is_some(), "{:?}", table.meta);
    let described: Vec<&str> = table
        .columns
        .iter()
        .map(|column| column.description.as_str())
        .collect();
    assert!(described[0].starts_with("s: "), "{described:?}");
    // Random pairs counted by either command fit.
    folder.good("count r.csv --bins edges:0,5,10,50 --cosmology Planck18 -o rr.json");
    assert!(folder.table("rr.json").meta["edges"].get("s").is_some());
    for saved in ["rr.json", "s.json"] {
        folder.good(&format!(
            "xi d.csv --randoms r.csv {bins} --rr {saved} -o again.json"
        ));
        assert_eq!(folder.table("again.json").columns, table.columns);
    }
    // Real space stays r.
    folder.good("count x.csv --bins edges:1,2 --mean-separation -o r.json");
    assert!(names(&folder.table("r.json")).contains(&"mean_r"));
    #[cfg(feature = "plot")]
    {
        folder.good(&format!("xi d.csv --randoms r.csv {bins} --plot s.svg"));
        let figure = folder.text("s.svg");
        assert!(figure.contains("\"ξ(s)\"") && !figure.contains("ξ(r)"));
    }
}

#[test]
fn g_of_r_takes_bins_as_the_other_commands_do() {
    let folder = Folder::new().with("l.csv", &scattered(200, 10.0, 1));
    folder.good("rdf l.csv --box 10 --r-min 1 --r-max 4 --n-bins 6 -o a.json");
    folder.good("rdf l.csv --box 10 --bins lin:1:4:6 -o b.json");
    assert_eq!(
        folder.table("a.json").columns,
        folder.table("b.json").columns
    );
    folder.good("rdf l.csv --box 10 --bins log:0.5:4:6 -o c.json");
    assert_eq!(floats(&folder.table("c.json"), "hi")[5], 4.0);
}

#[test]
fn bundled_samples_count_as_before() {
    // The box of the file is what `--box file` gave.
    let folder = Folder::new();
    let file = sample("galaxies_box.h5");
    let bins = "--bins log:0.1:25:8";
    folder.good(&format!("count {file} --box 250 {bins} -o a.json"));
    folder.good(&format!("count {file} {bins} -o b.json"));
    assert_eq!(
        folder.table("a.json").columns,
        folder.table("b.json").columns
    );
}
