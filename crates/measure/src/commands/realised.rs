//! The results of many realisations of a sample: how they are made one after the other, and what becomes of them together.
//!
//! Entry: [`each_result`].

use std::path::Path;

use albireo_catalogs::Table;
use anyhow::{Result, bail};

use super::result::OverRealisations;
use crate::args::OutputFlags;
use crate::packages::Made;
use crate::realised::{RealisationFlags, number_of, stacked};
use crate::session::Session;
use crate::weight_sets::{check_files, each_set, has_place, of_set};

/// What is made of the results of all realisations.
pub(super) struct OverAll<'a> {
    pub(super) flags: &'a RealisationFlags,
    /// The covariance over the realisations.
    pub(super) covariance: Option<&'a Path>,
}

impl OverAll<'_> {
    /// Refuses files that realisations could not be written to.
    pub(super) fn check(
        &self,
        (output, session): (&OutputFlags, &Session<'_>),
        files: &[(&str, &Path)],
        inputs: &[&Path],
    ) -> Result<()> {
        if !self.flags.given() {
            return Ok(());
        }
        let together = |path: &Path| {
            let mean = self.flags.realisation_mean.as_deref() == Some(path);
            mean || self.covariance == Some(path)
        };
        let own: Vec<_> = files
            .iter()
            .filter(|(_, path)| !together(path))
            .copied()
            .collect();
        // Their number is known once the bits are read.
        check_files(
            (&["0", "1"], "realisation"),
            (output, &session.sink),
            &own,
            inputs,
        )
    }

    /// Makes the result of every realisation, the first of which counts the pairs of all, and delivers them: each to its own file where `{}`
    /// stands for its number, else as one table.
    fn each(
        &self,
        output: &OutputFlags,
        session: &mut Session<'_>,
        make: impl FnMut(&mut Session<'_>, usize, Option<&str>) -> Result<Option<Made>>,
    ) -> Result<()> {
        let in_files = output.file().is_some_and(has_place);
        let made = session.for_several(|session| self.tables(output, session, make))?;
        // A part of a count has none.
        let Some(tables) = made else {
            return Ok(());
        };
        if !in_files {
            session.sink.deliver(&stacked(&tables), output)?;
        }
        self.write(tables, session)
    }

    /// The tables of all realisations, each in its file if it has one; none where the first is a part.
    fn tables(
        &self,
        output: &OutputFlags,
        session: &mut Session<'_>,
        mut make: impl FnMut(&mut Session<'_>, usize, Option<&str>) -> Result<Option<Made>>,
    ) -> Result<Option<Vec<Table>>> {
        let in_files = output.file().is_some_and(has_place);
        let mut tables: Vec<Table> = Vec::new();
        let mut number = 1;
        while tables.len() < number {
            let k = tables.len();
            let name = k.to_string();
            let Some(made) = make(session, k, Some(&name))? else {
                return Ok(None);
            };
            number = number_of(&made.table);
            if k == 0 {
                self.check_number(number)?;
            }
            if in_files {
                session
                    .sink
                    .deliver_made(&made, &of_set(output, Some(&name)))?;
            }
            tables.push(made.table);
        }
        Ok(Some(tables))
    }

    /// Refuses a scatter of fewer realisations than two.
    fn check_number(&self, number: usize) -> Result<()> {
        let covariance = self.covariance.map(|_| "--covariance");
        let flag = covariance.or(self.flags.written().map(|(flag, _)| flag));
        match flag.filter(|_| number < 2) {
            None => Ok(()),
            Some(flag) => bail!("{flag}: expected at least 2 realisations, found {number}"),
        }
    }

    /// Writes the mean of all and their covariance, where they are asked for.
    fn write(&self, tables: Vec<Table>, session: &Session<'_>) -> Result<()> {
        let mean = self.flags.realisation_mean.as_deref();
        if mean.is_none() && self.covariance.is_none() {
            return Ok(());
        }
        let over = OverRealisations::of(tables, session.arguments)?;
        if let Some(path) = mean {
            session.sink.write(&over.mean()?, path)?;
        }
        if let Some(path) = self.covariance {
            session.sink.write(&over.covariance()?, path)?;
        }
        Ok(())
    }
}

/// Makes the results of every set of weights, or of every realisation where these are asked for, and delivers them.
pub(super) fn each_result(
    (sets, over): (&[&str], &OverAll<'_>),
    output: &OutputFlags,
    session: &mut Session<'_>,
    make: impl FnMut(&mut Session<'_>, usize, Option<&str>) -> Result<Option<Made>>,
) -> Result<()> {
    if over.flags.given() {
        over.each(output, session, make)
    } else {
        each_set(sets, output, session, make)
    }
}
