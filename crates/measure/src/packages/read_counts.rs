//! Counts that lsstypes wrote, by our names and with our signs: a correlation function, or one count.
//!
//! Entry: [`Read::correlation`] and [`Read::count`]. Counts are sums of weights there: numbers of pairs, and what needs them, are not known.

use albireo::counts::{ExactSums, PairKind};
use albireo::estimators::{AnyEstimator, Estimator, Formula, Term, TermCounts};
use albireo_catalogs::{ResultKind, Table, TableColumn, sha256_of_bytes};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};

use super::group::{Axis, Group, described};
use crate::counted::Counted;
use crate::row_sums::RowSums;
use crate::saved::bins_of;
use crate::saved_split::saved_term;
use crate::tables::{correlation_columns, count_columns, edge_columns};

/// How far norms may differ that are one but for the rounding of their sums, relative.
const ALIKE: f64 = 1e-13;
/// How far the norms of DR and RD of one sample may: each is the product of two sums.
const SAME_SAMPLES: f64 = 1e-9;

fn alike(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs()
}

/// Sums of weights in bins, and what each is normalised by.
#[derive(Clone)]
struct Sums {
    weight: Vec<f64>,
    norm: Vec<f64>,
}

impl Sums {
    fn of(leaf: Group<'_>) -> Result<Self> {
        let (share, norm) = (leaf.floats("normalized_counts")?, leaf.floats("norm")?);
        let bins = leaf.axes()?.into_iter().map(|(_, edges)| edges.len() - 1);
        let bins: usize = bins.product();
        ensure!(
            share.len() == bins && norm.len() == bins,
            "expected {bins} values in `normalized_counts` and `norm`, found {} and {}",
            share.len(),
            norm.len()
        );
        // A region without pairs has shares of nothing, 0/0.
        let weight = |(&share, &norm): (&f64, &f64)| if norm == 0.0 { 0.0 } else { share * norm };
        Ok(Self {
            weight: share.iter().zip(norm).map(weight).collect(),
            norm: norm.to_vec(),
        })
    }

    /// A fingerprint of their values, which stands for that of the particles: nothing else tells one count from another.
    fn print(&self) -> String {
        let values = self.weight.iter().chain(&self.norm);
        let bytes: Vec<u8> = values.flat_map(|value| value.to_le_bytes()).collect();
        sha256_of_bytes(&bytes).chars().take(16).collect()
    }

    fn both(&mut self) -> [&mut Vec<f64>; 2] {
        [&mut self.weight, &mut self.norm]
    }

    fn add(&mut self, other: &Self) {
        for (sums, more) in self.both().into_iter().zip([&other.weight, &other.norm]) {
            sums.iter_mut()
                .zip(more)
                .for_each(|(sum, more)| *sum += more);
        }
    }

    fn halve(&mut self) {
        let values = self.both().into_iter().flatten();
        values.for_each(|value| *value /= 2.0);
    }

    /// Turns the sign of the last axis, of bins on both sides of 0.
    fn mirror(&mut self, row: usize) {
        for values in self.both() {
            values.chunks_mut(row).for_each(<[f64]>::reverse);
        }
    }

    /// The norm, and that of the first rows of bins, with their number, where it is another.
    fn norms(&self, row: usize) -> Result<(f64, Option<(usize, f64)>)> {
        let [first, .., last] = self.norm[..] else {
            return Ok((self.norm[0], None));
        };
        let near = self
            .norm
            .iter()
            .take_while(|norm| alike(**norm, first, ALIKE));
        let near = near.count();
        if near == self.norm.len() {
            return Ok((first, None));
        }
        let mut far = self.norm[near..].iter();
        ensure!(
            near % row == 0 && far.all(|norm| alike(*norm, last, ALIKE)),
            "`norm` changes otherwise than once along the first axis, as of split randoms"
        );
        Ok((last, Some((near / row, first))))
    }
}

/// A count: of all pairs and, of each region, those within it and those across its border.
struct Count {
    all: Sums,
    regions: Vec<[Sums; 2]>,
}

/// A count with the label that it has there, such as DR.
type Labelled = (String, Count);

