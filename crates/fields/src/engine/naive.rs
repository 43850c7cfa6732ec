//! The definition of a sum per target: every source, one after the other.

use std::marker::PhantomData;

use albireo_simd::Operations;

use crate::{Element, FieldJob, ForProfile, Number, Profile, SkewedImages, component, each_axis};

/// One target of a job, by terms in numbers of one kind.
pub(super) struct Target<'a, N> {
    pub(super) job: &'a FieldJob,
    pub(super) number: usize,
    pub(super) sum: &'a mut i64,
    pub(super) numbers: PhantomData<N>,
}

/// What the components of a separation along the axes of the frame are joined to.
#[inline(always)]
pub(super) fn joined<N: Element, P: Profile>(
    profile: P,
    units: [f64; 3],
    source: [u64; 3],
    target: [u64; 3],
) -> N {
    let [x, y, z] =
        each_axis(|k| N::of(profile.along(k, component(units[k], source[k], target[k]))));
    profile.join(N::ONE, profile.join(N::ONE, x, y), z)
}

impl<N: Number> ForProfile for Target<'_, N> {
    /// How many sources are closer than `r_min`.
    type Output = u64;

    fn with<P: Profile>(self, profile: P) -> u64 {
        let Self {
            job, number, sum, ..
        } = self;
        let target = job.target(number);
        let (least2, mut close) = (N::of(job.least2()), 0);
        let mut add = |r2: N, row: usize| {
            let parameters = job.cells().sources().parameters(row).map(N::of);
            *sum += profile
                .term(N::ONE, N::ONE.max(r2, least2), parameters)
                .rounded();
            close += u64::from(r2 < least2);
        };
        for (row, &source) in job.sources().iter().enumerate() {
            if let Some(units) = job.frame().aligned() {
                add(joined(profile, units, source, target), row);
            } else {
                let images = SkewedImages::all(job.frame());
                images.each(source, target, |r2| add(N::of(r2), row));
            }
        }
        close
    }
}
