//! The YAML of ECSV headers as JSON, parsed by `saphyr-parser`.
//!
//! Entry: [`mapping`], [`ordered_map`]. Tags are passed over; plain scalars follow the YAML 1.1 core rules that matter here.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value as Json};

/// Collections nest at most this deep.
const DEEPEST: usize = 48;
/// Values of a document, those that aliases repeat included.
const MOST_VALUES: usize = 4 << 20;

/// The entries of the mapping that a document is, up to the first that is broken, and what is wrong with that.
pub(crate) fn mapping(text: &str) -> (Map<String, Json>, Option<String>) {
    let mut entries = Map::new();
    let broken = read_document(text, &mut entries).err();
    (entries, broken)
}

fn read_document(text: &str, entries: &mut Map<String, Json>) -> Result<(), String> {
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        anchors: HashMap::new(),
        left: MOST_VALUES,
    };
    loop {
        match reader.event()? {
            Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
            Event::MappingStart(..) => break,
            Event::StreamEnd | Event::DocumentEnd => return Ok(()),
            _ => return Err("a mapping is expected".to_owned()),
        }
    }
    while let Some((key, value)) = reader.entry(1)? {
        entries.insert(key, value);
    }
    Ok(())
}

struct Reader<'t> {
    events: Parser<'t, saphyr_parser::StrInput<'t>>,
    /// Values that aliases may repeat.
    anchors: HashMap<usize, Json>,
    left: usize,
}

impl<'t> Reader<'t> {
    fn event(&mut self) -> Result<Event<'t>, String> {
        match self.events.next_event() {
            Some(Ok((event, _))) => Ok(event),
            Some(Err(error)) => Err(error.to_string()),
            None => Err("it ends too early".to_owned()),
        }
    }

    /// The next entry of a mapping, `None` behind the last.
    fn entry(&mut self, depth: usize) -> Result<Option<(String, Json)>, String> {
        let key = match self.event()? {
            Event::MappingEnd => return Ok(None),
            Event::Scalar(key, ..) => key.into_owned(),
            _ => return Err("a key is no plain text".to_owned()),
        };
        let event = self.event()?;
        Ok(Some((key, self.value(event, depth)?)))
    }

    /// The value that `event` begins.
    fn value(&mut self, event: Event<'t>, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err("nested too deeply".to_owned());
        }
        self.count(1)?;
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => (scalar(text, style), anchor),
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                loop {
                    match self.event()? {
                        Event::SequenceEnd => break,
                        event => items.push(self.value(event, depth + 1)?),
                    }
                }
                (Json::Array(items), anchor)
            }
            Event::MappingStart(anchor, _) => {
                let mut entries = Map::new();
                while let Some((key, value)) = self.entry(depth + 1)? {
                    entries.insert(key, value);
                }
                (Json::Object(entries), anchor)
            }
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).cloned();
                let value = value.ok_or("an alias within what it names")?;
                self.count(values(&value))?;
                (value, 0)
            }
            _ => return Err("it ends too early".to_owned()),
        };
        if anchor > 0 {
            self.count(values(&value))?;
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn count(&mut self, values: usize) -> Result<(), String> {
        self.left = self
            .left
            .checked_sub(values)
            .ok_or("aliases make too many values of it")?;
        Ok(())
    }
}

/// Values within a value, itself included.
fn values(json: &Json) -> usize {
    match json {
        Json::Array(items) => 1 + items.iter().map(values).sum::<usize>(),
        Json::Object(entries) => 1 + entries.values().map(values).sum::<usize>(),
        _ => 1,
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

fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Json {
    if style == ScalarStyle::Plain {
        plain(&text)
    } else {
        Json::String(text.into_owned())
    }
}

/// A plain scalar by the YAML 1.1 core rules that matter here.
fn plain(word: &str) -> Json {
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
mod tests {
    use super::*;
    use serde_json::json;

    /// A document of one key.
    fn parse(text: &str) -> Result<Json, String> {
        let (mut entries, broken) = mapping(&format!("k: {text}"));
        broken.map_or(Ok(()), Err)?;
        Ok(entries.remove("k").unwrap_or_default())
    }

    #[test]
    fn a_header_as_astropy_writes_it() {
        let text = "datatype:\n- {name: x, unit: Mpc / h, datatype: float64, description: 'co-moving: x'}\n\
                    - {name: v, datatype: string, description: a text that goes on and on and on and is therefore\n    \
                    wrapped, subtype: 'float64[3]'}\ndelimiter: ','\nmeta: !!omap\n- {BoxSize: 420.0}\n\
                    - cosmology:\n    Om0: 0.3\n    name: flat\n- comments: [one, 'two, three']\n\
                    - edges:\n  - 1\n  - 2.5\n- t: !astropy.time.Time {scale: tai, value: 1}\nschema: astropy-2.0\n";
        let (mut entries, broken) = mapping(text);
        assert_eq!(broken, None);
        let keys: Vec<&String> = entries.keys().collect();
        assert_eq!(keys, ["datatype", "delimiter", "meta", "schema"]);
        let datatype = &entries["datatype"];
        assert_eq!(datatype[0]["unit"], "Mpc / h");
        assert_eq!(datatype[0]["description"], "co-moving: x");
        assert_eq!(datatype[1]["subtype"], "float64[3]");
        let description = datatype[1]["description"].as_str().unwrap_or_default();
        assert!(description.ends_with("therefore wrapped"), "{description}");
        assert_eq!(entries["delimiter"], json!(","));
        let meta = ordered_map(entries.remove("meta").unwrap_or_default());
        assert_eq!(
            meta,
            json!({"BoxSize": 420.0, "cosmology": {"Om0": 0.3, "name": "flat"}, "comments": ["one", "two, three"],
                   "edges": [1, 2.5], "t": {"scale": "tai", "value": 1}})
        );
    }

    #[test]
    fn scalars() {
        for (text, value) in [
            ("1", json!(1)),
            ("18446744073709551615", json!(u64::MAX)),
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
            ("|-\n  two\n  lines", json!("two\nlines")),
            ("[&a {x: 1}, *a]", json!([{"x": 1}, {"x": 1}])),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_stands_before_the_break_is_kept() {
        let (entries, broken) = mapping("datatype: [{name: x}]\nmeta: {a: [1}\n");
        assert_eq!(Json::Object(entries), json!({"datatype": [{"name": "x"}]}));
        assert!(broken.is_some());
    }

    #[test]
    fn broken_text_is_an_error() {
        for text in [
            "[1, 2",
            "{a: 1",
            "'open",
            "[1] 2",
            "{a: 1}}",
            "*no",
            "? [1]\n: 2",
        ] {
            assert!(parse(text).is_err(), "{text}: {:?}", parse(text));
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&"- ".repeat(100_000)).is_err());
        // Each list holds the one before ten times.
        let mut bomb = "&a0 [1, 1]".to_owned();
        for k in 1..12 {
            let repeated = vec![format!("*a{}", k - 1); 10].join(", ");
            bomb += &[
                "\nk",
                &k.to_string(),
                ": &a",
                &k.to_string(),
                " [",
                &repeated,
                "]",
            ]
            .concat();
        }
        assert_eq!(
            parse(&bomb),
            Err("aliases make too many values of it".to_owned())
        );
    }
}
