//! Sums of expressions over the pairs of a count: which columns they take of the samples, and what results say of them.
//!
//! Entry: [`PairSumFlags`], read into [`Summed`]; [`SummedRoles`] are those that an estimator takes. The language is that of `albireo-pair-sums`.

mod roles;

pub(crate) use roles::SummedRoles;

use std::fmt::Write as _;
use std::sync::Arc;

use albireo::binning::PairOrder;
use albireo::particles::Column;
use albireo::tally::{CountSpec, End, Exchange, PairProgram};
use albireo::{Bins, Counts, Domain, LineOfSight, Particles};
use albireo_catalogs::{Attribute, CatalogReader, MemoryColumn, MemoryTable, Request, TableColumn};
use albireo_fluids::frames::FrameJob;
use albireo_pair_sums::{
    Geometry, ObjectColumn, Objects, PairSumError, PairSumSpec, PairSums, UsedForm, forms,
};
use albireo_samples::{Selection, Source};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use crate::args::LosName;
use crate::group;
use crate::session::Session;
use crate::tables::column_name;
use crate::usage::usage;

/// A name and what it stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named<T> {
    name: String,
    of: T,
}

impl<T: std::str::FromStr> std::str::FromStr for Named<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, of) = text
            .split_once('=')
            .ok_or_else(|| format!("expected NAME=VALUE, found `{text}`"))?;
        let of = of.trim().parse();
        Ok(Self {
            name: name.trim().to_owned(),
            of: of.map_err(|_| format!("expected a number behind `{name}=`, found `{text}`"))?,
        })
    }
}

/// What is summed over the pairs of each bin.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::PAIR_SUMS)]
pub(crate) struct PairSumFlags {
    /// Sum an expression over the pairs in each bin, e.g. 'm=i.mark*j.mark' or 'v12(vx,vy,vz)'; again for each further sum
    ///
    /// i. and j. stand before the columns of the first and of the second object of a pair; r, mu, radial(u) and their like belong to the pair. Each pair
    /// counts by its weight. `albireo help forms` lists the ready-made forms.
    #[arg(long, value_name = "[NAME=]EXPR")]
    pair_sum: Vec<PairSumSpec>,
    /// Name a part of the expressions of --pair-sum
    #[arg(long = "let", value_name = "NAME=EXPR", requires = "pair_sum")]
    lets: Vec<Named<String>>,
    /// State a bound: no value of this sum is larger in magnitude, or the count fails
    #[arg(long, value_name = "NAME=B", requires = "pair_sum")]
    pair_bound: Vec<Named<f64>>,
}

/// The sums of a command, and the flag that asks for them.
#[derive(Debug, Clone)]
pub(crate) struct Summed(PairSums, &'static str);

/// The flag of sums that are typed.
const TYPED: &str = "--pair-sum";

/// A refusal of an expression is one of the command line.
fn refused(flag: &str) -> impl Fn(PairSumError) -> anyhow::Error {
    move |error| usage(format!("{flag}: {error}"))
}

impl PairSumFlags {
    /// Whether any sum is asked for.
    pub(crate) fn any(&self) -> bool {
        !self.pair_sum.is_empty()
    }

    /// The sums that are asked for, if there are any, over columns of these samples.
    pub(crate) fn read(&self, sources: &[Source], session: &Session<'_>) -> Result<Option<Summed>> {
        if !self.any() {
            return Ok(None);
        }
        self.read_with(&session.widths(sources)?)
    }

    /// What a checkpoint must agree in.
    pub(crate) fn settings(&self) -> Value {
        let sums = self.pair_sum.iter().map(|sum| json!([sum.name, sum.text]));
        let lets = self.lets.iter().map(|one| json!([one.name, one.of]));
        let bounds = self.pair_bound.iter().map(|one| json!([one.name, one.of]));
        json!({"sums": sums.collect::<Vec<_>>(), "lets": lets.collect::<Vec<_>>(), "bounds": bounds.collect::<Vec<_>>()})
    }

    /// The sums that are asked for, if there are any, over columns of so many components.
    pub(crate) fn read_with(&self, width: &dyn Fn(&str) -> usize) -> Result<Option<Summed>> {
        if !self.any() {
            return Ok(None);
        }
        let lets: Vec<(String, String)> = (self.lets.iter())
            .map(|part| (part.name.clone(), part.of.clone()))
            .collect();
        let mut sums = PairSums::parse(&self.pair_sum, &lets, width).map_err(refused(TYPED))?;
        for bound in &self.pair_bound {
            let with = sums.with_bound(&bound.name, bound.of);
            sums = with.map_err(|error| usage(format!("--pair-bound: {error}")))?;
        }
        Ok(Some(Summed(sums, TYPED)))
    }
}

/// A sample with the columns that sums take of it.
#[derive(Debug)]
pub(crate) struct Valued {
    pub(crate) particles: Particles,
    columns: Vec<ObjectColumn>,
}

/// The text of what is read of a file as numbers.
fn read_text(column: &ObjectColumn) -> Option<&String> {
    match column {
        ObjectColumn::Read(text) => Some(text),
        _ => None,
    }
}

/// The text of what is compared by whether it is equal.
fn identity_text(column: &ObjectColumn) -> Option<&String> {
    match column {
        ObjectColumn::Identity(text) => Some(text),
        _ => None,
    }
}

/// A mark whose pairs `marked(m)` sums.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    /// The column of the objects.
    pub(crate) column: String,
    /// The column of the result that is the marked correlation.
    pub(crate) derived: String,
}

