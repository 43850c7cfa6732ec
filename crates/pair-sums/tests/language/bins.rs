//! Bins in the values of expressions: by formulas written out, at their edges, and drawn ones on every engine.

use albireo::binning::{Binning, PairOrder};
use albireo::engine::{Cpu, Isa, Silent};
use albireo::tally::CountSpec;
use albireo::{
    Axis, Bins, Domain, Edges, Engine, LineOfSight, Naive, PairJob, Pairs, Particles, Points,
    RBins, RpPiBins, SMuBins, Separation, SignedEdges, Tally,
};
use albireo_pair_sums::{ExpressionBins, PairSumError};

use crate::draw::{Draw, Text};

/// What an expression stands for.
type Of = fn(&Separation) -> f64;

const Z: LineOfSight = LineOfSight::Fixed(Axis::Z);

fn edges(values: &[f64]) -> SignedEdges {
    SignedEdges::new(values.to_vec()).unwrap()
}

fn along(text: &str, values: &[f64], los: LineOfSight) -> Result<ExpressionBins, PairSumError> {
    ExpressionBins::new((text, edges(values)), None, 0.5, los)
}

fn tally(engine: &dyn Engine, sample: &Particles, domain: &Domain, bins: &Bins) -> Tally {
    let job = PairJob::new(Pairs::Auto(sample), domain).unwrap();
    engine
        .run(&job, &CountSpec::new(bins.clone()), &Silent)
        .unwrap()
}

/// Numbers of pairs by two loops, `value` being that of a separation; `both` orders of each pair or one.
fn looped(
    sample: &Particles,
    domain: &Domain,
    values: &[f64],
    both: bool,
    value: impl Fn(&Separation) -> f64,
) -> Vec<u64> {
    let points = sample.points();
    let mut pairs = vec![0; values.len() - 1];
    for i in 0..points.len() {
        for j in 0..points.len() {
            let sep = domain.separation(points.at(i), points.at(j));
            if i == j || (i > j && !both) || sep.r2 >= 0.25 {
                continue;
            }
            let value = value(&sep);
            for bin in 0..pairs.len() {
                pairs[bin] += u64::from(values[bin] <= value && value < values[bin + 1]);
            }
        }
    }
    pairs
}

#[test]
fn pairs_lie_where_two_loops_put_them() {
    let mut draw = Draw(5);
    for domain in (0..8).map(|_| draw.domain()).collect::<Vec<_>>() {
        let sample = draw.particles(60, &domain);
        let values = [-0.3, -0.1, 0.0, 0.2, 0.25, 0.4];
        let cases: [(&str, PairOrder, Of); 6] = [
            ("max(abs(d[0]), abs(d[1]))", PairOrder::Unordered, |sep| {
                sep.d[0].abs().max(sep.d[1].abs())
            }),
            ("dlos", PairOrder::Ordered, |sep| sep.d[2]),
            ("abs(dlos) - 0.25", PairOrder::Unordered, |sep| {
                sep.d[2].abs() - 0.25
            }),
            ("d[0] + d[1]*d[1]", PairOrder::Ordered, |sep| {
                sep.d[0] + sep.d[1] * sep.d[1]
            }),
            ("d[0]*d[1]/r2", PairOrder::Unordered, |sep| {
                sep.d[0] * sep.d[1] / sep.r2
            }),
            ("where(d[0] > 0, r, -r)", PairOrder::Ordered, |sep| {
                if sep.d[0] > 0.0 {
                    sep.r2.sqrt()
                } else {
                    -sep.r2.sqrt()
                }
            }),
        ];
        for (text, order, value) in cases {
            let bins: Bins = along(text, &values, Z).unwrap().into();
            assert_eq!(bins.order(), order, "{text}");
            let both = order == PairOrder::Ordered;
            let expected = looped(&sample, &domain, &values, both, value);
            let found = tally(&Naive, &sample, &domain, &bins);
            assert_eq!(found.pairs(), expected, "{text}");
        }
    }
}

