//! All samples of a count, read and placed in their domain.
//!
//! Entry: [`Reading::read`]. One file is read by `sample`, the box found by `space`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use albireo::cosmology::Cosmology;
use albireo::{Axis, Domain, Outside};
use albireo_catalogs::{Attributes, Format, Stop};
use serde_json::{Map, Value, json};

use crate::classes::{self, ClassCut};
use crate::common_unit::CommonUnit;
use crate::error::{Result, SampleError};
use crate::file_functions::Functions;
use crate::given::Given;
use crate::given_box::GivenBox;
use crate::groups;
use crate::identified;
use crate::joining::join;
use crate::memory;
use crate::notice::Notice;
use crate::opened::{Conversion, Opened};
use crate::placing::place;
use crate::regions::RegionSpec;
use crate::repeated::repeated;
use crate::roles;
use crate::sample::Sample;
use crate::samples::Samples;
use crate::snapshots;
use crate::source::{File, Source};
use crate::space::{self, BoxSpec, StatedBox, resolve};
use crate::suspicion;
use crate::units::Unit;

/// How samples are read: what their columns become, and where the positions lie.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Only directions are needed: positions become unit vectors, and there is no box.
    pub angular: bool,
    /// What turns redshifts into distances in Mpc/h, and whose h lengths are converted by.
    pub cosmology: Option<Cosmology>,
    /// The box; without it the one that the files state, else open space.
    pub space: Option<GivenBox>,
    /// What becomes of positions outside the box.
    pub outside: Outside,
    /// The unit of length, which files in another one are converted into, boxes included; a box that is given is in it. Without it that of the
    /// first sample that states one, Mpc/h for redshifts. Positions that state none are taken to be in it.
    pub unit: Option<String>,
    /// What the samples are cut into, for errors from the scatter between regions; particles have no labels without.
    pub regions: Option<RegionSpec>,
    /// What the classes of their objects are, which labels then tell: not together with regions.
    pub classes: Option<ClassCut>,
    /// Whether the files of a snapshot that are given may be some of it.
    pub partial_sets: bool,
    /// The samples that lie in memory, by the names that sources give as their paths.
    pub given: HashMap<PathBuf, Given>,
    /// Columns whose numbers are taken as they are: the unit that the file states is ignored.
    pub ignore_units: Vec<String>,
    /// Whether redshifts above 20, in a column that states no unit, are meant.
    pub plain_redshifts: bool,
    /// The axis of the box along which snapshots are brought to redshift space, by the velocities and the universe that they state; random
    /// points stay where they are.
    pub rsd: Option<Axis>,
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
            classes: None,
            partial_sets: false,
            given: HashMap::new(),
            ignore_units: Vec::new(),
            plain_redshifts: false,
            rsd: None,
            stop: Stop::never(),
        }
    }
}

