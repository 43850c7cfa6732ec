//! Pairs that a device's filter must doubt, or has to count where others are: along the line of sight, opposite the observer, very near
//! each other, beside edges, at the faces of cells. Against the double loop.

use albireo::engine::cuda::Precision;
use albireo::engine::{Silent, Traversal};
use albireo::tally::CountSpec;
use albireo::{
    Axis, Bins, Domain, Edges, Engine, Lattice, LineOfSight, Naive, PairJob, Pairs, Particles,
    PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};

use super::trials::Test;
use super::{Emulated, suite};
use suite::Random;

/// The tests by their names.
pub(crate) const TESTS: [Test; 9] = [
    (
        "pairs_along_the_line_of_sight",
        pairs_along_the_line_of_sight,
    ),
    (
        "lines_of_sight_that_almost_vanish",
        lines_of_sight_that_almost_vanish,
    ),
    (
        "directions_of_pairs_very_near_each_other",
        directions_of_pairs_very_near_each_other,
    ),
    ("cosines_a_step_below_an_edge", cosines_a_step_below_an_edge),
    (
        "distances_along_the_line_of_sight_just_below_edges",
        distances_along_the_line_of_sight_just_below_edges,
    ),
    (
        "the_far_corner_of_bins_in_a_wide_space",
        the_far_corner_of_bins_in_a_wide_space,
    ),
    ("images_that_are_equally_near", images_that_are_equally_near),
    (
        "the_far_corner_of_bins_that_fill_a_lattice",
        the_far_corner_of_bins_that_fill_a_lattice,
    ),
    ("fractions_that_round_to_one", fractions_that_round_to_one),
];

const OBSERVED: [LineOfSight; 3] = [LineOfSight::Midpoint, LineOfSight::First, LineOfSight::End];

/// An engine of one shape, so that tests share kernels.
fn engine(precision: Precision) -> Emulated {
    let mut engine = Emulated::new(precision);
    engine.options.tuning.threads = 64;
    engine.options.tuning.points = 2;
    engine.options.tuning.tile = 32;
    engine
}

fn sample(rows: &[[f64; 3]]) -> Particles {
    Particles::new(Points::from_rows(rows).unwrap())
}

/// The number of pairs in bins, which the engine must find where they are, by both traversals.
fn counted(engine: &Emulated, pairs: Pairs<'_>, domain: &Domain, bins: impl Into<Bins>) -> u64 {
    let bins = &bins.into();
    let job = PairJob::new(pairs, domain).unwrap();
    let what = CountSpec::new(bins.clone());
    let expected = Naive.run(&job, &what, &Silent).unwrap();
    for traversal in [Traversal::AllPairs, Traversal::Cells] {
        let job = job.with_traversal(traversal);
        let found = engine.run(&job, &what, &Silent).unwrap();
        assert!(
            found == expected,
            "{traversal:?} {bins:?}: {:?}, not {:?}",
            found.pairs(),
            expected.pairs()
        );
    }
    expected.pairs().iter().sum()
}

fn lin(lo: f64, hi: f64, n: usize) -> Edges {
    Edges::linear(lo, hi, n).unwrap()
}

fn signed(lo: f64, hi: f64, n: usize) -> SignedEdges {
    SignedEdges::linear(lo, hi, n).unwrap()
}

/// `x` moved by `part` of a vector.
fn moved(x: [f64; 3], part: f64, by: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| x[k] + part * by[k])
}

/// A number between 10^lo and 10^hi, every decade alike.
fn decades(random: &mut Random, lo: f64, hi: f64) -> f64 {
    libm::exp10(lo + (hi - lo) * random.next())
}

/// A point in a cube of side 2 about the origin.
fn anywhere(random: &mut Random) -> [f64; 3] {
    [0; 3].map(|_| 2.0 * random.next() - 1.0)
}

/// Their squared distance across the line of sight is below the rounding of what it is a difference of, and often computed below 0.
fn pairs_along_the_line_of_sight() {
    let mut random = Random::new(51);
    let mut rows = Vec::new();
    for k in 0..60 {
        let aside = decades(&mut random, -12.0, -2.0) * f64::from(k % 3);
        let away = 3.0 + random.next();
        let beside = anywhere(&mut random);
        rows.push(moved(beside.map(|c| c * aside), away, [0.48, -0.6, 0.64]));
    }
    let points = sample(&rows);
    for precision in [Precision::Exact, Precision::Float64] {
        let engine = engine(precision);
        for los in OBSERVED {
            for rp in [lin(0.0, 0.5, 4), Edges::logarithmic(1e-5, 0.5, 8).unwrap()] {
                let bins = RpPiBins::new(rp, signed(-1.0, 1.0, 9), los).unwrap();
                let pairs = Pairs::Auto(&points);
                assert!(counted(&engine, pairs, &Domain::Open, &bins) > 100);
            }
        }
    }
}

