//! The counts of a result, read with the names and signs of other packages.
//!
//! Entry: [`Read::counts`].

use albireo::counts::ExactSums;
use albireo_catalogs::Table;
use anyhow::{Context, Result};
use serde_json::Value;

use super::layout::Layout;
use crate::row_sums::RowSums;
use crate::saved::{floats, prefix_of, records, region_rows};
use crate::tables::column_name;

/// One count, such as D1R2.
#[derive(Debug)]
pub(super) struct Count {
    /// D, R or S of both samples.
    pub(super) kinds: [char; 2],
    pub(super) auto: bool,
    /// The random pairs of a box, which are known.
    pub(super) known: bool,
    /// Whether the numbers of its pairs are known.
    pub(super) numbered: bool,
    /// Rows of the samples; 0 where they are not known.
    pub(super) sizes: [i64; 2],
    pub(super) pairs: Pairs,
    /// Those within each region, and those across its border with the first or the second point in it.
    pub(super) regions: Vec<[Pairs; 3]>,
}

/// Pairs in bins.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    pub(super) number: Vec<i64>,
    pub(super) weight: Vec<f64>,
    /// What the weights are normalised by.
    pub(super) norm: Vec<f64>,
    /// Mean separations, those by weights where there are; none where they were not summed.
    pub(super) mean: Option<Vec<f64>>,
}

impl Pairs {
    /// Of numbers, weights where there are any, and norms of ours: weights and norms times `times`, numbers as `number` makes them.
    fn new(
        layout: Layout,
        rows: (&[u64], Option<&[f64]>),
        norm: &[f64],
        times: f64,
        number: impl Fn(i64) -> i64,
    ) -> Self {
        let scaled = |values: &[f64]| values.iter().map(|value| value * times).collect::<Vec<_>>();
        let plain = || rows.0.iter().map(|&n| n as f64).collect();
        let weight = rows.1.map_or_else(plain, <[f64]>::to_vec);
        let numbers = rows
            .0
            .iter()
            .map(|&n| number(i64::try_from(n).unwrap_or(i64::MAX)));
        Self {
            number: layout.numbers(&numbers.collect::<Vec<_>>()),
            weight: layout.weights(&scaled(&weight)),
            norm: layout.alike(&scaled(norm)),
            mean: None,
        }
    }

    /// Weights over their norm; 0 where there are none.
    pub(super) fn normalised(&self) -> Vec<f64> {
        let both = self.weight.iter().zip(&self.norm);
        both.map(|(&weight, norm)| if weight == 0.0 { 0.0 } else { weight / norm })
            .collect()
    }
}

/// What is common to all counts of a result while they are read.
pub(super) struct Read<'a> {
    pub(super) grid: &'a Table,
    pub(super) regions: Option<&'a Table>,
    pub(super) axes: &'a [(String, Vec<f64>)],
    pub(super) bins: usize,
    pub(super) layout: Layout,
}

