//! A case as something to run: a Rust test, and a command where one can say it.

use std::fmt::Write;

use albireo::LineOfSight;
use albireo::engine::Traversal;

use super::besides::{Besides, Dropped};
use super::case::{Bins, Case, Space, Summed};

/// A number to the last bit, and as people read it.
fn exact(value: f64) -> String {
    if value == 0.0 || (value.abs() < 1e16 && value.abs() > 1e-5) {
        // Rust reads and writes these without loss.
        return format!("{value:?}");
    }
    format!("f64::from_bits({:#018x})", value.to_bits())
}

fn list(values: &[f64]) -> String {
    let words: Vec<_> = values.iter().map(|&v| exact(v)).collect();
    format!("[{}]", words.join(", "))
}

fn rows(values: &[[f64; 3]]) -> String {
    let rows: Vec<_> = values.iter().map(|row| list(row)).collect();
    format!("[{}]", rows.join(", "))
}

fn sight(los: LineOfSight) -> String {
    match los {
        LineOfSight::Fixed(axis) => format!("LineOfSight::Fixed(Axis::{axis:?})"),
        los => format!("LineOfSight::{los:?}"),
    }
}

/// How the bins are made, and the case of a user's binning in words.
fn bins(bins: &Bins) -> (String, &'static str) {
    let edges = |values: &[f64]| format!("Edges::new({}.to_vec()).unwrap()", list(values));
    let signed = |values: &[f64]| format!("SignedEdges::new({}.to_vec()).unwrap()", list(values));
    match bins {
        Bins::R(r) => (format!("RBins::new({})", edges(r)), ""),
        Bins::Theta(theta) => (
            format!("ThetaBins::new({}).unwrap()", edges(theta)),
            ".directions().unwrap()",
        ),
        Bins::SMu(s, mu, los) => (
            format!(
                "SMuBins::new({}, {}, {}).unwrap()",
                edges(s),
                signed(mu),
                sight(*los)
            ),
            "",
        ),
        Bins::RpPi(rp, pi, los) => (
            format!(
                "RpPiBins::new({}, {}, {}).unwrap()",
                edges(rp),
                signed(pi),
                sight(*los)
            ),
            "",
        ),
        Bins::Cut(s, mu, los, least) => (
            format!(
                "/* CutBins: rp from {} */ SMuBins::new({}, {}, {}).unwrap()",
                exact(*least),
                edges(s),
                signed(mu),
                sight(*los)
            ),
            "",
        ),
    }
}

fn space(space: &Space) -> String {
    match space {
        Space::Open => "Domain::Open".to_owned(),
        Space::Box(lengths) => {
            let words =
                lengths.map(|l| l.map_or("None".to_owned(), |l| format!("Some({})", exact(l))));
            format!(
                "Domain::Periodic(PeriodicBox::new([{}]).unwrap())",
                words.join(", ")
            )
        }
        Space::Cell(vectors) => {
            format!(
                "Domain::Triclinic(Lattice::new({}).unwrap())",
                rows(vectors)
            )
        }
    }
}

/// The groups, bits and further sets of weights of a sample.
fn of_rows(besides: &Besides, which: usize) -> String {
    let mut text = String::new();
    let (groups, bits) = (&besides.groups[which], &besides.bits[which]);
    if !groups.is_empty() {
        let _ = write!(text, ".grouped(Groups::new(vec!{groups:?})).unwrap()");
    }
    if !bits.is_empty() {
        let _ = write!(
            text,
            ".with_bits(Bits::from_rows(&{bits:?}).unwrap()).unwrap()"
        );
    }
    let sets = besides.sets.iter().map(|set| match &set[which] {
        None => "Weights::Unit".to_owned(),
        Some(w) => format!("Weights::PerParticle({}.to_vec().into())", list(w)),
    });
    if !besides.sets.is_empty() {
        let sets: Vec<_> = sets.collect();
        let _ = write!(
            text,
            ".with_weight_sets(vec![{}]).unwrap()",
            sets.join(", ")
        );
    }
    text
}

