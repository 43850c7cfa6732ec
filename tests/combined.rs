//! Parts of the sky put together: equal to sums written by hand, with every region of every part left out in turn.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::{ExactSums, PairTotal, Split, count_pairs, count_regions};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::estimators::{
    CombinedRegions, Covariance, Estimation, Estimator, Jackknife, PartWeight, RegionTerms, Role,
    SplitRandoms, Term, TermCount, combined,
};
use albireo::{
    Axis, CountSpec, Counts, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs,
    Particles, Points, RBins, SMuBins, SignedEdges, random,
};

type Outcome = Result<(), albireo::Error>;

/// Weighted points in a box, labelled by which of four slabs along x they are in.
fn sample(n: usize, seed: u64, side: f64) -> Result<Particles, albireo::Error> {
    let points = random::in_box(n, seed, [side; 3])?;
    let labels = (0..n).map(|row| (points.at(row)[0] / side * 4.0) as u32 % 4);
    let labels = Labels::new(labels.collect(), 4)?;
    let weights = (0..n).map(|row| 0.5 + (row % 7) as f64 / 8.0).collect();
    Ok(Particles::weighted(points, weights)?.labelled(labels)?)
}

/// A part of the sky: data and randoms.
struct Cap {
    data: Particles,
    randoms: Particles,
}

impl Cap {
    fn new(n: usize, seed: u64, side: f64) -> Result<Self, albireo::Error> {
        Ok(Self {
            data: sample(n, seed, side)?,
            randoms: sample(3 * n, seed + 100, side)?,
        })
    }

    fn sample(&self, role: Role) -> Option<&Particles> {
        match role {
            Role::Data => Some(&self.data),
            Role::Randoms => Some(&self.randoms),
            _ => None,
        }
    }

    /// The samples without the points of a region.
    fn without(&self, region: u32) -> Result<Self, albireo::Error> {
        let rest = |sample: &Particles| -> Result<Particles, albireo::Error> {
            let labels = sample.labels().map(Labels::values).unwrap_or_default();
            let kept = (0..sample.len()).filter(|&row| labels[row] != region);
            let kept: Vec<usize> = kept.collect();
            let rows: Vec<_> = kept.iter().map(|&row| sample.points().at(row)).collect();
            let weights = kept.iter().map(|row| 0.5 + (row % 7) as f64 / 8.0);
            Ok(Particles::weighted(
                Points::from_rows(&rows)?,
                weights.collect(),
            )?)
        };
        Ok(Self {
            data: rest(&self.data)?,
            randoms: rest(&self.randoms)?,
        })
    }

    fn by_region(&self, bins: &RBins) -> Result<RegionTerms, albireo::Error> {
        let estimation = Estimation::new(Estimator::LandySzalay, bins, &Domain::Open, |role| {
            self.sample(role)
        })?;
        estimation.run_by_region(None, |_, pairs| {
            let engine = Cpu::new();
            let (first, second) = pairs.both();
            let ready = |sample: &Particles| engine.prepare(sample.clone(), &Domain::Open, &Silent);
            let (first, second) = (ready(first)?, ready(second)?);
            let job = match pairs {
                Pairs::Auto(_) => PreparedJob::auto(&first),
                Pairs::Cross(..) => PreparedJob::cross(&first, &second)?,
            };
            Ok::<_, albireo::Error>(
                count_regions(&engine, &job, CountSpec::for_pairs(bins, pairs), &Silent)?.0,
            )
        })
    }

    /// Weights in bins and in all, of DD, DR and RR.
    fn sums(&self, bins: &RBins) -> Result<Vec<(Vec<f64>, f64)>, albireo::Error> {
        let pairs = [
            Pairs::Auto(&self.data),
            Pairs::Cross(&self.data, &self.randoms),
            Pairs::Auto(&self.randoms),
        ];
        let sums = pairs.map(|pairs| {
            let job = PairJob::new(pairs, &Domain::Open)?;
            let counts = count_pairs(&Naive, &job, CountSpec::for_pairs(bins, pairs), &Silent)?;
            Ok::<_, albireo::Error>((counts.values(), counts.total().weight))
        });
        sums.into_iter().collect()
    }
}

