//! Virtual time: what a run is measured in.
//!
//! No rank ever sleeps. A rank's *clock* is a [`Time`], counted in nanoseconds from the start of the run; it moves
//! when the rank computes, sleeps, or is woken by something that happened later than its own clock says.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// An instant of virtual time, counted from the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Time(u64);

impl Time {
    /// The start of the run.
    pub const START: Time = Time(0);
    /// Later than everything that happens.
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant so many nanoseconds after the start.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Time {
        Time(nanos)
    }

    /// Nanoseconds since the start.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a picture needs no more than 52 bits")]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Add<Duration> for Time {
    type Output = Time;

    fn add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub for Time {
    type Output = Duration;

    fn sub(self, earlier: Time) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Three digits and the unit that suits them: `1.50 s`, `20.0 µs`.
impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            0 => return out.write_str("0 s"),
            1..1_000 => (self.as_seconds() * 1e9, "ns"),
            1_000..1_000_000 => (self.as_seconds() * 1e6, "µs"),
            1_000_000..1_000_000_000 => (self.as_seconds() * 1e3, "ms"),
            _ => (self.as_seconds(), "s"),
        };
        let digits = if value < 10.0 {
            2
        } else if value < 100.0 {
            1
        } else {
            0
        };
        write!(out, "{value:.digits$} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_with_three_digits_and_its_unit() {
        let told: Vec<String> = [0, 7, 1_500, 20_000, 3_250_000, 1_500_000_000, 61_000_000_000]
            .map(|n| Time(n).to_string())
            .into();
        assert_eq!(told, ["0 s", "7.00 ns", "1.50 µs", "20.0 µs", "3.25 ms", "1.50 s", "61.0 s"]);
    }
}
