//! Numbers of expressions to a program: operations, bounds and what exchanging the points makes of each sum.
//!
//! Entry: [`bind`].

use std::collections::HashMap;

use albireo::error::ProgramError;
use albireo::exact_sum::ExactSum;
use albireo::tally::{
    End, MAX_COLUMNS, MAX_OPERATIONS, Operation, OperationList, PairProgram, PairSum, Value,
};
use albireo_catalogs::in_short;
use albireo_catalogs::trees::{Binary, Function, Relation, Unary};

use crate::atoms::Pair;
use crate::column::{ObjectColumn, Objects};
use crate::error::PairSumError;
use crate::exchange::Exchanger;
use crate::geometry::Geometry;
use crate::graph::{Atom, Graph, Id, Of, Shape};
use crate::interval::Interval;
use crate::operations::Operations;

/// A number that is summed.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    pub(crate) name: String,
    /// As the user wrote it.
    pub(crate) text: String,
    pub(crate) id: Id,
    /// Of the user.
    pub(crate) bound: Option<f64>,
}

/// Least and largest bound of a sum that is found here.
const BOUNDS: [f64; 2] = [
    f64::from_bits((1023 - 400) << 52),
    f64::from_bits((1023 + 400) << 52),
];

/// The largest whole number below which all are float64 numbers.
const EXACT: i128 = 1 << 53;

/// The program of sums over pairs of two samples.
pub(crate) fn bind(
    graph: &Graph,
    roots: &[Root],
    objects: [&Objects<'_>; 2],
    geometry: &Geometry,
) -> Result<PairProgram, PairSumError> {
    let mut writer = Writer {
        graph,
        geometry,
        pair: Pair::new(geometry, objects),
        made: HashMap::new(),
        first_use: HashMap::new(),
    };
    let values = roots
        .iter()
        .map(|root| writer.value(root.id))
        .collect::<Result<Vec<_>, _>>()?;
    let operations = &writer.pair.operations;
    let exchanger = Exchanger::new(
        operations.list(),
        &operations.ranges,
        objects.map(|objects| objects.columns),
    );
    let (list, numbers) = pruned(operations.list(), &values);
    let sums = roots.iter().zip(&values).map(|(root, value)| {
        let (bound, proven) = writer.bound(root, *value)?;
        Ok(PairSum {
            name: root.name.clone(),
            value: numbers[value],
            bound,
            proven,
            exchange: exchanger.of(*value),
        })
    });
    let sums = sums.collect::<Result<Vec<_>, PairSumError>>()?;
    Ok(PairProgram::new(&list, sums)?)
}

/// The operations that values are made of, and where their values are in the new list.
fn pruned(operations: &[Operation], values: &[Value]) -> (OperationList, HashMap<Value, Value>) {
    let mut list = OperationList::default();
    let mut numbers: HashMap<Value, Value> = HashMap::new();
    for value in below(operations, values) {
        let operation = operations[value.index()].on(|of| numbers[&of]);
        numbers.insert(value, list.push(operation));
    }
    (list, numbers)
}

/// The values that some are made of, with them, in order.
fn below(operations: &[Operation], values: &[Value]) -> Vec<Value> {
    let mut wanted: Vec<Option<Value>> = vec![None; operations.len()];
    let mut open = values.to_vec();
    while let Some(value) = open.pop() {
        if wanted[value.index()].replace(value).is_none() {
            open.extend(operations[value.index()].operands());
        }
    }
    wanted.into_iter().flatten().collect()
}

struct Writer<'a> {
    graph: &'a Graph,
    geometry: &'a Geometry,
    pair: Pair<'a>,
    made: HashMap<Id, Value>,
    /// The item that made a value first.
    first_use: HashMap<Value, Id>,
}

type Made = Result<Value, PairSumError>;

