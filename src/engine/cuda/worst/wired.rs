//! What the filter of a job says of pairs beside edges: where it is sure, the bin is the rule's.
//!
//! Climbing finds the pairs whose coordinate is computed with the largest error; edges are then put a hair above and below the true
//! coordinate, the filter is made of them as for a job, and the kernels' own steps, their roots at either end of what they may be, ask
//! the axis or the table that came out.

use super::*;
use crate::binning::{Binning, Bins, Formed, RBins, RpPiBins, SMuBins};

/// Slots of an axis as a kernel numbers them, from 0 below the sums' first.
struct Slot {
    number: u32,
    doubt: bool,
    counted: bool,
}

/// The largest or least float32 within `relative` of `value`.
fn root_off(value: f64, relative: f64) -> f32 {
    let limit = value * (1.0 + relative);
    let nearest = limit as f32;
    let beyond = (f64::from(nearest) - limit) * relative > 0.0;
    match (beyond, relative > 0.0) {
        (false, _) => nearest,
        (true, true) => nearest.next_down(),
        (true, false) => nearest.next_up(),
    }
}

/// The mantissa of the sum rounded towards zero, with the bits of 2^23 off.
fn fixed(axis: &DeviceAxis, value: f32) -> u32 {
    let sum = f64::from(value) * f64::from(axis.scale) + f64::from(axis.magic);
    (sum.floor() as f32).to_bits() - 0x4B00_0000
}

/// What the kernels make of a pair, with the roots `off` their truth by these shares of their tolerance.
struct Device<'a> {
    filter: &'a DeviceFilter,
    off: [f64; 2],
}

