//! A file opened, and which of its columns are read as what.
//!
//! Entry: [`Opened::of`], then [`Opened::catalog`]. The particles are made in `sample`, those of columns in memory in `memory`.

use std::path::Path;
use std::sync::Arc;

use albireo::Axis;
use albireo::cosmology::Cosmology;
use albireo_catalogs::{Catalog, CatalogReader, Filter, Request, Stop, TableDescription, in_short};

use crate::columns::{self, Need, Place};
use crate::common_unit::CommonUnit;
use crate::error::{Result, SampleError};
use crate::file_functions::Functions;
use crate::given::Given;
use crate::identities::{Kind, kind};
use crate::notice::Notice;
use crate::rsd::{Moved, Shift};
use crate::snapshot_header::{SnapshotHeader, stated_unit};
use crate::source::File;
use crate::stated_units::{StatedUnits, UnitsOfFile};
use crate::suspicion::times_of_frames;
use crate::units::{Quantity, Unit};
use crate::whole_numbers::whole_type;
use crate::within::Within;

/// How the columns of any file become positions, and whether to go on.
#[derive(Debug, Clone)]
pub(crate) struct Conversion {
    /// Only directions are needed.
    pub(crate) angular: bool,
    pub(crate) cosmology: Option<Cosmology>,
    /// Redshifts are wanted, where there are distances too.
    pub(crate) redshifts: bool,
    /// The column of the region of each row.
    pub(crate) regions: Option<String>,
    /// Columns whose units are ignored.
    pub(crate) ignore_units: Vec<String>,
    /// Whether redshifts beyond all galaxies are meant.
    pub(crate) plain_redshifts: bool,
    /// The axis along which snapshots are brought to redshift space.
    pub(crate) rsd: Option<Axis>,
    /// What reads the files that expressions name.
    pub(crate) functions: Arc<Functions>,
    pub(crate) stop: Stop,
}

/// The refusal of a file that is a trajectory; those of HDF5 and of tables are catalogues too.
pub(crate) fn of_trajectory(path: &Path, stop: &Stop) -> Option<SampleError> {
    let format = albireo_catalogs::trajectory_format(path, stop.clone());
    let format = format.ok()??;
    (!format.is_catalogue()).then(|| SampleError::Input(format!(
        "{}: expected a catalogue, found a trajectory ({format}): `albireo rdf` counts the pairs of its frames (of several files, as a \
         pattern in quotes), `albireo field` takes one of them (--frame N)",
        path.display()
    )))
}

/// Where the rows of a sample are.
enum Rows {
    File(Box<dyn CatalogReader>),
    Memory(Given),
}

/// A file opened, its columns chosen, none of them read.
pub(crate) struct Opened {
    pub(crate) source: File,
    rows: Rows,
    pub(crate) outline: TableDescription,
    pub(crate) place: Place,
    pub(crate) units: StatedUnits,
    /// What brings its positions to redshift space.
    pub(crate) shift: Option<Shift>,
    filter: Option<Filter>,
    functions: Arc<Functions>,
}

