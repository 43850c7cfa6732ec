//! `albireo covariance`: the covariance of a correlation function without mocks.

mod cross;
mod jackknife;
mod kept_sums;
mod made;
mod measured;
mod randoms;
mod sampling;
mod theory;
mod tracers;

use std::collections::BTreeMap;
use std::time::Duration;

use albireo_covariance::model::{Groups, LinearMap, Matrix, ShotNoise};
use albireo_covariance::sampler::{HASH, SampleJob, Settings};
use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use self::cross::Cross;
use self::jackknife::Jackknife;
pub(crate) use self::kept_sums::words_of_part;
use self::kept_sums::{KeptFlags, KeptSums};
use self::made::{Modelled, Reference};
use self::measured::Measured;
use self::sampling::{End, Here, Sampled, Sampling};
use self::tracers::{Tracers, one_or_all};
use super::covariance_values::Values;
use super::derived::Derived;
use super::over_mu::OverMuFlags;
use super::result::{NamedTable, of_saved};
use crate::args::{ComputeFlags, CrossFlags, DataFlags, OutputFlags, SEED, SpaceFlags};
use crate::catalogs::Files;
use crate::engine::Engines;
use crate::every::duration;
use crate::group;
use crate::packages::{Made, Origin, has_form};
use crate::paths::ReadFile;
use crate::record::{Arguments, Record};
use crate::scatter::check_bins;
use crate::session::Session;
use crate::usage::usage;

pub(crate) const EXAMPLES: &str = "\
C = C4 + (alpha + beta) C3 + alpha^2 C2 + (2 alpha beta + m beta^2) S: sums over quads, triples and pairs of random points with the measured xi, alpha times \
the Poisson noise of the data, and beta that of m sets of randoms (O'Connell et al. 2016, Philcox et al. 2020).

Example: multipoles of a survey with their covariance
  albireo xi data.fits --randoms randoms.fits --cosmology Planck18 --bins lin:0:200:50 --mu-bins lin:0:1:100 --multipoles 0,2,4 --counts smu.h5 -o poles.csv
  albireo covariance smu.h5 --randoms randoms.fits --multipoles 0,2,4 -o cov.h5";

