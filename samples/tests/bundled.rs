//! The sample catalogues hold what their README says.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::PathBuf;

use albireo::cosmology::Cosmology;
use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Silent};
use albireo::estimators::{AnalyticRr, Term, TermCounts, multipoles, projected};
use albireo::sky::{Column, positions};
use albireo::{
    Axis, Bins, Correlation, CountSpec, Counts, Domain, Edges, Estimator, LineOfSight, PairJob,
    Pairs, Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};
use albireo_catalogs::{Catalog, Filter, Request, Value, open};
use albireo_fluids::{Frame, Normalisation, Partials, Space, Species};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../catalogs/samples")
        .join(name)
}

fn read(name: &str, columns: &[&str], filter: Option<&str>) -> Catalog {
    let mut request = Request::columns(columns.iter().copied());
    request.filter = filter.map(|text| Filter::parse(text).unwrap());
    open(&path(name)).unwrap().read(&request).unwrap()
}

fn points(catalog: &Catalog, names: [&str; 3]) -> Points {
    let [x, y, z] = names.map(|name| catalog.column(name).unwrap().to_vec());
    Points::new(x, y, z).unwrap()
}

fn count(pairs: Pairs<'_>, domain: &Domain, bins: impl Into<Bins>) -> Counts {
    let bins = &bins.into();
    let job = PairJob::new(pairs, domain).unwrap();
    count_pairs(
        &Cpu::new(),
        &job,
        CountSpec::for_pairs(bins, pairs),
        &Silent,
    )
    .unwrap()
}

fn number(catalog: &Catalog, name: &str) -> f64 {
    match catalog.attributes().get(name) {
        Some(Value::Float(value)) => *value,
        other => panic!("{name}: {other:?}"),
    }
}

fn natural(sample: &Particles, domain: &Domain, bins: impl Into<Bins>) -> Correlation {
    let bins = &bins.into();
    let dd = count(Pairs::Auto(sample), domain, bins);
    let rr = AnalyticRr::new(bins, domain).unwrap();
    let counts = TermCounts::new([(Term::DD, dd)], Some(rr));
    Estimator::Natural.estimate(&counts).unwrap()
}

#[test]
fn galaxies_in_a_box_cluster_as_a_power_law() {
    let catalog = read("galaxies_box.h5", &["x", "y", "z"], None);
    let length = number(&catalog, "BoxSize");
    let domain = Domain::Periodic(PeriodicBox::cubic(length).unwrap());
    let real = Particles::new(points(&catalog, ["x", "y", "z"]));
    let bins = RBins::new(Edges::logarithmic(0.1, 20.0, 12).unwrap());
    let xi = natural(&real, &domain, &bins);
    assert_eq!((real.len(), length), (60_458, 250.0));
    // Bins up to 4 Mpc/h, well inside the clumps, fall with the power -1.8.
    let step = libm::log(200.0) / 12.0;
    let slope = (libm::log(xi.xi[8]) - libm::log(xi.xi[0])) / (8.0 * step);
    assert!((slope + 1.8).abs() < 0.05, "slope {slope}");
    assert!(
        (xi.xi[8] - 0.94).abs() < 0.05,
        "xi at 4.3 Mpc/h is {}",
        xi.xi[8]
    );
}

#[test]
fn redshift_space_stretches_clumps_and_squashes_their_surroundings() {
    let catalog = read("galaxies_box.h5", &["x", "y", "z_rsd"], None);
    let domain = Domain::Periodic(PeriodicBox::cubic(number(&catalog, "BoxSize")).unwrap());
    let observed = Particles::new(points(&catalog, ["x", "y", "z_rsd"]));
    let s = Edges::linear(0.0, 20.0, 8).unwrap();
    let mu = SignedEdges::linear(0.0, 1.0, 20).unwrap();
    let bins = SMuBins::new(s, mu, LineOfSight::Fixed(Axis::Z)).unwrap();
    let poles = multipoles(&natural(&observed, &domain, &bins), &[0, 2, 4]).unwrap();
    let quadrupole = &poles.poles[1];
    assert!(
        quadrupole.xi[0] > 10.0 * quadrupole.error[0],
        "elongated along z within 2.5 Mpc/h"
    );
    assert!(
        quadrupole.xi[5] < -5.0 * quadrupole.error[5],
        "squashed along z at 14 Mpc/h"
    );
    let rp = Edges::logarithmic(0.1, 20.0, 8).unwrap();
    let pi = SignedEdges::linear(0.0, 40.0, 40).unwrap();
    let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z)).unwrap();
    let wp = projected(&natural(&observed, &domain, &bins)).unwrap();
    assert!(
        wp.wp.windows(2).all(|pair| pair[0] > pair[1]),
        "wp falls with rp"
    );
    assert!(
        wp.wp
            .iter()
            .zip(&wp.error)
            .all(|(wp, error)| *wp > 10.0 * error)
    );
}

