//! Pair counts of frames, class by class, as sums that neither the order of the frames nor the way they are split can change.
//!
//! Entry: [`Partials`].

use albireo::binning::{Bins, Edges, RBins};
use albireo::counts::Counts;
use albireo::engine::Exactness;
use albireo::error::{CountsError, EstimatorError};
use albireo::estimators::rings;
use albireo::exact_sum::ExactSum;

use super::cut::{Counted, Cut, PairsOf, keep, kept_sums, merge_all, zeros};
use super::space::bin_volumes;
use super::{Frame, Species};
use crate::Result;

/// Partial distribution functions `g_ab` of all pairs of species, built up frame by frame; one sample is one species, a second around it another
/// ([`Species::between`]).
///
/// `g_k = sum_f w_f p_k,f / sum_f (w_f P_f shell_k,f / V_f)` over frames f of weight w, with the pairs p that were counted, the candidates
/// P and the part of the shell that lies in the space of the frame. It is right for volumes and particle numbers that change from frame to
/// frame, and has the same bits however the frames are split and merged. Bins: r in space or in a plane ([`Partials::in_plane`]), (s, mu),
/// and (rho, z) as [`RpPiBins`](albireo::RpPiBins) along a fixed axis. Allen & Tildesley, Computer Simulation of Liquids (2017),
/// DOI 10.1093/oso/9780198803195.001.0001, section 2.6.
///
/// ```
/// use albireo::counts::count_prepared;
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo_fluids::{Frame, Normalisation, Partials, Space, Species};
/// use albireo::tally::Classes;
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Engine, Labels, Particles, PeriodicBox, RBins, random};
/// let (engine, domain) = (Cpu::new(), Domain::Periodic(PeriodicBox::cubic(1.0)?));
/// let bins = RBins::new(Edges::linear(0.0, 0.5, 5)?);
/// let mut partials = Partials::new(&bins, Species::within(2))?;
/// let space = Space::of_volume(1.0)?;
/// for frame in 0..3 {
///     // 100 particles of the first species, 200 of the second.
///     let labels = Labels::new((0..300).map(|k| u32::from(k >= 100)).collect(), 2)?;
///     let gas = Particles::new(random::in_box(300, frame, [1.0; 3])?).labelled(labels)?;
///     let gas = engine.prepare(gas, &domain, &Silent)?;
///     let job = PreparedJob::auto(&gas);
///     let (counts, _) = count_prepared(&engine, &job, CountSpec::new(&bins).with_classes(Classes::Species), &Silent)?;
///     partials.add_frame(&Frame { counts: &counts.by_class(), particles: &[100, 200], excluded: &[], space: &space, weight: 1.0 })?;
/// }
/// let (g, error) = (partials.g([0, 1], Normalisation::Pairs)?, partials.poisson_error([0, 1])?);
/// assert!((g[4] - 1.0).abs() < 5.0 * error[4]);
/// // Around a particle of the second species there are half as many of the first as the other way round.
/// assert_eq!(2.0 * partials.coordination([1, 0])?[4], partials.coordination([0, 1])?[4]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Partials {
    pub(super) binning: Bins,
    pub(super) species: Species,
    /// Of the bins where space is not cut.
    pub(super) volumes: Vec<f64>,
    frames: u64,
    exactness: Option<Exactness>,
    /// Class by class, bin by bin.
    npairs: Vec<u64>,
    /// Sums of `w p - p`, once a frame has another weight than 1.
    reweighted: Option<Vec<ExactSum>>,
    /// Sums of `w S` over values of pairs, each class by class, bin by bin.
    pub(super) sums: Vec<Vec<ExactSum>>,
    weight: ExactSum,
    /// Sum of `w^2`.
    weight_squares: ExactSum,
    volume: ExactSum,
    /// Sums of `w N` of each species.
    particles: Vec<ExactSum>,
    /// Sums of `w P / V` of each class.
    density: Counted<Vec<ExactSum>>,
    /// What cut bins change of these, once a frame has some.
    cut: Option<Cut>,
}

impl Partials {
    /// No frame yet, of particles in a plane: bins are rings, volumes areas.
    ///
    /// The particles of a plane have one third coordinate, such as 0, and a box whose third vector is normal to them or open.
    pub fn in_plane(bins: &RBins, species: Species) -> Self {
        Self::with_volumes(bins.into(), species, rings(bins.edges()))
    }
}

