//! Results in the forms of other packages, read here by their names and values alone: `python/tests` reads them by these packages.

use serde_json::{Map, Value, json};

use crate::folder::{Folder, floats, integers, scattered};

/// Bytes of a pickle, of those instructions that results use.
struct Pickle<'b> {
    bytes: &'b [u8],
    stack: Vec<Value>,
    marks: Vec<usize>,
}

impl<'b> Pickle<'b> {
    /// The object of an array of Python.
    fn object_of(file: &'b [u8]) -> Value {
        assert_eq!(&file[..8], b"\x93NUMPY\x01\x00");
        let head = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
        assert_eq!(head % 64, 0);
        let text = std::str::from_utf8(&file[10..head]).unwrap();
        assert_eq!(
            text.trim_end(),
            "{'descr': '|O', 'fortran_order': False, 'shape': (), }"
        );
        let mut pickle = Pickle {
            bytes: &file[head..],
            stack: Vec::new(),
            marks: Vec::new(),
        };
        while pickle.step() {}
        assert_eq!((pickle.stack.len(), pickle.bytes.len()), (1, 0));
        pickle.stack.remove(0)
    }

    fn take(&mut self, count: usize) -> &'b [u8] {
        let (taken, rest) = self.bytes.split_at(count);
        self.bytes = rest;
        taken
    }

    fn since_mark(&mut self) -> Vec<Value> {
        self.stack.split_off(self.marks.pop().unwrap())
    }

    /// Carries out an instruction; whether others follow.
    fn step(&mut self) -> bool {
        let value = match self.take(1)[0] {
            0x80 => {
                assert_eq!(self.take(1), [2]);
                return true;
            }
            b'c' => {
                assert_eq!(self.take(12), b"numpy\narray\n");
                json!("array")
            }
            b'q' => {
                self.take(1);
                // The function is kept, and stays below what follows.
                return true;
            }
            b'h' => {
                assert_eq!(self.take(1), [0]);
                json!("array")
            }
            b'N' => Value::Null,
            0x88 => json!(true),
            0x89 => json!(false),
            b'J' => json!(i32::from_le_bytes(self.take(4).try_into().unwrap())),
            b'G' => json!(f64::from_be_bytes(self.take(8).try_into().unwrap())),
            b'X' => {
                let length = u32::from_le_bytes(self.take(4).try_into().unwrap());
                json!(std::str::from_utf8(self.take(length as usize)).unwrap())
            }
            // Lists and dictionaries are made where their members end.
            b']' | b'}' | 0x85 => return true,
            b'(' => {
                self.marks.push(self.stack.len());
                return true;
            }
            b'e' => Value::Array(self.since_mark()),
            b'u' => {
                let members = self.since_mark();
                let key = |key: &Value| key.as_str().map_or_else(|| key.to_string(), str::to_owned);
                let members = members.chunks(2).map(|two| (key(&two[0]), two[1].clone()));
                Value::Object(members.collect::<Map<_, _>>())
            }
            // The type of an array is known by its values.
            0x86 => {
                let dtype = self.stack.pop().unwrap();
                assert!(dtype == "f8" || dtype == "i8");
                return true;
            }
            b'R' => {
                let argument = self.stack.pop().unwrap();
                assert_eq!(self.stack.pop().unwrap(), "array");
                argument
            }
            b'.' => return false,
            other => panic!("no instruction of results: {other:#x}"),
        };
        self.stack.push(value);
        true
    }
}

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(60, 10.0, 1))
        .with("r.csv", &scattered(90, 10.0, 2))
}

fn object(folder: &Folder, name: &str) -> Value {
    Pickle::object_of(&folder.bytes(name))
}

/// Numbers in lists, one after the other.
pub(crate) fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(flat).collect(),
        value => vec![value.as_f64().unwrap()],
    }
}

