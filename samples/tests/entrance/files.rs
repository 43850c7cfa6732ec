//! Tables written in every format.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, RecordBatch};
use hdf5_writer::{AttributeBuilder, DatasetBuilder, Hdf5Builder, WriteOptions};
use parquet::arrow::ArrowWriter;

use crate::case::Drafted;
use crate::columns::{Absence, Column, Type};
use crate::fits::fits;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Format {
    Csv,
    Ecsv,
    Fits,
    Parquet,
    Hdf5,
}

impl Format {
    pub(crate) const ALL: [Self; 5] =
        [Self::Csv, Self::Ecsv, Self::Fits, Self::Parquet, Self::Hdf5];
    /// Those that state units.
    pub(crate) const WITH_UNITS: [Self; 4] = [Self::Ecsv, Self::Fits, Self::Parquet, Self::Hdf5];

    /// How it says that values are missing.
    pub(crate) fn absences(self) -> &'static [Absence] {
        match self {
            Self::Csv | Self::Ecsv | Self::Parquet => {
                &[Absence::NotANumber, Absence::Mask, Absence::Null]
            }
            Self::Fits | Self::Hdf5 => &[Absence::NotANumber, Absence::Mask],
        }
    }
}

/// Writes a file, whose name begins with `stem`.
pub(crate) fn write(folder: &Path, stem: &str, file: &Drafted) -> PathBuf {
    let at = |extension: &str| folder.join(format!("{stem}.{extension}"));
    let (path, bytes) = match file.format {
        Format::Csv => (at("csv"), text(&file.columns).into_bytes()),
        Format::Ecsv => (at("ecsv"), ecsv(file).into_bytes()),
        Format::Fits => (at("fits"), fits(&file.columns)),
        Format::Parquet => (at("parquet"), parquet(&file.columns)),
        Format::Hdf5 => (at("h5"), hdf5(file)),
    };
    std::fs::write(&path, bytes).unwrap();
    path
}

fn text(columns: &[Column]) -> String {
    let masks: Vec<_> = columns.iter().map(Column::mask).collect();
    let mut lines = Vec::new();
    let names = columns.iter().map(|column| column.name.clone());
    let of_masks = columns
        .iter()
        .zip(&masks)
        .filter(|(_, mask)| mask.is_some());
    let of_masks = of_masks.map(|(column, _)| format!("{}.mask", column.name));
    lines.push(names.chain(of_masks).collect::<Vec<_>>().join(","));
    for row in 0..columns[0].rows() {
        let cells = columns.iter().map(|column| {
            let cell = column.cell(row);
            match column.stored {
                Type::Integer => cell.map(|value| (value as i64).to_string()),
                Type::Double | Type::Single => cell.map(|value| format!("{value:?}")),
            }
            .unwrap_or_default()
        });
        let of_masks = masks.iter().flatten();
        let of_masks = of_masks.map(|mask| if mask[row] { "True" } else { "False" }.to_owned());
        lines.push(cells.chain(of_masks).collect::<Vec<_>>().join(","));
    }
    lines.join("\n") + "\n"
}

fn ecsv(file: &Drafted) -> String {
    let mut head = String::from("# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n");
    for column in &file.columns {
        let dtype = if column.stored == Type::Integer {
            "int64"
        } else {
            "float64"
        };
        writeln!(head, "# - name: {}\n#   datatype: {dtype}", column.name).unwrap();
        if !column.unit.is_empty() {
            writeln!(head, "#   unit: {}", column.unit).unwrap();
        }
    }
    for column in file.columns.iter().filter(|column| column.mask().is_some()) {
        writeln!(head, "# - name: {}.mask\n#   datatype: bool", column.name).unwrap();
    }
    if !file.attributes.is_empty() {
        head += "# meta: !!omap\n";
    }
    for (_, name, values) in &file.attributes {
        writeln!(head, "# - {name}: {values:?}").unwrap();
    }
    head + &text(&file.columns)
}

fn parquet(columns: &[Column]) -> Vec<u8> {
    let mut arrays: Vec<(String, ArrayRef, bool)> = Vec::new();
    for column in columns {
        let cells = (0..column.rows()).map(|row| column.cell(row));
        let array: ArrayRef = match column.stored {
            Type::Double => Arc::new(cells.collect::<Float64Array>()),
            Type::Single => {
                let cells = cells.map(|cell| Some(cell? as f32));
                Arc::new(cells.collect::<Float32Array>())
            }
            Type::Integer => {
                let cells = cells.map(|cell| Some(cell? as i32));
                Arc::new(cells.collect::<Int32Array>())
            }
        };
        arrays.push((column.name.clone(), array, true));
        if let Some(mask) = column.mask() {
            let array = Arc::new(BooleanArray::from(mask));
            arrays.push((format!("{}.mask", column.name), array, false));
        }
    }
    let batch = RecordBatch::try_from_iter_with_nullable(arrays).unwrap();
    let mut schema = (*batch.schema()).clone();
    schema.fields = schema
        .fields
        .iter()
        .map(|field| {
            let column = columns.iter().find(|column| column.name == *field.name());
            let unit = column
                .map(|column| column.unit.clone())
                .filter(|unit| !unit.is_empty());
            let unit = unit.map(|unit| ("unit".to_owned(), unit));
            field.as_ref().clone().with_metadata(
                unit.into_iter()
                    .collect::<std::collections::HashMap<_, _>>(),
            )
        })
        .collect();
    let batch = batch.with_schema(Arc::new(schema)).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn hdf5(file: &Drafted) -> Vec<u8> {
    let mut made = Hdf5Builder::new();
    for column in &file.columns {
        let shape = match column.width {
            1 => vec![column.rows() as u64],
            width => vec![column.rows() as u64, width as u64],
        };
        let cells = (0..column.values.len()).map(|at| column.cell(at).unwrap());
        let set = match column.stored {
            Type::Double => {
                DatasetBuilder::typed_data(&column.name, shape, &cells.collect::<Vec<f64>>())
            }
            Type::Single => {
                let cells: Vec<f32> = cells.map(|cell| cell as f32).collect();
                DatasetBuilder::typed_data(&column.name, shape, &cells)
            }
            Type::Integer => {
                let cells: Vec<i32> = cells.map(|cell| cell as i32).collect();
                DatasetBuilder::typed_data(&column.name, shape, &cells)
            }
        };
        let mut set = set.unwrap();
        if !column.unit.is_empty() {
            set = set.attribute(AttributeBuilder::fixed_string("unit", &column.unit));
        }
        made = made.dataset(set);
        if let Some(mask) = column.mask() {
            let name = format!("{}.mask", column.name);
            let cells: Vec<u8> = mask.into_iter().map(u8::from).collect();
            made = made
                .dataset(DatasetBuilder::typed_data(name, [column.rows() as u64], &cells).unwrap());
        }
    }
    for (group, name, values) in &file.attributes {
        let attribute = match values[..] {
            [value] => AttributeBuilder::scalar(*name, value),
            _ => AttributeBuilder::vector(*name, values),
        };
        let attribute = attribute.unwrap();
        made = if group.is_empty() {
            made.attribute(attribute)
        } else {
            made.group_attribute(*group, attribute)
        };
    }
    let plan = made.into_plan().unwrap();
    plan.encode(WriteOptions::default()).unwrap()
}
