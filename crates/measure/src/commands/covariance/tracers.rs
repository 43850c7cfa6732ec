//! One tracer or two: what was measured of them, and their random points.
//!
//! Entry: [`Tracers`].

use std::collections::HashSet;
use std::path::PathBuf;
use std::rc::Rc;

use albireo::estimators::Role;
use albireo::{Bins, Domain};
use albireo_catalogs::TableColumn;
use albireo_covariance::model::{ShotNoise, two_point};
use albireo_covariance::sampler::{Input, SampleJob, Settings, XiTable, pairs_of};
use albireo_samples::{RegionSpec, Samples, Selection};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::{Value, json};

use super::cross::Cross;
use super::jackknife::Jackknife;
use super::measured::Measured;
use super::randoms::{Randoms, Squares, source, space};
use super::theory::theory;
use super::{Covariance, OnOff, ShotNoiseBy};
use crate::catalogs::Files;
use crate::commands::covariance_values::Values;
use crate::engine::Engines;
use crate::kept::Wanted;
use crate::record::Record;
use crate::results::Results;
use crate::session::Session;
use crate::usage::usage;

/// Numbers of a tracer.
pub(super) struct Density {
    /// Points of the data.
    data: f64,
    /// Data over random points.
    pub(super) f: f64,
    /// Data over randoms of the estimate.
    beta: f64,
}

/// Tracers with what was measured of them: 11, or 11, 12 and 22.
pub(super) struct Tracers {
    pub(super) measured: Vec<Measured>,
    pub(super) samples: Rc<Samples>,
    pub(super) randoms: Vec<Randoms>,
    pub(super) densities: Vec<Density>,
    /// RR of each bin of each pair of tracers, both orders of those of one.
    pub(super) rr: Vec<Vec<f64>>,
    /// The same of the random points themselves, which reconstruction may have shifted.
    pub(super) own: Vec<Vec<f64>>,
}

/// What the results of two tracers have in common, and what is said where they have not.
const COMMON: [[&str; 2]; 5] = [
    ["statistic", "another statistic"],
    ["line_of_sight", "another line of sight"],
    ["edges", "other edges"],
    ["unit", "another unit"],
    ["cosmology", "another cosmology"],
];

impl Covariance {
    /// The results: one, or those of 11, 12 and 22.
    pub(super) fn measured(&self, results: &Results) -> Result<Vec<Measured>> {
        let first = Measured::read(&self.result, results, false)?;
        match (&first.shifted, &self.shifted_randoms[..]) {
            (Some(_), []) => {
                return Err(usage(format!(
                    "{}: it is reconstructed: name its shifted randoms by --shifted-randoms in place of --randoms",
                    first.name
                )));
            }
            (None, [_, ..]) => {
                return Err(usage(format!(
                    "--shifted-randoms: {} was measured without them",
                    first.name
                )));
            }
            _ => {}
        }
        let [cross, second] = match &self.cross[..] {
            [] => return Ok(vec![first]),
            [cross, second] => [
                Measured::read(cross, results, true)?,
                Measured::read(second, results, false)?,
            ],
            others => {
                return Err(usage(format!(
                    "--cross: expected two results, of both tracers and of the second, found {}",
                    others.len()
                )));
            }
        };
        for other in [&cross, &second] {
            let of = |measured: &Measured, key: &str| measured.table.meta.get(key).cloned();
            if let Some([_, others]) = COMMON
                .into_iter()
                .find(|[key, _]| of(other, key) != of(&first, key))
            {
                bail!(
                    "--cross {}: it has {others} than {}",
                    other.name,
                    first.name
                );
            }
            if other.subsets != first.subsets {
                bail!(
                    "--cross {}: its randoms are split otherwise than those of {}",
                    other.name,
                    first.name
                );
            }
        }
        Ok(vec![first, cross, second])
    }

