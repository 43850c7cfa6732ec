//! Random pairs that need no randoms in a periodic box from which one of its equal cells is left out.
//!
//! Entry: [`CellRr`]. Uniform points have a share `p` of their pairs in a bin, the bin's share of the volume, wherever the first point
//! lies; so a cell of a share `f` of the volume holds the first point of `f p` of them. Both points are in the cell as often as the cell
//! and its copy shifted by the separation overlap: `A = 1/V^2 int prod_i (l_i - |d_i|)_+ d^3d` over the bin, l the sides of the cell.
//! Exactly one is in `C = 2 (f p - A)`.

use super::Result;
use super::edges::{differences, signed};
use super::less_cylinder::Kept;
use super::{AnalyticRr, RandomPairs};
use crate::binning::{Edges, Form, Formed, LineOfSight};
use crate::domain::Axis;
use crate::error::EstimatorError;
use crate::legendre::legendre;
use crate::quadrature::GaussLegendre;
use crate::regions::{Cells, Regions};
use crate::tally::Legendre;

/// The fraction of uniformly distributed pairs in each bin, in a periodic box and in what is left of it without one of its cells.
///
/// ```
/// use albireo::estimators::{AnalyticRr, CellRr};
/// use albireo::regions::Cells;
/// use albireo::{Domain, Edges, PeriodicBox, RBins};
/// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
/// let whole = AnalyticRr::new(&RBins::new(Edges::linear(0.0, 0.3, 3)?), &domain)?;
/// let rr = CellRr::new(whole, Some(&Cells::new(&domain, [4, 4, 4])?))?;
/// // The box without a cell has fewer pairs far apart for all its pairs than the box has.
/// assert!(rr.without(1.0).fractions()[2] != rr.whole().fractions()[2]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CellRr {
    whole: AnalyticRr,
    /// The fraction of all pairs that lie in a bin with both points in one cell.
    within: Vec<f64>,
    /// The Legendre sums of these pairs over all pairs, where those of the box are known.
    within_legendre: Vec<(Legendre, Vec<f64>)>,
    /// The share of the volume of a cell.
    share: f64,
    number: usize,
}

impl CellRr {
    /// Random pairs of the box that `whole` holds those of, by its `cells`; integrals are good to about ten digits.
    ///
    /// # Errors
    /// [`EstimatorError::AnalyticRr`]: regions of another form, of which nothing is known without randoms.
    pub fn new(whole: AnalyticRr, cells: Option<&Cells>) -> Result<Self> {
        let unknown = |what: &str| EstimatorError::AnalyticRr(what.to_owned());
        let cells = cells.ok_or_else(|| {
            unknown("without a region is known for equal sub-cubes of the box alone: take these, or give randoms")
        })?;
        let Some(Formed { form, .. }) = Formed::of(whole.binning_of()) else {
            return Err(unknown(
                "is known for the library's own binnings alone: give randoms instead",
            ));
        };
        let lengths = cells.lengths();
        let volume: f64 = lengths.iter().product();
        let kept = Kept::of(whole.cuts(), form)?;
        let pairs = kept.both_in_cell(form, cells);
        let pairs = pairs.iter().zip(whole.fractions());
        // A bin of which cuts leave nothing is empty, exactly.
        let within = pairs.map(|(v, &p)| if p == 0.0 { 0.0 } else { v / volume / volume });
        let shares = |pairs: Vec<f64>| pairs.iter().map(|v| v / volume / volume).collect();
        let polynomials = whole.legendre().iter();
        let within_legendre = polynomials
            .map(|&(l, _)| (l, shares(moments_in_cell(form, cells, l))))
            .collect();
        Ok(Self {
            within: within.collect(),
            within_legendre,
            share: 1.0 / f64::from(cells.number()),
            number: cells.number() as usize,
            whole,
        })
    }

    /// Number of cells.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Random pairs of the whole box.
    pub fn whole(&self) -> &AnalyticRr {
        &self.whole
    }

    /// Random pairs of the box without a cell, whichever it is: `(p - A - alpha C)/(1 - f^2 - 2 alpha f (1 - f))`, with `alpha` as in
    /// [`super::Jackknife::alpha`].
    #[must_use]
    pub fn without(&self, alpha: f64) -> AnalyticRr {
        self.without_shares(alpha, alpha)
    }

