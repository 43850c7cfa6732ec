//! What looks wrong about values: those that another kind of column would have.
//!
//! Entry: one function for each suspicion, [`Boxed`] for positions in a box, and [`Depths`]. What may be meant is a [`Notice`], what cannot be is refused.

use std::path::Path;

use albireo::cosmology::Cosmology;
use albireo::{Particles, Points, Weights, pool};
use albireo_catalogs::{are_times_of_frames, in_short};

use crate::columns;
use crate::error::{Result, SampleError};
use crate::notice::Notice;
use crate::shown::in_four_digits;
use crate::space::{Rows, is_rectangular};

/// Particles at several times, those of frames, that are taken for one set of particles.
pub(crate) fn times_of_frames(path: &Path, (column, values): (&str, &[f64])) -> Option<Notice> {
    let [least, most] = are_times_of_frames(values)
        .then(|| range(values))?
        .map(in_short);
    let numbered = if values.iter().all(|value| value.fract() == 0.0) {
        format!("--frame-column {column}")
    } else {
        "--frame-column and a column of their numbers".to_owned()
    };
    Some(Notice::warning(format!(
        "{}: particles at several times (column `{column}`, {least} to {most}) are counted as if they were there at once: if these are frames, \
         `albireo rdf` counts one after the other by {numbered}, --where '{column} == {least}' takes one",
        path.display()
    )))
}

/// The largest redshift of a galaxy that anybody has seen is below this one.
const FAR: f64 = 20.0;

/// The least and the largest value.
fn range(values: &[f64]) -> [f64; 2] {
    values
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], &v| {
            [lo.min(v), hi.max(v)]
        })
}

/// Right ascensions from 0 to 24 where declinations span more degrees than a strip of the sky does.
const STRIP: f64 = 60.0;

/// Sky coordinates that would all be allowed in radians, or in hours.
pub(crate) fn other_angles(path: &Path, ra: (&str, &[f64]), dec: (&str, &[f64])) -> Option<Notice> {
    use std::f64::consts::{FRAC_PI_2, TAU};
    let (ra_range, dec_range) = (range(ra.1), range(dec.1));
    let reaches = |name: &str, is: &str, [lo, hi]: [f64; 2]| {
        format!("`{name}`{is} from {} to {}", in_short(lo), in_short(hi))
    };
    let (path, of_ra) = (path.display(), reaches(ra.0, "", ra_range));
    let is_day = (0.0..0.5).contains(&ra_range[0]) && (23.5..=24.0).contains(&ra_range[1]);
    if is_day && dec_range[1] - dec_range[0] > STRIP {
        return Some(Notice::warning(format!(
            "{path}: {of_ra}, where {}, looks like hours; it is taken as degrees: --sky '15*{},{}' if it is",
            reaches(dec.0, " is", dec_range),
            ra.0,
            dec.0
        )));
    }
    let within = |[lo, hi]: [f64; 2], most: f64| lo.abs().max(hi.abs()) <= most;
    let all_zero = within(ra_range, 0.0) && within(dec_range, 0.0);
    let suspicious = within(ra_range, TAU) && within(dec_range, FRAC_PI_2) && !all_zero;
    suspicious.then(|| {
        Notice::warning(format!(
            "{path}: {of_ra} and {} look like radians; they are taken as degrees",
            reaches(dec.0, "", dec_range)
        ))
    })
}

/// Redshifts that are velocities, or marks of missing ones.
fn velocities(path: &Path, column: &str, redshifts: &[f64]) -> Option<Notice> {
    let [_, largest] = range(redshifts);
    (largest > FAR).then(|| Notice::warning(format!(
        "{}: column `{column}` reaches {}, far beyond any galaxy's redshift: is it cz in km/s? It is taken as z",
        path.display(),
        in_short(largest)
    )))
}

/// A column of depths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Depths<'a> {
    pub(crate) path: &'a Path,
    pub(crate) column: &'a str,
    pub(crate) values: &'a [f64],
    /// Whether their unit is stated, or the caller says that the numbers are what they are taken for.
    pub(crate) is_meant: bool,
}