/// `(DD - 2 DR + RR)/RR` of sums times factors, over totals times factors.
fn by_hand(parts: &[Vec<(Vec<f64>, f64)>], factors: &[[f64; 3]]) -> Vec<f64> {
    let normalised = |term: usize, bin: usize| {
        let parts = || parts.iter().zip(factors);
        let pairs: f64 = parts().map(|(part, f)| f[term] * part[term].0[bin]).sum();
        let total: f64 = parts().map(|(part, f)| f[term] * part[term].1).sum();
        pairs / total
    };
    let bins = 0..parts[0][0].0.len();
    let xi = |bin| {
        let [dd, dr, rr] = [0, 1, 2].map(|term| normalised(term, bin));
        (dd - 2.0 * dr + rr) / rr
    };
    bins.map(xi).collect()
}

fn factors(part: &[(Vec<f64>, f64)]) -> [f64; 3] {
    [0, 1, 2].map(|term| part[2].1 / part[term].1)
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

fn bins() -> Result<RBins, albireo::Error> {
    Ok(RBins::new(Edges::linear(0.0, 0.5, 5)?))
}

#[test]
fn two_caps_are_their_rescaled_counts_added() -> Outcome {
    let bins = bins()?;
    let caps = [Cap::new(120, 1, 1.0)?, Cap::new(60, 2, 0.8)?];
    let both = CombinedRegions::new(
        caps.iter()
            .map(|cap| cap.by_region(&bins))
            .collect::<Result<_, _>>()?,
        PartWeight::Randoms,
    )?;
    let sums = [caps[0].sums(&bins)?, caps[1].sums(&bins)?];
    let f = [factors(&sums[0]), factors(&sums[1])];
    let xi = both.estimate()?;
    assert_close(&xi.xi, &by_hand(&sums, &f));
    // Pairs add as they are, and the total of DD is that of the random pairs.
    let counts = both.counts()?;
    let dd = counts.get(Term::DD)?;
    assert_eq!(
        dd.total().pairs,
        caps.iter()
            .map(|cap| (cap.data.len() * (cap.data.len() - 1) / 2) as u64)
            .sum::<u64>()
    );
    let random: f64 = sums.iter().map(|part| part[2].1).sum();
    assert!((dd.total().weight / random - 1.0).abs() < 1e-14);
    // Each region of each cap in turn, from samples without its points; the factors stay.
    let realisations: Vec<_> = both
        .jackknife(Jackknife::Standard)
        .collect::<Result<_, _>>()?;
    assert_eq!((both.number(), realisations.len()), (8, 8));
    for (number, xi) in realisations.iter().enumerate() {
        let (cap, region) = (number / 4, number % 4);
        let mut left = sums.clone();
        left[cap] = caps[cap].without(region as u32)?.sums(&bins)?;
        assert_close(&xi.xi, &by_hand(&left, &f));
    }
    let rows: Vec<_> = realisations.into_iter().map(|xi| xi.xi).collect();
    let covariance = Covariance::jackknife(&rows)?;
    // The scatter of both together is less than that of the smaller cap alone.
    let alone = caps[1].by_region(&bins)?;
    let alone: Vec<_> = alone
        .jackknife(Jackknife::Standard)
        .map(|xi| xi.map(|xi| xi.xi))
        .collect::<Result<_, _>>()?;
    let alone = Covariance::jackknife(&alone)?;
    assert!(covariance.errors()[4] < alone.errors()[4]);
    Ok(())
}

#[test]
fn caps_may_weigh_by_their_data_and_share_regions() -> Outcome {
    let bins = bins()?;
    let caps = [Cap::new(120, 1, 1.0)?, Cap::new(60, 2, 0.8)?];
    let terms = caps.iter().map(|cap| cap.by_region(&bins));
    let terms = terms.collect::<Result<Vec<_>, _>>()?;
    let both = CombinedRegions::new(terms, PartWeight::Data)?.matched()?;
    let sums = [caps[0].sums(&bins)?, caps[1].sums(&bins)?];
    let f = sums
        .each_ref()
        .map(|part| [0, 1, 2].map(|term| part[0].1 / part[term].1));
    assert_close(&both.estimate()?.xi, &by_hand(&sums, &f));
    // Not the mean that weighs by random pairs.
    let by_randoms = by_hand(&sums, &sums.each_ref().map(|part| factors(part)));
    assert!((both.estimate()?.xi[2] - by_randoms[2]).abs() > 1e-6);
    let realisations = both.jackknife(Jackknife::Standard);
    let realisations = realisations.collect::<Result<Vec<_>, _>>()?;
    assert_eq!((both.number(), realisations.len()), (4, 4));
    for (region, xi) in realisations.iter().enumerate() {
        let left = |cap: &Cap| cap.without(region as u32)?.sums(&bins);
        assert_close(&xi.xi, &by_hand(&[left(&caps[0])?, left(&caps[1])?], &f));
    }
    // Drawn once each, regions are all pairs.
    let drawn = both.bootstrap(40, 2)?.collect::<Result<Vec<_>, _>>()?;
    assert!(drawn.iter().all(|xi| xi.xi.iter().all(|xi| xi.is_finite())));
    Ok(())
}

#[test]
fn split_randoms_of_caps_are_added_with_both_of_their_totals() -> Outcome {
    let bins = bins()?;
    let split = Split::new(3, Some(0.2))?;
    let near_bins = split.near_bins(&bins)?.unwrap();
    let count = |pairs: Pairs<'_>, bins: &albireo::Bins| {
        let job = PairJob::new(pairs, &Domain::Open)?;
        let what = CountSpec::for_pairs(bins, pairs);
        Ok::<_, albireo::Error>(count_pairs(&Naive, &job, what, &Silent)?)
    };
    let all = albireo::Bins::from(bins.clone());
    let part = |n, seed| -> Result<(Vec<(Term, TermCount)>, _), albireo::Error> {
        let cap = Cap::new(n, seed, 1.0)?;
        let subsets = split.subsets_of(&cap.randoms)?;
        let mut far = count(Pairs::Auto(&subsets[0]), &all)?;
        for subset in &subsets[1..] {
            far.merge(&count(Pairs::Auto(subset), &all)?)?;
        }
        let near = count(Pairs::Auto(&cap.randoms), &near_bins)?;
        let dd = count(Pairs::Auto(&cap.data), &all)?;
        let fractions = [near.normalised(), far.normalised()];
        let weight = dd.total().weight;
        let rr = SplitRandoms::new(near, far)?;
        let made = (dd.normalised(), fractions, weight);
        Ok((vec![(Term::DD, dd.into()), (Term::RR, rr.into())], made))
    };
    let [(north, n), (south, s)] = [part(120, 1)?, part(60, 2)?];
    let both = combined(&[north.clone(), south], PartWeight::Data)?;
    let xi = Estimator::Natural.estimate(&both)?.xi;
    let mean = |a: f64, b: f64| (n.2 * a + s.2 * b) / (n.2 + s.2);
    let expected = (0..5).map(|k| {
        let part = usize::from(k > 1);
        mean(n.0[k], s.0[k]) / mean(n.1[part][k], s.1[part][k]) - 1.0
    });
    assert_close(&xi, &expected.collect::<Vec<_>>());
    let refused = combined(std::slice::from_ref(&north), PartWeight::Randoms);
    assert!(refused.unwrap_err().to_string().contains("two totals"));
    let whole = Cap::new(60, 2, 1.0)?;
    let dd = count(Pairs::Auto(&whole.data), &all)?;
    let rr = count(Pairs::Auto(&whole.randoms), &all)?;
    let whole = as_made(vec![(Term::DD, dd), (Term::RR, rr)]);
    let refused = combined(&[north, whole], PartWeight::Data).unwrap_err();
    assert!(refused.to_string().contains("some parts of the sky alone"));
    Ok(())
}

