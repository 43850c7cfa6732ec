//! The van Hove function: where particles are some time after one was at the origin.
//!
//! Entry: [`VanHove`].

use albireo::engine::Exactness;
use albireo::error::EstimatorError;
use albireo::estimators::ratio;

use super::{Frame, Normalisation, Partials, Space, Species};
use crate::Result;
use crate::frames::{FrameGroups, LaggedTally};

/// Distinct and own parts of `G(r, t)` for several times t, from the pairs between frames.
///
/// Distinct: `g_k(t) = sum_o p_k,o(t) / sum_o (P_o shell_k / V_o)` over origins o, with the ordered pairs p of a particle at the origin and another one at t, of
/// a-b those of a then b and of b then a, and all P there are. It is 1 in an ideal gas, `G_d` over the density, and at t = 0 g(r). Own:
/// the density of particles at a distance from where they were, over their number. Van Hove (1954), DOI 10.1103/PhysRev.95.249.
#[derive(Debug, Clone)]
pub struct VanHove {
    groups: FrameGroups,
    pairs: Vec<[usize; 2]>,
    /// The volume of frames that state none.
    volume: Option<f64>,
    exactness: Exactness,
    /// Of each lag; groups at the later time are numbered on from those at the origin.
    distinct: Vec<Partials>,
    /// Of each lag, group by group, bin by bin.
    own: Vec<Vec<u64>>,
}

/// The orders of a pair of groups, as species of [`Species::between`].
fn orders(groups: usize, [a, b]: [usize; 2]) -> Vec<[usize; 2]> {
    if a == b {
        vec![[a, groups + a]]
    } else {
        vec![[a, groups + b], [b, groups + a]]
    }
}

fn needs<T>(what: String) -> Result<T> {
    Err(EstimatorError::Needs(what))
}

impl VanHove {
    /// No origin yet, for so many lags. `empty` tells bins and pairs of groups, in space or in a plane; `volume` is that of frames that state none.
    ///
    /// ```
    /// use albireo::engine::Exactness;
    /// use albireo_fluids::{Normalisation, Partials, Species, VanHove};
    /// use albireo_fluids::frames::{FrameGroups, LaggedTally};
    /// use albireo::tally::Tally;
    /// use albireo::{Edges, RBins};
    /// let bins = RBins::new(Edges::new(vec![0.0, 1.0])?);
    /// let empty = Partials::new(&bins, Species::within(1))?;
    /// let mut hove = VanHove::new(&empty, &FrameGroups::apart(["A"]), 1, None, Exactness::Exact)?;
    /// hove.add(&LaggedTally {
    ///     lag: 0, number: 0, distinct: Tally::of_one_table(vec![30], vec![]), own: vec![5],
    ///     particles: vec![10], excluded: vec![0], volume: Some(100.0),
    /// })?;
    /// let shell = 4.0 / 3.0 * std::f64::consts::PI;
    /// let expected = 30.0 / (10.0 * 9.0 * shell / 100.0);
    /// assert!((hove.g(0, [0, 0], Normalisation::Pairs)?[0] - expected).abs() < 1e-14 * expected);
    /// assert!((hove.own_density(0, 0)?[0] - 0.5 / shell).abs() < 1e-16);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// Groups other than those whose pairs `empty` names.
    pub fn new(
        empty: &Partials,
        groups: &FrameGroups,
        lags: usize,
        volume: Option<f64>,
        exactness: Exactness,
    ) -> Result<Self> {
        let number = groups.names().len();
        empty.species().check_list("groups", number)?;
        let pairs = empty.species().pairs().to_vec();
        let both: Vec<_> = pairs.iter().flat_map(|&p| orders(number, p)).collect();
        let one = empty.with_species(Species::of_pairs(2 * number, &both)?);
        let bins = empty.binning().n_bins();
        Ok(Self {
            groups: groups.clone(),
            pairs,
            volume,
            exactness,
            distinct: vec![one; lags],
            own: vec![vec![0; number * bins]; lags],
        })
    }

