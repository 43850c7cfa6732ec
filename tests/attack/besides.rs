//! What a case may have besides points, bins and sums: cuts, factors of the weights of pairs, and further sets of weights.
//!
//! Entry: [`draw`], which comes after everything else, so that the rest of a case does not depend on it.

use std::sync::Arc;

use albireo::particles::{Bits, Column, Groups};
use albireo::tally::{
    AngularWeight, Cut, InverseProbability, PairNormalisation, PairProgram, PairWeight,
    Realisations, Sum,
};
use albireo::{Axis, LineOfSight, Particles, Weights};

use super::case::{Case, Space, text};
use super::draw::Draft;
use super::random::Random;
use super::weights::weights;

/// A cut, in plain numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Dropped {
    /// Angles in degrees, from and to.
    Theta([f64; 2]),
    /// Separations across, from and to.
    Rp([f64; 2], LineOfSight),
    /// Pairs within a group.
    SameGroup,
    /// Pairs of rows.
    Listed(Vec<[u32; 2]>),
}

impl Dropped {
    fn built(&self) -> Result<Cut, String> {
        Ok(match self {
            Self::Theta([lo, hi]) => Cut::theta(*lo, *hi).map_err(text)?,
            Self::Rp([lo, hi], los) => Cut::rp(*lo, *hi, *los).map_err(text)?,
            Self::SameGroup => Cut::SameGroup,
            Self::Listed(list) => Cut::listed(list.iter().copied()),
        })
    }
}

/// Inverse probabilities of rows of bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inverse {
    /// Words of a row.
    pub words: usize,
    /// Whether the realisation observed is one of the bits.
    pub truncated: bool,
    /// What counts are normalised by.
    pub normalisation: PairNormalisation,
}

/// Cuts and factors with what particles need for them, in plain numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Besides {
    /// The cuts.
    pub cuts: Vec<Dropped>,
    /// The groups of both samples, where there are any.
    pub groups: [Vec<u32>; 2],
    /// Inverse probabilities of pairs.
    pub inverse: Option<Inverse>,
    /// The rows of bits of both samples, where there are any.
    pub bits: [Vec<Vec<u64>>; 2],
    /// Angles in degrees, and the factors at them.
    pub angular: Option<(Vec<f64>, Vec<f64>)>,
    /// Weights of both samples set by set, none for unit weights; the first set is the case's own.
    pub sets: Vec<[Option<Vec<f64>>; 2]>,
    /// How many realisations the bits are of, where each is counted apart.
    pub realisations: Option<usize>,
    /// What is made of columns of both particles and their separation.
    pub program: Option<Arc<PairProgram>>,
    /// The columns of both samples.
    pub columns: [Vec<Vec<f64>>; 2],
}

impl Besides {
    /// Whether pairs have weights that are more than a product.
    pub fn weighs_pairs(&self) -> bool {
        self.inverse.is_some() || self.angular.is_some()
    }

    /// Each of the sums by every set of weights, where weights go into it.
    pub fn sums(&self, sums: Vec<Sum>) -> Vec<Sum> {
        let by_set = |sum: Sum| {
            let last = if sum.is_weighted() {
                self.sets.len()
            } else {
                0
            };
            (0..=last).map(move |set| sum.clone().of_set(set))
        };
        sums.into_iter().flat_map(by_set).collect()
    }

