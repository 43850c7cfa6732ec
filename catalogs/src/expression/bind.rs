//! Expressions over the columns of one table: names become places in its blocks, and types are checked.
//!
//! Entry: [`bind`]. It reads no rows.

use std::sync::Arc;

use super::error::ExpressionError;
use super::file_function::FileFunction;
use super::functions::Function;
use super::tree::{Binary, Kind, Node, Relation, Unary};

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Number,
    Bool,
    Text,
}

/// Why a tree does not fit a table.
#[derive(Debug)]
pub(crate) enum Unfit<E> {
    /// What the table says of a column.
    Column(E),
    /// A value that is not what an operation takes.
    Expression(ExpressionError),
}

/// A column of the table.
#[derive(Debug, Clone)]
pub(crate) struct Located {
    /// Its place among the components of a block.
    pub(crate) position: usize,
    pub(crate) of: Type,
    /// Texts that stand for some of its numbers.
    pub(crate) labels: Vec<(f64, String)>,
    /// Its type as the file calls it.
    pub(crate) dtype: String,
}

/// A tree whose columns are places in blocks.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub(crate) at: usize,
    pub(crate) of: Type,
    pub(crate) step: Step,
}

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Integer(i128),
    Float(f64),
    Text(String),
    Bool(bool),
    Place(usize),
    Unary(Unary, Box<Bound>),
    Binary(Binary, Box<Bound>, Box<Bound>),
    Compare(Relation, Box<Bound>, Box<Bound>),
    In(Box<Bound>, Vec<Bound>),
    IsNull(Box<Bound>),
    Like(Box<Bound>, String),
    Call(Function, Vec<Bound>),
    /// A function that reads a file, and whether it is a condition.
    OfFile(Arc<dyn FileFunction>, bool, Vec<Bound>),
    All(Vec<Bound>),
    Any(Vec<Bound>),
}

/// What the table says of a column: where it is, or what is wrong with it.
pub(crate) trait Table {
    type Error;

    fn locate(&mut self, column: &str) -> Result<Located, Self::Error>;

    /// What a constant should be that is compared with a column and is of another kind.
    fn comparable(&self, column: &str, located: &Located) -> String;

    /// The function that reads a file, by its name, its texts and the spelling of its numbers, or why there is none.
    fn open(
        &self,
        name: &str,
        texts: &[&str],
        numbers: &[String],
    ) -> Result<Arc<dyn FileFunction>, String>;
}

/// The tree over a table.
pub(crate) fn bind<T: Table>(
    text: &str,
    node: &Node,
    table: &mut T,
) -> Result<Bound, Unfit<T::Error>> {
    Binder { text, table }.bind(node)
}

/// Refuses what is no condition.
pub(crate) fn check_condition(text: &str, bound: &Bound) -> Result<(), ExpressionError> {
    check(text, bound, bound.of != Type::Text, "a condition")
}

/// Refuses what is no number.
pub(crate) fn check_number(text: &str, bound: &Bound) -> Result<(), ExpressionError> {
    check(text, bound, bound.of != Type::Text, "a number")
}

fn check(text: &str, bound: &Bound, right: bool, expected: &str) -> Result<(), ExpressionError> {
    if right {
        return Ok(());
    }
    let found = match bound.of {
        Type::Number => "a number",
        Type::Bool => "a condition",
        Type::Text => "text",
    };
    Err(ExpressionError {
        expression: text.to_owned(),
        position: bound.at,
        expected: expected.to_owned(),
        found: found.to_owned(),
    })
}

struct Binder<'a, T> {
    text: &'a str,
    table: &'a mut T,
}

type Binding<E> = Result<Bound, Unfit<E>>;

