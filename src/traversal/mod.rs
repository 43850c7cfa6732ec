//! Which pairs are visited: points sorted into compact blocks, and the walk over the blocks within reach of each other.
//!
//! Entry: [`Sorted`], one sample in its order, [`Layout`], its blocks, both over arrays that may lie in shared memory ([`Held`]), and [`Walk`], which pairs its blocks. Nothing here knows bins or operations.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rows, cells and blocks lie below MAX_PARTICLES, in 32 bits"
)]

mod bounds;
mod held;
mod images;
mod layout;
mod numbers;
mod sort;
mod walk;

pub(crate) use bounds::Bounds;
pub(crate) use held::Held;
pub(crate) use images::{Translation, roundings, vector};
pub(crate) use layout::{Block, GROUP_BLOCKS, Layout, LeafBox, Offsets, Positions};
pub(crate) use numbers::{in_slots, offsets_of};
pub(crate) use sort::{BLOCK, LEAF, NO_ROW, Sorted, Stop};
pub(crate) use walk::{BlockPair, Region, Slots, Taking, Walk};
