//! What a covariance is sampled from, as it is given, and what is refused of it.
//!
//! Entry: [`Input`], [`Settings`].

use albireo::{Bins, Domain, LineOfSight, Particles};

use super::constants::PAIR_NAMES;
use super::{SHARE_STEP, SamplerError, XiTable};

/// Bins at most: a row of counters stays in the cache, and the matrix in memory.
pub const MOST_BINS: usize = 8192;

/// How many points, and how many draws of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// What all draws depend on.
    pub seed: u64,
    /// Random points of a round at most.
    pub points: usize,
    /// Members of a cloud on average.
    pub cloud: f64,
    /// Pairs that a round keeps of each bin along the first axis, where there are as many.
    pub pairs: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            points: 131_072,
            cloud: 16.0,
            pairs: 65_536.0,
        }
    }
}

/// What a covariance is sampled from. Tracers are one or two; pairs of them 11, or 11, 12 and 22.
#[derive(Debug, Clone)]
pub struct Input {
    /// Where separations live.
    pub domain: Domain,
    /// The bins of the covariance, of either sign of their coordinates.
    pub bins: Bins,
    /// The line of sight of xi where bins have none; none: xi at mu = 0.
    pub line_of_sight: Option<LineOfSight>,
    /// Random points of each tracer with their weights.
    pub randoms: Vec<Particles>,
    /// xi of each pair of tracers.
    pub xi: Vec<XiTable>,
    /// Products of weights over all pairs in each bin, for each pair of tracers: both orders of a pair of one tracer.
    pub random_pairs: Vec<Vec<f64>>,
    /// The share of each region in RR of each bin, region by region, where sums by region are asked for: of one tracer, whose points have labels.
    pub region_shares: Option<Vec<Vec<f64>>>,
    /// How much is drawn.
    pub settings: Settings,
}

impl Settings {
    pub(super) fn check(self) -> Result<(), SamplerError> {
        let refuse = |what, expected, found| {
            Err(SamplerError::Setting {
                what,
                expected,
                found,
            })
        };
        if self.points < 4 || self.points > 1 << 24 {
            return refuse("points of a round", "4 to 16777216", self.points as f64);
        }
        if !(self.cloud > 0.0 && self.cloud <= 1024.0) {
            return refuse("members of a cloud", "above 0 and at most 1024", self.cloud);
        }
        if !(self.pairs > 0.0 && self.pairs <= 1e9) {
            return refuse(
                "pairs of a round and bin",
                "above 0 and at most 1e9",
                self.pairs,
            );
        }
        Ok(())
    }
}

/// Shares of regions in steps.
pub(super) fn shares(input: &Input) -> Result<Vec<Vec<i32>>, SamplerError> {
    let Some(shares) = &input.region_shares else {
        return Ok(vec![]);
    };
    let refuse = |expected, found| Err(SamplerError::Regions { expected, found });
    let bins = input.bins.n_bins();
    let Some(labels) = input.randoms[0].labels() else {
        return refuse("a region of each random point", "none".to_owned());
    };
    if input.randoms.len() > 1 {
        return refuse("one tracer", "two".to_owned());
    }
    if labels.number() as usize != shares.len() {
        let found = format!(
            "{} regions, {} rows of shares",
            labels.number(),
            shares.len()
        );
        return refuse("the shares of every region", found);
    }
    if let Some(row) = shares.iter().find(|row| row.len() != bins) {
        return refuse(
            "a share in every bin",
            format!("{} shares, {bins} bins", row.len()),
        );
    }
    if let Some(share) = shares
        .iter()
        .flatten()
        .find(|share| !(0.0..=1.0).contains(*share))
    {
        return refuse("shares from 0 to 1", format!("{share}"));
    }
    let in_steps = |share: &f64| (share / SHARE_STEP).round() as i32;
    Ok(shares
        .iter()
        .map(|row| row.iter().map(in_steps).collect())
        .collect())
}

/// Refuses bins, lines of sight and counts that nothing can be sampled by.
pub(super) fn check_bins(input: &Input) -> Result<(), SamplerError> {
    let (bins, expected) = (&input.bins, input.bins.n_bins());
    if expected > MOST_BINS {
        return Err(SamplerError::TooManyBins {
            found: expected,
            limit: MOST_BINS,
        });
    }
    let sight = bins.line_of_sight().or(input.line_of_sight);
    let (periodic, midpoint) = (input.domain.is_periodic(), Some(LineOfSight::Midpoint));
    if let Some(found) =
        sight.filter(|sight| sight.depends_on_order() || periodic && Some(*sight) == midpoint)
    {
        let expected = if periodic {
            "an axis of the box"
        } else {
            "the middle of the pair or an axis"
        };
        return Err(SamplerError::LineOfSight {
            expected,
            found: found.name(),
        });
    }
    let (limit, reach) = (input.domain.reach(), bins.reach().along_axes());
    if let Some(reach) = reach.into_iter().find(|reach| *reach > limit) {
        return Err(SamplerError::Reach { limit, reach });
    }
    for (&pair, counts) in PAIR_NAMES.iter().zip(&input.random_pairs) {
        let wrong = counts
            .iter()
            .find(|value| !(**value >= 0.0 && value.is_finite()));
        let found = match wrong {
            _ if counts.len() != expected => format!("{} numbers", counts.len()),
            Some(value) => format!("{value}"),
            None => continue,
        };
        let pair = if input.randoms.len() == 1 { "11" } else { pair };
        return Err(SamplerError::RandomPairs {
            pair,
            expected,
            found,
        });
    }
    Ok(())
}
