//! Makes a failing case small: fewest points, then fewest bins, then the simplest numbers.
//!
//! Entry: [`shrunk`]. Delta debugging (Zeller & Hildebrandt 2002, DOI 10.1109/32.988498), each step kept where the case still fails.

use std::time::{Duration, Instant};

use albireo::engine::Traversal;

use super::besides::Besides;
use super::case::{Bins, Case, Space, Summed};

/// A search with a limit on its time.
struct Search<'a> {
    fails: &'a dyn Fn(&Case) -> bool,
    until: Instant,
    best: Case,
}

/// The smallest case found that still fails, `case` itself at worst.
pub fn shrunk(case: &Case, time: Duration, fails: &dyn Fn(&Case) -> bool) -> Case {
    // Bins from 0 on stay so: what lies far above zero is a kind of its own.
    let from_zero = case.begins_at_zero();
    let same = |trial: &Case| trial.begins_at_zero() == from_zero && fails(trial);
    let mut search = Search {
        fails: &same,
        until: Instant::now() + time,
        best: case.clone(),
    };
    // A smaller case may admit steps that the larger one did not.
    for _ in 0..4 {
        let before = search.best.clone();
        search.drop_sums();
        search.drop_points();
        search.keep_two();
        search.drop_bins();
        search.simplify_settings();
        search.simplify_numbers();
        if search.best == before {
            break;
        }
    }
    search.best
}

impl Search<'_> {
    /// Takes `trial` where it still fails.
    fn try_case(&mut self, trial: Case) -> bool {
        let better = trial != self.best && Instant::now() < self.until && (self.fails)(&trial);
        if better {
            self.best = trial;
        }
        better
    }

    fn try_change(&mut self, change: impl FnOnce(&mut Case)) -> bool {
        let mut trial = self.best.clone();
        change(&mut trial);
        self.try_case(trial)
    }

    fn drop_sums(&mut self) {
        self.try_change(|case| case.summed = Summed::Counts);
        self.try_change(|case| case.weights = [None, None]);
        self.try_change(|case| case.besides = Besides::default());
        self.try_change(|case| case.besides.cuts.clear());
        self.try_change(|case| {
            let besides = &mut case.besides;
            (besides.inverse, besides.realisations, besides.bits) = Default::default();
        });
        for number in [1, 2, 8] {
            self.try_change(|case| {
                let own = &mut case.besides.realisations;
                *own = own.map(|own: usize| own.min(number));
            });
        }
        self.try_change(|case| case.besides.angular = None);
        self.try_change(|case| (case.besides.program, case.besides.columns) = Default::default());
        self.try_change(|case| case.besides.sets.clear());
        self.try_change(|case| case.besides.sets.truncate(1));
        self.try_change(|case| case.traversal = Traversal::Auto);
        self.try_change(|case| case.beyond_half = false);
    }

    /// Leaves out runs of points of both samples, halves first.
    fn drop_points(&mut self) {
        let mut run = self.best.n_points().div_ceil(2).max(1);
        loop {
            let mut from = 0;
            while from < self.best.n_points() {
                let to = from + run;
                if !self.try_change(|case| case.drop_rows(from, to)) {
                    from = to;
                }
            }
            if run == 1 || Instant::now() >= self.until {
                return;
            }
            run = run.div_ceil(2);
        }
    }

    /// Tries each pair of the points that are left: one more point may only have kept the others in their places.
    fn keep_two(&mut self) {
        let n = self.best.n_points();
        if n > 40 {
            return;
        }
        for i in 0..n {
            for j in i + 1..n {
                let two = self.try_change(|case| {
                    case.drop_rows(j + 1, n);
                    case.drop_rows(i + 1, j);
                    case.drop_rows(0, i);
                });
                if two || n < 3 {
                    return;
                }
            }
        }
    }

    /// Leaves out runs of edges of both axes, down to two.
    fn drop_bins(&mut self) {
        for axis in 0..2 {
            let length = |case: &Case| {
                let mut bins = case.bins.clone();
                bins.edges()[axis].as_ref().map_or(0, |edges| edges.len())
            };
            let mut run = length(&self.best).div_ceil(2).max(1);
            loop {
                let mut from = 0;
                while from < length(&self.best) {
                    let taken = self.try_change(|case| {
                        let [across, along] = case.bins.edges();
                        if let Some(edges) = if axis == 0 { across } else { along }
                            && edges.len() >= run + 2
                        {
                            let to = (from + run).min(edges.len());
                            edges.drain(from..to);
                        }
                    });
                    if !taken {
                        from += run;
                    }
                }
                if run == 1 || Instant::now() >= self.until {
                    break;
                }
                run = run.div_ceil(2);
            }
        }
    }

    fn simplify_settings(&mut self) {
        self.try_change(|case| case.space = Space::Open);
        self.try_change(|case| {
            case.second = None;
            case.besides.groups[1].clear();
            case.besides.bits[1].clear();
            case.besides.sets.iter_mut().for_each(|set| set[1] = None);
            case.besides.columns[1].clear();
        });
        self.try_change(|case| {
            if let Bins::SMu(across, ..) | Bins::RpPi(across, ..) | Bins::Cut(across, ..) =
                &case.bins
            {
                case.bins = Bins::R(across.clone());
            }
        });
        let largest = self.best.largest_length();
        if largest > 0.0 {
            let exponent = libm::frexp(largest).1;
            if exponent.abs() > 20 {
                self.try_change(|case| case.scale_by(-exponent));
            }
        }
    }

    /// Zeros, whole numbers and short fractions for positions, edges and weights; all in one, then one by one.
    fn simplify_numbers(&mut self) {
        if let Some(&origin) = self.best.first.first() {
            self.try_change(|case| {
                for row in case
                    .first
                    .iter_mut()
                    .chain(case.second.iter_mut().flatten())
                {
                    for axis in 0..3 {
                        row[axis] -= origin[axis];
                    }
                }
            });
        }
        let count = self.best.numbers().len();
        for bits in [0, 1, 3, 6, 10, 16, 24, 32, 40] {
            if self.try_change(|case| {
                for number in case.numbers() {
                    *number = shortened(*number, bits);
                }
            }) {
                break;
            }
        }
        if count > 400 {
            return;
        }
        for at in 0..count {
            for bits in [0, 1, 3, 6, 10, 16, 24, 32, 40] {
                if self.try_change(|case| {
                    let number = case.numbers().swap_remove(at);
                    *number = shortened(*number, bits);
                }) {
                    break;
                }
            }
        }
    }
}

