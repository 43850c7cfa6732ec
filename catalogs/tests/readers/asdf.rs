//! ASDF as Abacus writes it, from files made here: a tree and blocks.

use std::io::Write;
use std::path::Path;

use albireo_catalogs::{CatalogError, Format, Request, Value, open};
use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::{read, same};

const HEADER: &str =
    "header: {BoxSize: 50.0, BoxSizeHMpc: 50.0, Redshift: 1.0, VelZSpace_to_kms: 4000.0}";

/// An array of the tree: name, type, shape, compression, bytes.
type Array<'a> = (&'a str, &'a str, &'a str, &'a str, Vec<u8>);

fn asdf(header: &str, arrays: &[Array<'_>]) -> Vec<u8> {
    let mut file = b"#ASDF 1.0.0\n#ASDF_STANDARD 1.6.0\n%YAML 1.1\n%TAG ! tag:stsci.edu:asdf/\n--- !core/asdf-1.1.0\n".to_vec();
    writeln!(file, "data:").unwrap();
    for (source, (name, datatype, shape, ..)) in arrays.iter().enumerate() {
        let array = format!(
            "{{source: {source}, datatype: {datatype}, byteorder: little, shape: {shape}}}"
        );
        writeln!(file, "  {name}: !core/ndarray-1.1.0 {array}").unwrap();
    }
    write!(file, "{header}\n...\n").unwrap();
    for (.., compression, bytes) in arrays {
        let packed = match *compression {
            "zlib" => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
            // Two chunks, stored.
            "blsc" => bytes
                .chunks(bytes.len().div_ceil(2))
                .flat_map(stored)
                .collect(),
            _ => bytes.clone(),
        };
        file.extend(b"\xd3BLK\x00\x30\x00\x00\x00\x00");
        let mut name = compression.as_bytes().to_vec();
        name.resize(4, 0);
        file.extend(name);
        for size in [packed.len() + 8, packed.len(), bytes.len()] {
            file.extend((size as u64).to_be_bytes());
        }
        file.extend([0; 16]);
        file.extend(packed);
        // Room that is not used.
        file.extend([7; 8]);
    }
    file
}

/// A chunk of Blosc that is stored as it is, behind its length.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u32;
    let mut chunk = (length + 16).to_be_bytes().to_vec();
    chunk.extend([2, 1, 2, 4]);
    for size in [length, length, length + 16] {
        chunk.extend(size.to_le_bytes());
    }
    chunk.extend(bytes);
    chunk
}

fn floats(values: impl Iterator<Item = f32>) -> Vec<u8> {
    values.flat_map(f32::to_le_bytes).collect()
}

fn halos() -> Vec<u8> {
    let x = floats((0..12).map(|k| k as f32 / 16.0 - 0.5));
    let v = floats((0..12).map(|k| k as f32 / 64.0));
    let id = (0..4u64).flat_map(|k| (k << 60).to_le_bytes()).collect();
    let radii = (0..4i16).flat_map(i16::to_le_bytes).collect();
    asdf(
        HEADER,
        &[
            ("x_L2com", "float32", "[4, 3]", "blsc", x),
            ("v_L2com", "float32", "[4, 3]", "zlib", v),
            ("id", "uint64", "[4]", "", id),
            ("x_L2com_i16", "int16", "[4]", "", radii),
        ],
    )
}

fn write(folder: &Path, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join("halo_info_000.asdf");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn halos_in_units_of_the_box() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &halos());
    let mut reader = open(&path).unwrap();
    assert_eq!(reader.format(), Format::Asdf);
    let request = Request::columns(["x_L2com", "v_L2com[2]", "id", "x_L2com_i16"]);
    let mut catalog = reader.read(&request).unwrap();
    let [x, y, _] = catalog.vector("x_L2com").unwrap();
    assert_eq!(x, [-25.0, -15.625, -6.25, 3.125]);
    assert_eq!(y, [-21.875, -12.5, -3.125, 6.25]);
    assert_eq!(
        catalog.column("v_L2com[2]").unwrap(),
        [125.0, 312.5, 500.0, 687.5]
    );
    assert_eq!(catalog.column("id").unwrap()[3], 3.0 * 2_f64.powi(60));
    assert_eq!(catalog.column("x_L2com_i16").unwrap(), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(catalog.attribute("BoxSize"), Some(&Value::Float(50.0)));
    let description = reader.describe().unwrap();
    let units: Vec<(&str, Option<&str>)> = description.tables[0]
        .columns
        .iter()
        .map(|column| (column.name.as_str(), column.unit.as_deref()))
        .collect();
    let expected = [
        ("id", None),
        ("v_L2com", Some("km/s")),
        ("x_L2com", Some("Mpc/h")),
        ("x_L2com_i16", None),
    ];
    assert_eq!(units, expected);
}

