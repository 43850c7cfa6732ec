//! Velocities and forces of AMBER `NetCDF` and GSD, in files that the tests write.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use albireo_catalogs::{
    Attribute, CatalogError, Frame, Stop, TrajectoryRequest, describe_trajectory, open_trajectory,
};
use tempfile::TempDir;

use crate::frames;
use crate::made::{Chunk, Stated, Values, Variable, gsd, netcdf};

/// Velocities and forces of two atoms, as numbers of a file.
const MOVING: [&[f32]; 2] = [
    &[0.5, -1.0, 2.0, 0.25, 3.0, 4.0],
    &[1.5, -2.0, 3.0, 1.25, 4.0, 5.0],
];
const PULLED: [&[f32]; 2] = [
    &[7.0, 8.0, 9.0, -7.0, -8.0, -9.0],
    &[6.0, 5.0, 4.0, -6.0, -5.0, -4.0],
];

fn places() -> Variable {
    let frames: [&[f32]; 2] = [
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        &[1.5, 2.0, 3.0, 4.0, 5.0, 6.0],
    ];
    Variable::new("coordinates", &[0, 2, 3], &frames).stating("units", Stated::Text("angstrom"))
}

fn velocities() -> Variable {
    Variable::new("velocities", &[0, 2, 3], &MOVING)
}

fn forces() -> Variable {
    Variable::new("forces", &[0, 2, 3], &PULLED)
}

/// Velocities as AMBER writes them.
fn of_amber() -> Variable {
    velocities()
        .stating("units", Stated::Text("angstrom/picosecond"))
        .stating("scale_factor", Stated::Real(20.455))
}

fn kept(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn read(path: &Path, velocities: bool) -> Result<Vec<Frame>, CatalogError> {
    let request = TrajectoryRequest {
        velocities,
        ..TrajectoryRequest::default()
    };
    let mut open = open_trajectory(path, &request, Stop::never())?;
    frames(open.as_mut())
}

/// The columns of a file of these variables, with velocities.
fn amber(variables: &[Variable]) -> Result<Vec<Frame>, CatalogError> {
    let folder = tempfile::tempdir().unwrap();
    read(&kept(&folder, "t.nc", &netcdf("AMBER", variables)), true)
}

/// The columns of these names, atom by atom; none where one is missing.
fn vectors(frame: &Frame, names: [&str; 3]) -> Option<Vec<f64>> {
    let columns = names.map(|name| match frame.atoms.get(name) {
        Some(Attribute::Numbers(values)) => Some(values.clone()),
        _ => None,
    });
    let [Some(x), Some(y), Some(z)] = columns else {
        return None;
    };
    let rows = x.iter().zip(&y).zip(&z);
    Some(rows.flat_map(|((x, y), z)| [*x, *y, *z]).collect())
}

fn velocities_of(frame: &Frame) -> Option<Vec<f64>> {
    vectors(frame, ["vx", "vy", "vz"])
}

/// Numbers of a file, each multiplied once.
fn times(values: &[f32], factor: f64) -> Vec<f64> {
    let values = values.iter().map(|&value| f64::from(value) * factor);
    values.collect()
}

#[test]
fn amber_velocities_are_in_angstrom_and_picoseconds() {
    let folder = tempfile::tempdir().unwrap();
    let stated = forces().stating("units", Stated::Text("kilocalorie/mole/angstrom"));
    let bytes = netcdf("AMBER", &[places(), of_amber(), stated]);
    let path = kept(&folder, "t.nc", &bytes);
    let all = read(&path, true).unwrap();
    assert_eq!(all.len(), 2);
    for (k, frame) in all.iter().enumerate() {
        let scale = f64::from(20.455_f32);
        assert_eq!(
            velocities_of(frame),
            Some(times(MOVING[k], scale)),
            "frame {k}"
        );
        let forces = vectors(frame, ["fx", "fy", "fz"]);
        assert_eq!(forces, Some(times(PULLED[k], 1.0)), "frame {k}");
        assert_eq!(frame.positions[1], [2.0, 5.0], "frame {k}");
    }
    // Nobody has asked for them.
    let plain = read(&path, false).unwrap();
    assert_eq!(plain[1].atoms.names().count(), 0);
    assert!(Arc::ptr_eq(&plain[0].atoms, &plain[1].atoms));
    let described = describe_trajectory(&path, Stop::never()).unwrap().unwrap();
    let columns = described.first.columns.iter();
    let columns: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
    assert_eq!(columns, ["x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz"]);
}

#[test]
fn restart_files_have_velocities() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = |variable: Variable| Variable {
        shape: vec![2, 3],
        frames: variable.frames[..1].to_vec(),
        ..variable
    };
    let bytes = netcdf("AMBERRESTART", &[fixed(places()), fixed(of_amber())]);
    let all = read(&kept(&folder, "t.rst7", &bytes), true).unwrap();
    assert_eq!(all.len(), 1);
    let scale = f64::from(20.455_f32);
    assert_eq!(velocities_of(&all[0]), Some(times(MOVING[0], scale)));
}

