//! Values on regular grids as files: `OpenDX`, Gaussian cube, `NumPy` arrays and HDF5, written plane by plane, whole or not at all.
//!
//! Entry: [`GridWriter`], [`read_dx_grid`]. It knows no fields, and no units but those that it is given.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "lengths were checked to fit their format"
)]

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::error::{CatalogError, Result};
use crate::grid_head::{HeadOf, grid_head};
use crate::kept_file::KeptFile;
use crate::whole_file::WholeFile;

/// Bohr radii in an Angstrom (CODATA 2018): the unit of cube files.
const BOHR_PER_ANGSTROM: f64 = 1.0 / 0.529_177_210_903;

/// What wrote a file.
const PROGRAM: &str = concat!("albireo ", env!("CARGO_PKG_VERSION"));

/// A regular grid, its last index changing fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct GridGeometry {
    /// Points along each step.
    pub shape: [usize; 3],
    /// The first point.
    pub origin: [f64; 3],
    /// The steps from a point to the next, in the order of the indices.
    pub steps: [[f64; 3]; 3],
}

/// Formats of grids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridFormat {
    /// `OpenDX`, as VMD, `PyMOL` and APBS read it: decimal text.
    Dx,
    /// Gaussian cube, lengths in Bohr, without atoms: decimal text of 6 digits.
    Cube,
    /// A `NumPy` array of float64 in three dimensions; where it lies, and how it was made, in FILE.json beside it.
    Npy,
    /// HDF5: the dataset `values` of float64 in three dimensions with attributes `origin`, `steps` and `unit`, and how it was made as JSON in
    /// the dataset `record`.
    Hdf5,
}

impl GridFormat {
    /// The format that the extension of a file names.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "dx" => Some(Self::Dx),
            "cube" => Some(Self::Cube),
            "npy" => Some(Self::Npy),
            "h5" | "hdf5" => Some(Self::Hdf5),
            _ => None,
        }
    }
}

/// The file beside a `NumPy` array.
pub fn grid_record(path: &Path) -> Option<PathBuf> {
    let record = || PathBuf::from(format!("{}.json", path.display()));
    (GridFormat::of(path) == Some(GridFormat::Npy)).then(record)
}

/// A file of a grid in the making.
///
/// ```
/// use albireo_catalogs::{GridGeometry, GridWriter};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("map.npy");
/// let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let grid = GridGeometry { shape: [1, 2, 2], origin: [0.0; 3], steps: unit };
/// let mut writer = GridWriter::create(&path, &grid, "a map", serde_json::Map::new())?;
/// writer.write(&[1.0, 2.0, 3.0, 4.0])?;
/// writer.finish()?;
/// assert_eq!(std::fs::read(&path)?.len(), 128 + 4 * 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GridWriter {
    file: Sink,
    record: Option<WholeFile>,
    format: GridFormat,
    grid: GridGeometry,
    /// Values written.
    written: usize,
}

/// Where the bytes go.
enum Sink {
    Whole(WholeFile),
    Kept(KeptFile),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Whole(file) => file.write(bytes),
            Self::Kept(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Whole(file) => file.flush(),
            Self::Kept(file) => file.flush(),
        }
    }
}

impl GridWriter {
    /// Begins a file in the format that its name's extension names; `meta` goes into the record of an array or of HDF5, `title` into the others.
    ///
    /// # Errors
    /// An extension that names no format, and what the system says.
    pub fn create(
        path: &Path,
        grid: &GridGeometry,
        title: &str,
        meta: Map<String, Value>,
    ) -> io::Result<Self> {
        let file = Sink::Whole(WholeFile::create(path)?);
        Self::begun(file, path, grid, title, meta, 0)
    }

