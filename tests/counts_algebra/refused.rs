//! Operations on counts that have no meaning.

use albireo::counts::{ExactSums, JobId, PairKind, PairTotal};
use albireo::error::CountsError;
use albireo::tally::Classes;
use albireo::{Counts, Labels, Pairs, Particles};

use super::{LABELS, SIGHTS, Weighing, counted, counted_by, r, rp_pi, sample};
use crate::random::Random;

#[test]
fn counts_with_other_totals_do_not_adjoin() {
    let of_total = |edges: [f64; 2], total| {
        let total = PairTotal::unweighted(PairKind::AutoUnordered, total);
        Counts::from_parts(r(edges.to_vec()), vec![1], None, total, JobId(1)).unwrap()
    };
    let near = of_total([0.0, 1.0], 45);
    assert!(near.concatenate(&of_total([1.0, 2.0], 45)).is_ok());
    let refused = near.concatenate(&of_total([1.0, 2.0], 46)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "it was counted from other particles, or has other totals"
    );
}

#[test]
fn counts_of_other_classes_do_not_adjoin() {
    let mut random = Random(29);
    let [near, far] = [[0.0, 1.0], [1.0, 2.0]].map(|edges| r(edges.to_vec()));
    let one = sample(&mut random, 40, &near, Weighing::Unit);
    let labels = one.labels().unwrap().values().iter();
    let labels = labels.map(|label| (label + 1) % LABELS).collect();
    let other = one.clone();
    let other = other
        .labelled(Labels::new(labels, LABELS).unwrap())
        .unwrap();
    for classes in [Classes::Species, Classes::Regions] {
        let whole = counted_by(classes, Pairs::Auto(&one), &near);
        let following = |sample, classes| counted_by(classes, Pairs::Auto(sample), &far);
        assert!(whole.concatenate(&following(&one, classes)).is_ok());
        let of_others = whole.concatenate(&following(&other, classes));
        assert_eq!(of_others, Err(CountsError::OtherPairs));
        let of_all = whole.concatenate(&following(&one, Classes::One));
        assert!(matches!(of_all, Err(CountsError::Setting { .. })));
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    let mut random = Random(23);
    let bins = r(vec![0.0, 1.0, 2.0, 3.0, 4.0]);
    let next = r(vec![4.0, 5.0]);
    let [one, other] = [Weighing::Alike; 2].map(|w| sample(&mut random, 40, &bins, w));
    let bare = Particles::new(one.points().clone());
    let counts = counted(Pairs::Auto(&one), &bins);
    let signed = |kind, npairs: Vec<u64>| {
        let bins = rp_pi(vec![0.0, 1.0], vec![-1.0, 0.0, 1.0], SIGHTS[0]);
        Counts::from_parts(
            bins,
            npairs,
            None,
            PairTotal::unweighted(kind, 90),
            JobId(1),
        )
        .unwrap()
    };
    let none = Counts::from_parts(
        bins.clone(),
        vec![0; 4],
        None,
        PairTotal::zero(PairKind::Cross),
        JobId(1),
    );
    let pi = |lo: f64, los| {
        counted(
            Pairs::Auto(&one),
            &rp_pi(vec![0.0, 1.0], vec![lo, lo + 1.0], los),
        )
    };
    let refusals: Vec<(Result<Counts, CountsError>, &str)> = vec![
        (
            counts.rebin(&[3]),
            "4 bins in r cannot be put together by 3: a divisor is needed, one of 1, 2, 4",
        ),
        (
            counts.rebin(&[1, 1]),
            "there must be one number of bins for each of the 1 axes, found 2",
        ),
        (
            counts.slice(&[Some([1.5, 1.75])]),
            "no bin in r lies within 1.5 and 1.75: its 4 bins go from 0 to 4",
        ),
        (counts.wrap(), "it has no bins in mu or pi"),
        (
            signed(PairKind::AutoOrdered, vec![3, 4]).wrap(),
            "bin 0 holds an odd number of pairs, where each should stand twice",
        ),
        (
            signed(PairKind::Cross, vec![3, 4]).slice(&[None, Some([0.0, 1.0])]),
            "bins in pi that begin at 0 or above take both signs together, but these pairs have one: keep a bin below 0, or wrap both signs first",
        ),
        (
            pi(-1.0, SIGHTS[0]).concatenate(&pi(0.0, SIGHTS[0])),
            "bins in pi that begin at 0 or above take both signs together, but these pairs have one: keep a bin below 0, or wrap both signs first",
        ),
        (
            pi(1.0, SIGHTS[0]).concatenate(&pi(2.0, SIGHTS[1])),
            "its line of sight is z, not midpoint",
        ),
        (
            counts.concatenate(&counts),
            "its bins differ along 0 axes, where one is needed to go on",
        ),
        (
            counts.concatenate(&counted(Pairs::Auto(&one), &r(vec![4.5, 5.0]))),
            "its bins in r begin at 4.5, those before end at 4",
        ),
        (
            counts.concatenate(&counted(Pairs::Auto(&other), &next)),
            "it was counted from other particles, or has other totals",
        ),
        (
            counts.concatenate(&counted(Pairs::Auto(&bare), &next)),
            "counts of different jobs do not merge: they differ in the weights (summed against not summed)",
        ),
        (
            counts.scale(0.0),
            "weights are multiplied by a number other than 0, found 0",
        ),
        (
            counts.scale(f64::NAN),
            "weights are multiplied by a number other than 0, found NaN",
        ),
        (
            counts.scale(1e307),
            "a weight leaves the range of float64 when it is multiplied by 1e307",
        ),
        (
            counts.renormalise(-1.0),
            "the total weight must be a number above 0, found -1",
        ),
        (
            none.unwrap().renormalise(1.0),
            "all pairs together have no weight to be multiplied",
        ),
    ];
    for (result, words) in refusals {
        assert_eq!(result.unwrap_err().to_string(), words);
    }
}

#[test]
fn totals_leave_no_range() {
    let empty = |weight| {
        let total = PairTotal {
            weight,
            ..PairTotal::unweighted(PairKind::Cross, 7)
        };
        let bins = r(vec![0.0, 1.0, 2.0]);
        let weights = ExactSums::from_parts(&[vec![0.0; 2]]).unwrap();
        Counts::from_parts(bins, vec![0; 2], Some(weights), total, JobId(1)).unwrap()
    };
    let weightless = empty(0.0).scale(2.0).unwrap();
    assert_eq!(weightless.total().weight, 0.0);
    for factor in [1e-300, 1e300] {
        let refused = empty(factor).scale(factor).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!(
                "the total weight leaves the range of float64 when it is multiplied by {factor:e}"
            )
        );
    }
    let refused = empty(1.0).renormalise(0.0).unwrap_err();
    assert_eq!(refused, CountsError::TotalWeight { found: 0.0 });
}
