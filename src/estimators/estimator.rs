//! The table of estimators.
//!
//! Entry: [`Estimator`]. A row has a name, a formula in words, the counts it takes and the arithmetic on them; everything else that is asked
//! of an estimator follows from these. Arithmetic is written once for one sample and for two.

use super::Result;
use super::dual::Dual;
use super::formula::Formula;
use super::terms::{Term, TermCounts};
use super::{Inputs, RandomPairs};
use crate::binning::PairOrder;
use crate::result::Correlation;

/// A normalised count, of as many as an estimator takes at most.
type Count = Dual<5>;

/// A formula over normalised counts, whichever samples they are of.
struct Arithmetic {
    /// What results call it.
    name: &'static str,
    /// What results and errors call its counts; it is applied to the same pairs of other samples as well. Those of data come first.
    counts: &'static [Term],
    /// The correlation function.
    xi: fn([Count; 5]) -> Count,
    /// How often its numerator has each count, where it is a sum of counts over the last of them.
    shares: Option<&'static [f64]>,
}

impl Arithmetic {
    /// Whether one of its counts holds the same pairs as another, the other way round: there are both orders of pairs between two samples,
    /// and each of the two has its pairs within one sample. `pairs` are those of its counts.
    fn is_shared(&self, count: Term, pairs: &[&dyn RandomPairs]) -> bool {
        let find = |kinds| self.counts.iter().position(|other| other.kinds() == kinds);
        let within = |kind| find([kind; 2]).is_some_and(|k| pairs[k].within_one_sample());
        let [first, second] = count.kinds();
        first != second && find([second, first]).is_some() && within(first) && within(second)
    }
}

const LANDY_SZALAY: Arithmetic = Arithmetic {
    name: "landy-szalay",
    counts: &[Term::DD, Term::DR, Term::RR],
    xi: |[dd, dr, rr, ..]| ((dd - 2.0 * dr) + rr).over(rr),
    shares: Some(&[1.0, -2.0, 1.0]),
};

const LANDY_SZALAY_CROSS: Arithmetic = Arithmetic {
    name: "landy-szalay-cross",
    counts: &[Term::D1D2, Term::D1R2, Term::R1D2, Term::R1R2],
    xi: |[d1d2, d1r2, r1d2, r1r2, ..]| (((d1d2 - d1r2) - r1d2) + r1r2).over(r1r2),
    shares: Some(&[1.0, -1.0, -1.0, 1.0]),
};

const NATURAL: Arithmetic = Arithmetic {
    name: "natural",
    counts: &[Term::DD, Term::RR],
    xi: |[dd, rr, ..]| dd.over(rr) - 1.0,
    shares: Some(&[1.0, -1.0]),
};

const DAVIS_PEEBLES: Arithmetic = Arithmetic {
    name: "davis-peebles",
    counts: &[Term::DD, Term::DR],
    xi: |[dd, dr, ..]| dd.over(dr) - 1.0,
    shares: Some(&[1.0, -1.0]),
};

const HAMILTON: Arithmetic = Arithmetic {
    name: "hamilton",
    counts: &[Term::DD, Term::DR, Term::RR],
    xi: |[dd, dr, rr, ..]| {
        let xi = (dd * rr).over(dr * dr) - 1.0;
        // 0/x is a number, but none that no random pairs tell: 0/0 is none.
        if rr.value == 0.0 { rr.over(rr) } else { xi }
    },
    shares: None,
};

const SHIFTED_RANDOMS: Arithmetic = Arithmetic {
    name: "shifted-randoms",
    counts: &[Term::DD, Term::DS, Term::SD, Term::SS, Term::RR],
    xi: |[dd, ds, sd, ss, rr]| (((dd - ds) - sd) + ss).over(rr),
    shares: Some(&[1.0, -1.0, -1.0, 1.0, 0.0]),
};

/// An estimator.
struct Row {
    /// What it is called; one name may stand for one sample and for two.
    name: &'static str,
    /// Its formula in one line.
    formula: &'static str,
    /// The counts it takes, in the order in which results list them; of two that are each other's reverse, one where bins do not tell the
    /// orders of a pair apart.
    terms: &'static [Term],
    /// What it makes of all of them; a second one is what it makes of them without those that are the reverse of others.
    arithmetic: &'static [&'static Arithmetic],
}

/// Makes the enum from the table.
macro_rules! estimators {
    ($($(#[$doc:meta])* $name:ident: $row:expr,)+) => {
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

            fn row(self) -> &'static Row {
                match self { $(Self::$name => &$row,)+ }
            }
        }
    };
}

