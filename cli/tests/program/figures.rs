//! Figures: the right kind of file of the right size, with the right labels.

use crate::folder::{Folder, scattered};

fn folder() -> Folder {
    Folder::new().with("d.csv", &scattered(200, 10.0, 1))
}

/// Width and height of a PNG file.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn png_and_svg_by_extension() {
    let folder = folder();
    folder.good("xi d.csv --box 10 --bins log:0.5:5:6 --unit Mpc/h --plot xi.png -o xi.csv");
    let bytes = folder.bytes("xi.png");
    assert_eq!(png_size(&bytes), (1260, 945));
    folder.good("plot xi.csv -o xi.svg");
    let svg = folder.text("xi.svg");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    for label in [
        "aria-label=\"r  [h⁻¹ Mpc]\"",
        "aria-label=\"ξ(r)\"",
        "aria-label=\"0.5\"",
    ] {
        assert!(svg.contains(label), "{label}");
    }
    assert!(!svg.contains("NaN"));
    folder.good("plot xi.csv -o r2.svg --r2");
    let svg = folder.text("r2.svg");
    assert!(svg.contains("aria-label=\"r² ξ(r)  [h⁻² Mpc²]\""));
}

#[test]
fn every_result_has_a_figure() {
    let folder = folder();
    let commands = [
        ("count d.csv --bins lin:0:5:5", "pairs per bin"),
        (
            "count d.csv --weight w --bins lin:0:5:5",
            "weighted pairs per bin",
        ),
        (
            "count d.csv --statistic theta --bins log:1:90:5",
            "θ  [degrees]",
        ),
        (
            "count d.csv --statistic rp-pi --bins log:0.5:5:4 --pi-bins lin:0:5:4",
            "r_p",
        ),
        (
            "xi d.csv --box 10 --statistic s-mu --bins lin:0:5:4 --mu-bins lin:0:1:4",
            "ξ(s, μ)",
        ),
        (
            "xi d.csv --box 10 --statistic s-mu --bins lin:1:5:4 --mu-bins lin:0:1:4 --multipoles 0,2",
            "ℓ = 2",
        ),
        (
            "wp d.csv --box 10 --bins log:0.5:5:4 --pi-bins lin:0:5:4",
            "w_p(r_p)",
        ),
        ("rdf d.csv --box 10 --r-max 5 --n-bins 80", "g(r)"),
    ];
    for (command, label) in commands {
        folder.good(&format!("{command} --plot figure.svg"));
        let svg = folder.text("figure.svg");
        assert!(
            svg.contains(&format!("aria-label=\"{label}\"")),
            "{command}"
        );
        folder.good(&format!("{command} --plot figure.png"));
        let bytes = folder.bytes("figure.png");
        // g(r) has n(r) below it.
        let height = if label == "g(r)" { 1300 } else { 945 };
        assert_eq!(png_size(&bytes), (1260, height), "{command}");
        std::fs::remove_file(folder.path("figure.png")).unwrap();
    }
}
