//! Parquet files: column projection, row groups in parallel.
//!
//! Entry: [`ParquetReader`]. Nested columns and arrays of varying length are listed but not decoded.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rows of groups that the file holds"
)]

mod astropy;
mod decode;
pub(crate) mod guard;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use rayon::prelude::*;

use crate::Format;
use crate::block::{Block, Cells, Site, Widening, block_rows};
use crate::catalog::Request;
use crate::collector::{Collector, no_memory};
use crate::error::{CatalogError, Result};
use crate::reader::{Backend, Component, Field, Kind, Scan, Schema, Sink, refuse_table};
use crate::stop::Stop;
use crate::value::{Attributes, Value};

/// The key under which result tables keep their metadata, as JSON.
pub(crate) const METADATA_KEY: &str = "albireo";

/// Rows decoded at once; each thread holds as many.
const BATCH_ROWS: usize = 16_384;

/// Reads a Parquet file.
pub(crate) struct ParquetReader {
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    stop: Stop,
}

impl ParquetReader {
    /// Reads the footer.
    pub(crate) fn open(path: &Path, stop: Stop) -> Result<Self> {
        let file = File::open(path).map_err(|error| CatalogError::io(path, error))?;
        let metadata = guarded(path, || {
            ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
        })?;
        let reader = Self {
            path: path.to_owned(),
            metadata,
            stop,
        };
        reader.check_row_groups()?;
        Ok(reader)
    }

    fn check_row_groups(&self) -> Result<()> {
        let metadata = self.metadata.metadata();
        let rows = metadata.file_metadata().num_rows();
        let groups = metadata.row_groups();
        let sum = groups
            .iter()
            .try_fold(0_i64, |sum, group| sum.checked_add(group.num_rows()));
        if rows < 0 || sum != Some(rows) || groups.iter().any(|group| group.num_rows() < 0) {
            let detail =
                format!("the footer gives {rows} rows, its row groups do not add up to that");
            return Err(CatalogError::corrupt(&self.path, detail));
        }
        Ok(())
    }

    fn group_rows(&self) -> Vec<usize> {
        self.metadata
            .metadata()
            .row_groups()
            .iter()
            .map(|group| group.num_rows() as usize)
            .collect()
    }

