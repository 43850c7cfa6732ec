//! Counts divided among processes, at random: parts that are lost or held twice, ranks on nodes, checkpoints of which some are lost, and jobs
//! whose measurements ranks share out. What is whole is what one process makes, byte for byte; what is not names what it lacks.
//!
//! `cargo test --release --test divided` runs a fixed seed for some seconds; `ALBIREO_ATTACK_SEED`, `ALBIREO_ATTACK_SECONDS` and
//! `ALBIREO_ATTACK_CASE` (that number alone) ask for others.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failed unwrap is a failed test; what was tried is said"
)]

mod cases;
mod drawn;
mod folder;
#[path = "../../../samples/tests/halos/mod.rs"]
mod halos;
#[path = "../../../tests/attack/random.rs"]
mod random;
mod threads;
#[path = "../../../tests/attack/variable.rs"]
mod variable;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};

use random::Random;
use variable::variable;

/// A case, drawn and tried; it tells how many results it compared.
type Case = fn(&mut Random) -> u64;

/// By this word the program begins that ranks are threads of.
const AS_RANKS: &str = "--as-ranks";

/// The seed of CI.
const SEED: u64 = 20_261_123;
/// How long each attack lasts, in seconds.
const SECONDS: f64 = 6.0;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, nodes, line @ ..] = &words[..]
        && first == AS_RANKS
    {
        let memory = !nodes.ends_with('-');
        let nodes = nodes.trim_end_matches('-').split(',');
        let nodes = nodes.map(|node| node.parse().unwrap()).collect();
        return threads::run(nodes, memory, line);
    }
    let attacks: [(&str, Case); 4] = [
        ("parts_make_the_whole_or_name_what_is_missing", cases::parts),
        ("ranks_make_what_one_process_makes", cases::ranks),
        (
            "ranks_go_on_from_what_is_left_of_checkpoints",
            cases::checkpoints,
        ),
        ("ranks_share_out_the_measurements_of_a_job", cases::jobs),
    ];
    let mut trials: Vec<Trial> = attacks
        .into_iter()
        .map(|(name, case)| Trial::test(name, move || attack(name, case)))
        .collect();
    trials.push(Trial::test(
        "ranks_hear_that_the_first_of_their_node_has_failed",
        || {
            cases::failures();
            Ok(())
        },
    ));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Draws cases until time is over.
fn attack(name: &str, case: Case) -> Result<(), Failed> {
    let seed = variable("ALBIREO_ATTACK_SEED").unwrap_or(SEED);
    let seconds = variable("ALBIREO_ATTACK_SECONDS").unwrap_or(SECONDS);
    let only: Option<u64> = variable("ALBIREO_ATTACK_CASE");
    let begun = Instant::now();
    let (mut cases, mut compared) = (0, 0);
    for number in only.map_or(0..u64::MAX, |only| only..only + 1) {
        if only.is_none() && begun.elapsed() > Duration::from_secs_f64(seconds) {
            break;
        }
        let mut drawn = Random::of_case(seed, number);
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case(&mut drawn)));
        let Ok(made) = made else {
            return Err(format!(
                "ALBIREO_ATTACK_SEED={seed} ALBIREO_ATTACK_CASE={number} cargo test --release --test divided -- {name}"
            )
            .into());
        };
        cases += 1;
        compared += made;
    }
    eprintln!("{name}: {cases} cases, {compared} results compared or refused as they should be");
    if compared == 0 {
        return Err("nothing was compared".into());
    }
    Ok(())
}
