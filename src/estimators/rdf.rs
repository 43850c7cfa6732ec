//! The radial distribution function g(r) and the coordination number n(r) of particles in boxes, over frames.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a pair counts once or twice"
)]

use super::analytic::shells;
use super::fluid::partners;
use super::{RandomPairs, ratio};
use crate::binning::{Edges, RBins};
use crate::counts::{PairCounts, PairKind};
use crate::engine::Exactness;
use crate::error::{EstimatorError, MergeError};
use crate::exact_sum::ExactSum;

/// g(r) and n(r), built up frame by frame.
///
/// `g_k = sum_f p_k,f / (shell_k * sum_f pairs_f / V_f)` over frames f, with `shell_k = 4/3 pi (e_k+1^3 - e_k^3)` and pairs
/// `N(N-1)/2` for like species, `Na*Nb` otherwise: right for volumes and particle numbers that change from frame to frame, and the
/// same however the frames are split and merged. g of an ideal gas is 1. Allen & Tildesley, Computer Simulation of Liquids (2017),
/// DOI 10.1093/oso/9780198803195.001.0001, section 2.6; weights are not used.
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, PeriodicBox, RBins, Silent, estimators::Rdf, random};
/// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
/// let bins = RBins::new(Edges::linear(0.0, 0.5, 5)?);
/// let mut rdf = Rdf::new(&bins);
/// for frame in 0..3 {
///     let atoms = Particles::new(random::in_box(200, frame, [1.0; 3])?);
///     let job = PairJob::new(Pairs::Auto(&atoms), &domain)?;
///     let pairs = count_pairs(&Naive, &job, &bins, &Silent)?;
///     rdf.add_frame(&pairs, 1.0, atoms.len())?;
/// }
/// assert!((rdf.g()[4] - 1.0).abs() < 5.0 * rdf.poisson_error()[4]);
/// assert!((rdf.coordination()[4] / 199.0 - 3.14159 / 6.0).abs() < 0.02);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rdf {
    bins: RBins,
    kind: Option<PairKind>,
    exactness: Option<Exactness>,
    frames: u64,
    npairs: Vec<u64>,
    /// Sum over frames of the particles that partners are counted around.
    references: u64,
    /// Sum over frames of pairs / volume.
    pair_density: ExactSum,
    /// Sums over frames of each bin's g and of its square.
    moments: Vec<[ExactSum; 2]>,
}

impl Rdf {
    /// No frame yet.
    pub fn new(bins: &RBins) -> Self {
        let n_bins = bins.edges().n_bins();
        Self {
            bins: bins.clone(),
            kind: None,
            exactness: None,
            frames: 0,
            npairs: vec![0; n_bins],
            references: 0,
            pair_density: ExactSum::default(),
            moments: vec![<[ExactSum; 2]>::default(); n_bins],
        }
    }

    /// Adds the pairs of one frame in a box of this volume (length units cubed).
    ///
    /// `references` is the number of particles around which n(r) counts partners: N of a like-species count, Na of a cross count,
    /// whose first sample they are.
    ///
    /// # Errors
    /// Other bins, like species after unlike ones or the reverse, approximate counts after exact ones or the reverse, a frame without a pair, counts that cover a part of the frame
    /// only, a number of references that the total contradicts, or a volume that is not positive and finite.
    pub fn add_frame(
        &mut self,
        counts: &PairCounts,
        volume: f64,
        references: usize,
    ) -> Result<(), EstimatorError> {
        if let Some(cut) = counts.cuts().first() {
            return Err(EstimatorError::Needs(format!(
                "g(r) of counts with {} needs the number of pairs that it excludes",
                cut.name()
            )));
        }
        self.add_frame_excluding(counts, volume, references, 0)
    }

