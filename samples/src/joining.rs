//! The files of a sample become one.
//!
//! Entry: [`join`]. Each has been read by `sample`; none has been placed in a domain.

use albireo::{Particles, Points, Weights};
use albireo_catalogs::{Attribute, in_short};
use serde_json::{Value, json};

use crate::bits;
use crate::classes::mixed;
use crate::error::{Result, SampleError};
use crate::identities::Identity;
use crate::pair_columns;
use crate::sample::Sample;
use crate::weights::weight_sums;
use crate::within::Within;

/// The sample whose rows are those of the parts, one behind the other.
pub(crate) fn join(mut parts: Vec<Sample>) -> Result<Sample> {
    if parts.len() == 1 {
        return Ok(parts.remove(0));
    }
    check(&parts)?;
    let Some(first) = parts.first() else {
        return Err(SampleError::no_file(""));
    };
    let (role, path) = (first.role.clone(), first.path.clone());
    let unit = parts.iter().find_map(|part| part.unit.clone());
    let frame = parts.iter().find_map(|part| part.frame);
    let rows: usize = parts.iter().map(|part| part.particles.len()).sum();
    let place = || format!("{role}: {} files from {} on", parts.len(), path.display());
    if rows == 0 {
        let rows_read = parts
            .iter()
            .filter_map(|part| part.record["rows_read"].as_u64());
        return Err(SampleError::empty(&path, rows_read.sum()));
    }
    let points = points(&parts, rows).within(place)?;
    let particles = match weights(&parts, rows, 0) {
        None => Particles::new(points),
        Some(weights) => {
            let particles = Particles::weighted(points, weights).within(place)?;
            particles.check_weight_sums().within(place)?;
            particles
        }
    };
    let particles = particles
        .with_weight_sets(further(&parts, rows))
        .within(place)?;
    let all: Vec<&Particles> = parts.iter().map(|part| &part.particles).collect();
    let columns = pair_columns::joined(&all);
    let particles = particles.with_columns(columns).within(place)?;
    for set in 1..particles.weight_sets() {
        let of_set = particles.of_weight_set(set);
        of_set.check_weight_sums().within(place)?;
    }
    let bits = parts.iter().map(|part| (&part.path, part.bits.as_ref()));
    let bits = bits::joined(&bits.collect::<Vec<_>>())?;
    let particles = match &bits {
        None => particles,
        Some(columns) => particles.with_bits(columns.bits.clone())?,
    };
    // All parts have the column, or none.
    let regions = parts.iter().map(|part| part.regions.as_deref());
    let regions = regions.collect::<Option<Vec<_>>>().map(|all| all.concat());
    let groups = parts.iter().map(|part| part.groups.as_deref());
    let groups = groups.collect::<Option<Vec<_>>>().map(|all| all.concat());
    let classes = classes(&parts)?;
    let number = parts.iter().map(|part| part.identities.len()).max();
    let identity = |at| Identity::joined(parts.iter().filter_map(|part| part.identities.get(at)));
    let identities = (0..number.unwrap_or(0)).map(identity).collect();
    let moved = parts.iter().map(|part| part.shift.as_ref());
    let moved = moved.collect::<Option<Vec<_>>>();
    let shift = moved.and_then(|all| {
        let (axis, _) = all.first()?;
        let columns = all.iter().flat_map(|(_, column)| column);
        Some((*axis, columns.copied().collect()))
    });
    Ok(Sample {
        shift,
        record: record(&parts, &particles),
        regions,
        bits,
        groups,
        identities,
        classes,
        centred: parts.iter().all(|part| part.centred),
        stated_boxes: parts
            .into_iter()
            .flat_map(|part| part.stated_boxes)
            .collect(),
        role,
        path,
        particles,
        frame,
        unit,
    })
}

