//! The C interface: functions of `c/include/albireo.h`, which says what they do and promises what they return.
//!
//! Entry: [`albireo_particles_new`], [`albireo_count`], [`albireo_estimate`]. No panic leaves a function here, handles are numbers that are looked up and never
//! followed, and what is wrong comes back as a code with a text.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]
#![allow(
    clippy::doc_markdown,
    reason = "it is the text of the header, where backticks mean nothing"
)]
#![allow(
    non_camel_case_types,
    reason = "types are named as they are in the header"
)]

mod constants;
mod counts;
mod estimation;
mod failure;
mod handles;
mod job;
mod listening;
mod ready;
mod sample;

use std::ffi::{c_char, c_double};
use std::sync::Arc;

pub use constants::*;
use counts::Counted;
pub use estimation::albireo_estimation;
use failure::{Failure, guarded};
use handles::Object;
pub use job::albireo_job;
pub use sample::albireo_sample;

/// A sample, held by this library until albireo_particles_free.
#[derive(Debug)]
pub struct albireo_particles(());
/// A sample that an engine has sorted once for many counts, held by this library until albireo_prepared_free.
#[derive(Debug)]
pub struct albireo_prepared(());
/// Counts, held by this library until albireo_counts_free.
#[derive(Debug)]
pub struct albireo_counts(());

/// Writes one value where a caller wants it.
///
/// # Safety
/// `out` is NULL or may be written.
unsafe fn give<T>(out: *mut T, name: &'static str, value: T) -> Result<(), Failure> {
    if out.is_null() {
        return Err(Failure::null(name));
    }
    // SAFETY: not NULL, and the header asks for memory of this type.
    unsafe { out.write(value) };
    Ok(())
}

/// Copies values into a caller's array of just this length.
///
/// # Safety
/// `out` is NULL or has room for `len` values.
unsafe fn give_all<T: Copy>(values: &[T], out: *mut T, len: usize) -> Result<(), Failure> {
    if out.is_null() {
        return Err(Failure::null("out"));
    }
    if len != values.len() {
        return Err(Failure::length(values.len(), len));
    }
    // SAFETY: not NULL, and the header asks for `len` values, which are as many.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), out, len) };
    Ok(())
}

/// The version of the library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn albireo_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// What went wrong last in this thread, in English; it stays where it is, and is written over by the next error of the thread.
#[unsafe(no_mangle)]
pub extern "C" fn albireo_error_text() -> *const c_char {
    failure::last()
}

/// Makes particles of the caller's arrays, which are copied; positions and weights that are no finite numbers are refused with their row.
///
/// # Safety
/// `sample` is NULL or points to as many bytes as its `struct_size` says, and its arrays hold what it says; `out` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_particles_new(
    sample: *const albireo_sample,
    out: *mut *mut albireo_particles,
) -> i32 {
    guarded(|| {
        // SAFETY: as this function asks.
        let particles = unsafe { sample::particles(sample) }?;
        let handle = handles::keep(Object::Particles(Arc::new(particles)));
        // SAFETY: as this function asks.
        unsafe { give(out, "out", std::ptr::without_provenance_mut(handle)) }
            .inspect_err(|_| handles::drop_quietly(handle))
    })
}

/// Frees particles; NULL is a no-op, and freeing twice an error.
#[unsafe(no_mangle)]
pub extern "C" fn albireo_particles_free(particles: *mut albireo_particles) -> i32 {
    guarded(|| handles::free(particles.addr(), "particles"))
}

/// Counts the pairs within first, or between first and second where that is not NULL. Both may be used again.
///
/// # Safety
/// `job` is NULL or points to as many bytes as its `struct_size` says, and its arrays hold what it says; `out` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_count(
    job: *const albireo_job,
    first: *const albireo_particles,
    second: *const albireo_particles,
    out: *mut *mut albireo_counts,
) -> i32 {
    guarded(|| {
        // SAFETY: as this function asks.
        let job = unsafe { job::read(job) }?;
        let first = handles::particles(first.addr(), "first")?;
        let second = match second.addr() {
            0 => None,
            handle => Some(handles::particles(handle, "second")?),
        };
        if out.is_null() {
            return Err(Failure::null("out"));
        }
        // SAFETY: as this function asks.
        let counted = unsafe { job.count(&first, second.as_deref()) }?;
        let handle = handles::keep(Object::Counts(Arc::new(counted)));
        // SAFETY: as this function asks.
        unsafe { give(out, "out", std::ptr::without_provenance_mut(handle)) }
    })
}

