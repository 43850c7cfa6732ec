//! How near the bounds of the filters come to being wrong: a search for the pairs with the largest error for its bound.
//!
//! Each key that a filter decides by is computed as the kernels do, on every instruction set, and compared with the contract's. Hill
//! climbing over the places of two points in their blocks maximises |float32 key - exact key| / bound; it must stay below 1, and it comes
//! so near that a bound much smaller than it is would fail.

use super::axes::{AcrossAxis, AlongAxis};
use super::linear::LinearRoot;
use super::logarithmic::Logarithmic;
use super::tables::{GridTable, SquareTable};
use super::two_dimensional::{
    FixedAxis, Line, SHORTEST_LINE, Sight, mu_errors, pi_errors, rp_square_error,
};
use super::*;
use crate::domain::{Axis, Domain};
use crate::separation::{Separation, dot, norm2};
use crate::simd::{Isa, Kernel, MOST_EXACT_ROW, MOST_LANES};

/// splitmix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }
}

/// Two points in two blocks, in scaled units.
#[derive(Debug, Clone, Copy)]
struct Geometry {
    /// Half extent of both blocks along every axis.
    half: f64,
    centres: [[f64; 3]; 2],
    /// Offsets from the centres in half extents.
    offsets: [[f64; 3]; 2],
    /// What a line of sight takes of each point.
    sight: [f64; 2],
}

impl Geometry {
    fn draw(random: &mut Random, sight: [f64; 2]) -> Self {
        let half = libm::exp2(random.between(-10.0, -0.5));
        let far = if random.bits().is_multiple_of(2) {
            1.0
        } else {
            30.0
        };
        let centre = [0; 3].map(|_| random.between(-far, far));
        let apart = [0; 3].map(|_| random.between(-0.6, 0.6));
        let offset = |random: &mut Random| [0; 3].map(|_| random.between(-1.0, 1.0));
        Self {
            half,
            centres: [centre, std::array::from_fn(|k| centre[k] + apart[k])],
            offsets: [offset(random), offset(random)],
            sight,
        }
    }

    /// A geometry beside this one.
    fn step(&self, random: &mut Random) -> Self {
        let mut next = *self;
        let choice = random.bits() % 8;
        let axis = (random.bits() % 3) as usize;
        let side = (random.bits() % 2) as usize;
        let size = libm::exp2(random.between(-26.0, 0.0)) * random.between(-1.0, 1.0);
        match choice {
            0..5 => {
                let offset = &mut next.offsets[side][axis];
                *offset = (*offset + size).clamp(-1.0, 1.0);
            }
            5..7 => next.centres[side][axis] += size * 0.1,
            // Roundings are largest just above a power of two.
            _ => next.half = (next.half * (1.0 + size * 0.5)).clamp(1e-3, 0.7),
        }
        next
    }

    fn points(&self) -> [[f64; 3]; 2] {
        [0, 1].map(|side| {
            std::array::from_fn(|k| self.centres[side][k] + self.offsets[side][k] * self.half)
        })
    }

    /// As `engine::cpu` bounds the roundings of a job.
    fn rounding(&self) -> Rounding {
        let [a, b] = self.centres;
        let span = (0..3).map(|k| (a[k] - b[k]).abs() + 2.0 * self.half);
        Rounding {
            scale: 1.0,
            half: self.half,
            exact: 8.0 * f64::EPSILON * span.fold(0.0, f64::max),
        }
    }

    /// Whether the line of sight is long enough for a filter.
    fn line_is_long(&self) -> bool {
        let [a, b] = self.sight;
        let [c1, c2] = self.centres;
        let line: [f64; 3] = std::array::from_fn(|k| a * c1[k] + b * c2[k]);
        let extent = 3f64.sqrt() * self.half;
        norm2(line).sqrt() - (a + b) * extent >= SHORTEST_LINE * self.half
    }
}

/// What filters compute of a pair.
#[derive(Debug, Clone, Copy, Default)]
struct Computed {
    d: [f32; 3],
    square: f32,
    /// By an even and an odd row, and the most exact; factors removed.
    roots: [f32; 3],
    /// The square times its inverse root.
    s: f32,
    mu_axis: f32,
    mu_line: f32,
    pi_line: f32,
    rp2_axis: f32,
    rp2_line: f32,
}

