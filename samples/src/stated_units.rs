//! What the units that a file states mean to the columns of positions: factors, or a refusal.
//!
//! Entry: [`StatedUnits::of`]. It reads no values; the table of units is `units`.

use std::path::Path;

use albireo_catalogs::TableDescription;
use serde_json::{Map, Value, json};

use crate::columns::{Depth, Place};
use crate::notice::Notice;
use crate::unit_error::StatedUnitError;
use crate::units::{Quantity, Unit};

/// A column that is multiplied.
#[derive(Debug, Clone, PartialEq)]
struct Converted {
    column: String,
    from: String,
    to: String,
    factor: f64,
}

/// The units of the columns of a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StatedUnits {
    /// What each column is multiplied by, in the order of the place.
    factors: Vec<f64>,
    /// Whether each column states a unit that is heeded.
    stated: Vec<bool>,
    converted: Vec<Converted>,
    /// Columns whose units are not heeded.
    ignored: Vec<String>,
}

/// The columns of a place and the units they state.
struct Columns<'a> {
    path: &'a Path,
    names: Vec<String>,
    units: Vec<Option<&'a str>>,
    /// Whether the unit of each is not heeded.
    ignored: Vec<bool>,
}

impl StatedUnits {
    /// The units of the columns of a place, but for those that are to be ignored.
    pub(crate) fn of(
        outline: &TableDescription,
        place: &Place,
        path: &Path,
        ignore: &[String],
    ) -> Result<Self, StatedUnitError> {
        let names = place.columns();
        let ignored: Vec<bool> = names.iter().map(|name| ignore.contains(name)).collect();
        let unit = |(name, &ignored): (&String, &bool)| {
            let mut columns = outline.columns.iter();
            let column = columns.find(|column| column.name == *name && !ignored)?;
            let text = column.unit.as_deref()?.trim();
            (!text.is_empty()).then_some(text)
        };
        let units = names.iter().zip(&ignored).map(unit).collect();
        let columns = Columns {
            path,
            names,
            units,
            ignored,
        };
        let targets = match place {
            Place::Cartesian(_) | Place::Vector(_) => columns.lengths(0)?,
            Place::Sky { depth, .. } => {
                let mut targets = vec![columns.angle(0)?, columns.angle(1)?];
                match depth {
                    Depth::None => {}
                    Depth::Distance(_) => targets.extend(columns.lengths(2)?),
                    Depth::Redshift(_) => targets.push(columns.redshift(2)?),
                }
                targets
            }
        };
        Ok(columns.converted(&targets))
    }

    /// Multiplies the values of a column of the place.
    pub(crate) fn apply(&self, column: usize, mut values: Vec<f64>) -> Vec<f64> {
        let factor = self.factors[column];
        if factor != 1.0 {
            for value in &mut values {
                *value *= factor;
            }
        }
        values
    }

    /// Whether a column of the place states a unit.
    pub(crate) fn is_stated(&self, column: usize) -> bool {
        self.stated[column]
    }

    /// Says what is converted.
    pub(crate) fn say(&self, path: &Path, tell: &mut dyn FnMut(Notice)) {
        for one in &self.converted {
            tell(Notice::Converted {
                path: path.to_owned(),
                column: one.column.clone(),
                from: one.from.clone(),
                to: one.to.clone(),
                factor: one.factor,
            });
        }
    }

    /// Notes in the record of a sample what is converted or ignored.
    pub(crate) fn note(&self, record: &mut Value) {
        let Some(record) = record.as_object_mut() else {
            return;
        };
        let entry = |one: &Converted| {
            let value = json!({"from": one.from, "to": one.to, "factor": one.factor});
            (one.column.clone(), value)
        };
        if !self.converted.is_empty() {
            let converted: Map<String, Value> = self.converted.iter().map(entry).collect();
            record.insert("converted".to_owned(), Value::Object(converted));
        }
        if !self.ignored.is_empty() {
            record.insert("ignored_units".to_owned(), json!(self.ignored));
        }
    }
}

/// What a column is converted into, and by which factor.
type Target = (f64, String);