impl Device<'_> {
    fn root(&self, value: f32) -> f32 {
        root_off(f64::from(value).sqrt(), self.off[0] * ROOT)
    }

    fn inverse_root(&self, value: f32) -> f32 {
        root_off(1.0 / f64::from(value).sqrt(), self.off[1] * INVERSE_ROOT)
    }

    fn across(&self, value: f32, square: f32) -> Slot {
        let axis = &self.filter.across;
        if self.filter.table.is_empty() {
            let counted = !self.filter.clamp || value < axis.high;
            let bits = fixed(axis, if counted { value } else { axis.high });
            return Slot {
                number: bits >> axis.shift,
                doubt: counted && bits & axis.mask == 0,
                counted,
            };
        }
        let key = (square.to_bits() >> axis.key_shift).clamp(axis.key_low, axis.key_high);
        let [near, entry] = self.filter.table[(key - axis.key_low) as usize];
        let beyond = square - f32::from_bits(near);
        let number = (entry & 0xffff) + u32::from(beyond >= 0.0);
        Slot {
            number,
            doubt: beyond.abs() <= f32::from_bits(entry & 0xffff_0000),
            counted: number <= axis.bins,
        }
    }

    fn along(&self, value: f32) -> Slot {
        let axis = &self.filter.along;
        let bits = fixed(axis, value);
        Slot {
            number: bits >> axis.shift,
            doubt: bits & axis.mask < axis.doubt,
            counted: true,
        }
    }

    fn cosine(&self, value: f32, inverse: f32) -> Slot {
        let axis = &self.filter.along;
        let bits = fixed(axis, value);
        let [by_inverse, least] = self.filter.cosine_doubt;
        let doubt = inverse.mul_add(by_inverse, least).to_bits() - 0x4B00_0000;
        Slot {
            number: bits >> axis.shift,
            doubt: (bits.wrapping_add(doubt) & axis.mask) < 2 * doubt,
            counted: true,
        }
    }

    /// The bin, none for a pair that is surely in none; `Err` where the pair is in doubt.
    fn bin(&self, form: &Form<'_>, pair: &Pair) -> Result<Option<usize>, ()> {
        let d = pair.d;
        let tiny = 1e-30f32;
        let (across, along) = match form {
            Form::Radial { .. } => (self.across(self.root(pair.r2), pair.r2), None),
            Form::SMu { mu, los, .. } => {
                let r2 = d[2].mul_add(d[2], d[1].mul_add(d[1], d[0].mul_add(d[0], tiny)));
                let kept = |v: f32| if mu.signed() { v } else { v.abs() };
                if let LineOfSight::Fixed(_) = los {
                    let inverse = self.inverse_root(r2);
                    let along = self.cosine(kept(d[2] * inverse), inverse);
                    (self.across(r2 * inverse, r2), Some(along))
                } else {
                    let (l, _) = pair.sight.unwrap();
                    let l2 = near_dot(l, l);
                    let inverse = self.inverse_root(r2.mul_add(l2, tiny));
                    let mut along = self.along(kept(near_dot(d, l) * inverse));
                    along.doubt |= r2 < self.filter.floor2 || l2 < self.filter.sight_floor2;
                    (self.across(self.root(r2), r2), Some(along))
                }
            }
            Form::RpPi { pi, los, .. } => {
                let axis = &self.filter.along;
                let kept = |v: f32| if pi.signed() { v } else { v.abs() };
                let (line, square, doubt, reached) = if let LineOfSight::Fixed(_) = los {
                    (d[2], d[1].mul_add(d[1], d[0] * d[0]), false, true)
                } else {
                    let (l, _) = pair.sight.unwrap();
                    let (l2, r2) = (near_dot(l, l), near_dot(d, d));
                    let line = near_dot(d, l) * self.inverse_root(l2);
                    let square = (-line).mul_add(line, r2).max(0.0);
                    let doubt = l2 < self.filter.sight_floor2;
                    (line, square, doubt, r2 <= self.filter.reach2)
                };
                if !reached {
                    return Ok(None);
                }
                let across = self.across(self.root(square), square);
                let mut along = self.along(kept(line).min(axis.high).max(axis.low));
                along.doubt |= doubt;
                if doubt {
                    return Err(());
                }
                (across, Some(along))
            }
        };
        let near = |slot: &Slot| slot.doubt;
        if across.doubt || (across.counted && along.as_ref().is_some_and(near)) {
            return Err(());
        }
        if !across.counted {
            return Ok(None);
        }
        let bin = |slot: &Slot, axis: &DeviceAxis| {
            let bin = slot.number.wrapping_sub(axis.skip + 1);
            (bin < axis.bins).then_some(bin as usize)
        };
        let first = bin(&across, &self.filter.across);
        Ok(match along {
            None => first,
            Some(along) => {
                let second = bin(&along, &self.filter.along);
                first
                    .zip(second)
                    .map(|(a, b)| a * self.filter.along.bins as usize + b)
            }
        })
    }
}

/// `n` equal bins up to `last` with edge number `k` at `value`.
fn through(value: f64, last: f64, k: usize, n: usize) -> Option<Edges> {
    let (k, n) = (k as f64, n as f64);
    let first = (value * n - k * last) / (n - k);
    (first >= 0.0 && value < last).then(|| Edges::linear(first, last, n as usize).ok())?
}

/// Bins of any width up to `last`, one edge at `value`.
fn uneven(value: f64, last: f64, n: usize, random: &mut Random) -> Option<Edges> {
    let mut values: Vec<f64> = (0..n).map(|_| random.between(0.0, last)).collect();
    values.retain(|v| (v - value).abs() > 1e-3 * last);
    values.extend([value, last]);
    values.sort_by(f64::total_cmp);
    Edges::new(values).ok()
}

/// `n` equal bins along from 0, or from the mirrored end, up to a multiple of `value` that is at most `most`.
fn along_through(value: f64, most: f64, n: usize, signed: bool) -> Option<SignedEdges> {
    let k = (value.abs() / most * n as f64).ceil().max(1.0);
    let last = value.abs() * n as f64 / k;
    let (lo, n) = if signed { (-last, 2 * n) } else { (0.0, n) };
    (last > 0.0 && last <= most).then(|| SignedEdges::linear(lo, last, n).ok())?
}

