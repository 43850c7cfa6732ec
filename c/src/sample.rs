//! Particles of a caller's strided arrays.
//!
//! Entry: [`albireo_sample`], [`particles`].

#![allow(
    clippy::cast_possible_wrap,
    reason = "rows of a C array, within the address space"
)]

use std::ffi::c_void;

use albireo::particles::{Bits, Groups};
use albireo::sky;
use albireo::{Labels, Particles, Points};

use super::failure::{Failure, Result};

const FLOAT64: i32 = 0;
const FLOAT32: i32 = 1;
const CARTESIAN: i32 = 0;
const SKY: i32 = 1;

/// Arrays of a sample. Set all of it to zero first, then struct_size to sizeof(albireo_sample) and what there is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct albireo_sample {
    /// sizeof(albireo_sample): later versions append fields.
    pub struct_size: usize,
    /// Number of particles.
    pub n: usize,
    /// Type of positions and weights: ALBIREO_FLOAT64, ..
    pub float_type: i32,
    /// What x, y and z are: ALBIREO_CARTESIAN, ..
    pub coordinates: i32,
    /// First coordinate, or right ascension in degrees.
    pub x: *const c_void,
    /// Second coordinate, or declination in degrees.
    pub y: *const c_void,
    /// Third coordinate; NULL on the sky.
    pub z: *const c_void,
    /// Elements from one position to the next: 1 for three arrays, 3 for one of triples (x, x + 1, x + 2), negative for reversed ones.
    pub stride: isize,
    /// Weights, or NULL for 1 each.
    pub weights: *const c_void,
    /// Elements from one weight to the next.
    pub weights_stride: isize,
    /// Species or regions, one each, or NULL.
    pub labels: *const u32,
    /// The number of species or regions: labels are below it.
    pub n_labels: u32,
    /// 64-bit words of bits of each particle.
    pub words: u32,
    /// Words, those of a particle side by side, or NULL.
    pub bits: *const u64,
    /// Groups, such as molecules, for ALBIREO_CUT_SAME_GROUP, or NULL.
    pub groups: *const u32,
}

/// A sample as it is kept.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) particles: Particles,
    /// Whether positions are directions alone.
    pub(crate) on_sky: bool,
}

/// Reads a struct that says its own size: all fields there are, zeros for those that a caller's header did not have.
///
/// # Safety
/// `from` is NULL, or its first member is a `size_t` with the number of bytes that it points to; all zeros are a value of `T`.
pub(crate) unsafe fn sized<T: Copy>(from: *const T, name: &'static str, least: usize) -> Result<T> {
    if from.is_null() {
        return Err(Failure::null(name));
    }
    // SAFETY: the first member of both structs.
    let size = unsafe { from.cast::<usize>().read_unaligned() };
    if size < least || size > size_of::<T>() {
        return Err(Failure::struct_size(name, size_of::<T>(), size));
    }
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: `size` bytes may be read, fit, and with zeros behind them are a value: integers, floats, pointers and optional functions.
    unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), value.as_mut_ptr().cast::<u8>(), size);
        Ok(value.assume_init())
    }
}

/// `n` numbers, `stride` elements apart.
///
/// # Safety
/// `from` is NULL or points to the first of them, aligned as the type is.
unsafe fn strided<T: Copy + Into<f64>>(
    from: *const c_void,
    stride: isize,
    n: usize,
    name: &'static str,
) -> Result<Vec<f64>> {
    if from.is_null() {
        return Err(Failure::null(name));
    }
    let from = from.cast::<T>();
    if !from.is_aligned() {
        return Err(Failure::argument(
            name,
            "expected an address that is aligned as its type is",
        ));
    }
    let step = |k: usize| (k as isize).checked_mul(stride);
    if n > 1 && (stride == 0 || step(n - 1).is_none()) {
        return Err(Failure::argument(
            name,
            format!("a stride of {stride} elements leads nowhere"),
        ));
    }
    // SAFETY: the header asks for `n` elements, `stride` apart.
    Ok((0..n)
        .map(|k| unsafe { *from.offset(k as isize * stride) }.into())
        .collect())
}