    /// Reads the random points of the results.
    pub(super) fn tracers(
        &self,
        measured: Vec<Measured>,
        record: &mut Record,
        session: &mut Session<'_>,
    ) -> Result<Tracers> {
        let own = [Some(&measured[0]), measured.get(2)].into_iter().flatten();
        let points: Vec<Files> = self
            .randoms
            .iter()
            .chain(&self.shifted_randoms)
            .cloned()
            .collect();
        let roles = [measured[0].role(), Role::SecondRandoms].map(Role::name);
        let given = [
            (&points, Selection::from(self.columns.clone())),
            (
                &self.cross_randoms,
                Selection::from(self.cross_columns.clone()),
            ),
        ];
        let sources =
            own.clone()
                .zip(given)
                .zip(roles)
                .map(|((measured, (files, given)), role)| {
                    let paths = files
                        .iter()
                        .flat_map(Files::iter)
                        .map(PathBuf::from)
                        .collect();
                    source((role, paths), given, measured)
                });
        let space = space(self.space.clone(), &measured[0].table)?;
        let wanted = Wanted {
            angular: false,
            outside: space.outside(),
            regions: self.regions_column.clone().map(RegionSpec::Column),
            classes: None,
            rsd: None,
        };
        let samples = session.read(&sources.collect::<Vec<_>>(), &space, wanted, record)?;
        let (mut randoms, mut densities) = (Vec::new(), Vec::new());
        for (k, (measured, role)) in own.zip(roles).enumerate() {
            measured.warn_of_others(samples.record().get("samples"), role);
            randoms.push(Randoms::new(samples.get(role)?)?);
            densities.push(self.density(k, measured, &randoms[k])?);
        }
        if let [first, second] = &randoms[..] {
            check_apart(first, second)?;
        }
        let pairs = |shares: fn(&Measured) -> &[f64]| {
            let of = |((i, j), measured): ((usize, usize), &Measured)| {
                let other = (i != j).then(|| &randoms[j]);
                randoms[i].pairs(other, shares(measured))
            };
            let pairs = pairs_of(randoms.len()).into_iter().zip(&measured);
            pairs.map(of).collect()
        };
        Ok(Tracers {
            rr: pairs(|measured| &measured.rr),
            own: pairs(Measured::own_pairs),
            measured,
            samples,
            randoms,
            densities,
        })
    }

    /// The number of data, and their ratio to the randoms here and to those of the estimate.
    fn density(&self, tracer: usize, measured: &Measured, randoms: &Randoms) -> Result<Density> {
        let unknown = || {
            format!(
                "{}: it does not say how many points its data have: --data-number N",
                measured.name
            )
        };
        let given = self.data_number.get(tracer).copied();
        let data = given.or(measured.data().map(|n| n as f64));
        let data = data.with_context(unknown)?;
        let f = match self.shot_noise {
            ShotNoiseBy::Number => data / randoms.points.len() as f64,
            ShotNoiseBy::Weights => {
                let of_data = measured.shot_noise().with_context(|| {
                    format!(
                        "--shot-noise weights: {} does not say what its data weigh",
                        measured.name
                    )
                })?;
                randoms.squares / (randoms.sum * randoms.sum) / of_data
            }
        };
        let known = || {
            let counts = measured.table.meta.get("counts");
            counts.is_some_and(|counts| counts.get("RR").is_none() && counts.get("SS").is_none())
        };
        let beta = match (self.finite_randoms, measured.rows(measured.role().name())) {
            (OnOff::Off, _) => 0.0,
            (OnOff::On, Some(rows)) => data / rows as f64,
            (OnOff::On, None) if known() => 0.0,
            (OnOff::On, None) => bail!(
                "{}: it does not say how many its randoms are: --finite-randoms off leaves their noise out",
                measured.name
            ),
        };
        Ok(Density { data, f, beta })
    }

    /// The table of xi of one pair of tracers.
    fn xi_table(
        &self,
        (pair, measured): (usize, &Measured),
        cut: f64,
        results: &Results,
    ) -> Result<XiTable> {
        if let Some(path) = self.xi_theory.get(pair) {
            return theory(path, cut).with_context(|| format!("--xi-theory {}", path.display()));
        }
        match self.xi.get(pair) {
            Some(path) => Measured::read(path, results, false)?.xi_table(cut),
            None => measured.xi_table(cut),
        }
    }

    /// What is sampled from.
    pub(super) fn job(
        &self,
        tracers: &Tracers,
        jackknife: Option<&Jackknife>,
        results: &Results,
    ) -> Result<SampleJob> {
        let samples = &tracers.samples;
        let cut = self
            .xi_cut
            .unwrap_or_else(|| Measured::cut(samples.domain()));
        let measured = tracers.measured.iter().enumerate();
        let xi = measured.map(|measured| self.xi_table(measured, cut, results));
        let points = tracers.randoms.iter().map(|randoms| randoms.points.clone());
        let job = SampleJob::new(Input {
            domain: samples.domain().clone(),
            bins: tracers.measured[0].bins.clone(),
            line_of_sight: Some(samples.line_of_sight()),
            randoms: points.collect(),
            xi: xi.collect::<Result<_>>()?,
            random_pairs: tracers.own.clone(),
            region_shares: jackknife.map(Jackknife::shares),
            settings: Settings {
                seed: self.seed,
                points: self.points,
                cloud: self.cloud,
                ..Settings::default()
            },
        })?;
        check_pairs(&tracers.measured[0], &job)?;
        Ok(job)
    }

    /// The shot noise of each tracer.
    pub(super) fn noise(&self, tracers: &Tracers) -> Vec<ShotNoise> {
        let of = |(k, density): (usize, &Density)| ShotNoise {
            alpha: self.alpha.get(k).copied().unwrap_or(1.0),
            beta: density.beta,
            subsets: tracers.measured[0].subsets,
        };
        tracers.densities.iter().enumerate().map(of).collect()
    }
}

