//! `albireo randoms`: what the points fill, what they depend on, and what is refused.

use std::fmt::Write;
use std::path::Path;

use albireo::regions::Footprint;
use albireo::sky::{Column, unit_vectors};
use albireo_samples::{Selection, Source, SurveyReading};

use crate::folder::{Folder, floats, names};

/// A catalogue that comes with albireo.
fn sample(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalogs/samples");
    folder.join(name).display().to_string()
}

/// Chi-squared of counts that should be equal, less its mean, in its standard deviations.
fn excess(counts: &[u32]) -> f64 {
    let mean = counts.iter().map(|&n| f64::from(n)).sum::<f64>() / counts.len() as f64;
    let square = |&n: &u32| (f64::from(n) - mean) * (f64::from(n) - mean) / mean;
    let freedom = counts.len() as f64 - 1.0;
    (counts.iter().map(square).sum::<f64>() - freedom) / (2.0 * freedom).sqrt()
}

/// Counts of shares in [0, 1) in equal bins.
fn histogram(shares: impl Iterator<Item = f64>, bins: usize) -> Vec<u32> {
    let mut counts = vec![0; bins];
    shares.for_each(|share| counts[((share * bins as f64) as usize).min(bins - 1)] += 1);
    counts
}

/// 800 galaxies between RA 350 and 20, Dec -10 and 15, nearest at redshift 0.2, in three columns.
fn survey() -> String {
    let mut text = String::from("RA,DEC,Z,w\n");
    for k in 0..800 {
        let (i, j) = (f64::from(k % 40), f64::from(k / 40));
        let ra = (350.0 + 0.75 * i) % 360.0;
        // More of them near than far.
        let z = 0.2 + 0.3 * (f64::from(k * 37 % 800) / 800.0).powi(2);
        let _ = writeln!(text, "{ra},{},{z},{}", -10.0 + 1.25 * j, u8::from(z < 0.3));
    }
    text
}

#[test]
fn boxes_are_filled_evenly_and_state_themselves() {
    let folder = Folder::new();
    folder.good("randoms --number 60000 --seed 3 --box 10,20,40 -o r.parquet");
    let table = folder.table("r.parquet");
    assert_eq!(names(&table), ["x", "y", "z"]);
    for (name, length) in [("x", 10.0), ("y", 20.0), ("z", 40.0)] {
        let column = floats(&table, name);
        assert_eq!(column.len(), 60_000);
        assert!(column.iter().all(|v| (0.0..length).contains(v)));
        let counts = histogram(column.iter().map(|v| v / length), 100);
        assert!(excess(&counts).abs() < 5.0, "{name}");
    }
    assert_eq!(table.meta["seed"], 3);
    let run = folder.good("count r.parquet --bins edges:0.5,1 -o n.json");
    assert!(
        run.stderr.contains("periodic, 10 x 20 x 40"),
        "{}",
        run.stderr
    );
    let expected = 60_000.0 * 59_999.0 / 2.0 * (4.0 / 3.0 * std::f64::consts::PI * 0.875) / 8000.0;
    let found = crate::folder::integers(&folder.table("n.json"), "npairs")[0] as f64;
    assert!((found / expected - 1.0).abs() < 5.0 / expected.sqrt());
}

#[test]
fn shells_and_windows_are_filled_evenly() {
    let folder = Folder::new();
    folder.good("randoms --number 50000 --seed 4 --shell 2:4 -o shell.ecsv");
    let shell = folder.table("shell.ecsv");
    let [x, y, z] = ["x", "y", "z"].map(|name| floats(&shell, name));
    let r = (0..x.len()).map(|k| (x[k] * x[k] + y[k] * y[k] + z[k] * z[k]).sqrt());
    let volumes = histogram(r.map(|r| (r.powi(3) - 8.0) / 56.0), 100);
    assert!(excess(&volumes).abs() < 5.0);
    folder.good("randoms -n 50000 --seed 4 --sky-window -20:30,-30:60 -o sky.csv");
    let sky = folder.table("sky.csv");
    assert_eq!(names(&sky), ["RA", "DEC"]);
    let from_west = |ra: f64| (ra + 20.0) % 360.0 / 50.0;
    let ra = floats(&sky, "RA").into_iter().map(from_west);
    assert!(excess(&histogram(ra, 100)).abs() < 5.0);
    let (low, high) = (-0.5, 0.75f64.sqrt());
    let sine = floats(&sky, "DEC")
        .into_iter()
        .map(|dec| dec.to_radians().sin());
    let counts = histogram(sine.map(|sine| (sine - low) / (high - low)), 100);
    assert!(excess(&counts).abs() < 5.0);
}

