//! Where ticks stand and what they say.
//!
//! Entry: [`Scale`] and [`Ticks::on`]. Nothing here draws.

/// How values are laid out along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    /// Equal differences, equal lengths.
    Linear { lo: f64, hi: f64 },
    /// Equal ratios, equal lengths; both ends are above 0.
    Log { lo: f64, hi: f64 },
}

impl Scale {
    /// Position along the axis, 0 at the low end and 1 at the high end; what lies far outside is brought to a hundred lengths.
    pub(crate) fn position(&self, value: f64) -> f64 {
        const FAR: f64 = 100.0;
        let fraction = match *self {
            Self::Linear { lo, hi } => (value - lo) / (hi - lo),
            Self::Log { lo, hi } if value > 0.0 => (value / lo).ln() / (hi / lo).ln(),
            Self::Log { .. } => -FAR,
        };
        fraction.clamp(-FAR, FAR)
    }

    /// Position along the axis; outside values are brought to the ends.
    pub(crate) fn place(&self, value: f64) -> f64 {
        self.position(value).clamp(0.0, 1.0)
    }

    /// The axis with its high end raised until what was all of it takes `part` of it.
    pub(crate) fn with_headroom(self, part: f64) -> Self {
        match self {
            Self::Linear { lo, hi } => Self::Linear {
                lo,
                hi: lo + (hi - lo) / part,
            },
            Self::Log { lo, hi } => Self::Log {
                lo,
                hi: lo * (hi / lo).powf(1.0 / part),
            },
        }
    }

    /// The low and the high end.
    pub(crate) fn ends(self) -> [f64; 2] {
        let (Self::Linear { lo, hi } | Self::Log { lo, hi }) = self;
        [lo, hi]
    }

    /// Whether `value` lies on the axis.
    pub(crate) fn holds(&self, value: f64) -> bool {
        let [lo, hi] = self.ends();
        let slack = match self {
            Self::Linear { .. } => (hi - lo) * 1e-9,
            Self::Log { .. } => value.abs() * 1e-9,
        };
        value >= lo - slack && value <= hi + slack
    }
}

/// Labelled and unlabelled ticks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Ticks {
    /// Values with their labels.
    pub(crate) major: Vec<(f64, String)>,
    /// Values between them.
    pub(crate) minor: Vec<f64>,
    /// A power of ten that all labels are to be multiplied by; 0 for none.
    pub(crate) exponent: i32,
}

/// A whole number in raised digits.
pub(crate) fn raised(number: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = number.to_string();
    let raised = digits.chars().map(|c| match c.to_digit(10) {
        Some(digit) => DIGITS[digit as usize],
        None => '⁻',
    });
    raised.collect()
}

/// `10` with a raised exponent.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    format!("10{}", raised(exponent))
}

/// A number with a proper minus sign and the given number of decimals.
fn plain(value: f64, decimals: usize) -> String {
    let value = if value == 0.0 { 0.0 } else { value };
    format!("{value:.decimals$}").replace('-', "−")
}

/// Decimals that show a step of `10^exponent` times 1, 2 or 5.
fn decimals(step: f64) -> usize {
    (0..12)
        .find(|&d| (step * 10f64.powi(d) - (step * 10f64.powi(d)).round()).abs() < 1e-6)
        .unwrap_or(12) as usize
}

fn linear(lo: f64, hi: f64, wanted: usize) -> Ticks {
    let raw = (hi - lo) / wanted as f64;
    let decade = 10f64.powf(raw.log10().floor());
    let (factor, parts) = [(1.0, 5), (2.0, 4), (5.0, 5), (10.0, 5)]
        .into_iter()
        .find(|(f, _)| f * decade >= raw * (1.0 - 1e-9))
        .unwrap_or((10.0, 5));
    let step = factor * decade;
    let scale = Scale::Linear { lo, hi };
    let minor_step = step / f64::from(parts);
    let count = ((hi - lo) / minor_step) as i64 + 3;
    let first = (lo / minor_step).ceil() as i64 - 1;
    let largest = lo.abs().max(hi.abs());
    let exponent = if (1e-2..1e5).contains(&largest) {
        0
    } else {
        largest.log10().floor() as i32
    };
    let unit = 10f64.powi(exponent);
    let mut ticks = Ticks {
        exponent,
        ..Ticks::default()
    };
    for k in first..first + count {
        let value = k as f64 * minor_step;
        if !scale.holds(value) {
            continue;
        }
        if k % i64::from(parts) == 0 {
            ticks
                .major
                .push((value, plain(value / unit, decimals(step / unit))));
        } else {
            ticks.minor.push(value);
        }
    }
    ticks
}

