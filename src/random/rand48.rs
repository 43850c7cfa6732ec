//! The generator of drand48 and its relatives, with jumps, in many leapfrogging streams at once.
//!
//! Entry: [`Rand48`] for one number after the other, [`Leapfrog`] to fill slices with the same numbers. It makes no independent streams: see
//! [`Rand48::jump`] for why.

#![allow(
    clippy::cast_possible_truncation,
    reason = "the generator hands out some bits of 48"
)]

use albireo_simd::{Isa, Kernel, Simd};
use rayon::prelude::*;

use crate::error::RandomError;
use crate::pool;

/// What a step multiplies by.
const MULTIPLIER: u64 = 0x5_deec_e66d;
/// What it adds then.
const INCREMENT: u64 = 0xb;
/// The 48 bits of a state.
const MASK: u64 = (1 << 48) - 1;
/// The low bits of a state that `srand48` makes of any seed.
const SEEDED: u64 = 0x330e;

/// Any number of steps at once: `x -> a x + c` modulo 2^48.
///
/// ```
/// use albireo::random::Leap;
/// let leap = Leap::of(6144);
/// assert_eq!((leap.multiplier(), leap.increment()), (0x85ef_ae37_6001, 0xd4aa_d011_5800));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leap {
    multiplier: u64,
    increment: u64,
}

impl Leap {
    /// `steps` steps, found in O(log steps) by squaring: two times `a x + c` is `a^2 x + (a c + c)`.
    pub fn of(steps: u64) -> Self {
        let mut all = Self {
            multiplier: 1,
            increment: 0,
        };
        let mut doubled = Self {
            multiplier: MULTIPLIER,
            increment: INCREMENT,
        };
        let mut rest = steps;
        while rest > 0 {
            if rest & 1 == 1 {
                all = all.then(doubled);
            }
            doubled = doubled.then(doubled);
            rest >>= 1;
        }
        all
    }

    /// These steps, and then those.
    fn then(self, next: Self) -> Self {
        let increment = next
            .multiplier
            .wrapping_mul(self.increment)
            .wrapping_add(next.increment);
        Self {
            multiplier: next.multiplier.wrapping_mul(self.multiplier) & MASK,
            increment: increment & MASK,
        }
    }

    /// The factor of the state, below 2^48.
    pub fn multiplier(self) -> u64 {
        self.multiplier
    }

    /// What is added, below 2^48.
    pub fn increment(self) -> u64 {
        self.increment
    }

    /// The state after these steps; its bits from 48 up are of no account, before and after.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "it must become part of a loop with an instruction set enabled"
    )]
    fn apply(self, state: u64) -> u64 {
        state
            .wrapping_mul(self.multiplier)
            .wrapping_add(self.increment)
    }
}

/// The linear congruential generator of `drand48`, `lrand48` and `mrand48`: `x -> 0x5DEECE66D x + 11` modulo 2^48.
///
/// Its numbers are those of the C library, one for one, made one by one or in slices by a [`Leapfrog`]. It is there
/// for its history (van Meel et al. 2008, DOI 10.1080/08927020701744295, made it on a GPU) and for programs that use it; new work does
/// better with [`Stream`](super::Stream), whose numbers are found by their index.
///
/// ```
/// use albireo::random::Rand48;
/// let mut generator = Rand48::new(1);
/// assert_eq!([0, 1, 2].map(|_| generator.lrand48()), [89_400_484, 976_015_093, 1_792_756_325]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rand48 {
    state: u64,
}

impl Rand48 {
    /// The generator as `srand48(seed)` leaves it, which takes the low 32 bits of a seed.
    pub fn new(seed: u32) -> Self {
        Self {
            state: u64::from(seed) << 16 | SEEDED,
        }
    }

    /// The generator in a state: the 48 bits that `seed48` takes in three words; higher bits are dropped.
    pub fn from_state(state: u64) -> Self {
        Self {
            state: state & MASK,
        }
    }

    /// The state, 48 bits.
    pub fn state(&self) -> u64 {
        self.state
    }

    fn next(&mut self) -> u64 {
        self.jump(Leap {
            multiplier: MULTIPLIER,
            increment: INCREMENT,
        });
        self.state
    }

    /// The next integer of 31 bits.
    pub fn lrand48(&mut self) -> u32 {
        lrand48(self.next())
    }

    /// The next integer of 32 bits with a sign.
    pub fn mrand48(&mut self) -> i32 {
        mrand48(self.next())
    }

    /// The next number in [0, 1), a multiple of 2^-48.
    pub fn drand48(&mut self) -> f64 {
        drand48(self.next())
    }