impl Read<'_> {
    /// All counts, by the names and signs of other packages.
    pub(super) fn counts(&self, estimator: Option<&str>) -> Result<Vec<Count>> {
        let names = records(self.grid)?.keys();
        let mut counts = names
            .map(|name| self.count(name))
            .collect::<Result<Vec<_>>>()?;
        if !counts.iter().any(|count| count.kinds == ['R', 'R'])
            && let Ok(known) = floats(self.grid, "RR_normalised")
        {
            counts.push(self.known(known, &counts)?);
        }
        // Estimators that take both orders alike; signs of the others' counts have but one.
        let symmetric = [
            "landy-szalay",
            "landy-szalay-cross",
            "shifted-randoms",
            "hamilton",
        ];
        if symmetric.contains(&estimator.unwrap_or_default()) {
            for other in ['R', 'S'] {
                self.exchange(&mut counts, other);
            }
        }
        Ok(counts)
    }

    /// Exchanges the count of data with `other` and its reverse, where bins have a sign; elsewhere both are the same.
    fn exchange(&self, counts: &mut Vec<Count>, other: char) {
        if counts
            .iter()
            .any(|count| count.kinds == ['D', 'D'] && !count.auto)
        {
            return;
        }
        let find = |kinds| counts.iter().position(|count: &Count| count.kinds == kinds);
        match (find(['D', other]), find([other, 'D'])) {
            (Some(first), Some(second)) if self.layout.is_signed() && !self.layout.turned => {
                for k in [first, second] {
                    counts[k].kinds.reverse();
                    counts[k].sizes.reverse();
                }
                counts.swap(first, second);
            }
            (Some(first), None) => {
                let one = &counts[first];
                let reverse = Count {
                    kinds: [other, 'D'],
                    sizes: [one.sizes[1], one.sizes[0]],
                    pairs: one.pairs.clone(),
                    regions: one.regions.clone(),
                    ..*one
                };
                counts.insert(first + 1, reverse);
            }
            _ => {}
        }
    }

    /// What the weights of each bin are normalised by.
    fn norm(&self, record: &Value) -> Result<Vec<f64>> {
        let total = |of: &Value| of["total_weight"].as_f64().context("no `total_weight`");
        let mut norm = vec![total(record)?; self.bins];
        if let (Some(above), below) = (record["split"]["above"].as_f64(), &record["split"]["below"])
        {
            let near = total(below)?;
            norm[..self.bins_below(above)].fill(near);
        }
        Ok(norm)
    }

    /// Rows of bins that end at `above` or before it.
    fn bins_below(&self, above: f64) -> usize {
        let edges = &self.axes[0].1;
        let near = edges[1..].iter().filter(|&&edge| edge <= above).count();
        near * (self.bins / (edges.len() - 1))
    }

    fn count(&self, name: &str) -> Result<Count> {
        let record = &records(self.grid)?[name];
        let kind = record["kind"].as_str().unwrap_or_default();
        let auto = kind.starts_with("auto");
        // Ours hold each pair of a sample once, except in bins with a sign, which hold both orders.
        let orders = if kind == "auto (each pair once)" {
            2
        } else {
            1
        };
        let prefix = prefix_of(self.grid, name)?;
        let column = |rest: &str| floats(self.grid, &column_name(prefix, rest));
        let RowSums {
            npairs, unnumbered, ..
        } = RowSums::read(self.grid, prefix)?;
        let weight = column("weight").ok();
        let axis = &self.axes[0].0;
        let mean = match (column(&format!("weighted_sum_{axis}")), weight) {
            (Ok(sums), Some(weight)) => Some(ratio(sums, weight.iter().copied())),
            _ => (column(&format!("sum_{axis}")).ok())
                .map(|sums| ratio(sums, npairs.iter().map(|&n| n as f64))),
        };
        let norm = self.norm(record).with_context(|| name.to_owned())?;
        let mut letters = name.chars().filter(|c| "DRS".contains(*c));
        let mut letter = || {
            letters
                .next()
                .with_context(|| format!("it knows no count {name}"))
        };
        let kinds = [letter()?, letter()?];
        Ok(Count {
            kinds,
            auto,
            known: false,
            numbered: !unnumbered,
            sizes: [
                self.size(kinds[0], true),
                self.size(kinds[1], auto || !name.contains('2')),
            ],
            pairs: Pairs {
                mean: mean.map(|mean| self.layout.alike(&mean)),
                ..Pairs::new(self.layout, (&npairs, weight), &norm, orders as f64, |n| {
                    n * orders
                })
            },
            regions: self.by_region(name, (orders, record))?,
        })
    }

    /// The random pairs of a box, whose share of all pairs is known.
    fn known(&self, share: &[f64], counts: &[Count]) -> Result<Count> {
        let data = counts.first().context("the result holds no counts")?;
        let norm = data.pairs.norm[0];
        let weight: Vec<f64> = share.iter().map(|share| share * norm).collect();
        let number = vec![0; share.len()];
        Ok(Count {
            kinds: ['R', 'R'],
            auto: data.auto,
            known: true,
            numbered: false,
            sizes: data.sizes,
            pairs: Pairs::new(
                self.layout,
                (&number, Some(&weight)),
                &vec![norm; self.bins],
                1.0,
                |n| n,
            ),
            regions: Vec::new(),
        })
    }

    /// Rows of the sample of a kind, as the first or the second.
    fn size(&self, kind: char, first: bool) -> i64 {
        let roles: &[&str] = match (kind, first) {
            ('D', true) => &["data"],
            ('D', false) => &["cross", "second", "data"],
            ('R', false) => &["cross randoms", "randoms"],
            ('R', true) => &["randoms"],
            _ => &["shifted randoms"],
        };
        // Of parts of the sky put together those of each part.
        let parts = self.grid.meta.get("parts").and_then(Value::as_array);
        let own = self.grid.meta.get("samples");
        let all = parts.into_iter().flatten().map(|part| &part["samples"]);
        let of_sample = |samples: &Value| {
            let samples = samples.as_array()?;
            let of = |role: &&str| {
                samples
                    .iter()
                    .find(|one| one["role"].as_str() == Some(role))
            };
            roles.iter().find_map(of)?["rows_used"].as_i64()
        };
        match own {
            Some(samples) => of_sample(samples).unwrap_or_default(),
            None => all.filter_map(of_sample).sum(),
        }
    }

    /// The pairs of a count in each region: within, and half of those across its border with either end in it.
    fn by_region(&self, name: &str, (orders, record): (i64, &Value)) -> Result<Vec<[Pairs; 3]>> {
        let Some(table) = self.regions else {
            return Ok(Vec::new());
        };
        let missing = || format!("no metadata `region_totals` of {name}");
        let totals = table.meta.get("region_totals").with_context(missing)?;
        let totals = &totals[name];
        let near = record["split"]["above"]
            .as_f64()
            .map_or(0, |above| self.bins_below(above));
        let norm = |part: &str, region: usize| -> Result<Vec<f64>> {
            let of = |totals: &Value| totals["weight"][region].as_f64();
            let mut norm = vec![of(&totals[part]).with_context(missing)?; self.bins];
            if let Some(below) = of(&totals[part]["below"]) {
                norm[..near].fill(below);
            }
            Ok(norm)
        };
        let both = orders as f64;
        let rows = region_rows(table, name, self.bins)?.into_iter().enumerate();
        let region = |(k, [within, across]): (usize, [RowSums; 2])| {
            let (inside, border) = (norm("within", k)?, norm("across", k)?);
            Ok([
                self.part(&within, &inside, both, |n| n * orders),
                self.part(&across, &border, both / 2.0, |n| {
                    n * orders - n * orders / 2
                }),
                self.part(&across, &border, both / 2.0, |n| n * orders / 2),
            ])
        };
        rows.map(region).collect()
    }

    fn part(&self, rows: &RowSums, norm: &[f64], times: f64, number: impl Fn(i64) -> i64) -> Pairs {
        let weight = rows.weight.as_ref().map(ExactSums::values);
        Pairs::new(
            self.layout,
            (&rows.npairs, weight.as_deref()),
            norm,
            times,
            number,
        )
    }
}

/// Sums over numbers or weights; NaN where there are none.
fn ratio(sums: &[f64], over: impl Iterator<Item = f64>) -> Vec<f64> {
    sums.iter()
        .zip(over)
        .map(|(sum, over)| sum / over)
        .collect()
}
