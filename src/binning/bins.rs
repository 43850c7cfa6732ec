//! The bins of a count, whichever they are: one type for engines, counts and estimators.
//!
//! Entry: [`Bins`]. The rules themselves stand in a file each; those of other crates are behind [`CustomBins`].

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::{
    BinAxis, Binning, Form, LineOfSight, PairOrder, RBins, Reach, RpPiBins, SMuBins, ThetaBins,
};
use crate::domain::Domain;
use crate::error::{BinsError, JobError};
use crate::separation::Separation;

/// Bins of one of the library's own kinds, or of a rule of another crate.
///
/// Any [`Binning`] becomes one by `into`; functions that count take `impl Into<Bins>`.
///
/// ```
/// use albireo::{Bins, Edges, RBins};
/// let bins: Bins = RBins::new(Edges::linear(0.0, 4.0, 2)?).into();
/// assert_eq!(bins.shape(), [2]);
/// assert_eq!(bins.as_r().map(|r| r.edges().last()), Some(4.0));
/// assert!(bins.as_s_mu().is_none());
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Clone, PartialEq, serde::Serialize)]
pub enum Bins {
    /// In the separation r.
    R(RBins),
    /// In the separation s and the cosine mu to the line of sight.
    SMu(SMuBins),
    /// Across (rp) and along (pi) the line of sight.
    RpPi(RpPiBins),
    /// In the angle on the sky.
    Theta(ThetaBins),
    /// By a rule of another crate, which `Naive` and `Cpu` apply pair by pair.
    Custom(CustomBins),
}

/// A rule of another crate.
#[derive(Debug, Clone)]
pub struct CustomBins {
    rule: Arc<dyn Binning>,
    /// Whether two rules are of this one's type and equal.
    equal: fn(&dyn Binning, &dyn Binning) -> bool,
}

impl CustomBins {
    fn new<B: Binning + PartialEq>(rule: B) -> Self {
        Self {
            rule: Arc::new(rule),
            equal: |left, right| {
                let [left, right] = [left as &dyn Any, right].map(<dyn Any>::downcast_ref::<B>);
                left.is_some() && left == right
            },
        }
    }

    /// The same rule over other edges.
    pub(super) fn over(&self, edges: &[Vec<f64>]) -> Result<Self, BinsError> {
        Ok(Self {
            rule: self.rule.over(edges)?,
            ..self.clone()
        })
    }
}

/// By the text of the rule, which states all of its parameters.
impl serde::Serialize for CustomBins {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{} {:?}", self.rule.name(), self.rule))
    }
}

impl PartialEq for CustomBins {
    fn eq(&self, other: &Self) -> bool {
        (self.equal)(self.rule.as_ref(), other.rule.as_ref())
    }
}

impl<B: Binning + PartialEq> From<B> for Bins {
    fn from(bins: B) -> Self {
        let any = &bins as &dyn Any;
        if let Some(bins) = any.downcast_ref::<RBins>() {
            bins.into()
        } else if let Some(bins) = any.downcast_ref::<SMuBins>() {
            bins.into()
        } else if let Some(bins) = any.downcast_ref::<RpPiBins>() {
            bins.into()
        } else if let Some(bins) = any.downcast_ref::<ThetaBins>() {
            bins.into()
        } else {
            Self::Custom(CustomBins::new(bins))
        }
    }
}

impl From<&Bins> for Bins {
    fn from(bins: &Bins) -> Self {
        bins.clone()
    }
}

impl From<&RBins> for Bins {
    fn from(bins: &RBins) -> Self {
        Self::R(bins.clone())
    }
}

impl From<&SMuBins> for Bins {
    fn from(bins: &SMuBins) -> Self {
        Self::SMu(bins.clone())
    }
}

impl From<&RpPiBins> for Bins {
    fn from(bins: &RpPiBins) -> Self {
        Self::RpPi(bins.clone())
    }
}

impl From<&ThetaBins> for Bins {
    fn from(bins: &ThetaBins) -> Self {
        Self::Theta(bins.clone())
    }
}

/// That of the bins themselves.
impl fmt::Debug for Bins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rule().fmt(f)
    }
}

impl Bins {
    fn rule(&self) -> &dyn Binning {
        match self {
            Self::R(bins) => bins,
            Self::SMu(bins) => bins,
            Self::RpPi(bins) => bins,
            Self::Theta(bins) => bins,
            Self::Custom(bins) => bins.rule.as_ref(),
        }
    }

