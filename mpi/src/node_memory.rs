//! Memory of a node that its ranks read.
//!
//! Entry: [`MemoryFile`], which one rank makes, and [`Mapped`], what all of them see of it. The file lies in memory and has no name
//! (`memfd_create`), so that nothing is left of it when its ranks have ended, however they did; no size limits it but that of the memory,
//! and no process has to free it together with others, as windows of MPI ask for.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use albireo_cli::LARGE_PAGE;
use bytemuck::{AnyBitPattern, NoUninit, cast_slice};
use memmap2::{MmapMut, MmapOptions};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap};

/// What makes a file unchangeable for good.
const SEALS: SealFlags = SealFlags::WRITE
    .union(SealFlags::SHRINK)
    .union(SealFlags::GROW)
    .union(SealFlags::SEAL);

/// A file in memory that nobody can change.
pub(crate) struct MemoryFile(File);

/// By which other processes find a file, and know that it is this one.
pub(crate) type Address = [u64; 5];

/// Bytes that are written at a time of what is given away.
const PIECE: usize = 16 << 20;

/// Writes numbers so that they end there, and tells where they begin.
fn write_before<T: NoUninit>(file: &File, end: u64, numbers: &[T]) -> io::Result<u64> {
    let start = end - size_of_val(numbers) as u64;
    file.write_all_at(cast_slice(numbers), start)?;
    Ok(start)
}

impl MemoryFile {
    /// A file of numbers, run after run. Vectors are freed from their end while it grows, so that there is one copy of them.
    pub(crate) fn of<T: NoUninit>(runs: Vec<Cow<'_, [T]>>) -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = File::from(memfd_create("albireo", flags)?);
        let mut end = runs.iter().map(|run| size_of_val(&**run) as u64).sum();
        file.set_len(end)?;
        for run in runs.into_iter().rev() {
            match run {
                Cow::Borrowed(numbers) => end = write_before(&file, end, numbers)?,
                Cow::Owned(mut numbers) => {
                    let piece = (PIECE / size_of::<T>().max(1)).max(1);
                    while !numbers.is_empty() {
                        let rest = numbers.len().saturating_sub(piece);
                        end = write_before(&file, end, &numbers[rest..])?;
                        numbers.truncate(rest);
                        numbers.shrink_to_fit();
                    }
                }
            }
        }
        fcntl_add_seals(&file, SEALS)?;
        Ok(Self(file))
    }

    /// Where it is.
    pub(crate) fn address(&self) -> io::Result<Address> {
        let about = self.0.metadata()?;
        let number = u64::try_from(self.0.as_raw_fd()).map_err(io::Error::other)?;
        let process = u64::from(std::process::id());
        Ok([process, number, about.dev(), about.ino(), about.len()])
    }

    /// The file of another process.
    pub(crate) fn at([process, number, device, inode, length]: Address) -> io::Result<Self> {
        let file = File::open(format!("/proc/{process}/fd/{number}"))?;
        let about = file.metadata()?;
        if [about.dev(), about.ino(), about.len()] != [device, inode, length] {
            return Err(io::Error::other(
                "another file than that of the first rank of the node",
            ));
        }
        Ok(Self(file))
    }
}

/// The contents of a file in memory.
pub(crate) struct Mapped {
    /// What the contents lie in.
    place: MmapMut,
    first: usize,
    length: usize,
}

impl Mapped {
    /// Maps a file, which need not stay open for it, to where a large page may begin.
    pub(crate) fn of(file: &MemoryFile) -> io::Result<Self> {
        let length = usize::try_from(file.0.metadata()?.len()).map_err(io::Error::other)?;
        let room = length
            .checked_add(LARGE_PAGE)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let place = MmapOptions::new().len(room).no_reserve_swap().map_anon()?;
        let first = place.as_ptr().align_offset(LARGE_PAGE);
        if length > 0 {
            if fcntl_get_seals(file.0.as_fd())? != SEALS {
                return Err(io::Error::other("a file that could still be changed"));
            }
            let (read, fixed) = (ProtFlags::READ, MapFlags::SHARED | MapFlags::FIXED);
            // SAFETY: `length` bytes from `first` on lie in `place`, of which nobody has a reference yet, and which unmaps them as its own.
            // The seals, which cannot be taken off, keep every process from writing to the file, and from changing its length; nobody
            // writes to `place` either.
            unsafe {
                let at = place.as_ptr().add(first).cast_mut().cast();
                mmap(at, length, read, fixed, &file.0, 0)?;
            }
        }
        Ok(Self {
            place,
            first,
            length,
        })
    }

    /// Has the contents moved into large pages, for all processes that have mapped them, where there are any to be had: kernels that go
    /// through them all again and again need fewer entries in the tables of the processor.
    pub(crate) fn move_into_large_pages(&self) {
        let length = self.length - self.length % LARGE_PAGE;
        if length > 0 {
            // SAFETY: `length` bytes from `first` on lie in `place`; moving them to other pages changes nothing that they hold.
            unsafe {
                let at = self.place.as_ptr().add(self.first).cast_mut().cast();
                libc::madvise(at, length, libc::MADV_COLLAPSE);
            }
        }
    }
}

impl<T: AnyBitPattern> AsRef<[T]> for Mapped {
    #[inline]
    fn as_ref(&self) -> &[T] {
        // Pages are aligned for any number.
        cast_slice(&self.place[self.first..self.first + self.length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_at_their_address_and_never_change() {
        let file = MemoryFile::of(vec![
            Cow::Borrowed(&[1.5, -0.0][..]),
            Cow::Borrowed(&[]),
            Cow::Owned(vec![f64::NAN]),
        ]);
        let file = file.unwrap();
        let address = file.address().unwrap();
        let mapped = Mapped::of(&MemoryFile::at(address).unwrap()).unwrap();
        assert!(file.0.write_all_at(&[0], 0).is_err());
        assert!(file.0.set_len(0).is_err());
        drop(file);
        let seen: &[f64] = mapped.as_ref();
        let bits = [1.5, -0.0, f64::NAN].map(f64::to_bits);
        assert_eq!(seen.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), bits);
        // It is gone with its number.
        assert!(MemoryFile::at(address).is_err());
        let nothing = MemoryFile::of::<f32>(vec![]).unwrap();
        let nothing = Mapped::of(&nothing).unwrap();
        assert!(AsRef::<[f32]>::as_ref(&nothing).is_empty());
    }

    #[test]
    fn vectors_are_written_piece_by_piece() {
        // Several pieces, the last of which is not full.
        let n = 2 * PIECE / 8 + 77;
        let numbers: Vec<f64> = (0..n).map(|k| k as f64).collect();
        let head = [0.5; 3];
        let runs = vec![Cow::Borrowed(&head[..]), Cow::Owned(numbers.clone())];
        let mapped = Mapped::of(&MemoryFile::of(runs).unwrap()).unwrap();
        let seen: &[f64] = mapped.as_ref();
        assert!(seen[..3] == head && seen[3..] == numbers);
        assert_eq!(seen.as_ptr().align_offset(LARGE_PAGE), 0);
        mapped.move_into_large_pages();
        assert!(seen[..3] == head && seen[3..] == numbers);
    }

    #[test]
    fn files_that_could_change_are_not_mapped() {
        let open = File::from(memfd_create("open", MemfdFlags::ALLOW_SEALING).unwrap());
        open.write_all_at(&[0; 8], 0).unwrap();
        assert!(Mapped::of(&MemoryFile(open)).is_err());
    }
}
