//! What estimators take: samples by their role, the pairs between them by name, and the counts of those.
//!
//! Entry: [`Role`], [`Term`], [`TermCounts`]. Nothing here counts a pair.

use super::Result;
use super::{AnalyticRr, RandomPairs, SplitRandoms};
use crate::counts::Counts;
use crate::error::{CountsError, EstimatorError};

/// What a sample is to an estimator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The points whose correlation is estimated; the first of two samples.
    Data,
    /// Randoms in the volume of the data.
    Randoms,
    /// Randoms shifted as reconstructed data were.
    Shifted,
    /// The second of two samples.
    SecondData,
    /// Randoms in the volume of the second sample.
    SecondRandoms,
    /// Those randoms shifted as the second sample, reconstructed, was.
    SecondShifted,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Data,
        Self::Randoms,
        Self::Shifted,
        Self::SecondData,
        Self::SecondRandoms,
        Self::SecondShifted,
    ];

    /// As messages and records name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Randoms => "randoms",
            Self::Shifted => "shifted randoms",
            Self::SecondData => "cross",
            Self::SecondRandoms => "cross randoms",
            Self::SecondShifted => "cross shifted randoms",
        }
    }

    /// Whether it stands for the volume, unshifted.
    fn is_volume(self) -> bool {
        matches!(self, Self::Randoms | Self::SecondRandoms)
    }

    /// Whether it is of data.
    fn is_data(self) -> bool {
        matches!(self, Self::Data | Self::SecondData)
    }
}

/// The pairs of one count: within a sample where both roles are the same, else between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Term {
    /// `DD`, `DR`, `D1R2` and their like.
    pub name: &'static str,
    /// Where the first point of each pair comes from.
    pub first: Role,
    /// Where the second one does.
    pub second: Role,
}

impl Term {
    /// Data with data.
    pub const DD: Self = Self::new("DD", Role::Data, Role::Data);
    /// Data with randoms.
    pub const DR: Self = Self::new("DR", Role::Data, Role::Randoms);
    /// Randoms with data.
    pub const RD: Self = Self::new("RD", Role::Randoms, Role::Data);
    /// Randoms with randoms.
    pub const RR: Self = Self::new("RR", Role::Randoms, Role::Randoms);
    /// Data with shifted randoms.
    pub const DS: Self = Self::new("DS", Role::Data, Role::Shifted);
    /// Shifted randoms with data.
    pub const SD: Self = Self::new("SD", Role::Shifted, Role::Data);
    /// Shifted randoms with shifted randoms.
    pub const SS: Self = Self::new("SS", Role::Shifted, Role::Shifted);
    /// First data with second data.
    pub const D1D2: Self = Self::new("D1D2", Role::Data, Role::SecondData);
    /// First data with second randoms.
    pub const D1R2: Self = Self::new("D1R2", Role::Data, Role::SecondRandoms);
    /// First randoms with second data.
    pub const R1D2: Self = Self::new("R1D2", Role::Randoms, Role::SecondData);
    /// First randoms with second randoms.
    pub const R1R2: Self = Self::new("R1R2", Role::Randoms, Role::SecondRandoms);

    /// First data with second shifted randoms.
    pub const D1S2: Self = Self::new("D1S2", Role::Data, Role::SecondShifted);
    /// First shifted randoms with second data.
    pub const S1D2: Self = Self::new("S1D2", Role::Shifted, Role::SecondData);
    /// First shifted randoms with second shifted randoms.
    pub const S1S2: Self = Self::new("S1S2", Role::Shifted, Role::SecondShifted);
    /// All of them, in the order in which results list them.
    pub const ALL: [Self; 14] = [
        Self::DD,
        Self::DR,
        Self::RD,
        Self::DS,
        Self::SD,
        Self::SS,
        Self::RR,
        Self::D1D2,
        Self::D1R2,
        Self::R1D2,
        Self::D1S2,
        Self::S1D2,
        Self::S1S2,
        Self::R1R2,
    ];

    const fn new(name: &'static str, first: Role, second: Role) -> Self {
        Self {
            name,
            first,
            second,
        }
    }

    /// Both roles.
    pub fn roles(self) -> [Role; 2] {
        [self.first, self.second]
    }

    /// Whether it is about the volume alone, so that it can be known, or used again with other data: RR or R1R2.
    pub fn is_volume(self) -> bool {
        self.roles().into_iter().all(Role::is_volume)
    }

    /// Whether both samples are catalogues of randoms, shifted or not, which may be split: RR, SS, R1R2.
    pub fn is_random(self) -> bool {
        !self.roles().into_iter().any(Role::is_data)
    }

    /// Whether any of its points are randoms, unshifted.
    pub(super) fn has_randoms(self) -> bool {
        self.roles().into_iter().any(Role::is_volume)
    }

    /// Its roles as of one sample: those of D1R2 are those of DR.
    pub(super) fn kinds(self) -> [Role; 2] {
        self.roles().map(|role| match role {
            Role::SecondData => Role::Data,
            Role::SecondRandoms => Role::Randoms,
            Role::SecondShifted => Role::Shifted,
            role => role,
        })
    }

    /// The term whose pairs it holds the other way round, which is counted instead where bins do not tell the orders of a pair apart.
    pub(super) fn reverse(self) -> Option<Self> {
        match self {
            Self::RD => Some(Self::DR),
            Self::SD => Some(Self::DS),
            _ => None,
        }
    }