impl Count {
    fn of(group: Group<'_>) -> Result<(Vec<Axis>, Self)> {
        if group.name()? == "count2" {
            let (all, regions) = (Sums::of(group)?, Vec::new());
            return Ok((group.axes()?, Self { all, regions }));
        }
        let labels = group.texts("labels_values")?.iter();
        let labels: Vec<&str> = labels
            .filter_map(|label| label.strip_prefix("ii-"))
            .collect();
        let first = labels.first().context("it has no regions")?;
        let axes = group.group(&format!("ii-{first}"))?.axes()?;
        let part = |part: &str, label: &str| {
            let name = format!("{part}-{label}");
            let leaf = group.group(&name)?;
            ensure!(leaf.axes()? == axes, "`{name}` has other bins");
            Sums::of(leaf).context(name)
        };
        let mut all: Option<Sums> = None;
        let mut add = |sums: &Sums| match &mut all {
            None => all = Some(sums.clone()),
            Some(all) => all.add(sums),
        };
        let mut regions = Vec::new();
        for label in &labels {
            let within = part("ii", label)?;
            add(&within);
            regions.push([within, part("ij", label)?]);
        }
        for ([_, across], label) in regions.iter_mut().zip(&labels) {
            // Pairs across a border stand in the regions of both points: those of the first are all of them.
            add(across);
            across.add(&part("ji", label)?);
        }
        let all = all.context("it has no regions")?;
        Ok((axes, Self { all, regions }))
    }

    fn parts(&mut self) -> impl Iterator<Item = &mut Sums> {
        std::iter::once(&mut self.all).chain(self.regions.iter_mut().flatten())
    }

    /// The mean of this count and one of the same bins and regions.
    fn average(&mut self, mut other: Self) {
        for (own, other) in self.parts().zip(other.parts()) {
            own.add(other);
            own.halve();
        }
    }
}

/// Counts by their terms.
pub(super) struct Read {
    axes: Vec<Axis>,
    counts: Vec<(Term, PairKind, Count)>,
    /// None of one count alone.
    estimator: Option<AnyEstimator>,
}

impl Read {
    /// One count. Nothing says of which samples: it is taken as one of pairs between two.
    pub(super) fn count(root: Group<'_>) -> Result<Self> {
        let (mut axes, mut count) = Count::of(root)?;
        if is_signed(&axes) {
            mirror(&mut axes, std::iter::once(&mut count));
        }
        Ok(Self {
            axes,
            counts: vec![(Term::D1D2, PairKind::Cross, count)],
            estimator: None,
        })
    }

    /// A correlation function with its counts.
    pub(super) fn correlation(root: Group<'_>) -> Result<Self> {
        let (mut axes, mut counts) = labelled(root)?;
        let formula = root.group("meta")?.texts("estimator")?[0].as_str();
        let (signed, cross) = (is_signed(&axes), is_cross(&counts));
        if cross && signed {
            mirror(&mut axes, counts.iter_mut().map(|(_, count)| count));
        }
        let symmetric = formula == "landyszalay";
        if !cross && !signed {
            counts = each_once(counts, symmetric);
        }
        let named = counts.into_iter().map(|(label, count)| {
            let mut letters: Vec<char> = label.chars().collect();
            let auto = !cross && letters[0] == letters[1];
            if !cross && signed && symmetric {
                // x2 - x1 there, x1 - x2 here.
                letters.reverse();
            }
            let between = if cross { ["1", "2"] } else { ["", ""] };
            let name = format!("{}{}{}{}", letters[0], between[0], letters[1], between[1]);
            let term = Term::ALL.into_iter().find(|term| term.name == name);
            let kind = match (auto, signed) {
                (false, _) => PairKind::Cross,
                (true, false) => PairKind::AutoUnordered,
                (true, true) => PairKind::AutoOrdered,
            };
            let term = term.with_context(|| format!("`{label}`: expected a count such as DR"))?;
            Ok((term, kind, count))
        });
        let mut counts = named.collect::<Result<Vec<_>>>()?;
        let place = |term: &Term| Term::ALL.iter().position(|other| other == term);
        counts.sort_by_key(|(term, ..)| place(term));
        let shifted = counts.iter().any(|(term, ..)| term.name.contains('S'));
        Ok(Self {
            axes,
            counts,
            estimator: Some(estimator(formula, shifted, cross)?),
        })
    }

