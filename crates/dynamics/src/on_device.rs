//! Particles, lists and steps in the memory of a device: the same words as on the host.
//!
//! Entry: [`OnDevice`], behind [`Stepping`]. A batch of steps is launched without a look at it; a word of the status tells each kernel whether it
//! is to be done. Where the run has stopped on the way, the device goes back to the beginning of the batch and makes the whole steps before.

use std::fmt;
use std::sync::Arc;

use albireo_gpu::{CudaError, Device, Devices, LaunchShape};
use albireo_kernels::structs::{
    DeviceDynamics, DeviceMoves, DevicePair, DeviceShortPair, DynamicsStep, STATUS,
};
use albireo_kernels::{DynamicsEntry, DynamicsKernel, Kernel};
use albireo_simd::fixed_point::power_of_two;

use super::cells::{Grid, NEAREST, list_limit, units_of_halves};
use super::lanes::PairSums;
use super::pair_rule::PairRule;
use super::rule::Rule;
use super::thermostat::Noise;
use super::words::Words;

/// Whether steps were made, or why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stepped {
    /// All of them.
    Whole,
    /// After so many of them particles overlap or are too fast.
    Refused(u64),
}

/// Steps on a device.
pub(super) trait Stepping: fmt::Debug + Send + Sync {
    /// Takes particles, makes their lists and their impulses.
    fn take(&mut self, words: &Words) -> Result<Stepped, CudaError>;
    /// Takes what all steps with noise have in common.
    fn take_noise(&mut self, noise: &Noise) -> Result<(), CudaError>;
    /// Makes steps; with noise that of each.
    fn step(&mut self, steps: u64, noise: &[u64]) -> Result<Stepped, CudaError>;
    /// Gives the particles back.
    fn give(&self, words: &mut Words) -> Result<(), CudaError>;
    /// Energies and virials of all pairs.
    fn sums(&mut self) -> Result<PairSums, CudaError>;
    /// How often lists were made.
    fn lists_made(&self) -> u64;
}

/// Begins runs on a device.
pub(super) trait Begins: Send + Sync {
    fn begin(&self, rule: &Rule, particles: usize) -> Result<Box<dyn Stepping>, CudaError>;
}

/// Devices, the first of which makes the steps.
pub(super) struct OnFirst<N>(pub(super) Arc<N>);

impl<N: Devices + Send + Sync + 'static> Begins for OnFirst<N> {
    fn begin(&self, rule: &Rule, particles: usize) -> Result<Box<dyn Stepping>, CudaError> {
        let devices = Arc::clone(&self.0);
        Ok(Box::new(OnDevice::new(devices, rule, particles)?))
    }
}

/// Memory for rounding the size of each buffer.
const ROOM: u64 = 1 << 13;
/// Threads a block: of kernels over particles, of lists and forces, of the running total.
const THREADS: u32 = 256;
const FORCE_THREADS: u32 = 128;
const TOTAL_THREADS: u32 = 1024;
/// Steps from one look at the status to the next.
const BATCH: u64 = 64;
/// Places of the status, and what it tells of a stop.
const RELIST: usize = 0;
const STOP: usize = 1;
const WHOLE: usize = 2;
const LISTED: usize = 3;
const LONGEST: usize = 4;
const FULL: u64 = 2;

/// The buffers of a run.
struct Buffers<M> {
    place: M,
    momentum: M,
    id: M,
    start: M,
    neighbour: M,
    status: M,
    sums: M,
    width: M,
    /// Those that only kernels know.
    _others: Vec<M>,
}

/// A run on the first of some devices.
struct OnDevice<N: Devices> {
    devices: Arc<N>,
    job: DeviceDynamics,
    buffers: Buffers<<N::Device as Device>::Memory>,
    kernel: DynamicsKernel,
    lists_made: u64,
}

impl<N: Devices> fmt::Debug for OnDevice<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnDevice").finish_non_exhaustive()
    }
}

/// What kernels know of the rule, without addresses.
fn told(rule: &Rule, particles: usize) -> DeviceDynamics {
    let grid = Grid::new(rule, particles);
    let diagonal = rule.lengths.map(|length| length * length);
    let diagonal = diagonal.iter().sum::<f64>().sqrt() * power_of_two(-32);
    // Of two particles that have gone farther than half the skin, cut fractions and float32 squares allowed for, lists may lack the pair.
    let farthest = (rule.skin / 2.0 - 2.0 * diagonal).max(0.0);
    DeviceDynamics {
        particles: particles as u64,
        species: rule.species as u64,
        units: rule.units,
        virial_factor: rule.virial_factor,
        closest: rule.closest(),
        short_units: units_of_halves(rule),
        list2: list_limit(rule),
        moved2: (farthest * farthest * (1.0 - 1e-5)) as f32,
        cells: grid.n.map(|n| n as u32),
        near: grid.n.map(|n| n.min(2 * NEAREST + 1) as u32),
        ..DeviceDynamics::default()
    }
}

