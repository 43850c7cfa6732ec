//! What tells two binnings apart, in words.
//!
//! Entry: [`CountsError::of_bins`].

use super::{BinAxis, Bins};
use crate::error::CountsError;

/// The axes of a binning: `s in 10 bins from 0 to 50, mu in 5 bins from 0 to 1`.
fn described(axes: &[BinAxis]) -> String {
    let axis = |axis: &BinAxis| {
        let ends = axis.edges.first().zip(axis.edges.last());
        let (lo, hi) = ends.unwrap_or((&f64::NAN, &f64::NAN));
        let (name, bins) = (axis.name, axis.n_bins());
        format!("{name} in {bins} bins from {lo:?} to {hi:?}")
    };
    axes.iter().map(axis).collect::<Vec<_>>().join(", ")
}

/// The first edge that differs, of axes that are otherwise alike.
fn edges(left: &[BinAxis], right: &[BinAxis]) -> Option<[String; 2]> {
    left.iter().zip(right).find_map(|(left, right)| {
        let mut both = left.edges.iter().zip(&right.edges).enumerate();
        let (at, (ours, theirs)) = both.find(|(_, (ours, theirs))| ours != theirs)?;
        let text = |edge: &f64| format!("edge {at} of {} is {edge:?}", left.name);
        Some([text(ours), text(theirs)])
    })
}

impl CountsError {
    /// That two binnings, which are not equal, do not go together.
    pub fn of_bins(left: &Bins, right: &Bins) -> Self {
        let axes = [left.axes(), right.axes()];
        let mut texts = axes.each_ref().map(|axes| described(axes));
        if texts[0] == texts[1] {
            let sight = |bins: &Bins| match bins.line_of_sight() {
                Some(los) => format!("line of sight {}", los.name()),
                None => "no line of sight".to_owned(),
            };
            let sights = [sight(left), sight(right)];
            // Rules of other crates may differ in what they alone know.
            let otherwise = || {
                if sights[0] == sights[1] {
                    [left, right].map(|bins| format!("{bins:?}"))
                } else {
                    sights
                }
            };
            texts = edges(&axes[0], &axes[1]).unwrap_or_else(otherwise);
        }
        let [left, right] = texts;
        let setting = "the bins";
        Self::Setting {
            setting,
            left,
            right,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binning::{Edges, LineOfSight, RBins, RpPiBins, SignedEdges};
    use crate::domain::Axis;

    #[test]
    fn bins_differ_in_their_axes_an_edge_or_the_line_of_sight() {
        let r = |edges: &[f64]| RBins::new(Edges::new(edges.to_vec()).unwrap());
        let of = |left: &[f64], right: &[f64]| {
            CountsError::of_bins(&r(left).into(), &r(right).into()).to_string()
        };
        let begin = "counts of different jobs do not merge: they differ in the bins";
        assert_eq!(
            of(&[0.0, 1.0, 2.0], &[0.0, 1e100, 2e100]),
            format!("{begin} (r in 2 bins from 0.0 to 2.0 against r in 2 bins from 0.0 to 2e100)")
        );
        assert_eq!(
            of(&[0.0, 1.0, 2.0], &[0.0, 1.5, 2.0]),
            format!("{begin} (edge 1 of r is 1.0 against edge 1 of r is 1.5)")
        );
        let sight = |axis| {
            let pi = SignedEdges::linear(0.0, 4.0, 2).unwrap();
            RpPiBins::new(
                Edges::linear(0.0, 2.0, 2).unwrap(),
                pi,
                LineOfSight::Fixed(axis),
            )
            .unwrap()
        };
        assert_eq!(
            CountsError::of_bins(&sight(Axis::X).into(), &sight(Axis::Z).into()).to_string(),
            format!("{begin} (line of sight x against line of sight z)")
        );
    }
}