    /// As [`Rdf::add_frame`], of counts without the pairs within groups or of a list, of which there are `excluded` in all, each once
    /// ([`crate::counts::excluded_pairs`]): they are no candidates, so that g of an ideal gas is 1 all the same. n(r) does not count them either.
    ///
    /// ```
    /// use albireo::counts::{count_pairs, excluded_pairs};
    /// use albireo::tally::Cut;
    /// use albireo::{CountSpec, Domain, Edges, Groups, Naive, PairJob, Pairs, Particles, PeriodicBox, RBins, Silent, estimators::Rdf, random};
    /// // Diatomic molecules whose atoms know nothing of each other.
    /// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
    /// let atoms = Particles::new(random::in_box(600, 1, [1.0; 3])?).grouped(Groups::new((0..600).map(|k| k / 2).collect()))?;
    /// let (pairs, bins) = (Pairs::Auto(&atoms), RBins::new(Edges::linear(0.0, 0.5, 5)?));
    /// let what = CountSpec::new(&bins).with_cut(Cut::SameGroup);
    /// let counts = count_pairs(&Naive, &PairJob::new(pairs, &domain)?, what, &Silent)?;
    /// let excluded = excluded_pairs(pairs, counts.cuts());
    /// assert_eq!(excluded, 300);
    /// let mut rdf = Rdf::new(&bins);
    /// rdf.add_frame_excluding(&counts, 1.0, atoms.len(), excluded)?;
    /// assert!((rdf.g()[4] - 1.0).abs() < 5.0 * rdf.poisson_error()[4]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Rdf::add_frame`]; cuts by angle or rp, which leave no ideal gas to compare with, or no pair that is not excluded.
    pub fn add_frame_excluding(
        &mut self,
        counts: &PairCounts,
        volume: f64,
        references: usize,
        excluded: u64,
    ) -> Result<(), EstimatorError> {
        if let Some(cut) = counts.cuts().iter().find(|cut| cut.is_of_space()) {
            return Err(EstimatorError::Needs(format!(
                "g(r) has no meaning with {}",
                cut.name()
            )));
        }
        if counts.binning().as_r() != Some(&self.bins) {
            return Err(EstimatorError::Bins {
                left: "g(r)",
                right: "the frame",
            });
        }
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(EstimatorError::Needs(format!(
                "g(r) needs a positive, finite volume, found {volume}"
            )));
        }
        counts.fractions("the frame")?;
        let pairs = counts.total().pairs;
        if pairs == 0 {
            return Err(EstimatorError::EmptyTotal("the frame"));
        }
        self.check_kind(counts.kind())?;
        let exactness = counts.exactness();
        if self.exactness.is_some_and(|before| before != exactness) {
            return Err(EstimatorError::Needs(format!(
                "g(r) needs frames that are all exact or all approximate, found {exactness} counts after others"
            )));
        }
        check_references(counts.kind(), pairs, references as u64)?;
        // Of an auto count of both orders each is excluded twice.
        let excluded = u128::from(excluded) * counts.kind().times() as u128;
        let candidates = u128::from(pairs).saturating_sub(excluded);
        if candidates == 0 {
            return Err(EstimatorError::Needs(format!(
                "g(r) needs pairs that are not excluded: all {pairs} of the frame are"
            )));
        }
        let npairs = counts.npairs();
        let sums = self.npairs.iter().zip(npairs);
        let summed: Option<Vec<u64>> = sums.map(|(a, &b)| a.checked_add(b)).collect();
        self.npairs = summed
            .ok_or_else(|| EstimatorError::Needs("fewer than 2^64 pairs in a bin".to_owned()))?;
        let density = candidates as f64 / volume;
        for ((moments, &p), shell) in self
            .moments
            .iter_mut()
            .zip(npairs)
            .zip(shells(self.bins.edges()))
        {
            let g = ratio(p as f64, shell * density);
            moments[0].add(g);
            moments[1].add_square(g);
        }
        self.pair_density.add(density);
        self.kind = Some(counts.kind());
        self.exactness = Some(exactness);
        self.references += references as u64;
        self.frames += 1;
        Ok(())
    }

    /// Adds the frames of another part of the trajectory.
    ///
    /// # Errors
    /// Other bins, like species against unlike ones, or exact counts against approximate ones. `self` is then unchanged.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        let differ = |setting, left: String, right: String| MergeError::Setting {
            setting,
            left,
            right,
        };
        if self.bins != other.bins {
            return Err(MergeError::of_bins(
                &(&self.bins).into(),
                &(&other.bins).into(),
            ));
        }
        if let (Some(left), Some(right)) = (self.kind, other.kind)
            && left != right
        {
            let (left, right) = (left.to_string(), right.to_string());
            return Err(differ("the kind of pairs", left, right));
        }
        if let (Some(left), Some(right)) = (self.exactness, other.exactness)
            && left != right
        {
            return Err(MergeError::Exactness { left, right });
        }
        let sums = self.npairs.iter().zip(&other.npairs);
        let summed: Option<Vec<u64>> = sums.map(|(a, &b)| a.checked_add(b)).collect();
        self.npairs = summed.ok_or(MergeError::Overflow("a pair count"))?;
        for (ours, theirs) in self.moments.iter_mut().zip(&other.moments) {
            ours[0].merge(&theirs[0]);
            ours[1].merge(&theirs[1]);
        }
        self.pair_density.merge(&other.pair_density);
        self.kind = self.kind.or(other.kind);
        self.exactness = self.exactness.or(other.exactness);
        self.references += other.references;
        self.frames += other.frames;
        Ok(())
    }

    fn check_kind(&self, kind: PairKind) -> Result<(), EstimatorError> {
        match self.kind {
            Some(held) if held != kind => Err(EstimatorError::Needs(format!(
                "frames of one g(r) hold the same kind of pairs: found {kind} after {held}"
            ))),
            _ => Ok(()),
        }
    }

    /// The edges of the bins, length units.
    pub fn edges(&self) -> &Edges {
        self.bins.edges()
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Pairs in each bin, summed over the frames.
    pub fn npairs(&self) -> &[u64] {
        &self.npairs
    }

    /// Number of pairs that an ideal gas would have in each bin, summed over the frames.
    pub fn ideal_pairs(&self) -> Vec<f64> {
        let density = self.pair_density.value();
        let shells = shells(self.edges());
        shells.iter().map(|shell| shell * density).collect()
    }

    /// g in each bin; NaN without a frame.
    pub fn g(&self) -> Vec<f64> {
        let ideal = self.ideal_pairs();
        let bins = self.npairs.iter().zip(ideal);
        bins.map(|(&p, ideal)| ratio(p as f64, ideal)).collect()
    }

    /// The Poisson error of g: `g / sqrt(pairs)` of different particles, NaN in a bin without a pair.
    pub fn poisson_error(&self) -> Vec<f64> {
        let times = self.kind.map_or(1.0, PairKind::times);
        let bins = self.g().into_iter().zip(&self.npairs);
        bins.map(|(g, &p)| super::poisson_error(g - 1.0, p as f64 / times))
            .collect()
    }

    /// The standard error of the mean of the frames' own g, `sqrt(sum (g_f - mean)^2 / (F (F - 1)))`; none below two frames.
    ///
    /// Frames are taken as independent: frames closer in time than the liquid forgets make it too small.
    pub fn frame_error(&self) -> Option<Vec<f64>> {
        if self.frames < 2 {
            return None;
        }
        let frames = self.frames as f64;
        let error = |[sum, squares]: &[ExactSum; 2]| {
            let (sum, squares) = (sum.value(), squares.value());
            let spread = (squares - sum * sum / frames).max(0.0);
            (spread / (frames * (frames - 1.0))).sqrt()
        };
        Some(self.moments.iter().map(error).collect())
    }

    /// n(r) at the upper edge of each bin: mean number of partners between the first edge and r of a reference particle.
    ///
    /// Like species: twice the unordered pairs over N; otherwise the particles b around a particle a.
    pub fn coordination(&self) -> Vec<f64> {
        let ends = match self.kind {
            Some(PairKind::AutoUnordered) => 2.0,
            _ => 1.0,
        };
        let pairs = self.npairs.iter().map(|&p| p as f64);
        partners(pairs, ends, self.references as f64)
    }
}

fn check_references(kind: PairKind, pairs: u64, references: u64) -> Result<(), EstimatorError> {
    let wide = u128::from(references);
    let fits = match kind {
        PairKind::AutoUnordered => wide * wide.saturating_sub(1) / 2 == u128::from(pairs),
        PairKind::AutoOrdered => wide * wide.saturating_sub(1) == u128::from(pairs),
        PairKind::Cross => references > 0 && pairs.is_multiple_of(references),
    };
    if fits {
        return Ok(());
    }
    Err(EstimatorError::Needs(format!(
        "the number of reference particles must fit the frame: {references} particles do not have {pairs} {kind} pairs"
    )))
}
