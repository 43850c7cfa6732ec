//! What one source adds at a distance: terms, their reach and the bounds on them.
//!
//! Entry: [`Term`]. A term is a strength times a profile of the squared separation; it sees neither positions nor sums.

use std::f64::consts::PI;
use std::sync::Arc;

use albireo_simd::{Operations, Scalar};

use super::profile::{
    Bare, Cloud, Ewald, ForProfile, Gaussian, LennardJones, Profile, Sharp, Smooth, Spline,
    Tabulated, TopHat, Triangle,
};
use super::tabulated::{self, FARTHEST, PIECES, TABLE_ERROR, Table};
use crate::error::{FieldError, Result};

/// How the potential of a source ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cutoff {
    /// It does not: every source acts on every target, in open space alone.
    None,
    /// It stops at a radius, s = 1 inside.
    Sharp(f64),
    /// It ends smoothly at a radius, s = (1 - r^2/rc^2)^2, as in Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277).
    Smooth(f64),
}

/// What each source adds to a target at the distance r, for its strength q.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Coulomb(Cutoff),
    Ewald { alpha: f64, cutoff: f64 },
    LennardJones { cutoff: f64 },
    TopHat { radius: f64 },
    Spline { radius: f64 },
    Gaussian { sigma: f64, reach: f64 },
    Cloud { widths: [f64; 3] },
    Triangle { widths: [f64; 3] },
    Table(Arc<Table>),
}

/// What each source adds to a target at a distance.
///
/// Below `r_min` a term keeps its value there, and such pairs are counted. Squared separations are compared: r^2 < rc^2 is in reach.
///
/// ```
/// use albireo_fields::{Cutoff, Term};
/// let term = Term::coulomb(Cutoff::Smooth(12.0), 0.1)?;
/// assert!((term.value(4.0) - (1.0 - 16.0 / 144.0f64).powi(2) / 4.0).abs() < 1e-15);
/// assert_eq!((term.value(12.0), term.value(0.01)), (0.0, term.value(0.1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    kind: Kind,
    r_min: f64,
}

/// Lengths lie in this range, so that squares and inverses of squares are normal.
const LENGTHS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// A length of a term.
fn length(what: &'static str, found: f64) -> Result<f64> {
    if LENGTHS.contains(&found) {
        return Ok(found);
    }
    Err(FieldError::Length { what, found })
}

/// The least distance of a term that ends.
fn below(what: &'static str, r_min: f64, reach: f64) -> Result<f64> {
    let r_min = length("the least distance r_min", r_min)?;
    let reach = length(what, reach)?;
    if r_min >= reach {
        return Err(FieldError::Order { r_min, reach });
    }
    Ok(r_min)
}

fn all_lengths(widths: [f64; 3]) -> Result<[f64; 3]> {
    let [x, y, z] = widths.map(|w| length("the width of a cell", w));
    Ok([x?, y?, z?])
}

impl Term {
    /// The Coulomb potential q s(r) / r, of charges or, with masses for q, that of gravity but for its sign; unit: that of q over length.
    ///
    /// # Errors
    /// Lengths that are not positive (1e-100 to 1e100), `r_min` not below the cutoff.
    pub fn coulomb(cutoff: Cutoff, r_min: f64) -> Result<Self> {
        let r_min = match cutoff {
            Cutoff::None => length("the least distance r_min", r_min)?,
            Cutoff::Sharp(rc) | Cutoff::Smooth(rc) => below("the cutoff", r_min, rc)?,
        };
        let kind = Kind::Coulomb(cutoff);
        Ok(Self { kind, r_min })
    }

    /// The mean density in a sphere: q / (4/3 pi R^3) for r < R; unit: that of q over length cubed.
    ///
    /// # Errors
    /// A radius that is not positive (1e-100 to 1e100).
    pub fn top_hat(radius: f64) -> Result<Self> {
        let radius = length("the radius", radius)?;
        let kind = Kind::TopHat { radius };
        Ok(Self { kind, r_min: 0.0 })
    }