/// Arguments of `covariance`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::ERRORS)]
pub(crate) struct Covariance {
    /// xi with its counts, in r, (s, |mu|) or (rp, |pi|), landy-szalay; of --counts, pycorr or lsstypes
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    /// Random points of the survey, those of RESULT or others; several files, or a quoted pattern
    ///
    /// Columns, cosmology, box and unit are those of RESULT unless they are given.
    #[arg(long, value_name = "FILE", required_unless_present = "shifted_randoms", help_heading = group::INPUT)]
    randoms: Vec<Files>,
    /// Randoms shifted as the data were, in place of --randoms, where RESULT is of reconstruction
    ///
    /// RR is that of the unshifted ones. xi of RESULT is taken over SS.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["randoms", "cross"], help_heading = group::INPUT)]
    shifted_randoms: Vec<Files>,
    #[command(flatten)]
    columns: DataFlags,
    /// Two tracers: xi of RESULT's with another one, and of that one alone; the covariance of all three
    #[arg(long, value_name = "RESULT", num_args = 1..=2, requires = "cross_randoms", conflicts_with = "tune")]
    cross: Vec<ReadFile>,
    /// Random points of the second tracer
    #[arg(long, value_name = "FILE", requires = "cross")]
    cross_randoms: Vec<Files>,
    #[command(flatten)]
    cross_columns: CrossFlags,
    #[command(flatten)]
    space: SpaceFlags,
    #[command(flatten)]
    over_mu: OverMuFlags,
    /// Covariance of the projected correlation function of xi(rp, pi)
    #[arg(long, help_heading = group::BINS)]
    wp: bool,
    /// Sum up to this |pi|, an edge of the bins, with --wp [default: all of them]
    #[arg(long, value_name = "PI", requires = "wp", help_heading = group::BINS)]
    pi_max: Option<f64>,
    /// Take xi from another result, over (s, |mu|) or r [default: RESULT]
    ///
    /// Of two tracers three by three flags: 11, 12 and 22.
    #[arg(long, value_name = "RESULT", conflicts_with = "xi_theory")]
    xi: Vec<ReadFile>,
    /// Take xi from a text file with rows `s mu xi` of a grid
    ///
    /// Of two tracers three by three flags: 11, 12 and 22.
    #[arg(long, value_name = "FILE")]
    xi_theory: Vec<ReadFile>,
    /// xi is 0 beyond this separation [default: 250, in a box no end]
    #[arg(long, value_name = "S")]
    xi_cut: Option<f64>,
    /// Number of points of the data, of two tracers N,M [default: that of RESULT]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    data_number: Vec<f64>,
    /// How the density of data is compared with that of randoms: by numbers, or by sums of weights squared
    #[arg(long, value_name = "KIND", default_value = "number")]
    shot_noise: ShotNoiseBy,
    /// Shot noise of the data, in units of Poisson noise [default: 1]
    ///
    /// Of two tracers A,B.
    #[arg(
        long,
        value_name = "ALPHA",
        value_delimiter = ',',
        conflicts_with = "tune"
    )]
    alpha: Vec<f64>,
    /// Fit the shot noise to a covariance of the same values, such as of mocks, or to the regions of --region-counts
    ///
    /// The latter needs the regions of the random points: --regions-column.
    #[arg(long, value_name = "FILE")]
    tune: Option<ReadFile>,
    /// Regions of the random points, the integers in a column, where --tune is what --region-counts wrote
    #[arg(long, value_name = "COLUMN", requires = "tune")]
    regions_column: Option<String>,
    /// Whether the noise of the randoms of RESULT counts in
    #[arg(long, value_name = "on|off", default_value = "on")]
    finite_randoms: OnOff,
    /// Sample until the covariance has this noise: fitted variances grow by its square
    #[arg(long, value_name = "R", default_value_t = 0.02)]
    noise: f64,
    /// End after this time, e.g. 90s, 20min or 1.5h
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "rounds")]
    time: Option<Duration>,
    /// Sample so many rounds, at any noise
    #[arg(long, value_name = "N")]
    rounds: Option<u64>,
    /// Seed of the rounds
    #[arg(long, value_name = "SEED", default_value_t = SEED.into())]
    seed: u64,
    /// Random points of a round
    #[arg(long, value_name = "N", default_value_t = Settings::default().points)]
    points: usize,
    /// Members of a cloud on average
    #[arg(long, value_name = "N", default_value_t = Settings::default().cloud)]
    cloud: f64,
    #[command(flatten)]
    kept: KeptFlags,
    #[command(flatten)]
    compute: ComputeFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// What the densities of data and randoms are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShotNoiseBy {
    /// Points of the data over those of the randoms.
    Number,
    /// sum w^2/(sum w)^2 of the randoms over that of the data: where these have weights of another kind.
    Weights,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnOff {
    /// Yes.
    On,
    /// No.
    Off,
}

impl Covariance {
    /// Refuses numbers without a meaning.
    fn check(&self) -> Result<()> {
        self.over_mu.check_orders()?;
        if let Some(rounds @ 0..2) = self.rounds {
            return Err(usage(format!(
                "--rounds: expected 2 or more, whose scatter tells the noise, found {rounds}"
            )));
        }
        if self.columns.has_bits() || self.cross_columns.has_bits() {
            return Err(usage("--bits: random points have no bits"));
        }
        let tracers = if self.cross.is_empty() { 1 } else { 2 };
        let numbers = [
            ("--alpha", &self.alpha[..]),
            ("--data-number", &self.data_number),
            ("--noise", &[self.noise]),
            ("--xi-cut", self.xi_cut.as_slice()),
        ];
        for (flag, numbers) in numbers {
            if let Some(number) = numbers.iter().find(|n| !(**n > 0.0 && n.is_finite())) {
                return Err(usage(format!(
                    "{flag}: expected a number above 0, found {number}"
                )));
            }
        }
        let pairs = tracers * (tracers + 1) / 2;
        let several = [
            ("--alpha", self.alpha.len(), tracers),
            ("--data-number", self.data_number.len(), tracers),
            ("--xi", self.xi.len(), pairs),
            ("--xi-theory", self.xi_theory.len(), pairs),
        ];
        for (flag, found, expected) in several {
            if found != 0 && found != expected {
                return Err(usage(format!(
                    "{flag}: expected {expected} of them, for as many as --cross makes, found {found}"
                )));
            }
        }
        Ok(())
    }