/// Neighbours that a list has room for at first: of twice the mean density.
fn first_room(rule: &Rule, particles: usize) -> u64 {
    let volume: f64 = rule.lengths.iter().product();
    let ball = (rule.reach + rule.skin).powi(3) * 4.2;
    let mean = particles as f64 / volume * ball;
    (2.0 * mean + 16.0).min(particles as f64) as u64
}

/// A buffer of so many values, and its address.
fn buffer<D: Device>(device: &D, bytes: usize) -> Result<(D::Memory, u64), CudaError> {
    let memory = device.allocate(bytes)?;
    let address = device.address(&memory);
    Ok((memory, address))
}

fn filled<D: Device, T: bytemuck::Pod>(
    device: &D,
    values: &[T],
) -> Result<(D::Memory, u64), CudaError> {
    let (mut memory, address) = buffer(device, size_of_val(values))?;
    device.upload(&mut memory, values)?;
    Ok((memory, address))
}

/// The coefficients of all pairs of species, in both precisions, and how species move.
fn tables(rule: &Rule) -> (Vec<DevicePair>, Vec<DeviceShortPair>, Vec<DeviceMoves>) {
    let pairs = rule.pairs.iter();
    let pairs = pairs.map(
        |PairRule {
             force: pair,
             energy,
         }| DevicePair {
            reach2: pair.reach2,
            sigma2: pair.sigma2,
            repulsion: pair.repulsion,
            attraction: pair.attraction,
            force_off: pair.force_off,
            well: energy.well,
            slope: energy.slope,
            energy_off: energy.energy_off,
        },
    );
    let single = rule.single.iter().flat_map(|single| &single.pairs);
    let shorts = single.map(|pair| DeviceShortPair {
        reach2: pair.reach2,
        sigma2: pair.sigma2,
        repulsion: pair.repulsion,
        attraction: pair.attraction,
        force_off: pair.force_off,
    });
    let moves = (0..rule.species as i64).map(|species| {
        let [x, y, z] = [0, 1, 2].map(|axis| rule.ratio(species, axis));
        DeviceMoves {
            factor: [x.0, y.0, z.0],
            shift: [x.1, y.1, z.1].map(u64::from),
            most: rule.most(species),
        }
    });
    let mut shorts: Vec<_> = shorts.collect();
    if shorts.is_empty() {
        shorts.push(DeviceShortPair::default());
    }
    (pairs.collect(), shorts, moves.collect())
}

/// Memory that only kernels know, or that no call changes.
fn others<D: Device>(
    device: &D,
    job: &mut DeviceDynamics,
    rule: &Rule,
) -> Result<Vec<D::Memory>, CudaError> {
    let n = job.particles as usize;
    let mut others = vec![];
    let mut unseen = |bytes: usize| -> Result<u64, CudaError> {
        let (memory, address) = buffer(device, bytes)?;
        others.push(memory);
        Ok(address)
    };
    job.other_place = unseen(32 * n)?.into();
    job.other_momentum = unseen(24 * n)?.into();
    job.other_id = unseen(4 * n)?.into();
    job.sorted_place = unseen(32 * n)?.into();
    job.sorted_momentum = unseen(24 * n)?.into();
    job.sorted_id = unseen(4 * n)?.into();
    job.upper = unseen(16 * n)?.into();
    job.built = unseen(16 * n)?.into();
    job.impulse = unseen(24 * n)?.into();
    job.cell = unseen(4 * n)?.into();
    job.rank = unseen(4 * n)?.into();
    job.neighbours = unseen(4 * n)?.into();
    let (pairs, shorts, moves) = tables(rule);
    let (pairs, shorts) = (filled(device, &pairs)?, filled(device, &shorts)?);
    let moves = filled(device, &moves)?;
    (job.pair, job.short_pair) = (pairs.1.into(), shorts.1.into());
    job.moves = moves.1.into();
    others.extend([pairs.0, shorts.0, moves.0]);
    Ok(others)
}

