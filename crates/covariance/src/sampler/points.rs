//! The points of one round.

use albireo_simd::ShortRecord;

/// Random points of one tracer in a round, column by column.
#[derive(Debug, Clone, Default)]
pub(super) struct RoundPoints {
    /// Their rows in the sample.
    pub(super) rows: Vec<u32>,
    pub(super) x: Vec<[f64; 3]>,
    /// The bits of positions as the bins of tiles take them, and weights in steps of the largest over 2^20.
    pub(super) short: Vec<ShortRecord>,
    pub(super) weights: Vec<f64>,
    /// Their regions, where sums by region are asked for.
    pub(super) regions: Vec<u32>,
    pub(super) words: [Vec<u32>; 4],
}

impl RoundPoints {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The position of a point and its weight in steps.
    #[inline(always)]
    pub(super) fn end(&self, number: u32) -> ([f32; 3], u32) {
        let [x, y, z, steps] = self.short[number as usize];
        ([x, y, z].map(f32::from_bits), steps)
    }

    /// The same points in another order.
    pub(super) fn in_order(&self, order: &[u32]) -> Self {
        fn moved<T: Copy>(column: &[T], order: &[u32]) -> Vec<T> {
            order.iter().map(|&k| column[k as usize]).collect()
        }
        Self {
            rows: moved(&self.rows, order),
            x: moved(&self.x, order),
            weights: moved(&self.weights, order),
            short: moved(&self.short, order),
            regions: if self.regions.is_empty() {
                vec![]
            } else {
                moved(&self.regions, order)
            },
            words: [0, 1, 2, 3].map(|kind| moved(&self.words[kind], order)),
        }
    }
}
