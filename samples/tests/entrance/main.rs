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
mod drawn;
mod files;
mod fits;
mod sky;
mod snapshot;
mod units;

use std::time::{Duration, Instant};

use case::Case;
use drawn::Drawn;

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

/// The number that an environment variable asks for.
fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    let value = text.parse().ok();
    assert!(value.is_some(), "{name} must be a number, found `{text}`");
    value
}

/// Draws cases until their number or the time is reached.
fn attack(name: &str, draw: fn(&mut Drawn) -> Case) {
    let seed = variable("ALBIREO_ATTACK_SEED").unwrap_or(SEED);
    let most: Option<u64> = variable("ALBIREO_ATTACK_CASES");
    let only: Option<u64> = variable("ALBIREO_ATTACK_CASE");
    // Who asks for a number of cases waits for them.
    let seconds = variable("ALBIREO_ATTACK_SECONDS");
    let seconds = seconds.unwrap_or(if most.is_some() { 1e9 } else { SECONDS });
    let begun = Instant::now();
    let (mut counted, mut refused) = (0, 0);
    for number in only.map_or(0..most.unwrap_or(u64::MAX), |only| only..only + 1) {
        if only.is_none() && begun.elapsed() > Duration::from_secs_f64(seconds) {
            break;
        }
        let mut drawn = Drawn::new(seed, number);
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