/// Computes sixteen pairs.
struct Compute<'a>(&'a [Geometry; MOST_LANES]);

impl Compute<'_> {
    /// One number a lane.
    fn of(&self, number: impl Fn(&Geometry) -> f64) -> [f32; MOST_LANES] {
        std::array::from_fn(|lane| number(&self.0[lane]) as f32)
    }
}

impl Kernel for Compute<'_> {
    type Output = [Computed; MOST_LANES];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let offset = |side: usize, k: usize| {
            // Offsets are taken from the point, as the layout does.
            self.of(|g| g.points()[side][k] - g.centres[side][k])
        };
        let rows = [0, 1, 2].map(|k| offset(0, k));
        let lanes = [0, 1, 2].map(|k| offset(1, k));
        let apart = [0, 1, 2].map(|k| self.of(|g| g.centres[0][k] - g.centres[1][k]));
        let line = [0, 1, 2]
            .map(|k| self.of(|g| g.sight[0] * g.centres[0][k] + g.sight[1] * g.centres[1][k]));
        let [first, second] = [0, 1].map(|side| self.of(|g| g.sight[side]));
        let mut all = [Computed::default(); MOST_LANES];
        for part in (0..MOST_LANES).step_by(S::LANES) {
            let load = |values: &[f32; MOST_LANES]| simd.load(&values[part..]);
            let d = [0, 1, 2].map(|k| {
                let lane = simd.sub(load(&lanes[k]), load(&apart[k]));
                simd.sub(load(&rows[k]), lane)
            });
            let l = [0, 1, 2].map(|k| {
                let lane = simd.mul_add(load(&lanes[k]), load(&second), load(&line[k]));
                simd.mul_add(load(&rows[k]), load(&first), lane)
            });
            let mut keep = |value: S::F, factor: f32, to: fn(&mut Computed) -> &mut f32| {
                let mut numbers = [0.0; MOST_LANES];
                simd.store(value, &mut numbers);
                for lane in 0..S::LANES {
                    *to(&mut all[part + lane]) = numbers[lane] / factor;
                }
            };
            keep(d[0], 1.0, |c| &mut c.d[0]);
            keep(d[1], 1.0, |c| &mut c.d[1]);
            keep(d[2], 1.0, |c| &mut c.d[2]);
            let square = square(simd, d);
            keep(square, 1.0, |c| &mut c.square);
            keep(simd.root(square, 0), S::ROOT_FACTORS[0], |c| {
                &mut c.roots[0]
            });
            keep(simd.root(square, 1), S::ROOT_FACTORS[1], |c| {
                &mut c.roots[1]
            });
            let fine = simd.root(square, MOST_EXACT_ROW);
            keep(fine, S::ROOT_FACTORS[MOST_EXACT_ROW % 2], |c| {
                &mut c.roots[2]
            });
            let inverse_root = simd.rsqrt(square);
            keep(simd.mul(square, inverse_root), S::RSQRT_FACTOR, |c| {
                &mut c.s
            });
            let axis = FixedAxis.measure(simd, square, d, l);
            let mu = simd.mul(FixedAxis.project(simd, axis), inverse_root);
            keep(mu, S::RSQRT_FACTOR, |c| &mut c.mu_axis);
            keep(FixedAxis.square(simd, d), 1.0, |c| &mut c.rp2_axis);
            let measured = Line.measure(simd, square, d, l);
            let pi = Line.project(simd, measured);
            let factor = Line::factor::<S>();
            keep(pi, factor, |c| &mut c.pi_line);
            keep(simd.mul(pi, inverse_root), factor * S::RSQRT_FACTOR, |c| {
                &mut c.mu_line
            });
            keep(Line.across(simd, square, pi), 1.0, |c| &mut c.rp2_line);
        }
        all
    }
}

/// What the contract says of a pair.
struct Exact {
    sep: Separation,
    r: f64,
    /// Along the last axis.
    mu_axis: f64,
    rp2_axis: f64,
    /// Along the line of sight.
    pi_line: f64,
    mu_line: f64,
    rp2_line: f64,
}

