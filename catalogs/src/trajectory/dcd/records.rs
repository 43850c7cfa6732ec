//! Records of Fortran: their length in front of them and behind, in 32 or 64 bits.
//!
//! Entry: [`Records`].

use crate::error::Result;
use crate::trajectory::bytes::{Bytes, Order};

/// How the records of a file are marked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Records {
    order: Order,
    /// Bytes of a length.
    width: usize,
}

impl Records {
    /// How they are marked in a file that starts with one of `length` bytes and one of these names; none if it does not.
    pub(super) fn of(head: &[u8], length: u64, names: &[&[u8]]) -> Option<Self> {
        let ways = [
            (Order::Little, 4),
            (Order::Big, 4),
            (Order::Little, 8),
            (Order::Big, 8),
        ];
        let mut ways = ways.into_iter().map(|(order, width)| Self { order, width });
        ways.find(|way| {
            head.len() >= 16
                && way.length(head) == length
                && names.iter().any(|name| head[way.width..].starts_with(name))
        })
    }

    pub(super) fn order(self) -> Order {
        self.order
    }

    /// Bytes of a record with its marks.
    pub(super) fn size(self, length: u64) -> u64 {
        length + 2 * self.width as u64
    }

    fn length(self, mark: &[u8]) -> u64 {
        if self.width == 4 {
            self.order.u32(mark, 0).into()
        } else {
            self.order.u64(mark, 0)
        }
    }

    /// The next record, of `expected` bytes.
    pub(super) fn read<'a>(
        self,
        bytes: &'a mut Bytes,
        expected: u64,
        what: &str,
    ) -> Result<&'a [u8]> {
        let mark = self.width as u64;
        let front = self.length(bytes.take(mark, what)?);
        if front != expected {
            let wrong =
                format!("expected a record of {expected} bytes with {what}, found one of {front}");
            return Err(bytes.corrupt(&wrong));
        }
        let whole = front.saturating_add(mark);
        bytes.holds(whole, what)?;
        let record = bytes.take(whole, what)?;
        let behind = self.length(&record[front as usize..]);
        if behind != front {
            let wrong =
                format!("the record with {what} has {front} bytes in front and {behind} behind");
            return Err(bytes.corrupt(&wrong));
        }
        Ok(&bytes.taken()[..front as usize])
    }

    /// Passes over the title: its length counts, and where that is wrong, as some writers make it, its number of lines of 80 characters.
    pub(super) fn pass_title(self, bytes: &mut Bytes) -> Result<()> {
        let what = "its title";
        let mark = self.width as u64;
        let front = self.length(bytes.take(mark, what)?);
        let start = bytes.place();
        let lines = self.order.u32(bytes.take(4, what)?, 0);
        for length in [front, 4 + 80 * u64::from(lines)] {
            if length.saturating_add(start + mark) <= bytes.length() {
                bytes.go_to(start + length, what)?;
                if self.length(bytes.take(mark, what)?) == front {
                    return Ok(());
                }
            }
        }
        Err(bytes.corrupt(&format!(
            "the record with {what} does not end after {front} bytes"
        )))
    }
}
