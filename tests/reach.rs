//! Pairs at the very end of the reach: no bound that rows or pairs are left out by may leave these out. Every instruction set against the
//! naive reference, with `==`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::made::{counted, lin, sample, signed};
use crate::random;

use albireo::{Axis, Domain, Edges, Lattice, LineOfSight, Pairs, RBins, RpPiBins, SignedEdges};
use random::Random;

/// Pairs just within reach of blocks much larger than it: float32 offsets are off by a large part of the reach.
#[test]
fn pairs_at_the_end_of_the_reach_of_large_blocks() {
    let mut random = Random(31);
    for trial in 0..600 {
        let size = 2f64.powi(trial % 12);
        let axis = trial as usize % 3;
        let mut second = random.points(12, size);
        for x in &mut second {
            x[axis] -= size;
        }
        let face = [(); 3].map(|()| random.unit() * size * 0.25);
        let mut first = random.points(12, size);
        let within = 1.0 - 2f64.powf(-20.0 - 33.0 * random.unit());
        for (side, x) in [(1.0, &mut first[0]), (0.0, &mut second[0])] {
            *x = face;
            x[axis] = side * within;
        }
        for x in &mut first[1..] {
            x[axis] += 1.0;
        }
        let (first, second) = (sample(&first), sample(&second));
        let pairs = Pairs::Cross(&first, &second);
        for n in [4, 100] {
            let r = RBins::new(lin(0.0, 1.0, n));
            let counts = counted(pairs, &Domain::Open, &r);
            assert!(counts.npairs().iter().sum::<u64>() > 0);
            let los =
                LineOfSight::Fixed([Axis::X, Axis::Y, Axis::Z][(axis + trial as usize / 3) % 3]);
            let bins = RpPiBins::new(lin(0.0, 1.0, n), signed(0.0, 1.0, n), los).unwrap();
            counted(pairs, &Domain::Open, &bins);
        }
    }
}

/// Pairs below the last edges across and along x, whose squared separation is computed as a quarter of that of the shortest lattice
/// vector.
#[test]
fn the_far_corner_of_bins_that_fill_a_lattice() {
    let cell = [[10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 10.0]];
    let domain = Domain::Triclinic(Lattice::new(cell).unwrap());
    let first = sample(&[[0.0; 3]]);
    for ([across, along], [x, y, z]) in [
        (
            [4.702_642_345_063_65, 1.698_574_394_724_664_8],
            [
                1.698_574_394_724_664_5,
                3.281_099_797_120_888,
                3.368_861_698_989_587,
            ],
        ),
        (
            [3.822_714_520_100_871_6, 3.222_864_207_162_623_5],
            [
                3.222_864_207_162_623,
                2.835_116_466_055_161,
                2.564_227_159_612_215_7,
            ],
        ),
    ] {
        assert!((x * x + y * y) + z * z >= 25.0);
        let rp = Edges::new(vec![0.0, across]).unwrap();
        let pi = SignedEdges::new(vec![0.0, along]).unwrap();
        let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::X)).unwrap();
        let second = sample(&[[x, y, z]]);
        let counts = counted(Pairs::Cross(&second, &first), &domain, &bins);
        assert_eq!(counts.npairs().iter().sum::<u64>(), 1);
    }
}
