//! Draws cases: every statistic, edge, space, structure and weight with every other.
//!
//! Entry: [`draw`]. What is drawn in units of about 1 is scaled by a power of two at the end.

use std::collections::BTreeSet;

use albireo::engine::Traversal;
use albireo::{Axis, LineOfSight};

use super::besides::{self, Besides};
use super::case::{Bins, Case, Space, Summed};
use super::edges::{self, Kind};
use super::points::{self, Structure};
use super::programs;
use super::random::Random;
use super::realised;
use super::spaces::{limit_or_beyond, space};
use super::weights::weights;

/// The largest sample, so that slow engines can be attacked too.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Points of a sample.
    pub points: usize,
    /// Pairs times the images that the double loop looks at.
    pub work: f64,
    /// Bins.
    pub bins: usize,
}

impl Limits {
    /// For engines that run at full speed.
    pub const FAST: Self = Self {
        points: 4000,
        work: 2e7,
        bins: 10_000,
    };

    /// For engines that are emulated.
    pub const SLOW: Self = Self {
        points: 200,
        work: 2e6,
        bins: 300,
    };
}

/// A case under construction.
pub struct Draft<'a> {
    /// Where choices come from.
    pub random: &'a mut Random,
    classes: Vec<&'static str>,
    offered: BTreeSet<&'static str>,
}

impl<'a> Draft<'a> {
    /// Nothing drawn yet.
    pub fn new(random: &'a mut Random) -> Self {
        Self {
            random,
            classes: vec![],
            offered: BTreeSet::new(),
        }
    }