    /// As [`GridWriter::create`], but what is kept of the values ([`GridWriter::keep`]) stays in `PATH.partial` when the process ends, and its
    /// length in the file `state`: the same job, of which `identity` is a part, goes on with it. Also gives the note of the last values kept.
    ///
    /// # Errors
    /// As [`GridWriter::create`]; values kept for another job, or that another process is making.
    pub fn resume(
        (path, state): (&Path, &Path),
        grid: &GridGeometry,
        title: &str,
        meta: Map<String, Value>,
        identity: &str,
    ) -> io::Result<(Self, Option<Value>)> {
        let job = json!([identity, title, meta, grid.shape, grid.origin, grid.steps]);
        let (file, kept) = KeptFile::begin((path, state), job)?;
        let written = kept.as_ref().and_then(|kept| kept["written"].as_u64());
        let written = usize::try_from(written.unwrap_or(0)).map_err(io::Error::other)?;
        let writer = Self::begun(Sink::Kept(file), path, grid, title, meta, written)?;
        Ok((writer, kept.map(|kept| kept["note"].clone())))
    }

    fn begun(
        mut file: Sink,
        path: &Path,
        grid: &GridGeometry,
        title: &str,
        meta: Map<String, Value>,
        written: usize,
    ) -> io::Result<Self> {
        let unknown = || io::Error::other("grids are written as .dx, .cube, .npy or .h5");
        let format = GridFormat::of(path).ok_or_else(unknown)?;
        let title = title.replace(['\n', '\r'], " ");
        if written == 0 {
            match format {
                GridFormat::Dx => dx_head(&mut file, grid, &title)?,
                GridFormat::Cube => cube_head(&mut file, grid, &title)?,
                GridFormat::Npy => npy_head(&mut file, grid)?,
                GridFormat::Hdf5 => file.write_all(&hdf5(grid, &meta))?,
            }
        }
        let record = grid_record(path).map(|beside| record(&beside, grid, meta));
        Ok(Self {
            file,
            record: record.transpose()?,
            format,
            grid: grid.clone(),
            written,
        })
    }

    /// How many values are written.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Keeps the values written so far, of a file that [`GridWriter::resume`] began, with a note for who goes on.
    ///
    /// # Errors
    /// What the system says.
    pub fn keep(&mut self, note: &Value) -> io::Result<()> {
        let written = self.written;
        match &mut self.file {
            Sink::Whole(_) => Ok(()),
            Sink::Kept(file) => file.keep(&json!({ "written": written, "note": note })),
        }
    }

    /// Writes the values that come next.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, values: &[f64]) -> io::Result<()> {
        let row = self.grid.shape[2];
        let points: usize = self.grid.shape.iter().product();
        for &value in values {
            let number = self.written;
            self.written += 1;
            match self.format {
                GridFormat::Npy | GridFormat::Hdf5 => self.file.write_all(&value.to_le_bytes())?,
                GridFormat::Dx => {
                    let end = if self.written.is_multiple_of(3) || self.written == points {
                        '\n'
                    } else {
                        ' '
                    };
                    write!(self.file, "{value:e}{end}")?;
                }
                GridFormat::Cube => {
                    let at = number % row + 1;
                    let end = if at == row || at.is_multiple_of(6) {
                        "\n"
                    } else {
                        ""
                    };
                    write!(self.file, "{}{end}", exponential(value))?;
                }
            }
        }
        Ok(())
    }

    /// Puts the file in its place, and its record.
    ///
    /// # Errors
    /// Fewer or more values than points, and what the system says.
    pub fn finish(mut self) -> io::Result<()> {
        let points: usize = self.grid.shape.iter().product();
        if self.written != points {
            let found = self.written;
            return Err(io::Error::other(format!(
                "a grid of {points} points, {found} values"
            )));
        }
        if self.format == GridFormat::Dx {
            let tail = "attribute \"dep\" string \"positions\"\nobject \"map\" class field\ncomponent \"positions\" value 1\ncomponent \"connections\" value 2\ncomponent \"data\" value 3\n";
            self.file.write_all(tail.as_bytes())?;
        }
        match self.file {
            Sink::Whole(file) => file.finish()?,
            Sink::Kept(file) => file.finish()?,
        }
        // The file first: an older one never lies beside a record that tells of this one.
        self.record.map_or(Ok(()), WholeFile::finish)
    }
}

