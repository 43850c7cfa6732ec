//! `albireo plot`: several results, axes as asked for, PDF, maps and g(r).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read;

use crate::folder::{Folder, scattered};

fn folder() -> Folder {
    Folder::new()
        .with("a.csv", &scattered(300, 10.0, 1))
        .with("b.csv", &scattered(200, 10.0, 2))
}

/// The texts of an SVG figure, in the order in which they were drawn.
fn texts(folder: &Folder, name: &str) -> Vec<String> {
    let svg = folder.text(name);
    let labels = svg.split("aria-label=\"").skip(1);
    labels
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect()
}

fn has(texts: &[String], wanted: &str) -> bool {
    texts.iter().any(|text| text == wanted)
}

#[test]
fn several_results_share_axes_with_a_legend() {
    let folder = folder();
    for name in ["a", "b"] {
        folder.good(&format!(
            "xi {name}.csv --box 10 --bins log:0.5:5:6 -o xi_{name}.csv"
        ));
    }
    folder.good("plot xi_a.csv xi_b.csv -o both.svg");
    let found = texts(&folder, "both.svg");
    assert!(
        has(&found, "xi_a.csv") && has(&found, "xi_b.csv") && has(&found, "ξ(r)"),
        "{found:?}"
    );
    let svg = folder.text("both.svg");
    for colour in ["#005aa0", "#d55e00"] {
        assert!(svg.contains(&format!("stroke=\"{colour}\"")), "{colour}");
    }
    folder.good("plot xi_a.csv -o one.svg");
    assert!(
        !has(&texts(&folder, "one.svg"), "xi_a.csv"),
        "one curve needs no name"
    );
    // Their folders distinguish two of the same name.
    std::fs::create_dir(folder.path("sub")).unwrap();
    folder.good("xi b.csv --box 10 --bins log:0.5:5:6 -o sub/xi_a.csv");
    folder.good("plot xi_a.csv sub/xi_a.csv -o both.svg");
    assert!(has(&texts(&folder, "both.svg"), "sub/xi_a.csv"));
}

#[test]
fn results_are_named_and_scaled_as_asked() {
    let folder = folder();
    for name in ["a", "b"] {
        folder.good(&format!(
            "xi {name}.csv --box 10 --bins log:0.5:5:6 -o xi_{name}.csv --unit Mpc/h"
        ));
    }
    folder.good("plot xi_a.csv xi_b.csv --name LRG --name ELG --scale-by 1 -o named.svg");
    let found = texts(&folder, "named.svg");
    for wanted in ["LRG", "ELG", "r ξ(r)  [h⁻¹ Mpc]"] {
        assert!(has(&found, wanted), "{wanted}: {found:?}");
    }
    assert!(!has(&found, "xi_a.csv"));
    for (power, label) in [
        ("2", "r² ξ(r)  [h⁻² Mpc²]"),
        ("1.5", "r^1.5 ξ(r)  [h^−1.5 Mpc^1.5]"),
        ("0", "ξ(r)"),
    ] {
        folder.good(&format!("plot xi_a.csv --scale-by {power} -o one.svg"));
        let found = texts(&folder, "one.svg");
        assert!(has(&found, label), "{label}: {found:?}");
    }
    // The square by either flag.
    folder.good("plot xi_a.csv --scale-by 2 -o a.svg");
    folder.good("plot xi_a.csv --r2 -o b.svg");
    assert_eq!(folder.text("a.svg"), folder.text("b.svg"));
}

