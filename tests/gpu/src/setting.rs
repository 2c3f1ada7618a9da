//! Settings of the GPU's prover that every proof has to be the same on.

use std::fmt;

/// A name and values of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name in the names of cases.
    pub name: &'static str,
    /// Options that are not left as they are by default.
    pub options: &'static [(&'static str, u64)],
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// Every option that this program sets. One that a stack does not have is left alone.
pub const OPTIONS: [&str; 10] = [
    "pipeline",
    "gpu-memory",
    "bases",
    "abc",
    "b-g2",
    "multiples",
    "window",
    "device",
    "fail-alloc",
    "fail-worker",
];

const fn setting(name: &'static str, options: &'static [(&'static str, u64)]) -> Setting {
    Setting { name, options }
}

const MIB: u64 = 1 << 20;
const ON: (&str, u64) = ("pipeline", 1);
/// Upstream's way.
pub const OFF: (&str, u64) = ("pipeline", 0);
const STREAM: (&str, u64) = ("bases", 1);
const RAW: (&str, u64) = ("abc", 1);
const CPU: (&str, u64) = ("b-g2", 1);
const GPU: (&str, u64) = ("b-g2", 2);

/// What a stack does by itself.
const DEFAULT: Setting = setting("default", &[]);

/// All of them.
pub const SETTINGS: [Setting; 13] = [
    DEFAULT,
    setting("off", &[OFF]),
    setting("off+b-g2-cpu", &[OFF, CPU]),
    setting("off+b-g2-gpu", &[OFF, GPU]),
    setting("on", &[ON]),
    setting("on+stream", &[ON, STREAM]),
    setting("on+raw", &[ON, RAW]),
    setting("on+stream+raw", &[ON, STREAM, RAW]),
    setting("on+multiples-12", &[ON, ("multiples", 12)]),
    setting(
        "on+multiples-3+window-9",
        &[ON, ("multiples", 3), ("window", 9)],
    ),
    setting("on+window-20", &[ON, ("window", 20)]),
    setting("on+512-mib", &[ON, ("gpu-memory", 512 * MIB)]),
    setting(
        "on+512-mib+window-8",
        &[ON, ("window", 8), ("gpu-memory", 512 * MIB)],
    ),
];

/// The setting of a name.
pub fn of(name: &str) -> Option<Setting> {
    SETTINGS.into_iter().find(|setting| setting.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_use_known_options_and_have_names_of_their_own() {
        for setting in SETTINGS {
            assert_eq!(of(setting.name), Some(setting));
            for (name, _) in setting.options {
                assert!(OPTIONS.contains(name), "{name}");
            }
        }
    }
}