#[cfg(feature = "hdf5")]
#[test]
fn velocities_of_netcdf_4() {
    use hdf5_writer::{AttributeBuilder, DatasetBuilder, Hdf5Builder, WriteOptions};
    let mut file = Hdf5Builder::new();
    file = file.attribute(AttributeBuilder::fixed_string("Conventions", "AMBER"));
    for variable in [places(), of_amber(), forces()] {
        let values = variable.frames.concat();
        let mut stored = DatasetBuilder::typed_data(variable.name, [2, 2, 3], &values).unwrap();
        for (name, stated) in variable.attributes {
            stored = stored.attribute(match stated {
                Stated::Text(text) => AttributeBuilder::fixed_string(name, text),
                Stated::Real(value) => AttributeBuilder::scalar(name, value).unwrap(),
                Stated::Whole(value) => AttributeBuilder::scalar(name, value).unwrap(),
            });
        }
        file = file.dataset(stored);
    }
    let plan = file.into_plan().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = kept(
        &folder,
        "t.nc",
        &plan.encode(WriteOptions::default()).unwrap(),
    );
    let all = read(&path, true).unwrap();
    for (k, frame) in all.iter().enumerate() {
        let scale = f64::from(20.455_f32);
        assert_eq!(
            velocities_of(frame),
            Some(times(MOVING[k], scale)),
            "frame {k}"
        );
        let forces = vectors(frame, ["fx", "fy", "fz"]);
        assert_eq!(forces, Some(times(PULLED[k], 1.0)), "frame {k}");
    }
    assert_eq!(all.len(), 2);
}

#[test]
fn units_that_a_file_states_are_converted() {
    for (unit, factor) in [
        ("Angstrom/ps", 1.0),
        ("angstrom/femtosecond", 1000.0),
        ("nanometer/picosecond", 10.0),
        ("meter/second", 0.01),
        ("lj", 1.0),
    ] {
        let stated = velocities().stating("units", Stated::Text(unit));
        let all = amber(&[places(), stated]).unwrap();
        assert_eq!(
            velocities_of(&all[1]),
            Some(times(MOVING[1], factor)),
            "{unit}"
        );
        // Both factors at once.
        let stated = velocities()
            .stating("units", Stated::Text(unit))
            .stating("scale_factor", Stated::Real(0.5));
        let all = amber(&[places(), stated]).unwrap();
        assert_eq!(
            velocities_of(&all[1]),
            Some(times(MOVING[1], 0.5 * factor)),
            "{unit}"
        );
    }
    // Without a unit, AMBER's.
    let all = amber(&[places(), velocities()]).unwrap();
    assert_eq!(velocities_of(&all[1]), Some(times(MOVING[1], 1.0)));
    let electronvolts = forces().stating("units", Stated::Text("eV/angstrom"));
    let all = amber(&[places(), electronvolts]).unwrap();
    let found = vectors(&all[0], ["fx", "fy", "fz"]).unwrap();
    assert!((found[0] / (7.0 * 23.060_547_830_619_03) - 1.0).abs() < 1e-15);
}