estimators! {
    /// `xi = (DD - 2 DR + RR) / RR`. Landy & Szalay 1993, DOI 10.1086/172900. Where bins tell the two orders of a pair apart (signed mu or pi),
    /// DD and RR hold both orders, so the randoms come first and second as well: `xi = (DD - DR - RD + RR) / RR`.
    LandySzalay: Row {
        name: "landy-szalay",
        formula: "(DD - 2 DR + RR) / RR",
        terms: &[Term::DD, Term::DR, Term::RD, Term::RR],
        arithmetic: &[&LANDY_SZALAY_CROSS, &LANDY_SZALAY],
    },
    /// `xi = (D1D2 - D1R2 - R1D2 + R1R2) / R1R2` between two samples with randoms of their own. The symmetric form of Landy & Szalay 1993
    /// (DOI 10.1086/172900) for a cross-correlation; Szapudi & Szalay 1998, DOI 10.1086/311146.
    LandySzalayCross: Row {
        name: "landy-szalay",
        formula: "(D1D2 - D1R2 - R1D2 + R1R2) / R1R2",
        terms: &[Term::D1D2, Term::D1R2, Term::R1D2, Term::R1R2],
        arithmetic: &[&LANDY_SZALAY_CROSS],
    },
    /// `xi = DD/RR - 1`. Peebles & Hauser 1974, DOI 10.1086/190308. In a periodic box RR may be known ([`super::AnalyticRr`]), and it is then
    /// the best there is.
    Natural: Row {
        name: "natural",
        formula: "DD/RR - 1",
        terms: &[Term::DD, Term::RR],
        arithmetic: &[&NATURAL],
    },
    /// [`Estimator::Natural`] between two samples.
    NaturalCross: Row {
        name: "natural",
        formula: "D1D2/R1R2 - 1",
        terms: &[Term::D1D2, Term::R1R2],
        arithmetic: &[&NATURAL],
    },
    /// `xi = DD/DR - 1`. Davis & Peebles 1983, DOI 10.1086/160884.
    DavisPeebles: Row {
        name: "davis-peebles",
        formula: "DD/DR - 1",
        terms: &[Term::DD, Term::DR],
        arithmetic: &[&DAVIS_PEEBLES],
    },
    /// [`Estimator::DavisPeebles`] between two samples, with randoms of the second.
    DavisPeeblesCross: Row {
        name: "davis-peebles",
        formula: "D1D2/D1R2 - 1",
        terms: &[Term::D1D2, Term::D1R2],
        arithmetic: &[&DAVIS_PEEBLES],
    },
    /// `xi = DD RR / DR^2 - 1`, in which errors of the mean density enter in second order. Hamilton 1993, DOI 10.1086/173288.
    Hamilton: Row {
        name: "hamilton",
        formula: "DD RR / DR^2 - 1",
        terms: &[Term::DD, Term::DR, Term::RR],
        arithmetic: &[&HAMILTON],
    },
    /// `xi = (DD - DS - SD + SS) / RR` for a reconstructed density field: S are the randoms shifted as the data D were, R the unshifted ones.
    /// Padmanabhan et al. 2012, DOI 10.1111/j.1365-2966.2012.21888.x. Where bins do not tell the two orders apart, DS and SD are the same
    /// count; in a periodic box RR may be known ([`super::AnalyticRr`]).
    ShiftedRandoms: Row {
        name: "shifted-randoms",
        formula: "(DD - DS - SD + SS) / RR",
        terms: &[Term::RR, Term::DD, Term::DS, Term::SS, Term::SD],
        arithmetic: &[&SHIFTED_RANDOMS],
    },
    /// [`Estimator::ShiftedRandoms`] between two samples, each with shifted and unshifted randoms of its own.
    ShiftedRandomsCross: Row {
        name: "shifted-randoms",
        formula: "(D1D2 - D1S2 - S1D2 + S1S2) / R1R2",
        terms: &[Term::R1R2, Term::D1D2, Term::D1S2, Term::S1D2, Term::S1S2],
        arithmetic: &[&SHIFTED_RANDOMS],
    },
}

