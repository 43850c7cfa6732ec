//! Arrays of Python, `.npy`: of one dictionary, which pycorr saves, or of numbers, such as a covariance.
//!
//! Entry: [`FORMAT`], [`write`]. The dictionary is a pickle of protocol 2 whose arrays are calls of `numpy.array`, so that any version of it takes them. Pickles are programs: none is read here, the record beside it holds the result.

use std::io::{self, Write};

use super::tree::Tree;
use super::{Failure, Recorded, Row, beside};

pub(super) const FORMAT: Row = Row {
    name: "npy",
    endings: &["npy"],
    about: "Pair counts and estimates as pycorr saves them, covariances as a matrix",
    printed: false,
    recorded: Recorded::Whole,
    write: |_, tree, mut writer| match tree {
        Some(tree) => Ok(write(tree, &mut writer)?),
        None => Err(Failure::NoForm(".npy")),
    },
    read: beside::read_whole,
};

impl Tree {
    /// Writes it as an array of Python, of one object.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_npy<W: Write>(&self, mut writer: W) -> io::Result<()> {
        write(self, &mut writer)
    }
}

/// Bytes of the head together; one of the first version has them in multiples of 64.
const HEAD: u16 = 128;
/// The place in the pickle's memory of the function that makes arrays.
const ARRAY: [u8; 2] = [b'h', 0];

/// The head of an array of this type and shape.
fn head<W: Write>(descr: &str, shape: &[usize], writer: &mut W) -> io::Result<()> {
    let mut shape = shape
        .iter()
        .map(usize::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    if !shape.is_empty() {
        shape.push(',');
    }
    let head = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    writer.write_all(b"\x93NUMPY\x01\x00")?;
    writer.write_all(&(HEAD - 10).to_le_bytes())?;
    writeln!(writer, "{head:width$}", width = usize::from(HEAD) - 11)
}

/// Writes `tree` as an array of one object; numbers as an array of them.
pub(super) fn write<W: Write>(tree: &Tree, writer: &mut W) -> io::Result<()> {
    if let Tree::Floats(shape, values) = tree {
        head("<f8", shape, writer)?;
        let mut each = values.iter();
        return each.try_for_each(|value| writer.write_all(&value.to_le_bytes()));
    }
    head("|O", &[], writer)?;
    // Protocol 2; the function is kept as number 0.
    writer.write_all(b"\x80\x02cnumpy\narray\nq\x00")?;
    pickle(tree, writer)?;
    // Of a tuple of one, called, and the end.
    writer.write_all(b"\x85R.")
}

fn pickle<W: Write>(tree: &Tree, writer: &mut W) -> io::Result<()> {
    match tree {
        Tree::Absent => writer.write_all(b"N"),
        Tree::Flag(yes) => writer.write_all(if *yes { b"\x88" } else { b"\x89" }),
        Tree::Integer(value) => integer(*value, writer),
        Tree::Float(value) => float(*value, writer),
        Tree::Text(value) => text(value, writer),
        Tree::Texts(values) => list(values, writer, |value, writer| text(value, writer)),
        Tree::Integers(shape, values) => array(shape, values, "i8", writer, integer),
        Tree::Floats(shape, values) => array(shape, values, "f8", writer, float),
        Tree::List(nodes) => list(nodes, writer, pickle),
        Tree::Group(members) => dictionary(members, writer, |name, writer| text(name, writer)),
        Tree::Numbered(members) => dictionary(members, writer, |key, writer| integer(*key, writer)),
    }
}

fn integer<W: Write>(value: i64, writer: &mut W) -> io::Result<()> {
    if let Ok(small) = i32::try_from(value) {
        writer.write_all(b"J")?;
        return writer.write_all(&small.to_le_bytes());
    }
    writer.write_all(&[0x8a, 8])?;
    writer.write_all(&value.to_le_bytes())
}

fn float<W: Write>(value: f64, writer: &mut W) -> io::Result<()> {
    writer.write_all(b"G")?;
    writer.write_all(&value.to_be_bytes())
}

fn text<W: Write>(value: &str, writer: &mut W) -> io::Result<()> {
    let length = u32::try_from(value.len()).map_err(io::Error::other)?;
    writer.write_all(b"X")?;
    writer.write_all(&length.to_le_bytes())?;
    writer.write_all(value.as_bytes())
}

fn list<T, W: Write>(
    values: &[T],
    writer: &mut W,
    one: impl Fn(&T, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    writer.write_all(b"](")?;
    for value in values {
        one(value, writer)?;
    }
    writer.write_all(b"e")
}

fn dictionary<K, W: Write>(
    members: &[(K, Tree)],
    writer: &mut W,
    key: impl Fn(&K, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    writer.write_all(b"}(")?;
    for (name, node) in members {
        key(name, writer)?;
        pickle(node, writer)?;
    }
    writer.write_all(b"u")
}

/// A call of the function, with lists in lists and the type.
fn array<T: Copy, W: Write>(
    shape: &[usize],
    values: &[T],
    dtype: &str,
    writer: &mut W,
    one: fn(T, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    writer.write_all(&ARRAY)?;
    nested(shape, values, writer, one)?;
    text(dtype, writer)?;
    writer.write_all(b"\x86R")
}

fn nested<T: Copy, W: Write>(
    shape: &[usize],
    values: &[T],
    writer: &mut W,
    one: fn(T, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    match shape {
        [] | [_] => list(values, writer, |&value, writer| one(value, writer)),
        [rows, rest @ ..] => {
            let length = values.len() / rows.max(&1);
            let rows: Vec<&[T]> = values.chunks(length.max(1)).collect();
            list(&rows, writer, |row, writer| nested(rest, row, writer, one))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_an_array_of_them() {
        let mut bytes = Vec::new();
        let matrix = Tree::Floats(vec![1, 2], vec![0.5, -2.0]);
        assert!(write(&matrix, &mut bytes).is_ok());
        let head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2,), }";
        assert_eq!(&bytes[10..10 + head.len()], head);
        let expected = [0.5_f64, -2.0].map(f64::to_le_bytes).concat();
        assert_eq!(&bytes[usize::from(HEAD)..], expected);
    }

    #[test]
    fn a_dictionary_is_one_object_of_numpy() {
        let tree = Tree::group([
            ("n", Tree::Integers(vec![2, 1], vec![3, 1 << 40])),
            ("x", Tree::floats([0.5])),
            ("no", Tree::Absent),
            ("by", Tree::Numbered(vec![(7, Tree::Flag(true))])),
        ]);
        let mut bytes = Vec::new();
        assert!(write(&tree, &mut bytes).is_ok());
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(bytes[usize::from(HEAD) - 1], b'\n');
        let mut expected = b"\x80\x02cnumpy\narray\nq\x00}(".to_vec();
        expected.extend(b"X\x01\x00\x00\x00nh\x00](](J\x03\x00\x00\x00e](\x8a\x08");
        expected.extend((1_i64 << 40).to_le_bytes());
        expected.extend(b"eeX\x02\x00\x00\x00i8\x86R");
        expected.extend(b"X\x01\x00\x00\x00xh\x00](G\x3f\xe0\0\0\0\0\0\0eX\x02\x00\x00\x00f8\x86R");
        expected.extend(b"X\x02\x00\x00\x00noN");
        expected.extend(b"X\x02\x00\x00\x00by}(J\x07\x00\x00\x00\x88uu\x85R.");
        assert_eq!(&bytes[usize::from(HEAD)..], expected);
    }
}
