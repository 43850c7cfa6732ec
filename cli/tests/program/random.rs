//! `albireo random`: the numbers of the C library, from anywhere in their sequence, and what is refused.

use crate::folder::{Folder, floats, integers, refused};

#[test]
fn numbers_are_those_of_the_c_library_from_anywhere_on() {
    let folder = Folder::new();
    folder.good("random -n 6144 --seed 1 --function lrand48 -o l.parquet");
    let numbers = integers(&folder.table("l.parquet"), "lrand48");
    assert_eq!(numbers[..3], [89_400_484, 976_015_093, 1_792_756_325]);
    assert_eq!(numbers[6143], 1_255_759_772);
    let skip = "random -n 2 --seed 1 --function lrand48 --skip 9999999 --streams 6144 --threads 1 -o far.csv";
    folder.good(skip);
    let far = folder.table("far.csv");
    assert_eq!(integers(&far, "lrand48")[0], 1_993_833_999);
    assert_eq!(
        (&far.meta["seed"], &far.meta["skip"]),
        (&1.into(), &9_999_999.into())
    );
    // The top bits of one state, three times.
    folder.good("random -n 100 --seed 1 -o d.parquet");
    folder.good("random -n 100 --seed 1 --function mrand48 -o m.parquet");
    let uniform = floats(&folder.table("d.parquet"), "drand48");
    let signed = floats(&folder.table("m.parquet"), "mrand48");
    for ((u, s), l) in uniform.iter().zip(signed).zip(numbers) {
        assert_eq!((u * 2f64.powi(31)).floor(), l as f64);
        assert_eq!((u * 2f64.powi(32)).floor(), s.rem_euclid(2f64.powi(32)));
    }
}

#[test]
fn more_threads_than_cores_can_take_are_refused() {
    let call = "random -n 5 --threads 1000000 -o r.csv";
    refused(&Folder::new(), call, 2, &["must be 1 to", "found 1000000"]);
}
