//! Exact pair counts and two-point correlation functions, from galaxies to atoms.

mod error;
mod exact_sum;
mod particles;
mod simd;
mod traversal;

pub mod binning;
pub mod cosmology;
pub mod counts;
pub mod domain;
pub mod engine;
pub mod estimators;
pub mod fixed_point;
pub mod ops;
pub mod random;
pub mod result;
pub mod separation;
pub mod sky;

pub use binning::{
    AxisUnit, BinAxis, Binning, Edges, LineOfSight, PairOrder, RBins, RpPiBins, SMuBins,
    SignedEdges, ThetaBins,
};
pub use cosmology::Cosmology;
pub use counts::{PairCounts, PairTotal};
pub use domain::{Axis, Domain, Lattice, Outside, PeriodicBox};
pub use engine::{Engine, Naive, PairJob, Pairs, Progress, Silent, Traversal};
pub use error::{
    CosmologyError, DomainError, EdgesError, EngineError, Error, EstimatorError, JobError,
    MergeError, ParticlesError, RandomError, SkyError,
};
pub use estimators::{
    AnalyticRr, DavisPeebles, Hamilton, LandySzalay, LandySzalayCross, Natural, Rdf, ShiftedRandoms,
};
pub use particles::{MAX_PARTICLES, Particles, Points, Weights};
pub use result::Correlation;
