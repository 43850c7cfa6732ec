//! What plans ask for is what the kernels' registry names, no more and no less.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeSet;

use albireo_kernels::{Shape, Summed, every_variant};
use rayon::prelude::*;

use super::super::labelled::{Spans, spans};
use super::*;
use crate::binning::{Bins, Edges, Formed, RBins, RpPiBins, SMuBins, SignedEdges};
use crate::domain::{Axis as Direction, Domain};
use crate::engine::Pairs;
use crate::engine::cuda::suite::{Random, Scatter, domains, particles};
use crate::particles::{Labels, Particles};
use crate::tally::{Classes, CountSpec};

/// Shared memory of a device.
const SHARED: usize = 227 << 10;
/// Of one in which not even a window of the bins has room.
const LITTLE: usize = 9 << 10;

fn shapeless(variant: Variant) -> Variant {
    Variant {
        shape: Shape {
            threads: 128,
            points: 1,
            tile: 64,
        },
        ..variant
    }
}

/// Every option that has to do with kernels.
fn every_option() -> Vec<CudaOptions> {
    let mut small = CudaOptions::default();
    // A tile that is asked for is taken, however few the seconds around it are.
    small.tuning.tile = 64;
    let precisions = [Precision::Exact, Precision::Float64, Precision::Float32];
    let kernels = [
        KernelChoice::Auto,
        KernelChoice::Simple,
        KernelChoice::Constant,
        KernelChoice::Shared,
    ];
    let with = |precision| {
        kernels.map(|kernel| CudaOptions {
            precision,
            kernel,
            ..CudaOptions::default()
        })
    };
    let options = precisions.into_iter().flat_map(with);
    options.chain([small]).collect()
}

/// What is asked for in these bins, by every traversal, precision and kernel.
fn ask(
    asked: &mut BTreeSet<Variant>,
    domain: &Domain,
    sample: &Particles,
    binning: impl Into<Bins>,
    options: &[CudaOptions],
    shared: usize,
) {
    let binning = &binning.into();
    for traversal in [Traversal::AllPairs, Traversal::Cells] {
        let job = PairJob::new(Pairs::Auto(sample), domain).unwrap();
        let job = job.with_traversal(traversal);
        for options in options {
            let labelled = Particles::new(sample.points().clone());
            let labels = Labels::new(vec![0; sample.len()], 3).unwrap();
            let labelled = labelled.labelled(labels).unwrap();
            let what = CountSpec::new(binning.clone()).with_classes(Classes::Species);
            let spans = [spans(&labelled), Spans::new()];
            let labels = super::super::carried::Labels {
                numbers: [3; 2],
                tables: what.tables(Pairs::Auto(&labelled)).unwrap(),
            };
            // Those that have a name know no classes.
            let auto = options.kernel == KernelChoice::Auto;
            let labels = [None, Some(labels)].into_iter().take(1 + usize::from(auto));
            let summed = [
                (Summed::Pairs, false),
                (Summed::Products, false),
                (Summed::Terms, false),
                (Summed::Separations, false),
                (Summed::Realisations, false),
                (Summed::Pairs, true),
                (Summed::Products, true),
            ];
            let asked_for = labels.flat_map(|labels| summed.map(|summed| (summed, labels)));
            // Rows have kernels without a name that filter; what else there is counts realisations pair by pair.
            let of_rows = auto && options.precision == Precision::Exact;
            let asked_for = asked_for.filter(|((_, rows), _)| of_rows || !rows);
            for ((summed, realised_rows), labels) in asked_for {
                let carried = Carried {
                    summed,
                    number: match summed {
                        Summed::Separations | Summed::Realisations => 1,
                        other => other as usize,
                    },
                    weighted: summed == Summed::Products,
                    words: 0,
                    realisations: if realised_rows || summed == Summed::Realisations {
                        40
                    } else {
                        0
                    },
                    realised_rows,
                    directions: false,
                    columns: [0; 2],
                    sums: "",
                    labels,
                };
                let binning = Formed::of(binning).unwrap();
                let spans = labels.map_or_else(Default::default, |_| spans.clone());
                let abilities = Abilities {
                    shared,
                    tensors: true,
                };
                let plan = LaunchPlan::new(&job, &binning, (carried, &spans), options, abilities);
                asked.insert(shapeless(plan.variant));
            }
        }
    }
}

/// Numbers of bins along the line of sight: doubt rare, less so, and common.
const ALONG: [usize; 4] = [1, 12, 150, 600];