    /// Its counts as results write them.
    fn counted(&self) -> Result<Vec<Counted>> {
        let row = self.row();
        let one = |(term, kind, count): &(Term, PairKind, Count)| {
            let (norm, near) = count.all.norms(row).context(term.name)?;
            let total = |norm: f64| json!({"kind": kind.to_string(), "total_pairs": null, "total_weight": norm, "design_effect": null});
            let mut record = total(norm);
            record["arithmetic"] = json!("approximate");
            record["job"] = json!(count.all.print());
            if let Some((rows, norm)) = near {
                ensure!(
                    !term.is_data(),
                    "`{}`: its norm differs between bins, as only that of randoms may",
                    term.name
                );
                record["split"] = json!({"above": self.axes[0].1[rows], "below": total(norm)});
            }
            let weight = ExactSums::from_parts(std::slice::from_ref(&count.all.weight));
            let sums = RowSums {
                npairs: vec![0; count.all.weight.len()],
                unnumbered: true,
                weight: Some(weight.context(term.name)?),
                ..RowSums::default()
            };
            Ok(Counted {
                name: term.name,
                sums,
                mean: None,
                weighted_mean: None,
                engine: None,
                record,
            })
        };
        self.counts.iter().map(one).collect()
    }

    /// The bins of a row of the first axis.
    fn row(&self) -> usize {
        let others = self.axes[1..].iter().map(|(_, edges)| edges.len() - 1);
        others.product()
    }

    /// The counts, with the estimate that is made of them.
    pub(super) fn table(&self) -> Result<Table> {
        let counted = self.counted()?;
        let kind = match self.estimator {
            None => ResultKind::Counts,
            Some(_) => ResultKind::Correlation,
        };
        let (mut meta, axes) = described(&self.axes, kind)?;
        let records = counted.iter();
        let records = records.map(|count| (count.name.to_owned(), count.record.clone()));
        meta.insert("counts".to_owned(), Value::Object(records.collect()));
        let prefix = |count: &Counted| self.estimator.as_ref().map_or("", |_| count.name);
        let mut columns = edge_columns(&axes, None);
        columns.extend(
            counted
                .iter()
                .flat_map(|count| count_columns(&count.sums, prefix(count), (&axes, None))),
        );
        let counts = Table { columns, meta };
        let Some(estimator) = &self.estimator else {
            return Ok(counts);
        };
        let bins = bins_of(&counts)?;
        let terms = self.counts.iter();
        let terms = terms.map(|(term, ..)| Ok((*term, saved_term(&counts, term.name, &bins)?)));
        let terms = TermCounts::new(terms.collect::<Result<Vec<_>>>()?, None);
        let xi = estimator.estimate(&terms)?;
        let mut meta = counts.meta;
        meta.insert("estimator".to_owned(), json!(xi.estimator));
        Ok(Table {
            columns: correlation_columns(&xi, None, &counted, None),
            meta,
        })
    }

    /// The counts by region.
    pub(super) fn regions(&self) -> Result<Table> {
        let Table { mut meta, columns } = self.table()?;
        let number = self.counts[0].2.regions.len();
        ensure!(
            number > 0,
            "it has no regions: expected a count2_jackknife_correlation"
        );
        let bins = columns.first().map_or(0, |column| column.values.len());
        let edges = columns.into_iter().take(3 * self.axes.len());
        let labels = (0..number as u64).flat_map(|k| std::iter::repeat_n(k, bins));
        let labels = labels.collect();
        let mut columns = vec![TableColumn::integers(
            "region",
            "region, counting from 0",
            labels,
        )];
        columns.extend(edges.map(|column| column.repeated(number)));
        let mut totals = Map::new();
        for (term, kind, count) in &self.counts {
            ensure!(
                count.regions.len() == number,
                "{} has {} regions, others {number}",
                term.name,
                count.regions.len()
            );
            let mut of_count = json!({"kind": kind.to_string()});
            for (k, part) in ["within", "across"].into_iter().enumerate() {
                let parts = || count.regions.iter().map(|region| &region[k]);
                let weight = parts().flat_map(|part| &part.weight).copied();
                columns.push(TableColumn::floats(
                    format!("{}_{part}_weight", term.name),
                    format!("sum of w1*w2 of {}, {part} the region", term.name),
                    weight.collect(),
                ));
                let norms = parts().map(|part| part.norms(self.row()));
                let norms = norms.collect::<Result<Vec<_>>>();
                let norms = norms.with_context(|| format!("{}, {part}", term.name))?;
                let far: Vec<f64> = norms.iter().map(|(norm, _)| *norm).collect();
                let near = norms
                    .iter()
                    .map(|(norm, near)| near.map_or(*norm, |(_, near)| near));
                let near: Vec<f64> = near.collect();
                of_count[part] =
                    json!({"pairs": null, "weight": far, "below": {"pairs": null, "weight": near}});
            }
            totals.insert(term.name.to_owned(), of_count);
        }
        let kind = ResultKind::RegionCounts.name();
        meta.insert("result".to_owned(), json!(kind));
        meta.insert("region_totals".to_owned(), Value::Object(totals));
        Ok(Table { columns, meta })
    }
}

