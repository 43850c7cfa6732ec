//! A request resolved against the columns of a table.
//!
//! Entry: [`Plan::new`]. Names become components, expressions are bound to them; nothing is read.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::catalog::{Request, component};
use crate::collector::{Computed, Origin, Pick};
use crate::error::{CatalogError, Result};
use crate::expression::{
    self, Bound, Expression, FileFunction, FileFunctions, Located, Step, Type, Unfit,
};
use crate::masks::Masks;
use crate::names::listed;
use crate::schema::{Component, Field, JOINED, Kind, Schema};
use crate::words::{self, WordColumn};

/// What a request needs of a table.
pub(crate) struct Plan {
    /// What the blocks of a scan hold.
    pub(crate) components: Vec<Component>,
    pub(crate) pick: Pick,
    pub(crate) rows: Option<u64>,
}

impl Plan {
    pub(crate) fn new(
        path: &Path,
        schema: &Schema,
        request: &Request,
        untyped: bool,
    ) -> Result<Self> {
        let mut planner = Planner {
            path,
            schema,
            functions: request.functions.as_deref(),
            components: Vec::new(),
        };
        let mut columns: Vec<(String, Origin)> = Vec::new();
        let mut seen = HashSet::new();
        for column in &request.columns {
            for (name, origin) in planner.column(column)? {
                if seen.insert(name.clone()) {
                    columns.push((name, origin));
                }
            }
        }
        let mut words = Vec::new();
        for column in &request.words {
            words.extend(planner.words(column, untyped)?);
        }
        let texts = request.texts.iter().map(|column| planner.texts(column));
        let texts = texts.collect::<Result<_, _>>()?;
        let mut filter = match &request.filter {
            None => None,
            Some(filter) => {
                let computed = planner.bind(filter.expression())?;
                expression::check_condition(&computed.text, &computed.bound)
                    .map_err(|source| planner.unfit(source))?;
                Some(computed)
            }
        };
        if schema.fields.iter().any(|field| field.name == JOINED) {
            filter = Some(planner.joined(filter)?);
        }
        let conditions = planner.conditions();
        let some = filter.is_some() || !request.rows.is_all();
        let mut components = planner.marked(some);
        let masks = Masks::beside(path, schema, &mut components)?;
        let pick = Pick {
            columns,
            words,
            texts,
            filter,
            rows: request.rows,
            conditions,
            masks,
        };
        let rows = common_rows(path, schema, &components)?;
        Ok(Self {
            components,
            pick,
            rows,
        })
    }
}

/// Finds the components of names.
struct Planner<'a> {
    path: &'a Path,
    schema: &'a Schema,
    functions: Option<&'a dyn FileFunctions>,
    components: Vec<Component>,
}