    /// What they are called: `r`, `s-mu`, `rp-pi`, `theta`, or what a rule of another crate calls itself.
    pub fn name(&self) -> &'static str {
        match self {
            Self::R(_) => "r",
            Self::SMu(_) => "s-mu",
            Self::RpPi(_) => "rp-pi",
            Self::Theta(_) => "theta",
            Self::Custom(bins) => bins.rule.name(),
        }
    }

    /// Bins in r, if these are.
    pub fn as_r(&self) -> Option<&RBins> {
        match self {
            Self::R(bins) => Some(bins),
            _ => None,
        }
    }

    /// Bins in (s, mu), if these are.
    pub fn as_s_mu(&self) -> Option<&SMuBins> {
        match self {
            Self::SMu(bins) => Some(bins),
            _ => None,
        }
    }

    /// Bins in (rp, pi), if these are.
    pub fn as_rp_pi(&self) -> Option<&RpPiBins> {
        match self {
            Self::RpPi(bins) => Some(bins),
            _ => None,
        }
    }

    /// Bins in theta, if these are.
    pub fn as_theta(&self) -> Option<&ThetaBins> {
        match self {
            Self::Theta(bins) => Some(bins),
            _ => None,
        }
    }

    /// The rule of another crate, if it is one of this type.
    pub fn as_custom<B: Binning>(&self) -> Option<&B> {
        (self.rule() as &dyn Any).downcast_ref()
    }

    /// As [`Binning::shape`].
    pub fn shape(&self) -> Vec<usize> {
        self.rule().shape()
    }

    /// As [`Binning::axes`].
    pub fn axes(&self) -> Vec<BinAxis> {
        self.rule().axes()
    }

    /// As [`Binning::n_bins`].
    pub fn n_bins(&self) -> usize {
        self.rule().n_bins()
    }

    /// As [`Binning::bin`].
    #[inline]
    pub fn bin(&self, sep: &Separation) -> Option<usize> {
        match self {
            Self::R(bins) => bins.bin(sep),
            Self::SMu(bins) => bins.bin(sep),
            Self::RpPi(bins) => bins.bin(sep),
            Self::Theta(bins) => bins.bin(sep),
            Self::Custom(bins) => bins.rule.bin(sep),
        }
    }

    /// The same bin, found sooner where `guess` is it or lies next to it, as where a filter has found it.
    #[inline]
    pub(crate) fn bin_near(&self, sep: &Separation, guess: usize) -> Option<usize> {
        match self {
            Self::R(bins) => bins.bin_near(sep, guess),
            Self::SMu(bins) => bins.bin_near(sep, guess),
            Self::RpPi(bins) => bins.bin_near(sep, guess),
            Self::Theta(bins) => bins.bin_near(sep, guess),
            Self::Custom(bins) => bins.rule.bin(sep),
        }
    }

    /// As [`Binning::order`].
    pub fn order(&self) -> PairOrder {
        self.rule().order()
    }

    /// As [`Binning::reach`].
    pub fn reach(&self) -> Reach {
        self.rule().reach()
    }

    /// As [`Binning::line_of_sight`].
    pub fn line_of_sight(&self) -> Option<LineOfSight> {
        self.rule().line_of_sight()
    }

    /// As [`Binning::coordinate`].
    #[inline]
    pub fn coordinate(&self, sep: &Separation) -> f64 {
        match self {
            Self::R(bins) => bins.coordinate(sep),
            Self::SMu(bins) => bins.coordinate(sep),
            Self::RpPi(bins) => bins.coordinate(sep),
            Self::Theta(bins) => bins.coordinate(sep),
            Self::Custom(bins) => bins.rule.coordinate(sep),
        }
    }

    /// As [`Binning::coordinate_limit`].
    pub fn coordinate_limit(&self) -> f64 {
        self.rule().coordinate_limit()
    }

    /// As [`Binning::on_sphere`].
    pub fn on_sphere(&self) -> bool {
        self.rule().on_sphere()
    }

    /// As [`Binning::admit`].
    ///
    /// # Errors
    /// As there.
    pub fn admit(&self, domain: &Domain) -> Result<(), JobError> {
        self.rule().admit(domain)
    }

    /// The form that filters are built from; none for a rule of another crate, which could differ from any form that it claimed.
    pub(crate) fn form(&self) -> Option<Form<'_>> {
        Some(match self {
            Self::R(bins) => bins.form(),
            Self::SMu(bins) => bins.form(),
            Self::RpPi(bins) => bins.form(),
            Self::Theta(bins) => bins.form(),
            Self::Custom(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binning::Edges;

    /// Bins in r by another name.
    #[derive(Debug, Clone, PartialEq)]
    struct Elsewhere<const KIND: u8>(RBins);

    impl<const KIND: u8> Binning for Elsewhere<KIND> {
        fn shape(&self) -> Vec<usize> {
            self.0.shape()
        }
        fn axes(&self) -> Vec<BinAxis> {
            self.0.axes()
        }
        fn bin(&self, sep: &Separation) -> Option<usize> {
            self.0.bin(sep)
        }
        fn order(&self) -> PairOrder {
            PairOrder::Unordered
        }
        fn reach(&self) -> Reach {
            self.0.reach()
        }
        fn coordinate(&self, sep: &Separation) -> f64 {
            self.0.coordinate(sep)
        }
        fn coordinate_limit(&self) -> f64 {
            self.0.coordinate_limit()
        }
    }

    #[test]
    fn rules_of_other_crates_are_equal_by_their_own_equality_within_a_type() {
        let r = |n: usize| RBins::new(Edges::linear(0.0, 1.0, n).unwrap());
        let custom = |n: usize| Bins::from(Elsewhere::<0>(r(n)));
        assert_eq!(custom(2), custom(2));
        assert_ne!(custom(2), custom(3));
        assert_ne!(custom(2), Bins::from(Elsewhere::<1>(r(2))));
        assert_ne!(custom(2), Bins::from(r(2)));
        assert!(custom(2).form().is_none() && Bins::from(r(2)).form().is_some());
        assert!(matches!(Bins::from(r(2)), Bins::R(_)));
    }
}
