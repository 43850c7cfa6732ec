//! Legendre polynomials: what multipoles project on, and whose roots quadrature takes.

/// The Legendre polynomial of degree `ell` at `x`, by the three-term recurrence.
pub fn legendre(ell: u32, x: f64) -> f64 {
    let (mut below, mut here) = (1.0, x);
    if ell == 0 {
        return below;
    }
    for n in 1..ell {
        let n = f64::from(n);
        let next = ((2.0 * n + 1.0) * x * here - n * below) / (n + 1.0);
        (below, here) = (here, next);
    }
    here
}
