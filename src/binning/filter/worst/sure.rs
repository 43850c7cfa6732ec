//! Where a filter is sure, no edge lies within the error of its coordinate: searched for on every instruction set.

use super::*;

/// Places squares by an axis: bins with a fraction, or bins that are sure.
struct Place<'a, A>(A, &'a [f32], usize);

impl<A: AcrossAxis> Kernel for Place<'_, A> {
    type Output = Vec<(u32, u32)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self(axis, squares, row) = self;
        let mut placed = vec![];
        for squares in squares.chunks_exact(S::LANES) {
            let (bin, certainty) = axis.place(simd, simd.load(squares), row);
            let (mut bins, mut certainties) = ([0; MOST_LANES], [0; MOST_LANES]);
            simd.store_u(bin, &mut bins);
            simd.store_u(certainty, &mut certainties);
            placed.extend((0..S::LANES).map(|k| (bins[k], certainties[k])));
        }
        placed
    }
}

/// The same for a coordinate along the line of sight.
struct PlaceAlong<'a, A>(A, &'a [f32]);

impl<A: AlongAxis> Kernel for PlaceAlong<'_, A> {
    type Output = Vec<(u32, u32)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self(axis, values) = self;
        let mut placed = vec![];
        for values in values.chunks_exact(S::LANES) {
            let (bin, certainty) = axis.place(simd, simd.load(values), 1.0);
            let (mut bins, mut certainties) = ([0; MOST_LANES], [0; MOST_LANES]);
            simd.store_u(bin, &mut bins);
            simd.store_u(certainty, &mut certainties);
            placed.extend((0..S::LANES).map(|k| (bins[k], certainties[k])));
        }
        placed
    }
}

/// Values at `edge` and up to `errors` times `error` beside it, near ones more often.
fn around(random: &mut Random, edge: f64, error: f64, errors: f64) -> Vec<f32> {
    let mut values: Vec<f32> = (0..20 * MOST_LANES)
        .map(|_| {
            let t = random.between(-1.0, 1.0);
            (edge + errors * error * t) as f32
        })
        .collect();
    // And the floats next to it.
    if edge != 0.0 {
        let bits = (edge as f32).to_bits() - 8;
        for (k, value) in values.iter_mut().take(MOST_LANES).enumerate() {
            *value = f32::from_bits(bits + k as u32);
        }
    }
    values
}

/// The largest part of its certain distance from an edge that the error takes: where a value is sure to lie in a bin, its error may not
/// reach the edges of that bin.
fn most_of_distance(
    placed: &[(u32, u32)],
    doubtful: u32,
    values: &[f32],
    edges: &[f64],
    error: &dyn Fn(f64) -> f64,
) -> f64 {
    let mut most: f64 = 0.0;
    for (&value, &(bin, certainty)) in values.iter().zip(placed) {
        if certainty <= doubtful {
            continue;
        }
        let (value, n) = (f64::from(value), edges.len() - 1);
        let bin = bin as usize;
        let nearest = if bin < n {
            (value - edges[bin]).min(edges[bin + 1] - value)
        } else if value > edges[n / 2] {
            value - edges[n]
        } else {
            edges[0] - value
        };
        assert!(
            nearest > 0.0,
            "{value} is sure to lie in bin {bin} of {edges:?}"
        );
        most = most.max(error(value) / nearest);
    }
    most
}

/// Edges of some kinds between 0 and 1.
fn edges_of_kinds() -> Vec<Edges> {
    vec![
        Edges::linear(0.0, 1.0, 10).unwrap(),
        Edges::linear(0.0, 0.7, 31).unwrap(),
        Edges::linear(0.2, 0.9, 20).unwrap(),
        Edges::linear(0.5, 0.5625, 4).unwrap(),
        Edges::linear(0.0, 1.0, 400).unwrap(),
        Edges::logarithmic(0.01, 1.0, 20).unwrap(),
        Edges::logarithmic(0.3, 0.9, 1).unwrap(),
        Edges::logarithmic(0.5, 1.0, 100).unwrap(),
        Edges::new(vec![0.0, 0.013, 0.1, 0.11, 0.5, 0.93]).unwrap(),
    ]
}

const ROUNDING: Rounding = Rounding {
    scale: 1.0,
    half: 0.05,
    exact: 1e-15,
};

