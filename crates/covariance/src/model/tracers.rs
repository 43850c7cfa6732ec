//! Two tracers: blocks of one covariance from the sums over points of both.
//!
//! Entry: [`block`].

use super::{Matrix, ShotNoise, symmetric};

/// The sums over random points of two tracers, 0 and 1, each over RR of its pairs of tracers.
pub trait TracerSums {
    /// `2 sum w_i w_j w_k w_l xi_ik xi_jl` over pairs ij of the first two tracers in the row's bin and kl of the others in the column's.
    fn four(&self, rows: [usize; 2], columns: [usize; 2]) -> Matrix;
    /// `4 sum w_u w_v^2 w_x xi_ux / f_v` over pairs uv in the row's bin and vx in the column's: v of the vertex, u and x of the arms.
    fn three(&self, vertex: usize, arms: [usize; 2]) -> Matrix;
    /// `2 sum w_i^2 w_j^2 (1 + xi_ij)/(f_i f_j)` over pairs of two tracers in a bin, and the same without xi: diagonals.
    fn two(&self, pair: [usize; 2]) -> [Matrix; 2];
}

/// The covariance of the correlation of tracers XY with that of ZW, for the shot noise of each tracer:
///
/// `(G4_XY,ZW + G4_XY,WZ)/2 + alpha_X/4 (d_XW G3_X;YZ + d_XZ G3_X;YW) + alpha_Y/4 (d_YW G3_Y;XZ + d_YZ G3_Y;XW) + alpha_X alpha_Y/2 (d_XW d_YZ + d_XZ d_YW) G2_XY`
///
/// with `alpha + beta` at G3 and, beside G2, `alpha_X beta_Y + beta_X alpha_Y + m beta_X beta_Y` times G2 without xi. Rascal C for two tracers: Philcox et
/// al. 2020, DOI 10.1093/mnras/stz3218.
pub fn block(
    sums: &impl TracerSums,
    noise: [ShotNoise; 2],
    [x, y]: [usize; 2],
    [z, w]: [usize; 2],
) -> Matrix {
    let mut sum = (sums.four([x, y], [z, w]) + sums.four([x, y], [w, z])) * 0.5;
    let legs = [(x, y, w, z), (x, y, z, w), (y, x, w, z), (y, x, z, w)];
    for (vertex, arm, same, other) in legs {
        if vertex == same {
            let of = (noise[vertex].alpha + noise[vertex].beta) / 4.0;
            sum += sums.three(vertex, [arm, other]) * of;
        }
    }
    let twice = u8::from(x == w && y == z) + u8::from(x == z && y == w);
    if twice > 0 {
        let [first, second] = [noise[x], noise[y]];
        let [with_xi, without] = sums.two([x, y]);
        let randoms = first.alpha * second.beta
            + first.beta * second.alpha
            + first.subsets * first.beta * second.beta;
        let both = with_xi * (first.alpha * second.alpha) + without * randoms;
        sum += both * (f64::from(twice) / 2.0);
    }
    if [x, y] == [z, w] {
        symmetric(&sum)
    } else {
        sum
    }
}

#[cfg(test)]
mod tests {
    use albireo::random::Stream;

    use super::super::trials::{BINS, Scatter, TwoTracers};
    use super::*;

    const PAIRS: [[usize; 2]; 3] = [[0, 0], [0, 1], [1, 1]];

    /// All three blocks of one matrix, rows of 11, 12, 22.
    fn whole(sites: &TwoTracers, noise: [ShotNoise; 2]) -> Matrix {
        let mut whole = Matrix::zeros(3 * BINS, 3 * BINS);
        for (r, rows) in PAIRS.into_iter().enumerate() {
            for (c, columns) in PAIRS.into_iter().enumerate() {
                let part = block(sites, noise, rows, columns);
                let mut place = whole.view_mut((r * BINS, c * BINS), (BINS, BINS));
                place.copy_from(&part);
            }
        }
        whole
    }

    #[test]
    fn blocks_of_two_tracers_are_the_scatter_of_counts_at_sites() {
        let sites = TwoTracers::new(10);
        for beta in [0.0, 0.5] {
            let noise = [ShotNoise {
                beta,
                ..ShotNoise::poisson()
            }; 2];
            let whole = whole(&sites, noise);
            assert!((&whole - whole.transpose()).abs().max() < 1e-12 * whole.max());
            let mut scatter = Scatter::default();
            for draw in 0..25_000 {
                scatter.add(&sites.drawn(beta, Stream::new(11).child(draw)));
            }
            scatter.is_of(&(&whole + sites.coincident(beta)));
        }
    }

    #[test]
    fn one_tracer_twice_is_one_tracer() {
        let sites = TwoTracers::new(8).alike();
        let noise = ShotNoise {
            alpha: 1.3,
            beta: 0.2,
            subsets: 3.0,
        };
        let expected = sites.one().terms(sites.f[0]).at(noise);
        let found = block(&sites, [noise; 2], [0, 0], [0, 0]);
        assert!((found - &expected).abs().max() < 1e-12 * expected.max());
    }
}
