//! Sums of expressions over the pairs of frames, and what follows from them: `--pair-sum` of `rdf`.
//!
//! Entry: [`SumFlags::read`], then [`FrameSums::columns`] of each pair of species.

use albireo_catalogs::TableColumn;
use albireo_fluids::{ForceRdf, Normalisation, Partials, even_blocks, scatter_of_blocks};
use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::{Value, json};

use super::named::Named;
use crate::group;
use crate::pair_sums::{PairSumFlags, Summed};
use crate::usage::usage;

/// What is summed over the pairs of frames.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::PAIR_SUMS)]
pub(super) struct SumFlags {
    #[command(flatten)]
    pub(super) pair_sums: PairSumFlags,
    /// Temperature times Boltzmann's constant, in the unit of the forces times that of length: for --pair-sum 'force-rdf(fx,fy,fz)'
    #[arg(
        long,
        value_name = "KT",
        requires = "pair_sum",
        allow_negative_numbers = true
    )]
    pub(super) kt: Option<f64>,
}

/// Columns that `rdf` has anyway or makes of forms.
const TAKEN: [&str; 11] = [
    "g",
    "n",
    "w",
    "G",
    "h110",
    "h112",
    "kirkwood",
    "force_g",
    "force_g_error",
    "force_g_zero",
    "force_g_infinity",
];

/// The sums of a run.
#[derive(Debug, Clone)]
pub(super) struct FrameSums {
    pub(super) summed: Summed,
    kt: Option<f64>,
}

/// What rules out g(r) from forces: bins that are none in r, or a space that cuts them.
pub(super) struct Ruled<'a> {
    pub(super) flag: Option<&'a str>,
    /// The first edge.
    pub(super) first: f64,
}

impl SumFlags {
    /// Refuses names of columns, and temperatures that are none or are missing.
    fn check(&self, summed: &Summed) -> Result<()> {
        // g_A-B is what figures show.
        let is_taken = |name: &str| TAKEN.contains(&name) || name.starts_with("g_");
        let mut names = summed.named_texts();
        if let Some((name, _)) = names.find(|(name, _)| is_taken(name)) {
            return Err(usage(format!(
                "--pair-sum {name}: results of rdf have a column {name} anyway: choose another name"
            )));
        }
        let forces = summed.forms().iter().any(|form| form.form == FORCES);
        match self.kt {
            Some(kt) if !(kt > 0.0 && kt.is_finite()) => Err(usage(format!(
                "--kt must be positive and finite, found {kt}"
            ))),
            None if forces => Err(usage(
                "--pair-sum force-rdf(..) needs the temperature: --kt KT, times Boltzmann's constant, in the unit of the forces times that of length",
            )),
            Some(_) if !forces => Err(usage("--kt is for --pair-sum 'force-rdf(fx,fy,fz)'")),
            _ => Ok(()),
        }
    }

    /// The sums that are asked for, if there are any; `width` tells how many components a column has.
    pub(super) fn read(&self, width: &dyn Fn(&str) -> usize) -> Result<Option<FrameSums>> {
        let Some(summed) = self.pair_sums.read_with(width)? else {
            return Ok(None);
        };
        self.check(&summed)?;
        let kt = self.kt;
        Ok(Some(FrameSums { summed, kt }))
    }
}

const FORCES: &str = "force-rdf";
const DIPOLES: &str = "dipole";

/// All frames, and blocks of them where there are several.
pub(super) struct Of<'a> {
    pub(super) partials: &'a Partials,
    pub(super) blocks: &'a [Partials],
    pub(super) pair: [usize; 2],
    pub(super) named: &'a Named<'a>,
}

/// A number in each bin, with its share in the mean over blocks.
type WithShares = Result<(Vec<f64>, Vec<f64>), albireo::error::EstimatorError>;

impl Of<'_> {
    /// A column, and that of its error from blocks.
    fn with_error(
        &self,
        (name, described): (&str, &str),
        of: impl Fn(&Partials) -> WithShares,
    ) -> Result<Vec<TableColumn>> {
        let pair = self.named.pair(self.pair);
        let column = |name: &str, described: String, values| {
            TableColumn::floats(self.named.column(name, self.pair), described, values)
        };
        let values = of(self.partials)?.0;
        let mut columns = vec![column(name, format!("{described} of {pair}"), values)];
        if let Some(errors) = scatter_of_blocks(self.blocks, of)? {
            let described = format!(
                "standard error of {name} of {pair} from the scatter of {} blocks",
                self.blocks.len()
            );
            columns.push(column(&format!("{name}_block_error"), described, errors));
        }
        Ok(columns)
    }
}

impl FrameSums {
    /// Refuses g(r) from forces where it has no meaning.
    pub(super) fn check_bins(&self, ruled: &Ruled<'_>) -> Result<()> {
        if !self.summed.forms().iter().any(|form| form.form == FORCES) {
            return Ok(());
        }
        match ruled.flag {
            Some(flag) => Err(usage(format!(
                "--pair-sum force-rdf(..) has no meaning with {flag}: it is of shells in space without walls, up to half the box"
            ))),
            None if ruled.first == 0.0 => Err(usage(
                "--pair-sum force-rdf(..) divides by r^2: begin the bins above 0, where no pair is, e.g. --r-min 0.5",
            )),
            None => Ok(()),
        }
    }

    /// Blocks of frames for errors.
    pub(super) fn blocks(each: &[Partials], number: usize) -> Result<Vec<Partials>> {
        let blocks = even_blocks(each, number)?;
        Ok(if blocks.len() < 2 { vec![] } else { blocks })
    }

