//! The float64 numbers of the contract, in lanes: differences, squares and projections, operation by operation as the rule has them.

use albireo_simd::Simd;

use super::batch::{Batch, ROWS, Vectors, dot};
use crate::binning::LineOfSight;
use crate::domain::Domain;
use crate::traversal::{Block, LEAF, Translation};

/// Which pairs of two blocks have the translation at hand for their nearest image, in an orthorhombic box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Image {
    /// What is added to differences.
    vector: [f64; 3],
    /// The differences, before anything is added, of the pairs whose nearest image it is.
    range: [[f64; 2]; 3],
    /// Whether any pair may lie outside of the range.
    is_partial: bool,
}

/// By how much of the box two blocks must be inside the range of an image for none of their pairs to be outside: far above the
/// roundings of their boxes.
const CLEAR: f64 = 1e-9;

impl Image {
    /// The pairs of two blocks under `translation`.
    ///
    /// By the contract `d > L/2` becomes `d - L` and `d < -L/2` becomes `d + L`: to add `-L` or `L` is the same.
    #[inline]
    pub(super) fn new(domain: &Domain, translation: &Translation, blocks: [&Block; 2]) -> Self {
        let mut image = Self {
            vector: translation.vector,
            range: [[f64::NEG_INFINITY, f64::INFINITY]; 3],
            is_partial: false,
        };
        let Domain::Periodic(cell) = domain else {
            return image;
        };
        let [first, second] = blocks.map(|block| &block.bounds);
        for k in 0..3 {
            let Some(length) = cell.lengths()[k] else {
                continue;
            };
            let half = length / 2.0;
            let range = match translation.image[k] {
                0 => [-half, half],
                1 => [f64::NEG_INFINITY, (-half).next_down()],
                _ => [half.next_up(), f64::INFINITY],
            };
            let apart = first.centre[k] - second.centre[k];
            let extent = first.half[k] + second.half[k] + CLEAR * length;
            image.is_partial |= apart - extent < range[0] || apart + extent > range[1];
            image.range[k] = range;
        }
        image
    }

    fn is_identity(&self) -> bool {
        self.vector == [0.0; 3]
    }
}

/// What the difference of a pair goes through.
const PLAIN: u8 = 0;
const MOVED: u8 = 1;
const CHECKED: u8 = 2;

/// The points of a batch: positions of its rows, and those of its lanes axis by axis.
#[derive(Debug)]
pub(super) struct Points<'a> {
    pub(super) rows: [[f64; 3]; ROWS],
    pub(super) lanes: [&'a [f64]; 3],
}

/// Differences and their squares under `image`; `kept`, the differences too. Squares are infinite where it is not the nearest.
#[inline(always)]
pub(super) fn separations<S: Simd>(
    simd: S,
    batch: &mut Batch,
    points: &Points<'_>,
    image: &Image,
    kept: bool,
) {
    match (image.is_partial, image.is_identity(), kept) {
        (true, _, true) => separate::<S, CHECKED, true>(simd, batch, points, image),
        (true, _, false) => separate::<S, CHECKED, false>(simd, batch, points, image),
        (false, false, true) => separate::<S, MOVED, true>(simd, batch, points, image),
        (false, false, false) => separate::<S, MOVED, false>(simd, batch, points, image),
        (false, true, true) => separate::<S, PLAIN, true>(simd, batch, points, image),
        (false, true, false) => separate::<S, PLAIN, false>(simd, batch, points, image),
    }
}

#[inline(always)]
fn load3<S: Simd>(simd: S, columns: &[&[f64]; 3], at: usize) -> Vectors<S> {
    [
        simd.load_d(&columns[0][at..]),
        simd.load_d(&columns[1][at..]),
        simd.load_d(&columns[2][at..]),
    ]
}

#[inline(always)]
fn splat3<S: Simd>(simd: S, x: [f64; 3]) -> Vectors<S> {
    [simd.splat_d(x[0]), simd.splat_d(x[1]), simd.splat_d(x[2])]
}

#[inline(always)]
fn separate<S: Simd, const MODE: u8, const KEPT: bool>(
    simd: S,
    batch: &mut Batch,
    points: &Points<'_>,
    image: &Image,
) {
    let t = splat3(simd, image.vector);
    let [x, y, z] = image.range;
    let (lo, hi) = (
        splat3(simd, [x[0], y[0], z[0]]),
        splat3(simd, [x[1], y[1], z[1]]),
    );
    let nowhere = simd.splat_d(f64::INFINITY);
    for part in (0..LEAF).step_by(S::DOUBLES) {
        let x2 = load3(simd, &points.lanes, part);
        for (row, x1) in points.rows.iter().enumerate().take(batch.n_rows) {
            let at = row * LEAF + part;
            let x1 = splat3(simd, *x1);
            let straight = [
                simd.sub_d(x1[0], x2[0]),
                simd.sub_d(x1[1], x2[1]),
                simd.sub_d(x1[2], x2[2]),
            ];
            let mut d = straight;
            if MODE != PLAIN {
                d = [
                    simd.add_d(d[0], t[0]),
                    simd.add_d(d[1], t[1]),
                    simd.add_d(d[2], t[2]),
                ];
            }
            let mut r2 = dot(simd, d, d);
            if MODE == CHECKED {
                let mut holds = simd.less_d(r2, nowhere);
                for k in 0..3 {
                    holds = simd.both(holds, simd.at_most_d(lo[k], straight[k]));
                    holds = simd.both(holds, simd.at_most_d(straight[k], hi[k]));
                }
                r2 = simd.select_d(holds, r2, nowhere);
            }
            if KEPT {
                for (d, to) in d.into_iter().zip(&mut batch.d) {
                    simd.store_d(d, &mut to[at..]);
                }
            }
            simd.store_d(r2, &mut batch.across[at..]);
        }
    }
}