impl Exact {
    fn of(geometry: &Geometry) -> Self {
        let [x1, x2] = geometry.points();
        let sep = Domain::Open.separation(x1, x2);
        let [a, b] = geometry.sight;
        let l: [f64; 3] = std::array::from_fn(|k| a * x1[k] + b * x2[k]);
        let (r, d, dl, l2) = (sep.r2.sqrt(), sep.d, dot(sep.d, l), norm2(l));
        let pi2 = (dl * dl) / l2;
        Self {
            sep,
            r,
            mu_axis: d[2] / r,
            rp2_axis: d[0] * d[0] + d[1] * d[1],
            pi_line: dl / l2.sqrt(),
            mu_line: dl / (sep.r2 * l2).sqrt(),
            rp2_line: (sep.r2 - pi2).max(0.0),
        }
    }
}

/// A key by its name, with |float32 - exact| / bound of a pair.
type Key = (&'static str, fn(&Geometry, &Computed) -> f64);

/// The largest separation of a job here, so that bounds are those of its bins.
const REACH: f64 = 1.0;

/// The quotient, where the pair is one that the filter decides.
fn part(decided: bool, found: f32, exact: f64, bound: f64) -> f64 {
    if decided {
        (f64::from(found) - exact).abs() / bound
    } else {
        0.0
    }
}

fn root_key(geometry: &Geometry, found: f32, root_error: f64) -> f64 {
    let r = Exact::of(geometry).r;
    let bound = geometry.rounding().of_root(r, root_error);
    part(r <= REACH, found, r, bound)
}

const RADIAL: [Key; 6] = [
    ("difference", |g, c| {
        let exact = Exact::of(g);
        let error: [f64; 3] = std::array::from_fn(|k| f64::from(c.d[k]) - exact.sep.d[k]);
        if exact.r > REACH {
            return 0.0;
        }
        norm2(error).sqrt() / g.rounding().of_difference(exact.r)
    }),
    ("square", |g, c| {
        let exact = Exact::of(g);
        let bound = g.rounding().of_square(exact.r);
        part(exact.r <= REACH, c.square, exact.sep.r2, bound)
    }),
    ("root, even rows", |g, c| {
        root_key(g, c.roots[0], ROOT_ERROR)
    }),
    ("root, odd rows", |g, c| root_key(g, c.roots[1], ROOT_ERROR)),
    ("fine root", |g, c| root_key(g, c.roots[2], FINE_ROOT_ERROR)),
    ("root by its inverse", |g, c| {
        root_key(g, c.s, ROOT_ERROR + HALF_ULP)
    }),
];

/// Cosines are decided from this separation on.
const NEAREST: f64 = 0.05;

const ALONG_AN_AXIS: [Key; 3] = [
    ("mu along an axis", |g, c| {
        let exact = Exact::of(g);
        let bound = mu_errors(&g.rounding(), exact.r).worst();
        let decided = (NEAREST..=REACH).contains(&exact.r);
        part(decided, c.mu_axis, exact.mu_axis, bound)
    }),
    ("pi along an axis", |g, c| {
        let exact = Exact::of(g);
        let bound = pi_errors(&g.rounding(), exact.r).worst();
        part(exact.r <= REACH, c.d[2], exact.sep.d[2], bound)
    }),
    ("rp2 across an axis", |g, c| {
        let exact = Exact::of(g);
        let rp = exact.rp2_axis.sqrt();
        let bound = rp_square_error(&g.rounding(), LineOfSight::Fixed(Axis::Z), rp, REACH);
        part(exact.r <= REACH, c.rp2_axis, exact.rp2_axis, bound)
    }),
];

const ALONG_A_LINE: [Key; 3] = [
    ("mu along a line", |g, c| {
        let exact = Exact::of(g);
        let bound = mu_errors(&g.rounding(), exact.r).worst();
        let decided = (NEAREST..=REACH).contains(&exact.r) && g.line_is_long();
        part(decided, c.mu_line, exact.mu_line, bound)
    }),
    ("pi along a line", |g, c| {
        let exact = Exact::of(g);
        let bound = pi_errors(&g.rounding(), exact.r).worst();
        let decided = exact.r <= REACH && g.line_is_long();
        part(decided, c.pi_line, exact.pi_line, bound)
    }),
    ("rp2 across a line", |g, c| {
        let exact = Exact::of(g);
        let rp = exact.rp2_line.sqrt();
        let bound = rp_square_error(&g.rounding(), LineOfSight::Midpoint, rp, exact.r);
        let decided = exact.r <= REACH && g.line_is_long();
        part(decided, c.rp2_line, exact.rp2_line, bound)
    }),
];

/// Starts of the search and steps from each.
const STARTS: usize = 24;
const STEPS: usize = 150;

/// The largest quotient that hill climbing finds for `key`, and where.
fn worst(isa: Isa, key: Key, sight: [f64; 2]) -> (f64, Geometry) {
    let mut random = Random(0x5eed);
    let mut record = (0.0, Geometry::draw(&mut random, sight));
    for _ in 0..STARTS {
        let mut best = (-1.0, Geometry::draw(&mut random, sight));
        for _ in 0..STEPS {
            let trials: [Geometry; MOST_LANES] = std::array::from_fn(|_| {
                if best.0 <= 0.0 {
                    Geometry::draw(&mut random, sight)
                } else {
                    best.1.step(&mut random)
                }
            });
            let computed = isa.dispatch(Compute(&trials));
            for (geometry, computed) in trials.iter().zip(&computed) {
                let quotient = key.1(geometry, computed);
                assert!(
                    quotient < 1.0,
                    "{} on {isa:?}: {quotient} at {geometry:?}",
                    key.0
                );
                if quotient > best.0 {
                    best = (quotient, *geometry);
                }
            }
        }
        if best.0 > record.0 {
            record = best;
        }
    }
    record
}

/// Searches for the worst of `keys` on every instruction set, which must come within `near` of its bound.
fn search(keys: &[Key], sights: &[[f64; 2]], near: f64) {
    for &key in keys {
        let mut most: f64 = 0.0;
        for isa in Isa::available() {
            for &sight in sights {
                most = most.max(worst(isa, key, sight).0);
            }
        }
        println!("{}: at worst {most:.3} of its bound", key.0);
        assert!(
            most > near,
            "{}: only {most} of its bound is ever used",
            key.0
        );
    }
}

#[test]
fn separations_stay_within_their_bounds() {
    search(&RADIAL, &[[0.0, 0.0]], 0.2);
}

#[test]
fn projections_on_an_axis_stay_within_their_bounds() {
    search(&ALONG_AN_AXIS, &[[0.0, 0.0]], 0.1);
}

#[test]
fn projections_on_a_line_stay_within_their_bounds() {
    search(&ALONG_A_LINE, &[[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], 0.1);
}

/// Places squares by an axis: bins with a fraction, or bins that are sure.
struct Place<'a, A>(A, &'a [f32], usize);

impl<A: AcrossAxis> Kernel for Place<'_, A> {
    type Output = Vec<(u32, u32)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self(axis, squares, row) = self;
        let mut placed = vec![];
        for squares in squares.chunks_exact(S::LANES) {
            let (bin, certainty) = axis.place(simd, simd.load(squares), row);
            let (mut bins, mut certainties) = ([0; MOST_LANES], [0; MOST_LANES]);
            simd.store_u(bin, &mut bins);
            simd.store_u(certainty, &mut certainties);
            placed.extend((0..S::LANES).map(|k| (bins[k], certainties[k])));
        }
        placed
    }
}

