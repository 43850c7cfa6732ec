//! Pairs of species of which there is no g(r) at all.
//!
//! Entry: [`say`].

use albireo_fluids::Normalisation;
use anyhow::Result;

use super::frames::Counted;
use super::named::Named;

/// Says of which pairs g is NaN in all bins: as all are excluded, or as there are none.
pub(super) fn say(counted: &Counted, named: &Named<'_>, norm: Normalisation) -> Result<()> {
    let (mut excluded, mut absent) = (Vec::new(), Vec::new());
    for (place, &pair) in counted.pairs.iter().enumerate() {
        let g = counted.partials.g(pair, norm)?;
        if !g.iter().all(|g| g.is_nan()) {
            continue;
        }
        let left_out = counted.excluded.as_ref().map_or(0, |all| all[place]);
        let why = if left_out > 0 {
            &mut excluded
        } else {
            &mut absent
        };
        why.push(named.pair(pair));
    }
    if !excluded.is_empty() {
        tracing::warn!(
            "g is NaN in all bins of {}: all pairs are excluded; does the column of --exclude-same number the molecules?",
            excluded.join(", ")
        );
    }
    if !absent.is_empty() {
        tracing::info!(
            "g is NaN in all bins of {}: no frame has a pair for them",
            absent.join(", ")
        );
    }
    Ok(())
}
