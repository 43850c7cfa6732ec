//! What is to be counted, and the count.
//!
//! Entry: [`albireo_job`], [`read`], [`Job::count`].

use std::ffi::{c_int, c_void};

use albireo::counts::{count_pairs, count_prepared};
use albireo::engine::{AnyEngine, Auto, Cpu, PreparedJob, Progress};
use albireo::tally::{
    AngularWeight, Classes, Cut, InverseProbability, Legendre, PairNormalisation, PairWeight,
    Realisations,
};
use albireo::{
    Axis, Bins, CountSpec, Domain, Edges, Lattice, LineOfSight, Naive, Outside, PairJob, Pairs,
    Particles, PeriodicBox, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins,
};

use super::counts::Counted;
use super::failure::{Failure, Result};
use super::listening::heard;
use super::sample::{Sample, sized};

/// What is counted and how. Set all of it to zero first, then struct_size to sizeof(albireo_job) and what is wanted: zeros are the defaults.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct albireo_job {
    /// sizeof(albireo_job): later versions append fields.
    pub struct_size: usize,
    /// What pairs are binned in: ALBIREO_R, ..
    pub statistic: i32,
    /// Line of sight of mu, pi and rp cuts: ALBIREO_LOS_MIDPOINT, ..
    pub los: i32,
    /// Edges of r, s, rp (unit of the positions) or theta (degrees), rising.
    pub edges: *const f64,
    /// How many.
    pub n_edges: usize,
    /// Edges of mu or pi; from 0 on both signs are counted together. NULL where there is no such axis.
    pub second_edges: *const f64,
    /// How many.
    pub n_second_edges: usize,
    /// What cell holds: ALBIREO_BOX_OPEN, ..
    pub box_kind: i32,
    /// Not 0: positions outside of the box are wrapped into it; else they are refused.
    pub wrap: i32,
    /// Three lengths, an axis of 0 being open, or three vectors.
    pub cell: [f64; 9],
    /// Which classes of pairs are counted apart, by the labels of the samples: ALBIREO_CLASSES_ONE, ..
    pub classes: i32,
    /// What is summed besides the weights that samples have: ALBIREO_SUM_SEPARATIONS or 0.
    pub sums: u32,
    /// Bit l (1 << l), l up to 8: the sums of the Legendre polynomial of degree l.
    pub legendre: u32,
    /// Compute engine: ALBIREO_ENGINE_CPU, ..; counts do not depend on it.
    pub engine: i32,
    /// Threads of the processor, 0 for all cores.
    pub threads: u32,
    /// Which pairs are left out of the bins, and not of totals: ALBIREO_CUT_THETA, .. joined by `|`.
    pub cuts: u32,
    /// Degrees, [lo, hi).
    pub theta_cut: [f64; 2],
    /// [lo, hi) across the line of sight.
    pub rp_cut: [f64; 2],
    /// Where samples have bits, a pair with c common ones weighs pip_realizations/(pip_offset + c); 0 for the bits of their words and
    /// the observed realisation, with an offset of 1.
    pub pip_realizations: u32,
    /// What is added to common bits, 1 for the observed realisation.
    pub pip_offset: u32,
    /// Bits that are set in every row, less those set in none: what totals go by.
    pub pip_always: i32,
    /// What totals are: ALBIREO_PIP_TOTAL_JOINT, ..
    pub pip_total: i32,
    /// The weight where offset and common bits are 0.
    pub pip_default: f64,
    /// Angles of angular upweights, degrees, rising; NULL for none. A pair weighs the factor more, linear in the cosine between the angles
    /// and 1 beyond them.
    pub angular_theta: *const f64,
    /// Their factors.
    pub angular_factors: *const f64,
    /// How many.
    pub n_angular: usize,
    /// Called with user, the pairs that were passed over and those of the count in all, from the thread that called albireo_count, many
    /// times a second, and once at least; anything but 0 stops the count. NULL for none.
    pub progress: Option<unsafe extern "C" fn(user: *mut c_void, done: u64, of: u64) -> c_int>,
    /// What it is called with.
    pub user: *mut c_void,
}

