//! Where fast paths have been wrong or could be: bins far above zero, ties of images in crystals, mirrored axes, extreme units, bins of
//! other crates. Every engine against the naive reference, with `==`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::made::{lin, sample, signed};
use crate::random;

use albireo::binning::{BinAxis, Binning, PairOrder, Reach};
use albireo::counts::count_pairs;
use albireo::engine::{AnyEngine, Auto, Cpu, Isa, Silent, Traversal};
use albireo::error::{EngineError, JobError};
use albireo::{
    Axis, Bins, CountSpec, Counts, Domain, Edges, Lattice, LineOfSight, Naive, Outside, PairJob,
    Pairs, Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, Separation, ThetaBins,
};
use random::Random;

/// The counts of the reference, which every instruction set and traversal must give too.
fn counted(pairs: Pairs<'_>, domain: &Domain, bins: impl Into<Bins>) -> Counts {
    let bins = &bins.into();
    let job = PairJob::new(pairs, domain).unwrap();
    let expected = count_pairs(&Naive, &job, bins, &Silent).unwrap();
    for isa in Isa::available() {
        for traversal in [Traversal::Auto, Traversal::AllPairs] {
            let engine = Cpu::new().with_isa(isa).unwrap();
            let job = job.with_traversal(traversal);
            let found = count_pairs(&engine, &job, bins, &Silent).unwrap();
            assert!(found == expected, "{isa:?} {traversal:?} {bins:?}");
        }
    }
    expected
}

#[test]
fn two_points_in_bins_far_above_zero() {
    let pair = sample(&[[0.0; 3], [100.05, 0.0, 0.0]]);
    for edges in [
        lin(100.0, 101.0, 10),
        Edges::logarithmic(99.0, 101.0, 10).unwrap(),
        Edges::new(vec![100.0, 100.1]).unwrap(),
    ] {
        let counts = counted(Pairs::Auto(&pair), &Domain::Open, RBins::new(edges));
        assert_eq!(counts.npairs().iter().sum::<u64>(), 1);
    }
    let s = lin(100.0, 101.0, 10);
    for los in [LineOfSight::Midpoint, LineOfSight::Fixed(Axis::X)] {
        let bins = SMuBins::new(s.clone(), signed(0.0, 1.0, 5), los).unwrap();
        let counts = counted(Pairs::Auto(&pair), &Domain::Open, &bins);
        assert_eq!(counts.npairs().iter().sum::<u64>(), 1);
    }
}

#[test]
fn bins_of_every_width_against_their_first_edge() {
    let mut random = Random(11);
    let rows = random.points(700, 100.0);
    let points = sample(&rows);
    let sky = Particles::new(
        Points::from_rows(&rows.iter().map(|x| x.map(|c| c - 50.0)).collect::<Vec<_>>())
            .unwrap()
            .directions()
            .unwrap(),
    );
    for width in [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1.0] {
        for n in [1, 2, 3, 10, 31, 32, 33, 500] {
            let edges = lin(20.0, 20.0 * (1.0 + width), n);
            counted(
                Pairs::Auto(&points),
                &Domain::Open,
                RBins::new(edges.clone()),
            );
            counted(
                Pairs::Auto(&sky),
                &Domain::Open,
                ThetaBins::new(edges.clone()).unwrap(),
            );
            if n <= 33 {
                let midpoint = LineOfSight::Midpoint;
                let mu = signed(-1.0, 1.0, 4);
                let s_mu = SMuBins::new(edges.clone(), mu, midpoint).unwrap();
                counted(Pairs::Auto(&points), &Domain::Open, &s_mu);
                let pi = signed(7.0, 7.0 * (1.0 + width), 3);
                let rp_pi = RpPiBins::new(edges, pi, LineOfSight::Fixed(Axis::Y)).unwrap();
                counted(Pairs::Auto(&points), &Domain::Open, &rp_pi);
            }
        }
    }
}

