//! Blocks of frames as exact bytes.
//!
//! Entry: [`FrameBlocks::to_bytes`], [`FrameBlocks::from_bytes`].

use std::sync::Arc;

use albireo::error::CountsError;
use albireo::exact_sum::ExactSum;
use albireo::tally::Tally;
use albireo::{Domain, Lattice, PeriodicBox};

use super::blocks::pairs_of;
use super::{FrameBlocks, FrameFacts};

const MAGIC: &[u8; 8] = b"albfrms4";

impl FrameBlocks {
    /// Exact bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let mut put = |value: u64| bytes.extend(value.to_le_bytes());
        put(self.most as u64);
        put(self.length);
        put(self.blocks.len() as u64);
        put(self.frames.len() as u64);
        put(self.roundings.len() as u64);
        self.roundings.iter().for_each(|r| put(r.to_bits()));
        for (&place, facts) in &self.frames {
            put(place);
            put(u64::from(facts.volume.is_some()));
            put(facts.volume.unwrap_or(0.0).to_bits());
            put(facts.weight.to_bits());
            for list in [&facts.particles, &facts.excluded] {
                put(list.len() as u64);
                for &value in list {
                    put(value);
                }
            }
            put_domain(facts.domain.as_deref(), &mut put);
        }
        for (block, tally) in &self.blocks {
            let tally = tally.to_bytes();
            bytes.extend(block.to_le_bytes());
            bytes.extend((tally.len() as u64).to_le_bytes());
            bytes.extend(tally);
            put_sums(self.reweighted.get(block).map(Vec::as_slice), &mut bytes);
            let sums = self.sums.get(block).map(Vec::as_slice);
            for at in 0..self.roundings.len() {
                put_sums(sums.map(|sums| &sums[at][..]), &mut bytes);
            }
        }
        bytes
    }

    /// The blocks of [`FrameBlocks::to_bytes`].
    ///
    /// # Errors
    /// Other bytes, or not all of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CountsError> {
        let mut bytes = Bytes(bytes.strip_prefix(MAGIC).ok_or(CountsError::NotATally)?);
        let mut all = Self::new(bytes.number()? as usize);
        all.length = bytes.number()?;
        let [blocks, frames] = [bytes.number()?, bytes.number()?];
        all.roundings = bytes.list()?.into_iter().map(f64::from_bits).collect();
        if all.length == 0 || (all.most < usize::MAX && !all.length.is_power_of_two()) {
            return Err(CountsError::NotATally);
        }
        for _ in 0..frames {
            let place = bytes.number()?;
            let [known, volume, weight] = [bytes.number()?, bytes.number()?, bytes.number()?];
            let facts = FrameFacts {
                volume: (known == 1).then(|| f64::from_bits(volume)),
                weight: f64::from_bits(weight),
                particles: bytes.list()?,
                excluded: bytes.list()?,
                domain: all.shared(place, bytes.domain()?),
            };
            all.pairs += pairs_of(&facts.particles);
            all.frames.insert(place, facts);
        }
        for _ in 0..blocks {
            let block = bytes.number()?;
            let length = bytes.number()? as usize;
            all.blocks
                .insert(block, Tally::from_bytes(bytes.take(length)?)?);
            let sums: Vec<ExactSum> = bytes.sums()?;
            if !sums.is_empty() {
                all.reweighted.insert(block, sums);
            }
            let sums = all.roundings.iter().map(|_| bytes.sums());
            let sums: Vec<_> = sums.collect::<Result<_, _>>()?;
            if !sums.is_empty() {
                all.sums.insert(block, sums);
            }
        }
        if bytes.0.is_empty() {
            Ok(all)
        } else {
            Err(CountsError::NotATally)
        }
    }
}

/// Sums as their digits, none at all where there are no sums.
fn put_sums(sums: Option<&[ExactSum]>, bytes: &mut Vec<u8>) {
    let sums = sums.unwrap_or_default();
    bytes.extend((sums.len() as u64).to_le_bytes());
    for digits in sums.iter().map(ExactSum::digits) {
        bytes.extend((digits.len() as u64).to_le_bytes());
        bytes.extend(digits.iter().flat_map(|digit| digit.to_le_bytes()));
    }
}

/// A box as what it was made of: nothing, lengths along the axes (0 of open ones) or three vectors.
fn put_domain(domain: Option<&Domain>, put: &mut impl FnMut(u64)) {
    let mut all = |kind: u64, numbers: &[f64]| {
        put(kind);
        for x in numbers {
            put(x.to_bits());
        }
    };
    match domain {
        None => all(0, &[]),
        Some(Domain::Open) => all(1, &[]),
        Some(Domain::Periodic(cell)) => all(2, &cell.lengths().map(|length| length.unwrap_or(0.0))),
        Some(Domain::Triclinic(lattice)) => all(3, lattice.vectors().as_flattened()),
    }
}

/// Bytes that are taken from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], CountsError> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or(CountsError::NotATally)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, CountsError> {
        let bytes = self.take(8)?.try_into();
        Ok(u64::from_le_bytes(
            bytes.map_err(|_| CountsError::NotATally)?,
        ))
    }

    fn real(&mut self) -> Result<f64, CountsError> {
        self.number().map(f64::from_bits)
    }

    /// What [`put_domain`] has put.
    fn domain(&mut self) -> Result<Option<Arc<Domain>>, CountsError> {
        let damaged = |_| CountsError::NotATally;
        let domain = match self.number()? {
            0 => return Ok(None),
            1 => Domain::Open,
            2 => {
                let lengths = [self.real()?, self.real()?, self.real()?];
                let lengths = lengths.map(|length| (length != 0.0).then_some(length));
                Domain::Periodic(PeriodicBox::new(lengths).map_err(damaged)?)
            }
            3 => {
                let mut vectors = [[0.0; 3]; 3];
                for component in vectors.as_flattened_mut() {
                    *component = self.real()?;
                }
                Domain::Triclinic(Lattice::new(vectors).map_err(damaged)?)
            }
            _ => return Err(CountsError::NotATally),
        };
        Ok(Some(Arc::new(domain)))
    }

    fn list(&mut self) -> Result<Vec<u64>, CountsError> {
        let n = self.number()? as usize;
        if n > self.0.len() / 8 {
            return Err(CountsError::NotATally);
        }
        (0..n).map(|_| self.number()).collect()
    }

    fn sums(&mut self) -> Result<Vec<ExactSum>, CountsError> {
        let n = self.number()? as usize;
        if n > self.0.len() / 8 {
            return Err(CountsError::NotATally);
        }
        let sum = |_| Ok(self.list()?.into_iter().map(f64::from_bits).collect());
        (0..n).map(sum).collect()
    }
}
