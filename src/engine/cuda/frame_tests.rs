//! Cells and frames hold what they claim: pairs within reach lie in neighbour rows, nothing is farther than it is said to be, and
//! differences of fractions do not wrap where they must not.

use super::*;
use crate::binning::{Bins, Edges, Formed, RBins};
use crate::domain::{Lattice, PeriodicBox};
use crate::engine::cuda::choices::{filter_of, pad_of};
use crate::engine::cuda::suite::{Random, Scatter, domains, particles};
use crate::particles::{Particles, Points};
use crate::separation::{dot, norm2};

const STEPS: f64 = 4_294_967_296.0;

/// A position in frame lengths.
fn place(frame: &Frame, x: [f64; 3]) -> [f64; 3] {
    let d: [f64; 3] = std::array::from_fn(|k| x[k] - frame.origin[k]);
    frame.inverse.map(|row| dot(row, d))
}

/// The cell of a position in frame lengths, beyond the faces of a periodic one too: fractions are truncated, as `sort.cu` does.
fn cell(frame: &Frame, cells: [u32; 3], s: [f64; 3]) -> [i64; 3] {
    std::array::from_fn(|k| {
        let boxes = if frame.periodic[k] { s[k].floor() } else { 0.0 };
        let fixed = ((s[k] - boxes) * STEPS).floor().clamp(0.0, STEPS - 1.0) as u64;
        ((fixed * u64::from(cells[k])) >> 32) as i64 + boxes as i64 * i64::from(cells[k])
    })
}

/// A grid whose cells fit `axis` into the reach a whole number of times, but for a hair.
fn fitted(frame: &Frame, reach: f64, axis: usize, random: &mut Random) -> (Grid, f64) {
    let rows = 200 + (random.next() * 4000.0) as usize;
    let held = 1.0 + 30.0 * random.next();
    let grid = |reach| {
        Grid::new(
            frame.clone(),
            Reach::Sphere(reach),
            rows,
            held,
            64,
            Order::Cross,
            1.0,
        )
    };
    let (height, cells) = (frame.heights()[axis], f64::from(grid(reach).cells[axis]));
    let whole = (reach / height * cells).round().max(1.0);
    // Less than truncation moves a point.
    let hair = random.next() * 1.5 * cells / STEPS / whole;
    let close = whole * height / cells * (1.0 - hair);
    let reach = if close < 1.02 * reach { close } else { reach };
    (grid(reach), reach)
}

#[test]
fn pairs_within_reach_lie_in_neighbour_rows() {
    for (name, domain) in domains() {
        let sample = particles(&domain, 400, Scatter::Uniform, 1);
        let frame = Frame::new(Pairs::Auto(&sample), &domain, false);
        let mut random = Random::new(7);
        for trial in 0..300 {
            let axis = trial % 3;
            let most = domain.reach().min(0.5 * frame.diagonal()) / 1.05;
            let reach = most * (0.02 + 0.96 * random.next() * random.next());
            let (grid, reach) = fitted(&frame, reach, axis, &mut random);
            for _ in 0..60 {
                let mut s = [0; 3].map(|_| random.next());
                let side = f64::from(grid.cells[axis]);
                // Just above a face of a cell, where truncation takes it below.
                s[axis] = (s[axis] * side).floor() / side + random.next() / STEPS;
                let across = frame.inverse[axis];
                let length = reach * (1.0 - 1e-12) / norm2(across).sqrt();
                let d = across.map(|c| c * length);
                let x = frame.combine(s);
                let x: [f64; 3] = std::array::from_fn(|k| x[k] + frame.origin[k]);
                let other = place(&frame, std::array::from_fn(|k| x[k] + d[k]));
                if (0..3).any(|k| !frame.periodic[k] && !(0.0..1.0).contains(&other[k])) {
                    continue;
                }
                let [a, b] = [s, other].map(|s| cell(&frame, grid.cells, s));
                let [dx, dy, dz] = [0, 1, 2].map(|k| (b[k] - a[k]) as i32);
                let is_met = |row: &Row| {
                    row[0] == (dy & 0xffff) | (dz << 16) && (row[1]..=row[2]).contains(&dx)
                };
                assert!(
                    grid.rows.iter().any(is_met),
                    "{name}: {:?} cells, {:?} apart at {reach}",
                    grid.cells,
                    [dx, dy, dz]
                );
                // The first of the two cells may be any of its tile.
                let first = a[0] as f64 - (random.next() * f64::from(grid.tile_cells)).floor();
                let middle = [
                    first + 0.5 * f64::from(grid.tile_cells),
                    a[1] as f64 + 0.5,
                    a[2] as f64 + 0.5,
                ];
                for k in 0..3 {
                    let offset = other[k] - middle[k] / f64::from(grid.cells[k]);
                    assert!(offset.abs() <= grid.offset[k] + 1e-9, "{name}: {offset}");
                }
            }
        }
    }
}

