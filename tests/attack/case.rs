//! One attack: samples, a space, bins and what is summed, as plain numbers that can be shrunk and printed.
//!
//! Entry: [`Case`]. [`Case::built`] makes the library's types of it, or tells what the library refuses.

use std::collections::BTreeSet;

use super::besides::{Besides, Dropped};
use albireo::binning::{BinAxis, Binning, PairOrder, Reach};
use albireo::engine::Traversal;
use albireo::separation::Separation;
use albireo::tally::{Legendre, Sum};
use albireo::{
    Axis, Domain, Edges, Lattice, LineOfSight, Outside, Particles, PeriodicBox, Points, RBins,
    RpPiBins, SMuBins, SignedEdges, ThetaBins,
};

/// The space, in plain numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Space {
    /// No boundary.
    Open,
    /// Lengths of the periodic axes.
    Box([Option<f64>; 3]),
    /// Vectors of a cell.
    Cell([[f64; 3]; 3]),
}

impl Space {
    /// The library's domain.
    pub fn domain(&self) -> Result<Domain, String> {
        Ok(match self {
            Self::Open => Domain::Open,
            Self::Box(lengths) => Domain::Periodic(PeriodicBox::new(*lengths).map_err(text)?),
            Self::Cell(vectors) => Domain::Triclinic(Lattice::new(*vectors).map_err(text)?),
        })
    }
}

/// The bins, in plain numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Bins {
    /// Edges of r.
    R(Vec<f64>),
    /// Edges of s and of mu.
    SMu(Vec<f64>, Vec<f64>, LineOfSight),
    /// Edges of rp and of pi.
    RpPi(Vec<f64>, Vec<f64>, LineOfSight),
    /// Edges of theta in degrees.
    Theta(Vec<f64>),
    /// Edges of s and of mu, only for pairs whose rp is not below the number: a binning that is not the library's.
    Cut(Vec<f64>, Vec<f64>, LineOfSight, f64),
}

impl Bins {
    /// The edges across and along, where there are any.
    pub fn edges(&mut self) -> [Option<&mut Vec<f64>>; 2] {
        match self {
            Self::R(across) | Self::Theta(across) => [Some(across), None],
            Self::SMu(across, along, _)
            | Self::RpPi(across, along, _)
            | Self::Cut(across, along, ..) => [Some(across), Some(along)],
        }
    }

    /// The line of sight, where there is one.
    pub fn line_of_sight(&self) -> Option<LineOfSight> {
        match self {
            Self::R(_) | Self::Theta(_) => None,
            Self::SMu(_, _, los) | Self::RpPi(_, _, los) | Self::Cut(_, _, los, _) => Some(*los),
        }
    }

    /// Whether a sign along the line of sight matters, so that an auto count holds both orders of a pair.
    pub fn signed(&self) -> bool {
        match self {
            Self::R(_) | Self::Theta(_) => false,
            Self::SMu(_, along, _) | Self::RpPi(_, along, _) | Self::Cut(_, along, ..) => {
                along.first().is_some_and(|&edge| edge < 0.0)
            }
        }
    }

    /// Whether the line of sight comes from an observer.
    pub fn observed(&self) -> bool {
        !matches!(self.line_of_sight(), None | Some(LineOfSight::Fixed(_)))
    }

    /// The edges that are lengths.
    fn lengths(&self) -> Vec<f64> {
        match self {
            Self::R(r) => r.clone(),
            Self::SMu(s, _, _) | Self::Cut(s, _, _, _) => s.clone(),
            Self::RpPi(rp, pi, _) => rp.iter().chain(pi).copied().collect(),
            Self::Theta(_) => vec![],
        }
    }
}

/// What is summed besides the pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summed {
    /// Nothing.
    Counts,
    /// Products of weights.
    Weights,
    /// Products of weights, and separations.
    Separations,
    /// Separations alone.
    Means,
    /// Separations, and the same times the weights.
    WeightedSeparations,
    /// Legendre sums, weighted or not, of the degrees that the bins and the pairs allow.
    Legendre,
}

impl Summed {
    /// The sums in bins with a line of sight or none, of pairs whose points have an order or none.
    pub fn sums(self, line_of_sight: bool, ordered: bool) -> Vec<Sum> {
        match self {
            Self::Counts => vec![],
            Self::Weights => vec![Sum::Product],
            Self::Separations => vec![Sum::Product, Sum::Separation],
            Self::Means => vec![Sum::Separation],
            Self::WeightedSeparations => vec![Sum::Separation, Sum::WeightedSeparation],
            Self::Legendre if !line_of_sight => vec![Sum::WeightedSeparation],
            Self::Legendre => (Legendre::ALL.into_iter())
                .filter(|l| ordered || !l.is_odd())
                .flat_map(|l| [Sum::WeightedLegendre(l), Sum::Legendre(l)])
                .collect(),
        }
    }

