//! Angular upweights: `--angular` with results in bins of theta.

use std::fmt::Write as _;

use albireo::estimators::angular_upweights;
use albireo::tally::PairNormalisation;
use albireo::{CountSpec, Edges, Pairs, Particles, RBins, ThetaBins, sky};

use crate::bit_columns::refused;
use crate::folder::{Folder, floats, scattered};
use crate::pair_weights::{BITS, efficient, library, particles, pip, read, words};

/// A sky with bits: the columns x and y are right ascension and declination, and a parent with every row.
fn sky_folder() -> Folder {
    let rename = |text: String| text.replacen("x,y,z", "ra,dec,r", 1);
    let parent = scattered(300, 12.0, 4);
    let lines: Vec<&str> = parent.lines().collect();
    let mut observed = String::from("ra,dec,r,w,BITWEIGHT0,BITWEIGHT1\n");
    for (row, word) in words(300, 9)
        .iter()
        .enumerate()
        .filter(|(row, _)| row % 4 != 0)
    {
        let [a, b] = word.map(u64::cast_signed);
        writeln!(observed, "{},{a},{b}", lines[row + 1]).unwrap();
    }
    Folder::new()
        .with("parent.csv", &rename(parent))
        .with("d.csv", &observed)
        .with("r.csv", &rename(scattered(500, 12.0, 6)))
}

const THETA: &str = "--randoms r.csv --weight w --statistic theta --bins lin:0:3:6";
const SPACE: &str = "--randoms r.csv --weight w --sky ra,dec --distance r --bins lin:0:2:4";

/// The factors that a result was counted with, as rows of a file.
fn rows_of_factors(folder: &Folder, result: &str, count: &str) -> String {
    let table = albireo_catalogs::Table::read(&folder.path(result)).unwrap();
    let made = &table.meta["counts"][count]["pair_weight"]["angular"];
    let rows = made["theta"].as_array().unwrap().iter();
    let factors = made["factors"].as_array().unwrap();
    let rows = rows.zip(factors);
    rows.fold(
        String::from("# theta[deg] factor\n"),
        |text, (theta, factor)| text + &format!("{theta} {factor}\n"),
    )
}

#[test]
fn factors_of_a_file_are_those_of_the_results_they_came_from() {
    let folder = sky_folder();
    folder.good("count parent.csv --weight w --statistic theta --bins lin:0:3:6 -o p.csv");
    folder.good(&format!(
        "count d.csv --weight w {BITS} --statistic theta --bins lin:0:3:6 -o o.csv"
    ));
    let space = format!("count d.csv --weight w --sky ra,dec --distance r --bins lin:0:2:4 {BITS}");
    folder.good(&format!("{space} --angular p.csv,o.csv -o ratio.csv"));
    folder.good(&format!("{space} -o without.csv"));
    let rows = rows_of_factors(&folder, "ratio.csv", "DD");
    let folder = folder
        .with("factors.txt", &rows)
        .with("odd.txt", "0.1 2 3\n")
        .with("falling.txt", "1 2\n0.5,1\n");
    folder.good(&format!("{space} --angular @factors.txt -o file.csv"));
    assert_eq!(read(&folder, "file.csv"), read(&folder, "ratio.csv"));
    assert_ne!(read(&folder, "file.csv"), read(&folder, "without.csv"));
    let xi = |angular: &str| format!("xi d.csv {SPACE} {BITS} --angular {angular}");
    folder.good(&format!("{} -o xi.csv", xi("DD=@factors.txt")));
    assert_eq!(rows_of_factors(&folder, "xi.csv", "DD"), rows);
    refused(
        &folder,
        &[
            (
                xi("@factors.txt"),
                2,
                "what takes upweights here is DD, DR: name the count that they are for, e.g. --angular DD=@factors.txt",
            ),
            (
                xi("DD=@nowhere.txt"),
                1,
                "cannot read the factors nowhere.txt",
            ),
            (
                xi("DD=@odd.txt"),
                1,
                "odd.txt, line 1: expected two numbers, `theta factor`, found 3",
            ),
            (xi("DD=@falling.txt"), 1, "falling.txt"),
        ],
    );
}

