//! The subcommands, one file each.

mod class_estimates;
pub(crate) mod completeness;
pub(crate) mod completions;
pub(crate) mod count;
pub(crate) mod covariance;
mod covariance_values;
mod derived;
#[cfg(feature = "cuda")]
pub(crate) mod devices;
mod estimate;
mod estimated;
mod estimator;
pub(crate) mod field;
mod forms;
pub(crate) mod info;
pub(crate) mod man;
mod mask;
pub(crate) mod md;
pub(crate) mod merge;
mod named_formulas;
pub(crate) mod nz;
mod over_mu;
mod pairs;
mod plan;
#[cfg(feature = "plot")]
pub(crate) mod plot;
mod projections;
pub(crate) mod random;
pub(crate) mod randoms;
pub(crate) mod rdf;
mod realised;
mod region_flags;
mod region_tables;
#[cfg(feature = "plot")]
pub(crate) mod report;
pub(crate) mod result;
pub(crate) mod run;
mod saved_counts;
mod saved_regions;
mod split;
pub(crate) mod wp;
pub(crate) mod xi;
