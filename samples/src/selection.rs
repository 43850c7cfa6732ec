//! Which columns and rows of a file make a sample.
//!
//! Entry: [`Selection`]. Nothing here opens a file.

use albireo_catalogs::{Expression, Join, RowRange};

/// The column that tells the class of each object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassColumn {
    /// Its name, or an expression of numbers.
    pub text: String,
    /// Whether a file may do without it: its objects are then of one class.
    pub optional: bool,
}

impl ClassColumn {
    /// Whether a table with columns that are `known` has what it takes.
    pub(crate) fn is_in(&self, known: &dyn Fn(&str) -> bool) -> bool {
        let is_there = |name: &str| known(name) || known(name.split('[').next().unwrap_or(name));
        let expression = || Expression::parse(&self.text).ok();
        is_there(&self.text)
            || expression().is_some_and(|all| {
                let columns = all.columns();
                !columns.is_empty() && columns.into_iter().all(is_there)
            })
    }
}

/// Which columns and rows of a file make a sample; what is not given is guessed from the usual names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// Cartesian positions: three columns, or one of three components.
    pub positions: Option<Vec<String>>,
    /// Right ascension and declination, degrees.
    pub sky: Option<Vec<String>>,
    /// Comoving distances, in the unit of the bins.
    pub distance: Option<String>,
    /// Redshifts, which a cosmology turns into Mpc/h.
    pub redshift: Option<String>,
    /// Weights; never guessed. Like every column, an [`Expression`](albireo_catalogs::Expression) such as `WEIGHT*WEIGHT_FKP`.
    pub weight: Option<String>,
    /// Further sets of weights of the same rows, each a column, or nothing for unit weights; [`Selection::weight`] is the first set. Never those
    /// of another sample.
    pub further_weights: Vec<Option<String>>,
    /// What expressions over pairs take of each particle, each an expression of a row; never guessed and never those of another sample.
    pub columns: Vec<String>,
    /// Columns that expressions over pairs compare by whether their values are equal: whole numbers of any size, and texts. Particles have numbers
    /// behind [`Selection::columns`] that are equal where these are, in all samples: above 0 of numbers, below 0 of texts.
    pub identities: Vec<String>,
    /// Columns of whole numbers whose bits tell in which realisations of a selection each particle was observed; never guessed.
    pub bits: Option<Vec<String>>,
    /// Whether these are realisations that are counted apart, and not what weighs pairs.
    pub realisations: bool,
    /// The column of the group that each particle belongs to, such as its halo or molecule: integers, the same in all samples; never guessed
    /// and never that of another sample.
    pub group: Option<String>,
    /// What tells the class of each particle, where [`Reading::classes`](crate::Reading::classes) holds classes apart; never guessed and never
    /// that of another sample.
    pub classes: Option<ClassColumn>,
    /// The condition of the rows to keep, such as `species == "O" && frame == 0`.
    pub filter: Option<String>,
    /// Whether weights are charges, which may add up to nothing: they are then no weights to normalise by.
    pub signed: bool,
    /// The table of the file, where it has several.
    pub table: Option<String>,
    /// The rows of each file to look at, before the condition; never those of another sample.
    pub rows: RowRange,
    /// Columns of other files, which conditions and expressions see as those of each file; never those of another sample.
    pub joins: Vec<Join>,
}

/// What turns an inherited choice off.
const NONE: &str = "none";

impl Selection {
    /// This selection, completed by that of the first file; `none` keeps an entry from being taken over.
    ///
    /// Positions and sky coordinates are one choice, and so are distance and redshift.
    #[must_use]
    pub fn or(self, first: &Self) -> Self {
        let own_place = self.positions.is_some() || self.sky.is_some();
        let own_depth = own_place || self.distance.is_some() || self.redshift.is_some();
        let unless = |own: bool, value: &Option<String>| if own { None } else { value.clone() };
        let unless_all =
            |own: bool, value: &Option<Vec<String>>| if own { None } else { value.clone() };
        Self {
            positions: self.positions.or(unless_all(own_place, &first.positions)),
            sky: self.sky.or(unless_all(own_place, &first.sky)),
            distance: self.distance.or(unless(own_depth, &first.distance)),
            redshift: self.redshift.or(unless(own_depth, &first.redshift)),
            weight: self.weight.or(first.weight.clone()),
            further_weights: self.further_weights,
            columns: self.columns,
            identities: self.identities,
            bits: self.bits.or(first.bits.clone()),
            realisations: self.realisations || first.realisations,
            group: self.group,
            classes: self.classes,
            filter: self.filter.or(first.filter.clone()),
            signed: self.signed,
            table: self.table.or(first.table.clone()),
            rows: self.rows,
            joins: self.joins,
        }
    }

    /// This selection with a weight, bits, condition or table of `none` read as nothing.
    #[must_use]
    pub fn resolved(self) -> Self {
        let something = |value: Option<String>| value.filter(|text| text != NONE);
        Self {
            weight: something(self.weight),
            bits: self.bits.filter(|names| !names.iter().eq([NONE])),
            filter: something(self.filter),
            table: something(self.table),
            ..self
        }
    }

    /// Whether both take the same positions of the same rows of a file, with any weights.
    pub(crate) fn is_same_rows(&self, other: &Self) -> bool {
        let place = |one: &Self| {
            let depth = (one.distance.clone(), one.redshift.clone());
            (one.positions.clone(), one.sky.clone(), depth)
        };
        let rows = |one: &Self| (one.filter.clone(), one.table.clone(), one.rows);
        place(self) == place(other) && rows(self) == rows(other)
    }

    /// The flag that names its columns of bits.
    pub(crate) fn flag_of_bits(&self) -> &'static str {
        if self.realisations {
            "--realisations"
        } else {
            "--bits"
        }
    }

    /// Whether anything is chosen.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_of_the_first_file_holds_for_the_others() {
        let name = |text: &str| Some(text.to_owned());
        let first = Selection {
            positions: Some(vec!["pos".to_owned()]),
            weight: name("w"),
            bits: Some(vec!["BITWEIGHT".to_owned()]),
            ..Selection::default()
        };
        let own = Selection {
            weight: name("none"),
            bits: Some(vec!["none".to_owned()]),
            ..Selection::default()
        };
        let both = own.or(&first).resolved();
        assert_eq!(
            (both.positions, both.weight, both.bits),
            (first.positions.clone(), None, None)
        );
        let sky = Selection {
            sky: Some(vec!["RA".to_owned(), "DEC".to_owned()]),
            ..Selection::default()
        };
        let both = sky.or(&first);
        assert_eq!((both.positions, both.weight), (None, name("w")));
        assert_eq!(both.bits, first.bits);
    }

    #[test]
    fn a_file_has_a_column_or_all_that_an_expression_takes() {
        let known = |name: &str| ["delta", "pos"].contains(&name);
        let is_in = |text: &str| {
            let text = text.to_owned();
            ClassColumn {
                text,
                optional: true,
            }
            .is_in(&known)
        };
        assert!(is_in("delta") && is_in("delta*2 + pos[0]") && is_in("pos[2]"));
        assert!(!is_in("mass") && !is_in("delta*mass") && !is_in("3"));
    }
}
