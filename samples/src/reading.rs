//! All samples of a count, read and placed in their domain.
//!
//! Entry: [`Reading::read`]. One file is read by `sample`, the box found by `space`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use albireo::binning::BinAxis;
use albireo::cosmology::Cosmology;
use albireo::{Axis, Domain, LineOfSight, Outside, Particles};
use albireo_catalogs::{Attributes, Format, Stop};
use serde_json::{Map, Value, json};

use crate::error::SampleError;
use crate::given::Given;
use crate::groups;
use crate::joining::join;
use crate::memory;
use crate::notice::Notice;
use crate::placing::place;
use crate::regions::{Cut, RegionSpec};
use crate::roles;
use crate::sample::{Conversion, Opened, Sample};
use crate::snapshots;
use crate::source::{File, Source};
use crate::space::{BoxSpec, StatedBox, resolve};
use crate::stated_units::is_one_unit;
use crate::suspicion;

/// How samples are read: what their columns become, and where the positions lie.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Only directions are needed: positions become unit vectors, and there is no box.
    pub angular: bool,
    /// What turns redshifts into distances in Mpc/h.
    pub cosmology: Option<Cosmology>,
    /// The box; without it the one that the files state, else open space.
    pub space: Option<BoxSpec>,
    /// What becomes of positions outside the box.
    pub outside: Outside,
    /// The unit of length, for labels; without it the one that the files state, Mpc/h for redshifts.
    pub unit: Option<String>,
    /// What the samples are cut into, for errors from the scatter between regions; particles have no labels without.
    pub regions: Option<RegionSpec>,
    /// Whether the files of a snapshot that are given may be some of it.
    pub partial_sets: bool,
    /// The samples that lie in memory, by the names that sources give as their paths.
    pub given: HashMap<PathBuf, Given>,
    /// Columns whose numbers are taken as they are, whatever unit the file states.
    pub ignore_units: Vec<String>,
    /// Whether redshifts above 20, in a column that states no unit, are meant.
    pub plain_redshifts: bool,
    /// Whether to end before the last sample is read.
    pub stop: Stop,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            angular: false,
            cosmology: None,
            space: None,
            outside: Outside::Refuse,
            unit: None,
            regions: None,
            partial_sets: false,
            given: HashMap::new(),
            ignore_units: Vec::new(),
            plain_redshifts: false,
            stop: Stop::never(),
        }
    }
}

/// Samples in a common domain.
#[derive(Debug, Clone)]
pub struct Samples {
    pub(crate) all: Vec<Sample>,
    pub(crate) domain: Domain,
    pub(crate) unit: Option<String>,
    pub(crate) redshift_space: bool,
    pub(crate) on_sky: bool,
    pub(crate) record: Map<String, Value>,
    pub(crate) regions: Option<Cut>,
}

