//! What kernels know of sums per target and of random numbers.

use super::{Address, Element, Field, Target, declare_struct, field};
use bytemuck::{Pod, Zeroable};

/// Points of a tile along the three axes: a lane has a row of the last.
pub const FIELD_TILE: [u32; 3] = [4, 8, 8];

/// Points of a block along each axis where sources are in small bins.
pub const FIELD_SMALL_BLOCK: u32 = 8;

/// Sources of a slice in constant memory.
pub const FIELD_SLICE: usize = 64;

/// The most constants of a term.
pub const FIELD_CONSTANTS: usize = 32;

impl Element for AxisTile {
    const NAME: &'static str = "AxisTile";
}

device_structs! {
    /// A tile of a grid along one axis.
    AxisTile {
        /// A point in its middle, as a fraction of the frame.
        centre: u64,
        /// None of its points is farther from there.
        half: f64,
        /// The first cell with sources in reach, and how many there are; after the last comes the first.
        cells: [u32; 2],
        /// How many points it has.
        points: u32,
        /// Small bins: where the distances of its bins begin among those of the axis.
        gap: u32,
    }

    /// Sums per target.
    DeviceField {
        /// The sources along each axis, as fractions of the frame, cell by cell.
        source: [Address<u64>; 3],
        /// Their strengths in units of the fixed point.
        strength: Address<f64>,
        /// Their sizes, or nowhere.
        size: Address<f64>,
        /// The first source of each cell, the third axis fastest; one entry more than there are cells.
        start: Address<u32>,
        /// Where sums go.
        sums: Target<u64>,
        /// Pairs closer than `r_min`.
        close: Target<u64>,
        /// Variants: tests of distances, and those that succeed.
        tested: Target<u64>,
        /// Small bins: the squared distances of bins from tiles along each axis.
        gaps: [Address<f64>; 3],
        /// Grids: the points along each axis.
        along: [Address<u64>; 3],
        /// Grids: the tiles along each axis.
        tiles: [Address<AxisTile>; 3],
        /// Points: the targets along each axis.
        target: [Address<u64>; 3],
        /// Points: the first cell with sources in reach along each axis, and how many there are.
        near: [Address<[u32; 2]>; 3],
        /// The vectors of the frame over 2^64, one after the other.
        units: [f64; 9],
        /// Skewed frames: what a separation may be along each axis at most, in units of 2^-64 of the frame.
        most: [f64; 3],
        /// Products over the axes: one over the width of a cloud along each.
        per_width: [f64; 3],
        /// The square of the reach.
        reach2: f64,
        /// A little more.
        candidate2: f64,
        /// The square of `r_min`.
        least2: f64,
        /// The constants of the term.
        constants: [f64; FIELD_CONSTANTS],
        /// The same in float32.
        constants32: [f32; FIELD_CONSTANTS],
        /// The polynomials of a term, or nowhere.
        table: Address<f64>,
        /// The same in float32.
        table32: Address<f32>,
        /// Points of the grid along each axis.
        shape: [u64; 3],
        /// Cells along each axis.
        n_cells: [u32; 3],
        /// Tiles along each axis.
        n_tiles: [u32; 3],
        /// The high word of `least2`, or its bits in float32.
        least_order: u32,
        /// The number of the last polynomial.
        last_piece: u32,
        /// Small bins: the most sources of a bin.
        room: u32,
        /// Nothing.
        unused: u32,
    }

    /// Sources that a launch carries as its arguments, and the points that they meet. With the job it fits in the 4096 bytes of those.
    FieldSlice {
        /// How many sources there are.
        number: u64,
        /// The plane that sums begin with.
        plane: u64,
        /// The first point along each axis.
        first: [u64; 3],
        /// How many points there are.
        points: [u64; 3],
        /// The sources along each axis, as fractions of the frame.
        x: [u64; FIELD_SLICE],
        /// See `x`.
        y: [u64; FIELD_SLICE],
        /// See `x`.
        z: [u64; FIELD_SLICE],
        /// Their strengths in units of the fixed point.
        strength: [f64; FIELD_SLICE],
        /// Their sizes, or 1.
        size: [f64; FIELD_SLICE],
    }

    /// Random numbers.
    DeviceRand48 {
        /// Where numbers go: of 8 bytes for drand48, of 4 for the others.
        numbers: Target<u64>,
        /// The state before the first of them.
        state: u64,
        /// Streams that take turns.
        streams: u64,
        /// As many steps as there are streams multiply a state by this..
        multiplier: u64,
        /// ..and add this.
        increment: u64,
        /// The same for 2^k steps.
        multipliers: [u64; 32],
        /// See `multipliers`.
        increments: [u64; 32],
    }
}

const _: () = assert!(size_of::<DeviceField>() + size_of::<FieldSlice>() <= 4096);