    /// Whether xi is another one than the measured.
    fn takes_xi(&self) -> bool {
        !(self.xi.is_empty() && self.xi_theory.is_empty())
    }

    /// Refuses regions of one side alone.
    fn check_regions(&self, of_regions: bool) -> Result<()> {
        if of_regions && self.compute.engine.is_on_gpus() {
            return Err(usage(
                "--tune: sums by region are made by the cpu engine alone: leave out --engine cuda",
            ));
        }
        match (of_regions, &self.regions_column) {
            (true, None) => Err(usage(
                "--tune: a jackknife needs the regions of the random points: --regions-column names the column that --regions-output wrote",
            )),
            (false, Some(_)) => Err(usage(
                "--regions-column is for --tune with what --region-counts wrote",
            )),
            _ => Ok(()),
        }
    }

    /// Reads, samples, fits, prints and writes.
    pub(crate) fn run(self, session: &mut Session<'_>) -> Result<()> {
        self.check()?;
        #[cfg(feature = "plot")]
        if self.kept.is_part() && self.output.plot.is_some() {
            return Err(usage(
                "--plot: a part is not drawn: leave it out, `albireo merge` takes it",
            ));
        }
        session
            .sink
            .check_counts(&self.output, &[], &session.arguments.inputs())?;
        self.kept.check(&session.sink)?;
        let engines = Engines::new(&self.compute.run_flags(), session)?;
        let mut record = Record::begin(session.arguments);
        let measured = self.measured(&session.kept.results)?;
        let first = &measured[0];
        let unit = first.table.meta.get("unit").and_then(Value::as_str);
        let form = Derived::one((&self.over_mu, self.wp, self.pi_max), &first.xi.axes)?;
        let values = Values::new(&form, first.xi.axes.clone(), unit)?.of_pairs(measured.len());
        check_bins(values.map.values())?;
        let tune = self.tune.as_ref();
        let tune = tune.map(|path| Reference::read(path, &values, first, &session.kept.results));
        let tune = tune.transpose()?;
        let jackknife = tune.as_ref().and_then(|tune| tune.jackknife.as_ref());
        self.check_regions(jackknife.is_some())?;
        let tracers = self.tracers(measured, &mut record, session)?;
        let job = self.job(&tracers, jackknife, &session.kept.results)?;
        let squares = tracers.squares(jackknife, &engines, session)?;
        let pairs = tracers.two_points(&squares, self.takes_xi().then_some(&job))?;
        let noise = self.noise(&tracers);
        let cross = tracers.cross(&noise, &pairs);
        let mut sampled = begun(
            &values.map,
            (&pairs[0], cross.as_ref()),
            jackknife.zip(
                squares
                    .into_iter()
                    .next()
                    .and_then(|squares| squares.by_region),
            ),
        );
        // The terms of two tracers are those at their noise.
        let shot = if cross.is_some() {
            ShotNoise::poisson()
        } else {
            noise[0]
        };
        let end = match self.rounds {
            Some(rounds) => End::Rounds(rounds),
            None => End::Noise(self.noise, self.time),
        };
        let engine = engines.for_covariance(&job, end.least());
        let sampling = Sampling {
            job: &job,
            map: &values.map,
            rr: &tracers.rr.concat(),
            f: tracers.densities[0].f,
            noise: shot,
            cross: cross.as_ref(),
            jackknife,
            engine: &engine,
            watch: &session.watch,
        };
        let kept = KeptSums::new(&self, &values, &tracers, &sampling)?;
        if self.kept.sample(&kept, &mut sampled, end, session)? {
            return Ok(());
        }
        let known = sampling.end(&mut sampled)?;
        self.note(&tracers, &job, session, &mut record)?;
        let here = sampled.here;
        if here.rounds > 0 {
            let by = json!({"engine": engine.description(), "rounds": here.rounds, "quads": here.quads, "seconds": here.seconds});
            record.set("sampled", by);
        }
        values.note(&mut record);
        let made = Modelled::new(&values, &sampled.groups, (shot, &noise));
        let made = match &tune {
            Some(reference) => made.tuned(reference, sampled.of_regions.as_ref())?,
            None => made,
        };
        let mut table = made.table(&known, &mut record)?;
        table.columns.extend(tracers.weights(&values));
        let origin = self.origin(&tracers.measured, session)?;
        session
            .sink
            .deliver_made(&Made { table, origin }, &self.output)
    }

