//! Auto counts in bins of mu and pi that mirror at 0: both orders of a pair, those without a sign among them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::engine::{Cpu, Isa, Silent};
use albireo::particles::Bits;
use albireo::tally::{
    CountSpec, Cut, InverseProbability, Legendre, PairNormalisation, PairWeight, Realisations, Sum,
};
use albireo::{
    Axis, Bins, Domain, Edges, Engine, LineOfSight, Naive, PairJob, Pairs, Particles, PeriodicBox,
    Points, RpPiBins, SMuBins, SignedEdges,
};

/// Numbers below `n`, always the same.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / (1u64 << 30) as f64
    }
}

/// Positions in [0, 8): on a lattice, at few distances from the origin, drawn freely, or some of each.
fn positions(n: usize, kind: u64, drawn: &mut Drawn) -> Vec<[f64; 3]> {
    let mut rows = vec![];
    for _ in 0..n {
        let free = std::array::from_fn(|_| 8.0 * drawn.unit());
        let lattice: [f64; 3] = std::array::from_fn(|_| drawn.below(16) as f64 / 2.0);
        // Coordinates exchanged are as far from the origin, to the last bit.
        let near = [0.5 + 0.1 * drawn.unit(), 3.0, 3.0 + 1e-9 * drawn.unit()];
        let turned = |k: u64, x: [f64; 3]| {
            [
                x[k as usize % 3],
                x[(k as usize + 1) % 3],
                x[(k as usize + 2) % 3],
            ]
        };
        match if kind == 3 { drawn.below(3) } else { kind } {
            0 => rows.push(lattice),
            1 => {
                let k = drawn.below(3);
                rows.push(if drawn.below(2) == 0 {
                    turned(k, [1.25, 2.5, 3.75])
                } else {
                    turned(k, near)
                });
                rows.push(turned(k + 1, near));
            }
            _ => rows.push(free),
        }
    }
    rows
}

fn sample(n: usize, kind: u64, seed: u64, shift: [f64; 3]) -> Particles {
    let mut drawn = Drawn(seed);
    let rows = positions(n, kind, &mut drawn);
    let rows: Vec<[f64; 3]> = rows
        .iter()
        .map(|x| [x[0] + shift[0], x[1] + shift[1], x[2] + shift[2]])
        .collect();
    of_rows(&rows)
}

/// Particles at these positions, with weights and bits.
fn of_rows(rows: &[[f64; 3]]) -> Particles {
    let mut drawn = Drawn(rows.len() as u64);
    let weights = rows.iter().map(|_| 0.25 + drawn.unit()).collect();
    let bits = rows.iter().map(|_| drawn.below(1 << 31) | 1).collect();
    let sample = Particles::weighted(Points::from_rows(rows).unwrap(), weights).unwrap();
    sample.with_bits(Bits::new(bits, 1).unwrap()).unwrap()
}

/// Compares the processor's counts with those of the double loop, with sums or without.
fn compare(sample: &Particles, domain: &Domain, bins: impl Into<Bins>, label: &str) {
    let bins = &bins.into();
    let job = PairJob::new(Pairs::Auto(sample), domain).unwrap();
    let plain = CountSpec::new(bins.clone());
    let weight =
        InverseProbability::new(1, Realisations::of_words(1), PairNormalisation::default());
    let bitwise = PairWeight::from(weight.unwrap());
    let quadrupole = Sum::WeightedLegendre(Legendre::L2);
    let dipole = Sum::Legendre(Legendre::L1);
    let cases = [
        plain.clone(),
        plain.clone().with_sum(Sum::Product),
        plain
            .clone()
            .with_sum(Sum::Product)
            .with_pair_weight(bitwise),
        plain.clone().with_sum(Sum::Separation).with_sum(quadrupole),
        plain.clone().with_sum(dipole),
        plain.with_cut(Cut::listed(
            (0..sample.len().min(2) as u32 / 2).map(|row| [row, row + 1]),
        )),
    ];
    for (case, what) in cases.iter().enumerate() {
        let expected = Naive.run(&job, what, &Silent).unwrap();
        for isa in Isa::available() {
            let cpu = Cpu::new().with_isa(isa).unwrap();
            let found = cpu.run(&job, what, &Silent).unwrap();
            assert_eq!(found, expected, "{label}, case {case}, {isa:?}");
        }
    }
}

/// The same in (s, mu) and in (rp, pi), in open space.
fn compare_both(sample: &Particles, across: &Edges, [mu, pi]: [SignedEdges; 2], los: LineOfSight) {
    let bins = SMuBins::new(across.clone(), mu, los).unwrap();
    compare(sample, &Domain::Open, &bins, "s, mu");
    let bins = RpPiBins::new(across.clone(), pi, los).unwrap();
    compare(sample, &Domain::Open, &bins, "rp, pi");
}

fn edges(n: usize, hi: f64) -> SignedEdges {
    SignedEdges::linear(-hi, hi, n).unwrap()
}

