//! The pair sums of a command: what users wrote, read and with forms expanded.
//!
//! Entry: [`PairSums`]: [`PairSums::parse`], then [`PairSums::object_columns`] of each sample, then [`PairSums::bind`].

use std::collections::HashSet;

use albireo::error::ProgramError;
use albireo::tally::{MAX_PAIR_SUMS, PairProgram};
use albireo_catalogs::did_you_mean;

use crate::column::Objects;
use crate::error::PairSumError;
use crate::forms::{Form, FormSum, forms, renamed, split, used};
use crate::geometry::Geometry;
use crate::graph::{Graph, Id, Shape};
use crate::reading::{Let, Reader, Scope, is_taken, tree};
use crate::spec::{PairSumSpec, is_name, is_no_column};
use crate::writing::{Root, bind};

/// A column of results that follows from sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// What it is called.
    pub name: String,
    /// The formula over sums of one count, by their names; W is the weight of the pairs, their number where there are no weights.
    pub formula: String,
}

/// A form that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedForm {
    /// What the form is called.
    pub form: &'static str,
    /// What the user calls it, if anything.
    pub name: Option<String>,
    /// What its sums are called here, in its order.
    pub sums: Vec<String>,
}

/// Sums over pairs: expressions that have been read.
///
/// ```
/// use albireo::particles::Column;
/// use albireo::tally::{End, Exchange};
/// use albireo::{Bins, Domain, Edges, Particles, Points, RBins};
/// use albireo_pair_sums::{Geometry, ObjectColumn, Objects, PairSums};
/// let sums = PairSums::parse(&["m=i.mark*j.mark".parse()?], &[], &|_| 1)?;
/// let columns = sums.object_columns(End::First);
/// assert_eq!(columns, [ObjectColumn::Read("mark".to_owned())]);
///
/// let points = Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0]])?;
/// let particles = Particles::new(points).with_columns(vec![Column::from(vec![2.0, 3.0])])?;
/// let objects = Objects { particles: &particles, columns: &columns };
/// let bins = Bins::from(RBins::new(Edges::linear(0.0, 2.0, 2)?));
/// let program = sums.bind(&objects, &objects, &Geometry::of(&bins, &Domain::Open))?;
/// assert_eq!((program.sums()[0].bound, program.sums()[0].exchange), (9.0, Exchange::Even));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct PairSums {
    pub(crate) graph: Graph,
    pub(crate) roots: Vec<Root>,
    derived: Vec<Derived>,
    forms: Vec<UsedForm>,
    /// Where the sums are made, once it is known.
    pub(crate) geometry: Option<Geometry>,
}

impl PairSums {
    /// Reads sums, with what `--let` names in them; `width` tells how many components a column has, 1 or 3.
    ///
    /// # Errors
    /// Texts that mean nothing, operations that pairs do not have, names that are taken or given twice, or too many sums.
    pub fn parse(
        specs: &[PairSumSpec],
        lets: &[(String, String)],
        width: &dyn Fn(&str) -> usize,
    ) -> Result<Self, PairSumError> {
        Self::parsed(specs, lets, width, false)
    }

    /// As [`PairSums::parse`], of the separation alone or of columns too.
    pub(crate) fn parsed(
        specs: &[PairSumSpec],
        lets: &[(String, String)],
        width: &dyn Fn(&str) -> usize,
        separation_alone: bool,
    ) -> Result<Self, PairSumError> {
        let mut sums = Self {
            graph: Graph::default(),
            roots: vec![],
            derived: vec![],
            forms: vec![],
            geometry: None,
        };
        let scope = Scope {
            lets: sums.lets(lets)?,
            parameters: vec![],
            separation_alone,
        };
        for spec in specs {
            match used(&spec.text) {
                Some((form, arguments, at)) => sums.add_form(spec, form, (arguments, at), width)?,
                None => sums.add(spec, &scope, width)?,
            }
        }
        if sums.roots.len() > MAX_PAIR_SUMS {
            return Err(PairSumError::Program(ProgramError::Sums {
                found: sums.roots.len(),
                most: MAX_PAIR_SUMS,
            }));
        }
        sums.check_columns()?;
        Ok(sums)
    }

