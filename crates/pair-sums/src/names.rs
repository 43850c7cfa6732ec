//! What names mean in pair expressions: columns of an object, parts of the pair, and what `--let` names.
//!
//! Entry: the methods of [`Reader`].

use albireo::tally::End;
use albireo_catalogs::did_you_mean;
use albireo_catalogs::trees::{Kind, Node};

use crate::column::ObjectColumn;
use crate::graph::{Atom, Shape};
use crate::reading::{Let, PAIR_WORDS, Quantity, Read, Reader};

/// What every object has.
const OF_OBJECTS: [&str; 7] = ["pos", "n", "east", "north", "w", "cos2phi", "sin2phi"];

const THETA: &str =
    "theta is not available in expressions: of pairs on the sky r is the chord, 2*sin(theta/2)";

impl Reader<'_> {
    pub(crate) fn component(&mut self, at: usize, of: &Node, component: i128) -> Read<Quantity> {
        if let Kind::Column(name) = &of.kind
            && let Some((end, column)) = self.plain_column(name)
            && ((self.width)(column) != 3 || (0..3).contains(&component))
        {
            return self.number_of(
                at,
                Shape::Column(end, format!("{column}[{component}]")),
                vec![],
            );
        }
        let vector = self.vector(of)?;
        let found = usize::try_from(component).ok().and_then(|k| vector.get(k));
        let id = found.copied().ok_or_else(|| {
            let message = format!("a vector has the components 0, 1 and 2, found {component}");
            self.error(at, message)
        })?;
        Ok(Quantity::Number(id))
    }

    pub(crate) fn atom(&mut self, at: usize, atom: Atom) -> Read<Quantity> {
        self.number_of(at, Shape::Atom(atom), vec![])
    }

    /// The vector of these components.
    fn three(&mut self, at: usize, shape: impl Fn(u8) -> Shape) -> Read<Quantity> {
        let mut item = |k| self.item(at, shape(k), vec![]);
        Ok(Quantity::Vector([item(0)?, item(1)?, item(2)?]))
    }

    /// The column of an object that a name means, if it means nothing else.
    fn plain_column<'n>(&self, name: &'n str) -> Option<(End, &'n str)> {
        let (end, name) = match (prefixed(name), self.bare) {
            (None, Some(end)) => (end, name),
            (Some((end, rest)), None) => (end, rest),
            _ => return None,
        };
        if let Some(quoted) = unquoted(name) {
            return Some((end, quoted));
        }
        let mut parameters = self.scope.parameters.iter();
        let is_other = OF_OBJECTS.contains(&name) || parameters.any(|other| other.name == name);
        (self.bare.is_some() || !is_other).then_some((end, name))
    }

    fn column(&mut self, at: usize, end: End, name: &str) -> Read<Quantity> {
        if (self.width)(name) == 3 {
            return self.three(at, |k| Shape::Column(end, format!("{name}[{k}]")));
        }
        self.number_of(at, Shape::Column(end, name.to_owned()), vec![])
    }

    pub(crate) fn name(&mut self, at: usize, name: &str) -> Read<Quantity> {
        if let Some((end, column)) = self.plain_column(name) {
            return self.column(at, end, column);
        }
        let Some((end, name)) = prefixed(name) else {
            return self.word(at, name);
        };
        if self.bare.is_some() {
            let message = "the columns of a form have no prefix: it says itself whose they are";
            return Err(self.error(at, message));
        }
        let mut parameters = self.scope.parameters.iter();
        if let Some(parameter) = parameters.find(|other| other.name == name) {
            let text = std::mem::replace(&mut self.text, parameter.text);
            self.bare = Some(end);
            let read = self.quantity(&parameter.tree);
            self.bare = None;
            self.text = text;
            return read;
        }
        let builtin = |column: fn(u8) -> ObjectColumn| move |k| Shape::Builtin(end, column(k));
        match name {
            "pos" => self.three(at, builtin(ObjectColumn::Position)),
            "n" => self.three(at, builtin(ObjectColumn::Direction)),
            "east" => self.three(at, builtin(ObjectColumn::East)),
            "north" => self.three(at, builtin(ObjectColumn::North)),
            "cos2phi" => self.atom(at, Atom::Cos2Phi(Some(end))),
            "sin2phi" => self.atom(at, Atom::Sin2Phi(Some(end))),
            _ => self.number_of(at, Shape::Builtin(end, ObjectColumn::Weight), vec![]),
        }
    }

    /// A word without a prefix: what `--let` names, or something of the pair.
    fn word(&mut self, at: usize, name: &str) -> Read<Quantity> {
        let scope = self.scope;
        if let Some(part) = scope.lets.iter().find(|part| part.name == name) {
            return self.part(at, part);
        }
        let atom = match name {
            "d" => return self.three(at, |k| Shape::Atom(Atom::D(k))),
            "rhat" => return self.three(at, |k| Shape::Atom(Atom::Rhat(k))),
            "los" => return self.three(at, |k| Shape::Atom(Atom::Los(k))),
            "r2" => Atom::R2,
            "r" => Atom::R,
            "dlos" => Atom::Dlos,
            "rp" => Atom::Rp,
            "mu" => Atom::Mu,
            "cos2phi" => Atom::Cos2Phi(None),
            "sin2phi" => Atom::Sin2Phi(None),
            "theta" => return Err(self.error(at, THETA)),
            _ => {
                let lets = scope.lets.iter().map(|part| part.name.clone());
                let words = PAIR_WORDS.iter().map(|word| (*word).to_owned());
                let close = did_you_mean(name, &words.chain(lets).collect::<Vec<_>>());
                let column = unquoted(name).unwrap_or(name);
                if scope.separation_alone {
                    let message = format!("{OF_SEPARATION}, found {column}{close}");
                    return Err(self.error(at, message));
                }
                let message = format!(
                    "a column of which object? Write i.{column} or j.{column}, of the first or the second of the pair{close}"
                );
                return Err(self.error(at, message));
            }
        };
        self.atom(at, atom)
    }

    fn part(&mut self, at: usize, part: &Let) -> Read<Quantity> {
        if let Some(made) = self.made.get(&part.name) {
            return Ok(*made);
        }
        if self.open.contains(&part.name) {
            return Err(self.error(
                at,
                format!("{} is made of itself: {}", part.name, self.open.join(", ")),
            ));
        }
        self.open.push(part.name.clone());
        let text = std::mem::replace(&mut self.text, part.text);
        let made = self.quantity(&part.tree)?;
        self.text = text;
        self.open.pop();
        self.made.insert(part.name.clone(), made);
        Ok(made)
    }
}

/// What stands where there are no columns.
pub(crate) const OF_SEPARATION: &str =
    "expected numbers of the separation: d[0], d[1], d[2], r, r2, rp, dlos, mu";

/// The object and the rest of a name with a prefix.
fn prefixed(name: &str) -> Option<(End, &str)> {
    match name.split_once('.')? {
        ("i", rest) => Some((End::First, rest)),
        ("j", rest) => Some((End::Second, rest)),
        _ => None,
    }
}

fn unquoted(name: &str) -> Option<&str> {
    name.strip_prefix('`')?.strip_suffix('`')
}
