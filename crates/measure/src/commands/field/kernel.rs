//! What a source adds: the flags of kernels, the term and the unit that they name.
//!
//! Entry: [`KernelFlags`]. It sees no files but that of a table.

mod values;

use albireo_fields::{Cutoff, Mixing, Targets, Term};
use albireo_samples::Unit as Length;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::group;
use crate::paths::ReadFile;
use crate::usage::usage;

use values::read_table;

/// What a source adds.
#[derive(Debug, Args)]
#[command(next_help_heading = group::KERNEL)]
pub(super) struct KernelFlags {
    /// Function of the distance r that a source adds
    #[arg(long, value_name = "NAME", default_value = "coulomb")]
    pub(super) kernel: KernelName,
    /// Distance where the kernel ends, e.g. 12; `none`: all sources
    ///
    /// Of coulomb, gravity, ewald, lj and gaussian, in the unit of the positions; `none` for coulomb and gravity in open space [default for
    /// gaussian: 6 sigma].
    #[arg(long, value_name = "RC", value_parser = cutoff)]
    cutoff: Option<Ends>,
    /// How coulomb and gravity end
    #[arg(long, value_name = "NAME")]
    ending: Option<EndingName>,
    /// Radius of top-hat and spline, sigma of gaussian
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    radius: Option<f64>,
    /// Alpha of ewald, erfc(alpha r)/r, in inverse lengths
    #[arg(long, value_name = "ALPHA", allow_hyphen_values = true)]
    alpha: Option<f64>,
    /// Cells of cic and tsc, or along each axis [default: those of the grid]
    #[arg(
        long,
        value_name = "W",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    cell: Vec<f64>,
    /// Values of kernel table: a file of lines `r value`, r in equal steps
    #[arg(long, value_name = "FILE")]
    pub(super) values: Option<ReadFile>,
    /// Epsilon of the sources of lj: a number, or a column
    #[arg(long, value_name = "EPSILON")]
    pub(super) epsilon: Option<String>,
    /// Sigma of the sources of lj: a number, or a column
    #[arg(long, value_name = "SIGMA")]
    pub(super) sigma: Option<String>,
    /// Epsilon and sigma of the probe of lj
    #[arg(long, value_name = "EPSILON,SIGMA", value_delimiter = ',')]
    probe: Vec<f64>,
    /// Combining rule for epsilon and sigma of probe and source [default: lorentz-berthelot]
    #[arg(long, value_name = "RULE")]
    mixing: Option<MixingName>,
    /// Smallest distance, below which the kernel is constant; such pairs are reported
    ///
    /// Of coulomb, gravity, ewald (default 0.1) and lj (no default: e.g. 0.7 sigma).
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    r_min: Option<f64>,
    /// Unit of a coulomb potential of elementary charges [default: q/r itself]
    ///
    /// Lengths that state no unit are assumed to be Angstrom; the default is e over the unit of length.
    #[arg(long, value_name = "UNIT")]
    units: Option<UnitName>,
    /// Temperature of kT, in kelvin [default: 300]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    temperature: Option<f64>,
}

/// Kernels, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum KernelName {
    /// The potential q s(r)/r of charges.
    Coulomb,
    /// The real part q erfc(alpha r)/r of an Ewald sum of charges.
    Ewald,
    /// The Lennard-Jones energy of a --probe.
    Lj,
    /// The potential -m s(r)/r of masses, G = 1.
    Gravity,
    /// The mean density in spheres of --radius.
    TopHat,
    /// The density by the cubic spline of SPH that ends at --radius.
    Spline,
    /// The density of Gaussian clouds whose sigma is --radius.
    Gaussian,
    /// The density by clouds in cells.
    Cic,
    /// The density by triangular-shaped clouds.
    Tsc,
    /// Strength times a function of r, by --values.
    Table,
}

/// How potentials end, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EndingName {
    /// s(r) = (1 - r^2/rc^2)^2: the default.
    Smooth,
    /// s(r) = 1 below the cutoff.
    Sharp,
}

/// Combining rules, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MixingName {
    /// Arithmetic mean of sigma, geometric mean of epsilon.
    LorentzBerthelot,
    /// Geometric means of both.
    Geometric,
}

/// Units of a potential, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnitName {
    /// Elementary charges over Angstrom.
    #[value(name = "e/A")]
    ChargePerLength,
    /// kT over the elementary charge.
    #[value(name = "kT/e")]
    Thermal,
    /// Volts.
    #[value(name = "V")]
    Volt,
    /// kcal/mol over the elementary charge.
    #[value(name = "kcal/mol/e")]
    Kilocalorie,
}