impl Planner<'_> {
    /// What a requested column is: components of a column of the table, or an expression.
    fn column(&mut self, column: &str) -> Result<Vec<(String, Origin)>> {
        let unknown = match resolve(self.path, self.schema, column) {
            Ok((field, elements)) => {
                require_number(self.path, &self.schema.fields[field])?;
                let origin =
                    |(name, element)| (name, Origin::Component(self.place(field, element)));
                return Ok(elements.into_iter().map(origin).collect());
            }
            Err(unknown @ CatalogError::UnknownColumn { .. }) => unknown,
            Err(other) => return Err(other),
        };
        let is_name = column
            .chars()
            .all(|c| c.is_alphanumeric() || "_./+-[]:".contains(c));
        let expression = match Expression::parse(column) {
            // A constant is more likely the number of a column that is not there.
            Ok(expression) if !(expression.is_column() || expression.columns().is_empty()) => {
                expression
            }
            Err(error) if column.contains(['*', '(', '<', '>', '=', '&', '|', '%']) => {
                return Err(self.unfit(error));
            }
            _ => return Err(unknown),
        };
        let computed = match self.bind(&expression) {
            Err(CatalogError::UnknownColumn { .. }) if is_name => return Err(unknown),
            bound => bound?,
        };
        expression::check_number(&computed.text, &computed.bound)
            .map_err(|source| self.unfit(source))?;
        Ok(vec![(column.to_owned(), Origin::Expression(computed))])
    }

    /// The components of a column of bits.
    fn words(&mut self, column: &str, untyped: bool) -> Result<Vec<WordColumn>> {
        let (field, elements) = resolve(self.path, self.schema, column)?;
        let bits = words::bits_of(self.path, &self.schema.fields[field], untyped)?;
        let word = |(name, element)| {
            let component = self.place(field, element);
            self.components[component].words = true;
            WordColumn {
                name,
                component,
                bits,
            }
        };
        Ok(elements.into_iter().map(word).collect())
    }

    /// The component of a column of texts.
    fn texts(&mut self, column: &str) -> Result<(String, usize)> {
        let (field, elements) = resolve(self.path, self.schema, column)?;
        let found = &self.schema.fields[field];
        let [(name, element)] = &elements[..] else {
            return Err(CatalogError::Shape {
                path: self.path.to_owned(),
                column: found.name.clone(),
                width: found.width,
                expected: "texts are one a row".to_owned(),
            });
        };
        if found.kind != Kind::Text {
            let detail = format!("column `{column}` is {}, not of texts", found.dtype);
            return Err(CatalogError::corrupt(self.path, detail));
        }
        let component = self.place(field, *element);
        // Missing ones are then marked.
        self.components[component].typed = true;
        self.components[component].coded = true;
        Ok((name.clone(), component))
    }

    fn bind(&mut self, expression: &Expression) -> Result<Computed> {
        let (path, schema) = (self.path, self.schema);
        let known = |name: &str| resolve(path, schema, name).is_ok();
        let tree = expression
            .tree_for(&known)
            .map_err(|source| self.unfit(source))?;
        let text = expression.text();
        let bound = expression::bind(text, &tree, self).map_err(|unfit| match unfit {
            Unfit::Column(error) => error,
            Unfit::Expression(source) => self.unfit(source),
        })?;
        let text = text.to_owned();
        Ok(Computed { text, bound })
    }

    /// The condition that rows are there in all joined files, and then this one.
    fn joined(&mut self, filter: Option<Computed>) -> Result<Computed> {
        let there = expression::Table::locate(self, JOINED)?;
        let bound = |step| Bound {
            at: 0,
            of: Type::Bool,
            step,
        };
        let there = bound(Step::Place(there.position));
        Ok(match filter {
            None => Computed {
                text: JOINED.to_owned(),
                bound: there,
            },
            Some(Computed { text, bound: own }) => Computed {
                text,
                bound: bound(Step::All(vec![there, own])),
            },
        })
    }

    fn unfit(&self, error: expression::ExpressionError) -> CatalogError {
        CatalogError::Expression {
            path: self.path.to_owned(),
            error,
        }
    }

    /// The place of a component among all, where it is added if it is not there.
    fn place(&mut self, field: usize, element: usize) -> usize {
        let same = |have: &Component| (have.field, have.element) == (field, element);
        self.components.iter().position(same).unwrap_or_else(|| {
            self.components.push(Component {
                field,
                element,
                typed: false,
                words: false,
                coded: false,
            });
            self.components.len() - 1
        })
    }

    /// The components, those of a field that expressions read marked alike; with `some`, rows may be left out, and integers without a float64
    /// are errors in the others alone.
    fn marked(self, some: bool) -> Vec<Component> {
        let any = |field: usize, marked: fn(&Component) -> bool| {
            let mut of_field = self.components.iter().filter(|part| part.field == field);
            of_field.any(marked)
        };
        let long = |field: usize| {
            let dtype = self.schema.fields[field].dtype.as_str();
            matches!(dtype, "int64" | "uint64")
        };
        let marked = self.components.iter().map(|part| Component {
            typed: any(part.field, |part| part.typed) || (some && long(part.field)),
            words: any(part.field, |part| part.words),
            ..*part
        });
        marked.collect()
    }

    /// Which components are conditions.
    fn conditions(&self) -> Vec<bool> {
        let is_condition = |part: &Component| self.schema.fields[part.field].dtype == "bool";
        self.components.iter().map(is_condition).collect()
    }
}

