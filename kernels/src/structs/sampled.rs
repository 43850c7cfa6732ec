//! What kernels know of quads and triples of random points.

use super::{Address, Field, Target, declare_struct, field};
use bytemuck::{Pod, Zeroable};

device_structs! {
    /// Float32 bins along one coordinate.
    SampledAxis {
        /// One edge more than there are bins, where they are not even.
        edges: Address<f32>,
        /// Number of bins.
        bins: u32,
        /// Whether a bin is `trunc((x - first) * per)`, below `limit` and at most the last.
        even: u32,
        /// See `even`.
        first: f32,
        /// See `even`.
        per: f32,
        /// See `even`.
        limit: f32,
        /// Nothing.
        unused: u32,
    }

    /// Kept pairs and the clouds of their ends.
    DeviceTiles {
        /// Bins along both coordinates.
        first: SampledAxis,
        /// See `first`.
        second: SampledAxis,
        /// The points that members k of the clouds of first ends are of: bits of positions, and weights in steps. In triples those of the arm.
        k_points: Address<[u32; 4]>,
        /// Those of members l of the clouds of second ends. In triples the vertices.
        l_points: Address<[u32; 4]>,
        /// Where the cloud of each first end begins, and its members; in triples of each arm.
        k_starts: Address<u32>,
        /// See `k_starts`.
        k_members: Address<u32>,
        /// The same of second ends.
        l_starts: Address<u32>,
        /// See `l_starts`.
        l_members: Address<u32>,
        /// Kept pairs, those of a bin in a row.
        pairs: Address<[u32; 2]>,
        /// For each block its first pair, the end of its pairs, and their bin.
        pieces: Address<[u32; 4]>,
        /// The matrix: bin of the kept pair slow.
        sums: Target<u64>,
        /// How many quads there are.
        quads: Target<u64>,
        /// Lengths of a periodic box; infinite along open axes.
        lengths: [f32; 3],
        /// Number of bins.
        bins: u32,
        /// 0 for r, 1 for (s, mu), 2 for (rp, pi).
        coordinates: u32,
        /// The axis of the line of sight; 3 from the observer.
        axis: u32,
        /// Whether k may be the second end.
        k_is_second: u32,
        /// Whether l may be the first end.
        l_is_first: u32,
        /// Whether k and l may be one point; in triples, whether k may be the vertex.
        alike: u32,
        /// In triples, whether the arm is the second end.
        arm_is_second: u32,
    }
}
