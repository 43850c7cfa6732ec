//! Randoms that are split before their pairs are counted: `--split-randoms N` or `files`.
//!
//! Entry: [`SplitFlags`], [`Subsets`]. What a split is, and how its counts enter an estimate, is the library's.

use std::str::FromStr;

use albireo::binning::PairOrder;
use albireo::counts::Split;
use albireo::estimators::{AnyEstimator, Role, SplitRandoms, Term, TermCount};
use albireo::tally::{Classes, LegendreDegrees, weights_are_wide};
use albireo::{Bins, Counts, Pairs, Particles};
use albireo_samples::Samples;
use anyhow::{Context, Result, bail};
use clap::Args;

use crate::counted::{Counted, SplitCount};
use crate::counting::Counter;
use crate::group;
use crate::named_count::NamedCount;
use crate::usage::usage;

/// What the subsets are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SplitBy {
    /// Rows whose numbers are equal modulo so many.
    Rows(u32),
    /// The files of each sample, in their order.
    Files,
}

impl FromStr for SplitBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "files" => Ok(Self::Files),
            number => number.parse().map(Self::Rows).map_err(|_| {
                "expected a number of subsets, or files for those of each catalogue".to_owned()
            }),
        }
    }
}

/// How randoms are split.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::ERRORS)]
pub(super) struct SplitFlags {
    /// Count RR and SS within subsets of the randoms only: N of them, or the files of --randoms
    ///
    /// Subsets have row numbers that are equal modulo N; with `files` they are the files of --randoms and as many of --shifted-randoms, in the
    /// same order. About N times less work for nearly the same xi where randoms are many (Keihänen et al. 2019).
    #[arg(long, value_name = "N|files", conflicts_with = "rr")]
    split_randoms: Option<SplitBy>,
    /// Split from this edge of --bins on, and count all pairs of randoms closer together, e.g. 20
    #[arg(long, value_name = "S", requires = "split_randoms")]
    split_randoms_above: Option<f64>,
}

/// What the flags ask for.
#[derive(Debug, Clone)]
pub(super) struct AskedSplit {
    split: Split,
    by: SplitBy,
    /// The counts of split randoms.
    terms: Vec<Term>,
}

impl SplitFlags {
    /// How randoms are split, if they are, for `estimator`; `files` is the number of files of a role.
    pub(super) fn split(
        &self,
        estimator: &AnyEstimator,
        files: impl Fn(Role) -> usize,
    ) -> Result<Option<AskedSplit>> {
        let Some(by) = self.split_randoms else {
            return Ok(None);
        };
        if files(Role::Randoms) == 0 && files(Role::SecondRandoms) == 0 {
            return Err(usage(
                "--split-randoms needs randoms to split: --randoms FILE",
            ));
        }
        let mut terms = estimator.terms(PairOrder::Unordered);
        terms.retain(|term| term.is_random());
        if terms.is_empty() {
            return Err(usage(format!(
                "--split-randoms has no use: --estimator {} counts no RR",
                estimator.name()
            )));
        }
        let subsets = match by {
            SplitBy::Rows(number) => number,
            SplitBy::Files => equal_files(&terms, files)?,
        };
        let split = Split::new(subsets, self.split_randoms_above);
        let split = split.map_err(|error| usage(format!("--split-randoms: {error}")))?;
        Ok(Some(AskedSplit { split, by, terms }))
    }
}

/// The number of files that each of the split samples has.
fn equal_files(terms: &[Term], files: impl Fn(Role) -> usize) -> Result<u32> {
    let roles = terms.iter().flat_map(|term| term.roles());
    let mut numbers = roles.map(|role| (role, files(role)));
    let (first, number) = numbers.next().context("there are no randoms")?;
    if let Some((role, found)) = numbers.find(|(_, found)| *found != number) {
        return Err(usage(format!(
            "--split-randoms files takes equal numbers of them: the {} are {number}, the {} {found}",
            first.name(),
            role.name()
        )));
    }
    Ok(u32::try_from(number)?)
}

/// Randoms of a count in subsets, of one sample or of two.
#[derive(Debug)]
pub(super) struct Subsets {
    split: Split,
    by: SplitBy,
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

/// Refuses a subset without a particle in some region, before anything is counted.
fn check_regions(role: Role, subsets: &[Particles]) -> Result<()> {
    for (k, labels) in subsets.iter().filter_map(Particles::labels).enumerate() {
        let mut seen = vec![false; labels.number() as usize];
        for &label in labels.values() {
            seen[label as usize] = true;
        }
        if let Some(region) = seen.iter().position(|seen| !seen) {
            bail!(
                "--split-randoms: every region must hold {} of every subset: region {region}, one of {}, holds none of subset {k} of {} (counting from 0); \
                 take fewer, larger regions, or fewer subsets",
                role.name(),
                seen.len(),
                subsets.len()
            );
        }
    }
    Ok(())
}

impl AskedSplit {
    /// The subsets of a sample.
    fn subsets_of(&self, role: Role, inputs: &Samples) -> Result<Vec<Particles>> {
        let sample = inputs.get(role.name())?;
        let place = || format!("--split-randoms, {}", role.name());
        if self.by != SplitBy::Files {
            return self.split.subsets_of(sample).with_context(place);
        }
        let rows = inputs.rows_of_files(role.name());
        if rows.len() != self.split.subsets() as usize {
            bail!(
                "--split-randoms files: the {} were read from {} files, {} were named: name each file that has rows, no folder of them",
                role.name(),
                rows.len(),
                self.split.subsets()
            );
        }
        self.split.runs_of(sample, &rows).with_context(place)
    }
}

impl Subsets {
    /// Splits the randoms of every count of them, whose Legendre sums of these degrees are asked for, and errors by region or not.
    pub(super) fn of(
        asked: &AskedSplit,
        inputs: &Samples,
        (legendre, by_region): (LegendreDegrees, bool),
    ) -> Result<Vec<Self>> {
        let of = |&term: &Term| {
            let whole = inputs.get(term.first.name())?;
            let pairs = match inputs.get(term.second.name())? {
                second if term.second != term.first => Pairs::Cross(whole, second),
                _ => Pairs::Auto(whole),
            };
            let subsets = |role: Role| {
                let subsets = asked.subsets_of(role, inputs)?;
                if by_region {
                    check_regions(role, &subsets)?;
                }
                Ok::<_, anyhow::Error>(subsets)
            };
            Ok(Self {
                split: asked.split,
                by: asked.by,
                term,
                first: subsets(term.first)?,
                second: (term.second != term.first)
                    .then(|| subsets(term.second))
                    .transpose()?,
                legendre,
                two_words: weights_are_wide(pairs, 0),
            })
        };
        asked.terms.iter().map(of).collect()
    }

    /// The count that they are for.
    pub(super) fn term(&self) -> Term {
        self.term
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
                by: match self.by {
                    SplitBy::Rows(_) => "row number modulo the number of subsets",
                    SplitBy::Files => "file",
                },
                near,
                far,
            }
            .counted(&job, parts),
        );
        Ok(())
    }
}
