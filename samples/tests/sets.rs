//! Samples of several files that know of one another: snapshots, group catalogues, folders of HATS; and weights that surveys have.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use albireo_samples::{Notice, Reading, SampleError, Samples, Selection, Source};
use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use hdf5_writer::{AttributeBuilder, DatasetBuilder, Hdf5Builder, WriteOptions};
use parquet::arrow::ArrowWriter;

/// A file of a snapshot: particles of types 1 and 4, and how many there are in all files.
fn snapshot(path: &Path, here: [u64; 2], total: [u64; 2], files: u64) {
    let counts = |[dark, stars]: [u64; 2]| [0, dark, 0, 0, stars, 0];
    let mut file = Hdf5Builder::new()
        .group_attribute(
            "Header",
            AttributeBuilder::scalar("NumFilesPerSnapshot", files).unwrap(),
        )
        .group_attribute(
            "Header",
            AttributeBuilder::vector("NumPart_ThisFile", &counts(here)).unwrap(),
        )
        .group_attribute(
            "Header",
            AttributeBuilder::vector("NumPart_Total", &counts(total)).unwrap(),
        )
        .group_attribute(
            "Header",
            AttributeBuilder::vector("MassTable", &[0.0, 0.25, 0.0, 0.0, 0.0, 0.0]).unwrap(),
        )
        .group_attribute("Header", AttributeBuilder::scalar("BoxSize", 10.0).unwrap());
    for (kind, rows) in [(1, here[0]), (4, here[1])] {
        if rows == 0 {
            continue;
        }
        let values: Vec<f64> = (0..3 * rows).map(|k| (k % 10) as f64).collect();
        let positions =
            DatasetBuilder::typed_data(format!("PartType{kind}/Coordinates"), [rows, 3], &values);
        file = file.dataset(positions.unwrap());
        if kind == 4 {
            let masses: Vec<f64> = (0..rows).map(|k| k as f64 + 1.0).collect();
            let masses = DatasetBuilder::typed_data("PartType4/Masses", [rows], &masses);
            file = file.dataset(masses.unwrap());
        }
    }
    write(path, file);
}

/// A file of a group catalogue, which may hold no group.
fn halos(path: &Path, here: u64, total: u64) {
    let number = |name: &str, number: u64| AttributeBuilder::scalar(name, number).unwrap();
    let mut file = Hdf5Builder::new()
        .group_attribute("Header", number("NumFiles", 2))
        .group_attribute("Header", number("Ngroups_ThisFile", here))
        .group_attribute("Header", number("Ngroups_Total", total))
        .group_attribute("Group", number("Nothing", 0));
    if here > 0 {
        let values: Vec<f64> = (0..3 * here).map(|k| k as f64).collect();
        let positions = DatasetBuilder::typed_data("Group/GroupPos", [here, 3], &values);
        file = file.dataset(positions.unwrap());
    }
    write(path, file);
}

fn write(path: &Path, file: Hdf5Builder) {
    let plan = file.into_plan().unwrap();
    std::fs::write(path, plan.encode(WriteOptions::default()).unwrap()).unwrap();
}

