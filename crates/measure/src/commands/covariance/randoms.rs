//! The random points that a covariance is sampled from: read as those of the correlation function were.
//!
//! Entry: [`source`] and [`Randoms`].

use std::path::PathBuf;

use albireo::counts::{PairKind, count_prepared, count_regions};
use albireo::engine::{PreparedJob, Progress};
use albireo::{Bins, CountSpec, Domain, PairJob, Pairs, Particles, Weights};
use albireo_catalogs::Table;
use albireo_samples::{Selection, Source};
use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::jackknife::Jackknife;
use super::measured::Measured;
use crate::args::SpaceFlags;
use crate::engine::Engines;

/// Columns, condition and table as the record of a result has them of its random points.
fn selection(measured: &Measured) -> Option<Selection> {
    let samples = measured.table.meta.get("samples")?.as_array()?;
    let role = measured.role().name();
    let record = samples.iter().find(|sample| sample["role"] == role)?;
    let text = |key: &str| record[key].as_str().map(str::to_owned);
    let names = record["positions"].as_array()?.iter();
    let names: Vec<String> = names
        .map(|name| name.as_str().map(str::to_owned))
        .collect::<Option<_>>()?;
    let mut selection = Selection {
        weight: text("weight"),
        filter: text("where"),
        ..Selection::default()
    };
    match (record["coordinates"].as_str()?, &names[..]) {
        ("sky and comoving distance", [sky @ .., depth]) => {
            selection.sky = Some(sky.to_vec());
            selection.distance = Some(depth.clone());
        }
        ("sky and redshift", [sky @ .., depth]) => {
            selection.sky = Some(sky.to_vec());
            selection.redshift = Some(depth.clone());
        }
        ("cartesian", _) => selection.positions = Some(names),
        _ => return None,
    }
    Some(selection)
}

/// The files of the randoms, with the columns that are given, else those of the result's own randoms.
pub(super) fn source(
    (role, paths): (&str, Vec<PathBuf>),
    given: Selection,
    measured: &Measured,
) -> Source {
    let own = selection(measured).unwrap_or_default();
    Source {
        role: role.to_owned(),
        paths,
        selection: given.or(&own).resolved(),
    }
}

/// A cosmology as its flag spells it, of a record.
fn cosmology(record: &Value) -> Option<String> {
    if let Some(name) = record["name"].as_str() {
        return Some(name.to_owned());
    }
    let keys = [
        ("om", "omega_m"),
        ("ol", "omega_lambda"),
        ("w0", "w0"),
        ("wa", "wa"),
        ("h", "h"),
        ("tcmb", "t_cmb"),
        ("neff", "n_eff"),
        ("nur", "n_ur"),
    ];
    let known = keys
        .iter()
        .filter_map(|(key, name)| Some(format!("{key}={}", record[*name].as_f64()?)));
    let mut all: Vec<String> = known.collect();
    let masses = record["m_nu"]
        .as_array()
        .filter(|masses| !masses.is_empty());
    if let Some(masses) = masses {
        let key = if record["n_ur"].is_null() {
            "mnu"
        } else {
            "mncdm"
        };
        let masses: Vec<String> = masses.iter().map(ToString::to_string).collect();
        all.push(format!("{key}={}", masses.join(":")));
    }
    (!all.is_empty()).then(|| all.join(","))
}

/// A box as its flag spells it, of a record.
fn box_text(record: &Value) -> Option<String> {
    match record["kind"].as_str()? {
        "open" => None,
        "periodic" => {
            let lengths = record["lengths"].as_array()?.iter();
            let lengths = lengths.map(|l| l.as_f64().map_or("none".to_owned(), |l| l.to_string()));
            Some(lengths.collect::<Vec<_>>().join(","))
        }
        _ => {
            let vectors = record["vectors"]
                .as_array()?
                .iter()
                .filter_map(Value::as_array);
            let parts = vectors.flatten().map(ToString::to_string);
            Some(parts.collect::<Vec<_>>().join(","))
        }
    }
}

/// Box, cosmology and unit that are given, else those of the result.
pub(super) fn space(mut given: SpaceFlags, table: &Table) -> Result<SpaceFlags> {
    let of = |key: &str| table.meta.get(key);
    if given.space.is_none()
        && let Some(text) = of("box").and_then(box_text)
    {
        given.space = Some(text.parse().context("the box of the result")?);
    }
    given.cosmology = given.cosmology.or_else(|| cosmology(of("cosmology")?));
    given.unit = given
        .unit
        .or_else(|| Some(of("unit")?.as_str()?.to_owned()));
    Ok(given)
}

