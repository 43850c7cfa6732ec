//! The order in which measurements are made: each after those whose files it reads.
//!
//! Entries: [`in_order`], and [`rounds`] for several at a time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::path::{Component, Path, PathBuf};

use anyhow::Result;

use super::Measurement;
use crate::usage::usage;

/// A path without what does not change where it leads.
pub(super) fn plain(path: &str) -> String {
    let parts = Path::new(path).components();
    let parts = parts.filter(|part| *part != Component::CurDir);
    parts.collect::<PathBuf>().display().to_string()
}

/// The numbers of the measurements that write what `input` names, or matches.
pub(super) fn writers<'a>(
    input: &str,
    by_output: &'a HashMap<String, usize>,
) -> Box<dyn Iterator<Item = usize> + 'a> {
    let input = plain(input);
    let is_pattern = input.contains(['*', '?', '[']);
    match glob::Pattern::new(&input).ok().filter(|_| is_pattern) {
        None => Box::new(by_output.get(&input).copied().into_iter()),
        Some(pattern) => {
            let options = glob::MatchOptions {
                require_literal_separator: true,
                ..glob::MatchOptions::default()
            };
            let outputs = by_output.iter();
            let matching = outputs.filter(move |(output, _)| pattern.matches_with(output, options));
            Box::new(matching.map(|(_, k)| *k))
        }
    }
}

/// The numbers of the measurements that write what each one reads.
fn before(measurements: &[Measurement]) -> Vec<Vec<usize>> {
    let mut by_output = HashMap::new();
    for (k, made) in measurements.iter().enumerate() {
        by_output.extend(made.files.outputs.iter().map(|output| (plain(output), k)));
    }
    let before = |made: &Measurement| {
        let inputs = made.files.inputs.iter();
        let mut before: Vec<usize> = inputs.flat_map(|i| writers(i, &by_output)).collect();
        before.sort_unstable();
        before.dedup();
        before
    };
    measurements.iter().map(before).collect()
}

/// The numbers of measurements in order, in rounds: none reads what another one of its round writes.
pub(crate) fn rounds(measurements: &[Measurement]) -> Vec<Vec<usize>> {
    let mut round = vec![0; measurements.len()];
    for (k, before) in before(measurements).into_iter().enumerate() {
        let last = before.into_iter().map(|other| round[other] + 1).max();
        round[k] = last.unwrap_or(0);
    }
    let mut rounds = vec![vec![]; round.iter().max().map_or(0, |last| last + 1)];
    for (k, round) in round.into_iter().enumerate() {
        rounds[round].push(k);
    }
    rounds
}

/// Randoms first, figures and reports last, all else as it stands in the file, as far as files that one writes and another reads allow.
///
/// # Errors
/// Measurements that wait for each other's files.
pub(super) fn in_order(mut measurements: Vec<Measurement>) -> Result<Vec<Measurement>> {
    measurements.sort_by_key(|made| (made.arguments[1] != *"randoms", made.shows_results()));
    let before = before(&measurements);
    let n = measurements.len();
    let mut after = vec![Vec::new(); n];
    for (k, others) in before.iter().enumerate() {
        for &other in others {
            after[other].push(k);
        }
    }
    let mut missing: Vec<usize> = before.iter().map(Vec::len).collect();
    let ready = (0..n).filter(|&k| missing[k] == 0).map(Reverse);
    let mut ready: BinaryHeap<_> = ready.collect();
    let mut order = Vec::with_capacity(n);
    // Of those that are ready the one that stands first.
    while let Some(Reverse(k)) = ready.pop() {
        order.push(k);
        for &other in &after[k] {
            missing[other] -= 1;
            if missing[other] == 0 {
                ready.push(Reverse(other));
            }
        }
    }
    if order.len() < n {
        return Err(circle(&measurements, &before, &order));
    }
    let mut measurements: Vec<_> = measurements.into_iter().map(Some).collect();
    let taken = order.into_iter().filter_map(|k| measurements[k].take());
    Ok(taken.collect())
}

/// The error about measurements of which none can be the first.
fn circle(measurements: &[Measurement], before: &[Vec<usize>], made: &[usize]) -> anyhow::Error {
    let open = |k: &usize| !made.contains(k);
    let waits_for = |k: usize| before[k].iter().copied().find(open).unwrap_or(k);
    // What is open waits for something open, and so at last for what waits for itself.
    let mut first = (0..measurements.len()).find(open).unwrap_or(0);
    let mut passed = vec![];
    while !passed.contains(&first) {
        passed.push(first);
        first = waits_for(first);
    }
    let (first, other) = (&measurements[first], &measurements[waits_for(first)]);
    if first.name == other.name {
        return usage(format!(
            "line {}: [{}] reads a file that it writes",
            first.line, first.name
        ));
    }
    usage(format!(
        "line {}: [{}] needs a file that [{}] writes, which waits for it in turn",
        first.line, first.name, other.name
    ))
}
