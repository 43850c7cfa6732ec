//! The domain of samples: from the box that is asked for, or from what the files state.
//!
//! Entry: [`BoxSpec`] and [`resolve`]. Positions are placed in it by `placing`.

use std::path::Path;
use std::str::FromStr;

use albireo::{Domain, Lattice, PeriodicBox};
use albireo_catalogs::{Attributes, Value as Attribute, in_short};
use serde::Serialize;
use serde_json::{Value, json};
use thiserror::Error;

use crate::error::{Result, SampleError};
use crate::notice::Notice;
use crate::within::Within;

/// The box, as given or asked for. Its text is what the command line takes: `420`, `100,100,none`, nine numbers, `file` or `none`.
///
/// ```
/// use albireo_samples::BoxSpec;
/// assert_eq!("420".parse(), Ok(BoxSpec::Lengths([Some(420.0); 3])));
/// assert!("1,2".parse::<BoxSpec>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub enum BoxSpec {
    /// Open space.
    Open,
    /// The one that the file states.
    File,
    /// Orthorhombic, each axis periodic or open.
    Lengths([Option<f64>; 3]),
    /// Three box vectors.
    Vectors([[f64; 3]; 3]),
}

/// A text that is no box.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ParseBoxError(pub(crate) String);

impl BoxSpec {
    /// The same with lengths multiplied.
    pub(crate) fn times(self, factor: f64) -> Self {
        match self {
            Self::Open | Self::File => self,
            Self::Lengths(lengths) => Self::Lengths(lengths.map(|l| Some(l? * factor))),
            Self::Vectors(rows) => Self::Vectors(rows.map(|row| row.map(|v| v * factor))),
        }
    }
}

impl FromStr for BoxSpec {
    type Err = ParseBoxError;

    fn from_str(text: &str) -> Result<Self, ParseBoxError> {
        match text.trim() {
            "none" | "open" => return Ok(Self::Open),
            "file" => return Ok(Self::File),
            _ => {}
        }
        let lengths = text
            .split(',')
            .map(|part| match part.trim() {
                "none" | "open" => Ok(None),
                number => number.parse().map(Some).map_err(|_| {
                    ParseBoxError(format!("expected a length or `none`, found `{number}`"))
                }),
            })
            .collect::<Result<Vec<Option<f64>>, ParseBoxError>>()?;
        let vectors: Option<Vec<f64>> = lengths.iter().copied().collect();
        match (lengths.len(), vectors) {
            (1, _) => Ok(Self::Lengths([lengths[0]; 3])),
            (3, _) => Ok(Self::Lengths([lengths[0], lengths[1], lengths[2]])),
            (9, Some(v)) => Ok(Self::Vectors([0, 3, 6].map(|k| [v[k], v[k + 1], v[k + 2]]))),
            (n, _) => Err(ParseBoxError(format!(
                "a box is one length, three lengths or nine numbers (three vectors), `file` or `none`; found {n} values"
            ))),
        }
    }
}

/// A box that a file states.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StatedBox {
    /// Where it stands: the attribute and the file.
    pub(crate) source: String,
    /// The box, or the text that is none.
    pub(crate) spec: Result<BoxSpec, String>,
}

impl StatedBox {
    /// The same with lengths multiplied.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            spec: self.spec.map(|spec| spec.times(factor)),
            ..self
        }
    }
}

/// Attributes that state a box, in the order of preference.
const NAMES: [&str; 10] = [
    "BoxSize",
    "box/edges",
    "boxsize",
    "box_size",
    "BOXSIZE",
    "Lbox",
    "L_box",
    "LBOX",
    "box",
    "Box",
];

/// The numbers of an attribute, which may be written as text: `100`, or `[1, 2, 3]`; or the text that is none.
fn numbers_of(value: &Attribute) -> Option<Result<Vec<f64>, String>> {
    let Some(text) = value.as_text().map(str::trim) else {
        return value.as_floats().map(Ok);
    };
    let between = |c: char| c.is_whitespace() || ",[]()".contains(c);
    let parts = text.split(between).filter(|part| !part.is_empty());
    let numbers: Result<Vec<f64>, _> = parts.map(str::parse).collect();
    let stated = !text.is_empty();
    stated.then(|| numbers.map_err(|_| text.to_owned()))
}

