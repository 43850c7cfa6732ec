//! The definition of a sum per target: every source, one after the other.

use crate::field::{FieldJob, ForProfile, Profile, Scalar, SkewedImages, aligned_r2};

/// One target of a job.
pub(super) struct Target<'a> {
    pub(super) job: &'a FieldJob,
    pub(super) number: usize,
    pub(super) sum: &'a mut i64,
}

impl ForProfile for Target<'_> {
    /// How many sources are closer than `r_min`.
    type Output = u64;

    fn with<P: Profile>(self, profile: P) -> u64 {
        let Self { job, number, sum } = self;
        let target = job.target(number);
        let (least2, mut close) = (job.least2(), 0);
        let mut add = |r2: f64, strength: f64| {
            let term = strength * profile.of(Scalar, if r2 > least2 { r2 } else { least2 });
            *sum += term.round_ties_even() as i64;
            close += u64::from(r2 < least2);
        };
        for (&source, &strength) in job.sources().iter().zip(job.strengths()) {
            match job.frame().aligned() {
                Some(units) => add(aligned_r2(units, source, target), strength),
                None => SkewedImages::all(job.frame()).each(source, target, |r2| {
                    add(r2, strength);
                }),
            }
        }
        close
    }
}