/// Asks the filter of `bins` about a pair, at every end of the roots; how often it was sure.
fn ask(setting: &Setting, bins: impl Into<Bins>, pair: &Pair) -> usize {
    let bins = &bins.into();
    let coordinates = match &setting.place {
        Place::Centred(frame) => Coordinates::Centred(frame),
        Place::Wrapped(frame) => Coordinates::Wrapped(frame),
        Place::Local(grid) => Coordinates::Local(grid),
    };
    let form = Formed::of(bins).unwrap().form;
    let Some(filter) = DeviceFilter::new(form, coordinates, None, true) else {
        return 0;
    };
    assert_eq!((filter.unit, filter.scale), (setting.unit, setting.scale));
    let mut sure = 0;
    for off in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
        let device = Device {
            filter: &filter,
            off,
        };
        if let Ok(bin) = device.bin(&form, pair) {
            let sep = &pair.sep;
            let name = setting.name;
            assert_eq!(bin, bins.bin(sep), "{name}: {sep:?} in {bins:?}");
            sure += 1;
        }
    }
    sure
}

/// Which coordinate has an edge beside the pair.
#[derive(Clone, Copy, PartialEq)]
enum Beside {
    Across,
    Along,
}

/// Draws bins of a kind with an edge beside a coordinate of the pair: above or below it by `aside` of itself.
struct Drawn<'a> {
    setting: &'a Setting,
    pair: &'a Pair,
    aside: f64,
    n: usize,
    signed: bool,
}

impl Drawn<'_> {
    /// Linear or uneven bins across with an edge beside `value`.
    fn edges(&self, value: f64, last: f64, table: bool, random: &mut Random) -> Option<Edges> {
        let value = value * (1.0 + self.aside);
        if table {
            return uneven(value, last, self.n, random);
        }
        let k = (value / last * self.n as f64) as usize;
        through(
            value,
            last,
            random.between(0.0, k as f64 + 1.0) as usize,
            self.n,
        )
    }

    fn radial(&self, table: bool, random: &mut Random) -> Option<usize> {
        let s = self.pair.sep.r2.sqrt();
        let bins = RBins::new(self.edges(s, self.setting.reach, table, random)?);
        Some(ask(self.setting, &bins, self.pair))
    }

    fn s_mu(&self, los: LineOfSight, beside: Beside, random: &mut Random) -> Option<usize> {
        let (s, reach) = (self.pair.sep.r2.sqrt(), self.setting.reach);
        let (m, _) = los.cosine2(&self.pair.sep);
        let (edges, mu) = if beside == Beside::Across {
            let table = random.unit() < 0.3;
            let lowest = if self.signed { -1.0 } else { 0.0 };
            let mu = SignedEdges::linear(lowest, 1.0, 2 * self.n).ok()?;
            (self.edges(s, reach, table, random)?, mu)
        } else {
            let mu = along_through(m.sqrt() * (1.0 + self.aside), 1.0, self.n, self.signed)?;
            (Edges::linear(0.0, reach, 5).ok()?, mu)
        };
        let bins = SMuBins::new(edges, mu, los).ok()?;
        Some(ask(self.setting, &bins, self.pair))
    }

    fn rp_pi(&self, los: LineOfSight, beside: Beside, random: &mut Random) -> Option<usize> {
        // Bins reach as far as the setting, or a hair farther.
        let reach = self.setting.reach * (1.0 + 1e-12);
        let (m, _) = los.cosine2(&self.pair.sep);
        let rest = |side: f64| (reach * reach - side * side).sqrt();
        let s = self.pair.sep.r2.sqrt();
        let (rp, pi) = if beside == Beside::Across {
            let value = RpPiBins::new(
                Edges::linear(0.0, reach, 1).ok()?,
                SignedEdges::linear(0.0, reach, 1).ok()?,
                los,
            );
            let value = value.ok()?.coordinate(&self.pair.sep);
            let last = random.between(value, rest(m.sqrt() * s));
            let table = random.unit() < 0.5;
            let pi = SignedEdges::linear(0.0, rest(last), self.n).ok()?;
            (self.edges(value, last, table, random)?, pi)
        } else {
            let most = random.between(m.sqrt() * s, reach);
            let pi = along_through(m.sqrt() * s * (1.0 + self.aside), most, self.n, self.signed)?;
            (Edges::linear(0.0, rest(pi.largest()), 5).ok()?, pi)
        };
        let bins = RpPiBins::new(rp, pi, los).ok()?;
        Some(ask(self.setting, &bins, self.pair))
    }
}

