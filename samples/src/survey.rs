//! Directions and redshifts of a survey as its files have them: what its footprint and its n(z) are made of, before any cosmology.
//!
//! Entry: [`Survey::read`].

use std::collections::HashMap;
use std::path::PathBuf;

use albireo::sky::{self, Column};
use albireo_catalogs::{Hashing, Stop};
use serde_json::Value;

use crate::columns::{Depth, Place};
use crate::common_unit::CommonUnit;
use crate::error::SampleError;
use crate::given::Given;
use crate::notice::Notice;
use crate::opened::{Conversion, Opened};
use crate::sample;
use crate::source::{self, File, Source};
use crate::suspicion;
use crate::weights::weights_of;
use crate::within::Within;

/// The objects of a survey, checked: angles in degrees and in range, redshifts of 0 or more.
///
/// ```
/// use albireo_samples::{Selection, Source, Stop, Survey};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("galaxies.csv");
/// # std::fs::write(&path, "RA,DEC,Z\n10,-5,0.2\n11,-6,0.3\n")?;
/// let source = Source { role: "data".to_owned(), paths: vec![path], selection: Selection::default() };
/// let survey = Survey::read(&source, true, &Stop::never(), &mut |notice| eprintln!("{notice}"))?;
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

impl Survey {
    /// Reads all files of a sample, one after the other; with `redshifts`, a column of them too. `tell` hears what was chosen and what
    /// looks wrong.
    ///
    /// # Errors
    /// [`SampleError`]: files without such columns, values that are no angles, redshifts or numbers, or no row left.
    pub fn read(
        source: &Source,
        redshifts: bool,
        stop: &Stop,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Self, SampleError> {
        Self::read_given(source, &HashMap::new(), redshifts, stop, tell)
    }

    /// As [`Survey::read`], where some of the files are names of samples in memory.
    ///
    /// # Errors
    /// Those of [`Survey::read`].
    pub fn read_given(
        source: &Source,
        given: &HashMap<PathBuf, Given>,
        redshifts: bool,
        stop: &Stop,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Self, SampleError> {
        let conversion = Conversion {
            angular: !redshifts,
            cosmology: None,
            redshifts,
            regions: None,
            ignore_units: Vec::new(),
            plain_redshifts: false,
            rsd: None,
            stop: stop.clone(),
        };
        let mut survey = Self::default();
        for file in source.files()? {
            let opened = open(&file, given.get(&file.path), &conversion, tell)?;
            survey.add(opened, &conversion, tell)?;
            if stop.requested() {
                return Err(SampleError::Interrupted);
            }
        }
        if let (true, Some(path)) = (survey.ra.is_empty(), source.paths.first()) {
            return Err(SampleError::Empty {
                path: path.clone(),
                rows_read: 0,
            });
        }
        Ok(survey)
    }

    /// Adds the rows of a file.
    fn add(
        &mut self,
        mut opened: Opened,
        conversion: &Conversion,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<(), SampleError> {
        let is_file = opened.memory().is_none();
        let hashing = is_file.then(|| Hashing::begin(opened.path(), &conversion.stop));
        let (mut catalog, _) = opened.catalog(None)?;
        let (source, place, units) = (&opened.source, &opened.place, &opened.units);
        let Place::Sky { ra, dec, depth } = place else {
            return Err(SampleError::NotOnSky {
                path: source.path.clone(),
                columns: place.columns().join(", "),
            });
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
            let suspicion = suspicion::radians(&source.path, (ra, &right), (dec, &declination));
            suspicion.into_iter().for_each(&mut *tell);
        }
        let (right, declination) = (units.apply(0, right), units.apply(1, declination));
        sky::unit_vectors(Column::new(ra, &right), Column::new(dec, &declination))
            .within(|| source.path.display().to_string())?;
        if let Depth::Redshift(name) = depth {
            let redshift = sample::take(&mut catalog, source, name)?;
            sample::check_receding(source, name, &redshift)?;
            let suspicion = suspicion::velocities(&source.path, name, &redshift);
            suspicion.into_iter().for_each(&mut *tell);
            self.redshift.get_or_insert_default().extend(redshift);
        } else if conversion.redshifts {
            let path = source.path.clone();
            return Err(SampleError::NoRedshift { path });
        }
        if let Some(weight) = weight {
            self.weight.get_or_insert_default().extend(weight);
        }
        self.ra.extend(right);
        self.dec.extend(declination);
        self.record.push(used);
        tell(Notice::Rows {
            role: source.role.clone(),
            kept: catalog.rows(),
            read: catalog.rows_read(),
            path: source.path.clone(),
        });
        Ok(())
    }
}

/// A file with its columns chosen, which are refused in words of redshifts where a depth is missing.
fn open(
    file: &File,
    given: Option<&Given>,
    conversion: &Conversion,
    tell: &mut dyn FnMut(Notice),
) -> Result<Opened, SampleError> {
    let mut unit = CommonUnit::default();
    Opened::of(file, given, conversion, &mut unit, tell).map_err(|error| match error {
        SampleError::At { source, .. } if matches!(*source, SampleError::NoDepth { .. }) => {
            SampleError::NoRedshift {
                path: file.path.clone(),
            }
        }
        other => other,
    })
}
