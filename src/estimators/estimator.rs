//! The list of estimators.
//!
//! Entry: [`Estimator`]. What each one takes and makes of it stands in its own file.

use super::formula::Formula;
use super::landy_szalay::{OfOneSample, OfTwoSamples, WithShiftedRandoms};
use super::ratio::{
    DavisPeeblesOfOne, DavisPeeblesOfTwo, HamiltonOfOne, NaturalOfOne, NaturalOfTwo,
};
use super::terms::{Recipe, Term, TermCounts};
use crate::binning::PairOrder;
use crate::error::EstimatorError;
use crate::result::Correlation;

/// Makes the enum and its methods from the list of recipes.
macro_rules! estimators {
    ($($(#[$doc:meta])* $name:ident = $recipe:ty,)+) => {
        /// How counts become a correlation function.
        ///
        /// ```
        /// use albireo::binning::PairOrder;
        /// use albireo::estimators::{Estimator, Term};
        /// let estimator = Estimator::LandySzalay;
        /// assert_eq!(estimator.terms(PairOrder::Unordered), [Term::DD, Term::DR, Term::RR]);
        /// assert_eq!(estimator.of_two_samples(), Some(Estimator::LandySzalayCross));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Estimator {
            $($(#[$doc])* $name,)+
        }

        impl Estimator {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// What it is called, by the same name for one sample and for two, such as `landy-szalay`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => <$recipe>::NAME,)+ }
            }

            /// Its formula in one line.
            pub fn formula(self) -> &'static str {
                match self { $(Self::$name => <$recipe>::FORMULA,)+ }
            }

            /// Whether it is between two samples.
            pub fn is_cross(self) -> bool {
                match self { $(Self::$name => <$recipe>::CROSS,)+ }
            }

            /// Whether the pairs of randoms may be known ([`super::AnalyticRr`]) instead of counted.
            pub fn takes_known_randoms(self) -> bool {
                match self { $(Self::$name => <$recipe>::KNOWN_RANDOMS,)+ }
            }

            /// The counts it takes over bins that tell the orders of a pair apart or not, in the order in which results list them.
            pub fn terms(self, order: PairOrder) -> Vec<Term> {
                match self { $(Self::$name => <$recipe>::terms(order),)+ }
            }

            /// The correlation function that the counts of its terms make; NaN where the denominator is 0.
            ///
            /// # Errors
            /// A term that is missing, different bins, a total of zero, or counts that cover a part of their job only.
            pub fn estimate(self, counts: &TermCounts) -> Result<Correlation, EstimatorError> {
                match self { $(Self::$name => <$recipe>::estimate(counts),)+ }
            }
        }
    };
}

estimators! {
    /// [`super::LandySzalay`]; where bins tell the orders of a pair apart, [`super::LandySzalayCross`] with DR and RD.
    LandySzalay = OfOneSample,
    /// [`super::LandySzalayCross`].
    LandySzalayCross = OfTwoSamples,
    /// [`super::Natural`].
    Natural = NaturalOfOne,
    /// [`super::Natural`] between two samples.
    NaturalCross = NaturalOfTwo,
    /// [`super::DavisPeebles`].
    DavisPeebles = DavisPeeblesOfOne,
    /// [`super::DavisPeebles`] between two samples, with randoms of the second.
    DavisPeeblesCross = DavisPeeblesOfTwo,
    /// [`super::Hamilton`].
    Hamilton = HamiltonOfOne,
    /// [`super::ShiftedRandoms`].
    ShiftedRandoms = WithShiftedRandoms,
}

impl Estimator {
    /// The estimator of this name between two samples, if there is one.
    pub fn of_two_samples(self) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|other| other.is_cross() && other.name() == self.name())
    }
}

/// An estimator by name or by formula.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AnyEstimator {
    /// One of the list.
    Named(Estimator),
    /// Arithmetic over counts.
    Formula(Formula),
}

impl From<Estimator> for AnyEstimator {
    fn from(estimator: Estimator) -> Self {
        Self::Named(estimator)
    }
}

impl From<Formula> for AnyEstimator {
    fn from(formula: Formula) -> Self {
        Self::Formula(formula)
    }
}

impl AnyEstimator {
    /// Its name, or the text of its formula.
    pub fn name(&self) -> &str {
        match self {
            Self::Named(estimator) => estimator.name(),
            Self::Formula(formula) => formula.text(),
        }
    }

    /// As [`Estimator::takes_known_randoms`], [`Formula::takes_known_randoms`].
    pub fn takes_known_randoms(&self) -> bool {
        match self {
            Self::Named(estimator) => estimator.takes_known_randoms(),
            Self::Formula(formula) => formula.takes_known_randoms(),
        }
    }

    /// As [`Estimator::terms`], [`Formula::terms`].
    pub fn terms(&self, order: PairOrder) -> Vec<Term> {
        match self {
            Self::Named(estimator) => estimator.terms(order),
            Self::Formula(formula) => formula.terms(order),
        }
    }

    /// As [`Estimator::estimate`], [`Formula::estimate`].
    ///
    /// # Errors
    /// As these.
    pub fn estimate(&self, counts: &TermCounts) -> Result<Correlation, EstimatorError> {
        match self {
            Self::Named(estimator) => estimator.estimate(counts),
            Self::Formula(formula) => formula.estimate(counts),
        }
    }
}
