//! What is made of all partials beside g(r): S(q) by Fourier's integral or by Debye's sum over the bins, P(r), what neutrons see.
//!
//! Entry: [`StructureFlags`], [`tables`].

use std::path::Path;

use albireo::Edges;
use albireo_catalogs::{ResultKind, Table, TableColumn};
use albireo_fluids::{FormFactor, Normalisation, Partials, StructureFactors, Window};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::json;

use super::scattering::{Given, OfSolvent, Scatterers, Solvent};
use crate::args::mirrors;
use crate::edges::EdgeSpec;
use crate::group;
use crate::paths::WrittenFile;
use crate::record::Record;
use crate::tables::{edge_columns, with_unit};
use crate::usage::{first_given, usage};

/// What g - 1 is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WindowName {
    /// Nothing.
    None,
    /// sin(pi r/R)/(pi r/R), R the last edge.
    Lorch,
    /// cos^2(pi r/2R).
    Hann,
}

mirrors!(WindowName => Window { None, Lorch, Hann });

/// Which structure factors.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::STRUCTURE)]
pub(super) struct StructureFlags {
    /// Write S(q) to this file
    ///
    /// Partials of Faber & Ziman and of Ashcroft & Langreth, for two species those of Bhatia & Thornton, and totals where --scattering is given.
    #[arg(long, value_name = "FILE", requires = "q")]
    pub(super) structure: Option<WrittenFile>,
    /// Compute S(q) at the middles of these bins, 2 pi over the unit of the positions, e.g. lin:0.05:20.05:400
    #[arg(long, value_name = "SPEC", requires = "structure")]
    q: Option<EdgeSpec>,
    /// Window that g - 1 is multiplied by, so that its end does not ring in S(q) [default: none]
    #[arg(long, value_name = "WINDOW", requires = "structure")]
    window: Option<WindowName>,
    /// Compute S(q) by Debye's sum over the pairs in bins; in open space, the scattering in vacuum
    #[arg(long, requires = "structure", conflicts_with = "window")]
    debye: bool,
    /// Scattering lengths of the species (fm, or electrons), e.g. O=5.803,H=-3.739
    ///
    /// `neutron`: those of neutrons, where species are elements (Sears 1992). `x-ray`: form factors of atoms and ions (Waasmaier & Kirfel 1995),
    /// where the unit of length is known.
    #[arg(long, value_name = "SPECIES=LENGTH,..", value_delimiter = ',')]
    scattering: Vec<Given>,
    /// Write P(r), the distribution of distances in bodies of any shape, to this file
    ///
    /// Each pair is weighted by --scattering (else equally); the record has the radius of gyration and the largest distance: small-angle
    /// scattering, which needs no volume.
    #[arg(long, value_name = "FILE")]
    pub(super) p_of_r: Option<WrittenFile>,
    /// Subtract the solvent that the particles displace (Fraser, `MacRae` & Suzuki 1978)
    ///
    /// The scattering of a cubic Angstrom of it (water: 0.334 electrons), and the volume of each species in cubic Angstrom. For --structure by
    /// --debye in open space, and for --p-of-r.
    #[arg(
        long,
        value_name = "DENSITY,SPECIES=VOLUME,..",
        value_delimiter = ',',
        requires = "scattering"
    )]
    solvent: Vec<OfSolvent>,
    /// Write what neutrons measure of g(r): G(r), D(r) and T(r) of Keen (2001), with the lengths of --scattering
    #[arg(long, value_name = "FILE", requires = "scattering")]
    pub(super) total_g: Option<WrittenFile>,
}

impl StructureFlags {
    /// The bins whose middles are the q.
    fn edges(&self) -> Result<Option<Edges>> {
        self.q
            .as_ref()
            .map(|q| q.edges().context("--q"))
            .transpose()
    }