impl<T: Table> Binder<'_, T> {
    fn bind(&mut self, node: &Node) -> Binding<T::Error> {
        let (of, step) = match &node.kind {
            Kind::Integer(value) => (Type::Number, Step::Integer(*value)),
            Kind::Float(value) => (Type::Number, Step::Float(*value)),
            Kind::Text(text) => (Type::Text, Step::Text(text.clone())),
            Kind::Bool(value) => (Type::Bool, Step::Bool(*value)),
            Kind::Column(name) => {
                let located = self.table.locate(name).map_err(Unfit::Column)?;
                (located.of, Step::Place(located.position))
            }
            Kind::Unary(operator, part) => {
                let part = self.number(part)?;
                let of = match operator {
                    Unary::Not => Type::Bool,
                    _ => Type::Number,
                };
                (of, Step::Unary(*operator, Box::new(part)))
            }
            Kind::Binary(operator, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                let both = left.of == Type::Bool && right.of == Type::Bool;
                let bits = matches!(operator, Binary::BitAnd | Binary::BitOr);
                let of = if both && bits {
                    Type::Bool
                } else {
                    Type::Number
                };
                (of, Step::Binary(*operator, Box::new(left), Box::new(right)))
            }
            Kind::Compare(relation, left, right) => {
                let (left, right) = self.pair(left, right, *relation)?;
                (
                    Type::Bool,
                    Step::Compare(*relation, Box::new(left), Box::new(right)),
                )
            }
            Kind::In(part, values) => {
                let mut bound = Vec::new();
                for value in values {
                    bound.push(self.pair(part, value, Relation::Equal)?.1);
                }
                (Type::Bool, Step::In(Box::new(self.bind(part)?), bound))
            }
            Kind::IsNull(part) => (Type::Bool, Step::IsNull(Box::new(self.bind(part)?))),
            Kind::Like(part, pattern) => {
                let part = self.bind(part)?;
                check(
                    self.text,
                    &part,
                    part.of == Type::Text,
                    "text (`like` compares it)",
                )
                .map_err(Unfit::Expression)?;
                (Type::Bool, Step::Like(Box::new(part), pattern.clone()))
            }
            Kind::Call(function, parts) => {
                let of = if function.is_condition() {
                    Type::Bool
                } else {
                    Type::Number
                };
                let (texts, numbers) = parts.split_at(function.texts(parts.len()));
                let bound = self.numbers(numbers)?;
                let step = if texts.is_empty() {
                    Step::Call(*function, bound)
                } else {
                    let file = self.open(*function, texts, numbers)?;
                    Step::OfFile(file, function.is_condition(), bound)
                };
                (of, step)
            }
            Kind::Further(..) | Kind::Component(..) => {
                return Err(Unfit::Expression(ExpressionError {
                    expression: self.text.to_owned(),
                    position: node.at,
                    expected: "an operation on columns".to_owned(),
                    found: node.to_string(),
                }));
            }
            Kind::All(parts) => (Type::Bool, Step::All(self.conditions(parts)?)),
            Kind::Any(parts) => (Type::Bool, Step::Any(self.conditions(parts)?)),
        };
        Ok(Bound {
            at: node.at,
            of,
            step,
        })
    }

    /// A function with the file that its texts name.
    fn open(
        &mut self,
        function: Function,
        texts: &[Node],
        numbers: &[Node],
    ) -> Result<Arc<dyn FileFunction>, Unfit<T::Error>> {
        let refused = |at, expected: String, found: String| {
            Unfit::Expression(ExpressionError {
                expression: self.text.to_owned(),
                position: at,
                expected,
                found,
            })
        };
        let text = |node| match node {
            &Node {
                kind: Kind::Text(ref text),
                ..
            } => Ok(text.as_str()),
            other => {
                let expected = format!("a text in {}, between quotes", function.name());
                Err(refused(other.at, expected, other.to_string()))
            }
        };
        let words = texts.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        let numbers: Vec<String> = numbers.iter().map(Node::to_string).collect();
        let opened = self.table.open(function.name(), &words, &numbers);
        opened.map_err(|why| {
            let expected = format!("a file that {} reads ({why})", function.name());
            refused(texts[0].at, expected, texts[0].to_string())
        })
    }

    /// A number, or a condition as 0 or 1.
    fn number(&mut self, node: &Node) -> Binding<T::Error> {
        let bound = self.bind(node)?;
        check_number(self.text, &bound).map_err(Unfit::Expression)?;
        Ok(bound)
    }

    /// What `and` and `or` join: no bare numbers, as the last one of `a == 1 or 2` is, which is true of every row.
    fn conditions(&mut self, nodes: &[Node]) -> Result<Vec<Bound>, Unfit<T::Error>> {
        let is_value = |node: &&Node| matches!(node.kind, Kind::Integer(_) | Kind::Float(_));
        match nodes.iter().find(is_value) {
            None => self.numbers(nodes),
            Some(value) => Err(Unfit::Expression(ExpressionError {
                expression: self.text.to_owned(),
                position: value.at,
                expected: "a condition, as in `a == 1 or a == 2` or `a in (1, 2)`".to_owned(),
                found: value.to_string(),
            })),
        }
    }

    fn numbers(&mut self, nodes: &[Node]) -> Result<Vec<Bound>, Unfit<T::Error>> {
        nodes.iter().map(|node| self.number(node)).collect()
    }

    /// The sides of a comparison: two numbers or two texts, where a text may be the label of a number.
    fn pair(
        &mut self,
        left: &Node,
        right: &Node,
        relation: Relation,
    ) -> Result<(Bound, Bound), Unfit<T::Error>> {
        let (mut a, mut b) = (self.bind(left)?, self.bind(right)?);
        for side in [&a, &b] {
            check_bits(self.text, side).map_err(Unfit::Expression)?;
        }
        if let (Kind::Column(name), Some(shown)) = (&left.kind, constant(right)) {
            b = self.against(name, &a, b, &shown, relation)?;
        } else if let (Some(shown), Kind::Column(name)) = (constant(left), &right.kind) {
            a = self.against(name, &b, a, &shown, relation)?;
        }
        let is_text = |bound: &Bound| bound.of == Type::Text;
        if is_text(&a) != is_text(&b) {
            let expected = if is_text(&a) { "text" } else { "a number" };
            return check(self.text, &b, false, expected)
                .map(|()| (a, b))
                .map_err(Unfit::Expression);
        }
        if is_text(&a) && !relation.is_equality() {
            return check(
                self.text,
                &a,
                false,
                "a number (text is compared by `==` and `!=` only)",
            )
            .map(|()| (a, b))
            .map_err(Unfit::Expression);
        }
        Ok((a, b))
    }

    /// A constant that a column is compared with; of a label, its number.
    fn against(
        &mut self,
        name: &str,
        column: &Bound,
        constant: Bound,
        shown: &str,
        relation: Relation,
    ) -> Binding<T::Error> {
        if (column.of == Type::Text) == (constant.of == Type::Text) {
            return Ok(constant);
        }
        let located = self.table.locate(name).map_err(Unfit::Column)?;
        if let (Step::Text(text), true) = (&constant.step, relation.is_equality())
            && let Some((value, _)) = located.labels.iter().find(|(_, label)| label == text)
        {
            return Ok(Bound {
                of: Type::Number,
                step: Step::Float(*value),
                ..constant
            });
        }
        Err(Unfit::Expression(ExpressionError {
            expression: self.text.to_owned(),
            position: constant.at,
            expected: self.table.comparable(name, &located),
            found: shown.to_owned(),
        }))
    }
}

/// Refuses bits of a condition and a number that are compared: the comparison was to be a condition beside the other, `(a > 1) & b < 2`.
fn check_bits(text: &str, side: &Bound) -> Result<(), ExpressionError> {
    match &side.step {
        Step::Binary(operator @ (Binary::BitAnd | Binary::BitOr), a, b)
            if (a.of == Type::Bool) != (b.of == Type::Bool) =>
        {
            Err(ExpressionError {
                expression: text.to_owned(),
                position: side.at,
                expected: operator.of_conditions(),
                found: format!("`{}` of a condition and a number", operator.sign()),
            })
        }
        _ => Ok(()),
    }
}

/// How a constant is called in messages; nothing for anything else.
fn constant(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Integer(value) => Some(format!("the number {value}")),
        // Beyond this, digits would be padded with zeros by the hundred.
        Kind::Float(value) if value.abs() >= 1e16 => Some(format!("the number {value:e}")),
        Kind::Float(value) => Some(format!("the number {value}")),
        Kind::Text(text) => Some(format!("the text \"{text}\"")),
        Kind::Bool(value) => Some(format!("the condition {value}")),
        _ => None,
    }
}
