//! Counts made elsewhere, such as those read back from a file, and what they must satisfy.
//!
//! Entry: [`Counts::from_parts`], [`Counts::of_weights`], [`Counts::of_job`].

use albireo_simd::fixed_point::FRACTION_BITS;

use super::held_sums::NamedSum;
use super::weight_terms::WeightTerms;
use super::{
    ClassAxis, Counts, Covers, ExactSums, Held, HeldSums, JobId, PairKind, PairTotal, Part,
};
use crate::binning::Bins;
use crate::error::CountsError;
use crate::exact_sum::ExactSum;
use crate::exactness::Exactness;
use crate::pairs::PairJob;
use crate::particles::{Particles, Weights};
use crate::tally::{Legendre, weight_exponents, weights_are_wide};

impl Counts {
    /// Counts made elsewhere; exact unless [`Counts::with_exactness`] says otherwise.
    ///
    /// ```
    /// use albireo::counts::{ExactSums, JobId, PairKind};
    /// use albireo::counts::PairTotal;
    /// use albireo::{Edges, Counts, RBins};
    /// let bins = RBins::new(Edges::linear(0.0, 2.0, 2)?);
    /// let total = PairTotal::unweighted(PairKind::AutoUnordered, 45);
    /// let dd = Counts::from_parts(bins.clone(), vec![6, 10], None, total, JobId(1))?;
    /// assert_eq!(dd.normalised(), [6.0 / 45.0, 10.0 / 45.0]);
    /// let weight = ExactSums::from_parts(&[vec![6.0, 7.5]])?;
    /// let weighted = Counts::from_parts(bins, vec![6, 10], Some(weight), total, JobId(1))?;
    /// assert_eq!(weighted.values(), [6.0, 7.5]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number of counts other than the number of bins, more pairs in the bins than in all, a weight in a bin without a
    /// pair, or a total that no sample has.
    pub fn from_parts(
        bins: impl Into<Bins>,
        npairs: Vec<u64>,
        weight: Option<ExactSums>,
        total: PairTotal,
        job: JobId,
    ) -> Result<Self, CountsError> {
        let binning = bins.into();
        check_number("number of pairs", binning.n_bins(), npairs.len())?;
        check_pairs(&npairs, total.pairs)?;
        if let Some(weight) = &weight {
            check_sums("weight", &npairs, weight)?;
        }
        check_total(&total)?;
        Ok(Self {
            kind: total.kind,
            binning,
            npairs,
            numbered: true,
            sums: HeldSums::of_weights(weight),
            classes: ClassAxis::default(),
            exactness: Exactness::Exact,
            covers: Covers::part(job, Part::WHOLE, total),
            pair_weight: None,
            cuts: vec![],
        })
    }

    /// Sums of weights made elsewhere, of pairs whose numbers are not known: they are normalised, added and put together as others are, and have no
    /// Poisson errors. They are approximate: nothing says that they are the integers of a double loop.
    ///
    /// ```
    /// use albireo::counts::{ExactSums, JobId, PairKind};
    /// use albireo::{Counts, Edges, RBins};
    /// let bins = RBins::new(Edges::linear(0.0, 2.0, 2)?);
    /// let weight = ExactSums::from_parts(&[vec![6.0, 7.5]])?;
    /// let dd = Counts::of_weights(bins, weight, (PairKind::Cross, 30.0), JobId(1))?;
    /// assert_eq!(dd.normalised(), [0.2, 0.25]);
    /// assert!(!dd.is_numbered() && dd.relative_variance()[0].is_nan());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number of sums other than the number of bins, a total that is not finite.
    pub fn of_weights(
        bins: impl Into<Bins>,
        weight: ExactSums,
        (kind, total): (PairKind, f64),
        job: JobId,
    ) -> Result<Self, CountsError> {
        let binning = bins.into();
        check_number("weight", binning.n_bins(), weight.n_bins())?;
        let total = PairTotal {
            weight: total,
            design_effect: f64::INFINITY,
            ..PairTotal::zero(kind)
        };
        let npairs = vec![0; binning.n_bins()];
        Ok(Self {
            numbered: false,
            sums: HeldSums::of_weights(Some(weight)),
            exactness: Exactness::Approximate,
            ..Self::from_parts(binning, npairs, None, total, job)?
        })
    }

