//! Angular upweights that stand in a text file: rows of an angle and a factor, as other programs write them.
//!
//! Entry: [`read`].

use std::path::Path;

use albireo::tally::AngularWeight;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::text::words;

/// The factors of rows `theta factor` (degrees), with the record of where they came from.
pub(crate) fn read(path: &Path) -> Result<(AngularWeight, Value)> {
    let shown = path.display();
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read the factors {shown}"))?;
    let (mut degrees, mut factors) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default();
        let place = || format!("{shown}, line {}", index + 1);
        let number = |field: &str| {
            let number = field.parse::<f64>();
            number.map_err(|_| anyhow::anyhow!("{}: expected a number, found `{field}`", place()))
        };
        let fields = words(content);
        match fields[..] {
            [] => {}
            [theta, factor] => {
                degrees.push(number(theta)?);
                factors.push(number(factor)?);
            }
            _ => bail!(
                "{}: expected two numbers, `theta factor`, found {}",
                place(),
                fields.len()
            ),
        }
    }
    let weight = AngularWeight::new(degrees, factors).with_context(|| shown.to_string())?;
    let record = json!({
        "file": path,
        "theta": weight.degrees(),
        "factors": weight.factors(),
    });
    Ok((weight, record))
}
