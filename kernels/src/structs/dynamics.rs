//! What kernels know of particles that move.

use super::{Address, Element, Field, Target, declare_struct, field};
use bytemuck::{Pod, Zeroable};

/// Numbers of a run that kernels keep, by their place in [`DeviceDynamics::status`].
pub const STATUS: usize = 8;

device_structs! {
    /// Coefficients of two species, as the rule of the host has them.
    DevicePair {
        /// The square of the cutoff.
        reach2: f64,
        /// That of sigma.
        sigma2: f64,
        /// 48 epsilon/sigma^2 times half a step, in momenta.
        repulsion: f64,
        /// 24 epsilon/sigma^2 times half a step.
        attraction: f64,
        /// The force at the cutoff over sigma times half a step, where it is taken off.
        force_off: f64,
        /// 4 epsilon, in energies.
        well: f64,
        /// The force at the cutoff, in energies.
        slope: f64,
        /// The potential there with it.
        energy_off: f64,
    }

    /// The same in float32, without energies.
    DeviceShortPair {
        /// See [`DevicePair`].
        reach2: f32,
        /// See [`DevicePair`].
        sigma2: f32,
        /// See [`DevicePair`].
        repulsion: f32,
        /// See [`DevicePair`].
        attraction: f32,
        /// See [`DevicePair`].
        force_off: f32,
    }

    /// How a species moves.
    DeviceMoves {
        /// A step moves by momentum times factor / 2^shift, along each axis.
        factor: [u64; 3],
        /// See `factor`.
        shift: [u64; 3],
        /// The largest momentum that a step may begin with.
        most: u64,
    }

    /// Particles that move.
    DeviceDynamics {
        /// Two for each particle: (x, y), (z, species); fractions of the box in units of 2^-64.
        place: Target<[u64; 2]>,
        /// The upper halves of x, y and z, and the species.
        upper: Target<[u32; 4]>,
        /// The upper halves when lists were made.
        built: Target<[u32; 4]>,
        /// Momenta, all along x first.
        momentum: Target<u64>,
        /// Impulses of half a step, all along x first.
        impulse: Target<u64>,
        /// The number of each particle at the start.
        id: Target<u32>,
        /// What is kept to come back to.
        other_place: Target<[u64; 2]>,
        /// See `other_place`.
        other_momentum: Target<u64>,
        /// See `other_place`.
        other_id: Target<u32>,
        /// Where particles are put in the order of cells.
        sorted_place: Target<[u64; 2]>,
        /// See `sorted_place`.
        sorted_momentum: Target<u64>,
        /// See `sorted_place`.
        sorted_id: Target<u32>,
        /// The cell of each particle, and its rank within.
        cell: Target<u32>,
        /// See `cell`.
        rank: Target<u32>,
        /// Counts of cells, then their first particles; one entry more than there are cells.
        start: Target<u32>,
        /// The neighbours of all particles: the first of each, the second of each ..
        neighbour: Target<u32>,
        /// How many each has.
        neighbours: Target<u32>,
        /// What the run has come to.
        status: Target<u64>,
        /// Energies and virials of all pairs from both sides: lower 32 bits and the others of each.
        sums: Target<u64>,
        /// A row a species.
        pair: Address<DevicePair>,
        /// A row a species.
        short_pair: Address<DeviceShortPair>,
        /// By species.
        moves: Address<DeviceMoves>,
        /// The width of the noise by species, in momenta.
        width: Address<f64>,
        /// Number of particles.
        particles: u64,
        /// Neighbours that a list has room for.
        room: u64,
        /// Number of species.
        species: u64,
        /// The lengths of the box over 2^64.
        units: [f64; 3],
        /// See the rule of the host.
        virial_factor: f64,
        /// (sigma/r)^2 of particles that overlap is more.
        closest: f64,
        /// What friction leaves of a momentum.
        kept: f64,
        /// The lengths of the box over 2^32.
        short_units: [f32; 3],
        /// Pairs with a smaller square are in lists.
        list2: f32,
        /// Lists are made anew where a particle has gone farther.
        moved2: f32,
        /// Cells along each axis.
        cells: [u32; 3],
        /// Cells along each axis that may hold neighbours.
        near: [u32; 3],
        /// Nothing.
        gap: u32,
    }

    /// What a launch is to do.
    DynamicsStep {
        /// How many steps of the batch came before.
        number: u64,
        /// Where the random numbers of the step begin.
        noise: u64,
        /// Whether there is noise, impulses are added, or what was kept is brought back.
        flag: u64,
    }
}

impl Element for DevicePair {
    const NAME: &'static str = "DevicePair";
}

impl Element for DeviceShortPair {
    const NAME: &'static str = "DeviceShortPair";
}

impl Element for DeviceMoves {
    const NAME: &'static str = "DeviceMoves";
}
