//! Whether a Rice-coded stream holds as many values as it should.
//!
//! Entry: [`holds`]. FITS Standard 4.0, section 10.4.1. cfitsio reads past the end of a stream that is too short; this walk
//! does not.

/// Values that share one code.
const BLOCK: usize = 32;

struct Bits<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: usize) -> Option<u32> {
        (0..count).try_fold(0, |value, _| Some(value << 1 | u32::from(self.bit()?)))
    }

    fn bit(&mut self) -> Option<bool> {
        let byte = self.bytes.get(self.next / 8)?;
        let bit = byte >> (7 - self.next % 8) & 1;
        self.next += 1;
        Some(bit == 1)
    }
}

/// Whether `stream` holds `count` values of `bytes` bytes (1, 2 or 4), and no reader needs more than it.
pub(super) fn holds(stream: &[u8], count: usize, bytes: usize) -> bool {
    walk(stream, count, bytes).is_some()
}

fn walk(stream: &[u8], count: usize, bytes: usize) -> Option<()> {
    // Bits of a code, the code of values stored as they are, bits of a value.
    let (code_bits, plain, value_bits) = match bytes {
        1 => (3, 6, 8),
        2 => (4, 14, 16),
        4 => (5, 25, 32),
        _ => return None,
    };
    let mut bits = Bits {
        bytes: stream,
        next: 8 * bytes,
    };
    // Decoders look at one byte behind the first value before they decode anything.
    stream.get(bytes)?;
    let mut left = count;
    while left > 0 {
        let block = left.min(BLOCK);
        left -= block;
        let code = bits.take(code_bits)?;
        match code.checked_sub(1) {
            None => {}
            Some(split) if split == plain => {
                for _ in 0..block {
                    bits.take(value_bits)?;
                }
            }
            Some(split) if split < plain => {
                for _ in 0..block {
                    while !bits.bit()? {}
                    bits.take(split as usize)?;
                }
            }
            Some(_) => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn streams_end_where_their_values_do() {
        // Equal values: the first one, then a code of 0 for each block of 32.
        assert!(holds(&[0, 7, 0b0000_0000], 64, 2));
        assert!(!holds(&[0, 7, 0b0000_0000], 65, 2));
        // A code of 2: one bit behind each unary part, here `10` twice.
        assert!(holds(&[0, 7, 0b0010_1010], 2, 2));
        assert!(!holds(&[0, 7, 0b0010_1010], 3, 2));
        // A code of 31 for values of 4 bytes, whose plain ones have 26.
        assert!(holds(&[0, 0, 0, 7, 0b1101_0000, 0, 0, 0, 0], 1, 4));
        assert!(!holds(&[0, 0, 0, 7, 0b1111_1000, 0, 0, 0, 0], 1, 4));
        assert!(!holds(&[], 1, 2));
        assert!(!holds(&[0, 7], 1, 2));
    }
}
