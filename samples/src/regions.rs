//! Samples cut into the same regions.
//!
//! Entry: [`RegionSpec`], applied by `reading` once the samples lie in their domain. The rules are the library's; here they are made of
//! the randoms where there are any, else of the data, and a region without a particle of some sample is refused.

use albireo::regions::{Cells, Centres, Layers, PixelOrder, Pixels, Regions, Values};
use albireo::{Domain, Labels};
use serde_json::{Value, json};

use crate::error::{Result, SampleError};
use crate::sample::Sample;
use crate::within::Within;

/// How all samples are cut into regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegionSpec {
    /// Compact regions of nearly equal numbers of randoms: of the sky for positions on it, else of space.
    KMeans {
        /// How many.
        number: u32,
        /// What they start from.
        seed: u64,
    },
    /// The `HEALPix` pixels, in ring order, that hold randoms.
    Pixels {
        /// Their resolution.
        nside: u32,
    },
    /// As many equal parts of the periodic box along each axis.
    Cells(u32),
    /// The different integers of a column that all files have.
    Column(String),
    /// Layers of distance from the observer, between quantiles of the data, within each of other regions.
    Layered {
        /// The other regions.
        across: Box<Self>,
        /// How many layers.
        layers: u32,
    },
}

/// The rule that a [`RegionSpec`] became.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one for all samples")]
enum Rule {
    Centres(Centres),
    Pixels(Pixels),
    Cells(Cells),
    Values(Values),
    Layered(Box<Rule>, Layers),
}

/// Regions that all samples have been cut into.
#[derive(Debug, Clone)]
pub(crate) struct Cut {
    pub(crate) cells: Option<Cells>,
    pub(crate) record: Value,
}

/// The sample that regions are made of, by its role.
fn reference(samples: &[Sample]) -> Result<&Sample> {
    let of = |role: &str| samples.iter().find(|sample| sample.role == role);
    let found = of("randoms").or_else(|| of("data")).or(samples.first());
    found.ok_or_else(|| SampleError::missing("data"))
}

impl RegionSpec {
    /// The column that it needs of every file.
    pub(crate) fn column(&self) -> Option<&str> {
        match self {
            Self::Column(name) => Some(name),
            Self::Layered { across, .. } => across.column(),
            _ => None,
        }
    }

    fn rule(&self, samples: &[Sample], domain: &Domain, on_sky: bool) -> Result<Rule> {
        let of = reference(samples)?;
        let points = of.particles.points();
        let rule = match *self {
            Self::Layered { ref across, layers } => {
                let across = Box::new(across.rule(samples, domain, on_sky)?);
                let data = samples.iter().find(|sample| sample.role == "data");
                let data = data.unwrap_or(of);
                let layers = Layers::of(data.particles.points(), layers);
                let layers = layers.within(|| self.place(data))?;
                Ok(Rule::Layered(across, layers))
            }
            Self::KMeans { number, seed } if on_sky => {
                Centres::on_sky(points, number, seed).map(Rule::Centres)
            }
            Self::KMeans { number, seed } => {
                Centres::in_space(points, domain, number, seed).map(Rule::Centres)
            }
            Self::Pixels { nside } => {
                Pixels::holding(points, nside, PixelOrder::Ring).map(Rule::Pixels)
            }
            Self::Cells(n) => Cells::new(domain, [n; 3]).map(Rule::Cells),
            Self::Column(_) => {
                Values::new(of.regions.as_deref().unwrap_or_default()).map(Rule::Values)
            }
        };
        rule.within(|| self.place(of))
    }

    /// What an error about the regions of a sample is about.
    fn place(&self, sample: &Sample) -> String {
        let path = sample.path.display();
        match self {
            Self::Column(name) => format!("{path}: column `{name}`"),
            Self::Layered { .. } => format!("{path}, cut into layers of distance"),
            _ => format!("{path}, cut into regions"),
        }
    }

