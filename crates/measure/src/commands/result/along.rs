//! What flags ask for along the axes of a result.
//!
//! Entry: [`Along`].

use albireo::binning::Axes;
use anyhow::Result;

use crate::usage::usage;

/// What is asked for: by `--by` along the first axis, by `--mu-by`, `--pi-by` and its like along the second where it is that one.
#[derive(Debug)]
pub(super) struct Along<T> {
    /// The word that the flags end in.
    pub(super) flag: &'static str,
    pub(super) first: Option<T>,
    pub(super) mu: Option<T>,
    pub(super) pi: Option<T>,
    /// Heights, beside rho.
    pub(super) z: Option<T>,
}

impl<T: Copy> Along<T> {
    /// What is asked for along each of these axes; refused where nothing is, or for an axis that is not there.
    pub(super) fn each(&self, axes: &Axes) -> Result<Vec<Option<T>>> {
        let flag = self.flag;
        if [self.first, self.mu, self.pi, self.z]
            .iter()
            .all(Option::is_none)
        {
            return Err(usage(format!(
                "nothing is asked for: --{flag} is for the first axis, --mu-{flag} and --pi-{flag} for the second"
            )));
        }
        let mut asked = vec![None; axes.number()];
        asked[0] = self.first;
        for (name, value) in [("mu", self.mu), ("pi", self.pi), ("z", self.z)] {
            let Some(value) = value else { continue };
            let Some(axis) = axes.names().position(|axis| axis == name) else {
                let axes: Vec<&str> = axes.names().collect();
                return Err(usage(format!(
                    "--{name}-{flag}: the result has no bins in {name}, but in ({})",
                    axes.join(", ")
                )));
            };
            asked[axis] = Some(value);
        }
        Ok(asked)
    }
}