/// Where potentials end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ends {
    Never,
    At(f64),
}

fn cutoff(text: &str) -> Result<Ends, String> {
    if text == "none" {
        return Ok(Ends::Never);
    }
    let expected = || format!("expected a positive length or `none`, found `{text}`");
    let length = text
        .parse()
        .ok()
        .filter(|length: &f64| *length > 0.0 && length.is_finite());
    length.map(Ends::At).ok_or_else(expected)
}

/// Coulomb's constant in volts times Angstrom over the elementary charge (CODATA 2018).
const VOLTS: f64 = 14.399_645_48;
/// The same in kcal times Angstrom over mol and the elementary charge squared.
const KILOCALORIES: f64 = 332.063_71;
/// Boltzmann's constant in electronvolts a kelvin (CODATA 2018).
const BOLTZMANN: f64 = 8.617_333_262e-5;
/// The default temperature, kelvin.
const TEMPERATURE: f64 = 300.0;
/// The default least distance.
const R_MIN: f64 = 0.1;
/// Where Gaussians end, in sigmas: 7.5e-8 of a source lie beyond.
const GAUSSIAN_REACH: f64 = 6.0;

/// What values are multiplied by on output, and the name of what they are then.
pub(super) struct Unit {
    pub(super) name: String,
    pub(super) factor: f64,
    /// What the values are, and the unit of length, for pictures.
    #[cfg(feature = "plot")]
    pub(super) quantity: &'static str,
    #[cfg(feature = "plot")]
    pub(super) length: Option<String>,
}

/// A term, or one that needs to know the grid.
pub(super) enum Asked {
    Term(Term),
    Cells(fn([f64; 3]) -> Result<Term, albireo_fields::FieldError>),
}

impl Asked {
    /// The term on these targets.
    pub(super) fn on(self, targets: &Targets) -> Result<Term> {
        let of_cells = match self {
            Self::Term(term) => return Ok(term),
            Self::Cells(of_cells) => of_cells,
        };
        let steps = match targets {
            Targets::Grid(grid) => grid.spacing(),
            Targets::Points(_) => None,
        };
        let steps = steps.ok_or_else(|| {
            usage("--cell: cic and tsc need the widths of their cells where there is no grid along the axes")
        })?;
        of_cells(steps.map(f64::abs)).context("the field")
    }
}

impl KernelFlags {
    /// Whether sources need charges.
    pub(super) fn needs_charges(&self) -> bool {
        matches!(self.kernel, KernelName::Coulomb | KernelName::Ewald)
    }

    /// A term by the name of its kernel: that of gravity is one of masses for charges.
    pub(super) fn described(&self, term: &Term) -> String {
        match self.kernel {
            KernelName::Gravity => term.describe().replacen("coulomb", "gravity", 1),
            _ => term.describe(),
        }
    }

    /// Refuses flags of other kernels than the one named.
    fn check(&self) -> Result<()> {
        use KernelName::{Cic, Coulomb, Ewald, Gaussian, Gravity, Lj, Spline, TopHat, Tsc};
        let kernel = self.kernel;
        let only = |given: bool, flag: &str, kernels: &[KernelName], told: &str| {
            if given && !kernels.contains(&kernel) {
                return Err(usage(format!("{flag} for {told}")));
            }
            Ok(())
        };
        let spheres = [TopHat, Spline, Gaussian];
        let potentials = [Coulomb, Gravity, Ewald, Lj];
        only(
            self.radius.is_some(),
            "--radius is",
            &spheres,
            "top-hat, spline and gaussian",
        )?;
        let ending = [Coulomb, Gravity, Ewald, Lj, Gaussian];
        only(
            self.cutoff.is_some(),
            "--cutoff is",
            &ending,
            "potentials and gaussian",
        )?;
        only(
            self.r_min.is_some(),
            "--r-min is",
            &potentials,
            "potentials",
        )?;
        only(
            self.ending.is_some(),
            "--ending is",
            &[Coulomb, Gravity],
            "coulomb and gravity",
        )?;
        only(self.alpha.is_some(), "--alpha is", &[Ewald], "ewald")?;
        only(
            !self.cell.is_empty(),
            "--cell is",
            &[Cic, Tsc],
            "cic and tsc",
        )?;
        only(
            self.values.is_some(),
            "--values is",
            &[KernelName::Table],
            "kernel table",
        )?;
        let given = self.epsilon.is_some() || self.sigma.is_some() || !self.probe.is_empty();
        let given = given || self.mixing.is_some();
        only(
            given,
            "--epsilon, --sigma, --probe and --mixing are",
            &[Lj],
            "lj",
        )?;
        let units = self.units.is_some() || self.temperature.is_some();
        let told = "coulomb and ewald potentials";
        only(
            units,
            "--units and --temperature are",
            &[Coulomb, Ewald],
            told,
        )?;
        if self.temperature.is_some() && self.units != Some(UnitName::Thermal) {
            return Err(usage("--temperature is for --units kT/e"));
        }
        Ok(())
    }

