//! Groups and data sets as tables and columns; a compound data set is a table of its own.
//!
//! Entry: [`tables`], [`choose`], [`columns`], [`attributes`]. Reads no column, only what is beside them.

use std::collections::HashSet;
use std::path::Path;

use hdf5_reader::group::Group;
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::messages::link::LinkTarget;
use hdf5_reader::{Dataset, Hdf5File};

use super::attribute::{add, add_group, numbers, small};
use super::column::Column;
use super::compound::{self, Header};
use super::failure::{failure, no_table};
use crate::catalog::Request;
use crate::error::{CatalogError, Result};
use crate::masks::MASK;
use crate::reader::wanted_names;
use crate::value::{Attributes, Value};

/// The column of the particles' masses.
pub(super) const MASSES: &str = "Masses";
/// What snapshots state of their units and their universe beside `Header`: GADGET-4 and AREPO in the first group, SWIFT in the others. The
/// groups hold much else.
const BESIDE: [(&str, &[&str]); 3] = [
    (
        "Parameters",
        &[
            "ComovingIntegrationOn",
            "HubbleParam",
            "Omega0",
            "OmegaLambda",
            "UnitLength_in_cm",
            "UnitVelocity_in_cm_per_s",
        ],
    ),
    (
        "Units",
        &["Unit length in cgs (U_L)", "Unit time in cgs (U_t)"],
    ),
    (
        "Cosmology",
        &[
            "Cosmological run",
            "H [internal units]",
            "H0 [internal units]",
            "Omega_lambda",
            "Omega_m",
            "h",
            "w_0",
            "w_a",
        ],
    ),
];
/// Groups nest at most this deep.
const DEEPEST: usize = 16;
/// The paths of all groups with columns, `/` for the root, and of all compound data sets.
pub(super) fn tables(path: &Path, file: &Hdf5File) -> Result<Vec<String>> {
    let root = file.root_group().map_err(|error| failure(path, &error))?;
    let mut found = Vec::new();
    walk(
        (path, Some(file)),
        &root,
        "/",
        &mut HashSet::new(),
        &mut found,
    )?;
    Ok(found)
}

/// `file`: the one that the group stands in, unless a link to another one leads there.
fn walk(
    (path, file): (&Path, Option<&Hdf5File>),
    group: &Group,
    name: &str,
    seen: &mut HashSet<u64>,
    found: &mut Vec<String>,
) -> Result<()> {
    let fail = |error| failure(path, &error);
    if !seen.insert(group.address()) || name.matches('/').count() > DEEPEST {
        return Ok(());
    }
    let columns = group_columns(path, group)?;
    let (compound, plain): (Vec<&Column>, Vec<&Column>) = columns
        .iter()
        .partition(|column| compound::is_table(&column.dataset));
    if !plain.is_empty() {
        found.push(name.to_owned());
    }
    found.extend(compound.iter().map(|column| below(name, &column.name)));
    let (groups, _) = group.member_names().map_err(fail)?;
    for child in groups {
        let inner = group.group(&child).map_err(fail)?;
        let bounds =
            child == "box" && (inner.dataset("edges").is_ok() || inner.group("edges").is_ok());
        if h5md_value(&inner).is_some() || bounds {
            continue;
        }
        let place = below(name, &child);
        if file.is_some_and(|file| leads_elsewhere(file, group, &child)) {
            // The places of another file say nothing of those of this one.
            walk((path, None), &inner, &place, &mut HashSet::new(), found)?;
        } else {
            walk((path, file), &inner, &place, seen, found)?;
        }
    }
    Ok(())
}

/// Whether the member of that name stands in another file.
fn leads_elsewhere(file: &Hdf5File, group: &Group, name: &str) -> bool {
    let header = file.get_or_parse_header(group.address());
    header.is_ok_and(|header| {
        header.messages.iter().any(|message| {
            matches!(message, HdfMessage::Link(link)
                if link.name == name && matches!(link.target, LinkTarget::External { .. }))
        })
    })
}

/// The path of what `group` calls `name`.
fn below(group: &str, name: &str) -> String {
    match group {
        "/" => name.to_owned(),
        group => format!("{group}/{name}"),
    }
}

/// The time series of an H5MD element: the data set `value` beside `step` or `time`.
fn h5md_value(group: &Group) -> Option<Dataset> {
    let (_, datasets) = group.member_names().ok()?;
    let has = |name: &str| datasets.iter().any(|other| other == name);
    if has("value") && (has("step") || has("time")) {
        group.dataset("value").ok()
    } else {
        None
    }
}