    /// The cubic spline of smoothed particle hydrodynamics (Monaghan & Lattanzio 1985) that ends at R, with x = r/R:
    /// q 8/(pi R^3) times 1 - 6 x^2 + 6 x^3 below 1/2 and 2 (1 - x)^3 below 1; unit: that of q over length cubed.
    ///
    /// # Errors
    /// A radius that is not positive (1e-100 to 1e100).
    pub fn spline(radius: f64) -> Result<Self> {
        let radius = length("the radius", radius)?;
        let kind = Kind::Spline { radius };
        Ok(Self { kind, r_min: 0.0 })
    }

    /// The real-space part of an Ewald sum, q erfc(alpha r)/r below the cutoff (Ewald 1921, DOI 10.1002/andp.19213690304), alpha in inverse
    /// lengths; unit: that of q over length.
    ///
    /// # Errors
    /// Lengths that are not positive (1e-100 to 1e100), `r_min` not below the cutoff, alpha times the cutoff above 6.6: terms there are below
    /// 1e-19 of those without erfc.
    pub fn ewald(alpha: f64, cutoff: f64, r_min: f64) -> Result<Self> {
        let alpha = length("alpha", alpha)?;
        let r_min = below("the cutoff", r_min, cutoff)?;
        let limit = 6.6 / alpha;
        if cutoff > limit {
            let what = "the cutoff of an Ewald sum";
            return Err(FieldError::Beyond {
                what,
                limit,
                found: cutoff,
            });
        }
        let kind = Kind::Ewald { alpha, cutoff };
        Ok(Self { kind, r_min })
    }

    /// The Lennard-Jones energy of a probe, 4 epsilon ((sigma/r)^12 - (sigma/r)^6) below the cutoff, of epsilon and sigma that each source has
    /// with the probe ([`Mixing`](super::Mixing)); unit: that of epsilon. Such jobs are made by
    /// [`FieldJob::lennard_jones`](super::FieldJob::lennard_jones).
    ///
    /// # Errors
    /// Lengths that are not positive (1e-100 to 1e100), `r_min` not below the cutoff.
    pub fn lennard_jones(cutoff: f64, r_min: f64) -> Result<Self> {
        let r_min = below("the cutoff", r_min, cutoff)?;
        let kind = Kind::LennardJones { cutoff };
        Ok(Self { kind, r_min })
    }

    /// The density of Gaussian clouds, q exp(-r^2/(2 sigma^2)) / (2 pi sigma^2)^(3/2) below the reach; unit: that of q over length cubed.
    ///
    /// What lies beyond the reach is left out: 7.5e-8 of each source at 6 sigma.
    ///
    /// # Errors
    /// Lengths that are not positive (1e-100 to 1e100), a reach beyond 9.38 sigma, where a cloud is below 1e-19 of its middle.
    pub fn gaussian(sigma: f64, reach: f64) -> Result<Self> {
        let (sigma, reach) = (length("sigma", sigma)?, length("the reach", reach)?);
        let limit = (2.0 * FARTHEST).sqrt() * sigma;
        if reach > limit {
            let what = "the reach of a Gaussian";
            return Err(FieldError::Beyond {
                what,
                limit,
                found: reach,
            });
        }
        let kind = Kind::Gaussian { sigma, reach };
        Ok(Self { kind, r_min: 0.0 })
    }

    /// Cloud in cell: each source is spread over a box of these widths, so that a grid of such steps gets all of it, by the product over the
    /// axes of 1 - |d|/w (Hockney & Eastwood 1988, ISBN 0-85274-392-0); unit: that of q over length cubed.
    ///
    /// # Errors
    /// Widths that are not positive (1e-100 to 1e100).
    pub fn cloud_in_cell(widths: [f64; 3]) -> Result<Self> {
        let widths = all_lengths(widths)?;
        let kind = Kind::Cloud { widths };
        Ok(Self { kind, r_min: 0.0 })
    }

    /// Triangular-shaped cloud: as [`Term::cloud_in_cell`] over three cells, by the product of 3/4 - x^2 below x = |d|/w = 1/2 and
    /// (3/2 - x)^2/2 below 3/2 (Hockney & Eastwood 1988).
    ///
    /// # Errors
    /// Widths that are not positive (1e-100 to 1e100).
    pub fn triangular_cloud(widths: [f64; 3]) -> Result<Self> {
        let widths = all_lengths(widths)?;
        let kind = Kind::Triangle { widths };
        Ok(Self { kind, r_min: 0.0 })
    }

