//! Kernels by name: what each is compiled from.

use albireo_kernels::{File, SORT, Variant};

/// A kernel by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// A step of the cell sort.
    Sort(&'static str),
    /// A counting kernel.
    Count(Variant),
}

impl Kernel {
    /// The source file and the kernel's name in it.
    pub fn source(self) -> (File, &'static str) {
        match self {
            Self::Sort(entry) => (SORT, entry),
            Self::Count(variant) => (variant.source(), variant.entry()),
        }
    }

    /// The macros it is compiled with, `NAME=value`.
    pub fn macros(self) -> Vec<String> {
        match self {
            Self::Sort(_) => Vec::new(),
            Self::Count(variant) => variant.macros(),
        }
    }
}
