//! What samples are to each other: which are the randoms of which, and which are the same rows.
//!
//! Entry: [`check_randoms`] before they are read, [`same_rows`], [`among`], [`few_randoms`] and [`apart`] behind.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::ends::{COVER, differences};
use crate::error::{Result, SampleError};
use crate::notice::Notice;
use crate::overlap::shares_alone;
use crate::repeated::data_among_randoms;
use crate::sample::Sample;
use crate::source::Source;

/// Whether a role holds the randoms of another one.
fn are_randoms_of(role: &str, data: &str) -> bool {
    match role {
        "randoms" | "shifted randoms" => data == "data",
        "cross randoms" | "cross shifted randoms" => data == "cross",
        _ => false,
    }
}

/// What two samples are to each other, each pair of them once.
fn pairs<T>(all: &[T]) -> impl Iterator<Item = (&T, &T)> {
    all.iter()
        .enumerate()
        .flat_map(|(k, first)| all[k + 1..].iter().map(move |second| (first, second)))
}

/// Each sample of data with its randoms.
fn with_randoms(samples: &[Sample]) -> impl Iterator<Item = (&Sample, &Sample)> {
    pairs(samples).filter(|(data, randoms)| are_randoms_of(&randoms.role, &data.role))
}

/// Refuses rows of a file that are given as their own randoms.
pub(crate) fn check_randoms(sources: &[Source]) -> Result<()> {
    let own = pairs(sources).filter(|(a, b)| are_randoms_of(&b.role, &a.role));
    for (data, randoms) in own.filter(|(a, b)| a.selection.is_same_rows(&b.selection)) {
        let of_randoms: HashSet<PathBuf> = randoms.places().collect();
        let shared = data.places().position(|place| of_randoms.contains(&place));
        if let Some(k) = shared {
            return Err(SampleError::Call(format!(
                "{} and {} hold the same rows of {}: name other randoms, or another part of the file by --randoms-where or --randoms-rows",
                data.role,
                randoms.role,
                data.paths[k].display()
            )));
        }
    }
    Ok(())
}

/// Samples that are the same rows, where these are paired with themselves: within a group there are no pairs.
pub(crate) fn same_rows(samples: &[Sample]) -> Vec<Notice> {
    let in_groups = |a: &Sample, b: &Sample| a.groups.is_some() && a.groups == b.groups;
    let same = |a: &Sample, b: &Sample| a.particles.points() == b.particles.points();
    let same = pairs(samples).filter(|(a, b)| !in_groups(a, b) && same(a, b));
    same.map(|(first, second)| {
        Notice::warning(format!(
            "{} and {} are the same rows ({}, {}): {}",
            first.role,
            second.role,
            first.path.display(),
            second.path.display(),
            if are_randoms_of(&second.role, &first.role) {
                "such an estimate means nothing"
            } else {
                "each point is also paired with itself"
            }
        ))
    })
    .collect()
}

/// Data that are among their randoms, but not all of these.
pub(crate) fn among(samples: &[Sample]) -> Vec<Notice> {
    let are_same = |(data, randoms): &(&Sample, &Sample)| {
        data.particles.points() == randoms.particles.points()
    };
    let others = with_randoms(samples).filter(|both| !are_same(both));
    others
        .filter_map(|(data, randoms)| data_among_randoms(data, randoms))
        .collect()
}

/// How far the shares of the data in each region may be from those of the randoms, in all: clusters, and regions of few data, make some of it.
const ELSEWHERE: f64 = 0.2;

/// Data that lie in other regions than their randoms.
pub(crate) fn in_other_regions(samples: &[Sample]) -> Vec<Notice> {
    let found = with_randoms(samples).filter_map(|(data, randoms)| {
        let [of_data, of_randoms] = [data.shares_of_regions()?, randoms.shares_of_regions()?];
        let both = || of_data.iter().zip(&of_randoms);
        let apart = both().map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0;
        #[allow(clippy::cast_precision_loss, reason = "numbers of regions and of rows")]
        let scatter = (of_data.len() as f64 / data.particles.len() as f64).sqrt();
        if apart < ELSEWHERE + scatter {
            return None;
        }
        let by_difference = |a: &(f64, f64), b: &(f64, f64)| (a.0 - a.1).abs().total_cmp(&(b.0 - b.1).abs());
        let (region, shares) = both()
            .map(|(a, b)| (*a, *b))
            .enumerate()
            .max_by(|a, b| by_difference(&a.1, &b.1))?;
        Some(Notice::warning(format!(
            "{:.0} % of the {}, but {:.0} % of the {} lie in region {region}: are the regions of both cut alike?",
            100.0 * shares.0,
            data.role,
            100.0 * shares.1,
            randoms.role
        )))
    });
    found.collect()
}

/// Randoms that are fewer than their data.
pub(crate) fn few_randoms(samples: &[Sample]) -> Vec<Notice> {
    let few = with_randoms(samples)
        .filter(|(data, randoms)| randoms.particles.len() < data.particles.len());
    few.map(|(data, randoms)| Notice::warning(format!(
        "{}: {} rows, fewer than the {} of {}: are the two swapped? Randoms should be many times as many",
        randoms.role,
        randoms.particles.len(),
        data.particles.len(),
        data.role
    )))
    .collect()
}

/// The least share of data, and of randoms, that is worth saying to lie where the other have nothing: where the other are many, and where so few
/// of them as [`FEW`] may leave parts of the same volume empty.
const ALONE: [[f64; 2]; 2] = [[0.02, 0.1], [0.1, 0.35]];
const FEW: [usize; 2] = [2000, 5000];

/// Data and randoms that do not cover the same volume, or not alike.
pub(crate) fn apart(samples: &[Sample], on_sky: bool) -> Vec<Notice> {
    let apart = with_randoms(samples).filter_map(|(data, randoms)| {
        let found = alone(data, randoms).or_else(|| {
            let of_data = (data.role.as_str(), &data.particles);
            differences(of_data, (&randoms.role, &randoms.particles), on_sky)
        })?;
        Some(Notice::warning(found))
    });
    apart.collect()
}

/// How much of two samples lies where the other has nothing, if that is worth saying.
fn alone(data: &Sample, randoms: &Sample) -> Option<String> {
    let shares = shares_alone(data.particles.points(), randoms.particles.points())?;
    let others = [randoms, data].map(|sample| sample.particles.len());
    let least = [0, 1].map(|k| ALONE[usize::from(others[k] < FEW[k])][k]);
    if shares[0] < least[0] && shares[1] < least[1] {
        return None;
    }
    let [data, randoms] = [&data.role, &randoms.role];
    let each = [(data, randoms, shares[0]), (randoms, data, shares[1])];
    let each = each.iter().filter(|(.., share)| *share > 0.0);
    let each = each.map(|(of, other, share)| {
        let percent = (100.0 * share).round().max(1.0);
        format!("about {percent} % of the {of} lie where there are no {other}")
    });
    Some(format!("{}: {COVER}", each.collect::<Vec<_>>().join(", ")))
}
