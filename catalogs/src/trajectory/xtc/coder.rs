//! The compression of XTC: positions as whole numbers, three of them in one number of mixed radix, neighbours as small differences.
//!
//! Entry: [`Coded::unpack`]. The bits are those of GROMACS' xdrfile library (Spångberg, Larsson & van der Spoel 2011, doi:10.1007/s00894-010-0948-5).

/// The ranges of differences that the format knows, about 2^(k/3) for number k.
const RANGES: [u32; 73] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 101, 128, 161, 203, 256,
    322, 406, 512, 645, 812, 1024, 1290, 1625, 2048, 2580, 3250, 4096, 5060, 6501, 8192, 10321,
    13003, 16384, 20642, 26007, 32768, 41285, 52015, 65536, 82570, 104_031, 131_072, 165_140,
    208_063, 262_144, 330_280, 416_127, 524_287, 660_561, 832_255, 1_048_576, 1_321_122, 1_664_510,
    2_097_152, 2_642_245, 3_329_021, 4_194_304, 5_284_491, 6_658_042, 8_388_607, 10_568_983,
    13_316_085, 16_777_216,
];
/// The first of them that is a range.
const FIRST: u32 = 9;
/// Beyond this range the three numbers of a position are stored apart.
const WIDE: u32 = 0xff_ffff;

/// Positions of a frame as they are packed.
pub(super) struct Coded {
    pub(super) atoms: u64,
    /// Steps a nm.
    pub(super) precision: f32,
    /// The least x, y and z in steps.
    pub(super) least: [i32; 3],
    /// The largest.
    pub(super) most: [i32; 3],
    /// The number of the range of differences at the start.
    pub(super) small: u32,
    /// Bytes of the packed positions.
    pub(super) bytes: u64,
}

/// Bits from the most significant one of each byte.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// The next `count` bits, at most 56.
    fn take(&mut self, count: u32) -> Option<u64> {
        let end = self.at + count as usize;
        if count == 0 || end > 8 * self.bytes.len() {
            return (count == 0).then_some(0);
        }
        let rest = &self.bytes[self.at / 8..];
        let window = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut window = [0; 8];
            window[..rest.len()].copy_from_slice(rest);
            window
        });
        let word = u64::from_be_bytes(window) << (self.at % 8);
        self.at = end;
        Some(word >> (64 - count))
    }

    /// A number of `count` bits whose bytes stand in order of significance, the last of them with the bits that remain.
    fn number(&mut self, count: u32) -> Option<u128> {
        let mut number = 0;
        let mut place = 0;
        while place < count {
            let part = (count - place).min(8);
            number |= u128::from(self.take(part)?) << place;
            place += part;
        }
        Some(number)
    }

    /// As [`Bits::number`], for numbers that are not too long.
    fn short_number(&mut self, count: u32) -> Option<u64> {
        let whole = count.saturating_sub(1) / 8;
        let rest = count - 8 * whole;
        let word = self.take(count)?;
        let low = if whole == 0 {
            0
        } else {
            (word >> rest << (64 - 8 * whole)).swap_bytes()
        };
        Some(low | (word & ((1 << rest) - 1)) << (8 * whole))
    }

    /// Three numbers below `sizes`, as one of `count` bits.
    fn three(&mut self, count: u32, sizes: [u32; 3]) -> Option<[i32; 3]> {
        if count <= 56 {
            let [_, y, z] = sizes.map(u64::from);
            let number = self.short_number(count)?;
            let (above, z) = (number / z, number % z);
            return Some([above / y, above % y, z].map(|part| part as i32));
        }
        let [_, y, z] = sizes.map(u128::from);
        let number = self.number(count)?;
        let (above, z) = (number / z, number % z);
        Some([above / y, above % y, z].map(|part| part as i32))
    }
}

/// How a position is stored in full.
enum Whole {
    /// As one number of so many bits.
    Together(u32),
    /// As three numbers.
    Apart([u32; 3]),
}

