//! Random pairs of a periodic box without those less far apart across the line of sight than a cut: by sampling, by sums over bins and by
//! counting.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::made::cube;
use crate::random;

use albireo::estimators::{AnalyticRr, CellRr};
use albireo::regions::Cells;
use albireo::tally::Cut;
use albireo::{
    Axis, Bins, Domain, Edges, LineOfSight, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins,
};
use random::Random;

const Z: LineOfSight = LineOfSight::Fixed(Axis::Z);

fn edges(values: &[f64]) -> Edges {
    Edges::new(values.to_vec()).unwrap()
}

fn close(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len());
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() <= within,
            "bin {k}: {found} {expected}"
        );
    }
}

/// Shares of separations drawn evenly from the box that fall into the bins and that `keep` keeps.
fn drawn(bins: impl Into<Bins>, keep: impl Fn([f64; 3]) -> bool) -> Vec<f64> {
    const N: u32 = 400_000;
    let bins = &bins.into();
    let mut random = Random(11);
    let mut counts = vec![0u32; bins.n_bins()];
    for _ in 0..N {
        let d = [0; 3].map(|_| random.unit() - 0.5);
        let sep = Domain::Open.separation(d, [0.0; 3]);
        if let Some(bin) = bins.bin(&sep)
            && keep(d)
        {
            counts[bin] += 1;
        }
    }
    counts
        .iter()
        .map(|&n| f64::from(n) / f64::from(N))
        .collect()
}

fn as_drawn(bins: impl Into<Bins>, axis: Axis, dropped: &[[f64; 2]]) {
    let bins = &bins.into();
    let los = LineOfSight::Fixed(axis);
    let cuts: Vec<Cut> = dropped
        .iter()
        .map(|[lo, hi]| Cut::rp(*lo, *hi, los).unwrap())
        .collect();
    let rr = AnalyticRr::with_cuts(bins, &cube(), &cuts).unwrap();
    let keep = |d: [f64; 3]| {
        let rp2: f64 = (0..3)
            .filter(|&k| k != axis.index())
            .map(|k| d[k] * d[k])
            .sum();
        !dropped
            .iter()
            .any(|[lo, hi]| lo * lo <= rp2 && rp2 < hi * hi)
    };
    let found = drawn(bins, keep);
    for (k, (&p, found)) in rr.fractions().iter().zip(found).enumerate() {
        let error = (p / 400_000.0).sqrt();
        assert!(
            (p - found).abs() <= 5.0 * error,
            "{dropped:?} bin {k}: {p} {found} +- {error}"
        );
    }
}

#[test]
fn shares_are_those_of_drawn_pairs() {
    let r = edges(&[0.0, 0.07, 0.1, 0.23, 0.41, 0.5]);
    let mu = SignedEdges::linear(0.0, 1.0, 6).unwrap();
    let signed = SignedEdges::new(vec![-1.0, -0.8, -0.1, 0.3, 1.0]).unwrap();
    let pi = SignedEdges::new(vec![0.0, 0.1, 0.5]).unwrap();
    let both = SignedEdges::new(vec![-0.5, -0.1, 0.3]).unwrap();
    let one: &[[f64; 2]] = &[[0.0, 0.1]];
    for dropped in [
        one,
        &[[0.05, 0.3]],
        &[[0.0, 0.05], [0.2, 0.25], [0.04, 0.11]],
    ] {
        for axis in [Axis::Y, Axis::Z] {
            let los = LineOfSight::Fixed(axis);
            as_drawn(RBins::new(r.clone()), axis, dropped);
            as_drawn(
                SMuBins::new(r.clone(), mu.clone(), los).unwrap(),
                axis,
                dropped,
            );
            as_drawn(
                SMuBins::new(r.clone(), signed.clone(), los).unwrap(),
                axis,
                dropped,
            );
            as_drawn(
                RpPiBins::new(r.clone(), pi.clone(), los).unwrap(),
                axis,
                dropped,
            );
            as_drawn(
                RpPiBins::new(r.clone(), both.clone(), los).unwrap(),
                axis,
                dropped,
            );
        }
    }
}

#[test]
fn bins_add_up_and_emptied_bins_hold_nothing() {
    let r = edges(&[0.0, 0.1, 0.2, 0.3, 0.5]);
    let cut = [Cut::rp(0.0, 0.2, Z).unwrap()];
    let radial = AnalyticRr::with_cuts(RBins::new(r.clone()), &cube(), &cut).unwrap();
    assert_eq!(radial.fractions()[..2], [0.0, 0.0], "shorter than the cut");
    for signed in [false, true] {
        let mu = SignedEdges::linear(if signed { -1.0 } else { 0.0 }, 1.0, 8).unwrap();
        let bins = SMuBins::new(r.clone(), mu, Z).unwrap();
        let rr = AnalyticRr::with_cuts(&bins, &cube(), &cut).unwrap();
        let over_mu: Vec<f64> = rr
            .fractions()
            .chunks(8)
            .map(|row| row.iter().sum())
            .collect();
        close(&over_mu, radial.fractions(), 1e-15);
        // Near the axis all pairs of a shell are less far apart across it: s sqrt(1 - mu^2) < 0.2 for s < 0.3 and mu > sqrt(5)/3 = 0.745.
        let shell = &rr.fractions()[16..24];
        assert_eq!(shell[7], 0.0);
        assert_eq!(shell[0] == 0.0, signed);
        assert!(shell[4] > 0.0);
    }
    // What one cut leaves and what the cuts around it leave make up all.
    let pi = SignedEdges::linear(0.0, 0.4, 3).unwrap();
    let rp_pi = RpPiBins::new(r.clone(), pi, Z).unwrap();
    let s_mu = SMuBins::new(r.clone(), SignedEdges::linear(0.0, 1.0, 7).unwrap(), Z).unwrap();
    complements(RBins::new(r));
    complements(&rp_pi);
    complements(&s_mu);
}

