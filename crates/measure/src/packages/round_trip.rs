//! What lsstypes would write of our counts, read back.

use albireo::counts::{count_pairs, count_regions};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::estimators::{AnyEstimator, Estimator, Jackknife, RegionTerms, Role, TermCounts};
use albireo::{
    Bins, CountSpec, Counts, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs,
    Particles, RBins, RpPiBins, SMuBins, SignedEdges, random,
};
use albireo_catalogs::{ResultKind, Table, Tree};
use serde_json::{Map, Value, json};

use super::measured::{Measured, Origin};
use super::{lsstypes, read};
use crate::counted::Counted;
use crate::record::{Arguments, Record};
use crate::saved::{bins_of, floats, is_unnumbered};
use crate::saved_split::{saved_term, saved_term_by_region};
use crate::scatter::{Method, Scatter};
use crate::tables::correlation_columns;

/// The samples of a role, weighted, in three regions each.
fn sample(role: Role) -> Particles {
    let seed = 1 + Role::ALL.iter().position(|other| *other == role).unwrap() as u64;
    let n = if matches!(role, Role::Data | Role::SecondData) {
        40
    } else {
        70
    };
    let n = n + 3 * usize::try_from(seed).unwrap();
    let points = random::in_box(n, seed, [4.0; 3]).unwrap();
    let stream = random::Stream::new(seed);
    let weights = (0..n as u64).map(|k| stream.uniform(k) + 0.1).collect();
    let labels = (0..n as u32).map(|k| k % 3).collect();
    let sample = Particles::weighted(points, weights).unwrap();
    sample.labelled(Labels::new(labels, 3).unwrap()).unwrap()
}

/// The counts of the terms of an estimator, by region.
fn counted(estimator: &AnyEstimator, bins: &Bins) -> RegionTerms {
    let engine = Cpu::new();
    let count = |[first, second]: [Role; 2]| -> Counts {
        let [one, other] = [first, second].map(sample);
        let pairs = if first == second {
            Pairs::Auto(&one)
        } else {
            Pairs::Cross(&one, &other)
        };
        let what = CountSpec::for_pairs(bins, pairs);
        let prepare = |sample: &Particles| {
            engine
                .prepare(sample.clone(), &Domain::Open, &Silent)
                .unwrap()
        };
        let [a, b] = [prepare(&one), prepare(&other)];
        let job = match pairs {
            Pairs::Auto(_) => PreparedJob::auto(&a),
            Pairs::Cross(..) => PreparedJob::cross(&a, &b).unwrap(),
        };
        let counts = count_regions(&engine, &job, what.clone(), &Silent)
            .unwrap()
            .0;
        let plain = PairJob::new(pairs, &Domain::Open).unwrap();
        assert_eq!(
            counts.npairs(),
            count_pairs(&Naive, &plain, what, &Silent).unwrap().npairs()
        );
        counts
    };
    let terms = estimator.terms(bins.order()).into_iter();
    let counts: Vec<_> = terms.map(|term| (term, count(term.roles()))).collect();
    RegionTerms::new(estimator.clone(), counts, None).unwrap()
}

/// The result of these counts, and the counts by region.
fn tables(terms: &RegionTerms, bins: &Bins) -> (Table, Table) {
    let (counts, axes) = (terms.counts(), bins.axes());
    let xi = terms.estimator().estimate(&counts).unwrap();
    let mut record = Record::begin(&Arguments::default());
    record.set_bins(bins, &axes);
    record.set("estimator", xi.estimator.to_string());
    let of = |(term, _): &(_, _)| {
        let term: albireo::estimators::Term = *term;
        Counted::new(
            term.name,
            counts.get(term).unwrap(),
            None,
            ("made", json!(true)),
        )
    };
    let counted: Vec<Counted> = terms.counted().iter().map(of).collect();
    let records = counted
        .iter()
        .map(|count| (count.name.to_owned(), count.record.clone()));
    record.set("counts", Value::Object(records.collect::<Map<_, _>>()));
    let values = |counts: &TermCounts| Ok(terms.estimator().estimate(counts)?.xi);
    let scatter = Scatter::of(terms, Method::Jackknife(Jackknife::Standard), values).unwrap();
    let regions = scatter.region_counts(&axes, None, &record);
    let columns = correlation_columns(&xi, None, &counted, None);
    (record.table(ResultKind::Correlation, columns), regions)
}

/// The tree as files give it back: texts and numbers alone are arrays of one.
fn as_read(tree: Tree) -> Tree {
    match tree {
        Tree::Text(text) => Tree::Texts(vec![text]),
        Tree::Integer(value) => Tree::Integers(vec![], vec![value]),
        Tree::Group(members) => {
            let kept = members.into_iter().filter(|(name, _)| name != "attrs");
            Tree::Group(kept.map(|(name, tree)| (name, as_read(tree))).collect())
        }
        other => other,
    }
}

