//! What can be wrong with a trajectory, and the one line that says so.

use std::io::Write;

use crate::{folder, frames, opened};

/// Writes 32 bits, the most significant first.
fn big(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
}

/// Writes 32 bits, the least significant first.
fn little(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Where the second frame of an XTC file begins.
fn second(bytes: &[u8]) -> usize {
    let count = u32::from_be_bytes(bytes[88..92].try_into().unwrap());
    92 + count.div_ceil(4) as usize * 4
}

/// Where these bytes stand first.
fn place(bytes: &[u8], wanted: &[u8]) -> usize {
    let found = bytes
        .windows(wanted.len())
        .position(|window| window == wanted);
    found.unwrap()
}

fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    assert_eq!(old.len(), new.len());
    let at = place(bytes, old);
    bytes[at..at + new.len()].copy_from_slice(new);
}

fn cut(bytes: &mut Vec<u8>, count: usize) {
    bytes.truncate(bytes.len() - count);
}

/// Where the entry of a GSD file's index is that has this frame and name.
fn entry(bytes: &[u8], frame: u64, name: &str) -> usize {
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let list = bytes[word(24)..].split(|&byte| byte == 0);
    let id = list
        .take_while(|name| !name.is_empty())
        .position(|other| other == name.as_bytes());
    let id = id.unwrap() as u16;
    let mut at = word(8);
    while word(at) as u64 != frame || bytes[at + 28..at + 30] != id.to_le_bytes() {
        at += 32;
    }
    at
}