/// The box among the attributes of a file: one length, three lengths or three vectors.
pub(crate) fn stated_box(path: &Path, attributes: &Attributes) -> Option<StatedBox> {
    NAMES.iter().find_map(|wanted| {
        let named = |key: &str| key == *wanted || key.ends_with(&format!("/{wanted}"));
        let (key, value) = attributes.iter().find(|(key, _)| named(key))?;
        let source = format!("attribute `{key}` of {}", path.display());
        let numbers = match numbers_of(value)? {
            Ok(numbers) => numbers,
            Err(text) => {
                let spec = Err(text);
                return Some(StatedBox { source, spec });
            }
        };
        let spec = match numbers[..] {
            [length] => BoxSpec::Lengths([Some(length); 3]),
            [x, y, z] => BoxSpec::Lengths([x, y, z].map(Some)),
            [ax, 0.0, 0.0, 0.0, by, 0.0, 0.0, 0.0, cz] => BoxSpec::Lengths([ax, by, cz].map(Some)),
            [ax, ay, az, bx, by, bz, cx, cy, cz] => {
                BoxSpec::Vectors([[ax, ay, az], [bx, by, bz], [cx, cy, cz]])
            }
            _ => return None,
        };
        let spec = Ok(spec);
        Some(StatedBox { source, spec })
    })
}

/// The domain that a record describes, as [`box_record`] made it.
pub fn domain_of_record(record: &Value) -> Option<Domain> {
    let number = |value: &Value| value.as_f64();
    let spec = match record["kind"].as_str()? {
        "open" => BoxSpec::Open,
        "periodic" => {
            let lengths = &record["lengths"];
            BoxSpec::Lengths([0, 1, 2].map(|axis| number(&lengths[axis])))
        }
        _ => {
            let mut vectors = [[0.0; 3]; 3];
            for (k, vector) in vectors.iter_mut().enumerate() {
                for (axis, x) in vector.iter_mut().enumerate() {
                    *x = number(&record["vectors"][k][axis])?;
                }
            }
            BoxSpec::Vectors(vectors)
        }
    };
    domain_of(spec).ok()
}

pub(crate) fn domain_of(spec: BoxSpec) -> Result<Domain> {
    Ok(match spec {
        BoxSpec::Open | BoxSpec::File | BoxSpec::Lengths([None, None, None]) => Domain::Open,
        BoxSpec::Lengths(lengths) => Domain::Periodic(PeriodicBox::new(lengths)?),
        BoxSpec::Vectors(vectors) => Domain::Triclinic(Lattice::new(vectors)?),
    })
}

/// The one box that the files state, if any, and where; different ones are refused, and texts that are none.
fn common(stated: &[&StatedBox]) -> Result<Option<(BoxSpec, String)>> {
    for one in stated {
        if let Err(text) = &one.spec {
            return Err(SampleError::Input(format!(
                "{}: expected a length, three lengths or three vectors, found the text `{text}`: state the box by --box, open space by --box none",
                one.source
            )));
        }
    }
    let Some((first, rest)) = stated.split_first() else {
        return Ok(None);
    };
    if let Some(other) = rest.iter().find(|other| other.spec != first.spec) {
        return Err(SampleError::Input(format!(
            "the files state different boxes: {} and {}; choose by --box",
            first.source, other.source
        )));
    }
    let spec = first.spec.as_ref().ok();
    Ok(spec.map(|spec| (*spec, first.source.clone())))
}

