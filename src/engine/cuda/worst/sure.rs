//! Where a slot is sure, no edge lies within the error of its coordinate.

use super::super::super::slots::{linear_axis, stepped_axis, table_axis};
use super::*;

/// The slot and the doubt of `linear_slot` and `along_slot`.
fn slot_of(axis: &DeviceAxis, value: f32) -> (u32, bool) {
    // A float64 product is exact; the sum is far from any rounding that matters, and then cut off.
    let sum = f64::from(value) * f64::from(axis.scale) + f64::from(axis.magic);
    let bits = (sum.floor() as f32).to_bits();
    (bits >> axis.shift, bits & axis.mask < axis.doubt)
}

#[test]
fn sure_slots_are_farther_from_edges_than_the_error() {
    let mut random = Random(3);
    let mut most: f64 = 0.0;
    for edges in [
        Edges::linear(0.0, 1.0, 10).unwrap(),
        Edges::linear(0.2, 0.9, 31).unwrap(),
        Edges::linear(0.5, 0.5625, 4).unwrap(),
        Edges::linear(0.0, 0.7, 700).unwrap(),
    ] {
        let values = edges.values();
        let errors = [3e-7, RELATIVE];
        let (axis, _) = linear_axis(values, 1.0, [0.0, 1.0], errors, true).unwrap();
        let (base, _) = slot_of(&axis, f64::midpoint(values[0], values[1]) as f32);
        for (k, &edge) in values.iter().enumerate().filter(|(_, e)| **e > 0.0) {
            let error = errors[0] + errors[1] * edge;
            for _ in 0..2000 {
                let spread = error * libm::exp2(random.between(-4.0, 3.0));
                let value = (edge + random.between(-spread, spread)) as f32;
                let (slot, doubt) = slot_of(&axis, value);
                if doubt {
                    continue;
                }
                let above = f64::from(value) > edge;
                let distance = (f64::from(value) - edge).abs();
                assert_eq!(
                    slot + 1 - base,
                    k as u32 + u32::from(above),
                    "{value} at {edge}"
                );
                most = most.max(error / distance);
            }
        }
    }
    println!("sure slots: the error is at most {most:.3} of the distance from an edge");
    assert!((0.2..1.0).contains(&most), "{most}");
}

#[test]
fn sure_entries_are_farther_from_edges_than_the_error() {
    let mut random = Random(4);
    let mut most: f64 = 0.0;
    for edges in [
        Edges::logarithmic(0.01, 1.0, 20).unwrap(),
        Edges::new(vec![0.0, 0.013, 0.1, 0.11, 0.5, 0.93]).unwrap(),
        Edges::linear(0.5, 0.5625, 4).unwrap(),
    ] {
        let error = |square: f64| 2.0 * square.sqrt() * 3e-7 + RELATIVE_SQUARE * square;
        let (axis, table) = table_axis(&edges, 1.0, error, true).unwrap();
        for (k, &square) in edges
            .squares()
            .iter()
            .enumerate()
            .filter(|(_, e)| **e > 0.0)
        {
            for _ in 0..4000 {
                let spread = error(square) * libm::exp2(random.between(-4.0, 8.0));
                let value = (square + random.between(-spread, spread)).max(0.0) as f32;
                let key = (value.to_bits() >> axis.key_shift).clamp(axis.key_low, axis.key_high);
                let [near, entry] = table[(key - axis.key_low) as usize];
                let beyond = value - f32::from_bits(near);
                if beyond.abs() <= f32::from_bits(entry & 0xffff_0000) {
                    continue;
                }
                let slot = (entry & 0xffff) + u32::from(beyond >= 0.0);
                let expected = edges.squares().partition_point(|&e| e <= f64::from(value));
                assert_eq!(slot, expected as u32, "{value} among {edges:?}, edge {k}");
                let distance = edges
                    .squares()
                    .iter()
                    .filter(|e| **e > 0.0)
                    .map(|e| (f64::from(value) - e).abs() / error(*e))
                    .fold(f64::INFINITY, f64::min);
                most = most.max(1.0 / distance);
            }
        }
    }
    println!("sure entries: the error is at most {most:.3} of the distance from an edge");
    assert!((0.2..1.0).contains(&most), "{most}");
}

/// Kernels add where a slot says, without a test: every value of an axis has one of its slots, a rounding beyond its ends too.
#[test]
fn every_value_of_an_axis_has_one_of_its_slots() {
    let mut random = Random(5);
    let first = |axis: &DeviceAxis| 0x4B00_0000 >> axis.shift;
    for turn in 0..4000 {
        let bins = 1 + (random.unit() * 12.0) as usize;
        let width = random.between(0.05, 0.4);
        // Ends a whole number of bins from the edges, and others.
        let part = |random: &mut Random| {
            let bins = random.between(0.0, 4.0);
            width * if turn % 2 == 0 { bins.floor() } else { bins }
        };
        let low = random.between(-1.0, 0.5);
        let high = low + width * bins as f64;
        let within = [low - part(&mut random), high + part(&mut random)];
        let edge = |k: usize| low + width * k as f64;
        let values: Vec<f64> = (0..=bins).map(edge).collect();
        let errors = [AXIS_COSINE, U];
        let Some(steps) = stepped_axis(&values, 1.0, within, errors) else {
            continue;
        };
        let (linear, slots) = linear_axis(&values, 1.0, within, errors, true).unwrap();
        assert_eq!(slots, steps.slots);
        for axis in [&steps.axis, &linear] {
            for (end, away) in [(within[0], -1.0), (within[1], 1.0)] {
                for error in [0.0, 0.5, 1.0] {
                    let value = end + away * error * (AXIS_COSINE + U * end.abs());
                    let (slot, _) = slot_of(axis, value as f32);
                    let number = slot.wrapping_sub(first(axis));
                    assert!(number < slots, "{value} of {values:?} within {within:?}");
                }
            }
        }
    }
}
