//! The float64 lanes of the CPU engine against the double loop, with `==`: every list of sums, binning and domain, on inputs where a
//! rounding more or less would show.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::made::lin;
use crate::processors;
use crate::random;

use std::sync::Arc;

use albireo::engine::{Cpu, Silent, Traversal};
use albireo::error::EngineError;
use albireo::tally::{Classes, CountSpec, Legendre, PairTerm, Sum};
use albireo::{
    Axis, Bins, Domain, Edges, Engine, Labels, Lattice, LineOfSight, Naive, Outside, PairJob,
    Pairs, Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, Separation, SignedEdges,
    ThetaBins,
};
use processors::engines;
use random::Random;

const SIDE: f64 = 10.0;

#[derive(Debug, Clone, Copy)]
enum Input {
    Uniform,
    /// On multiples of 0.1: many separations lie on edges.
    Ties,
    /// One float64 step beside multiples of 0.5.
    BesideTies,
    /// An integer lattice with duplicates.
    Lattice,
    /// Half of the points on the faces of the box.
    Faces,
}

const INPUTS: [Input; 5] = [
    Input::Uniform,
    Input::Ties,
    Input::BesideTies,
    Input::Lattice,
    Input::Faces,
];

fn coordinate(input: Input, random: &mut Random) -> f64 {
    let (u, v) = (random.unit(), random.unit());
    let x = match input {
        Input::Ties => (u * 100.0).floor() * 0.1,
        Input::BesideTies if v < 0.33 => ((u * 20.0).floor() * 0.5).next_up(),
        Input::BesideTies if v < 0.66 => ((u * 20.0).floor() * 0.5).next_down(),
        Input::BesideTies => (u * 20.0).floor() * 0.5,
        Input::Lattice => (u * SIDE).floor(),
        Input::Faces if v < 0.25 => 0.0,
        Input::Faces if v < 0.5 => SIDE.next_down(),
        Input::Uniform | Input::Faces => u * SIDE,
    };
    x.clamp(0.0, SIDE.next_down())
}

/// `n` points, times `unit` and then moved by `offset`, with weights of either sign.
fn sample(input: Input, n: usize, seed: u64, unit: f64, offset: f64) -> Particles {
    let mut random = Random(seed);
    let rows: Vec<[f64; 3]> = (0..n)
        .map(|_| [0; 3].map(|_: i32| coordinate(input, &mut random) * unit + offset))
        .collect();
    let weights = (0..n).map(|_| 3.0 * random.unit() - 1.2).collect();
    Particles::weighted(Points::from_rows(&rows).unwrap(), weights).unwrap()
}

/// A term of another crate, the same in both orders of a pair.
#[derive(Debug)]
struct Alignment;

impl PairTerm for Alignment {
    fn term(&self, _: [usize; 2], sep: &Separation) -> f64 {
        if sep.r2 > 0.0 {
            (sep.d[2] * sep.d[2]) / sep.r2
        } else {
            f64::NAN
        }
    }
}

/// Every list of sums that one pass may be asked for, those of one kind alone and all of them mixed.
fn lists(line_of_sight: bool, ordered: bool) -> Vec<Vec<Sum>> {
    let term = || Sum::Term(Arc::new(Alignment));
    let mut lists = vec![
        vec![],
        vec![Sum::Product],
        vec![Sum::Separation],
        vec![Sum::WeightedSeparation],
        vec![term()],
        vec![Sum::Product, Sum::Product],
        vec![Sum::Product, Sum::Separation],
        vec![
            term(),
            Sum::WeightedSeparation,
            Sum::Separation,
            Sum::Product,
        ],
    ];
    if line_of_sight {
        let usable = |l: &Legendre| ordered || !l.is_odd();
        let degrees: Vec<_> = Legendre::ALL.into_iter().filter(usable).collect();
        lists.push(degrees.iter().map(|&l| Sum::Legendre(l)).collect());
        let weighted = degrees.iter().map(|&l| Sum::WeightedLegendre(l));
        lists.push(weighted.chain([Sum::Separation]).collect());
        lists.push(vec![Sum::Legendre(Legendre::L2)]);
    }
    lists
}

