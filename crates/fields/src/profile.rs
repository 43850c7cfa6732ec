//! What one source adds, as a function of its separation: THE definition of every term, for all engines.
//!
//! Entry: [`Profile`]. Which lengths a term has, and how far off it may be, is decided in `term`.

use super::arithmetic::Arithmetic;

/// Work that is compiled for each profile.
pub(crate) trait ForProfile {
    /// What comes out.
    type Output;
    /// Does the work.
    fn with<P: Profile>(self, profile: P) -> Self::Output;
}

/// A term of strength 1 as a function of the squared separation, not below that of `r_min`.
///
/// Where the squared separation is that of the reach or more it is 0, or so little that a strength times it rounds to 0: below 2^-70 of
/// the largest (2^-40 where terms are float32).
pub(crate) trait Profile: Copy + Send + Sync {
    /// Whether it is a product of functions of the components, and not a function of their squares' sum.
    const PRODUCT: bool = false;

    /// Its value.
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D;

    /// The term of a source with a strength and, where the profile has use for it, a size.
    #[inline(always)]
    fn term<A: Arithmetic>(self, a: A, r2: A::D, [strength, _size]: [A::D; 2]) -> A::D {
        a.mul(strength, self.of(a, r2))
    }

    /// What a component of a separation becomes before it is joined with the others: its square.
    #[inline(always)]
    fn along(self, _axis: usize, d: f64) -> f64 {
        d * d
    }

    /// Joins two components, or the third with these.
    #[inline(always)]
    fn join<A: Arithmetic>(self, a: A, first: A::D, second: A::D) -> A::D {
        a.add(first, second)
    }
}

/// 1/r.
#[derive(Clone, Copy)]
pub(super) struct Bare;

impl Profile for Bare {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        a.inverse_root(r2)
    }
}

/// 1/r below the cutoff.
#[derive(Clone, Copy)]
pub(super) struct Sharp {
    pub(super) rc2: f64,
}

impl Profile for Sharp {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        a.where_less(r2, a.splat(self.rc2), a.inverse_root(r2))
    }
}

/// (1 - r^2/rc^2)^2 / r. Beyond the cutoff the bracket is at most 4 half units, and its square less than 2^-100 (float32: 2^-43).
///
/// The strength is a factor of what the root is made of: a product of its own would be one in fourteen of the operations.
#[derive(Clone, Copy)]
pub(super) struct Smooth {
    pub(super) per_rc2: f64,
}

impl Profile for Smooth {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        self.term(a, r2, [a.splat(1.0); 2])
    }

    #[inline(always)]
    fn term<A: Arithmetic>(self, a: A, r2: A::D, [strength, _size]: [A::D; 2]) -> A::D {
        let s = a.fused(r2, a.splat(-self.per_rc2), a.splat(1.0));
        let s = a.max(s, a.splat(0.0));
        a.over_root(strength, a.mul(s, s), r2)
    }
}

/// A constant below the radius.
#[derive(Clone, Copy)]
pub(super) struct TopHat {
    pub(super) radius2: f64,
    pub(super) height: f64,
}

impl Profile for TopHat {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        a.where_less(r2, a.splat(self.radius2), a.splat(self.height))
    }
}

/// The cubic spline. Near its end 1 - x is at most some 20 half units, and its cube less than 2^-140 (float32: 2^-58).
#[derive(Clone, Copy)]
pub(super) struct Spline {
    pub(super) per_radius: f64,
    pub(super) height: f64,
}

impl Profile for Spline {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        let one = a.splat(1.0);
        // Far below any length, and positive, so that it has a root; in float32 0, whose root's inverse is finite here.
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

/// erfc(alpha r) / r below the cutoff: 1/r less alpha 2/sqrt(pi) times the Boys function of order 0 of (alpha r)^2.
#[derive(Clone, Copy)]
pub(super) struct Ewald<'a> {
    pub(super) rc2: f64,
    /// alpha squared, in pieces of the table.
    pub(super) pieces: f64,
    /// alpha 2/sqrt(pi).
    pub(super) height: f64,
    pub(super) boys: &'a [[f64; 8]],
}

