//! The language of pair expressions: what users write of the two objects of a pair, made into operations that counts sum.
//!
//! Entry: [`PairSums`], from [`PairSumSpec`]s to a [`PairProgram`](albireo::tally::PairProgram); [`forms`] are ready-made sums. Precedence and
//! operators are those of conditions (`--where`), with `i.` and `j.` before the columns of the first and of the second object. What depends on
//! one object alone may use every function there and becomes a column ([`ObjectColumn`]); what depends on the pair uses IEEE operations.
//!
//! - Vectors: columns of three components, `vec(a, b, c)`, `i.pos`, `i.n` (position over its norm), `i.east`, `i.north`; `+ -` between them, times and
//!   over numbers, `dot`, `cross`, `norm`, `u[0]`. `i.w` is the weight.
//! - Of the pair: `d`, `r2`, `r`, `rhat`, `radial(u)` (along the separation), `los`, `dlos`, `rp`, `mu`, `L1(mu)` to `L8(mu)`; `cos2phi` and `sin2phi` across
//!   a fixed axis, `i.cos2phi` and so on in the frame of one object on the sky. A direction is 0 where the squares that it is made of sum to
//!   less than 2^-900.
//! - Operations: `+ - * /`, `**` with a whole exponent from -8 to 8 or 0.5, `abs sqrt min max floor ceil`, comparisons, `&& || !`, `where(c, a, b)`.
//! - Of a number from 0 to 2^20: the spherical Bessel functions `j0(x)`, `j2(x)`, `j4(x)`.
//! - Of a sample: `mean(i.X)` and `std(i.X)` (over N), from exact sums.
//!
//! Bins may be in the values of expressions of the separation alone: [`ExpressionBins`].
//!
//! Each sum has a bound that is proved by interval arithmetic, or given by the user, and what exchanging the two points makes of it: the same
//! bits but for the sign of zero, the negative, or something else.

mod atoms;
mod bessel;
mod bins;
mod column;
mod error;
mod exchange;
mod forms;
mod geometry;
mod graph;
mod interval;
mod names;
mod operations;
mod ranges;
mod reading;
mod spec;
mod sums;
mod taken;
#[cfg(test)]
mod tests;
mod writing;

pub use bins::ExpressionBins;
pub use column::{ObjectColumn, Objects};
pub use error::{PairSumError, TextError};
pub use forms::{Form, FormSum, forms};
pub use geometry::Geometry;
pub use spec::PairSumSpec;
pub use sums::{Derived, PairSums, UsedForm};
