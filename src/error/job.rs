//! What can be wrong with a job: the pairs, the domain, and what is to be counted of them.

use thiserror::Error as ThisError;

use super::short::in_short;
use super::{DomainError, PairWeightError, ParticlesError};

/// A pair job that has no defined answer.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum JobError {
    /// Bins that reach past half the box.
    #[error(
        "bins reach {reach} along {axis}, but separations in this periodic box are defined up to {limit} only (half the box length)", reach = in_short(*reach), limit = in_short(*limit)
    )]
    Reach {
        /// The axis (`x`, `y`, `z`) or `any` for a triclinic box.
        axis: &'static str,
        /// How far the bins reach.
        reach: f64,
        /// Half the box.
        limit: f64,
    },
    /// Cylindrical bins that reach past half the shortest vector of a triclinic box.
    #[error(
        "bins reach rp_max^2 + pi_max^2 = {reach2}, but separations in this triclinic box are defined up to {limit2} only (a quarter of the squared length of its shortest lattice vector)", reach2 = in_short(*reach2), limit2 = in_short(*limit2)
    )]
    ReachSquared {
        /// `rp_max*rp_max + pi_max*pi_max`.
        reach2: f64,
        /// A quarter of the squared length of the shortest lattice vector.
        limit2: f64,
    },
    /// Lengths whose products with a line of sight from an observer could overflow or lose digits.
    #[error(
        "with a line of sight from an observer {what} must be {lo:e} to {hi:e} by magnitude, found {value:e}{place}: choose another unit of length"
    )]
    SightRange {
        /// `edges other than 0` or `coordinates`.
        what: &'static str,
        /// What was found.
        value: f64,
        /// Where, such as ` in x, row 3`; empty for edges.
        place: String,
        /// The smallest magnitude accepted.
        lo: f64,
        /// The largest.
        hi: f64,
    },
    /// A line of sight that depends on where the observer stands, in a periodic box.
    #[error(
        "a periodic box has no observer: take a fixed axis (x, y or z) as the line of sight, not {0}"
    )]
    LineOfSight(&'static str),
    /// Angular bins in a periodic domain.
    #[error("angular separations need an open domain")]
    AngleInBox,
    /// Angular bins on positions that are not unit vectors.
    #[error(
        "angular bins need unit vectors: row {row} (counting from 0) has length {norm}; use Points::directions", norm = in_short(*norm)
    )]
    NotUnitVector {
        /// The first such row, from 0.
        row: usize,
        /// Its norm.
        norm: f64,
    },
    /// A part that a job does not have.
    #[error("part {index} of {of} does not exist: parts count from 0")]
    Part {
        /// The part asked for.
        index: u32,
        /// Of how many.
        of: u32,
    },
    /// Units that a job does not have.
    #[error(
        "units {} to {} are not those of this job, which has {units}, counting from 0: plan them for the same samples and bins", run[0], run[1]
    )]
    Units {
        /// The first unit of the run, and the end of it.
        run: [usize; 2],
        /// Units planned.
        units: usize,
    },
    /// Units of GPUs, on an engine that has others.
    #[error(
        "these units are cells that GPUs sort into, which no other engine counts: plan units by the engine that counts them"
    )]
    UnitsOfGpus,
    /// Classes of pairs in units, on an engine that cannot walk through them.
    #[error("classes of pairs are counted in units by the cpu alone, not by {0}")]
    ClassesOfUnits(String),
    /// Samples whose numbers of sets of weights differ.
    #[error(
        "both samples of a count have as many sets of weights, or one of them has one: found {first} and {second}"
    )]
    WeightSets {
        /// Sets of the first sample.
        first: usize,
        /// Sets of the second.
        second: usize,
    },
    /// A sum by a set of weights that there is not.
    #[error("there is no set of weights {set}: there are {sets}, numbered from 0")]
    NoWeightSet {
        /// The set asked for.
        set: usize,
        /// How many there are.
        sets: usize,
    },
    /// Realisations of samples without bits.
    #[error("realisations need bits that tell who takes part in them, and no sample has any")]
    NoRealisations,
    /// Samples whose bits are of different numbers of words.
    #[error(
        "the realisations of both samples are the same: expected bits of as many words, found {first} and {second}"
    )]
    RealisationWords {
        /// Words of the first sample.
        first: usize,
        /// Words of the second.
        second: usize,
    },
    /// A number of realisations that the bits do not hold.
    #[error("expected 1 to {held} realisations, found {number}")]
    Realisations {
        /// The number asked for.
        number: usize,
        /// The most that a pass holds with these bits.
        held: usize,
    },
    /// Bits that are realisations and inverse probabilities at once.
    #[error("bits are realisations or make inverse probabilities: expected one of both")]
    RealisationsOfInverse,
    /// Positions outside the domain.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// Particles that make no sample.
    #[error(transparent)]
    Particles(#[from] ParticlesError),
    /// Randoms split into fewer than two subsets.
    #[error("randoms are split into at least 2 subsets, found {0}")]
    FewSubsets(u32),
    /// Subsets without a pair.
    #[error("{subsets} subsets of randoms need at least two each: there are {rows}")]
    SmallSubsets {
        /// Randoms.
        rows: usize,
        /// Subsets asked for.
        subsets: u32,
    },
    /// Runs of rows that are no subsets of the randoms.
    #[error(
        "{subsets} subsets of {rows} randoms, one after another, were expected, found {runs} of {found}"
    )]
    OtherRuns {
        /// Subsets asked for.
        subsets: u32,
        /// Randoms.
        rows: usize,
        /// Runs that were given.
        runs: usize,
        /// Rows of all of them.
        found: usize,
    },
    /// A subset without a pair.
    #[error(
        "subset {subset} (counting from 0) has {rows} randoms: pairs within it take at least two"
    )]
    SmallSubset {
        /// Which one.
        subset: usize,
        /// Its randoms.
        rows: usize,
    },
    /// Randoms split from a separation that is no edge.
    #[error(
        "randoms are split from an edge of the bins in {axis} on, below the last: {above} is none, the nearest is {nearest}", above = in_short(*above), nearest = in_short(*nearest)
    )]
    SplitEdge {
        /// The separation asked for.
        above: f64,
        /// The first axis.
        axis: &'static str,
        /// The nearest edge.
        nearest: f64,
    },
    /// Bins that tell nothing of fewer of them.
    #[error("these bins cannot be cut short: let randoms be split at all separations")]
    UncutBins,
    /// Weights of pairs that the particles cannot have.
    #[error(transparent)]
    PairWeight(#[from] PairWeightError),
    /// Samples prepared in different domains.
    #[error("both samples of a count must live in one domain, but they were prepared in two")]
    Domains,
    /// Samples that another engine prepared.
    #[error("these samples were prepared by another engine than {0}")]
    PreparedElsewhere(&'static str),
    /// Legendre sums in bins without a line of sight.
    #[error("Legendre sums need bins with a line of sight: (s, mu) or (rp, pi)")]
    NoLineOfSight,
    /// Odd Legendre sums of pairs whose points have no order.
    #[error(
        "Legendre sums of odd degree change their sign with the order of a pair, which an auto count in these bins holds once: take signed edges or a line of sight through one end"
    )]
    OddLegendre,
    /// An expression that changes its sign where the two points are exchanged, in an auto count that holds each pair once.
    #[error(
        "sum {0} changes its sign when the two points of a pair are exchanged, so that it is 0 where each pair is counted once: multiply it by an odd factor such as radial(..) or mu"
    )]
    OddSum(String),
    /// An expression that changes where the two points are exchanged, where each pair is met once, in either order.
    #[error(
        "sum {0} changes when the two points of a pair are exchanged: expected one that stays the same, such as i.m*j.m or radial(i.v - j.v)"
    )]
    UnevenSum(String),
    /// Pairs whose value of an expression is NaN, infinite or beyond its bound.
    #[error(
        "{name} has no value within {bound} for {pairs} pairs, the first of them in bin {bin} (counting from 0): begin the bins above 0, guard it with where(r > 0, .., 0), leave out objects by a condition, or give a larger bound",
        bound = in_short(*bound)
    )]
    NoValue {
        /// The sum.
        name: String,
        /// Its bound.
        bound: f64,
        /// Such pairs, in all classes.
        pairs: i128,
        /// The first bin that has some.
        bin: usize,
    },
    /// A column of an expression that a sample does not have.
    #[error("an expression takes {needed} of the columns of each particle, but it has {found}")]
    NoColumns {
        /// Columns that are taken.
        needed: usize,
        /// Columns of the sample.
        found: usize,
    },
    /// Classes of pairs of particles that have no labels.
    #[error("classes of pairs are made of labels, but the particles have none")]
    NoLabels,
    /// More groups than can have particles in common.
    #[error(
        "at most {most} groups may share particles, found {found}: name them so that none does, by a column of species"
    )]
    OverlappingGroups {
        /// Groups.
        found: usize,
        /// The most.
        most: usize,
    },
    /// Frames at two times whose particles are not the same.
    #[error(
        "pairs over a lag need the same particles in both frames: frame {second} has {} of them, frame {first} {}, or they are of other groups or in another order", particles[1], particles[0]
    )]
    OtherParticles {
        /// The number of the earlier frame.
        first: u64,
        /// The number of the later one.
        second: u64,
        /// Their particles.
        particles: [usize; 2],
    },
    /// More pairs in a frame than 64 bits number.
    #[error("a frame has more pairs than 64 bits number")]
    TooManyPairs,
    /// A frame whose particles are of another number of species than those of the run.
    #[error("frames with {expected} species are counted, but one has {found}")]
    Species {
        /// Species of the run.
        expected: u32,
        /// Species of the frame.
        found: u32,
    },
    /// A cut of pairs within groups of particles that have no groups.
    #[error("pairs within a group are dropped by the groups of both samples, but there are none")]
    NoGroups,
    /// A text that no cut has.
    #[error(
        "expected a cut such as `theta 0 to 0.1 degrees`, `rp 0 to 1 across the line of sight z` or `pairs within a group`, found `{0}`"
    )]
    CutText(String),
    /// A cut that depends on which point of a pair comes first, where none does.
    #[error(
        "a cut in rp along the {0} line of sight depends on which point comes first, but each pair is counted once: take midpoint or a fixed axis"
    )]
    CutOrder(&'static str),
    /// A position at the origin, which has no direction to cut or weight angles by.
    #[error(
        "angles seen from the origin need positions away from it: row {row} (counting from 0) is (0, 0, 0)"
    )]
    NoDirection {
        /// The first such row, from 0.
        row: usize,
    },
    /// A listed pair of rows that there are not.
    #[error(
        "the listed pair of rows {} and {} (counting from 0) is not among samples of {} and {} rows", pair[0], pair[1], rows[0], rows[1]
    )]
    ListedRow {
        /// The first such pair.
        pair: [u32; 2],
        /// Rows of the first and of the second sample.
        rows: [usize; 2],
    },
    /// Inverse probabilities of pairs of particles without bits.
    #[error("inverse probabilities of pairs are made of bits, but the {0} has none")]
    NoBits(&'static str),
    /// Inverse probabilities of pairs of which one side alone has bits.
    #[error(
        "the {with} has bits and the {without} has none: give the {with} individual weights of its bits (InverseProbability::individual)"
    )]
    OneSidedBits {
        /// The sample that has bits.
        with: &'static str,
        /// The one that has none.
        without: &'static str,
    },
    /// Bits of other words than inverse probabilities are made for.
    #[error(
        "inverse probabilities are made for {expected} words of bits, the {sample} has {found}"
    )]
    BitWords {
        /// Which sample.
        sample: &'static str,
        /// Words of 64 bits that are expected.
        expected: usize,
        /// Words found.
        found: usize,
    },
    /// A row in more or fewer realisations than can be.
    #[error(
        "of the bits of a row {lo} to {hi} can be set, as the realisations are stated, but {found} are in row {row} (counting from 0) of the {sample}"
    )]
    BitsSet {
        /// Which sample.
        sample: &'static str,
        /// The first such row, from 0.
        row: usize,
        /// Bits set there.
        found: u32,
        /// The fewest there can be.
        lo: i64,
        /// The most.
        hi: i64,
    },
    /// Two samples cut into regions of different numbers.
    #[error(
        "both samples must be cut into the same regions: the first has {first}, the second {second}"
    )]
    Regions {
        /// Regions of the first sample.
        first: u32,
        /// Regions of the second.
        second: u32,
    },
    /// Fewer regions than two.
    #[error("leaving out one region at a time needs at least 2 regions, found {0}")]
    FewRegions(u32),
    /// A region in which a sample has no particle.
    #[error(
        "every region must hold particles of every sample: region {region} (counting from 0) holds none of the {sample} sample of the pairs; take fewer, larger regions"
    )]
    EmptyRegion {
        /// The first such region, from 0.
        region: u32,
        /// `first` or `second`.
        sample: &'static str,
    },
    /// More tables, one for each class of pairs, than one count can hold.
    #[error(
        "{tables} classes of pairs with {bins} bins each are more than the {limit} numbers that a count can hold"
    )]
    TooManyTables {
        /// Number of tables.
        tables: usize,
        /// Bins of each.
        bins: usize,
        /// The most numbers accepted.
        limit: usize,
    },
}
