//! Estimators written as arithmetic over counts, such as `(DD - 2*DR + RR)/RR`.
//!
//! Entry: [`Formula`]. `formula_text.rs` reads the text; here it is applied to normalised counts, with its gradient.

use std::sync::Arc;

use super::Inputs;
use super::Result;
use super::dual::Dual;
use super::formula_text::{Node, Operation, tree};
use super::terms::{Term, TermCounts};
use crate::binning::PairOrder;
use crate::error::{EstimatorError, FormulaError};
use crate::result::Correlation;

/// A correlation function as a formula over normalised counts: `DD`, `DR`, `RD`, `RR`, `DS`, `SD`, `SS`, `D1D2`, `D1R2`, `R1D2`, `D1S2`, `S1D2`, `S1S2` and `R1R2`, each
/// over its own total; numbers, `+ - * /`, powers `^` or `**` with a number as the exponent, and parentheses.
///
/// `DD.m` is the sum m of an expression ([`crate::tally::PairProgram`]) over the pairs of DD, over the same total; a formula with such sums has no
/// Poisson errors.
///
/// From what binds most tightly to least: powers (grouped to the right), signs, products, sums. What is divided by zero is NaN. Errors are
/// propagated through the derivatives of the formula, as those of the estimators with a name are. Where bins do not tell the orders of a pair
/// apart, RD is DR and SD is DS.
///
/// ```
/// use albireo::binning::PairOrder;
/// use albireo::counts::count_pairs;
/// use albireo::estimators::{Estimation, Formula, Role, Term};
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Naive, PairJob, Particles, RBins, random};
/// let formula: Formula = "DD*RR/DR^2 - 1".parse()?;
/// assert_eq!(formula.terms(PairOrder::Unordered), [Term::DD, Term::DR, Term::RR]);
/// let data = Particles::new(random::in_box(50, 1, [1.0; 3])?);
/// let randoms = Particles::new(random::in_box(200, 2, [1.0; 3])?);
/// let sample = |role| match role {
///     Role::Data => Some(&data),
///     Role::Randoms => Some(&randoms),
///     _ => None,
/// };
/// let bins = RBins::new(Edges::linear(0.0, 0.4, 2)?);
/// let estimation = Estimation::new(formula, &bins, &Domain::Open, sample)?;
/// let xi = estimation.run(|_, pairs| {
///     let job = PairJob::new(pairs, &Domain::Open)?;
///     Ok::<_, albireo::Error>(count_pairs(&Naive, &job, CountSpec::for_pairs(&bins, pairs), &Silent)?)
/// })?;
/// assert_eq!(xi.estimator, "DD*RR/DR^2 - 1");
/// assert!(xi.xi[1].abs() < 5.0 * xi.error[1]);
/// let error = "(DD - DX)/RR".parse::<Formula>().unwrap_err();
/// assert_eq!(error.position, 6);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    text: Arc<str>,
    tree: Arc<Node>,
    /// Those named, those of data first, in one order for any text.
    terms: Vec<Term>,
    /// The sums of expressions that are named, each once.
    sums: Vec<(Term, String)>,
}

impl std::str::FromStr for Formula {
    type Err = FormulaError;

    fn from_str(text: &str) -> Result<Self, FormulaError> {
        let text = text.trim();
        let tree = tree(text)?;
        let (mut terms, mut sums) = (Vec::new(), Vec::new());
        named(&tree, &mut terms, &mut sums);
        terms.sort_by_key(place);
        if terms.is_empty() {
            return Err(FormulaError::new(
                text,
                0,
                "a formula that names a count",
                "numbers alone",
            ));
        }
        Ok(Self {
            text: text.into(),
            tree: Arc::new(tree),
            terms,
            sums,
        })
    }
}

/// Where a count stands among others: errors are those of pairs of data, by which results begin.
fn place(term: &Term) -> (bool, Option<usize>) {
    let place = Term::ALL.iter().position(|other| other == term);
    (!term.is_data(), place)
}

impl std::fmt::Display for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Notes the counts and the sums that a tree names, each once.
fn named(node: &Node, terms: &mut Vec<Term>, sums: &mut Vec<(Term, String)>) {
    match node {
        Node::Number(_) => {}
        Node::Count(term) | Node::Sum(term, _) => {
            if let Node::Sum(term, name) = node
                && !sums.iter().any(|(of, other)| of == term && other == name)
            {
                sums.push((*term, name.clone()));
            }
            if !terms.contains(term) {
                terms.push(*term);
            }
        }
        Node::Negative(of) | Node::Power(of, _) => named(of, terms, sums),
        Node::Two(_, left, right) => {
            named(left, terms, sums);
            named(right, terms, sums);
        }
    }
}

impl Formula {
    /// The text that it was made from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The counts that are made for it, those of data first: of two that hold the same pairs, because the bins do not tell their orders apart, one.
    pub fn terms(&self, order: PairOrder) -> Vec<Term> {
        let made = |term: &&Term| self.made_for(**term, order) == **term;
        self.terms.iter().filter(made).copied().collect()
    }

