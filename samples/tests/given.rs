//! Samples in memory are read as files of the same columns are.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(
    clippy::unnecessary_wraps,
    reason = "selections are made of what may be missing"
)]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use albireo::particles::Column;
use albireo::{Particles, Weights};
use albireo_catalogs::{Attribute, Filter, TrajectoryRequest};
use albireo_samples::{
    FrameReading, Given, Held, Reading, RegionSpec, Samples, Selection, Source, Stop,
    SurveyReading, Words, held_given,
};

const NAMES: [&str; 7] = ["RA", "DEC", "Z", "x", "y", "w", "halo"];

/// Columns of a survey with something of everything.
fn columns() -> Vec<Vec<f64>> {
    let rows = 0..60_u32;
    let row = |value: fn(f64) -> f64| rows.clone().map(|k| value(f64::from(k))).collect();
    vec![
        row(|k| 150.0 + 0.7 * k),
        row(|k| -20.0 + 0.9 * k),
        row(|k| 0.02 + 0.001 * k),
        row(|k| 0.3 * k),
        row(|k| 17.0 - 0.2 * k),
        row(|k| 0.5 + k / 64.0),
        row(|k| (k / 3.0).floor()),
    ]
}

fn given() -> Given {
    let names = NAMES.iter().map(|&name| name.to_owned());
    Given::new(names.zip(columns().into_iter().map(Column::from)).collect()).unwrap()
}

fn source(path: PathBuf, selection: Selection) -> Source {
    Source {
        role: "data".to_owned(),
        paths: vec![path],
        selection,
    }
}

/// The sample of a file and the one in memory, in that order.
fn both(reading: &Reading, selection: &Selection) -> [Samples; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("survey.csv");
    let mut text = NAMES.join(",");
    for row in 0..60 {
        let cells: Vec<String> = columns().iter().map(|c| c[row].to_string()).collect();
        write!(text, "\n{}", cells.join(",")).unwrap();
    }
    std::fs::write(&path, text).unwrap();
    let reading = Reading {
        given: [("memory".into(), given())].into(),
        ..reading.clone()
    };
    [path, "memory".into()].map(|path| {
        let source = source(path, selection.clone());
        reading.read(&[source], &mut |_| ()).unwrap()
    })
}