/// Random points with the sums of their weights.
pub(super) struct Randoms {
    pub(super) points: Particles,
    weights: Vec<f64>,
    pub(super) sum: f64,
    pub(super) squares: f64,
}

impl Randoms {
    /// Refuses weights that random points cannot have.
    pub(super) fn new(points: &Particles) -> Result<Self> {
        let weights: Vec<f64> = match points.weights() {
            Weights::Unit => vec![1.0; points.len()],
            Weights::PerParticle(weights) => (0..points.len()).map(|row| weights.at(row)).collect(),
        };
        if let Some(row) = weights.iter().position(|w| *w < 0.0) {
            bail!(
                "--weight: weights of random points are not below 0, found {} in row {row} (counting from 0 those that are kept)",
                weights[row]
            );
        }
        Ok(Self {
            points: points.clone(),
            sum: weights.iter().sum(),
            squares: weights.iter().map(|w| w * w).sum(),
            weights,
        })
    }

    /// `sum w_i w_j` over ordered pairs in each bin, or over those with other points, from their shares of all.
    pub(super) fn pairs(&self, other: Option<&Self>, shares: &[f64]) -> Vec<f64> {
        let all = match other {
            None => self.sum * self.sum - self.squares,
            Some(other) => self.sum * other.sum,
        };
        shares.iter().map(|share| share * all).collect()
    }

    /// The weight that all have, if it is the same.
    fn one_weight(&self) -> Option<f64> {
        let first = self.weights.first().copied().unwrap_or(1.0);
        self.weights.iter().all(|w| *w == first).then_some(first)
    }

    /// The same points with the squares of their weights.
    fn squared(&self, labelled: bool) -> Result<Particles> {
        let squares = self.weights.iter().map(|w| w * w).collect();
        let squares = Particles::weighted(self.points.points().clone(), squares)?;
        Ok(match self.points.labels() {
            Some(labels) if labelled => squares.labelled(labels.clone())?,
            _ => squares,
        })
    }

    /// `sum w_i^2 w_j^2` over ordered pairs in each bin, or over those with other points, and by region where there are regions: counted, unless all weights are the same, those of `own` pairs then.
    pub(super) fn squares_of_pairs(
        &self,
        other: Option<&Self>,
        (own, jackknife): (&[f64], Option<&Jackknife>),
        (bins, domain): (&Bins, &Domain),
        (engines, progress): (&Engines, &dyn Progress),
    ) -> Result<Squares> {
        if let (Some(first), Some(second)) = (self.one_weight(), other.unwrap_or(self).one_weight())
        {
            return Ok(Squares {
                all: own.iter().map(|own| own * first * second).collect(),
                // Those of RR are in proportion.
                by_region: jackknife.map(|jackknife| jackknife.rr.clone()),
            });
        }
        let squared = |randoms: &Self| randoms.squared(jackknife.is_some());
        let (first, second) = (squared(self)?, other.map(squared).transpose()?);
        let pairs = match &second {
            None => Pairs::Auto(&first),
            Some(second) => Pairs::Cross(&first, second),
        };
        let what = CountSpec::for_pairs(bins, pairs);
        let engine = engines.for_jobs(&[(PairJob::new(pairs, domain)?, what.clone())]);
        let prepare = |sample: &Particles| engine.prepare(sample.clone(), domain, progress);
        let (first, second) = (prepare(&first)?, second.as_ref().map(prepare).transpose()?);
        let job = PreparedJob::new(&first, second.as_ref())?;
        let (counts, _) = match jackknife {
            Some(_) => count_regions(&*engine, &job, what, progress)?,
            None => count_prepared(&*engine, &job, what, progress)?,
        };
        let orders = match counts.kind() {
            PairKind::AutoUnordered => 2.0,
            PairKind::AutoOrdered | PairKind::Cross => 1.0,
        };
        let regions = || 0..counts.regions();
        Ok(Squares {
            all: counts
                .whole()
                .values()
                .iter()
                .map(|sum| sum * orders)
                .collect(),
            by_region: jackknife.map(|_| {
                [
                    regions().map(|k| counts.within(k).values()).collect(),
                    regions().map(|k| counts.across(k).values()).collect(),
                ]
            }),
        })
    }
}

/// `sum w_i^2 w_j^2` of pairs in each bin.
pub(super) struct Squares {
    pub(super) all: Vec<f64>,
    /// Within each region and across its border, up to a factor.
    pub(super) by_region: Option<[Vec<Vec<f64>>; 2]>,
}
