//! Pairs of randoms counted within disjoint subsets of them: nearly as good as all of them where they are many, for a fraction of the work.
//!
//! Entry: [`Split`].

use crate::binning::Bins;
use crate::error::JobError;
use crate::particles::Particles;

/// Randoms split into equal subsets, whose auto counts together take the place of that of all; of pairs close together, where few are left, all
/// may be kept. Keihänen et al. 2019, A&A 631, A73, DOI 10.1051/0004-6361/201935828.
///
/// Subset k of N holds the rows whose number is k modulo N, counting from 0, or those of a run ([`Split::runs_of`]): nothing is drawn.
///
/// ```
/// use albireo::counts::{Split, count_pairs};
/// use albireo::engine::Silent;
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, RBins, random};
/// let randoms = Particles::new(random::in_box(300, 1, [1.0; 3])?);
/// let bins = RBins::new(Edges::linear(0.0, 0.4, 4)?);
/// let split = Split::new(3, None)?;
/// let mut rr: Option<albireo::Counts> = None;
/// for subset in split.subsets_of(&randoms)? {
///     let job = PairJob::new(Pairs::Auto(&subset), &Domain::Open)?;
///     let counts = count_pairs(&Naive, &job, &bins, &Silent)?;
///     match &mut rr {
///         None => rr = Some(counts),
///         Some(rr) => rr.merge(&counts)?,
///     }
/// }
/// assert_eq!(rr.map(|rr| rr.total().pairs), Some(3 * (100 * 99 / 2)));
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    subsets: u32,
    above: Option<f64>,
}

impl Split {
    /// So many subsets; of pairs closer together than `above` all are counted instead.
    ///
    /// # Errors
    /// Fewer than two subsets.
    pub fn new(subsets: u32, above: Option<f64>) -> Result<Self, JobError> {
        if subsets < 2 {
            return Err(JobError::FewSubsets(subsets));
        }
        Ok(Self { subsets, above })
    }

    /// Number of subsets.
    pub fn subsets(&self) -> u32 {
        self.subsets
    }

    /// From which edge of the first axis on pairs are counted within subsets; none for all.
    pub fn above(&self) -> Option<f64> {
        self.above
    }

    /// The subsets of a sample.
    ///
    /// # Errors
    /// A sample of fewer than two particles for each.
    pub fn subsets_of(&self, sample: &Particles) -> Result<Vec<Particles>, JobError> {
        let number = self.subsets as usize;
        if sample.len() / 2 < number {
            return Err(JobError::SmallSubsets {
                rows: sample.len(),
                subsets: self.subsets,
            });
        }
        let subset = |k| sample.strided(k, number).map_err(JobError::from);
        (0..number).map(subset).collect()
    }

    /// The subsets of a sample that are runs of its rows one after another, so many in each: the files that it was read from.
    ///
    /// # Errors
    /// Another number of runs than of subsets, runs that are not all of the rows, one of fewer than two particles.
    pub fn runs_of(&self, sample: &Particles, runs: &[usize]) -> Result<Vec<Particles>, JobError> {
        let found = runs
            .iter()
            .fold(0usize, |sum, &run| sum.saturating_add(run));
        if runs.len() != self.subsets as usize || found != sample.len() {
            return Err(JobError::OtherRuns {
                subsets: self.subsets,
                rows: sample.len(),
                runs: runs.len(),
                found,
            });
        }
        if let Some(subset) = runs.iter().position(|&rows| rows < 2) {
            let rows = runs[subset];
            return Err(JobError::SmallSubset { subset, rows });
        }
        let mut next = 0;
        let run = |&rows: &usize| {
            let first = next;
            next += rows;
            sample.rows(first..next)
        };
        Ok(runs.iter().map(run).collect())
    }

    /// The bins in which all pairs are counted: those below the edge of the first axis that the split begins at; none where it has them all.
    ///
    /// # Errors
    /// A beginning that is no edge, or the last one; bins of another crate that cannot be cut short.
    pub fn near_bins(&self, binning: impl Into<Bins>) -> Result<Option<Bins>, JobError> {
        let binning = &binning.into();
        let Some(above) = self.above else {
            return Ok(None);
        };
        let axes = binning.axes();
        let (name, edges) = axes
            .first()
            .map_or(("", &[][..]), |axis| (axis.name, &axis.edges));
        let place = edges.iter().position(|&edge| edge == above);
        match place {
            Some(0) => Ok(None),
            Some(bins) if bins + 1 < edges.len() => {
                let near = binning.below(bins).map(Some);
                near.ok_or(JobError::UncutBins)
            }
            _ => {
                let inner = edges
                    .get(..edges.len().saturating_sub(1))
                    .unwrap_or_default();
                let nearest = inner.iter().copied();
                let nearest =
                    nearest.min_by(|a, b| (a - above).abs().total_cmp(&(b - above).abs()));
                Err(JobError::SplitEdge {
                    above,
                    axis: name,
                    nearest: nearest.unwrap_or_default(),
                })
            }
        }
    }
}