fn group_columns(path: &Path, group: &Group) -> Result<Vec<Column>> {
    let fail = |error| failure(path, &error);
    // All at once: looking members up one by one takes the square of their number.
    let (groups, datasets) = group.members().map_err(fail)?;
    let mut columns = Vec::new();
    for below in groups {
        let name = below.name().to_owned();
        columns.extend(h5md_value(&below).and_then(|value| Column::new(name, value, true)));
    }
    let plain = |dataset: &Dataset| !compound::is_header(dataset.name());
    for dataset in datasets.into_iter().filter(plain) {
        columns.extend(Column::new(dataset.name().to_owned(), dataset, false));
    }
    Ok(columns)
}

/// The columns of a table: of a group or of a compound data set.
fn table_columns(path: &Path, file: &Hdf5File, table: &str) -> Result<Vec<Column>> {
    if let Some(dataset) = compound_table(file, table) {
        return Ok(compound::columns(&dataset, &Header::of(file, table)));
    }
    let group = file.group(table).map_err(|error| failure(path, &error))?;
    group_columns(path, &group)
}

/// The compound data set of that path.
fn compound_table(file: &Hdf5File, table: &str) -> Option<Dataset> {
    file.dataset(table).ok().filter(compound::is_table)
}

/// The table a request means: the one it names, the only one, or the root if all its columns are full paths.
pub(super) fn choose(path: &Path, file: &Hdf5File, request: &Request) -> Result<String> {
    let trimmed = |name: &str| match name.trim_matches('/') {
        "" => "/".to_owned(),
        name => name.to_owned(),
    };
    if let Some(table) = &request.table {
        let there = |name: &str| file.group(name).is_ok() || compound_table(file, name).is_some();
        if let Some(group) = particles(table).filter(|group| !there(table) && there(group)) {
            return Ok(group.to_owned());
        }
        if file.group(table).is_ok() || compound_table(file, table).is_some() {
            return Ok(trimmed(table));
        }
        let available = tables(path, file)?;
        return Err(CatalogError::UnknownTable {
            path: path.to_owned(),
            table: table.clone(),
            available,
        });
    }
    let is_path = |name: &str| name.contains('/') && at(file, name, name).is_some();
    let wanted = wanted(request, &is_path);
    if !wanted.is_empty() && wanted.iter().all(|name| name.contains('/')) {
        return Ok("/".to_owned());
    }
    let mut available = tables(path, file)?;
    if available.len() < 2 {
        return available.pop().ok_or_else(|| no_table(path));
    }
    let fitting: Vec<&String> = available
        .iter()
        .filter(|table| has_all(path, file, table, request))
        .collect();
    match fitting.as_slice() {
        [only] if !wanted.is_empty() => Ok((*only).clone()),
        _ if available.first().is_some_and(|first| first == "/") => Ok("/".to_owned()),
        _ => Err(CatalogError::AmbiguousTable {
            path: path.to_owned(),
            available,
        }),
    }
}

/// The group of a snapshot that holds the particles of a kind.
fn particles(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "gas" => "PartType0",
        "dm" => "PartType1",
        "stars" => "PartType4",
        "bh" => "PartType5",
        _ => return None,
    })
}

/// The mass of each particle of a group, where the header of a snapshot says that they have one and the group has no column of it.
pub(super) fn common_mass(table: &str, columns: &[Column], header: &Attributes) -> Option<f64> {
    let kind: usize = table.strip_prefix("PartType")?.parse().ok()?;
    let masses = header.get("MassTable")?.as_floats()?;
    let mass = masses.get(kind).copied().filter(|&mass| mass > 0.0)?;
    let has = columns.iter().any(|column| column.name == MASSES);
    (!has && !columns.is_empty()).then_some(mass)
}

fn has_all(path: &Path, file: &Hdf5File, table: &str, request: &Request) -> bool {
    let columns = table_columns(path, file, table).unwrap_or_default();
    let known = |name: &str| columns.iter().any(|column| column.name == name);
    wanted(request, &known).iter().all(|name| known(name))
}

/// The names a request needs of a table with these columns, component indices taken off, that of the frames left out.
fn wanted(request: &Request, known: &dyn Fn(&str) -> bool) -> Vec<String> {
    let names = wanted_names(request, known).into_iter();
    names.filter(|name| name != super::FRAME).collect()
}

