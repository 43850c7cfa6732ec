//! Which curves partial functions of fluids are.
//!
//! Entry: [`partial_names`], [`partial_label`], [`g_label`], [`coordination`].

use albireo_catalogs::Table;

use crate::bins::{Axis, column};
use crate::series::{Look, Series};

/// The pairs of species of which a table has a column `prefix`A-B, in its order; errors are none.
pub(crate) fn partial_names(table: &Table, prefix: &str) -> Vec<String> {
    let of = |name: &str| {
        let rest = name.strip_prefix(prefix)?;
        let is_error = rest.starts_with("error")
            || rest.starts_with("block_error")
            || rest.ends_with("_error");
        (!is_error).then(|| rest.to_owned())
    };
    table
        .columns
        .iter()
        .filter_map(|column| of(&column.name))
        .collect()
}

/// What a curve is called: pairs of frames a lag apart have it behind those of species, `O-O_t10`.
pub(crate) fn partial_label(pair: &str) -> String {
    let is_lag = |lag: &&str| !lag.is_empty() && lag.bytes().all(|byte| byte.is_ascii_digit());
    let lagged = pair
        .rsplit_once("_t")
        .and_then(|(species, lag)| Some(lag).filter(is_lag).map(|lag| (species, lag)));
    lagged.map_or_else(
        || pair.to_owned(),
        |(species, lag)| format!("{species}, lag {lag}"),
    )
}

/// What the axis of g is called.
pub(crate) fn g_label(table: &Table) -> &'static str {
    if table.meta.contains_key("lags") {
        "g(r, t)"
    } else {
        "g(r)"
    }
}

/// n(r), which is known at the upper edges: of one pair of species, or of each.
pub(crate) fn coordination(table: &Table, x: &Axis, most: usize) -> Vec<Series> {
    let line = |label: &str, name: &str, colour: usize| {
        Some(Series {
            label: label.to_owned(),
            x: x.edges[1..].to_vec(),
            y: column(table, name)?,
            look: Look {
                colour,
                marker: 0,
                dashed: true,
            },
            ..Series::default()
        })
    };
    match &partial_names(table, "g_")[..] {
        [] => line("n(r)", "n", 1).into_iter().collect(),
        pairs => {
            let shown = pairs.iter().take(most).enumerate();
            shown
                .filter_map(|(k, pair)| line(&format!("n(r) {pair}"), &format!("n_{pair}"), k))
                .collect()
        }
    }
}