#[test]
fn bins_are_half_open_and_pairs_less_than_the_reach_apart() {
    let at = |x: f64| Separation::new([x, 0.0, 0.0], [x, 0.0, 0.0], [0.0; 3]);
    let bins: Bins = along("d[0]", &[-0.25, 0.0, 0.25], Z).unwrap().into();
    let below = 0.25_f64.next_down();
    let found = [-0.25, -0.0, 0.0, below, 0.25].map(|x| bins.bin(&at(x)));
    assert_eq!(found, [Some(0), Some(1), Some(1), Some(1), None]);
    assert_eq!(bins.bin(&at((-0.25_f64).next_down())), None);
    let of_all: Bins = along("0*r", &[0.0, 1.0], Z).unwrap().into();
    let found = [0.0, 0.5_f64.next_down(), 0.5].map(|x| of_all.bin(&at(x)));
    assert_eq!(found, [Some(0), Some(0), None]);
    // What is no number lies in no bin, nor does what is infinite.
    let wild: Bins = along("1/r - 1/r", &[-1.0, 1.0], Z).unwrap().into();
    assert_eq!([0.0, 0.1].map(|x| wild.bin(&at(x))), [None, Some(0)]);
    let inverse: Bins = along("1/r", &[0.0, 1e9], Z).unwrap().into();
    assert_eq!(inverse.bin(&at(0.0)), None);
}

#[test]
fn the_second_axis_varies_fastest_and_both_may_have_other_edges() {
    let second = ("abs(dlos)", edges(&[0.0, 0.2, 0.4]));
    let bins = ExpressionBins::new(("rp", edges(&[0.0, 0.1, 0.3, 0.5])), Some(second), 0.5, Z);
    let bins = Bins::from(bins.unwrap());
    assert_eq!(bins.shape(), [3, 2]);
    assert_eq!(bins.line_of_sight(), Some(Z));
    let sep = Separation::new([0.0, 0.1, -0.3], [0.0; 3], [0.0; 3]);
    assert_eq!(bins.bin(&sep), Some(3));
    let coarse = bins.rebin(&[3, 1]).unwrap();
    assert_eq!((coarse.shape(), coarse.bin(&sep)), (vec![1, 2], Some(1)));
    let cut = bins.below(2).unwrap();
    assert_eq!(cut.axes()[0].edges, [0.0, 0.1, 0.3]);
    assert_eq!(cut, bins.slice(&[Some([0.0, 0.3]), None]).unwrap());
    assert!(cut != bins && bins.wrap().is_err());
    let one_axis = along("r", &[0.0, 1.0], Z).unwrap();
    assert!(one_axis.over(&[vec![0.0, 2.0]]).is_ok());
    assert!(one_axis.over(&[vec![0.0, 2.0], vec![0.0, 1.0]]).is_err());
    let other = coarse.as_custom::<ExpressionBins>().unwrap();
    assert_eq!(
        (
            other.texts().len(),
            other.texts()[0].as_str(),
            other.cutoff()
        ),
        (2, "rp", 0.5)
    );
}

#[test]
fn bins_are_the_same_by_their_text_reach_and_line_of_sight() {
    let of = |text: &str, reach: f64, los| {
        let bins = ExpressionBins::new((text, edges(&[0.0, 1.0])), None, reach, los);
        Bins::from(bins.unwrap())
    };
    let r = of("r", 0.5, Z);
    assert_eq!(r, of(" r ", 0.5, LineOfSight::First));
    assert!(r != of("r*1", 0.5, Z) && r != of("r", 0.4, Z));
    assert_eq!(r.line_of_sight(), None);
    let mu = of("mu", 0.5, Z);
    assert_ne!(mu, of("mu", 0.5, LineOfSight::Midpoint));
    let turned = mu.as_custom::<ExpressionBins>().unwrap();
    let turned = Bins::from(turned.along(LineOfSight::Midpoint).unwrap());
    assert_eq!(turned, of("mu", 0.5, LineOfSight::Midpoint));
    let print = |bins: &Bins| format!("{bins:?}");
    assert!(print(&r).contains("\"r\"") && print(&r) != print(&of("r", 0.4, Z)));
    assert_ne!(print(&mu), print(&turned));
    let wider = Bins::from(along("r", &[0.0, 2.0], Z).unwrap());
    assert_ne!(print(&r), print(&wider));
}