/// The sites of a crystal of `n` cells a side, in box vectors, and the vectors.
fn crystal(name: &str, n: usize, constant: f64) -> (Vec<[f64; 3]>, [[f64; 3]; 3]) {
    let half = constant / 2.0;
    let root3 = 3f64.sqrt();
    let (vectors, motif): ([[f64; 3]; 3], Vec<[f64; 3]>) = match name {
        "sc" => (
            [
                [constant, 0.0, 0.0],
                [0.0, constant, 0.0],
                [0.0, 0.0, constant],
            ],
            vec![[0.0; 3]],
        ),
        "bcc" => (
            [
                [-half, half, half],
                [half, -half, half],
                [half, half, -half],
            ],
            vec![[0.0; 3]],
        ),
        "fcc" => (
            [[half, half, 0.0], [half, 0.0, half], [0.0, half, half]],
            vec![[0.0; 3]],
        ),
        _ => (
            [
                [constant, 0.0, 0.0],
                [half, half * root3, 0.0],
                [0.0, 0.0, constant * (8.0f64 / 3.0).sqrt()],
            ],
            vec![[0.0; 3], [1.0 / 3.0, 1.0 / 3.0, 0.5]],
        ),
    };
    let mut sites = vec![];
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                for shift in &motif {
                    let s = [
                        i as f64 + shift[0],
                        j as f64 + shift[1],
                        k as f64 + shift[2],
                    ];
                    sites.push([0, 1, 2].map(|axis| {
                        (s[0] * vectors[0][axis] + s[1] * vectors[1][axis])
                            + s[2] * vectors[2][axis]
                    }));
                }
            }
        }
    }
    (sites, vectors.map(|v| v.map(|c| c * n as f64)))
}

#[test]
fn crystals_have_one_count_though_their_images_tie() {
    for name in ["sc", "bcc", "fcc", "hcp"] {
        for n in [1, 2, 3, 4, 6] {
            for constant in [1.0, 5.0, 0.7] {
                let (sites, vectors) = crystal(name, n, constant);
                let lattice = Lattice::new(vectors).unwrap();
                let reach = lattice.reach();
                let domain = Domain::Triclinic(lattice);
                let placed = domain.place(sample(&sites), Outside::Wrap).unwrap();
                let pairs = Pairs::Auto(&placed);
                counted(pairs, &domain, RBins::new(lin(0.0, reach, 7)));
                let z = LineOfSight::Fixed(Axis::Z);
                let s_mu = SMuBins::new(lin(0.0, reach, 5), signed(-1.0, 1.0, 4), z).unwrap();
                counted(pairs, &domain, &s_mu);
                let side = reach * 0.7;
                let rp_pi = RpPiBins::new(lin(0.0, side, 3), signed(-side, side, 4), z).unwrap();
                counted(pairs, &domain, &rp_pi);
                counted(Pairs::Cross(&placed, &placed), &domain, &s_mu);
                let beyond = RBins::new(lin(0.0, reach.next_up(), 7));
                let job = PairJob::new(pairs, &domain).unwrap();
                let refused = count_pairs(&Naive, &job, &beyond, &Silent);
                assert!(refused.is_err(), "{name}: {reach} is the largest reach");
            }
        }
    }
}

