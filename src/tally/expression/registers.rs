//! Where the values of a program are kept while they are needed: in as few registers as hold them.
//!
//! Entry: [`Registers::of`].

use super::{Operation, Value};

/// The register of each value; constants keep theirs, so that they are written once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Registers {
    of: Vec<u16>,
    number: usize,
}

impl Registers {
    /// Those of the values of `operations`, of which `kept` stay to the end.
    pub(super) fn of(operations: &[Operation], kept: &[Value]) -> Self {
        let constant = |k: usize| matches!(operations[k], Operation::Constant(_));
        let mut last_use: Vec<usize> = (0..operations.len()).collect();
        for (k, operation) in operations.iter().enumerate() {
            for value in operation.operands() {
                last_use[value.index()] = k;
            }
        }
        for value in kept {
            last_use[value.index()] = usize::MAX;
        }
        let (mut of, mut free, mut number) = (vec![], vec![], 0_u16);
        for (k, operation) in operations.iter().enumerate() {
            // A value may take the place of one that it is made of: lanes are read before they are written.
            let mut operands: Vec<Value> = operation.operands().collect();
            operands.sort_unstable();
            operands.dedup();
            for value in operands {
                if last_use[value.index()] == k && !constant(value.index()) {
                    free.push(of[value.index()]);
                }
            }
            let register = free.pop().filter(|_| !constant(k));
            of.push(register.unwrap_or_else(|| {
                number += 1;
                number - 1
            }));
        }
        Self {
            of,
            number: number.into(),
        }
    }

    /// How many there are.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// That of a value.
    pub(crate) fn at(&self, value: Value) -> usize {
        self.of[value.index()].into()
    }

    /// That of each operation, in order.
    pub(crate) fn all(&self) -> &[u16] {
        &self.of
    }
}
