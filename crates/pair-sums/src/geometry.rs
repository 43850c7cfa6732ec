//! Where pairs are: the ranges of their separations and the line of sight.
//!
//! Entry: [`Geometry`].

use albireo::{Bins, Domain, Edges, LineOfSight};

use crate::graph::Atom;

/// 1 + 2^-40: beyond all roundings of a few operations.
pub(crate) const BEYOND: f64 = 1.0 + f64::from_bits((1023 - 40) << 52);

/// The bins and the domain of a count, as bounds need them.
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    los: Option<LineOfSight>,
    periodic: bool,
    /// How far the components of separations reach.
    pub(crate) reach: [f64; 3],
    /// Least and largest separation, squared too.
    pub(crate) r: [f64; 2],
    pub(crate) r2: [f64; 2],
    /// The largest separation across the line of sight.
    pub(crate) rp: f64,
    /// The first bin in r.
    pub(crate) first_bin: [f64; 2],
}

impl Geometry {
    /// That of pairs in these bins.
    pub fn of(bins: &Bins, domain: &Domain) -> Self {
        let (edges, across) = match bins {
            Bins::R(bins) => (Some(bins.edges()), None),
            Bins::SMu(bins) => (Some(bins.s_edges()), None),
            Bins::Theta(bins) => (Some(bins.chords()), None),
            Bins::RpPi(bins) => (None, Some(bins.rp_edges())),
            Bins::Custom(_) => (None, None),
        };
        // Separations that are compared with edges are as long; of others the rule may have rounded.
        let beyond = if edges.is_some() { 1.0 } else { BEYOND };
        let last = bins.reach().radius() * beyond;
        let first = edges.or(across).map_or(0.0, |edges| edges.values()[0]);
        let widened = if across.is_some() { 1.0 } else { beyond };
        let second = edges.or(across).map_or(last, |edges| edges.values()[1]);
        Self {
            los: bins.line_of_sight(),
            periodic: domain.is_periodic(),
            reach: bins.reach().along_axes().map(|reach| reach * widened),
            r: [
                if first > 0.0 { first.next_down() } else { 0.0 },
                last.next_up(),
            ],
            r2: [first * first, (last * last) * beyond],
            rp: across.map_or(last, Edges::last).next_up(),
            first_bin: [first, second],
        }
    }

    /// The same with a line of sight, where the bins have none.
    #[must_use]
    pub fn with_line_of_sight(self, los: LineOfSight) -> Self {
        Self {
            los: self.los.or(Some(los)),
            ..self
        }
    }

    /// The line of sight, of the bins or given.
    pub fn line_of_sight(&self) -> Option<LineOfSight> {
        self.los
    }

    /// Whether shapes are those of the sky, rather than across an axis.
    pub(crate) fn is_sky(&self) -> bool {
        !self.periodic && !matches!(self.los, Some(LineOfSight::Fixed(_)))
    }

    /// Whether a part of a pair has a meaning here, or why not.
    pub(crate) fn admit(&self, atom: Atom) -> Result<(), String> {
        let is_fixed = matches!(self.los, Some(LineOfSight::Fixed(_)));
        let name = match atom {
            Atom::Los(_) => "los",
            Atom::Dlos => "dlos",
            Atom::Rp => "rp",
            Atom::Mu | Atom::Legendre(_) => "mu",
            Atom::Cos2Phi(None) | Atom::Sin2Phi(None) if !is_fixed => {
                return Err(
                    "cos2phi and sin2phi are measured across a fixed axis: expected --los x, y or z, or, on the sky, the frame of one object as in j.cos2phi"
                        .to_owned(),
                );
            }
            Atom::Cos2Phi(Some(_)) | Atom::Sin2Phi(Some(_)) if self.periodic => {
                return Err("angles on the sky have no meaning in a periodic box: write cos2phi or sin2phi, across the axis of --los".to_owned());
            }
            _ => return Ok(()),
        };
        match self.los {
            None => Err(format!(
                "{name} needs a line of sight: expected bins in (s, mu) or (rp, pi), or --los"
            )),
            Some(los) if self.periodic && !is_fixed => Err(format!(
                "{name} in a periodic box: expected the line of sight x, y or z, found {}",
                los.name()
            )),
            Some(_) => Ok(()),
        }
    }
}
