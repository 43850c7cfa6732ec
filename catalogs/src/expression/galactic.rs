//! Galactic coordinates of directions on the sky, in degrees.
//!
//! Entry: [`longitude`] and [`latitude`] of equatorial coordinates of J2000.

/// What turns a unit vector of the ICRS into one of the galactic frame: The Hipparcos and Tycho Catalogues (ESA SP-1200, 1997), volume 1, equation
/// 1.5.11, with the pole at RA 192.85948, Dec 27.12825 and the ascending node at longitude 32.93192 degrees.
const TURN: [[f64; 3]; 3] = [
    [-0.054_875_560_4, -0.873_437_090_2, -0.483_835_015_5],
    [0.494_109_427_9, -0.444_829_630_0, 0.746_982_244_5],
    [-0.867_666_149_0, -0.198_076_373_4, 0.455_983_776_2],
];

/// Galactic longitude, from 0 to below 360.
pub(super) fn longitude(ra: f64, dec: f64) -> f64 {
    let [x, y, _] = galactic(ra, dec);
    let degrees = libm::atan2(y, x).to_degrees();
    if degrees < 0.0 {
        // Rounding makes 360 of what is just below 0.
        let turned = degrees + 360.0;
        if turned < 360.0 { turned } else { 0.0 }
    } else {
        degrees
    }
}

/// Galactic latitude, from -90 to 90.
pub(super) fn latitude(ra: f64, dec: f64) -> f64 {
    let [x, y, z] = galactic(ra, dec);
    libm::atan2(z, libm::hypot(x, y)).to_degrees()
}

fn galactic(ra: f64, dec: f64) -> [f64; 3] {
    let (ra, dec) = (ra.to_radians(), dec.to_radians());
    let flat = libm::cos(dec);
    let [x, y, z] = [flat * libm::cos(ra), flat * libm::sin(ra), libm::sin(dec)];
    TURN.map(|[a, b, c]| a * x + b * y + c * z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_those_of_astropy() {
        // SkyCoord(ra, dec, unit="deg").galactic of astropy 8.0.2, whose pole is another by 0.03 arc seconds.
        for (ra, dec, l, b) in [
            (0.0, 90.0, 122.931_925, 27.128_252),
            (180.0, 20.0, 241.387_661, 76.238_686),
            (8.0, -2.0, 111.614_300, -64.443_773),
            (359.5, -45.25, 329.898_050, -68.977_977),
            (83.6331, 22.0145, 184.557_466, -5.784_344),
        ] {
            let off = (longitude(ra, dec) - l) * libm::cos(f64::to_radians(b));
            assert!(off.abs() < 1e-5, "{ra} {dec}: {off}");
            let off = latitude(ra, dec) - b;
            assert!(off.abs() < 1e-5, "{ra} {dec}: {off}");
        }
        // The centre of the Galaxy lies on the border.
        let at = longitude(266.405, -28.936_2);
        assert!((0.0..360.0).contains(&at) && !(0.001..=359.999).contains(&at));
    }
}