impl Depths<'_> {
    /// Objects at no distance: marks of missing values.
    fn at_observer(&self) -> Option<Notice> {
        let rows = self.values.iter().filter(|value| **value == 0.0).count();
        (rows > 0).then(|| Notice::warning(format!(
            "{}: column `{}` is 0 in {rows} of {} rows, which puts them at the observer: marks of missing values are left out by --where",
            self.path.display(),
            self.column,
            self.values.len()
        )))
    }

    /// Refuses redshifts beyond all galaxies.
    pub(crate) fn check_redshifts(&self, tell: &mut dyn FnMut(Notice)) -> Result<()> {
        self.at_observer().into_iter().for_each(&mut *tell);
        let Some(far) = velocities(self.path, self.column, self.values) else {
            return Ok(());
        };
        if !self.is_meant {
            let far = SampleError::Input(format!(
                "{}: column `{column}` reaches {}, far beyond any galaxy's redshift, and states no unit: write --redshift '{column}/299792.458' \
                 if it is c z in km/s, --redshift-unit 1 if these are redshifts",
                self.path.display(),
                in_short(range(self.values)[1]),
                column = self.column
            ));
            return Err(far);
        }
        tell(far);
        Ok(())
    }

    /// Refuses distances that are redshifts by their name and their values.
    pub(crate) fn check_distances(&self, tell: &mut dyn FnMut(Notice)) -> Result<()> {
        self.at_observer().into_iter().for_each(&mut *tell);
        let [_, largest] = range(self.values);
        let small = largest > 0.0 && largest < FAR;
        if self.is_meant || !small {
            return Ok(());
        }
        let (path, column) = (self.path, self.column);
        if columns::is_called_as_redshifts(self.column) {
            let largest = in_short(largest);
            let near = SampleError::Input(format!(
                "{}: column `{column}`: expected comoving distances, found values up to {largest} in a column that is called as redshifts are: \
                 write --redshift {column} and --cosmology if these are redshifts, --ignore-units {column} if they are distances",
                path.display()
            ));
            return Err(near);
        }
        tell(Notice::warning(format!(
            "{}: column `{column}`, the distances, reaches {} only: are these redshifts? --redshift {column} and --cosmology would make distances of \
             them",
            path.display(),
            in_short(largest)
        )));
        Ok(())
    }
}

/// A universe that nobody lives in.
pub(crate) fn negative_lambda(cosmology: &Cosmology) -> Option<Notice> {
    (cosmology.omega_lambda() < 0.0).then(|| {
        Notice::warning(format!(
            "--cosmology: om = {} leaves a negative dark energy density, ol = {}",
            in_short(cosmology.omega_m()),
            in_short(cosmology.omega_lambda())
        ))
    })
}

/// Marks of missing weights are few: of signed weights about every second one is negative.
const MARKED: f64 = 0.1;

/// Weights of which a few are negative.
pub(crate) fn negative_weights(role: &str, path: &Path, weights: &Weights) -> Option<Notice> {
    let Weights::PerParticle(weights) = weights else {
        return None;
    };
    let view = weights.view();
    // Most samples have none, which all threads see at once.
    pool::first_row(weights.len(), |row| view.at(row) < 0.0)?;
    let negative = view.iter().filter(|weight| *weight < 0.0);
    let rows = negative.clone().count();
    let least = negative.fold(0.0, f64::min);
    #[allow(clippy::cast_precision_loss, reason = "a share")]
    let share = rows as f64 / weights.len() as f64;
    (share < MARKED).then(|| Notice::warning(format!(
        "{role} ({}): {rows} of {} weights are negative, down to {}, and their pairs are subtracted: marks of missing weights are left \
         out by --where",
        path.display(),
        weights.len(),
        in_short(least)
    )))
}

/// Particles, so many at least, whose weights are so uneven that they are worth a smaller part than this of them.
const UNEVEN: (usize, f64) = (100, 0.05);

/// Weights of which a few rows have nearly all.
pub(crate) fn uneven_weights(role: &str, path: &Path, particles: &Particles) -> Option<Notice> {
    let Weights::PerParticle(weights) = particles.weights() else {
        return None;
    };
    let rows = weights.len();
    #[allow(clippy::cast_precision_loss, reason = "a share")]
    let all = rows as f64;
    let even = particles.weight_sum().powi(2) / particles.weight_square_sum();
    if rows < UNEVEN.0 || even >= UNEVEN.1 * all {
        return None;
    }
    // Where weights have both signs, their sum says nothing.
    let range = weights
        .view()
        .iter()
        .fold([0.0f64; 2], |[lo, hi], w| [lo.min(w), hi.max(w)]);
    (range[0] == 0.0).then(|| Notice::warning(format!(
        "{role} ({}): {rows} rows are worth about {} of equal weights, so uneven are theirs, up to {}: marks of missing weights are left out by \
         --where",
        path.display(),
        even.round(),
        in_short(range[1])
    )))
}

/// Particles that fill less than this part of the box along an axis, but lie in no plane.
const THIN: f64 = 0.01;
/// The same along all axes: between nm and Angstrom is a tenth.
const SMALL: f64 = 0.11;
/// The same of a box that is given where the file states none, and of as many particles.
const NARROW: (f64, usize) = (0.9, 100);
/// Particles that span more than this part of it along all axes.
const WIDE: f64 = 1.1;

/// Positions beside the box that they lie in.
pub(crate) struct Boxed<'a> {
    /// Whose they are, in words.
    pub(crate) particles: String,
    pub(crate) points: &'a Points,
    pub(crate) rows: &'a Rows,
    /// An axis that they have no place along.
    pub(crate) flat: Option<usize>,
    /// Whether nothing but the caller says what box it is that positions are wrapped into.
    pub(crate) only_given: bool,
}

