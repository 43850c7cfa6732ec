//! As much YAML as ECSV headers use: block and flow collections, quoted and plain scalars, tags skipped.
//!
//! Entry: [`sections`], then [`parse`] of one section. No anchors, no literal blocks, no multiple documents.

use serde_json::{Map, Value as Json};

/// Collections nest at most this deep; the parser recurses.
const DEEPEST: usize = 48;

/// The top-level keys of a mapping with the text of their values.
pub(crate) fn sections(text: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let key = (!line.starts_with([' ', '-', '#', '}', ']']))
            .then(|| split_key(line))
            .flatten();
        match (key, sections.last_mut()) {
            (Some((key, value)), _) => sections.push((key, format!("{value}\n"))),
            (None, Some((_, open))) => {
                open.push_str(line);
                open.push('\n');
            }
            (None, None) => {}
        }
    }
    sections
}

/// Parses one value.
pub(crate) fn parse(text: &str) -> Result<Json, String> {
    let lines: Vec<Line<'_>> = text
        .lines()
        .map(Line::new)
        .filter(|line| !line.text.is_empty())
        .collect();
    let mut parser = Blocks { lines, next: 0 };
    let value = parser.value(0, 0)?;
    match parser.lines.get(parser.next) {
        None => Ok(value),
        Some(line) => Err(format!("`{}` does not continue what is before", line.text)),
    }
}

/// A list of one-entry mappings, which is how ordered mappings are written, as one mapping.
pub(crate) fn ordered_map(json: Json) -> Json {
    match json {
        Json::Array(items)
            if !items.is_empty()
                && items
                    .iter()
                    .all(|item| item.as_object().is_some_and(|o| o.len() == 1)) =>
        {
            let entries = items.into_iter().flat_map(|item| match item {
                Json::Object(entry) => entry,
                _ => Map::new(),
            });
            Json::Object(
                entries
                    .map(|(key, value)| (key, ordered_map(value)))
                    .collect(),
            )
        }
        other => other,
    }
}

#[derive(Clone, Copy)]
struct Line<'a> {
    indent: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn new(line: &'a str) -> Self {
        let text = line.trim();
        Self {
            indent: line.len() - line.trim_start().len(),
            text,
        }
    }
}

/// Block collections: by lines and their indentation.
struct Blocks<'a> {
    lines: Vec<Line<'a>>,
    next: usize,
}

impl<'a> Blocks<'a> {
    /// The value that starts at the next line, whose lines are indented by at least `indent`.
    fn value(&mut self, indent: usize, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err("nested too deeply".to_owned());
        }
        let Some(&first) = self.lines.get(self.next) else {
            return Ok(Json::Null);
        };
        let text = without_tag(first.text);
        if first.indent < indent {
            return Ok(Json::Null);
        }
        if text.is_empty() {
            self.next += 1;
            return self.value(indent, depth + 1);
        }
        if text == "-" || text.starts_with("- ") {
            return self.sequence(first.indent, depth);
        }
        if !text.starts_with(['{', '[', '"', '\'']) && split_key(text).is_some() {
            return self.mapping(first.indent, depth);
        }
        self.next += 1;
        self.inline(text, indent, depth)
    }

    fn sequence(&mut self, indent: usize, depth: usize) -> Result<Json, String> {
        let mut items = Vec::new();
        while let Some(&line) = self.lines.get(self.next) {
            let Some(rest) = line
                .text
                .strip_prefix('-')
                .filter(|rest| rest.is_empty() || rest.starts_with(' '))
            else {
                break;
            };
            if line.indent != indent {
                break;
            }
            // What follows the dash is a line of its own, indented to where it stands.
            let inner = rest.trim_start();
            if inner.is_empty() {
                self.next += 1;
                items.push(self.value(indent + 1, depth + 1)?);
            } else {
                let indent = indent + line.text.len() - inner.len();
                self.lines[self.next] = Line {
                    indent,
                    text: inner,
                };
                items.push(self.value(indent, depth + 1)?);
            }
        }
        Ok(Json::Array(items))
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Result<Json, String> {
        let mut entries = Map::new();
        while let Some(&line) = self.lines.get(self.next) {
            if line.indent != indent || line.text.starts_with("- ") {
                break;
            }
            let Some((key, rest)) = split_key(line.text) else {
                break;
            };
            self.next += 1;
            let rest = without_tag(rest);
            let value = if rest.is_empty() {
                // A sequence may stand at the indentation of its key.
                let dash = self
                    .lines
                    .get(self.next)
                    .is_some_and(|next| next.text == "-" || next.text.starts_with("- "));
                self.value(if dash { indent } else { indent + 1 }, depth + 1)?
            } else {
                self.inline(rest, indent + 1, depth + 1)?
            };
            entries.insert(key, value);
        }
        Ok(Json::Object(entries))
    }

    /// A flow collection or a scalar, which more deeply indented lines may continue.
    fn inline(&mut self, text: &'a str, indent: usize, depth: usize) -> Result<Json, String> {
        let mut joined = text.to_owned();
        while let Some(line) = self.lines.get(self.next)
            && (!complete(&joined)
                || (line.indent >= indent.max(1) && !joined.starts_with(['{', '[', '"', '\''])))
        {
            joined.push(' ');
            joined.push_str(line.text);
            self.next += 1;
        }
        let mut flow = Flow {
            text: &joined,
            position: 0,
        };
        let value = flow.value(&[], depth)?;
        match flow.rest().trim() {
            "" => Ok(value),
            rest if rest.starts_with('#') => Ok(value),
            rest => Err(format!("`{rest}` behind a value")),
        }
    }
}

