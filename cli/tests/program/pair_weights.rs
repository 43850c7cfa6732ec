//! Weights of pairs by bits: `--bits` with the --pip flags; counts are those of the library, digit for digit.

use std::fmt::Write as _;

use crate::folder::{Folder, floats, integers, scattered};
use crate::regions::{close, jackknife};
use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Silent};
use albireo::particles::Bits;
use albireo::tally::{InverseProbability, PairNormalisation, PairWeight, Realisations};
use albireo::{CountSpec, Counts, Domain, Edges, PairJob, Pairs, Particles, Points, RBins, sky};

pub(crate) const BITS: &str = "--bits BITWEIGHT0,BITWEIGHT1";

/// The same bits every time: words of which three bits in four are set, of rows from 0.
pub(crate) fn words(n: usize, seed: u64) -> Vec<[u64; 2]> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let high = state >> 32;
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        high << 32 | state >> 32
    };
    // The observed realisation is the highest bit of the first word.
    let row = |_| [next() | next() | 1 << 63, next() | next()];
    (0..n).map(row).collect()
}

/// The points of [`scattered`] with two columns of bits, signed, and the eighth of the cube that each lies in.
pub(crate) fn with_bits(n: u64, length: f64, seed: u64) -> String {
    let mut text = String::new();
    let words = words(n as usize, seed);
    for (row, line) in scattered(n, length, seed).lines().enumerate() {
        if row == 0 {
            text.push_str("x,y,z,w,BITWEIGHT0,BITWEIGHT1,reg\n");
            continue;
        }
        let [a, b] = words[row - 1].map(u64::cast_signed);
        let fields = line.split(',');
        let halves = fields.map(|field| u32::from(field.parse::<f64>().unwrap() >= length / 2.0));
        let halves: Vec<u32> = halves.collect();
        let region = 4 * halves[0] + 2 * halves[1] + halves[2];
        writeln!(text, "{line},{a},{b},{region}").unwrap();
    }
    text
}

/// What the library reads there, as sky positions or in space.
pub(crate) fn particles(text: &str, weighted: bool, on_sky: bool) -> Particles {
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|l| l.split(',').collect())
        .collect();
    let column = |k: usize| -> Vec<f64> { rows.iter().map(|r| r[k].parse().unwrap()).collect() };
    let points = if on_sky {
        let [ra, dec] = [column(0), column(1)];
        sky::unit_vectors(sky::Column::new("ra", &ra), sky::Column::new("dec", &dec)).unwrap()
    } else {
        Points::new(column(0), column(1), column(2)).unwrap()
    };
    let particles = if weighted {
        Particles::weighted(points, column(3)).unwrap()
    } else {
        Particles::new(points)
    };
    if rows[0].len() < 6 {
        return particles;
    }
    let word = |text: &str| text.parse::<i64>().unwrap().cast_unsigned();
    let words = rows.iter().flat_map(|row| [word(row[4]), word(row[5])]);
    particles
        .with_bits(Bits::new(words.collect(), 2).unwrap())
        .unwrap()
}

pub(crate) fn efficient() -> Realisations {
    Realisations::of_words(2)
}

pub(crate) fn pip(realisations: Realisations, total: PairNormalisation) -> PairWeight {
    InverseProbability::new(2, realisations, total)
        .unwrap()
        .into()
}

pub(crate) fn library(pairs: Pairs<'_>, what: impl Into<CountSpec>) -> Counts {
    let job = PairJob::new(pairs, &Domain::Open).unwrap();
    count_pairs(&Cpu::new(), &job, what, &Silent).unwrap()
}

fn r_bins() -> RBins {
    RBins::new(Edges::linear(0.0, 5.0, 4).unwrap())
}

pub(crate) fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &with_bits(200, 10.0, 1))
        .with("e.csv", &with_bits(150, 10.0, 5))
        .with("r.csv", &scattered(400, 10.0, 2))
}

pub(crate) fn read(folder: &Folder, name: &str) -> String {
    folder.text(name)
}

