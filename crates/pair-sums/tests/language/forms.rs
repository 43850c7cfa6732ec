//! Each form against its formulas, written out in float64, for the pairs of a few points.

use albireo::separation::dot;
use albireo::tally::{End, Exchange};
use albireo::{Axis, Bins, Domain, Edges, LineOfSight, Particles, PeriodicBox, Points, RBins};
use albireo_pair_sums::{Geometry, Objects, PairSums, forms};

use crate::draw::Draw;
use crate::{filled, width};

type Vector = [f64; 3];

/// What a formula sees of a pair.
struct Pair {
    d: Vector,
    r: f64,
    x: [Vector; 2],
    /// Columns `a`, `b`, `c` of both.
    a: [Vector; 2],
    mean: f64,
}

impl Pair {
    fn radial(&self, u: Vector) -> f64 {
        dot(u, self.d) / self.r
    }

    fn difference(&self) -> Vector {
        [0, 1, 2].map(|k| self.a[0][k] - self.a[1][k])
    }

    fn direction(&self, k: usize) -> Vector {
        self.x[k].map(|x| x / dot(self.x[k], self.x[k]).sqrt())
    }

    /// Twice the position angle of the other object in the frame of object k, as angles of the sky: from east to north.
    fn angle(&self, k: usize) -> (f64, f64) {
        let sky = |[x, y, z]: Vector| (y.atan2(x), z.atan2(x.hypot(y)));
        let ((ra, dec), (other_ra, other_dec)) = (sky(self.x[k]), sky(self.x[1 - k]));
        let east = other_dec.cos() * (other_ra - ra).sin();
        let north =
            other_dec.sin() * dec.cos() - other_dec.cos() * dec.sin() * (other_ra - ra).cos();
        let phi = north.atan2(east);
        ((2.0 * phi).cos(), (2.0 * phi).sin())
    }

    /// Tangential and cross parts of columns a and b, with the sign of radial shapes, on the sky.
    fn shape(&self, k: usize) -> (f64, f64) {
        let ((c, s), [e1, e2, _]) = (self.angle(k), self.a[k]);
        (e1 * c - e2 * s, e1 * s + e2 * c)
    }

    /// The same across the axis z.
    fn shape_in_box(&self, k: usize) -> (f64, f64) {
        let phi = self.d[1].atan2(self.d[0]);
        let ((c, s), [e1, e2, _]) = (((2.0 * phi).cos(), (2.0 * phi).sin()), self.a[k]);
        (e1 * c + e2 * s, e1 * s - e2 * c)
    }
}

/// The sums of a form by its formulas, in their order.
fn expected(form: &str, in_box: bool, pair: &Pair) -> Vec<f64> {
    let dv = pair.difference();
    let shape = |k| {
        if in_box {
            pair.shape_in_box(k)
        } else {
            pair.shape(k)
        }
    };
    match form {
        "v12" => vec![pair.radial(dv), pair.radial(dv).powi(2)],
        "v-los" => {
            let l = if in_box {
                [0.0, 0.0, 1.0]
            } else {
                [0, 1, 2].map(|k| pair.x[0][k] + pair.x[1][k])
            };
            let u = dot(dv, l) / dot(l, l).sqrt() * dot(pair.d, l).signum();
            vec![u, u * u]
        }
        "v-trans" => vec![dot(dv, dv) - pair.radial(dv).powi(2)],
        "marked" => vec![pair.a[0][0] * pair.a[1][0] / (pair.mean * pair.mean)],
        "ksz" => {
            let [r, s] = pair.x.map(|x| dot(x, x).sqrt());
            let cosine = dot(pair.direction(0), pair.direction(1));
            let c = (r - s) * (1.0 + cosine) / (2.0 * pair.r);
            vec![(pair.a[0][0] - pair.a[1][0]) * c, c * c]
        }
        "ia" => vec![shape(1).0, shape(1).1],
        "ia-auto" => vec![shape(0).0 * shape(1).0, shape(0).1 * shape(1).1],
        "gamma-t" => vec![-pair.shape(1).0, -pair.shape(1).1],
        "shear" => {
            let ((t, x), (u, y)) = (pair.shape(0), pair.shape(1));
            vec![t * u + x * y, t * u - x * y]
        }
        "dipole" => {
            let s = dot(pair.a[0], pair.a[1]);
            vec![s, 3.0 * pair.radial(pair.a[0]) * pair.radial(pair.a[1]) - s]
        }
        "force-rdf" => vec![pair.radial(dv) / (2.0 * pair.r * pair.r)],
        other => panic!("no formula for {other}"),
    }
}

const NAMES: [&str; 3] = ["a", "b", "c"];

