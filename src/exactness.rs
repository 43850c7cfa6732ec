//! Whether counts are those of the contract: what may not be merged with anything else says so.

/// Whether counts are the integers of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Exactness {
    /// The integers of a plain float64 double loop.
    #[default]
    Exact,
    /// Float32 decided alone: pairs next to an edge may lie in the neighbouring bin.
    Approximate,
}

impl Exactness {
    /// `exact` or `approximate`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Approximate => "approximate",
        }
    }
}

impl std::fmt::Display for Exactness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