/// Whether all brackets and quotes that open in `text` also close.
fn complete(text: &str) -> bool {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    let mut last = ' ';
    for c in text.chars() {
        match (quote, c) {
            (Some('"'), '\\') if !escaped => escaped = true,
            (Some(open), c) if c == open && !escaped => quote = None,
            (Some(_), _) => escaped = false,
            (None, '"' | '\'') if " [{,:".contains(last) => quote = Some(c),
            (None, '[' | '{') if depth > 0 || last == ' ' => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
        last = c;
    }
    depth == 0 && quote.is_none()
}

/// `key: value` or `key:`, the key plain or quoted.
fn split_key(line: &str) -> Option<(String, &str)> {
    if line.starts_with(['"', '\'']) {
        let mut flow = Flow {
            text: line,
            position: 0,
        };
        let Json::String(key) = flow.quoted().ok()? else {
            return None;
        };
        let rest = flow.rest().trim_start().strip_prefix(':')?;
        return Some((key, rest.trim_start()));
    }
    let colon = line
        .find(": ")
        .or_else(|| line.strip_suffix(':').map(str::len))?;
    Some((line[..colon].trim().to_owned(), line[colon + 1..].trim()))
}

/// The text behind a tag such as `!!omap`.
fn without_tag(text: &str) -> &str {
    let mut text = text;
    while text.starts_with('!') {
        text = text.find(' ').map_or("", |end| text[end..].trim_start());
    }
    text
}

/// Flow collections and scalars: by characters.
struct Flow<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Flow<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    fn skip_space(&mut self) {
        self.position += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, mark: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(mark);
        self.position += if found { mark.len_utf8() } else { 0 };
        found
    }

    /// A value; a plain scalar ends before any of `ends`.
    fn value(&mut self, ends: &[char], depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err("nested too deeply".to_owned());
        }
        self.skip_space();
        let tagless = without_tag(self.rest());
        self.position = self.text.len() - tagless.len();
        match self.rest().chars().next() {
            Some('[') => self.list(depth),
            Some('{') => self.map(depth),
            Some('"' | '\'') => self.quoted(),
            _ => Ok(scalar(self.plain(ends))),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        self.position += 1;
        let mut items = Vec::new();
        while !self.eat(']') {
            items.push(self.value(&[',', ']'], depth + 1)?);
            if !self.eat(',') && !self.rest().starts_with(']') {
                return Err("a list is not closed by `]`".to_owned());
            }
        }
        Ok(Json::Array(items))
    }

    fn map(&mut self, depth: usize) -> Result<Json, String> {
        self.position += 1;
        let mut entries = Map::new();
        while !self.eat('}') {
            let key = match self.rest().chars().next() {
                Some('"' | '\'') => match self.quoted()? {
                    Json::String(key) => key,
                    _ => return Err("a key is no text".to_owned()),
                },
                _ => self.plain(&[':', ',', '}']).to_owned(),
            };
            let value = if self.eat(':') {
                self.value(&[',', '}'], depth + 1)?
            } else {
                Json::Null
            };
            entries.insert(key, value);
            if !self.eat(',') && !self.rest().starts_with('}') {
                return Err("a mapping is not closed by `}`".to_owned());
            }
        }
        Ok(Json::Object(entries))
    }

    fn plain(&mut self, ends: &[char]) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| ends.contains(&c)).unwrap_or(rest.len());
        let end = if ends.is_empty() {
            rest.find(" #").unwrap_or(end)
        } else {
            end
        };
        self.position += end;
        rest[..end].trim()
    }

    fn quoted(&mut self) -> Result<Json, String> {
        let quote = if self.rest().starts_with('"') {
            '"'
        } else {
            '\''
        };
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' if quote == '"' => match chars.next().map(|(_, c)| c) {
                    Some(c @ ('x' | 'u' | 'U')) => {
                        let digits = match c {
                            'x' => 2,
                            'u' => 4,
                            _ => 8,
                        };
                        let code: String = chars.by_ref().take(digits).map(|(_, c)| c).collect();
                        text.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
                    }
                    Some(c) => text.push(unescaped(c)),
                    None => break,
                },
                '\'' if quote == '\'' && chars.next_if(|&(_, next)| next == '\'').is_some() => {
                    text.push('\'');
                }
                c if c == quote => {
                    self.position += at + 1;
                    return Ok(Json::String(text));
                }
                c => text.push(c),
            }
        }
        Err(format!("a text is not closed by {quote}"))
    }
}