    /// Passes over the numbers of a leap.
    ///
    /// This is a way to go on in a sequence, not one to split it into streams for several users. Modulo 2^40 the generator has the period
    /// 2^40, so that x(n + 2^40) and x(n) share their low 40 bits: from there on `drand48` repeats its numbers but for a multiple of 1/256.
    /// Streams that begin 2^k apart share their low k bits in the same manner.
    ///
    /// ```
    /// use albireo::random::{Leap, Rand48};
    /// let mut far = Rand48::new(1);
    /// far.jump(Leap::of(9_999_999));
    /// assert_eq!(far.lrand48(), 1_993_833_999);
    /// ```
    pub fn jump(&mut self, leap: Leap) {
        self.state = leap.apply(self.state) & MASK;
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "part of a loop, as above")]
fn lrand48(state: u64) -> u32 {
    (state >> 17) as u32 & 0x7fff_ffff
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "part of a loop, as above")]
fn mrand48(state: u64) -> i32 {
    ((state >> 16) as u32).cast_signed()
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "part of a loop, as above")]
fn drand48(state: u64) -> f64 {
    (state & MASK) as f64 * (1.0 / (MASK + 1) as f64)
}

/// Fills slices with the numbers of a [`Rand48`], in streams that take turns: of S streams the k-th makes the numbers k, k + S, k + 2S...
/// with one [`Leap`] of S each, so that lanes and threads work side by side and the sequence is still the serial one.
///
/// ```
/// use albireo::random::{Leapfrog, Rand48};
/// let mut numbers = vec![0.0; 10_000];
/// let (mut generator, mut serial) = (Rand48::new(7), Rand48::new(7));
/// Leapfrog::default().with_streams(6144)?.drand48(&mut generator, &mut numbers)?;
/// assert!(numbers.iter().all(|&number| number == serial.drand48()));
/// assert_eq!(generator, serial);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leapfrog {
    streams: usize,
    threads: usize,
    isa: Isa,
}

/// The default number of streams: eight registers of AVX2, enough to hide a multiplication.
const STREAMS: usize = 32;

/// The most streams, whose states take 8 bytes each for every thread.
const MOST_STREAMS: usize = 1 << 20;

/// The most threads for each core.
const THREADS_PER_CORE: usize = 4;

/// Numbers that a thread makes at a time, but for more streams than that.
const STRETCH: usize = 1 << 16;

impl Default for Leapfrog {
    /// 32 streams a thread, on all cores, with the widest instructions here.
    fn default() -> Self {
        Self {
            streams: STREAMS,
            threads: 0,
            isa: Isa::best(),
        }
    }
}

impl Leapfrog {
    /// With another number of streams; 6144 are those of van Meel et al.
    ///
    /// # Errors
    /// No streams, or more than 2^20.
    pub fn with_streams(self, streams: usize) -> Result<Self, RandomError> {
        let limit = MOST_STREAMS;
        if !(1..=limit).contains(&streams) {
            let what = "streams";
            return Err(RandomError::Leapfrog {
                what,
                found: streams,
                limit,
            });
        }
        Ok(Self { streams, ..self })
    }

    /// Number of streams.
    pub fn streams(self) -> usize {
        self.streams
    }

    /// On a number of threads.
    ///
    /// # Errors
    /// No threads, or more than four for each core.
    pub fn with_threads(self, threads: usize) -> Result<Self, RandomError> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        let limit = THREADS_PER_CORE * cores;
        if !(1..=limit).contains(&threads) {
            let what = "threads";
            return Err(RandomError::Leapfrog {
                what,
                found: threads,
                limit,
            });
        }
        Ok(Self { threads, ..self })
    }

    /// With an instruction set; the portable one where the machine lacks it.
    #[must_use]
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// As many numbers of `lrand48` as `to` holds.
    ///
    /// # Errors
    /// Threads that cannot be started.
    pub fn lrand48(self, generator: &mut Rand48, to: &mut [u32]) -> Result<(), RandomError> {
        self.fill(generator, to, lrand48)
    }

    /// As many numbers of `mrand48` as `to` holds.
    ///
    /// # Errors
    /// Threads that cannot be started.
    pub fn mrand48(self, generator: &mut Rand48, to: &mut [i32]) -> Result<(), RandomError> {
        self.fill(generator, to, mrand48)
    }

    /// As many numbers of `drand48` as `to` holds.
    ///
    /// # Errors
    /// Threads that cannot be started.
    pub fn drand48(self, generator: &mut Rand48, to: &mut [f64]) -> Result<(), RandomError> {
        self.fill(generator, to, drand48)
    }

    fn fill<T: Send, N: Fn(u64) -> T + Copy + Sync>(
        self,
        generator: &mut Rand48,
        to: &mut [T],
        number: N,
    ) -> Result<(), RandomError> {
        let numbers = to.len() as u64;
        let first = *generator;
        generator.jump(Leap::of(numbers));
        let stretch = STRETCH.max(self.streams);
        let fill_one = |k: usize, to: &mut [T]| {
            let mut generator = first;
            generator.jump(Leap::of((k * stretch) as u64));
            self.isa.dispatch(Stretch {
                streams: self.streams.min(to.len()),
                generator,
                to,
                number,
            });
        };
        if to.len() <= stretch || self.threads == 1 {
            let stretches = to.chunks_mut(stretch).enumerate();
            stretches.for_each(|(k, to)| fill_one(k, to));
            return Ok(());
        }
        let pool = pool::of(self.threads).map_err(|error| RandomError::Threads {
            reason: error.to_string(),
        })?;
        let stretches = to.par_chunks_mut(stretch).enumerate();
        pool::install(&pool, || stretches.for_each(|(k, to)| fill_one(k, to)));
        Ok(())
    }
}

