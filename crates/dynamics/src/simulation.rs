//! Particles and their steps.
//!
//! Entry: [`Simulation`]. Particles lie in the order of cells here; everything handed out is in the order of the start.

use albireo::Points;
use albireo::domain::fraction_of;
use albireo::engine::Progress;
use albireo::error::EngineError;
use albireo_simd::{Precision, Record};
use rayon::prelude::*;

use super::cells::CellOrder;
#[cfg(feature = "cuda")]
use super::device_run::DeviceRun;
use super::error::{DynamicsError, Result};
use super::forces::{ForceEngine, Forces, Met};
use super::lanes::PairSums;
use super::potential::LennardJones;
use super::rule::Rule;
use super::single::Single;
use super::start::Start;
use super::sweep::{Particle, Stretch, Swept, kick, shift};
use super::thermostat::{Noise, Thermostat};
use super::words::Words;

/// What a fluid is measured to have, in units of epsilon, sigma and mass; sums over all particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observables {
    /// Steps made.
    pub step: u64,
    /// Their time.
    pub time: f64,
    /// The potential energy.
    pub potential: f64,
    /// The kinetic energy.
    pub kinetic: f64,
    /// `2 kinetic` over the degrees of freedom: 3 N - 3, with noise 3 N.
    pub temperature: f64,
    /// `(2 kinetic + virial) / (3 V)` (Allen & Tildesley 2017, DOI 10.1093/oso/9780198803195.001.0001, section 2.4).
    pub pressure: f64,
    /// The momentum of all particles: exact sums of integers, rounded once.
    pub momentum: [f64; 3],
}

/// The integers of a moment, particles in the order of the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Steps made.
    pub step: u64,
    /// Fractions of the box in units of 2^-64.
    pub positions: Vec<[u64; 3]>,
    /// Multiples of 2^-[`Simulation::momentum_exponent`].
    pub momenta: Vec<[i64; 3]>,
}

/// A fluid in a periodic box and its steps, by velocity Verlet (Swope et al. 1982, DOI 10.1063/1.442716).
///
/// ```
/// use albireo::engine::Silent;
/// use albireo_dynamics::{ForceEngine, LennardJones, Simulation, Start, Truncation};
/// use albireo::engine::Cpu;
/// let argon = LennardJones::new(Truncation::Cut(2.5))?;
/// let start = Start::fcc(256, 0.8442)?.with_temperature(1.44, 1, &argon)?;
/// let mut fluid = Simulation::new(&argon, &start, 0.005, 0.3, &ForceEngine::Cells(Cpu::new()))?;
/// let before = fluid.state();
/// fluid.advance(10, &Silent)?;
/// fluid.reverse();
/// fluid.advance(10, &Silent)?;
/// fluid.reverse();
/// assert_eq!(fluid.state().positions, before.positions);
/// assert_eq!(fluid.state().momenta, before.momenta);
/// # Ok::<(), albireo_dynamics::DynamicsError>(())
/// ```
#[derive(Debug)]
pub struct Simulation {
    pub(super) rule: Rule,
    pub(super) thermostat: Thermostat,
    pub(super) forces: Forces,
    #[cfg(feature = "cuda")]
    pub(super) device: Option<DeviceRun>,
    pub(super) words: Words,
    /// The positions for which lists were made; none where there are no lists.
    pub(super) built: Vec<Record>,
    pub(super) step: u64,
    pub(super) lists_made: u64,
}

impl Simulation {
    /// Particles at their start; steps of the time `dt`. Lists hold pairs up to the longest cutoff and `skin`; no particle may move
    /// farther than it in one step along an axis, whoever makes the forces.
    ///
    /// # Errors
    /// A box below two cutoffs or four skins, species that the potential lacks, positions and velocities that are not finite or out of range,
    /// particles that overlap, threads that cannot be had.
    pub fn new(
        potential: &LennardJones,
        start: &Start,
        dt: f64,
        skin: f64,
        engine: &ForceEngine,
    ) -> Result<Self> {
        Self::with_precision(Precision::Double, potential, start, (dt, skin), engine)
    }

