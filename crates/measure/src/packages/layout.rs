//! How the bins of a result become those of other packages.
//!
//! Entry: [`Layout::of_axes`].

use anyhow::{Result, bail};

/// How rows of ours become bins of theirs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Bins of the last axis of two; 0 where there is but one.
    pub(super) row: usize,
    /// Whether ours are of |mu| or |pi|.
    pub(super) folded: bool,
    /// Whether the sign of mu and pi changes.
    pub(super) turned: bool,
}

impl Layout {
    /// Of axes by their names and edges; `other_sign` says that mu and pi have another sign.
    pub(super) fn of_axes(axes: &[(String, Vec<f64>)], other_sign: bool) -> Result<Self> {
        let [_, (_, edges)] = axes else {
            return Ok(Self {
                row: 0,
                folded: false,
                turned: false,
            });
        };
        check_second(edges)?;
        let folded = edges[0] == 0.0;
        Ok(Self {
            row: edges.len() - 1,
            folded,
            turned: !folded && other_sign,
        })
    }

    /// Whether both orders of a pair are apart, and which is which follows from their sign.
    pub(super) fn is_signed(self) -> bool {
        self.row > 0 && !self.folded
    }

    fn of<T: Copy>(self, values: &[T], halves: [fn(T) -> T; 2]) -> Vec<T> {
        if self.row == 0 {
            return values.to_vec();
        }
        let [lower, upper] = halves;
        let row = |row: &[T]| -> Vec<T> {
            match (self.folded, self.turned) {
                (true, _) => {
                    let below = row.iter().rev().map(|&value| lower(value));
                    below.chain(row.iter().map(|&value| upper(value))).collect()
                }
                (false, true) => row.iter().rev().copied().collect(),
                (false, false) => row.to_vec(),
            }
        };
        values.chunks(self.row).flat_map(row).collect()
    }

    /// Values that both halves of a folded bin have alike.
    pub(super) fn alike(self, values: &[f64]) -> Vec<f64> {
        self.of(values, [|v| v, |v| v])
    }

    pub(super) fn weights(self, values: &[f64]) -> Vec<f64> {
        self.of(values, [|v| v / 2.0, |v| v / 2.0])
    }

    pub(super) fn numbers(self, values: &[i64]) -> Vec<i64> {
        self.of(values, [|n| n / 2, |n| n - n / 2])
    }

    pub(super) fn edges(self, edges: &[f64]) -> Vec<f64> {
        let mirrored = edges.iter().rev().map(|edge| 0.0 - edge);
        match (self.folded, self.turned) {
            (true, _) => mirrored.chain(edges[1..].iter().copied()).collect(),
            (false, true) => mirrored.collect(),
            (false, false) => edges.to_vec(),
        }
    }
}

/// Refuses bins in mu or pi that no bins on both sides of 0 are made of.
pub(super) fn check_second(edges: &[f64]) -> Result<()> {
    if edges[0] > 0.0 {
        bail!(
            "its bins in mu and pi hold 0: expected a first edge of 0 or below, found {}",
            edges[0]
        );
    }
    Ok(())
}
