//! What regions are, as tables: the region of every particle, and what each sample weighs without each region.
//!
//! Entry: [`rows`] of `--regions-output`, [`sums`] of `--region-sums`.

use std::borrow::Cow;

use albireo::estimators::Role;
use albireo::exact_sum::ExactSum;
use albireo::{Particles, Weights};
use albireo_catalogs::{ResultKind, Table, TableColumn};
use albireo_samples::Samples;
use anyhow::{Context, Result};

use crate::pair_weights::Weighting;
use crate::record::Record;
use crate::tables::with_unit;

/// The samples by their roles, in the order in which their rows stand.
fn samples(inputs: &Samples) -> impl Iterator<Item = (&'static str, &Particles)> {
    let all = Role::ALL.into_iter().map(Role::name);
    all.filter_map(|role| Some((role, inputs.find(role)?)))
}

/// The weights of a sample, row by row.
fn weights(sample: &Particles) -> Vec<f64> {
    match sample.weights() {
        Weights::Unit => vec![1.0; sample.len()],
        Weights::PerParticle(weights) => weights.iter().collect(),
    }
}

fn labels(sample: &Particles) -> Result<&[u32]> {
    let labels = sample.labels().context("the samples have no regions")?;
    Ok(labels.values())
}

/// Every row of every sample with its region: a catalogue of all of them, from which conditions on `sample` take each.
pub(super) fn rows(inputs: &Samples, record: &Record) -> Result<Table> {
    let (mut sample, mut region) = (Vec::new(), Vec::new());
    let (mut places, mut weight) = ([const { Vec::new() }; 3], Vec::new());
    let mut roles = Vec::new();
    for (k, (role, particles)) in samples(inputs).enumerate() {
        roles.push(format!("{k} {role}"));
        sample.extend(std::iter::repeat_n(k as u64, particles.len()));
        region.extend(labels(particles)?.iter().map(|&label| u64::from(label)));
        weight.extend(weights(particles));
        let view = particles.points().view();
        for row in 0..particles.len() {
            let at = view.at(row);
            places
                .iter_mut()
                .zip(at)
                .for_each(|(column, x)| column.push(x));
        }
    }
    let roles = format!("sample of the row: {}", roles.join(", "));
    let mut columns = vec![TableColumn::integers("sample", roles, sample)];
    for (axis, column) in ["x", "y", "z"].into_iter().zip(places) {
        let column = TableColumn::floats(axis, format!("position along {axis}"), column);
        columns.push(with_unit(column, inputs.unit().map(str::to_owned)));
    }
    columns.push(TableColumn::floats("weight", "weight of the row", weight));
    let described = "region of the row, counting from 0";
    columns.push(TableColumn::integers("region", described, region));
    Ok(record.table(ResultKind::Regions, columns))
}

/// What the particles of each sample weigh that are outside each region, by the inverse probabilities of their bits too, where they have any.
pub(super) fn sums(inputs: &Samples, weighting: &Weighting, record: &Record) -> Result<Table> {
    let mut columns = Vec::new();
    for (role, sample) in samples(inputs) {
        let weighed = weighting.individually(role, sample)?;
        let sums = outside(&weighed)?;
        if columns.is_empty() {
            let region = "region that is left out, counting from 0";
            let numbers = (0..sums.len() as u64).collect();
            columns.push(TableColumn::integers("region", region, numbers));
        }
        let described = match weighed {
            Cow::Borrowed(_) => format!("sum of the weights of {role} outside the region"),
            Cow::Owned(_) => format!(
                "sum of the weights of {role} outside the region, with those of their bits (IIP)"
            ),
        };
        columns.push(TableColumn::floats(
            format!("{}_weight", role.replace(' ', "_")),
            described,
            sums,
        ));
    }
    Ok(record.table(ResultKind::RegionSums, columns))
}

/// The sum of the weights outside each region.
fn outside(sample: &Particles) -> Result<Vec<f64>> {
    let number = sample.labels().map_or(0, albireo::Labels::number) as usize;
    let mut within = vec![ExactSum::default(); number];
    for (&label, weight) in labels(sample)?.iter().zip(weights(sample)) {
        within[label as usize].add(weight);
    }
    let sum_but = |k: usize| {
        let mut rest = ExactSum::default();
        let others = within.iter().enumerate().filter(|(other, _)| *other != k);
        others.for_each(|(_, sum)| rest.add(sum.value()));
        rest.value()
    };
    Ok((0..number).map(sum_but).collect())
}
