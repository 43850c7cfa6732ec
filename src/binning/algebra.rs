//! Bins of the same kind with other edges: put together, left out, folded or continued.
//!
//! Entry: [`Bins::rebin`], [`Bins::slice`], [`Bins::wrap`] and [`Bins::concatenate`]. Which edges fit is up to [`Axes`].

use super::{Axes, Bins, Edges, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins};
use crate::error::BinsError;

impl Bins {
    /// Puts `by[k]` neighbouring bins of axis k together; the line of sight stays, as it does in all operations.
    ///
    /// ```
    /// use albireo::{Bins, Edges, RBins};
    /// let fine = Bins::from(RBins::new(Edges::linear(0.0, 6.0, 6)?));
    /// let coarse = fine.rebin(&[2])?;
    /// assert_eq!(coarse, Bins::from(RBins::new(Edges::linear(0.0, 6.0, 3)?)));
    /// assert!(fine.rebin(&[4]).is_err());
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Axes::rebin`]; bins of another crate that have no others.
    pub fn rebin(&self, by: &[usize]) -> Result<Self, BinsError> {
        self.with_axes(Axes::of(self)?.rebin(by)?.axes())
    }

    /// Keeps the whole bins within `ranges[k]` of axis k, all where it is none.
    ///
    /// ```
    /// use albireo::{Bins, Edges, RBins};
    /// let all = Bins::from(RBins::new(Edges::linear(0.0, 6.0, 6)?));
    /// assert_eq!(all.slice(&[Some([2.0, 5.0])])?.axes()[0].edges, [2.0, 3.0, 4.0, 5.0]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Axes::slice`]; bins of another crate that have no others.
    pub fn slice(&self, ranges: &[Option<[f64; 2]>]) -> Result<Self, BinsError> {
        self.with_axes(Axes::of(self)?.slice(ranges)?.axes())
    }

    /// The first `bins` bins along the first axis, all along the others; none if there are not as many, or for a rule that has no others.
    pub fn below(&self, bins: usize) -> Option<Self> {
        let axes = Axes::of(self).ok()?;
        let edges = axes.edges(0);
        let mut ranges = vec![None; axes.number()];
        ranges[0] = Some([edges[0], *edges.get(bins)?]);
        self.slice(&ranges).ok()
    }

    /// Puts both signs of mu or pi together: bins in |mu| or |pi|.
    ///
    /// ```
    /// use albireo::{Axis, Bins, Edges, LineOfSight, RpPiBins, SignedEdges};
    /// let (rp, los) = (Edges::linear(0.0, 2.0, 2)?, LineOfSight::Fixed(Axis::Z));
    /// let signed = Bins::from(RpPiBins::new(rp, SignedEdges::linear(-3.0, 3.0, 6)?, los)?);
    /// assert_eq!(signed.wrap()?.axes()[1].edges, [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Axes::wrap`]; bins of another crate that have no others.
    pub fn wrap(&self) -> Result<Self, BinsError> {
        self.with_axes(Axes::of(self)?.wrap()?.axes())
    }

    /// Puts bins that adjoin along one axis behind these.
    ///
    /// ```
    /// use albireo::{Bins, Edges, RBins};
    /// let r = |lo, hi, n| Edges::linear(lo, hi, n).map(|edges| Bins::from(RBins::new(edges)));
    /// assert_eq!(r(0.0, 2.0, 2)?.concatenate(&r(2.0, 6.0, 4)?)?, r(0.0, 6.0, 6)?);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Axes::concatenate`]; another line of sight, bins of both signs behind bins of one, bins of another crate that have no others.
    pub fn concatenate(&self, next: &Self) -> Result<Self, BinsError> {
        let [map, _] = Axes::of(self)?.concatenate(&Axes::of(next)?)?;
        let bins = self.with_axes(map.axes())?;
        match [self, next].map(Self::line_of_sight) {
            [Some(expected), Some(found)] if expected != found => Err(BinsError::LineOfSight {
                expected: expected.name(),
                found: found.name(),
            }),
            _ => Ok(bins),
        }
    }

    /// Bins of this kind over other axes of the same names.
    pub(crate) fn with_axes(&self, axes: &Axes) -> Result<Self, BinsError> {
        let edges = |axis: usize| axes.edges(axis).to_vec();
        let first = || Edges::new(edges(0));
        let second = || SignedEdges::new(edges(1));
        let los = self.line_of_sight().unwrap_or_default();
        Ok(match self {
            Self::R(_) => RBins::new(first()?).into(),
            Self::SMu(_) => SMuBins::new(first()?, second()?, los)?.into(),
            Self::RpPi(_) => RpPiBins::new(first()?, second()?, los)?.into(),
            Self::Theta(_) => ThetaBins::new(first()?)?.into(),
            Self::Custom(bins) => {
                let edges: Vec<Vec<f64>> = (0..axes.number()).map(edges).collect();
                Self::Custom(bins.over(&edges)?)
            }
        })
    }

    /// The bins without a sign, where bins along the line of sight mirror at 0 and hold a pair alike in both orders.
    pub(crate) fn folded(&self) -> Option<Self> {
        if self.line_of_sight()?.depends_on_order() {
            return None;
        }
        self.wrap().ok()
    }
}