    /// Adds the pairs between an origin and a later frame.
    ///
    /// # Errors
    /// A lag or tables that there are not, frames without a volume, or more pairs left out than there are.
    pub fn add(&mut self, tally: &LaggedTally) -> Result<()> {
        let (lag, number) = (tally.lag, self.groups.names().len());
        let volume = tally.volume.or(self.volume);
        let Some(volume) = volume else {
            return needs(format!(
                "the van Hove function needs a volume: frame {} is in open space, and none is given",
                tally.number
            ));
        };
        if lag >= self.distinct.len() || tally.distinct.n_tables() != self.tables() {
            return needs(format!(
                "pairs over one of {} lags in {} tables are needed, found lag {lag} (from 0) and {} tables",
                self.distinct.len(),
                self.tables(),
                tally.distinct.n_tables()
            ));
        }
        let space = Space::of_volume(volume)?;
        let mut of_groups: Vec<u64> = Vec::new();
        for group in 0..number {
            let labels = self.groups.labels_of(group);
            of_groups.push(labels.map(|l| tally.particles[l as usize]).sum());
        }
        let (mut npairs, mut candidates) = (Vec::new(), Vec::new());
        for &pair in &self.pairs {
            for order in orders(number, pair) {
                let [a, b] = [order[0], order[1] - number];
                npairs.extend(self.distinct_of(tally, [a, b]));
                candidates.push(self.candidates(tally, [a, b])?);
            }
        }
        let particles = [&of_groups[..], &of_groups].concat();
        let frame = Frame {
            counts: &[],
            particles: &particles,
            excluded: &[],
            space: &space,
            weight: 1.0,
        };
        let block = (&npairs[..], None, &[][..]);
        self.distinct[lag].add_block(block, &[frame], &[candidates], self.exactness)?;
        let bins = tally.distinct.n_bins();
        for (group, sums) in self.own[lag].chunks_exact_mut(bins).enumerate() {
            for label in self.groups.labels_of(group) {
                let own = &tally.own[label as usize * bins..][..bins];
                sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
        }
        Ok(())
    }

    fn tables(&self) -> usize {
        (self.groups.labels() as usize).pow(2)
    }

    /// Pairs of a particle of group a at the origin with another one, of group b at the later time.
    fn distinct_of(&self, tally: &LaggedTally, [a, b]: [usize; 2]) -> Vec<u64> {
        let bins = tally.distinct.n_bins();
        let mut sums = vec![0; bins];
        for first in self.groups.labels_of(a) {
            for second in self.groups.labels_of(b) {
                let table = (first * self.groups.labels() + second) as usize;
                let pairs = &tally.distinct.pairs()[table * bins..][..bins];
                sums.iter_mut().zip(pairs).for_each(|(sum, p)| *sum += p);
            }
        }
        sums
    }

    /// All such pairs there are, less those left out.
    fn candidates(&self, tally: &LaggedTally, [a, b]: [usize; 2]) -> Result<u64> {
        let (mut all, mut left_out) = (0u128, 0u128);
        for first in self.groups.labels_of(a) {
            for second in self.groups.labels_of(b) {
                let [na, nb] = [first, second].map(|l| u128::from(tally.particles[l as usize]));
                let excluded = self.groups.class([first, second]);
                let excluded = u128::from(tally.excluded[excluded]);
                all += na * nb;
                left_out += if first == second {
                    na + 2 * excluded
                } else {
                    excluded
                };
            }
        }
        let candidates = all
            .checked_sub(left_out)
            .and_then(|n| u64::try_from(n).ok());
        candidates.map_or_else(
            || {
                needs(format!(
                    "frame {}: of {all} ordered pairs {left_out} cannot be left out",
                    tally.number
                ))
            },
            Ok,
        )
    }

    /// Number of origins of a lag.
    pub fn origins(&self, lag: usize) -> u64 {
        self.distinct.get(lag).map_or(0, Partials::frames)
    }

    fn of_lag(&self, lag: usize) -> Result<&Partials> {
        let found = self.distinct.get(lag);
        found.ok_or_else(|| {
            EstimatorError::Needs(format!(
                "one of {} lags is needed, found {lag} (from 0)",
                self.distinct.len()
            ))
        })
    }

    /// Ordered pairs of different particles in each bin, summed over the origins: of a then b and of b then a, of a = b in both orders as well.
    ///
    /// # Errors
    /// A lag or groups whose pairs were not counted.
    pub fn npairs(&self, lag: usize, pair: [usize; 2]) -> Result<Vec<u64>> {
        let of = self.of_lag(lag)?;
        let mut sums = vec![0; of.binning().n_bins()];
        for order in orders(self.groups.names().len(), pair) {
            let pairs = of.npairs(order)?;
            sums.iter_mut().zip(pairs).for_each(|(sum, p)| *sum += p);
        }
        Ok(sums)
    }

    /// The distinct part in each bin, as [`Partials::g`] is normalised; of `density` that of the second group around the first.
    ///
    /// # Errors
    /// As [`VanHove::npairs`].
    pub fn g(
        &self,
        lag: usize,
        pair: [usize; 2],
        normalisation: Normalisation,
    ) -> Result<Vec<f64>> {
        let of = self.of_lag(lag)?;
        let npairs = self.npairs(lag, pair)?;
        let mut ideal = vec![0.0; npairs.len()];
        for order in orders(self.groups.names().len(), pair) {
            let all = of.ideal_pairs(order, normalisation)?;
            ideal.iter_mut().zip(all).for_each(|(sum, p)| *sum += p);
        }
        let factor = match normalisation {
            Normalisation::Density => of.densities_of_species()[pair[1]],
            _ => 1.0,
        };
        let bins = npairs.into_iter().zip(ideal);
        Ok(match normalisation {
            Normalisation::None => bins.map(|(p, _)| p as f64).collect(),
            _ => bins
                .map(|(p, ideal)| factor * ratio(p as f64, ideal))
                .collect(),
        })
    }

    /// Particles of a group by the distance from where they were, summed over the origins.
    ///
    /// # Errors
    /// A lag or a group that there is not.
    pub fn own(&self, lag: usize, group: usize) -> Result<&[u64]> {
        let bins = self.of_lag(lag)?.binning().n_bins();
        let sums = self.own[lag].chunks_exact(bins).nth(group);
        sums.ok_or_else(|| EstimatorError::Needs(format!("there is no group {group} (from 0)")))
    }

    /// The own part in each bin: the density of particles of a group at that distance from where they were, over their number; nearest images, so that
    /// it is right as long as none goes further than half the box.
    ///
    /// # Errors
    /// As [`VanHove::own`].
    pub fn own_density(&self, lag: usize, group: usize) -> Result<Vec<f64>> {
        let of = self.of_lag(lag)?;
        let particles = of.mean_particles()[group] * of.frames() as f64;
        let bins = self.own(lag, group)?.iter().zip(of.volumes());
        Ok(bins
            .map(|(&n, shell)| ratio(n as f64, particles * shell))
            .collect())
    }
}