#[test]
fn counts_are_of_both_orders_and_of_both_signs() {
    let folder = folder();
    folder.good("count d.csv --statistic s-mu --bins lin:0:4:2 --mu-bins lin:0:1:2 --los z --box 10 -o dd.npy");
    let table = folder.table("dd.npy");
    let dd = object(&folder, "dd.npy");
    assert_eq!(
        (&dd["name"], &dd["mode"], &dd["los_type"], &dd["bin_type"]),
        (&json!("base"), &json!("smu"), &json!("z"), &json!("lin"))
    );
    assert_eq!(
        dd["edges"],
        json!([[0.0, 2.0, 4.0], [-1.0, -0.5, 0.0, 0.5, 1.0]])
    );
    assert_eq!(dd["boxsize"], json!([10.0, 10.0, 10.0]));
    assert_eq!(
        (&dd["wnorm"], &dd["size1"]),
        (&json!(60.0 * 59.0), &json!(60))
    );
    let folded = integers(&table, "npairs");
    for (bin, &number) in folded.iter().enumerate() {
        let (row, mu) = (bin / 2, bin % 2);
        let at = |place: usize| dd["ncounts"][row][place].as_u64().unwrap();
        assert_eq!((at(2 + mu), at(1 - mu)), (number, number));
        assert_eq!(dd["wcounts"][row][2 + mu], json!(number as f64));
    }
    assert_eq!(dd["seps"][1][0], json!([-0.75, -0.25, 0.25, 0.75]));
}

#[test]
fn an_estimator_has_its_counts_with_their_signs() {
    let folder = folder();
    let bins = "--statistic rp-pi --bins log:1:4:2 --pi-bins lin:-4:4:3";
    folder.good(&format!(
        "xi d.csv --randoms r.csv {bins} --mean-separation -o xi.npy"
    ));
    let (table, xi) = (folder.table("xi.npy"), object(&folder, "xi.npy"));
    assert_eq!(xi["name"], "landyszalay");
    // Separations are the other way round there: our DR is their RD.
    for (theirs, ours, sizes) in [
        ("D1D2", "DD", [60, 60]),
        ("D1R2", "RD", [60, 90]),
        ("R1D2", "DR", [90, 60]),
        ("R1R2", "RR", [90, 90]),
    ] {
        let counts: Vec<f64> = integers(&table, &format!("{ours}_npairs"))
            .iter()
            .map(|&n| n as f64)
            .collect();
        assert_eq!(flat(&xi[theirs]["ncounts"]), counts, "{theirs}");
        assert_eq!(
            [&xi[theirs]["size1"], &xi[theirs]["size2"]],
            [&json!(sizes[0]), &json!(sizes[1])]
        );
    }
    assert_eq!(xi["D1D2"]["bin_type"], "auto");
    assert_eq!(xi["D1D2"]["compute_sepsavg"], json!([true, false]));
    assert_eq!(flat(&xi["D1D2"]["seps"][0]), floats(&table, "mean_rp"));
    assert_eq!(xi["R1R2"]["compute_sepsavg"], json!([false, false]));
    let other = folder.good(&format!(
        "xi d.csv --cross r.csv --randoms r.csv --cross-randoms d.csv {bins} -o c.npy"
    ));
    assert_eq!(other.code, 0);
    let (table, cross) = (folder.table("c.npy"), object(&folder, "c.npy"));
    let ours = integers(&table, "D1R2_npairs");
    let theirs = flat(&cross["D1R2"]["ncounts"]);
    for (row, mirrored) in ours.chunks(3).zip(theirs.chunks(3)) {
        assert_eq!(mirrored, [row[2] as f64, row[1] as f64, row[0] as f64]);
    }
}

