//! What columns of pairs of species are called.
//!
//! Entry: [`Named`].

/// What each column of a pair of species is called: by the pair, unless there is but one.
pub(super) struct Named<'a> {
    pub(super) names: &'a [String],
    pub(super) many: bool,
}

impl Named<'_> {
    pub(super) fn pair(&self, [a, b]: [usize; 2]) -> String {
        format!("{}-{}", self.names[a], self.names[b])
    }

    pub(super) fn column(&self, what: &str, pair: [usize; 2]) -> String {
        if self.many {
            format!("{what}_{}", self.pair(pair))
        } else {
            what.to_owned()
        }
    }
}
