//! Bins much finer along one coordinate than along the other.

use super::*;

/// Fine logarithmic bins of the separation need larger ones than wide bins of the cosine do.
#[test]
fn separations_that_only_cosines_could_trust_are_doubted() {
    for isa in Isa::available() {
        let mut random = Random(0x217);
        let [mut sure, mut asked] = [0; 2];
        for _ in 0..120 {
            let mut trial = Trial::draw(&mut random, Statistic::SMu);
            trial.kinds = [Kind::Logarithmic; 2];
            trial.beside_along = false;
            (trial.n, trial.ratio) = (2400, libm::exp2(1.0 / 400.0));
            trial.last = Some(1.0);
            trial.largest = libm::exp2(random.between(4.0, 7.0));
            trial.base.half = trial.largest;
            let far = 16.0 * trial.largest;
            trial.base.centres[0] = unit(trial.base.centres[0]).map(|c| c * far);
            let size = libm::exp2(random.between(-6.0, -1.0));
            let turned = random.between(-1.0, 1.0);
            trial.apart = [size * (1.0 - turned * turned).sqrt(), size * turned];
            let (pair, [found, exact]) = trial.climb(isa, &mut random);
            let edge = exact + (found - exact) * libm::exp2(-random.between(0.1, 6.0));
            let Some(edges) = trial.edges(edge, Kind::Logarithmic, &mut random) else {
                continue;
            };
            let mu = SignedEdges::linear(-1.0, 1.0, 1).unwrap();
            let bins = SMuBins::new(edges, mu, trial.los).unwrap();
            if let Some((answers, _)) = trial.answers(isa, &bins, &pair, &mut random) {
                [sure, asked] = [sure + answers[0], asked + answers[1]];
            }
        }
        assert!(sure > 0 && sure < asked, "{isa:?}: {sure} of {asked}");
    }
}