/// Sorts particles once, for counts by albireo_count_prepared in the box of a job and by its engine, which has to be named
/// (ALBIREO_ENGINE_AUTO is refused) and keeps its threads. Of the job statistic (angles or not), box, wrap, engine, threads and progress are looked at. The
/// particles may be freed.
///
/// # Safety
/// `job` is NULL or points to as many bytes as its `struct_size` says; `out` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_prepare(
    job: *const albireo_job,
    particles: *const albireo_particles,
    out: *mut *mut albireo_prepared,
) -> i32 {
    guarded(|| {
        // SAFETY: as this function asks.
        let job = unsafe { job::read(job) }?;
        let sample = handles::particles(particles.addr(), "particles")?;
        if out.is_null() {
            return Err(Failure::null("out"));
        }
        // SAFETY: as this function asks.
        let ready = unsafe { job.prepare(&sample) }?;
        let handle = handles::keep(Object::Prepared(Arc::new(ready)));
        // SAFETY: as this function asks.
        unsafe { give(out, "out", std::ptr::without_provenance_mut(handle)) }
    })
}

/// Frees a prepared sample; NULL is a no-op, and freeing twice an error.
#[unsafe(no_mangle)]
pub extern "C" fn albireo_prepared_free(prepared: *mut albireo_prepared) -> i32 {
    guarded(|| handles::free(prepared.addr(), "a prepared sample"))
}

/// Counts as albireo_count does, with the engine and threads that first was prepared by; the box of the job is that of both samples. Weights of bits need
/// bits in both samples.
///
/// # Safety
/// As albireo_count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_count_prepared(
    job: *const albireo_job,
    first: *const albireo_prepared,
    second: *const albireo_prepared,
    out: *mut *mut albireo_counts,
) -> i32 {
    guarded(|| {
        // SAFETY: as this function asks.
        let job = unsafe { job::read(job) }?;
        let first = handles::prepared(first.addr(), "first")?;
        let second = match second.addr() {
            0 => None,
            handle => Some(handles::prepared(handle, "second")?),
        };
        if out.is_null() {
            return Err(Failure::null("out"));
        }
        // SAFETY: as this function asks.
        let counted = unsafe { job.count_ready(&first, second.as_deref()) }?;
        let handle = handles::keep(Object::Counts(Arc::new(counted)));
        // SAFETY: as this function asks.
        unsafe { give(out, "out", std::ptr::without_provenance_mut(handle)) }
    })
}

/// Adds counts of the same settings and bins, of other particles, such as realisations or frames: pairs, sums and totals, all exactly. Both stay.
///
/// # Safety
/// `out` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_counts_merge(
    first: *const albireo_counts,
    second: *const albireo_counts,
    out: *mut *mut albireo_counts,
) -> i32 {
    guarded(|| {
        let merged = handles::counts(first.addr())?.merged(&*handles::counts(second.addr())?)?;
        if out.is_null() {
            return Err(Failure::null("out"));
        }
        let handle = handles::keep(Object::Counts(Arc::new(merged)));
        // SAFETY: as this function asks.
        unsafe { give(out, "out", std::ptr::without_provenance_mut(handle)) }
    })
}

/// Estimates a correlation function of counts, of all pairs of their classes, in each of `len` bins, the second axis fastest; NaN where it is
/// undefined. Of its errors and of their covariance, `len` rows of `len`, which a jackknife alone has, NULL is not wanted.
///
/// # Safety
/// `estimation` is NULL or points to as many bytes as its `struct_size` says, and its arrays hold what it says; `xi` and `errors` are NULL or have room for
/// `len` values, `covariance` for `len` times `len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_estimate(
    estimation: *const albireo_estimation,
    xi: *mut c_double,
    errors: *mut c_double,
    covariance: *mut c_double,
    len: usize,
) -> i32 {
    guarded(|| {
        // SAFETY: as this function asks.
        let made = unsafe { estimation::read(estimation) }?.made()?;
        // SAFETY: as this function asks.
        unsafe {
            give_all(&made.xi, xi, len)?;
            if !errors.is_null() {
                give_all(&made.errors, errors, len)?;
            }
            if covariance.is_null() {
                return Ok(());
            }
            let what = "covariance: ask for ALBIREO_ERRORS_JACKKNIFE";
            let matrix = made.covariance.ok_or_else(|| Failure::not_counted(what))?;
            give_all(&matrix, covariance, matrix.len())
        }
    })
}

/// Frees counts; NULL is a no-op, and freeing twice an error.
#[unsafe(no_mangle)]
pub extern "C" fn albireo_counts_free(counts: *mut albireo_counts) -> i32 {
    guarded(|| handles::free(counts.addr(), "counts"))
}

