//! The two forms of a date: a commit's, in seconds and an offset, and a patch's, as mail writes it.

use crate::results::clock;

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// `SECONDS +HHMM`, as a commit object holds it, of `Sun, 29 Nov 2026 00:00:00 +0000`; none for what is no such date, or
/// lies before 1970.
pub fn to_commit(mail: &str) -> Option<String> {
    let mail = mail.split_once(", ").map_or(mail, |(_, rest)| rest);
    let parts: Vec<&str> = mail.split_whitespace().collect();
    let [day, month, year, time, zone] = parts[..] else {
        return None;
    };
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let (day, year): (u32, u32) = (day.parse().ok()?, year.parse().ok()?);
    let local = clock::parse(&format!("{year:04}-{month:02}-{day:02}T{time}Z"))?;
    let seconds = i64::try_from(local).ok()? - offset(zone)?;
    (seconds >= 0).then(|| format!("{seconds} {zone}"))
}

/// The date of a patch, of what a commit object holds.
pub fn to_mail(commit: &str) -> Option<String> {
    let (seconds, zone) = commit.split_once(' ')?;
    let local = seconds.parse::<i64>().ok()?.checked_add(offset(zone)?)?;
    let local = u64::try_from(local).ok()?;
    let text = clock::format(local);
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let weekday = DAYS[usize::try_from(local / 86_400 % 7).ok()?];
    let day = day.trim_start_matches('0');
    Some(format!("{weekday}, {day} {month} {year} {time} {zone}"))
}

/// Seconds that a zone, `+HHMM` or `-HHMM`, is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    if digits.len() != 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes): (i64, i64) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
    Some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_go_there_and_back() {
        for (mail, commit) in [
            ("Thu, 1 Jan 1970 00:00:00 +0000", "0 +0000"),
            ("Sun, 29 Nov 2026 00:00:00 +0000", "1795910400 +0000"),
            ("Thu, 29 Feb 2024 23:59:59 +0530", "1709231399 +0530"),
            ("Sun, 1 Mar 2026 01:02:03 -1130", "1772368323 -1130"),
        ] {
            assert_eq!(to_commit(mail).as_deref(), Some(commit), "{mail}");
            assert_eq!(to_mail(commit).as_deref(), Some(mail), "{commit}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for bad in [
            "",
            "yesterday",
            "Sun, 29 Nov 2026 00:00:00",
            "Sun, 29 Nov 2026 00:00:00 UTC",
            "Sun, 29 Foo 2026 00:00:00 +0000",
            "Thu, 1 Jan 1970 00:00:00 +0100",
        ] {
            assert_eq!(to_commit(bad), None, "{bad}");
        }
        for bad in ["", "12", "x +0000", "1 +00", "-90000 +0000", "1 0000"] {
            assert_eq!(to_mail(bad), None, "{bad}");
        }
    }
}
