//! The module `albireo._albireo`: what the Python package has of Rust.
//!
//! Entry: `call`, by which Python has a subcommand of the command line carried out on arrays and results in memory, and `Table`, what comes back. Names, units and kinds of arrays are left to Python, in `python/albireo`; everything about counting and estimating is that of the command line.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]

mod arrays;
mod grid;
mod table;
mod units;
mod watching;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

use albireo_catalogs::{Attribute, Cell, FRAME_NAMES};
use albireo_measure::{Called, flags_of, instead_of};
use albireo_samples::{Given, GivenFrames, Words, usual_names as names};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tracing::Level;

use table::Table;

/// A named column of float64.
type Floats<'py> = (String, Bound<'py, PyAny>);
/// A named column of words with the bits that they hold.
type Bits<'py> = (String, PyReadonlyArray1<'py, u64>, u32);
/// Columns, columns of bits, what else a table of particles has, unit of length.
type Sample<'py> = (
    Vec<Floats<'py>>,
    Vec<Bits<'py>>,
    Option<Vec<(String, Values<'py>)>>,
    Option<String>,
);
/// Values of particles.
#[derive(FromPyObject)]
enum Values<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Integers(PyReadonlyArray1<'py, i64>),
    /// The different texts, and which of them each particle has.
    Texts(Vec<String>, PyReadonlyArray1<'py, u32>),
}

impl From<Values<'_>> for Attribute {
    fn from(values: Values<'_>) -> Self {
        match values {
            Values::Numbers(array) => Self::Numbers(array.as_array().to_vec()),
            Values::Integers(array) => Self::Integers(array.as_array().to_vec()),
            Values::Texts(texts, codes) => Self::Texts {
                texts,
                codes: codes.as_array().to_vec(),
            },
        }
    }
}
/// x, y and z of all frames, particles of each frame, vectors of their boxes, columns of values, bonds, unit of length.
type Frames<'py> = (
    [Bound<'py, PyAny>; 3],
    Vec<usize>,
    Option<Vec<[[f64; 3]; 3]>>,
    Vec<(String, Values<'py>)>,
    Vec<[u32; 2]>,
    Option<String>,
);
/// What stands for a file.
#[derive(FromPyObject)]
enum Memory<'py> {
    #[pyo3(transparent)]
    Frames(Frames<'py>),
    #[pyo3(transparent)]
    Sample(Sample<'py>),
}
/// Results with the names of those that are kept, and printed text.
type Made = (Vec<(Option<String>, Table)>, String);

/// A sample in arrays that stay where they are.
fn given((columns, words, others, unit): Sample<'_>) -> PyResult<Given> {
    let refused = |error: albireo_samples::SampleError| PyValueError::new_err(error.to_string());
    let column = |(name, array): Floats<'_>| Ok((name, arrays::column(&array)?));
    let columns = columns.into_iter().map(column).collect::<PyResult<_>>()?;
    let mut given = Given::new(columns).map_err(refused)?.in_unit(unit);
    for (name, values, bits) in words {
        let values = values.as_array().to_vec();
        let words = Words { values, bits };
        given = given.with_words(name, words).map_err(refused)?;
    }
    if let Some(others) = others {
        let others = others.into_iter().map(|(name, one)| (name, one.into()));
        given = given.with_others(others.collect()).map_err(refused)?;
    }
    Ok(given)
}

/// Frames in arrays that stay where they are.
fn given_frames(
    (positions, particles, cells, columns, bonds, unit): Frames<'_>,
) -> PyResult<Given> {
    let refused = |error: albireo_samples::SampleError| PyValueError::new_err(error.to_string());
    let [x, y, z] = positions.map(|array| arrays::column(&array));
    let mut frames = GivenFrames::new([x?, y?, z?], particles)
        .map_err(refused)?
        .in_unit(unit);
    for (name, values) in columns {
        frames = frames.with_column(&name, values.into()).map_err(refused)?;
    }
    if !bonds.is_empty() {
        frames = frames.bonded(bonds).map_err(refused)?;
    }
    if let Some(cells) = cells {
        let cells = cells.into_iter().enumerate().map(|(frame, vectors)| {
            let told =
                |reason| PyValueError::new_err(format!("the box of frame {frame}: {reason}"));
            Cell::new(vectors).map_err(told)
        });
        frames = frames
            .with_cells(cells.collect::<PyResult<_>>()?)
            .map_err(refused)?;
    }
    Ok(Given::of_frames(frames))
}

/// The level of Python's logging as one of tracing.
fn level(level: Option<u8>) -> Option<Level> {
    match level? {
        0..=10 => Some(Level::DEBUG),
        11..=20 => Some(Level::INFO),
        21..=30 => Some(Level::WARN),
        31..=40 => Some(Level::ERROR),
        _ => None,
    }
}

/// Has a command line carried out on samples and results in memory. `log(level, text)` and `progress(what, done, of)` are called on this thread.
#[pyfunction]
#[pyo3(signature = (arguments, given, results, kept, log_level=None, log=None, progress=None))]
#[allow(
    clippy::too_many_arguments,
    reason = "arguments of Python are those of one function"
)]
fn call(
    py: Python<'_>,
    arguments: Vec<OsString>,
    given: HashMap<PathBuf, Memory<'_>>,
    results: HashMap<PathBuf, Py<Table>>,
    kept: Vec<PathBuf>,
    log_level: Option<u8>,
    log: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Made> {
    let samples = given.into_iter();
    let samples = samples.map(|(name, memory)| {
        let given = match memory {
            Memory::Frames(frames) => given_frames(frames)?,
            Memory::Sample(sample) => self::given(sample)?,
        };
        Ok((name, given))
    });
    let called = Called {
        arguments,
        given: samples.collect::<PyResult<_>>()?,
        results: results
            .into_iter()
            .map(|(name, table)| (name, table.get().into()))
            .collect(),
        kept: kept.into_iter().collect(),
        level: log.and_then(|_| level(log_level)),
    };
    let outcome = watching::carry_out(py, called, log, progress)?;
    let name = |path: PathBuf| path.to_string_lossy().into_owned();
    let tables = outcome.tables.into_iter();
    let tables = tables.map(|(path, table)| (path.map(name), Table::from(table)));
    Ok((tables.collect(), outcome.text))
}

/// Runs the program `albireo` with these arguments and returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| albireo_cli::main_with(arguments));
    // Exit codes of processes tell no more than whether they are equal.
    (0..=u8::MAX)
        .find(|&k| std::process::ExitCode::from(k) == code)
        .unwrap_or(1)
}

