//! Every instruction set of this machine against plain arithmetic, lane by lane.

mod some;

use super::fixed_point::power_of_two;
use super::{
    Common, FINE_ROOT_ERROR, Factors, Isa, Kernel, MOST_LANES, Quotient, RECORDS, ROOT_ERROR, ROWS,
    Record, ShortRecord, Simd, WordRows,
};

struct Suite;

fn stored<S: Simd>(simd: S, lanes: S::U) -> [u32; MOST_LANES] {
    let mut out = [0; MOST_LANES];
    simd.store_u(lanes, &mut out);
    out
}

impl Kernel for Suite {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let values: [f32; MOST_LANES] = std::array::from_fn(|k| 0.37 * k as f32 + 1e-3);
        let others: [f32; MOST_LANES] = std::array::from_fn(|k| 2.9 - 0.11 * k as f32);
        let (a, b) = (simd.load(&values), simd.load(&others));
        let floats = |lanes: S::F| stored(simd, simd.bits(lanes)).map(f32::from_bits);
        for k in 0..S::LANES {
            assert_eq!(floats(simd.floats(simd.bits(a)))[k], values[k]);
            let bits = values[k].to_bits();
            assert_eq!(floats(simd.to_float(simd.bits(a)))[k], bits as f32);
            assert_eq!(floats(simd.add(a, b))[k], values[k] + others[k]);
            assert_eq!(floats(simd.sub(a, b))[k], values[k] - others[k]);
            assert_eq!(floats(simd.mul(a, b))[k], values[k] * others[k]);
            assert_eq!(floats(simd.max(a, b))[k], values[k].max(others[k]));
            assert_eq!(
                floats(simd.abs(simd.sub(a, b)))[k],
                (values[k] - others[k]).abs()
            );
            for row in 0..2 {
                let root = f64::from(values[k]).sqrt() * f64::from(S::ROOT_FACTORS[row]);
                let found = f64::from(floats(simd.root(a, row))[k]);
                assert!((found - root).abs() <= ROOT_ERROR * root);
            }
            let exact = f64::from(values[k]) * f64::from(others[k]) + 0.5;
            let fused = f64::from(floats(simd.mul_add(a, b, simd.splat(0.5)))[k]);
            assert!((fused - exact).abs() <= 2e-7 * exact);
            let root = f64::from(S::RSQRT_FACTOR) / f64::from(values[k]).sqrt();
            assert!((f64::from(floats(simd.rsqrt(a))[k]) - root).abs() <= ROOT_ERROR * root);
            assert_eq!(stored(simd, simd.truncate(a))[k], values[k] as u32);
            assert_eq!(stored(simd, simd.less(a, b))[k] != 0, values[k] < others[k]);
        }
        rounded(simd);
        integers(simd);
        common_bits(simd);
        products(simd);
        packed(simd);
        doubles(simd);
        rounded_sums(simd);
        fused(simd);
        records(simd);
        short_records(simd);
        quotients(simd);
        some::lanes_of_bits(simd);
    }
}

/// Ties, both signs and the largest.
#[inline(always)]
fn rounded<S: Simd>(simd: S) {
    for shift in 0..31 {
        let unit = (1u32 << shift) as f32;
        let values: [f32; MOST_LANES] = std::array::from_fn(|k| (0.25 * k as f32 - 2.0) * unit);
        let found = stored(simd, simd.round(simd.load(&values)));
        for k in 0..S::LANES {
            let expected = values[k].round_ties_even() as i32;
            let beyond = values[k].abs() >= power_of_two(31) as f32;
            assert!(
                beyond || found[k].cast_signed() == expected,
                "{}",
                values[k]
            );
        }
    }
}

