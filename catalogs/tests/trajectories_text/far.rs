//! Frames far behind others in long tables, reached without what lies between, and texts that a file keeps as a dictionary.

use std::path::Path;
use std::sync::Arc;

use albireo_catalogs::{Attribute, Stop, Table, TableColumn, open_trajectory};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::{all, request};

const FRAMES: usize = 40;
/// Rows of the first frame; each has a few more than the one before.
const ROWS: usize = 9000;

fn rows_of(frame: usize) -> usize {
    ROWS + 7 * frame
}

/// The frame of each row.
fn frames() -> Vec<usize> {
    let of = |frame| std::iter::repeat_n(frame, rows_of(frame));
    (0..FRAMES).flat_map(of).collect()
}

/// The species of each row: the dictionary of one row group is not that of the next, and some are missing.
fn species(rows: usize) -> Vec<Option<String>> {
    let of = |row: usize| match row % 5 {
        0 => None,
        k => Some(format!("S{}", k + row / 100_000)),
    };
    (0..rows).map(of).collect()
}

fn parquet(path: &Path, dictionary: bool) {
    let frames = frames();
    let rows = frames.len();
    let axis = |k: usize| -> ArrayRef {
        let values = (0..rows).map(|row| (row * 3 + k) as f64 * 0.125);
        Arc::new(Float64Array::from_iter_values(values))
    };
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(
        frames.iter().map(|&frame| 10 + 2 * frame as i64),
    ));
    let species: ArrayRef = Arc::new(StringArray::from(species(rows)));
    let columns = [
        ("frame", numbers),
        ("species", species),
        ("x", axis(0)),
        ("y", axis(1)),
        ("z", axis(2)),
    ];
    let nullable = columns.map(|(name, values)| (name, values, true));
    let batch = RecordBatch::try_from_iter_with_nullable(nullable).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(70_001))
        .set_dictionary_enabled(dictionary)
        .build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// Reads the frames that are named, and passes over the others.
fn some(path: &Path, wanted: &[usize]) {
    let mut trajectory = open_trajectory(path, &request(""), Stop::never()).unwrap();
    let starts: Vec<usize> = (0..FRAMES)
        .scan(0, |row, frame| {
            *row += rows_of(frame);
            Some(*row - rows_of(frame))
        })
        .collect();
    let species = species(starts[FRAMES - 1] + rows_of(FRAMES - 1));
    let mut next = 0;
    for &frame in wanted {
        let between = (frame - next) as u64;
        assert_eq!(trajectory.skip(between).unwrap(), between);
        let found = trajectory.next_frame().unwrap().unwrap();
        assert_eq!((found.number, found.len()), (frame as u64, rows_of(frame)));
        let rows = starts[frame]..starts[frame] + rows_of(frame);
        for axis in 0..3 {
            let expected = rows.clone().map(|row| (row * 3 + axis) as f64 * 0.125);
            assert!(found.positions[axis].iter().copied().eq(expected));
        }
        if let Some(of) = found.atoms.get("species") {
            let expected = species[rows].iter().map(|s| s.as_deref().unwrap_or(""));
            assert_eq!(*of, Attribute::of_texts(expected), "frame {frame}");
        }
        next = frame + 1;
    }
    let left = (FRAMES - next) as u64;
    assert_eq!(trajectory.skip(u64::MAX).unwrap(), left);
    assert!(trajectory.next_frame().unwrap().is_none());
    assert_eq!(trajectory.skip(1).unwrap(), 0);
}

#[test]
fn what_lies_between_is_left_out_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    for dictionary in [true, false] {
        parquet(&path, dictionary);
        for wanted in [
            &[0, 1, 2, 3, 39][..],
            &[3, 30, 31, 39],
            &[17, 36],
            &[39],
            &[],
        ] {
            some(&path, wanted);
        }
        assert_eq!(all(&path, &request("")).unwrap().len(), FRAMES);
    }
}

#[test]
fn other_formats_come_to_the_same_frames() {
    let frames = frames();
    let axis = |k: usize| {
        let values = (0..frames.len()).map(|row| (row * 3 + k) as f64 * 0.125);
        values.collect::<Vec<_>>()
    };
    let table = Table {
        columns: vec![
            TableColumn::integers("frame", "", frames.iter().map(|&f| f as u64).collect()),
            TableColumn::floats("x", "", axis(0)),
            TableColumn::floats("y", "", axis(1)),
            TableColumn::floats("z", "", axis(2)),
        ],
        ..Table::default()
    };
    let folder = tempfile::tempdir().unwrap();
    for ending in ["fits", "ecsv"] {
        let path = folder.path().join(format!("table.{ending}"));
        table.write(&path).unwrap();
        some(&path, &[3, 30, 31]);
    }
}

#[test]
fn a_frame_in_two_places_is_found_where_it_is_passed_over_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    let numbers = vec![1.0, 1.0, 2.0, 1.0, 3.0];
    let axis = |name| TableColumn::floats(name, "", vec![0.5; 5]);
    let table = Table {
        columns: vec![
            TableColumn::floats("frame", "", numbers),
            axis("x"),
            axis("y"),
            axis("z"),
        ],
        ..Table::default()
    };
    table.write(&path).unwrap();
    let mut trajectory = open_trajectory(&path, &request(""), Stop::never()).unwrap();
    let error = trajectory.skip(4).unwrap_err().to_string();
    assert!(
        error.contains("frame 1 begins in row 0 (from 0) and again in row 3"),
        "{error}"
    );
}
