//! Numbers in messages.
//!
//! Entry: [`in_short`], [`listed`], [`rows_of`].

/// A number without the hundreds of digits that the largest and the smallest have.
pub fn in_short(value: f64) -> String {
    if value == 0.0 || (1e-5..1e16).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Numbers as `(1, 2.5, 3e200)`.
pub fn listed(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().copied().map(in_short).collect();
    format!("({})", values.join(", "))
}

/// Vectors one after the other, each as [`listed`] has it.
pub fn rows_of(vectors: &[[f64; 3]; 3]) -> String {
    vectors.each_ref().map(|vector| listed(vector)).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_and_the_smallest_have_exponents() {
        for (value, text) in [
            (0.0, "0"),
            (-0.25, "-0.25"),
            (1e15, "1000000000000000"),
            (1e300, "1e300"),
            (-2.5e-300, "-2.5e-300"),
            (1e-5, "0.00001"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(in_short(value), text);
        }
        assert_eq!(listed(&[1.0, 2.5, 3e200]), "(1, 2.5, 3e200)");
    }
}