impl Columns<'_> {
    fn as_is(&self, column: usize) -> Target {
        (1.0, self.units[column].unwrap_or_default().to_owned())
    }

    /// Degrees of a column of angles: the first is the right ascension.
    fn angle(&self, column: usize) -> Result<Target, StatedUnitError> {
        let Some(text) = self.units[column] else {
            return Ok(self.as_is(column));
        };
        let unit = text.parse::<Unit>().ok();
        let unit = unit.filter(|unit| column == 0 || !unit.is_hour_angle());
        let factor = unit.and_then(|unit| {
            if unit.is_one() {
                Some(1.0)
            } else {
                unit.factor_to(&Unit::DEGREE, None).ok()
            }
        });
        let expected = match column {
            0 => "deg, rad, arcmin, arcsec, mas or hourangle",
            _ => "deg, rad, arcmin, arcsec or mas",
        };
        let factor = factor.ok_or_else(|| StatedUnitError::Sky {
            path: self.path.to_owned(),
            column: self.names[column].clone(),
            expected,
            unit: text.to_owned(),
        })?;
        Ok((factor, "deg".to_owned()))
    }

    /// A redshift, which has no unit.
    fn redshift(&self, column: usize) -> Result<Target, StatedUnitError> {
        let Some(text) = self.units[column] else {
            return Ok(self.as_is(column));
        };
        let unit = text.parse::<Unit>().ok();
        if unit.is_some_and(|unit| unit.is_one()) {
            return Ok(self.as_is(column));
        }
        let name = &self.names[column];
        let is = |other: &str| unit == other.parse::<Unit>().ok();
        let advice = if is("km/s") {
            format!("write --redshift '{name}/299792.458' if it is c z")
        } else if is("m/s") {
            format!("write --redshift '{name}/299792458' if it is c z")
        } else {
            format!("expected redshifts (--ignore-units {name} takes its numbers as they are)")
        };
        Err(StatedUnitError::Redshift {
            path: self.path.to_owned(),
            column: name.clone(),
            unit: text.to_owned(),
            advice,
        })
    }

    /// Lengths in the unit of the first of the columns from `begin` on.
    fn lengths(&self, begin: usize) -> Result<Vec<Target>, StatedUnitError> {
        let heeded: Vec<usize> = (begin..self.names.len())
            .filter(|&column| !self.ignored[column])
            .collect();
        let first = heeded.first().and_then(|&column| self.units[column]);
        let parsed = first.and_then(|text| text.parse::<Unit>().ok());
        let is_length = parsed.is_none_or(|unit| {
            let quantity = unit.quantity();
            unit.is_one() || matches!(quantity, Quantity::Length | Quantity::Reduced)
        });
        let target = |column: usize| -> Option<Target> {
            let text = self.units[column];
            if self.ignored[column] || text == first {
                return Some(self.as_is(column));
            }
            let (unit, to) = (text?.parse::<Unit>().ok()?, parsed?);
            let factor = unit.is_akin_to(&to).then(|| unit.factor_to(&to, None).ok());
            Some((factor.flatten()?, first?.to_owned()))
        };
        let targets: Option<Vec<Target>> = (begin..self.names.len()).map(target).collect();
        let refused = || StatedUnitError::Positions {
            path: self.path.to_owned(),
            units: listed(&heeded, |column| self.units[column].unwrap_or("no unit")),
            columns: heeded
                .iter()
                .map(|&column| self.names[column].as_str())
                .collect::<Vec<_>>()
                .join(", "),
        };
        targets.filter(|_| is_length).ok_or_else(refused)
    }

    fn converted(self, targets: &[Target]) -> StatedUnits {
        let multiplied = |(column, (factor, to)): (usize, &Target)| {
            (*factor != 1.0).then(|| Converted {
                column: self.names[column].clone(),
                from: self.units[column].unwrap_or_default().to_owned(),
                to: to.clone(),
                factor: *factor,
            })
        };
        let ignored = self.names.iter().zip(&self.ignored);
        StatedUnits {
            factors: targets.iter().map(|target| target.0).collect(),
            stated: self.units.iter().map(Option::is_some).collect(),
            converted: targets.iter().enumerate().filter_map(multiplied).collect(),
            ignored: ignored
                .filter(|(_, ignored)| **ignored)
                .map(|(name, _)| name.clone())
                .collect(),
        }
    }
}

/// `nm, Angstrom and Mpc`: each once.
fn listed<'a>(columns: &[usize], text: impl Fn(usize) -> &'a str) -> String {
    let mut texts: Vec<&str> = Vec::new();
    for &column in columns {
        if !texts.contains(&text(column)) {
            texts.push(text(column));
        }
    }
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => texts.concat(),
    }
}

/// Whether two texts are names of one unit.
pub(crate) fn is_one_unit(a: &str, b: &str) -> bool {
    let same = || Some(a.parse::<Unit>().ok()? == b.parse::<Unit>().ok()?);
    a == b || same() == Some(true)
}