fn sky(path: &Path, ra: &[f64]) {
    let column = |values: Vec<f64>| -> ArrayRef { Arc::new(Float64Array::from(values)) };
    let dec = ra.iter().map(|ra| ra / 2.0).collect();
    let columns = [("alpha", column(ra.to_vec())), ("delta", column(dec))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn source(paths: Vec<PathBuf>, table: Option<&str>, weight: Option<&str>) -> Source {
    Source {
        role: "data".to_owned(),
        paths,
        selection: Selection {
            table: table.map(str::to_owned),
            weight: weight.map(str::to_owned),
            ..Selection::default()
        },
    }
}

fn read(reading: &Reading, source: Source) -> (Result<Samples, SampleError>, Vec<Notice>) {
    let mut notices = Vec::new();
    let samples = reading.read(&[source], &mut |notice| notices.push(notice));
    (samples, notices)
}

#[test]
fn one_file_of_a_snapshot_is_not_the_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let at = |k: u32| folder.path().join(format!("snap_005.{k}.hdf5"));
    snapshot(&at(0), [3, 2], [7, 2], 2);
    snapshot(&at(1), [4, 0], [7, 2], 2);
    let part = source(vec![at(0)], Some("PartType1"), None);
    let refused = read(&Reading::default(), part.clone())
        .0
        .unwrap_err()
        .to_string();
    for text in [
        "PartType1: 3 of 7 rows: the set has 2 files, found snap_005.0.hdf5",
        "snap_005.*.hdf5'",
        "--partial-set",
    ] {
        assert!(refused.contains(text), "{refused}");
    }
    let partial = Reading {
        partial_sets: true,
        ..Reading::default()
    };
    let samples = read(&partial, part).0.unwrap();
    assert_eq!(samples.get("data").unwrap().len(), 3);
    assert_eq!(samples.record()["partial_sets"], true);
    for table in ["PartType1", "dm"] {
        let whole = source(vec![at(0), at(1)], Some(table), Some("Masses"));
        let samples = read(&Reading::default(), whole).0.unwrap();
        let data = samples.get("data").unwrap();
        assert_eq!((data.len(), data.weight_sum()), (7, 1.75), "{table}");
    }
    // The rows of the last file are those of the first again.
    std::fs::copy(at(0), at(2)).unwrap();
    let twice = source(vec![at(0), at(1), at(2)], Some("PartType1"), None);
    let refused = read(&Reading::default(), twice).0.unwrap_err();
    assert!(
        refused.to_string().contains("PartType1: 10 of 7 rows"),
        "{refused}"
    );
}

#[test]
fn files_without_rows_of_a_type_may_lack_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |k: u32| folder.path().join(format!("snap.{k}.hdf5"));
    snapshot(&at(0), [5, 0], [5, 3], 2);
    snapshot(&at(1), [0, 3], [5, 3], 2);
    let stars = source(vec![at(0), at(1)], Some("PartType4"), Some("Masses"));
    let (samples, notices) = read(&Reading::default(), stars);
    assert_eq!(samples.unwrap().get("data").unwrap().weight_sum(), 6.0);
    let none = format!("data: 0 of 0 rows of {}", at(0).display());
    assert!(notices.contains(&Notice::note(none)));
    let gas = source(vec![at(0), at(1)], Some("PartType0"), None);
    assert!(read(&Reading::default(), gas).0.is_err());
    let at = |k: u32| folder.path().join(format!("groups.{k}.hdf5"));
    halos(&at(0), 4, 4);
    halos(&at(1), 0, 4);
    let groups = source(vec![at(0), at(1)], Some("Group"), None);
    let samples = read(&Reading::default(), groups).0.unwrap();
    assert_eq!(samples.get("data").unwrap().len(), 4);
    halos(&at(1), 1, 5);
    let part = source(vec![at(1)], Some("Group"), None);
    let refused = read(&Reading::default(), part).0.unwrap_err().to_string();
    assert!(refused.contains("Group: 1 of 5 rows"), "{refused}");
}

/// A catalogue of two partitions, and the cache of their margins.
fn hats(folder: &Path, rows: u64) {
    sky(
        &folder.join("stars/dataset/Norder=2/Dir=0/Npix=0.parquet"),
        &[4.0, 5.0],
    );
    sky(
        &folder.join("stars/dataset/Norder=1/Dir=10000/Npix=10003.parquet"),
        &[1.0, 2.0, 3.0],
    );
    sky(
        &folder.join("margins/dataset/Norder=1/Dir=0/Npix=3.parquet"),
        &[1.0],
    );
    let put = |name: &str, text: String| std::fs::write(folder.join(name), text).unwrap();
    put(
        "collection.properties",
        "#HATS\nhats_primary_table_url=stars\n".to_owned(),
    );
    put(
        "stars/hats.properties",
        format!(
            "dataproduct_type=object\nhats_nrows={rows}\nhats_col_ra=alpha\nhats_col_dec=delta\n"
        ),
    );
    put(
        "margins/properties",
        "dataproduct_type = margin\n".to_owned(),
    );
    put(
        "stars/partition_info.csv",
        "Norder,Npix\n2,0\n1,10003\n".to_owned(),
    );
}

