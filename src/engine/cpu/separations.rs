//! Separations of the pairs that a filter places: from positions in the order of slots, in float64 lanes.
//!
//! Entry: [`SlotSeparations`], what a job needs for them, and [`Near`], the rows and lanes at hand. A term is defined by
//! [`crate::tally::Terms`]; what is here repeats it operation by operation.

#![allow(clippy::inline_always, reason = "it runs inside vector kernels")]

use albireo_simd::Simd;
use albireo_simd::fixed_point::{FRACTION_BITS, rest_as_term};

use super::Run;
use super::columns::leaves;
use crate::binning::{Form, Formed, LineOfSight};
use crate::domain::{Domain, Image};
use crate::tally::{Sum, WeightedSum};
use crate::traversal::{BLOCK, LEAF, Layout, Positions, vector};

/// What a pair adds to a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Summand {
    pub(super) of: Measure,
    /// Whether it is what the first word leaves.
    pub(super) is_rest: bool,
}

/// What a term is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Product,
    Separation,
    WeightedSeparation,
}

impl Summand {
    fn of(sum: &Sum) -> Option<Self> {
        let of = match (sum, sum.weighted()) {
            (_, Some((0, WeightedSum::Product))) => Measure::Product,
            (_, Some((0, WeightedSum::Separation))) => Measure::WeightedSeparation,
            (Sum::Separation, None) => Measure::Separation,
            _ => return None,
        };
        let is_rest = sum.is_rest();
        Some(Self { of, is_rest })
    }
}

/// The positions of a job's points in the order of slots, and the unit of their separations.
pub(super) struct SlotSeparations<'a> {
    domain: &'a Domain,
    first: Positions<'a>,
    second: Positions<'a>,
    /// The positions of each leaf of the second sample, axis by axis.
    leaves: Vec<[[f64; LEAF]; 3]>,
    /// What coordinates are multiplied by: a power of two.
    coordinate: f64,
    /// The axis that separations leave out.
    along: Option<usize>,
    sums: Vec<Summand>,
}

impl<'a> SlotSeparations<'a> {
    /// What a filtered run needs to make `sums`; none unless these are sums of separations, and of the products of one set of weights that
    /// nothing else weighs, where there are `products`.
    ///
    /// The image that brings two points into the bins must be their nearest, but for pairs so close to the last edge that the filter
    /// leaves them in doubt. `coordinate` is what separations are multiplied by.
    pub(super) fn wanted(
        run: &'a Run<'_>,
        formed: &Formed<'_>,
        (sums, products): (&[Sum], bool),
        coordinate: f64,
    ) -> Option<Self> {
        let domain = run.job.domain();
        let along = match formed.form {
            Form::Radial { .. } | Form::SMu { .. } => None,
            Form::RpPi {
                los: LineOfSight::Fixed(axis),
                ..
            } => Some(axis.index()),
            Form::RpPi { .. } => return None,
        };
        let sums: Vec<_> = sums.iter().map(Summand::of).collect::<Option<_>>()?;
        let weighted = sums.iter().any(|sum| sum.of != Measure::Separation);
        let separated = sums.iter().any(|sum| sum.of != Measure::Product);
        let wanted = separated
            && sums.len() <= MOST_SUMS
            && (products || !weighted)
            && !formed.on_sphere
            && is_nearest(run, formed);
        let samples = [&*run.first, run.second()];
        wanted.then(|| Self::new(domain, samples, (coordinate, along), sums))
    }

