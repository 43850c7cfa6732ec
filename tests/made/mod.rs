//! What several tests of the library are made of: edges, samples of plain rows, counts that all instruction sets agree on.

use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Isa, Silent};
use albireo::{
    Bins, Counts, Domain, Edges, Naive, PairJob, Pairs, Particles, PeriodicBox, Points, SignedEdges,
};

pub(crate) fn lin(lo: f64, hi: f64, n: usize) -> Edges {
    Edges::linear(lo, hi, n).unwrap()
}

pub(crate) fn signed(lo: f64, hi: f64, n: usize) -> SignedEdges {
    SignedEdges::linear(lo, hi, n).unwrap()
}

pub(crate) fn sample(rows: &[[f64; 3]]) -> Particles {
    Particles::new(Points::from_rows(rows).unwrap())
}

/// A periodic cube of side 1.
pub(crate) fn cube() -> Domain {
    Domain::Periodic(PeriodicBox::cubic(1.0).unwrap())
}

/// The counts of the reference, which every instruction set must give too.
pub(crate) fn counted(pairs: Pairs<'_>, domain: &Domain, bins: impl Into<Bins>) -> Counts {
    let bins = &bins.into();
    let job = PairJob::new(pairs, domain).unwrap();
    let expected = count_pairs(&Naive, &job, bins, &Silent).unwrap();
    for isa in Isa::available() {
        let engine = Cpu::new().with_isa(isa).unwrap();
        let found = count_pairs(&engine, &job, bins, &Silent).unwrap();
        assert!(found == expected, "{isa:?} {bins:?} {domain:?}");
    }
    expected
}