    /// What a covariance that goes into a file with forms of other packages is of: nothing of two tracers, which these packages do not put together.
    fn origin(&self, measured: &[Measured], session: &Session<'_>) -> Result<Origin> {
        let path = self.output.file();
        let ([one], Some(path)) = (measured, path.filter(|path| has_form(path))) else {
            return Ok(Origin::default());
        };
        let input = NamedTable::in_memory(one.name.clone(), one.table.clone());
        let form = Derived::one((&self.over_mu, self.wp, self.pi_max), &one.xi.axes)?;
        let record = Record::begin(&Arguments::default());
        let estimated = of_saved(&input, &vec![1; one.xi.axes.len()], None, record, session)?;
        let means = form.table(&estimated, Some(path), false)?;
        Ok(Origin {
            counts: means.origin.counts,
            regions: None,
            means: Some(means.table),
        })
    }

    /// Writes down what the covariance is of, and what was sampled.
    fn note(
        &self,
        tracers: &Tracers,
        job: &SampleJob,
        session: &Session<'_>,
        record: &mut Record,
    ) -> Result<()> {
        tracers.note(record);
        let results = &session.kept.results;
        let file = |path: &ReadFile| -> Result<Value> {
            Ok(json!({"path": path.display().to_string(), "sha256": results.sha256(path)?}))
        };
        let all = || std::iter::once(&self.result).chain(&self.cross);
        let xi = self.xi_theory.iter().chain(&self.xi);
        let xi: Vec<_> = xi
            .chain(all())
            .take(all().count())
            .map(file)
            .collect::<Result<_>>()?;
        let from: Vec<_> = all().map(file).collect::<Result<_>>()?;
        record.set("made_from", one_or_all(from.into_iter()));
        record.set("xi_from", one_or_all(xi.into_iter()));
        let constants = job.constants();
        let numbers = |of: &[u64]| one_or_all(of.iter());
        let [data, f] = tracers.numbers();
        record.set(
            "sampling",
            json!({
                "hash": HASH,
                "seed": constants.seed,
                "points": numbers(&constants.points),
                "randoms": numbers(&constants.randoms),
                "kappa": one_or_all(constants.kappa.iter().flatten()),
                "rho": one_or_all(constants.rho.iter()),
                "data": data,
                "data_over_randoms": f,
                "xi_cut": self.xi_cut,
            }),
        );
        Ok(())
    }
}

/// No rounds yet, beside the terms of two points.
fn begun(
    map: &LinearMap,
    (pairs, cross): (&[Vec<f64>; 2], Option<&Cross>),
    by_region: Option<(&Jackknife, [Vec<Vec<f64>>; 2])>,
) -> Sampled {
    let groups = |pairs: &[Vec<f64>; 2]| {
        let [c2, s] = pairs.each_ref().map(|pairs| map.of_diagonal(pairs));
        Groups::new(c2, s)
    };
    let of_regions = by_region.map(|(jackknife, [within, across])| {
        let factors = jackknife.regions.of_two_points(&within, &across);
        let times = |pairs: &Vec<f64>| pairs.iter().zip(&factors).map(|(x, y)| x * y).collect();
        groups(&pairs.each_ref().map(times))
    });
    let none = || Matrix::zeros(map.values(), map.values());
    Sampled {
        groups: match cross {
            Some(cross) => Groups::new(cross.of_pairs(map), none()),
            None => groups(pairs),
        },
        of_regions,
        open: BTreeMap::new(),
        here: Here::default(),
    }
}