#[test]
fn the_reach_of_a_triclinic_box_is_compared_squared() {
    let lattice = Lattice::new([[5.0, 5.0, 0.0], [5.0, 0.0, 5.0], [0.0, 5.0, 5.0]]).unwrap();
    let domain = Domain::Triclinic(lattice);
    let pair = sample(&[[3.75, 3.125, 1.875], [3.75, 0.625, 4.375]]);
    let pair = domain.place(pair, Outside::Wrap).unwrap();
    let bins = |edge: f64| RBins::new(Edges::new(vec![0.0, edge]).unwrap());
    let job = PairJob::new(Pairs::Auto(&pair), &domain).unwrap();
    let refused = count_pairs(&Naive, &job, bins(3.535_533_905_932_737_8), &Silent);
    assert!(matches!(
        refused,
        Err(EngineError::Job(JobError::Reach { .. }))
    ));
    counted(Pairs::Auto(&pair), &domain, bins(3.535_533_905_932_737));
    let z = LineOfSight::Fixed(Axis::Z);
    let cylinder = RpPiBins::new(lin(0.0, 2.5, 2), signed(0.0, 2.5f64.next_up(), 2), z).unwrap();
    let refused = cylinder.admit(&domain);
    assert!(matches!(
        refused,
        Err(JobError::ReachSquared { limit2: 12.5, .. })
    ));
    let cylinder = RpPiBins::new(lin(0.0, 2.5, 2), signed(0.0, 2.5, 2), z).unwrap();
    assert_eq!(cylinder.admit(&domain), Ok(()));
}

#[test]
fn cells_of_extreme_aspect_have_one_count() {
    let mut random = Random(5);
    for aspect in [1e2, 1e4, 1e6] {
        for turn in [0.0, 0.3, 1.1] {
            let (sin, cos) = f64::sin_cos(turn);
            let vectors = [
                [cos, sin, 0.1],
                [-sin * aspect, cos * aspect, 0.3],
                [0.4, 0.2, aspect * 3.0],
            ];
            let lattice = Lattice::new(vectors).unwrap();
            let reach = lattice.reach();
            let basis = lattice.basis();
            let domain = Domain::Triclinic(lattice);
            // Close together along the long vectors, all over the short one, and many half of it apart.
            let rows: Vec<[f64; 3]> = (0..300)
                .map(|k| {
                    let s = [
                        f64::from(k % 8) / 8.0,
                        random.unit() / aspect,
                        random.unit() / aspect,
                    ];
                    [0, 1, 2].map(|axis| {
                        s[0] * basis[0][axis] + s[1] * basis[1][axis] + s[2] * basis[2][axis]
                    })
                })
                .collect();
            let placed = domain.place(sample(&rows), Outside::Wrap).unwrap();
            counted(
                Pairs::Auto(&placed),
                &domain,
                RBins::new(lin(0.0, reach, 9)),
            );
        }
    }
}

