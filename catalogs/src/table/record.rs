//! What a result table says of itself in its metadata.
//!
//! Entry: [`Table::kind`], [`Table::edges`], [`Table::is_approximate`], [`Table::partial`]. It reads the keys `result`, `edges`, `arithmetic` and
//! `partial`, and knows
//! nothing of how such a result is made.

use serde_json::Value;

use super::Table;
use super::error::TableError;

/// What a result is, as the metadata `result` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultKind {
    /// Pairs per bin.
    Counts,
    /// xi in the bins of the counts.
    Correlation,
    /// wp(rp).
    Projected,
    /// Multipoles of xi(s, mu).
    Multipoles,
    /// Means of xi(s, mu) over ranges of mu.
    Wedges,
    /// What formulas with names make of counts, a column each.
    Formulas,
    /// Multipoles of the survey window.
    Window,
    /// g(r) and n(r).
    Rdf,
    /// S(q).
    StructureFactor,
    /// P(r).
    Distances,
    /// G(r), D(r) and T(r): what neutrons see of g(r).
    NeutronFunctions,
    /// The covariance of estimates, a row for each two bins.
    Covariance,
    /// Pairs per region and bin.
    RegionCounts,
    /// Pairs within and between shells of distance, for each two shells and bin.
    ShellCounts,
    /// Sums in k over the pairs of each bin.
    Modes,
    /// Particles with their regions, a row for each.
    Regions,
    /// Sums of weights outside each region.
    RegionSums,
    /// Random points, a row for each.
    Randoms,
    /// A potential or a density on a grid or at points.
    Field,
    /// Energies, temperature and pressure of a simulation, a row for each moment.
    Thermodynamics,
    /// n(z).
    NumberDensity,
    /// Objects with their FKP weights, a row for each.
    FkpWeights,
    /// What a survey observed of the objects of each class.
    Completeness,
}

impl ResultKind {
    const ALL: [Self; 23] = [
        Self::Counts,
        Self::Correlation,
        Self::Projected,
        Self::Multipoles,
        Self::Wedges,
        Self::Formulas,
        Self::Window,
        Self::Rdf,
        Self::StructureFactor,
        Self::Distances,
        Self::NeutronFunctions,
        Self::Covariance,
        Self::RegionCounts,
        Self::ShellCounts,
        Self::Modes,
        Self::Regions,
        Self::RegionSums,
        Self::Randoms,
        Self::Field,
        Self::Thermodynamics,
        Self::NumberDensity,
        Self::FkpWeights,
        Self::Completeness,
    ];

    /// The name in a sentence: with an article where it is one thing that is counted.
    pub fn phrase(self) -> String {
        match self {
            Self::Counts
            | Self::Multipoles
            | Self::Wedges
            | Self::Formulas
            | Self::Window
            | Self::NeutronFunctions
            | Self::RegionCounts
            | Self::ShellCounts
            | Self::Modes
            | Self::RegionSums
            | Self::Thermodynamics
            | Self::FkpWeights
            | Self::Completeness => self.name().to_owned(),
            _ => format!("a {}", self.name()),
        }
    }

    /// As the metadata names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counts => "pair counts",
            Self::Correlation => "correlation function",
            Self::Projected => "projected correlation function",
            Self::Multipoles => "multipoles",
            Self::Wedges => "wedges",
            Self::Formulas => "values of formulas",
            Self::Window => "window multipoles",
            Self::Rdf => "radial distribution function",
            Self::StructureFactor => "structure factor",
            Self::Distances => "distribution of distances",
            Self::NeutronFunctions => "neutron correlation functions",
            Self::Covariance => "covariance",
            Self::RegionCounts => "pair counts by region",
            Self::ShellCounts => "pair counts by shell",
            Self::Modes => "sums in k over pairs",
            Self::Regions => "catalogue by region",
            Self::RegionSums => "weights without each region",
            Self::Randoms => "random catalogue",
            Self::Field => "field",
            Self::Thermodynamics => "thermodynamics",
            Self::NumberDensity => "number density",
            Self::FkpWeights => "FKP weights",
            Self::Completeness => "completeness by class",
        }
    }
}

