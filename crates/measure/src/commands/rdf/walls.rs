//! Open volumes: walls, or random points that stand for them.
//!
//! Entry: [`WallFlags`], and [`Suits`], which refuses frames that do not suit them.

use std::path::Path;
use std::str::FromStr;

use albireo::counts::count_prepared;
use albireo::engine::PreparedJob;
use albireo::{Axis, Bins, CountSpec, Counts, Domain, Outside, PairJob, Pairs, Particles, Points};
use albireo_catalogs::Stop;
use albireo_fluids::frames::FrameJob;
use albireo_fluids::{Space, Walls};
use albireo_samples::{BoxSpec, Reading, Selection, Source, far_walls, small_volume};
use anyhow::{Context, Result, bail};
use clap::Args;

use super::bins;
use super::check_reach;
use super::flags::Plane;
use crate::engine::Engines;
use crate::group;
use crate::inputs::say;
use crate::paths::ReadFile;

/// Walls as the command line has them.
#[derive(Debug, Clone)]
pub(super) struct WallsSpec {
    pub(super) text: String,
    pub(super) walls: Walls,
}

const SHAPES: &str = "slab:AXIS,LO,HI, box:XLO,XHI,YLO,YHI,ZLO,ZHI (none,none for an axis without walls), cylinder:AXIS,A,B,RADIUS or cylinder:AXIS,A,B,RADIUS,LO,HI, sphere:X,Y,Z,RADIUS";

fn axis(name: &str) -> Result<Axis, String> {
    let found = Axis::ALL.into_iter().find(|axis| axis.name() == name);
    found.ok_or_else(|| format!("expected an axis, x, y or z, found `{name}`"))
}

/// A number, or none.
fn place(text: &str) -> Result<Option<f64>, String> {
    if text == "none" {
        return Ok(None);
    }
    let number = text.parse().map(Some);
    number.map_err(|_| format!("expected a number, found `{text}`"))
}

fn planes(lo: &str, hi: &str) -> Result<Option<[f64; 2]>, String> {
    match (place(lo)?, place(hi)?) {
        (Some(lo), Some(hi)) => Ok(Some([lo, hi])),
        (None, None) => Ok(None),
        _ => Err(format!("an axis has two walls or none, found `{lo},{hi}`")),
    }
}

fn number(text: &str) -> Result<f64, String> {
    place(text)?.ok_or_else(|| "expected a number, found `none`".to_owned())
}

impl FromStr for WallsSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (shape, rest) = text.split_once(':').unwrap_or((text, ""));
        let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
        let walls = match (shape, &parts[..]) {
            ("slab", &[of, lo, hi]) => {
                let mut all = [None; 3];
                all[axis(of)?.index()] = Some([number(lo)?, number(hi)?]);
                Walls::block(all)
            }
            ("box", &[a, b, c, d, e, f]) => {
                Walls::block([planes(a, b)?, planes(c, d)?, planes(e, f)?])
            }
            ("cylinder", &[of, a, b, radius]) => {
                let centre = [number(a)?, number(b)?];
                Walls::cylinder(axis(of)?, centre, number(radius)?, None)
            }
            ("cylinder", &[of, a, b, radius, lo, hi]) => {
                let centre = [number(a)?, number(b)?];
                Walls::cylinder(axis(of)?, centre, number(radius)?, planes(lo, hi)?)
            }
            ("sphere", &[x, y, z, radius]) => {
                Walls::sphere([number(x)?, number(y)?, number(z)?], number(radius)?)
            }
            _ => return Err(format!("expected {SHAPES}, found `{text}`")),
        };
        Ok(Self {
            text: text.to_owned(),
            walls: walls.map_err(|error| error.to_string())?,
        })
    }
}

/// What stands for the walls of an open volume.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::VOLUMES)]
pub(super) struct WallFlags {
    /// Walls that contain the particles: slab:AXIS,LO,HI, box:.., cylinder:.. or sphere:..
    ///
    /// box:XLO,XHI,YLO,YHI,ZLO,ZHI (none,none where there are none), cylinder:AXIS,A,B,RADIUS (then ,LO,HI where it ends) about a line at A and B
    /// on the other axes, or sphere:X,Y,Z,RADIUS. RR is then known: a gas between walls has g = 1.
    #[arg(long, value_name = "SHAPE", allow_hyphen_values = true, conflicts_with_all = ["volume", "beyond_half"])]
    pub(super) walls: Option<WallsSpec>,
    /// Random points that fill the volume of the particles, whose pairs are counted as RR
    ///
    /// For volumes of any shape, in the same box in all frames: g = DD/RR.
    #[arg(long, value_name = "FILE", conflicts_with = "walls")]
    pub(super) randoms: Option<ReadFile>,
}