    /// The same with impulses in a precision: in single precision they are of float32 operations on the upper halves of positions, within
    /// [`Simulation::impulse_error`], and energies and pressures float64's at the positions that come of them.
    ///
    /// # Errors
    /// As [`Simulation::new`]; in single precision also a box longer than 1024 of the least sigma, and particles closer than sigma over the root
    /// of 2.
    pub fn with_precision(
        precision: Precision,
        potential: &LennardJones,
        start: &Start,
        (dt, skin): (f64, f64),
        engine: &ForceEngine,
    ) -> Result<Self> {
        let rule = Rule::new(potential, start.lengths(), dt, skin, precision)?;
        let masses = start.masses(potential)?;
        let n = start.len();
        let refused = |particle, what, values: [f64; 3]| DynamicsError::Value {
            particle,
            what,
            found: values
                .into_iter()
                .find(|value| !value.is_finite())
                .unwrap_or(values[0]),
        };
        let (mut records, mut momenta) = (Vec::with_capacity(n + 1), Vec::with_capacity(n));
        for (k, &x) in start.positions().iter().enumerate() {
            if x.iter().any(|x| !x.is_finite()) {
                return Err(refused(k, "position", x));
            }
            let mut record = [0, 0, 0, i64::from(start.species()[k])];
            for axis in 0..3 {
                let fraction = fraction_of(x[axis], rule.lengths[axis]);
                let fraction = fraction.ok_or_else(|| refused(k, "position", x))?;
                record[axis] = fraction.cast_signed();
            }
            records.push(record);
            let velocity = start.velocities()[k];
            let mut momentum = [0; 3];
            for (p, v) in momentum.iter_mut().zip(velocity) {
                let real = rule.momentum(v * masses[k]);
                *p = real.ok_or_else(|| refused(k, "velocity", velocity))?;
            }
            momenta.push(momentum);
        }
        records.push([0; 4]);
        let mut simulation = Self {
            forces: Forces::new(engine, n, &rule)?,
            #[cfg(feature = "cuda")]
            device: match engine {
                ForceEngine::Device(device) => Some(DeviceRun::begin(device, &rule, n)?),
                _ => None,
            },
            rule,
            thermostat: Thermostat::None,
            words: Words {
                records,
                momenta,
                ids: (0..n as u32).collect(),
            },
            built: vec![],
            step: 0,
            lists_made: 0,
        };
        simulation.begin()?;
        Ok(simulation)
    }

    /// The same fluid with a thermostat.
    ///
    /// # Errors
    /// A temperature or friction that is not from 0 to 1e9, rescaling after every 0 steps, a device that fails.
    pub fn with_thermostat(mut self, thermostat: Thermostat) -> Result<Self> {
        thermostat.check()?;
        #[cfg(feature = "cuda")]
        if let (Some(noise), Some(run)) = (Noise::of(&thermostat, &self.rule, 0), &mut self.device)
        {
            run.take_noise(&noise)?;
        }
        self.thermostat = thermostat;
        Ok(self)
    }

    /// Sets the integers of a moment of this run.
    ///
    /// # Errors
    /// Another number of particles, or ones that overlap.
    pub fn restore(&mut self, state: &State) -> Result<()> {
        let n = self.len();
        if state.positions.len() != n || state.momenta.len() != n {
            return Err(DynamicsError::State("it has another number of particles"));
        }
        let mut species = vec![0; n];
        for (record, &id) in self.words.records.iter().zip(&self.words.ids) {
            species[id as usize] = record[3];
        }
        for (k, &[x, y, z]) in state.positions.iter().enumerate() {
            let [x, y, z] = [x, y, z].map(u64::cast_signed);
            self.words.records[k] = [x, y, z, species[k]];
        }
        self.words.momenta.clone_from(&state.momenta);
        self.words.ids = (0..n as u32).collect();
        self.step = state.step;
        self.begin()
    }

    /// Makes lists and impulses for new positions.
    pub(super) fn begin(&mut self) -> Result<()> {
        #[cfg(feature = "cuda")]
        if self.begin_on_device()? {
            return Ok(());
        }
        self.list();
        let met = self.make(false);
        self.check_overlap(met)
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.words.momenta.len()
    }

    /// Whether there are none, which cannot be.
    pub fn is_empty(&self) -> bool {
        self.words.momenta.is_empty()
    }

    /// Steps made.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// How often lists were made.
    pub fn lists_made(&self) -> u64 {
        #[cfg(feature = "cuda")]
        if let Some(run) = &self.device {
            return run.lists_made();
        }
        self.lists_made
    }