#[test]
fn counts_of_bits_are_those_of_the_library() {
    let folder = folder();
    let (first, second) = (read(&folder, "d.csv"), read(&folder, "e.csv"));
    let truncated = Realisations::zero_truncated(128);
    let other = Realisations {
        number: 300,
        offset: 2,
        always: 1,
        default_value: 0.5,
    };
    for (flags, realisations, total) in [
        ("", efficient(), PairNormalisation::JointOccurrence),
        (
            "--pip-total brute-force",
            efficient(),
            PairNormalisation::BruteForce,
        ),
        (
            "--pip-total counter",
            efficient(),
            PairNormalisation::Counter,
        ),
        (
            "--pip-zero-truncated",
            truncated,
            PairNormalisation::JointOccurrence,
        ),
        (
            "--pip-realizations 300 --pip-offset 2 --pip-always 1 --pip-default 0.5",
            other,
            PairNormalisation::JointOccurrence,
        ),
    ] {
        for weighted in [false, true] {
            let weight = if weighted { "--weight w" } else { "" };
            let [a, b] = [&first, &second].map(|text| particles(text, weighted, false));
            let what = &CountSpec::new(r_bins()).weighted_by(pip(realisations, total));
            let all = format!("--bits BITWEIGHT0,BITWEIGHT1 {weight} {flags} --bins lin:0:5:4");
            for (files, pairs, name) in [
                ("d.csv", Pairs::Auto(&a), "DD"),
                ("d.csv e.csv", Pairs::Cross(&a, &b), "D1D2"),
            ] {
                for engine in ["naive", "cpu", "auto"] {
                    folder.good(&format!("count {files} {all} --engine {engine} -o c.ecsv"));
                    let table = folder.table("c.ecsv");
                    let expected = library(pairs, what);
                    assert_eq!(integers(&table, "npairs"), expected.npairs());
                    assert_eq!(Some(floats(&table, "weight")), expected.weight(), "{all}");
                    let record = &table.meta["counts"][name];
                    let total_weight = record["total_weight"].as_f64().unwrap();
                    assert_eq!(total_weight, expected.total().weight, "{all}");
                    let made = &record["pair_weight"]["bits"];
                    assert_eq!(made["kind"], "PIP");
                    assert_eq!(made["realizations"], realisations.number);
                    assert_eq!(made["offset"], realisations.offset);
                    assert_eq!(made["always"], realisations.always);
                    assert_eq!(made["default"].as_f64(), Some(realisations.default_value));
                    assert_eq!(made["total"], total.name());
                    assert_eq!(made["bits"], 128);
                    let sample = &table.meta["samples"][0];
                    assert_eq!(
                        sample["bits"],
                        serde_json::json!(["BITWEIGHT0", "BITWEIGHT1"])
                    );
                }
            }
        }
    }
}

#[test]
fn estimates_take_pairwise_weights_of_data_and_individual_ones_with_randoms() {
    let folder = folder();
    let bits = "--bits BITWEIGHT0,BITWEIGHT1 --weight w";
    let [d, e, r] =
        ["d.csv", "e.csv", "r.csv"].map(|name| particles(&read(&folder, name), true, false));
    let pip = pip(efficient(), PairNormalisation::default());
    let weighted = &CountSpec::new(r_bins()).weighted_by(pip);
    let plain = &CountSpec::for_pairs(r_bins(), Pairs::Auto(&r));
    folder.good(&format!(
        "xi d.csv --randoms r.csv {bits} --bins lin:0:5:4 -o xi.parquet"
    ));
    let auto = folder.table("xi.parquet");
    folder.good(&format!(
        "xi d.csv --randoms r.csv --cross e.csv --cross-randoms r.csv {bits} --bins lin:0:5:4 -o cross.csv"
    ));
    let cross = folder.table("cross.csv");
    for (table, name, pairs, what, kind) in [
        (&auto, "DD", Pairs::Auto(&d), weighted, Some("PIP")),
        (&auto, "DR", Pairs::Cross(&d, &r), weighted, Some("IIP")),
        (&auto, "RR", Pairs::Auto(&r), plain, None),
        (&cross, "D1D2", Pairs::Cross(&d, &e), weighted, Some("PIP")),
        (&cross, "D1R2", Pairs::Cross(&d, &r), weighted, Some("IIP")),
        (&cross, "R1D2", Pairs::Cross(&r, &e), weighted, Some("IIP")),
        (&cross, "R1R2", Pairs::Cross(&r, &r), plain, None),
    ] {
        let expected = library(pairs, what);
        assert_eq!(
            integers(table, &format!("{name}_npairs")),
            expected.npairs()
        );
        assert_eq!(
            Some(floats(table, &format!("{name}_weight"))),
            expected.weight(),
            "{name}"
        );
        let normalised = floats(table, &format!("{name}_normalised"));
        assert_eq!(normalised, expected.normalised(), "{name}");
        let made = table.meta["counts"][name].get("pair_weight");
        assert_eq!(
            made.and_then(|made| made["bits"]["kind"].as_str()),
            kind,
            "{name}"
        );
    }
    // The second sample may go without.
    folder.good(&format!(
        "count d.csv r.csv {bits} --cross-bits none --bins lin:0:5:4 -o dr.csv"
    ));
    assert_eq!(
        floats(&folder.table("dr.csv"), "weight"),
        floats(&auto, "DR_weight")
    );
    folder.good(&format!(
        "wp d.csv --randoms r.csv {bits} --bins lin:0:4:2 --pi-bins lin:0:4:2 -o wp.csv"
    ));
    assert_eq!(
        folder.table("wp.csv").meta["counts"]["DD"]["pair_weight"]["bits"]["kind"],
        "PIP"
    );
}

