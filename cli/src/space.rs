//! The domain of a command: from `--box`, or from what the files state.
//!
//! Entry: [`resolve`]. Positions are placed in it by `inputs`.

use std::path::Path;

use albireo::{Domain, Lattice, LineOfSight, PeriodicBox};
use albireo_catalogs::Attributes;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::args::{BoxSpec, LosName};

/// A box that a file states.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StatedBox {
    /// Where it stands: the attribute and the file.
    pub(crate) source: String,
    pub(crate) spec: BoxSpec,
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

/// The box among the attributes of a file: one length, three lengths or three vectors.
pub(crate) fn stated_box(path: &Path, attributes: &Attributes) -> Option<StatedBox> {
    NAMES.iter().find_map(|wanted| {
        let named = |key: &str| key == *wanted || key.ends_with(&format!("/{wanted}"));
        let (key, value) = attributes.iter().find(|(key, _)| named(key))?;
        let numbers = value.as_floats()?;
        let spec = match numbers[..] {
            [length] => BoxSpec::Lengths([Some(length); 3]),
            [x, y, z] => BoxSpec::Lengths([x, y, z].map(Some)),
            [ax, 0.0, 0.0, 0.0, by, 0.0, 0.0, 0.0, cz] => BoxSpec::Lengths([ax, by, cz].map(Some)),
            [ax, ay, az, bx, by, bz, cx, cy, cz] => {
                BoxSpec::Vectors([[ax, ay, az], [bx, by, bz], [cx, cy, cz]])
            }
            _ => return None,
        };
        Some(StatedBox {
            source: format!("attribute `{key}` of {}", path.display()),
            spec,
        })
    })
}

fn domain_of(spec: BoxSpec) -> Result<Domain> {
    Ok(match spec {
        BoxSpec::Open | BoxSpec::File | BoxSpec::Lengths([None, None, None]) => Domain::Open,
        BoxSpec::Lengths(lengths) => Domain::Periodic(PeriodicBox::new(lengths)?),
        BoxSpec::Vectors(vectors) => Domain::Triclinic(Lattice::new(vectors)?),
    })
}

/// The one box that the files state, if any; different ones are refused.
fn common(stated: &[&StatedBox]) -> Result<Option<StatedBox>> {
    let Some((first, rest)) = stated.split_first() else {
        return Ok(None);
    };
    if let Some(other) = rest.iter().find(|other| other.spec != first.spec) {
        bail!(
            "the files state different boxes: {} and {}; choose by --box",
            first.source,
            other.source
        );
    }
    Ok(Some((*first).clone()))
}

/// The domain, with a record of where it comes from: `--box`, else the box that the files state, else open space.
pub(crate) fn resolve(given: Option<BoxSpec>, stated: &[&StatedBox]) -> Result<(Domain, Value)> {
    let from_files = match given {
        None | Some(BoxSpec::File) => common(stated)?,
        Some(_) => None,
    };
    if given == Some(BoxSpec::File) && from_files.is_none() {
        bail!("--box file: the file states no box (no attribute such as BoxSize or box/edges)");
    }
    let (spec, source) = match (from_files, given) {
        (Some(stated), _) => (stated.spec, stated.source),
        (None, Some(given)) => (given, "--box".to_owned()),
        (None, None) => (BoxSpec::Open, "default".to_owned()),
    };
    let domain = domain_of(spec).with_context(|| source.clone())?;
    if given.is_none() && domain.is_periodic() {
        tracing::info!(
            "box: {}, from {source}; --box none for open space",
            described(&domain)
        );
    }
    let record = record(&domain, &source);
    Ok((domain, record))
}

/// A periodic domain in a few words.
fn described(domain: &Domain) -> String {
    match domain {
        Domain::Open => "open space".to_owned(),
        Domain::Periodic(cell) => {
            let length = |length: Option<f64>| length.map_or("open".to_owned(), |l| l.to_string());
            let lengths = cell.lengths().map(length);
            format!("periodic, {}", lengths.join(" x "))
        }
        Domain::Triclinic(lattice) => {
            let [a, b, c] = lattice.vectors();
            format!("periodic, {a:?} {b:?} {c:?}")
        }
    }
}

fn record(domain: &Domain, source: &str) -> Value {
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

/// The line of sight: as given, else z in a box and the midpoint in open space.
pub(crate) fn line_of_sight(given: Option<LosName>, domain: &Domain) -> LineOfSight {
    let default = if domain.is_periodic() {
        LosName::Z
    } else {
        LosName::Midpoint
    };
    given.unwrap_or(default).into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use albireo_catalogs::Value as Attribute;

    fn stated(name: &str, numbers: &[f64]) -> Option<BoxSpec> {
        let attributes = Attributes::from([(name.to_owned(), Attribute::Floats(numbers.to_vec()))]);
        stated_box(Path::new("f.h5"), &attributes).map(|stated| stated.spec)
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

    #[test]
    fn different_boxes_are_refused() {
        let of = |length: f64| StatedBox {
            source: format!("{length}"),
            spec: BoxSpec::Lengths([Some(length); 3]),
        };
        assert!(resolve(None, &[&of(1.0), &of(2.0)]).is_err());
        let (domain, _) = resolve(None, &[&of(1.0), &of(1.0)]).unwrap();
        assert_eq!(domain.volume(), Some(1.0));
        let open = resolve(Some(BoxSpec::Open), &[&of(1.0), &of(2.0)]).unwrap();
        assert_eq!(open.0, Domain::Open);
        assert_eq!(resolve(None, &[]).unwrap().0, Domain::Open);
        assert!(resolve(Some(BoxSpec::File), &[]).is_err());
    }
}
