//! A frame as a table, so that expressions over columns select its particles and weigh them.
//!
//! Entry: [`Frame::selected`], [`Frame::columns`].

use std::path::Path;

use super::{Attribute, Frame};
use crate::block::{Block, Cells, Widening};
use crate::catalog::{Catalog, Request};
use crate::error::Result;
use crate::reader::{Backend, CatalogReader, Field, Kind, Scan, Schema, Sink};
use crate::value::Attributes;
use crate::{Filter, Format};

/// The columns that every frame has.
const OWN: [&str; 4] = ["index", "x", "y", "z"];

impl Frame {
    /// The indices, from 0, of the particles for which `filter` holds: over the columns of [`Atoms`](super::Atoms) and `index`, `x`, `y`, `z`. `path` is for messages.
    ///
    /// ```
    /// use std::{path::Path, sync::Arc};
    /// use albireo_catalogs::{Atoms, Attribute, Filter, Frame};
    /// let atoms = Atoms::new(3).with("name", Attribute::of_texts(["OW", "HW1", "HW2"]));
    /// let positions = [vec![0.0, 0.1, 0.2], vec![0.0; 3], vec![0.0; 3]];
    /// let frame = Frame { number: 0, step: None, time: None, cell: None, positions, atoms: Arc::new(atoms) };
    /// let hydrogen = Filter::parse("name in ('HW1', 'HW2') && x < 0.15")?;
    /// assert_eq!(frame.selected(&hydrogen, Path::new("water.gro"))?, [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CatalogError::UnknownColumn`](crate::CatalogError::UnknownColumn), or what the expression has wrong.
    pub fn selected(&self, filter: &Filter, path: &Path) -> Result<Vec<u32>> {
        let mut request = Request::columns(["index"]);
        request.filter = Some(filter.clone());
        let chosen = self.columns(&request, path)?;
        let chosen = chosen.column("index")?;
        Ok(chosen.iter().map(|&index| index as u32).collect())
    }

    /// Columns of the particles, and expressions over them, as of the table of a file: those of [`Atoms`](super::Atoms) and `index`, `x`, `y`,
    /// `z`. `path` is for messages.
    ///
    /// ```
    /// use std::{path::Path, sync::Arc};
    /// use albireo_catalogs::{Atoms, Attribute, Frame, Request};
    /// let atoms = Atoms::new(2).with("charge", Attribute::Numbers(vec![-0.8, 0.4]));
    /// let positions = [vec![0.0, 0.1], vec![0.0; 2], vec![0.0; 2]];
    /// let frame = Frame { number: 0, step: None, time: None, cell: None, positions, atoms: Arc::new(atoms) };
    /// let table = frame.columns(&Request::columns(["x", "charge*2"]), Path::new("water.gro"))?;
    /// assert_eq!(table.column("charge*2")?, [-1.6, 0.8]);
    /// # Ok::<(), albireo_catalogs::CatalogError>(())
    /// ```
    ///
    /// # Errors
    /// [`CatalogError::UnknownColumn`](crate::CatalogError::UnknownColumn), or what an expression has wrong.
    pub fn columns(&self, request: &Request, path: &Path) -> Result<Catalog> {
        CatalogReader::read(&mut FrameTable { path, frame: self }, request)
    }
}

struct FrameTable<'a> {
    path: &'a Path,
    frame: &'a Frame,
}

impl FrameTable<'_> {
    fn names(&self) -> impl Iterator<Item = &str> {
        let others = self.frame.atoms.names();
        OWN.into_iter()
            .chain(others.filter(|name| !OWN.contains(name)))
    }

    fn cells(&self, name: &str) -> Cells {
        let own = OWN.iter().position(|own| *own == name);
        match (own, self.frame.atoms.get(name)) {
            (Some(0), _) => Cells::Integers((0..self.frame.len() as i128).collect()),
            (Some(axis), _) => Cells::Numbers(self.frame.positions[axis - 1].clone()),
            (None, Some(attribute)) => attribute.cells(),
            (None, None) => Cells::Numbers(Vec::new()),
        }
    }
}

impl Backend for FrameTable<'_> {
    fn format(&self) -> Format {
        Format::Frame
    }

    fn path(&self) -> &Path {
        self.path
    }

    fn schema(&mut self, _: &Request) -> Result<Schema> {
        let field = |name: &str| {
            let (dtype, kind) = match self.frame.atoms.get(name) {
                Some(Attribute::Texts { .. }) => ("string", Kind::Text),
                Some(Attribute::Integers(_)) => ("int64", Kind::Number),
                _ if name == "index" => ("int64", Kind::Number),
                _ => ("float64", Kind::Number),
            };
            Field::of(name, dtype, kind)
        };
        Ok(Schema {
            table: String::new(),
            rows: Some(self.frame.len() as u64),
            fields: self.names().map(field).collect(),
            attributes: Attributes::default(),
        })
    }

    fn scan(&mut self, scan: &Scan<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let (schema, components, widening) = (scan.schema, scan.components, scan.widening);
        let cells = components.iter().map(|component| {
            let cells = self.cells(&schema.fields[component.field].name);
            match cells {
                Cells::Integers(values)
                    if !matches!(
                        component.widening(widening),
                        Widening::Typed | Widening::Words
                    ) =>
                {
                    Cells::Numbers(values.into_iter().map(|value| value as f64).collect())
                }
                other => other,
            }
        });
        sink(Block {
            rows: self.frame.len(),
            first_row: 0,
            cells: cells.collect(),
            nulls: vec![0; components.len()],
        })
    }
}
