//! `albireo result rascalc`: what the covariance program `RascalC` reads of a saved xi(s, mu), as plain text.
//!
//! Entry: [`ToRascalC`]. Layouts and normalisation are those that its Python driver writes for the C++ program.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use albireo::Counts;
use albireo::binning::Axes;
use albireo::estimators::{AnyEstimator, Term, TermCount, TermCounts};
use albireo_catalogs::WholeFile;
use anyhow::{Context, Result, bail};
use clap::Args;

use super::parts::Saved;
use super::saved::NamedTable;
use crate::files::Written;
use crate::group;
use crate::paths::{ReadFile, WrittenFile};
use crate::saved::bins_of;
use crate::session::Session;
use crate::usage::usage;

/// Arguments of `result rascalc`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::OUTPUT)]
pub(crate) struct ToRascalC {
    /// A saved xi(s, mu) with its counts, over mu or |mu|
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    /// Write the bins in s: a line `low high` for each (-binfile)
    #[arg(long, value_name = "FILE")]
    binning: Option<WrittenFile>,
    /// Write RR over the weight of all random pairs: a line for each bin, those in |mu| next to each other (`-RRbin`)
    #[arg(long, value_name = "FILE")]
    rr: Option<WrittenFile>,
    /// Write xi: a line of s, a line of |mu|, then a line for each s (-cor)
    #[arg(long, value_name = "FILE")]
    xi: Option<WrittenFile>,
    /// Write the weights of regions: a line for each, its number and its share of RR in each bin (-jackknife)
    #[arg(long, value_name = "FILE", requires = "by_region")]
    jackknife: Option<WrittenFile>,
    /// What --region-counts wrote with the result
    #[arg(long, value_name = "FILE", requires = "jackknife")]
    by_region: Option<ReadFile>,
}

/// A number as the shortest text that reads back the same.
fn line(numbers: &[f64]) -> String {
    let texts: Vec<String> = numbers.iter().map(f64::to_string).collect();
    texts.join(" ") + "\n"
}

/// The centres of bins.
fn centres(edges: &[f64]) -> Vec<f64> {
    edges
        .windows(2)
        .map(|e| f64::midpoint(e[0], e[1]))
        .collect()
}

/// Refuses what is not in bins of s and of equal bins of mu from -1 or 0 to 1; whether mu has both signs.
fn is_signed(axes: &Axes) -> Result<bool> {
    let names: Vec<&str> = axes.names().collect();
    if names != ["s", "mu"] {
        bail!(
            "RascalC takes bins of (s, mu), found ({})",
            names.join(", ")
        );
    }
    let mu = axes.edges(1);
    let (low, n) = (mu[0], (mu.len() - 1) as f64);
    let even = |k: usize| low + (1.0 - low) * k as f64 / n;
    if ![-1.0, 0.0].contains(&low) || (0..mu.len()).any(|k| (mu[k] - even(k)).abs() > 1e-9) {
        bail!("RascalC takes equal bins of mu from 0 or -1 to 1: count with --mu-bins lin:0:1:N");
    }
    Ok(low < 0.0)
}

/// The counts over |mu|.
fn folded(count: &TermCount) -> Result<TermCount> {
    match count.of_all_pairs() {
        Some(counts) => Ok(counts.wrap()?.into()),
        None => bail!(
            "its randoms were split: count over |mu| (--mu-bins lin:0:1:N), or do not split them"
        ),
    }
}

/// A saved xi over (s, |mu|).
struct OverAbsoluteMu {
    axes: Axes,
    counts: TermCounts,
    rr: Term,
    xi: Vec<f64>,
}

impl OverAbsoluteMu {
    fn of(estimator: &AnyEstimator, terms: Vec<(Term, TermCount)>, axes: &Axes) -> Result<Self> {
        let is_signed = is_signed(axes)?;
        let fold = |(term, count): (Term, TermCount)| {
            let count = if is_signed { folded(&count)? } else { count };
            Ok((term, count))
        };
        let terms = terms.into_iter().map(fold).collect::<Result<Vec<_>>>()?;
        let rr = terms
            .iter()
            .map(|(term, _)| *term)
            .find(|term| term.name == "RR");
        let rr = rr.context("it holds no counted RR, which RascalC takes")?;
        let counts = TermCounts::new(terms, None);
        let axes = if is_signed {
            axes.wrap()?.axes().clone()
        } else {
            axes.clone()
        };
        check_filled(&counts.pairs(rr)?.fractions(rr.name)?, &axes)?;
        Ok(Self {
            xi: estimator.estimate(&counts)?.xi.into_iter().collect(),
            axes,
            counts,
            rr,
        })
    }

    /// A line `low high` for each bin in s.
    fn binning(&self) -> String {
        let rows = self.axes.edges(0).windows(2);
        rows.map(line).collect()
    }

    /// RR of each bin over that of all pairs.
    fn rr(&self) -> Result<String> {
        let shares = self.counts.pairs(self.rr)?.fractions(self.rr.name)?;
        Ok(shares.iter().map(|&share| line(&[share])).collect())
    }