#[test]
fn regions_add_up_to_the_whole() {
    let folder = folder();
    folder.good("xi d.csv --randoms r.csv --bins lin:0:4:2 --regions 3 -o xi.npy");
    let xi = object(&folder, "xi.npy");
    assert_eq!(xi["name"], "jackknife-landyszalay");
    for name in ["D1D2", "D1R2", "R1D2", "R1R2"] {
        let count = &xi[name];
        for (what, whole) in [
            ("ncounts", flat(&count["ncounts"])),
            ("wnorm", vec![count["wnorm"].as_f64().unwrap()]),
        ] {
            for border in ["cross12", "cross21"] {
                let mut sum = vec![0.0; whole.len()];
                for region in ["0", "1", "2"] {
                    for part in ["auto", border] {
                        assert_eq!(
                            count[part][region]["autocorr"],
                            json!(count["autocorr"] == true && part == "auto")
                        );
                        for (sum, one) in sum.iter_mut().zip(flat(&count[part][region][what])) {
                            *sum += one;
                        }
                    }
                }
                for (sum, whole) in sum.iter().zip(&whole) {
                    assert!(
                        (sum - whole).abs() <= 1.5,
                        "{name} {border} {what}: {sum}, {whole}"
                    );
                }
            }
        }
    }
}

#[test]
fn texts_have_the_lines_and_labels_of_their_kind() {
    let folder = folder();
    let xi = "xi d.csv --randoms r.csv --statistic s-mu --bins lin:0:4:2 --mu-bins lin:-1:1:2";
    folder.good(&format!("{xi} --multipoles 0,2 -o poles.txt"));
    folder.good(&format!("{xi} --wedges 2 --regions 4 -o wedges.txt"));
    folder.good("wp d.csv --randoms r.csv --bins lin:0:4:2 --pi-bins lin:0:4:2 -o wp.txt");
    folder.good("count d.csv r.csv --bins lin:0:4:2 -o dr.txt");
    for (name, mode, sizes, labels, column, rows) in [
        (
            "poles.txt",
            "smu",
            8,
            "smid savg corr0(s) corr2(s)",
            "xi_0",
            2,
        ),
        (
            "wedges.txt",
            "smu",
            8,
            "smid savg corr(s,[-1.00,0.00]) corr(s,[0.00,1.00]) std(s,[-1.00,0.00]) std(s,[0.00,1.00])",
            "xi_wedge_0",
            2,
        ),
        ("wp.txt", "rppi", 8, "rpmid rpavg corr(rp)", "wp", 2),
        ("dr.txt", "s", 2, "smid savg wcounts wnorm", "npairs", 2),
    ] {
        let text = folder.text(name);
        let (head, body): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with("# "));
        assert_eq!(head[0], format!("# mode = {mode}"), "{name}");
        assert_eq!(
            head.iter().filter(|line| line.contains("size")).count(),
            sizes,
            "{name}"
        );
        let found: Vec<&str> = head[head.len() - 1].split_whitespace().skip(1).collect();
        assert_eq!(found.join(" "), labels, "{name}");
        let table = folder.table(name);
        let expected = match name {
            "dr.txt" => integers(&table, column).iter().map(|&n| n as f64).collect(),
            _ => floats(&table, column),
        };
        assert_eq!(body.len(), rows);
        for (line, expected) in body.iter().zip(expected) {
            let found: f64 = line.split_whitespace().nth(2).unwrap().parse().unwrap();
            assert!(
                (found - expected).abs() <= 1e-12 * expected.abs(),
                "{name}: {line}"
            );
        }
    }
}

#[test]
fn operations_and_figures_read_the_record() {
    let folder = folder();
    folder.good("count d.csv --box 10 --bins lin:0:4:4 -o dd.npy");
    folder.good("count d.csv --box 10 --bins lin:0:4:4 -o dd.csv");
    assert_eq!(
        folder.table("dd.npy").columns,
        folder.table("dd.csv").columns
    );
    folder.good("result rebin dd.npy --by 2 -o two.npy");
    folder.good("result rebin dd.csv --by 2 -o two.csv");
    assert_eq!(
        folder.table("two.npy").columns,
        folder.table("two.csv").columns
    );
    let pairs = object(&folder, "two.npy")["ncounts"].clone();
    let ours: Vec<u64> = integers(&folder.table("two.csv"), "npairs")
        .iter()
        .map(|n| 2 * n)
        .collect();
    assert_eq!(pairs, json!(ours));
    if cfg!(feature = "plot") {
        folder.good("plot dd.npy -o dd.svg");
    }
}

