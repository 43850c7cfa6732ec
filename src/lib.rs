//! Exact pair counts and two-point correlation functions, from galaxies to atoms.

mod error;
mod exact_sum;
mod particles;

pub mod binning;
pub mod counts;
pub mod domain;
pub mod engine;
pub mod fixed_point;
pub mod ops;
pub mod separation;
mod simd;
mod traversal;

pub use binning::{
    AxisUnit, BinAxis, Binning, Edges, LineOfSight, PairOrder, RBins, RpPiBins, SMuBins,
    SignedEdges, ThetaBins,
};
pub use counts::{PairCounts, PairTotal};
pub use domain::{Axis, Domain, Lattice, Outside, PeriodicBox};
pub use engine::{Engine, Naive, PairJob, Pairs, Progress, Silent, Traversal};
pub use error::{
    DomainError, EdgesError, EngineError, Error, EstimatorError, JobError, MergeError,
    ParticlesError,
};
pub use particles::{MAX_PARTICLES, Particles, Points, Weights};
