//! What a binary is built for: to be measured, or to be looked into.

use std::path::PathBuf;

use crate::layout::Layout;
use crate::stack::manifest::has_feature;

/// Limited debug information names the function behind each address with its whole path, inlined ones too, and changes
/// nothing of how Rust is optimised; line tables alone would leave the paths out. Nothing forces frame pointers: they
/// take a register away from the code that is looked at, and stacks come from the unwind tables.
const SETTINGS: [&str; 2] = [
    "profile.release.debug=\"limited\"",
    "profile.release.strip=false",
];

/// Packages whose device code nvcc would not optimise if they had debug information.
const DEVICE_CODE: [&str; 2] = ["supraseal-c2", "sppark"];

/// What a binary is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Time and memory.
    Measuring,
    /// Where the time goes.
    Profiling,
}

impl Purpose {
    /// What cargo is told beyond what a measured binary is built with.
    pub fn settings(self, features: &[String]) -> Vec<String> {
        if self == Self::Measuring {
            return Vec::new();
        }
        let mut settings: Vec<String> = SETTINGS.map(str::to_owned).to_vec();
        if has_feature(features, "cuda") {
            settings.extend(
                DEVICE_CODE.map(|package| format!("profile.release.package.{package}.debug=false")),
            );
        }
        settings
    }

    /// Where cargo builds.
    pub fn target(self, layout: &Layout) -> PathBuf {
        match self {
            Self::Measuring => layout.target.clone(),
            Self::Profiling => layout.target.join("profile/build"),
        }
    }

    /// Where the binaries lie, each under its stamp. Those for profiling are nowhere near those that are measured.
    pub fn arms(self, layout: &Layout) -> PathBuf {
        match self {
            Self::Measuring => layout.arms.clone(),
            Self::Profiling => layout.target.join("profile/arms"),
        }
    }

    /// What a person reads behind the arm's name.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Measuring => "",
            Self::Profiling => ", for profiling",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn device_code_gets_no_debug_information() {
        let settings = |features: &[&str]| {
            let features: Vec<String> = features.iter().map(|f| (*f).to_owned()).collect();
            Purpose::Profiling.settings(&features)
        };
        assert_eq!(settings(&[]), SETTINGS);
        assert!(
            settings(&["cuda"]).contains(&"profile.release.package.sppark.debug=false".to_owned())
        );
        assert!(Purpose::Measuring.settings(&["cuda".to_owned()]).is_empty());
    }

    #[test]
    fn the_two_never_meet() {
        let layout = Layout::new(Path::new("/w"));
        let (measured, profiled) = (Purpose::Measuring, Purpose::Profiling);
        assert_ne!(measured.target(&layout), profiled.target(&layout));
        assert!(!profiled.arms(&layout).starts_with(measured.arms(&layout)));
    }
}
