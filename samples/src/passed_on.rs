//! Samples that one process has read and others take over: words in their head, and columns of numbers.
//!
//! Entry: [`Samples::head`] and [`Samples::pass_on`] of the process that has read them, [`Samples::taken_over`] of the others.

#![allow(
    clippy::cast_possible_truncation,
    reason = "a word is taken apart into its halves"
)]

use std::path::PathBuf;

use albireo::particles::{Bits, Column, Groups};
use albireo::regions::Cells;
use albireo::{Axis, Labels, Particles, Points, Weights};
use serde_json::{Map, Value, json};

use crate::bits::BitColumns;
use crate::regions::Cut;
use crate::sample::Sample;
use crate::samples::Samples;
use crate::space::domain_of_record;

/// Integers two by two, as the bits of numbers.
fn packed(integers: &[u32]) -> Column {
    let pairs = integers.chunks(2);
    let word = |pair: &[u32]| {
        let second = pair.get(1).copied().unwrap_or_default();
        f64::from_bits(u64::from(pair[0]) | u64::from(second) << 32)
    };
    pairs.map(word).collect::<Vec<_>>().into()
}

/// The first `n` of integers that were packed.
fn unpacked(column: &Column, n: usize) -> Option<Vec<u32>> {
    let words = column.iter().map(f64::to_bits);
    let halves = words.flat_map(|word| [word as u32, (word >> 32) as u32]);
    let integers: Vec<u32> = halves.take(n).collect();
    (column.len() == n.div_ceil(2) && integers.len() == n).then_some(integers)
}

/// What the head says of a sample: which columns of it follow, and what is no number of a particle.
fn head_of(sample: &Sample) -> Value {
    let particles = &sample.particles;
    let weighted = (0..particles.weight_sets())
        .map(|set| matches!(particles.weights_of_set(set), Weights::PerParticle(_)));
    json!({
        "role": sample.role,
        "path": sample.path.to_string_lossy(),
        "unit": sample.unit,
        "weighted": weighted.collect::<Vec<_>>(),
        "labels": particles.labels().map(Labels::number),
        "columns": particles.columns().len(),
        "grouped": particles.groups().is_some(),
        "words": particles.bits().map(Bits::per_row),
        "bits": sample.bits.as_ref().map(|bits| bits.number),
    })
}

/// All columns of a sample as its head announces them.
struct Taken {
    places: Vec<Column>,
    /// None for a set of unit weights.
    sets: Vec<Option<Column>>,
    labels: Option<Column>,
    groups: Option<Column>,
    words: Option<Column>,
    columns: Vec<Column>,
}

impl Taken {
    /// Takes all columns of a sample, of any type; none where one of them is none.
    fn new(head: &Value, take: &mut dyn FnMut() -> Option<Column>) -> Option<Self> {
        let mut complete = true;
        let mut next = || {
            let column = take();
            complete &= column.is_some();
            column
        };
        let weighted = head["weighted"].as_array().map_or(&[][..], Vec::as_slice);
        let taken = Self {
            places: (0..3).filter_map(|_| next()).collect(),
            sets: (weighted.iter())
                .map(|weighted| (*weighted == true).then(&mut next).flatten())
                .collect(),
            labels: head["labels"].is_u64().then(&mut next).flatten(),
            groups: (head["grouped"] == true).then(&mut next).flatten(),
            words: head["words"].is_u64().then(&mut next).flatten(),
            columns: (0..head["columns"].as_u64().unwrap_or(0))
                .filter_map(|_| next())
                .collect(),
        };
        complete.then_some(taken)
    }

    fn particles(self, head: &Value) -> Option<Particles> {
        let points = Points::from_columns(self.places.try_into().ok()?).ok()?;
        let n = points.len();
        let mut sets = self.sets.into_iter();
        let particles = match sets.next()? {
            None => Particles::new(points),
            Some(weights) => Particles::with_weights(points, weights).ok()?,
        };
        let further = sets.map(|set| set.map_or(Weights::Unit, Weights::PerParticle));
        let mut particles = particles.with_weight_sets(further.collect()).ok()?;
        if let Some(labels) = self.labels {
            let number = u32::try_from(head["labels"].as_u64()?).ok()?;
            let labels = Labels::new(unpacked(&labels, n)?, number).ok()?;
            particles = particles.labelled(labels).ok()?;
        }
        if let Some(groups) = self.groups {
            let groups = Groups::new(unpacked(&groups, n)?);
            particles = particles.grouped(groups).ok()?;
        }
        if let Some(words) = self.words {
            let per_row = usize::try_from(head["words"].as_u64()?).ok()?;
            let words = words.iter().map(f64::to_bits).collect();
            let bits = Bits::new(words, per_row).ok()?;
            particles = particles.with_bits(bits).ok()?;
        }
        particles.with_columns(self.columns).ok()
    }
}

