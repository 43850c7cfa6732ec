//! The functions of expressions, by name.
//!
//! Entry: [`Function::named`]. Angles are in radians; logarithms are natural but for `log10`.

/// A function of numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Function {
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
    /// The angle of (x, y), from y and x.
    Atan2,
}

use Function::Real;

/// All of them, as they are called.
const FUNCTIONS: [(&str, Function); 20] = [
    ("abs", Function::Abs),
    ("min", Function::Min),
    ("max", Function::Max),
    ("isnan", Function::IsNan),
    ("isfinite", Function::IsFinite),
    ("atan2", Function::Atan2),
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
];

/// A name has one function.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Function {
    /// The function of a name in any case of letters.
    pub(super) fn named(name: &str) -> Option<Self> {
        let found = FUNCTIONS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|&(_, function)| function)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Real(name, _) => name,
            Self::Abs => "abs",
            Self::Min => "min",
            Self::Max => "max",
            Self::IsNan => "isnan",
            Self::IsFinite => "isfinite",
            Self::Atan2 => "atan2",
        }
    }

    /// The least and the most of its arguments.
    pub(super) fn arguments(self) -> (usize, usize) {
        match self {
            Self::Min | Self::Max => (2, 16),
            Self::Atan2 => (2, 2),
            _ => (1, 1),
        }
    }

    /// Whether it answers yes or no.
    pub(super) fn is_condition(self) -> bool {
        matches!(self, Self::IsNan | Self::IsFinite)
    }
}

/// The names of all, for messages.
pub(super) fn names() -> String {
    FUNCTIONS.map(|(name, _)| name).join(", ")
}
