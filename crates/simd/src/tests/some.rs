//! The lanes whose bits are set, one after the other.

use crate::{MOST_LANES, Simd};

#[inline(always)]
pub(super) fn lanes_of_bits<S: Simd>(simd: S) {
    for bits in [0u32, 1, 0b1010_0110, 0x8001, 0xffff, 0x7a35] {
        let bits = bits & ((1 << S::LANES) - 1);
        let mut to = [u32::MAX; MOST_LANES];
        let count = simd.store_lanes(bits, 70, &mut to);
        let expected = (0..32).filter(|lane| bits >> lane & 1 == 1);
        let expected: Vec<u32> = expected.map(|lane| 70 + lane).collect();
        assert_eq!(to[..count], expected);
        let slots: [u32; MOST_LANES] = std::array::from_fn(|lane| 70 + lane as u32);
        let count = simd.store_some_u(simd.load_u(&slots), bits, &mut to);
        assert_eq!(to[..count], expected);
        let (numbers, mut to, mut n) = (slots.map(f64::from), [0.0; 2 * MOST_LANES], 0);
        for at in (0..S::LANES).step_by(S::DOUBLES) {
            let bits = bits >> at & ((1 << S::DOUBLES) - 1);
            n += simd.store_some_d(simd.load_d(&numbers[at..]), bits, &mut to[n..]);
        }
        assert!(
            to[..n]
                .iter()
                .copied()
                .eq(expected.into_iter().map(f64::from))
        );
    }
}