impl<M> Buffers<M> {
    /// The memory of a run, whose addresses go into `job`.
    fn new<D: Device<Memory = M>>(
        device: &D,
        job: &mut DeviceDynamics,
        rule: &Rule,
    ) -> Result<Self, CudaError> {
        let n = job.particles as usize;
        let cells: usize = job.cells.iter().map(|&n| n as usize).product();
        let lists = 4 * n * job.room as usize;
        let each = 3 * (32 + 24 + 4) + 2 * 16 + 24 + 12;
        let of_species = 84 * (1 + job.species * job.species);
        device.make_room((n * each + lists + 4 * cells) as u64 + of_species + 24 * ROOM)?;
        let others = others(device, job, rule)?;
        let made = |bytes: usize| buffer(device, bytes);
        let (place, momentum, id) = (made(32 * n)?, made(24 * n)?, made(4 * n)?);
        let (start, neighbour) = (made(4 * (cells + 1))?, made(lists)?);
        let (status, sums) = (made(8 * STATUS)?, made(8 * 4)?);
        let width = made(8 * rule.species)?;
        (job.place, job.momentum) = (place.1.into(), momentum.1.into());
        (job.id, job.start) = (id.1.into(), start.1.into());
        (job.neighbour, job.status) = (neighbour.1.into(), status.1.into());
        (job.sums, job.width) = (sums.1.into(), width.1.into());
        Ok(Self {
            place: place.0,
            momentum: momentum.0,
            id: id.0,
            start: start.0,
            neighbour: neighbour.0,
            status: status.0,
            sums: sums.0,
            width: width.0,
            _others: others,
        })
    }
}

impl<N: Devices> OnDevice<N> {
    fn new(devices: Arc<N>, rule: &Rule, particles: usize) -> Result<Self, CudaError> {
        let mut job = told(rule, particles);
        job.room = first_room(rule, particles);
        let buffers = Buffers::new(&devices.all()[0], &mut job, rule)?;
        Ok(Self {
            devices,
            job,
            buffers,
            kernel: DynamicsKernel {
                entry: DynamicsEntry::Move,
                single: rule.single.is_some(),
                alike: rule.species == 1,
                forces_off: rule.pairs.iter().any(|pair| pair.force.force_off != 0.0),
            },
            lists_made: 0,
        })
    }

    fn device(&self) -> &N::Device {
        &self.devices.all()[0]
    }

    fn launch(&self, entry: DynamicsEntry, step: DynamicsStep) -> Result<(), CudaError> {
        use DynamicsEntry::{List, Push, Sums, Total};
        let (threads, shared) = match entry {
            Total => (TOTAL_THREADS, 4 * TOTAL_THREADS),
            Sums => (FORCE_THREADS, 8 * FORCE_THREADS),
            List | Push => (FORCE_THREADS, 0),
            _ => (THREADS, 0),
        };
        let blocks = match entry {
            Total => 1,
            _ => self.job.particles.div_ceil(u64::from(threads)) as u32,
        };
        let shape = LaunchShape {
            grid: [blocks, 1],
            threads,
            shared: shared as usize,
        };
        let kernel = Kernel::Dynamics(DynamicsKernel {
            entry,
            ..self.kernel
        });
        self.device().launch(kernel, shape, &self.job, &step)
    }

    /// Makes lists, if that has been asked for, and impulses, which momenta take where the step's flag is set.
    fn meet(&self, step: DynamicsStep) -> Result<(), CudaError> {
        use DynamicsEntry::{Count, List, Push, Settle, Sort, Total};
        for entry in [Count, Total, Sort, Settle, List, Push] {
            self.launch(entry, step)?;
        }
        Ok(())
    }

    fn status(&self) -> Result<[u64; STATUS], CudaError> {
        let mut status = [0; STATUS];
        self.device().download(&self.buffers.status, &mut status)?;
        Ok(status)
    }

    fn set_status(&mut self, status: [u64; STATUS]) -> Result<(), CudaError> {
        let device = &self.devices.all()[0];
        device.upload(&mut self.buffers.status, &status)
    }

    /// Makes lists and impulses of particles that have come to the device, with more room where lists need it; whether none overlap.
    fn begin(&mut self) -> Result<bool, CudaError> {
        loop {
            let mut status = [0; STATUS];
            status[RELIST] = 1;
            self.set_status(status)?;
            let device = &self.devices.all()[0];
            device.clear(&mut self.buffers.start)?;
            self.meet(DynamicsStep::default())?;
            let status = self.status()?;
            self.lists_made += status[LISTED];
            if status[STOP] != FULL {
                return Ok(status[STOP] == 0);
            }
            self.make_room(status[LONGEST])?;
        }
    }

