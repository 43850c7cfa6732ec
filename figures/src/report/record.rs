//! The record of a result as HTML: how it was made, and the command that makes it again.
//!
//! Entry: [`html`], [`in_one_line`].

use serde_json::{Map, Value};

use super::rows::float;
use crate::remarks::errors;
use crate::style::{Named, reservations};
use crate::svg::escaped;

/// Entries that say what the page says anyway, or too much for it.
const ELSEWHERE: [&str; 3] = ["result", "command", "job"];
/// Entries about files that were read.
const INPUTS: [&str; 6] = [
    "samples",
    "trajectory",
    "topology",
    "made_from",
    "sources",
    "sha256",
];
/// Items of a list that are shown before its last one.
const ITEMS: usize = 6;
/// A longer word needs a wide column.
const WORD: usize = 16;
/// Bytes of a record that are shown as they are.
const MOST: usize = 60_000;

/// What a result is, with what is to be said of its counts, its errors, its program and its date.
pub(super) fn in_one_line(result: Named<'_>, kind: &str) -> String {
    let table = result.table;
    let text = |key: &str| table.meta.get(key).and_then(Value::as_str);
    let parts = [
        Some(format!("{kind}{}", reservations(&[result]))),
        Some(format!("{} rows", table.rows())),
        errors(table),
        text("program").map(|program| format!("made by {program}")),
        text("date").map(str::to_owned),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// A value in words: lists with their ends, tables as `key value`.
fn brief(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => number.as_f64().map_or_else(String::new, float),
        Value::Array(items) if items.len() > ITEMS + 1 => {
            let first: Vec<String> = items[..ITEMS].iter().map(brief).collect();
            let last = items.last().map(brief).unwrap_or_default();
            format!("{}, … {last} ({} in all)", first.join(", "), items.len())
        }
        Value::Array(items) => items.iter().map(brief).collect::<Vec<_>>().join(", "),
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| match value {
                Value::Object(_) => format!("{} ({})", spelled(key), brief(value)),
                _ => format!("{} {}", spelled(key), brief(value)),
            };
            entries.iter().map(entry).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

/// The name of an entry in words; that of a file as it is.
fn spelled(key: &str) -> String {
    if key.contains(['.', '/']) {
        return key.to_owned();
    }
    key.replace('_', " ")
}

/// Rows that have names for their values, as a table; none where they are anything else.
fn tabulated<'a>(rows: &[(Option<&'a str>, &'a Value)]) -> Option<String> {
    let entries: Option<Vec<_>> = rows
        .iter()
        .map(|(name, value)| Some((*name, value.as_object()?)))
        .collect();
    let entries = entries.filter(|entries| !entries.is_empty())?;
    let mut keys: Vec<&String> = Vec::new();
    for key in entries.iter().flat_map(|(_, entries)| entries.keys()) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let named = rows.iter().any(|(name, _)| name.is_some());
    let corner = if named { "<td></td>" } else { "" };
    let head = |key: &&String| format!("<th scope=\"col\">{}</th>", escaped(&spelled(key)));
    let heads: String = keys.iter().map(head).collect();
    let row = |(name, entries): &(Option<&str>, &Map<String, Value>)| {
        let name = name.map(|name| format!("<th scope=\"row\">{}</th>", escaped(name)));
        let value = |key: &&String| entries.get(*key).map(brief).unwrap_or_default();
        let cell = |text: String| {
            let wide = text.split(' ').any(|word| word.len() > WORD);
            let class = if wide { " class=\"long\"" } else { "" };
            format!("<td{class}>{}</td>", escaped(&text))
        };
        let cells: String = keys.iter().map(value).map(cell).collect();
        format!("<tr>{}{cells}</tr>\n", name.unwrap_or_default())
    };
    let body: String = entries.iter().map(row).collect();
    Some(format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Part of the record\"><table class=\"words\"><thead><tr>{corner}{heads}</tr></thead>\n\
         <tbody>{body}</tbody></table></div>"
    ))
}

/// An entry of a record.
fn entry(value: &Value) -> String {
    let rows: Vec<_> = match value {
        Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
        Value::Object(entries) => {
            let entries = entries.iter();
            entries
                .map(|(key, value)| (Some(key.as_str()), value))
                .collect()
        }
        _ => Vec::new(),
    };
    tabulated(&rows).unwrap_or_else(|| escaped(&brief(value)))
}

/// Entries of a record with their names.
fn entries(of: &[(&String, &Value)]) -> String {
    let line = |(key, value): &(&String, &Value)| {
        let (key, value) = (escaped(&spelled(key)), entry(value));
        format!("<dt>{key}</dt><dd>{value}</dd>\n")
    };
    let lines: String = of.iter().map(line).collect();
    format!("<dl>\n{lines}</dl>\n")
}

/// The command that made a result, and how it is run again.
fn command(result: Named<'_>, command: &str) -> String {
    let (command, name) = (escaped(command), escaped(result.name));
    format!(
        "<pre class=\"command\"><code>{command}</code></pre>\n<p class=\"small\"><code>albireo run {name}</code> runs it again.</p>\n"
    )
}

/// The record as it is, or its beginning.
fn in_full(meta: &Map<String, Value>) -> String {
    let mut record = serde_json::to_string_pretty(meta).unwrap_or_default();
    if record.len() > MOST {
        let whole = |at: &usize| record.is_char_boundary(*at);
        record.truncate((0..=MOST).rev().find(whole).unwrap_or(0));
        record.push_str("\n… the rest is in the file");
    }
    let record = escaped(&record);
    format!(
        "<details><summary>Record as it is</summary><pre tabindex=\"0\">{record}</pre></details>\n"
    )
}

/// How a result was made: its command, the inputs, all other entries of its record, and the record itself; `open` where there is room.
pub(super) fn html(result: Named<'_>, open: bool) -> String {
    let meta = &result.table.meta;
    let words = meta.get("command").and_then(Value::as_str);
    let command = words.map(|words| command(result, words));
    let shown = meta.iter();
    let shown = shown.filter(|(key, _)| !ELSEWHERE.contains(&key.as_str()));
    let (inputs, settings): (Vec<_>, Vec<_>) =
        shown.partition(|(key, _)| INPUTS.contains(&key.as_str()));
    let inputs = match &inputs[..] {
        [] => String::new(),
        [(_, only)] => format!("<h4>Inputs</h4>\n{}\n", entry(only)),
        several => format!("<h4>Inputs</h4>\n{}", entries(several)),
    };
    format!(
        "<h3>How it was made</h3>\n{}<details{}><summary>Inputs and settings</summary>\n{inputs}<h4>Settings</h4>\n{}</details>\n{}",
        command.unwrap_or_default(),
        if open { " open" } else { "" },
        entries(&settings),
        in_full(meta)
    )
}

#[cfg(test)]
mod tests {
    use albireo_catalogs::Table;
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_are_read_as_words_or_tables() {
        assert_eq!(brief(&json!([1, 2.5, "x"])), "1, 2.5, x");
        let many: Vec<u32> = (0..20).collect();
        assert_eq!(brief(&json!(many)), "0, 1, 2, 3, 4, 5, … 19 (20 in all)");
        let cosmology = json!({"name": "Planck18", "omega_m": 0.309_660_000_1});
        assert_eq!(entry(&cosmology), "name Planck18; omega m 0.30966");
        let counts = json!({"DD": {"total_pairs": 3}, "RR": {"total_pairs": 5, "kind": "auto"}});
        let table = entry(&counts);
        assert!(
            table.contains("<th scope=\"row\">RR</th><td>5</td><td>auto</td>"),
            "{table}"
        );
        assert!(
            table.contains("<th scope=\"row\">DD</th><td>3</td><td></td>"),
            "{table}"
        );
    }

    #[test]
    fn long_records_are_cut() {
        let mut table = Table::default();
        table.meta.insert("job".to_owned(), "é".repeat(MOST).into());
        let name = "xi.csv";
        let page = html(
            Named {
                name,
                table: &table,
            },
            true,
        );
        assert!(page.len() < MOST + 2000 && page.contains("the rest is in the file"));
    }
}
