//! Command lines and all that they say, as text in `cases/`: what a line of these files means says `tests/fixtures/src/cases.rs`.
//!
//! `ALBIREO_UPDATE=1 cargo test -p albireo-cli --test program -- cases::` writes what was found.

use albireo_fixtures::{Cases, Folder, Outcome};

use crate::folder::run_in;

macro_rules! files {
    ($($name:ident)*) => {
        $(mod $name {
            #[test]
            fn hold() {
                super::CASES.hold(stringify!($name));
            }
        })*
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

files! {
    bad_input bins_of bit_columns block_errors columns combine common_units completeness covariance cuda cuts dumps estimates field field_maps figures formats formulas frames frames_in_time job job_names job_steps joins md molecules moving nz one_frame other_files outputs packages pair_sums partials plots projections random randoms rdf realisations regions report results reuse saved_algebra saved_counts saved_estimates scattering shards shells silent species split statistics survey_errors units units_of_frames walls weight_sets words
}

const CASES: Cases = Cases {
    files: concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/cases"),
    names: NAMES,
    checkout: concat!(env!("CARGO_MANIFEST_DIR"), "/.."),
    features: &[
        ("cuda", cfg!(feature = "cuda")),
        ("fits", cfg!(feature = "fits")),
        ("hdf5", cfg!(feature = "hdf5")),
        ("parquet", cfg!(feature = "parquet")),
        ("plot", cfg!(feature = "plot")),
        ("unix", cfg!(unix)),
    ],
    run: outcome,
};

/// What the program does; its log is left out.
fn outcome(folder: &Folder, words: &[&str]) -> Outcome {
    assert_eq!(words[0], "albireo");
    let run = run_in(&folder.path(""), &words[1..]);
    let is_log = |line: &&str| line.starts_with(" INFO ") || line.starts_with("DEBUG ");
    let said = run.stderr.lines().filter(|line| !is_log(line));
    Outcome {
        code: run.code,
        said: said.flat_map(|line| [line, "\n"]).collect(),
        printed: run.stdout,
    }
}
