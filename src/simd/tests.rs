//! Every instruction set of this machine against plain arithmetic, lane by lane.

use super::{FINE_ROOT_ERROR, Isa, Kernel, MOST_EXACT_ROW, MOST_LANES, ROOT_ERROR, Simd};

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
                let exact = row == MOST_EXACT_ROW;
                let error = if exact { FINE_ROOT_ERROR } else { ROOT_ERROR };
                assert!((found - root).abs() <= error * root);
            }
            let exact = f64::from(values[k]) * f64::from(others[k]) + 0.5;
            let fused = f64::from(floats(simd.mul_add(a, b, simd.splat(0.5)))[k]);
            assert!((fused - exact).abs() <= 2e-7 * exact);
            let root = f64::from(S::RSQRT_FACTOR) / f64::from(values[k]).sqrt();
            assert!((f64::from(floats(simd.rsqrt(a))[k]) - root).abs() <= ROOT_ERROR * root);
            assert_eq!(stored(simd, simd.truncate(a))[k], values[k] as u32);
            assert_eq!(stored(simd, simd.less(a, b))[k] != 0, values[k] < others[k]);
        }
        integers(simd);
        products(simd);
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
    let factor = 0.3 * 2f64.powi(36);
    simd.terms(factor, &factors, &mut terms);
    for (term, f) in terms.into_iter().zip(factors).take(S::LANES) {
        let product = term.cast_signed() - (1 << 51) - (1 << 36);
        assert_eq!(product, crate::fixed_point::quantise(0.3 * f));
    }
}

#[test]
fn every_instruction_set_of_this_machine_computes_the_same() {
    for isa in Isa::available() {
        isa.dispatch(Suite);
    }
}
