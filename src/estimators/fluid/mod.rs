//! Structure of fluids and other matter from the pair counts of frames: partial g(r), their errors, S(q) and what follows from them.
//!
//! Entry: [`Partials`], to which each [`Frame`] of a trajectory is added. Pure functions of counts; nothing here counts a pair or reads a
//! file.

mod blocking;
mod blocks;
mod debye;
mod frame;
mod normalisation;
mod of_frames;
mod partials;
mod scattering;
mod space;
mod species;
mod structure_factor;
mod transform;

pub use blocking::{BlockErrors, BlockLevel, Blocking, Plateau};
pub use blocks::Blocks;
pub use debye::{DebyeSums, FormFactor, displacing};
pub use frame::Frame;
pub use normalisation::Normalisation;
pub(super) use normalisation::partners;
pub use of_frames::BlockPartials;
pub use partials::Partials;
pub use scattering::{NeutronFactors, NeutronFunctions, XrayFactors};
pub use space::Space;
pub use species::Species;
pub use structure_factor::{BhatiaThornton, StructureFactors};
pub use transform::Window;