impl Boxed<'_> {
    /// The range of the positions along each axis beside the length of the box, where it has one.
    fn spans(&self) -> ([f64; 3], [Option<f64>; 3]) {
        let length = |axis: usize| {
            let along: f64 = self.rows.iter().flatten().map(|row| row[axis].abs()).sum();
            (along > 0.0 && self.flat != Some(axis)).then_some(along)
        };
        (spans_of(self.points), [0, 1, 2].map(length))
    }

    /// Two positions or more that fill a small part of the box, or span more than all of it.
    pub(crate) fn suspicion(self) -> Option<Notice> {
        let (spans, lengths) = self.spans();
        if self.points.len() < 2 || lengths == [None; 3] {
            return None;
        }
        let parts = spans.iter().zip(&lengths);
        let parts = parts.filter_map(|(span, length)| Some(span / (*length)?));
        // All in one plane, or in one place, is meant.
        let parts: Vec<f64> = parts.filter(|part| *part > 0.0).collect();
        let all = |is: &dyn Fn(f64) -> bool| parts.len() == 3 && parts.iter().all(|part| is(*part));
        let doubted = self.only_given && is_rectangular(self.rows) && self.points.len() >= NARROW.1;
        let small = if doubted { NARROW.0 } else { SMALL };
        if parts.iter().any(|&part| part < THIN) || all(&|part| part < small) {
            return Some(Notice::warning(format!(
                "{} fill {} of the box: are both in one unit?",
                self.particles,
                parts_of(&spans, &lengths)
            )));
        }
        (doubted && all(&|part| part > WIDE)).then(|| Notice::warning(format!(
            "{} span {} of the box, into which they are wrapped: is it their box, in their unit?",
            self.particles,
            parts_of(&spans, &lengths)
        )))
    }
}

/// Particles that fill less than this part between all walls, or whose volume is less than this part of the block that they span; and of how many.
const LOOSE: (f64, usize) = (1.0 / 3.0, 20);
const TIGHT: f64 = 0.2;

fn spans_of(points: &Points) -> [f64; 3] {
    points.ranges().map(|[least, most]| most - least)
}

/// Walls that are far from the particles between them along all axes that have walls.
///
/// ```
/// use albireo::Points;
/// let near = Points::from_rows(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]].repeat(10))?;
/// let said = albireo_samples::far_walls("the particles", &near, [Some(20.0), None, None]);
/// assert_eq!(said.map(|said| said.to_string()).as_deref(), Some("--walls: the particles fill 1 of 20 along x: are both in one unit?"));
/// assert!(albireo_samples::far_walls("the particles", &near, [Some(2.0), None, None]).is_none());
/// # Ok::<(), albireo::Error>(())
/// ```
pub fn far_walls(particles: &str, points: &Points, lengths: [Option<f64>; 3]) -> Option<Notice> {
    let spans = spans_of(points);
    let mut parts = spans.iter().zip(&lengths);
    let is_far = parts.all(|(span, length)| length.is_none_or(|length| *span < LOOSE.0 * length));
    (is_far && points.len() >= LOOSE.1).then(|| {
        Notice::warning(format!(
            "--walls: {particles} fill {}: are both in one unit?",
            parts_of(&spans, &lengths)
        ))
    })
}

/// A volume that particles in open space do not fit into.
///
/// ```
/// use albireo::Points;
/// let wide = Points::from_rows(&[[0.0, 0.0, 0.0], [10.0, 20.0, 30.0]].repeat(10))?;
/// let said = albireo_samples::small_volume("the particles", &wide, 6.0);
/// let expected = "--volume 6: the particles span a block of 10 x 20 x 30, a volume of 6000: are both in one unit?";
/// assert_eq!(said.map(|said| said.to_string()).as_deref(), Some(expected));
/// assert!(albireo_samples::small_volume("the particles", &wide, 3000.0).is_none());
/// # Ok::<(), albireo::Error>(())
/// ```
pub fn small_volume(particles: &str, points: &Points, volume: f64) -> Option<Notice> {
    let spans = spans_of(points);
    let block: f64 = spans.iter().product();
    (volume < TIGHT * block && points.len() >= LOOSE.1).then(|| {
        let [x, y, z] = spans.map(in_four_digits);
        Notice::warning(format!(
            "--volume {}: {particles} span a block of {x} x {y} x {z}, a volume of {}: are both in one unit?",
            in_short(volume),
            in_four_digits(block)
        ))
    })
}

/// How much of each axis of the box positions fill.
fn parts_of(spans: &[f64; 3], lengths: &[Option<f64>; 3]) -> String {
    let axes = ["x", "y", "z"].iter().zip(spans).zip(lengths);
    let each = axes.filter_map(|((axis, span), length)| {
        let (span, length) = (in_four_digits(*span), in_short((*length)?));
        Some(format!("{span} of {length} along {axis}"))
    });
    each.collect::<Vec<_>>().join(", ")
}
