//! Numbers of rand48 on devices: pieces of the sequence are shared out, and each is made by streams that take turns.
//!
//! Entry: [`fill`]; the numbers are those of [`Rand48`], one for one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use albireo_gpu::{CudaError, Device, Devices, LaunchShape};
use albireo_kernels::structs::{DeviceRand48, Unit};
use albireo_kernels::{Kernel, Rand48Function};
use bytemuck::Pod;

use super::Cuda;
use super::timings::CudaTimings;
use crate::random::{Leap, Leapfrog, Rand48};

/// Threads a block.
const THREADS: u32 = 256;

/// The most numbers that are made at a time: 512 MiB of float64.
const PIECE: usize = 1 << 26;

/// The fewest numbers of a stream that are worth the way to its first.
const FEWEST: u64 = 16;

/// Memory for rounding the size of the buffer.
const ROOM: u64 = 1 << 10;

/// What kernels know of a sequence that goes on from a state.
fn device_job(generator: Rand48, streams: u64) -> DeviceRand48 {
    let leap = Leap::of(streams);
    let doubled: [Leap; 32] = std::array::from_fn(|k| Leap::of(1 << k));
    DeviceRand48 {
        state: generator.state(),
        streams,
        multiplier: leap.multiplier(),
        increment: leap.increment(),
        multipliers: doubled.map(Leap::multiplier),
        increments: doubled.map(Leap::increment),
        ..DeviceRand48::default()
    }
}

/// Numbers of a stretch: so many that the threads that a device runs at a time make them all.
fn stretch(numbers: u64, streams: u64, threads: u64) -> u64 {
    let stretches = (threads / streams).max(1);
    let rounds = numbers.div_ceil(streams * stretches).max(FEWEST);
    streams * rounds
}

/// Fills one piece.
fn piece<D: Device, T: Pod>(
    device: &D,
    kernel: Kernel,
    (generator, streams): (Rand48, u64),
    (memory, to): (&D::Memory, &mut [T]),
) -> Result<f64, CudaError> {
    let numbers = to.len() as u64;
    let shape = LaunchShape {
        grid: [1, 1],
        threads: THREADS,
        shared: 0,
    };
    let threads = u64::from(device.resident(kernel, shape)?) * u64::from(THREADS);
    let chunk = stretch(numbers, streams, threads);
    let blocks = (numbers.div_ceil(chunk) * streams).div_ceil(u64::from(THREADS));
    let shape = LaunchShape {
        grid: [blocks as u32, 1],
        ..shape
    };
    let job = DeviceRand48 {
        numbers: device.address(memory).into(),
        ..device_job(generator, streams)
    };
    let unit = Unit {
        begin: 0,
        end: numbers,
        chunk,
    };
    let begin = device.mark()?;
    device.launch(kernel, shape, &job, &unit)?;
    let end = device.mark()?;
    let seconds = device.seconds(&begin, &end)?;
    device.download(memory, to)?;
    Ok(seconds)
}

/// Fills `to` with the next numbers of a generator, on all devices at once; where the time went.
///
/// # Errors
/// A device that fails or lacks memory.
pub fn fill<N: Devices, T: Pod + Send>(
    devices: &N,
    function: Rand48Function,
    streams: u64,
    generator: &mut Rand48,
    to: &mut [T],
) -> Result<CudaTimings, CudaError> {
    let (first, numbers) = (*generator, to.len());
    generator.jump(Leap::of(numbers as u64));
    let most = numbers.div_ceil(devices.all().len()).clamp(1, PIECE);
    let pieces: Vec<Mutex<&mut [T]>> = to.chunks_mut(most).map(Mutex::new).collect();
    let next = AtomicUsize::new(0);
    let run = |device: &N::Device| -> Result<CudaTimings, CudaError> {
        let mut timings = CudaTimings::default();
        let mut memory = None;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = pieces.get(number) else {
                return Ok(timings);
            };
            let memory = if let Some(memory) = &memory {
                memory
            } else {
                let bytes = most * size_of::<T>();
                device.make_room(bytes as u64 + ROOM)?;
                memory.insert(device.allocate(bytes)?)
            };
            let mut generator = first;
            generator.jump(Leap::of((number * most) as u64));
            let mut to = one.lock().unwrap_or_else(PoisonError::into_inner);
            let made = (memory, &mut **to);
            timings.kernels += piece(device, Kernel::Rand48(function), (generator, streams), made)?;
        }
    };
    let mut timings = CudaTimings::default();
    for of_device in devices.on_each(run) {
        timings.beside(of_device?);
    }
    Ok(timings)
}

/// Numbers of [`Rand48`] in the streams of a [`Leapfrog`], one for one the serial sequence; its threads and instructions are not for devices.
///
/// ```no_run
/// use albireo::random::{Leapfrog, Rand48};
/// use albireo::engine::cuda::{Cuda, CudaOptions};
/// let cuda = Cuda::new(CudaOptions::default())?;
/// let mut numbers = vec![0; 6144];
/// cuda.lrand48(Leapfrog::default().with_streams(6144)?, &mut Rand48::new(1), &mut numbers)?;
/// assert_eq!((numbers[0], numbers[6143]), (89_400_484, 1_255_759_772));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Cuda {
    /// As many numbers of `lrand48` as `to` holds.
    ///
    /// # Errors
    /// A device that fails or lacks memory; the generator is then where it was.
    pub fn lrand48(
        &self,
        streams: Leapfrog,
        generator: &mut Rand48,
        to: &mut [u32],
    ) -> Result<(), CudaError> {
        self.fill(Rand48Function::Lrand48, streams, generator, to)
    }

    /// As many numbers of `mrand48` as `to` holds.
    ///
    /// # Errors
    /// As [`Cuda::lrand48`].
    pub fn mrand48(
        &self,
        streams: Leapfrog,
        generator: &mut Rand48,
        to: &mut [i32],
    ) -> Result<(), CudaError> {
        self.fill(Rand48Function::Mrand48, streams, generator, to)
    }

    /// As many numbers of `drand48` as `to` holds.
    ///
    /// # Errors
    /// As [`Cuda::lrand48`].
    pub fn drand48(
        &self,
        streams: Leapfrog,
        generator: &mut Rand48,
        to: &mut [f64],
    ) -> Result<(), CudaError> {
        self.fill(Rand48Function::Drand48, streams, generator, to)
    }

    fn fill<T: Pod + Send>(
        &self,
        function: Rand48Function,
        streams: Leapfrog,
        generator: &mut Rand48,
        to: &mut [T],
    ) -> Result<(), CudaError> {
        let mut after = *generator;
        let streams = streams.streams() as u64;
        let timings = fill(&**self.gpus.gpus()?, function, streams, &mut after, to)?;
        *generator = after;
        let plan = format!("{} numbers, {streams} streams", to.len());
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (timings, plan);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_whole_rounds_and_fill_a_device() {
        for (numbers, streams) in [(1, 1), (10_000_000, 6144), (1 << 26, 32), (5, 1 << 20)] {
            let chunk = stretch(numbers, streams, 270_336);
            assert_eq!(chunk % streams, 0);
            let threads = numbers.div_ceil(chunk) * streams;
            assert!(threads <= 270_336.max(streams), "{numbers} {streams}");
            assert!(chunk / streams >= FEWEST);
        }
        // The paper's streams: 44 stretches at a time.
        assert_eq!(stretch(44 * 6144 * 100, 6144, 270_336), 614_400);
    }
}