#[test]
fn angular_upweights_are_made_of_two_results() {
    let folder = sky_folder();
    folder.good(&format!(
        "xi parent.csv {THETA} --mean-separation -o parent_w.ecsv"
    ));
    folder.good(&format!("xi d.csv {THETA} {BITS} -o observed_w.ecsv"));
    folder.good(&format!(
        "xi d.csv {SPACE} {BITS} --angular parent_w.ecsv,observed_w.ecsv -o xi.ecsv"
    ));
    let table = folder.table("xi.ecsv");
    let theta = ThetaBins::new(Edges::linear(0.0, 3.0, 6).unwrap()).unwrap();
    let on_sky = |name: &str| particles(&read(&folder, name), true, true);
    let [parent, observed, randoms] = ["parent.csv", "d.csv", "r.csv"].map(on_sky);
    let inverse = || pip(efficient(), PairNormalisation::default());
    let plain = CountSpec::for_pairs(&theta, Pairs::Auto(&parent));
    let means = plain.clone().with_weights().with_mean_separation();
    let by_bits = &CountSpec::new(&theta).weighted_by(inverse());
    let dd = angular_upweights(
        &library(Pairs::Auto(&parent), means),
        &library(Pairs::Auto(&observed), by_bits),
    );
    let dr = angular_upweights(
        &library(
            Pairs::Cross(&parent, &randoms),
            plain.with_mean_separation(),
        ),
        &library(Pairs::Cross(&observed, &randoms), by_bits),
    );
    let in_space = |name: &str| {
        let text = read(&folder, name);
        let sky = particles(&text, true, true);
        let column = |k: usize| -> Vec<f64> {
            let rows = text
                .lines()
                .skip(1)
                .map(|line| line.split(',').nth(k).unwrap());
            rows.map(|field| field.parse().unwrap()).collect()
        };
        let [ra, dec, distance] = [column(0), column(1), column(2)];
        let [ra, dec, distance] = [("ra", &ra), ("dec", &dec), ("z", &distance)]
            .map(|(name, values)| sky::Column::new(name, values));
        let points = sky::positions(ra, dec, distance).unwrap();
        let particles = Particles::weighted(points, column(3)).unwrap();
        match sky.bits() {
            None => particles,
            Some(bits) => particles.with_bits(bits.clone()).unwrap(),
        }
    };
    let [d, r] = ["d.csv", "r.csv"].map(in_space);
    let bins = RBins::new(Edges::linear(0.0, 2.0, 4).unwrap());
    for (name, pairs, factors) in [
        ("DD", Pairs::Auto(&d), dd.unwrap()),
        ("DR", Pairs::Cross(&d, &r), dr.unwrap()),
    ] {
        let made = &table.meta["counts"][name]["pair_weight"]["angular"];
        let list = |key: &str| -> Vec<f64> {
            let values = made[key].as_array().unwrap();
            values.iter().map(|value| value.as_f64().unwrap()).collect()
        };
        assert_eq!(list("theta"), factors.degrees(), "{name}");
        assert_eq!(list("factors"), factors.factors(), "{name}");
        assert_eq!(made["parent"], "parent_w.ecsv");
        assert_eq!(made["observed_sha256"].as_str().map(str::len), Some(64));
        let weight = inverse().with_angular(factors);
        let what = CountSpec::new(&bins).weighted_by(weight);
        let expected = library(pairs, what);
        assert!(expected.npairs().iter().sum::<u64>() > 50);
        assert_eq!(
            Some(floats(&table, &format!("{name}_weight"))),
            expected.weight(),
            "{name}"
        );
    }
    assert!(table.meta["counts"]["RR"].get("pair_weight").is_none());
    // The upweights restore the counts in theta that they were made of, where bins hold a node each at their middle.
    folder.good(&format!("xi d.csv {SPACE} {BITS} --angular parent_w.ecsv,observed_w.ecsv --engine naive -o naive.csv"));
    assert_eq!(
        floats(&folder.table("naive.csv"), "DD_weight"),
        floats(&table, "DD_weight")
    );
}