    /// Momenta are multiples of 2^-this.
    pub fn momentum_exponent(&self) -> i32 {
        self.rule.momentum_exponent
    }

    /// How far an impulse of a pair in single precision may be from that of exact arithmetic, beside its rounding to an integer: this times the
    /// separation times the sum of the magnitudes of repulsion, attraction and what is taken off. 0 in double precision, where it is below 1e-14.
    pub fn impulse_error(&self) -> f64 {
        self.rule.single.as_ref().map_or(0.0, Single::error)
    }

    /// The integers of this moment.
    pub fn state(&self) -> State {
        let n = self.len();
        let (mut positions, mut momenta) = (vec![[0; 3]; n], vec![[0; 3]; n]);
        for (k, &id) in self.words.ids.iter().enumerate() {
            let [x, y, z, _] = self.words.records[k].map(i64::cast_unsigned);
            positions[id as usize] = [x, y, z];
            momenta[id as usize] = self.words.momenta[k];
        }
        State {
            step: self.step,
            positions,
            momenta,
        }
    }

    /// The positions, in the box: each of its fractions rounded once.
    ///
    /// # Panics
    /// Never: the box is far smaller than what positions may be.
    pub fn positions(&self) -> Points {
        let lengths = self.rule.lengths;
        let mut columns = [0, 1, 2].map(|_| vec![0.0; self.len()]);
        for (record, &id) in self.words.records.iter().zip(&self.words.ids) {
            for (k, column) in columns.iter_mut().enumerate() {
                let x = record[k].cast_unsigned() as f64 * self.rule.units[k];
                // The last fractions round to the end of the box, which is its beginning.
                column[id as usize] = if x < lengths[k] { x } else { 0.0 };
            }
        }
        let [x, y, z] = columns;
        Points::new(x, y, z).expect("positions lie in the box")
    }

    /// The velocities.
    pub fn velocities(&self) -> Vec<[f64; 3]> {
        let mut velocities = vec![[0.0; 3]; self.len()];
        for (k, &id) in self.words.ids.iter().enumerate() {
            let mass = self.rule.masses[self.words.records[k][3] as usize];
            velocities[id as usize] =
                self.words.momenta[k].map(|p| self.rule.real_momentum(p) / mass);
        }
        velocities
    }

    /// Negates all momenta: without a thermostat the steps that follow undo those before.
    pub fn reverse(&mut self) {
        for p in self.words.momenta.as_flattened_mut() {
            *p = -*p;
        }
        #[cfg(feature = "cuda")]
        self.momenta_changed();
    }

    /// Has a device, if there is one, take the momenta before its next step.
    #[cfg(feature = "cuda")]
    fn momenta_changed(&mut self) {
        if let Some(run) = &mut self.device {
            run.set_ahead();
        }
    }

    /// Energies and virials of all pairs.
    fn pair_sums(&mut self) -> PairSums {
        #[cfg(feature = "cuda")]
        if let Some(run) = &self.device {
            return run.sums;
        }
        self.make(true).sums
    }

    /// Energies, temperature and pressure of this moment.
    pub fn observe(&mut self) -> Observables {
        let sums = self.pair_sums();
        let mut squares = vec![0u128; self.rule.species];
        let mut momentum = [0i128; 3];
        for (record, p) in self.words.records.iter().zip(&self.words.momenta) {
            for k in 0..3 {
                momentum[k] += i128::from(p[k]);
                squares[record[3] as usize] += u128::from(p[k].unsigned_abs()).pow(2);
            }
        }
        let rule = &self.rule;
        let unit2 = libm::scalbn(1.0, -2 * rule.momentum_exponent);
        let of_species = |(&square, mass): (&u128, &f64)| square as f64 * unit2 / (2.0 * mass);
        let kinetic: f64 = squares.iter().zip(&rule.masses).map(of_species).sum();
        let potential = libm::scalbn(sums.energy as f64, -rule.energy_exponent);
        let virial = libm::scalbn(sums.virial as f64, -rule.virial_exponent);
        let volume: f64 = rule.lengths.iter().product();
        let freedom = self.thermostat.freedom(self.len()).max(1.0);
        Observables {
            step: self.step,
            time: self.step as f64 * rule.dt,
            potential,
            kinetic,
            temperature: 2.0 * kinetic / freedom,
            pressure: (2.0 * kinetic + virial) / (3.0 * volume),
            momentum: momentum.map(|p| libm::scalbn(p as f64, -rule.momentum_exponent)),
        }
    }