#[test]
fn folders_of_hats_are_catalogues_and_their_margins_are_not() {
    let folder = tempfile::tempdir().unwrap();
    hats(folder.path(), 5);
    let angles = Reading {
        angular: true,
        ..Reading::default()
    };
    for whole in [folder.path().to_owned(), folder.path().join("stars")] {
        let (samples, _) = read(&angles, source(vec![whole], None, None));
        let samples = samples.unwrap();
        let data = samples.get("data").unwrap();
        let ra: Vec<f64> = (0..data.len())
            .map(|row| data.points().at(row))
            .map(|[x, y, _]| y.atan2(x).to_degrees().round())
            .collect();
        assert_eq!(ra, [1.0, 2.0, 3.0, 4.0, 5.0], "in order of (order, pixel)");
    }
    let margin = folder
        .path()
        .join("margins/dataset/Norder=1/Dir=0/Npix=3.parquet");
    let part = folder
        .path()
        .join("stars/dataset/Norder=2/Dir=0/Npix=0.parquet");
    let mut globbed = source(vec![part, margin.clone()], None, None);
    globbed.selection.sky = Some(vec!["alpha".to_owned(), "delta".to_owned()]);
    let refused = read(&angles, globbed).0.unwrap_err().to_string();
    assert!(refused.contains("dataproduct_type=margin"), "{refused}");
    let margins = source(vec![folder.path().join("margins")], None, None);
    let refused = read(&angles, margins).0.unwrap_err().to_string();
    assert!(refused.contains("whose rows are no objects"), "{refused}");
    hats(folder.path(), 6);
    let refused = read(&angles, source(vec![folder.path().to_owned()], None, None)).0;
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("5 rows in its partitions, its properties say 6"),
        "{refused}"
    );
}

#[test]
fn weights_of_surveys_are_offered_whole() {
    let folder = tempfile::tempdir().unwrap();
    let boss = "WEIGHT_SYSTOT*(WEIGHT_CP+WEIGHT_NOZ-1)*WEIGHT_FKP";
    let eboss = "WEIGHT_SYSTOT*WEIGHT_CP*WEIGHT_NOZ*WEIGHT_FKP";
    for (columns, offered) in [
        (
            "WEIGHT_FKP,WEIGHT_SYSTOT,WEIGHT_CP,WEIGHT_NOZ,WEIGHT_STAR",
            boss,
        ),
        ("WEIGHT_FKP,WEIGHT_SYSTOT,WEIGHT_CP,WEIGHT_NOZ,ISITC", eboss),
        ("WEIGHT_FKP,WEIGHT,NZ,NX,NTILE", "WEIGHT*WEIGHT_FKP"),
    ] {
        let path = folder.path().join("t.csv");
        let width = columns.split(',').count() + 3;
        let row = vec!["1"; width].join(",");
        std::fs::write(&path, format!("x,y,z,{columns}\n{row}\n")).unwrap();
        let (samples, notices) = read(&Reading::default(), source(vec![path], None, None));
        assert_eq!(samples.unwrap().get("data").unwrap().weight_sum(), 1.0);
        let texts: Vec<String> = notices.iter().map(ToString::to_string).collect();
        let text = format!("--weight '{offered}'");
        assert!(
            texts.iter().any(|notice| notice.ends_with(&text)),
            "{texts:?}"
        );
    }
}
