//! What cfitsio is asked to do: unpack tiles, read arrays of variable length, write tables. The only `unsafe` of this crate.
//!
//! Entry: [`unpack_tile`], [`arrays`], [`write_table`]. Files live in memory and are opened and created there, so that no
//! name is ever parsed as cfitsio's extended syntax. C code does not survive every damage: all it reads here is a small
//! file whose header is made by [`image`] and whose bytes the callers have checked.

mod image;
mod write;

use std::ffi::{c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};

use fitsio::sys;
use fitsio::{FileOpenMode, FitsFile};

pub(super) use self::image::{Packed, TileColumn};
pub(crate) use self::write::{FitsColumn, FitsImage, write_table};

unsafe extern "C" {
    fn realloc(old: *mut c_void, bytes: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// Memory that cfitsio grows: where it begins and how much of it there is.
struct Memory {
    start: *mut c_void,
    bytes: usize,
}

/// A FITS file that grows in memory.
struct Created {
    file: ManuallyDrop<FitsFile>,
    /// Apart from this struct, since cfitsio keeps its address.
    memory: NonNull<Memory>,
}

impl Drop for Created {
    fn drop(&mut self) {
        // SAFETY: the file is closed once, before the memory that it writes to goes; that came from `Box` and `realloc`.
        unsafe {
            ManuallyDrop::drop(&mut self.file);
            let memory = Box::from_raw(self.memory.as_ptr());
            free(memory.start);
        }
    }
}

/// The reason that cfitsio gives for a status, all its messages joined.
fn failure(status: c_int) -> String {
    let mut text = [0; 81];
    // SAFETY: both write at most 81 characters, their NUL included.
    let mut reasons = unsafe {
        sys::ffgerr(status, text.as_mut_ptr());
        vec![to_text(&text)]
    };
    // SAFETY: as above.
    while unsafe { sys::ffgmsg(text.as_mut_ptr()) } != 0 {
        reasons.push(to_text(&text));
    }
    format!("cfitsio: {}", reasons.join("; "))
}

fn to_text(characters: &[c_char]) -> String {
    let end = characters.iter().position(|&c| c == 0);
    let bytes: Vec<u8> = characters[..end.unwrap_or(characters.len())]
        .iter()
        .map(|&c| c as u8)
        .collect();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

fn check(status: c_int) -> Result<(), String> {
    if status == 0 {
        Ok(())
    } else {
        Err(failure(status))
    }
}

/// # Safety
/// `handle` is an open file that nothing else closes.
unsafe fn from_raw(handle: *mut sys::fitsfile, mode: FileOpenMode) -> Result<FitsFile, String> {
    // SAFETY: by contract.
    unsafe { FitsFile::from_raw(handle, mode) }.map_err(|error| error.to_string())
}

/// Runs `step` on a file of `bytes`, which nothing writes to.
fn with_opened<T>(
    bytes: &mut [u8],
    step: impl FnOnce(&mut FitsFile) -> Result<T, String>,
) -> Result<T, String> {
    let mut start = bytes.as_mut_ptr().cast::<c_void>();
    let mut size = bytes.len();
    let mut handle = ptr::null_mut();
    let mut status = 0;
    // SAFETY: `start` and `size` describe `bytes` and outlive the file, which is closed below; it is opened for reading
    // only and without a way to grow, so cfitsio neither writes nor moves them. The name is ours and has no syntax.
    let mut file = unsafe {
        let name = c"table".as_ptr();
        let (to, place, length) = (&raw mut handle, &raw mut start, &raw mut size);
        sys::ffomem(to, name, 0, place, length, 0, None, &raw mut status);
        check(status)?;
        from_raw(handle, FileOpenMode::READONLY)?
    };
    // SAFETY: the file is open; the second HDU is the table.
    check(unsafe { sys::ffmahd(file.as_raw(), 2, ptr::null_mut(), &raw mut status) })?;
    let done = step(&mut file);
    drop(file);
    done
}

impl Created {
    /// An empty file with a primary HDU of no data.
    fn new() -> Result<Self, String> {
        const STEP: usize = 1 << 20;
        let empty = Memory {
            start: ptr::null_mut(),
            bytes: 0,
        };
        let memory = NonNull::from(Box::leak(Box::new(empty)));
        let (mut handle, mut status) = (ptr::null_mut(), 0);
        // SAFETY: the places of address and size stay where they are until the file is closed.
        let opened = unsafe {
            let start = &raw mut (*memory.as_ptr()).start;
            let bytes = &raw mut (*memory.as_ptr()).bytes;
            let to = &raw mut handle;
            sys::ffimem(to, start, bytes, STEP, Some(realloc), &raw mut status);
            check(status).and_then(|()| from_raw(handle, FileOpenMode::READWRITE))
        };
        let file = match opened {
            Ok(file) => ManuallyDrop::new(file),
            Err(reason) => {
                // SAFETY: no file uses the box, and nothing was written.
                drop(unsafe { Box::from_raw(memory.as_ptr()) });
                return Err(reason);
            }
        };
        let mut created = Self { file, memory };
        // SAFETY: the file is open and empty; no axes are read for a count of 0.
        check(unsafe {
            sys::ffphps(
                created.file.as_raw(),
                8,
                0,
                ptr::null_mut(),
                &raw mut status,
            )
        })?;
        Ok(created)
    }

    /// First and last byte of the data of the HDU at hand, padding included.
    fn data(&mut self) -> Result<std::ops::Range<usize>, String> {
        let (mut head, mut start, mut end, mut status) = (0, 0, 0, 0);
        // SAFETY: the file is open; the three places are ours.
        unsafe {
            let handle = self.file.as_raw();
            sys::ffflus(handle, &raw mut status);
            sys::ffghadll(
                handle,
                &raw mut head,
                &raw mut start,
                &raw mut end,
                &raw mut status,
            );
        }
        check(status)?;
        Ok(start as usize..end as usize)
    }

    /// What is written so far.
    fn bytes(&self) -> &[u8] {
        // SAFETY: `start` is null, or cfitsio has reserved `bytes` there and written them; it grows them through
        // `&mut self` only.
        unsafe {
            let memory = self.memory.as_ref();
            if memory.start.is_null() {
                return &[];
            }
            std::slice::from_raw_parts(memory.start.cast::<u8>(), memory.bytes)
        }
    }
}

/// Unpacks the columns of one tile: the bytes of its rows, as in a table that is not compressed.
///
/// The caller has checked that every packed stream unpacks to just its column's bytes.
pub(super) fn unpack_tile(tile: &Packed<'_>) -> Result<Vec<u8>, String> {
    let mut bytes = tile.image();
    let mut unpacked = Created::new()?;
    with_opened(&mut bytes, |file| {
        let mut status = 0;
        // SAFETY: both files are open; header and streams agree, as the caller has checked.
        unsafe {
            sys::fits_uncompress_table(file.as_raw(), unpacked.file.as_raw(), &raw mut status);
        }
        check(status)
    })?;
    let data = unpacked.data()?;
    let wanted = tile.rows * tile.row_bytes();
    unpacked
        .bytes()
        .get(data)
        .and_then(|data| data.get(..wanted))
        .map(<[u8]>::to_vec)
        .ok_or_else(|| "cfitsio: fewer rows than the tile has".to_owned())
}

/// The values of arrays of variable length, one row behind the other.
pub(super) enum Elements {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
}

/// Reads the arrays whose length and place in `heap` are in `rows`; elements have the type `letter`, one of `BIJKED`.
///
/// The caller has checked that all of them lie within `heap`.
pub(super) fn arrays(letter: char, rows: &[(u64, u64)], heap: &[u8]) -> Result<Elements, String> {
    let total = rows.iter().map(|(length, _)| *length as usize).sum();
    let mut bytes = image::arrays(letter, rows, heap);
    with_opened(&mut bytes, |file| {
        let floats = "ED".contains(letter);
        let (mut reals, mut integers) = if floats {
            (vec![0.0; total], Vec::new())
        } else {
            (Vec::new(), vec![0; total])
        };
        let (mut filled, mut status, mut null) = (0, 0, 0);
        for (row, &(length, _)) in (1..).zip(rows).filter(|(_, (length, _))| *length > 0) {
            let (count, any, code) = (length as i64, &raw mut null, &raw mut status);
            // SAFETY: the file is open; `count` elements of room are left behind `filled`, since all lengths add up to
            // `total`.
            unsafe {
                let handle = file.as_raw();
                if floats {
                    let to = reals.as_mut_ptr().add(filled);
                    sys::ffgcvd(handle, 1, row, 1, count, 0.0, to, any, code);
                } else {
                    let to = integers.as_mut_ptr().add(filled);
                    sys::ffgcvjj(handle, 1, row, 1, count, 0, to, any, code);
                }
            }
            check(status)?;
            filled += length as usize;
        }
        Ok(if floats {
            Elements::Floats(reals)
        } else {
            Elements::Integers(integers)
        })
    })
}