/// The first published size, which every caller's header has.
const LEAST: usize = size_of::<albireo_job>();

const AXES: [LineOfSight; 6] = [
    LineOfSight::Midpoint,
    LineOfSight::First,
    LineOfSight::End,
    LineOfSight::Fixed(Axis::X),
    LineOfSight::Fixed(Axis::Y),
    LineOfSight::Fixed(Axis::Z),
];
pub(super) const THETA: i32 = 3;
#[cfg(feature = "cuda")]
pub(super) const CUDA: i32 = 2;
const SEPARATIONS: u32 = 1;
const THETA_CUT: u32 = 1;
const RP_CUT: u32 = 2;
const GROUP_CUT: u32 = 4;

/// A job that was read.
pub(crate) struct Job(pub(super) albireo_job);

/// A struct of a caller.
///
/// # Safety
/// As [`super::albireo_count`].
pub(crate) unsafe fn read(job: *const albireo_job) -> Result<Job> {
    // SAFETY: as this function asks; all zeros are a job.
    Ok(Job(unsafe { sized(job, "job", LEAST) }?))
}

/// The element of a list that a caller's number means.
fn choice<T: Copy>(name: &str, all: &[T], found: i32) -> Result<T> {
    let chosen = usize::try_from(found)
        .ok()
        .and_then(|k| all.get(k))
        .copied();
    chosen.ok_or_else(|| {
        let most = all.len().saturating_sub(1);
        Failure::argument(
            name,
            format!("expected a constant of the header from 0 to {most}, found {found}"),
        )
    })
}

/// A list of a caller.
///
/// # Safety
/// `from` is NULL or points to `n` values.
unsafe fn list(name: &'static str, from: *const f64, n: usize) -> Result<Vec<f64>> {
    if from.is_null() {
        return Err(Failure::null(name));
    }
    if !from.is_aligned() || n > albireo::binning::MAX_BINS + 1 {
        return Err(Failure::argument(
            name,
            format!(
                "expected at most {} aligned values, found {n}",
                albireo::binning::MAX_BINS + 1
            ),
        ));
    }
    // SAFETY: as this function asks.
    Ok(unsafe { std::slice::from_raw_parts(from, n) }.to_vec())
}

impl Job {
    pub(super) fn domain(&self) -> Result<Domain> {
        let job = &self.0;
        let wrong = |error| Failure::argument("box", error);
        Ok(match job.box_kind {
            0 => Domain::Open,
            1 => {
                let length = |k: usize| (job.cell[k] != 0.0).then_some(job.cell[k]);
                Domain::Periodic(
                    PeriodicBox::new([length(0), length(1), length(2)]).map_err(wrong)?,
                )
            }
            2 => {
                let row = |k: usize| [job.cell[3 * k], job.cell[3 * k + 1], job.cell[3 * k + 2]];
                Domain::Triclinic(Lattice::new([row(0), row(1), row(2)]).map_err(wrong)?)
            }
            other => {
                return Err(Failure::argument(
                    "box_kind",
                    format!("expected a constant of the header from 0 to 2, found {other}"),
                ));
            }
        })
    }

    /// The factors of the weights of pairs, of bits and angles.
    ///
    /// # Safety
    /// As [`super::albireo_count`].
    unsafe fn pair_weight(&self, samples: [Option<&Particles>; 2]) -> Result<Option<PairWeight>> {
        let job = &self.0;
        let words = samples
            .into_iter()
            .flatten()
            .find_map(|sample| Some(sample.bits()?.per_row()));
        let wrong =
            |name| move |error: albireo::error::PairWeightError| Failure::argument(name, error);
        let inverse = match words {
            None => None,
            Some(words) => {
                let realisations = match job.pip_realizations {
                    0 => Realisations::of_words(words),
                    number => Realisations {
                        number,
                        offset: job.pip_offset,
                        always: job.pip_always,
                        default_value: job.pip_default,
                    },
                };
                let all = [
                    PairNormalisation::JointOccurrence,
                    PairNormalisation::BruteForce,
                    PairNormalisation::Counter,
                ];
                let total = choice("pip_total", &all, job.pip_total)?;
                Some(InverseProbability::new(words, realisations, total).map_err(wrong("pip"))?)
            }
        };
        if job.angular_theta.is_null() {
            return Ok(inverse.map(PairWeight::from));
        }
        // SAFETY: as this function asks.
        let [theta, factors] = unsafe {
            [
                list("angular_theta", job.angular_theta, job.n_angular)?,
                list("angular_factors", job.angular_factors, job.n_angular)?,
            ]
        };
        let angular = AngularWeight::new(theta, factors).map_err(wrong("angular"))?;
        Ok(Some(match inverse {
            Some(inverse) => PairWeight::from(inverse).with_angular(angular),
            None => angular.into(),
        }))
    }

