//! Random pairs that need no randoms: in a periodic box every bin holds its share of the volume.

use super::Result;
use super::edges::{outer, two_sided_widths};
use super::less_cylinder::Kept;
use super::{RandomPairs, cuts_of_space, no_legendre_sums};
use crate::binning::{BinAxis, Bins, Edges, Form, Formed, LineOfSight};
use crate::counts::PairTotal;
use crate::domain::Domain;
use crate::engine::Exactness;
use crate::error::EstimatorError;
use crate::tally::{Cut, Legendre, LegendreDegrees};

/// The fraction of uniformly distributed pairs in each bin: the volume of the bin over that of the box.
///
/// - r: `4/3 pi (r_hi^3 - r_lo^3) / V`;
/// - (s, mu), fixed axis: the shell times the width of the |mu| bin (of a signed bin: half its width);
/// - (rp, pi), fixed axis: `pi (rp_hi^2 - rp_lo^2)` times twice the width of the |pi| bin (of a signed bin: once).
///
/// It takes the place of a counted RR in estimators that [take known randoms](super::Estimator::takes_known_randoms).
///
/// ```
/// use albireo::{Domain, Edges, PeriodicBox, RBins, estimators::AnalyticRr};
/// let domain = Domain::Periodic(PeriodicBox::new([Some(1.0), Some(2.0), Some(4.0)])?);
/// let rr = AnalyticRr::new(&RBins::new(Edges::linear(0.0, 0.5, 1)?), &domain)?;
/// assert!((rr.fractions()[0] - std::f64::consts::PI / 6.0 / 8.0).abs() < 1e-15);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AnalyticRr {
    binning: Bins,
    fractions: Vec<f64>,
    cuts: Vec<Cut>,
    /// Sums of Legendre polynomials other than of degree 0, over all pairs.
    legendre: Vec<(Legendre, Vec<f64>)>,
}

/// Volumes of the shells between the edges: `4/3 pi (e_k+1^3 - e_k^3)`.
pub fn shells(edges: &Edges) -> Vec<f64> {
    let ball = |r: f64| r * r * r;
    edges
        .values()
        .windows(2)
        .map(|e| 4.0 / 3.0 * std::f64::consts::PI * (ball(e[1]) - ball(e[0])))
        .collect()
}

/// Areas of the rings between the edges: `pi (e_k+1^2 - e_k^2)`.
pub fn rings(edges: &Edges) -> Vec<f64> {
    edges
        .squares()
        .windows(2)
        .map(|e| std::f64::consts::PI * (e[1] - e[0]))
        .collect()
}

/// Volumes of whole bins in space without walls; none of bins on the sphere and of rules of other crates, whose volumes are not known.
///
/// # Errors
/// A line of sight that is no fixed axis.
pub fn bin_volumes(bins: &Bins) -> Result<Option<Vec<f64>>> {
    let formed = Formed::of(bins).filter(|formed| !formed.on_sphere);
    formed.map(|formed| volumes(formed.form)).transpose()
}

/// Volumes of the bins in space without walls: shells, their shares between cones, or rings times heights.
fn volumes(form: Form<'_>) -> Result<Vec<f64>> {
    Ok(match form {
        Form::Radial { r } => shells(r),
        Form::SMu { s, mu, los } => {
            fixed_axis_only(los)?;
            // Both sides of the plane make up the shell, so a two-sided width of 2 is all of it.
            let share: Vec<f64> = two_sided_widths(mu).iter().map(|w| w / 2.0).collect();
            outer(&shells(s), &share)
        }
        Form::RpPi { rp, pi, los } => {
            fixed_axis_only(los)?;
            outer(&rings(rp), &two_sided_widths(pi))
        }
    })
}

fn fixed_axis_only(los: LineOfSight) -> Result<()> {
    match los {
        LineOfSight::Fixed(_) => Ok(()),
        other => Err(EstimatorError::AnalyticRr(format!(
            "needs a fixed axis (x, y or z) as the line of sight, not {}",
            other.name()
        ))),
    }
}

impl AnalyticRr {
    /// Random pairs in the bins of `binning`, in a domain that is periodic on all axes.
    ///
    /// # Errors
    /// An open axis, a line of sight other than a fixed axis, angular bins, or bins that reach beyond half the box (for a triclinic
    /// box, half its shortest lattice vector).
    pub fn new(bins: impl Into<Bins>, domain: &Domain) -> Result<Self> {
        Self::with_cuts(bins, domain, &[])
    }

