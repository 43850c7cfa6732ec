//! How near the bounds of the filters come to being wrong: a search for the pairs with the largest error for its bound.
//!
//! Each key that a filter decides by is computed as the kernels do, on every instruction set, and compared with the contract's. Hill
//! climbing over the places of two points in their blocks maximises |float32 key - exact key| / bound; it must stay below 1, and it comes
//! so near that a bound much smaller than it is would fail.

mod limits;
mod sure;
mod wired;

use albireo_simd::{Isa, Kernel, MOST_LANES};

use super::axes::{AcrossAxis, AlongAxis};
use super::linear::LinearRoot;
use super::logarithmic::Logarithmic;
use super::tables::{GridTable, SquareTable};
use super::two_dimensional::{FixedAxis, Line, Sight, mu_errors, pi_errors, rp_square_error};
use super::*;
use crate::domain::{Axis, Domain};
use crate::separation::{Separation, dot, norm2};

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

    /// A geometry whose points are anywhere from a millionth of a millionth of a block apart to a block apart, or nowhere.
    fn draw_close(random: &mut Random, sight: [f64; 2]) -> Self {
        let mut geometry = Self::draw(random, sight);
        geometry.half = libm::exp2(random.between(-40.0, -0.5));
        let apart = match random.bits() % 8 {
            0 => 0.0,
            _ => libm::exp2(random.between(-40.0, 0.0)),
        };
        for axis in 0..3 {
            let [first, second] = geometry.offsets.map(|offset| offset[axis]);
            geometry.offsets[1][axis] = (first + second * apart).clamp(-1.0, 1.0);
            let centres = random.between(-1.0, 1.0) * apart * geometry.half;
            geometry.centres[1][axis] = geometry.centres[0][axis] + centres;
        }
        geometry
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
        let blocks = self.centres.map(|centre| (centre, [self.half; 3]));
        line_is_long(self.sight, blocks, self.half, 1.0)
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

/// One number a lane of all sixteen pairs, as filters take them in.
struct Held {
    rows: [[f32; MOST_LANES]; 3],
    lanes: [[f32; MOST_LANES]; 3],
    apart: [[f32; MOST_LANES]; 3],
    line: [[f32; MOST_LANES]; 3],
    sight: [[f32; MOST_LANES]; 2],
}

impl Held {
    fn of(pairs: &[Geometry; MOST_LANES]) -> Self {
        let of = |number: &dyn Fn(&Geometry) -> f64| -> [f32; MOST_LANES] {
            std::array::from_fn(|lane| number(&pairs[lane]) as f32)
        };
        // Offsets are taken from the point, as the layout does.
        let offset = |side: usize| {
            [0, 1, 2].map(|k| of(&|g: &Geometry| g.points()[side][k] - g.centres[side][k]))
        };
        let apart = [0, 1, 2].map(|k| of(&|g: &Geometry| g.centres[0][k] - g.centres[1][k]));
        let line = [0, 1, 2].map(|k| {
            of(&|g: &Geometry| g.sight[0] * g.centres[0][k] + g.sight[1] * g.centres[1][k])
        });
        Self {
            rows: offset(0),
            lanes: offset(1),
            apart,
            line,
            sight: [0, 1].map(|side| of(&|g: &Geometry| g.sight[side])),
        }
    }

    /// The difference and the line of sight of the lanes from number `part` on.
    #[inline(always)]
    fn vectors<S: Simd>(&self, simd: S, part: usize) -> [[S::F; 3]; 2] {
        let load = |values: &[f32; MOST_LANES]| simd.load(&values[part..]);
        let [first, second] = [load(&self.sight[0]), load(&self.sight[1])];
        let d = [0, 1, 2].map(|k| {
            let lane = simd.sub(load(&self.lanes[k]), load(&self.apart[k]));
            simd.sub(load(&self.rows[k]), lane)
        });
        let l = [0, 1, 2].map(|k| {
            let lane = simd.mul_add(load(&self.lanes[k]), second, load(&self.line[k]));
            simd.mul_add(load(&self.rows[k]), first, lane)
        });
        [d, l]
    }
}

/// Computes sixteen pairs.
struct Compute<'a>(&'a [Geometry; MOST_LANES]);

impl Kernel for Compute<'_> {
    type Output = [Computed; MOST_LANES];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let held = Held::of(self.0);
        let mut all = [Computed::default(); MOST_LANES];
        for part in (0..MOST_LANES).step_by(S::LANES) {
            let [d, l] = held.vectors(simd, part);
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
            keep(simd.fine_root(square), S::FINE_ROOT_FACTOR, |c| {
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

/// Pairs much closer than their blocks are large, where the errors themselves are all there is.
#[test]
fn errors_of_close_pairs_stay_within_their_bounds() {
    let mut random = Random(0xc105e);
    for sight in [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]] {
        for _ in 0..4000 {
            let trials: [Geometry; MOST_LANES] =
                std::array::from_fn(|_| Geometry::draw_close(&mut random, sight));
            for isa in Isa::available() {
                let computed = isa.dispatch(Compute(&trials));
                for (geometry, computed) in trials.iter().zip(&computed) {
                    // Bounds on projections are of a reach above 0.
                    let apart = Exact::of(geometry).r > 0.0;
                    let projections = ALONG_AN_AXIS.iter().chain(&ALONG_A_LINE);
                    let projections = projections.filter(|_| apart);
                    for (name, key) in RADIAL.iter().chain(projections) {
                        let part = key(geometry, computed);
                        assert!(part < 1.0, "{name} on {isa:?}: {part} at {geometry:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn separations_stay_within_their_bounds() {
    search(&RADIAL, &[[0.0, 0.0]], 0.2);
}

#[test]
fn projections_on_an_axis_stay_within_their_bounds() {
    search(&ALONG_AN_AXIS, &[[0.0, 0.0]], 0.05);
}

#[test]
fn projections_on_a_line_stay_within_their_bounds() {
    search(&ALONG_A_LINE, &[[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], 0.05);
}
