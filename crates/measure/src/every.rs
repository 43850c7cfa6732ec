//! How often what is done is saved.
//!
//! Entries: [`Every`], as `--checkpoint-every` takes it; [`duration`], written alike; [`SavedAt`], the flags of commands whose state is one file; [`Clock`], when a
//! save is due; [`Pace`], how much is done between two looks at it.

use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;

use crate::group;
use crate::paths::KeptFile;
use crate::usage::usage;

/// From one checkpoint to the next, where nothing is said.
const PAUSE: Duration = Duration::from_secs(30);
/// The longest time between two looks at whether a save is due, or whether a rank that nobody asks has counted its units, which wakes it.
pub(crate) const LONGEST_LOOK: Duration = Duration::from_secs(10);
/// Units or steps that are made before it is known how long they take.
const FIRST: usize = 16;
/// Seconds of the longest pause.
const LONGEST: f64 = 1e6;
/// Units of time, in seconds.
const UNITS: [(&str, f64); 4] = [("min", 60.0), ("m", 60.0), ("h", 3600.0), ("s", 1.0)];

/// From one save to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Every {
    /// A time, 0 for as often as can be.
    Time(Duration),
    /// Steps of a simulation.
    Steps(u64),
    /// A number without a unit: seconds, of simulations steps.
    Number(f64),
}

impl FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "expected a time such as 30s, 5min or 1h, at most {LONGEST} seconds, or of md steps such as 1000steps, found `{text}`"
            )
        };
        if let Some(steps) = text.strip_suffix("steps") {
            let steps = steps.trim().parse().ok().filter(|steps| *steps > 0);
            return steps.map(Self::Steps).ok_or_else(expected);
        }
        let seconds = |number: &str, unit: f64| {
            let number = number.trim().parse::<f64>().ok()? * unit;
            (0.0..=LONGEST).contains(&number).then_some(number)
        };
        let unit = UNITS.iter().find(|(unit, _)| text.ends_with(unit));
        match unit {
            Some((name, unit)) => seconds(&text[..text.len() - name.len()], *unit)
                .map(|seconds| Self::Time(Duration::from_secs_f64(seconds))),
            None => seconds(text, 1.0).map(Self::Number),
        }
        .ok_or_else(expected)
    }
}

/// A time that is not 0, written as those between saves are.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let time = match text.parse() {
        Ok(Every::Time(time)) => Some(time),
        Ok(Every::Number(seconds)) => Some(Duration::from_secs_f64(seconds)),
        Ok(Every::Steps(_)) | Err(_) => None,
    };
    let time = time.filter(|time| !time.is_zero());
    time.ok_or_else(|| {
        format!(
            "expected a time such as 90s, 20min or 1.5h, above 0 and at most {LONGEST} seconds, found `{text}`"
        )
    })
}

impl Every {
    /// The time of a command that makes no steps.
    pub(crate) fn time(every: Option<Self>) -> Result<Duration> {
        match every {
            None => Ok(PAUSE),
            Some(Self::Time(pause)) => Ok(pause),
            Some(Self::Number(seconds)) => Ok(Duration::from_secs_f64(seconds)),
            Some(Self::Steps(_)) => Err(usage(
                "--checkpoint-every: steps are those of `albireo md`: expected a time such as 30s or 5min",
            )),
        }
    }
}

/// When the next save is due.
#[derive(Debug)]
pub(crate) struct Clock {
    pause: Duration,
    last: Instant,
}

impl Clock {
    /// A clock that begins now.
    pub(crate) fn new(pause: Duration) -> Self {
        let last = Instant::now();
        Self { pause, last }
    }

    /// From one save to the next.
    pub(crate) fn pause(&self) -> Duration {
        self.pause
    }

    /// Whether a save is due.
    pub(crate) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.pause
    }

    /// Counts the next pause from now on.
    pub(crate) fn restart(&mut self) {
        self.last = Instant::now();
    }
}

/// Where a command saves its state, and how often.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = group::PARTS)]
pub(crate) struct SavedAt {
    /// Save the state in this file regularly, and continue from it when the command is run again
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<KeptFile>,
    /// Time between checkpoints, such as 30s, 5min or 1h [default: 30s]
    #[arg(
        long,
        value_name = "TIME",
        requires = "checkpoint",
        allow_negative_numbers = true
    )]
    pub(crate) checkpoint_every: Option<Every>,
}

impl SavedAt {
    /// The file, if one is named.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.checkpoint.as_deref()
    }

    /// From one save to the next.
    pub(crate) fn pause(&self) -> Result<Duration> {
        Every::time(self.checkpoint_every)
    }
}

/// How many units or steps are made until a save may be due again.
pub(crate) struct Pace {
    /// How long they should take; as long as they like where there is none.
    aim: Option<Duration>,
    pub(crate) most: usize,
}

impl Pace {
    /// The first of them, where something is saved after each `pause`.
    pub(crate) fn new(pause: Option<Duration>) -> Self {
        let aim = pause.map(|pause| pause.min(LONGEST_LOOK));
        Self {
            most: if aim.is_some() { FIRST } else { usize::MAX },
            aim,
        }
    }

    /// Learns from some that were made.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number that is clamped"
    )]
    pub(crate) fn learn(&mut self, made: usize, seconds: f64) {
        let Some(aim) = self.aim else { return };
        let rate = made as f64 / seconds.max(1e-9);
        let most = (rate * aim.as_secs_f64()) as usize;
        self.most = most.clamp(1, 4 * self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_grow_until_they_take_the_time_they_should() {
        let mut pace = Pace {
            aim: Some(Duration::from_secs(2)),
            most: FIRST,
        };
        pace.learn(FIRST, 0.001);
        assert_eq!(pace.most, 4 * FIRST);
        pace.learn(64, 1.0);
        assert_eq!(pace.most, 128);
        pace.learn(128, 1e9);
        assert_eq!(pace.most, 1);
    }

    #[test]
    fn durations_are_written_as_pauses_and_are_not_0() {
        let seconds = |text| duration(text).map(|time| time.as_secs_f64()).ok();
        for (text, expected) in [("90s", 90.0), ("20m", 1200.0), ("2min", 120.0), ("5", 5.0)] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in ["", "0s", "0", "-5m", "20 days", "10steps", "1e7"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn times_have_units_and_steps_are_whole() {
        let time = |seconds| Ok(Every::Time(Duration::from_secs_f64(seconds)));
        for (text, expected) in [
            ("30s", time(30.0)),
            ("0s", time(0.0)),
            ("1.5min", time(90.0)),
            ("1.5m", time(90.0)),
            ("2 h", time(7200.0)),
            ("5", Ok(Every::Number(5.0))),
            ("1000steps", Ok(Every::Steps(1000))),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
        for text in [
            "", "-1", "-1s", "1d", "s", "NaN", "2e6s", "0steps", "1.5steps", "inf",
        ] {
            let refused = text.parse::<Every>().expect_err(text);
            assert!(refused.ends_with(&format!("found `{text}`")), "{refused}");
        }
    }
}
