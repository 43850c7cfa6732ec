//! A covariance as square matrices: alone in `.npy` and `.txt`, beside the columns in FITS and HDF5.
//!
//! Entry: [`tree`].

use std::fmt::Write as _;

use albireo_catalogs::{Table, Tree};
use anyhow::Result;

use crate::saved::floats;
use crate::scatter::MATRICES;

/// What a file of this format has of the covariance; none for formats of columns.
pub(super) fn tree(table: &Table, format: &str) -> Result<Option<Tree>> {
    let n = table.rows().isqrt();
    let matrix = |values: &[f64]| Tree::Floats(vec![n, n], values.to_vec());
    Ok(match format {
        "npy" => Some(matrix(floats(table, "covariance")?)),
        "txt" => {
            let of = table.meta.get("covariance_of").and_then(|of| of.as_str());
            let mut text = format!("# covariance of {}, {n} x {n}\n", of.unwrap_or("values"));
            for row in floats(table, "covariance")?.chunks(n.max(1)) {
                let row: Vec<String> = row.iter().map(|value| format!("{value:e}")).collect();
                let _ = writeln!(text, "{}", row.join(" "));
            }
            Some(Tree::Text(text))
        }
        "fits" | "hdf5" => {
            let there = MATRICES.into_iter().filter_map(|name| {
                let values = floats(table, name).ok()?;
                Some((name.to_owned(), matrix(values)))
            });
            let all = Tree::Group(there.collect());
            Some(if format == "fits" {
                all
            } else {
                Tree::group([("matrices", all)])
            })
        }
        _ => None,
    })
}
