//! The radial integral constraint: what an estimate lacks because its random points have the redshifts of the sample itself.
//!
//! Entry: [`RadialConstraint`], of a model and of random pairs told apart by shells.

use crate::binning::Binning;
use crate::counts::PairCounts;
use crate::error::EstimatorError;
use crate::tally::unordered_classes;

/// `RIC_k = sum_ij RR_ij,k M_ij / sum_ij RR_ij,k` with `M_ij = sum_k RR_ij,k xi_k / RR_ij`: the model averaged over all pairs of shells i and j,
/// and that over the pairs of shells which make up bin k.
///
/// Where the redshifts of random points are those of the sample (shuffled, or drawn from its n(z)), the density of the sample has no
/// fluctuation left in any thin shell: `delta(x)` is measured less its mean over the shell that x is in. Of
/// `<(delta_a - mean_i(a)) (delta_b - mean_j(b))>` the two mixed terms take 2 RIC off the correlation function and the last gives one back, so
/// that an estimate is on average `xi_k - RIC_k`: add RIC to it. De Mattia & Ruhlmann-Kleider 2019, DOI 10.1088/1475-7516/2019/08/036, section 2,
/// whose radial selection is constant over a shell here. As for the global constraint ([`super::IntegralConstraint`], which this is with one shell),
/// the mean of `delta_a mean_j` over the pairs of a bin is taken to be that over all a of shell i: right to the extent to which the
/// footprint of a shell looks alike from everywhere in it.
///
/// Shells should be as thin as what the redshifts were drawn from resolves. Bins should reach all pairs; how many they hold is told.
///
/// ```
/// use albireo::counts::{Sums, count_classes};
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::estimators::RadialConstraint;
/// use albireo::tally::Classes;
/// use albireo::{Domain, Edges, Engine, Labels, Particles, RBins, Silent, random};
/// let points = random::in_box(400, 1, [1.0; 3])?;
/// // Two shells, near and far.
/// let shell = |row: usize| u32::from(points.at(row).iter().map(|x| x * x).sum::<f64>() > 1.0);
/// let labels = Labels::new((0..400).map(shell).collect(), 2)?;
/// let engine = Cpu::new();
/// let randoms = engine.prepare(Particles::new(points).labelled(labels)?, &Domain::Open, &Silent)?;
/// let bins = RBins::new(Edges::linear(0.0, 2.0, 8)?);
/// let (rr, _) = count_classes(&engine, &PreparedJob::auto(&randoms), &bins, Sums::default(), Classes::Species, &Silent)?;
/// let model = [1.0, 0.5, 0.25, 0.1, 0.0, 0.0, 0.0, 0.0];
/// let radial = RadialConstraint::new(&rr, &model)?;
/// assert!(radial.values[0] > radial.values[5] && radial.covered == 1.0);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RadialConstraint {
    /// RIC in each bin, the last axis varying fastest; NaN where there are no random pairs.
    pub values: Vec<f64>,
    /// The share of all random pairs that the bins hold: the means of the model are over these alone.
    pub covered: f64,
    /// Number of shells.
    pub shells: usize,
}

fn refuse<T>(what: impl Into<String>) -> Result<T, EstimatorError> {
    Err(EstimatorError::Needs(what.into()))
}

/// The number of shells that make so many classes of unordered pairs.
fn shells_of(classes: usize) -> Option<usize> {
    let mut shells = 1..=classes;
    shells
        .find(|&n| unordered_classes(n) >= classes)
        .filter(|&n| unordered_classes(n) == classes)
}

impl RadialConstraint {
    /// Of random pairs within and between shells, as [`crate::counts::count_classes`] counts those of one sample each once, and a model of xi
    /// in the same bins.
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: counts that are not those of all pairs of shells, another number of bins in the model, no random pair, or a
    /// model that is not finite where there are random pairs.
    pub fn new<B: Binning>(rr: &[PairCounts<B>], model: &[f64]) -> Result<Self, EstimatorError> {
        let Some((shells, first)) = shells_of(rr.len()).zip(rr.first()) else {
            return refuse(format!(
                "a radial integral constraint needs the random pairs of all pairs of shells, found {} counts",
                rr.len()
            ));
        };
        let bins = first.npairs().len();
        if model.len() != bins {
            let found = model.len();
            return refuse(format!(
                "a radial integral constraint needs one value of the model for each of {bins} bins, found {found}"
            ));
        }
        if rr.iter().any(|counts| counts.npairs().len() != bins) {
            return refuse("the random pairs of all shells must be in the same bins");
        }
        let all: Vec<Vec<f64>> = rr.iter().map(PairCounts::values).collect();
        let mut pairs = vec![0.0; bins];
        for counts in &all {
            pairs
                .iter_mut()
                .zip(counts)
                .for_each(|(sum, rr)| *sum += rr);
        }
        let missing = |&bin: &usize| pairs[bin] != 0.0 && !model[bin].is_finite();
        if let Some(bin) = (0..bins).find(missing) {
            let found = model[bin];
            return refuse(format!(
                "the model of a radial integral constraint is {found} in bin {bin}"
            ));
        }
        let (held, total) = (pairs.iter().sum::<f64>(), total(rr));
        if held.is_nan() || held <= 0.0 || total <= 0.0 {
            return refuse("a radial integral constraint needs random pairs in the bins");
        }
        let mut taken = vec![0.0; bins];
        for counts in &all {
            let own: f64 = counts.iter().sum();
            let of_bin = |(&rr, &xi): (&f64, &f64)| if rr == 0.0 { 0.0 } else { rr * xi };
            let mean = counts.iter().zip(model).map(of_bin).sum::<f64>() / own;
            if own != 0.0 {
                taken
                    .iter_mut()
                    .zip(counts)
                    .for_each(|(sum, rr)| *sum += rr * mean);
            }
        }
        Ok(Self {
            values: taken.iter().zip(&pairs).map(|(sum, rr)| sum / rr).collect(),
            covered: held / total,
            shells,
        })
    }
}

/// All random pairs, in the bins or not.
fn total<B: Binning>(rr: &[PairCounts<B>]) -> f64 {
    let of = |counts: &PairCounts<B>| counts.total().normalisation(counts.is_weighted());
    rr.iter().map(of).sum()
}
