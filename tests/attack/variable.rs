//! What the environment asks of a random search.
#![allow(unreachable_pub, reason = "modules of several test programs use it")]

/// The number that an environment variable asks for.
pub fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    let value = text.parse().ok();
    assert!(value.is_some(), "{name} must be a number, found '{text}'");
    value
}