    /// Whether it is about the data alone: DD or D1D2.
    pub fn is_data(self) -> bool {
        self.roles().into_iter().all(Role::is_data)
    }
}

/// The count of a term: of all its pairs, or of randoms that were split.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "there are a few of them")]
pub enum TermCount {
    /// All pairs.
    Whole(Counts),
    /// Those within subsets, where they are far apart.
    Split(SplitRandoms),
}

impl TermCount {
    /// The count of all pairs; none of randoms that were split.
    pub fn of_all_pairs(&self) -> Option<&Counts> {
        match self {
            Self::Whole(counts) => Some(counts),
            Self::Split(_) => None,
        }
    }

    /// What was counted: one count, or that of the pairs close together and that within subsets.
    pub(super) fn parts(&self) -> Vec<&Counts> {
        match self {
            Self::Whole(counts) => vec![counts],
            Self::Split(split) => vec![split.near(), split.far()],
        }
    }

    /// The count in coarser bins: `by[k]` neighbouring bins of axis k together.
    ///
    /// # Errors
    /// As [`Counts::rebin`]; coarser bins of split randoms that lie on both sides of where the split begins.
    pub fn rebin(&self, by: &[usize]) -> Result<Self, CountsError> {
        Ok(match self {
            Self::Whole(counts) => Self::Whole(counts.rebin(by)?),
            Self::Split(split) => Self::Split(split.rebin(by)?),
        })
    }

    /// What `count` makes of each of them.
    pub(super) fn each(&self, count: impl Fn(&Counts) -> Counts) -> Self {
        match self {
            Self::Whole(counts) => Self::Whole(count(counts)),
            Self::Split(split) => Self::Split(split.each(count)),
        }
    }
}

impl From<Counts> for TermCount {
    fn from(counts: Counts) -> Self {
        Self::Whole(counts)
    }
}

impl From<&Counts> for TermCount {
    fn from(counts: &Counts) -> Self {
        Self::Whole(counts.clone())
    }
}

impl From<SplitRandoms> for TermCount {
    fn from(counts: SplitRandoms) -> Self {
        Self::Split(counts)
    }
}

/// The counts of an estimator's terms; those of randoms may be known instead.
#[derive(Debug, Clone)]
pub struct TermCounts {
    counted: Vec<(Term, TermCount)>,
    known: Option<AnalyticRr>,
}

impl TermCounts {
    /// Counts by their terms, and random pairs where they are known.
    pub fn new<C: Into<TermCount>>(
        counted: impl IntoIterator<Item = (Term, C)>,
        known: Option<AnalyticRr>,
    ) -> Self {
        let counted = counted.into_iter();
        let counted = counted.map(|(term, counts)| (term, counts.into()));
        Self {
            counted: counted.collect(),
            known,
        }
    }

    /// The terms with randoms that hold no pair in any bin, which leave nothing of an estimate.
    ///
    /// ```
    /// use albireo::counts::{JobId, PairKind};
    /// use albireo::estimators::{Term, TermCounts};
    /// use albireo::counts::PairTotal;
    /// use albireo::{Edges, Counts, RBins};
    /// let bins = RBins::new(Edges::linear(0.0, 2.0, 2)?);
    /// let count = |npairs| {
    ///     let total = PairTotal::unweighted(PairKind::Cross, 45);
    ///     Counts::from_parts(bins.clone(), npairs, None, total, JobId(1))
    /// };
    /// let counts = vec![(Term::DD, count(vec![0, 0])?), (Term::DR, count(vec![0, 0])?), (Term::RR, count(vec![0, 3])?)];
    /// assert_eq!(TermCounts::new(counts, None).without_pairs(), [Term::DR]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    pub fn without_pairs(&self) -> Vec<Term> {
        let empty = |counts: &TermCount| match counts {
            TermCount::Whole(counts) => counts.npairs().iter().all(|&n| n == 0),
            TermCount::Split(split) => split.npairs().iter().all(|&n| n == 0),
        };
        let numbered = |counts: &TermCount| counts.parts().iter().all(|one| one.is_numbered());
        let counted = self.counted.iter();
        let counted =
            counted.filter(|(term, counts)| !term.is_data() && numbered(counts) && empty(counts));
        counted.map(|(term, _)| *term).collect()
    }

    /// The count of `term`, of all pairs or of split randoms, if it was made.
    pub fn made(&self, term: Term) -> Option<&TermCount> {
        let found = self.counted.iter().find(|(counted, _)| *counted == term);
        found.map(|(_, counts)| counts)
    }

    /// The count of all pairs of `term`, if it was made.
    pub fn find(&self, term: Term) -> Option<&Counts> {
        self.made(term)?.of_all_pairs()
    }

    /// The count of `term`, which there must be.
    ///
    /// # Errors
    /// [`EstimatorError::Needs`].
    pub fn get(&self, term: Term) -> Result<&Counts> {
        self.find(term).ok_or_else(|| {
            EstimatorError::Needs(format!("the pairs {} were not counted", term.name))
        })
    }

    /// The pairs of `term`: those of randoms are known, or counted, of all or split.
    ///
    /// # Errors
    /// As [`TermCounts::get`].
    pub fn pairs(&self, term: Term) -> Result<&dyn RandomPairs> {
        match (&self.known, self.made(term)) {
            (Some(known), _) if term.is_volume() => Ok(known),
            (None, Some(TermCount::Split(split))) if !term.is_data() => Ok(split),
            _ => self.get(term).map(|counts| counts as _),
        }
    }
}