    /// The term, as far as it does not depend on the grid.
    pub(super) fn term(&self) -> Result<Asked> {
        self.check()?;
        let term = match self.kernel {
            KernelName::Coulomb | KernelName::Gravity => self.coulomb()?,
            KernelName::Ewald => {
                let alpha = self
                    .alpha
                    .ok_or_else(|| usage("--alpha: ewald needs one"))?;
                let r_min = self.r_min.unwrap_or(R_MIN);
                Term::ewald(alpha, self.end("ewald")?, r_min)
                    .map_err(|error| usage(format!("--alpha, --cutoff, --r-min: {error}")))?
            }
            KernelName::Lj => {
                let told = "--r-min: lj needs one, e.g. 0.7 sigma: nearer, energies keep their value, and all are held to 2^-50 of it";
                let r_min = self.r_min.ok_or_else(|| usage(told))?;
                Term::lennard_jones(self.end("lj")?, r_min)
                    .map_err(|error| usage(format!("--cutoff, --r-min: {error}")))?
            }
            KernelName::TopHat | KernelName::Spline | KernelName::Gaussian => self.sphere()?,
            KernelName::Cic => return self.cells(Term::cloud_in_cell),
            KernelName::Tsc => return self.cells(Term::triangular_cloud),
            KernelName::Table => {
                let path = self.values.as_ref();
                let path = path.ok_or_else(|| usage("--values: name the file of the values"))?;
                Term::table(read_table(path)?)
            }
        };
        Ok(Asked::Term(term))
    }

    /// The cutoff of a kernel that needs one.
    fn end(&self, kernel: &str) -> Result<f64> {
        match self.cutoff {
            Some(Ends::At(rc)) => Ok(rc),
            _ => Err(usage(format!("--cutoff: {kernel} needs a length, e.g. 12"))),
        }
    }

    fn coulomb(&self) -> Result<Term> {
        let ends = self.cutoff.ok_or_else(|| {
            usage("--cutoff: coulomb and gravity need one, e.g. 12, or `none` for all sources")
        })?;
        let cutoff = match (ends, self.ending) {
            (Ends::Never, _) => Cutoff::None,
            (Ends::At(rc), None | Some(EndingName::Smooth)) => Cutoff::Smooth(rc),
            (Ends::At(rc), Some(EndingName::Sharp)) => Cutoff::Sharp(rc),
        };
        Term::coulomb(cutoff, self.r_min.unwrap_or(R_MIN))
            .map_err(|error| usage(format!("--cutoff, --r-min: {error}")))
    }

    fn sphere(&self) -> Result<Term> {
        let radius = self
            .radius
            .ok_or_else(|| usage("--radius: top-hat, spline and gaussian need one"))?;
        let term = match self.kernel {
            KernelName::Spline => Term::spline(radius),
            KernelName::Gaussian => {
                let reach = match self.cutoff {
                    None => GAUSSIAN_REACH * radius,
                    Some(_) => self.end("gaussian")?,
                };
                Term::gaussian(radius, reach)
            }
            _ => Term::top_hat(radius),
        };
        term.map_err(|error| usage(format!("--radius: {error}")))
    }

    fn cells(
        &self,
        of_cells: fn([f64; 3]) -> Result<Term, albireo_fields::FieldError>,
    ) -> Result<Asked> {
        if self.cell.is_empty() {
            return Ok(Asked::Cells(of_cells));
        }
        let widths = three("--cell", &self.cell)?;
        let term = of_cells(widths).map_err(|error| usage(format!("--cell: {error}")))?;
        Ok(Asked::Term(term))
    }

