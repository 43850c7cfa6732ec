//! HDF5: a data set of uint64 or float64 for each column, the metadata as attributes of the file.
//!
//! Entry: [`write`], [`read`]. The data set `albireo` holds the whole description as JSON, as attributes are bounded and have no order:
//! it alone is read back.

use std::io::Write;
use std::path::Path;

use hdf5_writer::{AttributeBuilder, DatasetBuilder, Hdf5Builder, WriteOptions};
use serde_json::{Value as Json, json};

use super::tree::Tree;
use super::{Failure, Recorded, Row, Table, TableColumn, columns_from_json, columns_json};
use crate::hdf5::array::{Array, Elements, Store};
use crate::numbers::Values;

pub(super) const FORMAT: Row = Row {
    name: "hdf5",
    endings: &["h5", "hdf5"],
    about: "A data set for each column, with the record",
    printed: false,
    recorded: Recorded::Inside,
    write: |table, tree, mut writer| write(table, tree, &mut writer),
    read,
};

/// The data set that holds the description.
const DESCRIPTION: &str = "albireo";
/// Attributes share headers whose parts have at most 65,535 bytes; what is longer stands in the description alone.
const LONGEST_ATTRIBUTE: usize = 32_000;

impl From<hdf5_writer::Error> for Failure {
    fn from(error: hdf5_writer::Error) -> Self {
        match error {
            hdf5_writer::Error::Io(reason) => Self::Io(reason),
            other => Self::Malformed(other.to_string()),
        }
    }
}

/// The data sets of the columns: their names, but for what HDF5 takes for paths, and for names that are taken.
fn data_sets(columns: &[TableColumn]) -> Vec<String> {
    let mut taken = vec![DESCRIPTION.to_owned()];
    for column in columns {
        let mut name = column.name.replace('/', "|");
        while taken.contains(&name) || name.chars().all(|c| c == '.') {
            name.push('_');
        }
        taken.push(name);
    }
    taken.split_off(1)
}

pub(super) fn write<W: Write>(
    table: &Table,
    tree: Option<&Tree>,
    writer: &mut W,
) -> Result<(), Failure> {
    let mut description = json!({ "meta": table.meta, "columns": columns_json(table) }).to_string();
    if tree.is_some() {
        // Readers of the tree take all texts of a file for ASCII.
        description = escaped(&description);
    }
    let description = DatasetBuilder::fixed_string_data(DESCRIPTION, [], &[description])?;
    let mut file = Hdf5Builder::new().dataset(description);
    for (column, name) in table.columns.iter().zip(data_sets(&table.columns)) {
        let shape = [column.values.len() as u64];
        let mut stored = match &column.values {
            Values::Integers(values) => DatasetBuilder::typed_data(name, shape, values)?,
            Values::Floats(values) => DatasetBuilder::typed_data(name, shape, values)?,
        };
        let said = [
            ("units", column.unit.as_deref().unwrap_or_default()),
            ("description", &column.description),
        ];
        for (key, text) in said.into_iter().filter(|(_, text)| !text.is_empty()) {
            if text.len() <= LONGEST_ATTRIBUTE {
                stored = stored.attribute(AttributeBuilder::fixed_string(key, text));
            }
        }
        file = file.dataset(stored);
    }
    for (key, value) in &table.meta {
        let is_name = !key.contains('\0') && !key.split('/').any(str::is_empty);
        if let (true, Some(attribute)) = (is_name, attribute(key, value)?) {
            file = file.attribute(attribute);
        }
    }
    if let Some(tree) = tree {
        file = with_tree(file, "", tree)?;
    }
    let bytes = file.into_plan()?.encode(WriteOptions::default())?;
    Ok(writer.write_all(&bytes)?)
}

/// JSON with other characters than those of ASCII by their numbers.
fn escaped(json: &str) -> String {
    let mut units = [0; 2];
    json.chars()
        .flat_map(|c| match c {
            '\0'..='\x7f' => vec![c.to_string()],
            _ => (c.encode_utf16(&mut units).iter())
                .map(|unit| format!("\\u{unit:04x}"))
                .collect(),
        })
        .collect()
}

