//! Bins along one coordinate in float32: which one a number lies in, alone or in a register.
//!
//! Entry: [`Along`]. Edges of equal steps need one product, any others a table by the leading bits of the number.

use albireo_simd::Simd;

use super::SamplerError;

/// Cells of a table at most.
const MOST_CELLS: u32 = 1 << 16;

/// Edges are of equal steps if they differ from multiples by less than this part of a step.
const EVEN: f64 = 1e-6;

/// Beyond every coordinate that has an upper end.
const BEYOND: f32 = 2.0;

/// Where bins begin and end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Along {
    n: u32,
    edges: Edges,
}

#[derive(Debug, Clone, PartialEq)]
enum Edges {
    /// Bin `trunc((x - first) * per)`, at most the last, where that product is at least 0 and below `limit`.
    Even { first: f32, per: f32, limit: f32 },
    /// The last edge that is not above x.
    Any(Any),
}

/// Edges, and a table of how many lie below numbers with the same leading bits.
#[derive(Debug, Clone, PartialEq)]
struct Any {
    edges: Vec<f32>,
    shift: u32,
    /// The leading bits of the lowest edge above 0: numbers below share its cell.
    base: u32,
    /// Edges at or below the beginning of each cell.
    below: Vec<u32>,
    /// The bits of the one edge inside it, or of a number above all others.
    inside: Vec<u32>,
}

impl Along {
    /// One bin that holds everything.
    pub(super) fn one() -> Self {
        let edges = Edges::Even {
            first: 0.0,
            per: 0.0,
            limit: 1.0,
        };
        Self { n: 1, edges }
    }

    /// Between these edges, of which the last belongs to its bin where it is `closed`.
    pub(super) fn new(
        axis: &'static str,
        edges: &[f64],
        closed: bool,
    ) -> Result<Self, SamplerError> {
        let n = edges.len() - 1;
        let step = (edges[n] - edges[0]) / n as f64;
        let is_even =
            |(k, edge): (usize, &f64)| (edge - edges[0] - k as f64 * step).abs() < EVEN * step;
        let edges = if edges.iter().enumerate().all(is_even) {
            Edges::Even {
                first: edges[0] as f32,
                per: (1.0 / step) as f32,
                limit: (n + usize::from(closed)) as f32,
            }
        } else {
            Edges::Any(Any::new(axis, edges, closed)?)
        };
        Ok(Self { n: n as u32, edges })
    }

    /// Number of bins.
    #[inline(always)]
    pub(super) fn n(&self) -> usize {
        self.n as usize
    }

    /// Its edges where they are not even, and as devices take it.
    #[cfg(feature = "cuda")]
    pub(super) fn on_device(&self) -> (&[f32], albireo_kernels::structs::SampledAxis) {
        let mut axis = albireo_kernels::structs::SampledAxis {
            bins: self.n,
            ..Default::default()
        };
        match &self.edges {
            Edges::Even { first, per, limit } => {
                (axis.even, axis.first, axis.per, axis.limit) = (1, *first, *per, *limit);
                (&[], axis)
            }
            Edges::Any(any) => (&any.edges, axis),
        }
    }

    /// The bin of a number of 0 or more.
    #[inline]
    pub(super) fn bin(&self, x: f32) -> Option<usize> {
        match &self.edges {
            Edges::Even { first, per, limit } => {
                let t = (x - first) * per;
                (t >= 0.0 && t < *limit).then(|| (t as usize).min(self.n() - 1))
            }
            Edges::Any(any) => {
                let count = any.edges.iter().filter(|edge| **edge <= x).count();
                (1..=self.n()).contains(&count).then(|| count - 1)
            }
        }
    }

    /// The bins of a register of numbers of 0 or more, and where they are in one.
    #[inline(always)]
    pub(super) fn bins<S: Simd>(&self, simd: S, x: S::F) -> (S::U, S::U) {
        let last = simd.splat_u(self.n - 1);
        match &self.edges {
            Edges::Even { first, per, limit } => {
                let t = simd.mul(simd.sub(x, simd.splat(*first)), simd.splat(*per));
                // What is below 0 is below the limit too.
                let below = simd.less(t, simd.splat(0.0));
                let inside = simd.xor(simd.less(t, simd.splat(*limit)), below);
                (simd.min_u(simd.truncate(t), last), inside)
            }
            Edges::Any(any) => {
                let bin = simd.sub_u(any.counts(simd, x), simd.splat_u(1));
                (bin, simd.at_most_u(bin, last))
            }
        }
    }
}