/// Bins in (s, mu) and in (rp, pi) that tell directions apart.
fn of_directions(los: LineOfSight) -> (SMuBins, RpPiBins) {
    (
        SMuBins::new(lin(0.0, 3.0, 8), signed(-1.0, 1.0, 20), los).unwrap(),
        RpPiBins::new(lin(0.0, 2.0, 8), signed(-2.0, 2.0, 20), los).unwrap(),
    )
}

/// Of a line of sight that almost vanishes float32 keeps nothing: points opposite the observer, and next to it.
fn lines_of_sight_that_almost_vanish() {
    let mut random = Random::new(52);
    let mut rows = Vec::new();
    for k in 0..40 {
        let point = anywhere(&mut random);
        let beside = anywhere(&mut random);
        let away = decades(&mut random, -10.0, -2.0);
        rows.push(point);
        let centre = point.map(|c| if k % 2 == 0 { -c } else { 0.0 });
        rows.push(moved(centre, away, beside));
    }
    let points = sample(&rows);
    let engine = engine(Precision::Exact);
    for los in OBSERVED {
        let (s_mu, rp_pi) = of_directions(los);
        let pairs = Pairs::Auto(&points);
        assert!(counted(&engine, pairs, &Domain::Open, &s_mu) > 1000);
        assert!(counted(&engine, pairs, &Domain::Open, &rp_pi) > 1000);
    }
}

/// Of the direction from one point to another that is very near float32 keeps little.
fn directions_of_pairs_very_near_each_other() {
    let mut random = Random::new(53);
    let mut rows = Vec::new();
    for _ in 0..60 {
        let point = anywhere(&mut random);
        let beside = anywhere(&mut random);
        rows.push(point);
        rows.push(moved(point, decades(&mut random, -6.0, -2.0), beside));
    }
    let points = sample(&rows);
    let engine = engine(Precision::Exact);
    for los in [LineOfSight::Fixed(Axis::Z), LineOfSight::Midpoint] {
        let bins = SMuBins::new(lin(0.0, 3.0, 4), signed(-1.0, 1.0, 90), los).unwrap();
        assert!(counted(&engine, Pairs::Auto(&points), &Domain::Open, &bins) > 1000);
    }
}

/// Cosines less than a step of their fixed point below an edge, where all that a filter allows for its error is less than one step too.
fn cosines_a_step_below_an_edge() {
    let steps = f64::from(1 << 20);
    // What the fixed point adds is rounded up by 0.3 of a step.
    let low = -(419_430.0 + 0.7) / steps;
    let mu = SignedEdges::new(vec![low, low + 1.0]).unwrap();
    let mut random = Random::new(54);
    let rows: Vec<_> = (0..64)
        .map(|k| {
            let edge = mu.values()[k % 2];
            let cosine = edge - 0.5 * random.next() / steps;
            let sine = (1.0 - cosine * cosine).sqrt();
            let angle = random.next() * std::f64::consts::TAU;
            let (y, x) = libm::sincos(angle);
            [x * sine, y * sine, cosine].map(|c| -0.8 * c)
        })
        .collect();
    let (centre, around) = (sample(&[[0.0; 3]]), sample(&rows));
    let bins = SMuBins::new(lin(0.0, 1.0, 2), mu, LineOfSight::Fixed(Axis::Z)).unwrap();
    let engine = engine(Precision::Exact);
    let pairs = Pairs::Cross(&centre, &around);
    assert!(counted(&engine, pairs, &Domain::Open, &bins) > 10);
}

/// Distances along the line of sight that are too little below an edge for float32 to tell.
fn distances_along_the_line_of_sight_just_below_edges() {
    let mut random = Random::new(55);
    let rows: Vec<_> = (0..80)
        .map(|k| {
            let below = 1e-9 * random.next();
            [
                random.next(),
                random.next(),
                f64::from(k % 8) * 0.25 - below,
            ]
        })
        .collect();
    let points = sample(&rows);
    let far: Vec<_> = rows
        .iter()
        .map(|x| moved(*x, 50.0, [0.0, 0.0, 1.0]))
        .collect();
    let far = sample(&far);
    let engine = engine(Precision::Exact);
    let pi = signed(-1.0, 1.0, 8);
    for (points, los) in [
        (&points, LineOfSight::Fixed(Axis::Z)),
        (&far, LineOfSight::First),
    ] {
        let bins = RpPiBins::new(lin(0.0, 1.5, 3), pi.clone(), los).unwrap();
        let pairs = Pairs::Auto(points);
        assert!(counted(&engine, pairs, &Domain::Open, &bins) > 1000);
    }
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let norm = v.map(|c| c * c).iter().sum::<f64>().sqrt();
    v.map(|c| c / norm)
}

