//! The six numbers that DCD files state a box by, of which their writers have three opinions.
//!
//! Entry: [`read`].

use crate::trajectory::Cell;

/// The last version that codes other than CHARMM give themselves. Newer ones are CHARMM's, which has never written cosines.
const BORROWED: i32 = 24;
/// A cosine so near to that of 60, 90 or 120 degrees is rounded.
const ROUNDED: f64 = 1e-15;

/// The box of A, cos gamma, B, cos beta, cos alpha, C (NAMD, LAMMPS and most), of the same with angles in degrees (older NAMD, X-PLOR),
/// or of the lower triangle of the symmetric matrix of CHARMM; none if its lengths are zero.
///
/// Numbers of at most 1 are cosines (of CHARMM: a matrix), angles are between 0 and 180 and close a cell, anything else is a matrix.
///
/// # Errors
/// What is wrong with the box.
pub(super) fn read(stated: [f64; 6], version: i32) -> Result<Option<Cell>, String> {
    let [a, gamma, b, beta, alpha, c] = stated;
    let lengths = [a, b, c];
    let angles = [alpha, beta, gamma];
    if lengths == [0.0; 3] {
        return Ok(None);
    }
    if !stated.iter().all(|value| value.is_finite()) {
        return Err(format!("its numbers are not finite: {stated:?}"));
    }
    if angles == [0.0; 3] {
        return Cell::orthorhombic(lengths).map(Some);
    }
    if angles.iter().all(|value| value.abs() <= 1.0) && version <= BORROWED {
        return Cell::from_lengths_and_cosines(lengths, angles.map(cosine)).map(Some);
    }
    let angle = |value: &f64| *value > 1.0 && *value < 180.0;
    let positive = lengths.iter().all(|&length| length > 0.0);
    if angles.iter().all(angle) && positive {
        let cell = Cell::from_lengths_and_angles(lengths, angles);
        if cell.is_ok() {
            return cell.map(Some);
        }
    }
    let [xx, xy, yy, xz, yz, zz] = stated;
    // The matrix is the root of that of the products of the box's vectors: its leading minors are positive.
    let minor = xx * yy - xy * xy;
    let whole = minor * zz - xx * yz * yz - yy * xz * xz + 2.0 * xy * xz * yz;
    if !(xx > 0.0 && minor > 0.0 && whole > 0.0) {
        return Err(format!(
            "its numbers are neither lengths and angles nor a positive matrix: {stated:?}"
        ));
    }
    Cell::new([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).map(Some)
}

/// The cosine meant: writers compute that of 90 degrees as 6e-17.
fn cosine(value: f64) -> f64 {
    let exact = [0.0, 0.5, -0.5].into_iter();
    let mut near = exact.filter(|exact| (exact - value).abs() < ROUNDED);
    near.next().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(stated: [f64; 6], version: i32) -> [[f64; 3]; 3] {
        read(stated, version)
            .expect("a box")
            .expect("not zero")
            .vectors()
    }

    #[test]
    fn angles_cosines_and_matrices_are_told_apart() {
        let right = [[30.0, 0.0, 0.0], [0.0, 40.0, 0.0], [0.0, 0.0, 50.0]];
        let nearly = 90f64.to_radians().cos();
        for (stated, version) in [
            ([30.0, 90.0, 40.0, 90.0, 90.0, 50.0], 24),
            ([30.0, 0.0, 40.0, 0.0, 0.0, 50.0], 24),
            ([30.0, nearly, 40.0, nearly, nearly, 50.0], 24),
            ([30.0, 0.0, 40.0, 0.0, 0.0, 50.0], 36),
        ] {
            assert_eq!(vectors(stated, version), right, "{stated:?}");
        }
        let hexagonal = vectors([2.0, 120.0, 2.0, 90.0, 90.0, 5.0], 24);
        assert_eq!(hexagonal[1], [-1.0, 3f64.sqrt(), 0.0]);
        assert_eq!(vectors([2.0, -0.5, 2.0, 0.0, 0.0, 5.0], 24), hexagonal);
        let matrix = [[40.0, -3.0, 0.5], [-3.0, 41.0, 2.0], [0.5, 2.0, 42.0]];
        assert_eq!(vectors([40.0, -3.0, 41.0, 0.5, 2.0, 42.0], 36), matrix);
        let slight = [[40.0, 0.25, 0.5], [0.25, 41.0, 0.75], [0.5, 0.75, 42.0]];
        assert_eq!(vectors([40.0, 0.25, 41.0, 0.5, 0.75, 42.0], 36), slight);
    }

    #[test]
    fn no_box_and_a_bad_one_differ() {
        assert_eq!(read([0.0, 90.0, 0.0, 90.0, 90.0, 0.0], 24), Ok(None));
        for stated in [
            [30.0, 0.0, 40.0, 0.0, 0.0, 0.0],
            [-30.0, 90.0, 40.0, 90.0, 90.0, 0.0],
            [30.0, f64::NAN, 40.0, 0.0, 0.0, 50.0],
            [30.0, 0.9, 40.0, -0.9, 0.9, 50.0],
        ] {
            assert!(read(stated, 24).is_err(), "{stated:?}");
        }
    }
}