/// Chunks of Blosc as another library writes them.
#[test]
fn halos_behind_blosc() {
    let mut catalog = read("halos.asdf", None, &["x_L2com", "N"], None);
    let [x, y, z] = catalog.vector("x_L2com").unwrap();
    for k in 0..128 {
        let part = k as f64 / 256.0;
        assert_eq!(
            (x[k], y[k], z[k]),
            (50.0 * (2.0 * part - 0.5), 50.0 * part, -50.0 * part)
        );
    }
    same(&catalog, "N", |k| (k / 3) as f64 + 40.0);
}

/// The upper 20 bits are a position, the lower 12 a velocity.
#[test]
fn packed_particles() {
    let packed = [(-500_000i32, 2048), (0, 0), (499_999, 4095)];
    let bytes = packed
        .iter()
        .flat_map(|(x, v)| {
            [x << 12 | v, *v, 4096 | v]
                .into_iter()
                .flat_map(i32::to_le_bytes)
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = asdf(HEADER, &[("rvint", "int32", "[3, 3]", "blsc", bytes)]);
    let path = write(folder.path(), &file);
    let mut catalog = open(&path)
        .unwrap()
        .read(&Request::columns(["pos", "vel"]))
        .unwrap();
    let [x, y, z] = catalog.vector("pos").unwrap();
    let step = 50.0 / 1e6;
    assert_eq!(x, [-500_000.0 * step, 0.0, 499_999.0 * step]);
    assert_eq!((y, z), (vec![0.0; 3], vec![step; 3]));
    let [v, ..] = catalog.vector("vel").unwrap();
    assert_eq!(v, [0.0, -6000.0, 2047.0 * 6000.0 / 2048.0]);
}

#[test]
fn what_is_not_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |file: &[u8], column: &str| {
        let path = write(folder.path(), file);
        let reader = open(&path);
        let read = reader.and_then(|mut reader| reader.read(&Request::columns([column])));
        read.unwrap_err()
    };
    let pack9 = asdf(HEADER, &[("pack9", "uint8", "[4, 9]", "", vec![0; 36])]);
    let error = refused(&pack9, "pack9").to_string();
    assert!(
        error.contains("`pack9` (pack9 of Abacus, packed) is not supported"),
        "{error}"
    );
    let other = asdf(HEADER, &[("x", "float32", "[4]", "lz4", vec![0; 16])]);
    let error = refused(&other, "x").to_string();
    assert!(
        error.contains("ASDF compression `lz4` is not supported"),
        "{error}"
    );
    let short = asdf(HEADER, &[("x", "float32", "[5]", "", vec![0; 16])]);
    let error = refused(&short, "x").to_string();
    assert!(
        error.contains("`x`: expected a block of 20 bytes, found one of 16"),
        "{error}"
    );
}

/// Every byte changed, every end: an error or values.
#[test]
fn damaged_files() {
    let whole = halos();
    let folder = tempfile::tempdir().unwrap();
    let try_out = |bytes: &[u8]| {
        let path = write(folder.path(), bytes);
        if let Ok(mut reader) = open(&path) {
            let _ = reader.describe();
            let _ = reader.read(&Request::columns(["x_L2com", "v_L2com", "id"]));
        }
    };
    for k in 0..whole.len() {
        let mut damaged = whole.clone();
        for value in [0, 0xff, whole[k] ^ 1] {
            damaged[k] = value;
            try_out(&damaged);
        }
        try_out(&whole[..k]);
    }
    let cut = write(folder.path(), &whole[..whole.len() - 40]);
    assert!(matches!(
        open(&cut).err(),
        Some(CatalogError::Corrupt { .. })
    ));
}
