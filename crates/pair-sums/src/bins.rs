//! Bins in the values of expressions of the separation, as users write them.
//!
//! Entry: [`ExpressionBins`], a rule of bins like any other: engines that apply rules pair by pair count in them.

use std::fmt;
use std::sync::Arc;

use albireo::binning::{Axes, AxisUnit, BinAxis, Binning, PairOrder, Reach};
use albireo::error::BinsError;
use albireo::particles::Column;
use albireo::separation::SIGHT_RANGE;
use albireo::tally::{End, Exchange, PairProgram};
use albireo::{
    Bins, Domain, Edges, LineOfSight, Particles, Points, RBins, Separation, SignedEdges,
};

use crate::column::{ObjectColumn, Objects};
use crate::error::PairSumError;
use crate::forms::used;
use crate::geometry::Geometry;
use crate::graph::{Atom, Of, Shape};
use crate::names::OF_SEPARATION;
use crate::spec::PairSumSpec;
use crate::sums::PairSums;

/// What the axes are called in results.
const NAMES: [&str; 2] = ["value", "second"];

/// What an expression of the separation has of the two objects: where they are, for the line of sight.
const COLUMNS: [ObjectColumn; 3] = [
    ObjectColumn::Position(0),
    ObjectColumn::Position(1),
    ObjectColumn::Position(2),
];

/// Bins in the values of one expression or two, of the pairs that are less than a reach apart.
///
/// A pair with the value v lies in the bin with `lo <= v < hi`, compared in float64; one whose value is no number lies in none. The second axis
/// varies fastest. Where exchanging the two points may change a value, an auto count holds both orders of each pair.
///
/// ```
/// use albireo::{CountSpec, Domain, Engine, LineOfSight, Naive, PairJob, Pairs, Particles, Points, SignedEdges};
/// use albireo::engine::Silent;
/// use albireo_pair_sums::ExpressionBins;
/// let edges = SignedEdges::linear(0.0, 3.0, 3)?;
/// let bins = ExpressionBins::new(("max(abs(d[0]), abs(d[1]))", edges), None, 6.0, LineOfSight::default())?;
/// let points = Points::from_rows(&[[0.0; 3], [1.0, 2.5, 0.0], [0.5, 0.0, 5.0]])?;
/// let sample = Particles::new(points);
/// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
/// assert_eq!(Naive.run(&job, &CountSpec::new(bins), &Silent)?.pairs(), [1, 0, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct ExpressionBins {
    texts: Vec<String>,
    axes: Axes,
    reach: f64,
    los: Option<LineOfSight>,
    program: Arc<PairProgram>,
    order: PairOrder,
}

/// All that the bins are made of, by which they are known in fingerprints.
#[allow(
    clippy::missing_fields_in_debug,
    reason = "the others follow from these"
)]
impl fmt::Debug for ExpressionBins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edges: Vec<&[f64]> = (0..self.axes.number())
            .map(|k| self.axes.edges(k))
            .collect();
        f.debug_struct("ExpressionBins")
            .field("of", &self.texts)
            .field("edges", &edges)
            .field("reach", &self.reach)
            .field("line_of_sight", &self.los)
            .finish_non_exhaustive()
    }
}

impl Atom {
    /// Whether it is measured along or across the line of sight.
    fn has_sight(self) -> bool {
        !matches!(self, Self::D(_) | Self::R2 | Self::R | Self::Rhat(_))
    }
}

/// An expression of the separation, or why it is none.
fn sums_of(texts: &[String]) -> Result<PairSums, PairSumError> {
    let spec = |(text, name): (&String, &str)| PairSumSpec {
        name: Some(name.to_owned()),
        text: text.clone(),
        // A value beyond the bins lies in none of them, so that it needs no bound.
        bound: Some(1.0),
    };
    if let Some(text) = texts.iter().find(|text| used(text).is_some()) {
        let message = "forms are sums over pairs: bins are in one number of the separation";
        return Err(PairSumError::of(text, message));
    }
    let specs: Vec<PairSumSpec> = texts.iter().zip(NAMES).map(spec).collect();
    let sums = PairSums::parsed(&specs, &[], &|_| 1, true)?;
    for id in sums.reached() {
        let of_angles = matches!(
            sums.graph.get(id).shape,
            Shape::Atom(Atom::Cos2Phi(Some(_)) | Atom::Sin2Phi(Some(_)))
        );
        let of_objects =
            matches!(sums.graph.of(id), Of::Object(_)) || sums.graph.identities(id).is_some();
        if of_angles || of_objects {
            let (text, at) = sums.graph.place(id);
            let message = format!("{OF_SEPARATION}, found what belongs to one object");
            return Err(PairSumError::at(text, at, message));
        }
    }
    Ok(sums)
}

