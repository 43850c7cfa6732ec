//! Bins equal in the logarithm of a coordinate given squared, or nearly so, by a polynomial in the float's own bits.

use albireo_simd::{HALF_ULP, Simd};

use super::axes::AcrossAxis;
use super::linear::FixedPoint;
use super::{Edges, PairBounds, Rounding, SMALLEST};

/// `log2(m) - (m - 1)` on [1, 2], minimax, from the constant up.
const CORRECTION: [f64; 5] = [
    -1.512_854_623_905_985_5,
    3.070_090_791_858_758,
    -2.120_675_131_120_078,
    0.645_142_363_589_906_2,
    -0.081_615_808_498_415_7,
];

/// Bound on the error of [`CORRECTION`] in real arithmetic.
const CORRECTION_ERROR: f64 = 8.8e-5;

/// Equal bins of `c log2(x) + d x + b`, x the square of a coordinate.
///
/// A float x = 2^e m has the bits `(e + 127 + (m - 1)) 2^23`, so that the bits, read as an integer, give log2(x) up to
/// `log2(m) - (m - 1)`, a polynomial in m. The term d x takes angles in: their chords are nearly, but not quite, logarithmic.
/// Below the square `least` everything is doubtful.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logarithmic {
    /// c / 2^23.
    of_bits: f32,
    /// Coefficients of the powers of m; the constant holds b, the offset of the exponent and the base of the fixed point.
    of_mantissa: [f32; 5],
    /// d.
    of_square: f32,
    least: f32,
    /// Whether the error of a square depends on the separation and the error of a difference of 0 alone.
    shrinks: bool,
    far: f32,
    fixed: FixedPoint,
}

/// The map from a square to bins, `c log2(x) + d x + b`.
#[derive(Debug, Clone, Copy)]
struct Map {
    c: f64,
    d: f64,
    b: f64,
}

impl Map {
    fn at(&self, x: f64) -> f64 {
        self.c * x.log2() + self.d * x + self.b
    }

    /// The map through the first, the middle and the last edge; of two edges, without d.
    fn through(squares: &[f64]) -> Self {
        let n = squares.len() - 1;
        let middle = n / 2;
        let (x0, x1, x2) = (squares[0], squares[middle], squares[n]);
        let (l1, l2) = ((x1 / x0).log2(), (x2 / x0).log2());
        let (k1, k2) = (middle as f64, n as f64);
        // k = c l + d (x - x0) at both edges.
        let determinant = l1 * (x2 - x0) - l2 * (x1 - x0);
        let curved = (l1 * k2 - l2 * k1) / determinant;
        let d = if middle == 0 || curved < 0.0 {
            0.0
        } else {
            curved
        };
        let c = (k2 - d * (x2 - x0)) / l2;
        Self {
            c,
            d,
            b: -c * x0.log2() - d * x0,
        }
    }
}

impl Logarithmic {
    /// Bins between `edges`, if they fit the map; `square_error(v)` bounds the error of squares up to v^2, scaled.
    ///
    /// With the square known within a part `relative` of itself, t is off by at most `(c / ln 2 + d x) relative`, by what the edges
    /// are off the map, by the error of the polynomial, and by roundings: six of numbers up to 128 c (the bits as a float, their
    /// coefficient and product, the constant, two sums), and 60 units of c in the polynomial, whose terms are below 8 c. Squares
    /// below `least`, and those below the first edge by more than a factor two, are not known that well: the former are all doubtful,
    /// the latter stay below the first edge by the last check.
    pub(super) fn new(
        edges: &Edges,
        rounding: &Rounding,
        square_error: &dyn Fn(f64) -> f64,
    ) -> Option<Self> {
        let scale2 = rounding.scale * rounding.scale;
        let squares: Vec<f64> = edges.squares().iter().map(|e2| e2 * scale2).collect();
        let n = squares.len() - 1;
        let last = squares[n];
        if !(squares[0] > 1e-24 && last < 1e24) {
            return None;
        }
        let map = Map::through(&squares);
        let uneven = (0..=n).map(|k| (map.at(squares[k]) - k as f64).abs());
        let uneven = uneven.fold(0.0, f64::max);
        if !(map.c > 0.0 && map.c < 1e3 && uneven < 0.05) {
            return None;
        }
        let from = squares[0] / 4.0;
        let near = Self::least(&map, from, last, square_error);
        let relative = square_error(near.sqrt()) / near + 1e-8;
        let known = uneven
            + (map.c / std::f64::consts::LN_2 + map.d * last * 2.0) * 1.1 * relative
            + map.c * (CORRECTION_ERROR + (6.0 * 128.0 + 60.0) * HALF_ULP)
            + 3.0 * HALF_ULP * map.d * last * 2.0;
        let first_is_safe = relative < 0.1 && map.c > 2.0 * known;
        // Three more sums round near the base, and eps is less than an eighth of a bin.
        let (fixed, _) = FixedPoint::new(n, 0.0)?;
        let roundings = 4.0 * HALF_ULP * (fixed.whole() + 0.125);
        let (fixed, eps) = FixedPoint::new(n, known + roundings)?;
        let magic = fixed.whole() + eps;
        let mut of_mantissa = CORRECTION.map(|k| (map.c * k) as f32);
        of_mantissa[0] = (map.c * (CORRECTION[0] - 127.0) + map.b + magic) as f32;
        first_is_safe.then_some(Self {
            of_bits: (map.c / f64::from(1 << 23)) as f32,
            of_mantissa,
            of_square: map.d as f32,
            least: (near * 1.01) as f32,
            shrinks: true,
            far: (last * (1.5 / map.c).exp2()) as f32,
            fixed,
        })
    }

