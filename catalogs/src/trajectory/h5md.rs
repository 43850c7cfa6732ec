//! HDF5 by the H5MD 1.1 convention: one group of particles, a frame at a time.
//!
//! Entry: [`open`]. de Buyl, Colberg & Höfling 2014, CPC 185, 1546, <https://doi.org/10.1016/j.cpc.2014.01.018>. Images are passed
//! over, velocities and forces too unless they are asked for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::column::share;
use super::h5md_topology::with_topology;
use super::head::Head;
use super::layout::unit_of;
use super::numbered::{ByNumber, Numbered};
use super::{Atoms, Attribute, Cell, Frame, Trajectory, TrajectoryFormat, TrajectoryRequest};
use crate::error::{CatalogError, Result};
use crate::hdf5::array::{Array, Elements, Store};
use crate::value::Value;

/// Elements that say nothing by which particles are chosen.
const PASSED: [&str; 5] = ["position", "box", "image", "velocity", "force"];

/// Vectors of each particle, and the columns of their components.
const VECTORS: [(&str, [&str; 3]); 2] = [
    ("velocity", ["vx", "vy", "vz"]),
    ("force", ["fx", "fy", "fz"]),
];

/// Whether it is HDF5 with a group `h5md`.
pub(super) fn matches(head: &Head<'_>) -> bool {
    is_hdf5(head) && Store::open(head.path).is_ok_and(|store| store.has_group("h5md"))
}

pub(super) fn is_hdf5(head: &Head<'_>) -> bool {
    head.bytes.starts_with(b"\x89HDF\r\n\x1a\n") && !head.gzipped
}

/// Opens the particles' group that is asked for, or the only one.
pub(super) fn open(head: &Head<'_>, request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let path = head.path;
    let store = Store::open(path)?;
    let group = particles(path, &store, request.table.as_deref())?;
    let position = Series::find(&store, &format!("{group}/position"));
    let position = position.ok_or_else(|| {
        CatalogError::corrupt(
            path,
            format!("expected the array `{group}/position/value`, found none"),
        )
    })?;
    let own = position.own_shape().to_vec();
    let ([_, 1..=3], true) = (own.as_slice(), position.values.is_readable()) else {
        let found = format!("an array of particles times 1 to 3 dimensions, found shape {own:?}");
        return Err(store.refuse(&position.values, &found));
    };
    let unit = position.values.unit();
    if let Some(units) = unit.as_deref().filter(|unit| unit.contains(", ")) {
        let found = format!("one unit for all of its components, found {units}");
        return Err(store.refuse(&position.values, &found));
    }
    let frames = position.frames().unwrap_or(1);
    let bounds = Bounds::find(path, &store, &group, frames)?;
    let mut trajectory = H5md {
        path: path.to_owned(),
        unit: unit.map(|unit| unit_of(&unit)),
        steps: Clock::find(&store, &position, "step", frames)?,
        times: Clock::find(&store, &position, "time", frames)?,
        atoms: Arc::new(Atoms::new(own[0] as usize)),
        moving: Vec::new(),
        vectors: Vec::new(),
        store,
        position,
        bounds,
        frames,
    };
    trajectory.find_atoms(&group, own[0])?;
    if request.velocities {
        trajectory.find_vectors(&group);
    }
    Ok(ByNumber::open(head, trajectory))
}

/// The path of the group of particles.
fn particles(path: &Path, store: &Store, asked: Option<&str>) -> Result<String> {
    let (groups, _) = store.members("particles").unwrap_or_default();
    let named = asked.map(|name| name.trim_matches('/').trim_start_matches("particles/"));
    let name = match (named, groups.as_slice()) {
        (Some(name), _) => groups.iter().find(|group| *group == name).ok_or_else(|| {
            CatalogError::UnknownTable {
                path: path.to_owned(),
                table: name.to_owned(),
                available: groups.clone(),
            }
        })?,
        (None, [only]) => only,
        (None, []) => {
            let detail = "expected a group of particles in `particles`, found none";
            return Err(CatalogError::corrupt(path, detail));
        }
        (None, _) => {
            return Err(CatalogError::AmbiguousTable {
                path: path.to_owned(),
                available: groups,
            });
        }
    };
    Ok(format!("particles/{name}"))
}

/// An element of H5MD: values that change from frame to frame, or one array that does not.
struct Series {
    path: String,
    values: Array,
    moving: bool,
}

impl Series {
    fn find(store: &Store, path: &str) -> Option<Self> {
        let (values, moving) = match store.array(path) {
            Some(fixed) => (fixed, false),
            None => (store.array(&format!("{path}/value"))?, true),
        };
        let path = path.to_owned();
        Some(Self {
            path,
            values,
            moving,
        })
    }

    fn frames(&self) -> Option<u64> {
        self.moving
            .then(|| self.values.shape().first().copied().unwrap_or(0))
    }

