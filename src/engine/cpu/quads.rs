//! Rows that the filter has put into slots and that wait for what else is done with them: compiled once, not once for every filter.
//!
//! Entries: [`Deferred`], a histogram of pairs that cost more than to find their slots, and [`TakeQuads`], which hands rows that wait to
//! a histogram.

use albireo_simd::{
    Factors, Histogram, Kernel, MOST_LANES, ROWS, Scatter, ScatterSets, Simd, Totals,
};

use super::realised::InRealisations;
use super::realised_rows::InRows;
use super::scattered::Scattered;
use super::valued::Valued;
use super::weighed::Weighed;
use crate::domain::Image;
use crate::traversal::BLOCK;

/// Quads of one run of rows: those of a block, and padding.
pub(super) const MOST_QUADS: usize = BLOCK / ROWS + 2;

/// Rows in fours, and the slots of their pairs with a register of lanes.
#[repr(C, align(64))] // Slots come first, so that no register of them straddles two cache lines.
pub(super) struct Quads {
    slots: [[[u32; MOST_LANES]; ROWS]; MOST_QUADS],
    rows: [[u8; ROWS]; MOST_QUADS],
    n: usize,
}

impl Quads {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            slots: [[[0; _]; _]; _],
            rows: [[0; _]; _],
            n: 0,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.n
    }

    pub(super) fn clear(&mut self) {
        self.n = 0;
    }

    #[inline(always)]
    pub(super) fn push<S: Simd>(&mut self, simd: S, slots: [S::U; ROWS], rows: [u8; ROWS]) {
        let to = &mut self.slots[self.n];
        for (slots, to) in slots.into_iter().zip(to) {
            simd.store_u(slots, to);
        }
        self.rows[self.n] = rows;
        self.n += 1;
    }

    /// Row `k` of quad `at`, and the slot of its pair with a lane.
    #[inline(always)]
    pub(super) fn pair(&self, at: usize, k: usize, lane: usize) -> (u8, u32) {
        (self.rows[at][k], self.slots[at][k][lane])
    }
}

/// Hands the rows that wait to a histogram.
pub(super) struct TakeQuads<'a, H> {
    pub(super) histogram: &'a mut H,
    pub(super) quads: &'a Quads,
    /// The slots of the first row and of the first lane, in their samples.
    pub(super) met: [usize; 2],
    pub(super) factors: Factors<'a>,
}

impl<H: Histogram> Kernel for TakeQuads<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self {
            histogram, quads, ..
        } = self;
        let mut open = histogram.open(simd, self.met);
        for (slots, &rows) in quads.slots.iter().zip(&quads.rows).take(quads.n) {
            let slots = [
                simd.load_u(&slots[0]),
                simd.load_u(&slots[1]),
                simd.load_u(&slots[2]),
                simd.load_u(&slots[3]),
            ];
            histogram.take_placed(simd, &mut open, slots, rows, self.factors);
        }
        histogram.close(simd, open, self.factors);
    }
}

/// A histogram whose pairs cost several times what finding their slots does.
pub(super) enum Dear<'a> {
    Weighed(Box<Weighed<'a>>),
    Sets(Box<ScatterSets<'a>>),
    Separated(Scattered<'a>),
    Valued(Box<Valued<'a>>),
    Realised(Box<InRealisations<'a>>),
    RealisedRows(InRows<'a, false>),
    RealisedSums(InRows<'a, true>),
}

/// The same, handed a run of rows at a time.
pub(super) struct Deferred<'a> {
    quads: Box<Quads>,
    of: Dear<'a>,
}

impl<'a> Deferred<'a> {
    pub(super) fn new(of: Dear<'a>) -> Self {
        Self {
            quads: Quads::new(),
            of,
        }
    }
}

const fn least(a: u64, b: u64) -> u64 {
    if a < b { a } else { b }
}

impl Histogram for Deferred<'_> {
    const SIFTS: bool = true;
    const DEFERS: bool = true;

    const FLUSH_PAIRS: u64 = least(
        Scatter::<true>::FLUSH_PAIRS,
        <ScatterSets<'_> as Histogram>::FLUSH_PAIRS,
    );

    type Open<S: Simd> = [usize; 2];

    fn move_by(&mut self, vector: [f64; 3]) {
        match &mut self.of {
            Dear::Separated(of) => of.move_by(vector),
            Dear::Valued(of) => of.move_by(vector),
            Dear::Weighed(_)
            | Dear::Sets(_)
            | Dear::Realised(_)
            | Dear::RealisedRows(_)
            | Dear::RealisedSums(_) => {}
        }
    }

    #[inline(always)]
    fn open<S: Simd>(&mut self, _: S, met: [usize; 2]) -> [usize; 2] {
        self.quads.clear();
        met
    }

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        _: &mut [usize; 2],
        slots: [S::U; ROWS],
        rows: [u8; ROWS],
        _: Factors<'_>,
    ) {
        self.quads.push(simd, slots, rows);
    }

    #[inline(always)]
    fn close<S: Simd>(&mut self, simd: S, met: [usize; 2], factors: Factors<'_>) {
        simd.vectorize(TakeDeferred {
            deferred: self,
            met,
            factors,
        });
    }

    fn product(&self, product: f64, pair: [u32; 2], image: Image, set: usize) -> f64 {
        match &self.of {
            Dear::Weighed(of) => of.product(product, pair, image, set),
            Dear::Sets(of) => of.product(product, pair, image, set),
            Dear::Separated(of) => of.product(product, pair, image, set),
            Dear::Valued(of) => of.product(product, pair, image, set),
            Dear::Realised(of) => of.product(product, pair, image, set),
            Dear::RealisedRows(of) => of.product(product, pair, image, set),
            Dear::RealisedSums(of) => of.product(product, pair, image, set),
        }
    }

    fn flush(&mut self, totals: &mut Totals) {
        match &mut self.of {
            Dear::Weighed(of) => of.flush(totals),
            Dear::Sets(of) => of.flush(totals),
            Dear::Separated(of) => of.flush(totals),
            Dear::Valued(of) => of.flush(totals),
            Dear::Realised(of) => of.flush(totals),
            Dear::RealisedRows(of) => of.flush(totals),
            Dear::RealisedSums(of) => of.flush(totals),
        }
    }
}

/// Hands the rows of one run on.
struct TakeDeferred<'a, 'b> {
    deferred: &'a mut Deferred<'b>,
    met: [usize; 2],
    factors: Factors<'a>,
}

impl Kernel for TakeDeferred<'_, '_> {
    type Output = ();
    const COUNTS_BITS: bool = true;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { met, factors, .. } = self;
        let Deferred { quads, of } = self.deferred;
        match of {
            Dear::Weighed(histogram) => take(simd, &mut **histogram, quads, met, factors),
            Dear::Sets(histogram) => take(simd, &mut **histogram, quads, met, factors),
            Dear::Separated(histogram) => take(simd, histogram, quads, met, factors),
            Dear::Valued(histogram) => take(simd, &mut **histogram, quads, met, factors),
            Dear::Realised(histogram) => take(simd, &mut **histogram, quads, met, factors),
            Dear::RealisedRows(histogram) => take(simd, histogram, quads, met, factors),
            Dear::RealisedSums(histogram) => take(simd, histogram, quads, met, factors),
        }
    }
}

#[inline(always)]
fn take<S: Simd, H: Histogram>(
    simd: S,
    histogram: &mut H,
    quads: &Quads,
    met: [usize; 2],
    factors: Factors<'_>,
) {
    let all = TakeQuads {
        histogram,
        quads,
        met,
        factors,
    };
    all.run(simd);
}
