//! Which curves partial functions of fluids are.
//!
//! Entry: [`partial_names`], [`coordination`].

use albireo_catalogs::Table;

/// The pairs of species of which a table has a column `prefix`A-B, in its order; errors are none.
pub(crate) fn partial_names(table: &Table, prefix: &str) -> Vec<String> {
    let of = |name: &str| {
        let rest = name.strip_prefix(prefix)?;
        let is_error = rest.starts_with("error") || rest.starts_with("block_error");
        (!is_error).then(|| rest.to_owned())
    };
    table
        .columns
        .iter()
        .filter_map(|column| of(&column.name))
        .collect()
}