    /// What a record says of the sums; `roundings` are how far a pair may move each.
    pub(super) fn record(&self, roundings: &[f64]) -> Value {
        let all = self.summed.named_texts().zip(roundings);
        let sum = |((name, text), rounding): ((&str, &str), &f64)| json!({ "name": name, "expression": text, "bound_of_pair": rounding });
        all.map(sum).collect()
    }

    /// kT, if it was given.
    pub(super) fn kt(&self) -> Option<f64> {
        self.kt
    }

    /// The columns of one pair of species.
    pub(super) fn columns(&self, of: &Of<'_>) -> Result<Vec<TableColumn>> {
        let (pair, named) = (of.pair, of.named);
        let between = named.pair(pair);
        let mut columns = vec![];
        for (at, (name, text)) in self.summed.named_texts().enumerate() {
            columns.push(TableColumn::floats(
                named.column(name, pair),
                format!("sum of {text} over the pairs of {between}"),
                of.partials.pair_sum(pair, at)?,
            ));
            let mean =
                |part: &Partials| Ok((part.pair_sum_mean(pair, at)?, part.pair_weights(pair)?));
            let described = format!("{name} over the pairs");
            let mean_name = format!("{name}_mean");
            columns.extend(of.with_error((&mean_name, &described), mean)?);
        }
        columns.extend(self.following(of)?);
        Ok(columns)
    }

    /// The columns that follow from the sums of forms.
    pub(super) fn following(&self, of: &Of<'_>) -> Result<Vec<TableColumn>> {
        let (pair, named) = (of.pair, of.named);
        let place = |name: &str| {
            let place = self.summed.place(name);
            place.ok_or_else(|| anyhow!("--pair-sum {name}: this sum was not made"))
        };
        let sum = |name: &str| Ok(of.partials.pair_sum(pair, place(name)?)?);
        let weights = of.partials.pair_weights(pair)?;
        let name_of = |name: &str| named.column(name, pair);
        let mut columns = self.summed.derived_of(weights, sum, name_of)?;
        for form in self.summed.forms() {
            let prefix = form
                .name
                .as_ref()
                .map_or(String::new(), |name| format!("{name}_"));
            let places: Vec<usize> = form
                .sums
                .iter()
                .map(|name| place(name))
                .collect::<Result<_>>()?;
            match (form.form, &places[..], self.kt) {
                (DIPOLES, &[s, s2], _) => columns.extend(dipoles(of, &prefix, [s, s2])?),
                (FORCES, &[at], Some(kt)) => columns.extend(forces(of, &prefix, (at, kt))?),
                _ => {}
            }
        }
        Ok(columns)
    }
}

/// h110, h112 and, of like species, the Kirkwood factor.
fn dipoles(of: &Of<'_>, prefix: &str, [s, s2]: [usize; 2]) -> Result<Vec<TableColumn>> {
    let pair = of.pair;
    let mut columns = vec![];
    let coefficients = [
        (
            "h110",
            (3.0, s),
            "coefficient of u1.u2 in the pair distribution",
        ),
        (
            "h112",
            (1.5, s2),
            "coefficient of 3 (u1.r)(u2.r) - u1.u2 in the pair distribution",
        ),
    ];
    for (name, times, described) in coefficients {
        let of_part = |part: &Partials| {
            let shares = part.ideal_pairs(pair, Normalisation::Pairs)?;
            Ok((part.orientation(pair, times)?, shares))
        };
        columns.extend(of.with_error((&format!("{prefix}{name}"), described), of_part)?);
    }
    if pair[0] == pair[1] {
        let of_part = |part: &Partials| {
            let factor = part.kirkwood_factor(pair[0], s)?;
            let shares = vec![part.weight(); factor.len()];
            Ok((factor, shares))
        };
        let described = "Kirkwood factor 1 + 2 sum S/N up to hi";
        columns.extend(of.with_error((&format!("{prefix}kirkwood"), described), of_part)?);
    }
    Ok(columns)
}

/// g(r) at upper edges from forces.
fn forces(of: &Of<'_>, prefix: &str, (at, kt): (usize, f64)) -> Result<Vec<TableColumn>> {
    let between = of.named.pair(of.pair);
    if of.blocks.is_empty() {
        tracing::warn!(
            "force_g of {between} combines two estimates by the scatter of blocks of frames, and there are less than two: it is nan"
        );
    }
    if of.partials.npairs(of.pair)?.first().is_some_and(|&n| n > 0) {
        tracing::warn!(
            "force_g_zero of {between}: pairs lie in the first bin; it is right if none is closer than its lower edge"
        );
    }
    let made = ForceRdf::of(of.partials, of.blocks, of.pair, (at, kt))?;
    let column = |name: &str, described: &str, values| {
        let name = of.named.column(&format!("{prefix}{name}"), of.pair);
        TableColumn::floats(name, format!("{described} (g of {between} at hi)"), values)
    };
    let mut columns = vec![column(
        "force_g",
        "radial distribution function from forces, both sums combined",
        made.combined,
    )];
    if let Some(errors) = made.error {
        let described = format!(
            "standard error of force_g from the scatter of {} blocks",
            of.blocks.len()
        );
        columns.push(column("force_g_error", &described, errors));
    }
    columns.push(column(
        "force_g_zero",
        "from forces of pairs below hi",
        made.zero,
    ));
    columns.push(column(
        "force_g_infinity",
        "from forces of pairs above hi",
        made.infinity,
    ));
    Ok(columns)
}
