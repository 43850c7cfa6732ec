//! What sums take of the objects of a pair.
//!
//! Entry: [`PairSums::object_columns`].

use std::collections::HashSet;

use albireo::LineOfSight;
use albireo::tally::End;

use crate::column::ObjectColumn;
use crate::geometry::Geometry;
use crate::graph::{Atom, Id, Shape};
use crate::sums::PairSums;

impl PairSums {
    /// The items that sums are made of, down to columns.
    pub(crate) fn reached(&self) -> Vec<Id> {
        let mut found = vec![];
        let mut seen = HashSet::new();
        let mut open: Vec<Id> = self.roots.iter().rev().map(|root| root.id).collect();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            found.push(id);
            let item = self.graph.get(id);
            let parts = &item.parts[..];
            let parts = match (&item.shape, self.geometry.as_ref()) {
                _ if self.graph.reads(id).is_some() || self.graph.identities(id).is_some() => &[],
                (Shape::Sight, Some(geometry)) => {
                    std::slice::from_ref(&parts[usize::from(geometry.is_sky())])
                }
                _ => parts,
            };
            open.extend(parts.iter().rev());
        }
        found
    }

    /// What is taken of either object, each once: of the sample of an auto count.
    pub fn columns_of_both(&self) -> Vec<ObjectColumn> {
        let mut all = self.object_columns(End::First);
        for column in self.object_columns(End::Second) {
            if !all.contains(&column) {
                all.push(column);
            }
        }
        all
    }

    /// What is taken of the first or of the second object, each once.
    pub fn object_columns(&self, end: End) -> Vec<ObjectColumn> {
        let mut columns: Vec<ObjectColumn> = vec![];
        for id in self.reached() {
            let item = self.graph.get(id);
            let taken: Vec<ObjectColumn> = if let Some(of) = self.graph.reads(id) {
                let read = (of == end).then(|| ObjectColumn::Read(self.graph.written(id)));
                read.into_iter().collect()
            } else if let Some(sides) = self.graph.identities(id) {
                let own = sides.into_iter().filter(|(of, _)| *of == end);
                own.map(|(_, text)| ObjectColumn::Identity(text)).collect()
            } else {
                match &item.shape {
                    Shape::Builtin(of, column) if *of == end => vec![column.clone()],
                    Shape::Atom(atom) => self.of_atom(*atom, end),
                    _ => vec![],
                }
            };
            for column in taken {
                if !columns.contains(&column) {
                    columns.push(column);
                }
            }
        }
        columns
    }

    /// What an atom takes of an object.
    fn of_atom(&self, atom: Atom, end: End) -> Vec<ObjectColumn> {
        let all = |column: fn(u8) -> ObjectColumn| (0..3).map(column);
        match atom {
            Atom::Cos2Phi(Some(own)) | Atom::Sin2Phi(Some(own)) if own == end => {
                all(ObjectColumn::East)
                    .chain(all(ObjectColumn::North))
                    .collect()
            }
            Atom::Cos2Phi(Some(_)) | Atom::Sin2Phi(Some(_)) => {
                all(ObjectColumn::Direction).collect()
            }
            Atom::Los(_) | Atom::Dlos | Atom::Rp | Atom::Mu | Atom::Legendre(_) => {
                let sight = self.geometry.as_ref().map(Geometry::line_of_sight);
                let taken = match sight {
                    Some(Some(LineOfSight::First)) => end == End::First,
                    Some(Some(LineOfSight::End)) => end == End::Second,
                    Some(Some(LineOfSight::Fixed(_)) | None) => false,
                    Some(Some(LineOfSight::Midpoint)) | None => true,
                };
                if taken {
                    all(ObjectColumn::Position).collect()
                } else {
                    vec![]
                }
            }
            _ => vec![],
        }
    }

    /// What is compared by whether it is equal: of both sides the object and the text.
    pub fn compared(&self) -> Vec<[(End, String); 2]> {
        let all = self.reached().into_iter();
        let all = all.filter(|id| self.graph.reads(*id).is_none());
        all.filter_map(|id| self.graph.identities(id)).collect()
    }
}
