//! One frame of a trajectory: what was counted, of how many particles, in which space.
//!
//! Entry: [`Frame`].

use albireo::binning::Bins;
use albireo::counts::{Counts, PairKind};
use albireo::engine::Exactness;
use albireo::error::EstimatorError;
use albireo::exact_sum::ExactSum;

use super::values::{times, values_of};
use super::{Space, Species};
use crate::Result;

/// One frame, class by class as [`Species::pairs`] has them.
///
/// ```
/// use albireo::counts::{count_pairs, excluded_pairs};
/// use albireo_fluids::{Frame, Normalisation, Partials, Space, Species};
/// use albireo::tally::Cut;
/// use albireo::particles::Groups;
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Naive, PairJob, Pairs, Particles, PeriodicBox, RBins, random};
/// // Molecules of one atom of each of two samples, whose atoms know nothing of each other.
/// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
/// let atoms = |seed| -> Result<_, albireo::Error> {
///     let atoms = Particles::new(random::in_box(300, seed, [1.0; 3])?);
///     Ok(atoms.grouped(Groups::new((0..300).collect()))?)
/// };
/// let (first, second) = (atoms(1)?, atoms(2)?);
/// let (pairs, bins) = (Pairs::Cross(&first, &second), RBins::new(Edges::linear(0.0, 0.5, 5)?));
/// let what = CountSpec::new(&bins).with_cut(Cut::SameGroup);
/// let counts = count_pairs(&Naive, &PairJob::new(pairs, &domain)?, what, &Silent)?;
/// let excluded = excluded_pairs(pairs, counts.cuts());
/// assert_eq!(excluded, 300);
/// let mut around = Partials::new(&bins, Species::between(1, 1))?;
/// let space = Space::of_volume(1.0)?;
/// around.add_frame(&Frame { counts: &[counts], particles: &[300, 300], excluded: &[excluded], space: &space, weight: 1.0 })?;
/// let (g, error) = (around.g([0, 1], Normalisation::Pairs)?, around.poisson_error([0, 1])?);
/// assert!((g[4] - 1.0).abs() < 5.0 * error[4]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The pairs of each class, of like species each once ([`Counts::by_class`](albireo::Counts::by_class)).
    pub counts: &'a [Counts],
    /// The number of particles of each species.
    pub particles: &'a [u64],
    /// The pairs of each class that are no candidates, each once: bonded ones, those of one molecule or, of samples that overlap, a
    /// particle with itself. None at all where this is empty.
    pub excluded: &'a [u64],
    /// The space that the particles fill.
    pub space: &'a Space,
    /// What the frame counts for among others; 1 unless a trajectory is reweighted.
    pub weight: f64,
}

fn needs<T>(what: String) -> Result<T> {
    Err(EstimatorError::Needs(what))
}

