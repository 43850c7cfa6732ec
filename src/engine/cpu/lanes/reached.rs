//! Pairs counted by the edges that they have reached: a comparison an edge and register of lanes, and no memory looked up.
//!
//! Entry: [`Reached::count`]. The pairs of a few rows with a leaf lie between few edges; how many lie below each of these says all that
//! bins in the separation ask for.

use albireo_simd::{MOST_LANES, Simd};

use super::batch::{Batch, PAIRS};
use super::sums::Words;
use crate::binning::Form;

/// Edges that are compared with at once.
const TOGETHER: usize = 4;

/// With more edges than this between the pairs of a batch, its bins are looked up.
const MOST: usize = 2 * TOGETHER - 1;

/// The squared edges of bins in the separation alone, of which nothing but pairs is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached<'a>(&'a [f64]);

impl<'a> Reached<'a> {
    /// None where a bin is of more than the separation.
    pub(super) fn new(form: &Form<'a>) -> Option<Self> {
        match form {
            Form::Radial { r } => Some(Self(r.squares())),
            Form::SMu { .. } | Form::RpPi { .. } => None,
        }
    }

    /// Counts a batch; false, and nothing is counted, where too many edges lie between its pairs.
    #[inline(always)]
    pub(super) fn count<S: Simd>(&self, simd: S, batch: &Batch, words: &mut Words<PAIRS>) -> bool {
        let squares = &batch.across[..batch.n_pairs()];
        let [least, most] = ends(simd, squares);
        let first = self.0.partition_point(|&edge| edge <= least);
        let last = self.0.partition_point(|&edge| edge <= most);
        if last > first + MOST {
            return false;
        }
        // What is no pair is infinitely far, and below none of them.
        let mut edges = [f64::INFINITY; MOST + 1];
        let between = last.saturating_sub(first);
        edges[..between].copy_from_slice(&self.0[first..first + between]);
        let (one, other) = edges.split_at(TOGETHER);
        let mut counted = 0;
        for (part, edges) in [one, other].into_iter().enumerate() {
            if part * TOGETHER > between {
                break;
            }
            for (k, below) in below(simd, squares, edges).into_iter().enumerate() {
                let edge = first + part * TOGETHER + k;
                // Below the first edge and from the last one on there is no bin.
                if edge > 0 && edge < self.0.len() {
                    words.add_pairs(edge - 1, below - counted);
                }
                counted = below;
                if part * TOGETHER + k == between {
                    break;
                }
            }
        }
        true
    }
}

/// The least and the largest square of a pair; the least one is infinite where there is none.
#[inline(always)]
fn ends<S: Simd>(simd: S, squares: &[f64]) -> [f64; 2] {
    let (zero, nowhere) = (simd.splat_d(0.0), simd.splat_d(f64::INFINITY));
    let (mut least, mut most) = (nowhere, zero);
    for lanes in squares.chunks_exact(S::DOUBLES) {
        let square = simd.load_d(lanes);
        least = simd.min_d(least, square);
        let finite = simd.select_d(simd.less_d(square, nowhere), square, zero);
        most = simd.max_d(most, finite);
    }
    let (mut low, mut high) = ([f64::INFINITY; MOST_LANES], [0.0; MOST_LANES]);
    simd.store_d(least, &mut low);
    simd.store_d(most, &mut high);
    [
        low.into_iter().fold(f64::INFINITY, f64::min),
        high.into_iter().fold(0.0, f64::max),
    ]
}

/// How many squares lie below each of some edges.
#[inline(always)]
fn below<S: Simd>(simd: S, squares: &[f64], edges: &[f64]) -> [u64; TOGETHER] {
    let (zero, one) = (simd.splat_d(0.0), simd.splat_d(1.0));
    let mut edge = [zero; TOGETHER];
    let mut counts = [zero; TOGETHER];
    for k in 0..TOGETHER {
        edge[k] = simd.splat_d(edges[k]);
    }
    for lanes in squares.chunks_exact(S::DOUBLES) {
        let square = simd.load_d(lanes);
        for k in 0..TOGETHER {
            let more = simd.select_d(simd.less_d(square, edge[k]), one, zero);
            counts[k] = simd.add_d(counts[k], more);
        }
    }
    let mut lanes = [[0.0; MOST_LANES]; TOGETHER];
    for k in 0..TOGETHER {
        simd.store_d(counts[k], &mut lanes[k]);
    }
    // Whole numbers, of no more than the pairs of a batch.
    lanes.map(|lanes| lanes.into_iter().sum::<f64>() as u64)
}
