//! Structure of fluids and other matter from the pair counts of frames: partial g(r), their errors, S(q) and what follows from them.
//!
//! Entry: [`frames::count_frames`] for the counts of a trajectory, [`Partials`], to which each [`Frame`] is added, for what they say: pure
//! functions of counts. Nothing here reads a file.

mod blocking;
mod blocks;
mod cut;
mod debye;
mod dipoles;
mod distances;
mod force_rdf;
mod form_factors;
mod frame;
pub mod frames;
mod images;
mod normalisation;
mod of_frames;
mod partials;
mod polygon;
mod scattering;
mod scattering_lengths;
mod set_covariance;
mod space;
mod species;
mod structure_factor;
mod thermodynamics;
mod transform;
mod value_sums;
mod values;
mod van_hove;
mod walls;
mod wigner_seitz;

pub use blocking::{BlockErrors, BlockLevel, Blocking, Plateau};
pub use blocks::{Blocks, error_of_blocks, error_of_frames, even_blocks, scatter_of_blocks};
pub use debye::{DebyeSums, FormFactor, displacing};
pub use distances::DistanceDistribution;
pub use force_rdf::ForceRdf;
pub use form_factors::Gaussians;
pub use frame::Frame;
pub use normalisation::Normalisation;
pub use of_frames::{BlockPartials, FrameSpaces};
pub use partials::Partials;
pub use scattering::{NeutronFactors, NeutronFunctions, XrayFactors};
pub use scattering_lengths::neutron_scattering_length;
pub use space::Space;
pub use species::Species;
pub use structure_factor::{BhatiaThornton, StructureFactors};
pub use thermodynamics::{
    BoxCorrection, corrected_for_box, kirkwood_buff, potential_of_mean_force,
};
pub use transform::Window;
pub use van_hove::VanHove;
pub use walls::Walls;
pub use wigner_seitz::WignerSeitz;

/// What functions of counts hand back.
pub type Result<T, E = albireo::error::EstimatorError> = std::result::Result<T, E>;
