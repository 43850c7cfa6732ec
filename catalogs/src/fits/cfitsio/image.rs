//! Small FITS files for cfitsio to read: a table whose header is made here, card by card.
//!
//! Entry: [`Packed::image`], [`arrays`]. No card of the original file reaches C code.

const RECORD: usize = 2880;

/// A column of a tile, packed.
pub(in crate::fits) struct TileColumn {
    /// Its format when unpacked.
    pub(in crate::fits) form: String,
    /// Bytes of one unpacked row.
    pub(in crate::fits) bytes: usize,
    /// `GZIP_1`, `GZIP_2` or `RICE_1`.
    pub(in crate::fits) method: &'static str,
    pub(in crate::fits) stream: Vec<u8>,
}

/// The columns of a tile, packed.
pub(in crate::fits) struct Packed<'a> {
    pub(in crate::fits) rows: usize,
    pub(in crate::fits) columns: &'a [TileColumn],
}

impl Packed<'_> {
    /// Bytes of one unpacked row.
    pub(super) fn row_bytes(&self) -> usize {
        self.columns.iter().map(|column| column.bytes).sum()
    }

    /// A compressed table of this tile alone.
    pub(super) fn image(&self) -> Vec<u8> {
        let heap: usize = self.columns.iter().map(|column| column.stream.len()).sum();
        let mut cards = table(16 * self.columns.len(), 1, heap, self.columns.len());
        for (k, column) in (1..).zip(self.columns) {
            cards.push(text(&format!("TFORM{k}"), "1QB"));
            cards.push(text(&format!("ZFORM{k}"), &column.form));
            cards.push(text(&format!("ZCTYP{k}"), column.method));
        }
        cards.push(card("ZTABLE", "T"));
        cards.push(number("ZTILELEN", self.rows));
        cards.push(number("ZNAXIS1", self.row_bytes()));
        cards.push(number("ZNAXIS2", self.rows));
        cards.push(number("ZPCOUNT", 0));
        let mut bytes = file(&cards);
        let mut offset = 0;
        for column in self.columns {
            let length = column.stream.len() as u64;
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(&u64::to_be_bytes(offset));
            offset += length;
        }
        for column in self.columns {
            bytes.extend_from_slice(&column.stream);
        }
        pad(&mut bytes, 0);
        bytes
    }
}

/// A table of one column of arrays of variable length: `rows` gives length and place in `heap` of each.
pub(super) fn arrays(letter: char, rows: &[(u64, u64)], heap: &[u8]) -> Vec<u8> {
    let longest = rows.iter().map(|(length, _)| *length).max().unwrap_or(0);
    let mut cards = table(16, rows.len(), heap.len(), 1);
    cards.push(text("TFORM1", &format!("1Q{letter}({longest})")));
    let mut bytes = file(&cards);
    for (length, place) in rows {
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&place.to_be_bytes());
    }
    bytes.extend_from_slice(heap);
    pad(&mut bytes, 0);
    bytes
}

/// The cards that every binary table begins with.
fn table(row_bytes: usize, rows: usize, heap: usize, columns: usize) -> Vec<String> {
    vec![
        text("XTENSION", "BINTABLE"),
        number("BITPIX", 8),
        number("NAXIS", 2),
        number("NAXIS1", row_bytes),
        number("NAXIS2", rows),
        number("PCOUNT", heap),
        number("GCOUNT", 1),
        number("TFIELDS", columns),
    ]
}

fn card(keyword: &str, value: &str) -> String {
    format!("{:<80}", format!("{keyword:<8}= {value:>20}"))
}

fn number(keyword: &str, value: usize) -> String {
    card(keyword, &value.to_string())
}

fn text(keyword: &str, value: &str) -> String {
    format!("{:<80}", format!("{keyword:<8}= '{value:<8}'"))
}

/// An empty primary HDU, then a header of `cards`.
fn file(cards: &[String]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (keyword, value) in [
        ("SIMPLE", "T"),
        ("BITPIX", "8"),
        ("NAXIS", "0"),
        ("EXTEND", "T"),
    ] {
        bytes.extend_from_slice(card(keyword, value).as_bytes());
    }
    end(&mut bytes);
    for card in cards {
        bytes.extend_from_slice(card.as_bytes());
    }
    end(&mut bytes);
    bytes
}

fn end(bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(format!("{:<80}", "END").as_bytes());
    pad(bytes, b' ');
}

fn pad(bytes: &mut Vec<u8>, with: u8) {
    bytes.resize(bytes.len().next_multiple_of(RECORD), with);
}
