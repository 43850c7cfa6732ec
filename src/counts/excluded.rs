//! How many pairs are no candidates at all, being of one group or listed: what g(r) takes off the pairs that it is normalised by.
//!
//! Entry: [`excluded_pairs`].

use std::collections::HashMap;

use crate::pairs::Pairs;
use crate::particles::{Particles, pairs_within};
use crate::tally::Cut;

/// The number of pairs, each once, that cuts by groups and lists hold, however far apart their points are; other cuts have no part in it.
///
/// ```
/// use albireo::counts::excluded_pairs;
/// use albireo::tally::Cut;
/// use albireo::{Groups, Pairs, Particles, Points};
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
    grouped + listed_besides(pairs, cuts, by_group)
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
fn listed_besides(pairs: Pairs<'_>, cuts: &[Cut], by_group: bool) -> u64 {
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
    let counts = |&&[i, j]: &&[u32; 2]| {
        let there = (i as usize) < first.len() && (j as usize) < second.len();
        let (a, b) = (group(first, i), group(second, j));
        let grouped = by_group && a.is_some() && a == b;
        there && !(auto && i == j) && !grouped
    };
    all.iter().filter(counts).count() as u64
}