/// The files of other packages and what they hold, or none (and a word about it) where they are not at hand.
#[allow(clippy::print_stderr, reason = "a skipped test has to say so")]
pub(crate) fn files() -> Option<(std::path::PathBuf, Value)> {
    let Some(data) = std::env::var_os("ALBIREO_TEST_DATA") else {
        eprintln!("skipped: ALBIREO_TEST_DATA does not name the folder of the files");
        return None;
    };
    let folder = std::path::PathBuf::from(data).join("entrance");
    let expected = std::fs::read(folder.join("results.json")).unwrap();
    Some((folder, serde_json::from_slice(&expected).unwrap()))
}

pub(crate) fn near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let both = found.is_nan() && expected.is_nan();
        let off = (found - expected).abs();
        assert!(
            both || off <= tolerance * expected.abs().max(1.0),
            "{what}: {found}, {expected}"
        );
    }
}

#[test]
#[cfg(feature = "fits")]
fn texts_are_those_that_pycorr_wrote() {
    let Some((data, _)) = files() else {
        return;
    };
    let folder = Folder::new();
    let fits = data.join("desi/fits").display().to_string();
    let samples = format!(
        "{fits}/LRG_NGC_clustering.dat.fits --randoms {fits}/LRG_NGC_[01]_clustering.ran.fits --cosmology om=0.315 --where Z>=0.4&&Z<0.6 \
         --weight WEIGHT*WEIGHT_FKP --sky RA,DEC --redshift Z"
    );
    let smu = "--statistic s-mu --bins lin:0:200:5 --mu-bins lin:-1:1:8";
    // Pairs of equal distance are of one sign there and of the other here, by rounding.
    for (command, name, tolerance) in [
        (
            format!("xi {samples} --statistic theta --bins lin:0:4:8"),
            "theta",
            1e-9,
        ),
        (
            format!("xi {samples} {smu} --multipoles 0,2,4"),
            "xipoles",
            1e-5,
        ),
        (
            format!("wp {samples} --bins log:1:60:4 --pi-bins lin:-40:40:8"),
            "wp",
            1e-5,
        ),
    ] {
        folder.good(&format!("{command} -o {name}.txt"));
        let found = folder.text(&format!("{name}.txt"));
        let theirs = std::fs::read_to_string(data.join(format!("results/{name}.txt"))).unwrap();
        for (found, theirs) in found.lines().zip(theirs.lines()) {
            if theirs.starts_with('#') {
                assert_eq!(found, theirs);
                continue;
            }
            let numbers = |line: &str| {
                line.split_whitespace()
                    .map(|n| n.parse().unwrap())
                    .collect::<Vec<f64>>()
            };
            let (found, theirs) = (numbers(found), numbers(theirs));
            // Their mean separations are those of RR.
            near(&found[..1], &theirs[..1], 1e-12, name);
            near(&found[2..], &theirs[2..], tolerance, name);
        }
    }
}

#[test]
fn samples_of_parts_of_the_sky_are_as_large_as_all_parts() {
    let folder = folder()
        .with("d2.csv", &scattered(40, 10.0, 3))
        .with("r2.csv", &scattered(80, 10.0, 4));
    folder.good("xi d.csv --randoms r.csv --bins lin:0:4:2 -o a.npy");
    folder.good("xi d2.csv --randoms r2.csv --bins lin:0:4:2 -o b.npy");
    folder.good("result combine a.npy b.npy -o both.npy");
    let both = object(&folder, "both.npy");
    let sizes = [&both["D1R2"]["size1"], &both["D1R2"]["size2"]];
    assert_eq!(sizes, [&json!(100), &json!(170)]);
}
