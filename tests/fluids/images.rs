//! Bins beyond half the box: volumes of the Wigner-Seitz cell, held to integrals made in another way and to counts.

use std::f64::consts::{PI, TAU};

use albireo::random::Stream;
use albireo::{
    Axis, Domain, Edges, Lattice, LineOfSight, PeriodicBox, RBins, RpPiBins, SignedEdges,
};
use albireo_fluids::{Normalisation, Partials, Space, Species, WignerSeitz};

use super::{assert_close, cube, gas, r_bins};

fn brick(lengths: [f64; 3]) -> Domain {
    Domain::Periodic(PeriodicBox::new(lengths.map(Some)).unwrap())
}

fn triclinic(vectors: [[f64; 3]; 3]) -> Domain {
    Domain::Triclinic(Lattice::new(vectors).unwrap())
}

/// The integral of f between two ends where it or its slope may go like a root (double exponential rule).
fn integral(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (half, step) = ((b - a) / 2.0, 1.0 / 64.0);
    let term = |k: i32| {
        let t = f64::from(k) * step;
        let u = PI / 2.0 * t.sinh();
        // Distances from the ends, without cancellation.
        let from_end = 1.0 / (u.abs().exp() * u.cosh());
        let x = if u < 0.0 {
            a + half * from_end
        } else {
            b - half * from_end
        };
        let weight = PI / 2.0 * t.cosh() / (u.cosh() * u.cosh());
        if x > a && x < b { weight * f(x) } else { 0.0 }
    };
    half * step * (-256..=256).map(term).sum::<f64>()
}

/// The area of the disc of radius d in a regular polygon of n sides about it, or in a rectangle: corners of sectors up to each side.
fn disc_in(d: f64, sides: &[(f64, f64, f64)]) -> f64 {
    let angle_sum: f64 = sides.iter().map(|s| s.2).sum();
    assert!((angle_sum - TAU).abs() < 1e-12);
    let part = |&(p, half_angle, all): &(f64, f64, f64)| {
        // A side at the distance p that is seen under twice the half angle.
        if d <= p {
            return d * d / 2.0 * all;
        }
        let cut = (p / d).acos().min(half_angle);
        p * p * cut.tan() + d * d * (half_angle - cut)
    };
    sides.iter().map(part).sum()
}

fn rectangle(a: f64, b: f64) -> Vec<(f64, f64, f64)> {
    let half = (b / a).atan();
    let other = PI / 2.0 - half;
    vec![
        (a / 2.0, half, 2.0 * half),
        (b / 2.0, other, 2.0 * other),
        (a / 2.0, half, 2.0 * half),
        (b / 2.0, other, 2.0 * other),
    ]
}

/// A ball in a prism of this base and height, slice by slice.
fn ball_in_prism(r: f64, base: &[(f64, f64, f64)], height: f64) -> f64 {
    let top = r.min(height / 2.0);
    // Where the discs reach the sides and the corners of the base.
    let kinks = base.iter().flat_map(|&(p, half, _)| [p, p / half.cos()]);
    let mut ends: Vec<f64> = kinks
        .filter(|d| *d < r)
        .map(|d| (r * r - d * d).sqrt())
        .collect();
    ends.retain(|z| *z < top);
    ends.extend([0.0, top]);
    ends.sort_by(f64::total_cmp);
    let slice = |z: f64| disc_in(((r - z) * (r + z)).sqrt(), base);
    let pieces = ends.windows(2).filter(|e| e[1] - e[0] > 1e-12);
    2.0 * pieces.map(|e| integral(e[0], e[1], slice)).sum::<f64>()
}

#[test]
fn balls_in_prisms_are_the_sums_of_their_slices() {
    let (a, b, c) = (1.0, 1.3, 0.8);
    let hexagon: Vec<_> = (0..6).map(|_| (0.5, PI / 6.0, PI / 3.0)).collect();
    let prisms = [
        (brick([1.0; 3]), rectangle(1.0, 1.0), 1.0),
        (brick([a, b, c]), rectangle(a, b), c),
        (
            triclinic([[1.0, 0.0, 0.0], [0.5, 0.75f64.sqrt(), 0.0], [0.0, 0.0, 1.4]]),
            hexagon,
            1.4,
        ),
    ];
    for (domain, base, height) in prisms {
        let cell = WignerSeitz::new(&domain);
        for k in 1..=100 {
            let r = 0.38 + 0.01 * f64::from(k) * (cell.outer_radius() - 0.38);
            let expected = ball_in_prism(r, &base, height);
            let found = cell.ball(r);
            assert!(
                (found / expected - 1.0).abs() < 1e-12,
                "{r}: {found} {expected}"
            );
        }
    }
}

