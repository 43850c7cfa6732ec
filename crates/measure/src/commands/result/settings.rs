//! What results must have in common to be of one measurement.
//!
//! Entry: [`difference`], and [`doubt`]. They read metadata only and open no file.

use std::collections::BTreeMap;

use albireo_catalogs::Table;
use serde_json::Value;

use crate::saved::is_unnumbered;

/// The settings by their metadata, in the order in which they are compared, and what messages call them.
const SETTINGS: [(&str, &str); 20] = [
    ("result", "kind"),
    ("statistic", "statistic"),
    ("bins_of", "expressions of bins"),
    ("reach", "reach"),
    ("edges", "bins"),
    ("summed_over", "bins summed over"),
    ("wedges", "wedges"),
    ("poles_from", "source of multipoles"),
    ("line_of_sight", "line of sight"),
    ("cuts", "cuts"),
    ("estimator", "estimator"),
    ("species", "species"),
    ("pairs", "pairs of species"),
    ("normalisation", "normalisation"),
    ("plane_normal", "normal of the plane"),
    ("lags", "lags"),
    ("unit", "unit"),
    ("cosmology", "cosmology"),
    ("arithmetic", "arithmetic"),
    ("partial", "pairs counted"),
];

/// What counts of other packages do not say, so that they are taken for those of others.
const UNSAID: [&str; 3] = ["unit", "cosmology", "arithmetic"];

/// Whether two metadata are the same: numbers by their value, from any format, and the keys of an object in order.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => a == b,
    }
}

/// A setting in a few words.
fn in_words(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "none".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(axes)) => {
            let axes: Vec<String> = axes.iter().map(|(name, edges)| axis(name, edges)).collect();
            axes.join(" x ")
        }
        Some(other) => other.to_string(),
    }
}

/// The bins of an axis in a few words.
fn axis(name: &str, edges: &Value) -> String {
    match edges.as_array().map(Vec::as_slice) {
        Some([first, .., last]) => {
            let bins = edges.as_array().map_or(0, Vec::len) - 1;
            format!("{bins} in {name} from {first} to {last}")
        }
        _ => format!("{name}: {edges}"),
    }
}

/// The first edge that differs between axes of as many bins.
fn edge(a: &Value, b: &Value) -> Option<String> {
    let (a, b) = (a.as_object()?, b.as_object()?);
    a.iter().zip(b).find_map(|((name, a), (other, b))| {
        let (a, b) = (a.as_array()?, b.as_array()?);
        if name != other || a.len() != b.len() {
            return None;
        }
        let k = a.iter().zip(b).position(|(a, b)| !same(a, b))?;
        Some(format!("edge {k} in {name} is {}, not {}", b[k], a[k]))
    })
}

/// What weighs the pairs of each count besides the weights of particles: of bits in words, of angles that it does.
fn pair_weights(table: &Table) -> Value {
    let counts = table.meta.get("counts").and_then(Value::as_object);
    let weights = counts.into_iter().flatten().filter_map(|(name, count)| {
        let made = count.get("pair_weight")?;
        let bits = made["bits"]["weight"].as_str();
        let angular = made.get("angular").map(|_| "angular upweights");
        let words: Vec<&str> = bits.into_iter().chain(angular).collect();
        Some((name.clone(), words.join(", ").into()))
    });
    Value::Object(weights.collect())
}

/// Whether one lies in a periodic box and the other in open space.
fn kinds_of_box(first: &Table, other: &Table) -> Option<String> {
    let kind = |table: &Table| Some(table.meta.get("box")?.get("kind")?.as_str()?.to_owned());
    let (first, other) = (kind(first)?, kind(other)?);
    let differs = (first == "open") != (other == "open");
    differs.then(|| format!("its box: {other}, not {first}"))
}