#[test]
fn the_footprint_is_filled_evenly_and_never_left() {
    let folder = Folder::new().with("g.csv", &survey());
    let run = folder.good("randoms --number 40000 --seed 5 --like g.csv --nside 16 -o r.fits");
    assert!(run.stderr.contains("pixels of nside 16"), "{}", run.stderr);
    let table = folder.table("r.fits");
    assert_eq!(names(&table), ["RA", "DEC", "Z"]);
    let source = Source {
        role: "data".to_owned(),
        paths: vec![folder.path("g.csv")],
        selection: Selection::default(),
    };
    let data = SurveyReading::default().read(&source, &mut |_| ()).unwrap();
    let points = unit_vectors(Column::new("RA", &data.ra), Column::new("DEC", &data.dec)).unwrap();
    let footprint = Footprint::holding(&points, 16).unwrap();
    assert_eq!(table.meta["footprint"]["pixels"], footprint.n_pixels());
    let (ra, dec) = (floats(&table, "RA"), floats(&table, "DEC"));
    let mut pixels = std::collections::BTreeMap::new();
    for (&ra, &dec) in ra.iter().zip(&dec) {
        assert!(footprint.contains(ra, dec), "{ra} {dec}");
        // A pixel by the footprint that holds one point alone.
        let one = unit_vectors(Column::new("RA", &[ra]), Column::new("DEC", &[dec])).unwrap();
        let pixel = Footprint::holding(&one, 16).unwrap().numbers()[0];
        *pixels.entry(pixel).or_insert(0) += 1;
    }
    let counts: Vec<u32> = pixels.into_values().collect();
    assert_eq!(counts.len(), footprint.n_pixels());
    assert!(excess(&counts).abs() < 5.0);
}

#[test]
fn redshifts_are_like_those_of_the_data() {
    let folder = Folder::new().with("g.csv", &survey());
    let (n, bins) = (40_000, 12);
    let shares = |values: &[f64]| -> Vec<f64> {
        let counts = histogram(values.iter().map(|z| (z - 0.2) / 0.3), bins);
        let share = |&count: &u32| f64::from(count) / values.len() as f64;
        counts.iter().map(share).collect::<Vec<_>>()
    };
    let text = survey();
    let of_row = |line: &str, field: usize| line.split(',').nth(field)?.parse::<f64>().ok();
    let data: Vec<f64> = text.lines().filter_map(|line| of_row(line, 2)).collect();
    assert_eq!(data.len(), 800);
    let like = format!("randoms --number {n} --seed 6 --like g.csv --nside 16");
    for (flags, same_values) in [("", true), ("--smooth-nz 40", false)] {
        folder.good(&format!("{like} {flags} -o r.parquet"));
        let drawn = floats(&folder.table("r.parquet"), "Z");
        assert_eq!(drawn.iter().all(|z| data.contains(z)), same_values);
        // The edges of 40 bins of the smooth histogram are not those of these 12.
        let slack = if same_values { 0.0 } else { 0.01 };
        for (found, expected) in shares(&drawn).into_iter().zip(shares(&data)) {
            let noise = (expected * (1.0 - expected) / f64::from(n)).sqrt();
            assert!(
                (found - expected).abs() < 5.0 * noise + slack,
                "{found} {expected}"
            );
        }
    }
    // Weights of 0 from redshift 0.3 on.
    folder.good(&format!("{like} --weight w -o r.parquet"));
    let drawn = floats(&folder.table("r.parquet"), "Z");
    assert!(drawn.iter().all(|&z| z < 0.3));
    folder.good(&format!("{like} --redshift none -o r.parquet"));
    assert_eq!(names(&folder.table("r.parquet")), ["RA", "DEC"]);
}

