//! Velocities and forces of AMBER `NetCDF` and GSD in conditions, as strengths and in `albireo info`.

use crate::folder::{Folder, floats};
use crate::made::{Chunk, Stated, Values, Variable, gsd, netcdf};

/// Two atoms in a box of 9; what is written for their velocities is AMBER's, to be multiplied by 20.455.
fn amber(unit: &'static str) -> Vec<u8> {
    let places: &[f32] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let moving: &[f32] = &[0.5, -1.0, 2.0, 0.25, 3.0, 4.0];
    let lengths: &[f32] = &[9.0; 3];
    let angles: &[f32] = &[90.0; 3];
    netcdf(
        "AMBER",
        &[
            Variable::new("coordinates", &[0, 2, 3], &[places]),
            Variable::new("cell_lengths", &[0, 3], &[lengths]),
            Variable::new("cell_angles", &[0, 3], &[angles]),
            Variable::new("velocities", &[0, 2, 3], &[moving])
                .stating("units", Stated::Text(unit))
                .stating("scale_factor", Stated::Real(20.455)),
            Variable::new("forces", &[0, 2, 3], &[places])
                .stating("units", Stated::Text("kilocalorie/mole/angstrom")),
        ],
    )
}

/// Two particles in a box of 9, in two frames of which the first alone has velocities.
fn hoomd() -> Vec<u8> {
    let frame = |x: f32| -> Vec<Chunk> {
        let cell = vec![9.0, 9.0, 9.0, 0.0, 0.0, 0.0];
        vec![
            ("particles/N", 1, Values::Whole(vec![2])),
            ("configuration/box", 1, Values::Reals(cell)),
            (
                "particles/position",
                3,
                Values::Reals(vec![x, 2.0, 3.0, 4.0, 4.0, 4.0]),
            ),
        ]
    };
    let mut first = frame(1.0);
    first.push((
        "particles/velocity",
        3,
        Values::Reals(vec![0.5, -1.0, 2.0, 0.25, 3.0, 4.0]),
    ));
    gsd(&[first, frame(1.5)])
}

fn folder() -> Folder {
    let folder = Folder::new().with("at.csv", "x,y,z\n1,2,3\n4,5,6\n");
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.path(name), bytes).unwrap();
    write("t.nc", amber("angstrom/picosecond"));
    write("fs.nc", amber("angstrom/femtosecond"));
    write("odd.nc", amber("furlong/fortnight"));
    write("t.gsd", hoomd());
    folder
}

const BINS: &str = "--species none --bins lin:0:4:4 --frames";

#[test]
fn conditions_name_velocities_and_forces() {
    let folder = folder();
    // 0.5 and 0.25 times 20.455 in AMBER's unit, times 1000 more of femtoseconds; GSD has no unit.
    for (file, condition, expected) in [
        ("t.nc", "vx>5.2", "[1.0]"),
        ("t.nc", "vx>5.1", "[2.0]"),
        ("t.nc", "vx>10.22&&vx<10.23", "[1.0]"),
        ("t.nc", "fz>5", "[1.0]"),
        ("fs.nc", "vx>10227&&vx<10228", "[1.0]"),
        ("t.gsd", "vx>0.3", "[1.0]"),
        ("t.gsd", "vz>1", "[2.0]"),
    ] {
        folder.good(&format!(
            "rdf {file} {BINS} 0 --where {condition} -o g.csv --overwrite"
        ));
        let kept = &folder.table("g.csv").meta["mean_particles"];
        assert_eq!(kept.to_string(), expected, "{file} {condition}");
    }
    // All particles are counted, with velocities in any unit.
    folder.good(&format!("rdf odd.nc {BINS} 0 -o g.csv --overwrite"));
}

#[test]
fn one_frame_has_velocities_as_strengths_and_in_conditions() {
    let folder = folder();
    let volume = 4.0 / 3.0 * std::f64::consts::PI;
    let scale = f64::from(20.455_f32);
    for (flags, expected) in [
        ("t.nc --weight vx", [0.5 * scale, 0.25 * scale]),
        ("t.nc --weight 2*fy", [4.0, 10.0]),
        ("t.nc --where vy<0", [1.0, 0.0]),
    ] {
        folder.good(&format!(
            "field {flags} --kernel top-hat --radius 1 --at at.csv -o v.parquet --overwrite"
        ));
        let values = floats(&folder.table("v.parquet"), "value");
        for (value, expected) in values.iter().zip(expected) {
            let close = (value * volume - expected).abs() < 1e-6 * (1.0 + expected);
            assert!(close, "{flags}: {value} {expected}");
        }
        assert_eq!(values.len(), 2, "{flags}");
    }
}

#[test]
fn info_shows_velocities() {
    let folder = folder();
    let info = |file: &str| folder.good(&format!("info {file}")).stdout;
    for (file, range) in [("t.nc", "5.11375 10.2275"), ("t.gsd", "0.25 0.5")] {
        let shown = info(file);
        let line = shown.lines().find(|line| line.trim().starts_with("vx "));
        let words: Vec<&str> = line.unwrap().split_whitespace().collect();
        assert!(words.join(" ").contains(range), "{shown}");
    }
    let shown = info("odd.nc");
    assert!(shown.contains("frames") && !shown.contains("vx"), "{shown}");
}
