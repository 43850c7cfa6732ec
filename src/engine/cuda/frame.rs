//! The frame of a job: the parallelepiped whose fractions positions are stored as, and the cells it is cut into.
//!
//! Entry: [`Grid::new`] for a traversal by cells, [`Frame`] alone for all pairs; [`Arrangement`] is either. It knows no device and no bin, only a reach.

use std::ops::Range;

use crate::binning::{PairOrder, Reach};
use crate::domain::Domain;
use crate::engine::Pairs;

/// `position = origin + sum of fraction_k * basis_k`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Frame {
    pub(super) origin: [f64; 3],
    /// The frame's vectors.
    pub(super) basis: [[f64; 3]; 3],
    /// Rows of the inverse: `fraction_k = dot(inverse_k, position - origin)`.
    pub(super) inverse: [[f64; 3]; 3],
    pub(super) periodic: [bool; 3],
    /// Error of a stored fraction, from truncation and from positions a rounding outside the cell.
    pub(super) fraction_error: f64,
    /// Largest coordinate of any position, by magnitude.
    pub(super) farthest: f64,
}

/// Lowest and highest coordinate of both samples along each axis.
fn bounds(pairs: Pairs<'_>) -> [[f64; 2]; 3] {
    let (first, second) = pairs.both();
    let [first, second] = [first, second].map(|sample| sample.points().extremes());
    std::array::from_fn(|axis| {
        let low = first.lo[axis].min(second.lo[axis]);
        let high = first.hi[axis].max(second.hi[axis]);
        if low > high { [0.0, 0.0] } else { [low, high] }
    })
}

impl Frame {
    /// The frame of `domain`; open axes span the positions. With `doubled`, open axes are more than twice as long, so that differences
    /// of fractions never wrap.
    pub(super) fn new(pairs: Pairs<'_>, domain: &Domain, doubled: bool) -> Self {
        let bounds = bounds(pairs);
        let farthest = bounds
            .iter()
            .flatten()
            .fold(0.0, |far: f64, x| far.max(x.abs()));
        if let Domain::Triclinic(lattice) = domain {
            let columns = [0, 1, 2].map(|axis| {
                let mut unit = [0.0; 3];
                unit[axis] = 1.0;
                lattice.fractional(unit)
            });
            return Self {
                origin: [0.0; 3],
                basis: lattice.basis(),
                inverse: [0, 1, 2].map(|k| columns.map(|column| column[k])),
                periodic: [true; 3],
                fraction_error: 3e-9 + lattice.fraction_error(),
                farthest,
            };
        }
        let lengths = match domain {
            Domain::Periodic(cell) => cell.lengths(),
            _ => [None; 3],
        };
        let mut frame = Self {
            origin: [0.0; 3],
            basis: [[0.0; 3]; 3],
            inverse: [[0.0; 3]; 3],
            periodic: lengths.map(|length| length.is_some()),
            fraction_error: 1e-9,
            farthest,
        };
        for axis in 0..3 {
            let [low, high] = bounds[axis];
            let extent = (high - low)
                .max(farthest * 1e-9)
                .max(f64::MIN_POSITIVE * 1e30);
            // A little longer than the extent: the last position has a fraction below 1, and the last of two apart by the whole extent has
            // one below that of the first and a half, from where on differences would be those of the other sign.
            let stretched = extent * (1.0 + 1e-9) * if doubled { 2.0 } else { 1.0 };
            let length = lengths[axis].unwrap_or(stretched);
            frame.origin[axis] = if frame.periodic[axis] { 0.0 } else { low };
            frame.basis[axis][axis] = length;
            frame.inverse[axis][axis] = 1.0 / length;
        }
        frame
    }

    /// The frame of an open domain with every vector as long as the longest: float32 then takes fractions without rounding a scale.
    pub(super) fn cubic(&self) -> Self {
        let longest = (0..3).fold(0.0, |longest: f64, k| longest.max(self.basis[k][k]));
        let mut cubic = self.clone();
        for axis in 0..3 {
            cubic.basis[axis][axis] = longest;
            cubic.inverse[axis][axis] = 1.0 / longest;
        }
        cubic
    }

    /// Distance between opposite faces, for each axis.
    pub(super) fn heights(&self) -> [f64; 3] {
        self.inverse
            .map(|row| 1.0 / crate::separation::norm2(row).sqrt())
    }

