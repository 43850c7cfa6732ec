//! What one source adds at a distance: terms, their reach and the bounds on them.
//!
//! Entry: [`Term`]. A term is a strength times a profile of the squared separation; it sees neither positions nor sums.

use super::arithmetic::{Arithmetic, Scalar};
use crate::error::FieldError;

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
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Coulomb(Cutoff),
    TopHat { radius: f64 },
    Spline { radius: f64 },
}

/// What each source adds to a target at a distance.
///
/// Below `r_min` a term keeps its value there, and such pairs are counted. Squared separations are compared: r^2 < rc^2 is in reach.
///
/// ```
/// use albireo::field::{Cutoff, Term};
/// let term = Term::coulomb(Cutoff::Smooth(12.0), 0.1)?;
/// assert!((term.value(4.0) - (1.0 - 16.0 / 144.0f64).powi(2) / 4.0).abs() < 1e-15);
/// assert_eq!((term.value(12.0), term.value(0.01)), (0.0, term.value(0.1)));
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    kind: Kind,
    r_min: f64,
}

/// Lengths lie in this range, so that squares and inverses of squares are normal.
const LENGTHS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// A length of a term.
fn length(what: &'static str, found: f64) -> Result<f64, FieldError> {
    if LENGTHS.contains(&found) {
        return Ok(found);
    }
    Err(FieldError::Length { what, found })
}

impl Term {
    /// The Coulomb potential q s(r) / r, of charges or, with masses for q, that of gravity but for its sign; unit: that of q over length.
    ///
    /// # Errors
    /// Lengths that are not positive (1e-100 to 1e100), `r_min` not below the cutoff.
    pub fn coulomb(cutoff: Cutoff, r_min: f64) -> Result<Self, FieldError> {
        let r_min = length("the least distance r_min", r_min)?;
        if let Cutoff::Sharp(rc) | Cutoff::Smooth(rc) = cutoff {
            let reach = length("the cutoff", rc)?;
            if r_min >= reach {
                return Err(FieldError::Order { r_min, reach });
            }
        }
        let kind = Kind::Coulomb(cutoff);
        Ok(Self { kind, r_min })
    }

    /// The mean density in a sphere: q / (4/3 pi R^3) for r < R; unit: that of q over length cubed.
    ///
    /// # Errors
    /// A radius that is not positive (1e-100 to 1e100).
    pub fn top_hat(radius: f64) -> Result<Self, FieldError> {
        let radius = length("the radius", radius)?;
        let kind = Kind::TopHat { radius };
        Ok(Self { kind, r_min: 0.0 })
    }

    /// The cubic spline of smoothed particle hydrodynamics (Monaghan & Lattanzio 1985) that ends at R, with x = r/R:
    /// q 8/(pi R^3) times 1 - 6 x^2 + 6 x^3 below 1/2 and 2 (1 - x)^3 below 1; unit: that of q over length cubed.
    ///
    /// # Errors
    /// A radius that is not positive (1e-100 to 1e100).
    pub fn spline(radius: f64) -> Result<Self, FieldError> {
        let radius = length("the radius", radius)?;
        let kind = Kind::Spline { radius };
        Ok(Self { kind, r_min: 0.0 })
    }

    /// Where terms end; infinite where they do not.
    pub fn reach(&self) -> f64 {
        match self.kind {
            Kind::Coulomb(Cutoff::None) => f64::INFINITY,
            Kind::Coulomb(Cutoff::Sharp(rc) | Cutoff::Smooth(rc)) => rc,
            Kind::TopHat { radius } | Kind::Spline { radius } => radius,
        }
    }

    /// Below which distance a term keeps its value; 0 where that has no meaning.
    pub fn r_min(&self) -> f64 {
        self.r_min
    }

    /// The term of a source of strength 1 at distance `r`, before it is rounded to fixed point.
    pub fn value(&self, r: f64) -> f64 {
        struct At(f64);
        impl ForProfile for At {
            type Output = f64;
            fn with<P: Profile>(self, profile: P) -> f64 {
                profile.of(Scalar, self.0)
            }
        }
        let least = self.r_min * self.r_min;
        self.with_profile(At(Scalar.max(r * r, least)))
    }