/// Edges across: equally wide from few to too many, logarithmic, uneven.
fn across(reach: f64) -> Vec<Edges> {
    [
        Edges::linear(0.0, reach, 1),
        Edges::linear(0.0, reach, 650),
        Edges::linear(0.0, reach, 1500),
        Edges::linear(0.0, reach, 200),
        Edges::linear(0.0, reach, 3000),
        // About as many as lanes have sums of their own for.
        Edges::linear(0.0, reach, 90),
        // In coarse cells, more places than that.
        Edges::linear(0.0, reach, 20),
        Edges::logarithmic(reach / 100.0, reach, 300),
        // So narrow that most slots would lie outside.
        Edges::linear(0.98 * reach, reach, 2),
        Edges::logarithmic(reach / 100.0, reach, 12),
    ]
    .map(Result::unwrap)
    .into()
}

#[test]
fn plans_ask_for_every_kernel_that_has_a_name_and_for_no_other() {
    let mut asked = BTreeSet::new();
    let options = every_option();
    for (_, domain) in domains() {
        let sample = particles(&domain, 300, Scatter::Uniform, 3);
        // In an open domain every separation, or the nearest ones.
        let reaches = if domain.is_periodic() {
            vec![domain.reach().min(0.5), 0.02]
        } else {
            vec![1.8, 0.1]
        };
        let sights: Vec<LineOfSight> = if domain.is_periodic() {
            vec![LineOfSight::Fixed(Direction::Z)]
        } else {
            vec![LineOfSight::Fixed(Direction::X), LineOfSight::Midpoint]
        };
        let many = particles(&domain, 200_000, Scatter::Uniform, 3);
        for number in [1024, 90] {
            let bins = RBins::new(Edges::linear(0.0, reaches[0], number).unwrap());
            ask(&mut asked, &domain, &many, &bins, &options, SHARED);
        }
        for reach in reaches {
            for edges in across(reach) {
                ask(
                    &mut asked,
                    &domain,
                    &sample,
                    RBins::new(edges.clone()),
                    &options,
                    SHARED,
                );
            }
            let across = [
                Edges::linear(0.0, 0.5 * reach, 2),
                Edges::linear(0.0, 0.5 * reach, 200),
                Edges::logarithmic(0.005 * reach, 0.5 * reach, 12),
            ];
            for edges in across.map(Result::unwrap) {
                let signs = sights.iter().flat_map(|los| [(los, 0.0), (los, -1.0)]);
                for ((&los, from), number) in signs.flat_map(|sign| ALONG.map(|n| (sign, n))) {
                    let mu = SignedEdges::linear(from, 1.0, number).unwrap();
                    let bins = SMuBins::new(edges.clone(), mu, los).unwrap();
                    ask(&mut asked, &domain, &sample, &bins, &options, SHARED);
                    let pi = SignedEdges::linear(0.5 * from * reach, 0.5 * reach, number).unwrap();
                    let bins = RpPiBins::new(edges.clone(), pi, los).unwrap();
                    ask(&mut asked, &domain, &sample, &bins, &options, SHARED);
                }
            }
        }
    }
    let plain: Vec<CudaOptions> = every_option()
        .into_iter()
        .filter(|options| options.precision != Precision::Float32)
        .collect();
    for (_, domain) in domains() {
        let sample = particles(&domain, 40, Scatter::Uniform, 3);
        let reach = 0.3;
        let edges = Edges::linear(0.0, reach, 20_000).unwrap();
        let r = RBins::new(edges.clone());
        ask(&mut asked, &domain, &sample, &r, &plain, LITTLE);
        let los = LineOfSight::Fixed(Direction::Z);
        let one = SignedEdges::linear(0.0, 1.0, 1).unwrap();
        let s_mu = SMuBins::new(edges.clone(), one.clone(), los).unwrap();
        ask(&mut asked, &domain, &sample, &s_mu, &plain, LITTLE);
        let rp_pi = RpPiBins::new(edges, one, los).unwrap();
        ask(&mut asked, &domain, &sample, &rp_pi, &plain, LITTLE);
    }
    let named: BTreeSet<Variant> = every_variant().into_iter().collect();
    assert_eq!(named.len(), every_variant().len());
    let unnamed: Vec<_> = asked.difference(&named).collect();
    assert!(unnamed.is_empty(), "{unnamed:#?}");
    let never: Vec<_> = named.difference(&asked).collect();
    assert!(
        never.is_empty(),
        "{} of {}: {never:#?}",
        never.len(),
        named.len()
    );
}

