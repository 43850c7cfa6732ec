//! A Parquet file with metadata.

use std::error::Error;
use std::fs::File;
use std::path::Path;

use arrow_array::{ArrayRef, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

/// Writes columns by name, compressed, with `metadata` as key-value pairs.
pub(crate) fn write(
    path: &Path,
    columns: Vec<(&str, ArrayRef)>,
    metadata: &[(&str, String)],
) -> Result<(), Box<dyn Error>> {
    let pairs = metadata
        .iter()
        .map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
    let properties = WriterProperties::builder()
        // Coordinates hardly repeat.
        .set_dictionary_enabled(false)
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_key_value_metadata(Some(pairs.collect()))
        .set_created_by("albireo make_samples".to_owned())
        .build();
    let batch = RecordBatch::try_from_iter(columns)?;
    let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}