    /// Refuses what could not be made in the end, before the work begins; `excluded` is the flag that leaves pairs out.
    pub(super) fn check(
        &self,
        (names, unit): (&[String], Option<&str>),
        (excluded, in_vacuum): (Option<&str>, bool),
    ) -> Result<()> {
        let edges = self.edges()?;
        let of_all = [
            (self.structure.is_some(), "--structure"),
            (self.p_of_r.is_some(), "--p-of-r"),
        ];
        if let (Some(excluded), Some(flag)) = (excluded, first_given(&of_all)) {
            return Err(usage(format!(
                "{flag} is of all pairs, those within molecules with them: leave out {excluded}, or make {flag} in a run of its own"
            )));
        }
        if in_vacuum && self.structure.is_some() && !self.debye {
            return Err(usage(
                "--structure of particles in open space is made by --debye: Fourier's integral needs their density",
            ));
        }
        if in_vacuum && self.total_g.is_some() {
            return Err(usage(
                "--total-g is of g(r): particles in open space have no density",
            ));
        }
        if !self.scattering.is_empty() && self.given().is_none() {
            return Err(usage(
                "--scattering needs --structure, --p-of-r or --total-g",
            ));
        }
        let scatterers = self.scatterers(names, unit)?;
        self.check_solvent((names, unit), in_vacuum)?;
        let fixed = scatterers
            .as_ref()
            .is_some_and(|all| all.lengths().is_some());
        if self.total_g.is_some() && !fixed {
            return Err(usage(
                "--total-g needs lengths that are the same at every q: --scattering neutron, or SPECIES=LENGTH",
            ));
        }
        let largest = edges.and_then(|edges| edges.values().last().copied());
        match (scatterers, largest) {
            (Some(scatterers), Some(largest)) => scatterers.check(largest),
            _ => Ok(()),
        }
    }

    /// Refuses a solvent of what is not in open space, and volumes that are not of the species.
    fn check_solvent(
        &self,
        (names, unit): (&[String], Option<&str>),
        in_vacuum: bool,
    ) -> Result<()> {
        let in_open_space = in_vacuum && self.debye || self.p_of_r.is_some();
        if !self.solvent.is_empty() && !in_open_space {
            return Err(usage(
                "--solvent is taken off bodies in open space: --structure by --debye there, or --p-of-r",
            ));
        }
        self.solvent(names, unit).map(|_| ())
    }

    /// The first flag of what bins in r alone tell.
    pub(super) fn given(&self) -> Option<&'static str> {
        let structure = self.structure.is_some().then_some("--structure");
        let p_of_r = self.p_of_r.is_some().then_some("--p-of-r");
        let total_g = self.total_g.is_some().then_some("--total-g");
        structure.or(p_of_r).or(total_g)
    }

    /// The solvent that is taken off, if one is.
    fn solvent(&self, names: &[String], unit: Option<&str>) -> Result<Option<Solvent>> {
        Solvent::of(&self.solvent, names, unit)
    }

    /// What each species scatters, if that is given.
    fn scatterers(&self, names: &[String], unit: Option<&str>) -> Result<Option<Scatterers>> {
        Scatterers::of(&self.scattering, names, unit)
    }
}

/// The tables that are asked for, and where they go.
pub(super) fn tables<'a>(
    flags: &'a StructureFlags,
    partials: &Partials,
    named: (&[String], Option<&str>),
    of: (Normalisation, bool),
    record: &Record,
) -> Result<Vec<(&'a Path, Table)>> {
    let factors = structure_factors(flags, partials, named, of, record.clone())?;
    let distances = distances(flags, partials, named, record.clone())?;
    let totals = totals(flags, partials, named, of.0, record.clone())?;
    let factors = flags.structure.as_deref().zip(factors);
    let distances = flags.p_of_r.as_deref().zip(distances);
    let totals = flags.total_g.as_deref().zip(totals);
    Ok(factors.into_iter().chain(distances).chain(totals).collect())
}