    /// As [`CellRr::without`], with one `alpha` for the pairs in each bin and another for all pairs.
    #[must_use]
    pub fn without_shares(&self, alpha: f64, alpha_of_totals: f64) -> AnalyticRr {
        let f = self.share;
        let total = 1.0 - f * f - 2.0 * alpha_of_totals * f * (1.0 - f);
        let left = |(&p, &within): (&f64, &f64)| {
            let across = 2.0 * (f * p - within);
            (p - within - alpha * across) / total
        };
        let every = |all: &[f64], within: &[f64]| all.iter().zip(within).map(left).collect();
        let legendre = self.whole.legendre().iter().zip(&self.within_legendre);
        let legendre = legendre.map(|((l, all), (_, within))| (*l, every(all, within)));
        let fractions = every(self.whole.fractions(), &self.within);
        self.whole.with_fractions(fractions, legendre.collect())
    }
}

/// How far two copies of a cell overlap along an axis, `(l - |d|)_+`; all of it where the cell is as long as the box.
#[derive(Debug, Clone, Copy)]
struct Side {
    length: f64,
    whole: bool,
}

impl Side {
    fn of(cells: &Cells, axis: Axis) -> Self {
        let (length, n) = (cells.lengths()[axis.index()], cells.shape()[axis.index()]);
        Self {
            length: length / f64::from(n),
            whole: n == 1,
        }
    }

    fn overlap(self, d: f64) -> f64 {
        if self.whole {
            self.length
        } else {
            (self.length - d).max(0.0)
        }
    }

    /// Its integral from 0 to `d`.
    fn up_to(self, d: f64) -> f64 {
        if self.whole {
            return self.length * d;
        }
        let d = d.min(self.length);
        d * (self.length - d / 2.0)
    }

    /// Where the overlap ends.
    fn end(self) -> f64 {
        if self.whole {
            f64::INFINITY
        } else {
            self.length
        }
    }
}

/// Integrals over what two copies of a cell have in common.
struct Overlap {
    rule: GaussLegendre,
    across: [Side; 2],
    along: Side,
}

/// The integral of `f` from 0 to `end`, smooth but for the roots of `x` from some of `kinks` on.
fn piecewise(rule: &GaussLegendre, end: f64, kinks: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut cuts: Vec<f64> = kinks
        .iter()
        .copied()
        .filter(|&x| x > 0.0 && x < end)
        .collect();
    cuts.extend([0.0, end]);
    cuts.sort_by(f64::total_cmp);
    let piece = |ends: &[f64]| {
        let (from, width) = (ends[0], ends[1] - ends[0]);
        // Slow at both ends: half-integer powers of the distance from an end become integer ones.
        let at = |s: f64| f(from + width * (s * s * (3.0 - 2.0 * s))) * (6.0 * s * (1.0 - s));
        width * (rule.integrate(0.0, 0.5, at) + rule.integrate(0.5, 1.0, at))
    };
    cuts.windows(2).map(piece).sum()
}

impl Overlap {
    fn new(cells: &Cells, along: Axis) -> Self {
        let across = match along {
            Axis::X => [Axis::Y, Axis::Z],
            Axis::Y => [Axis::X, Axis::Z],
            Axis::Z => [Axis::X, Axis::Y],
        };
        Self {
            rule: GaussLegendre::default(),
            across: across.map(|axis| Side::of(cells, axis)),
            along: Side::of(cells, along),
        }
    }

    /// Over the disc of radius `rho` across.
    fn disc(&self, rho: f64) -> f64 {
        let [a, b] = self.across;
        let kink = (rho * rho - b.end() * b.end()).max(0.0).sqrt();
        let end = rho.min(a.end());
        let strip = |x: f64| a.overlap(x) * b.up_to((rho * rho - x * x).max(0.0).sqrt());
        4.0 * piecewise(&self.rule, end, &[kink], strip)
    }