    /// One of these, noted in the census.
    pub fn class<T: Copy>(&mut self, choices: &[(&'static str, T)]) -> T {
        let (name, choice) = self.random.pick(choices);
        self.classes.push(name);
        self.offered.extend(choices.iter().map(|(name, _)| name));
        choice
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statistic {
    R,
    SMu,
    RpPi,
    Theta,
    Cut,
}

/// Case `number` of the attack with `seed`.
pub fn draw(seed: u64, number: u64, limits: Limits) -> Case {
    let mut random = Random::of_case(seed, number);
    let mut draft = Draft::new(&mut random);
    let statistic = draft.class(&[
        ("statistic r", Statistic::R),
        ("statistic r", Statistic::R),
        ("statistic s-mu", Statistic::SMu),
        ("statistic s-mu", Statistic::SMu),
        ("statistic rp-pi", Statistic::RpPi),
        ("statistic rp-pi", Statistic::RpPi),
        ("statistic theta", Statistic::Theta),
        ("statistic of a user", Statistic::Cut),
    ]);
    let space = if statistic == Statistic::Theta {
        Space::Open
    } else {
        space(&mut draft)
    };
    let los = line_of_sight(&mut draft, statistic, &space);
    let (mut first, mut second) = samples(&mut draft, &space, limits);
    let (limit, beyond_half) = limit_or_beyond(&mut draft, &space);
    let mut bins = bins(
        &mut draft,
        statistic,
        los,
        [&first, second.as_deref().unwrap_or(&first)],
        limit,
        limits,
    );
    plant(&mut draft, &bins, &mut first, second.as_deref_mut());
    let offset = offset(&mut draft);
    for sample in [Some(&mut first), second.as_mut()].into_iter().flatten() {
        points::offset(sample, offset, &space);
    }
    if statistic == Statistic::Theta {
        for row in first.iter_mut().chain(second.iter_mut().flatten()) {
            // The origin has no direction, nor has what is so near that its square is zero.
            if row.iter().all(|x| x.abs() < 1e-100) {
                *row = [1.0, 0.0, 0.0];
            }
        }
    }
    edges_through_separations(
        &mut draft,
        &mut bins,
        &space,
        [&first, second.as_deref().unwrap_or(&first)],
    );
    let weights = [0, 1].map(|k| {
        let n = [first.len(), second.as_ref().map_or(0, Vec::len)][k];
        weights(&mut draft, n, k == 1 && second.is_none())
    });
    let summed = summed(&mut draft);
    let traversals = [
        ("traversal auto", Traversal::Auto),
        ("traversal cells", Traversal::Cells),
        ("traversal all pairs", Traversal::AllPairs),
    ];
    // What goes through the exact rule alone looks for the nearest image of every pair once for each image that it visits.
    let searched = matches!(space, Space::Cell(_))
        && statistic == Statistic::Cut
        && first.len().max(second.as_ref().map_or(0, Vec::len)) > 40;
    let traversal = draft.class(if searched {
        &traversals[..2]
    } else {
        &traversals
    });
    let mut case = Case {
        first,
        second,
        weights,
        space,
        bins,
        summed,
        traversal,
        beyond_half,
        besides: Besides::default(),
        classes: vec![],
        offered: BTreeSet::new(),
    };
    scale(&mut draft, &mut case);
    besides::draw(&mut draft, &mut case);
    programs::draw(&mut draft, &mut case);
    realised::draw(&mut draft, &mut case);
    draft.classes.push(if case.begins_at_zero() {
        "first edge 0"
    } else {
        "first edge above 0"
    });
    case.classes = draft.classes;
    case.offered = draft.offered;
    case
}

fn summed(draft: &mut Draft<'_>) -> Summed {
    draft.class(&[
        ("sums none", Summed::Counts),
        ("sums none", Summed::Counts),
        ("sums none", Summed::Counts),
        ("sums weights", Summed::Weights),
        ("sums weights", Summed::Weights),
        ("sums separations", Summed::Separations),
        ("sums separations alone", Summed::Means),
        ("sums weighted separations", Summed::WeightedSeparations),
        ("sums legendre", Summed::Legendre),
    ])
}

fn line_of_sight(draft: &mut Draft<'_>, statistic: Statistic, space: &Space) -> LineOfSight {
    if matches!(statistic, Statistic::R | Statistic::Theta) {
        return LineOfSight::Midpoint;
    }
    let fixed = [
        ("sight x", LineOfSight::Fixed(Axis::X)),
        ("sight y", LineOfSight::Fixed(Axis::Y)),
        ("sight z", LineOfSight::Fixed(Axis::Z)),
    ];
    if *space == Space::Open {
        let observer = [
            ("sight midpoint", LineOfSight::Midpoint),
            ("sight midpoint", LineOfSight::Midpoint),
            ("sight first", LineOfSight::First),
            ("sight end", LineOfSight::End),
        ];
        if !draft.random.once_in(4) {
            return draft.class(&observer);
        }
    }
    draft.class(&fixed)
}

fn samples(
    draft: &mut Draft<'_>,
    space: &Space,
    limits: Limits,
) -> (Vec<[f64; 3]>, Option<Vec<[f64; 3]>>) {
    // The double loop looks at 125 images of a pair in a cell, the exact rule of other engines at as many for each image visited.
    let images = if matches!(space, Space::Cell(_)) {
        400.0
    } else {
        1.0
    };
    let most = limits.points.min((limits.work / images).sqrt() as usize);
    let number = |draft: &mut Draft<'_>| {
        let n = match draft.random.below(40) {
            0 => draft.class(&[("number 0", 0)]),
            1 => draft.class(&[("number 1", 1)]),
            2..10 => {
                let n = draft.random.pick(&[7, 8, 9, 15, 16, 17, 31, 32, 33]);
                draft.class(&[("number lanes", n)])
            }
            10..15 => {
                let n = draft.random.pick(&[63, 64, 65]);
                draft.class(&[("number block", n)])
            }
            15..25 => {
                let n = draft.random.pick(&[2, 3, 5, 12, 25, 50]);
                draft.class(&[("number few", n)])
            }
            39 if most >= 4000 && draft.random.once_in(3) => draft.class(&[("number 4000", 4000)]),
            _ => {
                let n = 66 + draft.random.below(250);
                draft.class(&[("number 300", n)])
            }
        };
        n.min(most)
    };
    let n = [number(draft), number(draft)];
    let structure = draft.class(&[
        ("structure uniform", Structure::Uniform),
        ("structure uniform", Structure::Uniform),
        ("structure lattice", Structure::Lattice),
        ("structure lattice", Structure::Lattice),
        ("structure beside a lattice", Structure::BesideLattice),
        ("structure line", Structure::Line),
        ("structure clump", Structure::Clump),
        ("structure clumps", Structure::Clumps),
        ("structure duplicates", Structure::Duplicates),
        ("structure exchanged", Structure::Exchanged),
        ("structure faces", Structure::Faces),
        ("structure tiny", Structure::Tiny),
        ("structure poles", Structure::Poles),
    ]);
    let mut place = points::Place::new(draft.random, space, structure);
    let first = place.points(draft.random, n[0]);
    let cross = draft.class(&[("auto", false), ("auto", false), ("cross", true)]);
    let second = cross.then(|| {
        if draft.random.once_in(4) {
            first.iter().copied().take(n[1]).collect()
        } else {
            place.points(draft.random, n[1])
        }
    });
    (first, second)
}

/// Bins of `statistic` that reach no further than `limit`.
fn bins(
    draft: &mut Draft<'_>,
    statistic: Statistic,
    los: LineOfSight,
    samples: [&[[f64; 3]]; 2],
    limit: f64,
    limits: Limits,
) -> Bins {
    let kinds = [
        ("edges linear", Kind::Linear),
        ("edges linear", Kind::Linear),
        ("edges linear", Kind::Linear),
        ("edges log", Kind::Log),
        ("edges log", Kind::Log),
        ("edges arbitrary", Kind::Arbitrary),
        ("edges one bin", Kind::One),
        ("edges many", Kind::Many),
    ];
    let kind = draft.class(&kinds);
    let narrow = draft.class(&[
        ("width of the first edge", true),
        ("width of the first edge", true),
        ("width of the last edge", false),
    ]);
    let exact = draft.class(&[
        ("reach exactly", true),
        ("reach less", false),
        ("reach less", false),
    ]);
    let across = |random: &mut Random, hi: f64, most: usize| {
        let hi = if exact { hi } else { hi * edges::part(random) };
        let hi = match samples[0] {
            // Where bins lie far above the sample nothing is counted: measure it now and then.
            [a, .., b] if !exact && random.once_in(3) => {
                let d: f64 = (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum();
                let r = d.sqrt() * random.between(0.9, 1.2);
                if r > 0.0 && r < hi { r } else { hi }
            }
            _ => hi,
        };
        edges::across(random, kind, narrow, hi, most)
    };
    match statistic {
        Statistic::R => Bins::R(across(draft.random, limit, limits.bins)),
        Statistic::Theta => Bins::Theta(edges::degrees(draft.random, kind, narrow, limits.bins)),
        Statistic::SMu | Statistic::Cut => {
            let s = across(draft.random, limit, limits.bins / 30);
            let signed = draft.class(&[("mu signed", true), ("mu folded", false)]);
            let mu = edges::mu(draft.random, signed, 60);
            if statistic == Statistic::Cut {
                let least = s[s.len() - 1] * draft.random.between(0.0, 0.7);
                return Bins::Cut(s, mu, los, least);
            }
            Bins::SMu(s, mu, los)
        }
        Statistic::RpPi => {
            let tilt = draft.random.between(0.1, 1.4);
            let (sine, cosine) = (libm::sin(tilt), libm::cos(tilt));
            let rp = across(draft.random, limit * sine, limits.bins / 30);
            let signed = draft.class(&[("pi signed", true), ("pi folded", false)]);
            let along = if exact {
                1.0
            } else {
                draft.random.between(0.05, 1.0)
            };
            let pi = edges::pi(draft.random, signed, limit * cosine * along, 60);
            Bins::RpPi(rp, pi, los)
        }
    }
}

/// Puts some points where their separations from others fall among the bins, or exactly on an edge along an axis.
fn plant(
    draft: &mut Draft<'_>,
    bins: &Bins,
    first: &mut [[f64; 3]],
    second: Option<&mut [[f64; 3]]>,
) {
    if !draft.class(&[("planted", true), ("planted", true), ("not planted", false)]) {
        return;
    }
    let angular = matches!(bins, Bins::Theta(_));
    let mut bins = bins.clone();
    let radii: Vec<f64> = bins
        .edges()
        .into_iter()
        .flatten()
        .flat_map(|edges| edges.iter().map(|e| e.abs()))
        .collect();
    let n = first.len();
    let target = second.unwrap_or(&mut []);
    let random = &mut *draft.random;
    for k in 0..n.min(1) * n.max(target.len()) / 2 {
        let centre = first[random.below(n)];
        let at = random.below(radii.len());
        let r = match random.below(3) {
            0 => radii[at],
            1 => random.nudged(radii[at]),
            _ => random.between(radii[at], radii[(at + 1) % radii.len()]),
        };
        let moved = if angular {
            points::turned(random, centre, r)
        } else {
            let u = if random.once_in(2) {
                let axis = random.below(3);
                std::array::from_fn(|k| f64::from(u8::from(k == axis)))
            } else {
                random.direction()
            };
            std::array::from_fn(|k| centre[k] + r * u[k])
        };
        if target.is_empty() {
            first[(2 * k + 1) % n] = moved;
        } else {
            let at = (2 * k + 1) % target.len();
            target[at] = moved;
        }
    }
}

/// How far all positions lie from the origin on open axes.
fn offset(draft: &mut Draft<'_>) -> [f64; 3] {
    type Draw = fn(&mut Random) -> [f64; 3];
    let none: Draw = |_| [0.0; 3];
    let some: Draw = |random| [0; 3].map(|_| random.pick(&[-0.5, 5.0, 300.0]));
    let far: Draw = |random| {
        let size = random.decades(1.0, 1e15);
        if random.once_in(2) {
            random.direction().map(|u| u * size)
        } else {
            [0; 3].map(|_| random.pick(&[0.0, size.floor(), -size.floor()]))
        }
    };
    let draw = draft.class(&[
        ("offset none", none),
        ("offset none", none),
        ("offset some", some),
        ("offset far", far),
    ]);
    draw(draft.random)
}

/// Moves edges onto separations that occur, or one float64 number beside them.
fn edges_through_separations(
    draft: &mut Draft<'_>,
    bins: &mut Bins,
    space: &Space,
    samples: [&[[f64; 3]]; 2],
) {
    let through = draft.class(&[
        ("edges through pairs", true),
        ("edges anywhere", false),
        ("edges anywhere", false),
    ]);
    if !through || samples.iter().any(|sample| sample.is_empty()) {
        return;
    }
    if let Bins::R(r) | Bins::SMu(r, ..) | Bins::RpPi(r, ..) | Bins::Cut(r, ..) = bins {
        edges::through(draft.random, r, space, samples);
    }
}

/// Brings the case to other units: a power of two, which changes no rounding within the range.
fn scale(draft: &mut Draft<'_>, case: &mut Case) {
    type Draw = fn(&mut Random, i32, i32) -> i32;
    let power = if case.bins.observed() { 240 } else { 440 };
    let largest = case.largest_length();
    let room = power - 1 - libm::frexp(largest).1.max(0);
    let one: Draw = |_, _, _| 0;
    let near: Draw = |random, _, _| random.whole(-40, 40);
    let far: Draw = |random, power, room| random.whole(40 - power, room.min(power - 40));
    let beyond: Draw = |random, power, _| {
        let exponent = power + random.whole(5, 60);
        if random.once_in(2) {
            exponent
        } else {
            -exponent
        }
    };
    let often = [
        ("scale 1", one),
        ("scale 1", one),
        ("scale near", near),
        ("scale far", far),
    ];
    let draw = if draft.random.once_in(40) {
        draft.class(&[("scale beyond", beyond)])
    } else {
        draft.class(&often)
    };
    let exponent = draw(draft.random, power, room);
    case.scale_by(exponent);
}
