//! Counts of published catalogues, where these are at hand: the environment variable `ALBIREO_TEST_DATA` names a folder with the
//! catalogues and counts that Corrfunc 2.5.3 ships (Sinha & Garrison 2020, DOI 10.1093/mnras/stz3157) in `corrfunc/`.
//!
//! Its auto counts hold each pair twice; its xi and wp divide by W^2 - W^2/N.

use std::path::PathBuf;

use crate::folder::{Folder, floats, integers};

/// The folder of the reference data, or none (and a word about it) where the tests cannot run.
#[allow(clippy::print_stderr, reason = "a skipped test has to say so")]
pub(crate) fn data() -> Option<PathBuf> {
    let folder =
        std::env::var_os("ALBIREO_TEST_DATA").map(|folder| PathBuf::from(folder).join("corrfunc"));
    if folder.is_none() {
        eprintln!("skipped: ALBIREO_TEST_DATA does not name the folder of the reference data");
    }
    folder
}

/// A column of a reference table.
fn column(path: &str, index: usize) -> Vec<f64> {
    let text = std::fs::read_to_string(data().unwrap().join("reference").join(path)).unwrap();
    let rows = text.lines().filter(|line| !line.trim().is_empty());
    rows.map(|line| line.split_whitespace().nth(index).unwrap().parse().unwrap())
        .collect()
}

/// Runs a command, in which `DATA` stands for the folder of the reference data, and compares its counts.
pub(crate) fn counts_are(command: &str, reference: &str) {
    counts_are_times(2, command, reference);
}

/// As [`counts_are`], where the reference holds each pair `times` times.
fn counts_are_times(times: u64, command: &str, reference: &str) {
    let Some(data) = data() else { return };
    let folder = Folder::new();
    folder.good(&format!(
        "{} -o out.json",
        command.replace("DATA", data.to_str().unwrap())
    ));
    let table = folder.table("out.json");
    let npairs: Vec<u64> = integers(&table, "npairs")
        .iter()
        .map(|n| times * n)
        .collect();
    let expected: Vec<u64> = column(reference, 0).iter().map(|&n| n as u64).collect();
    assert_eq!(npairs, expected, "{command}");
    if command.contains("--weight") {
        let means = floats(&table, "weight")
            .into_iter()
            .zip(&npairs)
            .map(|(sum, &n)| times as f64 * sum / n as f64);
        for (mean, expected) in means.zip(column(reference, 4)) {
            assert!(
                expected == 0.0 || (mean / expected - 1.0).abs() < 2e-7,
                "{mean} {expected}"
            );
        }
    }
}

#[test]
fn box_separations() {
    counts_are(
        "count DATA/gals_Mr19.h5 --box file --weight w --bins @DATA/reference/box/bins",
        "box/Mr19_DD_periodic",
    );
}

#[test]
fn box_rp_pi() {
    counts_are(
        "count DATA/gals_Mr19.h5 --box 420 --weight w --statistic rp-pi --bins @DATA/reference/box/bins --pi-bins lin:0:40:40",
        "box/Mr19_DDrppi_periodic",
    );
}

#[test]
fn box_s_mu() {
    counts_are(
        "count DATA/gals_Mr19.h5 --box 420 --weight w --statistic s-mu --bins @DATA/reference/box/bins --mu-bins lin:0:0.5:10",
        "box/Mr19_DDsmu_periodic",
    );
}

#[test]
fn survey_rp_pi() {
    counts_are(
        "count DATA/Mr19_mock_northonly.fits --distance DIST --weight WEIGHT --statistic rp-pi \
         --bins @DATA/reference/survey/bins --pi-bins lin:0:40:40",
        "survey/Mr19_mock.DD",
    );
}

/// Mock with randoms: the randoms stand in the folder that `ALBIREO_TEST_SURVEY` names.
#[test]
#[allow(clippy::print_stderr, reason = "a skipped test has to say so")]
fn survey_cross_s_mu() {
    let Some(survey) = std::env::var_os("ALBIREO_TEST_SURVEY") else {
        eprintln!("skipped: ALBIREO_TEST_SURVEY does not name the folder of the survey randoms");
        return;
    };
    let randoms = PathBuf::from(survey).join("Mr19_randoms_northonly.fits");
    let command = format!(
        "count DATA/Mr19_mock_northonly.fits {} --distance DIST --weight WEIGHT --statistic s-mu \
         --bins @DATA/reference/survey/bins --mu-bins lin:0:1:10",
        randoms.display()
    );
    counts_are_times(1, &command, "survey/Mr19_mock_DDsmu.DR");
}

#[test]
fn survey_angles() {
    counts_are(
        "count DATA/Mr19_mock_northonly.fits --weight WEIGHT --statistic theta --bins @DATA/reference/survey/angular_bins",
        "survey/Mr19_mock_wtheta.DD",
    );
}

/// Water oxygens in a rhombic dodecahedron: CADISHI 1.1.4 and a float64 loop over images both find 2,466,790 pairs within 15 A.
#[test]
fn a_rhombic_dodecahedron() {
    let Some(data) = data() else { return };
    let catalog = data.with_file_name("md").join("adk_dodecahedron.parquet");
    let vectors = "80.01700592041016,0,0,0,80.01700592041016,0,40.008502960205085,40.008502960205085,56.580567496566125";
    let counts = |engine: &str| {
        let folder = Folder::new();
        let run = folder.run_with(&[
            "count",
            catalog.to_str().unwrap(),
            "--where",
            "frame == 0 && species == \"OW\"",
            "--box",
            vectors,
            "--wrap",
            "--bins",
            "lin:0:15:300",
            "--engine",
            engine,
            "-o",
            "out.json",
        ]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        integers(&folder.table("out.json"), "npairs")
    };
    let npairs = counts("cpu");
    assert_eq!(npairs.iter().sum::<u64>(), 2_466_790);
    assert_eq!(npairs, counts("naive"));
}

/// Compares one column of a result with the first of a reference table, relative to 1 + xi where that is the scale.
fn values_are(command: &str, name: &str, reference: &str, tolerance: f64) {
    let Some(data) = data() else { return };
    let folder = Folder::new();
    folder.good(&format!(
        "{} -o out.json",
        command.replace("DATA", data.to_str().unwrap())
    ));
    for (value, expected) in floats(&folder.table("out.json"), name)
        .iter()
        .zip(column(reference, 0))
    {
        assert!(
            (value / expected - 1.0).abs() < tolerance,
            "{command}: {value} {expected}"
        );
    }
}

#[test]
fn box_xi_and_wp() {
    // Printed to seven digits; W^2 - W^2/N against W^2 - sum w^2 makes a difference of a few millionths.
    let xi = "xi DATA/gals_Mr19.h5 --box 420 --weight w --bins @DATA/reference/box/bins";
    values_are(xi, "xi", "box/Mr19_xi", 4e-6);
    let wp = "wp DATA/gals_Mr19.h5 --box 420 --weight w --bins @DATA/reference/box/bins --pi-bins lin:0:40:40";
    values_are(wp, "wp", "box/Mr19_wp", 7e-6);
}