fn compare(pairs: Pairs<'_>, domain: &Domain, bins: impl Into<Bins>, label: &str) {
    let bins = &bins.into();
    let job = PairJob::new(pairs, domain).unwrap();
    let cross = matches!(pairs, Pairs::Cross(..));
    let ordered = cross || bins.order() == albireo::binning::PairOrder::Ordered;
    for sums in lists(bins.line_of_sight().is_some(), ordered) {
        let mut what = CountSpec::new(bins.clone());
        for sum in sums {
            what = what.with_sum(sum);
        }
        let expected = Naive.run(&job, &what, &Silent).unwrap();
        let agree = |engine: &Cpu, job: &PairJob<'_>| {
            let found = engine.run(job, &what, &Silent).unwrap();
            let (name, sums) = (engine.description(), what.sums());
            let place = || format!("{label} {bins:?} {sums:?} {name}");
            assert_eq!(found.pairs(), expected.pairs(), "{}", place());
            assert!(found == expected, "sums: {}", place());
        };
        for engine in engines() {
            agree(&engine, &job);
        }
        let all = job.with_traversal(Traversal::AllPairs);
        agree(&Cpu::new().with_threads(1).unwrap(), &all);
    }
}

fn edges(values: &[f64], unit: f64) -> Edges {
    Edges::new(values.iter().map(|e| e * unit).collect()).unwrap()
}

fn signed(values: &[f64], unit: f64) -> SignedEdges {
    SignedEdges::new(values.iter().map(|e| e * unit).collect()).unwrap()
}

/// Bins in r for points in a box of side 10 `unit`.
fn r_bins(unit: f64) -> Vec<Edges> {
    vec![
        lin(0.0, 5.0 * unit, 10),
        lin(1.0 * unit, 4.0 * unit, 700),
        lin(0.0, 5.0 * unit, 6000),
        lin(4.9 * unit, 5.0 * unit, 200),
        Edges::logarithmic(0.01 * unit, 5.0 * unit, 20).unwrap(),
        edges(&[0.0, 0.1, 0.7, 1.0, 4.9], unit),
        edges(
            &[0.5, 0.5f64.next_up(), 1.0, 1.0f64.next_up(), 1.5, 2.0],
            unit,
        ),
    ]
}

fn for_each_binning(
    los: &[LineOfSight],
    unit: f64,
    pairs: Pairs<'_>,
    domain: &Domain,
    label: &str,
) {
    for r in r_bins(unit) {
        compare(pairs, domain, RBins::new(r), label);
    }
    for &los in los {
        for (s, mu) in [
            (lin(0.0, 5.0 * unit, 10), signed(&[0.0, 0.5, 0.6, 1.0], 1.0)),
            (
                Edges::logarithmic(0.1 * unit, 5.0 * unit, 9).unwrap(),
                SignedEdges::linear(-1.0, 1.0, 8).unwrap(),
            ),
            (
                edges(&[0.0, 1.0, 2.5], unit),
                signed(&[0.3, 0.3f64.next_up(), 0.35, 0.9], 1.0),
            ),
            (
                edges(&[0.0, 5.0], unit),
                signed(&[-0.9, -1e-3, 0.2, 1.0], 1.0),
            ),
            (
                lin(0.0, 4.0 * unit, 40),
                SignedEdges::linear(0.0, 1.0, 100).unwrap(),
            ),
        ] {
            compare(pairs, domain, SMuBins::new(s, mu, los).unwrap(), label);
        }
        for (rp, pi) in [
            (
                lin(0.0, 3.0 * unit, 6),
                SignedEdges::linear(0.0, 4.0 * unit, 8).unwrap(),
            ),
            (
                Edges::logarithmic(0.1 * unit, 3.0 * unit, 9).unwrap(),
                SignedEdges::linear(-4.0 * unit, 4.0 * unit, 8).unwrap(),
            ),
            (edges(&[1.0, 2.5], unit), signed(&[-3.0, -0.35, -0.3], unit)),
        ] {
            compare(pairs, domain, RpPiBins::new(rp, pi, los).unwrap(), label);
        }
    }
}