    /// The same bins where the error of a square depends on more than its own separation.
    pub(super) fn of_any_error(self) -> Self {
        Self {
            shrinks: false,
            ..self
        }
    }

    /// The square below which to doubt everything: a larger one dooms more pairs, a smaller one widens the band around every edge.
    fn least(map: &Map, from: f64, last: f64, square_error: &dyn Fn(f64) -> f64) -> f64 {
        let cost = |x: f64| {
            let band = map.c / std::f64::consts::LN_2 * square_error(x.sqrt()) / x;
            2.0 * band + 4.0 * (x / last).powf(1.5)
        };
        let mut best = from;
        let mut x = from;
        while x * 2.0 < last {
            x *= 2.0;
            if cost(x) < cost(best) {
                best = x;
            }
        }
        best
    }
}

impl AcrossAxis for Logarithmic {
    const HAS_LEAST: bool = true;

    fn doubtful(&self) -> u32 {
        self.fixed.doubtful()
    }

    fn least(&self) -> f32 {
        self.least
    }

    #[inline]
    fn within(self, pairs: &PairBounds) -> Self {
        if !self.shrinks {
            return self;
        }
        // With the error a s + e the relative error at s, 2 (a + e/s) and more, is that of the job where e/s is.
        let least = pairs.shrink(self.least).max(SMALLEST.min(self.least));
        Self { least, ..self }
    }

    fn strides(&self, stride: u32) -> bool {
        self.fixed.strides(stride)
    }

    fn far(&self) -> f32 {
        self.far
    }

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, square: S::F, _: usize) -> (S::U, S::U) {
        let bits = simd.bits(square);
        let one = simd.splat_u(1f32.to_bits());
        let mantissa = simd.or(simd.and(bits, simd.splat_u(0x007f_ffff)), one);
        let m = simd.floats(mantissa);
        let [k0, k1, k2, k3, k4] = self.of_mantissa;
        let t = simd.mul_add(m, simd.splat(k4), simd.splat(k3));
        let t = simd.mul_add(m, t, simd.splat(k2));
        let t = simd.mul_add(m, t, simd.splat(k1));
        let linear = simd.mul_add(square, simd.splat(self.of_square), simd.splat(k0));
        let linear = simd.mul_add(simd.to_float(bits), simd.splat(self.of_bits), linear);
        self.fixed.bin(simd, simd.mul_add(m, t, linear))
    }
}

#[cfg(test)]
mod tests {
    use super::super::axes::Radial;
    use super::super::{Filter, doubts};
    use super::*;
    use albireo_simd::{Isa, Kernel, MOST_LANES};

    #[test]
    fn the_correction_is_as_good_as_claimed() {
        for k in 0..=1 << 20 {
            let m = 1.0 + f64::from(k) / f64::from(1 << 20);
            let polynomial = CORRECTION.iter().rev().fold(0.0, |sum, c| sum * m + c);
            assert!((polynomial - (m.log2() - (m - 1.0))).abs() < CORRECTION_ERROR);
        }
    }

