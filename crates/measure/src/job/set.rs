//! Names for texts that recur in a job: what `[set]` defines.
//!
//! Entry: [`Names::put`]. `{NAME}` is the text, `{NAME, AXIS = VALUE}` the text with a value of an axis, or another axis, in the place of that axis.

use anyhow::Result;
use toml::de::DeTable;

use super::line_of;
use super::settings::{Setting, text_of};
use super::sweep::{Axis, Sweep, is_place};
use crate::usage::usage;

/// A name with its text.
#[derive(Debug)]
struct Named {
    name: String,
    text: String,
    line: usize,
}

/// All names, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Names(Vec<Named>);

/// What stands between braces: a name, and what stands for which axis in its text; none where that is something else.
fn reference(inside: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    let mut parts = inside.split(',').map(str::trim);
    let name = parts.next().filter(|name| is_place(name))?;
    let put = parts.map(|part| {
        let (axis, value) = part.split_once('=')?;
        Some((axis.trim(), value.trim()))
    });
    Some((name, put.collect::<Option<_>>()?))
}

/// What comes into the place of an axis: another axis with its places, of all values or of one, or else one of its own values.
fn replaced(text: &str, axis: &Axis, value: &str, sweep: &Sweep) -> Option<String> {
    let (name, all) = match value.strip_suffix(":all") {
        Some(name) => (name, ":all"),
        None => (value, ""),
    };
    let other = sweep.axis(name);
    let own = axis.places.len() == 1 && axis.values.iter().any(|own| own[0] == value);
    if other.is_none() && !own {
        return None;
    }
    let put = |text: String, place: &String| {
        let key = &place[axis.name.len()..];
        let by = other.map_or_else(|| value.to_owned(), |_| format!("{{{name}{key}{all}}}"));
        text.replace(&format!("{{{place}}}"), &by)
    };
    Some(axis.places.iter().fold(text.to_owned(), put))
}

fn refused(inside: &str, why: &str, line: usize) -> anyhow::Error {
    usage(format!("line {line}: {{{inside}}}: {why}"))
}

impl Names {
    /// The names of the table `[set]`: each a text or a number.
    pub(super) fn new(text: &str, table: &DeTable<'_>) -> Result<Self> {
        let one = |(key, value): (&toml::Spanned<_>, &toml::Spanned<_>)| {
            let key: &toml::Spanned<std::borrow::Cow<'_, str>> = key;
            let (name, line) = (key.get_ref().to_string(), line_of(text, key.span().start));
            match text_of(value.get_ref()) {
                Some(text) if is_place(&name) => Ok(Named { name, text, line }),
                Some(_) => Err(usage(format!(
                    "line {line}: {name}: expected a name of letters, digits and _ in [set]"
                ))),
                None => Err(usage(format!(
                    "line {line}: {name}: expected a text or a number in [set]"
                ))),
            }
        };
        Ok(Self(table.iter().map(one).collect::<Result<_>>()?))
    }

    /// Refuses a name that an axis has too, and one that stands nowhere: neither in a setting nor in the text of another name.
    pub(super) fn check(&self, sweep: &Sweep, settings: &[&Setting]) -> Result<()> {
        for Named { name, line, .. } in &self.0 {
            if sweep.axis(name).is_some() {
                return Err(usage(format!(
                    "line {line}: {name}: [set] and [sweep] both have it"
                )));
            }
            let forms = [format!("{{{name}}}"), format!("{{{name},")];
            let used = |form: &String| {
                settings.iter().any(|s| s.holds(form))
                    || self.0.iter().any(|n| n.text.contains(form))
            };
            if !forms.iter().any(used) {
                return Err(usage(format!(
                    "line {line}: no measurement of this job uses `{name}` of [set]: write {{{name}}} where its text belongs, or leave it out"
                )));
            }
        }
        Ok(())
    }

    /// The text with those of all names in it.
    pub(super) fn put(&self, text: &str, sweep: &Sweep, line: usize) -> Result<String> {
        self.within(text, sweep, line, &mut Vec::new())
    }

    /// The same within the texts of some names, which must not stand in it again.
    fn within<'a>(
        &'a self,
        text: &str,
        sweep: &Sweep,
        line: usize,
        above: &mut Vec<&'a str>,
    ) -> Result<String> {
        let mut made = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let (before, after) = rest.split_at(open);
            made.push_str(before);
            let inside = after[1..].split_once('}').map(|(inside, _)| inside);
            let found = inside.and_then(|inside| Some((inside, reference(inside)?)));
            let named = found
                .as_ref()
                .map(|(_, (name, _))| self.0.iter().find(|n| n.name == *name));
            let (Some((inside, (name, put))), Some(named)) = (found, named) else {
                made.push('{');
                rest = &after[1..];
                continue;
            };
            rest = &after[inside.len() + 2..];
            let own = match named {
                Some(named) => self.text_of(named, (inside, &put), sweep, line, above)?,
                None if put.is_empty() => after[..inside.len() + 2].to_owned(),
                None => {
                    let why = format!("there is no `{name}` in [set]");
                    return Err(refused(inside, &why, line));
                }
            };
            made.push_str(&own);
        }
        made.push_str(rest);
        Ok(made)
    }

    /// The text of a name, with what is put into the places of axes.
    fn text_of<'a>(
        &'a self,
        named: &'a Named,
        (inside, put): (&str, &[(&str, &str)]),
        sweep: &Sweep,
        line: usize,
        above: &mut Vec<&'a str>,
    ) -> Result<String> {
        let (name, refused) = (&named.name, |why: &str| refused(inside, why, line));
        if above.contains(&name.as_str()) {
            return Err(refused(&format!("the text of `{name}` holds itself")));
        }
        above.push(name);
        let mut text = self.within(&named.text, sweep, named.line, above)?;
        above.pop();
        for &(axis, value) in put {
            let stands = |place: &String| text.contains(&format!("{{{place}}}"));
            let found = sweep
                .axis(axis)
                .filter(|axis| axis.places.iter().any(stands));
            let Some(found) = found else {
                let why = format!("`{name}` is `{}`, without an axis `{axis}`", named.text);
                return Err(refused(&why));
            };
            text = replaced(&text, found, value, sweep).ok_or_else(|| {
                let own = found.values.iter().filter(|value| value.len() == 1);
                let own: Vec<&str> = own.map(|value| value[0].as_str()).collect();
                let own = own.join(", ");
                refused(&format!(
                    "`{value}` is neither another axis of [sweep] nor a value of `{axis}` ({own})"
                ))
            })?;
        }
        Ok(text)
    }
}
