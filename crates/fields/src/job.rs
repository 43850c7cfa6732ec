//! A sum per target as plain data: sources, a term, targets, and the fixed point that holds every sum.

use albireo::domain::Domain;
use albireo::{Points, pool};

use super::cells::{Cells, Sources, most_within};
use super::frame::{Fractions, Frame};
use super::scale::{Extremes, FixedScale, Precision};
use super::targets::Targets;
use super::term::Term;
use crate::error::{FieldError, Result};

/// The farthest coordinate.
const FARTHEST: f64 = 1e100;

/// The widths of a cell, in reaches: small enough to leave out most of what is out of reach.
pub(super) const CELLS_IN_REACH: f64 = 4.0;

/// Which sources act on which targets, how, in which space.
///
/// ```
/// use albireo::engine::Cpu;
/// use albireo_fields::{FieldEngine};
/// use albireo_fields::{Cutoff, FieldJob, Grid, Targets, Term};
/// use albireo::engine::Silent;
/// use albireo::{Domain, Points};
///
/// let dipole = Points::from_rows(&[[0.0, 0.0, 0.5], [0.0, 0.0, -0.5]])?;
/// let grid = Grid::orthogonal([1.0, 0.0, -1.0], [1.0, 1.0, 1.0], [3, 1, 3])?;
/// let term = Term::coulomb(Cutoff::None, 0.1)?;
/// let job = FieldJob::new(&dipole, &[1.0, -1.0], &Domain::Open, term, Targets::Grid(grid))?;
/// let potential = Cpu::new().field(&job, job.targets().planes(), &Silent)?.values();
/// assert_eq!(potential[1], 0.0, "between the charges");
/// assert!((potential[2] - (1.0 / 1.25f64.sqrt() - 1.0 / 3.25f64.sqrt())).abs() < job.scale().error_bound);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct FieldJob {
    term: Term,
    frame: Frame,
    cells: Cells,
    targets: Targets,
    extremes: Extremes,
    scale: FixedScale,
    /// How far terms may reach in the domain.
    limit: f64,
}

impl FieldJob {
    /// A job with a strength (charge, mass) for each source, in double precision.
    ///
    /// # Errors
    /// No sources, no targets, strengths that are not finite or all 0 or more or fewer than sources, a reach beyond half of a periodic
    /// domain, positions outside it, coordinates beyond 1e100, sums outside the range of float64, products over the axes in a triclinic cell,
    /// a Lennard-Jones term.
    pub fn new(
        sources: &Points,
        strengths: &[f64],
        domain: &Domain,
        term: Term,
        targets: Targets,
    ) -> Result<Self> {
        if term.has_sizes() {
            return Err(FieldError::Sizes);
        }
        Self::of_sources(sources, [strengths, &[]], domain, term, targets)
    }

    /// A job of [`Term::lennard_jones`], with the epsilon and the sigma that each source has with the probe.
    ///
    /// # Errors
    /// As [`FieldJob::new`]; another term, epsilons that are negative, sigmas that are not positive or beyond 1e100.
    pub fn lennard_jones(
        sources: &Points,
        (epsilon, sigma): (&[f64], &[f64]),
        domain: &Domain,
        term: Term,
        targets: Targets,
    ) -> Result<Self> {
        if !term.has_sizes() || epsilon.len() != sigma.len() {
            return Err(FieldError::Sizes);
        }
        let wrong = |what, expected, values: &[f64], good: &dyn Fn(f64) -> bool| {
            let row = values.iter().position(|&value| !good(value));
            row.map_or(Ok(()), |row| {
                Err(FieldError::Size {
                    what,
                    expected,
                    row,
                    found: values[row],
                })
            })
        };
        let not_negative = |e: f64| e >= 0.0 && e.is_finite();
        wrong("epsilon", "finite and not negative", epsilon, &not_negative)?;
        wrong("sigma", "from 1e-100 to 1e100", sigma, &|s| {
            (1e-100..=1e100).contains(&s)
        })?;
        let strengths: Vec<f64> = epsilon.iter().map(|epsilon| 4.0 * epsilon).collect();
        let sizes: Vec<f64> = sigma.iter().map(|sigma| sigma * sigma).collect();
        Self::of_sources(sources, [&strengths, &sizes], domain, term, targets)
    }

