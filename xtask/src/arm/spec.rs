//! The name of an arm.

use std::fmt;
use std::str::FromStr;

use anyhow::{Result, bail};

use crate::stack::manifest::{Manifest, Optimisation, has_feature};
use crate::stack::selection::{Selection, SelectionError};

/// The feature that compiles CUDA code, and a word of the names of others that do.
const CUDA: &str = "cuda";

/// `STACK[:key=value…]`. `features` goes to cargo, every other key to the workload as `--option key=value`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArmSpec {
    /// The stack it is built on.
    pub stack: Selection,
    /// Cargo features, in the order given.
    pub features: Vec<String>,
    /// Run-time options, in the order given.
    pub options: Vec<(String, String)>,
    /// Tells arms apart that are the same: `again=1` is the second of its kind.
    pub again: Option<u32>,
}

impl ArmSpec {
    /// The optimisations of which anything is in its binary, in the order in which they apply. One that changes only
    /// crates which the arm's features do not compile is in none of it.
    pub fn optimisations<'m>(
        &self,
        manifest: &'m Manifest,
    ) -> Result<Vec<&'m Optimisation>, SelectionError> {
        let mut chosen = self.stack.optimisations(manifest)?;
        chosen.retain(|o| manifest.reaches(o, &self.features));
        Ok(chosen)
    }

    /// True when CUDA code is compiled into it.
    pub fn has_cuda(&self) -> bool {
        has_feature(&self.features, CUDA)
    }

    /// The same arm with the feature that compiles CUDA code.
    pub fn with_cuda(mut self) -> Self {
        if !self.has_cuda() {
            self.features.push(CUDA.to_owned());
        }
        self
    }

    /// The same arm once more, as number `again` after the first.
    pub fn again(&self, again: u32) -> Self {
        Self {
            again: Some(again),
            ..self.clone()
        }
    }
}

impl fmt::Display for ArmSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stack)?;
        if !self.features.is_empty() {
            write!(f, ":features={}", self.features.join("+"))?;
        }
        for (key, value) in &self.options {
            write!(f, ":{key}={value}")?;
        }
        match self.again {
            Some(again) => write!(f, ":again={again}"),
            None => Ok(()),
        }
    }
}

impl FromStr for ArmSpec {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parts = text.split(':');
        let stack = parts.next().unwrap_or_default().parse()?;
        let mut arm = Self {
            stack,
            features: Vec::new(),
            options: Vec::new(),
            again: None,
        };
        for part in parts {
            let Some((key, value)) = part.split_once('=') else {
                bail!("arm `{text}`: `{part}` is not key=value");
            };
            if !is_word(key) || value.is_empty() || value.contains([',', ' ']) {
                bail!(
                    "arm `{text}`: `{part}` needs a key of letters, digits and hyphens, and a value without comma or space"
                );
            }
            if arm.options.iter().any(|(other, _)| other == key)
                || (key == "features" && !arm.features.is_empty())
                || (key == "again" && arm.again.is_some())
            {
                bail!("arm `{text}`: `{key}` is there twice");
            }
            if key == "again" {
                let number = value.parse().ok().filter(|number| *number > 0);
                let Some(number) = number else {
                    bail!("arm `{text}`: `again` takes a number from 1");
                };
                arm.again = Some(number);
            } else if key == "features" {
                arm.features = value.split('+').map(str::to_owned).collect();
                if arm.features.iter().any(|f| !f.split('/').all(is_word)) {
                    bail!("arm `{text}`: features are names or CRATE/NAME, with + between");
                }
            } else {
                arm.options.push((key.to_owned(), value.to_owned()));
            }
        }
        Ok(arm)
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn names_round_trip() {
        for name in [
            "released",
            "patched",
            "patched:capacity=exact",
            "pristine+smallvec-lc:features=lc-inline-2",
            "prefix-add-to-lc:features=a+b/c:threads=2:path=x=y",
            "patched:capacity=exact:again=2",
        ] {
            assert_eq!(name.parse::<ArmSpec>().unwrap().to_string(), name);
        }
        let arm: ArmSpec = "patched:capacity=exact:features=a+b".parse().unwrap();
        assert_eq!(arm.features, ["a", "b"]);
        assert_eq!(arm.options, [("capacity".to_owned(), "exact".to_owned())]);
    }

    #[test]
    fn cuda_is_a_word_of_a_feature() {
        for (name, with) in [
            ("pristine", "pristine:features=cuda"),
            ("pristine:features=a:k=v", "pristine:features=a+cuda:k=v"),
            ("pristine:features=cuda:k=v", "pristine:features=cuda:k=v"),
            (
                "pristine:features=bellperson/cuda-supraseal",
                "pristine:features=bellperson/cuda-supraseal",
            ),
        ] {
            let arm: ArmSpec = name.parse().unwrap();
            assert_eq!(arm.has_cuda(), name == with, "{name}");
            assert_eq!(arm.with_cuda().to_string(), with);
        }
    }

    #[test]
    fn what_is_no_arm_is_refused_and_quoted() {
        for name in [
            "",
            "other",
            "patched:",
            "patched:x",
            "patched:=x",
            "patched:x=",
            "patched:a=1:a=2",
            "patched:features=a:features=b",
            "patched:features=a++b",
            "patched:a=1,2",
        ] {
            let text = name.parse::<ArmSpec>().unwrap_err().to_string();
            assert!(text.contains(&format!("`{name}`")), "{name}: {text}");
        }
    }
}
