//! Sums of expressions over the pairs of one sample or two: `--pair-sum` of `rdf` without frames.
//!
//! Entry: [`SampleSums`].

use std::sync::Arc;

use albireo::tally::{End, PairProgram};
use albireo::{Bins, Domain, Pairs};
use albireo_catalogs::TableColumn;
use albireo_fluids::Partials;
use albireo_pair_sums::Geometry;
use albireo_samples::{Samples, Source};
use anyhow::Result;

use super::Rdf;
use super::named::Named;
use super::sums::{FrameSums, Of};
use crate::pair_sums::{Summed, Valued};
use crate::session::Session;
use crate::usage::usage;

/// The sums, and the samples with their columns.
pub(super) struct SampleSums {
    sums: FrameSums,
    first: Valued,
    second: Option<Valued>,
}

/// The ends of pairs that a sample is at.
fn ends(is_second: bool, crossed: bool) -> &'static [End] {
    match (is_second, crossed) {
        (true, _) => &[End::Second],
        (false, true) => &[End::First],
        (false, false) => &[End::First, End::Second],
    }
}

impl Rdf {
    /// What is summed over the pairs of samples.
    pub(super) fn sums_of_samples(
        &self,
        sources: &[Source],
        session: &Session<'_>,
    ) -> Result<Option<FrameSums>> {
        if !self.sums.pair_sums.any() {
            return Ok(None);
        }
        if self.beyond_half {
            return Err(usage(
                "--pair-sum has no meaning with --beyond-half: it is of pairs up to half the box",
            ));
        }
        self.sums.read(&session.widths(sources)?)
    }
}

impl SampleSums {
    /// The sources with the columns that sums take of them.
    pub(super) fn selected(sums: Option<&FrameSums>, sources: Vec<Source>) -> Vec<Source> {
        let Some(sums) = sums else { return sources };
        let crossed = sources.len() > 1;
        let of = |source: Source| {
            let ends = ends(source.role == "second", crossed);
            sums.summed.selected(source, ends)
        };
        sources.into_iter().map(of).collect()
    }

    /// The samples that were read so.
    pub(super) fn of(sums: FrameSums, samples: &Samples) -> Result<Self> {
        let second = samples.find("second");
        let crossed = second.is_some();
        let valued = |sample, is_second| sums.summed.valued(sample, ends(is_second, crossed));
        let first = valued(samples.get("data")?, false)?;
        let second = second.map(|sample| valued(sample, true)).transpose()?;
        Ok(Self {
            sums,
            first,
            second,
        })
    }

    /// What is summed.
    pub(super) fn summed(&self) -> &Summed {
        &self.sums.summed
    }

    /// Their pairs.
    pub(super) fn pairs(&self) -> Pairs<'_> {
        let first = &self.first.particles;
        match &self.second {
            None => Pairs::Auto(first),
            Some(second) => Pairs::Cross(first, &second.particles),
        }
    }

    /// The program over them.
    pub(super) fn program(&self, bins: &Bins, domain: &Domain) -> Result<Arc<PairProgram>> {
        let second = self.second.as_ref().unwrap_or(&self.first);
        let geometry = Geometry::of(bins, domain);
        let program = self.summed().program(&self.first, second, &geometry)?;
        if self.second.is_none() {
            Summed::check_unordered(&program)?;
        }
        Ok(program)
    }

    /// The columns that follow from the sums of forms.
    pub(super) fn following(
        &self,
        partials: &Partials,
        pair: [usize; 2],
    ) -> Result<Vec<TableColumn>> {
        let names = ["A".to_owned(), "B".to_owned()];
        let named = Named {
            names: &names,
            many: false,
        };
        self.sums.following(&Of {
            partials,
            blocks: &[],
            pair,
            named: &named,
        })
    }
}
