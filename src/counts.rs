//! Pair counts with their bins and totals: what engines produce and estimators consume.
//!
//! Entry: [`count_pairs`], which runs an engine, and [`PairCounts`], which merges and normalises. Nothing here visits a pair.

mod covers;
mod total;

pub use covers::{JobId, Part};
pub use total::{PairKind, PairTotal};

use covers::Covers;

use crate::binning::{Binning, PairOrder};
use crate::engine::{Engine, Exactness, PairJob, Pairs, Progress};
use crate::error::{EngineError, MergeError};
use crate::fixed_point::real;
use crate::ops::{Count, MeanSeparation, Merge, PairOp, Tally, WeightedCount};
use crate::particles::Weights;

/// What is summed over the pairs of each bin besides their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// The products of the two weights.
    pub weights: bool,
    /// The separation (the binning's coordinate), for its mean.
    pub separations: bool,
}

impl Sums {
    /// Weights where a sample has them, no separations.
    pub fn for_pairs(pairs: Pairs<'_>) -> Self {
        let (first, second) = pairs.both();
        let weights = [first, second]
            .iter()
            .any(|sample| matches!(sample.weights(), Weights::PerParticle(_)));
        Self {
            weights,
            separations: false,
        }
    }
}

/// Integers per bin, the bins, and how many pairs there are in all.
///
/// Auto counts hold each unordered pair once unless [`PairCounts::kind`] says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct PairCounts<B> {
    binning: B,
    kind: PairKind,
    npairs: Vec<u64>,
    weight: Option<FixedSums>,
    coordinate: Option<FixedSums>,
    exactness: Exactness,
    covers: Covers,
}

/// Exact sums per bin in units of `2^(exponent - 36)`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FixedSums {
    exponent: i32,
    sums: Vec<i128>,
}

impl FixedSums {
    fn values(&self) -> Vec<f64> {
        self.sums.iter().map(|&s| real(s, self.exponent)).collect()
    }

    /// Brings both to the smaller exponent, where every sum is still an integer, and adds.
    fn add(&mut self, other: &Self) -> Result<(), MergeError> {
        let exponent = self.exponent.min(other.exponent);
        let finer = |sum: i128, from: i32| {
            let bits = (from - exponent) as u32;
            (bits < 127)
                .then(|| sum.checked_mul(1i128 << bits))
                .flatten()
        };
        for (total, &part) in self.sums.iter_mut().zip(&other.sums) {
            *total = finer(*total, self.exponent)
                .zip(finer(part, other.exponent))
                .and_then(|(a, b)| a.checked_add(b))
                .ok_or(MergeError::Overflow("a weighted sum"))?;
        }
        self.exponent = exponent;
        Ok(())
    }
}

/// Counts the pairs of `job` in the bins of `binning`.
///
/// ```
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, Points, RBins, Silent, counts};
/// let sample = Particles::new(Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])?);
/// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
/// let bins = RBins::new(Edges::linear(0.0, 4.0, 4)?);
/// let dd = counts::count_pairs(&Naive, &job, &bins, counts::Sums::default(), &Silent)?;
/// assert_eq!(dd.npairs(), [0, 1, 1, 1]);
/// assert_eq!(dd.total().pairs, 3);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// As [`Engine::run`].
pub fn count_pairs<B: Binning, E: Engine>(
    engine: &E,
    job: &PairJob<'_>,
    binning: &B,
    sums: Sums,
    progress: &dyn Progress,
) -> Result<PairCounts<B>, EngineError> {
    let exponents = WeightedCount::<B>::exponents_of(job.pairs());
    count_with_exponents(engine, job, binning, sums, exponents, progress)
}

/// Counts part `part` of `job`: the pairs whose first particle lies in that one of `part.of` equal runs of rows.
///
/// Parts of the same job, counted anywhere by any engine, merge to the whole.
///
/// # Errors
/// As [`Engine::run`].
pub fn count_part<B: Binning, E: Engine>(
    engine: &E,
    job: &PairJob<'_>,
    part: Part,
    binning: &B,
    sums: Sums,
    progress: &dyn Progress,
) -> Result<PairCounts<B>, EngineError> {
    let exponents = WeightedCount::<B>::exponents_of(job.pairs());
    let (first, second) = job.pairs().both();
    let own = first.rows(part.rows(first.len()));
    let count = |pairs: Pairs<'_>| {
        let job = PairJob::new(pairs, job.domain())?.with_traversal(job.traversal());
        count_with_exponents(engine, &job, binning, sums, exponents, progress)
    };
    let mut counts = match job.pairs() {
        Pairs::Cross(..) => count(Pairs::Cross(&own, second))?,
        Pairs::Auto(sample) => {
            let mut counts = count(Pairs::Auto(&own))?;
            // Each pair of runs belongs to the later one.
            let earlier = sample.rows(0..part.rows(sample.len()).start);
            counts.add_sums_of(&count(Pairs::Cross(&earlier, &own))?);
            if binning.order() == PairOrder::Ordered {
                counts.add_sums_of(&count(Pairs::Cross(&own, &earlier))?);
            }
            counts
        }
    };
    counts.kind = PairKind::of(job.pairs(), binning);
    counts.covers = Covers::part(
        JobId::of(job),
        part,
        PairTotal::of(job.pairs(), counts.kind),
    );
    Ok(counts)
}

