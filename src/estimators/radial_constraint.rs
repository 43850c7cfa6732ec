//! The radial integral constraint: what an estimate lacks because its random points have the redshifts of the sample itself.
//!
//! Entry: [`RadialConstraint`], of a model and of [`ShellPairs`], random pairs kept apart by shells; [`PowerLaw::fit_radial`], a model fitted with it.

use serde::Serialize;

use super::Result;
use super::integral_constraint::PowerLaw;
use crate::counts::{Counts, PairKind};
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
/// Shells should be as thin as what the redshifts were drawn from resolves. Bins should reach all pairs; how many they hold is reported.
///
/// ```
/// use albireo::counts::count_prepared;
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::estimators::RadialConstraint;
/// use albireo::tally::Classes;
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Engine, Labels, Particles, RBins, random};
/// let points = random::in_box(400, 1, [1.0; 3])?;
/// // Two shells, near and far.
/// let shell = |row: usize| u32::from(points.at(row).iter().map(|x| x * x).sum::<f64>() > 1.0);
/// let labels = Labels::new((0..400).map(shell).collect(), 2)?;
/// let engine = Cpu::new();
/// let randoms = engine.prepare(Particles::new(points).labelled(labels)?, &Domain::Open, &Silent)?;
/// let bins = RBins::new(Edges::linear(0.0, 2.0, 8)?);
/// let (rr, _) = count_prepared(&engine, &PreparedJob::auto(&randoms), CountSpec::new(&bins).with_classes(Classes::Species), &Silent)?;
/// let model = [1.0, 0.5, 0.25, 0.1, 0.0, 0.0, 0.0, 0.0];
/// let radial = RadialConstraint::new(&rr, &model)?;
/// assert!(radial.values[0] > radial.values[5] && radial.covered == 1.0);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RadialConstraint {
    /// RIC in each bin, the last axis varying fastest; NaN where there are no random pairs.
    pub values: Vec<f64>,
    /// The share of all random pairs that the bins hold: the means of the model are over these alone.
    pub covered: f64,
    /// Number of shells.
    pub shells: usize,
}

fn refuse<T>(what: impl Into<String>) -> Result<T> {
    Err(EstimatorError::Needs(what.into()))
}

/// The number of shells that make so many classes of unordered pairs.
fn shells_of(classes: usize) -> Option<usize> {
    let mut shells = 1..=classes;
    shells
        .find(|&n| unordered_classes(n) >= classes)
        .filter(|&n| unordered_classes(n) == classes)
}

/// Random pairs within and between shells: for each pair of shells i <= j, (0,0), (0,1), .., (1,1), .., the pairs or their weights in each bin.
#[derive(Debug, Clone, PartialEq)]
pub struct ShellPairs {
    pairs: Vec<Vec<f64>>,
    shells: usize,
    /// All random pairs, in the bins or not.
    total: f64,
}

impl ShellPairs {
    /// Of numbers in bins for each pair of shells, and the total of all pairs, in the bins or not.
    ///
    /// ```
    /// use albireo::estimators::{RadialConstraint, ShellPairs};
    /// // Two shells and two bins; pairs of different shells are far apart.
    /// let rr = ShellPairs::new(vec![vec![4.0, 0.0], vec![0.0, 8.0], vec![4.0, 4.0]], 20.0)?;
    /// let radial = RadialConstraint::of_shells(&rr, &[1.0, 0.0])?;
    /// // The mean is 1 within the first shell, 0 between the two, 1/2 within the second.
    /// assert_eq!(radial.values, [(4.0 + 2.0) / 8.0, 2.0 / 12.0]);
    /// # Ok::<(), albireo::error::EstimatorError>(())
    /// ```
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: a number of counts that is not that of all pairs of shells, counts of different numbers of bins, or no pairs.
    pub fn new(pairs: Vec<Vec<f64>>, total: f64) -> Result<Self> {
        let Some((shells, first)) = shells_of(pairs.len()).zip(pairs.first()) else {
            return refuse(format!(
                "a radial integral constraint needs the random pairs of all pairs of shells, found {} counts",
                pairs.len()
            ));
        };
        if pairs.iter().any(|counts| counts.len() != first.len()) {
            return refuse("the random pairs of all shells must be in the same bins");
        }
        let held: f64 = pairs.iter().flatten().sum();
        if held.is_nan() || held <= 0.0 || total.is_nan() || total <= 0.0 {
            return refuse("a radial integral constraint needs random pairs in the bins");
        }
        Ok(Self {
            pairs,
            shells,
            total,
        })
    }

