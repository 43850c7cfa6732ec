//! Bins as the files of parts name them, and what two of them differ in.
//!
//! Entry: [`BinText`].

use albireo::Bins;
use albireo_pair_sums::ExpressionBins;
use serde::{Deserialize, Serialize};

use crate::text::full;

/// The axes of bins with all of their edges, and the line of sight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BinText {
    /// A name and the edges behind it, `r 0 0.5 1`, in as many digits as read back to the same bits.
    axes: Vec<String>,
    /// `none` where there is none.
    #[serde(rename = "line_of_sight")]
    sight: String,
    /// Of the values of expressions: what they are, and how far pairs reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<String>,
}

/// An axis in a few words.
fn described(axis: &str) -> String {
    let words: Vec<&str> = axis.split(' ').collect();
    match words[..] {
        [name, lo, .., hi] => format!("{name} in {} bins from {lo} to {hi}", words.len() - 2),
        _ => axis.to_owned(),
    }
}

impl BinText {
    pub(crate) fn of(bins: &Bins) -> Self {
        let axes = bins.axes().into_iter().map(|axis| {
            let edges = axis.edges.iter().map(|&edge| full(edge));
            let words = std::iter::once(axis.name.to_owned()).chain(edges);
            words.collect::<Vec<_>>().join(" ")
        });
        let sight = bins.line_of_sight();
        Self {
            axes: axes.collect(),
            sight: sight.map_or("none", |sight| sight.name()).to_owned(),
            of: bins.as_custom::<ExpressionBins>().map(|bins| {
                let (texts, reach) = (bins.texts().join(" and "), full(bins.cutoff()));
                format!("{texts} within {reach}")
            }),
        }
    }

    /// What differs between these bins and other ones, first these, then the others.
    pub(crate) fn difference(&self, other: &Self) -> String {
        let [ours, theirs] = [self, other].map(|bins| {
            let axes = bins.axes.iter().map(|axis| described(axis));
            axes.collect::<Vec<_>>().join(", ")
        });
        if ours != theirs {
            return format!("{ours}, and {theirs}");
        }
        if let (Some(ours), Some(theirs)) = (&self.of, &other.of)
            && ours != theirs
        {
            return format!("{ours}, and {theirs}");
        }
        for (ours, theirs) in self.axes.iter().zip(&other.axes) {
            let mut words = ours.split(' ').zip(theirs.split(' ')).enumerate();
            let name = ours.split(' ').next().unwrap_or_default();
            if let Some((at, (ours, theirs))) = words.find(|(_, (ours, theirs))| ours != theirs) {
                return format!("edge {} of {name} is {ours}, and {theirs}", at - 1);
            }
        }
        format!("line of sight {}, and {}", self.sight, other.sight)
    }
}

#[cfg(test)]
mod tests {
    use albireo::{Axis, Edges, LineOfSight, RBins, RpPiBins, SignedEdges};

    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let r =
            |edges: &[f64]| BinText::of(&RBins::new(Edges::new(edges.to_vec()).unwrap()).into());
        let sight = |axis| {
            let rp = Edges::new(vec![0.0, 1.0]).unwrap();
            let pi = SignedEdges::new(vec![0.0, 0.1]).unwrap();
            let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(axis));
            BinText::of(&bins.unwrap().into())
        };
        let first = r(&[0.0, 0.1, 1.0]);
        for (other, difference) in [
            (
                r(&[0.0, 1.0]),
                "r in 2 bins from 0 to 1, and r in 1 bins from 0 to 1",
            ),
            (r(&[0.0, 0.2, 1.0]), "edge 1 of r is 0.1, and 0.2"),
        ] {
            assert_eq!(first.difference(&other), difference);
        }
        let (x, z) = (sight(Axis::X), sight(Axis::Z));
        assert_eq!(x.difference(&z), "line of sight x, and z");
        let of = |text, reach| {
            let edges = SignedEdges::new(vec![0.0, 0.1]).unwrap();
            let los = LineOfSight::Fixed(Axis::Z);
            let bins = ExpressionBins::new((text, edges), None, reach, los);
            BinText::of(&bins.unwrap().into())
        };
        let (rp, mu) = (of("rp", 0.5), of("mu", 0.5));
        assert_eq!(rp.difference(&mu), "rp within 0.5, and mu within 0.5");
        assert_eq!(
            rp.difference(&of("rp", 0.4)),
            "rp within 0.5, and rp within 0.4"
        );
        for one in [x, rp] {
            let text = serde_json::to_string(&one).unwrap();
            assert_eq!(serde_json::from_str::<BinText>(&text).unwrap(), one);
        }
    }
}
