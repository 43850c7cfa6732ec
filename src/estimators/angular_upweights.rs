//! Angular weights that restore the pairs of a parent sample at each angle.
//!
//! Entry: [`angular_upweights`].

use super::RandomPairs;
use super::Result;
use crate::counts::Counts;
use crate::error::EstimatorError;
use crate::tally::AngularWeight;

/// The normalised counts of a parent sample over those of the observed one, bin by bin in theta, and 1 where no pair was observed
/// (Percival & Bianchi 2017, DOI 10.48550/arXiv.1703.02071).
///
/// Count the observed sample with the weights of pairs that its other counts take. A bin stands at the mean angle of the parent's pairs
/// where that was summed ([`crate::CountSpec::with_mean_separation`]) and there are any, else at its centre.
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::estimators::angular_upweights;
/// use albireo::engine::Silent;
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, Points, ThetaBins, random};
/// let sky = random::in_box(300, 1, [1.0; 3])?;
/// let parent = Particles::new(sky.clone()).directions()?;
/// let observed = Particles::new(sky.rows(0..200)).directions()?;
/// let theta = ThetaBins::new(Edges::linear(0.0, 20.0, 4)?)?;
/// let count = |sample: &Particles| {
///     let job = PairJob::new(Pairs::Auto(sample), &Domain::Open)?;
///     count_pairs(&Naive, &job, &theta, &Silent)
/// };
/// let upweights = angular_upweights(&count(&parent)?, &count(&observed)?)?;
/// assert_eq!(upweights.degrees(), [2.5, 7.5, 12.5, 17.5]);
/// assert!(upweights.factors().iter().all(|g| (g - 1.0).abs() < 0.5));
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// Bins other than in theta, different ones, fewer than two of them, a total of zero, or counts that cover a part of their job only.
pub fn angular_upweights(parent: &Counts, observed: &Counts) -> Result<AngularWeight> {
    let Some(bins) = parent.binning().as_theta() else {
        let found = parent.binning().name();
        return Err(EstimatorError::Needs(format!(
            "angular upweights are ratios of counts in theta, found bins {found}"
        )));
    };
    let edges = bins.edges().values();
    let means = parent.mean_separation();
    let angle = |bin: usize| {
        let mean = means.as_ref().map(|means| means[bin]);
        let centre = f64::midpoint(edges[bin], edges[bin + 1]);
        mean.filter(|mean| !mean.is_nan()).unwrap_or(centre)
    };
    let angles = (0..edges.len() - 1).map(angle).collect();
    angular_upweights_at(parent, observed, angles)
}

/// As [`angular_upweights`], with the angle that each bin stands at, degrees: for counts that were read back, whose means stand apart.
///
/// # Errors
/// As [`angular_upweights`], and angles that do not rise or are not one for each bin.
pub fn angular_upweights_at(
    parent: &Counts,
    observed: &Counts,
    angles: Vec<f64>,
) -> Result<AngularWeight> {
    if parent.binning() != observed.binning() {
        return Err(EstimatorError::Bins {
            left: "the parent sample",
            right: "the observed sample",
        });
    }
    let wanted = parent.fractions("the parent sample")?;
    let found = observed.fractions("the observed sample")?;
    let factor = |(wanted, found): (&f64, &f64)| if *found == 0.0 { 1.0 } else { wanted / found };
    let factors = wanted.iter().zip(&found).map(factor).collect();
    AngularWeight::new(angles, factors).map_err(|error| EstimatorError::Needs(error.to_string()))
}
