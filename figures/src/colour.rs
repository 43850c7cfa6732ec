//! Colours of lines and maps.
//!
//! Entry: [`SERIES`] for lines, [`Ramp`] for maps. Ramps run between a few anchors in `OKLab`, so equal steps look equal.

use crate::canvas::Colour;

/// Line colours that remain distinct for colour-blind readers (Okabe & Ito 2008).
pub(crate) const SERIES: [Colour; 6] = [
    Colour([0, 90, 160]),
    Colour([213, 94, 0]),
    Colour([0, 140, 104]),
    Colour([180, 88, 150]),
    Colour([200, 140, 0]),
    Colour([70, 160, 210]),
];

/// The colour of a region: neighbouring numbers differ most, the line colours first, then lighter and darker ones.
pub(crate) fn region_colour(region: u32) -> Colour {
    let of = SERIES.len() as u32;
    let Colour(base) = SERIES[(region % of) as usize];
    let towards = |target: u8, share: u32| base.map(|c| mixed(c, target, share));
    match (region / of) % 3 {
        0 => Colour(base),
        1 => Colour(towards(255, 45)),
        _ => Colour(towards(0, 40)),
    }
}

/// A channel with a share, in percent, of another.
pub(crate) fn mixed(channel: u8, other: u8, share: u32) -> u8 {
    ((u32::from(channel) * (100 - share) + u32::from(other) * share) / 100) as u8
}

/// A colour for every number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ramp {
    /// From dark to light: amounts.
    Sequential,
    /// Blue below, light at 0.5, red above: signed values.
    Diverging,
}

/// Lightness rises steadily from the first anchor to the last.
const SEQUENTIAL: [[u8; 3]; 6] = [
    [13, 21, 48],
    [34, 56, 110],
    [27, 104, 140],
    [40, 153, 143],
    [134, 200, 132],
    [250, 243, 183],
];

/// Lightness is the same at equal distances from the middle.
const DIVERGING: [[u8; 3]; 7] = [
    [18, 48, 98],
    [40, 105, 172],
    [142, 188, 221],
    [247, 246, 243],
    [236, 168, 134],
    [196, 79, 57],
    [104, 20, 32],
];

/// sRGB to linear light.
fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.04045 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    }
}

fn encoded(c: f64) -> u8 {
    let c = c.clamp(0.0, 1.0);
    let c = if c <= 0.003_130_8 {
        c * 12.92
    } else {
        1.055 * c.powf(1.0 / 2.4) - 0.055
    };
    (c * 255.0).round() as u8
}

fn multiply(matrix: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// Linear light to cone responses, and their cube roots to `OKLab` (Ottosson 2020).
const TO_CONES: [[f64; 3]; 3] = [
    [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
    [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
    [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
];
const TO_LAB: [[f64; 3]; 3] = [
    [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
    [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
    [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
];
const FROM_LAB: [[f64; 3]; 3] = [
    [1.0, 0.396_337_777_4, 0.215_803_757_3],
    [1.0, -0.105_561_345_8, -0.063_854_172_8],
    [1.0, -0.089_484_177_5, -1.291_485_548_0],
];
const FROM_CONES: [[f64; 3]; 3] = [
    [4.076_741_662_1, -3.307_711_591_3, 0.230_969_929_2],
    [-1.268_438_004_6, 2.609_757_401_1, -0.341_319_396_5],
    [-0.004_196_086_3, -0.703_418_614_7, 1.707_614_701_0],
];

fn oklab(colour: [u8; 3]) -> [f64; 3] {
    multiply(
        &TO_LAB,
        multiply(&TO_CONES, colour.map(linear)).map(f64::cbrt),
    )
}

fn srgb(lab: [f64; 3]) -> Colour {
    let cones = multiply(&FROM_LAB, lab).map(|v| v * v * v);
    Colour(multiply(&FROM_CONES, cones).map(encoded))
}

impl Ramp {
    /// The colour of `value`, which is brought into [0, 1].
    pub(crate) fn at(self, value: f64) -> Colour {
        let anchors: &[[u8; 3]] = match self {
            Self::Sequential => &SEQUENTIAL,
            Self::Diverging => &DIVERGING,
        };
        let steps = anchors.len() - 1;
        let position = value.clamp(0.0, 1.0) * steps as f64;
        let k = (position as usize).min(steps - 1);
        let part = position - k as f64;
        let (a, b) = (oklab(anchors[k]), oklab(anchors[k + 1]));
        srgb([0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_come_back() {
        for (k, &anchor) in SEQUENTIAL.iter().enumerate() {
            assert_eq!(Ramp::Sequential.at(k as f64 / 5.0), Colour(anchor));
        }
    }

    #[test]
    fn lightness_rises_along_the_sequential_ramp() {
        let lightness: Vec<f64> = (0..=50)
            .map(|k| oklab(Ramp::Sequential.at(f64::from(k) / 50.0).0)[0])
            .collect();
        assert!(
            lightness.windows(2).all(|pair| pair[1] > pair[0]),
            "{lightness:?}"
        );
    }
}