fn count_with_exponents<B: Binning, E: Engine>(
    engine: &E,
    job: &PairJob<'_>,
    binning: &B,
    sums: Sums,
    weight_exponents: [i32; 2],
    progress: &dyn Progress,
) -> Result<PairCounts<B>, EngineError> {
    let mut coordinate_exponent = 0;
    let tally = if sums.weights {
        let op = WeightedCount::with_exponents(binning.clone(), job.pairs(), weight_exponents);
        run(engine, job, op, sums, &mut coordinate_exponent, progress)?
    } else {
        let op = Count::new(binning.clone());
        run(engine, job, op, sums, &mut coordinate_exponent, progress)?
    };
    let kind = PairKind::of(job.pairs(), binning);
    let fixed = |exponent| move |sums| FixedSums { exponent, sums };
    Ok(PairCounts {
        binning: binning.clone(),
        kind,
        npairs: tally.npairs,
        weight: tally.weight.map(fixed(weight_exponents.iter().sum())),
        coordinate: tally.coordinate.map(fixed(coordinate_exponent)),
        exactness: engine.exactness(),
        covers: Covers::part(
            JobId::of(job),
            Part::WHOLE,
            PairTotal::of(job.pairs(), kind),
        ),
    })
}

fn run<O: PairOp<Output = Tally>, E: Engine>(
    engine: &E,
    job: &PairJob<'_>,
    op: O,
    sums: Sums,
    coordinate_exponent: &mut i32,
    progress: &dyn Progress,
) -> Result<Tally, EngineError> {
    if !sums.separations {
        return engine.run(job, &op, progress);
    }
    let op = MeanSeparation::new(op);
    *coordinate_exponent = op.exponent();
    engine.run(job, &op, progress)
}

impl<B: Binning> PairCounts<B> {
    /// Counts made elsewhere, such as those read back from a file; exact unless [`PairCounts::with_exactness`] says otherwise.
    ///
    /// # Errors
    /// A number of counts other than the number of bins.
    pub fn from_parts(
        binning: B,
        npairs: Vec<u64>,
        weight: Option<Vec<f64>>,
        total: PairTotal,
        job: JobId,
    ) -> Result<Self, MergeError> {
        let n_bins = binning.n_bins();
        for found in [Some(npairs.len()), weight.as_ref().map(Vec::len)]
            .into_iter()
            .flatten()
        {
            if found != n_bins {
                return Err(MergeError::Setting {
                    setting: "the number of bins",
                    left: n_bins.to_string(),
                    right: found.to_string(),
                });
            }
        }
        Ok(Self {
            kind: total.kind,
            binning,
            npairs,
            weight: weight.map(FixedSums::nearest),
            coordinate: None,
            exactness: Exactness::Exact,
            covers: Covers::part(job, Part::WHOLE, total),
        })
    }

    /// The same counts, known to be exact or approximate.
    #[must_use]
    pub fn with_exactness(self, exactness: Exactness) -> Self {
        Self { exactness, ..self }
    }

    /// The bins.
    pub fn binning(&self) -> &B {
        &self.binning
    }

    /// Which pairs are counted, and how often.
    pub fn kind(&self) -> PairKind {
        self.kind
    }

    /// Whether these are the integers of the contract, or approximate.
    pub fn exactness(&self) -> Exactness {
        self.exactness
    }

    /// Pairs in each bin, the last axis of the bins varying fastest.
    pub fn npairs(&self) -> &[u64] {
        &self.npairs
    }

    /// Sum of `w1*w2` in each bin, float64 of the exact total; none for unweighted counts.
    pub fn weight(&self) -> Option<Vec<f64>> {
        self.weight.as_ref().map(FixedSums::values)
    }

    /// Mean of the binning's coordinate in each bin, NaN where there is no pair; none unless asked for.
    pub fn mean_separation(&self) -> Option<Vec<f64>> {
        let sums = self.coordinate.as_ref()?.values();
        Some(
            sums.iter()
                .zip(&self.npairs)
                .map(|(sum, &n)| sum / n as f64)
                .collect(),
        )
    }

    /// Weighted sums where there are weights, else numbers of pairs.
    pub fn values(&self) -> Vec<f64> {
        self.weight()
            .unwrap_or_else(|| self.npairs.iter().map(|&n| n as f64).collect())
    }

    /// All pairs there are, in the bins or not: what [`PairCounts::values`] are normalised by.
    pub fn total(&self) -> PairTotal {
        self.covers.total(self.kind)
    }

    /// Parts held and parts there are, over all jobs merged so far.
    pub fn coverage(&self) -> (u32, u32) {
        self.covers.coverage()
    }

