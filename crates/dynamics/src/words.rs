//! Particles as they lie in memory.

use albireo_simd::Record;

/// Particles as they lie in memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    /// Positions and species, and an empty one.
    pub(super) records: Vec<Record>,
    pub(super) momenta: Vec<[i64; 3]>,
    /// Their numbers at the start.
    pub(super) ids: Vec<u32>,
}
