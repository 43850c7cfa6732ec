//! What a pair brings, operation by operation: columns of its objects, its separation, the line of sight and angles.
//!
//! Entry: [`Pair`]. Directions are 0 where the squares that they are made of sum to less than 2^-900.

use std::collections::HashMap;

use albireo::LineOfSight;
use albireo::separation::SIGHT_RANGE;
use albireo::tally::{End, Operation, Value};
use albireo_catalogs::in_short;

use crate::column::{LEAST_SQUARES, ObjectColumn, Objects};
use crate::geometry::{BEYOND, Geometry};
use crate::graph::Atom;
use crate::interval::Interval;
use crate::operations::Operations;

/// 2^-500: what lengths and products may be off where they, or squares, are subnormal numbers.
const UNDERFLOW: f64 = f64::from_bits((1023 - 500) << 52);

/// Operations on the parts of a pair.
pub(crate) struct Pair<'a> {
    pub(crate) operations: Operations,
    geometry: &'a Geometry,
    objects: [&'a Objects<'a>; 2],
    intervals: HashMap<(usize, usize), Interval>,
    /// Lengths that vectors do not exceed.
    norms: HashMap<[Value; 3], f64>,
}

/// What is wrong, in words.
type Made<T> = Result<T, String>;

fn all<T>(of: impl FnMut(u8) -> Made<T>) -> Made<[T; 3]> {
    let made: Vec<T> = [0, 1, 2].into_iter().map(of).collect::<Made<_>>()?;
    made.try_into()
        .map_err(|_| "expected three components".to_owned())
}

impl<'a> Pair<'a> {
    pub(crate) fn new(geometry: &'a Geometry, objects: [&'a Objects<'a>; 2]) -> Self {
        Self {
            operations: Operations::default(),
            geometry,
            objects,
            intervals: HashMap::new(),
            norms: HashMap::new(),
        }
    }

    pub(crate) fn objects(&self, end: End) -> &'a Objects<'a> {
        self.objects[usize::from(end == End::Second)]
    }

    /// A column of an object.
    pub(crate) fn column(&mut self, end: End, column: &ObjectColumn) -> Made<Value> {
        let objects = self.objects(end);
        let which = if end == End::First { "first" } else { "second" };
        let found = objects.columns.iter().position(|other| other == column);
        let found = found.and_then(|at| Some((at, objects.particles.columns().get(at)?)));
        let Some((at, values)) = found else {
            return Err(format!("the {which} sample has no column with {column}"));
        };
        let interval = *self
            .intervals
            .entry((usize::from(end == End::Second), at))
            .or_insert_with(|| {
                let mut values = values.iter();
                let first = Interval::of(values.next().unwrap_or(0.0));
                values.fold(first, |within, value| within.or(Interval::of(value)))
            });
        let number = u8::try_from(at).map_err(|_| {
            format!(
                "too many columns of the {which} sample: {}",
                objects.columns.len()
            )
        })?;
        Ok(self.operations.column(end, number, interval))
    }

    fn vector(&mut self, end: End, column: fn(u8) -> ObjectColumn) -> Made<[Value; 3]> {
        all(|k| self.column(end, &column(k)))
    }

    /// Whether columns of an object are the components of a unit vector.
    fn is_unit(&self, end: End, columns: [u8; 3]) -> bool {
        let of = |column: u8| self.objects(end).columns.get(usize::from(column));
        matches!(
            columns.map(of),
            [
                Some(ObjectColumn::Direction(0)),
                Some(ObjectColumn::Direction(1)),
                Some(ObjectColumn::Direction(2))
            ] | [
                Some(ObjectColumn::East(0)),
                Some(ObjectColumn::East(1)),
                Some(ObjectColumn::East(2))
            ] | [
                Some(ObjectColumn::North(0)),
                Some(ObjectColumn::North(1)),
                Some(ObjectColumn::North(2))
            ]
        )
    }

    fn d(&mut self) -> [Value; 3] {
        let reach = self.geometry.reach;
        let d = [0, 1, 2].map(|k: u8| {
            self.operations
                .difference(k, Interval::within(reach[usize::from(k)]))
        });
        self.norms.insert(d, self.geometry.r[1] * BEYOND);
        d
    }

    fn r2(&mut self) -> Value {
        let d = self.d();
        let r2 = self.operations.dot(d, d);
        let [lo, hi] = self.geometry.r2;
        self.operations.ranges.know(r2, Interval::new(lo, hi));
        r2
    }

