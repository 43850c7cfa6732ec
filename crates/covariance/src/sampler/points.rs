//! The points of one round.

/// Random points of one tracer in a round, column by column.
#[derive(Debug, Clone, Default)]
pub(super) struct RoundPoints {
    /// Their rows in the sample.
    pub(super) rows: Vec<u32>,
    pub(super) x: Vec<[f64; 3]>,
    /// Positions as the bins of tiles take them.
    pub(super) short: Vec<[f32; 3]>,
    /// Their bits, axis by axis.
    pub(super) short_bits: [Vec<u32>; 3],
    pub(super) weights: Vec<f64>,
    /// Weights in steps of the largest over 2^20.
    pub(super) steps: Vec<i32>,
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
        let number = number as usize;
        (self.short[number], self.steps[number].cast_unsigned())
    }

    /// Sets what follows from positions as the bins of tiles take them.
    pub(super) fn with_short(mut self, short: Vec<[f32; 3]>) -> Self {
        self.short_bits = [0, 1, 2].map(|axis| short.iter().map(|x| x[axis].to_bits()).collect());
        self.short = short;
        self
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
            steps: moved(&self.steps, order),
            regions: if self.regions.is_empty() {
                vec![]
            } else {
                moved(&self.regions, order)
            },
            words: [0, 1, 2, 3].map(|kind| moved(&self.words[kind], order)),
            ..Self::default()
        }
        .with_short(moved(&self.short, order))
    }
}
