//! Columns of other files, joined to the rows of a table by exact whole numbers.
//!
//! Entry: [`open_joined`]. Expressions, conditions and words of bits see them as columns of the table itself.

mod columns;
mod table;

pub use columns::{AbsentKeys, Join};
pub use table::open_joined;
