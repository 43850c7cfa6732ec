//! Counts by region made elsewhere, such as those read back from a file, and what they must satisfy.
//!
//! Entry: [`Counts::with_regions`], and [`Counts::of_job_by_region`] for the particles of a job.

use std::ops::Range;

use super::class_axis::{Class, ClassAxis};
use super::label_sums::{PairSums, check_regions};
use super::weighted::across;
use super::{Counts, ExactSums, HeldSums, JobId, PairKind, PairTotal};
use crate::binning::Bins;
use crate::error::{CountsError, JobError};
use crate::exactness::Exactness;
use crate::pairs::PairJob;
use crate::tally::Classes;

/// The pairs in each bin, and their weights where there are any.
type Values = (Vec<u64>, Option<ExactSums>);

impl Counts {
    /// The same counts kept apart by region: of each region those of the pairs within it and of those with one point in it, made elsewhere.
    ///
    /// Where sums of weights have been rounded to float64, so is what is left of them without a region.
    ///
    /// ```
    /// use albireo::counts::{JobId, PairKind};
    /// use albireo::counts::PairTotal;
    /// use albireo::{Counts, Edges, RBins};
    /// let bins = RBins::new(Edges::linear(0.0, 2.0, 1)?);
    /// let of = |npairs, total| {
    ///     let total = PairTotal::unweighted(PairKind::AutoUnordered, total);
    ///     Counts::from_parts(bins.clone(), vec![npairs], None, total, JobId(1))
    /// };
    /// let regions = vec![[of(1, 1)?, of(1, 4)?], [of(1, 1)?, of(1, 4)?]];
    /// let counts = of(3, 6)?.with_regions(&regions)?;
    /// assert_eq!((counts.without(0, 1.0).npairs(), counts.without(0, 1.0).total().pairs), (&[1][..], 1));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`CountsError::Regions`]: fewer than two regions, other bins, weights in some counts only, or numbers of pairs that
    /// do not add up to those of all: each pair lies within a region or across the borders of two.
    pub fn with_regions(&self, regions: &[[Self; 2]]) -> Result<Self, CountsError> {
        let n = regions.len();
        if n < 2 {
            let found = format!("2 regions are needed at least, found {n}");
            return Err(CountsError::Regions(found));
        }
        check_parts(self, regions)?;
        let total = self.total();
        let outside = |(k, [within, across]): (usize, &[Self; 2])| {
            let (within, across) = (within.total(), across.total());
            let pairs = total.pairs.checked_sub(within.pairs);
            let pairs = pairs.and_then(|pairs| pairs.checked_sub(across.pairs));
            let weight = total.weight - within.weight - across.weight;
            let pairs = pairs.ok_or_else(|| {
                CountsError::Regions(format!("region {k} has more pairs in all than there are"))
            })?;
            Ok(PairTotal {
                pairs,
                weight,
                ..total
            })
        };
        let outside = regions.iter().enumerate().map(outside);
        let outside = outside.collect::<Result<Vec<_>, CountsError>>()?;
        let rows = || rows_of(regions);
        let class = |counts: &Self| Class {
            kind: counts.kind,
            covers: counts.covers.clone(),
        };
        let all = || std::iter::once(self).chain(rows());
        let mut sums = HeldSums::of_weights(weights_of(all()));
        sums.weight_terms = self.sums.weight_terms;
        let npairs = all().flat_map(Self::npairs).copied();
        Ok(Self {
            npairs: npairs.collect(),
            sums,
            classes: ClassAxis {
                by: Classes::Regions,
                classes: rows().map(class).collect(),
                outside: vec![],
            }
            .with_outside(outside),
            ..self.whole()
        })
    }