#[test]
fn a_cube_is_its_closed_form() {
    let cell = WignerSeitz::new(&cube(1.0));
    let ball = |r: f64| 4.0 / 3.0 * PI * r * r * r;
    for k in 1..40 {
        // Up to the edges of the cube six caps that do not meet.
        let r = 0.5 + 0.005 * f64::from(k) * 1.03;
        let caps = 6.0 * PI / 3.0 * (r - 0.5) * (r - 0.5) * (2.0 * r + 0.5);
        assert!((cell.ball(r) / (ball(r) - caps) - 1.0).abs() < 1e-14);
        assert!((cell.sphere(r) - (3.0 - 4.0 * r) / (2.0 * r)).abs() < 1e-14);
    }
    assert_eq!((cell.inner_radius(), cell.ball(0.87)), (0.5, 1.0));
    assert!((cell.outer_radius() - 0.75f64.sqrt()).abs() < 1e-15);
}

/// Cells of every kind: those of molecular dynamics, skewed ones, and nearly degenerate ones.
fn cells() -> Vec<[[f64; 3]; 3]> {
    let third = 1.0 / 3f64.sqrt();
    let mut cells = vec![
        // Truncated octahedron and rhombic dodecahedron as GROMACS has them.
        [
            [1.0, 0.0, 0.0],
            [1.0 / 3.0, 8f64.sqrt() / 3.0, 0.0],
            [-1.0 / 3.0, 2f64.sqrt() / 3.0, 6f64.sqrt() / 3.0],
        ],
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.5f64.sqrt()]],
        [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]],
        [
            [1.0, 0.0, 0.0],
            [0.5, 0.75f64.sqrt(), 0.0],
            [0.5, third / 2.0, 0.8],
        ],
        [[1.0, 1e-9, 0.0], [0.0, 1.0, 1e-10], [1e-12, 0.0, 1.0]],
        [
            [1.0, 0.0, 0.0],
            [0.5 - 1e-11, 0.75f64.sqrt(), 0.0],
            [0.5, third / 2.0 + 1e-13, 0.8],
        ],
        [[40.0, 0.0, 0.0], [0.0, 1.0, 0.0], [13.0, 0.3, 2.0]],
    ];
    let stream = Stream::new(4);
    let random = (0..60u64).map(|k| {
        [0, 1, 2].map(|row| [0, 1, 2].map(|c| 2.0 * stream.uniform(9 * k + 3 * row + c) - 1.0))
    });
    cells.extend(random);
    cells
}

#[test]
fn the_largest_ball_is_the_cell() {
    for vectors in cells() {
        let Ok(lattice) = Lattice::new(vectors) else {
            continue;
        };
        let domain = Domain::Triclinic(lattice.clone());
        let cell = WignerSeitz::new(&domain);
        assert!((cell.inner_radius() / lattice.reach() - 1.0).abs() < 1e-15);
        // Just inside the farthest corner the closed forms still have to tell the whole volume.
        let r = cell.outer_radius() * (1.0 - 1e-9);
        assert!(
            (cell.ball(r) / lattice.volume() - 1.0).abs() < 1e-12,
            "{vectors:?}"
        );
        assert!(cell.sphere(r) < 1e-8 && cell.sphere(cell.outer_radius()) == 0.0);
        assert_eq!(cell.ball(2.0 * r), lattice.volume());
    }
}

#[test]
fn shells_are_integrals_of_spheres() {
    for vectors in cells().into_iter().take(12) {
        let Ok(lattice) = Lattice::new(vectors) else {
            continue;
        };
        let cell = WignerSeitz::new(&Domain::Triclinic(lattice));
        let (inner, outer) = (0.99 * cell.inner_radius(), cell.outer_radius());
        // Thin shells go one way, thick ones the other: both must tell the same volume.
        let span = outer - inner;
        for run in 0..8 {
            let from = inner + span * f64::from(run) / 8.0;
            let to = from + span / 8.0 * 0.9;
            let n = (1000.0 * (to - from) / from).ceil().max(10.0) as usize;
            let edges = Edges::linear(from, to, n).unwrap();
            let volume = |e: &[f64]| {
                4.0 / 3.0 * PI * (e[1] - e[0]) * (e[0] * e[0] + e[0] * e[1] + e[1] * e[1])
            };
            let shells = edges.values().windows(2).map(volume);
            let thin: f64 = shells
                .zip(cell.shells(&edges))
                .map(|(v, kept)| v * kept)
                .sum();
            let off = (thin - (cell.ball(to) - cell.ball(from))).abs();
            assert!(off < 1e-12 * cell.ball(to), "{vectors:?} {run}: {off:e}");
        }
    }
}