/// The place along x of every vertical stroke of the colour of the first curve's error bars.
fn drawn_width(folder: &Folder, name: &str) -> Vec<(f64, f64)> {
    let svg = folder.text(name);
    let circles = svg.lines().filter(|line| line.starts_with("<circle"));
    let number = |line: &str, key: &str| {
        let rest = line.split(&format!("{key}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().parse::<f64>().unwrap()
    };
    circles
        .map(|line| (number(line, "cx"), number(line, "cy")))
        .collect()
}

#[test]
fn axes_have_the_ends_and_scales_asked_for() {
    let folder = folder();
    folder.good("count a.csv --box 10 --bins lin:0:5:10 -o dd.csv");
    folder.good("plot dd.csv -o all.svg");
    assert_eq!(drawn_width(&folder, "all.svg").len(), 10);
    folder.good("plot dd.csv -o some.svg --x-range 1:3 --y-range=-500:9000");
    let found = texts(&folder, "some.svg");
    assert!(
        has(&found, "1.0") && has(&found, "3.0") && !has(&found, "4"),
        "{found:?}"
    );
    // Centres 1.25, 1.75, 2.25 and 2.75, at 1/8, 3/8... of the axis.
    let places = drawn_width(&folder, "some.svg");
    let steps: Vec<f64> = places
        .windows(2)
        .map(|pair| pair[1].0 - pair[0].0)
        .collect();
    assert_eq!(places.len(), 4);
    assert!(
        steps.iter().all(|step| (step - steps[0]).abs() < 0.02),
        "{steps:?}"
    );
    folder.good("plot dd.csv -o log.svg --x-scale log --y-scale log");
    let found = texts(&folder, "log.svg");
    assert!(has(&found, "1000") && has(&found, "0.5"), "{found:?}");
}

/// Everything between `stream` and `endstream`, unpacked.
fn streams(file: &[u8]) -> Vec<Vec<u8>> {
    let find = |from: usize, word: &[u8]| {
        let place = file[from..]
            .windows(word.len())
            .position(|part| part == word);
        place.map(|place| from + place)
    };
    let (mut from, mut found) = (0, Vec::new());
    while let Some(start) = find(from, b">>\nstream\n") {
        let start = start + b">>\nstream\n".len();
        let end = find(start, b"\nendstream").unwrap();
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(&file[start..end])
            .read_to_end(&mut bytes)
            .unwrap();
        found.push(bytes);
        from = end;
    }
    found
}

/// The texts of a PDF figure, as a reader copies them.
fn pdf_texts(file: &[u8]) -> Vec<String> {
    let streams = streams(file);
    let codes = |line: &str| -> Vec<u16> {
        let hexadecimal = line
            .split(['<', '>'])
            .filter(|part| part.len() % 4 == 0 && part.len() > 1);
        let digits: String = hexadecimal.collect();
        digits
            .as_bytes()
            .chunks(4)
            .map(|d| u16::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap())
            .collect()
    };
    let map = String::from_utf8(streams[2].clone()).unwrap();
    let list = map
        .split("beginbfchar\n")
        .nth(1)
        .unwrap()
        .split("endbfchar")
        .next()
        .unwrap();
    let characters: HashMap<u16, u16> = list
        .lines()
        .map(|line| (codes(line)[0], codes(line)[1]))
        .collect();
    let content = String::from_utf8(streams[0].clone()).unwrap();
    let blocks = content
        .split("BT\n")
        .skip(1)
        .map(|rest| rest.split("ET\n").next().unwrap().to_owned());
    let text = |block: String| {
        let glyphs = block
            .lines()
            .flat_map(|line| codes(line.split(" Tm ").nth(1).unwrap()))
            .collect::<Vec<_>>();
        String::from_utf16(
            &glyphs
                .iter()
                .map(|glyph| characters[glyph])
                .collect::<Vec<_>>(),
        )
        .unwrap()
    };
    blocks.map(text).collect()
}

#[test]
fn pdf_holds_the_same_texts_as_svg() {
    let folder = folder();
    let commands = [
        "wp a.csv --box 10 --bins log:0.5:5:4 --pi-bins lin:0:5:4 --unit Mpc/h",
        "rdf a.csv --box 10 --r-max 5 --n-bins 80",
        "xi a.csv --box 10 --statistic rp-pi --bins lin:0:4:8 --pi-bins lin:-4:4:16",
    ];
    for command in commands {
        folder.good(&format!("{command} -o result.json --plot f.pdf"));
        folder.good("plot result.json -o f.svg");
        let file = folder.bytes("f.pdf");
        assert!(file.starts_with(b"%PDF-1.5\n") && file.ends_with(b"%%EOF\n"));
        // Underscores only mark subscripts.
        let expected: Vec<String> = texts(&folder, "f.svg")
            .iter()
            .map(|text| text.replace('_', ""))
            .collect();
        assert_eq!(pdf_texts(&file), expected, "{command}");
        // The table at the end says where each object begins.
        let text = String::from_utf8_lossy(&file[file.len() - 1200..]).into_owned();
        let start: usize = text
            .split("startxref\n")
            .nth(1)
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let table = String::from_utf8(file[start..].to_vec()).unwrap();
        let positions = table.lines().filter(|line| line.ends_with(" 00000 n "));
        for (k, line) in positions.enumerate() {
            let position: usize = line[..10].parse().unwrap();
            assert!(
                file[position..].starts_with(format!("{} 0 obj\n", k + 1).as_bytes()),
                "{line}"
            );
        }
    }
}

/// Width and height of the page of an SVG figure.
fn page(folder: &Folder, name: &str) -> [f64; 2] {
    let svg = folder.text(name);
    let view = svg
        .split("viewBox=\"0 0 ")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    let sides: Vec<f64> = view.split(' ').map(|side| side.parse().unwrap()).collect();
    [sides[0], sides[1]]
}

#[test]
fn maps_of_rp_and_pi_have_equal_lengths_and_contours() {
    // A clump, so that xi has a peak with lines around it.
    let clump: Vec<String> = (0..400)
        .map(|k| {
            let [x, y, z] =
                [37, 59, 83].map(|p| 5.0 + 2.0 * (f64::from(k * p) * 0.618).fract().powi(2));
            format!("{x} {y} {z}\n")
        })
        .collect();
    let folder = Folder::new().with("c.txt", &format!("x y z\n{}", clump.concat()));
    let command = "xi c.txt --box 20 --statistic rp-pi --bins lin:0:4:16 --pi-bins lin:-8:8:64";
    folder.good(&format!("{command} -o map.csv --plot map.svg"));
    let svg = folder.text("map.svg");
    // Each cell of 0.25 x 0.25 is a square.
    let number = |line: &str, key: &str| {
        let rest = line.split(&format!(" {key}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().parse::<f64>().unwrap()
    };
    let inside = svg
        .split("<g clip-path")
        .nth(1)
        .unwrap()
        .split("</g>")
        .next()
        .unwrap();
    let cells: Vec<&str> = inside
        .lines()
        .filter(|line| line.starts_with("<rect"))
        .collect();
    assert_eq!(cells.len(), 16 * 64);
    for cell in cells {
        assert!(
            (number(cell, "width") - number(cell, "height")).abs() < 0.02,
            "{cell}"
        );
    }
    assert!(inside.contains("<polyline"), "contours");
    let [width, height] = page(&folder, "map.svg");
    assert!(width < height, "{width} x {height}");
    folder.good("count c.txt --box 20 --statistic rp-pi --bins lin:0:4:16 --pi-bins lin:-8:8:64 --plot dd.svg");
    let counts = folder.text("dd.svg");
    let inside = counts
        .split("<g clip-path")
        .nth(1)
        .unwrap()
        .split("</g>")
        .next()
        .unwrap();
    assert!(
        !inside.contains("<polyline"),
        "numbers of pairs have no contours"
    );
    folder.good("plot map.csv -o part.svg --x-range 0:2 --y-range=-1:1");
    let [width, height] = page(&folder, "part.svg");
    assert!(width > height, "{width} x {height}");
}

#[test]
fn the_coordination_number_has_a_panel_below_g() {
    let folder = folder();
    folder.good("rdf a.csv --box 10 --r-max 5 --n-bins 20 -o g.csv --plot g.svg");
    let found = texts(&folder, "g.svg");
    assert_eq!(
        found.iter().filter(|text| *text == "n(r)").count(),
        1,
        "its axis: {found:?}"
    );
    folder.good("rdf b.csv --box 10 --r-max 5 --n-bins 20 -o h.csv");
    folder.good("plot g.csv h.csv -o both.svg");
    let found = texts(&folder, "both.svg");
    assert_eq!(
        found.iter().filter(|text| *text == "g.csv").count(),
        2,
        "g and n of each: {found:?}"
    );
}

#[test]
fn partials_of_many_species_have_a_panel_each() {
    let mut rows = "frame,species,x,y,z,lx,ly,lz\n".to_owned();
    for frame in 0..20 {
        for k in 0..60 {
            let at = |seed: u32| (frame * 7919 + k * 104_729 + seed * 1_299_709) % 1000;
            let [x, y, z] = [1, 2, 3].map(|seed| f64::from(at(seed)) / 100.0);
            let species = ["A", "B", "Cl-"][k as usize % 3];
            writeln!(rows, "{frame},{species},{x},{y},{z},10,10,10").unwrap();
        }
    }
    let folder = Folder::new().with("t.csv", &rows);
    let bins = "--r-max 4 --n-bins 8";
    folder.good(&format!(
        "rdf t.csv {bins} -o g.csv --plot g.svg --block-counts each.csv --structure s.csv --q lin:1:5:8"
    ));
    let found = texts(&folder, "g.svg");
    for pair in ["A-A", "A-B", "A-Cl-", "B-B", "B-Cl-", "Cl--Cl-"] {
        assert_eq!(found.iter().filter(|text| *text == pair).count(), 1);
    }
    let labels = found.iter().filter(|text| *text == "g(r)");
    assert_eq!(labels.count(), 6, "{found:?}");
    // Three pairs share axes, and so do six structure factors.
    folder.good(&format!(
        "rdf t.csv {bins} --pairs A-A,A-B,B-B -o three.csv --plot three.svg --norm counts"
    ));
    let found = texts(&folder, "three.svg");
    assert!(
        has(&found, "n(r)") && has(&found, "B-A") && has(&found, "pairs per bin"),
        "{found:?}"
    );
    folder.good("plot s.csv -o s.svg");
    let found = texts(&folder, "s.svg");
    for text in ["Faber-Ziman S(q)", "Ashcroft-Langreth S(q)", "window: none"] {
        assert!(has(&found, text), "{text}: {found:?}");
    }
    // Blocks are a map over the frames, or curves where they are few.
    folder.good("plot each.csv -o each.svg");
    let found = texts(&folder, "each.svg");
    for text in ["frame", "g(r), A-A", "r"] {
        assert!(found.iter().any(|other| other == text), "{found:?}");
    }
    folder.good(&format!(
        "rdf t.csv {bins} --pairs A-B -o g.csv --block-counts few.csv --block 5 --running"
    ));
    folder.good("plot few.csv -o few.svg --x-range 0:3");
    let found = texts(&folder, "few.svg");
    for text in ["from frame 0", "from frame 15", "g(r)"] {
        assert!(found.iter().any(|other| other == text), "{found:?}");
    }
}

#[test]
fn multipoles_are_scaled_by_the_square_and_their_errors_are_named() {
    let folder = folder();
    folder.good(
        "xi a.csv --box 10 --statistic s-mu --bins lin:1:5:4 --mu-bins lin:0:1:4 --multipoles 0,2 --unit Mpc/h \
         --regions-cubes 2 -o p.csv --covariance c.csv",
    );
    folder.good("plot p.csv -o p.svg");
    let found = texts(&folder, "p.svg");
    for text in ["s² ξ_ℓ(s)  [h⁻² Mpc²]", "errors: jackknife, 8 regions"] {
        assert!(has(&found, text), "{text}: {found:?}");
    }
    folder.good("plot p.csv --scale-by 0 -o p.svg");
    assert!(has(&texts(&folder, "p.svg"), "ξ_ℓ(s)"));
    // The matrix has blocks of multipoles, over s.
    folder.good("plot c.csv -o c.svg");
    let found = texts(&folder, "c.svg");
    for text in ["ℓ = 0", "ℓ = 2", "s  [h⁻¹ Mpc]"] {
        assert!(has(&found, text), "{text}: {found:?}");
    }
    assert!(!has(&found, "bin"));
}

#[test]
fn pages_have_the_size_the_title_and_the_model_asked_for() {
    let folder = folder().with("m.txt", "# r a b\n0.5 3 1\n5 2 0.5\n");
    folder.good("xi a.csv --box 10 --bins log:0.5:5:6 -o xi.csv");
    folder
        .good("plot xi.csv -o f.svg --size 86.36x76.2mm --title a_b --model m.txt:b --font-size 9");
    let [width, height] = page(&folder, "f.svg");
    assert!((width - 244.8).abs() < 1e-9 && (height - 216.0).abs() < 1e-9);
    let found = texts(&folder, "f.svg");
    for text in ["a_b", "xi.csv", "m.txt:b", "errors: Poisson"] {
        assert!(has(&found, text), "{text}: {found:?}");
    }
    let svg = folder.text("f.svg");
    assert!(svg.contains("font-size=\"9.00\"") && svg.contains(">ξ(r)</tspan>"));
    let refused = folder.run("plot xi.csv -o f.svg --model m.txt:c");
    assert!(
        refused
            .stderr
            .contains("expected a column c, found 3 columns (r, a, b)")
    );
    folder.good(
        "xi a.csv --box 10 --statistic rp-pi --bins lin:0:4:4 --pi-bins lin:0:4:4 -o map.csv",
    );
    let refused = folder.run("plot map.csv -o f.svg --model m.txt");
    assert!(
        refused.stderr.contains("--model m.txt"),
        "{}",
        refused.stderr
    );
    folder.good("plot map.csv -o f.svg --size column");
    let [width, height] = page(&folder, "f.svg");
    assert!((width - 244.8).abs() < 1e-9 && (height - 183.6).abs() < 1e-9);
}
