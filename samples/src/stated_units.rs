//! What the units that a file states mean to the columns of positions: factors, or a refusal.
//!
//! Entry: [`StatedUnits::of`]. It reads no values; the table of units is `units`, the unit of all samples `common_unit`.

use std::path::Path;

use albireo::particles::Column;
use albireo_catalogs::{TableDescription, in_short};
use serde_json::{Map, Value, json};

use crate::columns::{Depth, Place};
use crate::common_unit::CommonUnit;
use crate::error::{Result, SampleError};
use crate::notice::Notice;
use crate::units::{Quantity, Unit, akin_factor};

/// The unit of distances that a cosmology gives.
const OF_REDSHIFTS: &str = "Mpc/h";

/// What a file states of units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitsOfFile<'a> {
    pub(crate) path: &'a Path,
    /// Its columns.
    pub(crate) outline: &'a TableDescription,
    /// Columns whose units are ignored.
    pub(crate) ignore: &'a [String],
    /// The unit of lengths whose columns state none.
    pub(crate) lengths: Option<&'a str>,
    /// The Hubble constant over 100 km/s/Mpc.
    pub(crate) h: Option<f64>,
}

/// Numbers that are multiplied.
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
    /// Whether each column states a unit that is used.
    stated: Vec<bool>,
    converted: Vec<Converted>,
    /// Columns whose units are ignored.
    ignored: Vec<String>,
    /// The unit of lengths once they are multiplied, where they state one.
    unit: Option<String>,
    /// What boxes are multiplied by.
    length: f64,
}

/// The columns of a place and the units they state.
struct Columns<'a> {
    file: UnitsOfFile<'a>,
    names: Vec<String>,
    units: Vec<Option<&'a str>>,
    /// Whether the unit of each is ignored.
    ignored: Vec<bool>,
}