impl Coded {
    /// That the numbers at its head make sense and its bytes can hold so many atoms.
    pub(super) fn check(&self) -> Result<(), String> {
        if !(self.precision > 0.0 && self.precision.is_finite()) {
            let precision = self.precision;
            return Err(format!("expected a positive precision, found {precision}"));
        }
        if let Some(axis) = (0..3).find(|&axis| self.least[axis] > self.most[axis]) {
            let (least, most) = (self.least[axis], self.most[axis]);
            return Err(format!(
                "its positions lie between {least} and {most} steps"
            ));
        }
        // Two bits an atom at least: one that says whether differences follow, one for the position.
        if self.atoms / 4 > self.bytes {
            let (atoms, bytes) = (self.atoms, self.bytes);
            return Err(format!("{atoms} atoms cannot be packed in {bytes} bytes"));
        }
        Ok(())
    }

    /// x, y and z in nm.
    pub(super) fn unpack(&self, bytes: &[u8]) -> Result<[Vec<f64>; 3], String> {
        let sizes = self.sizes()?;
        let whole = if sizes.iter().any(|&size| size > WIDE) {
            Whole::Apart(sizes.map(|size| 32 - size.leading_zeros()))
        } else {
            let product: u128 = sizes.iter().map(|&size| u128::from(size)).product();
            Whole::Together(128 - product.leading_zeros())
        };
        let atoms = self.atoms as usize;
        let mut positions = [(); 3].map(|()| Vec::with_capacity(atoms));
        let inverse = 1.0 / self.precision;
        let mut put = |steps: [i32; 3]| {
            for (axis, &step) in positions.iter_mut().zip(&steps) {
                axis.push(f64::from(step as f32 * inverse));
            }
        };
        let short = || format!("its {} bytes are too few for {atoms} atoms", bytes.len());
        let mut bits = Bits { bytes, at: 0 };
        let (mut small, mut run, mut done) = (self.small, 0, 0);
        while done < atoms {
            let first = self.whole(&mut bits, &whole, sizes).ok_or_else(short)?;
            let mut change = 0;
            if bits.take(1).ok_or_else(short)? == 1 {
                let code = bits.take(5).ok_or_else(short)? as u32;
                change = (code % 3) as i32 - 1;
                run = (code / 3) as usize;
            }
            done += 1 + run;
            if done > atoms {
                return Err(format!("its differences are of more than {atoms} atoms"));
            }
            // The first two atoms of a run change places, which suits water.
            let mut last = first;
            // Its number counts only where it is used: wide positions have one beyond the table.
            let range = if run > 0 { Self::range(small)? } else { 0 };
            for k in 0..run {
                let difference = bits.three(small, [range; 3]).ok_or_else(short)?;
                let half = (range / 2) as i32;
                let moved =
                    |axis: usize| last[axis].wrapping_add(difference[axis].wrapping_sub(half));
                last = [moved(0), moved(1), moved(2)];
                put(last);
                if k == 0 {
                    put(first);
                }
            }
            if run == 0 {
                put(first);
            }
            small = small.saturating_add_signed(change);
        }
        Ok(positions)
    }

    /// How many values x, y and z take.
    fn sizes(&self) -> Result<[u32; 3], String> {
        let mut sizes = [0; 3];
        for (axis, size) in sizes.iter_mut().enumerate() {
            let (least, most) = (self.least[axis], self.most[axis]);
            *size = u32::try_from(i64::from(most) - i64::from(least) + 1)
                .map_err(|_| format!("its positions lie between {least} and {most} steps"))?;
        }
        Ok(sizes)
    }

    fn range(small: u32) -> Result<u32, String> {
        let range = RANGES.get(small as usize).filter(|_| small >= FIRST);
        range.copied().ok_or_else(|| {
            let last = RANGES.len() - 1;
            format!("expected a range of differences between {FIRST} and {last}, found {small}")
        })
    }

    fn whole(&self, bits: &mut Bits<'_>, whole: &Whole, sizes: [u32; 3]) -> Option<[i32; 3]> {
        let steps = match *whole {
            Whole::Together(count) => bits.three(count, sizes)?,
            Whole::Apart(counts) => {
                let mut steps = [0; 3];
                for (step, &count) in steps.iter_mut().zip(&counts) {
                    *step = bits.take(count)? as i32;
                }
                steps
            }
        };
        Some([0, 1, 2].map(|axis| steps[axis].wrapping_add(self.least[axis])))
    }
}