    /// The library's cuts.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn cuts(&self) -> Result<Vec<Cut>, String> {
        self.cuts.iter().map(Dropped::built).collect()
    }

    /// The library's weight of pairs, where there is one.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn pair_weight(&self) -> Result<Option<PairWeight>, String> {
        let angular = |(degrees, factors): &(Vec<f64>, Vec<f64>)| {
            AngularWeight::new(degrees.clone(), factors.clone()).map_err(text)
        };
        let angular = self.angular.as_ref().map(angular).transpose()?;
        let Some(inverse) = self.inverse else {
            return Ok(angular.map(PairWeight::from));
        };
        let realisations = if inverse.truncated {
            Realisations::zero_truncated(64 * inverse.words as u32)
        } else {
            Realisations::of_words(inverse.words)
        };
        let inverse = InverseProbability::new(inverse.words, realisations, inverse.normalisation);
        let weight = PairWeight::from(inverse.map_err(text)?);
        Ok(Some(match angular {
            Some(angular) => weight.with_angular(angular),
            None => weight,
        }))
    }

    /// Sample number `which` with its groups, bits and sets of weights.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn of_sample(&self, which: usize, mut particles: Particles) -> Result<Particles, String> {
        if !self.groups[which].is_empty() {
            let groups = Groups::new(self.groups[which].clone());
            particles = particles.grouped(groups).map_err(text)?;
        }
        if !self.bits[which].is_empty() {
            let bits = Bits::from_rows(&self.bits[which]).map_err(text)?;
            particles = particles.with_bits(bits).map_err(text)?;
        }
        let further = self.sets.iter().map(|set| match &set[which] {
            None => Weights::Unit,
            Some(weights) => Weights::PerParticle(weights.clone().into()),
        });
        let particles = particles
            .with_weight_sets(further.collect())
            .map_err(text)?;
        let columns = self.columns[which].iter().cloned().map(Column::from);
        particles.with_columns(columns.collect()).map_err(text)
    }

    /// Leaves out rows of one sample; what is listed of the others keeps its numbers.
    pub fn drop_rows(&mut self, which: usize, rows: std::ops::Range<usize>, left: [usize; 2]) {
        if !self.groups[which].is_empty() {
            self.groups[which].drain(rows.clone());
        }
        if !self.bits[which].is_empty() {
            self.bits[which].drain(rows.clone());
        }
        for weights in self.sets.iter_mut().filter_map(|set| set[which].as_mut()) {
            weights.drain(rows.clone());
        }
        for column in &mut self.columns[which] {
            column.drain(rows.clone());
        }
        for cut in &mut self.cuts {
            if let Dropped::Listed(list) = cut {
                list.retain(|pair| (0..2).all(|k| (pair[k] as usize) < left[k]));
            }
        }
    }
}

/// Gives a case cuts and factors, of the kinds that its space and its pairs allow, mostly none.
pub fn draw(draft: &mut Draft<'_>, case: &mut Case) {
    let open = case.space == Space::Open;
    let mut cuts = vec![("cuts none", [false; 4]); 6];
    cuts.extend([
        ("cut rp", [false, true, false, false]),
        ("cut groups", [false, false, true, false]),
        ("cut list", [false, false, false, true]),
    ]);
    if open {
        cuts.push(("cut theta", [true, false, false, false]));
        cuts.push(("cuts of all kinds", [true; 4]));
    }
    let [theta, rp, groups, list] = draft.class(&cuts);
    let mut factors = vec![("pair weights none", [false; 2]); 5];
    factors.extend([("pair weights of bits", [true, false]); 2]);
    if open {
        factors.push(("pair weights of angles", [false, true]));
        factors.push(("pair weights of both", [true; 2]));
    }
    let [bits, angles] = draft.class(&factors);
    let random = &mut *draft.random;
    let n = [
        case.first.len(),
        case.second.as_ref().map_or(case.first.len(), Vec::len),
    ];
    if n.contains(&0) {
        return;
    }
    let mut besides = Besides::default();
    if theta {
        let hi = angle(random, case);
        let lo = if random.once_in(2) {
            0.0
        } else {
            hi * random.unit()
        };
        besides.cuts.push(Dropped::Theta([lo, hi]));
    }
    if rp {
        besides.cuts.push(across(random, case, open));
    }
    if groups {
        besides.cuts.push(Dropped::SameGroup);
        let number = 1 + random.below(2 * n[0]);
        let mut of = |n: usize| (0..n).map(|_| random.below(number) as u32 * 7).collect();
        besides.groups = [of(n[0]), of(if case.second.is_some() { n[1] } else { 0 })];
    }
    if list {
        let number = random.below(3 * n[0]);
        let pair = |_| n.map(|n| random.below(n) as u32);
        besides
            .cuts
            .push(Dropped::Listed((0..number).map(pair).collect()));
    }
    if bits {
        draw_bits(random, n, case.second.is_some(), &mut besides);
    }
    if angles {
        let mut degrees: Vec<f64> = (0..2 + random.below(6))
            .map(|_| angle(random, case))
            .collect();
        degrees.push(if random.once_in(2) { 0.0 } else { 180.0 });
        degrees.sort_by(f64::total_cmp);
        degrees.dedup();
        let factors = degrees.iter().map(|_| random.between(-1.0, 3.0)).collect();
        besides.angular = Some((degrees, factors));
    }
    let further = draft.class(&[
        ("sets of weights 1", 0),
        ("sets of weights 1", 0),
        ("sets of weights 1", 0),
        ("sets of weights 2", 1),
        ("sets of weights 4", 3),
    ]);
    let cross = case.second.is_some();
    besides.sets = (0..further)
        .map(|_| [0, 1].map(|k| weights(draft, n[k], k == 1 && !cross)))
        .collect();
    case.besides = besides;
}