/// The structure factors, if they are asked for.
fn structure_factors(
    flags: &StructureFlags,
    partials: &Partials,
    (names, unit): (&[String], Option<&str>),
    (norm, in_vacuum): (Normalisation, bool),
    mut record: Record,
) -> Result<Option<Table>> {
    let (Some(_), Some(edges)) = (&flags.structure, flags.edges()?) else {
        return Ok(None);
    };
    let scatterers = flags.scatterers(names, unit)?;
    let (lo, hi) = (edges.values(), &edges.values()[1..]);
    let q: Vec<f64> = lo
        .iter()
        .zip(hi)
        .map(|(&lo, &hi)| f64::midpoint(lo, hi))
        .collect();
    let per_length = unit.map(|unit| format!("1/{unit}"));
    let at = [
        ("lo", lo[..q.len()].to_vec()),
        ("hi", hi.to_vec()),
        ("centre", q.clone()),
    ];
    let mut columns: Vec<TableColumn> = at
        .into_iter()
        .map(|(name, values)| {
            let column = TableColumn::floats(
                name,
                format!("q: {name} of the bin; S is that of its centre"),
                values,
            );
            with_unit(column, per_length.clone())
        })
        .collect();
    let method = if flags.debye { "Debye" } else { "Fourier" };
    if flags.debye && in_vacuum {
        let all = scatterers.unwrap_or_else(|| Scatterers::Lengths(vec![1.0; names.len()]));
        let sums = partials.debye(&q, None)?;
        let solvent = flags.solvent(names, unit)?;
        let at = |species, q| all.in_solvent(solvent.as_ref(), species, q);
        let intensity = with_form_factors(at, names, |factors| sums.intensity(factors))?;
        let place = match &solvent {
            None => "in vacuum",
            Some(solvent) => {
                record.set("solvent", solvent.record(names));
                "less the solvent that it displaces"
            }
        };
        let what = format!(
            "intensity of one frame {place}, in squares of the scattering lengths (of X-rays, of electrons)"
        );
        record.set("scattering", all.name());
        columns.push(TableColumn::floats("I", what, intensity));
    } else if in_vacuum {
        bail!("S(q) of particles in open space is made by --debye");
    } else {
        let factors = if flags.debye {
            partials.debye(&q, Some(norm))?.structure_factors()?
        } else {
            let window = flags.window.map_or(Window::None, Window::from);
            record.set("window", window.name());
            partials.structure_factors(&q, window, norm)?
        };
        columns.extend(of_factors(&factors, names, scatterers.as_ref())?);
        if let Some(scatterers) = &scatterers {
            record.set("scattering", scatterers.name());
        }
    }
    record.set("structure_factor", method);
    record.set("edges", json!({"q": edges.values()}));
    Ok(Some(record.table(ResultKind::StructureFactor, columns)))
}

/// P(r), if it is asked for.
fn distances(
    flags: &StructureFlags,
    partials: &Partials,
    (names, unit): (&[String], Option<&str>),
    mut record: Record,
) -> Result<Option<Table>> {
    if flags.p_of_r.is_none() {
        return Ok(None);
    }
    let (scatterers, solvent) = (flags.scatterers(names, unit)?, flags.solvent(names, unit)?);
    let length = |species| match &scatterers {
        None => 1.0,
        Some(all) => all.in_solvent(solvent.as_ref(), species, 0.0),
    };
    let lengths: Vec<f64> = (0..names.len()).map(length).collect();
    if let Some(solvent) = &solvent {
        record.set("solvent", solvent.record(names));
    }
    let of = partials
        .distance_distribution(&lengths)
        .context("--p-of-r")?;
    let mut columns = edge_columns(&partials.binning().axes(), unit);
    let per_length = unit.map(|unit| format!("1/{unit}"));
    let p = TableColumn::floats("P", "distribution of distances, its integral is 1", of.p);
    columns.push(with_unit(p, per_length));
    record.set_axes("r", &partials.binning().axes());
    record.set("radius_of_gyration", of.radius_of_gyration);
    record.set("largest_distance", of.largest);
    record.set("scattering_lengths", json!(lengths));
    Ok(Some(record.table(ResultKind::Distances, columns)))
}

