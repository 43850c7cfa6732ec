//! What a job is measured over: every combination of the values of the axes of `[sweep]`.

use anyhow::Result;
use toml::de::{DeTable, DeValue};

use super::line_of;
use super::settings::number;
use crate::usage::usage;

/// The most measurements that a range may ask for.
const MOST: i64 = 1_000_000;

/// What varies.
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) name: String,
    values: Vec<String>,
    pub(super) line: usize,
}

/// Axes in the order of the file; the last varies fastest.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    axes: Vec<Axis>,
}

/// The integers of `FIRST:LAST` or `FIRST:LAST:STEP`, both ends included; none where the text is no range.
fn range(text: &str) -> Option<Vec<String>> {
    let parts = text.split(':').map(|part| part.trim().parse::<i64>().ok());
    let parts = parts.collect::<Option<Vec<_>>>()?;
    let (first, last, step) = match parts[..] {
        [first, last] => (first, last, 1),
        [first, last, step] => (first, last, step),
        _ => return None,
    };
    if step < 1 || last < first || (last.checked_sub(first)?) / step >= MOST {
        return None;
    }
    let step = usize::try_from(step).ok()?;
    Some(
        (first..=last)
            .step_by(step)
            .map(|n| n.to_string())
            .collect(),
    )
}

/// The error about a name that no axis has.
fn no_axis(text: &str, name: &str, line: usize) -> anyhow::Error {
    usage(format!(
        "line {line}: `{text}`: there is no `{name}` in [sweep]"
    ))
}

/// The first `{AXIS:all}` of a text: what stands before it, the axis, and what stands behind it.
fn all_of(text: &str) -> Option<(&str, &str, &str)> {
    let (start, after) = text.split_once(":all}")?;
    let (before, name) = start.rsplit_once('{')?;
    Some((before, name, after))
}

impl Sweep {
    /// The axes of the table `[sweep]`: lists of texts or numbers, or ranges of integers such as "1:25".
    pub(super) fn new(text: &str, table: &DeTable<'_>) -> Result<Self> {
        let mut axes = Vec::new();
        for (key, value) in table {
            let (name, line) = (key.get_ref().to_string(), line_of(text, key.span().start));
            let refused = || {
                usage(format!(
                    "line {line}: {name}: expected a list of texts or numbers, or a range of integers FIRST:LAST[:STEP] with both ends, such as \"1:25\""
                ))
            };
            let values = match value.get_ref() {
                DeValue::Array(values) => {
                    let one = |value: &toml::Spanned<DeValue<'_>>| match value.get_ref() {
                        DeValue::String(text) => Some(text.to_string()),
                        value => number(value),
                    };
                    values.iter().map(one).collect::<Option<Vec<_>>>()
                }
                DeValue::String(text) => range(text),
                _ => None,
            };
            match values {
                Some(values) if !values.is_empty() => axes.push(Axis { name, values, line }),
                _ => return Err(refused()),
            }
        }
        Ok(Self { axes })
    }

    /// The axes.
    pub(super) fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.axes.iter()
    }

    /// Every combination of values, one of each axis; one without any where there is no axis.
    pub(super) fn points(&self) -> Vec<Vec<&str>> {
        let mut points = vec![vec![]];
        for Axis { values, .. } in &self.axes {
            let mut longer = Vec::with_capacity(points.len() * values.len());
            for point in &points {
                longer.extend(values.iter().map(|v| [&point[..], &[v.as_str()]].concat()));
            }
            points = longer;
        }
        points
    }

    /// The text with every value of an axis in the place of `{AXIS:all}`, where that stands in it: each combination of them in turn, the
    /// last varying fastest.
    pub(super) fn each(&self, text: &str, line: usize) -> Result<Option<Vec<String>>> {
        let Some((before, name, after)) = all_of(text) else {
            return Ok(None);
        };
        let axis = self.axes.iter().find(|axis| axis.name == name);
        let axis = axis.ok_or_else(|| no_axis(text, name, line))?;
        let mut texts = Vec::new();
        for value in &axis.values {
            let one = format!("{before}{value}{after}");
            match self.each(&one, line)? {
                None => texts.push(one),
                Some(several) => texts.extend(several),
            }
        }
        Ok(Some(texts))
    }

    /// The text with the values of a point for `{AXIS}`.
    pub(super) fn put(&self, text: &str, point: &[&str], line: usize) -> Result<String> {
        let mut made = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let (before, after) = rest.split_at(open);
            made.push_str(before);
            let name = after[1..].split_once('}').map(|(name, _)| name);
            let word = |name: &&str| {
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            };
            let Some(name) = name.filter(word) else {
                made.push('{');
                rest = &after[1..];
                continue;
            };
            let at = self.axes.iter().position(|axis| axis.name == name);
            let at = at.ok_or_else(|| no_axis(text, name, line))?;
            made.push_str(point[at]);
            rest = &after[name.len() + 2..];
        }
        made.push_str(rest);
        Ok(made)
    }
}
