//! Where the points of each label lie, and the cells that each label has.
//!
//! Entry: [`Spans`] of a sample, [`fitting`] for cells that are not too many, [`boxes`]. Cells of one label come before those of the next,
//! but only those of the box around its points: compact labels, such as regions of a survey, take hardly more cells than one sample.

use std::ops::Range;

use super::frame::{Frame, Grid, MOST_CELLS};
use crate::particles::Particles;
use crate::pool;

/// The lowest and highest coordinate along each axis.
type Span = [[f64; 2]; 3];

/// Where the points of each label of a sample lie; none for a label without points.
pub(super) type Spans = Vec<Option<Span>>;

/// The spans of the labels of a sample; nothing without labels.
pub(super) fn spans(particles: &Particles) -> Spans {
    let Some(labels) = particles.labels() else {
        return Vec::new();
    };
    let view = particles.points().view();
    let part = |rows: Range<usize>| {
        let mut spans: Spans = vec![None; labels.number() as usize];
        for row in rows {
            let at = view.at(row);
            let span = &mut spans[labels.values()[row] as usize];
            *span = joined(*span, Some(at.map(|x| [x, x])));
        }
        spans
    };
    let join = |a: Spans, b: Spans| a.into_iter().zip(b).map(|(a, b)| joined(a, b)).collect();
    pool::fold(particles.len(), part, join)
}

fn joined(a: Option<Span>, b: Option<Span>) -> Option<Span> {
    let (Some(one), Some(other)) = (a, b) else {
        return a.or(b);
    };
    Some(std::array::from_fn(|k| {
        [one[k][0].min(other[k][0]), one[k][1].max(other[k][1])]
    }))
}

/// The fractions of a frame that a span lies within.
fn fractions(frame: &Frame, span: &Span) -> [[f64; 2]; 3] {
    std::array::from_fn(|k| {
        let ends = (0..3).map(|axis| {
            let factor = frame.inverse[k][axis];
            let end = |x: f64| factor * (x - frame.origin[axis]);
            let [a, b] = span[axis].map(end);
            [a.min(b), a.max(b)]
        });
        let [low, high] = ends.fold([0.0; 2], |sum, end| [sum[0] + end[0], sum[1] + end[1]]);
        [low.clamp(0.0, 1.0), high.clamp(0.0, 1.0)]
    })
}

/// The cells of a label among those of the grid, and where they begin among those of all labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LabelCells {
    pub(super) low: [u32; 3],
    pub(super) cells: [u32; 3],
    pub(super) begin: u32,
}

impl LabelCells {
    pub(super) fn number(&self) -> u32 {
        self.cells.iter().product()
    }

    /// The words that kernels take.
    pub(super) fn words(&self) -> [[u32; 4]; 2] {
        let [[x, y, z], [nx, ny, nz]] = [self.low, self.cells];
        [[x, y, z, self.begin], [nx, ny, nz, 0]]
    }
}

/// Cells by which rounding may move a point, and more.
const SLACK: f64 = 0.001;

fn around(grid: &Grid, span: &Span) -> [[u32; 3]; 2] {
    let fractions = fractions(&grid.frame, span);
    let along = |k: usize| {
        let n = f64::from(grid.cells[k]);
        let [low, high] = fractions[k].map(|s| s * n);
        let low = (low - SLACK).floor().clamp(0.0, n - 1.0) as u32;
        let high = (high + SLACK).floor().clamp(0.0, n - 1.0) as u32;
        [low, high - low + 1]
    };
    let axes = [0, 1, 2].map(along);
    [axes.map(|[low, _]| low), axes.map(|[_, number]| number)]
}

/// The cells of each label; none where they are more than 32 bits number.
fn boxes_of(grid: &Grid, spans: &Spans) -> Option<Vec<LabelCells>> {
    let mut begin: u32 = 0;
    let cells = spans.iter().map(|span| {
        let [low, cells] = span.as_ref().map_or([[0; 3]; 2], |span| around(grid, span));
        let label = LabelCells { low, cells, begin };
        begin = begin.checked_add(label.number())?;
        Some(label)
    });
    cells.collect()
}

/// The cells of each label of a sample, those of a grid that [`fitting`] made.
pub(super) fn boxes(grid: &Grid, spans: &Spans) -> Vec<LabelCells> {
    boxes_of(grid, spans).unwrap_or_default()
}

/// The number of all cells of the labels.
pub(super) fn number(boxes: &[LabelCells]) -> u32 {
    boxes.last().map_or(0, |last| last.begin + last.number())
}

/// Cells of all labels, at most, over those of a grid without labels.
const MOST_TIMES: f64 = 4.0;