impl Estimator {
    /// What it is called, by the same name for one sample and for two, such as `landy-szalay`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Its formula in one line.
    pub fn formula(self) -> &'static str {
        self.row().formula
    }

    /// Whether it is between two samples.
    pub fn is_cross(self) -> bool {
        self.row().terms.contains(&Term::D1D2)
    }

    /// The estimator of this name between two samples, if there is one.
    pub fn of_two_samples(self) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|other| other.is_cross() && other.name() == self.name())
    }

    /// Whether the pairs of randoms may be known ([`super::AnalyticRr`]) instead of counted: no other count of it has randoms.
    pub fn takes_known_randoms(self) -> bool {
        let mut with_randoms = self.row().terms.iter().filter(|term| term.has_randoms());
        with_randoms.all(|term| term.is_volume())
    }

    /// The counts it takes over bins that tell the orders of a pair apart or not, in the order in which results list them.
    pub fn terms(self, order: PairOrder) -> Vec<Term> {
        let needed = |term: &Term| order == PairOrder::Ordered || term.reverse().is_none();
        let terms = self.row().terms.iter().copied();
        terms.filter(needed).collect()
    }

    /// What it makes of these counts, and the term that is taken for each count of that.
    fn applied_to(self, counts: &TermCounts) -> (&'static Arithmetic, Vec<Term>) {
        let Row {
            terms, arithmetic, ..
        } = self.row();
        let missing = |term: Term| term.reverse().filter(|_| counts.made(term).is_none());
        let in_one_order = terms.iter().any(|&term| missing(term).is_some());
        let last = if in_one_order {
            arithmetic.len() - 1
        } else {
            0
        };
        let of = |count: &Term| terms.iter().find(|term| term.kinds() == count.kinds());
        let taken = arithmetic[last].counts.iter().filter_map(of);
        let taken = taken.map(|&term| missing(term).unwrap_or(term));
        (arithmetic[last], taken.collect())
    }

    /// Whether its multipoles follow from Legendre sums ([`Estimator::multipoles`]): it is a sum of counts over one of them.
    pub fn takes_legendre_sums(self) -> bool {
        self.row().arithmetic[0].shares.is_some()
    }

    /// The counts that its numerator adds up and how often each, the last of which it is over; none where it is no such sum.
    pub(super) fn numerator(self, counts: &TermCounts) -> Option<Vec<(Term, f64)>> {
        let (arithmetic, taken) = self.applied_to(counts);
        let mut terms: Vec<(Term, f64)> = Vec::new();
        for (term, &share) in taken.into_iter().zip(arithmetic.shares?) {
            match terms.last_mut() {
                // Without a count of the other order, the pairs of one stand for both.
                Some((last, shares)) if *last == term => *shares += share,
                _ => terms.push((term, share)),
            }
        }
        Some(terms)
    }

    /// The correlation function that the counts of its terms make; NaN where the denominator is 0.
    ///
    /// ```
    /// use albireo::counts::{JobId, PairKind};
    /// use albireo::estimators::{Estimator, Term, TermCounts};
    /// use albireo::counts::PairTotal;
    /// use albireo::{Edges, Counts, RBins};
    /// let bins = RBins::new(Edges::linear(0.0, 2.0, 1)?);
    /// let of = |pairs, kind, all| {
    ///     let total = PairTotal::unweighted(kind, all);
    ///     Counts::from_parts(bins.clone(), vec![pairs], None, total, JobId(1))
    /// };
    /// let dd = of(12, PairKind::AutoUnordered, 45)?;
    /// let dr = of(20, PairKind::Cross, 200)?;
    /// let rr = of(19, PairKind::AutoUnordered, 190)?;
    /// let counts = TermCounts::new([(Term::DD, dd), (Term::DR, dr), (Term::RR, rr)], None);
    /// let xi = Estimator::LandySzalay.estimate(&counts)?;
    /// assert!((xi.xi[0] - (12.0 / 45.0 - 0.2 + 0.1) / 0.1).abs() < 1e-15);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A term that is missing, different bins, a total of zero, or counts that cover a part of their job only.
    pub fn estimate(self, counts: &TermCounts) -> Result<Correlation> {
        let (arithmetic, terms) = self.applied_to(counts);
        let pairs = terms.iter().map(|&term| counts.pairs(term));
        let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
        let mut inputs = Inputs::new(arithmetic.counts[0].name, counts.get(terms[0])?);
        for (&count, &of_count) in arithmetic.counts.iter().zip(&pairs) {
            inputs = inputs.with(count.name, of_count, arithmetic.is_shared(count, &pairs))?;
        }
        Ok(inputs.estimate(arithmetic.name, arithmetic.xi))
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
    pub fn estimate(&self, counts: &TermCounts) -> Result<Correlation> {
        match self {
            Self::Named(estimator) => estimator.estimate(counts),
            Self::Formula(formula) => formula.estimate(counts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counts;

    #[test]
    fn every_row_has_a_term_for_each_count() {
        let none = TermCounts::new(Vec::<(Term, Counts)>::new(), None);
        for &estimator in Estimator::ALL {
            let (one_order, taken) = estimator.applied_to(&none);
            assert_eq!(taken.len(), one_order.counts.len(), "{estimator:?}");
            for arithmetic in estimator.row().arithmetic {
                let counts = arithmetic.counts.len();
                assert!(counts <= Count::constant(0.0).slopes.len());
                assert!(arithmetic.counts[0].is_data(), "{estimator:?}");
                assert!(
                    arithmetic
                        .shares
                        .is_none_or(|shares| shares.len() == counts)
                );
            }
        }
    }
}
