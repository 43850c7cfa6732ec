//! Regions: compact and even by k-means, `HEALPix` as healpy has it, cells and columns; none depends on the number of threads.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::error::RegionsError;
use albireo::estimators::{AnalyticRr, CellRr, Jackknife};
use albireo::regions::{Cells, Centres, Layers, PixelOrder, Pixels, Regions, Values};
use albireo::{
    Axis, Bins, Domain, Edges, Labels, LineOfSight, PeriodicBox, Points, RBins, RpPiBins, SMuBins,
    Separation, SignedEdges, random,
};

fn sizes(labels: &Labels) -> Vec<usize> {
    let mut sizes = vec![0; labels.number() as usize];
    labels
        .values()
        .iter()
        .for_each(|&label| sizes[label as usize] += 1);
    sizes
}

/// The regions of a survey's footprint: a fifth of the sphere with a hole in it.
fn footprint(n: usize, seed: u64) -> Points {
    let all = random::in_shell(12 * n, seed, 0.5, 1.0).unwrap();
    let inside = |[x, y, z]: &[f64; 3]| {
        let hole = (x - 0.4) * (x - 0.4) + (y - 0.4) * (y - 0.4) < 0.01;
        *z > 0.0 && *x > 0.0 && *y > -0.2 && !hole
    };
    let rows: Vec<_> = (0..all.len())
        .map(|row| all.at(row))
        .filter(inside)
        .collect();
    Points::from_rows(&rows[..n]).unwrap()
}

#[test]
fn layers_hold_equal_numbers_of_the_points_they_are_made_of() {
    let (data, others) = (footprint(1_200, 3), footprint(700, 4));
    let distance = |points: &Points, row: usize| {
        let [x, y, z] = points.at(row);
        ((x * x + y * y) + z * z).sqrt()
    };
    let mut rising: Vec<f64> = (0..data.len()).map(|row| distance(&data, row)).collect();
    rising.sort_unstable_by(f64::total_cmp);
    let across = Centres::on_sky(&data, 3, 1).unwrap();
    for number in [2u32, 3, 5] {
        let layers = Layers::of(&data, number).unwrap();
        let sizes = sizes(&layers.labels(&data).unwrap());
        assert!(
            sizes
                .iter()
                .all(|n| n.abs_diff(1_200 / number as usize) <= 1),
            "{sizes:?}"
        );
        // The mean of two neighbours in rank, by the part of the way that the quantile is from one to the other.
        for (k, found) in layers.between().iter().enumerate() {
            let place = 1_199.0 * (k as f64 + 1.0) / f64::from(number);
            let (low, part) = (place.floor() as usize, place.fract());
            let expected = (1.0 - part) * rising[low] + part * rising[low + 1];
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        // Any point has a layer, however near or far, within its region of the sky.
        let regions = across.labels(&others).unwrap();
        let both = layers.within(&regions, &others).unwrap();
        assert_eq!(both.number(), 3 * number);
        for row in 0..others.len() {
            let below = layers
                .between()
                .iter()
                .filter(|edge| **edge <= distance(&others, row));
            let expected = regions.values()[row] * number + below.count() as u32;
            assert_eq!(both.values()[row], expected);
        }
    }
    assert!(matches!(
        Layers::of(&data, 1),
        Err(RegionsError::Number { .. })
    ));
    let few = Points::from_rows(&[[1.0; 3]; 2]).unwrap();
    assert!(matches!(
        Layers::of(&few, 3),
        Err(RegionsError::FewPoints { .. })
    ));
    // Numbers by quantiles as numpy's: of 1, 2, 4, 8 and 16 in three layers.
    let five = [1.0, 2.0, 4.0, 8.0, 16.0].map(|x| [x, 0.0, 0.0]);
    let layers = Layers::of(&Points::from_rows(&five).unwrap(), 3).unwrap();
    let expected = [8.0 / 3.0, 20.0 / 3.0];
    assert!(
        layers
            .between()
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-14)
    );
}

