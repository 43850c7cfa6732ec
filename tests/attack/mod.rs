//! The standing attack: random cases of everything that decides a count, each engine against the double loop by `==`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    dead_code,
    reason = "a failed unwrap is a failed test; each test binary uses its part"
)]

pub mod besides;
pub mod campaign;
pub mod case;
pub mod compare;
pub mod digest;
pub mod draw;
pub mod dynamics;
pub mod edges;
pub mod fields;
pub mod independent;
pub mod large;
pub mod points;
pub mod print;
pub mod programs;
pub mod random;
pub mod realised;
pub mod shrink;
pub mod spaces;
pub mod variable;
pub mod weights;