    fn of_sources(
        sources: &Points,
        [strengths, sizes]: [&[f64]; 2],
        domain: &Domain,
        term: Term,
        targets: Targets,
    ) -> Result<Self> {
        check(sources, strengths, domain, &term, &targets)?;
        let frame = frame_of(sources, domain, &targets)?;
        let fractions = pool::each(sources.len(), |row| frame.fractions(sources.at(row)));
        let fractions = fractions.into_iter().collect::<Result<Vec<_>, _>>()?;
        let largest = |values: &[f64]| values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let extremes = Extremes {
            strongest: largest(strengths),
            size: if sizes.is_empty() {
                1.0
            } else {
                largest(sizes)
            },
            most_terms: most_within(&frame, &fractions, term.reach()),
        };
        let scale = FixedScale::new(&frame, extremes, &term, Precision::Double)?;
        let scaled = strengths.iter().map(|q| libm::scalbn(*q, -scale.exponent));
        let sources = Sources {
            fractions,
            strengths: scaled.collect(),
            sizes: sizes.to_vec(),
        };
        let cells = Cells::new(&frame, &sources, term.reach() / CELLS_IN_REACH);
        Ok(Self {
            term,
            frame,
            cells,
            targets,
            extremes,
            scale,
            limit: domain.reach(),
        })
    }

    /// How many sources are within a distance of each target, as a sum that is 0 where there is none; nothing for the distance 0.
    ///
    /// # Errors
    /// A distance that is negative or beyond half of a periodic domain.
    pub(crate) fn within(&self, distance: f64) -> Result<Option<Self>> {
        if distance == 0.0 {
            return Ok(None);
        }
        let term = Term::top_hat(distance)?;
        if distance > self.limit {
            let (reach, limit) = (distance, self.limit);
            return Err(FieldError::Reach { reach, limit });
        }
        let fractions = self.sources();
        let extremes = Extremes {
            strongest: 1.0,
            size: 1.0,
            most_terms: most_within(&self.frame, fractions, distance),
        };
        let scale = FixedScale::new(&self.frame, extremes, &term, Precision::Double)?;
        let sources = Sources {
            fractions: fractions.to_vec(),
            strengths: vec![libm::scalbn(1.0, -scale.exponent); fractions.len()],
            sizes: vec![],
        };
        Ok(Some(Self {
            cells: Cells::new(&self.frame, &sources, distance / CELLS_IN_REACH),
            term,
            frame: self.frame.clone(),
            targets: self.targets.clone(),
            extremes,
            scale,
            limit: self.limit,
        }))
    }

