//! When counts may be added, and adding them.

use super::Counts;
use super::held_sums::Held;
use crate::error::CountsError;
use crate::tally::{PairWeight, described, same_cuts};

impl Counts {
    /// Adds the counts of another part of the same job, or of another realisation or frame.
    ///
    /// Parts of one job keep its total; different jobs with the same settings add theirs.
    ///
    /// # Errors
    /// Settings that differ, exact counts with approximate ones, or a part that both hold. `self` is then unchanged.
    pub fn merge(&mut self, other: &Self) -> Result<(), CountsError> {
        if self.binning != other.binning {
            return Err(CountsError::of_bins(&self.binning, &other.binning));
        }
        self.check_settings(other)?;
        let covers = self.covers.union(&other.covers)?;
        let classes = self.classes.union(&other.classes)?;
        let mut merged = self.clone();
        merged.add_counts_of(other)?;
        *self = Self {
            classes,
            covers,
            ..merged
        };
        Ok(())
    }

    /// Adds the pairs and the sums of other counts in the same bins; what they cover stays.
    pub(super) fn add_counts_of(&mut self, other: &Self) -> Result<(), CountsError> {
        for (total, &part) in self.npairs.iter_mut().zip(&other.npairs) {
            *total = total
                .checked_add(part)
                .ok_or(CountsError::Overflow("a pair count"))?;
        }
        self.sums.add(&other.sums)
    }

    /// Refuses counts with other settings, but for their bins.
    pub(super) fn check_settings(&self, other: &Self) -> Result<(), CountsError> {
        let differ = |setting, left: String, right: String| {
            if left == right {
                return Ok(());
            }
            Err(CountsError::Setting {
                setting,
                left,
                right,
            })
        };
        differ(
            "the number of regions",
            self.regions().to_string(),
            other.regions().to_string(),
        )?;
        if self.exactness != other.exactness {
            return Err(CountsError::Exactness {
                left: self.exactness,
                right: other.exactness,
            });
        }
        differ(
            "the kind of pairs",
            self.kind.to_string(),
            other.kind.to_string(),
        )?;
        for (setting, held) in [
            ("the weights", Held::Weight),
            ("the separations", Held::Separation),
            ("the weighted separations", Held::WeightedSeparation),
        ] {
            let summed = |counts: &Self| match counts.sums.get(held) {
                Some(_) => "summed".to_owned(),
                None => "not summed".to_owned(),
            };
            differ(setting, summed(self), summed(other))?;
        }
        let named = |counts: &Self| match &counts.pair_sums().collect::<Vec<_>>()[..] {
            [] => "none".to_owned(),
            names => names.join(", "),
        };
        differ("the sums of expressions", named(self), named(other))?;
        let numbers = |counts: &Self| {
            let known = if counts.numbered {
                "known"
            } else {
                "not known"
            };
            known.to_owned()
        };
        differ("the numbers of pairs", numbers(self), numbers(other))?;
        let words = |counts: &Self| {
            let words = if counts.is_in_two_words() {
                "two words"
            } else {
                "one word"
            };
            words.to_owned()
        };
        let known = |counts: &Self| counts.weight_bound_of_pair().is_some();
        if known(self) && known(other) {
            differ("the range of weights", words(self), words(other))?;
        }
        let classes = |counts: &Self| {
            let number = counts.classes.classes.len();
            format!("{number} by {}", counts.classes.by.name())
        };
        differ("the classes of pairs", classes(self), classes(other))?;
        if !same_cuts(&self.cuts, &other.cuts) {
            let [left, right] = [self, other].map(|counts| described(&counts.cuts));
            return Err(CountsError::Setting {
                setting: "the pairs that are dropped",
                left,
                right,
            });
        }
        let degrees = |counts: &Self| counts.legendre_degrees().to_string();
        differ("the Legendre sums", degrees(self), degrees(other))?;
        if self.pair_weight != other.pair_weight {
            let text = |weight: &Option<PairWeight>| {
                (weight.as_ref()).map_or("product of the weights".to_owned(), PairWeight::to_string)
            };
            return Err(CountsError::Setting {
                setting: "the weights of pairs",
                left: text(&self.pair_weight),
                right: text(&other.pair_weight),
            });
        }
        Ok(())
    }
}
