//! Where and when a command works, for its record.
//!
//! Entries: [`host`], [`utc`].

use std::time::{SystemTime, UNIX_EPOCH};

/// The name of this machine, where the system tells it.
pub(crate) fn host() -> Option<String> {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| {
        let names = ["HOSTNAME", "COMPUTERNAME"];
        names.iter().find_map(|name| std::env::var(name).ok())
    });
    let told = told.map(|name| name.trim().to_owned());
    told.filter(|name| !name.is_empty())
}

/// A moment in UTC to the second, as ISO 8601 writes it.
pub(crate) fn utc(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (mut year, mut day) = (1970, days);
    let of_year = |year: u64| if is_leap(year) { 366 } else { 365 };
    while day >= of_year(year) {
        day -= of_year(year);
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!(
        "{year:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z",
        month + 1,
        day + 1
    )
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        // As `date -u -d @N` has them.
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}