    /// The same of all pairs, with Legendre sums made elsewhere, one for each bin in the unit of [`Counts::values`].
    ///
    /// # Errors
    /// A number of sums other than the number of bins, or a sum of unweighted pairs larger than their number.
    pub fn with_legendre_sums(self, l: Legendre, sums: ExactSums) -> Result<Self, CountsError> {
        let mut counts = self.whole();
        check_sums("Legendre sum", &counts.npairs, &sums)?;
        let weighted = counts.is_weighted();
        for (bin, (&pairs, weight)) in counts.npairs.iter().zip(sums.values()).enumerate() {
            let most = pairs as f64 * (1.0 + SLACK);
            if weight.abs() > most && !weighted {
                let (lo, hi) = (-most, most);
                return Err(CountsError::Weight {
                    bin,
                    pairs,
                    lo,
                    hi,
                    weight,
                });
            }
        }
        if l != Legendre::L0 {
            counts.sums.set(Held::Legendre(l), sums);
        }
        Ok(counts)
    }

    /// The same with sums of the binning's coordinate made elsewhere, one for each bin: over its pairs, as [`Counts::mean_separation`] takes them.
    ///
    /// # Errors
    /// A number of sums other than the number of bins, or a sum in a bin without a pair.
    pub fn with_separation_sums(self, sums: ExactSums) -> Result<Self, CountsError> {
        self.with_sums(Held::Separation, sums)
    }

    /// As [`Counts::with_separation_sums`], each pair times its weight, as [`Counts::weighted_mean_separation`] takes them.
    ///
    /// # Errors
    /// As [`Counts::with_separation_sums`].
    pub fn with_weighted_separation_sums(self, sums: ExactSums) -> Result<Self, CountsError> {
        self.with_sums(Held::WeightedSeparation, sums)
    }

    /// The same with the sums of an expression made elsewhere, one for each bin: over its pairs, times their weights, as [`Counts::pair_sum`]
    /// returns them.
    ///
    /// # Errors
    /// A number of sums other than the number of bins, a sum in a bin without a pair, or a name that another sum has.
    pub fn with_pair_sum(self, name: &str, sums: ExactSums) -> Result<Self, CountsError> {
        if self.pair_sums().any(|other| other == name) {
            return Err(CountsError::NamedTwice(name.to_owned()));
        }
        let at = self.sums.named.len();
        let mut counts = self.with_sums(Held::Named(at), sums)?;
        counts.sums.named.push(NamedSum {
            name: name.to_owned(),
            terms: None,
        });
        Ok(counts)
    }

    fn with_sums(&self, held: Held, sums: ExactSums) -> Result<Self, CountsError> {
        let mut counts = self.whole();
        check_sums("sum of separations", &counts.npairs, &sums)?;
        counts.sums.set(held, sums);
        Ok(counts)
    }

    /// The same, made elsewhere, with weights known to be sums of terms that are each within `bound` of a product of weights and have one word of
    /// fixed point or two: what [`Counts::weight_bound_of_pair`] and [`Counts::is_in_two_words`] return. A bound that is no power of two, as
    /// they all are, is not taken.
    #[must_use]
    pub fn with_weight_bound(mut self, bound: f64, two_words: bool) -> Self {
        if self.is_weighted() {
            self.sums.weight_terms = WeightTerms::of_bound(bound, two_words);
        }
        self
    }

    /// The same counts, made elsewhere, known to be those of all of these jobs together, each with its total.
    ///
    /// # Errors
    /// More pairs in the bins than in all jobs, a total that no sample has, a job named twice, or more pairs in all than an integer holds.
    pub fn with_jobs(self, jobs: &[(JobId, PairTotal)]) -> Result<Self, CountsError> {
        for (_, total) in jobs {
            check_total(total)?;
        }
        let covers = Covers::jobs(jobs)?;
        check_pairs(self.npairs(), covers.total(self.kind).pairs)?;
        Ok(Self { covers, ..self })
    }

    /// Counts of `job` made elsewhere, held to what its particles allow: the totals are those of the job.
    ///
    /// A weight must be one that as many pairs can have, between the least and the largest product of two weights for each; so must
    /// be what all bins together leave to the pairs outside. They are taken to be sums in as many words as those of the job are
    /// ([`crate::tally::weights_are_wide`]).
    ///
    /// # Errors
    /// As [`Counts::from_parts`], and weights that the particles of the job cannot have.
    pub fn of_job(
        job: &PairJob<'_>,
        bins: impl Into<Bins>,
        npairs: Vec<u64>,
        weight: Option<ExactSums>,
    ) -> Result<Self, CountsError> {
        let binning = bins.into();
        let kind = PairKind::of(job.pairs(), binning.order());
        let total = PairTotal::of(job.pairs(), kind);
        let mut counts = Self::from_parts(binning, npairs, weight, total, JobId::of(job))?;
        if let Some(weight) = counts.weight() {
            let exponents = weight_exponents(job.pairs());
            Products::of(job, exponents).check(&counts.npairs, &weight, &total)?;
            let two_words = weights_are_wide(job.pairs(), 0);
            counts.sums.weight_terms = Some(WeightTerms::of(exponents.iter().sum(), two_words));
        }
        Ok(counts)
    }
}