    /// Refuses codecs that this build does not decode, by name and before anything is read.
    fn check_codecs(&self, components: &[Component]) -> Result<()> {
        let schema = self.metadata.parquet_schema();
        for group in self.metadata.metadata().row_groups() {
            for (leaf, chunk) in group.columns().iter().enumerate() {
                let root = schema.get_column_root_idx(leaf);
                let refused = matches!(
                    chunk.compression(),
                    Compression::BROTLI(_) | Compression::LZO
                );
                // Its name alone, without the level.
                let codec = format!("{:?}", chunk.compression());
                let codec = codec.split('(').next().unwrap_or_default();
                if refused && components.iter().any(|part| part.field == root) {
                    return Err(CatalogError::unsupported(
                        &self.path,
                        format!("column `{}`: codec {codec}", schema.column(leaf).name()),
                        "re-save it with zstd, snappy, lz4, gzip or no compression",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Decodes one row group, batch by batch.
    fn scan_group(
        &self,
        group: usize,
        first_row: u64,
        components: &[Component],
        widening: Widening,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        self.scan_group_from(group, (first_row, first_row), components, widening, sink)
    }

    /// As [`Self::scan_group`], from row `from` of the table on, which lies in the group.
    fn scan_group_from(
        &self,
        group: usize,
        (first_row, from): (u64, u64),
        components: &[Component],
        widening: Widening,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let expected = self.metadata.metadata().row_group(group).num_rows() as u64;
        let mut reader = self.group_reader(group, (from - first_row) as usize, components)?;
        let mut row = from;
        while let Some(batch) = guarded_next(&self.path, &mut reader)? {
            self.stop.check(&self.path)?;
            let mut fields: Vec<usize> = components.iter().map(|part| part.field).collect();
            fields.sort_unstable();
            fields.dedup();
            let mut block = Block::of(batch.num_rows(), row);
            for part in components {
                let column = fields.binary_search(&part.field).unwrap_or_default();
                let name = self.metadata.schema().field(part.field).name();
                let site = Site::new(&self.path, name, row);
                block.push(decode::cells(site, batch.column(column), part, widening)?);
            }
            row += block.rows as u64;
            sink(block)?;
        }
        if row - first_row != expected {
            let detail = format!(
                "row group {group} (from 0): {expected} rows expected, {} found",
                row - first_row
            );
            return Err(CatalogError::corrupt(&self.path, detail));
        }
        Ok(())
    }

    fn group_reader(
        &self,
        group: usize,
        left_out: usize,
        components: &[Component],
    ) -> Result<ParquetRecordBatchReader> {
        let file = File::open(&self.path).map_err(|error| CatalogError::io(&self.path, error))?;
        let metadata = self.metadata_for(components);
        guarded(&self.path, || {
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
            let roots = components.iter().map(|part| part.field);
            let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
            let builder = match left_out {
                0 => builder,
                rows => builder.with_offset(rows),
            };
            builder
                .with_projection(mask)
                .with_row_groups(vec![group])
                .with_batch_size(block_rows(components.len()).min(BATCH_ROWS))
                .build()
        })
    }

    /// The metadata by which texts that are wanted as codes keep the dictionary that the file has of them.
    fn metadata_for(&self, components: &[Component]) -> ArrowReaderMetadata {
        let Some(schema) = decode::coded_schema(self.metadata.schema(), components) else {
            return self.metadata.clone();
        };
        let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
        let metadata = Arc::clone(self.metadata.metadata());
        // What cannot be had as codes comes as texts.
        ArrowReaderMetadata::try_new(metadata, options).unwrap_or_else(|_| self.metadata.clone())
    }

    /// Every row group writes its own part of the columns.
    fn collect_all(&self, components: &[Component], collector: &mut Collector) -> Result<()> {
        let rows = self.group_rows();
        let total = rows.iter().sum::<usize>();
        let mut columns = Vec::new();
        for _ in components {
            columns.push(zeros(&self.path, total, components.len())?);
        }
        let mut parts: Vec<Vec<&mut [f64]>> = rows.iter().map(|_| Vec::new()).collect();
        for column in &mut columns {
            let mut rest = column.as_mut_slice();
            for (part, &count) in parts.iter_mut().zip(&rows) {
                let (head, tail) = rest.split_at_mut(count);
                part.push(head);
                rest = tail;
            }
        }
        let starts = starts(&rows);
        parts.into_par_iter().zip(starts).enumerate().try_for_each(
            |(group, (mut part, first_row))| {
                let mut filled = 0;
                self.scan_group(
                    group,
                    first_row,
                    components,
                    Widening::Exact,
                    &mut |block| {
                        for (slot, cells) in part.iter_mut().zip(&block.cells) {
                            match (cells, slot.get_mut(filled..filled + block.rows)) {
                                (Cells::Numbers(values), Some(slot))
                                    if values.len() == slot.len() =>
                                {
                                    slot.copy_from_slice(values);
                                }
                                _ => {
                                    return Err(CatalogError::corrupt(
                                        &self.path,
                                        format!("row group {group} (from 0): too many rows"),
                                    ));
                                }
                            }
                        }
                        filled += block.rows;
                        Ok(())
                    },
                )
            },
        )?;
        collector.put(columns, total as u64);
        Ok(())
    }

    /// Row groups are filtered in parallel, as many at a time as hold an eighth of all rows, and joined in order.
    fn collect_filtered(&self, components: &[Component], collector: &mut Collector) -> Result<()> {
        let rows = self.group_rows();
        let starts = starts(&rows);
        let at_once = rows.iter().sum::<usize>() / 8;
        let mut next = 0;
        while next < rows.len() {
            let mut end = next + 1;
            while end < rows.len() && rows[next..=end].iter().sum::<usize>() <= at_once {
                end += 1;
            }
            if end == next + 1 {
                self.scan_group(
                    next,
                    starts[next],
                    components,
                    collector.widening(),
                    &mut |block| collector.take(&self.path, block),
                )?;
            } else {
                let empty = &*collector;
                let parts: Vec<Collector> = (next..end)
                    .into_par_iter()
                    .map(|group| {
                        let mut part = empty.like();
                        self.scan_group(
                            group,
                            starts[group],
                            components,
                            empty.widening(),
                            &mut |block| part.take(&self.path, block),
                        )?;
                        Ok(part)
                    })
                    .collect::<Result<_>>()?;
                for part in parts {
                    collector.append(&self.path, part)?;
                }
            }
            next = end;
        }
        Ok(())
    }
}

impl Backend for ParquetReader {
    fn format(&self) -> Format {
        Format::Parquet
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn schema(&mut self, request: &Request) -> Result<Schema> {
        refuse_table(&self.path, request)?;
        let units = written_units(&self.metadata);
        let fields = self.metadata.schema().fields().iter().map(|field| {
            let (kind, width, dtype) = decode::kind(field.data_type());
            let unit = field
                .metadata()
                .get("unit")
                .or_else(|| units.get(field.name()))
                .cloned();
            Field {
                unit,
                width,
                ..Field::of(field.name().clone(), dtype, kind)
            }
        });
        let rows = self.metadata.metadata().file_metadata().num_rows() as u64;
        Ok(Schema {
            table: String::new(),
            rows: Some(rows),
            fields: fields.collect(),
            attributes: attributes(&self.metadata),
        })
    }

    fn seeks(&self) -> bool {
        true
    }

    fn scan(&mut self, scan: &Scan<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let (components, widening, from) = (scan.components, scan.widening, scan.from);
        self.check_codecs(components)?;
        let rows = self.group_rows();
        for (group, (&rows, first_row)) in rows.iter().zip(starts(&rows)).enumerate() {
            let from = from.max(first_row);
            if from < first_row + rows as u64 || rows == 0 {
                let from = from.min(first_row + rows as u64);
                self.scan_group_from(group, (first_row, from), components, widening, sink)?;
            }
        }
        Ok(())
    }

    fn collect(&mut self, scan: &Scan<'_>, collector: &mut Collector) -> Result<()> {
        let (schema, components) = (scan.schema, scan.components);
        self.check_codecs(components)?;
        debug_assert!(
            components
                .iter()
                .all(|part| schema.fields[part.field].kind != Kind::Other)
        );
        if collector.takes_all() {
            self.collect_all(components, collector)
        } else {
            self.collect_filtered(components, collector)
        }
    }
}

/// First row of each row group.
fn starts(rows: &[usize]) -> Vec<u64> {
    let mut next = 0;
    let start = |&rows: &usize| {
        let start = next;
        next += rows as u64;
        start
    };
    rows.iter().map(start).collect()
}

/// Zeros, or an error if there is no memory for them: the row count comes from the file.
fn zeros(path: &Path, rows: usize, columns: usize) -> Result<Vec<f64>> {
    let refused = |_| no_memory(path, rows as u64, columns);
    Vec::<f64>::new().try_reserve_exact(rows).map_err(refused)?;
    Ok(vec![0.0; rows])
}

/// Key-value metadata, as JSON where it is JSON; metadata of a result table is spread out.
fn attributes(metadata: &ArrowReaderMetadata) -> Attributes {
    const INTERNAL: [&str; 3] = ["ARROW:schema", "pandas", METADATA_KEY];
    let mut attributes: Attributes = written_meta(metadata)
        .into_iter()
        .map(|(name, json)| (name, Value::from_json(json)))
        .collect();
    let pairs = metadata
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .into_iter()
        .flatten();
    for pair in pairs.filter(|pair| !INTERNAL.contains(&pair.key.as_str())) {
        if let Some(text) = &pair.value {
            attributes.insert(pair.key.clone(), Value::from_text(text));
        }
    }
    attributes
}

fn written(metadata: &ArrowReaderMetadata) -> Option<serde_json::Value> {
    let pairs = metadata.metadata().file_metadata().key_value_metadata()?;
    let pair = pairs.iter().find(|pair| pair.key == METADATA_KEY)?;
    serde_json::from_str(pair.value.as_deref()?).ok()
}

fn written_meta(metadata: &ArrowReaderMetadata) -> serde_json::Map<String, serde_json::Value> {
    match written(metadata).map(|mut json| json["meta"].take()) {
        Some(serde_json::Value::Object(meta)) => meta,
        _ => serde_json::Map::new(),
    }
}

/// Units of columns that stand in the metadata of the file.
fn written_units(metadata: &ArrowReaderMetadata) -> std::collections::HashMap<String, String> {
    let json = written(metadata).unwrap_or_default();
    let columns = json["columns"].as_array().cloned().unwrap_or_default();
    let pair = |column: &serde_json::Value| {
        Some((
            column["name"].as_str()?.to_owned(),
            column["unit"].as_str()?.to_owned(),
        ))
    };
    let mut units = astropy::units(metadata);
    units.extend(columns.iter().filter_map(pair));
    units
}

fn guarded<T>(path: &Path, step: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    guard::guarded(step).map_err(|error| failure(path, error))
}

fn guarded_next(
    path: &Path,
    reader: &mut ParquetRecordBatchReader,
) -> Result<Option<arrow_array::RecordBatch>> {
    guarded(path, || {
        reader
            .next()
            .transpose()
            .map_err(|error| ParquetError::General(error.to_string()))
    })
}

fn failure(path: &Path, error: ParquetError) -> CatalogError {
    match error {
        ParquetError::NYI(what) => {
            CatalogError::unsupported(path, what, "re-save it with plain or dictionary encoding")
        }
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(source) => CatalogError::io(path, *source),
            Err(source) => CatalogError::corrupt(path, source.to_string()),
        },
        other => CatalogError::corrupt(path, other.to_string()),
    }
}