    /// Whether the frame's vectors lie along the axes.
    pub(super) fn rectangular(&self) -> bool {
        (0..3).all(|k| (0..3).all(|axis| k == axis || self.basis[k][axis] == 0.0))
    }

    /// Length of the longest diagonal.
    pub(super) fn diagonal(&self) -> f64 {
        let mut longest: f64 = 0.0;
        for signs in 0..4 {
            let sign = [
                1.0,
                if signs & 1 == 0 { 1.0 } else { -1.0 },
                if signs & 2 == 0 { 1.0 } else { -1.0 },
            ];
            longest = longest.max(crate::separation::norm2(self.combine(sign)).sqrt());
        }
        longest
    }

    /// The vector of fractions `s`.
    pub(super) fn combine(&self, s: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| (0..3).map(|k| s[k] * self.basis[k][axis]).sum())
    }
}

/// A row of neighbour cells: offsets across, the run of offsets along x, and which part of the run (see `cells.cu`).
pub(super) type Row = [i32; 4];

/// How often and in which order an auto count visits its pairs: the kernels' `order`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Cross = 0,
    Unordered = 1,
    Ordered = 2,
}

impl Order {
    /// The order in which bins that count pairs in `order` see `pairs`.
    pub(super) fn of(pairs: Pairs<'_>, order: PairOrder) -> Self {
        match (pairs, order) {
            (Pairs::Cross(..), _) => Self::Cross,
            (Pairs::Auto(_), PairOrder::Unordered) => Self::Unordered,
            (Pairs::Auto(_), PairOrder::Ordered) => Self::Ordered,
        }
    }
}

/// A frame cut into cells, and which cells are neighbours.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    pub(super) frame: Frame,
    pub(super) cells: [u32; 3],
    pub(super) rows: Vec<Row>,
    /// The rows around a cell of one label that can hold partners of another.
    pub(super) apart: Vec<Row>,
    /// How many cells away neighbours may be along each axis.
    pub(super) span: [i32; 3],
    /// Stretches of cells that a row can fall into at the faces of a periodic box.
    pub(super) row_parts: u32,
    /// Most first points in one tile.
    pub(super) tile: u32,
    /// Longest run of cells in one tile.
    pub(super) tile_cells: u32,
    /// Largest offset from a tile's centre along each frame vector, in frame lengths.
    pub(super) offset: [f64; 3],
    /// Largest offset of a first point from its tile's centre along each axis.
    pub(super) tile_half: [f64; 3],
    /// Largest separation between a point of a tile and one of its neighbour rows.
    pub(super) farthest: f64,
    /// Pairs of cells over all pairs of cells: the share of pairs that is looked at.
    pub(super) share: f64,
}

/// Particles a cell should hold, unless asked otherwise.
pub(super) const CELL_PARTICLES: u32 = 26;
/// Cells along the reach, at most.
const FINEST: f64 = 8.0;
pub(super) const MOST_CELLS: f64 = 4_194_304.0;

/// Whether cells `offset` apart, each of size 1 along each axis, can hold a pair within reach.
fn in_reach(frame: &Frame, reach: Reach, cells: [u32; 3], offset: [i32; 3]) -> bool {
    // Truncated fractions take a point at most a quarter of a millionth of a cell into the one below.
    let slack = 1.0 + 5e-7;
    if !frame.rectangular() {
        let scaled =
            |s: [f64; 3]| frame.combine(std::array::from_fn(|k| s[k] / f64::from(cells[k])));
        let centre = crate::separation::norm2(scaled(offset.map(f64::from))).sqrt();
        let spread = Frame {
            basis: [0, 1, 2].map(|k| frame.basis[k].map(|v| v / f64::from(cells[k]))),
            ..frame.clone()
        };
        return centre - spread.diagonal() <= reach.radius() * slack;
    }
    let gap: [f64; 3] = std::array::from_fn(|k| {
        let apart = f64::from((offset[k].abs() - 1).max(0));
        apart * frame.basis[k][k] / f64::from(cells[k])
    });
    match reach {
        Reach::Sphere(radius) => crate::separation::norm2(gap).sqrt() <= radius * slack,
        Reach::Cylinder {
            axis,
            across,
            along,
        } => {
            let mut beside = gap;
            beside[axis.index()] = 0.0;
            gap[axis.index()] <= along * slack
                && crate::separation::norm2(beside).sqrt() <= across * slack
        }
    }
}

