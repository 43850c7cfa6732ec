//! Classes of the objects of samples, such as environments, tracers or redshift bins: numbered alike in a sample and its randoms.
//!
//! Entry: [`ClassCut`], applied by `reading`. The column is that of a [`Selection`](crate::Selection).

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "there are 64 classes at most, and objects are numbered"
)]

use albireo::Labels;
use albireo_catalogs::{Attribute, in_short};
use serde_json::{Value, json};

use crate::error::{Result, SampleError};
use crate::sample::Sample;

/// Most classes of a sample.
const MOST: usize = 64;
/// Whole numbers below this are what float64 says.
const WHOLE: f64 = (1_u64 << 53) as f64;

/// How values become classes.
#[derive(Debug, Clone, PartialEq)]
pub enum ClassCut {
    /// Each value, a whole number or a text, is one.
    Values,
    /// As many of nearly equal numbers of objects of the data: the edges are the sorted values number ceil(k n/N), from 0, k from 1 to N - 1.
    Quantiles(u32),
    /// A class is the number of these, rising, that are at or below the value.
    Edges(Vec<f64>),
}

/// The classes of a sample and of its randoms.
enum Rule {
    One,
    Numbers(Vec<f64>),
    Texts(Vec<String>),
    Edges(Vec<f64>),
}

/// Whether a role belongs to the second of two samples.
fn is_second(role: &str) -> bool {
    role == "second" || role.starts_with("cross")
}

fn is_data(role: &str) -> bool {
    matches!(role, "data" | "second" | "cross")
}

/// The column of the classes of a sample, as it was read.
fn column_of(sample: &Sample) -> String {
    let column = sample.record["classes"].as_str();
    column.unwrap_or_default().to_owned()
}

impl Rule {
    /// That of the objects of a sample.
    fn of(sample: &Sample, cut: &ClassCut) -> Result<Self> {
        match (&sample.classes, cut) {
            (None, _) => Ok(Self::One),
            (Some(Attribute::Texts { texts, codes }), ClassCut::Values) => {
                let mut used = vec![false; texts.len()];
                for &code in codes {
                    used[code as usize] = true;
                }
                let used = texts.iter().zip(used).filter(|(_, used)| *used);
                let mut texts: Vec<String> = used.map(|(text, _)| text.clone()).collect();
                texts.sort_unstable();
                check_number(sample, texts.len())?;
                Ok(Self::Texts(texts))
            }
            (Some(Attribute::Numbers(values)), cut) => Self::of_numbers(sample, values, cut),
            (Some(_), cut) => Err(SampleError::Input(format!(
                "{}: column `{}` holds texts, and {option} cuts numbers: leave {option} out, its values are the classes",
                sample.path.display(),
                column_of(sample),
                option = match cut {
                    ClassCut::Quantiles(_) => "--quantiles",
                    _ => "--class-edges",
                }
            ))),
        }
    }

    fn of_numbers(sample: &Sample, values: &[f64], cut: &ClassCut) -> Result<Self> {
        let sorted = || {
            // 0 and -0 are one value.
            let mut sorted: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted
        };
        let distinct = |sorted: &[f64]| {
            let mut distinct = sorted.to_vec();
            distinct.dedup();
            distinct
        };
        match cut {
            ClassCut::Values => {
                let is_class = |value: f64| value.fract() == 0.0 && value.abs() < WHOLE;
                if let Some(row) = values.iter().position(|&value| !is_class(value)) {
                    return Err(SampleError::Input(format!(
                        "{}: column `{}`: expected classes as whole numbers below 2^53 by magnitude, or texts, found {} in \
                         row {row} (counting from 0 those that are used): cut other numbers by \
                         --quantiles N or --class-edges A,B,..",
                        sample.path.display(),
                        column_of(sample),
                        in_short(values[row])
                    )));
                }
                let distinct = distinct(&sorted());
                check_number(sample, distinct.len())?;
                Ok(Self::Numbers(distinct))
            }
            ClassCut::Quantiles(number) => {
                let sorted = sorted();
                let found = distinct(&sorted).len();
                if found < *number as usize {
                    return Err(SampleError::Input(format!(
                        "{}: column `{}` has {found} different values, --quantiles {number} needs as many as that at least",
                        sample.path.display(),
                        column_of(sample)
                    )));
                }
                let place = |k: u32| (k as usize * sorted.len()).div_ceil(*number as usize);
                Ok(Self::Edges(
                    (1..*number).map(|k| sorted[place(k)]).collect(),
                ))
            }
            ClassCut::Edges(edges) => Ok(Self::Edges(edges.clone())),
        }
    }

    /// The names of the classes.
    fn names(&self) -> Vec<String> {
        match self {
            Self::One => vec!["all".to_owned()],
            Self::Numbers(values) => values.iter().map(f64::to_string).collect(),
            Self::Texts(texts) => texts.clone(),
            Self::Edges(edges) => (0..=edges.len()).map(|class| class.to_string()).collect(),
        }
    }