    pub(super) fn degrees(&self) -> Result<Vec<Legendre>> {
        let asked = (0..u32::BITS).filter(|l| self.0.legendre >> l & 1 == 1);
        let degree = |l| {
            Legendre::of_degree(l).ok_or_else(|| {
                Failure::argument("legendre", format!("expected degrees up to 8, found {l}"))
            })
        };
        asked.map(degree).collect()
    }

    /// What is counted of `pairs` in these bins.
    ///
    /// # Safety
    /// As [`super::albireo_count`].
    pub(super) unsafe fn what(
        &self,
        bins: &Bins,
        pairs: Pairs<'_>,
        los: LineOfSight,
    ) -> Result<CountSpec> {
        let job = &self.0;
        let (first, second) = pairs.samples();
        // SAFETY: as this function asks.
        let weight = unsafe { self.pair_weight([Some(first), second]) }?;
        if job.sums & !SEPARATIONS != 0 || job.cuts & !(THETA_CUT | RP_CUT | GROUP_CUT) != 0 {
            return Err(Failure::argument(
                "sums, cuts",
                "expected constants of the header joined by `|`",
            ));
        }
        let classes = [Classes::One, Classes::Species, Classes::Regions];
        let classes = choice("classes", &classes, job.classes)?;
        let mut what = CountSpec::for_pairs(bins, pairs).with_classes(classes);
        if let Some(weight) = weight {
            what = what.weighted_by(weight);
        }
        if job.sums & SEPARATIONS != 0 {
            what = if what.has_weights() {
                what.with_weighted_separation()
            } else {
                what.with_mean_separation()
            };
        }
        what = what.with_legendre(self.degrees()?.into_iter().collect());
        let wrong = |name| move |error: albireo::error::BinsError| Failure::argument(name, error);
        if job.cuts & THETA_CUT != 0 {
            what = what.with_cut(
                Cut::theta(job.theta_cut[0], job.theta_cut[1]).map_err(wrong("theta_cut"))?,
            );
        }
        if job.cuts & RP_CUT != 0 {
            what =
                what.with_cut(Cut::rp(job.rp_cut[0], job.rp_cut[1], los).map_err(wrong("rp_cut"))?);
        }
        if job.cuts & GROUP_CUT != 0 {
            what = what.with_cut(Cut::SameGroup);
        }
        Ok(what)
    }

    /// A sample where it is counted: directions for angles, wrapped where that is asked for.
    pub(super) fn placed(&self, sample: &Sample, domain: &Domain) -> Result<Particles> {
        let particles = sample.particles.clone();
        if self.0.statistic == THETA {
            let directions = if sample.on_sky {
                Ok(particles)
            } else {
                particles.directions()
            };
            return directions.map_err(|error| Failure::argument("positions", error));
        }
        if sample.on_sky {
            return Err(Failure::argument(
                "coordinates",
                "positions on the sky have angles alone: expected ALBIREO_THETA",
            ));
        }
        let outside = if self.0.wrap == 0 {
            Outside::Refuse
        } else {
            Outside::Wrap
        };
        domain
            .place(particles, outside)
            .map_err(|error| Failure::argument("positions", error))
    }

