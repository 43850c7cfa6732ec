//! Bins beyond half the box: what the cell of nearest images leaves of them.
//!
//! Entry: [`Space::nearest_images`] and its relatives in a plane and in cylinders.

use albireo::binning::{Binning, Edges, LineOfSight, RBins, RpPiBins};
use albireo::domain::{Axis, Domain};
use albireo::error::EstimatorError;

use super::polygon::{HalfPlane, Polygon};
use super::wigner_seitz::lattice_vectors;
use super::{Space, WignerSeitz};
use crate::Result;

impl Space {
    /// The same, with each shell cut by the Wigner-Seitz cell of the frame: pairs are counted under their nearest image alone, so that
    /// beyond half the shortest lattice vector a shell is not whole, and beyond the corners of the cell there is none.
    ///
    /// ```
    /// use albireo_fluids::Space;
    /// use albireo::{Domain, Edges, PeriodicBox, RBins};
    /// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
    /// let bins = RBins::new(Edges::new(vec![0.0, 0.5, 0.9, 1.0])?);
    /// let space = Space::of_volume(1.0)?.nearest_images(&bins, &domain)?;
    /// // Half the box, the rest of the cell, and nothing.
    /// let balls = [0.5f64, 0.9].map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r);
    /// let rest = (1.0 - balls[0]) / (balls[1] - balls[0]);
    /// assert_eq!(space.kept(), Some(&[1.0, rest, 0.0][..]));
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// Edges beyond four times the lengths of a box with an open axis.
    pub fn nearest_images(self, bins: &RBins, domain: &Domain) -> Result<Self> {
        let cell = WignerSeitz::new(domain);
        check_reach(bins.edges(), cell.known_to())?;
        Ok(self.keeping(cell.shells(bins.edges())))
    }

    /// The same of rings in the plane of two axes, cut by the cell of the box in that plane.
    ///
    /// # Errors
    /// A third box vector that is not normal to the plane, or edges beyond four times the lengths of a box with an open axis.
    pub fn nearest_images_in_plane(
        self,
        bins: &RBins,
        domain: &Domain,
        normal: Axis,
    ) -> Result<Self> {
        let (plane, _) = PlaneCell::of(domain, normal)?;
        let kept = plane.rings(bins.edges())?;
        Ok(self.keeping(kept))
    }

    /// The same of rings times heights, (rho, z), cut by the cell of the box across the line of sight and half way along it.
    ///
    /// # Errors
    /// As [`Space::nearest_images_in_plane`], and a line of sight other than a fixed axis.
    pub fn nearest_images_in_cylinders(self, bins: &RpPiBins, domain: &Domain) -> Result<Self> {
        let axis = match bins.line_of_sight() {
            Some(LineOfSight::Fixed(axis)) => axis,
            other => {
                let found = other.map_or("none", LineOfSight::name);
                return Err(EstimatorError::Needs(format!(
                    "(rho, z) needs a fixed axis (x, y or z), found {found}"
                )));
            }
        };
        let (plane, length) = PlaneCell::of(domain, axis)?;
        let rings = plane.rings(bins.rp_edges())?;
        let half = length.map_or(f64::INFINITY, |length| length / 2.0);
        let along = bins.pi_edges().values().windows(2);
        let along: Vec<f64> = along
            .map(|e| {
                let within = e[1].clamp(-half, half) - e[0].clamp(-half, half);
                within / (e[1] - e[0])
            })
            .collect();
        let kept = rings
            .iter()
            .flat_map(|ring| along.iter().map(move |z| ring * z));
        Ok(self.keeping(kept.collect()))
    }
}

fn check_reach(edges: &Edges, known_to: f64) -> Result<()> {
    if edges.last() <= known_to {
        return Ok(());
    }
    Err(EstimatorError::Needs(format!(
        "bins in a box with an open axis must end by {known_to}, found a last edge of {}",
        edges.last()
    )))
}

/// The cell of nearest images in a plane; none where neither of its axes is periodic.
struct PlaneCell {
    outline: Option<Polygon>,
    /// The radius of the largest disc in it.
    inner: f64,
    outer: f64,
    known_to: f64,
}

impl PlaneCell {
    /// The cell in the plane across an axis, and the length along it where that is periodic.
    fn of(domain: &Domain, normal: Axis) -> Result<(Self, Option<f64>)> {
        let [first, second] = match normal {
            Axis::X => [1, 2],
            Axis::Y => [0, 2],
            Axis::Z => [0, 1],
        };
        let mut vectors: Vec<[f64; 2]> = vec![];
        let mut length = None;
        for vector in super::wigner_seitz::generators(domain) {
            let inside = [vector[first], vector[second]];
            let along = vector[normal.index()];
            match (inside == [0.0; 2], along == 0.0) {
                (_, true) => vectors.push(inside),
                (true, _) => length = Some(along.abs()),
                _ => {
                    return Err(EstimatorError::Needs(format!(
                        "a plane across {} needs box vectors in it or along it, found ({}, {}, {})",
                        normal.name(),
                        vector[0],
                        vector[1],
                        vector[2]
                    )));
                }
            }
        }
        Ok((Self::spanned(&vectors), length))
    }

    fn spanned(vectors: &[[f64; 2]]) -> Self {
        let far = 4.0 * vectors.iter().map(|v| v[0].hypot(v[1])).sum::<f64>();
        let half_way = |t: &[f64; 2]| {
            let length = t[0].hypot(t[1]);
            HalfPlane {
                normal: t.map(|x| x / length),
                distance: length / 2.0,
            }
        };
        let borders: Vec<HalfPlane> = lattice_vectors(vectors).iter().map(half_way).collect();
        let nearest = borders.iter().map(|border| border.distance);
        let inner = nearest.fold(f64::INFINITY, f64::min);
        let outline = if vectors.is_empty() {
            None
        } else {
            Polygon::of(&borders, far)
        };
        let corner = outline.as_ref().map_or(f64::INFINITY, |cell| cell.farthest);
        Self {
            outline,
            inner,
            outer: if vectors.len() == 2 {
                corner
            } else {
                f64::INFINITY
            },
            known_to: if vectors.len() == 1 {
                far
            } else {
                f64::INFINITY
            },
        }
    }

    /// The share of each ring that lies in the cell.
    fn rings(&self, edges: &Edges) -> Result<Vec<f64>> {
        check_reach(edges, self.known_to)?;
        let ring = |e: &[f64]| {
            let Some(outline) = self.outline.as_ref().filter(|_| e[1] > self.inner) else {
                return 1.0;
            };
            if e[0] >= self.outer {
                return 0.0;
            }
            let whole = std::f64::consts::PI * (e[1] - e[0]) * (e[1] + e[0]);
            let lost = outline.beyond(e[1]) - outline.beyond(e[0]);
            (1.0 - lost / whole).clamp(0.0, 1.0)
        };
        Ok(edges.values().windows(2).map(ring).collect())
    }
}
