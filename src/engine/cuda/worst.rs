//! How near the bounds of the device's filter come to being wrong: a search for the pairs with the largest error for its bound.
//!
//! The float32 steps of the kernels stand here once more, their approximate roots taken at either end of what they may be. Hill climbing
//! over the places of two points maximises |float32 key - exact key| / bound, which must stay below 1.

#[path = "worst/sure.rs"]
mod sure;
#[path = "worst/wired.rs"]
mod wired;

use super::super::frame::{Frame, Grid, Order};
use super::*;
use crate::binning::Reach;
use crate::domain::{Domain, Lattice, PeriodicBox};
use crate::engine::Pairs;
use crate::particles::{Particles, Points};
use crate::separation::{Separation, dot, norm2};

/// splitmix64.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }
}

/// Where the coordinates of a job come from.
enum Place {
    Centred(Frame),
    Wrapped(Frame),
    Local(Grid),
}

/// A job whose positions fill its frame.
struct Setting {
    name: &'static str,
    domain: Domain,
    place: Place,
    reach: f64,
    unit: f64,
    errors: Errors,
    scale: [f32; 3],
    /// Lowest corner of the open space that positions fill, and its size; a periodic one is filled as it is.
    corner: [f64; 3],
    size: f64,
}

impl Setting {
    fn new(name: &'static str, domain: Domain, corner: [f64; 3], cells: bool, reach: f64) -> Self {
        let size = 10.0;
        let opposite = corner.map(|c| c + size);
        let sample = Particles::new(Points::from_rows(&[corner, opposite]).unwrap());
        let sample = domain.place(sample, crate::domain::Outside::Wrap).unwrap();
        let wrapped = !cells && domain.is_periodic();
        let mut frame = Frame::new(Pairs::Auto(&sample), &domain, wrapped);
        // Positions may lie anywhere in the cell.
        frame.farthest = frame.farthest.max(frame.diagonal());
        let place = match (cells, wrapped) {
            (false, false) => Place::Centred(frame),
            (false, true) => Place::Wrapped(frame),
            (true, _) => Place::Local(Grid::new(
                frame,
                Reach::Sphere(reach),
                20_000,
                26.0,
                64,
                Order::Unordered,
                1.0,
            )),
        };
        let (unit, errors, scale) = {
            let coordinates = match &place {
                Place::Centred(frame) => Coordinates::Centred(frame),
                Place::Wrapped(frame) => Coordinates::Wrapped(frame),
                Place::Local(grid) => Coordinates::Local(grid),
            };
            let unit = coordinates.unit(reach);
            (unit, coordinates.errors(unit), coordinates.scale(unit))
        };
        Self {
            name,
            domain,
            place,
            reach,
            unit,
            errors,
            scale,
            corner,
            size,
        }
    }

    fn frame(&self) -> &Frame {
        match &self.place {
            Place::Centred(frame) | Place::Wrapped(frame) => frame,
            Place::Local(grid) => &grid.frame,
        }
    }

    /// A position from three numbers in [0, 1).
    fn position(&self, s: [f64; 3]) -> [f64; 3] {
        match &self.domain {
            Domain::Open => std::array::from_fn(|k| self.corner[k] + s[k] * self.size),
            Domain::Periodic(cell) => {
                std::array::from_fn(|k| s[k] * cell.lengths()[k].unwrap_or(self.size))
            }
            Domain::Triclinic(_) => self.frame().combine(s),
        }
    }

    /// Fractions of a position as the device stores them.
    fn fractions(&self, x: [f64; 3]) -> [u32; 3] {
        let frame = self.frame();
        let d: [f64; 3] = std::array::from_fn(|k| x[k] - frame.origin[k]);
        frame.inverse.map(|row| {
            let scaled = (dot(row, d) * 4_294_967_296.0).floor();
            scaled.clamp(0.0, 4_294_967_295.0) as u32
        })
    }