impl expression::Table for Planner<'_> {
    type Error = CatalogError;

    fn locate(&mut self, column: &str) -> Result<Located> {
        let (index, elements) = resolve(self.path, self.schema, column)?;
        let field = &self.schema.fields[index];
        let [(_, element)] = elements.as_slice() else {
            return Err(CatalogError::Shape {
                path: self.path.to_owned(),
                column: field.name.clone(),
                width: field.width,
                expected: format!("the filter must name one, such as `{}[0]`", field.name),
            });
        };
        let of = match field.kind {
            Kind::Text => Type::Text,
            Kind::Number if field.dtype == "bool" => Type::Bool,
            Kind::Number => Type::Number,
            Kind::Other => {
                require_number(self.path, field)?;
                Type::Number
            }
        };
        let (labels, dtype) = (field.labels.clone(), field.dtype.clone());
        let position = self.place(index, *element);
        self.components[position].typed = true;
        Ok(Located {
            position,
            of,
            labels,
            dtype,
        })
    }

    fn open(
        &self,
        name: &str,
        texts: &[&str],
        numbers: &[String],
    ) -> Result<Arc<dyn FileFunction>, String> {
        let functions = self.functions.ok_or_else(|| {
            "only columns and conditions of samples of points may name others".to_owned()
        })?;
        functions.open(name, texts, numbers)
    }

    fn comparable(&self, column: &str, located: &Located) -> String {
        let labels: Vec<String> = located
            .labels
            .iter()
            .map(|(_, label)| label.clone())
            .collect();
        let of = if labels.is_empty() {
            String::new()
        } else {
            format!(" of {}", listed(&labels))
        };
        let dtype = &located.dtype;
        format!("a value as those of column `{column}`, which is {dtype}{of}")
    }
}

/// The field a requested column means, with the name and index of each component.
fn resolve(path: &Path, schema: &Schema, column: &str) -> Result<(usize, Vec<(String, usize)>)> {
    let find = |name: &str| schema.fields.iter().position(|field| field.name == name);
    let of_name = |name: &str| {
        schema
            .fields
            .iter()
            .filter(|field| field.name == name)
            .count()
    };
    let once = |name: &str| match of_name(name) {
        0 | 1 => Ok(()),
        times => Err(CatalogError::refused(
            path,
            format!(
                "{times} columns are called `{name}`: which of them is meant? Rename all but one"
            ),
        )),
    };
    if let Some(index) = find(column) {
        once(column)?;
        let elements = match schema.fields[index].width {
            1 => vec![(column.to_owned(), 0)],
            width => (0..width).map(|k| (component(column, k), k)).collect(),
        };
        return Ok((index, elements));
    }
    let indexed = column
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    if let Some((index, element)) =
        indexed.and_then(|(name, k)| Some((find(name)?, k.parse::<usize>().ok()?)))
    {
        once(&schema.fields[index].name)?;
        let width = schema.fields[index].width;
        if element < width {
            return Ok((index, vec![(column.to_owned(), element)]));
        }
        return Err(CatalogError::Shape {
            path: path.to_owned(),
            column: schema.fields[index].name.clone(),
            width,
            expected: format!("`{column}` is none of them (they count from 0)"),
        });
    }
    let available = schema
        .fields
        .iter()
        .map(|field| field.name.clone())
        .collect();
    Err(CatalogError::unknown_column(path, column, available))
}

fn require_number(path: &Path, field: &Field) -> Result<()> {
    if field.kind == Kind::Number {
        return Ok(());
    }
    Err(CatalogError::NotNumeric {
        path: path.to_owned(),
        column: field.name.clone(),
        dtype: field.dtype.clone(),
    })
}

/// The number of rows that all components share.
fn common_rows(path: &Path, schema: &Schema, components: &[Component]) -> Result<Option<u64>> {
    let mut counted = components
        .iter()
        .filter_map(|part| Some((part.field, schema.fields[part.field].rows?)));
    let Some((first, first_rows)) = counted.next() else {
        return Ok(schema.rows);
    };
    match counted.find(|&(_, rows)| rows != first_rows) {
        None => Ok(Some(first_rows)),
        Some((second, second_rows)) => {
            let [first, second] = [first, second].map(|field| &schema.fields[field].name);
            Err(CatalogError::refused(
                path,
                format!(
                    "columns differ in length: `{first}` has {first_rows} rows, `{second}` has {second_rows}"
                ),
            ))
        }
    }
}