    fn r(&mut self) -> Value {
        let r2 = self.r2();
        let r = self.operations.root(r2);
        let [lo, hi] = self.geometry.r;
        self.operations.ranges.know(r, Interval::new(lo, hi));
        r
    }

    /// `a` where squares sum to 2^-900 or more, else 0.
    fn where_long(&mut self, squares: Value, a: Value) -> Value {
        if self.operations.ranges.of(squares).lo >= LEAST_SQUARES {
            return a;
        }
        let least = self.operations.constant(LEAST_SQUARES);
        let zero = self.operations.constant(0.0);
        let long = self.operations.at_most(least, squares);
        self.operations.choose(long, a, zero)
    }

    /// `a / b` there, of at most this magnitude.
    fn direction(&mut self, squares: Value, a: Value, b: Value, most: f64) -> Value {
        let quotient = self.operations.divide(a, b);
        let value = self.where_long(squares, quotient);
        self.operations.ranges.know(value, Interval::within(most));
        value
    }

    fn rhat(&mut self) -> [Value; 3] {
        let (d, r2, r) = (self.d(), self.r2(), self.r());
        let rhat = d.map(|component| self.direction(r2, component, r, BEYOND));
        self.norms.insert(rhat, BEYOND);
        rhat
    }

    /// The part of a vector along the separation.
    pub(crate) fn radial(&mut self, u: [Value; 3]) -> Value {
        let (d, r2, r) = (self.d(), self.r2(), self.r());
        let most = self.norm(u) * BEYOND + UNDERFLOW;
        let product = self.dot(u, d);
        self.direction(r2, product, r, most)
    }

    /// The scalar product, within the product of lengths too.
    pub(crate) fn dot(&mut self, u: [Value; 3], v: [Value; 3]) -> Value {
        let most = self.norm(u) * self.norm(v) * BEYOND + UNDERFLOW;
        let value = self.operations.dot(u, v);
        self.operations.ranges.know(value, Interval::within(most));
        value
    }

    /// A length that a vector does not exceed, but for a rounding.
    fn norm(&mut self, u: [Value; 3]) -> f64 {
        use Operation::{Add, Column, Multiply, Subtract};
        if let Some(known) = self.norms.get(&u) {
            return *known;
        }
        let ranges = &self.operations.ranges;
        let [x, y, z] = u.map(|component| ranges.of(component).most());
        let plain = (x * x + y * y + z * z).sqrt() * BEYOND + UNDERFLOW;
        let parts = u.map(|component| ranges.operation(component));
        let side = |k: usize| parts.map(|part| part.operands().nth(k).unwrap_or(u[0]));
        let (one, other) = (side(0), side(1));
        let length = match parts {
            [Column(a, x), Column(b, y), Column(c, z)] => {
                let is_unit = a == b && a == c && self.is_unit(a, [x, y, z]);
                if is_unit { BEYOND } else { f64::INFINITY }
            }
            [Add(..), Add(..), Add(..)] | [Subtract(..), Subtract(..), Subtract(..)] => {
                (self.norm(one) + self.norm(other)) * BEYOND
            }
            [Multiply(..), Multiply(..), Multiply(..)] => {
                self.scaled(one, other).min(self.scaled(other, one))
            }
            _ => f64::INFINITY,
        };
        // Lengths beyond float64 are no bounds.
        let least = plain.min(length);
        let length = if least.is_nan() { f64::INFINITY } else { least };
        self.norms.insert(u, length);
        length
    }

    /// The length of a vector times a number, if one number is the factor of all components.
    fn scaled(&mut self, factors: [Value; 3], vector: [Value; 3]) -> f64 {
        if factors.iter().any(|factor| *factor != factors[0]) {
            return f64::INFINITY;
        }
        let most = self.operations.ranges.of(factors[0]).most();
        most * self.norm(vector) * BEYOND + UNDERFLOW
    }

    /// The position of an object as seen from the observer.
    fn seen(&mut self, end: End) -> Made<[Value; 3]> {
        let position = self.vector(end, ObjectColumn::Position)?;
        let [_, most] = SIGHT_RANGE;
        let ranges = &self.operations.ranges;
        let far = position.into_iter().find(|x| ranges.of(*x).most() > most);
        match far.map(|x| ranges.of(x).most()) {
            None => Ok(position),
            Some(found) => Err(format!(
                "a line of sight from the observer needs coordinates up to {}, found {}",
                in_short(most),
                in_short(found)
            )),
        }
    }

