//! Rounds on the processor: leaves of owners, then pieces of kept pairs, on all threads.
//!
//! Entry: [`add_round`]. Nothing depends on the order of threads: what they add are integers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use albireo::engine::Progress;
use albireo_simd::Isa;
use rayon::prelude::*;

use super::constants::pairs_of;
use super::points::RoundPoints;
use super::tiles::{Counting, Piece, Round, Scratch, Sum};
use super::visits::{Clouds, Kept, Sorted, visit};
use super::{RoundSums, SampleJob};

/// Pairs of a piece at most.
const PIECE: usize = 4096;

/// Adds the sums of one round, on the threads at hand; what is left out once a stop is asked for is not told.
pub(super) fn add_round(
    job: &SampleJob,
    isa: Isa,
    points: &[RoundPoints],
    sums: &mut RoundSums,
    progress: &dyn Progress,
) {
    let (n, sorted) = (points.len(), Sorted::new(job, points));
    let number: usize = points.iter().map(RoundPoints::len).sum();
    let (mut clouds, mut kept): (Vec<Vec<Clouds>>, Vec<_>) = (vec![], vec![]);
    for owner in 0..n {
        let mut of_owner = vec![];
        for member in 0..n {
            let (found, pairs) = visit((job, isa), &sorted, (owner, member), progress);
            of_owner.push(found);
            if owner <= member {
                kept.push(pairs);
            }
        }
        clouds.push(of_owner);
        progress.advance(points[owner].len() as u64);
    }
    if progress.stop_requested() {
        return;
    }
    let bins = job.constants().bins.0;
    let kept: Vec<_> = kept.into_iter().map(|pairs| by_bin(&pairs, bins)).collect();
    let pieces = pairs_of(n)
        .into_iter()
        .zip(&kept)
        .flat_map(|(tracers, pairs)| {
            let of_bin = pairs.chunk_by(|a, b| a.bin == b.bin);
            let pieces = of_bin.flat_map(|pairs| pairs.chunks(PIECE));
            pieces.map(move |pairs| Piece { tracers, pairs })
        });
    let pieces: Vec<_> = pieces.collect();
    let round = Round {
        rule: &job.rule,
        bins,
        points: &sorted.points,
        clouds: &clouds,
    };
    count(&round, isa, &pieces, sums, progress);
    for (pairs, kept) in sums.pairs.iter_mut().zip(&kept) {
        *pairs += kept.len() as u64;
    }
    sums.rounds += 1;
    progress.advance(number as u64);
}

/// Pairs sorted by their bin, within it in the order in which they were found.
fn by_bin(pairs: &[Kept], bins: usize) -> Vec<Kept> {
    let mut ends = vec![0; bins + 1];
    pairs
        .iter()
        .for_each(|pair| ends[pair.bin as usize + 1] += 1);
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

fn split(matrices: &mut [Vec<i64>], bins: usize) -> Vec<Rows<'_>> {
    let rows = matrices
        .iter_mut()
        .map(|matrix| matrix.chunks_mut(bins).map(Mutex::new).collect());
    rows.collect()
}

fn count(
    round: &Round<'_>,
    isa: Isa,
    pieces: &[Piece<'_>],
    sums: &mut RoundSums,
    progress: &dyn Progress,
) {
    let bins = round.bins;
    let (c4, c3) = (split(&mut sums.c4, bins), split(&mut sums.c3, bins));
    let quads = AtomicU64::new(0);
    pieces
        .par_iter()
        .for_each_init(Scratch::default, |scratch, piece| {
            if progress.stop_requested() {
                return;
            }
            let row = piece.pairs[0].bin as usize;
            let done = |sum: Sum, counts: &[i64]| {
                let row = match sum {
                    Sum::Quads(term) => &c4[term][row],
                    Sum::Triples(term) => &c3[term][row],
                };
                let mut row = row.lock().unwrap_or_else(PoisonError::into_inner);
                for (sum, count) in row.iter_mut().zip(counts) {
                    *sum += count;
                }
            };
            let found = isa.dispatch(Counting {
                round,
                piece,
                scratch,
                done,
            });
            quads.fetch_add(found, Ordering::Relaxed);
        });
    sums.quads += quads.into_inner();
}