    /// Strength times a function given by a table; below its first node it keeps its value there, from the last on it is 0.
    pub fn table(table: Table) -> Self {
        let (r_min, _, _) = table.nodes();
        let kind = Kind::Table(Arc::new(table));
        Self { kind, r_min }
    }

    /// Where terms end; infinite where they do not. Of products over the axes: along an axis.
    pub fn reach(&self) -> f64 {
        let widest = |widths: [f64; 3]| widths.into_iter().fold(0.0, f64::max);
        match &self.kind {
            Kind::Coulomb(Cutoff::None) => f64::INFINITY,
            Kind::Coulomb(Cutoff::Sharp(rc) | Cutoff::Smooth(rc)) => *rc,
            Kind::Ewald { cutoff, .. } | Kind::LennardJones { cutoff } => *cutoff,
            Kind::TopHat { radius } | Kind::Spline { radius } => *radius,
            Kind::Gaussian { reach, .. } => *reach,
            Kind::Cloud { widths } => widest(*widths),
            Kind::Triangle { widths } => 1.5 * widest(*widths),
            Kind::Table(table) => table.nodes().1,
        }
    }

    /// Below which distance a term keeps its value; 0 where that has no meaning.
    pub fn r_min(&self) -> f64 {
        self.r_min
    }

    /// Whether it is a product over the axes, which a skewed cell has none for.
    pub(crate) fn is_product(&self) -> bool {
        matches!(self.kind, Kind::Cloud { .. } | Kind::Triangle { .. })
    }

    /// Which product over the axes it is, 1 of clouds and 2 of triangular clouds, and one over their widths; 0 for others.
    #[cfg(feature = "cuda")]
    pub(crate) fn product(&self) -> (u32, [f64; 3]) {
        match &self.kind {
            Kind::Cloud { widths } => (1, widths.map(|w| 1.0 / w)),
            Kind::Triangle { widths } => (2, widths.map(|w| 1.0 / w)),
            _ => (0, [0.0; 3]),
        }
    }

    /// Whether sources have sizes beside their strengths.
    pub(crate) fn has_sizes(&self) -> bool {
        matches!(self.kind, Kind::LennardJones { .. })
    }

    /// The lengths that decide whether float32 holds its squares.
    pub(crate) fn lengths(&self) -> Vec<f64> {
        let own = match &self.kind {
            Kind::Ewald { alpha, .. } => vec![1.0 / alpha],
            Kind::Gaussian { sigma, .. } => vec![*sigma],
            Kind::Cloud { widths } | Kind::Triangle { widths } => widths.to_vec(),
            Kind::Table(table) => vec![table.step()],
            _ => vec![],
        };
        let both = [self.r_min, self.reach()];
        let both = both.into_iter().filter(|l| *l > 0.0 && l.is_finite());
        both.chain(own).collect()
    }

    /// The term of a source of strength 1 at distance `r` (of products over the axes: along the first one; Lennard-Jones: epsilon and sigma 1),
    /// before it is rounded to fixed point; 0 from its reach on, where kernels may compute what rounds to nothing.
    pub fn value(&self, r: f64) -> f64 {
        struct At {
            r: f64,
            least: f64,
        }
        impl ForProfile for At {
            type Output = f64;
            fn with<P: Profile>(self, profile: P) -> f64 {
                let [x, y, z] = [self.r, 0.0, 0.0];
                let across = profile.join(Scalar, profile.along(0, x), profile.along(1, y));
                let joined = profile.join(Scalar, across, profile.along(2, z));
                profile.of(Scalar, Scalar.max(joined, self.least))
            }
        }
        if r >= self.reach() {
            return 0.0;
        }
        let least = self.r_min * self.r_min;
        self.with_profile(At { r, least })
    }

    /// A bound on the term of a source of strength 1 and, where it has one, this size, at any distance; `slack` exceeds its roundings,
    /// relative to it.
    pub(crate) fn largest(&self, size: f64, slack: f64) -> f64 {
        let exact = match &self.kind {
            Kind::LennardJones { .. } => {
                let x = size / (self.r_min * self.r_min);
                let t = x * x * x;
                t * t + t
            }
            Kind::Table(table) => table.bounds().0,
            // The bracket is at most as far off as a hundredth of the slack, which near its end is not small beside it.
            Kind::Coulomb(Cutoff::Smooth(rc)) => {
                let bracket = bracket(self.r_min, *rc) + slack / 100.0;
                let most = bracket * bracket / self.r_min / (1.0 + slack / 2.0);
                self.value(0.0).max(most)
            }
            // What two terms leave of each other is rounded as they are.
            Kind::Ewald { .. } => self.value(0.0).max(0.0) + slack / self.r_min,
            _ => self.value(0.0),
        };
        exact * (1.0 + slack)
    }