/// The same for a coordinate along the line of sight.
struct PlaceAlong<'a, A>(A, &'a [f32]);

impl<A: AlongAxis> Kernel for PlaceAlong<'_, A> {
    type Output = Vec<(u32, u32)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self(axis, values) = self;
        let mut placed = vec![];
        for values in values.chunks_exact(S::LANES) {
            let (bin, certainty) = axis.place(simd, simd.load(values), 1.0);
            let (mut bins, mut certainties) = ([0; MOST_LANES], [0; MOST_LANES]);
            simd.store_u(bin, &mut bins);
            simd.store_u(certainty, &mut certainties);
            placed.extend((0..S::LANES).map(|k| (bins[k], certainties[k])));
        }
        placed
    }
}

/// Values at `edge` and up to `errors` times `error` beside it, near ones more often.
fn around(random: &mut Random, edge: f64, error: f64, errors: f64) -> Vec<f32> {
    let mut values: Vec<f32> = (0..20 * MOST_LANES)
        .map(|_| {
            let t = random.between(-1.0, 1.0);
            (edge + errors * error * t) as f32
        })
        .collect();
    for (k, value) in values.iter_mut().take(MOST_LANES).enumerate() {
        *value = f32::from_bits(
            (edge as f32)
                .to_bits()
                .wrapping_add(k as u32)
                .wrapping_sub(8),
        );
    }
    values
}

