//! Units, boxes and redshift space of snapshots, as their headers state them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use albireo::binning::Binning;
use albireo::{Axis, Domain, Edges, LineOfSight, RBins};
use albireo_samples::{Notice, Reading, SampleError, Samples, Selection, Source};
use hdf5_writer::{AttributeBuilder, DatasetBuilder, Hdf5Builder, WriteOptions};

/// Positions in Mpc/h of a box of 10 Mpc/h.
const POSITIONS: [[f64; 3]; 3] = [[1.0, 2.0, 1.0], [1.0, 2.0, 9.0], [5.0, 6.0, 5.0]];
/// Peculiar velocities, km/s.
const VELOCITIES: [[f64; 3]; 3] = [[400.0, 0.0, 400.0], [0.0, -600.0, 400.0], [0.0, 0.0, 0.0]];
/// The universe of matter alone at redshift 3 expands 8 times as fast as today: 400 km/s are 2 Mpc/h.
const REDSHIFT: f64 = 3.0;
const H: f64 = 0.5;
const CM_KPC: f64 = 3.085_678e21;
const CM_MPC: f64 = 3.085_677_58e24;

/// An HDF5 file with the positions and velocities in one of its groups.
struct Snapshot {
    file: Hdf5Builder,
    columns: [String; 2],
    /// What positions and velocities are multiplied by in the file.
    scales: [f64; 2],
    /// SWIFT's exponents are attributes of the columns.
    exponents: bool,
}

impl Snapshot {
    fn new(columns: [&str; 2], scales: [f64; 2]) -> Self {
        Self {
            file: Hdf5Builder::new(),
            columns: columns.map(str::to_owned),
            scales,
            exponents: false,
        }
    }

    fn with(mut self, group: &str, name: &str, value: f64) -> Self {
        let attribute = AttributeBuilder::scalar(name, value).unwrap();
        self.file = self.file.group_attribute(group, attribute);
        self
    }

    fn counting(mut self, name: &str) -> Self {
        let counts = match name {
            "NumPart_Total" => AttributeBuilder::vector(name, &[0u64, 3, 0, 0, 0, 0]),
            _ => AttributeBuilder::scalar(name, 3u64),
        };
        self.file = self.file.group_attribute("Header", counts.unwrap());
        self
    }

    fn written(self, path: &Path) -> PathBuf {
        let mut file = self.file;
        let cells = [POSITIONS, VELOCITIES];
        for ((name, scale), cells) in self.columns.iter().zip(self.scales).zip(cells) {
            let values: Vec<f64> = cells.concat().iter().map(|x| x * scale).collect();
            let mut column = DatasetBuilder::typed_data(name, [3, 3], &values).unwrap();
            let powers = if name.ends_with("Coordinates") {
                [("a-scale", 1.0), ("U_L", 1.0), ("U_t", 0.0)]
            } else {
                [("a-scale", 0.0), ("U_L", 1.0), ("U_t", -1.0)]
            };
            for (of, power) in powers.into_iter().filter(|_| self.exponents) {
                let exponent = AttributeBuilder::scalar(format!("{of} exponent"), power);
                column = column.attribute(exponent.unwrap());
            }
            file = file.dataset(column);
        }
        let plan = file.into_plan().unwrap();
        std::fs::write(path, plan.encode(WriteOptions::default()).unwrap()).unwrap();
        path.to_owned()
    }
}

/// A header of GADGET or AREPO.
fn gadget(columns: [&str; 2], velocity: f64, counts: &str) -> Snapshot {
    Snapshot::new(columns, [1000.0, velocity])
        .counting(counts)
        .with("Header", "BoxSize", 10_000.0)
        .with("Header", "Redshift", REDSHIFT)
        .with("Header", "Omega0", 1.0)
        .with("Header", "OmegaLambda", 0.0)
        .with("Header", "HubbleParam", H)
}

fn swift() -> Snapshot {
    let columns = ["PartType1/Coordinates", "PartType1/Velocities"];
    let snapshot = Snapshot {
        exponents: true,
        ..Snapshot::new(columns, [1.0 / H, 0.1])
    };
    snapshot
        .counting("NumPart_Total")
        .with("Header", "BoxSize", 10.0 / H)
        .with("Header", "Redshift", REDSHIFT)
        .with("Cosmology", "Omega_m", 1.0)
        .with("Cosmology", "Omega_lambda", 0.0)
        .with("Cosmology", "h", H)
        .with("Units", "Unit length in cgs (U_L)", CM_MPC)
        .with("Units", "Unit time in cgs (U_t)", CM_MPC / 1e6)
}

fn read(
    reading: &Reading,
    path: &Path,
    table: &str,
) -> (Result<Samples, SampleError>, Vec<String>) {
    let source = Source {
        role: "data".to_owned(),
        paths: vec![path.to_owned()],
        selection: Selection {
            table: Some(table.to_owned()),
            ..Selection::default()
        },
    };
    let mut notices = Vec::new();
    let mut tell = |notice: Notice| notices.push(notice.to_string());
    let samples = reading.read(&[source], &mut tell);
    (samples, notices)
}

