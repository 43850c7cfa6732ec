//! What astropy writes beside the columns of a Parquet file: the header of an ECSV file, under a key of its own.
//!
//! Entry: [`units`].

use std::collections::HashMap;

use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use serde_json::Value;

use crate::text::yaml;

/// The key of the header.
const KEY: &str = "table_meta_yaml";

/// The units of columns, as the header lists them; none where it cannot be read so far.
pub(super) fn units(metadata: &ArrowReaderMetadata) -> HashMap<String, String> {
    let pairs = metadata.metadata().file_metadata().key_value_metadata();
    let mut pairs = pairs.into_iter().flatten();
    let text = pairs.find(|pair| pair.key == KEY);
    let Some(text) = text.and_then(|pair| pair.value.as_deref()) else {
        return HashMap::new();
    };
    units_of(text)
}

fn units_of(header: &str) -> HashMap<String, String> {
    let (mut entries, _) = yaml::mapping(header);
    let columns = entries.remove("datatype");
    let columns = columns.as_ref().and_then(Value::as_array);
    let pair = |column: &Value| {
        let text = |key: &str| column.get(key)?.as_str().map(str::to_owned);
        Some((text("name")?, text("unit")?))
    };
    columns.into_iter().flatten().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::units_of;

    #[test]
    fn units_stand_in_the_header() {
        // As astropy 7 writes it.
        let header = "datatype:\n- {name: ra, unit: rad, datatype: float64}\n- {name: n, datatype: int64}\n\
            - {name: cz, unit: km / s, datatype: float64}\nmeta: !!omap\n- __serialized_columns__:\n    ra:\n      \
            __class__: astropy.units.quantity.Quantity\n      unit: &id001 !astropy.units.Unit {unit: rad}\n      \
            value: !astropy.table.SerializedColumn {name: ra}\n";
        let units = units_of(header);
        let unit = |name: &str| units.get(name).map(String::as_str);
        assert_eq!(
            (unit("ra"), unit("n"), unit("cz")),
            (Some("rad"), None, Some("km / s"))
        );
        assert!(units_of("no header").is_empty());
    }
}