fn chunk(bytes: &[u8], frame: u64, name: &str) -> usize {
    let at = entry(bytes, frame, name) + 16;
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// Bytes of a frame of single.trr: head, box and three times 15 vectors.
const TRR_FRAME: usize = 84 + 36 + 3 * 180;
/// Bytes before the first frame of the DCD files, and of a frame of 12 atoms.
const DCD_HEAD: usize = 92 + 172 + 12;
const DCD_FRAME: usize = 56 + 3 * 56;

type Case = (&'static str, &'static str, fn(&mut Vec<u8>));

const XTC: &[Case] = &[
    (
        "water.xtc",
        "frame 1: expected the number 1995 or 2023, found 1994",
        |b| {
            let at = second(b);
            big(b, at, 1994);
        },
    ),
    (
        "water.xtc",
        "frame 1: expected the number 1995 or 2023, found 3406",
        |b| {
            let at = second(b);
            little(b, at, 0x4e0d_0000);
        },
    ),
    ("water.xtc", "frame 2: expected", |b| cut(b, 5)),
    (
        "water.xtc",
        "frame 1: expected 56 bytes of its head, but the file ends after 20",
        |b| {
            let at = second(b);
            b.truncate(at + 20);
        },
    ),
    (
        "water.xtc",
        "frame 1: 71 atoms, but 72 in the frames before",
        |b| {
            let at = second(b);
            big(b, at + 4, 71);
            big(b, at + 52, 71);
        },
    ),
    (
        "water.xtc",
        "frame 0: 72 atoms in its head, positions of 5",
        |b| big(b, 52, 5),
    ),
    (
        "water.xtc",
        "frame 0: 4294967295 atoms cannot be packed in",
        |b| {
            big(b, 4, u32::MAX);
            big(b, 52, u32::MAX);
        },
    ),
    (
        "water.xtc",
        "frame 0: expected a positive precision, found NaN",
        |b| big(b, 56, 0x7fc0_0000),
    ),
    (
        "water.xtc",
        "frame 0: expected a positive precision, found 0",
        |b| big(b, 56, 0),
    ),
    ("water.xtc", "frame 0: its positions lie between", |b| {
        big(b, 72, 0x8000_0000);
    }),
    (
        "water.xtc",
        "frame 0: expected a range of differences between 9 and 72, found 20",
        |b| {
            big(b, 84, 200);
        },
    ),
    (
        "water.xtc",
        "frame 0: expected 4294967295 bytes of positions",
        |b| big(b, 88, u32::MAX),
    ),
    (
        "water.xtc",
        "frame 0: its 40 bytes are too few for 72 atoms",
        |b| big(b, 88, 40),
    ),
    (
        "large.xtc",
        "frame 0: expected 18446744073709551615 bytes of positions",
        |b| {
            b[88..96].fill(0xff);
        },
    ),
    (
        "water.xtc",
        "frame 0: no box: its vectors span no volume",
        |b| b[40..52].fill(0),
    ),
    (
        "water.xtc",
        "frame 1: no box: its vectors are not finite",
        |b| {
            let at = second(b);
            big(b, at + 16, 0x7f80_0000);
        },
    ),
    (
        "water.xtc",
        "a gzipped XTC file is not supported; unpack it with gunzip",
        |b| {
            let packed = Vec::new();
            let mut encoder = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
            encoder.write_all(b).unwrap();
            *b = encoder.finish().unwrap();
        },
    ),
    ("few.xtc", "frame 2: expected 108 bytes of positions", |b| {
        cut(b, 4);
    }),
    (
        "few.xtc",
        "unknown format of a trajectory: the file starts with `\\x00\\x00",
        |b| big(b, 0, 1996),
    ),
    ("few.xtc", "it is empty", Vec::clear),
];

const TRR: &[Case] = &[
    (
        "single.trr",
        "frame 1: expected the number 1993 and the name GMX_trn_file",
        |b| {
            b[TRR_FRAME] = 1;
        },
    ),
    (
        "single.trr",
        "frame 2: expected the number 1993 and the name",
        |b| {
            b[2 * TRR_FRAME + 15] = b'X';
        },
    ),
    (
        "single.trr",
        "frame 2: expected 360 bytes of velocities and forces",
        |b| cut(b, 1),
    ),
    ("single.trr", "frame 1: the size of its atoms is -1", |b| {
        big(b, TRR_FRAME + 64, u32::MAX);
    }),
    (
        "single.trr",
        "frame 0: its sizes are neither those of float32 nor of float64",
        |b| {
            big(b, 32, 37);
        },
    ),
    (
        "single.trr",
        "frame 1: 14 atoms, but 15 in the frames before",
        |b| {
            big(b, TRR_FRAME + 64, 14);
            for size in [52, 56, 60] {
                big(b, TRR_FRAME + size, 168);
            }
        },
    ),
    ("single.trr", "frame 1: no box", |b| {
        b[TRR_FRAME + 84..TRR_FRAME + 96].fill(0);
    }),
    (
        "double.trr",
        "frame 2: expected 168 bytes of positions, but the file ends after 100",
        |b| {
            cut(b, 68);
        },
    ),
];

const DCD: &[Case] = &[
    (
        "cosines.dcd",
        "frame 3: expected 224 bytes of the frame, but the file ends after 214",
        |b| {
            cut(b, 10);
        },
    ),
    ("big.dcd", "frame 3: expected 224 bytes of the frame", |b| {
        cut(b, 223);
    }),
    (
        "cosines.dcd",
        "header: the record with its first record has 84 bytes in front and 85",
        |b| {
            b[88] = 85;
        },
    ),
    (
        "cosines.dcd",
        "header: the record with its title does not end",
        |b| b[92] = 3,
    ),
    ("cosines.dcd", "header: 0 atoms", |b| {
        little(b, DCD_HEAD - 8, 0);
    }),
    ("cosines.dcd", "header: -12 atoms", |b| {
        little(b, DCD_HEAD - 8, (-12i32) as u32);
    }),
    (
        "cosines.dcd",
        "frame 0: expected 25769803844 bytes of the frame",
        |b| {
            little(b, DCD_HEAD - 8, i32::MAX as u32);
        },
    ),
    (
        "cosines.dcd",
        "frame 1: expected a record of 48 bytes with x, found one of 44",
        |b| {
            little(b, DCD_HEAD + DCD_FRAME + 56, 44);
        },
    ),
    (
        "cosines.dcd",
        "frame 2: the record with z has 48 bytes in front and 47 behind",
        |b| {
            little(b, DCD_HEAD + 3 * DCD_FRAME - 4, 47);
        },
    ),
    (
        "cosines.dcd",
        "frame 1: no box: its lengths are not positive",
        |b| {
            b[DCD_HEAD + DCD_FRAME + 44..DCD_HEAD + DCD_FRAME + 52].fill(0);
        },
    ),
    (
        "cosines.dcd",
        "frame 0: no box: its angles close no cell",
        |b| {
            for at in [12, 28, 36] {
                b[DCD_HEAD + at..][..8].copy_from_slice(&(-0.9f64).to_le_bytes());
            }
        },
    ),
    ("fixed.dcd", "header: 12 of 12 atoms are fixed", |b| {
        little(b, 8 + 32, 12);
    }),
    ("fixed.dcd", "header: atom 0 of 12 moves", |b| {
        little(b, DCD_HEAD + 4, 0);
    }),
    ("fixed.dcd", "header: atom 13 of 12 moves", |b| {
        little(b, DCD_HEAD + 8, 13);
    }),
    (
        "fixed.dcd",
        "a DCD file of velocities (VELD) is not supported",
        |b| {
            replace(b, b"CORD", b"VELD");
        },
    ),
    (
        "marks64.dcd",
        "header: expected a record of 4 bytes with its number of atoms",
        |b| {
            b[100 + 180 + 4] = 1;
        },
    ),
    ("xplor.dcd", "unknown format of a trajectory", |b| b[0] = 85),
];

const NETCDF: &[Case] = &[
    (
        "classic.nc",
        "header: expected NetCDF of kind 1, 2 or 5, found 3",
        |b| b[3] = 3,
    ),
    (
        "classic.nc",
        "NetCDF of the convention `OTHER` is not supported",
        |b| {
            replace(b, b"AMBER", b"OTHER");
        },
    ),
    (
        "classic.nc",
        "frame 2: expected 180 bytes of `coordinates`",
        |b| cut(b, 10),
    ),
    (
        "octahedron.nc",
        "header: expected 2147483648 bytes of a name",
        |b| big(b, 16, 0x7fff_ffff),
    ),
    (
        "octahedron.nc",
        "header: expected the list of dimensions, found the tag 77",
        |b| big(b, 8, 77),
    ),
    ("octahedron.nc", "header: no variable `coordinates`", |b| {
        replace(b, b"coordinates", b"coordinatez");
    }),
    (
        "octahedron.nc",
        "one of `cell_lengths` and `cell_angles` is missing",
        |b| {
            replace(b, b"cell_angles", b"cell_anglez");
        },
    ),
    (
        "octahedron.nc",
        "angles in `radian` is not supported",
        |b| replace(b, b"degree", b"radian"),
    ),
    ("octahedron.nc", "frame 3:", |b| big(b, 4, 0x7fff_fff0)),
    (
        "octahedron.nc",
        "frame 0: no box: its angles are not between 0 and 180",
        |b| {
            replace(b, &109.471_219_0f64.to_be_bytes(), &209f64.to_be_bytes());
        },
    ),
    ("mdtraj.nc", "frame", |b| cut(b, 300)),
    ("netcdf4.nc", "truncated or corrupt", |b| cut(b, 5000)),
];

const GSD: &[Case] = &[
    ("water.gsd", "in the order of a big-endian machine", |b| {
        b[..8].reverse();
    }),
    (
        "water.gsd",
        "of the schema `other` 2 is not supported",
        |b| replace(b, b"hoomd\0", b"other\0"),
    ),
    ("water.gsd", "header: the index would be at byte", |b| {
        b[8..16].fill(0x7f);
    }),
    ("water.gsd", "header: expected", |b| b[16..24].fill(0x7f)),
    (
        "water.gsd",
        "header: the list of names would be at byte",
        |b| b[24..32].fill(0x7f),
    ),
    ("water.gsd", "header: the list of names would be", |b| {
        b.truncate(300);
    }),
    (
        "water.gsd",
        "frame 1: `particles/position` has 5 rows of 3, expected 12 of 3",
        |b| {
            let at = entry(b, 1, "particles/position");
            b[at + 8] = 5;
        },
    ),
    (
        "water.gsd",
        "frame 2: `particles/position` would be at byte",
        |b| {
            let at = entry(b, 2, "particles/position");
            b[at + 16 + 5] = 1;
        },
    ),
    (
        "water.gsd",
        "frame 0: `configuration/box` has the type 99",
        |b| {
            let at = entry(b, 0, "configuration/box");
            b[at + 30] = 99;
        },
    ),
    ("water.gsd", "frame 1: its index has name 999 of", |b| {
        let at = entry(b, 1, "configuration/box");
        b[at + 28..at + 30].copy_from_slice(&999u16.to_le_bytes());
    }),
    (
        "water.gsd",
        "frame 1: no box: its vectors span no volume",
        |b| {
            let at = chunk(b, 1, "configuration/box");
            b[at..at + 4].fill(0);
        },
    ),
    (
        "water.gsd",
        "frame 0: a type of a particle is none of the 2 named",
        |b| {
            let at = chunk(b, 0, "particles/typeid");
            b[at + 4] = 7;
        },
    ),
    (
        "water.gsd",
        "frame 0: a bond is of a particle beyond the 12",
        |b| {
            let at = chunk(b, 0, "bonds/group");
            b[at] = 12;
        },
    ),
    (
        "changing.gsd",
        "frame 3: `particles/position` has 10 rows of 3, expected 4294967295",
        |b| {
            let at = chunk(b, 3, "particles/N");
            b[at..at + 4].fill(0xff);
        },
    ),
];

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let folder_of_damage = tempfile::tempdir().unwrap();
    let cases: Vec<&Case> = [XTC, TRR, DCD, NETCDF, GSD].into_iter().flatten().collect();
    assert!(cases.len() > 60);
    for (number, (name, expected, damage)) in cases.into_iter().enumerate() {
        let mut bytes = std::fs::read(folder().join(name)).unwrap();
        damage(&mut bytes);
        let path = folder_of_damage.path().join(format!("{number}-{name}"));
        std::fs::write(&path, bytes).unwrap();
        let outcome = opened(&path).and_then(|mut trajectory| frames(&mut *trajectory));
        let message = match outcome {
            Ok(frames) => panic!("{name}: {} frames, expected `{expected}`", frames.len()),
            Err(error) => error.to_string(),
        };
        assert!(
            message.contains(expected),
            "{name}: expected `{expected}`: {message}"
        );
        assert!(
            message.starts_with(&path.display().to_string()),
            "{message}"
        );
        assert!(!message.contains('\n'), "{message}");
    }
}