/// Sets of multiples of powers of ten that are labelled: the first that fits.
const LABELLED: [&[i32]; 3] = [&[1, 2, 3, 5], &[1, 2, 5], &[1]];

fn logarithmic(lo: f64, hi: f64, wanted: usize) -> Ticks {
    if hi / lo < 3.0 {
        return linear(lo, hi, wanted);
    }
    let scale = Scale::Log { lo, hi };
    let (first, last) = (lo.log10().floor() as i32, hi.log10().ceil() as i32);
    let multiples = (first..=last).flat_map(|k| (1..10).map(move |m| (k, m)));
    let all: Vec<(i32, i32, f64)> = multiples
        .map(|(k, m)| (k, m, f64::from(m) * 10f64.powi(k)))
        .filter(|(.., value)| scale.holds(*value))
        .collect();
    let count = |labelled: &[i32]| all.iter().filter(|(_, m, _)| labelled.contains(m)).count();
    let few = usize::from(hi / lo >= 10.0);
    let fits = |labelled: &&&[i32]| count(labelled) <= wanted + wanted / 2;
    let labelled = *LABELLED[few..].iter().find(fits).unwrap_or(&LABELLED[2]);
    let every = (labelled.len() == 1).then(|| count(labelled).div_ceil(wanted.max(2)) as i32);
    let every = every.unwrap_or(1).max(1);
    let is_plain = lo >= 5e-4 && hi < 2e4;
    let label = |k: i32, m: i32, value: f64| match m {
        _ if is_plain => plain(value, decimals(value)),
        1 => power_of_ten(k),
        _ => format!("{m} × {}", power_of_ten(k)),
    };
    let mut ticks = Ticks::default();
    for (k, m, value) in all {
        if labelled.contains(&m) && k.rem_euclid(every) == 0 {
            ticks.major.push((value, label(k, m, value)));
        } else if m == 1 || every == 1 {
            ticks.minor.push(value);
        }
    }
    ticks
}

impl Ticks {
    /// About `wanted` labelled ticks on `scale`.
    pub(crate) fn on(scale: Scale, wanted: usize) -> Self {
        match scale {
            Scale::Linear { lo, hi } => linear(lo, hi, wanted),
            Scale::Log { lo, hi } => logarithmic(lo, hi, wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale) -> Vec<String> {
        Ticks::on(scale, 6)
            .major
            .into_iter()
            .map(|(_, label)| label)
            .collect()
    }

    #[test]
    fn decades_have_raised_exponents() {
        let wide = Scale::Log { lo: 1e-4, hi: 25.0 };
        assert_eq!(labels(wide), ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹"]);
        assert_eq!(power_of_ten(-12), "10⁻¹²");
    }

    #[test]
    fn logarithmic_axes_have_plain_numbers_where_they_fit() {
        assert_eq!(
            labels(Scale::Log { lo: 0.1, hi: 25.0 }),
            ["0.1", "0.2", "0.5", "1", "2", "5", "10", "20"]
        );
        assert_eq!(
            labels(Scale::Log {
                lo: 0.01,
                hi: 900.0
            }),
            ["0.01", "0.1", "1", "10", "100"]
        );
        assert_eq!(
            labels(Scale::Log { lo: 0.15, hi: 0.6 }),
            ["0.2", "0.3", "0.5"]
        );
        assert_eq!(
            labels(Scale::Log { lo: 1e5, hi: 4e5 }),
            ["10⁵", "2 × 10⁵", "3 × 10⁵"]
        );
    }

    #[test]
    fn linear_ticks_are_round_numbers() {
        assert_eq!(
            labels(Scale::Linear { lo: -0.6, hi: 1.3 }),
            ["−0.5", "0.0", "0.5", "1.0"]
        );
        assert_eq!(
            labels(Scale::Linear { lo: 0.0, hi: 150.0 }),
            ["0", "50", "100", "150"]
        );
        let large = Ticks::on(Scale::Linear { lo: 0.0, hi: 3.2e6 }, 6);
        assert_eq!(large.exponent, 6);
        assert_eq!(large.major[1], (1e6, "1".to_owned()));
    }

    #[test]
    fn values_are_placed_by_ratio_on_a_log_axis() {
        let scale = Scale::Log {
            lo: 0.01,
            hi: 100.0,
        };
        assert!((scale.place(1.0) - 0.5).abs() < 1e-12);
        assert_eq!((scale.place(-1.0), scale.place(1e9)), (0.0, 1.0));
    }
}