/// What one thread fills at a time.
struct Stretch<'a, T, N> {
    generator: Rand48,
    streams: usize,
    to: &'a mut [T],
    number: N,
}

impl<T, N: Fn(u64) -> T> Kernel for Stretch<'_, T, N> {
    type Output = ();

    // The loops over streams are of the kind that compilers turn into registers of the enabled instruction set.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as every kernel's")]
    fn run<S: Simd>(mut self, _: S) {
        let leap = Leap::of(self.streams as u64);
        if self.streams == STREAMS {
            let states: [u64; STREAMS] = std::array::from_fn(|_| self.generator.next());
            rounds(states, leap, self.to, self.number);
        } else {
            let states: Vec<u64> = (0..self.streams).map(|_| self.generator.next()).collect();
            rounds(states, leap, self.to, self.number);
        }
    }
}

/// One number of each stream in every round.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of a kernel")]
fn rounds<T>(mut states: impl AsMut<[u64]>, leap: Leap, to: &mut [T], number: impl Fn(u64) -> T) {
    let states = states.as_mut();
    for round in to.chunks_mut(states.len().max(1)) {
        for (to, state) in round.iter_mut().zip(states.iter_mut()) {
            *to = number(*state);
            *state = leap.apply(*state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaps_are_as_many_steps() {
        for steps in [0, 1, 2, 3, 47, 1000, 6144] {
            let (mut leaping, mut stepping) = (Rand48::new(42), Rand48::new(42));
            leaping.jump(Leap::of(steps));
            for _ in 0..steps {
                stepping.next();
            }
            assert_eq!(leaping, stepping, "{steps}");
        }
        // The whole period leads back.
        assert_eq!(Leap::of(1 << 48), Leap::of(0));
        assert_ne!(Leap::of(1 << 47), Leap::of(0));
    }

    /// Why the sequence is not to be cut into streams.
    #[test]
    fn numbers_far_apart_share_their_low_bits() {
        for bits in [24, 40, 44] {
            let leap = Leap::of(1 << bits);
            let low = (1 << bits) - 1;
            assert_eq!((leap.multiplier() & low, leap.increment() & low), (1, 0));
            let (mut near, mut far) = (Rand48::new(9), Rand48::new(9));
            far.jump(leap);
            let mut apart = vec![];
            for _ in 0..1000 {
                assert_eq!(near.next() & low, far.next() & low);
                apart.push((far.state.wrapping_sub(near.state) & MASK) >> bits);
            }
            // At 2^44 no more than four bits differ, and those by turns of a short period.
            assert!(bits < 44 || apart[..16] == apart[16..32]);
        }
    }

    #[test]
    fn streams_threads_and_instructions_change_nothing() {
        let n = 2 * STRETCH + 1234;
        let mut serial = Rand48::new(3);
        let expected: Vec<i32> = (0..n).map(|_| serial.mrand48()).collect();
        for streams in [1, 3, STREAMS, 6144, n + 1] {
            for (threads, isa) in [(1, Isa::Portable), (2, Isa::best()), (3, Isa::Avx2)] {
                let leapfrog = Leapfrog::default().with_streams(streams).unwrap();
                let leapfrog = leapfrog.with_threads(threads).unwrap().with_isa(isa);
                let mut generator = Rand48::new(3);
                let mut found = vec![0; n];
                leapfrog.mrand48(&mut generator, &mut found).unwrap();
                assert!(found == expected, "{streams} streams, {threads} threads");
                assert_eq!(generator, serial);
            }
        }
        let mut none: [u32; 0] = [];
        let mut generator = serial;
        Leapfrog::default()
            .lrand48(&mut generator, &mut none)
            .unwrap();
        assert_eq!(generator, serial);
    }

    #[test]
    fn impossible_numbers_of_streams_and_threads_are_refused() {
        let leapfrog = Leapfrog::default();
        for number in [0, 1 << 40] {
            assert!(leapfrog.with_streams(number).is_err());
            assert!(leapfrog.with_threads(number).is_err());
        }
    }
}