#[test]
fn a_cell_turned_around_is_the_same() {
    let (s, c) = 0.7f64.sin_cos();
    let turned = |v: [f64; 3]| [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]];
    let turned = |v: [f64; 3]| {
        let [x, y, z] = turned(v);
        [x, c * y - s * z, s * y + c * z]
    };
    for vectors in cells() {
        let (Ok(one), Ok(other)) = (Lattice::new(vectors), Lattice::new(vectors.map(turned)))
        else {
            continue;
        };
        let [one, other] =
            [one, other].map(|lattice| WignerSeitz::new(&Domain::Triclinic(lattice)));
        for k in 0..50 {
            let r = one.inner_radius()
                + f64::from(k) / 50.0 * (one.outer_radius() - one.inner_radius());
            assert!(
                (one.ball(r) / other.ball(r) - 1.0).abs() < 1e-12,
                "{vectors:?} {r}"
            );
            assert!((one.sphere(r) - other.sphere(r)).abs() < 1e-12);
        }
    }
}

#[test]
fn spheres_are_shared_as_random_directions_are() {
    let stream = Stream::new(11);
    let directions: Vec<[f64; 3]> = (0..2000u64)
        .map(|k| {
            let (z, phi) = (
                2.0 * stream.uniform(2 * k) - 1.0,
                TAU * stream.uniform(2 * k + 1),
            );
            let across = (1.0 - z * z).sqrt();
            [across * phi.cos(), across * phi.sin(), z]
        })
        .collect();
    for vectors in cells().into_iter().take(12) {
        let Ok(lattice) = Lattice::new(vectors) else {
            continue;
        };
        let domain = Domain::Triclinic(lattice);
        let cell = WignerSeitz::new(&domain);
        for share in [0.2, 0.5, 0.8] {
            let r = cell.inner_radius() + share * (cell.outer_radius() - cell.inner_radius());
            let inside = directions.iter().filter(|d| {
                let image = domain.separation(d.map(|x| r * x), [0.0; 3]);
                image.r2 > r * r * (1.0 - 1e-9)
            });
            let counted = inside.count() as f64 / 2000.0;
            let sphere = cell.sphere(r);
            let error = (sphere * (1.0 - sphere) / 2000.0).sqrt();
            assert!(
                (counted - sphere).abs() < 4.5 * error + 1e-3,
                "{vectors:?}: {counted} {sphere}"
            );
        }
    }
}

/// The pairs of a gas under their nearest images, however far apart.
fn nearest_pairs(rows: &[[f64; 3]], domain: &Domain, place: &mut impl FnMut([f64; 3], f64)) {
    for (k, a) in rows.iter().enumerate() {
        for b in &rows[..k] {
            let pair = domain.separation(*a, *b);
            place(pair.d, pair.r2);
        }
    }
}

#[test]
fn an_ideal_gas_has_g_of_one_up_to_the_corners() {
    use albireo::Counts;
    use albireo::counts::PairTotal;
    use albireo::counts::{JobId, PairKind};
    let total = PairTotal::unweighted(PairKind::AutoUnordered, 100 * 99 / 2);
    let lattice = Lattice::new([[1.0, 0.0, 0.0], [0.4, 1.1, 0.0], [-0.3, 0.2, 0.9]]).unwrap();
    let volume = lattice.volume();
    let vectors = lattice.vectors();
    let domain = Domain::Triclinic(lattice);
    let bins = r_bins(0.0, 0.9, 18);
    let cylinders = RpPiBins::new(
        Edges::linear(0.0, 0.8, 8).unwrap(),
        SignedEdges::linear(0.0, 0.5, 4).unwrap(),
        LineOfSight::Fixed(Axis::Z),
    )
    .unwrap();
    let mut space = Partials::new(&bins, Species::within(1)).unwrap();
    let mut flat = Partials::in_plane(&bins, Species::within(1));
    let mut tubes = Partials::new(&cylinders, Species::within(1)).unwrap();
    let cut = Space::of_volume(volume)
        .unwrap()
        .nearest_images(&bins, &domain)
        .unwrap();
    let bricks = brick([1.0, 1.2, 0.9]);
    let cut_flat = Space::of_volume(1.2)
        .unwrap()
        .nearest_images_in_plane(&bins, &bricks, Axis::Z)
        .unwrap();
    let cut_tubes = Space::of_volume(1.08)
        .unwrap()
        .nearest_images_in_cylinders(&cylinders, &bricks)
        .unwrap();
    let find = |bins: &RBins, r2: f64| bins.edges().squares()[1..].iter().position(|e| r2 < *e);
    for seed in 0..10 {
        let shares = gas(100, seed, [1.0; 3]);
        let skewed = |s: &[f64; 3]| [0, 1, 2].map(|k| (0..3).map(|v| s[v] * vectors[v][k]).sum());
        let rows: Vec<[f64; 3]> = shares.iter().map(skewed).collect();
        let mut pairs = vec![0; 18];
        nearest_pairs(&rows, &domain, &mut |_, r2| {
            if let Some(bin) = find(&bins, r2) {
                pairs[bin] += 1;
            }
        });
        let counts =
            |pairs| [Counts::from_parts(bins.clone(), pairs, None, total, JobId(seed)).unwrap()];
        super::add(&mut space, &counts(pairs), &[100], &cut);
        let rows = gas(100, 100 + seed, [1.0, 1.2, 0.9]);
        let (mut pairs, mut rings) = (vec![0; 18], vec![0; 32]);
        nearest_pairs(&rows, &bricks, &mut |d, _| {
            let rho2 = d[0] * d[0] + d[1] * d[1];
            if let Some(bin) = find(&bins, rho2) {
                pairs[bin] += 1;
            }
            let (ring, height) = ((rho2.sqrt() / 0.1) as usize, (d[2].abs() / 0.125) as usize);
            if ring < 8 {
                rings[4 * ring + height] += 1;
            }
        });
        super::add(&mut flat, &counts(pairs), &[100], &cut_flat);
        let rings = Counts::from_parts(cylinders.clone(), rings, None, total, JobId(seed)).unwrap();
        super::add(&mut tubes, &[rings], &[100], &cut_tubes);
    }
    let mut seen = 0;
    for (g, error) in [
        (
            space.g([0, 0], Normalisation::Pairs),
            space.poisson_error([0, 0]),
        ),
        (
            flat.g([0, 0], Normalisation::Pairs),
            flat.poisson_error([0, 0]),
        ),
        (
            tubes.g([0, 0], Normalisation::Pairs),
            tubes.poisson_error([0, 0]),
        ),
    ] {
        for (g, error) in g
            .unwrap()
            .into_iter()
            .zip(error.unwrap())
            .filter(|(g, _)| !g.is_nan())
        {
            assert!((g - 1.0).abs() < 4.5 * error, "{g} {error}");
            seen += usize::from(error < 0.3);
        }
    }
    assert!(seen > 45, "{seen}");
    // Beyond the corners there is no g.
    assert!(
        flat.g([0, 0], Normalisation::Pairs).unwrap()[16..]
            .iter()
            .all(|g| g.is_nan())
    );
}

