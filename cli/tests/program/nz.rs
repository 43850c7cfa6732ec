//! `nz`: number densities, FKP weights and effective redshifts.

use crate::folder::{Folder, floats, integers, names, scattered};

/// Objects on 10 x 10 degrees around (15, 5) with redshifts from 0.1 to 0.3 and weights.
fn survey(n: u64, seed: u64) -> String {
    let rows = scattered(n, 1.0, seed);
    let rows = rows.lines().skip(1).map(|line| {
        let values: Vec<f64> = line
            .split(',')
            .map(|value| value.parse().unwrap())
            .collect();
        let (ra, dec) = (10.0 + 10.0 * values[0], 10.0 * values[1]);
        let (z, w) = (0.1 + 0.2 * values[2], 0.5 + values[3]);
        format!("{ra},{dec},{z},{w}\n")
    });
    format!("RA,DEC,Z,WEIGHT\n{}", rows.collect::<String>())
}

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &survey(400, 1))
        .with("r.csv", &survey(1500, 2))
        .with("box.csv", &scattered(20, 1.0, 3))
}

#[test]
fn densities_are_weights_over_the_volumes_of_shells() {
    let folder = folder();
    folder.good(
        "nz d.csv --weight WEIGHT --cosmology om=0.3 --area 100 --bins lin:0.1:0.3:4 -o n.ecsv",
    );
    let n = folder.table("n.ecsv");
    let (objects, weight) = (integers(&n, "objects"), floats(&n, "weight"));
    assert_eq!(objects.iter().sum::<u64>(), 400);
    let rows = survey(400, 1);
    let mut expected = [(0u64, 0.0); 4];
    for row in rows.lines().skip(1) {
        let values: Vec<f64> = row.split(',').map(|value| value.parse().unwrap()).collect();
        let bin = ((values[2] - 0.1) / 0.05) as usize;
        expected[bin].0 += 1;
        expected[bin].1 += values[3];
    }
    let cosmology: albireo::Cosmology = "om=0.3".parse().unwrap();
    let solid_angle = 100.0 * (std::f64::consts::PI / 180.0).powi(2);
    for bin in 0..4 {
        assert_eq!(objects[bin], expected[bin].0);
        assert!((weight[bin] - expected[bin].1).abs() < 1e-12);
        let radius = |edge: f64| cosmology.distance(edge).unwrap().powi(3);
        let [lo, hi] = [floats(&n, "lo")[bin], floats(&n, "hi")[bin]];
        let volume = solid_angle / 3.0 * (radius(hi) - radius(lo));
        let density = expected[bin].1 / volume;
        assert!((floats(&n, "n")[bin] / density - 1.0).abs() < 1e-12);
    }
    assert_eq!(n.kind().unwrap().name(), "number density");
    assert_eq!(n.column("n").unwrap().unit.as_deref(), Some("(h/Mpc)^3"));
    // Bins of 0.01 around all redshifts by default.
    folder.good("nz d.csv --cosmology om=0.3 --area 100 -o m.ecsv");
    let n = folder.table("m.ecsv");
    assert_eq!(n.rows(), 20);
    assert_eq!(integers(&n, "objects").iter().sum::<u64>(), 400);
}

#[test]
fn fkp_weights_stand_beside_the_rows() {
    let folder = folder();
    folder.good(
        "nz d.csv --randoms r.csv --weight WEIGHT --cosmology om=0.3 --nside 64 --fkp 20000 \
         --fkp-data d.parquet --fkp-randoms r.fits -o n.csv",
    );
    let n = folder.table("n.csv");
    let density = floats(&n, "n");
    for (file, rows) in [("d.parquet", 400), ("r.fits", 1500)] {
        let table = folder.table(file);
        assert_eq!(names(&table).join(" "), "RA DEC Z WEIGHT NZ WEIGHT_FKP");
        assert_eq!(table.rows(), rows);
        let (z, nz) = (floats(&table, "Z"), floats(&table, "NZ"));
        for (row, w) in floats(&table, "WEIGHT_FKP").into_iter().enumerate() {
            let bin = floats(&n, "lo")
                .iter()
                .rposition(|lo| *lo <= z[row])
                .unwrap();
            assert_eq!(nz[row], density[bin]);
            assert_eq!(w, 1.0 / (1.0 + 20000.0 * density[bin]));
        }
    }
    // They weigh pairs as they are.
    folder.good("xi d.parquet --randoms r.fits --weight WEIGHT*WEIGHT_FKP --cosmology om=0.3 --bins lin:0:50:3 -o xi.csv");
    let area = n.meta["area_square_degrees"].as_f64().unwrap();
    // 99.7 square degrees and what pixels of 0.84 have beyond the border.
    assert!((99.7..130.0).contains(&area), "{area}");
    let pixels = n.meta["area_from"]["pixels"].as_f64().unwrap();
    assert!((area - pixels * albireo::cosmology::MAX_AREA / (12.0 * 64.0 * 64.0)).abs() < 1e-9);
    assert_eq!(n.meta["area_from"]["of"], "randoms");
}