    fn described(&self, rule: &Rule, on_sky: bool) -> Value {
        match (self, rule) {
            (Self::KMeans { seed, .. }, _) => {
                let space = if on_sky { "on the sky" } else { "in space" };
                json!({"by": format!("k-means {space}"), "seed": seed})
            }
            (_, Rule::Pixels(pixels)) => {
                json!({"by": "HEALPix", "nside": pixels.nside(), "order": pixels.order().name(), "pixels": pixels.numbers()})
            }
            (Self::Column(name), Rule::Values(values)) => {
                json!({"by": "column", "column": name, "values": values.values()})
            }
            (Self::Layered { across, .. }, Rule::Layered(rule, layers)) => {
                let mut record = across.described(rule, on_sky);
                record["layers"] = json!({"number": layers.number(), "between": layers.between(), "made_of": "data"});
                record
            }
            (Self::Cells(n), _) => json!({"by": "cells of the box", "cells_per_axis": n}),
            _ => Value::Null,
        }
    }

    /// Labels the particles of all samples by their regions.
    pub(crate) fn cut(&self, samples: &mut [Sample], domain: &Domain, on_sky: bool) -> Result<Cut> {
        let rule = self.rule(samples, domain, on_sky)?;
        let mut record = self.described(&rule, on_sky);
        let number = rule.number();
        if let Some(entries) = record.as_object_mut() {
            entries.insert("number".to_owned(), json!(number));
            entries.insert("made_of".to_owned(), json!(reference(samples)?.role));
        }
        for sample in samples {
            let labels = rule.labels(sample).within(|| self.place(sample))?;
            rule.check(sample, &labels)?;
            let particles = std::mem::take(&mut sample.particles);
            sample.particles = particles.labelled(labels)?;
            sample.regions = None;
        }
        let cells = match rule {
            Rule::Cells(cells) => Some(cells),
            _ => None,
        };
        Ok(Cut { cells, record })
    }
}

impl Rule {
    fn number(&self) -> u32 {
        match self {
            Self::Centres(centres) => centres.number(),
            Self::Pixels(pixels) => pixels.number(),
            Self::Cells(cells) => cells.number(),
            Self::Values(values) => values.number(),
            Self::Layered(across, layers) => across.number() * layers.number(),
        }
    }

    fn labels(&self, sample: &Sample) -> Result<Labels, albireo::error::RegionsError> {
        let points = sample.particles.points();
        match self {
            Self::Centres(centres) => centres.labels(points),
            Self::Pixels(pixels) => pixels.labels(points),
            Self::Cells(cells) => cells.labels(points),
            Self::Values(values) => values.labels(sample.regions.as_deref().unwrap_or_default()),
            Self::Layered(across, layers) => layers.within(&across.labels(sample)?, points),
        }
    }

    /// A region as messages name it.
    fn name(&self, region: usize) -> String {
        match self {
            Self::Centres(_) | Self::Cells(_) => format!("region {region} (counting from 0)"),
            Self::Pixels(pixels) => format!("pixel {}", pixels.numbers()[region]),
            Self::Values(values) => format!("region {}", values.values()[region]),
            Self::Layered(across, layers) => {
                let layers = layers.number() as usize;
                let across = across.name(region / layers);
                format!("layer {} (counting from 0) of {across}", region % layers)
            }
        }
    }

    /// Refuses a region in which the sample has no particle.
    fn check(&self, sample: &Sample, labels: &Labels) -> Result<()> {
        let mut seen = vec![false; labels.number() as usize];
        for &label in labels.values() {
            seen[label as usize] = true;
        }
        match seen.iter().position(|seen| !seen) {
            None => Ok(()),
            Some(region) => Err(SampleError::Input(format!(
                "{}: every region must hold particles of every sample: {}, one of {}, holds no {}; take fewer, larger regions",
                sample.path.display(),
                self.name(region),
                labels.number(),
                sample.role
            ))),
        }
    }
}
