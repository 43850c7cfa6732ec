//! Operations as lanes run them: first what pairs bring is written, side by side, then each step makes a value of all pairs of a batch, in as few
//! registers as hold them.
//!
//! Entry: [`Steps::of`].

use crate::tally::{End, Operation, Value};

/// What a pair brings. Operations on one column of each object are made as these are brought, so that one number waits in place of two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::engine::cpu) enum Brought {
    /// A component of the separation.
    Difference(usize),
    /// A column of the first object.
    First(usize),
    /// A column of the second object.
    Second(usize),
    /// The sum of a column of the first and one of the second.
    Sum([usize; 2]),
    /// The first less the second.
    Less([usize; 2]),
    /// Their product.
    Product([usize; 2]),
}

/// What makes a value; registers stand for values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Work {
    One(Operation),
    /// `(a*b + c*d) + e*f`: five operations whose results nothing else takes.
    Dot([Value; 6]),
}

/// Operations in the order in which lanes run them.
#[derive(Debug)]
pub(super) struct Steps {
    /// What is in the first registers, register by register, before the first step.
    pub(super) brought: Vec<Brought>,
    /// Numbers that registers always hold.
    pub(super) constants: Vec<(Value, f64)>,
    /// What is done, and the register that then holds it.
    pub(super) work: Vec<(Work, Value)>,
    /// The registers of the values that are kept.
    pub(super) kept: Vec<Value>,
    /// Number of registers.
    pub(super) number: usize,
}

impl Steps {
    /// Those that make these values of `operations`.
    pub(super) fn of(operations: &[Operation], kept: &[Value]) -> Self {
        let made = Made::of(operations, kept);
        let brought: Vec<usize> = (0..operations.len())
            .filter(|&k| made.brought[k].is_some())
            .collect();
        let mut registers = Registers::new(&made, operations, kept);
        for &k in &brought {
            registers.place(k);
        }
        let mut constants = vec![];
        for (k, operation) in operations.iter().enumerate() {
            if let Operation::Constant(bits) = *operation
                && made.uses[k] > 0
            {
                constants.push((registers.place(k), f64::from_bits(bits)));
            }
        }
        let mut steps = vec![];
        for (k, work) in made.work.iter().enumerate() {
            if let Some(work) = *work {
                let work = registers.read(k, work);
                steps.push((work, registers.place(k)));
            }
        }
        Self {
            brought: brought.iter().filter_map(|&k| made.brought[k]).collect(),
            constants,
            work: steps,
            kept: kept.iter().map(|&value| registers.at(value)).collect(),
            number: registers.number.into(),
        }
    }
}

/// What becomes of each operation of a program.
struct Made {
    /// How often its value is taken, by operations or to be kept.
    uses: Vec<usize>,
    /// Where it is brought.
    brought: Vec<Option<Brought>>,
    /// Where it is a step.
    work: Vec<Option<Work>>,
}

impl Made {
    fn of(operations: &[Operation], kept: &[Value]) -> Self {
        let n = operations.len();
        let mut made = Self {
            uses: vec![0; n],
            brought: vec![None; n],
            work: vec![None; n],
        };
        for value in kept {
            made.uses[value.index()] += 1;
        }
        let uses = uses_of(operations, kept);
        // From the last on: what nothing takes is not made, nor is what a step takes into itself.
        for k in (0..n).rev() {
            if made.uses[k] == 0 {
                continue;
            }
            if let Some(brought) = brought(operations, k) {
                made.brought[k] = Some(brought);
                continue;
            }
            if matches!(operations[k], Operation::Constant(_)) {
                continue;
            }
            let work = dot(operations, &uses, k).map_or(Work::One(operations[k]), Work::Dot);
            for value in work.operands() {
                made.uses[value.index()] += 1;
            }
            made.work[k] = Some(work);
        }
        made
    }
}

/// How often values are taken, by any operation or to be kept.
fn uses_of(operations: &[Operation], kept: &[Value]) -> Vec<usize> {
    let mut uses = vec![0; operations.len()];
    let taken = operations.iter().flat_map(|of| of.operands());
    for value in taken.chain(kept.iter().copied()) {
        uses[value.index()] += 1;
    }
    uses
}