/// The worst of an axis over squares around all its edges.
fn worst_across<A: AcrossAxis>(
    axis: A,
    edges: &Edges,
    square_error: &dyn Fn(f64) -> f64,
    first_sure: f32,
) -> f64 {
    let mut random = Random(7);
    let mut most: f64 = 0.0;
    let error = |x: f64| square_error(x.max(0.0).sqrt());
    for &e2 in edges.squares().iter().filter(|&&e2| e2 > 0.0) {
        for spread in [1.2, 3.0, 20.0, 1000.0] {
            let mut squares = around(&mut random, e2, error(e2), spread);
            for x in &mut squares {
                *x = x.max(first_sure);
            }
            for isa in Isa::available() {
                for row in [0, 1] {
                    let placed = isa.dispatch(Place(axis, &squares, row));
                    let doubtful = axis.doubtful();
                    let part =
                        most_of_distance(&placed, doubtful, &squares, edges.squares(), &error);
                    most = most.max(part);
                }
            }
        }
    }
    most
}

#[test]
fn what_is_sure_is_farther_from_edges_than_its_error() {
    let square_error = |s: f64| ROUNDING.of_square(s);
    let [mut linear, mut logarithmic, mut table]: [f64; 3] = [0.0; 3];
    for edges in &edges_of_kinds() {
        // The error of a root given exactly its square is that of the difference alone.
        let coarse = ROUNDING.of_roots(edges.last(), ROOT_ERROR);
        if let Some(axis) = LinearRoot::<false>::new(edges, &ROUNDING, coarse) {
            linear = linear.max(worst_across(axis, edges, &square_error, TINY));
        }
        if let Some(axis) = Logarithmic::new(edges, &ROUNDING, &square_error) {
            let least = axis.least().next_up();
            logarithmic = logarithmic.max(worst_across(axis, edges, &square_error, least));
        }
        if let Some(axis) = SquareTable::new(edges, &ROUNDING, &square_error, 1) {
            table = table.max(worst_across(axis.view(), edges, &square_error, TINY));
        }
    }
    println!("linear {linear:.3}, logarithmic {logarithmic:.3}, table {table:.3} of the distance");
    for (name, most, near) in [
        ("linear", linear, 0.2),
        // Its polynomial takes most of the distance: see below.
        ("logarithmic", logarithmic, 0.05),
        ("table", table, 0.2),
    ] {
        assert!(most < 1.0, "{name}: {most}");
        assert!(
            most > near,
            "{name}: only {most} of the distance is ever used"
        );
    }
}

/// The position among logarithmic bins, of a square that is off by its error, against the bound on its own error.
#[test]
fn positions_among_logarithmic_bins_stay_within_their_bound() {
    let mut random = Random(10);
    let mut most: f64 = 0.0;
    for (lo, hi, n) in [
        (0.01, 1.0, 20),
        (0.3, 0.9, 1),
        (0.5, 1.0, 100),
        (0.004, 1.0, 31),
    ] {
        let edges = Edges::logarithmic(lo, hi, n).unwrap();
        for half in [0.0, 0.05] {
            let rounding = Rounding { half, ..ROUNDING };
            let error = |s: f64| rounding.of_square(s);
            let axis = Logarithmic::new(&edges, &rounding, &error).unwrap();
            let from = f64::from(axis.least().next_up()).max(lo * lo);
            let squares: Vec<f32> = (0..40_000)
                .map(|_| (from * libm::pow(hi * hi / from, random.unit())) as f32)
                .collect();
            let eps = f64::from(axis.doubtful()) / libm::exp2(33.0);
            let position =
                |square: f64| n as f64 * (square / (lo * lo)).ln() / (2.0 * (hi / lo).ln());
            for isa in Isa::available() {
                let placed = isa.dispatch(Place(axis, &squares, 0));
                for (&square, (bin, fraction)) in squares.iter().zip(placed) {
                    let x = f64::from(square);
                    let found = f64::from(bin) + f64::from(fraction) / libm::exp2(32.0) - eps;
                    for truth in [x - error(x.sqrt()), x + error(x.sqrt())] {
                        if found >= 0.0 && found < n as f64 {
                            most = most.max((found - position(truth)).abs() / eps);
                        }
                    }
                }
            }
        }
    }
    println!("logarithmic bins: at worst {most:.3} of the bound");
    assert!((0.5..1.0).contains(&most), "{most}");
}

