//! rand48 against the C library's own, number by number.
//!
//! Unsafe, as it calls the C library: `seed48` and its relatives below, which take numbers alone or an array of three words.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::random::{Leap, Leapfrog, Rand48};

/// The numbers that are compared of each seed.
const N: usize = 10_000_000;

#[test]
fn golden_values() {
    let mut generator = Rand48::new(1);
    let first: Vec<u32> = (0..6144).map(|_| generator.lrand48()).collect();
    assert_eq!(first[..3], [89_400_484, 976_015_093, 1_792_756_325]);
    assert_eq!(first[6143], 1_255_759_772);
    let leap = Leap::of(6144);
    assert_eq!(
        (leap.multiplier(), leap.increment()),
        (0x85ef_ae37_6001, 0xd4aa_d011_5800)
    );
    let mut all = vec![0; N];
    let mut generator = Rand48::new(1);
    Leapfrog::default()
        .lrand48(&mut generator, &mut all)
        .unwrap();
    assert_eq!(all[N - 1], 1_993_833_999);
    assert!(all.starts_with(&first));
}

#[cfg(unix)]
mod c {
    use std::ffi::{c_double, c_long, c_ushort};

    unsafe extern "C" {
        fn srand48(seed: c_long);
        fn lrand48() -> c_long;
        fn erand48(state: *mut c_ushort) -> c_double;
        fn jrand48(state: *mut c_ushort) -> c_long;
    }

    /// The first number of `lrand48` after `srand48(seed)`; the state behind it belongs to the process, so that one test alone asks for it.
    pub(super) fn seeded(seed: u32, mut number: impl FnMut(u32)) {
        // SAFETY: the functions take and give numbers, and no other thread of this program calls them.
        unsafe { srand48(i64::from(seed) as c_long) };
        for _ in 0..super::N {
            // SAFETY: as above.
            number(unsafe { lrand48() } as u32);
        }
    }

    /// The next numbers of `erand48` and of `jrand48`, each from the same state of three words.
    pub(super) fn of_state(state: &mut [u16; 3]) -> (f64, i32) {
        let mut other = *state;
        // SAFETY: each function reads and writes the three words that it is given.
        unsafe {
            (
                erand48(state.as_mut_ptr()),
                jrand48(other.as_mut_ptr()) as i32,
            )
        }
    }
}

#[cfg(unix)]
#[test]
fn ten_million_numbers_of_six_seeds_are_those_of_the_c_library() {
    for seed in [0, 1, 42, 12_345, 0x7fff_ffff, 0xffff_ffff] {
        let mut numbers = vec![0; N];
        let leapfrog = Leapfrog::default().with_streams(6144).unwrap();
        leapfrog
            .lrand48(&mut Rand48::new(seed), &mut numbers)
            .unwrap();
        let mut own = numbers.iter();
        c::seeded(seed, |number| {
            assert_eq!(own.next(), Some(&number), "seed {seed}");
        });
    }
}

#[cfg(unix)]
#[test]
fn floats_and_signed_integers_are_those_of_the_c_library() {
    let mut state = [0x1234, 0xabcd, 0x9876];
    let mut generator = Rand48::from_state(0x9876_abcd_1234);
    let (mut floats, mut integers) = (vec![0.0; 100_000], vec![0; 100_000]);
    let leapfrog = Leapfrog::default();
    leapfrog
        .drand48(&mut generator.clone(), &mut floats)
        .unwrap();
    leapfrog.mrand48(&mut generator, &mut integers).unwrap();
    for (float, integer) in floats.into_iter().zip(integers) {
        assert_eq!((float, integer), c::of_state(&mut state));
    }
    let words = state.map(u64::from);
    assert_eq!(
        generator.state(),
        words[0] | words[1] << 16 | words[2] << 32
    );
}
