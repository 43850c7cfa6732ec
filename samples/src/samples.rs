//! Samples as commands use them: particles by their roles in a common domain, and the record of how they came about.
//!
//! Entry: [`Samples`]. They are read by `reading`.

use albireo::binning::BinAxis;
use albireo::{Axis, Domain, Labels, LineOfSight, Particles};
use serde_json::{Map, Value};

use crate::error::{Result, SampleError};
use crate::gaps::gaps;
use crate::notice::Notice;
use crate::pillars::empty_pillars;
use crate::regions::Cut;
use crate::roles::in_other_regions;
use crate::sample::Sample;
use crate::sight::seen;
use crate::suspicion::{negative_weights, uneven_weights};

/// Regions, or draws of them, that are too few for an error: it is then uncertain by a third of itself or more.
const FEW_REGIONS: u32 = 6;

/// An axis as the line of sight of positions on the sky.
fn along_axis_of_sky(axis: Axis) -> Notice {
    let meaning = match axis {
        Axis::X => "that to RA 0, Dec 0",
        Axis::Y => "that to RA 90, Dec 0",
        Axis::Z => "that to the pole, Dec 90",
    };
    Notice::warning(format!(
        "--los {}: positions are on the sky, and pairs are seen along one axis, {meaning}: --los midpoint, or no --los, is from the observer",
        axis.name()
    ))
}

/// Samples in a common domain.
#[derive(Debug, Clone)]
pub struct Samples {
    pub(crate) all: Vec<Sample>,
    pub(crate) domain: Domain,
    pub(crate) unit: Option<String>,
    pub(crate) redshift_space: bool,
    pub(crate) on_sky: bool,
    /// The axis along which positions are in redshift space.
    pub(crate) rsd: Option<Axis>,
    pub(crate) record: Map<String, Value>,
    pub(crate) regions: Option<Cut>,
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

    /// The names of the classes of the first sample, and of the second one where there is one; none where there are no classes.
    pub fn class_names(&self) -> Option<Vec<Vec<String>>> {
        let families = self.record.get("classes")?.as_array()?;
        let name = |name: &Value| name.as_str().map(str::to_owned);
        let names = |family: &Value| family["names"].as_array()?.iter().map(name).collect();
        families.iter().map(names).collect()
    }

    /// The sample of a role, if it was read.
    pub fn find(&self, role: &str) -> Option<&Particles> {
        let sample = self.all.iter().find(|sample| sample.role == role);
        sample.map(|sample| &sample.particles)
    }

    /// The sample of a role that there must be.
    ///
    /// # Errors
    /// [`SampleError::Input`] where there is none.
    pub fn get(&self, role: &str) -> Result<&Particles> {
        self.find(role).ok_or_else(|| SampleError::missing(role))
    }

    /// How many rows each file of a role has in it, one after another; none for a role without a sample.
    pub fn rows_of_files(&self, role: &str) -> Vec<usize> {
        let samples = self.all.iter().filter(|sample| sample.role == role);
        let files = samples.flat_map(|sample| match sample.record["files"].as_array() {
            Some(files) => files.as_slice(),
            None => std::slice::from_ref(&sample.record),
        });
        let rows = files.filter_map(|file| file["rows_used"].as_u64());
        rows.filter_map(|rows| usize::try_from(rows).ok()).collect()
    }

    /// What looks wrong about them for an estimate: marks of missing weights, weights that a few rows have nearly all of, and parts of a box that are empty where random pairs are known as of
    /// all of it.
    pub fn suspicions(&self, known_randoms: bool) -> Vec<Notice> {
        let negative = |sample: &Sample| {
            negative_weights(&sample.role, &sample.path, sample.particles.weights())
        };
        let uneven =
            |sample: &Sample| uneven_weights(&sample.role, &sample.path, &sample.particles);
        let mut found: Vec<Notice> = self.all.iter().filter_map(negative).collect();
        found.extend(self.all.iter().filter_map(uneven));
        if known_randoms {
            let empty = |sample| {
                let gaps = gaps(sample, &self.domain);
                gaps.or_else(|| empty_pillars(sample, &self.domain))
            };
            found.extend(self.all.iter().filter_map(empty));
        }
        found
    }

    /// What looks wrong about errors from their regions, by so many draws of a bootstrap or by a jackknife: too few of them, and data that lie in other
    /// regions than their randoms.
    pub fn doubts_of_regions(&self, draws: Option<u32>) -> Vec<Notice> {
        if self.regions.is_none() {
            return vec![];
        }
        let labels = self.all.iter().find_map(|sample| sample.particles.labels());
        let regions = labels.map(Labels::number);
        let numbers = [(regions, "regions"), (draws, "draws of a bootstrap")];
        let few = numbers.into_iter().filter_map(|(number, what)| {
            let number = number.filter(|number| (2..FEW_REGIONS).contains(number))?;
            let uncertain = 100.0 / (2.0 * f64::from(number - 1)).sqrt();
            Some(Notice::warning(format!(
                "errors from {number} {what} are uncertain by about {uncertain:.0} % of themselves: take more"
            )))
        });
        few.chain(in_other_regions(&self.all)).collect()
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

    /// The samples of realisation `k`: the rows whose bit k is set, and all rows of a sample without bits.
    ///
    /// # Errors
    /// Weights whose magnitudes add up beyond float64, which those of all rows do then as well.
    pub fn of_realisation(&self, k: usize) -> Result<Self> {
        let mut one = self.clone();
        for sample in &mut one.all {
            if sample.bits.take().is_some() {
                sample.particles = sample.particles.of_realisation(k)?;
                sample.record["rows_in_realisation"] = sample.particles.len().into();
            }
        }
        let records = one.all.iter().map(|s| s.record.clone()).collect();
        one.record
            .insert("samples".to_owned(), Value::Array(records));
        Ok(one)
    }

    /// How many bits the columns of bits of a role hold, where it has any.
    pub fn bits(&self, role: &str) -> Option<u32> {
        let sample = self.all.iter().find(|sample| sample.role == role)?;
        Some(sample.bits.as_ref()?.number)
    }

    /// The line of sight of pairs where none is given: that of redshift space or z in a box, the midpoint in open space.
    pub fn line_of_sight(&self) -> LineOfSight {
        if let Some(axis) = self.rsd {
            return LineOfSight::Fixed(axis);
        }
        if self.domain.is_periodic() {
            LineOfSight::Fixed(Axis::Z)
        } else {
            LineOfSight::Midpoint
        }
    }

    /// What looks wrong about the line of sight, where it is given as an axis or not at all.
    pub fn doubts_of_sight(&self, given: Option<LineOfSight>) -> Vec<Notice> {
        match given {
            Some(LineOfSight::Fixed(axis)) if self.on_sky => vec![along_axis_of_sky(axis)],
            None if !self.on_sky && matches!(self.domain, Domain::Open) => {
                self.all.iter().filter_map(seen).take(1).collect()
            }
            _ => vec![],
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