impl Opened {
    /// Opens a file, or what is given in its place, and chooses its columns.
    pub(crate) fn of(
        source: &File,
        given: Option<&Given>,
        conversion: &Conversion,
        common: &mut CommonUnit,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Self> {
        let opened = Self::with_columns(source, given, conversion, common, &mut *tell);
        let opened = opened.map_err(|error| match given {
            Some(_) => error,
            None => of_trajectory(&source.path, &conversion.stop).unwrap_or(error),
        })?;
        if let (Some(column), None) = (&source.selection.classes, opened.class()) {
            tell(Notice::note(format!(
                "{}: there is no column `{}`: its objects are of one class",
                source.path.display(),
                column.text
            )));
        }
        Ok(opened)
    }

    fn with_columns(
        source: &File,
        given: Option<&Given>,
        conversion: &Conversion,
        common: &mut CommonUnit,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<Self> {
        let File {
            path, selection, ..
        } = source;
        let filter = selection.filter.as_deref().map(Filter::parse).transpose();
        let filter = filter.within(|| "--where".to_owned())?;
        let (rows, mut outline) = if let Some(given) = given {
            (Rows::Memory(given.clone()), given.outline())
        } else {
            let stop = conversion.stop.clone();
            let mut reader = albireo_catalogs::open_joined(path, &selection.joins, stop)?;
            let outline = reader.outline(selection.table.as_deref())?;
            (Rows::File(reader), outline)
        };
        let need = Need {
            angular: conversion.angular,
            cosmology: conversion.redshifts,
        };
        if let Some(names) = &selection.bits {
            columns::different(selection.flag_of_bits(), names)?;
        }
        let (place, guessed) =
            columns::choose(&outline, selection, need).within(|| path.display().to_string())?;
        if guessed {
            tell(Notice::note(format!(
                "{}: positions from the columns {} ({})",
                path.display(),
                place.columns().join(", "),
                place.meaning()
            )));
        }
        let attributes = outline.attributes.clone();
        let header = SnapshotHeader(&attributes);
        header.name_units(&mut outline);
        let unnamed = place
            .columns()
            .first()
            .is_some_and(|name| header.lacks_unit(name));
        let h = header.h();
        let of_table = stated_lengths(&outline, given);
        let file = UnitsOfFile {
            path,
            outline: &outline,
            ignore: &conversion.ignore_units,
            lengths: of_table.as_deref(),
            h,
        };
        let units = StatedUnits::of(file, &place, common)?;
        units.say(path, tell);
        if let (Some(unit), false) = (units.unit(), conversion.angular) {
            *common = std::mem::take(common).or_of(path, unit);
        }
        if unnamed && !conversion.angular && common.unit().is_none() {
            tell(Notice::note(format!(
                "{}: its header states no unit of length (UnitLength_in_cm): positions and box are as in the file, and --unit names their unit, such as \
                 kpc/h",
                path.display()
            )));
        }
        let moved = Moved {
            path,
            outline: &outline,
            place: &place,
            unit: common.unit(),
            cosmology: conversion.cosmology.as_ref(),
        };
        let axis = conversion.rsd.filter(|_| source.is_moved());
        let shift = axis.map(|axis| Shift::of(moved, axis)).transpose()?;
        if let Some(shift) = &shift {
            tell(shift.notice(path));
        }
        let depth = selection.distance.as_ref().or(selection.redshift.as_ref());
        if let (true, Some(depth)) = (conversion.angular, depth) {
            tell(Notice::note(format!(
                "{}: angles need positions on the sky only: column `{depth}` is not used",
                path.display()
            )));
        }
        if selection.weight.is_none() {
            unused_weights(path, &outline).into_iter().for_each(tell);
        }
        Ok(Self {
            source: source.clone(),
            rows,
            outline,
            place,
            units,
            shift,
            filter,
            functions: Arc::clone(&conversion.functions),
        })
    }

    /// What tells the class of each row, and whether it is a column of texts; none where there is no such column, and need not be.
    pub(crate) fn class(&self) -> Option<(&str, bool)> {
        let wanted = self.source.selection.classes.as_ref()?;
        let of_file = |name: &str| {
            let mut columns = self.outline.columns.iter();
            let column = columns.find(|column| column.name == name);
            column.map(|column| column.dtype.as_str())
        };
        let in_memory = |name: &str| self.memory()?.dtype(name);
        let dtype = |name: &str| in_memory(name).or_else(|| of_file(name));
        let is_there = !wanted.optional || wanted.is_in(&|name| dtype(name).is_some());
        is_there.then(|| (wanted.text.as_str(), dtype(&wanted.text) == Some("string")))
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.source.path
    }

    /// Whether its lengths are converted by an h that it does not state itself.
    pub(crate) fn takes_h(&self) -> bool {
        self.units.takes_h() && SnapshotHeader(&self.outline.attributes).h().is_none()
    }

    /// What its table holds.
    pub(crate) fn outline(&self) -> &TableDescription {
        &self.outline
    }

    /// What it is where it lies in memory.
    pub(crate) fn memory(&self) -> Option<&Given> {
        match &self.rows {
            Rows::File(_) => None,
            Rows::Memory(given) => Some(given),
        }
    }

    /// The column that counts frames, where there is one: of particles, not of objects on the sky.
    pub(crate) fn frame_column(&self) -> Option<String> {
        let is_sky = self.place.is_sky();
        (!is_sky)
            .then(|| columns::frame_like(&self.outline))
            .flatten()
    }

    /// The column that may have the times of frames, where none counts them.
    fn time_column(&self) -> Option<String> {
        let has_none = !self.place.is_sky() && self.frame_column().is_none();
        has_none
            .then(|| columns::time_like(&self.outline))
            .flatten()
    }

    /// What is to be said of the times of the rows that were read.
    pub(crate) fn times(&self, catalog: &Catalog) -> Option<Notice> {
        let column = self.time_column()?;
        let values = catalog.column(&column).ok()?;
        times_of_frames(&self.source.path, (&column, values))
    }

    /// Reads the columns that are needed: positions, weights, regions, and the frame where there is one, which must be one only.
    pub(crate) fn catalog(&mut self, regions: Option<&String>) -> Result<(Catalog, Option<f64>)> {
        let selection = &self.source.selection;
        let frame = self.frame_column();
        let time = self.time_column();
        let mut wanted: Vec<String> = Vec::new();
        let class = self
            .class()
            .map(|(name, is_text)| (name.to_owned(), is_text));
        let of_numbers = class.iter().filter(|(_, is_text)| !is_text);
        let of_numbers: Vec<&String> = of_numbers.map(|(name, _)| name).collect();
        // Integers of 64 bits are read bit by bit: float64 would make one group of two.
        let whole = whole_type(&self.outline, selection);
        let columns = self.place.columns();
        let mut identities: [Vec<&String>; 3] = Default::default();
        for name in &selection.identities {
            let place = match kind(&self.outline, selection, name) {
                Kind::Numbers => 0,
                Kind::Whole(_) => 1,
                Kind::Texts => 2,
            };
            identities[place].push(name);
        }
        let [numbers, whole_numbers, texts_compared] = identities;
        for name in columns
            .iter()
            .chain(&selection.weight)
            .chain(selection.further_weights.iter().flatten())
            .chain(&selection.columns)
            .chain(numbers)
            .chain(selection.group.iter().filter(|_| whole.is_none()))
            .chain(of_numbers)
            .chain(&frame)
            .chain(&time)
            .chain(regions)
            .chain(self.shift.iter().map(|shift| &shift.column))
        {
            if !wanted.contains(name) {
                wanted.push(name.clone());
            }
        }
        let mut request = Request::columns(wanted);
        request.words = selection.bits.clone().unwrap_or_default();
        let groups = selection.group.iter().filter(|_| whole.is_some());
        request.words.extend(groups.cloned());
        // What is read already is not read again.
        let own = |name: &&String| !request.words.contains(name);
        let more: Vec<String> = whole_numbers.into_iter().filter(own).cloned().collect();
        request.words.extend(more);
        let texts = class.iter().filter(|(_, is_text)| *is_text);
        request.texts = texts.map(|(name, _)| name.clone()).collect();
        let own = |name: &&String| !request.texts.contains(name);
        let more: Vec<String> = texts_compared.into_iter().filter(own).cloned().collect();
        request.texts.extend(more);
        request.table.clone_from(&selection.table);
        request.filter = self.filter.take();
        request.rows = selection.rows;
        let functions = Arc::clone(&self.functions);
        request.functions = Some(functions);
        let catalog = match &mut self.rows {
            Rows::File(reader) => reader.read(&request)?,
            Rows::Memory(given) => {
                let mut table = given.memory_table(&self.source.path, None)?;
                table.read(&request)?
            }
        };
        if catalog.rows() == 0 && self.source.alone {
            return Err(SampleError::empty(&self.source.path, catalog.rows_read()));
        }
        let one = |column: &String| {
            let values = catalog.column(column)?.iter().copied();
            let choice = |frame: &str| format!("such as --where '{column} == {frame}'");
            one_frame(values, &self.source, column, choice)
        };
        let of = frame.as_ref().map(one).transpose()?.flatten();
        Ok((catalog, of))
    }
}

/// Columns that weights may be meant by, where none is named.
fn unused_weights(path: &Path, outline: &TableDescription) -> Option<Notice> {
    let path = path.display();
    let text = if let Some((survey, weight)) = columns::weight_of_survey(outline) {
        format!(
            "its columns of weights are not used; those of {survey} would be --weight '{weight}'"
        )
    } else {
        let column = columns::weight_like(outline)?;
        format!("column `{column}` looks like a weight and is not used: --weight {column} uses it")
    };
    Some(Notice::note(format!("{path}: {text}")))
}

/// The frame of all particles, by the values of the column that counts frames. Several are refused, whose particles would be counted as if they
/// were there at once; `choice` says how the one of this number is chosen.
pub(crate) fn one_frame(
    values: impl Iterator<Item = f64> + Clone,
    source: &File,
    column: &str,
    choice: impl Fn(&str) -> String,
) -> Result<Option<f64>> {
    let Some(first) = values.clone().next() else {
        return Ok(None);
    };
    if values.clone().all(|frame| frame == first) {
        return Ok(Some(first));
    }
    let (least, most) = values.fold((first, first), |(least, most), frame| {
        (least.min(frame), most.max(frame))
    });
    let [least, most] = [least, most].map(in_short);
    Err(SampleError::Input(format!(
        "{}: particles of several frames (column `{column}`, {least} to {}) would be counted as if they were there at once: choose one, {}",
        source.path.display(),
        most,
        choice(&least)
    )))
}

/// The unit of length beside the columns of a table, or of what lies in memory.
fn stated_lengths(outline: &TableDescription, given: Option<&Given>) -> Option<String> {
    if let Some(given) = given {
        return given.unit().map(str::to_owned);
    }
    // An attribute such as `unit` may be about anything.
    let is_length = |text: &String| {
        let unit = text.parse::<Unit>().ok();
        unit.is_none_or(|unit| matches!(unit.quantity(), Quantity::Length | Quantity::Reduced))
    };
    stated_unit(&outline.attributes).filter(is_length)
}
