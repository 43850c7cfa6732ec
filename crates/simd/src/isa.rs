//! Instruction sets, and the vectors of those that this machine has.

#[cfg(target_arch = "aarch64")]
use crate::neon;
use crate::{Kernel, Portable, Simd};
#[cfg(target_arch = "x86_64")]
use crate::{avx2, avx512};

/// An instruction set that the CPU engine can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Isa {
    /// Plain Rust, left to the compiler.
    Portable,
    /// AVX2 with FMA.
    Avx2,
    /// AVX-512 F, DQ and BW.
    Avx512,
    /// NEON, the vectors of 64-bit ARM.
    Neon,
}

impl Isa {
    /// All of them, best last.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Avx2, Self::Avx512, Self::Neon];

    /// `portable`, `avx2`, `avx512` or `neon`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            _ => self.vectors().is_some(),
        }
    }

    /// The instruction sets of this machine, best last.
    pub fn available() -> Vec<Self> {
        Self::ALL
            .into_iter()
            .filter(|isa| isa.is_available())
            .collect()
    }

    /// The best instruction set of this machine.
    pub fn best() -> Self {
        *Self::available().last().unwrap_or(&Self::Portable)
    }

    /// Its vectors, if this machine has them. The portable instruction set has some only on targets without others.
    pub fn vectors(self) -> Option<Vectors> {
        let found = match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => VectorKind::Avx2(avx2::Avx2::detect()?),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => VectorKind::Avx512(avx512::Avx512::detect()?),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => VectorKind::Neon(neon::Neon::detect()?),
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
            Self::Portable => VectorKind::Portable(Portable),
            _ => return None,
        };
        Some(Vectors(found))
    }

    /// Runs `kernel` with this instruction set, or with the portable one where the machine lacks it.
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.vectors() {
            Some(vectors) => vectors.dispatch(kernel),
            None => Portable.vectorize(kernel),
        }
    }
}

/// The vectors of an instruction set that this machine has: code that runs with them alone is not compiled for the portable one, where the
/// target has better.
#[derive(Debug, Clone, Copy)]
pub struct Vectors(VectorKind);

#[derive(Debug, Clone, Copy)]
enum VectorKind {
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    Portable(Portable),
}

impl Vectors {
    /// Runs `kernel` with these vectors.
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            VectorKind::Avx2(simd) => simd.vectorize(kernel),
            #[cfg(target_arch = "x86_64")]
            VectorKind::Avx512(simd) => simd.vectorize(kernel),
            #[cfg(target_arch = "aarch64")]
            VectorKind::Neon(simd) => simd.vectorize(kernel),
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
            VectorKind::Portable(simd) => simd.vectorize(kernel),
        }
    }
}