/// The cuts and the weight of pairs.
fn besides(besides: &Besides) -> String {
    let mut text = String::new();
    for cut in &besides.cuts {
        let cut = match cut {
            Dropped::Theta([lo, hi]) => format!("Cut::theta({lo:?}, {hi:?}).unwrap()"),
            Dropped::Rp([lo, hi], los) => {
                let (lo, hi) = (exact(*lo), exact(*hi));
                format!("Cut::rp({lo}, {hi}, {}).unwrap()", sight(*los))
            }
            Dropped::SameGroup => "Cut::SameGroup".to_owned(),
            Dropped::Listed(list) => format!("Cut::listed({list:?})"),
        };
        let _ = write!(text, ".with_cut({cut})");
    }
    if let Some(number) = besides.realisations {
        let _ = write!(text, ".by_realisation({number})");
    }
    let angular = |(degrees, factors): &(Vec<f64>, Vec<f64>)| {
        format!("AngularWeight::new(vec!{degrees:?}, vec!{factors:?}).unwrap()")
    };
    let angular = besides.angular.as_ref().map(angular);
    if let Some(inverse) = besides.inverse {
        let words = inverse.words;
        let realisations = if inverse.truncated {
            format!("Realisations::zero_truncated({})", 64 * words)
        } else {
            format!("Realisations::of_words({words})")
        };
        let _ = write!(
            text,
            ".with_pair_weight(PairWeight::from(InverseProbability::new({words}, {realisations}, PairNormalisation::{:?}).unwrap())",
            inverse.normalisation
        );
        if let Some(angular) = angular {
            let _ = write!(text, ".with_angular({angular})");
        }
        text.push(')');
    } else if let Some(angular) = angular {
        let _ = write!(text, ".with_pair_weight(PairWeight::from({angular}))");
    }
    text
}

impl Case {
    /// The body of a Rust test that fails as this case does.
    pub fn as_test(&self) -> String {
        let (bins, directions) = bins(&self.bins);
        let sample = |values: &[[f64; 3]], which: usize| {
            let points = format!("Points::from_rows(&{}).unwrap()", rows(values));
            let particles = match &self.weights[which] {
                None => format!("Particles::new({points})"),
                Some(w) => format!(
                    "Particles::weighted({points}, {}.to_vec()).unwrap()",
                    list(w)
                ),
            };
            let placed = format!("domain.place({particles}, Outside::Wrap).unwrap()");
            placed + directions + &of_rows(&self.besides, which)
        };
        let mut text = String::from("#[test]\nfn shrunk_case() {\n");
        let mut line = |words: String| {
            let _ = writeln!(text, "    {words}");
        };
        line("use albireo::{engine::*, tally::*, *};".into());
        line(format!("let domain = {};", space(&self.space)));
        line(format!("let first = {};", sample(&self.first, 0)));
        let pairs = match &self.second {
            None => "Pairs::Auto(&first)",
            Some(second) => {
                line(format!("let second = {};", sample(second, 1)));
                "Pairs::Cross(&first, &second)"
            }
        };
        line(format!("let bins = {bins};"));
        let traversal = match self.traversal {
            Traversal::Auto => String::new(),
            other => format!(".with_traversal(Traversal::{other:?})"),
        };
        line(format!(
            "let job = PairJob::new({pairs}, &domain).unwrap(){traversal};"
        ));
        let words = match self.summed {
            Summed::Counts => "[]",
            Summed::Weights => "[Sum::Product]",
            Summed::Separations => "[Sum::Product, Sum::Separation]",
            Summed::Means => "[Sum::Separation]",
            Summed::WeightedSeparations => "[Sum::Separation, Sum::WeightedSeparation]",
            Summed::Legendre if self.bins.line_of_sight().is_none() => "[Sum::WeightedSeparation]",
            Summed::Legendre => {
                "[Legendre::L0, Legendre::L2, Legendre::L4].map(Sum::WeightedLegendre)"
            }
        };
        line(format!("let sums = {words};"));
        if !self.besides.sets.is_empty() {
            let last = self.besides.sets.len();
            line(format!(
                "let sums = sums.into_iter().flat_map(|sum| (0..={last}).map(move |k| sum.clone().of_set(k)));"
            ));
        }
        line("let what = sums.into_iter().fold(CountSpec::new(bins), CountSpec::with_sum);".into());
        let beyond = if self.beyond_half {
            ".beyond_half()"
        } else {
            ""
        };
        line(format!(
            "let what = what{}{beyond};",
            besides(&self.besides)
        ));
        if let Some(program) = &self.besides.program {
            line(format!(
                "// With columns {:?} and {program:?}.",
                self.besides.columns
            ));
        }
        line("let expected = Naive.run(&job, &what, &Silent);".into());
        if self.built().is_ok_and(|built| self.out_of_range(&built)) {
            line("assert!(expected.is_err(), \"lengths outside the range of the rule\");".into());
        }
        line("for isa in Isa::available() {".into());
        line("    let engine = Cpu::new().with_isa(isa).unwrap();".into());
        line("    let found = engine.run(&job, &what, &Silent);".into());
        line("    assert_eq!(found, expected, \"{isa:?}\");".into());
        line("}".into());
        text.push_str("}\n");
        text
    }

