//! Prints what a catalogue holds: `cargo run --example describe_catalog -- FILE`.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args()
        .nth(1)
        .ok_or("usage: describe_catalog FILE")?;
    let description = albireo_catalogs::open(Path::new(&file))?.describe()?;
    println!("{}: {}", description.path.display(), description.format);
    for table in &description.tables {
        println!("table `{}`: {} rows", table.name, table.rows);
        for column in &table.columns {
            let range = column
                .min
                .zip(column.max)
                .map_or(String::new(), |(min, max)| format!("{min} to {max}"));
            let unit = column.unit.as_deref().unwrap_or("");
            let (nan, null) = (column.nan_count, column.null_count);
            println!(
                "  {:<12} {:<10} x{} {unit} {range} ({nan} NaN, {null} null)",
                column.name, column.dtype, column.width
            );
        }
        for (name, value) in &table.attributes {
            println!("  {name} = {value:?}");
        }
    }
    Ok(())
}
