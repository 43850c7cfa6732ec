//! Samples as a program without flags reads them: values in, particles, notices and typed errors out.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::{Domain, LineOfSight, Outside};
use albireo_fixtures::Folder;
use albireo_samples::{
    BoxSpec, Notice, Reading, SampleError, SampleNotice, Samples, Selection, Source, Stop,
};

/// A file of that content as the sample of a role.
fn source(folder: &Folder, role: &str, content: &str) -> Source {
    let path = folder.path(&format!("{role}.csv"));
    std::fs::write(&path, content).unwrap();
    Source {
        role: role.to_owned(),
        paths: vec![path],
        selection: Selection::default(),
    }
}

fn read(reading: &Reading, sources: &[Source]) -> (Result<Samples, SampleError>, Vec<Notice>) {
    let mut notices = Vec::new();
    let samples = reading.read(sources, &mut |notice| notices.push(notice));
    (samples, notices)
}

fn in_box(length: f64) -> Reading {
    Reading {
        space: Some(BoxSpec::Lengths([Some(length); 3]).into()),
        ..Reading::default()
    }
}

#[test]
fn positions_are_placed_in_their_box() {
    let folder = Folder::new();
    let source = source(&folder, "data", "x,y,z,w\n1,2,3,2\n-1,5,10,3\n");
    let weighted = Source {
        selection: Selection {
            weight: Some("w".to_owned()),
            ..Selection::default()
        },
        ..source
    };
    let wrap = Reading {
        outside: Outside::Wrap,
        ..in_box(10.0)
    };
    let (samples, notices) = read(&wrap, std::slice::from_ref(&weighted));
    let samples = samples.unwrap();
    let data = samples.get("data").unwrap();
    assert_eq!(data.points().at(1), [9.0, 5.0, 0.0]);
    assert_eq!(data.weight_sum(), 5.0);
    assert_eq!(samples.domain().volume(), Some(1000.0));
    assert_eq!(samples.record()["samples"][0]["wrapped"], 1);
    assert!(notices.contains(&Notice::Wrapped {
        role: "data".to_owned(),
        wrapped: 1,
        of: 2
    }));
    assert!(notices.iter().all(|notice| !notice.is_warning()));
    let refused = read(&in_box(10.0), &[weighted]).0.unwrap_err();
    assert!(!refused.is_wrong_call());
    let SampleError::At { place, source } = refused else {
        panic!("{refused}");
    };
    assert!(place.contains("data.csv (--wrap wraps"), "{place}");
    assert!(matches!(*source, SampleError::Library(_)));
}

#[test]
fn redshifts_become_distances_and_suspicions_are_told() {
    let folder = Folder::new();
    let sky = "RA,DEC,Z\n1.5,0.5,0.1\n2,-0.5,0.2\n";
    let sources = [
        source(&folder, "data", sky),
        source(&folder, "randoms", sky),
    ];
    let reading = Reading {
        cosmology: Some("om=0.3,ol=-0.1".parse().unwrap()),
        ..Reading::default()
    };
    let (samples, notices) = read(&reading, &sources);
    let samples = samples.unwrap();
    let distance = reading.cosmology.unwrap().distance(0.2).unwrap();
    let [x, y, z] = samples.get("randoms").unwrap().points().at(1);
    assert!(((x * x + y * y + z * z).sqrt() - distance).abs() < 1e-9);
    assert_eq!(samples.unit(), Some("Mpc/h"));
    assert_eq!(samples.domain(), &Domain::Open);
    assert_eq!(samples.line_of_sight(), LineOfSight::Midpoint);
    let warnings: Vec<_> = notices.iter().filter(|n| n.is_warning()).collect();
    assert!(
        matches!(
            warnings[..],
            [
                Notice::NegativeLambda(_),
                Notice::Radians { .. },
                Notice::Radians { .. },
                Notice::OfSamples(SampleNotice::SameRows { .. })
            ]
        ),
        "{warnings:?}"
    );
    let angles = Reading {
        angular: true,
        ..Reading::default()
    };
    let samples = read(&angles, &sources).0.unwrap();
    let [x, y, z] = samples.get("data").unwrap().points().at(0);
    assert!((x * x + y * y + z * z - 1.0).abs() < 1e-15, "a direction");
}

