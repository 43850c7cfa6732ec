//! The program as its users run it: files in, text, files and exit codes out.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod angular;
mod beyond_half;
mod bins_of;
mod bit_columns;
mod block_errors;
mod cases;
mod checkpoints;
mod classes;
mod columns;
mod combine;
mod common_units;
mod completeness;
mod counts;
mod covariance;
#[cfg(feature = "cuda")]
mod cuda;
mod cuts;
mod desi;
mod desi_job;
mod dumps;
mod edge_files;
mod estimates;
mod exact_counts;
#[cfg(all(unix, feature = "plot"))]
mod examples;
mod field;
mod field_maps;
#[cfg(feature = "plot")]
mod figures;
mod folder;
#[cfg(all(feature = "fits", feature = "hdf5", feature = "parquet"))]
mod formats;
mod formulas;
mod frame_sums;
mod frames;
mod frames_in_time;
#[cfg(target_os = "linux")]
mod full_disks;
mod identities;
mod job;
mod job_steps;
mod joins;
#[cfg(feature = "hdf5")]
mod lsstypes;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "../../../catalogs/tests/made/mod.rs"]
mod made;
mod md;
mod md_recovery;
mod molecules;
mod moving;
mod normalisations;
mod nz;
mod one_frame;
mod other_files;
mod outputs;
mod packages;
mod pair_sums;
mod pair_weights;
mod partials;
mod planning;
#[cfg(feature = "plot")]
mod plots;
mod projections;
mod provenance;
mod pycorr;
mod random;
mod randoms;
mod rascalc;
mod rdf;
mod realisations;
mod reference;
mod regions;
#[cfg(feature = "plot")]
mod report;
mod results;
mod reuse;
mod saved_algebra;
mod saved_counts;
mod saved_estimates;
mod scattering;
mod shards;
mod shells;
mod shuffled;
mod signals;
mod silent;
mod species;
mod split;
mod standard_output;
mod statistics;
mod stop;
mod tables;
mod trajectories;
mod units;
mod units_of_frames;
mod walls;
mod weight_sets;
mod wide_weights;
mod words;