/// `n` values side by side, none for NULL.
///
/// # Safety
/// `from` is NULL or points to so many.
unsafe fn values<T: Copy>(from: *const T, n: usize, name: &'static str) -> Result<Option<Vec<T>>> {
    if from.is_null() {
        return Ok(None);
    }
    if !from.is_aligned() {
        return Err(Failure::argument(
            name,
            "expected an address that is aligned as its type is",
        ));
    }
    // SAFETY: the header asks for `n` values.
    Ok(Some(
        unsafe { std::slice::from_raw_parts(from, n) }.to_vec(),
    ))
}

impl albireo_sample {
    /// A column of positions or weights.
    ///
    /// # Safety
    /// As [`strided`].
    unsafe fn column(
        &self,
        from: *const c_void,
        stride: isize,
        name: &'static str,
    ) -> Result<Vec<f64>> {
        // SAFETY: as this function asks.
        unsafe {
            match self.float_type {
                FLOAT64 => strided::<f64>(from, stride, self.n, name),
                FLOAT32 => strided::<f32>(from, stride, self.n, name),
                other => Err(Failure::argument(
                    "float_type",
                    format!("expected ALBIREO_FLOAT64 or ALBIREO_FLOAT32, found {other}"),
                )),
            }
        }
    }

    /// # Safety
    /// As [`strided`].
    unsafe fn points(&self) -> Result<Points> {
        // SAFETY: as this function asks.
        let column = |from, name| unsafe { self.column(from, self.stride, name) };
        let [x, y] = [column(self.x, "x")?, column(self.y, "y")?];
        match self.coordinates {
            CARTESIAN => {
                let z = column(self.z, "z")?;
                Points::new(x, y, z).map_err(|error| Failure::argument("positions", error))
            }
            SKY => {
                let [ra, dec] = [sky::Column::new("ra", &x), sky::Column::new("dec", &y)];
                sky::unit_vectors(ra, dec).map_err(|error| Failure::argument("positions", error))
            }
            other => Err(Failure::argument(
                "coordinates",
                format!("expected ALBIREO_CARTESIAN or ALBIREO_SKY, found {other}"),
            )),
        }
    }
}

/// The particles of a caller's arrays.
///
/// # Safety
/// As [`super::albireo_particles_new`].
pub(crate) unsafe fn particles(sample: *const albireo_sample) -> Result<Sample> {
    // SAFETY: as this function asks; all zeros are a sample.
    let sample = unsafe { sized(sample, "sample", size_of::<albireo_sample>()) }?;
    if sample.n > albireo::particles::MAX_PARTICLES {
        return Err(Failure::argument(
            "n",
            format!(
                "at most {} particles are counted, found {}",
                albireo::particles::MAX_PARTICLES,
                sample.n
            ),
        ));
    }
    let wrong = |name| move |error: albireo::error::ParticlesError| Failure::argument(name, error);
    // SAFETY: as this function asks.
    let points = unsafe { sample.points() }?;
    let mut particles = if sample.weights.is_null() {
        Particles::new(points)
    } else {
        // SAFETY: as this function asks.
        let weights = unsafe { sample.column(sample.weights, sample.weights_stride, "weights") }?;
        Particles::weighted(points, weights).map_err(wrong("weights"))?
    };
    // SAFETY: as this function asks.
    let (labels, groups, bits) = unsafe {
        let words = sample.n * sample.words as usize;
        (
            values(sample.labels, sample.n, "labels")?,
            values(sample.groups, sample.n, "groups")?,
            values(sample.bits, words, "bits")?,
        )
    };
    if let Some(labels) = labels {
        let labels = Labels::new(labels, sample.n_labels).map_err(wrong("labels"))?;
        particles = particles.labelled(labels).map_err(wrong("labels"))?;
    }
    if let Some(groups) = groups {
        particles = particles
            .grouped(Groups::new(groups))
            .map_err(wrong("groups"))?;
    }
    if let Some(bits) = bits {
        let bits = Bits::new(bits, sample.words as usize).map_err(wrong("bits"))?;
        particles = particles.with_bits(bits).map_err(wrong("bits"))?;
    }
    Ok(Sample {
        particles,
        on_sky: sample.coordinates == SKY,
    })
}
