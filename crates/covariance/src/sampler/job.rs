//! What is drawn from: random points in their domain, bins, xi, and the rates of the draws.
//!
//! Entry: [`SampleJob`], made of an [`Input`]; `member` and `kept` define what is drawn, pair by pair.

use std::sync::{Arc, Mutex, PoisonError};

use albireo::exact_sum::ExactSum;
use albireo::{Bins, Domain, LineOfSight, Particles, Separation, separation};

use super::constants::pairs_of;
use super::input::{check_bins, shares};
use super::points::RoundPoints;
use super::rule::Rule;
use super::words::{self, FIRST, MEMBER, OWNER, Rows, SECOND, mix32, times};
use super::{Constants, Input, SamplerError, Settings, XiTable};

/// Weights in C3 are multiples of the largest over this.
const WEIGHT_STEPS: f64 = (1u32 << 20) as f64;

/// How often a point is expected in a cloud at most.
const MOST_TIMES: f64 = 65_536.0;

/// Owners whose clouds decide how large clouds are on average.
const MEASURED_OWNERS: usize = 256;

/// Random points, bins and rates, checked.
#[derive(Debug, Clone)]
pub struct SampleJob {
    pub(super) domain: Domain,
    pub(super) bins: Bins,
    pub(super) rule: Rule,
    line_of_sight: Option<LineOfSight>,
    tracers: Vec<Tracer>,
    /// For each owner, for each member.
    xi: Vec<Vec<XiTable>>,
    constants: Constants,
    /// The bin with the fewest pairs that a round is expected to keep, and how many.
    fewest: (usize, f64),
    /// Pairs that a round is expected to keep, and members of a cloud.
    kept: f64,
    cloud: f64,
    /// The orders of rows that the last rounds had: the next may have the same.
    orders: Arc<Mutex<Option<Vec<Rows>>>>,
}

/// Random points of one tracer.
#[derive(Debug, Clone)]
struct Tracer {
    randoms: Particles,
    heaviest: f64,
}

fn weight(randoms: &Particles, row: usize) -> f64 {
    match randoms.weights() {
        albireo::Weights::Unit => 1.0,
        albireo::Weights::PerParticle(weights) => weights.at(row),
    }
}

impl Tracer {
    fn new(k: usize, randoms: Particles, domain: &Domain) -> Result<Self, SamplerError> {
        domain.check(randoms.points())?;
        let (mut found, mut heaviest) = (0, 0.0);
        for row in 0..randoms.len() {
            let value = weight(&randoms, row);
            if value < 0.0 {
                let tracer = k + 1;
                return Err(SamplerError::NegativeWeight { tracer, row, value });
            }
            found += usize::from(value > 0.0);
            heaviest = f64::max(heaviest, value);
        }
        if found < 4 {
            return Err(SamplerError::NoPoints {
                tracer: k + 1,
                found,
            });
        }
        Ok(Self { randoms, heaviest })
    }

    /// The largest magnitude of a coordinate.
    fn largest(&self) -> f64 {
        let points = self.randoms.points().view();
        let of_row = |row| {
            points
                .at(row)
                .into_iter()
                .fold(0.0, |a: f64, x| a.max(x.abs()))
        };
        (0..self.randoms.len()).map(of_row).fold(0.0, f64::max)
    }
}

impl SampleJob {
    /// Checks what a covariance is to be sampled from and sets the rates.
    ///
    /// # Errors
    /// What the variants of [`SamplerError`] say.
    pub fn new(input: Input) -> Result<Self, SamplerError> {
        input.settings.check()?;
        let n = input.randoms.len();
        if n == 0 || n > 2 {
            return Err(SamplerError::Tracers { found: n });
        }
        let given = [
            ("tables of xi", input.xi.len()),
            ("counts RR", input.random_pairs.len()),
        ];
        for (what, found) in given {
            let expected = pairs_of(n).len();
            if found != expected {
                return Err(SamplerError::PerPair {
                    tracers: n,
                    expected,
                    what,
                    found,
                });
            }
        }
        check_bins(&input)?;
        let shares = shares(&input)?;
        let tracers = input.randoms.into_iter().enumerate();
        let tracers = tracers.map(|(k, randoms)| Tracer::new(k, randoms, &input.domain));
        let tracers = tracers.collect::<Result<Vec<_>, _>>()?;
        let largest = tracers.iter().map(Tracer::largest).fold(0.0, f64::max);
        let largest = largest.max(input.bins.reach().radius());
        let xi = |i: usize, k: usize| {
            let pair = (i.min(k), i.max(k));
            let place = pairs_of(n).iter().position(|other| *other == pair);
            input.xi[place.unwrap_or_default()].clone()
        };
        let xi = (0..n).map(|i| (0..n).map(|k| xi(i, k)).collect()).collect();
        let mut job = Self {
            rule: Rule::new(&input.bins, &input.domain, largest)?,
            line_of_sight: input.bins.line_of_sight().or(input.line_of_sight),
            constants: Constants {
                shares,
                ..constants(&input.bins, &tracers, input.settings)
            },
            domain: input.domain,
            bins: input.bins,
            tracers,
            xi,
            fewest: (0, f64::INFINITY),
            kept: 0.0,
            cloud: input.settings.cloud,
            orders: Arc::default(),
        };
        job.set_rho(&input.random_pairs, input.settings.pairs);
        job.set_kappa(input.settings.cloud);
        job.check_peaks()?;
        Ok(job)
    }