#[test]
fn signed_bins_fold_to_unsigned_ones() {
    let mut random = Random(3);
    // Coordinates on a coarse grid: many projections lie on edges, others are 0.
    let rows: Vec<[f64; 3]> = random
        .points(400, 8.0)
        .into_iter()
        .map(|x| x.map(|c| (c * 4.0).floor() / 4.0 + 0.125))
        .collect();
    let points = sample(&rows);
    let boxed = Domain::Periodic(PeriodicBox::cubic(8.125).unwrap());
    let fold = |counts: &[u64], n: usize| -> Vec<u64> {
        counts
            .chunks(2 * n)
            .flat_map(|row| {
                (0..n)
                    .map(|k| row[n + k] + row[n - 1 - k])
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    for (domain, los) in [
        (&boxed, LineOfSight::Fixed(Axis::X)),
        (&Domain::Open, LineOfSight::Fixed(Axis::Z)),
        (&Domain::Open, LineOfSight::Midpoint),
    ] {
        let pairs = Pairs::Auto(&points);
        for n in [1, 3, 8] {
            let one_sided = RpPiBins::new(lin(0.0, 3.0, 4), signed(0.0, 4.0, n), los).unwrap();
            let both_sides =
                RpPiBins::new(lin(0.0, 3.0, 4), signed(-4.0, 4.0, 2 * n), los).unwrap();
            let once = counted(pairs, domain, &one_sided);
            let folded = fold(counted(pairs, domain, &both_sides).npairs(), n);
            let twice: Vec<u64> = once.npairs().iter().map(|n| 2 * n).collect();
            assert_eq!(folded, twice, "{los:?} {n}");
            let mu = |lo: f64, n: usize| {
                SMuBins::new(lin(0.0, 4.0, 3), signed(lo, 1.0, n), los).unwrap()
            };
            let once = counted(pairs, domain, mu(0.0, n));
            let folded = fold(counted(pairs, domain, mu(-1.0, 2 * n)).npairs(), n);
            let twice: Vec<u64> = once.npairs().iter().map(|n| 2 * n).collect();
            assert_eq!(folded, twice, "{los:?} {n}");
        }
    }
}

#[test]
fn units_beyond_the_range_of_a_line_of_sight_are_refused() {
    let bins = |scale: f64| {
        let s = lin(0.0, 5.0 * scale, 5);
        SMuBins::new(s, signed(0.0, 1.0, 4), LineOfSight::Midpoint).unwrap()
    };
    let mut random = Random(9);
    let rows = random.points(300, 8.0);
    for exponent in [-236, -235, -100, 0, 100, 235, 236] {
        let scale = 2f64.powi(exponent);
        let scaled: Vec<_> = rows.iter().map(|x| x.map(|c| (c - 3.0) * scale)).collect();
        let points = sample(&scaled);
        let counts = counted(Pairs::Auto(&points), &Domain::Open, bins(scale));
        let plain: Vec<_> = rows.iter().map(|x| x.map(|c| c - 3.0)).collect();
        let points = sample(&plain);
        let expected = counted(Pairs::Auto(&points), &Domain::Open, bins(1.0));
        assert_eq!(counts.npairs(), expected.npairs(), "2^{exponent}");
    }
    for exponent in [-245, 245] {
        let refused = bins(2f64.powi(exponent)).admit(&Domain::Open);
        assert!(matches!(refused, Err(JobError::SightRange { .. })));
    }
    let far = sample(&[[0.0; 3], [2f64.powi(241), 0.0, 0.0]]);
    let job = PairJob::new(Pairs::Auto(&far), &Domain::Open).unwrap();
    let refused = count_pairs(&Naive, &job, bins(1.0), &Silent);
    assert!(refused.unwrap_err().to_string().contains("row 1"));
    // Much smaller coordinates than edges are allowed, even if their squares underflow.
    for exponent in [-200, -300, -500, -900] {
        let scale = 2f64.powi(exponent);
        let scaled: Vec<_> = rows.iter().map(|x| x.map(|c| (c - 3.0) * scale)).collect();
        counted(Pairs::Auto(&sample(&scaled)), &Domain::Open, bins(1.0));
        counted(
            Pairs::Auto(&sample(&scaled)),
            &Domain::Open,
            bins(2f64.powi(-230)),
        );
    }
}

#[test]
fn lines_of_sight_that_almost_vanish() {
    for tiny in [0.0, 1e-16, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-6] {
        let first = sample(&[[1.0, 0.0, 0.0]]);
        let second = sample(&[[-1.0 + tiny, 0.0, 0.0]]);
        let mu = signed(0.0, 1.0, 100);
        let bins = SMuBins::new(lin(0.0, 3.0, 3), mu, LineOfSight::Midpoint).unwrap();
        counted(Pairs::Cross(&first, &second), &Domain::Open, &bins);
        let bins = RpPiBins::new(
            lin(0.0, 3.0, 30),
            signed(0.0, 3.0, 30),
            LineOfSight::Midpoint,
        )
        .unwrap();
        counted(Pairs::Cross(&first, &second), &Domain::Open, &bins);
    }
}

#[test]
fn a_sample_much_smaller_or_larger_than_its_bins() {
    let mut random = Random(21);
    let rows = random.points(150, 1.0);
    let midpoint = LineOfSight::Midpoint;
    for exponent in (-60..=60).step_by(6) {
        let scale = 2f64.powi(exponent);
        let scaled: Vec<_> = rows.iter().map(|x| x.map(|c| c * scale)).collect();
        let points = sample(&scaled);
        let pairs = Pairs::Auto(&points);
        for edges in [
            lin(0.0, 1.0, 10),
            lin(0.0, 1.0, 100),
            Edges::new(vec![0.0, 1e-18, 1e-9, 0.3, 1.0]).unwrap(),
            Edges::logarithmic(1e-3, 1.0, 12).unwrap(),
        ] {
            counted(pairs, &Domain::Open, RBins::new(edges.clone()));
            let mu = signed(0.0, 1.0, 10);
            for los in [midpoint, LineOfSight::Fixed(Axis::Z)] {
                let bins = SMuBins::new(edges.clone(), mu.clone(), los).unwrap();
                counted(pairs, &Domain::Open, &bins);
                let bins = RpPiBins::new(edges.clone(), signed(-1.0, 1.0, 8), los).unwrap();
                counted(pairs, &Domain::Open, &bins);
            }
        }
    }
}

/// (s, mu) without the pairs closer than 1 across the line of sight: a binning that the library does not know.
#[derive(Debug, Clone, PartialEq)]
struct CutSMu(SMuBins);

impl Binning for CutSMu {
    fn shape(&self) -> Vec<usize> {
        self.0.shape()
    }

    fn axes(&self) -> Vec<BinAxis> {
        self.0.axes()
    }

    fn bin(&self, sep: &Separation) -> Option<usize> {
        let rp2 = sep.r2 - sep.d[2] * sep.d[2];
        self.0.bin(sep).filter(|_| rp2 >= 1.0)
    }

    fn order(&self) -> PairOrder {
        self.0.order()
    }

    fn reach(&self) -> Reach {
        self.0.reach()
    }

    fn line_of_sight(&self) -> Option<LineOfSight> {
        self.0.line_of_sight()
    }

    fn coordinate(&self, sep: &Separation) -> f64 {
        self.0.coordinate(sep)
    }

    fn coordinate_limit(&self) -> f64 {
        self.0.coordinate_limit()
    }
}

#[test]
fn bins_of_another_crate_go_by_their_rule() {
    let mut random = Random(2);
    let points = sample(&random.points(600, 10.0));
    let z = LineOfSight::Fixed(Axis::Z);
    let s_mu = SMuBins::new(lin(0.0, 4.0, 8), signed(0.0, 1.0, 5), z).unwrap();
    let whole = counted(Pairs::Auto(&points), &Domain::Open, &s_mu);
    let cut = counted(Pairs::Auto(&points), &Domain::Open, CutSMu(s_mu));
    let sum = |counts: &[u64]| counts.iter().sum::<u64>();
    assert!(sum(cut.npairs()) < sum(whole.npairs()));
    let boxed = Domain::Periodic(PeriodicBox::cubic(10.0).unwrap());
    let s_mu = SMuBins::new(lin(0.0, 5.0, 8), signed(0.0, 1.0, 5), z).unwrap();
    counted(Pairs::Auto(&points), &boxed, CutSMu(s_mu));
}

#[test]
fn bins_of_another_crate_stay_with_the_processor() {
    let mut random = Random(4);
    let points = sample(&random.points(20, 10.0));
    let z = LineOfSight::Fixed(Axis::Z);
    let s_mu = SMuBins::new(lin(0.0, 4.0, 8), signed(0.0, 1.0, 5), z).unwrap();
    let job = PairJob::new(Pairs::Auto(&points), &Domain::Open).unwrap();
    let jobs = [(job, CountSpec::new(CutSMu(s_mu)))];
    let auto = Auto::new(Cpu::new());
    let chosen = auto.choose_for(&jobs);
    assert!(matches!(chosen.engine, AnyEngine::Cpu(_)));
    let says_why = chosen.reason.contains("GPUs have no kernel for these bins");
    assert!(says_why || cfg!(not(feature = "cuda")), "{}", chosen.reason);
}