    /// A bound on the term of a source of strength 1, whatever its distance: its value where it is largest, and more than its roundings.
    pub(crate) fn largest(&self) -> f64 {
        self.value(0.0) * (1.0 + 1e-9)
    }

    /// Bound on the error of a term by its roundings, in units of 2^-53 times the largest term, for a squared separation that is off
    /// by at most 8 such units of itself.
    ///
    /// Coulomb: that makes 4 in 1/r, whose own are 4; 1 - r^2/rc^2 is off by 8 + 3 of at most 1, and 1 for the difference; its square by
    /// 2 * 12 + 1, products by 1 each: 8 + 25 + 2, and 1 for the square of `r_min`. Top hat: its constant alone. Spline: r/R is off by
    /// 8 + 8 + 3, its polynomials by at most 2 times that where they are steepest, and by 8 roundings of numbers up to 6.
    pub(crate) fn roundings(&self) -> f64 {
        match self.kind {
            Kind::Coulomb(_) => 40.0,
            Kind::TopHat { .. } => 4.0,
            Kind::Spline { .. } => 128.0,
        }
    }

    /// Bound on the change of a term with a separation's relative error, in units of the largest term and of this length over the
    /// error: the steepest slope is at most 5 largest terms a length.
    pub(crate) fn resolution(&self) -> f64 {
        match self.kind {
            Kind::Coulomb(_) => self.r_min,
            Kind::TopHat { radius } | Kind::Spline { radius } => radius,
        }
    }

    /// The name and the lengths of the term, for records.
    pub fn describe(&self) -> String {
        match self.kind {
            Kind::Coulomb(Cutoff::None) => "coulomb, s(r) = 1".to_owned(),
            Kind::Coulomb(Cutoff::Sharp(rc)) => format!("coulomb, s(r) = 1 below {rc}"),
            Kind::Coulomb(Cutoff::Smooth(rc)) => format!("coulomb, s(r) = (1 - r^2/{rc}^2)^2"),
            Kind::TopHat { radius } => format!("density in spheres of radius {radius}"),
            Kind::Spline { radius } => format!("density by cubic splines that end at {radius}"),
        }
    }

    /// Runs `work` with the profile of this term.
    pub(crate) fn with_profile<W: ForProfile>(&self, work: W) -> W::Output {
        match self.kind {
            Kind::Coulomb(Cutoff::None) => work.with(Bare),
            Kind::Coulomb(Cutoff::Sharp(rc)) => work.with(Sharp { rc2: rc * rc }),
            Kind::Coulomb(Cutoff::Smooth(rc)) => work.with(Smooth {
                per_rc2: 1.0 / (rc * rc),
            }),
            Kind::TopHat { radius } => {
                let volume = 4.0 / 3.0 * std::f64::consts::PI * (radius * radius * radius);
                work.with(TopHat {
                    radius2: radius * radius,
                    height: 1.0 / volume,
                })
            }
            Kind::Spline { radius } => work.with(Spline {
                per_radius: 1.0 / radius,
                height: 8.0 / (std::f64::consts::PI * (radius * radius * radius)),
            }),
        }
    }
}

/// Work that is compiled for each profile.
pub(crate) trait ForProfile {
    /// What comes out.
    type Output;
    /// Does the work.
    fn with<P: Profile>(self, profile: P) -> Self::Output;
}

/// A term of strength 1 as a function of the squared separation, not below that of `r_min`; THE definition, for all engines.
///
/// Where the squared separation is that of the reach or more it is 0, or so little that a strength times it rounds to 0: below 2^-70 of
/// the largest.
pub(crate) trait Profile: Copy + Send + Sync {
    /// Its value.
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D;
}

/// 1/r.
#[derive(Clone, Copy)]
pub(crate) struct Bare;

impl Profile for Bare {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        a.inverse_root(r2)
    }
}

/// 1/r below the cutoff.
#[derive(Clone, Copy)]
pub(crate) struct Sharp {
    rc2: f64,
}

impl Profile for Sharp {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        a.where_less(r2, a.splat(self.rc2), a.inverse_root(r2))
    }
}

/// (1 - r^2/rc^2)^2 / r. Beyond the cutoff the bracket is at most 4 half units, and its square less than 2^-100.
#[derive(Clone, Copy)]
pub(crate) struct Smooth {
    per_rc2: f64,
}