    /// What its integers stand for.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The bin of which a round is expected to keep the fewest pairs, of any two tracers, and how many.
    pub fn fewest_pairs(&self) -> (usize, f64) {
        self.fewest
    }

    /// Quads that a round is expected to have.
    pub(super) fn expected_quads(&self) -> f64 {
        // A cloud of each tracer.
        let members = self.cloud * self.tracers.len() as f64;
        self.kept * members * members
    }

    /// The rate of each bin of the first axis: as many pairs as asked for, and none more than once.
    fn set_rho(&mut self, random_pairs: &[Vec<f64>], wanted: f64) {
        let (columns, mut rho) = (self.constants.bins.1, vec![]);
        for ((i, j), random_pairs) in pairs_of(self.tracers.len()).into_iter().zip(random_pairs) {
            let (points, randoms) = (&self.constants.points, &self.constants.randoms);
            let less = if i == j { 1.0 } else { 0.0 };
            let share = points[i] as f64 * (points[j] as f64 - less)
                / (randoms[i] as f64 * (randoms[j] as f64 - less));
            let once = if i == j { 0.5 } else { 1.0 };
            let most = 1.0 / (self.tracers[i].heaviest * self.tracers[j].heaviest);
            let rate = |row: &[f64]| {
                let expected = row.iter().sum::<f64>() * share * once;
                // No pairs at all give no number, which is more than the most.
                most.min(wanted / expected)
            };
            let rates: Vec<f64> = random_pairs.chunks(columns).map(rate).collect();
            for (bin, pairs) in random_pairs.iter().enumerate() {
                let expected = rates[bin / columns] * pairs * share * once;
                self.kept += expected;
                if expected < self.fewest.1 {
                    self.fewest = (bin, expected);
                }
            }
            rho.push(rates);
        }
        self.constants.rho = rho;
    }

    /// The rate of each kind of cloud, by the first owners of the first round.
    fn set_kappa(&mut self, wanted: f64) {
        let mut rows = self.rows();
        let points = self.round(&mut rows, 0);
        self.keep(rows);
        let n = self.tracers.len();
        let kappa = |owner: usize, member: usize| {
            let (owners, members) = (&points[owner], &points[member]);
            let measured = owners.len().min(MEASURED_OWNERS);
            let mut sum = ExactSum::default();
            for i in 0..measured {
                for k in 0..members.len() {
                    if owner != member || i != k {
                        let pair = self.domain.separation(owners.x[i], members.x[k]);
                        let xi = &self.xi[owner][member];
                        sum.add(members.weights[k] * self.xi_at(xi, &pair).abs());
                    }
                }
            }
            let sum = sum.value();
            if sum > 0.0 {
                wanted * measured as f64 / sum
            } else {
                0.0
            }
        };
        let kappa = (0..n).map(|i| (0..n).map(|k| kappa(i, k)).collect());
        self.constants.kappa = kappa.collect();
    }

    /// Refuses clouds that hold one point again and again.
    fn check_peaks(&self) -> Result<(), SamplerError> {
        for (kappa, xi) in self.constants.kappa.iter().zip(&self.xi) {
            for ((kappa, xi), tracer) in kappa.iter().zip(xi).zip(&self.tracers) {
                let found = kappa * tracer.heaviest * xi.largest_from(0.0);
                if found > MOST_TIMES {
                    return Err(SamplerError::Setting {
                        what: "the largest weight times the largest |xi|, over its mean, as times that a cloud may hold one point,",
                        expected: "at most 65536",
                        found,
                    });
                }
            }
        }
        Ok(())
    }