/// An entry of the records of the samples by what these are to the count; `none` of those without it.
fn by_role<'a>(table: &'a Table, entry: &str) -> BTreeMap<&'a str, &'a str> {
    let samples = table.meta.get("samples").and_then(Value::as_array);
    let entries = samples.into_iter().flatten().filter_map(|sample| {
        let role = sample["role"].as_str()?;
        Some((role, sample[entry].as_str().unwrap_or("none")))
    });
    entries.collect()
}

/// The first role of the samples of both whose entries differ, with that of `first` and that of `other`.
fn of_other_samples<'a>(
    [first, other]: [&'a Table; 2],
    entry: &str,
    differ: impl Fn(&str, &str) -> bool,
) -> Option<[&'a str; 3]> {
    let of_other = by_role(other, entry);
    by_role(first, entry).into_iter().find_map(|(role, first)| {
        let other = *of_other.get(role)?;
        differ(first, other).then_some([role, first, other])
    })
}

/// The first of the samples of both that has weights in one of them alone; columns may have any names.
fn weights_of_samples(first: &Table, other: &Table) -> Option<String> {
    let differ = |first: &str, other: &str| (first == "none") != (other == "none");
    let [role, first, other] = of_other_samples([first, other], "weight", differ)?;
    Some(format!("its weights of {role}: {other}, not {first}"))
}

/// A universe in a few words: its name, or what differs from the other.
fn universe(own: &Value, other: &Value) -> String {
    let (Some(own), Some(other)) = (own.as_object(), other.as_object()) else {
        return in_words(Some(own));
    };
    let name = own.get("name").and_then(Value::as_str).map(str::to_owned);
    name.unwrap_or_else(|| {
        let is_shared =
            |key: &str, value: &Value| other.get(key).is_some_and(|other| same(value, other));
        let differing = own
            .iter()
            .filter(|(key, value)| !value.is_null() && !is_shared(key, value));
        let each: Vec<String> = differing
            .map(|(key, value)| format!("{key} {value}"))
            .collect();
        each.join(", ")
    })
}

/// How much longer an axis of a box may be than that of another one: boxes under a pressure fluctuate.
const FLUCTUATION: f64 = 1.1;

fn lengths(table: &Table) -> Option<Vec<f64>> {
    let lengths = table.meta.get("box")?.get("lengths")?.as_array()?;
    lengths.iter().map(Value::as_f64).collect()
}

/// What realisations of one measurement may have otherwise, but seldom do on purpose: boxes of other lengths, rows on other conditions.
pub(super) fn doubt(first: &Table, other: &Table) -> Option<String> {
    if let (Some(a), Some(b)) = (lengths(first), lengths(other)) {
        let is_other = |(a, b): (&f64, &f64)| a.max(*b) > FLUCTUATION * a.min(*b);
        if a.iter().zip(&b).any(is_other) {
            let [a, b] = [a, b].map(|lengths| {
                let each: Vec<String> = lengths.iter().map(f64::to_string).collect();
                each.join(" x ")
            });
            return Some(format!("its box: {b}, not {a}"));
        }
    }
    // Numbers may be those of the realisations.
    let form = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    let differ = |first: &str, other: &str| form(first) != form(other);
    let [role, first, other] = of_other_samples([first, other], "where", differ)?;
    Some(format!(
        "its condition on the rows of {role}: {other}, not {first}"
    ))
}