impl Profile for Smooth {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        let s = a.sub(a.splat(1.0), a.mul(r2, a.splat(self.per_rc2)));
        let s = a.max(s, a.splat(0.0));
        a.mul(a.inverse_root(r2), a.mul(s, s))
    }
}

/// A constant below the radius.
#[derive(Clone, Copy)]
pub(crate) struct TopHat {
    radius2: f64,
    height: f64,
}

impl Profile for TopHat {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        a.where_less(r2, a.splat(self.radius2), a.splat(self.height))
    }
}

/// The cubic spline. Near its end 1 - x is at most some 20 half units, and its cube less than 2^-140.
#[derive(Clone, Copy)]
pub(crate) struct Spline {
    per_radius: f64,
    height: f64,
}

impl Profile for Spline {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        let one = a.splat(1.0);
        // Far below any length, and positive, so that it has a root.
        let r2 = a.max(r2, a.splat(1e-250));
        let x = a.mul(a.mul(r2, a.inverse_root(r2)), a.splat(self.per_radius));
        // 2 (1 - x)^3 - 8 (1/2 - x)^3 is the inner polynomial.
        let outer = a.max(a.sub(one, x), a.splat(0.0));
        let inner = a.max(a.sub(a.splat(0.5), x), a.splat(0.0));
        let outer = a.mul(a.mul(outer, outer), a.mul(outer, a.splat(2.0)));
        let inner = a.mul(a.mul(inner, inner), a.mul(inner, a.splat(8.0)));
        a.mul(a.sub(outer, inner), a.splat(self.height))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_their_formulas() {
        let near = |found: f64, expected: f64| {
            assert!(
                (found - expected).abs() <= 1e-14 * expected.abs(),
                "{found} for {expected}"
            );
        };
        let smooth = Term::coulomb(Cutoff::Smooth(3.0), 0.5).unwrap();
        let sharp = Term::coulomb(Cutoff::Sharp(3.0), 0.5).unwrap();
        let bare = Term::coulomb(Cutoff::None, 0.5).unwrap();
        let spline = Term::spline(2.0).unwrap();
        for r in [0.5, 0.7, 1.0, 1.1, 1.9, 2.5] {
            near(bare.value(r), 1.0 / r);
            near(sharp.value(r), 1.0 / r);
            near(smooth.value(r), (1.0 - r * r / 9.0).powi(2) / r);
            let x = r / 2.0;
            let w = if x < 0.5 {
                1.0 - 6.0 * x * x + 6.0 * x.powi(3)
            } else {
                2.0 * (1.0f64 - x).max(0.0).powi(3)
            };
            let expected = w / std::f64::consts::PI;
            assert!((spline.value(r) - expected).abs() < 1e-15);
        }
        assert_eq!((sharp.value(3.0), bare.value(0.1)), (0.0, bare.value(0.5)));
        assert!(sharp.value(3.0f64.next_down()) > 0.3);
        let top_hat = Term::top_hat(2.0).unwrap();
        near(top_hat.value(1.99), 3.0 / (32.0 * std::f64::consts::PI));
        assert_eq!(top_hat.value(2.0), 0.0);
    }

    /// A density holds its source once.
    #[test]
    fn densities_are_normalised() {
        for term in [Term::top_hat(1.5).unwrap(), Term::spline(1.5).unwrap()] {
            let n = 20_000;
            let h = 1.5 / f64::from(n);
            let shell = |k: u32| {
                let r = (f64::from(k) + 0.5) * h;
                4.0 * std::f64::consts::PI * r * r * h * term.value(r)
            };
            let mass: f64 = (0..n).map(shell).sum();
            assert!((mass - 1.0).abs() < 1e-8, "{mass}");
        }
    }

    #[test]
    fn terms_without_meaning_are_refused() {
        for (cutoff, r_min) in [
            (Cutoff::None, 0.0),
            (Cutoff::None, f64::NAN),
            (Cutoff::Smooth(-1.0), 0.1),
            (Cutoff::Smooth(f64::INFINITY), 0.1),
            (Cutoff::Sharp(0.1), 0.1),
        ] {
            assert!(Term::coulomb(cutoff, r_min).is_err(), "{cutoff:?} {r_min}");
        }
        assert!(Term::top_hat(0.0).is_err());
        assert!(Term::spline(f64::NAN).is_err());
    }
}