fn complements(bins: impl Into<Bins>) {
    let bins = &bins.into();
    let of = |cuts: &[Cut]| AnalyticRr::with_cuts(bins, &cube(), cuts).unwrap();
    let inner = [Cut::rp(0.07, 0.22, Z).unwrap()];
    let outer = [
        Cut::rp(0.0, 0.07, Z).unwrap(),
        Cut::rp(0.22, 9.0, Z).unwrap(),
    ];
    let add = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
    let (inner, outer, all) = (
        of(&inner),
        of(&outer),
        AnalyticRr::new(bins, &cube()).unwrap(),
    );
    close(
        &add(inner.fractions(), outer.fractions()),
        all.fractions(),
        1e-15,
    );
    // So do they in the box without one of its cells, for integrals good to about ten digits.
    let cells = Cells::new(&cube(), [3, 2, 4]).unwrap();
    let left = |rr: AnalyticRr| CellRr::new(rr, Some(&cells)).unwrap().without(1.0);
    let (inner, outer, all) = (left(inner), left(outer), left(all));
    close(
        &add(inner.fractions(), outer.fractions()),
        all.fractions(),
        1e-9,
    );
}

#[test]
fn cells_without_the_pairs_of_a_cut_are_those_of_drawn_pairs() {
    let cells = Cells::new(&cube(), [3, 2, 4]).unwrap();
    let cut = [Cut::rp(0.1, 0.25, Z).unwrap()];
    let s = edges(&[0.05, 0.2, 0.45]);
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    of_cells(SMuBins::new(s.clone(), mu, Z).unwrap(), &cells, &cut);
    of_cells(RBins::new(s.clone()), &cells, &cut);
    let pi = SignedEdges::linear(0.0, 0.4, 2).unwrap();
    of_cells(RpPiBins::new(s, pi, Z).unwrap(), &cells, &cut);
}

fn of_cells(bins: impl Into<Bins>, cells: &Cells, cut: &[Cut]) {
    const N: u32 = 400_000;
    let bins = &bins.into();
    let rr = AnalyticRr::with_cuts(bins, &cube(), cut).unwrap();
    let without = CellRr::new(rr, Some(cells)).unwrap().without(1.0);
    let mut random = Random(5);
    let (mut kept, mut counts) = (0u32, vec![0u32; bins.n_bins()]);
    // Pairs of the box with no point in its first cell, [0, 1/3) x [0, 1/2) x [0, 1/4).
    let in_cell = |x: [f64; 3]| x[0] < 1.0 / 3.0 && x[1] < 0.5 && x[2] < 0.25;
    for _ in 0..N {
        let [a, b] = [0; 2].map(|_| [0; 3].map(|_| random.unit()));
        if in_cell(a) || in_cell(b) {
            continue;
        }
        kept += 1;
        let sep = cube().separation(a, b);
        let rp2 = sep.d[0] * sep.d[0] + sep.d[1] * sep.d[1];
        if let Some(bin) = bins.bin(&sep)
            && !(0.01..0.0625).contains(&rp2)
        {
            counts[bin] += 1;
        }
    }
    for (k, (&p, n)) in without.fractions().iter().zip(counts).enumerate() {
        let (found, error) = (f64::from(n) / f64::from(kept), (p / f64::from(kept)).sqrt());
        assert!(
            (p - found).abs() <= 5.0 * error,
            "bin {k}: {p} {found} +- {error}"
        );
    }
}

#[test]
fn what_no_formula_holds_for_is_refused() {
    let bins = RBins::new(edges(&[0.0, 0.1]));
    let refused = |cut: Cut| {
        AnalyticRr::with_cuts(&bins, &cube(), &[cut])
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(Cut::theta(0.0, 1.0).unwrap()),
        "analytic RR is not known with a cut in theta"
    );
    assert_eq!(
        refused(Cut::rp(0.0, 0.1, LineOfSight::Midpoint).unwrap()),
        "analytic RR with a cut in rp needs a fixed axis (x, y or z) as its line of sight, not midpoint"
    );
    let pi = SignedEdges::linear(0.0, 0.4, 2).unwrap();
    let cylinders = RpPiBins::new(edges(&[0.0, 0.1]), pi, Z).unwrap();
    let across = Cut::rp(0.0, 0.1, LineOfSight::Fixed(Axis::X)).unwrap();
    assert_eq!(
        AnalyticRr::with_cuts(&cylinders, &cube(), &[across])
            .unwrap_err()
            .to_string(),
        "analytic RR with a cut in rp needs z as its line of sight, not x"
    );
    let angles = ThetaBins::new(edges(&[0.0, 1.0])).unwrap();
    assert!(AnalyticRr::with_cuts(&angles, &cube(), &[]).is_err());
}