    /// Of the counts of a sample by its shells ([`Classes::Species`](crate::tally::Classes::Species)), each pair once, by its weights where it has any.
    ///
    /// # Errors
    /// As [`ShellPairs::new`]; counts of both orders of each pair.
    pub fn of_counts(rr: &Counts) -> Result<Self> {
        if rr.kind() != PairKind::AutoUnordered {
            return refuse(
                "a radial integral constraint needs random pairs that are counted once each",
            );
        }
        let of = |counts: &Counts| counts.total().normalisation(counts.is_weighted());
        let shells = rr.by_class();
        let total = shells.iter().map(of).sum();
        Self::new(shells.iter().map(Counts::values).collect(), total)
    }

    /// Number of bins.
    pub fn bins(&self) -> usize {
        self.pairs[0].len()
    }

    /// The pairs of all shells in each bin.
    fn of_all(&self) -> Vec<f64> {
        let mut pairs = vec![0.0; self.bins()];
        for counts in &self.pairs {
            pairs
                .iter_mut()
                .zip(counts)
                .for_each(|(sum, rr)| *sum += rr);
        }
        pairs
    }
}

impl RadialConstraint {
    /// Of random pairs within and between shells, as [`ShellPairs::of_counts`] takes them, and a model of xi in the same bins.
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: counts that are not those of all pairs of shells, another number of bins in the model, no random pair, or a
    /// model that is not finite where there are random pairs.
    pub fn new(rr: &Counts, model: &[f64]) -> Result<Self> {
        Self::of_shells(&ShellPairs::of_counts(rr)?, model)
    }

    /// Of random pairs by shells, and a model of xi in the same bins.
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: another number of bins in the model, or a model that is not finite where there are random pairs.
    pub fn of_shells(rr: &ShellPairs, model: &[f64]) -> Result<Self> {
        let bins = rr.bins();
        if model.len() != bins {
            let found = model.len();
            return refuse(format!(
                "a radial integral constraint needs one value of the model for each of {bins} bins, found {found}"
            ));
        }
        let pairs = rr.of_all();
        let missing = |&bin: &usize| pairs[bin] != 0.0 && !model[bin].is_finite();
        if let Some(bin) = (0..bins).find(missing) {
            let found = model[bin];
            return refuse(format!(
                "the model of a radial integral constraint is {found} in bin {bin}"
            ));
        }
        let mut taken = vec![0.0; bins];
        for counts in &rr.pairs {
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
            covered: pairs.iter().sum::<f64>() / rr.total,
            values: taken.iter().zip(&pairs).map(|(sum, rr)| sum / rr).collect(),
            shells: rr.shells,
        })
    }
}

impl PowerLaw<RadialConstraint> {
    /// The amplitude that fits `xi_k = A (x_k^-gamma - C_k)` best, C the radial constraint of `x^-gamma`, in the bins that `fitted` picks and that
    /// have a value and an error: as [`PowerLaw::fit`], the constraint being linear in the model too.
    ///
    /// `x` are places in the bins, above 0.
    ///
    /// ```
    /// use albireo::estimators::{PowerLaw, RadialConstraint, ShellPairs};
    /// let rr = ShellPairs::new(vec![vec![4.0, 0.0], vec![0.0, 8.0], vec![4.0, 4.0]], 20.0)?;
    /// let lacks = RadialConstraint::of_shells(&rr, &[1.0, 0.5])?.values;
    /// let xi = [3.0 * (1.0 - lacks[0]), 3.0 * (0.5 - lacks[1])];
    /// let fit = PowerLaw::fit_radial(&rr, &[1.0, 2.0], 1.0, &xi, &[0.1; 2], |_| true)?;
    /// assert!((fit.amplitude - 3.0).abs() < 1e-12);
    /// assert!((fit.constraint.values[1] - 3.0 * lacks[1]).abs() < 1e-12);
    /// # Ok::<(), albireo::error::EstimatorError>(())
    /// ```
    ///
    /// # Errors
    /// As [`RadialConstraint::of_shells`]; no bin to fit.
    pub fn fit_radial(
        rr: &ShellPairs,
        x: &[f64],
        slope: f64,
        xi: &[f64],
        error: &[f64],
        fitted: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let shape: Vec<f64> = x.iter().map(|&x| libm::pow(x, -slope)).collect();
        let unit = RadialConstraint::of_shells(rr, &shape)?;
        let model = shape.iter().zip(&unit.values);
        let model: Vec<f64> = model.map(|(shape, lacks)| shape - lacks).collect();
        Self::best((slope, &model), [xi, error], fitted, |amplitude| {
            let values = unit.values.iter().map(|lacks| amplitude * lacks);
            let values = values.collect();
            RadialConstraint { values, ..unit }
        })
    }
}