#[test]
fn points_depend_on_seed_and_number_alone() {
    let folder = Folder::new().with("g.csv", &survey());
    let shapes = [
        "--box 5",
        "--shell 0:3",
        "--sky-window 0:360,-90:90",
        "--like g.csv --smooth-nz 9",
    ];
    for shape in shapes {
        let make = |n: u32, seed: u32, threads: &str| {
            let arguments = format!("randoms -n {n} --seed {seed} {shape} -q -o r.parquet");
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let mut command = folder.command(&arguments);
            let run = command.env("RAYON_NUM_THREADS", threads).output().unwrap();
            assert!(
                run.status.success(),
                "{}",
                String::from_utf8_lossy(&run.stderr)
            );
            let table = folder.table("r.parquet");
            let columns = table.columns.iter().map(|c| floats(&table, &c.name));
            (folder.bytes("r.parquet"), columns.collect::<Vec<_>>())
        };
        let (bytes, long) = make(5000, 1, "2");
        assert_eq!(make(5000, 1, "1").0, bytes, "{shape}");
        let (_, short) = make(7, 1, "2");
        for (long, short) in long.iter().zip(&short) {
            assert_eq!(long[..7], short[..], "{shape}");
        }
        assert_ne!(make(7, 2, "2").1, short, "{shape}");
    }
}

/// Randoms made like the bundled survey serve as well as those that come with it: the borders and holes of the pixels change the area
/// by 2 %, and xi up to 16 Mpc/h, where it is 6 to 0.15, by a few.
#[test]
#[cfg(all(feature = "fits", feature = "parquet"))]
fn xi_with_randoms_like_the_survey_is_that_with_its_own() {
    let folder = Folder::new();
    let galaxies = sample("survey_galaxies.fits");
    folder.good(&format!(
        "randoms -n 100000 --seed 1 --like {galaxies} --sky RA,DEC --redshift Z --smooth-nz 20 -o like.parquet"
    ));
    let xi = |randoms: &str| {
        folder.good(&format!(
            "xi {galaxies} --randoms {randoms} --sky RA,DEC --redshift Z --cosmology Planck18 --bins log:1:16:6 --engine cpu -o xi.json"
        ));
        floats(&folder.table("xi.json"), "xi")
    };
    let expected = xi(&sample("survey_randoms.parquet"));
    let found = xi("like.parquet");
    assert_eq!(found.len(), 6);
    for (found, expected) in found.iter().zip(&expected) {
        assert!(*expected > 0.1, "the survey clusters: {expected}");
        assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
    }
}

/// The share of the points within a circle of declination.
fn below(dec: &[f64], limit: f64) -> f64 {
    dec.iter().filter(|dec| **dec < limit).count() as f64 / dec.len() as f64
}

#[test]
fn masks_are_filled_evenly_by_number_or_by_map() {
    let folder = Folder::new().with("survey.csv", &survey());
    // The four base pixels around the north pole, half of which --mask-where takes; as a map of values, all of them.
    std::fs::write(
        folder.path("pixels.csv"),
        "PIXEL,FRACTION\n0,0.9\n2,0.8\n1,0.2\n3,0.1\n0,0.7\n",
    )
    .unwrap();
    let map: Vec<String> = (0..12)
        .map(|k| format!("{}\n", i32::from(k < 4) - 2 * i32::from(k == 8)))
        .collect();
    let map = map.concat();
    std::fs::write(folder.path("map.csv"), format!("MASK\n{map}")).unwrap();
    let pixels = "--mask pixels.csv --nside 1 --mask-order nested";
    folder.good(&format!("randoms -n 4000 {pixels} -o all.csv"));
    folder.good("randoms -n 4000 --mask map.csv --mask-order ring -o map_out.csv");
    let (all, map) = (folder.table("all.csv"), folder.table("map_out.csv"));
    assert_eq!(names(&all), ["RA", "DEC"]);
    assert_eq!(floats(&all, "RA"), floats(&map, "RA"));
    assert_eq!(all.meta["footprint"]["pixels"], 4);
    assert_eq!(all.meta["mask"]["path"], "pixels.csv");
    // A third of the sphere, which reaches down to the equator.
    let dec = floats(&all, "DEC");
    assert!(dec.iter().all(|dec| *dec > 0.0) && below(&dec, 30.0) > 0.2);
    folder.good(&format!(
        "randoms -n 1000 {pixels} --mask-where FRACTION>0.5 --like survey.csv --where Z<0.4 -o some.csv"
    ));
    let some = folder.table("some.csv");
    assert_eq!(names(&some), ["RA", "DEC", "Z"]);
    assert_eq!(some.meta["footprint"]["pixels"], 2);
    let quarter = |ra: &f64| (ra / 90.0) as u32;
    assert!(
        floats(&some, "RA")
            .iter()
            .all(|ra| [0, 2].contains(&quarter(ra)))
    );
    assert!(floats(&some, "Z").iter().all(|z| (0.2..0.4).contains(z)));
}
