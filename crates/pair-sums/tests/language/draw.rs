//! Drawn expressions, columns, points and bins.

use albireo::{
    Axis, Bins, Domain, Edges, Lattice, LineOfSight, Outside, Particles, PeriodicBox, Points,
    RBins, RpPiBins, SMuBins, SignedEdges,
};
use albireo_catalogs::trees::{Kind, Unary, parsed};

/// Splitmix64.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number as columns hold them: zeros of both signs, subnormal and large ones, whole ones, any.
    fn number(&mut self, wild: bool) -> f64 {
        match self.below(if wild { 12 } else { 9 }) {
            0 => 0.0,
            1 => -0.0,
            2 => 1.0,
            3 | 4 => self.below(5) as f64 - 2.0,
            9 => 5e-324 * (self.below(9) as f64 - 4.0),
            10 => self.one(&[1e300, -1e300, 1e-300, 1e160]),
            11 => f64::from_bits(self.bits() & !(0x7ff << 52) | (self.bits() % 2046) << 52),
            _ => self.unit() * 4.0 - 2.0,
        }
    }

    /// A column: a condition holds 1 and 0.
    pub(crate) fn column(&mut self, text: &str, rows: usize) -> Vec<f64> {
        let is_condition = matches!(
            parsed(text, &[]).unwrap().kind,
            Kind::Compare(..)
                | Kind::All(_)
                | Kind::Any(_)
                | Kind::Unary(Unary::Not, _)
                | Kind::Bool(_)
        );
        let wild = self.below(3) == 0;
        let kept = self.below(4) == 0;
        let same = self.number(wild);
        let mut number = || match (is_condition, kept) {
            (true, _) => self.below(2) as f64,
            (_, true) => same,
            _ => self.number(wild),
        };
        (0..rows).map(|_| number()).collect()
    }

    /// Particles with weights or without, some of them in the same places or planes.
    pub(crate) fn particles(&mut self, rows: usize, domain: &Domain) -> Particles {
        let points = self.points(rows);
        let particles = if self.below(2) == 0 {
            Particles::new(points)
        } else {
            let weights = (0..rows).map(|_| self.unit() * 3.0 - 1.0).collect();
            Particles::weighted(points, weights).unwrap()
        };
        domain.place(particles, Outside::Wrap).unwrap()
    }

    fn points(&mut self, rows: usize) -> Points {
        let mut made: Vec<[f64; 3]> = vec![];
        for row in 0..rows {
            let place = match (self.below(8), row) {
                (0, 1..) => made[self.below(row)],
                (1, 1..) => {
                    let other = made[self.below(row)];
                    [other[0], self.unit(), other[2]]
                }
                (2, _) => [0, 1, 2].map(|_| self.below(4) as f64 * 0.25),
                _ => [0, 1, 2].map(|_| self.unit()),
            };
            made.push(place);
        }
        Points::from_rows(&made).unwrap()
    }

    pub(crate) fn domain(&mut self) -> Domain {
        match self.below(4) {
            3 => Domain::Triclinic(
                Lattice::new([[1.0, 0.0, 0.0], [0.25, 1.0, 0.0], [-0.125, 0.375, 1.5]]).unwrap(),
            ),
            0 => Domain::Periodic(PeriodicBox::cubic(1.0).unwrap()),
            1 => Domain::Periodic(PeriodicBox::new([Some(1.0), None, Some(1.0)]).unwrap()),
            _ => Domain::Open,
        }
    }

    pub(crate) fn bins(&mut self, domain: &Domain) -> Bins {
        let first = self.one(&[0.0, 0.0, 1e-3, 0.1]);
        let edges = Edges::linear(first, 0.5, 3).unwrap();
        let fixed = Axis::ALL.map(LineOfSight::Fixed);
        let los = match (domain.is_periodic(), self.below(3)) {
            (true, _) | (_, 0) => self.one(&fixed),
            _ => self.one(&[LineOfSight::Midpoint, LineOfSight::First, LineOfSight::End]),
        };
        let along = |from: f64| SignedEdges::linear(from, 0.4, 2).unwrap();
        let from = self.one(&[0.0, 0.0, -0.4]);
        // Cylinders reach too far for a triclinic cell of this size.
        let cylinders = !matches!(domain, Domain::Triclinic(_));
        match self.below(4) {
            0 if cylinders => RpPiBins::new(edges, along(from), los).unwrap().into(),
            1 => RBins::new(edges).into(),
            _ => SMuBins::new(edges, along(from.min(0.0)), los)
                .unwrap()
                .into(),
        }
    }
}

/// A text of a drawn expression.
pub(crate) struct Text<'a> {
    pub(crate) draw: &'a mut Draw,
    /// Operations that are left.
    pub(crate) left: usize,
    /// Words of the pair that are defined.
    pub(crate) words: &'a [&'a str],
}