    /// Whether neither the double loop in C nor the command line has flags for the sums.
    pub fn is_new(self) -> bool {
        matches!(
            self,
            Self::Means | Self::WeightedSeparations | Self::Legendre
        )
    }
}

/// One attack.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Positions of the first sample, before they are placed in the domain.
    pub first: Vec<[f64; 3]>,
    /// Those of the second; none for an auto count.
    pub second: Option<Vec<[f64; 3]>>,
    /// Weights of each sample.
    pub weights: [Option<Vec<f64>>; 2],
    /// The space.
    pub space: Space,
    /// The bins.
    pub bins: Bins,
    /// What is summed.
    pub summed: Summed,
    /// How pairs are found.
    pub traversal: Traversal,
    /// Whether bins may reach beyond half the box, each pair under its nearest image.
    pub beyond_half: bool,
    /// Cuts and factors of the weights of pairs.
    pub besides: Besides,
    /// What the case is made of, for the census.
    pub classes: Vec<&'static str>,
    /// What it might have been made of.
    pub offered: BTreeSet<&'static str>,
}

/// A case as the library takes it.
pub struct Built {
    /// The domain.
    pub domain: Domain,
    /// Placed in it, or directions where bins are angles.
    pub first: Particles,
    /// Likewise.
    pub second: Option<Particles>,
    /// The bins.
    pub bins: albireo::Bins,
}

/// A refusal in words.
pub fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Case {
    /// The library's types.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn built(&self) -> Result<Built, String> {
        let domain = self.space.domain()?;
        let angular = matches!(self.bins, Bins::Theta(_));
        let sample = |rows: &[[f64; 3]], which: usize| {
            let points = Points::from_rows(rows).map_err(text)?;
            let particles = match &self.weights[which] {
                None => Particles::new(points),
                Some(w) => Particles::weighted(points, w.clone()).map_err(text)?,
            };
            let particles = if angular {
                particles.directions().map_err(text)?
            } else {
                domain.place(particles, Outside::Wrap).map_err(text)?
            };
            self.besides.of_sample(which, particles)
        };
        let first = sample(&self.first, 0)?;
        let second = match &self.second {
            None => None,
            Some(rows) => Some(sample(rows, 1)?),
        };
        let bins = self.bins.built()?;
        Ok(Built {
            domain,
            first,
            second,
            bins,
        })
    }

    /// Whether devices must refuse the case: only the library's binnings run there.
    pub fn is_unsupported(&self) -> bool {
        matches!(self.bins, Bins::Cut(..))
    }

    /// Whether bins reach beyond half the box: devices have no kernels for some of these, and what stands around them has the cpu count those.
    pub fn reaches_beyond(&self) -> bool {
        let refused = |built: Built| built.bins.admit(&built.domain).is_err();
        self.beyond_half && self.built().is_ok_and(refused)
    }

    /// Whether the lowest edge across is 0.
    pub fn begins_at_zero(&self) -> bool {
        match &self.bins {
            Bins::R(across)
            | Bins::Theta(across)
            | Bins::SMu(across, ..)
            | Bins::RpPi(across, ..)
            | Bins::Cut(across, ..) => across.first() == Some(&0.0),
        }
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.first.len() + self.second.as_ref().map_or(0, Vec::len)
    }

    /// All lengths of the case.
    fn lengths_mut(&mut self) -> Vec<&mut f64> {
        let rows = self
            .first
            .iter_mut()
            .chain(self.second.iter_mut().flatten());
        let mut all: Vec<&mut f64> = rows.flatten().collect();
        match &mut self.space {
            Space::Open => {}
            Space::Box(lengths) => all.extend(lengths.iter_mut().flatten()),
            Space::Cell(vectors) => all.extend(vectors.as_flattened_mut()),
        }
        match &mut self.bins {
            Bins::R(r) => all.extend(r),
            Bins::SMu(s, ..) => all.extend(s),
            Bins::RpPi(rp, pi, _) => all.extend(rp.iter_mut().chain(pi)),
            Bins::Theta(_) => {}
            Bins::Cut(s, _, _, least) => {
                all.extend(s);
                all.push(least);
            }
        }
        for cut in &mut self.besides.cuts {
            if let Dropped::Rp(rp, _) = cut {
                all.extend(rp);
            }
        }
        all
    }

    /// The largest length, position or edge.
    pub fn largest_length(&self) -> f64 {
        let mut copy = self.clone();
        let lengths = copy.lengths_mut();
        lengths.into_iter().fold(0.0, |most, v| v.abs().max(most))
    }

    /// Measures all lengths in units of `2^-exponent`.
    pub fn scale_by(&mut self, exponent: i32) {
        for length in self.lengths_mut() {
            *length = libm::scalbn(*length, exponent);
        }
    }

    /// Whether lengths lie outside the range in which the rule is defined, so that the count must be refused.
    pub fn out_of_range(&self, built: &Built) -> bool {
        let power = if self.bins.observed() { 240 } else { 440 };
        let (most, least) = (libm::scalbn(1.0, power), libm::scalbn(1.0, -power));
        let beyond = |sample: &Particles| {
            let columns = sample.points().columns();
            columns.iter().any(|c| c.iter().any(|x| x.abs() > most))
        };
        let lengths: Vec<f64> = match &self.space {
            Space::Open => vec![],
            Space::Box(lengths) => lengths.iter().flatten().copied().collect(),
            Space::Cell(vectors) => vectors.as_flattened().to_vec(),
        };
        beyond(&built.first)
            || built.second.as_ref().is_some_and(beyond)
            || lengths.iter().any(|l| l.abs() > most)
            || self
                .bins
                .lengths()
                .iter()
                .any(|&e| e.abs() > most || (e != 0.0 && e.abs() < least))
    }
}

