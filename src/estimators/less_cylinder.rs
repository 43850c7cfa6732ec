//! What cuts in rp leave of the volumes of bins: all but cylinders around the line of sight.
//!
//! Entry: [`Kept`]. At least `c` across the axis there lie, of the ball of radius s, `4/3 pi (s^2 - c^2)^(3/2)`; of its part with cosines below mu
//! `4/3 pi m (s^3 - c^3/sqrt(1 - m^2))`, m the lesser of mu and `sqrt(1 - c^2/s^2)`, where the cylinder meets the sphere; of a disc of radius
//! rp `pi (rp^2 - c^2)`. Bins are differences of these.

use std::f64::consts::PI;

use super::Result;
use super::edges::{differences, outer, signed, two_sided_widths};
use crate::binning::{Form, LineOfSight};
use crate::domain::Axis;
use crate::error::EstimatorError;
use crate::tally::Cut;

/// The separations across an axis that cuts leave, as intervals that rise to infinity.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kept {
    axis: Axis,
    intervals: Vec<[f64; 2]>,
}

fn refused(what: String) -> EstimatorError {
    EstimatorError::AnalyticRr(what)
}

impl Kept {
    /// What `cuts` in rp leave in bins of this form.
    ///
    /// # Errors
    /// A cut of another kind, or an axis other than that of the bins or of other cuts.
    pub(super) fn of(cuts: &[Cut], form: Form<'_>) -> Result<Self> {
        let mut axis = match form {
            Form::SMu { los, .. } | Form::RpPi { los, .. } => Some(los),
            Form::Radial { .. } => None,
        };
        let mut dropped = Vec::with_capacity(cuts.len());
        for cut in cuts {
            let Cut::Rp { rp, los } = cut else {
                return Err(refused(format!("is not known with {}", cut.name())));
            };
            let along = *axis.get_or_insert(*los);
            if along != *los || !matches!(los, LineOfSight::Fixed(_)) {
                let needed = match along {
                    LineOfSight::Fixed(_) if along != *los => along.name(),
                    _ => "a fixed axis (x, y or z)",
                };
                return Err(refused(format!(
                    "with a cut in rp needs {needed} as its line of sight, not {}",
                    los.name()
                )));
            }
            dropped.push([rp.first(), rp.last()]);
        }
        dropped.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut intervals = Vec::new();
        let mut from = 0.0f64;
        for [lo, hi] in dropped {
            if lo > from {
                intervals.push([from, lo]);
            }
            from = from.max(hi);
        }
        intervals.push([from, f64::INFINITY]);
        let axis = match axis {
            Some(LineOfSight::Fixed(axis)) => axis,
            _ => Axis::Z,
        };
        Ok(Self { axis, intervals })
    }

    /// The axis that separations are across.
    pub(super) fn axis(&self) -> Axis {
        self.axis
    }

    /// Sums over the intervals of what `below` says lies less than so far across.
    pub(super) fn over(&self, below: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
        let mut sum: Option<Vec<f64>> = None;
        for &[from, to] in &self.intervals {
            let mut part = below(to);
            if from > 0.0 {
                let nearer = below(from);
                part.iter_mut().zip(nearer).for_each(|(v, near)| *v -= near);
            }
            match &mut sum {
                None => sum = Some(part),
                Some(sum) => sum.iter_mut().zip(part).for_each(|(sum, v)| *sum += v),
            }
        }
        sum.unwrap_or_default()
    }

    /// The volume that is left of each bin.
    pub(super) fn volumes(&self, form: Form<'_>) -> Vec<f64> {
        let mut left = vec![0.0; number(form)];
        for &[from, to] in &self.intervals {
            let nearer = beyond(form, from);
            let farther = beyond(form, to);
            let parts = nearer.into_iter().zip(farther);
            left.iter_mut()
                .zip(parts)
                .for_each(|(v, (a, b))| *v += a - b);
        }
        for (volume, across) in left.iter_mut().zip(spans(form)) {
            let meets = |&[from, to]: &[f64; 2]| across[0] < to && across[1] > from;
            // Differences leave a rounding where there is nothing.
            if !self.intervals.iter().any(meets) {
                *volume = 0.0;
            }
            *volume = volume.max(0.0);
        }
        left
    }
}