fn draw_bits(random: &mut Random, n: [usize; 2], cross: bool, besides: &mut Besides) {
    let words = random.pick(&[1, 1, 2, 3, 5, 8]);
    let mut normalisations = vec![
        PairNormalisation::JointOccurrence,
        PairNormalisation::BruteForce,
    ];
    // More bits have millions of combinations.
    if words == 1 {
        normalisations.push(PairNormalisation::Counter);
    }
    let truncated = random.once_in(3);
    besides.inverse = Some(Inverse {
        words,
        truncated,
        normalisation: random.pick(&normalisations),
    });
    let mut row = |_| -> Vec<u64> {
        let kind = random.below(6);
        let mut row: Vec<u64> = (0..words)
            .map(|_| match kind {
                0 => 0,
                1 => u64::MAX,
                2 => random.next() & random.next() & random.next(),
                _ => random.next(),
            })
            .collect();
        // The realisation observed holds every row.
        row[0] |= u64::from(truncated);
        row
    };
    let first = (0..n[0]).map(&mut row).collect();
    let second = (0..if cross { n[1] } else { 0 }).map(&mut row).collect();
    besides.bits = [first, second];
}

/// Two points of the pairs counted.
fn two(random: &mut Random, case: &Case) -> [[f64; 3]; 2] {
    let second = case.second.as_ref().unwrap_or(&case.first);
    let i = random.below(case.first.len());
    [case.first[i], second[random.below(second.len())]]
}

/// An angle in degrees: that of a pair, or any.
fn angle(random: &mut Random, case: &Case) -> f64 {
    let [a, b] = two(random, case).map(albireo::separation::direction);
    let chord: f64 = (0..3)
        .map(|k| (a[k] - b[k]) * (a[k] - b[k]))
        .sum::<f64>()
        .sqrt();
    let of_pair = 2.0 * libm::asin((chord / 2.0).min(1.0)).to_degrees();
    let any = random.decades(1e-4, 60.0);
    // Chords of the smallest angles have no squares.
    if of_pair > 1e-6 && random.once_in(2) {
        random.nudged(of_pair)
    } else {
        any
    }
}

/// A cut across a line of sight that the space allows.
fn across(random: &mut Random, case: &mut Case, open: bool) -> Dropped {
    let mut sights: Vec<_> = Axis::ALL.map(LineOfSight::Fixed).into();
    if open {
        sights.extend([LineOfSight::Midpoint; 3]);
    }
    // Which point comes first must not matter where an auto count holds each pair once.
    if open && (case.second.is_some() || case.bins.signed()) {
        sights.extend([LineOfSight::First, LineOfSight::End]);
    }
    let los = random.pick(&sights);
    let largest = case.bins.edges()[0]
        .as_ref()
        .map_or(1.0, |edges| edges[edges.len() - 1]);
    let [a, b] = two(random, case);
    let d: [f64; 3] = std::array::from_fn(|k| a[k] - b[k]);
    let axis = match los {
        LineOfSight::Fixed(axis) => axis.index(),
        _ => 3,
    };
    let of_pair = (0..3)
        .filter(|&k| k != axis)
        .map(|k| d[k] * d[k])
        .sum::<f64>()
        .sqrt();
    let hi = if of_pair > 0.0 && of_pair < largest && random.once_in(2) {
        of_pair
    } else {
        largest * random.between(0.01, 0.7)
    };
    let lo = if random.once_in(2) {
        0.0
    } else {
        hi * random.unit()
    };
    Dropped::Rp([lo, hi], los)
}
