//! Names of units, and how products of them are written: `km s-1`, `km/s` and `km.s**-1` are one.
//!
//! Entry: [`read`] and [`write`].

use std::fmt;

use super::{
    ANGLE, Family, LENGTH, MASS, NUMBER, PIXEL, Powers, RATIO, REDUCED, TEMPERATURE, TIME, Unit,
    VELOCITY,
};

/// Digits of a parsec in metres.
pub(super) const PARSEC: f64 = 3.085_677_581_491_367_3;
/// Degrees of a radian.
const RADIAN: f64 = 180.0 / std::f64::consts::PI;
/// Digits of the Bohr radius, CODATA 2018.
const BOHR: f64 = 5.291_772_109_03;

const fn cosmic(exponent: i32) -> Unit {
    Unit::length(PARSEC, exponent, Family::Cosmic)
}

const fn molecular(mantissa: f64, exponent: i32) -> Unit {
    Unit::length(mantissa, exponent, Family::Molecular)
}

const fn everyday(mantissa: f64, exponent: i32) -> Unit {
    Unit::length(mantissa, exponent, Family::Everyday)
}

/// Units by their names in lower case, without spaces and dots; the first is how they are written.
#[rustfmt::skip]
const TABLE: [(&[&str], &str, Unit); 38] = [
    (&["", "1", "redshift", "dimensionless", "unitless", "none", "-", "number"], "1", Unit::new(1.0, 0, NUMBER)),
    (&["deg", "degree", "degrees", "degr", "°"], "deg", Unit::DEGREE),
    (&["rad", "radian", "radians"], "rad", Unit::new(RADIAN, 0, ANGLE)),
    (&["arcmin", "arcminute", "arcminutes", "amin"], "arcmin", Unit::new(1.0 / 60.0, 0, ANGLE)),
    (&["arcsec", "arcsecond", "arcseconds", "asec"], "arcsec", Unit::new(1.0 / 3600.0, 0, ANGLE)),
    (&["mas", "milliarcsec", "milliarcsecond"], "mas", Unit::new(1.0 / 3_600_000.0, 0, ANGLE)),
    (&["uas", "µas", "μas", "microarcsec"], "uas", Unit::new(1.0 / 3_600_000_000.0, 0, ANGLE)),
    (&["hourangle", "hourangles"], "hourangle", Unit::new(15.0, 0, ANGLE)),
    (&["pc", "parsec", "parsecs", "cpc"], "pc", cosmic(16)),
    (&["kpc", "kiloparsec", "kiloparsecs", "ckpc"], "kpc", cosmic(19)),
    (&["mpc", "megaparsec", "megaparsecs", "cmpc"], "Mpc", cosmic(22)),
    (&["gpc", "gigaparsec", "gigaparsecs", "cgpc"], "Gpc", cosmic(25)),
    (&["angstrom", "angstroms", "ang", "a", "å"], "Angstrom", molecular(1.0, -10)),
    (&["nm", "nanometer", "nanometers", "nanometre", "nanometres"], "nm", molecular(1.0, -9)),
    (&["bohr", "bohrs", "bohrradius", "a0", "a_0"], "Bohr", molecular(BOHR, -11)),
    (&["pm", "picometer", "picometers", "picometre", "picometres"], "pm", molecular(1.0, -12)),
    (&["m", "meter", "meters", "metre", "metres"], "m", everyday(1.0, 0)),
    (&["cm", "centimeter", "centimeters", "centimetre", "centimetres"], "cm", everyday(1.0, -2)),
    (&["mm", "millimeter", "millimeters", "millimetre", "millimetres"], "mm", everyday(1.0, -3)),
    (&["um", "µm", "μm", "micron", "microns", "micrometer", "micrometers", "micrometre", "micrometres"], "um", everyday(1.0, -6)),
    (&["km", "kilometer", "kilometers", "kilometre", "kilometres"], "km", everyday(1.0, 3)),
    (&["au", "astronomicalunit"], "AU", everyday(1.495_978_707, 11)),
    (&["lyr", "ly", "lightyear", "lightyears"], "lyr", everyday(9.460_730_472_580_8, 15)),
    (&["s", "sec", "second", "seconds"], "s", Unit::new(1.0, 0, TIME)),
    (&["h", "hr", "hour", "hours"], "hr", Unit::new(3.6, 3, TIME)),
    (&["ps", "picosecond", "picoseconds"], "ps", Unit::new(1.0, -12, TIME)),
    (&["fs", "femtosecond", "femtoseconds"], "fs", Unit::new(1.0, -15, TIME)),
    (&["yr", "year", "years"], "yr", Unit::new(3.155_76, 7, TIME)),
    (&["gyr"], "Gyr", Unit::new(3.155_76, 16, TIME)),
    (&["kg", "kilogram", "kilograms"], "kg", Unit::new(1.0, 0, MASS)),
    (&["g", "gram", "grams"], "g", Unit::new(1.0, -3, MASS)),
    (&["msun", "m_sun", "solmass", "solarmass", "msol"], "Msun", Unit::new(1.988_409_870_698_051, 30, MASS)),
    (&["k", "kelvin"], "K", Unit::new(1.0, 0, TEMPERATURE)),
    (&["sigma", "reduced", "lj"], "sigma", Unit::new(1.0, 0, REDUCED)),
    (&["dex"], "dex", Unit::new(1.0, 0, RATIO)),
    (&["mag", "mags", "magnitude", "magnitudes", "mag(ab)", "mag(st)", "abmag", "stmag"], "mag", Unit::new(4.0, -1, RATIO)),
    (&["db", "decibel"], "dB", Unit::new(1.0, -1, RATIO)),
    (&["pixel", "pixels", "pix"], "pixel", Unit::new(1.0, 0, PIXEL)),
];