#[test]
fn a_jackknife_with_bits_is_the_scatter_of_runs_without_each_region() {
    let with_region = |text: String| -> String {
        let rows = text.lines().enumerate().map(|(row, line)| {
            if row == 0 {
                return format!("{line},reg\n");
            }
            let half = |k: usize| {
                u32::from(line.split(',').nth(k).unwrap().parse::<f64>().unwrap() >= 5.0)
            };
            format!("{line},{}\n", 4 * half(0) + 2 * half(1) + half(2))
        });
        rows.collect()
    };
    let folder = folder().with("q.csv", &with_region(scattered(400, 10.0, 2)));
    for total in ["joint", "brute-force", "counter"] {
        let command = format!(
            "xi d.csv --randoms q.csv {BITS} --weight w --pip-total {total} --bins lin:0:5:3"
        );
        folder.good(&format!(
            "{command} --regions-column reg --covariance cov.csv"
        ));
        let rows: Vec<Vec<f64>> = (0..8)
            .map(|region| {
                let mut arguments: Vec<&str> = command.split_whitespace().collect();
                let rest = format!("reg != {region}");
                arguments.extend(["--where", &rest, "-o", "rest.csv"]);
                let run = folder.run_with(&arguments);
                assert_eq!(run.code, 0, "{arguments:?}\n{}", run.stderr);
                floats(&folder.table("rest.csv"), "xi")
            })
            .collect();
        close(
            &floats(&folder.table("cov.csv"), "covariance"),
            &jackknife(&rows),
        );
    }
}

#[test]
fn results_of_other_weights_do_not_add() {
    let folder = folder();
    folder.good(&format!("count d.csv {BITS} --bins lin:0:5:4 -o pip.csv"));
    folder.good("count e.csv --weight w --bins lin:0:5:4 -o plain.csv");
    folder.good(&format!("count e.csv {BITS} --bins lin:0:5:4 -o other.csv"));
    let run = folder.run("result sum plain.csv pip.csv -o sum.csv");
    assert_eq!(run.code, 1);
    assert!(
        run.stderr
            .contains("its weights of pairs: DD: \"129/(1 + common bits)"),
        "{}",
        run.stderr
    );
    folder.good("result sum pip.csv other.csv -o sum.csv");
}

#[cfg(feature = "cuda")]
#[test]
fn graphics_processors_weigh_pairs_as_the_processor_does() {
    let folder = folder();
    let count = format!("count d.csv {BITS} --bins lin:0:5:4");
    let run = folder.run(&format!("{count} --engine cuda -o gpu.csv"));
    if run.code == 0 {
        folder.good(&format!("{count} --engine cpu -o cpu.csv"));
        let [cpu, gpu] = ["cpu.csv", "gpu.csv"].map(|name| folder.table(name));
        assert_eq!(cpu.columns, gpu.columns);
    } else {
        let mut missing = ["NVIDIA", "NVRTC", "no GPU"].iter();
        let no_gpu = missing.any(|word| run.stderr.contains(word));
        assert!(no_gpu && run.code == 1, "{}", run.stderr);
    }
    let auto = folder.good(&format!("{count} -o c.csv"));
    assert!(auto.stderr.contains("engine: cpu"), "{}", auto.stderr);
}
