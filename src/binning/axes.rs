//! The axes of bins, and where their rows go when bins are put together, left out, folded or continued.
//!
//! Entry: [`Axes`], whose operations give a [`RowMap`] each. Nothing here knows what the rows hold.

use super::{Bins, check_number};
use crate::error::BinsError;

/// At least one axis, each with a name and the edges of its bins; rows run over them, the last axis varying fastest.
///
/// ```
/// use albireo::binning::Axes;
/// let fine = Axes::new([("s".to_owned(), vec![0.0, 1.0, 2.0]), ("mu".to_owned(), vec![-1.0, 0.0, 1.0])])?;
/// // Both signs of mu together: the rows are (s, mu) = (0, -), (0, +), (1, -), (1, +).
/// let map = fine.wrap()?;
/// assert_eq!(map.axes().edges(1), [0.0, 1.0]);
/// assert_eq!(map.rows(), [Some(0), Some(0), Some(1), Some(1)]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Axes {
    axes: Vec<NamedEdges>,
}

#[derive(Debug, Clone, PartialEq)]
struct NamedEdges {
    name: String,
    edges: Vec<f64>,
}

/// Where each row of bins goes: to a row of other axes, or nowhere.
#[derive(Debug, Clone, PartialEq)]
pub struct RowMap {
    axes: Axes,
    rows: Vec<Option<usize>>,
}

/// What becomes of one axis.
struct Along {
    edges: Vec<f64>,
    /// The new bin of each old one.
    bins: Vec<Option<usize>>,
}

impl NamedEdges {
    fn n_bins(&self) -> usize {
        self.edges.len() - 1
    }

    /// Whether its bins tell both signs apart.
    fn has_sign(&self) -> bool {
        matches!(self.name.as_str(), "mu" | "pi") && self.edges[0] < 0.0
    }

    /// Both ends of all bins.
    fn ends(&self) -> [f64; 2] {
        [self.edges[0], self.edges[self.n_bins()]]
    }

    fn unchanged(&self) -> Along {
        Along {
            edges: self.edges.clone(),
            bins: (0..self.n_bins()).map(Some).collect(),
        }
    }

    fn rebinned(&self, by: usize) -> Result<Along, BinsError> {
        let bins = self.n_bins();
        if !bins.is_multiple_of(by) {
            let axis = self.name.clone();
            return Err(BinsError::Divisor { axis, bins, by });
        }
        Ok(Along {
            edges: self.edges.iter().copied().step_by(by).collect(),
            bins: (0..bins).map(|bin| Some(bin / by)).collect(),
        })
    }

    fn sliced(&self, range: [f64; 2]) -> Result<Along, BinsError> {
        let bins = self.n_bins();
        let kept = |bin: &usize| self.edges[*bin] >= range[0] && self.edges[*bin + 1] <= range[1];
        let Some(first) = (0..bins).find(kept) else {
            return Err(BinsError::Range {
                axis: self.name.clone(),
                range,
                bins,
                first: self.edges[0],
                last: self.edges[bins],
            });
        };
        let number = (0..bins).filter(kept).count();
        Ok(Along {
            edges: self.edges[first..=first + number].to_vec(),
            bins: (0..bins)
                .map(|bin| kept(&bin).then(|| bin - first))
                .collect(),
        })
    }

    /// From the middle outwards; of an odd number of bins one spans 0.
    fn folded(&self) -> Result<Along, BinsError> {
        let axis = self.name.clone();
        let first = self.edges[0];
        if first >= 0.0 {
            return Err(BinsError::Unsigned { axis, first });
        }
        let mut mirrored = self.edges.iter().zip(self.edges.iter().rev());
        if let Some((&edge, _)) = mirrored.find(|(a, b)| **a != -**b) {
            return Err(BinsError::Lopsided { axis, edge });
        }
        let bins = self.n_bins();
        let above = self.edges.iter().copied().filter(|&edge| edge > 0.0);
        let folded = |bin: usize| {
            let middle = bins.div_ceil(2);
            bin.checked_sub(bins / 2)
                .unwrap_or_else(|| middle - 1 - bin)
        };
        Ok(Along {
            edges: std::iter::once(0.0).chain(above).collect(),
            bins: (0..bins).map(|bin| Some(folded(bin))).collect(),
        })
    }
}

