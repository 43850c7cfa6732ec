//! Cells as devices want them: in numbers that say where what lies.

use super::Cells;

impl Cells {
    /// How many cells there are along each axis.
    pub(crate) fn shape(&self) -> [usize; 3] {
        self.axes.map(|axis| axis.n)
    }

    /// Where each cell begins among the sources, the third axis fastest, and the end.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The first cell that may hold sources within `reach` of a target along an axis, and how many do; after the last comes the first.
    pub(crate) fn along(&self, axis: usize, fraction: u64, reach: f64) -> [u32; 2] {
        let cells = &self.axes[axis];
        let (first, count) = cells.within(fraction, reach);
        [first.rem_euclid(cells.n as i64) as u32, count as u32]
    }
}
