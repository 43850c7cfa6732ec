//! Clusters of particles that share a list: what is read of a neighbour serves several particles, which lie near each other.
//!
//! Entry: [`ClusterLists`]. A list holds every particle closer than the cutoff and the skin to one of its cluster, as those of
//! [`super::cells`] do for one particle.

use std::ops::Range;

use albireo_simd::{Isa, Kernel, MOST_LANES, Record, Simd};

use super::cells::{
    CellLists, CellOrder, Halves, PARTS, apart, list_limit, units_of_halves, within,
};
use super::rule::Rule;
use super::short_lanes::{Group, Groups};

/// Particles of a cluster at most.
const CLUSTER: usize = 4;
/// Parts of cells from the first particle of a cluster to the last at most: what lies farther apart has few neighbours in common.
const SPAN: usize = 2 * PARTS;

/// The lists of the clusters of a stretch of sorted particles.
#[derive(Debug, Clone, Default)]
pub(super) struct ClusterLists {
    clusters: Vec<Cluster>,
    /// List after list, each filled up to whole registers; then room.
    neighbours: Vec<u32>,
}

/// Particles in a row, and where their list lies.
#[derive(Debug, Clone)]
struct Cluster {
    particles: Range<usize>,
    start: usize,
    /// The particles of the list, first those of the cluster.
    count: usize,
}

impl Groups for ClusterLists {
    #[inline(always)]
    fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        self.clusters.iter().map(|cluster| {
            let end = cluster.start + cluster.count.next_multiple_of(MOST_LANES);
            Group {
                particles: cluster.particles.clone(),
                neighbours: &self.neighbours[cluster.start..end],
                count: cluster.count,
                own: 0,
            }
        })
    }
}

impl ClusterLists {
    /// Makes the lists of these particles anew.
    pub(super) fn fill(
        &mut self,
        (isa, rule): (Isa, &Rule),
        order: &CellOrder,
        (records, halves): (&[Record], &Halves),
        particles: Range<usize>,
    ) {
        self.clusters.clear();
        isa.dispatch(Filling {
            rule,
            order,
            records,
            halves,
            particles,
            lists: self,
        });
    }

    /// The same as lists of single particles that hold each pair once.
    pub(super) fn each(&self, empty: u32) -> CellLists {
        let first = self
            .clusters
            .first()
            .map_or(0, |first| first.particles.start);
        let mut each = CellLists::starting_at(first);
        for group in self.groups() {
            for particle in group.particles {
                let later = |&&other: &&u32| other as usize > particle;
                let neighbours = group.neighbours[..group.count].iter();
                each.push(neighbours.filter(later).copied(), empty);
            }
        }
        each
    }
}

/// The lists of a stretch in the making.
struct Filling<'a> {
    rule: &'a Rule,
    order: &'a CellOrder,
    /// All particles, sorted; the last record is an empty one.
    records: &'a [Record],
    halves: &'a Halves,
    particles: Range<usize>,
    lists: &'a mut ClusterLists,
}

impl Filling<'_> {
    /// The particles of the cluster that begins with one, the part of a cell of that one, and how many parts farther the last lies.
    fn cluster(&self, first: usize) -> (Range<usize>, [usize; 3], usize) {
        let cell = self.order.cell(&self.records[first]);
        let (mut end, mut span) = (first + 1, 0);
        while end < self.particles.end.min(first + CLUSTER) {
            let [i, j, k] = self.order.cell(&self.records[end]);
            if [i, j] != cell[..2] || k > cell[2] + SPAN {
                break;
            }
            (end, span) = (end + 1, k - cell[2]);
        }
        (first..end, cell, span)
    }
}

impl Kernel for Filling<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let units = units_of_halves(self.rule);
        let nearness = Nearness::<S> {
            limit: simd.splat(list_limit(self.rule)),
            units: [
                simd.splat(units[0]),
                simd.splat(units[1]),
                simd.splat(units[2]),
            ],
            halves: self.halves.columns(),
        };
        let empty = self.records.len() as u32 - 1;
        let mut runs = vec![];
        let (mut first, mut start) = (self.particles.start, 0);
        while first < self.particles.end {
            let (particles, cell, span) = self.cluster(first);
            self.order.runs(cell, span, &mut runs);
            let candidates: usize = runs.iter().map(ExactSizeIterator::len).sum();
            let neighbours = &mut self.lists.neighbours;
            let most = start + CLUSTER + candidates + 2 * MOST_LANES;
            if neighbours.len() < most {
                neighbours.resize(most, empty);
            }
            let mut to = start;
            for particle in particles.clone() {
                neighbours[to] = particle as u32;
                to += 1;
            }
            to += nearness.list(simd, &particles, &runs, &mut neighbours[to..]);
            let end = start + (to - start).next_multiple_of(MOST_LANES);
            neighbours[to..end].fill(empty);
            first = particles.end;
            self.lists.clusters.push(Cluster {
                particles,
                start,
                count: to - start,
            });
            start = end;
        }
    }
}

/// What may come within reach before lists are made anew.
struct Nearness<'a, S: Simd> {
    limit: S::F,
    units: [S::F; 3],
    halves: [&'a [u32]; 3],
}

impl<S: Simd> Nearness<'_, S> {
    /// Writes the numbers of the particles of some runs that are near any of a cluster and not of it; how many they are.
    #[inline(always)]
    fn list(
        &self,
        simd: S,
        cluster: &Range<usize>,
        runs: &[Range<usize>],
        to: &mut [u32],
    ) -> usize {
        let [x, y, z] = self.halves;
        let mut own = [[simd.splat_u(0); 3]; CLUSTER];
        for (k, own) in own.iter_mut().enumerate() {
            // The last again, where there are fewer.
            let particle = (cluster.start + k).min(cluster.end - 1);
            *own = [
                simd.splat_u(x[particle]),
                simd.splat_u(y[particle]),
                simd.splat_u(z[particle]),
            ];
        }
        let mut count = 0;
        for run in runs {
            let mut at = run.start;
            while at < run.end {
                let others = [
                    simd.load_u(&x[at..]),
                    simd.load_u(&y[at..]),
                    simd.load_u(&z[at..]),
                ];
                let mut near = simd.splat_u(0);
                for own in &own {
                    let dx = apart(simd, others[0], own[0], self.units[0]);
                    let dy = apart(simd, others[1], own[1], self.units[1]);
                    let dz = apart(simd, others[2], own[2], self.units[2]);
                    near = simd.or(near, within(simd, dx, dy, dz, self.limit));
                }
                let lanes = (run.end - at).min(S::LANES) as u32;
                let near = simd.mask_bits(near) & (u64::MAX >> (64 - lanes)) as u32;
                let below = |number: usize| (1u64 << number.saturating_sub(at).min(32)) - 1;
                let near = near & !(below(cluster.end) & !below(cluster.start)) as u32;
                if let Some(room) = to[count..].first_chunk_mut() {
                    count += simd.store_lanes(near, at as u32, room);
                }
                at += S::LANES;
            }
        }
        count
    }
}