/// How far the reach extends along each axis of the frame.
fn extent_of(frame: &Frame, reach: Reach) -> [f64; 3] {
    if frame.rectangular() {
        reach.along_axes()
    } else {
        [reach.radius(); 3]
    }
}

impl Grid {
    /// Cells for pairs within `reach`, about `particles` of `rows` in each; there will be so many `copies` of them.
    pub(super) fn new(
        frame: Frame,
        reach: Reach,
        rows: usize,
        particles: f64,
        tile: u32,
        order: Order,
        copies: f64,
    ) -> Self {
        let heights = frame.heights();
        let extent = extent_of(&frame, reach);
        let in_reach_box: f64 = (0..3).map(|k| (extent[k] / heights[k]).min(1.0)).product();
        // Particles in the box of half-size `reach`, so that a cell of reach/m holds 1/m^3 of them.
        let fineness = (rows as f64 * in_reach_box / particles)
            .cbrt()
            .floor()
            .clamp(1.0, FINEST);
        Self::with_cells(frame, reach, rows, [fineness, 8.0], tile, order, copies)
    }

    /// `fineness` cells along the reach, and tiles of one cell or a part of it.
    pub(super) fn of_single_cells(
        frame: Frame,
        reach: Reach,
        rows: usize,
        fineness: f64,
        tile: u32,
        order: Order,
        copies: f64,
    ) -> Self {
        Self::with_cells(frame, reach, rows, [fineness, 1.0], tile, order, copies)
    }

    /// So many cells along the reach, and at most so many in a tile.
    fn with_cells(
        frame: Frame,
        reach: Reach,
        rows: usize,
        [fineness, most_in_tile]: [f64; 2],
        tile: u32,
        order: Order,
        copies: f64,
    ) -> Self {
        let heights = frame.heights();
        let extent = extent_of(&frame, reach);
        let mut cells: [f64; 3] = std::array::from_fn(|k| {
            // A touch longer than reach/m: cells m + 1 apart are then out of reach.
            (heights[k] * fineness / (extent[k] * (1.0 + 1e-6)))
                .floor()
                .clamp(1.0, 1024.0)
        });
        // No use in many more cells than there are particles to put in them.
        let most = (MOST_CELLS / copies).min(4.0 * rows as f64 + 64.0);
        let excess = (cells.iter().product::<f64>() / most).cbrt();
        if excess > 1.0 {
            cells = cells.map(|n| (n / excess).floor().max(1.0));
        }
        let cells = cells.map(|n| n as u32);
        let held = rows as f64 / cells.map(f64::from).iter().product::<f64>();
        let tile_cells = ((f64::from(tile) / held).ceil() as u32 + 1)
            .min(most_in_tile as u32)
            .min(cells[0]);
        let span: [i32; 3] = std::array::from_fn(|k| {
            let reach = extent[k] / heights[k] * f64::from(cells[k]) * (1.0 + 1e-7) + 1e-6;
            let most = if frame.periodic[k] {
                f64::from(cells[k]) + 1.0
            } else {
                f64::from(cells[k]) - 1.0
            };
            (reach.floor() + 1.0).min(most) as i32
        });
        let rows = neighbour_rows(&frame, reach, cells, span, order);
        let apart = neighbour_rows(&frame, reach, cells, span, Order::Cross);
        let run = |row: &Row| row[2] - row[1] + tile_cells as i32;
        let longest = rows.iter().map(run).max().unwrap_or(1);
        let row_parts = if frame.periodic[0] {
            longest / cells[0] as i32 + 2
        } else {
            1
        };
        let size = [f64::from(tile_cells), 1.0, 1.0];
        let offset =
            std::array::from_fn(|k| (f64::from(span[k]) + size[k] / 2.0) / f64::from(cells[k]));
        let tile_half = std::array::from_fn(|axis| {
            (0..3)
                .map(|k| (frame.basis[k][axis] * size[k] / 2.0 / f64::from(cells[k])).abs())
                .sum()
        });
        let farthest = rows
            .iter()
            .map(|row| farthest_in_row(&frame, cells, tile_cells, *row))
            .fold(0.0, f64::max);
        let looked_at: f64 = rows.iter().map(|row| f64::from(row[2] - row[1] + 1)).sum();
        let all = f64::from(cells[0]) * f64::from(cells[1]) * f64::from(cells[2]);
        // A cell and its images on both sides, where there are any.
        let images = frame.periodic.map(|is| if is { 3.0 } else { 1.0 });
        let most: f64 = images.iter().product();
        Self {
            share: (looked_at / all).min(most),
            frame,
            cells,
            rows,
            apart,
            span,
            row_parts: row_parts as u32,
            tile,
            tile_cells,
            offset,
            tile_half,
            farthest,
        }
    }