impl Profile for Ewald<'_> {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        let boys = a.pieces(self.boys, a.mul(r2, a.splat(self.pieces)));
        let term = a.sub(a.inverse_root(r2), a.mul(boys, a.splat(self.height)));
        a.where_less(r2, a.splat(self.rc2), term)
    }
}

/// (s/r)^12 - (s/r)^6 below the cutoff; a source's strength is 4 epsilon, its size the square of s.
#[derive(Clone, Copy)]
pub(super) struct LennardJones {
    pub(super) rc2: f64,
}

impl Profile for LennardJones {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        self.term(a, r2, [a.splat(4.0), a.splat(1.0)])
    }

    #[inline(always)]
    fn term<A: Arithmetic>(self, a: A, r2: A::D, [strength, size]: [A::D; 2]) -> A::D {
        let y = a.inverse_root(r2);
        let x = a.mul(size, a.mul(y, y));
        let t = a.mul(a.mul(x, x), x);
        let term = a.mul(strength, a.sub(a.mul(t, t), t));
        a.where_less(r2, a.splat(self.rc2), term)
    }
}

/// A height times exp(-r^2 / (2 sigma^2)) below the reach.
#[derive(Clone, Copy)]
pub(super) struct Gaussian<'a> {
    pub(super) reach2: f64,
    /// 1 / (2 sigma^2), in pieces of the table.
    pub(super) pieces: f64,
    pub(super) height: f64,
    pub(super) exp: &'a [[f64; 9]],
}

impl Profile for Gaussian<'_> {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        let exp = a.pieces(self.exp, a.mul(r2, a.splat(self.pieces)));
        let term = a.mul(exp, a.splat(self.height));
        a.where_less(r2, a.splat(self.reach2), term)
    }
}

/// A function of r by cubic polynomials between equally distant nodes, below the last.
#[derive(Clone, Copy)]
pub(super) struct Tabulated<'a> {
    pub(super) rc2: f64,
    pub(super) per_step: f64,
    /// The middle of the first piece, in steps.
    pub(super) first: f64,
    pub(super) pieces: &'a [[f64; 4]],
}

impl Profile for Tabulated<'_> {
    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, r2: A::D) -> A::D {
        let r = a.mul(r2, a.inverse_root(r2));
        let x = a.sub(a.mul(r, a.splat(self.per_step)), a.splat(self.first));
        a.where_less(r2, a.splat(self.rc2), a.pieces(self.pieces, x))
    }
}

/// The product over the axes of 1 - x, x the component over its width.
#[derive(Clone, Copy)]
pub(super) struct Cloud {
    pub(super) per_width: [f64; 3],
    pub(super) height: f64,
}

impl Profile for Cloud {
    const PRODUCT: bool = true;

    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, product: A::D) -> A::D {
        a.mul(product, a.splat(self.height))
    }

    #[inline(always)]
    fn along(self, axis: usize, d: f64) -> f64 {
        (1.0 - d.abs() * self.per_width[axis]).max(0.0)
    }

    #[inline(always)]
    fn join<A: Arithmetic>(self, a: A, first: A::D, second: A::D) -> A::D {
        a.mul(first, second)
    }
}

/// The product over the axes of 3/4 - x^2 below 1/2 and (3/2 - x)^2 / 2 below 3/2.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    pub(super) per_width: [f64; 3],
    pub(super) height: f64,
}

impl Profile for Triangle {
    const PRODUCT: bool = true;

    #[inline(always)]
    fn of<A: Arithmetic>(self, a: A, product: A::D) -> A::D {
        a.mul(product, a.splat(self.height))
    }

    #[inline(always)]
    fn along(self, axis: usize, d: f64) -> f64 {
        let x = d.abs() * self.per_width[axis];
        if x < 0.5 {
            return 0.75 - x * x;
        }
        let rest = (1.5 - x).max(0.0);
        0.5 * (rest * rest)
    }

    #[inline(always)]
    fn join<A: Arithmetic>(self, a: A, first: A::D, second: A::D) -> A::D {
        a.mul(first, second)
    }
}