fn survey(name: &str) -> Particles {
    let catalog = read(name, &["RA", "DEC", "Z", "WEIGHT"], None);
    let column = |name| Column::new(name, catalog.column(name).unwrap());
    // The one that the catalogue was made in.
    let cosmology: Cosmology = "om=0.30966".parse().unwrap();
    let distance = cosmology.distances(column("Z")).unwrap();
    let placed = positions(column("RA"), column("DEC"), Column::new("Z", &distance)).unwrap();
    Particles::weighted(placed, catalog.column("WEIGHT").unwrap().to_vec()).unwrap()
}

#[test]
fn survey_galaxies_cluster_and_their_randoms_match() {
    let (data, randoms) = (
        survey("survey_galaxies.fits"),
        survey("survey_randoms.parquet"),
    );
    let bins = RBins::new(Edges::new(vec![1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0]).unwrap());
    let count = |pairs| count(pairs, &Domain::Open, &bins);
    let counts = [
        (Term::DD, count(Pairs::Auto(&data))),
        (Term::DR, count(Pairs::Cross(&data, &randoms))),
        (Term::RR, count(Pairs::Auto(&randoms))),
    ];
    let xi = Estimator::LandySzalay.estimate(&TermCounts::new(counts, None));
    let xi = xi.unwrap();
    assert_eq!((data.len(), randoms.len()), (19_348, 100_000));
    assert!(
        xi.xi[0] > 4.0 && xi.xi[1] > 1.5 && xi.xi[2] > 0.4,
        "{:?}",
        xi.xi
    );
    // Randoms that missed the mask or the selection would leave percents here.
    assert!(xi.xi[4..].iter().all(|xi| xi.abs() < 0.01), "{:?}", xi.xi);
}

#[test]
fn the_liquid_has_its_shells() {
    let species = |name: &str| {
        let filter = format!("species == \"{name}\"");
        let catalog = read("liquid_frame.parquet", &["x", "y", "z"], Some(&filter));
        let length = number(&catalog, "BoxSize");
        (Particles::new(points(&catalog, ["x", "y", "z"])), length)
    };
    let ((a, length), (b, _)) = (species("A"), species("B"));
    let domain = Domain::Periodic(PeriodicBox::cubic(length).unwrap());
    let space = Space::of_volume(length * length * length).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 5.0, 50).unwrap());
    let g = |pairs: Pairs<'_>| {
        let (species, pair) = match pairs {
            Pairs::Auto(_) => (Species::within(1), [0, 0]),
            Pairs::Cross(..) => (Species::between(1, 1), [0, 1]),
        };
        let (first, second) = pairs.samples();
        let samples = [Some(first), second].into_iter().flatten();
        let particles: Vec<u64> = samples.map(|sample| sample.len() as u64).collect();
        let mut partials = Partials::new(&bins, species).unwrap();
        let frame = Frame {
            counts: &[count(pairs, &domain, &bins)],
            particles: &particles,
            excluded: &[],
            space: &space,
            weight: 1.0,
        };
        partials.add_frame(&frame).unwrap();
        partials.g(pair, Normalisation::Pairs).unwrap()
    };
    assert_eq!((a.len(), b.len()), (3200, 800));
    let like = g(Pairs::Auto(&a));
    assert!(like[..8].iter().all(|&g| g == 0.0), "cores do not overlap");
    assert!(
        like[10] > 2.5 && like[14] < 0.7,
        "first shell and the gap behind it: {like:?}"
    );
    assert!(like[19] > 1.15 && like[23] < 0.9, "second shell: {like:?}");
    assert!(
        like[45..].iter().all(|g| (g - 1.0).abs() < 0.05),
        "no order far away"
    );
    let unlike = g(Pairs::Cross(&a, &b));
    assert!(unlike[8] > 3.0, "A and B come closer: {unlike:?}");
    let rare = g(Pairs::Auto(&b));
    assert!(rare[8] < 1.0, "B avoids B: {rare:?}");
}
