//! g(r), its error and n(r) of one frame of a sample, or of two, to the last bit.

use std::f64::consts::PI;

use albireo::counts::{JobId, PairKind, PairTotal};
use albireo::random::Stream;
use albireo::{Counts, RBins};
use albireo_fluids::{Frame, Normalisation, Partials, Space, Species};

use super::r_bins;

/// g, its error and n of pairs in bins, with so many ends of a pair at so many particles.
fn by_hand(
    bins: &RBins,
    npairs: [u64; 3],
    density: f64,
    [ends, particles]: [f64; 2],
) -> [[f64; 3]; 3] {
    let (mut columns, mut within) = ([[0.0; 3]; 3], 0);
    for (k, e) in bins.edges().values().windows(2).enumerate() {
        let p = npairs[k] as f64;
        let shell = 4.0 / 3.0 * PI * (e[1] * e[1] * e[1] - e[0] * e[0] * e[0]);
        let g = p / (shell * density);
        let error = if p > 0.0 {
            (1.0 + (g - 1.0)) / p.sqrt()
        } else {
            f64::NAN
        };
        within += npairs[k];
        columns[0][k] = g;
        columns[1][k] = error;
        columns[2][k] = ends * within as f64 / particles;
    }
    columns
}

#[test]
fn one_frame_has_the_bits_of_pairs_over_shell_times_density() {
    let stream = Stream::new(99);
    let mut drawn = 0;
    let mut next = || {
        drawn += 1;
        stream.uniform(drawn)
    };
    for case in 0..2000u32 {
        let bins = r_bins(next(), 1.0 + 1e3 * next(), 3);
        let [na, nb] = [(); 2].map(|()| 2 + 10f64.powf(9.0 * next()) as u64);
        let (species, pair, particles, kind, total) = if case % 2 == 0 {
            let total = na * (na - 1) / 2;
            (
                Species::within(1),
                [0, 0],
                &[na][..],
                PairKind::AutoUnordered,
                total,
            )
        } else {
            (
                Species::between(1, 1),
                [0, 1],
                &[na, nb][..],
                PairKind::Cross,
                na * nb,
            )
        };
        let excluded = [0, (total as f64 * 0.9 * next()) as u64, total - 1][case as usize % 3];
        let npairs = [(); 3].map(|()| (total as f64 * next() / 4.0) as u64);
        let counts = Counts::from_parts(
            bins.clone(),
            npairs.to_vec(),
            None,
            PairTotal::unweighted(kind, total),
            JobId(1),
        );
        let volume = 10f64.powf(40.0 * next() - 20.0);
        let mut partials = Partials::new(&bins, species).unwrap();
        let frame = Frame {
            counts: &[counts.unwrap()],
            particles,
            excluded: &[excluded],
            space: &Space::of_volume(volume).unwrap(),
            weight: 1.0,
        };
        partials.add_frame(&frame).unwrap();
        let found = [
            partials.g(pair, Normalisation::Pairs).unwrap(),
            partials.poisson_error(pair).unwrap(),
            partials.coordination(pair).unwrap(),
        ];
        let density = (total - excluded) as f64 / volume;
        let ends = if pair == [0, 0] { 2.0 } else { 1.0 };
        let expected = by_hand(&bins, npairs, density, [ends, na as f64]);
        for (found, expected) in found.iter().zip(expected) {
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(found), bits(&expected), "case {case}: {found:?}");
        }
    }
}
