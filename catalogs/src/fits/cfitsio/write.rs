//! Result tables and matrices as FITS, written by cfitsio into memory.
//!
//! Entry: [`write_table`].

use std::ffi::{CString, c_char};
use std::ptr;

use fitsio::sys;

use super::{Created, check};

/// One column to write.
pub(crate) struct FitsColumn<'a> {
    pub(crate) name: &'a str,
    /// Empty if it has none.
    pub(crate) unit: &'a str,
    pub(crate) description: &'a str,
    pub(crate) values: &'a crate::numbers::Values,
}

/// An array of float64 to write behind the table.
pub(crate) struct FitsImage<'a> {
    pub(crate) name: &'a str,
    /// The last axis varies fastest.
    pub(crate) shape: &'a [usize],
    pub(crate) values: &'a [f64],
}

/// The bytes of a FITS file with one binary table `extname`: columns of uint64 and float64, and one long text under
/// `keyword`, which must be ASCII; and images behind it.
pub(crate) fn write_table(
    extname: &str,
    columns: &[FitsColumn<'_>],
    (keyword, long_text): (&str, &str),
    images: &[FitsImage<'_>],
) -> Result<Vec<u8>, String> {
    use crate::numbers::Values;
    let mut created = Created::new()?;
    let rows = columns.first().map_or(0, |column| column.values.len());
    let mut status = 0;
    create(&mut created, extname, columns, rows)?;
    for (number, column) in (1..).zip(columns) {
        if !column.description.is_empty() {
            long_key(&mut created, &format!("TCOMM{number}"), column.description)?;
        }
    }
    long_key(&mut created, keyword, long_text)?;
    for (number, column) in (1..).zip(columns) {
        let count = rows as i64;
        // SAFETY: the file is open; each call only reads `rows` values, which every column has.
        unsafe {
            let handle = created.file.as_raw();
            match column.values {
                Values::Integers(values) => {
                    let from = values.as_ptr().cast_mut();
                    sys::ffpclujj(handle, number, 1, 1, count, from, &raw mut status);
                }
                Values::Floats(values) => {
                    let from = values.as_ptr().cast_mut();
                    sys::ffpcld(handle, number, 1, 1, count, from, &raw mut status);
                }
            }
        }
        check(status)?;
    }
    for image in images {
        write_image(&mut created, image)?;
    }
    let end = created.data()?.end;
    created
        .bytes()
        .get(..end)
        .map(<[u8]>::to_vec)
        .ok_or_else(|| "cfitsio: the file is shorter than its table".to_owned())
}

/// Writes an image behind what there is.
fn write_image(created: &mut Created, image: &FitsImage<'_>) -> Result<(), String> {
    if image.shape.iter().product::<usize>() != image.values.len() {
        return Err(format!(
            "{}: the shape is not that of the values",
            image.name
        ));
    }
    // The first axis of FITS is the fastest.
    let mut axes: Vec<i64> = image.shape.iter().rev().map(|&n| n as i64).collect();
    let name = c_text(&image.name.to_uppercase());
    let from = image.values.as_ptr().cast_mut();
    let (count, mut status) = (image.values.len() as i64, 0);
    // SAFETY: the file is open; the calls read as many axes as there are, the texts up to their ends, and `count` values.
    unsafe {
        let (handle, code) = (created.file.as_raw(), &raw mut status);
        sys::ffcrimll(handle, -64, axes.len() as i32, axes.as_mut_ptr(), code);
        sys::ffpkys(
            handle,
            c"EXTNAME".as_ptr(),
            name.as_ptr(),
            ptr::null(),
            code,
        );
        sys::ffpprd(handle, 1, 1, count, from, code);
    }
    check(status)
}

/// Begins the table: names, formats, units.
fn create(
    created: &mut Created,
    extname: &str,
    columns: &[FitsColumn<'_>],
    rows: usize,
) -> Result<(), String> {
    use crate::numbers::Values;
    let names: Vec<CString> = columns.iter().map(|column| c_text(column.name)).collect();
    let units: Vec<CString> = columns.iter().map(|column| c_text(column.unit)).collect();
    // W: unsigned integers of 64 bits, which cfitsio writes as K with their TZERO.
    let form = |column: &FitsColumn<'_>| match column.values {
        Values::Integers(_) => c_text("1W"),
        Values::Floats(_) => c_text("1D"),
    };
    let forms: Vec<CString> = columns.iter().map(form).collect();
    let [mut names, mut forms, mut units] = [&names, &forms, &units].map(|texts| pointers(texts));
    let extname = c_text(extname);
    let mut status = 0;
    // SAFETY: the three lists have an entry for each column; their texts live to the end of this function.
    unsafe {
        let handle = created.file.as_raw();
        let (names, forms, units) = (names.as_mut_ptr(), forms.as_mut_ptr(), units.as_mut_ptr());
        let (count, code) = (columns.len() as i32, &raw mut status);
        let (kind, rows) = (2, rows as i64); // 2: a binary table
        sys::ffcrtb(
            handle,
            kind,
            rows,
            count,
            names,
            forms,
            units,
            extname.as_ptr(),
            code,
        );
    }
    check(status)
}

/// Writes a text of any length under `keyword`, in CONTINUE cards behind the first.
fn long_key(created: &mut Created, keyword: &str, text: &str) -> Result<(), String> {
    let (keyword, text) = (c_text(keyword), c_text(text));
    let mut status = 0;
    // SAFETY: the file is open; both texts live to the end of this function.
    unsafe {
        let handle = created.file.as_raw();
        sys::ffplsw(handle, &raw mut status);
        sys::ffpkls(
            handle,
            keyword.as_ptr(),
            text.as_ptr(),
            ptr::null(),
            &raw mut status,
        );
    }
    check(status)
}

/// The text up to a NUL, which no text here has.
fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// cfitsio takes lists of texts as mutable, and only reads them.
fn pointers(texts: &[CString]) -> Vec<*mut c_char> {
    texts.iter().map(|text| text.as_ptr().cast_mut()).collect()
}