impl Axes {
    /// Axes by their names and edges.
    ///
    /// # Errors
    /// No axis, fewer than two edges, edges that do not rise, or more than [`super::MAX_BINS`] bins.
    pub fn new(axes: impl IntoIterator<Item = (String, Vec<f64>)>) -> Result<Self, BinsError> {
        let axes = axes.into_iter();
        let axes: Vec<_> = axes
            .map(|(name, edges)| NamedEdges { name, edges })
            .collect();
        let rise = |edges: &[f64]| edges.len() >= 2 && edges.windows(2).all(|e| e[0] < e[1]);
        if let Some(axis) = axes.iter().find(|axis| !rise(&axis.edges)) {
            return Err(BinsError::Edges {
                axis: axis.name.clone(),
                edges: axis.edges.clone(),
            });
        }
        if axes.is_empty() {
            return Err(BinsError::NoAxis);
        }
        check_number(&axes.iter().map(NamedEdges::n_bins).collect::<Vec<_>>())?;
        Ok(Self { axes })
    }

    /// The axes of bins.
    ///
    /// # Errors
    /// Bins of another crate whose axes do not rise.
    pub fn of(bins: &Bins) -> Result<Self, BinsError> {
        let axes = bins.axes().into_iter();
        Self::new(axes.map(|axis| (axis.name.to_owned(), axis.edges)))
    }

    /// Number of axes.
    pub fn number(&self) -> usize {
        self.axes.len()
    }

    /// The names of the axes, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().map(|axis| axis.name.as_str())
    }

    /// The edges of an axis, one more than it has bins.
    ///
    /// # Panics
    /// From [`Axes::number`] on.
    pub fn edges(&self, axis: usize) -> &[f64] {
        &self.axes[axis].edges
    }

    /// Number of bins in all, which is that of rows.
    pub fn n_bins(&self) -> usize {
        self.axes.iter().map(NamedEdges::n_bins).product()
    }

    /// The bin of each row along an axis.
    ///
    /// # Panics
    /// From [`Axes::number`] on.
    pub fn bins_along(&self, axis: usize) -> impl Iterator<Item = usize> + '_ {
        let within: usize = self.axes[axis + 1..]
            .iter()
            .map(NamedEdges::n_bins)
            .product();
        let bins = self.axes[axis].n_bins();
        (0..self.n_bins()).map(move |row| row / within % bins)
    }

    /// Puts `by[k]` neighbouring bins of axis k together.
    ///
    /// # Errors
    /// Other than one number an axis, or one that does not divide the number of bins.
    pub fn rebin(&self, by: &[usize]) -> Result<RowMap, BinsError> {
        self.check_number("number of bins", by.len())?;
        let axes = self.axes.iter().zip(by);
        self.mapped(axes.map(|(axis, &by)| axis.rebinned(by)))
    }

    /// Keeps the whole bins within `ranges[k]` of axis k, all where it is none.
    ///
    /// # Errors
    /// Other than one range an axis, one that holds no whole bin, or one without the bins below 0 of signed mu or pi: what is left would stand for
    /// both signs.
    pub fn slice(&self, ranges: &[Option<[f64; 2]>]) -> Result<RowMap, BinsError> {
        self.check_number("range", ranges.len())?;
        let axes = self.axes.iter().zip(ranges);
        let kept = self.mapped(axes.map(|(axis, range)| match range {
            Some(range) => axis.sliced(*range),
            None => Ok(axis.unchanged()),
        }))?;
        self.check_sign(&kept.axes)?;
        Ok(kept)
    }

    /// Refuses `other` bins of both signs where these keep the sign.
    fn check_sign(&self, other: &Self) -> Result<(), BinsError> {
        let mut both = self.axes.iter().zip(&other.axes);
        match both.find(|(ours, theirs)| ours.has_sign() && !theirs.has_sign()) {
            Some((axis, _)) => Err(BinsError::SignLost(axis.name.clone())),
            None => Ok(()),
        }
    }

    /// Puts bins of both signs of mu or pi together.
    ///
    /// # Errors
    /// No axis of that name, one without bins below 0, or edges that do not mirror at 0.
    pub fn wrap(&self) -> Result<RowMap, BinsError> {
        let along = |axis: &NamedEdges| axis.name == "mu" || axis.name == "pi";
        let signed = self.axes.iter().position(along).ok_or(BinsError::NoSign)?;
        let axes = self.axes.iter().enumerate();
        self.mapped(axes.map(|(k, axis)| {
            if k == signed {
                axis.folded()
            } else {
                Ok(axis.unchanged())
            }
        }))
    }

    /// Puts the bins of `next` behind these, along the one axis whose edges differ: where these bins go, and those of `next`.
    ///
    /// # Errors
    /// Axes of other names, that differ along none or several, or do not begin where these end; bins of both signs of mu or pi behind those of one.
    pub fn concatenate(&self, next: &Self) -> Result<[RowMap; 2], BinsError> {
        let joined = self.axis_between(next)?;
        self.check_sign(next)?;
        let before = self.axes[joined].n_bins();
        let longer = [self.edges(joined), &next.edges(joined)[1..]].concat();
        let map = |axes: &Self, shift: usize| {
            let along = axes.axes.iter().enumerate();
            self.mapped(along.map(|(k, axis)| {
                Ok(if k == joined {
                    Along {
                        edges: longer.clone(),
                        bins: (0..axis.n_bins()).map(|bin| Some(bin + shift)).collect(),
                    }
                } else {
                    axis.unchanged()
                })
            }))
        };
        Ok([map(self, 0)?, map(next, before)?])
    }

    /// The axis along which the bins of `next` go on where these end, the others being the same.
    fn axis_between(&self, next: &Self) -> Result<usize, BinsError> {
        let names = |axes: &Self| axes.names().map(str::to_owned).collect::<Vec<_>>();
        let (expected, found) = (names(self), names(next));
        if expected != found {
            return Err(BinsError::Others { expected, found });
        }
        let differs = |&k: &usize| self.edges(k) != next.edges(k);
        let differ: Vec<usize> = (0..self.number()).filter(differs).collect();
        let [joined] = differ[..] else {
            return Err(BinsError::Differ(differ.len()));
        };
        let ([_, end], [begin, _]) = (self.axes[joined].ends(), next.axes[joined].ends());
        if end != begin {
            let axis = self.axes[joined].name.clone();
            return Err(BinsError::Apart { axis, end, begin });
        }
        Ok(joined)
    }

    fn check_number(&self, what: &'static str, found: usize) -> Result<(), BinsError> {
        let axes = self.number();
        if found == axes {
            return Ok(());
        }
        Err(BinsError::Number { what, axes, found })
    }

    /// What becomes of all axes, as where the rows go; names stay.
    fn mapped(
        &self,
        along: impl Iterator<Item = Result<Along, BinsError>>,
    ) -> Result<RowMap, BinsError> {
        let along = along.collect::<Result<Vec<_>, _>>()?;
        let mut rows = vec![Some(0)];
        for axis in &along {
            let bins = axis.edges.len() - 1;
            let within = |row: Option<usize>| {
                let bin_to_row = move |bin: &Option<usize>| Some(row? * bins + (*bin)?);
                axis.bins.iter().map(bin_to_row)
            };
            rows = rows.into_iter().flat_map(within).collect();
        }
        let names = self.names().map(str::to_owned);
        let axes = Self::new(names.zip(along.into_iter().map(|axis| axis.edges)))?;
        Ok(RowMap { axes, rows })
    }
}