fn name(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn names(list: &[&str]) -> Option<Vec<String>> {
    Some(list.iter().map(|&name| name.to_owned()).collect())
}

#[test]
fn memory_is_read_as_a_file_is() {
    let cosmology = Some("Planck18".parse().unwrap());
    let sky = Selection {
        sky: names(&["RA", "DEC"]),
        redshift: name("Z"),
        weight: name("w"),
        group: name("halo"),
        ..Selection::default()
    };
    let by_column = Some(RegionSpec::Column("halo".to_owned()));
    let distant = Selection {
        redshift: None,
        distance: name("y"),
        ..sky.clone()
    };
    let cartesian = Selection {
        positions: names(&["x", "y", "DEC"]),
        ..Selection::default()
    };
    let readings = [
        (
            Reading {
                cosmology,
                regions: by_column,
                ..Reading::default()
            },
            sky.clone(),
        ),
        (Reading::default(), distant),
        (
            Reading {
                angular: true,
                ..Reading::default()
            },
            sky,
        ),
        (
            Reading {
                space: Some("100".parse().unwrap()),
                outside: albireo::Outside::Wrap,
                ..Reading::default()
            },
            cartesian,
        ),
    ];
    // Of some rows, with weights that are expressions, too.
    let selected = |(reading, selection): &(Reading, Selection)| {
        let weight = selection.weight.as_ref();
        let some = Selection {
            filter: name("w > 0.8 and Z < 0.07"),
            rows: "5:55".parse().unwrap(),
            weight: weight.map(|weight| format!("2*{weight} + Z")),
            ..selection.clone()
        };
        (reading.clone(), some)
    };
    let of_some: Vec<_> = readings.iter().map(selected).collect();
    for (reading, selection) in readings.into_iter().chain(of_some) {
        let [file, memory] = both(&reading, &selection);
        let of = |samples: &Samples| -> Particles { samples.get("data").unwrap().clone() };
        assert_eq!(of(&file), of(&memory));
        assert_eq!(file.domain(), memory.domain());
        assert_eq!(file.unit(), memory.unit());
        let record = &memory.record()["samples"][0];
        let of_file = &file.record()["samples"][0];
        for key in [
            "coordinates",
            "rows_read",
            "rows_used",
            "rows",
            "where",
            "weight",
        ] {
            assert_eq!(record.get(key), of_file.get(key), "{key}");
        }
        assert!(record.get("sha256").is_none_or(serde_json::Value::is_null));
    }
}

#[test]
fn columns_stay_in_their_buffers() {
    let table: Arc<Vec<f64>> = Arc::new((0..30).map(f64::from).collect());
    let column = |k: usize| Column::strided(table.clone(), k, 3, 10).unwrap();
    let columns = [0, 1, 2].map(|k| (format!("pos[{k}]"), column(k)));
    let given = Given::new(columns.into()).unwrap();
    let reading = Reading {
        given: [("memory".into(), given)].into(),
        ..Reading::default()
    };
    let samples = reading
        .read(
            &[source("memory".into(), Selection::default())],
            &mut |_| (),
        )
        .unwrap();
    let points = samples.get("data").unwrap().points();
    assert_eq!(points.at(4), [12.0, 13.0, 14.0]);
    let [x, ..] = points.columns();
    assert!(
        x.as_slice().is_none(),
        "the column still steps through its owner's table"
    );
}

#[test]
fn surveys_and_bits_lie_in_memory_too() {
    let survey = source(
        "memory".into(),
        Selection {
            weight: name("w"),
            ..Selection::default()
        },
    );
    let reading = SurveyReading {
        given: [("memory".into(), given())].into(),
        ..SurveyReading::default()
    };
    let read = reading.read(&survey, &mut |_| ()).unwrap();
    assert_eq!(
        (
            read.ra.len(),
            read.redshift.unwrap()[1],
            read.weight.unwrap()[1]
        ),
        (60, 0.021, 0.515_625)
    );
    let words = Words {
        values: (0..60).collect(),
        bits: 31,
    };
    let bits = given().with_words("seen".to_owned(), words).unwrap();
    let reading = Reading {
        angular: true,
        given: [("memory".into(), bits)].into(),
        ..Reading::default()
    };
    let selection = Selection {
        sky: names(&["RA", "DEC"]),
        bits: names(&["seen"]),
        ..Selection::default()
    };
    let samples = reading
        .read(&[source("memory".into(), selection)], &mut |_| ())
        .unwrap();
    assert_eq!(samples.bits("data"), Some(31));
    assert_eq!(samples.get("data").unwrap().bits().unwrap().row(5), [5]);
    assert_eq!(samples.get("data").unwrap().weights(), &Weights::Unit);
}

#[test]
fn refusals_name_the_sample() {
    let refused = |columns: Vec<(String, Column)>| Given::new(columns).unwrap_err().to_string();
    let column = |name: &str, rows: usize| (name.to_owned(), Column::from(vec![0.0; rows]));
    assert_eq!(
        refused(vec![column("x", 2), column("y", 3)]),
        "columns of one sample must be equally long: `x` has 2 rows, `y` has 3"
    );
    assert_eq!(
        refused(vec![column("x", 2), column("x", 2)]),
        "there are two columns `x`"
    );
    assert_eq!(
        refused(Vec::new()),
        "a sample in memory needs columns, found none"
    );
    let reading = Reading {
        given: [("memory".into(), given())].into(),
        ..Reading::default()
    };
    let refused = |selection: Selection| {
        let error = reading
            .read(&[source("memory".into(), selection)], &mut |_| ())
            .unwrap_err();
        let below = std::error::Error::source(&error).map(ToString::to_string);
        format!(
            "{error}{}",
            below.map(|below| format!(": {below}")).unwrap_or_default()
        )
    };
    let table = Selection {
        table: name("1"),
        positions: names(&["x", "y", "w"]),
        ..Selection::default()
    };
    assert_eq!(
        refused(table),
        "--table is for files, and memory lies in memory: choose rows and columns before"
    );
    let filter = Selection {
        filter: name("v > 1"),
        positions: names(&["x", "y", "w"]),
        ..Selection::default()
    };
    assert!(
        refused(filter).contains("no column `v`"),
        "a condition over a column that there is not"
    );
    let missing = Selection {
        positions: names(&["x", "y", "v"]),
        ..Selection::default()
    };
    assert!(refused(missing).starts_with("memory: no column `v`"));
}

#[test]
fn redshifts_and_distances_in_memory_are_those_of_files() {
    let read = |z: f64, selection: &Selection, plain: bool| {
        let columns = [("RA", 150.0), ("DEC", 2.0), ("Z", z)];
        let columns = columns.map(|(name, value)| (name.to_owned(), Column::from(vec![value])));
        let reading = Reading {
            cosmology: selection
                .distance
                .is_none()
                .then(|| "Planck18".parse().unwrap()),
            plain_redshifts: plain,
            given: [("memory".into(), Given::new(columns.into()).unwrap())].into(),
            ..Reading::default()
        };
        let source = source("memory".into(), selection.clone());
        reading
            .read(&[source], &mut |_| ())
            .map_err(|error| error.to_string())
    };
    let redshift = Selection::default();
    let refused = read(15000.0, &redshift, false).unwrap_err();
    assert!(
        refused.starts_with("memory: column `Z` reaches 15000, far beyond"),
        "{refused}"
    );
    assert!(read(25.0, &redshift, true).is_ok());
    let distance = Selection {
        distance: name("Z"),
        ..Selection::default()
    };
    let refused = read(0.3, &distance, false).unwrap_err();
    assert!(
        refused.starts_with("memory: column `Z`: expected comoving distances"),
        "{refused}"
    );
    assert!(read(300.0, &distance, false).is_ok());
}

/// A table of two frames of two species in memory.
fn of_frames() -> Given {
    let columns = [
        ("frame", [4.0, 4.0, 4.0, 9.0, 9.0]),
        ("x", [0.0, 1.0, 2.0, 0.0, 2.0]),
        ("y", [0.0; 5]),
        ("z", [0.5; 5]),
    ];
    let columns = columns.map(|(name, values)| (name.to_owned(), Column::from(values.to_vec())));
    let species = Attribute::of_texts(["O", "H", "H", "O", "H"]);
    let given = Given::new(columns.into()).unwrap();
    let given = given.in_unit(Some("nm".to_owned()));
    given
        .with_others(vec![("species".to_owned(), species)])
        .unwrap()
}

#[test]
fn a_table_in_memory_is_frames_as_one_in_a_file_is() {
    let (request, never) = (TrajectoryRequest::default(), Stop::never());
    let held = |given: &Given, filter: Option<&Filter>| held_given(given, &request, filter, &never);
    assert_eq!(held(&of_frames(), None), Held::Frames);
    let of_one = Filter::parse("frame == 4").unwrap();
    let unused = Some("species".to_owned());
    assert_eq!(
        held(&of_frames(), Some(&of_one)),
        Held::Particles { unused }
    );
    assert_eq!(held(&given(), None), Held::Particles { unused: None });
    let (mut source, choice) = FrameReading::default().open_given(&of_frames()).unwrap();
    assert_eq!(
        (source.unit(), choice.groups().names()),
        (Some("nm"), &["H".to_owned(), "O".to_owned()][..])
    );
    let mut of_frames = Vec::new();
    while let Some(frame) = source.next_frame().unwrap() {
        let x = frame.frame.positions[0].clone();
        let job = choice.job(frame).unwrap();
        of_frames.push((x, job.particles.labels().unwrap().values().to_vec()));
    }
    assert_eq!(
        of_frames,
        [
            (vec![0.0, 1.0, 2.0], vec![1, 0, 0]),
            (vec![0.0, 2.0], vec![1, 0])
        ]
    );
}

#[test]
fn frames_in_memory_are_not_superposed() {
    let reading = Reading {
        given: [("memory".into(), of_frames())].into(),
        ..Reading::default()
    };
    let sources = [source("memory".into(), Selection::default())];
    let told = reading.read(&sources, &mut |_| ()).unwrap_err().to_string();
    assert!(
        told.contains("memory: particles of several frames (column `frame`, 4 to 9)"),
        "{told}"
    );
}

#[test]
fn others_have_as_many_rows_and_names_of_their_own() {
    let refused = |name: &str, rows: usize| {
        let values = Attribute::Integers(vec![1; rows]);
        let refused = of_frames().with_others(vec![(name.to_owned(), values)]);
        refused.unwrap_err().to_string()
    };
    assert!(refused("mass", 4).contains("`mass` has 4"));
    assert!(refused("x", 5).contains("`x`"));
}