impl Bins {
    fn built(&self) -> Result<albireo::Bins, String> {
        let across = |values: &Vec<f64>| Edges::new(values.clone()).map_err(text);
        let along = |values: &Vec<f64>| SignedEdges::new(values.clone()).map_err(text);
        let s_mu = |s, mu, los| SMuBins::new(across(s)?, along(mu)?, los).map_err(text);
        Ok(match self {
            Self::R(r) => RBins::new(across(r)?).into(),
            Self::SMu(s, mu, los) => s_mu(s, mu, *los)?.into(),
            Self::RpPi(rp, pi, los) => {
                let bins = RpPiBins::new(across(rp)?, along(pi)?, *los).map_err(text)?;
                bins.into()
            }
            Self::Theta(theta) => ThetaBins::new(across(theta)?).map_err(text)?.into(),
            Self::Cut(s, mu, los, least) => CutBins {
                inner: s_mu(s, mu, *los)?,
                los: *los,
                least: *least,
            }
            .into(),
        })
    }
}

/// (s, mu) without the pairs whose rp is below a number: what a user of the library may write.
#[derive(Debug, Clone, PartialEq)]
pub struct CutBins {
    inner: SMuBins,
    los: LineOfSight,
    least: f64,
}

impl CutBins {
    fn rp2(&self, sep: &Separation) -> f64 {
        let l = match self.los {
            LineOfSight::Fixed(axis) => Axis::ALL.map(|a| f64::from(u8::from(a == axis))),
            LineOfSight::Midpoint => albireo::separation::sum(sep.x1, sep.x2),
            LineOfSight::First => sep.x1,
            LineOfSight::End => sep.x2,
        };
        let (dl, l2) = (
            albireo::separation::dot(sep.d, l),
            albireo::separation::norm2(l),
        );
        if l2 == 0.0 {
            return sep.r2;
        }
        sep.r2 - dl * dl / l2
    }
}

impl Binning for CutBins {
    fn shape(&self) -> Vec<usize> {
        self.inner.shape()
    }

    fn axes(&self) -> Vec<BinAxis> {
        self.inner.axes()
    }

    fn bin(&self, sep: &Separation) -> Option<usize> {
        if self.rp2(sep) < self.least * self.least {
            return None;
        }
        self.inner.bin(sep)
    }

    fn order(&self) -> PairOrder {
        self.inner.order()
    }

    fn reach(&self) -> Reach {
        self.inner.reach()
    }

    fn line_of_sight(&self) -> Option<LineOfSight> {
        self.inner.line_of_sight()
    }

    fn coordinate(&self, sep: &Separation) -> f64 {
        self.inner.coordinate(sep)
    }

    fn coordinate_limit(&self) -> f64 {
        self.inner.coordinate_limit()
    }
}
