//! Cuts: pairs that are dropped from the counts, by an exact rule.
//!
//! Entry: [`Cut`]. Engines count everything and take off what the cuts hold, which is little.

#![allow(
    clippy::cast_possible_truncation,
    reason = "rows lie below MAX_PARTICLES, in 32 bits"
)]

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use crate::binning::{Binning, Edges, LineOfSight, PairOrder, ThetaBins, check_sight_edges};
use crate::domain::Domain;
use crate::error::{BinsError, JobError};
use crate::pairs::{PairJob, Pairs};
use crate::particles::Particles;
use crate::separation::{Separation, direction};

/// Pairs that are not counted. Totals keep them: a cut takes pairs out of the bins, not out of the sample.
///
/// ```
/// use albireo::tally::Cut;
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Engine, Naive, PairJob, Pairs, Particles, Points, RBins};
/// let points = Points::from_rows(&[[1.0, 0.0, 0.0], [2.0, 0.001, 0.0], [0.0, 2.0, 0.0]])?;
/// let sample = Particles::new(points);
/// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
/// // Fibres collide below a tenth of a degree.
/// let what = CountSpec::new(RBins::new(Edges::linear(0.0, 3.0, 1)?)).with_cut(Cut::theta(0.0, 0.1)?);
/// assert_eq!(Naive.run(&job, &what, &Silent)?.pairs(), [2]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub enum Cut {
    /// Directions from the observer at the origin apart by an angle in one bin, degrees; 180 is closed. Open domains alone.
    Theta(ThetaBins),
    /// Separations across the line of sight in one bin.
    Rp {
        /// `lo*lo <= rp2 < hi*hi`.
        rp: Edges,
        /// The line of sight, named as it may differ from that of the bins. Where an auto count holds each pair once it cannot depend on
        /// which point comes first.
        los: LineOfSight,
    },
    /// Both points in one group, such as a molecule.
    SameGroup,
    /// The pairs of a list, such as bonds.
    Listed(Arc<[[u32; 2]]>),
}

impl Cut {
    /// Drops pairs whose directions from the origin are `lo` up to `hi` degrees apart.
    ///
    /// # Errors
    /// Angles that do not rise within [0, 180].
    pub fn theta(lo: f64, hi: f64) -> Result<Self, BinsError> {
        Ok(Self::Theta(ThetaBins::new(Edges::new(vec![lo, hi])?)?))
    }

    /// Drops pairs that are `lo` up to `hi` apart across the line of sight.
    ///
    /// # Errors
    /// Separations that do not rise from 0 or more.
    pub fn rp(lo: f64, hi: f64, los: LineOfSight) -> Result<Self, BinsError> {
        let rp = Edges::new(vec![lo, hi])?;
        Ok(Self::Rp { rp, los })
    }

    /// Drops the pairs of rows listed, in either order for a count within one sample; what is listed twice is one pair, and a row with
    /// itself is none.
    pub fn listed(pairs: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut pairs: Vec<[u32; 2]> = pairs.into_iter().collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self::Listed(pairs.into())
    }