impl Valued {
    /// The particles, whose columns are those that `columns` reads and then those that it compares, with the built-in ones too.
    fn new(particles: &Particles, columns: Vec<ObjectColumn>) -> Result<Self> {
        let (mut all, others): (Vec<_>, Vec<_>) = columns
            .into_iter()
            .partition(|column| read_text(column).is_some());
        let (identities, built_in): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|column| identity_text(column).is_some());
        let mut values = particles.columns().to_vec();
        values.extend(
            built_in
                .iter()
                .filter_map(|column| column.of_points(particles)),
        );
        all.extend(identities);
        all.extend(built_in);
        Ok(Self {
            particles: particles.clone().with_columns(values)?,
            columns: all,
        })
    }

    /// The values that are read by this text.
    pub(crate) fn values(&self, text: &str) -> Option<&Column> {
        let mut columns = self.columns.iter().zip(self.particles.columns());
        columns.find_map(|(of, values)| (read_text(of)? == text).then_some(values))
    }

    /// Whether the values that are compared by this text are texts; none where there is no row.
    fn is_text(&self, text: &str) -> Option<bool> {
        let mut columns = self.columns.iter().zip(self.particles.columns());
        let codes = columns.find(|(of, _)| identity_text(of).is_some_and(|of| of == text));
        codes?.1.iter().next().map(|code| code < 0.0)
    }

    fn objects(&self) -> Objects<'_> {
        Objects {
            particles: &self.particles,
            columns: &self.columns,
        }
    }
}

/// What expressions may know of the pairs in these bins; a line of sight that is given holds where bins have none.
pub(crate) fn geometry(
    bins: &Bins,
    domain: &Domain,
    (given, los): (Option<LosName>, LineOfSight),
) -> Geometry {
    let geometry = Geometry::of(bins, domain);
    match given {
        Some(_) => geometry.with_line_of_sight(los),
        None => geometry,
    }
}

impl Summed {
    /// Sums that take no column of a file, which `flag` asks for.
    pub(crate) fn of(sums: &[PairSumSpec], flag: &'static str) -> Result<Self> {
        let no_column = |_: &str| 1;
        let sums = PairSums::parse(sums, &[], &no_column).map_err(refused(flag))?;
        Ok(Self(sums, flag))
    }

    /// What is taken of the objects at these ends.
    fn columns(&self, ends: &[End]) -> Vec<ObjectColumn> {
        match ends {
            [end] => self.0.object_columns(*end),
            [] => vec![],
            _ => self.0.columns_of_both(),
        }
    }

    /// The source with the columns of the objects at these ends.
    pub(crate) fn selected(&self, source: Source, ends: &[End]) -> Source {
        let all = self.columns(ends);
        let columns = all.iter().filter_map(read_text).cloned().collect();
        let identities = all.iter().filter_map(identity_text).cloned().collect();
        Source {
            selection: Selection {
                columns,
                identities,
                ..source.selection
            },
            ..source
        }
    }

