//! Halos of Abacus as an ASDF file.
#![allow(unreachable_pub, reason = "modules of several test programs use it")]

use std::fmt::Write as _;

/// A tree in YAML with `header`, then the blocks of `x_L2com` and `v_L2com`, both in units of the box.
pub fn asdf(header: &str, positions: &[[f32; 3]], velocities: &[[f32; 3]]) -> Vec<u8> {
    let n = positions.len();
    let mut tree = format!(
        "#ASDF 1.0.0\n#ASDF_STANDARD 1.6.0\n%YAML 1.1\n--- !core/asdf-1.1.0\nheader: {{{header}}}\ndata:\n"
    );
    for (source, name) in ["x_L2com", "v_L2com"].iter().enumerate() {
        let array =
            format!("source: {source}, datatype: float32, byteorder: little, shape: [{n}, 3]");
        writeln!(tree, "  {name}: !core/ndarray-1.1.0 {{{array}}}").unwrap();
    }
    let mut file = (tree + "...\n").into_bytes();
    for array in [positions, velocities] {
        let numbers = array.as_flattened().iter();
        let bytes: Vec<u8> = numbers.flat_map(|x| x.to_le_bytes()).collect();
        file.extend(b"\xd3BLK\x00\x30\x00\x00\x00\x00\x00\x00\x00\x00");
        for _ in 0..3 {
            file.extend((bytes.len() as u64).to_be_bytes());
        }
        file.extend([0; 16]);
        file.extend(bytes);
    }
    file
}
