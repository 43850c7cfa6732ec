//! What the integers of a job stand for: the rates of its draws and the numbers of its points.
//!
//! Entry: [`Constants`], [`C4Term`], [`C3Term`]. Any rates make sums of the right mean; they decide the noise alone.

/// The step of the shares of regions.
pub const SHARE_STEP: f64 = 1.0 / 65_536.0;

/// What pairs of tracers are called.
pub(super) const PAIR_NAMES: [&str; 3] = ["11", "12", "22"];

/// The tracers of pairs of bins: 11, or 11, 12 and 22.
pub fn pairs_of(tracers: usize) -> Vec<(usize, usize)> {
    let pairs = (0..tracers).flat_map(|i| (i..tracers).map(move |j| (i, j)));
    pairs.collect()
}

/// Quads of tracers (i, j, k, l): bins of (i, j) and (k, l), xi between i and k and between j and l. Tracers are 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct C4Term {
    /// The first pair, `i <= j`.
    pub pair: (usize, usize),
    /// The members of the clouds of i and of j.
    pub members: (usize, usize),
}

/// Triples of tracers (u, v, w): bins of (u, v) and (v, w), xi between u and w, and the weight of v squared. Tracers are 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct C3Term {
    /// The vertex v.
    pub vertex: usize,
    /// The arms u and w.
    pub arms: (usize, usize),
}

/// What is fixed for all rounds of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Constants {
    /// The seed of all draws.
    pub seed: u64,
    /// Number of bins along both axes, and along the second.
    pub bins: (usize, usize),
    /// Random points of each tracer.
    pub randoms: Vec<u64>,
    /// Those of a round.
    pub points: Vec<u64>,
    /// What |xi| times a member's weight is multiplied by: for each owner, for each member.
    pub kappa: Vec<Vec<f64>>,
    /// What the product of two weights is multiplied by: for pairs 11, 12, 22, for each bin along the first axis.
    pub rho: Vec<Vec<f64>>,
    /// The unit of the weights that stand in C3: 2^-20 of the largest, for each tracer.
    pub weight_units: Vec<f64>,
    /// The share of each region in each bin, in steps of [`SHARE_STEP`]; none without regions.
    pub shares: Vec<Vec<i32>>,
}

impl Constants {
    /// Number of tracers.
    pub fn tracers(&self) -> usize {
        self.randoms.len()
    }

    /// The sums over quads, in their order: one for one tracer, twelve for two.
    pub fn c4_terms(&self) -> Vec<C4Term> {
        let n = self.tracers();
        let members = (0..n).flat_map(|k| (0..n).map(move |l| (k, l)));
        let terms = pairs_of(n).into_iter().flat_map(|pair| {
            let of_pair = members.clone();
            of_pair.map(move |members| C4Term { pair, members })
        });
        terms.collect()
    }

    /// The sums over triples, in their order: one for one tracer, eight for two.
    pub fn c3_terms(&self) -> Vec<C3Term> {
        let n = self.tracers();
        let terms = (0..n * n * n).map(|k| C3Term {
            vertex: k / n % n,
            arms: (k / (n * n), k % n),
        });
        terms.collect()
    }

    /// How many tuples of all random points there are for each tuple of a round: each point is another.
    fn tuples(&self, tracers: &[usize]) -> f64 {
        let mut share = 1.0;
        for (k, &tracer) in tracers.iter().enumerate() {
            let before = tracers[..k]
                .iter()
                .filter(|other| **other == tracer)
                .count() as f64;
            share *= (self.randoms[tracer] as f64 - before) / (self.points[tracer] as f64 - before);
        }
        share
    }

    fn pair(&self, i: usize, j: usize) -> usize {
        let wanted = (i.min(j), i.max(j));
        let place = pairs_of(self.tracers())
            .iter()
            .position(|pair| *pair == wanted);
        place.unwrap_or_default()
    }

    /// 1 / x, or 0 where nothing was drawn at a rate of 0.
    fn inverse(x: f64) -> f64 {
        if x > 0.0 { 1.0 / x } else { 0.0 }
    }

    /// What one count of a round stands for in row `a` of a sum over quads, all of them in both orders of the first pair, twice:
    /// `C4_ab = c4_unit(term, a) * counts_ab / (rounds * RR_a * RR_b)`, made symmetric. Terms with exchanged members are to be averaged.
    pub fn c4_unit(&self, term: C4Term, a: usize) -> f64 {
        let ((i, j), (k, l)) = (term.pair, term.members);
        let rates =
            self.kappa[i][k] * self.kappa[j][l] * self.rho[self.pair(i, j)][a / self.bins.1];
        // Each pair of one tracer is drawn in one of its two orders.
        let orders = if i == j { 4.0 } else { 2.0 };
        orders * self.tuples(&[i, j, k, l]) * Self::inverse(rates)
    }

    /// The same of a sum over triples, four times: `C3_ab = c3_unit(term, a) * counts_ab / (rounds * f * RR_a * RR_b)`, made symmetric.
    pub fn c3_unit(&self, term: C3Term, a: usize) -> f64 {
        let (v, (u, w)) = (term.vertex, term.arms);
        let rates = self.kappa[u][w] * self.rho[self.pair(u, v)][a / self.bins.1];
        4.0 * self.weight_units[v] * self.tuples(&[u, v, w]) * Self::inverse(rates)
    }
}
