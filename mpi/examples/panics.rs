//! A rank that panics, in a thread or by itself, while the others wait for it: all of them end (`tests/ranks.rs` sees to it).

#![deny(unsafe_code)]

#[cfg(target_os = "linux")]
#[allow(unsafe_code, dead_code, reason = "as in the program")]
#[path = "../src/node_memory.rs"]
mod node_memory;
#[path = "../src/panics.rs"]
mod panics;
#[allow(dead_code, reason = "of a world only waiting is tried")]
#[path = "../src/ranks.rs"]
mod ranks;

use std::process::ExitCode;

use albireo_measure::World as _;

fn main() -> ExitCode {
    let Ok(ranks) = ranks::Ranks::begin() else {
        return ExitCode::FAILURE;
    };
    panics::tell(&ranks);
    let in_a_thread = std::env::args().any(|word| word == "thread");
    let work = || {
        let last = ranks.rank() + 1 == ranks.size();
        if last && in_a_thread {
            let thread = std::thread::spawn(|| panic!("on purpose"));
            assert!(thread.join().is_ok(), "its thread has ended");
        }
        assert!(!last, "on purpose");
        ranks.wait().is_ok()
    };
    match panics::caught(work) {
        Some(_) => ExitCode::SUCCESS,
        None => ranks.abort(1),
    }
}
