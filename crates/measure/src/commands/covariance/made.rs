//! What is made of sampled sums: the shot noise that fits best, the covariance with its inverse, and its table.
//!
//! Entry: [`Modelled`].

use std::path::Path;

use albireo_catalogs::{ResultKind, Table, TableColumn};
use albireo_covariance::model::{
    Groups, Matrix, ModelError, Precision, ShotNoise, Terms, least_eigenvalue, least_of_c4, tuned,
};
use anyhow::{Context, Error, Result, bail};
use serde_json::{Value, json};

use super::jackknife::Jackknife;
use super::measured::Measured;
use crate::commands::covariance_values::{Values, rows};
use crate::commands::result::check_same_bins;
use crate::record::Record;
use crate::results::Results;
use crate::saved::floats;
use crate::scatter::MATRICES;

/// A covariance without mocks.
pub(super) struct Modelled<'a> {
    values: &'a Values,
    groups: &'a Groups,
    shot: ShotNoise,
    /// That of each of two tracers, at which the terms are.
    tracers: &'a [ShotNoise],
    /// How shot noise was fitted, for the record.
    fit: Value,
    terms: Terms,
}

/// What shot noise is fitted to.
pub(super) struct Reference {
    place: String,
    matrix: Matrix,
    /// Where it is of regions: what these are expected to find is fitted to it.
    pub(super) jackknife: Option<Jackknife>,
    /// For the record.
    described: Value,
}

impl Reference {
    /// The covariance of the same values in a file, or that of the regions in it.
    pub(super) fn read(
        path: &Path,
        values: &Values,
        measured: &Measured,
        results: &Results,
    ) -> Result<Self> {
        let place = format!("--tune {}", path.display());
        let read = || -> Result<(Matrix, Option<Jackknife>)> {
            let table = results.read_regions(path)?;
            match table.kind()? {
                ResultKind::Covariance => {
                    check_same_bins(&values.bare(), &table)?;
                    let (n, floats) = (values.map.values(), floats(&table, "covariance")?);
                    Ok((Matrix::from_row_slice(n, n, floats), None))
                }
                ResultKind::RegionCounts if measured.shifted.is_some() => bail!(
                    "the scatter between regions is not modelled of reconstruction: take a covariance of mocks"
                ),
                ResultKind::RegionCounts => {
                    let jackknife = Jackknife::read(path, &table, measured)?;
                    Ok((jackknife.found(&values.map), Some(jackknife)))
                }
                kind => bail!(
                    "expected a covariance, or what --region-counts wrote, found {}",
                    kind.phrase()
                ),
            }
        };
        let (matrix, jackknife) = read().with_context(|| place.clone())?;
        Ok(Self {
            matrix,
            jackknife,
            described: json!({"path": path.display().to_string(), "sha256": results.sha256(path)?}),
            place,
        })
    }
}

/// What to do where there is no inverse.
fn hint(error: ModelError, rounds: u64) -> Error {
    match error {
        ModelError::NotPositiveDefinite { .. } => Error::from(error).context(format!(
            "{rounds} rounds make no covariance with an inverse: take more (--rounds {}), fewer values, or a smoother xi (--xi, --xi-theory)",
            4 * rounds
        )),
        other => other.into(),
    }
}