impl Reading {
    /// Reads the samples and places them in their domain; `tell` hears what was chosen and what looks wrong, as it is found.
    ///
    /// # Errors
    /// [`SampleError`]: columns that are missing, ambiguous or hold what makes no position, files that disagree, positions outside the
    /// box; [`SampleError::is_wrong_call`] where the request itself has no meaning.
    pub fn read(
        &self,
        sources: &[Source],
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Samples, SampleError> {
        if self.angular && self.has_box() {
            return Err(SampleError::BoxForAngles);
        }
        let suspicion = self.cosmology.as_ref().and_then(suspicion::negative_lambda);
        suspicion.into_iter().for_each(&mut *tell);
        let conversion = Conversion {
            angular: self.angular,
            cosmology: self.cosmology,
            redshifts: self.cosmology.is_some(),
            regions: self
                .regions
                .as_ref()
                .and_then(RegionSpec::column)
                .map(str::to_owned),
            ignore_units: self.ignore_units.clone(),
            plain_redshifts: self.plain_redshifts,
            stop: self.stop.clone(),
        };
        let mut opened: Vec<Opened> = Vec::new();
        let mut counts = Vec::new();
        for source in sources {
            let before = opened.len();
            for file in self.files_with_rows(source, tell)? {
                let given = self.given.get(&file.path);
                opened.push(Opened::of(&file, given, &conversion, &mut *tell)?);
            }
            counts.push(opened.len() - before);
            if !self.partial_sets {
                let of_source: Vec<&Opened> = opened[before..].iter().collect();
                snapshots::check(&of_source)?;
            }
            check_folders(&opened[before..])?;
        }
        self.check_cosmology(&opened, tell)?;
        let redshift_space = opened.iter().any(|o| o.place.is_redshift_space());
        let on_sky = self.on_sky(&opened)?;
        roles::check_randoms(sources)?;
        let mut samples = Vec::new();
        let mut opened = opened.into_iter();
        for count in counts {
            let mut parts = Vec::new();
            for opened in opened.by_ref().take(count) {
                let in_memory = memory::read(&opened, &conversion, tell);
                let of_file = || opened.read(&conversion, tell);
                parts.push(in_memory.unwrap_or_else(of_file)?);
                if self.stop.requested() {
                    return Err(SampleError::Interrupted);
                }
            }
            samples.push(join(parts)?);
        }
        let few = roles::few_randoms(&samples).into_iter();
        let suspicions = few.chain(roles::same_rows(&samples));
        suspicions.for_each(&mut *tell);
        let (domain, space) = self.domain(&samples, on_sky, tell)?;
        for sample in &mut samples {
            place(&domain, sample, self.outside, tell)?;
        }
        groups::number(&mut samples)?;
        let regions = self.regions.as_ref();
        let regions = regions.map(|spec| spec.cut(&mut samples, &domain, on_sky || self.angular));
        let regions = regions.transpose()?;
        let unit = self.unit_of(&samples)?;
        let mut record = Map::new();
        let records = samples.iter().map(|s| s.record.clone()).collect();
        record.insert("samples".to_owned(), Value::Array(records));
        record.insert("box".to_owned(), space);
        if let (Some(cosmology), true) = (&self.cosmology, redshift_space) {
            record.insert("cosmology".to_owned(), json!(cosmology));
        }
        if self.partial_sets {
            record.insert("partial_sets".to_owned(), json!(true));
        }
        if let Some(unit) = &unit {
            record.insert("unit".to_owned(), json!(unit));
        }
        if let Some(regions) = &regions {
            record.insert("regions".to_owned(), regions.record.clone());
        }
        Ok(Samples {
            all: samples,
            domain,
            unit,
            redshift_space,
            on_sky: on_sky || self.angular,
            record,
            regions,
        })
    }

    /// The files of a source, without those whose header says that they have no rows of the table: they may lack it.
    fn files_with_rows(
        &self,
        source: &Source,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Vec<File>, SampleError> {
        let files = source.files()?;
        let Some(table) = source.selection.table.as_deref() else {
            return Ok(files);
        };
        let on_disk = |file: &File| !self.given.contains_key(&file.path);
        let empty = |file: &File| {
            let header = on_disk(file)
                .then(|| header_of(&file.path, &self.stop))
                .flatten();
            header.is_some_and(|header| !snapshots::has_rows(&header, table))
        };
        if files.len() == 1 {
            return Ok(files);
        }
        let (without, with): (Vec<File>, Vec<File>) = files.into_iter().partition(empty);
        if with.is_empty() {
            return Ok(without);
        }
        for file in without {
            tell(Notice::Rows {
                role: file.role,
                kept: 0,
                read: 0,
                path: file.path,
            });
        }
        Ok(with)
    }

    fn has_box(&self) -> bool {
        self.space.is_some_and(|space| space != BoxSpec::Open)
    }

    /// Refuses a cosmology that no sample has a use for.
    fn check_cosmology(
        &self,
        opened: &[Opened],
        tell: &mut dyn FnMut(Notice),
    ) -> Result<(), SampleError> {
        if self.cosmology.is_none() || opened.iter().any(|o| o.place.is_redshift_space()) {
            return Ok(());
        }
        if self.angular {
            tell(Notice::UnusedCosmology);
            return Ok(());
        }
        let columns: Vec<String> = opened.iter().flat_map(|o| o.place.columns()).collect();
        Err(SampleError::UnusedCosmology {
            columns: columns.join(", "),
        })
    }

    /// Whether positions are on the sky: all are then, they lie around the observer, and no periodic box holds them.
    fn on_sky(&self, opened: &[Opened]) -> Result<bool, SampleError> {
        let Some(sky) = opened.iter().find(|opened| opened.place.is_sky()) else {
            return Ok(false);
        };
        if self.has_box() {
            return Err(SampleError::BoxOnSky {
                columns: sky.place.columns().join(", "),
                path: sky.path().to_owned(),
            });
        }
        // Angles alone are as good between directions of positions. Files of one sample have to be alike in more than this.
        let differs = |o: &&Opened| !o.place.is_sky() && o.source.role != sky.source.role;
        let other = opened.iter().find(differs);
        if let (Some(other), false) = (other, self.angular) {
            let named = |one: &Opened| {
                let columns = one.place.columns().join(", ");
                format!("{} ({columns})", one.path().display())
            };
            return Err(SampleError::MixedPlaces(named(sky), named(other)));
        }
        Ok(true)
    }

    /// The domain of all samples, with a record of where it comes from.
    fn domain(
        &self,
        samples: &[Sample],
        on_sky: bool,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<(Domain, Value), SampleError> {
        if self.angular {
            return resolve(None, &[], tell);
        }
        let mut stated: Vec<&StatedBox> =
            samples.iter().flat_map(|s| s.stated_boxes.iter()).collect();
        if let (true, Some(first)) = (on_sky, stated.first()) {
            if self.space.is_none() {
                tell(Notice::UnusedBox {
                    source: first.source.clone(),
                });
            }
            stated.clear();
        }
        resolve(self.space, &stated, tell)
    }

    /// The unit asked for, or the one that all samples state.
    fn unit_of(&self, samples: &[Sample]) -> Result<Option<String>, SampleError> {
        if self.unit.is_some() || self.angular {
            return Ok(self.unit.clone());
        }
        let stated = |sample: &Sample| -> Option<(String, PathBuf)> {
            Some((sample.unit.clone()?, sample.path.clone()))
        };
        let mut stated = samples.iter().filter_map(stated);
        let Some(first) = stated.next() else {
            return Ok(None);
        };
        match stated.find(|other| !is_one_unit(&other.0, &first.0)) {
            Some(second) => Err(SampleError::DifferentUnits { first, second }),
            None => Ok(Some(first.0)),
        }
    }
}

impl Samples {
    /// The domain that all of them lie in.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The unit of length, where known.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// Whether positions are seen from an observer at the origin: they come from directions on the sky.
    pub fn on_sky(&self) -> bool {
        self.on_sky
    }

    /// The cells of the box that they are cut into, if they are.
    pub fn cells(&self) -> Option<&albireo::regions::Cells> {
        self.regions.as_ref()?.cells.as_ref()
    }

    /// How they came about: `samples`, `box`, and `cosmology`, `unit` and `regions` where there are any.
    pub fn record(&self) -> &Map<String, Value> {
        &self.record
    }

    /// The sample of a role, if it was read.
    pub fn find(&self, role: &str) -> Option<&Particles> {
        let sample = self.all.iter().find(|sample| sample.role == role);
        sample.map(|sample| &sample.particles)
    }

    /// The sample of a role that there must be.
    ///
    /// # Errors
    /// [`SampleError::Missing`].
    pub fn get(&self, role: &str) -> Result<&Particles, SampleError> {
        self.find(role)
            .ok_or_else(|| SampleError::Missing(role.to_owned()))
    }

    /// Number of sets of weights that were read.
    pub fn weight_sets(&self) -> usize {
        let sets = self.all.iter().map(|s| s.particles.weight_sets());
        sets.max().unwrap_or(1)
    }

    /// The same samples with the weights of a set alone, and a record that says so; set 0 is that of [`Selection::weight`].
    ///
    /// [`Selection::weight`]: crate::Selection::weight
    #[must_use]
    pub fn of_weight_set(&self, set: usize) -> Self {
        let mut one = self.clone();
        for sample in &mut one.all {
            sample.particles = sample.particles.of_weight_set(set);
            of_set(&mut sample.record, set);
        }
        let records = one.all.iter().map(|s| s.record.clone()).collect();
        one.record
            .insert("samples".to_owned(), Value::Array(records));
        one
    }

    /// How many bits the columns of bits of a role hold, where it has any.
    pub fn bits(&self, role: &str) -> Option<u32> {
        let sample = self.all.iter().find(|sample| sample.role == role)?;
        Some(sample.bits.as_ref()?.number)
    }

    /// The line of sight of pairs where none is given: z in a box, the midpoint in open space.
    pub fn line_of_sight(&self) -> LineOfSight {
        if self.domain.is_periodic() {
            LineOfSight::Fixed(Axis::Z)
        } else {
            LineOfSight::Midpoint
        }
    }

    /// Calls the separation of redshifts s: r is that in real space.
    pub fn name_axes(&self, axes: &mut [BinAxis]) {
        for axis in axes {
            if self.redshift_space && axis.name == "r" {
                axis.name = "s";
            }
        }
    }
}

/// The header of a snapshot, where a file has one beside its tables.
fn header_of(path: &Path, stop: &Stop) -> Option<Attributes> {
    let mut reader = albireo_catalogs::open_until(path, stop.clone()).ok()?;
    if reader.format() != Format::Hdf5 {
        return None;
    }
    Some(reader.outline(Some("Header")).ok()?.attributes)
}

/// Refuses folders that lack rows or have more of them than they state.
fn check_folders(opened: &[Opened]) -> Result<(), SampleError> {
    for (k, first) in opened.iter().enumerate() {
        let Some((count, expected)) = first.source.of_folder else {
            continue;
        };
        let found: u64 = opened[k..]
            .iter()
            .take(count)
            .map(|o| o.outline().rows)
            .sum();
        if found != expected {
            return Err(SampleError::RowsOfFolder {
                path: first.path().to_owned(),
                found,
                expected,
            });
        }
    }
    Ok(())
}

/// Makes the record of a sample that of a set of weights alone.
fn of_set(record: &mut Value, set: usize) {
    let Some(entries) = record.as_object_mut() else {
        return;
    };
    let further = entries.remove("further_weights").unwrap_or_default();
    let Some(own) = set.checked_sub(1).and_then(|at| further.get(at)) else {
        return;
    };
    entries.insert("weight_sum".to_owned(), own["weight_sum"].clone());
    match &own["weight"] {
        Value::Null => entries.remove("weight"),
        weight => entries.insert("weight".to_owned(), weight.clone()),
    };
}
