//! Counts that do not merge: each setting by which they may differ.

use std::sync::Arc;

use albireo::counts::{Part, count_pairs, count_part, count_regions};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::particles::Groups;
use albireo::random::in_box;
use albireo::tally::{
    Classes, Cut, Exchange, Legendre, Operation, OperationList, PairProgram, PairSum,
};
use albireo::{
    CountSpec, Counts, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs,
    Particles, Points, RBins, SMuBins, SignedEdges,
};

/// By which parts of one number differ.
const UNITS: &str = "how the job was cut into parts: all parts need the same reach of bins, labels and groups, on processors alone or on GPUs of one kind";

/// One for each pair, under this name.
fn ones(name: &str) -> Arc<PairProgram> {
    let mut operations = OperationList::default();
    let sum = PairSum {
        name: name.to_owned(),
        value: operations.push(Operation::constant(1.0)),
        bound: 1.0,
        proven: true,
        exchange: Exchange::Even,
    };
    Arc::new(PairProgram::new(&operations, vec![sum]).unwrap())
}

/// A few weighted particles in two regions.
fn labelled() -> Particles {
    let labels = Labels::new((0..12).map(|row| row % 2).collect(), 2).unwrap();
    let points = in_box(12, 1, [1.0; 3]).unwrap();
    let sample = Particles::weighted(points, vec![0.5; 12]).unwrap();
    sample.labelled(labels).unwrap()
}

fn s_mu() -> SMuBins {
    let (s, mu) = (vec![0.0, 0.45, 0.9], vec![0.0, 1.0]);
    let (s, mu) = (Edges::new(s).unwrap(), SignedEdges::new(mu).unwrap());
    SMuBins::new(s, mu, LineOfSight::Midpoint).unwrap()
}

fn part(pairs: Pairs<'_>, what: CountSpec, part: Part) -> Counts {
    let job = PairJob::new(pairs, &Domain::Open).unwrap();
    count_part(&Naive, &job, part, what, &Silent).unwrap()
}

/// That counts differ from the whole in these settings, and do not merge with it.
fn refuse_to_merge<const N: usize>(whole: &Counts, others: [(Counts, &str); N]) {
    for (other, setting) in others {
        let mut merged = whole.clone();
        let refused = merged.merge(&other).unwrap_err().to_string();
        let expected = format!("counts of different jobs do not merge: they differ in {setting}");
        assert!(refused.starts_with(&expected), "{refused}\n{expected}");
        assert_eq!(merged, *whole, "a refused merge changes nothing");
    }
}

#[test]
fn counts_of_other_sums_do_not_merge() {
    let sample = labelled();
    let pairs = Pairs::Auto(&sample);
    let plain = CountSpec::for_pairs(s_mu(), pairs);
    let of = |make: fn(CountSpec) -> CountSpec| part(pairs, make(plain.clone()), Part::WHOLE);
    let others = [
        (
            of(CountSpec::with_mean_separation),
            "the separations (not summed against summed)",
        ),
        (
            of(CountSpec::with_weighted_separation),
            "the weighted separations (not summed against summed)",
        ),
        (
            of(|what| what.with_program(ones("n"))),
            "the sums of expressions (none against n)",
        ),
        (
            of(|what| what.with_classes(Classes::Species)),
            "the classes of pairs (0 by nothing against 3 by species)",
        ),
        (
            of(|what| what.with_cut(Cut::listed([[0, 1]]))),
            "the pairs that are dropped",
        ),
        (
            of(|what| what.with_legendre([Legendre::L2].into_iter().collect())),
            "the Legendre sums",
        ),
    ];
    refuse_to_merge(&of(|what| what), others);
}

#[test]
fn counts_of_other_pairs_do_not_merge() {
    let sample = labelled();
    let bare = Particles::new(sample.points().clone());
    let of = |pairs, which| part(pairs, CountSpec::for_pairs(s_mu(), pairs), which);
    let whole = of(Pairs::Auto(&sample), Part::WHOLE);
    let half = Part { index: 0, of: 2 };
    let prepared = Naive.prepare(sample.clone(), &Domain::Open, &Silent);
    let prepared = prepared.unwrap();
    let what = CountSpec::for_pairs(s_mu(), Pairs::Auto(&sample));
    let by_region = count_regions(&Naive, &PreparedJob::auto(&prepared), what, &Silent);
    let others = [
        (by_region.unwrap().0, "the number of regions (0 against 2)"),
        (
            of(Pairs::Cross(&sample, &sample), Part::WHOLE),
            "the kind of pairs (auto (each pair once) against cross)",
        ),
        (
            of(Pairs::Auto(&bare), Part::WHOLE),
            "the weights (summed against not summed)",
        ),
        (
            of(Pairs::Auto(&sample), half),
            "the number of parts of the job (1 against 2)",
        ),
    ];
    refuse_to_merge(&whole, others);
}

