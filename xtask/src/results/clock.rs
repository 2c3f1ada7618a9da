//! The time of day, in UTC, as results write it.

use std::time::{SystemTime, UNIX_EPOCH};

/// `2026-11-29T14:25:30Z`, now.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    format(since.map_or(0, |d| d.as_secs()))
}

/// A time in the form that file names take: no colon, which some file systems refuse.
pub fn for_file_name(time: &str) -> String {
    time.replace(':', "")
}

/// Seconds since 1970 as a date and a time.
pub fn format(seconds: u64) -> String {
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The date of a day counted from 1970-01-01, by the calendar's 400-year cycle of 146,097 days: years run from March, so
/// that the leap day is the last of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    let from_march_of_year_0 = days + 719_468;
    let cycle = from_march_of_year_0 / 146_097;
    let day_of_cycle = from_march_of_year_0 % 146_097;
    let year_of_cycle = (day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524
        - day_of_cycle / 146_096)
        / 365;
    let day_of_year =
        day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (
        cycle * 400 + year_of_cycle + u64::from(month <= 2),
        month,
        day,
    )
}

/// The seconds since 1970 of a time as results write it; `None` for any other text.
pub fn parse(time: &str) -> Option<u64> {
    let time = time.strip_suffix('Z')?;
    let (date, clock) = time.split_once('T')?;
    let numbers = |text: &str, between: char| -> Option<[u64; 3]> {
        let parts: Vec<u64> = text
            .split(between)
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        parts.try_into().ok()
    };
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(clock, ':')?;
    if !(1970..10_000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // The same calendar the other way round: years run from March.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let of_year = (153 * month + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `date -u -d @SECONDS +%FT%TZ`.
    #[test]
    fn dates_that_are_known() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
            (1_795_962_330, "2026-11-29T14:25:30Z"),
        ] {
            assert_eq!(format(seconds), expected);
            assert_eq!(parse(expected), Some(seconds));
        }
        assert_eq!(for_file_name("2026-11-29T14:25:30Z"), "2026-11-29T142530Z");
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "2026-11-29",
            "2026-11-29T14:25:30",
            "2026-13-29T14:25:30Z",
            "0000-00-00T00:00:00Z",
            "2026-11-29T14:25Z",
            "99999999999999999999-01-01T00:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