    struct Place<'a>(Logarithmic, &'a [f32]);

    impl Kernel for Place<'_> {
        type Output = Vec<(u32, bool)>;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let mut placed = vec![];
            for squares in self.1.chunks_exact(S::LANES) {
                let filter = Radial(self.0);
                let (slot, certainty) = filter.place(simd, [simd.load(squares); 3], 0);
                let (mut slots, mut doubtful) = ([0; MOST_LANES], [0; MOST_LANES]);
                simd.store_u(slot, &mut slots);
                simd.store_u(doubts(simd, &filter, certainty), &mut doubtful);
                placed.extend((0..S::LANES).map(|k| (slots[k], doubtful[k] == 0)));
            }
            placed
        }
    }

    /// Squares at every edge and up to ten errors beside it, and many in between and beyond.
    fn squares(edges: &Edges, error: &dyn Fn(f64) -> f64) -> Vec<f32> {
        let mut squares = vec![];
        for &e2 in edges.squares() {
            for k in -20..=20 {
                squares.push((e2 + f64::from(k) * 0.5 * error(e2.sqrt())) as f32);
            }
            for k in -4..=4 {
                squares.push(f32::from_bits((e2 as f32).to_bits().wrapping_add_signed(k)));
            }
        }
        let (lo, hi) = (
            edges.squares()[0].log2() - 8.0,
            edges.last().log2() * 2.0 + 20.0,
        );
        squares.extend((0..4000).map(|k| (lo + (hi - lo) * f64::from(k) / 4000.0).exp2() as f32));
        squares.extend([1e-26, 1e30, f32::MAX]);
        squares.resize(squares.len().next_multiple_of(MOST_LANES), 1.0);
        squares.iter().map(|&x| x.max(1e-26)).collect()
    }

    #[test]
    fn what_is_sure_holds_within_the_error() {
        let angles = |lo: f64, hi: f64| {
            let theta = Edges::logarithmic(lo, hi, 20).unwrap();
            let chord = |t: &f64| 2.0 * (t.to_radians() / 2.0).sin();
            Edges::new(theta.values().iter().map(chord).collect()).unwrap()
        };
        let all = [
            Edges::logarithmic(0.1, 1.0, 20).unwrap(),
            Edges::logarithmic(0.004, 1.0, 31).unwrap(),
            Edges::logarithmic(0.3, 0.9, 1).unwrap(),
            Edges::logarithmic(0.5, 1.0, 200).unwrap(),
            angles(0.01, 10.0),
            angles(1.0, 30.0),
        ];
        for edges in &all {
            let rounding = Rounding {
                scale: 1.0,
                half: 0.1,
                exact: 1e-15,
            };
            let error = |s: f64| rounding.of_square(s);
            let Some(filter) = Logarithmic::new(edges, &rounding, &error) else {
                panic!("{edges:?} has a filter");
            };
            let squares = squares(edges, &error);
            for isa in Isa::available() {
                let placed = isa.dispatch(Place(filter, &squares));
                for (&square, (bin, sure)) in squares.iter().zip(placed) {
                    let x = f64::from(square);
                    let bound = error(x.sqrt());
                    for truth in [x - bound, x, x + bound] {
                        let expected = edges.locate(truth.max(0.0));
                        let found = ((bin as usize) < edges.n_bins()).then_some(bin as usize);
                        assert!(!sure || found == expected, "{x} {truth} in {edges:?}");
                    }
                }
                let last = edges.last() * edges.last();
                let many: Vec<f32> = (1600..6400)
                    .map(|k| (last * f64::from(k) / 6400.0) as f32)
                    .collect();
                let placed = isa.dispatch(Place(filter, &many));
                let n_sure = placed.iter().filter(|(_, sure)| *sure).count();
                assert!(n_sure * 10 > many.len() * 9, "{n_sure} in {edges:?}");
            }
        }
    }

    #[test]
    fn edges_that_are_not_logarithmic_have_no_such_filter() {
        let rounding = Rounding {
            scale: 1.0,
            half: 0.1,
            exact: 1e-15,
        };
        let error = |s: f64| rounding.of_square(s);
        for edges in [
            Edges::linear(0.0, 1.0, 10).unwrap(),
            Edges::linear(0.1, 1.0, 10).unwrap(),
            Edges::new(vec![0.1, 0.2, 0.21, 0.8, 0.9]).unwrap(),
        ] {
            assert!(Logarithmic::new(&edges, &rounding, &error).is_none());
        }
    }
}
