//! Which rows and lanes a tile pairs: lists of rows, and the masks of leaves that meet themselves.

use albireo_simd::Simd;

use crate::traversal::{BLOCK, LEAF, Slots};

/// The row that pads lists of rows: it counts as far away.
pub(super) const PADDING: u8 = BLOCK as u8;

/// In a leaf that meets itself, the lanes from `part` on that a row is not paired with.
#[inline(always)]
pub(super) fn own_lanes<S: Simd>(simd: S, slots: Slots, row: u8, part: usize) -> S::U {
    let own = row as usize % LEAF;
    let unpaired = match slots {
        _ if row == PADDING => &[u32::MAX; LEAF],
        Slots::Later => &NOT_LATER[own],
        _ => &ITSELF[own],
    };
    simd.load_u(&unpaired[part..])
}

/// For each row of a leaf, itself and the lanes before.
static NOT_LATER: [[u32; LEAF]; LEAF] = unpaired_lanes(true);
/// For each row of a leaf, itself.
static ITSELF: [[u32; LEAF]; LEAF] = unpaired_lanes(false);

const fn unpaired_lanes(before: bool) -> [[u32; LEAF]; LEAF] {
    let mut rows = [[0; LEAF]; LEAF];
    let mut row = 0;
    while row < LEAF {
        let mut lane = 0;
        while lane <= row {
            if lane == row || before {
                rows[row][lane] = u32::MAX;
            }
            lane += 1;
        }
        row += 1;
    }
    rows
}

/// All rows of a full block.
pub(super) static ALL_ROWS: [u8; BLOCK] = {
    let mut list = [0; BLOCK];
    let mut row = 0;
    while row < BLOCK {
        list[row] = row as u8;
        row += 1;
    }
    list
};

/// Room for the rows of a block, written eight at a time.
pub(super) type RowList = [u8; BLOCK + 8];

/// The numbers of the bits set, written to `list`: an array that is returned would be copied, and wait for its bytes to be written.
#[inline(always)]
pub(super) fn list_rows(mask: u64, list: &mut RowList) -> &[u8] {
    let mut n = 0;
    for byte in 0..8u8 {
        let bits = (mask >> (8 * byte)) as usize & 0xff;
        let numbers = (BYTE_ROWS[bits] + u64::from(8 * byte) * 0x0101_0101_0101_0101).to_le_bytes();
        list[n..n + 8].copy_from_slice(&numbers);
        n += bits.count_ones() as usize;
    }
    &list[..n]
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
