//! `albireo result estimate`: xi, multipoles, wedges and wp of saved counts, in their bins or in coarser ones.
//!
//! Entry: [`EstimateSaved`], and [`of_saved`] for xi again.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use albireo::estimators::{AnyEstimator, RegionTerms, Term, TermCount, TermCounts};
use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use super::along::Along;
use super::parts::{Saved, counted};
use super::remade::{FormsOfSaved, RegionErrors};
use super::saved::NamedTable;
use crate::catalogs::Files;
use crate::commands::estimated::Estimated;
use crate::group;
use crate::record::Record;
use crate::saved::{bins_of, name_axes};
use crate::scatter::{Method, Scatter};
use crate::session::Session;
use crate::usage::usage;
use crate::weight_sets::{of_set, path_of};

/// Arguments of `result estimate`.
#[derive(Debug, Args)]
pub(crate) struct EstimateSaved {
    /// Results of xi with their counts (those of --counts, for wp and multipoles; files of lsstypes)
    ///
    /// Each is estimated alone; of several, {} in the name of every file is replaced by the name of the result.
    #[arg(required = true, value_name = "RESULT")]
    result: Vec<Files>,
    #[command(flatten)]
    coarser: Coarser,
    #[command(flatten)]
    errors: RegionErrors,
    #[command(flatten)]
    forms: FormsOfSaved,
}

/// How many neighbouring bins become one, along the axes.
#[derive(Debug, Args)]
#[command(next_help_heading = group::BINS)]
struct Coarser {
    /// Neighbouring bins in r, s, rp or theta that become one, exactly
    #[arg(long, value_name = "N")]
    rebin: Option<NonZeroUsize>,
    /// Neighbouring bins in mu that become one
    #[arg(long, value_name = "N")]
    mu_rebin: Option<NonZeroUsize>,
    /// Neighbouring bins in pi that become one
    #[arg(long, value_name = "N")]
    pi_rebin: Option<NonZeroUsize>,
}

impl Coarser {
    /// How many bins become one along each axis of a result.
    fn of(&self, input: &NamedTable) -> Result<Vec<usize>> {
        let axes = input.axes()?;
        let along = Along {
            flag: "rebin",
            first: self.rebin,
            mu: self.mu_rebin,
            pi: self.pi_rebin,
            z: None,
        };
        if self.rebin.or(self.mu_rebin).or(self.pi_rebin).is_none() {
            return Ok(vec![1; axes.number()]);
        }
        let each = along.each(&axes)?.into_iter();
        Ok(each.map(|by| by.map_or(1, NonZeroUsize::get)).collect())
    }
}

/// Counts that are estimated, and what made them.
struct Remade {
    estimator: AnyEstimator,
    counts: TermCounts,
    terms: Vec<Term>,
    scatter: Option<Scatter>,
}

/// The saved counts in coarser bins, with the scatter of their regions.
fn remade(
    saved: Saved<'_>,
    by: &[usize],
    regions: Option<(&(PathBuf, Table), Method)>,
) -> Result<Remade> {
    let bins = bins_of(saved.table())?;
    let (estimator, terms, known) = saved.estimator_and_known(&bins, by)?;
    let coarse = |(term, counts): &(Term, TermCount)| Ok((*term, counts.rebin(by)?));
    let Some((of, method)) = regions else {
        let counts = saved.counts(&terms, &bins)?;
        let counts = counts.iter().map(coarse);
        let counts = TermCounts::new(counts.collect::<Result<Vec<_>>>()?, known);
        return Ok(Remade {
            estimator,
            counts,
            terms,
            scatter: None,
        });
    };
    if known.is_some() {
        return Err(usage(
            "--by-region needs counted random pairs: those of a box are known",
        ));
    }
    let fine = saved.regions((estimator.clone(), &terms), &bins, (&of.0, &of.1))?;
    let counted = fine.counted().iter().map(coarse);
    let coarse = RegionTerms::new(
        estimator.clone(),
        counted.collect::<Result<Vec<_>>>()?,
        None,
    )?;
    let values = |counts: &TermCounts| Ok(estimator.estimate(counts)?.xi);
    Ok(Remade {
        scatter: Some(Scatter::of(&coarse, method, values)?),
        counts: coarse.counts(),
        estimator,
        terms,
    })
}

