//! How many pairs are no candidates at all, being of one group or listed: what g(r) takes off the pairs that it is normalised by.
//!
//! Entry: [`excluded_pairs`], and [`excluded_by_species`] for each class of pairs apart.

use std::collections::HashMap;

use crate::error::JobError;
use crate::pairs::Pairs;
use crate::particles::{Particles, pairs_within};
use crate::tally::{Cut, unordered_class, unordered_classes};

/// The number of pairs, each once, that cuts by groups and lists hold, however far apart their points are; other cuts have no part in it.
///
/// ```
/// use albireo::counts::excluded_pairs;
/// use albireo::tally::Cut;
/// use albireo::particles::Groups;
/// use albireo::{Pairs, Particles, Points};
/// // Three atoms of one molecule, one of another, and a bond between the two.
/// let atoms = Particles::new(Points::from_rows(&[[0.0; 3]; 4])?).grouped(Groups::new(vec![1, 1, 1, 2]))?;
/// let cuts = [Cut::SameGroup, Cut::listed([[0, 1], [3, 2], [2, 3]])];
/// assert_eq!(excluded_pairs(Pairs::Auto(&atoms), &cuts), 4);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// Particles without groups have no pair in one; listed rows that there are not are no pairs.
pub fn excluded_pairs(pairs: Pairs<'_>, cuts: &[Cut]) -> u64 {
    let by_group = cuts.contains(&Cut::SameGroup);
    let grouped = if by_group { within_groups(pairs) } else { 0 };
    grouped + listed_besides(pairs, cuts, by_group).len() as u64
}

/// As [`excluded_pairs`] within one sample, for each class of unordered pairs of its labels: (0,0), (0,1), .., (1,1), ..
///
/// ```
/// use albireo::counts::excluded_by_species;
/// use albireo::tally::Cut;
/// use albireo::particles::Groups;
/// use albireo::{Labels, Particles, Points};
/// // Two waters, oxygen (0) and hydrogens (1).
/// let atoms = Particles::new(Points::from_rows(&[[0.0; 3]; 6])?);
/// let atoms = atoms.labelled(Labels::new(vec![0, 1, 1, 0, 1, 1], 2)?)?.grouped(Groups::new(vec![7, 7, 7, 9, 9, 9]))?;
/// assert_eq!(excluded_by_species(&atoms, &[Cut::SameGroup])?, [0, 4, 2]);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// A sample without labels.
pub fn excluded_by_species(sample: &Particles, cuts: &[Cut]) -> Result<Vec<u64>, JobError> {
    let labels = sample.labels().ok_or(JobError::NoLabels)?;
    let n = labels.number() as usize;
    let class = |a: u32, b: u32| unordered_class(n, [a as usize, b as usize]);
    let mut excluded = vec![0; unordered_classes(n)];
    let by_group = cuts.contains(&Cut::SameGroup);
    if by_group {
        let mut members: Vec<[u32; 2]> = sample
            .groups()
            .map_or(&[][..], |groups| groups.values())
            .iter()
            .zip(labels.values())
            .map(|(&group, &label)| [group, label])
            .collect();
        members.sort_unstable();
        for group in members.chunk_by(|a, b| a[0] == b[0]) {
            let species: Vec<(u32, u64)> = group
                .chunk_by(|a, b| a == b)
                .map(|same| (same[0][1], same.len() as u64))
                .collect();
            for (k, &(a, number)) in species.iter().enumerate() {
                excluded[class(a, a)] += pairs_within(number);
                for &(b, others) in &species[k + 1..] {
                    excluded[class(a, b)] += number * others;
                }
            }
        }
    }
    for [i, j] in listed_besides(Pairs::Auto(sample), cuts, by_group) {
        let [a, b] = [i, j].map(|row| labels.values()[row as usize]);
        excluded[class(a, b)] += 1;
    }
    Ok(excluded)
}

fn sizes(sample: &Particles) -> HashMap<u32, u64> {
    let mut sizes = HashMap::new();
    let groups = sample.groups().map_or(&[][..], |groups| groups.values());
    for &group in groups {
        *sizes.entry(group).or_insert(0) += 1;
    }
    sizes
}

fn within_groups(pairs: Pairs<'_>) -> u64 {
    match pairs {
        Pairs::Auto(sample) => sizes(sample).into_values().map(pairs_within).sum(),
        Pairs::Cross(first, second) => {
            let others = sizes(second);
            let pairs = sizes(first).into_iter();
            pairs
                .map(|(group, n)| n * others.get(&group).copied().unwrap_or(0))
                .sum()
        }
    }
}

/// The listed pairs, each once, but for those within a group where these are dropped anyway.
fn listed_besides(pairs: Pairs<'_>, cuts: &[Cut], by_group: bool) -> Vec<[u32; 2]> {
    let (first, second) = pairs.both();
    let auto = matches!(pairs, Pairs::Auto(_));
    let listed = cuts.iter().filter_map(|cut| match cut {
        Cut::Listed(list) => Some(list.iter()),
        _ => None,
    });
    let once = |&[i, j]: &[u32; 2]| if auto && j < i { [j, i] } else { [i, j] };
    let mut all: Vec<[u32; 2]> = listed.flatten().map(once).collect();
    all.sort_unstable();
    all.dedup();
    let group = |sample: &Particles, row: u32| {
        let groups = sample.groups()?;
        groups.values().get(row as usize).copied()
    };
    let counts = |&[i, j]: &[u32; 2]| {
        let there = (i as usize) < first.len() && (j as usize) < second.len();
        let (a, b) = (group(first, i), group(second, j));
        let grouped = by_group && a.is_some() && a == b;
        there && !(auto && i == j) && !grouped
    };
    all.retain(counts);
    all
}