/// The largest part of its certain distance from an edge that the error takes: where a value is sure to lie in a bin, its error may not
/// reach the edges of that bin.
fn most_of_distance(
    placed: &[(u32, u32)],
    doubtful: u32,
    values: &[f32],
    edges: &[f64],
    error: &dyn Fn(f64) -> f64,
) -> f64 {
    let mut most: f64 = 0.0;
    for (&value, &(bin, certainty)) in values.iter().zip(placed) {
        if certainty <= doubtful {
            continue;
        }
        let (value, n) = (f64::from(value), edges.len() - 1);
        let bin = bin as usize;
        let nearest = if bin < n {
            (value - edges[bin]).min(edges[bin + 1] - value)
        } else if value > edges[n / 2] {
            value - edges[n]
        } else {
            edges[0] - value
        };
        assert!(
            nearest > 0.0,
            "{value} is sure to lie in bin {bin} of {edges:?}"
        );
        most = most.max(error(value) / nearest);
    }
    most
}

/// Edges of some kinds between 0 and 1.
fn edges_of_kinds() -> Vec<Edges> {
    vec![
        Edges::linear(0.0, 1.0, 10).unwrap(),
        Edges::linear(0.0, 0.7, 31).unwrap(),
        Edges::linear(0.2, 0.9, 20).unwrap(),
        Edges::linear(0.5, 0.5625, 4).unwrap(),
        Edges::linear(0.0, 1.0, 400).unwrap(),
        Edges::logarithmic(0.01, 1.0, 20).unwrap(),
        Edges::logarithmic(0.3, 0.9, 1).unwrap(),
        Edges::logarithmic(0.5, 1.0, 100).unwrap(),
        Edges::new(vec![0.0, 0.013, 0.1, 0.11, 0.5, 0.93]).unwrap(),
    ]
}

const ROUNDING: Rounding = Rounding {
    scale: 1.0,
    half: 0.05,
    exact: 1e-15,
};

/// The worst of an axis over squares around all its edges.
fn worst_across<A: AcrossAxis>(
    axis: A,
    edges: &Edges,
    square_error: &dyn Fn(f64) -> f64,
    first_sure: f32,
) -> f64 {
    let mut random = Random(7);
    let mut most: f64 = 0.0;
    let error = |x: f64| square_error(x.max(0.0).sqrt());
    for &e2 in edges.squares().iter().filter(|&&e2| e2 > 0.0) {
        for spread in [1.2, 3.0, 20.0, 1000.0] {
            let mut squares = around(&mut random, e2, error(e2), spread);
            squares.iter_mut().for_each(|x| *x = x.max(first_sure));
            for isa in Isa::available() {
                for row in [0, 1] {
                    let placed = isa.dispatch(Place(axis, &squares, row));
                    let doubtful = axis.doubtful();
                    let part =
                        most_of_distance(&placed, doubtful, &squares, edges.squares(), &error);
                    most = most.max(part);
                }
            }
        }
    }
    most
}

#[test]
fn what_is_sure_is_farther_from_edges_than_its_error() {
    let square_error = |s: f64| ROUNDING.of_square(s);
    let [mut linear, mut logarithmic, mut table]: [f64; 3] = [0.0; 3];
    for edges in &edges_of_kinds() {
        // The error of a root given exactly its square is that of the difference alone.
        let coarse = ROUNDING.of_roots(edges.last(), ROOT_ERROR);
        if let Some(axis) = LinearRoot::<false>::new(edges, &ROUNDING, coarse) {
            linear = linear.max(worst_across(axis, edges, &square_error, TINY));
        }
        if let Some(axis) = Logarithmic::new(edges, &ROUNDING, &square_error) {
            let least = axis.least().next_up();
            logarithmic = logarithmic.max(worst_across(axis, edges, &square_error, least));
        }
        if let Some(axis) = SquareTable::new(edges, &ROUNDING, &square_error, 1) {
            table = table.max(worst_across(axis.view(), edges, &square_error, TINY));
        }
    }
    println!("linear {linear:.3}, logarithmic {logarithmic:.3}, table {table:.3} of the distance");
    for (name, most) in [
        ("linear", linear),
        ("logarithmic", logarithmic),
        ("table", table),
    ] {
        assert!(most < 1.0, "{name}: {most}");
        assert!(
            most > 0.2,
            "{name}: only {most} of the distance is ever used"
        );
    }
}

