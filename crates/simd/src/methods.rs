//! How bindings state the methods of [`Simd`](super::Simd): one line each, always inlined.

/// Methods by their values: `name(argument: Type, ..) -> Type = value;`.
macro_rules! methods {
    ($self:ident: $($name:ident($($of:ident: $type:ty),*) -> $out:ty = $value:expr;)+) => {$(
        #[inline(always)]
        fn $name($self, $($of: $type),*) -> $out {
            $value
        }
    )+};
}

/// One operation of a binding; its token proves that the instructions exist.
#[cfg(target_arch = "x86_64")]
macro_rules! bind {
    ($op:ident $(::<$constant:ident>)? ($($operand:expr),+)) => {
        // SAFETY: a token exists only where the instructions of its binding were detected; the operands are registers.
        unsafe { $op $(::<$constant>)? ($($operand),+) }
    };
}

/// Loads and stores of one register: `load, store: [Number; LANES] => Register = instruction, instruction;`.
#[cfg(target_arch = "x86_64")]
macro_rules! memory {
    ($self:ident: $($load:ident, $store:ident: [$number:ty; $n:ident] => $lanes:ty = $from:ident, $to:ident;)+) => {$(
        #[inline(always)]
        fn $load($self, values: &[$number]) -> $lanes {
            assert!(values.len() >= $n);
            // SAFETY: the token proves the instruction; the unaligned load stays within the values.
            unsafe { $from(values.as_ptr().cast()) }
        }
        #[inline(always)]
        fn $store($self, lanes: $lanes, to: &mut [$number]) {
            assert!(to.len() >= $n);
            // SAFETY: the token proves the instruction; the unaligned store stays within the slice.
            unsafe { $to(to.as_mut_ptr().cast(), lanes) }
        }
    )+};
}

pub(super) use methods;
#[cfg(target_arch = "x86_64")]
pub(super) use {bind, memory};