#[test]
fn k_means_makes_regions_of_nearly_equal_size() {
    let (randoms, data) = (footprint(20_000, 1), footprint(2_000, 2));
    for (number, seed) in [(2, 1), (12, 1), (12, 2), (20, 3)] {
        let regions = Centres::on_sky(&randoms, number, seed).unwrap();
        assert_eq!(regions.number(), number);
        let mean = 20_000.0 / f64::from(number);
        for size in sizes(&regions.labels(&randoms).unwrap()) {
            assert!((size as f64 / mean - 1.0).abs() < 0.08, "{size} of {mean}");
        }
        // Other points of the same footprint: their scatter besides.
        let mean = 2_000.0 / f64::from(number);
        for size in sizes(&regions.labels(&data).unwrap()) {
            assert!((size as f64 / mean - 1.0).abs() < 0.08 + 5.0 / mean.sqrt());
        }
        for centre in regions.centres() {
            let norm2: f64 = centre.iter().map(|c| c * c).sum();
            assert!((norm2 - 1.0).abs() < 1e-12);
        }
    }
    let first = Centres::on_sky(&randoms, 12, 1).unwrap();
    assert_ne!(first, Centres::on_sky(&randoms, 12, 2).unwrap());
}

#[test]
fn k_means_in_a_box_wraps_around() {
    let domain = Domain::Periodic(PeriodicBox::new([Some(1.0), Some(1.0), Some(2.0)]).unwrap());
    let points = random::in_domain(9_000, 1, &domain).unwrap();
    let regions = Centres::in_space(&points, &domain, 9, 4).unwrap();
    let labels = regions.labels(&points).unwrap();
    let even = sizes(&labels).iter().all(|&size| size.abs_diff(1_000) < 60);
    assert!(even, "{:?}", sizes(&labels));
    // A region is where its centre is nearest, around the box: wider than half of it, were images forgotten.
    let mut across = 0;
    for row in 0..points.len() {
        let centre = regions.centres()[labels.values()[row] as usize];
        let d = domain.separation(points.at(row), centre);
        assert!(d.r2 < 0.8 * 0.8, "compact");
        let plain: f64 = (0..3)
            .map(|k| (points.at(row)[k] - centre[k]).powi(2))
            .sum();
        across += usize::from(plain > d.r2 + 0.01);
    }
    assert!(across > 100, "some regions lie across an end of the box");
}

#[test]
fn regions_do_not_depend_on_threads() {
    let points = footprint(70_000, 5);
    let alone = Centres::on_sky(&points, 16, 9).unwrap();
    let labels = alone.labels(&points).unwrap();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let (found, found_labels) = pool.install(|| {
            let found = Centres::on_sky(&points, 16, 9).unwrap();
            let labels = found.labels(&points).unwrap();
            (found, labels)
        });
        assert!(
            found == alone && found_labels == labels,
            "{threads} threads"
        );
    }
}

#[test]
fn pixels_are_those_of_healpy() {
    let text = include_str!("data/healpix_pixels.csv");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let coordinate = |row: &Vec<&str>, k: usize| row[k].parse::<f64>().unwrap();
    let places: Vec<[f64; 3]> = rows
        .iter()
        .map(|row| [0, 1, 2].map(|k| coordinate(row, k)))
        .collect();
    let points = Points::from_rows(&places).unwrap();
    let mut compared = 0;
    for (column, name) in names.iter().enumerate().skip(3) {
        let (order, nside) = name.split_once('_').unwrap();
        let order = match order {
            "ring" => PixelOrder::Ring,
            _ => PixelOrder::Nested,
        };
        let pixels = Pixels::holding(&points, nside.parse().unwrap(), order).unwrap();
        assert!(pixels.numbers().is_sorted());
        let labels = pixels.labels(&points).unwrap();
        for (row, &label) in rows.iter().zip(labels.values()) {
            let expected: u64 = row[column].parse().unwrap();
            assert_eq!(pixels.numbers()[label as usize], expected, "{name} {row:?}");
            compared += 1;
        }
    }
    assert_eq!(compared, 12 * rows.len());
    assert!(rows.len() > 500);
}

#[test]
fn cells_have_their_lower_faces() {
    let domain = Domain::Periodic(PeriodicBox::new([Some(6.0), Some(2.0), Some(1.0)]).unwrap());
    let cells = Cells::new(&domain, [3, 2, 1]).unwrap();
    let rows = [
        [0.0; 3],
        [2.0, 0.0, 0.5],
        [1.999_999, 1.0, 0.0],
        [5.9, 1.9, 0.9],
        [6.0, 2.0, 1.0],
    ];
    let labels = cells.labels(&Points::from_rows(&rows).unwrap()).unwrap();
    assert_eq!(
        (labels.number(), labels.values()),
        (6, &[0, 2, 1, 5, 5][..])
    );
    let points = random::in_domain(60_000, 3, &domain).unwrap();
    let even = sizes(&cells.labels(&points).unwrap());
    assert!(
        even.iter().all(|&size| size.abs_diff(10_000) < 500),
        "{even:?}"
    );
}