    /// The shape of one frame.
    fn own_shape(&self) -> &[u64] {
        self.values
            .shape()
            .get(usize::from(self.moving)..)
            .unwrap_or_default()
    }

    fn rows(&self, frame: u64) -> Option<(u64, u64)> {
        self.moving.then_some((frame, frame + 1))
    }
}

/// Steps or times: one a frame, or a first one and an increment.
enum Clock {
    Each(Vec<f64>),
    Every { first: f64, increment: f64 },
}

impl Clock {
    fn find(store: &Store, series: &Series, name: &str, frames: u64) -> Result<Option<Self>> {
        let array = store.array(&format!("{}/{name}", series.path));
        let Some(array) = array.filter(|_| series.moving) else {
            return Ok(None);
        };
        let values = store.reals(&array, None)?;
        if array.shape().is_empty() {
            let increment = values.first().copied().unwrap_or_default();
            let first = match array.attribute("offset") {
                Some(Value::Integer(first)) => first as f64,
                Some(Value::Float(first)) => first,
                _ => 0.0,
            };
            return Ok(Some(Self::Every { first, increment }));
        }
        if values.len() as u64 != frames {
            let found = format!("one of {frames} frames each, found {}", values.len());
            return Err(store.refuse(&array, &found));
        }
        Ok(Some(Self::Each(values)))
    }

    fn at(&self, frame: u64) -> f64 {
        match self {
            Self::Each(values) => values.get(frame as usize).copied().unwrap_or_default(),
            Self::Every { first, increment } => first + increment * frame as f64,
        }
    }
}

/// The box of the particles.
struct Bounds {
    edges: Series,
    periodic: [bool; 3],
    /// Where the box is written at other steps than positions: at which.
    steps: Option<Vec<f64>>,
}

impl Bounds {
    fn find(path: &Path, store: &Store, group: &str, frames: u64) -> Result<Option<Self>> {
        let Some(edges) = Series::find(store, &format!("{group}/box/edges")) else {
            return Ok(None);
        };
        if !matches!(edges.own_shape(), [1..=3] | [1..=3, 1..=3]) || !edges.values.is_readable() {
            let found = format!(
                "edges as 3 lengths or 3 vectors, found shape {:?}",
                edges.own_shape()
            );
            return Err(store.refuse(&edges.values, &found));
        }
        let mut periodic = [true; 3];
        let flags = match store.attributes(&format!("{group}/box")).get("boundary") {
            Some(Value::Texts(flags)) => flags.clone(),
            Some(Value::Text(flag)) => vec![flag.clone(); 3],
            _ => Vec::new(),
        };
        for (periodic, flag) in periodic.iter_mut().zip(&flags) {
            *periodic = match flag.as_str() {
                "periodic" => true,
                "none" => false,
                other => {
                    let detail = format!(
                        "`{group}/box`: expected boundary `periodic` or `none`, found `{other}`"
                    );
                    return Err(CatalogError::corrupt(path, detail));
                }
            };
        }
        let mut steps = None;
        if edges.frames().is_some_and(|count| count != frames) {
            let count = edges.frames().unwrap_or_default();
            let clock = Clock::find(store, &edges, "step", count)?;
            let clock = clock.ok_or_else(|| {
                store.refuse(
                    &edges.values,
                    &format!("the box of {frames} frames, found {count} without steps"),
                )
            })?;
            steps = Some((0..count).map(|frame| clock.at(frame)).collect());
        }
        Ok(Some(Self {
            edges,
            periodic,
            steps,
        }))
    }

    /// The box of a frame; zeros stand for none.
    fn cell(&self, store: &Store, frame: u64, step: Option<f64>) -> Result<Option<Cell>> {
        let refuse = |found: String| {
            store.refuse(
                &self.edges.values,
                &format!("the box of frame {frame}, found {found}"),
            )
        };
        let at = match &self.steps {
            None => frame,
            Some(steps) => {
                let place = step.and_then(|step| steps.iter().position(|&other| other == step));
                place.ok_or_else(|| refuse("none of its step".to_owned()))? as u64
            }
        };
        let values = store.reals(&self.edges.values, self.edges.rows(at))?;
        if values.iter().all(|&value| value == 0.0) {
            return Ok(None);
        }
        // Fewer than three dimensions are closed by vectors of length 1 along which nothing repeats.
        let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let own = self.edges.own_shape();
        let dimensions = own[0] as usize;
        if own.len() == 2 && own[1] != own[0] {
            return Err(refuse(format!(
                "{} vectors of {} components",
                own[0], own[1]
            )));
        }
        for (k, row) in vectors.iter_mut().enumerate().take(dimensions) {
            match own.len() {
                1 => row[k] = values[k],
                _ => row[..dimensions].copy_from_slice(&values[k * dimensions..][..dimensions]),
            }
        }
        let mut periodic = self.periodic;
        periodic[dimensions..].fill(false);
        let cell = Cell::new(vectors).map_err(refuse)?;
        Ok(Some(cell.periodic_along(periodic)))
    }
}