fn tree(table: &Table, regions: Option<&Table>) -> Tree {
    let origin = Origin {
        regions: regions.cloned(),
        ..Origin::default()
    };
    as_read(lsstypes::tree(table, &Measured::of(table, &origin).unwrap()).unwrap())
}

fn near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let both = found.is_nan() && expected.is_nan();
        let off = (found - expected).abs() / expected.abs().max(1.0);
        assert!(both || off < 1e-13, "{what}: {found}, {expected}");
    }
}

/// Each kind of bins that lsstypes knows, with the estimators of one sample or two.
fn cases() -> Vec<(Bins, Vec<AnyEstimator>)> {
    let edges = || Edges::linear(0.0, 3.0, 3).unwrap();
    let signed = |end: f64| SignedEdges::linear(-end, end, 4).unwrap();
    let los = LineOfSight::Midpoint;
    let s_mu = SMuBins::new(edges(), signed(1.0), los).unwrap();
    let rp_pi = RpPiBins::new(edges(), signed(2.0), los).unwrap();
    let named = |all: &[Estimator]| all.iter().map(|one| (*one).into()).collect::<Vec<_>>();
    let mut of_r = named(&[
        Estimator::LandySzalay,
        Estimator::LandySzalayCross,
        Estimator::Natural,
        Estimator::DavisPeebles,
        Estimator::Hamilton,
        Estimator::ShiftedRandoms,
    ]);
    of_r.push(AnyEstimator::Formula(
        "(DD - 2*DR + RR)/RR".parse().unwrap(),
    ));
    let signed = named(&[
        Estimator::LandySzalay,
        Estimator::LandySzalayCross,
        Estimator::DavisPeebles,
        Estimator::ShiftedRandomsCross,
    ]);
    vec![
        (RBins::new(edges()).into(), of_r),
        (s_mu.into(), signed.clone()),
        (rp_pi.into(), signed),
    ]
}

#[test]
fn counts_come_back_with_our_names_signs_and_totals() {
    for (bins, estimators) in cases() {
        for estimator in estimators {
            let terms = counted(&estimator, &bins);
            let (ours, regions) = tables(&terms, &bins);
            let what = format!("{} in {}", estimator.name(), bins.name());
            let back = read::table(&tree(&ours, None)).unwrap();
            assert!(
                is_unnumbered(&back) && back.column("xi_error").is_none(),
                "{what}"
            );
            // That of Hamilton has RD as well as DR there.
            let is_formula = estimator.name() == "hamilton";
            let keys = ["statistic", "edges", "line_of_sight", "estimator"];
            for key in keys.into_iter().take(4 - usize::from(is_formula)) {
                assert_eq!(
                    back.meta.get(key),
                    ours.meta.get(key).filter(|v| !v.is_null()),
                    "{what}: {key}"
                );
            }
            near(
                floats(&back, "xi").unwrap(),
                floats(&ours, "xi").unwrap(),
                &what,
            );
            let jackknife = tree(&ours, Some(&regions));
            let by_region = read::regions(&jackknife).unwrap();
            near(
                floats(&read::table(&jackknife).unwrap(), "xi").unwrap(),
                floats(&ours, "xi").unwrap(),
                &what,
            );
            let saved_bins = bins_of(&back).unwrap();
            let mut restored = Vec::new();
            for (term, counts) in terms.counted() {
                let name = term.name;
                let counts = counts.of_all_pairs().unwrap();
                let record = |table: &Table| table.meta["counts"][name].clone();
                for key in ["kind", "total_weight"] {
                    assert_eq!(
                        record(&back)[key],
                        record(&ours)[key],
                        "{what}: {key} of {name}"
                    );
                }
                let weight = format!("{name}_weight");
                assert!(back.column(&format!("{name}_npairs")).is_none());
                near(
                    floats(&back, &weight).unwrap(),
                    &counts.weight().unwrap(),
                    &what,
                );
                let whole = saved_term(&back, name, &saved_bins).unwrap();
                restored.push((
                    *term,
                    saved_term_by_region(&by_region, name, whole).unwrap(),
                ));
            }
            let restored = RegionTerms::new(estimator.clone(), restored, None).unwrap();
            for kind in [Jackknife::Standard, Jackknife::MohammadPercival] {
                for (found, expected) in restored.jackknife(kind).zip(terms.jackknife(kind)) {
                    near(
                        &found.unwrap().xi,
                        &expected.unwrap().xi,
                        &format!("{what}, {kind:?}"),
                    );
                }
            }
        }
    }
}

/// The members of a group.
fn members(tree: &mut Tree) -> &mut Vec<(String, Tree)> {
    match tree {
        Tree::Group(members) => members,
        other => panic!("no group: {other:?}"),
    }
}

