//! What a legend says beside the names of curves: which errors the bars are, which window S(q) has.
//!
//! Entry: [`remarks`].

use albireo_catalogs::Table;

use crate::series::Series;

/// What is to be said of the curves of a table.
pub(crate) fn remarks(table: &Table, series: &[Series]) -> Vec<String> {
    let has_errors = series.iter().any(|one| !one.error.is_empty());
    let errors = errors(table).filter(|_| has_errors);
    let window = table.meta.get("window").and_then(|window| window.as_str());
    let window = window.filter(|_| table.meta.contains_key("structure_factor"));
    let window = window.map(|name| match name {
        "lorch" => "window: Lorch".to_owned(),
        "hann" => "window: Hann".to_owned(),
        other => format!("window: {other}"),
    });
    errors.into_iter().chain(window).collect()
}

/// Which errors the columns of a table are: those that its record names, else what their description says.
pub(crate) fn errors(table: &Table) -> Option<String> {
    let has = |part: &str| {
        table
            .columns
            .iter()
            .any(|column| column.name.contains(part))
    };
    let of_blocks = table.meta.get("block_error").and_then(|how| how.as_str());
    if let Some(how) = of_blocks.filter(|_| has("g_block_error")) {
        return Some(format!("errors: {}", how.trim_start_matches("the ")));
    }
    if let Some(method) = table
        .meta
        .get("errors")
        .and_then(|errors| errors["method"].as_str())
    {
        let number = |of: &str| Some((table.meta["errors"][of].as_u64()?, of.to_owned()));
        let number = number("regions").or_else(|| number("realisations"));
        let number = number.map_or_else(String::new, |(n, of)| format!(", {n} {of}"));
        return Some(format!("errors: {method}{number}"));
    }
    let poisson = table
        .columns
        .iter()
        .any(|column| column.name.contains("error") && column.description.starts_with("Poisson"));
    poisson.then(|| "errors: Poisson".to_owned())
}
