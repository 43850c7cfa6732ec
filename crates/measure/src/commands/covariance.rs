//! `albireo covariance`: the covariance of a correlation function without mocks.

mod jackknife;
mod kept_sums;
mod made;
mod measured;
mod randoms;
mod sampling;
mod theory;
mod values;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use albireo::{Correlation, SignedEdges};
use albireo_covariance::model::{Groups, ShotNoise, two_point};
use albireo_covariance::sampler::{HASH, Input, SampleJob, Settings, XiTable};
use albireo_samples::{RegionSpec, Samples, Selection};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use self::jackknife::Jackknife;
pub(crate) use self::kept_sums::words_of_part;
use self::kept_sums::{KeptFlags, KeptSums};
use self::made::{Made, Reference};
use self::measured::Measured;
use self::randoms::{Randoms, source, space};
use self::sampling::{End, Sampled, Sampling};
use self::theory::theory;
use self::values::Values;
use super::derived::Derived;
use super::over_mu::OverMuFlags;
use crate::args::{DataFlags, OutputFlags, SEED, SpaceFlags};
use crate::catalogs::Files;
use crate::engine::cpu_of;
use crate::group;
use crate::kept::Wanted;
use crate::paths::ReadFile;
use crate::record::Record;
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
    #[arg(long, value_name = "FILE", required = true, help_heading = group::INPUT)]
    randoms: Vec<Files>,
    #[command(flatten)]
    columns: DataFlags,
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
    #[arg(long, value_name = "RESULT", conflicts_with = "xi_theory")]
    xi: Option<ReadFile>,
    /// Take xi from a text file with rows `s mu xi` of a grid
    #[arg(long, value_name = "FILE")]
    xi_theory: Option<ReadFile>,
    /// xi is 0 beyond this separation [default: 250, in a box no end]
    #[arg(long, value_name = "S")]
    xi_cut: Option<f64>,
    /// Number of points of the data [default: that of RESULT]
    #[arg(long, value_name = "N")]
    data_number: Option<f64>,
    /// How the density of data is compared with that of randoms: by numbers, or by sums of weights squared
    #[arg(long, value_name = "KIND", default_value = "number")]
    shot_noise: ShotNoiseBy,
    /// Shot noise of the data, in units of Poisson noise [default: 1]
    #[arg(long, value_name = "ALPHA", conflicts_with = "tune")]
    alpha: Option<f64>,
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
    /// End after this time, e.g. 20m
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "rounds")]
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
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", help_heading = group::RUNNING)]
    threads: Option<NonZeroUsize>,
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