    /// Gives lists room for so many neighbours and some more.
    fn make_room(&mut self, longest: u64) -> Result<(), CudaError> {
        self.job.room = (longest + longest / 4 + 8).min(self.job.particles);
        let bytes = 4 * self.job.particles * self.job.room;
        let device = &self.devices.all()[0];
        device.make_room(bytes + ROOM)?;
        let (memory, address) = buffer(device, bytes as usize)?;
        self.job.neighbour = address.into();
        self.buffers.neighbour = memory;
        Ok(())
    }

    /// Launches steps after a look at the status, which counts them.
    fn batch(&mut self, steps: u64, noise: &[u64]) -> Result<[u64; STATUS], CudaError> {
        self.set_status([0; STATUS])?;
        for number in 0..steps {
            let of_step = noise.get(number as usize);
            let step = DynamicsStep {
                number,
                noise: of_step.copied().unwrap_or(0),
                flag: u64::from(of_step.is_some()),
            };
            self.launch(DynamicsEntry::Move, step)?;
            self.meet(DynamicsStep { flag: 1, ..step })?;
        }
        self.status()
    }

    /// Brings back what was kept, and its lists and impulses.
    fn go_back(&mut self) -> Result<(), CudaError> {
        let back = DynamicsStep {
            flag: 1,
            ..DynamicsStep::default()
        };
        self.launch(DynamicsEntry::Keep, back)?;
        self.begin().map(|_| ())
    }
}

impl<N: Devices + Send + Sync + 'static> Stepping for OnDevice<N> {
    fn take(&mut self, words: &Words) -> Result<Stepped, CudaError> {
        let n = self.job.particles as usize;
        let mut momenta = vec![0i64; 3 * n];
        for (row, momentum) in words.momenta.iter().enumerate() {
            for (k, p) in momentum.iter().enumerate() {
                momenta[k * n + row] = *p;
            }
        }
        let device = &self.devices.all()[0];
        device.upload(&mut self.buffers.place, &words.records[..n])?;
        device.upload(&mut self.buffers.momentum, &momenta)?;
        device.upload(&mut self.buffers.id, &words.ids)?;
        let apart = self.begin()?;
        Ok(if apart {
            Stepped::Whole
        } else {
            Stepped::Refused(0)
        })
    }

    fn take_noise(&mut self, noise: &Noise) -> Result<(), CudaError> {
        let (kept, widths) = noise.widths();
        self.job.kept = kept;
        let device = &self.devices.all()[0];
        device.upload(&mut self.buffers.width, widths)
    }

    fn step(&mut self, steps: u64, noise: &[u64]) -> Result<Stepped, CudaError> {
        let mut made = 0;
        while made < steps {
            let some = BATCH.min(steps - made);
            self.launch(DynamicsEntry::Keep, DynamicsStep::default())?;
            let noise = noise.get(made as usize..).unwrap_or_default();
            let status = self.batch(some, noise)?;
            if status[STOP] == 0 {
                self.lists_made += status[LISTED];
                made += some;
                continue;
            }
            self.go_back()?;
            if status[STOP] == FULL {
                self.make_room(status[LONGEST])?;
                self.begin()?;
                continue;
            }
            let whole = status[WHOLE];
            self.batch(whole, noise)?;
            return Ok(Stepped::Refused(made + whole));
        }
        Ok(Stepped::Whole)
    }

    fn give(&self, words: &mut Words) -> Result<(), CudaError> {
        let n = self.job.particles as usize;
        let mut momenta = vec![0i64; 3 * n];
        words.records.resize(n, [0; 4]);
        words.ids.resize(n, 0);
        let device = self.device();
        device.download(&self.buffers.place, &mut words.records)?;
        device.download(&self.buffers.momentum, &mut momenta)?;
        device.download(&self.buffers.id, &mut words.ids)?;
        words.records.push([0; 4]);
        let row = |row: usize| [0, 1, 2].map(|k| momenta[k * n + row]);
        words.momenta = (0..n).map(row).collect();
        Ok(())
    }

    fn sums(&mut self) -> Result<PairSums, CudaError> {
        let device = &self.devices.all()[0];
        device.clear(&mut self.buffers.sums)?;
        self.launch(DynamicsEntry::Sums, DynamicsStep::default())?;
        let mut words = [0u64; 4];
        self.device().download(&self.buffers.sums, &mut words)?;
        let whole = |low: u64, high: u64| {
            let twice = (i128::from(high.cast_signed()) << 32) + i128::from(low);
            twice / 2
        };
        Ok(PairSums {
            energy: whole(words[0], words[1]),
            virial: whole(words[2], words[3]),
        })
    }

    fn lists_made(&self) -> u64 {
        self.lists_made
    }
}
