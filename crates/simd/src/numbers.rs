//! Operations on numbers of one kind, one at a time or in registers: each rounds as IEEE says, so that an expression of them, written once,
//! gives the same bits in all.
//!
//! Entry: [`Operations`], [`Numbers`] where there are quotients and roots too, [`Choices`] where they are compared; [`Registers`] come from memory.

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

/// Numbers that are compared, of which one is chosen.
pub trait Choices: Numbers {
    /// `a` where `a < b`, else `b`.
    fn min(self, a: Self::D, b: Self::D) -> Self::D;
    /// 1 where `a < b`, else 0.
    fn less(self, a: Self::D, b: Self::D) -> Self::D;
    /// 1 where `a <= b`, else 0.
    fn at_most(self, a: Self::D, b: Self::D) -> Self::D;
    /// `a` where `choice` is above 0, else `b`.
    fn where_positive(self, choice: Self::D, a: Self::D, b: Self::D) -> Self::D;
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

/// Functions of numbers, by their values.
macro_rules! functions {
    ($self:ident, $number:ty: $($name:ident($($of:ident),+) = $value:expr;)+) => {$(
        #[inline(always)]
        fn $name($self, $($of: $number),+) -> $number {
            $value
        }
    )+};
}

/// One number at a time.
macro_rules! scalar {
    ($name:ty, $number:ty) => {
        impl Operations for $name {
            type D = $number;

            functions!(self, $number:
                add(a, b) = a + b;
                sub(a, b) = a - b;
                mul(a, b) = a * b;
                fused(a, b, c) = a.mul_add(b, c);
                max(a, b) = if a > b { a } else { b };
                where_less(a, b, value) = if a < b { value } else { 0.0 };
            );
        }

        impl Numbers for $name {
            functions!(self, $number:
                div(a, b) = a / b;
                sqrt(a) = a.sqrt();
            );
        }
    };
}

scalar!(Scalar, f64);
scalar!(Scalar32, f32);

impl Choices for Scalar {
    functions!(self, f64:
        min(a, b) = if a < b { a } else { b };
        less(a, b) = f64::from(a < b);
        at_most(a, b) = f64::from(a <= b);
        where_positive(choice, a, b) = if choice > 0.0 { a } else { b };
    );
}

impl<S: Simd> Choices for Lanes<S> {
    functions!(self, S::D:
        min(a, b) = self.0.min_d(a, b);
        less(a, b) = self.one_where(self.0.less_d(a, b));
        at_most(a, b) = self.one_where(self.0.at_most_d(a, b));
        where_positive(choice, a, b) = self.0.select_d(self.0.less_d(self.0.splat_d(0.0), choice), a, b);
    );
}

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    fn one_where(self, mask: S::M) -> S::D {
        self.0
            .select_d(mask, self.0.splat_d(1.0), self.0.splat_d(0.0))
    }
}

impl<S: Simd> Operations for Lanes<S> {
    type D = S::D;

    functions!(self, S::D:
        add(a, b) = self.0.add_d(a, b);
        sub(a, b) = self.0.sub_d(a, b);
        mul(a, b) = self.0.mul_d(a, b);
        fused(a, b, c) = self.0.fused_d(a, b, c);
        max(a, b) = self.0.max_d(a, b);
        where_less(a, b, value) = self.0.select_d(self.0.less_d(a, b), value, self.0.splat_d(0.0));
    );
}

impl<S: Simd> Numbers for Lanes<S> {
    functions!(self, S::D:
        div(a, b) = self.0.div_d(a, b);
        sqrt(a) = self.0.sqrt_d(a);
    );
}

impl<S: Simd> Operations for Lanes32<S> {
    type D = S::F;

    functions!(self, S::F:
        add(a, b) = self.0.add(a, b);
        sub(a, b) = self.0.sub(a, b);
        mul(a, b) = self.0.mul(a, b);
        fused(a, b, c) = self.0.fused(a, b, c);
        max(a, b) = self.0.max(a, b);
        where_less(a, b, value) = self.0.floats(self.0.and(self.0.less(a, b), self.0.bits(value)));
    );
}

impl<S: Simd> Numbers for Lanes32<S> {
    functions!(self, S::F:
        div(a, b) = self.0.div(a, b);
        sqrt(a) = self.0.sqrt(a);
    );
}

/// What registers of these lanes hold and how they are read and written, as [`Simd`] has it.
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