fn unescaped(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        other => other,
    }
}

/// A plain scalar by the YAML 1.1 core rules that matter here.
fn scalar(word: &str) -> Json {
    match word {
        "" | "~" | "null" | "Null" | "NULL" => return Json::Null,
        "true" | "True" | "TRUE" => return Json::Bool(true),
        "false" | "False" | "FALSE" => return Json::Bool(false),
        _ => {}
    }
    if let Ok(integer) = word.parse::<i64>() {
        return Json::from(integer);
    }
    if let Ok(integer) = word.parse::<u64>() {
        return Json::from(integer);
    }
    let numeric = word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    match word.parse::<f64>() {
        Ok(value) if numeric && value.is_finite() => Json::from(value),
        _ => Json::String(word.to_owned()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed parse fails the test")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_header_as_astropy_writes_it() {
        let text = "datatype:\n- {name: x, unit: Mpc / h, datatype: float64, description: 'co-moving: x'}\n\
                    - {name: v, datatype: string, description: a text that goes on and on and on and is therefore\n    \
                    wrapped, subtype: 'float64[3]'}\ndelimiter: ','\nmeta: !!omap\n- {BoxSize: 420.0}\n\
                    - cosmology:\n    Om0: 0.3\n    name: flat\n- comments: [one, 'two, three']\n\
                    - edges:\n  - 1\n  - 2.5\n- t: !astropy.time.Time {scale: tai, value: 1}\nschema: astropy-2.0\n";
        let sections = sections(text);
        let keys: Vec<&str> = sections.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["datatype", "delimiter", "meta", "schema"]);
        let datatype = parse(&sections[0].1).unwrap();
        assert_eq!(datatype[0]["unit"], "Mpc / h");
        assert_eq!(datatype[0]["description"], "co-moving: x");
        assert_eq!(datatype[1]["subtype"], "float64[3]");
        assert!(
            datatype[1]["description"]
                .as_str()
                .unwrap()
                .ends_with("therefore wrapped")
        );
        assert_eq!(parse(&sections[1].1).unwrap(), json!(","));
        let meta = ordered_map(parse(&sections[2].1).unwrap());
        assert_eq!(
            meta,
            json!({"BoxSize": 420.0, "cosmology": {"Om0": 0.3, "name": "flat"}, "comments": ["one", "two, three"],
                   "edges": [1, 2.5], "t": {"scale": "tai", "value": 1}})
        );
    }

    #[test]
    fn block_mappings_in_sequences() {
        let text = "\n- name: x\n  datatype: float64\n- name: y\n  datatype: int64\n";
        assert_eq!(
            parse(text).unwrap(),
            json!([{"name": "x", "datatype": "float64"}, {"name": "y", "datatype": "int64"}])
        );
    }

    #[test]
    fn scalars() {
        for (text, value) in [
            ("1", json!(1)),
            ("-1.5e3", json!(-1500.0)),
            ("1.0e+3", json!(1000.0)),
            ("true", json!(true)),
            ("~", json!(null)),
            ("nan", json!("nan")),
            ("a b # c", json!("a b")),
            ("\"a\\n\\u0041\\\"\"", json!("a\nA\"")),
            ("'it''s'", json!("it's")),
            ("[]", json!([])),
            ("{}", json!({})),
            ("{a: , b: 1}", json!({"a": null, "b": 1})),
            ("plain text\n  goes on", json!("plain text goes on")),
        ] {
            assert_eq!(parse(text).unwrap(), value, "{text}");
        }
    }

    #[test]
    fn broken_text_is_an_error() {
        for text in ["[1, 2", "{a: 1", "'open", "[1] 2", "{a: 1}}", "- a\nb: 1"] {
            assert!(parse(text).is_err(), "{text}: {:?}", parse(text));
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&"- ".repeat(100_000)).is_err());
    }
}
