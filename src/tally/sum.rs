//! What is summed over the pairs of each bin beside their number.

use std::fmt;
use std::sync::Arc;

use super::Legendre;
use crate::separation::Separation;

/// A real number a pair, of another crate: every engine that has no kernel for it takes the pairs in bins through the exact rule.
///
/// ```
/// use std::sync::Arc;
/// use albireo::tally::{CountSpec, PairTerm, Sum};
/// use albireo::{Edges, RBins, Separation};
///
/// /// The square of the cosine between a pair and the z axis.
/// #[derive(Debug)]
/// struct Alignment;
///
/// impl PairTerm for Alignment {
///     fn term(&self, _: [usize; 2], sep: &Separation) -> f64 {
///         if sep.r2 > 0.0 { (sep.d[2] * sep.d[2]) / sep.r2 } else { 0.0 }
///     }
/// }
///
/// let bins = RBins::new(Edges::linear(0.0, 10.0, 5)?);
/// let what = CountSpec::new(bins).with_sum(Sum::Term(Arc::new(Alignment)));
/// # Ok::<(), albireo::Error>(())
/// ```
pub trait PairTerm: fmt::Debug + Send + Sync {
    /// The term of the pair of rows `pair`, in [-1, 1]: it adds `round_ties_even(term * 2^36)` to its bin; what lies outside is taken
    /// as the nearer end, NaN as 0.
    fn term(&self, pair: [usize; 2], sep: &Separation) -> f64;
}

/// A sum over the pairs of each bin, in fixed point: a term t adds `round_ties_even(t * 2^36)`, for any order of the pairs.
#[derive(Debug, Clone, serde::Serialize)]
pub enum Sum {
    /// The product `u1*u2` of the two weights, `u = w * 2^-e` with e the frexp exponent of the largest |w| of the sample.
    Product,
    /// The coordinate of the bins (r, s, rp or theta) over the power of two above its limit.
    Separation,
    /// The product of the two above, `(u1*u2)*v`.
    WeightedSeparation,
    /// A Legendre polynomial of `m = min(((d.l)*(d.l))/(r2*l2), 1)`, for a fixed axis `(d_axis*d_axis)/r2`, 0 where r2 or l2 is 0:
    /// of bins with a line of sight.
    ///
    /// Odd ones have the sign of `d.l`: the order of the pair must matter, in a cross count or in bins that count both orders.
    Legendre(Legendre),
    /// The same times the product of the weights, `(u1*u2)*L`.
    WeightedLegendre(Legendre),
    /// The same by a further set of weights, numbered from 1 ([`crate::Particles::with_weight_sets`]), with exponents of its own.
    OfSet(usize, WeightedSum),
    /// What the fixed point leaves of a weighted sum by a set of weights, where these are of wide range ([`super::CountSpec::in_range_of`]):
    /// with `t = term * 2^36`, a pair adds `round_ties_even((t - round_ties_even(t)) * 2^28)`. The sum itself is kept with it, and both
    /// together have 64 fractional bits.
    Rest(usize, WeightedSum),
    /// The value of an expression times the weight of the pair, by its number in the program ([`super::CountSpec::with_program`]): of all
    /// pairs whose value is a number within its bound, in two words as weights of wide range are.
    Expression(usize),
    /// The number of pairs in bins whose value of an expression is no number within its bound, and adds nothing.
    Unbounded(usize),
    /// A term of another crate.
    Term(#[serde(serialize_with = "by_text")] Arc<dyn PairTerm>),
}

/// A term of another crate is known by its text, which states all of its parameters.
fn by_text<S: serde::Serializer>(term: &Arc<dyn PairTerm>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{term:?}"))
}

/// What is summed by a set of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum WeightedSum {
    /// As [`Sum::Product`].
    Product,
    /// As [`Sum::WeightedSeparation`].
    Separation,
    /// As [`Sum::WeightedLegendre`].
    Legendre(Legendre),
    /// As [`Sum::Expression`].
    Expression(usize),
}