impl Text<'_> {
    /// A number of a pair; half of them are made symmetric, and some of these so that zeros, infinities and NaN differ.
    pub(crate) fn whole(&mut self) -> String {
        let one = self.symmetric();
        match self.draw.below(12) {
            0 => format!("min(max({one}, -1), 1)"),
            1 => format!("min(1, max(0.25, {one}))"),
            2 => format!("where(({one}) > 0.25, 1, 2)"),
            3 => format!("max(1/({one}), 0)"),
            4 => format!("where(1/({one}) < 0, {one}, 0)"),
            _ => one,
        }
    }

    fn symmetric(&mut self) -> String {
        let one = self.number();
        let other = exchanged(&one);
        match self.draw.below(14) {
            7 => format!("max({one}, {other}) + min({other}, {one})"),
            0 => format!("({one}) + ({other})"),
            1 => format!("({one})*({other})"),
            2 => format!("({one}) - ({other})"),
            3 => format!("max({one}, {other})"),
            4 => format!("abs(({one}) - ({other}))/(({other}) + ({one}))"),
            5 => format!("where(({one}) <= ({other}) && ({other}) <= ({one}), {one}, 2)"),
            6 => format!("(({one}) - ({other}))*d[{}]", self.draw.below(3)),
            _ => one,
        }
    }

    fn leaf(&mut self) -> String {
        match self.draw.below(10) {
            0..=3 => {
                let name = self.draw.one(&["a", "b", "c"]);
                self.prefixed(name)
            }
            4 => self
                .draw
                .one(&["0", "1", "2", "-1", "0.5", "1e300", "1e-310", "pi"])
                .to_owned(),
            5 => format!("d[{}]", self.draw.below(3)),
            6 => {
                let name = self.draw.one(&["w", "n[1]", "pos[0]", "east[0]"]);
                self.prefixed(name)
            }
            _ => self.draw.one(self.words).to_owned(),
        }
    }

    fn prefixed(&mut self, name: &str) -> String {
        format!("{}.{name}", self.draw.one(&["i", "j"]))
    }

    fn number(&mut self) -> String {
        if self.left == 0 {
            return self.leaf();
        }
        self.left -= 1;
        match self.draw.below(20) {
            0..=7 => {
                let (a, b) = (self.number(), self.number());
                let sign = self.draw.one(&["+", "-", "*", "/", "+", "*"]);
                format!("({a} {sign} {b})")
            }
            8 => format!("-{}", self.number()),
            9 => format!(
                "{}({})",
                self.draw.one(&["abs", "sqrt", "floor", "ceil"]),
                self.number()
            ),
            10 => format!(
                "{}({}, {})",
                self.draw.one(&["min", "max"]),
                self.number(),
                self.number()
            ),
            11 => format!(
                "({})**{}",
                self.number(),
                self.draw.one(&["2", "3", "-1", "0.5", "0"])
            ),
            12 => format!(
                "where({}, {}, {})",
                self.condition(),
                self.number(),
                self.number()
            ),
            13 => format!(
                "{}(sqrt({} - r), {})",
                self.draw.one(&["min", "max"]),
                self.leaf(),
                self.leaf()
            ),
            14 | 15 => format!("radial({})", self.vector()),
            16 => format!("dot({}, {})", self.vector(), self.vector()),
            17 => format!("norm({})", self.vector()),
            18 => format!("{}[{}]", self.vector(), self.draw.below(3)),
            _ => self.condition(),
        }
    }

    fn condition(&mut self) -> String {
        self.left = self.left.saturating_sub(1);
        match self.draw.below(6) {
            0 => format!("({} && {})", self.condition(), self.number()),
            1 => format!("({} || {})", self.condition(), self.condition()),
            2 => format!("!({})", self.condition()),
            _ => {
                let sign = self.draw.one(&["<", "<=", ">", ">=", "==", "!="]);
                let constant = self.draw.one(&["0", "0.25", "1"]).to_owned();
                let right = if self.draw.below(2) == 0 {
                    constant
                } else {
                    self.number()
                };
                format!("({} {sign} {right})", self.number())
            }
        }
    }

    fn vector(&mut self) -> String {
        if self.left == 0 {
            return match self.draw.below(4) {
                0 => "d".to_owned(),
                1 => "rhat".to_owned(),
                2 => self.prefixed("n"),
                _ => self.prefixed("v"),
            };
        }
        self.left -= 1;
        match self.draw.below(5) {
            0 => format!("({} - {})", self.vector(), self.vector()),
            1 => format!("({} + {})", self.vector(), self.vector()),
            2 => format!("({}*{})", self.number(), self.vector()),
            3 => format!("cross({}, {})", self.vector(), self.vector()),
            _ => format!(
                "vec({}, {}, {})",
                self.number(),
                self.number(),
                self.number()
            ),
        }
    }
}

/// The same with the objects exchanged.
fn exchanged(text: &str) -> String {
    // No other word of these texts ends in i or j before a dot.
    text.replace("i.", "\u{1}.")
        .replace("j.", "i.")
        .replace('\u{1}', "j")
}

/// The words of the pair that have a meaning for these bins.
pub(crate) fn words(bins: &Bins, domain: &Domain) -> Vec<&'static str> {
    let mut words = vec!["r", "r2"];
    if let Some(los) = bins.line_of_sight() {
        words.extend(["mu", "dlos", "rp", "los[1]", "L2(mu)", "L3(mu)", "L8(mu)"]);
        if matches!(los, LineOfSight::Fixed(_)) {
            words.extend(["cos2phi", "sin2phi"]);
        }
    }
    if !domain.is_periodic() {
        words.extend(["i.cos2phi", "j.sin2phi", "j.cos2phi"]);
    }
    words
}