/// A file with the values of `tree` below the group `path`.
fn with_tree(file: Hdf5Builder, path: &str, tree: &Tree) -> Result<Hdf5Builder, Failure> {
    let shape = |shape: &[usize]| shape.iter().map(|&n| n as u64).collect::<Vec<_>>();
    let stored = match tree {
        Tree::Group(members) => {
            return members.iter().try_fold(file, |file, (name, node)| {
                let below = match path {
                    "" => name.clone(),
                    _ => format!("{path}/{name}"),
                };
                match node {
                    Tree::Group(attributes) if name == "attrs" => {
                        with_attributes(file, path, attributes)
                    }
                    _ => with_tree(file, &below, node),
                }
            });
        }
        Tree::Text(text) => DatasetBuilder::vlen_string_data(path, [], &[text])?,
        Tree::Texts(texts) => DatasetBuilder::vlen_string_data(path, [texts.len() as u64], texts)?,
        Tree::Integer(value) => DatasetBuilder::typed_data(path, [], &[*value])?,
        Tree::Float(value) => DatasetBuilder::typed_data(path, [], &[*value])?,
        Tree::Integers(of, values) => DatasetBuilder::typed_data(path, shape(of), values)?,
        Tree::Floats(of, values) => DatasetBuilder::typed_data(path, shape(of), values)?,
        Tree::Absent | Tree::Flag(_) | Tree::List(_) | Tree::Numbered(_) => {
            return Err(Failure::Malformed(format!("HDF5 has no form of `{path}`")));
        }
    };
    Ok(file.dataset(stored))
}

/// A file whose group `path` has these integers as attributes.
fn with_attributes(
    file: Hdf5Builder,
    path: &str,
    attributes: &[(String, Tree)],
) -> Result<Hdf5Builder, Failure> {
    attributes.iter().try_fold(file, |file, (name, node)| {
        let Tree::Integer(value) = node else {
            return Err(Failure::Malformed(format!(
                "`{path}`: attribute `{name}` is no integer"
            )));
        };
        let attribute = AttributeBuilder::scalar(name, *value)?;
        Ok(match path {
            "" => file.attribute(attribute),
            _ => file.group_attribute(path, attribute),
        })
    })
}

/// Groups within groups that a tree has at most.
const DEPTH: usize = 8;

/// The tree that another package wrote to a file; none where its root does not say by a `name` what it is, or holds columns of ours.
pub(super) fn read_tree(path: &Path) -> Result<Option<Tree>, Failure> {
    let store = Store::open(path)?;
    if store.array(DESCRIPTION).is_some() || store.array("name").is_none() {
        return Ok(None);
    }
    below(&store, "", DEPTH).map(Some)
}

/// The members of a group, its attributes left out.
fn below(store: &Store, group: &str, depth: usize) -> Result<Tree, Failure> {
    if depth == 0 {
        return Err(Failure::Malformed(format!(
            "`{group}`: expected at most {DEPTH} groups within one another"
        )));
    }
    let (groups, arrays) = store.members(group).unwrap_or_default();
    let path = |name: &str| match group {
        "" => name.to_owned(),
        _ => format!("{group}/{name}"),
    };
    let mut members = Vec::new();
    for name in arrays {
        let Some(array) = store.array(&path(&name)).filter(Array::is_readable) else {
            continue;
        };
        let shape = array.shape().iter();
        let shape = shape
            .map(|&n| usize::try_from(n).unwrap_or(usize::MAX))
            .collect();
        let node = match store.elements(&array, None)? {
            Elements::Reals(values) => Tree::Floats(shape, values),
            Elements::Integers(values) => Tree::Integers(shape, values),
            Elements::Texts(texts) => Tree::Texts(texts),
        };
        members.push((name, node));
    }
    for name in groups {
        let tree = below(store, &path(&name), depth - 1)?;
        members.push((name, tree));
    }
    Ok(Tree::Group(members))
}

/// Texts, numbers and lists of numbers as they are, all else as JSON; nothing for what is too long.
fn attribute(key: &str, value: &Json) -> Result<Option<AttributeBuilder>, Failure> {
    let bounded = |bytes: usize| key.len() + bytes <= LONGEST_ATTRIBUTE;
    if let Some(number) = value.as_u64() {
        return Ok(Some(AttributeBuilder::scalar(key, number)?));
    }
    if let Some(number) = value.as_i64() {
        return Ok(Some(AttributeBuilder::scalar(key, number)?));
    }
    if let Some(number) = value.as_f64() {
        return Ok(Some(AttributeBuilder::scalar(key, number)?));
    }
    let list = value.as_array().filter(|list| !list.is_empty());
    if let Some(list) = list {
        let integers: Option<Vec<u64>> = list.iter().map(Json::as_u64).collect();
        let floats: Option<Vec<f64>> = list.iter().map(Json::as_f64).collect();
        let fits = bounded(8 * list.len());
        match (integers, floats) {
            (Some(integers), _) if fits => {
                return Ok(Some(AttributeBuilder::vector(key, &integers)?));
            }
            (_, Some(floats)) if fits => return Ok(Some(AttributeBuilder::vector(key, &floats)?)),
            (_, Some(_)) => return Ok(None),
            (_, None) => {}
        }
    }
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let fits = bounded(text.len()) && !text.contains('\0');
    Ok(fits.then(|| AttributeBuilder::fixed_string(key, text)))
}