/// A time such as 90s, 20m or 1.5h.
fn time(text: &str) -> Result<Duration, String> {
    let units = [("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let of = |(unit, seconds): (&str, f64)| {
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        Duration::try_from_secs_f64(number * seconds).ok()
    };
    let found = units
        .into_iter()
        .find_map(of)
        .filter(|time| !time.is_zero());
    found.ok_or_else(|| format!("expected a time such as 90s, 20m or 1.5h, found `{text}`"))
}

impl Covariance {
    /// The form that the covariance is of.
    fn form(&self, xi: &Correlation) -> Result<Derived> {
        if self.wp {
            if let Some(flag) = self.over_mu.given() {
                return Err(usage(format!(
                    "{flag} and --wp cannot be combined: leave one out"
                )));
            }
            return Ok(Derived::Wp(self.pi_max));
        }
        let mu = xi.axes.get(1).filter(|axis| axis.name == "mu");
        let Some(mu) = mu else {
            return match self.over_mu.given() {
                Some(flag) => Err(usage(format!("{flag} needs xi(s, mu)"))),
                None => Ok(Derived::Xi),
            };
        };
        let mu = SignedEdges::new(mu.edges.clone())?;
        let mut wanted = self.over_mu.wanted(&mu)?.into_iter();
        match (wanted.next(), wanted.next()) {
            (_, Some(_)) => Err(usage(
                "a covariance is of multipoles or of wedges: leave one of them out",
            )),
            (Some(one), None) => Ok(one.into()),
            (None, None) => Ok(Derived::Xi),
        }
    }

    /// Refuses numbers without a meaning.
    fn check(&self) -> Result<()> {
        self.over_mu.check_orders()?;
        if let Some(rounds @ 0..2) = self.rounds {
            return Err(usage(format!(
                "--rounds: expected 2 or more, whose scatter tells the noise, found {rounds}"
            )));
        }
        if self.columns.has_bits() {
            return Err(usage("--bits: random points have no bits"));
        }
        let numbers = [
            ("--alpha", self.alpha),
            ("--noise", Some(self.noise)),
            ("--xi-cut", self.xi_cut),
            ("--data-number", self.data_number),
        ];
        for (flag, number) in numbers {
            if let Some(number) = number.filter(|n| !(*n > 0.0 && n.is_finite())) {
                return Err(usage(format!(
                    "{flag}: expected a number above 0, found {number}"
                )));
            }
        }
        Ok(())
    }

    /// Refuses regions of one side alone.
    fn check_regions(&self, of_regions: bool) -> Result<()> {
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

    /// The table of xi.
    fn xi_table(&self, measured: &Measured, cut: f64, session: &Session<'_>) -> Result<XiTable> {
        if let Some(path) = &self.xi_theory {
            return theory(path, cut).with_context(|| format!("--xi-theory {}", path.display()));
        }
        match &self.xi {
            Some(path) => Measured::read(path, &session.kept.results)?.xi_table(cut),
            None => measured.xi_table(cut),
        }
    }

    /// The number of data, and their ratio to the randoms here and to those of the estimate.
    fn densities(&self, measured: &Measured, randoms: &Randoms) -> Result<[f64; 3]> {
        let unknown = || {
            format!(
                "{}: it does not say how many points its data have: --data-number N",
                measured.name
            )
        };
        let data = self.data_number.or(measured.data().map(|n| n as f64));
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
            measured
                .table
                .meta
                .get("counts")
                .is_some_and(|counts| counts.get("RR").is_none())
        };
        let beta = match (self.finite_randoms, measured.rows("randoms")) {
            (OnOff::Off, _) => 0.0,
            (OnOff::On, Some(rows)) => data / rows as f64,
            (OnOff::On, None) if known() => 0.0,
            (OnOff::On, None) => bail!(
                "{}: it does not say how many its randoms are: --finite-randoms off leaves their noise out",
                measured.name
            ),
        };
        Ok([data, f, beta])
    }

    /// What is sampled from.
    fn job(
        &self,
        measured: &Measured,
        (samples, randoms, rr): (&Samples, &Randoms, &[f64]),
        jackknife: Option<&Jackknife>,
        session: &Session<'_>,
    ) -> Result<SampleJob> {
        let cut = self
            .xi_cut
            .unwrap_or_else(|| Measured::cut(samples.domain()));
        let job = SampleJob::new(Input {
            domain: samples.domain().clone(),
            bins: measured.bins.clone(),
            line_of_sight: Some(samples.line_of_sight()),
            randoms: vec![randoms.points.clone()],
            xi: vec![self.xi_table(measured, cut, session)?],
            random_pairs: vec![rr.to_vec()],
            region_shares: jackknife.map(Jackknife::shares),
            settings: Settings {
                seed: self.seed,
                points: self.points,
                cloud: self.cloud,
                ..Settings::default()
            },
        })?;
        check_pairs(measured, &job)?;
        Ok(job)
    }

    /// Reads, samples, fits, prints and writes.
    pub(crate) fn run(self, session: &mut Session<'_>) -> Result<()> {
        self.check()?;
        session
            .sink
            .check(&self.output, &[], &session.arguments.inputs())?;
        self.kept.check(&session.sink)?;
        let mut record = Record::begin(session.arguments);
        let measured = Measured::read(&self.result, &session.kept.results)?;
        let unit = measured.table.meta.get("unit").and_then(Value::as_str);
        let values = Values::new(&self.form(&measured.xi)?, &measured.xi, unit)?;
        check_bins(values.map.values())?;
        let tune = self.tune.as_ref();
        let tune =
            tune.map(|path| Reference::read(path, &values, &measured, &session.kept.results));
        let tune = tune.transpose()?;
        let jackknife = tune.as_ref().and_then(|tune| tune.jackknife.as_ref());
        self.check_regions(jackknife.is_some())?;
        let engine = cpu_of(self.threads, None)?;
        let samples = self.read(&measured, &mut record, session)?;
        let randoms = Randoms::new(samples.get("randoms")?)?;
        let [data, f, beta] = self.densities(&measured, &randoms)?;
        let rr = randoms.pairs(&measured.rr);
        let job = self.job(&measured, (&samples, &randoms, &rr), jackknife, session)?;
        let squares = {
            let bar = session.watch.bar("RR of squared weights");
            let space = (&measured.bins, samples.domain());
            randoms.squares_of_pairs((&rr, jackknife), space, (&engine, &bar))?
        };
        let pairs = two_point([&squares.all, &rr], &measured.xi.xi, [f, f])?;
        let groups = |pairs: &[Vec<f64>; 2]| {
            let [c2, s] = pairs.each_ref().map(|pairs| values.map.of_diagonal(pairs));
            Groups::new(c2, s)
        };
        let of_regions = jackknife.zip(squares.by_region);
        let of_regions = of_regions.map(|(jackknife, [within, across])| {
            let factors = jackknife.regions.of_two_points(&within, &across);
            let times = |pairs: &Vec<f64>| pairs.iter().zip(&factors).map(|(x, y)| x * y).collect();
            groups(&pairs.each_ref().map(times))
        });
        let mut sampled = Sampled {
            groups: groups(&pairs),
            of_regions,
            open: BTreeMap::new(),
        };
        let shot = ShotNoise {
            alpha: self.alpha.unwrap_or(1.0),
            beta,
            subsets: measured.subsets,
        };
        let sampling = Sampling {
            job: &job,
            map: &values.map,
            rr: &rr,
            f,
            noise: shot,
            jackknife,
            engine: &engine,
            watch: &session.watch,
        };
        let kept = KeptSums::new(&self, (&measured, &values), (&samples, &randoms), &sampling)?;
        let end = match self.rounds {
            Some(rounds) => End::Rounds(rounds),
            None => End::Noise(self.noise, self.time),
        };
        if self.kept.sample(&kept, &mut sampled, end, session)? {
            return Ok(());
        }
        let noise = sampling.end(&mut sampled)?;
        self.note(&measured, (&job, [data, f]), session, &mut record)?;
        values.note(&mut record);
        let made = Made::new(&values, &sampled.groups, shot);
        let made = match &tune {
            Some(reference) => made.tuned(reference, sampled.of_regions.as_ref())?,
            None => made,
        };
        let table = made.table(noise, &mut record)?;
        session.sink.deliver(&table, &self.output)
    }

    /// The random points.
    fn read(
        &self,
        measured: &Measured,
        record: &mut Record,
        session: &mut Session<'_>,
    ) -> Result<Rc<Samples>> {
        let paths = self.randoms.iter().flat_map(Files::iter);
        let paths: Vec<PathBuf> = paths.map(PathBuf::from).collect();
        let given = Selection::from(self.columns.clone());
        let source = source(paths, given, &measured.table);
        let space = space(self.space.clone(), &measured.table)?;
        let wanted = Wanted {
            angular: false,
            outside: space.outside(),
            regions: self.regions_column.clone().map(RegionSpec::Column),
            classes: None,
            rsd: None,
        };
        let samples = session.read(&[source], &space, wanted, record)?;
        measured.warn_of_others(samples.record().get("samples"));
        Ok(samples)
    }

    /// Writes down what the covariance is of, and what was sampled.
    fn note(
        &self,
        measured: &Measured,
        (job, [data, f]): (&SampleJob, [f64; 2]),
        session: &Session<'_>,
        record: &mut Record,
    ) -> Result<()> {
        for key in [
            "statistic",
            "line_of_sight",
            "edges",
            "unit",
            "cosmology",
            "estimator",
        ] {
            if let Some(value) = measured.table.meta.get(key) {
                record.set(key, value.clone());
            }
        }
        let results = &session.kept.results;
        let file = |path: &ReadFile| -> Result<Value> {
            Ok(json!({"path": path.display().to_string(), "sha256": results.sha256(path)?}))
        };
        let xi = self.xi_theory.as_ref().or(self.xi.as_ref());
        record.set("made_from", file(&self.result)?);
        record.set("xi_from", file(xi.unwrap_or(&self.result))?);
        let constants = job.constants();
        record.set(
            "sampling",
            json!({
                "hash": HASH,
                "seed": constants.seed,
                "points": constants.points[0],
                "randoms": constants.randoms[0],
                "kappa": constants.kappa[0][0],
                "rho": constants.rho[0],
                "data": data,
                "data_over_randoms": f,
                "xi_cut": self.xi_cut,
            }),
        );
        Ok(())
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
