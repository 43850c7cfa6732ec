//! Sums of expressions, alone and beside all others.

use albireo::tally::{CountSpec, Legendre, Sum};
use albireo::{Domain, Engine, LineOfSight, Particles};

use super::super::pair_programs::{every_operation, many, velocities, with_columns};
use super::super::suite::domains;
use super::{compare, r_bins, readings, rp_pi_bins, s_mu_bins, samples, sight, with_bits};

fn samples_with_columns(domain: &Domain, n: usize, seed: u64) -> [Particles; 2] {
    samples(domain, n, seed).map(|sample| with_columns(&sample, seed))
}

/// Values of every operation in every domain, of one order of each pair or of both; as many sums as there may be, beside others and by bits.
pub fn sums_of_expressions(engine: &dyn Engine, n: usize) {
    for (at, (name, domain)) in domains().iter().enumerate() {
        let [a, b] = samples_with_columns(domain, n, 101 + at as u64);
        let what = CountSpec::new(r_bins(domain)).with_weights();
        let even = what.clone().with_program(velocities());
        compare(engine, domain, [&a, &b], &even, name);
        let neither = CountSpec::new(r_bins(domain)).with_program(every_operation());
        compare(engine, domain, [&a, &b], &neither, name);
        if at % 3 != 0 {
            continue;
        }
        let bins = CountSpec::new(s_mu_bins(domain, sight(domain), -1.0));
        let all = [
            Sum::Separation,
            Sum::WeightedLegendre(Legendre::L1),
            Sum::WeightedSeparation,
            Sum::Legendre(Legendre::L2),
        ];
        let all = all
            .into_iter()
            .fold(bins.with_weights(), CountSpec::with_sum);
        let all = all.with_program(every_operation());
        compare(engine, domain, [&a, &b], &all, name);
    }
    let domain = &Domain::Open;
    let (inverse, least) = readings(2).swap_remove(0);
    let [a, b] = samples_with_columns(domain, n, 131).map(|s| with_bits(&s, 2, least, 132));
    let what = CountSpec::new(rp_pi_bins(domain, LineOfSight::Midpoint, 0.0));
    let what = what.weighted_by(inverse.into()).with_program(many());
    compare(engine, domain, [&a, &b], &what, "many by bits");
}