#[test]
fn rings_are_cut_in_closed_form() {
    let bins = RBins::new(Edges::new(vec![0.0, 0.5, 0.6, 0.7, 0.75]).unwrap());
    let space = |domain: &Domain, axis| {
        Space::of_volume(1.0)
            .unwrap()
            .nearest_images_in_plane(&bins, domain, axis)
    };
    let disc = |r: f64| PI * r * r;
    let segment = |r: f64| r * r * (0.5 / r).acos() - 0.5 * (r * r - 0.25).sqrt();
    let square = |r: f64| disc(r) - 4.0 * segment(r);
    let expected = [
        1.0,
        (square(0.6) - disc(0.5)) / (disc(0.6) - disc(0.5)),
        (square(0.7) - square(0.6)) / (disc(0.7) - disc(0.6)),
        (1.0 - square(0.7)) / (disc(0.75) - disc(0.7)),
    ];
    let found = space(&cube(1.0), Axis::X).unwrap();
    assert_close(found.kept().unwrap(), &expected, 1e-14);
    // One periodic axis: a strip, of which two sides are missing.
    let strip = Domain::Periodic(PeriodicBox::new([Some(1.0), None, None]).unwrap());
    let found = space(&strip, Axis::Z).unwrap();
    assert!((found.kept().unwrap()[1] - f64::midpoint(1.0, expected[1])).abs() < 1e-14);
    assert_eq!(
        space(&Domain::Open, Axis::Z).unwrap().kept().unwrap(),
        [1.0; 4]
    );
    let skewed = triclinic([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.0, 1.0]]);
    assert!(
        space(&skewed, Axis::Z)
            .unwrap_err()
            .to_string()
            .contains("in it or along it")
    );
    assert!(
        space(&skewed, Axis::Y).is_ok(),
        "y is normal to the other two"
    );
    let far = r_bins(0.0, 5.0, 2);
    let slab = Domain::Periodic(PeriodicBox::new([Some(0.3), Some(0.4), None]).unwrap());
    let error = Space::of_volume(1.0)
        .unwrap()
        .nearest_images(&far, &slab)
        .unwrap_err();
    assert!(error.to_string().contains("must end by 2.8"), "{error}");
    // A slab: a ball in a prism without an end.
    let cell = WignerSeitz::new(&Domain::Periodic(
        PeriodicBox::new([Some(1.0), Some(1.3), None]).unwrap(),
    ));
    for r in [0.6, 0.7, 1.1, 4.0] {
        let expected = ball_in_prism(r, &rectangle(1.0, 1.3), 100.0);
        assert!((cell.ball(r) / expected - 1.0).abs() < 1e-12);
    }
    assert!(cell.ball(20.0).is_nan() && cell.sphere(20.0).is_nan());
}