#[test]
fn scale_factors_may_be_whole_numbers() {
    let lengths = [30.0, 31.0, 32.0];
    let lengths = Variable::new("cell_lengths", &[0, 3], &[&lengths, &lengths])
        .stating("scale_factor", Stated::Whole(3));
    let angles = [90.0; 3];
    let angles = Variable::new("cell_angles", &[0, 3], &[&angles, &angles]);
    let twice = |variable: Variable| variable.stating("scale_factor", Stated::Whole(2));
    let all = amber(&[twice(places()), lengths, angles, twice(velocities())]).unwrap();
    assert_eq!(all[1].positions, [[3.0, 8.0], [4.0, 10.0], [6.0, 12.0]]);
    assert_eq!(all[1].cell.unwrap().lengths(), Some([90.0, 93.0, 96.0]));
    assert_eq!(velocities_of(&all[1]), Some(times(MOVING[1], 2.0)));
}

#[test]
fn frames_whose_velocities_were_never_written_have_none() {
    let fill: &[f32] = &[9.969_21e36; 6];
    let late = Variable::new("velocities", &[0, 2, 3], &[fill, MOVING[1]])
        .stating("scale_factor", Stated::Real(20.455));
    let all = amber(&[places(), late]).unwrap();
    assert_eq!(velocities_of(&all[0]), None);
    let expected = times(MOVING[1], f64::from(20.455_f32));
    assert_eq!(velocities_of(&all[1]), Some(expected));
}

#[test]
fn amber_velocities_that_are_refused() {
    let text = |name, text| velocities().stating(name, Stated::Text(text));
    let shaped = |shape: &[u32], values: &[f32]| {
        let frames = if shape[0] == 0 { 2 } else { 1 };
        Variable::new("velocities", shape, &vec![values; frames])
    };
    let fill = [0.0, 0.0, 0.0, 0.0, 9.969_21e36, 0.0];
    let cases = [
        (
            text("units", "furlong/fortnight"),
            "`velocities` in `furlong/fortnight` is not supported; write them in angstrom/picosecond, as AMBER does",
        ),
        (
            forces().stating("units", Stated::Text("dynes")),
            "`forces` in `dynes` is not supported; write them in kilocalorie/mole/angstrom, as AMBER does",
        ),
        (
            text("units", "angstrom"),
            "`velocities` in `angstrom` is not supported",
        ),
        (
            shaped(&[0, 1, 3], &[1.0; 3]),
            "header: `velocities` has the shape (frame, 1, 3), expected (frame, 2, 3) as `coordinates`",
        ),
        (
            shaped(&[0, 2], &[1.0; 2]),
            "header: `velocities` has the shape (frame, 2), expected (frame, 2, 3) as `coordinates`",
        ),
        (
            shaped(&[2, 3], &[1.0; 6]),
            "header: `velocities` has the shape (2, 3), expected (frame, 2, 3) as `coordinates`",
        ),
        (
            text("scale_factor", "20.455"),
            "header: `velocities` has a scale_factor that is not one number other than 0",
        ),
        (
            velocities().stating("scale_factor", Stated::Real(0.0)),
            "header: `velocities` has a scale_factor that is not one number other than 0",
        ),
        (
            shaped(&[0, 2, 3], &fill).stating("scale_factor", Stated::Real(20.455)),
            "frame 0: `velocities` was not written for atom 1 (from 0)",
        ),
    ];
    for (variable, expected) in cases {
        let error = amber(&[places(), variable.clone()]).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(expected), "{variable:?}: {error}");
        // Positions alone are read all the same.
        let folder = tempfile::tempdir().unwrap();
        let path = kept(&folder, "t.nc", &netcdf("AMBER", &[places(), variable]));
        assert_eq!(read(&path, false).unwrap().len(), 2, "{expected}");
        let described = describe_trajectory(&path, Stop::never());
        let described = described.map(|described| described.unwrap().first.columns.len());
        if expected.contains("is not supported") {
            assert_eq!(described.unwrap(), 3, "x, y and z: {expected}");
        } else {
            assert!(described.unwrap_err().to_string().contains(expected));
        }
    }
}

