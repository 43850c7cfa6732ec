//! Joined columns are those that a double loop over the rows of both tables finds.

use std::fmt::Write as _;

use albireo_catalogs::{AbsentKeys, Join, Request, Stop, open_joined};
use albireo_fixtures::{Dice, Folder};

/// Keys near 2^62, which float64 cannot tell apart, near 0 and below it.
fn key(dice: &mut Dice, most: usize) -> i64 {
    let offset = [0, 1 << 62, -(1 << 60)][dice.roll(3)];
    offset + dice.roll(most) as i64
}

/// A row of the table, and one of the joined files: its key and a number.
type Row = (i64, i64);

fn text(header: &str, rows: &[Row]) -> String {
    let mut text = format!("{header}\n");
    for (key, value) in rows {
        let _ = writeln!(text, "{key},{value}");
    }
    text
}

/// What a double loop makes of both: own number and joined number of the rows that are kept, or nothing where a key must be there and is not.
fn looped(own: &[Row], other: &[Row], absent: AbsentKeys) -> Option<Vec<(f64, f64)>> {
    let mut rows = Vec::new();
    for (key, value) in own {
        let found = other.iter().find(|(of_other, _)| of_other == key);
        match (found, absent) {
            (Some((_, joined)), _) => rows.push((*value as f64, *joined as f64)),
            (None, AbsentKeys::Drop) => {}
            (None, AbsentKeys::Zero) => rows.push((*value as f64, 0.0)),
            (None, AbsentKeys::Refuse) => return None,
        }
    }
    Some(rows)
}

#[test]
fn rows_are_those_of_a_double_loop() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut whole, mut refused) = (0, 0);
    for case in 0..300 {
        let most = 1 + dice.roll(12);
        let own: Vec<Row> = (0..dice.roll(40))
            .map(|row| (key(&mut dice, most), row as i64))
            .collect();
        let mut other: Vec<Row> = Vec::new();
        for _ in 0..dice.roll(60) {
            let key = key(&mut dice, most);
            if other.iter().all(|(known, _)| *known != key) {
                other.push((key, dice.roll(1000) as i64));
            }
        }
        let cut = dice.roll(other.len() + 1);
        let folder = Folder::new()
            .with("own.csv", text("ID,own", &own))
            .with("a.csv", text("KEY,joined", &other[..cut]))
            .with("b.csv", text("KEY,joined", &other[cut..]));
        let absent = [AbsentKeys::Refuse, AbsentKeys::Drop, AbsentKeys::Zero][dice.roll(3)];
        let join = Join {
            files: vec![folder.path("a.csv"), folder.path("b.csv")],
            key: "ID".to_owned(),
            of_files: "KEY".to_owned(),
            columns: vec!["joined".to_owned()],
            absent,
        };
        let request = Request::columns(["own", "joined + 0"]);
        let opened = open_joined(&folder.path("own.csv"), &[join], Stop::default());
        let read = opened.and_then(|mut reader| reader.read(&request));
        let Some(expected) = looped(&own, &other, absent) else {
            let error = read.err().map(|error| error.to_string());
            assert!(error.unwrap().contains("have a `ID`"), "case {case}");
            refused += 1;
            continue;
        };
        let catalog = read.unwrap_or_else(|error| panic!("case {case}: {error}"));
        let own = catalog.column("own").unwrap().iter().copied();
        let joined = catalog.column("joined + 0").unwrap().iter().copied();
        assert_eq!(own.zip(joined).collect::<Vec<_>>(), expected, "case {case}");
        whole += 1;
    }
    assert!(whole > 100 && refused > 30, "{whole} {refused}");
}
