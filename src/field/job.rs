//! A sum per target as plain data: sources, a term, targets, and the fixed point that holds every sum.

use super::cells::most_within;
use super::frame::{Fractions, Frame};
use super::targets::Targets;
use super::term::Term;
use crate::domain::Domain;
use crate::error::FieldError;
use crate::fixed_point::exponent;
use crate::particles::Points;
use crate::pool;

/// The farthest coordinate.
const FARTHEST: f64 = 1e100;

/// Exponents of the fixed point: the scaled strengths and what sums stand for are normal numbers.
const EXPONENTS: std::ops::RangeInclusive<i32> = -900..=900;

/// Bits of the largest term: below what lanes can round by adding a number.
const MOST_BITS: u32 = 50;

/// Bits of the largest sum: a margin of one below the sign.
const SUM_BITS: u32 = 62;

/// How sums are held: multiples of 2^exponent in 64 bits, the same for the whole job, whatever part of it is done.
///
/// The exponent is the least for which the largest term has at most 50 bits and the most terms that a target can have, together, 62; so
/// no sum can overflow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixedScale {
    /// What a unit of a sum stands for is 2 to this power.
    pub exponent: i32,
    /// No target has more terms than this: sources within reach of any point.
    pub most_terms: u64,
    /// No term is larger: that of the strongest source at `r_min`.
    pub largest_term: f64,
    /// No sum is farther from that of the same terms of real numbers, at the positions of the fractions.
    pub error_bound: f64,
    /// No position is farther, along an axis, from where it was given.
    pub position_error: f64,
}

/// Which sources act on which targets, how, in which space.
///
/// ```
/// use albireo::engine::{Cpu, FieldEngine};
/// use albireo::field::{Cutoff, FieldJob, Grid, Targets, Term};
/// use albireo::{Domain, Points, Silent};
///
/// let dipole = Points::from_rows(&[[0.0, 0.0, 0.5], [0.0, 0.0, -0.5]])?;
/// let grid = Grid::orthogonal([1.0, 0.0, -1.0], [1.0, 1.0, 1.0], [3, 1, 3])?;
/// let term = Term::coulomb(Cutoff::None, 0.1)?;
/// let job = FieldJob::new(&dipole, &[1.0, -1.0], &Domain::Open, term, Targets::Grid(grid))?;
/// let potential = Cpu::new().field(&job, job.targets().planes(), &Silent)?.values();
/// assert_eq!(potential[1], 0.0, "between the charges");
/// assert!((potential[2] - (1.0 / 1.25f64.sqrt() - 1.0 / 3.25f64.sqrt())).abs() < job.scale().error_bound);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FieldJob {
    term: Term,
    frame: Frame,
    sources: Vec<Fractions>,
    strengths: Vec<f64>,
    targets: Targets,
    scale: FixedScale,
}

impl FieldJob {
    /// A job with a strength (charge, mass) for each source.
    ///
    /// # Errors
    /// No sources, no targets, strengths that are not finite or all 0 or more or fewer than sources, a reach beyond half of a periodic
    /// domain, positions outside it, coordinates beyond 1e100, sums outside the range of float64.
    pub fn new(
        sources: &Points,
        strengths: &[f64],
        domain: &Domain,
        term: Term,
        targets: Targets,
    ) -> Result<Self, FieldError> {
        check(sources, strengths, domain, term, &targets)?;
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
        let fractions = pool::each(sources.len(), |row| frame.fractions(sources.at(row)));
        let fractions = fractions.into_iter().collect::<Result<Vec<_>, _>>()?;
        let scale = scale(&frame, &fractions, strengths, term)?;
        let scaled = strengths.iter().map(|q| libm::scalbn(*q, -scale.exponent));
        Ok(Self {
            strengths: scaled.collect(),
            sources: fractions,
            term,
            frame,
            targets,
            scale,
        })
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
        self.sources.len()
    }

    /// How sums are held, with their error bound.
    pub fn scale(&self) -> FixedScale {
        self.scale
    }

    pub(crate) fn frame(&self) -> &Frame {
        &self.frame
    }

    pub(crate) fn sources(&self) -> &[Fractions] {
        &self.sources
    }

    /// In units of the fixed point.
    pub(crate) fn strengths(&self) -> &[f64] {
        &self.strengths
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

fn check(
    sources: &Points,
    strengths: &[f64],
    domain: &Domain,
    term: Term,
    targets: &Targets,
) -> Result<(), FieldError> {
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
    let (reach, limit) = (term.reach(), domain.reach());
    if domain.is_periodic() && !reach.is_finite() {
        return Err(FieldError::Endless);
    }
    if reach > limit {
        return Err(FieldError::Reach { reach, limit });
    }
    Ok(domain.check(sources)?)
}

/// The fixed point of a job.
///
/// Each of at most `most_terms` terms is off by half a unit, and by its own roundings; what these make of the squared separation's is in
/// the term's bound, and what is more than the 8 half units that it takes for granted is passed on with the steepest slope of a term, 5
/// largest terms a length of its resolution.
fn scale(
    frame: &Frame,
    sources: &[Fractions],
    strengths: &[f64],
    term: Term,
) -> Result<FixedScale, FieldError> {
    let strongest = strengths.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    let largest_term = strongest * term.largest();
    let most_terms = most_within(frame, sources, term.reach()).max(1);
    let count_bits = u64::BITS - (most_terms - 1).leading_zeros();
    let bits = MOST_BITS.min(SUM_BITS - count_bits);
    let exponent = exponent(largest_term) - bits as i32;
    if !(largest_term.is_normal() && EXPONENTS.contains(&exponent)) {
        return Err(FieldError::Range { largest_term });
    }
    let further = frame.roundings(term.resolution()) - 8.0;
    let half_units = term.roundings() + 5.0 * further;
    let of_term = half_units * (f64::EPSILON / 2.0) * largest_term;
    let unit = libm::scalbn(1.0, exponent);
    Ok(FixedScale {
        exponent,
        most_terms,
        largest_term,
        error_bound: most_terms as f64 * (0.5 * unit + of_term),
        position_error: frame.position_error(),
    })
}
