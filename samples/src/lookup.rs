//! Values of a table by a whole number: `lookup("f.csv", "1 - missing", NTILE)`.
//!
//! Entry: [`Lookup::read`].

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use albireo_catalogs::{Argument, FileFunction, Request, Stop, open_until, whole_number};

use crate::error::{Result, SampleError};
use crate::notice::Notice;
use crate::whole_numbers::typed_integers;

/// The value of numbers that the table does not have: the weight of a class that nothing is known of.
const ABSENT: f64 = 1.0;

/// The values of a table, and the numbers that it does not have.
#[derive(Debug)]
pub(crate) struct Lookup {
    path: PathBuf,
    column: String,
    values: HashMap<i128, f64>,
    /// Rows for each number that the table does not have.
    absent: Mutex<BTreeMap<i128, u64>>,
}

impl Lookup {
    /// The values of an expression over the columns of a file, by its whole numbers in another column.
    pub(crate) fn read(path: &Path, value: &str, column: &str, stop: &Stop) -> Result<Self> {
        let mut reader = open_until(path, stop.clone())?;
        let outline = reader.outline(None)?;
        let of_keys = outline.columns.iter().find(|one| one.name == column);
        let signed = of_keys.is_none_or(|one| !one.dtype.starts_with("uint"));
        let mut request = Request::columns([value]);
        request.words = vec![column.to_owned()];
        let mut catalog = reader.read(&request)?;
        let keys = typed_integers(&mut catalog, column, signed)?;
        let mut values = HashMap::with_capacity(keys.len());
        for (row, (&key, &value)) in keys.iter().zip(catalog.column(value)?).enumerate() {
            if values.insert(key, value).is_some() {
                return Err(SampleError::Input(format!(
                    "{}: {key} stands in column `{column}` a second time in row {row} (counting from 0): a row is looked up by it, so that it must \
                     be there once",
                    path.display()
                )));
            }
        }
        Ok(Self {
            path: path.to_owned(),
            column: column.to_owned(),
            values,
            absent: Mutex::default(),
        })
    }

    /// The numbers without a value since the last notice.
    pub(crate) fn notice(&self) -> Option<Notice> {
        let mut absent = self.absent.lock().unwrap_or_else(PoisonError::into_inner);
        let absent = std::mem::take(&mut *absent);
        let (path, column, rows) = (
            self.path.display(),
            &self.column,
            absent.values().sum::<u64>(),
        );
        let some: Vec<String> = absent.keys().take(3).map(i128::to_string).collect();
        let more = if absent.len() > some.len() {
            ", .."
        } else {
            ""
        };
        (!absent.is_empty()).then(|| {
            Notice::warning(format!(
                "{path}: {rows} rows of {} classes that column `{column}` does not have ({}{more}) got {ABSENT}",
                absent.len(),
                some.join(", ")
            ))
        })
    }
}

impl FileFunction for Lookup {
    fn value(&self, numbers: &[Argument]) -> Result<f64, &'static str> {
        let key = match numbers {
            [Argument::Integer(key)] => Some(*key),
            [Argument::Float(key)] => whole_number(*key),
            _ => None,
        };
        let key = key.ok_or("a whole number to look up")?;
        Ok(self.values.get(&key).copied().unwrap_or_else(|| {
            let mut absent = self.absent.lock().unwrap_or_else(PoisonError::into_inner);
            *absent.entry(key).or_default() += 1;
            ABSENT
        }))
    }
}
