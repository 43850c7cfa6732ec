//! Draws sums per target: every term, precision, space, structure, strength and kind of targets, grids whose points lie far apart among them.
//!
//! Entry: [`attack`], on [`made_by`] engines and [`by_variants`]. The environment variables are those of campaigns of counts.

use std::ops::Range;
use std::time::{Duration, Instant};

use albireo::engine::{Cpu, Silent};
use albireo::{Domain, Naive, Outside, Particles, Points};
use albireo_fields::{
    Cutoff, FieldEngine, FieldError, FieldJob, FieldSums, FieldVariant, Grid, Mixing, Precision,
    Table, Targets, Term, field_by_variant,
};

use super::campaign::SEED;
use super::digest::Digest;
use super::draw::Draft;
use super::points::{Place, Structure};
use super::random::Random;
use super::spaces::space;
use super::variable::variable;

/// The sums of some planes; nothing where there is no way to make them.
type Making<'a> = dyn Fn(&FieldJob, Range<usize>) -> Option<FieldSums> + 'a;

/// Who makes sums.
pub struct Maker<'a> {
    name: String,
    sums: Box<Making<'a>>,
}

/// An engine, by name.
pub fn made_by(name: String, engine: &dyn FieldEngine) -> Maker<'_> {
    let sums = |job: &FieldJob, planes: Range<usize>| {
        let made = engine.field(job, planes, &Silent);
        Some(made.unwrap_or_else(|error| panic!("{error}")))
    };
    let sums = Box::new(sums);
    Maker { name, sums }
}

/// Sums in a way of Rodrigues et al. 2008 with its tests of distances; nothing where it is another engine's.
type ByVariant = Result<Option<(FieldSums, albireo_fields::DistanceTests)>, FieldError>;

/// The ways of Rodrigues et al. 2008 in turn on the processor, with bins of any size.
pub fn by_variants(cpu: &Cpu) -> Maker<'_> {
    by_variants_of("variants", move |variant, job, planes| {
        field_by_variant(cpu, variant, job, planes, &Silent).map(Some)
    })
}

/// The same on any engine.
pub fn by_variants_of<'a>(
    name: &str,
    made: impl Fn(FieldVariant, &FieldJob, Range<usize>) -> ByVariant + 'a,
) -> Maker<'a> {
    let sums = move |job: &FieldJob, planes: Range<usize>| {
        let mut random = Random::of_case(job.fingerprint(), 1);
        let side = job.term().reach() * random.decades(0.05, 4.0);
        let sources = 1 + random.below(32);
        let variant = random.pick(&[
            FieldVariant::Direct,
            FieldVariant::LargeBins { side },
            FieldVariant::SmallBins { side, sources },
            FieldVariant::Cylinder,
        ]);
        match made(variant, job, planes) {
            Ok(made) => made.map(|(sums, tests)| {
                assert!(tests.succeeded <= tests.made, "{variant:?}: {tests:?}");
                sums
            }),
            Err(FieldError::Variant { .. } | FieldError::Length { .. }) => None,
            Err(error) => panic!("{variant:?}: {error}"),
        }
    };
    let (name, sums) = (name.to_owned(), Box::new(sums));
    Maker { name, sums }
}

/// A sum per target, as plain rows.
#[derive(Debug, Clone)]
struct FieldCase {
    domain: Domain,
    rows: Vec<[f64; 3]>,
    strengths: Vec<f64>,
    /// Sigma of each, of Lennard-Jones terms.
    sigma: Option<Vec<f64>>,
    term: Term,
    precision: Precision,
    targets: Targets,
}

impl FieldCase {
    /// The job, where there is one.
    fn job(&self) -> Option<FieldJob> {
        let points = Points::from_rows(&self.rows).ok()?;
        let (term, targets) = (self.term.clone(), self.targets.clone());
        let job = match &self.sigma {
            Some(sigma) => {
                let both = (&self.strengths[..], &sigma[..]);
                FieldJob::lennard_jones(&points, both, &self.domain, term, targets)
            }
            None => FieldJob::new(&points, &self.strengths, &self.domain, term, targets),
        };
        job.ok()?.with_precision(self.precision).ok()
    }

    /// The same without some sources.
    fn without(&self, rows: std::ops::Range<usize>) -> Self {
        let mut case = self.clone();
        case.rows.drain(rows.clone());
        case.strengths.drain(rows.clone());
        if let Some(sigma) = &mut case.sigma {
            sigma.drain(rows);
        }
        case
    }