impl PartialEq for Sum {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Product, Self::Product)
            | (Self::Separation, Self::Separation)
            | (Self::WeightedSeparation, Self::WeightedSeparation) => true,
            (Self::Legendre(a), Self::Legendre(b))
            | (Self::WeightedLegendre(a), Self::WeightedLegendre(b)) => a == b,
            (Self::OfSet(k, a), Self::OfSet(l, b)) | (Self::Rest(k, a), Self::Rest(l, b)) => {
                (k, a) == (l, b)
            }
            (Self::Expression(a), Self::Expression(b))
            | (Self::Unbounded(a), Self::Unbounded(b)) => a == b,
            (Self::Term(a), Self::Term(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Sum {
    /// The sum by the weights of a set: itself by the first, or where no weights go into it.
    #[must_use]
    pub fn of_set(self, set: usize) -> Self {
        if let Self::Rest(_, sum) = self {
            return Self::Rest(set, sum);
        }
        match self.weighted() {
            Some((_, sum)) if set > 0 => Self::OfSet(set, sum),
            Some((_, WeightedSum::Product)) => Self::Product,
            Some((_, WeightedSum::Separation)) => Self::WeightedSeparation,
            Some((_, WeightedSum::Legendre(l))) => Self::WeightedLegendre(l),
            Some((_, WeightedSum::Expression(at))) => Self::Expression(at),
            None => self,
        }
    }

    /// The set of weights that goes into it, and how; none where weights do not.
    pub fn weighted(&self) -> Option<(usize, WeightedSum)> {
        match self {
            Self::Product => Some((0, WeightedSum::Product)),
            Self::WeightedSeparation => Some((0, WeightedSum::Separation)),
            Self::WeightedLegendre(l) => Some((0, WeightedSum::Legendre(*l))),
            Self::Expression(at) => Some((0, WeightedSum::Expression(*at))),
            Self::OfSet(set, sum) | Self::Rest(set, sum) => Some((*set, *sum)),
            Self::Separation | Self::Legendre(_) | Self::Unbounded(_) | Self::Term(_) => None,
        }
    }

    /// Whether it is the second word of another sum.
    pub fn is_rest(&self) -> bool {
        matches!(self, Self::Rest(..))
    }

    /// The second word of a weighted sum.
    pub(crate) fn rest(&self) -> Option<Self> {
        let first = self.weighted().filter(|_| !self.is_rest());
        first.map(|(set, sum)| Self::Rest(set, sum))
    }

    /// The expression whose value goes into it.
    pub fn expression(&self) -> Option<usize> {
        match (self, self.weighted()) {
            (Self::Unbounded(at), _) => Some(*at),
            (_, Some((_, WeightedSum::Expression(at)))) => Some(at),
            _ => None,
        }
    }

    /// Whether weights go into it.
    pub fn is_weighted(&self) -> bool {
        self.weighted().is_some()
    }

    /// The polynomial of mu that goes into it.
    pub fn legendre(&self) -> Option<Legendre> {
        match self {
            Self::Legendre(l)
            | Self::WeightedLegendre(l)
            | Self::OfSet(_, WeightedSum::Legendre(l))
            | Self::Rest(_, WeightedSum::Legendre(l)) => Some(*l),
            _ => None,
        }
    }

    /// What results and refusals call it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Product | Self::OfSet(_, WeightedSum::Product) => "weights",
            Self::Separation => "separations",
            Self::WeightedSeparation | Self::OfSet(_, WeightedSum::Separation) => {
                "weighted separations"
            }
            Self::Legendre(_) => "Legendre sums",
            Self::WeightedLegendre(_) | Self::OfSet(_, WeightedSum::Legendre(_)) => {
                "weighted Legendre sums"
            }
            Self::Expression(_) | Self::OfSet(_, WeightedSum::Expression(_)) => {
                "sums of expressions"
            }
            Self::Unbounded(_) => "pairs without a value",
            Self::Rest(..) => "rests of weighted sums",
            Self::Term(_) => "a term of another crate",
        }
    }
}