    /// The class of each object of a sample, whose data stand in `of`.
    fn labels(&self, sample: &Sample, of: &Sample) -> Result<Labels> {
        let unknown = |found: String| {
            SampleError::Input(format!(
                "{}: column `{}` has the class {found}, which no object of {} is in: its classes are {}; --randoms-classes none pairs all \
                 randoms with every class",
                sample.path.display(),
                column_of(sample),
                of.path.display(),
                self.names().join(", ")
            ))
        };
        let (labels, number) = match (self, &sample.classes) {
            (Self::One, _) | (_, None) => (vec![0; sample.particles.len()], 1),
            (Self::Edges(edges), Some(Attribute::Numbers(values))) => {
                let class = |value: &f64| edges.partition_point(|edge| edge <= value) as u32;
                (values.iter().map(class).collect(), edges.len() + 1)
            }
            (Self::Numbers(known), Some(Attribute::Numbers(values))) => {
                let class = |value: &f64| {
                    let place = known.partition_point(|known| known < value);
                    let is_known = known.get(place) == Some(value);
                    let class = is_known.then_some(place as u32);
                    class.ok_or_else(|| unknown(value.to_string()))
                };
                let labels = values.iter().map(class).collect::<Result<_, _>>()?;
                (labels, known.len())
            }
            (Self::Texts(known), Some(Attribute::Texts { texts, codes })) => {
                let places = texts.iter().map(|text| known.binary_search(text).ok());
                let places: Vec<Option<usize>> = places.collect();
                let class = |&code: &u32| {
                    let place = places[code as usize].map(|place| place as u32);
                    place.ok_or_else(|| unknown(texts[code as usize].clone()))
                };
                let labels = codes.iter().map(class).collect::<Result<_, _>>()?;
                (labels, known.len())
            }
            (rule, _) => {
                let (texts, numbers) = match rule {
                    Self::Texts(_) => (of, sample),
                    _ => (sample, of),
                };
                return Err(mixed(&column_of(sample), texts, numbers));
            }
        };
        Ok(Labels::new(labels, number as u32)?)
    }
}

/// The refusal of texts in one sample and numbers in another.
pub(crate) fn mixed(column: &str, texts: &Sample, numbers: &Sample) -> SampleError {
    SampleError::Input(format!(
        "column `{column}`: expected classes of one type, found texts in {} and numbers in {}",
        texts.path.display(),
        numbers.path.display()
    ))
}

/// Refuses more values than classes are counted.
fn check_number(sample: &Sample, found: usize) -> Result<()> {
    if found <= MOST {
        return Ok(());
    }
    Err(SampleError::Input(format!(
        "{}: column `{}` has {found} different values, and at most {MOST} classes are counted: cut numbers by --quantiles N or \
         --class-edges A,B,..",
        sample.path.display(),
        column_of(sample)
    )))
}

/// The number of objects in each class; refuses one without any.
fn numbers_in(
    sample: &Sample,
    labels: &Labels,
    names: &[String],
    cut: &ClassCut,
) -> Result<Vec<u64>> {
    let mut numbers = vec![0; labels.number() as usize];
    for &label in labels.values() {
        numbers[label as usize] += 1;
    }
    match numbers.iter().position(|&number| number == 0) {
        None => Ok(numbers),
        Some(class) => Err(SampleError::Input(format!(
            "{}: no object of the {} is in class {} of column `{}`{}",
            sample.path.display(),
            sample.role,
            names[class],
            column_of(sample),
            if is_data(&sample.role) && matches!(cut, ClassCut::Quantiles(_)) {
                ": too many share one value, take fewer --quantiles"
            } else {
                ""
            }
        ))),
    }
}

/// Labels the particles of all samples by their classes; what a record says of the first sample and of the second one.
pub(crate) fn label(samples: &mut [Sample], cut: &ClassCut) -> Result<Value> {
    let mut families = Vec::new();
    for second in [false, true] {
        let is_of = |sample: &Sample| is_second(&sample.role) == second;
        let data = samples.iter().find(|one| is_of(one) && is_data(&one.role));
        let Some(data) = data.cloned() else { continue };
        let rule = Rule::of(&data, cut)?;
        let names = rule.names();
        let mut objects = serde_json::Map::new();
        for sample in samples.iter_mut().filter(|sample| is_of(sample)) {
            let labels = rule.labels(sample, &data)?;
            let numbers = numbers_in(sample, &labels, &names, cut)?;
            objects.insert(sample.role.clone(), json!(numbers));
            let particles = std::mem::take(&mut sample.particles);
            sample.particles = particles.labelled(labels)?;
            sample.classes = None;
        }
        let mut family = json!({
            "column": data.record.get("classes"),
            "by": match (&rule, cut) {
                (Rule::One, _) => "none",
                (_, ClassCut::Values) => "values",
                (_, ClassCut::Quantiles(_)) => "quantiles",
                (_, ClassCut::Edges(_)) => "edges",
            },
            "names": names,
            "objects": objects,
        });
        if let Rule::Edges(edges) = &rule {
            family["edges"] = json!(edges);
        }
        families.push(family);
    }
    Ok(Value::Array(families))
}