#[test]
fn one_cap_is_itself_and_a_cap_twice_changes_nothing() -> Outcome {
    let bins = bins()?;
    let cap = Cap::new(80, 5, 1.0)?;
    let terms = cap.by_region(&bins)?;
    let one = CombinedRegions::new(vec![terms.clone()], PartWeight::Randoms)?;
    let twice = CombinedRegions::new(vec![terms.clone(), terms.clone()], PartWeight::Data)?;
    let expected = terms.estimate()?;
    assert_close(&one.estimate()?.xi, &expected.xi);
    assert_close(&one.estimate()?.error, &expected.error);
    assert_close(&twice.estimate()?.xi, &expected.xi);
    // Twice as many pairs: variances halve.
    let halved: Vec<f64> = expected.variance.iter().map(|v| v / 2.0).collect();
    assert_close(&twice.estimate()?.variance, &halved);
    for kind in Jackknife::ALL {
        for (found, expected) in one.jackknife(kind).zip(terms.jackknife(kind)) {
            assert_close(&found?.xi, &expected?.xi);
        }
    }
    for (found, expected) in one.bootstrap(5, 3)?.zip(terms.bootstrap(5, 3)?) {
        assert_close(&found?.xi, &expected?.xi);
    }
    assert_eq!(twice.bootstrap(4, 1)?.count(), 4);
    Ok(())
}

