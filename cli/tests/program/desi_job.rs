//! The job of `run --template desi`: as it stands, and on catalogues with what DESI's own scripts made of them, where
//! `ALBIREO_TEST_DATA` names a folder whose folder `entrance` has them.

use std::path::{Path, PathBuf};

use crate::folder::{Folder, floats};

/// The template with other lines.
fn template(folder: &Folder, lines: &[(&str, &str)]) -> String {
    let text = folder.good("run --template desi").stdout;
    lines.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

#[test]
fn every_step_is_made_once_for_what_it_uses() {
    let folder = Folder::new();
    let text = template(&folder, &[]);
    std::fs::create_dir_all(folder.path("LSScats/v1.5")).unwrap();
    for cap in ["NGC", "SGC"] {
        let file = |name: &str| folder.path(&format!("LSScats/v1.5/LRG_{cap}_{name}"));
        std::fs::write(file("clustering.dat.h5"), "").unwrap();
        std::fs::write(file("0_clustering.ran.fits"), "").unwrap();
    }
    std::fs::write(folder.path("job.toml"), text).unwrap();
    let list = folder.good("run job.toml --list").stdout;
    let lines: Vec<&str> = list.lines().collect();
    let of = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(of("albireo xi LSScats/v1.5/LRG_NGC_clustering.dat.h5"), 3);
    assert_eq!(of("albireo xi LSScats/v1.5/LRG_SGC_clustering.dat.h5"), 3);
    assert_eq!(
        (of("albireo result combine"), of("albireo result estimate")),
        (3, 36)
    );
    assert_eq!(lines.len(), 45);
    let caps = "albireo result combine xi/smu/allcounts_LRG_NGC_0.8_1.1_default_FKP_lin_njack0_nran5_split20.npy \
        xi/smu/allcounts_LRG_SGC_0.8_1.1_default_FKP_lin_njack0_nran5_split20.npy --by data --output \
        xi/smu/allcounts_LRG_GCcomb_0.8_1.1_default_FKP_lin_njack0_nran5_split20.npy";
    assert!(lines.contains(&caps), "{list}");
}

/// The folder of catalogues, where it is at hand.
fn entrance() -> Option<PathBuf> {
    let at = std::env::var_os("ALBIREO_TEST_DATA").map(|at| PathBuf::from(at).join("entrance"));
    at.filter(|at| at.join("xirunpc.json").exists())
}

/// The numbers of a text that the scripts wrote, row by row.
fn expected(entrance: &Path, run: &str, kind: &str, part: &str, end: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(entrance.join("xirunpc.json")).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text.replace("NaN", "null")).unwrap();
    let name =
        format!("{run}: {kind}_LRG_{part}_0.4_0.6_default_FKP_custom1_njack0_nran2{end}.txt");
    let lines = all[&name].as_array().unwrap().iter();
    let lines = lines.map(|line| line.as_str().unwrap());
    let rows = lines.filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        line.split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect()
    })
    .collect()
}

/// The scripts bin signed mu, whose sign is rounding where both ends are at one distance: the wedges of mu and -mu then differ, and so do
/// means over |mu| from those of both, by what such pairs are.
fn tolerance(wedges: &[f64]) -> f64 {
    let mirrored =
        (0..3).all(|k| (wedges[2 + k] - wedges[7 - k]).abs() <= 1e-11 * wedges[2 + k].abs());
    if mirrored { 4e-10 } else { 1e-5 }
}

/// The catalogues of the test and coarse bins in the place of a survey's.
fn small<'a>(lss: &'a str, bins: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("LSScats/v1.5", lss),
        ("_[0-4]_clustering.ran", "_[0-1]_clustering.ran"),
        ("split-randoms-above = 20", "split-randoms-above = 80"),
        (", { lo = 0.6, hi = 0.8 }, { lo = 0.8, hi = 1.1 }]", "]"),
        ("by = [1, 4, 5, 10]", "by = [1]"),
        (
            "bins = \"lin:0:200:200\"\nmu-bins = \"lin:-1:1:200\"\n",
            bins,
        ),
        ("wedges = 6", "wedges = 3"),
        ("njack0_nran5_split20", "njack0_nran2"),
    ]
}