/// What a random job asks for, in bins of each kind.
fn asked_at_random(round: usize) -> BTreeSet<Variant> {
    let mut random = Random::new(41 + round as u64);
    let mut asked = BTreeSet::new();
    let (options, domains) = (every_option(), domains());
    let (_, domain) = &domains[round % domains.len()];
    let sample = particles(domain, 2 + round, Scatter::Clustered, round as u64);
    let reach = domain.reach().min(2.0) * 10f64.powf(-3.0 * random.next());
    let mut number = |most: f64| most.powf(random.next()) as usize;
    let (n, along) = (number(30_000.0), number(300.0));
    let [shape, which, sign] = [random.next(), random.next(), random.next()];
    let low = reach * 10f64.powf(-4.0 * random.next());
    let edges = if shape < 0.4 {
        Edges::linear(0.0, reach, n)
    } else if shape < 0.7 {
        Edges::linear(low, reach, n)
    } else {
        Edges::logarithmic(low, reach, n)
    };
    // Edges closer than float64 tells apart are refused before they come here.
    let Ok(edges) = edges else { return asked };
    let los = if domain.is_periodic() || which < 0.5 {
        LineOfSight::Fixed(Direction::Y)
    } else {
        LineOfSight::End
    };
    let from = if sign < 0.5 { 0.0 } else { -1.0 };
    let mu = SignedEdges::linear(from, 1.0, along).unwrap();
    let pi = SignedEdges::linear(from * reach, reach, along).unwrap();
    let options = [options[round % options.len()].clone()];
    let mut ask = |bins: Bins| ask(&mut asked, domain, &sample, bins, &options, SHARED);
    ask(RBins::new(edges.clone()).into());
    ask(SMuBins::new(edges.clone(), mu, los).unwrap().into());
    ask(RpPiBins::new(edges, pi, los).unwrap().into());
    asked
}

#[test]
fn random_jobs_ask_for_kernels_that_have_a_name() {
    let rounds = (0..100).into_par_iter().map(asked_at_random);
    let asked: BTreeSet<Variant> = rounds.flatten_iter().collect();
    assert!(asked.len() > 50);
    for variant in asked {
        assert!(variant.exists(), "{variant:?}");
    }
}

#[test]
fn tensor_cores_are_for_plain_counts_in_few_even_bins() {
    let mut options = CudaOptions::default();
    options.tuning.tile = 64;
    let all = Abilities {
        shared: SHARED,
        tensors: true,
    };
    let arithmetic = |domain: &Domain, edges: Edges, options: &CudaOptions, abilities| {
        let sample = particles(domain, 300, Scatter::Uniform, 3);
        let job = PairJob::new(Pairs::Auto(&sample), domain).unwrap();
        let job = job.with_traversal(Traversal::Cells);
        let bins = Bins::from(RBins::new(edges));
        let formed = Formed::of(&bins).unwrap();
        let what = CountSpec::new(bins.clone());
        let terms = crate::tally::Terms::new(&what, job.pairs()).unwrap();
        let sought = super::super::summed::Sought::of((&what, job.pairs()), &terms, None).unwrap();
        let kinds = (sought.carried, &[Spans::new(), Spans::new()]);
        let variant = LaunchPlan::new(&job, &formed, kinds, options, abilities).variant;
        assert!(variant.exists(), "{variant:?}");
        variant.arithmetic
    };
    for (name, domain) in domains() {
        let reach = domain.reach().min(0.5) / 2.0;
        let few = || Edges::linear(0.0, reach, 6).unwrap();
        let found = |edges, options, abilities| arithmetic(&domain, edges, options, abilities);
        assert_eq!(found(few(), &options, all), Arithmetic::Tensor, "{name}");
        let uneven = Edges::logarithmic(reach / 30.0, reach, 6).unwrap();
        for (edges, abilities) in [
            (
                few(),
                Abilities {
                    tensors: false,
                    ..all
                },
            ),
            // Room for less than two blocks.
            (
                few(),
                Abilities {
                    shared: 48 << 10,
                    ..all
                },
            ),
            (Edges::linear(0.0, reach, 150).unwrap(), all),
            (uneven, all),
        ] {
            assert_eq!(
                found(edges, &options, abilities),
                Arithmetic::Filtered,
                "{name}"
            );
        }
        // So few points have too few partners.
        let usual = CudaOptions::default();
        assert_eq!(found(few(), &usual, all), Arithmetic::Filtered, "{name}");
    }
}