    /// The line of sight without its length: a vector, or the axis that it is.
    fn sight(&mut self) -> Made<Result<[Value; 3], usize>> {
        Ok(match self.geometry.line_of_sight() {
            Some(LineOfSight::Fixed(axis)) => Err(axis.index()),
            Some(LineOfSight::First) => Ok(self.seen(End::First)?),
            Some(LineOfSight::End) => Ok(self.seen(End::Second)?),
            _ => {
                let (x, y) = (self.seen(End::First)?, self.seen(End::Second)?);
                Ok([0, 1, 2].map(|k| self.operations.add(x[k], y[k])))
            }
        })
    }

    /// `a` where the pair and the line of sight have directions, else `b`.
    fn where_directed(&mut self, l2: Option<Value>, a: Value, b: Value) -> Value {
        let zero = self.operations.constant(0.0);
        let r2 = self.r2();
        let mut directed = self.operations.less(zero, r2);
        if let Some(l2) = l2 {
            let seen = self.operations.less(zero, l2);
            directed = self.operations.multiply(directed, seen);
        }
        self.operations.choose(directed, a, b)
    }

    fn los(&mut self, k: usize) -> Made<Value> {
        match self.sight()? {
            Err(axis) => Ok(self.operations.constant(f64::from(u8::from(axis == k)))),
            Ok(l) => {
                let l2 = self.operations.dot(l, l);
                let length = self.operations.root(l2);
                let los = l.map(|component| self.direction(l2, component, length, BEYOND));
                self.norms.insert(los, BEYOND);
                Ok(los[k])
            }
        }
    }

    fn dlos(&mut self) -> Made<Value> {
        let d = self.d();
        let l = match self.sight()? {
            Err(axis) => return Ok(d[axis]),
            Ok(l) => l,
        };
        let (l2, dl) = (self.operations.dot(l, l), self.dot(d, l));
        let length = self.operations.root(l2);
        let along = self.operations.divide(dl, length);
        let zero = self.operations.constant(0.0);
        let value = self.where_directed(Some(l2), along, zero);
        Ok(value)
    }

    fn rp(&mut self) -> Made<Value> {
        let (d, r2) = (self.d(), self.r2());
        let rp2 = match self.sight()? {
            Err(axis) => {
                let [a, b] = across(axis).map(|k| self.operations.multiply(d[k], d[k]));
                self.operations.add(a, b)
            }
            Ok(l) => {
                let (l2, dl) = (self.operations.dot(l, l), self.operations.dot(d, l));
                let dl2 = self.operations.multiply(dl, dl);
                let along = self.operations.divide(dl2, l2);
                let rest = self.operations.subtract(r2, along);
                let zero = self.operations.constant(0.0);
                let rest = self.operations.maximum(rest, zero);
                self.where_directed(Some(l2), rest, r2)
            }
        };
        let rp = self.operations.root(rp2);
        self.operations
            .ranges
            .know(rp, Interval::new(0.0, self.geometry.rp));
        Ok(rp)
    }

    /// The square of mu, and its sign: 1, -1, or 0 where it is 0.
    fn cosine2(&mut self) -> Made<(Value, Value)> {
        let (d, r2) = (self.d(), self.r2());
        let (dl, l2) = match self.sight()? {
            Err(axis) => (d[axis], None),
            Ok(l) => (self.operations.dot(d, l), Some(self.operations.dot(l, l))),
        };
        let dl2 = self.operations.multiply(dl, dl);
        let scale = l2.map_or(r2, |l2| self.operations.multiply(r2, l2));
        let quotient = self.operations.divide(dl2, scale);
        let [zero, one] = [0.0, 1.0].map(|number| self.operations.constant(number));
        let most = self.operations.minimum(quotient, one);
        let cosine2 = self.where_directed(l2, most, zero);
        // Quotients of squares are not below 0, and the lesser of what is no number and 1 is 1.
        self.operations
            .ranges
            .ensure(cosine2, Interval::new(0.0, 1.0));
        let (above, below) = (
            self.operations.less(zero, dl),
            self.operations.less(dl, zero),
        );
        Ok((cosine2, self.operations.subtract(above, below)))
    }

    fn mu(&mut self) -> Made<(Value, Value)> {
        let (m, sign) = self.cosine2()?;
        let root = self.operations.root(m);
        Ok((m, self.operations.multiply(sign, root)))
    }
}