struct H5md {
    path: PathBuf,
    store: Store,
    unit: Option<String>,
    position: Series,
    steps: Option<Clock>,
    times: Option<Clock>,
    bounds: Option<Bounds>,
    /// The particles of the frame before; at first what does not change.
    atoms: Arc<Atoms>,
    /// Columns that change from frame to frame.
    moving: Vec<(String, Series)>,
    /// Velocities and forces, where they are asked for and there is one to each position.
    vectors: Vec<([&'static str; 3], Series)>,
    frames: u64,
}

/// Values as a column.
pub(super) fn attribute_of(elements: Elements) -> Attribute {
    match elements {
        Elements::Reals(values) => Attribute::Numbers(values),
        Elements::Integers(values) => Attribute::Integers(values),
        Elements::Texts(values) => Attribute::of_texts(values),
    }
}

/// Rows of up to three coordinates as x, y and z; the others are 0.
pub(super) fn axes_of(values: &[f64], dimensions: usize) -> [Vec<f64>; 3] {
    let mut axes = [(); 3].map(|()| vec![0.0; values.len() / dimensions.max(1)]);
    for (k, axis) in axes.iter_mut().enumerate().take(dimensions) {
        let column = values.iter().skip(k).step_by(dimensions);
        axis.iter_mut()
            .zip(column)
            .for_each(|(to, from)| *to = *from);
    }
    axes
}

impl H5md {
    fn dimensions(&self) -> usize {
        let shape = self.position.own_shape();
        shape.get(1).map_or(3, |&width| width as usize)
    }

    /// Finds what has one value a particle, and reads what does not change.
    fn find_atoms(&mut self, group: &str, particles: u64) -> Result<()> {
        let (groups, arrays) = self.store.members(group).unwrap_or_default();
        let mut names: Vec<String> = groups.into_iter().chain(arrays).collect();
        names.sort_unstable();
        let mut atoms = Atoms::new(particles as usize);
        for name in names
            .into_iter()
            .filter(|name| !PASSED.contains(&name.as_str()))
        {
            let Some(series) = Series::find(&self.store, &format!("{group}/{name}")) else {
                continue;
            };
            let one_each = series.own_shape() == [particles] && series.values.is_readable();
            if series.frames().is_some_and(|frames| frames == self.frames) && one_each {
                self.moving.push((name, series));
            } else if !series.moving && one_each {
                let values = self.store.elements(&series.values, None)?;
                atoms = atoms.with(&name, attribute_of(values));
            }
        }
        let atoms = with_topology(&self.path, &self.store, group, atoms)?;
        self.atoms = Arc::new(atoms);
        Ok(())
    }

    fn find_vectors(&mut self, group: &str) {
        for (name, columns) in VECTORS {
            let found = Series::find(&self.store, &format!("{group}/{name}"));
            let same = |found: &Series| {
                found.frames() == self.position.frames()
                    && found.own_shape() == self.position.own_shape()
                    && found.values.is_readable()
            };
            self.vectors
                .extend(found.filter(same).map(|of| (columns, of)));
        }
    }

    fn atoms(&mut self, frame: u64) -> Result<Arc<Atoms>> {
        if self.moving.is_empty() && self.vectors.is_empty() {
            return Ok(Arc::clone(&self.atoms));
        }
        let mut atoms = (*self.atoms).clone();
        for (name, series) in &self.moving {
            let values = self.store.elements(&series.values, series.rows(frame))?;
            atoms = atoms.with(name, attribute_of(values));
        }
        for (columns, series) in &self.vectors {
            let values = self.store.reals(&series.values, series.rows(frame))?;
            let axes = axes_of(&values, self.dimensions());
            atoms = atoms.with_vectors(*columns, axes);
        }
        Ok(share(&mut self.atoms, Some(atoms)))
    }
}

impl Numbered for H5md {
    const FORMAT: TrajectoryFormat = TrajectoryFormat::H5md;

    fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn frame(&mut self, number: u64) -> Result<Frame> {
        let (dimensions, rows) = (self.dimensions(), self.position.rows(number));
        let values = self.store.reals(&self.position.values, rows)?;
        let step = self.steps.as_ref().map(|steps| steps.at(number));
        let cell = match &self.bounds {
            Some(bounds) => bounds.cell(&self.store, number, step)?,
            None => None,
        };
        Ok(Frame {
            number,
            step: step.and_then(super::column::whole_number),
            time: self.times.as_ref().map(|times| times.at(number)),
            cell,
            positions: axes_of(&values, dimensions),
            atoms: self.atoms(number)?,
        })
    }
}