impl<'a> Modelled<'a> {
    /// Of rounds in groups, at this shot noise.
    pub(super) fn new(
        values: &'a Values,
        groups: &'a Groups,
        (shot, tracers): (ShotNoise, &'a [ShotNoise]),
    ) -> Self {
        Self {
            values,
            groups,
            shot,
            tracers,
            fit: Value::Null,
            terms: groups.terms(),
        }
    }

    /// The same at the shot noise that brings it nearest to another covariance.
    pub(super) fn tuned(
        mut self,
        reference: &Reference,
        of_regions: Option<&Groups>,
    ) -> Result<Self> {
        let groups = of_regions.unwrap_or(self.groups);
        let fitted = tuned(groups, self.shot, &reference.matrix);
        let fitted = fitted.with_context(|| reference.place.clone())?;
        self.shot.alpha = fitted.alpha;
        tracing::info!("shot noise: alpha = {:.4}", fitted.alpha);
        self.fit = reference.described.clone();
        self.fit["curve"] = json!(fitted.curve);
        if reference.jackknife.is_none() {
            let errors = reference.matrix.diagonal().map(f64::sqrt);
            self.fit["errors"] = json!(errors.as_slice());
        }
        Ok(self)
    }

    /// The covariance with its inverse and terms; `known` is the noise after more and more rounds.
    pub(super) fn table(&self, known: &[(u64, f64)], record: &mut Record) -> Result<Table> {
        let rounds = self.groups.rounds();
        let covariance = self.terms.at(self.shot);
        let least = least_eigenvalue(&covariance);
        let precision =
            Precision::of(self.groups, self.shot).map_err(|error| hint(error, rounds))?;
        let (of_c4, bound) = (
            least_of_c4(&self.terms)?,
            -self.shot.alpha * self.shot.alpha,
        );
        if of_c4 <= bound {
            tracing::warn!(
                "C4 is lost in its noise: its least eigenvalue in units of C2 is {of_c4:.3}, not above {bound:.3}: take more rounds"
            );
        }
        let noise = known.last().filter(|(after, _)| *after == rounds);
        let noise = noise.map(|(_, noise)| *noise);
        let shown = noise.map_or("unknown".to_owned(), |noise| format!("{noise:.4}"));
        tracing::info!("{rounds} rounds: noise {shown}, least eigenvalue {least:.3e}");
        let mut errors = json!({
            "method": "model",
            "formula": "C4 + (alpha + beta) C3 + alpha^2 C2 + (2 alpha beta + m beta^2) S",
            "bins": self.values.map.values(),
            "alpha": self.shot.alpha,
            "beta": self.shot.beta,
            "subsets": self.shot.subsets,
            "rounds": rounds,
            "groups": self.groups.each().len(),
            "noise": noise,
            "noise_after": {
                "rounds": known.iter().map(|(rounds, _)| *rounds).collect::<Vec<_>>(),
                "noise": known.iter().map(|(_, noise)| *noise).collect::<Vec<_>>(),
            },
            "effective_mocks": precision.effective_mocks,
            "least_eigenvalue": least,
            "least_eigenvalue_of_c4_over_c2": of_c4,
        });
        if let [_, _] = self.tracers {
            errors["formula"] = json!("C4 + C3 + C2, at the shot noise of each tracer");
            errors["alpha"] = self.tracers.iter().map(|noise| noise.alpha).collect();
            errors["beta"] = self.tracers.iter().map(|noise| noise.beta).collect();
            errors["subsets"] = json!(self.tracers[0].subsets);
        }
        if !self.fit.is_null() {
            errors["tuned"] = self.fit.clone();
        }
        record.set("errors", errors);
        let mut columns = self.values.columns(&covariance);
        let terms = &self.terms;
        let others = [
            ("inverse without its bias", &precision.matrix),
            ("sum over four points", &terms.c4),
            ("sum over three points, at Poisson noise", &terms.c3),
            ("sum over two points, at Poisson noise", &terms.c2),
            ("sum over two points without correlation", &terms.s),
        ];
        // Those of two tracers are what they are at their noise, that of the randoms in C2.
        let number = others.len() - usize::from(self.tracers.len() > 1);
        let [_, _, names @ ..] = MATRICES;
        for (name, (about, matrix)) in names.into_iter().zip(others).take(number) {
            let about = if self.tracers.len() > 1 {
                about.trim_end_matches(", at Poisson noise")
            } else {
                about
            };
            columns.push(TableColumn::floats(name, about, rows(matrix)));
        }
        let mut meta = record.finish(ResultKind::Covariance);
        meta.insert("covariance_of".to_owned(), json!(self.values.name));
        Ok(Table { columns, meta })
    }
}