    /// The centre of what coordinates are taken from, for the tile that holds `x`.
    fn centre(&self, x: [f64; 3]) -> ([i32; 3], [f64; 3]) {
        let frame = self.frame();
        let Place::Local(grid) = &self.place else {
            return (
                [0; 3],
                std::array::from_fn(|k| frame.origin[k] + 0.5 * frame.basis[k][k]),
            );
        };
        let fixed = self.fractions(x);
        let middle: [i32; 3] = std::array::from_fn(|k| {
            let cells = u64::from(grid.cells[k]);
            let cell = (u64::from(fixed[k]) * cells) >> 32;
            (((2 * cell + 1) << 29) / cells) as i32
        });
        let one = 1.0 / f64::from(1u32 << 30);
        let seen = std::array::from_fn(|k| {
            frame.origin[k] + frame.basis[k][k] * (f64::from(middle[k]) * one)
        });
        (middle, seen)
    }

    /// The coordinates that the inner loop holds of a position seen under an image.
    fn held(&self, x: [f64; 3], image: [i8; 3], middle: [i32; 3]) -> [f32; 3] {
        let scale = self.scale;
        match &self.place {
            Place::Centred(_) => {
                let (_, centre) = self.centre(x);
                std::array::from_fn(|k| ((x[k] - centre[k]) * self.unit) as f32)
            }
            Place::Wrapped(_) => unreachable!("fractions are subtracted first"),
            Place::Local(grid) => {
                let fixed = self.fractions(x);
                let local: [i32; 3] = std::array::from_fn(|k| {
                    let moved = (fixed[k] >> 2).wrapping_add((i32::from(image[k]) as u32) << 30);
                    moved.wrapping_sub(middle[k] as u32) as i32
                });
                if grid.frame.rectangular() {
                    return std::array::from_fn(|k| scale[k] * local[k] as f32);
                }
                let step = self.unit / f64::from(1u32 << 30);
                grid.frame
                    .combine(local.map(f64::from))
                    .map(|x| (x * step) as f32)
            }
        }
    }
}

/// What the kernels compute of a pair, and what is true, in scaled lengths.
struct Pair {
    sep: Separation,
    d: [f32; 3],
    r2: f32,
    s: f64,
    exact: [f64; 3],
    /// The line of sight of the observer, computed and true.
    sight: Option<([f32; 3], [f64; 3])>,
}

fn near_dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

impl Pair {
    /// The pair at two places, none where it is out of reach; `sight` is what a line of sight takes of each point.
    fn new(setting: &Setting, places: &[[f64; 3]; 2], sight: Option<[f32; 2]>) -> Option<Self> {
        let [x1, x2] = places.map(|s| setting.position(s));
        let (sep, image) = setting.domain.separation_and_image(x1, x2);
        let s = sep.r2.sqrt() * setting.unit;
        if !(s > 0.0 && s <= setting.reach * setting.unit) {
            return None;
        }
        let (middle, seen) = setting.centre(x1);
        let held = |x, image| setting.held(x, image, middle);
        let (d, points) = if matches!(setting.place, Place::Wrapped(_)) {
            let [a, b] = [x1, x2].map(|x| setting.fractions(x));
            let d =
                std::array::from_fn(|k| a[k].wrapping_sub(b[k]) as i32 as f32 * setting.scale[k]);
            (d, None)
        } else {
            let (a, b) = (held(x1, [0; 3]), held(x2, image.map(|n| -n)));
            (std::array::from_fn(|k| a[k] - b[k]), Some([a, b]))
        };
        let sight = sight.zip(points).map(|([first, second], [a, b])| {
            let centre = seen.map(|c| (c * setting.unit * f64::from(first + second)) as f32);
            let l = std::array::from_fn(|k| second.mul_add(b[k], first.mul_add(a[k], centre[k])));
            let exact = std::array::from_fn(|k| {
                (f64::from(first) * x1[k] + f64::from(second) * x2[k]) * setting.unit
            });
            (l, exact)
        });
        Some(Self {
            sep,
            d,
            r2: near_dot(d, d),
            s,
            exact: sep.d.map(|c| c * setting.unit),
            sight,
        })
    }
}

/// The most that an approximate root or inverse root is off.
const ROOT: f64 = 2.0 * U;
const INVERSE_ROOT: f64 = 2.15 * U;

/// The larger distance from `exact` of `value`, off by up to `relative` either way.
fn off(value: f64, relative: f64, exact: f64) -> f64 {
    let [low, high] = [value * (1.0 - relative), value * (1.0 + relative)];
    (low - exact).abs().max((high - exact).abs())
}