fn check_number(column: &'static str, expected: usize, found: usize) -> Result<(), CountsError> {
    if found == expected {
        return Ok(());
    }
    Err(CountsError::Bins {
        column,
        expected,
        found,
    })
}

fn check_pairs(npairs: &[u64], total: u64) -> Result<(), CountsError> {
    let counted: u128 = npairs.iter().map(|&n| u128::from(n)).sum();
    if counted > u128::from(total) {
        return Err(CountsError::TooManyPairs { total, counted });
    }
    Ok(())
}

/// Refuses sums that are not one finite number for each bin, 0 where there is no pair.
fn check_sums(column: &'static str, npairs: &[u64], sums: &ExactSums) -> Result<(), CountsError> {
    check_number(column, npairs.len(), sums.n_bins())?;
    for (bin, (&pairs, weight)) in npairs.iter().zip(sums.values()).enumerate() {
        if !weight.is_finite() {
            return Err(CountsError::NotFinite { bin, weight });
        }
        if pairs == 0 && weight != 0.0 {
            return Err(CountsError::Weight {
                bin,
                pairs,
                lo: 0.0,
                hi: 0.0,
                weight,
            });
        }
    }
    Ok(())
}

fn check_total(total: &PairTotal) -> Result<(), CountsError> {
    if !total.weight.is_finite() {
        return Err(CountsError::Total {
            what: "weight",
            expected: "finite",
            found: total.weight,
        });
    }
    // Infinite where the weights of a sample cancel; a NaN compares as less.
    if total.design_effect.is_nan() || total.design_effect < 1.0 {
        return Err(CountsError::Total {
            what: "design effect",
            expected: "at least 1",
            found: total.design_effect,
        });
    }
    Ok(())
}

/// What the product of two weights can be.
#[derive(Debug, Clone, Copy)]
struct Products {
    lo: f64,
    hi: f64,
    /// Largest error of a product in a fixed-point sum.
    rounding: f64,
}

/// Room for the few roundings of sums to float64 and of the products here, relative.
const SLACK: f64 = 1.0 / (1u64 << 46) as f64;

fn extremes(sample: &Particles) -> [f64; 2] {
    match sample.weights() {
        Weights::Unit => [1.0, 1.0],
        Weights::PerParticle(w) => {
            let none = [f64::INFINITY, f64::NEG_INFINITY];
            w.iter().fold(none, |[lo, hi], w| [lo.min(w), hi.max(w)])
        }
    }
}

impl Products {
    fn of(job: &PairJob<'_>, exponents: [i32; 2]) -> Self {
        let (first, second) = job.pairs().both();
        let [first, second] = [first, second].map(extremes);
        let products = first.map(|a| second.map(|b| a * b));
        let products = products.as_flattened();
        let rounding = libm::scalbn(1.0, exponents.iter().sum::<i32>() - FRACTION_BITS);
        Self {
            lo: products.iter().copied().fold(f64::INFINITY, f64::min),
            hi: products.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            rounding,
        }
    }

    /// Between which limits the weight of `pairs` pairs lies, as far as `slack` besides the sums' own rounding.
    fn limits(&self, pairs: u64, slack: f64) -> [f64; 2] {
        if pairs == 0 {
            return [-slack, slack];
        }
        let n = pairs as f64;
        let largest = self.lo.abs().max(self.hi.abs());
        let slack = slack + n * (self.rounding + largest * SLACK);
        [n * self.lo - slack, n * self.hi + slack]
    }

    fn check(&self, npairs: &[u64], weight: &[f64], total: &PairTotal) -> Result<(), CountsError> {
        for (bin, (&pairs, &weight)) in npairs.iter().zip(weight).enumerate() {
            let [lo, hi] = self.limits(pairs, 0.0);
            if weight < lo || weight > hi {
                return Err(CountsError::Weight {
                    bin,
                    pairs,
                    lo,
                    hi,
                    weight,
                });
            }
        }
        let counted: u64 = npairs.iter().sum();
        let pairs = total.pairs - counted;
        let sum = weight.iter().copied().collect::<ExactSum>().value();
        let [all_lo, all_hi] = self.limits(total.pairs, 0.0);
        // The total is a difference of rounded sums as large as all products together.
        let slack = (all_hi.abs().max(all_lo.abs())) * SLACK + counted as f64 * self.rounding;
        let [lo, hi] = self.limits(pairs, slack);
        let rest = total.weight - sum;
        if rest < lo || rest > hi {
            return Err(CountsError::Rest {
                weight: sum,
                total: total.weight,
                pairs,
                lo,
                hi,
            });
        }
        Ok(())
    }
}