#[test]
fn counts_by_region_read_back_give_the_same_realisations() -> Outcome {
    let bins = bins()?;
    let terms = Cap::new(90, 8, 1.0)?.by_region(&bins)?;
    let copy = |counts: &Counts| {
        let job = albireo::counts::JobId(7);
        let (npairs, total) = (counts.npairs().to_vec(), counts.total());
        let weight = counts
            .weight()
            .map(|weight| ExactSums::from_parts(&[weight]));
        let weight = weight.transpose()?;
        Counts::from_parts(bins.clone(), npairs, weight, total, job)
    };
    let mut counted = Vec::new();
    for (term, counts) in terms.counted() {
        let counts = counts.of_all_pairs();
        let counts =
            counts.ok_or_else(|| albireo::error::EstimatorError::Needs("all pairs".to_owned()))?;
        let parts = (0..counts.regions())
            .map(|k| Ok([copy(&counts.within(k))?, copy(&counts.across(k))?]))
            .collect::<Result<Vec<_>, albireo::Error>>()?;
        let read = copy(counts)?.with_regions(&parts)?;
        for k in 0..counts.regions() {
            let (found, expected) = (read.without(k, 1.0), counts.without(k, 1.0));
            assert_eq!(found.npairs(), expected.npairs());
            assert_eq!(found.total().pairs, expected.total().pairs);
        }
        counted.push((*term, read));
    }
    let read = RegionTerms::new(Estimator::LandySzalay, counted, None)?;
    for kind in Jackknife::ALL {
        for (found, expected) in read.jackknife(kind).zip(terms.jackknife(kind)) {
            assert_close(&found?.xi, &expected?.xi);
        }
    }
    Ok(())
}

/// Counts as those of a part.
fn as_made(counts: Vec<(Term, Counts)>) -> Vec<(Term, TermCount)> {
    let counts = counts.into_iter();
    counts.map(|(term, counts)| (term, counts.into())).collect()
}

/// A count of unit weights by its numbers.
fn of(bins: &RBins, npairs: &[u64], total: u64) -> Result<Counts, albireo::Error> {
    let total = PairTotal::unweighted(albireo::counts::PairKind::AutoUnordered, total);
    let job = albireo::counts::JobId(1);
    Ok(Counts::from_parts(
        bins.clone(),
        npairs.to_vec(),
        None,
        total,
        job,
    )?)
}

#[test]
fn what_does_not_belong_together_is_refused() -> Outcome {
    let bins = bins()?;
    let other = RBins::new(Edges::linear(0.0, 0.5, 4)?);
    let one = |n: u64| of(&bins, &[n; 5], 1000);
    let said = |parts: &[Vec<(Term, Counts)>]| {
        let parts: Vec<_> = parts.iter().cloned().map(as_made).collect();
        let refused = combined(&parts, PartWeight::Randoms);
        refused.map(|_| ()).unwrap_err().to_string()
    };
    assert!(said(&[]).contains("no part"));
    let no_rr = vec![(Term::DD, one(3)?)];
    assert!(said(&[no_rr]).contains("RR was not counted"));
    let full = vec![(Term::DD, one(3)?), (Term::RR, one(9)?)];
    let fewer = vec![(Term::RR, one(9)?)];
    assert!(said(&[full.clone(), fewer]).contains("different counts"));
    let no_dd = as_made(vec![(Term::RR, one(3)?)]);
    let refused = combined(&[no_dd], PartWeight::Data).unwrap_err();
    assert!(refused.to_string().contains("DD was not counted"));
    let elsewhere = vec![
        (Term::DD, of(&other, &[1; 4], 10)?),
        (Term::RR, of(&other, &[1; 4], 10)?),
    ];
    let refused = said(&[full, elsewhere]);
    assert!(
        refused.starts_with("DD: ") && refused.contains("the bins"),
        "{refused}"
    );
    // Regions that hold other pairs than the whole.
    let whole = || of(&bins, &[4; 5], 100);
    let half = |n| Ok::<_, albireo::Error>([of(&bins, &[1; 5], 20)?, of(&bins, &[n; 5], 30)?]);
    assert!(whole()?.with_regions(&[half(2)?, half(2)?]).is_ok());
    for (regions, words) in [
        (
            vec![half(2)?, half(1)?],
            "in bin 0 they hold 3.5 pairs, not 4",
        ),
        (vec![half(2)?], "2 regions are needed at least, found 1"),
        (
            vec![
                half(2)?,
                [of(&other, &[1; 4], 20)?, of(&other, &[2; 4], 30)?],
            ],
            "those of region 1 are in other bins",
        ),
    ] {
        let refused = whole()?.with_regions(&regions);
        let refused = refused.map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
    let small = of(&bins, &[4; 5], 40)?;
    let refused = small.with_regions(&[half(2)?, half(2)?]);
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("region 0 has more pairs in all")
    );
    Ok(())
}

