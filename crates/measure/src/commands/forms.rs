//! Several forms of one estimate, each in a file of its own: `--outputs xi=FILE,multipoles=FILE`.
//!
//! Entry: [`FormFlags::choose`], and [`Forms::write`], which makes them.

use std::path::Path;

use anyhow::Result;
use clap::Args;

use super::class_estimates::Estimates;
use super::derived::Derived;
use crate::args::OutputFlags;
use crate::form_file::{Form, FormFile};
use crate::group;
use crate::packages::Made;
use crate::usage::usage;
use crate::weight_sets::path_of;

/// Which forms are written.
#[derive(Debug, Args)]
#[command(next_help_heading = group::OUTPUT)]
pub(super) struct FormFlags {
    /// Write several forms of the estimate, each to a file: xi, multipoles, wedges or wp
    ///
    /// E.g. xi=xi.csv,multipoles=poles.csv. xi has its counts. The last one is printed and plotted, and --covariance is of it.
    #[arg(long, value_name = "FORM=FILE,..", value_delimiter = ',', conflicts_with_all = ["output", "counts"])]
    outputs: Vec<FormFile>,
}

/// What is made of an estimate: the result, and what is written besides.
#[derive(Debug)]
pub(super) struct Forms<'a> {
    result: Derived,
    others: Vec<(Derived, &'a Path)>,
}

impl FormFlags {
    /// Whether several are asked for.
    pub(super) fn any(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// Where the result goes.
    pub(super) fn output(&self, output: &OutputFlags) -> OutputFlags {
        match self.outputs.last() {
            None => output.clone(),
            Some(last) => OutputFlags {
                output: Some(last.path.clone()),
                brief_in_jobs: true,
                ..output.clone()
            },
        }
    }

    /// The files beside the result by their flags, of which `--counts` has one.
    pub(super) fn others<'a>(&'a self, counts: Option<&'a Path>) -> Vec<(&'static str, &'a Path)> {
        let others = self
            .outputs
            .split_last()
            .map_or(&[][..], |(_, others)| others);
        let others = others.iter().map(|one| ("--outputs", &*one.path));
        counts
            .map(|path| ("--counts", path))
            .into_iter()
            .chain(others)
            .collect()
    }

    /// The forms that go to files, of those that are `asked` for besides xi itself.
    pub(super) fn choose<'a>(
        &'a self,
        mut asked: Vec<Derived>,
        counts: Option<&'a Path>,
    ) -> Result<Forms<'a>> {
        if let [first, second, ..] = &asked[..]
            && self.outputs.is_empty()
        {
            let (first, second) = (first.form().name(), second.form().name());
            return Err(usage(format!(
                "--output is one result, found {first} and {second}: --outputs {first}=FILE,{second}=FILE writes both"
            )));
        }
        let Some((last, others)) = self.outputs.split_last() else {
            return Ok(Forms {
                result: asked.pop().unwrap_or(Derived::Xi),
                others: counts.map(|path| (Derived::Xi, path)).into_iter().collect(),
            });
        };
        let mut take = |one: &'a FormFile| {
            if one.form == Form::Xi {
                return Ok((Derived::Xi, &*one.path));
            }
            let place = asked.iter().position(|asked| asked.form() == one.form);
            let place = place.ok_or_else(|| {
                let (name, flag) = (one.form.name(), one.form.flag());
                usage(format!("--outputs {name}=FILE needs {flag}, once a form"))
            })?;
            Ok((asked.swap_remove(place), &*one.path))
        };
        let others = others.iter().map(&mut take).collect::<Result<_>>()?;
        let (result, _) = take(last)?;
        match asked.first() {
            None => Ok(Forms { result, others }),
            Some(left) => {
                let name = left.form().name();
                let flag = left.form().flag();
                Err(usage(format!("{flag}: --outputs names no file for {name}")))
            }
        }
    }
}

impl Forms<'_> {
    /// The table of the result, which goes to `output`; the other forms are written.
    pub(super) fn write(
        &self,
        all: &Estimates,
        output: &OutputFlags,
        set: Option<&str>,
    ) -> Result<Made> {
        let sink = all.each.first().map(|one| &one.sink);
        for ((form, path), sink) in self.others.iter().zip(sink.into_iter().cycle()) {
            let made = all.table(form, Some(path), false)?;
            sink.write_with(&made.table, &made.origin, &path_of(path, set))?;
        }
        all.table(&self.result, output.file(), true)
    }
}