#[test]
fn counts_alone_make_upweights_too() {
    let folder = sky_folder();
    let theta = "--weight w --statistic theta --bins lin:0:3:6";
    folder.good(&format!("count parent.csv {theta} -o dd_parent.csv"));
    folder.good(&format!("count d.csv {theta} {BITS} -o dd.csv"));
    folder.good(&format!("count parent.csv r.csv {theta} -o dr_parent.csv"));
    folder.good(&format!(
        "count d.csv r.csv {theta} {BITS} --cross-bits none -o dr.csv"
    ));
    folder.good(&format!("xi parent.csv {THETA} -o parent_w.csv"));
    folder.good(&format!("xi d.csv {THETA} {BITS} -o observed_w.csv"));
    let xi = |angular: &str| {
        folder.good(&format!("xi d.csv {SPACE} {BITS} {angular} -o xi.csv"));
        let table = folder.table("xi.csv");
        (
            floats(&table, "DD_weight"),
            floats(&table, "DR_weight"),
            floats(&table, "xi"),
        )
    };
    let both = xi("--angular dd_parent.csv,dd.csv --angular DR=dr_parent.csv,dr.csv");
    assert_eq!(both, xi("--angular parent_w.csv,observed_w.csv"));
    // Without those of DR, it has none, and the log says so.
    let run = folder.good(&format!(
        "xi d.csv {SPACE} {BITS} --angular dd_parent.csv,dd.csv -o xi.csv"
    ));
    assert!(
        run.stderr.contains("DR takes no angular upweights"),
        "{}",
        run.stderr
    );
    let space = "--weight w --sky ra,dec --distance r --bins lin:0:2:4";
    folder.good(&format!(
        "count d.csv {space} {BITS} --angular DD=parent_w.csv,observed_w.csv -o c.csv"
    ));
    assert_eq!(floats(&folder.table("c.csv"), "weight"), both.0);
    folder.good(&format!(
        "count d.csv r.csv {space} {BITS} --cross-bits none --angular DR=parent_w.csv,observed_w.csv -o c.csv"
    ));
    assert_eq!(floats(&folder.table("c.csv"), "weight"), both.1);
}

#[test]
fn a_job_names_bits_and_upweights() {
    let folder = sky_folder();
    let job = "
weight = 'w'
randoms = 'r.csv'
[xi.parent]
data = 'parent.csv'
statistic = 'theta'
bins = 'lin:0:3:6'
output = 'parent_w.csv'
[xi.observed]
data = 'd.csv'
statistic = 'theta'
bins = 'lin:0:3:6'
bits = ['BITWEIGHT0', 'BITWEIGHT1']
output = 'observed_w.csv'
[xi.restored]
data = 'd.csv'
sky = ['ra', 'dec']
distance = 'r'
bins = 'lin:0:2:4'
bits = ['BITWEIGHT0', 'BITWEIGHT1']
pip-zero-truncated = false
pip-total = 'joint'
angular = 'parent_w.csv,observed_w.csv'
output = 'xi.csv'
";
    let folder = folder.with("job.toml", job);
    folder.good("run job.toml");
    let first = folder.table("xi.csv");
    assert!(
        first.meta["counts"]["DD"]["pair_weight"]
            .get("angular")
            .is_some()
    );
    let again = folder.good("run job.toml");
    assert!(!again.stderr.contains("pairs in bins"), "{}", again.stderr);
    folder.good("run xi.csv");
    assert_eq!(floats(&folder.table("xi.csv"), "xi"), floats(&first, "xi"));
}

