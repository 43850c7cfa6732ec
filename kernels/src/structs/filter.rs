//! What the filters know besides their axes.

use super::{Field, declare_struct, field};
use bytemuck::{Pod, Zeroable};

device_structs! {
    /// The float32 filter, besides its axes.
    FilterTerms {
        /// Fixed point to scaled lengths.
        matrix: [f32; 9],
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
}