    /// The single job that these counts belong to, if they are of one.
    pub fn job_id(&self) -> Option<JobId> {
        self.covers.single()
    }

    /// Each bin's values over the total.
    pub fn normalised(&self) -> Vec<f64> {
        let total = self.total().normalisation(self.weight.is_some());
        self.values().iter().map(|v| v / total).collect()
    }

    /// Adds the counts of another part of the same job, or of another realisation or frame.
    ///
    /// Parts of one job keep its total; different jobs with the same settings add theirs.
    ///
    /// # Errors
    /// Settings that differ, exact counts with approximate ones, or a part that both hold. `self` is then unchanged.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.check_settings(other)?;
        let covers = self.covers.union(&other.covers)?;
        let mut merged = self.clone();
        for (total, &part) in merged.npairs.iter_mut().zip(&other.npairs) {
            *total = total
                .checked_add(part)
                .ok_or(MergeError::Overflow("a pair count"))?;
        }
        for (total, part) in [
            (&mut merged.weight, &other.weight),
            (&mut merged.coordinate, &other.coordinate),
        ] {
            if let (Some(total), Some(part)) = (total, part) {
                total.add(part)?;
            }
        }
        *self = Self { covers, ..merged };
        Ok(())
    }

    fn check_settings(&self, other: &Self) -> Result<(), MergeError> {
        let differ = |setting, left: String, right: String| {
            if left == right {
                return Ok(());
            }
            Err(MergeError::Setting {
                setting,
                left,
                right,
            })
        };
        let summed = |sums: &Option<FixedSums>| {
            if sums.is_some() {
                "summed"
            } else {
                "not summed"
            }
        };
        if self.exactness != other.exactness {
            return Err(MergeError::Exactness {
                left: self.exactness,
                right: other.exactness,
            });
        }
        differ(
            "the bins",
            format!("{:?}", self.binning),
            format!("{:?}", other.binning),
        )?;
        differ(
            "the kind of pairs",
            self.kind.to_string(),
            other.kind.to_string(),
        )?;
        for (setting, left, right) in [
            ("the weights", &self.weight, &other.weight),
            ("the separations", &self.coordinate, &other.coordinate),
        ] {
            differ(setting, summed(left).to_owned(), summed(right).to_owned())?;
        }
        Ok(())
    }

    /// Adds sums over the same bins, made with the same exponents.
    fn add_sums_of(&mut self, other: &Self) {
        let sums = |counts: &Self| Tally {
            npairs: counts.npairs.clone(),
            weight: counts.weight.as_ref().map(|w| w.sums.clone()),
            coordinate: counts.coordinate.as_ref().map(|c| c.sums.clone()),
        };
        let mut tally = sums(self);
        tally.merge(sums(other));
        self.npairs = tally.npairs;
        for (held, sums) in [
            (&mut self.weight, tally.weight),
            (&mut self.coordinate, tally.coordinate),
        ] {
            if let (Some(held), Some(sums)) = (held, sums) {
                held.sums = sums;
            }
        }
    }
}

impl FixedSums {
    /// The fixed-point sums nearest to `values`, with an exponent that leaves float64's digits in place.
    fn nearest(values: Vec<f64>) -> Self {
        let largest = crate::fixed_point::largest_exponent(&values);
        // 36 fraction bits below `exponent`: 54 more than the largest value needs are within 128 bits.
        let exponent = largest - 54;
        let unit = |v: f64| libm::scalbn(v, crate::fixed_point::FRACTION_BITS - exponent);
        let sums = values
            .into_iter()
            .map(|v| unit(v).round_ties_even() as i128)
            .collect();
        Self { exponent, sums }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use crate::binning::{Edges, RBins};
    use crate::domain::Domain;
    use crate::engine::{Naive, Silent};
    use crate::particles::{Particles, Points};

    #[test]
    fn exact_counts_do_not_merge_with_approximate_ones() {
        let bins = RBins::new(Edges::linear(0.0, 4.0, 4).unwrap());
        let count = |x: f64| {
            let points = Points::from_rows(&[[0.0; 3], [x, 0.0, 0.0]]).unwrap();
            let sample = Particles::new(points);
            let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
            count_pairs(&Naive, &job, &bins, Sums::default(), &Silent).unwrap()
        };
        let approximate = |x| count(x).with_exactness(Exactness::Approximate);
        let mut sum = count(1.0);
        let refusal = sum.merge(&approximate(2.0)).unwrap_err();
        assert_eq!(
            refusal,
            MergeError::Exactness {
                left: Exactness::Exact,
                right: Exactness::Approximate
            }
        );
        assert_eq!(sum, count(1.0), "a refused merge changes nothing");
        let mut sum = approximate(1.0);
        assert!(sum.merge(&count(2.0)).is_err());
        sum.merge(&approximate(2.0)).unwrap();
        assert_eq!(sum.exactness(), Exactness::Approximate);
        assert_eq!(sum.npairs(), [0, 1, 1, 0]);
    }
}