impl WallFlags {
    /// Whether there is one of them.
    pub(super) fn given(&self) -> bool {
        self.walls.is_some() || self.randoms.is_some()
    }
}

/// What every frame must suit.
#[derive(Debug, Clone)]
pub(super) struct Suits {
    /// Whether bins may reach beyond half the box.
    pub(super) beyond_half: bool,
    pub(super) walls: Option<Walls>,
    /// The box that all frames have.
    pub(super) domain: Option<Domain>,
}

impl Suits {
    /// Refuses a frame whose box or particles do not suit bins, walls or random points.
    pub(super) fn check(&self, bins: &Bins, job: &FrameJob) -> Result<()> {
        check_reach(bins, &job.domain, self.beyond_half)?;
        if let Some(walls) = &self.walls {
            check_within(walls, &job.particles, &job.domain)?;
        }
        match &self.domain {
            Some(domain) if *domain != job.domain => {
                bail!("--randoms fill one box, but the box of this frame is another")
            }
            _ => Ok(()),
        }
    }
}

/// Says that walls or a volume do not suit the particles, as those in another unit do not.
pub(super) fn say_other_sizes(
    particles: &str,
    points: &Points,
    (walls, volume): (Option<&WallsSpec>, Option<f64>),
) {
    let far = walls.and_then(|spec| far_walls(particles, points, spec.walls.lengths()));
    let small = volume.and_then(|volume| small_volume(particles, points, volume));
    far.iter().chain(&small).for_each(say);
}

/// Refuses particles outside of walls.
pub(super) fn check_within(walls: &Walls, particles: &Particles, domain: &Domain) -> Result<()> {
    match walls.first_outside(particles.points(), domain) {
        None => Ok(()),
        Some(row) => {
            let [x, y, z] = particles.points().at(row);
            bail!("--walls: the particle at ({x}, {y}, {z}) is outside of them")
        }
    }
}

/// Points of a file, placed where the particles are.
fn random_points(
    path: &Path,
    selection: &Selection,
    domain: &Domain,
    plane: Option<Plane>,
    (unit, stop): (Option<&str>, Stop),
) -> Result<Particles> {
    let source = Source {
        role: "randoms".to_owned(),
        paths: vec![path.to_owned()],
        selection: Selection {
            positions: selection.positions.clone(),
            ..Selection::default()
        },
    };
    let reading = Reading {
        space: Some(BoxSpec::Open.into()),
        unit: unit.map(str::to_owned),
        stop,
        ..Reading::default()
    };
    let samples = reading.read(&[source], &mut |notice| say(&notice))?;
    let points = samples.get("randoms")?.points();
    let mut columns = [0, 1, 2].map(|axis: usize| -> Vec<f64> {
        let view = points.view();
        (0..points.len()).map(|row| view.at(row)[axis]).collect()
    });
    if let Some(plane) = plane {
        columns[plane.normal().index()].fill(0.0);
    }
    let [x, y, z] = columns;
    Ok(domain.place(Particles::new(Points::new(x, y, z)?), Outside::Wrap)?)
}

/// What is asked of random points.
#[derive(Clone, Copy)]
pub(super) struct Randoms<'a> {
    pub(super) path: &'a Path,
    pub(super) selection: &'a Selection,
    pub(super) domain: &'a Domain,
    /// The unit of the particles.
    pub(super) unit: Option<&'a str>,
    pub(super) plane: Option<Plane>,
    pub(super) beyond_half: bool,
    pub(super) volume: f64,
}

impl Randoms<'_> {
    /// Counts RR: the space that random points fill, and their number.
    pub(super) fn space(&self, bins: &Bins, engines: &Engines) -> Result<(Space, usize)> {
        let made = || -> Result<_> {
            let points = random_points(
                self.path,
                self.selection,
                self.domain,
                self.plane,
                (self.unit, engines.watch().stop()),
            )?;
            let number = points.len();
            check_reach(bins, self.domain, self.beyond_half)?;
            let mut what = CountSpec::new(bins);
            if self.beyond_half {
                what = what.beyond_half();
            }
            let job = PairJob::new(Pairs::Auto(&points), self.domain)?;
            let engine = engines.for_jobs(&[(job, what.clone())]);
            let bar = engines.watch().bar("RR");
            let prepared = engine.prepare(points, self.domain, &bar)?;
            let job = PreparedJob::auto(&prepared);
            let counted = count_prepared(&*engine, &job, what, &bar);
            drop(bar);
            let rr: Counts = counted?.0;
            if rr.npairs().iter().all(|&n| n == 0) {
                bail!("none of {number} random points are as close together as the bins reach");
            }
            Ok((
                bins::space_of_randoms(bins, &rr, self.volume, self.plane)?,
                number,
            ))
        };
        made().with_context(|| format!("--randoms {}", self.path.display()))
    }
}
