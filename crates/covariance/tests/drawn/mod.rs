//! Jobs that are drawn: boxes and surveys, all bins, one tracer or two.
#![allow(unreachable_pub, dead_code, reason = "shared by test binaries")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::random::Stream;
use albireo::{
    Axis, Bins, Domain, Edges, Labels, LineOfSight, Particles, PeriodicBox, Points, RBins,
    RpPiBins, SMuBins, Separation, SignedEdges, separation,
};
use albireo_covariance::sampler::{Input, Settings, XiTable, pairs_of};

/// Numbers one after the other.
pub struct Draw {
    stream: Stream,
    next: u64,
}

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self {
            stream: Stream::new(seed),
            next: 0,
        }
    }

    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.next += 1;
        self.stream.uniform(self.next)
    }

    /// In [0, n).
    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + self.uniform() * (hi - lo)
    }
}

/// How large drawn jobs are.
pub struct Size {
    /// Points of a tracer: from 8 on.
    pub points: usize,
    /// Bins along an axis at most.
    pub bins: usize,
}

/// Rising edges from `lo` to `hi`, even or not.
fn edges(draw: &mut Draw, lo: f64, hi: f64, most: usize) -> Vec<f64> {
    let n = 1 + draw.below(most);
    let power = if draw.chance(0.5) {
        1.0
    } else {
        draw.between(0.5, 2.0)
    };
    let at = |k: usize| lo + (hi - lo) * (k as f64 / n as f64).powf(power);
    (0..=n).map(at).collect()
}

fn bins(draw: &mut Draw, reach: f64, sight: LineOfSight, most: usize) -> Bins {
    let lo = if draw.chance(0.3) {
        0.0
    } else {
        reach * draw.between(0.01, 0.3)
    };
    match draw.below(3) {
        0 => RBins::new(Edges::new(edges(draw, lo, reach, most)).unwrap()).into(),
        1 => {
            let s = Edges::new(edges(draw, lo, reach, most)).unwrap();
            let end = if draw.chance(0.8) { 1.0 } else { 0.9 };
            let mu = SignedEdges::new(edges(draw, 0.0, end, most)).unwrap();
            SMuBins::new(s, mu, sight).unwrap().into()
        }
        _ => {
            let rp = Edges::new(edges(draw, lo * 0.5, reach * 0.6, most)).unwrap();
            let pi = SignedEdges::new(edges(draw, 0.0, reach * 0.7, most)).unwrap();
            RpPiBins::new(rp, pi, sight).unwrap().into()
        }
    }
}

fn domain(draw: &mut Draw, side: f64) -> (Domain, LineOfSight) {
    if draw.chance(0.5) {
        let sight = if draw.chance(0.8) {
            LineOfSight::Midpoint
        } else {
            LineOfSight::Fixed(Axis::Y)
        };
        return (Domain::Open, sight);
    }
    let mut lengths = [side, side * 1.1, side * 1.3].map(Some);
    if draw.chance(0.2) {
        lengths[draw.below(3)] = None;
    }
    let axis = Axis::ALL[draw.below(3)];
    (
        Domain::Periodic(PeriodicBox::new(lengths).unwrap()),
        LineOfSight::Fixed(axis),
    )
}

/// Points at random in a cube, some of them at the place of another.
fn randoms(draw: &mut Draw, n: usize, side: f64, origin: [f64; 3]) -> Particles {
    let mut rows: Vec<[f64; 3]> = vec![];
    for _ in 0..n {
        let place = origin.map(|x| x + draw.uniform() * side);
        let same = !rows.is_empty() && draw.chance(0.02);
        rows.push(if same {
            rows[draw.below(rows.len())]
        } else {
            place
        });
    }
    let points = Points::from_rows(&rows).unwrap();
    if draw.chance(0.3) {
        return Particles::new(points);
    }
    let weight = |draw: &mut Draw| {
        if draw.chance(0.05) {
            0.0
        } else {
            draw.between(0.2, 1.5)
        }
    };
    let weights = (0..n).map(|_| weight(draw));
    Particles::weighted(points, weights.collect()).unwrap()
}

/// xi with a change of sign, larger near 0.
fn xi(draw: &mut Draw, side: f64, cut: f64) -> XiTable {
    let (scale, zero) = (
        side * draw.between(0.05, 0.4),
        side * draw.between(0.2, 0.9),
    );
    let (slope, strength) = (draw.between(-0.8, 0.8), draw.between(0.2, 3.0));
    let xi = |s: f64, mu: f64| {
        strength * (1.0 + slope * mu * mu) * (1.0 - s / zero) / (1.0 + s / scale).powi(2)
    };
    XiTable::from_fn(side / 64.0, cut, xi).unwrap()
}

