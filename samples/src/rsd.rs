//! Positions of a snapshot in redshift space: the distant observer looks along an axis of the box.
//!
//! Entry: [`Shift::of`]. The formula is that of `albireo::cosmology`; the box is closed again by `placing`.

use std::path::Path;

use albireo::Axis;
use albireo::cosmology::{Cosmology, shift_per_velocity};
use albireo_catalogs::TableDescription;
use serde_json::{Value, json};

use crate::columns::Place;
use crate::error::{Result, SampleError};
use crate::notice::Notice;
use crate::snapshot_header::{SnapshotHeader, last_part};
use crate::units::{Unit, length_factor};

/// Parameters of two cosmologies are the same up to this, as headers round them.
const ROUNDING: f64 = 1e-4;

/// What is added to positions along an axis: a multiple of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shift {
    pub(crate) axis: Axis,
    /// The component of the velocities along the axis.
    pub(crate) column: String,
    /// What it is multiplied by.
    factor: f64,
    redshift: f64,
    record: Value,
}

/// The snapshot whose positions are moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved<'a> {
    pub(crate) path: &'a Path,
    pub(crate) outline: &'a TableDescription,
    pub(crate) place: &'a Place,
    /// The unit of the positions, where it is known.
    pub(crate) unit: Option<&'a str>,
    /// The cosmology that is given.
    pub(crate) cosmology: Option<&'a Cosmology>,
}

impl Shift {
    /// The shift of a snapshot's positions along an axis.
    pub(crate) fn of(snapshot: Moved<'_>, axis: Axis) -> Result<Self> {
        let header = SnapshotHeader(&snapshot.outline.attributes);
        let missing = |missing: &str| snapshot.missing(missing);
        let (name, kms) = snapshot.velocities(header)?;
        let redshift = header
            .number(&["Redshift", "Cosmology/Redshift"])
            .filter(|&z| z > -1.0)
            .ok_or_else(|| missing("expected an attribute `Redshift` in the header, found none"))?;
        if !header.is_cosmological() {
            return Err(missing(
                "the snapshot is none of an expanding universe, as its header says",
            ));
        }
        let cosmology = snapshot.universe(header)?;
        let of_header = header.expansion();
        let e = of_header.or_else(|| cosmology.e(redshift).ok());
        let e = e.ok_or_else(|| missing("its universe does not expand at its redshift"))?;
        let unit = snapshot.unit.ok_or_else(|| {
            missing("the unit of the positions is not known: name it by --unit, such as kpc/h")
        })?;
        let h = header.h().or(cosmology.h());
        let length = length_factor(&Unit::MPC_H.to_string(), unit, h);
        let length = length.map_err(|reason| {
            SampleError::Input(format!(
                "{}: --rsd moves positions by Mpc/h, which are not converted into {unit}: {reason}",
                snapshot.path.display()
            ))
        })?;
        let factor = kms.at(redshift) * shift_per_velocity(redshift, e) * length;
        Ok(Self {
            axis,
            column: format!("{name}[{}]", axis.index()),
            factor,
            redshift,
            record: json!({
                "axis": axis.name(), "velocities": name, "redshift": redshift, "e": e, "factor": factor,
                "cosmology": cosmology,
            }),
        })
    }

    /// The velocities as what is added to positions.
    pub(crate) fn times(&self, mut velocities: Vec<f64>) -> Vec<f64> {
        for velocity in &mut velocities {
            *velocity *= self.factor;
        }
        velocities
    }

    /// Says how positions are moved.
    pub(crate) fn notice(&self, path: &Path) -> Notice {
        Notice::note(format!(
            "{}: in redshift space along {}: {} times `{}` is added (redshift {})",
            path.display(),
            self.axis.name(),
            self.factor,
            self.column,
            self.redshift
        ))
    }

    /// Notes in the record of a sample how its positions were moved.
    pub(crate) fn note(&self, record: &mut Value) {
        record["redshift_space"] = self.record.clone();
    }
}

/// What a velocity of a file is multiplied by to be a peculiar one in km/s.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Kms {
    unit: f64,
    /// The power of the scale factor.
    power: f64,
}

impl Kms {
    fn at(self, redshift: f64) -> f64 {
        self.unit * (1.0 + redshift).powf(-self.power)
    }
}