/// The grid that `cut` makes where the cells are there so many times, for the labels of both samples; once without labels.
pub(super) fn fitting(spans: &[Spans; 2], frame: &Frame, cut: impl Fn(f64) -> Grid) -> Grid {
    let labels = spans[0].len().max(spans[1].len()) as f64;
    if labels <= 1.0 {
        return cut(1.0);
    }
    let times = |spans: &Spans| -> f64 {
        let share = |span: &Span| {
            let along = fractions(frame, span).map(|[low, high]| high - low);
            along.iter().product::<f64>()
        };
        spans.iter().flatten().map(share).sum()
    };
    let mut copies = times(&spans[0]).max(times(&spans[1])).clamp(1.0, labels);
    loop {
        let grid = cut(copies);
        let fits = spans.iter().all(|spans| {
            boxes_of(&grid, spans)
                .is_some_and(|boxes| f64::from(number(&boxes)) <= MOST_TIMES * MOST_CELLS)
        });
        if fits || copies >= labels {
            return grid;
        }
        copies = (2.0 * copies).min(labels);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use crate::binning::Reach;
    use crate::engine::Pairs;
    use crate::engine::cuda::frame::Order;
    use crate::engine::cuda::suite::{Random, Scatter, domains, particles};
    use crate::particles::Labels;

    /// Labels by place along z, at random, and one of them for all.
    fn labelled(sample: &Particles, number: u32, how: u32) -> Particles {
        let mut random = Random::new(7);
        let of = |row: usize| match how {
            0 => (sample.points().at(row)[2].rem_euclid(1.0) * f64::from(number)) as u32,
            1 => (random.next() * f64::from(number)) as u32,
            _ => number - 1,
        };
        let labels = Labels::new((0..sample.len()).map(of).collect(), number).unwrap();
        sample.clone().labelled(labels).unwrap()
    }

    #[test]
    fn every_point_lies_in_a_cell_of_its_label() {
        for (name, domain) in domains() {
            for how in 0..3 {
                let sample = particles(&domain, 700, Scatter::Lattice, 3);
                let sample = labelled(&sample, 9, how);
                let frame = Frame::new(Pairs::Auto(&sample), &domain, false);
                let spans = spans(&sample);
                let reach = Reach::Sphere(domain.reach().min(0.3));
                let cut = |copies| {
                    let order = Order::Unordered;
                    Grid::new(frame.clone(), reach, 700, 2.0, 32, order, copies)
                };
                let grid = fitting(&[spans.clone(), Spans::new()], &frame, cut);
                let boxes = boxes(&grid, &spans);
                let labels = sample.labels().unwrap().values();
                for (row, &label) in labels.iter().enumerate() {
                    let at = sample.points().at(row);
                    let label = &boxes[label as usize];
                    for k in 0..3 {
                        let s: f64 = (0..3)
                            .map(|a| frame.inverse[k][a] * (at[a] - frame.origin[a]))
                            .sum();
                        let cell = (s.clamp(0.0, 1.0 - 1e-10) * f64::from(grid.cells[k])) as u32;
                        let within = label.low[k]..label.low[k] + label.cells[k];
                        assert!(within.contains(&cell), "{name}, {how}, row {row}, axis {k}");
                    }
                }
                assert!(
                    boxes
                        .windows(2)
                        .all(|pair| pair[0].begin + pair[0].number() == pair[1].begin),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn thin_labels_do_not_fill_the_memory() {
        // Slices that are thinner than cells: their boxes hold far more than their share of the volume.
        let rows: Vec<[f64; 3]> = (0..4096 * 8)
            .map(|k| {
                [
                    f64::from(k & 1),
                    f64::from(k >> 1 & 1),
                    f64::from(k >> 3) + f64::from(k >> 2 & 1),
                ]
            })
            .collect();
        let points = crate::particles::Points::from_rows(&rows).unwrap();
        let labels = Labels::new((0..rows.len() as u32).map(|k| k >> 3).collect(), 4096).unwrap();
        let sample = Particles::new(points).labelled(labels).unwrap();
        let domain = crate::Domain::Open;
        let frame = Frame::new(Pairs::Auto(&sample), &domain, false);
        let spans = [spans(&sample), Spans::new()];
        let cut = |copies| {
            let reach = Reach::Sphere(0.01);
            Grid::new(
                frame.clone(),
                reach,
                100_000_000,
                1.0,
                32,
                Order::Cross,
                copies,
            )
        };
        let grid = fitting(&spans, &frame, cut);
        assert!(f64::from(number(&boxes(&grid, &spans[0]))) <= MOST_TIMES * MOST_CELLS);
        assert!(grid.number() > 1);
    }
}