    fn xi(&self) -> String {
        let [s, mu] = [0, 1].map(|axis| centres(self.axes.edges(axis)));
        let rows = self.xi.chunks(mu.len()).map(line);
        line(&s) + &line(&mu) + &rows.collect::<String>()
    }
}

/// Refuses bins without random pairs, in which nothing can be said.
fn check_filled(shares: &[f64], axes: &Axes) -> Result<()> {
    if let Some(bin) = shares.iter().position(|&share| share <= 0.0) {
        let n_mu = axes.edges(1).len() - 1;
        let edges = |axis: usize, k: usize| (axes.edges(axis)[k], axes.edges(axis)[k + 1]);
        let ((s, up_to_s), (mu, up_to_mu)) = (edges(0, bin / n_mu), edges(1, bin % n_mu));
        bail!(
            "no random pairs in s from {s} to {up_to_s}, |mu| from {mu} to {up_to_mu}, so that xi is not known there: begin at larger s \
             (albireo result slice) or take wider bins (rebin)"
        );
    }
    Ok(())
}

/// The share of each region in RR, bin by bin: a pair between two regions belongs to each by half.
fn jackknife(rr: &Counts, axes: &Axes) -> Result<String> {
    let map = if is_signed(axes)? {
        Some(axes.wrap()?)
    } else {
        None
    };
    let fold = |values: Vec<f64>| match &map {
        Some(map) => map
            .gathered(&values, |sum, value| Some(sum + value))
            .unwrap_or_default(),
        None => values,
    };
    let all = fold(rr.whole().values());
    let mut text = String::new();
    for k in 0..rr.regions() {
        let (within, across) = (fold(rr.within(k).values()), fold(rr.across(k).values()));
        let shares = within.iter().zip(&across).zip(&all);
        let shares = shares.map(|((within, across), all)| (within + across / 2.0) / all);
        write!(text, "{k} {}", line(&shares.collect::<Vec<_>>()))?;
    }
    Ok(text)
}

impl ToRascalC {
    /// The files that are asked for, with their flags.
    fn files(&self) -> Vec<(&'static str, &Path)> {
        let files = [
            ("--binning", &self.binning),
            ("--rr", &self.rr),
            ("--xi", &self.xi),
            ("--jackknife", &self.jackknife),
        ];
        let named = files.into_iter();
        named
            .filter_map(|(flag, file)| Some((flag, file.as_deref()?)))
            .collect()
    }

    /// The shares of the regions of `saved`.
    fn shares(path: &Path, saved: Saved<'_>, axes: &Axes, session: &Session<'_>) -> Result<String> {
        let (table, bins) = (session.kept.results.read(path)?, bins_of(saved.table())?);
        let (estimator, terms) = saved.estimator(bins.order())?;
        let regions = saved.regions((estimator, &terms), &bins, (path, &table))?;
        let rr = regions.counted().iter().find(|(term, _)| term.name == "RR");
        let rr = rr.and_then(|(_, rr)| rr.of_all_pairs());
        jackknife(rr.context("it holds no RR of all pairs")?, axes)
    }

    /// Reads, folds and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let path = self.result.as_path();
        let files = self.files();
        if files.is_empty() {
            return Err(usage(
                "name what to write: --binning, --rr, --xi, --jackknife",
            ));
        }
        let written = files.iter().map(|(flag, path)| Written::probe(*flag, path));
        let inputs: Vec<&Path> = [Some(path), self.by_region.as_deref()]
            .into_iter()
            .flatten()
            .collect();
        session
            .sink
            .keep_apart(&written.collect::<Result<Vec<_>>>()?, &inputs)?;
        let input = NamedTable::read(path, &session.kept.results)?;
        input.whole()?;
        let place = || path.display().to_string();
        let (saved, bins) = (Saved::new(path, &input.table)?, bins_of(&input.table)?);
        let (estimator, terms, _) = saved
            .estimator_and_known(&bins, &[1, 1])
            .with_context(place)?;
        let axes = input.axes()?;
        let xi = OverAbsoluteMu::of(&estimator, saved.counts(&terms, &bins)?, &axes)
            .with_context(place)?;
        let text = |flag| match (flag, &self.by_region) {
            ("--binning", _) => Ok(xi.binning()),
            ("--rr", _) => xi.rr(),
            ("--jackknife", Some(regions)) => Self::shares(regions, saved, &axes, session),
            _ => Ok(xi.xi()),
        };
        // All is known before the first file is written.
        let texts = files.iter().map(|(flag, _)| text(*flag));
        let texts = texts.collect::<Result<Vec<_>>>()?;
        for ((_, file), text) in files.into_iter().zip(texts) {
            write_whole(file, &text).with_context(|| format!("cannot write {}", file.display()))?;
            tracing::info!("wrote {}", file.display());
        }
        Ok(())
    }
}

fn write_whole(path: &Path, text: &str) -> Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(text.as_bytes())?;
    Ok(file.finish()?)
}