/// The job of a seed.
pub fn input(seed: u64, size: &Size) -> Input {
    let mut draw = Draw::new(seed);
    let side = draw.between(5.0, 200.0);
    let tracers = 1 + usize::from(draw.chance(0.35));
    let (domain, sight) = domain(&mut draw, side);
    let periodic = domain.is_periodic();
    // A survey is seen from one of its corners or from afar.
    let away = if periodic {
        0.0
    } else {
        side * draw.between(0.0, 8.0)
    };
    let origin = [away, 0.3 * away, 0.0];
    let reach = side
        * if periodic {
            0.5
        } else {
            draw.between(0.2, 0.9)
        };
    let bins = bins(&mut draw, reach * 0.999, sight, size.bins);
    let cut = side
        * if draw.chance(0.4) {
            draw.between(0.2, 0.6)
        } else {
            2.5
        };
    let points = |draw: &mut Draw| 8 + draw.below(size.points - 7);
    let randoms: Vec<Particles> = (0..tracers)
        .map(|_| {
            let n = points(&mut draw);
            randoms(&mut draw, n, side * 0.999, origin)
        })
        .collect();
    let fewest = randoms.iter().map(Particles::len).min().unwrap_or(8);
    let settings = Settings {
        seed: draw.below(1 << 30) as u64,
        points: if draw.chance(0.5) {
            fewest
        } else {
            8.max(fewest * 2 / 3)
        },
        cloud: draw.between(1.0, 6.0),
        pairs: draw.between(0.1, 0.6) * fewest as f64,
    };
    let mut region_shares = None;
    let mut randoms = randoms;
    if tracers == 1 && draw.chance(0.5) {
        let number = 2 + draw.below(4);
        let labels = (0..randoms[0].len())
            .map(|_| draw.below(number) as u32)
            .collect();
        let labels = Labels::new(labels, number as u32).unwrap();
        randoms = vec![randoms.remove(0).labelled(labels).unwrap()];
        let share = |draw: &mut Draw| (0..bins.n_bins()).map(|_| draw.uniform()).collect();
        region_shares = Some((0..number).map(|_| share(&mut draw)).collect());
    }
    let pairs = pairs_of(tracers);
    let xi = pairs.iter().map(|_| xi(&mut draw, side, cut)).collect();
    let counted = |&(i, j): &(usize, usize)| random_pairs(&domain, &bins, &randoms, i, j);
    Input {
        random_pairs: pairs.iter().map(counted).collect(),
        line_of_sight: (bins.line_of_sight().is_none() && draw.chance(0.5)).then_some(sight),
        domain,
        bins,
        randoms,
        xi,
        region_shares,
        settings,
    }
}

pub fn weight(randoms: &Particles, row: usize) -> f64 {
    match randoms.weights() {
        albireo::Weights::Unit => 1.0,
        albireo::Weights::PerParticle(weights) => weights.at(row),
    }
}

/// RR in a double loop.
fn random_pairs(
    domain: &Domain,
    bins: &Bins,
    randoms: &[Particles],
    i: usize,
    j: usize,
) -> Vec<f64> {
    let (first, second) = (&randoms[i], &randoms[j]);
    let mut sums = vec![0.0; bins.n_bins()];
    for a in 0..first.len() {
        for b in 0..second.len() {
            if i == j && a == b {
                continue;
            }
            let pair = domain.separation(first.points().at(a), second.points().at(b));
            if let Some(bin) = bins.bin(&pair) {
                sums[bin] += weight(first, a) * weight(second, b);
            }
        }
    }
    sums
}

/// xi of a pair, by its formula.
pub fn xi_of(input: &Input, table: &XiTable, pair: &Separation) -> f64 {
    let s = pair.r2.sqrt();
    let mu = match input.bins.line_of_sight().or(input.line_of_sight) {
        _ if s == 0.0 => 0.0,
        None => 0.0,
        Some(LineOfSight::Fixed(axis)) => pair.d[axis.index()].abs() / s,
        Some(_) => {
            let l = separation::sum(pair.x1, pair.x2);
            let norm = separation::norm2(l).sqrt();
            if norm == 0.0 {
                0.0
            } else {
                (separation::dot(pair.d, l) / (s * norm)).abs()
            }
        }
    };
    table.at(s, mu)
}