    /// The engine of this name; of those that suit, the one that `choose` does.
    pub(super) fn engine(
        &self,
        choose: impl FnOnce(Auto) -> Result<AnyEngine>,
    ) -> Result<AnyEngine> {
        let cpu = || match self.0.threads {
            0 => Ok(Cpu::new()),
            threads => Cpu::new().with_threads(threads as usize),
        };
        Ok(match self.0.engine {
            0 => AnyEngine::Cpu(cpu()?),
            1 => AnyEngine::Naive(Naive),
            #[cfg(feature = "cuda")]
            CUDA => AnyEngine::Cuda(
                albireo::engine::cuda::Cuda::new(albireo::engine::cuda::CudaOptions::default())
                    .map_err(albireo::error::EngineError::from)?,
            ),
            3 => choose(Auto::new(cpu()?))?,
            other => {
                return Err(Failure::argument(
                    "engine",
                    format!(
                        "expected an engine of the header that this library was built with, found {other}"
                    ),
                ));
            }
        })
    }

    /// The bins, and the line of sight.
    ///
    /// # Safety
    /// As [`super::albireo_count`].
    pub(super) unsafe fn bins(&self) -> Result<(Bins, LineOfSight)> {
        let job = &self.0;
        let los = choice("los", &AXES, job.los)?;
        // SAFETY: as this function asks.
        let edges = unsafe { list("edges", job.edges, job.n_edges) }?;
        let wrong = |error| Failure::argument("edges", error);
        let edges = Edges::new(edges).map_err(wrong)?;
        let signed = || {
            // SAFETY: as this function asks.
            let second = unsafe { list("second_edges", job.second_edges, job.n_second_edges) }?;
            SignedEdges::new(second).map_err(|error| Failure::argument("second_edges", error))
        };
        let bins = match job.statistic {
            0 => RBins::new(edges).into(),
            1 => SMuBins::new(edges, signed()?, los).map_err(wrong)?.into(),
            2 => RpPiBins::new(edges, signed()?, los).map_err(wrong)?.into(),
            THETA => ThetaBins::new(edges).map_err(wrong)?.into(),
            other => {
                return Err(Failure::argument(
                    "statistic",
                    format!("expected a constant of the header from 0 to 3, found {other}"),
                ));
            }
        };
        Ok((bins, los))
    }

    /// Counts the pairs within a sample, or between two.
    ///
    /// # Safety
    /// As [`super::albireo_count`].
    pub(crate) unsafe fn count(&self, first: &Sample, second: Option<&Sample>) -> Result<Counted> {
        let domain = self.domain()?;
        // SAFETY: as this function asks.
        let (bins, los) = unsafe { self.bins() }?;
        let first = self.placed(first, &domain)?;
        let second = second
            .map(|sample| self.placed(sample, &domain))
            .transpose()?;
        let pairs = match &second {
            Some(second) => Pairs::Cross(&first, second),
            None => Pairs::Auto(&first),
        };
        // SAFETY: as this function asks.
        let what = unsafe { self.what(&bins, pairs, los) }?;
        let job = PairJob::new(pairs, &domain)?;
        let engine = self.engine(|auto| Ok(auto.choose(&job, &what).engine))?;
        let degrees = self.degrees()?;
        let count = |progress: &dyn Progress| -> Result<Counted> {
            if what.classes() == Classes::One {
                let counts = count_pairs(&*engine, &job, what, progress)?;
                return Ok(Counted::of(counts, degrees, Some(domain.clone())));
            }
            let prepare = |sample: &Particles| engine.prepare(sample.clone(), &domain, progress);
            let first = prepare(&first)?;
            let second = second.as_ref().map(prepare).transpose()?;
            let job = PreparedJob::new(&first, second.as_ref())?;
            let (counts, _) = count_prepared(&*engine, &job, what, progress)?;
            Ok(Counted::of(counts, degrees, Some(domain.clone())))
        };
        // A pointer of the caller is handed back to its own function, on this thread.
        // SAFETY: as this function asks.
        unsafe { heard(self.0.progress, self.0.user, count) }
    }
}
