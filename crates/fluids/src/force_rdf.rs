//! g(r) from the forces on the particles of pairs, at the edges of bins.
//!
//! Entry: [`ForceRdf::of`].

use std::f64::consts::PI;

use albireo::exact_sum::ExactSum;

use super::cut::PairsOf;
use super::{Partials, scatter_of_blocks};
use crate::Result;

/// g(r) at the upper edge of each bin, of sums F of `(f_i - f_j).r / (2 r^2)` over pairs, f the forces and r the unit vector from j to i, with
/// `C = 1 / (4 pi kT sum P/V)`, P the candidates and V the volume of each frame.
///
/// `zero = C sum F` over the pairs below the edge, none of which may be closer than the first edge; `infinity = 1 - C sum F` over those above it, where g is 1
/// beyond the last edge. Their combination has the least variance: `(1 - L) infinity + L zero` with `L = cov(infinity - zero, infinity) / var(infinity - zero)`
/// over blocks of frames. Borgis et al. (2013), DOI 10.1080/00268976.2013.838316; Coles et al. (2021), DOI 10.1063/5.0053737.
#[derive(Debug, Clone, PartialEq)]
pub struct ForceRdf {
    /// From the pairs below each edge.
    pub zero: Vec<f64>,
    /// From those above it.
    pub infinity: Vec<f64>,
    /// The combination; NaN of less than two blocks.
    pub combined: Vec<f64>,
    /// Its standard error from the scatter of the blocks; none of less than two.
    pub error: Option<Vec<f64>>,
}

/// What one part of the frames gives.
struct Sides {
    zero: Vec<f64>,
    infinity: Vec<f64>,
    /// `infinity - zero`, which is the same at every edge.
    difference: f64,
    /// `sum P/V`, the part's share of all.
    share: f64,
}

impl Sides {
    fn of(part: &Partials, species: [usize; 2], (at, kt): (usize, f64)) -> Result<Self> {
        let class = part.species().class(species)?;
        let sums = part.pair_sum(species, at)?;
        let share = part.pair_density(class, PairsOf::Candidates)[0];
        let unit = 1.0 / (4.0 * PI * kt * share);
        let all: ExactSum = sums.iter().copied().collect();
        let (mut below, mut above) = (ExactSum::default(), all.clone());
        let (mut zero, mut infinity) = (vec![], vec![]);
        for sum in sums {
            below.add(sum);
            above.add(-sum);
            zero.push(unit * below.value());
            infinity.push(1.0 - unit * above.value());
        }
        Ok(Self {
            zero,
            infinity,
            difference: 1.0 - unit * all.value(),
            share,
        })
    }
}

/// `(1 - L) infinity + L zero`.
fn combined(of: &Sides, factors: &[f64]) -> Vec<f64> {
    let both = of.infinity.iter().zip(factors);
    both.map(|(infinity, factor)| infinity - factor * of.difference)
        .collect()
}

impl ForceRdf {
    /// Of all frames, sum number `at` that of F; `kt` is the temperature times Boltzmann's constant in the unit of the forces times that of length, and
    /// `blocks` are the frames in blocks.
    ///
    /// # Errors
    /// As [`Partials::pair_sum`], bins that are not in r, or bins that begin at 0.
    pub fn of(
        all: &Partials,
        blocks: &[Partials],
        species: [usize; 2],
        (at, kt): (usize, f64),
    ) -> Result<Self> {
        all.r_edges("g(r) from forces")?;
        let whole = Sides::of(all, species, (at, kt))?;
        let each = blocks.iter().map(|b| Sides::of(b, species, (at, kt)));
        let each: Vec<Sides> = each.collect::<Result<_, _>>()?;
        let factors = factors(&whole, &each);
        let combined_of = |block: &Partials| {
            let sides = Sides::of(block, species, (at, kt))?;
            let shares = vec![sides.share; factors.len()];
            Ok((combined(&sides, &factors), shares))
        };
        Ok(Self {
            error: scatter_of_blocks(blocks, combined_of)?,
            combined: combined(&whole, &factors),
            zero: whole.zero,
            infinity: whole.infinity,
        })
    }
}

/// L at each edge; NaN of less than two blocks, or of blocks without scatter.
fn factors(whole: &Sides, blocks: &[Sides]) -> Vec<f64> {
    let (mut squares, mut products) = (0.0, vec![0.0; whole.infinity.len()]);
    for block in blocks {
        let off = block.difference - whole.difference;
        squares += block.share * off * off;
        let both = block.infinity.iter().zip(&whole.infinity);
        for (product, (own, mean)) in products.iter_mut().zip(both) {
            *product += block.share * off * (own - mean);
        }
    }
    if blocks.len() < 2 {
        squares = 0.0;
    }
    products
        .into_iter()
        .map(|product| {
            if squares > 0.0 {
                product / squares
            } else {
                f64::NAN
            }
        })
        .collect()
}