    /// Bound on the error of a term by its roundings, in half units in the last place of the largest term, for a squared separation that is
    /// off by at most 8 such units of itself.
    ///
    /// Coulomb: that makes 4 in 1/r, whose own are 4, and 2 for products and 1 for the square of `r_min`: 11 of at most 16. The bracket
    /// s = 1 - r^2/rc^2 is off by d = 8 + 3 half units of 1, and 1 for the square of `r_min`; the largest term has the square of s at `r_min`, so
    /// that 2 s d + d^2 of it is 24/s and, with the others, less than 200 half units over s^2. Top hat: its constant alone. Spline: r/R is off by
    /// 8 + 8 + 3, its polynomials by at most 2 times that where they are steepest, and by 8 roundings of numbers up to 6. Ewald: as Coulomb,
    /// and the Boys function's argument is off by 11, which its slope halves at most; 8 for its polynomial, 3 for its height. Lennard-Jones: 1/r^2 is
    /// off by 8 + 9, x by 2 more, (s/r)^12 by 6 times that and 5. Gaussian: x is off by 11, x exp(-x) is below 1/2. Products: each factor by 6
    /// of 1 or, squared, 20 of 3/4. Table: steps are off by 12 of r, its polynomial by 8.
    pub(crate) fn roundings(&self, half_unit: f64) -> f64 {
        match &self.kind {
            Kind::Coulomb(Cutoff::Smooth(rc)) => {
                let bracket = bracket(self.r_min, *rc);
                16.0 + 24.0 / bracket + 200.0 * half_unit / (bracket * bracket)
            }
            Kind::Coulomb(_) => 16.0,
            Kind::TopHat { .. } => 4.0,
            Kind::Spline { .. } | Kind::LennardJones { .. } => 128.0,
            Kind::Gaussian { .. } => 32.0,
            Kind::Cloud { .. } | Kind::Triangle { .. } => 96.0,
            Kind::Ewald { alpha, .. } => {
                let parts = 40.0 / self.r_min + 20.0 * ewald_height(*alpha);
                parts / self.largest(1.0, 1e-9)
            }
            Kind::Table(table) => {
                let (most, steepest) = table.bounds();
                8.0 + 12.0 * steepest * (table.nodes().1 / table.step()) / most
            }
        }
    }

    /// Bound on the error of what a term looks up, in units of the largest term.
    pub(crate) fn looked_up(&self) -> f64 {
        match &self.kind {
            Kind::Ewald { alpha, .. } => {
                ewald_height(*alpha) * TABLE_ERROR / self.largest(1.0, 1e-9)
            }
            Kind::Gaussian { .. } => TABLE_ERROR,
            _ => 0.0,
        }
    }

    /// Bound on the change of a term with a separation's relative error, in units of the largest term and of this length over the
    /// error: the steepest slope is at most 5 largest terms a length.
    pub(crate) fn resolution(&self) -> f64 {
        match &self.kind {
            // The slope is 4 s/rc^2 + s^2/r^2: with s = 1 - r^2/rc^2 at most (4 - 3 s)/s largest terms a `r_min`.
            Kind::Coulomb(Cutoff::Smooth(rc)) => self.r_min * bracket(self.r_min, *rc),
            Kind::Coulomb(_) => self.r_min,
            // exp(-x^2) is below 2 (x + 1) erfc(x).
            Kind::Ewald { alpha, .. } => {
                1.0 / (1.0 / self.r_min + 4.0 * alpha * (alpha * self.r_min + 1.0))
            }
            Kind::LennardJones { .. } => self.r_min / 3.0,
            Kind::TopHat { radius } | Kind::Spline { radius } => *radius,
            Kind::Gaussian { sigma, .. } => *sigma,
            Kind::Cloud { widths } | Kind::Triangle { widths } => {
                widths.iter().fold(f64::INFINITY, |least, &w| least.min(w))
            }
            Kind::Table(table) => {
                let (most, steepest) = table.bounds();
                table.step() * most / steepest
            }
        }
    }

