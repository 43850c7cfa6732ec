//! Errors of correlated frames, held to the scatter of independent runs.

use albireo::counts::{JobId, PairKind, PairTotal};
use albireo::random::Stream;
use albireo::{Counts, RBins};
use albireo_fluids::{
    BlockErrors, Blocking, Blocks, Frame, Normalisation, Partials, Plateau, Space, Species,
};

use super::{assert_close, gas, r_bins};

/// Normal numbers by index (Box & Muller).
fn normal(stream: Stream, index: u64) -> f64 {
    let (u, v) = (stream.uniform(2 * index), stream.uniform(2 * index + 1));
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// `x_t = phi x_(t-1) + noise` of unit variance, as it has always been going on.
fn autoregressive(phi: f64, n: u64, seed: u64) -> Vec<f64> {
    let noise = Stream::new(seed);
    let step = (1.0 - phi * phi).sqrt();
    let mut x = normal(noise, n);
    let values = (0..n).map(|t| {
        x = phi * x + step * normal(noise, t);
        x
    });
    values.collect()
}

/// The exact standard error of the mean of n such numbers.
fn exact_error(phi: f64, n: u64) -> f64 {
    let count = n as f64;
    let terms = (1..n).map(|k| (1.0 - k as f64 / count) * phi.powi(k as i32));
    ((1.0 + 2.0 * terms.sum::<f64>()) / count).sqrt()
}

#[test]
fn errors_are_those_of_autoregressive_series() {
    for (phi, n) in [(0.0, 1000), (0.5, 2048), (0.9, 4096), (0.95, 8192)] {
        let exact = exact_error(phi, n);
        let runs = 32;
        let mut squares = 0.0;
        for run in 0..runs {
            let mut series = Blocking::new(1);
            for x in autoregressive(phi, n, 100 * run + 7) {
                series.add(&[x + 3.0], &[1.0]).unwrap();
            }
            let error = series.errors(Plateau::Cubic)[0];
            assert!(
                error / exact > 0.5 && error / exact < 1.7,
                "{phi} {run}: {error} {exact}"
            );
            squares += error * error / runs as f64;
        }
        let ratio = squares.sqrt() / exact;
        assert!((0.9..1.08).contains(&ratio), "phi {phi}: {ratio}");
    }
}

#[test]
fn what_varies_together_cancels_in_a_ratio() {
    // x = R d with a d that varies much, and a little noise: only the noise is an error.
    let (slow, noise) = (autoregressive(0.95, 4096, 3), autoregressive(0.0, 4096, 4));
    let mut series = Blocking::new(1);
    for (s, e) in slow.iter().zip(&noise) {
        let d = 10.0 + s;
        series.add(&[2.0 * d + 0.01 * e], &[d]).unwrap();
    }
    assert!((series.ratios()[0] - 2.0).abs() < 1e-4);
    let expected = 0.01 / 64.0 / 10.0;
    let error = series.errors(Plateau::Cubic)[0];
    assert!((error / expected - 1.0).abs() < 0.2, "{error} {expected}");
}

#[test]
fn too_few_blocks_are_nan() {
    let mut series = Blocking::new(2);
    for x in autoregressive(0.99, 60, 1) {
        series.add(&[x, 5.0], &[1.0, 2.0]).unwrap();
        assert!(series.errors(Plateau::Cubic).iter().all(|e| e.is_nan()));
    }
    assert_eq!(series.ratios()[1], 2.5);
    assert_eq!(series.levels(0).len(), 5);
    assert!(series.levels(2).is_empty());
    assert!(series.add(&[1.0], &[1.0, 1.0]).is_err());
    assert!(series.add(&[f64::NAN, 1.0], &[1.0, 1.0]).is_err());
    assert_eq!(series.frames(), 60);
}

#[test]
fn levels_are_those_of_blocks_made_by_hand() {
    let values = autoregressive(0.8, 100, 9);
    let mut series = Blocking::new(1);
    for x in &values {
        series.add(&[*x], &[1.0]).unwrap();
    }
    for level in series.levels(0) {
        let blocks = values.chunks_exact(level.length as usize);
        let means: Vec<f64> = blocks
            .map(|b| b.iter().sum::<f64>() / b.len() as f64)
            .collect();
        let n = means.len() as f64;
        assert_eq!(level.blocks, means.len() as u64);
        let mean = means.iter().sum::<f64>() / n;
        let spread = means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>();
        let error = (spread / n / (n - 1.0)).sqrt();
        assert!((level.error / error - 1.0).abs() < 1e-12);
        assert!((level.uncertainty / error * (2.0 * (n - 1.0)).sqrt() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn parts_of_a_series_join_in_their_order() {
    let values = autoregressive(0.8, 192, 5);
    let of = |run: &[f64]| {
        let mut series = Blocking::new(1);
        for x in run {
            series.add(&[*x], &[1.0]).unwrap();
        }
        series
    };
    let whole = of(&values);
    let mut parts = of(&values[..64]);
    parts.append(&of(&values[64..128])).unwrap();
    parts.append(&of(&values[128..])).unwrap();
    assert_eq!(parts.frames(), 192);
    // Blocks of up to 64 frames are those of the whole.
    for (a, b) in whole.levels(0).iter().zip(parts.levels(0)) {
        assert_eq!((a.length, a.blocks), (b.length, b.blocks));
        assert!((a.error / b.error - 1.0).abs() < 1e-12);
    }
    assert!(parts.append(&Blocking::new(2)).is_err());
}

/// Particles that walk about in a unit box: the pairs of each frame.
fn walk(n: usize, frames: usize, seed: u64, bins: &RBins) -> Vec<Vec<u64>> {
    let mut rows = gas(n, seed, [1.0; 3]);
    let noise = Stream::new(seed).child(1);
    let mut draws = 0..;
    let squares = bins.edges().squares();
    let mut frame = || {
        for x in rows.iter_mut().flatten() {
            let step = noise.uniform(draws.next().unwrap()) - 0.5;
            *x = (*x + 0.2 * step).rem_euclid(1.0);
        }
        let mut pairs = vec![0; bins.edges().n_bins()];
        for (k, a) in rows.iter().enumerate() {
            for b in &rows[..k] {
                let d = |axis: usize| ((a[axis] - b[axis]).abs() - 0.5).abs() - 0.5;
                let r2 = (0..3).map(|axis| d(axis) * d(axis)).sum::<f64>();
                if let Some(bin) = squares[1..].iter().position(|e| r2 < *e) {
                    pairs[bin] += 1;
                }
            }
        }
        pairs
    };
    (0..frames).map(|_| frame()).collect()
}

fn frame_counts(pairs: Vec<u64>, n: u64, bins: &RBins) -> [Counts; 1] {
    let total = PairTotal::unweighted(PairKind::AutoUnordered, n * (n - 1) / 2);
    [Counts::from_parts(bins.clone(), pairs, None, total, JobId(1)).unwrap()]
}

#[test]
fn block_errors_are_the_scatter_of_independent_runs() {
    let (runs, n, bins) = (32, 16, r_bins(0.0, 0.5, 4));
    let empty = Partials::new(&bins, Species::within(1)).unwrap();
    let space = Space::of_volume(1.0).unwrap();
    let (mut g, mut squares, mut naive) = (vec![], [0.0; 4], [0.0; 4]);
    for run in 0..runs {
        let mut errors = BlockErrors::new(&empty, Normalisation::Pairs).unwrap();
        let mut mean = empty.clone();
        for pairs in walk(n, 1200, run, &bins) {
            let counts = frame_counts(pairs, n as u64, &bins);
            let frame = Frame {
                counts: &counts,
                particles: &[n as u64],
                excluded: &[],
                space: &space,
                weight: 1.0,
            };
            errors.add_frame(&frame).unwrap();
            mean.add_frame(&frame).unwrap();
        }
        g.push(mean.g([0, 0], Normalisation::Pairs).unwrap());
        let found = errors.errors([0, 0], Plateau::Cubic).unwrap();
        for bin in 0..4 {
            squares[bin] += found[bin] * found[bin] / runs as f64;
            naive[bin] += errors.levels([0, 0], bin).unwrap()[0].error.powi(2) / runs as f64;
        }
    }
    // The scatter of 32 runs is itself known to an eighth in each bin, so that bins are judged together.
    let mut together = 0.0;
    for bin in 0..4 {
        let mean = g.iter().map(|g| g[bin]).sum::<f64>() / runs as f64;
        let scatter = g.iter().map(|g| (g[bin] - mean).powi(2)).sum::<f64>() / (runs - 1) as f64;
        together += squares[bin] / scatter / 4.0;
        assert!(naive[bin] < 0.5 * scatter, "frames remember each other");
    }
    let ratio = together.sqrt();
    assert!((0.8..=1.25).contains(&ratio), "{ratio}");
}

#[test]
fn blocks_are_partials_of_their_frames() {
    let bins = r_bins(0.0, 0.5, 4);
    let empty = Partials::new(&bins, Species::within(1)).unwrap();
    let space = Space::of_volume(1.0).unwrap();
    let pairs = walk(12, 50, 3, &bins);
    let fill = |run: &[Vec<u64>]| {
        let (mut blocks, mut all) = (Blocks::new(&empty, 8).unwrap(), empty.clone());
        for pairs in run {
            let counts = frame_counts(pairs.clone(), 12, &bins);
            let frame = Frame {
                counts: &counts,
                particles: &[12],
                excluded: &[],
                space: &space,
                weight: 1.0,
            };
            blocks.add_frame(&frame).unwrap();
            all.add_frame(&frame).unwrap();
        }
        (blocks, all)
    };
    let (blocks, all) = fill(&pairs);
    let pairs_of = Normalisation::Pairs;
    assert_eq!(blocks.whole().len(), 6);
    let merged = blocks.all().unwrap();
    assert_eq!(
        merged.g([0, 0], pairs_of).unwrap(),
        all.g([0, 0], pairs_of).unwrap()
    );
    assert_eq!(merged.frames(), 50);
    let (_, first) = fill(&pairs[..16]);
    let running = blocks.running([0, 0], pairs_of).unwrap();
    assert_eq!(running[1], first.g([0, 0], pairs_of).unwrap());
    let g = blocks.g([0, 0], pairs_of).unwrap();
    assert_close(
        &[g.iter().map(|g| g[3]).sum::<f64>() / 6.0],
        &[running[5][3]],
        1e-13,
    );
    let error = blocks.error([0, 0], pairs_of).unwrap().unwrap();
    let mut one = Blocking::new(4);
    for g in &g {
        one.add(g, &[1.0; 4]).unwrap();
    }
    let expected: Vec<f64> = (0..4).map(|bin| one.levels(bin)[0].error).collect();
    assert_close(&error, &expected, 1e-13);
    // Parts in their order.
    let (mut parts, _) = fill(&pairs[..16]);
    parts.append(fill(&pairs[16..]).0).unwrap();
    assert_eq!(parts.running([0, 0], pairs_of).unwrap(), running);
    assert!(
        parts
            .append(blocks.clone())
            .unwrap_err()
            .to_string()
            .contains("2 of 8 frames")
    );
    assert!(parts.append(Blocks::new(&empty, 4).unwrap()).is_err());
    assert!(Blocks::new(&empty, 0).is_err());
    assert!(
        fill(&pairs[..9])
            .0
            .error([0, 0], pairs_of)
            .unwrap()
            .is_none()
    );
    assert!(BlockErrors::new(&empty, Normalisation::Density).is_err());
}