#[test]
fn signed_bins_of_both_orders_are_put_together_too() -> Outcome {
    let (s, mu) = (
        Edges::linear(0.0, 0.5, 2)?,
        SignedEdges::linear(-1.0, 1.0, 4)?,
    );
    let bins = SMuBins::new(s, mu, LineOfSight::Fixed(Axis::Z))?;
    let part = |n, seed| -> Result<Vec<_>, albireo::Error> {
        let cap = Cap::new(n, seed, 1.0)?;
        let estimation = Estimation::new(Estimator::LandySzalay, &bins, &Domain::Open, |role| {
            cap.sample(role)
        })?;
        let terms = estimation.terms().iter().map(|&(term, pairs)| {
            let job = PairJob::new(pairs, &Domain::Open)?;
            let counts = count_pairs(&Naive, &job, CountSpec::for_pairs(&bins, pairs), &Silent)?;
            Ok((term, counts))
        });
        terms.collect()
    };
    let parts = [part(40, 1)?, part(50, 2)?];
    let xi = Estimator::LandySzalay
        .estimate(&combined(&parts.clone().map(as_made), PartWeight::Randoms)?)?;
    let normalised = |name: &str| xi.normalised(name).map(<[f64]>::to_vec).unwrap_or_default();
    let weight = |part: usize| parts[part][3].1.total().weight;
    for (k, name) in ["D1D2", "D1R2", "R1D2", "R1R2"].into_iter().enumerate() {
        let [a, b] = [0, 1].map(|part| parts[part][k].1.normalised());
        let mean = |(a, b): (&f64, &f64)| (weight(0) * a + weight(1) * b) / (weight(0) + weight(1));
        let expected: Vec<f64> = a.iter().zip(&b).map(mean).collect();
        assert_close(&normalised(name), &expected);
    }
    Ok(())
}

#[test]
fn sums_of_regions_that_outgrow_their_integers_are_refused() -> Outcome {
    // A pair in each of 32 regions, far from the others.
    let n = 32u32;
    let point = |k: u32| [f64::from(k / 2) * 10.0, f64::from(k % 2) * 0.5, 0.0];
    let rows: Vec<_> = (0..2 * n).map(point).collect();
    let labels = Labels::new((0..2 * n).map(|k| k / 2).collect(), n)?;
    let sample = Particles::weighted(Points::from_rows(&rows)?, vec![1.0; rows.len()])?;
    let sample = sample.labelled(labels)?;
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
    let bins = RBins::new(Edges::new(vec![0.0, 1.0])?);
    let counted = |rest: f64| {
        let sums = |weight, rest| ExactSums::from_parts(&[vec![weight], vec![rest]]);
        let region = [
            (vec![1], Some(sums(1.0, rest)?)),
            (vec![0], Some(sums(0.0, 0.0)?)),
        ];
        Counts::of_job_by_region(&job, bins.clone(), vec![region; n as usize])
    };
    // Sums of 101 bits add up exactly; 32 of 123 bits take 128.
    let tiny = |bits: i32| 2f64.powi(-bits);
    let exact = ExactSums::from_parts(&[vec![32.0], vec![32.0 * tiny(100)]])?;
    assert_eq!(counted(tiny(100))?.weight_sums(), Some(exact));
    let refused = counted(tiny(122)).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("more than can be held"), "{refused}");
    Ok(())
}