/// The record beside an array, in the making.
fn record(path: &Path, grid: &GridGeometry, meta: Map<String, Value>) -> io::Result<WholeFile> {
    let mut record = WholeFile::create(path)?;
    let mut all = meta;
    all.insert("shape".to_owned(), json!(grid.shape));
    all.insert("origin".to_owned(), json!(grid.origin));
    all.insert("steps".to_owned(), json!(grid.steps));
    serde_json::to_writer_pretty(&mut record, &all)?;
    record.write_all(b"\n")?;
    Ok(record)
}

/// All of an HDF5 file but its values.
fn hdf5(grid: &GridGeometry, meta: &Map<String, Value>) -> Vec<u8> {
    let record = Value::Object(meta.clone()).to_string();
    grid_head(&HeadOf {
        shape: grid.shape,
        origin: grid.origin,
        steps: grid.steps,
        unit: meta.get("unit").and_then(Value::as_str),
        record: &record,
    })
}

fn dx_head(file: &mut Sink, grid: &GridGeometry, title: &str) -> io::Result<()> {
    let [l, m, n] = grid.shape;
    writeln!(file, "# {title} ({PROGRAM})")?;
    writeln!(file, "object 1 class gridpositions counts {l} {m} {n}")?;
    let [x, y, z] = grid.origin;
    writeln!(file, "origin {x} {y} {z}")?;
    for [x, y, z] in grid.steps {
        writeln!(file, "delta {x} {y} {z}")?;
    }
    writeln!(file, "object 2 class gridconnections counts {l} {m} {n}")?;
    let points = l * m * n;
    writeln!(
        file,
        "object 3 class array type double rank 0 items {points} data follows"
    )
}

fn cube_head(file: &mut Sink, grid: &GridGeometry, title: &str) -> io::Result<()> {
    let bohr = |v: [f64; 3]| v.map(|length| length * BOHR_PER_ANGSTROM);
    writeln!(
        file,
        "{title}\nlengths in Bohr, no atoms; last index fastest ({PROGRAM})"
    )?;
    let line = |file: &mut Sink, count: usize, v: [f64; 3]| {
        let [x, y, z] = bohr(v);
        writeln!(file, "{count:5} {x:14.8} {y:14.8} {z:14.8}")
    };
    line(file, 0, grid.origin)?;
    for (count, step) in grid.shape.into_iter().zip(grid.steps) {
        line(file, count, step)?;
    }
    Ok(())
}

/// A number as C prints it by `% .5E`, in 13 columns.
fn exponential(value: f64) -> String {
    let text = format!("{value:.5E}");
    let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    let number = format!("{mantissa}E{sign}{digits:0>2}");
    format!("{number:>13}")
}

fn npy_head(file: &mut Sink, grid: &GridGeometry) -> io::Result<()> {
    let [l, m, n] = grid.shape;
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({l}, {m}, {n}), }}");
    // Magic, version and length take 10 bytes; all of it is a multiple of 64, and ends a line.
    let length = (10 + header.len() + 1).next_multiple_of(64).max(128) - 10;
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&(length as u16).to_le_bytes())?;
    writeln!(file, "{header:<width$}", width = length - 1)
}

