//! Tests of what a machine may lack: there they report themselves as ignored, never as passed.
#![allow(unreachable_pub, reason = "shared by test binaries")]

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// A test by its name.
pub type Test = (&'static str, fn());

fn trial((name, test): Test) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// Runs `needy` tests, ignored where what they need is `missing`, and all `others`.
pub fn run(
    needy: impl IntoIterator<Item = Test>,
    missing: bool,
    others: impl IntoIterator<Item = Test>,
) -> ExitCode {
    let needy = needy.into_iter();
    let needy = needy.map(|test| trial(test).with_ignored_flag(missing));
    let trials = needy.chain(others.into_iter().map(trial)).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
