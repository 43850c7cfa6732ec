//! Uploads through page-locked memory: the processor fills one buffer while the device reads the other.
//!
//! Entry: [`Staging::send`]. It is the fastest way from memory that the driver does not know.

use std::sync::Arc;

use cudarc::driver::{CudaEvent, CudaSlice, CudaStream, DriverError, PinnedHostSlice};

/// Bytes of one buffer: long enough to hide the start of a copy, short enough to fill while the other is read.
const BUFFER: usize = 8 << 20;
/// Fewer bytes than these go straight through the driver.
const WORTH_STAGING: usize = 64 << 10;

/// One page-locked buffer, and when the device has read it.
struct Buffer {
    host: PinnedHostSlice<u8>,
    read: CudaEvent,
}

/// Two buffers, made at the first upload that is worth it.
#[derive(Default)]
pub(crate) struct Staging {
    buffers: Vec<Buffer>,
}

impl Staging {
    fn open(&mut self, stream: &Arc<CudaStream>) -> Result<(), DriverError> {
        let context = stream.context();
        while self.buffers.len() < 2 {
            // SAFETY: the memory is only read up to where it was written.
            let host = unsafe { context.alloc_pinned(BUFFER) }?;
            let read = context.new_event(None)?;
            self.buffers.push(Buffer { host, read });
        }
        Ok(())
    }

    /// Copies `bytes` to the start of `target`, in the order of `stream`; the bytes may change as soon as it returns.
    pub(crate) fn send(
        &mut self,
        stream: &Arc<CudaStream>,
        bytes: &[u8],
        target: &mut CudaSlice<u8>,
    ) -> Result<(), DriverError> {
        if bytes.len() < WORTH_STAGING {
            return stream.memcpy_htod(bytes, &mut target.slice_mut(..bytes.len()));
        }
        self.open(stream)?;
        for (k, chunk) in bytes.chunks(BUFFER).enumerate() {
            let buffer = &mut self.buffers[k % 2];
            buffer.read.synchronize()?;
            let host = &mut buffer.host.as_mut_slice()?[..chunk.len()];
            host.copy_from_slice(chunk);
            let from = k * BUFFER;
            stream.memcpy_htod(&*host, &mut target.slice_mut(from..from + chunk.len()))?;
            buffer.read.record(stream)?;
        }
        Ok(())
    }
}