    /// The columns that are read of both objects of a pair, in the order that [`Summed::of_frame`] takes them in.
    pub(crate) fn texts_of_both(&self) -> Vec<String> {
        let columns = self.0.columns_of_both();
        columns.iter().filter_map(read_text).cloned().collect()
    }

    /// The columns that are compared by whether they are equal, which follow on these.
    pub(crate) fn identities_of_both(&self) -> Vec<String> {
        let columns = self.0.columns_of_both();
        columns.iter().filter_map(identity_text).cloned().collect()
    }

    /// A frame whose particles have these columns, with the program over its pairs.
    pub(crate) fn of_frame(&self, job: FrameJob, bins: &Bins) -> Result<FrameJob> {
        let valued = Valued::new(&job.particles, self.0.columns_of_both())?;
        let program = self.program(&valued, &valued, &Geometry::of(bins, &job.domain))?;
        Self::check_unordered(&program)?;
        Ok(FrameJob {
            particles: valued.particles,
            program: Some(program),
            ..job
        })
    }

    /// Refuses what depends on the order of a pair.
    pub(crate) fn check_unordered(program: &PairProgram) -> Result<()> {
        let mut sums = program.sums().iter();
        match sums.find(|sum| sum.exchange != Exchange::Even) {
            None => Ok(()),
            Some(sum) => Err(usage(format!(
                "--pair-sum {}: it changes when the two points of a pair are exchanged, and rdf counts each pair once: expected one that stays the same, such as i.m*j.m or radial(i.v - j.v)",
                sum.name
            ))),
        }
    }

    /// Refuses what is 0 where pairs have no order, and says where a sum gives them one.
    pub(crate) fn check_order(what: &CountSpec, is_auto: bool) -> Result<()> {
        let sums = what.program().map_or(&[][..], |program| program.sums());
        let neither = sums.iter().filter(|sum| sum.exchange == Exchange::Neither);
        for sum in neither.filter(|_| is_auto) {
            tracing::info!(
                "--pair-sum {}: it changes, if only in its last digits, when the two points of a pair are exchanged: each pair is counted in both orders, and npairs is twice as large; \
                 (i.m*j.m)*L2(mu) would stay the same where L2(mu)*i.m*j.m does not",
                sum.name
            );
        }
        let once = is_auto && what.order() == PairOrder::Unordered;
        match sums
            .iter()
            .find(|sum| once && sum.exchange == Exchange::Odd)
        {
            None => Ok(()),
            Some(sum) => Err(usage(format!(
                "--pair-sum {}: it changes its sign when the two points of a pair are exchanged, so that it is 0 where each pair is counted once: multiply it by an odd factor such as radial(..) or mu",
                sum.name
            ))),
        }
    }