    /// Epsilon and sigma of each source with the probe, from those of the sources.
    pub(super) fn mixed(&self, sources: [&[f64]; 2]) -> Result<[Vec<f64>; 2]> {
        let [epsilon, sigma] = self.probe[..] else {
            let found = self.probe.len();
            return Err(usage(format!(
                "--probe: expected epsilon and sigma, e.g. 0.15,3.15, found {found} numbers"
            )));
        };
        if !(epsilon >= 0.0 && sigma > 0.0 && epsilon.is_finite() && sigma.is_finite()) {
            return Err(usage(format!(
                "--probe: epsilon must not be negative and sigma positive, found {epsilon},{sigma}"
            )));
        }
        let rule = match self.mixing {
            None | Some(MixingName::LorentzBerthelot) => Mixing::LorentzBerthelot,
            Some(MixingName::Geometric) => Mixing::Geometric,
        };
        let pair = |(&e, &s): (&f64, &f64)| rule.pair((e, s), (epsilon, sigma));
        let (e, s) = sources[0].iter().zip(sources[1]).map(pair).unzip();
        Ok([e, s])
    }

    /// What the values are.
    #[cfg(feature = "plot")]
    fn quantity(&self) -> &'static str {
        match self.kernel {
            KernelName::Coulomb | KernelName::Ewald => "electrostatic potential",
            KernelName::Gravity => "gravitational potential",
            KernelName::Lj => "Lennard-Jones energy",
            KernelName::Table => "sum of the table",
            _ => "density",
        }
    }

    /// The unit of the values.
    pub(super) fn unit(&self, known: Option<&str>) -> Result<Unit> {
        let length = known.unwrap_or("length");
        let named = |name: String, factor| Unit {
            name,
            factor,
            #[cfg(feature = "plot")]
            quantity: self.quantity(),
            #[cfg(feature = "plot")]
            length: known.map(str::to_owned),
        };
        Ok(match self.kernel {
            KernelName::Gravity => named(format!("G*mass/{length}"), -1.0),
            KernelName::TopHat
            | KernelName::Spline
            | KernelName::Gaussian
            | KernelName::Cic
            | KernelName::Tsc => {
                let compound = length.contains('/');
                let length = if compound {
                    format!("({length})")
                } else {
                    length.to_owned()
                };
                named(format!("weight/{length}^3"), 1.0)
            }
            KernelName::Lj => named("that of epsilon".to_owned(), 1.0),
            KernelName::Table => named("weight times that of the table".to_owned(), 1.0),
            KernelName::Coulomb | KernelName::Ewald => {
                let Some(units) = self.units else {
                    let angstrom = length.parse::<Length>() == Ok(Length::ANGSTROM);
                    let length = if angstrom { "A" } else { length };
                    return Ok(named(format!("e/{length}"), 1.0));
                };
                let per_angstrom = 1.0 / angstroms(known)?;
                match units {
                    UnitName::ChargePerLength => named("e/A".to_owned(), per_angstrom),
                    UnitName::Volt => named("V".to_owned(), VOLTS * per_angstrom),
                    UnitName::Kilocalorie => {
                        named("kcal/mol/e".to_owned(), KILOCALORIES * per_angstrom)
                    }
                    UnitName::Thermal => {
                        let t = self.temperature.unwrap_or(TEMPERATURE);
                        if !(t > 0.0 && t.is_finite()) {
                            return Err(usage(format!(
                                "--temperature must be positive, found {t}"
                            )));
                        }
                        let factor = VOLTS / (BOLTZMANN * t) * per_angstrom;
                        named(format!("kT/e at {t} K"), factor)
                    }
                }
            }
        })
    }
}

/// How many Angstrom the unit of length is long; one where none is known.
fn angstroms(known: Option<&str>) -> Result<f64> {
    let Some(text) = known else { return Ok(1.0) };
    let unit = text.parse::<Length>().map_err(|error| error.to_string());
    let factor = unit.and_then(|unit| {
        let factor = unit.factor_to(&Length::ANGSTROM, None);
        factor.map_err(|error| error.to_string())
    });
    factor.map_err(|reason| {
        usage(format!(
            "--units needs lengths that can be converted to Angstrom, found `{text}`: {reason}; without it values are in e/{text}"
        ))
    })
}

/// Three numbers, or one for all.
pub(super) fn three(flag: &str, given: &[f64]) -> Result<[f64; 3]> {
    match *given {
        [all] => Ok([all; 3]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err(usage(format!(
            "{flag}: expected one number or three, found {}",
            given.len()
        ))),
    }
}