impl Frame<'_> {
    /// Refuses a class without a pair that could be counted, of which g says nothing but NaN.
    ///
    /// # Errors
    /// A class of no pair at all, or of pairs that are excluded, every one.
    pub fn check_candidates(&self) -> Result<()> {
        for (class, counts) in self.counts.iter().enumerate() {
            let pairs = counts.total().pairs;
            if pairs == 0 {
                return Err(EstimatorError::EmptyTotal("the frame"));
            }
            if self.excluded.get(class).is_some_and(|&of| of >= pairs) {
                return needs(format!(
                    "g(r) needs pairs that are not excluded: all {pairs} of the frame are"
                ));
            }
        }
        Ok(())
    }

    /// The candidates of each class; refuses what does not fit together.
    pub(super) fn candidates(&self, binning: &Bins, species: &Species) -> Result<Vec<u64>> {
        species.check_list("numbers of particles", self.particles.len())?;
        let classes = species.pairs().len();
        if self.counts.len() != classes {
            return needs(format!(
                "a frame needs counts of {classes} pairs of species, found {}",
                self.counts.len()
            ));
        }
        if !(self.excluded.is_empty() || self.excluded.len() == classes) {
            return needs(format!(
                "excluded pairs: one number for each of {classes} pairs of species is needed, found {}",
                self.excluded.len()
            ));
        }
        if !(self.weight > 0.0 && self.weight.is_finite()) {
            return needs(format!(
                "the weight of a frame must be positive and finite, found {}",
                self.weight
            ));
        }
        if let Some(kept) = self.space.kept()
            && kept.len() != binning.n_bins()
        {
            return needs(format!(
                "the space of a frame tells of {} bins, its counts of {}",
                kept.len(),
                binning.n_bins()
            ));
        }
        let all = self.counts.iter().zip(species.pairs()).enumerate();
        all.map(|(class, (counts, &[a, b]))| {
            self.check_counts(counts, binning)?;
            let excluded = self.excluded.get(class).copied().unwrap_or(0);
            let numbers = [self.particles[a], self.particles[b]];
            candidates_of(counts, [a, b], numbers, excluded)
        })
        .collect()
    }

    /// Its sums of values over pairs by its weight, each class by class, bin by bin.
    pub(super) fn sums(&self) -> Vec<Vec<ExactSum>> {
        let first = self.counts.first();
        let names = first.into_iter().flat_map(Counts::pair_sums);
        let sum = |name: &str| {
            let classes = self.counts.iter();
            let values = classes.flat_map(|counts| values_of(counts, name));
            values.map(|sum| times(self.weight, &sum)).collect()
        };
        names.map(sum).collect()
    }

    fn check_counts(&self, counts: &Counts, binning: &Bins) -> Result<()> {
        if counts.binning() != binning {
            return Err(EstimatorError::Bins {
                left: "g(r)",
                right: "the frame",
            });
        }
        let (have, of) = counts.coverage();
        if have != of {
            let count = "the frame";
            return Err(EstimatorError::Incomplete { count, have, of });
        }
        if let Some(cut) = counts.cuts().iter().find(|cut| cut.is_of_space()) {
            return needs(format!("g(r) has no meaning with {}", cut.name()));
        }
        match counts.cuts().first() {
            Some(cut) if self.excluded.is_empty() => needs(format!(
                "g(r) of counts with {} needs the number of pairs that it excludes",
                cut.name()
            )),
            _ => Ok(()),
        }
    }

    /// Whether its counts are exact; refuses a mixture.
    pub(super) fn exactness(&self, before: Option<Exactness>) -> Result<Option<Exactness>> {
        self.counts.iter().try_fold(before, |before, counts| {
            let found = counts.exactness();
            match before {
                Some(before) if before != found => needs(format!(
                    "g(r) needs frames that are all exact or all approximate, found {found} counts after others"
                )),
                _ => Ok(Some(found)),
            }
        })
    }
}

/// The candidates of one class, with the numbers of particles of its species.
fn candidates_of(
    counts: &Counts,
    [a, b]: [usize; 2],
    [na, nb]: [u64; 2],
    excluded: u64,
) -> Result<u64> {
    let [wide_a, wide_b] = [na, nb].map(u128::from);
    let (kind, all) = if a == b {
        let ordered = wide_a * wide_a.saturating_sub(1);
        (PairKind::AutoUnordered, ordered / 2)
    } else {
        (PairKind::Cross, wide_a * wide_b)
    };
    let total = counts.total();
    if total.kind != kind || u128::from(total.pairs) != all {
        return needs(format!(
            "the frame's counts of species {a} and {b} (counting from 0) must fit its particles: {na} and {nb} do not have {} {} pairs",
            total.pairs, total.kind
        ));
    }
    total.pairs.checked_sub(excluded).map_or_else(
            || {
                needs(format!(
                    "species {a} and {b} (counting from 0) have {} pairs, of which {excluded} cannot be excluded",
                    total.pairs
                ))
            },
            Ok,
        )
}
