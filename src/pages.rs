//! Large allocations in large pages: half of what a short count of a large sample takes is the handing out of its memory, page by page.
//!
//! Entry: [`LargePages`], an allocator for programs.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, which asks for large pages where allocations are large; where there are none to be had nothing changes.
///
/// Linux hands them out unasked in some installations, and in others (`madvise` in `/sys/kernel/mm/transparent_hugepage/enabled`) to
/// those who ask.
///
/// ```
/// use albireo::pages::LargePages;
///
/// #[global_allocator]
/// static ALLOCATOR: LargePages = LargePages;
///
/// let column = vec![1.0; 4_000_000];
/// assert_eq!(column.iter().sum::<f64>(), 4e6);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct LargePages;

/// Bytes from which on an allocation is large.
const LARGE: usize = 2 * LARGE_PAGE;

/// Bytes of a large page of the usual processors, and a multiple of the size of all small ones.
pub const LARGE_PAGE: usize = 2 << 20;

// SAFETY: every allocation is the system's own; advice on its pages changes nothing that they hold.
unsafe impl GlobalAlloc for LargePages {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `System`, which is that of this function.
        let at = unsafe { System.alloc(layout) };
        ask(at, layout.size());
        at
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let at = unsafe { System.alloc_zeroed(layout) };
        ask(at, layout.size());
        at
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `alloc`; `at` came from `System`, too.
        let at = unsafe { System.realloc(at, layout, size) };
        ask(at, size);
        at
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`; `at` came from `System`, too.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Asks for large pages where these bytes have any.
#[inline]
fn ask(at: *mut u8, size: usize) {
    if size >= LARGE && !at.is_null() {
        advise(at, size);
    }
}

#[cfg(target_os = "linux")]
#[cold]
fn advise(at: *mut u8, size: usize) {
    let before = at.align_offset(LARGE_PAGE);
    if let Some(bytes) = size
        .checked_sub(before)
        .map(|bytes| bytes - bytes % LARGE_PAGE)
        && bytes > 0
    {
        // SAFETY: the bytes lie within one allocation; this advice neither moves nor changes what they hold.
        let _ = unsafe {
            let first = at.add(before).cast();
            rustix::mm::madvise(first, bytes, rustix::mm::Advice::LinuxHugepage)
        };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *mut u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills the bytes, and tells whether each of those before is as it was filled.
    fn filled(at: *mut u8, before: usize, size: usize) -> bool {
        // SAFETY: the test hands over allocations of `size` bytes, of which `before` are filled.
        let bytes = unsafe { std::slice::from_raw_parts_mut(at, size) };
        let byte = |k: usize| (k % 251) as u8;
        let kept = (0..before).all(|k| bytes[k] == byte(k));
        for (k, to) in bytes.iter_mut().enumerate() {
            *to = byte(k);
        }
        kept
    }

    #[test]
    fn large_and_small_allocations_hold_what_is_put_there() {
        for size in [
            1,
            4096,
            LARGE - 1,
            LARGE,
            LARGE + 1,
            5 * LARGE_PAGE + 12_345,
        ] {
            for align in [1, 8, 64, 4096] {
                let layout = Layout::from_size_align(size, align).expect("a layout");
                let grown = Layout::from_size_align(3 * size, align).expect("a layout");
                // SAFETY: layouts are not empty; each pointer goes back with its own.
                unsafe {
                    let at = LargePages.alloc(layout);
                    assert!(!at.is_null() && at.align_offset(align) == 0);
                    assert!(filled(at, 0, size));
                    let at = LargePages.realloc(at, layout, 3 * size);
                    assert!(filled(at, size, 3 * size), "{size} bytes are kept");
                    let at = LargePages.realloc(at, grown, size);
                    assert!(filled(at, size, size), "{size} bytes are left");
                    LargePages.dealloc(at, layout);
                    let zeroed = LargePages.alloc_zeroed(layout);
                    assert!((0..size).all(|k| *zeroed.add(k) == 0));
                    LargePages.dealloc(zeroed, layout);
                }
            }
        }
    }
}
