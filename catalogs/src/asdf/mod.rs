//! ASDF, as Abacus writes halos and particles: a tree in YAML, then blocks that the arrays of its `data` stand in.
//!
//! Entry: [`AsdfReader`]. Blocks may be packed by Blosc, in Abacus' own framing, by zlib or bzip2.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rows of arrays that are in memory; bits of packed numbers"
)]

mod blocks;
mod column;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json};

use self::blocks::Found;
use self::column::Column;
use crate::Format;
use crate::block::{Block, Site, Widening, block_rows};
use crate::catalog::Request;
use crate::collector::Collector;
use crate::error::{CatalogError, Result};
use crate::reader::{Backend, Component, Kind, Scan, Schema, Sink, refuse_table};
use crate::stop::Stop;
use crate::text::yaml;
use crate::value::{Attributes, Value};

/// Trees are texts of a few kilobytes.
const LARGEST_TREE: u64 = 64 << 20;

/// Reads the arrays of an ASDF file.
pub(crate) struct AsdfReader {
    path: PathBuf,
    file: File,
    columns: Vec<Column>,
    blocks: Vec<Found>,
    attributes: Attributes,
    stop: Stop,
}

impl AsdfReader {
    /// Reads the tree, and where the blocks stand.
    pub(crate) fn open(path: &Path, stop: Stop) -> Result<Self> {
        let io = |error| CatalogError::io(path, error);
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let (tree, end) = tree(path, &mut file)?;
        let (mut entries, broken) = yaml::mapping(&tree);
        if let Some(why) = broken {
            return Err(CatalogError::corrupt(path, format!("its tree: {why}")));
        }
        let mut part = |name: &str| match entries.remove(name) {
            Some(Json::Object(part)) => part,
            _ => Map::new(),
        };
        let data = part("data");
        let header = part("header").into_iter();
        let header: Attributes = header
            .map(|(name, value)| (name, Value::from_json(value)))
            .collect();
        let columns = column::columns(&data, &header);
        let blocks = blocks::find(path, &mut file, end, length)?;
        if columns.is_empty() {
            return Err(CatalogError::NoTable {
                path: path.to_owned(),
                detail: "its tree has no arrays under `data`".to_owned(),
            });
        }
        for column in columns
            .iter()
            .filter(|column| column.field.kind == Kind::Number)
        {
            let (bytes, found) = (
                column.bytes(),
                blocks.get(column.source).map(|block| block.bytes),
            );
            if found != Some(bytes) {
                let found = found.map_or("none".to_owned(), |found| format!("one of {found}"));
                let name = &column.field.name;
                let detail = format!("`{name}`: expected a block of {bytes} bytes, found {found}");
                return Err(CatalogError::corrupt(path, detail));
            }
        }
        let attributes = stated(header);
        Ok(Self {
            path: path.to_owned(),
            file,
            columns,
            blocks,
            attributes,
            stop,
        })
    }

    /// The array of a column.
    fn array(&mut self, field: usize) -> Result<Vec<u8>> {
        match self.blocks.get(self.columns[field].source) {
            Some(block) => block.bytes(&self.path, &mut self.file),
            None => Ok(Vec::new()),
        }
    }

    /// What is worth saying of the halos of `CompaSO` and of numbers that are no longer those of the file.
    fn tell(&self, components: &[Component]) {
        let asked = |field: usize| components.iter().any(|part| part.field == field);
        let columns = self.columns.iter().enumerate();
        let made: Vec<&str> = columns
            .filter(|(field, column)| asked(*field) && column.field.unit.is_some())
            .map(|(_, column)| column.field.name.as_str())
            .collect();
        let path = self.path.display();
        if !made.is_empty() {
            let columns = made.join(", ");
            tracing::info!(%path, columns, "Abacus: positions in Mpc/h by the header's box, velocities in km/s");
        }
        if self
            .columns
            .iter()
            .any(|column| column.field.name.ends_with("L2com"))
        {
            tracing::info!(%path, "halos as CompaSO found them: those that cleaning merges (cleaned_halos) are among them");
        }
    }
}

