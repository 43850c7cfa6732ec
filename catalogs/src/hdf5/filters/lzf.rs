//! LZF, the fast filter of h5py.
//!
//! Entry: [`decode`]. The format is that of `LibLZF` (Lehmann 2000-2008): literal runs and back references.

use super::{Decoded, Refusal};

/// Unpacks one chunk of at most `most` bytes.
pub(super) fn decode(packed: &[u8], most: usize) -> Decoded {
    unpack(packed, most).ok_or(Refusal::Damaged("the stream is damaged"))
}

/// Unpacks at most `limit` bytes; `None` if the stream is damaged or longer.
fn unpack(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::with_capacity(limit.min(packed.len().saturating_mul(4)));
    let mut bytes = packed.iter();
    while let Some(&control) = bytes.next() {
        let control = usize::from(control);
        if control < 32 {
            let (run, rest) = bytes.as_slice().split_at_checked(control + 1)?;
            out.extend_from_slice(run);
            bytes = rest.iter();
        } else {
            let mut length = control >> 5;
            if length == 7 {
                length += usize::from(*bytes.next()?);
            }
            let distance = ((control & 0x1f) << 8) + usize::from(*bytes.next()?) + 1;
            let start = out.len().checked_sub(distance)?;
            // The copy may overlap what it writes.
            for k in start..start + length + 2 {
                out.push(out[k]);
            }
        }
        if out.len() > limit {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_back_references() {
        // "abc", then 6 bytes from 3 back, then 12 from 1 back.
        let packed = [2, b'a', b'b', b'c', 4 << 5, 2, 7 << 5, 3, 0];
        assert_eq!(
            unpack(&packed, 21).as_deref(),
            Some(b"abcabcabccccccccccccc".as_slice())
        );
        assert_eq!(unpack(&packed, 20), None);
        assert_eq!(unpack(&[], 0), Some(Vec::new()));
    }

    #[test]
    fn damaged_streams_are_refused() {
        for packed in [
            &[5, b'a'][..],
            &[1 << 5, 0],
            &[0, b'a', 1 << 5],
            &[0, b'a', 7 << 5],
            &[0, b'a', 1 << 5, 1],
        ] {
            assert_eq!(unpack(packed, 100), None, "{packed:?}");
        }
        assert!(decode(&[0], 8).is_err());
    }
}