impl Writer<'_> {
    fn error(&self, id: Id, message: impl Into<String>) -> PairSumError {
        let (text, at) = self.graph.place(id);
        PairSumError::at(text, at, message)
    }

    fn operations(&mut self) -> &mut Operations {
        &mut self.pair.operations
    }

    fn value(&mut self, id: Id) -> Made {
        if let Some(made) = self.made.get(&id) {
            return Ok(*made);
        }
        let value = match self.graph.reads(id) {
            Some(end) => self.column(id, end, &ObjectColumn::Read(self.graph.written(id)))?,
            None => self.computed(id)?,
        };
        if self.pair.operations.is_full() {
            return Err(PairSumError::Program(ProgramError::Operations {
                found: self.pair.operations.list().len(),
                most: MAX_OPERATIONS,
            }));
        }
        self.made.insert(id, value);
        self.first_use.entry(value).or_insert(id);
        Ok(value)
    }

    fn column(&mut self, id: Id, end: End, column: &ObjectColumn) -> Made {
        let number = self.pair.objects(end).columns.len();
        if number > MAX_COLUMNS {
            let message = format!(
                "pair sums may take {MAX_COLUMNS} columns of an object, found {number}: leave out a sum or count it by itself"
            );
            return Err(self.error(id, message));
        }
        self.pair
            .column(end, column)
            .map_err(|message| self.error(id, message))
    }

    fn part(&mut self, id: Id, k: usize) -> Made {
        self.value(self.graph.get(id).parts[k])
    }

    fn three(&mut self, id: Id, from: usize) -> Result<[Value; 3], PairSumError> {
        Ok([
            self.part(id, from)?,
            self.part(id, from + 1)?,
            self.part(id, from + 2)?,
        ])
    }

    fn computed(&mut self, id: Id) -> Made {
        let item = self.graph.get(id);
        match &item.shape {
            Shape::Integer(value) if value.abs() > EXACT => Err(self.error(
                id,
                format!("expected a whole number within 2^53 on pairs, found {value}: larger ones are compared by `==` and `!=` between i and j alone"),
            )),
            Shape::Integer(value) => Ok(self.operations().constant(*value as f64)),
            Shape::Float(value) => Ok(self.operations().constant(*value)),
            Shape::Bool(value) => Ok(self.operations().constant(f64::from(u8::from(*value)))),
            Shape::Builtin(end, column) => self.column(id, *end, column),
            Shape::Atom(atom) => self.pair.atom(*atom).map_err(|message| self.error(id, message)),
            Shape::Unary(Unary::Negate) => {
                let a = self.part(id, 0)?;
                Ok(self.operations().negative(a))
            }
            Shape::Unary(Unary::Not) => {
                let a = self.truth(item.parts[0])?;
                Ok(self.operations().not(a))
            }
            Shape::Binary(operator) => self.binary(id, *operator),
            Shape::Compare(relation) => self.compare(id, *relation),
            Shape::All | Shape::Any => self.joined(id),
            Shape::Call(function) => self.call(id, *function),
            Shape::Dot => {
                let (u, v) = (self.three(id, 0)?, self.three(id, 3)?);
                Ok(self.pair.dot(u, v))
            }
            Shape::Radial => {
                let u = self.three(id, 0)?;
                Ok(self.pair.radial(u))
            }
            Shape::Choose => {
                let c = self.truth(item.parts[0])?;
                let (a, b) = (self.part(id, 1)?, self.part(id, 2)?);
                Ok(self.operations().choose(c, a, b))
            }
            Shape::Bessel(order) => {
                let x = self.part(id, 0)?;
                (self.operations().spherical_bessel(*order, x))
                    .map_err(|message| self.error(id, message))
            }
            Shape::Mean | Shape::Deviation => self.of_sample(id),
            Shape::Sight => self.part(id, usize::from(self.geometry.is_sky())),
            Shape::Text(_) => Err(self.error(id, "expected a number, found text")),
            _ => Err(self.error(id, "this takes numbers of one object alone")),
        }
    }

    fn binary(&mut self, id: Id, operator: Binary) -> Made {
        let a = self.part(id, 0)?;
        if operator == Binary::Power {
            return match self.graph.get(self.graph.get(id).parts[1]).shape {
                Shape::Integer(exponent @ -8..=8) => {
                    Ok(self.operations().power(a, exponent as i32))
                }
                Shape::Float(0.5) => Ok(self.operations().root(a)),
                _ => {
                    let b = self.part(id, 1)?;
                    self.constant(id, &[a, b], |numbers| libm::pow(numbers[0], numbers[1]))
                }
            };
        }
        let b = self.part(id, 1)?;
        let operations = self.operations();
        Ok(match operator {
            Binary::Add => operations.add(a, b),
            Binary::Subtract => operations.subtract(a, b),
            Binary::Multiply => operations.multiply(a, b),
            Binary::Divide => operations.divide(a, b),
            _ => {
                return Err(self.error(
                    id,
                    format!(
                        "this operation takes numbers of one object alone, or of a column: {}",
                        self.graph.written(id)
                    ),
                ));
            }
        })
    }

    /// What a function makes of constants, the rest of which only objects have.
    fn constant(&mut self, id: Id, of: &[Value], function: impl Fn(&[f64]) -> f64) -> Made {
        let numbers: Option<Vec<f64>> = of
            .iter()
            .map(|value| self.pair.operations.constant_of(*value))
            .collect();
        match numbers {
            Some(numbers) => Ok(self.operations().constant(function(&numbers))),
            None => Err(self.error(id, "this function takes numbers of one object alone")),
        }
    }

    fn call(&mut self, id: Id, function: Function) -> Made {
        let parts = self.graph.get(id).parts.len();
        let all = (0..parts)
            .map(|k| self.part(id, k))
            .collect::<Result<Vec<_>, _>>()?;
        let fold = |operations: &mut Operations,
                    with: fn(&mut Operations, Value, Value) -> Value| {
            all[1..]
                .iter()
                .fold(all[0], |found, next| with(operations, found, *next))
        };
        let operations = self.operations();
        Ok(match function {
            Function::Abs => operations.magnitude(all[0]),
            Function::Min => fold(operations, Operations::minimum),
            Function::Max => fold(operations, Operations::maximum),
            Function::Real("sqrt", _) => operations.root(all[0]),
            Function::Real("floor", _) => operations.whole(all[0], true),
            Function::Real("ceil", _) => operations.whole(all[0], false),
            Function::Real(_, of) => return self.constant(id, &all, |numbers| of(numbers[0])),
            Function::Pair(_, of) => {
                return self.constant(id, &all, |numbers| of(numbers[0], numbers[1]));
            }
            _ => {
                return Err(self.error(
                    id,
                    format!("{} takes numbers of one object alone", function.name()),
                ));
            }
        })
    }

    /// 1 or 0: what is no condition is compared with 0.
    fn truth(&mut self, id: Id) -> Made {
        let value = self.value(id)?;
        if self.graph.get(id).shape.is_condition() {
            return Ok(value);
        }
        Ok(self.operations().is_not_zero(value))
    }

    fn joined(&mut self, id: Id) -> Made {
        let item = self.graph.get(id);
        let mut all = vec![];
        for part in &item.parts {
            all.push(self.truth(*part)?);
        }
        let is_all = matches!(item.shape, Shape::All);
        let operations = self.operations();
        let join = if is_all {
            Operations::multiply
        } else {
            Operations::maximum
        };
        Ok(all[1..]
            .iter()
            .fold(all[0], |found, next| join(operations, found, *next)))
    }

    fn compare(&mut self, id: Id, relation: Relation) -> Made {
        let [a, b] = match self.graph.identities(id) {
            Some(sides) => {
                let [one, other] = sides.map(|(end, text)| (end, ObjectColumn::Identity(text)));
                [
                    self.column(id, one.0, &one.1)?,
                    self.column(id, other.0, &other.1)?,
                ]
            }
            None => [self.part(id, 0)?, self.part(id, 1)?],
        };
        let operations = self.operations();
        Ok(match relation {
            Relation::Less => operations.less(a, b),
            Relation::LessEqual => operations.at_most(a, b),
            Relation::Greater => operations.less(b, a),
            Relation::GreaterEqual => operations.at_most(b, a),
            Relation::Equal => operations.equal(a, b),
            Relation::NotEqual => {
                let equal = operations.equal(a, b);
                operations.not(equal)
            }
        })
    }

    /// The mean of all rows of a sample, or their standard deviation (over N): exact sums, each rounded once. Without a row, 0.
    fn of_sample(&mut self, id: Id) -> Made {
        let item = self.graph.get(id);
        let Of::Object(end) = self.graph.of(item.parts[0]) else {
            return Err(self.error(id, "expected a quantity of one object"));
        };
        let value = self.part(id, 0)?;
        let rows = self.rows(end, value);
        let number = rows.len().max(1) as f64;
        if let Some(row) = rows.iter().position(|row| !row.is_finite()) {
            return Err(self.error(
                id,
                format!(
                    "expected finite numbers, found {} in row {} of the sample",
                    rows[row],
                    row + 1
                ),
            ));
        }
        let mean = rows.iter().copied().collect::<ExactSum>().value() / number;
        let result = if matches!(item.shape, Shape::Mean) {
            mean
        } else {
            let mut squares = ExactSum::default();
            for row in rows {
                squares.add_square(row - mean);
            }
            (squares.value() / number).sqrt()
        };
        Ok(self.operations().constant(result))
    }

    /// A value of one object, in each row.
    fn rows(&self, end: End, value: Value) -> Vec<f64> {
        let particles = self.pair.objects(end).particles;
        let list = self.pair.operations.list();
        let wanted = below(list, &[value]);
        let mut values = vec![0.0; list.len()];
        let row = |row: usize| {
            for of in &wanted {
                values[of.index()] = match list[of.index()] {
                    Operation::Column(_, at) => particles.columns()[usize::from(at)].at(row),
                    made => made.number(|part| values[part.index()]).unwrap_or_default(),
                };
            }
            values[value.index()]
        };
        (0..particles.len()).map(row).collect()
    }

    /// The bound of a sum, and whether it is proved.
    fn bound(&self, root: &Root, value: Value) -> Result<(f64, bool), PairSumError> {
        let interval = self.pair.operations.ranges.of(value);
        let no_pair = [End::First, End::Second]
            .iter()
            .any(|end| self.pair.objects(*end).particles.is_empty());
        let [least, most] = BOUNDS;
        let found = interval.most();
        if let Some(bound) = root.bound {
            // Bounds out of range are refused with the program.
            return Ok((bound, no_pair || (interval.is_finite() && found <= bound)));
        }
        if no_pair {
            return Ok((1.0, true));
        }
        if interval.is_finite() && found <= most {
            return Ok((found.max(least), true));
        }
        let (at, why) = self.unbounded(value);
        let message = format!(
            "{why}, or --pair-bound {}=B with the largest magnitude of a value",
            root.name
        );
        Err(match at {
            Some(id) => self.error(id, message),
            None => PairSumError::of(&root.text, message),
        })
    }

    /// The first operation below a value that may have no finite result, and what to do.
    fn unbounded(&self, value: Value) -> (Option<Id>, String) {
        let operations = &self.pair.operations;
        let range = |value: Value| operations.ranges.of(value);
        let wanted = below(operations.list(), &[value]);
        let all_finite = |of: &Value| {
            operations.list()[of.index()]
                .operands()
                .all(|part| range(part).is_finite())
        };
        let first = wanted
            .into_iter()
            .find(|of| !range(*of).is_finite() && all_finite(of));
        let first = first.unwrap_or(value);
        let at = self.first_use.get(&first).copied();
        let why = match operations.list()[first.index()] {
            Operation::Divide(_, by) if range(by).has_zero() => self.zero_divisor(by),
            Operation::Root(of) => {
                format!(
                    "the root of a number that may be {}: guard with where(x >= 0, .., 0)",
                    in_short(range(of).lo)
                )
            }
            _ => {
                let Interval { lo, hi, .. } = range(first);
                format!(
                    "values may lie between {} and {}: take numbers of a smaller range",
                    in_short(lo),
                    in_short(hi)
                )
            }
        };
        (at, why)
    }

    fn zero_divisor(&self, by: Value) -> String {
        let operations = &self.pair.operations;
        let by = match operations.list()[by.index()] {
            Operation::Multiply(a, b) if operations.constant_of(a).is_some() => b,
            _ => by,
        };
        let name = match self.first_use.get(&by).map(|id| &self.graph.get(*id).shape) {
            Some(Shape::Atom(Atom::R2)) => "r2",
            Some(Shape::Atom(Atom::R)) => "r",
            _ => return "the divisor may be 0: guard with where(x > A, .., 0)".to_owned(),
        };
        let [lo, hi] = self.geometry.first_bin.map(in_short);
        format!(
            "{name} may be 0 in the first bin [{lo}, {hi}): begin the bins above 0, guard with where({name} > A, .., 0)"
        )
    }
}