    /// The counts that it names, those of data first.
    pub fn named(&self) -> &[Term] {
        &self.terms
    }

    /// The sums of expressions that it names, each with its count.
    pub fn sums(&self) -> &[(Term, String)] {
        &self.sums
    }

    /// The same formula, for which the counts and sums of others are made too: all of them are then estimated from one set of counts.
    #[must_use]
    pub fn beside(&self, others: &[Self]) -> Self {
        let mut all = self.clone();
        for other in others {
            let terms = other.terms.iter().filter(|term| !self.terms.contains(term));
            all.terms.extend(terms);
            let sums = other.sums.iter().filter(|sum| !self.sums.contains(sum));
            all.sums.extend(sums.cloned());
        }
        all.terms.sort_by_key(place);
        all.terms.dedup();
        let mut seen = Vec::new();
        all.sums.retain(|sum| {
            let is_new = !seen.contains(sum);
            seen.push(sum.clone());
            is_new
        });
        all
    }

    /// Whether it names pairs of randoms alone, which may be known ([`super::AnalyticRr`]) instead of counted.
    pub fn takes_known_randoms(&self) -> bool {
        self.terms.iter().any(|term| term.is_volume())
    }

    /// The count that holds the pairs of `term`.
    fn made_for(&self, term: Term, order: PairOrder) -> Term {
        // A sum takes the first object and the second one by their order.
        let has_sums = |of: Term| self.sums.iter().any(|(term, _)| *term == of);
        match (order, term.reverse()) {
            (_, Some(other)) if has_sums(term) || has_sums(other) => term,
            (PairOrder::Unordered, Some(other)) if self.terms.contains(&other) => other,
            _ => term,
        }
    }

    /// Whether a count holds the pairs of another that is named, the other way round.
    fn is_shared(&self, term: Term, order: PairOrder) -> bool {
        let mut named = self.terms.iter();
        let both = |other: Term| other.reverse() == Some(term) || term.reverse() == Some(other);
        order == PairOrder::Ordered && named.any(|&other| both(other))
    }

    /// The correlation function that the counts make; NaN where a denominator is 0.
    ///
    /// # Errors
    /// A count that is missing, no count at all, different bins or cuts, a total of zero, or counts that cover a part of their job only.
    pub fn estimate(&self, counts: &TermCounts) -> Result<Correlation> {
        let counted = self
            .terms
            .iter()
            .find_map(|term| Some((term, counts.find(*term)?)));
        let Some((first, data)) = counted else {
            return Err(EstimatorError::Needs(format!(
                "the estimator {} names no pairs that were counted",
                self.text
            )));
        };
        let order = data.binning().order();
        let terms = self.terms(order);
        let mut inputs = Inputs::new(first.name, data);
        for &term in &terms {
            let shared = self.is_shared(term, order);
            inputs = inputs.with(term.name, counts.pairs(term)?, shared)?;
        }
        let column = |term: Term| {
            let made = self.made_for(term, order);
            terms
                .iter()
                .position(|other| *other == made)
                .unwrap_or_default()
        };
        let mut sums = Vec::new();
        for (term, name) in &self.sums {
            sums.push(counts.pairs(*term)?.sum_fractions(name, term.name)?);
        }
        let sum = |of: Term, name: &str| {
            let place = self
                .sums
                .iter()
                .position(|(term, other)| *term == of && other == name);
            &sums[place.unwrap_or_default()]
        };
        let of_counts = |bin: usize, inputs: [Dual<{ Term::ALL.len() }>; Term::ALL.len()]| {
            let count = |term| inputs[column(term)];
            value(&self.tree, &count, &|of, name| sum(of, name)[bin])
        };
        let mut xi = inputs.estimate_bins(self.text.to_string(), of_counts);
        let (mut terms, mut sums) = (Vec::new(), Vec::new());
        named(&self.tree, &mut terms, &mut sums);
        if !sums.is_empty() {
            // What a pair adds scatters by itself.
            xi.error.fill(f64::NAN);
            xi.variance.fill(f64::NAN);
        }
        Ok(xi)
    }
}

/// The value of a tree where its counts and sums have these.
fn value<const N: usize>(
    node: &Node,
    count: &impl Fn(Term) -> Dual<N>,
    sum: &impl Fn(Term, &str) -> f64,
) -> Dual<N> {
    match node {
        Node::Number(number) => Dual::constant(*number),
        Node::Count(term) => count(*term),
        Node::Sum(term, name) => Dual::constant(sum(*term, name)),
        Node::Negative(of) => -1.0 * value(of, count, sum),
        Node::Power(of, exponent) => value(of, count, sum).to_the(*exponent),
        Node::Two(operation, left, right) => {
            let (left, right) = (value(left, count, sum), value(right, count, sum));
            match operation {
                Operation::Add => left + right,
                Operation::Subtract => left - right,
                Operation::Multiply => left * right,
                Operation::Divide => left.over(right),
            }
        }
    }
}