    fn new(
        domain: &'a Domain,
        [first, second]: [&'a Layout; 2],
        (coordinate, along): (f64, Option<usize>),
        sums: Vec<Summand>,
    ) -> Self {
        Self {
            domain,
            first: first.positions(),
            second: second.positions(),
            leaves: leaves(second, |x| across(along, x)),
            coordinate,
            along,
            sums,
        }
    }

    /// What is summed.
    pub(super) fn sums(&self) -> &[Summand] {
        &self.sums
    }

    /// Whether nothing but separations is summed, in all directions.
    pub(super) fn are_alone(&self) -> bool {
        let alone = matches!(self.sums[..], [sum] if sum.of == Measure::Separation);
        self.along.is_none() && alone
    }

    /// The position in a slot of the first sample, without the axis that is left out.
    #[inline(always)]
    fn position(&self, slot: usize) -> [f64; 3] {
        match self.along {
            None => self.first.at(slot),
            along => across(along, self.first.at(slot)),
        }
    }

    /// The scaled separation of two slots under `image`.
    fn of_pair(&self, [first, second]: [u32; 2], image: Image) -> f64 {
        let x1 = self.first.at(first as usize);
        let x2 = self.second.at(second as usize);
        let t = vector(self.domain, image);
        let d: [f64; 3] = std::array::from_fn(|k| x1[k] - x2[k] + t[k]);
        let d = across(self.along, d);
        let r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        r2.sqrt() * self.coordinate
    }

    /// What the pair of two slots adds to sum number `at`; `product` is that of their weights.
    pub(super) fn term(&self, at: usize, product: f64, pair: [u32; 2], image: Image) -> f64 {
        let Summand { of, is_rest } = self.sums[at];
        let term = match of {
            Measure::Product => product,
            Measure::Separation => self.of_pair(pair, image),
            Measure::WeightedSeparation => product * self.of_pair(pair, image),
        };
        if is_rest { rest_as_term(term) } else { term }
    }
}

/// Sums that are made together at most: of products and of both kinds of separations, two with second words.
pub(super) const MOST_SUMS: usize = 5;

/// Relative slack of the reach: far above the roundings of squares.
const BEYOND: f64 = 1e-9;

/// Whether the image that brings two points into the bins is their nearest, but for pairs so close to the last edge that the filter leaves
/// them in doubt.
pub(super) fn is_nearest(run: &Run<'_>, formed: &Formed<'_>) -> bool {
    match run.job.domain() {
        Domain::Triclinic(lattice) => {
            let radius = run.region.per_axis().into_iter().fold(0.0, f64::max);
            let sphere = !matches!(formed.form, Form::RpPi { .. });
            sphere && radius * radius * (1.0 + BEYOND) < lattice.sole_image2()
        }
        Domain::Open | Domain::Periodic(_) => true,
    }
}

/// What is left of a vector without an axis: squares of 0 change no sum of squares.
#[inline(always)]
fn across(along: Option<usize>, vector: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| if along == Some(k) { 0.0 } else { vector[k] })
}

/// One in fixed point.
pub(super) const ONE: f64 = (1u64 << FRACTION_BITS) as f64;

/// The rows and lanes that are met, and what moves them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Near {
    /// What is added to differences.
    moved: [f64; 3],
    /// The slot of the first row, and the leaf and its first lane.
    row: usize,
    lanes: [usize; 2],
}

impl Near {
    pub(super) fn move_by(&mut self, of: &SlotSeparations<'_>, vector: [f64; 3]) {
        self.moved = across(of.along, vector);
    }

    /// Meets the rows and the lanes from these slots on.
    #[inline(always)]
    pub(super) fn meet(&mut self, [first, second]: [usize; 2]) {
        self.row = first;
        self.lanes = [second / LEAF, second % LEAF];
    }

    /// The scaled separations of a row and a register of lanes, times `unit`; no more than 2 of it, as a term may be: pairs that lie in no
    /// slot may be anywhere.
    #[inline(always)]
    pub(super) fn separations<S: Simd>(
        &self,
        simd: S,
        of: &SlotSeparations<'_>,
        row: u8,
        unit: f64,
    ) -> [S::D; 2] {
        // Padding has no position; whose it is given does not matter.
        let x1 = of.position(self.row + row as usize % BLOCK);
        let [leaf, part] = self.lanes;
        let leaf = &of.leaves[leaf];
        let scale = simd.splat_d(of.coordinate * unit);
        let most = simd.splat_d(2.0 * unit);
        let low = square(simd, x1, leaf, part, self.moved);
        let high = square(simd, x1, leaf, part + S::DOUBLES, self.moved);
        [
            simd.min_d(simd.mul_d(simd.sqrt_d(low), scale), most),
            simd.min_d(simd.mul_d(simd.sqrt_d(high), scale), most),
        ]
    }
}

/// The squared separations of a row and the points of a leaf from number `lane` on.
#[inline(always)]
fn square<S: Simd>(
    simd: S,
    x1: [f64; 3],
    leaf: &[[f64; LEAF]; 3],
    lane: usize,
    moved: [f64; 3],
) -> S::D {
    let x = simd.sub_d(simd.splat_d(x1[0]), simd.load_d(&leaf[0][lane..]));
    let y = simd.sub_d(simd.splat_d(x1[1]), simd.load_d(&leaf[1][lane..]));
    let z = simd.sub_d(simd.splat_d(x1[2]), simd.load_d(&leaf[2][lane..]));
    let x = simd.add_d(x, simd.splat_d(moved[0]));
    let y = simd.add_d(y, simd.splat_d(moved[1]));
    let z = simd.add_d(z, simd.splat_d(moved[2]));
    let xy = simd.add_d(simd.mul_d(x, x), simd.mul_d(y, y));
    simd.add_d(xy, simd.mul_d(z, z))
}
