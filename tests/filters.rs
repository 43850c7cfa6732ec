//! Where filters come nearest to being wrong: pairs at the end of the reach, at edges on the boundaries of table cells, across the faces of
//! large boxes. Every instruction set against the naive reference, with `==`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::{Sums, count_pairs};
use albireo::engine::{Cpu, Isa};
use albireo::{
    Axis, Binning, Domain, Edges, Lattice, LineOfSight, Naive, PairCounts, PairJob, Pairs,
    Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges, Silent,
};

/// A small generator (splitmix64), so that inputs are the same everywhere.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn choice(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn points(&mut self, n: usize, size: f64) -> Vec<[f64; 3]> {
        (0..n)
            .map(|_| [(); 3].map(|()| self.unit() * size))
            .collect()
    }
}

fn sample(rows: &[[f64; 3]]) -> Particles {
    Particles::new(Points::from_rows(rows).unwrap())
}

/// The counts of the reference, which every instruction set must give too.
fn counted<B: Binning>(pairs: Pairs<'_>, domain: &Domain, bins: &B) -> PairCounts<B> {
    let job = PairJob::new(pairs, domain).unwrap();
    let expected = count_pairs(&Naive, &job, bins, Sums::default(), &Silent).unwrap();
    for isa in Isa::available() {
        let engine = Cpu::new().with_isa(isa).unwrap();
        let found = count_pairs(&engine, &job, bins, Sums::default(), &Silent).unwrap();
        assert!(found == expected, "{isa:?} {bins:?}");
    }
    expected
}

fn lin(lo: f64, hi: f64, n: usize) -> Edges {
    Edges::linear(lo, hi, n).unwrap()
}

fn signed(lo: f64, hi: f64, n: usize) -> SignedEdges {
    SignedEdges::linear(lo, hi, n).unwrap()
}

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

/// Edges that a table's cells begin at, so that no cell holds them, and pairs nearer to them than float32 can tell.
#[test]
fn pairs_next_to_edges_on_the_boundaries_of_table_cells() {
    let mut random = Random(41);
    let uneven = Edges::new(vec![0.0, 0.2, 0.5, 1.0]).unwrap();
    let even = lin(0.0, 1.0, 4);
    let sides = [uneven.clone(), even];
    let signed_sides = [
        SignedEdges::new(vec![-1.0, 0.0, 0.3, 1.0]).unwrap(),
        SignedEdges::new(vec![0.0, 0.2, 0.5, 1.0]).unwrap(),
        signed(0.0, 1.0, 4),
    ];
    for axis in 0..3 {
        let [mut first, mut second] = [vec![], vec![]];
        for _ in 0..150 {
            let x = [(); 3].map(|()| random.unit() + 1.0);
            let off = 1.0 + 2f64.powf(-21.0 - 6.0 * random.unit()) * (2.0 * random.unit() - 1.0);
            // Across an axis or the diagonal of two; half the size of the cube, or next to nothing, along the last.
            let mut d = [0.0; 3];
            d[axis] = 0.5 * off;
            d[(axis + 1) % 3] = [0.0, 0.3, 0.5 * off][random.choice(3)];
            d[(axis + 2) % 3] = [0.0, 1e-8][random.choice(2)] * (2.0 * random.unit() - 1.0);
            first.push(x);
            second.push([0, 1, 2].map(|k| x[k] + d[k]));
        }
        let (first, second) = (sample(&first), sample(&second));
        let pairs = Pairs::Cross(&first, &second);
        for across in &sides {
            counted(pairs, &Domain::Open, &RBins::new(across.clone()));
            for along in &signed_sides {
                for los in [LineOfSight::Fixed(Axis::Z), LineOfSight::Midpoint] {
                    let (across, along) = (across.clone(), along.clone());
                    let s_mu = SMuBins::new(across.clone(), along.clone(), los).unwrap();
                    counted(pairs, &Domain::Open, &s_mu);
                    let rp_pi = RpPiBins::new(across, along, los).unwrap();
                    counted(pairs, &Domain::Open, &rp_pi);
                }
            }
        }
    }
}

/// Pairs across the faces of a box so large that float64 rounds their differences by more than float32 rounds their separations.
#[test]
fn pairs_across_the_faces_of_a_box_much_larger_than_its_bins() {
    let mut random = Random(51);
    let cube = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let lattice = Lattice::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    for domain in [cube, Domain::Triclinic(lattice)] {
        for reach in [1e-7, 1e-9, 1e-11] {
            for axis in 0..3 {
                let [mut first, mut second] = [vec![], vec![]];
                for _ in 0..100 {
                    let edge = reach * [0.25, 0.5, 0.75, 1.0][random.choice(4)];
                    let from = edge * random.unit();
                    let off = 1.2e-16 * (2.0 * random.unit() - 1.0);
                    let mut x = [(); 3].map(|()| random.unit());
                    x[axis] = 1.0 - from;
                    let mut y = x;
                    y[axis] = edge - (1.0 - x[axis]) + off;
                    if (0.0..1.0).contains(&x[axis]) && y[axis] >= 0.0 {
                        first.push(x);
                        second.push(y);
                    }
                }
                let (first, second) = (sample(&first), sample(&second));
                for pairs in [Pairs::Cross(&first, &second), Pairs::Cross(&second, &first)] {
                    for n in [4, 100] {
                        let counts = counted(pairs, &domain, &RBins::new(lin(0.0, reach, n)));
                        assert!(counts.npairs().iter().sum::<u64>() > 0);
                    }
                    let uneven = Edges::new([0.25, 0.5, 0.75, 1.0].map(|e| e * reach).to_vec());
                    counted(pairs, &domain, &RBins::new(uneven.unwrap()));
                    let los = LineOfSight::Fixed([Axis::X, Axis::Y, Axis::Z][axis]);
                    let pi = signed(0.0, reach, 4);
                    let bins = RpPiBins::new(lin(0.0, reach, 4), pi, los).unwrap();
                    counted(pairs, &domain, &bins);
                }
            }
        }
    }
}