/// The Hubble constant over 100 km/s/Mpc.
const LITTLE_H: Unit = Unit {
    h: 1,
    ..Unit::new(1.0, 0, NUMBER)
};

/// A unit by its whole name.
fn named(name: &str) -> Option<Unit> {
    let of_name = TABLE.iter().find(|(names, ..)| names.contains(&name));
    of_name.map(|(.., unit)| *unit)
}

impl Unit {
    /// The product with a power of another one.
    fn times(mut self, other: &Self, power: i8) -> Option<Self> {
        let signed = |mantissa: f64| mantissa.powi(i32::from(power));
        if power == 1 {
            self.mantissa *= other.mantissa;
        } else if other.mantissa != 1.0 {
            self.mantissa *= signed(other.mantissa);
        }
        self.exponent = self
            .exponent
            .checked_add(other.exponent.checked_mul(i32::from(power))?)?;
        for (sum, of_other) in self.powers.iter_mut().zip(other.powers) {
            *sum = sum.checked_add(of_other.checked_mul(power)?)?;
        }
        self.h = self.h.checked_add(other.h.checked_mul(power)?)?;
        if self.family == Family::None {
            self.family = other.family;
        }
        Some(self)
    }

    /// The same unit as the table has it, where it is there under the same value: 0.1 nm is an Angstrom.
    fn settled(self) -> Self {
        let same = |other: &Self| {
            let same_value = self.factor_to(other, None) == Ok(1.0);
            other.family != Family::None && same_value
        };
        let h = self.h;
        let plain = Self { h: 0, ..self };
        let mut table = TABLE.iter().map(|(.., unit)| *unit);
        match table.find(|unit| Self { h: 0, ..*unit } == plain || (h == 0 && same(unit))) {
            Some(unit) => Self { h, ..unit },
            None => self,
        }
    }
}

/// Takes apart a text of a unit.
struct Scanner<'a> {
    rest: &'a str,
}

impl Scanner<'_> {
    fn skip(&mut self, among: &str) -> String {
        let end = self.rest.find(|c| !among.contains(c));
        let (skipped, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        skipped.to_owned()
    }

    /// A number that begins the text, with its power where it has one.
    fn number(&mut self) -> Option<f64> {
        let end = self.rest.find(|c: char| !"0123456789.e+-".contains(c));
        let mut ends = (1..=end.unwrap_or(self.rest.len())).rev();
        let known = |&end: &usize| {
            let digits = self.rest.as_bytes()[end - 1].is_ascii_digit();
            digits && self.rest[..end].parse::<f64>().is_ok()
        };
        let end = ends.find(known)?;
        let number: f64 = self.rest[..end].parse().ok()?;
        self.rest = &self.rest[end..];
        let power = self.power()?;
        (number > 0.0 && number.is_finite()).then(|| match power {
            1 => number,
            power => number.powi(i32::from(power)),
        })
    }

    /// The power behind a name: 1 where there is none, nothing where it is none.
    fn power(&mut self) -> Option<i8> {
        let marked = self.rest.strip_prefix('^');
        self.rest = marked.unwrap_or(self.rest);
        let digits = |text: &str| {
            let end = text.find(|c: char| !c.is_ascii_digit());
            end.unwrap_or(text.len())
        };
        let sign = usize::from(self.rest.starts_with(['-', '+']));
        let end = sign + digits(&self.rest[sign..]);
        if end == 0 && marked.is_none() {
            return Some(1);
        }
        let power = self.rest[..end].parse().ok()?;
        self.rest = &self.rest[end..];
        Some(power)
    }

    /// A name and its power.
    fn factor(&mut self) -> Option<(String, i8)> {
        let end = self
            .rest
            .find(|c: char| !(c.is_alphabetic() || "_°".contains(c)));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let power = self.power()?;
        (!name.is_empty()).then(|| (name.to_owned(), power))
    }
}