/// A sample of particles that were taken over.
fn sample(head: &Value, record: &Value, particles: Particles) -> Option<Sample> {
    let bits = match (particles.bits(), head["bits"].as_u64()) {
        (Some(bits), Some(number)) => Some(BitColumns {
            bits: bits.clone(),
            number: u32::try_from(number).ok()?,
        }),
        _ => None,
    };
    Some(Sample {
        role: head["role"].as_str()?.to_owned(),
        path: PathBuf::from(head["path"].as_str()?),
        regions: None,
        bits,
        groups: None,
        identities: vec![],
        classes: None,
        record: record.clone(),
        stated_boxes: Vec::new(),
        centred: false,
        shift: None,
        frame: None,
        unit: head["unit"].as_str().map(str::to_owned),
        particles,
    })
}

impl Samples {
    /// What another process has to know of them besides their numbers.
    pub fn head(&self) -> String {
        let cells = self.cells().map(Cells::shape);
        let head = json!({
            "samples": self.all.iter().map(head_of).collect::<Vec<_>>(),
            "unit": self.unit,
            "redshift_space": self.redshift_space,
            "on_sky": self.on_sky,
            "rsd": self.rsd.map(Axis::name),
            "record": self.record,
            "cut": self.regions.is_some(),
            "cells": cells,
        });
        head.to_string()
    }

    /// Gives their numbers to `give`, column by column, and keeps those that it hands back in place of them, where they are the same to
    /// the last bit: a column that it has elsewhere is freed before the next one.
    #[must_use]
    pub fn pass_on(mut self, give: &mut dyn FnMut(&Column) -> Option<Column>) -> Self {
        for sample in &mut self.all {
            let particles = std::mem::take(&mut sample.particles).in_buffers(give);
            if let Some(labels) = particles.labels() {
                give(&packed(labels.values()));
            }
            if let Some(groups) = particles.groups() {
                give(&packed(groups.values()));
            }
            if let Some(bits) = particles.bits() {
                let words = bits.words().iter().map(|&word| f64::from_bits(word));
                give(&words.collect::<Vec<_>>().into());
            }
            for column in particles.columns() {
                give(column);
            }
            sample.particles = particles;
        }
        self
    }

