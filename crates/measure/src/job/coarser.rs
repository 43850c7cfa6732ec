//! Bins that a job puts together: numbers that do not divide them are refused before anything is counted.
//!
//! Entry: [`check`].

use std::collections::HashMap;

use albireo::error::BinsError;
use anyhow::Result;

use super::Measurement;
use crate::edges::EdgeSpec;
use crate::usage::usage;

/// The axes whose bins a flag gives, with the flags by which so many of them become one.
const AXES: [(&str, [&str; 2]); 3] = [
    ("bins", ["by", "rebin"]),
    ("mu-bins", ["mu-by", "mu-rebin"]),
    ("pi-bins", ["pi-by", "pi-rebin"]),
];

/// The numbers of bins along [`AXES`], where they are known.
type Numbers = [Option<usize>; AXES.len()];

/// What a command line has for a flag.
fn value<'a>(made: &'a Measurement, flag: &str) -> Option<&'a str> {
    let words: Vec<&str> = (made.arguments.iter())
        .filter_map(|word| word.to_str())
        .collect();
    let flag = format!("--{flag}");
    words.iter().enumerate().find_map(|(k, word)| {
        let rest = word.strip_prefix(&*flag)?;
        match rest {
            "" => words.get(k + 1).copied(),
            rest => rest.strip_prefix('='),
        }
    })
}

/// The bins that a measurement counts in.
fn counted(made: &Measurement) -> Numbers {
    AXES.map(|(flag, _)| {
        let spec: EdgeSpec = value(made, flag)?.parse().ok()?;
        let unsigned = spec.edges().map(|edges| edges.n_bins());
        unsigned
            .or_else(|_| Ok::<_, anyhow::Error>(spec.signed()?.n_bins()))
            .ok()
    })
}

/// Those of `fine` put together as a measurement asks.
fn coarser(made: &Measurement, fine: Numbers, input: &str) -> Result<Numbers> {
    let mut coarse = fine;
    for ((axis, flags), bins) in AXES.into_iter().zip(&mut coarse) {
        let asked = flags
            .into_iter()
            .find_map(|flag| Some((flag, value(made, flag)?)));
        let (Some((flag, by)), Some(number)) = (asked, *bins) else {
            continue;
        };
        let Some(by) = by.parse().ok().filter(|by| *by > 0) else {
            continue;
        };
        if !number.is_multiple_of(by) {
            let axis = axis.trim_end_matches("bins").trim_end_matches('-');
            let axis = if axis.is_empty() {
                "s, r, rp or theta"
            } else {
                axis
            };
            let refused = BinsError::Divisor {
                axis: axis.to_owned(),
                bins: number,
                by,
            };
            return Err(usage(format!(
                "line {}: [{}]: --{flag}: {input}: {refused}",
                made.line, made.name
            )));
        }
        *bins = Some(number / by);
    }
    Ok(coarse)
}

/// Refuses numbers of neighbouring bins that do not divide those of the results of this job; measurements stand behind what they read.
pub(super) fn check(measurements: &[Measurement]) -> Result<()> {
    let mut known: HashMap<&str, Numbers> = HashMap::new();
    for made in measurements {
        let word = |place: usize| made.arguments.get(place).and_then(|word| word.to_str());
        let bins = match (word(1), word(2)) {
            (Some("count" | "xi" | "wp"), _) => counted(made),
            (Some("result"), Some("rebin" | "estimate" | "combine" | "sum" | "renormalise")) => {
                let mut inputs = made.files.inputs.iter();
                let Some((input, fine)) =
                    inputs.find_map(|input| Some((input, *known.get(&**input)?)))
                else {
                    continue;
                };
                coarser(made, fine, input)?
            }
            _ => continue,
        };
        known.extend(made.files.outputs.iter().map(|path| (&**path, bins)));
    }
    Ok(())
}
