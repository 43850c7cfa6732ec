//! The double loop in another language: `double_loop.c`, compiled here and fed with cases.
//!
//! Entry: [`Program::compiled`].

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use albireo::tally::{Tally, weights_are_wide};
use albireo::{Domain, LineOfSight, Pairs, Particles, Weights};

use super::case::{Bins, Built, Case};

/// The compiled program.
pub struct Program {
    path: PathBuf,
}

/// Words that the program reads.
struct Words(String);

impl Words {
    fn whole(&mut self, n: usize) {
        let _ = write!(self.0, "{n} ");
    }

    fn number(&mut self, value: f64) {
        let _ = write!(self.0, "{:016x} ", value.to_bits());
    }

    fn numbers(&mut self, values: &[f64]) {
        for &value in values {
            self.number(value);
        }
    }

    fn points(&mut self, sample: &Particles) {
        for row in 0..sample.len() {
            self.numbers(&sample.points().at(row));
        }
    }

    fn weights(&mut self, sample: &Particles) {
        match sample.weights() {
            Weights::Unit => self.whole(0),
            Weights::PerParticle(w) => {
                self.whole(1);
                self.numbers(&w.contiguous());
            }
        }
    }

    fn edges(&mut self, values: &[f64]) {
        self.whole(values.len() - 1);
        self.numbers(values);
    }

    fn case(&mut self, case: &Case, built: &Built) {
        let (kind, sides, basis) = match &built.domain {
            Domain::Open => (0, [0.0; 3], [[0.0; 3]; 3]),
            Domain::Periodic(cell) => (1, cell.lengths().map(|l| l.unwrap_or(0.0)), [[0.0; 3]; 3]),
            Domain::Triclinic(lattice) => (2, [0.0; 3], lattice.basis()),
        };
        self.whole(kind);
        self.numbers(&sides);
        self.numbers(basis.as_flattened());
        let statistic = match &case.bins {
            Bins::R(_) => 0,
            Bins::SMu(..) => 1,
            Bins::RpPi(..) => 2,
            Bins::Theta(_) => 3,
            Bins::Cut(..) => unreachable!("the program knows the library's bins alone"),
        };
        self.whole(statistic);
        self.whole(match case.bins.line_of_sight() {
            None | Some(LineOfSight::Midpoint) => 0,
            Some(LineOfSight::First) => 1,
            Some(LineOfSight::End) => 2,
            Some(LineOfSight::Fixed(axis)) => 3 + axis.index(),
        });
        match &case.bins {
            Bins::R(r) => self.edges(r),
            Bins::Theta(degrees) => self.edges(&chords(degrees)),
            Bins::SMu(a, ..) | Bins::RpPi(a, ..) | Bins::Cut(a, ..) => self.edges(a),
        }
        match &case.bins {
            Bins::R(_) | Bins::Theta(_) => self.whole(0),
            Bins::SMu(_, b, _) | Bins::RpPi(_, b, _) | Bins::Cut(_, b, ..) => self.edges(b),
        }
        let second = built.second.as_ref();
        self.whole(usize::from(second.is_none()));
        self.whole(built.first.len());
        self.whole(second.unwrap_or(&built.first).len());
        self.points(&built.first);
        if let Some(second) = second {
            self.points(second);
        }
        self.weights(&built.first);
        if let Some(second) = second {
            self.weights(second);
        }
        self.0.push('\n');
    }
}

/// `2*sin((theta/2)*(PI/180))` by the one implementation that edges go through; a last edge of 180 is closed.
fn chords(degrees: &[f64]) -> Vec<f64> {
    let chord = |t: f64| 2.0 * libm::sin((t / 2.0) * (std::f64::consts::PI / 180.0));
    let mut chords: Vec<f64> = degrees.iter().map(|&t| chord(t)).collect();
    if degrees.last() == Some(&180.0) {
        let last = chords.len() - 1;
        chords[last] = 3.0;
    }
    chords
}

impl Program {
    /// Compiles the program in `folder` with gcc.
    ///
    /// # Errors
    /// Why there is none: no compiler, or what it says.
    pub fn compiled(folder: &Path) -> Result<Self, String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attack/double_loop.c");
        let path = folder.join(format!("double_loop-{}", std::process::id()));
        let output = Command::new("gcc")
            .args(["-O0", "-ffp-contract=off", "-o"])
            .arg(&path)
            .arg(source)
            .arg("-lm")
            .output()
            .map_err(|error| format!("no gcc ({error})"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(Self { path })
    }

    /// The integers of cases: pairs, products and sums of the separation in each bin, and second words of the products.
    pub fn tallies(&self, cases: &[(&Case, &Built)]) -> Vec<Tally> {
        let mut words = Words(format!("{}\n", cases.len()));
        for (case, built) in cases {
            words.case(case, built);
        }
        let mut child = Command::new(&self.path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program was compiled");
        let mut input = child.stdin.take().expect("piped");
        let text = words.0;
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
        let output = child.wait_with_output().expect("the program runs");
        writer
            .join()
            .expect("no panic")
            .expect("the program reads all");
        assert!(
            output.status.success(),
            "double_loop.c fails: {}",
            output.status
        );
        let text = String::from_utf8(output.stdout).expect("digits");
        let mut lines = text.lines();
        let mut next = |(case, built): &(&Case, &Built)| {
            let n_bins = built.bins.n_bins();
            let mut pairs = vec![0; n_bins];
            let n_sums = case.n_sums();
            let mut sums = vec![vec![0; n_bins]; n_sums];
            let mut rests = vec![0; n_bins];
            for line in lines.by_ref().take_while(|line| *line != "end") {
                let numbers: Vec<i128> = line
                    .split_whitespace()
                    .map(|word| word.parse().expect("a whole number"))
                    .collect();
                let bin = numbers[0] as usize;
                pairs[bin] = numbers[1] as u64;
                for (sum, number) in sums.iter_mut().zip(&numbers[2..]) {
                    sum[bin] = *number;
                }
                rests[bin] = numbers[4];
            }
            let pairs_of = match &built.second {
                None => Pairs::Auto(&built.first),
                Some(second) => Pairs::Cross(&built.first, second),
            };
            if n_sums > 0 && weights_are_wide(pairs_of, 0) {
                sums.push(rests);
            }
            Tally::of_one_table(pairs, sums)
        };
        cases.iter().map(&mut next).collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Case {
    /// Number of sums beside the numbers of pairs: products, then separations.
    fn n_sums(&self) -> usize {
        use super::case::Summed;
        match self.summed {
            Summed::Counts => 0,
            Summed::Weights => 1,
            Summed::Separations => 2,
            Summed::Means | Summed::WeightedSeparations | Summed::Legendre => {
                unreachable!("the program knows none of them")
            }
        }
    }
}