/// The domain, with a record of where it comes from: what is given, else the box that the files state, else open space.
pub(crate) fn resolve(
    given: Option<BoxSpec>,
    stated: &[&StatedBox],
    tell: &mut dyn FnMut(Notice),
) -> Result<(Domain, Value)> {
    let from_files = match given {
        None | Some(BoxSpec::File) => common(stated)?,
        Some(_) => None,
    };
    if given == Some(BoxSpec::File) && from_files.is_none() {
        return Err(SampleError::no_stated_box());
    }
    let (spec, source) = match (from_files, given) {
        (Some(stated), _) => stated,
        (None, Some(given)) => (given, "--box".to_owned()),
        (None, None) => (BoxSpec::Open, "default".to_owned()),
    };
    let domain = domain_of(spec).within(|| source.clone())?;
    if let (Some(BoxSpec::Lengths(_) | BoxSpec::Vectors(_)), Some(first)) = (given, stated.first())
        && let Ok(spec) = first.spec
    {
        let other = domain_of(spec).within(|| first.source.clone())?;
        if differ(&rows(&domain), &rows(&other)) {
            tell(Notice::warning(format!(
                "--box is {}, but the file states {} ({}): are both in one unit?",
                described(&domain),
                described(&other),
                first.source
            )));
        }
    }
    if given.is_none() && domain.is_periodic() {
        tell(Notice::note(format!(
            "box: {}, from {source}; --box none for open space",
            described(&domain)
        )));
    }
    let record = box_record(&domain, &source);
    Ok((domain, record))
}

/// The vectors of a box; `None` along open axes.
pub(crate) type Rows = [Option<[f64; 3]>; 3];

/// The vectors of a domain.
pub(crate) fn rows(domain: &Domain) -> Rows {
    match domain {
        Domain::Open => [None; 3],
        Domain::Periodic(cell) => [0, 1, 2].map(|axis| {
            let mut row = [0.0; 3];
            row[axis] = cell.lengths()[axis]?;
            Some(row)
        }),
        Domain::Triclinic(lattice) => lattice.vectors().map(Some),
    }
}

/// Whether the vectors of a box lie along the axes.
pub(crate) fn is_rectangular(rows: &Rows) -> bool {
    (0..3).all(|k| rows[k].is_none_or(|row| (0..3).all(|j| j == k || row[j] == 0.0)))
}

/// Whether boxes differ by more than a thousandth along an axis that is periodic in both.
pub(crate) fn differ(given: &Rows, stated: &Rows) -> bool {
    let norm = |row: [f64; 3]| row.iter().map(|v| v * v).sum::<f64>().sqrt();
    given.iter().zip(stated).any(|pair| match pair {
        (Some(a), Some(b)) => norm([0, 1, 2].map(|k| a[k] - b[k])) > 1e-3 * norm(*b),
        _ => false,
    })
}

/// A periodic domain in a few words.
pub(crate) fn described(domain: &Domain) -> String {
    match domain {
        Domain::Open => "open space".to_owned(),
        Domain::Periodic(cell) => {
            let length = |length: Option<f64>| length.map_or("open".to_owned(), in_short);
            let lengths = cell.lengths().map(length);
            format!("periodic, {}", lengths.join(" x "))
        }
        Domain::Triclinic(lattice) => {
            let vector = |v: [f64; 3]| format!("({})", v.map(in_short).join(", "));
            format!("periodic, {}", lattice.vectors().map(vector).join(" "))
        }
    }
}

