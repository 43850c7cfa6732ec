//! Directions and redshifts of a survey as its files have them: what its footprint and its n(z) are made of, before any cosmology.
//!
//! Entry: [`SurveyReading::read`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use albireo::sky::{self, Column};
use albireo_catalogs::{Hashing, Stop};
use serde_json::Value;

use crate::columns::{Depth, Place};
use crate::common_unit::CommonUnit;
use crate::error::{Result, SampleError};
use crate::file_functions::Functions;
use crate::given::Given;
use crate::notice::Notice;
use crate::opened::{Conversion, Opened};
use crate::sample;
use crate::source::{self, File, Source};
use crate::suspicion::{self, Depths};
use crate::weights::weights_of;
use crate::within::Within;

/// The objects of a survey, checked: angles in degrees and in range, redshifts of 0 or more.
///
/// ```
/// use albireo_samples::{Selection, Source, SurveyReading};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("galaxies.csv");
/// # std::fs::write(&path, "RA,DEC,Z\n10,-5,0.2\n11,-6,0.3\n")?;
/// let source = Source { role: "data".to_owned(), paths: vec![path], selection: Selection::default() };
/// let survey = SurveyReading::default().read(&source, &mut |notice| eprintln!("{notice}"))?;
/// assert_eq!((survey.dec, survey.redshift), (vec![-5.0, -6.0], Some(vec![0.2, 0.3])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Right ascensions, degrees within [-360, 360].
    pub ra: Vec<f64>,
    /// Declinations, degrees.
    pub dec: Vec<f64>,
    /// Redshifts, where they were asked for.
    pub redshift: Option<Vec<f64>>,
    /// Weights, where the selection names them.
    pub weight: Option<Vec<f64>>,
    /// What each file is and what of it was used.
    pub record: Vec<Value>,
}

/// How a survey is read: what its columns become.
#[derive(Debug, Clone)]
pub struct SurveyReading {
    /// Whether a column of redshifts is read too.
    pub redshifts: bool,
    /// The samples that lie in memory, by the names that sources give as their paths.
    pub given: HashMap<PathBuf, Given>,
    /// Columns whose numbers are taken as they are: the unit that the file states is ignored.
    pub ignore_units: Vec<String>,
    /// Whether redshifts above 20, in a column that states no unit, are meant.
    pub plain_redshifts: bool,
    /// Whether to end before the last file is read.
    pub stop: Stop,
}

impl Default for SurveyReading {
    fn default() -> Self {
        Self {
            redshifts: true,
            given: HashMap::new(),
            ignore_units: Vec::new(),
            plain_redshifts: false,
            stop: Stop::never(),
        }
    }
}

impl SurveyReading {
    /// Reads all files of a sample, one after the other; `tell` hears what was chosen and what looks wrong.
    ///
    /// # Errors
    /// [`SampleError`]: files without such columns, values that are no angles, redshifts or numbers, or no row left.
    pub fn read(&self, source: &Source, tell: &mut dyn FnMut(Notice)) -> Result<Survey> {
        let conversion = Conversion {
            angular: !self.redshifts,
            cosmology: None,
            redshifts: self.redshifts,
            regions: None,
            ignore_units: self.ignore_units.clone(),
            plain_redshifts: self.plain_redshifts,
            rsd: None,
            functions: Functions::new(self.stop.clone()),
            stop: self.stop.clone(),
        };
        let mut survey = Survey::default();
        for file in source.files()? {
            let opened = open(&file, self.given.get(&file.path), &conversion, tell)?;
            survey.add(opened, &conversion, tell)?;
            if self.stop.requested() {
                return Err(SampleError::Interrupted);
            }
        }
        conversion.functions.say(tell);
        if let (true, Some(path)) = (survey.ra.is_empty(), source.paths.first()) {
            return Err(SampleError::empty(path, 0));
        }
        Ok(survey)
    }
}

impl Survey {
    /// Adds the rows of a file.
    fn add(
        &mut self,
        mut opened: Opened,
        conversion: &Conversion,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<()> {
        let is_file = opened.memory().is_none();
        let hashing = is_file.then(|| Hashing::begin(opened.path(), &conversion.stop));
        let (mut catalog, _) = opened.catalog(None)?;
        let (source, place, units) = (&opened.source, &opened.place, &opened.units);
        let Place::Sky { ra, dec, depth } = place else {
            return Err(SampleError::Input(format!(
                "{}: expected positions on the sky, found {}: name them by --sky RA,DEC",
                source.path.display(),
                place.columns().join(", ")
            )));
        };
        let weight = source.selection.weight.as_deref();
        let weight = weight.map(|name| weights_of(&catalog, source, name));
        let weight = weight.transpose()?;
        let weight_sum = |weights: &Vec<f64>| weights.iter().sum();
        let weight_sum: f64 = weight.as_ref().map_or(catalog.rows() as f64, weight_sum);
        let mut used = source::record(source, &catalog, place, (weight_sum, vec![]), hashing)?;
        let right = sample::take(&mut catalog, source, ra)?;
        let declination = sample::take(&mut catalog, source, dec)?;
        units.note(&mut used);
        if !(units.is_stated(0) && units.is_stated(1)) {
            let suspicion =
                suspicion::other_angles(&source.path, (ra, &right), (dec, &declination));
            suspicion.into_iter().for_each(&mut *tell);
        }
        let (right, declination) = (units.apply(0, right), units.apply(1, declination));
        sky::unit_vectors(Column::new(ra, &right), Column::new(dec, &declination))
            .within(|| source.path.display().to_string())?;
        if let Depth::Redshift(name) = depth {
            let redshift = sample::take(&mut catalog, source, name)?;
            sample::check_receding(source, name, &redshift)?;
            let depths = Depths {
                path: &source.path,
                column: name,
                values: &redshift,
                is_meant: units.is_stated(2) || conversion.plain_redshifts,
            };
            depths.check_redshifts(tell)?;
            self.redshift.get_or_insert_default().extend(redshift);
        } else if conversion.redshifts {
            return Err(no_redshift(&source.path));
        }
        if let Some(weight) = weight {
            self.weight.get_or_insert_default().extend(weight);
        }
        self.ra.extend(right);
        self.dec.extend(declination);
        self.record.push(used);
        let (kept, read) = (catalog.rows(), catalog.rows_read());
        tell(Notice::rows(&source.role, kept, read, &source.path));
        Ok(())
    }
}

/// The refusal of a sample without redshifts, where they are needed.
fn no_redshift(path: &Path) -> SampleError {
    SampleError::Input(format!(
        "{}: expected a column of redshifts, found none of a usual name: name it by --redshift, or `--redshift none` to go without",
        path.display()
    ))
}

/// A file with its columns chosen, which are refused in words of redshifts where a depth is missing.
fn open(
    file: &File,
    given: Option<&Given>,
    conversion: &Conversion,
    tell: &mut dyn FnMut(Notice),
) -> Result<Opened> {
    let mut unit = CommonUnit::default();
    Opened::of(file, given, conversion, &mut unit, tell).map_err(|error| match error {
        SampleError::At { source, .. } if matches!(*source, SampleError::NoDepth { .. }) => {
            no_redshift(&file.path)
        }
        other => other,
    })
}
