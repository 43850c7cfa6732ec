//! What a survey analysis can get wrong: each kind is one line of error, and nothing is written.

use crate::folder::{Folder, scattered};

/// Kinds of bad input: arguments, and words of the line.
const KINDS: [(&str, &str); 52] = [
    // Weights and bits.
    ("xi D R B --bits t", "column `t` holds no bits"),
    ("xi D R B --bits w", "expected the bits of a whole number"),
    ("xi D R B --bits nope", "no column `nope`"),
    ("xi D R B --pip-offset 1", "--pip-offset needs bits"),
    (
        "xi D R B --bits b --pip-zero-truncated --pip-offset 1",
        "cannot be used with",
    ),
    (
        "xi D R B --bits b --pip-realizations 2",
        "of the bits of a row 0 to 1 can be set",
    ),
    ("xi D R B --weight t", "column `t` is not numeric"),
    ("xi D R B --weight w-w", "add up to zero"),
    (
        "xi D R B --weight log(w-2)",
        "must be finite: found NaN in row 0",
    ),
    (
        "xi D R B --weight-set a=w --weight-set a=w",
        "a is given more than once",
    ),
    ("xi D R B --angular d.csv,r.csv", "not a result table"),
    // Regions and errors of them.
    (
        "xi D R B --regions 1",
        "the number of regions must be 2 to 4096, found 1",
    ),
    (
        "xi D R B --regions 5000",
        "the number of regions must be 2 to 4096, found 5000",
    ),
    ("xi D R B --regions-column w", "a region must be an integer"),
    (
        "xi D R B --regions-column k --where k==1 --randoms-where k<2",
        "region 0, one of 2, holds no data",
    ),
    (
        "xi D R B --regions-cubes 2",
        "sub-cubes need an orthorhombic box",
    ),
    ("xi D --box 10 B --regions 4", "take --regions-cubes N"),
    ("xi D R B --regions-nside 3", "nside must be a power of 2"),
    ("xi D R B --jackknife", "--jackknife needs regions"),
    ("xi D R B --covariance c.csv", "--covariance needs regions"),
    (
        "xi D R B --regions 4 --jackknife=best",
        "invalid value 'best'",
    ),
    (
        "xi D R B --regions 4 --bootstrap 1",
        "2 realisations, found 4 and 1",
    ),
    (
        "xi D R B --regions 4 --regions-nside 2",
        "cannot be used with",
    ),
    // Expressions and rows.
    ("xi D R B --where w>", "at character 3 of `w>`"),
    (
        "xi D R B --where w>2",
        "the sample is empty: 60 rows were read and none kept",
    ),
    (
        "xi D R B --where q>2",
        "no column `q`; the columns are: `x`",
    ),
    (
        "xi D R B --where t>2",
        "at character 3 of `t>2`: expected a value as those of column `t`, which is string",
    ),
    ("xi D R B --where w", "expected a condition"),
    ("xi D R B --where (w>0.5", "expected `)`"),
    ("xi D R B --where w&4==0", "expected an integer"),
    (
        "xi D R B --where sqrt(w,w)>1",
        "expected sqrt with 1 argument (not 2)",
    ),
    (
        "xi D R B --where frob(w)>1",
        "expected a column or a function",
    ),
    ("xi D R B --rows 5:2", "expected rows as A:B"),
    (
        "xi D --randoms nothing_*.csv B",
        "nothing_*.csv: no such file",
    ),
    // Cosmology and estimators.
    (
        "xi sky.csv --randoms sky.csv B --cosmology Planck99",
        "found 'Planck99'",
    ),
    (
        "xi sky.csv --randoms sky.csv B --cosmology om=0.3,h=70",
        "cosmology parameter h",
    ),
    (
        "xi sky.csv --randoms sky.csv --randoms-every 2 B",
        "need --cosmology",
    ),
    ("xi D R B --cosmology Planck18", "--cosmology has no use"),
    (
        "xi D R B --estimator (DD-2*DR",
        "at character 9 of `(DD-2*DR`",
    ),
    ("xi D R B --estimator DD/XX", "expected a count"),
    ("xi D R B --estimator D1D2/RR", "D1D2 needs --cross FILE"),
    (
        "xi D R B --split-randoms 200",
        "200 subsets of randoms need at least two each",
    ),
    (
        "xi D R B --split-randoms 2 --split-randoms-above 1.5",
        "1.5 is none, the nearest is 1",
    ),
    (
        "xi D R B --statistic s-mu --mu-bins lin:0:0.5:5 --multipoles 0,2",
        "mu bins that span [0, 1]",
    ),
    // Cuts, saved results, jobs.
    (
        "xi D R B --theta-cut 5:1",
        "expected LO:HI with LO below HI",
    ),
    (
        "xi D --box 10 B --theta-cut 0:1",
        "--theta-cut needs an observer",
    ),
    ("xi D R B --reuse d.csv", "not a result table"),
    (
        "wp D R B --pi-bins lin:0:4:4 --pi-max 2.5",
        "--pi-max 2.5 is no upper edge",
    ),
    (
        "result covariance x1.csv x2.csv x3.csv",
        "3 realisations of 4 bins: their covariance has no inverse",
    ),
    ("result sum x1.csv x1.csv", "x1.csv is named twice"),
    (
        "result rebin x1.csv --by 2",
        "pair counts can be put together",
    ),
    ("run job.toml", "job.toml, line 3: xi takes no `binz`"),
];

/// Adds a column of texts, odd integers and numbers from 0 to 3.
fn with_columns(text: &str) -> String {
    let mut lines = text.lines();
    let mut all = format!("{},t,b,k\n", lines.next().unwrap());
    for (row, line) in lines.enumerate() {
        let (word, odd, few) = (["a", "b"][row % 2], 2 * (row % 7) + 1, row % 4);
        all.extend([line, &format!(",{word},{odd},{few}\n")]);
    }
    all
}

#[test]
fn kinds_of_bad_input_are_one_line_each() {
    let sky: Vec<String> = (0..40)
        .map(|k| format!("{},{},0.5\n", k % 9, k % 7))
        .collect();
    let sky = sky.concat();
    let folder = Folder::new()
        .with("d.csv", &with_columns(&scattered(60, 10.0, 1)))
        .with("r.csv", &with_columns(&scattered(90, 10.0, 2)))
        .with("sky.csv", &format!("RA,DEC,Z\n{sky}"))
        .with("job.toml", "[xi.a]\ndata = 'd.csv'\nbinz = 'lin:0:4:4'\n");
    for every in 1..4 {
        folder.good(&format!(
            "xi d.csv --randoms r.csv --bins lin:0:4:4 --every {every} -o x{every}.csv"
        ));
    }
    let before = folder.names();
    for (kind, words) in KINDS {
        let kind = kind.split(' ').map(|word| match word {
            "D" => "d.csv",
            "R" => "--randoms r.csv",
            "B" => "--bins lin:0:4:4",
            other => other,
        });
        let call = kind.collect::<Vec<_>>().join(" ");
        let output = if call.starts_with("run") {
            ""
        } else {
            "-o out.csv"
        };
        let run = folder.run(&format!("{call} {output} -q"));
        assert!([1, 2].contains(&run.code), "{call}: {}", run.code);
        let errors: Vec<&str> = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("error: "))
            .collect();
        assert!(
            errors.len() == 1 && errors[0].contains(words),
            "{call}: {}",
            run.stderr
        );
        assert_eq!(run.stdout, "", "{call}");
        assert_eq!(folder.names(), before, "{call}");
    }
}
