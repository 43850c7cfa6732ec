//! Functions of expressions that read a file: `in_pixels("mask.fits", RA, DEC)`.
//!
//! Entry: [`Functions`], which goes with the requests of all files of a reading, so that each mask is read once.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use albireo::regions::Footprint;
use albireo_catalogs::{Argument, FileFunction, FileFunctions, Stop};

use crate::mask::MaskSpec;

/// What reads the files of functions, and has those that it read.
#[derive(Debug)]
pub(crate) struct Functions {
    stop: Stop,
    opened: Mutex<HashMap<Vec<String>, Arc<dyn FileFunction>>>,
}

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
        let opened = Mutex::default();
        Arc::new(Self { stop, opened })
    }

    fn read(&self, name: &str, texts: &[&str]) -> Result<Arc<dyn FileFunction>, String> {
        match (name, texts) {
            ("in_pixels", [file]) => {
                let mask = MaskSpec::default().footprint(Path::new(file), &self.stop);
                mask.map(|mask| Arc::new(InPixels(mask)) as Arc<dyn FileFunction>)
                    .map_err(|error| in_a_line(&error))
            }
            _ => Err("no such function".to_owned()),
        }
    }
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
        _numbers: &[String],
    ) -> Result<Arc<dyn FileFunction>, String> {
        let mut key = vec![name.to_owned()];
        key.extend(texts.iter().map(|&text| text.to_owned()));
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = opened.get(&key) {
            return Ok(Arc::clone(function));
        }
        let function = self.read(name, texts)?;
        opened.insert(key, Arc::clone(&function));
        Ok(function)
    }
}
