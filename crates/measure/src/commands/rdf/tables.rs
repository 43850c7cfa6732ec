//! Partial g(r) of a trajectory as tables.
//!
//! Entry: [`write`].

use albireo_catalogs::{ResultKind, TableColumn};
use albireo_fluids::{
    Blocking, Normalisation, Partials, Plateau, error_of_blocks, even_blocks,
    potential_of_mean_force,
};
use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::bins;
use super::flags::{FrameFlags, NormName};
use super::frames::Counted;
use super::named::Named;
use super::structure::{self, StructureFlags};
use super::sums::{FrameSums, Of};
use super::times::TimeFlags;
use super::undefined;
use crate::args::{OutputFlags, mirrors};
use crate::record::Record;
use crate::session::Session;
use crate::tables::edge_columns;

mirrors!(NormName => Normalisation { Ideal = Pairs, N2 = Squares, MeanDensity = GrandCanonical, Neighbours = Density, Counts = None });

/// The fewest blocks that may have a plateau.
const FEWEST: usize = 8;

/// The errors of g from blocks of frames, and what they are; none of too few frames.
struct BlockErrors<'a> {
    /// Blocks of frames: few large ones, or many whose errors have a plateau.
    blocks: Vec<Partials>,
    of: &'a Counted,
    norm: Normalisation,
    plateau: bool,
}

impl<'a> BlockErrors<'a> {
    fn new(counted: &'a Counted, norm: Normalisation, flags: &FrameFlags) -> Result<Option<Self>> {
        let plateau = flags.is_plateau();
        let blocks = if plateau {
            let whole = |block: &&Partials| block.frames() == counted.blocks.length();
            counted.each.iter().filter(whole).cloned().collect()
        } else {
            even_blocks(&counted.each, flags.blocks())?
        };
        let of = Self {
            blocks,
            of: counted,
            norm,
            plateau,
        };
        if of.blocks.len() >= if plateau { FEWEST } else { 2 } {
            tracing::info!("g_block_error: from {}", of.method());
            return Ok(Some(of));
        }
        if plateau {
            tracing::warn!(
                "--block-error plateau needs {FEWEST} blocks, found {}: there is no g_block_error",
                of.blocks.len()
            );
        }
        Ok(None)
    }

    /// How they were found.
    fn method(&self) -> String {
        let frames = self.blocks.iter().map(Partials::frames);
        let (least, most) = (frames.clone().min(), frames.max());
        let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
        if self.plateau {
            return format!(
                "the plateau of blocks of {most} frames and more (Flyvbjerg & Petersen, cubic rule)"
            );
        }
        let length = if least == most {
            most.to_string()
        } else {
            format!("{least} to {most}")
        };
        let plural = if most == 1 { "" } else { "s" };
        format!(
            "the scatter of {} blocks of {length} frame{plural}",
            self.blocks.len()
        )
    }

    fn column(&self, pair: [usize; 2], named: &Named<'_>) -> Result<TableColumn> {
        let of = named.pair(pair);
        let (errors, nan) = if self.plateau {
            (self.of_plateau(pair)?, "no plateau")
        } else {
            let errors = error_of_blocks(&self.blocks, pair, self.norm)?;
            (errors.unwrap_or_default(), "no pair")
        };
        Ok(TableColumn::floats(
            named.column("g_block_error", pair),
            format!(
                "standard error of g of {of} from {}; nan: {nan}",
                self.method()
            ),
            errors,
        ))
    }

    /// Errors that longer blocks would not change.
    fn of_plateau(&self, pair: [usize; 2]) -> Result<Vec<f64>> {
        let partials = &self.of.partials;
        let bins = partials.binning().n_bins();
        let divisors = |of: &Partials| -> Result<Vec<f64>> {
            Ok(match self.norm {
                Normalisation::None => vec![of.weight(); bins],
                norm => of.ideal_pairs(pair, norm)?,
            })
        };
        let mut series = Blocking::new(bins);
        for block in &self.blocks {
            series.add(&block.g(pair, Normalisation::None)?, &divisors(block)?)?;
        }
        // What g has beside pairs over ideal pairs, such as a density.
        let (g, bare) = (partials.g(pair, self.norm)?, divisors(partials)?);
        let pairs = partials.g(pair, Normalisation::None)?;
        let npairs = pairs.iter().zip(&bare);
        let factors = g
            .iter()
            .zip(npairs)
            .map(|(g, (&p, bare))| if p > 0.0 { g * bare / p } else { 1.0 });
        let errors = series.errors(Plateau::Cubic).into_iter();
        Ok(errors.zip(factors).map(|(e, factor)| e * factor).collect())
    }
}

