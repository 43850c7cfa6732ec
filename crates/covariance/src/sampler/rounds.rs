//! Rounds on the processor: leaves of owners, then pieces of kept pairs, on all threads.
//!
//! Entry: [`add_round`]. Nothing depends on the order of threads: what they add are integers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use albireo::engine::Progress;
use albireo_simd::{Isa, MOST_LANES};
use rayon::prelude::*;

use super::constants::pairs_of;
use super::lists::Round;
use super::points::RoundPoints;
use super::tiles::{Counting, Piece, Row, Scratch};
use super::visits::{Clouds, Kept, Sorted, visit};
use super::{RoundSums, SampleJob, SamplerError};

/// Pairs of a piece at most.
const PIECE: usize = 4096;

/// The points of a round in the order of their leaves, their clouds, and the kept pairs between them.
pub(super) struct Drawn {
    pub(super) points: Vec<RoundPoints>,
    /// For each owner, for each member.
    pub(super) clouds: Vec<Vec<Clouds>>,
    /// For pairs 11, 12 and 22, those of a bin in a row.
    pub(super) kept: Vec<Vec<Kept>>,
}

impl Drawn {
    /// Draws a round on the threads at hand; none once a stop is asked for.
    pub(super) fn new(
        job: &SampleJob,
        isa: Isa,
        points: &[RoundPoints],
        progress: &dyn Progress,
    ) -> Option<Self> {
        let (sorted, bins) = (Sorted::new(job, points), job.constants().bins.0);
        let (mut clouds, mut kept) = (vec![], vec![]);
        for (owner, points) in points.iter().enumerate() {
            let mut of_owner = vec![];
            for member in 0..sorted.points.len() {
                let (found, pairs) = visit((job, isa), &sorted, (owner, member), progress);
                of_owner.push(found);
                if owner <= member {
                    kept.push(by_bin(&pairs, bins));
                }
            }
            clouds.push(of_owner);
            progress.advance(points.len() as u64);
        }
        let points = sorted.points;
        (!progress.stop_requested()).then_some(Self {
            points,
            clouds,
            kept,
        })
    }

    /// Adds how many pairs were kept.
    pub(super) fn add_pairs(&self, sums: &mut RoundSums) {
        for (pairs, kept) in sums.pairs.iter_mut().zip(&self.kept) {
            *pairs += kept.len() as u64;
        }
        sums.rounds += 1;
    }
}

/// Adds the sums of one round, on the threads at hand; once a stop is asked for, some are left out.
pub(super) fn add_round(
    job: &SampleJob,
    isa: Isa,
    points: &[RoundPoints],
    sums: &mut RoundSums,
    progress: &dyn Progress,
) -> Result<(), SamplerError> {
    let Some(drawn) = Drawn::new(job, isa, points, progress) else {
        return Ok(());
    };
    let kept = pairs_of(points.len()).into_iter().zip(&drawn.kept);
    let pieces = kept.flat_map(|(tracers, pairs)| {
        let of_bin = pairs.chunk_by(|a, b| a.bin == b.bin);
        let pieces = of_bin.flat_map(|pairs| pairs.chunks(PIECE));
        pieces.map(move |pairs| Piece { tracers, pairs })
    });
    let pieces: Vec<_> = pieces.collect();
    // Pairs that lie in no bin have a place and no share.
    let with_room = |row: &Vec<i32>| [row.as_slice(), &[0; MOST_LANES]].concat();
    let shares: Vec<_> = job.constants().shares.iter().map(with_room).collect();
    let round = Round {
        rule: &job.rule,
        bins: job.constants().bins.0,
        points: &drawn.points,
        clouds: &drawn.clouds,
        shares: (!shares.is_empty()).then_some(&shares),
    };
    count(&round, isa, &pieces, sums, progress)?;
    drawn.add_pairs(sums);
    progress.advance(points.iter().map(RoundPoints::len).sum::<usize>() as u64);
    Ok(())
}

/// Pairs sorted by their bin, within it in the order in which they were found.
fn by_bin(pairs: &[Kept], bins: usize) -> Vec<Kept> {
    let mut ends = vec![0; bins + 1];
    for pair in pairs {
        ends[pair.bin as usize + 1] += 1;
    }
    for bin in 0..bins {
        ends[bin + 1] += ends[bin];
    }
    let mut sorted = pairs.to_vec();
    for &pair in pairs {
        let end = &mut ends[pair.bin as usize];
        sorted[*end] = pair;
        *end += 1;
    }
    sorted
}

/// Rows of the matrix of a sum, each of which one thread at a time adds to.
type Rows<'a> = Vec<Mutex<&'a mut [i64]>>;

fn split<'a>(matrices: impl IntoIterator<Item = &'a mut Vec<i64>>, bins: usize) -> Vec<Rows<'a>> {
    let rows = |matrix: &'a mut Vec<i64>| matrix.chunks_mut(bins).map(Mutex::new).collect();
    matrices.into_iter().map(rows).collect()
}

/// Adds counts to a row; whether they fit.
fn add<C: Copy + Into<i64>>(row: &Mutex<&mut [i64]>, counts: &[C]) -> bool {
    let mut row = row.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all_fit = true;
    for (sum, &count) in row.iter_mut().zip(counts) {
        let (added, beyond) = sum.overflowing_add(count.into());
        *sum = added;
        all_fit &= !beyond;
    }
    all_fit
}

fn count(
    round: &Round<'_>,
    isa: Isa,
    pieces: &[Piece<'_>],
    sums: &mut RoundSums,
    progress: &dyn Progress,
) -> Result<(), SamplerError> {
    let bins = round.bins;
    let (c4, c3) = (split(&mut sums.c4, bins), split(&mut sums.c3, bins));
    let of_regions = sums.regions.iter_mut().flatten();
    let of_regions = of_regions.flat_map(|sums| [&mut sums.equal, &mut sums.shares]);
    let of_regions = split(of_regions, bins);
    let all_fit = AtomicBool::new(true);
    let quads = AtomicU64::new(0);
    // A thread that waits for another one takes up further pieces above its own on the stack: what it works with lies elsewhere.
    let idle: Mutex<Vec<Box<Scratch>>> = Mutex::new(vec![]);
    let of_idle = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    pieces.par_iter().for_each(|piece| {
        if progress.stop_requested() {
            return;
        }
        let taken = of_idle().pop();
        let mut scratch = taken.unwrap_or_default();
        let row = piece.pairs[0].bin as usize;
        let both = |at: usize, [equal, shares]: [&[i64]; 2]| {
            add(&of_regions[at][row], equal) & add(&of_regions[at + 1][row], shares)
        };
        let done = |counts: Row<'_>| {
            let fit = match counts {
                Row::Quads(term, counts) => add(&c4[term][row], counts),
                Row::Triples(term, counts) => add(&c3[term][row], counts),
                Row::QuadsOfRegions(sums) => both(0, sums),
                Row::TriplesOfRegions(sums) => both(2, sums),
            };
            all_fit.fetch_and(fit, Ordering::Relaxed);
        };
        let found = isa.dispatch(Counting {
            round,
            piece,
            scratch: &mut scratch,
            done,
        });
        of_idle().push(scratch);
        quads.fetch_add(found, Ordering::Relaxed);
    });
    sums.quads += quads.into_inner();
    let rounds = sums.rounds + 1;
    let fit = all_fit.into_inner();
    fit.then_some(()).ok_or(SamplerError::Overflow { rounds })
}
