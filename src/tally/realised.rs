//! Many realisations of a sample in one pass: the bits of each particle tell which of them it takes part in.
//!
//! Entry: [`CountSpec::by_realisation`]. A pair is counted in the realisations that hold both of its points.

use super::{CountSpec, Tally};
use crate::error::JobError;
use crate::pairs::Pairs;
use crate::particles::{Bits, Particles, WORD_BITS};

/// The most realisations of a pass: the bits of two words.
pub const MAX_REALISATIONS: usize = 128;

/// The most integers in a tally for each sum.
const MAX_ENTRIES: usize = 1 << 28;

impl CountSpec {
    /// The same for each of `number` realisations: bit k of a particle ([`Particles::with_bits`]) tells whether it takes part in realisation k,
    /// and a sample without bits takes part in all of them.
    ///
    /// The tally has a table for each class and realisation, realisations varying fastest. Weights are scaled as those of the whole samples are.
    /// [`crate::counts::count_realisations`] makes counts of such tallies.
    ///
    /// ```
    /// use albireo::engine::Silent;
    /// use albireo::particles::Bits;
    /// use albireo::{CountSpec, Domain, Edges, Engine, Naive, PairJob, Pairs, Particles, Points, RBins};
    /// let points = Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])?;
    /// // All three, the first two, and the last alone.
    /// let draws = Particles::new(points).with_bits(Bits::new(vec![0b011, 0b011, 0b101], 1)?)?;
    /// let job = PairJob::new(Pairs::Auto(&draws), &Domain::Open)?;
    /// let what = CountSpec::new(RBins::new(Edges::linear(0.0, 4.0, 1)?)).by_realisation(3);
    /// assert_eq!(Naive.run(&job, &what, &Silent)?.pairs(), [3, 1, 0]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    #[must_use]
    pub fn by_realisation(self, number: usize) -> Self {
        Self {
            realisations: Some(number),
            ..self
        }
    }

    /// Number of realisations that are counted apart; none where bits tell of none.
    pub fn realisations(&self) -> Option<usize> {
        self.realisations
    }

    /// The same of all pairs, without regard to bits.
    #[must_use]
    pub fn of_one_realisation(self) -> Self {
        Self {
            realisations: None,
            ..self
        }
    }

    /// Tables of a tally for each class.
    pub(super) fn tables_a_class(&self) -> usize {
        self.realisations.unwrap_or(1)
    }

    /// Refuses realisations that bits do not tell of, or that are too many.
    pub(super) fn check_realisations(&self, pairs: Pairs<'_>) -> Result<(), JobError> {
        let Some(number) = self.realisations else {
            return Ok(());
        };
        let (first, second) = pairs.both();
        let words: Vec<usize> = [first, second]
            .iter()
            .filter_map(|sample| Some(sample.bits()?.per_row()))
            .collect();
        let Some(&own) = words.first() else {
            return Err(JobError::NoRealisations);
        };
        if let Some(&other) = words.iter().find(|words| **words != own) {
            return Err(JobError::RealisationWords {
                first: own,
                second: other,
            });
        }
        let held = (own * WORD_BITS).min(MAX_REALISATIONS);
        if number == 0 || number > held {
            return Err(JobError::Realisations { number, held });
        }
        if self
            .pair_weight()
            .is_some_and(|weight| weight.inverse().is_some())
        {
            return Err(JobError::RealisationsOfInverse);
        }
        let tables = self.tables(pairs)?.number() * number;
        let bins = self.bins().n_bins();
        if tables.checked_mul(bins).is_none_or(|n| n > MAX_ENTRIES) {
            return Err(JobError::TooManyTables {
                tables,
                bins,
                limit: MAX_ENTRIES,
            });
        }
        Ok(())
    }
}

/// Word number `at` of a sample without bits, in which `number` realisations have theirs.
fn all(number: usize, at: usize) -> u64 {
    match number.saturating_sub(at * WORD_BITS) {
        0 => 0,
        bits if bits < WORD_BITS => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

/// The realisations of the particles of a job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Realised<'a> {
    pub(crate) number: usize,
    bits: [Option<&'a Bits>; 2],
}

impl<'a> Realised<'a> {
    /// None where `what` asks for none.
    pub(super) fn of(what: &CountSpec, pairs: Pairs<'a>) -> Option<Self> {
        let (first, second) = pairs.both();
        Some(Self {
            number: what.realisations?,
            bits: [first, second].map(Particles::bits),
        })
    }

    /// Words of a particle.
    pub(crate) fn words(&self) -> usize {
        self.number.div_ceil(WORD_BITS)
    }

    /// Whether the second sample has no bits, so that all its particles take part in all realisations.
    pub(crate) fn second_is_in_all(&self) -> bool {
        self.bits[1].is_none()
    }

    /// Word number `at` of a row of the first sample or of the second: the realisations that it takes part in.
    #[inline]
    pub(crate) fn word(&self, of_second: bool, row: usize, at: usize) -> u64 {
        let own = self.bits[usize::from(of_second)];
        own.map_or(u64::MAX, |bits| bits.row(row)[at]) & all(self.number, at)
    }

    /// The realisations that a pair of rows takes part in.
    pub(super) fn of_pair(&self, [i, j]: [usize; 2]) -> impl Iterator<Item = usize> + use<> {
        let word = |at| self.word(false, i, at) & self.word(true, j, at);
        let high = if self.words() > 1 { word(1) } else { 0 };
        let mut left = u128::from(word(0)) | u128::from(high) << WORD_BITS;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as usize;
            left &= left.checked_sub(1)?;
            Some(bit)
        })
    }
}

impl Tally {
    /// The tables of realisation `k` of `number`, class by class.
    ///
    /// # Panics
    /// When there are not so many tables.
    #[must_use]
    pub(crate) fn of_realisation(&self, k: usize, number: usize) -> Self {
        let classes = self.n_tables() / number;
        let mut own = Self::zero(self.n_bins(), classes, self.n_sums());
        for class in 0..classes {
            let table = self.table(class * number + k);
            let sums: Vec<&[i128]> = (0..self.n_sums()).map(|at| table.sum(at)).collect();
            own.add_table(class, table.pairs(), &sums);
        }
        own
    }
}