fn number(form: Form<'_>) -> usize {
    match form {
        Form::Radial { r } => r.n_bins(),
        Form::SMu { s, mu, .. } => s.n_bins() * mu.n_bins(),
        Form::RpPi { rp, pi, .. } => rp.n_bins() * pi.n_bins(),
    }
}

/// The volume of the ball of radius `s` that lies at least `c` across.
fn ball(s: f64, c: f64) -> f64 {
    let root = ((s - c) * (s + c)).max(0.0).sqrt();
    4.0 / 3.0 * PI * root * root * root
}

/// The volume of the ball of radius `s` that lies at least `c` across, with cosines below `mu` either way.
fn cone(s: f64, mu: f64, c: f64) -> f64 {
    if s <= c {
        return 0.0;
    }
    if mu == 1.0 {
        return ball(s, c);
    }
    let most = ((s - c) * (s + c)).sqrt() / s;
    if mu >= most {
        return ball(s, c);
    }
    let sine = ((1.0 - mu) * (1.0 + mu)).sqrt();
    4.0 / 3.0 * PI * mu * (s * s * s - c * c * c / sine)
}

/// The volume of each bin that lies at least `c` across.
fn beyond(form: Form<'_>, c: f64) -> Vec<f64> {
    if c == f64::INFINITY {
        return vec![0.0; number(form)];
    }
    match form {
        Form::Radial { r } => {
            let balls: Vec<f64> = r.values().iter().map(|&r| ball(r, c)).collect();
            differences(&balls)
        }
        Form::RpPi { rp, pi, .. } => {
            let disc = |&rp: &f64| PI * (rp.max(c) - c) * (rp.max(c) + c);
            let discs: Vec<f64> = rp.values().iter().map(disc).collect();
            outer(&differences(&discs), &two_sided_widths(pi))
        }
        Form::SMu { s, mu, .. } => {
            let cones = s.values().iter().map(|&s| signed(mu, |mu| cone(s, mu, c)));
            let cones: Vec<Vec<f64>> = cones.map(|cones| differences(&cones)).collect();
            let shell = |ends: &[Vec<f64>]| {
                let both = ends[1].iter().zip(&ends[0]);
                both.map(|(far, near)| far - near).collect::<Vec<_>>()
            };
            cones.windows(2).flat_map(shell).collect()
        }
    }
}

/// The least and the largest separation across in each bin.
fn spans(form: Form<'_>) -> Vec<[f64; 2]> {
    match form {
        Form::Radial { r } => r.values().windows(2).map(|e| [0.0, e[1]]).collect(),
        Form::RpPi { rp, pi, .. } => {
            let rings = rp.values().windows(2);
            rings
                .flat_map(|e| std::iter::repeat_n([e[0], e[1]], pi.n_bins()))
                .collect()
        }
        Form::SMu { s, mu, .. } => {
            let sine = |mu: f64| ((1.0 - mu) * (1.0 + mu)).max(0.0).sqrt();
            let cosines = |e: &[f64]| {
                let [a, b] = [e[0].abs(), e[1].abs()];
                let least = if e[0] < 0.0 && e[1] > 0.0 {
                    0.0
                } else {
                    a.min(b)
                };
                [sine(a.max(b)), sine(least)]
            };
            let bins: Vec<[f64; 2]> = mu.values().windows(2).map(cosines).collect();
            let shells = s.values().windows(2);
            shells
                .flat_map(|e| bins.iter().map(|sines| [e[0] * sines[0], e[1] * sines[1]]))
                .collect()
        }
    }
}
