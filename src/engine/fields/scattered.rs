//! Targets anywhere, and grids that lie askew: one target at a time against the cells near it.

use crate::field::{Cells, FieldJob, Profile, Scalar, SkewedImages, aligned_r2};

/// Sums for the targets from number `first` on; how many pairs are closer than `r_min`.
pub(super) fn stretch<P: Profile>(
    job: &FieldJob,
    cells: &Cells,
    profile: P,
    first: usize,
    sums: &mut [i64],
) -> u64 {
    let (reach, least2, frame) = (job.term().reach(), job.least2(), job.frame());
    let (units, images) = (frame.aligned(), SkewedImages::new(frame, reach));
    let mut close = 0;
    for (k, sum) in sums.iter_mut().enumerate() {
        let target = job.target(first + k);
        let mut add = |r2: f64, strength: f64| {
            let term = strength * profile.of(Scalar, if r2 > least2 { r2 } else { least2 });
            *sum += term.round_ties_even() as i64;
            close += u64::from(r2 < least2);
        };
        cells.near(target, [reach; 3], |sources, strengths| {
            for (&source, &strength) in sources.iter().zip(strengths) {
                match units {
                    Some(units) => add(aligned_r2(units, source, target), strength),
                    None => images.each(source, target, |r2| add(r2, strength)),
                }
            }
        });
    }
    close
}