/// The text of the tree, and where it ends.
fn tree(path: &Path, file: &mut File) -> Result<(String, u64)> {
    const END: &[u8] = b"\n...";
    let io = |error| CatalogError::io(path, error);
    let mut bytes = Vec::new();
    let mut step = 1 << 16;
    loop {
        let from = bytes.len().saturating_sub(END.len());
        let read = file
            .by_ref()
            .take(step)
            .read_to_end(&mut bytes)
            .map_err(io)?;
        let found = bytes[from..]
            .windows(END.len())
            .position(|window| window == END);
        let ends = found.map(|place| from + place + END.len());
        // The line of the mark ends the tree.
        let line = ends
            .and_then(|end| Some(end + 1 + bytes[end..].iter().position(|&byte| byte == b'\n')?));
        if let Some(line) = line {
            let text = String::from_utf8_lossy(&bytes[..line]).into_owned();
            return Ok((text, line as u64));
        }
        if read == 0 || bytes.len() as u64 > LARGEST_TREE {
            return Err(CatalogError::corrupt(path, "its tree does not end"));
        }
        step = step.saturating_mul(2);
    }
}

/// The header with the box in the unit of the positions.
fn stated(mut header: Attributes) -> Attributes {
    if let Some(length) = header.get("BoxSizeHMpc").cloned() {
        header.insert("BoxSize".to_owned(), length);
    }
    header
}

impl Backend for AsdfReader {
    fn format(&self) -> Format {
        Format::Asdf
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn schema(&mut self, request: &Request) -> Result<Schema> {
        refuse_table(&self.path, request)?;
        let mut fields: Vec<_> = self
            .columns
            .iter()
            .map(|column| column.field.clone())
            .collect();
        fields.sort_by(|one, other| one.name.cmp(&other.name));
        let unreadable = fields.iter().all(|field| field.kind == Kind::Other);
        if let Some(first) = fields.first().filter(|_| unreadable) {
            return Err(CatalogError::unsupported(
                &self.path,
                format!("`{}` ({})", first.name, first.dtype),
                "unpack it with abacusutils (abacusnbody.data) and save the columns",
            ));
        }
        self.columns
            .sort_by(|one, other| one.field.name.cmp(&other.field.name));
        Ok(Schema {
            table: String::new(),
            rows: fields.first().and_then(|field| field.rows),
            fields,
            attributes: self.attributes.clone(),
        })
    }

    fn packing(&self, field: usize) -> Option<String> {
        let block = self.blocks.get(self.columns.get(field)?.source)?;
        block.compression()
    }

    fn scan(&mut self, scan: &Scan<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let (components, widening, from) = (scan.components, scan.widening, scan.from);
        let mut arrays: HashMap<usize, Vec<u8>> = HashMap::new();
        for part in components {
            self.stop.check(&self.path)?;
            if let Entry::Vacant(place) = arrays.entry(part.field) {
                place.insert(self.array(part.field)?);
            }
        }
        let rows = components
            .iter()
            .map(|part| self.columns[part.field].rows())
            .max();
        let rows = rows
            .or_else(|| self.columns.first().map(Column::rows))
            .unwrap_or(0) as usize;
        let step = block_rows(components.len());
        for start in (0..rows).step_by(step) {
            self.stop.check(&self.path)?;
            let end = rows.min(start + step);
            if end as u64 <= from {
                continue;
            }
            let mut block = Block::of(end - start, start as u64);
            for part in components {
                let column = &self.columns[part.field];
                let site = Site::new(&self.path, &column.field.name, start as u64);
                let array = &arrays[&part.field];
                let widening = part.widening(widening);
                let cells = column.cells(array, (start, end), part.element, site, widening)?;
                block.push((cells, 0));
            }
            sink(block)?;
        }
        Ok(())
    }

    fn collect(&mut self, scan: &Scan<'_>, collector: &mut Collector) -> Result<()> {
        self.tell(scan.components);
        let (path, widening) = (self.path.clone(), Widening::Exact);
        self.scan(&Scan { widening, ..*scan }, &mut |block| {
            collector.take(&path, block)
        })
    }
}