#[test]
fn effective_redshifts_are_those_of_a_double_loop() {
    let folder = folder();
    folder.good(
        "nz d.csv --weight WEIGHT --cosmology om=0.3 --area 100 --bins lin:0.1:0.3:8 --fkp 5000 --fkp-data w.csv \
         --effective-redshift 10:40 -o n.json",
    );
    let (n, rows) = (folder.table("n.json"), folder.table("w.csv"));
    let column = |name: &str| floats(&rows, name);
    let (ra, dec, z) = (column("RA"), column("DEC"), column("Z"));
    let w: Vec<f64> = column("WEIGHT")
        .iter()
        .zip(column("WEIGHT_FKP"))
        .map(|(a, b)| a * b)
        .collect();
    let cosmology: albireo::Cosmology = "om=0.3".parse().unwrap();
    let place = |k: usize| {
        let r = cosmology.distance(z[k]).unwrap();
        albireo::sky::unit_vector(ra[k], dec[k]).map(|x| x * r)
    };
    let places: Vec<_> = (0..z.len()).map(place).collect();
    let [mut sum, mut all] = [0.0; 2];
    for i in 0..z.len() {
        for j in 0..i {
            let d = [0, 1, 2].map(|k| places[i][k] - places[j][k]);
            let s = d.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (10.0..40.0).contains(&s) {
                sum += w[i] * w[j] * (z[i] + z[j]) / 2.0;
                all += w[i] * w[j];
            }
        }
    }
    let effective = &n.meta["effective_redshift"];
    let pairs = effective["pairs"]["redshift"].as_f64().unwrap();
    assert!((pairs - sum / all).abs() < 1e-9, "{pairs} {}", sum / all);
    let [mut sum, mut all] = [0.0; 2];
    for (bin, n_of) in floats(&n, "n").iter().enumerate() {
        let weight = (n_of * floats(&n, "fkp")[bin]).powi(2) * floats(&n, "volume")[bin];
        sum += weight * floats(&n, "centre")[bin];
        all += weight;
    }
    let density = effective["density"]["redshift"].as_f64().unwrap();
    assert!((density - sum / all).abs() < 1e-12);
}

#[test]
#[cfg(feature = "plot")]
fn densities_of_several_samples_share_a_figure() {
    let folder = folder();
    for sample in ["d", "r"] {
        folder.good(&format!(
            "nz {sample}.csv --cosmology om=0.3 --area 100 --bins lin:0.1:0.3:5 -o {sample}n.csv"
        ));
    }
    folder.good("plot dn.csv rn.csv -o both.svg");
    let figure = folder.text("both.svg");
    assert!(figure.len() > 2000);
    let refused = folder.run("plot dn.csv rn.csv -o scaled.svg --r2");
    assert!(
        refused.stderr.contains("--scale-by scales"),
        "{}",
        refused.stderr
    );
}

#[test]
fn redshifts_have_the_units_of_other_commands() {
    let unitless = "ra,dec,v\n10,1,21\n11,2,22.5\n12,3,24\n";
    let header = |unit: &str| {
        let names = [("ra", "deg"), ("dec", "deg"), ("v", unit)];
        let columns = names.map(|(name, unit)| {
            format!("# - name: {name}\n#   datatype: float64\n#   unit: {unit}\n")
        });
        let columns = columns.concat();
        format!("# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n{columns}{unitless}")
    };
    let folder = Folder::new()
        .with("v.csv", unitless)
        .with("cz.ecsv", &header("km/s"));
    let nz = "--sky ra,dec --redshift v --cosmology om=0.3 --area 100 --bins edges:20,22,25";
    let randoms = "randoms --number 3 -o r.csv --sky ra,dec --redshift v --nside 8";
    // The numbers are meant: two of the three lie beyond 22.
    folder.good(&format!("nz v.csv {nz} --redshift-unit 1 -o n.csv"));
    assert_eq!(integers(&folder.table("n.csv"), "objects"), [1, 2]);
    let meant = "--ignore-units v --redshift-unit 1";
    folder.good(&format!("nz cz.ecsv {nz} {meant} -o n.csv"));
    assert_eq!(integers(&folder.table("n.csv"), "objects"), [1, 2]);
    folder.good(&format!("{randoms} --like cz.ecsv {meant}"));
    let drawn = floats(&folder.table("r.csv"), "Z");
    let known = |z: &f64| [21.0, 22.5, 24.0].contains(z);
    assert!(drawn.len() == 3 && drawn.iter().all(known), "{drawn:?}");
}