/// xi of the counts of a saved xi, `by[k]` neighbouring bins of axis k together, with errors from its regions where there are some.
pub(in crate::commands) fn of_saved(
    input: &NamedTable,
    by: &[usize],
    regions: Option<(&(PathBuf, Table), Method)>,
    record: Record,
    session: &Session<'_>,
) -> Result<Estimated> {
    let kind = input.whole()?;
    if kind != ResultKind::Correlation {
        bail!(
            "{}: expected a correlation function with its counts, found {}: take the file that --counts wrote",
            input.name,
            kind.phrase()
        );
    }
    let fine = input.axes()?;
    let map = fine.rebin(by).with_context(|| input.name.clone())?;
    let saved = Saved::new(Path::new(&input.name), &input.table)?;
    let remade = remade(saved, by, regions).with_context(|| input.name.clone())?;
    let mut xi = remade.estimator.estimate(&remade.counts)?;
    name_axes(&mut xi.axes, &input.table)?;
    let mut record = input.record_of_made(map.axes(), record)?;
    record.unset("errors");
    if let Some(scatter) = &remade.scatter {
        scatter.note(&mut record);
    }
    let of = (&[saved][..], "estimated");
    let counted = counted(&remade.counts, &remade.terms, of)?;
    let unit = input.table.meta.get("unit").and_then(Value::as_str);
    Ok(Estimated {
        formulas: None,
        counts: counted,
        poles: None,
        unit: unit.map(str::to_owned),
        covariance: None,
        xi,
        scatter: remade.scatter,
        record,
        sink: session.sink.clone(),
    })
}

/// The name of a result in those of the files that are made of it.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

impl EstimateSaved {
    /// Refuses files that several results would write, and those that could not be written or would replace one of the `inputs`.
    fn check(
        &self,
        names: &[Option<String>],
        inputs: &[&Path],
        session: &Session<'_>,
    ) -> Result<()> {
        let (output, others) = (self.forms.output(), self.forms.others());
        if names.len() > 1 {
            let file = output.file().map(|path| ("--output", path));
            let mut files = others.iter().copied().chain(file);
            if let Some((flag, path)) = files.find(|(_, path)| path_of(path, Some("")) == *path) {
                return Err(usage(format!(
                    "{flag} {}: every result writes one: put {{}} for its name",
                    path.display()
                )));
            }
        }
        for (k, name) in names.iter().enumerate() {
            if let (Some(name), true) = (name, names[..k].contains(name)) {
                return Err(usage(format!(
                    "two results are called {name}: estimate them by commands of their own"
                )));
            }
            let name = name.as_deref();
            let others = others
                .iter()
                .map(|(flag, path)| (*flag, path_of(path, name)));
            let others: Vec<_> = others.collect();
            let others: Vec<_> = others.iter().map(|(flag, path)| (*flag, &**path)).collect();
            session
                .sink
                .check_counts(&of_set(&output, name), &others, inputs)?;
        }
        Ok(())
    }

    /// Reads, puts bins together, estimates, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let paths: Vec<&Path> = self.result.iter().flat_map(Files::iter).collect();
        let several = paths.len() > 1;
        let names = paths.iter().map(|path| several.then(|| stem(path)));
        let names: Vec<Option<String>> = names.collect();
        let inputs = self.errors.by_region.iter().flat_map(Files::iter);
        let inputs: Vec<_> = paths.iter().copied().chain(inputs).collect();
        self.check(&names, &inputs, session)?;
        let regions = self.errors.tables(paths.len(), &session.kept.results)?;
        for (k, (path, name)) in paths.iter().zip(&names).enumerate() {
            let (record, name) = (Record::begin(session.arguments), name.as_deref());
            let input = NamedTable::read(path, &session.kept.results)?;
            let (by, place) = (self.coarser.of(&input)?, || input.name.clone());
            let map = input.axes()?.rebin(&by).with_context(place)?;
            let forms = self
                .forms
                .of(&input.table, map.axes())
                .with_context(place)?;
            let of_regions = regions.get(k).map(|of| (of, self.errors.method()));
            let estimated = Estimated {
                formulas: None,
                covariance: self.forms.covariance_of(name),
                ..of_saved(&input, &by, of_regions, record, session)?
            };
            let output = of_set(&self.forms.output(), name);
            let made = forms.write(&estimated.into(), &output, name)?;
            session.sink.deliver_made(&made, &output)?;
        }
        Ok(())
    }
}
