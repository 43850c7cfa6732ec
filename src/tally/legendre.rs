//! Legendre polynomials of the cosine of a pair: what their sums are sums of.
//!
//! Entry: [`Legendre`], one of them, and [`LegendreDegrees`], a set.

/// A Legendre polynomial of mu, the cosine between a pair and its line of sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Legendre {
    /// 1.
    L0,
    /// mu.
    L1,
    /// `(3*m - 1)*0.5`, m the square of mu.
    L2,
    /// `((5*m - 3)*0.5)*mu`.
    L3,
    /// `((35*m - 30)*m + 3)*0.125`.
    L4,
    /// `(((63*m - 70)*m + 15)*0.125)*mu`.
    L5,
    /// `(((231*m - 315)*m + 105)*m - 5)*0.0625`.
    L6,
    /// `((((429*m - 693)*m + 315)*m - 35)*0.0625)*mu`.
    L7,
    /// `((((6435*m - 12012)*m + 6930)*m - 1260)*m + 35)*0.0078125`.
    L8,
}

impl Legendre {
    /// All of them, in the order of their degree.
    pub const ALL: [Self; 9] = [
        Self::L0,
        Self::L1,
        Self::L2,
        Self::L3,
        Self::L4,
        Self::L5,
        Self::L6,
        Self::L7,
        Self::L8,
    ];

    /// Its degree.
    ///
    /// ```
    /// use albireo::tally::Legendre;
    /// assert_eq!(Legendre::of_degree(6).map(Legendre::degree), Some(6));
    /// assert_eq!(Legendre::of_degree(9), None);
    /// ```
    pub fn degree(self) -> u32 {
        self as u32
    }

    /// The one of this degree, if there is one.
    pub fn of_degree(degree: u32) -> Option<Self> {
        Self::ALL.get(degree as usize).copied()
    }

    /// Whether exchanging the two points of a pair changes its sign, where the line of sight stays.
    pub fn is_odd(self) -> bool {
        self.degree() % 2 == 1
    }

    /// The polynomial where mu has the square `m` and is below zero or not; in [-1, 1] but for rounding, in the order written.
    #[inline]
    pub fn value(self, m: f64, negative: bool) -> f64 {
        let mu = if negative { -m.sqrt() } else { m.sqrt() };
        match self {
            Self::L0 => 1.0,
            Self::L1 => mu,
            Self::L2 => (3.0 * m - 1.0) * 0.5,
            Self::L3 => ((5.0 * m - 3.0) * 0.5) * mu,
            Self::L4 => ((35.0 * m - 30.0) * m + 3.0) * 0.125,
            Self::L5 => (((63.0 * m - 70.0) * m + 15.0) * 0.125) * mu,
            Self::L6 => (((231.0 * m - 315.0) * m + 105.0) * m - 5.0) * 0.0625,
            Self::L7 => ((((429.0 * m - 693.0) * m + 315.0) * m - 35.0) * 0.0625) * mu,
            Self::L8 => {
                ((((6435.0 * m - 12012.0) * m + 6930.0) * m - 1260.0) * m + 35.0) * 0.007_812_5
            }
        }
    }
}

/// A set of Legendre polynomials.
///
/// ```
/// use albireo::tally::{Legendre, LegendreDegrees};
/// let degrees: LegendreDegrees = [Legendre::L4, Legendre::L2].into_iter().collect();
/// assert!(degrees.contains(Legendre::L2) && !degrees.contains(Legendre::L0));
/// assert_eq!(degrees.iter().collect::<Vec<_>>(), [Legendre::L2, Legendre::L4]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LegendreDegrees(u16);

impl LegendreDegrees {
    /// Whether it is one of them.
    pub fn contains(self, l: Legendre) -> bool {
        self.0 >> l.degree() & 1 == 1
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In the order of their degrees.
    pub fn iter(self) -> impl Iterator<Item = Legendre> {
        let all = Legendre::ALL.into_iter();
        all.filter(move |&l| self.contains(l))
    }
}

impl std::fmt::Display for LegendreDegrees {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let degrees: Vec<_> = self.iter().map(|l| l.degree().to_string()).collect();
        match degrees.as_slice() {
            [] => f.write_str("none"),
            degrees => write!(f, "degrees {}", degrees.join(", ")),
        }
    }
}

impl FromIterator<Legendre> for LegendreDegrees {
    fn from_iter<I: IntoIterator<Item = Legendre>>(all: I) -> Self {
        let bits = all.into_iter().map(|l| 1u16 << l.degree());
        Self(bits.fold(0, |set, bit| set | bit))
    }
}
