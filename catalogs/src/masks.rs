//! Columns that say which values of another one are missing: astropy writes `x.mask` beside `x`.
//!
//! Entry: [`Masks::beside`], then [`Masks::apply`] to each block. A masked value is a missing one, and the value at its place is ignored.

use std::collections::HashMap;
use std::path::Path;

use crate::block::{Block, Cells, Site, Widening};
use crate::error::{CatalogError, Result};
use crate::schema::{Component, Kind, Schema};

/// What the name of a mask has behind that of the column it belongs to.
pub(crate) const MASK: &str = ".mask";

/// The masks of the components of a scan.
#[derive(Debug, Clone, Default)]
pub(crate) struct Masks {
    /// Components that were asked for: masks stand behind them.
    asked: usize,
    /// Each component that has a mask, the place of the mask and the column's name.
    masked: Vec<(usize, usize, String)>,
}

impl Masks {
    /// Adds the masks of `components` behind them.
    pub(crate) fn beside(
        path: &Path,
        schema: &Schema,
        components: &mut Vec<Component>,
    ) -> Result<Self> {
        let asked = components.len();
        let masks = masks(schema);
        let mut masked = Vec::new();
        for place in 0..asked {
            let part = components[place];
            let Some(field) = schema.fields.get(part.field) else {
                continue;
            };
            let fits = |mask: &&usize| {
                let width = schema.fields[**mask].width;
                width == field.width || width == 1
            };
            let of_name = masks.get(field.name.as_str());
            let Some(&mask) = of_name.and_then(|masks| masks.iter().find(fits)) else {
                continue;
            };
            let of_mask = &schema.fields[mask];
            if of_mask.kind == Kind::Other {
                return Err(CatalogError::NotNumeric {
                    path: path.to_owned(),
                    column: of_mask.name.clone(),
                    dtype: of_mask.dtype.clone(),
                });
            }
            let element = if of_mask.width == 1 { 0 } else { part.element };
            // Readers hand out each component once.
            let same = |have: &Component| (have.field, have.element) == (mask, element);
            let at = components.iter().position(same).unwrap_or_else(|| {
                components.push(Component {
                    field: mask,
                    element,
                    typed: true,
                    words: false,
                    coded: false,
                });
                components.len() - 1
            });
            masked.push((place, at, field.name.clone()));
        }
        Ok(Self { asked, masked })
    }

    /// Whether there is any.
    pub(crate) fn any(&self) -> bool {
        !self.masked.is_empty()
    }

    /// Makes missing values of those that are masked, which `widening` refuses, counts or marks, and takes the masks off the block.
    pub(crate) fn apply(&self, path: &Path, widening: Widening, block: &mut Block) -> Result<()> {
        for (place, mask, column) in &self.masked {
            let site = Site::new(path, column, block.first_row);
            let flags = flags(&block.cells[*mask], site)?;
            let Some(first) = flags.iter().position(|masked| *masked) else {
                continue;
            };
            let cells = std::mem::replace(&mut block.cells[*place], Cells::Numbers(Vec::new()));
            block.cells[*place] = match (widening, cells) {
                (Widening::Exact, _) => return Err(site.null(site.first_row + first as u64)),
                (Widening::Nearest, Cells::Numbers(mut values)) => {
                    let masked = values.iter_mut().zip(&flags).filter(|(_, masked)| **masked);
                    masked.for_each(|(value, _)| *value = f64::NAN);
                    Cells::Numbers(values)
                }
                (Widening::Nearest, other) => other,
                (_, Cells::Missing(cells, mut missing)) => {
                    missing.iter_mut().zip(&flags).for_each(|(a, b)| *a |= b);
                    Cells::Missing(cells, missing)
                }
                (_, cells) => Cells::Missing(Box::new(cells), flags.clone()),
            };
            block.nulls[*place] += flags.iter().filter(|masked| **masked).count() as u64;
        }
        if self.any() {
            block.cells.truncate(self.asked);
            block.nulls.truncate(self.asked);
        }
        Ok(())
    }
}

/// The fields that are masks, by the name of the column that they belong to.
fn masks(schema: &Schema) -> HashMap<&str, Vec<usize>> {
    let mut masks: HashMap<&str, Vec<usize>> = HashMap::new();
    for (k, field) in schema.fields.iter().enumerate() {
        if let Some(of) = field.name.strip_suffix(MASK) {
            masks.entry(of).or_default().push(k);
        }
    }
    masks
}

/// Which rows are masked.
fn flags(cells: &Cells, site: Site<'_>) -> Result<Vec<bool>> {
    let of_text = |(row, text): (usize, &String)| match text.to_lowercase().as_str() {
        "true" | "t" | "1" => Ok(true),
        "false" | "f" | "0" | "" => Ok(false),
        _ => {
            let detail = format!(
                "column `{}{MASK}`, row {} (from 0): expected True or False, found `{text}`",
                site.column,
                site.first_row + row as u64
            );
            Err(CatalogError::corrupt(site.path, detail))
        }
    };
    Ok(match cells {
        Cells::Numbers(values) => values.iter().map(|&value| value != 0.0).collect(),
        Cells::Integers(values) => values.iter().map(|&value| value != 0).collect(),
        Cells::Texts(texts) => texts
            .iter()
            .enumerate()
            .map(of_text)
            .collect::<Result<_, _>>()?,
        Cells::Coded(coded) => coded
            .each()
            .enumerate()
            .map(of_text)
            .collect::<Result<_, _>>()?,
        Cells::Missing(cells, missing) => {
            let mut all = flags(cells, site)?;
            all.iter_mut().zip(missing).for_each(|(a, b)| *a |= b);
            all
        }
    })
}
