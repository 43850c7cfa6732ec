//! Targets anywhere, and grids that lie askew: one target at a time against the sources near it, which are gathered into lanes.

use albireo_simd::{Isa, Kernel, MOST_LANES, Operations, Registers, Simd};

use super::naive::joined;
use crate::{FieldJob, Number, Profile, SkewedImages, Summing, each_parameter};

/// Pairs in reach that are summed at a time.
const BATCH: usize = 256;

/// Pairs in reach of one target: joined components, strengths and sizes.
struct Gathered<N> {
    len: usize,
    r2: [N; BATCH],
    parameters: [[N; BATCH]; 2],
}

impl<N: Number> Gathered<N> {
    fn new() -> Self {
        Self {
            len: 0,
            r2: [N::default(); BATCH],
            parameters: [[N::default(); BATCH]; 2],
        }
    }
}

/// Sums for the targets from number `first` on; how many pairs are closer than `r_min`.
pub(super) fn stretch<N: Number, P: Profile>(
    job: &FieldJob,
    profile: P,
    isa: Isa,
    first: usize,
    sums: &mut [i64],
) -> u64 {
    let (reach, frame) = (job.term().reach(), job.frame());
    let (least2, reach2) = (N::of(job.least2()), N::of(reach * reach));
    let (units, images) = (frame.aligned(), SkewedImages::new(frame, reach));
    let (cells, mut batch, mut close) = (job.cells(), Gathered::<N>::new(), 0);
    for (k, sum) in sums.iter_mut().enumerate() {
        let target = job.target(first + k);
        let mut add = |r2: N, row: usize| {
            // Beyond the reach, and where a product is 0, terms are 0 or rounded to it.
            let nothing = if P::PRODUCT {
                r2 <= N::default()
            } else {
                r2 >= reach2
            };
            if nothing {
                return;
            }
            close += u64::from(r2 < least2);
            let parameters = cells.sources().parameters(row).map(N::of);
            batch.r2[batch.len] = N::ONE.max(r2, least2);
            batch.parameters[0][batch.len] = parameters[0];
            batch.parameters[1][batch.len] = parameters[1];
            batch.len += 1;
            if batch.len == BATCH {
                *sum += isa.dispatch(Whole {
                    profile,
                    batch: &mut batch,
                });
            }
        };
        cells.near(target, [reach; 3], |rows| {
            for row in rows {
                let source = cells.sources().fractions[row];
                match units {
                    Some(units) => add(joined(profile, units, source, target), row),
                    None => images.each(source, target, |r2| add(N::of(r2), row)),
                }
            }
        });
        *sum += isa.dispatch(Whole {
            profile,
            batch: &mut batch,
        });
    }
    close
}

/// The sum of a batch, which is emptied.
struct Whole<'a, N, P> {
    profile: P,
    batch: &'a mut Gathered<N>,
}

impl<N: Number, P: Profile> Kernel for Whole<'_, N, P> {
    type Output = i64;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> i64 {
        let lanes = N::lanes(simd);
        let width = <N::Lanes<S> as Registers>::LANES;
        let batch = self.batch;
        let end = batch.len.next_multiple_of(width);
        // Sources without strength fill the last register; without size too, for what an earlier batch left there may have a power that is
        // infinite, and 0 times it is no number.
        for k in batch.len..end {
            batch.r2[k] = N::of(1.0);
            batch.parameters[0][k] = N::default();
            batch.parameters[1][k] = N::default();
        }
        let mut sum = lanes.none();
        for k in (0..end).step_by(width) {
            let parameters = each_parameter(|j| lanes.load(&batch.parameters[j][k..]));
            let term = self
                .profile
                .term(lanes, lanes.load(&batch.r2[k..]), parameters);
            sum = lanes.add_term(sum, term);
        }
        batch.len = 0;
        let mut own = [0; MOST_LANES];
        lanes.flush(sum, end / width, &mut own);
        own[..width].iter().sum()
    }
}
