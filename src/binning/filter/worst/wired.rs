//! What the filter of a job says of pairs beside edges, also where it is narrowed down to two blocks: where it is sure, the bin is the
//! rule's.
//!
//! A short climb finds the pair of two blocks whose coordinate is computed with a large error; bins are then made with an edge between
//! that coordinate and the true one, and the filter is built and asked as for a job.

mod fine;

use super::*;
use crate::binning::{Bins, Formed, RBins, RpPiBins, SMuBins};

/// Slots of sixteen pairs, none where the filter is in doubt.
type Answers = [Option<u32>; MOST_LANES];

/// Asks a filter about sixteen pairs.
struct Ask<'a> {
    isa: Isa,
    /// Bounds on the pairs of the two blocks, where they are to be used.
    within: Option<PairBounds>,
    pairs: &'a [Geometry; MOST_LANES],
}

impl WithFilter for Ask<'_> {
    /// The answers, and the square up to which everything is doubtful.
    type Output = (Answers, f32);

    fn with_few<F: Filter>(self, filter: F) -> Self::Output {
        self.with_many(filter)
    }

    fn with_many<F: Filter>(self, filter: F) -> Self::Output {
        let filter = self.within.map_or(filter, |bounds| filter.within(&bounds));
        let limits = filter.doubtful();
        let least = match (F::MEASURES, F::DOUBTS) {
            (1, 2) => limits[1],
            (_, 3) => limits[2],
            _ => 0,
        };
        let answers = self.isa.dispatch(Answer(filter, self.pairs));
        (answers, f32::from_bits(least))
    }
}

struct Answer<'a, F>(F, &'a [Geometry; MOST_LANES]);

impl<F: Filter> Kernel for Answer<'_, F> {
    type Output = Answers;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Answers {
        let Self(filter, pairs) = self;
        let held = Held::of(pairs);
        let mut answers = [None; MOST_LANES];
        for part in (0..MOST_LANES).step_by(S::LANES) {
            let [d, l] = held.vectors(simd, part);
            let measured = filter.measure(simd, d, l);
            let (slot, certainty) = filter.place(simd, measured, part / S::LANES % 2);
            let doubtful = simd.mask_bits(doubts(simd, &filter, certainty));
            let mut slots = [0; MOST_LANES];
            simd.store_u(slot, &mut slots);
            for lane in 0..S::LANES {
                answers[part + lane] = (doubtful >> lane & 1 == 0).then_some(slots[lane]);
            }
        }
        answers
    }
}