#[test]
fn parts_of_other_units_do_not_merge() {
    // Some stand close together, where all pairs of near bins are.
    let rows = in_box(20_000, 3, [1.0; 3]).unwrap();
    let rows = (0..20_000).map(|row| {
        let x = rows.at(row);
        if row % 4 == 0 { x.map(|x| 0.02 * x) } else { x }
    });
    let rows: Vec<[f64; 3]> = rows.collect();
    let sample = Particles::new(Points::from_rows(&rows).unwrap());
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let half = |edges: &[f64], index| {
        let bins = RBins::new(Edges::new(edges.to_vec()).unwrap());
        let of_two = Part { index, of: 2 };
        count_part(&Cpu::new(), &job, of_two, bins, &Silent).unwrap()
    };
    // Where bins reach farther, the parts begin elsewhere, also once those bins are left out: a pair would be in both, or in none.
    let farther = half(&[0.0, 0.01, 0.3], 1);
    let farther = farther.slice(&[Some([0.0, 0.01])]).unwrap();
    refuse_to_merge(&half(&[0.0, 0.01], 0), [(farther, UNITS)]);
    // Put together of the same bins, parts are those of the whole again.
    let adjoined = |index| {
        let (near, far) = (half(&[0.0, 0.01], index), half(&[0.01, 0.1], index));
        near.concatenate(&far).unwrap()
    };
    let mut whole = adjoined(1);
    refuse_to_merge(&whole, [(half(&[0.0, 0.01, 0.1], 0), UNITS)]);
    whole.merge(&adjoined(0)).unwrap();
    // Cut apart and put together again, a part is what it was.
    let part = half(&[0.0, 0.01, 0.1], 0);
    let [near, far] = [[0.0, 0.01], [0.01, 0.1]].map(|range| part.slice(&[Some(range)]).unwrap());
    assert_eq!(near.concatenate(&far).unwrap(), part);
    let bins = RBins::new(Edges::new(vec![0.0, 0.01, 0.1]).unwrap());
    let counted = count_pairs(&Cpu::new(), &job, bins, &Silent).unwrap();
    assert_eq!(whole.npairs(), counted.npairs());
}

#[test]
fn parts_of_other_labels_and_groups_do_not_merge() {
    // As many of each number, others among them.
    let of = |first: u32| (0..40).map(|row| (row + first) % 2).collect::<Vec<u32>>();
    let sample = |labels: u32, groups: u32| {
        let points = in_box(40, 1, [1.0; 3]).unwrap();
        let labels = Labels::new(of(labels), 2).unwrap();
        let sample = Particles::new(points).labelled(labels).unwrap();
        sample.grouped(Groups::new(of(groups))).unwrap()
    };
    let [one, of_labels, of_groups] = [sample(0, 0), sample(1, 0), sample(0, 1)];
    let whats = [
        CountSpec::new(s_mu()).with_classes(Classes::Species),
        CountSpec::new(s_mu()).with_classes(Classes::Regions),
        CountSpec::new(s_mu()).with_cut(Cut::SameGroup),
    ];
    for what in whats {
        let count = |sample, part| {
            let job = PairJob::new(Pairs::Cross(&one, sample), &Domain::Open).unwrap();
            count_part(&Cpu::new(), &job, part, what.clone(), &Silent).unwrap()
        };
        let half = |sample, index| count(sample, Part { index, of: 2 });
        let other = if what.cuts().is_empty() {
            &of_labels
        } else {
            &of_groups
        };
        refuse_to_merge(&half(&one, 0), [(half(other, 1), UNITS)]);
        let mut whole = half(&one, 0);
        whole.merge(&half(&one, 1)).unwrap();
        let once = count(&one, Part::WHOLE);
        assert_eq!(whole.npairs(), once.npairs());
    }
}