/// `value` with its leading `bits` significant bits; 0 for none.
fn shortened(value: f64, bits: i32) -> f64 {
    if bits == 0 || value == 0.0 {
        return 0.0;
    }
    let (fraction, exponent) = libm::frexp(value);
    libm::scalbn(libm::scalbn(fraction, bits).round(), exponent - bits)
}

impl Case {
    /// Leaves out rows `from..to`, numbered through both samples.
    fn drop_rows(&mut self, from: usize, to: usize) {
        let n = self.first.len();
        let within = |length: usize, start: usize| {
            let clip = |at: usize| at.saturating_sub(start).min(length);
            clip(from)..clip(to)
        };
        let first = within(n, 0);
        let second = self.second.as_ref().map(|rows| within(rows.len(), n));
        let left = [
            n - first.len(),
            match (&self.second, &second) {
                (Some(rows), Some(dropped)) => rows.len() - dropped.len(),
                _ => n - first.len(),
            },
        ];
        self.besides.drop_rows(0, first.clone(), left);
        if let Some(second) = second {
            self.besides.drop_rows(1, second, left);
        }
        if let Some(w) = &mut self.weights[0] {
            w.drain(first.clone());
        }
        self.first.drain(first);
        if let Some(rows) = &mut self.second {
            let second = within(rows.len(), n);
            if let Some(w) = &mut self.weights[1] {
                w.drain(second.clone());
            }
            rows.drain(second);
        }
    }

    /// Every number but those of the space.
    fn numbers(&mut self) -> Vec<&mut f64> {
        let rows = self
            .first
            .iter_mut()
            .chain(self.second.iter_mut().flatten());
        let mut all: Vec<&mut f64> = rows.flatten().collect();
        all.extend(self.bins.edges().into_iter().flatten().flatten());
        all.extend(self.weights.iter_mut().flatten().flatten());
        all
    }
}