    /// The name and the lengths of the term, for records.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Coulomb(Cutoff::None) => "coulomb, s(r) = 1".to_owned(),
            Kind::Coulomb(Cutoff::Sharp(rc)) => format!("coulomb, s(r) = 1 below {rc}"),
            Kind::Coulomb(Cutoff::Smooth(rc)) => format!("coulomb, s(r) = (1 - r^2/{rc}^2)^2"),
            Kind::Ewald { alpha, cutoff } => {
                format!("coulomb, s(r) = erfc({alpha} r) below {cutoff}")
            }
            Kind::LennardJones { cutoff } => format!("Lennard-Jones below {cutoff}"),
            Kind::TopHat { radius } => format!("density in spheres of radius {radius}"),
            Kind::Spline { radius } => format!("density by cubic splines that end at {radius}"),
            Kind::Gaussian { sigma, reach } => {
                format!("density by Gaussians of sigma {sigma} below {reach}")
            }
            Kind::Cloud { widths: [x, y, z] } => {
                format!("density by clouds in cells of {x} x {y} x {z}")
            }
            Kind::Triangle { widths: [x, y, z] } => {
                format!("density by triangular clouds of cells of {x} x {y} x {z}")
            }
            Kind::Table(table) => {
                let (first, last, nodes) = table.nodes();
                format!("natural spline through {nodes} nodes from {first} to {last}")
            }
        }
    }

    /// Runs `work` with the profile of this term.
    pub(crate) fn with_profile<W: ForProfile>(&self, work: W) -> W::Output {
        match &self.kind {
            Kind::Coulomb(Cutoff::None) => work.with(Bare),
            Kind::Coulomb(Cutoff::Sharp(rc)) => work.with(Sharp { rc2: rc * rc }),
            Kind::Coulomb(Cutoff::Smooth(rc)) => work.with(Smooth {
                per_rc2: 1.0 / (rc * rc),
            }),
            Kind::Ewald { alpha, cutoff } => work.with(Ewald {
                rc2: cutoff * cutoff,
                pieces: PIECES * (alpha * alpha),
                height: ewald_height(*alpha),
                boys: tabulated::boys(),
            }),
            Kind::LennardJones { cutoff } => work.with(LennardJones {
                rc2: cutoff * cutoff,
            }),
            Kind::TopHat { radius } => work.with(TopHat {
                radius2: radius * radius,
                height: 1.0 / (4.0 / 3.0 * PI * (radius * radius * radius)),
            }),
            Kind::Spline { radius } => work.with(Spline {
                per_radius: 1.0 / radius,
                height: 8.0 / (PI * (radius * radius * radius)),
            }),
            Kind::Gaussian { sigma, reach } => work.with(Gaussian {
                reach2: reach * reach,
                pieces: PIECES / (2.0 * (sigma * sigma)),
                height: 1.0 / ((2.0 * PI).sqrt() * (2.0 * PI) * (sigma * sigma * sigma)),
                exp: tabulated::exponential(),
            }),
            Kind::Cloud { widths } => work.with(Cloud {
                per_width: widths.map(|w| 1.0 / w),
                height: 1.0 / (widths[0] * widths[1] * widths[2]),
            }),
            Kind::Triangle { widths } => work.with(Triangle {
                per_width: widths.map(|w| 1.0 / w),
                height: 1.0 / (widths[0] * widths[1] * widths[2]),
            }),
            Kind::Table(table) => {
                let ((first, last, _), step) = (table.nodes(), table.step());
                work.with(Tabulated {
                    rc2: last * last,
                    per_step: 1.0 / step,
                    first: first / step + 0.5,
                    pieces: table.pieces(),
                })
            }
        }
    }
}

/// 1 - r^2/rc^2, of r below rc never 0.
fn bracket(r: f64, rc: f64) -> f64 {
    (rc - r) / rc * (1.0 + r / rc)
}

/// What the Boys function is multiplied by: alpha 2/sqrt(pi).
fn ewald_height(alpha: f64) -> f64 {
    alpha * std::f64::consts::FRAC_2_SQRT_PI
}

#[cfg(test)]
mod tests;