#[test]
fn what_is_sure_along_a_line_is_farther_from_edges_than_its_error() {
    let [mut linear, mut table]: [f64; 2] = [0.0; 2];
    let (error, coarse) = (3e-6, 1e-3);
    let mut random = Random(8);
    for edges in [
        SignedEdges::linear(-1.0, 1.0, 8).unwrap(),
        SignedEdges::linear(0.0, 0.7, 30).unwrap(),
        SignedEdges::new(vec![-0.9, -0.1, 0.0, 0.013, 0.5, 0.93]).unwrap(),
    ] {
        let values = edges.values();
        let of = |random: &mut Random, k: usize, spread| around(random, values[k], error, spread);
        let bounds = CoordinateError {
            constant: error,
            ..CoordinateError::default()
        };
        for k in 0..values.len() {
            // Without signs no value is below an edge of 0.
            if values[k] == 0.0 && values[0] == 0.0 {
                continue;
            }
            for spread in [1.2, 3.0, 20.0] {
                let near = of(&mut random, k, spread);
                for isa in Isa::available() {
                    if let Some(axis) = super::linear::Linear::new(values, bounds) {
                        let placed = isa.dispatch(PlaceAlong(axis, &near));
                        let doubtful = AlongAxis::doubtful(&axis);
                        let part = most_of_distance(&placed, doubtful, &near, values, &|_| error);
                        linear = linear.max(part);
                    }
                    // An error of about a cell: with much smaller ones cells alone are what is seen.
                    let axis = GridTable::new(values, coarse);
                    let near = around(&mut random, values[k], coarse, spread);
                    let placed = isa.dispatch(PlaceAlong(axis.view(), &near));
                    let part = most_of_distance(&placed, 0, &near, values, &|_| coarse);
                    table = table.max(part);
                }
            }
        }
    }
    println!("linear {linear:.3}, table {table:.3} of the distance along a line");
    for (name, most) in [("linear", linear), ("table", table)] {
        assert!(most < 1.0, "{name}: {most}");
        assert!(
            most > 0.2,
            "{name}: only {most} of the distance is ever used"
        );
    }
}

/// Bounds narrowed down to two blocks: separations from one number to another, however far below or above the bins.
#[test]
fn what_is_sure_within_two_blocks_is_farther_from_edges_than_its_error() {
    let mut random = Random(9);
    let square_error = |s: f64| ROUNDING.of_square(s);
    for edges in &edges_of_kinds() {
        let bounds = ROUNDING.of_roots(edges.last(), ROOT_ERROR);
        let linear = LinearRoot::<false>::new(edges, &ROUNDING, bounds);
        let logarithmic = Logarithmic::new(edges, &ROUNDING, &square_error);
        for _ in 0..200 {
            let least = match random.bits() % 4 {
                0 => 0.0,
                1 => edges.last() * random.between(0.9, 40.0),
                _ => edges.last() * random.between(0.0, 1.0),
            };
            let most = least + edges.last() * libm::exp2(random.between(-12.0, 1.0));
            let half = ROUNDING.half * random.unit();
            let pairs = PairBounds::new(&ROUNDING, [least, most], half);
            let squares: Vec<f32> = (0..64 * MOST_LANES)
                .map(|_| {
                    let r = random.between(least, most);
                    ((r * r) as f32).max(TINY)
                })
                .collect();
            if let Some(axis) = linear {
                sure_within(axis.within(&pairs), edges, &squares);
            }
            if let Some(axis) = logarithmic {
                let axis = axis.within(&pairs);
                let decided: Vec<f32> = squares
                    .iter()
                    .map(|&x| x.max(axis.least().next_up()))
                    .collect();
                sure_within(axis, edges, &decided);
            }
        }
    }
}

/// Checks the bins of squares that are sure.
fn sure_within<A: AcrossAxis>(axis: A, edges: &Edges, squares: &[f32]) {
    let n = edges.n_bins();
    for isa in Isa::available() {
        let placed = isa.dispatch(Place(axis, squares, 0));
        for (&square, (bin, certainty)) in squares.iter().zip(placed) {
            if certainty > axis.doubtful() {
                let found = (bin as usize).min(n);
                let expected = edges.locate(f64::from(square)).unwrap_or(n);
                assert_eq!(found, expected, "{square} among {edges:?}");
            }
        }
    }
}

/// Checks the bins of values that are sure: of `lo` and `hi`, the least and the largest that they may be.
fn sure_between(
    placed: &[(u32, u32)],
    values: &[f32],
    edges: &[f64],
    between: &dyn Fn(f64) -> [f64; 2],
) {
    let n = edges.len() - 1;
    for (&value, &(found, certainty)) in values.iter().zip(placed) {
        if certainty == 0 {
            continue;
        }
        for truth in between(f64::from(value)) {
            let below = edges.partition_point(|&e| e <= truth);
            let expected = if below == 0 { n } else { below - 1 };
            assert_eq!(
                found as usize, expected,
                "{value} or {truth} among {edges:?}"
            );
        }
    }
}