const FIXED: [LineOfSight; 3] = [
    LineOfSight::Fixed(Axis::X),
    LineOfSight::Fixed(Axis::Y),
    LineOfSight::Fixed(Axis::Z),
];

#[test]
fn boxes_slabs_and_open_space() {
    for (k, lengths) in [[Some(SIDE); 3], [Some(SIDE), None, Some(SIDE)], [None; 3]]
        .into_iter()
        .enumerate()
    {
        let domain = match k {
            2 => Domain::Open,
            _ => Domain::Periodic(PeriodicBox::new(lengths).unwrap()),
        };
        for input in INPUTS {
            let label = format!("{lengths:?} {input:?}");
            let first = sample(input, 130, 1, 1.0, 0.0);
            let second = sample(input, 70, 2, 1.0, 0.0);
            for_each_binning(&FIXED[2..], 1.0, Pairs::Auto(&first), &domain, &label);
            let cross = Pairs::Cross(&second, &first);
            for_each_binning(&FIXED[k..=k], 1.0, cross, &domain, &label);
        }
    }
}

#[test]
fn lines_of_sight_from_an_observer() {
    let los = [LineOfSight::Midpoint, LineOfSight::First, LineOfSight::End];
    for (input, offset) in [
        (Input::Uniform, 0.0),
        (Input::Ties, -5.0),
        (Input::BesideTies, -5.0),
        (Input::Lattice, -5.0),
        (Input::Lattice, 1e3),
    ] {
        let label = format!("{input:?} offset {offset}");
        let first = sample(input, 90, 3, 1.0, offset);
        let second = sample(input, 50, 4, 1.0, offset);
        for_each_binning(&los, 1.0, Pairs::Auto(&first), &Domain::Open, &label);
        let cross = Pairs::Cross(&first, &second);
        for_each_binning(&los[..1], 1.0, cross, &Domain::Open, &label);
    }
}

#[test]
fn triclinic_cells_and_crystals() {
    let cells = [
        [[14.0, 0.0, 0.0], [0.0, 14.0, 0.0], [7.0, 7.0, 9.9]],
        [[12.0, 0.0, 0.0], [11.0, 11.0, 0.0], [-15.0, 9.0, 14.0]],
        [[0.0, 8.0, 8.0], [8.0, 0.0, 8.0], [8.0, 8.0, 0.0]],
    ];
    for vectors in cells {
        let lattice = Lattice::new(vectors).unwrap();
        let reach = lattice.reach();
        let domain = Domain::Triclinic(lattice);
        for input in [Input::Uniform, Input::Lattice] {
            let label = format!("{vectors:?} {input:?}");
            let placed = domain.place(sample(input, 100, 5, 1.0, 0.0), Outside::Wrap);
            let placed = placed.unwrap();
            let pairs = Pairs::Auto(&placed);
            for_each_binning(&FIXED[2..], 1.0, pairs, &domain, &label);
            // Up to where two images are equally near: on a crystal that is where its points are.
            compare(pairs, &domain, RBins::new(lin(0.0, reach, 8)), &label);
        }
    }
}

#[test]
fn directions() {
    for input in [Input::Uniform, Input::Lattice] {
        let first = sample(input, 150, 6, 1.0, -5.03).directions().unwrap();
        for theta in [lin(0.0, 180.0, 18), edges(&[0.0, 1e-4, 45.0, 90.0], 1.0)] {
            let bins = ThetaBins::new(theta).unwrap();
            compare(Pairs::Auto(&first), &Domain::Open, &bins, "theta");
        }
    }
}

#[test]
fn every_number_of_points() {
    let domain = Domain::Periodic(PeriodicBox::cubic(SIDE).unwrap());
    let bins = RBins::new(lin(0.0, 5.0, 25));
    let signed = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let ordered = SMuBins::new(lin(0.0, 5.0, 5), signed, FIXED[0]).unwrap();
    let few = sample(Input::Ties, 17, 7, 1.0, 0.0);
    for n in [0, 1, 15, 16, 17, 63, 64, 65, 300] {
        let sample = sample(Input::Ties, n, 8, 1.0, 0.0);
        compare(Pairs::Auto(&sample), &domain, &bins, "auto");
        compare(Pairs::Auto(&sample), &domain, &ordered, "ordered");
        compare(Pairs::Cross(&sample, &few), &domain, &bins, "cross");
        compare(Pairs::Cross(&few, &sample), &domain, &ordered, "cross");
    }
}

