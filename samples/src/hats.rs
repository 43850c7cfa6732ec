//! HATS: catalogues of the sky as folders, a Parquet file a pixel.
//!
//! Entry: [`partitions`], the files of a folder, and [`refuse_others`], what lies in folders that hold no rows of their own. Version 1 of
//! the format, <https://hats.readthedocs.io>.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::error::{Result, SampleError};

/// Files of properties, the newest name first.
const PROPERTIES: [&str; 2] = ["hats.properties", "properties"];
/// Folders above a partition: its catalogue is among them.
const ABOVE: usize = 5;

/// The catalogue that a folder is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Partitions {
    /// Its files, by order and pixel.
    pub(crate) files: Vec<PathBuf>,
    /// Right ascension and declination.
    pub(crate) sky: Option<[String; 2]>,
    /// The rows that it states.
    pub(crate) rows: Option<u64>,
}

/// The entries of a file of properties.
fn properties(path: &Path) -> Option<HashMap<String, String>> {
    let text = std::fs::read_to_string(path).ok()?;
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let entry = |line: &str| {
        let (key, value) = line.split_once('=')?;
        Some((key.trim().to_owned(), value.trim().to_owned()))
    };
    Some(lines.filter_map(entry).collect())
}

/// The properties of the catalogue that a folder is.
fn of_folder(folder: &Path) -> Option<HashMap<String, String>> {
    let mut found = PROPERTIES.iter().map(|name| properties(&folder.join(name)));
    let of_catalog = |entries: &HashMap<String, String>| entries.contains_key("dataproduct_type");
    found.find_map(|entries| entries.filter(of_catalog))
}

/// Refuses a file below a folder whose rows are those of other folders too, such as a cache of the margins of pixels.
pub(crate) fn refuse_others(path: &Path) -> Result<()> {
    if path
        .extension()
        .is_none_or(|extension| extension != "parquet")
    {
        return Ok(());
    }
    let mut above = path.ancestors().skip(1).take(ABOVE);
    let found = above.find_map(|folder| Some((folder, of_folder(folder)?)));
    match found {
        Some((folder, entries)) => check_type(folder, &entries, Some(path)),
        None => Ok(()),
    }
}

/// Refuses folders of anything but objects.
fn check_type(folder: &Path, entries: &HashMap<String, String>, file: Option<&Path>) -> Result<()> {
    let kind = entries
        .get("dataproduct_type")
        .map_or("object", String::as_str);
    if matches!(kind, "object" | "source") {
        return Ok(());
    }
    Err(SampleError::Input(format!(
        "{}: it lies in a HATS folder of dataproduct_type={kind}, whose rows are no objects of their own: give the folder of the \
         catalogue, or a pattern without {}",
        file.unwrap_or(folder).display(),
        folder.display()
    )))
}

/// The files of the catalogue that a folder is; `None` where it is no such folder.
pub(crate) fn partitions(folder: &Path) -> Result<Option<Partitions>> {
    let collection = properties(&folder.join("collection.properties"));
    let table = collection.and_then(|entries| entries.get("hats_primary_table_url").cloned());
    let folder = table.map_or_else(|| folder.to_owned(), |table| folder.join(table));
    let Some(entries) = of_folder(&folder) else {
        return Ok(None);
    };
    check_type(&folder, &entries, None)?;
    let name = |key: &str| entries.get(key).filter(|name| !name.is_empty()).cloned();
    let sky = name("hats_col_ra").zip(name("hats_col_dec"));
    let suffix = name("hats_npix_suffix").unwrap_or_else(|| ".parquet".to_owned());
    let list = folder.join("partition_info.csv");
    let broken = |reason: String| {
        SampleError::Input(format!(
            "{}: expected the partitions of a HATS catalogue: {reason}",
            list.display()
        ))
    };
    let text = std::fs::read_to_string(&list).map_err(|error| broken(error.to_string()))?;
    let mut pixels = pixels(&text).map_err(broken)?;
    pixels.sort_unstable();
    let mut files = Vec::new();
    for (order, pixel) in pixels {
        let above = pixel / 10_000 * 10_000;
        let of_pixel = folder.join(format!("dataset/Norder={order}/Dir={above}/Npix={pixel}"));
        if suffix == "/" {
            files.extend(parquet_files(&of_pixel));
        } else {
            files.push(PathBuf::from(format!("{}{suffix}", of_pixel.display())));
        }
    }
    if files.is_empty() {
        return Err(broken("no partition".to_owned()));
    }
    Ok(Some(Partitions {
        files,
        sky: sky.map(|(ra, dec)| [ra, dec]),
        rows: name("hats_nrows").and_then(|rows| rows.parse().ok()),
    }))
}

/// The order and the pixel of each line.
fn pixels(text: &str) -> Result<Vec<(u32, u64)>, String> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let names: Vec<&str> = lines
        .next()
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .collect();
    let column = |name: &str| names.iter().position(|other| *other == name);
    let (Some(order), Some(pixel)) = (column("Norder"), column("Npix")) else {
        return Err("expected the columns Norder and Npix".to_owned());
    };
    let pair = |line: &str| {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let both = fields
            .get(order)?
            .parse()
            .ok()
            .zip(fields.get(pixel)?.parse().ok());
        both.filter(|&(order, _): &(u32, u64)| order < 30)
    };
    let read = |line: &str| pair(line).ok_or_else(|| format!("no order and pixel in `{line}`"));
    lines.map(read).collect()
}

/// The Parquet files of a folder, by name.
fn parquet_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "parquet")
        })
        .collect();
    files.sort();
    files
}