impl Moved<'_> {
    fn missing(&self, missing: &str) -> SampleError {
        SampleError::Input(format!("{}: --rsd: {missing}", self.path.display()))
    }

    /// The column of the velocities that belong to the positions, and what their numbers mean.
    fn velocities(&self, header: SnapshotHeader<'_>) -> Result<(String, Kms)> {
        let none = || {
            SampleError::Input(format!(
                "{}: --rsd: expected positions of a snapshot (Coordinates, SubhaloPos, GroupPos, x_L2com, pos) with a header of GADGET, AREPO, \
                 SWIFT or Abacus, found {}; of other files give s = x + v (1+z)/H(z) as an expression in --positions",
                self.path.display(),
                self.place.columns().join(", ")
            ))
        };
        let Place::Vector(positions) = self.place else {
            return Err(none());
        };
        let position = last_part(positions);
        let group = &positions[..positions.len() - position.len()];
        let (name, kms) = velocity_of(header, position).ok_or_else(none)?;
        let name = format!("{group}{name}");
        let mut columns = self.outline.columns.iter();
        let column = columns.find(|column| column.name == name && column.width == 3);
        // Columns of other tables than the one that is read are not listed.
        let unit = match column {
            Some(column) => column.unit.as_deref(),
            None if group.is_empty() => {
                return Err(SampleError::Input(format!(
                    "{}: --rsd: expected velocities of three components in the column `{name}`, found none",
                    self.path.display()
                )));
            }
            None => None,
        };
        match unit.filter(|unit| header.is_swift() && *unit != "U_L U_t^-1") {
            None => Ok((name, kms)),
            Some(unit) => Err(SampleError::Input(format!(
                "{}: --rsd: expected peculiar velocities in `{name}` (U_L U_t^-1), found {unit}",
                self.path.display()
            ))),
        }
    }

    /// The universe of the header, else the one that is given; of both, they must be one.
    fn universe(&self, header: SnapshotHeader<'_>) -> Result<Cosmology> {
        let stated = header
            .universe()
            .transpose()
            .map_err(|error| self.missing(&error.to_string()))?;
        match (stated, self.cosmology) {
            (Some(stated), Some(given)) if !is_one(&stated, given) => {
                Err(SampleError::Input(format!(
                    "{}: --cosmology has {}, the header states {}: leave --cosmology out",
                    self.path.display(),
                    described(given),
                    described(&stated)
                )))
            }
            (Some(stated), _) => Ok(stated),
            (None, Some(given)) => Ok(*given),
            (None, None) => Err(self.missing(
                "its header states no universe (Omega0, OmegaLambda): give it by --cosmology",
            )),
        }
    }
}

/// The velocities beside positions of this name, and what their numbers mean: Springel 2005 (GADGET: over the root of the scale factor), AREPO's
/// group catalogues (of subhalos as they are, of groups times the scale factor), SWIFT and Abacus (peculiar ones).
fn velocity_of(header: SnapshotHeader<'_>, positions: &str) -> Option<(String, Kms)> {
    let plain = Kms {
        unit: 1.0,
        power: 0.0,
    };
    if header.is_abacus() {
        let of_halo = positions.strip_prefix("x_").map(|name| format!("v_{name}"));
        let name = of_halo.or_else(|| (positions == "pos").then(|| "vel".to_owned()))?;
        return Some((name, plain));
    }
    if header.is_swift() {
        let length = header.number(&["Units/Unit length in cgs (U_L)"])?;
        let time = header.number(&["Units/Unit time in cgs (U_t)"])?;
        let unit = length / time / 1e5;
        let own = positions == "Coordinates";
        return own.then(|| ("Velocities".to_owned(), Kms { unit, ..plain }));
    }
    let names = [
        "Parameters/UnitVelocity_in_cm_per_s",
        "UnitVelocity_in_cm_per_s",
    ];
    let unit = header.number(&names).unwrap_or(1e5) / 1e5;
    let known = [
        ("Coordinates", "Velocities", 0.5),
        ("SubhaloPos", "SubhaloVel", 0.0),
        ("GroupPos", "GroupVel", -1.0),
    ];
    let known = known.into_iter().filter(|_| header.is_gadget());
    let mut known = known.filter(|(of, ..)| *of == positions);
    let (_, name, power) = known.next()?;
    Some((name.to_owned(), Kms { unit, power }))
}

/// Whether both are one universe, up to what headers round.
fn is_one(stated: &Cosmology, given: &Cosmology) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= ROUNDING;
    let (a, b) = (stated.dark_energy(), given.dark_energy());
    let h = stated.h().zip(given.h());
    near(stated.omega_m(), given.omega_m())
        && near(stated.omega_lambda(), given.omega_lambda())
        && near(a.0, b.0)
        && near(a.1, b.1)
        && h.is_none_or(|(a, b)| near(a, b))
}

/// The parameters of a universe, as --cosmology takes them.
fn described(cosmology: &Cosmology) -> String {
    let (w0, wa) = cosmology.dark_energy();
    let h = cosmology.h().map_or(String::new(), |h| format!(",h={h}"));
    format!(
        "om={},ol={},w0={w0},wa={wa}{h}",
        cosmology.omega_m(),
        cosmology.omega_lambda()
    )
}