#[test]
fn nothing_is_farther_from_a_tile_than_its_farthest() {
    for (name, domain) in domains() {
        let sample = particles(&domain, 400, Scatter::Uniform, 1);
        let frame = Frame::new(Pairs::Auto(&sample), &domain, false);
        let mut random = Random::new(8);
        for axis in 0..24 {
            let most = domain.reach().min(0.5 * frame.diagonal()) / 1.05;
            let reach = most * (0.05 + 0.9 * random.next());
            let (grid, _) = fitted(&frame, reach, axis % 3, &mut random);
            let number = f64::from(grid.tile_cells);
            let size = |s: [f64; 3]| {
                let s = std::array::from_fn(|k| s[k] / f64::from(grid.cells[k]));
                norm2(frame.combine(s)).sqrt()
            };
            for row in &grid.rows {
                let [dy, dz] = [f64::from(row[0] as i16), f64::from(row[0] >> 16)];
                // Corners of the tile, and of the cells from the first of the row to its last.
                for corner in 0..64 {
                    let at =
                        |bit: u32, lo: f64, hi: f64| if corner >> bit & 1 == 0 { lo } else { hi };
                    let a = [at(0, 0.0, number), at(1, 0.0, 1.0), at(2, 0.0, 1.0)];
                    let last = number + f64::from(row[2]);
                    let b = [
                        at(3, f64::from(row[1]), last),
                        dy + at(4, 0.0, 1.0),
                        dz + at(5, 0.0, 1.0),
                    ];
                    let apart = size(std::array::from_fn(|k| b[k] - a[k]));
                    assert!(apart <= grid.farthest * (1.0 + 1e-12), "{name}: {apart}");
                }
            }
            // Padding lies on the x axis from the centre of a tile.
            let bins = RBins::new(Edges::linear(0.0, reach, 5).unwrap());
            let (pad, farthest) = pad_of(&grid, &Formed::of(&Bins::from(&bins)).unwrap());
            let half = grid.tile_half;
            assert!(pad - half[0] > reach, "{name}");
            let apart = norm2([pad + half[0], half[1], half[2]]).sqrt();
            assert!(apart <= farthest * (1.0 + 1e-12), "{name}");
        }
    }
}

/// Without a clamp the slots across reach as far as any two points that a kernel looks at.
#[test]
fn slots_reach_as_far_as_points_and_padding() {
    let mut reaching = 0;
    for (name, domain) in domains() {
        let sample = particles(&domain, 400, Scatter::Uniform, 1);
        let mut random = Random::new(9);
        for trial in 0..60 {
            let frame = Frame::new(Pairs::Auto(&sample), &domain, false);
            let most = domain.reach().min(0.5 * frame.diagonal()) / 1.05;
            let reach = most * (0.05 + 0.9 * random.next());
            let n = [3, 40, 2000][trial % 3];
            let bins = RBins::new(Edges::linear(0.0, reach, n).unwrap());
            let bins = Bins::from(&bins);
            let formed = Formed::of(&bins).unwrap();
            let (arrangement, farthest) = if trial % 2 == 0 && domain == Domain::Open {
                let farthest = frame.diagonal();
                (Arrangement::AsGiven(frame), farthest)
            } else {
                let (grid, _) = fitted(&frame, reach, 0, &mut random);
                let farthest = grid.farthest.max(pad_of(&grid, &formed).1);
                if grid.tile_cells == 1 {
                    continue;
                }
                (Arrangement::Sorted(grid), farthest)
            };
            let Some(filter) = filter_of(&formed, &arrangement, &domain, (false, true)) else {
                continue;
            };
            if filter.clamp || !filter.table.is_empty() {
                continue;
            }
            reaching += 1;
            let axis = &filter.across;
            let sum = farthest * filter.unit * f64::from(axis.scale) + f64::from(axis.magic);
            let slot = ((sum as f32).to_bits() - 0x4B00_0000) >> axis.shift;
            assert!(
                slot < filter.slots[0],
                "{name}: {slot} of {}",
                filter.slots[0]
            );
        }
    }
    assert!(reaching > 0);
}

