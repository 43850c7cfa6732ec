//! Which columns of a table are positions: as named, or guessed from the names that the fields use.
//!
//! Entry: [`choose`]. It reads no values.

use albireo_catalogs::{FRAME_NAMES, TIME_NAMES, TableDescription};

use crate::error::{Result, SampleError};
use crate::selection::Selection;

/// Where the positions of a sample come from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Place {
    /// Three columns.
    Cartesian([String; 3]),
    /// One column of three components.
    Vector(String),
    /// Directions in degrees, with a depth unless only angles are asked for.
    Sky {
        ra: String,
        dec: String,
        depth: Depth,
    },
}

/// How far away a direction's object is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Depth {
    /// Not needed.
    None,
    /// A column of comoving distances.
    Distance(String),
    /// A column of redshifts.
    Redshift(String),
}

/// What the choice depends on besides the columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need {
    /// Only directions are needed.
    pub(crate) angular: bool,
    /// A cosmology is given, so redshifts can be used.
    pub(crate) cosmology: bool,
}

impl Depth {
    /// The column, and the options that name it with those of the sky.
    fn named(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::None => None,
            Self::Distance(name) => Some(("--sky and --distance", name)),
            Self::Redshift(name) => Some(("--sky and --redshift", name)),
        }
    }
}

const TRIPLES: [[&str; 3]; 5] = [
    ["x", "y", "z"],
    ["X", "Y", "Z"],
    ["pos_x", "pos_y", "pos_z"],
    ["px", "py", "pz"],
    ["Pos_x", "Pos_y", "Pos_z"],
];
const VECTORS: [&str; 13] = [
    "Coordinates",
    "coordinates",
    "position",
    "positions",
    "Position",
    "Positions",
    "pos",
    "Pos",
    "xyz",
    "coords",
    "SubhaloPos",
    "GroupPos",
    "x_L2com",
];
const SKY: [[&str; 2]; 4] = [
    ["RA", "DEC"],
    ["ra", "dec"],
    ["Ra", "Dec"],
    ["RAJ2000", "DEJ2000"],
];
const DISTANCES: [&str; 7] = [
    "DIST",
    "dist",
    "Dist",
    "distance",
    "DISTANCE",
    "comoving_distance",
    "DC",
];
const REDSHIFTS: [&str; 7] = [
    "Z", "z", "redshift", "REDSHIFT", "Redshift", "zspec", "Z_SPEC",
];
const WEIGHTS: [&str; 9] = [
    "w",
    "weight",
    "WEIGHT",
    "weights",
    "Weight",
    "wgt",
    "W",
    "WEIGHT_SYSTOT",
    "WEIGHT_FKP",
];

/// The names by which columns are taken for positions where none are named.
///
/// ```
/// assert!(albireo_samples::usual_names().any(|name| name == "RA"));
/// ```
pub fn usual_names() -> impl Iterator<Item = &'static str> {
    let places = TRIPLES.into_iter().flatten().chain(VECTORS);
    let sky = SKY.into_iter().flatten();
    places.chain(sky).chain(DISTANCES).chain(REDSHIFTS)
}

/// Whether a column has a usual name of redshifts, in any case of letters.
pub(crate) fn is_called_as_redshifts(column: &str) -> bool {
    REDSHIFTS
        .iter()
        .any(|name| name.eq_ignore_ascii_case(column))
}

/// Whether two columns have usual names of right ascension and declination, in any case of letters.
fn is_called_as_sky(x: &str, y: &str) -> bool {
    let is = |[ra, dec]: &[&str; 2]| ra.eq_ignore_ascii_case(x) && dec.eq_ignore_ascii_case(y);
    SKY.iter().any(is)
}

/// The numeric columns of a table.
struct Available<'a>(&'a TableDescription);

impl Available<'_> {
    fn has(&self, name: &str, width: usize) -> bool {
        self.0
            .columns
            .iter()
            .any(|column| column.name == name && column.width == width)
    }

    fn scalar(&self, name: &str) -> bool {
        self.has(name, 1)
    }

    fn first(&self, names: &[&str]) -> Option<String> {
        names
            .iter()
            .find(|name| self.scalar(name))
            .map(|&name| name.to_owned())
    }

    fn cartesian(&self) -> Option<Place> {
        let triple = TRIPLES
            .iter()
            .find(|names| names.iter().all(|name| self.scalar(name)));
        let triple = triple.map(|names| Place::Cartesian(names.map(str::to_owned)));
        let vector = || {
            VECTORS
                .iter()
                .find(|name| self.has(name, 3))
                .map(|&name| Place::Vector(name.to_owned()))
        };
        triple.or_else(vector)
    }

    fn sky(&self) -> Option<[String; 2]> {
        SKY.iter()
            .find(|names| names.iter().all(|name| self.scalar(name)))
            .map(|names| names.map(str::to_owned))
    }

    /// A distance where there is one, unless a cosmology asks for redshifts.
    fn depth(&self, need: Need) -> Option<Depth> {
        let distance = self.first(&DISTANCES).map(Depth::Distance);
        let redshift = self.first(&REDSHIFTS).map(Depth::Redshift);
        if need.cosmology {
            redshift.or(distance)
        } else {
            distance.or(redshift)
        }
    }

    fn names(&self) -> String {
        let names: Vec<String> = self
            .0
            .columns
            .iter()
            .map(|column| format!("`{}`", column.name))
            .collect();
        names.join(", ")
    }
}