/// The largest terms there are, more of them in one bin than any word of a partial sum may take.
#[test]
fn as_many_of_the_largest_terms_as_fill_every_word() {
    let at = |x: f64, n: usize| Particles::new(Points::from_rows(&vec![[x, 0.0, 0.0]; n]).unwrap());
    let last = 1.0f64;
    for x in [last.next_down(), last] {
        let (first, second) = (at(0.0, 120), at(x, 1200));
        for n in [3, 33, 256] {
            let label = format!("{n} bins to {last}, all pairs at {x}");
            let what = CountSpec::new(RBins::new(lin(0.0, last, n))).with_sum(Sum::Separation);
            let pairs = Pairs::Cross(&first, &second);
            let job = PairJob::new(pairs, &Domain::Open).unwrap();
            let expected = Naive.run(&job, &what, &Silent).unwrap();
            for engine in engines() {
                let found = engine.run(&job, &what, &Silent).unwrap();
                assert!(found == expected, "{label} {}", engine.description());
            }
        }
    }
}

#[test]
fn units_of_any_size() {
    for exponent in [-200, -60, 60, 200] {
        let unit = 2f64.powi(exponent);
        let domain = Domain::Periodic(PeriodicBox::cubic(SIDE * unit).unwrap());
        let label = format!("unit 2^{exponent}");
        let points = sample(Input::Ties, 80, 9, unit, 0.0);
        for_each_binning(&FIXED[1..2], unit, Pairs::Auto(&points), &domain, &label);
        let los = [LineOfSight::Midpoint];
        for_each_binning(&los, unit, Pairs::Auto(&points), &Domain::Open, &label);
    }
    // Nearly equal points, with products too small for all their digits.
    for unit in [1e-150, 1e-160, 1e-170] {
        let points = sample(Input::Lattice, 60, 10, unit, 0.0);
        let pairs = Pairs::Auto(&points);
        let los = LineOfSight::Midpoint;
        let mu = SignedEdges::linear(-1.0, 1.0, 6).unwrap();
        let s_mu = SMuBins::new(lin(0.0, 1.0, 3), mu, los).unwrap();
        compare(pairs, &Domain::Open, &s_mu, "tiny");
        let pi = SignedEdges::linear(0.0, 1.0, 6).unwrap();
        let rp_pi = RpPiBins::new(lin(0.0, 1.0, 3), pi, los).unwrap();
        compare(pairs, &Domain::Open, &rp_pi, "tiny");
    }
}

/// Enough pairs that words shared by two sums are emptied, and walks that leave blocks out.
#[test]
fn many_pairs_in_one_bin() {
    let domain = Domain::Periodic(PeriodicBox::cubic(SIDE).unwrap());
    for input in [Input::Uniform, Input::Lattice] {
        let sample = sample(input, 3000, 11, 1.0, 0.0);
        for r in [lin(0.0, 5.0, 1), lin(0.0, 0.8, 2), lin(4.0, 5.0, 2000)] {
            compare(Pairs::Auto(&sample), &domain, RBins::new(r), "many");
        }
    }
}