    /// Over the separations below `s` and less than `bore` across, with cosines below `mu` either way along the axis.
    fn cone(&self, s: f64, mu: f64, bore: f64) -> f64 {
        if mu == 0.0 || s == 0.0 {
            return 0.0;
        }
        let opening = (1.0 - mu * mu).max(0.0).sqrt() / mu;
        let [a, b] = self.across.map(Side::end);
        let radii = [a, b, (a * a + b * b).sqrt(), bore];
        let on_sphere = radii.map(|r| (s * s - r * r).max(0.0).sqrt());
        let on_cone = radii.map(|r| r / opening);
        let kinks = [on_sphere, on_cone].concat();
        let end = (s * mu).min(self.along.end());
        let slice = |z: f64| {
            let outer = self.disc((s * s - z * z).max(0.0).sqrt().min(bore));
            self.along.overlap(z) * (outer - self.disc((z * opening).min(bore)))
        };
        2.0 * piecewise(&self.rule, end, &kinks, slice)
    }
}

/// The integral over each shell of a Legendre polynomial of mu times the volume that a cell has in common with its copy: by parts, of
/// what lies within a cone, so that kinks of the overlap do no harm.
fn moments_in_cell(form: Form<'_>, cells: &Cells, l: Legendre) -> Vec<f64> {
    let Form::SMu { s, los, .. } = form else {
        return vec![];
    };
    let along = match los {
        LineOfSight::Fixed(axis) => axis,
        _ => Axis::Z,
    };
    if l.is_odd() {
        // As many pairs point one way as the other.
        return vec![0.0; s.n_bins()];
    }
    let overlap = Overlap::new(cells, along);
    let degree = l.degree();
    // (x^2 - 1) P' = n (x P - P_below), away from the ends.
    let slope = |x: f64| {
        let below = legendre(degree - 1, x);
        f64::from(degree) * (x * legendre(degree, x) - below) / (x * x - 1.0)
    };
    let up_to = |&s: &f64| {
        let end = overlap.along.end();
        let kinks = [end / s, (1.0 - (end / s) * (end / s)).max(0.0).sqrt()];
        let inside = piecewise(&overlap.rule, 1.0, &kinks, |mu| {
            overlap.cone(s, mu, f64::INFINITY) * slope(mu)
        });
        overlap.cone(s, 1.0, f64::INFINITY) - inside
    };
    differences(&s.values().iter().map(up_to).collect::<Vec<_>>())
}

impl Kept {
    /// The integral over what cuts leave of each bin of the volume that a cell has in common with its copy.
    fn both_in_cell(&self, form: Form<'_>, cells: &Cells) -> Vec<f64> {
        self.over(|across| both_in_cell(form, cells, across, self.axis()))
    }
}

/// The integral over each bin, up to `bore` across the axis of cuts, of the volume that a cell has in common with its copy.
fn both_in_cell(form: Form<'_>, cells: &Cells, bore: f64, of_cuts: Axis) -> Vec<f64> {
    let axis = |los| match los {
        LineOfSight::Fixed(axis) => axis,
        // Analytic pairs have a fixed axis.
        _ => Axis::Z,
    };
    let up_to = |edges: &Edges, f: &dyn Fn(f64) -> f64| -> Vec<f64> {
        edges.values().iter().map(|&edge| f(edge)).collect()
    };
    match form {
        Form::Radial { r } => {
            let overlap = Overlap::new(cells, of_cuts);
            differences(&up_to(r, &|r| overlap.cone(r, 1.0, bore)))
        }
        Form::RpPi { rp, pi, los } => {
            let overlap = Overlap::new(cells, axis(los));
            let discs = differences(&up_to(rp, &|rp| overlap.disc(rp.min(bore))));
            let depths = differences(&signed(pi, |d| 2.0 * overlap.along.up_to(d)));
            let product = |disc: &f64| depths.iter().map(|depth| disc * depth).collect::<Vec<_>>();
            discs.iter().flat_map(product).collect()
        }
        Form::SMu { s, mu, los } => {
            let overlap = Overlap::new(cells, axis(los));
            let cones = s
                .values()
                .iter()
                .map(|&s| signed(mu, |mu| overlap.cone(s, mu, bore)));
            let cones: Vec<Vec<f64>> = cones.map(|cones| differences(&cones)).collect();
            let shell = |ends: &[Vec<f64>]| {
                let pairs = ends[1].iter().zip(&ends[0]);
                pairs.map(|(far, near)| far - near).collect::<Vec<_>>()
            };
            cones.windows(2).flat_map(shell).collect()
        }
    }
}
