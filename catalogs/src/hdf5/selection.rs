//! Parts of data sets, as virtual ones name them: all elements, or a box of them.
//!
//! Entry: [`Selection`]. Points and several boxes are not distinguished from one another: they are no runs of elements.

/// A part of a data set.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Selection {
    All,
    /// From and to, along each axis.
    Box(Vec<(u64, u64)>),
    /// Anything else.
    Other,
}

/// Little-endian numbers, one after the other.
pub(super) struct Numbers<'a>(pub(super) &'a [u8]);

impl Numbers<'_> {
    /// The next number, of `bytes` bytes.
    pub(super) fn next(&mut self, bytes: usize) -> Option<u64> {
        let (number, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        let mut word = [0; 8];
        word.get_mut(..bytes)?.copy_from_slice(number);
        Some(u64::from_le_bytes(word))
    }

    /// A text that ends with a zero byte.
    pub(super) fn text(&mut self) -> Option<String> {
        let end = self.0.iter().position(|&byte| byte == 0)?;
        let text = String::from_utf8_lossy(&self.0[..end]).into_owned();
        self.0 = &self.0[end + 1..];
        Some(text)
    }
}

impl Selection {
    /// The next selection; `None` if it is damaged.
    pub(super) fn read(numbers: &mut Numbers<'_>) -> Option<Self> {
        let kind = numbers.next(4)?;
        let version = numbers.next(4)?;
        match (kind, version) {
            (0 | 3, 1) => {
                numbers.next(8)?;
                Some(if kind == 3 { Self::All } else { Self::Other })
            }
            (1, 1) => {
                numbers.next(4)?;
                let length = numbers.next(4)?;
                numbers.0 = numbers.0.get(usize::try_from(length).ok()?..)?;
                Some(Self::Other)
            }
            (2, 1) => {
                numbers.next(8)?;
                let rank = usize::try_from(numbers.next(4)?).ok()?;
                let blocks = numbers.next(4)?;
                Self::blocks(numbers, rank, blocks, 4)
            }
            (2, 2) => {
                let regular = numbers.next(1)? & 1 != 0;
                numbers.next(4)?;
                let rank = numbers.next(4)?;
                if regular {
                    Self::regular(numbers, rank, 8)
                } else {
                    None
                }
            }
            (2, 3) => {
                let regular = numbers.next(1)? & 1 != 0;
                let bytes = usize::try_from(numbers.next(1)?).ok()?;
                let rank = numbers.next(4)?;
                if regular {
                    return Self::regular(numbers, rank, bytes);
                }
                let blocks = numbers.next(bytes)?;
                Self::blocks(numbers, usize::try_from(rank).ok()?, blocks, bytes)
            }
            _ => None,
        }
    }

    /// Boxes by their first and last elements.
    fn blocks(numbers: &mut Numbers<'_>, rank: usize, blocks: u64, bytes: usize) -> Option<Self> {
        let mut found = Self::Other;
        for _ in 0..blocks {
            let mut corner = || {
                (0..rank)
                    .map(|_| numbers.next(bytes))
                    .collect::<Option<Vec<u64>>>()
            };
            let (first, last) = (corner()?, corner()?);
            let ends = last.into_iter().map(|last| last.checked_add(1));
            let ends = ends.collect::<Option<Vec<u64>>>()?;
            if blocks == 1 {
                found = Self::Box(first.into_iter().zip(ends).collect());
            }
        }
        Some(found)
    }

    /// Boxes at equal distances: start, distance, number and size along each axis.
    fn regular(numbers: &mut Numbers<'_>, rank: u64, bytes: usize) -> Option<Self> {
        let mut axes = Some(Vec::new());
        for _ in 0..rank {
            let start = numbers.next(bytes)?;
            let (step, count, block) = (
                numbers.next(bytes)?,
                numbers.next(bytes)?,
                numbers.next(bytes)?,
            );
            let length = count
                .checked_mul(block)
                .and_then(|length| start.checked_add(length));
            match (length, &mut axes) {
                (Some(end), Some(axes)) if count == 1 || step == block => axes.push((start, end)),
                _ => axes = None,
            }
        }
        Some(axes.map_or(Self::Other, Self::Box))
    }

    /// Its elements as a run of those of a data set of that shape, from and to; nothing if they are none.
    pub(super) fn run(&self, shape: &[u64]) -> Option<(u64, u64)> {
        let all = shape
            .iter()
            .try_fold(1u64, |all, &length| all.checked_mul(length))?;
        let axes = match self {
            Self::All => return Some((0, all)),
            Self::Box(axes) if axes.len() == shape.len() => axes,
            _ => return None,
        };
        let (mut first, mut length, mut whole) = (0u64, 1u64, true);
        let mut stride = 1u64;
        for (&(from, to), &end) in axes.iter().zip(shape).rev() {
            if from > to || to > end {
                return None;
            }
            // Left of an axis of which a part is taken, one of each.
            if !whole && to - from != 1 {
                return None;
            }
            first = first.checked_add(from.checked_mul(stride)?)?;
            length = length.checked_mul(to - from)?;
            whole &= (from, to) == (0, end);
            stride = stride.checked_mul(end)?;
        }
        Some((first, first.checked_add(length)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_are_runs() {
        let run = |axes: &[(u64, u64)]| Selection::Box(axes.to_vec()).run(&[5, 3]);
        assert_eq!(Selection::All.run(&[5, 3]), Some((0, 15)));
        assert_eq!(run(&[(1, 4), (0, 3)]), Some((3, 12)));
        assert_eq!(run(&[(2, 3), (1, 2)]), Some((7, 8)));
        assert_eq!(run(&[(1, 4), (0, 2)]), None);
        assert_eq!(run(&[(1, 6), (0, 3)]), None);
        assert_eq!(run(&[(1, 2)]), None);
    }
}