/// The share of pairs of uniform points, none of which lie in the first cell or half of whose pairs with it count, in each bin.
fn scattered(
    cells: &Cells,
    domain: &Domain,
    bins: impl Into<Bins>,
    alpha: f64,
) -> (Vec<f64>, Vec<f64>) {
    let bins = &bins.into();
    let n = 100_000;
    let lengths = cells.lengths();
    let first = random::in_box(n, 1, lengths).unwrap();
    let second = random::in_box(n, 2, lengths).unwrap();
    let labels = [&first, &second].map(|points| cells.labels(points).unwrap());
    let (mut sums, mut hits, mut total) =
        (vec![0.0; bins.n_bins()], vec![0.0f64; bins.n_bins()], 0.0);
    for row in 0..n {
        let weight = match labels.each_ref().map(|labels| labels.values()[row] == 0) {
            [true, true] => continue,
            [false, false] => 1.0,
            _ => 1.0 - alpha,
        };
        total += weight;
        let sep: Separation = domain.separation(first.at(row), second.at(row));
        if let Some(bin) = bins.bin(&sep) {
            sums[bin] += weight;
            hits[bin] += 1.0;
        }
    }
    let share: Vec<f64> = sums.iter().map(|sum| sum / total).collect();
    let error = share
        .iter()
        .zip(&hits)
        .map(|(share, hits)| share / f64::sqrt(*hits));
    let error = error.collect();
    (share, error)
}

/// Random pairs without a cell are those of points drawn at random.
fn known_without_a_cell(shape: [u32; 3], bins: impl Into<Bins>) {
    let bins = &bins.into();
    let domain = Domain::Periodic(PeriodicBox::new([Some(1.0), Some(1.2), Some(1.5)]).unwrap());
    let cells = Cells::new(&domain, shape).unwrap();
    let whole = AnalyticRr::new(bins, &domain).unwrap();
    let rr = CellRr::new(whole.clone(), Some(&cells)).unwrap();
    assert_eq!(rr.whole(), &whole);
    for alpha in [
        Jackknife::Standard.alpha(8),
        Jackknife::MohammadPercival.alpha(8),
    ] {
        let (expected, error) = scattered(&cells, &domain, bins, alpha);
        let without = rr.without(alpha);
        for (bin, found) in without.fractions().iter().enumerate() {
            let off = (found - expected[bin]).abs();
            assert!(
                off < 5.0 * error[bin],
                "{shape:?} {bin}: {found} {}",
                expected[bin]
            );
        }
    }
}

#[test]
fn random_pairs_without_a_cell_are_known() {
    let r = RBins::new(Edges::linear(0.0, 0.48, 6).unwrap());
    known_without_a_cell([2, 2, 2], &r);
    known_without_a_cell([4, 3, 5], &r);
    known_without_a_cell([2, 1, 2], &r);
    let s = Edges::new(vec![0.05, 0.2, 0.49]).unwrap();
    for (axis, lo) in [(Axis::Z, 0.0), (Axis::X, -1.0)] {
        let mu = SignedEdges::linear(lo, 1.0, 4).unwrap();
        let bins = SMuBins::new(s.clone(), mu, LineOfSight::Fixed(axis)).unwrap();
        known_without_a_cell([2, 3, 4], &bins);
        let pi = SignedEdges::linear(lo * 0.4, 0.4, 4).unwrap();
        let rp = Edges::linear(0.0, 0.49, 3).unwrap();
        let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(axis)).unwrap();
        known_without_a_cell([3, 2, 4], &bins);
    }
}

#[test]
fn pairs_within_a_cell_have_their_closed_form() {
    // Below the shortest side l of a cube, int |d|<R of prod (l - |d_i|) is a polynomial in R.
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let cells = Cells::new(&domain, [3; 3]).unwrap();
    let l: f64 = 1.0 / 3.0;
    let ball = |r: f64| {
        let pi = std::f64::consts::PI;
        4.0 / 3.0 * pi * l.powi(3) * r.powi(3) - 1.5 * pi * l * l * r.powi(4)
            + 8.0 / 5.0 * l * r.powi(5)
            - r.powi(6) / 6.0
    };
    let edges = Edges::linear(0.01, l, 20).unwrap();
    let bins = RBins::new(edges.clone());
    let whole = AnalyticRr::new(&bins, &domain).unwrap();
    let rr = CellRr::new(whole.clone(), Some(&cells)).unwrap();
    let f = l * l * l;
    for (k, (found, &p)) in rr
        .without(1.0)
        .fractions()
        .iter()
        .zip(whole.fractions())
        .enumerate()
    {
        let within = ball(edges.values()[k + 1]) - ball(edges.values()[k]);
        let expected = (p - 2.0 * f * p + within) / ((1.0 - f) * (1.0 - f));
        assert!(
            (found / expected - 1.0).abs() < 1e-10,
            "{k}: {found} {expected}"
        );
    }
    // Near 0 a share of nearly f of the pairs of a first point in the cell stays in it.
    let ratio = rr.without(1.0).fractions()[0] / whole.fractions()[0];
    assert!(
        (ratio - 1.0 / (1.0 - f)).abs() < 0.01,
        "the box itself has fewer"
    );
}