    /// The command that counts the same pairs, where the command line can say it.
    pub fn as_command(&self) -> Option<String> {
        if self.beyond_half {
            return None;
        }
        let edges = |values: &[f64]| {
            let words: Vec<_> = values.iter().map(|v| format!("{v:?}")).collect();
            format!("edges:{}", words.join(","))
        };
        let (statistic, axes) = match &self.bins {
            Bins::R(r) => ("r", format!("--bins {}", edges(r))),
            Bins::SMu(s, mu, _) => (
                "s-mu",
                format!("--bins {} --mu-bins {}", edges(s), edges(mu)),
            ),
            Bins::RpPi(rp, pi, _) => (
                "rp-pi",
                format!("--bins {} --pi-bins {}", edges(rp), edges(pi)),
            ),
            // Positions on the sky are given as angles, which round.
            Bins::Theta(_) | Bins::Cut(..) => return None,
        };
        let mut script = String::new();
        let mut file = |name: &str, values: &[[f64; 3]], weights: &Option<Vec<f64>>| {
            let _ = writeln!(script, "cat > {name} <<END\nx,y,z,w");
            for (k, [x, y, z]) in values.iter().enumerate() {
                let w = weights.as_ref().map_or(1.0, |w| w[k]);
                let _ = writeln!(script, "{x:?},{y:?},{z:?},{w:?}");
            }
            script.push_str("END\n");
        };
        file("first.csv", &self.first, &self.weights[0]);
        if let Some(second) = &self.second {
            file("second.csv", second, &self.weights[1]);
        }
        let files = if self.second.is_some() {
            "first.csv second.csv"
        } else {
            "first.csv"
        };
        let mut flags = format!("--statistic {statistic} {axes} --positions x,y,z");
        if self.weights.iter().any(Option::is_some) {
            flags += " --weight w";
        }
        if let Some(los) = self.bins.line_of_sight() {
            let _ = write!(flags, " --los {}", los.name());
        }
        match &self.space {
            Space::Open => {}
            Space::Box(lengths) => {
                let words = lengths.map(|l| l.map_or("none".to_owned(), |l| format!("{l:?}")));
                let _ = write!(flags, " --wrap --box {}", words.join(","));
            }
            Space::Cell(vectors) => {
                let words: Vec<_> = vectors
                    .as_flattened()
                    .iter()
                    .map(|v| format!("{v:?}"))
                    .collect();
                let _ = write!(flags, " --wrap --box={}", words.join(","));
            }
        }
        if self.summed.is_new() || self.besides != Besides::default() {
            return None;
        }
        if self.summed == Summed::Separations {
            flags += " --mean-separation";
        }
        let _ = write!(
            script,
            "for engine in naive cpu; do albireo count {files} {flags} --engine $engine; done"
        );
        Some(script)
    }
}
