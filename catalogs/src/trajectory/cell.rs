//! The box of a frame.
//!
//! Entry: [`Cell`], made from vectors or from lengths and angles. It wraps nothing and knows no images.

/// A parallelepiped that repeats along some of its vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    vectors: [[f64; 3]; 3],
    periodic: [bool; 3],
    origin: [f64; 3],
}

/// The cosine of an angle in degrees, exact at 60, 90 and 120, where most boxes are and the library's is an ulp off.
fn cosine(degrees: f64) -> f64 {
    if degrees == 90.0 {
        0.0
    } else if degrees == 60.0 {
        0.5
    } else if degrees == 120.0 {
        -0.5
    } else {
        libm::cos(degrees.to_radians())
    }
}

impl Cell {
    /// The cell of these three vectors, one a row, periodic along all of them, with a corner at the origin.
    ///
    /// # Errors
    /// What is wrong with them, as text: a number that is not finite, or vectors that span no volume.
    pub fn new(vectors: [[f64; 3]; 3]) -> Result<Self, String> {
        if !vectors.iter().flatten().all(|value| value.is_finite()) {
            return Err(format!("its vectors are not finite: {vectors:?}"));
        }
        let cell = Self {
            vectors,
            periodic: [true; 3],
            origin: [0.0; 3],
        };
        let volume = cell.volume();
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(format!("its vectors span no volume: {vectors:?}"));
        }
        Ok(cell)
    }

    /// A rectangular cell.
    ///
    /// # Errors
    /// As [`Cell::new`]; a length that is not positive.
    pub fn orthorhombic(lengths: [f64; 3]) -> Result<Self, String> {
        if !lengths.iter().all(|&length| length > 0.0) {
            return Err(format!("its lengths are not positive: {lengths:?}"));
        }
        let [a, b, c] = lengths;
        Self::new([[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]])
    }

    /// The cell of these lengths a, b, c and angles alpha (between b and c), beta (a and c), gamma (a and b) in degrees, with a along x and b in the
    /// plane of x and y.
    ///
    /// ```
    /// use albireo_catalogs::Cell;
    /// let hexagonal = Cell::from_lengths_and_angles([2.0, 2.0, 5.0], [90.0, 90.0, 120.0])?;
    /// assert_eq!(hexagonal.vectors()[1], [-1.0, 3f64.sqrt(), 0.0]);
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// As [`Cell::new`]; lengths that are not positive, angles outside of (0, 180) or that close no cell.
    pub fn from_lengths_and_angles(lengths: [f64; 3], angles: [f64; 3]) -> Result<Self, String> {
        if angles == [90.0; 3] {
            return Self::orthorhombic(lengths);
        }
        if !angles.iter().all(|&angle| angle > 0.0 && angle < 180.0) {
            return Err(format!(
                "its angles are not between 0 and 180 degrees: {angles:?}"
            ));
        }
        Self::from_lengths_and_cosines(lengths, angles.map(cosine))
    }

    /// As [`Cell::from_lengths_and_angles`], of the cosines of alpha, beta and gamma.
    ///
    /// # Errors
    /// As [`Cell::from_lengths_and_angles`].
    pub fn from_lengths_and_cosines(
        lengths: [f64; 3],
        [alpha, beta, gamma]: [f64; 3],
    ) -> Result<Self, String> {
        if !lengths.iter().all(|&length| length > 0.0) {
            return Err(format!("its lengths are not positive: {lengths:?}"));
        }
        let [a, b, c] = lengths;
        let sine = (1.0 - gamma * gamma).sqrt();
        let y = (alpha - beta * gamma) / sine;
        let z2 = 1.0 - beta * beta - y * y;
        if !(sine > 0.0 && z2 > 0.0) {
            return Err(format!(
                "its angles close no cell: cosines {alpha}, {beta}, {gamma}"
            ));
        }
        Self::new([
            [a, 0.0, 0.0],
            [b * gamma, b * sine, 0.0],
            [c * beta, c * y, c * z2.sqrt()],
        ])
    }

    /// Periodic along these vectors only.
    #[must_use]
    pub fn periodic_along(mut self, periodic: [bool; 3]) -> Self {
        self.periodic = periodic;
        self
    }

    /// With a corner here.
    #[must_use]
    pub fn at(mut self, origin: [f64; 3]) -> Self {
        self.origin = origin;
        self
    }

    /// The vectors a, b and c, in the unit of the positions.
    pub fn vectors(&self) -> [[f64; 3]; 3] {
        self.vectors
    }

    /// Along which of them it repeats.
    pub fn periodic(&self) -> [bool; 3] {
        self.periodic
    }

    /// The corner from which the vectors start.
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// The lengths along x, y and z, if its vectors lie along these axes.
    pub fn lengths(&self) -> Option<[f64; 3]> {
        let [a, b, c] = self.vectors;
        let off = [a[1], a[2], b[0], b[2], c[0], c[1]];
        let lengths = [a[0], b[1], c[2]];
        (off == [0.0; 6] && lengths.iter().all(|&length| length > 0.0)).then_some(lengths)
    }

    /// The volume, in the cube of the unit of length.
    pub fn volume(&self) -> f64 {
        let [a, b, c] = self.vectors;
        let cross = [
            b[1] * c[2] - b[2] * c[1],
            b[2] * c[0] - b[0] * c[2],
            b[0] * c[1] - b[1] * c[0],
        ];
        (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_angles_are_exact() {
        let dodecahedron =
            Cell::from_lengths_and_angles([2.0; 3], [60.0, 60.0, 90.0]).expect("a cell");
        let root = 2f64.sqrt();
        assert_eq!(dodecahedron.vectors()[1], [0.0, 2.0, 0.0]);
        assert_eq!(dodecahedron.vectors()[2], [1.0, 1.0, root]);
        assert!((dodecahedron.volume() - 4.0 * root).abs() < 1e-14);
        let right = Cell::from_lengths_and_angles([1.0, 2.0, 3.0], [90.0; 3]).expect("a cell");
        assert_eq!(right.lengths(), Some([1.0, 2.0, 3.0]));
        assert_eq!(dodecahedron.lengths(), None);
    }

    #[test]
    fn what_is_no_cell_is_refused() {
        let bad = [
            Cell::from_lengths_and_angles([1.0, 0.0, 1.0], [90.0; 3]),
            Cell::from_lengths_and_angles([1.0; 3], [90.0, 90.0, 180.0]),
            Cell::from_lengths_and_angles([1.0; 3], [30.0, 30.0, 150.0]),
            Cell::from_lengths_and_angles([1.0, f64::NAN, 1.0], [80.0; 3]),
            Cell::new([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
            Cell::new([[f64::INFINITY, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        ];
        assert!(bad.iter().all(Result::is_err));
    }
}