#[test]
fn regions_that_cannot_be_are_refused() {
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let points = random::in_box(50, 1, [1.0; 3]).unwrap();
    let limit = albireo::particles::MAX_LABELS;
    for found in [0, 1, limit + 1] {
        let error = RegionsError::Number {
            found: found.into(),
            limit,
        };
        assert_eq!(
            Centres::in_space(&points, &domain, found, 1).unwrap_err(),
            error
        );
        assert_eq!(Cells::new(&domain, [found, 1, 1]).unwrap_err(), error);
    }
    let few = |regions, points| RegionsError::FewPoints { regions, points };
    assert_eq!(Centres::on_sky(&points, 51, 1).unwrap_err(), few(51, 50));
    let same = Points::from_rows(&[[1.0; 3]; 9]).unwrap();
    assert_eq!(
        Centres::in_space(&same, &domain, 3, 1).unwrap_err(),
        few(3, 1)
    );
    assert_eq!(
        Cells::new(&Domain::Open, [2; 3]).unwrap_err(),
        RegionsError::NoBox
    );
    let slab = Domain::Periodic(PeriodicBox::new([Some(1.0), Some(1.0), None]).unwrap());
    assert_eq!(Cells::new(&slab, [2; 3]).unwrap_err(), RegionsError::NoBox);
    let cells = Cells::new(&domain, [2; 3]).unwrap();
    let out = Points::from_rows(&[[0.5; 3], [0.5, -0.1, 0.5]]).unwrap();
    assert!(matches!(
        cells.labels(&out).unwrap_err(),
        RegionsError::Outside { row: 1, .. }
    ));
    for nside in [0, 3, 1 << 25] {
        let error = Pixels::holding(&points, nside, PixelOrder::Ring).unwrap_err();
        assert!(matches!(error, RegionsError::Nside { .. }));
    }
    let origin = Points::from_rows(&[[1.0; 3], [0.0; 3]]).unwrap();
    let no_direction = RegionsError::NoDirection { row: 1 };
    assert_eq!(
        Pixels::holding(&origin, 1, PixelOrder::Ring).unwrap_err(),
        no_direction
    );
    assert_eq!(Centres::on_sky(&origin, 2, 1).unwrap_err(), no_direction);
    let poles = Points::from_rows(&[[0.1, 0.1, 1.0], [0.1, 0.1, -1.0]]).unwrap();
    let pixels = Pixels::holding(&poles, 1, PixelOrder::Nested).unwrap();
    let error = pixels
        .labels(&Points::from_rows(&[[1.0, 0.0, 0.0]]).unwrap())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "every pixel must hold randoms: pixel 4 (nested, nside 1) holds row 0 (counting from 0), but none of the points that the regions were made of; take a smaller nside"
    );
    assert!(matches!(
        Values::new(&[1.0, 2.5]).unwrap_err(),
        RegionsError::NotAnInteger { row: 1, .. }
    ));
    assert!(matches!(
        Values::new(&[1.0, f64::NAN]).unwrap_err(),
        RegionsError::NotAnInteger { .. }
    ));
    assert!(matches!(
        Values::new(&[4.0, 4.0]).unwrap_err(),
        RegionsError::Number { found: 1, .. }
    ));
    let values = Values::new(&[-1.0, 4.0]).unwrap();
    assert_eq!(values.values(), [-1, 4]);
    assert_eq!(
        values.labels(&[4.0, 0.0]).unwrap_err(),
        RegionsError::Unknown { row: 1, value: 0 }
    );
    let bins = RBins::new(Edges::linear(0.0, 0.4, 2).unwrap());
    let rr = AnalyticRr::new(&bins, &domain).unwrap();
    assert_eq!(
        CellRr::new(rr, None).unwrap_err().to_string(),
        "analytic RR without a region is known for equal sub-cubes of the box alone: take these, or give randoms"
    );
}