#[test]
fn what_is_measured_along_or_across_a_line_of_sight_has_one() {
    for text in ["mu", "dlos", "rp", "los[2]*r", "L2(mu)", "cos2phi"] {
        let bins = along(text, &[-1.0, 1.0], Z).unwrap();
        assert_eq!(bins.line_of_sight(), Some(Z), "{text}");
    }
}

#[test]
fn coordinates_are_as_large_as_the_outermost_edge() {
    let limit = |values: &[f64]| along("dlos", values, Z).unwrap().coordinate_limit();
    assert_eq!([limit(&[-3.0, 0.0, 1.0]), limit(&[-1.0, 4.0])], [3.0, 4.0]);
}

#[test]
fn what_is_no_number_of_the_separation_is_refused_where_it_stands() {
    for (text, place) in [
        (
            "d[0] + i.m",
            "at character 8 of `d[0] + i.m`: expected numbers of",
        ),
        ("r*(i.id == j.id)", "at character 4"),
        ("norm(i.pos)", "at character 1"),
        ("r - mean(i.m)", "at character 10"),
        ("dx", "found dx"),
        ("j.cos2phi", "of `j.cos2phi`: expected numbers of"),
        ("v12(vx, vy, vz)", "forms are sums over pairs"),
        ("d", "expected a number, found a vector"),
        ("r +", "expected"),
        ("exp(r)", "at character 1"),
    ] {
        let error = along(text, &[0.0, 1.0], Z).unwrap_err().to_string();
        assert!(error.contains(place), "{text}: {error}");
    }
    let midpoint = along("cos2phi", &[-1.0, 1.0], LineOfSight::Midpoint);
    assert!(midpoint.unwrap_err().to_string().contains("--los"));
    for reach in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let bins = ExpressionBins::new(("r", edges(&[0.0, 1.0])), None, reach, Z);
        assert!(matches!(bins.unwrap_err(), PairSumError::Reach(_)));
    }
    let many = || SignedEdges::linear(0.0, 1.0, 1 << 13).unwrap();
    let bins = ExpressionBins::new(("r", many()), Some(("rp", many())), 0.5, Z);
    assert!(matches!(bins.unwrap_err(), PairSumError::Bins(_)));
}

#[test]
fn coordinates_of_the_library_are_among_them() {
    // Points without pairs at an edge: lengths are compared squared there, and rounded here.
    let points = albireo::random::in_box(200, 6, [1.0; 3]).unwrap();
    let sample = Particles::new(points);
    let (values, angles) = ([0.0, 0.125, 0.25, 0.5], [0.0, 0.25, 0.5]);
    let lengths = || Edges::new(values.to_vec()).unwrap();
    let of = |bins: &Bins| tally(&Cpu::new(), &sample, &Domain::Open, bins);
    let r: Bins = along("r", &values, Z).unwrap().into();
    assert_eq!(of(&r).pairs(), of(&RBins::new(lengths()).into()).pairs());
    let both = |one: &str, other: &str, los: LineOfSight| {
        let second = Some((other, edges(&angles)));
        Bins::from(ExpressionBins::new((one, edges(&values)), second, 0.5, los).unwrap())
    };
    let s_mu = SMuBins::new(lengths(), edges(&angles), Z).unwrap();
    assert_eq!(
        of(&both("r", "abs(mu)", Z)).pairs(),
        of(&s_mu.into()).pairs()
    );
    let rp_pi = RpPiBins::new(lengths(), edges(&[0.0, 0.25, 0.5]), Z).unwrap();
    let found = of(&both("rp", "abs(dlos)", Z));
    // The sphere does not hold all of the cylinder, but its bins of small pi but for the last in rp.
    let (found, all) = (found.pairs(), of(&rp_pi.into()));
    assert!(found.iter().zip(all.pairs()).all(|(one, all)| one <= all));
    assert_eq!([found[0], found[2]], [all.pairs()[0], all.pairs()[2]]);
}