    /// The names of the sums and their expressions.
    pub(crate) fn named_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.names().zip(self.0.texts())
    }

    /// The marks that are columns of the objects.
    pub(crate) fn marks(&self) -> Vec<Mark> {
        let marked = self.forms().iter().filter(|form| form.form == "marked");
        let mark = |form: &UsedForm| {
            let only = self
                .0
                .clone()
                .only(|name| form.sums.iter().any(|sum| sum == name));
            let columns = only.object_columns(End::First);
            let ([column], [derived]) = (&columns[..], only.derived()) else {
                return None;
            };
            Some(Mark {
                column: read_text(column)?.clone(),
                derived: derived.name.clone(),
            })
        };
        marked.filter_map(mark).collect()
    }

    /// The place of the sum of this name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.0.names().position(|other| other == name)
    }

    /// The forms that were asked for.
    pub(crate) fn forms(&self) -> &[UsedForm] {
        self.0.forms()
    }

    /// A sample, read as [`Summed::selected`] asks for, at these ends of pairs.
    pub(crate) fn valued(&self, particles: &Particles, ends: &[End]) -> Result<Valued> {
        Valued::new(particles, self.columns(ends))
    }

    /// The program over pairs of these samples.
    pub(crate) fn program(
        &self,
        first: &Valued,
        second: &Valued,
        geometry: &Geometry,
    ) -> Result<Arc<PairProgram>> {
        self.check_identities(first, second)?;
        let sums = self.0.clone().within(geometry).map_err(refused(self.1))?;
        let program = sums.bind(&first.objects(), &second.objects(), geometry);
        Ok(Arc::new(program.map_err(refused(self.1))?))
    }

    /// Refuses texts that are compared with numbers.
    fn check_identities(&self, first: &Valued, second: &Valued) -> Result<()> {
        for sides in self.0.compared() {
            let kinds = sides.each_ref().map(|(end, text)| match end {
                End::First => first.is_text(text),
                End::Second => second.is_text(text),
            });
            if let [Some(one), Some(other)] = kinds
                && one != other
            {
                let [(_, a), (_, b)] = &sides;
                let [of_a, of_b] = [one, other].map(|text| if text { "texts" } else { "numbers" });
                return Err(usage(format!(
                    "--pair-sum: `{a}` holds {of_a} and `{b}` {of_b}: expected columns of one kind to compare"
                )));
            }
        }
        Ok(())
    }

    /// What a record says of the sums.
    pub(crate) fn record(&self, what: &CountSpec) -> Value {
        let sums = what.program().map_or(&[][..], |program| program.sums());
        let texts: Vec<&str> = self.0.texts().collect();
        let sum = |(sum, text): (&albireo::tally::PairSum, &str)| {
            json!({
                "name": sum.name,
                "expression": text,
                "bound": sum.bound,
                "proved": sum.proven,
            })
        };
        sums.iter().zip(texts).map(sum).collect()
    }

    /// The columns that follow from the sums of a count, whose columns have this prefix.
    pub(crate) fn derived(&self, counts: &Counts, prefix: &str) -> Result<Vec<TableColumn>> {
        let weights = counts.weight();
        let weights =
            weights.unwrap_or_else(|| counts.npairs().iter().map(|&n| n as f64).collect());
        let sum = |name: &str| {
            let sums = counts.pair_sum(name).map(|sums| sums.values());
            Ok(sums.unwrap_or_default())
        };
        let named = |name: &str| column_name(prefix, name);
        self.derived_of(weights, sum, named)
    }

    /// The columns that follow from the weights of pairs and their sums by name; `named` says what each is called.
    pub(crate) fn derived_of(
        &self,
        weights: Vec<f64>,
        sum: impl Fn(&str) -> Result<Vec<f64>>,
        named: impl Fn(&str) -> String,
    ) -> Result<Vec<TableColumn>> {
        let derived = self.0.derived();
        if derived.is_empty() {
            return Ok(vec![]);
        }
        let mut columns = vec![("W".to_owned(), weights)];
        for name in self.0.names() {
            columns.push((name.to_owned(), sum(name)?));
        }
        let column = |(name, values): (String, Vec<f64>)| {
            let column: Arc<dyn MemoryColumn> = Arc::new(Attribute::Numbers(values));
            (name, vec![column])
        };
        let columns = columns.into_iter().map(column).collect();
        let formulas = derived.iter().map(|derived| derived.formula.clone());
        let mut table = MemoryTable::new("sums".into(), columns, None)?;
        let made = table.read(&Request::columns(formulas.collect::<Vec<_>>()))?;
        let derived = derived.iter().map(|derived| {
            let values = made.column(&derived.formula)?.to_vec();
            let described = format!("{}, W the weight of the pairs", derived.formula);
            Ok(TableColumn::floats(named(&derived.name), described, values))
        });
        derived.collect()
    }
}

/// The ready-made forms, as help shows them.
pub(crate) fn about_forms() -> String {
    let mut text = String::from(
        "Ready-made pair sums: --pair-sum 'FORM(columns)'. i is the first object of a pair, j the second; W is the weight of the pairs.\n",
    );
    for form in forms() {
        let parameters = form.parameters.join(",");
        let _ = writeln!(text, "\n{}({parameters})\n  {}", form.name, form.meaning);
        for sum in form.sums {
            let _ = writeln!(text, "  {} = {}", sum.name, sum.text);
        }
        for (name, formula) in form.derived {
            let _ = writeln!(text, "  {name} = {formula}");
        }
        let _ = writeln!(text, "  {}", form.paper);
    }
    text
}