#[test]
fn what_the_call_gets_wrong_is_told_from_what_the_file_does() {
    let folder = Folder::new();
    let good = source(&folder, "data", "x,y,z\n1,2,3\n");
    let twice = Source {
        selection: Selection {
            positions: Some(["x", "y", "x"].map(str::to_owned).to_vec()),
            ..Selection::default()
        },
        ..good.clone()
    };
    let refused = read(&Reading::default(), &[twice]).0.unwrap_err();
    assert!(refused.is_wrong_call(), "{refused}");
    let useless = Reading {
        cosmology: Some("Planck18".parse().unwrap()),
        ..Reading::default()
    };
    let refused = read(&useless, std::slice::from_ref(&good)).0.unwrap_err();
    assert!(matches!(refused, SampleError::UnusedCosmology { .. }));
    assert!(refused.is_wrong_call());
    let infinite = source(&folder, "data", "x,y,z\n1,2,3\n4,inf,6\n");
    let refused = read(&Reading::default(), &[infinite]).0.unwrap_err();
    assert!(
        refused
            .to_string()
            .ends_with("column `y` must be finite: found inf in row 1 (counting from 0)"),
        "{refused}"
    );
    assert!(!refused.is_wrong_call());
    let approaching = source(&folder, "data", "RA,DEC,Z\n1,2,-1e300\n");
    let cosmology = Reading {
        cosmology: Some("Planck18".parse().unwrap()),
        ..Reading::default()
    };
    let refused = read(&cosmology, &[approaching]).0.unwrap_err();
    assert!(refused.to_string().contains("found -1e300 in row 0"));
    let samples = read(
        &Reading::default(),
        &[source(&folder, "data", "x,y,z\n1,2,3\n")],
    );
    let missing = samples.0.unwrap().get("randoms").unwrap_err();
    assert_eq!(missing.to_string(), "this needs the sample `randoms`");
}

#[test]
fn reading_ends_when_it_is_asked_to() {
    let folder = Folder::new();
    let source = source(&folder, "data", "x,y,z\n1,2,3\n");
    let reading = Reading {
        stop: Stop::when(|| true),
        ..Reading::default()
    };
    let refused = read(&reading, &[source]).0.unwrap_err();
    assert!(
        matches!(refused, SampleError::Catalog(_) | SampleError::Interrupted),
        "{refused}"
    );
    assert!(refused.to_string().contains("interrupted"), "{refused}");
}

#[test]
fn a_cosmology_gives_h_to_lengths_and_boxes() {
    let ecsv = |unit: &str| {
        let column = |name| format!("# - name: {name}\n#   datatype: float64\n#   unit: {unit}\n");
        let columns = ["x", "y", "z"].map(column).concat();
        format!(
            "# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n{columns}x,y,z\n10,20,30\n1,2,3\n"
        )
    };
    let folder = Folder::new();
    let [mpc, over_h] = ["Mpc", "kpc/h"].map(|unit| source(&folder, &unit[..3], &ecsv(unit)));
    let given = |cosmology: &str| Reading {
        cosmology: Some(cosmology.parse().unwrap()),
        ..Reading::default()
    };
    let asked = |cosmology: &str| Reading {
        unit: Some("Mpc/h".to_owned()),
        ..given(cosmology)
    };
    let one = std::slice::from_ref(&mpc);
    let samples = read(&asked("om=0.3,h=0.5"), one).0.unwrap();
    assert_eq!(
        samples.get("Mpc").unwrap().points().at(0),
        [5.0, 10.0, 15.0]
    );
    assert_eq!(samples.record()["cosmology"]["h"], 0.5);
    let boxed = Reading {
        space: Some("100 Mpc".parse().unwrap()),
        ..given("om=0.3,h=0.5")
    };
    let samples = read(&boxed, std::slice::from_ref(&over_h)).0.unwrap();
    assert_eq!(samples.domain().volume(), Some(50_000.0_f64.powi(3)));
    // Nothing is converted by it here.
    let unused = [
        (asked("om=0.3,h=0.5"), &over_h),
        (given("om=0.3,h=0.5"), &mpc),
    ];
    for (reading, source) in unused {
        let refused = read(&reading, std::slice::from_ref(source)).0.unwrap_err();
        assert!(
            matches!(refused, SampleError::UnusedCosmology { .. }),
            "{refused}"
        );
    }
    let without = read(&asked("om=0.3"), one).0.unwrap_err().to_string();
    assert!(without.contains("no h is known"), "{without}");
}