#[test]
fn upweights_that_fit_nothing_are_refused() {
    let folder = sky_folder();
    for (name, command) in [
        ("p", format!("xi parent.csv {THETA}")),
        ("o", format!("xi d.csv {THETA} {BITS}")),
        ("plain", format!("xi d.csv {THETA}")),
        (
            "coarse",
            format!(
                "xi parent.csv {} --bins lin:0:3:3",
                THETA.replace("--bins lin:0:3:6", "")
            ),
        ),
        ("space", format!("xi d.csv {SPACE}")),
        (
            "dd",
            "count parent.csv --weight w --statistic theta --bins lin:0:3:6".to_owned(),
        ),
        (
            "dr",
            "count parent.csv r.csv --weight w --statistic theta --bins lin:0:3:6".to_owned(),
        ),
        (
            "again",
            format!("xi d.csv {THETA} {BITS} --angular p.csv,o.csv"),
        ),
    ] {
        folder.good(&format!("{command} -o {name}.csv"));
    }
    let folder = folder.with("text.csv", "theta,weight\n0.1,2\n");
    let mut text = read(&folder, "o.csv.json");
    text = text.replacen("\"total_pairs\"", "\"total_pears\"", 1);
    let rows = read(&folder, "o.csv");
    let folder = folder
        .with("broken.csv", &rows)
        .with("broken.csv.json", &text);
    let xi = |angular: &str| format!("xi d.csv {SPACE} {BITS} --angular {angular}");
    refused(
        &folder,
        &[
            (xi("p.csv"), 2, "expected two results, PARENT,OBSERVED"),
            (xi("p.csv,nowhere.csv"), 1, "--angular: nowhere.csv"),
            (xi("p.csv,text.csv"), 1, "--angular: text.csv"),
            (xi("p.csv,broken.csv"), 1, "no `total_pairs`"),
            (xi("space.csv,o.csv"), 1, "expected counts in bins of theta (--statistic theta), found bins of r"),
            (xi("coarse.csv,o.csv"), 1, "--angular coarse.csv,o.csv"),
            (xi("o.csv,o.csv"), 1, "both are the same result"),
            (xi("p.csv,plain.csv"), 1, "must be counted with the weights that DD takes here: expected 129/(1 + common bits) of 128 bits"),
            (format!("xi d.csv {SPACE} --angular p.csv,o.csv"), 1, "expected no weights of bits, found 129/(1 + common bits)"),
            (format!("{} --pip-offset 2 --pip-realizations 130", xi("p.csv,o.csv")), 1, "expected 130/(2 + common bits)"),
            (xi("o.csv,p.csv"), 1, "must be counted with the weights"),
            (format!("xi parent.csv {SPACE} --angular plain.csv,p.csv"), 1, "are they exchanged?"),
            (xi("p.csv,again.csv"), 1, "again.csv: it has angular upweights already"),
            (xi("dr.csv,o.csv"), 2, "the parent result holds D1D2, the observed one DD, DR, RR, and what takes upweights here is DD, DR"),
            (xi("DD=dr.csv,o.csv"), 1, "DD is of pairs within one sample, found cross pairs"),
            (xi("p.csv,o.csv --angular DD=dd.csv,o.csv"), 2, "DD has upweights already"),
            ("xi d.csv --positions ra+0,dec,r --bins lin:0:2:4 --box 12 --angular dd.csv,plain.csv".to_owned(), 1, "angular separations need an open domain"),
        ],
    );
    let run = folder.run("count d.csv --weight w --sky ra,dec --distance r --bins lin:0:2:4 --angular p.csv,plain.csv -o p.csv");
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("would replace the input p.csv"),
        "{}",
        run.stderr
    );
    // Other data than the upweights are of: said, not refused, as a sample may be cut in redshift.
    folder.good("count parent.csv --weight w --sky ra,dec --distance r --bins lin:0:2:4 --angular dd.csv,plain.csv -o c.csv");
}