pub(super) fn read(path: &Path) -> Result<Table, Failure> {
    let store = Store::open(path)?;
    let missing = || {
        Failure::Malformed(format!(
            "no description in a data set `{DESCRIPTION}`, as the results have that albireo writes with -o"
        ))
    };
    let described = store.array(DESCRIPTION).ok_or_else(missing)?;
    let Elements::Texts(texts) = store.elements(&described, None)? else {
        return Err(missing());
    };
    let text = texts.first().ok_or_else(missing)?;
    let mut json: Json = serde_json::from_str(text)
        .map_err(|error| Failure::Malformed(format!("data set `{DESCRIPTION}`: {error}")))?;
    let mut columns = columns_from_json(&json["columns"])?;
    let Json::Object(meta) = json["meta"].take() else {
        return Err(missing());
    };
    let names = data_sets(&columns);
    for (column, name) in columns.iter_mut().zip(names) {
        let found = match store.array(&name) {
            Some(array) => store.column(&array)?,
            None => None,
        };
        let dtype = column.values.dtype();
        column.values = found
            .filter(|values| values.dtype() == dtype)
            .ok_or_else(|| {
                Failure::Malformed(format!(
                    "data set `{name}` is missing or no column of {dtype}"
                ))
            })?;
    }
    Ok(Table { columns, meta })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_lies_beside_the_columns_and_leaves_them_as_they_are() {
        let columns = vec![TableColumn::integers(
            "npairs",
            "\u{c5}ngstr\u{f6}m",
            vec![7, 8],
        )];
        let meta = serde_json::Map::from_iter([("unit".to_owned(), json!("\u{1d11e}"))]);
        let table = Table { columns, meta };
        let attributes = Tree::group([("size1", Tree::Integer(92))]);
        let tree = Tree::group([
            ("name", Tree::text("count2")),
            ("names", Tree::texts(["DD", "RR"])),
            (
                "DD",
                Tree::group([
                    ("norm", Tree::Floats(vec![1, 2], vec![0.5, 3.0])),
                    ("attrs", attributes),
                ]),
            ),
        ]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.h5");
        table.write_with(Some(&tree), &path).unwrap();
        assert_eq!(Table::read(&path).unwrap(), table);
        let store = Store::open(&path).unwrap();
        let texts = |name: &str| match store.elements(&store.array(name).unwrap(), None).unwrap() {
            Elements::Texts(texts) => texts,
            _ => Vec::new(),
        };
        assert!(texts(DESCRIPTION)[0].is_ascii());
        assert_eq!(texts("name"), ["count2"]);
        assert_eq!(texts("names"), ["DD", "RR"]);
        let norm = store.array("DD/norm").unwrap();
        assert_eq!(norm.shape(), [1, 2]);
        let sizes: Vec<_> = store.attributes("DD").into_iter().collect();
        assert_eq!(format!("{sizes:?}").matches("92").count(), 1, "{sizes:?}");
    }

    #[test]
    fn the_tree_of_another_package_is_read() {
        let tree = Tree::group([
            ("name", Tree::Texts(vec!["count2".to_owned()])),
            ("s", Tree::Floats(vec![2, 1], vec![0.5, 3.0])),
            (
                "meta",
                Tree::group([("ell", Tree::Integers(vec![], vec![2]))]),
            ),
        ]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.h5");
        let file = with_tree(Hdf5Builder::new(), "", &tree).unwrap();
        let bytes = file.into_plan().unwrap();
        let bytes = bytes.encode(WriteOptions::default()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read_tree(&path).unwrap(), Some(tree.clone()));
        Table::default().write_with(Some(&tree), &path).unwrap();
        assert_eq!(read_tree(&path).unwrap(), None);
    }

    #[test]
    fn names_are_no_paths_and_never_the_same() {
        let names = ["a/b", "a|b", ".", "albireo", "g(r)", "a|b_"];
        let columns = names.map(|name| TableColumn::integers(name, "", Vec::new()));
        assert_eq!(
            data_sets(&columns),
            ["a|b", "a|b_", "._", "albireo_", "g(r)", "a|b__"]
        );
    }
}
