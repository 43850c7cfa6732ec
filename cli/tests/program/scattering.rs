//! `albireo rdf --scattering`: what neutrons and X-rays see of the partial structure factors.

use albireo_fluids::{Gaussians, neutron_scattering_length};

use crate::folder::{Folder, floats};
use crate::frames::{BINS, trajectory};

/// `sum c_i c_j f_i f_j (A_ij - 1)` of twice as many H as O, and the sums of `c f` and `c f^2`.
fn total(table: &albireo_catalogs::Table, row: usize, f: [f64; 2]) -> [f64; 3] {
    let [h, o] = [2.0 / 3.0 * f[0], 1.0 / 3.0 * f[1]];
    let a = |pair: &str| floats(table, &format!("S_{pair}"))[row] - 1.0;
    let sum = h * h * a("H-H") + 2.0 * h * o * a("H-O") + o * o * a("O-O");
    [sum, h + o, h * f[0] + o * f[1]]
}

#[test]
fn totals_are_sums_over_partials() {
    let folder = Folder::new().with("t.csv", &trajectory(0..6, 90));
    let call = |scattering: &str, unit: &str| {
        let s = format!("--structure s.csv --q lin:1:11:20 --scattering {scattering}");
        folder.good(&format!("rdf t.csv {BINS} --unit {unit} {s} -o g.csv"));
        folder.table("s.csv")
    };
    for (scattering, unit, angstroms) in [
        ("x-ray", "nm", 10.0),
        ("x-ray", "Angstrom", 1.0),
        ("neutron", "nm", 1.0),
    ] {
        let table = call(scattering, unit);
        let (q, f, s) = (
            floats(&table, "centre"),
            floats(&table, "F"),
            floats(&table, "S"),
        );
        for row in 0..20 {
            let of = ["H", "O"].map(|name| match scattering {
                "x-ray" => Gaussians::of(name).unwrap().at(q[row] / angstroms),
                _ => neutron_scattering_length(name).unwrap(),
            });
            let [sum, mean, own] = total(&table, row, of);
            assert!((f[row] - sum).abs() < 1e-12 * sum.abs().max(1.0), "{row}");
            let expected = 1.0 + sum / (mean * mean);
            assert!((s[row] - expected).abs() < 1e-11 * expected.abs().max(1.0));
            if scattering == "x-ray" {
                let found = floats(&table, "self")[row];
                assert!((found - own).abs() < 1e-12 * own, "{found} {own}");
            }
        }
    }
    // A pair in vacuum, 2 apart: the sum over its atoms, to the width of a bin.
    let folder = folder.with("pair.csv", "frame,species,x,y,z\n0,O,0,0,0\n0,H,2,0,0\n");
    folder.good("rdf pair.csv --bins edges:0,1.999,2.001 --norm counts --unit Angstrom --structure s.csv --debye --q lin:0.5:4.5:4 --scattering x-ray -o g.csv");
    let table = folder.table("s.csv");
    for (q, found) in floats(&table, "centre").iter().zip(floats(&table, "I")) {
        let [o, h] = ["O", "H"].map(|name| Gaussians::of(name).unwrap().at(*q));
        let expected = o * o + h * h + 2.0 * o * h * (2.0 * q).sin() / (2.0 * q);
        assert!(
            (found - expected).abs() < 1e-3 * expected,
            "{q}: {found} {expected}"
        );
    }
}

#[test]
fn neutrons_see_sums_over_g() {
    let folder = Folder::new().with("t.csv", &trajectory(0..6, 90));
    folder.good(&format!(
        "rdf t.csv {BINS} --total-g t.ecsv --scattering H=-3.739,O=5.803 -o g.csv"
    ));
    let (table, g) = (folder.table("t.ecsv"), folder.table("g.csv"));
    let of = |pair: &str| floats(&g, &format!("g_{pair}"));
    let (hh, ho, oo) = (of("H-H"), of("H-O"), of("O-O"));
    let [h, o] = [2.0 / 3.0 * -3.739, 1.0 / 3.0 * 5.803f64];
    let (r, total) = (floats(&table, "centre"), floats(&table, "G"));
    let (d, t) = (floats(&table, "D"), floats(&table, "T"));
    // T - D = 4 pi r rho (sum c b)^2 tells the density.
    let around = |row: usize| (t[row] - d[row]) / (h + o).powi(2);
    for row in 0..total.len() {
        let pairs =
            h * h * (hh[row] - 1.0) + 2.0 * h * o * (ho[row] - 1.0) + o * o * (oo[row] - 1.0);
        assert!((total[row] - pairs).abs() < 1e-12 * pairs.abs().max(1.0));
        let expected = around(row) * total[row];
        assert!((d[row] - expected).abs() < 1e-9 * expected.abs().max(1.0));
        assert!((around(row) / r[row] / (around(0) / r[0]) - 1.0).abs() < 1e-9);
    }
    folder.good("plot t.ecsv -o t.svg");
}

#[test]
fn a_solvent_is_taken_off() {
    let folder = Folder::new().with("pair.csv", "frame,species,x,y,z\n0,O,0,0,0\n0,H,0.2,0,0\n");
    let call = "rdf pair.csv --norm counts --scattering x-ray --solvent 0.334,O=9.13,H=5.15";
    // In nm: q of 5 to 45 per nm.
    folder.good(&format!("{call} --bins edges:0,0.1999,0.2001 --unit nm --structure s.csv --debye --q lin:5:45:4 -o g.csv"));
    let table = folder.table("s.csv");
    for (q, found) in floats(&table, "centre").iter().zip(floats(&table, "I")) {
        let q = q / 10.0;
        let [o, h] = [("O", 9.13f64), ("H", 5.15)].map(|(name, v)| {
            let width = v.powf(2.0 / 3.0) / (4.0 * std::f64::consts::PI);
            Gaussians::of(name).unwrap().at(q) - 0.334 * v * (-q * q * width).exp()
        });
        let expected = o * o + h * h + 2.0 * o * h * (2.0 * q).sin() / (2.0 * q);
        assert!(
            (found - expected).abs() < 1e-3 * expected.abs(),
            "{q}: {found} {expected}"
        );
    }
    folder.good(&format!(
        "{call} --bins lin:0:0.4:4 --unit nm --p-of-r p.ecsv -o g.csv"
    ));
    let meta = folder.table("p.ecsv").meta;
    let lengths = meta["scattering_lengths"].as_array().unwrap();
    let [h, o] = [0, 1].map(|k| lengths[k].as_f64().unwrap());
    let at_zero = |name: &str, v: f64| Gaussians::of(name).unwrap().at(0.0) - 0.334 * v;
    assert!((h - at_zero("H", 5.15)).abs() < 1e-12 && (o - at_zero("O", 9.13)).abs() < 1e-12);
    assert!(meta["solvent"]["volumes"]["O"].as_f64().is_some());
}
