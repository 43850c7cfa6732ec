//! Functions of expressions that read a file: `in_pixels("mask.fits", RA, DEC)`, `lookup("f.csv", "1 - missing", NTILE)`.
//!
//! Entry: [`Functions`], which goes with the requests of all files of a reading, so that each mask and table is read once.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use albireo::regions::Footprint;
use albireo_catalogs::{Argument, FileFunction, FileFunctions, Stop};

use crate::lookup::Lookup;
use crate::mask::MaskSpec;
use crate::notice::Notice;

/// What reads the files of functions, and has those that it read.
#[derive(Debug)]
pub(crate) struct Functions {
    stop: Stop,
    masks: Opened<InPixels>,
    lookups: Opened<Lookup>,
}

/// Functions by the texts that they were opened by.
type Opened<T> = Mutex<HashMap<Vec<String>, Arc<T>>>;

/// Whether a direction lies in a mask.
#[derive(Debug)]
struct InPixels(Footprint);

impl FileFunction for InPixels {
    fn value(&self, numbers: &[Argument]) -> Result<f64, &'static str> {
        match numbers {
            [ra, dec] => Ok(f64::from(self.0.contains(ra.float(), dec.float()))),
            _ => Err("two angles"),
        }
    }
}

impl Functions {
    pub(crate) fn new(stop: Stop) -> Arc<Self> {
        Arc::new(Self {
            stop,
            masks: Mutex::default(),
            lookups: Mutex::default(),
        })
    }

    /// Reports the numbers that have no value in a table.
    pub(crate) fn say(&self, tell: &mut dyn FnMut(Notice)) {
        let lookups = self.lookups.lock().unwrap_or_else(PoisonError::into_inner);
        let notices = lookups.values().filter_map(|lookup| lookup.notice());
        notices.for_each(tell);
    }

    fn mask(&self, file: &str) -> Result<Arc<InPixels>, String> {
        once(&self.masks, &[file], || {
            let mask = MaskSpec::default().footprint(Path::new(file), &self.stop);
            mask.map(InPixels).map_err(|error| in_a_line(&error))
        })
    }

    fn lookup(&self, [file, value, column]: [&str; 3]) -> Result<Arc<Lookup>, String> {
        once(&self.lookups, &[file, value, column], || {
            let lookup = Lookup::read(Path::new(file), value, column, &self.stop);
            lookup.map_err(|error| in_a_line(&error))
        })
    }
}

/// What was opened by these texts, or is now.
fn once<T>(
    opened: &Opened<T>,
    texts: &[&str],
    open: impl FnOnce() -> Result<T, String>,
) -> Result<Arc<T>, String> {
    let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
    let key: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    if let Some(function) = opened.get(&key) {
        return Ok(Arc::clone(function));
    }
    let function = Arc::new(open()?);
    opened.insert(key, Arc::clone(&function));
    Ok(function)
}

/// An error with what it comes from.
fn in_a_line(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

impl FileFunctions for Functions {
    fn open(
        &self,
        name: &str,
        texts: &[&str],
        numbers: &[String],
    ) -> Result<Arc<dyn FileFunction>, String> {
        match (name, texts, numbers) {
            ("in_pixels", [file], _) => Ok(self.mask(file)?),
            ("lookup", [file, value, column], _) => Ok(self.lookup([file, value, column])?),
            ("lookup", [file, value], [column]) => {
                let column = column.trim_matches('`');
                let lookup = self.lookup([file, value, column]);
                Ok(lookup.map_err(|why| {
                    if why.contains(&format!("no column `{column}`")) {
                        return format!("{why}; a third text names its column of keys");
                    }
                    why
                })?)
            }
            _ => Err("no such function".to_owned()),
        }
    }
}
