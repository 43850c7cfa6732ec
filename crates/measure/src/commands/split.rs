//! Randoms that are split before their pairs are counted: `--split-randoms N`.
//!
//! Entry: [`SplitFlags`], [`Subsets`]. What a split is, and how its counts enter an estimate, is the library's.

use albireo::binning::PairOrder;
use albireo::counts::Split;
use albireo::estimators::{AnyEstimator, SplitRandoms, Term, TermCount};
use albireo::tally::{Classes, LegendreDegrees, weights_are_wide};
use albireo::{Bins, Counts, Pairs, Particles};
use albireo_samples::Samples;
use anyhow::{Context, Result};
use clap::Args;

use crate::counted::{Counted, SplitCount};
use crate::counting::Counter;
use crate::named_count::NamedCount;
use crate::usage::usage;

/// How randoms are split.
#[derive(Debug, Clone, Args)]
pub(super) struct SplitFlags {
    /// Count RR within N subsets of the randoms only, those whose row numbers are equal modulo N: about N times less work for nearly the same
    /// xi where randoms are many (Keihänen et al. 2019)
    #[arg(long, value_name = "N", conflicts_with = "rr")]
    split_randoms: Option<u32>,
    /// Split from this edge of --bins on, and count all pairs of randoms closer together, e.g. 20
    #[arg(long, value_name = "S", requires = "split_randoms")]
    split_randoms_above: Option<f64>,
}

impl SplitFlags {
    /// How randoms are split, if they are, for `estimator`.
    pub(super) fn split(
        &self,
        estimator: &AnyEstimator,
        randoms: bool,
    ) -> Result<Option<(Split, Term)>> {
        let Some(subsets) = self.split_randoms else {
            return Ok(None);
        };
        if !randoms {
            return Err(usage(
                "--split-randoms needs randoms to split: --randoms FILE",
            ));
        }
        let terms = estimator.terms(PairOrder::Unordered);
        let random: Vec<Term> = terms.into_iter().filter(|term| term.is_random()).collect();
        let name = estimator.name();
        match random[..] {
            [term] => {
                let split = Split::new(subsets, self.split_randoms_above);
                let split = split.map_err(|error| usage(format!("--split-randoms: {error}")))?;
                Ok(Some((split, term)))
            }
            [] => Err(usage(format!(
                "--split-randoms has no use: --estimator {name} counts no RR"
            ))),
            _ => Err(usage(format!(
                "--split-randoms splits the randoms of one count: --estimator {name} has RR and R1R2"
            ))),
        }
    }
}

/// Randoms in subsets, of one sample or of two.
#[derive(Debug)]
pub(super) struct Subsets {
    split: Split,
    term: Term,
    first: Vec<Particles>,
    second: Option<Vec<Particles>>,
    legendre: LegendreDegrees,
    /// Whether the weights of all randoms are of wide range.
    two_words: bool,
}

fn merged(mut parts: impl Iterator<Item = Result<Counts>>) -> Result<Counts> {
    let first = parts.next().context("there are no subsets of randoms")??;
    parts.try_fold(first, |mut all, part| {
        all.merge(&part?)?;
        Ok(all)
    })
}

impl Subsets {
    /// Splits the randoms of `term`, whose Legendre sums of these degrees are asked for.
    pub(super) fn of(
        (split, term): (Split, Term),
        inputs: &Samples,
        legendre: LegendreDegrees,
    ) -> Result<Self> {
        let whole = inputs.get(term.first.name())?;
        let pairs = match inputs.get(term.second.name())? {
            second if term.second != term.first => Pairs::Cross(whole, second),
            _ => Pairs::Auto(whole),
        };
        let subsets = |role: albireo::estimators::Role| -> Result<Vec<Particles>> {
            let sample = inputs.get(role.name())?;
            let subsets = split.subsets_of(sample);
            subsets.with_context(|| format!("--split-randoms, {}", role.name()))
        };
        Ok(Self {
            split,
            term,
            first: subsets(term.first)?,
            second: (term.second != term.first)
                .then(|| subsets(term.second))
                .transpose()?,
            legendre,
            two_words: weights_are_wide(pairs, 0),
        })
    }

    /// The pairs within each subset.
    fn pairs(&self) -> impl Iterator<Item = Pairs<'_>> {
        let pairs = |(k, first)| match &self.second {
            None => Pairs::Auto(first),
            Some(second) => Pairs::Cross(first, &second[k]),
        };
        self.first.iter().enumerate().map(pairs)
    }

    /// A count of pairs of randoms.
    fn of_pairs<'a>(&self, pairs: Pairs<'a>, bins: &Bins) -> NamedCount<'a> {
        let count = NamedCount::new(self.term.name, pairs, bins);
        let what = count.what.with_legendre(self.legendre);
        NamedCount {
            what: what.in_two_words(self.two_words),
            ..count
        }
    }

    /// The counts within each subset.
    pub(super) fn counts_in(&self, bins: &Bins) -> impl Iterator<Item = NamedCount<'_>> {
        self.pairs().map(move |pairs| self.of_pairs(pairs, bins))
    }

    /// Counts within subsets, and all pairs of `whole` that are close together, by these classes.
    pub(super) fn count<'a>(
        &'a self,
        whole: Pairs<'a>,
        (bins, classes): (&Bins, Classes),
        counter: &mut Counter<'a>,
    ) -> Result<TermCount> {
        let near_bins = self
            .split
            .near_bins(bins)
            .context("--split-randoms-above")?;
        let (counts, parts) = counter.together(|counter| {
            let subsets = self.counts_in(bins).map(|one| one.by(classes));
            let far = merged(subsets.map(|one| counter.count(&one)))?;
            let near = near_bins.map(|bins| self.of_pairs(whole, &bins).by(classes));
            let near = near.map(|near| counter.count(&near));
            Ok((near.transpose()?, far))
        })?;
        let (near, far) = counts;
        self.note(near.as_ref(), &far, (whole, parts), counter)?;
        Ok(match near {
            None => far.into(),
            Some(near) => SplitRandoms::new(near, far)?.into(),
        })
    }

    /// Notes the parts of a split count as one.
    fn note<'a>(
        &self,
        near: Option<&Counts>,
        far: &Counts,
        (whole, parts): (Pairs<'a>, Vec<Counted>),
        counter: &mut Counter<'a>,
    ) -> Result<()> {
        let job = counter.job(whole)?;
        counter.done.push(
            SplitCount {
                split: self.split,
                near,
                far,
            }
            .counted(&job, parts),
        );
        Ok(())
    }
}