impl Tracers {
    /// Sums over pairs with the squares of their weights, for each pair of tracers.
    pub(super) fn squares(
        &self,
        jackknife: Option<&Jackknife>,
        engines: &Engines,
        session: &Session<'_>,
    ) -> Result<Vec<Squares>> {
        let bar = session.watch.bar("RR of squared weights");
        let space: (&Bins, &Domain) = (&self.measured[0].bins, self.samples.domain());
        let of = |((i, j), own): ((usize, usize), &Vec<f64>)| {
            let other = (i != j).then(|| &self.randoms[j]);
            self.randoms[i].squares_of_pairs(other, (own, jackknife), space, (engines, &bar))
        };
        pairs_of(self.randoms.len())
            .into_iter()
            .zip(&self.own)
            .map(of)
            .collect()
    }

    /// The terms of two points, with and without xi, of each pair of tracers. xi is that of a job, where it is not the measured one.
    pub(super) fn two_points(
        &self,
        squares: &[Squares],
        given: Option<&SampleJob>,
    ) -> Result<Vec<[Vec<f64>; 2]>> {
        let pairs = pairs_of(self.randoms.len()).into_iter().enumerate();
        let of = |(at, (i, j)): (usize, (usize, usize))| {
            let f = [i, j].map(|k| self.densities[k].f);
            let measured = &self.measured[at];
            let xi = match given {
                Some(job) => measured.means(job.xi(i, j)),
                None => measured.xi.xi.clone(),
            };
            Ok(two_point([&squares[at].all, &self.rr[at]], &xi, f)?)
        };
        pairs.map(of).collect()
    }

    /// Both tracers as they are, where there are two.
    pub(super) fn cross(&self, noise: &[ShotNoise], two: &[[Vec<f64>; 2]]) -> Option<Cross> {
        let ([first, second], [x, y]) = (noise, &self.densities[..]) else {
            return None;
        };
        Some(Cross {
            noise: [*first, *second],
            f: [x.f, y.f],
            rr: self.rr.clone(),
            two: two.to_vec(),
        })
    }

    /// RR of the row's bin, where the values are the bins of one result: what parts of the sky weigh by.
    pub(super) fn weights(&self, values: &Values) -> Option<TableColumn> {
        let n = values.map.values();
        let [one] = &self.measured[..] else {
            return None;
        };
        one.totals.filter(|_| values.are_bins())?;
        let rows = one.rr.iter().flat_map(|rr| std::iter::repeat_n(*rr, n));
        Some(TableColumn::floats(
            "rr",
            "RR of the row's bin over that of all pairs",
            rows.collect(),
        ))
    }

    /// Writes down what the covariance is of.
    pub(super) fn note(&self, record: &mut Record) {
        let meta = &self.measured[0].table.meta;
        if let Some([rr, dd]) = self.measured[0].totals {
            record.set("totals", json!({"RR": rr, "DD": dd}));
        }
        for key in COMMON.into_iter().map(|[key, _]| key).chain(["estimator"]) {
            if let Some(value) = meta.get(key) {
                record.set(key, value.clone());
            }
        }
    }

    /// The numbers of data, and over those of random points, for the record.
    pub(super) fn numbers(&self) -> [Value; 2] {
        let all = |of: fn(&Density) -> f64| one_or_all(self.densities.iter().map(of));
        [all(|density| density.data), all(|density| density.f)]
    }
}

/// A number where there is one, else all of them.
pub(super) fn one_or_all<N: Serialize>(numbers: impl Iterator<Item = N>) -> Value {
    match &numbers.collect::<Vec<_>>()[..] {
        [one] => json!(one),
        all => json!(all),
    }
}

/// Refuses points that both tracers have: each would be correlated with itself.
fn check_apart(first: &Randoms, second: &Randoms) -> Result<()> {
    let bits =
        |randoms: &Randoms, row: usize| randoms.points.points().view().at(row).map(f64::to_bits);
    let of_first: HashSet<_> = (0..first.points.len())
        .map(|row| bits(first, row))
        .collect();
    match (0..second.points.len()).find(|row| of_first.contains(&bits(second, *row))) {
        Some(row) => bail!(
            "--cross-randoms: the point in row {row} (counting from 0 those that are kept) is one of --randoms too: give the tracers different random points, such as by --rows and --cross-rows"
        ),
        None => Ok(()),
    }
}

/// Refuses rounds with hardly a pair in a bin.
fn check_pairs(measured: &Measured, job: &SampleJob) -> Result<()> {
    const LEAST: f64 = 100.0;
    let (bin, expected) = job.fewest_pairs();
    if expected >= LEAST {
        return Ok(());
    }
    bail!(
        "a round is expected to keep {expected:.1} pairs in {}, {LEAST} are needed: take more random points, wider bins (albireo result rebin), or leave this one out (slice)",
        measured.place(bin)
    )
}