fn along(axis: Axis) -> Reading {
    Reading {
        rsd: Some(axis),
        ..Reading::default()
    }
}

fn in_unit(unit: &str, reading: Reading) -> Reading {
    Reading {
        unit: Some(unit.to_owned()),
        ..reading
    }
}

fn side(samples: &Samples) -> Option<f64> {
    match samples.domain() {
        Domain::Periodic(cell) => cell.lengths()[2],
        _ => None,
    }
}

/// Checks the coordinates of all particles along an axis.
fn check(samples: &Samples, axis: usize, expected: [f64; 3]) {
    let points = samples.get("data").unwrap().points();
    for (row, expected) in expected.into_iter().enumerate() {
        let found = points.at(row)[axis];
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn lengths_are_in_the_unit_of_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let columns = ["PartType1/Coordinates", "PartType1/Velocities"];
    let kpc = gadget(columns, 2.0, "NumPart_Total")
        .with("Parameters", "UnitLength_in_cm", CM_KPC)
        .written(&at("gadget.hdf5"));
    let samples = read(&Reading::default(), &kpc, "dm").0.unwrap();
    assert_eq!(
        (samples.unit(), side(&samples)),
        (Some("kpc/h"), Some(10_000.0))
    );
    let (samples, said) = read(&in_unit("Mpc/h", Reading::default()), &kpc, "dm");
    let samples = samples.unwrap();
    assert_eq!(
        (samples.unit(), side(&samples)),
        (Some("Mpc/h"), Some(10.0))
    );
    check(&samples, 2, [1.0, 9.0, 5.0]);
    let notice = "lengths in kpc/h: multiplied by 0.001 to Mpc/h";
    assert!(said.iter().any(|said| said.ends_with(notice)), "{said:?}");
    let swift = swift().written(&at("swift.hdf5"));
    let samples = read(&Reading::default(), &swift, "dm").0.unwrap();
    assert_eq!((samples.unit(), side(&samples)), (Some("Mpc"), Some(20.0)));
    let converted = in_unit("Mpc/h", Reading::default());
    let samples = read(&converted, &swift, "dm").0.unwrap();
    assert_eq!(side(&samples), Some(10.0));
    check(&samples, 1, [2.0, 2.0, 6.0]);
    // Without a unit the numbers are those of the file, and it is said.
    let names = ["Subhalo/SubhaloPos", "Subhalo/SubhaloVel"];
    let bare = gadget(names, 1.0, "Nsubgroups_Total").written(&at("bare.hdf5"));
    let (samples, said) = read(&Reading::default(), &bare, "Subhalo");
    let samples = samples.unwrap();
    assert_eq!((samples.unit(), side(&samples)), (None, Some(10_000.0)));
    let notice = "states no unit of length (UnitLength_in_cm)";
    assert!(said.iter().any(|said| said.contains(notice)), "{said:?}");
    let (samples, said) = read(&in_unit("kpc/h", Reading::default()), &bare, "Subhalo");
    assert_eq!(samples.unwrap().unit(), Some("kpc/h"));
    assert!(!said.iter().any(|said| said.contains(notice)), "{said:?}");
}

#[test]
fn velocities_move_positions_along_an_axis_and_around_the_box() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let of = |group: &str, name: &str| [format!("{group}/{name}Pos"), format!("{group}/{name}Vel")];
    let columns = ["PartType1/Coordinates", "PartType1/Velocities"];
    let snapshot = gadget(columns, 2.0, "NumPart_Total")
        .with("Parameters", "UnitLength_in_cm", CM_KPC)
        .written(&at("gadget.hdf5"));
    let [pos, vel] = of("Subhalo", "Subhalo");
    let subhalos = gadget([&pos, &vel], 1.0, "Nsubgroups_Total").written(&at("sub.hdf5"));
    let [pos, vel] = of("Group", "Group");
    let groups = gadget([&pos, &vel], 0.25, "Ngroups_Total").written(&at("group.hdf5"));
    let swift = swift().written(&at("swift.hdf5"));
    for (path, table, unit, scale) in [
        (&snapshot, "PartType1", None, 1000.0),
        (&snapshot, "PartType1", Some("Mpc/h"), 1.0),
        (&subhalos, "Subhalo", Some("kpc/h"), 1000.0),
        (&groups, "Group", Some("kpc/h"), 1000.0),
        (&swift, "PartType1", None, 1.0 / H),
        (&swift, "PartType1", Some("kpc/h"), 1000.0),
    ] {
        let reading = |axis| match unit {
            Some(unit) => in_unit(unit, along(axis)),
            None => along(axis),
        };
        let expected = |z: [f64; 3]| z.map(|z| z * scale);
        let samples = read(&reading(Axis::Z), path, table).0.unwrap();
        check(&samples, 2, expected([3.0, 1.0, 5.0]));
        check(&samples, 0, expected([1.0, 1.0, 5.0]));
        assert_eq!(samples.line_of_sight(), LineOfSight::Fixed(Axis::Z));
        assert_eq!(samples.record()["rsd"], "z");
        let noted = &samples.record()["samples"][0]["redshift_space"];
        assert_eq!(
            (&noted["redshift"], &noted["e"]),
            (&3.0.into(), &8.0.into())
        );
        let samples = read(&reading(Axis::Y), path, table).0.unwrap();
        check(&samples, 1, expected([2.0, 9.0, 6.0]));
    }
}