impl Partials {
    /// No frame yet.
    ///
    /// # Errors
    /// Bins whose volumes are not known: angles, lines of sight other than a fixed axis, rules of another crate.
    pub fn new(bins: impl Into<Bins>, species: Species) -> Result<Self> {
        let bins = bins.into();
        let volumes = bin_volumes(&bins)?;
        Ok(Self::with_volumes(bins, species, volumes))
    }

    fn with_volumes(binning: Bins, species: Species, volumes: Vec<f64>) -> Self {
        let classes = species.pairs().len();
        Self {
            binning,
            npairs: vec![0; classes * volumes.len()],
            volumes,
            frames: 0,
            exactness: None,
            reweighted: None,
            sums: vec![],
            weight: ExactSum::default(),
            weight_squares: ExactSum::default(),
            volume: ExactSum::default(),
            particles: zeros(species.number()),
            density: Counted {
                candidates: zeros(classes),
                products: zeros(classes),
            },
            cut: None,
            species,
        }
    }

    /// The same without a frame.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self::with_volumes(
            self.binning.clone(),
            self.species.clone(),
            self.volumes.clone(),
        )
    }

    /// The same bins, in space or in a plane, for other species, without a frame.
    pub(super) fn with_species(&self, species: Species) -> Self {
        Self::with_volumes(self.binning.clone(), species, self.volumes.clone())
    }

    /// The edges of bins in r, be they shells or rings; `what` is refused in other bins.
    pub(super) fn r_edges(&self, what: &str) -> Result<&Edges> {
        let refusal = || {
            let found = self.binning.name();
            EstimatorError::Needs(format!("{what} needs bins in r, found bins {found}"))
        };
        Ok(self.binning.as_r().ok_or_else(refusal)?.edges())
    }

    /// The volumes of the bins where space is not cut.
    pub(super) fn volumes(&self) -> &[f64] {
        &self.volumes
    }

    /// Adds one frame.
    ///
    /// # Errors
    /// Other bins or numbers of classes, counts that cover a part of the frame only, that hold both orders of pairs or do not fit the
    /// numbers of particles, cuts by angle or rp, cuts without the number of pairs that they exclude, more pairs excluded than there are,
    /// approximate counts beside exact ones, a weight that is not positive and finite. `self` is then unchanged.
    pub fn add_frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        let candidates = frame.candidates(&self.binning, &self.species)?;
        let exactness = frame.exactness(self.exactness)?;
        let weight = frame.weight;
        let densities = self.finite_densities(frame, &candidates)?;
        let counted = || frame.counts.iter().flat_map(Counts::npairs);
        let sums = self.npairs.iter().zip(counted());
        let summed: Option<Vec<u64>> = sums.map(|(a, &b)| a.checked_add(b)).collect();
        self.npairs = summed
            .ok_or_else(|| EstimatorError::Needs("fewer than 2^64 pairs in a bin".to_owned()))?;
        if weight != 1.0 {
            let sums = zeros(self.npairs.len());
            let sums = self.reweighted.get_or_insert(sums).iter_mut();
            for (sum, &p) in sums.zip(counted()) {
                sum.add_times(weight, p);
                sum.add_times(-1.0, p);
            }
        }
        self.add_sums(&frame.sums());
        self.add_space(frame, &densities);
        self.exactness = exactness;
        Ok(())
    }

    /// Adds the frames of a block whose pairs p were summed: `npairs` class by class, bin by bin, and `w p - p` where weights w differ
    /// from 1, and the sums of `w S` over values of their pairs.
    ///
    /// # Errors
    /// As [`Partials::add_frame`].
    pub(super) fn add_block(
        &mut self,
        (npairs, reweighted, values): (&[u64], Option<&[ExactSum]>, &[Vec<ExactSum>]),
        frames: &[Frame<'_>],
        candidates: &[Vec<u64>],
        exactness: Exactness,
    ) -> Result<()> {
        let of =
            |(frame, candidates): (&Frame<'_>, &Vec<u64>)| self.finite_densities(frame, candidates);
        let densities: Result<Vec<_>, _> = frames.iter().zip(candidates).map(of).collect();
        let densities = densities?;
        let sums = self.npairs.iter().zip(npairs);
        let summed: Option<Vec<u64>> = sums.map(|(a, &b)| a.checked_add(b)).collect();
        self.npairs = summed
            .ok_or_else(|| EstimatorError::Needs("fewer than 2^64 pairs in a bin".to_owned()))?;
        if let Some(theirs) = reweighted {
            let ours = self.reweighted.get_or_insert(zeros(theirs.len()));
            merge_all(ours, theirs);
        }
        self.add_sums(values);
        for (frame, densities) in frames.iter().zip(&densities) {
            self.add_space(frame, densities);
        }
        self.exactness = Some(exactness);
        Ok(())
    }

    fn add_sums(&mut self, sums: &[Vec<ExactSum>]) {
        if self.sums.is_empty() {
            self.sums = sums.to_vec();
            return;
        }
        let both = self.sums.iter_mut().zip(sums);
        both.for_each(|(ours, theirs)| merge_all(ours, theirs));
    }

    /// `w P / V` of each class; refuses what float64 cannot hold.
    fn finite_densities(&self, frame: &Frame<'_>, candidates: &[u64]) -> Result<Vec<Counted<f64>>> {
        let (weight, volume) = (frame.weight, frame.space.volume());
        let densities = self.densities(frame, candidates);
        let finite = |c: &Counted<f64>| c.candidates.is_finite() && c.products.is_finite();
        if densities.iter().all(finite) && (weight * volume).is_finite() {
            return Ok(densities);
        }
        Err(EstimatorError::Needs(format!(
            "densities must lie within the range of float64: the volume of the frame is {volume:e}, its weight {weight:e}"
        )))
    }

    /// Adds what a frame is but for its pairs.
    fn add_space(&mut self, frame: &Frame<'_>, densities: &[Counted<f64>]) {
        let (weight, volume) = (frame.weight, frame.space.volume());
        self.weight.add(weight);
        self.weight_squares.add_square(weight);
        self.volume.add(weight * volume);
        for (sum, &n) in self.particles.iter_mut().zip(frame.particles) {
            sum.add(weight * n as f64);
        }
        for (class, density) in densities.iter().enumerate() {
            self.density.candidates[class].add(density.candidates);
            self.density.products[class].add(density.products);
        }
        self.cut_bins(frame, densities);
        self.frames += 1;
    }

    /// `w P / V` of each class.
    fn densities(&self, frame: &Frame<'_>, candidates: &[u64]) -> Vec<Counted<f64>> {
        let number = |a: usize| frame.particles[a] as f64;
        let classes = self.species.pairs().iter().zip(candidates);
        let density = |(&[a, b], &candidates): (&[usize; 2], &u64)| {
            let half = if a == b { 0.5 } else { 1.0 };
            let per_volume = |pairs: f64| frame.weight * (pairs / frame.space.volume());
            Counted {
                candidates: per_volume(candidates as f64),
                products: per_volume(half * (number(a) * number(b))),
            }
        };
        classes.map(density).collect()
    }

    fn cut_bins(&mut self, frame: &Frame<'_>, densities: &[Counted<f64>]) {
        let Some(kept) = frame.space.kept() else {
            return;
        };
        let bins = self.volumes.len();
        let cut = self
            .cut
            .get_or_insert_with(|| Cut::new(densities.len(), bins));
        for (bin, &kept) in kept.iter().enumerate().filter(|(_, kept)| **kept != 1.0) {
            let volume = frame.weight * frame.space.volume();
            keep(&mut cut.volume[bin], kept, volume);
            for (class, density) in densities.iter().enumerate() {
                let at = class * bins + bin;
                keep(&mut cut.density.candidates[at], kept, density.candidates);
                keep(&mut cut.density.products[at], kept, density.products);
            }
        }
    }

    /// Adds the frames of another part of the trajectory.
    ///
    /// # Errors
    /// Other bins or species, exact counts against approximate ones, or 2^64 pairs in a bin. `self` is then unchanged.
    pub fn merge(&mut self, other: &Self) -> Result<(), CountsError> {
        let differ = |setting, left: String, right: String| CountsError::Setting {
            setting,
            left,
            right,
        };
        if self.binning != other.binning {
            return Err(CountsError::of_bins(&self.binning, &other.binning));
        }
        if self.volumes != other.volumes {
            let last = |of: &Self| format!("the last is {:?}", of.volumes.last().unwrap_or(&0.0));
            return Err(differ("the volumes of the bins", last(self), last(other)));
        }
        if self.species != other.species {
            let pairs = |of: &Self| {
                let pairs = of.species.pairs().iter();
                let pairs: Vec<_> = pairs.map(|[a, b]| format!("{a}-{b}")).collect();
                format!("pairs {}", pairs.join(", "))
            };
            return Err(differ("the species", pairs(self), pairs(other)));
        }
        if let (Some(left), Some(right)) = (self.exactness, other.exactness)
            && left != right
        {
            return Err(CountsError::Exactness { left, right });
        }
        let sums = self.npairs.iter().zip(&other.npairs);
        let summed: Option<Vec<u64>> = sums.map(|(a, &b)| a.checked_add(b)).collect();
        self.npairs = summed.ok_or(CountsError::Overflow("a pair count"))?;
        if let Some(theirs) = &other.reweighted {
            let ours = self.reweighted.get_or_insert(zeros(theirs.len()));
            merge_all(ours, theirs);
        }
        self.add_sums(&other.sums);
        self.weight.merge(&other.weight);
        self.weight_squares.merge(&other.weight_squares);
        self.volume.merge(&other.volume);
        merge_all(&mut self.particles, &other.particles);
        let (ours, theirs) = (&mut self.density, &other.density);
        merge_all(&mut ours.candidates, &theirs.candidates);
        merge_all(&mut ours.products, &theirs.products);
        if let Some(theirs) = &other.cut {
            let (classes, bins) = (self.density.products.len(), self.volumes.len());
            let ours = self.cut.get_or_insert_with(|| Cut::new(classes, bins));
            merge_all(&mut ours.density.candidates, &theirs.density.candidates);
            merge_all(&mut ours.density.products, &theirs.density.products);
            merge_all(&mut ours.volume, &theirs.volume);
        }
        self.exactness = self.exactness.or(other.exactness);
        self.frames += other.frames;
        Ok(())
    }

    /// The bins.
    pub fn binning(&self) -> &Bins {
        &self.binning
    }

    /// The species and their pairs.
    pub fn species(&self) -> &Species {
        &self.species
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Whether the counts are exact; none without a frame.
    pub fn exactness(&self) -> Option<Exactness> {
        self.exactness
    }

    /// The sum of the frames' weights.
    pub fn weight(&self) -> f64 {
        self.weight.value()
    }

    /// How many frames of equal weights are as good as these, `(sum w)^2 / sum w^2` (Kish 1965); NaN without a frame.
    pub fn effective_frames(&self) -> f64 {
        self.weight().powi(2) / self.weight_squares.value()
    }

    /// The mean volume, or area, of the frames by their weights; NaN without a frame.
    pub fn mean_volume(&self) -> f64 {
        self.volume.value() / self.weight()
    }

    /// The mean number of particles of each species by the frames' weights; NaN without a frame.
    pub fn mean_particles(&self) -> Vec<f64> {
        let weight = self.weight();
        self.particles.iter().map(|n| n.value() / weight).collect()
    }

    /// The number density of each species, `sum w N / sum w V`; NaN without a frame.
    pub fn densities_of_species(&self) -> Vec<f64> {
        let volume = self.volume.value();
        self.particles.iter().map(|n| n.value() / volume).collect()
    }

    /// Pairs in each bin, summed over the frames without their weights.
    ///
    /// # Errors
    /// Species whose pairs were not counted.
    pub fn npairs(&self, species: [usize; 2]) -> Result<&[u64]> {
        let class = self.species.class(species)?;
        Ok(&self.npairs[class * self.volumes.len()..][..self.volumes.len()])
    }

    /// `sum w p` in the bins of a class.
    pub(super) fn weighted_pairs(&self, class: usize) -> Vec<f64> {
        let bins = self.volumes.len();
        let run = class * bins..(class + 1) * bins;
        let Some(reweighted) = &self.reweighted else {
            return self.npairs[run].iter().map(|&p| p as f64).collect();
        };
        let sums = self.npairs[run.clone()].iter().zip(&reweighted[run]);
        let exact = |(&p, reweighted): (&u64, &ExactSum)| {
            let mut sum = reweighted.clone();
            sum.add((p >> 32 << 32) as f64);
            sum.add((p & u64::from(u32::MAX)) as f64);
            sum.value()
        };
        sums.map(exact).collect()
    }

    /// `sum w N` of a species.
    pub(super) fn weighted_particles(&self, species: usize) -> f64 {
        self.particles[species].value()
    }

    /// `sum w P kept / V` in the bins of a class.
    pub(super) fn pair_density(&self, class: usize, of: PairsOf) -> Vec<f64> {
        let bins = self.volumes.len();
        let cut = self.cut.as_ref().map(|cut| of.pick(&cut.density));
        let cut = cut.map(|sums| &sums[class * bins..][..bins]);
        kept_sums(&of.pick(&self.density)[class], cut, bins)
    }

    /// `sum w V kept` in the bins.
    pub(super) fn kept_volume(&self) -> Vec<f64> {
        let cut = self.cut.as_ref().map(|cut| &cut.volume[..]);
        kept_sums(&self.volume, cut, self.volumes.len())
    }
}