/// Refuses parts whose numbers mean different things.
fn check(parts: &[Sample]) -> Result<()> {
    let first = &parts[0];
    for part in &parts[1..] {
        let meaning = |part: &Sample| {
            part.record["coordinates"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        if meaning(part) != meaning(first) {
            return Err(SampleError::Input(format!(
                "positions of one sample are of different kinds: {} in {}, {} in {}; name the columns that all files have, by --positions or --sky",
                meaning(first),
                first.path.display(),
                meaning(part),
                part.path.display()
            )));
        }
    }
    let mut frames = parts.iter().filter_map(|part| Some((part.frame?, part)));
    if let Some((least, _)) = frames.next()
        && let Some((most, part)) = frames.find(|(frame, _)| *frame != least)
    {
        return Err(SampleError::Input(format!(
            "{}: particles of several frames (column `frame`, {} to {}) would be counted as if they were there at once: choose one, by giving its files alone",
            part.path.display(),
            in_short(least),
            in_short(most)
        )));
    }
    Ok(())
}

fn points(parts: &[Sample], rows: usize) -> Result<Points, albireo::error::ParticlesError> {
    let mut columns = [0; 3].map(|_| Vec::with_capacity(rows));
    for part in parts {
        let points = part.particles.points();
        for (column, of_part) in columns.iter_mut().zip(points.columns()) {
            column.extend(of_part.iter());
        }
    }
    let [x, y, z] = columns;
    Points::new(x, y, z)
}

/// The further sets of weights of all.
fn further(parts: &[Sample], rows: usize) -> Vec<Weights> {
    let sets = parts.iter().map(|part| part.particles.weight_sets()).max();
    let of_set = |set| match weights(parts, rows, set) {
        None => Weights::Unit,
        Some(weights) => Weights::PerParticle(weights.into()),
    };
    (1..sets.unwrap_or(1)).map(of_set).collect()
}

/// The weights of a set of all, where they have any.
fn weights(parts: &[Sample], rows: usize, set: usize) -> Option<Vec<f64>> {
    let mut all = Vec::with_capacity(rows);
    for part in parts.iter().filter(|part| !part.particles.is_empty()) {
        match part.particles.weights_of_set(set) {
            Weights::Unit => all.resize(all.len() + part.particles.len(), 1.0),
            Weights::PerParticle(weights) => all.extend(weights.iter()),
        }
    }
    let named = |part: &Sample| match set.checked_sub(1) {
        None => part.record.get("weight").is_some(),
        Some(at) => !part.record["further_weights"][at]["weight"].is_null(),
    };
    let weighted = parts.iter().any(named);
    weighted.then_some(all)
}

/// The classes of all rows; refuses files without them beside others, and texts beside numbers.
fn classes(parts: &[Sample]) -> Result<Option<Attribute>> {
    let Some(first) = parts.iter().find(|part| part.classes.is_some()) else {
        return Ok(None);
    };
    let column = first.record["classes"].as_str().unwrap_or_default();
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    let (mut of_numbers, mut of_texts) = (None, None);
    for part in parts {
        match &part.classes {
            Some(Attribute::Numbers(values)) => {
                numbers.extend_from_slice(values);
                of_numbers = Some(part);
            }
            Some(Attribute::Texts { texts: own, codes }) => {
                texts.extend(codes.iter().map(|&code| own[code as usize].as_str()));
                of_texts = Some(part);
            }
            _ => {
                return Err(SampleError::Input(format!(
                    "{}: there is no column `{column}` of classes, which other files of the {} have",
                    part.path.display(),
                    part.role
                )));
            }
        }
    }
    match (of_texts, of_numbers) {
        (Some(texts), Some(numbers)) => Err(mixed(column, texts, numbers)),
        (Some(_), None) => Ok(Some(Attribute::of_texts(texts))),
        _ => Ok(Some(Attribute::Numbers(numbers))),
    }
}

/// The record of the whole: sums, what all files share, and the list of the files.
fn record(parts: &[Sample], particles: &Particles) -> Value {
    let sum = |key: &str| -> u64 {
        parts
            .iter()
            .filter_map(|part| part.record[key].as_u64())
            .sum()
    };
    let mut record = json!({
        "role": parts[0].role,
        "rows_read": sum("rows_read"),
        "rows_used": particles.len(),
        "coordinates": parts[0].record["coordinates"],
        "weight_sum": particles.weight_sum(),
    });
    let mut files: Vec<Value> = parts.iter().map(|part| part.record.clone()).collect();
    for file in files.iter_mut().filter_map(Value::as_object_mut) {
        file.remove("role");
        file.remove("coordinates");
        // They are those of the whole.
        for key in [
            "where",
            "weight",
            "further_weights",
            "columns",
            "bits",
            "group",
            "classes",
            "rows",
        ] {
            if let Some(value) = file.remove(key) {
                record[key] = value;
            }
        }
    }
    let (_, sums) = weight_sums(particles);
    let sets = record
        .get_mut("further_weights")
        .and_then(Value::as_array_mut);
    for (set, sum) in sets.into_iter().flatten().zip(sums) {
        set["weight_sum"] = json!(sum);
    }
    record["files"] = Value::Array(files);
    record
}
