//! What the filters know besides their axes.

use super::{Field, Target, declare_struct, field};
use bytemuck::{Pod, Zeroable};

device_structs! {
    /// The float32 filter, besides its axes.
    FilterTerms {
        /// Fixed point to scaled lengths, along each axis of a rectangular frame.
        scale: [f32; 3],
        /// Squared separations below this are rechecked (line of sight from an observer).
        floor2: f32,
        /// Steps of a fixed-axis cosine's doubt, times the separation.
        doubt_by_inverse: f32,
        /// 2^23 and the steps of its doubt at any separation.
        doubt_least: f32,
        /// Squared lines of sight below this are rechecked.
        sight_floor2: f32,
        /// Squared separations above this are in no bin.
        reach2: f32,
        /// Where padding lies, in scaled lengths.
        pad: f32,
    }

    /// The filter by tensor cores, in its own scaled lengths; errors in steps of 2^-16 bin.
    TensorTerms {
        /// What every square has more, so that no error brings it below 0.
        more: f32,
        /// The square of a separation that is in no bin.
        pad2: f32,
        /// Squared separations above this are in no bin.
        reach2: f32,
        /// The error that depends on nothing.
        fixed: f32,
        /// What the largest term of a square adds to the error times the separation.
        by_term: f32,
        /// What every square adds to it.
        least: f32,
        /// The square of the lowest edge above 0.
        lowest2: f32,
    }

    /// A check of tensor cores.
    TensorCheck {
        /// How many sums are less exact than their bound.
        wrong: Target<u32>,
        /// Where shared memory of a block may begin at most.
        most_address: u32,
        /// Nothing.
        gap: u32,
    }
}
