//! Files at random: tables in any format and unit, with missing values, conditions, weights, boxes and redshift space, become the particles and
//! the counts that a plain double loop finds; what has no meaning is refused.
//!
//! `cargo test -p albireo-samples --test entrance -- --nocapture` draws a fixed seed for some seconds; `ALBIREO_ATTACK_SEED`,
//! `ALBIREO_ATTACK_CASES`, `ALBIREO_ATTACK_SECONDS` and `ALBIREO_ATTACK_CASE` (that number alone) ask for others.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failed unwrap is a failed test; what was tried is said"
)]

mod cartesian;
mod case;
mod columns;
mod compare;
mod files;
mod fits;
#[path = "../../../tests/attack/random.rs"]
mod random;
mod sky;
mod snapshot;
mod units;
#[path = "../../../tests/attack/variable.rs"]
mod variable;

use std::time::{Duration, Instant};

use case::Case;
use random::Random;
use variable::variable;

/// The seed of CI.
const SEED: u64 = 20_261_128;
/// How long each attack lasts, in seconds.
const SECONDS: f64 = 3.0;

#[test]
fn positions_in_space_are_read_as_they_are_stated() {
    attack("positions", cartesian::draw);
}

#[test]
fn positions_on_the_sky_are_read_as_they_are_stated() {
    attack("sky", sky::draw);
}

#[test]
fn snapshots_are_brought_to_redshift_space() {
    attack("snapshots", snapshot::draw);
}

/// Draws cases until their number or the time is reached.
fn attack(name: &str, draw: fn(&mut Random) -> Case) {
    let seed = variable("ALBIREO_ATTACK_SEED").unwrap_or(SEED);
    let most: Option<u64> = variable("ALBIREO_ATTACK_CASES");
    let only: Option<u64> = variable("ALBIREO_ATTACK_CASE");
    // A number of cases takes as long as it takes.
    let seconds = variable("ALBIREO_ATTACK_SECONDS");
    let seconds = seconds.unwrap_or(if most.is_some() { 1e9 } else { SECONDS });
    let begun = Instant::now();
    let (mut counted, mut refused) = (0, 0);
    for number in only.map_or(0..most.unwrap_or(u64::MAX), |only| only..only + 1) {
        if only.is_none() && begun.elapsed() > Duration::from_secs_f64(seconds) {
            break;
        }
        let mut drawn = Random::of_case(seed, number);
        let case = draw(&mut drawn);
        match compare::differs(&case, &mut drawn) {
            Ok(true) => counted += 1,
            Ok(false) => refused += 1,
            Err(what) => panic!(
                "{name}: {what}\n{case}\nagain: ALBIREO_ATTACK_SEED={seed} ALBIREO_ATTACK_CASE={number}"
            ),
        }
    }
    eprintln!("{name}: {counted} cases counted as by a double loop, {refused} refused");
    assert!(only.is_some() || counted > refused, "too few cases count");
}