/// Asks about a pair in so many bins, an edge beside it by less than 2^`most`; how many of how many answers were sure.
fn search_edges(
    (setting, pair): (&Setting, &Pair),
    (times, most): (usize, f64),
    random: &mut Random,
    draw: impl Fn(&Drawn<'_>, &mut Random) -> Option<usize>,
) -> [usize; 2] {
    let mut answers = [0, 0];
    for _ in 0..times {
        let away = libm::exp2(random.between(-44.0, most));
        let drawn = Drawn {
            setting,
            pair,
            aside: if random.unit() < 0.5 { away } else { -away },
            n: libm::exp2(random.between(0.0, 7.0)) as usize,
            signed: random.unit() < 0.5,
        };
        if let Some(sure) = draw(&drawn, random) {
            answers = [answers[0] + sure, answers[1] + 4];
        }
    }
    answers
}

/// Asks about the pairs that climbs end at, in bins that `draw` makes: some answers are sure, and some are not.
fn often_sure(
    name: &str,
    settings: &[Setting],
    sight: Option<[f32; 2]>,
    value: impl Fn(&Setting, &Pair) -> f64,
    draw: impl Fn(&Drawn<'_>, &mut Random) -> Option<usize>,
) {
    let [mut sure, mut asked] = [0, 0];
    for setting in settings {
        let mut random = Random(17);
        for (_, pair) in climbs(setting, sight, 400, |pair| value(setting, pair)) {
            let about = (setting, &pair);
            let answers = search_edges(about, (60, -12.0), &mut random, &draw);
            [sure, asked] = [sure + answers[0], asked + answers[1]];
        }
    }
    println!("{name}: {sure} of {asked} answers were sure");
    assert!(
        sure * 20 > asked && sure < asked,
        "{name}: {sure} of {asked}"
    );
}

#[test]
fn bins_of_the_separation_are_sure_only_where_they_are_right() {
    let settings = settings();
    for table in [false, true] {
        for key in [KEYS[0], KEYS[2]] {
            often_sure(key.0, &settings, None, key.1, |drawn, random| {
                drawn.radial(table, random)
            });
        }
    }
}

/// Lines of sight with what they take of each point; settings with an observer are open.
fn observers() -> [(LineOfSight, [f32; 2]); 3] {
    [
        (LineOfSight::Midpoint, [1.0, 1.0]),
        (LineOfSight::First, [1.0, 0.0]),
        (LineOfSight::End, [0.0, 1.0]),
    ]
}

fn open_settings() -> Vec<Setting> {
    let mut settings = settings();
    settings.retain(|setting| !setting.domain.is_periodic());
    settings
}

/// How far a computed cosine is from the truth, for pairs that are not too near for the filter.
fn cosine_error(setting: &Setting, pair: &Pair) -> f64 {
    let floor = cosine_floor(setting.reach * setting.unit, setting.errors.offset, 64.0);
    if pair.s < floor.max(NEAREST) {
        return 0.0;
    }
    let (key, bound) = match pair.sight {
        None => (KEYS[4], 2.1 * setting.errors.offset / pair.s + AXIS_COSINE),
        Some(_) => (
            OBSERVED[0],
            2.2 * setting.errors.offset / pair.s + COSINE + SIGHT,
        ),
    };
    key.1(setting, pair) * bound
}

/// Asks about pairs with one or other length short: the separation, or the line of sight.
fn ask_of_short(
    settings: &[Setting],
    sight: Option<[f32; 2]>,
    draw: impl Fn(&Drawn<'_>, &mut Random) -> Option<usize>,
) {
    let [mut sure, mut asked] = [0, 0];
    for setting in settings {
        let mut random = Random(18);
        for turn in 0..4000 {
            let size = libm::exp2(random.between(-30.0, -4.0));
            let first = [0; 3].map(|_| random.unit());
            let beside = |place: [f64; 3], random: &mut Random| {
                place.map(|s| (s + size * random.between(-1.0, 1.0)).clamp(0.0, 0.999_999))
            };
            let observer: [f64; 3] = std::array::from_fn(|k| -setting.corner[k] / setting.size);
            let places = match sight {
                Some([1.0, 1.0]) if turn % 2 == 0 => {
                    let mirrored = std::array::from_fn(|k| 2.0 * observer[k] - first[k]);
                    [first, beside(mirrored, &mut random)]
                }
                Some([1.0, _]) if turn % 2 == 0 => [beside(observer, &mut random), first],
                Some(_) if turn % 2 == 0 => [first, beside(observer, &mut random)],
                _ => [first, beside(first, &mut random)],
            };
            if let Some(pair) = Pair::new(setting, &places, sight) {
                let answers = search_edges((setting, &pair), (4, -1.0), &mut random, &draw);
                [sure, asked] = [sure + answers[0], asked + answers[1]];
            }
        }
    }
    println!("short lengths: {sure} of {asked} answers were sure");
    assert!(sure > 0 && sure < asked, "{sure} of {asked}");
}

#[test]
fn cosines_are_doubted_where_a_length_is_short() {
    let axis = LineOfSight::Fixed(crate::Axis::Z);
    ask_of_short(&settings(), None, |drawn, random| {
        drawn.s_mu(axis, Beside::Along, random)
    });
    for (los, sight) in observers() {
        ask_of_short(&open_settings(), Some(sight), |drawn, random| {
            drawn.s_mu(los, Beside::Along, random)
        });
        ask_of_short(&open_settings(), Some(sight), |drawn, random| {
            drawn.rp_pi(los, Beside::Along, random)
        });
    }
}

#[test]
fn cosines_are_sure_only_where_they_are_right() {
    let axis = LineOfSight::Fixed(crate::Axis::Z);
    often_sure(
        "cosine",
        &settings(),
        None,
        cosine_error,
        |drawn, random| drawn.s_mu(axis, Beside::Along, random),
    );
    often_sure("s", &settings(), None, KEYS[1].1, |drawn, random| {
        drawn.s_mu(axis, Beside::Across, random)
    });
    for (los, sight) in observers() {
        let settings = open_settings();
        often_sure(
            "cosine",
            &settings,
            Some(sight),
            cosine_error,
            |drawn, random| drawn.s_mu(los, Beside::Along, random),
        );
        often_sure("s", &settings, Some(sight), KEYS[0].1, |drawn, random| {
            drawn.s_mu(los, Beside::Across, random)
        });
    }
}

#[test]
fn cylinders_are_sure_only_where_they_are_right() {
    let axis = LineOfSight::Fixed(crate::Axis::Z);
    often_sure("pi", &settings(), None, KEYS[3].1, |drawn, random| {
        drawn.rp_pi(axis, Beside::Along, random)
    });
    let rp = |setting: &Setting, pair: &Pair| {
        let near = pair.d[0].hypot(pair.d[1]);
        (f64::from(near) - pair.exact[0].hypot(pair.exact[1])).abs() / setting.errors.offset
    };
    often_sure("rp", &settings(), None, rp, |drawn, random| {
        drawn.rp_pi(axis, Beside::Across, random)
    });
    for (los, sight) in observers() {
        let settings = open_settings();
        often_sure(
            "pi",
            &settings,
            Some(sight),
            OBSERVED[1].1,
            |drawn, random| drawn.rp_pi(los, Beside::Along, random),
        );
        often_sure(
            "rp",
            &settings,
            Some(sight),
            OBSERVED[2].1,
            |drawn, random| drawn.rp_pi(los, Beside::Across, random),
        );
    }
}
