//! Table 2 of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277) redone: how far off float32 terms and sums are, in the order of each of
//! their methods, and how many tests of distances succeed.
//!
//! `cargo run --release --example field_variants [VOLUME]`: water of the paper's 10^6 cubic Angstrom, or of this volume; cutoff 12, points
//! every half Angstrom. Errors are against exact sums of float64 terms; those of large bins need 10^11 tests at the paper's volume.
#![allow(clippy::print_stdout, missing_docs, reason = "an example prints")]

#[path = "water/mod.rs"]
mod water;

use albireo::Domain;
use albireo::engine::{Cpu, Silent};
use albireo_fields::{
    Cutoff, DistanceTests, FieldEngine, FieldJob, FieldVariant, Float32Sum, Precision, Term,
    field_by_variant, field_in_float32,
};
use water::{Failure, points, water};

/// Below this potential, in e/A, relative errors are not given, as in the paper.
const FAINT: f64 = 1e-4;

fn row(name: &str, values: &[f64], exact: &[f64], tests: Option<DistanceTests>) {
    let (mut absolute, mut relative) = (0.0f64, 0.0f64);
    for (value, exact) in values.iter().zip(exact) {
        let error = (value - exact).abs();
        if exact.abs() > FAINT {
            absolute = absolute.max(error);
            relative = relative.max(error / exact.abs());
        }
    }
    let share = tests.map_or(String::new(), |tests| {
        format!("{:.2}", 100.0 * tests.share())
    });
    println!(
        "{name:<40} {:>12.4} {absolute:>12.2e} {share:>10}",
        100.0 * relative
    );
}

fn main() -> Result<(), Failure> {
    let volume = std::env::args()
        .nth(1)
        .map_or(Ok(1e6), |word| word.parse::<f64>())?;
    let side = volume.cbrt();
    let (atoms, charges) = water(side)?;
    let term = Term::coulomb(Cutoff::Smooth(12.0), 0.1)?;
    let double = FieldJob::new(&atoms, &charges, &Domain::Open, term, points(side)?)?;
    let single = double.clone().with_precision(Precision::Single)?;
    let (cpu, planes) = (Cpu::new(), double.targets().planes());
    let of_double = cpu.field(&double, planes.clone(), &Silent)?;
    let exact = of_double.values();
    println!("{} atoms, {} points", double.n_sources(), exact.len());
    println!(
        "{:<40} {:>12} {:>12} {:>10}",
        "method", "relative, %", "e/A", "succeed, %"
    );
    let of_single = cpu.field(&single, planes.clone(), &Silent)?;
    row(
        "float32 terms, exact sums",
        &of_single.values(),
        &exact,
        None,
    );
    let (large, small) = (
        FieldVariant::large_bins(12.0),
        FieldVariant::small_bins(12.0),
    );
    for (variant, sum) in [
        (FieldVariant::Cylinder, Float32Sum::Plain),
        (large, Float32Sum::Plain),
        (small, Float32Sum::Plain),
        (small, Float32Sum::Compensated),
    ] {
        let (values, tests) =
            field_in_float32(&cpu, sum, variant, &single, planes.clone(), &Silent)?;
        let name = format!("{}, {} float32 sums", variant.name(), sum.name());
        row(&name, &values, &exact, Some(tests));
    }
    let (sums, tests) = field_by_variant(&cpu, small, &double, planes, &Silent)?;
    if sums != of_double {
        return Err("small bins: other sums than the default's".into());
    }
    row(
        "small-bins, float64 terms, exact sums",
        &sums.values(),
        &exact,
        Some(tests),
    );
    Ok(())
}