/// The factors of a text in lower case: a number, and names with their powers.
fn factors(text: &str) -> Option<(f64, Vec<(String, i8)>)> {
    let mut scanner = Scanner { rest: text };
    let begins = scanner.rest.starts_with(|c: char| c.is_ascii_digit());
    let number = if begins { scanner.number()? } else { 1.0 };
    let mut found = Vec::new();
    while !scanner.rest.is_empty() {
        let between = scanner.skip(" .*/");
        let divides = between.matches('/').count();
        if divides > 1 || scanner.rest.is_empty() {
            return None;
        }
        let (name, power) = scanner.factor()?;
        found.push((name, if divides == 1 { -power } else { power }));
    }
    Some((number, found))
}

/// The unit that a text names.
pub(super) fn read(text: &str) -> Option<Unit> {
    let lower = text.to_lowercase().replace('\u{212b}', "å");
    let bare: String = lower.chars().filter(|c| !" .\t\0".contains(*c)).collect();
    if let Some(unit) = named(&bare) {
        return Some(unit);
    }
    let open = lower
        .split('(')
        .nth(1)
        .and_then(|rest| rest.split(')').next());
    if open.is_some_and(|within| within.trim().contains([' ', '/', '*', '.']))
        && lower.contains("/(")
    {
        return None;
    }
    let plain: String = lower
        .trim()
        .replace("**", "^")
        .chars()
        .filter(|c| !"{}()[]\\$\0".contains(*c))
        .collect();
    let (number, factors) = factors(plain.trim())?;
    let is_h = |name: &str| name == "h" || name == "littleh" || name == "hubble";
    // `h` is the Hubble constant beside parsecs, and an hour elsewhere.
    let cosmic = factors.iter().any(|(name, _)| {
        name.ends_with("pc") || name.ends_with("parsec") || name.ends_with("parsecs")
    });
    let mut unit = Unit::new(number, 0, NUMBER);
    for (name, power) in &factors {
        let factor = match name.as_str() {
            "h" if !cosmic => named("h")?,
            name if is_h(name) => LITTLE_H,
            name => named(name).filter(|_| !name.is_empty())?,
        };
        unit = unit.times(&factor, *power)?;
    }
    Some(unit.settled())
}

/// Units that a unit without a name of its own is written in.
const PARTS: [(&str, Powers); 8] = [
    ("m", LENGTH),
    ("s", TIME),
    ("kg", MASS),
    ("K", TEMPERATURE),
    ("deg", ANGLE),
    ("sigma", REDUCED),
    ("dex", RATIO),
    ("pixel", PIXEL),
];

/// Writes the usual name of a unit.
pub(super) fn write(unit: &Unit, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let plain = Unit { h: 0, ..*unit };
    let by_value = |other: &Unit| plain == *other;
    if let Some((_, name, _)) = TABLE.iter().find(|(.., other)| by_value(other)) {
        f.write_str(name)?;
    } else if unit.powers == VELOCITY && unit.mantissa == 1.0 && matches!(unit.exponent, 0 | 3) {
        f.write_str(if unit.exponent == 3 { "km/s" } else { "m/s" })?;
    } else if let Some((number, name)) = multiple(&plain) {
        write!(f, "{number} {name}")?;
    } else {
        write!(f, "{:e}", unit.mantissa * 10_f64.powi(unit.exponent))?;
        for (k, (name, _)) in PARTS.iter().enumerate() {
            match unit.powers[k] {
                0 => {}
                1 => write!(f, " {name}")?,
                power => write!(f, " {name}^{power}")?,
            }
        }
    }
    match unit.h {
        0 => Ok(()),
        -1 => f.write_str("/h"),
        power => write!(f, " littleh^{power}"),
    }
}

/// A length as a multiple of the unit of its family that is nearest to it.
fn multiple(unit: &Unit) -> Option<(f64, &'static str)> {
    let of_family = TABLE
        .iter()
        .filter(|(.., other)| other.is_akin_to(unit) && other.family != Family::None);
    let multiples =
        of_family.filter_map(|(_, name, other)| Some((unit.factor_to(other, None).ok()?, *name)));
    let at_least_one = |(number, _): &(f64, &str)| *number >= 1.0;
    multiples
        .filter(at_least_one)
        .min_by(|a, b| a.0.total_cmp(&b.0))
}