/// The numbers of classes, of bins along the first axis and along the second (1 where there is none): the shape of all arrays below, the last
/// fastest.
///
/// # Safety
/// `shape` is NULL or has room for three values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_counts_shape(
    counts: *const albireo_counts,
    shape: *mut usize,
) -> i32 {
    guarded(|| {
        let counts = handles::counts(counts.addr())?;
        // SAFETY: as this function asks.
        unsafe { give_all(&counts.shape, shape, 3) }
    })
}

/// The number of pairs in each bin of each class.
///
/// # Safety
/// `out` is NULL or has room for `len` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_counts_pairs(
    counts: *const albireo_counts,
    out: *mut u64,
    len: usize,
) -> i32 {
    guarded(|| {
        let counts = handles::counts(counts.addr())?;
        // SAFETY: as this function asks.
        unsafe { give_all(&counts.pairs, out, len) }
    })
}

/// Hands out a sum that was asked for.
unsafe fn give_sum(
    counts: *const albireo_counts,
    sum: impl FnOnce(&Counted) -> Option<&Vec<f64>>,
    what: &'static str,
    out: *mut c_double,
    len: usize,
) -> i32 {
    guarded(|| {
        let counts = handles::counts(counts.addr())?;
        let values = sum(&counts).ok_or_else(|| Failure::not_counted(what))?;
        // SAFETY: as the functions ask that call this one.
        unsafe { give_all(values, out, len) }
    })
}

/// The sum of the weights of the pairs in each bin of each class.
///
/// # Safety
/// `out` is NULL or has room for `len` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_counts_weights(
    counts: *const albireo_counts,
    out: *mut c_double,
    len: usize,
) -> i32 {
    // SAFETY: as this function asks.
    unsafe {
        give_sum(
            counts,
            |c| c.weights.as_ref(),
            "weights: no sample has any",
            out,
            len,
        )
    }
}

/// How far each of these sums may be from that of the products of weights, before it is rounded to double: 2^-37 of the largest product for
/// each pair in the bin or, where weights are of wide range, 2^-65.
///
/// # Safety
/// `out` is NULL or has room for `len` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_counts_weight_bounds(
    counts: *const albireo_counts,
    out: *mut c_double,
    len: usize,
) -> i32 {
    // SAFETY: as this function asks.
    unsafe {
        give_sum(
            counts,
            |c| c.weight_bounds.as_ref(),
            "weights: no sample has any",
            out,
            len,
        )
    }
}

/// The mean separation of the pairs in each bin of each class, NaN where there are none.
///
/// # Safety
/// `out` is NULL or has room for `len` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_counts_means(
    counts: *const albireo_counts,
    out: *mut c_double,
    len: usize,
) -> i32 {
    let what = "mean separations: ask for ALBIREO_SUM_SEPARATIONS";
    // SAFETY: as this function asks.
    unsafe { give_sum(counts, |c| c.means.as_ref(), what, out, len) }
}

/// The sum of a Legendre polynomial of mu over the pairs in each bin of each class, times their weights where there are any.
///
/// # Safety
/// `out` is NULL or has room for `len` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_counts_legendre(
    counts: *const albireo_counts,
    degree: u32,
    out: *mut c_double,
    len: usize,
) -> i32 {
    let what = "Legendre sums of this degree: ask for its bit in `legendre`";
    // SAFETY: as this function asks.
    unsafe { give_sum(counts, |c| c.legendre.get(&degree), what, out, len) }
}

/// All pairs of a class, in the bins or not: their number and the sum of their weights.
///
/// # Safety
/// `pairs` and `weight` are NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_counts_total(
    counts: *const albireo_counts,
    pair_class: usize,
    pairs: *mut u64,
    weight: *mut c_double,
) -> i32 {
    guarded(|| {
        let counts = handles::counts(counts.addr())?;
        let total = counts.totals.get(pair_class);
        let total = total.ok_or_else(|| Failure::pair_class(pair_class, counts.totals.len()))?;
        // SAFETY: as this function asks.
        unsafe {
            give(pairs, "pairs", total.pairs)?;
            give(weight, "weight", total.weight)
        }
    })
}

/// How often counts hold a pair of one sample: 1, or 2 where its order matters; 1 between two samples.
///
/// # Safety
/// `orders` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn albireo_counts_orders(
    counts: *const albireo_counts,
    orders: *mut i32,
) -> i32 {
    guarded(|| {
        let counts = handles::counts(counts.addr())?;
        // SAFETY: as this function asks.
        unsafe { give(orders, "orders", counts.orders) }
    })
}