/// What neutrons see of g(r), if it is asked for.
fn totals(
    flags: &StructureFlags,
    partials: &Partials,
    (names, unit): (&[String], Option<&str>),
    norm: Normalisation,
    mut record: Record,
) -> Result<Option<Table>> {
    let scatterers = flags.scatterers(names, unit)?;
    let lengths = scatterers.as_ref().and_then(Scatterers::lengths);
    let (Some(_), Some(lengths)) = (&flags.total_g, lengths) else {
        return Ok(None);
    };
    let of = partials.neutron(lengths, norm).context("--total-g")?;
    let axes = partials.binning().axes();
    let mut columns = edge_columns(&axes, unit);
    for (name, what, values) in [
        ("G", "total pair distribution function G(r)", of.g),
        (
            "D",
            "differential correlation function D(r) = 4 pi r rho G(r)",
            of.d,
        ),
        ("T", "total correlation function T(r)", of.t),
    ] {
        let what = format!("{what} of Keen (2001), lengths squared (D, T: over an area)");
        columns.push(TableColumn::floats(name, what, values));
    }
    record.set_axes("r", &axes);
    record.set("scattering_lengths", json!(lengths));
    Ok(Some(record.table(ResultKind::NeutronFunctions, columns)))
}

/// Makes something of what each species scatters as a function of q.
fn with_form_factors<T, E>(
    at: impl Fn(usize, f64) -> f64,
    names: &[String],
    make: impl FnOnce(&[FormFactor<'_>]) -> Result<T, E>,
) -> Result<T, E> {
    let at = &at;
    let each = (0..names.len()).map(|species| move |q: f64| at(species, q));
    let each: Vec<_> = each.collect();
    let factors: Vec<FormFactor<'_>> = each.iter().map(|f| f as FormFactor<'_>).collect();
    make(&factors)
}

/// Partials, and totals where it is given what species scatter.
fn of_factors(
    factors: &StructureFactors,
    names: &[String],
    scatterers: Option<&Scatterers>,
) -> Result<Vec<TableColumn>> {
    let mut columns = Vec::new();
    let pairs = factors.species().pairs().to_vec();
    let named = |[a, b]: [usize; 2]| format!("{}-{}", names[a], names[b]);
    for &pair in &pairs {
        let of = named(pair);
        let values = factors.faber_ziman(pair)?.to_vec();
        columns.push(TableColumn::floats(
            format!("S_{of}"),
            format!("partial structure factor of {of}, Faber & Ziman"),
            values,
        ));
    }
    for &pair in &pairs {
        let of = named(pair);
        columns.push(TableColumn::floats(
            format!("SAL_{of}"),
            format!("partial structure factor of {of}, Ashcroft & Langreth"),
            factors.ashcroft_langreth(pair)?,
        ));
    }
    if names.len() == 2 {
        let of = factors.bhatia_thornton()?;
        for (name, what, values) in [
            ("S_NN", "number density", of.nn),
            ("S_NC", "number density and composition", of.nc),
            ("S_CC", "composition", of.cc),
        ] {
            columns.push(TableColumn::floats(
                name,
                format!("structure factor of {what}, Bhatia & Thornton"),
                values,
            ));
        }
    }
    if let Some(scatterers) = scatterers {
        let at = |species, q| scatterers.at(species, q);
        let totals = with_form_factors(at, names, |all| factors.xray(all))?;
        columns.push(TableColumn::floats(
            "F",
            "total-scattering structure factor F(Q) of Keen (2001), squares of the lengths (of X-rays, of electrons)",
            totals.f,
        ));
        columns.push(TableColumn::floats(
            "S",
            "total structure factor S(Q) of Keen (2001)",
            totals.s,
        ));
        if matches!(scatterers, Scatterers::Atoms(..)) {
            columns.push(TableColumn::floats(
                "self",
                "self-scattering per particle, which F(Q) is without",
                totals.own,
            ));
        }
    }
    Ok(columns)
}
