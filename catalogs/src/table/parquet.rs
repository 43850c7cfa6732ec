//! Parquet: columns of u64 and f64, metadata and units as JSON under one key, zstd.
//!
//! Entry: [`write`], [`read`]. One row group; results are small compared with catalogues.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use serde_json::{Value as Json, json};

use crate::parquet::guard::guarded;

use super::{Failure, Recorded, Row, Table, TableColumn, columns_from_json, columns_json};
use crate::numbers::Values;
use crate::parquet::METADATA_KEY;

pub(super) const FORMAT: Row = Row {
    name: "parquet",
    endings: &["parquet"],
    about: "Binary, with the record",
    printed: true,
    recorded: Recorded::Inside,
    write: |table, _, mut writer| write(table, &mut writer),
    read,
};

impl From<ParquetError> for Failure {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(source) => match source.downcast::<std::io::Error>() {
                Ok(source) => Self::Io(*source),
                Err(source) => Self::Malformed(source.to_string()),
            },
            other => Self::Malformed(other.to_string()),
        }
    }
}

pub(super) fn write<W: Write + Send>(table: &Table, writer: &mut W) -> Result<(), Failure> {
    let description = json!({ "meta": table.meta, "columns": columns_json(table) }).to_string();
    let pair = KeyValue::new(METADATA_KEY.to_owned(), description.clone());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_key_value_metadata(Some(vec![pair]))
        .set_created_by(concat!("albireo ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let fields: Vec<Field> = table.columns.iter().map(field).collect();
    // Twice: pyarrow looks into the Arrow schema, other readers at the file's own pairs.
    let schema = Schema::new(fields).with_metadata([(METADATA_KEY, description)]);
    let schema = Arc::new(schema);
    let arrays = table.columns.iter().map(array).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(table.rows()));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)
        .map_err(|error| Failure::Malformed(error.to_string()))?;
    let mut parquet = ArrowWriter::try_new(writer, schema, Some(properties))?;
    parquet.write(&batch)?;
    parquet.close()?;
    Ok(())
}

fn field(column: &TableColumn) -> Field {
    let dtype = match &column.values {
        Values::Integers(_) => DataType::UInt64,
        Values::Floats(_) => DataType::Float64,
    };
    let pairs = [
        ("unit", column.unit.clone()),
        ("description", Some(column.description.clone())),
    ];
    let given = pairs.into_iter().filter_map(|(key, value)| {
        Some((key.to_owned(), value.filter(|value| !value.is_empty())?))
    });
    Field::new(&column.name, dtype, false).with_metadata(given.collect::<BTreeMap<_, _>>())
}

fn array(column: &TableColumn) -> ArrayRef {
    match &column.values {
        Values::Integers(values) => Arc::new(UInt64Array::from(values.clone())),
        Values::Floats(values) => Arc::new(Float64Array::from(values.clone())),
    }
}

pub(super) fn read(path: &Path) -> Result<Table, Failure> {
    let file = File::open(path)?;
    let builder = guarded(|| ParquetRecordBatchReaderBuilder::try_new(file))?;
    let pairs = builder.metadata().file_metadata().key_value_metadata();
    let text = pairs.and_then(|pairs| {
        pairs
            .iter()
            .find(|pair| pair.key == METADATA_KEY)?
            .value
            .clone()
    });
    let missing = || Failure::Malformed(format!("no metadata under the key `{METADATA_KEY}`"));
    let mut json: Json = text
        .and_then(|text| serde_json::from_str(&text).ok())
        .ok_or_else(missing)?;
    let mut columns = columns_from_json(&json["columns"])?;
    let Json::Object(meta) = json["meta"].take() else {
        return Err(missing());
    };
    let mut reader = guarded(|| builder.build())?;
    while let Some(batch) = guarded(|| reader.next().transpose().map_err(ParquetError::from))? {
        for column in &mut columns {
            let array = batch.column_by_name(&column.name);
            let appended = array.is_some_and(|array| append(&mut column.values, array));
            if !appended {
                let (name, dtype) = (&column.name, column.values.dtype());
                return Err(Failure::Malformed(format!(
                    "column `{name}` is missing or no {dtype}"
                )));
            }
        }
    }
    Ok(Table { columns, meta })
}

fn append(values: &mut Values, array: &ArrayRef) -> bool {
    if array.null_count() > 0 {
        return false;
    }
    match values {
        Values::Integers(integers) => array
            .as_primitive_opt::<UInt64Type>()
            .map(|array| integers.extend_from_slice(array.values()))
            .is_some(),
        Values::Floats(floats) => array
            .as_primitive_opt::<Float64Type>()
            .map(|array| floats.extend_from_slice(array.values()))
            .is_some(),
    }
}