/// The two other axes, in order.
fn across(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}

/// A Legendre polynomial: coefficients of the square of mu from the highest on, a factor, and whether mu is one too.
fn legendre(degree: u32) -> (&'static [f64], f64, bool) {
    match degree {
        1 => (&[1.0], 1.0, true),
        2 => (&[3.0, -1.0], 0.5, false),
        3 => (&[5.0, -3.0], 0.5, true),
        4 => (&[35.0, -30.0, 3.0], 0.125, false),
        5 => (&[63.0, -70.0, 15.0], 0.125, true),
        6 => (&[231.0, -315.0, 105.0, -5.0], 0.0625, false),
        7 => (&[429.0, -693.0, 315.0, -35.0], 0.0625, true),
        _ => (
            &[6435.0, -12012.0, 6930.0, -1260.0, 35.0],
            0.007_812_5,
            false,
        ),
    }
}

impl Pair<'_> {
    /// In the order of the sums of Legendre polynomials.
    fn polynomial(&mut self, degree: u32) -> Made<Value> {
        let (m, mu) = self.mu()?;
        let (coefficients, factor, is_odd) = legendre(degree);
        let mut value = self.operations.constant(coefficients[0]);
        for coefficient in &coefficients[1..] {
            let times = self.operations.multiply(value, m);
            let magnitude = self.operations.constant(coefficient.abs());
            value = if *coefficient < 0.0 {
                self.operations.subtract(times, magnitude)
            } else {
                self.operations.add(times, magnitude)
            };
        }
        let factor = self.operations.constant(factor);
        value = self.operations.multiply(value, factor);
        Ok(if is_odd {
            self.operations.multiply(value, mu)
        } else {
            value
        })
    }

    /// Cosine and sine of twice the angle of `(a, b)`: one of them.
    fn twice(&mut self, [a, b]: [Value; 2], sine: bool) -> Value {
        let [aa, bb, ab] = [(a, a), (b, b), (a, b)].map(|(a, b)| self.operations.multiply(a, b));
        let squares = self.operations.add(aa, bb);
        let above = if sine {
            self.operations.add(ab, ab)
        } else {
            self.operations.subtract(aa, bb)
        };
        self.direction(squares, above, squares, BEYOND)
    }

    fn angle(&mut self, frame: Option<End>, sine: bool) -> Made<Value> {
        let sides = match frame {
            None => {
                let d = self.d();
                match self.geometry.line_of_sight() {
                    Some(LineOfSight::Fixed(axis)) => across(axis.index()).map(|k| d[k]),
                    _ => return Err("expected a line of sight along an axis".to_owned()),
                }
            }
            Some(own) => {
                let other = if own == End::First {
                    End::Second
                } else {
                    End::First
                };
                let n = self.vector(other, ObjectColumn::Direction)?;
                let (east, north) = (
                    self.vector(own, ObjectColumn::East)?,
                    self.vector(own, ObjectColumn::North)?,
                );
                [self.dot(n, east), self.dot(n, north)]
            }
        };
        Ok(self.twice(sides, sine))
    }

    /// The operations of an atom.
    pub(crate) fn atom(&mut self, atom: Atom) -> Made<Value> {
        self.geometry.admit(atom)?;
        Ok(match atom {
            Atom::D(k) => self.d()[usize::from(k)],
            Atom::R2 => self.r2(),
            Atom::R => self.r(),
            Atom::Rhat(k) => self.rhat()[usize::from(k)],
            Atom::Los(k) => self.los(usize::from(k))?,
            Atom::Dlos => {
                let value = self.dlos()?;
                // Of a line of sight whose square is subnormal the length is off by less than a factor of 2.
                let most = self.geometry.r[1] * 2.0;
                self.operations.ranges.know(value, Interval::within(most));
                value
            }
            Atom::Rp => self.rp()?,
            Atom::Mu => {
                let value = self.mu()?.1;
                self.operations.ranges.know(value, Interval::within(1.0));
                value
            }
            Atom::Legendre(degree) => {
                let value = self.polynomial(degree)?;
                self.operations.ranges.know(value, Interval::within(BEYOND));
                value
            }
            Atom::Cos2Phi(frame) => self.angle(frame, false)?,
            Atom::Sin2Phi(frame) => self.angle(frame, true)?,
        })
    }
}
