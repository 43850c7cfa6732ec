//! The blocks of a table one at a time, decoded ahead by threads of their own.
//!
//! Entry: [`Blocks`], of an [`Origin`]. Every column is decoded once, from the first row to the last; as many blocks as there are threads wait at most, so memory is
//! bounded for tables of any length. Parquet's columns are shared out between threads.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle, available_parallelism};

use super::memory::MemoryTable;
use crate::Format;
use crate::block::{Block, Cells, Widening};
use crate::catalog::Request;
use crate::error::{CatalogError, Result};
use crate::masks::Masks;
use crate::open::open_backend;
use crate::reader::{Backend, Component, Kind, Scan, Schema};
use crate::stop::Stop;

/// More threads than this do not help.
const MOST_THREADS: usize = 4;
/// Up to so many components, blocks of Parquet have the same rows for any columns.
const ALIGNED: usize = 256;

type Sent = Result<Block>;

/// One thread with the components that it decodes, as places among all.
struct Part {
    places: Vec<usize>,
    blocks: Option<Receiver<Sent>>,
    thread: Option<JoinHandle<()>>,
}

/// The rows of a table, a block after the other.
pub(super) struct Blocks {
    path: PathBuf,
    parts: Vec<Part>,
}

/// Where the rows of a table are.
#[derive(Clone)]
pub(super) enum Place {
    File(PathBuf),
    Memory(MemoryTable),
}

impl Place {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Memory(table) => table.path(),
        }
    }

    /// What reads them.
    pub(super) fn backend(&self, stop: Stop) -> Result<Box<dyn Backend>> {
        match self {
            Self::File(path) => open_backend(path, stop),
            Self::Memory(table) => Ok(Box::new(table.clone())),
        }
    }
}

/// The components of a table that are decoded, and how the table is found again.
pub(super) struct Origin {
    pub(super) place: Place,
    /// Whether what lies before a row can be left out.
    pub(super) seeks: bool,
    request: Request,
    components: Vec<Component>,
    /// The places of the components for each thread.
    shares: Vec<Vec<usize>>,
    stop: Stop,
}

impl Origin {
    /// These components of the table that `request` means.
    pub(super) fn new(
        place: Place,
        (format, schema, seeks): (Format, &Schema, bool),
        request: Request,
        components: &[Component],
        stop: &Stop,
    ) -> Self {
        Self {
            place,
            seeks,
            request,
            shares: shared_out(format, schema, components),
            components: components.to_vec(),
            stop: stop.clone(),
        }
    }

    /// One of the components alone.
    pub(super) fn of_component(&self, place: usize) -> Self {
        Self {
            place: self.place.clone(),
            seeks: self.seeks,
            request: self.request.clone(),
            components: vec![self.components[place]],
            shares: vec![vec![0]],
            stop: self.stop.clone(),
        }
    }
}

impl Blocks {
    /// Starts to decode from a row on, or a little before it.
    pub(super) fn start(origin: &Origin, from: u64) -> Result<Self> {
        let mut parts = Vec::new();
        for places in origin.shares.clone() {
            let chosen: Vec<Component> = places
                .iter()
                .map(|&place| origin.components[place])
                .collect();
            let (sender, blocks) = sync_channel(1);
            let (place, request) = (origin.place.clone(), origin.request.clone());
            let stop = origin.stop.clone();
            let thread = Builder::new().name("table of frames".to_owned());
            let thread = thread
                .spawn(move || decode(&place, &request, (&chosen, from), stop, &sender))
                .map_err(|error| CatalogError::io(origin.place.path(), error))?;
            parts.push(Part {
                places,
                blocks: Some(blocks),
                thread: Some(thread),
            });
        }
        Ok(Self {
            path: origin.place.path().to_owned(),
            parts,
        })
    }

    /// The next block with all components; `None` behind the last row.
    pub(super) fn next(&mut self) -> Result<Option<Block>> {
        let mut whole: Option<Block> = None;
        let count = self.parts.iter().map(|part| part.places.len()).sum();
        let mut ended = 0;
        for part in &self.parts {
            let sent = part.blocks.as_ref().and_then(|blocks| blocks.recv().ok());
            let Some(block) = sent.transpose()? else {
                ended += 1;
                continue;
            };
            let whole = whole.get_or_insert_with(|| Block {
                rows: block.rows,
                first_row: block.first_row,
                cells: (0..count).map(|_| Cells::Numbers(Vec::new())).collect(),
                nulls: Vec::new(),
            });
            if (block.rows, block.first_row) != (whole.rows, whole.first_row) {
                return Err(self.apart());
            }
            for (&place, cells) in part.places.iter().zip(block.cells) {
                whole.cells[place] = cells;
            }
        }
        if ended > 0 && whole.is_some() {
            return Err(self.apart());
        }
        Ok(whole)
    }

    fn apart(&self) -> CatalogError {
        CatalogError::corrupt(&self.path, "its columns differ in their rows")
    }
}

impl Drop for Blocks {
    /// Ends the threads: what they send is no longer taken.
    fn drop(&mut self) {
        for part in &mut self.parts {
            part.blocks = None;
        }
        for part in &mut self.parts {
            let joined = part.thread.take().map(JoinHandle::join);
            debug_assert!(joined.is_none_or(|joined| joined.is_ok()));
        }
    }
}

/// What a thread does.
fn decode(
    place: &Place,
    request: &Request,
    (components, from): (&[Component], u64),
    stop: Stop,
    sender: &SyncSender<Sent>,
) {
    let path = place.path();
    let gone = || CatalogError::Interrupted {
        path: path.to_owned(),
    };
    let read = || {
        let mut backend = place.backend(stop)?;
        let schema = backend.schema(request)?;
        let seeks = backend.seeks();
        let mut components = components.to_vec();
        let masks = Masks::beside(path, &schema, &mut components)?;
        let mut scan = Scan::of(&schema, &components, Widening::Exact);
        scan.from = from;
        backend.scan(&scan, &mut |mut block| {
            masks.apply(path, Widening::Exact, &mut block)?;
            if !seeks && block.first_row + block.rows as u64 <= from {
                return Ok(());
            }
            sender.send(Ok(block)).map_err(|_| gone())
        })
    };
    if let Err(error) = read() {
        // Nobody may be there any more, and then nobody needs to know.
        let _ = sender.send(Err(error));
    }
}

/// The places of the components for each thread: one thread, or for Parquet several with about equal work.
fn shared_out(format: Format, schema: &Schema, components: &[Component]) -> Vec<Vec<usize>> {
    let threads = available_parallelism()
        .map_or(1, usize::from)
        .min(MOST_THREADS);
    let threads = if format == Format::Parquet && components.len() <= ALIGNED {
        threads.min(components.len()).max(1)
    } else {
        1
    };
    let mut parts = vec![(0, Vec::new()); threads];
    // Components of one field stay together: its values are decoded once.
    let mut fields: Vec<usize> = components.iter().map(|part| part.field).collect();
    fields.sort_unstable();
    fields.dedup();
    let work = |field: usize| match schema.fields[field].kind {
        Kind::Text => 2,
        _ => schema.fields[field].width,
    };
    fields.sort_by_key(|&field| std::cmp::Reverse(work(field)));
    for field in fields {
        if let Some((load, places)) = parts.iter_mut().min_by_key(|(load, _)| *load) {
            *load += work(field);
            let of_field = components.iter().enumerate();
            places.extend(
                of_field
                    .filter(|(_, part)| part.field == field)
                    .map(|(place, _)| place),
            );
        }
    }
    let used = parts.into_iter().map(|(_, places)| places);
    used.filter(|places| !places.is_empty()).collect()
}