    /// What results and refusals call it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Theta(_) => "a cut in theta",
            Self::Rp { .. } => "a cut in rp",
            Self::SameGroup => "a cut of pairs within a group",
            Self::Listed(_) => "a cut of listed pairs",
        }
    }

    /// Whether it is about where points lie, so that it holds pairs of any two samples alike, rather than about who they are.
    pub fn is_of_space(&self) -> bool {
        match self {
            Self::Theta(_) | Self::Rp { .. } => true,
            Self::SameGroup | Self::Listed(_) => false,
        }
    }

    /// The line of sight by which it may hold a pair in one order alone.
    pub(crate) fn sight_of_order(&self) -> Option<LineOfSight> {
        match self {
            Self::Rp { los, .. } if los.depends_on_order() => Some(*los),
            _ => None,
        }
    }

    /// The same cut for the rows `runs` of a job's two samples, counted from 0 in each; `either` where a pair may be listed in any order.
    pub(crate) fn in_runs(&self, runs: [&Range<usize>; 2], either: bool) -> Self {
        let Self::Listed(list) = self else {
            return self.clone();
        };
        let own = |[i, j]: [u32; 2]| {
            let [i, j] = [i as usize, j as usize];
            let held = runs[0].contains(&i) && runs[1].contains(&j);
            held.then(|| [(i - runs[0].start) as u32, (j - runs[1].start) as u32])
        };
        let both = |&[i, j]: &[u32; 2]| [own([i, j]), own([j, i]).filter(|_| either)];
        Self::listed(list.iter().flat_map(both).flatten())
    }

    /// The same cut for rows of the first sample in other places, or left out; of both samples where they are one.
    pub(crate) fn renumbered(&self, places: &[Option<u32>], is_auto: bool) -> Self {
        let Self::Listed(list) = self else {
            return self.clone();
        };
        let place = |row: u32| places.get(row as usize).copied().flatten();
        let moved = |&[i, j]: &[u32; 2]| {
            let j = if is_auto { place(j)? } else { j };
            Some([place(i)?, j])
        };
        Self::listed(list.iter().filter_map(moved))
    }

    /// Whether the pair of rows `pair` is dropped: the exact rule.
    pub(crate) fn holds(&self, pairs: Pairs<'_>, [i, j]: [usize; 2], sep: &Separation) -> bool {
        match self {
            Self::Theta(bins) => {
                let [n1, n2] = [sep.x1, sep.x2].map(direction);
                bins.bin(&Domain::Open.separation(n1, n2)).is_some()
            }
            Self::Rp { rp, los } => rp.locate(los.rp_pi(sep).0).is_some(),
            Self::SameGroup => {
                let (first, second) = pairs.both();
                match (first.groups(), second.groups()) {
                    (Some(a), Some(b)) => a.values()[i] == b.values()[j],
                    _ => false,
                }
            }
            Self::Listed(list) => {
                let [i, j] = [i as u32, j as u32];
                let has = |pair: [u32; 2]| list.binary_search(&pair).is_ok();
                has([i, j]) || matches!(pairs, Pairs::Auto(_)) && has([j, i])
            }
        }
    }

    /// Checks that the cut is defined for `job`.
    pub(super) fn admit(&self, job: &PairJob<'_>, order: PairOrder) -> Result<(), JobError> {
        let (first, second) = job.pairs().both();
        if let (Some(los), Pairs::Auto(_), PairOrder::Unordered) =
            (self.sight_of_order(), job.pairs(), order)
        {
            return Err(JobError::CutOrder(los.name()));
        }
        match self {
            Self::Theta(_) => {
                if job.domain().is_periodic() {
                    return Err(JobError::AngleInBox);
                }
                let at_origin = |sample: &Particles| sample.points().first_at_origin();
                match at_origin(first).or_else(|| at_origin(second)) {
                    Some(row) => Err(JobError::NoDirection { row }),
                    None => Ok(()),
                }
            }
            Self::Rp {
                los: LineOfSight::Fixed(_),
                ..
            } => Ok(()),
            Self::Rp { los, .. } if job.domain().is_periodic() => {
                Err(JobError::LineOfSight(los.name()))
            }
            Self::Rp { rp, .. } => {
                check_sight_edges(rp.values())?;
                job.pairs().check_sight_range()
            }
            Self::SameGroup if first.groups().is_none() || second.groups().is_none() => {
                Err(JobError::NoGroups)
            }
            Self::SameGroup => Ok(()),
            Self::Listed(list) => {
                let rows = [first.len(), second.len()];
                let beyond = |pair: &&[u32; 2]| (0..2).any(|k| pair[k] as usize >= rows[k]);
                match list.iter().find(beyond) {
                    Some(&pair) => Err(JobError::ListedRow { pair, rows }),
                    None => Ok(()),
                }
            }
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Theta(bins) => {
                let edges = bins.edges();
                write!(f, "theta {} to {} degrees", edges.first(), edges.last())
            }
            Self::Rp { rp, los } => {
                let (lo, hi) = (rp.first(), rp.last());
                write!(f, "rp {lo} to {hi} across the line of sight {}", los.name())
            }
            Self::SameGroup => f.write_str("pairs within a group"),
            Self::Listed(list) => write!(f, "{} listed pairs", list.len()),
        }
    }
}

impl FromStr for Cut {
    type Err = JobError;

    /// The cut that [`Display`](fmt::Display) writes so; the pairs of a list are not in its text.
    fn from_str(text: &str) -> Result<Self, JobError> {
        let range = |text: &str| -> Option<[f64; 2]> {
            let (lo, hi) = text.split_once(" to ")?;
            Some([lo.parse().ok()?, hi.parse().ok()?])
        };
        let of_theta = |text: &str| {
            let [lo, hi] = range(text.strip_suffix(" degrees")?)?;
            Self::theta(lo, hi).ok()
        };
        let of_rp = |text: &str| {
            let (text, los) = text.split_once(" across the line of sight ")?;
            let [lo, hi] = range(text)?;
            Self::rp(lo, hi, LineOfSight::named(los)?).ok()
        };
        let same_group = || (text == Self::SameGroup.to_string()).then_some(Self::SameGroup);
        let theta = || text.strip_prefix("theta ").and_then(of_theta);
        let rp = || text.strip_prefix("rp ").and_then(of_rp);
        let cut = same_group().or_else(theta).or_else(rp);
        cut.ok_or_else(|| JobError::CutText(text.to_owned()))
    }
}

/// Cuts as messages name them.
pub(crate) fn described(cuts: &[Cut]) -> String {
    if cuts.is_empty() {
        return "no cut".to_owned();
    }
    let cuts: Vec<String> = cuts.iter().map(Cut::to_string).collect();
    format!("cut {}", cuts.join(" and "))
}

/// Whether the same pairs are dropped, for any order of the cuts.
pub(crate) fn same_cuts(left: &[Cut], right: &[Cut]) -> bool {
    let all_in = |a: &[Cut], b: &[Cut]| a.iter().all(|cut| b.contains(cut));
    all_in(left, right) && all_in(right, left)
}