/// The columns of a group, and those of a request that are paths to data sets elsewhere.
pub(super) fn columns(
    path: &Path,
    file: &Hdf5File,
    table: &str,
    request: &Request,
) -> Result<Vec<Column>> {
    let mut columns = table_columns(path, file, table)?;
    let elsewhere = |name: &str| {
        let below = || at(file, &format!("{table}/{name}"), name);
        let found = name.contains('/').then(below)?;
        found.or_else(|| at(file, name, name))
    };
    let is_column = |name: &str| columns.iter().any(|column| column.name == name);
    let known = |name: &str| is_column(name) || elsewhere(name).is_some();
    let names = wanted(request, &known);
    let masked = |name: &String| [name.clone(), format!("{name}{MASK}")];
    let others: Vec<Column> = names
        .iter()
        .filter(|name| !is_column(name))
        .flat_map(masked)
        .filter_map(|name| elsewhere(&name))
        .collect();
    columns.extend(others);
    Ok(columns)
}

fn at(file: &Hdf5File, place: &str, name: &str) -> Option<Column> {
    let in_element = place
        .rsplit_once('/')
        .filter(|(_, last)| *last == "value")
        .and_then(|(group, _)| file.group(group).ok());
    if in_element.as_ref().and_then(h5md_value).is_some() {
        return Column::new(name.to_owned(), file.dataset(place).ok()?, true);
    }
    if let Some((table, member)) = place.rsplit_once('/')
        && let Some(dataset) = compound_table(file, table)
    {
        let columns = compound::columns(&dataset, &Header::of(file, table));
        let found = columns.into_iter().find(|column| column.name == member);
        return found.map(|column| Column {
            name: name.to_owned(),
            ..column
        });
    }
    match file.dataset(place) {
        Ok(dataset) => Column::new(name.to_owned(), dataset, false),
        Err(_) => Column::new(name.to_owned(), h5md_value(&file.group(place).ok()?)?, true),
    }
}

/// Attributes of the file, of Gadget's `Header`, of its siblings, of the groups down to the table, its scalars and its H5MD box.
pub(super) fn attributes(
    path: &Path,
    file: &Hdf5File,
    table: &str,
    frames: (u64, u64),
) -> Result<Attributes> {
    let mut all = Attributes::new();
    let root = file.root_group().map_err(|error| failure(path, &error))?;
    add_group(&root, "", &mut all);
    if let Ok(header) = root.group("Header") {
        add_group(&header, "", &mut all);
    }
    for (name, stated) in BESIDE {
        let mut beside = Attributes::new();
        if let Ok(group) = root.group(name) {
            add_group(&group, "", &mut beside);
        }
        beside.retain(|key, _| stated.contains(&key.as_str()));
        let named = |(key, value)| (format!("{name}/{key}"), value);
        all.extend(beside.into_iter().map(named));
    }
    let mut group = root;
    let (groups, dataset) = match compound_table(file, table) {
        None => (table, None),
        Some(dataset) => (
            table.rsplit_once('/').map_or("", |(groups, _)| groups),
            Some(dataset),
        ),
    };
    for name in groups.split('/').filter(|name| !name.is_empty()) {
        group = group.group(name).map_err(|error| failure(path, &error))?;
        add_group(&group, "", &mut all);
    }
    if let Some(dataset) = dataset {
        add(dataset.attributes(), "", &mut all);
        all.extend(Header::of(file, table).meta());
        return Ok(all);
    }
    let (_, members) = group.members().map_err(|error| failure(path, &error))?;
    for member in members.iter().filter(|member| member.ndim() == 0) {
        if let Some(value) = small(member) {
            all.insert(member.name().to_owned(), value);
        }
    }
    if let Ok(bounds) = group.group("box") {
        add_group(&bounds, "box/", &mut all);
        let fixed = bounds.dataset("edges").ok().and_then(|edges| small(&edges));
        if let Some(edges) =
            fixed.or_else(|| edges_of(&h5md_value(&bounds.group("edges").ok()?)?, frames))
        {
            all.insert("box/edges".to_owned(), edges);
        }
    }
    Ok(all)
}

/// The box of the frames `first..last`, if it is the same in all of them.
fn edges_of(series: &Dataset, (first, last): (u64, u64)) -> Option<Value> {
    let frames = *series.shape().first()?;
    let Value::Floats(values) = numbers(series, u64::MAX)? else {
        return None;
    };
    let each = values.len() / usize::try_from(frames).ok().filter(|&frames| frames > 0)?;
    let mut boxes = values
        .chunks_exact(each.max(1))
        .skip(first as usize)
        .take((last - first) as usize);
    let edges = boxes.next()?;
    boxes
        .all(|other| other == edges)
        .then(|| Value::Floats(edges.to_vec()))
}