/// Every cell of a table at both its ends, with errors from none up to where nothing is sure.
#[test]
fn cells_of_a_table_of_squares_are_sure_where_all_their_squares_are() {
    let isa = Isa::best();
    for edges in &edges_of_kinds() {
        for half in [0.0, 0.05, 30.0, 1e3, 1e4, 3e4, 1e5, 2e5, 3e5] {
            let rounding = Rounding { half, ..ROUNDING };
            let error = |s: f64| rounding.of_square(s);
            let Some(table) = SquareTable::new(edges, &rounding, &error, 1) else {
                continue;
            };
            let squares = edges.squares();
            let least = squares.iter().copied().find(|&e2| e2 > 0.0).unwrap();
            let ends = [least / 20.0, squares[edges.n_bins()] * 20.0];
            let [from, to] = ends.map(|x| (x as f32).to_bits() >> 11);
            // No cell is smaller than 2^11 floats.
            let mut values: Vec<f32> = (from..to)
                .flat_map(|key| [(key << 11) - 1, key << 11])
                .map(f32::from_bits)
                .collect();
            values.resize(values.len().next_multiple_of(MOST_LANES), 1e15);
            let placed = isa.dispatch(Place(table.view(), &values, 0));
            sure_between(&placed, &values, squares, &|x| {
                let error = error(x.sqrt());
                [(x - error).max(0.0), x + error]
            });
        }
    }
}

/// The same along a line: cells begin at edges, so that roundings of the map alone take values from one to the next.
#[test]
fn cells_of_a_table_along_a_line_are_sure_where_all_their_values_are() {
    for (lo, hi) in [
        (-1.0, 1.0),
        (0.0, 0.7),
        (0.3, 1.1),
        (-0.9, 0.05),
        (5.0, 5.01),
    ] {
        let at = |part: f64| lo + (hi - lo) * part;
        let mut edges = [0.0, 0.25, 0.5, 1.0 / 3.0, 1.0 / 31.0, 1.0 / 11.0, 1.0]
            .map(at)
            .to_vec();
        edges.sort_by(f64::total_cmp);
        for error in [0.0, 1e-7, 1e-4, 1e-2] {
            let table = GridTable::new(&edges, error);
            let mut values = vec![];
            for &edge in &edges {
                let near = edge as f32;
                for k in -40i32..40 {
                    let beside = if near == 0.0 { k as f32 * 1e-9 } else { near };
                    let bits = beside.to_bits();
                    let moved = if near == 0.0 {
                        bits
                    } else {
                        bits.wrapping_add_signed(k)
                    };
                    values.push(f32::from_bits(moved));
                }
                for k in -40..40 {
                    values.push((edge + f64::from(k) * (error / 20.0 + 1e-5)) as f32);
                }
            }
            // Without signs no value is below an edge of 0.
            values.retain(|&v| lo != 0.0 || v >= 0.0);
            values.resize(values.len().next_multiple_of(MOST_LANES), 1e15);
            let between =
                |x: f64| [x - error, x + error].map(|x| if lo == 0.0 { x.max(0.0) } else { x });
            for isa in Isa::available() {
                let placed = isa.dispatch(PlaceAlong(table.view(), &values));
                sure_between(&placed, &values, &edges, &between);
            }
        }
    }
}

/// Slots without a point lie far away on every axis, and with any doubt they must be counted in no bin.
#[test]
fn what_lies_far_away_is_in_no_bin_whatever_the_error() {
    let far = [1e15f32; MOST_LANES];
    let mut tables = 0;
    for error in [1e-7, 1e-5, 1e-3, 0.1] {
        for width in [1e-4, 1e-2, 0.5] {
            let edges = [0.3, 0.3 + width / 2.0, 0.3 + width];
            let along = GridTable::new(&edges, error);
            let across = Edges::new(edges.to_vec()).unwrap();
            let square = SquareTable::new(&across, &ROUNDING, &|_| error, 1);
            for isa in Isa::available() {
                for (bin, _) in isa.dispatch(PlaceAlong(along.view(), &far)) {
                    assert_eq!(bin, 2, "{error} {width}");
                }
                let Some(table) = &square else { continue };
                tables += 1;
                for (bin, _) in isa.dispatch(Place(table.view(), &far, 0)) {
                    assert_eq!(bin, 2, "{error} {width}");
                }
            }
        }
    }
    assert!(tables > 0);
    // Errors that reach as far must not put them into a first bin from 0.
    let from_zero = Edges::linear(0.0, 0.5, 2).unwrap();
    for error in [1e27, 1e29, 1e30, 1e31, 1e35] {
        let Some(table) = SquareTable::new(&from_zero, &ROUNDING, &|_| error, 1) else {
            continue;
        };
        let beyond = [super::super::axes::FAR_SQUARE; MOST_LANES];
        for isa in Isa::available() {
            for (bin, _) in isa.dispatch(Place(table.view(), &beyond, 0)) {
                assert_eq!(bin, 2, "{error}");
            }
        }
    }
}