    /// The orders in which the rows of each tracer have their turn; [`SampleJob::keep`] takes them back.
    pub(super) fn rows(&self) -> Vec<Rows> {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rows) = orders.take() {
            return rows;
        }
        let of_tracer = |k: usize| {
            let [rows, points] =
                [&self.constants.randoms, &self.constants.points].map(|n| n[k] as usize);
            Rows::new(self.constants.seed, k, rows, points)
        };
        (0..self.tracers.len()).map(of_tracer).collect()
    }

    /// Keeps orders for further rounds.
    pub(super) fn keep(&self, rows: Vec<Rows>) {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        *orders = Some(rows);
    }

    /// The points of a round, tracer by tracer.
    pub(super) fn round(&self, rows: &mut [Rows], round: u64) -> Vec<RoundPoints> {
        let tracers = self.tracers.iter().zip(rows).enumerate();
        let points = tracers.map(|(k, (tracer, rows))| {
            let rows = rows.of_round(round).to_vec();
            let view = tracer.randoms.points().view();
            let x: Vec<_> = rows.iter().map(|&row| view.at(row as usize)).collect();
            let weights = rows
                .iter()
                .map(|&row| weight(&tracer.randoms, row as usize));
            let unit = self.constants.weight_units[k];
            let short = |(&x, w): (&[f64; 3], f64)| {
                let [x, y, z] = self.rule.position(x).map(f32::to_bits);
                [x, y, z, (w / unit).round() as u32]
            };
            let regions = tracer
                .randoms
                .labels()
                .map_or(&[] as &[u32], |labels| labels.values());
            let regions = if self.constants.shares.is_empty() {
                &[]
            } else {
                regions
            };
            let in_round = rows.iter().filter_map(|&row| regions.get(row as usize));
            RoundPoints {
                regions: in_round.copied().collect(),
                short: x.iter().zip(weights.clone()).map(short).collect(),
                weights: weights.collect(),
                words: words::words(self.constants.seed, k, round, &rows),
                x,
                rows,
            }
        });
        points.collect()
    }

    /// xi of each pair of tracers, in full: where its nodes are, and their values.
    pub fn xi_nodes(&self) -> Vec<Vec<f64>> {
        let pairs = pairs_of(self.tracers.len()).into_iter();
        pairs.map(|(i, k)| self.xi[i][k].nodes()).collect()
    }

    /// xi of a tracer and another one, or itself.
    pub fn xi(&self, owner: usize, member: usize) -> &XiTable {
        &self.xi[owner][member]
    }

    #[inline]
    fn xi_at(&self, xi: &XiTable, pair: &Separation) -> f64 {
        let s = pair.r2.sqrt();
        if s >= xi.cut() {
            return 0.0;
        }
        let (projected, norm) = match self.line_of_sight {
            None => (0.0, 0.0),
            Some(LineOfSight::Fixed(axis)) => (pair.d[axis.index()], s),
            Some(_) => {
                let sight = separation::sum(pair.x1, pair.x2);
                let norm = (pair.r2 * separation::norm2(sight)).sqrt();
                (separation::dot(pair.d, sight), norm)
            }
        };
        let mu = if norm > 0.0 {
            projected.abs() / norm
        } else {
            0.0
        };
        xi.at(s, mu)
    }

    /// How many times a point is in the cloud of another, with the sign of xi. Both are of one round, by tracer and number; no point is in its own cloud.
    #[inline]
    pub(super) fn member(
        &self,
        points: &[RoundPoints],
        (owner, i): (usize, usize),
        (member, k): (usize, usize),
    ) -> i64 {
        let (owners, members) = (&points[owner], &points[member]);
        let pair = self.domain.separation(owners.x[i], members.x[k]);
        let xi = self.xi_at(&self.xi[owner][member], &pair);
        let expected = self.constants.kappa[owner][member] * members.weights[k] * xi.abs();
        let u = mix32(owners.words[OWNER][i].wrapping_add(members.words[MEMBER][k]));
        let times = times(expected, u);
        if xi < 0.0 { -times } else { times }
    }

    /// The bin of a pair and how many times it is kept, once at most but for roundings. Pairs of one tracer are those of which the first has the lesser row.
    #[inline]
    pub(super) fn kept(
        &self,
        points: &[RoundPoints],
        (first, i): (usize, usize),
        (second, j): (usize, usize),
    ) -> Option<(usize, i64)> {
        let (firsts, seconds) = (&points[first], &points[second]);
        if first == second && firsts.rows[i] >= seconds.rows[j] {
            return None;
        }
        let pair = self.domain.separation(firsts.x[i], seconds.x[j]);
        let bin = self.bins.bin(&pair)?;
        let rho = self.constants.rho[first + second][bin / self.constants.bins.1];
        let expected = rho * (firsts.weights[i] * seconds.weights[j]);
        let u = mix32(firsts.words[FIRST][i].wrapping_add(seconds.words[SECOND][j]));
        let times = times(expected, u);
        (times > 0).then_some((bin, times))
    }
}

/// All but the rates.
fn constants(bins: &Bins, tracers: &[Tracer], settings: Settings) -> Constants {
    let randoms: Vec<u64> = tracers.iter().map(|t| t.randoms.len() as u64).collect();
    let columns = bins.shape().get(1).copied().unwrap_or(1);
    Constants {
        seed: settings.seed,
        bins: (bins.n_bins(), columns),
        points: randoms
            .iter()
            .map(|&n| n.min(settings.points as u64))
            .collect(),
        randoms,
        kappa: vec![],
        rho: vec![],
        shares: vec![],
        weight_units: tracers.iter().map(|t| t.heaviest / WEIGHT_STEPS).collect(),
    }
}