    /// Makes steps; `progress` hears of each.
    ///
    /// # Errors
    /// Particles that overlap or move farther than the skin in a step: the run has ended then. A stop asked for through `progress`, after a
    /// whole step.
    pub fn advance(&mut self, steps: u64, progress: &dyn Progress) -> Result<()> {
        #[cfg(feature = "cuda")]
        if self.device.is_some() {
            return self.advance_on_device(steps, progress);
        }
        for _ in 0..steps {
            if progress.stop_requested() {
                return Err(EngineError::Interrupted.into());
            }
            self.advance_one()?;
            progress.advance(1);
        }
        Ok(())
    }

    fn advance_one(&mut self) -> Result<()> {
        let noise = Noise::of(&self.thermostat, &self.rule, self.step);
        let mut swept = self.sweep(|rule, particle| {
            kick(particle);
            shift(rule, particle, noise.is_some())
        });
        if let Some(noise) = &noise {
            let second = self.sweep(|rule, particle| {
                let species = particle.record[3];
                *particle.momentum = noise.applied(particle.id, species, *particle.momentum);
                shift(rule, particle, true)
            });
            swept = swept.and(second);
        }
        self.step += 1;
        self.check_fast(&swept)?;
        // Two particles together.
        if self.forces.by_cells() && 2.0 * swept.moved2.sqrt() * (1.0 + 1e-9) > self.rule.skin {
            self.list();
        }
        let met = self.make(false);
        self.check_overlap(met)?;
        self.sweep(|_, particle| {
            kick(particle);
            Swept::default()
        });
        self.rescale();
        Ok(())
    }

    /// Has threads go over all particles.
    fn sweep(&mut self, work: impl Fn(&Rule, &mut Particle<'_>) -> Swept + Sync) -> Swept {
        let n = self.len();
        let impulses = &self.forces.impulses[..n];
        let built = if self.built.is_empty() {
            impulses
        } else {
            &self.built
        };
        let all = Stretch {
            records: &mut self.words.records[..n],
            momenta: &mut self.words.momenta,
            impulses,
            built,
            ids: &self.words.ids,
        };
        let rule = &self.rule;
        let work = |particle: &mut Particle<'_>| work(rule, particle);
        self.forces.on_threads(|| all.on_threads(work))
    }

    /// Sorts the particles and makes their lists, if lists there are.
    fn list(&mut self) {
        if !self.forces.by_cells() {
            return;
        }
        let n = self.len();
        let (rule, words) = (&self.rule, &self.words);
        let (order, sorted, built) = self.forces.on_threads(|| {
            let order = CellOrder::new(rule, &words.records[..n]);
            let from = || order.from.par_iter().map(|&k| k as usize);
            let built: Vec<_> = from().map(|k| words.records[k]).collect();
            let records = built.par_iter().copied();
            let sorted = Words {
                records: records.chain(rayon::iter::once([0; 4])).collect(),
                momenta: from().map(|k| words.momenta[k]).collect(),
                ids: from().map(|k| words.ids[k]).collect(),
            };
            (order, sorted, built)
        });
        (self.words, self.built) = (sorted, built);
        self.forces.list(&self.rule, &order, &self.words.records);
        self.lists_made += 1;
    }

    fn make(&mut self, sums: bool) -> Met {
        self.forces.make(&self.rule, &self.words.records, sums)
    }

    /// Multiplies the momenta to the temperature, when it is time.
    pub(super) fn rescale(&mut self) {
        let Thermostat::Rescale { temperature, every } = self.thermostat else {
            return;
        };
        if !self.step.is_multiple_of(every) {
            return;
        }
        let found = self.observe().temperature;
        if found > 0.0 {
            let factor = (temperature / found).sqrt();
            for p in self.words.momenta.as_flattened_mut() {
                *p = (*p as f64 * factor).round_ties_even() as i64;
            }
        }
        #[cfg(feature = "cuda")]
        self.momenta_changed();
    }
}
