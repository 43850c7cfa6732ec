//! Counts made elsewhere: what is known of weights alone, and what further sums must satisfy.

use albireo::Counts;
use albireo::counts::{ExactSums, JobId, PairKind, PairTotal};
use albireo::engine::Exactness;
use albireo::error::CountsError;
use albireo::tally::Legendre;

use super::{bins, restored, total};

fn sums(values: [f64; 3]) -> ExactSums {
    ExactSums::from_parts(&[values.to_vec()]).unwrap()
}

#[test]
fn of_weights_alone_their_sums_and_their_total_are_known() {
    let (weights, known) = (sums([2.0, 0.0, 3.0]), (PairKind::Cross, 9.0));
    let counts = Counts::of_weights(bins(), weights, known, JobId(1)).unwrap();
    assert_eq!(counts.values(), [2.0, 0.0, 3.0]);
    assert_eq!(counts.total().normalisation(true), 9.0);
    assert_eq!(counts.total().design_effect, f64::INFINITY);
    assert_eq!(counts.npairs(), [0; 3]);
}

#[test]
fn legendre_sums_are_no_larger_than_the_pairs_of_their_bin() {
    let counts = restored(&[1, 0, 3], None, total(6)).unwrap();
    let with = |values| {
        let counts = counts.clone();
        counts.with_legendre_sums(Legendre::L2, sums(values))
    };
    // Rounding may take them a little beyond.
    let most = 1.0 + 2f64.powi(-46);
    for values in [[1.0, 0.0, -3.0], [-most, 0.0, 3.0 * most]] {
        let found = with(values).unwrap().legendre_sums(Legendre::L2);
        assert_eq!(found, Some(values.to_vec()));
    }
    for weight in [3.001, -3.001] {
        let refused = with([0.0, 0.0, weight]).unwrap_err();
        let (lo, hi) = (-3.0 * most, 3.0 * most);
        let (bin, pairs) = (2, 3);
        let expected = CountsError::Weight {
            bin,
            pairs,
            lo,
            hi,
            weight,
        };
        assert_eq!(refused, expected);
    }
    assert_eq!(with([0.0, 0.5, 0.0]).unwrap_err().bin(), Some(1));
}

#[test]
fn sums_of_expressions_have_names_of_their_own() {
    let counts = restored(&[1, 0, 3], None, total(6)).unwrap();
    let one = counts.with_pair_sum("m", sums([1.5, 0.0, 2.0])).unwrap();
    let both = one.clone().with_pair_sum("n", sums([0.5, 0.0, 7.0]));
    let both = both.unwrap();
    assert_eq!(both.pair_sums().collect::<Vec<_>>(), ["m", "n"]);
    let values = ["m", "n"].map(|name| both.pair_sum(name).unwrap().values());
    assert_eq!(values, [vec![1.5, 0.0, 2.0], vec![0.5, 0.0, 7.0]]);
    let twice = one.with_pair_sum("m", sums([0.0; 3])).unwrap_err();
    assert_eq!(twice, CountsError::NamedTwice("m".to_owned()));
}

#[test]
fn exact_counts_have_no_approximate_regions() {
    let of = |pairs: u64, all: u64| restored(&[pairs, 0, 0], None, total(all)).unwrap();
    let regions = |inner: Counts| [[inner, of(1, 4)], [of(0, 3), of(1, 4)]];
    let rounded = |counts: Counts| counts.with_exactness(Exactness::Approximate);
    assert!(of(2, 9).with_regions(&regions(of(1, 2))).is_ok());
    let refused = of(2, 9).with_regions(&regions(rounded(of(1, 2))));
    assert!(
        matches!(&refused, Err(CountsError::Regions(why)) if why == "some are approximate"),
        "{refused:?}"
    );
    let all = rounded(of(2, 9)).with_regions(&regions(of(1, 2)));
    assert_eq!(all.unwrap().exactness(), Exactness::Approximate);
}

#[test]
fn pairs_in_both_orders_scatter_as_those_that_there_are() {
    let of = |kind| {
        let total = PairTotal::unweighted(kind, 12);
        let counts = Counts::from_parts(bins(), vec![4, 0, 8], None, total, JobId(1));
        counts.unwrap().relative_variance()[0]
    };
    assert_eq!(of(PairKind::AutoUnordered), 0.25);
    assert_eq!(of(PairKind::AutoOrdered), 0.5);
    assert_eq!(of(PairKind::Cross), 0.25);
    let all = total(6).to_string();
    assert_eq!(all, "6 pairs, auto (each pair once), of weight 6.0");
}
