//! What kernels know: plain structs of the host, and their declarations in CUDA C++ made from the same lines.
//!
//! Entry: [`DeviceJob`], [`SortJob`], [`Unit`], [`Firsts`]; [`DeviceField`], [`FieldSlice`], [`DeviceRand48`]; [`DeviceDynamics`]; [`DeviceTiles`]; `header` declares them all. Nothing here computes.

use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};

/// A type that device memory holds arrays of.
pub trait Element: Pod {
    /// Its name in the sources.
    const NAME: &'static str;
}

macro_rules! elements {
    ($($type:ty => $name:literal),*) => { $(
        impl Element for $type {
            const NAME: &'static str = $name;
        }
    )* };
}
elements!(u32 => "u32", u64 => "u64", f32 => "float", f64 => "double", [u32; 2] => "uint2", [u64; 2] => "ulonglong2", [u32; 4] => "uint4", [i32; 4] => "int4");

/// Where in device memory kernels find values to read; by default nowhere.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct Address<T>(u64, PhantomData<T>);

/// Where in device memory kernels write; by default nowhere.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
pub struct Target<T>(u64, PhantomData<T>);

impl<T> From<u64> for Address<T> {
    fn from(address: u64) -> Self {
        Self(address, PhantomData)
    }
}

impl<T> From<u64> for Target<T> {
    fn from(address: u64) -> Self {
        Self(address, PhantomData)
    }
}

impl<T> Address<T> {
    /// Whether there is nothing.
    pub fn is_nowhere(&self) -> bool {
        self.0 == 0
    }

    /// The address of the value `number` further.
    #[must_use]
    pub fn after(self, number: u64) -> Self {
        Self(self.0 + number * size_of::<T>() as u64, PhantomData)
    }
}

/// The type of a field, as the sources spell it.
trait Field {
    /// The declaration of a field of this type.
    fn declare(name: &str) -> String;
}

macro_rules! numbers {
    ($($type:ty => $name:literal),*) => { $(
        impl Field for $type {
            fn declare(name: &str) -> String {
                format!("{} {name}", $name)
            }
        }
    )* };
}
numbers!(u32 => "u32", u64 => "u64", f32 => "float", f64 => "double");

impl<T: Field, const N: usize> Field for [T; N] {
    fn declare(name: &str) -> String {
        T::declare(&format!("{name}[{N}]"))
    }
}

impl<T: Element> Field for Address<T> {
    fn declare(name: &str) -> String {
        format!("const {}* {name}", T::NAME)
    }
}

impl<T: Element> Field for Target<T> {
    fn declare(name: &str) -> String {
        format!("{}* {name}", T::NAME)
    }
}