/// The grid of an `OpenDX` file: where its points lie; the values are not read.
///
/// # Errors
/// A file whose head lacks the counts, the origin or one of the steps; what the system says.
pub fn read_dx_grid(path: &Path) -> Result<GridGeometry> {
    let io = |error| CatalogError::io(path, error);
    let lines = BufReader::new(std::fs::File::open(path).map_err(io)?).lines();
    let (mut shape, mut origin, mut steps) = (None, None, Vec::new());
    for (number, line) in lines.enumerate() {
        let line = line.map_err(io)?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = || {
            let number = number + 1;
            let detail = format!("line {number}: expected three numbers, found `{line}`");
            CatalogError::corrupt(path, detail)
        };
        let three = |words: &[&str]| -> Option<[f64; 3]> {
            let [x, y, z] = words else { return None };
            let parsed = [x, y, z].map(|word| word.parse::<f64>().ok().filter(|v| v.is_finite()));
            Some([parsed[0]?, parsed[1]?, parsed[2]?])
        };
        match words.as_slice() {
            ["object", _, "class", "gridpositions", "counts", counts @ ..] => {
                let whole =
                    |v: [f64; 3]| v.iter().all(|v| *v >= 1.0 && v.fract() == 0.0).then_some(v);
                let counts = three(counts).and_then(whole).ok_or_else(wrong)?;
                shape = Some(counts.map(|count| count as usize));
            }
            ["origin", rest @ ..] => origin = Some(three(rest).ok_or_else(wrong)?),
            ["delta", rest @ ..] => steps.push(three(rest).ok_or_else(wrong)?),
            ["object", _, "class", "array", ..] => break,
            _ => {}
        }
    }
    match (shape, origin, <[[f64; 3]; 3]>::try_from(steps)) {
        (Some(shape), Some(origin), Ok(steps)) => Ok(GridGeometry {
            shape,
            origin,
            steps,
        }),
        _ => Err(CatalogError::corrupt(
            path,
            "it lacks the counts, the origin or one of the three deltas of an OpenDX grid",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_cubes_have_two_digits_of_exponent() {
        let found = [0.0, -1.0, 12345.678, 1e-7, -3e120].map(exponential);
        let expected = [
            "  0.00000E+00",
            " -1.00000E+00",
            "  1.23457E+04",
            "  1.00000E-07",
            "-3.00000E+120",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn grids_of_dx_come_back_and_what_lacks_something_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.dx");
        let grid = GridGeometry {
            shape: [2, 1, 2],
            origin: [0.1, -2.0, 1e-3],
            steps: [[0.5, 0.0, 0.0], [0.1, 0.5, 0.0], [0.0, 0.0, 0.25]],
        };
        let mut writer = GridWriter::create(&path, &grid, "t", Map::new()).unwrap();
        writer.write(&[1.0, -0.5, 0.1, 3e-9]).unwrap();
        writer.finish().unwrap();
        assert_eq!(read_dx_grid(&path).unwrap(), grid);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("\n1e0 -5e-1 1e-1\n3e-9\nattribute"), "{text}");
        for line in ["origin", "delta", "object 1"] {
            let rest: Vec<&str> = text.lines().filter(|l| !l.starts_with(line)).collect();
            let rest = rest.join("\n") + "\n";
            std::fs::write(&path, rest).unwrap();
            assert!(read_dx_grid(&path).is_err(), "{line}");
        }
        std::fs::write(&path, text.replace("origin 0.1", "origin x")).unwrap();
        assert!(
            read_dx_grid(&path)
                .unwrap_err()
                .to_string()
                .contains("line 3")
        );
        let mut short = GridWriter::create(&path, &grid, "t", Map::new()).unwrap();
        short.write(&[1.0]).unwrap();
        assert!(short.finish().is_err());
    }

    #[cfg(feature = "hdf5")]
    #[test]
    fn hdf5_holds_the_values_and_where_they_lie() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        let grid = GridGeometry {
            shape: [2, 3, 1],
            origin: [0.1, -2.0, 1e-3],
            steps: [[0.5, 0.0, 0.0], [0.1, 0.5, 0.0], [0.0, 0.0, 0.25]],
        };
        let mut meta = Map::new();
        meta.insert("unit".to_owned(), json!("e/\u{212b}"));
        let mut writer = GridWriter::create(&path, &grid, "t", meta.clone()).unwrap();
        let values = [1.0, -0.5, 0.1, 3e-9, 0.0, 7.0];
        writer.write(&values[..2]).unwrap();
        writer.write(&values[2..]).unwrap();
        writer.finish().unwrap();
        let file = hdf5_reader::Hdf5File::open(&path).unwrap();
        let found = file.dataset("values").unwrap();
        assert_eq!(found.shape(), [2, 3, 1]);
        let read = found.read_array::<f64>().unwrap();
        assert!(read.iter().eq(values.iter()));
        let origin = found.attribute("origin").unwrap().read_1d::<f64>().unwrap();
        assert!(origin.iter().eq(grid.origin.iter()));
        let unit = found.attribute("unit").unwrap().read_string().unwrap();
        assert_eq!(unit, "e/\u{212b}");
        let record = file.dataset("record").unwrap().read_string().unwrap();
        assert_eq!(record, Value::Object(meta).to_string());
    }
}