/// Pairs in the far corner of bins much smaller than the space that the points are in, where float32 takes many of them for out of reach.
fn the_far_corner_of_bins_in_a_wide_space() {
    let mut random = Random::new(56);
    let size = 4e4;
    let (mut first, mut second) = (vec![[-size; 3]], vec![[size; 3]]);
    for _ in 0..100 {
        let place = [0; 3].map(|_| size * (1.0 - 0.01 * random.next()));
        let towards = unit(place);
        let [x, y, _] = towards;
        let aside = unit([y, -x, 0.0]);
        first.push(place);
        second.push(moved(place, 1.0 - 1e-4, moved(towards, 1.0, aside)));
    }
    let (first, second) = (sample(&first), sample(&second));
    let engine = engine(Precision::Exact);
    for los in OBSERVED {
        let bins = RpPiBins::new(lin(0.0, 1.0, 1), signed(0.0, 1.0, 1), los).unwrap();
        let pairs = Pairs::Cross(&first, &second);
        assert!(counted(&engine, pairs, &Domain::Open, &bins) >= 90);
    }
}

/// Pairs half a short lattice vector apart across the face of a long cell, of which roundings bring two images within reach: only one of
/// them is counted.
fn images_that_are_equally_near() {
    let vectors = [
        [0.6, 0.7, 0.4],
        [-710.3, 600.1, 17.7],
        [577.3, -512.9, 91.7],
    ];
    let lattice = Lattice::new(vectors).unwrap();
    let basis = lattice.basis();
    let reach = lattice.reach();
    let mut random = Random::new(57);
    let within = |d: [f64; 3], image: [i8; 3]| {
        let [x, y, z] = moved(d, 1.0, lattice.translation(image));
        (x * x + y * y) + z * z < reach * reach
    };
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for _ in 0..4000 {
        let [a, b] = [0.5 * random.next(), random.next()];
        let first = moved(basis[0].map(|v| v * a), b, basis[1]);
        let second = moved(moved(first, 0.5, basis[0]), 1.0, basis[2]);
        let d = moved(first, -1.0, second);
        if within(d, [0, 0, 1]) && within(d, [1, 0, 1]) {
            firsts.push(first);
            seconds.push(second);
        }
    }
    assert!(firsts.len() > 20, "{}", firsts.len());
    let n = firsts.len().min(40);
    let (first, second) = (sample(&firsts[..n]), sample(&seconds[..n]));
    let domain = Domain::Triclinic(lattice);
    let bins = RBins::new(lin(0.0, reach, 4));
    let engine = engine(Precision::Exact);
    let pairs = Pairs::Cross(&first, &second);
    assert!(counted(&engine, pairs, &domain, &bins) >= n as u64);
}

/// Last edges across and along x, the sum of whose squares is 25, and a pair below both whose squared separation is computed as 25.
const CORNERS: [([f64; 2], [f64; 3]); 3] = [
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
    (
        [4.492_451_373_169_448, 2.194_967_120_416_144_3],
        [
            2.194_967_120_416_144,
            1.255_736_260_401_436_8,
            4.313_379_856_284_984_5,
        ],
    ),
];

/// The same, where a quarter of the squared length of the shortest lattice vector is 25.
fn the_far_corner_of_bins_that_fill_a_lattice() {
    let cell = [[10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 10.0]];
    let domain = Domain::Triclinic(Lattice::new(cell).unwrap());
    let first = sample(&[[0.0; 3]]);
    for precision in [Precision::Exact, Precision::Float64] {
        let engine = engine(precision);
        for ([across, along], [x, y, z]) in CORNERS {
            assert!((x * x + y * y) + z * z >= 25.0);
            let rp = Edges::new(vec![0.0, across]).unwrap();
            let pi = SignedEdges::new(vec![0.0, along]).unwrap();
            let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::X)).unwrap();
            let second = sample(&[[x, y, z]]);
            let pairs = Pairs::Cross(&second, &first);
            assert_eq!(counted(&engine, pairs, &domain, &bins), 1);
        }
    }
}

/// A coordinate just below the length of a box, of which its fraction rounds to 1; separations are at edges.
fn fractions_that_round_to_one() {
    let length: f64 = 0.9;
    let last = length.next_down();
    assert!(last * (1.0 / length) >= 1.0);
    let domain = Domain::Periodic(PeriodicBox::cubic(length).unwrap());
    let mut rows = Vec::new();
    for k in 0..4 {
        let other = 0.125 * f64::from(k);
        rows.push([last, other, 0.25]);
        rows.push([last - 0.125, other, 0.25]);
        rows.push([0.125, last - 0.25, other]);
        rows.push([0.125, last, last]);
    }
    let points = sample(&rows);
    let bins = RBins::new(lin(0.0, 0.375, 6));
    let engine = engine(Precision::Exact);
    assert!(counted(&engine, Pairs::Auto(&points), &domain, &bins) > 20);
}
