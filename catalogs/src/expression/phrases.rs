//! Selections as `MDAnalysis` and VMD spell them, such as `resname SOL and name H*`, in the words of expressions.
//!
//! Entry: [`translated`], for messages.

/// Words that join conditions or belong to comparisons, and are no values.
const JOINING: [&str; 8] = ["and", "or", "not", "in", "like", "between", "is", "null"];

/// Columns under the names that other programs have for them.
const COLUMNS: [(&str, &str); 6] = [
    ("segid", "segment"),
    ("segname", "segment"),
    ("resnum", "resid"),
    ("chainID", "chain"),
    ("chainid", "chain"),
    ("atomicnumber", "atomic_number"),
];

/// The text with each phrase `COLUMN VALUE ..` as a comparison; nothing where there is none.
pub(super) fn translated(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let mut written: Vec<String> = Vec::new();
    let mut found = false;
    let mut at = 0;
    while at < tokens.len() {
        let values = tokens[at + 1..].iter().take_while(|token| is_value(token));
        let values: Vec<&str> = values.map(String::as_str).collect();
        if is_column(&tokens[at]) && !values.is_empty() {
            let other = COLUMNS.iter().find(|(name, _)| *name == tokens[at]);
            let column = other.map_or(tokens[at].as_str(), |(_, column)| column);
            written.push(comparison(column, &values));
            found = true;
        } else {
            written.push(tokens[at].clone());
        }
        at += 1 + if is_column(&tokens[at]) {
            values.len()
        } else {
            0
        };
    }
    let text = written.join(" ").replace("( ", "(").replace(" )", ")");
    found.then_some(text)
}

/// Words, quoted texts, brackets and signs.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut quote: Option<char> = None;
    let mut ends = true;
    for c in text.chars() {
        let is_single = quote.is_none() && (c.is_whitespace() || "()".contains(c));
        if is_single {
            ends = true;
            if !c.is_whitespace() {
                tokens.push(c.to_string());
            }
            continue;
        }
        match quote {
            Some(open) if open == c => quote = None,
            None if "\"'`".contains(c) => quote = Some(c),
            _ => {}
        }
        match tokens.last_mut() {
            Some(last) if !ends => last.push(c),
            _ => tokens.push(c.to_string()),
        }
        ends = false;
    }
    tokens
}

fn is_joining(token: &str) -> bool {
    JOINING.iter().any(|word| token.eq_ignore_ascii_case(word))
}

fn is_column(token: &str) -> bool {
    let mut chars = token.chars();
    let first = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    first && chars.all(|c| c.is_alphanumeric() || c == '_') && !is_joining(token)
}

/// A value as other programs write it, without quotes: names with wildcards and signs of ions, numbers, ranges.
fn is_value(token: &str) -> bool {
    let first = token.chars().next();
    let begins = first.is_some_and(|c| c.is_alphanumeric() || "*?_".contains(c));
    let within = |c: char| c.is_alphanumeric() || "_*?.+-:'".contains(c);
    begins && token.chars().all(within) && !is_joining(token)
}

/// One column against its values.
fn comparison(column: &str, values: &[&str]) -> String {
    let number = |value: &str| value.parse::<f64>().is_ok();
    let range = |value: &str| {
        let (from, to) = value.split_once(':').or_else(|| value.split_once('-'))?;
        (number(from) && number(to)).then(|| format!("{column} between {from} and {to}"))
    };
    if let [from, "to", to] = values
        && number(from)
        && number(to)
    {
        return format!("{column} between {from} and {to}");
    }
    let plain = |value: &str| !value.contains(['*', '?']) && range(value).is_none();
    let shown = |value: &str| {
        if number(value) {
            value.to_owned()
        } else {
            format!("\"{value}\"")
        }
    };
    if let ([_, _, ..], true) = (values, values.iter().all(|value| plain(value))) {
        let values: Vec<String> = values.iter().map(|value| shown(value)).collect();
        return format!("{column} in ({})", values.join(", "));
    }
    let each = values.iter().map(|value| match range(value) {
        Some(range) => range,
        None if plain(value) => format!("{column} == {}", shown(value)),
        None => format!("{column} like \"{value}\""),
    });
    let each: Vec<String> = each.collect();
    match &each[..] {
        [one] => one.clone(),
        all => format!("({})", all.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Filter;

    #[test]
    fn phrases_of_other_programs_are_comparisons() {
        for (phrase, expected) in [
            ("resname SOL", "resname == \"SOL\""),
            (
                "resname SOL and name H*",
                "resname == \"SOL\" and name like \"H*\"",
            ),
            ("name OW HW1 HW2", "name in (\"OW\", \"HW1\", \"HW2\")"),
            ("name Na+ H*", "(name == \"Na+\" or name like \"H*\")"),
            (
                "not (segid A or resid 5)",
                "not (segment == \"A\" or resid == 5)",
            ),
            ("resid 1:10", "resid between 1 and 10"),
            (
                "resid 1-10 and mass > 2",
                "resid between 1 and 10 and mass > 2",
            ),
            ("index 3 to 9", "index between 3 and 9"),
            ("name == \"a b\" or type 2", "name == \"a b\" or type == 2"),
        ] {
            assert_eq!(translated(phrase).as_deref(), Some(expected), "{phrase}");
            assert!(Filter::parse(expected).is_ok(), "{expected}");
        }
        assert_eq!(translated("mass > 2 and name in (\"O\")"), None);
    }
}
