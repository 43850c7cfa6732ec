//! A case carried out, and how it differs from a plain double loop.

use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Silent};
use albireo::{CountSpec, Edges, PairJob, Pairs, RBins};
use albireo_samples::{Notice, Samples, Source, Unit};

use crate::case::{Case, Outcome};
use crate::files::write;
use crate::random::Random;

/// Names of samples.
const ROLES: [&str; 2] = ["data", "second"];

/// Whether the case was counted as it must be, or refused as it must be; else what is wrong.
pub(crate) fn differs(case: &Case, drawn: &mut Random) -> Result<bool, String> {
    let folder = tempfile::tempdir().unwrap();
    let source = |(file, role): (&crate::case::Drafted, &str)| Source {
        role: role.to_owned(),
        paths: vec![write(folder.path(), role, file)],
        selection: file.selection.clone(),
    };
    let sources: Vec<Source> = case.files.iter().zip(ROLES).map(source).collect();
    let mut notices: Vec<Notice> = Vec::new();
    let read = case
        .reading
        .read(&sources, &mut |notice| notices.push(notice));
    match (&case.outcome, read) {
        (Outcome::Refused(words), Err(error)) => {
            let text = error.to_string();
            let says = words.iter().any(|word| text.contains(word.as_str()));
            let what = || format!("refused with `{text}`, expected one of {words:?}");
            says.then_some(false).ok_or_else(what)
        }
        (Outcome::Refused(words), Ok(_)) => Err(format!("taken, expected one of {words:?}")),
        (Outcome::Counted { .. }, Err(error)) => Err(format!("refused: {error}")),
        (Outcome::Counted { .. }, Ok(samples)) => {
            let expected = Expected::of(case);
            expected.positions(&samples)?;
            expected.counts(&samples, drawn)?;
            Ok(true)
        }
    }
}

/// What must come of a case that counts.
struct Expected {
    points: Vec<Vec<[f64; 3]>>,
    weights: Vec<Option<Vec<f64>>>,
    unit: Option<&'static str>,
    length: Option<f64>,
    precision: f64,
}

impl Expected {
    fn of(case: &Case) -> Self {
        let Outcome::Counted {
            unit,
            lengths,
            precision,
        } = case.outcome
        else {
            unreachable!("it is refused")
        };
        let files = case.files.iter();
        let points = files
            .clone()
            .map(|file| file.kept.iter().map(|&row| file.points[row]));
        let weights = files.map(|file| {
            let weights = file.weights.as_ref()?;
            Some(file.kept.iter().map(|&row| weights[row]).collect())
        });
        Self {
            points: points.map(Iterator::collect).collect(),
            weights: weights.collect(),
            unit,
            length: lengths,
            precision,
        }
    }

    /// The shorter way along an axis.
    fn near(&self, difference: f64) -> f64 {
        match self.length {
            Some(length) => difference - length * (difference / length).round(),
            None => difference,
        }
    }

    fn positions(&self, samples: &Samples) -> Result<(), String> {
        let parsed = |text: &str| text.parse::<Unit>().map_err(|error| error.to_string());
        let found = samples.unit().map(parsed).transpose()?;
        if found != self.unit.map(parsed).transpose()? {
            return Err(format!("in {:?}, expected {:?}", samples.unit(), self.unit));
        }
        for (points, role) in self.points.iter().zip(ROLES) {
            let found = samples
                .get(role)
                .map_err(|error| error.to_string())?
                .points();
            if found.len() != points.len() {
                return Err(format!(
                    "{role}: {} rows, expected {}",
                    found.len(),
                    points.len()
                ));
            }
            let largest = points
                .as_flattened()
                .iter()
                .fold(0.0_f64, |a, b| a.max(b.abs()));
            for (row, expected) in points.iter().enumerate() {
                let x = found.at(row);
                let off = (0..3).map(|k| self.near(x[k] - expected[k]).abs());
                let off = off.fold(0.0, f64::max);
                if off > self.precision * largest || x.iter().any(|x| !x.is_finite()) {
                    return Err(format!("{role}: row {row} at {x:?}, expected {expected:?}"));
                }
            }
        }
        Ok(())
    }

    /// Separations of all pairs, with the products of their weights.
    fn pairs(&self) -> Vec<(f64, f64)> {
        let (first, second) = (&self.points[0], self.points.last().unwrap());
        let weight = |sample: usize, row: usize| {
            let weights = self.weights[sample].as_ref();
            weights.map_or(1.0, |weights| weights[row])
        };
        let last = self.points.len() - 1;
        let mut pairs = Vec::new();
        for (i, x) in first.iter().enumerate() {
            let begin = if last == 0 { i + 1 } else { 0 };
            for (j, y) in second.iter().enumerate().skip(begin) {
                let r2: f64 = (0..3).map(|k| self.near(x[k] - y[k]).powi(2)).sum();
                pairs.push((r2.sqrt(), weight(0, i) * weight(last, j)));
            }
        }
        pairs
    }

    /// Edges between separations, none of which is near one.
    fn edges(&self, pairs: &[(f64, f64)], drawn: &mut Random) -> Option<Vec<f64>> {
        let half = self.length.map_or(f64::INFINITY, |length| 0.49 * length);
        let mut sorted: Vec<f64> = pairs
            .iter()
            .map(|pair| pair.0)
            .filter(|&r| r < half)
            .collect();
        sorted.sort_by(f64::total_cmp);
        let largest = *sorted.last()?;
        let wide = 1e3 * self.precision * largest.max(1e-300);
        let gaps = sorted
            .windows(2)
            .filter(|pair| pair[1] - pair[0] > wide && pair[0] > 0.0);
        let mut edges: Vec<f64> = gaps.map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        let number = 2 + drawn.below(4);
        while edges.len() > number {
            edges.remove(drawn.below(edges.len()));
        }
        (edges.len() == number).then_some(edges)
    }

    fn counts(&self, samples: &Samples, drawn: &mut Random) -> Result<(), String> {
        let pairs = self.pairs();
        let Some(edges) = self.edges(&pairs, drawn) else {
            return Ok(());
        };
        let sample = |role: &str| samples.get(role).map_err(|error| error.to_string());
        let of_job = if self.points.len() == 1 {
            Pairs::Auto(sample(ROLES[0])?)
        } else {
            Pairs::Cross(sample(ROLES[0])?, sample(ROLES[1])?)
        };
        let bins = RBins::new(Edges::new(edges.clone()).unwrap());
        let job = PairJob::new(of_job, samples.domain()).map_err(|error| error.to_string())?;
        let counts = count_pairs(
            &Cpu::new(),
            &job,
            CountSpec::for_pairs(&bins, of_job),
            &Silent,
        );
        let counts = counts.map_err(|error| error.to_string())?;
        for (k, edge) in edges.windows(2).enumerate() {
            let within = pairs
                .iter()
                .filter(|pair| edge[0] < pair.0 && pair.0 < edge[1]);
            let number = within.clone().count() as u64;
            let weight: f64 = within.map(|pair| pair.1).sum();
            let found = counts.npairs()[k];
            if found != number {
                return Err(format!(
                    "bin {k} of {edges:?}: {found} pairs, expected {number}"
                ));
            }
            let of_weights = self.weights.iter().any(Option::is_some);
            let found = counts.weight().map_or(number as f64, |weight| weight[k]);
            if of_weights && (found - weight).abs() > 1e-9 * weight.abs() {
                return Err(format!("bin {k}: a weight of {found}, expected {weight}"));
            }
        }
        Ok(())
    }
}
