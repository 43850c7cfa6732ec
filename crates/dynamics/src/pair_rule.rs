//! The coefficients of two species.

/// What two species do to each other, in the integers' units.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct PairRule {
    pub(super) cutoff: f64,
    /// Its square.
    pub(super) reach2: f64,
    pub(super) sigma2: f64,
    /// 48 and 24 epsilon/sigma^2 times half a step.
    pub(super) repulsion: f64,
    pub(super) attraction: f64,
    /// The force at the cutoff over sigma, times half a step, where it is taken off.
    pub(super) force_off: f64,
    /// 4 epsilon.
    pub(super) well: f64,
    /// The force at the cutoff, and the potential there with it.
    pub(super) slope: f64,
    pub(super) energy_off: f64,
}