/// A flag: its long name, what it takes, how many, and its other names.
type FlagOf = (String, &'static str, &'static str, Vec<String>);

/// The flags of a subcommand.
#[pyfunction]
#[allow(
    clippy::needless_pass_by_value,
    reason = "arguments of Python are owned"
)]
fn flags(words: Vec<String>) -> Vec<FlagOf> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let flags = flags_of(&words).into_iter();
    flags
        .map(|flag| {
            (
                flag.name,
                flag.takes.name(),
                flag.values.name(),
                flag.aliases,
            )
        })
        .collect()
}

/// What to write in place of a flag that a subcommand does not have.
#[pyfunction]
#[allow(
    clippy::needless_pass_by_value,
    reason = "arguments of Python are owned"
)]
fn instead(words: Vec<String>, typed: &str) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    instead_of(&words, typed)
}

/// The names by which columns are taken for positions where none are named.
#[pyfunction]
fn usual_names() -> Vec<&'static str> {
    names().collect()
}

/// The names, in lower case, of columns that tell frames apart.
#[pyfunction]
fn frame_names() -> Vec<&'static str> {
    FRAME_NAMES.to_vec()
}

#[pymodule]
fn _albireo(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Table>()?;
    module.add_function(wrap_pyfunction!(grid::write_grid, module)?)?;
    module.add_function(wrap_pyfunction!(call, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(flags, module)?)?;
    module.add_function(wrap_pyfunction!(instead, module)?)?;
    module.add_function(wrap_pyfunction!(usual_names, module)?)?;
    module.add_function(wrap_pyfunction!(frame_names, module)?)?;
    module.add_function(wrap_pyfunction!(units::factor, module)?)?;
    module.add_function(wrap_pyfunction!(units::kind, module)?)?;
    Ok(())
}