/// What operation number `k` is, if pairs bring it.
fn brought(operations: &[Operation], k: usize) -> Option<Brought> {
    let both = |a: Value, b: Value| match (operations[a.index()], operations[b.index()]) {
        (Operation::Column(End::First, i), Operation::Column(End::Second, j)) => {
            Some([i.into(), j.into()])
        }
        _ => None,
    };
    match operations[k] {
        Operation::Difference(axis) => Some(Brought::Difference(axis.into())),
        Operation::Column(End::First, at) => Some(Brought::First(at.into())),
        Operation::Column(End::Second, at) => Some(Brought::Second(at.into())),
        Operation::Add(a, b) => both(a, b).map(Brought::Sum),
        Operation::Subtract(a, b) => both(a, b).map(Brought::Less),
        Operation::Multiply(a, b) => both(a, b).map(Brought::Product),
        _ => None,
    }
}

/// The factors, if operation number `k` is the last of a scalar product.
fn dot(operations: &[Operation], uses: &[usize], k: usize) -> Option<[Value; 6]> {
    let own = |value: Value| (uses[value.index()] == 1).then(|| operations[value.index()]);
    let product = |value: Value| match own(value)? {
        Operation::Multiply(a, b) if brought(operations, value.index()).is_none() => Some([a, b]),
        _ => None,
    };
    let Operation::Add(sum, last) = operations[k] else {
        return None;
    };
    let Operation::Add(first, second) = own(sum)? else {
        return None;
    };
    let ([a, b], [c, d], [e, f]) = (product(first)?, product(second)?, product(last)?);
    Some([a, b, c, d, e, f])
}

impl Work {
    fn operands(self) -> impl Iterator<Item = Value> {
        let (one, dot) = match self {
            Self::One(operation) => (Some(operation), None),
            Self::Dot(factors) => (None, Some(factors)),
        };
        let one = one.into_iter().flat_map(Operation::operands);
        one.chain(dot.into_iter().flatten())
    }

    /// The same on other values.
    fn on(self, of: impl Fn(Value) -> Value) -> Self {
        match self {
            Self::One(operation) => Self::One(operation.on(of)),
            Self::Dot(factors) => Self::Dot(factors.map(of)),
        }
    }
}

/// Which registers hold values that are still to be taken.
struct Registers {
    of: Vec<u16>,
    /// The last step that takes each value: never for constants and what is kept.
    last_use: Vec<usize>,
    free: Vec<u16>,
    number: u16,
}

impl Registers {
    fn new(made: &Made, operations: &[Operation], kept: &[Value]) -> Self {
        let n = operations.len();
        let mut last_use = vec![0; n];
        for (k, work) in made.work.iter().enumerate() {
            for value in work.iter().copied().flat_map(Work::operands) {
                last_use[value.index()] = k;
            }
        }
        for (k, operation) in operations.iter().enumerate() {
            if matches!(operation, Operation::Constant(_)) {
                last_use[k] = usize::MAX;
            }
        }
        for value in kept {
            last_use[value.index()] = usize::MAX;
        }
        Self {
            of: vec![0; n],
            last_use,
            free: vec![],
            number: 0,
        }
    }

    fn at(&self, value: Value) -> Value {
        Value::of_index(self.of[value.index()])
    }

    /// Finds a register for value number `k`.
    fn place(&mut self, k: usize) -> Value {
        let register = self.free.pop().unwrap_or_else(|| {
            self.number += 1;
            self.number - 1
        });
        self.of[k] = register;
        Value::of_index(register)
    }

    /// What step number `k` takes, by registers; those that it is the last to take are free then, also for what it makes: lanes are read
    /// before they are written.
    fn read(&mut self, k: usize, work: Work) -> Work {
        let mut operands: Vec<Value> = work.operands().collect();
        operands.sort_unstable();
        operands.dedup();
        for value in operands {
            if self.last_use[value.index()] == k {
                self.free.push(self.of[value.index()]);
            }
        }
        work.on(|value| self.at(value))
    }
}
