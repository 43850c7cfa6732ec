//! The functions of expressions, by name.
//!
//! Entry: [`Function::named`]. Angles are in radians, those of the sky in degrees; logarithms are natural but for `log10`.

use super::galactic;

/// A function of numbers.
#[derive(Debug, Clone, Copy)]
pub enum Function {
    /// The magnitude; of an integer an integer.
    Abs,
    /// The least of its arguments; NaN where one is.
    Min,
    /// The largest of its arguments; NaN where one is.
    Max,
    /// Whether a number is NaN.
    IsNan,
    /// Whether a number is neither NaN nor infinite.
    IsFinite,
    /// A function of one real number.
    Real(&'static str, fn(f64) -> f64),
    /// A function of two real numbers.
    Pair(&'static str, fn(f64, f64) -> f64),
    /// Whether a direction (RA, Dec) lies in the mask of a file.
    InPixels,
    /// The value that a table has for a whole number.
    Lookup,
    /// One number where a condition holds, another where it does not.
    Where,
}

use Function::{Pair, Real};

/// All of them, as they are called.
const FUNCTIONS: [(&str, Function); 25] = [
    ("abs", Function::Abs),
    ("min", Function::Min),
    ("max", Function::Max),
    ("isnan", Function::IsNan),
    ("isfinite", Function::IsFinite),
    ("atan2", Pair("atan2", libm::atan2)),
    ("sqrt", Real("sqrt", libm::sqrt)),
    ("exp", Real("exp", libm::exp)),
    ("log", Real("log", libm::log)),
    ("log10", Real("log10", libm::log10)),
    ("sin", Real("sin", libm::sin)),
    ("cos", Real("cos", libm::cos)),
    ("tan", Real("tan", libm::tan)),
    ("asin", Real("asin", libm::asin)),
    ("acos", Real("acos", libm::acos)),
    ("atan", Real("atan", libm::atan)),
    ("floor", Real("floor", libm::floor)),
    ("ceil", Real("ceil", libm::ceil)),
    ("radians", Real("radians", f64::to_radians)),
    ("degrees", Real("degrees", f64::to_degrees)),
    (
        "galactic_longitude",
        Pair("galactic_longitude", galactic::longitude),
    ),
    (
        "galactic_latitude",
        Pair("galactic_latitude", galactic::latitude),
    ),
    ("in_pixels", Function::InPixels),
    ("lookup", Function::Lookup),
    ("where", Function::Where),
];

/// A name has one function.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Function {
    /// The function of a name in any case of letters.
    pub fn named(name: &str) -> Option<Self> {
        let found = FUNCTIONS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|&(_, function)| function)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Real(name, _) | Pair(name, _) => name,
            Self::Abs => "abs",
            Self::Min => "min",
            Self::Max => "max",
            Self::IsNan => "isnan",
            Self::IsFinite => "isfinite",
            Self::InPixels => "in_pixels",
            Self::Lookup => "lookup",
            Self::Where => "where",
        }
    }

    /// The least and the most of its arguments.
    pub(super) fn arguments(self) -> (usize, usize) {
        match self {
            Self::Min | Self::Max => (2, 16),
            Pair(..) => (2, 2),
            Self::InPixels | Self::Where => (3, 3),
            Self::Lookup => (3, 4),
            _ => (1, 1),
        }
    }

    /// How many of so many arguments are texts, the first of which names a file: the first ones.
    pub(super) fn texts(self, arguments: usize) -> usize {
        match self {
            Self::InPixels => 1,
            Self::Lookup => arguments - 1,
            _ => 0,
        }
    }

    /// Whether it answers yes or no.
    pub(super) fn is_condition(self) -> bool {
        matches!(self, Self::IsNan | Self::IsFinite | Self::InPixels)
    }
}

/// The names of all.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|&(name, _)| name)
}

/// The names of all, for messages.
pub(super) fn names() -> String {
    all().collect::<Vec<_>>().join(", ")
}