    /// Refuses sums that name columns as other columns of a result are named.
    fn check_columns(&self) -> Result<(), PairSumError> {
        let mut columns: Vec<String> = vec![];
        let sums = self.roots.iter().flat_map(|root| {
            let of = |name: String| (root.text.as_str(), name);
            [of(root.name.clone()), of(format!("{}_mean", root.name))]
        });
        let derived = self.derived.iter();
        for (text, name) in sums.chain(derived.map(|one| (one.formula.as_str(), one.name.clone())))
        {
            if let Some(message) = is_no_column(&name, &columns) {
                return Err(PairSumError::of(text, message));
            }
            columns.push(name);
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> usize {
        self.graph.texts.push(text.to_owned());
        self.graph.texts.len() - 1
    }

    fn lets(&mut self, lets: &[(String, String)]) -> Result<Vec<Let>, PairSumError> {
        let mut made: Vec<Let> = vec![];
        for (name, text) in lets {
            let refuse =
                |message: String| Err(PairSumError::of(&format!("{name}={text}"), message));
            if !is_name(name) {
                return refuse(format!(
                    "expected a name of a letter, then letters, digits or `_`, found `{name}`"
                ));
            }
            if is_taken(name) {
                return refuse(format!(
                    "{name} means something else in pair expressions: choose another name"
                ));
            }
            if made.iter().any(|other| other.name == *name) {
                return refuse(format!("{name} is given twice: choose another name"));
            }
            made.push(Let {
                name: name.clone(),
                tree: tree(text)?,
                text: self.text(text),
            });
        }
        Ok(made)
    }

    fn add(
        &mut self,
        spec: &PairSumSpec,
        scope: &Scope,
        width: &dyn Fn(&str) -> usize,
    ) -> Result<(), PairSumError> {
        let Some(name) = &spec.name else {
            return Err(PairSumError::of(&spec.text, no_name(&spec.text)));
        };
        let tree = tree(&spec.text)?;
        let text = self.text(&spec.text);
        let id = Reader::new(&mut self.graph, width, scope, text).number(&tree)?;
        self.push(Root {
            name: name.clone(),
            text: spec.text.clone(),
            id,
            bound: spec.bound,
        })
    }

    fn push(&mut self, root: Root) -> Result<(), PairSumError> {
        if !is_name(&root.name) {
            let message = format!(
                "expected a name of a letter, then letters, digits or `_`, found `{}`",
                root.name
            );
            return Err(PairSumError::of(&root.text, message));
        }
        if self.roots.iter().any(|other| other.name == root.name) {
            return Err(PairSumError::Program(ProgramError::Twice(root.name)));
        }
        self.roots.push(root);
        Ok(())
    }

    fn add_form(
        &mut self,
        spec: &PairSumSpec,
        form: &'static Form,
        (arguments, at): (&str, usize),
        width: &dyn Fn(&str) -> usize,
    ) -> Result<(), PairSumError> {
        if spec.bound.is_some() && form.sums.len() > 1 {
            let names: Vec<&str> = form.sums.iter().map(|sum| sum.name).collect();
            let message = format!(
                "a bound belongs to one of the sums of {}: {}",
                form.name,
                names.join(", ")
            );
            return Err(PairSumError::of(&spec.text, message));
        }
        let scope = Scope {
            parameters: self.arguments(&spec.text, form, arguments, at, width)?,
            lets: form
                .parts
                .iter()
                .map(|&(name, text)| {
                    Ok(Let {
                        name: name.to_owned(),
                        tree: tree(text)?,
                        text: self.text(text),
                    })
                })
                .collect::<Result<_, PairSumError>>()?,
            separation_alone: false,
        };
        let named = |of: &str| match &spec.name {
            None => of.to_owned(),
            Some(name) if form.sums.len() == 1 && form.sums[0].name == of => name.clone(),
            Some(name) => format!("{name}_{of}"),
        };
        for sum in form.sums {
            let id = self.form_sum(sum, &scope, width)?;
            self.push(Root {
                name: named(sum.name),
                text: spec.text.clone(),
                id,
                bound: spec.bound,
            })?;
        }
        self.forms.push(UsedForm {
            form: form.name,
            name: spec.name.clone(),
            sums: form.sums.iter().map(|sum| named(sum.name)).collect(),
        });
        let is_sum = |word: &str| form.sums.iter().any(|sum| sum.name == word);
        let of_sums = |word: &str| {
            if is_sum(word) {
                named(word)
            } else {
                word.to_owned()
            }
        };
        self.derived
            .extend(form.derived.iter().map(|(name, formula)| {
                Derived {
                    name: spec
                        .name
                        .as_ref()
                        .map_or((*name).to_owned(), |of| format!("{of}_{name}")),
                    formula: renamed(formula, of_sums),
                }
            }));
        Ok(())
    }

    fn form_sum(
        &mut self,
        sum: &FormSum,
        scope: &Scope,
        width: &dyn Fn(&str) -> usize,
    ) -> Result<Id, PairSumError> {
        let mut ids = vec![];
        for text in [Some(sum.text), sum.on_sky].into_iter().flatten() {
            let number = self.text(text);
            ids.push(Reader::new(&mut self.graph, width, scope, number).number(&tree(text)?)?);
        }
        if let [id] = ids[..] {
            return Ok(id);
        }
        let text = self.graph.get(ids[0]).text;
        Ok(self.graph.item(Shape::Sight, ids, text, 0))
    }

    /// The arguments of a form by its parameters; a column of three components stands for three.
    fn arguments(
        &mut self,
        whole: &str,
        form: &Form,
        arguments: &str,
        at: usize,
        width: &dyn Fn(&str) -> usize,
    ) -> Result<Vec<Let>, PairSumError> {
        let mut parts: Vec<String> = split(arguments)
            .into_iter()
            .map(|part| part.trim().to_owned())
            .collect();
        if let ([one], 3) = (&parts[..], form.parameters.len())
            && width(one) == 3
        {
            parts = (0..3).map(|k| format!("{one}[{k}]")).collect();
        }
        if parts.len() != form.parameters.len() || parts.iter().any(String::is_empty) {
            let message = format!(
                "expected {}({}), found {} columns",
                form.name,
                form.parameters.join(", "),
                parts.len()
            );
            return Err(PairSumError::at(whole, at, message));
        }
        let parameter = |(name, text): (&&str, String)| {
            Ok(Let {
                name: (*name).to_owned(),
                tree: tree(&text)?,
                text: self.text(&text),
            })
        };
        form.parameters.iter().zip(parts).map(parameter).collect()
    }

    /// The same with the bound of a user for the sum of this name.
    ///
    /// # Errors
    /// No sum of this name.
    pub fn with_bound(mut self, name: &str, bound: f64) -> Result<Self, PairSumError> {
        let names: Vec<String> = self.names().map(str::to_owned).collect();
        let Some(root) = self.roots.iter_mut().find(|root| root.name == name) else {
            let close = did_you_mean(name, &names);
            let message = format!("expected the name of a sum ({}){close}", names.join(", "));
            return Err(PairSumError::of(&format!("{name}={bound}"), message));
        };
        root.bound = Some(bound);
        Ok(self)
    }

    /// The sums whose names `keep` has, and what follows from them alone.
    #[must_use]
    pub fn only(mut self, keep: impl Fn(&str) -> bool) -> Self {
        let (kept, left): (Vec<Root>, Vec<Root>) =
            self.roots.into_iter().partition(|root| keep(&root.name));
        let left: HashSet<String> = left.into_iter().map(|root| root.name).collect();
        self.derived.retain(|derived| {
            let mut words = derived
                .formula
                .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            words.all(|word| !left.contains(word))
        });
        let is_whole = |form: &UsedForm| form.sums.iter().all(|sum| !left.contains(sum));
        self.forms.retain(is_whole);
        self.roots = kept;
        self
    }

    /// The same where it is known where they are made, which spares columns: forms are written for an axis or for the sky.
    ///
    /// # Errors
    /// Parts of a pair that have no meaning there, such as mu without a line of sight.
    pub fn within(mut self, geometry: &Geometry) -> Result<Self, PairSumError> {
        self.geometry = Some(geometry.clone());
        for id in self.reached() {
            if let Shape::Atom(atom) = self.graph.get(id).shape {
                let (text, at) = self.graph.place(id);
                geometry
                    .admit(atom)
                    .map_err(|message| PairSumError::at(text, at, message))?;
            }
        }
        Ok(self)
    }

    /// The names of the sums that are made, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.roots.iter().map(|root| root.name.as_str())
    }

    /// Their expressions as users wrote them, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.roots.iter().map(|root| root.text.as_str())
    }

    /// The forms that were asked for.
    pub fn forms(&self) -> &[UsedForm] {
        &self.forms
    }

    /// Columns that follow from the sums of forms.
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// The program of these sums over pairs of `first` and `second`, with bounds that are proved over all of their rows.
    ///
    /// # Errors
    /// Parts of a pair that have no meaning in `geometry`, values that may be no finite numbers and have no bound from the user, bounds out of
    /// range, too many operations or columns, or columns that are not there.
    pub fn bind(
        &self,
        first: &Objects<'_>,
        second: &Objects<'_>,
        geometry: &Geometry,
    ) -> Result<PairProgram, PairSumError> {
        bind(&self.graph, &self.roots, [first, second], geometry)
    }
}

/// What to say of an expression without a name: it may be meant for a form.
fn no_name(text: &str) -> String {
    let word: String = text.chars().take_while(|c| *c != '(').collect();
    let names: Vec<String> = forms().iter().map(|form| form.name.to_owned()).collect();
    let close = did_you_mean(word.trim(), &names);
    format!("expected NAME=EXPRESSION or a form such as v12(vx, vy, vz){close}")
}
