//! Operations on numbers of one kind, one at a time or in registers: each rounds as IEEE says, so that an expression of them, written once,
//! gives the same bits in all.
//!
//! Entry: [`Operations`], and [`Numbers`] where there are quotients and roots too; [`Registers`] come from memory.

use super::Simd;

/// Float64 or float32, or what stands for them.
pub trait Operations: Copy {
    /// A number, or a register of them.
    type D: Copy;
    /// `a + b`.
    fn add(self, a: Self::D, b: Self::D) -> Self::D;
    /// `a - b`.
    fn sub(self, a: Self::D, b: Self::D) -> Self::D;
    /// `a * b`.
    fn mul(self, a: Self::D, b: Self::D) -> Self::D;
    /// `a * b + c`, rounded once.
    fn fused(self, a: Self::D, b: Self::D, c: Self::D) -> Self::D;
    /// The greater of both.
    fn max(self, a: Self::D, b: Self::D) -> Self::D;
    /// `value` where `a < b`, else 0.
    fn where_less(self, a: Self::D, b: Self::D, value: Self::D) -> Self::D;
}

/// Numbers that are divided and have roots.
pub trait Numbers: Operations {
    /// `a / b`.
    fn div(self, a: Self::D, b: Self::D) -> Self::D;
    /// The square root.
    fn sqrt(self, a: Self::D) -> Self::D;
}

/// Lanes that are read from memory and written to it.
pub trait Registers: Numbers {
    /// What a lane holds.
    type Number: Copy + Default;
    /// Lanes of a register.
    const LANES: usize;
    /// Consecutive numbers.
    fn load(self, values: &[Self::Number]) -> Self::D;
    /// The same number in every lane.
    fn same(self, value: Self::Number) -> Self::D;
    /// Writes the numbers.
    fn store(self, lanes: Self::D, to: &mut [Self::Number]);
}

/// One float64 number at a time.
#[derive(Debug, Clone, Copy)]
pub struct Scalar;

/// One float32 number at a time.
#[derive(Debug, Clone, Copy)]
pub struct Scalar32;

/// A register of float64 lanes.
#[derive(Debug, Clone, Copy)]
pub struct Lanes<S>(pub S);

/// A register of float32 lanes.
#[derive(Debug, Clone, Copy)]
pub struct Lanes32<S>(pub S);

/// The operations of one number, which both kinds have.
macro_rules! scalar {
    ($name:ty, $number:ty) => {
        impl Operations for $name {
            type D = $number;

            #[inline(always)]
            fn add(self, a: $number, b: $number) -> $number {
                a + b
            }
            #[inline(always)]
            fn sub(self, a: $number, b: $number) -> $number {
                a - b
            }
            #[inline(always)]
            fn mul(self, a: $number, b: $number) -> $number {
                a * b
            }
            #[inline(always)]
            fn fused(self, a: $number, b: $number, c: $number) -> $number {
                a.mul_add(b, c)
            }
            #[inline(always)]
            fn max(self, a: $number, b: $number) -> $number {
                if a > b { a } else { b }
            }
            #[inline(always)]
            fn where_less(self, a: $number, b: $number, value: $number) -> $number {
                if a < b { value } else { 0.0 }
            }
        }

        impl Numbers for $name {
            #[inline(always)]
            fn div(self, a: $number, b: $number) -> $number {
                a / b
            }
            #[inline(always)]
            fn sqrt(self, a: $number) -> $number {
                a.sqrt()
            }
        }
    };
}

scalar!(Scalar, f64);
scalar!(Scalar32, f32);

/// Operations of lanes by their names among those of [`Simd`].
macro_rules! bind {
    ($($name:ident($($number:ident),+) = $of_simd:ident),+) => {$(
        #[inline(always)]
        fn $name(self, $($number: Self::D),+) -> Self::D {
            self.0.$of_simd($($number),+)
        }
    )+};
}

/// What registers of these lanes hold and how they are read, as [`Simd`] has it.
macro_rules! registers {
    ($name:ident, $number:ty, $lanes:ident, $load:ident, $splat:ident, $store:ident) => {
        impl<S: Simd> Registers for $name<S> {
            type Number = $number;
            const LANES: usize = S::$lanes;

            #[inline(always)]
            fn load(self, values: &[$number]) -> Self::D {
                self.0.$load(values)
            }
            #[inline(always)]
            fn same(self, value: $number) -> Self::D {
                self.0.$splat(value)
            }
            #[inline(always)]
            fn store(self, lanes: Self::D, to: &mut [$number]) {
                self.0.$store(lanes, to);
            }
        }
    };
}

registers!(Lanes, f64, DOUBLES, load_d, splat_d, store_d);
registers!(Lanes32, f32, LANES, load, splat, store);

impl<S: Simd> Operations for Lanes<S> {
    type D = S::D;

    bind!(
        add(a, b) = add_d,
        sub(a, b) = sub_d,
        mul(a, b) = mul_d,
        fused(a, b, c) = fused_d,
        max(a, b) = max_d
    );
    #[inline(always)]
    fn where_less(self, a: S::D, b: S::D, value: S::D) -> S::D {
        let less = self.0.less_d(a, b);
        self.0.select_d(less, value, self.0.splat_d(0.0))
    }
}

impl<S: Simd> Numbers for Lanes<S> {
    bind!(div(a, b) = div_d, sqrt(a) = sqrt_d);
}

impl<S: Simd> Operations for Lanes32<S> {
    type D = S::F;

    bind!(
        add(a, b) = add,
        sub(a, b) = sub,
        mul(a, b) = mul,
        fused(a, b, c) = fused,
        max(a, b) = max
    );
    #[inline(always)]
    fn where_less(self, a: S::F, b: S::F, value: S::F) -> S::F {
        let less = self.0.less(a, b);
        self.0.floats(self.0.and(less, self.0.bits(value)))
    }
}

impl<S: Simd> Numbers for Lanes32<S> {
    bind!(div(a, b) = div, sqrt(a) = sqrt);
}