/// A box as results record it, with where it comes from.
#[must_use]
pub fn box_record(domain: &Domain, source: &str) -> Value {
    match domain {
        Domain::Open => json!({"kind": "open", "source": source}),
        Domain::Periodic(cell) => {
            json!({"kind": "periodic", "lengths": cell.lengths(), "source": source})
        }
        Domain::Triclinic(lattice) => json!({
            "kind": "triclinic", "vectors": lattice.vectors(), "reduced": lattice.basis(), "source": source,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_parsed_or_refused() {
        assert_eq!("420".parse(), Ok(BoxSpec::Lengths([Some(420.0); 3])));
        assert_eq!(
            "1,2,none".parse(),
            Ok(BoxSpec::Lengths([Some(1.0), Some(2.0), None]))
        );
        let cell = BoxSpec::Vectors([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-0.5, 0.0, 3.0]]);
        assert_eq!("1,0,0,.5,2,0,-0.5,0,3".parse(), Ok(cell));
        assert_eq!("file".parse(), Ok(BoxSpec::File));
        assert_eq!("none".parse(), Ok(BoxSpec::Open));
        for bad in ["", "1,2", "a", "1,2,3,4,5,6,7,8,none"] {
            assert!(bad.parse::<BoxSpec>().is_err(), "{bad}");
        }
    }

    fn stated(name: &str, numbers: &[f64]) -> Option<BoxSpec> {
        let attributes = Attributes::from([(name.to_owned(), Attribute::Floats(numbers.to_vec()))]);
        stated_box(Path::new("f.h5"), &attributes)?.spec.ok()
    }

    #[test]
    fn boxes_may_be_written_as_text() {
        let stated = |text: &str| {
            let attributes =
                Attributes::from([("BoxSize".to_owned(), Attribute::Text(text.to_owned()))]);
            stated_box(Path::new("f.h5"), &attributes)
        };
        let lengths = |text: &str| stated(text).unwrap().spec;
        assert_eq!(lengths("100"), Ok(BoxSpec::Lengths([Some(100.0); 3])));
        let three = BoxSpec::Lengths([1.0, 2.5, 3.0].map(Some));
        assert_eq!(lengths(" [1, 2.5 3e0]"), Ok(three));
        assert_eq!(stated(""), None);
        let none = stated("100 Mpc").unwrap();
        for given in [None, Some(BoxSpec::File)] {
            let said = resolved(given, &[&none]).unwrap_err().to_string();
            let part = "attribute `BoxSize` of f.h5: expected a length, three lengths or three vectors, found the text `100 Mpc`";
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(
            resolved(Some(three), &[&none]).unwrap().0.volume(),
            Some(7.5)
        );
        assert_eq!(
            resolved(Some(BoxSpec::Open), &[&none]).unwrap().0,
            Domain::Open
        );
    }

    #[test]
    fn boxes_are_found_in_attributes() {
        assert_eq!(
            stated("BoxSize", &[420.0]),
            Some(BoxSpec::Lengths([Some(420.0); 3]))
        );
        assert_eq!(
            stated("Header/BoxSize", &[1.0, 2.0, 3.0]),
            Some(BoxSpec::Lengths([1.0, 2.0, 3.0].map(Some)))
        );
        let diagonal = [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0];
        assert_eq!(
            stated("box/edges", &diagonal),
            Some(BoxSpec::Lengths([1.0, 2.0, 3.0].map(Some)))
        );
        let skewed = [1.0, 0.0, 0.0, 0.5, 2.0, 0.0, 0.0, 0.0, 3.0];
        assert!(matches!(
            stated("box/edges", &skewed),
            Some(BoxSpec::Vectors(_))
        ));
        assert_eq!(stated("BoxSize", &[1.0, 2.0]), None);
        assert_eq!(stated("Omega", &[0.3]), None);
    }

    fn resolved(given: Option<BoxSpec>, stated: &[&StatedBox]) -> Result<(Domain, Value)> {
        resolve(given, stated, &mut |_| ())
    }

    #[test]
    fn different_boxes_are_refused() {
        let of = |length: f64| StatedBox {
            source: format!("{length}"),
            spec: Ok(BoxSpec::Lengths([Some(length); 3])),
        };
        assert!(resolved(None, &[&of(1.0), &of(2.0)]).is_err());
        let (domain, _) = resolved(None, &[&of(1.0), &of(1.0)]).unwrap();
        assert_eq!(domain.volume(), Some(1.0));
        let open = resolved(Some(BoxSpec::Open), &[&of(1.0), &of(2.0)]).unwrap();
        assert_eq!(open.0, Domain::Open);
        assert_eq!(resolved(None, &[]).unwrap().0, Domain::Open);
        assert!(resolved(Some(BoxSpec::File), &[]).is_err());
    }
}