/// A lattice whose separations all lie on edges: filters have doubts about every pair, and lanes count most blocks.
#[test]
fn all_pairs_on_edges() {
    let lattice = (0..4096).map(|k| [k % 16, k / 16 % 16, k / 256].map(f64::from));
    let rows: Vec<[f64; 3]> = lattice.chain([[0.0; 3], [3.0; 3]]).collect();
    let n = rows.len();
    let mut random = Random(15);
    let weights = (0..n).map(|_| 2.0 * random.unit() - 0.7).collect();
    let labels = (0..n).map(|k| u32::from(k % 5 == 0)).collect();
    let sample = Particles::weighted(Points::from_rows(&rows).unwrap(), weights).unwrap();
    let sample = sample.labelled(Labels::new(labels, 2).unwrap()).unwrap();
    let roots = Edges::new((0..=64).map(|k| f64::from(k).sqrt()).collect()).unwrap();
    let whole = lin(0.0, 8.0, 8);
    for domain in [
        Domain::Open,
        Domain::Periodic(PeriodicBox::cubic(16.0).unwrap()),
    ] {
        let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
        let agree = |r: &Edges, classes: Classes, sums: &[Sum]| {
            let what = CountSpec::new(RBins::new(r.clone())).with_classes(classes);
            let what = sums.iter().cloned().fold(what, CountSpec::with_sum);
            let expected = Naive.run(&job, &what, &Silent).unwrap();
            for engine in engines() {
                let found = engine.run(&job, &what, &Silent).unwrap();
                assert!(found == expected, "{classes:?} {sums:?} {engine:?}");
            }
        };
        agree(&roots, Classes::One, &[]);
        agree(&roots, Classes::One, &[Sum::Product]);
        // With so few edges that pairs are compared with each of them.
        for bins in [1, 3, 8, 16] {
            agree(&lin(0.0, 8.0, bins), Classes::One, &[]);
        }
        agree(&whole, Classes::Species, &[Sum::Product]);
        agree(&roots, Classes::Regions, &[]);
    }
}

/// Blocks are pure in label: partial sums must be emptied into the tables of their own labels.
#[test]
fn classes_of_pairs() {
    let domain = Domain::Periodic(PeriodicBox::cubic(SIDE).unwrap());
    let labelled = |n: usize, seed: u64| {
        let labels = (0..n).map(|k| (k * k % 7 % 3) as u32).collect();
        sample(Input::Ties, n, seed, 1.0, 0.0)
            .labelled(Labels::new(labels, 3).unwrap())
            .unwrap()
    };
    let (first, second) = (labelled(200, 13), labelled(90, 14));
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let ordered = SMuBins::new(lin(0.0, 5.0, 5), mu, FIXED[0]).unwrap();
    let r = RBins::new(lin(0.0, 5.0, 25));
    for classes in [Classes::Species, Classes::Regions] {
        for pairs in [Pairs::Auto(&first), Pairs::Cross(&first, &second)] {
            let job = PairJob::new(pairs, &domain).unwrap();
            let sums = [Sum::Separation, Sum::WeightedSeparation, Sum::Product];
            let what = |n: usize| {
                let what = CountSpec::new(r.clone()).with_classes(classes);
                sums.iter().take(n).cloned().fold(what, CountSpec::with_sum)
            };
            let legendre = CountSpec::new(ordered.clone())
                .with_classes(classes)
                .with_sum(Sum::WeightedLegendre(Legendre::L3));
            let expected = Naive.run(&job, &legendre, &Silent).unwrap();
            for engine in engines() {
                for n in 0..=3 {
                    let expected = Naive.run(&job, &what(n), &Silent).unwrap();
                    let found = engine.run(&job, &what(n), &Silent).unwrap();
                    assert!(found == expected, "{classes:?} {n} sums");
                }
                let found = engine.run(&job, &legendre, &Silent).unwrap();
                assert!(found == expected, "{classes:?}");
            }
        }
    }
}

#[test]
fn legendre_sums_need_a_line_of_sight_and_an_order() {
    let sample = sample(Input::Uniform, 5, 12, 1.0, 0.0);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let refused = |outcome: Result<_, EngineError>| outcome.unwrap_err().to_string();
    let r = RBins::new(lin(0.0, 5.0, 2));
    let what = CountSpec::new(r).with_sum(Sum::Legendre(Legendre::L2));
    let error = refused(Cpu::new().run(&job, &what, &Silent));
    assert!(error.contains("need bins with a line of sight"), "{error}");
    let mu = signed(&[0.0, 1.0], 1.0);
    let s_mu = SMuBins::new(lin(0.0, 5.0, 2), mu, FIXED[2]).unwrap();
    let what = CountSpec::new(s_mu).with_sum(Sum::WeightedLegendre(Legendre::L3));
    let error = refused(Naive.run(&job, &what, &Silent));
    assert!(error.contains("odd degree"), "{error}");
}