/// Refuses a column named more than once.
pub(crate) fn different(option: &'static str, names: &[String]) -> Result<()> {
    for (k, name) in names.iter().enumerate() {
        let times = names.iter().filter(|other| *other == name).count();
        if times > 1 && !names[..k].contains(name) {
            return Err(SampleError::Call(format!(
                "{option} {}: the column `{name}` is named {times} times",
                names.join(",")
            )));
        }
    }
    Ok(())
}

fn pair(names: &[String]) -> Result<[String; 2]> {
    match names {
        [ra, dec] => Ok([ra.clone(), dec.clone()]),
        _ => Err(SampleError::Call(format!(
            "--sky takes two columns, RA,DEC; found {}",
            names.len()
        ))),
    }
}

/// The columns of the positions, and whether any of them was guessed.
pub(crate) fn choose(
    table: &TableDescription,
    selection: &Selection,
    need: Need,
) -> Result<(Place, bool)> {
    let available = Available(table);
    if let Some(names) = &selection.positions {
        different("--positions", names)?;
        return match &names[..] {
            [name] => Ok((Place::Vector(name.clone()), false)),
            [x, y, _] if is_called_as_sky(x, y) => Err(SampleError::Call(format!(
                "--positions {}: `{x}` and `{y}` are called as angles on the sky are: --sky {x},{y} with --redshift or --distance takes them; if they are \
                     lengths, write {x}+0",
                names.join(",")
            ))),
            [x, y, z] => Ok((Place::Cartesian([x.clone(), y.clone(), z.clone()]), false)),
            other => Err(SampleError::Call(format!(
                "--positions takes three columns, or one of three components; found {}",
                other.len()
            ))),
        };
    }
    let depth_told = selection.distance.is_some() || selection.redshift.is_some();
    let sky = match &selection.sky {
        Some(names) => {
            different("--sky", names)?;
            Some(pair(names)?)
        }
        None => available.sky(),
    };
    let cartesian = if selection.sky.is_some() || depth_told {
        None
    } else {
        available.cartesian()
    };
    let Some([ra, dec]) = sky else {
        return match cartesian {
            Some(place) => Ok((place, true)),
            None => Err(SampleError::Input(format!(
                "no positions found: name them by --positions X,Y,Z or --sky RA,DEC; the columns are: {}",
                available.names()
            ))),
        };
    };
    let depth = match (&selection.distance, &selection.redshift) {
        _ if need.angular => Some(Depth::None),
        (Some(name), _) => Some(Depth::Distance(name.clone())),
        (_, Some(name)) => Some(Depth::Redshift(name.clone())),
        _ => available.depth(need),
    };
    if let Some((option, name)) = depth.as_ref().and_then(Depth::named) {
        different(option, &[ra.clone(), dec.clone(), name.to_owned()])?;
    }
    match (depth, cartesian) {
        (Some(depth), None) => {
            let guessed = selection.sky.is_none() || !(depth_told || need.angular);
            Ok((Place::Sky { ra, dec, depth }, guessed))
        }
        (Some(depth), Some(_)) if need.angular => Ok((Place::Sky { ra, dec, depth }, true)),
        (Some(_), Some(_)) => Err(SampleError::Input(format!(
            "both Cartesian and sky positions are there: choose by --positions or --sky; the columns are: {}",
            available.names()
        ))),
        (None, Some(place)) => Ok((place, true)),
        (None, None) => Err(SampleError::NoDepth {
            ra,
            dec,
            columns: available.names(),
        }),
    }
}

/// The column that counts the frames of a trajectory, by the usual names.
pub(crate) fn frame_like(table: &TableDescription) -> Option<String> {
    number_called(table, &FRAME_NAMES)
}

/// The column that may have the times of frames, by the usual names.
pub(crate) fn time_like(table: &TableDescription) -> Option<String> {
    number_called(table, &TIME_NAMES)
}

/// The first column of numbers of one of these names, in any case of letters.
fn number_called(table: &TableDescription, names: &[&str]) -> Option<String> {
    let numeric = |dtype: &str| {
        ["int", "uint", "float"]
            .iter()
            .any(|t| dtype.starts_with(t))
    };
    names.iter().find_map(|name| {
        let mut columns = table.columns.iter();
        let column = columns.find(|c| c.name.eq_ignore_ascii_case(name))?;
        (column.width == 1 && numeric(&column.dtype)).then(|| column.name.clone())
    })
}

