//! A case: files, how they are read, and what must come of it.

use std::fmt;

use albireo_samples::{Reading, Selection};

use crate::columns::{Absence, CONDITIONS, Column, WEIGHTS};
use crate::files::Format;
use crate::random::Random;

/// A file, and what its rows must become.
pub(crate) struct Drafted {
    pub(crate) format: Format,
    pub(crate) columns: Vec<Column>,
    /// Attributes: the group they belong to, their name and value.
    pub(crate) attributes: Vec<(&'static str, &'static str, Vec<f64>)>,
    pub(crate) selection: Selection,
    /// Positions of all rows.
    pub(crate) points: Vec<[f64; 3]>,
    /// Weights of all rows.
    pub(crate) weights: Option<Vec<f64>>,
    /// The rows that are kept.
    pub(crate) kept: Vec<usize>,
}

/// What must come of a case.
pub(crate) enum Outcome {
    Counted {
        /// The unit of the bins.
        unit: Option<&'static str>,
        /// The box.
        lengths: Option<f64>,
        /// How far positions may be off, in units of the largest of them.
        precision: f64,
    },
    /// Refused with one of these words.
    Refused(Vec<String>),
}

pub(crate) struct Case {
    pub(crate) reading: Reading,
    pub(crate) files: Vec<Drafted>,
    pub(crate) outcome: Outcome,
}

impl Drafted {
    pub(crate) fn new(format: Format, columns: Vec<Column>, points: Vec<[f64; 3]>) -> Self {
        Self {
            format,
            columns,
            attributes: Vec::new(),
            selection: Selection::default(),
            kept: (0..points.len()).collect(),
            points,
            weights: None,
        }
    }

    fn column(&self, name: &str) -> &Column {
        self.columns
            .iter()
            .find(|column| column.name == name)
            .unwrap()
    }

    /// Draws weights, a condition and missing values; returns the column whose missing value must be refused.
    pub(crate) fn choose(&mut self, drawn: &mut Random, place: &[&str]) -> Option<String> {
        let mut used: Vec<String> = place.iter().map(|&name| name.to_owned()).collect();
        let (w, v) = (
            self.column("w").values.clone(),
            self.column("v").values.clone(),
        );
        if drawn.once_in(2) {
            let (text, of) = drawn.pick(&WEIGHTS);
            self.selection.weight = Some(text.to_owned());
            self.weights = Some(w.iter().zip(&v).map(|(&w, &v)| of(w, v)).collect());
            let named = ["w", "v"].into_iter().filter(|name| text.contains(name));
            used.extend(named.map(str::to_owned));
        }
        let mut terms = Vec::new();
        if drawn.once_in(2) {
            let (text, keeps) = drawn.pick(&CONDITIONS);
            let tag = self.column("tag").values.clone();
            self.kept.retain(|&row| keeps(w[row], tag[row]));
            terms.push(format!("({text})"));
        }
        let lacks = drawn.once_in(3).then(|| self.lose(drawn, place)).flatten();
        let mut refused = None;
        if let Some((name, rows)) = lacks {
            if drawn.once_in(4) {
                let counts = rows.iter().any(|row| self.kept.contains(row));
                refused = (used.contains(&name) && counts).then_some(name);
            } else {
                let ok = self
                    .columns
                    .iter_mut()
                    .find(|column| column.name == "ok")
                    .unwrap();
                for &row in &rows {
                    ok.values[row] = 0.0;
                }
                self.kept.retain(|row| !rows.contains(row));
                terms.push("ok == 1".to_owned());
            }
        }
        if !terms.is_empty() {
            self.selection.filter = Some(terms.join(" && "));
        }
        refused
    }

    /// Takes values off a column that no condition names.
    fn lose(&mut self, drawn: &mut Random, place: &[&str]) -> Option<(String, Vec<usize>)> {
        let names: Vec<&str> = place.iter().copied().chain(["v"]).collect();
        let name = drawn.pick(&names);
        let rows: Vec<usize> = (0..self.points.len())
            .filter(|_| drawn.once_in(8))
            .collect();
        let absence = drawn.pick(self.format.absences());
        let column = self.columns.iter_mut().find(|column| column.name == name)?;
        // Their masks are as many columns as there are of them.
        if rows.is_empty() || (column.width > 1 && absence == Absence::Null) {
            return None;
        }
        column.missing.clone_from(&rows);
        column.absence = absence;
        Some((name.to_owned(), rows))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            let columns = file.columns.iter();
            let columns = columns.map(|c| format!("{} [{}] {:?}", c.name, c.unit, c.stored));
            let columns: Vec<String> = columns.collect();
            writeln!(f, "{:?}: {}", file.format, columns.join(", "))?;
            writeln!(f, "{:?} {:?}", file.selection, file.attributes)?;
        }
        write!(f, "{:?}", self.reading)
    }
}
