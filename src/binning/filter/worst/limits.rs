//! Where a filter is declined: what is left holds what it is said to.

use super::*;

/// Slots of squares, and whether they are sure.
struct Place<'a>(Radial<Logarithmic>, &'a [f32; MOST_LANES]);

impl Kernel for Place<'_> {
    type Output = [(u32, bool); MOST_LANES];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self(filter, squares) = self;
        let mut placed = [(0, false); MOST_LANES];
        for part in (0..MOST_LANES).step_by(S::LANES) {
            let square = simd.load(&squares[part..]);
            let (slot, certainty) = filter.place(simd, [square; 3], 0);
            let doubtful = simd.mask_bits(doubts(simd, &filter, certainty));
            let mut slots = [0; MOST_LANES];
            simd.store_u(slot, &mut slots);
            for lane in 0..S::LANES {
                placed[part + lane] = (slots[lane], doubtful >> lane & 1 == 0);
            }
        }
        placed
    }
}

/// As (rp, pi) along an observer's line of sight has it: the same for near squares and far ones, and large for some of both.
#[test]
fn what_is_sure_holds_within_an_error_that_is_the_same_for_all_squares() {
    let rounding = Rounding {
        scale: 1.0,
        half: 0.1,
        exact: 1e-15,
    };
    let mut random = Random(61);
    let mut sure = 0;
    for _ in 0..12_000 {
        // Wide bins, of which large errors are a small part.
        let ratio = libm::exp2(random.between(1.8, 3.0));
        let n = 1 + random.between(0.0, 3.0) as usize;
        let edge = |k: usize| libm::exp2((k as f64 - n as f64) * ratio.log2());
        let edges = Edges::new((0..=n).map(edge).collect()).unwrap();
        let constant = libm::exp2(random.between(-12.0, -2.0));
        let Some(filter) = Logarithmic::new(&edges, &rounding, &|_| constant) else {
            continue;
        };
        // As computed where the truth is just beyond an edge, and farther from one.
        let found = std::array::from_fn(|k| {
            let edge = edges.squares()[k % (n + 1)];
            let side = if (k / (n + 1)).is_multiple_of(2) {
                -1.0
            } else {
                1.0
            };
            let off = if random.unit() < 0.5 {
                constant * (1.0 - libm::exp2(-random.between(4.0, 20.0)))
            } else {
                constant * libm::exp2(random.between(0.0, 6.0))
            };
            ((edge + side * off).max(1e-20)) as f32
        });
        let placed = Isa::Portable.dispatch(Place(Radial(filter), &found));
        for (&square, (bin, _)) in found.iter().zip(placed).filter(|(_, p)| p.1) {
            for truth in [-1.0, 1.0].map(|side| f64::from(square) + side * constant) {
                let expected = edges.locate(truth.max(0.0));
                let found = ((bin as usize) < n).then_some(bin as usize);
                assert_eq!(found, expected, "{square} {truth} {constant} in {edges:?}");
            }
            sure += 1;
        }
    }
    assert!(sure > 1000, "{sure}");
}