    /// With as few sources as still differ.
    fn shrunk(mut self, makers: &[Maker<'_>]) -> Self {
        let mut step = self.rows.len() / 2;
        while step > 0 {
            let mut first = 0;
            while first < self.rows.len() {
                let end = (first + step).min(self.rows.len());
                let smaller = self.without(first..end);
                let differs = |job: &FieldJob| differs(job, makers).is_some();
                if smaller.job().is_some_and(|job| differs(&job)) {
                    self = smaller;
                } else {
                    first = end;
                }
            }
            step /= 2;
        }
        self
    }
}

/// How makers differ from the double loop, if they do: in one piece, and in two.
fn differs(job: &FieldJob, makers: &[Maker<'_>]) -> Option<String> {
    let planes = job.targets().planes();
    let expected = Naive.field(job, planes.clone(), &Silent).unwrap();
    let cut = planes.end / 3;
    let told = |name: &str, found: &FieldSums| {
        let same = found == &expected;
        (!same).then(|| format!("{name}: {found:?}, expected {expected:?}"))
    };
    makers.iter().find_map(|maker| {
        let whole = (maker.sums)(job, planes.clone())?;
        let parts = [0..cut, cut..planes.end].map(|part| (maker.sums)(job, part));
        let [Some(first), Some(second)] = parts else {
            return Some(format!("{}: no sums of a part", maker.name));
        };
        let joined = first.followed_by(&second).unwrap();
        told(&maker.name, &whole).or_else(|| told(&maker.name, &joined))
    })
}

/// A length that is that of a pair, or beside it, or any up to `most`.
fn length(random: &mut Random, case: (&Domain, &[[f64; 3]]), most: f64) -> f64 {
    let (domain, rows) = case;
    let [a, b] = [0; 2].map(|_| rows[random.below(rows.len())]);
    let of_pair = domain.separation(a, b).r2.sqrt();
    if of_pair > 1e-3 * most && of_pair < most && random.once_in(2) {
        return random.nudged(of_pair).min(most);
    }
    let any = most * random.decades(0.02, 1.0);
    random.pick(&[most, most * 0.5, any])
}

fn term(random: &mut Random, domain: &Domain, rows: &[[f64; 3]]) -> Option<(Term, bool)> {
    let limit = domain.reach();
    let most = if limit.is_finite() {
        limit
    } else {
        random.decades(0.5, 30.0)
    };
    let reach = length(random, (domain, rows), most);
    let r_min = if random.once_in(2) {
        length(random, (domain, rows), reach * 0.9)
    } else {
        reach * random.decades(1e-3, 0.9)
    };
    let widths = [0; 3].map(|_| reach * random.decades(0.1, 1.0));
    let term = match random.below(11) {
        0 => Term::coulomb(Cutoff::None, r_min),
        1 | 2 => Term::coulomb(Cutoff::Smooth(reach), r_min),
        3 => Term::coulomb(Cutoff::Sharp(reach), r_min),
        4 => Term::ewald(random.decades(0.1, 6.5) / reach, reach, r_min),
        5 => Term::top_hat(reach),
        6 => Term::spline(reach),
        7 => Term::gaussian(reach * random.decades(0.11, 3.0), reach),
        8 => Term::cloud_in_cell(widths),
        9 => Term::triangular_cloud(widths.map(|w| w / 1.5)),
        _ => {
            let n = random.whole(3, 60);
            let r: Vec<f64> = (1..=n)
                .map(|k| reach * f64::from(k) / f64::from(n))
                .collect();
            let values: Vec<f64> = r.iter().map(|_| random.between(-1.0, 1.0)).collect();
            Table::new(&r, &values).map(Term::table)
        }
    };
    if random.once_in(10) {
        let term = Term::lennard_jones(reach, r_min.max(0.05 * reach)).ok()?;
        return Some((term, true));
    }
    Some((term.ok()?, false))
}

/// A grid whose points are up to 10^7 reaches from each other, some of them near a source.
fn far_apart(random: &mut Random, rows: &[[f64; 3]], reach: f64) -> Option<Targets> {
    let reach = if reach.is_finite() { reach } else { 1.0 };
    let near = rows[random.below(rows.len())];
    let shape = [5, 6, 18].map(|most| 1 + random.below(most));
    let sign = random.pick(&[1.0, -1.0]);
    let steps = [0; 3].map(|_| sign * reach * random.decades(0.1, 1e7));
    let origin = [0, 1, 2].map(|k| {
        let away = random.between(-1.1, 1.1) * reach;
        near[k] - steps[k] * random.below(shape[k]) as f64 + away
    });
    Grid::orthogonal(origin, steps, shape)
        .ok()
        .map(Targets::Grid)
}

fn targets(
    random: &mut Random,
    place: &mut Place,
    rows: &[[f64; 3]],
    reach: f64,
) -> Option<Targets> {
    if random.once_in(5) {
        return far_apart(random, rows, reach);
    }
    let n = random.pick(&[1, 2, 7, 8, 9, 33]);
    match random.below(4) {
        // The sources themselves among them.
        0 => {
            let mut at = place.points(random, n);
            at.extend(rows.iter().take(n));
            Points::from_rows(&at).ok().map(Targets::Points)
        }
        kind => {
            let origin = rows[random.below(rows.len())];
            let shape = [5, 6, 18].map(|most| 1 + random.below(most));
            let round = random.once_in(2);
            let step = |random: &mut Random| {
                if round {
                    random.pick(&[0.25, 0.5, 1.0])
                } else {
                    random.decades(0.05, 3.0)
                }
            };
            let [a, b, c] = [0; 3].map(|_| step(random));
            let lean = if kind == 1 { 0.3 } else { 0.0 };
            let steps = [[a, 0.0, 0.0], [lean * b, b, 0.0], [0.0, lean * c, c]];
            Grid::new(origin, steps, shape).ok().map(Targets::Grid)
        }
    }
}

/// Case `number` under `seed`; nothing where the library would refuse it.
fn draw(seed: u64, number: u64) -> Option<FieldCase> {
    let mut random = Random::of_case(seed ^ 0xf1e1d, number);
    let space = space(&mut Draft::new(&mut random));
    let domain = space.domain().ok()?;
    let structure = random.pick(&[
        Structure::Uniform,
        Structure::Uniform,
        Structure::Lattice,
        Structure::BesideLattice,
        Structure::Line,
        Structure::Clump,
        Structure::Clumps,
        Structure::Duplicates,
        Structure::Faces,
    ]);
    let mut place = Place::new(&mut random, &space, structure);
    let n = random.pick(&[1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 300]);
    let points = Points::from_rows(&place.points(&mut random, n)).ok()?;
    let placed = domain.place(Particles::new(points), Outside::Wrap).ok()?;
    let rows: Vec<[f64; 3]> = (0..n).map(|row| placed.points().at(row)).collect();
    let (term, sizes) = term(&mut random, &domain, &rows)?;
    let kind = random.below(4);
    let strengths = (0..n).map(|row| match kind {
        0 => 1.0,
        1 => random.between(-1.0, 1.0),
        2 if row.is_multiple_of(3) => 0.0,
        _ => random.between(-1.0, 1.0) * random.decades(1e-12, 1.0),
    });
    let mut strengths: Vec<f64> = strengths.collect();
    let sigma = sizes.then(|| {
        strengths = strengths.iter().map(|s| s.abs()).collect();
        let source = |_| {
            Mixing::Geometric
                .pair((1.0, random.decades(0.3, 2.0)), (1.0, 1.0))
                .1
        };
        (0..n).map(source).map(|s| s * term.r_min()).collect()
    });
    let precision = random.pick(&[Precision::Double, Precision::Single]);
    let targets = targets(&mut random, &mut place, &rows, term.reach())?;
    Some(FieldCase {
        domain,
        rows,
        strengths,
        sigma,
        term,
        precision,
        targets,
    })
}

/// Attacks these, unless the environment asks for others with at most `cases` cases in at most `seconds`.
///
/// # Errors
/// The first difference, with as few sources as show it, and the number of its case; hardly any case that is none.
pub fn attack(makers: &[Maker<'_>], cases: u64, seconds: f64) -> Result<String, String> {
    let seed = variable("ALBIREO_ATTACK_SEED").unwrap_or(SEED);
    let only: Option<u64> = variable("ALBIREO_ATTACK_CASE");
    let cases = variable("ALBIREO_ATTACK_CASES").unwrap_or(cases);
    let seconds = variable("ALBIREO_ATTACK_SECONDS").unwrap_or(seconds);
    let (begin, time) = (Instant::now(), Duration::from_secs_f64(seconds));
    let (mut compared, mut filled, mut drawn) = (0u64, 0u64, 0u64);
    let mut digest = Digest::default();
    for number in only.map_or(0..cases, |only| only..only + 1) {
        if begin.elapsed() > time {
            break;
        }
        drawn += 1;
        let Some((job, case)) = draw(seed, number).and_then(|case| Some((case.job()?, case)))
        else {
            continue;
        };
        if let Some(what) = differs(&job, makers) {
            let small = case.shrunk(makers);
            return Err(format!(
                "ALBIREO_ATTACK_SEED={seed} ALBIREO_ATTACK_CASE={number}: {what}\nshrunk to {} sources: {small:?}",
                small.rows.len()
            ));
        }
        compared += 1;
        let sums = Naive
            .field(&job, 0..1, &Silent)
            .map_err(|error| error.to_string())?;
        filled += u64::from(sums.sums().iter().any(|&sum| sum != 0));
        digest.add(number, sums.sums().iter().map(|&sum| i128::from(sum)));
    }
    if only.is_none() && drawn > 100 && (compared * 2 < drawn || filled * 3 < compared) {
        return Err(format!(
            "{drawn} cases drawn, {compared} compared, {filled} not empty"
        ));
    }
    Ok(format!(
        "fields: {compared} of {drawn} cases compared, {filled} not empty; {digest}"
    ))
}