fn check(
    form: &str,
    sums: &PairSums,
    values: &[Vec<f64>; 3],
    points: &Points,
    domain: &Domain,
    los: LineOfSight,
) -> usize {
    let bins: Bins = RBins::new(Edges::linear(0.05, 0.5, 2).unwrap()).into();
    let geometry = Geometry::of(&bins, domain).with_line_of_sight(los);
    let taken = sums.columns_of_both();
    let of = |name: &str| values[NAMES.iter().position(|other| *other == name).unwrap()].clone();
    let particles = filled(&Particles::new(points.clone()), &taken, of);
    let objects = Objects {
        particles: &particles,
        columns: &taken,
    };
    let program = sums.bind(&objects, &objects, &geometry).unwrap();
    assert!(program.sums().iter().all(|sum| sum.proven), "{form}");
    let one_sided = ["ia", "gamma-t"].contains(&form);
    for sum in program.sums() {
        assert_eq!(
            sum.exchange,
            if one_sided {
                Exchange::Neither
            } else {
                Exchange::Even
            },
            "{form}: {}",
            sum.name
        );
    }
    let mut looked_at = 0;
    for (i, j) in (0..points.len()).flat_map(|i| (0..points.len()).map(move |j| (i, j))) {
        let sep = domain.separation(points.at(i), points.at(j));
        if i == j || bins.bin(&sep).is_none() {
            continue;
        }
        let pair = Pair {
            d: sep.d,
            r: sep.r2.sqrt(),
            x: [points.at(i), points.at(j)],
            a: [i, j].map(|row| [0, 1, 2].map(|k| values[k][row])),
            mean: values[0].iter().sum::<f64>() / points.len() as f64,
        };
        let column =
            |end: End, k: usize| particles.columns()[k].at(if end == End::First { i } else { j });
        for (at, value) in expected(form, domain.is_periodic(), &pair)
            .into_iter()
            .enumerate()
        {
            let found = program.value(at, &sep, column);
            assert!(
                (found - value).abs() <= 1e-12 * (1.0 + value.abs()),
                "{form}, sum {at}: {found}, not {value}"
            );
            looked_at += 1;
        }
    }
    looked_at
}

#[test]
fn forms_are_their_formulas() {
    let mut draw = Draw(3);
    let inside = |draw: &mut Draw| [0, 1, 2].map(|_| draw.unit());
    let rows: Vec<Vector> = (0..30).map(|_| inside(&mut draw)).collect();
    let far: Vec<Vector> = rows.iter().map(|x| x.map(|x| x + 1.5)).collect();
    let values = [0, 1, 2].map(|_| (0..30).map(|_| draw.unit() + 0.25).collect::<Vec<f64>>());
    let in_box = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    for form in forms() {
        let text = format!(
            "{}({})",
            form.name,
            NAMES[..form.parameters.len()].join(",")
        );
        let sums = PairSums::parse(&[text.parse().unwrap()], &[], &width).unwrap();
        let (boxed, open) = (
            Points::from_rows(&rows).unwrap(),
            Points::from_rows(&far).unwrap(),
        );
        let along = LineOfSight::Fixed(Axis::Z);
        if !["ksz", "gamma-t", "shear"].contains(&form.name) {
            assert!(check(form.name, &sums, &values, &boxed, &in_box, along) > 100);
        }
        assert!(
            check(
                form.name,
                &sums,
                &values,
                &open,
                &Domain::Open,
                LineOfSight::Midpoint
            ) > 100
        );
    }
}

#[test]
fn directions_of_the_sky_are_unit_vectors_at_right_angles() {
    use albireo_pair_sums::ObjectColumn;
    let mut draw = Draw(4);
    let rows: Vec<Vector> = (0..20)
        .map(|_| [0, 1, 2].map(|_| draw.unit() - 0.5))
        .chain([[0.0; 3], [0.0, 0.0, 2.0]])
        .collect();
    let particles = Particles::new(Points::from_rows(&rows).unwrap());
    let vector = |column: fn(u8) -> ObjectColumn, row: usize| {
        [0, 1, 2].map(|k| column(k).of_points(&particles).unwrap().at(row))
    };
    for row in 0..20 {
        let all = [
            ObjectColumn::Direction,
            ObjectColumn::East,
            ObjectColumn::North,
        ]
        .map(|column| vector(column, row));
        for (k, l) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)] {
            let product = dot(all[k], all[l]);
            assert!(
                (product - f64::from(u8::from(k == l))).abs() < 1e-14,
                "{product}"
            );
        }
        assert!(
            all[2][2] > 0.0 && all[1][2] == 0.0,
            "north is up, east is level"
        );
    }
    assert_eq!(vector(ObjectColumn::Direction, 20), [0.0; 3]);
    assert_eq!(vector(ObjectColumn::North, 21), [0.0; 3]);
}