/// A drawn expression of the separation alone.
fn drawn(draw: &mut Draw, los: LineOfSight) -> String {
    let mut words = vec!["r", "r2", "mu", "dlos", "rp", "los[1]", "L2(mu)", "L3(mu)"];
    if matches!(los, LineOfSight::Fixed(_)) {
        words.extend(["cos2phi", "sin2phi"]);
    }
    let left = draw.below(14);
    let text = Text {
        draw,
        left,
        words: &words,
    }
    .whole();
    let parts = [
        ("pos[0]", "d[2]"),
        ("east[0]", "d[1]"),
        ("n[1]", "rhat[1]"),
        ("n", "rhat"),
        ("v", "d"),
        ("a", "d[0]"),
        ("b", "d[1]"),
        ("c", "rhat[2]"),
        ("w", "r"),
    ];
    parts.iter().fold(text, |text, (name, part)| {
        let text = text.replace(&format!("i.{name}"), part);
        text.replace(&format!("j.{name}"), part)
    })
}

/// Whether drawn bins could be made, and were counted in by all.
fn attacked(draw: &mut Draw, auto: bool) -> Option<u64> {
    let domain = draw.domain();
    let los = if domain.is_periodic() {
        LineOfSight::Fixed(Axis::ALL[draw.below(3)])
    } else {
        [
            LineOfSight::Midpoint,
            LineOfSight::First,
            LineOfSight::End,
            Z,
        ][draw.below(4)]
    };
    let text = drawn(draw, los);
    let other = drawn(draw, los);
    let second = (draw.below(2) == 0).then(|| (&other[..], edges(&[-1.0, 0.0, 0.1, 3.0])));
    let reach = [0.5, 0.3, 1e-3][draw.below(3)];
    let first = (&text[..], edges(&[-2.0, -0.25, 0.0, 0.3, 1.0]));
    // Too many operations, or too deep ones.
    let bins = ExpressionBins::new(first, second, reach, los).ok()?;
    let rows = [1, 2, 40, 200][draw.below(4)];
    let (one, two) = (draw.particles(rows, &domain), draw.particles(30, &domain));
    let pairs = if auto {
        Pairs::Auto(&one)
    } else {
        Pairs::Cross(&one, &two)
    };
    let mut what = CountSpec::new(bins).with_mean_separation();
    if pairs.have_weights() {
        what = what.with_weights();
    }
    let job = PairJob::new(pairs, &domain).unwrap();
    let naive = Naive.run(&job, &what, &Silent).unwrap();
    for isa in Isa::available() {
        let engine = Cpu::new().with_isa(isa).unwrap();
        let found = engine.run(&job, &what, &Silent).unwrap();
        assert_eq!(
            naive,
            found,
            "{text} | {other} in {domain:?}, {}",
            isa.name()
        );
    }
    if auto && what.order() == PairOrder::Unordered {
        let turned = (0..rows).rev().map(|row| one.points().at(row));
        let turned = Particles::new(Points::from_rows(&turned.collect::<Vec<_>>()).unwrap());
        let job = PairJob::new(Pairs::Auto(&turned), &domain).unwrap();
        let what = CountSpec::new(what.bins().clone());
        let found = Naive.run(&job, &what, &Silent).unwrap();
        assert_eq!(naive.pairs(), found.pairs(), "{text} | {other}: not even");
    }
    Some(naive.pairs().iter().sum())
}

#[test]
fn drawn_bins_hold_the_same_pairs_on_every_engine_and_in_either_order() {
    let counts = std::env::var("ALBIREO_DRAWN_BINS").ok();
    let counts = counts.and_then(|counts| counts.parse().ok());
    let counts = counts.unwrap_or(if cfg!(debug_assertions) { 100 } else { 1000 });
    let mut draw = Draw(7);
    let (mut made, mut held) = (0, 0);
    for count in 0..counts {
        if let Some(pairs) = attacked(&mut draw, count % 2 == 0) {
            made += 1;
            held += usize::from(pairs > 0);
        }
    }
    assert!(
        made * 10 > counts * 7 && held * 3 > counts,
        "{made}, {held}"
    );
}