#[test]
fn what_else_of_amber_is_refused() {
    let lengths = Variable::new("cell_lengths", &[0, 3], &[&[9.0; 3], &[9.0; 3]]);
    let angles = Variable::new("cell_angles", &[0, 3], &[&[90.0; 3], &[90.0; 3]]);
    let corner = Variable::new("cell_origin", &[0, 3], &[&[1.0; 3], &[1.0; 3]])
        .stating("units", Stated::Text("nanometer"));
    let fill: &[f32] = &[9.969_21e36; 6];
    let unwritten = Variable::new("coordinates", &[0, 2, 3], &[fill; 2]);
    for (variables, expected) in [
        (
            vec![places().stating("scale_factor", Stated::Text("2"))],
            "header: `coordinates` has a scale_factor that is not one number other than 0",
        ),
        (
            vec![places(), lengths, angles, corner],
            "a box in nm around positions in Angstrom is not supported; write both in one unit",
        ),
        (vec![unwritten], "frame 0: `coordinates` was not written"),
    ] {
        let error = amber(&variables).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// A frame of two particles in a box.
fn two(x: f32, velocities: Option<&[f32]>) -> Vec<Chunk> {
    let mut chunks = vec![
        ("particles/N", 1, Values::Whole(vec![2])),
        (
            "configuration/box",
            1,
            Values::Reals(vec![9.0, 9.0, 9.0, 0.0, 0.0, 0.0]),
        ),
        (
            "particles/position",
            3,
            Values::Reals(vec![x, 1.0, 1.0, 2.0, 1.0, 1.0]),
        ),
    ];
    let velocities = velocities.map(|values| Values::Reals(values.to_vec()));
    chunks.extend(velocities.map(|values| ("particles/velocity", 3, values)));
    chunks
}

/// The velocities of each frame of a GSD file.
fn of_gsd(frames: &[Vec<Chunk>]) -> Vec<Option<Vec<f64>>> {
    let folder = tempfile::tempdir().unwrap();
    let path = kept(&folder, "t.gsd", &gsd(frames));
    assert!(read(&path, false).unwrap()[0].atoms.get("vx").is_none());
    let all = read(&path, true).unwrap();
    assert_eq!(all[0].positions[0], [1.0, 2.0]);
    assert!(all.iter().all(|frame| frame.atoms.get("type").is_some()));
    all.iter().map(velocities_of).collect()
}

#[test]
fn gsd_velocities_are_those_of_the_frame() {
    let [first, second] = MOVING;
    let told = [two(1.0, Some(first)), two(1.5, Some(second))];
    let [of_first, of_second] = [first, second].map(|values| Some(times(values, 1.0)));
    assert_eq!(of_gsd(&told), [of_first.clone(), of_second.clone()]);
    // Particles at rest are not written.
    let rest = [two(1.0, None), two(1.5, Some(second)), two(2.0, None)];
    let zeros = Some(vec![0.0; 6]);
    assert_eq!(of_gsd(&rest), [zeros.clone(), of_second, zeros]);
    // A frame that repeats the first one in all has its velocities; one in which particles have moved has none.
    let step = vec![("configuration/step", 1, Values::Whole(vec![9]))];
    let once = [two(1.0, Some(first)), step, two(1.5, None)];
    assert_eq!(of_gsd(&once), [of_first.clone(), of_first, None]);
    // Nothing is known of velocities that no frame has.
    assert_eq!(of_gsd(&[two(1.0, None)]), [None]);
}

#[test]
fn gsd_velocities_of_another_shape_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let frames = [two(1.0, Some(MOVING[0])), two(1.5, Some(&[1.0; 3]))];
    let path = kept(&folder, "t.gsd", &gsd(&frames));
    let error = read(&path, true).unwrap_err().to_string();
    let expected = "frame 1: `particles/velocity` has 1 rows of 3, expected 2 of 3";
    assert!(error.contains(expected), "{error}");
    assert_eq!(read(&path, false).unwrap().len(), 2);
}