/// What `other` has otherwise than `first`, if there is anything: `its estimator is hamilton, not landy-szalay`.
pub(super) fn difference(first: &Table, other: &Table) -> Option<String> {
    let weights = || {
        let [a, b] = [first, other].map(pair_weights);
        let words = |weights: &Value| match weights.as_object() {
            Some(weights) if weights.is_empty() => "products".to_owned(),
            _ => in_words(Some(weights)),
        };
        (a != b).then(|| format!("its weights of pairs: {}, not {}", words(&b), words(&a)))
    };
    let differing = SETTINGS.iter().find_map(|(key, name)| {
        let (a, b) = (first.meta.get(*key), other.meta.get(*key));
        let [of_first, of_other] = [a, b].map(|value| value.unwrap_or(&Value::Null));
        let unsaid = |table: &Table, value: &Value| {
            UNSAID.contains(key) && value.is_null() && is_unnumbered(table)
        };
        if same(of_first, of_other) || unsaid(first, of_first) || unsaid(other, of_other) {
            return None;
        }
        if *key == "cosmology" {
            let [of_other, of_first] = [[of_other, of_first], [of_first, of_other]]
                .map(|[own, other]| universe(own, other));
            return Some(format!("its {name}: {of_other}, not {of_first}"));
        }
        Some(match edge(of_first, of_other) {
            Some(edge) => format!("its {name} differ: {edge}"),
            None => format!("its {name}: {}, not {}", in_words(b), in_words(a)),
        })
    });
    let differing = differing.or_else(|| kinds_of_box(first, other));
    differing
        .or_else(weights)
        .or_else(|| weights_of_samples(first, other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn other_boxes_and_other_conditions_are_doubted() {
        let of = |length: f64, condition: Option<&str>| {
            let mut table = Table::default();
            let lengths = json!({"kind": "periodic", "lengths": [100.0, 100.0, length]});
            table.meta.insert("box".to_owned(), lengths);
            let sample = match condition {
                Some(condition) => json!([{"role": "data", "where": condition}]),
                None => json!([{"role": "data"}]),
            };
            table.meta.insert("samples".to_owned(), sample);
            table
        };
        let first = of(100.0, None);
        assert_eq!(doubt(&first, &of(109.0, None)), None);
        let found = doubt(&first, &of(1000.0, None)).unwrap_or_default();
        assert_eq!(found, "its box: 100 x 100 x 1000, not 100 x 100 x 100");
        let found = doubt(&of(100.0, Some("z > 0.5")), &first).unwrap_or_default();
        assert_eq!(
            found,
            "its condition on the rows of data: none, not z > 0.5"
        );
        let runs = ["run == 3", "run == 14"].map(|condition| of(100.0, Some(condition)));
        assert_eq!(doubt(&runs[0], &runs[1]), None);
        assert_eq!(doubt(&first, &Table::default()), None);
    }

    fn table(edges: &Value, estimator: &str) -> Table {
        let mut table = Table::default();
        table.meta.insert("edges".to_owned(), edges.clone());
        table.meta.insert("estimator".to_owned(), estimator.into());
        table
    }

    #[test]
    fn numbers_are_compared_by_their_values() {
        assert!(same(&json!({"r": [1, 2.5]}), &json!({"r": [1.0, 2.5]})));
        assert!(!same(&json!({"r": [1, 2.5]}), &json!({"s": [1, 2.5]})));
        assert!(!same(&json!([1.0]), &json!([1.0, 2.0])));
        assert!(!same(&json!("1"), &json!(1)));
    }

    #[test]
    fn what_differs_is_named() {
        let first = table(&json!({"rp": [0.0, 1.0, 2.0], "pi": [0.0, 4.0]}), "natural");
        assert_eq!(difference(&first, &first), None);
        let fewer = table(&json!({"rp": [0.0, 2.0], "pi": [0.0, 4.0]}), "natural");
        assert_eq!(
            difference(&first, &fewer).unwrap(),
            "its bins: 1 in rp from 0.0 to 2.0 x 1 in pi from 0.0 to 4.0, not 2 in rp from 0.0 to 2.0 x 1 in pi from 0.0 to 4.0"
        );
        let moved = table(&json!({"rp": [0.0, 1.5, 2.0], "pi": [0.0, 4.0]}), "natural");
        assert_eq!(
            difference(&first, &moved).unwrap(),
            "its bins differ: edge 1 in rp is 1.5, not 1.0"
        );
        let mut other = table(&first.meta["edges"], "hamilton");
        assert_eq!(
            difference(&first, &other).unwrap(),
            "its estimator: hamilton, not natural"
        );
        other.meta.remove("estimator");
        assert_eq!(
            difference(&first, &other).unwrap(),
            "its estimator: none, not natural"
        );
    }
}