/// Declares structs for the host; `declarations` are those for the device, with assertions that both lay them out alike: every field has
/// the size it has here, and all together have that of the struct, which `Pod` allows no gap in, so that the offsets are the same too.
macro_rules! device_structs {
    ($( $(#[$about:meta])* $name:ident { $( $(#[$note:meta])* $field:ident: $type:ty, )* } )*) => {
        $(
            $(#[$about])*
            #[repr(C)]
            #[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
            pub struct $name {
                $( $(#[$note])* pub $field: $type, )*
            }

            impl Default for $name {
                fn default() -> Self {
                    Self::zeroed()
                }
            }

            impl Field for $name {
                fn declare(name: &str) -> String {
                    format!("{} {name}", stringify!($name))
                }
            }
        )*

        pub(super) fn declarations() -> String {
            let mut text = String::new();
            $(
                let fields = [$( field::<$type>(stringify!($field)) ),*];
                text += &declare_struct(stringify!($name), size_of::<$name>(), &fields);
            )*
            text
        }
    };
}

/// A field's name, its declaration and its size.
type Declared = (&'static str, String, usize);

fn field<T: Field>(name: &'static str) -> Declared {
    (name, T::declare(name), size_of::<T>())
}

fn declare_struct(name: &str, size: usize, fields: &[Declared]) -> String {
    let same = |what: &str, size: usize| {
        format!(
            "static_assert(sizeof({what}) == {size}, \"{what} differs from its twin on the host\");\n"
        )
    };
    let (mut declared, mut asserted) = (String::new(), String::new());
    for (field, declaration, size) in fields {
        declared += &["    ", declaration, ";\n"].concat();
        asserted += &same(&format!("{name}::{field}"), *size);
    }
    format!(
        "struct {name} {{\n{declared}}};\n{}{asserted}\n",
        same(name, size)
    )
}

/// The header that declares every struct of this module.
pub(crate) fn header() -> String {
    format!(
        "#pragma once\n#include \"device.cuh\"\n\nnamespace albireo {{\n\n{}{}{}{}{}\n}}  // namespace albireo\n",
        filter::declarations(),
        declarations(),
        sums_per_target::declarations(),
        dynamics::declarations(),
        sampled::declarations()
    )
}

mod dynamics;
mod filter;
mod sampled;
mod sums_per_target;

pub use dynamics::{
    DeviceDynamics, DeviceMoves, DevicePair, DeviceShortPair, DynamicsStep, STATUS,
};
pub use filter::{FilterTerms, TensorCheck, TensorTerms};
pub use sampled::{DeviceTiles, SampledAxis};
pub use sums_per_target::{
    AxisTile, DeviceField, DeviceRand48, FIELD_CONSTANTS, FIELD_SLICE, FIELD_SMALL_BLOCK,
    FIELD_TILE, FieldSlice,
};

/// First points in the constant memory of a launch.
pub const FIRSTS: usize = 96;

device_structs! {
    /// A sample in device memory, in the order that the traversal wants it.
    DeviceSample {
        /// Positions.
        x: Address<f64>,
        /// Positions.
        y: Address<f64>,
        /// Positions.
        z: Address<f64>,
        /// Factors in [-1, 1], or nowhere.
        weight: Address<f64>,
        /// Fractions of the frame, 2^32 to its length, or float offsets from its centre; the last word is unused.
        fixed: Address<[u32; 4]>,
        /// First row of each cell, one entry more than there are cells.
        start: Address<u32>,
        /// With labels, the cells of each: (lowest along each axis, where they begin among all), (how many along each axis, nothing).
        boxes: Address<[u32; 4]>,
        /// Bits of each row, the first word of all rows before the second, or nowhere.
        bits: Address<u64>,
        /// How many bits of each row are set, or nowhere.
        set: Address<u32>,
        /// Directions from the origin, x of all rows before y, or nowhere.
        directions: Address<f64>,
        /// Columns of expressions, the first of all rows before the second, or nowhere.
        columns: Address<f64>,
        /// Number of rows.
        rows: u64,
    }

    /// Bins along one coordinate: the edges, and what the filter makes of them.
    DeviceAxis {
        /// The edges.
        values: Address<f64>,
        /// Their squares.
        squares: Address<f64>,
        /// Arbitrary edges: (edge, margin in the upper and edges below in the lower half).
        table: Address<[u32; 2]>,
        /// First guess at the bin: root * scale + offset.
        guess_scale: f64,
        /// See `guess_scale`.
        guess_offset: f64,
        /// Number of bins.
        bins: u32,
        /// Values below the first edge belong to the first bin.
        closed_low: u32,
        /// Values at or above the last edge belong to the last bin.
        closed_high: u32,
        /// Fraction bits of a slot.
        shift: u32,
        /// Along: the fraction bits; across: those of them that are all zero too near an edge, and only there.
        mask: u32,
        /// Fractions below this are too near an edge.
        doubt: u32,
        /// Bits of a float below those that find its entry in the table.
        key_shift: u32,
        /// The lowest key.
        key_low: u32,
        /// The highest key.
        key_high: u32,
        /// Scaled coordinate to slots in fixed point.
        scale: f32,
        /// 2^23 plus the offset: the sum's mantissa is the slot in fixed point.
        magic: f32,
        /// Clamps that keep the slot in [0, bins + 1].
        low: f32,
        /// See `low`.
        high: f32,
        /// Slots that the sums hold below slot 0.
        skip: u32,
    }

    /// The images of a pair.
    ImageTerms {
        /// Lengths of a periodic box.
        length: [f64; 3],
        /// Their halves; infinity along open axes.
        half: [f64; 3],
        /// Triclinic: 125 lattice vectors in order of preference.
        translations: Address<f64>,
        /// An image closer than this is the nearest.
        nearest2: f64,
        /// An image at least as far as this cannot be counted.
        beyond2: f64,
    }

    /// The frame of positions, its cells and their neighbours.
    GridTerms {
        /// `position = origin + basis * fraction`.
        origin: [f64; 3],
        /// Columns are the frame's vectors.
        basis: [f64; 9],
        /// Length to scaled length: float32 could not hold that of every unit of length.
        unit: f64,
        /// Neighbour rows: (dy | dz << 16, low, high, part).
        rows: Address<[i32; 4]>,
        /// (first cell, number of cells, first row, past the last row).
        tiles: Address<[u32; 4]>,
        /// Next tile.
        ticket: Target<u32>,
        /// Cells along each axis.
        cells: [u32; 3],
        /// Which axes are periodic.
        periodic: [u32; 3],
        /// Number of neighbour rows; with classes the most that a tile meets.
        n_rows: u32,
        /// Stretches that one row can fall into.
        row_parts: u32,
        /// Classes: for each tile (the second label, a table, another or none, whether both labels are one).
        meetings: Address<[u32; 4]>,
        /// Classes: neighbour rows between cells of different labels, those of one label coming first.
        n_within: u32,
        /// Number of neighbour rows between different labels.
        n_apart: u32,
    }

    /// What is summed, and where.
    SumTerms {
        /// Pairs of each bin.
        counts: Target<u64>,
        /// The sums, one after the other: two words a bin, low first.
        sums: Target<u64>,
        /// Bins of all tables: how far one sum is from the next.
        all: u64,
        /// Pairs that the shared sums surely hold.
        flush_pairs: u64,
        /// Inverse probabilities by the number of common bits.
        inverse: Address<f64>,
        /// What these are multiplied by, by the bits set in both rows.
        counter: Address<f64>,
        /// Angles: the square of a chord, the factor there, and its change with the square up to the next.
        angles: Address<f64>,
        /// Constants of expressions: their numbers, bounds and scales.
        constants: Address<f64>,
        /// The factor at other angles.
        outside: f64,
        /// Brings the coordinate across below 1: a power of two.
        coordinate_scale: f64,
        /// Number of sums.
        number: u32,
        /// Number of bins.
        bins: u32,
        /// Words of bits a row; 0 where pairs are not weighed by them.
        words: u32,
        /// The fewest bits that are set, of rows for which there is a counter.
        counter_low: u32,
        /// Numbers of bits from there on; 0 without a counter.
        counter_width: u32,
        /// Number of angles; 0 where pairs are not weighed by them.
        n_angles: u32,
        /// 1 where a sum takes the coordinate across, 2 where that is an angle.
        coordinate: u32,
        /// 1 where a sum takes a polynomial, and 2 where one takes the components of the separation.
        measures: u32,
    }

    /// The line of sight.
    SightTerms {
        /// 0, 1, 2 along that axis; 3 midpoint; 4 first point; 5 end point.
        kind: u32,
        /// What it takes of the first point: 0 or 1.
        of_first: f32,
        /// What it takes of the second point.
        of_second: f32,
        /// Bits of a float kept along an observer's line of sight: all, or all but the sign.
        sign_kept: u32,
    }

    /// Where slots across and along lie among the sums of a block.
    PlaceTerms {
        /// Sums that a block holds, those of no bin included.
        slots: u32,
        /// Place of the first of them.
        first: u32,
        /// Those of them that are results; the rest is for padding.
        flushed: u32,
        /// Sums from one slot across to the next.
        stride: u32,
        /// From the filter's numbering of slots to places among the sums.
        bias: u32,
        /// Place of slot 0, which is no bin.
        zero: u32,
    }

    /// A counting job.
    DeviceJob {
        /// First points.
        first: DeviceSample,
        /// Second points.
        second: DeviceSample,
        /// r, s or rp.
        across: DeviceAxis,
        /// mu or pi.
        along: DeviceAxis,
        /// Images.
        images: ImageTerms,
        /// Frame and cells.
        grid: GridTerms,
        /// Sums.
        sums: SumTerms,
        /// The filter.
        filter: FilterTerms,
        /// The same by tensor cores.
        tensor: TensorTerms,
        /// The line of sight.
        sight: SightTerms,
        /// Places among the sums.
        places: PlaceTerms,
        /// 0 cross, 1 auto i < j, 2 auto i != j.
        order: u32,
        /// Whether pairs within a cell are visited.
        own: u32,
        /// Number of realisations that are counted apart; 0 where there are none.
        realisations: u32,
        /// Nothing: the size is a multiple of 8 without a hidden gap.
        gap: u32,
    }

    /// The part of a job that one launch does.
    Unit {
        /// First rows, or tiles.
        begin: u64,
        /// Past the last.
        end: u64,
        /// First rows a block (all pairs).
        chunk: u64,
    }

    /// What one launch of the kernel `constant` does. With the job it fits in the 4096 bytes that the arguments of a launch may have.
    Firsts {
        /// Row of the first of them.
        begin: u64,
        /// How many there are.
        number: u64,
        /// Positions.
        x: [f64; FIRSTS],
        /// Positions.
        y: [f64; FIRSTS],
        /// Positions.
        z: [f64; FIRSTS],
        /// Weights.
        weight: [f64; FIRSTS],
    }

    /// Sorting one sample into cells.
    SortJob {
        /// Positions.
        x: Address<f64>,
        /// Positions.
        y: Address<f64>,
        /// Positions.
        z: Address<f64>,
        /// Weights, or nowhere.
        weight: Address<f64>,
        /// Labels, or nowhere: cells of one label come before those of the next.
        labels: Address<u32>,
        /// Where positions go.
        sorted_x: Target<f64>,
        /// Where positions go.
        sorted_y: Target<f64>,
        /// Where positions go.
        sorted_z: Target<f64>,
        /// Where weights go.
        sorted_weight: Target<f64>,
        /// Where fractions go.
        sorted_fixed: Target<[u32; 4]>,
        /// Counts, then running totals; one entry more than there are cells.
        start: Target<u32>,
        /// Cell of each unsorted row.
        cell: Target<u32>,
        /// Its rank within the cell.
        rank: Target<u32>,
        /// Number of rows.
        rows: u64,
        /// Fraction k is `inverse_k . (position - origin)`.
        origin: [f64; 3],
        /// Rows of the inverse.
        inverse: [f64; 9],
        /// Cells along each axis.
        cells: [u32; 3],
        /// Number of cells, those of all labels.
        number: u32,
        /// With labels, the cells of each: (lowest along each axis, where they begin among all), (how many along each axis, nothing).
        boxes: Address<[u32; 4]>,
        /// Bits, or the words of columns, row after row.
        bits: Address<u64>,
        /// Where they go, word after word.
        sorted_bits: Target<u64>,
        /// Where the number of bits that are set goes, or nowhere.
        sorted_set: Target<u32>,
        /// Where directions go.
        sorted_directions: Target<f64>,
        /// Words a row.
        words: u64,
    }
}

const _: () = assert!(size_of::<DeviceJob>() + size_of::<Firsts>() <= 4096);

#[cfg(test)]
#[path = "structs_tests.rs"]
mod tests;
