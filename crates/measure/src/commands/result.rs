//! `albireo result`: operations on saved results.
//!
//! Entry: [`SavedResults`]. Nothing is counted here: tables in, tables out, and the record says what they were made of.

mod along;
mod combine;
mod concatenate;
mod counts;
mod covariance;
mod covariances_of_parts;
mod estimate;
mod integral_constraint;
mod mean;
mod mock_pairs;
mod model;
mod over_realisations;
mod parts;
mod rascalc;
mod realisations;
mod rebin;
mod remade;
mod renormalise;
mod saved;
mod settings;
mod shell_rr;
mod slice;
mod sum;
mod window;
mod wrap;

pub(super) use covariance::check_same_bins;
pub(super) use estimate::of_saved;
pub(super) use over_realisations::OverRealisations;
pub(super) use parts::Saved;
pub(super) use saved::NamedTable;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::session::Session;

/// Arguments of `result`.
#[derive(Debug, Args)]
pub(crate) struct SavedResults {
    #[command(subcommand)]
    subcommand: Subcommands,
}

/// What to do with them.
#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Join results of the same particles in adjoining bins, such as near bins and far ones
    #[command(
        after_help = "Rows are taken as they are. Totals must be the same: results of the same particles, weights and settings."
    )]
    Concatenate(concatenate::Concatenate),
    /// Compute the covariance of estimates over mocks: results of one measurement, one a realisation
    #[command(after_help = "The covariance of N realisations is \
1/(N-1) sum (x - mean)(x - mean)^T. Its inverse is biased: the record and standard error name the Hartlap factor (N-P-2)/(N-1) of P bins, \
which it is to be multiplied by (Hartlap et al. 2007). --linear and --shrink-to make matrices of which no such factor is known.")]
    Covariance(covariance::OverMocks),
    /// Combine parts of the sky, such as the galactic caps: xi, multipoles or wp of all, with a jackknife over all regions
    #[command(
        after_help = "Each count of a part is brought to the total of its random pairs and added to those of the others, \
xi is estimated of the sums, and the regions of all parts are left out one at a time. Pairs between the parts are not counted."
    )]
    Combine(combine::Combine),
    /// Estimate xi, multipoles, wedges or wp again from saved counts, in coarser bins too
    #[command(
        after_help = "Counts are added exactly; the estimate is that of pairs counted in the coarser bins. Errors are Poisson errors, or from the regions of \
--by-region."
    )]
    Estimate(Box<estimate::EstimateSaved>),
    /// Add the integral constraint of a model to a correlation function
    #[command(
        after_help = "IC = sum RR xi_model / sum RR over the bins of the result; the estimate is on average xi - IC (Landy & Szalay 1993; \
Roche & Eales 1999). Bins should reach all pairs of the volume. With --radial the mean is taken over the pairs of each two shells of distance: \
the constraint that randoms with the redshifts of the data put on every shell (de Mattia & Ruhlmann-Kleider 2019)."
    )]
    IntegralConstraint(integral_constraint::Constraint),
    #[allow(clippy::doc_markdown, reason = "the help of a subcommand")]
    /// Write the input files of RascalC: bins, RR and xi over (s, |mu|), weights of regions
    #[command(
        after_help = "RR is over the weight of all random pairs: give RascalC random points whose weights add up to 1, as its Python interface does, and the \
number of galaxies (-norm). Points with their regions: xi --regions-output FILE."
    )]
    Rascalc(rascalc::ToRascalC),
    /// Merge neighbouring bins of pair counts, or of xi with its counts, exactly
    #[command(
        after_help = "Pairs and sums (weights, Legendre sums, separations) are added exactly, those of results written by older versions \
as the float64 that they hold."
    )]
    Rebin(rebin::Rebin),
    /// Give pair counts another total weight, to add samples of other weights
    Renormalise(renormalise::Renormalise),
    /// Keep the bins within a range
    #[command(
        after_help = "Only whole bins are kept, as they are. Totals and normalisations stay those of all pairs."
    )]
    Slice(slice::Slice),
    /// Add the pair counts of several realisations
    #[command(
        after_help = "Pairs and sums (weights, Legendre sums, separations) are added exactly, those of results written by older versions \
as the float64 that they hold."
    )]
    Sum(sum::Sum),
    /// Compute multipoles of the survey window from random pairs over (s, mu)
    #[command(
        after_help = "Q_l(s) = V (2l + 1) sum RR L_l(mu) / v(s), RR over all pairs and v the volume of the shell (Wilson et al. 2017; Beutler & \
McDonald 2021). Legendre sums (count --legendre) are used where there is one bin in mu, else bins in mu."
    )]
    Window(window::Window),
    /// Merge both signs of mu or pi of pair counts, exactly
    #[command(
        after_help = "Auto counts of both orders then hold each pair twice in a bin, unless the line of sight is through one end: they are \
halved, and are those that unsigned bins count."
    )]
    Wrap(wrap::Wrap),
}

impl SavedResults {
    /// Does it.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        match self.subcommand {
            Subcommands::Concatenate(concatenate) => concatenate.run(session),
            Subcommands::IntegralConstraint(constraint) => constraint.run(session),
            Subcommands::Renormalise(renormalise) => renormalise.run(session),
            Subcommands::Window(window) => window.run(session),
            Subcommands::Wrap(wrap) => wrap.run(session),
            Subcommands::Covariance(covariance) => covariance.run(session),
            Subcommands::Combine(combine) => combine.run(session),
            Subcommands::Estimate(estimate) => estimate.run(session),
            Subcommands::Rascalc(files) => files.run(session),
            Subcommands::Rebin(rebin) => rebin.run(session),
            Subcommands::Slice(slice) => slice.run(session),
            Subcommands::Sum(sum) => sum.run(session),
        }
    }
}
