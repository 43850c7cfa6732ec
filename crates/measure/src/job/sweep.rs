//! What a job is measured over: every combination of the values of the axes of `[sweep]`.
//!
//! Entry: [`Sweep`]. A value may be a table, whose entries vary together: `{z.lo}` and `{z.hi}`.

use anyhow::Result;
use toml::de::{DeTable, DeValue};

use super::line_of;
use super::settings::text_of;
use crate::usage::usage;

/// The most measurements that a range may ask for.
const MOST: i64 = 1_000_000;

/// What varies.
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) name: String,
    /// What stands for its values in braces: its name, or `NAME.KEY` for each key of values that are tables.
    pub(super) places: Vec<String>,
    /// Each with a text for each place.
    pub(super) values: Vec<Vec<String>>,
    pub(super) line: usize,
}

/// A value of each axis.
pub(super) type Point<'a> = Vec<&'a [String]>;

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

/// The axis of this name with the values of a list: texts and numbers, or tables of them with the same keys.
fn axis(name: &str, values: &[toml::Spanned<DeValue<'_>>], line: usize) -> Result<Option<Axis>> {
    let tables = values.iter().map(|value| match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    });
    let Some(tables) = tables.collect::<Option<Vec<_>>>() else {
        let texts = values
            .iter()
            .map(|value| Some(vec![text_of(value.get_ref())?]));
        let values = texts.collect::<Option<Vec<_>>>();
        return Ok(values.map(|values| Axis::plain(name, values, line)));
    };
    let keys = |table: &DeTable<'_>| table.keys().map(|key| key.get_ref().to_string()).collect();
    let keys: Vec<Vec<String>> = tables.iter().map(|table| keys(table)).collect();
    let Some(first) = keys.first().filter(|keys| !keys.is_empty()) else {
        return Ok(None);
    };
    if let Some(other) = keys.iter().find(|keys| *keys != first) {
        return Err(usage(format!(
            "line {line}: {name}: every value has the same keys in the same order: expected {}, found {}",
            first.join(", "),
            other.join(", ")
        )));
    }
    let texts = |table: &&DeTable<'_>| {
        table
            .values()
            .map(|value| text_of(value.get_ref()))
            .collect()
    };
    let values = tables.iter().map(texts).collect::<Option<Vec<_>>>();
    Ok(values.map(|values| Axis {
        name: name.to_owned(),
        places: first.iter().map(|key| format!("{name}.{key}")).collect(),
        values,
        line,
    }))
}

/// The place of the first `{PLACE:all}` of a text.
fn all_of(text: &str) -> Option<&str> {
    let (start, _) = text.split_once(":all}")?;
    Some(start.rsplit_once('{')?.1)
}

/// Whether braces with this between them stand for a value.
pub(super) fn is_place(name: &str) -> bool {
    let word =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    name.split('.').all(word)
}

impl Axis {
    fn plain(name: &str, values: Vec<Vec<String>>, line: usize) -> Self {
        Self {
            name: name.to_owned(),
            places: vec![name.to_owned()],
            values,
            line,
        }
    }

    /// The texts that stand for its values in braces, with what they mean.
    pub(super) fn texts<'a>(
        &'a self,
        value: &'a [String],
    ) -> impl Iterator<Item = (&'a String, &'a String)> {
        self.places.iter().zip(value)
    }
}

impl Sweep {
    /// The axes of the table `[sweep]`: lists of texts, numbers or tables of these, or ranges of integers such as "1:25".
    pub(super) fn new(text: &str, table: &DeTable<'_>) -> Result<Self> {
        let mut axes = Vec::new();
        for (key, value) in table {
            let (name, line) = (key.get_ref().to_string(), line_of(text, key.span().start));
            let refused = || {
                usage(format!(
                    "line {line}: {name}: expected a list of texts, numbers or tables of them, or a range of integers FIRST:LAST[:STEP] with both ends, such as \"1:25\""
                ))
            };
            let found = match value.get_ref() {
                DeValue::Array(values) if !values.is_empty() => axis(&name, values, line)?,
                DeValue::String(text) => range(text)
                    .map(|values| values.into_iter().map(|value| vec![value]).collect())
                    .map(|values| Axis::plain(&name, values, line)),
                _ => None,
            };
            axes.push(found.ok_or_else(refused)?);
        }
        Ok(Self { axes })
    }

    /// The axes.
    pub(super) fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.axes.iter()
    }

    /// The axis of this name, if there is one.
    pub(super) fn axis(&self, name: &str) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.name == name)
    }

    /// The number of the axis that a place belongs to, and which of its texts stands there.
    fn find(&self, text: &str, place: &str, line: usize) -> Result<(usize, usize)> {
        let places = |axis: &Axis| axis.places.iter().position(|own| own == place);
        let mut axes = self.axes.iter().enumerate();
        let found = axes.find_map(|(k, axis)| Some((k, places(axis)?)));
        found.ok_or_else(|| {
            let name = place.split('.').next().unwrap_or_default();
            match self.axis(name) {
                None => usage(format!(
                    "line {line}: `{text}`: there is no `{name}` in [sweep] or [set]"
                )),
                Some(axis) => usage(format!(
                    "line {line}: `{text}`: there is no {{{place}}}: expected {{{}}}",
                    axis.places.join("} or {")
                )),
            }
        })
    }

    /// Every combination of values, one of each axis; one without any where there is no axis.
    pub(super) fn points(&self) -> Vec<Point<'_>> {
        let mut points = vec![vec![]];
        for Axis { values, .. } in &self.axes {
            let mut longer = Vec::with_capacity(points.len() * values.len());
            for point in &points {
                longer.extend(values.iter().map(|v| [&point[..], &[&v[..]]].concat()));
            }
            points = longer;
        }
        points
    }

    /// The text with every value of an axis in the place of `{AXIS:all}`, where that stands in it: each combination of them in turn, the
    /// last varying fastest. What stands for one axis in several places has one value in all of them.
    pub(super) fn each(&self, text: &str, line: usize) -> Result<Option<Vec<String>>> {
        let Some(place) = all_of(text) else {
            return Ok(None);
        };
        let axis = &self.axes[self.find(text, place, line)?.0];
        let mut texts = Vec::new();
        for value in &axis.values {
            let put = |text: String, (place, value): (&String, &String)| {
                text.replace(&format!("{{{place}:all}}"), value)
            };
            let one = axis.texts(value).fold(text.to_owned(), put);
            match self.each(&one, line)? {
                None => texts.push(one),
                Some(several) => texts.extend(several),
            }
        }
        Ok(Some(texts))
    }

    /// The text with the values of a point for `{AXIS}`.
    pub(super) fn put(&self, text: &str, point: &Point<'_>, line: usize) -> Result<String> {
        let mut made = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let (before, after) = rest.split_at(open);
            made.push_str(before);
            let name = after[1..].split_once('}').map(|(name, _)| name);
            let Some(name) = name.filter(|name| is_place(name)) else {
                made.push('{');
                rest = &after[1..];
                continue;
            };
            let (axis, part) = self.find(text, name, line)?;
            made.push_str(&point[axis][part]);
            rest = &after[name.len() + 2..];
        }
        made.push_str(rest);
        Ok(made)
    }
}
