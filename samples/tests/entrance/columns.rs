//! Columns of a file, as numbers, and the conditions and weights that are made of them.

use crate::random::Random;

/// How numbers are stored, where the format lets one choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Type {
    Double,
    Single,
    Integer,
}

/// How a file says that values are missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Absence {
    NotANumber,
    /// A column `x.mask` beside `x`, where `x` holds some number.
    Mask,
    /// A null, an empty field.
    Null,
}

/// A column of so many numbers a row.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) unit: String,
    pub(crate) stored: Type,
    pub(crate) width: usize,
    pub(crate) values: Vec<f64>,
    /// Rows without a value.
    pub(crate) missing: Vec<usize>,
    pub(crate) absence: Absence,
}

impl Column {
    pub(crate) fn new(name: &str, unit: &str, width: usize, values: Vec<f64>) -> Self {
        Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            stored: Type::Double,
            width,
            values,
            missing: Vec::new(),
            absence: Absence::NotANumber,
        }
    }

    pub(crate) fn stored(self, stored: Type) -> Self {
        Self { stored, ..self }
    }

    pub(crate) fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    /// A number as it is written, nothing where it is missing and its format can say so.
    pub(crate) fn cell(&self, at: usize) -> Option<f64> {
        if !self.missing.contains(&(at / self.width)) {
            return Some(self.values[at]);
        }
        match self.absence {
            Absence::NotANumber => Some(f64::NAN),
            Absence::Mask => Some(1.5),
            Absence::Null => None,
        }
    }

    /// Its mask, where it has one.
    pub(crate) fn mask(&self) -> Option<Vec<bool>> {
        let has = !self.missing.is_empty() && self.absence == Absence::Mask;
        has.then(|| {
            (0..self.rows())
                .map(|row| self.missing.contains(&row))
                .collect()
        })
    }
}

/// The columns beside positions: weights `w` and `v`, a whole number `tag`, and `ok`, 0 in rows that lack a value.
pub(crate) fn others(drawn: &mut Random, rows: usize) -> Vec<Column> {
    let mut values = |steps: usize, scale: f64| -> Vec<f64> {
        (0..rows)
            .map(|_| (1 + drawn.below(steps)) as f64 * scale)
            .collect()
    };
    let (w, v, tag) = (values(32, 1.0 / 16.0), values(8, 0.25), values(4, 1.0));
    let exact = drawn.pick(&[Type::Double, Type::Single]);
    let whole = drawn.pick(&[Type::Double, Type::Single, Type::Integer]);
    vec![
        Column::new("w", "", 1, w).stored(exact),
        Column::new("v", drawn.pick(&["", "Msun", "km/s"]), 1, v),
        Column::new("tag", "", 1, tag).stored(whole),
        Column::new("ok", "", 1, vec![1.0; rows]).stored(whole),
    ]
}

/// Weights: the expression and its value of `w` and `v`.
pub(crate) type Weight = (&'static str, fn(f64, f64) -> f64);
pub(crate) const WEIGHTS: [Weight; 4] = [
    ("w", |w, _| w),
    ("w*v", |w, v| w * v),
    ("2*w + v", |w, v| 2.0 * w + v),
    ("1/(1 + v)", |_, v| 1.0 / (1.0 + v)),
];

/// Conditions and whether they keep a row of `w` and `tag`.
pub(crate) type Condition = (&'static str, fn(f64, f64) -> bool);
pub(crate) const CONDITIONS: [Condition; 4] = [
    ("tag > 1", |_, tag| tag > 1.0),
    ("tag != 2 && w >= 0.25", |w, tag| tag != 2.0 && w >= 0.25),
    ("w < 1.5 || tag == 3", |w, tag| w < 1.5 || tag == 3.0),
    ("2*w > tag - 1", |w, tag| 2.0 * w > tag - 1.0),
];
