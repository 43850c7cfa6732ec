//! Convex polygons around the origin and discs about it.
//!
//! Entry: [`Polygon::of`].

/// The half-plane `x . normal <= distance`, its normal of length 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct HalfPlane {
    pub(super) normal: [f64; 2],
    pub(super) distance: f64,
}

/// A side: the part of the border of a half-plane between two coordinates along it, which are 0 nearest to the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Side {
    pub(super) distance: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

/// The points that some half-planes share, as far as a square reaches.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Polygon {
    pub(super) sides: Vec<Side>,
    /// The distance of the farthest corner.
    pub(super) farthest: f64,
}

/// A corner, and the number of the border that goes on from it.
#[derive(Debug, Clone, Copy)]
struct Corner {
    at: [f64; 2],
    border: usize,
}

/// A corner this much beyond a border, relative to the square, is on it.
const ON_BORDER: f64 = 1e-15;

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

impl Polygon {
    /// The part of the square `|x|, |y| <= far` that all half-planes share; none if that is nothing. The origin lies in each.
    pub(super) fn of(half_planes: &[HalfPlane], far: f64) -> Option<Self> {
        let square = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
        let mut borders: Vec<HalfPlane> = square
            .iter()
            .map(|&normal| HalfPlane {
                normal,
                distance: far,
            })
            .collect();
        // Sides that are neighbours share a corner, so that no gap can open between them.
        let corner = |at, border| Corner { at, border };
        let mut corners = vec![
            corner([far, -far], 0),
            corner([far, far], 1),
            corner([-far, far], 2),
            corner([-far, -far], 3),
        ];
        for &border in half_planes {
            corners = cut(&corners, border, borders.len(), ON_BORDER * far);
            borders.push(border);
            if corners.len() < 3 {
                return None;
            }
        }
        let next = corners.iter().cycle().skip(1);
        let side = |(start, end): (&Corner, &Corner)| {
            let HalfPlane { normal, distance } = borders[start.border];
            let along = [-normal[1], normal[0]];
            Side {
                distance,
                from: dot(start.at, along),
                to: dot(end.at, along),
            }
        };
        let farthest = corners.iter().map(|corner| dot(corner.at, corner.at));
        Some(Self {
            sides: corners.iter().zip(next).map(side).collect(),
            farthest: farthest.fold(0.0, f64::max).sqrt(),
        })
    }

    /// The area of what the disc of radius `r` about the origin has outside of the polygon.
    pub(super) fn beyond(&self, r: f64) -> f64 {
        let sum = |side: &Side| {
            let p = side.distance;
            let reach2 = (r - p) * (r + p);
            let half = |x: f64| {
                let x = x.clamp(-reach2.sqrt(), reach2.sqrt());
                (r * r * libm::atan2(x, p) - p * x) / 2.0
            };
            if reach2 > 0.0 {
                half(side.to) - half(side.from)
            } else {
                0.0
            }
        };
        self.sides.iter().map(sum).sum()
    }
}

/// The corners of the part of a polygon within a border, which has this number.
fn cut(corners: &[Corner], border: HalfPlane, number: usize, slack: f64) -> Vec<Corner> {
    let beyond = |corner: &Corner| dot(corner.at, border.normal) - border.distance;
    let mut kept = Vec::with_capacity(corners.len() + 1);
    let next = corners.iter().cycle().skip(1);
    for (start, end) in corners.iter().zip(next) {
        let (a, b) = (beyond(start), beyond(end));
        let meeting = |border: usize| {
            let share = a / (a - b);
            let at = [0, 1].map(|k| start.at[k] + share * (end.at[k] - start.at[k]));
            Corner { at, border }
        };
        match (a <= slack, b <= slack) {
            (true, true) => kept.push(*start),
            (true, false) if a >= -slack => kept.push(Corner {
                border: number,
                ..*start
            }),
            (true, false) => kept.extend([*start, meeting(number)]),
            (false, true) if b < -slack => kept.push(meeting(start.border)),
            (false, _) => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half_plane(angle: f64, distance: f64) -> HalfPlane {
        HalfPlane {
            normal: [angle.cos(), angle.sin()],
            distance,
        }
    }

    #[test]
    fn a_hexagon_has_its_sides_once() {
        let third = std::f64::consts::FRAC_PI_3;
        // Each border twice, and corners that are only touched.
        let mut planes: Vec<HalfPlane> = (0..12)
            .map(|k| half_plane(f64::from(k) * third, 1.0))
            .collect();
        planes.extend((0..6).map(|k| half_plane((f64::from(k) + 0.5) * third, 2.0 / 3f64.sqrt())));
        let hexagon = Polygon::of(&planes, 10.0).unwrap();
        let long = hexagon
            .sides
            .iter()
            .filter(|side| side.to - side.from > 1e-9);
        assert_eq!(long.count(), 6);
        let around: f64 = hexagon.sides.iter().map(|s| s.to - s.from).sum();
        assert!((around - 12.0 / 3f64.sqrt()).abs() < 1e-13);
        assert!((hexagon.farthest - 2.0 / 3f64.sqrt()).abs() < 1e-14);
        let area = 2.0 * 3f64.sqrt();
        for r in [1.2f64, 5.0] {
            let disc = std::f64::consts::PI * r * r;
            assert!((disc - hexagon.beyond(r) - area).abs() < 1e-13 * disc);
        }
        assert_eq!(hexagon.beyond(1.0), 0.0);
        // Six segments of a circle.
        let r: f64 = 1.1;
        let segment = r * r * (1.0 / r).acos() - (r * r - 1.0).sqrt();
        assert!((hexagon.beyond(r) - 6.0 * segment).abs() < 1e-15);
    }

    #[test]
    fn nothing_is_left_between_borders_that_do_not_meet() {
        let apart = [
            half_plane(0.0, -1.0),
            half_plane(std::f64::consts::PI, -1.0),
        ];
        assert!(Polygon::of(&apart, 10.0).is_none());
    }
}