#[test]
fn redshift_space_is_passed_on_to_other_processes() {
    let folder = tempfile::tempdir().unwrap();
    let swift = swift().written(&folder.path().join("swift.hdf5"));
    let samples = read(&along(Axis::Y), &swift, "PartType1").0.unwrap();
    let mut given = VecDeque::new();
    let own = samples.clone().pass_on(&mut |column| {
        given.push_back(column.clone());
        None
    });
    let taken = Samples::taken_over(&samples.head(), &mut || given.pop_front()).unwrap();
    for samples in [own, taken] {
        // In Mpc, moved once: 9 is what -600 km/s make of 2 in a box of 10 Mpc/h.
        check(&samples, 1, [4.0, 18.0, 12.0]);
        assert_eq!(samples.line_of_sight(), LineOfSight::Fixed(Axis::Y));
        assert_eq!((samples.unit(), side(&samples)), (Some("Mpc"), Some(20.0)));
        let bins = RBins::new(Edges::linear(0.0, 5.0, 2).unwrap());
        let mut axes = bins.axes();
        samples.name_axes(&mut axes);
        assert_eq!(axes[0].name, "s");
        assert_eq!(samples.record()["rsd"], "y");
    }
}

#[test]
fn what_has_no_redshift_space_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let columns = ["PartType1/Coordinates", "PartType1/Velocities"];
    let sound = || gadget(columns, 2.0, "NumPart_Total").with("Header", "UnitLength_in_cm", CM_KPC);
    let snapshot = sound().written(&at("s.hdf5"));
    let still = Snapshot {
        columns: [columns[0], "PartType1/Speeds"].map(str::to_owned),
        ..sound()
    };
    let still = still.written(&at("still.hdf5"));
    let fixed = sound()
        .with("Parameters", "ComovingIntegrationOn", 0.0)
        .written(&at("fixed.hdf5"));
    let names = ["Subhalo/SubhaloPos", "Subhalo/SubhaloVel"];
    let bare = gadget(names, 1.0, "Nsubgroups_Total").written(&at("bare.hdf5"));
    let table = at("t.csv");
    std::fs::write(&table, "x,y,z,vz\n1,2,3,100\n").unwrap();
    let open = Reading {
        space: Some("none".parse().unwrap()),
        ..along(Axis::Z)
    };
    let angles = Reading {
        angular: true,
        ..along(Axis::Z)
    };
    let other = Reading {
        cosmology: Some("om=0.3".parse().unwrap()),
        ..along(Axis::Z)
    };
    let same = Reading {
        cosmology: Some("om=1.00001,ol=0,h=0.5".parse().unwrap()),
        ..along(Axis::Z)
    };
    let sky = at("sky.csv");
    std::fs::write(&sky, "ra,dec,dist\n1,2,3\n").unwrap();
    for (reading, path, table, says) in [
        (
            along(Axis::Z),
            &still,
            "PartType1",
            "velocities of three components in the column `Velocities`",
        ),
        (
            along(Axis::Z),
            &fixed,
            "PartType1",
            "none of an expanding universe",
        ),
        (
            along(Axis::Z),
            &bare,
            "Subhalo",
            "name it by --unit, such as kpc/h",
        ),
        (
            along(Axis::Z),
            &table,
            "",
            "found x, y, z; of other files give s = x + v (1+z)/H(z)",
        ),
        (along(Axis::Z), &sky, "", "found ra, dec, dist"),
        (
            open,
            &snapshot,
            "PartType1",
            "--rsd z: expected a box that is periodic along this axis",
        ),
        (
            angles,
            &snapshot,
            "PartType1",
            "--rsd has no meaning for angles",
        ),
        (
            other,
            &snapshot,
            "PartType1",
            "--cosmology has om=0.3,ol=0.7,w0=-1,wa=0, the header states om=1,ol=0",
        ),
    ] {
        let source = Source {
            role: "data".to_owned(),
            paths: vec![path.clone()],
            selection: Selection {
                table: Some(table.to_owned()).filter(|table| !table.is_empty()),
                ..Selection::default()
            },
        };
        let refused = reading.read(&[source], &mut |_| ()).unwrap_err();
        assert!(refused.to_string().contains(says), "{refused}");
    }
    let samples = read(&same, &snapshot, "PartType1").0.unwrap();
    check(&samples, 2, [3000.0, 1000.0, 5000.0]);
}