/// The counts of a correlation function by their labels, in the same bins.
fn labelled(root: Group<'_>) -> Result<(Vec<Axis>, Vec<Labelled>)> {
    let mut counts = Vec::new();
    let mut axes: Option<Vec<Axis>> = None;
    for label in root.texts("labels_values")? {
        let place = || format!("`{label}`");
        let (own, count) = Count::of(root.group(label)?).with_context(place)?;
        ensure!(
            axes.get_or_insert_with(|| own.clone()) == &own,
            "`{label}`: it has other bins"
        );
        ensure!(
            label.len() == 2 && label.chars().all(|c| "DRS".contains(c)),
            "`{label}`: expected a count such as DR"
        );
        counts.push((label.clone(), count));
    }
    Ok((axes.context("it holds no counts")?, counts))
}

/// Whether the second axis has bins on both sides of 0, which tell the orders of a pair apart.
fn is_signed(axes: &[Axis]) -> bool {
    axes.get(1).is_some_and(|(_, edges)| edges[0] < 0.0)
}

/// Whether the samples are two: the pairs of the data with randoms and the other way round then have other totals.
fn is_cross(counts: &[Labelled]) -> bool {
    let norm = |label: &str| {
        let found = counts.iter().find(|(own, _)| own == label);
        found.map(|(_, count)| count.all.norm[0])
    };
    let both = ["R", "S"].map(|of| norm(&format!("D{of}")).zip(norm(&format!("{of}D"))));
    let mut both = both.into_iter().flatten();
    both.any(|(one, other)| !alike(one, other, SAME_SAMPLES))
}

/// Turns the sign of the second axis, x2 - x1 there and x1 - x2 here.
fn mirror<'c>(axes: &mut [Axis], counts: impl Iterator<Item = &'c mut Count>) {
    let edges = &mut axes[1].1;
    edges.reverse();
    for edge in edges.iter_mut() {
        *edge = 0.0 - *edge;
    }
    let row = edges.len() - 1;
    for sums in counts.flat_map(Count::parts) {
        sums.mirror(row);
    }
}

/// Counts of one sample in bins that do not tell the orders of a pair apart, with each pair once: of data with randoms and the other way round, which
/// are the same pairs, the mean is kept where only their sum is taken.
fn each_once(counts: Vec<Labelled>, summed: bool) -> Vec<Labelled> {
    let mut once: Vec<Labelled> = Vec::new();
    for (label, mut count) in counts {
        let reverse: String = label.chars().rev().collect();
        if reverse == label {
            count.parts().for_each(Sums::halve);
        } else if let Some((own, other)) =
            once.iter_mut().find(|(own, _)| summed && *own == reverse)
        {
            other.average(count);
            own.clone_from(if label.starts_with('D') {
                &label
            } else {
                &reverse
            });
            continue;
        }
        once.push((label, count));
    }
    once
}

/// Our estimator of their name or formula.
fn estimator(formula: &str, shifted: bool, cross: bool) -> Result<AnyEstimator> {
    let named = match formula.replace(' ', "").as_str() {
        "landyszalay" if shifted => Estimator::ShiftedRandoms,
        "landyszalay" => Estimator::LandySzalay,
        "natural" if shifted => bail!(
            "its estimator is natural with shifted randoms, (DD - SS)/RR: expected landyszalay, or natural without them"
        ),
        "natural" => Estimator::Natural,
        "DD/DR-1" => Estimator::DavisPeebles,
        "DD*RR/(DR*DR)-1" => Estimator::Hamilton,
        _ => {
            let own = formula.replace("**", "^");
            let own = own.parse::<Formula>();
            let own = own.with_context(|| format!("its estimator is {formula}"))?;
            ensure!(!cross, "its estimator is {formula}, of two samples");
            return Ok(own.into());
        }
    };
    let of_two = named.of_two_samples().filter(|_| cross);
    Ok(of_two.unwrap_or(named).into())
}