impl RowMap {
    /// The axes that the new rows run over.
    pub fn axes(&self) -> &Axes {
        &self.axes
    }

    /// The new row of each old one, none where it is left out.
    pub fn rows(&self) -> &[Option<usize>] {
        &self.rows
    }

    /// Adds each value of the old rows to its new row, for as many grids one behind the other as there are values of; none where `add` has none.
    pub fn gathered<T: Copy + Default>(
        &self,
        values: &[T],
        add: impl Fn(T, T) -> Option<T>,
    ) -> Option<Vec<T>> {
        let (old, new) = (self.rows.len(), self.axes.n_bins());
        let mut gathered = vec![T::default(); values.len() / old * new];
        let grids = values.chunks(old).zip(gathered.chunks_mut(new));
        for (values, gathered) in grids {
            for (row, &value) in self.rows.iter().zip(values) {
                if let Some(row) = *row {
                    gathered[row] = add(gathered[row], value)?;
                }
            }
        }
        Some(gathered)
    }

    /// Puts each value of the old rows in its new row; of several in one row the last stays.
    ///
    /// Rows beyond `values`, and places beyond `into`, are passed over.
    pub fn put<T: Copy>(&self, values: &[T], into: &mut [T]) {
        for (row, value) in self.rows.iter().zip(values) {
            if let Some(place) = row.and_then(|row| into.get_mut(row)) {
                *place = *value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(all: &[(&str, &[f64])]) -> Axes {
        let all = all.iter();
        Axes::new(all.map(|(name, edges)| ((*name).to_owned(), edges.to_vec()))).unwrap()
    }

    #[test]
    fn bins_along_an_axis_repeat_over_those_behind_it() {
        let grid = axes(&[("s", &[0.0, 1.0, 2.0]), ("mu", &[0.0, 0.2, 0.4, 1.0])]);
        assert_eq!(grid.n_bins(), 6);
        let along = |axis| grid.bins_along(axis).collect::<Vec<_>>();
        assert_eq!(along(0), [0, 0, 0, 1, 1, 1]);
        assert_eq!(along(1), [0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn rows_go_where_their_bins_go() {
        let grid = axes(&[
            ("rp", &[0.0, 1.0, 2.0]),
            ("pi", &[-2.0, -1.0, 0.0, 1.0, 2.0]),
        ]);
        let rows = |map: RowMap| map.rows().to_vec();
        let some = |rows: [usize; 8]| rows.map(Some).to_vec();
        assert_eq!(
            rows(grid.rebin(&[2, 2]).unwrap()),
            some([0, 0, 1, 1, 0, 0, 1, 1])
        );
        assert_eq!(rows(grid.wrap().unwrap()), some([1, 0, 0, 1, 3, 2, 2, 3]));
        let kept = grid.slice(&[None, Some([-1.0, 1.5])]).unwrap();
        assert_eq!(kept.axes().edges(1), [-1.0, 0.0, 1.0]);
        let expected = [None, Some(0), Some(1), None, None, Some(2), Some(3), None];
        assert_eq!(kept.rows(), expected);
        let mut into = [0; 4];
        kept.put(&[1, 2, 3, 4, 5, 6, 7, 8], &mut into);
        assert_eq!(into, [2, 3, 6, 7]);
        let before = axes(&[("rp", &[0.0, 1.0, 2.0]), ("pi", &[-3.0, -2.0])]);
        let [first, second] = before.concatenate(&grid).unwrap();
        assert_eq!(first.axes(), second.axes());
        assert_eq!(first.axes().edges(1), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0]);
        assert_eq!(rows(first), [Some(0), Some(5)]);
        assert_eq!(rows(second), some([1, 2, 3, 4, 6, 7, 8, 9]));
    }

    #[test]
    fn a_bin_that_spans_zero_stays_in_the_middle() {
        let odd = axes(&[("pi", &[-2.0, -1.0, 1.0, 2.0])]).wrap().unwrap();
        assert_eq!(odd.axes().edges(0), [0.0, 1.0, 2.0]);
        assert_eq!(odd.rows(), [Some(1), Some(0), Some(1)]);
    }

    #[test]
    fn what_does_not_fit_is_refused_in_words() {
        let r = axes(&[("r", &[0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0])]);
        let pi = |edges: &[f64]| axes(&[("pi", edges)]);
        let grid = axes(&[("rp", &[0.0, 1.0]), ("pi", &[0.0, 1.0])]);
        let moved = axes(&[("rp", &[1.0, 2.0]), ("pi", &[1.0, 2.0])]);
        let none: [(String, Vec<f64>); 0] = [];
        let refusals = [
            (
                r.rebin(&[4]),
                "6 bins in r cannot be put together by 4: a divisor is needed, one of 1, 2, 3, 6",
            ),
            (
                r.rebin(&[0]),
                "6 bins in r cannot be put together by 0: a divisor is needed, one of 1, 2, 3, 6",
            ),
            (
                r.rebin(&[1, 1]),
                "there must be one number of bins for each of the 1 axes, found 2",
            ),
            (
                r.slice(&[Some([0.1, 0.5])]),
                "no bin in r lies within 0.1 and 0.5: its 6 bins go from 0 to 10",
            ),
            (
                r.slice(&[]),
                "there must be one range for each of the 1 axes, found 0",
            ),
            (
                pi(&[-1.0, 0.0, 1.0]).slice(&[Some([0.0, 1.0])]),
                "bins in pi that begin at 0 or above take both signs together, but these pairs have one: keep a bin below 0, or wrap both signs first",
            ),
            (
                pi(&[-1.0, 1.0])
                    .concatenate(&pi(&[1.0, 2.0]))
                    .map(|[map, _]| map),
                "bins in pi that begin at 0 or above take both signs together, but these pairs have one: keep a bin below 0, or wrap both signs first",
            ),
            (r.wrap(), "it has no bins in mu or pi"),
            (
                pi(&[0.0, 1.0]).wrap(),
                "its bins in pi begin at 0: both signs are together already",
            ),
            (
                pi(&[-2.0, 0.0, 1.0]).wrap(),
                "its bins in pi are not the same on both sides of 0: there is an edge -2 and none at 2",
            ),
            (
                r.concatenate(&pi(&[10.0, 11.0])).map(|[map, _]| map),
                "its bins are in (pi), not (r)",
            ),
            (
                r.concatenate(&r).map(|[map, _]| map),
                "its bins differ along 0 axes, where one is needed to go on",
            ),
            (
                grid.concatenate(&moved).map(|[map, _]| map),
                "its bins differ along 2 axes, where one is needed to go on",
            ),
            (
                pi(&[0.0, 1.0])
                    .concatenate(&pi(&[1.5, 2.0]))
                    .map(|[map, _]| map),
                "its bins in pi begin at 1.5, those before end at 1",
            ),
            (
                Axes::new(none).map(|axes| axes.wrap().unwrap()),
                "bins need at least one axis",
            ),
            (
                Axes::new([("r".to_owned(), vec![1.0, 0.5])]).map(|axes| axes.wrap().unwrap()),
                "the edges of the axis r must be at least two numbers that rise, found (1, 0.5)",
            ),
        ];
        for (result, words) in refusals {
            assert_eq!(result.unwrap_err().to_string(), words);
        }
    }
}