#[inline(always)]
fn records<S: Simd>(simd: S) {
    let stored = |lanes: S::I| {
        let mut out = [0; RECORDS];
        simd.store_i(lanes, &mut out);
        out
    };
    // Integers that round down, up and to even, of both signs, and the ends of the range.
    let hard: [i64; 11] = [
        0,
        -1,
        1 << 53,
        (1 << 53) + 1,
        (1 << 53) + 3,
        -(1 << 54) - 2,
        -(1 << 54) - 6,
        i64::MAX,
        i64::MIN,
        0x1234_5678_9abc_def1,
        -0x7fed_cba9_8765_4321,
    ];
    let rows: Vec<Record> = (0..40)
        .map(|row| std::array::from_fn(|k| hard[(row * 3 + k) % 11].wrapping_mul(1 + row as i64)))
        .collect();
    let index: [u32; RECORDS] = std::array::from_fn(|k| (k * 29 + 11) as u32 % 40);
    let columns = simd.load_records(&rows, &index);
    let mut less = rows.clone();
    simd.take_off_records(columns, &mut less, &index);
    for (k, column) in columns.into_iter().enumerate() {
        let mut doubles = [0.0; RECORDS];
        simd.store_d(simd.to_double(column), &mut doubles);
        let sums = stored(simd.add_i(column, simd.splat_i(i64::MAX)));
        let differences = stored(simd.sub_i(simd.splat_i(7), column));
        let column = stored(column);
        for lane in 0..S::DOUBLES {
            let row = index[lane] as usize;
            let value = rows[row][k];
            assert_eq!(column[lane], value);
            assert_eq!(doubles[lane], value as f64);
            assert_eq!(sums[lane], value.wrapping_add(i64::MAX));
            assert_eq!(differences[lane], 7i64.wrapping_sub(value));
            assert_eq!((less[row][k], less[row][3]), (0, rows[row][3]));
        }
    }
    // The same row in every lane is taken off as often.
    let (mut same, ones) = (vec![[0; 4]; 2], [simd.splat_i(3); 3]);
    simd.take_off_records(ones, &mut same, &[1; RECORDS]);
    let times = S::DOUBLES as i64;
    assert_eq!(same, [[0; 4], [-3 * times, -3 * times, -3 * times, 0]]);
}

#[inline(always)]
fn rounded_sums<S: Simd>(simd: S) {
    let most = (1u64 << 50) as f64;
    let values: [f64; MOST_LANES] = std::array::from_fn(|k| match k % 8 {
        0 => most,
        1 => -most,
        2 => 0.5,
        3 => 1.5,
        4 => -2.5,
        _ => (k as f64 - 7.3) * 1e11,
    });
    let sums: [i64; MOST_LANES] = std::array::from_fn(|k| (k as i64 - 3) << 58);
    let mut found = [0; MOST_LANES];
    let added = simd.add_rounded(simd.load_i(&sums), simd.load_d(&values));
    simd.store_i(added, &mut found);
    for k in 0..S::DOUBLES {
        assert_eq!(found[k], sums[k] + values[k].round_ties_even() as i64);
    }
    let positive = values.map(|value| value.abs() + 1e-3);
    let mut seeds = [0.0; MOST_LANES];
    simd.store_d(simd.inverse_root_seed(simd.load_d(&positive)), &mut seeds);
    for k in 0..S::DOUBLES {
        let bits = super::ROOT_SEED - (positive[k].to_bits() >> 1);
        assert_eq!(seeds[k].to_bits(), bits);
        assert!((seeds[k] * positive[k].sqrt() - 1.0).abs() < 0.035);
    }
}

/// Products whose last bits are lost where they are rounded before the sum, and halves of integers of both signs.
#[inline(always)]
fn fused<S: Simd>(simd: S) {
    let of = |k: usize| 1.0 + (k as f64 + 1.0) * power_of_two(-32);
    let [a, b]: [[f64; MOST_LANES]; 2] = [1, 3].map(|step| std::array::from_fn(|k| of(step * k)));
    let mut found = [0.0; MOST_LANES];
    let (x, y) = (simd.load_d(&a), simd.load_d(&b));
    simd.store_d(simd.fused_d(x, y, simd.splat_d(-1.0)), &mut found);
    for k in 0..S::DOUBLES {
        assert_eq!(found[k], a[k].mul_add(b[k], -1.0));
        assert_ne!(found[k], a[k] * b[k] - 1.0);
    }
    let of = |k: usize| 1.0 + (k as f32 + 1.0) * power_of_two(-15) as f32;
    let [a, b]: [[f32; MOST_LANES]; 2] = [1, 3].map(|step| std::array::from_fn(|k| of(step * k)));
    let mut found = [0.0; MOST_LANES];
    let (x, y) = (simd.load(&a), simd.load(&b));
    simd.store(simd.fused(x, y, simd.splat(-1.0)), &mut found);
    for k in 0..S::LANES {
        assert_eq!(found[k], a[k].mul_add(b[k], -1.0));
        assert_ne!(found[k], a[k] * b[k] - 1.0);
    }
    let values: [u32; MOST_LANES] = std::array::from_fn(|k| (k as u32).wrapping_mul(0x9e37_79b9));
    let found = stored(simd, simd.upper_half(simd.load_u(&values)));
    for k in 0..S::LANES {
        assert_eq!(found[k].cast_signed(), values[k].cast_signed() >> 16);
    }
}