/// The weight that a survey's own papers give each object of a table with such columns, and the survey.
pub(crate) fn weight_of_survey(table: &TableDescription) -> Option<(&'static str, &'static str)> {
    let available = Available(table);
    let all = |names: &[&str]| names.iter().all(|name| available.scalar(name));
    let fkp = available.scalar("WEIGHT_FKP");
    if all(&["WEIGHT_SYSTOT", "WEIGHT_CP", "WEIGHT_NOZ"]) {
        // Reid et al. 2016; Ross et al. 2020.
        let boss = available.scalar("WEIGHT_STAR") || !available.scalar("ISITC");
        return Some(match (boss, fkp) {
            (true, true) => ("BOSS", "WEIGHT_SYSTOT*(WEIGHT_CP+WEIGHT_NOZ-1)*WEIGHT_FKP"),
            (true, false) => ("BOSS", "WEIGHT_SYSTOT*(WEIGHT_CP+WEIGHT_NOZ-1)"),
            (false, true) => ("eBOSS", "WEIGHT_SYSTOT*WEIGHT_CP*WEIGHT_NOZ*WEIGHT_FKP"),
            (false, false) => ("eBOSS", "WEIGHT_SYSTOT*WEIGHT_CP*WEIGHT_NOZ"),
        });
    }
    (fkp && available.scalar("WEIGHT")).then_some(("DESI", "WEIGHT*WEIGHT_FKP"))
}

/// A column that looks like a weight.
pub(crate) fn weight_like(table: &TableDescription) -> Option<String> {
    Available(table).first(&WEIGHTS)
}

impl Place {
    /// The columns to read.
    pub(crate) fn columns(&self) -> Vec<String> {
        match self {
            Self::Cartesian(names) => names.to_vec(),
            Self::Vector(name) => vec![name.clone()],
            Self::Sky { ra, dec, depth } => {
                let depth = match depth {
                    Depth::None => None,
                    Depth::Distance(name) | Depth::Redshift(name) => Some(name),
                };
                [ra, dec].into_iter().chain(depth).cloned().collect()
            }
        }
    }

    /// Whether they are directions on the sky, with a depth or without.
    pub(crate) fn is_sky(&self) -> bool {
        matches!(self, Self::Sky { .. })
    }

    /// Whether distances come from redshifts, peculiar velocities and all.
    pub(crate) fn is_redshift_space(&self) -> bool {
        matches!(
            self,
            Self::Sky {
                depth: Depth::Redshift(_),
                ..
            }
        )
    }

    /// What the columns are, for the record.
    pub(crate) fn meaning(&self) -> &'static str {
        match self {
            Self::Cartesian(_) | Self::Vector(_) => "cartesian",
            Self::Sky {
                depth: Depth::None, ..
            } => "sky directions",
            Self::Sky {
                depth: Depth::Distance(_),
                ..
            } => "sky and comoving distance",
            Self::Sky {
                depth: Depth::Redshift(_),
                ..
            } => "sky and redshift",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use albireo_catalogs::ColumnDescription;

    fn table(columns: &[(&str, usize)]) -> TableDescription {
        let column = |&(name, width): &(&str, usize)| ColumnDescription {
            name: name.to_owned(),
            dtype: "float64".to_owned(),
            unit: None,
            width,
            rows: 1,
            min: None,
            max: None,
            nan_count: 0,
            null_count: 0,
            texts: Vec::new(),
            all_texts: true,
            packing: None,
        };
        TableDescription {
            name: String::new(),
            rows: 1,
            columns: columns.iter().map(column).collect(),
            attributes: std::collections::BTreeMap::default(),
        }
    }

    const NEED: Need = Need {
        angular: false,
        cosmology: false,
    };

    fn chosen(columns: &[(&str, usize)], need: Need) -> Result<Place> {
        choose(&table(columns), &Selection::default(), need).map(|(place, _)| place)
    }

    #[test]
    fn usual_names_are_found() {
        let vector = chosen(&[("id", 1), ("Coordinates", 3)], NEED).unwrap();
        assert_eq!(vector, Place::Vector("Coordinates".to_owned()));
        let sky = |depth| Place::Sky {
            ra: "RA".to_owned(),
            dec: "DEC".to_owned(),
            depth,
        };
        let columns = [("RA", 1), ("DEC", 1), ("Z", 1), ("DIST", 1)];
        assert_eq!(
            chosen(&columns, NEED).unwrap(),
            sky(Depth::Distance("DIST".to_owned()))
        );
        let cosmology = Need {
            cosmology: true,
            ..NEED
        };
        assert_eq!(
            chosen(&columns, cosmology).unwrap(),
            sky(Depth::Redshift("Z".to_owned()))
        );
        let angular = Need {
            angular: true,
            ..NEED
        };
        assert_eq!(chosen(&columns, angular).unwrap(), sky(Depth::None));
    }

    #[test]
    fn what_is_ambiguous_or_missing_is_refused() {
        let both = [("x", 1), ("y", 1), ("z", 1), ("ra", 1), ("dec", 1)];
        let message = chosen(&both, NEED).unwrap_err().to_string();
        assert!(
            message.contains("choose by --positions or --sky"),
            "{message}"
        );
        let message = chosen(&[("a", 1), ("b", 1)], NEED).unwrap_err().to_string();
        assert!(message.contains("the columns are: `a`, `b`"), "{message}");
        let message = chosen(&[("ra", 1), ("dec", 1)], NEED)
            .unwrap_err()
            .to_string();
        assert!(message.contains("need a depth"), "{message}");
    }
}