/// The values of these expressions, and what exchanging the points makes of them all.
fn program(
    sums: &PairSums,
    reach: f64,
    los: LineOfSight,
) -> Result<(PairProgram, PairOrder), PairSumError> {
    let within = Edges::new(vec![0.0, reach])?;
    let within = Bins::from(RBins::new(within));
    let geometry = Geometry::of(&within, &Domain::Open).with_line_of_sight(los);
    let sums = sums.clone().within(&geometry)?;
    // Positions are any that have a line of sight.
    let [_, most] = SIGHT_RANGE;
    let ends = [vec![-most, most], vec![-most, most], vec![-most, most]];
    let ends = Points::from_rows(&[[-most; 3], [most; 3]])
        .and_then(|points| Particles::new(points).with_columns(ends.map(Column::from).to_vec()));
    let ends = ends.map_err(|error| PairSumError::of("", error.to_string()))?;
    let objects = Objects {
        particles: &ends,
        columns: &COLUMNS,
    };
    let program = sums.bind(&objects, &objects, &geometry)?;
    let is_even = |sum: &albireo::tally::PairSum| sum.exchange == Exchange::Even;
    let order = if program.sums().iter().all(is_even) {
        PairOrder::Unordered
    } else {
        PairOrder::Ordered
    };
    Ok((program, order))
}

impl ExpressionBins {
    /// Bins in the values of an expression, or of two, of the pairs less than `reach` apart; `los` is the line of sight of mu and its like.
    ///
    /// # Errors
    /// A text that means nothing or takes more than the separation, a reach that is no length, or too many bins.
    pub fn new(
        first: (&str, SignedEdges),
        second: Option<(&str, SignedEdges)>,
        reach: f64,
        los: LineOfSight,
    ) -> Result<Self, PairSumError> {
        if !(reach > 0.0 && reach <= SIGHT_RANGE[1]) {
            return Err(PairSumError::Reach(reach));
        }
        let all: Vec<_> = std::iter::once(first).chain(second).collect();
        let texts = all.iter().map(|(text, _)| text.trim().to_owned()).collect();
        let edges = all.iter().map(|(_, edges)| edges.values().to_vec());
        let axes = Axes::new(NAMES.map(str::to_owned).into_iter().zip(edges))?;
        Self::made(texts, axes, reach, los)
    }

    fn made(
        texts: Vec<String>,
        axes: Axes,
        reach: f64,
        los: LineOfSight,
    ) -> Result<Self, PairSumError> {
        let sums = sums_of(&texts)?;
        let atoms = sums
            .reached()
            .into_iter()
            .map(|id| &sums.graph.get(id).shape);
        let mut atoms = atoms.filter_map(|shape| match shape {
            Shape::Atom(atom) => Some(*atom),
            _ => None,
        });
        let has_sight = atoms.any(Atom::has_sight);
        let (program, order) = program(&sums, reach, los)?;
        Ok(Self {
            texts,
            axes,
            reach,
            los: has_sight.then_some(los),
            program: Arc::new(program),
            order,
        })
    }

    /// The same along another line of sight.
    ///
    /// # Errors
    /// Angles across an axis without one.
    pub fn along(&self, los: LineOfSight) -> Result<Self, PairSumError> {
        Self::made(self.texts.clone(), self.axes.clone(), self.reach, los)
    }

    /// The expressions, one an axis.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// How far apart pairs may be: less than this.
    pub fn cutoff(&self) -> f64 {
        self.reach
    }

    /// The value of an expression for a pair.
    fn value(&self, of: usize, sep: &Separation) -> f64 {
        let position = |end: End, axis: usize| match end {
            End::First => sep.x1[axis],
            End::Second => sep.x2[axis],
        };
        self.program.value(of, sep, position)
    }
}

impl Binning for ExpressionBins {
    fn shape(&self) -> Vec<usize> {
        (0..self.axes.number())
            .map(|axis| self.axes.edges(axis).len() - 1)
            .collect()
    }

    fn axes(&self) -> Vec<BinAxis> {
        let axes = NAMES.into_iter().take(self.axes.number()).enumerate();
        axes.map(|(k, name)| BinAxis::new(name, self.axes.edges(k), AxisUnit::Dimensionless))
            .collect()
    }

    fn bin(&self, sep: &Separation) -> Option<usize> {
        if sep.r2 >= self.reach * self.reach {
            return None;
        }
        (0..self.axes.number()).try_fold(0, |row, axis| {
            let (edges, value) = (self.axes.edges(axis), self.value(axis, sep));
            let above = edges.partition_point(|&edge| edge <= value);
            let bin = (above < edges.len()).then_some(above)?.checked_sub(1)?;
            Some(row * (edges.len() - 1) + bin)
        })
    }

    fn order(&self) -> PairOrder {
        self.order
    }

    fn reach(&self) -> Reach {
        Reach::Sphere(self.reach)
    }

    fn line_of_sight(&self) -> Option<LineOfSight> {
        self.los
    }

    fn coordinate(&self, sep: &Separation) -> f64 {
        self.value(0, sep)
    }

    fn coordinate_limit(&self) -> f64 {
        let edges = self.axes.edges(0);
        edges.iter().fold(0.0, |most, edge| edge.abs().max(most))
    }

    fn over(&self, edges: &[Vec<f64>]) -> Result<Arc<dyn Binning>, BinsError> {
        let (found, own) = (edges.len(), self.axes.number());
        if found != own {
            return Err(BinsError::Number {
                what: "list of edges",
                axes: own,
                found,
            });
        }
        let axes = NAMES
            .map(str::to_owned)
            .into_iter()
            .zip(edges.iter().cloned());
        Ok(Arc::new(Self {
            axes: Axes::new(axes)?,
            ..self.clone()
        }))
    }

    fn name(&self) -> &'static str {
        "expressions"
    }
}
