//! Virtual data sets: those whose values stand in data sets of other files.
//!
//! Entry: [`Overlay`], the bytes of a file in which each virtual data set is one that is stored in one piece, far behind the end of the file;
//! what is read there is read from the sources. Followed are sources that fill runs of elements, one behind the other, as those that put
//! the files of a snapshot together are. Others are refused, and their sources are named.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hdf5_reader::error::{Error, Result};
use hdf5_reader::global_heap::GlobalHeapCollection;
use hdf5_reader::{
    Dataset, Datatype, FileStorage, H5Type, Hdf5File, SliceInfo, SliceInfoElem, Storage,
    StorageBuffer,
};

use super::element::Raw;
use super::header::{Header, LAYOUT};
use super::read;
use super::selection::{Numbers, Selection};

/// What a refusal begins with.
pub(super) const REFUSED: &str = "virtual data set over ";

/// Where the first virtual data set begins, and the place of each.
const FIRST: u64 = 1 << 62;
const PLACE: u64 = 1 << 44;

/// Opens a source by its name.
pub(super) type Open = dyn Fn(&str) -> Result<Hdf5File> + Send + Sync;

/// The bytes of a file, with its virtual data sets.
pub(super) struct Overlay {
    file: FileStorage,
    open: Box<Open>,
    sets: RwLock<Vec<Arc<VirtualSet>>>,
    /// Headers that stand in the place of those of virtual data sets.
    headers: RwLock<HashMap<u64, Vec<u8>>>,
    sources: Mutex<HashMap<String, Hdf5File>>,
}

struct VirtualSet {
    /// Bytes of an element.
    width: usize,
    dtype: Vec<u8>,
    sources: Vec<Source>,
    /// Whether the sources fill it run by run.
    runs: bool,
}

/// A data set of another file, and the elements of the virtual one that it fills.
struct Source {
    file: String,
    dataset: String,
    part: Selection,
    run: (u64, u64),
}

impl Overlay {
    pub(super) fn open(path: &Path, open: Box<Open>) -> Result<Self> {
        Ok(Self {
            file: FileStorage::open(path)?,
            open,
            sets: RwLock::default(),
            headers: RwLock::default(),
            sources: Mutex::default(),
        })
    }

    /// Learns of the virtual data set whose header stands at `address`; whether there is one. Gives the names of its files.
    pub(super) fn learn(&self, address: u64) -> Option<Vec<String>> {
        let header = Header::read(&self.file, address)?;
        let layout = header.message(LAYOUT)?;
        let [4, 3, place @ ..] = layout else {
            return None;
        };
        let mut place = Numbers(place);
        let (heap, index) = (place.next(8)?, u16::try_from(place.next(4)?).ok()?);
        let heap = GlobalHeapCollection::parse_at_storage(&self.file, heap, 8, 8).ok()?;
        let shape = header.shape()?;
        let dtype = header.dtype()?;
        let width = usize::try_from(Numbers(dtype.get(4..)?).next(4)?).ok()?;
        let set = VirtualSet::parse(&heap.get_object(index)?.data, &shape, width, dtype)?;
        let elements = Selection::All.run(&shape)?.1;
        let bytes = elements
            .checked_mul(width as u64)
            .filter(|&bytes| bytes < PLACE)?;
        let mut sets = self.sets.write().unwrap_or_else(PoisonError::into_inner);
        let mut headers = self.headers.write().unwrap_or_else(PoisonError::into_inner);
        if headers.contains_key(&address) {
            return None;
        }
        let start = FIRST + PLACE * sets.len() as u64;
        headers.insert(address, header.stored_at(start, bytes)?);
        let files = set.files();
        sets.push(Arc::new(set));
        Some(files)
    }

    fn source(&self, name: &str) -> Result<Hdf5File> {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = sources.get(name) {
            return Ok(file.clone());
        }
        let file = (self.open)(name)?;
        sources.insert(name.to_owned(), file.clone());
        Ok(file)
    }

    /// The elements `from..to` of a virtual data set.
    fn elements(&self, set: &VirtualSet, from: u64, to: u64) -> Result<Vec<u8>> {
        let refused = |why: &str| {
            let files = set.files().join(", ");
            Error::UnsupportedEncoding(format!("{REFUSED}{files}{why}"))
        };
        if !set.runs {
            return Err(refused(""));
        }
        let mut out = Vec::new();
        for source in &set.sources {
            let (start, end) = (source.run.0.max(from), source.run.1.min(to));
            if start >= end {
                continue;
            }
            let file = self.source(&source.file)?;
            let dataset = file.dataset(&source.dataset)?;
            let run = source.part.run(dataset.shape());
            let run = run.filter(|run| run.1 - run.0 == source.run.1 - source.run.0);
            let Some((first, _)) = run else {
                return Err(refused(", which have another shape"));
            };
            if !same_type(&set.dtype, &dataset.raw_datatype()?) {
                return Err(refused(", which have another type"));
            }
            // A source may begin before or after the run that it fills.
            let place = |element: u64| first + (element - source.run.0);
            out.extend(run_of(&dataset, set.width, place(start), place(end))?);
        }
        Ok(out)
    }
}

