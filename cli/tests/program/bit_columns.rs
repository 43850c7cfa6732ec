//! Columns of bits: the same counts from every format, and what is refused.

use std::path::Path;

use albireo::particles::Bits;
use albireo::tally::PairNormalisation;
use albireo::{CountSpec, Edges, Pairs, Particles, Points, RBins};

use crate::folder::{Folder, floats, integers};
use crate::pair_weights::{efficient, library, pip};

#[test]
fn every_format_gives_the_same_counts() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalogs/tests/fixtures/bits");
    let folder = Folder::new();
    let file = |name: &str| fixtures.join(name).display().to_string();
    let count = |name: &str, bits: &str| {
        folder.good(&format!(
            "count {} --positions x,y,z --bits {bits} --bins lin:0:6:6 -o c.csv",
            file(name)
        ));
        let table = folder.table("c.csv");
        (
            integers(&table, "npairs"),
            floats(&table, "weight"),
            table.meta,
        )
    };
    let (pairs, weights, _) = count("bits.csv", "B0,B1");
    let column = |m: u32| -> Vec<f64> { (0..40).map(|k| f64::from(k * m % 17) * 0.5).collect() };
    let points = Points::new(column(1), column(5), column(7)).unwrap();
    let word = |k: u64, j: u64| match [1 << 63, u64::MAX, (1 << 63) + 1, (1 << 53) + 1, 0]
        .get(k as usize)
    {
        Some(&extreme) if j == 0 => extreme,
        _ => (k + 1)
            .wrapping_mul(2 * j + 1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15),
    };
    let words = (0..40).flat_map(|k| [word(k, 0), word(k, 1)]).collect();
    let bits = Bits::new(words, 2).unwrap();
    let sample = Particles::new(points).with_bits(bits).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 6.0, 6).unwrap());
    let weight = pip(efficient(), PairNormalisation::default());
    let what = CountSpec::new(bins).weighted_by(weight);
    let expected = library(Pairs::Auto(&sample), what);
    assert_eq!(
        (&pairs[..], Some(weights.clone())),
        (expected.npairs(), expected.weight())
    );
    #[cfg(all(feature = "fits", feature = "hdf5", feature = "parquet"))]
    for name in ["bits.fits", "bits.h5", "bits.parquet"] {
        for bits in ["B0,B1", "V", "U,B1", "V[0],B1"] {
            let (other_pairs, other_weights, _) = count(name, bits);
            assert_eq!(
                (&other_pairs, &other_weights),
                (&pairs, &weights),
                "{name} {bits}"
            );
        }
        // A column of 32 bits has 33 realisations.
        let (_, _, meta) = count(name, "I32");
        assert_eq!(
            meta["counts"]["DD"]["pair_weight"]["bits"]["realizations"],
            33
        );
    }
}

/// Each is one line that says what is wrong, and nothing is written.
pub(crate) fn refused(folder: &Folder, cases: &[(String, i32, &str)]) {
    let before = folder.names();
    for (arguments, code, expected) in cases {
        let run = folder.run(&format!("{arguments} -o out.csv"));
        assert_eq!(run.code, *code, "{arguments}\n{}", run.stderr);
        let error: Vec<&str> = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("error:"))
            .collect();
        assert_eq!(error.len(), 1, "{arguments}\n{}", run.stderr);
        assert!(run.stderr.contains(expected), "{arguments}\n{}", run.stderr);
        assert_eq!(folder.names(), before, "{arguments}");
    }
}