#[test]
fn variants_of_the_template_run() {
    let Some(entrance) = entrance() else { return };
    let folder = Folder::new();
    let lss = entrance.join("desi/fits").display().to_string();
    let bins = "bins = \"lin:0:200:5\"\nmu-bins = \"lin:0:1:4\"\nregions = 4\njackknife = \"mohammad-percival\"\n\
        region-counts = \"xi/smu/regions_{name, part = cap}_{end}.h5\"\n";
    let text = template(&folder, &small(&lss, bins));
    let (begin, end) = (
        text.find("# [result.estimate.jackknife]"),
        text.find("#\n# Bits of"),
    );
    let tables = text[begin.unwrap()..end.unwrap()].replace("\n# ", "\n");
    let tables = tables.trim_start_matches("# ");
    std::fs::write(folder.path("job.toml"), format!("{text}\n{tables}")).unwrap();
    folder.good("run job.toml");
    for part in ["NGC1", "SGC1", "GCcomb"] {
        let (cap, by) = part.split_at(part.len() - usize::from(part.ends_with('1')));
        let name = |kind: &str, ending: &str| {
            format!("xi/smu/{kind}_LRG_{cap}_0.4_0.6_default_FKP_lin{by}_njack0_nran2.{ending}")
        };
        let poles = folder.table(&name("xipoles_jackknife", "txt"));
        assert_eq!(poles.meta["errors"]["regions"], 4, "{part}");
        assert_eq!(folder.table(&name("cov", "h5")).rows(), 15 * 15, "{part}");
    }
}

#[test]
fn the_job_makes_what_the_scripts_make() {
    let Some(entrance) = entrance() else { return };
    let desi = entrance.join("desi");
    let (lss, edges) = (desi.join("fits"), desi.join("edges.npz"));
    for (run, end, cut) in [
        ("plain", "_split80", ""),
        (
            "thetacut",
            "_split80_thetacut0.05",
            "theta-cut = \"0:0.05\"\n",
        ),
    ] {
        let folder = Folder::new();
        let (lss, edges) = (lss.display().to_string(), edges.display());
        let bins = format!("bins = \"@{edges}:s\"\nmu-bins = \"lin:0:1:4\"\n{cut}");
        let text = template(&folder, &small(&lss, &bins));
        std::fs::write(folder.path("job.toml"), text).unwrap();
        folder.good("run job.toml");
        let again = folder.good("run job.toml");
        assert!(
            again.stderr.contains("6 of 6 were done already"),
            "{}",
            again.stderr
        );
        for part in ["NGC", "SGC", "GCcomb"] {
            let result = |kind: &str| {
                let name =
                    format!("xi/smu/{kind}_LRG_{part}_0.4_0.6_default_FKP_lin1_njack0_nran2.txt");
                folder.table(&name)
            };
            let (poles, wedges) = (result("xipoles"), result("xiwedges"));
            let of_poles = expected(&entrance, run, "xipoles", part, end);
            let of_wedges = expected(&entrance, run, "xiwedges", part, end);
            let exact = of_wedges.iter().filter(|row| tolerance(row) < 1e-9);
            assert!(exact.count() >= 3, "{run} {part}: signs of mu are noise");
            for (s, (expected_poles, expected_wedges)) in
                of_poles.iter().zip(&of_wedges).enumerate()
            {
                let tolerance = tolerance(expected_wedges);
                let close = |found: f64, expected: f64| {
                    let both = found.is_nan() && expected.is_nan();
                    let near = (found - expected).abs() < tolerance * (1.0 + expected.abs());
                    assert!(both || near, "{run} {part} bin {s}: {found} {expected}");
                };
                for k in 0..3 {
                    close(
                        floats(&poles, &format!("xi_{}", 2 * k))[s],
                        expected_poles[2 + k],
                    );
                    let both = f64::midpoint(expected_wedges[5 + k], expected_wedges[4 - k]);
                    close(floats(&wedges, &format!("xi_wedge_{k}"))[s], both);
                }
            }
        }
    }
}