#[test]
fn what_is_sure_along_a_line_is_farther_from_edges_than_its_error() {
    let [mut linear, mut table]: [f64; 2] = [0.0; 2];
    let error = 3e-6;
    let mut random = Random(8);
    for edges in [
        SignedEdges::linear(-1.0, 1.0, 8).unwrap(),
        SignedEdges::linear(0.0, 0.7, 30).unwrap(),
        SignedEdges::new(vec![-0.9, -0.1, 0.0, 0.013, 0.5, 0.93]).unwrap(),
    ] {
        let values = edges.values();
        let of = |random: &mut Random, k: usize, spread| around(random, values[k], error, spread);
        let bounds = CoordinateError {
            constant: error,
            ..CoordinateError::default()
        };
        for k in 0..values.len() {
            // Without signs no value is below an edge of 0.
            if values[k] == 0.0 && values[0] == 0.0 {
                continue;
            }
            for spread in [1.2, 3.0, 20.0] {
                let near = of(&mut random, k, spread);
                for isa in Isa::available() {
                    if let Some(axis) = super::linear::Linear::new(values, bounds) {
                        let placed = isa.dispatch(PlaceAlong(axis, &near));
                        let doubtful = AlongAxis::doubtful(&axis);
                        let part = most_of_distance(&placed, doubtful, &near, values, &|_| error);
                        linear = linear.max(part);
                    }
                    let axis = GridTable::new(values, error);
                    let placed = isa.dispatch(PlaceAlong(axis.view(), &near));
                    let part = most_of_distance(&placed, 0, &near, values, &|_| error);
                    table = table.max(part);
                }
            }
        }
    }
    println!("linear {linear:.3}, table {table:.3} of the distance along a line");
    for (name, most) in [("linear", linear), ("table", table)] {
        assert!(most < 1.0, "{name}: {most}");
        assert!(
            most > 0.2,
            "{name}: only {most} of the distance is ever used"
        );
    }
}

/// Bounds narrowed down to two blocks: separations from one number to another, however far below or above the bins.
#[test]
fn what_is_sure_within_two_blocks_is_farther_from_edges_than_its_error() {
    let mut random = Random(9);
    let square_error = |s: f64| ROUNDING.of_square(s);
    for edges in &edges_of_kinds() {
        let bounds = ROUNDING.of_roots(edges.last(), ROOT_ERROR);
        let linear = LinearRoot::<false>::new(edges, &ROUNDING, bounds);
        let logarithmic = Logarithmic::new(edges, &ROUNDING, &square_error);
        for _ in 0..200 {
            let least = match random.bits() % 4 {
                0 => 0.0,
                1 => edges.last() * random.between(0.9, 40.0),
                _ => edges.last() * random.between(0.0, 1.0),
            };
            let most = least + edges.last() * libm::exp2(random.between(-12.0, 1.0));
            let half = ROUNDING.half * random.unit();
            let pairs = PairBounds::new(&ROUNDING, [least, most], half);
            let squares: Vec<f32> = (0..64 * MOST_LANES)
                .map(|_| {
                    let r = random.between(least, most);
                    ((r * r) as f32).max(TINY)
                })
                .collect();
            if let Some(axis) = linear {
                sure_within(axis.within(&pairs), edges, &squares);
            }
            if let Some(axis) = logarithmic {
                let axis = axis.within(&pairs);
                let decided: Vec<f32> = squares
                    .iter()
                    .map(|&x| x.max(axis.least().next_up()))
                    .collect();
                sure_within(axis, edges, &decided);
            }
        }
    }
}

/// Checks the bins of squares that are sure.
fn sure_within<A: AcrossAxis>(axis: A, edges: &Edges, squares: &[f32]) {
    let n = edges.n_bins();
    for isa in Isa::available() {
        let placed = isa.dispatch(Place(axis, squares, 0));
        for (&square, (bin, certainty)) in squares.iter().zip(placed) {
            if certainty > axis.doubtful() {
                let found = (bin as usize).min(n);
                let expected = edges.locate(f64::from(square)).unwrap_or(n);
                assert_eq!(found, expected, "{square} among {edges:?}");
            }
        }
    }
}