    /// The same without the pairs that `cuts` hold: each bin's volume less the cylinders around the line of sight that cuts in rp take out
    /// of it. Unrelated points are in no common group and in no list, so that such cuts change nothing.
    ///
    /// ```
    /// use albireo::tally::Cut;
    /// use albireo::{Axis, Domain, Edges, LineOfSight, PeriodicBox, RBins, estimators::AnalyticRr};
    /// let domain = Domain::Periodic(PeriodicBox::cubic(20.0)?);
    /// let bins = RBins::new(Edges::new(vec![0.0, 3.0, 5.0])?);
    /// let cut = Cut::rp(0.0, 3.0, LineOfSight::Fixed(Axis::Z))?;
    /// let rr = AnalyticRr::with_cuts(&bins, &domain, &[cut])?;
    /// // Of a ball of radius 5 without a bore of radius 3 there is left a ball of radius 4.
    /// let ball = 4.0 / 3.0 * std::f64::consts::PI * 64.0;
    /// assert_eq!(rr.fractions()[0], 0.0);
    /// assert!((rr.fractions()[1] - ball / 8000.0).abs() < 1e-15);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`AnalyticRr::new`]; a cut in theta, a cut in rp across another line of sight than a fixed axis, or than that of the bins or of
    /// another cut.
    pub fn with_cuts(bins: impl Into<Bins>, domain: &Domain, cuts: &[Cut]) -> Result<Self> {
        let binning = bins.into();
        let Some(box_volume) = domain.volume() else {
            return Err(EstimatorError::AnalyticRr(
                "needs a box that is periodic on all axes: give randoms instead".to_owned(),
            ));
        };
        if let Err(refusal) = binning.admit(domain) {
            return Err(EstimatorError::AnalyticRr(format!(
                "is not defined here: {refusal}"
            )));
        }
        let Some(Formed { form, .. }) = Formed::of(&binning) else {
            return Err(EstimatorError::AnalyticRr(
                "is known for the library's own binnings alone: give randoms instead".to_owned(),
            ));
        };
        let cuts = cuts_of_space(cuts);
        let kept = Kept::of(&cuts, form)?;
        let volumes = match form {
            _ if !cuts.is_empty() => kept.volumes(form),
            _ => volumes(form)?,
        };
        Ok(Self {
            binning: binning.clone(),
            fractions: volumes.iter().map(|v| v / box_volume).collect(),
            cuts,
            legendre: vec![],
        })
    }

    /// The same with Legendre sums of these degrees, which are 0 in bins that span all of mu: every direction is as likely.
    ///
    /// # Errors
    /// Bins other than (s, mu) with one bin in mu, from 0 or -1 to 1.
    pub fn with_legendre(self, degrees: LegendreDegrees) -> Result<Self> {
        let spans = match Formed::of(&self.binning).map(|formed| formed.form) {
            Some(Form::SMu { mu, .. }) => matches!(mu.values(), [0.0 | -1.0, 1.0]),
            _ => false,
        };
        if !(degrees.is_empty() || (spans && self.cuts.is_empty())) {
            return Err(EstimatorError::AnalyticRr(
                "has Legendre sums in bins (s, mu) with one bin in mu that spans [0, 1] or [-1, 1], and without cuts"
                    .to_owned(),
            ));
        }
        let above = degrees.iter().filter(|l| *l != Legendre::L0);
        let zero = vec![0.0; self.fractions.len()];
        Ok(Self {
            legendre: above.map(|l| (l, zero.clone())).collect(),
            ..self
        })
    }

    /// The bins.
    pub(super) fn binning_of(&self) -> &Bins {
        &self.binning
    }

    /// Other fractions and Legendre sums in the same bins.
    pub(super) fn with_fractions(
        &self,
        fractions: Vec<f64>,
        legendre: Vec<(Legendre, Vec<f64>)>,
    ) -> Self {
        Self {
            binning: self.binning.clone(),
            fractions,
            cuts: self.cuts.clone(),
            legendre,
        }
    }

    /// The Legendre sums, with their polynomials.
    pub(super) fn legendre(&self) -> &[(Legendre, Vec<f64>)] {
        &self.legendre
    }

    /// The fraction of all pairs in each bin.
    pub fn fractions(&self) -> &[f64] {
        &self.fractions
    }

    /// The number of pairs (or their weight) expected in each bin of a uniform sample with this total.
    pub fn expected(&self, total: &PairTotal, weighted: bool) -> Vec<f64> {
        let all = total.normalisation(weighted);
        self.fractions.iter().map(|share| share * all).collect()
    }

    /// The axes of the bins.
    pub fn axes(&self) -> Vec<BinAxis> {
        self.binning.axes()
    }
}

impl RandomPairs for AnalyticRr {
    fn binning(&self) -> &Bins {
        &self.binning
    }

    fn fractions(&self, _: &'static str) -> Result<Vec<f64>> {
        Ok(self.fractions.clone())
    }

    fn legendre_fractions(&self, l: Legendre, name: &'static str) -> Result<Vec<f64>> {
        if l == Legendre::L0 {
            return Ok(self.fractions.clone());
        }
        let found = self.legendre.iter().find(|(known, _)| *known == l);
        let found = found.ok_or_else(|| no_legendre_sums(l, name))?;
        Ok(found.1.clone())
    }

    fn relative_variance(&self) -> Vec<f64> {
        vec![0.0; self.fractions.len()]
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    fn within_one_sample(&self) -> bool {
        true
    }
}
