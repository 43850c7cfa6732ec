//! What a probe and a source have in common: epsilon and sigma of a pair from those of each.
//!
//! Entry: [`Mixing`].

/// Combining rules of Lennard-Jones parameters; epsilon is the geometric mean in each.
///
/// ```
/// use albireo_fields::Mixing;
/// let pair = Mixing::LorentzBerthelot.pair((0.5, 3.0), (2.0, 4.0));
/// assert_eq!(pair, (1.0, 3.5));
/// assert_eq!(Mixing::Geometric.pair((0.5, 2.0), (2.0, 8.0)), (1.0, 4.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mixing {
    /// Sigma is the arithmetic mean (Lorentz 1881, DOI 10.1002/andp.18812480110; Berthelot 1898), as in CHARMM and AMBER.
    LorentzBerthelot,
    /// Sigma is the geometric mean (Good & Hope 1970, DOI 10.1063/1.1674022), as in OPLS.
    Geometric,
}

impl Mixing {
    /// (epsilon, sigma) of a pair from those of both.
    pub fn pair(self, one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
        let epsilon = (one.0 * other.0).sqrt();
        let sigma = match self {
            Self::LorentzBerthelot => 0.5 * (one.1 + other.1),
            Self::Geometric => (one.1 * other.1).sqrt(),
        };
        (epsilon, sigma)
    }

    /// `lorentz-berthelot` or `geometric`.
    pub fn name(self) -> &'static str {
        match self {
            Self::LorentzBerthelot => "lorentz-berthelot",
            Self::Geometric => "geometric",
        }
    }
}
