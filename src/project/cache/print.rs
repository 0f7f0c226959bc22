//! What a file is recognised by.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::hash;
use crate::project::module_name::module_name;

/// How long the clock of a file system may stand still; that of an old one counts whole seconds only.
const TICK: Duration = Duration::from_millis(50);
const COARSE_TICK: Duration = Duration::from_secs(2);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What the file system says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Stamp {
    size: u64,
    /// When its content changed, in nanoseconds.
    changed: u64,
    /// When anything of it changed, where the system tells.
    touched: u64,
}

impl Stamp {
    /// The stamp of a regular file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let data = std::fs::metadata(path).ok().filter(Metadata::is_file)?;
        let changed = nanoseconds(data.modified().ok()?)?;
        Some(Self { size: data.len(), changed, touched: touched(&data).unwrap_or(changed) })
    }

    /// Whether the file was old enough at a time that a later change shows.
    pub(super) fn was_old(self, at: u64) -> bool {
        let coarse = self.changed.is_multiple_of(1_000_000_000) && self.touched.is_multiple_of(1_000_000_000);
        let tick = if coarse { COARSE_TICK } else { TICK };
        let last = self.changed.max(self.touched);
        u64::try_from(tick.as_nanos()).is_ok_and(|tick| last.saturating_add(tick) < at)
    }
}

#[cfg(unix)]
fn touched(data: &Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(data.ctime()).ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(u64::try_from(data.ctime_nsec()).ok()?)
}

#[cfg(not(unix))]
fn touched(_: &Metadata) -> Option<u64> {
    None
}

/// The present, in nanoseconds.
pub(super) fn now() -> u64 {
    nanoseconds(SystemTime::now()).unwrap_or_default()
}

fn nanoseconds(time: SystemTime) -> Option<u64> {
    u64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

/// What a file is recognised by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Print {
    stamp: Stamp,
    /// When the stamp was taken.
    at: u64,
    /// Its name among the modules, which decides what its imports mean.
    module: String,
    /// A hash of its content; `None` before it is read.
    content: Option<u64>,
}

impl Print {
    pub(super) fn before_reading(path: &Path) -> Option<Self> {
        let (stamp, at) = (Stamp::of(path)?, now());
        let name = module_name(path);
        let module = if name.package { format!("{}.", name.dotted) } else { name.dotted };
        Some(Self { stamp, at, module, content: None })
    }

    /// The print of a file with this content.
    pub(crate) fn with(self, bytes: &[u8]) -> Self {
        Self { content: Some(hash(bytes)), ..self }
    }

    /// Whether a file has not changed since its print was `old`, as far as its stamp tells.
    pub(super) fn is_believed(&self, old: &Self) -> bool {
        self.stamp == old.stamp && self.module == old.module && old.stamp.was_old(old.at)
    }

    /// Whether a file that was read has the content of before.
    pub(super) fn is_same_content(&self, old: &Self) -> bool {
        self.content.is_some() && self.content == old.content && self.module == old.module
    }

    /// Whether less than a day has gone by between two prints.
    pub(super) fn is_younger_than_a_day(&self, now: &Self) -> bool {
        u64::try_from(DAY.as_nanos()).is_ok_and(|day| now.at.saturating_sub(self.at) < day)
    }

    /// When it was taken.
    pub(super) fn at(&self) -> u64 {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(changed: u64, touched: u64) -> Stamp {
        Stamp { size: 1, changed, touched }
    }

    #[test]
    fn a_file_that_changed_just_now_may_change_again_unseen() {
        assert!(!stamp(10_000_000_001, 10_000_000_001).was_old(10_000_000_002));
        assert!(stamp(10_000_000_001, 10_000_000_001).was_old(10_100_000_002));
        assert!(!stamp(1, 10_000_000_001).was_old(10_000_000_002), "its inode changed");
    }

    #[test]
    fn a_clock_of_whole_seconds_hides_more() {
        assert!(!stamp(10_000_000_000, 10_000_000_000).was_old(11_000_000_000));
        assert!(stamp(10_000_000_000, 10_000_000_000).was_old(12_000_000_001));
    }

    #[test]
    fn the_same_stamp_in_another_package_is_another_file() {
        let print = |module: &str| Print {
            stamp: stamp(1, 1),
            at: 10_000_000_000,
            module: module.to_owned(),
            content: Some(7),
        };
        assert!(print("a.b").is_believed(&print("a.b")));
        assert!(!print("b").is_believed(&print("a.b")));
        assert!(!print("b").is_same_content(&print("a.b")));
    }
}
