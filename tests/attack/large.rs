//! Draws samples so large that a device takes them by tensor cores where it can, and compares it with the processor, which is compared with the
//! double loop where that has the time.
//!
//! Entry: [`attack`]. The environment variables are those of campaigns of counts.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use albireo::Engine;
use albireo::engine::{Cpu, Traversal};

use super::besides::Besides;
use super::campaign::SEED;
use super::case::{Bins, Case, Space, Summed};
use super::compare::outcome;
use super::draw::Draft;
use super::edges::{self, Kind};
use super::points::{Place, Structure, offset};
use super::random::Random;
use super::spaces::{limit_or_beyond, space};
use super::variable::variable;

/// The fewest points of a sample, and how many more there may be.
const FEWEST: usize = 65_536;
const MORE: usize = 60_000;

/// Case `number` under `seed`; nothing where its reach would lie beyond the nearest images.
fn draw(seed: u64, number: u64) -> Option<Case> {
    let mut random = Random::of_case(seed ^ 0x1a46e, number);
    let mut draft = Draft::new(&mut random);
    let space = space(&mut draft);
    let (limit, beyond_half) = limit_or_beyond(&mut draft, &space);
    if beyond_half {
        return None;
    }
    let structure = draft.class(&[
        ("uniform", Structure::Uniform),
        ("uniform", Structure::Uniform),
        ("uniform", Structure::Uniform),
        ("clumps", Structure::Clumps),
        ("faces", Structure::Faces),
        ("lattice", Structure::Lattice),
        ("beside a lattice", Structure::BesideLattice),
        ("line", Structure::Line),
        ("exchanged", Structure::Exchanged),
    ]);
    let random = draft.random;
    let mut place = Place::new(random, &space, structure);
    let [first, second] = samples(random, &mut place, &space);
    let second = random.once_in(3).then_some(second);
    Some(Case {
        bins: Bins::R(bins(random, limit)),
        first,
        second,
        weights: [None, None],
        space,
        summed: Summed::Counts,
        traversal: Traversal::Auto,
        beyond_half,
        besides: Besides::default(),
        classes: vec![],
        offered: BTreeSet::new(),
    })
}

/// Two samples, now and then far from the origin.
fn samples(random: &mut Random, place: &mut Place, space: &Space) -> [Vec<[f64; 3]>; 2] {
    let mut samples = [0; 2].map(|_| {
        let n = FEWEST + random.below(MORE);
        place.points(random, n)
    });
    if random.once_in(4) {
        let by = [0; 3].map(|_| random.pick(&[0.0, 1000.0, -1e5]));
        for rows in &mut samples {
            offset(rows, by, space);
        }
    }
    samples
}

/// Edges that reach `limit` or less.
fn bins(random: &mut Random, limit: f64) -> Vec<f64> {
    let hi = limit * random.pick(&[0.02, 0.05, 0.1, 0.2, 0.5, 1.0]);
    let kind = random.pick(&[Kind::Linear, Kind::Linear, Kind::Log, Kind::Arbitrary]);
    let narrow = random.once_in(2);
    let most = random.pick(&[1, 10, 30, 110]);
    edges::across(random, kind, narrow, hi, most)
}

/// Compares `engine` with the processor, unless the environment asks for other cases, or more.
///
/// # Errors
/// The first difference with the number of its case.
pub fn attack(engine: &dyn Engine, cases: u64, seconds: f64) -> Result<String, String> {
    let seed = variable("ALBIREO_ATTACK_SEED").unwrap_or(SEED);
    let only: Option<u64> = variable("ALBIREO_ATTACK_CASE");
    let cases = variable("ALBIREO_ATTACK_CASES").unwrap_or(cases);
    let seconds = variable("ALBIREO_ATTACK_SECONDS").unwrap_or(seconds);
    let (begin, time) = (Instant::now(), Duration::from_secs_f64(seconds));
    let (mut drawn, mut filled, mut pairs) = (0u64, 0u64, 0f64);
    for number in only.map_or(0..cases, |only| only..only + 1) {
        if begin.elapsed() > time {
            break;
        }
        let Some(case) = draw(seed, number) else {
            continue;
        };
        let Ok(built) = case.built() else { continue };
        drawn += 1;
        let expected = outcome(&Cpu::new(), &case, &built);
        if outcome(engine, &case, &built) != expected {
            return Err(format!(
                "ALBIREO_ATTACK_SEED={seed} ALBIREO_ATTACK_CASE={number}: {} differs: {:?} in {:?}",
                engine.description(),
                case.bins,
                case.space
            ));
        }
        let counted = expected.map_or(0, |tally| tally.pairs().iter().sum::<u64>());
        filled += u64::from(counted > 0);
        pairs += counted as f64;
    }
    if only.is_none() && drawn > 50 && filled * 2 < drawn {
        return Err(format!(
            "{drawn} large samples drawn, {filled} with pairs in bins"
        ));
    }
    Ok(format!(
        "large samples: {drawn}, {filled} with pairs in bins, {pairs:e} pairs in all"
    ))
}
