//! `BloscLZ`, Blosc's own codec, a relative of `FastLZ`.
//!
//! Entry: [`unpack`].

/// Distances from here on take two bytes more.
const FAR: usize = 8191;

/// Unpacks a stream and says how many bytes it held; `None` if it is damaged or longer than `out`.
pub(super) fn unpack(packed: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut bytes = packed.iter();
    let mut filled = 0;
    // The first control byte is a literal run: its upper bits tell the format's version.
    let mut control = usize::from(*bytes.next()? & 31);
    loop {
        if control < 32 {
            let (run, rest) = bytes.as_slice().split_at_checked(control + 1)?;
            out.get_mut(filled..filled + run.len())?
                .copy_from_slice(run);
            filled += run.len();
            bytes = rest.iter();
        } else {
            let mut length = (control >> 5) - 1;
            if length == 6 {
                loop {
                    let more = usize::from(*bytes.next()?);
                    length += more;
                    if more != 255 {
                        break;
                    }
                }
            }
            let high = (control & 31) << 8;
            let low = usize::from(*bytes.next()?);
            let mut distance = high + low + 1;
            if low == 255 && high == 31 << 8 {
                let far = [*bytes.next()?, *bytes.next()?];
                distance = usize::from(u16::from_be_bytes(far)) + FAR + 1;
            }
            filled = repeat(out, filled, distance, length + 3)?;
        }
        match bytes.next() {
            Some(&next) => control = usize::from(next),
            None => return Some(filled),
        }
    }
}

/// Copies `length` bytes from `distance` before the end of what is filled; the copy may overlap what it writes.
fn repeat(out: &mut [u8], filled: usize, distance: usize, length: usize) -> Option<usize> {
    let from = filled.checked_sub(distance)?;
    let end = filled.checked_add(length)?;
    let place = out.get_mut(from..end)?;
    // What is written doubles what can be copied at once.
    let mut period = distance;
    let mut written = distance;
    while written < place.len() {
        let run = period.min(place.len() - written);
        place.copy_within(0..run, written);
        written += run;
        period = written;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::unpack;

    fn unpacked(packed: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut out = vec![0; length];
        (unpack(packed, &mut out)? == length).then_some(out)
    }

    #[test]
    fn literals_and_repeats() {
        // Three literals (version bits beside them), then 3 bytes from 3 back, then 9 + 4 + 3 from 1 back.
        let packed = [0x22, b'a', b'b', b'c', 1 << 5, 2, 7 << 5, 7, 0];
        assert_eq!(
            unpacked(&packed, 22).as_deref(),
            Some(b"abcabccccccccccccccccc".as_slice())
        );
        assert_eq!(unpacked(&packed, 21), None);
    }

    #[test]
    fn far_distances() {
        let mut packed = Vec::new();
        let text: Vec<u8> = (0..8300u32).map(|k| (k * k % 251) as u8).collect();
        for run in text.chunks(32) {
            packed.push((run.len() - 1) as u8);
            packed.extend(run);
        }
        // 3 bytes from 8191 + 1 + 100 back.
        packed.extend([(1 << 5) | 31, 255, 0, 100]);
        let start = 8300 - 8292;
        let expected = [&text[..], &text[start..start + 3]].concat();
        assert_eq!(unpacked(&packed, 8303), Some(expected));
    }

    #[test]
    fn damaged_streams_are_refused() {
        for packed in [
            &[][..],
            &[3, b'a'],
            &[0, b'a', 1 << 5],
            &[0, b'a', 1 << 5, 1],
            &[0, b'a', 7 << 5, 255],
            &[0, b'a', (1 << 5) | 31, 255, 0],
        ] {
            assert_eq!(unpacked(packed, 100), None, "{packed:?}");
        }
    }
}