#[test]
fn differences_of_fractions_do_not_wrap_on_open_axes() {
    let domain = Domain::Periodic(PeriodicBox::new([Some(1.0), None, Some(1.2)]).unwrap());
    for far in [0.0, 5.0, -300.0] {
        let rows = [
            [0.1, far, 0.2],
            [0.3, far + 3.0, 0.7],
            [0.9, far + 2.9, 1.1],
        ];
        let sample = Particles::new(Points::from_rows(&rows).unwrap());
        let frame = Frame::new(Pairs::Auto(&sample), &domain, true);
        let fixed = rows.map(|x| {
            (place(&frame, x)[1] * STEPS)
                .floor()
                .clamp(0.0, STEPS - 1.0) as u32
        });
        for i in 0..3 {
            for j in 0..3 {
                let difference = f64::from(fixed[i].wrapping_sub(fixed[j]) as i32);
                let difference = difference * frame.basis[1][1] / STEPS;
                let apart = rows[i][1] - rows[j][1];
                assert!((difference - apart).abs() < 1e-6, "{difference} {apart}");
            }
        }
    }
}

/// `x` less the sum of so much of each vector, with the digits that it loses in float64.
fn rest(x: f64, terms: [[f64; 2]; 3]) -> f64 {
    let (mut sum, mut lost) = (x, 0.0);
    for [s, v] in terms {
        let product = -s * v;
        lost += (-s).mul_add(v, -product);
        let next = sum + product;
        let taken = next - sum;
        lost += (sum - (next - taken)) + (product - taken);
        sum = next;
    }
    sum + lost
}

/// The longer the cell against its heights, the more a fraction is off.
#[test]
fn fractions_of_long_cells_are_off_by_no_more_than_their_error() {
    let mut random = Random::new(8);
    let mut most: f64 = 0.0;
    for aspect in [1e3, 1e6, 1e7, 1e8] {
        let vectors = [[0.6, 0.7, 0.4], [-0.7, 0.6, 0.02], [0.58, -0.51, 0.09]];
        let long = [1.0, aspect, aspect];
        let vectors = [0, 1, 2].map(|k| vectors[k].map(|c| c * long[k]));
        let domain = Domain::Triclinic(Lattice::new(vectors).unwrap());
        let sample = Particles::new(Points::from_rows(&[[0.0; 3]]).unwrap());
        let frame = Frame::new(Pairs::Auto(&sample), &domain, false);
        for _ in 0..2000 {
            let x = frame.combine([0; 3].map(|_| random.next()));
            let found = (frame.inverse).map(|m| m[0] * x[0] + m[1] * x[1] + m[2] * x[2]);
            let left: [f64; 3] = std::array::from_fn(|axis| {
                let term = |k: usize| [found[k], frame.basis[k][axis]];
                rest(x[axis], [term(0), term(1), term(2)])
            });
            for m in frame.inverse {
                let off = (m[0] * left[0] + m[1] * left[1] + m[2] * left[2]).abs();
                assert!(off < frame.fraction_error, "{off} {aspect}");
                most = most.max(off / frame.fraction_error);
            }
        }
    }
    assert!(most > 0.02, "{most}");
}