    /// A number that tells jobs apart by their sources, strengths and fixed point: of others it is another, but once in 2^64 times.
    pub fn fingerprint(&self) -> u64 {
        let sources = self.cells.sources();
        let words = sources.fractions.iter().flatten().copied();
        let parameters = sources.strengths.iter().chain(&sources.sizes);
        let words = words.chain(parameters.map(|value| value.to_bits()));
        let start = u64::from(self.scale.exponent.unsigned_abs());
        // The finaliser of SplitMix64 (Steele, Lea & Flood 2014, DOI 10.1145/2714064.2660195) over each word in turn.
        words.fold(start, |mixed, word| {
            let mut x = (mixed ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            x ^ (x >> 31)
        })
    }

    /// The same job with terms of this precision.
    ///
    /// # Errors
    /// Lengths or powers of them that float32 does not hold.
    pub fn with_precision(mut self, precision: Precision) -> Result<Self> {
        self.rescale(precision)?;
        Ok(self)
    }

    /// The same job with room for so many further sources, as strong as this or weaker.
    ///
    /// # Errors
    /// Sums outside the range of float64.
    pub fn with_room(mut self, further: u64, strongest: f64) -> Result<Self> {
        self.extremes.strongest = self.extremes.strongest.max(strongest.abs());
        self.extremes.most_terms += further;
        self.rescale(self.scale.precision)?;
        Ok(self)
    }

    /// The same targets and fixed point for one source alone, which lies on a target and is no stronger than there is room for.
    ///
    /// # Errors
    /// Sources with sizes; a strength that is not finite or stronger than that.
    pub(crate) fn of_one(&self, target: usize, strength: f64) -> Result<Self> {
        if self.term.has_sizes() {
            return Err(FieldError::Sizes);
        }
        if strength.abs() > self.extremes.strongest || strength.is_nan() {
            return Err(FieldError::NotFinite {
                row: 0,
                value: strength,
            });
        }
        let sources = Sources {
            fractions: vec![self.target(target)],
            strengths: vec![libm::scalbn(strength, -self.scale.exponent)],
            sizes: vec![],
        };
        let cells = Cells::new(&self.frame, &sources, self.term.reach() / CELLS_IN_REACH);
        Ok(Self {
            cells,
            term: self.term.clone(),
            frame: self.frame.clone(),
            targets: self.targets.clone(),
            ..*self
        })
    }

    /// Brings strengths, exactly, to the unit of this precision.
    fn rescale(&mut self, precision: Precision) -> Result<()> {
        let scale = FixedScale::new(&self.frame, self.extremes, &self.term, precision)?;
        let shift = self.scale.exponent - scale.exponent;
        for strength in self.cells.strengths_mut() {
            *strength = libm::scalbn(*strength, shift);
        }
        self.scale = scale;
        Ok(())
    }

    /// The term.
    pub fn term(&self) -> &Term {
        &self.term
    }

    /// The targets.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// Number of sources.
    pub fn n_sources(&self) -> usize {
        self.sources().len()
    }

    /// How sums are held, with their error bound.
    pub fn scale(&self) -> FixedScale {
        self.scale
    }

    pub(crate) fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The sources by cells; strengths are in units of the fixed point.
    pub(crate) fn cells(&self) -> &Cells {
        &self.cells
    }

    pub(crate) fn sources(&self) -> &[Fractions] {
        &self.cells.sources().fractions
    }

    /// The square of `r_min`.
    pub(crate) fn least2(&self) -> f64 {
        self.term.r_min() * self.term.r_min()
    }

    /// The fractions of a target; all of them have some, as those of the corners do.
    pub(crate) fn target(&self, number: usize) -> Fractions {
        self.frame
            .fractions(self.targets.at(number))
            .unwrap_or_default()
    }
}

/// The frame of all positions, those of the targets between their corners.
fn frame_of(sources: &Points, domain: &Domain, targets: &Targets) -> Result<Frame> {
    let mut farthest = [0.0f64; 3];
    let corners = targets.corners();
    let far = (0..sources.len()).map(|row| sources.at(row));
    for position in far.chain(corners.iter().map(|&number| targets.at(number))) {
        if !position.iter().all(|x| x.abs() <= FARTHEST) {
            return Err(FieldError::Far { position });
        }
        farthest = std::array::from_fn(|k| farthest[k].max(position[k].abs()));
    }
    let frame = Frame::new(domain, farthest);
    for &number in &corners {
        frame.fractions(targets.at(number))?;
    }
    Ok(frame)
}

fn check(
    sources: &Points,
    strengths: &[f64],
    domain: &Domain,
    term: &Term,
    targets: &Targets,
) -> Result<()> {
    if sources.is_empty() {
        return Err(FieldError::Empty { what: "sources" });
    }
    if targets.is_empty() {
        return Err(FieldError::Empty { what: "targets" });
    }
    if sources.len() != strengths.len() {
        return Err(FieldError::Strengths {
            sources: sources.len(),
            strengths: strengths.len(),
        });
    }
    if let Some(row) = strengths.iter().position(|q| !q.is_finite()) {
        let value = strengths[row];
        return Err(FieldError::NotFinite { row, value });
    }
    if strengths.iter().all(|&q| q == 0.0) {
        return Err(FieldError::NoStrength {
            sources: sources.len(),
        });
    }
    if term.is_product() && matches!(domain, Domain::Triclinic(_)) {
        return Err(FieldError::Axes);
    }
    let (reach, limit) = (term.reach(), domain.reach());
    if domain.is_periodic() && !reach.is_finite() {
        return Err(FieldError::Endless);
    }
    if reach > limit {
        return Err(FieldError::Reach { reach, limit });
    }
    Ok(domain.check(sources)?)
}