/// Lines of sight with what they take of each point.
const SIGHTS: [(LineOfSight, [f64; 2]); 4] = [
    (LineOfSight::Fixed(Axis::Z), [0.0, 0.0]),
    (LineOfSight::Midpoint, [1.0, 1.0]),
    (LineOfSight::First, [1.0, 0.0]),
    (LineOfSight::End, [0.0, 1.0]),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Statistic {
    R,
    SMu,
    RpPi,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Equal,
    Logarithmic,
    Uneven,
}

/// What the bins of a trial are like, and the two blocks they are asked about.
#[derive(Debug, Clone, Copy)]
struct Trial {
    statistic: Statistic,
    los: LineOfSight,
    /// Kinds of the bins across and along.
    kinds: [Kind; 2],
    /// Whether an edge across or one along is beside the pair.
    beside_along: bool,
    signed: bool,
    /// Bins, and the edge that is beside the pair.
    n: usize,
    at: usize,
    /// The ratio of edges.
    ratio: f64,
    /// The last edge across, where it is given.
    last: Option<f64>,
    /// The half extent of the largest blocks.
    largest: f64,
    base: Geometry,
    /// The distance of the pair across and along the line of sight.
    apart: [f64; 2],
    /// Directions of both.
    directions: [[f64; 3]; 2],
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    v.map(|c| c / norm2(v).sqrt())
}

impl Trial {
    fn draw(random: &mut Random, statistic: Statistic) -> Self {
        let pick = |random: &mut Random, n: u64| (random.bits() % n) as usize;
        let kinds = [Kind::Equal, Kind::Logarithmic, Kind::Uneven];
        let (los, sight) = SIGHTS[pick(random, 4)];
        let size = libm::exp2(random.between(-16.0, 0.0));
        // Roundings are largest just above a power of two.
        let above = 1.0 + libm::exp2(-random.between(0.0, 12.0));
        let half = size * libm::exp2(random.between(-3.0, 12.0));
        let half = libm::exp2(half.log2().floor()) * above;
        let largest = half * libm::exp2(random.between(0.0, 9.0) * random.unit());
        let mut base = Geometry::draw(random, sight);
        base.half = half;
        let towards = unit([0; 3].map(|_| random.between(-1.0, 1.0)));
        // Lines of sight that are too short among them.
        let far = largest * libm::exp2(random.between(-1.0, 8.0));
        base.centres[0] = towards.map(|c| c * far);
        for offset in base.offsets.as_flattened_mut() {
            // Corners, where offsets are largest, more often.
            *offset = offset.signum() * (1.0 - (1.0 - offset.abs()) * random.unit().powi(2));
        }
        let along = match los {
            LineOfSight::Fixed(_) => [0.0, 0.0, 1.0],
            _ => towards,
        };
        let other = [0; 3].map(|_| random.between(-1.0, 1.0));
        let part = dot(other, along);
        let across = unit(std::array::from_fn(|k| other[k] - part * along[k]));
        let mut apart = [size, size * random.between(-1.0, 1.0)];
        if random.unit() < 0.4 {
            apart[0] = size * libm::exp2(random.between(-16.0, 0.0));
        }
        let n = 1 + libm::exp2(random.between(0.0, 6.0)) as usize;
        Self {
            statistic,
            los,
            kinds: [kinds[pick(random, 3)], kinds[2 * pick(random, 2)]],
            beside_along: statistic != Statistic::R && random.unit() < 0.5,
            signed: random.unit() < 0.5,
            n,
            at: 1 + pick(random, n as u64),
            ratio: libm::exp2(random.between(0.05, 1.5)),
            last: None,
            largest,
            base,
            apart,
            directions: [across, along],
        }
    }

    /// The blocks moved so that the points are `apart`.
    fn placed(&self, mut geometry: Geometry) -> Geometry {
        let [across, along] = self.directions;
        for k in 0..3 {
            let d = self.apart[0] * across[k] + self.apart[1] * along[k];
            let [first, second] = geometry.offsets.map(|offset| offset[k] * geometry.half);
            geometry.centres[1][k] = geometry.centres[0][k] + first - second - d;
        }
        geometry
    }

    /// The coordinate that an edge is to be beside, as computed and as it is.
    fn coordinate(&self, geometry: &Geometry, c: &Computed) -> [f64; 2] {
        let exact = Exact::of(geometry);
        let fixed = matches!(self.los, LineOfSight::Fixed(_));
        let [found, exact] = match (self.statistic, self.beside_along, fixed) {
            (Statistic::R, ..) => [f64::from(c.roots[0]), exact.r],
            (Statistic::SMu, false, _) => [f64::from(c.s), exact.r],
            (Statistic::SMu, true, true) => [f64::from(c.mu_axis), exact.mu_axis],
            (Statistic::SMu, true, false) => [f64::from(c.mu_line), exact.mu_line],
            (Statistic::RpPi, false, true) => [f64::from(c.rp2_axis).sqrt(), exact.rp2_axis.sqrt()],
            (Statistic::RpPi, false, false) => {
                [f64::from(c.rp2_line).sqrt(), exact.rp2_line.sqrt()]
            }
            (Statistic::RpPi, true, true) => [f64::from(c.d[2]), exact.sep.d[2]],
            (Statistic::RpPi, true, false) => [f64::from(c.pi_line), exact.pi_line],
        };
        if self.beside_along && !self.signed {
            return [found.abs(), exact.abs()];
        }
        [found, exact]
    }

    /// The pair of the two blocks with the largest error that a short climb finds.
    fn climb(&self, isa: Isa, random: &mut Random) -> (Geometry, [f64; 2]) {
        let error = |[found, exact]: [f64; 2]| (found - exact).abs();
        let first = self.placed(self.base);
        let mut best = (first, [0.0; 2]);
        for _ in 0..16 {
            let mut trials = [best.0; MOST_LANES];
            for trial in &mut trials[1..] {
                for offset in trial.offsets.as_flattened_mut() {
                    let step = libm::exp2(random.between(-27.0, -2.0)) * random.between(-1.0, 1.0);
                    *offset = (*offset + step).clamp(-1.0, 1.0);
                    if random.unit() < 0.5 {
                        // Halfway between two floats, nearly.
                        let near = (*offset * trial.half) as f32;
                        let apart = f64::from(near.next_up()) - f64::from(near);
                        let side = if random.unit() < 0.5 { 0.499 } else { -0.499 };
                        *offset = ((f64::from(near) + side * apart) / trial.half).clamp(-1.0, 1.0);
                    }
                }
                *trial = self.placed(*trial);
            }
            for (trial, computed) in trials.iter().zip(&isa.dispatch(Compute(&trials))) {
                let coordinate = self.coordinate(trial, computed);
                if coordinate[0].is_finite() && error(coordinate) >= error(best.1) {
                    best = (*trial, coordinate);
                }
            }
        }
        best
    }

    /// Bins of a kind up to `last` with an edge at `value`, of equal ones only where they have one there.
    fn edges_up_to(&self, value: f64, last: f64, random: &mut Random) -> Option<Edges> {
        let n = self.n;
        match self.kinds[0] {
            Kind::Equal if self.beside_along => Edges::linear(0.0, last, n).ok(),
            Kind::Equal => {
                let at = (value * n as f64 / last).ceil();
                Edges::linear(0.0, value * n as f64 / at, n).ok()
            }
            Kind::Logarithmic => {
                let steps = (last / value).ln() / self.ratio.ln();
                let above = steps.round().clamp(0.0, n as f64);
                let ratio = self.ratio.powf(steps / above.max(1.0));
                let edge = |k: usize| value * libm::pow(ratio, k as f64 + above - n as f64);
                Edges::new((0..=n).map(edge).collect()).ok()
            }
            Kind::Uneven => {
                let mut all: Vec<f64> = (0..n).map(|_| last * random.unit()).collect();
                all.extend([value, last]);
                all.sort_by(f64::total_cmp);
                Edges::new(all).ok()
            }
        }
    }

    /// Bins of a kind with edge number `at` at `value`.
    fn edges(&self, value: f64, kind: Kind, random: &mut Random) -> Option<Edges> {
        if let Some(last) = self.last.filter(|&last| value < last) {
            return self.edges_up_to(value, last, random);
        }
        let (n, at) = (self.n, self.at);
        let all: Vec<f64> = match kind {
            Kind::Equal => {
                let first = if self.signed { 0.0 } else { self.ratio };
                let width = value / (at as f64 + first);
                (0..=n)
                    .map(|k| {
                        if k == at {
                            value
                        } else {
                            (first + k as f64) * width
                        }
                    })
                    .collect()
            }
            Kind::Logarithmic => (0..=n)
                .map(|k| value * libm::pow(self.ratio, k as f64 - at as f64))
                .collect(),
            Kind::Uneven => {
                let mut below: Vec<f64> = (0..at).map(|_| value * random.unit()).collect();
                below.extend((at..n).map(|_| value * (1.0 + 3.0 * random.unit())));
                below.push(value);
                below.sort_by(f64::total_cmp);
                below
            }
        };
        Edges::new(all).ok()
    }

    /// Bins along, up to `most`, with an edge at `value`.
    fn edges_along(&self, value: f64, most: f64, random: &mut Random) -> Option<SignedEdges> {
        let (n, size) = (self.n.min(40), value.abs());
        if self.kinds[1] == Kind::Equal {
            let k = (size / most * n as f64).ceil().max(1.0);
            let last = size * n as f64 / k;
            let (lo, n) = if self.signed {
                (-last, 2 * n)
            } else {
                (0.0, n)
            };
            return SignedEdges::linear(lo, last.min(most), n).ok();
        }
        let lowest = if self.signed { -most } else { 0.0 };
        let mut all: Vec<f64> = (0..n).map(|_| random.between(lowest, most)).collect();
        all.retain(|v| (v - value).abs() > 1e-3 * most);
        all.push(value);
        if random.unit() < 0.5 {
            all.push(0.0);
        }
        all.sort_by(f64::total_cmp);
        all.dedup();
        SignedEdges::new(all).ok()
    }

    /// Asks about the pair in bins with an edge between what is computed and what is true; how many answers there are and how many of
    /// them sure, the square up to which everything is doubtful, and the last edge across.
    fn ask(&self, isa: Isa, random: &mut Random) -> Option<([usize; 2], [f64; 2])> {
        let (pair, [found, exact]) = self.climb(isa, random);
        // Between the two, or farther from what is true.
        let part = if random.unit() < 0.6 {
            libm::exp2(-random.between(0.5, 7.0))
        } else {
            libm::exp2(random.between(0.0, 12.0)) * (random.unit() - 0.5).signum()
        };
        let edge = exact + (found - exact) * part;
        let (s, m) = (Exact::of(&pair).r, self.apart[1].abs());
        let last = |edges: &Edges| edges.last();
        match self.statistic {
            Statistic::R => {
                let bins = RBins::new(self.edges(edge, self.kinds[0], random)?);
                self.answers(isa, &bins, &pair, random)
            }
            Statistic::SMu => {
                let (edges, mu) = if self.beside_along {
                    let value = s * self.ratio;
                    let mu = self.edges_along(edge, 1.0, random)?;
                    (self.edges(value, self.kinds[0], random)?, mu)
                } else {
                    let lowest = if self.signed { -1.0 } else { 0.0 };
                    let mu = SignedEdges::linear(lowest, 1.0, self.n).ok()?;
                    (self.edges(edge, self.kinds[0], random)?, mu)
                };
                let bins = SMuBins::new(edges, mu, self.los).ok()?;
                self.answers(isa, &bins, &pair, random)
            }
            Statistic::RpPi => {
                let (rp, pi) = if self.beside_along {
                    let rp = self.edges(self.apart[0] * self.ratio, self.kinds[0], random)?;
                    let most = edge.abs() * random.between(1.0, 2.0) + last(&rp) * random.unit();
                    (rp, self.edges_along(edge, most, random)?)
                } else {
                    let lowest = if self.signed { -1.0 } else { 0.0 };
                    let size = m * random.between(1.0, 1.5) + self.apart[0] * random.unit();
                    let pi = SignedEdges::linear(lowest * size, size, self.n).ok()?;
                    (self.edges(edge, self.kinds[0], random)?, pi)
                };
                let bins = RpPiBins::new(rp, pi, self.los).ok()?;
                self.answers(isa, &bins, &pair, random)
            }
        }
    }

    /// Asks about the pair and about some beside it.
    fn answers(
        &self,
        isa: Isa,
        bins: impl Into<Bins>,
        pair: &Geometry,
        random: &mut Random,
    ) -> Option<([usize; 2], [f64; 2])> {
        let bins = &bins.into();
        let form = Formed::of(bins)?.form;
        let slots = Slots::of(&form);
        let mut pairs = [*pair; MOST_LANES];
        for pair in &mut pairs[4..] {
            let [side, axis] = [random.bits() % 2, random.bits() % 3].map(|at| at as usize);
            let step = libm::exp2(random.between(-30.0, -8.0)) * random.between(-1.0, 1.0);
            let offset = &mut pair.offsets[side][axis];
            *offset = (*offset + step).clamp(-1.0, 1.0);
        }
        if !matches!(self.los, LineOfSight::Fixed(_)) && self.statistic != Statistic::R {
            let blocks = pair.centres.map(|centre| (centre, [pair.half; 3]));
            if !line_is_long(pair.sight, blocks, self.largest, 1.0) {
                return None;
            }
        }
        let rounding = Rounding {
            half: self.largest,
            ..pair.rounding()
        };
        let all = pairs.map(|pair| Exact::of(&pair).r);
        let (least, most) = (all.iter()).fold((f64::INFINITY, 0.0f64), |(lo, hi), &r| {
            (lo.min(r), hi.max(r))
        });
        let least = if random.unit() < 0.6 {
            0.0
        } else {
            least * random.between(0.5, 1.0)
        };
        let most = most * (1.0 + 4.0 * random.unit() * random.unit());
        let bounds = PairBounds::new(&rounding, [least, most], pair.half);
        let ask = Ask {
            isa,
            within: (random.unit() < 0.8).then_some(bounds),
            pairs: &pairs,
        };
        let (answers, limit) = with_filter(&form, &rounding, ask).ok()?;
        let mut sure = 0;
        for (pair, answer) in pairs.iter().zip(answers) {
            let Some(slot) = answer else { continue };
            sure += 1;
            let bin = bins.bin(&Exact::of(pair).sep);
            let right = match bin {
                Some(bin) => slots.of_bin(bin) == slot as usize,
                None => slots.bins().all(|of_bin| of_bin != slot as usize),
            };
            assert!(
                right,
                "{isa:?} is sure of slot {slot}, not of bin {bin:?}: {pair:?} of {self:?} in {bins:?}"
            );
        }
        let last = match form {
            Form::Radial { r: across }
            | Form::SMu { s: across, .. }
            | Form::RpPi { rp: across, .. } => across.last(),
        };
        Some(([sure, MOST_LANES], [f64::from(limit), last]))
    }

    /// The same bins for a pair just above the square up to which everything is doubtful.
    fn just_above(mut self, [limit, last]: [f64; 2], random: &mut Random) -> Option<Self> {
        self.last = Some(last);
        let wanted = limit.sqrt() * (1.0 + libm::exp2(random.between(-16.0, -2.0)));
        let [across, along] = self.apart;
        let now = match self.statistic {
            Statistic::RpPi => across,
            _ => across.hypot(along),
        };
        let part = wanted / now;
        if !(part > 1e-7 && part < 1e7) {
            return None;
        }
        self.apart[0] *= part;
        if self.statistic != Statistic::RpPi {
            self.apart[1] *= part;
        }
        Some(self)
    }
}

/// Asks about many pairs; some answers are sure, and some are not.
fn often_sure(statistic: Statistic, trials: usize) {
    for isa in Isa::available() {
        let mut random = Random(0xb10c);
        let [mut sure, mut asked, mut near] = [0; 3];
        for _ in 0..trials {
            let mut trial = Trial::draw(&mut random, statistic);
            // Errors are the largest part of what is decided where little more is in doubt.
            for turn in 0..3 {
                let Some((answers, limit)) = trial.ask(isa, &mut random) else {
                    break;
                };
                [sure, asked] = [sure + answers[0], asked + answers[1]];
                near += usize::from(turn > 0 && answers[0] > 0);
                match trial.just_above(limit, &mut random) {
                    Some(next) => trial = next,
                    None => break,
                }
            }
        }
        println!("{statistic:?} on {isa:?}: {sure} of {asked} answers were sure, {near} near");
        assert!(sure * 20 > asked && sure < asked && near > 0);
    }
}

#[test]
fn bins_of_the_separation_are_sure_only_where_they_are_right() {
    often_sure(Statistic::R, 600);
}

#[test]
fn cosines_are_sure_only_where_they_are_right() {
    often_sure(Statistic::SMu, 1200);
}

#[test]
fn cylinders_are_sure_only_where_they_are_right() {
    often_sure(Statistic::RpPi, 1200);
}
