//! Counts in any bins as plain arrays.
//!
//! Entry: [`Counted`].

use std::collections::BTreeMap;

use albireo::counts::{PairKind, PairTotal};
use albireo::tally::{Classes, Legendre};
use albireo::{Counts, Domain};

use super::failure::{Failure, Result};

/// Counts, and those of all classes, class by class, the second axis of the bins fastest.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) counts: Counts,
    /// Where they were counted; none of counts in several boxes.
    pub(crate) domain: Option<Domain>,
    degrees: Vec<Legendre>,
    /// Classes, bins along the first axis and along the second.
    pub(crate) shape: [usize; 3],
    pub(crate) pairs: Vec<u64>,
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) weight_bounds: Option<Vec<f64>>,
    pub(crate) means: Option<Vec<f64>>,
    /// Sums of Legendre polynomials by their degrees.
    pub(crate) legendre: BTreeMap<u32, Vec<f64>>,
    pub(crate) totals: Vec<PairTotal>,
    pub(crate) orders: i32,
}

impl Counted {
    /// The arrays of counts with the Legendre sums of these degrees.
    pub(crate) fn of(counts: Counts, degrees: Vec<Legendre>, domain: Option<Domain>) -> Self {
        let classes = match counts.classes() {
            Classes::One => vec![counts.whole()],
            Classes::Species | Classes::Regions => counts.by_class(),
        };
        let all = |of: &dyn Fn(&Counts) -> Option<Vec<f64>>| {
            let parts: Option<Vec<_>> = classes.iter().map(of).collect();
            parts.map(|parts| parts.concat())
        };
        let shape = counts.binning().shape();
        let ordered = classes
            .iter()
            .any(|class| class.kind() == PairKind::AutoOrdered);
        let legendre = |&degree: &Legendre| {
            Some((degree.degree(), all(&|class| class.legendre_sums(degree))?))
        };
        Self {
            shape: [classes.len(), shape[0], shape.get(1).copied().unwrap_or(1)],
            pairs: classes
                .iter()
                .flat_map(|class| class.npairs().iter().copied())
                .collect(),
            weights: all(&Counts::weight),
            weight_bounds: all(&Counts::weight_bound),
            means: all(&|class| {
                class
                    .weighted_mean_separation()
                    .or_else(|| class.mean_separation())
            }),
            legendre: degrees.iter().filter_map(legendre).collect(),
            totals: classes.iter().map(Counts::total).collect(),
            orders: if ordered { 2 } else { 1 },
            counts,
            domain,
            degrees,
        }
    }

    /// These counts and others of the same settings together.
    pub(crate) fn merged(&self, other: &Self) -> Result<Self> {
        let mut counts = self.counts.clone();
        let merged = counts.merge(&other.counts);
        merged.map_err(|error| Failure::argument("second", error))?;
        let domain = self.domain.clone();
        let domain = domain.filter(|domain| other.domain.as_ref() == Some(domain));
        Ok(Self::of(counts, self.degrees.clone(), domain))
    }
}
