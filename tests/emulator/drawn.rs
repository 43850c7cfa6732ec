//! The cases of the standing attack (`tests/attack.rs`) on the emulated device.

use albireo::engine::cuda::{Precision, Tuning};

use super::attack::campaign::{Campaign, verdict};
use super::attack::case::Case;
use super::attack::draw::Limits;
use super::{Emulated, trials};

pub(crate) const TESTS: [trials::Test; 2] = [
    (
        "random_counts_are_those_of_the_double_loop",
        random_counts_are_those_of_the_double_loop,
    ),
    (
        "drawn_expressions_are_those_of_the_double_loop",
        drawn_expressions_are_those_of_the_double_loop,
    ),
];

/// Each program is a kernel more to compile, and has a campaign of its own.
fn random_counts_are_those_of_the_double_loop() {
    campaign(300, |case| case.besides.program.is_none());
}

fn drawn_expressions_are_those_of_the_double_loop() {
    campaign(40, |case| case.besides.program.is_some());
}

/// The first `cases` of the attack, as far as they are wanted.
fn campaign(cases: u64, wanted: fn(&Case) -> bool) {
    let mut engine = Emulated::new(Precision::Exact);
    // One shape: each further one is a kernel more to compile.
    engine.options.tuning = Tuning {
        threads: 64,
        points: 2,
        tile: 32,
        cell_particles: 0,
    };
    let campaign = Campaign::new(Limits::SLOW, cases, 60.0);
    let report = campaign.run(&|case| {
        verdict(case, |expected| {
            // Several sets of weights are one pass each, by what stands around devices.
            if !wanted(case) || !case.besides.sets.is_empty() {
                return None;
            }
            // Cuts are taken off by it too.
            if case.is_unsupported() || !case.besides.cuts.is_empty() {
                return expected.counts_unsupported(&engine);
            }
            if case.reaches_beyond() {
                return expected.differs_where_counted(&engine);
            }
            expected.differs(&engine)
        })
    });
    match report {
        Ok(report) => {
            eprintln!("{report}");
            assert!(report.filled > 0, "no case had a pair in a bin");
        }
        Err(told) => panic!("{told}"),
    }
}