#[test]
fn both_orders_are_counted_in_bins_that_mirror() {
    let observer = [LineOfSight::Midpoint, LineOfSight::First];
    let axes = [Axis::X, Axis::Z].map(LineOfSight::Fixed);
    for kind in 0..4 {
        // One, few, and more than fill a block.
        for n in [1, 2, 90] {
            let sample = sample(n, kind, 7 * n as u64 + kind, [0.0; 3]);
            for los in observer.into_iter().chain(axes) {
                let label = format!("kind {kind}, {n} points, {los:?}");
                let s = Edges::linear(0.0, 3.0, 3).unwrap();
                for mu in [
                    edges(4, 1.0),
                    edges(5, 1.0),
                    edges(2, 0.5),
                    SignedEdges::new(vec![-1.0, 0.0, 0.5]).unwrap(),
                ] {
                    compare(
                        &sample,
                        &Domain::Open,
                        SMuBins::new(s.clone(), mu, los).unwrap(),
                        &label,
                    );
                }
                for pi in [edges(6, 2.5), edges(3, 2.5)] {
                    compare(
                        &sample,
                        &Domain::Open,
                        RpPiBins::new(s.clone(), pi, los).unwrap(),
                        &label,
                    );
                }
            }
        }
    }
}

#[test]
fn and_in_boxes() {
    let domain = Domain::Periodic(PeriodicBox::cubic(8.0).unwrap());
    for kind in [0, 2, 3] {
        let sample = sample(150, kind, 11 + kind, [0.0; 3]);
        for axis in [Axis::Y, Axis::Z] {
            let los = LineOfSight::Fixed(axis);
            let label = format!("kind {kind}, {axis:?}");
            let s = Edges::linear(0.0, 4.0, 4).unwrap();
            for n in [4, 5] {
                compare(
                    &sample,
                    &domain,
                    SMuBins::new(s.clone(), edges(n, 1.0), los).unwrap(),
                    &label,
                );
                compare(
                    &sample,
                    &domain,
                    RpPiBins::new(s.clone(), edges(n, 4.0), los).unwrap(),
                    &label,
                );
            }
        }
    }
}

/// A cut by the line of sight to one end holds a pair in one order and not in the other.
#[test]
fn what_cuts_one_order_alone_is_asked_in_both() {
    let sample = sample(60, 2, 5, [0.0; 3]);
    let s = Edges::linear(0.0, 5.0, 3).unwrap();
    let bins = SMuBins::new(s, edges(4, 1.0), LineOfSight::Midpoint).unwrap();
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let cut = Cut::rp(0.0, 1.5, LineOfSight::First).unwrap();
    let what = CountSpec::new(bins).with_cut(cut);
    let expected = Naive.run(&job, &what, &Silent).unwrap();
    let pairs = expected.pairs();
    assert!(pairs.chunks(4).any(|mu| mu[0] != mu[3] || mu[1] != mu[2]));
    assert_eq!(Cpu::new().run(&job, &what, &Silent).unwrap(), expected);
}

/// Seen from the origin, positions whose last two coordinates are exchanged are equally far, but their squares do not add up to the same
/// bits in that order.
#[test]
fn distances_that_differ_by_rounding_alone_have_no_sign() {
    let mut drawn = Drawn(3);
    let mut rows = vec![];
    for _ in 0..60 {
        let x: [f64; 3] = std::array::from_fn(|_| 1.0 + drawn.unit() / 3.0);
        rows.extend([x, [x[0], x[2], x[1]]]);
    }
    let differ = |pair: &&[[f64; 3]]| {
        let [a, b] = [0, 1].map(|k| pair[k].iter().fold(0.0, |sum, x| sum + x * x));
        a != b
    };
    assert!(rows.chunks(2).filter(differ).count() > 5);
    let sample = of_rows(&rows);
    for n in [2, 4] {
        let s = Edges::linear(0.0, 0.5, 2).unwrap();
        let along = [1.0, 0.5].map(|hi| edges(n, hi));
        compare_both(&sample, &s, along, LineOfSight::Midpoint);
    }
}

/// Where squares underflow to 0 there is no separation, though there is a difference.
#[test]
fn separations_that_underflow_have_no_sign() {
    let tiny = [0.0, 1e-200, -1e-200, 3e-200];
    let rows: Vec<[f64; 3]> = tiny
        .iter()
        .flat_map(|&a| tiny.map(|b| [a, b, 0.0]))
        .collect();
    let sample = of_rows(&rows);
    for axis in [Axis::X, Axis::Y] {
        let los = LineOfSight::Fixed(axis);
        let s = Edges::linear(0.0, 1.0, 2).unwrap();
        for n in [2, 3] {
            compare_both(&sample, &s, [1.0, 1.0].map(|hi| edges(n, hi)), los);
        }
    }
}

/// Antipodes have no line of sight, and what is equal to the last bit no direction.
#[test]
fn pairs_without_a_direction_have_no_sign() {
    let mut rows = vec![
        [1.0, 2.0, -3.0],
        [-1.0, -2.0, 3.0],
        [1.0, 2.0, -3.0],
        [2.0, 1.0, 3.0],
        [2.0, -1.0, 3.0],
    ];
    rows.extend([
        [1e-60, 0.0, 0.0],
        [-1e-60, 0.0, 0.0],
        [0.0, 1e-60, 0.0],
        [0.0; 3],
        [1e-60, 1e-60, 1e-60],
    ]);
    let sample = of_rows(&rows);
    for los in [LineOfSight::Midpoint, LineOfSight::Fixed(Axis::Y)] {
        for n in [2, 3, 8] {
            let s = Edges::linear(0.0, 9.0, 3).unwrap();
            compare_both(&sample, &s, [1.0, 8.0].map(|hi| edges(n, hi)), los);
        }
    }
}