    /// Number of cells.
    pub(super) fn number(&self) -> u32 {
        self.cells.iter().product()
    }
}

/// The largest separation between a point of a tile of `number` cells and one of a row next to it.
fn farthest_in_row(frame: &Frame, cells: [u32; 3], number: u32, row: Row) -> f64 {
    let (dy, dz) = (f64::from(row[0] as i16), f64::from(row[0] >> 16));
    let number = f64::from(number);
    let along = [f64::from(row[1]) - number, f64::from(row[2]) + number];
    let mut farthest: f64 = 0.0;
    for x in along {
        for y in [dy - 1.0, dy + 1.0] {
            for z in [dz - 1.0, dz + 1.0] {
                let s = [x, y, z];
                let corner = frame.combine(std::array::from_fn(|k| s[k] / f64::from(cells[k])));
                farthest = farthest.max(crate::separation::norm2(corner).sqrt());
            }
        }
    }
    farthest
}

/// The rows around a cell that can hold partners; of an unordered auto count the half that comes later.
fn neighbour_rows(
    frame: &Frame,
    reach: Reach,
    cells: [u32; 3],
    span: [i32; 3],
    order: Order,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for dz in -span[2]..=span[2] {
        for dy in -span[1]..=span[1] {
            let own = (dy, dz) == (0, 0);
            if order == Order::Unordered && !own && (dz, dy) < (0, 0) {
                continue;
            }
            let mut near =
                (-span[0]..=span[0]).filter(|&dx| in_reach(frame, reach, cells, [dx, dy, dz]));
            let Some(low) = near.next() else { continue };
            let high = near.next_back().unwrap_or(low);
            let across = (dy & 0xffff) | (dz << 16);
            match order {
                Order::Unordered if own => rows.push([across, low, high, 1]),
                Order::Ordered if own => {
                    rows.push([across, low, high, 1]);
                    rows.push([across, low, high, 2]);
                }
                _ => rows.push([across, low, high, 0]),
            }
        }
    }
    rows
}

/// Where positions come from.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Arrangement {
    /// In the order given.
    AsGiven(Frame),
    /// Sorted into cells.
    Sorted(Grid),
}

impl Arrangement {
    /// The frame of the positions.
    pub(super) fn frame(&self) -> &Frame {
        match self {
            Self::AsGiven(frame) => frame,
            Self::Sorted(grid) => &grid.frame,
        }
    }

    /// The cells, where there are any.
    pub(super) fn grid(&self) -> Option<&Grid> {
        match self {
            Self::AsGiven(_) => None,
            Self::Sorted(grid) => Some(grid),
        }
    }
}

/// One tile: first cell, number of cells, first row, past the last row.
pub(super) type Tile = [u32; 4];

/// Cuts the rows of the cells from `low` on, so many along each axis, into tiles of at most `most` rows, where they are in some `lines` of the
/// grid; `start` holds the first row of each of them.
pub(super) fn tiles(
    grid: &Grid,
    [low, number]: [[u32; 3]; 2],
    start: &[u32],
    (most, lines): (u32, &Range<usize>),
) -> Vec<Tile> {
    let mut tiles = Vec::new();
    let [nx, ny, _] = grid.cells;
    let of_cells = (0..number[2]).flat_map(|z| (0..number[1]).map(move |y| [y, z]));
    for ([y, z], starts) in of_cells.zip((0..).step_by(number[0].max(1) as usize)) {
        let line = (z + low[2]) * ny + y + low[1];
        if !lines.contains(&(line as usize)) {
            continue;
        }
        let first = line * nx + low[0];
        let start = &start[starts..=starts + number[0] as usize];
        let mut cell = 0;
        while cell < number[0] {
            let begin = start[cell as usize];
            let mut past = cell + 1;
            while past < number[0]
                && past - cell < grid.tile_cells
                && start[past as usize + 1] - begin <= most
            {
                past += 1;
            }
            let end = start[past as usize];
            let mut row = begin;
            while row < end {
                let stop = end.min(row.saturating_add(most));
                tiles.push([first + cell, past - cell, row, stop]);
                row = stop;
            }
            cell = past;
        }
    }
    tiles
}

#[cfg(test)]
#[path = "frame_tests.rs"]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests;
