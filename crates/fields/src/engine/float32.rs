//! Sums in float32, plain or compensated, as codes of their time made them: approximate, and marked so.
//!
//! Entry: [`field_in_float32`]. Sums depend on the order in which sources come, so on the variant; no others are made of them.

use std::ops::Range;

use albireo::engine::{Cpu, Progress};
use albireo::error::EngineError;
use albireo::progress::Lasting;
use albireo_simd::{Kernel, Operations, Registers, Simd};

use super::numbers;
use super::tiles::{HEIGHT, Lattice, Near, TILE, Tile, WIDTH};
use super::variants::{Adding, Found, OnThreads};
use crate::error::{FieldError, Result};
use crate::{
    DistanceTests, FieldJob, FieldVariant, ForProfile, Number, Precision, Profile, VariantPlan,
    each_parameter,
};

/// How float32 terms are added in float32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Float32Sum {
    /// Each is added to the sum, which is rounded.
    Plain,
    /// What the rounding lost goes into the next addition (Kahan 1965, DOI 10.1145/363707.363723).
    Compensated,
}

impl Float32Sum {
    /// `plain` or `compensated`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Compensated => "compensated",
        }
    }
}

/// Approximate sums of some planes of a job in single precision, whose terms are added in float32 in the order that a variant meets its
/// sources in; in the unit of strength and length, with no bound on their error. Table 2 of Rodrigues et al. 2008
/// (DOI 10.1145/1366230.1366277) is of such sums; pairs closer than `r_min` are not counted.
///
/// ```
/// use albireo::engine::Cpu;
/// use albireo_fields::{FieldEngine, Float32Sum, field_in_float32};
/// use albireo_fields::{Cutoff, FieldJob, FieldVariant, Grid, Precision, Targets, Term};
/// use albireo::engine::Silent;
/// use albireo::{Domain, Points};
///
/// let points = Points::from_rows(&[[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]])?;
/// let grid = Targets::Grid(Grid::orthogonal([0.0; 3], [0.5; 3], [9; 3])?);
/// let term = Term::coulomb(Cutoff::Smooth(3.0), 0.1)?;
/// let job = FieldJob::new(&points, &[1.0, -1.0], &Domain::Open, term, grid)?;
/// let job = job.with_precision(Precision::Single)?;
/// let cpu = Cpu::new();
/// let (values, _) = field_in_float32(&cpu, Float32Sum::Plain, FieldVariant::Cylinder, &job, 0..9, &Silent)?;
/// let exact = cpu.field(&job, 0..9, &Silent)?.values();
/// assert!(values.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`field_by_variant`](super::field_by_variant); jobs in double precision.
pub fn field_in_float32(
    engine: &Cpu,
    sum: Float32Sum,
    variant: FieldVariant,
    job: &FieldJob,
    planes: Range<usize>,
    progress: &dyn Progress,
) -> Result<(Vec<f64>, DistanceTests)> {
    if job.scale().precision != Precision::Single {
        let needs = "single precision where sums are float32";
        return Err(FieldError::Variant { needs });
    }
    let plan = VariantPlan::new(variant, job)?;
    let numbers = numbers(job, &planes)?;
    progress.begin(numbers.len() as u64);
    let mut sums = vec![0f32; numbers.len()];
    let lasting = Lasting::new(progress);
    let work = InFloat32(OnThreads {
        engine,
        plan: &plan,
        planes,
        parts: [true, plan.overfull.is_some()],
        adding: sum,
        sums: &mut sums,
        progress: &lasting,
    });
    let found = engine.pool()?.install(|| job.term().with_profile(work));
    if lasting.stop_requested() {
        return Err(EngineError::Interrupted.into());
    }
    let unit = libm::scalbn(1.0, job.scale().exponent);
    let values = sums.into_iter().map(|sum| f64::from(sum) * unit).collect();
    Ok((values, found.tests))
}

/// Work whose sums are float32.
struct InFloat32<'a>(OnThreads<'a, Float32Sum, f32>);

impl ForProfile for InFloat32<'_> {
    type Output = Found;

    fn with<P: Profile>(self, profile: P) -> Found {
        self.0.sum::<P, f32>(profile)
    }
}

impl<P: Profile> Adding<P, f32> for Float32Sum {
    type Sum = f32;
    /// Sums, and what their roundings added.
    type Making = [[f32; TILE]; 2];

    fn none(self) -> [[f32; TILE]; 2] {
        [[0.0; TILE]; 2]
    }

    fn add(
        self,
        lattice: &Lattice<P, f32>,
        (tile, sums): (&Tile, &mut [[f32; TILE]; 2]),
        batch: &[Near<f32>],
        beyond: f32,
    ) -> u64 {
        lattice.isa.dispatch(Meeting {
            profile: lattice.profile,
            compensated: self == Self::Compensated,
            reach2: beyond,
            least2: lattice.least2 as f32,
            size: tile.size,
            batch,
            sums,
        });
        0
    }

    fn sums(making: &[[f32; TILE]; 2]) -> &[f32; TILE] {
        &making[0]
    }
}

/// The rows of a tile against a batch of sources.
struct Meeting<'a, P> {
    profile: P,
    compensated: bool,
    reach2: f32,
    least2: f32,
    size: [usize; 3],
    batch: &'a [Near<f32>],
    sums: &'a mut [[f32; TILE]; 2],
}

impl<P: Profile> Kernel for Meeting<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let lanes = f32::lanes(simd);
        let width = <<f32 as Number>::Lanes<S> as Registers>::LANES;
        let least = lanes.same(self.least2);
        let [sums, lost] = self.sums;
        for x in 0..self.size[0] {
            for y in 0..self.size[1] {
                let row = (x * HEIGHT + y) * WIDTH;
                for at in (0..self.size[2]).step_by(width) {
                    let mut sum = lanes.load(&sums[row + at..]);
                    let mut rest = lanes.load(&lost[row + at..]);
                    for near in self.batch {
                        let across = near.x[x] + near.y[y];
                        if across >= self.reach2 {
                            continue;
                        }
                        let r2 = lanes.add(lanes.same(across), lanes.load(&near.z[at..]));
                        let parameters = each_parameter(|k| lanes.same(near.parameters[k]));
                        let term = self.profile.term(lanes, lanes.max(r2, least), parameters);
                        if self.compensated {
                            let whole = lanes.sub(term, rest);
                            let next = lanes.add(sum, whole);
                            rest = lanes.sub(lanes.sub(next, sum), whole);
                            sum = next;
                        } else {
                            sum = lanes.add(sum, term);
                        }
                    }
                    lanes.store(sum, &mut sums[row + at..]);
                    lanes.store(rest, &mut lost[row + at..]);
                }
            }
        }
    }
}