/// What a line of sight gives of a register of pairs, as the rule has it.
struct Projected<S: Simd> {
    dl: S::D,
    dl2: S::D,
    l2: S::D,
    /// What the squares of cosines are divided by.
    scale: S::D,
    /// Where there is no direction.
    none: S::M,
}

#[inline(always)]
fn project<S: Simd>(
    simd: S,
    batch: &Batch,
    points: &Points<'_>,
    los: LineOfSight,
    at: usize,
) -> Projected<S> {
    let (zero, one) = (simd.splat_d(0.0), simd.splat_d(1.0));
    let r2 = simd.load_d(&batch.across[at..]);
    let no_length = simd.at_most_d(r2, zero);
    if let LineOfSight::Fixed(axis) = los {
        let dl = simd.load_d(&batch.d[axis.index()][at..]);
        return Projected {
            dl,
            dl2: simd.mul_d(dl, dl),
            l2: one,
            scale: r2,
            none: no_length,
        };
    }
    let d = [
        simd.load_d(&batch.d[0][at..]),
        simd.load_d(&batch.d[1][at..]),
        simd.load_d(&batch.d[2][at..]),
    ];
    let x1 = splat3(simd, points.rows[at / LEAF % ROWS]);
    let x2 = load3(simd, &points.lanes, at % LEAF);
    let l = match los {
        LineOfSight::First => x1,
        LineOfSight::End => x2,
        _ => [
            simd.add_d(x1[0], x2[0]),
            simd.add_d(x1[1], x2[1]),
            simd.add_d(x1[2], x2[2]),
        ],
    };
    let (dl, l2) = (dot(simd, d, l), dot(simd, l, l));
    Projected {
        dl,
        dl2: simd.mul_d(dl, dl),
        l2,
        scale: simd.mul_d(r2, l2),
        none: simd.either(no_length, simd.at_most_d(l2, zero)),
    }
}

/// How squared cosines are looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sought {
    /// The range of the cells.
    pub(super) range: [f64; 2],
    /// What asks the rule.
    pub(super) asks: f64,
    /// Below this scale the product with an edge may be subnormal, and the rule is asked.
    pub(super) least_scale: f64,
}

/// The coordinates of (s, mu): what is compared along the line of sight, and with which scale.
#[inline(always)]
pub(super) fn cosines<S: Simd>(
    simd: S,
    batch: &mut Batch,
    points: &Points<'_>,
    los: LineOfSight,
    sought: &Sought,
) {
    let (zero, one) = (simd.splat_d(0.0), simd.splat_d(1.0));
    let (lo, hi) = (simd.splat_d(sought.range[0]), simd.splat_d(sought.range[1]));
    let (asks, least) = (simd.splat_d(sought.asks), simd.splat_d(sought.least_scale));
    for at in (0..batch.n_pairs()).step_by(S::DOUBLES) {
        let p = project(simd, batch, points, los, at);
        let dl2 = simd.select_d(p.none, zero, p.dl2);
        let scale = simd.select_d(p.none, one, p.scale);
        let cosine2 = simd.min_d(simd.div_d(dl2, scale), one);
        let within = simd.max_d(simd.min_d(cosine2, hi), lo);
        let within = simd.select_d(simd.less_d(scale, least), asks, within);
        simd.store_d(simd.select_d(p.none, zero, p.dl), &mut batch.dl[at..]);
        simd.store_d(dl2, &mut batch.along[at..]);
        simd.store_d(scale, &mut batch.scale[at..]);
        simd.store_d(within, &mut batch.sought[at..]);
    }
}

/// The coordinates of (rp, pi).
#[inline(always)]
pub(super) fn distances<S: Simd>(
    simd: S,
    batch: &mut Batch,
    points: &Points<'_>,
    los: LineOfSight,
) {
    let zero = simd.splat_d(0.0);
    let nowhere = simd.splat_d(f64::INFINITY);
    let others = match los {
        LineOfSight::Fixed(axis) => Some([[1, 2], [0, 2], [0, 1]][axis.index()]),
        _ => None,
    };
    for at in (0..batch.n_pairs()).step_by(S::DOUBLES) {
        let p = project(simd, batch, points, los, at);
        let r2 = simd.load_d(&batch.across[at..]);
        let (rp2, pi2, dl);
        if let Some([a, b]) = others {
            let a = simd.load_d(&batch.d[a][at..]);
            let b = simd.load_d(&batch.d[b][at..]);
            rp2 = simd.add_d(simd.mul_d(a, a), simd.mul_d(b, b));
            (pi2, dl) = (p.dl2, p.dl);
        } else {
            let quotient = simd.div_d(p.dl2, p.l2);
            let rest = simd.sub_d(r2, quotient);
            let rest = simd.select_d(simd.less_d(rest, zero), zero, rest);
            rp2 = simd.select_d(p.none, r2, rest);
            pi2 = simd.select_d(p.none, zero, quotient);
            dl = simd.select_d(p.none, zero, p.dl);
        }
        let is_pair = simd.less_d(r2, nowhere);
        simd.store_d(
            simd.select_d(is_pair, rp2, nowhere),
            &mut batch.across[at..],
        );
        simd.store_d(pi2, &mut batch.along[at..]);
        simd.store_d(dl, &mut batch.dl[at..]);
    }
}

/// The pairs whose square lies in `[from, to)`, taken out of the batch.
pub(super) fn take_out(batch: &mut Batch, [from, to]: [f64; 2], mut taken: impl FnMut([usize; 2])) {
    for k in 0..batch.n_pairs() {
        if batch.across[k] >= from && batch.across[k] < to {
            batch.across[k] = f64::INFINITY;
            taken(batch.pair(k));
        }
    }
}