impl StatedUnits {
    /// The units of the columns of a place, lengths as they become those of all samples.
    pub(crate) fn of(file: UnitsOfFile<'_>, place: &Place, common: &CommonUnit) -> Result<Self> {
        let names = place.columns();
        let ignored: Vec<bool> = names.iter().map(|n| file.ignore.contains(n)).collect();
        let unit = |(name, &ignored): (&String, &bool)| {
            let text = stated(file.outline, name).filter(|_| !ignored)?.trim();
            (!text.is_empty()).then_some(text)
        };
        let units = names.iter().zip(&ignored).map(unit).collect();
        let columns = Columns {
            file,
            names,
            units,
            ignored,
        };
        let (angles, lengths) = match place {
            Place::Cartesian(_) | Place::Vector(_) => (vec![], columns.lengths(0, common)?),
            Place::Sky { depth, .. } => {
                let angles = vec![columns.angle(0)?, columns.angle(1)?];
                let lengths = match depth {
                    Depth::None => Lengths::default(),
                    Depth::Distance(_) => columns.lengths(2, common)?,
                    Depth::Redshift(_) => columns.redshift(2, common)?,
                };
                (angles, lengths)
            }
        };
        Ok(columns.converted(angles, lengths))
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

    /// As [`StatedUnits::apply`], of a column in memory, which stays where it is if it is not multiplied.
    pub(crate) fn column(&self, column: usize, values: &Column) -> Column {
        if self.factors[column] == 1.0 {
            return values.clone();
        }
        self.apply(column, values.iter().collect()).into()
    }

    /// Whether a column of the place states a unit.
    pub(crate) fn is_stated(&self, column: usize) -> bool {
        self.stated[column]
    }

    /// Whether lengths with h in their unit are converted into such without, or the other way round.
    pub(crate) fn takes_h(&self) -> bool {
        let parsed = |text: &str| text.parse::<Unit>().ok();
        self.converted.iter().any(|one| {
            let units = parsed(&one.from).zip(parsed(&one.to));
            units.is_some_and(|(from, to)| from.differs_by_h(&to))
        })
    }

    /// The unit of lengths, where they state one.
    pub(crate) fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// What the boxes that the file states are multiplied by.
    pub(crate) fn length(&self) -> f64 {
        self.length
    }

    /// Says what is converted.
    pub(crate) fn say(&self, path: &Path, tell: &mut dyn FnMut(Notice)) {
        for one in &self.converted {
            let (path, factor) = (path.display(), in_short(one.factor));
            let (column, from, to) = (&one.column, &one.from, &one.to);
            let what = match column.as_str() {
                LENGTHS => format!("lengths in {from}"),
                column => format!("column `{column}` is in {from}"),
            };
            tell(Notice::note(format!(
                "{path}: {what}: multiplied by {factor} to {to}"
            )));
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

/// The unit of a column, or of the component that a name such as `pos[0]` means, whose own stands in the list of a data set that has one.
fn stated<'a>(outline: &'a TableDescription, name: &str) -> Option<&'a str> {
    let unit = |name: &str| {
        let mut columns = outline.columns.iter();
        let column = columns.find(|column| column.name == name)?;
        column.unit.as_deref()
    };
    if let Some(text) = unit(name) {
        return Some(text);
    }
    let (vector, component) = name.strip_suffix(']')?.rsplit_once('[')?;
    let text = unit(vector)?;
    match text.split(LISTED).nth(component.parse().ok()?) {
        Some(own) if text.contains(LISTED) => Some(own),
        _ => Some(text),
    }
}

/// Between the units of components that differ.
const LISTED: &str = ", ";

/// What stands for all lengths of a file in its record.
const LENGTHS: &str = "lengths";

/// What a column is converted into, and by which factor.
#[derive(Debug, Clone, PartialEq)]
struct Target {
    from: String,
    to: String,
    factor: f64,
}

/// What the columns of lengths are converted into, and whether they state a unit.
#[derive(Debug, Clone, Default)]
struct Lengths {
    targets: Vec<Target>,
    unit: Option<String>,
}

impl Columns<'_> {
    fn as_is(&self, column: usize) -> Target {
        let unit = self.units[column].unwrap_or_default();
        Target {
            from: unit.to_owned(),
            to: unit.to_owned(),
            factor: 1.0,
        }
    }

    /// Degrees of a column of angles: the first is the right ascension.
    fn angle(&self, column: usize) -> Result<Target> {
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
        let factor = factor.ok_or_else(|| SampleError::Input(format!(
            "{}: `{column}`: expected {expected}, found a column in {text} (--ignore-units {column} takes its numbers as degrees)",
            self.file.path.display(),
            column = self.names[column]
        )))?;
        Ok(Target {
            from: text.to_owned(),
            to: "deg".to_owned(),
            factor,
        })
    }

    /// The distances of redshifts, which have no unit themselves.
    fn redshift(&self, column: usize, common: &CommonUnit) -> Result<Lengths> {
        let unit = self.units[column].map(str::parse::<Unit>);
        if unit.is_none_or(|unit| unit.is_ok_and(|unit| unit.is_one())) {
            let target = self.target(OF_REDSHIFTS, common)?;
            return Ok(Lengths {
                unit: Some(target.to.clone()),
                targets: vec![target],
            });
        }
        Err(self.no_redshift(column))
    }

    fn no_redshift(&self, column: usize) -> SampleError {
        let (name, text) = (&self.names[column], self.units[column].unwrap_or_default());
        let unit = text.parse::<Unit>().ok();
        let is = |other: &str| unit == other.parse::<Unit>().ok();
        let advice = if is("km/s") {
            format!("write --redshift '{name}/299792.458' if it is c z")
        } else if is("m/s") {
            format!("write --redshift '{name}/299792458' if it is c z")
        } else {
            format!("expected redshifts (--ignore-units {name} takes its numbers as they are)")
        };
        SampleError::Input(format!(
            "{}: {name}: column in {text}: {advice}",
            self.file.path.display()
        ))
    }

    /// Lengths in the unit of all samples, else in that of the first of the columns from `begin` on.
    fn lengths(&self, begin: usize, common: &CommonUnit) -> Result<Lengths> {
        let heeded: Vec<usize> = (begin..self.names.len())
            .filter(|&column| !self.ignored[column])
            .collect();
        let of_first = heeded.first().and_then(|&column| self.units[column]);
        self.check_lengths(&heeded, of_first)?;
        let is_number = |text: &str| text.parse::<Unit>().is_ok_and(|unit| unit.is_one());
        let of_file = || {
            let heeded = heeded.iter().filter_map(|&column| self.names.get(column));
            let known = |name: &String| self.file.outline.columns.iter().any(|c| c.name == *name);
            self.file.lengths.filter(|_| heeded.into_iter().any(known))
        };
        let first = match of_first {
            Some(text) if is_number(text) => None,
            Some(text) => Some(text),
            None => of_file(),
        };
        let all = begin..self.names.len();
        let Some(first) = first else {
            return Ok(Lengths {
                targets: all.map(|column| self.as_is(column)).collect(),
                unit: None,
            });
        };
        let common = common.clone().or_of(self.file.path, first);
        let target = |column: usize| {
            if self.ignored[column] {
                return Ok(self.as_is(column));
            }
            self.target(self.units[column].unwrap_or(first), &common)
        };
        Ok(Lengths {
            targets: all.map(target).collect::<Result<_>>()?,
            unit: common.unit().map(str::to_owned),
        })
    }

    /// Lengths in a unit as they become those of all samples.
    fn target(&self, from: &str, common: &CommonUnit) -> Result<Target> {
        Ok(Target {
            from: from.to_owned(),
            to: common.unit().unwrap_or(from).to_owned(),
            factor: common.factor(self.file.path, from, self.file.h)?,
        })
    }

    /// Refuses columns that are no lengths of one kind.
    fn check_lengths(&self, heeded: &[usize], first: Option<&str>) -> Result<()> {
        if let (Some(units), [name]) = (first.filter(|text| text.contains(LISTED)), &*self.names) {
            return Err(SampleError::Input(format!(
                "{}: `{name}`: expected one unit for all of its components, found {units}: name them one by one \
                 (--positions '{name}[0],{name}[1],{name}[2]')",
                self.file.path.display(),
            )));
        }
        let unit = first.and_then(|text| text.parse::<Unit>().ok());
        let is_length = unit.is_none_or(|unit| {
            let quantity = unit.quantity();
            unit.is_one() || matches!(quantity, Quantity::Length | Quantity::Reduced)
        });
        let is_akin = |&column: &usize| match (self.units[column], first) {
            (Some(text), Some(first)) => akin_factor(text, first).is_some(),
            (text, first) => text == first,
        };
        if is_length && heeded.iter().all(is_akin) {
            return Ok(());
        }
        let names = heeded.iter().map(|&column| self.names[column].as_str());
        Err(SampleError::Input(format!(
            "{}: positions in {} ({}): expected lengths in one unit, or in units of one kind such as kpc and Mpc (--ignore-units COLUMN \
             takes numbers as they are)",
            self.file.path.display(),
            listed(heeded, |column| self.units[column].unwrap_or("no unit")),
            names.collect::<Vec<_>>().join(", ")
        )))
    }

    fn converted(self, angles: Vec<Target>, lengths: Lengths) -> StatedUnits {
        let begin = angles.len();
        let length = lengths.targets.first().cloned();
        let alike = lengths
            .targets
            .iter()
            .all(|target| Some(target) == length.as_ref());
        let targets: Vec<Target> = angles.into_iter().chain(lengths.targets).collect();
        let multiplied = |(column, target): (usize, &Target)| {
            let of_all = column >= begin && alike;
            // Once for all of them.
            let is_noted = target.factor != 1.0 && !(of_all && column > begin);
            is_noted.then(|| Converted {
                column: if of_all {
                    LENGTHS.to_owned()
                } else {
                    self.names[column].clone()
                },
                from: target.from.clone(),
                to: target.to.clone(),
                factor: target.factor,
            })
        };
        let ignored = self.names.iter().zip(&self.ignored);
        StatedUnits {
            converted: targets.iter().enumerate().filter_map(multiplied).collect(),
            factors: targets.iter().map(|target| target.factor).collect(),
            stated: self.units.iter().map(Option::is_some).collect(),
            ignored: ignored
                .filter(|(_, ignored)| **ignored)
                .map(|(name, _)| name.clone())
                .collect(),
            unit: lengths.unit,
            length: length.map_or(1.0, |target| target.factor),
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
