//! A FITS file of one binary table, by the standard's own words.

use crate::columns::{Column, Type};

fn padded(mut bytes: Vec<u8>, with: u8) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(2880), with);
    bytes
}

fn card(key: &str, value: impl std::fmt::Display) -> String {
    format!("{:<80}", format!("{key:<8}= {value:>20}"))
}

fn quoted(key: &str, text: &str) -> String {
    format!("{:<80}", format!("{key:<8}= '{text:<8}'"))
}

/// The bytes of a number of a column.
fn cell(column: &Column, at: usize) -> Vec<u8> {
    let value = column.cell(at).unwrap();
    match column.stored {
        Type::Double => value.to_be_bytes().to_vec(),
        Type::Single => (value as f32).to_be_bytes().to_vec(),
        Type::Integer => (value as i32).to_be_bytes().to_vec(),
    }
}

/// The columns of the table, masks among them: name, unit, form, and the bytes of each row.
fn fields(columns: &[Column]) -> Vec<(String, String, String, Vec<Vec<u8>>)> {
    let mut fields = Vec::new();
    for column in columns {
        let letter = match column.stored {
            Type::Double => 'D',
            Type::Single => 'E',
            Type::Integer => 'J',
        };
        let of_row = |row: usize| {
            let begin = row * column.width;
            let cells = (begin..begin + column.width).map(|at| cell(column, at));
            cells.flatten().collect()
        };
        let rows = (0..column.rows()).map(of_row).collect();
        let form = format!("{}{letter}", column.width);
        fields.push((column.name.clone(), column.unit.clone(), form, rows));
        if let Some(mask) = column.mask() {
            let rows = mask
                .iter()
                .map(|&lost| vec![if lost { b'T' } else { b'F' }]);
            let name = format!("{}.mask", column.name);
            fields.push((name, String::new(), "L".to_owned(), rows.collect()));
        }
    }
    fields
}

pub(crate) fn fits(columns: &[Column]) -> Vec<u8> {
    let end = format!("{:<80}", "END");
    let primary = [
        card("SIMPLE", "T"),
        card("BITPIX", 8),
        card("NAXIS", 0),
        end.clone(),
    ];
    let fields = fields(columns);
    let mut cards = String::new();
    for (k, (name, unit, form, _)) in fields.iter().enumerate() {
        cards += &quoted(&format!("TTYPE{}", k + 1), name);
        cards += &quoted(&format!("TFORM{}", k + 1), form);
        if !unit.is_empty() {
            cards += &quoted(&format!("TUNIT{}", k + 1), unit);
        }
    }
    let rows = columns[0].rows();
    let of_row = |row: usize| fields.iter().flat_map(move |field| field.3[row].clone());
    let cells: Vec<u8> = (0..rows).flat_map(of_row).collect();
    let table = [
        quoted("XTENSION", "BINTABLE"),
        card("BITPIX", 8),
        card("NAXIS", 2),
        card("NAXIS1", cells.len() / rows),
        card("NAXIS2", rows),
        card("PCOUNT", 0),
        card("GCOUNT", 1),
        card("TFIELDS", fields.len()),
        cards,
        end,
    ];
    let mut bytes = padded(primary.concat().into_bytes(), b' ');
    bytes.extend(padded(table.concat().into_bytes(), b' '));
    bytes.extend(padded(cells, 0));
    bytes
}
