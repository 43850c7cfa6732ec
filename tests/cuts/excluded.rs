//! How many pairs cuts by groups and lists hold: those of a double loop.

use albireo::counts::{excluded_by_species, excluded_pairs};
use albireo::error::JobError;
use albireo::tally::Cut;
use albireo::{LineOfSight, Pairs, Particles};

use super::sample;
use crate::random::Random;

/// The pairs that cuts by groups and lists hold, each once, found one by one: by the class of their labels, and all.
fn excluded(pairs: Pairs<'_>, cuts: &[Cut]) -> (Vec<u64>, u64) {
    let (first, second) = pairs.both();
    let auto = matches!(pairs, Pairs::Auto(_));
    let (mut classes, mut all) = (vec![0; 6], 0);
    for i in 0..first.len() {
        for j in if auto { i + 1 } else { 0 }..second.len() {
            let group = |sample: &Particles, row: usize| Some(sample.groups()?.values()[row]);
            let (a, b) = (group(first, i), group(second, j));
            let [i, j] = [i as u32, j as u32];
            let is_held = |cut: &Cut| match cut {
                Cut::SameGroup => a.is_some() && a == b,
                Cut::Listed(list) => list.contains(&[i, j]) || auto && list.contains(&[j, i]),
                _ => false,
            };
            if cuts.iter().any(is_held) {
                let label = |sample: &Particles, row: u32| {
                    sample.labels().map(|labels| labels.values()[row as usize])
                };
                if let (Some(a), Some(b)) = (label(first, i), label(second, j)) {
                    let place = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
                    classes[place[a as usize][b as usize]] += 1;
                }
                all += 1;
            }
        }
    }
    (classes, all)
}

#[test]
fn excluded_pairs_are_those_of_the_double_loop() {
    let mut random = Random(41);
    for turn in 0..40 {
        let drawn = |random: &mut Random| sample(3 + random.below(60), 1.0, random.next());
        let (one, two) = (drawn(&mut random), drawn(&mut random));
        // Without groups, and rows that there are not.
        let bare = Particles::new(one.points().clone());
        let list = (0..30).map(|_| [0; 2].map(|_| random.below(70) as u32));
        let cuts = [
            Cut::SameGroup,
            Cut::listed(list.collect::<Vec<_>>()),
            Cut::listed([[0, 1], [1, 0], [2, 2]]),
            Cut::rp(0.1, 0.5, LineOfSight::Midpoint).unwrap(),
        ];
        let of_turn = cuts.iter().enumerate();
        let cuts: Vec<Cut> = of_turn
            .filter(|(k, _)| turn % 5 == 4 || turn >> k & 1 == 1)
            .map(|(_, cut)| cut.clone())
            .collect();
        for pairs in [
            Pairs::Auto(&one),
            Pairs::Auto(&bare),
            Pairs::Cross(&one, &two),
            Pairs::Cross(&two, &bare),
            Pairs::Cross(&bare, &bare),
        ] {
            assert_eq!(excluded_pairs(pairs, &cuts), excluded(pairs, &cuts).1);
        }
        let (classes, all) = excluded(Pairs::Auto(&one), &cuts);
        assert_eq!(classes.iter().sum::<u64>(), all);
        assert_eq!(excluded_by_species(&one, &cuts), Ok(classes));
        let refused = excluded_by_species(&bare, &cuts);
        assert_eq!(refused, Err(JobError::NoLabels));
    }
}
