//! Which rows and lanes a tile pairs: lists of rows in fours, and the masks of leaves that meet themselves.

use crate::simd::{LANES, ROWS, Simd};
use crate::traversal::{BLOCK, LEAF, Slots};

/// The row that pads lists of rows: it is far away.
pub(super) const PADDING: u8 = BLOCK as u8;

/// The lanes that a row of the same leaf is paired with, and the others.
#[inline(always)]
pub(super) fn own_lanes<S: Simd>(simd: S, slots: Slots, row: u8) -> (S::U, S::U) {
    let own = row as usize % LEAF;
    let paired = match slots {
        _ if row == PADDING => [0; LANES],
        Slots::Later => LATER[own],
        _ => OTHERS[own],
    };
    let keep = simd.load_u(&paired);
    (keep, simd.xor(keep, simd.splat_u(u32::MAX)))
}

/// In a leaf that meets itself, the lanes after each row.
const LATER: [[u32; LANES]; LEAF] = lanes_of_rows(true);
/// In a leaf that meets itself, the lanes other than each row.
const OTHERS: [[u32; LANES]; LEAF] = lanes_of_rows(false);

const fn lanes_of_rows(later: bool) -> [[u32; LANES]; LEAF] {
    let mut rows = [[0; LANES]; LEAF];
    let mut row = 0;
    while row < LEAF {
        let mut lane = 0;
        while lane < LANES {
            if lane > row || (!later && lane < row) {
                rows[row][lane] = u32::MAX;
            }
            lane += 1;
        }
        row += 1;
    }
    rows
}

/// The numbers of the bits set, in fours, padded with a row that is far away.
#[inline(always)]
pub(super) fn list_rows(mask: u64) -> ([[u8; ROWS]; BLOCK / ROWS + 2], usize) {
    let mut list = [[PADDING; ROWS]; BLOCK / ROWS + 2];
    let flat = list.as_flattened_mut();
    let mut n = 0;
    for byte in 0..8u8 {
        let bits = (mask >> (8 * byte)) as usize & 0xff;
        let numbers = (BYTE_ROWS[bits] + u64::from(8 * byte) * 0x0101_0101_0101_0101).to_le_bytes();
        flat[n..n + 8].copy_from_slice(&numbers);
        n += bits.count_ones() as usize;
    }
    flat[n..n + 8].fill(PADDING);
    (list, n.div_ceil(ROWS))
}

/// For every byte, the numbers of its bits as bytes of a word, lowest first.
const BYTE_ROWS: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte] |= bit << (8 * n);
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};