fn member<'t>(tree: &'t mut Tree, path: &str) -> &'t mut Tree {
    path.split('/').fold(tree, |tree, name| {
        let found = members(tree).iter_mut().find(|(own, _)| own == name);
        &mut found.unwrap().1
    })
}

/// A correlation function over four rows of two bins, as lsstypes has it.
fn small() -> (Tree, Table) {
    let edges = Edges::linear(0.0, 4.0, 4).unwrap();
    let mu = SignedEdges::linear(-1.0, 1.0, 2).unwrap();
    let bins = SMuBins::new(edges, mu, LineOfSight::Midpoint)
        .unwrap()
        .into();
    let terms = counted(&Estimator::LandySzalay.into(), &bins);
    let (table, _) = tables(&terms, &bins);
    (tree(&table, None), table)
}

#[test]
fn norms_of_split_randoms_are_two_totals() {
    let (mut tree, ours) = small();
    for name in ["DR", "RD", "RR"] {
        let Tree::Floats(_, norm) = member(&mut tree, &format!("{name}/norm")) else {
            panic!("no norm")
        };
        norm[4..].iter_mut().for_each(|norm| *norm *= 3.0);
    }
    let back = read::table(&tree).unwrap();
    near(
        floats(&back, "xi").unwrap(),
        floats(&ours, "xi").unwrap(),
        "xi",
    );
    let record = &back.meta["counts"]["RR"];
    let whole = ours.meta["counts"]["RR"]["total_weight"].as_f64().unwrap();
    assert_eq!(record["split"]["above"], json!(2.0));
    assert_eq!(record["split"]["below"]["total_weight"], json!(whole));
    assert_eq!(record["total_weight"], json!(3.0 * whole));
}

#[test]
fn one_count_is_of_two_samples_and_a_covariance_has_the_bins_of_its_means() {
    let (mut tree, ours) = small();
    let back = read::table(member(&mut tree, "RR")).unwrap();
    assert_eq!(back.kind().unwrap(), ResultKind::Counts);
    assert_eq!(back.meta["counts"]["D1D2"]["kind"], json!("cross"));
    // x2 - x1 there, x1 - x2 here.
    let mut mirrored = floats(&ours, "RR_weight").unwrap().to_vec();
    mirrored.chunks_mut(2).for_each(<[f64]>::reverse);
    near(floats(&back, "weight").unwrap(), &mirrored, "RR");
    let value: Vec<f64> = (0..64)
        .map(|k| if k % 9 == 0 { 4.0 } else { 1.0 })
        .collect();
    let covariance = Tree::Group(vec![
        ("name".to_owned(), Tree::texts(["covariance_matrix"])),
        ("value".to_owned(), Tree::Floats(vec![8, 8], value.clone())),
        ("observable".to_owned(), tree),
    ]);
    let back = read::table(&covariance).unwrap();
    assert_eq!(back.kind().unwrap(), ResultKind::Covariance);
    assert_eq!(floats(&back, "covariance").unwrap(), value);
    assert_eq!(floats(&back, "correlation").unwrap()[..2], [1.0, 0.25]);
    assert_eq!(floats(&back, "row_s_lo").unwrap()[8 * 4], 2.0);
}

#[test]
fn what_cannot_be_read_is_named() {
    type Damage = fn(&mut Tree);
    let damages: [(Damage, &str); 5] = [
        (
            |tree| *member(tree, "meta/estimator") = Tree::texts(["DD / R"]),
            "its estimator is DD / R",
        ),
        (
            |tree| *member(tree, "RR/norm") = Tree::floats([1.0, 2.0]),
            "`RR`: expected 8 values in `normalized_counts` and `norm`, found 8 and 2",
        ),
        (
            |tree| match member(tree, "RR/norm") {
                Tree::Floats(_, values) => values[3] *= 2.0,
                other => panic!("{other:?}"),
            },
            "RR: `norm` changes otherwise than once along the first axis",
        ),
        (
            |tree| match member(tree, "DD/norm") {
                Tree::Floats(_, values) => values[..2].iter_mut().for_each(|norm| *norm *= 2.0),
                other => panic!("{other:?}"),
            },
            "`DD`: its norm differs between bins",
        ),
        (
            |tree| members(tree).retain(|(name, _)| name != "RD"),
            "there is no `RD`",
        ),
    ];
    for (damage, words) in damages {
        let (mut tree, _) = small();
        damage(&mut tree);
        let refused = format!("{:#}", read::table(&tree).unwrap_err());
        assert!(refused.contains(words), "{refused}");
    }
    let (tree, _) = small();
    let refused = read::regions(&tree).unwrap_err().to_string();
    assert!(
        refused.contains("expected a count2_jackknife_correlation"),
        "{refused}"
    );
}
