//! Where a table and what belongs to it lie in a file.
//!
//! Entry: [`Extent`]. It knows no column.

/// A table's place in the (decompressed) file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) hdu: usize,
    /// First byte of the data.
    pub(super) start: u64,
    /// Rows, as unpacked ones.
    pub(super) rows: u64,
    pub(super) heap: Heap,
}

/// What lies behind the rows: arrays of variable length and compressed tiles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heap {
    /// First byte in the (decompressed) file.
    pub(super) start: u64,
    pub(super) bytes: u64,
}