/// A key by its name, with |float32 - exact| / bound of a pair.
type Key = (&'static str, fn(&Setting, &Pair) -> f64);

const KEYS: [Key; 5] = [
    ("separation", |setting, pair| {
        let Errors {
            offset, stretch, ..
        } = setting.errors;
        let bound = offset + (RELATIVE + stretch) * pair.s;
        off(f64::from(pair.r2).sqrt(), ROOT, pair.s) / bound
    }),
    ("separation by inverse root", |setting, pair| {
        let Errors {
            offset, stretch, ..
        } = setting.errors;
        let bound = offset + (RELATIVE_BY_INVERSE + stretch) * pair.s;
        let worst = [-1.0, 1.0].map(|sign| {
            let inverse = ((1.0 + sign * INVERSE_ROOT) / f64::from(pair.r2).sqrt()) as f32;
            (f64::from(pair.r2 * inverse) - pair.s).abs()
        });
        worst[0].max(worst[1]) / bound
    }),
    ("square", |setting, pair| {
        let Errors {
            offset, stretch, ..
        } = setting.errors;
        let square = pair.s * pair.s;
        let bound =
            2.0 * pair.s * offset + offset * offset + (RELATIVE_SQUARE + 2.0 * stretch) * square;
        (f64::from(pair.r2) - square).abs() / bound
    }),
    ("pi along an axis", |setting, pair| {
        let Errors {
            offset, stretch, ..
        } = setting.errors;
        let bound = offset + (3.0 * U + stretch) * pair.exact[2].abs();
        (f64::from(pair.d[2]) - pair.exact[2]).abs() / bound
    }),
    ("cosine along an axis", |setting, pair| {
        let bound = 2.1 * setting.errors.offset / pair.s + AXIS_COSINE;
        let exact = pair.exact[2] / pair.s;
        let worst = [-1.0, 1.0].map(|sign| {
            let inverse = ((1.0 + sign * INVERSE_ROOT) / f64::from(pair.r2).sqrt()) as f32;
            (f64::from(pair.d[2] * inverse) - exact).abs()
        });
        worst[0].max(worst[1]) / bound
    }),
];

/// The line of sight with its squared length, where it is long enough.
fn long_sight(setting: &Setting, pair: &Pair) -> Option<([f32; 3], [f64; 3], f32)> {
    let (l, exact) = pair.sight?;
    let l2 = near_dot(l, l);
    let floor = 2.2 * setting.errors.sight / SIGHT;
    (f64::from(l2) >= floor * floor).then_some((l, exact, l2))
}

const OBSERVED: [Key; 3] = [
    ("cosine to the observer", |setting, pair| {
        let Some((l, exact, l2)) = long_sight(setting, pair) else {
            return 0.0;
        };
        let bound = 2.2 * setting.errors.offset / pair.s + COSINE + SIGHT;
        let truth = dot(pair.exact, exact) / (pair.s * norm2(exact).sqrt());
        let value = f64::from(near_dot(pair.d, l)) / f64::from(pair.r2 * l2).sqrt();
        off(value, INVERSE_ROOT + U, truth) / bound
    }),
    ("pi to the observer", |setting, pair| {
        let Some((l, exact, l2)) = long_sight(setting, pair) else {
            return 0.0;
        };
        let far = setting.reach * setting.unit * 1.001;
        let bound = setting.errors.offset + far * (SIGHT + COSINE);
        let truth = dot(pair.exact, exact) / norm2(exact).sqrt();
        let value = f64::from(near_dot(pair.d, l)) / f64::from(l2).sqrt();
        off(value, INVERSE_ROOT + U, truth) / bound
    }),
    ("rp2 to the observer", |setting, pair| {
        let Some((l, exact, l2)) = long_sight(setting, pair) else {
            return 0.0;
        };
        let Errors {
            offset, stretch, ..
        } = setting.errors;
        let far = setting.reach * setting.unit * 1.001;
        let along = offset + far * (SIGHT + COSINE);
        let bound = 2.0 * far * (offset + along)
            + offset.powi(2)
            + along * along
            + 2.0 * (RELATIVE_SQUARE + 2.0 * stretch) * far * far;
        let pi = dot(pair.exact, exact) / norm2(exact).sqrt();
        let truth = (pair.s * pair.s - pi * pi).max(0.0);
        let worst = [-1.0, 1.0].map(|sign| {
            let inverse = ((1.0 + sign * INVERSE_ROOT) / f64::from(l2).sqrt()) as f32;
            let pi = near_dot(pair.d, l) * inverse;
            let across = (-pi).mul_add(pi, pair.r2).max(0.0);
            (f64::from(across) - truth).abs()
        });
        worst[0].max(worst[1]) / bound
    }),
];

/// The largest quotient that hill climbing finds.
fn worst(setting: &Setting, key: Key, sight: Option<[f32; 2]>) -> f64 {
    let quotient = |pair: &Pair| key.1(setting, pair);
    let mut record: f64 = 0.0;
    for (best, _) in climbs(setting, sight, 1500, quotient) {
        assert!(best < 1.0, "{} in {}: {best}", key.0, setting.name);
        record = record.max(best);
    }
    record
}

/// Where each of 30 climbs of that many steps ends: the largest value that it finds and the pair that has it.
fn climbs(
    setting: &Setting,
    sight: Option<[f32; 2]>,
    steps: usize,
    value: impl Fn(&Pair) -> f64,
) -> Vec<(f64, Pair)> {
    let mut random = Random(0x5eed);
    let near = setting.reach / setting.size;
    let draw = |random: &mut Random| -> [[f64; 3]; 2] {
        let first = [0; 3].map(|_| random.unit());
        let second = first.map(|s| (s + near * random.between(-0.6, 0.6)).clamp(0.0, 0.999_999));
        [first, second]
    };
    let mut ends = vec![];
    for _ in 0..30 {
        let mut found: Option<(f64, Pair)> = None;
        let mut best = (0.0, draw(&mut random));
        for _ in 0..steps {
            let mut places = best.1;
            if best.0 <= 0.0 {
                places = draw(&mut random);
            } else {
                let (side, axis) = (random.between(0.0, 2.0), random.between(0.0, 3.0));
                let size = libm::exp2(random.between(-32.0, -4.0)) * random.between(-1.0, 1.0);
                let place = &mut places[side as usize][axis as usize];
                *place = (*place + size).clamp(0.0, 0.999_999);
            }
            let Some(pair) = Pair::new(setting, &places, sight) else {
                continue;
            };
            let value = value(&pair);
            if value > best.0 {
                best = (value, places);
                found = Some((value, pair));
            }
        }
        ends.extend(found);
    }
    ends
}

fn settings() -> Vec<Setting> {
    let cube = || Domain::Periodic(PeriodicBox::cubic(10.0).unwrap());
    let odd = || Domain::Periodic(PeriodicBox::new([Some(9.7), Some(13.1), Some(11.3)]).unwrap());
    let skewed = || {
        let vectors = [[10.0, 0.0, 0.0], [4.0, 11.0, 0.0], [-3.0, 4.5, 9.0]];
        Domain::Triclinic(Lattice::new(vectors).unwrap())
    };
    vec![
        Setting::new("all pairs, open", Domain::Open, [-3.0; 3], false, 4.0),
        Setting::new("all pairs, far", Domain::Open, [300.0; 3], false, 4.0),
        Setting::new("all pairs, cube", cube(), [0.0; 3], false, 4.0),
        Setting::new("all pairs, box", odd(), [0.0; 3], false, 4.0),
        Setting::new("cells, open", Domain::Open, [-3.0; 3], true, 1.3),
        Setting::new("cells, far", Domain::Open, [300.0; 3], true, 1.3),
        Setting::new("cells, cube", cube(), [0.0; 3], true, 1.3),
        Setting::new("cells, box", odd(), [0.0; 3], true, 1.3),
        Setting::new("cells, triclinic", skewed(), [0.0; 3], true, 1.3),
    ]
}

/// Tells the worst of each key, which must come within `near` of its bound.
fn search(keys: &[Key], sights: &[Option<[f32; 2]>], open: bool, near: f64) {
    for &key in keys {
        let mut most: f64 = 0.0;
        for setting in settings() {
            if open && setting.domain.is_periodic() {
                continue;
            }
            for &sight in sights {
                most = most.max(worst(&setting, key, sight));
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
fn separations_and_cosines_along_an_axis_stay_within_their_bounds() {
    search(&KEYS, &[None], false, 0.2);
}

#[test]
fn projections_to_an_observer_stay_within_their_bounds() {
    let sights = [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]].map(Some);
    search(&OBSERVED, &sights, true, 0.02);
}
