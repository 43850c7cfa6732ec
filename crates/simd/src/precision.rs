//! The floats that arithmetic is done in.

/// What terms of particles are made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Float64.
    #[default]
    Double,
    /// Float32: the squared components of separations, and all that follows until the term is rounded.
    Single,
}

impl Precision {
    /// `double` or `single`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Single => "single",
        }
    }

    /// Half a unit in the last place of 1.
    pub fn half_unit(self) -> f64 {
        f64::from(match self {
            Self::Double => return f64::EPSILON / 2.0,
            Self::Single => f32::EPSILON / 2.0,
        })
    }
}
