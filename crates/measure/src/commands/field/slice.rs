//! A plane of a map as a picture: which one, its values as the map is made, and the file.
//!
//! Entry: [`SliceFlags`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "planes are numbered by what lies within the grid"
)]

use std::path::Path;

use albireo_fields::Grid;
use anyhow::{Context, Result};
use clap::Args;

use super::in_unit;
use super::kernel::Unit;
use super::variant::Made;
use crate::group;
use crate::paths::WrittenFile;
use crate::usage::usage;

/// What is drawn.
#[derive(Debug, Args)]
#[command(next_help_heading = group::OUTPUT)]
pub(super) struct SliceFlags {
    /// Plot a plane of the map: .png .svg .pdf
    #[arg(long, value_name = "FILE", conflicts_with_all = ["at", "resumable", "checkpoint"])]
    plot: Option<WrittenFile>,
    /// Plane of the plot: an axis and a position, e.g. z=12.5 [default: across z in the middle]
    ///
    /// The plane of points nearest to the position.
    #[arg(long, value_name = "AXIS=POSITION", requires = "plot", value_parser = plane)]
    slice: Option<(usize, f64)>,
}

const AXES: [&str; 3] = ["x", "y", "z"];

fn plane(text: &str) -> Result<(usize, f64), String> {
    let expected = || format!("expected an axis and a position, e.g. z=12.5, found `{text}`");
    let (axis, position) = text.split_once('=').ok_or_else(expected)?;
    let axis = AXES.iter().position(|name| *name == axis);
    let position = position.parse().ok().filter(|p: &f64| p.is_finite());
    axis.zip(position).ok_or_else(expected)
}

/// A plane of a map in the making.
pub(super) struct SliceValues {
    axis: usize,
    index: usize,
    places: [(f64, f64); 3],
    shape: [usize; 3],
    values: Vec<f64>,
}

/// An amount with its unit as figures print it.
fn labelled(amount: &str, unit: &str) -> String {
    let unit = match unit {
        "Angstrom" | "A" => "Å",
        "Mpc/h" => "h⁻¹ Mpc",
        "e/A" => "e/Å",
        "weight/Angstrom^3" => "weight/Å³",
        "weight/(Mpc/h)^3" => "weight h³ Mpc⁻³",
        other => other,
    };
    format!("{amount}  [{unit}]")
}

impl SliceFlags {
    /// The file, if any, whose name can be one.
    pub(super) fn checked(&self) -> Result<Option<&Path>> {
        if let Some(path) = &self.plot {
            albireo_figures::check_path(path)?;
        }
        Ok(self.plot.as_deref())
    }

    /// The plane of a grid, without values.
    pub(super) fn of(&self, grid: &Grid) -> Result<SliceValues> {
        let (shape, origin) = (grid.shape(), grid.origin());
        let Some(steps) = grid.spacing() else {
            if self.plot.is_some() {
                return Err(usage("--plot: slices are of grids along the axes"));
            }
            return Ok(SliceValues {
                axis: 0,
                index: usize::MAX,
                places: [(0.0, 0.0); 3],
                shape,
                values: vec![],
            });
        };
        let (axis, index) = match self.slice {
            None => (2, shape[2] / 2),
            Some((axis, position)) => {
                let index = ((position - origin[axis]) / steps[axis]).round();
                let last = shape[axis] - 1;
                if !(0.0..=last as f64).contains(&index) {
                    let end = origin[axis] + last as f64 * steps[axis];
                    let (name, from) = (AXES[axis], origin[axis]);
                    return Err(usage(format!(
                        "--slice {name}={position}: the grid lies between {from} and {end}"
                    )));
                }
                (axis, index as usize)
            }
        };
        Ok(SliceValues {
            axis,
            index: if self.plot.is_some() {
                index
            } else {
                usize::MAX
            },
            places: [0, 1, 2].map(|k| (origin[k], steps[k])),
            shape,
            values: vec![],
        })
    }

    /// Draws the plane.
    pub(super) fn draw(&self, slice: &SliceValues, unit: &Unit) -> Result<()> {
        let Some(path) = &self.plot else {
            return Ok(());
        };
        let [a, b] = slice.others();
        let length = unit.length.as_deref();
        let axis = |k: usize| length.map_or_else(|| AXES[k].to_owned(), |of| labelled(AXES[k], of));
        let picture = albireo_figures::Slice {
            places: [slice.places[a], slice.places[b]],
            labels: [&axis(a), &axis(b)],
            value: &labelled(unit.quantity, &unit.name),
            values: &slice.values,
            shape: [slice.shape[a], slice.shape[b]],
        };
        albireo_figures::draw_slice(&picture, path)
            .with_context(|| format!("cannot draw {}", path.display()))?;
        tracing::info!("slice drawn to {}", path.display());
        Ok(())
    }
}

impl SliceValues {
    /// The axes of the plane.
    fn others(&self) -> [usize; 2] {
        [[1, 2], [0, 2], [0, 1]][self.axis]
    }

    /// Takes the values of the plane from planes of the map, the first of which has this number.
    pub(super) fn take(&mut self, first: usize, sums: &Made, factor: f64) {
        if self.index == usize::MAX {
            return;
        }
        let [_, m, n] = self.shape;
        for plane in 0..sums.len() / (m * n) {
            let start = plane * m * n;
            let rows: Vec<std::ops::Range<usize>> = match self.axis {
                0 if first + plane == self.index => std::iter::once(start..start + m * n).collect(),
                0 => vec![],
                1 => {
                    let row = start + self.index * n;
                    std::iter::once(row..row + n).collect()
                }
                _ => (0..m)
                    .map(|j| start + j * n + self.index)
                    .map(|k| k..k + 1)
                    .collect(),
            };
            for row in rows {
                self.values.extend(in_unit(sums, row, factor));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_an_axis_and_a_position() {
        assert_eq!(plane("z=12.5"), Ok((2, 12.5)));
        assert_eq!(plane("x=-1e-3"), Ok((0, -1e-3)));
        for bad in ["z", "w=1", "z=", "z=nan", "=1"] {
            assert!(plane(bad).is_err(), "{bad}");
        }
    }
}
