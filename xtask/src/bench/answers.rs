//! Whether two arms did the same work, and where they first did not.
//!
//! Trials carry digests; `locate` finds the element when two of them differ.

use std::collections::BTreeMap;

/// Vectors in the order in which a circuit makes them: the first that differs is the nearest to the cause.
const ORDER: [&str; 13] = [
    "matrix_a",
    "matrix_b",
    "matrix_c",
    "a",
    "b",
    "c",
    "input_assignment",
    "aux_assignment",
    "a_aux_density",
    "b_input_density",
    "b_aux_density",
    "parameters",
    "proof",
];

/// Digests by the name of what they are of.
pub type Digests = BTreeMap<String, String>;

/// How two sets of digests disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Both have the vector, with different digests.
    Value(String),
    /// Only the first arm has it.
    OnlyFirst(String),
    /// Only the second arm has it.
    OnlySecond(String),
    /// They have no vector in common, so nothing was compared.
    NothingInCommon,
}

impl Difference {
    /// One line that names the vector and the arms.
    pub fn describe(&self, first: &str, second: &str) -> String {
        match self {
            Self::Value(vector) => {
                format!("{vector} is the first vector that differs between {first} and {second}")
            }
            Self::OnlyFirst(vector) => {
                format!("{vector} is reported by {first} and not by {second}")
            }
            Self::OnlySecond(vector) => {
                format!("{vector} is reported by {second} and not by {first}")
            }
            Self::NothingInCommon => format!("{first} and {second} report no answer in common"),
        }
    }
}

/// The first difference. With `common_only`, a vector that one arm does not report is passed over.
pub fn first_difference(
    first: &Digests,
    second: &Digests,
    common_only: bool,
) -> Option<Difference> {
    let mut names: Vec<&String> = first.keys().chain(second.keys()).collect();
    names.sort_by_key(|name| (place(name), name.as_str()));
    names.dedup();
    let mut common = 0;
    for name in names {
        let difference = match (first.get(name), second.get(name)) {
            (Some(a), Some(b)) => {
                common += 1;
                (a != b).then(|| Difference::Value(name.clone()))
            }
            (Some(_), None) if !common_only => Some(Difference::OnlyFirst(name.clone())),
            (None, Some(_)) if !common_only => Some(Difference::OnlySecond(name.clone())),
            _ => None,
        };
        if difference.is_some() {
            return difference;
        }
    }
    // Arms that both report nothing leave it to the workload's own check.
    (common == 0 && !(first.is_empty() && second.is_empty())).then_some(Difference::NothingInCommon)
}

fn place(name: &str) -> usize {
    ORDER
        .iter()
        .position(|known| *known == name)
        .unwrap_or(ORDER.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(pairs: &[(&str, &str)]) -> Digests {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn the_vector_nearest_to_the_cause_is_named() {
        let first = digests(&[
            ("a", "1"),
            ("aux_assignment", "1"),
            ("b", "1"),
            ("b_aux_density", "1"),
            ("proof", "1"),
        ]);
        let mut second = first.clone();
        for vector in ["proof", "b_aux_density", "aux_assignment", "b"] {
            second.insert(vector.to_owned(), "2".to_owned());
            let found = first_difference(&first, &second, false);
            assert_eq!(found, Some(Difference::Value(vector.to_owned())));
        }
        assert_eq!(first_difference(&first, &first, false), None);
    }

    #[test]
    fn a_missing_answer_is_a_difference_between_like_arms() {
        let full = digests(&[("a", "1"), ("proof", "2")]);
        let proof = digests(&[("proof", "2")]);
        assert_eq!(first_difference(&full, &proof, true), None);
        assert_eq!(
            first_difference(&full, &proof, false),
            Some(Difference::OnlyFirst("a".to_owned()))
        );
        assert_eq!(
            first_difference(&proof, &full, false),
            Some(Difference::OnlySecond("a".to_owned()))
        );
        let other = digests(&[("b", "1")]);
        assert_eq!(
            first_difference(&proof, &other, true),
            Some(Difference::NothingInCommon)
        );
        assert_eq!(
            first_difference(&proof, &digests(&[]), true),
            Some(Difference::NothingInCommon)
        );
        assert_eq!(first_difference(&digests(&[]), &digests(&[]), false), None);
    }
}
