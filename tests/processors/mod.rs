//! The processors that counts are compared on.
#![allow(unreachable_pub, reason = "shared by test binaries")]

use albireo::engine::{Cpu, Isa};

/// One thread of each instruction set of this machine, and two threads of the widest.
pub fn engines() -> Vec<Cpu> {
    let single = Cpu::new().with_threads(1).unwrap();
    let mut engines: Vec<Cpu> = (Isa::available().into_iter())
        .map(|isa| single.clone().with_isa(isa).unwrap())
        .collect();
    engines.push(Cpu::new().with_threads(2).unwrap());
    engines
}