    /// Counts of the labelled samples of `job` made elsewhere: of each region those within it and those across its border, which make up all
    /// pairs. The totals are those of the job.
    ///
    /// ```
    /// use albireo::{Counts, Domain, Edges, Labels, PairJob, Pairs, Particles, Points, RBins};
    /// let rows = [[0.0; 3], [0.5, 0.0, 0.0], [1.5, 0.0, 0.0], [2.0, 0.0, 0.0]];
    /// let sample = Particles::new(Points::from_rows(&rows)?).labelled(Labels::new(vec![0, 0, 1, 1], 2)?)?;
    /// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
    /// let bins = RBins::new(Edges::new(vec![0.0, 1.25])?);
    /// let region = [(vec![1], None), (vec![1], None)];
    /// let counts = Counts::of_job_by_region(&job, bins, vec![region.clone(), region])?;
    /// assert_eq!((counts.npairs(), counts.without(0, 1.0).total().pairs), (&[3][..], 1));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`CountsError::Regions`]: samples without labels, or other regions than they have; otherwise as [`Counts::of_job`].
    pub fn of_job_by_region(
        job: &PairJob<'_>,
        bins: impl Into<Bins>,
        regions: Vec<[Values; 2]>,
    ) -> Result<Self, CountsError> {
        let bins = bins.into();
        let refused = |error: JobError| CountsError::Regions(error.to_string());
        check_regions(job.pairs()).map_err(refused)?;
        let sums = PairSums::of(job.pairs(), None).map_err(refused)?;
        let kind = PairKind::of(job.pairs(), bins.order());
        let totals = sums.totals(Classes::Regions, kind);
        let outside = sums.outside(kind);
        let n = outside.len();
        if regions.len() != n {
            return Err(CountsError::Regions(format!(
                "they are of {} regions, the samples are cut into {n}",
                regions.len()
            )));
        }
        let mut parts = Vec::with_capacity(n);
        for (k, [within, beyond]) in regions.into_iter().enumerate() {
            let of = |(npairs, weight): Values, total: PairTotal| {
                Self::from_parts(bins.clone(), npairs, weight, total, JobId(k as u64))
            };
            parts.push([of(within, totals[k])?, of(beyond, across(&totals, n, k))?]);
        }
        let (npairs, weight) = whole_of(&parts)?;
        let counts = Self::of_job(job, bins, npairs, weight)?.with_regions(&parts)?;
        let classes = counts.classes.clone().with_outside(outside);
        Ok(Self { classes, ..counts })
    }
}

/// The counts of those within each region, then of those across the border of each.
fn rows_of(regions: &[[Counts; 2]]) -> impl Iterator<Item = &Counts> + Clone {
    [0, 1]
        .into_iter()
        .flat_map(|which| regions.iter().map(move |parts| &parts[which]))
}

/// The weights of all of these, one after another, if all have weights.
fn weights_of<'a>(rows: impl Iterator<Item = &'a Counts>) -> Option<ExactSums> {
    let weights: Option<Vec<_>> = rows.map(Counts::weight_sums).collect();
    weights.as_deref().map(ExactSums::joined)
}

/// All pairs of regions: those within them, and half of those across borders, each of which is of two.
fn whole_of(parts: &[[Counts; 2]]) -> Result<Values, CountsError> {
    let overflow = || {
        CountsError::Regions("their pairs or weights add up to more than can be held".to_owned())
    };
    let bins = parts[0][0].binning.n_bins();
    let npairs = (0..bins).map(|bin| u64::try_from(twice_the_pairs(parts, bin) / 2));
    let npairs = npairs.collect::<Result<_, _>>().map_err(|_| overflow())?;
    let Some(weights) = weights_of(rows_of(parts)) else {
        return Ok((npairs, None));
    };
    let sum = |classes: Range<usize>| {
        let mut rows = classes.map(|class| weights.rows(class * bins..(class + 1) * bins));
        let first = rows.next().ok_or_else(overflow)?;
        rows.try_fold(first, |mut sum, row| {
            sum.add(&row).map(|()| sum).map_err(|_| overflow())
        })
    };
    let n = parts.len();
    let mut weight = sum(0..n)?;
    weight.add(&sum(n..2 * n)?.half()).map_err(|_| overflow())?;
    Ok((npairs, Some(weight)))
}

/// Twice the pairs in a bin: a pair across a border is one of two regions.
fn twice_the_pairs(regions: &[[Counts; 2]], bin: usize) -> u128 {
    let of = |[within, across]: &[Counts; 2]| {
        2 * u128::from(within.npairs[bin]) + u128::from(across.npairs[bin])
    };
    regions.iter().map(of).sum()
}

/// Refuses parts that are not those of the whole.
fn check_parts(whole: &Counts, regions: &[[Counts; 2]]) -> Result<(), CountsError> {
    let refuse = |what: String| Err(CountsError::Regions(what));
    let alike = |part: &Counts| {
        part.binning == whole.binning
            && part.is_weighted() == whole.is_weighted()
            && part.numbered == whole.numbered
    };
    if let Some(k) = regions.iter().position(|parts| !parts.iter().all(alike)) {
        return refuse(format!(
            "those of region {k} are in other bins, weighted otherwise, or their pairs have no numbers"
        ));
    }
    for (bin, &expected) in whole.npairs.iter().enumerate() {
        let (twice, expected) = (twice_the_pairs(regions, bin), 2 * u128::from(expected));
        if twice != expected {
            return refuse(format!(
                "in bin {bin} they hold {} pairs, not {}",
                twice as f64 / 2.0,
                expected / 2
            ));
        }
    }
    let exact = |part: &Counts| part.exactness == whole.exactness;
    if whole.exactness == Exactness::Exact && !regions.iter().flatten().all(exact) {
        return refuse("some are approximate".to_owned());
    }
    Ok(())
}