    /// The samples of another process, of their head and of the columns that it gives ([`Samples::pass_on`]), which `take` brings one after the
    /// other: all of them, even where nothing can be made of them.
    pub fn taken_over(head: &str, take: &mut dyn FnMut() -> Option<Column>) -> Option<Self> {
        let head: Value = serde_json::from_str(head).ok()?;
        let heads = head["samples"].as_array()?;
        let taken: Vec<_> = heads.iter().map(|head| Taken::new(head, take)).collect();
        let record: Map<String, Value> = head["record"].as_object()?.clone();
        let domain = domain_of_record(record.get("box")?)?;
        let mut all = Vec::new();
        for (k, (head, taken)) in heads.iter().zip(taken).enumerate() {
            let record = record.get("samples")?.get(k)?;
            all.push(sample(head, record, taken?.particles(head)?)?);
        }
        let shape = |shape: &Vec<Value>| -> Option<[u32; 3]> {
            let number = |k: usize| u32::try_from(shape.get(k)?.as_u64()?).ok();
            Some([number(0)?, number(1)?, number(2)?])
        };
        let cells = match head["cells"].as_array() {
            Some(known) => Some(Cells::new(&domain, shape(known)?).ok()?),
            None => None,
        };
        let regions = (head["cut"] == true).then(|| Cut {
            cells,
            record: record.get("regions").cloned().unwrap_or_default(),
        });
        Some(Self {
            all,
            unit: head["unit"].as_str().map(str::to_owned),
            redshift_space: head["redshift_space"] == true,
            on_sky: head["on_sky"] == true,
            rsd: [Axis::X, Axis::Y, Axis::Z]
                .into_iter()
                .find(|axis| head["rsd"] == axis.name()),
            domain,
            record,
            regions,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::fmt::Write as _;
    use std::path::Path;

    use super::*;
    use crate::{Reading, RegionSpec, Selection, Source};

    /// Rows of positions, angles, weights, bits, molecules and regions, the same ones every time.
    fn written(folder: &Path, name: &str, n: usize) -> PathBuf {
        let mut text = String::from("x,y,z,ra,dec,w,v,bits,molecule,patch\n");
        for k in 0..n {
            let u = |m: usize| (k * m % 1009) as f64 / 1009.0;
            writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{}",
                9.0 * u(31),
                -0.0 + 9.0 * u(57),
                9.0 * u(101),
                360.0 * u(7),
                90.0 * u(11) - 45.0,
                u(13) - 0.25,
                u(17) + 0.1,
                k * 7919,
                k / 3,
                k % 5
            )
            .unwrap();
        }
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// What another process makes of samples: everything, given and taken.
    fn again(samples: &Samples) -> Option<Samples> {
        let mut given = VecDeque::new();
        let own = samples.clone().pass_on(&mut |column| {
            given.push_back(column.clone());
            None
        });
        check(&own, samples);
        let taken = Samples::taken_over(&samples.head(), &mut || given.pop_front());
        assert!(given.is_empty());
        taken
    }

    fn check(found: &Samples, known: &Samples) {
        assert_eq!(found.domain(), known.domain());
        assert_eq!(found.record(), known.record());
        assert_eq!(found.unit(), known.unit());
        assert_eq!(found.cells(), known.cells());
        assert_eq!(found.on_sky(), known.on_sky());
        assert_eq!(found.redshift_space, known.redshift_space);
        assert_eq!(found.regions.is_some(), known.regions.is_some());
        assert_eq!(found.all.len(), known.all.len());
        for (found, known) in found.all.iter().zip(&known.all) {
            assert!(found.particles == known.particles, "{}", known.role);
            let bits = |sample: &Sample| {
                let points = sample.particles.points();
                let columns = points
                    .columns()
                    .map(|x| x.iter().map(f64::to_bits).collect());
                columns as [Vec<u64>; 3]
            };
            assert_eq!(bits(found), bits(known));
            assert_eq!((&found.role, &found.path), (&known.role, &known.path));
            assert_eq!((&found.unit, &found.record), (&known.unit, &known.record));
            let number = |sample: &Sample| sample.bits.as_ref().map(|bits| bits.number);
            assert_eq!(number(found), number(known));
        }
    }

    #[test]
    fn samples_are_the_same_in_another_process() {
        let folder = tempfile::tempdir().unwrap();
        let [data, randoms] = [("d.csv", 61), ("r.csv", 90)];
        let [data, randoms] = [data, randoms].map(|(name, n)| written(folder.path(), name, n));
        let source = |role: &str, path: &PathBuf, selection: &Selection| Source {
            role: role.to_owned(),
            paths: vec![path.clone()],
            selection: selection.clone(),
        };
        let weighted = Selection {
            weight: Some("w".to_owned()),
            further_weights: vec![None, Some("v".to_owned())],
            columns: vec!["w*v".to_owned(), "v".to_owned()],
            signed: true,
            ..Selection::default()
        };
        let sky = Selection {
            sky: Some(vec!["ra".to_owned(), "dec".to_owned()]),
            bits: Some(vec!["bits".to_owned()]),
            group: Some("molecule".to_owned()),
            ..Selection::default()
        };
        let place = Selection {
            positions: Some(["x", "y", "z"].map(str::to_owned).to_vec()),
            ..weighted
        };
        let boxed = |text: &str| Reading {
            space: Some(text.parse().unwrap()),
            outside: albireo::Outside::Wrap,
            unit: Some("nm".to_owned()),
            ..Reading::default()
        };
        let readings = [
            (boxed("10,none,9.5"), &place),
            (boxed("10,0,0,2,10,0,1,-1,10"), &place),
            (
                Reading {
                    regions: Some(RegionSpec::Cells(2)),
                    ..boxed("10")
                },
                &place,
            ),
            (
                Reading {
                    angular: true,
                    regions: Some(RegionSpec::Column("patch".to_owned())),
                    ..Reading::default()
                },
                &sky,
            ),
        ];
        for (reading, selection) in readings {
            let sources = [
                source("data", &data, selection),
                source("randoms", &randoms, selection),
            ];
            let samples = reading.read(&sources, &mut |_| ()).unwrap();
            check(&again(&samples).unwrap(), &samples);
        }
    }

    #[test]
    fn samples_without_all_their_columns_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let source = Source {
            role: "data".to_owned(),
            paths: vec![written(folder.path(), "d.csv", 20)],
            selection: Selection {
                weight: Some("v".to_owned()),
                positions: Some(["x", "y", "z"].map(str::to_owned).to_vec()),
                group: Some("molecule".to_owned()),
                ..Selection::default()
            },
        };
        let samples = Reading::default().read(&[source], &mut |_| ()).unwrap();
        let mut given = Vec::new();
        let _ = samples.clone().pass_on(&mut |column| {
            given.push(column.clone());
            None
        });
        assert_eq!(given.len(), 5);
        for lost in 0..given.len() {
            let taken = |found: fn(&Column) -> Option<Column>| {
                let mut at = 0;
                let samples = Samples::taken_over(&samples.head(), &mut || {
                    at += 1;
                    let column = &given[at - 1];
                    if at - 1 == lost {
                        found(column)
                    } else {
                        Some(column.clone())
                    }
                });
                // All are taken, even if they are not used.
                assert_eq!(at, given.len());
                samples.is_some()
            };
            assert!(taken(|column| Some(column.clone())));
            assert!(!taken(|_| None) && !taken(|column| Some(column.rows(1..column.len()))));
        }
    }
}