fn unfit(detail: impl Into<String>) -> TableError {
    TableError::Refused(detail.into())
}

impl Table {
    /// What kind of result it is.
    ///
    /// ```
    /// use albireo_catalogs::{ResultKind, Table};
    /// let mut table = Table::default();
    /// assert!(table.kind().is_err());
    /// table.meta.insert("result".to_owned(), ResultKind::Rdf.name().into());
    /// assert_eq!(table.kind()?, ResultKind::Rdf);
    /// # Ok::<(), albireo_catalogs::TableError>(())
    /// ```
    ///
    /// # Errors
    /// [`TableError::Refused`] where the metadata name no kind, or an unknown one.
    pub fn kind(&self) -> Result<ResultKind, TableError> {
        let name = self.meta.get("result").and_then(Value::as_str);
        let name = name
            .ok_or_else(|| unfit("it has no metadata `result`: it was not written by albireo"))?;
        let kind = ResultKind::ALL.into_iter().find(|kind| kind.name() == name);
        kind.ok_or_else(|| {
            unfit(format!(
                "its metadata `result` is `{name}`, which this version does not know"
            ))
        })
    }

    /// The axes its rows run over, by name, with at least two edges each; the last varies fastest.
    ///
    /// # Errors
    /// [`TableError::Refused`] where the metadata have none, or one that is no list of numbers.
    pub fn edges(&self) -> Result<Vec<(String, Vec<f64>)>, TableError> {
        let axes = self.meta.get("edges").and_then(Value::as_object);
        let axes = axes.ok_or_else(|| unfit("the result has no metadata `edges`"))?;
        let numbers = |values: &Value| -> Option<Vec<f64>> {
            let values = values.as_array()?.iter().map(Value::as_f64);
            values
                .collect::<Option<Vec<f64>>>()
                .filter(|v| v.len() >= 2)
        };
        axes.iter()
            .map(|(name, values)| {
                let edges = numbers(values).ok_or_else(|| {
                    unfit(format!(
                        "the metadata `edges` of axis `{name}` should be a list of numbers"
                    ))
                })?;
                Ok((name.clone(), edges))
            })
            .collect()
    }

    /// Which shares of their pairs its counts hold, where some are missing: `DD 3 of 7 units, RR 2 of 7 units`.
    ///
    /// ```
    /// let mut table = albireo_catalogs::Table::default();
    /// assert_eq!(table.partial(), None);
    /// table.meta.insert("partial".to_owned(), serde_json::json!({"DD": "3 of 7 units"}));
    /// assert_eq!(table.partial().as_deref(), Some("DD 3 of 7 units"));
    /// ```
    #[must_use]
    pub fn partial(&self) -> Option<String> {
        let counts = self.meta.get("partial")?.as_object()?.iter();
        let shares = counts.map(|(name, share)| match share {
            Value::String(share) => format!("{name} {share}"),
            other => format!("{name} {other}"),
        });
        let shares: Vec<String> = shares.collect();
        (!shares.is_empty()).then(|| shares.join(", "))
    }

    /// Refuses a result that holds a part of its pairs only.
    ///
    /// # Errors
    /// [`TableError::Refused`], which says which share of which count is there.
    pub fn check_whole(&self) -> Result<(), TableError> {
        match self.partial() {
            None => Ok(()),
            Some(partial) => Err(unfit(format!(
                "it is partial ({partial}): all of its pairs are needed, which `albireo merge` takes from all parts"
            ))),
        }
    }

    /// Whether its counts are marked as approximate.
    pub fn is_approximate(&self) -> bool {
        self.meta.get("arithmetic").and_then(Value::as_str) == Some("approximate")
    }
}
