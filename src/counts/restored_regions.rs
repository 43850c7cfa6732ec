//! Counts by region made before, of the particles of a job.
//!
//! Entry: [`RegionCounts::of_job`].

use super::classes::{PairSums, check_regions};
use super::{Counts, ExactSums, JobId, PairKind, PairTotal, RegionCounts};
use crate::error::{CountsError, JobError};
use crate::pairs::PairJob;
use crate::tally::Classes;

/// The pairs in each bin, and their weights where there are any.
type Values = (Vec<u64>, Option<Vec<f64>>);

impl RegionCounts {
    /// Counts of the labelled samples of `job` made elsewhere: of all pairs, and of each region those within it and those across its border. The
    /// totals are those of the job.
    ///
    /// Sums of weights are rounded to float64 in such counts, and so is what is left of them without a region.
    ///
    /// ```
    /// use albireo::counts::RegionCounts;
    /// use albireo::{Domain, Edges, Labels, Counts, PairJob, Pairs, Particles, Points, RBins};
    /// let rows = [[0.0; 3], [0.5, 0.0, 0.0], [1.5, 0.0, 0.0], [2.0, 0.0, 0.0]];
    /// let sample = Particles::new(Points::from_rows(&rows)?).labelled(Labels::new(vec![0, 0, 1, 1], 2)?)?;
    /// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
    /// let bins = RBins::new(Edges::new(vec![0.0, 1.25])?);
    /// let whole = Counts::of_job(&job, bins, vec![3], None)?;
    /// let region = [(vec![1], None), (vec![1], None)];
    /// let counts = RegionCounts::of_job(&job, whole, vec![region.clone(), region])?;
    /// assert_eq!(counts.without(0, 1.0).total().pairs, 1);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`CountsError::Regions`]: samples without labels, other regions than they have, or numbers of pairs that do not add up to those of all;
    /// otherwise as [`Counts::from_parts`].
    pub fn of_job(
        job: &PairJob<'_>,
        whole: Counts,
        parts: Vec<[Values; 2]>,
    ) -> Result<Self, CountsError> {
        let refused = |error: JobError| CountsError::Regions(error.to_string());
        check_regions(job.pairs()).map_err(refused)?;
        let sums = PairSums::of(job.pairs(), None).map_err(refused)?;
        let kind = PairKind::of(job.pairs(), whole.binning());
        let totals = sums.totals(Classes::Regions, kind);
        let outside = sums.outside(kind);
        let n = outside.len();
        if parts.len() != n {
            return Err(CountsError::Regions(format!(
                "they are of {} regions, the samples are cut into {n}",
                parts.len()
            )));
        }
        let across = |k: usize| match totals.get(2 * n + k) {
            None => totals[n + k],
            Some(into) => PairTotal::of_all(totals[n + k].kind, &[totals[n + k], *into]),
        };
        let mut regions = Vec::with_capacity(n);
        for (k, [within, beyond]) in parts.into_iter().enumerate() {
            let of = |(npairs, weight): Values, total: PairTotal| {
                let (bins, id) = (whole.binning().clone(), JobId(k as u64));
                let weight = weight
                    .map(|weight| ExactSums::from_parts(&[weight]))
                    .transpose()?;
                let counts = Counts::from_parts(bins, npairs, weight, total, id)?;
                Ok::<_, CountsError>(counts.with_exactness(whole.exactness()))
            };
            regions.push([of(within, totals[k])?, of(beyond, across(k))?]);
        }
        let mut counts = Self::from_parts(whole, regions)?;
        for (region, outside) in counts.regions.iter_mut().zip(outside) {
            region.outside = outside;
        }
        Ok(counts)
    }
}