#[inline(always)]
fn common_bits<S: Simd>(simd: S) {
    for n_words in [0, 1, 2, 7, 32] {
        let mixed = |k: usize| (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let words: Vec<u64> = (0..n_words)
            .map(|w| mixed(w) | mixed(3 * w + 100))
            .collect();
        let mut points: Vec<u64> = (0..n_words * MOST_LANES).map(|k| mixed(k * k)).collect();
        for (k, point) in points.iter_mut().enumerate() {
            match k % MOST_LANES {
                0 => *point = 0,
                1 => *point = u64::MAX,
                _ => {}
            }
        }
        let mut found = [77; MOST_LANES];
        for part in (0..MOST_LANES).step_by(S::LANES) {
            let points = points.get(part..).unwrap_or_default();
            simd.common_bits(&words, points, &mut found);
            for (lane, found) in found.into_iter().enumerate().take(S::LANES) {
                let common = |w: usize| (words[w] & points[w * MOST_LANES + lane]).count_ones();
                let expected = (0..n_words).map(|w| u64::from(common(w))).sum::<u64>();
                assert_eq!(found, expected, "{n_words} words, lane {part} + {lane}");
            }
            for quotient in [
                (0.7, 1, 0.3),
                (129.0, 0, 0.0),
                (3.0, 0, -2.5),
                (1e-300, 5, 1.0),
                (1e-260, 300_000_000, 1.0),
                (0.99, 4_000_000_000, 1.0),
            ] {
                let (n, o, z) = quotient;
                let quotient = Quotient::new(n, o, z, n_words);
                let given = [0.1, 7.0].map(|from| std::array::from_fn(|k| from + k as f64));
                let mut weights: [[f64; MOST_LANES]; 2] = given;
                let mut two_rows = words.clone();
                two_rows.resize(2 * n_words, 0);
                let two_rows = WordRows {
                    words: &two_rows,
                    per_row: n_words,
                };
                let common = Common {
                    rows: two_rows,
                    points,
                    quotient: &quotient,
                };
                simd.divide_by_common(common, &[0, 1], &mut weights);
                for lane in 0..S::LANES {
                    for (row, common) in [found[lane], 0].into_iter().enumerate() {
                        let held = f64::from(o) + common as f64;
                        let inverse = if held == 0.0 { z } else { n / held };
                        let expected = given[row][lane] * inverse;
                        assert_eq!(weights[row][lane].to_bits(), expected.to_bits());
                    }
                }
                let (mut terms, mut expected) = ([0; ROWS * MOST_LANES], [0; MOST_LANES]);
                let factors = Factors {
                    rows: &std::array::from_fn(|k| 1e5 + 1e3 * k as f64),
                    lanes: &std::array::from_fn::<f64, MOST_LANES, _>(|k| 0.3 * k as f64 - 1.0),
                };
                simd.common_terms(common, [0, 1, 0, 1], factors, &mut terms);
                for (k, terms) in terms.chunks_exact(S::LANES).enumerate().take(ROWS) {
                    let products = std::array::from_fn::<f64, MOST_LANES, _>(|lane| {
                        let common = [found[lane], 0][k % 2];
                        factors.rows[k % 2] * factors.lanes[lane] * quotient.of(common)
                    });
                    simd.terms(1.0, &products, &mut expected);
                    assert_eq!(*terms, expected[..S::LANES]);
                }
            }
        }
    }
}

#[inline(always)]
fn integers<S: Simd>(simd: S) {
    let (lanes, other) = (
        simd.bits(simd.load(&std::array::from_fn::<f32, MOST_LANES, _>(|k| {
            f32::from_bits(5 * k as u32)
        }))),
        simd.splat_u(0x8000_0007),
    );
    let lane = |k: usize| 5 * k as u32;
    let table: Vec<u32> = (0..100).map(|k| 1000 - k).collect();
    let (sum, carry) = simd.carry_save(lanes, other, simd.splat_u(0x0f0f_0f0f));
    for k in 0..S::LANES {
        let (x, y, z) = (lane(k), 0x8000_0007u32, 0x0f0f_0f0fu32);
        assert_eq!(stored(simd, simd.add_u(lanes, other))[k], x.wrapping_add(y));
        assert_eq!(stored(simd, simd.sub_u(lanes, other))[k], x.wrapping_sub(y));
        assert_eq!(stored(simd, simd.mul_u(lanes, other))[k], x.wrapping_mul(y));
        assert_eq!(stored(simd, simd.min_u(lanes, other))[k], x.min(y));
        assert_eq!(stored(simd, simd.and(lanes, other))[k], x & y);
        assert_eq!(stored(simd, simd.or(lanes, other))[k], x | y);
        assert_eq!(stored(simd, simd.xor(lanes, other))[k], x ^ y);
        assert_eq!(stored(simd, simd.shift_left(other, 4))[k], y << 4);
        assert_eq!(stored(simd, simd.shift_right(other, 4))[k], y >> 4);
        assert_eq!(
            stored(simd, simd.at_most_u(lanes, simd.splat_u(15)))[k] != 0,
            x <= 15
        );
        assert_eq!(stored(simd, simd.at_most_u(other, lanes))[k], 0);
        assert_eq!(
            stored(simd, simd.one_hot(lanes))[k],
            1u32.checked_shl(x).unwrap_or(0)
        );
        let far_out = simd.splat_u(0x8000_0107);
        assert_eq!(stored(simd, simd.one_hot(far_out))[k], 0);
        assert_eq!(stored(simd, simd.gather(&table, lanes))[k], 1000 - x);
        assert_eq!(
            stored(simd, simd.equal_u(lanes, simd.splat_u(15)))[k] != 0,
            x == 15
        );
        assert_eq!(stored(simd, sum)[k], x ^ y ^ z);
        assert_eq!(stored(simd, carry)[k], (x & y) | (y & z) | (x & z));
    }
    assert_eq!(
        simd.mask_bits(simd.equal_u(lanes, simd.splat_u(15))),
        1 << 3
    );
    assert_eq!(simd.mask_bits(other), (1 << S::LANES) - 1);
}

#[inline(always)]
fn products<S: Simd>(simd: S) {
    let factors: [f64; MOST_LANES] = std::array::from_fn(|k| 0.1 * k as f64 - 0.77);
    let mut terms = [0; MOST_LANES];
    let factor = 0.3 * power_of_two(36);
    simd.terms(factor, &factors, &mut terms);
    for (term, f) in terms.into_iter().zip(factors).take(S::LANES) {
        let product = term.cast_signed() - (1 << 51) - (1 << 36);
        assert_eq!(product, crate::fixed_point::quantise(0.3 * f));
    }
}

#[inline(always)]
fn packed<S: Simd>(simd: S) {
    let highs: [u32; MOST_LANES] = std::array::from_fn(|k| 0x1234_5678u32.wrapping_mul(k as u32));
    let terms: [f64; MOST_LANES] = std::array::from_fn(|k| 0.5 + 1e9 * k as f64);
    let mut words = [0; MOST_LANES];
    let halves = [simd.load_d(&terms), simd.load_d(&terms[S::DOUBLES..])];
    simd.store_packed(simd.load_u(&highs), halves, &mut words);
    for k in 0..S::LANES {
        let term = terms[k].round_ties_even() as u64 + super::ROUNDING.to_bits();
        let expected = term.wrapping_add(u64::from(highs[k]) << 32);
        assert_eq!(words[k], expected);
    }
}

/// What a float64 lane says to what two numbers say.
#[inline(always)]
fn short_records<S: Simd>(simd: S) {
    let rows: Vec<ShortRecord> = (0..40u32)
        .map(|row| std::array::from_fn(|k| (4 * row + k as u32).wrapping_mul(0x9e37_79b9)))
        .collect();
    let index: [u32; MOST_LANES] = std::array::from_fn(|k| (k * 29 + 11) as u32 % 40);
    let columns = simd.load_short_records(&rows, &index);
    for (k, column) in columns.into_iter().enumerate() {
        let mut floats = [0.0; MOST_LANES];
        simd.store(simd.signed_to_float(column), &mut floats);
        let column = stored(simd, column);
        for lane in 0..S::LANES {
            let value = rows[index[lane] as usize][k];
            assert_eq!(column[lane], value);
            assert_eq!(floats[lane], value.cast_signed() as f32);
        }
    }
}

#[inline(always)]
fn quotients<S: Simd>(simd: S) {
    let bits = |k: usize| 0x3f80_0000 + (k as u32).wrapping_mul(0x9e37_79b9) % (1 << 28);
    for first in 0..200 {
        let a: [f32; MOST_LANES] = std::array::from_fn(|k| f32::from_bits(bits(first + k)));
        let b: [f32; MOST_LANES] = std::array::from_fn(|k| f32::from_bits(bits(7 * first + 3 * k)));
        let (x, y) = (simd.load(&a), simd.load(&b));
        let [mut quotients, mut roots] = [[0.0; MOST_LANES]; 2];
        simd.store(simd.div(x, y), &mut quotients);
        simd.store(simd.sqrt(x), &mut roots);
        for lane in 0..S::LANES {
            assert_eq!(quotients[lane], a[lane] / b[lane]);
            assert_eq!(roots[lane], a[lane].sqrt());
        }
    }
}

#[inline(always)]
fn doubles<S: Simd>(simd: S) {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let values = [0.1, -0.7, 1e-310, 3.0, inf, nan, 2.0, 1.0 / 3.0];
    for shift in 0..values.len() {
        let others: [f64; 8] = std::array::from_fn(|k| values[(k + shift) % values.len()]);
        for at in (0..values.len()).step_by(S::DOUBLES) {
            let (a, b) = (simd.load_d(&values[at..]), simd.load_d(&others[at..]));
            let (less, at_most) = (simd.less_d(a, b), simd.at_most_d(a, b));
            let found = [
                simd.add_d(a, b),
                simd.sub_d(a, b),
                simd.mul_d(a, b),
                simd.div_d(a, b),
                simd.sqrt_d(a),
                simd.min_d(a, b),
                simd.max_d(a, b),
                simd.select_d(less, a, b),
                simd.select_d(at_most, a, b),
                simd.select_d(simd.both(less, at_most), a, simd.splat_d(7.0)),
                simd.select_d(simd.either(less, at_most), a, simd.splat_d(7.0)),
            ];
            let mut lanes = [[0.0; 8]; 11];
            for (lanes, found) in lanes.iter_mut().zip(found) {
                simd.store_d(found, lanes);
            }
            for k in 0..S::DOUBLES {
                let (x, y) = (values[at + k], others[at + k]);
                let expected = [
                    x + y,
                    x - y,
                    x * y,
                    x / y,
                    x.sqrt(),
                    if x < y { x } else { y },
                    if x > y { x } else { y },
                    if x < y { x } else { y },
                    if x <= y { x } else { y },
                    if x < y { x } else { 7.0 },
                    if x <= y { x } else { 7.0 },
                ];
                for (found, expected) in lanes.iter().zip(expected) {
                    let same = found[k].to_bits() == expected.to_bits();
                    assert!(same || expected.is_nan() && found[k].is_nan(), "{x} {y}");
                }
            }
        }
    }
    let halves: [f64; 8] = std::array::from_fn(|k| 2.5 * k as f64 - 6.0);
    let (mut keys, mut rounded) = ([0; 8], [0; 8]);
    for at in (0..8).step_by(S::DOUBLES) {
        let a = simd.load_d(&halves[at..]);
        simd.store_keys(simd.mul_d(a, a), 45, &mut keys[at..]);
        simd.store_rounded(a, 1 << 50, &mut rounded[at..]);
    }
    for k in 0..8 {
        let square = halves[k] * halves[k];
        assert_eq!(keys[k], (square.to_bits() >> 45).cast_signed());
        assert_eq!(rounded[k], (1 << 50) + halves[k].round_ties_even() as i64);
    }
}

#[test]
fn every_instruction_set_of_this_machine_computes_the_same() {
    for isa in Isa::available() {
        isa.dispatch(Suite);
    }
}

/// The fine root of every float from 1 to 4, scaled by a power of 4.
struct FineRoots(f32);

impl Kernel for FineRoots {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> f64 {
        let mut worst = 0.0;
        // Code that is not optimised takes every so-many-th.
        let stride = if cfg!(debug_assertions) { 61 } else { 1 };
        for first in (1f32.to_bits()..4f32.to_bits()).step_by(stride * S::LANES) {
            let mut values = [1.0; MOST_LANES];
            for (k, value) in values.iter_mut().enumerate().take(S::LANES) {
                *value = f32::from_bits(first + k as u32) * self.0;
            }
            let mut found = [0.0; MOST_LANES];
            simd.store(simd.fine_root(simd.load(&values)), &mut found);
            for (value, found) in values.into_iter().zip(found).take(S::LANES) {
                let root = f64::from(value).sqrt();
                let found = f64::from(found) / f64::from(S::FINE_ROOT_FACTOR);
                worst = f64::max(worst, (found - root).abs() / root);
            }
        }
        worst
    }
}

#[test]
fn fine_roots_are_as_exact_as_they_say() {
    for isa in Isa::available() {
        for scale in [-50, 0, 62].map(|half| 4f32.powi(half)) {
            let worst = isa.dispatch(FineRoots(scale));
            assert!(worst <= FINE_ROOT_ERROR, "{isa:?}, {scale}: {worst}");
            assert!(worst > 0.9 * FINE_ROOT_ERROR / 1.1, "{isa:?}: {worst}");
        }
    }
}