impl Reading {
    /// Reads the samples and places them in their domain; `tell` hears what was chosen and what looks wrong, as it is found.
    ///
    /// # Errors
    /// [`SampleError`]: columns that are missing, ambiguous or hold what makes no position, files that disagree, positions outside the
    /// box; [`SampleError::is_wrong_call`] where the request itself has no meaning.
    pub fn read(&self, sources: &[Source], tell: &mut dyn FnMut(Notice)) -> Result<Samples> {
        if self.angular && self.has_box() {
            return Err(SampleError::Call(
                "--box has no meaning for angles: --statistic theta sees directions only"
                    .to_owned(),
            ));
        }
        if self.angular && self.rsd.is_some() {
            return Err(SampleError::Call(
                "--rsd has no meaning for angles: it moves positions of a box along an axis"
                    .to_owned(),
            ));
        }
        let suspicion = self.cosmology.as_ref().and_then(suspicion::negative_lambda);
        suspicion.into_iter().for_each(&mut *tell);
        let conversion = self.conversion();
        let mut common = self.common_unit();
        let (opened, counts) = self.open(sources, &conversion, &mut common, tell)?;
        let redshift_space =
            self.rsd.is_some() || opened.iter().any(|o| o.place.is_redshift_space());
        let takes_cosmology = redshift_space || self.takes_h(&opened, &common);
        if self.cosmology.is_some() && !takes_cosmology {
            self.refuse_cosmology(&opened, tell)?;
        }
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
        conversion.functions.say(tell);
        let of_roles = [roles::few_randoms, roles::same_rows, roles::among];
        let suspicions = of_roles.into_iter().flat_map(|of_role| of_role(&samples));
        let suspicions = suspicions.chain(roles::apart(&samples, on_sky));
        let repeated = samples.iter().filter_map(repeated);
        suspicions.chain(repeated).for_each(&mut *tell);
        let (domain, space) = self.domain(&samples, on_sky, &common, tell)?;
        if let Some(axis) = self
            .rsd
            .filter(|axis| space::rows(&domain)[axis.index()].is_none())
        {
            return Err(SampleError::Input(format!(
                "--rsd {}: expected a box that is periodic along this axis, found open space (--box)",
                axis.name()
            )));
        }
        for sample in &mut samples {
            place(&domain, sample, self.outside, tell)?;
        }
        groups::number(&mut samples)?;
        identified::number(&mut samples)?;
        let regions = self.regions.as_ref();
        let regions = regions.map(|spec| spec.cut(&mut samples, &domain, on_sky || self.angular));
        let regions = regions.transpose()?;
        let classes = self.classes.as_ref();
        let classes = classes.map(|cut| classes::label(&mut samples, cut));
        let classes = classes.transpose()?;
        let of_all = common.unit().map(str::to_owned);
        let unit = self.unit.clone().or(of_all);
        let mut record = Map::new();
        let records = samples.iter().map(|s| s.record.clone()).collect();
        record.insert("samples".to_owned(), Value::Array(records));
        record.insert("box".to_owned(), space);
        if let (Some(cosmology), true) = (&self.cosmology, takes_cosmology) {
            record.insert("cosmology".to_owned(), json!(cosmology));
        }
        if let Some(axis) = self.rsd {
            record.insert("rsd".to_owned(), json!(axis.name()));
        }
        if self.partial_sets {
            record.insert("partial_sets".to_owned(), json!(true));
        }
        if let Some(unit) = &unit {
            record.insert("unit".to_owned(), json!(unit));
        }
        if let Some(classes) = classes {
            record.insert("classes".to_owned(), classes);
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
            rsd: self.rsd,
            record,
            regions,
        })
    }

    fn conversion(&self) -> Conversion {
        Conversion {
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
            rsd: self.rsd,
            functions: Functions::new(self.stop.clone()),
            stop: self.stop.clone(),
        }
    }

    /// The unit that all lengths are brought to: none of angles.
    fn common_unit(&self) -> CommonUnit {
        let h = self.cosmology.and_then(|cosmology| cosmology.h());
        let asked = self.unit.as_deref().filter(|_| !self.angular);
        CommonUnit::asked(asked, h)
    }

    /// Opens the files of all samples, and tells how many each sample has.
    fn open(
        &self,
        sources: &[Source],
        conversion: &Conversion,
        common: &mut CommonUnit,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<(Vec<Opened>, Vec<usize>)> {
        let mut opened: Vec<Opened> = Vec::new();
        let mut counts = Vec::new();
        for source in sources {
            let before = opened.len();
            for file in self.files_with_rows(source, tell)? {
                let given = self.given.get(&file.path);
                opened.push(Opened::of(&file, given, conversion, common, &mut *tell)?);
            }
            counts.push(opened.len() - before);
            if !self.partial_sets {
                let of_source: Vec<&Opened> = opened[before..].iter().collect();
                snapshots::check(&of_source)?;
            }
            check_folders(&opened[before..])?;
        }
        Ok((opened, counts))
    }

    /// The files of a source, without those whose header says that they have no rows of the table: they may lack it.
    fn files_with_rows(&self, source: &Source, tell: &mut dyn FnMut(Notice)) -> Result<Vec<File>> {
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
            tell(Notice::rows(&file.role, 0, 0, &file.path));
        }
        Ok(with)
    }

    fn has_box(&self) -> bool {
        self.space.is_some_and(|space| space.spec != BoxSpec::Open)
    }

    /// Refuses a cosmology that no sample has a use for; warns of it where no sample has distances.
    fn refuse_cosmology(&self, opened: &[Opened], tell: &mut dyn FnMut(Notice)) -> Result<()> {
        if self.angular {
            tell(Notice::note(
                "angles need positions on the sky only: --cosmology is not used",
            ));
            return Ok(());
        }
        let columns: Vec<String> = opened.iter().flat_map(|o| o.place.columns()).collect();
        Err(SampleError::Call(format!(
            "--cosmology has no use: it turns redshifts into distances, and the positions come from {}; name the redshifts by --redshift, \
             or leave it out",
            columns.join(", ")
        )))
    }

    /// Whether lengths or the box are converted by the h of the cosmology.
    fn takes_h(&self, opened: &[Opened], common: &CommonUnit) -> bool {
        let parsed = |text: &str| text.parse::<Unit>().ok();
        let of_box = self.space.and_then(|space| space.unit);
        let of_box = of_box.zip(common.unit().and_then(parsed));
        let of_box = of_box.is_some_and(|(own, of_all)| own.differs_by_h(&of_all));
        let known = common.h().is_some() && !self.angular;
        known && (of_box || opened.iter().any(Opened::takes_h))
    }

    /// Whether positions are on the sky: all are then, they lie around the observer, and no periodic box holds them.
    fn on_sky(&self, opened: &[Opened]) -> Result<bool> {
        let Some(sky) = opened.iter().find(|opened| opened.place.is_sky()) else {
            return Ok(false);
        };
        if self.has_box() {
            return Err(SampleError::Call(format!(
                "--box has no meaning for positions on the sky ({} of {}): they lie around the observer, not in a periodic box; leave it out",
                sky.place.columns().join(", "),
                sky.path().display()
            )));
        }
        // Angles alone are as good between directions of positions. Files of one sample have to be alike in more than this.
        let differs = |o: &&Opened| !o.place.is_sky() && o.source.role != sky.source.role;
        let other = opened.iter().find(differs);
        if let (Some(other), false) = (other, self.angular) {
            let named = |one: &Opened| {
                let columns = one.place.columns().join(", ");
                format!("{} ({columns})", one.path().display())
            };
            return Err(SampleError::Input(format!(
                "{} is on the sky, {} has Cartesian positions: samples lie in one space: name --sky and --redshift (--randoms-sky..), or \
                 --positions, of all of them",
                named(sky),
                named(other)
            )));
        }
        Ok(true)
    }

    /// The domain of all samples, with a record of where it comes from.
    fn domain(
        &self,
        samples: &[Sample],
        on_sky: bool,
        common: &CommonUnit,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<(Domain, Value)> {
        if self.angular {
            return resolve(None, &[], tell);
        }
        let mut stated: Vec<&StatedBox> =
            samples.iter().flat_map(|s| s.stated_boxes.iter()).collect();
        if let (true, Some(first)) = (on_sky, stated.first()) {
            if self.space.is_none() {
                tell(Notice::note(format!(
                    "the box is not used ({}): positions on the sky lie around the observer",
                    first.source
                )));
            }
            stated.clear();
        }
        let unit = common.unit();
        let given = self.space.map(|space| space.in_unit(unit, common.h()));
        resolve(given.transpose()?, &stated, tell)
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
fn check_folders(opened: &[Opened]) -> Result<()> {
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
            return Err(SampleError::Input(format!(
                "{}: {found} rows in its partitions, its properties say {expected}",
                first.path().display()
            )));
        }
    }
    Ok(())
}