impl Storage for Overlay {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read_range(&self, offset: u64, len: usize) -> Result<StorageBuffer> {
        if offset < FIRST {
            let headers = self.headers.read().unwrap_or_else(PoisonError::into_inner);
            let header = headers.get(&offset).and_then(|header| header.get(..len));
            return match header {
                Some(header) => Ok(StorageBuffer::from_vec(header.to_vec())),
                None => self.file.read_range(offset, len),
            };
        }
        let (set, start) = ((offset - FIRST) / PLACE, (offset - FIRST) % PLACE);
        let sets = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        let set = usize::try_from(set)
            .ok()
            .and_then(|set| sets.get(set))
            .cloned();
        drop(sets);
        let set = set.ok_or(Error::OffsetOutOfBounds(offset))?;
        let width = set.width as u64;
        let end = start.saturating_add(len as u64);
        let bytes = self.elements(&set, start / width, end.div_ceil(width))?;
        let skipped = (start % width) as usize;
        let bytes = bytes.get(skipped..skipped + len);
        let bytes = bytes.ok_or(Error::OffsetOutOfBounds(offset))?;
        Ok(StorageBuffer::from_vec(bytes.to_vec()))
    }
}

impl VirtualSet {
    /// From the object that lists its sources; `None` if that is damaged.
    fn parse(list: &[u8], shape: &[u64], width: usize, dtype: &[u8]) -> Option<Self> {
        let mut numbers = Numbers(list);
        if numbers.next(1)? != 0 || width == 0 {
            return None;
        }
        let count = numbers.next(8)?;
        let mut sources = Vec::new();
        let mut runs = true;
        for _ in 0..count {
            let (file, dataset) = (numbers.text()?, numbers.text()?);
            let part = Selection::read(&mut numbers)?;
            let run = Selection::read(&mut numbers)?.run(shape);
            // A percent sign stands for the number of a file.
            runs &= run.is_some() && !file.contains('%') && !dataset.contains('%');
            let run = run.unwrap_or_default();
            sources.push(Source {
                file,
                dataset,
                part,
                run,
            });
        }
        sources.sort_by_key(|source| source.run);
        let mut end = 0;
        for source in &sources {
            runs &= source.run.0 == end;
            end = source.run.1;
        }
        runs &= Selection::All.run(shape)?.1 == end;
        // Numbers and texts alone say the same in another file.
        runs &= dtype
            .first()
            .is_some_and(|class| matches!(class & 15, 0 | 1 | 3 | 8));
        let dtype = dtype.to_vec();
        Some(Self {
            width,
            dtype,
            sources,
            runs,
        })
    }

    /// The files of its sources, each once.
    fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for source in &self.sources {
            if !files.contains(&source.file) {
                files.push(source.file.clone());
            }
        }
        files
    }
}

/// Whether two messages tell of one type: all but their versions, and the padding behind them, is equal.
fn same_type(one: &[u8], other: &[u8]) -> bool {
    let class = |bytes: &[u8]| bytes.first().map(|first| first & 15);
    let rest = one.len().min(other.len());
    let equal = class(one) == class(other) && one.get(1..rest) == other.get(1..rest);
    equal
        && [one, other]
            .iter()
            .all(|bytes| bytes[rest..].iter().all(|&byte| byte == 0))
}

/// The elements `from..to` of a data set, row after row, as they are stored.
fn run_of(dataset: &Dataset, width: usize, from: u64, to: u64) -> Result<Vec<u8>> {
    let shape = dataset.shape();
    let row: u64 = shape.iter().skip(1).product::<u64>().max(1);
    let (first, last) = (from / row, to.div_ceil(row));
    let span = |start, end| SliceInfoElem::Slice {
        start,
        end,
        step: 1,
    };
    let mut selections: Vec<SliceInfoElem> = shape.iter().map(|&end| span(0, end)).collect();
    if let Some(rows) = selections.first_mut() {
        *rows = span(first, last);
    }
    let slice = SliceInfo { selections };
    let bytes = match width {
        1 => flat(read::<Cell<1>>(dataset, &slice)?),
        2 => flat(read::<Cell<2>>(dataset, &slice)?),
        4 => flat(read::<Cell<4>>(dataset, &slice)?),
        8 => flat(read::<Cell<8>>(dataset, &slice)?),
        _ => read::<Raw>(dataset, &slice)?
            .iter()
            .flat_map(|cell| cell.0.to_vec())
            .collect(),
    };
    let start = (from - first * row) as usize * width;
    let end = start + (to - from) as usize * width;
    let run = bytes.get(start..end).map(<[u8]>::to_vec);
    run.ok_or_else(|| Error::InvalidData("short records".to_owned()))
}

fn flat<const N: usize>(cells: Vec<Cell<N>>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(cells.len() * N);
    for cell in cells {
        bytes.extend_from_slice(&cell.0);
    }
    bytes
}

/// An element of N bytes as it is stored.
#[derive(Clone)]
struct Cell<const N: usize>([u8; N]);

impl<const N: usize> H5Type for Cell<N> {
    fn hdf5_type() -> Datatype {
        u8::hdf5_type()
    }

    fn element_size(_dtype: &Datatype) -> usize {
        N
    }

    fn from_bytes(bytes: &[u8], _dtype: &Datatype) -> Result<Self> {
        let cell = bytes.first_chunk().copied().map(Self);
        cell.ok_or_else(|| Error::InvalidData("short records".to_owned()))
    }

    fn decode_vec(raw: &[u8], _dtype: &Datatype, count: usize) -> Option<Result<Vec<Self>>> {
        let (cells, rest) = raw.as_chunks();
        let whole = rest.is_empty() && cells.len() == count;
        whole.then(|| Ok(cells.iter().map(|cell| Self(*cell)).collect()))
    }
}

/// The path of a file that another one names: as it is, beside that one, or its last part beside it; nothing if it is not there.
pub(super) fn beside(path: &Path, name: &str) -> Option<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let last = Path::new(name).file_name().unwrap_or_default();
    let mut places = [folder.join(name), folder.join(last)].into_iter();
    places.find(|place| place.is_file())
}