impl Any {
    fn new(axis: &'static str, values: &[f64], closed: bool) -> Result<Self, SamplerError> {
        let mut edges: Vec<f32> = values.iter().map(|&edge| edge as f32).collect();
        let n = edges.len() - 1;
        if closed {
            edges[n] = BEYOND;
        }
        let close = |index: usize| SamplerError::CloseEdges {
            axis,
            index,
            value: values[index],
        };
        if let Some(index) = (1..=n).find(|&k| edges[k] <= edges[k - 1]) {
            return Err(close(index));
        }
        let first = usize::from(edges[0] == 0.0);
        let bits: Vec<u32> = edges.iter().map(|edge| edge.to_bits()).collect();
        // The closest edges decide: no cell may hold two.
        let shared =
            |shift: u32| (first + 1..=n).find(|&k| bits[k] >> shift == bits[k - 1] >> shift);
        let mut shift = 23;
        while shift > 0 && shared(shift).is_some() {
            shift -= 1;
        }
        let base = bits[first] >> shift;
        let cells = (bits[n] >> shift) - base + 1;
        if cells > MOST_CELLS {
            return Err(close(shared(shift + 1).unwrap_or(n)));
        }
        let begin = |cell: u32| if cell == 0 { 0 } else { (base + cell) << shift };
        let below = |cell: u32| edges.iter().filter(|e| e.to_bits() <= begin(cell)).count();
        let inside = |cell: u32| {
            let next = bits.get(below(cell)).copied();
            next.filter(|next| next >> shift <= base + cell)
                .unwrap_or(f32::INFINITY.to_bits())
        };
        Ok(Self {
            shift,
            base,
            below: (0..cells).map(|cell| below(cell) as u32).collect(),
            inside: (0..cells).map(inside).collect(),
            edges,
        })
    }

    /// How many edges are not above each number.
    #[inline(always)]
    fn counts<S: Simd>(&self, simd: S, x: S::F) -> S::U {
        let base = simd.splat_u(self.base);
        let leading = simd.shift_right(simd.bits(x), self.shift);
        let cell = simd.sub_u(leading, simd.min_u(leading, base));
        let cell = simd.min_u(cell, simd.splat_u(self.below.len() as u32 - 1));
        let edge = simd.gather(&self.inside, cell);
        // Numbers without a sign are ordered as their bits; a mask is -1.
        let reached = simd.at_most_u(edge, simd.bits(x));
        simd.sub_u(simd.gather(&self.below, cell), reached)
    }
}

#[cfg(test)]
mod tests {
    use albireo_simd::{Isa, Kernel, MOST_LANES};

    use super::*;

    struct Bins<'a>(&'a Along, &'a [f32]);

    impl Kernel for Bins<'_> {
        type Output = Vec<Option<usize>>;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let mut out = vec![];
            for x in self.1.chunks(S::LANES) {
                let mut padded = [0.0; MOST_LANES];
                padded[..x.len()].copy_from_slice(x);
                let (bins, inside) = self.0.bins(simd, simd.load(&padded));
                let mut lanes = [[0; MOST_LANES]; 2];
                simd.store_u(bins, &mut lanes[0]);
                simd.store_u(inside, &mut lanes[1]);
                let found = lanes[0].into_iter().zip(lanes[1]).take(x.len());
                out.extend(found.map(|(bin, inside)| (inside != 0).then_some(bin as usize)));
            }
            out
        }
    }

    #[test]
    fn lanes_find_the_bins_of_single_numbers() {
        let logarithmic: Vec<f64> = (0..=30).map(|k| 1e-3 * 1.4f64.powi(k)).collect();
        let uneven = vec![0.0, 0.004, 0.1, 0.11, 0.5, 1.0];
        for (edges, closed) in [
            (
                (0..=45).map(|k| 0.02 + 0.004 * f64::from(k)).collect(),
                false,
            ),
            ((0..=100).map(|k| f64::from(k) / 100.0).collect(), true),
            (logarithmic, false),
            (uneven.clone(), true),
            (uneven, false),
            (vec![0.25, 0.3], false),
        ] {
            let along = Along::new("s", &edges, closed).unwrap();
            let near = |&edge: &f64| {
                let bits = (edge as f32).to_bits();
                [0, 1, 2].map(|k| f32::from_bits((bits + k).saturating_sub(1)))
            };
            let mut numbers: Vec<f32> = edges.iter().flat_map(near).collect();
            numbers.extend((0..3000u32).map(|k| k as f32 * 5e-4));
            let expected: Vec<_> = numbers.iter().map(|&x| along.bin(x)).collect();
            assert!(expected.iter().flatten().max() == Some(&(along.n() - 1)));
            for isa in Isa::available() {
                assert_eq!(isa.dispatch(Bins(&along, &numbers)), expected, "{isa:?}");
            }
        }
    }

    #[test]
    fn edges_that_float32_does_not_tell_apart_are_refused() {
        let edges = [0.0, 1.0, 1.0 + 1e-9, 3.0];
        assert!(matches!(
            Along::new("s", &edges, false),
            Err(SamplerError::CloseEdges { index: 2, .. })
        ));
    }
}
