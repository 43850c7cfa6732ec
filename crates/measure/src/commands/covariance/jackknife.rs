//! A jackknife that shot noise is fitted to: what its regions found, and what they are expected to find.
//!
//! Entry: [`Jackknife`]. A pair belongs by half to the region of each of its points.

use std::path::Path;

use albireo::Counts;
use albireo::estimators::TermCount;
use albireo_catalogs::Table;
use albireo_covariance::model::{LinearMap, Matrix, Regions};
use albireo_covariance::sampler::{Constants, RoundSums, SHARE_STEP};
use anyhow::{Context, Result, bail};

use super::measured::Measured;
use crate::commands::result::Saved;

/// Values of regions, one row each.
type ByRegion = Vec<Vec<f64>>;

/// Regions with their shares of RR, and their estimates.
pub(super) struct Jackknife {
    pub(super) regions: Regions,
    estimates: ByRegion,
    /// RR within each region and across its border, over that of all pairs.
    pub(super) rr: [ByRegion; 2],
}

/// The pairs within each region and across its border, over all pairs.
fn parts(counts: &Counts) -> [ByRegion; 2] {
    let all = counts.total().normalisation(counts.is_weighted());
    let over = |counts: Counts| counts.values().iter().map(|pairs| pairs / all).collect();
    let regions = || 0..counts.regions();
    [
        regions().map(|k| over(counts.within(k))).collect(),
        regions().map(|k| over(counts.across(k))).collect(),
    ]
}

/// Pairs by half of each region.
fn halves([within, across]: &[ByRegion; 2]) -> ByRegion {
    let rows = within.iter().zip(across);
    let rows = rows.map(|(w, a)| w.iter().zip(a).map(|(w, a)| w + a / 2.0).collect());
    rows.collect()
}

impl Jackknife {
    /// What `--region-counts` wrote beside the result.
    pub(super) fn read(path: &Path, table: &Table, measured: &Measured) -> Result<Self> {
        let of = Path::new(&measured.name);
        let (saved, whole) = (
            Saved::new(of, &measured.table)?,
            vec![1; measured.xi.axes.len()],
        );
        let (estimator, terms, known) = saved.estimator_and_known(&measured.bins, &whole)?;
        if known.is_some() {
            bail!("a jackknife needs random pairs that were counted by region");
        }
        let by_region = saved.regions((estimator, &terms), &measured.bins, (path, table))?;
        let count = |name: &str| -> Result<[ByRegion; 2]> {
            let counted = by_region.counted().iter();
            let found = counted.map(|(term, counts)| (term.name, counts));
            let found = found.into_iter().find(|(found, _)| *found == name);
            let counts = found.and_then(|(_, counts)| TermCount::of_all_pairs(counts));
            Ok(parts(counts.with_context(|| {
                format!("it has no {name} of all pairs")
            })?))
        };
        let rr = count("RR")?;
        let [dd, dr] = [halves(&count("DD")?), halves(&count("DR")?)];
        let estimate = |(k, rr): (usize, &Vec<f64>)| {
            let of = |(bin, rr): (usize, &f64)| {
                let xi = (dd[k][bin] - 2.0 * dr[k][bin] + rr) / rr;
                // A region without pairs in the bin weighs nothing there.
                if *rr > 0.0 { xi } else { 0.0 }
            };
            rr.iter().enumerate().map(of).collect()
        };
        Ok(Self {
            regions: Regions::new(&rr[0], &rr[1])?,
            estimates: halves(&rr).iter().enumerate().map(estimate).collect(),
            rr,
        })
    }

    /// The shares of RR, region by region.
    pub(super) fn shares(&self) -> ByRegion {
        self.regions.shares().to_vec()
    }

    /// The covariance that the regions found, mapped.
    pub(super) fn found(&self, map: &LinearMap) -> Matrix {
        let fine = self.regions.found(&self.estimates);
        map.of(|a, b| fine[(a, b)])
    }

    /// What they are expected to find of sampled sums over quads (0) or triples (1), mapped; `units` are of each row.
    pub(super) fn expected(
        &self,
        map: &LinearMap,
        (sums, of_triples): (&RoundSums, usize),
        (units, rr): (&[f64], &[f64]),
    ) -> Result<Matrix> {
        let Constants { bins, .. } = sums.constants;
        let by_region = sums
            .regions
            .as_ref()
            .context("the sums are not by region")?;
        let all = if of_triples == 1 {
            &sums.c3[0]
        } else {
            &sums.c4[0]
        };
        let parts = &by_region[of_triples];
        let at = |integers: &[i64], a: usize, b: usize| {
            units[a] * integers[a * bins.0 + b] as f64 / (rr[a] * rr[b])
        };
        Ok(map.of(|a, b| {
            let shares = [(a, b), (b, a)].map(|(a, b)| SHARE_STEP * at(&parts.shares, a, b));
            let (all, equal) = (at(all, a, b), at(&parts.equal, a, b));
            self.regions.expected([a, b], (all, equal), shares)
        }))
    }
}