/// The columns of one pair of species.
fn pair_columns(
    partials: &Partials,
    errors: Option<&BlockErrors<'_>>,
    pair: [usize; 2],
    (named, norm, flags): (&Named<'_>, Normalisation, &FrameFlags),
) -> Result<Vec<TableColumn>> {
    let of = named.pair(pair);
    let mut columns = vec![TableColumn::floats(
        named.column("g", pair),
        format!(
            "radial distribution function of {of}, normalisation {}",
            norm.name()
        ),
        partials.g(pair, norm)?,
    )];
    columns.push(TableColumn::floats(
        named.column("g_error", pair),
        format!("Poisson error of g of {of}, normalisation {}", norm.name()),
        partials.poisson_error_of(pair, norm)?,
    ));
    if flags.pmf {
        let w = potential_of_mean_force(&partials.g(pair, norm)?);
        let what = format!("potential of mean force of {of} over kT");
        columns.push(TableColumn::floats(named.column("w", pair), what, w));
    }
    if let Some(correction) = flags.kirkwood_buff {
        let integrals = bins::kirkwood_buff(partials, pair, correction.into())?;
        let what = format!(
            "Kirkwood-Buff integral of {of} up to hi, of an endless fluid (Krueger & Vlugt 2018), unit of length cubed"
        );
        columns.push(TableColumn::floats(
            named.column("G", pair),
            what,
            integrals,
        ));
    }
    if let Some(errors) = errors {
        columns.push(errors.column(pair, named)?);
    }
    // Partners are within a distance, not in rings and heights.
    if partials.binning().as_r().is_some() {
        columns.extend(partner_columns(partials, pair, named)?);
    }
    columns.push(TableColumn::integers(
        named.column("npairs", pair),
        format!("number of pairs of {of}, over all frames"),
        partials.npairs(pair)?.to_vec(),
    ));
    Ok(columns)
}

/// n(r), of unlike species around both.
fn partner_columns(
    partials: &Partials,
    pair: [usize; 2],
    named: &Named<'_>,
) -> Result<Vec<TableColumn>> {
    let [a, b] = pair;
    let around = |a: usize, b: usize| {
        let names = named.names;
        format!(
            "coordination number: mean number of {} around {} up to hi",
            names[b], names[a]
        )
    };
    let mut columns = vec![TableColumn::floats(
        named.column("n", pair),
        around(a, b),
        partials.coordination(pair)?,
    )];
    if a != b {
        let back = [b, a];
        columns.push(TableColumn::floats(
            format!("n_{}", named.pair(back)),
            around(b, a),
            partials.coordination(back)?,
        ));
    }
    Ok(columns)
}

/// What was averaged over.
fn note(record: &mut Record, counted: &Counted, names: &[String]) {
    let frames = counted.blocks.len();
    record.set("frames", frames);
    record.set("interrupted", counted.interrupted);
    let mut volumes = (0.0, 0.0);
    for (_, facts) in counted.blocks.frames() {
        if let Some(volume) = facts.volume {
            let weight = facts.weight;
            volumes = (volumes.0 + weight * volume, volumes.1 + weight);
        }
    }
    if volumes.1 > 0.0 {
        record.set("mean_volume", volumes.0 / volumes.1);
    }
    let effective = counted.partials.effective_frames();
    if effective < frames as f64 * (1.0 - 1e-12) {
        record.set("effective_frames", effective);
    }
    let pairs: Vec<String> = counted
        .pairs
        .iter()
        .map(|&[a, b]| format!("{}-{}", names[a], names[b]))
        .collect();
    if let Some(excluded) = &counted.excluded {
        let of: serde_json::Map<_, _> = pairs
            .iter()
            .cloned()
            .zip(excluded.iter().map(|&n| n.into()))
            .collect();
        record.set("excluded_pairs", of);
    }
    record.set("pairs", json!(pairs));
    let numbers: Vec<Value> = counted
        .partials
        .mean_particles()
        .into_iter()
        .map(Value::from)
        .collect();
    record.set("mean_particles", numbers);
    record.set("block_frames", counted.blocks.length());
    if let Some(sums) = &counted.sums {
        record.set("pair_sums", sums.record(counted.blocks.roundings()));
        if let Some(kt) = sums.kt() {
            record.set("kt", kt);
        }
    }
}

/// Writes what was counted, and ends as the signal says that ended the run.
pub(super) fn write(
    counted: &Counted,
    names: &[String],
    unit: Option<&str>,
    (flags, times, structure, output): (&FrameFlags, &TimeFlags, &StructureFlags, &OutputFlags),
    (mut record, session): (Record, &Session<'_>),
) -> Result<()> {
    let frames = counted.blocks.len();
    if frames == 0 {
        bail!("stopped before the first frame was counted: nothing is written");
    }
    flags.warn_of_few_frames(frames as u64);
    let norm = flags.norm.map_or(Normalisation::Pairs, Into::into);
    let axes = bins::named_axes(counted.partials.binning());
    record.set_axes(bins::statistic(counted.partials.binning()), &axes);
    record.set("normalisation", norm.name());
    note(&mut record, counted, names);
    let named = Named {
        names,
        many: counted.pairs.len() > 1,
    };
    undefined::say(counted, &named, norm)?;
    let edges = edge_columns(&axes, unit);
    let errors = BlockErrors::new(counted, norm, flags)?;
    if let Some(errors) = &errors {
        record.set("block_error", errors.method());
    }
    let mut columns = edges.clone();
    let blocks = match &counted.sums {
        Some(_) => FrameSums::blocks(&counted.each, flags.blocks())?,
        None => vec![],
    };
    for &pair in &counted.pairs {
        columns.extend(pair_columns(
            &counted.partials,
            errors.as_ref(),
            pair,
            (&named, norm, flags),
        )?);
        if let Some(sums) = &counted.sums {
            columns.extend(sums.columns(&Of {
                partials: &counted.partials,
                blocks: &blocks,
                pair,
                named: &named,
            })?);
        }
    }
    let interrupted = counted.interrupted;
    let in_vacuum = counted
        .blocks
        .frames()
        .all(|(_, facts)| facts.volume.is_none());
    // What cannot be made is refused before anything is written.
    let mut beside = Vec::new();
    if let Some(path) = &flags.block_counts {
        let columns = of_blocks(counted, edges, (&named, norm), times.running)?;
        beside.push((path.as_path(), record.table(ResultKind::Rdf, columns)));
    }
    if counted.partials.binning().as_r().is_some() {
        let what = (norm, in_vacuum && flags.norm == Some(NormName::Counts));
        let tables = structure::tables(structure, &counted.partials, (names, unit), what, &record)?;
        beside.extend(tables);
    }
    let table = record.table(ResultKind::Rdf, columns);
    session.sink.deliver(&table, output)?;
    for (path, table) in beside {
        session.sink.write(&table, path)?;
    }
    if interrupted || session.watch.stop_requested() {
        bail!("stopped by a signal: the result holds the {frames} frames that were counted");
    }
    Ok(())
}

/// Each block after the other: its first frame, its frames, and for each bin what is counted and g.
fn of_blocks(
    counted: &Counted,
    edges: Vec<TableColumn>,
    (named, norm): (&Named<'_>, Normalisation),
    running: bool,
) -> Result<Vec<TableColumn>> {
    let Some(told) = &counted.told else {
        return Ok(edges);
    };
    let bins = counted.partials.binning().n_bins();
    let blocks = counted.each_told.len();
    let repeated = |values: &dyn Fn(usize) -> u64| -> Vec<u64> {
        (0..blocks * bins).map(|row| values(row / bins)).collect()
    };
    let begins: Vec<u64> = told.blocks().map(|(begin, _)| begin).collect();
    let first = |block: usize| counted.frame_number(begins[block]);
    let mut columns = vec![
        TableColumn::integers("frame", "the first frame of the block", repeated(&first)),
        TableColumn::integers(
            "frames",
            "frames of the block",
            repeated(&|block| counted.each_told[block].frames()),
        ),
    ];
    columns.extend(edges.into_iter().map(|column| column.repeated(blocks)));
    for &pair in &counted.pairs {
        let of = named.pair(pair);
        let (mut npairs, mut g) = (Vec::new(), Vec::new());
        for block in &counted.each_told {
            npairs.extend_from_slice(block.npairs(pair)?);
            g.extend(block.g(pair, norm)?);
        }
        columns.push(TableColumn::integers(
            named.column("npairs", pair),
            format!("number of pairs of {of}"),
            npairs,
        ));
        columns.push(TableColumn::floats(
            named.column("g", pair),
            format!("g of {of} in the block"),
            g,
        ));
        if running {
            columns.push(TableColumn::floats(
                named.column("g_running", pair),
                format!("g of {of} over all frames up to the last of the block"),
                running_mean(&counted.each_told, pair, norm)?,
            ));
        }
    }
    Ok(columns)
}

/// g of the first block, of the first two, and so on.
fn running_mean(blocks: &[Partials], pair: [usize; 2], norm: Normalisation) -> Result<Vec<f64>> {
    let mut so_far = blocks.first().map(Partials::emptied);
    let mut means = Vec::new();
    for block in blocks {
        if let Some(sum) = &mut so_far {
            sum.merge(block)?;
            means.extend(sum.g(pair, norm)?);
        }
    }
    Ok(means)
}
